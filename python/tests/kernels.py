"""Kernels of many shapes for the plug-in: each as (kernel, options, types), called fresh by the tests."""

import collections
import enum

import triton
import triton.language as tl
from triton.language.extra import libdevice

import helpers
import helpers as other
from helpers import shared_name as renamed

SCALE = tl.constexpr(2.5)
DTYPE = tl.float16
Part = collections.namedtuple("Part", ["ptr", "n"])


class Mode(enum.Enum):
    ADD = 1
    MUL = 2


@triton.jit
def shared_name(x):
    return x - 1


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * sa + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * sb + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * sc + n[None, :], acc.to(DTYPE))


@triton.jit
def softmax(o, x, stride, cols, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * stride + i, mask=i < cols, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + r * stride + i, e / tl.sum(e, axis=0), mask=i < cols)


@triton.jit
def other_modules(o, B: tl.constexpr, OP: tl.constexpr):
    i = tl.arange(0, B)
    v = renamed(i.to(tl.float32)) + shared_name(i) + other.twice(helpers.FACTOR * i)
    tl.store(o + i, libdevice.rsqrt(OP(v) * SCALE))


@triton.jit
def tuples(o, p, q, f, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(p.ptr + i, mask=i < p.n) * f + q[1] + q[0])


@triton.jit
def descriptors(d, o, B: tl.constexpr):
    x = d.load([0, 0])
    i = tl.arange(0, B)
    tl.store(o + i[:, None] * B + i[None, :], x.to(tl.float32))


@triton.jit(repr=lambda s: f"named_{s.signature['o'][1:]}_{s.constants['B']}")
def named(o, n, B: tl.constexpr, MODE: tl.constexpr = "relu"):
    i = tl.arange(0, B)
    if MODE == "relu":
        tl.store(o + i, tl.maximum(i - n, 0))


@triton.jit
def asserts(o, n, B: tl.constexpr):
    tl.device_assert(n > 0, "n must be positive")
    tl.store(o + tl.arange(0, B), n + 1)


@triton.jit(noinline=True)
def apart(x, y):
    return x * y + 1


@triton.jit
def calls(o, n):
    tl.store(o, apart(n, n))


def closed(op, amount):
    AMOUNT = tl.constexpr(amount)

    @triton.jit
    def inner(o, i, B: tl.constexpr):
        a = tl.arange(0, B)
        tl.store(o + a, op(tl.load(i + a)) + AMOUNT)

    return inner


@triton.jit
def square(x):
    return x * x


@triton.jit
def fails(x):
    return x + foo  # noqa: F821


@triton.jit
def calls_what_fails(o):
    # the call is not in the first line
    tl.store(o, fails(3))


@triton.jit
def divmod(a, b):  # noqa: A001
    return a // b, a % b


@triton.jit
def shadows(o):
    a, b = divmod(tl.load(o), 7)
    tl.store(o, a + b)


def cases():
    """(name, kernel, options, types) of each; made anew by each call."""
    return [
        ("add", add, {}, dict(x="*fp32:16", y="*fp32:16", o="*fp32:16", n="i32:16", B=1024)),
        ("add without hints", add, {"num_warps": 8}, dict(x="*fp16", y="*fp16", o="*fp16", n="i64", B=512)),
        (
            "matmul",
            matmul,
            {"num_warps": 4, "num_stages": 3},
            dict(
                a="*fp16:16",
                b="*fp16:16",
                c="*fp16:16",
                M="i32",
                N="i32",
                K="i32:16",
                sa="i32:16",
                sb="i32:16",
                sc="i32:16",
                BM=64,
                BN=64,
                BK=32,
            ),
        ),
        ("softmax", softmax, {"num_warps": 2}, dict(o="*bf16:16", x="*bf16:16", stride="i32", cols="i32", B=256)),
        ("modules", other_modules, {}, dict(o="*fp32:16", B=128, OP=square)),
        ("tuples", tuples, {}, dict(o="*fp32:16", p=Part("*fp32:16", "i32"), q=("i32", 3), f="fp16", B=64)),
        ("small types", calls, {}, dict(o="*i8", n="i8")),
        ("booleans", calls, {}, dict(o="*i64", n="u1")),
        ("doubles", calls, {}, dict(o="*fp64", n="fp64")),
        ("bf16", calls, {}, dict(o="*bf16", n="bf16")),
        ("constant pointers", add, {}, dict(x="*kfp32", y="*kfp32", o="*fp32", n="i32", B=64)),
        ("repr", named, {}, dict(o="*i32", n="i32", B=32, MODE=["relu"])),
        ("none", add, {}, dict(x="*fp32", y="*fp32", o="*fp32", n=1, B=64)),
        ("asserts", asserts, {"debug": True, "sanitize_overflow": False}, dict(o="*i32", n="i32", B=32)),
        ("closure", closed(square, 3), {}, dict(o="*fp32:16", i="*fp32:16", B=64)),
        ("closure again", closed(shared_name, 7), {}, dict(o="*fp32:16", i="*fp32:16", B=64)),
        ("noinline", calls, {"enable_fp_fusion": False, "maxnreg": 64}, dict(o="*fp32", n="fp32")),
    ]


class Plain:
    value = 1


@triton.jit
def reads_a_class(x):
    tl.store(x, Plain.value)
