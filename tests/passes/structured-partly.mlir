// RUN: tritcc --triton-to-structured --structured-to-memref -x ttir %s | FileCheck %s

// What is no pointer is left to other passes.
// CHECK-LABEL: func.func @partly(%{{.*}}: memref<?xi32>
// CHECK: tt.make_range
// CHECK: memref.reinterpret_cast
// CHECK: memref.copy
// CHECK: arith.addi %{{.*}} : tensor<16xi32>
tt.func public @partly(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %b = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %x = tt.addptr %b, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %v = tt.load %x : tensor<16x!tt.ptr<i32>>
  %s = arith.addi %v, %r : tensor<16xi32>
  tt.store %x, %s : tensor<16x!tt.ptr<i32>>
  tt.return
}
