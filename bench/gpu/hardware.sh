#!/bin/sh
# What only a GPU shows, in two parts: hardware.sh build TRITCC ARCH OUTDIR (anywhere, with the CUDA Toolkit's libdevice),
# then hardware.sh run OUTDIR TRITRUN on a machine with a GPU. Prints "ok" or "not ok" per check; status 1 when one failed.
set -e
here=$(dirname "$(realpath "$0")")

build() { # TRITCC ARCH OUTDIR
    tritcc=$(realpath "$1") arch=$2
    mkdir -p "$3"
    cd "$3"
    one() { # KERNEL SIGNATURE OPTION...
        name=$1 types=$2
        shift 2
        "$tritcc" -arch="$arch" -k "$name" -sig "$types" "$@" "-emit=obj=$name.o,header=$name.h" "$here/hardware/kernels.tri"
    }
    one producer '*i32:16,*i64:16,i32,128'
    one consumer '*i32:16,*i32:16,*i64:16,128'
    one consumer_early '*i32:16,*i32:16,*i64:16,128' -launch-pdl
    one meet '*i32:16,*i32:16,*i32:16,i32,128' -launch-cooperative
    one special '*fp32:16,*fp32:16,i32,256' -extern-lib=libdevice="${LIBDEVICE:-/usr/local/cuda/nvvm/libdevice/libdevice.10.bc}"
    "$tritcc" -arch="$arch" -sig '*fp32,*fp32,*fp32,i32,1024' -emit=obj=vadd.o,header=vadd.h "$here/../../examples/vadd/vadd.tri"
    cc -O1 -std=gnu17 -Wall -Wextra -I. "$here/hardware/main.c" ./*.o -o hardware -lpthread -ldl -lm
}

status=0

# same KERNEL RESULT TOLERANCE RATE ARG...: tritrun on the GPU gives what it gives on the host, and is timed.
same() {
    name=$1 result=$2 tolerance=$3 rate=$4
    shift 4
    "$tritrun" "$@" -arch=native -o "$result=host.npy"
    if "$tritrun" "$@" -arch=cuda -expect "$result=@host.npy" "-rtol=$tolerance" "-atol=$tolerance" &&
        time=$("$tritrun" "$@" -arch=cuda -bench "$rate"); then
        echo "ok tritrun: $name is the host's; $time"
    else
        echo "not ok tritrun: $name"
        status=1
    fi
}

run() { # OUTDIR TRITRUN
    tritrun=$(realpath "$2") gpu=$here/kernels tests=$here/../../tests/exec examples=$here/../../examples
    "$1/hardware" || status=1
    work=$(mktemp -d)
    cd "$work"
    n=16000000
    same vadd output_ptr 0 "-bytes=12*$n" "$examples/vadd/vadd.tri" randn:f32:$n randn:f32:$n:seed=2 empty:f32:$n $n 1024 -grid="cdiv($n,1024)"
    same softmax output_ptr 1e-5 -bytes=8*512*1000 "$examples/softmax/softmax.tri" empty:f32:512x1000 randn:f32:512x1000 1000 1000 512 1000 1024 2 -grid=64
    same layernorm Y 1e-4 -bytes=8*512*1000 "$examples/layernorm/layernorm.tri" randn:f32:512x1000 empty:f32:512x1000 randn:f32:1000:seed=3 \
        randn:f32:1000:seed=4 empty:f32:512 empty:f32:512 1000 1000 1e-5 1024 -grid=512
    same "the fp16 product" c_ptr 2e-2 -flops=2*256*512*192 "$gpu/matmul.tri" randn:f16:256x192 randn:f16:192x512 zeros:f16:256x512 256 512 192 192 1 512 1 512 1 \
        128 256 64 8 -num-warps=8 -grid=4
    same "a product of odd sizes" c_ptr 2e-2 -flops=2*173*131*97 "$gpu/matmul.tri" randn:f16:173x97 randn:f16:97x131 zeros:f16:173x131 173 131 97 97 1 131 1 131 1 \
        64 64 32 4 -grid=9
    same attention o_ptr 2e-2 -flops=4*256*256*64 "$tests/attention.tri" randn:f16:256x64 randn:f16:256x64:seed=2 randn:f16:256x64:seed=3 zeros:f16:256x64 \
        256 0.18 BM=128 BN=64 D=64 -grid=2
    if "$tritrun" "$examples/vadd/vadd.tri" -arch=cuda -launch-pdl -launch-cooperative ones:f32:64 ones:f32:64 empty:f32:64 64 64 -print output_ptr |
        grep -q ' 2 2 2'; then
        echo "ok tritrun: dependent and cooperative launches"
    else
        echo "not ok tritrun: dependent and cooperative launches"
        status=1
    fi
    rm -rf "$work"
}

command=$1
shift
case $command in
build) build "$@" ;;
run) run "$@" ;;
*)
    sed -n 2,3p "$0"
    exit 2
    ;;
esac
exit $status
