"""tritcc.export: kernels compiled ahead of time, as an object with a C header and as a module of Python."""

import keyword
import os
import subprocess
import tempfile
import typing

from . import _compile, _load, _signature, _source, errors


class Exported(typing.NamedTuple):
    """The files that were written."""

    object: str
    header: str
    module: str
    stub: str


_MODULE = '''"""{names}, compiled by tritcc {version}: {archs}."""
import os

from tritcc import load as _load

_kernels = _load(os.path.join(os.path.dirname(os.path.abspath(__file__)), {object!r}), {table!r})
'''
_FUNCTION = """

def {name}(grid, {parameters}*, stream=0):
    _kernels[{name!r}](grid, ({arguments}), stream)
"""
_STUB = """from typing import Any, Protocol, Union

Grid = Union[int, tuple[int], tuple[int, int], tuple[int, int, int]]

class Array(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
"""


def load(path, table):
    """The launchers of an exported object: table has the parameters of each kernel, as str() of one gives it."""
    with open(path, "rb") as file:
        loaded = _load.Loaded([file.read()])
    return {name: loaded.kernel(name, tuple(map(_load.Parameter.of_text, texts))) for name, texts in table.items()}


def _named(signatures, kernel):
    """{name of the kernel: signature}."""
    name = getattr(_source.plain(_source.unwrapped(kernel)), "__name__", "kernel")
    parameters = set(_source.plain(_source.unwrapped(kernel)).__code__.co_varnames)
    if isinstance(signatures, dict) and not set(signatures) <= parameters:
        return dict(signatures)
    if (
        isinstance(signatures, (list, tuple))
        and signatures
        and all(isinstance(s, (list, tuple, dict)) for s in signatures)
    ):
        return {name if i == 0 else f"{name}_{i}": s for i, s in enumerate(signatures)}
    return {name: signatures}


def _annotation(word):
    if word.startswith("("):
        return f"tuple[{', '.join(map(_annotation, _load.split_tuple(word)))}]"
    if word == "constexpr":
        return "Any"
    if word.startswith("*"):
        return "Union[Array, int, None]"
    return (
        "Any"
        if word.startswith("tensordesc")
        else "bool"
        if word in ("i1", "u1")
        else "float"
        if word.startswith(("fp", "bf"))
        else "int"
    )


def _constants(kernel):
    return {p.name: p.value for p in kernel.parameters if p.constexpr}


def _texts(kernels, archs, object_name):
    """(the module, its stub)"""
    from . import _library

    table = {name: tuple(map(str, _load.parameters_of(k))) for name, k in kernels.items()}
    module = _MODULE.format(
        names=", ".join(kernels), version=_library.version(), archs=", ".join(archs), object=object_name, table=table
    )
    stub = _STUB
    for name, kernel in kernels.items():
        given = [(p.name + "_" * keyword.iskeyword(p.name), p.type) for p in kernel.parameters if not p.constexpr]
        module += _FUNCTION.format(
            name=name, parameters="".join(f"{n}, " for n, _ in given), arguments="".join(f"{n}, " for n, _ in given)
        )
        typed = "".join(f"{n}: {_annotation(w)}, " for n, w in given)
        constants = ", ".join(f"{n}={v}" for n, v in _constants(kernel).items())
        stub += f'\ndef {name}(grid: Grid, {typed}*, stream: int = ...) -> None:\n    """{", ".join(f"{n}: {w}" for n, w in given)}'
        stub += f"; {constants}" * bool(constants) + '"""\n'
    return module, stub


def _joined(objects):
    """One relocatable object of several."""
    if len(objects) == 1:
        return objects[0]
    compiler = _load.host_compiler()
    with tempfile.TemporaryDirectory(prefix="tritcc-") as folder:
        paths = _load.write_objects(objects, folder)
        whole = os.path.join(folder, "all.o")
        run = subprocess.run([*compiler, "-r", "-nostdlib", "-o", whole, *paths], capture_output=True, text=True)
        if run.returncode:
            raise errors.LaunchError(f"'{compiler[0]} -r' failed:\n{run.stderr}")
        with open(whole, "rb") as data:
            return data.read()


def _written(path, data):
    """Writes beside the name, and renames: what is there under a name is whole."""
    with open(path + ".new", "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())
    os.replace(path + ".new", path)
    return path


def export(kernel, signatures, archs, out, *, options=(), **given):
    """See the stub, __init__.pyi."""
    archs = _compile.as_list(archs)
    stem = os.fspath(out).removesuffix(".o")
    objects, headers, kernels = [], [], {}
    for name, signature in _named(signatures, kernel).items():
        bundle = _source.bundle_of(kernel, name)
        text = _signature.by_name(signature, bundle.parameters, bundle.name)
        result = _compile.compile(
            bundle.text,
            text,
            arch=archs,
            emit=("obj", "header"),
            kernel=bundle.name,
            options=[*_compile.as_list(options), "-x", "tri"],
            filename=bundle.filename,
            **given,
        )
        objects.append(result.obj)
        headers.append(result.header)
        kernels[name] = result.kernels[0]
    module, stub = _texts(kernels, archs, os.path.basename(stem) + ".o")
    return Exported(
        _written(stem + ".o", _joined(objects)),
        _written(stem + ".h", "\n".join(headers)),
        _written(stem + ".py", module),
        _written(stem + ".pyi", stub),
    )
