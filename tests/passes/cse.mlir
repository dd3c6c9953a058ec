// RUN: tritcc -x ttir -passes=cse %s | FileCheck %s
// positive: @equal @inside
// negative: @different @beside
// loop: @inside @beside
// if: @inside @beside

// CHECK-LABEL: @equal
// CHECK-NEXT: [[S:%.+]] = arith.addi %arg0, %arg1
// CHECK-NEXT: [[T:%.+]] = tt.splat [[S]]
// CHECK-NEXT: tt.return [[T]], [[T]]
tt.func public @equal(%x: i32, %y: i32) -> (tensor<64xi32>, tensor<64xi32>) {
  %a = arith.addi %x, %y : i32
  %b = arith.addi %y, %x : i32
  %u = tt.splat %a : i32 -> tensor<64xi32>
  %v = tt.splat %b : i32 -> tensor<64xi32>
  tt.return %u, %v : tensor<64xi32>, tensor<64xi32>
}

// Memory may change between two loads; atomics, volatile loads and random numbers of the hardware count each time;
// the same operation on other types, or with other attributes, is another one.
// CHECK-LABEL: @different
// CHECK-COUNT-2: tt.load %arg0 :
// CHECK-COUNT-2: tt.load %arg0 {isVolatile = true}
// CHECK-COUNT-2: tt.atomic_rmw
// CHECK-COUNT-2: tt.elementwise_inline_asm
// CHECK-COUNT-2: arith.add
// CHECK-COUNT-2: tt.make_range
tt.func public @different(%p: !tt.ptr<i32>, %x: i32, %m: i1) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, tensor<64xi32>, tensor<64xi32>) {
  %a = tt.load %p : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  %b = tt.load %p : !tt.ptr<i32>
  %c = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %d = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %e = tt.atomic_rmw add, acq_rel, gpu, %p, %x, %m : (!tt.ptr<i32>, i32, i1) -> i32
  %f = tt.atomic_rmw add, acq_rel, gpu, %p, %x, %m : (!tt.ptr<i32>, i32, i1) -> i32
  %g = tt.elementwise_inline_asm "mov.u32 $0, %clock;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  %h = tt.elementwise_inline_asm "mov.u32 $0, %clock;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  %i = arith.addi %x, %x : i32
  %j = arith.addi %x, %x overflow<nsw> : i32
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %l = tt.make_range {end = 128 : i32, start = 64 : i32} : tensor<64xi32>
  tt.return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, tensor<64xi32>, tensor<64xi32>
}

// What stands in front of the loop serves in it, and in a conditional in it.
// CHECK-LABEL: @inside
// CHECK-NEXT: [[S:%.+]] = arith.muli %arg0, %arg0
// CHECK: scf.for {{.*}} iter_args([[A:%.+]] = [[S]])
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.addi [[A]], [[S]]
// CHECK-NOT: arith.muli
// CHECK: tt.return
tt.func public @inside(%x: i32, %n: i32, %c: i1) -> i32 {
  %s = arith.muli %x, %x : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> (i32) : i32 {
    %v = scf.if %c -> i32 {
      %t = arith.muli %x, %x : i32
      %b = arith.addi %a, %t : i32
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %v : i32
  }
  tt.return %r : i32
}

// Neither branch runs before the other, and a loop may not run at all.
// CHECK-LABEL: @beside
// CHECK: scf.if
// CHECK-NEXT: arith.muli
// CHECK: else
// CHECK-NEXT: arith.muli
// CHECK: scf.for
// CHECK-NEXT: arith.subi
// CHECK: arith.subi
tt.func public @beside(%x: i32, %n: i32, %c: i1) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = scf.if %c -> i32 {
    %t = arith.muli %x, %n : i32
    scf.yield %t : i32
  } else {
    %t = arith.muli %x, %n : i32
    scf.yield %t : i32
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (i32) : i32 {
    %t = arith.subi %x, %n : i32
    %b = arith.xori %a, %t : i32
    scf.yield %b : i32
  }
  %u = arith.subi %x, %n : i32
  tt.return %r, %u : i32, i32
}
