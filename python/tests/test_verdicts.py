"""What upstream/verdicts.py says of a suite: run on a small one, compiled for a device that is not there."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import support

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = """
    import pytest, triton, triton.language as tl

    @triton.jit
    def kernel(o, B: tl.constexpr):
        tl.store(o + tl.arange(0, B), B)

    @pytest.mark.parametrize("B", [16, 32, 64, 128])
    def test_stores(B, device):
        import torch
        assert "st.global" in kernel[(1,)](torch.empty(B, device=device), B=B).asm["ptx"]

    def test_only_tritons(device):
        import torch
        assert "tritcc.kernel" not in kernel[(1,)](torch.empty(16, device=device), B=16).asm["ptx"]

    is_lost = False

    def test_writes_past_its_array():
        global is_lost
        is_lost = True

    def test_behind_it():
        if is_lost:
            raise RuntimeError("Triton Error [CUDA]: an illegal memory access was encountered")
"""


def _has(*names):
    return all(importlib.util.find_spec(name) for name in names)


@unittest.skipUnless(support.triton and _has("pytest", "torch", "numpy"), "needs Triton, pytest, torch and numpy")
class Verdicts(unittest.TestCase):
    def test_tests_that_only_triton_passes_are_counted_and_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_small.py"), "w") as out:
                out.write(textwrap.dedent(SUITE))
            with open(os.path.join(folder, "conftest.py"), "w") as out:
                out.write("import pytest\ndef pytest_addoption(parser):\n    parser.addoption('--device', default='cuda')\n")
                out.write("@pytest.fixture\ndef device(request):\n    return request.config.getoption('--device')\n")
            program = os.path.join(HERE, "upstream", "verdicts.py")
            command = [sys.executable, program, "--dry", "--sample", "2", folder]
            run = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            self.assertIn("test_small.py::test_only_tritons", run.stdout)
            self.assertIn("4 of 5 that pass with Triton pass with tritcc: 80.00 %", run.stdout)
            said = r"tritcc: a process lost its device in test_small.py::test_behind_it, after .*, test_writes_past_its_array: "
            self.assertRegex(run.stdout, said + "RuntimeError: Triton Error")
            run = subprocess.run([*command, "-k", "stores"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("2 of 2 that pass", run.stdout)


if __name__ == "__main__":
    unittest.main()
