#!/bin/bash
# Counts what costs time in the ttgir of a set of kernels: layout conversions left, barriers, bytes of
# shared memory, and the elements per thread of global accesses, beside another compiler's ttgir.
#
#     bench/ir-quality/run.sh [-arch=ARCH] FOLDER
#
# Each FOLDER/X.ttir is compiled; FOLDER/X.ttgir, if it is there, is the other compiler's result.
set -u
: "${TRITCC:=tritcc}"
arch=-arch=sm_80
case ${1-} in -arch=*)
    arch=$1
    shift
    ;;
esac
[ $# -eq 1 ] || { echo "usage: $0 [-arch=ARCH] FOLDER" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count() { grep -cE "$1" "$2"; }

# Mean of the size per thread of the layouts that loads and stores have.
width() {
    awk '
        match($0, /^#[a-z0-9_]+ = #ttg.blocked<\{sizePerThread = \[[0-9, ]*\]/) {
            name = $1
            text = substr($0, RSTART, RLENGTH)
            sub(/.*\[/, "", text)
            sub(/\].*/, "", text)
            n = split(text, part, ", ")
            size[name] = 1
            for (i = 1; i <= n; i++) size[name] *= part[i]
        }
        /tt\.(load|store) .*tensor<.*#/ {
            name = $0
            sub(/.*tt.ptr<[a-z0-9]*>, /, "", name)
            sub(/>.*/, "", name)
            if (name in size) { sum += size[name]; accesses++ }
        }
        END { printf "%.1f", accesses ? sum / accesses : 0 }' "$1"
}

numbers() {
    local shared
    shared=$(grep -oE 'ttg.shared = [0-9]+' "$1" | grep -oE '[0-9]+' | head -1)
    printf '%6d %6d %8s %6s' "$(count ttg.convert_layout "$1")" "$(count 'ttg.barrier|ttg.local_barrier|gpu.barrier' "$1")" \
        "${shared:--}" "$(width "$1")"
}

printf '%-24s |%6s %6s %8s %6s |%6s %6s %8s %6s\n' kernel cvt bar shared width cvt bar shared width
ours=0 theirs=0
for ttir in "$1"/*.ttir; do
    name=$(basename "$ttir" .ttir)
    if ! "$TRITCC" "$arch" -emit=ttgir "$ttir" -o "$work/$name.ttgir" 2>"$work/err"; then
        printf '%-24s |%s\n' "$name" "$(head -1 "$work/err")"
        continue
    fi
    printf '%-24s |%s |' "$name" "$(numbers "$work/$name.ttgir")"
    ours=$((ours + $(count ttg.convert_layout "$work/$name.ttgir")))
    if [ -e "$1/$name.ttgir" ]; then
        printf '%s' "$(numbers "$1/$name.ttgir")"
        theirs=$((theirs + $(count ttg.convert_layout "$1/$name.ttgir")))
    fi
    printf '\n'
done
printf '%-24s |%6d %23s|%6d\n' conversions "$ours" "" "$theirs"
