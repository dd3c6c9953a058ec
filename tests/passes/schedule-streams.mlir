// Stages of loops with products on AMD's GPUs.
// RUN: tritcc -x ttgir -passes='schedule-streams{num_stages=2}' %s | FileCheck %s
// positive: @product @chain
// negative: @narrow
// loop: @product @chain @narrow

#l = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @product
  // CHECK: tt.load %{{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
  // CHECK: tt.dot {{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
  // CHECK: tt.scheduled_max_stage = 1
  tt.func public @product(%p: tensor<64x32x!tt.ptr<f32>, #l>, %x: tensor<128x64xf16, #a>, %n: i32) -> tensor<128x32xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<128x32xf32, #mma>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #l>
      %h = arith.truncf %v : tensor<64x32xf32, #l> to tensor<64x32xf16, #l>
      %y = ttg.convert_layout %h : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      scf.yield %d : tensor<128x32xf32, #mma>
    }
    tt.return %r : tensor<128x32xf32, #mma>
  }

  // Of two products in a chain the one that a load feeds has a stage.
  // CHECK-LABEL: @chain
  // CHECK: tt.load {{.*}}loop.stage = 0
  // CHECK: tt.dot {{.*}}loop.stage = 1
  // CHECK: tt.dot
  // CHECK-NOT: loop.stage
  // CHECK: tt.scheduled_max_stage = 1
  tt.func public @chain(%p: tensor<64x32x!tt.ptr<f32>, #l>, %x: tensor<128x64xf16, #a>, %w: tensor<32x32xf16, #b>, %n: i32) -> tensor<128x32xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<128x32xf32, #mma>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #l>
      %h = arith.truncf %v : tensor<64x32xf32, #l> to tensor<64x32xf16, #l>
      %y = ttg.convert_layout %h : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %none : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      %e = arith.truncf %d : tensor<128x32xf32, #mma> to tensor<128x32xf16, #mma>
      %f = ttg.convert_layout %e : tensor<128x32xf16, #mma> -> tensor<128x32xf16, #a>
      %k = tt.dot %f, %w, %c : tensor<128x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<128x32xf32, #mma>
      scf.yield %k : tensor<128x32xf32, #mma>
    }
    tt.return %r : tensor<128x32xf32, #mma>
  }

  // CDNA up to 3 leaves loads of less than a register where they are.
  // CHECK-LABEL: @narrow
  // CHECK-NOT: loop.stage
  tt.func public @narrow(%p: tensor<64x32x!tt.ptr<f16>, #l>, %x: tensor<128x64xf16, #a>, %n: i32) -> tensor<128x32xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<128x32xf32, #mma>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %v : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      scf.yield %d : tensor<128x32xf32, #mma>
    }
    tt.return %r : tensor<128x32xf32, #mma>
  }
}
