#!/usr/bin/env python3
"""Compiles the kernels of installed packages and tabulates what becomes of them.

usage: corpus.py TRITCC ROWS.jsonl PACKAGES [-k WORD] [-v] [-o TABLE] [-j N] [--seconds N] [--emit KIND] [--arch ARCH] [--list]

ROWS.jsonl: one specialisation a line: file, kernel, params, signature, constexprs, div16, num_warps. PACKAGES: folders,
with ':' between them; a row is compiled from the first that has its kernel with its parameters.
A row is compiled, rejected (with the code of the first error), crashed, or its file or kernel is not there.
--list compiles nothing: lines "source | options", as tests/fingerprint.sh -l has them of the tree's own kernels.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "int1": "int1"}


def spell(v):
    if isinstance(v, dict):
        return "tl." + DTYPES.get(v["dtype"], v["dtype"]) if "dtype" in v else v["jit"]
    return repr(tuple(v)) if isinstance(v, list) else repr(v)


def signature(row):
    parts = []
    for name, _ in row["params"]:
        if name in row["constexprs"]:
            parts.append("%s=%s" % (name, spell(row["constexprs"][name])))
        else:
            parts.append("%s=%s%s" % (name, row["signature"][name], ":16" if name in row.get("div16", []) else ""))
    return "%s(%s)" % (row["kernel"], ", ".join(parts))


def specialisation(row, root):
    """What makes the row of its file."""
    return ["-I", root, "-num-warps=%d" % row.get("num_warps", 4), "-k", row["kernel"], "-sig", signature(row)]


def command(options, row, root):
    kind = ["-emit=%s=-" % options.emit] if options.emit else ["-passes="]
    path = os.path.join(root, row["file"])
    return [options.tritcc] + kind + ["-arch=" + options.arch] + specialisation(row, root) + [path]


def list_rows(options, rows):
    for row in rows:
        root, _ = find_root(options, row)
        if root:
            print(os.path.join(root, row["file"]) + " | " + shlex.join(specialisation(row, root)))


def find_root(options, row):
    """The folder whose version of the file has the kernel with these parameters, and what is wrong with the others."""
    why = "no file"
    for root in options.packages.split(":"):
        path = os.path.join(root, row["file"])
        if not os.path.exists(path):
            continue
        head = re.search(r"^\s*def %s\((.*?)\)[^()]*:$" % re.escape(row["kernel"]), open(path, encoding="utf-8").read(), re.M | re.S)
        if head and all(re.search(r"\b%s\b" % re.escape(name), head.group(1)) for name, _ in row["params"]):
            return root, None
        why = "other parameters" if head else "no kernel"
    return None, why


def compile_row(options, row):
    root, why = find_root(options, row)
    if why:
        return why, []
    words = command(options, row, root)
    try:
        run = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return "crashed", ["no end after %d s" % options.seconds]
    if run.returncode == 0:
        return "compiled", []
    lines = run.stderr.split("\n")
    if options.v:
        shown = lines[:30] + ["$ " + shlex.join(words)]
    else:
        shown = [line for line in lines if "error:" in line][:2] or lines[:5]
    if run.returncode not in (1, 2):
        return "crashed", ["status %d" % run.returncode] + shown
    return "rejected " + first_code(run.stderr), shown


def first_code(text):
    code = re.search(r"error: .*\[(TRI-\d+)\]", text)
    return code.group(1) if code else "without a code"


def read_options(seconds, **defaults):
    """The command line that the tools over ROWS.jsonl share, and the rows it picks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tritcc")
    parser.add_argument("rows")
    parser.add_argument("packages")
    parser.add_argument("-k", default="", help="only rows with this text in FILE:KERNEL")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-o", metavar="TABLE", help="a line for every row: outcome, number, file, kernel")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=seconds)
    parser.add_argument("--emit")
    parser.add_argument("--arch")
    parser.add_argument("--list", action="store_true")
    parser.set_defaults(**defaults)
    options = parser.parse_args()
    options.tritcc = os.path.abspath(options.tritcc)
    options.packages = ":".join(os.path.abspath(p) for p in options.packages.split(":"))
    rows = [json.loads(line) for line in open(options.rows)]
    return options, [row for row in rows if options.k in row["file"] + ":" + row["kernel"]]


def tabulate(options, rows, run):
    """run(row) -> (outcome, what to show of it) for every row, side by side; shows what is told and the counts, which it returns."""
    counts = collections.Counter()
    table = open(options.o, "w") if options.o else None
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for number, (row, (outcome, lines)) in enumerate(zip(rows, pool.map(run, rows))):
            counts[outcome] += 1
            if table:
                table.write("%s\t%d\t%s\t%s\n" % (outcome, number, row["file"], row["kernel"]))
                table.flush()
            if lines:
                print("%s: %d %s:%s" % (outcome, number, row["file"], row["kernel"]))
                print("    " + "\n    ".join(lines), flush=True)
    for outcome, n in sorted(counts.items()):
        print("%5d %s" % (n, outcome))
    return counts


def main():
    options, rows = read_options(120, arch="sm_90")
    if options.list:
        return list_rows(options, rows)
    counts = tabulate(options, rows, lambda row: compile_row(options, row))
    return 1 if any(k.startswith(("rejected", "crashed")) for k in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
