"""tritcc.compile: one compilation by the library, in this process."""

import ctypes
import os
import threading

from . import _library, _results, _signature, errors

_STATUS_ERRORS = {
    _library.REJECTED: errors.CompileError,
    _library.OPTIONS: errors.OptionsError,
    _library.CANCELLED: errors.CancelledError,
    _library.MEMORY_LIMIT: errors.MemoryLimitError,
}


def as_list(value):
    """A word or several as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def arguments_of(
    signature=None,
    kernel=None,
    arch=None,
    emit=None,
    constants=None,
    num_warps=None,
    num_stages=None,
    num_ctas=None,
    maxnreg=None,
    include=None,
    options=(),
):
    """The words of a command line for what compile() takes."""
    words = [f"-emit={','.join(dict.fromkeys([*as_list(emit), 'json']))}"]
    if arch is not None:
        words.append(f"-arch={','.join(as_list(arch))}")
    for name in as_list(kernel):
        words += ["-k", name]
    if signature is not None:
        words += ["-sig", _signature.text_of(signature)]
    for name, value in (constants or {}).items():
        words.append(f"-D{name}={_signature.spell(value)}")
    for option, value in (
        ("num-warps", num_warps),
        ("num-stages", num_stages),
        ("num-ctas", num_ctas),
        ("maxnreg", maxnreg),
    ):
        if value is not None:
            words.append(f"-{option}={int(value)}")
    for folder in as_list(include):
        words += ["-I", os.fspath(folder)]
    return words + [os.fspath(o) for o in as_list(options)]


class Compilation:
    """One use of a context. `cancel` may be called by any thread while `run` is under way."""

    def __init__(self, arguments, name, data, memory_limit=0, tool_path=None, cuda_home=None):
        self.arguments = [a.encode() for a in arguments]
        self.name, self.data, self.memory_limit = name, data, memory_limit
        self.tools = [None if t is None else os.fsencode(t) for t in (tool_path, cuda_home)]
        self.diagnostics = []
        self.context = None
        self.is_cancelled = False
        self.lock = threading.Lock()

    def cancel(self):
        with self.lock:
            self.is_cancelled = True
            if self.context is not None:
                _library.library().tritcc_cancel(self.context)

    def _set(self, library, context, callback):
        words = (ctypes.c_char_p * len(self.arguments))(*self.arguments)
        statuses = [
            library.tritcc_set_arguments(context, len(self.arguments), words),
            library.tritcc_set_memory_limit(context, self.memory_limit),
            library.tritcc_set_tool_path(context, *self.tools),
            library.tritcc_set_diagnostic_callback(context, callback, None),
        ]
        if self.data is None:
            statuses.append(library.tritcc_set_input_file(context, os.fsencode(self.name)))
        else:
            statuses.append(library.tritcc_set_input(context, self.name.encode(), self.data, len(self.data)))
        return next((s for s in statuses if s), 0)

    def run(self, kinds):
        """The outputs of these kinds as bytes, and the log; or the exception that tells why not."""
        with _library.gate:
            return self._run(kinds)

    def _run(self, kinds):
        library = _library.library()
        callback = _library.DIAGNOSTIC(lambda user, raw: self.diagnostics.append(errors.diagnostic_of(raw[0])))
        context = _library.pool.take()
        status = _library.BUSY
        try:
            status = self._set(library, context, callback)
            with self.lock:
                self.context = context
                status = status or (_library.CANCELLED if self.is_cancelled else 0)
            if status == 0:
                status = library.tritcc_compile(context)
            log = _text(library, context)
            if status:
                raise _failure(status, log, self.diagnostics)
            return {kind: _output(library, context, kind) for kind in kinds}, log
        finally:
            with self.lock:
                self.context = None
            library.tritcc_set_diagnostic_callback(context, _library.DIAGNOSTIC(), None)
            _library.pool.give(context, status)


def _text(library, context):
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    library.tritcc_get_log(context, ctypes.byref(text), ctypes.byref(size))
    return (text.value or b"").decode(errors="replace")


def _output(library, context, kind):
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    status = library.tritcc_get_output(context, kind.encode(), ctypes.byref(data), ctypes.byref(size))
    if status:
        raise errors.InternalError(f"no output '{kind}': {_library.message(status)}")
    return ctypes.string_at(data, size.value)


def _failure(status, log, diagnostics):
    if status in (_library.OUT_OF_MEMORY,):
        return MemoryError(_library.message(status))
    said = log if log.strip() else _library.message(status)
    return _STATUS_ERRORS.get(status, errors.InternalError)(said, diagnostics)


def input_of(source, filename):
    """(name, bytes or None for a file, the file's kernels or None) of what compile() was given."""
    if isinstance(source, os.PathLike):
        return os.fspath(source), None, None
    if isinstance(source, str):
        return filename or "kernel.py", source.encode(), None
    if isinstance(source, (bytes, bytearray, memoryview)):
        return filename or "kernel.py", bytes(source), None
    if callable(source) or hasattr(source, "fn"):
        from . import _source

        bundle = _source.bundle_of(source)
        return filename or bundle.filename, bundle.text.encode(), bundle
    raise TypeError(f"source is a text, a path, bytes or a function, not {type(source).__name__}")


def decoded(kind, data):
    return data.decode(errors="surrogateescape") if kind in _results.TEXTS else data


def compile(
    source,
    signature=None,
    *,
    arch=None,
    emit=("ptx",),
    kernel=None,
    constants=None,
    num_warps=None,  # noqa: A001
    num_stages=None,
    num_ctas=None,
    maxnreg=None,
    include=None,
    options=(),
    filename=None,
    memory_limit=0,
    cuda_home=None,
):
    """See the stub, __init__.pyi."""
    name, data, bundle = input_of(source, filename)
    if bundle is not None:
        kernel = kernel or bundle.name
        signature = _signature.by_name(signature, bundle.parameters, bundle.name)
    kinds = list(dict.fromkeys([*as_list(emit), "json"]))
    words = arguments_of(
        signature, kernel, arch, emit, constants, num_warps, num_stages, num_ctas, maxnreg, include, options
    )
    if bundle is not None:
        words += ["-x", "tri"]
    if "cubin" in kinds or "obj" in kinds:
        from . import _tools

        words = _tools.with_ptxas(words)
    one = Compilation(
        words, name, data, memory_limit, os.environ.get("PATH", ""), cuda_home or os.environ.get("CUDA_HOME")
    )
    outputs, log = one.run(kinds)
    record = outputs["json"].decode()
    if "json" not in as_list(emit):
        del outputs["json"]
    texts = {kind: decoded(kind, data) for kind, data in outputs.items()}
    return _results.Result(texts, record, one.diagnostics, log)
