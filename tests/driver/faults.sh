#!/bin/bash
# Allocation N of a compilation, and every one from N, finds no memory in one thread while another compiles:
# faults.sh MEMORY STEP LAST LONG_STEP [JOBS]. First each STEP-th N of a small kernel, to the last one that its
# compilation makes; then each LONG_STEP-th N to LAST of a kernel that makes more than 50,000. In processes of 200 each (a
# context that died keeps what it had); MEMORY is tests/driver/library_memory.c.
set -u
memory=$1 step=$2 last=$3 long_step=$4 jobs=${5:-$(nproc)}
file=$(dirname "$0")/../../examples/attention/attention.tri
options="-arch=sm_90a -sig '*fp16:16, *fp16:16, *fp16:16, *fp16:16, fp32, i32, i32, 128, 64, 64, True' -emit=ttir,ttgir,llir,ptx"

# sweep STEP LAST [OPTIONS FILE]
sweep() {
    local first end step=$1 last=$2
    seq 1 $((200 * step)) "$last" | while read -r first; do
        end=$((first + 200 * step - 1))
        printf '%s\0' "$first $((end < last ? end : last))"
    done | xargs -0 -P "$jobs" -I{} bash -c '
        timeout 900 "$2" $1 "${@:3}" || { echo "allocations $1: status $?"; exit 255; }' \
        - {} "$memory" "$step" "${@:3}"
}

sweep "$step" "$("$memory" count 1 1)" || exit 1
made=$("$memory" count 1 1 "$options" "$file")
[ "$made" -gt 50000 ] || { echo "a compilation makes $made allocations, not 50,000"; exit 1; }
sweep "$long_step" "$last" "$options" "$file"
