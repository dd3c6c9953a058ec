// RUN: tritcc -x ttgir -passes=normalize-ws-while-loops %s | FileCheck %s
// positive: @computed @inner @work @branch
// negative: @unshared @normal @no_work
// loop: @inner
// if: @branch

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  // The condition is worked out in front of the loop and behind its body; attributes stay.
  // CHECK-LABEL: @computed
  // CHECK:         %[[C0:.*]] = arith.cmpi slt, %arg0, %arg1
  // CHECK:         %[[V0:.*]] = arith.muli %arg0, %arg0
  // CHECK:         %[[R:.*]]:2 = scf.while (%[[V:.*]] = %[[V0]], %[[C:.*]] = %[[C0]])
  // CHECK-NEXT:      scf.condition(%[[C]]) {note = 1 : i32} %[[V]], %[[C]] : i32, i1
  // CHECK:         ^bb0(%[[B:.*]]: i32, %{{.*}}: i1):
  // CHECK-NEXT:      %[[N:.*]] = arith.addi %[[B]], %arg1
  // CHECK-NEXT:      %[[C1:.*]] = arith.cmpi slt, %[[N]], %arg1
  // CHECK-NEXT:      %[[V1:.*]] = arith.muli %[[N]], %[[N]]
  // CHECK-NEXT:      scf.yield {note = 2 : i32} %[[V1]], %[[C1]] : i32, i1
  // CHECK:         attributes {tt.warp_specialize}
  // CHECK:         tt.return %[[R]]#0
  tt.func @computed(%a: i32, %n: i32) -> i32 {
    %r = scf.while (%s = %a) : (i32) -> i32 {
      %c = arith.cmpi slt, %s, %n : i32
      %v = arith.muli %s, %s : i32
      scf.condition(%c) {note = 1 : i32} %v : i32
    } do {
    ^bb0(%v: i32):
      %next = arith.addi %v, %n : i32
      scf.yield {note = 2 : i32} %next : i32
    } attributes {tt.warp_specialize}
    tt.return %r : i32
  }

  // A loop in one that is shared.
  // CHECK-LABEL: @inner
  // CHECK:         scf.for
  // CHECK:           %[[C0:[a-z0-9_]+]] = arith.cmpi
  // CHECK-NEXT:      %[[V0:[a-z0-9_]+]] = arith.muli
  // CHECK-NEXT:      scf.while (%{{.*}} = %[[V0]], %{{.*}} = %[[C0]]) : (i32, i1)
  tt.func @inner(%a: i32, %n: i32) {
    scf.for %i = %a to %n step %a : i32 {
      %r = scf.while (%s = %i) : (i32) -> i32 {
        %c = arith.cmpi slt, %s, %n : i32
        %t = arith.muli %s, %s : i32
        scf.condition(%c) %t : i32
      } do {
      ^bb0(%v: i32):
        %next = arith.addi %v, %n : i32
        scf.yield %next : i32
      }
    } {tt.warp_specialize}
    tt.return
  }

  // The loop that asks for work is shared instead of those in it.
  // CHECK-LABEL: @work
  // CHECK:         scf.for
  // CHECK-NOT:     tt.warp_specialize
  // CHECK:         attributes {tt.disallow_acc_multi_buffer, tt.warp_specialize}
  tt.func @work(%run: i1, %a: i32, %n: i32) {
    %r = scf.while (%more = %run) : (i1) -> i1 {
      scf.condition(%more) %more : i1
    } do {
    ^bb0(%more: i1):
      %w = ttng.clc_try_cancel_sync : tensor<2xi64>
      scf.for %i = %a to %n step %a : i32 {
      } {tt.disallow_acc_multi_buffer, tt.warp_specialize}
      scf.yield %more : i1
    }
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK:         scf.if
  // CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i1, i1)
  // CHECK:           scf.if
  tt.func @branch(%a: i32, %n: i32, %p: i1) {
    %r = scf.while (%s = %a) : (i32) -> i1 {
      %c = scf.if %p -> i1 {
        %x = arith.cmpi slt, %s, %n : i32
        scf.yield %x : i1
      } else {
        scf.yield %p : i1
      }
      scf.condition(%c) %c : i1
    } do {
    ^bb0(%v: i1):
      scf.yield %a : i32
    } attributes {tt.warp_specialize}
    tt.return
  }

  // CHECK-LABEL: @unshared
  tt.func @unshared(%a: i32, %n: i32) -> i32 {
    %r = scf.while (%s = %a) : (i32) -> i32 {
      %c = arith.cmpi slt, %s, %n : i32
      %t = arith.muli %s, %s : i32
      scf.condition(%c) %t : i32
    } do {
    ^bb0(%v: i32):
      %next = arith.addi %v, %n : i32
      scf.yield %next : i32
    }
    tt.return %r : i32
  }

  // CHECK-LABEL: @normal
  tt.func @normal(%a: i32, %run: i1) -> i32 {
    %r:2 = scf.while (%s = %a, %c = %run) : (i32, i1) -> (i32, i1) {
      scf.condition(%c) %s, %c : i32, i1
    } do {
    ^bb0(%v: i32, %c: i1):
      scf.yield %v, %c : i32, i1
    } attributes {tt.warp_specialize}
    tt.return %r#0 : i32
  }

  // CHECK-LABEL: @no_work
  tt.func @no_work(%run: i1, %a: i32, %n: i32) {
    %r = scf.while (%more = %run) : (i1) -> i1 {
      scf.condition(%more) %more : i1
    } do {
    ^bb0(%more: i1):
      scf.for %i = %a to %n step %a : i32 {
      } {tt.warp_specialize}
      scf.yield %more : i1
    }
    tt.return
  }
}
