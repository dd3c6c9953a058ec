// RUN: tritcc -x ttgir -passes=f32-dot-tc %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=f32-dot-tc{emu-tf32=0}' %s | FileCheck %s --check-prefix=WITHOUT
// positive: @tf32x3 @bf16x3 @bf16x6 @loop
// negative: @plain @half
// loop: @loop
// if: @loop

// WITHOUT-LABEL: @tf32x3
// WITHOUT-NEXT: tt.dot {{.*}} inputPrecision = tf32x3
// WITHOUT-NEXT: tt.return
// WITHOUT-LABEL: @bf16x3
// WITHOUT-COUNT-3: tt.dot {{.*}} tensor<64x32xbf16

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

  // In a loop under a condition; infinite operands are the leading product's alone.
  // CHECK-LABEL: @loop
  // CHECK: scf.for {{.*}} iter_args([[ACC:%.+]] = %arg2)
  // CHECK: scf.if
  // CHECK-COUNT-2: tt.dot {{.*}} tensor<64x32xbf16
  // CHECK: arith.cmpf uno
  // CHECK-NEXT: [[ZERO:%.+]] = arith.constant dense<0.0
  // CHECK-NEXT: [[REST:%.+]] = arith.select %{{.*}}, [[ZERO]]
  // CHECK: [[D:%.+]] = tt.dot %{{.*}}, %{{.*}}, [[REST]]
  // CHECK-NEXT: arith.addf [[D]], [[ACC]]
  tt.func public @loop(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>, %n: i32, %c: i1) -> tensor<64x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x64xf32, #blocked>) : i32 {
      %s = scf.if %c -> (tensor<64x64xf32, #blocked>) {
        %d = tt.dot %x, %y, %acc, inputPrecision = bf16x3 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
        scf.yield %d : tensor<64x64xf32, #blocked>
      } else {
        scf.yield %acc : tensor<64x64xf32, #blocked>
      }
      scf.yield %s : tensor<64x64xf32, #blocked>
    }
    tt.return %r : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @half
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: tt.return
  tt.func public @half(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z, inputPrecision = tf32x3 : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
