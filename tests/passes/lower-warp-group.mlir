// RUN: tritcc -x ttgir -passes=lower-warp-group %s | FileCheck %s
// positive: @default @captures @no_default @result @loop @branch
// negative: @none
// loop: @loop
// if: @branch

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!v = tensor<32xi32, #blocked>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @default
  // CHECK-NEXT:    ttg.warp_specialize(%arg0)
  // CHECK-NEXT:    default {
  // CHECK-NEXT:      tt.assert %arg0, "first"
  // CHECK-NEXT:      ttg.warp_yield
  // CHECK:         partition0(%[[P:.*]]: i1) num_warps(1) {
  // CHECK-NEXT:      tt.assert %[[P]], "second"
  // CHECK-NEXT:      ttg.warp_return
  tt.func @default(%p: i1) {
    nvws.warp_group
    partition0 num_warps(4) {
      tt.assert %p, "first" : i1
      nvws.warp_group.yield
    }
    partition1 num_warps(1) {
      tt.assert %p, "second" : i1
      nvws.warp_group.return
    }
    tt.return
  }

  // Constants and what is made of them are made again, other tensors go through memory.
  // CHECK-LABEL: @captures
  // CHECK:         %[[B:.*]] = ttg.local_alloc %arg1
  // CHECK-NEXT:    ttg.warp_specialize(%arg0, %[[B]])
  // CHECK:         partition0(%[[N:.*]]: i32, %[[M:.*]]: !ttg.memdesc<32xi32
  // CHECK-NEXT:      %[[S:.*]] = tt.splat %[[N]]
  // CHECK-NEXT:      %[[T:.*]] = ttg.local_load %[[M]]
  // CHECK-NEXT:      %[[C:.*]] = arith.constant dense<7>
  // CHECK-NEXT:      %[[A:.*]] = arith.addi %[[S]], %[[T]]
  // CHECK-NEXT:      arith.muli %[[A]], %[[C]]
  tt.func @captures(%n: i32, %t: !v) {
    %c = arith.constant dense<7> : !v
    %s = tt.splat %n : i32 -> !v
    nvws.warp_group
    partition0 num_warps(4) {
      nvws.warp_group.yield
    }
    partition1 num_warps(4) {
      %a = arith.addi %s, %t : !v
      %b = arith.muli %a, %c : !v
      nvws.warp_group.return
    }
    tt.return
  }

  // CHECK-LABEL: @no_default
  // CHECK:         ttg.warp_specialize
  // CHECK-NEXT:    default {
  // CHECK-NEXT:      ttg.warp_yield
  // CHECK:         partition0({{.*}}) num_warps(8)
  tt.func @no_default(%p: i1) {
    nvws.warp_group
    partition0 num_warps(8) {
      tt.assert %p, "first" : i1
      nvws.warp_group.return
    }
    tt.return
  }

  // CHECK-LABEL: @result
  // CHECK:         %[[R:.*]] = ttg.warp_specialize
  // CHECK:           ttg.warp_yield %arg0 : i32
  // CHECK:         tt.return %[[R]]
  tt.func @result(%a: i32) -> i32 {
    %r = nvws.warp_group
    partition0 num_warps(4) {
      nvws.warp_group.yield %a : i32
    }
    partition1 num_warps(4) {
      nvws.warp_group.return
    }
    tt.return %r : i32
  }

  // CHECK-LABEL: @loop
  // CHECK:         partition0(%[[N:.*]]: i32) num_warps(4)
  // CHECK-NEXT:      scf.for %[[I:.*]] = %[[N]] to %[[N]] step %[[N]]
  // CHECK-NEXT:        arith.addi %[[I]], %[[N]]
  tt.func @loop(%n: i32) {
    nvws.warp_group
    partition0 num_warps(4) {
      nvws.warp_group.yield
    }
    partition1 num_warps(4) {
      scf.for %i = %n to %n step %n : i32 {
        %a = arith.addi %i, %n : i32
      }
      nvws.warp_group.return
    }
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK:         partition0(%[[P:.*]]: i1) num_warps(4)
  // CHECK-NEXT:      scf.if %[[P]]
  // CHECK-NEXT:        tt.assert %[[P]]
  tt.func @branch(%p: i1) {
    nvws.warp_group
    partition0 num_warps(4) {
      nvws.warp_group.yield
    }
    partition1 num_warps(4) {
      scf.if %p {
        tt.assert %p, "there" : i1
      }
      nvws.warp_group.return
    }
    tt.return
  }

  // CHECK-LABEL: @none
  tt.func @none(%a: i32) -> i32 {
    tt.return %a : i32
  }
}
