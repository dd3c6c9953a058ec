"""Library functions as they are after the release that peer.py compares with."""
import triton
import triton.language as tl
from triton.language.standard import _get_int_dtype, _indicator, _log2, xor_sum


@triton.jit
def compare_and_swap(x, flip, i: tl.constexpr):
    rank: tl.constexpr = _log2(x.numel)
    bits = x.to(_get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True), bitcast=True)
    other = bits ^ xor_sum(bits, rank - 1 - i, True)
    y = other.to(x.dtype, bitcast=True)
    right = _indicator(rank, i)
    return tl.where((x > y) != (flip ^ right).to(tl.int1), y, x)


@triton.jit
def cat(input, other, can_reorder: tl.constexpr = False, dim: tl.constexpr = 0):
    c = tl.join(input, other)
    order: tl.constexpr = _order(len(input.shape), dim)
    return tl.reshape(tl.permute(c, order), _doubled(input.shape, dim))


@triton.constexpr_function
def _order(rank, dim):
    order = list(range(rank))
    order.insert(dim, rank)
    return tuple(order)


@triton.constexpr_function
def _doubled(shape, dim):
    return [2 * n if i == dim else n for i, n in enumerate(shape)]
