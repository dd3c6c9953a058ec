// RUN: tritcc -x ttir -passes=loop-unroll %s | FileCheck %s
// positive: @unknown_trips @known_trips @asked_for_once @nested
// negative: @not_asked
// loop: @unknown_trips @known_trips @not_asked @asked_for_once @nested
// if: @nested

// CHECK-LABEL: @unknown_trips
tt.func public @unknown_trips(%x: tensor<64xf32>, %lb: i32, %ub: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i32
  // CHECK: [[L:%.+]] = scf.for
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT: tt.loop_unroll_factor
  // CHECK: scf.for {{.*}} = [[L]]
  // CHECK-COUNT-1: arith.addf
  // CHECK: } {tt.num_stages = 1 : i32}
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %x : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %r : tensor<64xf32>
}

// The number of trips is a multiple: nothing is left over.
// CHECK-LABEL: @known_trips
tt.func public @known_trips(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  // CHECK: scf.for
  // CHECK-COUNT-4: arith.addf
  // CHECK-NOT: scf.for
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %x : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return %r : tensor<64xf32>
}

// Nobody asked.
// CHECK-LABEL: @not_asked
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
// CHECK-LABEL: @asked_for_once
tt.func public @not_asked(%x: tensor<64xf32>, %lb: i32, %ub: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %x : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// Once is no more than without: the wish goes, the loop stays.
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
// CHECK-NOT: tt.loop_unroll_factor
// CHECK-LABEL: @nested
tt.func public @asked_for_once(%x: tensor<64xf32>, %lb: i32, %ub: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %x : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return %s : tensor<64xf32>
}

// The inner loop, in a branch of the outer one, and then both copies of it: three bodies and a rest of two,
// each with its own counter.
// CHECK: scf.for [[I:%.+]] = %arg1
// CHECK-COUNT-2: scf.for
// CHECK: [[J:%.+]] = arith.addi [[I]],
// CHECK-COUNT-2: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
tt.func public @nested(%x: i32, %lb: i32, %ub: i32, %c: i1) -> i32 {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %v = scf.if %c -> i32 {
      %s = scf.for %j = %lb to %i step %c1 iter_args(%b = %a) -> (i32) : i32 {
        %m = arith.muli %b, %j : i32
        scf.yield %m : i32
      } {tt.loop_unroll_factor = 3 : i32}
      scf.yield %s : i32
    } else {
      scf.yield %i : i32
    }
    scf.yield %v : i32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %r : i32
}
