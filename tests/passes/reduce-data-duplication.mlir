// RUN: tritcc -x ttgir -passes=reduce-data-duplication %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>

// CHECK-DAG: [[$SHARED:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @through_shared
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc %arg0 : (tensor<128x64xf16, #{{.+}}>) -> !ttg.memdesc<128x64xf16, [[$SHARED]], #smem>
  // CHECK-NEXT: ttg.local_load [[M]]
  tt.func public @through_shared(%x: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
    %o = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    tt.return %o : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  }

  // An accumulator that becomes an operand stays in its threads.
  // CHECK-LABEL: @in_registers
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.return
  tt.func public @in_registers(%x: tensor<128x64xf16, #mma>) -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
    %o = ttg.convert_layout %x : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    tt.return %o : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  }

  // Only operands of products get buffers.
  // CHECK-LABEL: @plain
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.return
  tt.func public @plain(%x: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #mma> {
    %o = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #mma>
    tt.return %o : tensor<128x64xf16, #mma>
  }
}
