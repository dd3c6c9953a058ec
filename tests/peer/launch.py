#!/usr/bin/env python3
"""Compiles the kernels of installed packages for this host with the sanitizers, and launches them.

usage: launch.py TRITCC ROWS.jsonl PACKAGES [-k WORD] [-v] [-o TABLE] [-j N] [--seconds N] [--arch ARCH]

ROWS.jsonl is what corpus.py reads. Every kernel gets synthetic arguments: arrays that are large beside its blocks,
floats of about 1, zeros as indices, small integers for sizes and strides. A launch is clean, reports (AddressSanitizer,
bounds or undefined), fails with an error, takes too long, or crashes; kernels that wait for others or take tables of addresses are
not launched.
"""
import os
import re
import subprocess
import sys
import tempfile

import corpus

BYTES = 32 << 20
ABSENT = ("no file", "no kernel", "other parameters")

MAIN = """#include "k.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *array(int kind, uint64_t bytes)
{
    char *p = aligned_alloc(64, bytes);
    memset(p, 0, bytes);
    for (uint64_t i = 0; kind == 4 && i < bytes / 4; i++)
        ((float *)p)[i] = 0.5f + (float)(i %% 7) / 8;
    for (uint64_t i = 0; kind == 2 && i < bytes / 2; i++)
        ((uint16_t *)p)[i] = 0x3c00; /* about 1 in both formats of 16 bits */
    return p;
}

int main(void)
{
    tri_grid grid = {%s};
    int error = %s_checked(NULL, grid%s);
    if (error)
        fprintf(stderr, "error %%d: %%s\\n", error, tri_strerror(error));
    return error ? 1 : 0;
}
"""


def kind_of(pointee):
    if pointee in ("fp32", "f32"):
        return 4
    return 2 if pointee in ("fp16", "bf16") else 0


def arguments(row):
    """The C expressions of a launch, or None and the reason."""
    out = []
    for name, _ in row["params"]:
        if name in row["constexprs"]:
            continue
        kind = row["signature"][name]
        if kind.startswith("**") or kind.startswith("tensordesc"):
            return None, kind
        if kind.startswith("*"):
            out += ["array(%d, %dULL)" % (kind_of(kind.lstrip("*k")), BYTES), "%dULL" % BYTES]
        elif kind.startswith(("fp", "bf", "f")):
            out.append("1")
        elif kind in ("i1", "u1"):
            out.append("1")
        else:
            out.append("64" if name in row.get("div16", []) else "33")
    return out, ""


def shell(words, folder, seconds):
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds,
                              env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    except subprocess.TimeoutExpired:
        return None


def launch_row(options, row):
    root, why = corpus.find_root(options, row)
    if root is None:
        return why, ""
    args, reason = arguments(row)
    if args is None:
        return "not launched", "an argument is " + reason
    with tempfile.TemporaryDirectory() as folder:
        words = corpus.command(options, row, root)
        words[1:2] = ["-emit=obj=k.o,header=k.h", "-fsanitize=address,bounds,undefined"]
        run = shell(words, folder, 300)
        if run is None or run.returncode not in (0, 1, 2):
            return "compiler crashed", run.stderr if run else "no end after 300 s"
        if run.returncode:
            return "rejected " + corpus.first_code(run.stderr), run.stderr
        grid = [min(int(g), 2) for g in row.get("grid") or [1]][:3]
        grid += [1] * (3 - len(grid))
        call = "".join(", " + a for a in args)
        with open(os.path.join(folder, "main.c"), "w") as f:
            f.write(MAIN % (", ".join(map(str, grid)), row["kernel"], call))
        run = shell(["cc", "-O1", "-w", "-fsanitize=address", "main.c", "k.o", "-o", "main", "-lm"], folder, 100)
        if run is None or run.returncode:
            return "not linked", run.stderr if run else ""
        run = shell(["./main"], folder, options.seconds)
        if run is None:
            return "too long", ""
        if "AddressSanitizer" in run.stderr:
            return "sanitizer report", run.stderr
        if re.search(r"error [89]:", run.stderr):
            return "bounds report", run.stderr
        if run.returncode == 0:
            return "clean", ""
        return ("error" if run.returncode == 1 else "crashed"), run.stderr


def show(options, outcome, detail):
    if outcome in ABSENT + ("clean",):
        return []
    lines = detail.split("\n")
    return lines[:40] if options.v else [line for line in lines if line.strip("= ")][:4]


def main():
    options, rows = corpus.read_options(60, arch="native", emit="obj")

    def run(row):
        outcome, detail = launch_row(options, row)
        return outcome, show(options, outcome, detail)
    counts = corpus.tabulate(options, rows, run)
    return 0 if set(counts) <= {"clean", "not launched", *ABSENT} else 1


if __name__ == "__main__":
    sys.exit(main())
