#!/bin/bash
# Runs tests and counts them: tests/run.sh [FILE...]. A file is a bats file, a C file of tests/unit, the check of style, a job of the matrix
# or any text with "RUN:" lines, which are run as shell commands with %s (the file), %S (its folder)
# and %t (a temporary name) replaced; `not CMD` wants exit status 1. Files run side by side, JOBS at
# a time (one more than there are processors: some wait). The last line is "N passed, N failed[, N skipped]"; a line in
# front of it counts the cases of the matrix that a place refuses, as it should.
set -u

run_bats() {
    local planned seen
    bats --tap "$1" >"$2" 2>&1
    planned=$(sed -n 's/^1\.\.//p' "$2")
    seen=$(grep -cE '^(not )?ok ' "$2")
    # A file that bats cannot read, or that ends early, says nothing of the tests it lost.
    [ "${planned:-x}" = "$seen" ] || echo "not ok $1: $seen of ${planned:-?} tests ran" >>"$2"
}

not() {
    local status=0
    "$@" || status=$?
    [ "$status" -eq 1 ]
}
tritcc() { "$TRITCC" "$@"; }
FileCheck() { "$FILECHECK" --enable-var-scope "$@"; }

run_lines() {
    local script temporary file folder
    temporary=$(mktemp -d)
    script=$(sed -n 's/^.*RUN: *//p' "$1" | sed -e :a -e '/\\$/{N;s/\\\n//;ba' -e '}' | sed '$!s/$/ \&\&/')
    # (joined by &&: errexit does nothing inside a condition)
    printf -v file %q "$1"
    printf -v folder %q "${1%/*}"
    script=${script//%s/$file}
    script=${script//%S/$folder}
    script=${script//%t/$temporary/t}
    if (set -eo pipefail && cd "$temporary" && eval "$script") >"$2.log" 2>&1 </dev/null; then
        echo "ok 1 ${1#"$SRCDIR"/}" >"$2"
    else
        { echo "not ok 1 ${1#"$SRCDIR"/}" && sed 's/^/# /' "$2.log" | head -n 60; } >"$2"
    fi
    rm -rf "$temporary"
}

# run_program NAME OUT COMMAND...
run_program() {
    local name=${1#"$BUILDDIR"/} out=$2
    shift 2
    name=${name#"$SRCDIR"/}
    if "$@" >"$out.log" 2>&1; then
        echo "ok 1 $name" >"$out"
    else
        { echo "not ok 1 $name" && sed 's/^/# /' "$out.log" | tail -n 40; } >"$out"
    fi
}

# A job of the matrix, which writes TAP: what it lost when it ends early shows in the missing plan.
run_matrix() {
    local planned
    # shellcheck disable=SC2086 # words
    ASAN_OPTIONS=detect_leaks=0 "${1%%:*}" ${MATRIX_OPTIONS-} run "${1#*:}" >"$2" 2>&1
    planned=$(sed -n 's/^1\.\.//p' "$2")
    [ "${planned:-x}" = "$(grep -cE '^(not )?ok ' "$2")" ] || echo "not ok $1: ${planned:-?} tests did not all run" >>"$2"
}

run_one() {
    case $1 in
    */matrix:* | */matrix-asan:*) run_matrix "$1" "$2" ;;
    *.bats) run_bats "$1" "$2" ;;
    */check.sh) run_program "$1" "$2" "$1" ;;
    */unit/*.c) run_program "${1%.c}" "$2" "$BUILDDIR/tests/unit/units" "$(basename "$1" .c)" ;;
    *) run_lines "$1" "$2" ;;
    esac
    grep -A60 '^not ok' "$2" | grep -vE '^ok |^--$'
    return 0
}

# TIMES=FILE: a line for each file, with the seconds of processor that it took.
if [ "${1-}" = --one ]; then
    if [ -z "${TIMES-}" ]; then
        run_one "$2" "$3"
    else
        TIMEFORMAT='%U %S'
        { time run_one "$2" "$3" 2>&3; } 3>&2 2>"$3.time"
        echo "$(awk '{print $1 + $2}' "$3.time") ${2#"$SRCDIR"/}" >>"$TIMES"
        rm "$3.time"
    fi
    exit
fi

SRCDIR=${SRCDIR:-$(cd "${0%/*}/.." && pwd)}
BUILDDIR=${BUILDDIR:-$PWD}
TRITCC=${TRITCC:-$BUILDDIR/tritcc}
FILECHECK=${FILECHECK:-FileCheck-22}
export SRCDIR BUILDDIR TRITCC FILECHECK
# Every pass of every test is followed by the verifier.
export TRITCC_VERIFY_EACH=1
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
if [ $# -eq 0 ]; then
    mapfile -t files < <({
        echo "$SRCDIR/tests/style/check.sh"
        find "$SRCDIR/tests/unit" -name '*.c' | sort
        {
            [ ! -x "$BUILDDIR/tests/matrix/matrix" ] || "$BUILDDIR/tests/matrix/matrix" list | sed "s|^|$BUILDDIR/tests/matrix/matrix:|"
            asan=$BUILDDIR/tests/matrix/matrix-asan
            [ ! -x "$asan" ] || "$asan" list | sed -n "s|.*:sanitized|$asan:&|p"
            find "$SRCDIR/tests" -name '*.bats'
        } | sort
        grep -rlE '^(//|#|;) *RUN:' "$SRCDIR/tests" --include='*.mlir' --include='*.tri' --include='*.ll' | sort
    })
    set -- "${files[@]}"
fi
# With all of the matrix: does it run all that there is?
is_whole=1
for job in $("$BUILDDIR/tests/matrix/matrix" list 2>/dev/null | grep ':sim:'); do
    [[ " $* " == *" $BUILDDIR/tests/matrix/matrix:$job "* ]] || is_whole=0
done
[ -x "$BUILDDIR/tests/matrix/matrix" ] || is_whole=0
i=0
for file in "$@"; do
    i=$((i + 1))
    printf '%s\0%s\0' "$(realpath -m "$file")" "$results/$i"
done | xargs -0 -n 2 -P "${JOBS:-$(($(nproc) + 1))}" "$0" --one
if [ "$is_whole" = 1 ] && [ "${MATRIX_OPTIONS:--a}" = -a ]; then
    "$SRCDIR/tests/matrix/coverage.sh" "$results"/* >"$results/coverage"
    grep -A60 '^not ok' "$results/coverage"
fi
passed=$(cat "$results"/* 2>/dev/null | grep -E '^ok ' | grep -cvE '# skip')
skipped=$(cat "$results"/* 2>/dev/null | grep -cE '^ok .*# skip')
failed=$(cat "$results"/* 2>/dev/null | grep -cE '^not ok ')
refused=$(cat "$results"/* 2>/dev/null | grep -cE '^ok .*# refused$')
passed=$((passed - refused))
cat "$results"/* 2>/dev/null | sed -n 's/^ok .*# skip *//p' | sort | uniq -c | sed 's/^ */skipped /'
line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
[ "$refused" -eq 0 ] || echo "refused $refused, where they stand"
echo "$line"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
