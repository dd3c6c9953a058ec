// RUN: tritcc -x ttgir -passes=prefetch %s | FileCheck %s
// positive: @ring @by_counter @short
// negative: @fresh @sometimes @no_room
// loop: @ring @by_counter @short @fresh @sometimes @no_room
// if: @sometimes

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // Two pieces of 16 along K: the first comes with the iteration, the second is read in it; the wait for the
  // next tile is in front of the last piece of the product.
  // CHECK-LABEL: @ring
  // CHECK: [[W0:%.+]] = ttg.async_wait %arg2
  // CHECK: ttg.memdesc_subslice %{{.*}}[0, 0]
  // CHECK: [[A0:%.+]] = ttg.local_load %{{.*}} token [[W0]] : {{.*}} -> tensor<64x16xf16
  // CHECK: [[B0:%.+]] = ttg.local_load %{{.*}} token [[W0]] : {{.*}} -> tensor<16x64xf16
  // CHECK: scf.for {{.*}} iter_args({{.*}}, [[HA:%.+]] = [[A0]], [[HB:%.+]] = [[B0]])
  // CHECK-NOT: ttg.async_wait
  // CHECK: ttg.memdesc_subslice %{{.*}}[0, 16]
  // CHECK: [[A1:%.+]] = ttg.local_load {{.*}} -> tensor<64x16xf16
  // CHECK: ttg.memdesc_subslice %{{.*}}[16, 0]
  // CHECK: [[B1:%.+]] = ttg.local_load {{.*}} -> tensor<16x64xf16
  // CHECK: [[D0:%.+]] = tt.dot [[HA]], [[HB]], %{{.*}} : tensor<64x16xf16
  // CHECK: [[COMMIT:%.+]] = ttg.async_commit_group
  // CHECK: [[W:%.+]] = ttg.async_wait [[COMMIT]]
  // CHECK: [[NA:%.+]] = ttg.local_load %{{.*}} token [[W]]
  // CHECK: [[NB:%.+]] = ttg.local_load %{{.*}} token [[W]]
  // CHECK: [[D1:%.+]] = tt.dot [[A1]], [[B1]], [[D0]]
  // CHECK: scf.yield [[D1]], %{{.*}}, %{{.*}}, [[NA]], [[NB]]
  tt.func public @ring(%ra: !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>, %rb: !ttg.memdesc<2x32x64xf16, #shared1, #smem, mutable>, %t: !ttg.async.token, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %at = %c0, %g = %t) -> (tensor<64x64xf32, #mma>, i32, !ttg.async.token) : i32 {
      %w = ttg.async_wait %g {num = 0 : i32}
      %va = ttg.memdesc_index %ra[%at] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %vb = ttg.memdesc_index %rb[%at] : !ttg.memdesc<2x32x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>
      %x = ttg.local_load %va token %w : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #a>
      %y = ttg.local_load %vb token %w : !ttg.memdesc<32x64xf16, #shared1, #smem, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.subi %c1, %at : i32
      %k = ttg.async_commit_group
      scf.yield %d, %next, %k : tensor<64x64xf32, #mma>, i32, !ttg.async.token
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // A place that follows from the loop's counter: the first one from where the loop starts, others from the next.
  // CHECK-LABEL: @by_counter
  // CHECK: ttg.memdesc_index %arg0[%c0_i32]
  // CHECK: [[H:%.+]] = ttg.local_load {{.*}} -> tensor<64x16xf16
  // CHECK: scf.for [[I:%.+]] = %c0_i32 to %arg3 step %c1_i32 iter_args(%{{.*}}, [[HA:%.+]] = [[H]],
  // CHECK: tt.dot [[HA]],
  // CHECK: [[NEXT:%.+]] = arith.addi [[I]], %c1_i32
  // CHECK: ttg.memdesc_index %arg0{{\[}}[[NEXT]]]
  // CHECK: tt.dot
  // CHECK: scf.yield
  tt.func public @by_counter(%ra: !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>, %rb: !ttg.memdesc<2x32x64xf16, #shared1, #smem, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %va = ttg.memdesc_index %ra[%i] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
      %vb = ttg.memdesc_index %rb[%i] : !ttg.memdesc<2x32x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>
      %x = ttg.local_load %va : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #a>
      %y = ttg.local_load %vb : !ttg.memdesc<32x64xf16, #shared1, #smem, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // The whole of K is one piece: the next iteration's operands are read before this one's product.
  // CHECK-LABEL: @short
  // CHECK-COUNT-2: ttg.local_load
  // CHECK: scf.for
  // CHECK-COUNT-2: ttg.local_load
  // CHECK: tt.dot
  // CHECK-NEXT: scf.yield
  tt.func public @short(%ra: !ttg.memdesc<2x64x16xf16, #shared, #smem, mutable>, %rb: !ttg.memdesc<2x16x64xf16, #shared1, #smem, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %at = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %va = ttg.memdesc_index %ra[%at] : !ttg.memdesc<2x64x16xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x16xf16, #shared, #smem, mutable>
      %vb = ttg.memdesc_index %rb[%at] : !ttg.memdesc<2x16x64xf16, #shared1, #smem, mutable> -> !ttg.memdesc<16x64xf16, #shared1, #smem, mutable>
      %x = ttg.local_load %va : !ttg.memdesc<64x16xf16, #shared, #smem, mutable> -> tensor<64x16xf16, #a>
      %y = ttg.local_load %vb : !ttg.memdesc<16x64xf16, #shared1, #smem, mutable> -> tensor<16x64xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<64x16xf16, #a> * tensor<16x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.subi %c1, %at : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // A buffer that is filled in this very iteration cannot be read ahead.
  // CHECK-LABEL: @fresh
  // CHECK-NOT: memdesc_subslice
  tt.func public @fresh(%v: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %m = ttg.local_alloc %v : (tensor<64x32xf16, #a>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
      %x = ttg.local_load %m : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A product that only some iterations do: reading its next operands ahead would be for nothing, or wait where none is
  // under way.
  // CHECK-LABEL: @sometimes
  // CHECK-NOT: memdesc_subslice
  // CHECK: scf.if
  // CHECK: ttg.local_load {{.*}} -> tensor<64x32xf16
  // CHECK: tt.return
  tt.func public @sometimes(%ra: !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32, %k: i1) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = scf.if %k -> (tensor<64x64xf32, #mma>) {
        %va = ttg.memdesc_index %ra[%i] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
        %x = ttg.local_load %va : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #a>
        %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      } else {
        scf.yield %acc : tensor<64x64xf32, #mma>
      }
      scf.yield %s : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A sum of 256 registers leaves none for the next iteration's operands.
  // CHECK-LABEL: @no_room
  // CHECK-NOT: ttg.memdesc_subslice
  // CHECK: scf.for %{{.*}} iter_args(%{{[^,]*}}) ->
  tt.func public @no_room(%ra: !ttg.memdesc<2x256x32xf16, #shared, #smem, mutable>, %rb: !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable>, %c: tensor<256x128xf32, #mma>, %n: i32) -> tensor<256x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<256x128xf32, #mma>) : i32 {
      %va = ttg.memdesc_index %ra[%i] : !ttg.memdesc<2x256x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<256x32xf16, #shared, #smem, mutable>
      %vb = ttg.memdesc_index %rb[%i] : !ttg.memdesc<2x32x128xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
      %x = ttg.local_load %va : !ttg.memdesc<256x32xf16, #shared, #smem, mutable> -> tensor<256x32xf16, #a>
      %y = ttg.local_load %vb : !ttg.memdesc<32x128xf16, #shared1, #smem, mutable> -> tensor<32x128xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<256x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<256x128xf32, #mma>
      scf.yield %d : tensor<256x128xf32, #mma>
    }
    tt.return %r : tensor<256x128xf32, #mma>
  }
}
