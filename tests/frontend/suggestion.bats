# The signature that is suggested where types are missing: each kernel compiles with it as it stands.
load ../helpers

kernel()
{
    { printf 'import triton\nimport triton.language as tl\n\n'; cat; } >k.tri
}

# suggests 'SIGNATURE': that text, and it compiles.
suggests()
{
    tritcc -1 k.tri -k k -emit=ttir=-
    [[ $errors == *"-sig '$1'"* ]]
    tritcc k.tri -sig "$1" -emit=ttir=-
}

@test "floats are what meets floats, integers what bounds and divides" {
    kernel <<'K'
@triton.jit
def k(x, o, n, eps, p, scale, seed, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    mean = tl.sum(v) / n
    keep = tl.rand(seed, i) > p
    r = tl.where(keep, v * scale, 0.0) / tl.sqrt(mean + eps.to(tl.float32))
    tl.store(o + i, r, mask=i < n)
K
    suggests 'k(x=*fp32:16, o=*fp32:16, n=i32, eps=fp32, p=fp32, scale=fp32, seed=i32, B=1024)'
}

@test "loaded indices, counts and addresses are integers" {
    kernel <<'K'
@triton.jit
def k(table, index, counts, addresses, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.load(index + i)
    a = tl.load(addresses).to(tl.pointer_type(tl.float32))
    left = 0
    for s in range(n):
        left += tl.load(counts + s)
    tl.store(o + i, tl.load(table + j) + tl.load(a + left))
K
    suggests 'k(table=*fp32:16, index=*i32:16, counts=*i32:16, addresses=*i64:16, o=*fp32:16, n=i32, B=1024)'
}

@test "helpers tell what their callers' parameters are" {
    kernel <<'K'
@triton.jit
def shrink(value, by):
    return value * tl.exp(by)

@triton.jit
def put(where, at, value):
    tl.store(where + at, value)

@triton.jit
def k(a, b, decay, B: tl.constexpr):
    i = tl.arange(0, B)
    put(b, i, shrink(tl.load(a + i), decay))
K
    suggests 'k(a=*fp32:16, b=*fp32:16, decay=fp32, B=1024)'
}

@test "switches, names, types and tiles of constexpr parameters" {
    kernel <<'K'
@triton.jit
def k(a, o, s, HAS: tl.constexpr, ACT: tl.constexpr, T: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * s + tl.arange(0, N)[None, :]
    v = tl.load(a + at).to(T)
    if HAS:
        v += 1
    if ACT == "relu":
        v = tl.maximum(v, 0)
    tl.store(o + at, v)
K
    suggests 'k(a=*fp32:16, o=*fp32:16, s=i32, HAS=True, ACT="relu", T=tl.float32, M=64, N=64)'
}

@test "descriptors are descriptors, of as many dimensions as their offsets" {
    kernel <<'K'
@triton.jit
def k(d, o, row):
    v = d.load([row, 0])
    tl.store(o + tl.arange(0, 64), tl.sum(v, axis=0))
K
    suggests 'k(d=tensordesc<fp32[64, 64]>, o=*fp32:16, row=i32)'
}

@test "what was given is kept, what configs give is left to them" {
    kernel <<'K'
@triton.autotune(configs=[triton.Config({"B": 256}, num_warps=8)], key=[])
@triton.jit
def k(a, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(a + i), mask=i < n)
K
    tritcc -1 k.tri -Da='*fp16' -emit=ttir=-
    [[ $errors == *"-sig 'k(a=*fp16, o=*fp32:16, n=i32)'"* ]]
}

@test "--list-kernels shows kernels, parameters and configurations" {
    cat >many.py <<'END'
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return x + 1


@triton.autotune(configs=[triton.Config({'B': 64}, num_warps=2), triton.Config({'B': 128}, num_warps=8)], key=['n'])
@triton.jit
def scale(x, n, eps, flag: tl.constexpr = True, B: tl.constexpr = 32):
    i = tl.arange(0, B)
    tl.store(x + i, helper(tl.load(x + i, mask=i < n)) * (eps + 1.5), mask=i < n)


@triton.jit
def copy(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))
END
    tritcc --list-kernels many.py
    [[ $output == "scale (many.py:12)"$'\n'"  x: *fp32:16 (guessed)"$'\n'"  n: i32 (guessed)"$'\n'"  eps: fp32 (guessed)"* ]]
    [[ $output == *"  flag: constexpr True (default)"$'\n'"  B: constexpr 64"$'\n'"  configurations, chosen by n:"* ]]
    [[ $output == *"    0: B=64, num_warps=2"*$'\n'"    1: B=128, num_warps=8"* ]]
    [[ $output == *$'\n\n'"copy (many.py:18)"*"  -sig 'copy(x=*fp32:16, y=*fp32:16, B=1024)'"* ]]
    [[ $output != *"helper ("* ]]
    # those of -k alone
    tritcc -k copy -k helper --list-kernels many.py
    [[ $output == "copy (many.py:18)"*$'\n\n'"helper (many.py:6)"* && $output != *"scale ("* ]]
    tritcc -1 -k cpy --list-kernels many.py
    [[ $errors == *"no kernel 'cpy' in 'many.py'; did you mean 'copy'?"*"[TRI-3031]"* ]]
    tritcc -D n=5 --list-kernels many.py
    tritcc -1 --list-kernels
    [[ $errors == *"--list-kernels needs a source"*"[TRI-1002]"* ]]
    tritcc -1 --list-kernels none.py
    [[ $errors == *"[TRI-1001]"* ]]
}

@test "--list-kernels takes its files before and after other options" {
    mkdir inc
    printf 'import triton\n\n\n@triton.jit\ndef scaled(x, by):\n    return x * by * 0.5\n' >inc/scales.py
    printf 'import triton\nimport triton.language as tl\nfrom scales import scaled\n\n\n@triton.jit\ndef one(x, by):\n    tl.store(x, scaled(tl.load(x), by))\n' >one.py
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef two(x):\n    tl.store(x, 1)\n' >two.py
    want=$'one (one.py:7)\n  x: *fp32:16 (guessed)\n  by: fp32 (guessed)\n  -sig \'one(x=*fp32:16, by=fp32)\''
    for words in "--list-kernels one.py -I inc" "--list-kernels one.py -Iinc" "-I inc --list-kernels one.py" "--list-kernels -I inc one.py" \
        "one.py -Iinc --list-kernels" "--list-kernels=one.py -Iinc"; do
        tritcc $words
        [ "$output" = "$want" ]
    done
    tritcc --list-kernels one.py two.py -Iinc
    [[ $output == "$want"$'\n\n'"two (two.py:6)"* ]]
}

@test "-fsyntax-only without types tells what is wrong for all of them" {
    kernel() { printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n%s\n' "$1" >one.py; }
    kernel '    tl.store(x + i, tl.load(x + i))'
    tritcc -fsyntax-only one.py
    [ -z "$errors" ]
    kernel '    tl.store(x + i, undefined + tl.load(x + i, othr=1))'
    tritcc -1 -fsyntax-only one.py
    [[ $errors == *"'undefined' is not defined [TRI-3001]"*"'load' has no parameter 'othr' [TRI-3004]"* ]]
    kernel '    tl.store(x + i, tl.load(x + i) % (tl.load(x + i) << 1))'
    tritcc -fsyntax-only one.py
    kernel '    v = tl.load(x + i)
    tl.store(x + i, v, mask=i < n)'
    tritcc -fsyntax-only one.py
    [[ $errors == *"warning: this load has no mask"* ]]
}

@test "-sig for a kernel that -k leaves out is an error" {
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef a(x):\n    tl.store(x, 1)\n\n\n@triton.jit\ndef b(x):\n    tl.store(x, 1)\n' >two.py
    tritcc -1 -k a -sig 'b(*i32)' -emit=ttir two.py
    [[ $errors == *"this -sig is for 'b', which -k leaves out [TRI-3030]"* ]]
}

@test "parameters that items are taken of are tuples" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(ps, ks, shape: tl.constexpr, n):
    i = tl.arange(0, shape[1])
    tl.store(ps[1] + i, tl.load(ps[0] + i, mask=i < n) + ks[2], mask=i < n)
END
    tritcc -0 -fsyntax-only k.tri
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx k.tri
    [[ $errors == *"-sig 'k(ps=(*fp32:16, *fp32:16), ks=(i32, i32, fp32), shape=("*"), n=i32)'"* ]]
    tritcc -0 -arch=sm_80 -emit=ptx=k.ptx -sig "$(grep -o "k(ps.*)" <<<"$errors" | tail -n 1)" k.tri
}

@test "what is stored among floats, or stands where nothing was loaded, is a float; by name, what is not used" {
    kernel <<'K'
@triton.jit
def k(x, o, mask, value, rest, lowest: tl.constexpr, n, k_scale, p_dropout: tl.constexpr, scale_stride, ty: tl.constexpr, alpha, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=rest) + tl.load(x + n + i, mask=i < n, other=lowest)
    v += tl.full((B,), lowest, dtype=x.dtype.element_ty)
    tl.store(o + i, (alpha * v.to(ty)).to(o.dtype.element_ty), mask=i < n)
    tl.store(o + i, value, mask=tl.load(mask + i).to(tl.int1))
K
    suggests 'k(x=*fp32:16, o=*fp32:16, mask=*i32:16, value=fp32, rest=fp32, lowest=1.0, n=i32, k_scale=fp32, p_dropout=1.0, scale_stride=i32, ty=tl.float32, alpha=fp32, B=1024)'
}

@test "one branch does not say what is loaded in another; extents of a reshape are not its elements" {
    kernel <<'K'
@triton.jit
def k(x, w, o, seed, HAS_W: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    if v.dtype.is_int():
        v = v.to(tl.int32)
    else:
        v = v.to(tl.float32)
    if HAS_W:
        f = tl.load(w + i)
    else:
        f = 1
    tl.store(o + i, (v * f).reshape(B // 2, 2).reshape(B))
    tl.store(o + B + i, seed * 6364136223846793005 + 1)
K
    suggests 'k(x=*fp32:16, w=*fp32:16, o=*fp32:16, seed=i64, HAS_W=True, B=1024)'
}

@test "named tuples are told by their fields, their annotation, or the function that they are passed to" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
from collections import namedtuple
from typing import NamedTuple

Part = namedtuple("Part", ["x", "n", "unread"], defaults=[7])


class Pair(NamedTuple):
    a: tl.tensor
    scale: tl.tensor
    block: tl.constexpr


@triton.jit
def scaled(q, i):
    return tl.load(q.a + i) * q.scale


@triton.jit
def k(p, q, r: Pair, t, o):
    i = tl.arange(0, r.block)
    tl.store(o + i, tl.load(p.x + i) + scaled(q, i) + scaled(r, i) + tl.load(t[0] + tl.arange(0, t[1])), mask=i < p.n)
K
    suggests 'k(p=Part(x=*fp32:16, n=i32), q=Pair(a=*fp32:16, scale=fp32, block=64), r=Pair(a=*fp32:16, scale=fp32, block=64), t=(*fp32:16, 64), o=*fp32:16)'
}

@test "texts that say how: precision of products, policies of memory" {
    kernel <<'K'
@triton.jit
def k(a, o, KIND: tl.constexpr, EVICT: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(a + i, eviction_policy=EVICT)
    tl.store(o + i, tl.dot(x, x, input_precision=KIND))
K
    suggests 'k(a=*fp32:16, o=*fp32:16, KIND="ieee", EVICT="")'
}
