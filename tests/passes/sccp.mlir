// RUN: tritcc -x ttir -passes=sccp %s | FileCheck %s

// The loop carries a constant that never changes.
// CHECK-LABEL: @constant
// CHECK: [[C:%.+]] = arith.constant 8 : i32
// CHECK: tt.return [[C]]
tt.func public @constant(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c4) -> (i32) : i32 {
    %b = arith.maxsi %a, %c4 : i32
    scf.yield %b : i32
  }
  %s = arith.addi %r, %r : i32
  tt.return %s : i32
}

// CHECK-LABEL: @unknown
// CHECK: arith.addi %arg0, %arg0
tt.func public @unknown(%n: i32) -> i32 {
  %s = arith.addi %n, %n : i32
  tt.return %s : i32
}
