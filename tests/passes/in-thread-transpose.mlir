// RUN: tritcc -x ttgir -passes=in-thread-transpose %s | FileCheck %s
// positive: @alloc @loop
// negative: @k_is_fastest @one_line @not_loaded @branch
// loop: @loop
// if: @branch

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [0, 1]}>
#flat = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK-DAG: [[$TILE:#.+]] = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
// CHECK-DAG: [[$TURNED:#.+]] = #ttg.linear<{register = {{.}}[1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [32, 0]], lane = {{.}}[0, 8], [0, 16], [0, 32], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
// CHECK-DAG: [[$ROTATING:#.+]] = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @alloc
  // CHECK: [[P:%.+]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<64x64x!tt.ptr<f16>, [[$TILE]]>
  // CHECK: [[V:%.+]] = tt.load [[P]] : tensor<64x64x!tt.ptr<f16>, [[$TILE]]>
  // CHECK: [[T:%.+]] = amdg.in_thread_transpose {{.*}} : tensor<64x64xf16, [[$TILE]]> -> tensor<64x64xf16, [[$TURNED]]>
  // CHECK: [[M:%.+]] = ttg.local_alloc [[T]] : {{.*}} -> !ttg.memdesc<64x64xf16, [[$ROTATING]], #smem>
  // CHECK: ttg.local_load [[M]] : !ttg.memdesc<64x64xf16, [[$ROTATING]], #smem>
  tt.func public @alloc(%p: tensor<64x64x!tt.ptr<f16>, #row>) -> tensor<64x64xf16, #b> {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
    %m = ttg.local_alloc %v : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #b>
    tt.return %o : tensor<64x64xf16, #b>
  }

  // Both loads whose values the loop stores are of tiles; so are all views of the buffer.
  // CHECK-LABEL: @loop
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, [[$ROTATING]], #smem, mutable>
  // CHECK: tt.load {{.*}}[[$TILE]]>
  // CHECK: scf.for
  // CHECK: tt.load {{.*}}[[$TILE]]>
  // CHECK: amdg.in_thread_transpose
  // CHECK-NEXT: ttg.local_store {{.*}} -> !ttg.memdesc<64x64xf16, [[$ROTATING]], #smem, mutable>
  tt.func public @loop(%p: tensor<64x64x!tt.ptr<f16>, #row>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %first = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
    %m = ttg.memdesc_index %buffers[%c0] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (tensor<64x64xf16, #row>) : i32 {
      %next = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
      ttg.local_store %x, %m : tensor<64x64xf16, #row> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #b>
      scf.yield %next : tensor<64x64xf16, #row>
    }
    tt.return
  }

  // CHECK-LABEL: @k_is_fastest
  // CHECK-NOT: in_thread_transpose
  tt.func public @k_is_fastest(%p: tensor<64x64x!tt.ptr<f16>, #column>) -> tensor<64x64xf16, #b> {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #column>
    %m = ttg.local_alloc %v : (tensor<64x64xf16, #column>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #b>
    tt.return %o : tensor<64x64xf16, #b>
  }

  // CHECK-LABEL: @one_line
  // CHECK-NOT: in_thread_transpose
  tt.func public @one_line(%p: tensor<64x64x!tt.ptr<f16>, #flat>) -> tensor<64x64xf16, #b> {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #flat>
    %m = ttg.local_alloc %v : (tensor<64x64xf16, #flat>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #b>
    tt.return %o : tensor<64x64xf16, #b>
  }

  // CHECK-LABEL: @not_loaded
  // CHECK-NOT: in_thread_transpose
  tt.func public @not_loaded(%v: tensor<64x64xf16, #row>) -> tensor<64x64xf16, #b> {
    %w = arith.addf %v, %v : tensor<64x64xf16, #row>
    %m = ttg.local_alloc %w : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #b>
    tt.return %o : tensor<64x64xf16, #b>
  }

  // A part of the buffer is read, too.
  // CHECK-LABEL: @branch
  // CHECK-NOT: in_thread_transpose
  tt.func public @branch(%p: tensor<64x64x!tt.ptr<f16>, #row>, %c: i1) -> tensor<64x64xf16, #a> {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #row>
    %m = ttg.local_alloc %v : (tensor<64x64xf16, #row>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %r = scf.if %c -> (tensor<64x64xf16, #a>) {
      %o = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #a>
      scf.yield %o : tensor<64x64xf16, #a>
    } else {
      %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem>
      %o = ttg.local_load %t : !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem> -> tensor<64x64xf16, #a>
      scf.yield %o : tensor<64x64xf16, #a>
    }
    tt.return %r : tensor<64x64xf16, #a>
  }
}
