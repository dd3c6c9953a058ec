// RUN: tritcc -x ttir -passes=loop-peeling,canonicalize %s | FileCheck %s
// positive: @last @nested
// negative: @plain
// loop: @last @nested @plain

// CHECK-LABEL: @last
// CHECK: [[END:%.+]] = arith.subi %arg2, %arg3
// CHECK: [[MOST:%.+]] = scf.for %{{.*}} = %arg1 to [[END]] step %arg3
// CHECK-NOT: tt.peel_last
// CHECK: [[LAST:%.+]] = arith.addi %{{.*}}, %arg1
// CHECK: [[RUNS:%.+]] = arith.cmpi slt, %arg1, %arg2
// CHECK: [[ALL:%.+]] = scf.if [[RUNS]]
// CHECK: arith.sitofp [[LAST]]
// CHECK: arith.addf [[MOST]]
// CHECK: } else {
// CHECK-NEXT: scf.yield [[MOST]]
// CHECK: tt.return [[ALL]]
tt.func public @last(%x: f32, %lb: i32, %ub: i32, %step: i32) -> f32 {
  %r = scf.for %i = %lb to %ub step %step iter_args(%a = %x) -> (f32) : i32 {
    %f = arith.sitofp %i : i32 to f32
    %b = arith.addf %a, %f : f32
    scf.yield %b : f32
  } {tt.peel_last}
  tt.return %r : f32
}

// A loop in it, and a store: all of the body is copied.
// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tt.store
tt.func public @nested(%p: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %m step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  } {tt.peel_last}
  tt.return
}

// Nobody asked.
// CHECK-LABEL: @plain
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func public @plain(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
