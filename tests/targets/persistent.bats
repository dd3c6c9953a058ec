#!/usr/bin/env bats
# Kernels whose programs go through the tiles of a grid (-fpersistent): the same bits as one program a tile, on the
# simulator, whose device has room for three; what launchers give them; and what ptxas makes of them.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
kernels=$SRCDIR/tests/targets/tma.tri
product='*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64'

# beside HOW FILE KERNEL RESULT OPTION... -- ARGUMENT...
beside() {
    local how=$1 file=$2 kernel=$3 result=$4 options=() loop c
    shift 4
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    "$TRITRUN" -arch=sim:sm_90a -k "$kernel" "${options[@]}" -o "$result=grid.npy" "$file" "$@"
    for c in -fhost-tensormaps -fno-host-tensormaps; do
        loop=(-arch=sim:sm_90a -fpersistent "$c" -k "$kernel" "${options[@]}")
        if [ "$how" = same ]; then
            "$TRITRUN" "${loop[@]}" -o "$result=loop.npy" "$file" "$@"
            cmp grid.npy loop.npy
        else
            "$TRITRUN" "${loop[@]}" -expect "$result=@grid.npy" -rtol=1e-2 -atol=1e-3 "$file" "$@"
        fi
    done
}

# same FILE KERNEL RESULT OPTION... -- ARGUMENT...; close: but for the last bits of what is bf16
same() { beside same "$@"; }
close() { beside close "$@"; }

@test "the same bits: partial tiles, no trips, one stage, one program, rows of tiles" {
    local n=0
    while read -r type out grid warps stages bm bn bk m rows depth; do
        same "$kernels" product c_ptr -num-warps="$warps" -num-stages="$stages" -grid="$grid" -D BM="$bm" -D BN="$bn" -D BK="$bk" -- \
            "randn:$type:${m}x$depth:seed=1" "randn:$type:${depth}x$rows:seed=2" "c_ptr=full:$out:${m}x$rows:value=77" \
            "$m" "$rows" "$depth"
        n=$((n + 1))
    done <<'CASES'
f16 f16 3,3 8 3 128 256 64 264 520 200
f16 f32 2,2 4 4 64 64 32 120 72 0
f16 f16 1,1 8 2 128 128 64 24 40 64
f16 f16 3,2 4 1 64 64 32 130 72 72
f32 f32 2,2 8 3 128 256 32 136 264 100
fp8e4nv f16 2,4 8 3 128 128 128 256 400 320
CASES
    [ $n = 6 ]
}

@test "the source's own grouping, and numbers of programs" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(a_ptr, b_ptr, c_ptr, n_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    m = tl.program_id(0) // columns * BM
    n = tl.program_id(0) % columns * BN
    a = a_ptr + (m + tl.arange(0, BM))[:, None] * K + tl.arange(0, BK)[None, :]
    b = b_ptr + tl.arange(0, BK)[:, None] * N + (n + tl.arange(0, BN))[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a, mask=((m + tl.arange(0, BM)) < M)[:, None] & (tl.arange(0, BK) < K - k)[None, :], other=0.0)
        y = tl.load(b, mask=(tl.arange(0, BK) < K - k)[:, None] & ((n + tl.arange(0, BN)) < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * N
    c = c_ptr + (m + tl.arange(0, BM))[:, None] * N + (n + tl.arange(0, BN))[None, :]
    tl.store(c, acc.to(tl.float16), mask=((m + tl.arange(0, BM)) < M)[:, None] & ((n + tl.arange(0, BN)) < N)[None, :])
    tl.store(n_ptr + tl.program_id(0), tl.num_programs(0) * 100 + tl.program_id(0) + tl.num_programs(1) * 10000)
TRI
    local arguments=(a_ptr=randn:f16:200x72:seed=1 b_ptr=randn:f16:72x136:seed=2 c_ptr=full:f16:200x136:value=7 n_ptr=zeros:i32:12
        M=200 N=136 K=72)
    local options=(-grid=12 -num-warps=4 -D BM=64 -D BN=64 -D BK=32)
    same k.tri k c_ptr "${options[@]}" -- "${arguments[@]}"
    same k.tri k n_ptr "${options[@]}" -- "${arguments[@]}"
    tritcc -arch=sm_90a -fpersistent -Rpass=programs -Rpass=warp-specialize -emit=ttgir=k.ttgir \
        -sig '*fp16:16,*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,64,64,32' k.tri
    [[ $errors == *'as many programs as fit on the device go through the grid'*'a warp of its own starts 2 loads'* ]]
    tritcc -arch=sm_90a -fpersistent -fno-warp-specialize -emit=ttgir=k.ttgir \
        -sig '*fp16:16,*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,64,64,32' k.tri
    ! grep -q 'ttg.warp_specialize' k.ttgir || return 1
    grep -q tritcc.persistent k.ttgir
}

@test "tiles of different lengths, some of which have none" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def triangle(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # lengths differ: some tiles have none
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.minimum(tl.program_id(0) * BK, K), BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(c_ptr.dtype.element_ty))
TRI
    local type
    for type in f16 f32; do
        same k.tri triangle c_ptr -grid=4,2 -num-warps=4 -D BM=64 -D BN=64 -D BK=32 -- "a_ptr=randn:$type:200x200:seed=1" \
            "b_ptr=randn:$type:200x104:seed=2" "c_ptr=full:$type:200x104:value=7" 200 104 200
    done
}

@test "descriptors that begin with each program's batch" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def batch(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    z = tl.program_id(2).to(tl.int64)
    a = tl.make_tensor_descriptor(a_ptr + z * M * K, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr + z * K * N, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr + z * M * N, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(c_ptr.dtype.element_ty))
TRI
    # rows of the batch in front or behind are outside
    same k.tri batch c_ptr -grid=3,2,3 -num-warps=4 -D BM=64 -D BN=64 -D BK=32 -- a_ptr=randn:f16:3x136x72:seed=1 \
        b_ptr=randn:f16:3x72x104:seed=2 c_ptr=full:f16:3x136x104:value=7 136 104 72
    tritcc -arch=sm_90a -fpersistent -Rpass=programs -emit=ttgir=k.ttgir -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32' k.tri
    [[ $errors == *'as many programs as fit on the device go through the grid'* ]]
    grep -q 'tensordesc<1x64x32xf16' k.ttgir
}

# What is summed up in another order may differ in its last bit.
@test "attention: heads, causal rows of even and odd length, partial rows, one warp group, no keys" {
    local n=0
    while read -r grid warps stages d bm bn causal rows heads; do
        close "$kernels" attn o_ptr -num-warps="$warps" -num-stages="$stages" -grid="$grid" -D D="$d" -D BM="$bm" -D BN="$bn" \
            -D CAUSAL="$causal" -D DT=tl.bfloat16 -- "randn:bf16:${heads}x${rows}x$d:seed=1" "randn:bf16:${heads}x${rows}x$d:seed=2" \
            "randn:bf16:${heads}x${rows}x$d:seed=3" "o_ptr=full:bf16:${heads}x${rows}x$d:value=77" 0.1 "$rows"
        n=$((n + 1))
    done <<'CASES'
4,2 8 2 64 128 64 True 512 2
3,3 8 2 64 128 64 True 384 3
2,2 8 3 64 128 64 False 208 2
1,1 8 2 128 128 128 False 128 1
3,2 8 2 128 128 128 True 384 2
3,2 4 3 64 64 64 True 144 2
2,3 8 2 64 128 64 False 0 3
CASES
    [ $n = 7 ]
}

@test "attention through pointers: queries come through a map, too, and numbers of rows are stored where those are" {
    local source=$SRCDIR/tests/targets/pointer-attention.tri types='*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,fp32,i32,i32:16,i32:16'
    local n=0 result sizes
    tritcc -arch=sm_90a -fpersistent -fhost-tensormaps -num-warps=8 -num-stages=2 -Rpass=programs -Rpass=tma -emit=ttgir=k.ttgir,ptx=k.ptx \
        -sig "$types,128,128,128,False" "$source"
    [[ $errors == *'pointer-attention.tri:15:9: remark: the load goes through a tensor map'* && $errors == *'go through the grid'* ]]
    grep -q 'tt.store .*tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma' k.ttgir
    # tiles of a tensor whose rows nothing bounds: 16 bytes a thread
    grep -q 'st.global.v4.b32' k.ptx
    ! grep -q 'st.global.b16' k.ptx || return 1
    ! sed -n '/setmaxnreg.inc/,/setmaxnreg.dec/p' k.ptx | grep -q 'bar.sync[[:space:]]*1,' || return 1
    while read -r grid warps stages d bm bn causal rows heads; do
        sizes="${heads}x${rows}x$d"
        for result in o_ptr m_ptr; do
            close "$source" attention_rows "$result" -num-warps="$warps" -num-stages="$stages" -grid="$grid" -D D="$d" -D BM="$bm" \
                -D BN="$bn" -D CAUSAL="$causal" -- "randn:bf16:$sizes:seed=1" "randn:bf16:$sizes:seed=2" "randn:bf16:$sizes:seed=3" \
                "o_ptr=full:bf16:$sizes:value=77" "m_ptr=full:f32:${heads}x$rows:value=77" 0.1 "$rows" $((rows * d)) "$d"
        done
        n=$((n + 1))
    done <<'CASES'
4,2 8 2 64 128 64 True 500 2
2,3 8 2 64 128 128 False 200 3
2,2 4 3 64 64 64 True 100 2
CASES
    [ $n = 3 ]
}

@test "attention: queries, keys and values come ahead, and turns go on" {
    local types='*bf16:16,*bf16:16,*bf16:16,*bf16:16,fp32,i32:16'
    tritcc -arch=sm_90a -fpersistent -fhost-tensormaps -k attn -num-warps=8 -num-stages=2 -Rpass=programs -emit=ttgir=k.ttgir,ptx=k.ptx \
        -sig "$types,128,128,128,True,tl.bfloat16" "$kernels"
    [[ $errors == *'go through the grid, a long tile and a short one by turns'* ]]
    # maps of all heads, which the producer alone uses; its copies of queries stand in the loop over tiles
    [ "$(grep -c 'tensordesc<1x128x128xbf16' k.ttgir)" -ge 3 ]
    # the next tile's queries have room beside this one's
    [ "$(grep -c 'ttg.local_alloc .*memdesc<2x128x128xbf16' k.ttgir)" = 3 ]
    sed -n '/default {/,/partition0/p' k.ttgir >default
    ! grep -q 'async_tma' default || return 1
    grep -q 'math.ctpop' default
    grep -q 'tt.store ' default
    need ptxas
    ptxas -arch=sm_90a -v k.ptx -o k.cubin >log 2>&1
    ! grep -q '(C75' log || { cat log; return 1; }
    grep -q ' 0 bytes spill stores' log
}

@test "a tile's place is divided out in front of its products, not behind the last barrier" {
    tritcc -arch=sm_90a -fpersistent -fhost-tensormaps -k product -num-warps=8 -sig "$product" -emit=ptx=k.ptx "$kernels"
    sed '/bulk.tensor.2d.global/,$d' k.ptx >before
    grep -Pq 'div\.s32' before
    ! sed '1,/wgmma.mma_async/d' before | grep -P 'div\.s32|rem\.s32' || return 1
}

@test "only where that is asked for, and what stays is told" {
    tritcc -arch=sm_90a -k product -num-warps=8 -sig "$product" -emit=ptx=grid.ptx "$kernels"
    tritcc -arch=sm_90a -fpersistent -fno-persistent -k product -num-warps=8 -sig "$product" -emit=ptx=k.ptx "$kernels"
    cmp grid.ptx k.ptx
    tritcc -arch=sm_90a -fpersistent -k attention_bwd_kernel -num-warps=4 -num-stages=2 -Rpass-missed=programs -emit=ptx=k.ptx \
        -sig '*bf16:16,*bf16:16,*bf16:16,fp32,*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,*fp32:16,i32:16,i32:16,1,i32:16,64,64,64,64,2,64,False' \
        "$SRCDIR/bench/gpu/kernels/attention_bwd.tri"
    [[ $errors == *'the grid stays as it is: a loop has more than two products'* ]]
    tritcc -arch=sm_80 -fpersistent -k product -num-warps=8 -sig "$product" -emit=ptx=k.ptx "$kernels"
}

@test "attention by 8 warps in objects, whose launcher gives the grid" {
    local types='*bf16:16,*bf16:16,*bf16:16,*bf16:16,fp32,i32:16,128,128,128'
    need ptxas
    for causal in True False; do
        tritcc -arch=sm_90a -k attn -num-warps=8 -num-stages=2 -Rpass=programs -emit=obj=k.o,json=k.json \
            -sig "$types,$causal,tl.bfloat16" "$kernels"
        [[ $errors == *'go through the grid'* ]]
        grep -q '"persistent": true' k.json
        tritcc -arch=sm_90a -fpersistent -fhost-tensormaps -k attn -num-warps=8 -num-stages=2 -emit=ptx=k.ptx \
            -sig "$types,$causal,tl.bfloat16" "$kernels"
        # arrivals of warps are no branches: behind those ptxas takes warps of a loop over tiles to run apart
        [ "$(grep -c '^[[:space:]]*@%p[0-9]* mbarrier.arrive.shared.b64 _,' k.ptx)" -ge 6 ]
        # rounded tiles are converted for their stores inside of each warp
        ! sed -n '/setmaxnreg.inc/,/setmaxnreg.dec/p' k.ptx | grep -q 'bar.sync[[:space:]]*1,' || return 1
    done
    for options in '-num-warps=8 -fno-persistent' '-num-warps=4' '-num-warps=8 -fno-warp-specialize'; do
        # shellcheck disable=SC2086 # words
        tritcc -arch=sm_90a -k attn $options -num-stages=2 -Rpass=programs -Rpass-missed=programs -emit=obj=k.o,json=k.json \
            -sig "$types,False,tl.bfloat16" "$kernels"
        [[ $errors != *'the grid'* ]]
        ! grep -q persistent k.json || return 1
    done
    # no launcher, no other grid
    tritcc -arch=sm_90a -k attn -num-warps=8 -num-stages=2 -emit=json=k.json,ptx=k.ptx -sig "$types,False,tl.bfloat16" "$kernels"
    ! grep -q persistent k.json || return 1
}

@test "products in objects: those of 16 bits whose loads leave no room for a second block, and those of 8 bits" {
    need ptxas
    local c
    for c in 'fp16 128,256,64 8 3 yes' 'bf16 128,128,64 4 4 yes' 'fp16 128,128,64 8 3 no' 'fp32 128,256,32 8 3 no' 'fp8e4nv 128,128,128 8 3 yes'; do
        read -r type tile warps stages want <<<"$c"
        tritcc -arch=sm_90a -k product "-num-warps=$warps" "-num-stages=$stages" -Rpass-missed=programs -emit=obj=k.o,json=k.json \
            -sig "*$type:16,*$type:16,*fp32:16,i32:16,i32:16,i32:16,$tile" "$kernels"
        # nobody complains of those that stay
        [[ $errors != *'the grid'* ]]
        if [ "$want" = yes ]; then
            grep -q '"persistent": true' k.json || { echo "$c"; return 1; }
        else
            ! grep -q persistent k.json || { echo "$c"; return 1; }
        fi
    done
}

@test "other launchers are told" {
    tritcc -arch=sm_90a -fpersistent -k product -num-warps=8 -sig "$product" -emit=json=k.json,ptx=k.ptx "$kernels"
    grep -q '"persistent": true' k.json
    grep -q '{"name": "grid.z", "type": "i32"},' k.json
    tritcc -emit=json=again.json -arch=sm_90a k.ptx
    grep -q '"persistent": true' again.json
    tritcc -arch=sm_90a -k product -num-warps=8 -sig "$product" -emit=json=k.json "$kernels"
    ! grep -q 'persistent\|grid.x' k.json || return 1
}

@test "an object's launcher gives the grid, and launches what fits on the device" {
    need ptxas
    tritcc -arch=sm_90a -fpersistent -k product -num-warps=8 -emit=header=product.h,obj=product.o -sig "$product" "$kernels"
    mkdir -p stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.c <<'C'
#include "product.h"
#include "tests/targets/stub_cuda.h"
#include "tests/targets/want.h"

static _Alignas(128) short a[64], b[64], c[64];

static int run(unsigned x, unsigned y, unsigned z)
{
    tri_grid grid = {x, y, z};
    return product(0, grid, a, b, c, 4096, 4096, 64);
}

int main(void)
{
    stub_log *log = stub_get_log();
    static const int sizes[12] = {8, 8, 8, 4, 4, 4, 4, 4, 4, 8, 4, 8};
    for (log->want_args = 0; log->want_args < 12; log->want_args++)
        log->want_bytes[log->want_args] = sizes[log->want_args];
    WANT(run(32, 16, 1) == 0 && log->grid[0] == 264 && log->grid[1] == 1 && log->grid[2] == 1);
    WANT(log->args[6] == 32 && log->args[7] == 16 && log->args[8] == 1 && log->args[10] == 1 && log->map_count == 3);
    WANT(run(5, 2, 3) == 0 && log->grid[0] == 30 && log->args[8] == 3);
    WANT(log->occupancies == 1 && log->stream_allocations == 0);
    WANT(run(0x7fffffff, 2, 1) == TRI_ERROR_GRID && run(0x7fff, 0x7fff, 3) == TRI_ERROR_GRID);
    WANT(run(0, 2, 1) == 0 && log->launches == 2);
    stub_fail("cuTensorMapEncodeTiled", 1); /* scratch memory is that of the smaller grid */
    WANT(run(32, 16, 1) == 0 && log->stream_allocations == 1 && log->args[10] == 0 && log->grid[0] == 264);
    return failures != 0;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c product.o -Lstub -l:libcuda.so.1 -o main -lpthread
    LD_LIBRARY_PATH=stub ./main
    # a driver that does not say what fits gets the whole grid, in one dimension
    cat >blind.c <<'C'
#include "product.h"
#include "tests/targets/stub_cuda.h"
#include "tests/targets/want.h"

static _Alignas(128) short a[64];

int main(void)
{
    tri_grid grid = {32, 16, 1};
    stub_fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1);
    WANT(product(0, grid, a, a, a, 4096, 4096, 64) == 0 && stub_get_log()->grid[0] == 512);
    return failures != 0;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" blind.c product.o -Lstub -l:libcuda.so.1 -o blind -lpthread
    LD_LIBRARY_PATH=stub ./blind
}

@test "ptxas keeps products together" {
    need ptxas
    local tile
    for tile in 'fp16 8 128,256,64' 'fp16 4 128,128,64' 'fp32 8 128,256,32' 'fp8e4nv 8 128,256,128'; do
        read -r type warps blocks <<<"$tile"
        tritcc -arch=sm_90a -fpersistent -fhost-tensormaps -k product -num-warps="$warps" -num-stages=3 -emit=ptx=k.ptx \
            -sig "*$type:16,*$type:16,*fp16:16,i32:16,i32:16,i32:16,$blocks" "$kernels"
        ptxas -arch=sm_90a -v k.ptx -o k.cubin >log 2>&1
        ! grep -q '(C75' log || { cat log; return 1; }
        grep -q ' 0 bytes spill stores' log
    done
}
