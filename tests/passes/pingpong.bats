#!/usr/bin/env bats
# Waves that take turns (block-pingpong), on the simulator, whose waves run apart as the barriers let them: the numbers are
# those of the host, and a barrier too few shows, though it would not if all waves ran in step.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
kernel=$SRCDIR/tests/passes/differential.tri

# run_product M N K STEP WARPS: on the host into right.npy, then GPU code into turns.ttgir, and on the simulator.
run_product() {
    arguments=("randint:f16:$1x$3:seed=1,low=-5,high=5" "randint:f16:$3x$2:seed=2,low=-5,high=5" "c=zeros:f32:$1x$2" "$3" "$3" "$2" "$2")
    "$TRITRUN" -k product -DBM="$1" -DBN="$2" -DBK="$4" -DPREC="'ieee'" -DTRANS=False -o c=right.npy "$kernel" "${arguments[@]}"
    tritcc -k product -arch=gfx942 -num-warps="$5" -emit=ttgir=turns.ttgir \
        -sig "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, $1, $2, $4, 'ieee', False" "$kernel"
    on_simulator turns.ttgir -expect=c=@right.npy
}
on_simulator() { "$TRITRUN" -arch=sim:gfx942 "$@" "${arguments[@]}"; }

@test "halves of blocks take turns in two and in four clusters" {
    run_product 256 128 192 64 8
    [ "$(grep -c 'tt.dot ' turns.ttgir)" = 2 ]
    [ "$(grep -c 'amdg.cond_barrier' turns.ttgir)" = 2 ]
    run_product 256 256 192 64 8
    [ "$(grep -c 'tt.dot ' turns.ttgir)" = 4 ]
    [ "$(grep -c 'amdg.cond_barrier' turns.ttgir)" = 2 ]
}

@test "blocks of four waves have one cluster of each kind, and no halves" {
    run_product 128 64 128 32 4
    grep -q 'rocdl.s.setprio' turns.ttgir
    ! grep -q 'amdg.cond_barrier' turns.ttgir || false
}

@test "-fno-block-pingpong leaves all waves alike" {
    run_product 256 128 192 64 8
    tritcc -k product -arch=gfx942 -num-warps=8 -fno-block-pingpong -emit=ttgir=alike.ttgir \
        -sig "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 256, 128, 64, 'ieee', False" "$kernel"
    ! grep -q 'cond_barrier\|s.setprio' alike.ttgir || false
    on_simulator alike.ttgir -expect=c=@right.npy
    tritcc -k product -arch=gfx942 -num-warps=8 -fno-block-pingpong -fblock-pingpong -emit=ttgir=last.ttgir \
        -sig "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 256, 128, 64, 'ieee', False" "$kernel"
    cmp last.ttgir turns.ttgir
    "$TRITRUN" -arch=sim:gfx942 -k product -num-warps=8 -fno-block-pingpong -DBM=256 -DBN=128 -DBK=64 -DPREC="'ieee'" \
        -DTRANS=False -expect=c=@right.npy "$kernel" "${arguments[@]}"
}

@test "each barrier of halves that take turns is needed" {
    local line
    run_product 256 128 256 64 8
    sed '/amdg.cond_barrier/d' turns.ttgir >step.ttgir
    on_simulator step.ttgir -expect=c=@right.npy
    for line in $(grep -nE 'ttg.barrier|rocdl.s.barrier|amdg.cond_barrier' turns.ttgir | cut -d: -f1); do
        sed "${line}d" turns.ttgir >without.ttgir
        ! on_simulator without.ttgir >said 2>&1 || false
        grep -E 'shared memory race|barrier divergence|uninitialised shared memory' said
    done
}
