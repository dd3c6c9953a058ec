#!/bin/sh
# Warm compilation in one process through libtritcc.so.0 (made by `make lib`):   bench/compile/warm.sh [THREADS]
# Limits: vadd 3 ms, softmax 6, product 128x256x64 30, attention 40; 1,000 kernels less than 100 MB.
build=${BUILDDIR:-$PWD}
cd "$(dirname "$0")/../.." || exit 1
program=$(mktemp) || exit 1
trap 'rm -f "$program"' EXIT
cc -O2 -I. -o "$program" bench/compile/warm.c "$build/libtritcc.so.0" -Wl,-rpath,"$build" -lpthread || exit 1
arch='-arch=sm_90a -emit=ptx'
"$program" "${1:-$(nproc)}" \
    examples/vadd/vadd.tri "$arch -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024'" \
    examples/softmax/softmax.tri "$arch -sig '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2'" \
    bench/gpu/kernels/matmul.tri "$arch -num-warps=8 -num-stages=3 -sig 'matmul_kernel(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8)'" \
    bench/gpu/kernels/attention.tri "$arch -num-warps=4 -num-stages=3 -sig 'attention_kernel(*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, fp32, i32:16, i32:16, i32:16, i32, i32:16, 64, 128, 64, True, tl.float16)'"
