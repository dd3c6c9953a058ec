load ../helpers

# Sanitizers, OpenMP and processor lists of host objects.

VADD='*fp32, *fp32, *fp32, i32, 1024'

# One launch of the vadd example with `missing` elements too few behind the argument `which` (0 to 2).
write_main() {
    cat >main.c <<'END'
#include "vadd.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { n = 1000 };
    int which = argc > 1 ? atoi(argv[1]) : -1, missing = argc > 2 ? atoi(argv[2]) : 0;
    float *v[3];
    uint64_t bytes[3];
    for (int i = 0; i < 3; i++) {
        bytes[i] = sizeof(float) * (unsigned)(n - (i == which ? missing : 0));
        v[i] = malloc(bytes[i]);
        for (uint64_t k = 0; k < bytes[i] / sizeof(float); k++)
            v[i][k] = (float)k;
    }
    tri_grid one = {1, 1, 1};
#ifdef CHECKED
    int error = add_kernel_checked(0, one, v[0], bytes[0], v[1], bytes[1], v[2], bytes[2], n);
#else
    int error = add_kernel(0, one, v[0], v[1], v[2], n);
#endif
    printf("%d %s, %g\n", error, tri_strerror(error), (double)v[2][n / 2]);
    for (int i = 0; i < 3; i++)
        free(v[i]);
    return 0;
}
END
}

line_of() { grep -n "$1" "$EXAMPLES/vadd/vadd.tri" | tail -n 1 | cut -d: -f1; }

@test "-fsanitize=address names the source line of a bad access" {
    echo 'int main(void) { return 0; }' >t.c
    cc -fsanitize=address t.c -o t 2>.asan && ./t || skip "no AddressSanitizer"
    write_main
    tritcc -arch=native -fsanitize=address -sig "$VADD" -emit=obj=vadd.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
    cc -fsanitize=address -I. main.c vadd.o -o main
    ./main | grep -q '^0 success, 1000$'
    ! ./main 1 1 >out 2>&1 || false
    grep -q 'heap-buffer-overflow' out
    grep -q "READ of size" out
    grep -q "add_kernel.*vadd.tri:$(line_of 'y = tl.load')" out
    ! ./main 2 3 >out 2>&1 || false
    grep -q "WRITE of size" out
    grep -q "add_kernel.*vadd.tri:$(line_of 'tl.store')" out
}

@test "-fsanitize=bounds compares every access with the lengths of the launch" {
    write_main
    for arch in native x86-64; do
        [ "$arch" = native ] || [ "$(uname -m)" = x86_64 ] || continue
        tritcc -arch=$arch -fsanitize=bounds -sig "$VADD" -emit=obj=vadd.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
        cc -Wall -Werror -DCHECKED -I. main.c vadd.o -o checked
        cc -Wall -Werror -I. main.c vadd.o -o plain
        ./checked >out 2>said
        grep -q '^0 success, 1000$' out
        [ ! -s said ]
        ./checked 1 1 >out 2>said
        grep -q '^8 the kernel accessed memory outside of an argument' out
        grep -q "vadd.tri:$(line_of 'y = tl.load'):[0-9]*: pid (0, 0, 0): load of 4 bytes at byte 3996 of 'y_ptr', which has 3996 bytes" said
        [ "$(wc -l <said)" -eq 1 ]
        ./checked 2 990 >out 2>said
        grep -q "vadd.tri:$(line_of 'tl.store').*store of 4 bytes at byte 40 of 'output_ptr', which has 40 bytes" said
        ./plain >out
        grep -q '^0 success, 1000$' out
    done
}

@test "bounds of gathers, scatters, atomics, loops and scalars" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def mixed(table, index, out, count, n, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    at = tl.load(index + j)
    v = tl.load(table + at)
    for k in range(0, n):
        v += tl.load(table + k * BLOCK + j)
    tl.store(out + at, v)
    tl.atomic_add(count + tl.load(index), 1)
END
    cat >main.c <<'END'
#include "k.h"
#include <stdio.h>

int main(void)
{
    float table[64], out[64];
    int32_t index[32], count[64] = {0};
    tri_grid one = {1, 1, 1};
    for (int i = 0; i < 64; i++)
        table[i] = 1;
    for (int i = 0; i < 32; i++)
        index[i] = i;
    int fine = mixed_checked(0, one, table, 256, index, 128, out, 256, count, 256, 2);
    int loop = mixed_checked(0, one, table, 256, index, 128, out, 256, count, 256, 3);
    index[7] = 64;
    int gather = mixed_checked(0, one, table, 256, index, 128, out, 256, count, 256, 1);
    index[7] = -1;
    int before = mixed_checked(0, one, table, 256, index, 128, out, 256, count, 256, 1);
    index[7] = 32;
    int scatter = mixed_checked(0, one, table, 256, index, 128, out, 128, count, 256, 1);
    index[0] = 20;
    int atomic = mixed_checked(0, one, table, 256, index, 128, out, 256, count, 80, 1);
    printf("%d %d %d %d %d %d\n", fine, loop, gather, before, scatter, atomic);
    return 0;
}
END
    tritcc -arch=native -fsanitize=bounds -sig '*fp32, *i32, *fp32, *i32, i32, 32' -emit=obj=k.o,header=k.h k.tri
    cc -Wall -Werror -I. main.c k.o -o main
    ./main >out 2>said
    grep -q '^0 8 8 8 8 8$' out
    grep -q "k.tri:11:.*load of 4 bytes at byte 256 of 'table'" said
    grep -q "k.tri:9:.*load of 4 bytes at byte 256 of 'table'" said
    grep -q "k.tri:9:.*load of 4 bytes at byte -4 of 'table'" said
    grep -q "k.tri:12:.*store of 4 bytes at byte 128 of 'out'" said
    grep -q "k.tri:13:.*atomic of 4 bytes at byte 80 of 'count'" said
}

@test "bounds of descriptors: blocks, rows that are picked, sums" {
    cat >d.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def tile(x, out, rows, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, shape=[rows, N], strides=[N, 1], block_shape=[M, N])
    b = tl.make_tensor_descriptor(out, shape=[rows, N], strides=[N, 1], block_shape=[M, N])
    v = a.load([tl.program_id(0) * M, 0])
    b.atomic_add([tl.program_id(0) * M, 0], v)


@triton.jit
def picked(x, at, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, shape=[1000, N], strides=[N, 1], block_shape=[1, N])
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, a.gather(tl.load(at + tl.arange(0, M)), 0))
END
    bad() { # WANTED ARG...
        local status=0
        "$BUILDDIR/tritrun" d.tri -k "${@:2}" 2>said || status=$?
        [ "$status" -eq 1 ]
        grep -q "$1" said
    }
    "$BUILDDIR/tritrun" d.tri -k tile randn:f32:8x16 zeros:f32:8x16 8 4 16 -grid=2
    # what lies beyond the descriptor's shape is not touched
    "$BUILDDIR/tritrun" d.tri -k tile randn:f32:7x16 zeros:f32:7x16 7 4 16 -grid=2
    bad "d.tri:9:9: pid (1, 0, 0): load of 4 bytes at byte 448 of 'x', which has 448 bytes" \
        tile randn:f32:7x16 zeros:f32:8x16 8 4 16 -grid=2
    bad "d.tri:10:5: pid (1, 0, 0): atomic of 4 bytes at byte 448 of 'out'" tile randn:f32:8x16 zeros:f32:7x16 8 4 16 -grid=2
    "$BUILDDIR/tritrun" d.tri -k picked randn:f32:8x16 full:i32:8:value=7 zeros:f32:8x16 8 16
    bad "d.tri:17:23: .*load of 4 bytes at byte 512 of 'x'" picked randn:f32:8x16 full:i32:8:value=8 zeros:f32:8x16 8 16
}

@test "sanitizers are for host processors" {
    tritcc -1 -arch=sm_80 -fsanitize=bounds -sig "$VADD" -emit=ptx=v.ptx "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"-fsanitize is for host processors"* ]]
    tritcc -2 -arch=native -fsanitize=memory -sig "$VADD" -emit=obj=v.o "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"there are: address, bounds, undefined"* ]]
}

@test "-fopenmp needs OpenMP at the link, -fno-openmp never asks for it" {
    tritcc -arch=native -sig "$VADD" -emit=obj=d.o "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=native -fopenmp -sig "$VADD" -emit=obj=y.o "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=native -fno-openmp -sig "$VADD" -emit=obj=n.o "$EXAMPLES/vadd/vadd.tri"
    nm d.o | grep -q ' w GOMP_parallel'
    nm y.o | grep -q ' U GOMP_parallel'
    ! nm n.o | grep -qE ' [Uw] (GOMP|omp_)' || false
    # both kinds in one program
    tritcc -arch=native -fno-openmp -sig '*fp32, *fp32, i32, i32, i32, i32, 64, 2' -emit=obj=s.o "$EXAMPLES/softmax/softmax.tri"
    echo 'int main(void) { return 0; }' >t.c
    cc -fopenmp t.c y.o s.o -o t 2>.omp -lm || skip "no OpenMP"
}

@test "an object for several levels of x86-64 picks one" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    cat >main.c <<'END'
#include "vadd.h"
#include <stdio.h>

int main(void)
{
    int count, selected = add_kernel_selected(0);
    const tri_variant *v = add_kernel_variants(&count);
    float x[5] = {1, 2, 3, 4, 5}, z[5] = {0};
    int error = add_kernel(0, (tri_grid){1, 1, 1}, x, x, z, 5);
    printf("%d variants, %s, %d, %g\n", count, selected < 0 ? "none" : v[selected].arch, error, (double)z[4]);
    return 0;
}
END
    tritcc -arch=x86-64,x86-64-v3,x86-64-v4 -fspecialize=none -sig "$VADD" -emit=obj=vadd.o,header=vadd.h,llir=v.ll "$EXAMPLES/vadd/vadd.tri"
    cc -Wall -Werror -I. main.c vadd.o -o main
    level=x86-64
    grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && grep -qw movbe /proc/cpuinfo && level=x86-64-v3
    grep -qw avx512vl /proc/cpuinfo && grep -qw avx512bw /proc/cpuinfo && level=x86-64-v4
    ./main | grep -qx "3 variants, $level, 0, 10"
    objdump -d vadd.o >code
    grep -q 'zmm' code
    grep -q 'ymm' code
    tritcc -arch=x86-64,x86-64-v3,x86-64-v4 -emit=obj=again.o v.ll
    cmp vadd.o again.o
    # what the machine does not have is an error, not a crash
    if [ "$level" = x86-64 ]; then
        tritcc -arch=x86-64-v3,x86-64-v4 -fspecialize=none -sig "$VADD" -emit=obj=vadd.o,header=vadd.h "$EXAMPLES/vadd/vadd.tri"
        cc -I. main.c vadd.o -o main
        ./main | grep -q '2 variants, none, 4, 0'
    fi
}

@test "lists of other architectures are refused" {
    tritcc -2 -arch=x86-64-v3,aarch64 -sig "$VADD" -emit=obj=v.o "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"a list holds different levels of x86-64"* ]]
    tritcc -2 -arch=x86-64-v4,x86-64-v4 -sig "$VADD" -emit=obj=v.o "$EXAMPLES/vadd/vadd.tri"
    tritcc -2 -arch=x86-64-v3,linalg -sig "$VADD" -emit=obj=v.o "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"an object holds one kind of code for the host, of 'cpu' or of 'linalg'"* ]]
    tritcc -arch=x86-64-v3,linalg -sig "$VADD" -emit=html=v.html "$EXAMPLES/vadd/vadd.tri"
}

@test "-mattr adds features, and knows their names" {
    tritcc -arch=x86-64 -mattr=+avx2,+fma -sig "$VADD" -emit=asm=v.s "$EXAMPLES/vadd/vadd.tri"
    grep -q 'vaddps.*ymm' v.s
    tritcc -1 -arch=x86-64 -mattr=+avx3 -sig "$VADD" -emit=asm=v.s "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'+avx3' is no feature of x86-64"* ]]
    tritcc -1 -arch=aarch64 -mattr=+avx2 -sig "$VADD" -emit=asm=v.s "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"no feature of aarch64"* ]]
    tritcc -1 -arch=sm_80 -mattr=+avx2 -sig "$VADD" -emit=ptx=v.ptx "$EXAMPLES/vadd/vadd.tri"
}
