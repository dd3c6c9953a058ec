#!/usr/bin/env python3
"""Times triton.compile() of kernels for sm_90, by tritcc's plug-in and by Triton, warm, in one process. No GPU is needed.

usage: compile_time.py [KERNEL...] [--runs N]

Columns: milliseconds of wall clock and of processor time (this process, without ptxas; caches are empty each time).
KERNEL: vadd softmax layernorm matmul attention, or all. tritcc must be importable; KERNELS come from bench/ and examples/.
"""

import argparse
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench", "compile"))


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measured(make, target, options, runs):
    """(wall, wall without ptxas, processor time of this process), medians in ms."""
    import triton
    from triton.backends.nvidia.compiler import CUDABackend

    spent = [0.0]
    plain = CUDABackend.make_cubin

    def make_cubin(*args):
        start = time.perf_counter()
        try:
            return plain(*args)
        finally:
            spent[0] = time.perf_counter() - start

    CUDABackend.make_cubin = make_cubin
    rows = []
    try:
        for _ in range(runs + 1):
            os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
            begin, used = time.perf_counter(), processor()
            kernel = triton.compile(make(), target=target, options=options)
            wall = time.perf_counter() - begin
            rows.append((wall * 1e3, (wall - spent[0]) * 1e3, (processor() - used) * 1e3))
            shutil.rmtree(os.environ["TRITON_CACHE_DIR"], ignore_errors=True)
    finally:
        CUDABackend.make_cubin = plain
    return [statistics.median(column) for column in zip(*rows[1:])], kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    import with_triton
    from triton.backends.compiler import GPUTarget

    import tritcc.triton

    names = options.kernels or list(with_triton.KERNELS)
    print(f"{'':10} {'wall':>24} {'without ptxas':>24} {'processor':>24}")
    for name in names:
        file, function, types, warps = with_triton.KERNELS[name]
        kernel = with_triton.load(os.path.join(ROOT, file), function)
        settings = {"num_warps": warps, "num_stages": 3}
        target = GPUTarget("cuda", 90, 32)
        tritcc.triton.install(strict=True, warnings=False)
        ours, made = measured(lambda: with_triton.source(kernel, types), target, settings, options.runs)
        assert "tritcc.kernel" in made.asm["ptx"]
        tritcc.triton.uninstall()
        theirs, _ = measured(lambda: with_triton.source(kernel, types), target, settings, options.runs)
        cells = [f"{a:8.1f} {b:8.1f} {a / b:5.2f}x" for a, b in zip(ours, theirs)]
        print(f"{name:10} " + " ".join(cells), flush=True)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
