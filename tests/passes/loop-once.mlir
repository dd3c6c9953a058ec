// RUN: tritcc -x ttir -passes=loop-once,canonicalize %s | FileCheck %s
// positive: @rows @values @nested
// negative: @product @two @unsigned @other
// loop: @rows @values @nested @two @unsigned @other

// CHECK-LABEL: @rows
// CHECK: [[RUNS:%.+]] = arith.cmpi slt, %arg1, %{{.+}} : i64
// CHECK-NEXT: scf.if [[RUNS]] {
// CHECK-NEXT: [[P:%.+]] = tt.addptr %arg0, %arg1
// CHECK-NEXT: tt.store [[P]]
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @rows(%p: !tt.ptr<f32>, %b: i64, %n: i64, %x: f32) {
  %one = arith.constant 1 : i64
  %next = arith.addi %b, %one : i64
  %e = arith.minsi %next, %n : i64
  scf.for %i = %b to %e step %one : i64 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i64
    tt.store %q, %x : !tt.ptr<f32>
  }
  tt.return
}

// What the loop carries is what it began with where it does not run.
// CHECK-LABEL: @values
// CHECK: [[RUNS:%.+]] = arith.cmpi slt, %arg0, %{{.+}} : i32
// CHECK: [[R:%.+]] = scf.if [[RUNS]] -> (f32) {
// CHECK-NEXT: [[SUM:%.+]] = arith.addf %arg2, %arg2
// CHECK-NEXT: scf.yield [[SUM]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg2
// CHECK: tt.return [[R]]
tt.func public @values(%b: i32, %n: i32, %x: f32) -> f32 {
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %next = arith.addi %b, %three : i32
  %e = arith.minsi %n, %next : i32
  %r = scf.for %i = %b to %e step %four iter_args(%a = %x) -> (f32) : i32 {
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  tt.return %r : f32
}

// CHECK-LABEL: @nested
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @nested(%p: !tt.ptr<i32>, %b: i32, %n: i32, %m: i32) {
  %one = arith.constant 1 : i32
  %next = arith.addi %b, %one : i32
  %e = arith.minsi %next, %n : i32
  scf.for %i = %b to %e step %one : i32 {
    %f = arith.minsi %next, %m : i32
    scf.for %j = %b to %f step %one : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  }
  tt.return
}

// CHECK-LABEL: @two
// CHECK: scf.for
tt.func public @two(%p: !tt.ptr<i32>, %b: i32, %n: i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %next = arith.addi %b, %two : i32
  %e = arith.minsi %next, %n : i32
  scf.for %i = %b to %e step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-LABEL: @unsigned
// CHECK: scf.for
tt.func public @unsigned(%p: !tt.ptr<i32>, %b: i32, %n: i32) {
  %one = arith.constant 1 : i32
  %next = arith.addi %b, %one : i32
  %e = arith.minsi %next, %n : i32
  scf.for unsigned %i = %b to %e step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// Beside the larger of the two nothing is known.
// CHECK-LABEL: @other
// CHECK: scf.for
tt.func public @other(%p: !tt.ptr<i32>, %b: i32, %n: i32) {
  %one = arith.constant 1 : i32
  %next = arith.addi %b, %one : i32
  %e = arith.maxsi %next, %n : i32
  scf.for %i = %b to %e step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// A product's loads are made ahead of loops.
// CHECK-LABEL: @product
// CHECK: scf.for
tt.func public @product(%x: tensor<16x16xf16>, %c: tensor<16x16xf32>, %b: i32, %n: i32) -> tensor<16x16xf32> {
  %one = arith.constant 1 : i32
  %next = arith.addi %b, %one : i32
  %e = arith.minsi %next, %n : i32
  %r = scf.for %i = %b to %e step %one iter_args(%acc = %c) -> (tensor<16x16xf32>) : i32 {
    %d = tt.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.return %r : tensor<16x16xf32>
}
