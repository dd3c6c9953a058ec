# Races in global memory: what the simulator reports, and what it takes for order.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/exec

run_on() { # KERNEL GRID ARG...
    TRITCC=$TRITRUN tritcc "$here/races.tri" -k "$1" -arch=sim:sm_80 -grid="$2" "${@:3}"
}

reports() { # TEXT KERNEL GRID ARG...
    run -1 "$TRITRUN" "$here/races.tri" -k "$2" -arch=sim:sm_80 -grid="$3" "${@:4}"
    [[ $output == *"$1"* ]] || { echo "$output"; return 1; }
    [[ $output == *"races.tri:"*"the other access is here"* ]]
}

@test "programs that access one element without updates" {
    reports "race between programs" counter 2 zeros:i32:1
    reports "write after read at offset 256 of 'p'" neighbours 3 zeros:i32:256 empty:i32:192 64
    reports "race between programs" unlocked 2 zeros:i32:2 zeros:i32:1
}

@test "threads that store different values to one element, or are not ordered" {
    reports "global memory race" same_place 1 zeros:i32:64 128
    reports "global memory race" reversed 1 zeros:i32:256 empty:i32:256 256
}

@test "no false alarm" {
    run_on counter 1 zeros:i32:1
    run_on updates 5 zeros:i32:1
    run_on flags 3 zeros:i32:64 128
    run_on last_one 3 zeros:i32:3 zeros:i32:1 zeros:i32:1
    run_on locked 4 zeros:i32:128 zeros:i32:1 128
    run_on bytes 3 zeros:i8:48 16
    run_on turned 1 zeros:i32:256 256
}
