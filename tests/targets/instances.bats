# Several instances of one kernel in one object: -sig 'NAME = kernel(...)'.
load ../helpers

write_kernel() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = -1.5, FAST: tl.constexpr = True):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def other(x):
    tl.store(x, 7)
TRI
    both=(-sig 'add_f32 = add(*fp32, *fp32, *fp32, i32, 64)' -sig 'add_i8=add(x=*i8, y=*i8, out=*i8, n=i64, BLOCK=128)')
}

@test "each is a function of its own, its constants are macros" {
    write_kernel
    tritcc "${both[@]}" -sig 'other(*i32)' -emit=obj=k.o,header=k.h k.tri
    grep -qx '#define add_f32_BLOCK 64' k.h
    grep -qx '#define add_i8_BLOCK 128' k.h
    grep -qx '#define add_i8_SCALE (-1.5)' k.h
    grep -qx '#define add_i8_FAST 1' k.h
    cat >main.c <<'C'
#include "k.h"
int main(void)
{
    static float x[64], z[64];
    static int8_t a[128], b[128];
    int32_t seven = 0;
    for (int i = 0; i < add_f32_BLOCK; i++)
        x[i] = (float)i, a[i] = 3;
    tri_grid one = {1, 1, 1};
    if (add_f32(0, one, x, x, z, 60) || add_i8(0, one, a, a, b, 20) || other(0, one, &seven))
        return 1;
    return z[59] != 118 || z[60] != 0 || b[19] != 6 || b[20] != 0 || seven != 7;
}
C
    ${CC:-cc} -Wall -Werror -I. main.c k.o -lm -o main
    ./main
}

@test "stages hold one entry for each, -k chooses one" {
    write_kernel
    tritcc "${both[@]}" -arch=sm_80 -emit=ptx=- k.tri
    [[ $output == *".entry add_f32("*".entry add_i8("* ]]
    tritcc "${both[@]}" -k add_i8 -arch=sm_80 -emit=ttir=- k.tri
    [[ $output == *"@add_i8("* && $output != *"@add_f32("* ]]
    tritcc "${both[@]}" -arch=sm_80 -emit=ttgir=k.ttgir k.tri
    tritcc -emit=json=- k.ttgir
    [[ $output == *'"name": "add_f32"'*'"name": "add_i8"'* ]]
}

@test "names that are taken" {
    write_kernel
    tritcc -1 -c "${both[@]}" -sig 'add_i8 = add(*i8, *i8, *i8, i32, 32)' k.tri
    [[ $errors == *"there is a kernel 'add_i8' already"*"-sig 'NAME = add(...)'"*"[TRI-3030]"* ]]
    tritcc -1 -c -sig 'add(*i8, *i8, *i8, i32, 32)' -sig 'add(*i8, *i8, *i8, i32, 64)' k.tri
    [[ $errors == *"there is a kernel 'add' already"* ]]
    tritcc -1 -c -sig 'other = add(*i8, *i8, *i8, i32, 32)' k.tri
    [[ $errors == *"there is a kernel 'other' already"* ]]
    tritcc -1 -c -sig 'a = nothing(*i8)' k.tri
    [[ $errors == *"no kernel 'nothing'"* ]]
}

@test "members of a tuple are parameters of the launcher" {
    cat >t.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    i = tl.arange(0, 16)
    tl.store(p[0] + i, tl.load(p[1][0] + i) + p[1][1] + n)
TRI
    tritcc -sig '(*fp32:16, (*fp32, i32)), i32' -emit=obj=t.o,header=t.h t.tri
    grep -q 'float \*p_0,' t.h
    grep -q 'int32_t p_1_1,' t.h
    cat >main.c <<'C'
#include "t.h"
int main(void)
{
    static _Alignas(16) float x[20], y[16] = {5};
    tri_grid one = {1, 1, 1};
    if (k(0, one, x, y, 3, 4) || x[0] != 12 || x[15] != 7)
        return 1;
    return k(0, one, x + 1, y, 3, 4) != TRI_ERROR_ALIGNMENT + 0;
}
C
    ${CC:-cc} -Wall -Werror -I. main.c t.o -lm -o main
    ./main
}
