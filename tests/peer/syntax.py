#!/usr/bin/env python3
"""Checks that tritcc and upstream Triton read each other's ttir and ttgir.

usage: syntax.py TRITCC FILE...

Runs under a Python that has the package triton. For each file: tritcc's print of it must be read by
upstream's parser, upstream's print of that must be read by tritcc, and tritcc's print of both must
be the same. Not part of `make check`: it wants the peer. Forms that the installed peer is too old
for are named in its message."""
import subprocess
import sys
import tempfile

from triton._C.libtriton import ir, nvidia


def upstream(path):
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    return str(ir.parse_mlir_module(path, context))


def ours(tritcc, path):
    done = subprocess.run([tritcc, "-x", "ttir", path, "-passes=", "-o", "-"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None, done.stderr


def write(folder, name, text):
    path = f"{folder}/{name}"
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def check(tritcc, path):
    with tempfile.TemporaryDirectory() as folder:
        first, errors = ours(tritcc, path)
        if first is None:
            return "tritcc rejects it: " + errors
        try:
            theirs = upstream(write(folder, "ours.mlir", first))
        except RuntimeError as error:
            return f"upstream rejects tritcc's print: {error}"
        second, errors = ours(tritcc, write(folder, "theirs.mlir", theirs))
        if second is None:
            return "tritcc rejects upstream's print: " + errors
        return None if first == second else "the prints differ"


def main():
    tritcc, *paths = sys.argv[1:]
    failed = 0
    for path in paths:
        problem = check(tritcc, path)
        failed += problem is not None
        print(f"{'not ok' if problem else 'ok'} {path}" + (f": {problem}" if problem else ""), flush=True)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
