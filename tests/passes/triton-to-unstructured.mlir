// RUN: tritcc -x ttir -passes=triton-to-unstructured %s | FileCheck %s
// positive: @gathered @scalar @added @carried @addresses
// negative: @nothing
// loop: @carried
// if: @carried

// CHECK-LABEL: tt.func @gathered
// CHECK: scf.for
// CHECK: %[[M:.*]] = tensor.extract
// CHECK: scf.if %[[M]] -> (f32)
// CHECK: memref.load
// CHECK: tensor.insert
tt.func @gathered(%p: !tt.ptr<f32>, %j: tensor<16xi32>, %m: tensor<16xi1>) -> tensor<16xf32> {
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %x = tt.addptr %b, %j : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %x, %m : tensor<16x!tt.ptr<f32>>
  tt.return %v : tensor<16xf32>
}

// CHECK-LABEL: tt.func @scalar
// CHECK: memref.load
// CHECK: memref.store
tt.func @scalar(%p: !tt.ptr<f32>, %i: i32) {
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %v = tt.load %q : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func @added
// CHECK: memref.atomic_rmw maxs
// CHECK: memref.generic_atomic_rmw
tt.func @added(%p: !tt.ptr<i32>, %v: i32) -> i32 {
  %o = tt.atomic_rmw max, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  %c = tt.atomic_cas acq_rel, gpu, %p, %v, %o : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return %c : i32
}

// A block of pointers as argument is one of addresses.
// CHECK-LABEL: tt.func @addresses(%{{.*}}: tensor<16xi64>)
// CHECK: %[[A:.*]] = tensor.extract
// CHECK: %[[M:.*]] = func.call @tritcc_memory_f32(%[[A]]) : (i64) -> memref<?xf32>
// CHECK: memref.load %[[M]][%c0{{.*}}]
tt.func @addresses(%p: tensor<16x!tt.ptr<f32>>) -> tensor<16xf32> {
  %v = tt.load %p : tensor<16x!tt.ptr<f32>>
  tt.return %v : tensor<16xf32>
}

// Pointers through control flow are offsets.
// CHECK-LABEL: tt.func @carried
// CHECK: scf.if %{{.*}} -> (i64)
// CHECK: scf.for {{.*}} -> (i64)
tt.func @carried(%p: !tt.ptr<f32>, %n: i32, %c: i1, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.if %c -> (!tt.ptr<f32>) {
    scf.yield %p : !tt.ptr<f32>
  } else {
    %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
    scf.yield %q : !tt.ptr<f32>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> (!tt.ptr<f32>) : i32 {
    tt.store %a, %x : !tt.ptr<f32>
    %b = tt.addptr %a, %i : !tt.ptr<f32>, i32
    scf.yield %b : !tt.ptr<f32>
  }
  tt.return
}

// CHECK-LABEL: tt.func @nothing
// CHECK-NEXT: arith.addi
tt.func @nothing(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  tt.return %y : i32
}
