// RUN: tritcc -x ttgir -passes=schedule-loops %s | FileCheck %s
// positive: @product @branches
// negative: @prints @circular
// loop: @product @prints @circular @branches
// if: @branches

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.slice<{dim = 1, parent = #row}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // The product runs two iterations behind its load, and before the next load in the body; the pointer of
  // the next iteration is ready when its load wants it.
  // CHECK-LABEL: @product
  // CHECK: tt.load {{.*}}{loop.cluster = 3 : i32, loop.stage = 0 : i32
  // CHECK: ttg.convert_layout {{.*}}{loop.cluster = 0 : i32, loop.stage = 2 : i32
  // CHECK: tt.dot {{.*}}{loop.cluster = 0 : i32, loop.stage = 2 : i32
  // CHECK: tt.addptr {{.*}}{loop.cluster = 2 : i32, loop.stage = 1 : i32
  // CHECK: } {tt.scheduled_max_stage = 2 : i32}
  tt.func public @product(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %inc: tensor<64x32xi32, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %p = %pa) -> (tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>) : i32 {
      %va = tt.load %p {tt.latency = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %q = tt.addptr %p, %inc : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      scf.yield %d, %q : tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // What is printed is printed in order.
  // CHECK-LABEL: @prints
  // CHECK-NOT: loop.stage
  tt.func public @prints(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %va = tt.load %pa {tt.latency = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
      tt.print "i: " {hex = false, isSigned = array<i32: 1>} : %i : i32
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // The address of each load comes out of the product of the iteration before: nothing can run ahead.
  // CHECK-LABEL: @circular
  // CHECK-NOT: loop.stage
  tt.func public @circular(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x32x!tt.ptr<f16>, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %pa) -> (tensor<64x32x!tt.ptr<f16>, #blocked>) : i32 {
      %va = tt.load %p {tt.latency = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
      %o = arith.fptosi %va : tensor<64x32xf16, #blocked> to tensor<64x32xi32, #blocked>
      %q = tt.addptr %p, %o : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      scf.yield %q : tensor<64x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r : tensor<64x32x!tt.ptr<f16>, #blocked>
  }

  // A branch that an address depends on runs in front of everything; one on its own, at the end.
  // CHECK-LABEL: @branches
  // CHECK: } {loop.cluster = 0 : i32, loop.stage = 0 : i32}
  // CHECK: tt.load {{.*}}{loop.cluster = 3 : i32, loop.stage = 0 : i32}
  // CHECK: tt.dot {{.*}}{loop.cluster = 1 : i32, loop.stage = 2 : i32}
  // CHECK: } {loop.cluster = 5 : i32, loop.stage = 2 : i32}
  tt.func public @branches(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %pb: tensor<64x32x!tt.ptr<f16>, #blocked>, %v: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32, %k: i1) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %p = scf.if %k -> (tensor<64x32x!tt.ptr<f16>, #blocked>) {
        scf.yield %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
      } else {
        scf.yield %pb : tensor<64x32x!tt.ptr<f16>, #blocked>
      }
      %va = tt.load %p {tt.latency = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.if %k {
        tt.store %pb, %v : tensor<64x32x!tt.ptr<f16>, #blocked>
      }
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
