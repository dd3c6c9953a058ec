// RUN: tritcc -x ttgir -passes=f32-dot-tc %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @tf32x3
  // CHECK: [[SMALLA:%.+]] = arith.subf %arg0, [[BIGA:%.+]] : tensor<64x32xf32
  // CHECK: [[SMALLB:%.+]] = arith.subf %arg1, [[BIGB:%.+]] : tensor<32x64xf32
  // CHECK: [[D1:%.+]] = tt.dot [[SMALLA]], [[BIGB]], %{{.*}}, inputPrecision = tf32
  // CHECK: [[D2:%.+]] = tt.dot [[BIGA]], [[SMALLB]], [[D1]], inputPrecision = tf32
  // CHECK: [[NAN:%.+]] = arith.cmpf uno, [[D2]], [[D2]]
  // CHECK: [[D3:%.+]] = arith.select [[NAN]], %{{.*}}, [[D2]]
  // CHECK: [[D4:%.+]] = tt.dot [[BIGA]], [[BIGB]], [[D3]], inputPrecision = tf32
  // CHECK: arith.addf [[D4]], %arg2
  tt.func public @tf32x3(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z, inputPrecision = tf32x3 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @bf16x3
  // CHECK-COUNT-3: tt.dot {{.*}} tensor<64x32xbf16
  // CHECK-NOT: tt.dot
  tt.func public @bf16x3(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z, inputPrecision = bf16x3 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @bf16x6
  // CHECK-COUNT-6: tt.dot {{.*}} tensor<64x32xbf16
  // CHECK-NOT: tt.dot
  tt.func public @bf16x6(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z, inputPrecision = bf16x6 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @plain
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: tt.return
  tt.func public @plain(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
