"""Signatures for the kernels of packages that come without any: guessed, and kept when Triton accepts them.

usage: guess.py PACKAGES FOLDER... [-o ROWS.jsonl]

FOLDER: below PACKAGES, searched for *.py. Writes one row per kernel in the format of peer.py. A parameter is a
pointer when an address starts with it; constants come from configurations, defaults, heuristics and names.
What Triton rejects is tried again with other types and values, some twenty times.
"""
import argparse
import ast
import itertools
import json
import os
import random
import re
import sys
import time
import warnings

import peer
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

TARGET = GPUTarget("cuda", 90, 32)
ADDRESSED = {"load", "store", "make_block_ptr", "make_tensor_descriptor"}


def chain(fn):
    """The function inside its decorators, with the constants that they give."""
    constants, heuristics = {}, {}
    while not isinstance(fn, JITFunction):
        if isinstance(fn, (peer.Nothing, type(triton))):
            return None, None, None
        for config in getattr(fn, "configs", None) or []:
            for k, v in config.kwargs.items():
                constants.setdefault(k, v)
            break
        heuristics.update(getattr(fn, "values", None) or {})
        fn = getattr(fn, "fn", None)
        if fn is None:
            return None, None, None
    return fn, constants, heuristics


class Uses(ast.NodeVisitor):
    """Which names addresses start with, and what constants are compared with."""

    def __init__(self, tree):
        self.bases, self.assigned, self.strings, self.tested, self.sizes = set(), {}, {}, set(), set()
        self.visit(tree)
        for _ in range(4):
            for name in list(self.bases):
                self.bases |= self.assigned.get(name, set())

    def first(self, node):
        while True:
            if isinstance(node, ast.BinOp):
                node = node.left
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "cast"):
                node = node.func.value
            elif isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute) and \
                    node.func.attr in ("multiple_of", "max_contiguous", "advance"):
                node = node.args[0]
            else:
                return node.id if isinstance(node, ast.Name) else None

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ADDRESSED or name.startswith("atomic_"):
            first = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("pointer", "base")), None)
            if first is not None:
                self.bases.add(self.first(first))
        if name in ("arange", "zeros", "full", "make_block_ptr"):
            self.sizes |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        self.generic_visit(node)

    def bind(self, target, value):
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, set()).add(self.first(value))

    def visit_Assign(self, node):
        for target in node.targets:
            self.bind(target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)

    def visit_Compare(self, node):
        if isinstance(node.left, ast.Name) and isinstance(node.comparators[0], ast.Constant):
            if isinstance(node.comparators[0].value, str):
                self.strings.setdefault(node.left.id, node.comparators[0].value)
        self.generic_visit(node)

    def visit_If(self, node):
        self.tested |= {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
        self.generic_visit(node)


class Arguments(dict):
    """What a heuristic sees."""

    def __missing__(self, key):
        return 1024


def constant(name, uses, known, heuristics):
    if name in known:
        return [known[name]]
    if name in heuristics:
        try:
            return [heuristics[name](Arguments(known)), 64, True]
        except Exception:
            pass
    if name in uses.strings:
        return [uses.strings[name]]
    if re.search("dtype|DTYPE|_ty$", name):
        return [tl.float32, tl.float16, tl.int32]
    if name in uses.sizes or re.search("BLOCK|SIZE|TILE|DIM|_[MNK]$|^B[MNKCTSVD]$", name):
        return [64, 32, 16, 128, 1, True]
    if name in uses.tested:
        return [True, False, 1, None]
    return [1, 64, True, 2, tl.float32, None]


def guesses(fn, known, heuristics):
    """Signatures and constants, the likeliest first."""
    uses = Uses(fn.parse())
    chance = random.Random(fn.fn.__name__)
    options = {}
    for p in fn.params:
        if p.is_constexpr:
            if p.has_default and p.name not in known and p.name not in heuristics:
                options[p.name] = [("constexpr", p.default)]
            else:
                options[p.name] = [("constexpr", v) for v in constant(p.name, uses, known, heuristics)]
        elif p.name in uses.bases or re.search("ptr|Ptr|pointer", p.name):
            options[p.name] = [("*fp32", None), ("*fp16", None), ("*i64", None), ("*i32", None), ("*bf16", None)]
        elif re.search("eps|scale|alpha|beta|^lr|prob|^p$|value|weight_decay|momentum|temperature|softcap", p.name):
            options[p.name] = [("fp32", None), ("i32", None), ("*fp32", None)]
        else:
            options[p.name] = [("i32", None), ("fp32", None), ("*fp32", None), ("i64", None)]
    names = list(options)
    yield {n: options[n][0] for n in names}
    for n in names:
        for other in options[n][1:3]:
            yield {**{m: options[m][0] for m in names}, n: other}
    for _ in itertools.count():
        yield {n: chance.choice(options[n]) if chance.random() < 0.3 else options[n][0] for n in names}


def spelled(v):
    if isinstance(v, tl.constexpr):
        v = v.value
    return {"dtype": v.name} if isinstance(v, tl.dtype) else v


def find_rows(packages, path):
    try:
        module = peer.load(path, packages)
    except BaseException as error:
        print("cannot import", path, repr(error)[:120], file=sys.stderr)
        return
    for name, value in list(vars(module).items()):
        try:
            fn, known, heuristics = chain(value) if hasattr(value, "fn") else (None, None, None)
        except Exception:
            continue
        if fn is None or fn.fn.__name__ != name or fn.module != module.__name__ or re.search(r"^\s*return\s+\S", fn.src, re.M):
            continue
        end = time.time() + 10
        for guess in itertools.islice(guesses(fn, known, heuristics), 24):
            if time.time() > end:
                break
            row = {"file": os.path.relpath(path, packages), "kernel": name, "params": [[n, int(t == "constexpr")] for n, (t, _) in guess.items()],
                   "signature": {n: t for n, (t, _) in guess.items()},
                   "constexprs": {n: spelled(v) for n, (t, v) in guess.items() if t == "constexpr"},
                   "div16": [n for n, (t, _) in guess.items() if t.startswith("*")]}
            try:
                json.dumps(row)
                peer.theirs(json.loads(json.dumps(row)), path, packages, TARGET)
            except Exception:
                continue
            yield row
            break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packages")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("-o", default="/dev/stdout")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    peer.prepare(TARGET)
    with open(options.o, "w") as out:
        for folder in options.folders:
            for root, _, files in sorted(os.walk(os.path.join(options.packages, folder))):
                if "backends" in root: # of other vendors
                    continue
                for file in sorted(f for f in files if f.endswith(".py") and f != "__init__.py"):
                    for row in find_rows(options.packages, os.path.join(root, file)):
                        out.write(json.dumps(row) + "\n")
                        out.flush()


if __name__ == "__main__":
    main()
