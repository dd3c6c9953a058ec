// RUN: tritcc -x ttir -passes=loop-invariant-code-motion %s | FileCheck %s
// positive: @invariant @nested
// negative: @variant
// loop: @invariant @variant @nested
// if: @nested

// CHECK-LABEL: @invariant
// CHECK: arith.mulf %arg0, %arg0
// CHECK: scf.for
// CHECK-NEXT: tt.load
// CHECK-NEXT: arith.addf
tt.func public @invariant(%x: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>, %n: i32) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %m = arith.mulf %x, %x : tensor<64xf32>
    %v = tt.load %p : tensor<64x!tt.ptr<f32>>
    %b = arith.addf %v, %m : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// What uses the counter or a carried value differs in each iteration; a division by what may be 0 must not run where
// the loop does not; loads and stores stay, as does what stands behind a condition.
// CHECK-LABEL: @variant
// CHECK-NOT: arith.divsi
// CHECK: scf.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.store
tt.func public @variant(%p: !tt.ptr<i32>, %x: i32, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %m = arith.muli %i, %x : i32
    %d = arith.divsi %x, %n : i32
    %v = tt.load %p : !tt.ptr<i32>
    tt.store %p, %d : !tt.ptr<i32>
    %s = arith.addi %a, %m : i32
    %b = arith.xori %s, %v : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}

// Out of both loops, but from under a condition only as far as the branch's own loop.
// CHECK-LABEL: @nested
// CHECK: arith.mulf %arg0, %arg0
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.subf %arg0, %arg0
// CHECK-NEXT: scf.for
// CHECK-NOT: arith.subf
// CHECK: tt.return
tt.func public @nested(%x: f32, %n: i32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %m = arith.mulf %x, %x : f32
    %v = scf.if %c -> f32 {
      %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (f32) : i32 {
        %e = arith.subf %x, %x : f32
        %f = arith.addf %b, %e : f32
        %g = arith.addf %f, %m : f32
        scf.yield %g : f32
      }
      scf.yield %s : f32
    } else {
      scf.yield %a : f32
    }
    scf.yield %v : f32
  }
  tt.return %r : f32
}
