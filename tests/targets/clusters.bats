#!/usr/bin/env bats
# Programs of several blocks (-num-ctas): the same bits as with one, on the simulator; what is refused.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"

# same FILE KERNEL RESULT OPTION... -- ARGUMENT...
same() {
    local file=$1 kernel=$2 result=$3 options=() n
    shift 3
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    "$TRITRUN" -arch=sim:sm_90a -k "$kernel" "${options[@]}" -o "$result=one.npy" "$file" "$@"
    for n in 2 4; do
        "$TRITRUN" -arch=sim:sm_90a -num-ctas=$n -k "$kernel" "${options[@]}" -o "$result=more.npy" "$file" "$@"
        cmp one.npy more.npy
    done
}

kernels() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o_ptr + o, tl.load(x_ptr + o, mask=o < n) + tl.load(y_ptr + o, mask=o < n), mask=o < n)


@triton.jit
def rows(x_ptr, o_ptr, n, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, B)
    x = tl.load(x_ptr + r[:, None] * n + c[None, :], mask=c[None, :] < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 1)[:, None])
    tl.store(o_ptr + r[:, None] * n + c[None, :], e / tl.sum(e, 1)[:, None], mask=c[None, :] < n)


@triton.jit
def scaled(x_ptr, n, R: tl.constexpr, B: tl.constexpr):
    # in place: each block has its own rows
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, B)
    at = x_ptr + r[:, None] * n + c[None, :]
    x = tl.load(at, mask=c[None, :] < n, other=0.0)
    tl.store(at, x / (1.0 + tl.sum(x * x, 1))[:, None], mask=c[None, :] < n)


@triton.jit
def turned(x_ptr, o_ptr, s_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(o_ptr + n[:, None] * M + m[None, :], x.T)
    tl.store(o_ptr + M * N + tl.arange(0, M * N), tl.sort(tl.reshape(x, (M * N,))))
    tl.store(o_ptr + 2 * M * N + m[:, None] * N + n[None, :], tl.cumsum(x, 1))
    tl.store(s_ptr + tl.arange(0, 16), tl.histogram(tl.reshape(x, (M * N,)).to(tl.int32) & 15, 16))


@triton.jit
def counted(x_ptr, o_ptr, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + c)
    tl.atomic_add(o_ptr + c % 7, x, sem="relaxed")
    tl.atomic_add(o_ptr + 8, tl.sum(x, 0), sem="relaxed")
    tl.atomic_add(o_ptr + 9 + tl.arange(0, 4), tl.sum(tl.reshape(x, (4, B // 4)), 1), sem="relaxed")


@triton.jit
def used(x_ptr, o_ptr, B: tl.constexpr):
    tl.store(o_ptr, tl.atomic_add(x_ptr, 1.0))


@triton.jit
def after(x_ptr, o_ptr, B: tl.constexpr):
    tl.store(o_ptr + tl.arange(0, B), tl.arange(0, B).to(tl.float32))
    tl.atomic_add(x_ptr, 1.0)


@triton.jit
def waits(x_ptr, o_ptr, B: tl.constexpr):
    c = tl.arange(0, B)
    tl.store(o_ptr + c, tl.load(x_ptr + c))
    tl.debug_barrier()
    tl.store(x_ptr + c, tl.load(o_ptr + B - 1 - c))
TRI
}

@test "blocks of numbers, rows, sums, views, updates" {
    kernels
    same k.tri add o_ptr -grid=3 -D B=1024 -- x_ptr=randn:f32:2500:seed=1 y_ptr=randn:f32:2500:seed=2 o_ptr=full:f32:2600:value=7 \
        n=2500
    same k.tri rows o_ptr -grid=3 -D R=4 -D B=128 -- x_ptr=randn:f32:12x100:seed=1 o_ptr=full:f32:12x100:value=7 n=100
    same k.tri rows o_ptr -grid=3 -D R=1 -D B=1024 -num-warps=8 -- x_ptr=randn:f32:3x1000:seed=1 \
        o_ptr=full:f32:3x1000:value=7 n=1000
    same k.tri turned o_ptr -D M=16 -D N=32 -- x_ptr=randint:f32:16x32:seed=1,low=0,high=99 o_ptr=zeros:f32:1536 s_ptr=zeros:i32:16
    same k.tri turned s_ptr -D M=16 -D N=32 -- x_ptr=randint:f32:16x32:seed=1,low=0,high=99 o_ptr=zeros:f32:1536 s_ptr=zeros:i32:16
    same k.tri scaled x_ptr -grid=2 -D R=8 -D B=64 -- x_ptr=randn:f32:16x60:seed=1 60
    same k.tri counted o_ptr -D B=256 -- x_ptr=randint:f32:256:seed=1,low=-9,high=9 o_ptr=zeros:f32:16
}

@test "products and attention, through pointers and descriptors" {
    local tma=$SRCDIR/tests/targets/tma.tri matmul=$SRCDIR/bench/gpu/kernels/matmul.tri
    local product=(randint:f16:200x200:seed=1,low=-4,high=4 randint:f16:200x136:seed=2,low=-4,high=4 c_ptr=full:f16:200x136:value=77
        200 136 200)
    same "$tma" product c_ptr -grid=2,2 -num-warps=4 -D BM=128 -D BN=128 -D BK=64 -- "${product[@]}"
    same "$tma" product c_ptr -grid=1,1 -num-warps=8 -D BM=256 -D BN=64 -D BK=64 -num-stages=1 -- \
        ones:f16:24x64 ones:f16:64x40 c_ptr=full:f16:24x40:value=77 24 40 64
    same "$matmul" matmul_kernel c_ptr -grid=8 -num-warps=4 -D BLOCK_SIZE_M=64 -D BLOCK_SIZE_N=128 -D BLOCK_SIZE_K=64 -D GROUP_SIZE_M=2 \
        -- "${product[@]}" 200 1 136 1 136 1
    same "$matmul" matmul_kernel c_ptr -grid=16 -num-warps=4 -D BLOCK_SIZE_M=64 -D BLOCK_SIZE_N=64 -D BLOCK_SIZE_K=32 -D GROUP_SIZE_M=2 \
        -- randn:f32:200x72:seed=1 randn:f32:72x136:seed=2 c_ptr=full:f32:200x136:value=77 200 136 72 72 1 136 1 136 1
    same "$tma" attn o_ptr -num-warps=4 -grid=2,2 -D D=64 -D BM=128 -D BN=64 -D CAUSAL=True -D DT=tl.float16 -- \
        q_ptr=randn:f16:2x150x64:seed=1 k_ptr=randn:f16:2x150x64:seed=2 v_ptr=randn:f16:2x150x64:seed=3 \
        o_ptr=full:f16:2x150x64:value=77 scale=0.125 N=150
}

# Rows and columns are as many, and addresses share ranges: they are split apart all the same. The result is read and
# written in place, and stored turned, too.
@test "square tiles, in place and turned" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def two_outputs(a_ptr, b_ptr, c_ptr, d_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    d = tl.make_tensor_descriptor(d_ptr, [N, M], [M, 1], [BN, BM])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=2):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
    old = c.load([m, n]).to(tl.float32)
    c.store([m, n], (acc + old).to(tl.float16))
    d.store([n, m], acc.T.to(tl.float16))
TRI
    local r
    for r in c_ptr d_ptr; do
        same k.tri two_outputs $r -grid=4,2 -num-warps=4 -D BM=64 -D BN=64 -D BK=32 -- a_ptr=randn:f16:200x72:seed=1 \
            b_ptr=randn:f16:104x72:seed=2 c_ptr=randn:f16:200x104:seed=4 d_ptr=full:f16:104x200:value=7 200 104 72
    done
    tritcc -arch=sm_90a -num-ctas=2 -k two_outputs -emit=ttgir=k.ttgir -sig '*fp16,*fp16,*fp16,*fp16,i32,i32,i32,64,64,32' k.tri
    grep -q 'nvidia_mma<.*CGALayout = \[\[0, 1\]\]' k.ttgir
}

@test "each block has its part: half of the shared memory and of the instructions" {
    local matmul=$SRCDIR/bench/gpu/kernels/matmul.tri n
    for n in 1 2; do
        tritcc -arch=sm_90a -fno-tma -num-ctas=$n -k matmul_kernel -num-warps=8 -emit=ptx=k$n.ptx,ttgir=k$n.ttgir \
            -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,256,128,64,8' "$matmul"
    done
    [ "$(grep -c wgmma.mma_async k1.ptx)" = 8 ]
    [ "$(grep -c wgmma.mma_async k2.ptx)" = 4 ]
    grep -q 'ttg.shared = 147456' k1.ttgir
    grep -q 'ttg.shared = 98304' k2.ttgir
    grep -q '^.explicitcluster' k2.ptx
    grep -q '^.reqnctapercluster 2, 1, 1' k2.ptx
    ! grep -q cluster k1.ptx || return 1
    need ptxas
    ptxas -arch=sm_90a -v k2.ptx -o k.cubin >log 2>&1
    ! grep -q '(C75' log || return 1
}

@test "what blocks of a cluster would have to tell each other is refused" {
    kernels
    tritcc -1 -arch=sm_90a -num-ctas=2 -k used -sig '*fp32,*fp32,256' -emit=ptx=k.ptx k.tri
    [[ $errors == *"k.tri:51:"*"'tt.atomic_rmw' cannot be lowered for 'sm_90a': the blocks of a cluster do not hand the value on"* ]]
    tritcc -1 -arch=sm_90a -num-ctas=2 -k after -sig '*fp32,*fp32,256' -emit=ptx=k.ptx k.tri
    [[ $errors == *"it would have to wait for what other blocks of the cluster store; use sem=\"relaxed\" or -num-ctas=1"* ]]
    tritcc -1 -arch=sm_90a -num-ctas=2 -k waits -sig '*fp32,*fp32,256' -emit=ptx=k.ptx k.tri
    [[ $errors == *"k.tri:6"*"one block of a cluster may write what another one accesses; use -num-ctas=1"* ]]
    # text of others: sums over what is split, buffers that are split otherwise, operations for clusters
    cat >sum.ttgir <<'IR'
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 64 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %a = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %x = tt.load %a : tensor<256x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%m: f32, %n: f32):
      %o = arith.addf %m, %n : f32
      tt.reduce.return %o : f32
    }) {allocation.offset = 0 : i32} : (tensor<256xf32, #b>) -> f32
    tt.store %q, %s : !tt.ptr<f32>
    tt.return
  }
}
IR
    tritcc -1 -arch=sm_90a -emit=ptx=k.ptx sum.ttgir
    [[ $errors == *"sum.ttgir:6:"*"it combines what the blocks of a cluster have apart"* ]]
    sed -e '/tt.reduce/,/-> f32/d' -e 's/tt.store %q, %s.*/ttng.cluster_arrive {relaxed = false}/' sum.ttgir >arrive.ttgir
    tritcc -1 -arch=sm_90a -emit=ptx=k.ptx arrive.ttgir
    [[ $errors == *"it is not made for clusters yet; use -num-ctas=1"* ]]
    sed -e '/tt.reduce/,/-> f32/d' -e 's/tt.store %q, %s.*/%c = ttg.convert_layout %x : tensor<256xf32, #b> -> tensor<256xf32, #w>/' \
        -e '1i#w = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>' \
        sum.ttgir >whole.ttgir
    tritcc -1 -arch=sm_90a -emit=ptx=k.ptx whole.ttgir
    [[ $errors == *"it moves data between the blocks of a cluster"* ]]
}

@test "an object's launcher starts clusters" {
    need ptxas
    kernels
    tritcc -arch=sm_90a -num-ctas=2 -k add -sig '*fp32:16,*fp32:16,*fp32:16,i32,1024' -emit=header=add.h,obj=add.o k.tri
    mkdir -p stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.c <<'C'
#include "add.h"
#include "tests/targets/stub_cuda.h"
#include "tests/targets/want.h"

static _Alignas(128) float x[64];

int main(void)
{
    tri_grid grid = {5, 3, 1};
    WANT(add(0, grid, x, x, x, 64) == 0);
    const stub_log *log = stub_get_log();
    WANT(log->ex_launches == 1 && log->grid[0] == 10 && log->grid[1] == 3 && log->cluster[0] == 2 && log->cluster[1] == 1);
    return failures != 0;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c add.o -Lstub -l:libcuda.so.1 -o main -lpthread
    LD_LIBRARY_PATH=stub ./main
}
