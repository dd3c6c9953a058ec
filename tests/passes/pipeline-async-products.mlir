// RUN: tritcc -x ttgir '-passes=pipeline,canonicalize' %s | FileCheck %s
// Products of warp groups in loops: which run on, and where they are waited for.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#turned = #ttg.linear<{register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = []}>
#short = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#op = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#i = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#j = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
!i = !ttg.memdesc<64x64xi8, #i, #smem>
!j = !ttg.memdesc<64x64xi8, #j, #smem>
!m = !ttg.memdesc<64x32xf16, #a, #smem, mutable>
!x = !ttg.memdesc<64x32xf16, #a, #smem>
!y = !ttg.memdesc<32x64xf16, #a, #smem>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Buffers from outside, a result that only accumulates: one product stays under way; all are done after the loop.
  // CHECK-LABEL: @stays
  // CHECK: [[R:%.+]] = scf.for
  // CHECK-NEXT: [[D:%.+]] = ttng.warp_group_dot %arg0, %arg1, %{{.*}} {isAsync = true}
  // CHECK-NEXT: [[W:%.+]]:3 = ttng.warp_group_dot_wait [[D]], %arg0, %arg1 {pendings = 1 : i32}
  // CHECK-NEXT: scf.yield [[W]]#0
  // CHECK: ttng.warp_group_dot_wait [[R]] {pendings = 0 : i32}
  tt.func @stays(%x: !x, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = ttng.warp_group_dot %x, %y, %acc : !x * !y -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Sums of 8-bit integers are in registers of their own as those of floats: they stay under way, too.
  // CHECK-LABEL: @integers_stay
  // CHECK: scf.for
  // CHECK-NEXT: [[D:%.+]] = ttng.warp_group_dot %arg0, %arg1, %{{.*}} {isAsync = true}
  // CHECK-NEXT: ttng.warp_group_dot_wait [[D]], %arg0, %arg1 {pendings = 1 : i32}
  tt.func @integers_stay(%x: !i, %y: !j, %c: tensor<64x64xi32, #mma8>, %n: i32) -> tensor<64x64xi32, #mma8> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xi32, #mma8>) : i32 {
      %d = ttng.warp_group_dot %x, %y, %acc : !i * !j -> tensor<64x64xi32, #mma8>
      scf.yield %d : tensor<64x64xi32, #mma8>
    }
    tt.return %r : tensor<64x64xi32, #mma8>
  }

  // A buffer that the loop fills anew must have been read before.
  // CHECK-LABEL: @filled_in_loop
  // CHECK: scf.for
  // CHECK: [[D:%.+]] = ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait [[D]], %{{.*}}, %arg1 {pendings = 0 : i32}
  // CHECK-NEXT: scf.yield
  // CHECK-NOT: ttng.warp_group_dot_wait
  // CHECK: tt.return
  tt.func @filled_in_loop(%v: tensor<64x32xf16, #blocked>, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = ttg.local_alloc %v : (tensor<64x32xf16, #blocked>) -> !x
      %d = ttng.warp_group_dot %x, %y, %acc : !x * !y -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // The result is used in every iteration: waited for at once. So is one whose argument is added to.
  // CHECK-LABEL: @used_at_once
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: arith.addf
  // CHECK-LABEL: @argument_used
  // CHECK: arith.addf
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  tt.func @used_at_once(%x: !x, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = ttng.warp_group_dot %x, %y, %acc : !x * !y -> tensor<64x64xf32, #mma>
      %e = arith.addf %d, %d : tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
  tt.func @argument_used(%x: !x, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %e = arith.addf %acc, %c : tensor<64x64xf32, #mma>
      %d = ttng.warp_group_dot %x, %y, %e : !x * !y -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Used inside a conditional: only that branch waits.
  // CHECK-LABEL: @used_in_branch
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
  // CHECK: scf.if
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: arith.mulf
  // CHECK: } else {
  // CHECK-NEXT: scf.yield
  tt.func @used_in_branch(%x: !x, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32, %m: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = ttng.warp_group_dot %x, %y, %acc : !x * !y -> tensor<64x64xf32, #mma>
      %k = arith.cmpi slt, %i, %m : i32
      %e = scf.if %k -> (tensor<64x64xf32, #mma>) {
        %s = arith.mulf %d, %d : tensor<64x64xf32, #mma>
        scf.yield %s : tensor<64x64xf32, #mma>
      } else {
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Registers that the loop makes are read until the product is done: in two halves, of which one stays under way.
  // CHECK-LABEL: @registers
  // CHECK: scf.for {{.*}} iter_args([[C:%.+]] = %arg2)
  // CHECK: [[X:%.+]] = arith.negf
  // CHECK-NEXT: [[R:%.+]] = tt.reshape [[X]] : tensor<64x32xf16, #{{.*}}> -> tensor<64x2x16xf16, #{{.+}}>
  // CHECK-NEXT: [[T:%.+]] = tt.trans [[R]] {order = array<i32: 0, 2, 1>}
  // CHECK-NEXT: [[LOW:%.+]], [[HIGH:%.+]] = tt.split [[T]]
  // CHECK-DAG: [[A0:%.+]] = ttg.convert_layout [[LOW]] {{.*}} -> tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #{{.+}}, kWidth = 2}>>
  // CHECK-DAG: [[A1:%.+]] = ttg.convert_layout [[HIGH]]
  // CHECK: [[B0:%.+]] = ttg.memdesc_subslice %arg1[0, 0] : {{.*}} -> !ttg.memdesc<16x64xf16, #{{.+}}, #smem, 32x64>
  // CHECK-NEXT: [[D0:%.+]] = ttng.warp_group_dot [[A0]], [[B0]], [[C]] {isAsync = true}
  // CHECK-NEXT: [[W0:%.+]]:2 = ttng.warp_group_dot_wait [[D0]], [[B0]] {pendings = 1 : i32}
  // CHECK-NEXT: [[B1:%.+]] = ttg.memdesc_subslice %arg1[16, 0]
  // CHECK-NEXT: [[D1:%.+]] = ttng.warp_group_dot [[A1]], [[B1]], [[W0]]#0 {isAsync = true}
  // CHECK-NEXT: [[W1:%.+]]:2 = ttng.warp_group_dot_wait [[D1]], [[B1]] {pendings = 1 : i32}
  // CHECK-NEXT: scf.yield [[W1]]#0
  // Only the first half may start at zero.
  // CHECK-LABEL: @registers_cleared
  // CHECK: ttng.warp_group_dot {{%[^,]+}}, {{%[^,]+}}, {{%[^,]+}}, [[USE:%.+]] {isAsync = true}
  // CHECK: ttng.warp_group_dot {{%[^,]+}}, {{%[^,]+}}, {{%[^,]+}} {isAsync = true}
  // K of one instruction is whole: wait behind it. So is a product whose result is needed at once, and one of registers
  // from outside may run on.
  // CHECK-LABEL: @registers_short
  // CHECK-NOT: tt.split
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK-LABEL: @registers_used
  // CHECK-NOT: tt.split
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: arith.addf
  // CHECK-LABEL: @registers_outside
  // CHECK-NOT: tt.split
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
  tt.func @registers(%b: !ttg.memdesc<64x32xf16, #a, #smem, mutable>, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %w = ttg.local_load %b : !ttg.memdesc<64x32xf16, #a, #smem, mutable> -> tensor<64x32xf16, #op>
      %x = arith.negf %w : tensor<64x32xf16, #op>
      %d = ttng.warp_group_dot %x, %y, %acc : tensor<64x32xf16, #op> * !y -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
  tt.func @registers_cleared(%b: !ttg.memdesc<64x32xf16, #a, #smem, mutable>, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %w = ttg.local_load %b : !ttg.memdesc<64x32xf16, #a, #smem, mutable> -> tensor<64x32xf16, #op>
      %x = arith.negf %w : tensor<64x32xf16, #op>
      %s = arith.cmpi sgt, %i, %c0 : i32
      %d = ttng.warp_group_dot %x, %y, %acc, %s : tensor<64x32xf16, #op> * !y -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
  tt.func @registers_short(%b: !ttg.memdesc<64x32xf16, #a, #smem, mutable>, %y: !ttg.memdesc<16x64xf16, #a, #smem>, %c: tensor<64x64xf32, #mma>, %n: i32, %v: !ttg.memdesc<64x16xf16, #short, #smem, mutable>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %w = ttg.local_load %v : !ttg.memdesc<64x16xf16, #short, #smem, mutable> -> tensor<64x16xf16, #op>
      %x = arith.negf %w : tensor<64x16xf16, #op>
      %d = ttng.warp_group_dot %x, %y, %acc : tensor<64x16xf16, #op> * !ttg.memdesc<16x64xf16, #a, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
  tt.func @registers_used(%b: !ttg.memdesc<64x32xf16, #a, #smem, mutable>, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %w = ttg.local_load %b : !ttg.memdesc<64x32xf16, #a, #smem, mutable> -> tensor<64x32xf16, #op>
      %x = arith.negf %w : tensor<64x32xf16, #op>
      %d = ttng.warp_group_dot %x, %y, %acc : tensor<64x32xf16, #op> * !y -> tensor<64x64xf32, #mma>
      %e = arith.addf %d, %d : tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
  tt.func @registers_outside(%b: !ttg.memdesc<64x32xf16, #a, #smem, mutable>, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32, %x: tensor<64x32xf16, #op>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = ttng.warp_group_dot %x, %y, %acc : tensor<64x32xf16, #op> * !y -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Sums that are transposed and back again: the same registers. One that is read in between is waited for, and so is
  // one that goes to other threads.
  // CHECK-LABEL: @turned
  // CHECK: scf.for
  // CHECK-NEXT: tt.trans
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK-NEXT: [[W:%.+]]:3 = ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
  // CHECK-NEXT: tt.trans [[W]]#0
  // CHECK-NEXT: scf.yield
  // CHECK-LABEL: @turned_used
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: tt.trans
  // CHECK-NEXT: arith.addf
  // CHECK-LABEL: @moved
  // CHECK: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: ttg.convert_layout
  tt.func @turned(%x: !x, %y: !y, %c: tensor<64x64xf32, #turned>, %n: i32) -> tensor<64x64xf32, #turned> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #turned>) : i32 {
      %a = tt.trans %acc {order = array<i32: 1, 0>} : tensor<64x64xf32, #turned> -> tensor<64x64xf32, #mma>
      %d = ttng.warp_group_dot %x, %y, %a : !x * !y -> tensor<64x64xf32, #mma>
      %t = tt.trans %d {order = array<i32: 1, 0>} : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #turned>
      scf.yield %t : tensor<64x64xf32, #turned>
    }
    tt.return %r : tensor<64x64xf32, #turned>
  }
  tt.func @turned_used(%x: !x, %y: !y, %c: tensor<64x64xf32, #turned>, %n: i32) -> tensor<64x64xf32, #turned> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #turned>) : i32 {
      %a = tt.trans %acc {order = array<i32: 1, 0>} : tensor<64x64xf32, #turned> -> tensor<64x64xf32, #mma>
      %d = ttng.warp_group_dot %x, %y, %a : !x * !y -> tensor<64x64xf32, #mma>
      %t = tt.trans %d {order = array<i32: 1, 0>} : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #turned>
      %s = arith.addf %t, %t : tensor<64x64xf32, #turned>
      scf.yield %s : tensor<64x64xf32, #turned>
    }
    tt.return %r : tensor<64x64xf32, #turned>
  }
  tt.func @moved(%x: !x, %y: !y, %c: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
      %a = ttg.convert_layout %acc : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #mma>
      %d = ttng.warp_group_dot %x, %y, %a : !x * !y -> tensor<64x64xf32, #mma>
      %t = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
      scf.yield %t : tensor<64x64xf32, #blocked>
    }
    tt.return %r : tensor<64x64xf32, #blocked>
  }

  // A loop that waits for its products waits for the copies of its next iteration behind them, in front of new copies.
  // CHECK-LABEL: @ready_early
  // CHECK: [[T0:%.+]] = ttg.async_commit_group
  // CHECK: [[T1:%.+]] = ttg.async_commit_group
  // CHECK: ttg.async_wait [[T0]] {num = 1 : i32}
  // CHECK-NEXT: scf.for {{.*}}, [[NEXT:%.+]] = [[T1]])
  // CHECK-NOT: ttg.async_wait
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: ttg.async_wait [[NEXT]] {num = 0 : i32}
  // CHECK-NEXT: ttg.async_copy_global_to_local
  // ... but not one whose products stay under way, nor one that copies only what it needs next.
  // CHECK-LABEL: @ready_late
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait {{.*}} {num = 1 : i32}
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
  // CHECK-NOT: ttg.async_wait
  // CHECK: scf.yield
  // CHECK-LABEL: @copied_last
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait {{.*}} {num = 0 : i32}
  // CHECK-NOT: ttg.async_wait
  // CHECK: scf.yield
  tt.func @ready_early(%x: !ttg.memdesc<3x64x32xf16, #a, #smem, mutable>, %y: !y, %p: tensor<64x32x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s0 = ttg.memdesc_index %x[%c0] : !ttg.memdesc<3x64x32xf16, #a, #smem, mutable> -> !m
    %k0 = ttg.async_copy_global_to_local %p, %s0 : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
    %t0 = ttg.async_commit_group tokens %k0
    %k1 = ttg.async_copy_global_to_local %p, %s0 : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
    %t1 = ttg.async_commit_group tokens %k1
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %now = %t0, %next = %t1) -> (tensor<64x64xf32, #mma>, !ttg.async.token, !ttg.async.token) : i32 {
      %w = ttg.async_wait %now {num = 0 : i32}
      %s = ttg.memdesc_index %x[%i] : !ttg.memdesc<3x64x32xf16, #a, #smem, mutable> -> !m
      %d = ttng.warp_group_dot %s, %y, %acc : !m * !y -> tensor<64x64xf32, #mma>
      %u = arith.addf %d, %d : tensor<64x64xf32, #mma>
      %k = ttg.async_copy_global_to_local %p, %s : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
      %t = ttg.async_commit_group tokens %k
      scf.yield %u, %next, %t : tensor<64x64xf32, #mma>, !ttg.async.token, !ttg.async.token
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }
  tt.func @ready_late(%x: !ttg.memdesc<3x64x32xf16, #a, #smem, mutable>, %y: !y, %p: tensor<64x32x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s0 = ttg.memdesc_index %x[%c0] : !ttg.memdesc<3x64x32xf16, #a, #smem, mutable> -> !m
    %k0 = ttg.async_copy_global_to_local %p, %s0 : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
    %t0 = ttg.async_commit_group tokens %k0
    %k1 = ttg.async_copy_global_to_local %p, %s0 : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
    %t1 = ttg.async_commit_group tokens %k1
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %now = %t0, %next = %t1) -> (tensor<64x64xf32, #mma>, !ttg.async.token, !ttg.async.token) : i32 {
      %w = ttg.async_wait %now {num = 0 : i32}
      %s = ttg.memdesc_index %x[%i] : !ttg.memdesc<3x64x32xf16, #a, #smem, mutable> -> !m
      %d = ttng.warp_group_dot %s, %y, %acc : !m * !y -> tensor<64x64xf32, #mma>
      %k = ttg.async_copy_global_to_local %p, %s : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
      %t = ttg.async_commit_group tokens %k
      scf.yield %d, %next, %t : tensor<64x64xf32, #mma>, !ttg.async.token, !ttg.async.token
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }
  tt.func @copied_last(%x: !ttg.memdesc<3x64x32xf16, #a, #smem, mutable>, %y: !y, %p: tensor<64x32x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s0 = ttg.memdesc_index %x[%c0] : !ttg.memdesc<3x64x32xf16, #a, #smem, mutable> -> !m
    %k0 = ttg.async_copy_global_to_local %p, %s0 : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
    %t0 = ttg.async_commit_group tokens %k0
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %now = %t0) -> (tensor<64x64xf32, #mma>, !ttg.async.token) : i32 {
      %w = ttg.async_wait %now {num = 0 : i32}
      %s = ttg.memdesc_index %x[%i] : !ttg.memdesc<3x64x32xf16, #a, #smem, mutable> -> !m
      %d = ttng.warp_group_dot %s, %y, %acc : !m * !y -> tensor<64x64xf32, #mma>
      %u = arith.addf %d, %d : tensor<64x64xf32, #mma>
      %k = ttg.async_copy_global_to_local %p, %s : tensor<64x32x!tt.ptr<f16>, #blocked> -> !m
      %t = ttg.async_commit_group tokens %k
      scf.yield %u, %t : tensor<64x64xf32, #mma>, !ttg.async.token
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // Registers that the loop loads are loaded again in the next iteration: the product ends in its own. Those of the
  // second half are loaded while the first one runs. In a loop whose waits another pass has placed, too.
  // CHECK-LABEL: @loaded
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK: [[D0:%.+]] = ttng.warp_group_dot {{.*}} {isAsync = true}
  // CHECK: ttg.local_load
  // CHECK: [[W0:%.+]]:2 = ttng.warp_group_dot_wait [[D0]], {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: [[D1:%.+]] = ttng.warp_group_dot {{%[^,]+}}, {{%[^,]+}}, [[W0]]#0 {isAsync = true}
  // CHECK-NEXT: [[W1:%.+]]:2 = ttng.warp_group_dot_wait [[D1]], {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: scf.yield [[W1]]#0
  tt.func @loaded(%b: !ttg.memdesc<64x32xf16, #a, #smem, mutable>, %y: !y, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = ttg.local_load %b : !ttg.memdesc<64x32xf16, #a, #smem, mutable> -> tensor<64x32xf16, #op>
      %d = ttng.warp_group_dot %x, %y, %acc : tensor<64x32xf16, #op> * !y -> tensor<64x64xf32, #mma>
      %z = ttg.local_load %b : !ttg.memdesc<64x32xf16, #a, #smem, mutable> -> tensor<64x32xf16, #op>
      %e = ttng.warp_group_dot %z, %y, %d : tensor<64x32xf16, #op> * !y -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    } {tt.num_stages = 0 : i32}
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
