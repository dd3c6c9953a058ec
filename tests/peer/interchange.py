#!/usr/bin/env python3
"""Checks that tritcc and several releases of Triton read each other's ttir and ttgir.

usage: interchange.py dump FOLDER ROWS.jsonl|FILE.tri|FILE.py [PACKAGES] [-k WORD] [--arch ARCH,...]
       interchange.py emit TRITCC FOLDER ROWS.jsonl PACKAGES [-k WORD] [--arch ARCH,...]
       interchange.py read TRITCC FOLDER... [-k WORD] [-v] [-j N]
       interchange.py write TRITCC FOLDER... [-k WORD] [-v] [--flags "FLAG ..."]

dump, under a Python that has some release of Triton: that release's ttir and ttgir of each kernel go to
FOLDER/VERSION, as it prints them, with locations and in MLIR's generic form. FILE.py holds kernels in Gluon,
called without arguments.
emit: tritcc's own ttir and ttgir of each kernel go to FOLDER.
read: tritcc must read each of those texts, print the same text for all three forms, and read its own print
back as it was. A text with operations or attributes that tritcc does not have must be refused with
a message that has a place and names them; those are counted apart.
write, under a Python that has some release of Triton: that release's parser and verifier must accept what tritcc
prints for it (-femit-upstream, or the flags given) of each text, without and with locations, and tritcc must read what
it makes of it as the same. A text that tritcc refuses to spell for that release is counted apart.
Not part of `make check`: it wants the peer. No GPU is needed.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

ARCHS = "sm_80,sm_90,sm_100,sm_120"


# --- dump: what a release of Triton writes ----------------------------------------------------

def target_of(arch):
    from triton.backends.compiler import GPUTarget
    if arch.startswith("gfx"):
        return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    return GPUTarget("cuda", int(arch.strip("sm_")), 32)


def generic(module, context):
    """The generic form: what MLIR prints of a module that does not verify. A return outside a function
    makes it so, and is taken out of the text again."""
    from triton._C.libtriton import ir
    functions = []
    module.walk(lambda op: functions.append(op) if op.get_name() == "tt.func" else None)
    builder = ir.builder(context)
    builder.set_insertion_point_to_end(functions[0].get_block())
    builder.ret([])
    text = str(module.str_nodebug())
    assert text.startswith(('"builtin.module"', "#")) and '"builtin.module"' in text, "not the generic form"
    return re.sub(r'^  "tt\.return"\(\) : \(\) -> \(\)\n(?=}\))', "", text, flags=re.M)


def save(folder, name, stage, module, context):
    from triton._C.libtriton import ir
    base = os.path.join(folder, "%s.%s" % (name, stage))
    plain = module.str_nodebug()
    with open(base + ".plain.mlir", "w") as out:
        out.write(plain)
    with open(base + ".loc.mlir", "w") as out:
        out.write(str(module))
    context = ir.context()
    ir.load_dialects(context)
    save.load(context)
    with open(base + ".generic.mlir", "w") as out:
        out.write(generic(ir.parse_mlir_module(base + ".plain.mlir", context), context))


def dump_source(folder, name, source, target, options):
    """Every stage of one kernel; returns the error that stopped it."""
    from triton._C.libtriton import ir
    from triton.compiler.compiler import make_backend
    backend = make_backend(target)
    options = backend.parse_options(dict(options, debug=False))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    save.load = backend.load_dialects
    try:
        module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
        if source.ext == "ttir":
            save(folder, name, "raw", module, context)
        stages, metadata = {}, {"target": target, **options.__dict__}
        backend.add_stages(stages, options, source.language)
        for stage in ("ttir", "ttgir"):
            if stage in stages:
                module = stages[stage](module, metadata)
                save(folder, name, stage, module, context)
    except Exception as error:
        import peer
        return peer.cause(error)
    return None


def sources(options, target):
    """(name, source, options) of every kernel."""
    import peer
    import triton
    from triton.compiler import ASTSource
    if options.rows.endswith(".py"):
        from triton.experimental.gluon._runtime import GluonASTSource, GluonJITFunction
        module = peer.load(os.path.abspath(options.rows), os.path.dirname(os.path.abspath(options.rows)))
        for name, fn in vars(module).items():
            if isinstance(fn, GluonJITFunction) and fn.module == module.__name__:
                archs = getattr(module, "ARCHS", {}).get(name, [])
                signature = {p.name: p._param.annotation for p in fn.params}
                if target.arch in archs:
                    yield name, GluonASTSource(fn, signature, {}, {}), {"num_warps": 4}
        return
    if options.rows.endswith(".tri"):
        options.packages, rows = os.path.dirname(os.path.abspath(options.rows)), list(peer.rows_of(os.path.abspath(options.rows)))
    else:
        rows = [json.loads(line) for line in open(options.rows)]
    for number, row in enumerate(rows):
        path = os.path.join(options.packages, row["file"])
        if not os.path.exists(path):
            continue
        try:
            module = peer.load(path, options.packages)
            fn = peer.unwrap(getattr(module, row["kernel"]))
        except Exception as error:
            print("skipped %s: %s" % (row["kernel"], peer.cause(error)))
            continue
        if not set(fn.arg_names) >= {name for name, _ in row["params"]}:
            print("skipped %s: it has other parameters" % row["kernel"])
            continue
        constants = {p.name: p.default for p in fn.params if p.is_constexpr and p.has_default}
        constants.update({k: peer.value(v, module) for k, v in row["constexprs"].items()})
        row["signature"].update({k: "constexpr" for k in constants})
        attrs = {(fn.arg_names.index(n),): [["tt.divisibility", 16]] for n in row.get("div16", [])}
        source = ASTSource(fn, row["signature"], {(fn.arg_names.index(k),): v for k, v in constants.items()}, attrs)
        yield "%s_%d" % (row["kernel"], number), source, {"num_warps": row.get("num_warps", 4)}


def dump(options):
    import peer
    import triton
    folder = os.path.join(options.folder, triton.__version__)
    os.makedirs(folder, exist_ok=True)
    sys.meta_path.append(peer.Missing())
    options.packages = options.packages or os.path.dirname(os.path.dirname(triton.__file__))
    done = 0
    for arch in options.arch.split(","):
        target = target_of(arch)
        triton.runtime.driver.set_active(peer.Driver(target))
        for name, source, given in sources(options, target):
            if options.k not in name:
                continue
            error = dump_source(folder, "%s.%s" % (name, arch), source, target, given)
            done += error is None
            if error:
                print("stopped %s %s: %s" % (name, arch, error.split("\n")[0]))
    print("%s: %d kernels" % (triton.__version__, done))
    return 0


# --- read: tritcc on those texts ------------------------------------------------------------------

def tritcc(compiler, path, *flags):
    kind = "ttgir" if ".ttgir." in path else "ttir"
    done = subprocess.run([compiler, "-x", kind, path, "-passes=", "-o", "-", *flags], capture_output=True, text=True)
    return (done.stdout if done.returncode == 0 else None), done.stderr


def reread(compiler, text, like, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=os.path.basename(like)[-30:]) as out:
        out.write(text)
        out.flush()
        return tritcc(compiler, out.name, *flags)


def renamed(text):
    """The text with values numbered by their definitions, because locations give values their names."""
    names, count = {}, 0
    value = r"%[A-Za-z0-9_$.-]+"

    def number(match):
        several, one, defined = match.groups()
        if several:
            return re.sub(value, lambda each: define(each.group()), several)
        return define(one) if defined else names.get(one, one)

    def define(name):
        nonlocal count
        count += 1
        names[name] = "%%%d" % count
        return names[name]

    several = r"(?m:^)( *%s(?::\d+)?(?:, %s(?::\d+)?)+ = )" % (value, value)
    return re.sub(several + r"|(%s)(?=(:\d+ = | = |: )?)" % value, number, text)


def names_it(errors):
    """Is this a refusal of something that is not known here: at a place, with its name?"""
    return re.match(r"[^\n]+:\d+:\d+: error: .*(is not known|unregistered|unknown|not known|custom op).*", errors) is not None


def read_one(compiler, base):
    """What became of the three forms of one text, and a message."""
    first = None
    for form in ("plain", "loc", "generic"):
        path = "%s.%s.mlir" % (base, form)
        text, errors = tritcc(compiler, path)
        if text is None:
            return ("named" if names_it(errors) else "refused"), "%s: %s" % (path, errors.split("\n")[0])
        first = first or text
        if renamed(text) != renamed(first):
            return "differs", "%s: other text than of the plain form" % path
        for flags in ([], ["-g"]):
            printed = text if not flags else tritcc(compiler, path, *flags)[0]
            again, errors = reread(compiler, printed, path, *flags)
            if again is None or renamed(again) != renamed(printed):
                return "unstable", "%s %s: %s" % (path, flags, errors.split("\n")[0] or "the second print differs")
    return "same", ""


def read(options):
    failed = 0
    for folder in options.files:
        bases = sorted(os.path.join(folder, f)[:-len(".plain.mlir")] for f in os.listdir(folder) if f.endswith(".plain.mlir"))
        bases = [b for b in bases if options.k in b]
        counts, messages = collections.Counter(), collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            for base, (outcome, message) in zip(bases, pool.map(lambda b: read_one(options.tritcc, b), bases)):
                counts[outcome] += 1
                if outcome != "same" and (outcome != "named" or options.v):
                    messages[outcome + " " + (message if options.v else re.sub(r"^.*?\.mlir:\d+:\d+: ", "", message))] += 1
                failed += outcome not in ("same", "named")
        print(folder, dict(counts))
        for message, n in messages.most_common(200 if options.v else 40):
            print("%5d %s" % (n, message))
    return failed != 0


# --- emit: what tritcc writes ---------------------------------------------------------------------

def emit(options):
    import corpus
    os.makedirs(options.folder, exist_ok=True)
    rows = [json.loads(line) for line in open(options.rows)]
    done, archs = 0, options.arch.split(",")
    for number, row in enumerate(rows):
        root, why = corpus.find_root(options, row)
        if options.k not in row["kernel"] or root is None:
            continue
        for options.arch in archs:
            for options.emit in ("ttir", "ttgir"):
                name = "%s_%d.%s.%s.plain.mlir" % (row["kernel"], number, options.arch, options.emit)
                ran = subprocess.run(corpus.command(options, row, root) + ["-g"], capture_output=True, text=True)
                if ran.returncode == 0:
                    done += 1
                    with open(os.path.join(options.folder, name), "w") as out:
                        out.write(ran.stdout)
                else:
                    print("stopped %s: %s" % (name, ran.stderr.split("\n")[0]))
    print("%d texts" % done)
    return 0


# --- write: a release of Triton on tritcc's texts ---------------------------------------------

def write_one(compiler, path, flags):
    """What became of one text, and a message."""
    from triton._C.libtriton import ir, nvidia
    first, errors = tritcc(compiler, path, *flags)
    if first is None:
        return ("named" if re.search(r"^[^\n]+:\d+:\d+: error: .*Triton 3\.\d", errors) else "unwritten"), errors.split("\n")[0]
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as out:
        out.write(first)
        out.flush()
        try:
            module = ir.parse_mlir_module(out.name, context)
        except RuntimeError as error:
            return "refused", str(error)
    if not module.verify():
        return "invalid", ""
    again, errors = reread(compiler, str(module) if "-g" in flags else module.str_nodebug(), path, *flags)
    if again is None:
        return "unread", errors.split("\n")[0]
    return ("same", "") if renamed(again) == renamed(first) else ("differs", "")


def write(options):
    import triton
    failed = 0
    release = ".".join(triton.__version__.split(".")[:2])
    flags = options.flags.split() if options.flags else ["-femit-upstream=" + release]
    for folder in options.files:
        counts = collections.Counter()
        for name in sorted(f for f in os.listdir(folder) if f.endswith(".plain.mlir") and options.k in f):
            path = os.path.join(folder, name)
            for more in ([], ["-g"]):
                outcome, message = write_one(options.tritcc, path, flags + more)
                counts[outcome] += 1
                failed += outcome not in ("same", "named")
                if outcome != "same" and (outcome != "named" or options.v):
                    print("%s %s %s: %s" % (outcome, path, more, message), flush=True)
        print("%s %s %s" % (release, folder, dict(counts)), flush=True)
    return failed != 0


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(dest="mode", required=True)
    mode = modes.add_parser("dump")
    mode.add_argument("folder")
    mode.add_argument("rows")
    mode.add_argument("packages", nargs="?")
    mode.add_argument("--arch", default=ARCHS)
    mode.add_argument("-k", default="")
    mode = modes.add_parser("emit")
    mode.add_argument("tritcc")
    mode.add_argument("folder")
    mode.add_argument("rows")
    mode.add_argument("packages")
    mode.add_argument("--arch", default=ARCHS)
    mode.add_argument("-k", default="")
    for name in ("read", "write"):
        mode = modes.add_parser(name)
        mode.add_argument("tritcc")
        mode.add_argument("files", nargs="+")
        mode.add_argument("-k", default="")
        mode.add_argument("-v", action="store_true")
        mode.add_argument("-j", type=int, default=os.cpu_count())
        mode.add_argument("--flags", default="")
    options = parser.parse_args()
    return {"dump": dump, "emit": emit, "read": read, "write": write}[options.mode](options)


if __name__ == "__main__":
    sys.exit(main())
