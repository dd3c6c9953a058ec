#!/bin/bash
# Allocation N of a compilation, and every one from N, finds no memory in one thread while another compiles: for N from 1
# to LAST by STEP, in processes of 200 each (a context that died keeps what it had). faults.sh MEMORY LAST STEP [JOBS];
# MEMORY is tests/driver/library_memory.c. The kernel makes more than 50,000 allocations.
set -u
memory=$1 last=$2 step=$3 jobs=${4:-$(nproc)}
file=$(dirname "$0")/../../examples/attention/attention.tri
options="-arch=sm_90a -sig '*fp16:16, *fp16:16, *fp16:16, *fp16:16, fp32, i32, i32, 64, 64, 64, True' -emit=ttir,ttgir,llir,ptx"
made=$("$memory" count 1 1 "$options" "$file")
[ "$made" -gt 50000 ] || { echo "a compilation makes $made allocations, not 50,000"; exit 1; }
seq 1 $((200 * step)) "$last" | while read -r first; do
    end=$((first + 200 * step - 1))
    printf '%s\0' "$first $((end < last ? end : last))"
done | xargs -0 -P "$jobs" -I{} bash -c '
    timeout 300 "$2" $1 "$3" "$4" "$5" || { echo "allocations $1: status $?"; exit 255; }' \
    - {} "$memory" "$step" "$options" "$file"
