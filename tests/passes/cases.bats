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
cases_of() { sed -n "s,^ *// $1: *,,p" "$2" | tr ' ' '\n' | sed -n 's/^@//p'; }
text() { awk -v name="$1" -f "$SRCDIR/tests/passes/cases.awk" "$2"; }

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

# Whether the pass did something to function NAME of FILE: changed it, or spoke of it.
touched() {
    local first last
    text "$1" .before >.one
    text "$1" .after >.two
    cmp -s .one .two || return 0
    read -r first last < <(awk -v lines=1 -v name="$1" -f "$SRCDIR/tests/passes/cases.awk" "$2")
    sed -n 's/^[^:]*:\([0-9]*\):[0-9]*: remark: .*/\1/p' .said | awk -v a="$first" -v b="$last" '$1 >= a && $1 <= b { hit = 1 } END { exit !hit }'
}

complain() {
    echo "$*"
    complaints=$((complaints + 1))
}

check_cases() {
    local pass=$1 file=$2 name kind
    run_both "$pass" "$file" || complain "$file: its RUN line for $pass does not run"
    for kind in positive negative loop if; do
        for name in $(cases_of "$kind" "$file"); do
            grep -qE "^ *(tt|func)\.func .*@$name\(" "$file" || complain "$file: there is no function @$name"
            text "$name" .before >.one
            case $kind in
            positive) touched "$name" "$file" || complain "$file: $pass leaves @$name as it is" ;;
            negative)
                text "$name" .after >.two
                cmp -s .one .two || complain "$file: $pass changes @$name: $(diff .one .two | head -4)"
                ;;
            loop) grep -qE 'scf\.(for|while)|cf\.cond_br' .one || complain "$file: @$name has no loop" ;;
            if) grep -qE 'scf\.if|cf\.cond_br' .one || complain "$file: @$name has no conditional" ;;
            esac
        done
    done
    for name in $(cases_of '\(loop\|if\)' "$file"); do
        cases_of '\(positive\|negative\)' "$file" | grep -qx "$name" || complain "$file: is @$name positive or negative?"
    done
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
        [ -n "$(cases_of positive "$file")" ] || complain "$file: no positive case"
        [ -n "$(cases_of negative "$file")" ] || complain "$file: no negative case"
        [ -n "$(cases_of '\(loop\|if\)' "$file")" ] || complain "$file: no case with a loop or a conditional"
        check_cases "$pass" "$file"
    done
    [ "$complaints" -eq 0 ]
}
