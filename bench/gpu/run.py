#!/usr/bin/env python3
"""Runs the objects of build.sh on a GPU, checks them against float64 and times
them beside Triton's own compiler and a plain copy, in one run.

    build.sh TRITCC sm_90 OUT      # anywhere, no GPU needed
    run.py OUT [--report FILE]     # on a machine with PyTorch, Triton and a GPU

Every check draws fresh random inputs and poisons the output with NaN. Times
are medians; `burst` is measured after a pause, `sustained` after two seconds of
the same work.
"""
import argparse
import ctypes
import importlib.util
import os
import statistics
import sys
import tempfile
import time

import torch
import triton

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")


class Grid(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class Kernel:
    """One launcher of an object built by tritcc, called with tensors and numbers."""

    def __init__(self, folder, library, name):
        self.library = ctypes.CDLL(os.path.join(folder, library + ".so"))
        self.function = getattr(self.library, name)
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


def load_jit(path, names):
    """The @triton.jit functions of an example, without its host code."""
    text = open(path).read()
    import ast
    tree = ast.parse(text)
    keep = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in names]
    source = "import triton\nimport triton.language as tl\n\n"
    lines = text.splitlines()
    for n in keep:
        source += "\n".join(lines[n.decorator_list[0].lineno - 1:n.end_lineno]) + "\n\n"
    file = tempfile.NamedTemporaryFile("w", suffix=".py", delete=False)
    file.write(source)
    file.close()
    spec = importlib.util.spec_from_file_location("kernels", file.name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, n) for n in names]


def relative_error(out, reference):
    out, reference = out.double(), reference.double()
    if not bool(torch.isfinite(out).all()):
        return float("inf")
    return float((out - reference).norm() / reference.norm())


def poisoned(shape, dtype):
    return torch.full(shape, float("nan"), dtype=dtype, device="cuda")


def median_ms(call, repeats=60):
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def burst_and_sustained(call):
    time.sleep(0.5)
    burst = median_ms(call)
    until = time.time() + 2
    while time.time() < until:
        for _ in range(20):
            call()
        torch.cuda.synchronize()
    return burst, median_ms(call)


class Report:
    def __init__(self):
        self.rows, self.failed = [], 0

    def check(self, name, error, limit):
        ok = error <= limit
        self.failed += not ok
        self.rows.append(f"check {name:32s} relative error {error:9.2e} (limit {limit:.0e}) {'ok' if ok else 'FAILED'}")

    def speed(self, name, work, unit, calls):
        base = None
        for who, call in calls:
            burst, sustained = burst_and_sustained(call)
            rates = work / burst * 1e3, work / sustained * 1e3
            base = base or rates[0]
            self.rows.append(f"speed {name:24s} {who:8s} burst {rates[0]:9.3f} sustained {rates[1]:9.3f} {unit}"
                             f"  (burst / first {rates[0] / base:5.3f})")


def vadd(folder, report):
    for size, library in ((1 << 20, "vadd"), (98432, "vadd"), (1 << 20, "vadd_tail"), (98432 - 7, "vadd_tail"), (1, "vadd_tail")):
        x, y = (torch.randn(size, device="cuda") for _ in range(2))
        out = poisoned((size,), torch.float32)
        Kernel(folder, library, "add_kernel")((triton.cdiv(size, 1024),), x, y, out, size)
        report.check(f"{library} {size}", relative_error(out, x.double() + y.double()), 1e-6)
    n = 1 << 28
    x, y, out = torch.randn(n, device="cuda"), torch.randn(n, device="cuda"), poisoned((n,), torch.float32)
    ours = Kernel(folder, "vadd", "add_kernel")
    theirs, = load_jit(os.path.join(EXAMPLES, "vadd", "vadd.tri"), ["add_kernel"])
    grid = (n // 1024,)
    report.speed("vadd 2^28 fp32", 3 * 4 * n / 1e12, "TB/s", [
        ("triton", lambda: theirs[grid](x, y, out, n, BLOCK_SIZE=1024)),
        ("tritcc", lambda: ours(grid, x, y, out, n)),
    ])
    report.speed("copy 2^28 fp32", 2 * 4 * n / 1e12, "TB/s", [("torch", lambda: out.copy_(x))])


def softmax(folder, report):
    programs = torch.cuda.get_device_properties(0).multi_processor_count * 2
    for rows, cols, library in ((1000, 8192, "softmax"), (1000, 8176, "softmax"), (513, 781, "softmax_odd"), (3, 1, "softmax_odd")):
        x = torch.randn(rows, cols, device="cuda") * 4
        out = poisoned((rows, cols), torch.float32)
        Kernel(folder, library, "softmax_kernel")((min(programs, rows),), out, x, cols, cols, rows, cols)
        report.check(f"{library} {rows}x{cols}", relative_error(out, torch.softmax(x.double(), 1)), 1e-6)
    n = 8192
    x, out = torch.randn(n, n, device="cuda"), poisoned((n, n), torch.float32)
    ours = Kernel(folder, "softmax", "softmax_kernel")
    theirs, = load_jit(os.path.join(EXAMPLES, "softmax", "softmax.tri"), ["softmax_kernel"])
    grid = (programs,)
    report.speed("softmax fp32 8192x8192", 2 * 4 * n * n / 1e12, "TB/s", [
        ("triton", lambda: theirs[grid](out, x, n, n, n, n, BLOCK_SIZE=8192, num_stages=2, num_warps=16)),
        ("tritcc", lambda: ours(grid, out, x, n, n, n, n)),
    ])


def with_arch(arch, function):
    """A launcher of a @triton.jit function compiled for another architecture than the GPU's."""
    def call(*args, **kwargs):
        triton.knobs.runtime.override_arch = arch
        try:
            return function(*args, **kwargs)
        finally:
            triton.knobs.runtime.override_arch = None
    return call


def matmul(folder, report):
    path = os.path.join(HERE, "kernels", "matmul.tri")
    for m, n, k, dtype, library, block in ((512, 768, 256, torch.float16, "matmul_fp16", (128, 256)),
                                           (512, 768, 256, torch.bfloat16, "matmul_bf16", (128, 256)),
                                           (512, 384, 256, torch.float32, "matmul_fp32", (128, 128)),
                                           (333, 251, 97, torch.float16, "matmul_odd", (64, 64))):
        a, b = torch.randn(m, k, device="cuda", dtype=dtype), torch.randn(k, n, device="cuda", dtype=dtype)
        c = poisoned((m, n), dtype)
        grid = (triton.cdiv(m, block[0]) * triton.cdiv(n, block[1]),)
        Kernel(folder, library, "matmul_kernel")(grid, a, b, c, m, n, k, k, n, n)
        report.check(f"{library} {m}x{n}x{k}", relative_error(c, a.double() @ b.double()), 5e-3 if dtype != torch.float16 else 1e-3)
    n = 8192
    for dtype, name, block in ((torch.float16, "fp16", (128, 256, 64)), (torch.bfloat16, "bf16", (128, 256, 64)),
                               (torch.float32, "fp32", (128, 128, 32))):
        a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
        c = poisoned((n, n), dtype)
        ours = Kernel(folder, "matmul_" + name, "matmul_kernel")
        grid = (triton.cdiv(n, block[0]) * triton.cdiv(n, block[1]),)

        def theirs(function):
            return lambda: function(a, b, c, n, n, n, n, 1, n, 1, n, 1, *block, 8, num_warps=8, num_stages=3)

        native, = load_jit(path, ["matmul_kernel"])
        sm80, = load_jit(path, ["matmul_kernel"])
        torch.backends.cuda.matmul.allow_tf32 = True
        report.speed(f"matmul {name} 8192", 2 * n**3 / 1e12, "TFLOP/s", [
            ("sm80", theirs(with_arch("sm80", sm80[grid]))),
            ("tritcc", lambda: ours(grid, a, b, c, n, n, n, n, n, n)),
            ("triton", theirs(native[grid])),
            ("cublas", lambda: torch.matmul(a, b, out=c)),
        ])


def attention(folder, report):
    path = os.path.join(HERE, "kernels", "attention.tri")
    names = ["attention_inner", "attention_kernel"]

    def arguments(q, k, v, out, lse, heads, context):
        return q, k, v, out, lse, 128 ** -0.5, heads * context * 128, context * 128, 128, heads, context

    for causal in (False, True):
        ours = Kernel(folder, f"attention_{causal}", "attention_kernel")
        q, k, v = (torch.randn(2, 3, 512, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        out, lse = poisoned(q.shape, torch.bfloat16), poisoned((6, 512), torch.float32)
        ours((4, 6), *arguments(q, k, v, out, lse, 3, 512))
        want = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
        report.check(f"attention causal={causal}", relative_error(out, want), 1e-2)
        z, h, n = 4, 32, 4096
        q, k, v = (torch.randn(z, h, n, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        out, lse = poisoned(q.shape, torch.bfloat16), poisoned((z * h, n), torch.float32)
        grid = (n // 128, z * h)
        args = arguments(q, k, v, out, lse, h, n)
        native, sm80 = load_jit(path, names)[1], load_jit(path, names)[1]
        extra = dict(HEAD_DIM=128, BLOCK_M=128, BLOCK_N=64, CAUSAL=causal, DTYPE=triton.language.bfloat16,
                     num_warps=8, num_stages=3)
        report.speed(f"attention {'causal' if causal else 'full'} D128", 4 * z * h * n * n * 128 * (0.5 if causal else 1) / 1e12,
                     "TFLOP/s", [
            ("sm80", lambda: with_arch("sm80", sm80[grid])(*args, **extra)),
            ("tritcc", lambda: ours(grid, *args)),
            ("triton", lambda: native[grid](*args, **extra)),
            ("sdpa", lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)),
        ])


def layernorm_reference(x, w, b, eps):
    x, w, b = x.double(), w.double(), b.double()
    mean, var = x.mean(1, keepdim=True), x.var(1, unbiased=False, keepdim=True)
    rstd = 1 / torch.sqrt(var + eps)
    return (x - mean) * rstd * w + b, mean[:, 0], rstd[:, 0]


def layernorm(folder, report):
    eps = 1e-5
    for rows, cols, dtype, library in ((500, 8192, torch.float16, "layernorm"), (77, 4096, torch.float16, "layernorm"),
                                       (300, 1155, torch.float32, "layernorm_odd"), (5, 3, torch.float32, "layernorm_odd")):
        x = torch.randn(rows, cols, device="cuda", dtype=dtype) * 2 + 0.5
        w, b = (torch.randn(cols, device="cuda", dtype=dtype) for _ in range(2))
        y, mean, rstd = poisoned((rows, cols), dtype), poisoned((rows,), torch.float32), poisoned((rows,), torch.float32)
        Kernel(folder, library, "_layer_norm_fwd_fused")((rows,), x, y, w, b, mean, rstd, cols, cols, eps)
        want = layernorm_reference(x, w, b, eps)
        limit = 1e-3 if dtype == torch.float16 else 1e-5
        for name, got, reference, bound in (("y", y, want[0], limit), ("mean", mean, want[1], 1e-5), ("rstd", rstd, want[2], 1e-5)):
            report.check(f"{library} {rows}x{cols} {name}", relative_error(got, reference), bound)
    m, n = 32768, 8192
    x, y = torch.randn(m, n, device="cuda", dtype=torch.float16), poisoned((m, n), torch.float16)
    w, b = (torch.randn(n, device="cuda", dtype=torch.float16) for _ in range(2))
    mean, rstd = (poisoned((m,), torch.float32) for _ in range(2))
    ours = Kernel(folder, "layernorm", "_layer_norm_fwd_fused")
    theirs, = load_jit(os.path.join(EXAMPLES, "layernorm", "layernorm.tri"), ["_layer_norm_fwd_fused"])
    report.speed("layernorm fp16 32768x8192", 2 * 2 * m * n / 1e12, "TB/s", [
        ("triton", lambda: theirs[(m,)](x, y, w, b, mean, rstd, n, n, eps, BLOCK_SIZE=8192, num_warps=8)),
        ("tritcc", lambda: ours((m,), x, y, w, b, mean, rstd, n, n, eps)),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--report")
    parser.add_argument("--only", help="comma-separated: vadd,softmax,layernorm,matmul,attention")
    options = parser.parse_args()
    torch.manual_seed(time.time_ns() & 0xFFFFFF)
    report = Report()
    for part in (vadd, softmax, layernorm, matmul, attention):
        if options.only and part.__name__ not in options.only.split(","):
            continue
        try:
            part(options.folder, report)
        except Exception as error:
            report.failed += 1
            report.rows.append(f"check {part.__name__}: {type(error).__name__}: {error}")
    text = "\n".join([f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}"] + report.rows)
    print(text)
    if options.report:
        open(options.report, "w").write(text + "\n")
    sys.exit(report.failed != 0)


if __name__ == "__main__":
    main()
