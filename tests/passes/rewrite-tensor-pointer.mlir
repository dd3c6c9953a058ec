// RUN: tritcc -x ttir -passes=rewrite-tensor-pointer,canonicalize,cse %s | FileCheck %s
// RUN: tritcc -x ttir -passes=rewrite-tensor-pointer %s | FileCheck %s -check-prefix=BRANCH
// positive: @copy @flow @step
// negative: @untouched
// loop: @flow
// if: @flow

// Only the dimensions of boundaryCheck are checked; without padding nothing replaces what is outside.
// CHECK-LABEL: @copy
// CHECK-DAG: [[Z:%.+]] = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
// CHECK-DAG: [[N:%.+]] = arith.constant dense<0x7E00> : tensor<64x32xf16>
// CHECK: [[P:%.+]] = tt.splat %arg0 : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.make_range {end = 64 : i32, start = 0 : i32}
// CHECK: arith.cmpi sge, %{{.*}} : tensor<64x1xi64>
// CHECK: [[R:%.+]] = arith.cmpi slt, %{{.*}} : tensor<64x1xi64>
// CHECK: [[B:%.+]] = arith.andi %{{.*}}, %{{.*}} : tensor<64x32xi1>
// CHECK: tt.load [[Q:%.+]], [[B]], [[Z]] cacheModifier = cg : tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.load [[Q]], [[B]], [[N]] : tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.load [[Q]], %{{[0-9]+}} evictionPolicy = evict_first : tensor<64x32x!tt.ptr<f16>>
// CHECK: tt.load [[Q]] : tensor<64x32x!tt.ptr<f16>>
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<32xi64>
// CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32x!tt.ptr<f16>>
tt.func public @copy(%p: !tt.ptr<f16>, %m: i64, %n: i64, %s: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %b = tt.make_tensor_ptr %p, [%m, %n], [%s, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %v = tt.load %b cacheModifier = cg {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  %w = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  %x = tt.load %b evictionPolicy = evict_first {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
  %y = tt.load %b : !tt.ptr<tensor<64x32xf16>>
  %c = tt.advance %b, [%zero, %step] : <tensor<64x32xf16>>
  %vw = arith.addf %v, %w : tensor<64x32xf16>
  %xy = arith.addf %x, %y : tensor<64x32xf16>
  %all = arith.addf %vw, %xy : tensor<64x32xf16>
  tt.store %c, %all {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// All control flow. Canonicalisation leaves what changes: the offset along the second dimension.
// CHECK-LABEL: @flow
// CHECK-NOT: tt.ptr<tensor
// CHECK: scf.for {{.*}} iter_args([[J:%.+]] = %{{.*}}) -> (i64)
// CHECK: scf.if %{{.*}} -> (i64)
// CHECK: scf.while
// CHECK: tt.call @step({{.*}}) : (!tt.ptr<f16>, i64, i64, i64, i64, i64, i64) -> (!tt.ptr<f16>, i64, i64, i64, i64, i64, i64)
// CHECK: arith.select
// BRANCH-LABEL: @flow
// BRANCH: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : !tt.ptr<f16>, i64, i64, i64, i64, i64, i64), ^bb2(%{{.*}} : i32, !tt.ptr<f16>, i64, i64, i64, i64, i64, i64)
// BRANCH: cf.br ^bb2(%{{.*}} : i32, !tt.ptr<f16>, i64, i64, i64, i64, i64, i64)
tt.func public @flow(%p: !tt.ptr<f16>, %m: i64, %n: i64, %s: i64, %k: i32, %c: i1) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1i = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %0 = tt.make_tensor_ptr %p, [%m, %n], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %r = scf.for %i = %c0 to %k step %c1i iter_args(%q = %0) -> (!tt.ptr<tensor<64x32xf16>>) : i32 {
    %1 = tt.load %q {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64x32xf16>>
    tt.store %q, %1 : !tt.ptr<tensor<64x32xf16>>
    %2 = tt.advance %q, [%c0, %c32] : <tensor<64x32xf16>>
    %3 = scf.if %c -> !tt.ptr<tensor<64x32xf16>> {
      %4 = tt.advance %2, [%c0, %c32] : <tensor<64x32xf16>>
      scf.yield %4 : !tt.ptr<tensor<64x32xf16>>
    } else {
      scf.yield %2 : !tt.ptr<tensor<64x32xf16>>
    }
    scf.yield %3 : !tt.ptr<tensor<64x32xf16>>
  }
  %w = scf.while (%q = %r) : (!tt.ptr<tensor<64x32xf16>>) -> !tt.ptr<tensor<64x32xf16>> {
    scf.condition(%c) %q : !tt.ptr<tensor<64x32xf16>>
  } do {
  ^bb0(%q: !tt.ptr<tensor<64x32xf16>>):
    %2 = tt.call @step(%q) : (!tt.ptr<tensor<64x32xf16>>) -> !tt.ptr<tensor<64x32xf16>>
    scf.yield %2 : !tt.ptr<tensor<64x32xf16>>
  }
  %sel = arith.select %c, %w, %0 : !tt.ptr<tensor<64x32xf16>>
  cf.cond_br %c, ^bb1(%sel : !tt.ptr<tensor<64x32xf16>>), ^bb2(%k, %r : i32, !tt.ptr<tensor<64x32xf16>>)
^bb1(%x: !tt.ptr<tensor<64x32xf16>>):
  cf.br ^bb2(%c0, %x : i32, !tt.ptr<tensor<64x32xf16>>)
^bb2(%y: i32, %z: !tt.ptr<tensor<64x32xf16>>):
  %v = tt.load %z : !tt.ptr<tensor<64x32xf16>>
  tt.store %sel, %v : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// A parameter of a function is as many.
// CHECK-LABEL: tt.func private @step
// CHECK-SAME: -> (!tt.ptr<f16>, i64, i64, i64, i64, i64, i64)
tt.func private @step(%q: !tt.ptr<tensor<64x32xf16>>) -> !tt.ptr<tensor<64x32xf16>> attributes {noinline = true} {
  %c0 = arith.constant 0 : i32
  %2 = tt.advance %q, [%c0, %c0] : <tensor<64x32xf16>>
  tt.return %2 : !tt.ptr<tensor<64x32xf16>>
}

// Plain pointers are none of its business.
// CHECK-LABEL: @untouched
// CHECK-NEXT: tt.load %arg0 : tensor<64x!tt.ptr<f32>>
tt.func public @untouched(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.return %v : tensor<64xf32>
}
