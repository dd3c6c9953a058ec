"""What caches of kernels ask for: the Triton, the ptxas and the tritcc that are installed, and the source.

Triton's own key is the contents of its files, of which its library alone has 0.4 GB: reading them takes most of a second
in each process that compiles, a third of what tritcc takes for all kernels of a small model. Here the files' names, sizes
and times stand for the contents, and so they do for what ptxas says of its version, a process less; what is in the cache
under such a key is apart from Triton's own in any case.

Of a source, Triton's key goes through the syntax of the kernel and of all that it calls, which takes as long as tritcc
takes for many a kernel. The self-contained source that tritcc compiles holds the same, and stands for it; where there is
none, or something of the kernel's is not in it, Triton's key is asked for."""

import functools
import hashlib
import os

from . import _direct, _request
from ._state import current


@functools.lru_cache
def _files_of(folder):
    """A digest of all modules of a package as the file system knows them. OSError."""
    seen = []
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.endswith((".py", ".so", ".pyd")):
                path = os.path.join(at, name)
                found = os.stat(path)
                seen.append(f"{os.path.relpath(path, folder)} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(seen).encode()).hexdigest()


def _triton_key(plain):
    import triton

    folder = os.path.dirname(os.path.abspath(triton.__file__))

    @functools.wraps(plain)
    def triton_key():
        try:
            known = f"{triton.__version__}-{_files_of(folder)}"
        except OSError:
            known = plain()
        return f"{known}-{current.key()}"

    return triton_key


def _backend_hash(plain):
    @functools.lru_cache
    def extended(self, key):
        from triton.backends.nvidia import compiler

        try:
            tool = compiler.get_ptxas(self.target.arch)
            found = os.stat(tool.path)
            known = f"{tool.path}-{tool.version}-{found.st_size}-{found.st_mtime_ns}-{self.target.arch}"
        except (AttributeError, OSError, RuntimeError):
            known = plain(self)
        return f"{known}-{key}"

    def hash(self):  # noqa: A001
        return extended(self, current.key())

    return hash


def _is_plain(source, knobs):
    """Is a source's key to be Triton's own? Folders of dumps and overrides are named by it; and of kernels that programs
    call it remembers the values of globals, which must not change."""
    compilation = knobs.compilation
    is_asked = compilation.dump_ir or compilation.override or current.frontend != "tritcc"
    return is_asked or _direct.is_called(source) or getattr(source.language, "name", "TRITON") != "TRITON"


def _source_hash(plain):
    @functools.wraps(plain)
    def hash(self):  # noqa: A001
        from triton import knobs

        made = None if _is_plain(self, knobs) else _request.begin(self, knobs)
        if made is None or made.bundle.missing:
            known = plain(self)
        else:
            values = [str(v) for _, v in sorted(self.constants.items()) if not hasattr(v, "cache_key")]
            known = hashlib.sha256("\0".join([made.bundle.text, made.signature, str(self.attrs), *values]).encode()).hexdigest()
        return known + "-direct" if _direct.is_direct(self) else known

    return hash


def install(patch):
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.compiler.compiler import ASTSource
    from triton.runtime import autotuner, cache

    patch(cache, "triton_key", _triton_key)
    patch(CUDABackend, "hash", _backend_hash)
    patch(ASTSource, "hash", _source_hash)
    if hasattr(autotuner, "triton_key"):
        patch(autotuner, "triton_key", lambda plain: cache.triton_key)
