#!/bin/bash
# Counts what costs time in the ttgir of a set of kernels: layout conversions left, barriers, bytes of
# shared memory, and the elements per thread of global accesses, beside another compiler's ttgir.
#
#     bench/ir-quality/run.sh [-v] [-arch=ARCH] FOLDER
#
# Each FOLDER/X.ttir is compiled, with the options in FOLDER/X.options; FOLDER/X.ttgir, if it is there,
# is the other compiler's result, and FOLDER/X.shared the bytes that its lowering asks for (with_triton.py
# writes all of them). As its ttgir has neither shared memory planned nor barriers, our passes for both run
# on it; theirs is the number of bytes in X.shared, where it is there. Conversions may take more bytes than they
# must to need fewer rounds: "least" is what our passes plan when none does, for both. Sums are over kernels that
# both compile; without -v only kernels for which a number of ours is the worse one are printed.
set -u
: "${TRITCC:=tritcc}"
arch=-arch=sm_80 verbose=
while :; do
    case ${1-} in
    -arch=*) arch=$1 ;;
    -v) verbose=1 ;;
    *) break ;;
    esac
    shift
done
[ $# -eq 1 ] || { echo "usage: $0 [-v] [-arch=ARCH] FOLDER" >&2; exit 2; }
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
    echo "$(count ttg.convert_layout "$1")" "$(count 'ttg.barrier|ttg.local_barrier|gpu.barrier' "$1")" \
        "${shared:-0}" "$(width "$1")"
}

# Bytes of shared memory that ttgir needs at least.
least() {
    sed 's/"tritcc.scratch-per-thread" = [0-9]* : i32, //' "$1" |
        "$TRITCC" "$arch" -x ttgir -passes=allocate-shared-memory - 2>/dev/null | grep -oE 'ttg.shared = [0-9]+' | grep -oE '[0-9]+' | head -1
}

row() { printf '%-36s |%6s %6s %8s %6s %8s |%6s %6s %8s %6s %8s\n' "$@"; }

# The passes that plan shared memory and barriers, with the target's options.
plan=$("$TRITCC" "$arch" --print-pipeline | sed -n 's/.*\(allocate-shared-memory.*\)/\1/p')
row kernel cvt bar shared width least cvt bar shared width least
sums=(0 0 0 0 0 0 0 0 0 0) kernels=0
for ttir in "$1"/*.ttir; do
    name=$(basename "$ttir" .ttir)
    options=()
    [ -e "$1/$name.options" ] && read -ra options <"$1/$name.options"
    if ! "$TRITCC" "$arch" "${options[@]}" -emit=ttgir "$ttir" -o "$work/ours" 2>"$work/err"; then
        printf '%-36s |%s\n' "$name" "$(grep -m1 error "$work/err")"
        continue
    fi
    theirs=(- - - - -)
    if [ -e "$1/$name.ttgir" ]; then
        if ! "$TRITCC" "$arch" -x ttgir -passes="$plan" "$1/$name.ttgir" -o "$work/theirs" 2>"$work/err"; then
            printf '%-36s |%s\n' "$name" "theirs: $(grep -m1 error "$work/err")"
            continue
        fi
        read -ra theirs < <(numbers "$work/theirs")
        theirs[4]=$(least "$work/theirs")
        [ -e "$1/$name.shared" ] && theirs[2]=$(<"$1/$name.shared")
    fi
    read -ra ours < <(numbers "$work/ours")
    ours[4]=$(least "$work/ours")
    all=("${ours[@]}" "${theirs[@]}") worse=$verbose
    if [ "${theirs[0]}" != - ]; then
        kernels=$((kernels + 1))
        for i in 0 1 2 3 4 5 6 7 8 9; do
            sums[i]=$(awk "BEGIN { print ${sums[i]} + ${all[i]} }")
        done
        for i in 0 1 2; do
            [ "${ours[i]}" -gt "${theirs[i]}" ] && worse=1
        done
        awk "BEGIN { exit !(${ours[3]} < ${theirs[3]}) }" && worse=1
    fi
    [ -n "$worse" ] && row "$name" "${all[@]}"
done
row "all ($kernels kernels)" "${sums[@]}"
