#!/usr/bin/env python3
"""What torch.compile's kernels take to compile, by Triton and by tritcc's plug-in, without ptxas. No GPU is needed.

usage: kept.py [--rounds N] FOLDER...

FOLDER is one that `torch_compile.py --keep` has left, MODEL-MODE-COMPILER. Each round is a fresh process for each compiler,
with empty caches, that compiles the first configuration of each of Inductor's kernels once for sm_90, as Inductor asks
for it. Printed are the medians of all rounds: wall clock and processor time of this process in triton.compile, less
what ptxas takes. torch, Triton and tritcc must be importable.
"""

import argparse
import glob
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def kernels_of(folder):
    """Inductor's kernels of a kept folder, as it has them in its hands."""
    from torch._inductor.runtime import triton_helpers, triton_heuristics

    triton_helpers.set_driver_to_gpu = lambda: None
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "inductor", "*", "*.py"))):
        with open(path) as file:
            text = file.read()
        if "@triton_heuristics" not in text or "async_compile" in text:
            continue
        spec = importlib.util.spec_from_file_location("kept" + os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found += [k for k in vars(module).values() if isinstance(k, triton_heuristics.CachingAutotuner)]
    return found


def source_of(kernel):
    """(the source, its options) of a kernel's first configuration."""
    from triton.compiler import ASTSource

    meta, chosen, names = kernel.triton_meta, kernel.configs[0], kernel.fn.arg_names
    types = {**meta["signature"], **dict.fromkeys(chosen.kwargs, "constexpr")}
    constants = {**meta["constants"], **chosen.kwargs}
    source = ASTSource(
        kernel.fn,
        {name: types[name] for name in names if name in types},
        {name: value for name, value in constants.items() if name in names},
        meta["configs"][0],
    )
    options = {"num_warps": chosen.num_warps, "num_stages": chosen.num_stages}
    return source, {**options, "debug": True, "sanitize_overflow": False}


class Clock:
    """Seconds of wall clock and of the processor."""

    def __init__(self):
        self.spent = [0.0, 0.0]

    def run(self, function, *args, **kwargs):
        begin, used = time.perf_counter(), time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            self.spent[0] += time.perf_counter() - begin
            self.spent[1] += time.process_time() - used


def run_one(compiler, folder):
    """One round, in this process: a line of JSON."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.runtime import cache

    whole, ptxas, plain = Clock(), Clock(), CUDABackend.make_cubin
    CUDABackend.make_cubin = lambda *args: ptxas.run(plain, *args)
    if compiler == "tritcc":
        import tritcc.triton

        tritcc.triton.install(strict=True, warnings=False)
    cache.triton_key()  # of the installation, which Inductor asks for before it compiles
    kernels = [source_of(kernel) for kernel in kernels_of(folder)]
    for source, options in kernels:
        whole.run(triton.compile, source, target=GPUTarget("cuda", 90, 32), options=options)
    print(json.dumps([len(kernels), *[a - b for a, b in zip(whole.spent, ptxas.spent)]]))


def child(compiler, folder):
    caches = tempfile.mkdtemp(prefix="kept-")
    try:
        words = [sys.executable, "-W", "ignore", os.path.abspath(__file__), "--one", compiler, folder]
        run = subprocess.run(words, env=dict(os.environ, TRITON_CACHE_DIR=caches), stdout=subprocess.PIPE, check=True)
        return json.loads(run.stdout.decode().strip().split("\n")[-1])
    finally:
        shutil.rmtree(caches, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return run_one(options.one, options.folders[0])
    for folder in options.folders:
        rounds = {"triton": [], "tritcc": []}
        for _ in range(options.rounds):
            for compiler, rows in rounds.items():
                rows.append(child(compiler, folder))
        medians = {compiler: [statistics.median(column) for column in zip(*rows)] for compiler, rows in rounds.items()}
        model = os.path.basename(os.path.normpath(folder)).partition("-")[0]
        for compiler, (count, wall, used) in medians.items():
            print(f"kept {model} {count} kernels {compiler} wall {wall:.3f} s processor {used:.3f} s", flush=True)
        ours, theirs = medians["tritcc"], medians["triton"]
        print(f"{model}: wall {ours[1] / theirs[1]:.3f} of Triton's, processor {ours[2] / theirs[2]:.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
