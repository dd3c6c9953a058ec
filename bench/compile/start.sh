#!/bin/sh
# Compares two compilers' start and a small compilation: the least user + system milliseconds of RUNS (40).
#   bench/compile/start.sh OLD NEW
cd "$(dirname "$0")/../.." || exit 1
python3 - "$@" <<'P'
import os, resource, subprocess, sys
runs = int(os.environ.get("RUNS", 40))
jobs = {"--version": ["--version"],
        "vadd to PTX": ["-arch=sm_80", "-emit=ptx=/dev/null", "-sig", "*fp32:16,*fp32:16,*fp32:16,i32,1024", "examples/vadd/vadd.tri"]}
for name, words in jobs.items():
    best = {}
    for _ in range(runs):
        for compiler in sys.argv[1:]:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([compiler, *words], check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            ms = 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            best[compiler] = min(best.get(compiler, ms), ms)
    print(name + ":", ", ".join(f"{c} {ms:.1f} ms" for c, ms in best.items()))
P
