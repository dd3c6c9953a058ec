// RUN: tritcc -x ttgir -passes=optimize-reduction-locality %s | FileCheck %s
// positive: @square @clusters
// negative: @columns @wide @halves @blocks
// loop: @clusters
// if: @columns

#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [2, 1]}>
#four = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2]}>
#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [1, 1]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK-DAG: [[$VIEW:#.+]] = #ttg.blocked<{sizePerThread = [1, 8, 1, 2, 1, 2, 1], threadsPerWarp = [16, 1, 1, 1, 1, 1, 1], warpsPerCTA = [1, 1, 1, 1, 2, 1, 2], order = [0, 1, 2, 3, 4, 5, 6]}>
// CHECK-DAG: [[$TURNED:#.+]] = #ttg.blocked<{sizePerThread = [16, 1, 1, 1, 1], threadsPerWarp = [1, 8, 2, 1, 1], warpsPerCTA = [1, 1, 1, 2, 2], order = [0, 1, 2, 3, 4]}>
// CHECK-DAG: [[$ROWS:#.+]] = #ttg.blocked<{sizePerThread = [16, 1, 1, 1], threadsPerWarp = [1, 16, 1, 1], warpsPerCTA = [1, 1, 2, 2], order = [0, 1, 2, 3]}>
// CHECK-DAG: [[$FLAT:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [2, 2], order = [0, 1]}>
// CHECK-DAG: [[$TALL:#.+]] = #ttg.blocked<{sizePerThread = [16, 2, 1, 1, 1], threadsPerWarp = [1, 4, 4, 1, 1], warpsPerCTA = [1, 1, 1, 2, 2], order = [0, 1, 2, 3, 4]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu", "ttg.threads-per-warp" = 16 : i32} {
  // 32 rows, 64 columns: two tiles of 8 rows a sub-group, two columns a lane.
  // CHECK-LABEL: @square
  // CHECK: [[V:%.+]] = tt.reshape %arg0 allow_reorder efficient_layout : {{.*}} -> tensor<16x8x1x2x2x2x2xf32, [[$VIEW]]>
  // CHECK: [[A:%.+]] = "tt.reduce"([[V]]) <{axis = 2 : i32}>
  // CHECK: arith.addf
  // CHECK: [[B:%.+]] = "tt.reduce"([[A]]) <{axis = 4 : i32}>
  // CHECK: [[C:%.+]] = ttg.convert_layout [[B]] : {{.*}} -> tensor<16x8x2x2x2xf32, [[$TURNED]]>
  // CHECK: [[W:%.+]] = tt.reshape [[C]] allow_reorder efficient_layout : {{.*}} -> tensor<16x16x2x2xf32, [[$ROWS]]>
  // CHECK: [[E:%.+]] = "tt.reduce"([[W]]) <{axis = 0 : i32}>
  // CHECK: [[F:%.+]] = "tt.reduce"([[E]]) <{axis = 1 : i32}>
  // CHECK: [[G:%.+]] = tt.reshape [[F]] allow_reorder efficient_layout : {{.*}} -> tensor<32xf32, #ttg.slice<{dim = 0, parent = [[$FLAT]]}>>
  // CHECK: [[S:%.+]] = ttg.convert_layout [[G]]
  // CHECK: tt.return [[S]]
  tt.func @square(%x: tensor<32x64xf32, #dpas>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #dpas}>> {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<32x64xf32, #dpas>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #dpas}>>
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #dpas}>>
  }
  // A cluster of four tiles: two rows a lane.
  // CHECK-LABEL: @clusters
  // CHECK: scf.for
  // CHECK: tt.reshape {{.*}} -> tensor<16x8x2x4x2x1x2xi32
  // CHECK: arith.maxsi
  // CHECK: ttg.convert_layout {{.*}} -> tensor<16x8x4x2x2xi32, [[$TALL]]>
  tt.func @clusters(%x: tensor<64x64xi32, #four>, %n: i32) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: i32, %q: i32):
        %s = arith.maxsi %p, %q : i32
        tt.reduce.return %s : i32
      }) : (tensor<64x64xi32, #four>) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>>
      %u = arith.addi %total, %r : tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>>
      scf.yield %u : tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>>
    }
    tt.return %t : tensor<64xi32, #ttg.slice<{dim = 1, parent = #four}>>
  }
  // Down the columns nothing leaves a lane but once.
  // CHECK-LABEL: @columns
  // CHECK-NOT: tt.reshape
  // CHECK: tt.return
  tt.func @columns(%x: tensor<32x64xf32, #dpas>, %c: i1) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>> {
    %z = scf.if %c -> (tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>>) {
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<32x64xf32, #dpas>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>>
      scf.yield %r : tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>>
    } else {
      %k = arith.constant dense<0.0> : tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>>
      scf.yield %k : tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>>
    }
    tt.return %z : tensor<64xf32, #ttg.slice<{dim = 0, parent = #dpas}>>
  }
  // Narrower than the layout: lanes hold copies.
  // CHECK-LABEL: @wide
  // CHECK-NOT: tt.reshape
  // CHECK: tt.return
  tt.func @wide(%x: tensor<32x16xf32, #dpas>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #dpas}>> {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<32x16xf32, #dpas>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #dpas}>>
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #dpas}>>
  }
  // Eight rows of a sub-group are half a square.
  // CHECK-LABEL: @halves
  // CHECK-NOT: tt.reshape
  // CHECK: tt.return
  tt.func @halves(%x: tensor<16x64xf32, #half>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #half}>> {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x64xf32, #half>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #half}>>
    tt.return %r : tensor<16xf32, #ttg.slice<{dim = 1, parent = #half}>>
  }
  // CHECK-LABEL: @blocks
  // CHECK-NOT: tt.reshape
  // CHECK: tt.return
  tt.func @blocks(%x: tensor<32x64xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<32x64xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}
