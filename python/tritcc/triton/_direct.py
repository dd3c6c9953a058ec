"""Kernels that programs call by themselves, kernel[grid](...): compiled for tritcc's launcher, and launched by it.

Triton's JIT chooses the kernel for the arguments, and loads it; from there on a launch is one call (launch.c). It
gives kernels the scratch memory in which they make tensor maps, so that these are compiled with all that the compiler
finds; and nothing is compiled for a launch, which Triton 3.6 has the host's C compiler do for each signature. Inductor
compiles without the JIT, and keeps Triton's launchers."""

import ctypes
import functools
import os
import threading

from .. import _library
from . import _launcher
from ._state import current

_LETTERS = {
    "i1": "?",
    "u1": "?",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "l",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "L",
    "fp16": "e",
    "bf16": "g",
    "fp32": "f",
    "f32": "f",
    "fp64": "d",
    "constexpr": "x",
}
_local = threading.local()


class NoLauncher(ImportError):
    """The library of the launcher cannot be loaded."""


@functools.lru_cache
def _make():
    """tritcc_python_launcher."""
    path = os.path.join(_library.FOLDER, "launch.so")
    try:
        make = ctypes.PyDLL(path).tritcc_python_launcher
    except (OSError, AttributeError) as error:
        raise NoLauncher(f"cannot load tritcc's launcher: {error}; it comes with the wheel") from None
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_char_p, *[ctypes.c_uint32] * 3, ctypes.c_uint64, ctypes.c_uint64]
    make.argtypes += [ctypes.py_object, ctypes.c_int, ctypes.c_int]
    return make


def require():
    """NoLauncher where there is none."""
    _make()


@functools.lru_cache
def missing():
    """Why there is no such launcher, or None."""
    try:
        _make()
    except NoLauncher as error:
        return str(error)
    return None


def _letters(ty, path, constants):
    if path in constants:
        return "x"
    if isinstance(ty, (tuple, list)):
        return "(" + "".join(_letters(t, (*path, i), constants) for i, t in enumerate(ty)) + ")"
    if ty.startswith("*"):
        return "P"
    if _launcher.is_descriptor(ty):
        return f"D{_launcher.rank_of(ty)}"
    return _LETTERS[ty]


def letters_of(source):
    """The arguments of a kernel as launch.c reads them."""
    names = source.fn.arg_names
    constants = {(names.index(k),) if isinstance(k, str) else k for k in source.constants}
    return "".join(_letters(ty, (names.index(name),), constants) for name, ty in source.signature.items())


def _allocate(size, alignment, stream):
    """Scratch memory: of the user's allocator or torch's, or None for the driver's."""
    import sys

    from triton.runtime import _allocation

    allocator = _allocation._allocator.get()
    if not isinstance(allocator, _allocation.NullAllocator):
        return allocator(size, alignment, stream)
    return _launcher.allocate(size, alignment, stream) if "torch" in sys.modules else None


def is_called(source):
    """Is it compiled for a call of the program's?"""
    return getattr(source, "tritcc_is_called", False)


def is_wanted(source):
    """Is it, and is it to be launched by tritcc?"""
    return getattr(source, "tritcc_wants_direct", False)


def is_direct(source):
    """Will tritcc's launcher have it?"""
    return is_wanted(source) and missing() is None


def launcher_of(source, metadata):
    """What launches a kernel that says so in its metadata; None for others."""
    said = getattr(metadata, "tritcc", None) or {}
    if said.get("launcher") != "tritcc":
        return None
    return _make()(
        letters_of(source).encode(),
        metadata.num_warps * metadata.target.warp_size,
        metadata.shared,
        getattr(metadata, "num_ctas", 1) or 1,
        metadata.global_scratch_size,
        metadata.global_scratch_align,
        _allocate if metadata.global_scratch_size else None,
        int(metadata.launch_cooperative_grid),
        int(metadata.launch_pdl),
    )


def _do_compile(plain):
    @functools.wraps(plain)
    def do_compile(self, *args, **kwargs):
        before, _local.is_called = getattr(_local, "is_called", False), True
        try:
            return plain(self, *args, **kwargs)
        finally:
            _local.is_called = before

    return do_compile


def _source(plain):
    @functools.wraps(plain)
    def __init__(self, *args, **kwargs):
        plain(self, *args, **kwargs)
        self.tritcc_is_called = getattr(_local, "is_called", False)
        self.tritcc_wants_direct = self.tritcc_is_called and current.launcher == "tritcc"

    return __init__


def _init_handles(plain):
    """What the JIT calls from then on is the launch itself."""

    @functools.wraps(plain)
    def init_handles(self):
        plain(self)
        self._run = getattr(self._run, "tritcc_launch", None) or self._run

    return init_handles


def install(patch):
    from triton.compiler import compiler
    from triton.runtime import jit

    patch(jit.JITFunction, "_do_compile", _do_compile)
    patch(compiler.ASTSource, "__init__", _source)
    patch(compiler.CompiledKernel, "_init_handles", _init_handles)
