#!/usr/bin/env bats
# Scans in layouts whose bits of the axis lie in registers and lanes by turns, with gaps, and not in order.
load ../helpers

write_scan() {
    cat >scan.ttgir <<'END'
#l = #ttg.linear<{register = REGISTERS, lane = LANES, warp = WARPS, block = []}>
#s = #ttg.slice<{dim = 0, parent = #l}>
#t = #ttg.slice<{dim = 1, parent = #l}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #s>
    %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #t>
    %c = arith.constant dense<64> : tensor<16x1xi32, #l>
    %j1 = tt.expand_dims %j {axis = 1 : i32} : tensor<16xi32, #t> -> tensor<16x1xi32, #l>
    %j2 = arith.muli %j1, %c : tensor<16x1xi32, #l>
    %j3 = tt.broadcast %j2 : tensor<16x1xi32, #l> -> tensor<16x64xi32, #l>
    %i1 = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32, #s> -> tensor<1x64xi32, #l>
    %i2 = tt.broadcast %i1 : tensor<1x64xi32, #l> -> tensor<16x64xi32, #l>
    %o = arith.addi %i2, %j3 : tensor<16x64xi32, #l>
    %p0 = tt.splat %x : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>, #l>
    %p = tt.addptr %p0, %o : tensor<16x64x!tt.ptr<i32>, #l>, tensor<16x64xi32, #l>
    %q0 = tt.splat %y : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>, #l>
    %q = tt.addptr %q0, %o : tensor<16x64x!tt.ptr<i32>, #l>, tensor<16x64xi32, #l>
    %v = tt.load %p : tensor<16x64x!tt.ptr<i32>, #l>
    %s = "tt.scan"(%v) <{axis = 1 : i32, reverse = REVERSE}> ({
    ^bb0(%a: i32, %b: i32):
      %h = arith.addi %a, %b : i32
      tt.scan.return %h : i32
    }) : (tensor<16x64xi32, #l>) -> tensor<16x64xi32, #l>
    tt.store %q, %s : tensor<16x64x!tt.ptr<i32>, #l>
    tt.return
  }
}
END
}

# in_layout LANES REGISTERS [WARPS]: the same numbers as in the first layout, both ways.
in_layout() {
    for reverse in false true; do
        sed "s/LANES/$1/; s/REGISTERS/$2/; s/WARPS/${3-[[4, 0], [8, 0]]}/; s/REVERSE/$reverse/" scan.ttgir >k.ttgir
        if [ -e "$reverse.npy" ]; then
            tritrun -arch=sim:sm_80 -expect="arg1=@$reverse.npy" k.ttgir randint:i32:16x64:seed=5 empty:i32:16x64
        else
            tritrun -arch=sim:sm_80 -o "arg1=$reverse.npy" k.ttgir randint:i32:16x64:seed=5 empty:i32:16x64
        fi
    done
}

@test "registers take in what is before them whatever lanes lie between" {
    write_scan
    # the first one has no steps from lane to lane behind registers
    in_layout '[[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]' '[[0, 8], [0, 16], [0, 32]]'
    in_layout '[[0, 2], [1, 0], [0, 4], [0, 16], [2, 0]]' '[[0, 1], [0, 8], [0, 32]]'
    in_layout '[[0, 8], [1, 0], [0, 4], [0, 2], [0, 16]]' '[[0, 1], [2, 0], [0, 32]]'
    in_layout '[[0, 1], [0, 2], [1, 0], [0, 16], [0, 32]]' '[[0, 4], [0, 8], [2, 0]]'
    # warps lie between, so that registers are in runs of several
    in_layout '[[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]' '[[0, 8], [0, 32], [8, 0]]' '[[0, 4], [0, 16]]'
    in_layout '[[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]]' '[[0, 2], [0, 4], [0, 16]]' '[[0, 32], [0, 8]]'
}
