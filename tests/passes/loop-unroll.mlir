// RUN: tritcc -x ttir -passes=loop-unroll %s | FileCheck %s

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

// Nobody asked, or asked for once.
// CHECK-LABEL: @not_asked
tt.func public @not_asked(%x: tensor<64xf32>, %lb: i32, %ub: i32) -> tensor<64xf32> {
  %c1 = arith.constant 1 : i32
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT: arith.addf
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %x : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  %s = scf.for %i = %lb to %ub step %c1 iter_args(%a = %r) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %x : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return %s : tensor<64xf32>
}
