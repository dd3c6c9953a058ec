"""Another module that kernels use: names that clash with the kernels' own."""

import triton
import triton.language as tl

FACTOR = tl.constexpr(3)
SCALE = tl.constexpr(0.5)


@triton.jit
def shared_name(x):
    return x * SCALE


@triton.jit
def twice(x):
    return shared_name(x) * FACTOR
