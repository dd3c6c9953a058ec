import triton
import triton.language as tl


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.70710678))


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)
