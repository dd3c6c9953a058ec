// RUN: tritcc -x ttir -passes=loop-aware-cse %s | FileCheck %s
// positive: @twins @in_branch
// negative: @others @loads @other_branch
// loop: @twins @others @loads @in_branch @other_branch
// if: @in_branch @other_branch

// CHECK-LABEL: @twins
tt.func public @twins(%n: i32, %s: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: [[R:%.+]] = scf.for {{.*}} iter_args([[A:%.+]] = %{{.*}}) -> (i32)
  // CHECK-NEXT: [[B:%.+]] = arith.addi [[A]], %arg1
  // CHECK-NEXT: scf.yield [[B]]
  // CHECK: tt.return [[R]], [[R]]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %x = arith.addi %a, %s : i32
    %y = arith.addi %b, %s : i32
    scf.yield %x, %y : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// They start apart, or go different ways.
// CHECK-LABEL: @others
tt.func public @others(%n: i32, %s: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (i32, i32, i32)
  // CHECK-COUNT-2: arith.addi
  // CHECK: arith.subi
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1, %c = %c0) -> (i32, i32, i32) : i32 {
    %x = arith.addi %a, %s : i32
    %y = arith.addi %b, %s : i32
    %z = arith.subi %c, %s : i32
    scf.yield %x, %y, %z : i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// Loads are not known to give the same twice.
// CHECK-LABEL: @loads
tt.func public @loads(%n: i32, %p: !tt.ptr<i32>) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (i32, i32)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %u = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    %v = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    %x = arith.addi %a, %u : i32
    %y = arith.addi %b, %v : i32
    scf.yield %x, %y : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// Twins of a loop that a branch holds; and two values that part in one branch only, which stay two.
// CHECK-LABEL: @in_branch
// CHECK: scf.if {{.*}} -> (i32)
// CHECK: scf.for {{.*}} -> (i32)
// CHECK: tt.return
// CHECK-LABEL: @other_branch
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK-NEXT: scf.if {{.*}} -> (i32, i32)
tt.func public @in_branch(%n: i32, %s: i32, %c: i1) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = scf.if %c -> i32 {
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %s) -> (i32, i32) : i32 {
      %x = arith.muli %a, %i : i32
      %y = arith.muli %b, %i : i32
      scf.yield %x, %y : i32, i32
    }
    %d = arith.xori %r#0, %n : i32
    %e = arith.addi %d, %r#1 : i32
    scf.yield %e : i32
  } else {
    scf.yield %s : i32
  }
  tt.return %v : i32
}
tt.func public @other_branch(%n: i32, %s: i32, %c: i1) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %u:2 = scf.if %c -> (i32, i32) {
      %x = arith.addi %a, %s : i32
      %y = arith.addi %b, %s : i32
      scf.yield %x, %y : i32, i32
    } else {
      scf.yield %a, %s : i32, i32
    }
    scf.yield %u#0, %u#1 : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}
