import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Union

from . import errors as errors
from . import language as language
from . import triton as triton
from .errors import (
    CancelledError as CancelledError,
    CompileError as CompileError,
    Diagnostic as Diagnostic,
    Error as Error,
    InternalError as InternalError,
    LaunchError as LaunchError,
    MemoryLimitError as MemoryLimitError,
    OptionsError as OptionsError,
    SourceError as SourceError,
)

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
    def __init__(
        self,
        arguments: Sequence[str],
        name: str,
        data: bytes | None,
        memory_limit: int = ...,
        tool_path: str | None = ...,
        cuda_home: str | None = ...,
    ) -> None: ...
    def run(self, kinds: Sequence[str]) -> tuple[dict[str, bytes], str]: ...
    def cancel(self) -> None: ...

def compile(
    source: Union[str, bytes, os.PathLike[str], Callable[..., Any]],
    signature: _Signature | None = ...,
    *,
    arch: _Words | None = ...,
    emit: _Words = ...,
    kernel: _Words | None = ...,
    constants: Mapping[str, Any] | None = ...,
    num_warps: int | None = ...,
    num_stages: int | None = ...,
    num_ctas: int | None = ...,
    maxnreg: int | None = ...,
    include: Union[str, Sequence[Union[str, os.PathLike[str]]], None] = ...,
    options: _Words = ...,
    filename: str | None = ...,
    memory_limit: int = ...,
    cuda_home: str | None = ...,
) -> Result:
    """Compiles kernels, in this process.

    source: a text, a path (os.PathLike), bytes of any stage (filename's suffix says which), or a function, with or
        without @triton.jit, of which a self-contained source is built.
    signature: as -sig takes it; or a type or constant for each parameter, by position or by name. Strings are types,
        everything else is a constant; Constexpr("x") is a constant that is a string.
    emit: the stages that are wanted: "ttir", "ttgir", "llir", "ptx", "cubin", "asm", "obj", ...
    options: further options of the command.

    Raises CompileError when the input is rejected, OptionsError when the options are wrong.
    """

class JitKernel:
    """A kernel that is compiled when it is called: kernel[grid](*arguments, **constants)."""

    def __init__(
        self,
        function: Callable[..., Any],
        arch: _Words | None = ...,
        threads: int | None = ...,
        options: _Words = ...,
        **given: Any,
    ) -> None: ...
    def __getitem__(self, grid: Any) -> Callable[..., Result]: ...

def jit(
    function: Callable[..., Any] | None = ...,
    *,
    arch: _Words | None = ...,
    threads: int | None = ...,
    options: _Words = ...,
    **given: Any,
) -> Any:
    """A kernel that is launched from Python without Triton, on the host or on a CUDA device: where its arrays are.

    Arrays are NumPy's, torch's, or anything with __dlpack__(). The call takes stream=, num_warps= and num_stages=
    beside the kernel's own parameters, and gives the Result of the compilation. The host's cc links.

    arch: for instance "x86-64-v3" or ["sm_90a", "compute_80"]; by itself that of the device.
    threads: of the host, for the programs of a grid; by itself one for each processor.
    """

class Exported(NamedTuple):
    object: str
    header: str
    module: str
    stub: str

def export(
    kernel: Callable[..., Any],
    signatures: Any,
    archs: _Words,
    out: Union[str, os.PathLike[str]],
    *,
    options: _Words = ...,
    **given: Any,
) -> Exported:
    """Compiles a kernel ahead of time: OUT.o with an image for each architecture, OUT.h for C, and OUT.py with OUT.pyi,
    a module with a function for each kernel: add((8,), x, y, o, n).

    signatures: one signature, a sequence of them (kernel, kernel_1, ...), or a mapping from names of kernels.
    """

def load(path: Union[str, os.PathLike[str]], table: Mapping[str, Sequence[str]]) -> dict[str, Callable[..., None]]:
    """What an exported module calls: the launchers in an object."""
