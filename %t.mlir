// RUN: tritcc -x ttgir -tritonamdgpu-accelerate-matmul %s | FileCheck %s
// RUN: sed 's/hip:gfx950/hip:gfx950/' %s > %t.mlir
// RUN: tritcc -x ttgir -passes=accelerate-matmul %t.mlir | FileCheck --check-prefix=NEW %s
// RUN: tritcc -x ttgir -tritonamdgpu-accelerate-matmul='gfx-arch=gfx950 matrix-instruction-size=16' %s | FileCheck --check-prefix=ROWS %s
// RUN: tritcc -x ttgir -tritonamdgpu-accelerate-matmul='gfx-arch=gfx942 kPack=2' %s | FileCheck --check-prefix=PACK %s
// RUN: tritcc -x ttgir -accelerate-matmul='narrow-first=1' %s | FileCheck --check-prefix=NARROW %s

// ROWS-NOT: instrShape = [32
// ROWS: #ttg.amd_mfma<{version = 4, warpsPerCTA = {{.*}}, instrShape = [16, 16, 32], isTransposed = true}>
// ROWS-NOT: instrShape = [32
// PACK-LABEL: @half
// PACK: opIdx = 0, parent = #{{.*}}, kWidth = 8}>>

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// CHECK-DAG: [[$SQUARE:#.+]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: [[$SMALL:#.+]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-DAG: [[$TALL:#.+]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: [[$WIDE:#.+]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = true, elementBitWidth = 64}>
// NEW-DAG: #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
// NEW-DAG: [[$SCALED:#.+]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>
// NEW-DAG: [[$A_SCALES:#.+]] = #ttg.linear<{register = {{\[\[}}0, 2], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = {{\[\[}}0, 0], [32, 0]], block = []}>
// NEW-DAG: [[$B_SCALES:#.+]] = #ttg.linear<{register = {{\[\[}}0, 2], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = {{\[\[}}32, 0], [0, 0]], block = []}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @half
  // CHECK-DAG: [[A:%.+]] = ttg.convert_layout %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = [[$SQUARE]], kWidth = 4}>>
  // CHECK-DAG: [[B:%.+]] = ttg.convert_layout %{{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = [[$SQUARE]], kWidth = 4}>>
  // CHECK: [[D:%.+]] = tt.dot [[A]], [[B]], %{{.*}} -> tensor<64x64xf32, [[$SQUARE]]>
  // CHECK: ttg.convert_layout [[D]] : tensor<64x64xf32, [[$SQUARE]]> -> tensor<64x64xf32, #blocked>
  tt.func @half(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // Four waves have more to do with small instructions; f16 adds up in f32.
  // CHECK-LABEL: @small
  // CHECK: [[D:%.+]] = tt.dot %{{.*}} -> tensor<32x32xf32, [[$SMALL]]>
  // CHECK: [[E:%.+]] = ttg.convert_layout [[D]] : {{.*}} -> tensor<32x32xf32, #blocked>
  // CHECK: arith.truncf [[E]]
  // NARROW-LABEL: @small
  // NARROW: arith.truncf %{{.*}} : tensor<32x32xf32, [[MMA:#mma[0-9]*]]> to tensor<32x32xf16, [[MMA]]>
  tt.func @small(%a: tensor<32x32xf16, #a>, %b: tensor<32x32xf16, #b>, %c: tensor<32x32xf16, #blocked>) -> tensor<32x32xf16, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf16, #blocked>
    tt.return %d : tensor<32x32xf16, #blocked>
  }

  // The first product's rows stay in their waves, and its sums are the second one's operand.
  // CHECK-LABEL: @chained
  // CHECK: tt.dot %{{.*}} -> tensor<128x64xf32, [[$TALL]]>
  // CHECK: tt.dot %{{.*}} kWidth = 4{{.*}} -> tensor<128x64xf32, [[$TALL]]>
  tt.func @chained(%a: tensor<128x64xf16, #a>, %b: tensor<64x64xf16, #b>, %c: tensor<128x64xf32, #blocked>) -> tensor<128x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #blocked>
    %h = arith.truncf %d : tensor<128x64xf32, #blocked> to tensor<128x64xf16, #blocked>
    %p = ttg.convert_layout %h : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
    %e = tt.dot %p, %b, %c : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #blocked>
    tt.return %e : tensor<128x64xf32, #blocked>
  }

  // CHECK-LABEL: @double
  // CHECK: tt.dot %{{.*}} -> tensor<64x64xf64, [[$WIDE]]>
  tt.func @double(%a: tensor<64x32xf64, #a>, %b: tensor<32x64xf64, #b>, %c: tensor<64x64xf64, #blocked>) -> tensor<64x64xf64, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x32xf64, #a> * tensor<32x64xf64, #b> -> tensor<64x64xf64, #blocked>
    tt.return %d : tensor<64x64xf64, #blocked>
  }

  // What is OCP's fp8 to gfx950 is f16 to gfx942.
  // CHECK-LABEL: @narrow
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<64x64xf8E4M3FN, {{.*}}> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = [[$SQUARE]], kWidth = 4}>>
  // NEW-LABEL: @narrow
  // NEW: tt.dot %{{.*}} : tensor<64x64xf8E4M3FN
  tt.func @narrow(%a: tensor<64x64xf8E4M3FN, #a>, %b: tensor<64x64xf8E4M3FN, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN, #a> * tensor<64x64xf8E4M3FN, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // Too shallow, and a type that no instruction takes.
  // CHECK-LABEL: @none
  // CHECK: tt.dot %{{.*}} -> tensor<16x16xf32, #blocked>
  // CHECK: tt.dot %{{.*}} -> tensor<16x16xi32, #blocked>
  tt.func @none(%a: tensor<16x8xf16, #a>, %b: tensor<8x16xf16, #b>, %c: tensor<16x16xf32, #blocked>, %i: tensor<16x16xi16, #a>, %j: tensor<16x16xi16, #b>,
                %k: tensor<16x16xi32, #blocked>) -> (tensor<16x16xf32, #blocked>, tensor<16x16xi32, #blocked>) {
    %d = tt.dot %a, %b, %c : tensor<16x8xf16, #a> * tensor<8x16xf16, #b> -> tensor<16x16xf32, #blocked>
    %e = tt.dot %i, %j, %k : tensor<16x16xi16, #a> * tensor<16x16xi16, #b> -> tensor<16x16xi32, #blocked>
    tt.return %d, %e : tensor<16x16xf32, #blocked>, tensor<16x16xi32, #blocked>
  }

  // Scales lie with the lanes whose rows they are for; without instructions for them the product stays as it is.
  // CHECK-LABEL: @scaled
  // CHECK: tt.dot_scaled %{{.*}} -> tensor<128x128xf32, #blocked>
  // NEW-LABEL: @scaled
  // NEW: [[S:%.+]] = ttg.convert_layout %{{.*}} -> tensor<128x4xi8, [[$A_SCALES]]>
  // NEW: [[T:%.+]] = ttg.convert_layout %{{.*}} -> tensor<128x4xi8, [[$B_SCALES]]>
  // NEW: tt.dot_scaled %{{.*}} scale [[S]], %{{.*}} scale [[T]], %{{.*}} kWidth = 16{{.*}} -> tensor<128x128xf32, [[$SCALED]]>
  tt.func @scaled(%a: tensor<128x64xi8, #blocked>, %as: tensor<128x4xi8, #blocked>, %b: tensor<64x128xi8, #blocked>, %bs: tensor<128x4xi8, #blocked>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8, #blocked>, tensor<128x4xi8, #blocked> * tensor<64x128xi8, #blocked>, tensor<128x4xi8, #blocked> -> tensor<128x128xf32, #blocked>
    tt.return %d : tensor<128x128xf32, #blocked>
  }

  // An operand without scales has ones where the other one has some.
  // NEW-LABEL: @one_scaled
  // NEW: [[ONES:%.+]] = arith.constant dense<127> : tensor<128x4xi8, [[$A_SCALES]]>
  // NEW: tt.dot_scaled %{{.*}} scale [[ONES]], %{{.*}} scale %{{.*}} -> tensor<128x128xf32, [[$SCALED]]>
  tt.func @one_scaled(%a: tensor<128x64xi8, #blocked>, %b: tensor<64x128xi8, #blocked>, %bs: tensor<128x4xi8, #blocked>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %d = tt.dot_scaled %a, %b scale %bs, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8, #blocked> * tensor<64x128xi8, #blocked>, tensor<128x4xi8, #blocked> -> tensor<128x128xf32, #blocked>
    tt.return %d : tensor<128x128xf32, #blocked>
  }
}
