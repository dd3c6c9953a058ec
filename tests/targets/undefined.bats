load ../helpers

# -fsanitize=undefined: what the language leaves undefined is reported where it is used, and nowhere else.

: "${TRITRUN:=$BUILDDIR/tritrun}"

# kernel BODY...: k(x, y, out, n, B) with j = arange(0, B) and m = j < n.
kernel() {
    printf '%s\n' 'import triton' 'import triton.language as tl' '' '' '@triton.jit' \
        'def k(x, y, out, n, B: tl.constexpr):' '    j = tl.arange(0, B)' '    m = j < n' >k.tri
    printf '    %s\n' "$@" >>k.tri
}

# fine|bad [TEXT] [ARGUMENT...]: runs the kernel; bad wants the report TEXT, once, and exit status 1.
run_it() {
    status=0
    "$TRITRUN" -fsanitize=undefined k.tri "$@" 32 >out 2>said || status=$?
    cat out said
}
fine() {
    run_it "$@"
    [ "$status" -eq 0 ] && ! grep -q undefined said
}
bad() {
    local text=$1
    shift
    run_it "$@"
    [ "$status" -eq 1 ] && [ "$(grep -c undefined: said)" -eq 1 ] && grep -qF "undefined: $text" said
    grep -qF 'the kernel did what the language leaves undefined' said
}

@test "divisions by zero count in the lanes that are used" {
    kernel 'a = tl.load(x + j, mask=m)' 'b = tl.load(y + j, mask=m, other=0)' 'tl.store(out + j, a // b, mask=m)'
    fine arange:i32:32 full:i32:32:value=3 zeros:i32:32 20
    bad 'division by zero' arange:i32:32 zeros:i32:32 zeros:i32:32 20
    grep -q '^k.tri:11:23: pid (0, 0, 0): undefined' said
    fine arange:i32:32 zeros:i32:32 zeros:i32:32 0
    kernel 'a = tl.load(x + j)' 'b = tl.load(y + j)' 'tl.store(out + j, tl.where(b != 0, a % b, 7))'
    fine arange:i32:32 zeros:i32:32 zeros:i32:32 20
    fine arange:u64:32 zeros:u64:32 zeros:i32:32 20
    kernel 'a = tl.load(x + j)' 'b = tl.load(y + j)' 'tl.store(out + j, a % b)'
    bad 'division by zero' arange:u64:32 zeros:u64:32 zeros:i32:32 20
    bad 'division by zero' arange:i8:32 zeros:i8:32 zeros:i8:32 20
    bad 'the quotient of the lowest integer and -1' full:i16:32:value=-32768 full:i16:32:value=-1 zeros:i32:32 20
    bad 'the quotient of the lowest integer and -1' full:i64:32:value=-9223372036854775808 full:i64:32:value=-1 zeros:i64:32 20
    fine full:i32:32:value=-2147483647 full:i32:32:value=-1 zeros:i32:32 20
}

@test "shifts by the width or more" {
    for op in '<<' '>>'; do
        kernel 'a = tl.load(x + j)' 'b = tl.load(y + j)' "tl.store(out + j, a $op b, mask=m)"
        fine arange:i32:32 full:i32:32:value=31 zeros:i32:32 20
        bad "a shift by the integer's width or more" arange:i32:32 full:i32:32:value=32 zeros:i32:32 20
        bad "a shift by the integer's width or more" arange:u8:32 full:u8:32:value=8 zeros:u8:32 20
        bad "a shift by the integer's width or more" arange:i64:32 full:i64:32:value=-1 zeros:i64:32 20
        fine arange:i32:32 full:i32:32:value=32 zeros:i32:32 0
    done
}

@test "floats that an integer cannot hold" {
    local text='a float that the integer type cannot hold' type
    kernel 'tl.store(out + j, tl.load(x + j).to(out.dtype.element_ty), mask=m)'
    for type in f16 f32 f64 bf16; do
        fine "full:$type:32:value=127" zeros:i8:1 zeros:i8:32 20
        fine "full:$type:32:value=-128" zeros:i8:1 zeros:i8:32 20
        bad "$text" "full:$type:32:value=128" zeros:i8:1 zeros:i8:32 20
        bad "$text" "full:$type:32:value=-130" zeros:i8:1 zeros:i8:32 20
        bad "$text" "full:$type:32:value=nan" zeros:i8:1 zeros:i64:32 20
        bad "$text" "full:$type:32:value=inf" zeros:i8:1 zeros:u64:32 20
        bad "$text" "full:$type:32:value=-inf" zeros:i8:1 zeros:i32:32 20
        fine "full:$type:32:value=nan" zeros:i8:1 zeros:i64:32 0
        fine "full:$type:32:value=-0.5" zeros:i8:1 zeros:u16:32 32
        bad "$text" "full:$type:32:value=-1" zeros:i8:1 zeros:u16:32 32
    done
    fine full:f32:32:value=-2147483648 zeros:i8:1 zeros:i32:32 32
    bad "$text" full:f32:32:value=2147483648 zeros:i8:1 zeros:i32:32 32
    fine full:f64:32:value=2147483647.5 zeros:i8:1 zeros:i32:32 32
    fine full:f64:32:value=-2147483648.5 zeros:i8:1 zeros:i32:32 32
    bad "$text" full:f64:32:value=-2147483649 zeros:i8:1 zeros:i32:32 32
    fine full:f32:32:value=4294967040 zeros:i8:1 zeros:u32:32 32
}

@test "what is undefined goes through loops, conditionals and reductions" {
    kernel 'acc = tl.zeros([B], tl.int32)' 'for i in range(0, n):' '    acc += 100 // tl.load(x + i * B + j)' \
        'tl.store(out + j, acc, mask=j < 8)'
    fine ones:i32:96 zeros:i32:1 zeros:i32:32 3
    bad 'division by zero' zeros:i32:96 zeros:i32:1 zeros:i32:32 3
    kernel 'q = 100 // tl.load(x + j)' 'tl.store(out, tl.sum(tl.where(m, q, 0)))' 'tl.store(out + 1 + j, tl.cumsum(tl.where(m, q, 0), 0))'
    fine full:i32:32:value=4 zeros:i32:1 zeros:i32:33 20
    bad 'division by zero' zeros:i32:32 zeros:i32:1 zeros:i32:33 1
    fine zeros:i32:32 zeros:i32:1 zeros:i32:33 0
    kernel 'v = tl.load(x)' 'q = 1' 'if n > 3:' '    q = 7 // v' 'while q > n:' '    q -= n' 'if n != 5:' '    tl.store(out, q)'
    fine full:i32:1:value=2 zeros:i32:1 zeros:i32:1 4
    fine zeros:i32:1 zeros:i32:1 zeros:i32:1 2
    bad 'division by zero' zeros:i32:1 zeros:i32:1 zeros:i32:1 4
    kernel 'v = tl.load(x) // n' 'if v > 3:' '    return' 'tl.store(out, v)'
    bad 'division by zero' ones:i32:1 zeros:i32:1 zeros:i32:1 0
    kernel 'v = 7 // n' 'if tl.load(x) > 3:' '    return' 'tl.store(out, 1)'
    fine ones:i32:1 zeros:i32:1 zeros:i32:1 0
}

@test "what is undefined goes through products, gathers, views and masks" {
    kernel 'a = (10 // tl.load(x + j[:, None] * B + j[None, :])).to(tl.float32)' 'c = tl.dot(a, a)' \
        'tl.store(out + j[:, None] * B + j[None, :], c, mask=(j < 4)[:, None] & m[None, :])'
    fine ones:i32:32x32 zeros:i32:1 zeros:f32:32x32 20
    bad 'division by zero' zeros:i32:32x32 zeros:i32:1 zeros:f32:32x32 20
    fine zeros:i32:32x32 zeros:i32:1 zeros:f32:32x32 0
    kernel 'v = tl.gather(tl.load(x + j), tl.load(y + j), 0)' 'tl.store(out + j, v, mask=m)'
    fine arange:i32:32 full:i32:32:value=31 zeros:i32:32 20
    bad 'an index of gather outside of the block' arange:i32:32 full:i32:32:value=32 zeros:i32:32 20
    fine arange:i32:32 full:i32:32:value=-1 zeros:i32:32 0
    # a lane that is off stays off, whatever the rest of the mask says
    kernel 'q = 10 // tl.load(x + j, mask=m, other=0)' 'tl.store(out + q, 1, mask=m & (q < 99))'
    fine ones:i32:32 zeros:i32:1 zeros:i32:32 20
    bad 'division by zero' zeros:i32:32 zeros:i32:1 zeros:i32:32 20
}

@test "null pointers, misaligned addresses, assumptions" {
    kernel 'tl.store(out + j, tl.load(y.to(tl.pointer_type(tl.float64)) + j), mask=m)'
    fine zeros:i8:1 zeros:f64:32 zeros:f64:32 20
    kernel 'p = y.to(tl.int64)' 'q = (p * (n > 9) + n % 2).to(tl.pointer_type(tl.int16))' 'tl.store(out + j, tl.load(q + j), mask=m)'
    fine zeros:i8:1 zeros:i16:40 zeros:i16:32 20
    bad 'a load from a misaligned address' zeros:i8:1 zeros:i16:40 zeros:i16:32 21
    kernel 'p = (y.to(tl.int64) * (n > 9) + n % 2).to(tl.pointer_type(tl.int16))' 'tl.store(p + j, j.to(tl.int16), mask=m)' 'tl.atomic_add(out + j, 1, mask=m)'
    bad 'a store to a misaligned address' zeros:i8:1 zeros:i16:40 zeros:i32:32 21
    kernel 'tl.assume(n < 10)' 'tl.store(out + j, 1, mask=m)'
    fine zeros:i8:1 zeros:i16:1 zeros:i32:32 9
    bad 'an assumption that does not hold' zeros:i8:1 zeros:i16:1 zeros:i32:32 10
    cat >main.c <<'END'
#include "k.h"
#include <stdio.h>

int main(void)
{
    int32_t x[32] = {0};
    tri_grid one = {1, 1, 1};
    int none = k(0, one, 0, 0, x, 0), error = none ? -1 : k(0, one, x, 0, x, 0);
    printf("%d %s\n", error, tri_strerror(error));
    return 0;
}
END
    kernel 'tl.store(out + j, tl.load(x + j, mask=m, other=1) + tl.load(x + j, mask=m, other=1), mask=m)' 
    tritcc -arch=native -fsanitize=undefined -sig '*i32, *i32, *i32, i32, 32' -emit=obj=k.o,header=k.h k.tri
    cc -I. main.c k.o -o main -lm
    ./main | grep -q '^0 success'
}

@test "-fsanitize=undefined beside the others, and in code for several processors" {
    kernel 'tl.store(out + j, tl.load(x + j, mask=m) // tl.load(y + j, mask=m), mask=m)'
    tritcc -arch=x86-64,x86-64-v3 -fsanitize=bounds,undefined -sig '*i32, *i32, *i32, i32, 32' -emit=obj=k.o,header=k.h k.tri
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    cat >main.c <<'END'
#include "k.h"
#include <stdio.h>

int main(void)
{
    int32_t x[32] = {0}, y[32] = {0};
    tri_grid one = {1, 1, 1};
    int error = k_checked(0, one, x, 128, y, 128, x, 128, 20);
    printf("%d %s\n", error, tri_strerror(error));
    return 0;
}
END
    cc -I. main.c k.o -o main -lm
    ./main >out 2>said
    grep -qx '9 the kernel did what the language leaves undefined' out
    grep -q '^k.tri:9:23: pid (0, 0, 0): undefined: division by zero$' said
}
