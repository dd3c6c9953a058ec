// RUN: tritcc -x ttgir '-passes=pipeline-lower-loop,remove-layout-conversions,canonicalize,cse' %s | FileCheck %s
// RUN: sed 's/gfx950/gfx942/' %s | tritcc -x ttgir '-passes=pipeline-lower-loop' - | FileCheck --check-prefix=OTHER %s
// positive: @rows
// negative: @across @indirect
// loop: @rows @across @indirect

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  // Lanes hold what lies side by side in the swizzled buffer; the wait stands in front of what is loaded next.
  // CHECK: [[$ROWS:#.+]] = #ttg.generic_linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 8], [4, 16]], warp = {{\[\[}}8, 32], [16, 0]], block = []}>
  // CHECK: [[$SHARED:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
  // CHECK-LABEL: @rows
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, [[$SHARED]], #smem, mutable>
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout %{{.*}}!tt.ptr
  // CHECK: [[T:%.+]] = ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32, loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>, [[$ROWS]]>
  // CHECK: [[G:%.+]] = ttg.async_commit_group tokens [[T]]
  // CHECK: [[W:%.+]] = ttg.async_wait [[G]] {loop.cluster = 0 : i32, loop.stage = 1 : i32, num = 0 : i32}
  // CHECK: ttg.local_load %{{.*}} token [[W]] {loop.cluster = 2 : i32, loop.stage = 1 : i32}
  // OTHER-LABEL: @rows
  // OTHER-NOT: async_copy
  // OTHER-LABEL: @across
  tt.func @rows(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: tensor<64x64xf16, #b>, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %step = arith.constant dense<64> : tensor<64x64xi32, #blocked>
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %s = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
    %r2 = arith.muli %r1, %s : tensor<64x1xi32, #blocked>
    %r3 = tt.broadcast %r2 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %c2 = tt.broadcast %c1 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %o = arith.addi %r3, %c2 : tensor<64x64xi32, #blocked>
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %first = tt.addptr %p, %o : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %d:2 = scf.for %i = %c0 to %n step %c64 iter_args(%q = %first, %sum = %zero) -> (tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xf32, #mma>) : i32 {
      %v = tt.load %q {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked>
      %w = ttg.convert_layout %v {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
      %e = tt.dot %w, %y, %sum {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = tt.addptr %q, %step {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
      scf.yield %next, %e : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xf32, #mma>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %d#1 : tensor<64x64xf32, #mma>
  }

  // An operand that lies across K is turned over in registers.
  // CHECK-LABEL: @across
  // CHECK-NOT: ttg.async_copy
  // CHECK: tt.return
  tt.func @across(%q: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: tensor<64x64xf16, #a>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %c2 = tt.broadcast %c1 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %at = tt.addptr %p, %c2 : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %d = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %v = tt.load %at {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked>
      %w = ttg.convert_layout %v {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
      %e = tt.dot %y, %w, %sum {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Pointers that come as an argument have the layout that they have.
  // CHECK-LABEL: @indirect
  // CHECK-NOT: ttg.async_copy
  // CHECK: tt.return
  tt.func @indirect(%q: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %y: tensor<64x64xf16, #b>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %v = tt.load %q {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked>
      %w = ttg.convert_layout %v {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
      %e = tt.dot %w, %y, %sum {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
