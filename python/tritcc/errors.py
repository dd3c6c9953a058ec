"""What goes wrong, and what the compiler says: records, and the exceptions that carry them."""

import typing

NOTE, REMARK, WARNING, ERROR, FIX = range(5)
SEVERITIES = ("note", "remark", "warning", "error", "fix")


class Diagnostic(typing.NamedTuple):
    """One message of the compiler. Lines and columns count from 1, columns in bytes; 0 stands for no place."""

    severity: str
    code: str
    group: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    begin: int
    end: int
    text: str
    notes: tuple

    def __str__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.severity}: {self.text}" + (f" [{self.code}]" if self.code else "")


def diagnostic_of(raw):
    """The record that a callback borrows, as one to keep."""

    def text(value):
        return (value or b"").decode(errors="replace")

    notes = tuple(diagnostic_of(raw.notes[i]) for i in range(raw.note_count))
    severity = SEVERITIES[raw.severity] if 0 <= raw.severity < len(SEVERITIES) else "note"
    return Diagnostic(
        severity,
        f"TRI-{raw.code}" if raw.code else "",
        text(raw.group),
        text(raw.file),
        raw.line,
        raw.column,
        raw.end_line,
        raw.end_column,
        raw.begin,
        raw.end,
        text(raw.text),
        notes,
    )


class Error(Exception):
    """Everything that this package raises of its own is one."""


class CompileError(Error):
    """The input was rejected, or a tool failed: `diagnostics` has the records, `log` what the command would print."""

    def __init__(self, log, diagnostics=()):
        super().__init__(log)
        self.log = log
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self):
        return type(self), (self.log, self.diagnostics)

    def __str__(self):
        return self.log.rstrip("\n")

    @property
    def error(self):
        """The first error's record, or None."""
        return next((d for d in self.diagnostics if d.severity == "error"), None)

    @property
    def code(self):
        """'TRI-nnnn' of the first error, or ''."""
        return self.error.code if self.error else ""

    @property
    def location(self):
        """(file, line, column) of the first error, or None."""
        return (self.error.file, self.error.line, self.error.column) if self.error and self.error.line else None


class OptionsError(CompileError, ValueError):
    """The options are wrong, or do not fit the input."""


class CancelledError(CompileError):
    """The compilation was cancelled."""


class MemoryLimitError(CompileError):
    """The compilation passed its limit of memory."""


class InternalError(CompileError):
    """A fault of the compiler. Please report it with the input."""


class SourceError(Error, TypeError):
    """A function whose self-contained source cannot be written: it refers to something that has no text."""


class LaunchError(Error, RuntimeError):
    """A kernel that could not be started, or a device that could not be had."""
