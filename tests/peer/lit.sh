#!/bin/bash
# Measures tritcc against a tree of another compiler's tests in the style of LLVM's lit: files with
# RUN lines for an opt-like tool, FileCheck patterns and expected diagnostics.
#
#     tests/peer/lit.sh [-k] [-v] [-r RELEASE] FILE|FOLDER...
#
# The RUN lines are run as they stand, with a link to tritcc under the tool's name. Every part of a file
# (parts end at "// -----") is run by itself, so that one that fails does not hide the others. Prints, per
# file, parts parsed, parts passed and single checks passed (directives of FileCheck and expected
# diagnostics, of each RUN line), of the parts that must be refused those that are, whatever the message says,
# and the sums. -v shows the first error of each failing part and what is not
# refused, -k keeps the outputs, -r has text written as a release of Triton does (3.6 to 3.9: that of the tests; without
# it a part that fails as tritcc spells it is tried as each release does, and the best counts: a tree between two releases
# has something of both). A RUN line with a pass that tritcc does not have is left out when the file has others.
# A descriptor of a tensor type, which the newest TritonGPU/invalid.mlir wants refused, is read: 3.6 and 3.7 write
# descriptors so.
# TRITCC is the compiler, TOOL the tool's name.
set -u
: "${TRITCC:=tritcc}" "${FILECHECK:=FileCheck-22}" "${TOOL:=triton-opt}"
verbose='' keep='' release=''
while getopts kr:v option; do
    case $option in
    k) keep=1 ;;
    r) release=$OPTARG ;;
    v) verbose=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
work=$(mktemp -d)
if [ -n "$keep" ]; then echo "outputs are in $work"; else trap 'rm -rf "$work"' EXIT; fi
compiler=$(command -v "$TRITCC") || { echo "$0: no $TRITCC" >&2 && exit 2; }

# The tools of RUN lines: $LIT_PART is the base of the names of a part's files. FileCheck counts its
# directives in the part, of which there may be none, and those that found their text.
mkdir "$work/bin"
cat >"$work/bin/$TOOL" <<END
#!/bin/bash
exec -a "$TOOL" "$(realpath "$compiler")" \${LIT_RELEASE:+"-femit-upstream=\$LIT_RELEASE"} "\$@"
END
chmod +x "$work/bin/$TOOL"
cat >"$work/bin/FileCheck" <<END
#!/bin/bash
prefixes=CHECK before=
for word in "\$@"; do
    case \$before,\$word in
    *,--check-prefix*=* | *,-check-prefix*=*) prefixes=\${word#*=} ;;
    --check-prefix*,* | -check-prefix*,*) prefixes=\$word ;;
    esac
    before=\${word##*=*}
done
prefixes=\${prefixes//,/|}
wanted=\$(grep -cE "(\$prefixes)(-LABEL|-NEXT|-SAME|-DAG|-COUNT-[0-9]+)?:" "\$LIT_PART")
echo "\$wanted" >>"\$LIT_PART.wanted"
grep -qE "(\$prefixes)(-[A-Z]+)?(-[0-9]+)?:" "\$LIT_PART" || { cat >/dev/null; exit 0; }
$FILECHECK "\$@" --allow-unused-prefixes --allow-empty --dump-input=never -v 2>"\$LIT_PART.check"
status=\$?
grep -E "remark: (\$prefixes).*expected string found" "\$LIT_PART.check" | wc -l >>"\$LIT_PART.found"
grep error "\$LIT_PART.check" >>"\$LIT_PART.errors"
exit \$status
END
cat >"$work/bin/not" <<'END'
#!/bin/bash
! "$@"
END
chmod +x "$work/bin/FileCheck" "$work/bin/not"
PATH=$work/bin:$PATH
export LIT_PART LIT_RELEASE=$release

sum_of() { [ -e "$1" ] && awk '{ n += $1 } END { print n + 0 }' "$1" || echo 0; }

# The status of the tool alone, not told which diagnostics are expected: sets alone.
status_of() {
    local call=${1//-verify-diagnostics=only-expected/}
    call=${call//--verify-diagnostics/}
    alone=0
    (cd "$work" && eval "${call//-verify-diagnostics/}") >/dev/null 2>&1 || alone=$?
}

# One part as LIT_RELEASE spells it: sets parsed, passed, found and wanted, must and refused.
run_part_as() {
    local run status unregistered='' missed alone
    LIT_PART=$1 LIT_RELEASE=$2
    rm -f "$LIT_PART".*
    grep -q 'allow-unregistered-dialect' <<<"${runs[*]}" && unregistered=-allow-unregistered-dialect
    "$TOOL" $unregistered "$LIT_PART" >/dev/null 2>"$LIT_PART.parse" && parsed=1 || parsed=0
    passed=1 wanted=0 found=0 must=0 refused=0
    ! grep -q 'expected-error' "$LIT_PART" || must=1
    for run in "${runs[@]}"; do
        run=${run//%s/$LIT_PART}
        status=0
        (cd "$work" && set -o pipefail && eval "${run//%t/$LIT_PART.t}") >"$LIT_PART.out" 2>"$LIT_PART.err" || status=$?
        [ "$status" = 0 ] || passed=0
        # (a tool that does not know what it is asked for ends with 2)
        if [ "$must" = 1 ] && [ "$refused" = 0 ]; then
            status_of "${run%%|*}"
            [ "$alone" -ne 1 ] || refused=1
        fi
        # What is no IR, and should not be, is read as it should be.
        [ "$status" -le 1 ] && grep -q 'expected-error' "$LIT_PART" && parsed=1
        cat "$LIT_PART.err" >>"$LIT_PART.errors"
        if [[ $run == *verify-diagnostics* ]]; then
            # Of the tool alone: what follows it may swallow its messages, and FileCheck's status hides its own.
            status=0
            (cd "$work" && eval "${run%%|*}") >"$LIT_PART.tool" 2>&1 || status=$?
            missed=$(grep -cE 'expected (error|warning|remark|note) was not reported' "$LIT_PART.tool")
            [ "$status" -le 1 ] || missed=$diagnostics
            wanted=$((wanted + diagnostics)) found=$((found + diagnostics - missed))
        fi
    done
    wanted=$((wanted + $(sum_of "$LIT_PART.wanted"))) found=$((found + $(sum_of "$LIT_PART.found")))
    [ "$found" -le "$wanted" ] || found=$wanted
}

# One part, in the spelling that most of its checks find.
run_part() {
    local other best='' most
    run_part_as "$1" "$release"
    if [ "$passed" = 0 ] && [ -z "$release" ]; then
        most=$found
        for other in 3.6 3.7 3.9; do
            run_part_as "$1" "$other"
            [ "$found" -le "$most" ] || best=$other most=$found
        done
        run_part_as "$1" "$best"
    fi
    [ -z "$verbose" ] || [ "$must" = "$refused" ] || echo "    $(basename "$LIT_PART"): not refused"
    if [ "$passed" = 0 ] && [ -n "$verbose" ]; then
        echo "    $(basename "$LIT_PART"): $(grep -m1 error "$LIT_PART.errors" | cut -c1-200)"
    fi
}

# Leaves out the RUN lines whose options tritcc does not know, unless that is all of them.
choose_runs() {
    local run call known=() status
    echo 'module {}' >"$work/empty.mlir"
    for run in "${runs[@]}"; do
        call=${run%%|*} status=0
        call=${call//%s/$work/empty.mlir}
        (eval "${call//not $TOOL/$TOOL}") >/dev/null 2>&1 || status=$?
        [ "$status" -gt 1 ] || known+=("$run")
    done
    [ ${#known[@]} = 0 ] || runs=("${known[@]}")
}

total=(0 0 0 0 0 0 0)
run_file() {
    local file=$1 sum=(0 0 0 0 0 0 0) name part runs diagnostics parsed passed found wanted must refused i
    name=$(basename "$(dirname "$file")")/$(basename "$file")
    mapfile -t runs < <(sed -n 's/^.*RUN: *//p' "$file" | sed -e :a -e '/\\$/{N;s/\\\n//;ba' -e '}' | grep -E "^(not )?(env [A-Z_]+=[^ ]+ )*$TOOL .*%s")
    [ ${#runs[@]} -gt 0 ] || return
    choose_runs
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name"
    awk -v base="$work/$name/part" 'BEGIN { n = 1 } { print > (base sprintf("%03d", n) ".mlir") } /^\/\/ -----/ { n++ }' "$file"
    [ -n "$verbose" ] && echo "$file"
    for part in "$work/$name"/part*.mlir; do
        grep -qE '^[^/]*[a-z]' "$part" || continue
        diagnostics=$(grep -oE 'expected-(error|warning|remark|note)(-re)?( *@[a-z0-9+-]+)? *\{\{' "$part" | wc -l)
        run_part "$part"
        sum=($((sum[0] + 1)) $((sum[1] + parsed)) $((sum[2] + passed)) $((sum[3] + found)) $((sum[4] + wanted))
            $((sum[5] + refused)) $((sum[6] + must)))
    done
    printf '%-60s parts %3d  parsed %3d  passed %3d  checks %4d/%d  refused %d/%d\n' "${file##*/test/}" "${sum[@]}"
    for i in 0 1 2 3 4 5 6; do total[i]=$((total[i] + sum[i])); done
}

for path in "$@"; do
    if [ -d "$path" ]; then
        while IFS= read -r file; do run_file "$file"; done < <(find "$path" -name '*.mlir' | sort)
    else
        run_file "$path"
    fi
done
printf '%-60s parts %3d  parsed %3d  passed %3d  checks %4d/%d  refused %d/%d\n' total "${total[@]}"
