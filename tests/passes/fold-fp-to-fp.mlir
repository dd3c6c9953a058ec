// RUN: tritcc -x ttir -passes=fold-fp-to-fp %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {ttig.fast_math} {/' %s > %t.mlir && tritcc -x ttir -passes=fold-fp-to-fp %t.mlir | FileCheck --check-prefix=FAST %s
// positive: @widens @three @in_loop @in_if
// negative: @rounds @narrows @other_range
// loop: @in_loop
// if: @in_if

module {
// CHECK-LABEL: @widens
// CHECK-NOT: f16
// CHECK: [[Z:%.+]] = tt.fp_to_fp %arg0 : tensor<64xf8E5M2> -> tensor<64xf32>
// CHECK-NEXT: tt.return [[Z]]
tt.func public @widens(%x: tensor<64xf8E5M2>) -> tensor<64xf32> {
  %y = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf16>
  %z = tt.fp_to_fp %y : tensor<64xf16> -> tensor<64xf32>
  tt.return %z : tensor<64xf32>
}

// CHECK-LABEL: @three
// CHECK-NEXT: [[Z:%.+]] = tt.fp_to_fp %arg0 : tensor<64xf8E4M3FN> -> tensor<64xf64>
// CHECK-NEXT: tt.return [[Z]]
tt.func public @three(%x: tensor<64xf8E4M3FN>) -> tensor<64xf64> {
  %y = tt.fp_to_fp %x : tensor<64xf8E4M3FN> -> tensor<64xbf16>
  %z = tt.fp_to_fp %y : tensor<64xbf16> -> tensor<64xf32>
  %w = tt.fp_to_fp %z : tensor<64xf32> -> tensor<64xf64>
  tt.return %w : tensor<64xf64>
}

// CHECK-LABEL: @in_loop
// CHECK: scf.for
// CHECK: tt.fp_to_fp {{%.+}} : tensor<64xf8E5M2> -> tensor<64xf32>
tt.func public @in_loop(%p: tensor<64x!tt.ptr<f8E5M2>>, %x: tensor<64xf32>, %n: i32) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %v = tt.load %p : tensor<64x!tt.ptr<f8E5M2>>
    %y = tt.fp_to_fp %v : tensor<64xf8E5M2> -> tensor<64xf16>
    %z = tt.fp_to_fp %y : tensor<64xf16> -> tensor<64xf32>
    %s = arith.addf %a, %z : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// the first is used elsewhere, and stays
// CHECK-LABEL: @in_if
// CHECK: [[Y:%.+]] = tt.fp_to_fp %arg0 : tensor<64xf8E5M2> -> tensor<64xf16>
// CHECK: tt.fp_to_fp %arg0 : tensor<64xf8E5M2> -> tensor<64xf32>
tt.func public @in_if(%x: tensor<64xf8E5M2>, %p: tensor<64x!tt.ptr<f16>>, %o: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  %y = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf16>
  tt.store %p, %y : tensor<64x!tt.ptr<f16>>
  %r = scf.if %c -> (tensor<64xf32>) {
    %z = tt.fp_to_fp %y : tensor<64xf16> -> tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  } else {
    scf.yield %o : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// CHECK-LABEL: @rounds
// CHECK: tensor<64xf32> -> tensor<64xf8E5M2>
// CHECK: tensor<64xf8E5M2> -> tensor<64xf16>
// FAST-LABEL: @rounds
// FAST-NEXT: tt.fp_to_fp %arg0, rounding = rtne : tensor<64xf32> -> tensor<64xf16>
tt.func public @rounds(%x: tensor<64xf32>) -> tensor<64xf16> {
  %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
  %z = tt.fp_to_fp %y : tensor<64xf8E5M2> -> tensor<64xf16>
  tt.return %z : tensor<64xf16>
}

// FAST-LABEL: @narrows
// FAST: tensor<64xf32> -> tensor<64xf16>
// FAST: tensor<64xf16> -> tensor<64xf8E5M2>
tt.func public @narrows(%x: tensor<64xf32>) -> tensor<64xf8E5M2> {
  %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf16>
  %z = tt.fp_to_fp %y, rounding = rtne : tensor<64xf16> -> tensor<64xf8E5M2>
  tt.return %z : tensor<64xf8E5M2>
}

// more exponents are no more digits
// FAST-LABEL: @other_range
// FAST: tensor<64xf32> -> tensor<64xbf16>
// FAST: tensor<64xbf16> -> tensor<64xf16>
tt.func public @other_range(%x: tensor<64xf32>) -> tensor<64xf16> {
  %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xbf16>
  %z = tt.fp_to_fp %y, rounding = rtne : tensor<64xbf16> -> tensor<64xf16>
  tt.return %z : tensor<64xf16>
}
}
