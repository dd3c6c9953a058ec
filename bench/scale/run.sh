#!/bin/bash
# How the time of the passes grows with the kernel: each kernel's body 1 to 64 times.
#
#     bench/scale/run.sh [-arch=ARCH] [KERNEL...]
#
# Columns: copies, operations after the front end, milliseconds of the ttir and ttgir passes (the
# least of RUNS runs, default 5), microseconds for an operation, and the pass that took most.
set -eu
: "${TRITCC:=tritcc}" "${RUNS:=5}"
arch=-arch=sm_80
case ${1-} in -arch=*)
    arch=$1
    shift
    ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
declare -A signature=(
    [rows]='*fp32:16, *fp32:16, i32:16' [chain]='*fp32:16, *fp32:16' [transposes]='*fp32:16, *fp32:16, i32:16'
    [loops]='*fp16:16, *fp16:16, *fp32:16, i32:16' [carried]='*fp32:16, *fp32:16, i32')
[ $# -gt 0 ] || set -- rows chain transposes loops carried

for kernel; do
    printf '%-12s %6s %8s %10s %8s  %s\n' "$kernel" copies ops ms us/op "slowest pass"
    for n in 1 2 4 8 16 32 64; do
        options=(-k "$kernel" -sig "${signature[$kernel]}, $n" "$arch" "$here/kernels.tri")
        ops=$("$TRITCC" -passes= "${options[@]}" | grep -cE '^ .*[a-z]+\.[a-z_]+')
        for _ in $(seq "$RUNS"); do
            "$TRITCC" -emit=ttgir=/dev/null -ftime-report "${options[@]}" 2>&1 | awk '
                $3 == "ttir" || $3 == "ttgir" { sum += $1; inside = 1; next }
                $3 == "total" { inside = 0 }
                inside && $1 > most { most = $1; name = $3 }
                END { print sum, name, most }'
        done | sort -n | head -1 | {
            read -r ms pass most
            awk -v n="$n" -v ops="$ops" -v ms="$ms" -v pass="$pass" -v most="$most" \
                'BEGIN { printf "%-12s %6d %8d %10.2f %8.2f  %s %.2f\n", "", n, ops, ms, ms * 1000 / ops, pass, most }'
        }
    done
done
