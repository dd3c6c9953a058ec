// RUN: tritcc -x ttir -passes=sccp %s | FileCheck %s
// positive: @constant @decided
// negative: @unknown
// loop: @constant @decided
// if: @decided

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

// A condition that is known decides what comes out of the conditional, in a loop too; one that only the first
// iteration knows does not.
// CHECK-LABEL: @decided
// CHECK: [[C:%.+]] = arith.constant 7 : i32
// CHECK: tt.return [[C]]
tt.func public @decided(%n: i32, %x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %yes = arith.cmpi slt, %c0, %c1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c7) -> (i32) : i32 {
    %v = scf.if %yes -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %v : i32
  }
  tt.return %r : i32
}
// CHECK-LABEL: @first_only
// CHECK: scf.if
// CHECK: tt.return %{{[0-9]+}}#0 : i32
tt.func public @first_only(%n: i32, %x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %f = %true) -> (i32, i1) : i32 {
    %v = scf.if %f -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %x : i32
    }
    scf.yield %v, %false : i32, i1
  }
  tt.return %r#0 : i32
}
