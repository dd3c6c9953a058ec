// RUN: tritcc -x ttgir -passes=block-pingpong %s | FileCheck %s
// Four waves: two blocks share a SIMD unit, and their waves are not held apart.

#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @one
  // CHECK-NOT: amdg.cond_barrier
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK: tt.load
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK: tt.load
  // CHECK: rocdl.sched.barrier 1
  // CHECK-NEXT: rocdl.s.setprio 1
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: rocdl.s.setprio 0
  // CHECK-NOT: amdg.cond_barrier
  tt.func public @one(%p: tensor<128x64x!tt.ptr<f16>, #a>, %q: tensor<64x128x!tt.ptr<f16>, #b>, %da: tensor<128x64xi32, #a>, %db: tensor<64x128xi32, #b>, %n: i32) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<128x128xf32, #mma>, tensor<128x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<128x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<128x64x!tt.ptr<f16>, #a>, tensor<128x64xi32, #a>
      %la = tt.load %na : tensor<128x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x128x!tt.ptr<f16>, #b>, tensor<64x128xi32, #b>
      %lb = tt.load %nb : tensor<64x128x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<128x64xf16, #s, #smem, mutable> -> tensor<128x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x128xf16, #s, #smem, mutable> -> tensor<64x128xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<128x128xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<128x64xf16, #a> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x128xf16, #s, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x128xf16, #b> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<128x128xf32, #mma>, tensor<128x64x!tt.ptr<f16>, #a>, tensor<64x128x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<128x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<128x128xf32, #mma>
  }

  // CHECK-LABEL: @too_large
  // CHECK-NOT: setprio
  tt.func public @too_large(%p: tensor<128x64x!tt.ptr<f16>, #a>, %q: tensor<64x256x!tt.ptr<f16>, #b>, %da: tensor<128x64xi32, #a>, %db: tensor<64x256xi32, #b>, %n: i32) -> tensor<128x256xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %sum = arith.constant dense<0.0> : tensor<128x256xf32, #mma>
    %ra = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #s, #smem, mutable>
    %rb = ttg.local_alloc : () -> !ttg.memdesc<2x64x256xf16, #s, #smem, mutable>
    %ma = ttg.memdesc_index %ra[%zero] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
    %mb = ttg.memdesc_index %rb[%zero] : !ttg.memdesc<2x64x256xf16, #s, #smem, mutable> -> !ttg.memdesc<64x256xf16, #s, #smem, mutable>
    %r:6 = scf.for %i = %zero to %n step %one iter_args(%c = %sum, %pa = %p, %pb = %q, %at = %zero, %va = %ma, %vb = %mb) -> (tensor<128x256xf32, #mma>, tensor<128x64x!tt.ptr<f16>, #a>, tensor<64x256x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<128x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x256xf16, #s, #smem, mutable>) : i32 {
      %na = tt.addptr %pa, %da : tensor<128x64x!tt.ptr<f16>, #a>, tensor<128x64xi32, #a>
      %la = tt.load %na : tensor<128x64x!tt.ptr<f16>, #a>
      %nb = tt.addptr %pb, %db : tensor<64x256x!tt.ptr<f16>, #b>, tensor<64x256xi32, #b>
      %lb = tt.load %nb : tensor<64x256x!tt.ptr<f16>, #b>
      %x = ttg.local_load %va : !ttg.memdesc<128x64xf16, #s, #smem, mutable> -> tensor<128x64xf16, #x>
      %y = ttg.local_load %vb : !ttg.memdesc<64x256xf16, #s, #smem, mutable> -> tensor<64x256xf16, #y>
      %d = tt.dot %x, %y, %c : tensor<128x64xf16, #x> * tensor<64x256xf16, #y> -> tensor<128x256xf32, #mma>
      %up = arith.addi %at, %one : i32
      %in = arith.cmpi slt, %up, %two : i32
      %next = arith.select %in, %up, %zero : i32
      %wa = ttg.memdesc_index %ra[%next] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
      ttg.local_store %la, %wa : tensor<128x64xf16, #a> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
      %wb = ttg.memdesc_index %rb[%next] : !ttg.memdesc<2x64x256xf16, #s, #smem, mutable> -> !ttg.memdesc<64x256xf16, #s, #smem, mutable>
      ttg.local_store %lb, %wb : tensor<64x256xf16, #b> -> !ttg.memdesc<64x256xf16, #s, #smem, mutable>
      scf.yield %d, %na, %nb, %next, %wa, %wb : tensor<128x256xf32, #mma>, tensor<128x64x!tt.ptr<f16>, #a>, tensor<64x256x!tt.ptr<f16>, #b>, i32, !ttg.memdesc<128x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x256xf16, #s, #smem, mutable>
    }
    tt.return %r#0 : tensor<128x256xf32, #mma>
  }
}
