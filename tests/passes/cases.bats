#!/usr/bin/env bats
# Every row of passes.def has what a tester needs: a source file of its name, and in tests/passes/<name>.mlir
# functions that the pass changes, functions that it must leave as they are, and loops or conditionals. The test file
# names them in lines
#
#     // positive: @function ...      the pass changes it, or says something of it
#     // negative: @function ...      the pass leaves it as it is
#     // loop: @function ...          one of those, with a loop in it
#     // if: @function ...            one of those, with a conditional in it
#
# and here the pass runs, as the file's first RUN line with it says, to see that this is so.

load ../helpers

passes() { "$TRITCC" --list-passes | awk '/^[a-z]/ {print $1}'; }
pass_file() { ls "$SRCDIR"/passes/{ttir,ttir/*,ttgir,ttgir/*,linalg}/"${1//-/_}".c 2>/dev/null; }

# Rows of MLIR's own passes, which have no file here.
own() { sed -n "/MLIR's own/,/^\/\* ttir/s/^X(\(.*\))/\1/p" "$SRCDIR/passes/passes.def" | tr _ -; }

# The words of the first RUN line of FILE that runs PASS into `words`, its passes, one a line, into .list.
read_run_line() {
    local line word
    line=$(grep -E "RUN: tritcc .*-passes='?([^ ]*,)?$1[^a-z-]" "$2" | head -1)
    line=${line#*RUN: tritcc}
    line=${line%%[|>&]*}
    eval "set -- ${line%2}"
    words=()
    for word; do
        case $word in
        -passes=*) tr ',' '\n' <<<"${word#-passes=}" >.list ;;
        %s) ;;
        *) words+=("$word") ;;
        esac
    done
}

# Writes .before and .after, FILE without and with PASS, and what the pass says into .said.
run_both() {
    local upto words
    read_run_line "$1" "$2"
    upto=$(grep -nE "^$1(\{|\$)" .list | head -1 | cut -d: -f1)
    "$TRITCC" "${words[@]}" -passes="$(head -n $((upto - 1)) .list | paste -sd,)" "$2" -o .before &&
        "$TRITCC" "${words[@]}" -passes="$(head -n "$upto" .list | paste -sd,)" "$2" -o .after 2>.said
}

complain() {
    echo "$*"
    complaints=$((complaints + 1))
}

check_cases() {
    local pass=$1 file=$2
    run_both "$pass" "$file" || { complain "$file: its RUN line for $pass does not run" && return; }
    awk -v pass="$pass" -f "$SRCDIR/tests/passes/cases.awk" at=file "$file" at=said .said at=before .before at=after .after >.complaints
    [ ! -s .complaints ] || complain "$(cat .complaints)"
}

@test "every pass has a file of its name" {
    local pass complaints=0
    [ "$(passes | wc -l)" = "$(grep -c '^X(' "$SRCDIR/passes/passes.def")" ]
    for pass in $(passes); do
        if own | grep -qx -- "$pass"; then
            [ -z "$(pass_file "$pass")" ] || complain "$pass: has a file, but stands in the rows of MLIR's own"
        elif [ -z "$(pass_file "$pass")" ]; then
            complain "$pass: has no file in passes/"
        fi
    done
    [ "$complaints" -eq 0 ]
}

@test "every pass has cases that it changes, cases that it must not touch, and loops or conditionals" {
    local pass file complaints=0
    for pass in $(passes); do
        file=$SRCDIR/tests/passes/$pass.mlir
        [ -e "$file" ] || { complain "$pass: there is no $file" && continue; }
        check_cases "$pass" "$file"
    done
    [ "$complaints" -eq 0 ]
}

@test "a case that is not what its line says is told" {
    local complaints=0
    printf '%s\n' '// RUN: tritcc -x ttir -passes=cse %s | FileCheck %s' '// positive: @same @gone' '// negative: @changed' '// loop: @changed' \
        'tt.func @same(%a: i32) -> i32 {' '  tt.return %a : i32' '}' \
        'tt.func @changed(%a: i32) -> i32 {' '  %0 = arith.addi %a, %a : i32' '  %1 = arith.addi %a, %a : i32' \
        '  %2 = arith.addi %0, %1 : i32' '  tt.return %2 : i32' '}' >cse.mlir
    check_cases cse cse.mlir >said
    cat said
    for line in 'cse leaves @same as it is' 'there is no function @gone' 'cse changes @changed' '@changed has no loop'; do
        grep -qxF "cse.mlir: $line" said
    done
    [ "$(wc -l <said)" -eq 5 ] # @gone is not changed either
}
