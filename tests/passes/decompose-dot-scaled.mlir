// RUN: tritcc -x ttir -passes=decompose-dot-scaled %s | FileCheck %s
// RUN: not tritcc -arch=sm_80 -x ttir -passes=decompose-dot-scaled %S/errors/dot-scaled-fp6.mlir 2>&1 | FileCheck %s --check-prefix=FP6
// RUN: tritcc -x ttir -passes='decompose-dot-scaled{target=hip:gfx950}' %s | FileCheck %s --check-prefix=KEPT
// positive: @scale_of_the_left @packed_right @fast @loop
// negative: @plain
// loop: @loop
// if: @loop

// FP6: error: 'tt.dot_scaled' of 6-bit elements is not supported on this target

// CHECK-LABEL: @scale_of_the_left
// CHECK: [[X:%.+]] = tt.fp_to_fp %arg0 : tensor<32x64xf8E4M3FN> -> tensor<32x64xbf16>
// CHECK: [[BITS:%.+]] = arith.shli {{.*}} : tensor<32x2xi16>
// CHECK: [[SMALL:%.+]] = arith.select {{.*}}, [[BITS]] : tensor<32x2xi1>, tensor<32x2xi16>
// CHECK: [[NAN:%.+]] = arith.select {{.*}}, [[SMALL]] : tensor<32x2xi1>, tensor<32x2xi16>
// CHECK: [[S:%.+]] = tt.bitcast [[NAN]] : tensor<32x2xi16> -> tensor<32x2xbf16>
// CHECK: [[E:%.+]] = tt.expand_dims [[S]] {axis = 2 : i32}
// CHECK: [[R:%.+]] = tt.broadcast [[E]] : tensor<32x2x1xbf16> -> tensor<32x2x32xbf16>
// CHECK: [[F:%.+]] = tt.reshape [[R]] : tensor<32x2x32xbf16> -> tensor<32x64xbf16>
// CHECK: [[A:%.+]] = arith.mulf [[X]], [[F]] : tensor<32x64xbf16>
// CHECK: tt.dot [[A]], %arg2, %arg3 : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
tt.func public @scale_of_the_left(%a: tensor<32x64xf8E4M3FN>, %s: tensor<32x2xi8>, %b: tensor<64x32xbf16>,
                                  %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<32x64xf8E4M3FN>, tensor<32x2xi8> * tensor<64x32xbf16> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Two elements to a byte, along K of the right operand; f16 on the other side makes all of it f16.
// CHECK-LABEL: @packed_right
// CHECK: [[W:%.+]] = arith.extui %arg1 : tensor<32x32xi8> to tensor<32x32xi16>
// CHECK: [[J:%.+]] = tt.join {{.*}} : tensor<32x32xf16> -> tensor<32x32x2xf16>
// CHECK: [[T:%.+]] = tt.trans [[J]] {order = array<i32: 0, 2, 1>}
// CHECK: [[B:%.+]] = tt.reshape [[T]] : tensor<32x2x32xf16> -> tensor<64x32xf16>
// CHECK-NOT: arith.mulf {{.*}} : tensor<64x32x
// CHECK: tt.dot %arg0, [[B]], %arg2
tt.func public @packed_right(%a: tensor<32x64xf16>, %b: tensor<32x32xi8>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = e2m1 {fastMath = false} : tensor<32x64xf16> * tensor<32x32xi8> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// fastMath: a scale is never NaN.
// CHECK-LABEL: @fast
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: tt.return
tt.func public @fast(%a: tensor<32x64xbf16>, %b: tensor<64x32xbf16>, %s: tensor<32x2xi8>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = bf16 rhs = bf16 {fastMath = true} : tensor<32x64xbf16> * tensor<64x32xbf16>, tensor<32x2xi8> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// A plain product stays.
// CHECK-LABEL: @plain
// CHECK-NEXT: tt.dot %arg0, %arg1, %arg2
tt.func public @plain(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c : tensor<32x64xf16> * tensor<64x32xf16> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Scales that the loop does not change are still spread in it; the sum goes on in its own type.
// CHECK-LABEL: @loop
// CHECK: scf.for {{.*}} iter_args([[ACC:%.+]] = %arg3)
// CHECK: scf.if
// CHECK: [[A:%.+]] = arith.mulf {{.*}} : tensor<32x64xbf16>
// CHECK: [[D:%.+]] = tt.dot [[A]], %arg2, [[ACC]]
// CHECK: scf.yield [[D]]
// CHECK-NOT: tt.dot_scaled
tt.func public @loop(%a: tensor<32x64xf8E4M3FN>, %s: tensor<32x2xi8>, %b: tensor<64x32xbf16>,
                     %c: tensor<32x32xf32>, %n: i32, %k: i1) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<32x32xf32>) : i32 {
    %v = scf.if %k -> (tensor<32x32xf32>) {
      %d = tt.dot_scaled %a scale %s, %b, %acc lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<32x64xf8E4M3FN>, tensor<32x2xi8> * tensor<64x32xbf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    } else {
      scf.yield %acc : tensor<32x32xf32>
    }
    scf.yield %v : tensor<32x32xf32>
  }
  tt.return %r : tensor<32x32xf32>
}

// What the target's own instructions do stays; K of 32 is none's.
// CHECK-LABEL: @native
// CHECK-NOT: tt.dot_scaled
// KEPT-LABEL: @native
// KEPT: tt.dot_scaled %arg0 scale %arg1, %arg2 scale %arg3, %arg4
// KEPT-LABEL: @shallow
// KEPT-NOT: tt.dot_scaled
tt.func public @native(%a: tensor<32x64xi8>, %s: tensor<32x4xi8>, %b: tensor<128x32xf8E5M2>, %t: tensor<32x4xi8>,
                       %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<32x64xi8>, tensor<32x4xi8> * tensor<128x32xf8E5M2>, tensor<32x4xi8> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

tt.func public @shallow(%a: tensor<32x16xi8>, %s: tensor<32x1xi8>, %b: tensor<32x32xf8E5M2>, %t: tensor<32x1xi8>,
                        %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<32x16xi8>, tensor<32x1xi8> * tensor<32x32xf8E5M2>, tensor<32x1xi8> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}
