// RUN: tritcc -x ttgir -tritonintelgpu-accelerate-matmul %s | FileCheck %s
// RUN: sed 's/threads-per-warp" = 16/threads-per-warp" = 32/; s/\[4, 4\], warpsPerCTA/[4, 8], warpsPerCTA/' %s > %t.mlir
// RUN: tritcc -x ttgir -passes=accelerate-matmul -Rpass-missed=dot %t.mlir 2>&1 | FileCheck --check-prefix=WIDE %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// CHECK-DAG: [[$HALF:#.+]] = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
// CHECK-DAG: [[$BYTE:#.+]] = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 32], B = [32, 32], C = [32, 32]}>
// CHECK-DAG: [[$WORD:#.+]] = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 1, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 1], A = [32, 8], B = [8, 16], C = [32, 16]}>

// Sub-groups of another size multiply element by element, and say so.
// WIDE: no matrix instruction: sub-groups have 32 lanes, and those of this machine's are 16; compile for its own size
// WIDE-NOT: #ttig.dpas

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @half
  // CHECK-DAG: [[A:%.+]] = ttg.convert_layout %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = [[$HALF]], kWidth = 1}>>
  // CHECK-DAG: [[B:%.+]] = ttg.convert_layout %{{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = [[$HALF]], kWidth = 2}>>
  // CHECK: [[D:%.+]] = tt.dot [[A]], [[B]], %{{.*}} -> tensor<64x64xf32, [[$HALF]]>
  // CHECK: ttg.convert_layout [[D]] : tensor<64x64xf32, [[$HALF]]> -> tensor<64x64xf32, #blocked>
  tt.func @half(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @bytes
  // CHECK: tt.dot %{{.*}} -> tensor<64x64xi32, [[$BYTE]]>
  tt.func @bytes(%a: tensor<64x32xi8, #a>, %b: tensor<32x64xi8, #b>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x32xi8, #a> * tensor<32x64xi8, #b> -> tensor<64x64xi32, #blocked>
    tt.return %d : tensor<64x64xi32, #blocked>
  }

  // 8-bit floats become f16 ones.
  // CHECK-LABEL: @quarter
  // CHECK: tt.fp_to_fp %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = [[$HALF]], kWidth = 1}>>
  // CHECK: tt.dot %{{.*}} -> tensor<64x64xf32, [[$HALF]]>
  tt.func @quarter(%a: tensor<64x32xf8E5M2, #a>, %b: tensor<32x64xf8E5M2, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x32xf8E5M2, #a> * tensor<32x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @rounded
  // CHECK: tt.dot %{{.*}}inputPrecision = tf32{{.*}} -> tensor<64x64xf32, [[$WORD]]>
  tt.func @rounded(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @exact
  // CHECK: tt.dot %{{.*}} -> tensor<64x64xf32, #blocked>
  tt.func @exact(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
