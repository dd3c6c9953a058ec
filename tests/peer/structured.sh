#!/bin/bash
# Takes the test files of other structured compilers through ours. usage: structured.sh [-v] FILE|FOLDER...
#
# Each part of a file (parts end at "// -----") that is tt's dialect alone goes through `tritcc -x ttir
# -passes=triton-to-linalg`. Prints for each operation of tt in how many parts it occurs, and in how many of
# those the part is linalg afterwards; then the first errors of the others, by what they say. -v: each with its
# file. Parts with a dialect of another compiler (tts, tptr, ptr, hivm, hfusion ...) and parts that are tests of
# errors are counted apart.
set -u
: "${TRITCC:=tritcc}"
verbose=''
if [ "${1-}" = -v ]; then verbose=1 && shift; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$@" -name '*.mlir' | sort | while read -r file; do
    awk -v base="$work/$(echo "$file" | tr '/' '_')" '/^\/\/ -----/ { part++ } { print > (base "." part + 0 ".part") }' "$file"
done
others='\b(tts|tptr|ptr|tensor|memref|linalg|bufferization|hivm|hfusion|annotation|scope|ttx|triton_cpu|ttg|ttng|amdg|amdgpu|nvvm|nvgpu|nvws|proton)\.[a-z]'
compiled=0 failed=0 foreign=0
for part in "$work"/*.part; do
    code=$(sed 's|//.*||' "$part")
    if ! grep -qE 'tt\.func' <<<"$code"; then continue; fi
    if grep -qE "$others|!ptr|!tptr" <<<"$code" || grep -qE 'expected-error|not triton|not %' "$part"; then
        foreign=$((foreign + 1))
        continue
    fi
    ops=$(grep -oE '\btt\.[a-z_]+' <<<"$code" | sort -u | grep -vE 'tt\.(ptr|divisibility|func|return|tensordesc|max_divisibility|tensorptr|contiguity|constancy)$')
    if timeout 900 "$TRITCC" -x ttir -passes=triton-to-linalg "$part" >"$work/out" 2>"$work/err"; then
        compiled=$((compiled + 1))
        echo "$ops" | sed 's/$/ yes/'
    else
        failed=$((failed + 1))
        echo "$ops" | sed 's/$/ no/'
        grep -m1 -oE '(error|fatal):.*' "$work/err" >>"$work/errors" || echo "status $?" >>"$work/errors"
        if [ "$verbose" ]; then echo "${part##*/}: $(grep -m1 -E 'error' "$work/err")" >&2; fi
    fi
    echo "$compiled $failed $foreign" >"$work/sums"
done >"$work/ops"
awk '{ n[$1]++; if ($2 == "yes") y[$1]++ } END { for (o in n) printf "%-28s %4d of %4d\n", o, y[o], n[o] }' "$work/ops" | sort
awk '{ printf "%d parts are linalg, %d are not, %d are not tt alone or tests of errors\n", $1, $2, $3 }' "$work/sums"
if [ -f "$work/errors" ]; then sed 's/[0-9][0-9]*/N/g' "$work/errors" | cut -c1-110 | sort | uniq -c | sort -rn | head -30; fi
