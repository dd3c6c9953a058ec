load ../helpers

vadd=$EXAMPLES/vadd/vadd.tri

kernel() { # BODY of k.tri after the imports
    { printf 'import triton\nimport triton.language as tl\n\n\n' && cat; } >k.tri
}

@test "positional and named items may be mixed" {
    tritcc "$vadd" -sig '*fp32:16, *fp32, n_elements=i32, output_ptr=*fp32, BLOCK_SIZE=64' -emit=ttir=-
    [[ $output == *"x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y_ptr: !tt.ptr<f32>, %output_ptr: !tt.ptr<f32>, %n_elements: i32"* ]]
}

@test "a constant that is none is said to stand in -sig, and for which parameter" {
    tritcc -1 "$vadd" -sig '*fp32, *fp32, *fp32, i32, 6 4' -emit=ttir=-
    [[ $errors == "-sig BLOCK_SIZE:1:3: error: "* ]]
    tritcc -1 "$vadd" -sig '*fp32, *fp32, *fp32, i32, unknown' -emit=ttir=-
    [[ $errors == "-sig BLOCK_SIZE:1:1: error: 'unknown' is no Python literal"* ]]
}

@test "an integer that is one becomes a constant" {
    tritcc "$vadd" -sig '*fp32, *fp32, *fp32, i32:1, 64' -emit=ttir=-
    [[ $output != *"%n_elements: i32"* ]]
    [[ $output == *'name = "n_elements", type = "constexpr", value = "1"'* ]]
}

@test "every element type has its signature spelling" {
    kernel <<'K'
@triton.jit
def k(p, v):
    tl.store(p, v)
K
    for t in i1:i1 i8:i8 i16:i16 i32:i32 i64:i64 u8:i8 u16:i16 u32:i32 u64:i64 fp16:f16 bf16:bf16 fp32:f32 fp64:f64; do
        tritcc k.tri -sig "*i64, ${t%:*}" -emit=ttir=- -arch=sm_90
        [[ $output == *"%v: ${t#*:}"* ]]
    done
}

@test "a const pointer may not be stored through" {
    kernel <<'K'
@triton.jit
def k(p):
    tl.store(p, 1.0)
K
    tritcc -1 k.tri -sig '*kfp32' -emit=ttir=-
    [[ $errors == *"k.tri:7:"*"const"* ]]
}

@test "annotations give types, and defaults give values" {
    kernel <<'K'
@triton.jit
def k(p: "*fp16", n: tl.int64, s: float, BLOCK: tl.constexpr = 32):
    o = tl.arange(0, BLOCK)
    tl.store(p + o, s.to(tl.float16), mask=o < n)
K
    tritcc k.tri -emit=ttir=-
    [[ $output == *"%p: !tt.ptr<f16>, %n: i64, %s: f32"* ]]
    [[ $output == *"end = 32"* ]]
}

@test "do_not_specialize drops the hint and the constant one" {
    kernel <<'K'
@triton.jit(do_not_specialize=["n", 2])
def k(p, n, m):
    tl.store(p + n, m)
K
    tritcc k.tri -sig '*i32:16, i32:16, i32:1' -emit=ttir=-
    [[ $output == *"%n: i32, %m: i32)"* ]]
}

@test "a parameter is not both constexpr and in do_not_specialize" {
    kernel <<'K'
@triton.jit(do_not_specialize=["B"])
def k(p, B: tl.constexpr):
    tl.store(p, B)
K
    tritcc -1 k.tri -sig '*i32, 4' -emit=ttir=-
    [[ $errors == *"k.tri:6:"*"both constexpr and in do_not_specialize"* ]]
    sed -i 's/do_not_specialize=/do_not_specialize_on_alignment=/' k.tri
    tritcc -1 -emit=ttir k.tri -sig '*fp32, 4'
    [[ $errors == *"k.tri:6:"*"both constexpr and in do_not_specialize"* ]]
}

@test "dtypes, strings, None, tuples and functions are constants" {
    kernel <<'K'
@triton.jit
def twice(x):
    return x * 2


@triton.jit
def k(p, T: tl.constexpr, mode: tl.constexpr, bias, f: tl.constexpr, shape: tl.constexpr):
    tl.static_assert(mode == "fast")
    tl.static_assert(bias is None)
    x = tl.full((shape[0], shape[1]), 3, T)
    tl.store(p, tl.sum(f(x)).to(tl.float32))
K
    tritcc k.tri -k k -sig '*fp32, tl.float16, "fast", None, twice, (4, 8)' -emit=ttir=-
    [[ $output == *"dense<6.000000e+00> : tensor<32xf16>"* ]]
}

@test "heuristics see the constants that are known" {
    kernel <<'K'
@triton.heuristics({"EVEN": lambda args: args["B"] % 2 == 0})
@triton.jit
def k(p, B: tl.constexpr, EVEN: tl.constexpr):
    if EVEN:
        tl.store(p, 1)
    else:
        tl.store(p, 0)
K
    tritcc k.tri -sig '*i32, 64' -emit=ttir=-
    [[ $output == *"arith.constant 1 : i32"* ]]
    [[ $output == *'name = "EVEN", type = "constexpr", value = "True"'* ]]
}

@test "a heuristic over a run-time argument is a note that names the way out" {
    kernel <<'K'
@triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
@triton.jit
def k(p, n, EVEN: tl.constexpr):
    tl.store(p + n, EVEN)
K
    tritcc -1 k.tri -sig '*i32, i32' -emit=ttir=-
    [[ $errors == *"needs types or values for: EVEN"* ]]
    [[ $errors == *"k.tri:5:"*"note:"*"-sig or -D"* ]]
}

@test "mistakes in -sig are shown in its text" {
    tritcc -1 "$vadd" -sig '*fp32, *fp32, *fp32, i32:8, 64' -emit=ttir=-
    [[ $errors == *"-sig:1:22: error: unknown hint ':8'"* ]]
    tritcc -1 "$vadd" -sig '*fp32, *fp32, *fp33, i32, 64' -emit=ttir=-
    [[ $errors == *"-sig:1:15: error: '*fp33' is not a pointer type"* ]]
    tritcc -1 "$vadd" -sig '*fp32, *fp32, *fp32, i32, 64, 3' -emit=ttir=-
    [[ $errors == *"-sig:1:31: error: -sig has more items than 'add_kernel' has parameters (5)"* ]]
    tritcc -1 "$vadd" -sig 'add_kernel(x_pt=*fp32)' -emit=ttir=-
    [[ $errors == *"-sig:1:12: error:"*"'x_pt'"*"did you mean 'x_ptr'?"* ]]
    tritcc -1 "$vadd" -sig 'add_kernel(x_ptr=*fp32, x_ptr=*fp32)' -emit=ttir=-
    [[ $errors == *"-sig:1:31: error: -sig gives 'x_ptr' twice"* ]]
    tritcc -1 "$vadd" -sig '*fp32, (*fp32, *fp32' -emit=ttir=-
    [[ $errors == *"unclosed bracket or quote in -sig"* ]]
    tritcc -1 "$vadd" -sig '*fp32,, i32' -emit=ttir=-
    [[ $errors == *"expected a type or a value before ','"* ]]
}

@test "a file without a kernel says so" {
    kernel <<<'x = 1'
    tritcc -1 k.tri -emit=ttir=-
    [[ $errors == *"no @triton.jit function in 'k.tri'"* ]]
    kernel <<'K'
@triton.jit
def helper(x):
    return x
K
    tritcc -1 k.tri -emit=ttir=-
    [[ $errors == *"returns a value and so is a helper"* ]]
}

@test "items for the runtime parameters alone leave the constexpr ones to -D" {
    kernel <<'K'
@triton.jit
def k(B: tl.constexpr, p, C: tl.constexpr, n):
    tl.store(p + n, B + C)
K
    tritcc k.tri -sig '*i32, i64' -DB=1 -DC=2 -emit=ttir=-
    [[ $output == *"%p: !tt.ptr<i32>, %n: i64)"* ]]
}

@test "an annotated type is not overruled" {
    kernel <<'K'
import triton.language


@triton.jit
def k(p, n: int, m: triton.language.int64):
    tl.store(p + n, m)
K
    tritcc -1 k.tri -sig '*i64, i64' -emit=ttir=-
    [[ $errors == *"-sig:1:7: error: -sig gives 'n' the type 'int64', but it is annotated as 'int32'"* ]]
    [[ $errors == *"k.tri:9:13: note: the annotation is here"* ]]
    tritcc k.tri -sig '*i64, i32:1' -emit=ttir=-
    [[ $output == *"%n: i32, %m: i64)"* ]]
}

@test "a number as default of a runtime parameter is an argument still" {
    kernel <<'K'
@triton.jit
def k(p, n=3, one=1, eps=1e-6, flag=True, bias=None):
    tl.static_assert(bias is None)
    tl.store(p + n + one, eps)
K
    tritcc k.tri -sig '*fp32' -emit=ttir=-
    [[ $output == *"%p: !tt.ptr<f32>, %n: i32, %eps: f32, %flag: i1)"* ]]
}

@test "the suggested signature knows pointers by their use" {
    kernel <<'K'
@triton.jit
def k(src, dst, count):
    where = src + count
    where2 = where + 1
    tl.store(dst + count, tl.load(where2))
K
    tritcc -1 k.tri -emit=ttir=-
    [[ $errors == *"-sig 'k(src=*fp32:16, dst=*fp32:16, count=i32)'"* ]]
}

@test "a signature may begin and end with named tuples, or be one; an annotation names a tuple's fields" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
from typing import NamedTuple


class Part(NamedTuple):
    x: tl.tensor
    n: tl.constexpr


@triton.jit
def k(p, o, q: Part):
    i = tl.arange(0, p.n)
    tl.store(o + i, tl.load(p.x + i) + tl.load(q.x + i))


@triton.jit
def one(p):
    tl.store(p.x + tl.arange(0, p.n), 1.0)
K
    local sig
    for sig in 'Part(*fp32, 64), *fp32, Part(x=*fp32, n=64)' 'p=Part(*fp32, 64), o=*fp32, q=Part(*fp32, 64)' \
        'Part(*fp32, 64), *fp32, (*fp32, 64)' 'k(Part(*fp32, 64), *fp32, Part(*fp32, 64))'; do
        tritcc k.tri -k k -arch=sm_80 -sig "$sig" -emit=ttir=-
        [[ $output == *'@k(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %q: !tt.ptr<f32>)'* ]]
    done
    for sig in 'Part(*fp32, 64)' 'p=Part(*fp32, n=64)' 'one(Part(*fp32, 64))'; do
        tritcc k.tri -k one -arch=sm_80 -sig "$sig" -emit=ttir=-
        [[ $output == *'@one(%p: !tt.ptr<f32>)'* ]]
    done
    tritcc k.tri -k one -arch=sm_80 -sig 'two = one(Part(*fp32, 64))' -emit=ttir=-
    [[ $output == *'@two(%p: !tt.ptr<f32>)'* ]]
}

@test "named tuples are arguments, by position or by field" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
from collections import namedtuple
from typing import NamedTuple

Part = namedtuple("Part", ["x", "n"], defaults=[7])


class Pair(NamedTuple):
    a: tl.tensor
    b: tl.tensor


@triton.jit
def k(p, q, o):
    i = tl.arange(0, 128)
    tl.store(o + i, tl.load(p.x + i) + tl.load(q.a + i) + tl.load(q.b + i), mask=i < p.n)
K
    tritcc k.tri -arch=sm_80 -sig 'k(p=Part(x=*fp32:16), q=Pair(*fp32, b=*fp16), o=*fp32)' -emit=ttir=-
    [[ $output == *'@k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>, %q_0: !tt.ptr<f16>, %o: !tt.ptr<f32>)'* ]]
    [[ $output == *'dense<7>'* ]]
    tritcc -1 k.tri -arch=sm_80 -sig 'k(p=Part(y=*fp32), q=Pair(*fp32, *fp32), o=*fp32)'
    [[ $errors == *"'y=*fp32' fits no field of the named tuple"*TRI-3030* ]]
    tritcc -1 k.tri -arch=sm_80 -sig 'k(p=Part(*fp32), q=Pair(b=*fp32), o=*fp32)'
    [[ $errors == *"the field 'a' of the named tuple has no type"*TRI-3030* ]]
}

@test "a name means the file's own function before one inside of another" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


def outer():
    @triton.jit
    def kernel(q):
        tl.store(q, 5)

    return kernel


@triton.jit
def kernel(t, o):
    tl.store(o, t[0] + t[1][0])
K
    tritcc k.tri -k kernel -sig '(fp32, (fp32, 3)), *fp32' -arch=sm_80 -emit=ttir=-
    [[ $output == *'@kernel(%t: f32, %t_0: f32, %o: !tt.ptr<f32>)'* ]]
    tritcc k.tri -sig 'kernel((fp32, (fp32, 3)), *fp32)' -arch=sm_80 -emit=ttir=-
    [[ $output == *'@kernel(%t: f32, %t_0: f32, %o: !tt.ptr<f32>)'* ]]
}

@test "an unnamed -sig belongs to the only kernel that -k names" {
    printf 'import triton\nimport triton.language as tl\n\n\n' >k.tri
    for name in a b c; do printf '@triton.jit\ndef %s(x):\n    tl.store(x, 1)\n\n\n' $name; done >>k.tri
    tritcc -k b -k b -sig '*i32' -arch=sm_80 -emit=ttir=- k.tri
    [[ $output == *"@b("* ]]
    tritcc -1 -k a -k b -sig '*i32' -arch=sm_80 -emit=ttir=- k.tri
    [[ $errors == "-sig:1:1: error: -sig does not say which of 2 kernels it is for"*TRI-3030* ]]
    tritcc -1 -k y -k z -sig '*i32' -arch=sm_80 -emit=ttir=- k.tri
    [[ $errors == *"error: no kernel 'y' in 'k.tri'"*TRI-3031* ]]
}
