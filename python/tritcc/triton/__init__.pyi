from collections.abc import Sequence
from typing import NamedTuple

class UnsupportedTriton(ImportError): ...
class TritccWarning(UserWarning): ...

class Refused(Exception):
    """tritcc does not compile a kernel, and strict mode does not let Triton do it."""

    reason: str
    cause: BaseException | None

class Entry(NamedTuple):
    name: str
    by: str
    reason: str
    cached: bool

class Report:
    """What became of each kernel. str() of it is for people."""

    entries: tuple[Entry, ...]
    @property
    def compiled(self) -> tuple[Entry, ...]: ...
    @property
    def fallbacks(self) -> tuple[Entry, ...]: ...
    @property
    def noted(self) -> tuple[Entry, ...]: ...
    @property
    def rejected(self) -> tuple[Entry, ...]: ...

def install(
    strict: bool | None = ...,
    frontend: str | None = ...,
    warnings: bool | None = ...,
    options: str | Sequence[str] | None = ...,
    launcher: str | None = ...,
    texts: bool | None = ...,
) -> None:
    """From now on, Triton's kernels for NVIDIA GPUs are compiled by tritcc, here and in processes that start from here.

    strict: what tritcc refuses raises, as Triton's exceptions; else Triton compiles it, and report() lists it.
    frontend: "tritcc", or "triton": Triton's own front end makes ttir, and tritcc the rest.
    warnings: the compiler's warnings are Python's, of the category TritccWarning.
    options: further options of the command, for every kernel.
    launcher: of kernels that @triton.jit functions are called with directly: "tritcc" (as long as nothing is said), for
        which the compiler makes tensor maps by itself, or "triton". Inductor's kernels are launched by Triton's.
    texts: ttir, ttgir and llir are written to the cache with each kernel, as Triton does; else kernel.asm makes them
        when they are asked for.
    """

def uninstall() -> None: ...
def is_installed() -> bool: ...
def report() -> Report: ...
def clear_report() -> None: ...
def is_asked_for() -> bool: ...
