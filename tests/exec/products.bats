# Products, pipelined loops and reductions on the simulated GPU give what the host gives.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/exec

# on ARCH FILE RESULT TOLERANCE ARG...: runs on the host and on the simulator and compares.
on() {
    local arch=$1 file=$2 result=$3 tolerance=$4
    shift 4
    TRITCC=$TRITRUN tritcc "$here/$file" -arch="$HOST_ARCH" -o "$result=host.npy" "$@"
    TRITCC=$TRITRUN tritcc "$here/$file" "-arch=sim:$arch" -expect "$result=@host.npy" "-rtol=$tolerance" "-atol=$tolerance" \
        ${EXTRA-} "$@"
}

tiled() { # ARCH M N K BM BN BK
    on "$1" tiled.tri c_ptr 2e-2 -grid='cdiv(M,BM)*cdiv(N,BN)' "randn:f16:$2x$4:seed=1" "randn:f16:$4x$3:seed=2" \
        "zeros:f16:$2x$3" "$2" "$3" "$4" "$4" 1 "$3" 1 "$3" 1 "BM=$5" "BN=$6" "BK=$7" GROUP=4
}

widened() { # ARCH M N K BM BN BK: the first operand is made of bytes, in registers
    on "$1" tiled.tri c_ptr 2e-2 -grid='cdiv(M,BM)*cdiv(N,BN)' "randint:i8:$2x$4:seed=1,low=-9,high=9" \
        "randn:f16:$4x$3:seed=2" "zeros:f16:$2x$3" "$2" "$3" "$4" "$4" 1 "$3" 1 "$3" 1 "BM=$5" "BN=$6" "BK=$7" GROUP=4
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

@test "products that are smaller than the matrix instruction" {
    for size in "1 16 16" "16 1 32" "4 4 64" "8 32 16" "2 64 32" "16 2 16"; do
        set -- $size
        dots sm_80 f16 f32 "$1" "$2" "$3" tf32 False False 1e-3
        EXTRA=-num-warps=8 dots sm_80 f32 f32 "$1" "$2" "$3" tf32 False False 3e-2
        EXTRA=-num-warps=1 dots sm_90 f64 f64 "$1" "$2" "$3" ieee False False 1e-9
    done
    dots sm_80 i8 i32 4 8 32 tf32 False False 0
    dots sm_90 fp8e5 f32 1 8 64 tf32 False False 1e-3
}

operand() { # FORMAT ROWS COLUMNS SEED: e2m1 is packed along ROWS or COLUMNS, which are bytes then
    case $1 in
    e2m1) echo "randint:u8:$2x$3:seed=$4,low=0,high=256" ;;
    e4m3) echo "randn:fp8e4:$2x$3:seed=$4" ;;
    e5m2) echo "randn:fp8e5:$2x$3:seed=$4" ;;
    bf16) echo "randn:bf16:$2x$3:seed=$4" ;;
    fp16) echo "randn:f16:$2x$3:seed=$4" ;;
    esac
}

scaled() { # ARCH (native, or of the simulator) FORMAT_A FORMAT_B SCALE_A SCALE_B PACK_K_A PACK_K_B [SCALE THAT IS NAN]
    local m=32 n=64 k=64 am=32 ak=64 bk=64 bn=64 a b
    if [ "$2" = e2m1 ]; then [ "$6" = True ] && ak=32 || am=16; fi
    if [ "$3" = e2m1 ]; then [ "$7" = True ] && bk=32 || bn=32; fi
    a=$(operand "$2" $am $ak 1) b=$(operand "$3" $bk $bn 2)
    set -- "$1" "$a" "randint:u8:${m}x2:seed=3,low=124,high=130" "$b" "randint:u8:${n}x2:seed=4,low=124,high=130" \
        zeros:f32:${m}x$n $m $n $k "FA='$2'" "FB='$3'" "SA=$4" "SB=$5" "PA=$6" "PB=$7" "NAN=${8-0}"
    local arch=$1
    [ "$arch" = "$HOST_ARCH" ] || arch=sim:$arch
    shift
    TRITCC=$TRITRUN tritcc "$here/scaled.tri" -k scaled -o out=plain.npy "$@" PLAIN=True
    TRITCC=$TRITRUN tritcc "$here/scaled.tri" -k scaled "-arch=$arch" -expect out=@plain.npy -rtol=1e-4 -atol=1e-2 "$@" PLAIN=False
}

@test "products of scaled operands in every format" {
    for format in e2m1 e4m3 e5m2 bf16 fp16; do
        scaled sm_90 "$format" e2m1 True True True True
        scaled sm_89 e5m2 "$format" True False True True
        scaled sm_90 "$format" "$format" False True True True
    done
    scaled sm_80 e2m1 e2m1 True True True True
    scaled sm_80 bf16 e5m2 True True True True
}

@test "half bytes that are packed along the rows or columns" {
    scaled sm_80 e2m1 e2m1 True True False False
    scaled sm_90 e2m1 e4m3 False True False True
    scaled sm_80 bf16 e2m1 True True True False
    scaled "$HOST_ARCH" e2m1 e2m1 True True False False
    scaled "$HOST_ARCH" e2m1 e2m1 True False True False
    scaled "$HOST_ARCH" e2m1 e4m3 False True False True
    scaled "$HOST_ARCH" bf16 e2m1 True True True False
}

@test "scales for 16 half bytes, which are bytes of floats" {
    for arch in sm_90 sm_90a "$HOST_ARCH"; do
        for pack in True False; do
            set -- randint:u8:32x32:seed=1,low=0,high=256 randn:fp8e4:32x4:seed=3 randint:u8:32x64:seed=2,low=0,high=256 \
                randn:fp8e4:64x4:seed=4 zeros:f32:32x64 32 64 64 "FA='e2m1'" "FB='e2m1'" SA=True SB=True PA=$pack PB=$pack NAN=0 RUN=16
            [ $pack = True ] || set -- randint:u8:16x64:seed=1,low=0,high=256 "${@:2:1}" randint:u8:64x32:seed=2,low=0,high=256 "${@:4}"
            TRITCC=$TRITRUN tritcc "$here/scaled.tri" -k scaled -o out=plain.npy -arch=sim:sm_90 "$@" PLAIN=True
            local where=sim:$arch
            [ $arch = "$HOST_ARCH" ] && where=$HOST_ARCH
            TRITCC=$TRITRUN tritcc "$here/scaled.tri" -k scaled "-arch=$where" -expect out=@plain.npy -rtol=1e-4 -atol=1e-2 "$@" PLAIN=False
        done
    done
}

@test "a scale of 255 makes NaN of everything it scales" {
    scaled sm_80 e2m1 e5m2 True True True True 129
}

@test "products of warp groups: buffers, registers, stages, warps" {
    for stages in 1 2 3 4; do
        EXTRA=-num-stages=$stages tiled sm_90a 128 128 160 64 64 32
    done
    EXTRA=-num-warps=8 tiled sm_90a 128 128 64 128 64 64
    EXTRA=-num-warps=8 tiled sm_90a 72 136 40 64 64 32
    for warps in 4 8; do
        EXTRA=-num-warps=$warps on sm_90a attention.tri o_ptr 2e-2 -grid=1 randn:f16:128x64:seed=1 randn:f16:128x64:seed=2 \
            randn:f16:128x64:seed=3 zeros:f16:128x64 128 0.18 BM=128 BN=64 D=64
    done
}

@test "products of warp groups: a first operand made in registers, in halves of K" {
    for stages in 1 3 4; do
        EXTRA=-num-stages=$stages widened sm_90a 64 64 160 64 64 64
    done
    EXTRA=-num-warps=8 widened sm_90a 128 64 128 128 32 32
    widened sm_90a 64 64 48 64 64 16
    local bytes=64x256:low=-50,high=50,seed
    on sm_90a doubled.tri c_ptr 0 -grid=1 "randint:i8:$bytes=1" "randint:i8:$bytes=2" zeros:i32:64x64 64 64 256 BM=64 BN=64 BK=64 \
        ACC=tl.int32
    on sm_90a doubled.tri c_ptr 4e-2 -grid=1 randn:f32:64x256:seed=1 randn:f32:64x256:seed=2 zeros:f32:64x64 64 64 256 BM=64 BN=64 \
        BK=32 ACC=tl.float32
}

@test "products of warp groups: sums that are kept transposed" {
    for type in i8 f16; do
        local a=randn:f16:64x256:seed=1
        [ "$type" = f16 ] || a=randint:i8:64x256:seed=1,low=-9,high=9
        for stages in 1 3; do
            EXTRA=-num-stages=$stages on sm_90a turned.tri c_ptr 2e-2 -grid=1 "$a" randn:f16:256x32:seed=2 zeros:f16:32x64 \
                64 32 256 BM=64 BN=32 BK=64
        done
    done
}

@test "attention backward: chained products of warp groups, copies waited for an iteration early" {
    set -- "$SRCDIR/bench/gpu/kernels/attention_bwd.tri" -k attention_bwd_kernel -grid=1 randn:bf16:128x64:seed=1 \
        randn:bf16:128x64:seed=2 randn:bf16:128x64:seed=3 0.125 randn:bf16:128x64:seed=4 zeros:f32:128x64 zeros:f32:128x64 \
        zeros:f32:128x64 randint:f32:128:seed=5,low=16,high=24 randn:f32:128:seed=6 8192 64 1 128 32 128 128 32 2 64
    for causal in False True; do
        TRITCC=$TRITRUN tritcc "$@" $causal -arch="$HOST_ARCH" -o DQ=dq.npy -o DK=dk.npy -o DV=dv.npy
        for stages in 1 3 5; do
            TRITCC=$TRITRUN tritcc "$@" $causal -arch=sim:sm_90a -num-stages=$stages -rtol=3e-2 -atol=2e-2 -expect DQ=@dq.npy \
                -expect DK=@dk.npy -expect DV=@dv.npy
        done
    done
}

@test "products of warp groups: types and orders" {
    for turned in False True; do
        dots sm_90a f16 f32 64 64 32 ieee $turned False 1e-3
        dots sm_90a bf16 f32 128 32 32 ieee False $turned 1e-2
        dots sm_90a f32 f32 64 64 32 tf32 False $turned 2e-2
        dots sm_90a i8 i32 64 32 64 ieee False $turned 0
    done
    dots sm_90a f16 f16 64 64 32 ieee True True 2e-2
    dots sm_90a fp8e5 f32 64 16 64 tf32 False False 1e-3
    dots sm_90a f16 f32 64 8 32 ieee False False 1e-3
}

# words M N K BM BN BK WARPS STAGES STRIDES: a product of float32 by tf32, row-major or turned operands.
words() {
    local m=$1 n=$2 k=$3 grid=$((($1 + $4 - 1) / $4 * (($2 + $5 - 1) / $5)))
    set -- "$SRCDIR/bench/gpu/kernels/matmul.tri" -k matmul_kernel -grid=$grid "randn:f32:$((m * k)):seed=1" \
        "randn:f32:$((k * n)):seed=2" "zeros:f32:${m}x$n" "$m" "$n" "$k" ${9//,/ } "$n" 1 "$4" "$5" "$6" 2 -num-warps="$7" -num-stages="$8"
    TRITCC=$TRITRUN tritcc "$@" -arch="$HOST_ARCH" -o c_ptr=words.npy
    TRITCC=$TRITRUN tritcc "$@" -arch=sim:sm_90a -rtol=2e-2 -atol=5e-2 -expect c_ptr=@words.npy
}

@test "words of a row-major operand go through registers to products of warp groups" {
    for stages in 1 2 3 4; do
        words 72 136 40 64 64 16 4 $stages 40,1,136,1
    done
    words 72 136 8 64 64 32 4 3 8,1,136,1       # less than a block of K
    words 136 264 64 128 128 32 8 3 64,1,264,1  # two groups
    words 64 256 64 64 256 32 4 2 64,1,256,1
    words 64 64 96 64 64 32 4 3 1,64,1,96       # A runs along M
    words 64 64 96 64 64 32 4 3 1,64,64,1       # neither runs along K
}

@test "products that add to one sum are all transposed, or none" {
    cp "$SRCDIR/tests/exec/summed.tri" k.tri
    for how in "40 32 True" "64 16 False"; do
        set -- $how
        set -- k.tri "randn:f32:64x$((2 * $1)):seed=1" "randn:f32:$((2 * $1))x128:seed=2" zeros:f32:64x128 "$1" 64 128 "$2" "$3"
        TRITCC=$TRITRUN tritcc "$@" -arch="$HOST_ARCH" -o c_ptr=sum.npy
        for stages in 1 2 3; do
            TRITCC=$TRITRUN tritcc "$@" -arch=sim:sm_90a -num-stages=$stages -rtol=2e-2 -atol=5e-2 -expect c_ptr=@sum.npy
        done
    done
    tritcc -arch=sm_90a -emit=ttgir=k.mlir -sig '*fp32:16,*fp32:16,*fp32:16,i32,64,128,32,True' k.tri
    [ "$(grep -c 'ttng.warp_group_dot %' k.mlir)" -eq 4 ]
    ! grep -q 'tt.dot ' k.mlir || false
    # one layout of sums in the loop
    ! sed -n '/scf.for/,/scf.yield/p' k.mlir | grep -q convert_layout || false
}

@test "operands of 8 and 32 bits that do not run along K, on warp groups: transposed products" {
    for trans in "False False" "True False" "False True" "True True"; do
        set -- $trans
        for warps in 4 8; do
            EXTRA=-num-warps=$warps dots sm_90a f32 f32 64 128 32 tf32 "$1" "$2" 3e-2
            EXTRA=-num-warps=$warps dots sm_90a i8 i32 128 64 64 tf32 "$1" "$2" 0
            EXTRA=-num-warps=$warps dots sm_90a fp8e5 f32 64 256 128 tf32 "$1" "$2" 1e-3
        done
    done
    dots sm_90a f32 f32 64 64 8 tf32 False False 3e-2
    dots sm_90a i8 i32 8 128 32 tf32 False False 0
    dots sm_90a fp8e4 f32 16 64 32 tf32 False False 1e-3
}

# along KERNEL TYPE OUT M N K GRID TOLERANCE ARG...: of tests/exec/along_n.tri
along() {
    local kernel=$1 a="randn:$2:$4x$6:seed=1" b="randn:$2:$6x$5:seed=2"
    if [ "$2" = i8 ]; then
        a="randint:i8:$4x$6:seed=1,low=-100,high=100" b="randint:i8:$6x$5:seed=2,low=-100,high=100"
    fi
    local out="full:$3:$4x$5:value=77" grid=$7 tolerance=$8 sizes="$4 $5 $6"
    shift 8
    on sm_90a along_n.tri c_ptr "$tolerance" -k "$kernel" "-grid=$grid" "$a" "$b" "$out" $sizes "$@"
}

@test "transposed products in loops: any number of stages and trips, tails, sums that the loop uses" {
    for stages in 1 2 4; do
        export EXTRA="-num-stages=$stages -num-warps=8"
        along bytes i8 i32 144 272 336 2,2 0 128 256 128 False
        along bytes i8 i32 80 144 96 2,2 0 64 128 64 True
        along decayed f32 f32 100 212 72 3 3e-2 64 64 16
        along described f32 f32 132 272 96 2,2 3e-2 128 256 32
        along described fp8e5 f32 144 272 400 2,3 2e-3 128 128 128
    done
    export EXTRA="-num-stages=3 -num-warps=4"
    along bytes i8 i32 64 64 0 1,1 0 64 64 64 False
    along described f32 f32 68 132 8 2,3 3e-2 64 64 32
    along described f32 f32 20 132 200 1,3 3e-2 64 64 32
}

@test "transposed products are said, and can be left out" {
    local types='*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, 64, 128, 32'
    "$BUILDDIR/tritcc" -arch=sm_90a -k described -sig "$types" -Rpass=dot -S "$here/along_n.tri" -o /dev/null \
        -fswap-operands 2>said
    grep -q 'B comes from registers, as the first operand of the transposed product' said
    "$BUILDDIR/tritcc" -arch=sm_90a -k described -sig "$types" -Rpass=dot -S "$here/along_n.tri" -o k.ptx \
        -fno-swap-operands 2>said
    ! grep -q 'comes from registers' said || false
    ! grep -q wgmma.mma_async k.ptx || false
}

@test "consumers load the registers of the next iteration under the last product of this one" {
    local types='*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, 128, 256, 32'
    "$BUILDDIR/tritcc" -arch=sm_90a -num-warps=8 -num-stages=4 -k described -sig "$types" -emit=ttgir=k.ttgir "$here/along_n.tri"
    awk '/scf.for/ { on = /tensor<256x16xf32/ } /scf.yield.*, i32/ { on = 0 }
        on && match($0, /warp_group_dot_wait|warp_group_dot|local_load|wait_barrier|arrive_barrier/) { print substr($0, RSTART, RLENGTH) }' \
        k.ttgir >order
    printf '%s\n' wait_barrier warp_group_dot local_load arrive_barrier warp_group_dot_wait warp_group_dot wait_barrier local_load \
        warp_group_dot_wait arrive_barrier | diff - order
}

@test "maps of what only tf32 products read round as they copy" {
    local types='*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, 64, 64, 32'
    set -- a_ptr=randn:f32:64x512:seed=5 b_ptr=randn:f32:512x64:seed=6 c_ptr=zeros:f32:64x64 64 64 512
    "$TRITRUN" -arch="$HOST_ARCH" -k described -o c_ptr=exact.npy "$here/along_n.tri" "$@" 64 64 32
    "$BUILDDIR/tritcc" -arch=sm_90a -k described -sig "$types" -emit=ttgir=k.ttgir "$here/along_n.tri"
    [ "$(grep -c 'tensormap_create.*elem_type = 11' k.ttgir)" = 2 ]
    "$TRITRUN" -arch=sim:sm_90a -expect c_ptr=@exact.npy -rtol=0 -atol=3e-2 k.ttgir "$@"
    "$BUILDDIR/tritcc" -arch=sm_90a -fno-tma -k described -sig "$types" -emit=ttgir=k.ttgir "$here/along_n.tri"
    ! grep -q tensormap_create k.ttgir || false
    ! "$TRITRUN" -arch=sim:sm_90a -expect c_ptr=@exact.npy -rtol=0 -atol=3e-2 k.ttgir "$@" || false
}
