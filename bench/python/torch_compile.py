#!/usr/bin/env python3
"""torch.compile with kernels by tritcc and by Triton: cold start, compilation alone, results and speed. Wants a GPU.

usage: torch_compile.py [MODEL...] [--threads N,N] [--modes NAME,...] [--steps N] [--timed N] [--keep FOLDER]

Each row is a fresh process with empty caches. `wall` is the first step, from the call to its end; `triton.compile` the
time in there (of this process: with --threads 1 all of it), `ptxas` the part of it that ptxas took. `step` is the
median of later steps (--timed: how many), `device` the time of Inductor's kernels in one of them, as the profiler has
it, `static` how many of their launchers are Inductor's own in C++. Losses of all steps must agree between the compilers;
kernels that are slower than Triton's, and those that Triton compiled for tritcc, are named. --keep leaves the caches,
Inductor's sources among them, in FOLDER/MODEL-MODE-COMPILER. The package tritcc must be importable in child processes
too (installed, or on PYTHONPATH).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MODELS = ("block", "resnet", "gpt")
# how Inductor launches and wraps kernels
MODES = {
    "default": {},
    "dynamic": {"use_static_triton_launcher": False},
    "graphs": {"triton.cudagraphs": True},
    "cpp": {"cpp_wrapper": True},
    "autotune": {"max_autotune": True, "max_autotune_gemm_backends": "TRITON,ATEN"},
}


def make_block(torch, nn, F):
    class Block(nn.Module):
        def __init__(self, width=1024, heads=16):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            b, t, d = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + F.dropout(self.out(a.transpose(1, 2).reshape(b, t, d)), 0.1)
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    return Block


def make_bottleneck(torch, nn, F):
    class Bottleneck(nn.Module):
        def __init__(self, width=256, inner=64):
            super().__init__()
            self.conv1, self.norm1 = nn.Conv2d(width, inner, 1, bias=False), nn.BatchNorm2d(inner)
            self.conv2, self.norm2 = nn.Conv2d(inner, inner, 3, padding=1, bias=False), nn.BatchNorm2d(inner)
            self.conv3, self.norm3 = nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width)

        def forward(self, x):
            y = F.relu(self.norm1(self.conv1(x)))
            y = F.relu(self.norm2(self.conv2(y)))
            return F.relu(self.norm3(self.conv3(y)) + x)

    return Bottleneck


def make_gpt(torch, nn, F):
    Block = make_block(torch, nn, F)

    class GPT(nn.Module):
        def __init__(self, words=8192, width=512, layers=4, length=512):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList(Block(width, 8) for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

        def forward(self, tokens):
            x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
            for block in self.blocks:
                x = block(x)
            return F.cross_entropy(self.head(self.norm(x))[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten())

    return GPT


def training_step(torch, name):
    """(a function that makes one step and gives the loss, the functions that torch.compile gets)"""
    from torch import nn

    F = nn.functional
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("highest")
    if name == "block":
        model, given = make_block(torch, nn, F)(), torch.randn(8, 512, 1024, device="cuda")
    elif name == "resnet":
        model, given = make_bottleneck(torch, nn, F)(), torch.randn(32, 256, 56, 56, device="cuda")
    else:
        model, given = make_gpt(torch, nn, F)(), torch.randint(0, 8192, (8, 512), device="cuda")
    model = model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True, capturable=True)

    def loss_of(x):
        with torch.autocast("cuda", torch.bfloat16):
            y = model(x)
        return y if y.dim() == 0 else y.float().pow(2).mean()

    compiled, update = torch.compile(loss_of), torch.compile(optimizer.step)

    def step():
        torch.compiler.cudagraph_mark_step_begin()
        optimizer.zero_grad(set_to_none=True)
        loss = compiled(given)
        loss.backward()
        update()
        return loss.detach().clone()

    return step


def timed_compile():
    """Sums the time in triton.compile, and in ptxas."""
    import triton
    from triton.backends.nvidia.compiler import CUDABackend

    spent = {"compile": 0.0, "ptxas": 0.0, "kernels": 0}
    plain, cubin = triton.compile, CUDABackend.make_cubin

    def compile_(*args, **kwargs):
        start = time.perf_counter()
        try:
            return plain(*args, **kwargs)
        finally:
            spent["compile"] += time.perf_counter() - start
            spent["kernels"] += 1

    def make_cubin(*args, **kwargs):
        start = time.perf_counter()
        try:
            return cubin(*args, **kwargs)
        finally:
            spent["ptxas"] += time.perf_counter() - start

    triton.compile, CUDABackend.make_cubin = compile_, make_cubin
    return spent


def count_launchers():
    """Counts launchers as Inductor makes them, by kind."""
    from torch._inductor.runtime import triton_heuristics

    made = {"static": 0, "dynamic": 0}

    def counted(owner, kind):
        plain = owner.make_launcher

        def make_launcher(self):
            made[kind] += 1
            return plain(self)

        owner.make_launcher = make_launcher

    for name, kind in (("StaticTritonCompileResult", "static"), ("TritonCompileResult", "dynamic")):
        owner = getattr(triton_heuristics, name, None)
        if owner is not None and "make_launcher" in vars(owner):
            counted(owner, kind)
    return made


def device_times(torch, step, count=10):
    """{name: ms in a step} of the kernels that Inductor wrote; empty where nothing can be profiled."""
    try:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(count):
                step()
            torch.cuda.synchronize()
        return {
            e.key: e.self_device_time_total / 1e3 / count for e in profile.key_averages() if e.key.startswith("triton_")
        }
    except RuntimeError as error:
        print(f"no profile: {error}", file=sys.stderr)
        return {}


def run_one(options):
    """One row, in this process: a line of JSON."""
    import torch
    import torch._inductor.config as config

    for key, value in MODES[options.modes].items():
        owner, _, name = key.rpartition(".")
        setattr(getattr(config, owner) if owner else config, name, value)
    config.compile_threads = int(options.threads)
    config.fx_graph_cache = False
    if options.one == "tritcc":
        import tritcc.triton

        tritcc.triton.install(strict=False, warnings=False)
    import torch._inductor.runtime.triton_heuristics  # noqa: F401

    spent, made = timed_compile(), count_launchers()
    torch.zeros(1, device="cuda")
    step = training_step(torch, options.models[0])
    torch.cuda.synchronize()
    start = time.perf_counter()
    losses = [step()]
    torch.cuda.synchronize()
    wall = time.perf_counter() - start
    first = dict(spent)
    losses += [step() for _ in range(options.steps)]
    torch.cuda.synchronize()
    times = []
    for _ in range(options.timed):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        step()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    row = {"wall": wall, "step": statistics.median(times), "losses": [x.item() for x in losses], **first, **made}
    row["device"] = device_times(torch, step)
    if options.one == "tritcc":
        report = tritcc.triton.report()
        row.update(
            by_tritcc=len(report.compiled),
            by_triton=[f"{e.name}: {e.reason}" for e in report.fallbacks + report.rejected],
        )
    print(json.dumps(row))


def child(compiler, model, threads, mode, options):
    keep = options.keep and os.path.join(os.path.abspath(options.keep), f"{model}-{mode}-{compiler}")
    folder = keep or tempfile.mkdtemp(prefix="torch-compile-")
    environment = dict(
        os.environ,
        TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"),
        TRITON_CACHE_DIR=os.path.join(folder, "triton"),
    )
    words = [
        sys.executable,
        os.path.abspath(__file__),
        model,
        "--one",
        compiler,
        "--threads",
        str(threads),
        "--modes",
        mode,
        "--steps",
        str(options.steps),
        "--timed",
        str(options.timed),
    ]
    if compiler == "tritcc":
        environment["TRITCC"] = "1"
    run = subprocess.run(words, env=environment, capture_output=True, text=True)
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    if run.returncode:
        print(
            f"{model} {mode} threads={threads} {compiler}: FAILED\n{run.stdout[-1000:]}\n{run.stderr[-4000:]}",
            flush=True,
        )
        return None
    return json.loads(run.stdout.strip().split("\n")[-1])


def compare(model, threads, mode, options):
    """The rows of both compilers; False where one failed or results differ."""
    rows = {}
    for compiler in ("triton", "tritcc"):
        row = rows[compiler] = child(compiler, model, threads, mode, options)
        if row:
            print(
                f"{model:7} {mode:8} threads={threads:<2} {compiler:6} wall {row['wall']:6.2f} s  triton.compile "
                f"{row['compile']:6.2f} s ({row['kernels']} kernels), ptxas {row['ptxas']:6.2f} s  "
                f"step {row['step']:7.3f} ms  device {sum(row['device'].values()):7.3f} ms  "
                f"static {row['static']}, dynamic {row['dynamic']}",
                flush=True,
            )
    ours, theirs = rows["tritcc"], rows["triton"]
    if not ours or not theirs:
        return False
    error = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(ours["losses"], theirs["losses"]))
    without = [r["compile"] - r["ptxas"] for r in (ours, theirs)]
    ratios = f"step {theirs['step'] / ours['step']:.3f}x wall {ours['wall'] / theirs['wall']:.2f}"
    if theirs["compile"] and threads == 1:
        ratios += f" compile {ours['compile'] / theirs['compile']:.2f} without ptxas {without[0] / without[1]:.2f}"
    print(
        f"{model:7} {mode:8} threads={threads:<2} {ratios}  losses differ by {error:.1e} of {theirs['losses'][-1]:.5f}  "
        f"{ours['by_tritcc']} kernels by tritcc, {len(ours['by_triton'])} not",
        flush=True,
    )
    for name, ms in ours["device"].items():
        if name in theirs["device"] and ms > 1.02 * theirs["device"][name] + 0.001:
            print(f"    {name}: {ms:.4f} ms, {theirs['device'][name]:.4f} by Triton", flush=True)
    for line in ours["by_triton"]:
        print("    " + line.split("\n")[0], flush=True)
    if error > 5e-3:
        print(f"    DIFFERENT: {ours['losses']}\n               {theirs['losses']}", flush=True)
    return error <= 5e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--threads", default="1,8")
    parser.add_argument("--modes", default="default")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--timed", type=int, default=100)
    parser.add_argument("--keep")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.models = options.models or list(MODELS)
    if options.one:
        return run_one(options)
    is_good = True
    for model in options.models:
        for mode in options.modes.split(","):
            for threads in options.threads.split(","):
                is_good &= compare(model, int(threads), mode, options)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
