// RUN: tritcc -x ttgir '-passes=assign-latencies{num-stages=3},schedule-loops,pipeline,reduce-data-duplication,reorder-instructions' %s | FileCheck %s
// RUN: sed 's/<256x/<512x/g' %s > %t.mlir
// RUN: tritcc -x ttgir '-passes=assign-latencies{num-stages=3},schedule-loops,pipeline' %t.mlir | FileCheck --check-prefix=SMALL %s

// A machine without asynchronous copies loads the next iteration's blocks into registers while it multiplies this one's,
// which it writes to shared memory first. Where registers are too few, loads stay where they are.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @product
  // CHECK-DAG: [[MORE:%.+]] = arith.cmpi slt
  // CHECK: [[A0:%.+]] = tt.load
  // CHECK: [[B0:%.+]] = tt.load
  // CHECK: scf.for {{.*}}[[A:%[^ ]+]] = [[A0]], [[B:%[^ ]+]] = [[B0]])
  // CHECK: [[MA:%.+]] = ttg.local_alloc [[A]]
  // CHECK: [[MB:%.+]] = ttg.local_alloc [[B]]
  // CHECK: [[A1:%.+]] = tt.load
  // CHECK: [[B1:%.+]] = tt.load
  // CHECK: ttg.local_load [[MA]]
  // CHECK: ttg.local_load [[MB]]
  // CHECK: tt.dot
  // CHECK: scf.yield {{.*}}[[A1]], [[B1]]
  // SMALL-LABEL: @product
  // SMALL: scf.for
  // SMALL-COUNT-2: tt.load
  // SMALL: tt.dot
  tt.func @product(%pa: tensor<256x64x!tt.ptr<f16>, #blocked>, %pb: tensor<64x256x!tt.ptr<f16>, #blocked1>, %n: i32) -> tensor<256x256xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<256x256xf32, #mma>
    %sa = arith.constant dense<64> : tensor<256x64xi32, #blocked>
    %sb = arith.constant dense<64> : tensor<64x256xi32, #blocked1>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %pa, %q = %pb) -> (tensor<256x256xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #blocked>, tensor<64x256x!tt.ptr<f16>, #blocked1>) : i32 {
      %x = tt.load %p : tensor<256x64x!tt.ptr<f16>, #blocked>
      %y = tt.load %q : tensor<64x256x!tt.ptr<f16>, #blocked1>
      %xa = ttg.convert_layout %x : tensor<256x64xf16, #blocked> -> tensor<256x64xf16, #a>
      %yb = ttg.convert_layout %y : tensor<64x256xf16, #blocked1> -> tensor<64x256xf16, #b>
      %d = tt.dot %xa, %yb, %acc : tensor<256x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<256x256xf32, #mma>
      %p1 = tt.addptr %p, %sa : tensor<256x64x!tt.ptr<f16>, #blocked>, tensor<256x64xi32, #blocked>
      %q1 = tt.addptr %q, %sb : tensor<64x256x!tt.ptr<f16>, #blocked1>, tensor<64x256xi32, #blocked1>
      scf.yield %d, %p1, %q1 : tensor<256x256xf32, #mma>, tensor<256x64x!tt.ptr<f16>, #blocked>, tensor<64x256x!tt.ptr<f16>, #blocked1>
    }
    tt.return %r#0 : tensor<256x256xf32, #mma>
  }
}
