"""The PTX of a kernel through ctypes: python3 ptx.py [libtritcc.so.0]"""
import ctypes
import sys

KERNEL = b"""import triton
import triton.language as tl

@triton.jit
def double(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, 2 * tl.load(p + i))
"""

lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libtritcc.so.0")
lib.tritcc_strerror.restype = ctypes.c_char_p
lib.tritcc_set_input.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]


def check(status):
    if status:
        raise RuntimeError(lib.tritcc_strerror(status).decode())


context, data, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
check(lib.tritcc_create(ctypes.byref(context)))
check(lib.tritcc_set_options(context, b"-arch=sm_80 -sig '*fp32:16, 128' -emit=ptx"))
check(lib.tritcc_set_input(context, b"double.tri", KERNEL, len(KERNEL)))
check(lib.tritcc_compile(context))
check(lib.tritcc_get_output(context, b"ptx", ctypes.byref(data), ctypes.byref(size)))
print(ctypes.string_at(data, size.value).decode(), end="")
check(lib.tritcc_destroy(context))
