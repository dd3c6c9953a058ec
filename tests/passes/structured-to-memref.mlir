// RUN: tritcc -x ttir -passes=structured-to-memref %s | FileCheck %s
// RUN: tritcc -x ttir -passes='structured-to-memref{vendor=1}' %s | FileCheck --check-prefix=VENDOR %s
// positive: @kernel
// negative: @other
// loop: @other
// if: @other

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %{{.*}}: f32, %{{.*}}: i32, %{{.*}}: i32, %[[NZ:.*]]: i32, %[[PX:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32)
// CHECK: arith.addi %[[PX]], %[[NZ]]
// VENDOR-LABEL: func.func @kernel(
// VENDOR-SAME: %{{.*}}: memref<?xi8>, %{{.*}}: memref<?xi8>, %{{.*}}: memref<?xf32> {tt.tensor_kind = 1 : i32}, %{{.*}}: f32
// VENDOR-SAME: SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv", parallel_mode = "simd"
tt.func public @kernel(%p: !tt.ptr<f32>, %v: f32) {
  %i = tt.get_program_id x : i32
  %n = tt.get_num_programs z : i32
  %s = arith.addi %i, %n : i32
  %k = arith.index_cast %s : i32 to index
  %m = builtin.unrealized_conversion_cast %p : !tt.ptr<f32> to memref<?xf32>
  memref.store %v, %m[%k] : memref<?xf32>
  tt.return
}

// CHECK-LABEL: func.func @other
// CHECK: scf.for
// CHECK: scf.if
func.func @other(%c: i1, %x: f32, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    scf.if %c {
      memref.store %x, %m[%i] : memref<?xf32>
    }
  }
  return
}
