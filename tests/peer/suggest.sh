#!/bin/bash
# How good the suggested signatures are: tests/peer/suggest.sh TRITCC FILE.py...
# For each kernel of the files: takes the suggestion that tritcc makes when no types are given, compiles with
# it to ptx, and prints what failed, then the rate. -IPATH options may stand before the files; with SHOW=FILE the
# suggestions are appended there. Helpers, which return values, do not count.
tritcc=$1
shift
options=()
while [[ $1 == -* ]]; do
    options+=("$1")
    shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0 good=0
for file; do
    grep -q "jit" "$file" || continue
    for kernel in $(sed -n 's/^def  *\([A-Za-z_0-9]*\).*/\1/p' "$file"); do
        said=$(timeout 10 "$tritcc" "${options[@]}" -fsyntax-only -k "$kernel" "$file" 2>&1)
        case $said in
        *"no @triton.jit"* | *"unknown kernel"* | *"no kernel "*) continue ;;
        esac
        signature=$(sed -n "s/.*for example: -sig '\(.*\)'\$/\1/p" <<<"$said")
        # Helpers and kernels that need nothing are no matter of suggestions.
        [ -n "$signature" ] || continue
        if timeout 10 "$tritcc" "${options[@]}" -w -arch=sm_90a -emit=ptx="$work/out" -sig "$signature" "$file" >"$work/said" 2>&1; then
            good=$((good + 1))
        elif grep -q 'TRI-4005' "$work/said"; then
            continue # a helper, which returns a value
        else
            echo "$file: $signature: $(grep -m1 -E 'error|internal' "$work/said")"
        fi
        total=$((total + 1))
        [ -z "$SHOW" ] || echo "$signature" >>"$SHOW"
    done
done
echo "$good of $total kernels compile with the suggestion"
[ "$total" -eq 0 ] || echo "rate: $((good * 1000 / total)) per mille"
