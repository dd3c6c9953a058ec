load ../helpers

# The -sig that an error about missing types suggests, in $signature; it must compile to ptx as it stands.
suggested() {
    tritcc -1 k.py -emit=ttir -arch=sm_90a "$@"
    signature=$(sed -n "s/.*for example: -sig '\(.*\)'\$/\1/p" <<<"$errors")
    [ -n "$signature" ]
    tritcc -w k.py -emit=ptx=k.ptx -arch=sm_90a -sig "$signature"
}

kernel() {
    { echo 'import triton'; echo 'import triton.language as tl'; cat; } >k.py
}

@test "a number that becomes a float before it is stored makes an array of floats" {
    kernel <<'K'
@triton.jit
def mean(x, out, n, B: tl.constexpr):
    m = 0
    acc = tl.zeros((B,), tl.float32)
    for i in range(0, n, B):
        acc += tl.load(x + i + tl.arange(0, B))
    m = tl.sum(acc) / n
    tl.store(out, m)
K
    suggested
    [[ $signature == *"out=*fp32:16, n=i32"* ]]
}

@test "a pointer behind its offset, and a name compared with a float" {
    kernel <<'K'
@triton.jit
def k(p, q, scale, B: tl.constexpr):
    pid = tl.program_id(0)
    width = 2 * scale if scale >= 1.0 else 2.0
    steps = (width + 0.5).to(tl.int32)
    tl.store(pid + q, tl.load(p + pid) * steps)
K
    suggested
    [[ $signature == *"p=*fp32:16, q=*fp32:16, scale=fp32"* ]]
}

@test "integers are not looked for where floats are rounded or their bits are read" {
    kernel <<'K'
@triton.jit
def bits(x):
    if x.dtype.is_floating():
        y = x.to(tl.int32, bitcast=True) >> 3
    else:
        y = x >> 3
    return y

@triton.jit
def k(p, weight, o, B: tl.constexpr):
    i = tl.arange(0, B)
    if weight is None:
        w = 1
    else:
        w = tl.load(weight).to(tl.float32)
    tl.store(o + i, bits(tl.load(p + i)) * (1 / w))
K
    suggested
    [[ $signature == *"p=*fp32:16, weight=*fp32:16"* ]]
}

@test "the launch in the file gives values and types" {
    kernel <<'K'
@triton.jit
def k(x, ids, y, n, bias, fill: tl.constexpr, B: tl.constexpr, MODE: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=fill)
    tl.store(y + i, v + bias)
    tl.store(ids + i, i)
    tl.static_assert(MODE == "fast" or MODE == "exact")

def run(x, bias: float):
    y = torch.empty_like(x)
    ids = torch.empty(x.numel(), dtype=torch.int64)
    k[(1,)](x, ids, y, x.numel(), bias, fill=-float("inf") if x is None else -1.5, B=256, MODE="exact", num_warps=2)
K
    suggested
    [[ $signature == *'ids=*i64:16'*'bias=fp32'*'B=256, MODE="exact"'* ]]
}

@test "the type of a descriptor is a descriptor, its block as a hook of the file sets it" {
    kernel <<'K'
def hook(nargs):
    BM = nargs["BM"]
    nargs["a"].block_shape = [BM, BK]
    nargs["b"].block_shape = [BK, BN]

@triton.jit
def k(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, n, BK):
        acc = tl.dot(a.load([0, i]), b.load([i, 0]), acc)
    c.store([0, 0], acc.to(c.dtype))

def run(a, b, c, n):
    k[(1,)](a, b, c, n, BM=128, BN=32, BK=64)
K
    suggested
    [[ $signature == *"a=tensordesc<fp32[128, 64]>, b=tensordesc<fp32[64, 32]>, c=tensordesc<fp32[128, 32]>"* ]]
}

@test "what does not compile at first is tried with other types and sizes" {
    kernel <<'K'
@triton.jit
def half(a, b, o, N: tl.constexpr, H: tl.constexpr, W: tl.constexpr):
    tl.static_assert(W == 2 * H)
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + i)
    tl.store(o + i, tl.dot(x, tl.load(b + i).to(tl.float16)))
    tl.store(o + tl.arange(H, W), 0.0)
K
    suggested
    [[ $signature == *"a=*fp16:16"* ]]
}

@test "a block that descriptors store fits shared memory; what was tried in vain is taken back" {
    kernel <<'K'
@triton.autotune(configs=[triton.Config({"BM": 256, "BN": 256, "BK": 32}, num_warps=32)], key=[])
@triton.jit
def k(a, b, o, n, step: tl.constexpr, ACC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    x = tl.make_tensor_descriptor(base=a, shape=(n, n), strides=(n, step), block_shape=(BM, BK)).load([0, 0])
    y = tl.make_tensor_descriptor(base=b, shape=(n, n), strides=(n, step), block_shape=(BK, BN)).load([0, 0])
    sum = tl.dot(x, y, tl.zeros((BM, BN), dtype=ACC), out_dtype=ACC)
    to = tl.make_tensor_descriptor(base=o, shape=(n, n), strides=(n, step), block_shape=(BM, BN))
    to.store([0, 0], sum.to(o.type.element_ty))
K
    suggested
    [[ $signature == *"o=*fp16:16, n=i32, step=1, ACC=tl.float32"* ]]
}

@test "products are of 16 bits where what is loaded ahead would not fit, of int8 where integers are summed" {
    kernel <<'K'
@triton.jit
def k(a, b, o, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TYPE: tl.constexpr):
    i, j, l = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :], tl.arange(0, BK)
    sum = tl.zeros((BM, BN), dtype=TYPE)
    for s in range(0, n, BK):
        sum += tl.dot(tl.load(a + i * n + l[None, :] + s), tl.load(b + (l[:, None] + s) * n + j))
    tl.store(o + i * n + j, sum)


def launch(a, b, o, n):
    k[(1,)](a, b, o, n, BM=128, BN=256, BK=64, TYPE=tl.int32)
K
    suggested
    [[ $signature == *"a=*i8:16, b=*i8:16, o="*"TYPE=tl.int32"* ]]
    sed -i '/k\[(1,)\]/s/tl.int32/tl.float32/; s/^@triton.jit/@triton.autotune([triton.Config({"BM": 128, "BN": 256, "BK": 64}, num_warps=8)], [])\n&/' k.py
    suggested
    [[ $signature == *"a=*fp16:16, b=*fp16:16, o=*fp16:16, n=i32, TYPE=tl.float32"* ]]
}

@test "blocks that are too large for registers are made smaller" {
    kernel <<'K'
@triton.jit
def k(o, H: tl.constexpr, I: tl.constexpr):
    h = tl.arange(0, H)
    s = tl.zeros((H, H), tl.float32)
    for t in tl.static_range(I):
        s = s / tl.sum(s, axis=1)[:, None]
    tl.store(o + h[:, None] * H + h[None, :], s)
K
    suggested
}

@test "what the user said stays as it was said" {
    kernel <<'K'
@triton.jit
def k(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n))
K
    suggested -sig 'k(x=*bf16:16, n=i64:16)' -DB=32
    [[ $signature == "k(x=*bf16:16, y=*fp32:16, n=i64:16, B=32)" ]]
}

@test "trials of a suggestion print nothing" {
    kernel <<'K'
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_print("hello")
    tl.store(x + tl.arange(0, B), 0)
K
    tritcc -1 k.py -emit=ttir
    [[ $errors != *hello* ]]
    tritcc --list-kernels k.py
    [[ $output == *"x: *fp32:16 (guessed)"* && $output$errors != *hello* ]]
}

@test "what configurations and heuristics give is not suggested, nor guessed for an object; a shell takes the text" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.autotune([triton.Config({'B': 32}), triton.Config({'B': 64})], key=['n'])
@triton.heuristics({'EVEN': lambda args: args['n'] % args['B'] == 0})
@triton.jit
def k(x, n, B: tl.constexpr, EVEN: tl.constexpr, KIND: tl.constexpr = 'a"b', MODE: tl.constexpr = 'c'):
    o = tl.program_id(0) * B + tl.arange(0, B)
    if EVEN:
        tl.store(x + o, 1.0)
    else:
        tl.store(x + o, 1.0, mask=o < n)


def run(x):
    k[(triton.cdiv(x.numel(), 32),)](x, x.numel())
TRI
    tritcc -1 -c k.tri
    [[ $errors == *"-sig 'k(x=*fp32:16, n=i32, KIND="*', MODE="c")'* ]]
    eval "tritcc -c -config=all k.tri $(sed -n "s/.*example: //p" <<<"$errors")"
    tritcc --inspect k.o
    [[ $output == *'configuration 1: '*'EVEN=False, KIND='*'a"b'*', MODE='*'EVEN=True'* ]]
    tritcc -1 -emit=ttir k.tri # here nothing computes it
    [[ $errors == *"n=i32, EVEN=True, "* ]]
    tritcc -c -fguess-types k.tri
    tritcc --inspect k.o
    [[ $output == *EVEN=False*EVEN=True* ]]
}

@test "a signature is suggested beside heuristics that cannot be evaluated" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


class table:
    def find(self, name, other):
        return {}


@triton.heuristics(table.find('k'))
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
TRI
    tritcc -1 -c k.tri
    [[ $errors == *"this could give some of them, but"*"-sig 'k(x=*fp32:16, B=1024)'"* ]]
}

@test "a guess in the place of a heuristic that may give any number is what the launcher insists on" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.heuristics({'B': lambda args: triton.next_power_of_2(args['n'])})
@triton.jit
def k(x, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(x + o, 1.0, mask=o < n)
TRI
    cat >main.c <<'C'
#include "k.h"

_Alignas(64) static float x[4096];

int main(void)
{
    tri_grid grid = {1, 1, 1};
    if (k(0, grid, x, 700) || x[699] != 1 || x[700])
        return 1;
    return k(0, grid, x, 2000) != TRI_ERROR_HEURISTIC;
}
C
    tritcc -fguess-types -emit=obj=k.o,header=k.h k.tri
    cc -I. main.c k.o -o main -lm
    ./main
    tritcc -1 -c k.tri
    [[ $errors == *"-sig 'k(x=*fp32:16, n=i32, B=1024)'"* ]]
}

@test "each item of a tuple has its own type: taken by number, by names, or by a function that the tuple is passed to" {
    kernel <<'K'
@triton.jit
def scaled(pair, i):
    return tl.load(pair[0] + i) * pair[1] + 0.5

@triton.jit
def k(o, pair, rest, descs, S: tl.constexpr):
    i = tl.arange(0, S[0])
    p, n = rest
    x = scaled(pair, i) + tl.load(p + i, mask=i < n)
    tl.store(o + i, x + tl.sum(descs[0].load([0, 0])))
K
    suggested
    [[ $signature == *'pair=(*fp32:16, fp32), rest=(*fp32:16, i32), descs=(tensordesc<fp32[64, 64]>,), S='* ]]
}

@test "a number that is shifted by more than 31 bits has 64" {
    kernel <<'K'
@triton.jit
def k(o, large, small):
    tl.store(o, (large >> 40) + (small >> 4))
K
    suggested
    [[ $signature == *'large=i64, small=i32'* ]]
}
