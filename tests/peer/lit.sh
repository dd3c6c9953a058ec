#!/bin/bash
# Measures tritcc against a tree of another compiler's tests in the style of LLVM's lit: files with
# RUN lines for an opt-like tool, FileCheck patterns and expected diagnostics.
#
#     tests/peer/lit.sh [-k] [-v] FILE|FOLDER...
#
# Every part of a file (parts end at "// -----") is run by itself, so that one that fails does not
# hide the others. Prints, per file, parts parsed, parts passed and single checks passed, and the
# sums. -v shows the first error of each failing part, -k keeps the outputs. TRITCC is the compiler.
set -u
: "${TRITCC:=tritcc}" "${FILECHECK:=FileCheck-22}" "${TOOL:=triton-opt}"
verbose= keep=
while getopts kv option; do
    case $option in
    k) keep=1 ;;
    v) verbose=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
work=$(mktemp -d)
[ -n "$keep" ] && echo "outputs are in $work" || trap 'rm -rf "$work"' EXIT

# The words of a RUN line's tool as our options: passes in $passes, the rest in $flags.
translate() {
    passes= flags=() verify=
    local word
    while [ $# -gt 0 ]; do
        word=$1
        shift
        case $word in
        %s | 2\>\&1) ;;
        -o) shift ;;
        -o=*) ;;
        -split-input-file | --split-input-file) ;;
        -allow-unregistered-dialect | --allow-unregistered-dialect) flags+=(-allow-unregistered-dialect) ;;
        -verify-diagnostics* | --verify-diagnostics*) verify=1 ;;
        -mlir-print-debuginfo | --mlir-print-debuginfo) flags+=(-g) ;;
        -*=*) word=${word##+(-)} passes+="${passes:+,}${word%%=*}{${word#*=}}" ;;
        -*) passes+="${passes:+,}${word##+(-)}" ;;
        *) return 1 ;;
        esac
    done
}

# Prints how many of the expected diagnostics of part $1 are among the messages in $2, and how many
# there are. One counts when its text appears, with its severity, at its line.
match_diagnostics() {
    awk '
        FNR == NR {
            if (match($0, /:[0-9]+:[0-9]+: (error|warning|remark|note): /)) {
                split(substr($0, RSTART + 1), place, ":")
                n++
                line[n] = place[1]
                text[n] = substr($0, RSTART)
            }
            next
        }
        {
            rest = $0
            while (match(rest, /expected-(error|warning|remark|note)(-re)?( *@[a-z0-9+-]+)? *\{\{[^}]*\}\}/)) {
                spec = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                at = FNR
                if (spec ~ /@below/) at++
                if (spec ~ /@above/) at--
                if (match(spec, /@[+-][0-9]+/)) at += substr(spec, RSTART + 1, RLENGTH - 1)
                severity = spec
                sub(/^expected-/, "", severity)
                sub(/[^a-z].*/, "", severity)
                wanted = substr(spec, index(spec, "{{") + 2)
                wanted = substr(wanted, 1, length(wanted) - 2)
                total++
                for (i = 1; i <= n; i++)
                    if (!used[i] && line[i] == at && index(text[i], " " severity ": ") && index(text[i], wanted)) {
                        used[i] = 1
                        found++
                        break
                    }
            }
        }
        END { print found + 0, total + 0 }' "$2" "$1"
}

# One part: sets parsed, passed, found and wanted.
run_part() {
    local part=$1 out=$1.out err=$1.err status=0
    rm -f "$err.check"
    "$TRITCC" -x ttgir -passes= "${flags[@]}" "$part" >/dev/null 2>"$err.parse" && parsed=1 || parsed=0
    "$TRITCC" -x ttgir -passes="$passes" "${flags[@]}" "$part" >"$out" 2>"$err" || status=$?
    wanted=0 found=0 passed=$((status == 0))
    if [ -n "$verify" ]; then
        read -r found wanted < <(match_diagnostics "$part" "$err")
        [ "$wanted" -gt 0 ] && parsed=1 passed=$((found == wanted))
    fi
    if [ -n "$has_check" ] && grep -qE "($prefixes)(-[A-Z]+)?(-[0-9]+)?:" "$part"; then
        wanted=$((wanted + $(grep -cE "($prefixes)(-LABEL|-NEXT|-SAME|-DAG|-COUNT-[0-9]+)?:" "$part")))
        "$FILECHECK" "${check[@]}" --allow-unused-prefixes --allow-empty --dump-input=never -v "$part" <"$out" 2>"$err.check" || passed=0
        found=$((found + $(grep -cE "remark: ($prefixes).*expected string found" "$err.check")))
    fi
    [ "$found" -gt "$wanted" ] && found=$wanted
    if [ "$passed" = 0 ] && [ -n "$verbose" ]; then
        echo "    $(basename "$part"): $(cat "$err" "$err.check" 2>/dev/null | grep -m1 'error' | cut -c1-200)"
    fi
}

shopt -s extglob
total=(0 0 0 0 0)
run_file() {
    local file=$1 line sum=(0 0 0 0 0) words name
    name=$(basename "$(dirname "$file")")/$(basename "$file")
    line=$(grep -m1 -E "RUN:.*$TOOL" "$file" | sed "s/.*$TOOL//")
    [ -n "$line" ] || return
    check=() prefixes=CHECK has_check=
    if [[ $line == *FileCheck* ]]; then
        has_check=1
        eval "words=(${line#*FileCheck})"
        for word in "${words[@]}"; do
            case $word in
            %s) ;;
            --check-prefix*=* | -check-prefix*=*) check+=("$word") prefixes=$(tr ',' '|' <<<"${word#*=}") ;;
            -*) check+=("$word") ;;
            esac
        done
    fi
    eval "words=(${line%%|*})" 2>/dev/null || return
    translate "${words[@]}" || return
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name"
    awk -v base="$work/$name/part" 'BEGIN { n = 1 } { print > (base sprintf("%03d", n) ".mlir") } /^\/\/ -----/ { n++ }' "$file"
    [ -n "$verbose" ] && echo "$file"
    for part in "$work/$name"/part*.mlir; do
        grep -qE '^[^/]*[a-z]' "$part" || continue
        run_part "$part"
        sum=($((sum[0] + 1)) $((sum[1] + parsed)) $((sum[2] + passed)) $((sum[3] + found)) $((sum[4] + wanted)))
    done
    printf '%-60s parts %3d  parsed %3d  passed %3d  checks %4d/%d\n' "${file##*/test/}" "${sum[@]}"
    for i in 0 1 2 3 4; do total[i]=$((total[i] + sum[i])); done
}

for path in "$@"; do
    if [ -d "$path" ]; then
        while IFS= read -r file; do run_file "$file"; done < <(find "$path" -name '*.mlir' | sort)
    else
        run_file "$path"
    fi
done
printf '%-60s parts %3d  parsed %3d  passed %3d  checks %4d/%d\n' total "${total[@]}"
