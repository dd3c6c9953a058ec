"""What became of each kernel, in this process and in those that it started.

A kernel's fate is in its metadata, so that it is known of kernels out of a cache, too. Processes that were started from
here (workers of torch.compile) append theirs to a file that TRITCC_REPORT names."""

import atexit
import json
import os
import tempfile
import threading
import typing

_lock = threading.Lock()
_entries: dict = {}
_owner = None
_file = None
_rejections = 0


class Entry(typing.NamedTuple):
    """`by` is 'tritcc' or 'triton', or 'none' for a kernel that neither takes; `reason` is why it was not tritcc, or what
    may make it slower than Triton's."""

    name: str
    by: str
    reason: str
    cached: bool


class Report:
    def __init__(self, entries):
        self.entries = tuple(entries)

    def _of(self, by):
        return tuple(e for e in self.entries if e.by == by)

    @property
    def compiled(self):
        """Kernels by tritcc."""
        return self._of("tritcc")

    @property
    def fallbacks(self):
        """Kernels that tritcc refused and Triton compiled."""
        return self._of("triton")

    @property
    def noted(self):
        """Kernels by tritcc that lack something which Triton's have."""
        return tuple(e for e in self.compiled if e.reason)

    @property
    def rejected(self):
        """Kernels that neither compiles."""
        return self._of("none")

    def __str__(self):
        counts = f"{len(self.compiled)} kernels by tritcc, {len(self.fallbacks)} by Triton"
        lines = [f"{counts}, {len(self.rejected)} rejected by both"]
        words = {"tritcc": "note", "triton": "by Triton", "none": "rejected"}
        lines += [f"  {e.name}: {words[e.by]}: {e.reason}" for e in self.fallbacks + self.rejected + self.noted]
        return "\n".join(lines)

    def __repr__(self):
        return f"<{str(self).splitlines()[0]}>"


def start():
    """The first process that installs owns the file; those that it starts find its name."""
    global _owner, _file
    if _owner is not None:
        return
    _file = os.environ.get("TRITCC_REPORT")
    if _file:
        _owner = -1
        return
    _owner = os.getpid()
    try:
        handle, _file = tempfile.mkstemp(prefix="tritcc-report-")
    except OSError:
        _file = None
        return
    os.close(handle)
    os.environ["TRITCC_REPORT"] = _file
    atexit.register(_remove)


def _remove():
    if os.getpid() == _owner and _file:
        try:
            os.unlink(_file)
        except OSError:
            pass
        if os.environ.get("TRITCC_REPORT") == _file:
            del os.environ["TRITCC_REPORT"]


def _add(key, entry):
    with _lock:
        if key in _entries:
            if not _entries[key].name:  # of a source that did not pass by us
                _entries[key] = _entries[key]._replace(name=entry.name)
            return
        _entries[key] = entry
    if os.getpid() != _owner and _file:
        line = json.dumps([key, *entry]) + "\n"
        try:
            with open(_file, "a") as out:
                out.write(line)
        except OSError:
            pass


def mark(metadata, name, reason, note="", launcher="triton", command=None):
    """Says in a kernel's metadata, and in the report, who compiled it, tritcc unless there is a reason, whose launcher
    it is for, and the command that makes its texts (the source's name first), where they are not there."""
    if "tritcc" in metadata and (reason is None or metadata["tritcc"].get("reason")):
        return
    from .. import _library

    metadata["tritcc"] = {"version": _library.version(), "reason": reason, "note": note, "launcher": launcher}
    if command:
        metadata["tritcc"]["command"] = command
    _add(metadata["hash"], Entry(name, "triton" if reason else "tritcc", reason or note, False))


def rejected(name, reason):
    global _rejections
    _rejections += 1
    _add(f"rejected {os.getpid()} {_rejections}", Entry(name, "none", reason or "", False))


def loaded(kernel):
    """A kernel that Triton has in its hands: one out of a cache is new to the report."""
    said = getattr(kernel.metadata, "tritcc", None)
    name, reason = kernel.name, (said or {}).get("reason")
    if said is None:
        name, reason = getattr(kernel.src, "name", kernel.name), "compiled for another target or without the plug-in"
    note = (said or {}).get("note", "")
    _add(kernel.hash, Entry(name, "triton" if reason else "tritcc", reason or note, True))


def report():
    with _lock:
        entries = dict(_entries)
    try:
        with open(_file or os.devnull) as lines:
            for line in lines:
                try:
                    key, *fields = json.loads(line)
                except ValueError:
                    continue
                entries.setdefault(key, Entry(*fields))
    except OSError:
        pass
    return Report(entries.values())


def clear():
    with _lock:
        _entries.clear()
    if os.getpid() == _owner and _file:
        try:
            os.truncate(_file, 0)
        except OSError:
            pass
