"""Kernels that test_gpu.py launches."""

import triton
import triton.language as tl

from kernels import add  # noqa: F401

CONFIGS = [
    triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=4, num_stages=3),
    triton.Config({"BM": 128, "BN": 64, "BK": 32}, num_warps=4, num_stages=2),
]
TOO_LARGE = triton.Config({"BM": 256, "BN": 256, "BK": 256}, num_warps=8, num_stages=4)


def _product(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        x = tl.load(a + m[:, None] * sa + (i * BK + k)[None, :], mask=(i * BK + k)[None, :] < K, other=0.0)
        y = tl.load(b + (i * BK + k)[:, None] * sb + n[None, :], mask=(i * BK + k)[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * sc + n[None, :], acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


product = triton.jit(_product)
matmul = triton.autotune(CONFIGS, key=["M", "N", "K"])(triton.jit(_product))
matmul_too_large = triton.autotune([TOO_LARGE, CONFIGS[0]], key=["M"])(triton.jit(_product))


@triton.jit
def softmax(o, x, total, stride, cols, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * stride + i, mask=i < cols, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    p = e / tl.sum(e, axis=0)
    tl.store(o + r * stride + i, p, mask=i < cols)
    tl.atomic_add(total, tl.sum(p, axis=0))


@triton.jit
def scalars(o, pair, f, nothing, flag, small, large, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(pair[0] + i).to(tl.float32) * f + pair[1] + small
    if nothing is None:
        v += 1
    if flag:
        v += large >> 40
    tl.store(o + i, v)


@triton.jit
def by_descriptors(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(tl.float16))


@triton.jit
def making_descriptors(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    y = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    z = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(x.load([m, k]), y.load([k, n]), acc)
    z.store([m, n], acc.to(tl.float16))


@triton.jit
def random(o, p, q, seed, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.rand(seed, i))
    tl.store(p + i, tl.randint(seed, i))
    tl.store(q + i, tl.randn(seed, i + B))
