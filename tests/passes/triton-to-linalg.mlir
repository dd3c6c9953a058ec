// RUN: tritcc -x ttir -passes=triton-to-linalg %s | FileCheck %s
// positive: @kernel @block
// negative: @done
// loop: @done
// if: @done

// CHECK-LABEL: func.func @kernel(
// CHECK: memref.copy
// CHECK: bufferization.to_tensor
// CHECK: bufferization.materialize_in_destination
// CHECK-NOT: tt.
// CHECK: return
tt.func public @kernel(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %c = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %y = tt.addptr %c, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %x : tensor<128x!tt.ptr<f32>>
  tt.store %y, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Block pointers and calls of other compilers' ttir.
// CHECK-LABEL: func.func @block(
// CHECK: memref.copy
// CHECK: bufferization.materialize_in_destination
// CHECK-NOT: tt.
// CHECK: return
tt.func private @twice(%v: tensor<16xf32>) -> tensor<16xf32> {
  %w = arith.addf %v, %v : tensor<16xf32>
  tt.return %w : tensor<16xf32>
}
tt.func public @block(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %b = tt.make_tensor_ptr %p, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %v = tt.load %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  %w = tt.call @twice(%v) : (tensor<16xf32>) -> tensor<16xf32>
  %o = tt.make_tensor_ptr %q, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  tt.store %o, %w : !tt.ptr<tensor<16xf32>>
  tt.return
}

// CHECK-LABEL: func.func @done
// CHECK: scf.for
// CHECK: scf.if
func.func @done(%c: i1, %x: f32, %n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      memref.store %x, %m[%i] : memref<?xf32>
    }
  }
  return
}
