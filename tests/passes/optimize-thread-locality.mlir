// RUN: tritcc -x ttgir -passes=optimize-thread-locality %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#one = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // 16 threads with two runs of four elements each: the eight become a dimension of their own.
  // CHECK-LABEL: @sum
  // CHECK: [[ZERO:%.+]] = arith.constant dense<0.000000e+00> : tensor<32x16xf32
  // CHECK: [[LOOP:%.+]]:2 = scf.for {{.*}} iter_args({{.*}}, [[ACC:%.+]] = [[ZERO]])
  // CHECK: tt.reshape {{.*}} -> tensor<32x2x16x4xf32
  // CHECK-NEXT: tt.trans {{.*}} {order = array<i32: 0, 2, 1, 3>} {{.*}} -> tensor<32x16x2x4xf32
  // CHECK-NEXT: [[V:%.+]] = tt.reshape {{.*}} -> tensor<32x16x8xf32
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
}
