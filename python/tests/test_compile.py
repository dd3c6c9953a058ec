"""tritcc.compile: sources, signatures, results and errors. Needs neither Triton nor a device."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import tritcc

KERNEL = """import triton
import triton.language as tl

@triton.jit
def scale(o, i, n, F: tl.constexpr, B: tl.constexpr):
    a = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + a, tl.load(i + a, mask=a < n) * F, mask=a < n)
"""
SIGNATURE = ["*fp32:16", "*fp32:16", "i32", 2.5, 128]


class Compile(unittest.TestCase):
    def test_a_text_gives_each_stage_by_its_type(self):
        r = tritcc.compile(KERNEL, SIGNATURE, arch="sm_80", emit=["ttir", "ptx"])
        self.assertIn("tt.func public @scale", r.ttir)
        self.assertIn(".visible .entry scale(", r["ptx"])
        self.assertEqual(list(r), ["ttir", "ptx"])
        obj = tritcc.compile(KERNEL, SIGNATURE, arch="x86-64", emit="obj").obj
        self.assertTrue(isinstance(obj, bytes) and obj.startswith(b"\x7fELF"))

    def test_metadata_is_what_the_compiler_says(self):
        k = tritcc.compile(KERNEL, SIGNATURE, arch="sm_90a", num_warps=8).kernel
        self.assertEqual((k.name, k.symbol, k.arch, k.num_warps, k.shared_bytes), ("scale", "scale", "sm_90a", 8, 0))
        self.assertEqual(
            [(p.name, p.type, p.value) for p in k.parameters],
            [
                ("o", "*fp32", None),
                ("i", "*fp32", None),
                ("n", "i32", None),
                ("F", "constexpr", "2.5"),
                ("B", "constexpr", "128"),
            ],
        )
        self.assertEqual((k.parameters[0].divisibility, k.parameters[1].read_only), (16, True))

    def test_signatures_by_name_as_text_and_by_constants(self):
        first = tritcc.compile(KERNEL, SIGNATURE, arch="sm_80").ptx
        named = dict(zip(["o", "i", "n", "F", "B"], SIGNATURE))
        self.assertEqual(tritcc.compile(KERNEL, named, arch="sm_80").ptx, first)
        self.assertEqual(tritcc.compile(KERNEL, "*fp32:16, *fp32:16, i32, 2.5, 128", arch="sm_80").ptx, first)
        self.assertEqual(
            tritcc.compile(KERNEL, "*fp32:16, *fp32:16, i32", arch="sm_80", constants={"F": 2.5, "B": 128}).ptx, first
        )

    def test_a_file_and_later_stages_as_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "k.py")
            path.write_text(KERNEL)
            ttir = tritcc.compile(path, SIGNATURE, arch="sm_80", emit="ttir").ttir
        self.assertIn(".entry scale", tritcc.compile(ttir, arch="sm_80", filename="k.ttir").ptx)

    def test_an_error_has_its_place_and_code(self):
        with self.assertRaises(tritcc.CompileError) as caught:
            tritcc.compile(KERNEL, ["*fp32", "fp32", "i32", 1.0, 128], filename="mine.py")
        error = caught.exception
        self.assertEqual((error.code, error.location), ("TRI-3014", ("mine.py", 7, 29)))
        self.assertIn("tl.load needs a pointer", str(error))
        self.assertEqual(error.diagnostics[0].notes[0].severity, "note")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, str(again)), (error.code, str(error)))

    def test_wrong_options_are_value_errors(self):
        with self.assertRaises(tritcc.OptionsError) as caught:
            tritcc.compile(KERNEL, SIGNATURE, options=["-fno-such-thing"])
        self.assertIsInstance(caught.exception, ValueError)
        self.assertIn("-fno-such-thing", str(caught.exception))
        with self.assertRaises(TypeError):
            tritcc.compile(7)

    def test_warnings_are_records(self):
        text = KERNEL.replace("    tl.store", "    unused = a < n + 1\n    tl.store")
        r = tritcc.compile(text, SIGNATURE, filename="k.py", options=["-Wall"])
        self.assertEqual([(w.group, w.file, w.line) for w in r.warnings], [("unused-mask", "k.py", 7)])
        self.assertIn("warning:", r.log)

    def test_an_output_that_was_not_asked_for(self):
        r = tritcc.compile(KERNEL, SIGNATURE)
        with self.assertRaises(KeyError):
            r["ttir"]
        with self.assertRaisesRegex(AttributeError, "did not ask"):
            r.ttir

    def test_the_limit_of_memory_and_what_follows(self):
        with self.assertRaises(tritcc.MemoryLimitError):
            tritcc.compile(KERNEL, SIGNATURE, memory_limit=20000)
        tritcc.compile(KERNEL, SIGNATURE)

    def test_cancelled_by_another_thread(self):
        body = "".join(f"    x = tl.dot(x, x) + {i}\n" for i in range(300))
        text = (
            KERNEL + "\n@triton.jit\ndef long(p, B: tl.constexpr):\n    a = tl.arange(0, B)\n"
            "    x = tl.load(p + a[:, None] * B + a[None, :])\n"
            + body
            + "    tl.store(p + a[:, None] * B + a[None, :], x)\n"
        )
        one = tritcc.Compilation(
            ["-emit=ptx,json", "-arch=sm_80", "-k", "long", "-sig", "*fp32, 64"], "long.py", text.encode()
        )
        timer = threading.Timer(0.05, one.cancel)
        timer.start()
        with self.assertRaises(tritcc.CancelledError):
            one.run(["ptx"])
        timer.join()
        tritcc.compile(KERNEL, SIGNATURE)

    def test_threads_give_the_bytes_of_one(self):
        want = tritcc.compile(KERNEL, SIGNATURE, arch="sm_80").ptx
        got = []
        threads = [
            threading.Thread(target=lambda: got.append(tritcc.compile(KERNEL, SIGNATURE, arch="sm_80").ptx))
            for _ in range(8)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(got, [want] * 8)

    def test_a_forked_child_compiles(self):
        tritcc.compile(KERNEL, SIGNATURE)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if ".entry scale" in tritcc.compile(KERNEL, SIGNATURE).ptx else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_forks_while_threads_compile(self):
        is_over = threading.Event()

        def work():
            while not is_over.is_set():
                tritcc.compile(KERNEL, SIGNATURE, arch="sm_80")

        tritcc.compile(KERNEL, SIGNATURE, arch="sm_80")
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        statuses = []
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                status = 1
                try:
                    tritcc.compile(KERNEL, SIGNATURE, arch="sm_80")
                    status = 0
                finally:
                    os._exit(status)
            statuses.append(os.waitpid(child, 0)[1])
        is_over.set()
        for t in threads:
            t.join()
        self.assertEqual(statuses, [0] * 20)


class Package(unittest.TestCase):
    def test_the_version_is_the_compilers(self):
        out = subprocess.run(
            [sys.executable, "-m", "tritcc", "-dumpversion"], capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(tritcc.__version__, out.strip())

    def test_python_m_is_the_driver(self):
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "tritcc",
                "-emit=ptx",
                "-arch=sm_80",
                "-o",
                "-",
                "-x",
                "tri",
                "-",
                "-sig",
                "*fp32, *fp32, i32, 2.0, 64",
            ],
            input=KERNEL,
            capture_output=True,
            text=True,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(".entry scale", run.stdout)
        run = subprocess.run([sys.executable, "-m", "tritcc", "-fno-such-thing"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)

    def test_import_takes_less_than_30_ms(self):
        code = "import time; t = time.perf_counter(); import tritcc; print((time.perf_counter() - t) * 1e3)"
        runs = [
            float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(5)
        ]
        self.assertLess(min(runs), 30)

    def test_every_name_is_there(self):
        for name in tritcc.__all__:
            self.assertIsNotNone(getattr(tritcc, name))
        with self.assertRaises(AttributeError):
            tritcc.no_such_name


if __name__ == "__main__":
    unittest.main()
