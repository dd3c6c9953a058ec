// RUN: tritcc -x ttgir -passes=accelerate-matmul %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=accelerate-matmul{max-version=2}' %s | FileCheck %s --check-prefix=OLD
// Products for warp groups (capability 90).
// OLD-NOT: ttng.warp_group_dot
// OLD: versionMajor = 2
// OLD-NOT: ttng.warp_group_dot

// CHECK-DAG: [[$ROW:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$WIDE:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$TURNED:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
// CHECK-DAG: [[$MMA:#.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Loaded operands are read from shared memory.
  // CHECK-LABEL: @loaded
  // CHECK: [[A:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x32xf16, [[$ROW]], #smem>
  // CHECK: [[B:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xf16, [[$WIDE]], #smem>
  // CHECK: [[C:%.+]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf32, [[$MMA]]>
  // CHECK: ttng.warp_group_dot [[A]], [[B]], [[C]]
  tt.func public @loaded(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %pb: tensor<32x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %x = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<f16>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %yb = ttg.convert_layout %y : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %xa, %yb, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // A computed one stays in registers. Bytes must run along K in a buffer.
  // CHECK-LABEL: @computed
  // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xi8, [[$TURNED]], #smem>
  // CHECK: ttng.warp_group_dot %{{.*}} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 4}>> * !ttg.memdesc
  tt.func public @computed(%x: tensor<64x32xi8, #a>, %pb: tensor<32x64x!tt.ptr<i8>, #blocked>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
    %z = arith.addi %x, %x : tensor<64x32xi8, #a>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<i8>, #blocked>
    %yb = ttg.convert_layout %y : tensor<32x64xi8, #blocked> -> tensor<32x64xi8, #b>
    %d = tt.dot %z, %yb, %c : tensor<64x32xi8, #a> * tensor<32x64xi8, #b> -> tensor<64x64xi32, #blocked>
    tt.return %d : tensor<64x64xi32, #blocked>
  }

  // Fewer rows than a warp group needs: single warps do it, in a loop too.
  // CHECK-LABEL: @few_rows
  // CHECK: scf.for
  // CHECK-NOT: ttng.warp_group_dot
  // CHECK: tt.dot {{.*}} -> tensor<32x64xf32, #{{.*}}>
  tt.func public @few_rows(%x: tensor<32x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<32x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<32x64xf32, #blocked>) : i32 {
      %d = tt.dot %x, %y, %acc : tensor<32x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<32x64xf32, #blocked>
      scf.yield %d : tensor<32x64xf32, #blocked>
    }
    tt.return %r : tensor<32x64xf32, #blocked>
  }
}
