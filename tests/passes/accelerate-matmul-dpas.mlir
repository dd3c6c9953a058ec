// Modules that say what their machine can do, as those of Intel's Triton do; and the shapes that layouts follow.
// RUN: tritcc -x ttgir -tritonintelgpu-accelerate-matmul %s | FileCheck %s
// RUN: sed 's/"ttg.threads-per-warp" = 16/"ttg.threads-per-warp" = 32/; s/\[4, 4\], warpsPerCTA/[4, 8], warpsPerCTA/; s/\[1, 4, 4\], warps/[1, 4, 8], warps/' %s > %t.mlir
// RUN: tritcc -x ttgir -tritonintelgpu-accelerate-matmul %t.mlir | FileCheck --check-prefix=WIDE %s
// RUN: sed 's/, ttig.support_subgroup_matrix_multiply_accumulate//' %s > %t.mlir
// RUN: tritcc -x ttgir -tritonintelgpu-accelerate-matmul %t.mlir | FileCheck --check-prefix=NONE %s
// RUN: sed 's/, ttig.support_subgroup_matrix_multiply_accumulate/&, ttig.support_subgroup_matrix_multiply_accumulate_bf8/' %s > %t.mlir
// RUN: tritcc -x ttgir -tritonintelgpu-accelerate-matmul %t.mlir | FileCheck --check-prefix=NATIVE %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#batch = #ttg.blocked<{sizePerThread = [1, 4, 4], threadsPerWarp = [1, 4, 4], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
#x = #ttg.dot_op<{opIdx = 0, parent = #batch}>
#y = #ttg.dot_op<{opIdx = 1, parent = #batch}>

// Rows of a chain stay in their sub-groups, or columns where the second operand is the chain; few rows, few repeat.
// CHECK-DAG: [[$ROWS:#.+]] = #ttig.dpas<{repeatCount = 8, {{.*}} opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [2, 2], A = [16, 16], B = [16, 32], C = [16, 32]}>
// CHECK-DAG: [[$COLUMNS:#.+]] = #ttig.dpas<{repeatCount = 8, {{.*}} opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 4], repCluster = [4, 1], A = [32, 16], B = [16, 16], C = [32, 16]}>
// CHECK-DAG: [[$FEW:#.+]] = #ttig.dpas<{repeatCount = 4, {{.*}} opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 4], repCluster = [1, 1], A = [4, 16], B = [16, 16], C = [4, 16]}>
// CHECK-DAG: [[$BATCH:#.+]] = #ttig.dpas<{repeatCount = 8, {{.*}} opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2, 1], repCluster = [1, 2, 2], A = [1, 16, 16], B = [1, 16, 32], C = [1, 16, 32]}>
// WIDE: #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 32,
// NONE-NOT: ttig.dpas
// NATIVE: [[$FP8:#.+]] = #ttig.dpas<{repeatCount = 8, {{.*}} opsPerChan = 4, threadsPerWarp = 16, {{.*}} A = [32, 32], B = [32, 32], C = [32, 32]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.min_sg_size = 16 : i32, ttig.support_subgroup_matrix_multiply_accumulate} {
  // CHECK-LABEL: @rows
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf16, [[$ROWS]]>
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, [[$ROWS]]>
  tt.func @rows(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf16, #b>, %z: tensor<64x64xf16, #blocked>, %y: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %0 = tt.dot %a, %b, %z : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf16, #blocked>
    %1 = ttg.convert_layout %0 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %2 = tt.dot %1, %c, %y : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %2 : tensor<64x64xf32, #blocked>
  }
  // CHECK-LABEL: @columns
  // CHECK-COUNT-2: tt.dot {{.*}} -> tensor<64x64xf32, [[$COLUMNS]]>
  tt.func @columns(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf16, #a>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %0 = tt.dot %a, %b, %z : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    %1 = arith.truncf %0 : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %2 = ttg.convert_layout %1 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    %3 = tt.dot %c, %2, %z : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %3 : tensor<64x64xf32, #blocked>
  }
  // CHECK-LABEL: @few
  // CHECK: tt.dot {{.*}} -> tensor<4x64xf32, [[$FEW]]>
  tt.func @few(%a: tensor<4x32xbf16, #a>, %b: tensor<32x64xbf16, #b>, %z: tensor<4x64xf32, #blocked>) -> tensor<4x64xf32, #blocked> {
    %0 = tt.dot %a, %b, %z : tensor<4x32xbf16, #a> * tensor<32x64xbf16, #b> -> tensor<4x64xf32, #blocked>
    tt.return %0 : tensor<4x64xf32, #blocked>
  }
  // CHECK-LABEL: @batches
  // CHECK: tt.dot {{.*}} -> tensor<2x32x32xf32, [[$BATCH]]>
  tt.func @batches(%a: tensor<2x32x32xf16, #x>, %b: tensor<2x32x32xf16, #y>, %z: tensor<2x32x32xf32, #batch>) -> tensor<2x32x32xf32, #batch> {
    %0 = tt.dot %a, %b, %z : tensor<2x32x32xf16, #x> * tensor<2x32x32xf16, #y> -> tensor<2x32x32xf32, #batch>
    tt.return %0 : tensor<2x32x32xf32, #batch>
  }
  // CHECK-LABEL: @bytes
  // CHECK-COUNT-2: tt.fp_to_fp {{.*}} -> tensor<{{.*}}xf16,
  // NATIVE-LABEL: @bytes
  // NATIVE-NOT: tt.fp_to_fp
  // NATIVE: tt.dot {{.*}} -> tensor<64x64xf32, [[$FP8]]>
  tt.func @bytes(%a: tensor<64x32xf8E5M2, #a>, %b: tensor<32x64xf8E5M2, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %0 = tt.dot %a, %b, %z : tensor<64x32xf8E5M2, #a> * tensor<32x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    tt.return %0 : tensor<64x64xf32, #blocked>
  }
}
