#!/usr/bin/env bats
# The passes do not change what kernels compute: the host's way, which has none of the GPU passes,
# and every GPU family's way give the same numbers.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"

# same KERNEL RESULT ARGUMENT...: RESULT on the host and on the simulated GPUs agree.
same() {
    local kernel=$1 result=$2 arch
    shift 2
    "$TRITRUN" -k "$kernel" -o "$result=host.npy" "$SRCDIR/tests/passes/execute.tri" "$@"
    for arch in ${ARCHS:-sim:sm_80 sim:sm_90 sim:spirv64}; do
        echo "# $arch"
        "$TRITRUN" -arch=$arch -k "$kernel" -expect="$result=@host.npy" -rtol=1e-3 -atol=1e-3 \
            "$SRCDIR/tests/passes/execute.tri" "$@"
    done
}

@test "a transpose keeps its elements" {
    same transpose y randn:f32:64x64:seed=1 y=zeros:f32:64x64 64 BM=64 BN=64
}

@test "a softmax over rows" {
    same softmax y randn:f16:64x128:seed=1 y=zeros:f32:64x128 128 BM=64 BN=128
}

@test "a matrix product with an operand that is widened" {
    same mixed_matmul c randn:f16:64x128:seed=1 randint:i8:128x64:seed=2 c=zeros:f32:64x64 128 128 64 64 BM=64 BN=64 BK=32
}

@test "attention" {
    same attention o randn:f16:64x64:seed=1 randn:f16:128x64:seed=2 randn:f16:128x64:seed=3 o=zeros:f32:64x64 128 BM=64 BN=32 D=64
}

@test "scans, and positions of maxima" {
    # scans across lanes need shuffles
    ARCHS='sim:sm_80 sim:sm_90' same scan_and_pick y randn:f32:64x64:seed=1 y=zeros:f32:64x64 z=zeros:i32:64 64 BM=64 BN=64
    ARCHS='sim:sm_80 sim:sm_90' same scan_and_pick z randn:f32:64x64:seed=1 y=zeros:f32:64x64 z=zeros:i32:64 64 BM=64 BN=64
}

@test "loops, branches and unrolled loops that carry tensors" {
    same branches y rand:f32:7x256:seed=1 y=zeros:f32:256 7 B=256
}

@test "tensor descriptors" {
    same descriptor y randn:f32:24x64:seed=1 y=zeros:f32:24x64 24 64 BM=16 BN=64
}

@test "sums of rows in a loop" {
    same row_sums y randn:f16:64x256:seed=1 randn:f16:256:seed=2 y=zeros:f32:64 256 256 BM=64 BN=128
}

@test "a loop in a loop that is flattened" {
    same flattened y randn:f32:5x128:seed=1 y=zeros:f32:8x128 7 5 B=128
    same flattened y randn:f32:5x128:seed=1 y=zeros:f32:8x128 7 0 B=128
    same assumed y randn:f32:5x128:seed=1 y=zeros:f32:5x128 5 4 B=128
    same assumed y randn:f32:5x128:seed=1 y=zeros:f32:5x128 5 1 B=128
}

@test "loops beside and in one another, fused whether they run or not" {
    local n m
    for n in 0 1 5; do
        for m in 0 2 6; do
            "$TRITRUN" -o arg1=host.npy "$SRCDIR/tests/passes/siblings.ttir" randn:f32:128:seed=1 zeros:f32:6x128 $n $m
            "$TRITRUN" -arch=sim:sm_80 -expect=arg1=@host.npy "$SRCDIR/tests/passes/siblings.ttir" \
                randn:f32:128:seed=1 zeros:f32:6x128 $n $m
        done
    done
}

@test "tiles of a product in one loop, by fewer programs than tiles" {
    same persistent c -grid=3 randn:f16:72x80:seed=1 randn:f16:80x136:seed=2 c=zeros:f32:72x136 72 136 80 BM=32 BN=64 BK=32
    same persistent c -grid=1 randn:f16:72x80:seed=1 randn:f16:80x136:seed=2 c=ones:f32:72x136 72 136 0 BM=32 BN=64 BK=32
}

@test "blocks with bounds, of older text" {
    "$TRITRUN" -k shifted_sums -o q=host.npy "$SRCDIR/tests/passes/execute.tri" randn:f32:24x40:seed=1 q=zeros:f32:24x40 24 40 3
    for arch in native sim:sm_80 sim:sm_90 sim:spirv64; do
        "$TRITRUN" -arch=$arch -expect=arg1=@host.npy -rtol=1e-6 "$SRCDIR/tests/passes/block-pointer.ttir" \
            randn:f32:24x40:seed=1 zeros:f32:24x40 24 40 3
    done
}

@test "conversions move in front of what widens their source" {
    same widened o randn:bf16:32x64:seed=1 randn:f32:32x32:seed=2 o=zeros:bf16:32x64
    same repeated o randint:i8:128:seed=1 randint:i16:32:seed=2 o=zeros:i16:128
    same repeated o randint:i8:128:seed=1 randint:i16:32:seed=2 o=zeros:i16:128 -num-warps=1
}

@test "sums over whole blocks beside joins and products" {
    same doubled o randn:f32:128:seed=1 o=zeros:f32:1
    same product_and_sum q randn:f16:64x64:seed=1 randn:f16:64x64:seed=2 zeros:f32:64x64 q=zeros:f32:1 -num-warps=8
    same product_and_sum o randn:f16:64x64:seed=1 randn:f16:64x64:seed=2 o=zeros:f32:64x64 q=zeros:f32:1 -num-warps=8
}

@test "blocks of fewer elements than threads one after the other" {
    same few o randn:f32:16:seed=1 randn:f32:16:seed=2 o=zeros:f32:3
}

@test "products by multiply-add: every step of k for all results before the next" {
    same products_in_full o randn:f32:64x64:seed=1 randn:f32:64x64:seed=2 o=zeros:f32:64x64
    tritcc -arch=sm_80 -O0 -emit=llir=k.ll -k products_in_full -sig '*fp32:16, *fp32:16, *fp32:16' "$SRCDIR/tests/passes/execute.tri"
    # no multiply-add reads the one before it, as each result's own chain would
    awk '/@llvm.fma/ { n++; if (last != "" && index($0, last ")")) bad++; last = $1 } END { exit !(n > 1000 && !bad) }' k.ll
}
