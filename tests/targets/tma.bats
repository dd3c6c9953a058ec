#!/usr/bin/env bats
# Tensor descriptors as tensor maps and bulk copies: the code that is made, what it computes on the simulator, and the
# bugs that the simulator must find in it.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
kernels=$SRCDIR/tests/targets/tma.tri

# same KERNEL RESULT RTOL OPTION... -- ARGUMENT...: the simulator gives what the host gives.
same() {
    local kernel=$1 result=$2 tolerance=$3 options=()
    shift 3
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    "$TRITRUN" -k "$kernel" "${options[@]}" -o "$result=want.npy" "$kernels" "$@"
    "$TRITRUN" -k "$kernel" -arch=sim:sm_90a "${options[@]}" -rtol="$tolerance" -atol="$tolerance" -expect="$result=@want.npy" \
        "$kernels" "$@"
}

# product of M x N x K numbers, in tiles
product() {
    local kernel=$1 m=$2 n=$3 k=$4
    shift 4
    same "$kernel" c_ptr 0 "$@" -- "randint:f16:2x${m}x$k:seed=1,low=-4,high=4" "randint:f16:2x${k}x$n:seed=2,low=-4,high=4" \
        "c_ptr=full:f16:2x${m}x$n:value=77" "$m" "$n" "$k"
}

@test "products: whole tiles, partial ones, one trip, none" {
    local tiles=(-num-warps=8 -D BM=128 -D BN=256 -D BK=64)
    product product 256 256 128 -grid=2,1 "${tiles[@]}"
    product product 200 264 136 -grid=2,2 "${tiles[@]}"
    product product 24 40 64 -grid=1,1 "${tiles[@]}"
    product product 130 72 8 -grid=2,1 "${tiles[@]}" -num-stages=1
    product product 130 72 328 -grid=3,2 -D BM=64 -D BN=64 -D BK=32 -num-stages=4
}

@test "products of a program that goes on to the next tile" {
    product persistent 200 136 72 -grid=2 -num-warps=4 -D BM=64 -D BN=64 -D BK=32
    product persistent 200 136 200 -grid=3 -num-warps=8 -D BM=128 -D BN=64 -D BK=64 -num-stages=2
}

@test "three dimensions, and rows of 64 bytes" {
    product batched 72 40 72 -grid=2,1,2 -D BM=64 -D BN=32 -D BK=32
}

@test "one to five dimensions" {
    same ranks c_ptr 0 -num-warps=4 -D BM=64 -D BN=32 -D BK=32 -- randint:f16:2x56x72:seed=1,low=-4,high=4 \
        randint:f16:2x72x24:seed=2,low=-4,high=4 c_ptr=full:f16:3x56x24:value=77 56 24 72
}

@test "attention, with blocks that are turned" {
    local c
    for c in False True; do
        same attn o_ptr 3e-3 -num-warps=4 -grid=3,2 -D D=64 -D BM=64 -D BN=64 -D "CAUSAL=$c" -D DT=tl.float16 -- \
            q_ptr=randn:f16:2x150x64:seed=1 k_ptr=randn:f16:2x150x64:seed=2 v_ptr=randn:f16:2x150x64:seed=3 \
            o_ptr=full:f16:2x150x64:value=77 scale=0.125 N=150
    done
}

@test "programs in another order do the same, each once" {
    local c grid
    for grid in 1,1 2,3 9,2 19,3 3,18; do
        for c in -freorder-programs -fno-reorder-programs; do
            tritcc -arch=sm_90a $c -k product -sig '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32' -emit=ttgir=k.ttgir "$kernels"
            [ "$(grep -c 'tt.get_num_programs' k.ttgir)" = "$([ $c = -freorder-programs ] && echo 2 || echo 0)" ]
            "$TRITRUN" -arch=sim:sm_90a -grid=$grid -o "c_ptr=$c.npy" k.ttgir randint:f16:1216x32:seed=1,low=-4,high=4 \
                randint:f16:32x1152:seed=2,low=-4,high=4 c_ptr=full:f16:1216x1152:value=77 1216 1152 32
        done
        cmp -- -freorder-programs.npy -fno-reorder-programs.npy
        # attention that is causal keeps the grid's order, unless the pass is asked
        tritcc -arch=sm_90a -k attn -sig '*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,64,64,64,True,tl.float16' \
            -emit=ttgir=k.ttgir,ttir=k.ttir "$kernels"
        ! grep -q tt.get_num_programs k.ttgir || false
        [ "$grid" != 2,3 ] && [ "$grid" != 3,18 ] && continue
        tritcc -x ttir -passes='reorder-programs{long-first=1}' k.ttir -o long.ttir
        grep -q tt.get_num_programs long.ttir
        for c in k long; do
            "$TRITRUN" -arch=sim:sm_90a -grid="$grid" -o "o_ptr=$c.npy" $c.ttir q_ptr=randn:f16:18x192x64:seed=1 \
                k_ptr=randn:f16:18x192x64:seed=2 v_ptr=randn:f16:18x192x64:seed=3 o_ptr=full:f16:18x192x64:value=77 0.125 192
        done
        cmp k.npy long.npy
    done
}

compile() { tritcc -arch=sm_90a -k product -num-warps=8 -sig 'product(*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, 128, 256, 64)' "$@" "$kernels"; }

@test "one thread starts copies of boxes, and all wait" {
    compile -emit=ptx=k.ptx -Rpass=tma
    [ "$(grep -c 'remark: the descriptor becomes a tensor map' .err)" = 3 ]
    # two stages in front of the loop and one in it, of one box of A and four of B; four boxes of C
    [ "$(grep -c 'cp.async.bulk.tensor.2d.shared::cta' k.ptx)" = 15 ]
    [ "$(grep -c 'cp.async.bulk.tensor.2d.global.shared::cta' k.ptx)" = 4 ]
    ! grep -q 'cp.async.cg' k.ptx || false
    grep -q 'mbarrier.try_wait.parity' k.ptx
}

@test "without maps: asked for, other architectures, what no map holds" {
    compile -emit=ptx=k.ptx -fno-tma
    ! grep -q cp.async.bulk k.ptx || false
    tritcc -arch=sm_80 -k product -sig 'product(*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, 128, 64, 64)' -emit=ptx=k.ptx "$kernels"
    ! grep -q cp.async.bulk k.ptx || false
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def gathered(x, y, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, B], [B, 1], [1, B])
    acc = tl.zeros((B, B), dtype=tl.float32)
    for i in range(0, n, B):
        v = d.gather(i + tl.arange(0, B), 0)
        acc = tl.dot(v, v, acc)
    r = tl.arange(0, B)
    tl.store(y + r[:, None] * B + r[None, :], acc)
@triton.jit
def copied(x, y, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [n, B], [B, 1], [B, B])
    e = tl.make_tensor_descriptor(y, [n, B], [B, 1], [B, B])
    e.store([0, 0], d.load([0, 0]))
K
    # (these rows lie one below the other, so that a map of their own would serve)
    tritcc -arch=sm_90a -fno-auto-tma -k gathered -sig 'gathered(*fp16:16, *fp32:16, i32, 64)' -emit=ptx=k.ptx -Rpass-missed=tma k.tri
    [[ $errors == *"k.tri:5:"*"the descriptor becomes pointers and masks: it is gathered from, scattered to or added to"* ]]
    ! grep -q cp.async.bulk k.ptx || false
    tritcc -arch=sm_90a -k copied -sig 'copied(*fp16:16, *fp16:16, i32, 64)' -emit=ptx=k.ptx -Rpass-missed=tma k.tri
    [[ $errors == *"k.tri:14:"*"no block is loaded in a loop with products"* ]]
}

@test "ttir with descriptors that stay compiles for machines without maps" {
    compile -emit=ttir=k.ttir
    grep -q tt.make_tensor_descriptor k.ttir
    tritcc -arch=sm_80 -emit=ptx=k.ptx k.ttir
    grep -q '^.target sm_80' k.ptx
}

@test "machines with maps that kernels cannot write refuse the ttgir that writes them" {
    compile -emit=ttgir=k.ttgir
    tritcc -1 -arch=sm_90 -emit=ptx=k.ptx k.ttgir
    [[ $errors == *"this architecture does not write tensor maps; sm_90a does"* ]]
    [ ! -e k.ptx ]
}

@test "operations and primitives of bulk copies, which the kernels above run" {
    compile -emit=ttgir=k.ttgir
    while read -r op; do
        grep -q "$op " k.ttgir || { echo "no $op" && return 1; }
    done <<'OPS'
ttg.global_scratch_alloc
ttng.fence_async_shared
ttng.init_barrier
ttng.barrier_expect
ttng.wait_barrier
ttng.async_tma_copy_global_to_local
ttng.async_tma_copy_local_to_global
ttng.async_tma_store_wait
ttng.tensormap_create
ttng.tensormap_fenceproxy_acquire
ttng.reinterpret_tensor_descriptor
OPS
    compile -emit=ptx=k.ptx
    tritcc -arch=sm_90a -k ranks -sig 'ranks(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 32, 32)' -emit=ptx=r.ptx "$kernels"
    cat r.ptx >>k.ptx
    while read -r primitive text; do
        grep -qF "$text" k.ptx || { echo "$primitive: no $text" && return 1; }
    done <<'PRIMITIVES'
mbarrier_init mbarrier.init.shared
mbarrier_init_fence fence.mbarrier_init.release.cluster
mbarrier_inval mbarrier.inval
mbarrier_expect mbarrier.arrive.expect_tx
mbarrier_try_wait mbarrier.try_wait.parity
bulk_commit cp.async.bulk.commit_group
bulk_wait_read cp.async.bulk.wait_group.read
bulk_load_1d cp.async.bulk.tensor.1d.shared::cta.global
bulk_load_2d cp.async.bulk.tensor.2d.shared::cta.global
bulk_load_3d cp.async.bulk.tensor.3d.shared::cta.global
bulk_load_4d cp.async.bulk.tensor.4d.shared::cta.global
bulk_load_5d cp.async.bulk.tensor.5d.shared::cta.global
bulk_store_1d cp.async.bulk.tensor.1d.global.shared::cta
bulk_store_2d cp.async.bulk.tensor.2d.global.shared::cta
bulk_store_4d cp.async.bulk.tensor.4d.global.shared::cta
bulk_store_5d cp.async.bulk.tensor.5d.global.shared::cta
tensormap_address tensormap.replace.tile.global_address
tensormap_rank tensormap.replace.tile.rank
tensormap_box tensormap.replace.tile.box_dim
tensormap_size tensormap.replace.tile.global_dim
tensormap_stride tensormap.replace.tile.global_stride
tensormap_step tensormap.replace.tile.element_stride
tensormap_element tensormap.replace.tile.elemtype
tensormap_interleave tensormap.replace.tile.interleave_layout
tensormap_swizzle tensormap.replace.tile.swizzle_mode
tensormap_fill tensormap.replace.tile.fill_mode
tensormap_release fence.proxy.tensormap::generic.release.gpu
tensormap_acquire fence.proxy.tensormap::generic.acquire.gpu
PRIMITIVES
}

# finds MESSAGE SED: spoiled like this, the simulator says so.
finds() {
    sed "$2" k.ttgir >spoiled.ttgir
    ! cmp -s k.ttgir spoiled.ttgir || false
    ! "$TRITRUN" -arch=sim:sm_90a -grid=2,2 spoiled.ttgir randint:f16:200x520:seed=1,low=-4,high=4 \
        randint:f16:520x264:seed=2,low=-4,high=4 c_ptr=full:f16:200x264:value=77 200 264 520 >found 2>&1
    grep -q "$1" found || { cat found && return 1; }
}

@test "bugs that the simulator must find in bulk copies" {
    compile -emit=ttgir=k.ttgir
    finds 'a thread that has not waited for the bulk copy' '/ttng.wait_barrier/d'
    finds 'has not waited\|a wait that never ends' '/scf.for/,$s/\(ttng.wait_barrier %[0-9]*\), %[0-9]*/\1, %c1_i32/'
    finds 'a wait that never ends' '0,/ttng.barrier_expect \(%[0-9]*\), 49152/s//ttng.barrier_expect \1, 49136/'
    finds 'a wait that never ends' '0,/ttng.barrier_expect \(%[0-9]*\), 49152/s//ttng.barrier_expect \1, 49168/'
    finds 'a product under way\|bulk copy after read' '/^      ttg.barrier local/d'
    finds 'where none was initialised\|race' '/^    ttg.barrier local/d'
    finds 'written and not acquired' '/fenceproxy_acquire/d'
    finds 'the program ends while they may still read' '/async_tma_store_wait/d'
    finds 'no mbarrier' '/ttng.init_barrier/d'
}
