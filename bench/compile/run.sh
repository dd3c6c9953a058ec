#!/bin/bash
# Compile times of tritcc, and of Triton when a python with it is named: medians of RUNS processes.
#   bench/compile/run.sh BUILDDIR [PYTHON]
# tritcc is timed as a process, start to exit. Triton is timed inside one process, cache cleared, with
# the time to start and import shown apart.
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

row() { printf '%-34s %8s ms\n' "$1" "$2"; }

vadd=("$source/examples/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024')
softmax=("$source/examples/softmax/softmax.tri" -sig '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2')
layernorm=("$source/examples/layernorm/layernorm.tri" -sig '*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024')
row "start and end a process (true)" "$(median /bin/true)"
row "tritcc --version" "$(median "$build/tritcc" --version)"
for kernel in vadd softmax layernorm; do
    declare -n options=$kernel
    row "tritcc $kernel -> ttir" "$(median "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=ttir=k.ttir)"
    row "tritcc $kernel -> ptx" "$(median "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=ptx=k.ptx)"
    row "tritcc $kernel -> host object" "$(median "$build/tritcc" "${options[@]}" -c -o k.o)"
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f %M "$build/tritcc" "${options[@]}" -arch=sm_90a -emit=ptx=k.ptx 2>memory
        printf '%-34s %8s MB\n' "tritcc $kernel -> ptx, memory" "$(awk '{printf "%.0f", $1 / 1024}' memory)"
    fi
done
[ -z "$python" ] || "$python" "$source/bench/compile/with_triton.py" "$source/examples" "$runs"
