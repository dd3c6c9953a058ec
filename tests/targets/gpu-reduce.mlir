// RUN: tritcc -x ttgir -passes=allocate-shared-memory,membar -o %t.ttgir %s
// RUN: tritcc -x ttgir -arch=sm_80 -emit=ptx=- %t.ttgir | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // In the thread, in the warp, then one round through shared memory with one barrier; every warp
  // combines the four partial results itself.
  // CHECK-LABEL: .entry sum(
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: st.shared.b32
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.b32
  // CHECK-COUNT-2: shfl.sync.bfly.b32
  // CHECK-NOT: bar.sync
  // CHECK: ret;
  tt.func public @sum(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %r : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #blocked>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    tt.store %q, %s : !tt.ptr<f32>
    tt.return
  }

  // Four products a thread: one, and three that are added as they are made.
  // CHECK-LABEL: .entry products(
  // CHECK: mul.{{(rn.)?}}f32
  // CHECK-NOT: add
  // CHECK-COUNT-3: fma.rn.f32
  // CHECK-NOT: fma.rn.f32
  // CHECK: ret;
  tt.func public @products(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %b, %r : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #blocked>
    %y = arith.mulf %x, %x : tensor<512xf32, #blocked>
    %s = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    tt.store %q, %s : !tt.ptr<f32>
    tt.return
  }

  // One integer operation over the whole warp is one instruction.
  // CHECK-LABEL: .entry largest(
  // CHECK: redux.sync.max.s32
  // CHECK-COUNT-2: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  tt.func public @largest(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
    %a = tt.addptr %b, %r : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
    %x = tt.load %a : tensor<512x!tt.ptr<i32>, #blocked>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.maxsi %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<512xi32, #blocked>) -> i32
    tt.store %p, %s : !tt.ptr<i32>
    tt.return
  }

  // Where the order counts (equal values, NaN), the lower lanes have it right without choices, and all take theirs.
  // CHECK-LABEL: .entry first_largest(
  // CHECK: selp
  // CHECK-COUNT-10: shfl.sync.bfly.b32
  // CHECK-COUNT-2: shfl.sync.idx.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  tt.func public @first_largest(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #two>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #two>
    %a = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>, #two>, tensor<64xi32, #two>
    %x = tt.load %a : tensor<64x!tt.ptr<f32>, #two>
    %s:2 = "tt.reduce"(%x, %r) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %i: i32, %v: f32, %j: i32):
      %c = arith.cmpf ogt, %u, %v : f32
      %e = arith.cmpf oeq, %u, %v : f32
      %l = arith.cmpi slt, %i, %j : i32
      %t = arith.andi %e, %l : i1
      %f = arith.ori %c, %t : i1
      %w = arith.select %f, %u, %v : f32
      %k = arith.select %f, %i, %j : i32
      tt.reduce.return %w, %k : f32, i32
    }) : (tensor<64xf32, #two>, tensor<64xi32, #two>) -> (f32, i32)
    tt.store %p, %s#0 : !tt.ptr<f32>
    tt.store %q, %s#1 : !tt.ptr<i32>
    tt.return
  }
}
