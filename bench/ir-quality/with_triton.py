#!/usr/bin/env python3
"""Writes the ttir of kernels, and the ttgir that an installed Triton makes of it, for run.sh.

usage: with_triton.py ROWS.jsonl PACKAGES FOLDER [-k WORD] [-n COUNT] [--arch 80]

ROWS.jsonl and PACKAGES are those of tests/peer/peer.py; FlagGems wants GEMS_VENDOR=nvidia in the
environment. FOLDER gets N-kernel.ttir, N-kernel.ttgir, N-kernel.shared, the bytes of shared memory
that Triton's lowering asks for, and N-kernel.options, the options of tritcc that both were made
with. At most COUNT rows, evenly spread.
"""
import argparse
import json
import os
import re
import sys
import tempfile

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/peer"))
import peer
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend


def compile_row(row, options):
    path = os.path.join(options.packages, row["file"])
    module = peer.load(path, options.packages)
    fn = peer.unwrap(getattr(module, row["kernel"]))
    constants = {k: peer.value(v, module) for k, v in row["constexprs"].items()}
    attrs = {(fn.arg_names.index(n),): [["tt.divisibility", 16]] for n in row.get("div16", [])}
    source = ASTSource(fn, row["signature"], {(fn.arg_names.index(k),): v for k, v in constants.items()}, attrs)
    backend = make_backend(GPUTarget("cuda", options.arch, 32))
    given = {k: row[k] for k in ("num_warps", "num_stages") if k in row}
    chosen = backend.parse_options(given)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    made = source.make_ir(backend.target, chosen, backend.get_codegen_implementation(chosen), backend.get_module_map(), context)
    stages, metadata = {}, {}
    backend.add_stages(stages, chosen, source.language)
    ttir = stages["ttir"](made, metadata)
    text = ttir.str_nodebug()
    ttgir = stages["ttgir"](ttir, metadata)
    ttgir_text = ttgir.str_nodebug()
    stages["llir"](ttgir, metadata)
    return text, ttgir_text, metadata["shared"], chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("packages")
    parser.add_argument("folder")
    parser.add_argument("-k", default="")
    parser.add_argument("-n", type=int, default=0)
    parser.add_argument("--arch", type=int, default=80)
    options = parser.parse_args()
    sys.meta_path.append(peer.Missing())
    rows = [json.loads(line) for line in open(options.rows) if options.k in line]
    rows = [r for r in rows if os.path.exists(os.path.join(options.packages, r["file"]))]
    if options.n and options.n < len(rows):
        rows = [rows[i * len(rows) // options.n] for i in range(options.n)]
    os.makedirs(options.folder, exist_ok=True)
    done = 0
    for i, row in enumerate(rows):
        try:
            ttir, ttgir, shared, chosen = compile_row(row, options)
        except Exception as error:
            print("%s: %s" % (row["kernel"], re.sub(r"\s+", " ", str(error))[:150]), file=sys.stderr)
            continue
        name = os.path.join(options.folder, "%04d-%s" % (i, row["kernel"]))
        for suffix, text in (("ttir", ttir), ("ttgir", ttgir), ("shared", "%d\n" % shared),
                             ("options", "-num-warps=%d -num-stages=%d\n" % (chosen.num_warps, chosen.num_stages))):
            with open(name + "." + suffix, "w") as file:
                file.write(text)
        done += 1
    print("%d of %d kernels" % (done, len(rows)))


if __name__ == "__main__":
    main()
