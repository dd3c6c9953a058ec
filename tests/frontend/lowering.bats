# The ttir of one kernel for each group of library functions and rules. UPDATE_GOLDEN=1 rewrites golden/.
load ../helpers

lowers() {
    tritcc -passes= -arch=sm_90 -k "$1" -sig "$1($2)" "$SRCDIR/tests/frontend/kernels.tri"
    golden "$SRCDIR/tests/frontend/golden/${3:-$1}.ttir" .out
}

@test "masked loads and stores of a vector" {
    lowers add "x=*fp32:16, y=*fp32:16, o=*fp32:16, n=i32, B=1024"
}

@test "reductions inside a loop with attributes" {
    lowers softmax "o=*fp32:16, x=*fp32:16, xs=i32:16, os=i32, rows=i32, cols=i32, B=1024, stages=4"
}

@test "several loops that carry blocks" {
    lowers layernorm "X=*fp16:16, Y=*fp16:16, W=*fp16, B=*fp16, Mean=*fp32, Rstd=*fp32, stride=i32, N=i32, eps=fp32, BLOCK_SIZE=1024"
}

@test "a product with a helper chosen by a string" {
    lowers matmul "a_ptr=*fp16:16, b_ptr=*fp16:16, c_ptr=*fp16:16, M=i32:16, N=i32:16, K=i32:16, sam=i32, sak=1, sbk=i32, sbn=1, scm=i32, scn=1, BM=128, BN=64, BK=32, GM=8, ACT='leaky'"
}

@test "the promotion table" {
    lowers promotions "h=*fp16, b=*bf16, s=*fp32, i8=*i8, u8=*u8, i64=*i64, o=*fp32, B=64"
}

@test "casts of every kind" {
    lowers casts "x=*fp32, o=*fp32, B=64"
}

@test "elementwise functions" {
    lowers maths "x=*fp32, o=*fp32, B=64"
}

@test "reductions, with indices too" {
    lowers reductions "x=*fp32, o=*fp32, A=16, B=64"
}

@test "reductions, with indices too of bfloat16" {
    lowers reductions "x=*bf16, o=*fp32, A=16, B=64" reductions_bf16
}

@test "shape functions" {
    lowers shapes "x=*fp32, o=*fp32, A=16, B=64"
}

@test "branches, loops and early returns" {
    lowers control "x=*fp32, o=*fp32, n=i32, flag=i32, B=64, MODE=1"
}

@test "atomics of every kind" {
    lowers atomics "x=*fp32, i=*i32, o=*fp32, lock=*i32, B=64"
}

@test "hints, modifiers, prints and assembly" {
    lowers hints "x=*fp32, o=*fp32, n=i32, B=64"
}

@test "random numbers" {
    lowers random "seed=i32, o=*fp32, B=64"
}

@test "sorting networks" {
    lowers sorting "x=*fp32, o=*fp32, B=64"
}

@test "gather, histogram, helpers with defaults" {
    lowers misc "x=*fp32, i=*i32, o=*fp32, B=64"
}

@test "a helper that returns constants" {
    lowers returns "o=*i32, n=i32"
}

@test "tensor descriptors" {
    lowers descriptors "x=*fp16, o=*fp16, M=i32, N=i32, B=64"
}

@test "block pointers are lowered to masked accesses" {
    lowers block_pointers "x=*fp16, o=*fp16, M=i32, N=i32, B=32"
}

@test "libdevice functions by argument types" {
    lowers libdevice_calls "x=*fp32, d=*fp64, o=*fp32, B=64"
}

@test "scaled products" {
    lowers scaled "a=*u8, sa=*u8, b=*u8, sb=*u8, o=*fp32, M=128, K=64"
}

@test "functions mapped over elements" {
    lowers mapped "x=*fp32, o=*fp32, B=64"
}

@test "scans of tuples" {
    lowers scans "x=*fp32, o=*fp32, B=64"
}
@test "aggregates, named tuples, constexpr functions, functions as arguments" {
    tritcc -passes= -arch=sm_90 -k k -sig 'k(p=*fp32, n=i32, B=64)' "$SRCDIR/tests/frontend/objects.tri"
    golden "$SRCDIR/tests/frontend/golden/objects.ttir" .out
}

@test "asserts are kept only on demand" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.device_assert(n > 0, "positive")
    assert n < 100
    tl.store(p, n + 1)
KERNEL
    tritcc -passes= -sig 'k(p=*i32, n=i32)' k.tri
    [[ $output != *tt.assert* ]]
    tritcc -passes= -fdevice-assert -sig 'k(p=*i32, n=i32)' k.tri
    [[ $output == *'tt.assert'*'"positive"'* ]]
    [[ $output == *'int32 overflow detected for operation add'* ]]
    # what stands for a message is looked at only then, as with Triton
    printf '%s\n' 'import triton, triton.language as tl' '@triton.jit' 'def k(p, M: tl.constexpr):' \
        '    tl.device_assert(tl.load(p) > 0, M)' >k.tri
    tritcc -passes= -sig 'k(p=*i32, M=1)' k.tri
    tritcc -1 -passes= -fdevice-assert -sig 'k(p=*i32, M=1)' k.tri
    [[ $errors == *"must be a compile-time string"* ]]
}

@test "overflow checks can be left out: of one operation, of all" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def wraps(p, n):
    tl.device_assert(n > 0, "positive")
    x = tl.mul(n, n, sanitize_overflow=False)
    tl.store(p, tl.sub(tl.add(x, 1, sanitize_overflow=False), n, sanitize_overflow=False))


@triton.jit
def checked(p, n):
    tl.device_assert(n > 0, "positive")
    tl.store(p, tl.mul(n, n, sanitize_overflow=True) + n)


@triton.jit
def random(p, n):
    i = tl.arange(0, 64)
    tl.store(p + i, tl.rand(n, i))
KERNEL
    asserts() { grep -c 'tt.assert' .out || true; }
    tritcc -passes= -fdevice-assert -sig 'wraps(p=*i32, n=i32)' k.tri
    [ "$(asserts)" = 1 ]
    tritcc -passes= -fdevice-assert -sig 'checked(p=*i32, n=i32)' k.tri
    [ "$(asserts)" = 3 ]
    tritcc -passes= -fdevice-assert -fno-overflow-checks -sig 'checked(p=*i32, n=i32)' k.tri
    [ "$(asserts)" = 1 ]
    tritcc -passes= -fdevice-assert -sig 'random(p=*fp32, n=i32)' k.tri
    [ "$(asserts)" = 0 ]
}

@test "-fdot-precision is for products that name none" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(p):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(p + i)
    tl.store(p + i, tl.dot(x, x))
    tl.store(p + i, tl.dot(x, x, input_precision="ieee"))
KERNEL
    count() { grep -c 'inputPrecision = '"$1" .out || true; }
    tritcc -passes= -arch=sm_80 -sig '*fp32' k.tri
    [ "$(count tf32) $(count tf32x3)" = '1 0' ]
    tritcc -passes= -arch=sm_80 -fdot-precision=tf32x3 -sig '*fp32' k.tri
    [ "$(count tf32x3)" = 1 ]
    tritcc -passes= -arch=sm_80 -fdot-precision=ieee -sig '*fp32' k.tri
    [ "$(count tf32)" = 0 ]
    tritcc -2 -fdot-precision=half -sig '*fp32' k.tri
    [[ $errors == *"'-fdot-precision=half' is no input precision; it can be ieee, tf32, tf32x3, bf16x3 or bf16x6"* ]]
}

@test "locations name the line and column of every operation" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    value = n * 3
    tl.store(p, value)
KERNEL
    tritcc -passes= -g -sig 'k(p=*i32, n=i32)' k.tri
    [[ $output == *'loc("k.tri":7:13)'* ]]
    [[ $output == *'loc("value"('* ]]
}

@test "what a while-loop carries stands where it begins, as in Triton" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    i = 0
    while i < n:
        i += 1
    tl.store(p, i)
KERNEL
    tritcc -passes= -lineinfo -sig 'k(p=*i32, n=i32)' k.tri
    [[ $output =~ '%i = arith.constant 0 : i32 loc('(#loc[0-9]+) ]]
    [[ $output == *'^bb0(%i_0: i32 loc("i"('"${BASH_REMATCH[1]}))"* ]]
}

@test "a loop carries a name that got back the value it began with, if another hands that on" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.load(p)
    last = x
    pair = (x, n)
    for i in range(n):
        last = x
        pair = (pair[0], n)
        x = tl.load(p + i)
        j = 0
        while j < n:
            j += 1
            n = n
    tl.store(p, last + pair[0])
KERNEL
    tritcc -passes= -sig 'k(p=*i32, n=i32)' k.tri
    [[ $output == *'iter_args(%x_0 = %x, %last = %x, '* ]]
    [[ $("$BUILDDIR/tritrun" -print=p k.tri arange:i32:8:start=5 6) == *" 14 6 7"* ]]
}

@test "a static print is told once" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def k(p, n, B: tl.constexpr):
    for i in range(n):
        for j in range(n):
            tl.static_print("block", B, sep="=")
            tl.store(p + i, j)
KERNEL
    tritcc -passes= -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [ "$errors" = "block=64" ]
}

@test "a helper with early returns is inlined into a loop" {
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def pick(x, n):
    if n > 3:
        if n > 5:
            return x * 2
        x += 1
    elif n == 0:
        return x
    return x + 7


@triton.jit
def k(p, n):
    acc = 0
    for i in range(n):
        acc += pick(i, acc)
    tl.store(p, acc)
KERNEL
    tritcc -emit=ttir=- -sig 'k(p=*i32, n=i32)' k.tri
    [[ $output != *tt.call* && $output == *'scf.if'* ]]
}
