"""What kernels take as pointers: NumPy's arrays, torch's tensors, and whatever else speaks DLPack."""

import ctypes
import typing

from . import errors

CPU, CUDA = "cpu", "cuda"
# DLPack's numbers for devices (host memory that is pinned is the host's; managed memory is the device's), and for types
_DEVICES = {1: CPU, 3: CPU, 2: CUDA, 13: CUDA}
_CODES = {0: "i", 1: "u", 2: "fp"}
_WORDS = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "bool": "i1",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "float8_e4m3": "fp8e4nv",
}


class Array(typing.NamedTuple):
    """An array's address, the kind and number of its device, its element type as -sig has it. `owner` keeps it alive."""

    address: int
    device: str
    number: int
    type: str
    is_writable: bool
    shape: tuple
    strides: tuple
    owner: object


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("index", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


def type_word(name):
    """-sig's word for the name of an element type, as NumPy and torch have it."""
    name = name.rpartition(".")[2]
    if name in _WORDS:
        return _WORDS[name]
    for long, short in (("uint", "u"), ("int", "i")):
        if name.startswith(long) and name[len(long) :].isdigit():
            return short + name[len(long) :]
    raise TypeError(f"kernels have no elements of type {name}")


def _of_numpy(value):
    return Array(
        value.ctypes.data,
        CPU,
        0,
        type_word(value.dtype.name),
        value.flags.writeable,
        value.shape,
        tuple(s // max(value.itemsize, 1) for s in value.strides),
        value,
    )


def _of_torch(value):
    if value.device.type not in (CPU, CUDA):
        raise TypeError(f"kernels take no tensors on '{value.device.type}'")
    if value.requires_grad and value.is_leaf is False:
        value = value.detach()
    return Array(
        value.data_ptr(),
        value.device.type,
        value.device.index or 0,
        type_word(str(value.dtype)),
        True,
        tuple(value.shape),
        tuple(value.stride()),
        value,
    )


def _of_dlpack(value):
    kind, _ = value.__dlpack_device__()
    if int(kind) not in _DEVICES:
        raise TypeError(f"kernels take no arrays on device {int(kind)} of DLPack")
    capsule = value.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Tensor))[0]
    if tensor.lanes != 1:
        raise TypeError("kernels take no arrays of vectors")
    word = {(4, 16): "bf16", (6, 8): "i1"}.get((tensor.code, tensor.bits))
    if word is None and tensor.code not in _CODES:
        raise TypeError(f"kernels have no elements of DLPack's type {tensor.code}, {tensor.bits} bits")
    shape = tuple(tensor.shape[i] for i in range(tensor.rank))
    strides = tuple(tensor.strides[i] for i in range(tensor.rank)) if tensor.strides else _dense(shape)
    return Array(
        (tensor.data or 0) + tensor.offset,
        _DEVICES[tensor.device],
        tensor.index,
        word or f"{_CODES[tensor.code]}{tensor.bits}",
        True,
        shape,
        strides,
        (capsule, value),
    )


def _dense(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def is_array(value):
    return (
        hasattr(value, "__dlpack__")
        or hasattr(value, "data_ptr")
        or type(value).__module__ == "numpy"
        and hasattr(value, "ctypes")
    )


def array_of(value):
    """What a kernel must know of an array. TypeError for what it cannot take."""
    if hasattr(value, "data_ptr") and hasattr(value, "device"):
        return _of_torch(value)
    if type(value).__module__ == "numpy" and hasattr(value, "ctypes"):
        return _of_numpy(value)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value)
    raise TypeError(f"{type(value).__name__} is no array: it has no __dlpack__()")


def device_of(arrays):
    """(kind, number) of the device that all of them are on; the host's when there are none."""
    devices = {(a.device, a.number) for a in arrays}
    if len(devices) > 1:
        raise errors.LaunchError(
            "the arguments are on different devices: " + ", ".join(f"{d}:{i}" for d, i in sorted(devices))
        )
    return devices.pop() if devices else (CPU, 0)
