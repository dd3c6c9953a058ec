// RUN: tritcc -x ttgir -arch=sm_90a -emit=ptx=- %s | FileCheck %s
// RUN: tritcc -x ttgir -arch=sm_90a -fno-fp-fusion -emit=ptx=- %s | FileCheck %s --check-prefix=APART

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: .entry contraction(
  // CHECK: .reqntid 32
  // CHECK: fma.rn.f32
  // APART-LABEL: .entry contraction(
  // APART: mul.rn.f32
  // APART: add.rn.f32
  tt.func public @contraction(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %r : tensor<32x!tt.ptr<f32>, #blocked>, tensor<32xi32, #blocked>
    %x = tt.load %a : tensor<32x!tt.ptr<f32>, #blocked>
    %y = arith.mulf %x, %x : tensor<32xf32, #blocked>
    %z = arith.addf %y, %x : tensor<32xf32, #blocked>
    tt.store %a, %z : tensor<32x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // CHECK-LABEL: .entry functions(
  // CHECK: mul.{{(rn.)?}}f32 [[S:%r[0-9]+]], {{.*}}, 0f3FB8AA3B;
  // CHECK: ex2.approx.f32 {{.*}}, [[S]];
  // CHECK: ex2.approx.ftz.f32
  // CHECK: sqrt.approx.ftz.f32
  // CHECK: sqrt.rn.f32
  // CHECK-COUNT-2: div.full.f32
  // CHECK: div.rn.f32
  tt.func public @functions(%p: !tt.ptr<f32>, %x: f32) {
    %g = math.exp %x : f32
    %a = math.exp2 %g : f32
    %b = math.sqrt %a : f32
    %c = tt.precise_sqrt %b : f32
    %d = arith.divf %c, %x : f32
    %n = tt.approx_divf %d, %b : f32
    %e = tt.precise_divf %n, %a : f32
    tt.store %p, %e : !tt.ptr<f32>
    tt.return
  }

  // min and max with either rule for NaN
  // CHECK-LABEL: .entry extremes(
  // CHECK: max.f32
  // CHECK: max.NaN.f32
  // CHECK: min.s32
  // CHECK: mul.hi.u32
  tt.func public @extremes(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %x: f32, %y: f32, %i: i32, %j: i32) {
    %a = arith.maxnumf %x, %y : f32
    %b = arith.maximumf %a, %x : f32
    tt.store %p, %b : !tt.ptr<f32>
    %m = arith.minsi %i, %j : i32
    %h = tt.mulhiui %m, %i : i32
    tt.store %q, %h : !tt.ptr<i32>
    tt.return
  }

  // hardware conversions of pairs where the architecture has them
  // CHECK-LABEL: .entry narrow(
  // CHECK-COUNT-1: cvt.rn.satfinite.e4m3x2.f32
  // CHECK: ret;
  tt.func public @narrow(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    %a = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>, tensor<64xi32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    %x = tt.load %a : tensor<64x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>> -> tensor<64xf8E4M3FN, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    %d = tt.splat %q : !tt.ptr<f8E4M3FN> -> tensor<64x!tt.ptr<f8E4M3FN>, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    %c = tt.addptr %d, %r : tensor<64x!tt.ptr<f8E4M3FN>, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>, tensor<64xi32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    tt.store %c, %y : tensor<64x!tt.ptr<f8E4M3FN>, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    tt.return
  }

  // CHECK-LABEL: .entry inline(
  // CHECK: shl.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, 3;
  tt.func public @inline(%p: !tt.ptr<i32>, %x: i32) {
    %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.store %p, %y : !tt.ptr<i32>
    tt.return
  }
}
