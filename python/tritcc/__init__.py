"""tritcc, an ahead-of-time compiler for Triton kernels, from Python: see README.md beside this package.

Nothing is loaded before it is used: the library by the first compilation, torch and Triton where they are asked for.
"""

import importlib as _importlib

_FROM = {
    "compile": "_compile",
    "Compilation": "_compile",
    "jit": "_jit",
    "JitKernel": "_jit",
    "export": "_export",
    "Exported": "_export",
    "load": "_export",
    "Result": "_results",
    "Kernel": "_results",
    "Parameter": "_results",
    "Constexpr": "_signature",
    "Diagnostic": "errors",
    "Error": "errors",
    "CompileError": "errors",
    "OptionsError": "errors",
    "InternalError": "errors",
    "CancelledError": "errors",
    "MemoryLimitError": "errors",
    "SourceError": "errors",
    "LaunchError": "errors",
}
_MODULES = ("errors", "language", "triton")
__all__ = sorted([*_FROM, "__version__"])


def __getattr__(name):
    if name == "__version__":
        from . import _library

        value = _library.version().split()[0]
    elif name in _FROM:
        value = getattr(_importlib.import_module(f".{_FROM[name]}", __name__), name)
    elif name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module 'tritcc' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__, *_MODULES})
