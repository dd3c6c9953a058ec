#!/usr/bin/env bats
# The passes that take a loop with partitions apart, in a row: groups of warps that hand values on compute, on the
# simulator, what the loop computes as it is.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
apart=insert-aref,lower-aref,partition-loops,lower-warp-group,canonicalize,cse,allocate-warp-groups
end=convert-scf-to-cf,allocate-global-scratch,allocate-shared-memory,membar

# run_rows FILE N: the sum of N rows into FILE.npy.
run_rows() {
    "$TRITRUN" -arch=sim:sm_90a -o "arg1=$1.npy" "$1.ttgir" randn:f32:7x128:seed=1 arg1=zeros:f32:128 "$2"
}

@test "groups of warps compute what their loop does, for any number of rows" {
    sed 's/tt.warp_specialize, //' "$SRCDIR/tests/passes/partitioned.ttgir" >whole.in.ttgir
    tritcc -passes="$apart,$end" "$SRCDIR/tests/passes/partitioned.ttgir" -o parts.ttgir
    tritcc -passes="$end" whole.in.ttgir -o whole.ttgir
    grep -q 'ttg.warp_specialize(' parts.ttgir
    ! grep -q 'ttg.warp_specialize(' whole.ttgir || false
    for n in 0 1 7; do
        run_rows parts "$n"
        run_rows whole "$n"
        cmp parts.npy whole.npy
    done
}

@test "groups of fewer warps compute the same" {
    tritcc -passes="${apart%,*},optimize-partition-warps,allocate-warp-groups,$end" "$SRCDIR/tests/passes/partitioned.ttgir" \
        -o fewer.ttgir
    tritcc -passes="$apart,$end" "$SRCDIR/tests/passes/partitioned.ttgir" -o parts.ttgir
    grep -q 'num_warps(4)' parts.ttgir
    grep -q 'num_warps(1)' fewer.ttgir
    for n in 0 1 7; do
        run_rows fewer "$n"
        run_rows parts "$n"
        cmp fewer.npy parts.npy
    done
}

@test "a group that does not give its buffer back is found" {
    tritcc -passes="$apart" "$SRCDIR/tests/passes/partitioned.ttgir" -o parts.in.ttgir
    awk '!(/ttng.arrive_barrier/ && !n++)' parts.in.ttgir >wrong.in.ttgir
    tritcc -passes="$end" wrong.in.ttgir -o wrong.ttgir
    run timeout 900 "$TRITRUN" -arch=sim:sm_90a wrong.ttgir randn:f32:7x128:seed=1 arg1=zeros:f32:128 7
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
}
