"""Triton's driver on the stand-in for libcuda that tests/targets/stub_cuda.c is: what a launch asks can be read."""

import ctypes

import support


class Log(ctypes.Structure):
    """stub_log."""

    _fields_ = [
        *[(n, ctypes.c_int) for n in ("retains", "releases", "inits", "loads", "gets", "unloads", "launches")],
        *[(n, ctypes.c_int) for n in ("allocations", "stream_allocations", "image_is_ptx", "dynamic_shared")],
        ("function", ctypes.c_char * 64),
        ("grid", ctypes.c_uint * 3),
        ("threads", ctypes.c_uint),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("occupancies", ctypes.c_int),
        ("cluster", ctypes.c_uint * 3),
        *[(n, ctypes.c_int) for n in ("ex_launches", "cooperative", "programmatic", "want_args")],
        ("want_bytes", ctypes.c_int * 16),
        ("args", ctypes.c_uint64 * 16),
    ]


class Array:
    """An array of a GPU's, as far as a launch looks at it; `address` may be a function."""

    def __init__(self, dtype, address):
        self.dtype, self.address = dtype, address

    def data_ptr(self):
        return self.address() if callable(self.address) else self.address


class Utils:
    def __init__(self, library):
        self.library = library

    def load_binary(self, name, image, shared, device):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.library.cuModuleLoadDataEx(ctypes.byref(module), image, 0, None, None)
        self.library.cuModuleGetFunction(ctypes.byref(function), module, name.encode())
        return module.value, function.value, 32, 0, 1024

    def get_device_properties(self, device):
        return {"max_shared_mem": 232448, "multiprocessor_count": 132}


class Device(support.Driver):
    """Made the active driver; `compiled` are the texts that Triton's own launchers would have compiled."""

    def __init__(self, arch=90):
        from triton.backends.nvidia import driver as nvidia
        from triton.runtime import driver

        super().__init__(arch)
        self.library = ctypes.CDLL("libcuda.so.1")
        self.library.stub_get_log.restype = ctypes.POINTER(Log)
        self.log = self.library.stub_get_log()[0]
        self.utils, self.launcher_cls = Utils(self.library), nvidia.CudaLauncher
        self.compiled, self.kept = [], []
        nvidia.compile_module_from_src = lambda src, **given: self.compiled.append(src)
        driver.set_active(self)

    def get_current_stream(self, device=0):
        return 1234

    def want(self, *sizes):
        """Arguments of these sizes are recorded; what is returned gives them, of the last launch."""
        self.log.want_args = len(sizes)
        for i, size in enumerate(sizes):
            self.log.want_bytes[i] = size
            self.log.args[i] = 0
        return lambda: list(self.log.args[: len(sizes)])

    def fail(self, function, error):
        self.kept.append(function and function.encode())
        self.library.stub_fail(self.kept[-1], error)
