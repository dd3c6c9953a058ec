"""A pytest plugin that compares tritcc with Triton on every kernel that other projects' tests launch.

usage: TRITCC=... RECORD=out.jsonl PYTHONPATH=tests/peer pytest -p record --device cpu TESTS...
       TRITCC=... RECORD=out.jsonl PYTHONPATH=tests/peer python record.py SCRIPT...

Launches do not run: each distinct specialisation (source, signature, constants, hints, options) goes
through Triton's front end and through tritcc, and one line tells what became of it (see `report`).
So the assertions of the tests fail, which means nothing; only the lines count. A module-level function
whose source was not changed is compiled from its own file; any other one (nested in a test, patched at
run time) from a file that holds it with the values it captures. Needs torch and the triton package;
no GPU. The tests and tutorials are python/test, python/triton_kernels and python/tutorials of Triton's repository at the
commit that the package was made from. LIMIT=n: at most n parametrisations of a test. ROOTS=a:b: folders for -I.
"""
import ast
import collections
import difflib
import hashlib
import inspect
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import textwrap
import types

import peer
import torch
import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.runtime import autotuner, jit
from triton.runtime.driver import driver

TRITCC = os.environ["TRITCC"]
OUT = open(os.environ["RECORD"], "a")
WORK = os.environ.get("WORK", "/tmp/tritcc-peer")
ARCH = os.environ.get("ARCH", "sm_90")
TARGET = GPUTarget("cuda", int(ARCH.strip("sm_a")), 32)
ROOTS = os.environ.get("ROOTS", "").split(":")
os.makedirs(WORK, exist_ok=True)


# --- what a launch was ---------------------------------------------------------------------

NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}


def dtype_text(t):
    if isinstance(t, tl.core.pointer_type):
        return "tl.pointer_type(%s)" % dtype_text(t.element_ty)
    return "tl." + NAMES.get(t.name, t.name)


class Unspellable(Exception):
    pass


def spell(v):
    """A constant as the text of a Python expression."""
    if isinstance(v, tl.constexpr):
        return spell(v.value)
    if isinstance(v, tl.dtype):
        return dtype_text(v)
    if isinstance(v, float):
        return "float('%r')" % v if v != v or v in (float("inf"), float("-inf")) else repr(v)
    if v is None or isinstance(v, (bool, int, str)):
        return repr(v)
    if isinstance(v, (tuple, list, tl.core.tuple)):
        return "(" + "".join(spell(x) + ", " for x in v) + ")"
    if isinstance(v, jit.JITFunction):
        return v.fn.__name__
    if hasattr(v, "name") and type(v).__name__ == "PropagateNan":
        return "tl.PropagateNan." + v.name
    if inspect.isfunction(v) and v.__module__.startswith("triton.language"):
        return "tl." + v.__name__
    raise Unspellable("%s %r" % (type(v).__name__, v))


def spell_arg(ty, path, constants, attrs):
    """One parameter's part of -sig; `path` leads to it, through tuples."""
    if path in constants:
        return spell(constants[path])
    if isinstance(ty, (tuple, list, tl.core.tuple)):
        return "(" + "".join(spell_arg(t, path + (i, ), constants, attrs) + ", " for i, t in enumerate(ty)) + ")"
    hint = any(a[0] == "tt.divisibility" and a[1] == 16 for a in attrs.get(path, []))
    return ty + (":16" if hint else "")


def signature_text(fn, name, signature, constants, attrs):
    return "%s(%s)" % (name, ", ".join("%s=%s" % (k, spell_arg(t, (fn.arg_names.index(k), ), constants, attrs))
                                        for k, t in signature.items()))


# --- a file of its own for a function that captures values ----------------------------------

class Bundle:
    """Source of a function and of all it refers to, as one module."""

    def __init__(self):
        self.lines, self.known = ["import triton", "import triton.language as tl"], {"triton": triton, "tl": tl}

    def names(self, source):
        return sorted({n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)} |
                      {w for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant) and isinstance(n.value, str)
                       for w in re.findall(r"[A-Za-z_]\w*", n.value)})

    def add(self, name, v):
        if name in self.known:
            if self.known[name] is not v and not (isinstance(v, tl.constexpr) and v == self.known[name]):
                raise Unspellable("two values of " + name)
            return
        self.known[name] = v
        if isinstance(v, jit.JITFunction):
            self.function(v)
            if v.fn.__name__ != name:
                self.lines.append("%s = %s" % (name, v.fn.__name__))
        elif isinstance(v, types.ModuleType):
            self.lines.append("import %s as %s" % (v.__name__, name))
        elif isinstance(v, tl.constexpr):
            self.lines.append("%s = tl.constexpr(%s)" % (name, spell(v)))
        elif isinstance(v, tl.dtype):
            self.lines.append("%s = %s" % (name, dtype_text(v)))
        elif type(v).__name__ == "ConstexprFunction":
            self.python(textwrap.dedent(inspect.getsource(v.fn)), v.fn.__globals__)
        elif inspect.isclass(v) and issubclass(v, tuple) and hasattr(v, "_fields"):
            self.lines.append("import collections\n%s = collections.namedtuple(%r, %r)" % (name, v.__name__, list(v._fields)))
        elif callable(v) and getattr(v, "__module__", None) and v.__module__.startswith("triton"):
            self.lines.append("from %s import %s as %s" % (v.__module__, v.__name__, name))
        elif inspect.isclass(v):
            self.python(textwrap.dedent(inspect.getsource(v)), sys.modules[v.__module__].__dict__)
        elif inspect.isfunction(v):
            self.lines.append("def %s(*args):\n    pass" % name)
        else:
            self.lines.append("%s = %s" % (name, spell(v)))

    def python(self, source, scope):
        for name in self.names(source):
            if name in scope and not hasattr(__builtins__, name):
                self.add(name, scope[name])
        self.lines.append(source.rstrip())

    def function(self, fn):
        self.known[fn.fn.__name__] = fn
        scope = fn.get_capture_scope()
        parameters = ast.parse(fn.src).body[0].args
        local = {a.arg for a in parameters.args + parameters.kwonlyargs}
        local |= {n.id for n in ast.walk(ast.parse(fn.src)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for name in self.names(fn.src):
            if name in scope and name not in local and name not in dir(__builtins__):
                self.add(name, scope[name])
        frozen = [p.name for p in fn.params if p.do_not_specialize]
        options = ["%s=%r" % (k, v) for k, v in (("noinline", fn.noinline), ("debug", fn.debug), ("do_not_specialize", frozen)) if v]
        self.lines.append("\n\n@triton.jit%s\n%s" % ("(%s)" % ", ".join(options) if options else "", fn.src.rstrip()))


def file_of(fn):
    """(path, is the project's own file)"""
    path = inspect.getsourcefile(fn.fn)
    if "<locals>" not in fn.fn.__qualname__ and os.environ.get("BUNDLE") != "all":
        text = open(path, encoding="utf-8").read()
        if fn.src.strip() in textwrap.dedent(text) or textwrap.indent(fn.src.strip(), "    ").strip() in text:
            return path, True
    bundle = Bundle()
    bundle.function(fn)
    text = "\n".join(bundle.lines) + "\n"
    path = os.path.join(WORK, "%s_%s.py" % (fn.fn.__name__, hashlib.md5(text.encode()).hexdigest()[:8]))
    with open(path, "w") as f:
        f.write(text)
    return path, False


# --- both compilers ---------------------------------------------------------------------------

def ours(command):
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300)
    if run.returncode:
        first = re.search(r"(?:^|\n)(.*error: .*)", run.stderr)
        return None, "exit %d: %s" % (run.returncode, first.group(1) if first else run.stderr[-400:])
    return run.stdout, None


def cleaned(text, block_pointers):
    context = ir.context()
    ir.load_dialects(context)
    make_backend(TARGET).load_dialects(context)
    path = os.path.join(WORK, "ours_%d.ttir" % os.getpid())
    with open(path, "w") as f:
        f.write(peer.older(re.sub(r", tritcc\.kernel = \{.*\}\} \{$", "} {", text, flags=re.M)))
    return peer.blocks_sorted(peer.clean(ir.parse_mlir_module(path, context), context, block_pointers))


seen = set()
current = ""
is_comparing = False


def report(**row):
    OUT.write(json.dumps(row) + "\n")
    OUT.flush()


def compare(fn, signature, constants, attrs, options, backend):
    key = repr((fn.src, signature, constants, attrs, options.num_warps, str(sorted(map(str, getattr(fn, "_pre", []))))))
    captured = "".join(repr(v) for k, v in sorted(fn.get_capture_scope().items()) if isinstance(v, (int, float, tl.constexpr, tl.dtype)))
    key += captured if "<locals>" in fn.fn.__qualname__ else ""
    if key in seen:
        return None
    seen.add(key)
    row = {"test": current, "kernel": fn.fn.__name__}
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    reference = error = None
    block_pointers = False
    try:
        module = ASTSource(fn, signature, constants, attrs).make_ir(
            TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
        block_pointers = peer.has_block_pointers(module)
        reference = peer.blocks_sorted(peer.clean(module, context, block_pointers))
    except Exception as e:
        error = e
        row["triton"] = peer.cause(e)
    try:
        path, row["own"] = file_of(fn)
        command = [TRITCC, "-passes=", "-arch=" + ARCH, "-num-warps=%d" % options.num_warps]
        command += [w for root in ROOTS if root for w in ("-I", root)]
        command += ["-fdevice-assert"] if options.debug else []
        command += ["-k", fn.fn.__name__, "-sig", signature_text(fn, fn.fn.__name__, signature, constants, attrs), path]
        row["command"] = command
        text, row["tritcc"] = ours(command)
        if text is not None:
            mine = cleaned(text, block_pointers)
            if reference is not None:
                row["same"] = mine == reference
                if not row["same"]:
                    row["diff"] = list(difflib.unified_diff(reference.split("\n"), mine.split("\n"), "triton", "tritcc", "", "", 1, ""))[:40]
    except (Unspellable, SyntaxError) as e:
        row["skipped"] = str(e)[:300]
    except Exception as e:
        row["tritcc"] = "unverified: " + peer.cause(e)
    report(**row)
    return error


# --- launches ---------------------------------------------------------------------------------

class Driver(peer.Driver):
    def get_active_torch_device(self): return torch.device("cpu")
    def get_device_interface(self): return torch.cuda
    def get_benchmarker(self): return lambda call, quantiles=None, **kw: [0.0, 0.0, 0.0]
    def get_empty_cache_for_benchmark(self): return torch.empty(1)


class Kernel:
    """Stands for a compiled kernel."""
    n_regs, n_spills, n_max_threads = 32, 0, 1024
    metadata = collections.namedtuple("M", "shared num_warps num_ctas name target")(1024, 4, 1, "k", TARGET)

    def __init__(self):
        self.asm = collections.defaultdict(str)

    def __getitem__(self, grid): return lambda *a, **k: None
    def _init_handles(self): pass
    def result(self): return self


def run(self, *args, grid=None, warmup=False, **kwargs):
    kwargs["debug"] = kwargs.get("debug", self.debug) or triton.knobs.runtime.debug
    kwargs.setdefault("instrumentation_mode", "")
    for hook in self.pre_run_hooks:
        hook(*args, **kwargs)
    _, _, _, backend, binder = self.device_caches[0]
    bound, specialization, options = binder(*args, **kwargs)
    options, signature, constants, attrs = self._pack_args(backend, kwargs, bound, specialization, options)
    global is_comparing
    is_comparing = True
    try:
        error = compare(self, signature, constants, attrs, options, backend)
    finally:
        is_comparing = False
    if error is not None:
        raise error
    return Kernel()


def tune(self, *args, **kwargs):
    """The first configuration that compiles."""
    self.nargs = dict(zip(self.arg_names, args))
    try:
        configs = list(self.prune_configs(kwargs)) or self.configs
    except Exception:
        configs = self.configs
    for config in configs:
        try:
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
        except triton.CompilationError as error:
            last = error
    raise last


class OnCpu(torch.overrides.TorchFunctionMode):
    """Everything that asks for a GPU gets the host."""

    def __torch_function__(self, func, kinds, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if "cuda" in str(kwargs.get("device", "")):
            kwargs["device"] = "cpu"
        name = getattr(func, "__name__", "")
        if name == "cuda":
            return args[0]
        if name == "to":
            args = tuple("cpu" if isinstance(a, (str, torch.device)) and "cuda" in str(a) else a for a in args)
        return func(*args, **kwargs)


def configure():
    peer.newer()
    driver.set_active(Driver(TARGET))
    jit.JITFunction.run = run
    autotuner.Autotuner.run = tune
    properties = types.SimpleNamespace(multi_processor_count=132, major=9, minor=0, name="H200", total_memory=1 << 37,
                                       shared_memory_per_block_optin=232448, warp_size=32, gcnArchName="",
                                       regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, L2_cache_size=50 << 20)
    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.get_device_capability = lambda *a: (TARGET.arch // 10, TARGET.arch % 10)
    cuda.get_device_properties = lambda *a: properties
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 1
    cuda.get_device_name = lambda *a: "H200"
    cuda.synchronize = cuda.empty_cache = cuda.manual_seed = cuda.manual_seed_all = cuda.set_device = lambda *a, **k: None
    cuda.current_stream = lambda *a: types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
    cuda.device = lambda *a: __import__("contextlib").nullcontext()
    torch.Tensor.is_cuda = property(lambda self: True)
    OnCpu().__enter__()


def pytest_configure(config):
    configure()


def stop(*_):
    if is_comparing:
        signal.alarm(1)
        return
    raise TimeoutError("the launches of this test are recorded")


def pytest_runtest_setup(item):
    """Assertions on the host can take minutes: SECONDS of each test are enough."""
    global current
    current = item.nodeid
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(int(os.environ.get("SECONDS_EACH", "10")))


def pytest_runtest_teardown():
    signal.alarm(0)


def pytest_collection_modifyitems(items):
    """LIMIT=n keeps n of a test's parametrisations, evenly spread."""
    limit = int(os.environ.get("LIMIT", "0"))
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.nodeid.split("[")[0]].append(item)
    items[:] = [g[i] for g in groups.values() for i in
                (range(len(g)) if not limit or len(g) <= limit else sorted({k * len(g) // limit for k in range(limit)}))]


def bench(call, *args, quantiles=None, **kwargs):
    call()
    return [1.0] * len(quantiles) if quantiles else 1.0


def main():
    """Scripts such as tutorials: comparisons of results are taken to hold, so that all launches are seen."""
    global current
    configure()
    torch.allclose = lambda *a, **k: True
    torch.testing.assert_close = triton.testing.assert_close = lambda *a, **k: None
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = bench
    scripts, sys.argv[1:] = sys.argv[1:], []
    for script in scripts:
        current = os.path.basename(script)
        sys.path.insert(0, os.path.dirname(script))
        try:
            runpy.run_path(script, run_name="__main__")
        except BaseException as error:
            print(script, "ended with", repr(error)[:200])


if __name__ == "__main__":
    sys.modules["record"] = sys.modules["__main__"]
    main()
