// RUN: tritcc -x ttgir -passes=canonicalize -allow-unregistered-dialect %s | FileCheck %s
// positive: @producers @chains @users @buffers @pointers @partitions
// negative: @not_producers @not_users
// loop: @buffers

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#w = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#n = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}>
#k = #ttg.blocked<{sizePerThread = [1, 64, 2], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [0, 1, 2]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // What costs nothing in another layout is made in it.
  // CHECK-LABEL: @producers
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @producers(%s: f32, %x: tensor<4096xf32, #a>, %i: tensor<256xi32, #a>, %u: tensor<256xf32, #a>) -> (tensor<1024xf32, #b>, tensor<1024xi32, #b>, tensor<1024xf32, #b>, tensor<512xi32, #b>, tensor<128x32xf32, #n>, tensor<512xf32, #b>) {
    %cst = arith.constant dense<1.0> : tensor<1024xf32, #a>
    %0 = ttg.convert_layout %cst : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
    %2 = ttg.convert_layout %1 : tensor<1024xi32, #a> -> tensor<1024xi32, #b>
    %3 = tt.splat %s : f32 -> tensor<1024xf32, #a>
    %4 = ttg.convert_layout %3 : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    %5 = tt.histogram %i : tensor<256xi32, #a> -> tensor<512xi32, #a>
    %6 = ttg.convert_layout %5 : tensor<512xi32, #a> -> tensor<512xi32, #b>
    %7 = tt.reshape %x allow_reorder : tensor<4096xf32, #a> -> tensor<128x32xf32, #r>
    %8 = ttg.convert_layout %7 : tensor<128x32xf32, #r> -> tensor<128x32xf32, #n>
    %9 = tt.cat %u, %u : tensor<256xf32, #a> -> tensor<512xf32, #a>
    %10 = ttg.convert_layout %9 : tensor<512xf32, #a> -> tensor<512xf32, #b>
    tt.return %0, %2, %4, %6, %8, %10 : tensor<1024xf32, #b>, tensor<1024xi32, #b>, tensor<1024xf32, #b>, tensor<512xi32, #b>, tensor<128x32xf32, #n>, tensor<512xf32, #b>
  }

  // A view whose layout is meant, or of which threads would hold copies; a sum.
  // CHECK-LABEL: @not_producers
  // CHECK-COUNT-3: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @not_producers(%x: tensor<2048xf32, #a>, %y: tensor<64xf32, #b>, %z: tensor<1024xf32, #a>) -> (tensor<64x32xf32, #n>, tensor<8x8xf32, #n>, tensor<1024xf32, #b>) {
    %0 = tt.reshape %x allow_reorder efficient_layout : tensor<2048xf32, #a> -> tensor<64x32xf32, #r>
    %1 = ttg.convert_layout %0 : tensor<64x32xf32, #r> -> tensor<64x32xf32, #n>
    %2 = tt.reshape %y allow_reorder : tensor<64xf32, #b> -> tensor<8x8xf32, #r>
    %3 = ttg.convert_layout %2 : tensor<8x8xf32, #r> -> tensor<8x8xf32, #n>
    %4 = arith.addf %z, %z : tensor<1024xf32, #a>
    %5 = ttg.convert_layout %4 : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    tt.return %1, %3, %5 : tensor<64x32xf32, #n>, tensor<8x8xf32, #n>, tensor<1024xf32, #b>
  }

  // Chains become one; an accumulator that is the next product's operand keeps its conversion for later passes.
  // CHECK-LABEL: @chains
  // CHECK-NEXT: [[C:%.+]] = ttg.convert_layout %arg0 : tensor<64x64xf16, #{{.+}}> -> tensor<64x64xf16, #{{.+}}>
  // CHECK-NEXT: [[M:%.+]] = ttg.convert_layout %arg0
  // CHECK-NEXT: [[D:%.+]] = ttg.convert_layout [[M]]
  // CHECK-NEXT: tt.return [[C]], %arg0, [[D]]
  tt.func public @chains(%x: tensor<64x64xf16, #r>) -> (tensor<64x64xf16, #n>, tensor<64x64xf16, #r>, tensor<64x64xf16, #dot>) {
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #r> -> tensor<64x64xf16, #c>
    %1 = ttg.convert_layout %0 : tensor<64x64xf16, #c> -> tensor<64x64xf16, #n>
    %2 = ttg.convert_layout %0 : tensor<64x64xf16, #c> -> tensor<64x64xf16, #r>
    %3 = ttg.convert_layout %x : tensor<64x64xf16, #r> -> tensor<64x64xf16, #mma>
    %4 = ttg.convert_layout %3 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #dot>
    tt.return %1, %2, %4 : tensor<64x64xf16, #n>, tensor<64x64xf16, #r>, tensor<64x64xf16, #dot>
  }

  // Users that read their operand from memory, or mind no order, or get the same layout by another name; the mask of a
  // histogram follows its elements.
  // CHECK-LABEL: @users
  // CHECK-DAG: tt.gather %arg0[%arg1]
  // CHECK-DAG: [[M:%.+]] = ttg.convert_layout %arg3
  // CHECK-DAG: tt.histogram %arg2, [[M]]
  // CHECK-DAG: tt.reshape %arg0 allow_reorder
  // CHECK-DAG: tt.reshape %arg4 :
  // CHECK-DAG: tt.trans %arg4 {order
  // CHECK-DAG: ttg.local_alloc %arg0
  // CHECK-DAG: tt.split %arg5
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @users(%x: tensor<64x64xf32, #r>, %j: tensor<64x64xi32, #c>, %i: tensor<256xi32, #b>, %m: tensor<256xi1, #a>, %y: tensor<64x64xf32, #l>, %p: tensor<128x64x2xf32, #k>) {
    %x1 = ttg.convert_layout %x : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    %0 = tt.gather %x1[%j] {axis = 0 : i32} : (tensor<64x64xf32, #c>, tensor<64x64xi32, #c>) -> tensor<64x64xf32, #c>
    %i1 = ttg.convert_layout %i : tensor<256xi32, #b> -> tensor<256xi32, #a>
    %1 = tt.histogram %i1, %m : tensor<256xi32, #a> -> tensor<64xi32, #a>
    %2 = tt.reshape %x1 allow_reorder : tensor<64x64xf32, #c> -> tensor<4096xf32, #b>
    %y1 = ttg.convert_layout %y : tensor<64x64xf32, #l> -> tensor<64x64xf32, #r>
    %3 = tt.reshape %y1 : tensor<64x64xf32, #r> -> tensor<64x16x4xf32, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>>
    %4 = tt.trans %y1 {order = array<i32: 1, 0>} : tensor<64x64xf32, #r> -> tensor<64x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>>
    %5 = ttg.local_alloc %x1 : (tensor<64x64xf32, #c>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %p1 = ttg.convert_layout %p : tensor<128x64x2xf32, #k> -> tensor<128x64x2xf32, #ttg.blocked<{sizePerThread = [1, 64, 2], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 0, 1]}>>
    %6:2 = tt.split %p1 : tensor<128x64x2xf32, #ttg.blocked<{sizePerThread = [1, 64, 2], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 0, 1]}>> -> tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>>
    "use"(%0, %1, %2, %3, %4, %5, %6#0) : (tensor<64x64xf32, #c>, tensor<64xi32, #a>, tensor<4096xf32, #b>, tensor<64x16x4xf32, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>>, tensor<64x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>>, !ttg.memdesc<64x64xf32, #shared, #smem>, tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>>) -> ()
    tt.return
  }

  // Another layout than the transpose's; a gather whose layout is meant; an order that matters; shuffles that are asked for.
  // CHECK-LABEL: @not_users
  // CHECK-COUNT-5: ttg.convert_layout
  // CHECK: "use"
  tt.func public @not_users(%x: tensor<64x64xf32, #r>, %i: tensor<64x64xi32, #c>) {
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<64x64xf32, #c> -> tensor<64x64xf32, #r>
    %2 = ttg.convert_layout %x : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    %3 = tt.gather %2[%i] {axis = 0 : i32, efficient_layout} : (tensor<64x64xf32, #c>, tensor<64x64xi32, #c>) -> tensor<64x64xf32, #c>
    %4 = ttg.convert_layout %x : tensor<64x64xf32, #r> -> tensor<64x64xf32, #n>
    %5 = tt.reshape %4 : tensor<64x64xf32, #n> -> tensor<64x16x4xf32, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>>
    %6 = ttg.convert_layout %x {force_warp_shuffle} : tensor<64x64xf32, #r> -> tensor<64x64xf32, #w>
    %7 = ttg.convert_layout %6 : tensor<64x64xf32, #w> -> tensor<64x64xf32, #c>
    "use"(%1, %3, %5, %7) : (tensor<64x64xf32, #r>, tensor<64x64xf32, #c>, tensor<64x16x4xf32, #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>>, tensor<64x64xf32, #c>) -> ()
    tt.return
  }

  // A load moves nowhere, but takes the layout, across a barrier and in a loop; what an immutable buffer holds is
  // not stored again, unless it may have been written meanwhile.
  // CHECK-LABEL: @buffers
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_load {{.*}} -> tensor<64x64xf32, [[C:#.+]]>
  // CHECK-NEXT: ttg.barrier
  // CHECK-NEXT: ttg.local_store
  // CHECK: [[K:%.+]] = ttg.local_alloc %arg1
  // CHECK-NOT: ttg.local_alloc
  // CHECK: [[L:%.+]] = ttg.local_load %arg0
  // CHECK: [[N:%.+]] = ttg.local_alloc [[L]]
  // CHECK: "use"([[K]], [[N]])
  tt.func public @buffers(%b: !ttg.memdesc<64x64xf32, #shared, #smem, mutable>, %x: tensor<64x64xf32, #r>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %0 = ttg.local_load %b : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #r>
      ttg.barrier local
      %1 = ttg.convert_layout %0 : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
      ttg.local_store %1, %b : tensor<64x64xf32, #c> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    }
    %2 = ttg.local_alloc %x : (tensor<64x64xf32, #r>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %3 = ttg.local_load %2 : !ttg.memdesc<64x64xf32, #shared, #smem> -> tensor<64x64xf32, #r>
    %4 = ttg.local_alloc %3 : (tensor<64x64xf32, #r>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %5 = ttg.local_load %b : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #r>
    %6 = ttg.local_alloc %5 : (tensor<64x64xf32, #r>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    "use"(%4, %6) : (!ttg.memdesc<64x64xf32, #shared, #smem>, !ttg.memdesc<64x64xf32, #shared, #smem>) -> ()
    tt.return
  }

  // CHECK-LABEL: @pointers
  // CHECK: [[FOUR:%.+]] = arith.constant 4 : i64
  // CHECK: [[P:%.+]] = tt.addptr %arg0, [[FOUR]]
  // CHECK: [[Q:%.+]] = tt.int_to_ptr
  // CHECK: tt.return [[P]], [[Q]]
  tt.func public @pointers(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
    %c16 = arith.constant 16 : i64
    %c6 = arith.constant 6 : i64
    %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
    %1 = arith.addi %0, %c16 : i64
    %2 = tt.int_to_ptr %1 : i64 -> !tt.ptr<f32>
    %3 = arith.addi %0, %c6 : i64
    %4 = tt.int_to_ptr %3 : i64 -> !tt.ptr<f32>
    tt.return %2, %4 : !tt.ptr<f32>, !tt.ptr<f32>
  }

  // What partitions do not use, or get twice, they are not given; what nobody uses is not yielded.
  // CHECK-LABEL: @partitions
  // CHECK: [[R:%.+]] = ttg.warp_specialize(%arg0, %arg2)
  // CHECK: ttg.warp_yield %arg1 : i32
  // CHECK: partition0([[A:%.+]]: i32, [[B:%.+]]: i32) num_warps(4)
  // CHECK-NEXT: "use"([[A]], [[B]], [[A]])
  // CHECK: tt.return [[R]]
  tt.func public @partitions(%x: i32, %y: i32, %z: i32) -> i32 {
    %r:2 = ttg.warp_specialize(%x, %y, %z, %x)
    default {
      ttg.warp_yield %x, %y : i32, i32
    }
    partition0(%a: i32, %b: i32, %c: i32, %d: i32) num_warps(4) {
      "use"(%a, %c, %d) : (i32, i32, i32) -> ()
      ttg.warp_return
    } : (i32, i32, i32, i32) -> (i32, i32)
    tt.return %r#1 : i32
  }
}
