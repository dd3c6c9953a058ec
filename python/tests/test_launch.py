"""Kernels launched from Python without Triton: on the host, through arrays of several packages; and exported ones."""

import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import tritcc

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

# The names tl and triton need not be importable: the compiler knows them.
LIBRARY = """
def add(x, y, o, n, B: 'tl.constexpr'):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

def mixed(o, pair, f, nothing, flag, large, B: 'tl.constexpr', OP: 'tl.constexpr' = 'double'):
    i = tl.arange(0, B)
    v = tl.load(pair[0] + i).to(tl.float32) * f + pair[1]
    if nothing is None:
        v += 1
    if flag:
        v += (large >> 40).to(tl.float32)
    if OP == 'double':
        v *= 2
    tl.store(o + i, v)

def warps(o, num_warps: 'tl.constexpr', num_stages: 'tl.constexpr' = 1):
    tl.store(o + tl.arange(0, 4), num_warps * 10 + num_stages)

def asserts(o, n):
    tl.device_assert(n > 3, 'n is too small')
    tl.store(o, n)
"""


def kernels():
    """The functions above, from a file that the interpreter knows."""
    import linecache

    linecache.cache["<kernels>"] = (len(LIBRARY), None, LIBRARY.splitlines(True), "<kernels>")
    scope = {}
    exec(compile(LIBRARY, "<kernels>", "exec"), scope)
    return scope


@unittest.skipUnless(np, "NumPy is not installed")
class Host(unittest.TestCase):
    def test_arrays_of_numpy(self):
        add = tritcc.jit(kernels()["add"])
        for dtype in ("float32", "float16", "float64", "int8", "int64", "uint16"):
            with self.subTest(dtype):
                x, y = (np.arange(n, n + 1000).astype(dtype) for n in (1, 5))
                o = np.zeros(1001, dtype)
                result = add[lambda m: -(-m["n"] // m["B"])](x, y, o, 1000, B=128)
                np.testing.assert_array_equal(o[:1000], x + y)
                self.assertEqual(o[1000], 0)
        self.assertEqual(result.kernels[0].name, "add")

    def test_one_compilation_for_each_combination(self):
        add = tritcc.jit(kernels()["add"])
        x = np.ones(64, np.float32)
        for n in (64, 32, 17):
            add[1](x, x, np.empty_like(x), n, B=64)
        self.assertEqual(len(add.cache), 1)
        add[2](x, x, np.empty_like(x), 64, B=32)
        self.assertEqual(len(add.cache), 2)

    def test_misaligned_and_strided_arrays(self):
        x = np.arange(101, dtype=np.float32)
        o = np.zeros(101, np.float32)
        tritcc.jit(kernels()["add"])[1](x[1:], x[:100], o[1:], 100, B=128)
        np.testing.assert_array_equal(o[1:], x[1:] + x[:100])

    def test_tuples_none_and_scalars(self):
        mixed = tritcc.jit(kernels()["mixed"])
        x, o = np.arange(32, dtype=np.float16), np.empty(32, np.float32)
        mixed[(1,)](o, (x, 3), 2.5, None, True, 5 << 40, B=32)
        np.testing.assert_allclose(o, (x.astype(np.float32) * 2.5 + 3 + 1 + 5) * 2)
        mixed[(1,)](o, (x, 3), 2.5, None, False, 0, B=32, OP="nothing")
        np.testing.assert_allclose(o, x.astype(np.float32) * 2.5 + 4)

    def test_a_kernel_that_asks_for_its_warps(self):
        o = np.zeros(4, np.int32)
        tritcc.jit(kernels()["warps"])[1](o, num_warps=8)
        np.testing.assert_array_equal(o, [81] * 4)
        tritcc.jit(kernels()["warps"])[1](o, num_warps=2, num_stages=3)
        np.testing.assert_array_equal(o, [23] * 4)

    def test_threads_give_the_same(self):
        x = np.random.rand(1 << 16).astype(np.float32)
        results = []
        for threads in (1, 4):
            o = np.empty_like(x)
            tritcc.jit(kernels()["add"], threads=threads)[64](x, x, o, x.size, B=1024)
            results.append(o)
        np.testing.assert_array_equal(*results)

    def test_wrong_arguments(self):
        add = tritcc.jit(kernels()["add"])
        x = np.ones(8, np.float32)
        frozen = x.copy()
        frozen.flags.writeable = False
        add[1](frozen, x, x.copy(), 8, B=8)
        with self.assertRaisesRegex(ValueError, "'o' is written by the kernel"):
            add[1](x, x, frozen, 8, B=8)
        with self.assertRaisesRegex(TypeError, "complex64"):
            add[1](x.astype(np.complex64), x, x, 8, B=8)
        with self.assertRaisesRegex(tritcc.LaunchError, "one to three extents"):
            add[(1, 1, 1, 1)](x, x, x, 8, B=8)
        with self.assertRaisesRegex(TypeError, "grid"):
            add(x, x, x, 8, B=8)
        with self.assertRaisesRegex(tritcc.CompileError, "power of two"):
            add[1](x, x, x, 8, B=7)

    def test_a_failed_assertion(self):
        o = np.zeros(1, np.int32)
        checked = tritcc.jit(kernels()["asserts"], options=["-fdevice-assert"])
        checked[1](o, 5)
        self.assertEqual(o[0], 5)
        # The kernel's own message goes to the standard error of the process.
        with self.assertRaisesRegex(tritcc.LaunchError, "assert"):
            checked[1](o, 2)

    @unittest.skipUnless(torch, "torch is not installed")
    def test_tensors_of_torch(self):
        add = tritcc.jit(kernels()["add"])
        for dtype in (torch.float32, torch.bfloat16, torch.int32):
            x = torch.arange(100).to(dtype)
            o = torch.empty(100, dtype=dtype)
            add[1](x, x, o, 100, B=128)
            self.assertTrue(torch.equal(o, x + x))

    def test_anything_that_speaks_dlpack(self):
        class Wrapped:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **given):
                return self.array.__dlpack__(**given)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x, o = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
        tritcc.jit(kernels()["add"])[1](Wrapped(x), Wrapped(x[::-1].copy()), Wrapped(o), 50, B=64)
        np.testing.assert_array_equal(o, np.full(50, 49, np.float32))

    def test_no_device_is_said(self):
        class Far:
            def __dlpack_device__(self):
                return (7, 0)

            def __dlpack__(self, **given):
                raise AssertionError("not reached")

        x = np.ones(4, np.float32)
        with self.assertRaisesRegex(TypeError, "device 7"):
            tritcc.jit(kernels()["add"])[1](Far(), x, x, 4, B=4)

    def test_a_machine_without_cc(self):
        x = np.ones(4, np.float32)
        with unittest.mock.patch.dict(os.environ, CC="/no/such/cc"):
            with self.assertRaisesRegex(tritcc.LaunchError, "/no/such/cc"):
                tritcc.jit(kernels()["add"])[1](x, x, x, 4, B=4)


PROGRAM = """
import numpy as np, tritcc
import tritcc.language as tl

SCALE = tl.constexpr(3)
WIDE = tl.float32


@tritcc.jit
def scaled(v, T: tl.constexpr):
    return (v.to(WIDE) * SCALE).to(T)


@tritcc.jit(threads=1)
def kernel(x, o, n, T: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, scaled(tl.load(x + i, mask=i < n), T), mask=i < n)


if __name__ == "__main__":
    import sys

    assert "triton" not in sys.modules
    x, o = np.arange(100, dtype=np.float16), np.zeros(100, np.float32)
    kernel[(2,)](x, o, 100, T=tl.float32, B=64)
    assert (o == 3 * x).all()
    signature = {"x": "*fp16", "o": "*fp32", "n": "i32", "T": tl.float32, "B": 64}
    assert ".visible .entry kernel(" in tritcc.compile(kernel, signature, arch="sm_90a").ptx
    tritcc.export(kernel, signature, "x86-64", sys.argv[1])
    try:
        tl.load(x)
    except TypeError as error:
        assert str(error) == "tl.load is called in kernels only"
"""


@unittest.skipUnless(np, "NumPy is not installed")
class WithoutTriton(unittest.TestCase):
    def test_a_program_and_the_command_on_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            subprocess.run([sys.executable, path, os.path.join(folder, "out")], check=True)
            command = [sys.executable, "-m", "tritcc", "-emit=ttir", "-o", "-", path, "-k", "kernel"]
            text = subprocess.check_output([*command, "-sig", "*fp16, *fp32, i32, fp32, 64"], text=True)
            self.assertIn("tt.func public @kernel(", text)


@unittest.skipUnless(np, "NumPy is not installed")
class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stem = os.path.join(folder.name, "adding")

    def module(self):
        spec = importlib.util.spec_from_file_location("adding", self.stem + ".py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_object_header_module_and_stub(self):
        signatures = {"add32": ["*fp32", "*fp32", "*fp32", "i32", 64], "add16": ["*fp16", "*fp16", "*fp16", "i64", 32]}
        files = tritcc.export(kernels()["add"], signatures, ["x86-64-v2", "x86-64-v3"], self.stem)
        self.assertEqual([os.path.exists(f) for f in files], [True] * 4)
        module = self.module()
        for name, dtype, block in (("add32", np.float32, 64), ("add16", np.float16, 32)):
            x, o = np.arange(64, dtype=dtype), np.zeros(64, dtype)
            getattr(module, name)((64 // block,), x, x, o, 64)
            np.testing.assert_array_equal(o, x + x)
        with open(files.stub) as stub:
            text = stub.read()
        compile(text, files.stub, "exec")
        self.assertIn("def add16(grid: Grid, x: Union[Array, int, None],", text)
        self.assertIn("B=32", text)

    def test_a_c_program_links_it(self):
        files = tritcc.export(kernels()["add"], "*fp32, *fp32, *fp32, i32, 64", "native", self.stem)
        program = self.stem + ".c"
        with open(program, "w") as out:
            out.write(
                '#include "adding.h"\nint main(void) { float x[4] = {1, 2, 3, 4}, o[4]; tri_grid g = {1, 1, 1};\n'
                "return add(0, g, x, x, o, 4) || o[3] != 8; }\n"
            )
        subprocess.check_call(["cc", "-o", self.stem, program, files.object, "-lm", "-ldl", "-lpthread"])
        subprocess.check_call([self.stem])

    def test_several_kernels_on_a_machine_without_cc(self):
        signatures = {"add32": ["*fp32", "*fp32", "*fp32", "i32", 64], "add16": ["*fp16", "*fp16", "*fp16", "i64", 32]}
        with unittest.mock.patch.dict(os.environ, CC="/no/such/cc"):
            with self.assertRaisesRegex(tritcc.LaunchError, "/no/such/cc"):
                tritcc.export(kernels()["add"], signatures, "native", self.stem)
        self.assertEqual(os.listdir(os.path.dirname(self.stem)), [])

    def test_a_value_that_does_not_fit(self):
        tritcc.export(kernels()["add"], "*fp32, *fp32, *fp32, i32, 64", "native", self.stem)
        x = np.ones(4, np.float32)
        with self.assertRaises(OverflowError):
            self.module().add(1, x, x, x, 1 << 40)

    def test_arguments_are_what_the_kernel_takes(self):
        tritcc.export(kernels()["add"], "*fp32, *fp32, *fp32, i32, 64", "native", self.stem)
        add, x, o = self.module().add, np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        add(1, x, x, o, np.int32(64))
        np.testing.assert_array_equal(o, x + x)
        kept = np.zeros(64, np.float32)
        kept.flags.writeable = False
        add(1, kept, kept, o, 64)
        for kind, words, *given in (
            (TypeError, r"'x' is \*fp32, and the array has fp64", np.zeros(64), x, o, 64),
            (TypeError, r"'o' is \*fp32, and the array has i32", x, x, np.zeros(64, np.int32), 64),
            (TypeError, "str is no array", "x", x, o, 64),
            (TypeError, "'n' is i32, and this is 'many'", x, x, o, "many"),
            (TypeError, "'n' is i32, and this is 1.5", x, x, o, 1.5),
            (ValueError, "'o' is written by the kernel, and the array is read-only", x, x, kept, 64),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                add(1, *given)

    @unittest.skipUnless(torch, "torch is not installed")
    def test_arrays_of_torch_and_of_others(self):
        class Other:
            def __init__(self, array):
                self.__dlpack__, self.device = array.__dlpack__, array.__dlpack_device__

            def __dlpack_device__(self):
                return self.device()

        tritcc.export(kernels()["add"], "*bf16, *bf16, *bf16, i32, 64", "native", self.stem)
        x, o, p = (f(64, dtype=torch.bfloat16) for f in (torch.ones, torch.zeros, torch.zeros))
        self.module().add(1, x, x, o, 64)
        self.module().add(1, Other(x), x, Other(p), 64)
        self.assertTrue(torch.equal(o, x + x) and torch.equal(p, o))
        with self.assertRaisesRegex(TypeError, r"\*bf16, and the array has fp16"):
            self.module().add(1, x.half(), x, o, 64)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_mypy_knows_the_stubs(self):
        tritcc.export(kernels()["add"], "*fp32, *fp32, *fp32, i32, 64", "native", self.stem)
        program = os.path.join(os.path.dirname(self.stem), "program.py")
        lines = [
            "import adding, tritcc",
            "from typing import Any",
            "def run(x: adding.Array, y: Any) -> str:",
            "    adding.add((1, 2), x, y, None, 4, stream=0)",
            "    adding.add('1', x, y, x, 4)",
            "    adding.add(1, x, y, x, 'n')",
            "    return tritcc.compile(lambda: 0, [], arch='sm_90').kernel.shared_bytes",
        ]
        with open(program, "w") as out:
            out.write("\n".join(lines) + "\n")
        command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", program]
        run = subprocess.run(command, cwd=os.path.dirname(program), capture_output=True, text=True)
        found = [line.split(":")[1] for line in run.stdout.splitlines() if ": error:" in line]
        self.assertEqual(found, ["5", "6", "7"], run.stdout + run.stderr)

    def test_gpu_images_without_a_device(self):
        add = kernels()["add"]
        tritcc.export(add, "*fp32, *fp32, *fp32, i32, 64", ["compute_80", "x86-64-v2"], self.stem)
        x, o = np.ones(4, np.float32), np.zeros(4, np.float32)
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            self.module().add(1, x, x, o, 4)
            self.assertEqual(o[3], 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
