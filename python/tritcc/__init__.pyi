import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from . import errors as errors
from . import triton as triton
from .errors import (CancelledError as CancelledError, CompileError as CompileError, Diagnostic as Diagnostic, Error as Error,
                     InternalError as InternalError, LaunchError as LaunchError, MemoryLimitError as MemoryLimitError,
                     OptionsError as OptionsError, SourceError as SourceError)

__version__: str

_Words = Union[str, Sequence[str]]
_Signature = Union[str, Sequence[Any], Mapping[str, Any]]

class Constexpr:
    """A constant in a signature where a text would be a type: Constexpr("relu")."""
    value: Any
    def __init__(self, value: Any) -> None: ...

class Parameter:
    name: str
    type: str
    constexpr: bool
    value: str | None
    argument: int | None
    divisibility: int
    read_only: bool

class Kernel:
    """What the compiler says of a kernel: the record of -emit=json."""
    name: str
    symbol: str
    target: str
    arch: str
    num_warps: int
    num_stages: int
    num_ctas: int
    maxnreg: int | None
    threads_per_warp: int
    shared_bytes: int
    scratch_bytes: int
    scratch_alignment: int | None
    registers: int | None
    spill_bytes: int | None
    parameters: tuple[Parameter, ...]
    record: dict[str, Any]
    def __getattr__(self, name: str) -> Any: ...

class Result:
    """Outputs by kind: result["ptx"] and result.ptx. Texts are str, images are bytes."""
    outputs: dict[str, Union[str, bytes]]
    kernels: tuple[Kernel, ...]
    diagnostics: tuple[Diagnostic, ...]
    log: str
    ast: str
    ttir: str
    ttgir: str
    linalg: str
    llir: str
    ptx: str
    spvasm: str
    amdgcn: str
    asm: str
    header: str
    json: str
    cubin: bytes
    spirv: bytes
    zebin: bytes
    hsaco: bytes
    obj: bytes
    @property
    def kernel(self) -> Kernel: ...
    @property
    def warnings(self) -> tuple[Diagnostic, ...]: ...
    def __getitem__(self, kind: str) -> Union[str, bytes]: ...
    def __iter__(self) -> Iterator[str]: ...

class Compilation:
    diagnostics: list[Diagnostic]
    def __init__(self, arguments: Sequence[str], name: str, data: bytes | None, memory_limit: int = ...,
                 tool_path: str | None = ..., cuda_home: str | None = ...) -> None: ...
    def run(self, kinds: Sequence[str]) -> tuple[dict[str, bytes], str]: ...
    def cancel(self) -> None: ...

def compile(source: Union[str, bytes, os.PathLike[str], Callable[..., Any]], signature: _Signature | None = ..., *,
            arch: _Words | None = ..., emit: _Words = ..., kernel: _Words | None = ...,
            constants: Mapping[str, Any] | None = ..., num_warps: int | None = ..., num_stages: int | None = ...,
            num_ctas: int | None = ..., maxnreg: int | None = ...,
            include: Union[str, Sequence[Union[str, os.PathLike[str]]], None] = ..., options: _Words = ...,
            filename: str | None = ..., memory_limit: int = ..., cuda_home: str | None = ...) -> Result:
    """Compiles kernels, in this process.

    source: a text, a path (os.PathLike), bytes of any stage (filename's suffix says which), or a function, with or without
        @triton.jit, of which a self-contained source is built.
    signature: as -sig takes it; or a type or constant for each parameter, by position or by name. Strings are types,
        everything else is a constant; Constexpr("x") is a constant that is a string.
    emit: the stages that are wanted: "ttir", "ttgir", "llir", "ptx", "cubin", "asm", "obj", ...
    options: further options of the command.

    Raises CompileError when the input is rejected, OptionsError when the options are wrong.
    """
