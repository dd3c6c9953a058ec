// RUN: tritcc -x ttgir -passes=insert-tmem-aref %s | FileCheck %s
// positive: @sums @turns @unfilled @branch @scales @inside @runs @while @tensor @early
// negative: @unshared @ready @alone
// loop: @sums @unshared
// if: @branch

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#columns = #ttg.linear<{register = [[0, 1], [0, 2], [32, 0], [64, 0], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#scale = #ttng.tensor_memory_scales_encoding<>
!t = tensor<128x64xf32, #rows>
!h = tensor<128x64xf16, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!p = !ttg.memdesc<128x64xf16, #acc, #ttng.tensor_memory>
!a = !ttg.memdesc<128x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x64xf16, #shared, #smem>
!a8 = !ttg.memdesc<128x64xf8E4M3FN, #bytes, #smem>
!b8 = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem>
!s = !ttg.memdesc<128x8xi8, #scale, #ttng.tensor_memory>
!k = !ttg.async.token
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {
  // One group makes the sums; behind the loop all warps have them, when the products are done.
  // CHECK-LABEL: @sums
  // CHECK:         %[[B:.*]] = ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32
  // CHECK-NEXT:    %[[R:.*]] = nvws.aref.create %[[B]]
  // CHECK-NEXT:    %{{.*}}, %[[K:.*]] = nvws.aref.put.enter %[[R]] :
  // CHECK-NEXT:    %[[D:.*]] = nvws.aref.buffer %[[R]], %[[K]] :
  // CHECK-NEXT:    ttng.tmem_store %{{.*}}, %[[D]][]
  // CHECK-NEXT:    %[[L:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[K]])
  // CHECK-NEXT:      %[[E:.*]] = nvws.aref.buffer %[[R]], %[[T]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[E]][], {{.*}} {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      scf.yield {ttg.partition = array<i32: 1>} %[[T]]
  // CHECK:         nvws.aref.put.exit %[[R]], %[[L]] [#nvws.async_op<tc5mma>] {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 3 : i32}
  // CHECK-NEXT:    %{{.*}}, %[[G:.*]] = nvws.aref.get.enter %[[R]] :
  // CHECK-NEXT:    %[[F:.*]] = nvws.aref.buffer %[[R]], %[[G]] :
  // CHECK-NEXT:    ttng.tmem_load %[[F]][]
  // CHECK-NEXT:    nvws.aref.get.exit %[[R]], %[[G]] [#nvws.async_op<none>] :
  tt.func @sums(%n: i32, %x: !a, %y: !b, %z: !t) -> !t {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %k1 = ttng.tmem_store %z, %d[%k], %true : !t -> !d
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k1) -> !k : i32 {
      %u = ttng.tc_gen5_mma %x, %y, %d[%t], %true, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      scf.yield {ttg.partition = array<i32: 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 3 : i32}
    %v, %w = ttng.tmem_load %d[%l] : !d -> !t
    tt.return %v : !t
  }

  // Products that begin anew each time have two buffers: while one is read the other is filled.
  // CHECK-LABEL: @turns
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32
  // CHECK-NEXT:    %[[R:.*]] = nvws.aref.create
  // CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}})
  // CHECK:           ttng.tc_gen5_mma
  // CHECK-NEXT:      nvws.aref.put.exit %[[R]], %[[T]] [#nvws.async_op<tc5mma>] {loop.cluster = 1 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      %{{.*}}, %[[G:.*]] = nvws.aref.get.enter %[[R]] {loop.cluster = 0 : i32, loop.stage = 3 : i32, ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      nvws.aref.buffer %[[R]], %[[G]]
  // CHECK-NEXT:      ttng.tmem_load
  // CHECK-NEXT:      nvws.aref.get.exit %[[R]], %[[G]] [#nvws.async_op<none>] {loop.cluster = 0 : i32, loop.stage = 3 : i32, ttg.partition = array<i32: 0>}
  // CHECK:           %{{.*}}, %[[N:.*]] = nvws.aref.put.enter %[[R]] {loop.cluster = 1 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      scf.yield {{.*}} %[[N]]
  // CHECK:         nvws.aref.put.exit %[[R]], %{{.*}} [#nvws.async_op<tc5mma>] {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 0 : i32}
  // CHECK-NEXT:    %{{.*}}, %[[E:.*]] = nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 0>, ttg.warp_specialize.tag = 0 : i32}
  // CHECK-NEXT:    nvws.aref.get.exit %[[R]], %[[E]] [#nvws.async_op<none>] {ttg.partition = array<i32: 0>, ttg.warp_specialize.tag = 0 : i32}
  tt.func @turns(%n: i32, %x: !a, %y: !b, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %u = ttng.tc_gen5_mma %x, %y, %d[%t], %false, %true {loop.cluster = 1 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !a, !b, !d
      %v, %w = ttng.tmem_load %d[%u] {loop.cluster = 0 : i32, loop.stage = 3 : i32, ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {loop.cluster = 0 : i32, loop.stage = 3 : i32, ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
      scf.yield {ttg.partition = array<i32: 0, 1>} %w : !k
    } {tt.scheduled_max_stage = 3 : i32, tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Sums that go on are in one buffer: so are those that only a condition, which the turns do not depend on, begins.
  // CHECK-LABEL: @unfilled
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32
  // CHECK:         nvws.aref.put.exit
  // CHECK:         nvws.aref.get.enter
  tt.func @unfilled(%n: i32, %x: !a, %y: !b, %z: !t, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %c = arith.cmpi eq, %i, %c1 {ttg.partition = array<i32: 1>} : i32
      %s = ttng.tmem_store %z, %d[%t], %c {ttg.partition = array<i32: 1>} : !t -> !d
      %u = ttng.tc_gen5_mma %x, %y, %d[%s], %true, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      %v, %w = ttng.tmem_load %d[%u] {ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
      scf.yield {ttg.partition = array<i32: 0, 1>} %w : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Each group has its part of a conditional; where the sums are read, the next product begins anew.
  // CHECK-LABEL: @branch
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32
  // CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}})
  // CHECK:           scf.if %[[C:.*]] {
  // CHECK-NEXT:        nvws.aref.put.exit %[[R:.*]], %[[T]] [#nvws.async_op<tc5mma>] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      } {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      scf.if %[[C]]
  // CHECK-NEXT:        nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 0>}
  // CHECK-NOT:         aref.put
  // CHECK:           } {ttg.partition = array<i32: 0>, ttg.partition.outputs = [array<i32: 0>]}
  // CHECK-NEXT:      %[[N:.*]] = scf.if %[[C]]
  // CHECK-NEXT:        %{{.*}}, %[[U:.*]] = nvws.aref.put.enter %[[R]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:        scf.yield {ttg.partition = array<i32: 1>} %[[U]]
  // CHECK-NEXT:      } else {
  // CHECK-NEXT:        scf.yield {ttg.partition = array<i32: 1>} %[[T]]
  // CHECK-NEXT:      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>]}
  // CHECK:           scf.yield {{.*}}, %[[N]]
  tt.func @branch(%n: i32, %x: !a, %y: !b, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%adds = %true, %t = %k) -> (i1, !k) : i32 {
      %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      %c = arith.cmpi sgt, %i, %c1 {ttg.partition = array<i32: 0, 1>} : i32
      %o = arith.cmpi sle, %i, %c1 {ttg.partition = array<i32: 1>} : i32
      %r = scf.if %c -> !k {
        %v, %w = ttng.tmem_load %d[%u] {ttg.partition = array<i32: 0>} : !d -> !t
        tt.store %p, %v {ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
        scf.yield {ttg.partition = array<i32: 0, 1>} %w : !k
      } else {
        scf.yield {ttg.partition = array<i32: 0, 1>} %u : !k
      } {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>]}
      scf.yield {ttg.partition = array<i32: 0, 1>} %o, %r : i1, !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // A tensor is stored to a buffer; scales have one, which is no ring.
  // CHECK-LABEL: @scales
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32
  // CHECK:         %[[B:.*]] = ttng.tmem_alloc : () -> !ttg.memdesc<128x8xi8, {{.*}}, mutable>
  // CHECK-NEXT:    %[[R:.*]] = nvws.aref.create %[[B]]
  // CHECK-NEXT:    scf.for
  // CHECK:           %[[V:.*]] = arith.addi
  // CHECK-NEXT:      %{{.*}}, %[[K:.*]] = nvws.aref.put.enter %[[R]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      %[[D:.*]] = nvws.aref.buffer %[[R]], %[[K]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      %[[Y:.*]] = arith.constant {ttg.partition = array<i32: 0>} true
  // CHECK-NEXT:      ttng.tmem_store %[[V]], %[[D]], %[[Y]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      nvws.aref.put.exit %[[R]], %[[K]] [#nvws.async_op<none>] {ttg.partition = array<i32: 0>}
  // CHECK:           %{{.*}}, %[[G:.*]] = nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      %[[E:.*]] = nvws.aref.buffer %[[R]], %[[G]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      ttng.tc_gen5_mma_scaled {{.*}}, %[[E]], %arg3,
  // CHECK-NEXT:      nvws.aref.get.exit %[[R]], %[[G]] [#nvws.async_op<tc5mma>] {ttg.partition = array<i32: 1>}
  tt.func @scales(%n: i32, %x: !a8, %y: !b8, %z: !s, %q: tensor<128x8xi8, #columns>) -> !t {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %v = arith.addi %q, %q {ttg.partition = array<i32: 0>} : tensor<128x8xi8, #columns>
      %s = ttng.tmem_alloc %v {ttg.partition = array<i32: 0>} : (tensor<128x8xi8, #columns>) -> !s
      %u = ttng.tc_gen5_mma_scaled %x, %y, %d[%t], %s, %z, %true, %true lhs = e4m3 rhs = e4m3 {ttg.partition = array<i32: 1>} : !a8, !b8, !d, !s, !s
      scf.yield {ttg.partition = array<i32: 0, 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    %v, %w = ttng.tmem_load %d[%l] : !d -> !t
    tt.return %v : !t
  }

  // The ring of a buffer that the loop makes stands in front of it; places in the inner loop's schedule stay there.
  // CHECK-LABEL: @inside
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32
  // CHECK-NEXT:    %[[R:.*]] = nvws.aref.create
  // CHECK-NEXT:    scf.for
  // CHECK-NEXT:      %{{.*}}, %[[K:.*]] = nvws.aref.put.enter %[[R]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      %[[L:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[T:.*]] = %[[K]])
  // CHECK-NEXT:        nvws.aref.buffer %[[R]], %[[T]] {loop.cluster = 0 : i32, loop.stage = 1 : i32, ttg.partition = array<i32: 1>}
  // CHECK:           nvws.aref.put.exit %[[R]], %{{.*}}#1 [#nvws.async_op<tc5mma>] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 0>}
  tt.func @inside(%n: i32, %x: !a, %y: !b, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!d, !k)
      %l:2 = scf.for %j = %c0 to %n step %c1 iter_args(%adds = %false, %t = %k) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {loop.cluster = 0 : i32, loop.stage = 1 : i32, ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {tt.scheduled_max_stage = 1 : i32, ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      %v, %w = ttng.tmem_load %d[%l#1] {ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // An inner loop that is known to run begins the sums anew. One that may have no trip does not, nor does a buffer that
  // is taken for all warps behind the loop.
  // CHECK-LABEL: @runs
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32
  tt.func @runs(%n: i32, %x: !a, %y: !b, %p: tensor<128x64x!tt.ptr<f32>, #rows>) -> !t {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %d2, %k2 = ttng.tmem_alloc : () -> (!d, !k)
    %d3, %k3 = ttng.tmem_alloc : () -> (!d, !k)
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k, %a2 = %k2, %a3 = %k3) -> (!k, !k, !k) : i32 {
      %m = arith.addi %i, %c1 {ttg.partition = array<i32: 1>} : i32
      %c = arith.cmpi sgt, %m, %c0 {ttg.partition = array<i32: 1>} : i32
      llvm.intr.assume %c : i1 {ttg.partition = array<i32: 1>}
      %l:2 = scf.for %j = %c0 to %m step %c1 iter_args(%adds = %false, %t = %a) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      %l2:2 = scf.for %j = %c0 to %n step %c1 iter_args(%adds = %false, %t = %a2) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d2[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      %u3 = ttng.tc_gen5_mma %x, %y, %d3[%a3], %false, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      %v, %w = ttng.tmem_load %d[%l#1] {ttg.partition = array<i32: 0>} : !d -> !t
      %v2, %w2 = ttng.tmem_load %d2[%l2#1] {ttg.partition = array<i32: 0>} : !d -> !t
      %v3, %w3 = ttng.tmem_load %d3[%u3] {ttg.partition = array<i32: 0>} : !d -> !t
      %s = arith.addf %v, %v2 {ttg.partition = array<i32: 0>} : !t
      %s3 = arith.addf %s, %v3 {ttg.partition = array<i32: 0>} : !t
      tt.store %p, %s3 {ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
      scf.yield {ttg.partition = array<i32: 0, 1>} %w, %w2, %w3 : !k, !k, !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>, array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    %z, %e = ttng.tmem_load %d3[%r#2] : !d -> !t
    tt.return %z : !t
  }

  // CHECK-LABEL: @while
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32
  // CHECK:         %{{.*}}, %[[K:.*]] = nvws.aref.put.enter
  // CHECK:         scf.while ({{.*}}, %[[B:.*]] = %[[K]])
  // CHECK-NEXT:      scf.condition({{.*}}) {{.*}}, %[[B]]
  // CHECK:         ^bb0(%{{.*}}: i1, %[[T:.*]]: !ttg.async.token):
  // CHECK-NEXT:      nvws.aref.buffer %{{.*}}, %[[T]]
  // CHECK:           %{{.*}}, %[[N:.*]] = nvws.aref.put.enter
  // CHECK-NEXT:      scf.yield {{.*}}, %[[N]]
  tt.func @while(%run: i1, %x: !a, %y: !b, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %true = arith.constant true
    %false = arith.constant false
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l:2 = scf.while (%c = %run, %b = %k) : (i1, !k) -> (i1, !k) {
      scf.condition(%c) {ttg.partition = array<i32: 0, 1>} %c, %b : i1, !k
    } do {
    ^bb0(%c: i1, %t: !k):
      %u = ttng.tc_gen5_mma %x, %y, %d[%t], %false, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      %v, %w = ttng.tmem_load %d[%u] {ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
      scf.yield {ttg.partition = array<i32: 0, 1>} %c, %w : i1, !k
    } attributes {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0, 1>, array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // A left operand in tensor memory.
  // CHECK-LABEL: @tensor
  // CHECK:         ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf16
  // CHECK:         scf.for
  // CHECK:           nvws.aref.put.enter
  // CHECK:           ttng.tmem_store
  // CHECK-NEXT:      nvws.aref.put.exit
  // CHECK:           nvws.aref.get.enter
  // CHECK-NEXT:      %[[P:.*]] = nvws.aref.buffer
  // CHECK-NEXT:      ttng.tc_gen5_mma %[[P]], %{{.*}}, %{{.*}}[%{{.*}}]
  tt.func @tensor(%n: i32, %x: !h, %y: !b, %d: !d, %k: !k) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %v = arith.addf %x, %x {ttg.partition = array<i32: 0>} : !h
      %p = ttng.tmem_alloc %v {ttg.partition = array<i32: 0>} : (!h) -> !p
      %u = ttng.tc_gen5_mma %p, %y, %d[%t], %true, %true {ttg.partition = array<i32: 1>} : !p, !b, !d
      scf.yield {ttg.partition = array<i32: 0, 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Who reads first, gives at the start of the body.
  // CHECK-LABEL: @early
  // CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}})
  // CHECK-NEXT:      nvws.aref.put.exit %[[R:.*]], %[[T]] [#nvws.async_op<none>] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      %{{.*}}, %[[G:.*]] = nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 0>}
  // CHECK:           nvws.aref.get.exit %[[R]], %[[G]]
  // CHECK:           nvws.aref.put.enter %[[R]] {ttg.partition = array<i32: 1>}
  // CHECK:           ttng.tc_gen5_mma
  tt.func @early(%n: i32, %x: !a, %y: !b, %z: !t, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %d, %k = ttng.tmem_alloc %z : (!t) -> (!d, !k)
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %v, %w = ttng.tmem_load %d[%t] {ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 0>} : tensor<128x64x!tt.ptr<f32>, #rows>
      %u = ttng.tc_gen5_mma %x, %y, %d[%w], %true, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      scf.yield {ttg.partition = array<i32: 0, 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @unshared
  // CHECK-NOT:     nvws
  tt.func @unshared(%n: i32, %x: !a, %y: !b) -> !t {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %d, %k = ttng.tmem_alloc : () -> (!d, !k)
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %u = ttng.tc_gen5_mma %x, %y, %d[%t], %true, %true : !a, !b, !d
      scf.yield %u : !k
    }
    %v, %w = ttng.tmem_load %d[%l] : !d -> !t
    tt.return %v : !t
  }

  // CHECK-LABEL: @ready
  // CHECK-NOT:     nvws
  tt.func @ready(%n: i32, %x: !h, %y: !b, %d: !d, %k: !k) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %p = ttng.tmem_alloc %x : (!h) -> !p
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %k) -> !k : i32 {
      %u = ttng.tc_gen5_mma %p, %y, %d[%t], %true, %true {ttg.partition = array<i32: 1>} : !p, !b, !d
      scf.yield {ttg.partition = array<i32: 1>} %u : !k
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @alone
  // CHECK-NOT:     nvws
  tt.func @alone(%n: i32, %x: !a, %y: !b, %p: tensor<128x64x!tt.ptr<f32>, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc {ttg.partition = array<i32: 1>} : () -> (!d, !k)
      %u = ttng.tc_gen5_mma %x, %y, %d[%k], %false, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
      %v, %w = ttng.tmem_load %d[%u] {ttg.partition = array<i32: 1>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 1>} : tensor<128x64x!tt.ptr<f32>, #rows>
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
