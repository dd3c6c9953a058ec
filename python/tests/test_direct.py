"""tritcc's launcher for kernels that programs call directly, on a stand-in for the CUDA driver."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import support
import tritcc.triton

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

HEAD = """
import sys
sys.path.insert(0, {here!r})
import kernels, stub, support, tritcc.triton
import triton, triton.language as tl
device = stub.Device()
tritcc.triton.install(strict=True, options=[])
"""


@unittest.skipUnless(support.triton and shutil.which("cc"), "needs Triton and a C compiler")
class Direct(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tritcc-stub-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        source = os.path.join(ROOT, "tests", "targets", "stub_cuda.c")
        library = os.path.join(cls.folder, "libcuda.so.1")
        subprocess.check_call(["cc", "-shared", "-fPIC", "-I", ROOT, "-o", library, source, "-lpthread"])

    def python(self, code, **variables):
        """What a program on the stand-in prints."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as out:
                out.write(HEAD.format(here=HERE) + textwrap.dedent(code))
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("TRITCC", "TRITON"))}
            environment.update(LD_LIBRARY_PATH=self.folder, TRITON_CACHE_DIR=os.path.join(folder, "cache"), **variables)
            run = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=300)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_arguments_reach_the_kernel(self):
        said = self.python("""
            x, o = stub.Array(triton.language.float32, 4096), stub.Array(triton.language.float32, 8192)
            seen = device.want(8, 8, 8, 4)
            kernel = kernels.add[(5, 2, 3)](x, x, o, 77, B=64, num_warps=2)
            assert seen() == [4096, 4096, 8192, 77], seen()
            assert list(device.log.grid) == [5, 2, 3] and device.log.threads == 64, device.log.threads
            assert device.log.stream == 1234 and device.log.launches == 1
            assert kernel.metadata.tritcc["launcher"] == "tritcc"
            assert device.compiled == [], device.compiled
            kernels.add[lambda m: (m["n"],)](x, x, o, 9, B=64, num_warps=2)
            assert list(device.log.grid) == [9, 1, 1] and device.log.launches == 2
            kernels.add[(0,)](x, x, o, 9, B=64, num_warps=2)
            assert device.log.launches == 2
            print(tritcc.triton.report())
        """)
        self.assertIn("1 kernels by tritcc, 0 by Triton", said)

    def test_every_type_of_argument(self):
        self.python("""
            @triton.jit
            def k(
                o, a: tl.int8, b: tl.uint16, c: tl.int32, d, e: "fp16", f: "bf16", g: tl.float64, h, t, n, B: tl.constexpr
            ):
                v = a + b + c + d + e.to(tl.float32) + f.to(tl.float32) + g + t[0] + t[1][1]
                tl.store(o + tl.arange(0, B), v.to(tl.float32) + tl.load(t[1][0]) + h)
            import struct
            o, p = stub.Array(tl.float32, 64), stub.Array(tl.float32, 128)
            bits = lambda form, value: int.from_bytes(struct.pack(form, value), "little")
            for half in (1.5, -2.0, 65504.0, 1e-7, 6e-8, 0.1, 2049.0, 2051.0, 1e9, 3e-5, -0.0, float("inf")):
                seen = device.want(8, 1, 2, 4, 8, 2, 2, 8, 1, 4, 8, 4)
                k[(1,)](o, -3, 65535, -(1 << 31), 1 << 40, half, 3.14159, 2.5, True, (7, (p, 2.5)), None, B=32)
                want = [64, 253, 65535, 1 << 31, 1 << 40, None, bits("<f", 3.14159) >> 16, bits("<d", 2.5), 1, 7, 128]
                want.append(bits("<f", 2.5))
                want[5] = 0x7C00 if half > 65504 else bits("<e", half)
                assert seen() == want, (half, list(map(hex, seen())), list(map(hex, want)))
        """)

    def test_maps_are_made_in_scratch_memory(self):
        said = self.python("""
            asked = []
            def allocate(size, alignment, stream):
                asked.append((size, alignment, stream))
                return stub.Array(tl.int8, 1 << 20)
            triton.set_allocator(allocate)
            a, c = stub.Array(tl.float16, 1 << 12), stub.Array(tl.float16, 1 << 16)
            seen = device.want(8, 8, 8, 4, 4, 4, 4, 4, 4, 8)
            kernel = kernels.matmul[(3, 5)](a, a, c, 512, 512, 256, 256, 512, 512, BM=128, BN=128, BK=64)
            assert "cp.async.bulk.tensor" in kernel.asm["ptx"]
            size = kernel.metadata.global_scratch_size
            assert size and asked == [(15 * size, kernel.metadata.global_scratch_align, 1234)], asked
            assert seen()[9] == 1 << 20, seen()
            tritcc.triton.install(launcher="triton")
            other = kernels.matmul.warmup(a, a, c, 512, 512, 256, 256, 512, 512, BM=128, BN=128, BK=32, grid=(3, 5))
            assert "cp.async.bulk.tensor" not in other.asm["ptx"]
            print(other.metadata.tritcc["launcher"])
        """)
        self.assertEqual(said.strip(), "triton")

    def test_a_descriptor_is_passed_in_parts(self):
        self.python("""
            from triton.tools.tensor_descriptor import TensorDescriptor
            o = stub.Array(tl.float16, 64)
            d = TensorDescriptor(stub.Array(tl.float16, 4096), [70, 64], [64, 1], [32, 32])
            seen = device.want(8, 8, 8, 8, 8, 1, 1, 4, 4, 8, 8, 8)
            kernels.descriptors[(1,)](d, o, B=32)
            assert seen() == [4096, 70, 64, 64, 1, 0, 0, 70, 64, 64, 1, 64], seen()
        """)

    def test_attributes_of_a_launch(self):
        self.python("""
            x = stub.Array(tl.float32, 64)
            kernels.add[(1,)](x, x, x, 1, B=64, launch_cooperative_grid=True)
            assert (device.log.cooperative, device.log.programmatic) == (1, 0)
            kernels.add[(1,)](x, x, x, 1, B=128, launch_pdl=True)
            assert (device.log.cooperative, device.log.programmatic) == (0, 1)
        """)

    def test_hooks_and_metadata(self):
        said = self.python("""
            from triton import knobs
            x = stub.Array(tl.float32, 64)
            for name in ("launch_enter_hook", "launch_exit_hook"):
                hook = lambda metadata, name=name: print(name, metadata.get()["name"])
                chain = getattr(knobs.runtime, name)
                chain.add(hook) if hasattr(chain, "add") else setattr(knobs.runtime, name, hook)
            kernels.add[(1,)](x, x, x, 1, B=64)
        """)
        self.assertEqual(said.split("\n")[:2], ["launch_enter_hook add", "launch_exit_hook add"])

    def test_programs_of_several_blocks(self):
        self.python("""
            x = stub.Array(tl.float32, 4096)
            for blocks in (2, 16):
                kernel = kernels.add[(5, 2, 3)](x, x, x, 77, B=1024, num_ctas=blocks, num_warps=2)
                assert kernel.metadata.tritcc["launcher"] == "tritcc", kernel.metadata
                assert list(device.log.cluster) == [blocks, 1, 1], list(device.log.cluster)
                assert list(device.log.grid) == [5 * blocks, 2, 3], list(device.log.grid)
            try:
                kernels.add[(1 << 30,)](x, x, x, 77, B=1024, num_ctas=2, num_warps=2)
            except OverflowError as error:
                assert "greater than maximum" in str(error), error
            else:
                raise AssertionError("a grid of 2^31 blocks")
            assert device.log.launches == 2
            kernels.add[(0, 2)](x, x, x, 77, B=1024, num_ctas=2, num_warps=2)
            assert device.log.launches == 2
        """)

    def test_failures_are_as_with_tritons_launcher(self):
        self.python("""
            import ctypes
            x = stub.Array(tl.float32, 64)
            def fails(kind, words, *args, **given):
                try:
                    kernels.add[given.pop("grid", (1,))](*args, B=64, **given)
                except kind as error:
                    assert words in str(error), error
                else:
                    raise AssertionError(words)
            kernels.add[(1,)](x, x, x, 3, B=64)
            device.fail("cuLaunchKernelEx", 700)
            fails(RuntimeError, "Triton Error [CUDA]: an illegal memory access was encountered", x, x, x, 3)
            device.fail(None, 0)
            fails(OverflowError, "greater than maximum", x, x, x, 3, grid=(1 << 31,))
            fails(ZeroDivisionError, "", x, x, stub.Array(tl.float32, lambda: 1 // 0), 3)
            launcher = kernels.add[(1,)](x, x, x, 3, B=64).run
            front = (1, 1, 1, 0, 0, None, None, None, None)
            for args in ((), (*front, x), (*front, x, x, x, 1, 64, 2)):
                try:
                    launcher(*args)
                except TypeError as error:
                    assert "launch" in str(error), error
                else:
                    raise AssertionError(args)
        """)

    def test_a_launcher_that_cannot_be_loaded_is_reported(self):
        said = self.python(
            """
            from tritcc import _library
            from tritcc.triton import _direct
            _library.FOLDER = "/no/such/folder"
            _direct._make.cache_clear(), _direct.missing.cache_clear()
            x = stub.Array(tl.float32, 64)
            kernel = kernels.add.warmup(x, x, x, 1, B=64, grid=(1,))
            print(kernel.metadata.tritcc["launcher"], tritcc.triton.report())
            try:
                tritcc.triton.install(launcher="tritcc")
            except ImportError as error:
                print("ImportError", error)
            try:
                tritcc.triton.install(launcher="other")
            except ValueError as error:
                print("ValueError", error)
            """,
            TRITCC_LIBRARY=os.environ.get("TRITCC_LIBRARY", "") or library(),
        )
        self.assertRegex(said, r"^triton 1 kernels by tritcc")
        self.assertIn("add: note: launched by Triton: cannot load tritcc's launcher", said)
        self.assertIn("ImportError cannot load tritcc's launcher", said)
        self.assertIn("ValueError launcher is one of tritcc, triton, not 'other'", said)

    def test_triton_launches_when_it_has_been_given_back(self):
        self.python("""
            x = stub.Array(tl.float32, 64)
            kernels.add[(1,)](x, x, x, 1, B=64)
            tritcc.triton.uninstall()
            kernels.add.device_caches.clear()
            try:
                kernels.add[(1,)](x, x, x, 1, B=64)
            except AttributeError as error:  # of Triton 3.6, whose launcher would have been compiled
                assert "launch" in str(error), error
            assert "tritcc" not in kernels.add.warmup(x, x, x, 1, B=64, grid=(1,)).asm["ptx"]
            tritcc.triton.install()
            kernels.add.device_caches.clear()
            before = device.log.launches
            kernels.add[(1,)](x, x, x, 1, B=64)
            assert device.log.launches == before + 1
        """)

    def test_the_environment_names_the_launcher(self):
        code = """
            x = stub.Array(tl.float32, 64)
            print(kernels.add.warmup(x, x, x, 1, B=64, grid=(1,)).metadata.tritcc["launcher"])
        """
        self.assertEqual(self.python(code, TRITCC_LAUNCHER="triton").strip(), "triton")
        self.assertEqual(self.python(code).strip(), "tritcc")


def library():
    from tritcc import _library

    return _library.path()


if __name__ == "__main__":
    unittest.main()
