#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.linear<{register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
#rows = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @buffers(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %i: tensor<64x16xi32, #blocked>, %m: tensor<64x16xi1, #blocked>, %f: tensor<64x16xf32, #blocked>, %n: i32) {
    %0 = amdg.buffer_load %p[%i] : tensor<64x16xf32, #blocked>
    %1 = amdg.buffer_load %p[%i], %m, %f cacheModifier = cs stride = %n {contiguity = 4 : i32} : tensor<64x16xf32, #blocked>
    amdg.buffer_store %1, %p[%i] : tensor<64x16xf32, #blocked>
    amdg.buffer_store %1, %p[%i], %m cacheModifier = wt stride = %n : tensor<64x16xf32, #blocked>
    %2 = amdg.buffer_atomic_rmw fadd, relaxed, gpu, %f, %p[%i], %m stride = %n : tensor<64x16xf32, #blocked>
    %3 = amdg.buffer_atomic_cas acq_rel, cta, %i, %i, %q[%i] : tensor<64x16xi32, #blocked>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x16xf32, #rows, #smem, mutable>
    %4 = amdg.buffer_load_to_local %p[%i] into %b : <f32>[tensor<64x16xi32, #blocked>] -> <64x16xf32, #rows, #smem, mutable>
    %5 = amdg.buffer_load_to_local %p[%i] mask = %m other = %f stride = %n cacheModifier = ca into %b {contiguity = 2 : i32} : <f32>[tensor<64x16xi32, #blocked>] tensor<64x16xf32, #blocked> -> <64x16xf32, #rows, #smem, mutable>
    %6 = amdg.async_wait %4, %5 {num_inst = 2 : i32}
    %7 = amdg.async_wait {num_inst = 0 : i32}
    tt.return
  }

  tt.func @registers(%x: tensor<64x16xf16, #blocked>, %y: tensor<128x16xf16, #blocked>, %v: tensor<64x16xi8, #blocked>, %w: tensor<64x32xbf16, #wide>, %e: tensor<64x16xf8E5M2, #blocked>, %s: tensor<64x16xi8, #blocked>) {
    %0 = amdg.in_thread_transpose %x : tensor<64x16xf16, #blocked> -> tensor<64x16xf16, #turned>
    %1 = amdg.extract_slice %y [64, 0] : tensor<128x16xf16, #blocked> to tensor<64x16xf16, #blocked>
    %2 = amdg.concat %x, %1 : tensor<64x16xf16, #blocked>, tensor<64x16xf16, #blocked> -> tensor<128x16xf16, #blocked>
    %3 = amdg.scaled_upcast_fp4 %v scale %w {axis = 1 : i32} : tensor<64x16xi8, #blocked>, tensor<64x32xbf16, #wide> -> tensor<64x32xbf16, #wide>
    %4 = amdg.scaled_upcast_fp8 %e scale %s : tensor<64x16xf8E5M2, #blocked>, tensor<64x16xi8, #blocked> -> tensor<64x16xf16, #blocked>
    tt.return
  }

  tt.func @waits(%c: i1, %n: i32, %bar: !ttg.memdesc<1xi64, #flat, #smem, mutable>, %src: !ttg.memdesc<64x16xf32, #rows, #smem>, %dst: tensor<64x16x!tt.ptr<f32>, #blocked>) {
    amdg.cond_barrier %c
    amdg.memory_counter_wait load(1) ds(0)
    amdg.init_barrier %bar, 4 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    %0 = amdg.arrive_barrier %bar, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable> -> i32
    amdg.async_copy_mbarrier_arrive %bar : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    amdg.wait_barrier %bar, %n : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    %1 = amdg.async_copy_local_to_global %src, %dst : !ttg.memdesc<64x16xf32, #rows, #smem> -> tensor<64x16x!tt.ptr<f32>, #blocked>
    amdg.cluster_barrier_arrive
    amdg.cluster_barrier_wait
    rocdl.sched.barrier 0
    rocdl.sched.group.barrier 8, 1, 0
    rocdl.iglp.opt 1
    rocdl.s.setprio 1
    rocdl.s.barrier
    %2 = rocdl.workitem.id.x : i32
    tt.return
  }
}
