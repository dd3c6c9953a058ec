#!/usr/bin/env python3
"""Each compiler at its own best of the same list of configurations, beside the library, in one run.

    best.py --build TRITCC ARCH OUT [NAME...]   # anywhere, no GPU needed: one object a configuration of best.list;
                                                # in front, --flags='-fwarp-specialize ...' gives tritcc more options
    best.py OUT [NAME...] [--sustain SECONDS]   # on a machine with PyTorch, Triton and a GPU; --alone without Triton,
                                                # --warm N has N processes compile Triton's kernels first;
                                                # OUT,OUT2,... compares builds, each under its folder's name

Every configuration is checked against float64 (or the library in float32 where that is too slow), with fresh random
inputs and outputs full of NaN; one that a compiler refuses is left out for that compiler, and said. Times are medians of
the device's own clock: burst after a pause, sustained behind as many seconds of the same work."""
import argparse
import ctypes
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


class Config:
    def __init__(self, row, word):
        values = word.split("/")
        self.row, self.word, self.warps, self.stages = row, word, int(values[0]), int(values[1])
        self.types = row.types.format(**dict(zip("ABCDEF", values[2:])))
        self.file = f"{row.name}-{word.replace('/', '-')}"
        self.values = dict(zip("ABCDEF", (int(v) for v in values[2:])))


class Row:
    def __init__(self, line):
        self.name, source, self.kernel, self.types, configs = (w.strip() for w in line.split("|"))
        self.source = HERE / source
        self.configs = [Config(self, word) for word in configs.split()]


def rows():
    lines = (HERE / "best.list").read_text().splitlines()
    return [Row(line) for line in lines if line and line[0] != "#"]


def build(tritcc, arch, out, names, flags):
    os.makedirs(out, exist_ok=True)
    for row in rows():
        for c in row.configs if not names or row.name in names else []:
            base = os.path.join(out, c.file)
            command = [tritcc, "-c", f"-arch={arch}", "-k", row.kernel, f"-num-warps={c.warps}", f"-num-stages={c.stages}",
                       "-sig", f"{row.kernel}({c.types})", *flags, row.source, "-o", base + ".o"]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode:
                print(f"{c.file}: refused: {made.stderr.splitlines()[0] if made.stderr else made.returncode}")
                continue
            subprocess.run(["cc", "-shared", "-o", base + ".so", base + ".o", "-lpthread", "-ldl"], check=True)
            os.remove(base + ".o")


def by_tritcc(out, config, grid, args):
    import run
    import torch
    library = ctypes.CDLL(os.path.join(out, config.file + ".so"))
    function, strerror = getattr(library, config.row.kernel), library.tri_strerror
    strerror.restype = ctypes.c_char_p
    values = [ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else
              ctypes.c_float(a) if isinstance(a, float) else ctypes.c_int32(a) for a in args]
    grid = tuple(grid) + (1,) * (3 - len(grid))

    def call():
        error = function(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), run.Grid(*grid), *values)
        if error:
            raise RuntimeError(strerror(error).decode())
    return call


def by_triton(config, grid, args, warm=False):
    import cases
    import triton.language as tl
    function, given, values = cases.load_jit(str(config.row.source), config.row.kernel), iter(args), []
    for word in config.types.split(","):
        is_argument = word[0] == "*" or word.split(":")[0] in ("i32", "i64", "fp32")
        values.append(next(given) if is_argument else getattr(tl, word[3:]) if word.startswith("tl.") else eval(word))

    def call():
        options = {"num_warps": config.warps, "num_stages": config.stages}
        function.warmup(*values, grid=(1,), **options) if warm else function[grid](*values, **options)
    return call


def warm_one(config):
    """Triton's kernel of one configuration into Triton's cache."""
    import torch
    dtypes = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp8e4nv": torch.float8_e4m3fn, "i8": torch.int8,
              "i32": torch.int32, "i64": torch.int64}
    values = [dtypes[w[1:].split(":")[0]] if w[0] == "*" else
              {"i32": 4091, "i32:16": 4096, "fp32": 0.5}.get(w) for w in config.types.split(",")]
    try:
        by_triton(config, None, [v for v in values if v is not None], warm=True)()
    except Exception:  # said where it is measured
        pass


def warm(names, processes):
    configs = [c for row in rows() if not names or row.name in names for c in row.configs]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(warm_one, configs, chunksize=1)


def size_of(name, otherwise):
    found = re.search(r"_(\d{4,})$", name)
    return int(found[1]) if found else otherwise


def grouped_of(torch):
    """Eight products of other shapes in one launch; the library makes eight."""
    import run
    shapes = [(4096 >> i % 3, 2048 << i % 2, 4096) for i in range(8)]
    pairs = [(run.randn(m, k, dtype=torch.float16), run.randn(k, n, dtype=torch.float16)) for m, n, k in shapes]
    everything = run.poisoned((sum(m * n for m, n, _ in shapes),), torch.float16)
    outs = [o.view(m, n) for o, (m, n, _) in zip(everything.split([m * n for m, n, _ in shapes]), shapes)]
    operands = [(a, b, c) for (a, b), c in zip(pairs, outs)]
    lists = [torch.tensor([o[i].data_ptr() for o in operands], dtype=torch.int64, device="cuda") for i in range(3)]
    wanted = [a[:128].double() @ b.double() for a, b in pairs]
    return ((*lists, torch.tensor(shapes, dtype=torch.int32, device="cuda"), len(shapes)), lambda c: (132,), everything,
            lambda: max(run.relative_error(c[:128], want) for c, want in zip(outs, wanted)), 3e-3,
            2 * sum(m * n * k for m, n, k in shapes) / 1e12, "TFLOP/s",
            [("cuBLAS", lambda: [torch.matmul(a, b, out=c) for a, b, c in operands])])


def work_of(name, torch):
    """Arguments, grid of a configuration, what to compare, work and unit, and the library's calls."""
    import run
    cdiv = lambda a, b: -(-a // b)
    if name.startswith("layernorm"):
        m, n = (32768, 8192) if name == "layernorm" else (32768, 8000)
        x, w, b = run.randn(m, n, dtype=torch.float16), run.randn(n, dtype=torch.float16), run.randn(n, dtype=torch.float16)
        y, mean, rstd = run.poisoned((m, n), torch.float16), run.poisoned((m,), torch.float32), run.poisoned((m,), torch.float32)
        want = torch.nn.functional.layer_norm(x[:64].double(), (n,), w.double(), b.double(), 1e-5)
        copy = torch.empty_like(x)
        return ((x, y, w, b, mean, rstd, n, n, 1e-5), lambda c: (m,), y, lambda: run.relative_error(y[:64], want), 2e-3,
                m * n * 4 / 1e12, "TB/s", [("copy", lambda: copy.copy_(x))])
    if name == "product_batched":
        batch, s = 64, 2048
        a, b = run.randn(batch, s, s, dtype=torch.float16), run.randn(batch, s, s, dtype=torch.float16)
        c = run.poisoned((batch, s, s), torch.float16)
        want, out = a[0].double() @ b[0].double(), torch.empty_like(c)
        return ((a, b, c, s, s, s, s * s, s * s, s * s), lambda k: (cdiv(s, k.values["A"]) * cdiv(s, k.values["B"]), batch), c,
                lambda: run.relative_error(c[0], want), 3e-3, 2 * batch * s**3 / 1e12, "TFLOP/s",
                [("cuBLAS", lambda: torch.bmm(a, b, out=out))])
    if name == "product_int8":
        s = 8192
        a, b = (torch.randint(-128, 128, (s, s), dtype=torch.int8, device="cuda") for _ in range(2))
        c, columns = torch.empty((s, s), dtype=torch.int32, device="cuda"), b.t().contiguous().t()
        want = a[:256].double() @ b.double()

        def wrong():
            error = run.relative_error(c[:256], want)
            c.fill_(1 << 30)  # integers have no NaN
            return error
        return ((a, b, c, s, s, s, s, s, s), lambda k: (cdiv(s, k.values["A"]) * cdiv(s, k.values["B"]),), c, wrong, 0,
                2 * s**3 / 1e12, "TOP/s", [("cuBLAS", lambda: torch._int_mm(a, columns))])
    if name == "product_grouped":
        return grouped_of(torch)
    if name.startswith("product"):
        s = size_of(name, 8192)
        m = 16 if "skinny" in name else s
        is_fp8 = "fp8" in name
        dtype = torch.float32 if "tf32" in name else torch.bfloat16 if "bf16" in name else torch.float16
        torch.backends.cuda.matmul.allow_tf32 = True
        a, b = run.randn(m, s, dtype=dtype), run.randn(s, s, dtype=dtype)
        c = run.poisoned((m, s), dtype)
        library = lambda: a @ b
        if is_fp8:
            a, b = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
            columns, one = b.t().contiguous().t(), torch.ones((), device="cuda")
            library = lambda: torch._scaled_mm(a, columns, one, one, out_dtype=torch.float16)
            if name.endswith("columns"):
                b = columns
        want, limit = a[:256].double() @ b.double(), 1e-2 if dtype == torch.bfloat16 else 3e-3
        tiles = lambda k: (cdiv(m, k.values["A"]), cdiv(s, k.values["B"]))
        if not name.endswith("tiles"):
            args, grid = (a, b, c, m, s, s, s, s, s), lambda k: (tiles(k)[0] * tiles(k)[1],)
        else:
            args, grid = (a, b, c, s, s, s), tiles
        return args, grid, c, lambda: run.relative_error(c[:256], want), limit, 2 * m * s**2 / 1e12, "TFLOP/s", [("cuBLAS", library)]
    if name.startswith("attention_bwd"):
        return backward_of(name.endswith("causal"), torch)
    n, d, causal = size_of(name, 4096), 64 if "_d64" in name else 128, "causal" in name
    heads = 128 * 4096 // n
    q, k, v = (run.randn(heads, n, d, dtype=torch.bfloat16) for _ in range(3))
    o = run.poisoned((heads, n, d), torch.bfloat16)
    attention = torch.nn.functional.scaled_dot_product_attention
    scale = d**-0.5
    q4, k4, v4 = (t.view(4, heads // 4, n, d) for t in (q, k, v))

    def library():
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
            return attention(q4, k4, v4, is_causal=causal, scale=scale)
    want = attention(q[:2].double(), k[:2].double(), v[:2].double(), is_causal=causal, scale=scale)
    return ((q, k, v, o, scale, n), lambda c: (cdiv(n, c.values["A"]), heads), o, lambda: run.relative_error(o[:2], want), 1e-2,
            4 * heads * n * n * d * (0.5 if causal else 1) / 1e12, "TFLOP/s", [("cuDNN", library)])


def backward_of(causal, torch):
    """The gradients of attention of 128 heads, D = 64; the forward pass and the sums of out * d_out are PyTorch's."""
    import run
    heads, n, d = 128, 4096, 64
    attention = torch.nn.functional.scaled_dot_product_attention
    q, k, v, d_out = (run.randn(heads, n, d, dtype=torch.bfloat16) for _ in range(4))
    scale, log2e = d**-0.5, 1.4426950408889634
    out, lse = attention(q, k, v, is_causal=causal, scale=scale), run.poisoned((heads, n), torch.float32)
    for i in range(heads):
        scores = q[i].float() @ k[i].float().T * scale
        if causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        lse[i] = torch.logsumexp(scores, 1) * log2e
    delta = (out.float() * d_out.float()).sum(-1)
    # one tensor, so that all three are filled with NaN at once
    grads = run.poisoned((3, heads, n, d), torch.bfloat16)
    wanted = [t[:2].double().requires_grad_() for t in (q, k, v)]
    attention(*wanted, is_causal=causal, scale=scale).backward(d_out[:2].double())
    wanted = torch.stack([t.grad for t in wanted])
    q4, k4, v4 = (t.view(4, heads // 4, n, d).clone().requires_grad_() for t in (q, k, v))
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
        made = attention(q4, k4, v4, is_causal=causal, scale=scale)
    scaled = (k.float() * (scale * log2e)).to(torch.bfloat16)
    back = lambda: torch.autograd.grad(made, (q4, k4, v4), d_out.view_as(made), retain_graph=True)
    return ((q, scaled, v, scale, d_out, *grads, lse, delta, n * d, d, n), lambda c: (n // c.values["B"], heads), grads,
            lambda: max(run.relative_error(g[:2], w) for g, w in zip(grads, wanted)), 2e-2,
            10 * heads * n * n * d * (0.5 if causal else 1) / 1e12, "TFLOP/s", [("cuDNN", back)])


def fastest(name, who, makers, prepare, out_tensor, error, limit):
    """The best configuration of one compiler as (ms, word, call)."""
    import run
    best = None
    for config in makers:
        try:
            call = prepare(config)
            if out_tensor.is_floating_point():
                out_tensor.fill_(float("nan"))
            call()
            measured = error()
        except Exception as e:  # a compiler's own refusal
            print(f"  {name} {who} {config.word}: {str(e).splitlines()[0][:90] if str(e) else type(e).__name__}", flush=True)
            continue
        if not measured <= limit:
            print(f"  {name} {who} {config.word}: WRONG, relative error {measured:.1e}", flush=True)
            continue
        time.sleep(0.1)
        ms = run.median_ms(call, 10)
        print(f"  {name} {who} {config.word}: {ms:.4f} ms, relative error {measured:.1e}", flush=True)
        if best is None or ms < best[0]:
            best = (ms, config.word, call)
    return best


def measure(out, sustain, names, alone):
    sys.path.insert(0, str(HERE))
    import torch
    import run
    if not alone:
        import triton
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    for row in rows():
        if names and row.name not in names:
            continue
        args, grid, tensor, error, limit, work, unit, libraries = work_of(row.name, torch)
        builds = [(os.path.basename(os.path.normpath(o)) if "," in out else "tritcc", o) for o in out.split(",")]
        found = []
        for who, folder in builds:
            ours = [c for c in row.configs if os.path.exists(os.path.join(folder, c.file + ".so"))]
            prepare = lambda c: by_tritcc(folder, c, grid(c), args)
            found.append((who, fastest(row.name, who, ours, prepare, tensor, error, limit)))
        if not alone:
            theirs = fastest(row.name, "Triton", row.configs, lambda c: by_triton(c, grid(c), args), tensor, error, limit)
            found.append(("Triton", theirs))
        calls = [(who, best[1], best[2]) for who, best in found if best] + [(who, "", call) for who, call in libraries]
        times = {}
        for _ in range(2):
            for who, word, call in calls:
                time.sleep(0.25)
                times.setdefault(who, []).append(run.median_ms(call, 20))
        for who, word, call in calls:
            until = time.time() + sustain
            while time.time() < until:
                call()
            torch.cuda.synchronize()
            rate = work / min(times[who]) * 1e3
            first = builds[0][0]
            beside = f"  {min(times[first]) / min(times[who]):.3f} of {first}'s speed" if first in times else ""
            print(f"best {row.name:24s} {who:7s} {word:16s} burst {rate:8.3f} sustained {work / run.median_ms(call, 20) * 1e3:8.3f} "
                  f"{unit}{beside}", flush=True)
        del args, tensor
        torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", nargs=2, metavar=("TRITCC", "ARCH"))
    parser.add_argument("--flags", default="")
    parser.add_argument("--sustain", type=float, default=0.25)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--warm", type=int, default=0, metavar="N")
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.build:
        build(os.path.abspath(given.build[0]), given.build[1], given.out, given.names, given.flags.split())
    else:
        if given.warm and not given.alone:
            warm(given.names, given.warm)
        measure(given.out, given.sustain, given.names, given.alone)


if __name__ == "__main__":
    main()
