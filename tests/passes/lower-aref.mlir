// RUN: tritcc -x ttgir -passes='lower-aref{num-stages=2}' %s | FileCheck %s
// positive: @store @copy @together @branch @gather
// negative: @none
// loop: @store
// if: @branch

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!v = tensor<32xi32, #blocked>
!ring = !ttg.memdesc<3x32xi32, #shared, #smem, mutable>
!one = !ttg.memdesc<32xi32, #shared, #smem, mutable>
!r = !nvws.aref<[!ttg.memdesc<3x32xi32, #shared, #smem, mutable>]>
!tiles = !ttg.memdesc<1x64x64xf16, #tile, #smem, mutable>
!filled = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!read = !ttg.memdesc<64x64xf16, #tile, #smem>
!t = !nvws.aref<[!ttg.memdesc<1x64x64xf16, #tile, #smem, mutable>]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Two groups read what one stores: a buffer is empty when both have arrived. The barriers end with the function.
  // CHECK-LABEL: @store
  // CHECK:         %[[B:[a-z0-9_]+]] = ttg.local_alloc : () -> !ttg.memdesc<3x32xi32
  // CHECK:         %[[E:[a-z0-9_]+]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
  // CHECK-COUNT-3: ttng.init_barrier %{{.*}}, 2
  // CHECK:         %[[F:[a-z0-9_]+]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
  // CHECK-COUNT-3: ttng.init_barrier %{{.*}}, 1
  // CHECK:         scf.for
  // CHECK:           %[[S:[a-z0-9_]+]] = arith.select
  // CHECK:           %[[P:[a-z0-9_]+]] = arith.select
  // CHECK:           %[[W:[a-z0-9_]+]] = ttg.memdesc_index %[[E]][%[[S]]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      ttng.wait_barrier %[[W]], %[[P]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      %[[V:[a-z0-9_]+]] = ttg.memdesc_index %[[B]][%[[S]]]
  // CHECK-NEXT:      ttg.local_store %arg3, %[[V]]
  // CHECK-NEXT:      %[[A:[a-z0-9_]+]] = ttg.memdesc_index %[[F]][%[[S]]]
  // CHECK-NEXT:      ttng.arrive_barrier %[[A]], 1 {ttg.partition = array<i32: 0>}
  // CHECK:           ttg.memdesc_index %[[F]]
  // CHECK-NEXT:      ttng.wait_barrier %{{.*}} {ttg.partition = array<i32: 1>}
  // CHECK:           ttg.local_load
  // CHECK-NEXT:      ttg.memdesc_index %[[E]]
  // CHECK-NEXT:      ttng.arrive_barrier %{{.*}}, 1 {ttg.partition = array<i32: 1>}
  // CHECK:           ttng.wait_barrier %{{.*}} {ttg.partition = array<i32: 2>}
  // CHECK:           ttng.arrive_barrier %{{.*}}, 1 {ttg.partition = array<i32: 2>}
  // CHECK-COUNT-3: ttng.inval_barrier
  // CHECK:         ttg.local_dealloc %[[E]]
  // CHECK-COUNT-3: ttng.inval_barrier
  // CHECK:         ttg.local_dealloc %[[F]]
  // CHECK-NEXT:    tt.return
  tt.func @store(%a: i32, %n: i32, %s: i32, %x: !v) {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    scf.for %i = %a to %n step %s : i32 {
      %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !r -> !one, !ttg.async.token
      ttg.local_store %x, %p {ttg.partition = array<i32: 0>} : !v -> !one
      nvws.aref.put.exit %r, %t [#nvws.async_op<none>] {ttg.partition = array<i32: 0>} : !r, !ttg.async.token
      %g, %u = nvws.aref.get.enter %r {ttg.partition = array<i32: 1>} : !r -> !one, !ttg.async.token
      %y = ttg.local_load %g {ttg.partition = array<i32: 1>} : !one -> !v
      nvws.aref.get.exit %r, %u [#nvws.async_op<none>] {ttg.partition = array<i32: 1>} : !r, !ttg.async.token
      %h, %w = nvws.aref.get.enter %r {ttg.partition = array<i32: 2>} : !r -> !one, !ttg.async.token
      %z = ttg.local_load %h {ttg.partition = array<i32: 2>} : !one -> !v
      nvws.aref.get.exit %r, %w [#nvws.async_op<none>] {ttg.partition = array<i32: 2>} : !r, !ttg.async.token
    } {ttg.partition = array<i32: 0, 1, 2>, ttg.partition.stages = [0, 0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // A copy gets as many buffers as asked for and arrives by itself; a read before it is fenced.
  // CHECK-LABEL: @copy
  // CHECK:         ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
  // CHECK:         scf.for
  // CHECK:           %[[F:[a-z0-9_]+]] = ttg.memdesc_index {{.*}} {ttg.partition = array<i32: 0>} : {{.*}} -> !ttg.memdesc<1xi64, {{.*}}>
  // CHECK:           %[[F:[a-z0-9_]+]] = ttg.memdesc_index {{.*}} {ttg.partition = array<i32: 0>} : {{.*}} -> !ttg.memdesc<1xi64, {{.*}}>
  // CHECK-NEXT:      %[[T:[a-z0-9_]+]] = arith.constant {ttg.partition = array<i32: 0>} true
  // CHECK-NEXT:      ttng.barrier_expect %[[F]], 8192 {ttg.partition = array<i32: 0>}, %[[T]]
  // CHECK-NEXT:      ttng.async_tma_copy_global_to_local %arg3[%{{.*}}, %{{.*}}] %{{.*}}, %[[F]], %[[T]] {ttg.partition = array<i32: 0>}
  // CHECK-NOT:       arrive_barrier {{.*}} array<i32: 0>
  // CHECK:           ttng.wait_barrier
  // CHECK:           ttg.local_load
  // CHECK-NEXT:      ttng.fence_async_shared {bCluster = false, ttg.partition = array<i32: 1>}
  // CHECK:           ttng.arrive_barrier
  tt.func @copy(%a: i32, %n: i32, %s: i32, %d: !tt.tensordesc<64x64xf16, #tile>) {
    %b = ttg.local_alloc : () -> !tiles
    %r = nvws.aref.create %b : !t
    scf.for %i = %a to %n step %s : i32 {
      %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !t -> !filled, !ttg.async.token
      nvws.descriptor_load %d[%i, %i] 8192 %p {ttg.partition = array<i32: 0>} : !tt.tensordesc<64x64xf16, #tile>, i32, i32, !filled
      nvws.aref.put.exit %r, %t [#nvws.async_op<tma_load>] {ttg.partition = array<i32: 0>} : !t, !ttg.async.token
      %g, %u = nvws.aref.get.enter %r {ttg.partition = array<i32: 1>} : !t -> !read, !ttg.async.token
      %y = ttg.local_load %g {ttg.partition = array<i32: 1>} : !read -> tensor<64x64xf16, #mma>
      nvws.aref.get.exit %r, %u [#nvws.async_op<none>] {ttg.partition = array<i32: 1>} : !t, !ttg.async.token
    } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Both operands of a product have one barrier.
  // CHECK-LABEL: @together
  // CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
  // CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<2x1xi64
  // CHECK-NOT:     ttg.local_alloc
  // CHECK:           ttng.barrier_expect %{{.*}}, 16384
  // CHECK-COUNT-2:   ttng.async_tma_copy_global_to_local
  // CHECK:           ttng.wait_barrier
  // CHECK-NOT:       ttng.wait_barrier
  // CHECK:           ttng.warp_group_dot
  // CHECK-NEXT:      ttg.memdesc_index
  // CHECK-NEXT:      ttng.arrive_barrier
  // CHECK-NOT:       ttng.arrive_barrier
  tt.func @together(%a: i32, %n: i32, %s: i32, %d: !tt.tensordesc<64x64xf16, #tile>, %e: !tt.tensordesc<64x64xf16, #tile>, %acc: tensor<64x64xf32, #mma>) {
    %b = ttg.local_alloc : () -> !tiles
    %c = ttg.local_alloc : () -> !tiles
    %r = nvws.aref.create %b : !t
    %q = nvws.aref.create %c : !t
    scf.for %i = %a to %n step %s : i32 {
      %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !t -> !filled, !ttg.async.token
      nvws.descriptor_load %d[%i, %i] 8192 %p {ttg.partition = array<i32: 0>} : !tt.tensordesc<64x64xf16, #tile>, i32, i32, !filled
      nvws.aref.put.exit %r, %t [#nvws.async_op<tma_load>] {ttg.partition = array<i32: 0>} : !t, !ttg.async.token
      %g, %u = nvws.aref.get.enter %r {ttg.partition = array<i32: 1>} : !t -> !read, !ttg.async.token
      %p2, %t2 = nvws.aref.put.enter %q {ttg.partition = array<i32: 0>} : !t -> !filled, !ttg.async.token
      nvws.descriptor_load %e[%i, %i] 8192 %p2 {ttg.partition = array<i32: 0>} : !tt.tensordesc<64x64xf16, #tile>, i32, i32, !filled
      nvws.aref.put.exit %q, %t2 [#nvws.async_op<tma_load>] {ttg.partition = array<i32: 0>} : !t, !ttg.async.token
      %g2, %u2 = nvws.aref.get.enter %q {ttg.partition = array<i32: 1>} : !t -> !read, !ttg.async.token
      %x = ttng.warp_group_dot %g, %g2, %acc {ttg.partition = array<i32: 1>} : !read * !read -> tensor<64x64xf32, #mma>
      nvws.aref.get.exit %q, %u2 [#nvws.async_op<wgmma>] {ttg.partition = array<i32: 1>} : !t, !ttg.async.token
      nvws.aref.get.exit %r, %u [#nvws.async_op<wgmma>] {ttg.partition = array<i32: 1>} : !t, !ttg.async.token
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK:           scf.if
  // CHECK:             ttng.wait_barrier
  // CHECK:             ttng.arrive_barrier
  tt.func @branch(%a: i32, %n: i32, %s: i32, %x: !v, %c: i1) {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    scf.for %i = %a to %n step %s : i32 {
      scf.if %c {
        %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !r -> !one, !ttg.async.token
        ttg.local_store %x, %p {ttg.partition = array<i32: 0>} : !v -> !one
        nvws.aref.put.exit %r, %t [#nvws.async_op<none>] {ttg.partition = array<i32: 0>} : !r, !ttg.async.token
      } {ttg.partition = array<i32: 0>}
    } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Row indices get the layout that the copy takes.
  // CHECK-LABEL: @gather
  // CHECK:           %[[O:.*]] = ttg.convert_layout %arg3 {ttg.partition = array<i32: 0>} : {{.*}} -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #{{.*}}}>>
  // CHECK-NEXT:      ttng.async_tma_gather %arg4[%[[O]], %{{.*}}]
  tt.func @gather(%a: i32, %n: i32, %s: i32, %o: !v, %d: !tt.tensordesc<1x64xf16, #tile>, %acc: tensor<64x64xf32, #mma>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<1x32x64xf16, #tile, #smem, mutable>
    %r = nvws.aref.create %b : !nvws.aref<[!ttg.memdesc<1x32x64xf16, #tile, #smem, mutable>]>
    scf.for %i = %a to %n step %s : i32 {
      %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !nvws.aref<[!ttg.memdesc<1x32x64xf16, #tile, #smem, mutable>]> -> !ttg.memdesc<32x64xf16, #tile, #smem, mutable, 1x32x64>, !ttg.async.token
      nvws.descriptor_gather %d[%o, %i] 4096 %p {ttg.partition = array<i32: 0>} : !tt.tensordesc<1x64xf16, #tile>, !v, i32, !ttg.memdesc<32x64xf16, #tile, #smem, mutable, 1x32x64>
      nvws.aref.put.exit %r, %t [#nvws.async_op<tma_load>] {ttg.partition = array<i32: 0>} : !nvws.aref<[!ttg.memdesc<1x32x64xf16, #tile, #smem, mutable>]>, !ttg.async.token
    } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @none
  // CHECK-NOT:     barrier
  tt.func @none(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
