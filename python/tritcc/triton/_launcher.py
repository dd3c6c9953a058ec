"""What Triton's launcher must know of tritcc's kernels.

A tensor descriptor that a kernel takes as an argument is, for tritcc, its address, extents, strides and two flags; the
kernel makes the tensor map itself, in scratch memory. That is how Triton from 3.7 on passes a descriptor without a map;
3.6 passes one flag less. Scratch memory is Triton's allocator's; where the user has set none, for a kernel that would
need none if Triton had compiled it, torch gives it."""

import functools
import sys
import threading

from . import _state

_local = threading.local()


def is_ours(metadata):
    said = getattr(metadata, "tritcc", None)
    return bool(said) and not said.get("reason")


def _init(plain):
    @functools.wraps(plain)
    def __init__(self, src, metadata):
        from . import _direct

        self.tritcc_launch = _direct.launcher_of(src, metadata)
        if self.tritcc_launch is not None:
            return  # a name for tritcc's launcher, for which nothing is compiled
        _local.is_ours = is_ours(metadata)
        try:
            plain(self, src, metadata)
        finally:
            self.is_tritccs, _local.is_ours = _local.is_ours, False

    return __init__


def allocate(size, alignment, stream):
    torch = sys.modules.get("torch")
    if torch is None:
        raise RuntimeError(
            "Kernel requires a runtime memory allocation, but no allocator was set. "
            "Use triton.set_allocator to specify an allocator."
        )
    return torch.empty(size, dtype=torch.int8, device="cuda")


def _call(plain):
    @functools.wraps(plain)
    def __call__(self, *args):
        if getattr(self, "tritcc_launch", None) is not None:
            return self.tritcc_launch(*args)
        if not getattr(self, "is_tritccs", False) or not self.global_scratch_size:
            return plain(self, *args)
        from triton.runtime import _allocation

        if not isinstance(_allocation._allocator.get(), _allocation.NullAllocator):
            return plain(self, *args)
        token = _allocation._allocator.set(allocate)
        try:
            return plain(self, *args)
        finally:
            _allocation._allocator.reset(token)

    return __call__


def is_descriptor(ty):
    return isinstance(ty, str) and ty.startswith("tensordesc")


def rank_of(ty):
    """Of a descriptor's type."""
    return ty.partition("[")[2].partition("]")[0].count(",") + 1


def expanded(signature):
    """The types that a launcher passes for each entry of a signature."""
    types = []
    for ty in signature:
        if not is_descriptor(ty):
            types.append(ty)
            continue
        element, rank = ty.partition("<")[2].partition("[")[0], rank_of(ty)
        types += [f"*{element}", *["i64"] * (2 * rank), "i1", "i1", *["i32"] * rank, *["i64"] * rank]
    return types


def decomposed(argument):
    """What is passed for a descriptor."""
    flags = [argument.padding == "nan", bool(getattr(argument, "round_f32_to_tf32", False))]
    return [argument.base, *argument.shape, *argument.strides, *flags, *argument.shape, *argument.strides]


def _make_launcher(plain):
    @functools.wraps(plain)
    def make_launcher(constants, signature, tensordesc_meta):
        if not getattr(_local, "is_ours", False):
            return plain(constants, signature, tensordesc_meta)
        return plain(constants, dict(enumerate(expanded(signature.values()))), None)

    return make_launcher


def _wrap_handle_tensordesc(module):
    def wrapped(plain):
        @functools.wraps(plain)
        def wrap_handle_tensordesc(launcher, signature, tensordesc_meta):
            types = list(signature.values())
            if not getattr(_local, "is_ours", False) or not any(map(is_descriptor, types)):
                return plain(launcher, signature, tensordesc_meta)
            count = module._BASE_ARGS_FORMAT_LEN

            def launch(*args):
                given = []
                for ty, arg in zip(types, args[count:]):
                    given += decomposed(arg) if is_descriptor(ty) else [arg]
                return launcher(*args[:count], *given)

            return launch

        return wrap_handle_tensordesc

    return wrapped


def install(patch):
    from triton.backends.nvidia import driver

    patch(driver.CudaLauncher, "__init__", _init)
    patch(driver.CudaLauncher, "__call__", _call)
    if _state.current.version == (3, 6):
        patch(driver, "make_launcher", _make_launcher)
        patch(driver, "wrap_handle_tensordesc", _wrap_handle_tensordesc(driver))
