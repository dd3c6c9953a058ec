// RUN: tritcc -x ttgir '-passes=hoist-layout-conversions{grf-mode=128}' %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=hoist-layout-conversions{grf-mode=256},triton-licm' %s | FileCheck %s --check-prefix=MANY
// RUN: tritcc -x ttgir '-passes=hoist-layout-conversions{grf-mode=128},triton-licm' %s | FileCheck %s --check-prefix=FEW
// positive: @operand @inner @wide
// negative: @sums @carried @conditional
// loop: @operand @inner @wide @sums @carried @conditional
// if: @conditional

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @operand
  // CHECK: ttg.convert_layout %arg0
  // CHECK-NEXT: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.yield
  tt.func @operand(%x: tensor<32x16xf16, #blocked>, %y: tensor<16x16xf16, #b>, %z: tensor<32x16xf32, #dpas>, %n: i32) -> tensor<32x16xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x16xf32, #dpas>) : i32 {
      %c = ttg.convert_layout %x : tensor<32x16xf16, #blocked> -> tensor<32x16xf16, #a>
      %d = tt.dot %c, %y, %acc : tensor<32x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<32x16xf32, #dpas>
      scf.yield %d : tensor<32x16xf32, #dpas>
    }
    tt.return %r : tensor<32x16xf32, #dpas>
  }
  // Out of one loop.
  // CHECK-LABEL: @inner
  // CHECK: scf.for
  // CHECK-NEXT: ttg.convert_layout %arg0
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tt.dot
  tt.func @inner(%x: tensor<32x16xf16, #blocked>, %y: tensor<16x16xf16, #b>, %z: tensor<32x16xf32, #dpas>, %n: i32) -> tensor<32x16xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %z) -> (tensor<32x16xf32, #dpas>) : i32 {
      %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %outer) -> (tensor<32x16xf32, #dpas>) : i32 {
        %c = ttg.convert_layout %x : tensor<32x16xf16, #blocked> -> tensor<32x16xf16, #a>
        %d = tt.dot %c, %y, %acc : tensor<32x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<32x16xf32, #dpas>
        scf.yield %d : tensor<32x16xf32, #dpas>
      }
      scf.yield %s : tensor<32x16xf32, #dpas>
    }
    tt.return %r : tensor<32x16xf32, #dpas>
  }
  // 2 KB, of which another 2 KB are converted: too much of 4 KB, and triton-licm is told; not of 8.
  // CHECK-LABEL: @wide
  // CHECK: scf.for
  // CHECK-NEXT: ttg.convert_layout %arg0 {tt.no_licm}
  // FEW-LABEL: @wide
  // FEW: scf.for
  // FEW-NEXT: ttg.convert_layout
  // MANY-LABEL: @wide
  // MANY: ttg.convert_layout %arg0 :
  // MANY: scf.for
  // MANY-NEXT: tt.dot
  tt.func @wide(%x: tensor<256x64xf16, #blocked>, %y: tensor<64x16xf16, #b>, %z: tensor<256x16xf32, #dpas>, %n: i32) -> tensor<256x16xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<256x16xf32, #dpas>) : i32 {
      %c = ttg.convert_layout %x : tensor<256x64xf16, #blocked> -> tensor<256x64xf16, #a>
      %d = tt.dot %c, %y, %acc : tensor<256x64xf16, #a> * tensor<64x16xf16, #b> -> tensor<256x16xf32, #dpas>
      scf.yield %d : tensor<256x16xf32, #dpas>
    }
    tt.return %r : tensor<256x16xf32, #dpas>
  }
  // No operand.
  // CHECK-LABEL: @sums
  // CHECK: scf.for
  // CHECK-NEXT: ttg.convert_layout %arg0 :
  tt.func @sums(%x: tensor<32x16xf32, #blocked>, %z: tensor<32x16xf32, #dpas>, %n: i32) -> tensor<32x16xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x16xf32, #dpas>) : i32 {
      %c = ttg.convert_layout %x : tensor<32x16xf32, #blocked> -> tensor<32x16xf32, #dpas>
      %d = arith.addf %c, %acc : tensor<32x16xf32, #dpas>
      scf.yield %d : tensor<32x16xf32, #dpas>
    }
    tt.return %r : tensor<32x16xf32, #dpas>
  }
  // Another one in each iteration.
  // CHECK-LABEL: @carried
  // CHECK: scf.for
  // CHECK-NEXT: ttg.convert_layout
  tt.func @carried(%x: tensor<32x16xf16, #blocked>, %y: tensor<16x16xf16, #b>, %z: tensor<32x16xf32, #dpas>, %n: i32) -> tensor<32x16xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %v = %x) -> (tensor<32x16xf32, #dpas>, tensor<32x16xf16, #blocked>) : i32 {
      %c = ttg.convert_layout %v : tensor<32x16xf16, #blocked> -> tensor<32x16xf16, #a>
      %d = tt.dot %c, %y, %acc : tensor<32x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<32x16xf32, #dpas>
      %w = arith.addf %v, %v : tensor<32x16xf16, #blocked>
      scf.yield %d, %w : tensor<32x16xf32, #dpas>, tensor<32x16xf16, #blocked>
    }
    tt.return %r#0 : tensor<32x16xf32, #dpas>
  }
  // Where it may not be needed at all.
  // CHECK-LABEL: @conditional
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK-NEXT: ttg.convert_layout
  tt.func @conditional(%x: tensor<32x16xf16, #blocked>, %y: tensor<16x16xf16, #b>, %z: tensor<32x16xf32, #dpas>, %n: i32, %f: i1) -> tensor<32x16xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<32x16xf32, #dpas>) : i32 {
      %s = scf.if %f -> (tensor<32x16xf32, #dpas>) {
        %c = ttg.convert_layout %x : tensor<32x16xf16, #blocked> -> tensor<32x16xf16, #a>
        %d = tt.dot %c, %y, %acc : tensor<32x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<32x16xf32, #dpas>
        scf.yield %d : tensor<32x16xf32, #dpas>
      } else {
        scf.yield %acc : tensor<32x16xf32, #dpas>
      }
      scf.yield %s : tensor<32x16xf32, #dpas>
    }
    tt.return %r : tensor<32x16xf32, #dpas>
  }
}
