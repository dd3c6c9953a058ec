// RUN: tritcc -x ttir -allow-unregistered-dialect -passes=fuse-nested-loops,canonicalize,cse %s | FileCheck %s
// positive: @known @unknown @assumed @swapped @siblings @variant @dependent
// negative: @kept
// loop: @known @unknown @assumed @swapped @siblings @variant @dependent @kept

// The inner loop runs four times each round: no condition around its body, whose start is a constant
// that the end of a round sets again.
// CHECK-LABEL: @known
// CHECK: [[N:%.+]] = arith.muli %{{.*}}, %c4_i32
// CHECK: scf.for {{.*}} = %c0_i32 to [[N]] step %c1_i32 iter_args([[T:%[^ ]+]] = %c0_i32, {{.*}} = %c-1_i32, {{.*}} = %c0_i32, [[A:%[^ ]+]] = %c0_i32,
// CHECK: [[FIRST:%.+]] = arith.cmpi eq, [[T]], %c0_i32
// CHECK: scf.if [[FIRST]]
// CHECK: arith.muli
// CHECK: tt.load
// CHECK-NEXT: [[S:%.+]] = arith.addi [[A]]
// CHECK: [[LAST:%.+]] = arith.cmpi eq, [[T]], %c3_i32
// CHECK: arith.select [[LAST]], %c0_i32, [[S]]
// CHECK: scf.if [[LAST]]
// CHECK: tt.store %{{.*}}, [[S]]
// CHECK: arith.select [[LAST]], %c0_i32
// CHECK: tt.num_stages = 3
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

// The inner loop may not run at all: then the outer one alone is needed.
// CHECK-LABEL: @unknown
// CHECK: [[EMPTY:%.+]] = arith.cmpi sle, %arg2, %c0_i32
// CHECK: scf.if [[EMPTY]]
// CHECK-NEXT: scf.for [[I:%[^ ]+]] =
// CHECK-NOT: scf.for
// CHECK: tt.store %{{.*}}, [[I]]
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
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

// It is said to run; what only the store needs is computed behind it; flags are kept.
// CHECK-LABEL: @assumed
// CHECK-NOT: arith.cmpi sge
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: arith.addi
// CHECK-NEXT: scf.yield
// CHECK: scf.if
// CHECK-NEXT: arith.muli
// CHECK-NEXT: tt.addptr
// CHECK: tt.disallow_acc_multi_buffer, tt.num_stages = 4 : i32, tt.warp_specialize
tt.func public @assumed(%p: !tt.ptr<i32>, %n: i32, %m: i32, %l: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %some = arith.cmpi sgt, %m, %l : i32
  llvm.intr.assume %some : i1
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = arith.muli %i, %n : i32
    %s = scf.for %j = %l to %m step %c1 iter_args(%a = %i) -> (i32) : i32 {
      %b = arith.muli %a, %j : i32
      scf.yield %b : i32
    } {tt.num_stages = 4 : i32, tt.disallow_acc_multi_buffer}
    %r = tt.addptr %p, %o : !tt.ptr<i32>, i32
    tt.store %r, %s : !tt.ptr<i32>
  } {tt.flatten, tt.warp_specialize}
  tt.return
}

// The second value is read by the body: it may change at the end of a round only. The first one is
// read in the first trip only, and changes with the body.
// CHECK-LABEL: @swapped
// CHECK: scf.for {{.*}} iter_args({{%[^ ]+}} = %c0_i32, {{%[^ ]+}} = %c-1_i32, [[X:%[^ ]+]] = %arg1, [[Y:%[^ ]+]] = %arg2,
// CHECK: [[S:%.+]] = arith.muli %{{.*}}, [[Y]]
// CHECK: [[E:%.+]] = arith.select %{{.*}}, [[S]], [[Y]]
// CHECK: scf.yield %{{[^,]+}}, %{{[^,]+}}, [[S]], [[E]],
tt.func public @swapped(%n: i32, %x: i32, %y: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %x, %v = %y) -> (i32, i32) : i32 {
    %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%a = %u) -> (i32) : i32 {
      %b = arith.muli %a, %v : i32
      scf.yield %b : i32
    }
    scf.yield %s, %s : i32, i32
  } {tt.flatten}
  tt.return %r#0, %r#1 : i32, i32
}

// Two inner loops, the second of which begins with the last trip of the first.
// CHECK-LABEL: @siblings
// CHECK: [[B:%.+]] = arith.maxsi %arg2, %c1_i32
// CHECK: [[BOTH:%.+]] = arith.addi %{{.*}}, [[B]]
// CHECK: [[ROUND:%.+]] = arith.subi [[BOTH]], %c1_i32
// CHECK: arith.muli %arg0, [[ROUND]]
// CHECK: scf.for {{.*}} iter_args([[T:%[^ ]+]] = %c0_i32,
// CHECK: scf.if
// CHECK: "first"
// CHECK: scf.if
// CHECK: "body1"
// CHECK: scf.if
// CHECK: "between"
// CHECK: [[FROM:%.+]] = arith.cmpi sge, [[T]]
// CHECK: [[TO:%.+]] = arith.cmpi slt, [[T]]
// CHECK: [[RUNS:%.+]] = arith.andi [[FROM]], [[TO]]
// CHECK: scf.if [[RUNS]]
// CHECK: "body2"
// CHECK: arith.cmpi eq, [[T]]
// CHECK: scf.if
// CHECK: "last"
// CHECK-NOT: scf.for
tt.func public @siblings(%n: i32, %m: i32, %l: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    "first"(%i) : (i32) -> ()
    scf.for %j = %c0 to %m step %c1 : i32 {
      "body1"(%i, %j) : (i32, i32) -> ()
    }
    "between"(%i) : (i32) -> ()
    scf.for %j = %c0 to %l step %c1 : i32 {
      "body2"(%i, %j) : (i32, i32) -> ()
    }
    "last"(%i) : (i32) -> ()
  } {"ttg.always-fuse"}
  tt.return
}

// Bounds with the outer variable: the lengths are summed up in a loop of their own.
// CHECK-LABEL: @variant
// CHECK: [[N:%.+]] = scf.for [[I:%[^ ]+]] = %c0_i32 to %arg0 step %c1_i32 iter_args([[SUM:%[^ ]+]] = %c0_i32)
// CHECK-NEXT: [[LEN:%.+]] = arith.maxsi [[I]], %c1_i32
// CHECK-NEXT: [[MORE:%.+]] = arith.addi [[SUM]], [[LEN]]
// CHECK-NEXT: scf.yield [[MORE]]
// CHECK: scf.for {{.*}} = %c0_i32 to [[N]]
// CHECK-NOT: scf.for
tt.func public @variant(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      "body"(%i, %j) : (i32, i32) -> ()
    }
  } {"ttg.always-fuse"}
  tt.return
}

// Bounds that depend on the outer variable, where it is assumed that the inner loop runs: a loop adds up how often.
// CHECK-LABEL: @dependent
// CHECK: [[N:%.+]] = scf.for {{.*}} = %c0_i32 to %arg1 step %c1_i32
// CHECK-NOT: tt.store
// CHECK: scf.for {{.*}} = %c0_i32 to [[N]] step %c1_i32
// CHECK: scf.if
// CHECK: llvm.intr.assume
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: tt.addptr
// CHECK-NEXT: tt.store
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @dependent(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l = arith.muli %i, %i : i32
    %m = arith.addi %l, %n : i32
    %some = arith.cmpi slt, %l, %m : i32
    llvm.intr.assume %some : i1
    scf.for %j = %l to %m step %c1 : i32 {
      %q = tt.addptr %p, %j : !tt.ptr<i32>, i32
      tt.store %q, %i : !tt.ptr<i32>
    }
  } {tt.flatten}
  tt.return
}

// Nobody asked for it; the bounds depend on the outer loop, or are of a division that it might not
// do; numbers are compared without sign; three loops, and two beside one another.
// CHECK-LABEL: @kept
// CHECK-COUNT-14: scf.for
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
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = arith.divsi %n, %n : i32
    scf.for %j = %c0 to %m step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for unsigned %j = %c0 to %n step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      scf.for %k = %c0 to %n step %c1 : i32 {
        tt.store %p, %j : !tt.ptr<i32>
      }
    }
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    }
    scf.for %j = %c0 to %n step %c1 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
  } {tt.flatten}
  tt.return
}
