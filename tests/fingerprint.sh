#!/bin/bash
# A fingerprint of what the compiler makes: a sorted line for each kernel of tests/, bench/ and examples/, architecture and
# stage: its sha256, or that of the message where it is refused. For changes that must not change any output:
#
#     TRITCC=old/tritcc tests/fingerprint.sh >before;  tests/fingerprint.sh >after;  diff before after
#
# usage: fingerprint.sh [-a ARCH,...] [-j JOBS] [-n N] [-l] [TEXT]    TEXT: only kernels whose line has it; N: every Nth
# kernel; -l: only the lines "source | options"
# TRITCC names the compiler (tritcc in this tree). Where MATRIX names its tests/matrix/matrix, each group of the matrix
# compiled for sm_80 and sm_90a is fingerprinted too; this takes minutes, the rest half of one.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
TRITCC=$(realpath "${TRITCC:-tritcc}") MATRIX=${MATRIX:+$(realpath "$MATRIX")}
arches=sm_80,sm_90a,spirv64,native jobs=2 every=1 list=
while getopts a:j:n:l option; do
    case $option in
    a) arches=$OPTARG ;;
    j) jobs=$OPTARG ;;
    n) every=$OPTARG ;;
    l) list=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
filter=${1-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TRITCC MATRIX work arches

# Lines "source | options" from everywhere that names types: comments of sources, and the lists of tests and benchmarks.
kernels() {
    local file
    git ls-files 'tests/*.tri' 'bench/*.tri' 'examples/*.tri' | while read -r file; do
        case $file in tests/frontend/api/errors/*) continue ;; esac
        # the rest of a line beside its -sig belongs to each kernel
        sed -n 's/^# tritcc: //p' "$file" | sed 's/ -sig /\n-sig /g' | awk -v file="$file" '
            /^-sig/ { print file " | " common $0; next } { common = $0 ~ /./ ? $0 " " : "" }'
        sed -n '/^# RUN: tritcc/ { s///; s/ %s .*//; s/ -passes=[^ ]*//; s/ -arch=[^ ]*//; p; }' "$file" | sed "s#^#$file |#; s#|\$#| #"
    done
    awk -F' *[|] *' '!/^#/ && NF == 6 {
        file = $2
        sub(/^(\.\.\/)+/, "", file) || sub(/^/, "bench/gpu/", file)
        printf "%s | -k %s -num-warps=%s -num-stages=%s -sig \047%s\047\n", file, $3, $4, $5, $6 }' bench/gpu/kernels.list
    sed -n "s/^ *lowers \([a-z_]*\) \"\(.*\)\".*/tests\/frontend\/kernels.tri | -sig \"\1(\2)\"/p" tests/frontend/lowering.bats
    (
        mm=$(sed -n "s/^mm='\(.*\)'/\1/p" tests/passes/differential.bats)
        awk -F'|' '$4 ~ /^[a-z]+\.tri$/ { print "tests/passes/" $4 " | -sig \"" $5 "(" $6 ")\"" }' tests/passes/differential.bats |
            sed "s/\$mm/$mm/"
    )
    grep -v '^#' tests/fingerprint.list
}

# hash LINE: "LINE | hash of standard input".
hash() { printf '%s | %.64s\n' "$1" "$(sha256sum)"; }

# kernel "SOURCE | OPTIONS": its lines. Where a stage is refused, a line for the message and lines for those before it.
kernel() {
    local source=${1%% | *} words arch stage stages files out
    out=$work/$BASHPID
    eval "words=(${1#* | })" # the options are quoted as in a shell
    mkdir "$out"
    for arch in ${arches//,/ }; do
        case $arch in
        sm_*) stages=ttir,ttgir,llir,ptx ;;
        spirv*) stages=ttir,ttgir,llir,spirv ;;
        gfx*) stages=ttir,ttgir,llir,amdgcn ;;
        *) stages=ttir,llir,asm ;;
        esac
        while
            files=
            for stage in ${stages//,/ }; do files+=,$stage=$out/$stage; done
            ! "$TRITCC" "$source" "${words[@]}" "-arch=$arch" "-emit=${files#,}" >"$out/message" 2>&1
        do
            grep -E 'error|warning|note' "$out/message" | sed "s#$out/##g" | hash "$1 | $arch | message before ${stages##*,}"
            [[ $stages == *,* ]] || continue 2
            stages=${stages%,*}
        done
        for stage in ${stages//,/ }; do
            hash "$1 | $arch | $stage" <"$out/$stage"
        done
    done
    rm -rf "$out"
}

# matrix "GROUP ARCH": a hash of the PTX, arguments and results of all of its cases.
matrix() {
    "$MATRIX" pack "$work/${1// /-}" "${1#* }" "${1% *}" >"$work/${1// /-}.log" 2>&1
    cat "$work/${1// /-}" "$work/${1// /-}.log" | sed "s#$work##g" | hash "matrix | $1"
    rm -f "$work/${1// /-}"
}
export -f hash kernel matrix

[ -z "$list" ] || { kernels | sort -u | grep -F -e "$filter"; exit; }

# shellcheck disable=SC2016
kernels | sort -u | grep -F -e "$filter" | awk "NR % $every == 0" |
    tr '\n' '\0' | xargs -0 -P "$jobs" -I{} bash -c 'kernel "$1" 2>/dev/null' - {} >"$work/lines"
if [ -n "$MATRIX" ]; then
    # shellcheck disable=SC2016
    "$MATRIX" list | sed -n 's/^\([a-z_]*\):native.*/\1/p' | sort -u | while read -r group; do
        printf '%s sm_80\n%s sm_90a\n' "$group" "$group"
    done | tr '\n' '\0' | xargs -0 -P "$jobs" -I{} bash -c 'matrix "$1"' - {} >>"$work/lines"
fi
sort "$work/lines"
