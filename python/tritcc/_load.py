"""Objects of the compiler in this process: linked by the host's cc, loaded, and called with Python's values.

An object has a launcher for each kernel, which picks among the forms and images it holds, finds the driver by itself,
and gives a status."""

import ctypes
import os
import shutil
import subprocess
import tempfile
import typing

from . import _arrays, errors

_STATUS = {
    1: "the grid is too large for the device",
    2: "there is no driver for this kind of device",
    3: "the driver has no such device",
    4: "the object has no code for this device",
    5: "the driver refused the code",
    6: "a device_assert failed",
    7: "no memory for scratch space",
    8: "an access outside of an argument",
    9: "something that the language leaves undefined",
    10: "no such number of threads",
}
_SHIM = """int tri_threads(int) __attribute__((weak));
const char *tri_strerror(int) __attribute__((weak));
int tritcc_python_threads(int n) { return tri_threads ? tri_threads(n) : 0; }
const char *tritcc_python_strerror(int n) { return tri_strerror ? tri_strerror(n) : ""; }
"""


class Grid(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class Descriptor(ctypes.Structure):
    """tri_tensordesc."""

    _fields_ = [
        ("base", ctypes.c_void_p),
        ("shape", ctypes.c_int64 * 5),
        ("strides", ctypes.c_int64 * 5),
        ("pads_nan", ctypes.c_int32),
    ]


_SCALARS = {
    "i1": ctypes.c_uint8,
    "u1": ctypes.c_uint8,
    "fp16": ctypes.c_float,
    "bf16": ctypes.c_float,
    "fp32": ctypes.c_float,
    "fp64": ctypes.c_double,
    **{f"i{n}": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"u{n}": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}
_RANGES = {
    f"{s}{n}": ((-(1 << n - 1), (1 << n - 1) - 1) if s == "i" else (0, (1 << n) - 1))
    for n in (8, 16, 32, 64)
    for s in "iu"
}


def split_tuple(text):
    """The parts of '(*i32, (i32, i8), constexpr)'."""
    parts, depth, part = [], 0, ""
    for c in text[1:-1]:
        depth += (c in "([<") - (c in ")]>")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return [p for p in [*parts, part.strip()] if p]


def c_types(word):
    """The C parameters of one parameter of a kernel."""
    if word.startswith("("):
        return [c for part in split_tuple(word) for c in c_types(part)]
    if word == "constexpr":
        return []
    if word.startswith("*"):
        return [ctypes.c_void_p]
    return [ctypes.POINTER(Descriptor)] if word.startswith("tensordesc") else [_SCALARS[word]]


def grid_of(grid):
    """One to three extents as three."""
    extents = (grid,) if isinstance(grid, int) else tuple(grid)
    if not 1 <= len(extents) <= 3 or any(int(e) < 0 for e in extents):
        raise errors.LaunchError(f"a grid has one to three extents, not {grid!r}")
    return Grid(*[int(e) for e in extents], *[1] * (3 - len(extents)))


def host_compiler():
    """The words of the host's C compiler."""
    compiler = os.environ.get("CC", "cc").split()
    if shutil.which(compiler[0]) is None:
        raise errors.LaunchError(f"'{compiler[0]}' was not found: the host's C compiler links a kernel's object")
    return compiler


def write_objects(objects, folder):
    """The files of objects given as bytes."""
    paths = []
    for i, data in enumerate(objects):
        paths.append(os.path.join(folder, f"{i}.o"))
        with open(paths[-1], "wb") as out:
            out.write(data)
    return paths


def link(objects, output):
    """A shared library of objects, by the host's cc."""
    compiler = host_compiler()
    with tempfile.TemporaryDirectory(prefix="tritcc-") as folder:
        shim = os.path.join(folder, "shim.c")
        with open(shim, "w") as out:
            out.write(_SHIM)
        command = [*compiler, "-shared", "-fPIC", "-O1", "-o", output, shim, *objects, "-lm", "-ldl", "-lpthread"]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise errors.LaunchError(f"'{' '.join(command)}' failed:\n{run.stderr}")


class Loaded:
    """A linked object in this process."""

    def __init__(self, objects, threads=None):
        with tempfile.TemporaryDirectory(prefix="tritcc-") as folder:
            path = os.path.join(folder, "kernels.so")
            link(write_objects(objects, folder), path)
            self.library = ctypes.CDLL(path)
        self.library.tritcc_python_strerror.restype = ctypes.c_char_p
        self.library.tritcc_python_threads(threads or os.cpu_count() or 1)

    def kernel(self, name, parameters):
        """The launcher of a kernel with these parameters, constants left out."""
        return Launcher(self, getattr(self.library, name), name, parameters)


class Parameter(typing.NamedTuple):
    """What a launcher passes: a name for messages, its type as -sig has it, and whether the kernel only reads behind it."""

    name: str
    type: str
    is_read_only: bool

    def __str__(self):
        return f"{self.name}: {'const ' * self.is_read_only}{self.type}"

    @classmethod
    def of_text(cls, text):
        """Of what str() gives."""
        name, _, word = text.partition(": ")
        return cls(name, word.removeprefix("const "), word.startswith("const "))


def parameters_of(kernel):
    """Those of a kernel's record that are no constants."""
    return tuple(Parameter(p.name, p.type, p.read_only) for p in kernel.parameters if not p.constexpr)


class Launcher:
    def __init__(self, loaded, function, name, parameters):
        self.loaded, self.function, self.name, self.parameters = loaded, function, name, parameters
        function.restype = ctypes.c_int
        function.argtypes = [ctypes.c_void_p, Grid, *[c for p in parameters for c in c_types(p.type)]]

    def __call__(self, grid, arguments, stream=0):
        """Launches; `arguments` has a value for each of the parameters."""
        values, kept = [], []
        for parameter, value in zip(self.parameters, arguments, strict=True):
            self._add(parameter, value, values, kept)
        status = self.function(stream, grid_of(grid), *values)
        if status:
            said = self.loaded.library.tritcc_python_strerror(status) or b""
            raise errors.LaunchError(f"{self.name}: {said.decode() or _STATUS.get(status, f'status {status}')}")

    def _add(self, parameter, value, values, kept):
        word = parameter.type
        if word.startswith("("):
            for part, item in zip(split_tuple(word), value, strict=True):
                self._add(parameter._replace(type=part), item, values, kept)
        elif word.startswith("*"):
            values.append(self._address(parameter, value, kept))
        elif word.startswith("tensordesc"):
            values.append(ctypes.byref(_descriptor(value, kept)))
        elif word != "constexpr":
            values.append(self._scalar(parameter, value))

    def _address(self, parameter, value, kept):
        """Of an array whose elements are the parameter's; addresses are numbers, and nothing is known of them."""
        if value is None or isinstance(value, int):
            return value or 0
        array = value if isinstance(value, _arrays.Array) else _arrays.array_of(value)
        if not _is_same(array.type, parameter.type[1:]):
            raise TypeError(f"{self.name}: '{parameter.name}' is {parameter.type}, and the array has {array.type}")
        if not array.is_writable and not parameter.is_read_only:
            raise ValueError(f"'{parameter.name}' is written by the kernel, and the array is read-only")
        kept.append(array)
        return array.address

    def _scalar(self, parameter, value):
        word = parameter.type
        try:
            value = value.__index__() if word in _RANGES else int(bool(value)) if word in ("i1", "u1") else float(value)
        except (AttributeError, TypeError, ValueError):
            raise TypeError(f"{self.name}: '{parameter.name}' is {word}, and this is {value!r}") from None
        low, high = _RANGES.get(word, (None, None))
        if low is not None and not low <= value <= high:
            raise OverflowError(f"{self.name}: '{parameter.name}' is {word}, and {value} is none")
        return value


def _is_same(has, wants):
    """Do elements of one type serve as those of another? Signs do not matter, nor does what a byte stands for."""

    def width(word):
        digits = word.lstrip("iu")
        return max(int(digits), 8) if word[:1] in ("i", "u") and digits.isdigit() else None

    return has == wants or width(has) is not None and width(has) == width(wants) or wants == "void"


def _descriptor(value, kept):
    """A descriptor of Triton's, or an array, as the launchers for hosts take it."""
    array = _arrays.array_of(getattr(value, "base", None) if hasattr(value, "block_shape") else value)
    shape, strides = (value.shape, value.strides) if hasattr(value, "block_shape") else (array.shape, array.strides)
    made = Descriptor(
        array.address,
        (ctypes.c_int64 * 5)(*shape),
        (ctypes.c_int64 * 5)(*strides),
        int(getattr(value, "padding", "zero") == "nan"),
    )
    kept += [array, made]
    return made
