"""tritcc.triton: Triton's compile() by tritcc, for a device that is not there."""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings

import support
import tritcc.triton
from support import compiled, fresh_cache, needs_triton, parameters

HERE = os.path.dirname(os.path.abspath(__file__))


def python(code, **environment):
    """Runs a program of its own, in which `tests` can be imported; its output, or an AssertionError with its errors."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w") as out:
            out.write(f"import sys\nsys.path.insert(0, {HERE!r})\n" + textwrap.dedent(code))
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("TRITCC", "TRITON"))}
        variables.update(TRITON_CACHE_DIR=os.path.join(folder, "cache"), **environment)
        run = subprocess.run([sys.executable, path], capture_output=True, text=True, env=variables, timeout=300)
    if run.returncode:
        raise AssertionError(f"exit {run.returncode}\n{run.stdout}\n{run.stderr}")
    return run.stdout + run.stderr


class Unspellable:
    def __repr__(self):  # which Triton's key has
        return "unspellable"


class Installed(unittest.TestCase):
    """Each test has an empty cache, an empty report, and the plug-in."""

    def setUp(self):
        cache = fresh_cache()
        self.cache = cache.__enter__()
        self.addCleanup(cache.__exit__, None, None, None)
        self.addCleanup(tritcc.triton.uninstall)
        tritcc.triton.install(strict=True, frontend="tritcc", warnings=True, options=[])
        tritcc.triton.clear_report()


@needs_triton
class Agreement(Installed):
    SAME = (
        "name",
        "num_ctas",
        "launch_cooperative_grid",
        "launch_pdl",
        "global_scratch_size",
        "profile_scratch_size",
        "profile_scratch_align",
        "num_stages",
        "enable_fp_fusion",
        "debug",
        "target",
        "warp_size",
        "triton_version",
    )

    def both(self, kernel, options, types):
        """The kernel by tritcc and by Triton."""
        ours = compiled(kernel, options=options, **types)
        tritcc.triton.uninstall()
        try:
            return ours, compiled(kernel, options=options, **types)
        finally:
            tritcc.triton.install()

    def test_metadata_and_parameters_agree_with_tritons(self):
        import kernels

        for name, kernel, options, types in kernels.cases():
            with self.subTest(name):
                ours, theirs = self.both(kernel, options, types)
                for key in self.SAME:
                    self.assertEqual(getattr(ours.metadata, key), getattr(theirs.metadata, key), key)
                self.assertLessEqual(set(theirs.metadata._fields), set(ours.metadata._fields))
                self.assertEqual(set(ours.asm), set(theirs.asm))
                # Triton's launcher passes two addresses of scratch behind the arguments, whoever takes them.
                mine, want = parameters(ours.asm["ptx"]), parameters(theirs.asm["ptx"])
                self.assertEqual(mine, want[: len(mine)])
                self.assertGreaterEqual(len(mine), len(want) - 2)
                self.assertGreaterEqual(ours.metadata.num_warps, theirs.metadata.num_warps)
                self.assertTrue(ours.asm["cubin"].startswith(b"\x7fELF"))
                self.assertIsInstance(ours.metadata.shared, int)
        self.assertEqual(len(tritcc.triton.report().fallbacks), 0, str(tritcc.triton.report()))

    def test_line_tables_name_the_users_file(self):
        import kernels

        ptx = compiled(kernels.add, x="*fp32", y="*fp32", o="*fp32", n="i32", B=64).asm["ptx"]
        self.assertRegex(ptx, r'\.file\s+1 "[^\n]*kernels\.py"')
        line = kernels.add.starting_line_number + 3
        self.assertRegex(ptx, rf"\.loc\s+1 {line} ")

    def test_a_patched_function_is_compiled_as_it_is_now(self):
        import kernels

        @support.triton.jit
        def patched(o):
            kernels.tl.store(o, 1234567)

        before = compiled(patched, o="*i32").asm["ttir"]
        patched._unsafe_update_src(patched.src.replace("1234567", "7654321"))
        after = compiled(patched, o="*i32").asm["ttir"]
        self.assertIn("1234567", before)
        self.assertIn("7654321", after)

    def test_a_generated_function(self):
        import linecache

        text = "import triton, triton.language as tl\n@triton.jit\ndef made(o, B: tl.constexpr):\n    tl.store(o + tl.arange(0, B), B)\n"
        linecache.cache["<made>"] = (len(text), None, text.splitlines(True), "<made>")
        scope = {}
        exec(compile(text, "<made>", "exec"), scope)
        self.assertIn("tt.store", compiled(scope["made"], o="*i32", B=32).asm["ttir"])

    def test_descriptors_are_decomposed(self):
        import kernels

        kernel = compiled(kernels.descriptors, d="tensordesc<fp16[32, 32]>", o="*fp32:16", B=32)
        from tritcc.triton import _launcher

        types = _launcher.expanded(["tensordesc<fp16[32, 32]>", "*fp32", "constexpr"])
        report = tritcc.triton.report()
        self.assertEqual([e.name for e in report.noted], ["descriptors"])
        self.assertIn("descriptors: note: ", str(report))
        bits = {"*fp16": 64, "*fp32": 64, "i64": 64, "i32": 32, "i1": 8}
        self.assertEqual([bits[t] for t in types if t != "constexpr"], parameters(kernel.asm["ptx"])[: len(types) - 1])

    def test_tritons_front_end_and_our_back_end(self):
        import kernels

        tritcc.triton.install(frontend="triton")
        kernel = compiled(kernels.softmax, o="*fp32", x="*fp32", stride="i32", cols="i32", B=128)
        self.assertIn("tritcc.kernel", kernel.asm["ptx"])
        self.assertEqual([e.name for e in tritcc.triton.report().compiled], ["softmax"])

    def test_options_of_the_compiler_are_asked_for(self):
        from tritcc.triton import _request

        self.assertTrue(_request.has_option("-fno-tma"))
        self.assertFalse(_request.has_option("-fno-such-option"))

    def test_a_file_of_ttir(self):
        import kernels

        text = compiled(kernels.calls, o="*fp32", n="fp32").asm["ttir"]
        path = os.path.join(self.cache, "calls.ttir")
        with open(path, "w") as out:
            out.write(re.sub(r"tritcc\.kernel = \{.*\}\} \{$", "tt.x = 1 : i32} {", text, flags=re.M))
        kernel = support.triton.compile(path, target=support.GPUTarget("cuda", 90, 32))
        self.assertEqual(kernel.metadata.name, "calls")
        self.assertIn("tritcc.kernel", kernel.asm["ptx"])


@needs_triton
class Refusals(Installed):
    def failing(self, body, **types):
        """The exception of a kernel whose body is a text."""
        import linecache

        text = (
            "import triton, triton.language as tl\nG = 3\nclass C:\n    y = 1\n@triton.jit\ndef k("
            + ", ".join(f"{n}: tl.constexpr" if not isinstance(t, str) else n for n, t in types.items())
            + "):\n"
            + textwrap.indent(body, "    ")
        )
        name = f"<failing {hash(text)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        scope = {}
        exec(compile(text, name, "exec"), scope)
        with self.assertRaises(Exception) as caught:
            compiled(scope["k"], arch=80, **types)
        return caught.exception

    def test_errors_are_tritons_with_its_words_first(self):
        from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct

        rows = [
            ("tl.store(x, foo)\n", CompilationError, "at 2:16:", "NameError('foo is not defined')", "TRI-3001"),
            ("tl.store(x, G)\n", CompilationError, "at 2:16:", "Cannot access global variable G", "TRI-3002"),
            ("tl.store(x, C.y)\n", CompilationError, "at 2:16:", "Cannot access global variable C", "TRI-3001"),
            ("tl.static_assert(B > 9, 'too small')\n", CompileTimeAssertionFailure, "at 2:4:", "too small", "TRI-4002"),
            (
                "tl.store(x + tl.arange(0, 48), 1)\n",
                CompilationError,
                "at 2:17:",
                "arange's range must be a power of 2",
                "TRI-3010",
            ),
            (
                "for i in range(3):\n    break\n",
                UnsupportedLanguageConstruct,
                "at 3:8:",
                "unsupported AST node type: Break",
                "TRI-4001",
            ),
            ("tl.load(B + 0.5)\n", CompilationError, "at 2:12:", "Unsupported ptr type", "TRI-3014"),
        ]
        for body, kind, place, words, code in rows:
            with self.subTest(body):
                error = self.failing(body, x="*fp32", B=1)
                self.assertIs(type(error), kind)
                text = str(error)
                self.assertTrue(text.startswith(place), text)
                self.assertIn(words, text)
                self.assertLess(text.index(words), text.index(code))

    def test_a_class_of_a_file_is_no_global_of_a_kernel(self):
        import kernels
        from triton.compiler.errors import CompilationError

        with self.assertRaises(CompilationError) as caught:
            compiled(kernels.reads_a_class, arch=80, x="*fp32")
        text = str(caught.exception)
        self.assertIn("Cannot access global variable Plain from within", text)
        self.assertIn("TRI-3002", text)

    def test_what_tritons_functions_raise_is_the_cause(self):
        rows = [
            ("tl.expand_dims(tl.arange(0, 8), -3)\n", ValueError, "invalid axis -3. Expected -2 <= axis < 2"),
            ("tl.program_id(20)\n", ValueError, "program_id axis must be 0, 1, or 2 but got 20"),
            ("tl.arange(0, 8)[3:]\n", ValueError, "unsupported tensor index"),
            ("tl.arange(2, 7)\n", ValueError, "arange's range must be a power of 2"),
            ("foo\n", type(None), "None"),
        ]
        for body, kind, words in rows:
            with self.subTest(body):
                cause = self.failing(body, x="*fp32").__cause__
                self.assertIs(type(cause), kind)
                self.assertEqual(str(cause), words)

    def test_an_error_in_a_call_is_the_cause_of_one_at_the_call(self):
        import kernels

        with self.assertRaises(Exception) as caught:
            compiled(kernels.calls_what_fails, o="*i32")
        outer = caught.exception
        self.assertTrue(str(outer).startswith("at 3:16:\ndef calls_what_fails(o):"), outer)
        self.assertTrue(str(outer.__cause__).startswith("at 2:15:\ndef fails(x):"), outer.__cause__)
        self.assertIn("foo is not defined", str(outer.__cause__))

    def test_functions_may_have_the_names_of_pythons(self):
        import kernels

        self.assertIn("arith.remsi", compiled(kernels.shadows, o="*i32").asm["ttir"])

    def test_too_much_shared_memory_is_out_of_resources(self):
        from triton.runtime.errors import OutOfResources
        import kernels

        with self.assertRaises(OutOfResources) as caught:
            compiled(
                kernels.matmul,
                options={"num_warps": 8, "num_stages": 4},
                a="*fp16:16",
                b="*fp16:16",
                c="*fp16:16",
                M="i32",
                N="i32",
                K="i32:16",
                sa="i32:16",
                sb="i32:16",
                sc="i32:16",
                BM=256,
                BN=256,
                BK=256,
            )
        error = caught.exception
        self.assertEqual(error.name, "shared memory")
        self.assertGreater(error.required, error.limit)

    def test_what_only_triton_compiles_is_compiled_and_reported(self):
        import kernels

        tritcc.triton.install(strict=False, options=["-fno-such-option"])
        kernel = compiled(kernels.calls, o="*fp32", n="fp32")
        self.assertNotIn("tritcc.kernel", kernel.asm["ptx"])
        report = tritcc.triton.report()
        self.assertEqual([(e.name, e.by) for e in report.entries], [("calls", "triton")])
        self.assertIn("-fno-such-option", report.fallbacks[0].reason)
        self.assertIn("calls: by Triton", str(report))

    def test_a_cached_fallback_is_still_reported(self):
        import kernels

        tritcc.triton.install(strict=False, options=["-fno-such-option"])
        compiled(kernels.calls, o="*fp32", n="fp32")
        tritcc.triton.clear_report()
        compiled(kernels.calls, o="*fp32", n="fp32")
        self.assertEqual([(e.by, e.cached) for e in tritcc.triton.report().entries], [("triton", True)])

    def test_strict_raises_what_has_no_source(self):
        import kernels

        tritcc.triton.install(strict=True)
        with self.assertRaisesRegex(tritcc.triton.Refused, "instrumentation_mode"):
            compiled(kernels.calls, options={"instrumentation_mode": "consan"}, o="*fp32", n="fp32")

    def test_products_of_compute_capability_10_are_tritons_unless_strict(self):
        @support.triton.jit
        def product(a, b, o):
            i = kernels.tl.arange(0, 64)
            at = i[:, None] * 64 + i[None, :]
            kernels.tl.store(o + at, kernels.tl.dot(kernels.tl.load(a + at), kernels.tl.load(b + at)))

        import kernels

        types = {"a": "*fp16", "b": "*fp16", "o": "*fp32"}
        tritcc.triton.install(strict=False)
        self.assertIn("tcgen05.mma", compiled(product, arch=100, **types).asm["ptx"])
        self.assertIn("tritcc.kernel", compiled(kernels.calls, arch=100, o="*fp32", n="fp32").asm["ptx"])
        self.assertEqual([e.name for e in tritcc.triton.report().fallbacks], ["product"])
        self.assertIn("tcgen05", tritcc.triton.report().fallbacks[0].reason)
        tritcc.triton.install(strict=True)
        tritcc.triton.clear_report()
        with support.fresh_cache():
            compiled(product, arch=100, **types)
        self.assertEqual([(e.name, "tcgen05" in e.reason) for e in tritcc.triton.report().noted], [("product", True)])

    def test_who_asks_for_a_reproducer_of_tritons_passes_gets_one(self):
        import kernels
        from unittest import mock

        tritcc.triton.install(strict=False)
        with mock.patch.dict(os.environ, TRITON_REPRODUCER_PATH=os.path.join(self.cache, "repro")):
            compiled(kernels.calls, o="*fp32", n="fp32")
        self.assertTrue(os.path.exists(os.path.join(self.cache, "repro.make_ttir.repro.mlir")))
        self.assertIn("TRITON_REPRODUCER_PATH is set", tritcc.triton.report().fallbacks[0].reason)

    def test_types_are_those_of_the_signature(self):
        """As with Triton: torch.compile says i32 of small numbers, whatever the function's author wrote."""
        import kernels

        tl = kernels.tl

        @support.triton.jit
        def annotated(o, n: tl.int64, m: "tl.int32", c: tl.constexpr, B: "tl.constexpr"):
            tl.store(o + tl.arange(0, B), (n * c + m).to(tl.float32))

        text = compiled(annotated, o="*fp32", n="i32", m="i64", c=3, B=64).asm["ttir"]
        self.assertRegex(text, r"%n: i32 .*%m: i64")

    def test_warnings_begin_with_tritons_words(self):
        import kernels

        @support.triton.jit
        def product(o):
            a = kernels.tl.full((64, 64), 0.0, kernels.tl.float8e4b15)
            i = kernels.tl.arange(0, 64)
            kernels.tl.store(o + i[:, None] * 64 + i[None, :], kernels.tl.dot(a, a))

        with self.assertWarnsRegex(UserWarning, "the use of fp8e4b15 is deprecated on Hopper .* use fp8e4nv"):
            compiled(product, o="*fp32")

    def test_an_error_of_both_carries_our_message(self):
        tritcc.triton.install(strict=False)
        error = self.failing("tl.store(x, foo)\n", x="*fp32")
        self.assertIn("TRI-3001", "".join(getattr(error, "__notes__", ["TRI-3001"])))
        self.assertEqual([e.by for e in tritcc.triton.report().entries], ["none"])

    def test_warnings_are_pythons(self):
        import kernels

        tritcc.triton.install(options=["-Wall"])

        @support.triton.jit
        def unused(o, n, B: kernels.tl.constexpr):
            i = kernels.tl.arange(0, B)
            mask = i < n
            kernels.tl.store(o + i, i)

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compiled(unused, o="*i32", n="i32", B=32)
        ours = [w for w in caught if issubclass(w.category, tritcc.triton.TritccWarning)]
        self.assertEqual(len(ours), 1)
        self.assertIn("unused-mask", str(ours[0].message))
        self.assertEqual(os.path.basename(ours[0].filename), "test_triton.py")


@needs_triton
class Jit(Installed):
    """@triton.jit as programs call it, up to the launch."""

    def setUp(self):
        super().setUp()
        from triton.runtime import driver

        active = driver.__dict__.get("_active", None)
        driver.set_active(support.Driver())
        self.addCleanup(setattr, driver, "_active", active)

    def test_warmup_specialises_and_calls_hooks(self):
        import kernels
        from triton import knobs

        seen = []
        hook = lambda **given: seen.append(given["fn"].name)  # noqa: E731
        before = knobs.runtime.jit_post_compile_hook
        knobs.runtime.jit_post_compile_hook = hook
        try:
            x = support.array()
            kernel = kernels.add.warmup(x, x, x, 1024, B=256, grid=(4,), num_warps=2)
        finally:
            knobs.runtime.jit_post_compile_hook = before
        self.assertEqual(kernel.metadata.num_warps, 2)
        self.assertIn("tritcc.kernel", kernel.asm["ptx"])
        self.assertEqual(len(seen), 1)

    def test_asynchronous_compilation(self):
        import concurrent.futures

        import kernels
        from triton.runtime import _async_compile

        x = support.array()
        with concurrent.futures.ThreadPoolExecutor(4) as pool, _async_compile.AsyncCompileMode(pool):
            futures = [kernels.add.warmup(x, x, x, 77, B=1 << n, grid=(4,)) for n in range(5, 11)]
        for future in futures:
            kernel = future.result() if hasattr(future, "result") else future
            self.assertIn("tritcc.kernel", kernel.asm["ptx"])
        self.assertEqual(len(tritcc.triton.report().compiled), 6)

    def test_gluon_is_tritons_and_reported(self):
        import gluon_kernels
        from triton.experimental.gluon._runtime import GluonASTSource

        source = GluonASTSource(gluon_kernels.increment, {"x": "*fp32"}, {}, {})
        kernel = support.triton.compile(source, target=support.GPUTarget("cuda", 90, 32))
        self.assertNotIn("tritcc.kernel", kernel.asm["ptx"])
        self.assertEqual(tritcc.triton.report().fallbacks, (("increment", "triton", "Gluon is Triton's own", False),))


@needs_triton
class Surroundings(Installed):
    def test_the_cache_is_apart_from_tritons_own(self):
        import kernels

        ours = compiled(kernels.calls, o="*fp32", n="fp32")
        tritcc.triton.uninstall()
        theirs = compiled(kernels.calls, o="*fp32", n="fp32")
        self.assertNotEqual(ours.hash, theirs.hash)
        self.assertNotIn("tritcc.kernel", theirs.asm["ptx"])

    def test_the_key_follows_the_files_of_triton(self):
        from tritcc.triton import _key

        folder = os.path.join(self.cache, "package")
        os.makedirs(os.path.join(folder, "_C"))
        keys = []
        for name, text in (("a.py", "1"), ("_C/lib.so", "2"), ("_C/lib.so", "22"), ("note.txt", "3")):
            with open(os.path.join(folder, name), "w") as out:
                out.write(text)
            _key._files_of.cache_clear()
            keys.append(_key._files_of(folder))
        os.utime(os.path.join(folder, "a.py"), ns=(1, 1))
        _key._files_of.cache_clear()
        keys.append(_key._files_of(folder))
        self.assertEqual(keys[2], keys[3])
        self.assertEqual(len(set(keys)), 4)

    def test_the_key_follows_all_that_a_kernel_reaches(self):
        import kernels

        unspellable = Unspellable()

        def key(op, amount, **options):
            kernel = kernels.closed(op, amount)
            return support.source_of(kernel, o="*fp32:16", i="*fp32:16", **{"B": 64, **options}).hash()

        ours = key(kernels.square, 1.0)
        self.assertEqual(ours, key(kernels.square, 1.0))
        self.assertNotIn(ours, (key(kernels.square, 2.0), key(kernels.square, 1.0, B=32), key(kernels.calls, 1.0)))
        before = kernels.square.src
        self.addCleanup(kernels.square._unsafe_update_src, before)
        kernels.square._unsafe_update_src(before.replace("x * x", "x * x * x"))
        self.assertNotEqual(ours, key(kernels.square, 1.0))
        # Triton's own where something has no text, and for folders that people name by it
        with support.triton.knobs.compilation.scope():
            support.triton.knobs.compilation.dump_ir = True
            dumped = key(kernels.square, 1.0)
        with_object = key(kernels.square, unspellable)
        tritcc.triton.uninstall()
        self.assertEqual(dumped, key(kernels.square, 1.0))
        self.assertNotEqual(ours, dumped)
        self.assertEqual(with_object, key(kernels.square, unspellable))

    def test_the_key_does_not_read_tritons_library(self):
        from triton.runtime import autotuner, cache

        before = cache.triton_key()
        self.assertIn("tritcc", before)
        self.assertTrue(before.startswith(support.triton.__version__))
        self.assertLess(len(before), 300)  # Triton's own lists a digest of each file
        self.assertEqual(autotuner.triton_key(), before)
        tritcc.triton.uninstall()
        self.assertNotEqual(autotuner.triton_key(), before)
        self.assertNotIn("tritcc", cache.triton_key())

    def test_32_threads(self):
        import kernels

        failures = []

        def one(number):
            try:
                kernel = kernels.closed(kernels.square, number)
                ptx = compiled(kernel, o="*fp32:16", i="*fp32:16", B=64).asm["ptx"]
                assert "tritcc.kernel" in ptx
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=one, args=(n,)) for n in range(32)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])
        self.assertEqual(len(tritcc.triton.report().compiled), 32)

    def test_forked_workers_compile_and_are_reported(self):
        import kernels

        children = []
        for number in range(3):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    compiled(kernels.closed(kernels.square, 100 + number), o="*fp32:16", i="*fp32:16", B=64)
                    status = 0
                finally:
                    os._exit(status)
            children.append(child)
        self.assertEqual([os.waitpid(c, 0)[1] for c in children], [0, 0, 0])
        self.assertEqual(len(tritcc.triton.report().compiled), 3)

    def test_the_environment_asks_for_it(self):
        code = """
            import kernels, support, tritcc.triton
            assert "tritcc.kernel" in support.compiled(kernels.calls, o="*fp32", n="fp32").asm["ptx"]
            print(tritcc.triton.report())
        """
        self.assertIn("1 kernels by tritcc", python(code, TRITCC="1"))

    def test_without_it_nothing_happens(self):
        code = """
            import kernels, support, sys
            assert "tritcc.kernel" not in support.compiled(kernels.calls, o="*fp32", n="fp32").asm["ptx"]
            assert "tritcc._library" not in sys.modules
        """
        python(code)

    def test_decorators_of_functions_are_kept(self):
        code = """
            import support, triton, triton.language as tl, tritcc.triton
            from triton.compiler.errors import CompilationError
            @triton.must_use_result("extra words")
            @triton.jit
            def cube(x):
                return x * x * x
            @triton.jit
            def unused(o):
                cube(1.0)
            @triton.jit
            def used(o):
                tl.store(o, cube(2.0))
            @triton.jit(do_not_specialize_on_alignment=["N"])
            def listed(N: tl.constexpr):
                pass
            tritcc.triton.install(strict=True)
            support.compiled(used, o="*fp32")
            for install in (True, False):
                for kernel, given in ((unused, {"o": "*fp32"}), (listed, {"N": 5})):
                    try:
                        support.compiled(kernel, **given)
                    except CompilationError as error:
                        print(str(error).replace(chr(10), "|"))
                tritcc.triton.uninstall()
        """
        said = python(code)
        self.assertEqual(said.count("|The result of cube is not being used. extra words"), 2, said)
        self.assertEqual(said.count("|N marked as constexpr and listed in do_not_specialize"), 2, said)
        self.assertEqual(said.count("TRI-4006"), 1, said)

    def test_another_triton_is_named(self):
        code = """
            import triton
            triton.__version__ = "3.5.1"
            import tritcc.triton
            try:
                tritcc.triton.install()
            except tritcc.triton.UnsupportedTriton as error:
                print(error)
        """
        self.assertRegex(python(code), r"works with Triton 3\.6 to 3\.9, and this is Triton 3\.5\.1")

    def test_a_missing_library_is_said_and_triton_goes_on(self):
        code = """
            import kernels, support
            assert "tritcc.kernel" not in support.compiled(kernels.calls, o="*fp32", n="fp32").asm["ptx"]
        """
        said = python(code, TRITCC="1", TRITCC_LIBRARY="/no/such/libtritcc.so.0")
        self.assertIn("kernels are compiled by Triton", said)
        self.assertIn("/no/such/libtritcc.so.0", said)

    def test_a_full_cache_is_as_with_triton(self):
        code = """
            import errno, kernels, support, tritcc.triton
            from triton.runtime.cache import FileCacheManager
            def full(self, *args, **given):
                raise OSError(errno.ENOSPC, "no space left on device")
            FileCacheManager.put = full
            for install in (False, True):
                if install:
                    tritcc.triton.install(strict=True)
                try:
                    support.compiled(kernels.calls, o="*fp32", n="fp32")
                except OSError as error:
                    print("errno", error.errno)
        """
        self.assertEqual(python(code).count("errno 28"), 2)

    def test_a_cache_holds_what_triton_puts_there(self):
        code = """
            import errno, io, os, kernels, shutil, support, tritcc.triton
            from triton.runtime.cache import FileCacheManager, get_cache_manager
            folder = os.environ["TRITON_CACHE_DIR"]
            def files():
                found = sorted((os.path.splitext(f)[1], f) for _, _, names in os.walk(folder) for f in names)
                shutil.rmtree(folder)
                return found
            support.compiled(kernels.calls, o="*fp32", n="fp32")
            theirs = files()
            tritcc.triton.install(strict=True, texts=True)
            manager = get_cache_manager("ABCD")
            shutil.rmtree(folder)
            path = manager.put("text\\u00e9", "a.txt")  # makes the folder anew
            assert open(path).read() == "text\\u00e9" and open(manager.put(b"a" * 99999, "a.txt"), "rb").read(3) == b"aaa"
            assert [name for _, name in files()] == ["a.txt"]
            support.compiled(kernels.calls, o="*fp32", n="fp32")
            assert files() == theirs
            class Full(io.FileIO):
                def write(self, data):
                    if self.tell() > 2:
                        raise OSError(errno.ENOSPC, "no space left on device")
                    return super().write(data[:3])
            manager, io.FileIO = get_cache_manager("ABCD"), Full
            try:
                manager.put(b"abcdef", "b")
            except OSError as error:
                print("errno", error.errno, files())
        """
        self.assertIn("errno 28 []", python(code))

    def test_texts_are_made_when_they_are_asked_for(self):
        code = """
            import glob, kernels, os, pickle, shutil, support, tritcc.triton
            from triton import knobs
            later, compiled = ("ttir", "ttgir", "llir"), lambda: support.compiled(kernels.calls, o="*fp32", n="fp32")
            def written(folder=os.environ["TRITON_CACHE_DIR"]):
                found = {f.rpartition(".")[2] for f in glob.glob(folder + "/*/*")}
                shutil.rmtree(folder)
                return sorted(found & set(later))
            tritcc.triton.install(strict=True, texts=True)
            want = dict(compiled().asm)
            assert written() == sorted(later) and all(want[kind] for kind in later)
            tritcc.triton.install(texts=False)
            kernel = compiled()
            assert list(kernel.asm) == list(want) and len(kernel.asm) == len(want) and "ttgir" in kernel.asm
            assert kernel.asm.get("ttgir") == want["ttgir"] and kernel.asm.get("glir", 1) == 1
            for use in (dict, lambda asm: dict(asm.items()), lambda asm: dict(zip(asm, asm.values())), lambda asm: asm,
                        lambda asm: pickle.loads(pickle.dumps(asm)), lambda asm: {kind: asm[kind] for kind in asm}):
                assert use(compiled().asm) == want  # of the cache
            assert "sass" not in kernel.asm and written() == []
            for owner, name, value in ((knobs.compilation, "dump_ir", True), (tritcc.triton, "nothing", None),
                                       (knobs.compilation, "listener", lambda **_: None),
                                       (knobs.runtime.kernel_load_end_hook, "calls", [print])):
                before = getattr(owner, name, None)
                setattr(owner, name, value)
                assert compiled().asm["llir"] == want["llir"]
                assert written() == (sorted(later) if value else []), name
                setattr(owner, name, before)
        """
        with tempfile.TemporaryDirectory() as folder:
            python(code, TRITON_DUMP_DIR=folder)

    def test_a_read_only_cache_is_as_with_triton(self):
        code = """
            import os, kernels, support, tritcc.triton
            tritcc.triton.install(strict=True)
            os.environ["TRITON_CACHE_DIR"] = "/proc/no/such/folder"
            try:
                support.compiled(kernels.calls, o="*fp32", n="fp32")
            except OSError as error:
                print(type(error).__name__)
        """
        self.assertRegex(python(code), "Error")

    def test_a_missing_ptxas_is_as_with_triton(self):
        code = """
            import kernels, support, tritcc.triton
            from triton import knobs
            words = []
            for install in (False, True):
                if install:
                    tritcc.triton.install(strict=True)
                knobs.nvidia.ptxas = knobs.NvidiaTool("/no/such/ptxas", "")
                try:
                    support.compiled(kernels.calls, o="*fp32", n="fp32")
                    words.append("compiled")
                except Exception as error:
                    words.append(type(error).__name__)
            assert words[0] == words[1], words
        """
        python(code)

    def test_an_interrupted_compilation_leaves_the_process_well(self):
        code = """
            import signal, kernels, support, tritcc.triton
            tritcc.triton.install(strict=True)
            def interrupt(*_):
                raise KeyboardInterrupt
            signal.signal(signal.SIGALRM, interrupt)
            for delay in (0.001, 0.02, 0.05, 0.1):
                signal.setitimer(signal.ITIMER_REAL, delay)
                try:
                    support.compiled(kernels.closed(kernels.square, delay), o="*fp32:16", i="*fp32:16", B=64)
                except KeyboardInterrupt:
                    pass
                signal.setitimer(signal.ITIMER_REAL, 0)
            kernel = support.compiled(kernels.calls, o="*fp32", n="fp32")
            assert "tritcc.kernel" in kernel.asm["ptx"]
        """
        python(code)


if __name__ == "__main__":
    unittest.main()
