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

matmul='*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1'
for type in fp16 bf16; do
    build matmul_$type "$here/kernels/matmul.tri" -num-warps=8 -num-stages=3 \
        -sig "$(echo "$matmul" | sed "s/fp16/$type/g"),128,256,64,8"
done
build matmul_odd "$here/kernels/matmul.tri" -num-warps=4 -num-stages=2 \
    -sig '*fp16,*fp16,*fp16,i32,i32,i32,i32,1,i32,1,i32,1,64,64,32,4'
build matmul_fp32 "$here/kernels/matmul.tri" -num-warps=8 -num-stages=3 \
    -sig "$(echo "$matmul" | sed "s/fp16/fp32/g"),128,128,32,8"
for causal in False True; do
    build attention_$causal "$here/kernels/attention.tri" -k attention_kernel -num-warps=8 -num-stages=3 \
        -sig "*bf16:16,*bf16:16,*bf16:16,*bf16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32,i32:16,128,128,64,$causal,tl.bfloat16"
done
