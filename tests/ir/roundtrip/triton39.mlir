// The spelling and the operations of Triton 3.9 are read, and written with -femit-upstream=3.9.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.9 %s -o - | FileCheck --check-prefix=NEW %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.9 %s -o - | tritcc -x ttgir -passes= -femit-upstream=3.9 - -o - | FileCheck --check-prefix=NEW %s
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blockedme = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @caches
  // NEW-LABEL: @caches
  tt.func public @caches(%p: tensor<128x!tt.ptr<f32>, #flat>, %b: !ttg.memdesc<128xf32, #shared, #smem, mutable>) {
    // CHECK: tt.load %arg0 cacheModifier = cg evictionPolicy = evict_first {isVolatile = true}
    // NEW: tt.load %arg0 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>, isVolatile = true}
    %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>, isVolatile = true} : tensor<128x!tt.ptr<f32>, #flat>
    // CHECK: tt.store %arg0, %{{.*}} cacheModifier = wt :
    // NEW: tt.store %arg0, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>}
    tt.store %p, %0 {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : tensor<128x!tt.ptr<f32>, #flat>
    // CHECK: tt.load %arg0 evictionPolicy = evict_last :
    // NEW: tt.load %arg0 {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>}
    %1 = "tt.load"(%p) <{cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x!tt.ptr<f32>, #flat>) -> tensor<128xf32, #flat>
    // CHECK: ttg.async_copy_global_to_local %arg0, %arg1 evictionPolicy = evict_first
    // NEW: ttg.async_copy_global_to_local %arg0, %arg1 {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>}
    %2 = ttg.async_copy_global_to_local %p, %b {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : tensor<128x!tt.ptr<f32>, #flat> -> <128xf32, #shared, #smem, mutable>
    // NEW: tt.load %arg0 : tensor
    %3 = tt.load %p : tensor<128x!tt.ptr<f32>, #flat>
    tt.return
  }
  // AMD's buffer operations: pointers' types stand in front of the blocks'
  // CHECK-LABEL: @buffers
  // NEW-LABEL: @buffers
  tt.func public @buffers(%p: !tt.ptr<f32>, %o: tensor<128xi32, #flat>, %m: tensor<128xi1, #flat>) {
    // CHECK: amdg.buffer_load %arg0[%arg1], %arg2 cacheModifier = cg {contiguity = 4 : i32} : tensor<128xf32, #blocked
    // NEW: amdg.buffer_load %arg0[%arg1], %arg2 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<128xf32
    %0 = amdg.buffer_load %p[%o], %m {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>, contiguity = 4 : i32} : !tt.ptr<f32> -> tensor<128xf32, #flat>
    // CHECK: amdg.buffer_store %{{.*}}, %arg0[%arg1] : tensor<128xf32
    // NEW: amdg.buffer_store %{{.*}}, %arg0[%arg1] : !tt.ptr<f32> -> tensor<128xf32
    amdg.buffer_store %0, %p[%o] : !tt.ptr<f32> -> tensor<128xf32, #flat>
    // CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %arg0[%arg1], %arg2 : tensor<128xf32
    // NEW: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %arg0[%arg1], %arg2 : !tt.ptr<f32> -> tensor<128xf32
    %1 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %0, %p[%o], %m : !tt.ptr<f32> -> tensor<128xf32, #flat>
    // CHECK: rocdl.sched.barrier 0
    // NEW: rocdl.sched.barrier none
    rocdl.sched.barrier none
    // CHECK: rocdl.sched.barrier 1
    // NEW: rocdl.sched.barrier non_mem_non_sideeffect
    rocdl.sched.barrier non_mem_non_sideeffect
    // CHECK: rocdl.sched.group.barrier 8, 1, 0
    // NEW: rocdl.sched.group.barrier mfma_wmma, 1, 0
    rocdl.sched.group.barrier mfma_wmma, 1, 0
    // CHECK: rocdl.sched.group.barrier 260, 3, 1
    // NEW: rocdl.sched.group.barrier salu|ds_read, 3, 1
    rocdl.sched.group.barrier salu|ds_read, 3, 1
    tt.return
  }
  // AMD's copies between memories say their cache policy in their middle
  // CHECK-LABEL: @amd_copies
  // NEW-LABEL: @amd_copies
  tt.func public @amd_copies(%p: !tt.ptr<f32>, %q: tensor<128x!tt.ptr<f32>, #flat>, %o: tensor<128xi32, #flat>, %m: tensor<128xi1, #flat>, %x: tensor<128xf32, #flat>, %n: i32, %b: !ttg.memdesc<128xf32, #shared, #smem, mutable>) {
    // CHECK: amdg.buffer_load_to_local %arg0[%arg2] into %arg6 : <f32>[tensor<128xi32
    // NEW: amdg.buffer_load_to_local %arg0[%arg2] into %arg6 : !tt.ptr<f32>[tensor<128xi32
    %0 = amdg.buffer_load_to_local %p[%o] into %b : !tt.ptr<f32>[tensor<128xi32, #flat>] -> <128xf32, #shared, #smem, mutable>
    // CHECK: mask = %arg3 other = %arg4 stride = %arg5 cacheModifier = cg into %arg6 {contiguity = 2 : i32} : <f32>[
    // NEW: mask = %arg3 other = %arg4 stride = %arg5 cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal> into %arg6 {contiguity = 2 : i32} : !tt.ptr<f32>[
    %1 = amdg.buffer_load_to_local %p[%o] mask = %m other = %x stride = %n cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal> into %b {contiguity = 2 : i32} : !tt.ptr<f32>[tensor<128xi32, #flat>] tensor<128xf32, #flat> -> <128xf32, #shared, #smem, mutable>
    // CHECK: amdg.async_copy_local_to_global %arg6, %arg1 mask %arg3 cacheModifier = wt evictionPolicy = evict_first {contiguity = 4 : i32} :
    // NEW: amdg.async_copy_local_to_global %arg6, %arg1 mask %arg3 cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_first> {contiguity = 4 : i32} :
    %2 = amdg.async_copy_local_to_global %b, %q mask %m cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_first> {contiguity = 4 : i32} : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> tensor<128x!tt.ptr<f32>, #flat>
    // CHECK: amdg.async_copy_local_to_global %arg6, %arg1 evictionPolicy = evict_last :
    // NEW: amdg.async_copy_local_to_global %arg6, %arg1 cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last> {} :
    %3 = amdg.async_copy_local_to_global %b, %q evictionPolicy = evict_last : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> tensor<128x!tt.ptr<f32>, #flat>
    tt.return
  }
  // block-pingpong's mark of products whose waves meet in their middle
  // CHECK-LABEL: @halves
  // CHECK: tt.dot_scaled {{.*}} {fastMath = false, pingpong_2step}
  tt.func public @halves(%a: tensor<128x64xf8E4M3FN, #blocked>, %s: tensor<128x2xi8, #blocked>, %b: tensor<64x128xf8E4M3FN, #blocked>, %c: tensor<128x128xf32, #blocked>) {
    %0 = tt.dot_scaled %a scale %s, %b scale %s, %c lhs = e4m3 rhs = e4m3 {fastMath = false, pingpong_2step} : tensor<128x64xf8E4M3FN, #blocked>, tensor<128x2xi8, #blocked> * tensor<64x128xf8E4M3FN, #blocked>, tensor<128x2xi8, #blocked> -> tensor<128x128xf32, #blocked>
    tt.return
  }
  // CHECK-LABEL: @others
  // NEW-LABEL: @others
  tt.func public @others(%x: tensor<128xf32, #flat>, %c: tensor<32x1xf32, #blocked>, %f: tensor<128x!tt.ptr<i32>, #flat>, %m: tensor<128xi1, #flat>, %b: !ttg.memdesc<128xi32, #shared, #smem, mutable>, %k: !tt.ptr<f32, "constant">) {
    // CHECK: tt.approx_divf %arg0, %arg0
    // NEW: tt.approx_divf %arg0, %arg0
    %0 = tt.approx_divf %x, %x : tensor<128xf32, #flat>
    // CHECK: tt.broadcast
    %1 = tt.broadcast %c : tensor<32x1xf32, #blocked> -> tensor<32x16xf32, #blockedme>
    // CHECK: %[[V:.*]] = tt.atomic_load acquire, gpu, %arg2, %arg3 : (
    %2 = tt.atomic_load acquire, gpu, %f, %m : (tensor<128x!tt.ptr<i32>, #flat>, tensor<128xi1, #flat>) -> tensor<128xi32, #flat>
    // CHECK: tt.atomic_store release, sys, %arg2, %[[V]], %arg3 :
    tt.atomic_store release, sys, %f, %2, %m : tensor<128x!tt.ptr<i32>, #flat>
    // CHECK: ttg.inline_asm "bar.sync 1;" {constraints = "", pure = false} : () -> ()
    ttg.inline_asm "bar.sync 1;" {constraints = "", pure = false} : () -> ()
    // CHECK: ttng.tmem_wait load
    ttng.tmem_wait load
    // CHECK: %[[I:.*]] = tt.make_range
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #flat>
    // the buffer, the values, the places
    // CHECK: ttg.local_scatter %arg4[%[[I]]], %[[V]]
    "ttg.local_scatter"(%b, %2, %i) <{axis = 0 : i32}> : (!ttg.memdesc<128xi32, #shared, #smem, mutable>, tensor<128xi32, #flat>, tensor<128xi32, #flat>) -> ()
    tt.return
  }
  // CHECK-LABEL: @next
  tt.func public @next(%c: i128, %x: tensor<256xf32, #pairs>) {
    // CHECK: ttng.clc_get_program_id %arg0, y
    %0 = "ttng.clc_get_program_id"(%c) <{dim = 1 : i32}> : (i128) -> i32
    // CHECK: ttng.packed_arith fma
    %1 = "ttng.packed_arith"(%x, %x, %x) <{op_kind = 3 : i32}> : (tensor<256xf32, #pairs>, tensor<256xf32, #pairs>, tensor<256xf32, #pairs>) -> tensor<256xf32, #pairs>
    tt.return
  }
}
