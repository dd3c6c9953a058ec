"""What caches of kernels ask for: the Triton and the tritcc that are installed.

Triton's own key is the contents of its files, of which its library alone has 0.4 GB: reading them takes most of a second
in each process that compiles, a third of what tritcc takes for all kernels of a small model. Here the files' names, sizes
and times stand for the contents; what is in the cache under such a key is apart from Triton's own in any case."""

import functools
import hashlib
import os

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


def install(patch):
    from triton.runtime import autotuner, cache

    patch(cache, "triton_key", _triton_key)
    if hasattr(autotuner, "triton_key"):
        patch(autotuner, "triton_key", lambda plain: cache.triton_key)
