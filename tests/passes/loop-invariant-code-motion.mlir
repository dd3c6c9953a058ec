// RUN: tritcc -x ttir -passes=loop-invariant-code-motion %s | FileCheck %s

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
