// RUN: tritcc -x ttgir -passes=optimize-partition-warps %s | FileCheck %s
// positive: @scalars @tensor @shapes @loop @copies @memory @large @unknown @branch
// negative: @none @unsplit
// loop: @loop @unsplit
// if: @branch

#row8 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#tile8 = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 2], order = [1, 0]}>
#flip8 = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 4], order = [0, 1]}>
#lanes8 = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2], order = [0, 1]}>
#line8 = #ttg.linear<{register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [0]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#square = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!bar = !ttg.memdesc<1xi64, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @scalars
  // CHECK:         ttg.warp_specialize(%{{.*}}) attributes {requestedRegisters = array<i32: 24, 24>}
  // CHECK:         partition0({{.*}}) num_warps(1)
  // CHECK:         partition1({{.*}}) num_warps(1)
  tt.func @scalars(%n: i32) {
    ttg.warp_specialize(%n)
    default { ttg.warp_yield }
    partition0(%m: i32) num_warps(8) {
      %x = arith.addi %m, %m : i32
      ttg.warp_return
    }
    partition1(%m: i32) num_warps(4) { ttg.warp_return } : (i32) -> ()
    tt.return
  }

  // The layout is that of one warp.
  // CHECK-LABEL: @tensor
  // CHECK:         requestedRegisters = array<i32: 88>
  // CHECK:         partition0({{.*}}) num_warps(1)
  // CHECK-NEXT:      arith.constant dense<1> : tensor<256xi32, #[[ONE:.*]]>
  // CHECK-NEXT:      tt.make_range {{.*}} : tensor<256xi32, #[[ONE]]>
  tt.func @tensor(%b: !ttg.memdesc<256xi32, #shared, #smem, mutable>) {
    ttg.warp_specialize(%b)
    default { ttg.warp_yield }
    partition0(%c: !ttg.memdesc<256xi32, #shared, #smem, mutable>) num_warps(8) {
      %o = arith.constant dense<1> : tensor<256xi32, #row8>
      %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #row8>
      %s = arith.addi %r, %o : tensor<256xi32, #row8>
      ttg.local_store %s, %c : tensor<256xi32, #row8> -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
      ttg.warp_return
    } : (!ttg.memdesc<256xi32, #shared, #smem, mutable>) -> ()
    tt.return
  }

  // Slices, transposed layouts and reductions go together.
  // CHECK-LABEL: @shapes
  // CHECK:         partition0({{.*}}) num_warps(1)
  // CHECK:           tt.expand_dims
  // CHECK:           tt.trans
  // CHECK:           "tt.reduce"
  tt.func @shapes(%n: i32) {
    ttg.warp_specialize(%n)
    default { ttg.warp_yield }
    partition0(%m: i32) num_warps(8) {
      %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #tile8}>>
      %e = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #tile8}>> -> tensor<32x1xi32, #tile8>
      %w = tt.broadcast %e : tensor<32x1xi32, #tile8> -> tensor<32x32xi32, #tile8>
      %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<32x32xi32, #tile8> -> tensor<32x32xi32, #flip8>
      %s = "tt.reduce"(%t) <{axis = 0 : i32}> ({
      ^bb0(%x: i32, %y: i32):
        %z = arith.addi %x, %y : i32
        tt.reduce.return %z : i32
      }) : (tensor<32x32xi32, #flip8>) -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #flip8}>>
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }

  // CHECK-LABEL: @loop
  // CHECK:         partition0({{.*}}) num_warps(1)
  // CHECK:           scf.for {{.*}} -> (tensor<256xi32, #[[ONE:.*]]>)
  // CHECK-NEXT:        arith.addi {{.*}} : tensor<256xi32, #[[ONE]]>
  tt.func @loop(%n: i32) {
    ttg.warp_specialize(%n)
    default { ttg.warp_yield }
    partition0(%m: i32) num_warps(8) {
      %o = arith.constant dense<1> : tensor<256xi32, #row8>
      %l = scf.for %i = %m to %m step %m iter_args(%a = %o) -> tensor<256xi32, #row8> : i32 {
        %s = arith.addi %a, %o : tensor<256xi32, #row8>
        scf.yield %s : tensor<256xi32, #row8>
      }
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK:         partition0({{.*}}) num_warps(1)
  // CHECK:           scf.if {{.*}} -> (tensor<256xi32, #[[ONE:.*]]>)
  // CHECK-NEXT:        scf.yield {{.*}} : tensor<256xi32, #[[ONE]]>
  tt.func @branch(%n: i1) {
    ttg.warp_specialize(%n)
    default { ttg.warp_yield }
    partition0(%m: i1) num_warps(8) {
      %o = arith.constant dense<1> : tensor<256xi32, #row8>
      %z = arith.constant dense<0> : tensor<256xi32, #row8>
      %l = scf.if %m -> tensor<256xi32, #row8> {
        scf.yield %o : tensor<256xi32, #row8>
      } else {
        scf.yield %z : tensor<256xi32, #row8>
      }
      ttg.warp_return
    } : (i1) -> ()
    tt.return
  }

  // CHECK-LABEL: @copies
  // CHECK:         partition0({{.*}}) num_warps(2)
  tt.func @copies(%d: !tt.tensordesc<64x64xf16, #square>, %b: !bar, %c: !ttg.memdesc<64x64xf16, #square, #smem, mutable>) {
    ttg.warp_specialize(%d, %b, %c)
    default { ttg.warp_yield }
    partition0(%e: !tt.tensordesc<64x64xf16, #square>, %f: !bar, %g: !ttg.memdesc<64x64xf16, #square, #smem, mutable>) num_warps(8) {
      %z = arith.constant 0 : i32
      %y = arith.constant true
      ttng.async_tma_copy_global_to_local %e[%z, %z] %g, %f, %y : !tt.tensordesc<64x64xf16, #square>, !bar -> !ttg.memdesc<64x64xf16, #square, #smem, mutable>
      ttg.warp_return
    } : (!tt.tensordesc<64x64xf16, #square>, !bar, !ttg.memdesc<64x64xf16, #square, #smem, mutable>) -> ()
    tt.return
  }

  // Lanes of tensor memory belong to four warps, which keep their rows.
  // CHECK-LABEL: @memory
  // CHECK:         partition0({{.*}}) num_warps(4)
  // CHECK-NEXT:      ttng.tmem_load {{.*}} -> tensor<128x64xf32, #{{.*}}>
  tt.func @memory(%d: !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>) {
    ttg.warp_specialize(%d)
    default { ttg.warp_yield }
    partition0(%e: !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>) num_warps(8) {
      %v = ttng.tmem_load %e : !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #lanes8>
      ttg.warp_return
    } : (!ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>) -> ()
    tt.return
  }

  // Half of the warps would have 512 registers a thread.
  // CHECK-LABEL: @large
  // CHECK:         partition0({{.*}}) num_warps(8)
  tt.func @large(%n: i32) {
    ttg.warp_specialize(%n)
    default { ttg.warp_yield }
    partition0(%m: i32) num_warps(8) {
      %v = arith.constant dense<1.0> : tensor<128x256xf32, #tile8>
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }

  // Layouts that are no blocks, operations that know their warps, and tensors from outside keep them.
  // CHECK-LABEL: @unknown
  // CHECK:         partition0({{.*}}) num_warps(8)
  // CHECK:         partition1({{.*}}) num_warps(8)
  // CHECK:         partition2({{.*}}) num_warps(4)
  tt.func @unknown(%n: i32) {
    ttg.warp_specialize(%n)
    default { ttg.warp_yield }
    partition0(%m: i32) num_warps(8) {
      %v = tt.splat %m : i32 -> tensor<128xi32, #line8>
      ttg.warp_return
    }
    partition1(%m: i32) num_warps(8) {
      %v = tt.splat %m : i32 -> tensor<256xi32, #row8>
      %w = tt.reshape %v allow_reorder : tensor<256xi32, #row8> -> tensor<16x16xi32, #tile8>
      ttg.warp_return
    }
    partition2(%m: i32) num_warps(4) {
      %w = ttg.warp_id
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }

  // CHECK-LABEL: @none
  // CHECK-NOT:     warp_specialize
  tt.func @none(%n: i32) {
    tt.return
  }

  // CHECK-LABEL: @unsplit
  // CHECK:         scf.for {{.*}} -> (tensor<256xi32, #[[ROW:.*]]>)
  tt.func @unsplit(%n: i32) -> tensor<256xi32, #row8> {
    %o = arith.constant dense<1> : tensor<256xi32, #row8>
    %l = scf.for %i = %n to %n step %n iter_args(%a = %o) -> tensor<256xi32, #row8> : i32 {
      %s = arith.addi %a, %o : tensor<256xi32, #row8>
      scf.yield %s : tensor<256xi32, #row8>
    }
    tt.return %l : tensor<256xi32, #row8>
  }
}
