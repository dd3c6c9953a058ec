"""Files of Triton's cache, written with fewer steps.

Triton makes a folder for each of the eight files of a kernel, writes the file in it, moves it out and removes the
folder and, in vain, those around it: a third of what a small kernel costs beside its compilation. A file of another name
in the same folder serves the same end: what is interrupted never has the name that is looked for."""

import functools
import io
import itertools
import locale
import os

_process = os.urandom(8).hex()  # hosts may share a folder; processes made by fork() differ by their numbers
_count = itertools.count()


def _write(path, data):
    try:
        with io.FileIO(path, "xb") as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
    except BaseException:
        try:
            os.unlink(path)
        except OSError:
            pass
        raise


def _put(plain):
    @functools.wraps(plain)
    def put(self, data, filename, binary=True):
        if not self.cache_dir or self.lock_path is None:
            return plain(self, data, filename, binary)
        if not isinstance(data, bytes):
            data = str(data).encode(locale.getpreferredencoding(False))
        path = self._make_path(filename)
        beside = f"{path}.tmp.{os.getpid()}.{_process}.{next(_count)}"
        try:
            _write(beside, data)
            os.replace(beside, path)
        except FileNotFoundError:  # someone has removed the folder
            return plain(self, data, filename, binary)
        return path

    return put


def install(patch):
    from triton.runtime.cache import FileCacheManager

    if getattr(FileCacheManager.put, "__module__", "") == FileCacheManager.__module__:  # else it is someone's own
        patch(FileCacheManager, "put", _put)
