#!/bin/sh
# Compiles the kernels that run.py measures: build.sh TRITCC ARCH OUTDIR
# Leaves one shared library per kernel: launcher and device code, nothing else.
set -e
tritcc=$1 arch=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
mkdir -p "$out"

build() { # NAME SOURCE OPTIONS...
    name=$1 source=$2
    shift 2
    "$tritcc" -c "$source" -arch="$arch" "$@" -o "$out/$name.o"
    "$tritcc" -emit=ptx="$out/$name.ptx" "$source" -arch="$arch" "$@"
    cc -shared -o "$out/$name.so" "$out/$name.o" -lpthread -ldl
}

build vadd "$top/examples/vadd/vadd.tri" -sig 'add_kernel(*fp32:16, *fp32:16, *fp32:16, i32:16, 1024)'
build vadd_tail "$top/examples/vadd/vadd.tri" -sig 'add_kernel(*fp32, *fp32, *fp32, i32, 1024)'
build softmax "$top/examples/softmax/softmax.tri" -num-warps=16 \
    -sig 'softmax_kernel(*fp32:16, *fp32:16, i32:16, i32:16, i32, i32:16, BLOCK_SIZE=8192, num_stages=2)'
build softmax_odd "$top/examples/softmax/softmax.tri" -num-warps=4 \
    -sig 'softmax_kernel(*fp32, *fp32, i32, i32, i32, i32, BLOCK_SIZE=1024, num_stages=2)'
build layernorm "$top/examples/layernorm/layernorm.tri" -num-warps=8 \
    -sig '_layer_norm_fwd_fused(*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, BLOCK_SIZE=8192)'
build layernorm_odd "$top/examples/layernorm/layernorm.tri" -num-warps=4 \
    -sig '_layer_norm_fwd_fused(*fp32, *fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, fp32, BLOCK_SIZE=256)'
