#!/bin/bash
# Compile times of tritcc, and of Triton when a python with it is named: medians of RUNS processes.
#   bench/compile/run.sh BUILDDIR [PYTHON]
# tritcc is timed as a process, start to exit. Triton is timed inside one process, cache cleared, with
# the time to start and import shown apart. KERNELS='matmul attention' takes some of the kernels only. Where time is noisy,
# COUNT=1 shows the instructions that the process executes instead of its time (valgrind).
set -eu
build=$(cd "${1:?BUILDDIR}" && pwd)
python=${2-}
source=$(cd "$(dirname "$0")/../.." && pwd)
runs=${RUNS:-31}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# median COMMAND...: milliseconds of wall time, one decimal.
median() {
    local i begin
    for i in $(seq "$runs"); do
        begin=${EPOCHREALTIME/./}
        "$@" >/dev/null 2>&1
        echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n | sed -n "$(((runs + 1) / 2))p" | awk '{printf "%.1f", $1 / 1000}'
}

# instructions COMMAND...: executed by the process itself, in millions.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/Collected/ { printf "%.1f", $NF / 1e6 }'
}

# measure NAME COMMAND...
measure() {
    if [ -n "${COUNT-}" ]; then
        printf '%-34s %8s M instructions\n' "$1" "$(instructions "${@:2}")"
    else
        row "$1" "$(median "${@:2}")"
    fi
}

row() { printf '%-34s %8s ms\n' "$1" "$2"; }

vadd=("$source/examples/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024')
softmax=("$source/examples/softmax/softmax.tri" -sig '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2')
layernorm=("$source/examples/layernorm/layernorm.tri" -sig '*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024')
# The tutorials' shapes, as bench/gpu has them.
matmul=("$source/bench/gpu/kernels/matmul.tri" -num-warps=8 -num-stages=3 -sig
    'matmul_kernel(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8)')
attention=("$source/bench/gpu/kernels/attention.tri" -num-warps=4 -num-stages=3 -sig
    'attention_kernel(*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, fp32, i32:16, i32:16, i32:16, i32, i32:16, 64, 128, 64, True, tl.float16)')
kernels=${KERNELS:-vadd softmax layernorm matmul attention}
measure "start and end a process (true)" /bin/true
measure "tritcc --version" "$build/tritcc" --version
for kernel in $kernels; do
    declare -n options=$kernel
    measure "tritcc $kernel -> ttir" "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=ttir=k.ttir
    measure "tritcc $kernel -> ptx" "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=ptx=k.ptx
    if [ -z "${COUNT-}" ] && "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=cubin=k.cubin 2>/dev/null; then
        measure "tritcc $kernel -> cubin" "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=cubin=k.cubin
    fi
    measure "tritcc $kernel -> host object" "$build/tritcc" "${options[@]}" -c -o k.o
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f %M "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=ptx=k.ptx 2>memory
        printf '%-34s %8s MB\n' "tritcc $kernel -> ptx, memory" "$(awk '{printf "%.0f", $1 / 1024}' memory)"
    fi
done
[ -z "$python" ] || "$python" "$source/bench/compile/with_triton.py" "$source" "$runs"
