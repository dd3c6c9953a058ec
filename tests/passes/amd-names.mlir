// Passes by the names and with the options of Triton's AMD back end.
// RUN: tritcc -x ttgir -tritonamdgpu-schedule-loops=num_stages=2 %s | FileCheck --check-prefix=STAGES %s
// RUN: tritcc -x ttgir -tritonamdgpu-schedule-loops=num_stages=2 '-tritonamdgpu-pipeline=use_async_copy=0 use_pingpong=0' -tritonamdgpu-reorder-instructions %s | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // STAGES-LABEL: @product
  // STAGES: tt.load %{{.*}} {loop.cluster = {{[0-9]+}} : i32, loop.stage = 0 : i32}
  // STAGES: tt.dot {{.*}} {loop.cluster = {{[0-9]+}} : i32, loop.stage = 1 : i32}
  // CHECK-LABEL: @product
  // CHECK: tt.load
  // CHECK: scf.for
  // CHECK: tt.load
  tt.func public @product(%p: tensor<64x32x!tt.ptr<f16>, #l> {tt.contiguity = dense<[8, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}, %x: tensor<128x64xf16, #a>, %n: i32) -> tensor<128x32xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %step = arith.constant dense<64> : tensor<64x32xi32, #l>
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %q = %p) -> (tensor<128x32xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #l>) : i32 {
      %v = tt.load %q : tensor<64x32x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %v : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      %next = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #l>, tensor<64x32xi32, #l>
      scf.yield %d, %next : tensor<128x32xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #l>
    }
    tt.return %r#0 : tensor<128x32xf32, #mma>
  }
}
