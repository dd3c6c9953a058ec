// RUN: tritcc -x ttir -passes=rewrite-tensor-descriptor-to-pointer,canonicalize,cse %s | FileCheck %s
// positive: @copy @parameter @rows @control @pass_on @turned
// negative: @untouched
// loop: @parameter @control
// if: @parameter

// CHECK-LABEL: @copy
// CHECK-NOT: tensordesc
// CHECK: [[P:%.+]] = tt.splat %arg0 : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
// CHECK: tt.make_range {end = 16 : i32, start = 0 : i32}
// CHECK: arith.cmpi sge, %{{.*}} : tensor<16x1xi64>
// CHECK: arith.cmpi slt, %{{.*}} : tensor<16x1xi64>
// CHECK: tt.make_range {end = 64 : i32, start = 0 : i32}
// CHECK: [[M:%.+]] = arith.andi %{{.*}}, %{{.*}} : tensor<16x64xi1>
// CHECK: [[V:%.+]] = tt.load [[Q:%.+]], [[M]], %{{.*}} : tensor<16x64x!tt.ptr<f16>>
// CHECK: tt.store [[Q]], [[V]], [[M]] : tensor<16x64x!tt.ptr<f16>>
tt.func public @copy(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : !tt.ptr<f16>, !tt.tensordesc<tensor<16x64xf16>>
  %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
  tt.descriptor_store %d[%i, %j], %v : !tt.tensordesc<tensor<16x64xf16>>, tensor<16x64xf16>
  tt.return
}

// A parameter becomes its parts, also where a loop and a conditional carry it.
// CHECK-LABEL: @parameter
// CHECK-SAME: (%arg0: !tt.ptr<f32>, %arg1: i64, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i1, %arg6: i1, %arg7: i32, %arg8: i1)
// CHECK-NOT: tensordesc
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.atomic_rmw fadd, release, gpu
tt.func public @parameter(%d: !tt.tensordesc<tensor<16x64xf32>>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%e = %d) -> (!tt.tensordesc<tensor<16x64xf32>>) : i32 {
    %v = tt.descriptor_load %e[%i, %c0] : !tt.tensordesc<tensor<16x64xf32>> -> tensor<16x64xf32>
    %f = scf.if %c -> (!tt.tensordesc<tensor<16x64xf32>>) {
      scf.yield %e : !tt.tensordesc<tensor<16x64xf32>>
    } else {
      scf.yield %d : !tt.tensordesc<tensor<16x64xf32>>
    }
    tt.descriptor_reduce add, %f[%i, %c0], %v : !tt.tensordesc<tensor<16x64xf32>>, tensor<16x64xf32>
    scf.yield %f : !tt.tensordesc<tensor<16x64xf32>>
  }
  tt.return
}

// Rows picked one by one.
// CHECK-LABEL: @rows
// CHECK: arith.extsi %arg5 : tensor<32xi32> to tensor<32xi64>
// CHECK: tt.load %{{.*}} : tensor<32x64x!tt.ptr<f16>>
tt.func public @rows(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %j: i32, %rows: tensor<32xi32>) -> tensor<32x64xf16> {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : !tt.ptr<f16>, !tt.tensordesc<tensor<1x64xf16>>
  %v = tt.descriptor_gather %d[%rows, %j] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return %v : tensor<32x64xf16>
}

// Plain pointers are none of its business.
// CHECK-LABEL: @untouched
// CHECK-NEXT: tt.load %arg0 : tensor<64x!tt.ptr<f32>>
tt.func public @untouched(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.return %v : tensor<64xf32>
}

// Functions that are called, loops of unknown length, branches and selects carry the parts, which
// are named after the whole.
// CHECK-LABEL: @control
// CHECK: scf.while
// CHECK: tt.call @pass_on
// CHECK: arith.select
// CHECK: tt.load
// CHECK-LABEL: tt.func private @pass_on(%d: !tt.ptr<f32>, %d.shape.0: i64, %d.stride.0: i64, %d.padding: i1, %d.roundF32ToTF32: i1)
tt.func public @control(%p: !tt.ptr<f32>, %n: i32, %c: i1) -> tensor<16xf32> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <16xf32>
  %w = scf.while (%a = %d) : (!tt.tensordesc<16xf32>) -> !tt.tensordesc<16xf32> {
    scf.condition(%c) %a : !tt.tensordesc<16xf32>
  } do {
  ^bb0(%a: !tt.tensordesc<16xf32>):
    %b = tt.call @pass_on(%a) : (!tt.tensordesc<16xf32>) -> !tt.tensordesc<16xf32>
    scf.yield %b : !tt.tensordesc<16xf32>
  }
  %s = arith.select %c, %w, %d : !tt.tensordesc<16xf32>
  %v = tt.descriptor_load %s[%zero] : !tt.tensordesc<16xf32> -> tensor<16xf32>
  tt.return %v : tensor<16xf32>
}
tt.func private @pass_on(%d: !tt.tensordesc<16xf32> loc("d")) -> !tt.tensordesc<16xf32> attributes {noinline = true} {
  tt.return %d : !tt.tensordesc<16xf32>
}

// A load of Intel's text that turns its block.
// CHECK-LABEL: @turned
// CHECK: %[[V:.+]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>>
// CHECK: %[[T:.+]] = tt.trans %[[V]] {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
// CHECK: tt.return %[[T]]
tt.func public @turned(%p: !tt.ptr<f16>, %n: i32, %s: i64) -> tensor<32x64xf16> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <64x32xf16>
  %v = tt.descriptor_load %d[%n, %n] {ttig.block_io = "column_major"} : !tt.tensordesc<64x32xf16> -> tensor<32x64xf16>
  tt.return %v : tensor<32x64xf16>
}
