// RUN: tritcc -x ttir -passes=triton-to-structured,canonicalize,cse %s | FileCheck %s
// RUN: tritcc -x ttir -passes='triton-to-structured{vendor=1},canonicalize,cse' %s | FileCheck --check-prefix=VENDOR %s
// RUN: tritcc --triton-to-structured="enable-make-gather-scatter=false" -x ttir %s | FileCheck --check-prefix=PLAIN %s
// RUN: tritcc --triton-to-structured=run-prepass-only -x ttir %s | FileCheck --check-prefix=PREPASS %s
// positive: @copied @rows @picked @wrapped @carried @stored @guarded @summed
// negative: @listed @masked
// loop: @carried
// if: @guarded

// CHECK-LABEL: tt.func @copied
// CHECK: %[[B:.*]] = memref.alloc() : memref<128xf32>
// CHECK: scf.if
// CHECK-NEXT: linalg.fill
// CHECK: %[[R:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [128], strides: [1]
// CHECK: memref.subview %[[R]][0] [%[[K:.*]]] [1]
// CHECK: memref.subview %[[B]][0] [%[[K]]] [1]
// CHECK: memref.copy
// CHECK: bufferization.to_tensor %[[B]] restrict writable
// CHECK: tensor.extract_slice
// CHECK: bufferization.materialize_in_destination
tt.func @copied(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %s : tensor<128xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %c = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %y = tt.addptr %c, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %x, %m : tensor<128x!tt.ptr<f32>>
  tt.store %y, %v, %m : tensor<128x!tt.ptr<f32>>
  tt.return
}

// What does not depend on a dimension is copied once.
// CHECK-LABEL: tt.func @rows
// CHECK: memref.alloc() : memref<1x32xf32>
// CHECK: memref.copy
// CHECK: tt.broadcast
tt.func @rows(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %e = tt.expand_dims %x {axis = 0 : i32} : tensor<32x!tt.ptr<f32>> -> tensor<1x32x!tt.ptr<f32>>
  %w = tt.broadcast %e : tensor<1x32x!tt.ptr<f32>> -> tensor<16x32x!tt.ptr<f32>>
  %v = tt.load %w : tensor<16x32x!tt.ptr<f32>>
  %o = tt.splat %q : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  tt.store %o, %v : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Rows from a list, one after the other.
// PLAIN-LABEL: tt.func @picked
// PLAIN: tt.load
// PLAIN: tt.store
// PREPASS-NOT: memref.
// CHECK-LABEL: tt.func @picked
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: memref.reinterpret_cast {{.*}} sizes: [1, 32]
// CHECK: memref.copy
tt.func @picked(%p: !tt.ptr<f32>, %j: tensor<16xi32>, %q: tensor<16x32x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.constant dense<64> : tensor<16xi32>
  %d = arith.muli %j, %c : tensor<16xi32>
  %e = tt.expand_dims %d {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %f = tt.broadcast %e : tensor<16x1xi32> -> tensor<16x32xi32>
  %g = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %h = tt.broadcast %g : tensor<1x32xi32> -> tensor<16x32xi32>
  %i = arith.addi %f, %h : tensor<16x32xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %x = tt.addptr %b, %i : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %v = tt.load %x : tensor<16x32x!tt.ptr<f32>>
  tt.store %q, %v : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// Indices modulo a size, in runs up to its multiples.
// CHECK-LABEL: tt.func @wrapped
// CHECK: scf.while
// CHECK: arith.remsi
// CHECK: memref.copy
tt.func @wrapped(%p: !tt.ptr<f32>, %n: i32, %q: tensor<32x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %s = tt.splat %n : i32 -> tensor<32xi32>
  %w = arith.remsi %r, %s : tensor<32xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %x = tt.addptr %b, %w : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %x : tensor<32x!tt.ptr<f32>>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}

// The pointer is not carried any more.
// CHECK-LABEL: tt.func @carried
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<64xf32>)
// CHECK: memref.copy
tt.func @carried(%p: !tt.ptr<f32>, %n: i32, %q: tensor<64x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %y = %x) -> (tensor<64xf32>, tensor<64x!tt.ptr<f32>>) : i32 {
    %v = tt.load %y : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %a, %v : tensor<64xf32>
    %z = tt.addptr %y, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %s, %z : tensor<64xf32>, tensor<64x!tt.ptr<f32>>
  }
  tt.store %q, %l#0 : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @stored
// CHECK: bufferization.materialize_in_destination
tt.func @stored(%p: !tt.ptr<i1>, %v: tensor<32xi1>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %b = tt.splat %p : !tt.ptr<i1> -> tensor<32x!tt.ptr<i1>>
  %x = tt.addptr %b, %r : tensor<32x!tt.ptr<i1>>, tensor<32xi32>
  tt.store %x, %v : tensor<32x!tt.ptr<i1>>
  tt.return
}

// CHECK-LABEL: tt.func @guarded
// CHECK: scf.if
// CHECK: memref.copy
tt.func @guarded(%p: !tt.ptr<f32>, %c: i1, %q: tensor<32x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  scf.if %c {
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %x = tt.addptr %b, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %v = tt.load %x : tensor<32x!tt.ptr<f32>>
    tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  }
  tt.return
}

// The vendor's form of an atomic operation, and what a mask leaves out of a load without `other`.
// VENDOR-LABEL: tt.func @summed
// VENDOR-NOT: linalg.fill
// VENDOR: linalg.generic {{.*}} attrs = {GenericAtomicRMW = "fadd", MemSemantic = "relaxed", MemSyncScope = "sys"}
// CHECK-LABEL: tt.func @summed
// CHECK: linalg.fill
// CHECK: tt.atomic_rmw
tt.func @summed(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %s : tensor<128xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %x, %m : tensor<128x!tt.ptr<f32>>
  %o = tt.atomic_rmw fadd, relaxed, sys, %x, %v, %m : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
  tt.return
}

// CHECK-LABEL: tt.func @listed
// CHECK: tt.load
// CHECK-NOT: memref
tt.func @listed(%p: !tt.ptr<f32>, %j: tensor<16xi32>, %q: tensor<16x!tt.ptr<f32>>) {
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %x = tt.addptr %b, %j : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %x : tensor<16x!tt.ptr<f32>>
  tt.store %q, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @masked
// CHECK: tt.load
// CHECK-NOT: memref
tt.func @masked(%p: !tt.ptr<f32>, %m: tensor<16xi1>, %q: tensor<16x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %x, %m : tensor<16x!tt.ptr<f32>>
  tt.store %q, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}
