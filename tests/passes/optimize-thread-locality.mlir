// RUN: tritcc -x ttgir -passes=optimize-thread-locality %s | FileCheck %s
// positive: @sum @copies @columns_first @view @gather @gather_short
// negative: @used @thin @not_view @not_gather
// loop: @sum @used @thin @copies @columns_first @gather
// if: @view

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [0, 1]}>
#one = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#many = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#spread = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>

// CHECK-DAG: [[$BLOCKED:#.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$SPREAD:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$VIEW:#.+]] = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
// CHECK-DAG: [[$ROWS:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-DAG: [[$COL0:#.+]] = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: [[$COL1:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$COPY:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // 16 threads with two runs of four elements each: the eight become a dimension of their own.
  // CHECK-LABEL: @sum
  // CHECK: [[ZERO:%.+]] = arith.constant dense<0.000000e+00> : tensor<32x16xf32
  // CHECK: [[LOOP:%.+]]:2 = scf.for {{.*}} iter_args({{.*}}, [[ACC:%.+]] = [[ZERO]])
  // CHECK: [[V:%.+]] = tt.reshape {{.*}} allow_reorder efficient_layout : tensor<32x128xf32, [[$BLOCKED]]> -> tensor<32x16x8xf32, [[$VIEW]]>
  // CHECK-NEXT: [[P:%.+]] = "tt.reduce"([[V]]) <{axis = 2 : i32}>
  // CHECK: arith.addf [[ACC]], [[P]] : tensor<32x16xf32
  // CHECK: scf.yield
  // CHECK: "tt.reduce"([[LOOP]]#1) <{axis = 1 : i32}>
  // CHECK: [[T:%.+]] = ttg.convert_layout
  // CHECK: [[S:%.+]] = arith.addf %{{.*}}, [[T]]
  // CHECK: tt.return [[S]]
  tt.func public @sum(%p: tensor<32x128x!tt.ptr<f32>, #blocked>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<1.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %d = arith.addf %acc, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %d : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }

  // The accumulator is used on the way: it must be whole in every iteration.
  // CHECK-LABEL: @used
  // CHECK-NOT: tt.reshape
  tt.func public @used(%p: tensor<32x128x!tt.ptr<f32>, #blocked>, %q: tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %d = arith.addf %acc, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      tt.store %q, %d : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %d : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return
  }

  // One element in each thread: nothing to gain.
  // CHECK-LABEL: @thin
  // CHECK-NOT: tt.reshape
  tt.func public @thin(%p: tensor<32x128x!tt.ptr<f32>, #one>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>>) : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #one>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #one>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>>
      %d = arith.addf %acc, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>>
      scf.yield %d : tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #one}>>
  }

  // Threads past the end of the row hold copies; the view has the same ones.
  // CHECK-LABEL: @copies
  // CHECK: tt.reshape {{.*}} allow_reorder efficient_layout : tensor<32x64xf32, #{{.*}}> -> tensor<32x16x4xf32
  // CHECK-NEXT: "tt.reduce"({{.*}}) <{axis = 2 : i32}>
  tt.func public @copies(%p: tensor<32x64x!tt.ptr<f32>, #many>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>>) : i32 {
      %x = tt.load %p : tensor<32x64x!tt.ptr<f32>, #many>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.maxnumf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x64xf32, #many>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>>
      %d = arith.maxnumf %acc, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>>
      scf.yield %d : tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #many}>>
  }

  // Dimension 0 comes first in the registers: left as they are they would mix rows.
  // CHECK-LABEL: @columns_first
  // CHECK: tt.reshape {{.*}} -> tensor<32x4x16x2xf32
  // CHECK-NEXT: tt.trans {{.*}} {order = array<i32: 0, 2, 1, 3>} {{.*}} -> tensor<32x16x4x2xf32
  // CHECK-NEXT: tt.reshape {{.*}} -> tensor<32x16x8xf32
  // CHECK-NEXT: "tt.reduce"({{.*}}) <{axis = 2 : i32}>
  tt.func public @columns_first(%p: tensor<32x128x!tt.ptr<f32>, #cols>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %init = arith.constant dense<1.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>>) : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #cols>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.mulf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #cols>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>>
      %d = arith.mulf %acc, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>>
      scf.yield %d : tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #cols}>>
  }

  // A row of the view is put into one thread, also inside a conditional.
  // CHECK-LABEL: @view
  // CHECK: scf.if
  // CHECK: [[W:%.+]] = tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<2048xf32, #{{.*}}> -> tensor<128x16xf32, [[$ROWS]]>
  // CHECK-NEXT: [[V:%.+]] = ttg.convert_layout [[W]] : tensor<128x16xf32, [[$ROWS]]> -> tensor<128x16xf32, [[$SPREAD]]>
  // CHECK-NEXT: "tt.reduce"([[V]])
  tt.func public @view(%x: tensor<2048xf32, #flat>, %q: tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #spread}>>, %c: i1) {
    scf.if %c {
      %v = tt.reshape %x allow_reorder : tensor<2048xf32, #flat> -> tensor<128x16xf32, #spread>
      %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        tt.reduce.return %t : f32
      }) : (tensor<128x16xf32, #spread>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #spread}>>
      tt.store %q, %s : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #spread}>>
    }
    tt.return
  }

  // In its thread already; an order that matters; reductions along both axes; a view so small that threads
  // hold copies.
  // CHECK-LABEL: @not_view
  // CHECK-NOT: efficient_layout
  // CHECK: tt.return
  tt.func public @not_view(%x: tensor<2048xf32, #flat>, %y: tensor<64xf32, #flat>) -> (tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #spread}>>, tensor<16xf32, #ttg.slice<{dim = 0, parent = #spread}>>, tensor<8xf32, #ttg.slice<{dim = 1, parent = #spread}>>) {
    %u = tt.reshape %x allow_reorder : tensor<2048xf32, #flat> -> tensor<128x16xf32, #rows>
    %r0 = "tt.reduce"(%u) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<128x16xf32, #rows>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %v = tt.reshape %x allow_reorder : tensor<2048xf32, #flat> -> tensor<128x16xf32, #spread>
    %r1 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<128x16xf32, #spread>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #spread}>>
    %r2 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<128x16xf32, #spread>) -> tensor<16xf32, #ttg.slice<{dim = 0, parent = #spread}>>
    %w = tt.reshape %y allow_reorder : tensor<64xf32, #flat> -> tensor<8x8xf32, #spread>
    %r3 = "tt.reduce"(%w) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<8x8xf32, #spread>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #spread}>>
    tt.return %r0, %r1, %r2, %r3 : tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #spread}>>, tensor<16xf32, #ttg.slice<{dim = 0, parent = #spread}>>, tensor<8xf32, #ttg.slice<{dim = 1, parent = #spread}>>
  }

  // A column in a warp, in a loop.
  // CHECK-LABEL: @gather
  // CHECK: scf.for
  // CHECK-DAG: [[X:%.+]] = ttg.convert_layout %{{.*}} : tensor<64x64xf32, [[$SPREAD]]> -> tensor<64x64xf32, [[$COL0]]>
  // CHECK-DAG: [[I:%.+]] = ttg.convert_layout %{{.*}} : tensor<64x64xi32, [[$SPREAD]]> -> tensor<64x64xi32, [[$COL0]]>
  // CHECK: [[G:%.+]] = tt.gather [[X]]{{.}}[[I]]] {axis = 0 : i32, efficient_layout} : (tensor<64x64xf32, [[$COL0]]>, tensor<64x64xi32, [[$COL0]]>) -> tensor<64x64xf32, [[$COL0]]>
  // CHECK-NEXT: [[R:%.+]] = ttg.convert_layout [[G]] : tensor<64x64xf32, [[$COL0]]> -> tensor<64x64xf32, [[$SPREAD]]>
  // CHECK-NEXT: scf.yield [[R]]
  tt.func public @gather(%x: tensor<64x64xf32, #spread>, %i: tensor<64x64xi32, #spread>, %n: i32) -> tensor<64x64xf32, #spread> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<64x64xf32, #spread>) : i32 {
      %g = tt.gather %v[%i] {axis = 0 : i32} : (tensor<64x64xf32, #spread>, tensor<64x64xi32, #spread>) -> tensor<64x64xf32, #spread>
      scf.yield %g : tensor<64x64xf32, #spread>
    }
    tt.return %r : tensor<64x64xf32, #spread>
  }

  // Few elements along the axis: the other threads take other columns; of a small source, copies.
  // CHECK-LABEL: @gather_short
  // CHECK: tt.gather {{.*}} {axis = 1 : i32, efficient_layout} : (tensor<64x8xf32, [[$COL1]]>
  // CHECK: tt.gather {{.*}} {axis = 1 : i32, efficient_layout} : (tensor<2x8xf32, [[$COPY]]>
  tt.func public @gather_short(%x: tensor<64x8xf32, #spread>, %i: tensor<64x8xi32, #spread>, %y: tensor<2x8xf32, #spread>, %j: tensor<2x8xi32, #spread>) -> (tensor<64x8xf32, #spread>, tensor<2x8xf32, #spread>) {
    %g = tt.gather %x[%i] {axis = 1 : i32} : (tensor<64x8xf32, #spread>, tensor<64x8xi32, #spread>) -> tensor<64x8xf32, #spread>
    %h = tt.gather %y[%j] {axis = 1 : i32} : (tensor<2x8xf32, #spread>, tensor<2x8xi32, #spread>) -> tensor<2x8xf32, #spread>
    tt.return %g, %h : tensor<64x8xf32, #spread>, tensor<2x8xf32, #spread>
  }

  // One dimension; a layout that is meant.
  // CHECK-LABEL: @not_gather
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @not_gather(%x: tensor<256xf32, #flat>, %i: tensor<256xi32, #flat>, %y: tensor<64x64xf32, #rows>, %j: tensor<64x64xi32, #rows>) -> (tensor<256xf32, #flat>, tensor<64x64xf32, #rows>) {
    %g = tt.gather %x[%i] {axis = 0 : i32} : (tensor<256xf32, #flat>, tensor<256xi32, #flat>) -> tensor<256xf32, #flat>
    %h = tt.gather %y[%j] {axis = 1 : i32, efficient_layout} : (tensor<64x64xf32, #rows>, tensor<64x64xi32, #rows>) -> tensor<64x64xf32, #rows>
    tt.return %g, %h : tensor<256xf32, #flat>, tensor<64x64xf32, #rows>
  }
}
