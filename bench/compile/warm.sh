#!/bin/sh
# Warm compilation in one process through libtritcc.so.0 (made by `make lib`):   bench/compile/warm.sh [THREADS]
# Limits: vadd 3 ms, softmax 6, product 128x256x64 30, attention 40; 1,000 kernels less than 100 MB; 8 threads on 8 cores 6
# times as fast as one.
# For a machine without compilers, warm.sh -p FILE.tar.gz packs all that it takes; there: tar xf FILE.tar.gz && warm/warm.sh
if [ -x "$(dirname "$0")/warm" ]; then # unpacked
    cd "$(dirname "$0")" || exit 1
    program=./warm
else
    build=$(realpath "${BUILDDIR:-$PWD}")
    file=$([ "${1-}" != -p ] || realpath "${2:?FILE.tar.gz}") || exit 1
    cd "$(dirname "$0")/../.." || exit 1
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    mkdir "$work/warm" && program=$work/warm/warm
    cc -O2 -I. -o "$program" bench/compile/warm.c "$build/libtritcc.so.0" "-Wl,-rpath,\$ORIGIN:$build" -lpthread || exit 1
fi
kernels='examples/vadd/vadd.tri examples/softmax/softmax.tri examples/attention/attention.tri
    bench/gpu/kernels/matmul.tri bench/gpu/kernels/attention.tri'
if [ "${1-}" = -p ]; then
    # shellcheck disable=SC2086
    cp --parents $kernels "$work/warm/" && cp bench/compile/warm.sh "$build/libtritcc.so.0" "$work/warm/" || exit 1
    tar -C "$work" -czf "$file" warm
    exit
fi
arch='-arch=sm_90a -emit=ptx'
"$program" "${1:-$(nproc)}" \
    examples/vadd/vadd.tri "$arch -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024'" \
    examples/softmax/softmax.tri "$arch -sig '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2'" \
    bench/gpu/kernels/matmul.tri "$arch -num-warps=8 -num-stages=3 -sig 'matmul_kernel(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8)'" \
    examples/attention/attention.tri "$arch -sig '*fp16:16, *fp16:16, *fp16:16, *fp16:16, fp32, i32, i32, 64, 128, 64, True'" \
    bench/gpu/kernels/attention.tri "$arch -num-warps=4 -num-stages=3 -sig 'attention_kernel(*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, fp32, i32:16, i32:16, i32:16, i32, i32:16, 64, 128, 64, True, tl.float16)'"
