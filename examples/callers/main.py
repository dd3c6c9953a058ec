"""A kernel called from Python through its shared library, without a package (python/README.md has one)."""
import array
import ctypes
import os
import sys

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libvadd.so"))
library.tri_strerror.restype = ctypes.c_char_p
floats = ctypes.POINTER(ctypes.c_float)
library.add_kernel_run.argtypes = [ctypes.c_void_p, floats, floats, floats, ctypes.c_int32]

n = 98432
x = array.array("f", (i % 1000 for i in range(n)))
y = array.array("f", (i % 777 * 0.5 for i in range(n)))
out = array.array("f", [-1.0]) * n
error = library.add_kernel_run(None, *((ctypes.c_float * n).from_buffer(a) for a in (x, y, out)), n)
if error:
    sys.exit("add_kernel: " + library.tri_strerror(error).decode())
wrong = [i for i in range(n) if out[i] != x[i] + y[i]]
if wrong:
    sys.exit(f"element {wrong[0]} is {out[wrong[0]]}, not {x[wrong[0]] + y[wrong[0]]}")
print(f"Python: {n} elements are right")
