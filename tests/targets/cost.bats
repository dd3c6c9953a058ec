#!/usr/bin/env bats
# Estimates without a device: --estimate tells them, and -config=best, -config=all and -fcost-model choose by them.
load ../helpers

setup() {
    start_test || return 1
    cat >product.tri <<'TRI'
import triton
import triton.language as tl


@triton.autotune(configs=[
    triton.Config({"BM": 16, "BN": 16, "BK": 32}, num_warps=4, num_stages=2),
    triton.Config({"BM": 128, "BN": 256, "BK": 64}, num_warps=8, num_stages=3),
    triton.Config({"BM": 64, "BN": 32, "BK": 32}, num_warps=4, num_stages=2),
], key=["M", "N"])
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles = tl.cdiv(N, BN)
    m = tl.program_id(0) // tiles * BM + tl.arange(0, BM)
    n = tl.program_id(0) % tiles * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a + m[:, None] * K + k[None, :]
    b_ptrs = b + k[:, None] * N + n[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        sums = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), sums)
        a_ptrs += BK
        b_ptrs += BK * N
    tl.store(c + m[:, None] * N + n[None, :], sums.to(tl.float16))
TRI
    sig='product(*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16)'
    grid='-grid=cdiv(M,BM)*cdiv(N,BN)'
}

# Microseconds that --estimate=VALUES tells, in tenths.
expected() { "$TRITCC" -arch=sm_90a --estimate="$1" -emit=ttgir -o /dev/null -sig "$sig" "$grid" "${@:2}" product.tri 2>&1 | sed -n 's/^product, sm_90a: \([0-9]*\)[.]\([0-9]\) us for .*/\1\2/p'; }

@test "--estimate tells what a launch takes, and what of it" {
    tritcc -arch=sm_90a --estimate=8192 -config=1 -emit=ttgir -o /dev/null -sig "$sig" "$grid" product.tri
    [[ $errors =~ ^product,\ sm_90a:\ 1[0-9]{3}\.[0-9]\ us\ for\ 2048\ programs,\ 1\ on\ a\ multiprocessor,\ [0-9]+\ registers: ]]
    for part in products latency instructions exponentials 'shared memory' cache memory; do
        [[ $errors =~ \ $part\ [0-9]+\.[0-9] ]]
    done
    small=$(expected 2048 -config=1) large=$(expected 8192 -config=1) deep=$(expected 2048,K=4096 -config=1)
    echo "$small $deep $large"
    [ "$((50 * small))" -lt "$large" ] && [ "$((90 * small))" -gt "$large" ]
    [ "$((18 * small))" -lt "$((10 * deep))" ] && [ "$((22 * small))" -gt "$((10 * deep))" ]
    [ "$(expected '' -config=1)" = "$(expected 4096 -config=1)" ]
    tritcc -arch=sm_80 --estimate -config=1 -emit=json -o k.json -sig "$sig" "$grid" product.tri
    [ "$(sed -n 's/.*"expected_ns": \([0-9]*\),/\1/p' k.json)" -gt 500000 ]
    tritcc -arch=gfx942 --estimate -emit=ttgir -o /dev/null -sig "$sig" product.tri
    [ "$errors" = "product, gfx942: nothing is estimated for this target" ]
    tritcc -2 -arch=sm_90a --estimate=M=x -emit=ttgir -sig "$sig" product.tri
    [[ $errors == *"'--estimate=M=x' is no list of NAME=NUMBER"* ]]
}

@test "-config=best is what is expected to be the fastest" {
    tritcc -arch=sm_90a -config=best --estimate=4096 -Rpass=cost -S -o best.ptx -sig "$sig" "$grid" product.tri
    [[ $errors == *"configuration 1 of 3, with which "*" us are expected"* ]]
    tritcc -arch=sm_90a -config=1 -S -o one.ptx -sig "$sig" "$grid" product.tri
    cmp <(grep -v '// tritcc.kernel' best.ptx) <(grep -v '// tritcc.kernel' one.ptx)
    tritcc -arch=sm_90a -config=best --estimate=N=4096,16 -S -o small.ptx -sig "$sig" "$grid" product.tri
    cmp -s small.ptx best.ptx && return 1
    tritcc -arch=x86-64-v3 -config=best -S -o best.s -sig "$sig" "$grid" product.tri
    tritcc -arch=x86-64-v3 -config=0 -S -o first.s -sig "$sig" "$grid" product.tri
    cmp best.s first.s
    tritcc -2 -config=worst -S -sig "$sig" product.tri
    [[ $errors == *"takes a number from 0 to 65535, 'best' or 'all', not 'worst'"* ]]
}

@test "an object of all configurations without a table runs what is expected to be the fastest" {
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.c <<'C'
#include "k.h"
#include "tests/targets/stub_cuda.h"
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    static uint16_t memory[16];
    int error = product_run(0, memory, memory, memory, 1024, 512, 256);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    stub_log *log = ((stub_log * (*)(void)) dlsym(driver, "stub_get_log"))();
    printf("%d: %u threads, %u programs\n", error, log->threads, log->grid[0]);
    return 0;
}
C
    run_object() {
        tritcc -arch=sm_90a -fno-persistent -config=all -emit=obj=k.o,header=k.h -sig "$sig" "$grid" "$@" product.tri >&2
        cc -I. -I"$SRCDIR" main.c k.o -ldl -lpthread -lm -o main
        LD_LIBRARY_PATH=stub ./main
    }
    [ "$(run_object)" = "0: 256 threads, 16 programs" ]
    echo 'product * M=1024,N=512 2' >table
    [ "$(run_object -ftune=table)" = "0: 128 threads, 256 programs" ]
}

@test "-fcost-model chooses what is left open" {
    cat >one.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def one(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a_desc.load([tl.program_id(0) * BM, k]), b_desc.load([k, tl.program_id(1) * BN]), sums)
    c_desc.store([tl.program_id(0) * BM, tl.program_id(1) * BN], sums.to(tl.float16))
TRI
    one=(-arch=sm_90a -num-warps=8 -Rpass=cost -emit=ttgir=k.ttgir -sig 'one(*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64)')
    tritcc "${one[@]}" -fcost-model=8192 '-grid=cdiv(M,BM),cdiv(N,BN)' one.tri
    echo "$errors"
    [[ $errors == *"programs that go through the grid, "*" us expected; "*" as usual"* ]]
    grep -q 'tritcc.persistent' k.ttgir
    tritcc "${one[@]}" -fcost-model=8192 -fno-persistent '-grid=cdiv(M,BM),cdiv(N,BN)' one.tri
    [[ $errors != *"go through"* ]]
    # two stages are too few; what is given stays
    tritcc "${one[@]}" -fcost-model=8192 -fno-persistent -num-stages=2 one.tri
    [[ $errors != *" stages, "* ]]
    tritcc "${one[@]}" -num-stages=2 -fno-persistent -fno-warp-specialize one.tri
    cp k.ttgir two.ttgir
    tritcc "${one[@]}" -num-stages=2 -fno-persistent -fno-warp-specialize -fcost-model one.tri
    cmp k.ttgir two.ttgir
    # a kernel without products, and a machine that is not known, are as ever
    tritcc -arch=gfx942 -fcost-model -emit=ttgir=g.ttgir -sig 'one(*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,64)' one.tri
    tritcc -arch=gfx942 -emit=ttgir=h.ttgir -sig 'one(*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,64)' one.tri
    cmp g.ttgir h.ttgir
}
