// Loops with products on AMD's GPUs: what they load ahead goes through registers and shared memory, or past registers.
// RUN: tritcc -x ttgir -passes='schedule-streams{num_stages=2},stream-pipeline,canonicalize' %s | FileCheck --check-prefixes=BOTH,STORE %s
// RUN: tritcc -x ttgir -passes='stream-pipeline{num_stages=2 use_async_copy=1},canonicalize' %s | FileCheck --check-prefixes=BOTH,COPY %s
// RUN: tritcc -x ttgir -tritonamdgpu-stream-pipeline='num_stages=4 use_async_copy=1' %s | FileCheck --check-prefix=CHAIN %s
// positive: @product @known
// negative: @barrier
// loop: @product @known @barrier

#l = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  // The loop leaves out one iteration, whose product lies behind it, if there is one.
  // BOTH-LABEL: @product
  // STORE: ttg.local_alloc : () -> !ttg.memdesc<1x64x32xf16,
  // COPY: ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16,
  // BOTH: %[[ANY:.+]] = arith.cmpi sgt, %[[N:arg[0-9]+]], %c0_i32
  // STORE: tt.load {{.*}} {amd.pipeliner_part = "prologue"}
  // STORE: ttg.local_store
  // COPY: ttg.async_copy_global_to_local {{.*}} mask
  // BOTH: %[[LESS:.+]] = arith.{{subi|addi}} %[[N]]
  // BOTH: scf.for {{.*}} to %[[LESS]]
  // COPY: ttg.async_wait {{.*}} {num = 0 : i32}
  // COPY: ttg.async_copy_global_to_local
  // STORE: tt.load %{{[0-9a-z]+}} :
  // BOTH: ttg.local_load
  // BOTH: tt.dot
  // STORE: ttg.local_store
  // BOTH: scf.yield
  // COPY: ttg.async_wait
  // BOTH: ttg.local_load
  // BOTH: scf.if %[[ANY]]
  // BOTH-NEXT: tt.dot
  // BOTH: ttg.local_dealloc
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

  // A known number of iterations, with the position of each: nothing is masked, no branch is left.
  // BOTH-LABEL: @known
  // COPY-NOT: mask
  // BOTH-NOT: scf.if
  // BOTH: scf.for {{.*}} to %c7_i32
  // BOTH: scf.yield
  // BOTH: tt.dot
  // BOTH: arith.addi {{.*}} %c7_i32
  tt.func public @known(%p: tensor<64x32x!tt.ptr<f16>, #l> {tt.contiguity = dense<[8, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}, %x: tensor<128x64xf16, #a>) -> (tensor<128x32xf32, #mma>, i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%c = %none, %s = %zero) -> (tensor<128x32xf32, #mma>, i32) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %v : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      %t = arith.addi %s, %i : i32
      scf.yield %d, %t : tensor<128x32xf32, #mma>, i32
    }
    tt.return %r#0, %r#1 : tensor<128x32xf32, #mma>, i32
  }

  // Over four stages the second product runs beside what follows the first one of the next iteration.
  // CHAIN-LABEL: @chain
  // CHAIN: scf.for
  // CHAIN: tt.dot
  // CHAIN: arith.truncf
  // CHAIN: ttg.async_wait
  // CHAIN: ttg.local_load
  // CHAIN: ttg.async_copy_global_to_local
  // CHAIN: tt.dot
  // CHAIN: ttg.async_wait
  // CHAIN: ttg.local_load
  // CHAIN: ttg.async_copy_global_to_local
  // CHAIN: scf.yield
  tt.func public @chain(%p: tensor<64x32x!tt.ptr<f16>, #l> {tt.contiguity = dense<[8, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}, %w: tensor<32x32x!tt.ptr<f16>, #l> {tt.contiguity = dense<[8, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}, %x: tensor<128x64xf16, #a>, %n: i32) -> tensor<128x32xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<128x32xf32, #mma>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %v : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %none : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      %e = arith.truncf %d : tensor<128x32xf32, #mma> to tensor<128x32xf16, #mma>
      %f = ttg.convert_layout %e : tensor<128x32xf16, #mma> -> tensor<128x32xf16, #a>
      %g = tt.load %w : tensor<32x32x!tt.ptr<f16>, #l>
      %h = ttg.convert_layout %g : tensor<32x32xf16, #l> -> tensor<32x32xf16, #b>
      %k = tt.dot %f, %h, %c : tensor<128x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<128x32xf32, #mma>
      scf.yield %k : tensor<128x32xf32, #mma>
    }
    tt.return %r : tensor<128x32xf32, #mma>
  }

  // Nothing runs ahead of a barrier that the source has.
  // BOTH-LABEL: @barrier
  // BOTH-NOT: ttg.local_alloc
  // BOTH: tt.return
  tt.func public @barrier(%p: tensor<64x32x!tt.ptr<f16>, #l> {tt.contiguity = dense<[8, 1]> : tensor<2xi32>, tt.divisibility = dense<[16, 1]> : tensor<2xi32>}, %x: tensor<128x64xf16, #a>, %n: i32) -> tensor<128x32xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128x32xf32, #mma>
    %r = scf.for %i = %zero to %n step %one iter_args(%c = %none) -> (tensor<128x32xf32, #mma>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #l>
      ttg.barrier local
      %y = ttg.convert_layout %v : tensor<64x32xf16, #l> -> tensor<64x32xf16, #b>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<128x32xf32, #mma>
      scf.yield %d : tensor<128x32xf32, #mma>
    }
    tt.return %r : tensor<128x32xf32, #mma>
  }
}
