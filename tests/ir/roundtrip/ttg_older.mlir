// Before Triton 3.3 dialects had longer names, and a shared layout said by a flag what tensor cores read.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
// CHECK-DAG: #[[B:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[OLD:.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: #[[TC:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[TURNED:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[ROWS:.+]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK: module attributes {{.*}}"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, x.old = #[[OLD]]
#blocked = #triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]}>
#mma = #triton_gpu.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0], instrShape = [16, 64, 16]}>
#old = #triton_gpu.mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#rows = #triton_gpu.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], hasLeadingOffset = false}>
#tc = #triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0], hasLeadingOffset = true}>
#turned = #triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1], hasLeadingOffset = true}>
module attributes {"triton_gpu.compute-capability" = 90 : i32, "triton_gpu.num-ctas" = 1 : i32, "triton_gpu.num-warps" = 4 : i32, "triton_gpu.threads-per-warp" = 32 : i32, x.old = #old} {
  // CHECK: tt.func public @k(%arg0: tensor<64x64xf16, #[[B]]>
  tt.func public @k(%x: tensor<64x64xf16, #blocked>, %a: !tt.memdesc<64x64xf16, #tc, #triton_gpu.shared_memory>, %b: !triton_gpu.memdesc<64x64xf16, #turned, #triton_gpu.shared_memory>, %c: tensor<64x64xf32, #mma>) {
    // CHECK: ttg.local_alloc %arg0 : (tensor<64x64xf16, #[[B]]>) -> !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
    %0 = triton_gpu.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !tt.memdesc<64x64xf16, #rows, #triton_gpu.shared_memory>
    // CHECK: ttng.warp_group_dot %arg1, %arg2, %arg3 {{.*}} : !ttg.memdesc<64x64xf16, #[[TC]], #smem> * !ttg.memdesc<64x64xf16, #[[TURNED]], #smem> -> tensor<64x64xf32, #[[MMA]]>
    %1 = triton_nvidia_gpu.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !tt.memdesc<64x64xf16, #tc, #triton_gpu.shared_memory> * !triton_gpu.memdesc<64x64xf16, #turned, #triton_gpu.shared_memory> -> tensor<64x64xf32, #mma>
    // CHECK: ttg.convert_layout
    %2 = triton_gpu.convert_layout %1 : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}
