"""What verdicts.py has pytest do: a line for each test that has ended, a sample of the cases, and a device that is none.

With VERDICTS_DRY, kernels are compiled for compute capability 9.0 and launched nowhere; arrays are the host's, and
comparisons of numbers hold."""

import collections
import json
import os
import types

LOG = os.environ.get("VERDICTS_LOG")
IS_DRY = os.environ.get("VERDICTS_DRY") == "1"


def pytest_collection_modifyitems(config, items):
    step = int(os.environ.get("VERDICTS_SAMPLE", "1"))
    seen = collections.Counter()
    kept = []
    for item in items:
        name = item.nodeid.partition("[")[0]
        if seen[name] % step == 0:
            kept.append(item)
        seen[name] += 1
    items[:] = kept


def pytest_runtest_logreport(report):
    if not LOG or os.environ.get("PYTEST_XDIST_WORKER"):
        return
    if report.when == "call" or report.outcome != "passed" and report.when == "setup":
        text = ""
        crash = getattr(report.longrepr, "reprcrash", None)
        if report.outcome == "failed":
            text = (crash.message if crash else str(report.longrepr)).strip()
        with open(LOG, "a") as out:
            row = [report.nodeid, report.outcome, " ".join(text.split())[:400], getattr(report, "worker_id", "")]
            out.write(json.dumps(row) + "\n")


class Nowhere:
    """A launcher of Triton's that launches nothing."""

    def __init__(self, src, metadata):
        pass

    def __call__(self, *args):
        pass


class Utils:
    @staticmethod
    def load_binary(name, kernel, shared, device):
        return 0, 0, 32, 0, 1024

    @staticmethod
    def unload_module(module):
        pass

    @staticmethod
    def get_device_properties(device):
        return {"max_shared_mem": 232448, "multiprocessor_count": 132, "warpSize": 32, "max_num_regs": 65536}


class Device:
    """Triton's driver of a device that is not there."""

    launcher_cls = Nowhere
    utils = Utils

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_device_capability(self, device=0):
        return 9, 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        return lambda call, **given: call() or [1.0]

    def get_device_interface(self):
        import torch

        return torch.cuda


def pretend():
    """A device that is none: Triton's driver, what torch says of it, and arrays of the host's."""
    from triton.runtime import driver

    driver.set_active(Device())
    _on_the_host()


def _on_the_host():
    """Arrays that tests make on a GPU are the host's, and hold zeros where a kernel would have filled them."""
    import torch
    from torch.overrides import TorchFunctionMode

    filled = {torch.empty: torch.zeros, torch.empty_like: torch.zeros_like}

    class OnTheHost(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            function = filled.get(function, function)
            if str(kwargs.get("device", "")).startswith("cuda"):
                kwargs["device"] = "cpu"
            return function(*args, **kwargs)

    torch.Tensor.cuda = lambda self, *args, **given: self
    OnTheHost().__enter__()
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    torch.cuda.get_device_name = lambda device=None: "none"
    torch.cuda.get_device_properties = lambda device=None: types.SimpleNamespace(
        name="none", major=9, minor=0, multi_processor_count=132, total_memory=1 << 36, warp_size=32
    )
    torch.cuda.synchronize = lambda device=None: None


def pytest_configure(config):
    if not IS_DRY:
        return
    import numpy
    import torch

    pretend()
    holds = lambda *args, **given: None  # noqa: E731
    for name in ("assert_allclose", "assert_equal", "assert_array_equal", "assert_almost_equal"):
        setattr(numpy.testing, name, holds)
    torch.testing.assert_close = torch.testing.assert_allclose = holds
    torch.equal = torch.allclose = numpy.allclose = lambda *args, **given: True
