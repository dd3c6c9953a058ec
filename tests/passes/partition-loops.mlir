// RUN: tritcc -x ttgir -passes=partition-loops %s | FileCheck %s
// positive: @groups @carried @handed_out @branch @while @chosen @beside
// negative: @one @none
// loop: @groups @none
// if: @branch

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!v = tensor<32xi32, #blocked>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @groups
  // CHECK-NEXT:    nvws.warp_group
  // CHECK-NEXT:    partition0 num_warps(4) {
  // CHECK-NEXT:      scf.for %[[I:.*]] = %arg0 to %arg1 step %arg2
  // CHECK-NEXT:        tt.assert %{{.*}}, "first"
  // CHECK-NOT:         second
  // CHECK:           {ttg.warp_specialize.tag = 0 : i32}
  // CHECK-NEXT:      nvws.warp_group.yield
  // CHECK:         partition1 num_warps(4) {
  // CHECK-NOT:         first
  // CHECK:             tt.assert %{{.*}}, "second"
  // CHECK:           nvws.warp_group.return
  // CHECK-NOT:     ttg.partition
  tt.func @groups(%a: i32, %n: i32, %s: i32, %p: i1) {
    scf.for %i = %a to %n step %s : i32 {
      tt.assert %p, "first" {ttg.partition = array<i32: 0>} : i1
      tt.assert %p, "second" {ttg.partition = array<i32: 1>} : i1
    } {ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0, 1>}
    tt.return
  }

  // Each group carries what it needs.
  // CHECK-LABEL: @carried
  // CHECK:         partition0
  // CHECK:           scf.for {{.*}} iter_args(%[[X:.*]] = %arg0) -> (i32)
  // CHECK-NEXT:        %[[X1:.*]] = arith.addi %[[X]], %[[X]]
  // CHECK-NEXT:        scf.yield %[[X1]]
  // CHECK:         partition1
  // CHECK:           scf.for {{.*}} iter_args(%[[X:.*]] = %arg0, %[[Y:.*]] = %arg1) -> (i32, i32)
  // CHECK-NEXT:        %[[X1:.*]] = arith.addi %[[X]], %[[X]]
  // CHECK-NEXT:        %[[Y1:.*]] = arith.muli %[[Y]], %[[X]]
  // CHECK-NEXT:        scf.yield %[[X1]], %[[Y1]]
  tt.func @carried(%a: i32, %n: i32, %s: i32) {
    %r:2 = scf.for %i = %a to %n step %s iter_args(%x = %a, %y = %n) -> (i32, i32) : i32 {
      %x1 = arith.addi %x, %x {ttg.partition = array<i32: 0, 1>} : i32
      %y1 = arith.muli %y, %x {ttg.partition = array<i32: 1>} : i32
      scf.yield {ttg.partition = array<i32: 0, 1>} %x1, %y1 : i32, i32
    } {ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0, 1>, array<i32: 1>]}
    tt.return
  }

  // Results of the first group are the groups'; a tensor of another one goes through memory.
  // CHECK-LABEL: @handed_out
  // CHECK:         %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<32xi32, {{.*}}, mutable>
  // CHECK-NEXT:    %[[W:.*]] = nvws.warp_group
  // CHECK:           nvws.warp_group.yield %{{.*}} : i32
  // CHECK:         partition1
  // CHECK:           %[[L:.*]] = scf.for
  // CHECK:           ttg.local_store %[[L]], %[[B]]
  // CHECK-NEXT:      nvws.warp_group.return
  // CHECK:         %[[V:.*]] = ttg.local_load %[[B]]
  // CHECK-NEXT:    ttg.local_dealloc %[[B]]
  // CHECK-NEXT:    tt.return %[[W]], %[[V]]
  tt.func @handed_out(%a: i32, %n: i32, %s: i32, %t: !v) -> (i32, !v) {
    %r:2 = scf.for %i = %a to %n step %s iter_args(%x = %a, %y = %t) -> (i32, !v) : i32 {
      %x1 = arith.addi %x, %x {ttg.partition = array<i32: 0>} : i32
      %y1 = arith.addi %y, %y {ttg.partition = array<i32: 1>} : !v
      scf.yield {ttg.partition = array<i32: 0, 1>} %x1, %y1 : i32, !v
    } {ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>, array<i32: 1>]}
    tt.return %r#0, %r#1 : i32, !v
  }

  // CHECK-LABEL: @branch
  // CHECK:         partition0
  // CHECK:           %{{.*}} = scf.if %arg3 -> (i32) {
  // CHECK-NEXT:        arith.addi
  // CHECK-NEXT:        scf.yield
  // CHECK-NEXT:      } else {
  // CHECK-NEXT:        scf.yield %arg0
  // CHECK:         partition1
  // CHECK:           scf.if %arg3 {
  // CHECK-NEXT:        tt.assert
  // CHECK-NEXT:      } else {
  // CHECK-NEXT:      }
  tt.func @branch(%a: i32, %n: i32, %s: i32, %p: i1) {
    scf.for %i = %a to %n step %s : i32 {
      %x = scf.if %p -> i32 {
        %y = arith.addi %i, %a {ttg.partition = array<i32: 0>} : i32
        tt.assert %p, "there" {ttg.partition = array<i32: 1>} : i1
        scf.yield {ttg.partition = array<i32: 0>} %y : i32
      } else {
        scf.yield {ttg.partition = array<i32: 0>} %a : i32
      } {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0>]}
      %z = arith.addi %x, %x {ttg.partition = array<i32: 0>} : i32
    } {ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0, 1>}
    tt.return
  }

  // CHECK-LABEL: @while
  // CHECK:         partition0
  // CHECK-NEXT:      scf.while (%[[C:.*]] = %arg1) : (i1) -> i1 {
  // CHECK-NEXT:        scf.condition(%[[C]]) %[[C]] : i1
  // CHECK:         partition1
  // CHECK-NEXT:      scf.while (%[[X:.*]] = %arg0, %[[C:.*]] = %arg1)
  // CHECK-NEXT:        scf.condition(%[[C]]) %[[X]], %[[C]] : i32, i1
  // CHECK:             arith.addi
  tt.func @while(%a: i32, %run: i1) {
    %r:2 = scf.while (%x = %a, %c = %run) : (i32, i1) -> (i32, i1) {
      scf.condition(%c) {ttg.partition = array<i32: 0, 1>} %x, %c : i32, i1
    } do {
    ^bb0(%x: i32, %c: i1):
      %n = arith.addi %x, %x {ttg.partition = array<i32: 1>} : i32
      scf.yield {ttg.partition = array<i32: 0, 1>} %n, %c : i32, i1
    } attributes {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>, array<i32: 0, 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }

  // Each group takes its own of the two values.
  // CHECK-LABEL: @chosen
  // CHECK:         partition0
  // CHECK:           %[[X:.*]] = arith.addi
  // CHECK:           arith.subi %[[X]]
  // CHECK:         partition1
  // CHECK:           %[[X:.*]] = arith.muli
  // CHECK:           arith.subi %[[X]]
  tt.func @chosen(%a: i32, %n: i32, %s: i32) {
    scf.for %i = %a to %n step %s : i32 {
      %x = arith.addi %i, %i {ttg.partition = array<i32: 0>} : i32
      %y = arith.muli %i, %i {ttg.partition = array<i32: 1>} : i32
      %z = nvws.aref.phi %x, %y {ttg.partition = array<i32: 0, 1>} : i32
      %w = arith.subi %z, %i {ttg.partition = array<i32: 0, 1>} : i32
    } {ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0, 1>}
    tt.return
  }

  // What stands beside the loop with its tag goes with its group.
  // CHECK-LABEL: @beside
  // CHECK:         tt.assert %arg3, "all"
  // CHECK:         partition0
  // CHECK-NEXT:      tt.assert %arg3, "before"
  // CHECK-NEXT:      scf.for
  // CHECK:         partition1
  // CHECK-NEXT:      %[[R:.*]] = scf.for
  // CHECK:           arith.addi %[[R]]
  // CHECK:         tt.return
  tt.func @beside(%a: i32, %n: i32, %s: i32, %p: i1) {
    tt.assert %p, "before" {ttg.partition = array<i32: 0>, ttg.warp_specialize.tag = 3 : i32} : i1
    tt.assert %p, "all" : i1
    %r = scf.for %i = %a to %n step %s iter_args(%x = %a) -> i32 : i32 {
      %x1 = arith.addi %x, %x {ttg.partition = array<i32: 1>} : i32
      scf.yield {ttg.partition = array<i32: 1>} %x1 : i32
    } {ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 3 : i32, ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>]}
    %z = arith.addi %r, %r {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 3 : i32} : i32
    tt.return
  }

  // CHECK-LABEL: @one
  // CHECK-NOT:     nvws.warp_group
  tt.func @one(%a: i32, %n: i32, %s: i32, %p: i1) {
    scf.for %i = %a to %n step %s : i32 {
      tt.assert %p, "first" {ttg.partition = array<i32: 0>} : i1
    } {ttg.partition.stages = [0], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0>}
    tt.return
  }

  // CHECK-LABEL: @none
  // CHECK-NOT:     nvws.warp_group
  tt.func @none(%a: i32, %n: i32, %s: i32, %p: i1) {
    scf.for %i = %a to %n step %s : i32 {
      tt.assert %p, "first" : i1
    }
    tt.return
  }
}
