"""Where the plug-in takes hold of Triton.

Triton's compile() looks into its cache, has the front end make a module of the source, and runs the stages that the
back end of the device names. Replaced are the front end (make_ir of sources), the stages (add_stages of the CUDA back end)
and the back end's part of the cache key (hash). Everything else stays Triton's: caches, dumps, overrides, listeners,
ptxas, launchers and hooks. A kernel that tritcc refuses takes the way that it would have taken."""

import functools

from .. import errors
from . import _report, _request, _state, _texts
from ._state import Refused, current

_originals: dict = {}


def _patch(owner, name, wrap):
    """Replaces an attribute by wrap(the original), which uninstall() gives back."""
    original = owner.__dict__[name]
    if (owner, name) not in _originals:
        _originals[owner, name] = original
        setattr(owner, name, wrap(original))


def arm():
    """Installs at the first use of a back end: called while Triton itself is being imported. What is not there is said,
    and Triton goes on by itself."""
    try:
        from triton.backends.nvidia.compiler import CUDABackend
    except ImportError:
        return  # a Triton for other devices alone
    plain = CUDABackend.__init__

    @functools.wraps(plain)
    def __init__(self, *args, **kwargs):
        CUDABackend.__init__ = plain
        try:
            install()
        except ImportError as error:  # another Triton, or no library
            import warnings

            warnings.warn(f"{error}; kernels are compiled by Triton", _state.TritccWarning, stacklevel=2)
        return plain(self, *args, **kwargs)

    CUDABackend.__init__ = __init__


def install(**told):
    try:
        import triton
    except ImportError as error:
        raise _state.UnsupportedTriton(f"tritcc's plug-in needs Triton, which cannot be imported: {error}") from None
    current.version = _state.check_version(triton.__version__)
    from .. import _library

    _library.library()
    if told.get("launcher") == "tritcc":
        from . import _direct

        _direct.require()
    _state.told(**told)
    _report.start()
    if current.is_installed:
        return current
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.compiler import compiler

    _patch(CUDABackend, "add_stages", _add_stages)
    _patch(compiler.ASTSource, "make_ir", _make_ir)
    _patch(compiler.IRSource, "make_ir", _make_ir_of_text)
    _patch(compiler.CompiledKernel, "__init__", _loaded)
    _patch(compiler.IRSource, "__init__", _begin_text)
    _patch(CUDABackend, "load_dialects", _load_dialects)
    _patch(compiler, "ir", _ir)
    from . import _cache, _direct, _key, _launcher, _torch, _unit  # noqa: F401

    _request.probe()  # here, and not with the first kernel of each process that this one forks
    _key.install(_patch)
    _cache.install(_patch)
    _launcher.install(_patch)
    _direct.install(_patch)
    _torch.install(_patch)
    current.is_installed = True
    return current


def uninstall():
    import os

    for (owner, name), original in _originals.items():
        setattr(owner, name, original)
    _originals.clear()
    current.is_installed = False
    current.local.turn = None
    os.environ.pop("TRITCC", None)
    from . import _torch

    _torch.forget()


class _Turn:
    """What one call of Triton's compile() has found out so far, on its thread."""

    def __init__(self, language):
        self.language, self.name, self.reason, self.is_text, self.refused = language, "", None, False, None
        self.has_begun, self.unloaded, self.stages = False, [], {}


def _add_stages(plain):
    @functools.wraps(plain)
    def add_stages(self, stages, options, language=None):
        plain(self, stages, options, *(() if language is None else (language,)))
        turn = current.local.turn = _Turn(getattr(language, "name", "TRITON"))
        if turn.language != "TRITON":
            turn.reason = "Gluon is Triton's own"
        before, turn.stages = None, stages
        for kind in stages:
            stages[kind] = _stage(self, kind, before, stages[kind], options, turn)
            before = kind

    return add_stages


def _stage(backend, kind, before, plain, options, turn):
    def stage(src, metadata):
        unit = getattr(src, "unit", None)
        if unit is None and turn.is_text and not isinstance(src, (str, bytes)) and before:
            unit = _unit_of_text(src, before, backend, options, turn)
        if unit is None:
            if not turn.is_text or turn.reason or kind == "cubin":
                _report.mark(metadata, turn.name, turn.reason or "a stage that was replaced")
            return plain(src, metadata)
        _report.mark(metadata, turn.name, None, unit.note, unit.launcher, unit.command)
        return plain(str(src), metadata) if kind == "cubin" else unit.give(kind, metadata)

    return stage


def _unit_of_text(module, kind, backend, options, turn):
    from . import _unit

    turn.is_text = False
    try:
        return _unit.of_text(str(module), kind, turn.name, backend.target, options)
    except Refused as refused:
        _refuse(refused, turn, None)
        return None


def _refuse(refused, turn, source):
    if current.strict:
        from . import _errors

        error = _errors.translated(refused, source)
        raise error from error.__cause__
    turn.reason, turn.refused = refused.reason, refused


def _explain(error, turn):
    """Adds tritcc's message to what Triton says of the same kernel."""
    found = getattr(getattr(turn.refused, "cause", None), "error", None)
    if found is not None and hasattr(error, "add_note"):
        from . import _errors

        error.add_note("tritcc: " + _errors.located(found, getattr(turn.refused, "bundle", None)))


def _unit_of_source(source, target, options, turn):
    """The compiled kernel, or None when Triton must take it. A fault of the plug-in itself is a reason, too."""
    from . import _unit

    try:
        return _unit.of_source(source, target, options)
    except Refused as refused:
        _refuse(refused, turn, source)
    except (MemoryError, RecursionError, AttributeError, KeyError, ValueError, TypeError, IndexError) as error:
        if current.strict:
            raise
        _refuse(Refused(f"a fault of the plug-in: {error!r}", error), turn, source)
    return None


def _make_ir(plain):
    @functools.wraps(plain)
    def make_ir(self, target, options, codegen_fns, module_map, context):
        turn = getattr(current.local, "turn", None)
        if turn is None or turn.reason or target.backend != "cuda":
            _load_now(turn)
            return plain(self, target, options, codegen_fns, module_map, context)
        turn.name, turn.has_begun = self.name, True
        if current.frontend == "triton":
            turn.is_text = True
        else:
            unit = _unit_of_source(self, target, options, turn)
            if unit is not None:
                for kind in unit.unit.later:
                    del turn.stages[kind]
                return unit
        _load_now(turn)
        try:
            return plain(self, target, options, codegen_fns, module_map, context)
        except Exception as error:
            if turn.reason:
                _report.rejected(self.name, turn.reason)
                _explain(error, turn)
            raise

    return make_ir


def _load_dialects(plain):
    """MLIR's dialects cost more to load than a small kernel to compile: they are loaded when Triton needs its context."""

    @functools.wraps(plain)
    def load_dialects(self, context):
        turn = getattr(current.local, "turn", None)
        if turn is None or turn.has_begun or turn.language != "TRITON":
            return plain(self, context)
        turn.unloaded.append((plain, self, context))

    return load_dialects


class _LazyIr:
    """Triton's module `ir` for compile(), which loads what the dialects of all devices need when that is known to be
    needed; the back end's follow (`_load_dialects`)."""

    def __init__(self, plain):
        self._plain = plain

    def __getattr__(self, name):
        return getattr(self._plain, name)

    def load_dialects(self, context):
        turn = getattr(current.local, "turn", None)
        if turn is None or turn.has_begun or turn.language != "TRITON":
            return self._plain.load_dialects(context)
        turn.unloaded.append((self._plain.load_dialects, context))


def _ir(plain):
    return _LazyIr(plain)


def _load_now(turn):
    for load, *given in turn.unloaded if turn is not None else ():
        load(*given)
    if turn is not None:
        turn.unloaded.clear()


def _begin_text(plain):
    @functools.wraps(plain)
    def __init__(self, *args, **kwargs):
        current.local.turn = None
        plain(self, *args, **kwargs)

    return __init__


def _make_ir_of_text(plain):
    @functools.wraps(plain)
    def make_ir(self, target, *args):
        turn = getattr(current.local, "turn", None)
        if turn is not None and target.backend == "cuda" and turn.language == "TRITON":
            turn.name, turn.is_text, turn.has_begun = self.name.lstrip("@"), True, True
        return plain(self, target, *args)

    return make_ir


def _loaded(plain):
    @functools.wraps(plain)
    def __init__(self, src, metadata_group, hash):  # noqa: A002
        plain(self, src, metadata_group, hash)
        _request.forget(src)
        self.asm = _texts.of_kernel(self)
        _report.loaded(self)

    return __init__


__all__ = ["arm", "install", "uninstall", "errors"]
