// RUN: tritcc -x ttgir -passes=insert-aref %s | FileCheck %s
// positive: @tensor @scalar @carried @block @copy @same @kept @answer @branch
// negative: @alone @unshared
// loop: @tensor @unshared
// if: @branch

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#lines = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#columns = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#bytes = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!v = tensor<32xi32, #blocked>
!b = !ttg.memdesc<64x64xf16, #shared, #smem>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @tensor
  // CHECK:         %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1x32xi32, {{.*}}, mutable>
  // CHECK-NEXT:    %[[R:.*]] = nvws.aref.create %[[B]]
  // CHECK-NEXT:    scf.for
  // CHECK-NEXT:      %[[V:.*]] = tt.splat
  // CHECK-NEXT:      %[[P:.*]], %[[T:.*]] = nvws.aref.put.enter %[[R]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      ttg.local_store %[[V]], %[[P]] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      nvws.aref.put.exit %[[R]], %[[T]] [#nvws.async_op<none>] {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      %[[G:.*]], %[[U:.*]] = nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      %[[W:.*]] = ttg.local_load %[[G]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      nvws.aref.get.exit %[[R]], %[[U]] [#nvws.async_op<none>] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      arith.addi %[[W]], %[[W]]
  tt.func @tensor(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
      %v = tt.splat %i {ttg.partition = array<i32: 0>} : i32 -> !v
      %w = arith.addi %v, %v {ttg.partition = array<i32: 1>} : !v
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @scalar
  // CHECK:           %[[X:.*]] = arith.addi
  // CHECK:           %[[T:.*]] = tt.splat %[[X]] {ttg.partition = array<i32: 0>} : i32 -> tensor<1xi32
  // CHECK:           ttg.local_store %[[T]]
  // CHECK:           %[[L:.*]] = ttg.local_load
  // CHECK-NEXT:      nvws.aref.get.exit
  // CHECK-NEXT:      %[[Y:.*]] = tt.unsplat %[[L]] {ttg.partition = array<i32: 1>}
  // CHECK:           arith.muli %[[Y]], %[[Y]]
  tt.func @scalar(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
      %x = arith.addi %i, %a {ttg.partition = array<i32: 0>} : i32
      %w = arith.muli %x, %x {ttg.partition = array<i32: 1>} : i32
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // What a loop carries is handed on at its start, by the groups of its result.
  // CHECK-LABEL: @carried
  // CHECK:         scf.for {{.*}} iter_args(%[[K:.*]] = %arg3)
  // CHECK-NEXT:      %[[P:.*]], %{{.*}} = nvws.aref.put.enter %{{.*}} {ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      ttg.local_store %[[K]], %[[P]]
  // CHECK:           ttg.local_load
  // CHECK:           arith.muli
  tt.func @carried(%a: i32, %n: i32, %s: i32, %t: !v) {
    %r = scf.for %i = %a to %n step %s iter_args(%k = %t) -> !v : i32 {
      %x = arith.addi %k, %k {ttg.partition = array<i32: 0>} : !v
      %w = arith.muli %k, %k {ttg.partition = array<i32: 1>} : !v
      scf.yield {ttg.partition = array<i32: 0>} %x : !v
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // A block that products read is given back when they are done.
  // CHECK-LABEL: @block
  // CHECK:           ttg.local_store %arg3, %{{.*}} {ttg.partition = array<i32: 0>}
  // CHECK-NOT:       ttg.local_alloc
  // CHECK:           %[[G:.*]], %[[U:.*]] = nvws.aref.get.enter %[[R:.*]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      ttng.warp_group_dot %[[G]], %[[G]], %arg4
  // CHECK-NEXT:      nvws.aref.get.exit %[[R]], %[[U]] [#nvws.async_op<wgmma>] {ttg.partition = array<i32: 1>}
  tt.func @block(%a: i32, %n: i32, %s: i32, %t: tensor<64x64xf16, #rows>, %acc: tensor<64x64xf32, #mma>) {
    scf.for %i = %a to %n step %s : i32 {
      %b = ttg.local_alloc %t {ttg.partition = array<i32: 0>} : (tensor<64x64xf16, #rows>) -> !b
      %d = ttng.warp_group_dot %b, %b, %acc {ttg.partition = array<i32: 1>} : !b * !b -> tensor<64x64xf32, #mma>
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // The copy of a descriptor goes to the buffer at once; in a schedule the operations take its place.
  // CHECK-LABEL: @copy
  // CHECK:           %[[P:.*]], %{{.*}} = nvws.aref.put.enter %[[R:.*]] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 0>}
  // CHECK-NEXT:      nvws.descriptor_load %arg3[%{{.*}}, %{{.*}}] 8192 %[[P]]
  // CHECK-NEXT:      nvws.aref.put.exit %[[R]], %{{.*}} [#nvws.async_op<tma_load>]
  // CHECK-NOT:       tt.descriptor_load
  // CHECK:           nvws.aref.get.enter %[[R]] {loop.cluster = 0 : i32, loop.stage = 1 : i32, ttg.partition = array<i32: 1>}
  // CHECK:           ttng.warp_group_dot
  // CHECK-NEXT:      nvws.aref.get.exit %{{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32, ttg.partition = array<i32: 1>}
  tt.func @copy(%a: i32, %n: i32, %s: i32, %t: !tt.tensordesc<64x64xf16, #shared>, %acc: tensor<64x64xf32, #mma>) {
    scf.for %i = %a to %n step %s : i32 {
      %x = tt.descriptor_load %t[%i, %i] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 0>} : !tt.tensordesc<64x64xf16, #shared> -> tensor<64x64xf16, #rows>
      %b = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 1 : i32, ttg.partition = array<i32: 0>} : (tensor<64x64xf16, #rows>) -> !b
      %d = ttng.warp_group_dot %b, %b, %acc {loop.cluster = 0 : i32, loop.stage = 1 : i32, ttg.partition = array<i32: 1>} : !b * !b -> tensor<64x64xf32, #mma>
    } {tt.warp_specialize, tt.scheduled_max_stage = 1 : i32, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // So it does where the block has the descriptor's layout by another name, but not where it has another one.
  // CHECK-LABEL: @same
  // CHECK:         ttg.local_alloc : () -> !ttg.memdesc<1x32x16xi8, #[[LINES:.*]], #smem, mutable>
  // CHECK:         ttg.local_alloc : () -> !ttg.memdesc<1x32x16xi8, #[[COLUMNS:.*]], #smem, mutable>
  // CHECK:           nvws.descriptor_load %arg3[%{{.*}}, %{{.*}}] 512
  // CHECK:           tt.descriptor_load
  // CHECK:           ttg.local_store {{.*}} -> !ttg.memdesc<32x16xi8, #[[COLUMNS]], #smem, mutable, 1x32x16>
  // CHECK:           ttg.local_load {{.*}} : !ttg.memdesc<32x16xi8, #[[LINES]], #smem>
  // CHECK:           ttg.local_load {{.*}} : !ttg.memdesc<32x16xi8, #[[COLUMNS]], #smem>
  tt.func @same(%a: i32, %n: i32, %s: i32, %t: !tt.tensordesc<32x16xi8, #lines>) {
    scf.for %i = %a to %n step %s : i32 {
      %x = tt.descriptor_load %t[%i, %i] {ttg.partition = array<i32: 0>} : !tt.tensordesc<32x16xi8, #lines> -> tensor<32x16xi8, #rows>
      %b = ttg.local_alloc %x {ttg.partition = array<i32: 0>} : (tensor<32x16xi8, #rows>) -> !ttg.memdesc<32x16xi8, #plain, #smem>
      %y = tt.descriptor_load %t[%i, %i] {ttg.partition = array<i32: 0>} : !tt.tensordesc<32x16xi8, #lines> -> tensor<32x16xi8, #rows>
      %c = ttg.local_alloc %y {ttg.partition = array<i32: 0>} : (tensor<32x16xi8, #rows>) -> !ttg.memdesc<32x16xi8, #columns, #smem>
      %v = ttg.local_load %b {ttg.partition = array<i32: 1>} : !ttg.memdesc<32x16xi8, #plain, #smem> -> tensor<32x16xi8, #rows>
      %w = ttg.local_load %c {ttg.partition = array<i32: 1>} : !ttg.memdesc<32x16xi8, #columns, #smem> -> tensor<32x16xi8, #rows>
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // The group that has the value keeps its own where another one uses it at the same place.
  // CHECK-LABEL: @kept
  // CHECK:           %[[V:.*]] = tt.splat
  // CHECK:           %[[W:.*]] = ttg.local_load %{{.*}} {ttg.partition = array<i32: 1>}
  // CHECK:           %[[C:.*]] = nvws.aref.phi %[[V]], %[[W]] {ttg.partition = array<i32: 0, 1>}
  // CHECK:           arith.addi %[[C]], %[[C]]
  tt.func @kept(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
      %v = tt.splat %i {ttg.partition = array<i32: 0>} : i32 -> !v
      %w = arith.addi %v, %v {ttg.partition = array<i32: 0, 1>} : !v
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // The answer to a request for work comes to the buffer by itself, of which there are two.
  // CHECK-LABEL: @answer
  // CHECK:         ttg.local_alloc {alignment = 16 : i32} : () -> !ttg.memdesc<2x2xi64
  // CHECK:           %[[P:.*]], %[[T:.*]] = nvws.aref.put.enter %[[R:.*]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      nvws.clc_try_cancel %[[P]] {ttg.partition = array<i32: 1>}
  // CHECK-NEXT:      nvws.aref.put.exit %[[R]], %[[T]] [#nvws.async_op<clc>]
  // CHECK-NOT:       ttng.clc_try_cancel_sync
  // CHECK:           %[[G:.*]], %[[U:.*]] = nvws.aref.get.enter %[[R]] {ttg.partition = array<i32: 0, 1>}
  // CHECK-NEXT:      ttng.clc_load_result %[[G]]
  // CHECK-NEXT:      nvws.aref.get.exit %[[R]], %[[U]] [#nvws.async_op<none>] {ttg.partition = array<i32: 0, 1>}
  tt.func @answer(%run: i1) {
    %l = scf.while (%c = %run) : (i1) -> i1 {
      scf.condition(%c) {ttg.partition = array<i32: 0, 1>} %c : i1
    } do {
    ^bb0(%c: i1):
      %w = ttng.clc_try_cancel_sync {ttg.partition = array<i32: 1>} : tensor<2xi64, #blocked>
      %b = ttg.local_alloc %w {alignment = 16 : i32, ttg.partition = array<i32: 1>} : (tensor<2xi64, #blocked>) -> !ttg.memdesc<2xi64, #bytes, #smem, mutable>
      %x = ttng.clc_load_result %b {ttg.partition = array<i32: 0, 1>} : !ttg.memdesc<2xi64, #bytes, #smem, mutable> -> i128
      %n = ttng.clc_is_canceled %x {ttg.partition = array<i32: 0, 1>} : i128 -> i1
      scf.yield {ttg.partition = array<i32: 0, 1>} %n : i1
    } attributes {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0, 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK:           nvws.aref.put.exit
  // CHECK:           %[[W:.*]] = ttg.local_load
  // CHECK:           scf.if
  // CHECK:             arith.addi %[[W]]
  tt.func @branch(%a: i32, %n: i32, %s: i32, %p: i1) {
    scf.for %i = %a to %n step %s : i32 {
      %v = tt.splat %i {ttg.partition = array<i32: 0>} : i32 -> !v
      scf.if %p {
        %w = arith.addi %v, %v {ttg.partition = array<i32: 1>} : !v
      } {ttg.partition = array<i32: 1>}
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @alone
  // CHECK-NOT:     nvws.aref
  tt.func @alone(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
      %v = tt.splat %i {ttg.partition = array<i32: 0, 1>} : i32 -> !v
      %w = arith.addi %v, %v {ttg.partition = array<i32: 1>} : !v
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // CHECK-LABEL: @unshared
  // CHECK-NOT:     nvws.aref
  tt.func @unshared(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
      %v = tt.splat %i : i32 -> !v
      %w = arith.addi %v, %v : !v
    }
    tt.return
  }
}
