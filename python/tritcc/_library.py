"""The binding of libtritcc (include/tritcc/tritcc.h) by ctypes: one library in the process, contexts used again.

A context belongs to one compilation at a time; `Pool` keeps those that are free, for a warm context is faster than a
new one. A forked child starts with none, for what another thread of the parent was doing is not done there."""

import ctypes
import functools
import os
import threading

OK, REJECTED, OPTIONS, INVALID_ARGUMENT, INVALID_HANDLE, BUSY, NOTHING, CANCELLED = range(8)
MEMORY_LIMIT, OUT_OF_MEMORY, INTERNAL, DEAD = range(8, 12)
SONAME = "libtritcc.so.0"
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib")


class RawDiagnostic(ctypes.Structure):
    """tritcc_diagnostic, as version 0.1 of the library knows it."""


RawDiagnostic._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("severity", ctypes.c_int),
    ("code", ctypes.c_int),
    ("group", ctypes.c_char_p),
    ("file", ctypes.c_char_p),
    ("line", ctypes.c_uint32),
    ("column", ctypes.c_uint32),
    ("end_line", ctypes.c_uint32),
    ("end_column", ctypes.c_uint32),
    ("begin", ctypes.c_size_t),
    ("end", ctypes.c_size_t),
    ("text", ctypes.c_char_p),
    ("note_count", ctypes.c_size_t),
    ("notes", ctypes.POINTER(RawDiagnostic)),
]

DIAGNOSTIC = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(RawDiagnostic))
_voidp, _charp, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_FUNCTIONS = {
    "tritcc_strerror": (_charp, [ctypes.c_int]),
    "tritcc_version_string": (_charp, []),
    "tritcc_create": (ctypes.c_int, [ctypes.POINTER(_voidp)]),
    "tritcc_destroy": (ctypes.c_int, [_voidp]),
    "tritcc_set_arguments": (ctypes.c_int, [_voidp, ctypes.c_int, ctypes.POINTER(_charp)]),
    "tritcc_set_input": (ctypes.c_int, [_voidp, _charp, _charp, _size]),
    "tritcc_set_input_file": (ctypes.c_int, [_voidp, _charp]),
    "tritcc_set_memory_limit": (ctypes.c_int, [_voidp, _size]),
    "tritcc_set_tool_path": (ctypes.c_int, [_voidp, _charp, _charp]),
    "tritcc_set_diagnostic_callback": (ctypes.c_int, [_voidp, DIAGNOSTIC, _voidp]),
    "tritcc_compile": (ctypes.c_int, [_voidp]),
    "tritcc_cancel": (ctypes.c_int, [_voidp]),
    "tritcc_get_output": (ctypes.c_int, [_voidp, _charp, ctypes.POINTER(_voidp), ctypes.POINTER(_size)]),
    "tritcc_get_log": (ctypes.c_int, [_voidp, ctypes.POINTER(_charp), ctypes.POINTER(_size)]),
}


def path():
    """Where the library is: TRITCC_LIBRARY, this package, the finished build that the package stands in, or anywhere."""
    named = os.environ.get("TRITCC_LIBRARY")
    if named:
        return named
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for folder in (FOLDER, build):
        if os.path.exists(os.path.join(folder, SONAME)):
            return os.path.join(folder, SONAME)
    return SONAME


def _read_ahead(name):
    """Lets the system read the file while the program goes on: of 100 MB the first kernel touches half, here and there."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_WILLNEED)
    except (OSError, AttributeError):
        pass
    finally:
        os.close(handle)


def _load():
    name = path()
    if os.sep in name:
        _read_ahead(name)
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"cannot load tritcc's library: {error}; 'make lib' builds it, TRITCC_LIBRARY names it"
        ) from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_loaded = None
_lock = threading.Lock()


def library():
    """The library, which the first call loads."""
    global _loaded
    if _loaded is None:
        with _lock:
            _loaded = _loaded or _load()
    return _loaded


def version():
    """'0.1.0', or '0.1.0 COMMIT' of a build whose commit is known."""
    return library().tritcc_version_string().decode()


@functools.lru_cache
def identity():
    """Changes whenever the library does: what caches of compiled code must ask for."""
    where = path()
    try:
        with open(os.path.join(os.path.dirname(where), "BUILD")) as stamp:
            return f"{version()} {stamp.read().strip()}"
    except OSError:
        pass
    try:
        found = os.stat(where)
        return f"{version()} {found.st_size:x}-{found.st_mtime_ns:x}"
    except OSError:
        return version()


def message(status):
    return library().tritcc_strerror(status).decode()


class Pool:
    """Free contexts. `take` gives one to the caller alone, `give` returns it, unless it is dead."""

    def __init__(self):
        self.free = []

    def take(self):
        try:
            return self.free.pop()
        except IndexError:
            context = ctypes.c_void_p()
            status = library().tritcc_create(ctypes.byref(context))
            if status:
                raise MemoryError(message(status))
            return context

    def give(self, context, status):
        if status in (OUT_OF_MEMORY, INTERNAL, DEAD, BUSY):
            library().tritcc_destroy(context)
        else:
            self.free.append(context)

    def forget(self):
        self.free = []


class Gate:
    """Keeps forks and compilations apart: a child has the locks of the library and of LLVM as they are at that moment, and
    nobody who would open them. A fork waits for compilations under way, but not for ever (one may be what forks)."""

    LONGEST = 10.0

    def __init__(self):
        self.condition = threading.Condition()
        self.inside, self.is_closed = 0, False

    def __enter__(self):
        with self.condition:
            while self.is_closed:
                self.condition.wait()
            self.inside += 1

    def __exit__(self, *_):
        with self.condition:
            self.inside -= 1
            if self.inside == 0:
                self.condition.notify_all()

    def close(self):
        with self.condition:
            self.is_closed = True
            self.condition.wait_for(lambda: self.inside == 0, self.LONGEST)

    def open(self):
        with self.condition:
            self.is_closed = False
            self.condition.notify_all()

    def forget(self):
        self.__init__()


pool, gate = Pool(), Gate()


def _in_child():
    pool.forget()
    gate.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=gate.close, after_in_parent=gate.open, after_in_child=_in_child)
