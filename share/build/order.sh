#!/bin/sh
# Prints the functions that compilations call, in the order of their first calls: order.sh PROGRAM SOURCE, where PROGRAM
# is tritcc with order.c linked in and SOURCE the folder of its sources. What every kernel needs comes first.
set -eu
program=$1 examples=$2/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# calls ARGUMENT...: adds what a run calls; the same each time, where addresses can be.
fixed=$(setarch -R true 2>/dev/null && echo setarch -R) || :
calls() { TRITCC_ORDER=$folder/order $fixed "$program" "$@" >"$folder/output"; }

vadd='*fp32:16, *fp32:16, *fp32:16, i32, 1024'
softmax='*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2'
layernorm='*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024'
matmul='*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32, i32:16, i32, i32:16, i32, 64, 64, 32, 8'
calls --version
calls -arch=sm_90a -emit=ptx=- "$examples/vadd/vadd.tri" -sig "$vadd"
calls -arch=sm_90a -emit=ptx=- "$examples/softmax/softmax.tri" -sig "$softmax"
calls -arch=sm_90a -emit=ptx=- "$examples/layernorm/layernorm.tri" -sig "$layernorm"
calls -arch=sm_90a -emit=ptx=- "$examples/matmul/matmul.tri" -sig "$matmul"
calls -arch=sm_80 -emit=ptx=- "$examples/matmul/matmul.tri" -sig "$matmul"
calls -arch=x86-64-v3 -emit=obj=- "$examples/vadd/vadd.tri" -sig "$vadd"
calls -arch=x86-64-v3 -emit=obj=- "$examples/layernorm/layernorm.tri" -sig "$layernorm"
calls -arch=gfx942 -emit=amdgcn=- "$examples/softmax/softmax.tri" -sig "$softmax"
calls -arch=gfx942 -emit=amdgcn=- "$examples/matmul/matmul.tri" -sig "$matmul"
calls -arch=gfx1100 -emit=amdgcn=- "$examples/softmax/softmax.tri" -sig "$softmax"
calls -arch=gfx1100 -emit=amdgcn=- "$examples/matmul/matmul.tri" -sig "$matmul"
calls -arch=gfx942 -emit=amdgcn=- "$examples/layernorm/layernorm.tri" -sig "$layernorm"
awk '!seen[$0]++' "$folder/order"
