# Kernels by name, libraries, prefixes, and what --inspect tells.
load ../helpers

write_kernel() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def add(x, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) + s, mask=i < n)


@triton.jit
def fill(x, v):
    tl.store(x, v)
TRI
    types=(-sig 'add(*fp32, fp16, i32, 16)' -sig 'fill(*i64, i8)')
}

engine() {
    cat >engine.c <<'C'
#include "k.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    void *library = dlopen("./libk.so", RTLD_NOW);
    const tritcc_kernel *(*find)(const char *), *(*next)(const tritcc_kernel *);
    *(void **)&find = dlsym(library, "tritcc_kernel_find");
    *(void **)&next = dlsym(library, "tritcc_kernel_next");
    int count = 0;
    for (const tritcc_kernel *k = next(NULL); k; k = next(k))
        count++;
    const tritcc_kernel *add = find("add"), *fill = find("fill");
    if (count != 2 || !add || !fill || find("nothing") || find(NULL))
        return 1;
    if (add->parameter_count != 3 || strcmp(add->parameters[1].name, "s") || strcmp(add->parameters[0].type, "*fp32"))
        return 2;
    float data[40] = {0}, *x = data, s = 1.5f;
    int32_t n = 33;
    tri_grid grid = {3, 1, 1};
    const void *args[] = {&x, &s, &n};
    if (add->launch(NULL, &grid, args) || data[32] != 1.5f || data[33] != 0)
        return 3;
    if (!add->run || add->run(NULL, args) || data[32] != 3 || fill->run)
        return 4;
    int64_t cell = 0, *p = &cell;
    int8_t v = -3;
    const void *two[] = {&p, &v};
    tri_grid one = {1, 1, 1};
    if (fill->launch(NULL, &one, two) || cell != -3 || fill->selected(0) < 0 || fill->load(0) || fill->unload(0))
        return 5;
    return dlclose(library);
}
C
    ${CC:-cc} -Wall -Werror -I. engine.c -ldl -o engine
}

@test "a library that an engine loads finds its kernels by name" {
    write_kernel
    printf '\n\ndef run(x, s, n):\n    add[(triton.cdiv(n, 16),)](x, s, n, 16)\n' >>k.tri
    tritcc "${types[@]}" -shared -o libk.so -emit=header=k.h k.tri
    engine
    ./engine
    # twice, and without a sign of it afterwards
    sed -i 's/return dlclose(library);/if (dlclose(library)) return 6; static int turns; return ++turns < 3 ? main() : 0;/' engine.c
    ${CC:-cc} -I. engine.c -ldl -o engine
    ./engine
}

@test "-r and -shared take several inputs" {
    write_kernel
    tritcc -k fill -sig '*i64, i8' -r -o all.o k.tri
    tritcc --inspect all.o
    [[ $output == *"fill(x: *i64, v: i8)"* ]]
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef one(x: "*fp32"):\n    tl.store(x, 1.0)\n' >a.tri
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef two(x: "*fp32"):\n    tl.store(x, 2.0)\n' >b.tri
    tritcc -shared -o libboth.so a.tri b.tri
    nm -D libboth.so | grep -q ' T one$'
    nm -D libboth.so | grep -q ' T two$'
    ! nm -D libboth.so | grep -q 'tri_rt_launch' || false
    tritcc -r -o both.o a.tri b.tri
    tritcc --inspect both.o
    [[ $output == *"one(x: *fp32)"*"two(x: *fp32)"* ]]
    echo 'int main(void) { return 0; }' >main.c
    ${CC:-cc} main.c both.o -lm -o main
    ./main
    sed -i 's/: "[*]fp32"//' a.tri b.tri
    tritcc -r -o both.o -sig 'one(*fp16)' -sig 'three = two(*fp32)' -sig 'two(*i8)' -k one -k three -k two a.tri b.tri
    tritcc --inspect both.o
    [[ $output == *"one(x: *fp16)"*"three(x: *fp32)"*"two(x: *i8)"* ]]
    tritcc -S --cache-dir=cache -sig 'one(*fp16)' -sig 'two(*i8)' a.tri b.tri
    [ -e a.s ] && [ -e b.s ]
    tritcc -1 -S --cache-dir=cache -sig 'one(*fp16)' -sig 'two(*i8)' a.tri
    [[ $errors == *"no kernel 'two' in 'a.tri'"* ]]
    tritcc -1 -S -sig 'one(*fp16)' -sig 'two(*i8)' -sig 'none(i32)' a.tri b.tri
    [[ $errors == *"no kernel 'none' in 'a.tri'"* ]]
    tritcc -1 -S -sig 'one(*fp16)' -sig 'two(*i8)' -k one a.tri b.tri
    [[ $errors == *"no kernel 'one' in 'b.tri'"* ]]
    printf 'import triton\n@triton.jit\ndef one(x: "*fp32"):\n    pass\n' >a.tri
    cp a.tri b.tri
    printf 'import triton\n@triton.jit\ndef one(x' >bad.tri
    tritcc -1 -shared -o libboth.so a.tri bad.tri
    [ ! -e libboth.so ]
}

@test "kernels of one name in one program, by -prefix" {
    write_kernel
    tritcc -prefix=a_ "${types[@]}" -emit=obj=a.o,header=a.h k.tri
    tritcc -prefix=b_ "${types[@]}" -emit=obj=b.o,header=b.h,asm=b.s k.tri
    cat >main.c <<'C'
#include "a.h"
#include "b.h"
int main(void)
{
    int64_t cell = 0;
    tri_grid one = {1, 1, 1};
    const tritcc_kernel *k = tritcc_kernel_find("b_add");
    return a_fill(0, one, &cell, 4) || cell != 4 || b_fill(0, one, &cell, 5) || cell != 5 || !k || a_add_B != 16;
}
C
    ${CC:-cc} -Wall -Werror -I. main.c a.o b.o -lm -o main
    ./main
    tritcc -2 -prefix=1a "${types[@]}" -c k.tri
    tritcc -2 -prefix=a-b "${types[@]}" -c k.tri
}

@test "--inspect lists kernels, variants and images" {
    write_kernel
    tritcc "${types[@]}" -arch=compute_80,x86-64-v3 -c -o k.o k.tri
    tritcc --inspect k.o
    [[ $output == *"add(x: *fp32, s: fp16, n: i32)"*"compute_80   ptx of "*" bytes, 4 warps, 0 bytes shared: x=*fp32:16, s=fp16, n=i32:16, B=16"* ]]
    [[ $output == *"x86-64-v3    host code: x=*fp32, s=fp16, n=i32, B=16"* ]]
    echo 'int main(void) { return 0; }' >main.c
    ${CC:-cc} main.c k.o -lm -o main
    tritcc --inspect main
    [[ $output == *"fill(x: *i64, v: i8)"* ]]
    tritcc -2 --inspect k.tri
    [[ $errors == *"'k.tri' is no object or library with kernels of tritcc"* ]]
    tritcc -2 --inspect absent
}
