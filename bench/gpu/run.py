#!/usr/bin/env python3
"""Runs the objects of build.sh on a GPU, checks them against float64 and times
them beside Triton's own compiler and the library's kernels, in one run.

    build.sh TRITCC sm_90 OUT      # anywhere, no GPU needed
    run.py OUT [--report FILE]     # on a machine with PyTorch, Triton and a GPU

Every check draws fresh random inputs and poisons the output with NaN. Times are
medians of the device's own clock, the launches queued ahead so that the host
does not count. `burst` is measured after a pause, all compilers in turn, twice;
`sustained` after a second of the same work. "sm80" is Triton's code for that
architecture on this GPU.
"""
import argparse
import ctypes
import math
import os
import statistics
import sys
import time
import traceback

import torch
import triton
import triton.language as tl

from cases import load_cases

CASES = load_cases()


class Grid(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class Kernel:
    """The launcher of a case's object built by tritcc, called with tensors and numbers."""

    def __init__(self, folder, case):
        self.library = ctypes.CDLL(os.path.join(folder, case + ".so"))
        self.function = getattr(self.library, CASES[case].kernel)
        self.strerror = self.library.tri_strerror
        self.strerror.restype = ctypes.c_char_p

    def __call__(self, grid, *args):
        values = []
        for a in args:
            if isinstance(a, torch.Tensor):
                values.append(ctypes.c_void_p(a.data_ptr()))
            elif isinstance(a, float):
                values.append(ctypes.c_float(a))
            else:
                values.append(ctypes.c_int32(a))
        grid = tuple(grid) + (1,) * (3 - len(grid))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        error = self.function(stream, Grid(*grid), *values)
        if error:
            raise RuntimeError(f"launch failed: {self.strerror(error).decode()}")


def by_triton(case, grid, *args, arch=None):
    """A call of the same kernel compiled by Triton; constexpr values come from the case."""
    row = CASES[case]
    function, given, values = row.jit(), iter(args), []
    for word in row.types:
        is_argument = word[0] == "*" or word.split(":")[0] in ("i32", "i64", "fp32")
        values.append(next(given) if is_argument else getattr(tl, word[3:]) if word.startswith("tl.") else eval(word))

    options = {"num_warps": row.warps, "num_stages": row.stages}
    if "num_stages" in function.arg_names:  # the kernel's own parameter says it
        del options["num_stages"]

    def call():
        triton.knobs.runtime.override_arch = arch
        try:
            function[grid](*values, **options)
        finally:
            triton.knobs.runtime.override_arch = None
    return call


def relative_error(out, reference):
    out, reference = out.double(), reference.double()
    if not bool(torch.isfinite(out).all()):
        return float("inf")
    return float((out - reference).norm() / reference.norm().clamp(min=1e-300))


def poisoned(shape, dtype):
    return torch.full(shape, float("nan"), dtype=dtype, device="cuda")


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def median_ms(call, repeats):
    call()
    torch.cuda.synchronize()
    events = []
    torch.cuda._sleep(4_000_000)  # the host gets ahead
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        events.append((start, end))
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in events)


class Report:
    def __init__(self, sustain, alone):
        self.rows, self.failed, self.sustain, self.alone = [], 0, sustain, alone

    def add(self, row):
        self.rows.append(row)
        print(row, flush=True)

    def check(self, name, error, limit):
        ok = error <= limit
        self.failed += not ok
        self.add(f"check {name:36s} relative error {error:9.2e} (limit {limit:.0e}) {'ok' if ok else 'FAILED'}")

    def speed(self, name, work, unit, calls):
        """calls: (who, function) pairs; rates are work per second, shown beside the first one's."""
        if self.alone:
            calls = [(who, call) for who, call in calls if who not in ("triton", "sm80")]
        for who, call in calls:
            call()
        torch.cuda.synchronize()
        times = {who: [] for who, _ in calls}
        for _ in range(2):
            for who, call in calls:
                time.sleep(0.25)
                times[who].append(median_ms(call, 20))
        base = min(times[calls[0][0]])
        for who, call in calls:
            line = f"speed {name:26s} {who:8s} burst {work / min(times[who]) * 1e3:8.3f} (again {work / max(times[who]) * 1e3:8.3f})"
            if self.sustain:
                until = time.time() + self.sustain
                while time.time() < until:
                    median_ms(call, 20)
                line += f" sustained {work / median_ms(call, 20) * 1e3:8.3f}"
            self.add(f"{line} {unit}  burst / {calls[0][0]} {base / min(times[who]):5.3f}")


def vadd(folder, report):
    for size, case in ((1 << 20, "vadd"), (98432, "vadd"), (1 << 20, "vadd_tail"), (98432 - 7, "vadd_tail"), (1, "vadd_tail")):
        x, y, out = randn(size), randn(size), poisoned((size,), torch.float32)
        Kernel(folder, case)((triton.cdiv(size, 1024),), x, y, out, size)
        report.check(f"{case} {size}", relative_error(out, x.double() + y.double()), 1e-6)
    n = 1 << 28
    args = randn(n), randn(n), poisoned((n,), torch.float32), n
    ours, grid = Kernel(folder, "vadd"), (n // 1024,)
    report.speed("vadd 2^28 fp32", 3 * 4 * n / 1e12, "TB/s", [
        ("triton", by_triton("vadd", grid, *args)),
        ("tritcc", lambda: ours(grid, *args)),
    ])
    report.speed("copy 2^28 fp32", 2 * 4 * n / 1e12, "TB/s", [("torch", lambda: args[2].copy_(args[0]))])


def softmax(folder, report):
    programs = torch.cuda.get_device_properties(0).multi_processor_count * 2
    for rows, cols, case in ((1000, 8192, "softmax"), (1000, 8176, "softmax"), (513, 781, "softmax_odd"), (3, 1, "softmax_odd")):
        x, out = randn(rows, cols) * 4, poisoned((rows, cols), torch.float32)
        Kernel(folder, case)((min(programs, rows),), out, x, cols, cols, rows, cols)
        report.check(f"{case} {rows}x{cols}", relative_error(out, torch.softmax(x.double(), 1)), 1e-6)
    n = 8192
    args = poisoned((n, n), torch.float32), randn(n, n), n, n, n, n
    ours, grid = Kernel(folder, "softmax"), (programs,)
    report.speed("softmax fp32 8192x8192", 2 * 4 * n * n / 1e12, "TB/s", [
        ("triton", by_triton("softmax", grid, *args)),
        ("tritcc", lambda: ours(grid, *args)),
    ])


def layernorm_reference(x, w, b, eps):
    x, w, b = x.double(), w.double(), b.double()
    mean, var = x.mean(1, keepdim=True), x.var(1, unbiased=False, keepdim=True)
    rstd = 1 / torch.sqrt(var + eps)
    return (x - mean) * rstd * w + b, mean[:, 0], rstd[:, 0]


def layernorm(folder, report):
    eps = 1e-5
    for rows, cols, dtype, case in ((500, 8192, torch.float16, "layernorm"), (77, 4096, torch.float16, "layernorm"),
                                    (300, 1155, torch.float32, "layernorm_odd"), (5, 3, torch.float32, "layernorm_odd")):
        x = randn(rows, cols, dtype=dtype) * 2 + 0.5
        w, b = randn(cols, dtype=dtype), randn(cols, dtype=dtype)
        y, mean, rstd = poisoned((rows, cols), dtype), poisoned((rows,), torch.float32), poisoned((rows,), torch.float32)
        Kernel(folder, case)((rows,), x, y, w, b, mean, rstd, cols, cols, eps)
        want = layernorm_reference(x, w, b, eps)
        limit = 1e-3 if dtype == torch.float16 else 1e-5
        for name, got, reference, bound in (("y", y, want[0], limit), ("mean", mean, want[1], 1e-5), ("rstd", rstd, want[2], 1e-5)):
            report.check(f"{case} {rows}x{cols} {name}", relative_error(got, reference), bound)
    m, n, dtype = 32768, 8192, torch.float16
    args = (randn(m, n, dtype=dtype), poisoned((m, n), dtype), randn(n, dtype=dtype), randn(n, dtype=dtype),
            poisoned((m,), torch.float32), poisoned((m,), torch.float32), n, n, eps)
    ours, grid = Kernel(folder, "layernorm"), (m,)
    report.speed("layernorm fp16 32768x8192", 2 * 2 * m * n / 1e12, "TB/s", [
        ("triton", by_triton("layernorm", grid, *args)),
        ("tritcc", lambda: ours(grid, *args)),
    ])


def layernorm_arguments(m, n, eps=1e-5):
    """Inputs and poisoned outputs of the backward pass: (arguments of dx, arguments of the weights, x, dy, w)."""
    dtype, groups = torch.float16, 128
    x, dy, w = randn(m, n, dtype=dtype), randn(m, n, dtype=dtype), randn(n, dtype=dtype)
    mean, rstd = x.float().mean(1), 1 / torch.sqrt(x.float().var(1, unbiased=False) + eps)
    parts = poisoned((groups, n), torch.float32), poisoned((groups, n), torch.float32)
    lock = torch.zeros(2 * groups, dtype=torch.int32, device="cuda")
    first = poisoned((m, n), dtype), dy, *parts, x, w, mean, rstd, lock, n, n
    second = *parts, poisoned((n,), torch.float32), poisoned((n,), torch.float32), groups, n
    return first, second, x, dy, w


def layernorm_backward(folder, report):
    dx, dw = Kernel(folder, "layernorm_dx"), Kernel(folder, "layernorm_dw")
    for m, n in ((1000, 8192), (640, 4112)):
        first, second, x, dy, w = layernorm_arguments(m, n)
        dx((m,), *first)
        dw((triton.cdiv(n, 128),), *second)
        x64, w64 = x.double().requires_grad_(), w.double().requires_grad_()
        b64 = torch.zeros_like(w64).requires_grad_()
        torch.nn.functional.layer_norm(x64, (n,), w64, b64, 1e-5).backward(dy.double())
        for name, got, want, limit in (("dx", first[0], x64.grad, 1e-3), ("dw", second[2], w64.grad, 1e-5), ("db", second[3], b64.grad, 1e-5)):
            report.check(f"layernorm backward {m}x{n} {name}", relative_error(got, want), limit)
    m, n = 16384, 8192
    first, second, *_ = layernorm_arguments(m, n)
    report.speed("layernorm dx fp16 16384x8192", 3 * 2 * m * n / 1e12, "TB/s", [
        ("triton", by_triton("layernorm_dx", (m,), *first)),
        ("tritcc", lambda: dx((m,), *first)),
    ])


def rms_norm(folder, report):
    forward, backward = Kernel(folder, "rms_norm"), Kernel(folder, "rms_norm_bwd")
    dtype, eps, programs = torch.bfloat16, 1e-6, torch.cuda.get_device_properties(0).multi_processor_count

    def arguments(m, n):
        x, w, dy, rstd = randn(m, n, dtype=dtype), randn(n, dtype=dtype), randn(m, n, dtype=dtype), poisoned((m,), torch.float32)
        parts, rows = poisoned((programs, n), torch.float32), triton.cdiv(m, programs)
        return (poisoned((m, n), dtype), x, w, rstd, n, n, eps), (poisoned((m, n), dtype), parts, dy, x, w, rstd, n, m, n, rows)

    for m, n in ((1008, 8192), (480, 5120)):
        one, two = arguments(m, n)
        forward((m,), *one)
        backward((programs,), *two)
        x, w = one[1].double().requires_grad_(), one[2].double().requires_grad_()
        y = x / torch.sqrt((x * x).mean(1, keepdim=True) + eps) * w
        y.backward(two[2].double())
        report.check(f"rms norm {m}x{n} y", relative_error(one[0], y.detach()), 5e-3)
        report.check(f"rms norm {m}x{n} dx", relative_error(two[0], x.grad), 5e-3)
        report.check(f"rms norm {m}x{n} dw", relative_error(two[1].sum(0), w.grad), 1e-5)
    m, n = 32768, 8192
    one, two = arguments(m, n)
    report.speed("rms norm bf16 32768x8192", 2 * 2 * m * n / 1e12, "TB/s", [
        ("triton", by_triton("rms_norm", (m,), *one)),
        ("tritcc", lambda: forward((m,), *one)),
    ])
    report.speed("rms norm backward", 3 * 2 * m * n / 1e12, "TB/s", [
        ("triton", by_triton("rms_norm_bwd", (programs,), *two)),
        ("tritcc", lambda: backward((programs,), *two)),
    ])


def cross_entropy(folder, report):
    ours = Kernel(folder, "cross_entropy")

    def arguments(rows, cols):
        x = randn(rows, cols, dtype=torch.bfloat16) * 3
        target = torch.randint(0, cols, (rows,), device="cuda")
        target[::5] = -100
        return x, cols, target, poisoned((rows,), torch.float32), cols, (rows // 16 + 1) * 16, -100

    for rows, cols in ((64, 128256), (33, 32768), (17, 1008)):
        args = arguments(rows, cols)
        logits, target, valid = args[0].double().requires_grad_(), args[2], args[5]
        ours((rows,), *args)
        want = torch.nn.functional.cross_entropy(logits, target, ignore_index=-100, reduction="none") / valid
        want.sum().backward()
        report.check(f"cross entropy {rows}x{cols} loss", relative_error(args[3], want.detach()), 1e-5)
        report.check(f"cross entropy {rows}x{cols} gradient", relative_error(args[0], logits.grad), 5e-3)
    rows, cols = 8192, 128256
    args = arguments(rows, cols)
    args[2].clamp_(min=0)
    report.speed("cross entropy bf16 8192x128256", 3 * 2 * rows * cols / 1e12, "TB/s", [
        ("triton", by_triton("cross_entropy", (rows,), *args)),
        ("tritcc", lambda: ours((rows,), *args)),
    ])


def matmul(folder, report):
    torch.backends.cuda.matmul.allow_tf32 = True
    for m, n, k, dtype, case, block in ((512, 768, 256, torch.float16, "matmul_fp16", (128, 256)),
                                        (512, 768, 256, torch.bfloat16, "matmul_bf16", (128, 256)),
                                        (512, 384, 256, torch.float32, "matmul_fp32", (128, 128)),
                                        (333, 251, 97, torch.float16, "matmul_odd", (64, 64))):
        a, b, c = randn(m, k, dtype=dtype), randn(k, n, dtype=dtype), poisoned((m, n), dtype)
        grid = (triton.cdiv(m, block[0]) * triton.cdiv(n, block[1]),)
        Kernel(folder, case)(grid, a, b, c, m, n, k, k, n, n)
        report.check(f"{case} {m}x{n}x{k}", relative_error(c, a.double() @ b.double()), 5e-3 if dtype != torch.float16 else 1e-3)
    n = 8192
    for dtype, name, block in ((torch.float16, "fp16", (128, 256)), (torch.bfloat16, "bf16", (128, 256)), (torch.float32, "fp32", (128, 128))):
        a, b, c = randn(n, n, dtype=dtype), randn(n, n, dtype=dtype), poisoned((n, n), dtype)
        case, ours, args = "matmul_" + name, Kernel(folder, "matmul_" + name), (a, b, c, n, n, n, n, n, n)
        grid = (triton.cdiv(n, block[0]) * triton.cdiv(n, block[1]),)
        report.speed(f"matmul {name} 8192", 2 * n**3 / 1e12, "TFLOP/s", [
            ("sm80", by_triton(case, grid, *args, arch="sm80")),
            ("tritcc", lambda: ours(grid, *args)),
            ("triton", by_triton(case, grid, *args)),
            ("cublas", lambda: torch.matmul(a, b, out=c)),
        ])


def matmul_int8(folder, report):
    ours = Kernel(folder, "matmul_int8")

    def arguments(m, n, k):
        a, b = (torch.randint(-128, 128, (rows, k), dtype=torch.int8, device="cuda") for rows in (m, n))
        return (a, b, torch.full((m, n), 0x5a5a5a5a, dtype=torch.int32, device="cuda"), m, n, k, k, k, n), \
            (triton.cdiv(m, 128) * triton.cdiv(n, 256),)

    for shape in ((512, 768, 256), (336, 272, 176)):
        args, grid = arguments(*shape)
        ours(grid, *args)
        report.check(f"matmul int8 {shape}", relative_error(args[2], args[0].double() @ args[1].double().T), 0)
    n = 8192
    args, grid = arguments(n, n, n)
    report.speed("matmul int8 8192", 2 * n**3 / 1e12, "TOP/s", [
        ("sm80", by_triton("matmul_int8", grid, *args, arch="sm80")),
        ("tritcc", lambda: ours(grid, *args)),
        ("triton", by_triton("matmul_int8", grid, *args)),
        ("cublas", lambda: torch._int_mm(args[0], args[1].T)),
    ])


def matmul_odd(folder, report):
    """Sizes and strides that nothing divides: elements are loaded one by one."""
    n, dtype = 4091, torch.float16
    a, b, c = randn(n, n, dtype=dtype), randn(n, n, dtype=dtype), poisoned((n, n), dtype)
    ours, grid, args = Kernel(folder, "matmul_odd"), (triton.cdiv(n, 64)**2,), (a, b, c, n, n, n, n, n, n)
    report.speed("matmul fp16 4091", 2 * n**3 / 1e12, "TFLOP/s", [
        ("sm80", by_triton("matmul_odd", grid, *args, arch="sm80")),
        ("tritcc", lambda: ours(grid, *args)),
        ("triton", by_triton("matmul_odd", grid, *args)),
        ("cublas", lambda: torch.matmul(a, b, out=c)),
    ])


def matmul_fp8(folder, report):
    ours, one = Kernel(folder, "matmul_fp8"), torch.ones((), device="cuda")

    def arguments(m, n, k):
        a, b = (randn(rows, k).to(torch.float8_e4m3fn) for rows in (m, n))
        return (a, b, poisoned((m, n), torch.float16), m, n, k, k, k, n), (triton.cdiv(m, 128) * triton.cdiv(n, 256),)

    for shape in ((512, 768, 256), (336, 272, 176)):
        args, grid = arguments(*shape)
        ours(grid, *args)
        report.check(f"matmul fp8 {shape}", relative_error(args[2], args[0].double() @ args[1].double().T), 1e-3)
    n = 8192
    args, grid = arguments(n, n, n)
    report.speed("matmul fp8 8192", 2 * n**3 / 1e12, "TFLOP/s", [
        ("tritcc", lambda: ours(grid, *args)),
        ("triton", by_triton("matmul_fp8", grid, *args)),
        ("cublas", lambda: torch._scaled_mm(args[0], args[1].T, one, one, out_dtype=torch.float16, use_fast_accum=True)),
    ])


def matmul_batched(folder, report):
    ours = Kernel(folder, "matmul_batched")

    def arguments(batch, m, n, k):
        a, b, c = randn(batch, m, k, dtype=torch.float16), randn(batch, k, n, dtype=torch.float16), poisoned((batch, m, n), torch.float16)
        return (a, b, c, m, n, k, m * k, k * n, m * n), (triton.cdiv(m, 128) * triton.cdiv(n, 256), batch)

    for shape in ((3, 256, 512, 128), (2, 144, 272, 80)):
        args, grid = arguments(*shape)
        ours(grid, *args)
        report.check(f"matmul batched {shape}", relative_error(args[2], args[0].double() @ args[1].double()), 1e-3)
    batch, n = 64, 2048
    args, grid = arguments(batch, n, n, n)
    report.speed("matmul fp16 64x 2048", 2 * batch * n**3 / 1e12, "TFLOP/s", [
        ("sm80", by_triton("matmul_batched", grid, *args, arch="sm80")),
        ("tritcc", lambda: ours(grid, *args)),
        ("triton", by_triton("matmul_batched", grid, *args)),
        ("cublas", lambda: torch.bmm(args[0], args[1], out=args[2])),
    ])


def matmul_grouped(folder, report):
    ours, grid = Kernel(folder, "matmul_grouped"), (132,)

    def arguments(shapes):
        operands = [(randn(m, k, dtype=torch.float16), randn(k, n, dtype=torch.float16), poisoned((m, n), torch.float16)) for m, n, k in shapes]
        lists = [torch.tensor([x[i].data_ptr() for x in operands], dtype=torch.int64, device="cuda") for i in range(3)]
        return operands, (*lists, torch.tensor(shapes, dtype=torch.int32, device="cuda"), len(shapes))

    operands, args = arguments([(256, 512, 192), (128, 128, 64), (1024, 256, 320)])
    ours(grid, *args)
    for a, b, c in operands:
        report.check(f"matmul grouped {tuple(c.shape)}", relative_error(c, a.double() @ b.double()), 1e-3)
    shapes = [(4096 >> i % 3, 2048 << i % 2, 4096) for i in range(8)]
    operands, args = arguments(shapes)
    report.speed("matmul fp16 8 groups", 2 * sum(m * n * k for m, n, k in shapes) / 1e12, "TFLOP/s", [
        ("sm80", by_triton("matmul_grouped", grid, *args, arch="sm80")),
        ("tritcc", lambda: ours(grid, *args)),
        ("triton", by_triton("matmul_grouped", grid, *args)),
        ("cublas", lambda: [torch.matmul(a, b, out=c) for a, b, c in operands]),
    ])


def attention(folder, report):

    def arguments(z, h, n):
        q, k, v = (randn(z, h, n, 128, dtype=torch.bfloat16) for _ in range(3))
        out, lse = poisoned(q.shape, torch.bfloat16), poisoned((z * h, n), torch.float32)
        return q, k, v, out, lse, 128**-0.5, h * n * 128, n * 128, 128, h, n

    for causal in (False, True):
        case = f"attention_{causal}"
        ours, args = Kernel(folder, case), arguments(2, 3, 512)
        ours((4, 6), *args)
        q, k, v = (t.double() for t in args[:3])
        report.check(f"attention causal={causal}",
                     relative_error(args[3], torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)), 1e-2)
        z, h, n = 4, 32, 4096
        args, grid = arguments(z, h, n), (n // 128, z * h)
        report.speed(f"attention {'causal' if causal else 'full'} D128", 4 * z * h * n * n * 128 * (0.5 if causal else 1) / 1e12,
                     "TFLOP/s", [
            ("sm80", by_triton(case, grid, *args, arch="sm80")),
            ("tritcc", lambda: ours(grid, *args)),
            ("triton", by_triton(case, grid, *args)),
            ("sdpa", lambda: torch.nn.functional.scaled_dot_product_attention(*args[:3], is_causal=causal)),
        ])


def attention_backward(folder, report):
    log2e = math.log2(math.e)

    def arguments(z, h, n, causal):
        """(arguments, q, k, v, out, d_out): the forward pass is the library's."""
        q, k, v, d_out = (randn(z, h, n, 64, dtype=torch.bfloat16) for _ in range(4))
        scale = 64**-0.5
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        lse = poisoned((z * h, n), torch.float32)
        for i, (qi, ki) in enumerate(zip(q.flatten(0, 1), k.flatten(0, 1))):
            scores = qi.float() @ ki.float().T * scale
            if causal:
                scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
            lse[i] = torch.logsumexp(scores, 1) * log2e
        grads = [poisoned(q.shape, torch.bfloat16) for _ in range(3)]
        scaled = (k.float() * (scale * log2e)).to(torch.bfloat16)
        delta = poisoned((z * h, n), torch.float32)
        return (q, scaled, v, scale, d_out, *grads, lse, delta, n * 64, 64, n), q, k, v, out, d_out

    before = Kernel(folder, "attention_delta")
    for causal in (False, True):
        case = f"attention_bwd_{causal}"
        ours = Kernel(folder, case)
        args, q, k, v, out, d_out = arguments(2, 3, 512, causal)
        before((4, 6), out, d_out, args[9], 512)
        report.check("attention row sums", relative_error(args[9], (out.double() * d_out.double()).sum(-1).flatten(0, 1)), 1e-5)
        ours((4, 6), *args)
        q, k, v = (t.double().requires_grad_() for t in (q, k, v))
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).backward(d_out.double())
        for name, got, want in zip(("dq", "dk", "dv"), args[5:8], (q.grad, k.grad, v.grad)):
            report.check(f"attention backward causal={causal} {name}", relative_error(got, want), 2e-2)
        z, h, n = 4, 32, 4096
        args, q, k, v, out, d_out = arguments(z, h, n, causal)
        grid = (n // 128, z * h)
        before(grid, out, d_out, args[9], n)
        report.speed(f"attention bwd {'causal' if causal else 'full'} D64",
                     10 * z * h * n * n * 64 * (0.5 if causal else 1) / 1e12, "TFLOP/s", [
            ("sm80", by_triton(case, grid, *args, arch="sm80")),
            ("tritcc", lambda: ours(grid, *args)),
            ("triton", by_triton(case, grid, *args)),
        ])


PARTS = (vadd, softmax, layernorm, layernorm_backward, rms_norm, cross_entropy, matmul, matmul_int8, matmul_odd, matmul_fp8,
         matmul_batched, matmul_grouped, attention, attention_backward)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--report")
    parser.add_argument("--only", help="comma-separated: " + ",".join(p.__name__ for p in PARTS))
    parser.add_argument("--alone", action="store_true", help="without Triton, whose compilation takes most of the time")
    parser.add_argument("--sustain", type=float, default=1, help="seconds of work before the sustained rate; 0 leaves it out")
    options = parser.parse_args()
    torch.manual_seed(time.time_ns() & 0xFFFFFF)
    report = Report(options.sustain, options.alone)
    report.add(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}")
    for part in PARTS:
        if options.only and part.__name__ not in options.only.split(","):
            continue
        try:
            part(options.folder, report)
        except Exception as error:
            traceback.print_exc()
            report.failed += 1
            report.add(f"check {part.__name__}: {type(error).__name__}: {error}")
        torch.cuda.empty_cache()
        if options.report:
            with open(options.report, "w") as file:
                file.write("\n".join(report.rows) + "\n")
    sys.exit(report.failed != 0)


if __name__ == "__main__":
    main()
