#!/usr/bin/env python3
"""Compares, kernel by kernel, the PTX of tritcc with Triton's and what ptxas makes of the two. No GPU.

usage: sweep.py TRITCC ROWS PACKAGES [-k WORD] [-n COUNT] [-v] [--arch sm_90a] [--ptxas FILE] [--keep FOLDER] [-o TABLE]
                [--with=OPTION]... [--why FILE] [--library LIBTRITCC]

ROWS is a file of rows as tests/peer/peer.py has them, with the folder PACKAGES (tests/peer/guess.py makes rows for
packages that come without; FlagGems wants GEMS_VENDOR=nvidia in the environment), or a .list as bench/gpu/kernels.list,
whose sources lie below the list (PACKAGES is '.' then). Each row is compiled from its source by both with the same
constants for the same chip; one ptxas assembles both texts. Times are of the processor, not of the clock, so that a busy
machine can measure; Triton's is taken inside one process, without its start. So is tritcc's with --library, in one context of
libtritcc.so, and both are the best of three; else it is that of a process with its start. TABLE gets a line for each row.

Columns: lines of PTX, source to PTX, ptxas, source to cubin, registers, bytes spilled. Printed are the rows in which
tritcc takes more than 1.2x of PTX lines, of ptxas or of the whole (when that is 50 ms or more), more than 1.1x of
registers as they are given to threads (eights, from 32 on), or spills more bytes; with -v all; then the geometric means
and how many rows take longer than Triton's. FILE (explained.tsv beside this script) says of rows why they are worse:
they are marked.
--keep leaves N-kernel.ours.ptx, N-kernel.theirs.ptx and N-kernel.theirs.ttgir in FOLDER, and N-kernel.command, which made
the first; what Triton took is kept as well, and taken from there when the same row is measured again.
"""
import argparse
import ast
import ctypes
import json
import math
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/peer"))
import corpus
import peer
import triton
import with_triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

COLUMNS = ("lines", "ptx_ms", "ptxas_ms", "total_ms", "regs", "spill")
DIGITS = (0, 1, 1, 1, 0, 0)
SHORT = {spelled: short for short, spelled in corpus.DTYPES.items()}
HERE = os.path.dirname(os.path.abspath(__file__))


def processor(who):
    use = resource.getrusage(who)
    return use.ru_utime + use.ru_stime


def assemble(text, options, folder):
    """(milliseconds, registers, bytes spilled)"""
    path = os.path.join(folder, "k.ptx")
    with open(path, "w") as file:
        file.write(text)
    begin = processor(resource.RUSAGE_CHILDREN)
    done = subprocess.run([options.ptxas, "-v", "-arch=" + options.arch, path, "-o", path + ".cubin"], capture_output=True, text=True,
                          timeout=300)
    spent = (processor(resource.RUSAGE_CHILDREN) - begin) * 1e3
    if done.returncode:
        raise RuntimeError("ptxas: " + done.stderr[-300:])
    spill = sum(int(n) for n in re.findall(r"(\d+) bytes spill", done.stderr))
    return spent, max(int(n) for n in re.findall(r"Used (\d+) registers", done.stderr)), spill


def command_of(row, options):
    return [options.tritcc, "-emit=ptx=-", "-arch=" + options.arch, "-I", options.packages, "-k", row["kernel"],
            "-num-warps=%d" % row.get("num_warps", 4), "-num-stages=%d" % row.get("num_stages", 3), "-sig", corpus.signature(row),
            *options.given, os.path.join(options.packages, row["file"])]


class Library:
    """One context of libtritcc.so, in which command lines run."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        if self.lib.tritcc_create(ctypes.byref(self.context)):
            raise RuntimeError("no context of " + path)

    def run(self, command):
        arguments = (ctypes.c_char_p * len(command))(*(word.encode() for word in command))
        begin = time.process_time()
        status = self.lib.tritcc_command(self.context, len(command), arguments)
        spent = (time.process_time() - begin) * 1e3
        if status:
            raise RuntimeError("tritcc: status %d of %s" % (status, shlex.join(command)))
        return spent


def in_process(row, options):
    """As ours, by a library that has compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        command = [word.replace("=ptx=-", "=ptx=" + path) for word in command_of(row, options)]
        spent = min(options.library.run(command) for _ in range(3))
        with open(path) as file:
            return file.read(), spent, shlex.join(command)


def ours(row, options):
    """(PTX, milliseconds, command)"""
    if options.library:
        return in_process(row, options)
    command = command_of(row, options)
    begin = processor(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    spent = (processor(resource.RUSAGE_CHILDREN) - begin) * 1e3
    if done.returncode:
        raise RuntimeError("tritcc: " + next((s for s in done.stderr.split("\n") if "error" in s), done.stderr[:200]))
    return done.stdout, spent, shlex.join(command)


def theirs(row, options):
    """(PTX, milliseconds, ttgir, metadata)"""
    path = os.path.join(options.packages, row["file"])
    if "name" in row: # of a list: the file's host code wants a device
        module, fn = triton.language, with_triton.load(path, row["kernel"])
    else:
        module = peer.load(path, options.packages)
        fn = peer.unwrap(getattr(module, row["kernel"]))
    constants = {k: peer.value(v, module) for k, v in row["constexprs"].items()}
    attrs = {(fn.arg_names.index(n),): [["tt.divisibility", 16]] for n in row.get("div16", [])}
    types = {**row["signature"], **{k: "constexpr" for k in constants}}
    source = ASTSource(fn, types, {(fn.arg_names.index(k),): v for k, v in constants.items()}, attrs)
    backend = make_backend(GPUTarget("cuda", int(re.sub(r"\D", "", options.arch)), 32))
    chosen = backend.parse_options({k: row[k] for k in ("num_warps", "num_stages") if k in row})
    begin = processor(resource.RUSAGE_SELF)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    value = source.make_ir(backend.target, chosen, backend.get_codegen_implementation(chosen), backend.get_module_map(), context)
    stages, metadata, ttgir = {}, {}, ""
    backend.add_stages(stages, chosen, source.language)
    for name in ("ttir", "ttgir", "llir", "ptx"):
        value = stages[name](value, metadata)
        if name == "ttgir":
            ttgir = value.str_nodebug()
    return value, (processor(resource.RUSAGE_SELF) - begin) * 1e3, ttgir, {**chosen.__dict__, **metadata}


def measured(ptx, before, options, folder):
    ms, regs, spill = assemble(ptx, options, folder)
    return [sum(1 for line in ptx.split("\n") if re.match(r"\s+[a-z@]", line)), before, ms, before + ms, regs, spill]


def keep(options, name, suffix, content):
    if options.keep:
        with open(os.path.join(options.keep, name + "." + suffix), "w") as file:
            file.write(content)


def measure_theirs(row, options, folder, name):
    """What Triton took: kept from the last time, or measured."""
    known = os.path.join(options.keep or folder, name + ".theirs.json")
    times = 3 if options.library else 1
    key = json.dumps([row, options.arch, times], sort_keys=True)
    if os.path.exists(known):
        with open(known) as file:
            before, result = json.load(file)
        if before == key:
            return result
    other, spent, ttgir, _ = min((theirs(row, options) for _ in range(times)), key=lambda found: found[1])
    result = measured(other, spent, options, folder)
    keep(options, name, "theirs.ptx", other)
    keep(options, name, "theirs.ttgir", ttgir)
    keep(options, name, "theirs.json", json.dumps([key, result]))
    return result


def measure(row, options, folder, name):
    text, spent, command = ours(row, options)
    keep(options, name, "ours.ptx", text)
    keep(options, name, "command", command + "\n")
    return measured(text, spent, options, folder), measure_theirs(row, options, folder, name)


def allocated(registers):
    """What a thread is given: eights, and a multiprocessor is full of threads of 32."""
    return max(32, (registers + 7) // 8 * 8)


def is_worse(mine, other):
    lines, _, ptxas, total, regs, spill = ((a, b) for a, b in zip(mine, other))
    return lines[0] > 1.2 * lines[1] + 20 or ptxas[0] > max(1.2 * ptxas[1], 50) or total[0] > max(1.2 * total[1], 50) or \
        allocated(regs[0]) > 1.1 * allocated(regs[1]) or spill[0] > spill[1]


def listed(path):
    """The rows of a .list: name | source | kernel | warps | stages | types and constants in the parameters' order."""
    for line in open(path):
        fields = [f.strip() for f in line.split("|")]
        if line.startswith("#") or len(fields) != 6:
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(path)), fields[1]))
        fn = with_triton.load(file, fields[2])
        row = {"file": file, "kernel": fields[2], "name": fields[0], "num_warps": int(fields[3]), "num_stages": int(fields[4]),
               "params": [[p.name, int(p.is_constexpr)] for p in fn.params], "signature": {}, "constexprs": {}, "div16": []}
        words = re.findall(r"(?:[^,\[]|\[[^]]*\])+", fields[5])
        if len(words) != len(fn.params):
            raise RuntimeError("%s: %d types for %d parameters" % (fields[0], len(words), len(fn.params)))
        for param, word in zip(fn.params, (w.strip() for w in words)):
            if word.startswith("tl."):
                row["constexprs"][param.name] = {"dtype": SHORT.get(word[3:], word[3:])}
            elif re.match(r"[-\d'TF]", word) or word == "None":
                row["constexprs"][param.name] = ast.literal_eval(word)
            else:
                row["signature"][param.name] = word.split(":")[0]
                row["div16"] += [param.name] * word.endswith(":16")
        yield row


def explanations(path):
    """Pattern of a row's name -> why it is worse."""
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def show(name, mine, other, bad, options):
    why = next((w for pattern, w in options.reasons if re.fullmatch(pattern, name)), "") if bad else ""
    if bad or options.v:
        print("%-44s" % name[:44] + "".join(" |%7.*f %7.*f %5.2f" % (DIGITS[c], a, DIGITS[c], b, a / b if b else 0)
                                             for c, (a, b) in enumerate(zip(mine, other))) +
              ("  " + why if why else ""), flush=True)
    return bad and not why


def summary(ratios, worse, seconds):
    means = (math.exp(sum(math.log(r[c]) for r in ratios) / len(ratios)) for c in range(5))
    print("%d kernels, %d worse without an explanation, %d slower from source to cubin; geometric means: %s; %.0f s" % (
        len(ratios), worse, sum(r[3] > 1 for r in ratios), ", ".join("%s %.3f" % p for p in zip(COLUMNS, means)), seconds))


def prepare():
    warnings.simplefilter("ignore")
    peer.prepare(GPUTarget("cuda", 90, 32))


def label(i, row):
    return "%04d-%s" % (i, row.get("name", row["kernel"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tritcc")
    parser.add_argument("rows")
    parser.add_argument("packages")
    parser.add_argument("-k", default="")
    parser.add_argument("-n", type=int, default=0)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-o", default=os.devnull)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--keep", default="")
    parser.add_argument("--with", dest="given", action="append", default=[], help="one more option for tritcc")
    parser.add_argument("--why", default=os.path.join(HERE, "explained.tsv"))
    parser.add_argument("--library", type=Library, help="libtritcc.so, whose compilations are measured without a process's start")
    options = parser.parse_args()
    options.reasons = explanations(options.why)
    prepare()
    rows = listed(options.rows) if options.rows.endswith(".list") else (json.loads(line) for line in open(options.rows))
    rows = list(enumerate(rows))
    rows = [(i, r) for i, r in rows if options.k in label(i, r)]
    if options.n and options.n < len(rows):
        rows = [rows[i * len(rows) // options.n] for i in range(options.n)]
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    ratios, worse = [], 0
    begin = time.time()
    heading = "%-44s" % "kernel" + "".join(" |%21s" % c for c in COLUMNS)
    print(heading)
    with tempfile.TemporaryDirectory() as folder, open(options.o, "w") as table:
        table.write("kernel\t" + "\t".join(c + "\t" + c + "_theirs" for c in COLUMNS) + "\n")
        for i, row in rows:
            name = label(i, row)
            try:
                mine, other = measure(row, options, folder, name)
            except Exception as error:
                print("%-44s  %s" % (name[:44], re.sub(r"\s+", " ", str(error))[:150]))
                continue
            ratios.append([max(a, 1e-3) / max(b, 1e-3) for a, b in zip(mine, other)])
            table.write(name + "\t" + "\t".join("%g\t%g" % p for p in zip(mine, other)) + "\n")
            worse += show(name, mine, other, is_worse(mine, other), options)
    if ratios:
        summary(ratios, worse, time.time() - begin)


if __name__ == "__main__":
    main()
