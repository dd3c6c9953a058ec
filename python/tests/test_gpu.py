"""The plug-in on a GPU: what is launched, by Triton's launcher, gives what torch gives. Skipped without one."""

import contextlib
import importlib.util
import os
import shutil
import tempfile
import unittest

import support
import tritcc.triton

try:
    import torch

    HAS_GPU = torch.cuda.is_available()
except ImportError:
    HAS_GPU = False

if HAS_GPU:
    import gpu_kernels as k
    import triton


@unittest.skipUnless(HAS_GPU and support.triton, "there is no GPU")
class Launched(unittest.TestCase):
    def setUp(self):
        cache = support.fresh_cache()
        cache.__enter__()
        self.addCleanup(cache.__exit__, None, None, None)
        self.addCleanup(tritcc.triton.uninstall)
        tritcc.triton.install(strict=True, warnings=False, frontend="tritcc", options=[])
        tritcc.triton.clear_report()
        torch.manual_seed(1)

    def test_add(self):
        x, y = torch.randn(2, 98432, device="cuda").unbind()
        o = torch.empty_like(x)
        kernel = k.add[(triton.cdiv(x.numel(), 1024),)](x, y, o, x.numel(), B=1024)
        torch.testing.assert_close(o, x + y)
        self.assertGreater(kernel.n_regs, 0)
        self.assertEqual(kernel.n_spills, 0)
        self.assertIn("EXIT", kernel.asm["sass"])
        self.assertIn("tritcc.kernel", kernel.asm["ptx"])

    def test_values_that_do_not_divide(self):
        x, y = torch.randn(2, 1001, device="cuda").unbind()
        o = torch.zeros(1003, device="cuda")
        k.add[(8,)](x[1:], y[1:], o[1:], 1000, B=128)
        torch.testing.assert_close(o[1:1001], x[1:] + y[1:])
        self.assertEqual(o[1001:].abs().sum().item(), 0)

    def test_autotuned_product(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            with self.subTest(dtype):
                a, b = (
                    torch.randn(512, 384, device="cuda", dtype=dtype),
                    torch.randn(384, 640, device="cuda", dtype=dtype),
                )
                c = torch.empty(512, 640, device="cuda", dtype=dtype)
                k.matmul[lambda m: (triton.cdiv(512, m["BM"]), triton.cdiv(640, m["BN"]))](
                    a, b, c, 512, 640, 384, a.stride(0), b.stride(0), c.stride(0)
                )
                torch.testing.assert_close(c, a @ b, atol=0.3, rtol=2e-2)

    def test_a_configuration_that_is_too_large_is_skipped(self):
        a, b = torch.randn(2, 512, 512, device="cuda", dtype=torch.float16).unbind()
        c = torch.empty_like(a)
        k.matmul_too_large[lambda m: (512 // m["BM"], 512 // m["BN"])](a, b, c, 512, 512, 512, 512, 512, 512)
        torch.testing.assert_close(c, a @ b, atol=0.3, rtol=2e-2)

    def test_softmax_and_atomics(self):
        x = torch.randn(128, 781, device="cuda")
        o, total = torch.empty_like(x), torch.zeros(1, device="cuda")
        k.softmax[(128,)](o, x, total, x.stride(0), 781, B=1024, num_warps=8)
        torch.testing.assert_close(o, torch.softmax(x, 1))
        torch.testing.assert_close(total, torch.tensor([128.0], device="cuda"), atol=1e-3, rtol=1e-4)

    def test_tuples_scalars_and_none(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = torch.randn(64, device="cuda", dtype=dtype)
            o = torch.empty(64, device="cuda")
            k.scalars[(1,)](o, (x, 3), 2.5, None, True, -7, 1 << 40, B=64)
            torch.testing.assert_close(o, x.float() * 2.5 + 3 + 1 - 7 + 1)

    def test_host_descriptors(self):
        from triton.tools.tensor_descriptor import TensorDescriptor

        a, b = (
            torch.randn(256, 128, device="cuda", dtype=torch.float16),
            torch.randn(128, 256, device="cuda", dtype=torch.float16),
        )
        c = torch.empty(256, 256, device="cuda", dtype=torch.float16)
        k.by_descriptors[(2, 2)](
            TensorDescriptor.from_tensor(a, [128, 64]),
            TensorDescriptor.from_tensor(b, [64, 128]),
            TensorDescriptor.from_tensor(c, [128, 128]),
            128,
            BM=128,
            BN=128,
            BK=64,
        )
        torch.testing.assert_close(c, a @ b, atol=0.1, rtol=2e-2)

    def test_device_descriptors(self):
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
        a, b = (
            torch.randn(256, 128, device="cuda", dtype=torch.float16),
            torch.randn(128, 256, device="cuda", dtype=torch.float16),
        )
        c = torch.empty(256, 256, device="cuda", dtype=torch.float16)
        k.making_descriptors[(2, 2)](a, b, c, 256, 256, 128, BM=128, BN=128, BK=64)
        torch.testing.assert_close(c, a @ b, atol=0.1, rtol=2e-2)

    def test_both_launchers(self):
        a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
        for launcher in ("tritcc", "triton"):
            with self.subTest(launcher):
                tritcc.triton.install(launcher=launcher)
                self.addCleanup(tritcc.triton.install, launcher="tritcc")
                c = torch.empty_like(a)
                k.product.device_caches.clear()
                kernel = k.product[(4, 4)](a, b, c, 512, 512, 512, 512, 512, 512, BM=128, BN=128, BK=64, num_warps=8)
                torch.testing.assert_close(c, a @ b, atol=0.3, rtol=2e-2)
                self.assertEqual(kernel.metadata.tritcc["launcher"], launcher)
                maps = launcher == "tritcc" and torch.cuda.get_device_capability()[0] == 9
                self.assertEqual("cp.async.bulk.tensor" in kernel.asm["ptx"], maps)

    def test_memory_of_the_host_is_refused(self):
        x = torch.randn(64)
        with self.assertRaisesRegex(ValueError, r"Pointer argument \(at 0\) cannot be accessed from Triton"):
            k.add[(1,)](x, x, x, 64, B=64)

    def test_hooks_see_launches(self):
        from triton import knobs

        seen = []
        enter = lambda metadata: seen.append(metadata.get()["name"])  # noqa: E731
        before = knobs.runtime.launch_enter_hook
        chained = hasattr(before, "add")
        before.add(enter) if chained else setattr(knobs.runtime, "launch_enter_hook", enter)
        try:
            x = torch.randn(256, device="cuda")
            k.add[(1,)](x, x, torch.empty_like(x), 256, B=256)
        finally:
            before.remove(enter) if chained else setattr(knobs.runtime, "launch_enter_hook", before)
        self.assertEqual(seen, ["add"])

    def test_a_graph_of_launches(self):
        x, o = torch.randn(4096, device="cuda"), torch.empty(4096, device="cuda")
        k.add[(4,)](x, x, o, 4096, B=1024)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            k.add[(4,)](x, o, o, 4096, B=1024)
        o.zero_()
        graph.replay()
        torch.testing.assert_close(o, x)

    def test_random_numbers_are_tritons(self):
        rows = []
        for install in (True, False):
            (tritcc.triton.install if install else tritcc.triton.uninstall)()
            o, p, q = (torch.empty(1024, device="cuda", dtype=t) for t in (torch.float32, torch.int32, torch.float32))
            k.random[(1,)](o, p, q, 1234, B=1024)
            rows.append((o, p, q))
            k.random.device_caches.clear()
        for ours, theirs in list(zip(*rows, strict=True))[:2]:
            self.assertTrue(torch.equal(ours, theirs))
        # randn takes a logarithm, a root and a cosine, whose last bits are the compiler's.
        torch.testing.assert_close(rows[0][2], rows[1][2], atol=2e-6, rtol=2e-6)

    def test_without_triton(self):
        x, y = torch.randn(2, 10000, device="cuda").unbind()
        o = torch.empty_like(x)
        add = tritcc.jit(k.add)
        for n in (10000, 9999):
            add[lambda m: (triton.cdiv(m["n"], m["B"]),)](x, y, o, n, B=256)
            torch.testing.assert_close(o[:n], (x + y)[:n])
        self.assertEqual(len(add.cache), 1)
        a, b = (
            torch.randn(256, 256, device="cuda", dtype=torch.float16),
            torch.randn(256, 256, device="cuda", dtype=torch.float16),
        )
        c = torch.empty_like(a)
        product = tritcc.jit(k.matmul.fn)
        product[(4, 4)](a, b, c, 256, 256, 256, 256, 256, 256, BM=64, BN=64, BK=32)
        torch.testing.assert_close(c, a @ b, atol=0.2, rtol=2e-2)

    def test_an_exported_module(self):
        with tempfile.TemporaryDirectory() as folder:
            signature = ["*fp32", "*fp32", "*fp32", "i32", 128]
            files = tritcc.export(k.add, signature, ["compute_80", "x86-64-v2"], os.path.join(folder, "adding"))
            spec = importlib.util.spec_from_file_location("adding", files.module)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            x = torch.randn(1000, device="cuda")
            o = torch.empty_like(x)
            module.add(8, x, x, o, 1000, stream=torch.cuda.current_stream().cuda_stream)
            torch.testing.assert_close(o, x + x)

    @unittest.skipUnless(shutil.which(os.environ.get("CXX", "c++")), "there is no C++ compiler")
    def test_a_package_of_aotinductor_runs_in_a_program(self):
        import aoti

        with tempfile.TemporaryDirectory() as folder:
            package = aoti.make_package(torch, "cuda", os.path.join(folder, "model.pt2"))
            report = tritcc.triton.report()
            self.assertEqual(len(report.fallbacks), 0, str(report))
            images = aoti.images(package)
            self.assertGreater(len(images), 0)
            ours = set()
            for at, _, names in os.walk(os.environ["TRITON_CACHE_DIR"]):
                for name in names:
                    if name.endswith(".cubin"):
                        with open(os.path.join(at, name), "rb") as data:
                            ours.add(data.read())
            self.assertEqual([name for name, data in images.items() if data not in ours], [])
            program = os.path.join(folder, "program")
            aoti.build_program(torch, program)
            got, want = aoti.run_program(program, package, "cuda"), aoti.wanted(torch, "cuda")
            self.assertEqual(len(got), len(want))
            for one, other in zip(got, want):
                self.assertAlmostEqual(one, other, delta=1e-3 * abs(other) + 1e-5)

    def test_torch_compile(self):
        import torch._inductor.config as config

        config.force_disable_caches = True

        def f(x, y):
            return torch.softmax(x @ y, -1).sum(0).cumsum(0), torch.nn.functional.gelu(x).mean(1), torch.sort(x, 1)[0]

        x, y = torch.randn(128, 256, device="cuda"), torch.randn(256, 512, device="cuda")
        for got, want in zip(torch.compile(f)(x, y), f(x, y)):
            torch.testing.assert_close(got, want, atol=2e-3, rtol=1e-3)
        self.assertGreater(len(tritcc.triton.report().compiled), 0)
        self.assertEqual(len(tritcc.triton.report().fallbacks), 0, str(tritcc.triton.report()))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        unittest.main()
