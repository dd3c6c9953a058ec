# Products, pipelined loops and reductions on the simulated GPU give what the host gives.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/exec

# on ARCH FILE RESULT TOLERANCE ARG...: runs on the host and on the simulator and compares.
on() {
    local arch=$1 file=$2 result=$3 tolerance=$4
    shift 4
    TRITCC=$TRITRUN tritcc "$here/$file" -arch=native -o "$result=host.npy" "$@"
    TRITCC=$TRITRUN tritcc "$here/$file" "-arch=sim:$arch" -expect "$result=@host.npy" "-rtol=$tolerance" "-atol=$tolerance" \
        ${EXTRA-} "$@"
}

tiled() { # ARCH M N K BM BN BK
    on "$1" tiled.tri c_ptr 2e-2 -grid='cdiv(M,BM)*cdiv(N,BN)' "randn:f16:$2x$4:seed=1" "randn:f16:$4x$3:seed=2" \
        "zeros:f16:$2x$3" "$2" "$3" "$4" "$4" 1 "$3" 1 "$3" 1 "BM=$5" "BN=$6" "BK=$7" GROUP=4
}

dots() { # ARCH TYPE RESULT M N K PRECISION TRANS_A TRANS_B TOLERANCE
    local a="randn:$2:$4x$6:seed=1" b="randn:$2:$6x$5:seed=2"
    if [ "$2" = i8 ]; then
        a="randint:i8:$4x$6:seed=1,low=-100,high=100" b="randint:i8:$6x$5:seed=2,low=-100,high=100"
    fi
    on "$1" dots.tri c_ptr "${10}" -grid=1 "$a" "$b" "zeros:$3:$4x$5" "M=$4" "N=$5" "K=$6" "PREC='$7'" "TA=$8" "TB=$9"
}

@test "a tiled product with any number of stages, also when the loop is shorter" {
    for stages in 1 2 3 5; do
        EXTRA=-num-stages=$stages tiled sm_80 64 64 96 64 64 32
        EXTRA=-num-stages=$stages tiled sm_80 64 64 32 64 64 32
    done
}

@test "a tiled product whose sizes are no multiples of the tiles" {
    tiled sm_80 104 64 72 32 32 16
    EXTRA=-num-warps=8 tiled sm_90 72 136 40 64 64 32
}

@test "products of every type, operands transposed or not" {
    for trans in "False False" "True False" "False True" "True True"; do
        set -- $trans
        dots sm_80 f16 f32 64 64 32 tf32 "$1" "$2" 1e-3
        dots sm_80 f32 f32 64 64 32 tf32 "$1" "$2" 3e-2
        dots sm_80 i8 i32 64 64 64 tf32 "$1" "$2" 0
    done
    dots sm_80 bf16 f32 32 32 64 tf32 False False 1e-3
    dots sm_80 f64 f64 32 32 16 ieee False False 1e-9
    dots sm_80 fp8e5 f32 64 64 64 tf32 False False 1e-3
    dots sm_89 fp8e4 f32 64 64 64 tf32 False True 1e-3
}

@test "f32 products of higher precision" {
    dots sm_80 f32 f32 64 64 32 ieee False False 1e-5
    dots sm_80 f32 f32 64 32 32 tf32x3 False True 1e-4
    dots sm_80 f32 f32 32 32 32 bf16x6 True False 1e-4
    dots sm_80 f32 f32 32 32 32 bf16x3 False False 1e-3
}

@test "attention: chained products with a softmax between them" {
    for stages in 1 2 3; do
        EXTRA=-num-stages=$stages on sm_80 attention.tri o_ptr 2e-2 -grid=2 randn:f16:128x64:seed=1 randn:f16:128x64:seed=2 \
            randn:f16:128x64:seed=3 zeros:f16:128x64 128 0.18 BM=64 BN=32 D=64
    done
}

@test "sums and maxima that run through a loop" {
    for warps in 1 4 8; do
        EXTRA=-num-warps=$warps on sm_80 rows.tri y_ptr 1e-4 -grid=1 randn:f32:32x512:seed=4 zeros:f32:32 zeros:f32:32 512 BM=32 BN=128
        EXTRA=-num-warps=$warps on sm_80 rows.tri z_ptr 0 -grid=1 randn:f32:32x512:seed=4 zeros:f32:32 zeros:f32:32 512 BM=32 BN=128
    done
}

@test "branches in a pipelined loop: addresses that depend on one, a store in one" {
    for stages in 1 3 4; do
        for result in c_ptr z_ptr; do
            EXTRA=-num-stages=$stages on sm_80 branches.tri $result 1e-3 -grid=1 randn:f16:64x160:seed=1 randn:f16:160x64:seed=2 \
                zeros:f32:64x64 zeros:f32:64x64 5 BM=64 BN=64 BK=32
        done
    done
}
