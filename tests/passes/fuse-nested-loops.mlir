// RUN: tritcc -x ttir -passes=fuse-nested-loops,canonicalize %s | FileCheck %s

// The inner loop runs four times each round.
// CHECK-LABEL: @known
// CHECK: [[N:%.+]] = arith.muli %{{.*}}, %c4_i32
// CHECK: scf.for {{.*}} = %c0_i32 to [[N]] step %c1_i32
// CHECK: scf.if
// CHECK: arith.muli
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.store
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @known(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = arith.muli %i, %c4 : i32
    %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %x = arith.addi %o, %j : i32
      %q = tt.addptr %p, %x : !tt.ptr<i32>, i32
      %v = tt.load %q : !tt.ptr<i32>
      %b = arith.addi %a, %v : i32
      scf.yield %b : i32
    }
    %r = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %r, %s : !tt.ptr<i32>
  } {tt.flatten, tt.num_stages = 3 : i32}
  tt.return
}

// The inner loop may not run at all: then the nest itself is needed.
// CHECK-LABEL: @unknown
// CHECK: scf.if
// CHECK: scf.for
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.for
tt.func public @unknown(%p: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%a = %i) -> (i32) : i32 {
      %b = arith.muli %a, %j : i32
      scf.yield %b : i32
    }
    %r = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %r, %s : !tt.ptr<i32>
  } {tt.flatten}
  tt.return
}

// Nobody asked for it; the bounds depend on the outer loop.
// CHECK-LABEL: @kept
// CHECK-COUNT-4: scf.for
// CHECK-NOT: scf.for
tt.func public @kept(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  } {tt.flatten}
  tt.return
}
