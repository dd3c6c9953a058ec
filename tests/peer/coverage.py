#!/usr/bin/env python3
"""Tries the kernels of targets/linalg/coverage.list with the vendor's converter, and writes what its last column should be.

usage: coverage.py TRITCC CONVERTER LIST >NEW

CONVERTER: triton-adapter-opt of the wheel triton_ascend, which needs no NPU. Each kernel goes to TTIR as Triton 3.6 writes
it. Ends with 1 when a row said something else; why the converter took a row's kernel not goes to stderr.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ascend import LEFT, PASSES

HEAD = """import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def product(u, v):
    return u * v


@triton.jit
def k(a, b, s, o, n):
    i = tl.arange(0, 64)
"""


def converts(tritcc, converter, body, folder):
    """None, or what is said against it."""
    kernel, ttir = os.path.join(folder, "k.tri"), os.path.join(folder, "k.ttir")
    is_ttir = body[0].startswith("tt.func")
    types = ["-x", "ttir"] if is_ttir else ["-sig", "k(*fp32, *fp32, *i32, *fp32, i32)"]
    with open(kernel, "w") as out:
        out.write("".join(body) if is_ttir else HEAD + "".join("    " + line for line in body))
    made = subprocess.run([tritcc, "-w", "-fdevice-assert", "-arch=ascend910b", "-femit-upstream=3.6", "-emit=ttir=" + ttir]
                          + types + [kernel], capture_output=True, text=True)
    if made.returncode:
        return made.stderr.split("\n")[0]
    done = subprocess.run([converter, ttir] + PASSES, capture_output=True, text=True, errors="replace", timeout=120)
    said = [line for line in done.stderr.split("\n") if "error:" in line or "Assertion" in line]
    if done.returncode == 0:
        left = LEFT.search(done.stdout)
        return left.group() + " is left" if left else None
    return (said or ["status %d" % done.returncode])[0]


def main():
    tritcc, converter, path = sys.argv[1:4]
    lines = open(path).read().split("\n")[:-1]
    changed = False
    with tempfile.TemporaryDirectory() as folder:
        for at, line in enumerate(lines):
            if line.startswith("## "):
                end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("## ")), len(lines))
                why = converts(os.path.abspath(tritcc), converter, [text + "\n" for text in lines[at + 1:end]], folder)
                row = line.rsplit("|", 1)[0] + "| " + ("no" if why else "yes")
                if why:
                    print("%s: %s" % (line[3:].split("|")[0], why), file=sys.stderr)
                changed |= row != line
                line = row
            print(line)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
