"""tritcc.jit: kernels launched from Python without Triton, on the host and on NVIDIA GPUs."""

import ctypes
import functools
import inspect
import sys
import threading

from . import _arrays, _compile, _load, _signature, _source, errors


class JitKernel:
    """A function that is compiled when it is called, once for each combination of types and constants:
    kernel[grid](*arguments, **constants)."""

    def __init__(self, function, arch=None, threads=None, options=(), **given):
        self.fn = _source.unwrapped(function)
        self.arch, self.threads, self.options, self.given = arch, threads, tuple(_compile.as_list(options)), given
        python = _source.plain(self.fn)
        functools.update_wrapper(self, python)
        self.signature = inspect.signature(python)
        self.constants = {name for name, p in self.signature.parameters.items() if _is_constant(p.annotation)}
        self.cache, self.lock = {}, threading.Lock()

    def __getitem__(self, grid):
        return functools.partial(self._launch, grid)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"a kernel is called with a grid: {self.__name__}[grid](...)")

    def _launch(self, grid, *args, stream=None, num_warps=None, num_stages=None, **kwargs):
        kwargs |= {k: v for k, v in (("num_warps", num_warps), ("num_stages", num_stages))
                   if v is not None and k in self.signature.parameters}  # a kernel may ask how it is launched
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arrays, items, values = [], {}, {}
        for name, value in bound.arguments.items():
            items[name] = _signature.Constexpr(value) if name in self.constants else _item(value, arrays)
            values[name] = value
        device = _arrays.device_of(arrays)
        settings = {k: v for k, v in (("num_warps", num_warps), ("num_stages", num_stages)) if v is not None}
        key = (tuple((n, _key(i)) for n, i in items.items()), device, tuple(settings.items()))
        found = self.cache.get(key)
        if found is None:
            with self.lock:
                found = self.cache.get(key) or self._compiled(items, device, settings)
                self.cache[key] = found
        result, launcher, names = found
        extents = grid(dict(bound.arguments)) if callable(grid) else grid
        launcher(extents, [values[n] for n in names], _stream(stream, device))
        return result

    def _compiled(self, items, device, settings):
        arch = self.arch or ("native" if device[0] == _arrays.CPU else cuda_arch(device[1]))
        signature = {n: _text(i) for n, i in items.items()}
        result = _compile.compile(
            self.fn, signature, arch=arch, emit="obj", options=self.options, **{**self.given, **settings}
        )
        kernel = result.kernels[0]
        parameters = _load.parameters_of(kernel)
        loaded = _load.Loaded([result.obj], self.threads)
        return result, loaded.kernel(kernel.name, parameters), [p.name for p in parameters]


def jit(function=None, *, arch=None, threads=None, options=(), **given):
    """See the stub, __init__.pyi."""
    if function is None:
        return functools.partial(jit, arch=arch, threads=threads, options=options, **given)
    return JitKernel(function, arch, threads, options, **given)


def _is_constant(annotation):
    return "constexpr" in (annotation if isinstance(annotation, str) else getattr(annotation, "__name__", ""))


def _item(value, arrays):
    """The type of an argument, or the constant that it is."""
    if value is None or _signature.is_function(value) or inspect.isfunction(value):
        return _signature.Constexpr(value)
    if hasattr(value, "block_shape"):
        array = _arrays.array_of(value.base)
        arrays.append(array)
        return f"tensordesc<{array.type}[{', '.join(map(str, value.block_shape))}]>"
    if _arrays.is_array(value):
        array = _arrays.array_of(value)
        arrays.append(array)
        return "*" + array.type
    if isinstance(value, tuple):
        return tuple(_item(v, arrays) for v in value)
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, float) or hasattr(value, "__float__") and not hasattr(value, "__index__"):
        return "fp32"
    if hasattr(value, "__index__"):
        value = value.__index__()
        return "i32" if -(1 << 31) <= value < 1 << 31 else "i64" if value < 1 << 63 else "u64"
    raise TypeError(f"a kernel takes no {type(value).__name__}")


def _key(item):
    if isinstance(item, tuple):
        return tuple(map(_key, item))
    if not _signature.is_constexpr(item):
        return item
    value = item.value
    return type(value).__name__, id(value) if callable(value) else repr(value)


def _text(item):
    if isinstance(item, tuple):
        return tuple(map(_text, item))
    return item


def _stream(stream, device):
    if stream is not None:
        return getattr(stream, "cuda_stream", stream)
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream(device[1]).cuda_stream if torch and device[0] == _arrays.CUDA else 0


@functools.lru_cache
def cuda_arch(index):
    """The architecture of a CUDA device: its own code, or PTX for it where there is no ptxas."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise errors.LaunchError("there is no CUDA driver (libcuda.so.1)") from None
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    status = driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), index)
    status = status or driver.cuDeviceGetAttribute(ctypes.byref(major), 75, device)
    status = status or driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
    if status:
        raise errors.LaunchError(f"the CUDA driver does not have device {index} (error {status})")
    capability = f"{major.value}{minor.value}{'a' if major.value >= 9 else ''}"
    from . import _tools

    return ("sm_" if _tools.has_ptxas() else "compute_") + capability
