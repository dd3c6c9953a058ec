# Atomic operations on the simulated GPU and the instructions that they are made of.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/exec

run_on() { # ARCH ARG...
    local arch=$1
    shift
    TRITCC=$TRITRUN tritcc "$here/atomics.tri" "-arch=$arch" "$@"
}

sums() { # TYPE SIZE OLD
    local file=@
    [ "$1" = bf16 ] && file=bf16:@
    set -- -k sums -grid='cdiv(n, BLOCK)' "randn:$1:$2:seed=1" "randn:$1:$2:seed=2" "zeros:$1:$2" "$2" "OLD=$3" BLOCK=256
    run_on "$HOST_ARCH" "$@" -o sum_ptr=sum.npy -o old_ptr=old.npy
    for arch in sm_80 sm_90; do
        run_on "sim:$arch" "$@" -num-warps=1 -expect "sum_ptr=${file}sum.npy" -expect "old_ptr=${file}old.npy" -rtol=0 -atol=0
    done
}

@test "sums in packs are those of single elements" {
    for type in f16 bf16 f32 f64; do
        sums "$type" 512 True
        sums "$type" 512 False
        sums "$type" 300 True
        sums "$type" 301 True
    done
}

@test "neighbouring sums share an instruction where the architecture has one" {
    ptx() { # ARCH TYPE HINT_OF_N OLD: what the instruction is
        tritcc "-arch=$1" -num-warps=1 -emit=ptx=- -k sums -sig "*$2:16, *$2:16, *$2:16, i32$3, $4, 256" "$here/atomics.tri" >/dev/null
        grep -oE '(atom|red)[.]global[^ ]*' .out | sort -u
    }
    [ "$(ptx sm_80 fp16 :16 True)" = atom.global.gpu.relaxed.add.noftz.f16x2 ]
    [ "$(ptx sm_80 fp16 "" True)" = atom.global.gpu.relaxed.add.noftz.f16 ]
    [ "$(ptx sm_80 fp32 :16 False)" = red.global.gpu.relaxed.add.f32 ]
    [ "$(ptx sm_90 fp16 :16 True)" = atom.global.gpu.relaxed.add.noftz.v4.f16x2 ]
    [ "$(ptx sm_90 bf16 :16 False)" = red.global.gpu.relaxed.add.noftz.v4.bf16x2 ]
    [ "$(ptx sm_90 bf16 "" True)" = atom.global.gpu.relaxed.add.noftz.bf16 ]
    [ "$(ptx sm_90 fp32 :16 False)" = red.global.gpu.relaxed.add.v4.f32 ]
}

@test "ptxas takes every form of a sum" {
    need ptxas
    for arch in sm_80 sm_90; do
        for type in fp16 bf16 fp32 fp64 i32; do
            for hint in "" :16; do
                for old in True False; do
                    tritcc "-arch=$arch" -emit=cubin=k.cubin -k sums -sig "*$type:16, *$type:16, *$type:16, i32$hint, $old, 512" \
                        -num-warps=1 "$here/atomics.tri"
                done
            done
        done
    done
}

@test "waiting for memory, with and without an end" {
    for arch in "$HOST_ARCH" sim:sm_80 sim:sm_90; do
        run_on "$arch" -k waits -grid=4 zeros:i32:1 zeros:i32:64 3 -print out_ptr -print-limit 2 -num-warps=2
        [[ $output == *" 2 2"* ]]
    done
}

@test "waiting for what no program does is reported" {
    TRITCC=$TRITRUN tritcc -1 "$here/atomics.tri" -arch=sim:sm_80 -k waits -grid=1 full:i32:1:value=7 zeros:i32:64 0
    [[ $errors == *"atomics.tri:"*"error: endless wait (sleep)"* ]]
}
