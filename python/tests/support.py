"""What the tests share: a cache of their own, Triton without a device, and kernels to compile."""

import contextlib
import os
import shutil
import tempfile
import unittest

try:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError:
    triton = None

needs_triton = unittest.skipUnless(triton, "Triton is not installed")


@contextlib.contextmanager
def fresh_cache():
    """An empty cache folder for Triton, gone afterwards."""
    folder = tempfile.mkdtemp(prefix="tritcc-test-")
    before = os.environ.get("TRITON_CACHE_DIR")
    os.environ["TRITON_CACHE_DIR"] = folder
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if before is None:
            del os.environ["TRITON_CACHE_DIR"]
        else:
            os.environ["TRITON_CACHE_DIR"] = before


def source_of(kernel, **types):
    """An ASTSource: types as '*fp32:16'; everything else that is no text is a constant (a text, too, in a list)."""
    signature, constants, attrs = {}, {}, {}
    for i, name in enumerate(kernel.arg_names):
        given = types[name]
        if isinstance(given, tuple):
            signature[name] = _tuple_of(given, (i,), constants, attrs)
        elif isinstance(given, str):
            signature[name], _, hint = given.partition(":")
            if hint:
                attrs[(i,)] = [["tt.divisibility", 16]]
        else:
            signature[name] = "constexpr"
            constants[(i,)] = given[0] if isinstance(given, list) else given
    return ASTSource(kernel, signature, constants, attrs)


def _tuple_of(given, path, constants, attrs):
    items = []
    for i, item in enumerate(given):
        if isinstance(item, str):
            items.append(item.partition(":")[0])
            if ":" in item:
                attrs[(*path, i)] = [["tt.divisibility", 16]]
        else:
            items.append("constexpr")
            constants[(*path, i)] = item
    return type(given)(*items) if hasattr(given, "_fields") else tuple(items)


def compiled(kernel, arch=90, options=None, **types):
    """The kernel as Triton's compile() gives it, or raises."""
    return triton.compile(source_of(kernel, **types), target=GPUTarget("cuda", arch, 32), options=options)


def parameters(ptx):
    """The kinds of an entry's parameters: their bits, as PTX declares them."""
    import re

    entry = re.search(r"\.entry\s+\w+\s*\((.*?)\)", ptx, re.S).group(1)
    kinds = []
    for line in entry.split(","):
        found = re.search(r"\.param\s+(?:\.align \d+ )?\.(\w+).*?(?:\[(\d+)\])?\s*$", line.strip())
        bits = int(found.group(1)[1:]) * int(found.group(2) or 1)
        kinds.append(bits)
    return kinds


class Driver:
    """Enough of a driver for what Triton does before a launch."""

    def __init__(self, arch=90):
        self.arch = arch

    def get_current_target(self):
        return GPUTarget("cuda", self.arch, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=0):
        return 0

    def get_device_capability(self, device=0):
        return divmod(self.arch, 10)


def array():
    """An array of 32-bit floats, as far as @triton.jit looks at it."""
    from triton.runtime.jit import MockTensor

    return MockTensor(triton.language.float32)
