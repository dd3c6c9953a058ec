// RUN: tritcc -x ttgir -passes=hoist-tmem-store %s | FileCheck %s
// positive: @bounds @assumed @stays @deeper @while @filled @branch
// negative: @unshared @plain
// loop: @bounds @unshared
// if: @branch

#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#acc = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
!t = tensor<128x64xf32, #rows>
!d = !ttg.memdesc<128x64xf32, #acc, #ttng.tensor_memory, mutable>
!a = !ttg.memdesc<128x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x64xf16, #shared, #smem>
!k = !ttg.async.token
!p = tensor<128x64x!tt.ptr<f32>, #rows>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {
  // The loop of products has as many trips each time: they all overwrite the zeros, or none does.
  // CHECK-LABEL: @bounds
  // CHECK:         %[[D:.*]], %[[K:.*]] = ttng.tmem_alloc %{{.*}} : (tensor
  // CHECK-NEXT:    scf.for {{.*}} iter_args(%[[T:.*]] = %[[K]])
  // CHECK-NOT:       ttng.tmem_store
  // CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[U:.*]] = %[[T]])
  // CHECK-NEXT:        ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[D]][%[[U]]]
  // CHECK:           %{{.*}}, %[[W:.*]] = ttng.tmem_load
  // CHECK:           scf.yield {ttg.partition = array<i32: 0, 1>} %[[W]]
  // CHECK-NEXT:    } {{.*}}ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>]
  tt.func @bounds(%n: i32, %m: i32, %x: !a, %y: !b, %z: !t, %p: !p) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!d, !k)
      %s = ttng.tmem_store %z, %d[%k], %true {ttg.partition = array<i32: 0>} : !t -> !d
      %h = arith.addi %m, %c1 {ttg.partition = array<i32: 1>} : i32
      %l:2 = scf.for %j = %c0 to %h step %c1 iter_args(%adds = %false, %t = %s) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      %v, %w = ttng.tmem_load %d[%l#1] {ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 0>} : !p
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // It has another number of trips each time, but one at least.
  // CHECK-LABEL: @assumed
  // CHECK:         ttng.tmem_alloc %{{.*}} : (tensor
  // CHECK-NEXT:    scf.for
  tt.func @assumed(%n: i32, %x: !a, %y: !b, %z: !t) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc %z {ttg.partition = array<i32: 0>} : (!t) -> (!d, !k)
      %c = arith.cmpi sgt, %i, %c1 {ttg.partition = array<i32: 1>} : i32
      llvm.intr.assume %c : i1 {ttg.partition = array<i32: 1>}
      %l:2 = scf.for %j = %c0 to %i step %c1 iter_args(%adds = %false, %t = %k) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // It may have none: then the zeros are the result, each time.
  // CHECK-LABEL: @stays
  // CHECK:         scf.for
  // CHECK-NEXT:      ttng.tmem_alloc %{{.*}} {ttg.partition = array<i32: 1>} : (tensor
  // CHECK-NOT:       ttng.tmem_store
  // CHECK:         }
  tt.func @stays(%n: i32, %x: !a, %y: !b, %z: !t, %p: !p) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!d, !k)
      %s = ttng.tmem_store %z, %d[%k], %true {ttg.partition = array<i32: 0>} : !t -> !d
      %l:2 = scf.for %j = %c0 to %i step %c1 iter_args(%adds = %false, %t = %s) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      %v, %w = ttng.tmem_load %d[%l#1] {ttg.partition = array<i32: 0>} : !d -> !t
      tt.store %p, %v {ttg.partition = array<i32: 0>} : !p
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // What is stored behind the products would be there where the loop has no trip: such a buffer stays, too.
  // CHECK-LABEL: @filled
  // CHECK:         scf.for
  // CHECK-NEXT:      ttng.tmem_alloc %{{.*}} {ttg.partition = array<i32: 1>}
  // CHECK:           ttng.tmem_store
  tt.func @filled(%n: i32, %m: i32, %x: !a, %y: !b, %z: !t, %q: !t) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc %z {ttg.partition = array<i32: 0>} : (!t) -> (!d, !k)
      %l:2 = scf.for %j = %c0 to %m step %c1 iter_args(%adds = %false, %t = %k) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      %s = ttng.tmem_store %q, %d[%l#1], %true {ttg.partition = array<i32: 1>} : !t -> !d
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Every loop in between carries the token.
  // CHECK-LABEL: @deeper
  // CHECK:         %{{.*}}, %[[K:.*]] = ttng.tmem_alloc %{{.*}} : (tensor
  // CHECK-NEXT:    %[[R:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[K]])
  // CHECK-NEXT:      %[[S:.*]] = scf.for {{.*}} iter_args(%[[U:.*]] = %[[T]])
  // CHECK-NEXT:        %[[L:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[U]])
  // CHECK:             scf.yield {ttg.partition = array<i32: 0, 1>} %[[L]]#1
  // CHECK-NEXT:      } {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>]}
  // CHECK-NEXT:      scf.yield {ttg.partition = array<i32: 0, 1>} %[[S]]
  tt.func @deeper(%n: i32, %m: i32, %x: !a, %y: !b, %z: !t) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.for %o = %c0 to %i step %c1 : i32 {
        %d, %k = ttng.tmem_alloc %z {ttg.partition = array<i32: 0>} : (!t) -> (!d, !k)
        %l:2 = scf.for %j = %c0 to %m step %c1 iter_args(%adds = %false, %t = %k) -> (i1, !k) : i32 {
          %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
          scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
        } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      } {ttg.partition = array<i32: 0, 1>}
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @while
  // CHECK:         %{{.*}}, %[[K:.*]] = ttng.tmem_alloc %{{.*}} : (tensor
  // CHECK-NEXT:    scf.while (%{{.*}} = %{{.*}}, %[[B:.*]] = %[[K]])
  // CHECK-NEXT:      scf.condition({{.*}}) {{.*}}, %[[B]]
  // CHECK:         ^bb0(%{{.*}}: i1, %[[T:.*]]: !ttg.async.token):
  // CHECK-NEXT:      %[[L:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[T]])
  // CHECK:           scf.yield {{.*}}, %[[L]]#1
  tt.func @while(%run: i1, %m: i32, %x: !a, %y: !b, %z: !t) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    %r = scf.while (%c = %run) : (i1) -> i1 {
      scf.condition(%c) {ttg.partition = array<i32: 0, 1>} %c : i1
    } do {
    ^bb0(%c: i1):
      %d, %k = ttng.tmem_alloc %z {ttg.partition = array<i32: 0>} : (!t) -> (!d, !k)
      %l:2 = scf.for %j = %c0 to %m step %c1 iter_args(%adds = %false, %t = %k) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      scf.yield {ttg.partition = array<i32: 0, 1>} %c : i1
    } attributes {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0, 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @unshared
  // CHECK:         scf.for
  // CHECK-NEXT:      ttng.tmem_alloc :
  // CHECK-NEXT:      ttng.tmem_store
  tt.func @unshared(%n: i32, %x: !a, %y: !b, %z: !t) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc : () -> (!d, !k)
      %s = ttng.tmem_store %z, %d[%k], %true : !t -> !d
      %l:2 = scf.for %j = %c0 to %n step %c1 iter_args(%adds = %false, %t = %s) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true : !a, !b, !d
        scf.yield %true, %u : i1, !k
      }
    }
    tt.return
  }

  // What a condition stores is no first value; sums that the first product adds to need theirs.
  // CHECK-LABEL: @plain
  // CHECK:         ttng.tmem_store
  // CHECK:         ttng.tmem_alloc %{{.*}} {ttg.partition = array<i32: 0>}
  tt.func @plain(%n: i32, %x: !a, %y: !b, %z: !t, %q: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %k = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!d, !k)
      %s = ttng.tmem_store %z, %d[%k], %q {ttg.partition = array<i32: 0>} : !t -> !d
      %e, %k2 = ttng.tmem_alloc %z {ttg.partition = array<i32: 0>} : (!t) -> (!d, !k)
      %l:2 = scf.for %j = %c0 to %n step %c1 iter_args(%adds = %true, %t = %k2) -> (i1, !k) : i32 {
        %u = ttng.tc_gen5_mma %x, %y, %e[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
        scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
      } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // In a conditional only the store becomes the buffer's own.
  // CHECK-LABEL: @branch
  // CHECK:         scf.for
  // CHECK-NEXT:      scf.if
  // CHECK-NEXT:        ttng.tmem_alloc %{{.*}} {ttg.partition = array<i32: 1>}
  tt.func @branch(%n: i32, %m: i32, %x: !a, %y: !b, %z: !t, %q: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %false = arith.constant false
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.if %q {
        %d, %k = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!d, !k)
        %s = ttng.tmem_store %z, %d[%k], %true {ttg.partition = array<i32: 0>} : !t -> !d
        %l:2 = scf.for %j = %c0 to %m step %c1 iter_args(%adds = %false, %t = %s) -> (i1, !k) : i32 {
          %u = ttng.tc_gen5_mma %x, %y, %d[%t], %adds, %true {ttg.partition = array<i32: 1>} : !a, !b, !d
          scf.yield {ttg.partition = array<i32: 1>} %true, %u : i1, !k
        } {ttg.partition = array<i32: 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
      } {ttg.partition = array<i32: 0, 1>}
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
