#!/usr/bin/env python3
"""Compares tritcc's ttir with that of a Triton package, op by op.

usage: peer.py TRITCC ROWS.jsonl|FILE.tri [PACKAGES] [-k WORD] [-v] [-n COUNT]

ROWS.jsonl: one specialisation a line (file, kernel, signature, constexprs, div16). PACKAGES: folder
that holds the packages. FILE.tri: kernels whose parameters are annotated with their types. Both texts go through Triton's own parser, verifier, inliner,
canonicalizer and CSE before they are compared, so only meaning counts. Not part of `make check`:
it needs Python with the triton package.
"""
import argparse
import collections
import hashlib
import importlib.abc
import importlib.machinery
import json
import os
import re
import subprocess
import sys
import tempfile
import types

import corpus
import triton
from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend


def has_block_pointers(module):
    return "tt.make_tensor_ptr" in str(module)


def clean(module, context, block_pointers=False):
    """block_pointers: one of the two texts to compare has them, the other one their masks and pointers."""
    manager = ir.pass_manager(context)
    if block_pointers:
        passes.ttir.add_rewrite_tensor_pointer(manager)
        passes.common.add_canonicalizer(manager)
        passes.ttir.add_reorder_broadcast(manager)
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    passes.common.add_symbol_dce(manager)
    passes.common.add_canonicalizer(manager)
    manager.run(module, "peer")
    return normal(module.str_nodebug())


def normal(text):
    """Constants stand at their uses, every other value is named by a hash of what computes it, so that
    neither names nor the order of independent operations count."""
    names = {}
    text = re.sub(r"tt\.func public @\w+", "tt.func public @kernel", text)  # a package may name its kernels for their types
    text = re.sub(r'@"?(?:[\w.<>]*\.)?(\w+?)__[^"( ]*(?:"|[^"]*")?(?=\()', r"@\1", text)  # a helper's module and arguments
    text = re.sub(r'inline_asm "[^"]*0x00800080[^"]*"', 'inline_asm "fp8e4b15"', text)  # two spellings of one conversion
    # What is said of a loop's own variable is lost there, and kept here.
    text = re.sub(r"(, )?tt\.(divisibility|contiguity|constancy)_arg0 = dense<\d+> : tensor<1xi32>", "", text).replace("} {}", "}").replace("} {, ", "} {")
    text = re.sub(r"^ *llvm.intr.assume %?\(?true.*\n", "", text, flags=re.M)
    text = re.sub(r", tritcc\.kernel = \{.*\}\} \{$", "} {", text, flags=re.M)
    text = re.sub(r"^#loc.*\n", "", text, flags=re.M)
    text = re.sub(r"\s+loc\(#?[^()]*\)", "", text)

    def rename(match):
        base, _, part = match.group(0).partition("#")
        return names.setdefault(base, "%%v%d" % sum(n.startswith("%v") for n in names.values())) + ("#" + part if part else "")

    lines = []
    for line in text.split("\n"):
        constant = re.match(r"\s*(%\S+) = arith\.constant (.*)", line)
        if constant:
            names[constant.group(1)] = "(" + constant.group(2) + ")"
            continue
        result = re.match(r"(\s*)(%[A-Za-z0-9_$.-]+)(:\d+)? = (.*)", line)
        if result:
            body = re.sub(VALUE, rename, result.group(4))
            body = re.sub(r"arith\.subf \((dense<)?0\.000000e\+00>? : \S+\), ", "arith.negf ", body)
            names[result.group(2)] = "%" + hashlib.md5(body.encode()).hexdigest()[:6]
            line = result.group(1) + names[result.group(2)] + (result.group(3) or "") + " = " + body
        else:
            line = re.sub(VALUE, rename, line)
        lines.append(line)
    return "\n".join(lines)


def blocks_sorted(text):
    """Functions by name, and lines sorted between those that open or close a region or block."""
    out, run = [], []
    parts = re.split(r"^(?=  tt\.func )", text, flags=re.M)
    parts[-1], _, end = parts[-1].partition("\n}")
    parts[1:] = sorted(p.rstrip("\n") + "\n" for p in parts[1:])
    for line in ("".join(parts) + "}" + end).split("\n"):
        if re.search(r"[{}]\s*$|^\s*\^bb|^\s*}", line):
            out += sorted(run) + [line]
            run = []
        else:
            run.append(line)
    return "\n".join(out + sorted(run))


VALUE = r"%[A-Za-z0-9_$.-]+(#\d+)?"


def older(text):
    """Spellings of the release that is installed."""
    text = re.sub(r"tensordesc<([0-9x]+x[a-z0-9A-Z]+)>", r"tensordesc<tensor<\1>>", text)
    text = re.sub(r"(make_tensor_descriptor .* : <[a-z0-9A-Z]+>, )<([^<>]*)>", r"\1<tensor<\2>>", text)
    for ours, asm in (("wait", "griddepcontrol.wait"), ("launch_dependents", "griddepcontrol.launch_dependents")):
        text = re.sub(r"tt\.grid_dependency_%s$" % ours, 'tt.elementwise_inline_asm "%s; // dummy $0" {constraints = "=r", '
                      "packed_element = 1 : i32, pure = false} -> i32" % asm, text, flags=re.M)
    return re.sub(r'ttg.barrier "?all"?', "gpu.barrier", text)


def newer():
    """Rules of the language that changed after the installed release: bare numbers stay weak in comparisons,
    tl.cat keeps the order, sorting networks compare bits, tl.fdiv heeds ieee_rounding."""
    from triton.language import core
    from triton.language.semantic import TritonSemantic
    import newer as rules
    plain_fdiv = TritonSemantic.fdiv

    def fdiv(self, x, y, ieee_rounding):
        if not core._unwrap_if_constexpr(ieee_rounding):
            return plain_fdiv(self, x, y, ieee_rounding)
        x, y = self.binary_op_type_checking_impl(x, y, False, False, False, True)
        return self.tensor(self.builder.create_precise_divf(x.handle, y.handle), x.type)

    TritonSemantic.fdiv = fdiv
    triton.language.standard._compare_and_swap = rules.compare_and_swap
    triton.language.cat = core.cat = rules.cat
    for name, method in (("lt", "less_than"), ("le", "less_equal"), ("gt", "greater_than"), ("ge", "greater_equal"),
                         ("eq", "equal"), ("ne", "not_equal")):
        def forward(self, other, _semantic=None, method=method):
            return getattr(_semantic, method)(self, core._unwrap_if_constexpr(other))

        def reflected(self, other, _semantic=None, method=method):
            return getattr(_semantic, method)(core._unwrap_if_constexpr(other), self)

        setattr(core.tensor, "__%s__" % name, core.builtin(forward))
        setattr(core.tensor, "__r%s__" % name, core.builtin(reflected))


class Driver:
    """Enough of a driver for what happens before a launch."""

    def __init__(self, target): self.target = target
    def get_current_target(self): return self.target
    def get_current_device(self): return 0
    def get_current_stream(self, device=0): return 0
    def get_device_capability(self, device=0): return (self.target.arch // 10, self.target.arch % 10)
    def clear_cache(self, cache): pass
    def set_current_device(self, device): pass
    def map_python_to_cpp_type(self, ty): return "void*"

    class utils:
        @staticmethod
        def get_device_properties(device):
            return {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
                    "sm_clock_rate": 1980000, "mem_clock_rate": 2619000, "mem_bus_width": 5120}


class Nothing:
    """Stands for any value of a package that is not there."""

    def __init__(self, name=""):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(name)

    def __call__(self, *args, **kwargs):
        return (9, 0) if self._name == "get_device_capability" else args[0] if len(args) == 1 and callable(args[0]) else Nothing()

    def __mro_entries__(self, bases):
        return (object,)

    def __iter__(self):
        return iter(())

    def __getitem__(self, key):
        return Nothing()

    def __bool__(self):
        return False

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __ge__(self, other):
        return False

    __gt__ = __le__ = __lt__ = __ge__

    def __index__(self):
        return 0


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that are not installed: their names exist, their values do nothing."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "pandas", "torch_npu", "pytest", "huggingface_hub"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        module.__version__ = "2.8.0"
        module.__getattr__ = lambda name: Nothing(name)
        return module

    def exec_module(self, module):
        pass


def load(path, packages):
    if path.endswith(".tri"):
        loader = importlib.machinery.SourceFileLoader("tri_" + os.path.basename(path)[:-4], path)
        if loader.name not in sys.modules:
            module = types.ModuleType(loader.name)
            module.__file__ = path
            sys.modules[loader.name] = module
            loader.exec_module(module)
        return sys.modules[loader.name]
    root = packages
    name = os.path.relpath(path, root)[:-3].replace("/", ".")
    if root not in sys.path:
        sys.path.insert(0, root)
    return __import__(name, fromlist=["_"])


def rows_of(path):
    """The kernels of a file as rows."""
    module = load(path, None)
    for name, fn in vars(module).items():
        if not isinstance(fn, triton.runtime.jit.JITFunction) or fn.module != module.__name__:
            continue
        values = {p.name: p.default for p in fn.params if p.is_constexpr and p.has_default}
        types_of = {p.name: p._param.annotation for p in fn.params if not p.is_constexpr}
        if len(values) + len(types_of) == len(fn.params) and all(isinstance(t, str) for t in types_of.values()):
            signature = {p.name: "constexpr" if p.is_constexpr else types_of[p.name].split(":")[0] for p in fn.params}
            yield {"file": os.path.basename(path), "kernel": name, "params": [[n, 0] for n in signature], "signature": signature,
                   "constexprs": values, "div16": [n for n, t in types_of.items() if t.endswith(":16")]}


def unwrap(fn):
    while not isinstance(fn, triton.runtime.jit.JITFunction):
        fn = fn.fn
    return fn


def value(v, module):
    if isinstance(v, dict):
        if "dtype" in v:
            return triton.language.dtype(v["dtype"])
        return unwrap(getattr(module, v["jit"]))
    return tuple(value(x, module) for x in v) if isinstance(v, list) else v


def cause(error):
    while error.__cause__ is not None:
        error = error.__cause__
    return "%s: %s" % (type(error).__name__, (getattr(error, "error_message", None) or str(error)).strip()[-400:])


def source(row, path, packages):
    """What Triton's compile() takes for a row."""
    module = load(path, packages)
    fn = unwrap(getattr(module, row["kernel"]))
    constants = {p.name: p.default for p in fn.params if p.is_constexpr and p.has_default}
    constants.update({k: value(v, module) for k, v in row["constexprs"].items()})
    row["signature"].update({k: "constexpr" for k in constants})
    attrs = {(fn.arg_names.index(n),): [["tt.divisibility", 16]] for n in row.get("div16", [])}
    return ASTSource(fn, row["signature"], {(fn.arg_names.index(k),): v for k, v in constants.items()}, attrs)


def theirs(row, path, packages, target):
    """The cleaned text, and whether block pointers had to be lowered for it."""
    made = source(row, path, packages)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": row.get("num_warps", 4)})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = made.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    block_pointers = has_block_pointers(module)
    return clean(module, context, block_pointers), block_pointers


def ours(row, path, packages, tritcc, arch, block_pointers=False):
    command = [tritcc, "-passes=", "-arch=" + arch, "-I", packages, "-k", row["kernel"], "-sig", corpus.signature(row), path]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if run.returncode:
        raise RuntimeError("tritcc: exit %d\n%s\n%s" % (run.returncode, " ".join(command), run.stderr[:2000]))
    context = ir.context()
    ir.load_dialects(context)
    backend = make_backend(GPUTarget("cuda", int(arch.strip("sm_a")), 32))
    backend.load_dialects(context)
    text = older(re.sub(r", tritcc\.kernel = \{.*\}\} \{$", "} {", run.stdout, flags=re.M))
    with tempfile.NamedTemporaryFile("w", suffix=".ttir", delete=False) as f:
        f.write(text)
    try:
        module = ir.parse_mlir_module(f.name, context)
    finally:
        os.unlink(f.name)
    return clean(module, context, block_pointers)


def prepare(target):
    newer()
    triton.runtime.driver.set_active(Driver(target))
    sys.meta_path.append(Missing())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tritcc")
    parser.add_argument("rows")
    parser.add_argument("packages", nargs="?", default=os.path.dirname(os.path.dirname(triton.__file__)))
    parser.add_argument("-k", default="")
    parser.add_argument("-n", type=int, default=0)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    prepare(GPUTarget("cuda", int(options.arch.strip("sm_a")), 32))
    if options.rows.endswith(".tri"):
        options.packages = os.path.dirname(options.rows)
        rows = list(rows_of(options.rows))
    else:
        rows = [json.loads(line) for line in open(options.rows)]
    counts = collections.Counter()
    target = GPUTarget("cuda", int(options.arch.strip("sm_a")), 32)
    for number, row in enumerate(rows):
        label = "%s:%s#%d" % (row["file"], row["kernel"], number)
        if options.k not in label or (options.n and sum(counts.values()) >= options.n):
            continue
        path = os.path.join(options.packages, row["file"])
        if not os.path.exists(path):
            counts["no file"] += 1
            continue
        reference, block_pointers = None, False
        try:
            reference, block_pointers = theirs(row, path, options.packages, target)
        except Exception as error:
            counts["triton fails"] += 1
            print("SKIP", label, cause(error))
        try:
            mine = ours(row, path, options.packages, options.tritcc, options.arch, block_pointers)
        except Exception as error:
            if reference is not None:
                counts["tritcc fails"] += 1
                print("FAIL", label, str(error)[:3000 if options.v else 400])
            continue
        if reference is None:
            continue
        mine, reference = blocks_sorted(mine), blocks_sorted(reference)
        same = mine == reference
        counts["same" if same else "different"] += 1
        print("same" if same else "DIFF", label)
        if not same and options.v:
            import difflib
            print("\n".join(list(difflib.unified_diff(reference.split("\n"), mine.split("\n"), "triton", "tritcc", lineterm="", n=2))[:40]))
    print(dict(counts))
    return 1 if counts["different"] or counts["tritcc fails"] else 0


if __name__ == "__main__":
    sys.exit(main())
