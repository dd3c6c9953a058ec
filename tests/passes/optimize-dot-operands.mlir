// RUN: tritcc -x ttgir -passes=optimize-dot-operands %s | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// CHECK-DAG: [[$ROWS:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: [[$COLUMNS:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @transposed
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc %arg0 : (tensor<128x64xf16, #{{.+}}>) -> !ttg.memdesc<128x64xf16, [[$ROWS]], #smem>
  // CHECK-NEXT: [[V:%.+]] = ttg.memdesc_trans [[M]] {order = array<i32: 1, 0>} {{.*}} -> !ttg.memdesc<64x128xf16, [[$COLUMNS]], #smem>
  // CHECK-NEXT: ttg.local_load [[V]]
  tt.func public @transposed(%x: tensor<128x64xf16, #row>) -> tensor<64x128xf16, #b> {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
    %o = ttg.convert_layout %t : tensor<64x128xf16, #column> -> tensor<64x128xf16, #b>
    tt.return %o : tensor<64x128xf16, #b>
  }

  // The transposed value is needed itself.
  // CHECK-LABEL: @used_twice
  // CHECK: tt.trans
  // CHECK: ttg.convert_layout
  tt.func public @used_twice(%x: tensor<128x64xf16, #row>) -> (tensor<64x128xf16, #b>, tensor<64x128xf16, #column>) {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
    %o = ttg.convert_layout %t : tensor<64x128xf16, #column> -> tensor<64x128xf16, #b>
    tt.return %o, %t : tensor<64x128xf16, #b>, tensor<64x128xf16, #column>
  }
}
