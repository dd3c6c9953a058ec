// RUN: tritcc -x ttgir '-passes=assign-latencies,schedule-loops,pipeline,canonicalize,cse' %s | FileCheck %s
// positive: @product @used_after @transposed @both_ways @in_branch
// negative: @plain
// loop: @product @used_after @plain @transposed @both_ways @in_branch
// if: @in_branch

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.slice<{dim = 1, parent = #row}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 8], [0, 16], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // Two buffers; two copies under way before the loop; the wait leaves the newer one pending.
  // CHECK-LABEL: @product
  // CHECK: [[RING:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #{{.*}}, #smem, mutable>
  // CHECK: [[RUNS:%.+]] = arith.cmpi sgt, %arg4, %c0_i32
  // CHECK: ttg.memdesc_index [[RING]][%c0_i32]
  // CHECK: ttg.async_copy_global_to_local %arg0, %{{.*}} mask %{{.*}} {contiguity = 8 : i32}
  // CHECK: ttg.async_commit_group
  // CHECK: arith.cmpi sgt, %arg4, %c1_i32
  // CHECK: ttg.memdesc_index [[RING]][%c1_i32]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.for [[I:%.+]] = %c0_i32 to %arg4 step %c1_i32
  // CHECK: [[LAST:%.+]] = arith.subi %arg4, %c2_i32
  // CHECK: [[MORE:%.+]] = arith.cmpi slt, [[I]], [[LAST]]
  // CHECK: [[W:%.+]] = ttg.async_wait %{{.*}} {num = 1 : i32}
  // CHECK: ttg.local_load %{{.*}} token [[W]]
  // CHECK: tt.dot
  // CHECK: tt.splat [[MORE]]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK-NOT: tt.load
  // CHECK: scf.yield
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK: ttg.local_dealloc [[RING]]
  tt.func public @product(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %inc: tensor<64x32xi32, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<32> : tensor<64x32xi32, #blocked>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %p = %pa) -> (tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>) : i32 {
      %va = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %q = tt.addptr %p, %step : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      scf.yield %d, %q : tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // A pointer that is used after the loop stops where the last iteration left it; values for masked-off
  // elements other than zero are put in after the copy.
  // CHECK-LABEL: @used_after
  // CHECK: scf.for
  // CHECK: arith.select
  // CHECK: [[L:%.+]] = ttg.local_load
  // CHECK: arith.select %{{.*}}, [[L]], %{{.*}} : tensor<64x32xi1
  // CHECK: arith.select %{{.*}} : tensor<64x32x!tt.ptr<f16>
  tt.func public @used_after(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %m: tensor<64x32xi1, #blocked> {tt.constancy = dense<[1, 32]> : tensor<2xi32>}, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant dense<1.0> : tensor<64x32xf16, #blocked>
    %step = arith.constant dense<32> : tensor<64x32xi32, #blocked>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %p = %pa) -> (tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>) : i32 {
      %va = tt.load %p, %m, %one : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %q = tt.addptr %p, %step : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      scf.yield %d, %q : tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #blocked>
  }

  // Nothing to run ahead: the loop stays as it is.
  // CHECK-LABEL: @plain
  // CHECK-NOT: async
  // CHECK: scf.for
  // CHECK: tt.load
  tt.func public @plain(%p: tensor<64x32x!tt.ptr<f32>, #blocked>, %z: tensor<64x32xf32, #blocked>, %n: i32) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x32xf32, #blocked>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #blocked>
      %s = arith.addf %v, %acc : tensor<64x32xf32, #blocked>
      scf.yield %s : tensor<64x32xf32, #blocked>
    }
    tt.return %r : tensor<64x32xf32, #blocked>
  }

  // A buffer that is read transposed becomes a slot of the ring, and so do its views.
  // CHECK-LABEL: @transposed
  // CHECK: scf.for
  // CHECK: [[S:%.+]] = ttg.memdesc_index {{.*}}mutable>
  // CHECK-NEXT: [[V:%.+]] = ttg.memdesc_trans [[S]] {{.*}}mutable>
  // CHECK-NEXT: ttg.local_load [[V]]
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.yield
  tt.func public @transposed(%p: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %x: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
      %m = ttg.local_alloc %v : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<32x64xf16, #shared1, #smem>
      %y = ttg.local_load %t : !ttg.memdesc<32x64xf16, #shared1, #smem> -> tensor<32x64xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // One buffer, swizzled, serves an operand read straight and one that is transposed in registers.
  // CHECK-LABEL: @both_ways
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #[[BOTH:shared[0-9]*]], #smem, mutable>
  // CHECK: scf.for
  // CHECK: ttg.local_load {{.*}}#[[BOTH]],
  tt.func public @both_ways(%p: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %x: tensor<64x64xf16, #a>, %z: tensor<64x32xf16, #a>, %c: tensor<64x32xf32, #mma>, %d: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x32xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %c, %v = %d) -> (tensor<64x32xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %l = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
      %y = ttg.convert_layout %l : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #b>
      %e = tt.dot %x, %y, %u : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
      %k = ttg.convert_layout %l : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #linear>
      %t = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x32xf16, #linear> -> tensor<32x64xf16, #b>
      %f = tt.dot %z, %t, %v : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %e, %f : tensor<64x32xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x32xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // A loop in a branch: its prologue and its buffers stay in the branch.
  // CHECK-LABEL: @in_branch
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.if
  // CHECK: ttg.local_alloc
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.local_load
  // CHECK: tt.dot
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.yield
  // CHECK: }
  // CHECK: ttg.local_dealloc
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield
  tt.func public @in_branch(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32, %k: i1) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = scf.if %k -> (tensor<64x64xf32, #mma>) {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
        %va = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
        %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
        %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      scf.yield %r : tensor<64x64xf32, #mma>
    } else {
      scf.yield %c : tensor<64x64xf32, #mma>
    }
    tt.return %s : tensor<64x64xf32, #mma>
  }
}
