#!/usr/bin/env python3
"""Compares tritcc's modules for Ascend with those of the vendor's own converter, and lets that read ours.

usage: ascend.py TRITCC CONVERTER ROWS.jsonl|FILE.tri|FILE.list... [--packages FOLDERS] [-k WORD] [-v] [-o TABLE] [--arch ARCH]

CONVERTER: triton-adapter-opt of the wheel triton_ascend, which needs no NPU. ROWS.jsonl as for tests/peer/corpus.py (with
--packages); FILE.tri: kernels whose parameters are annotated with their types; FILE.list: lines `source | options`, as
`tests/fingerprint.sh -l` writes them of all kernels of tests/, bench/ and examples/, relative to the current folder.
Each kernel goes to TTIR as Triton 3.6 writes it, which the converter takes, and to linalg by tritcc. Compared are the
function's arguments and attributes, and how often each operation of STRUCTURE occurs; the converter must read our text.
An outcome is `same`, `other` (with what differs), `ours alone` (the converter refuses it), `theirs alone`, `unread`
(it cannot read ours: a fault). Ends with 1 when there is one of the last two.
"""
import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus

PASSES = ["--discrete-mask-access-conversion=compile-on-910-95=False force-simt-template=False", "--triton-to-annotation",
          "--triton-to-unstructure=compile-on-910-95=False force-simt-template=False", "--triton-to-hivm", "--triton-to-hfusion",
          "--triton-to-llvm", "--bubble-up-operation",
          "--triton-to-linalg=global-kernel=false named-ops=True enable-nd2nz-on-vector=False enable-select-analysis=True "
          "compile-on-910-95=False"]
LEFT = re.compile(r'(?<![\w."])"?tt\.(?!tensor_kind|divisibility|max_div|conti|const)[a-z_]+')


def passes_for(arch):
    if arch != "ascend910_95":
        return PASSES
    words = [word.replace("compile-on-910-95=False", "compile-on-910-95=True") for word in PASSES]
    return [word.replace("force-simt-template=False", "force-simt-template=True") for word in words]
# What a consumer schedules by. Loops over elements, and how tensors are filled and shaped, are each converter's own.
STRUCTURE = ["memref.reinterpret_cast", "memref.alloc", "memref.copy", "bufferization.materialize_in_destination",
             "linalg.matmul", "linalg.batch_matmul", "linalg.reduce", "linalg.transpose", "scf.for", "scf.while",
             "GenericAtomicRMW", "memref.load", "memref.store", "call @triton_indirect_load", "call @triton_indirect_store"]


def run(words, text=None, seconds=120):
    done = subprocess.run(words, input=text, capture_output=True, text=True, errors="replace", timeout=seconds)
    return done.returncode, done.stdout, done.stderr


def shape_of(text):
    """(types of arguments, attributes of the function, counts)"""
    head = re.search(r"func\.func @\S+?\((.*?)\) attributes \{(.*)\} \{$", text, re.M)
    arguments = []
    for piece in re.split(r", (?=%)", head.group(1)) if head else []:
        kind = re.search(r"tt\.tensor_kind = (\d)", piece)
        typed = re.match(r"%[\w.]+: (\S+)", piece)
        arguments.append((typed.group(1) if typed else piece, kind.group(1) if kind else None))
    named = dict(re.findall(r"(\w+) = (\"\w*\"|\d+)", re.sub(r"tritcc\.kernel = .*", "", head.group(2)))) if head else {}
    counts = collections.Counter()
    for word in STRUCTURE:
        counts[word] = len(re.findall(re.escape(word) + r"(?:_\d+)?\b", text))
    return arguments, named, counts


def differences(ours, theirs):
    mine, other = shape_of(ours), shape_of(theirs)
    found = []
    if [a for a, _ in mine[0]] != [a for a, _ in other[0]]:
        found.append("arguments %s, not %s" % (mine[0], other[0]))
    elif mine[0] != other[0]:
        found.append("tensor kinds %s, not %s" % ([k for _, k in mine[0]], [k for _, k in other[0]]))
    if mine[1] != other[1]:
        found.append("attributes %s, not %s" % (mine[1], other[1]))
    found += ["%s %d, not %d" % (w, mine[2][w], other[2][w]) for w in STRUCTURE if mine[2][w] != other[2][w]]
    return found


def compare(options, words):
    """words: how tritcc is asked for the kernel, without kind and file"""
    status, ours, errors = run([options.tritcc, "-emit=linalg=-", "-arch=" + options.arch] + words)
    code, ttir, complaint = run([options.tritcc, "-emit=ttir=-", "-arch=" + options.arch, "-femit-upstream=3.6"] + words)
    if code:
        return "no ttir", [complaint.split("\n")[0]]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(ttir)
        file.flush()
        there, theirs, why = run([options.converter, file.name] + passes_for(options.arch))
    if there == 0 and LEFT.search(theirs):
        there, why = 1, "error: %s is left" % LEFT.search(theirs).group()
    if status:
        message = next((line for line in errors.split("\n") if "error:" in line), errors[:200])
        return ("over the buffer" if "TRI-6003" in message else "theirs alone" if there == 0 else "neither"), [message]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(ours)
        file.flush()
        read, _, unread = run([options.converter, file.name])
    if read:
        return "unread", [line for line in unread.split("\n") if "error:" in line][:2]
    if there:
        return "ours alone", ([line for line in why.split("\n") if "error:" in line] or ["status %d" % there])[:1]
    found = differences(ours, theirs)
    return ("other" if found else "same"), found


def kernels_of(path):
    """Kernels of a file all of whose parameters are annotated."""
    text = open(path, encoding="utf-8").read()
    for name, params in re.findall(r"^@triton\.jit[^\n]*\ndef (\w+)\((.*?)\):", text, re.M | re.S):
        if all(":" in p or "=" in p for p in params.split(",") if p.strip()):
            yield name


def jobs_of(options, path):
    """(name, words)"""
    if path.endswith(".jsonl"):
        for row in map(json.loads, open(path)):
            root, why = corpus.find_root(options, row)
            if root:
                yield row["file"] + ":" + row["kernel"], corpus.command(options, row, root)[3:]
            else:
                yield row["file"] + ":" + row["kernel"], why
    elif path.endswith(".list"):
        for line in open(path):
            source, _, given = line.partition("|")
            words = shlex.split(given)
            if source.strip() and not line.startswith("#") and not any(w.startswith("-arch") for w in words):
                named = [w for w in words if "(" in w] or words
                yield source.strip() + ": " + " ".join(named), ["-w"] + words + [source.strip()]
    else:
        for name in kernels_of(path):
            yield path + ":" + name, ["-k", name, path]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tritcc")
    parser.add_argument("converter")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--packages", default="")
    parser.add_argument("-k", default="")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-o", metavar="TABLE")
    parser.add_argument("--arch", default="ascend910b", help="or ascend910_95")
    parser.set_defaults(emit="linalg")
    options = parser.parse_args()
    options.tritcc = os.path.abspath(options.tritcc)
    counts, reasons = collections.Counter(), collections.Counter()
    table = open(options.o, "w") if options.o else None
    for path in options.files:
        for name, words in jobs_of(options, path):
            if options.k not in name:
                continue
            outcome, found = (words, []) if isinstance(words, str) else compare(options, words)
            counts[outcome] += 1
            for text in found:
                reasons[outcome + ": " + re.sub(r"[-\d]+", "N", text)[:100]] += 1
            if options.v and outcome != "same" or outcome in ("unread", "theirs alone"):
                print("%s: %s\n    %s" % (outcome, name, "\n    ".join(found)), flush=True)
            if table:
                table.write("%s\t%s\t%s\n" % (outcome, name, "; ".join(found)))
    for outcome, n in counts.most_common():
        print("%5d %s" % (n, outcome))
    for text, n in reasons.most_common(12):
        print("      %4d %s" % (n, text))
    return 1 if counts["unread"] or counts["theirs alone"] else 0


if __name__ == "__main__":
    sys.exit(main())
