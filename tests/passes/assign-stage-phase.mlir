// RUN: tritcc -x ttgir -passes=assign-stage-phase %s | FileCheck %s
// positive: @loop @branch @token @while @handed_out
// negative: @none
// loop: @loop
// if: @branch

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!ring = !ttg.memdesc<3x32xi32, #shared, #smem, mutable>
!one = !ttg.memdesc<32xi32, #shared, #smem, mutable>
!r = !nvws.aref<[!ttg.memdesc<3x32xi32, #shared, #smem, mutable>]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Those who put begin in phase 0, those who get in phase 1, both in front of the first of three buffers.
  // CHECK-LABEL: @loop
  // CHECK-DAG:     %[[LAST:[a-z0-9_]+]] = arith.constant 2 : i32
  // CHECK-DAG:     %[[ZERO:[a-z0-9_]+]] = arith.constant 0 : i32
  // CHECK-DAG:     %[[ONE:[a-z0-9_]+]] = arith.constant 1 : i32
  // CHECK:         scf.for {{.*}} iter_args(%[[S:[a-z0-9_]+]] = %{{.*}}, %[[F:[a-z0-9_]+]] = %{{.*}}, %[[S2:[a-z0-9_]+]] = %{{.*}}, %[[F2:[a-z0-9_]+]] = %{{.*}})
  // CHECK:           %[[N:[a-z0-9_]+]] = arith.addi %[[S]], %{{.*}} {ttg.partition = array<i32: 0>}
  // CHECK:           %[[D:[a-z0-9_]+]] = arith.constant {ttg.partition = array<i32: 0>} 3 : i32
  // CHECK:           %[[E:[a-z0-9_]+]] = arith.cmpi eq, %[[N]], %[[D]]
  // CHECK:           %[[S1:[a-z0-9_]+]] = arith.select %[[E]], %{{.*}}, %[[N]]
  // CHECK:           %[[X:[a-z0-9_]+]] = arith.xori %[[F]]
  // CHECK:           %[[F1:[a-z0-9_]+]] = arith.select %[[E]], %[[X]], %[[F]]
  // CHECK:           nvws.aref.put.enter %{{.*}}[%[[S1]], %[[F1]]]
  // CHECK:           nvws.aref.put.exit %{{.*}}[%[[S1]]]
  // CHECK:           %[[S3:[a-z0-9_]+]] = arith.select {{.*}} {ttg.partition = array<i32: 1>}
  // CHECK:           %[[F3:[a-z0-9_]+]] = arith.select {{.*}} {ttg.partition = array<i32: 1>}
  // CHECK:           nvws.aref.get.enter %{{.*}}[%[[S3]], %[[F3]]]
  // CHECK:           nvws.aref.get.exit %{{.*}}[%[[S3]]]
  // CHECK:           scf.yield {ttg.partition = array<i32: 0, 1>} %[[S1]], %[[F1]], %[[S3]], %[[F3]]
  // CHECK:         ttg.partition.outputs = [array<i32: 0>, array<i32: 0>, array<i32: 1>, array<i32: 1>]
  tt.func @loop(%a: i32, %n: i32, %s: i32) {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    scf.for %i = %a to %n step %s : i32 {
      %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !r -> !one, !ttg.async.token
      nvws.aref.put.exit %r, %t [#nvws.async_op<none>] {ttg.partition = array<i32: 0>} : !r, !ttg.async.token
      %g, %u = nvws.aref.get.enter %r {ttg.partition = array<i32: 1>} : !r -> !one, !ttg.async.token
      nvws.aref.get.exit %r, %u [#nvws.async_op<none>] {ttg.partition = array<i32: 1>} : !r, !ttg.async.token
    } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // The branch without accesses hands on what it was given.
  // CHECK-LABEL: @branch
  // CHECK:         scf.for {{.*}} iter_args(%[[S:[a-z0-9_]+]] = %{{.*}}, %[[F:[a-z0-9_]+]] = %{{.*}})
  // CHECK:           %[[I:[a-z0-9_]+]]:2 = scf.if %arg3 -> (i32, i32) {
  // CHECK:             nvws.aref.put.enter %{{.*}}[%[[S1:[a-z0-9_]+]], %[[F1:[a-z0-9_]+]]]
  // CHECK:             scf.yield {ttg.partition = array<i32: 0>} %[[S1]], %[[F1]]
  // CHECK:           } else {
  // CHECK-NEXT:        scf.yield {ttg.partition = array<i32: 0>} %[[S]], %[[F]]
  // CHECK:           scf.yield {ttg.partition = array<i32: 0, 1>} %[[I]]#0, %[[I]]#1
  tt.func @branch(%a: i32, %n: i32, %s: i32, %c: i1) {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    scf.for %i = %a to %n step %s : i32 {
      scf.if %c {
        %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !r -> !one, !ttg.async.token
        nvws.aref.put.exit %r, %t [#nvws.async_op<none>] {ttg.partition = array<i32: 0>} : !r, !ttg.async.token
      } {ttg.partition = array<i32: 0>}
    } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // A token that a loop carries takes its buffer with it.
  // CHECK-LABEL: @token
  // CHECK:         nvws.aref.put.enter %{{.*}}[%[[S0:[a-z0-9_]+]], %[[F0:[a-z0-9_]+]]] :
  // CHECK:         %[[R:[a-z0-9_]+]]:3 = scf.for {{.*}} iter_args(%[[T:[a-z0-9_]+]] = %{{.*}}, %[[S:[a-z0-9_]+]] = %[[S0]], %[[F:[a-z0-9_]+]] = %[[F0]])
  // CHECK:           nvws.aref.buffer %{{.*}}[%[[S]]], %[[T]]
  // CHECK:           nvws.aref.put.exit %{{.*}}[%[[S]]], %[[T]]
  // CHECK:           nvws.aref.put.enter %{{.*}}[%[[S1:[a-z0-9_]+]], %[[F1:[a-z0-9_]+]]] {ttg.partition = array<i32: 1>}
  // CHECK:           scf.yield {{.*}} %{{.*}}, %[[S1]], %[[F1]]
  // CHECK:         nvws.aref.put.exit %{{.*}}[%[[R]]#1], %[[R]]#0
  tt.func @token(%a: i32, %n: i32, %s: i32) {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    %p, %t = nvws.aref.put.enter %r : !r -> !one, !ttg.async.token
    %l = scf.for %i = %a to %n step %s iter_args(%k = %t) -> !ttg.async.token : i32 {
      %v = nvws.aref.buffer %r, %k {ttg.partition = array<i32: 1>} : !r, !ttg.async.token -> !one
      nvws.aref.put.exit %r, %k [#nvws.async_op<none>] {ttg.partition = array<i32: 1>} : !r, !ttg.async.token
      %q, %u = nvws.aref.put.enter %r {ttg.partition = array<i32: 1>} : !r -> !one, !ttg.async.token
      scf.yield {ttg.partition = array<i32: 1>} %u : !ttg.async.token
    } {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    nvws.aref.put.exit %r, %l [#nvws.async_op<none>] : !r, !ttg.async.token
    tt.return
  }

  // CHECK-LABEL: @while
  // CHECK:         scf.while (%[[C:[a-z0-9_]+]] = %arg0, %[[S:[a-z0-9_]+]] = %{{.*}}, %[[F:[a-z0-9_]+]] = %{{.*}})
  // CHECK-NEXT:      scf.condition(%[[C]]) {{.*}} %[[C]], %[[S]], %[[F]]
  // CHECK:         ^bb0(%{{.*}}: i1, %[[S1:[a-z0-9_]+]]: i32, %[[F1:[a-z0-9_]+]]: i32)
  // CHECK:           arith.addi %[[S1]]
  tt.func @while(%run: i1) {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    %l = scf.while (%c = %run) : (i1) -> i1 {
      scf.condition(%c) {ttg.partition = array<i32: 0>} %c : i1
    } do {
    ^bb0(%c: i1):
      %p, %t = nvws.aref.put.enter %r {ttg.partition = array<i32: 0>} : !r -> !one, !ttg.async.token
      nvws.aref.put.exit %r, %t [#nvws.async_op<none>] {ttg.partition = array<i32: 0>} : !r, !ttg.async.token
      scf.yield {ttg.partition = array<i32: 0>} %c : i1
    } attributes {ttg.partition = array<i32: 0>, ttg.partition.outputs = [array<i32: 0>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // A number that leaves the loop is of the first group, too.
  // CHECK-LABEL: @handed_out
  // CHECK:           arith.addi %{{.*}} {ttg.partition = array<i32: 0, 1>}
  // CHECK:         ttg.partition.outputs = [array<i32: 0, 1>
  tt.func @handed_out(%a: i32, %n: i32, %s: i32) -> i32 {
    %b = ttg.local_alloc : () -> !ring
    %r = nvws.aref.create %b : !r
    %l = scf.for %i = %a to %n step %s iter_args(%k = %a) -> i32 : i32 {
      %x = arith.addi %k, %i {ttg.partition = array<i32: 1>} : i32
      scf.yield {ttg.partition = array<i32: 1>} %x : i32
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return %l : i32
  }

  // CHECK-LABEL: @none
  tt.func @none(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
    } {tt.warp_specialize, ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
