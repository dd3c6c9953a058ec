// RUN: tritcc -x ttgir -passes=allocate-shared-memory,membar %s | FileCheck %s
// positive: @read_after_write @write_after_read @loop @branch @wait @ring @branch_in_loop @partitions @scalar @copies @rounds @before_loop @fenced
// negative: @not_needed @only_reads @other_places @own_elements @read_by_threads @read_by_products
// loop: @loop @ring @branch_in_loop @only_reads @rounds @before_loop
// if: @branch @branch_in_loop @only_reads

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#square = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#operand = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#barrier = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @read_after_write
  tt.func public @read_after_write(%x: tensor<32x16xf16, #blocked>) {
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: tt.return
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    %v = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // CHECK-LABEL: @write_after_read
  tt.func public @write_after_read(%x: tensor<32x16xf16, #blocked>) {
    // CHECK: ttg.local_alloc
    // CHECK: ttg.barrier local
    // CHECK: ttg.local_load
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_alloc
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    %b = ttg.local_alloc %u : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    tt.return
  }

  // Buffers at different places do not disturb each other; a barrier that is there counts.
  // CHECK-LABEL: @not_needed
  tt.func public @not_needed(%x: tensor<32x16xf16, #blocked>) {
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_alloc
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: tt.return
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %b = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    ttg.barrier local
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    %v = ttg.local_load %b : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // The store of one iteration must wait for the load of the one before.
  // CHECK-LABEL: @loop
  tt.func public @loop(%x: tensor<32x16xf16, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    // CHECK: scf.for
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttg.local_store %x, %a : tensor<32x16xf16, #blocked> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
      %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
    }
    tt.return
  }

  // One branch writes: what follows must wait.
  // CHECK-LABEL: @branch
  tt.func public @branch(%x: tensor<32x16xf16, #blocked>, %c: i1) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    // CHECK: scf.if
    // CHECK-NEXT: ttg.local_store
    // CHECK-NEXT: }
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    scf.if %c {
      ttg.local_store %x, %a : tensor<32x16xf16, #blocked> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    }
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // CHECK-LABEL: @wait
  tt.func public @wait(%p: tensor<32x16x!tt.ptr<f16>, #blocked>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %a : tensor<32x16x!tt.ptr<f16>, #blocked> -> <32x16xf16, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    // CHECK: ttg.async_wait
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %w = ttg.async_wait %g {num = 0 : i32}
    %u = ttg.local_load %a token %w : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // What was copied and waited for before needs no other barrier in front of its read; a slot that was read needs one
  // before it is filled again, and so does one that is filled before it is stored to.
  // CHECK-LABEL: @ring
  tt.func public @ring(%p: tensor<32x16x!tt.ptr<f16>, #blocked>, %x: tensor<32x16xf16, #blocked>, %g: !ttg.async.token, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<2x32x16xf16, #shared, #smem, mutable>
    // CHECK: scf.for
    // CHECK: ttg.local_load
    // CHECK: ttg.async_wait
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.async_copy_global_to_local
    // CHECK-NOT: ttg.barrier
    // CHECK: scf.yield
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%ready = %g, %next = %g) -> (!ttg.async.token, !ttg.async.token) : i32 {
      %s = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x32x16xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
      %u = ttg.local_load %s token %ready : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
      tt.store %p, %u : tensor<32x16x!tt.ptr<f16>, #blocked>
      %w = ttg.async_wait %next {num = 0 : i32}
      %t = ttg.async_copy_global_to_local %p, %s : tensor<32x16x!tt.ptr<f16>, #blocked> -> <32x16xf16, #shared, #smem, mutable>
      %h = ttg.async_commit_group tokens %t
      scf.yield %w, %h : !ttg.async.token, !ttg.async.token
    }
    // CHECK: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    %b = ttg.memdesc_index %a[%c0] : !ttg.memdesc<2x32x16xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    ttg.local_store %x, %b : tensor<32x16xf16, #blocked> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    tt.return
  }

  // Only some iterations write: each write waits for the read of the iteration before, each read for the write.
  // CHECK-LABEL: @branch_in_loop
  // CHECK: scf.for
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: }
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  tt.func public @branch_in_loop(%x: tensor<32x16xf16, #blocked>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.if %c {
        ttg.local_store %x, %a : tensor<32x16xf16, #blocked> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
      }
      %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
    }
    tt.return
  }

  // Branches that only read need no barrier between them and what reads behind them, nor do iterations that only read.
  // CHECK-LABEL: @only_reads
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func public @only_reads(%a: !ttg.memdesc<32x16xf16, #shared, #smem>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.if %c {
        %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
      }
      %v = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    }
    tt.return
  }

  // All threads load a scalar, one stores it; all that load it again see what was stored.
  // CHECK-LABEL: @scalar
  // CHECK: tt.load
  // CHECK-NEXT: ttg.barrier local|global_read|global_write
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: ttg.barrier local|global_read|global_write
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.store
  tt.func public @scalar(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %x: i32) {
    %a = tt.load %p : !tt.ptr<i32>
    tt.store %p, %x : !tt.ptr<i32>
    %b = tt.load %p : !tt.ptr<i32>
    tt.store %q, %b : !tt.ptr<i32>
    tt.return
  }

  // Other arrays, other elements of one array, and updates beside each other.
  // CHECK-LABEL: @other_places
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func public @other_places(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
    %true = arith.constant true
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %p0 = tt.addptr %p, %n : !tt.ptr<i32>, i32
    %p2 = tt.addptr %p0, %c2 : !tt.ptr<i32>, i32
    %p3 = tt.addptr %p0, %c3 : !tt.ptr<i32>, i32
    %a = tt.load %p2 : !tt.ptr<i32>
    tt.store %q, %a : !tt.ptr<i32>
    tt.store %p3, %a : !tt.ptr<i32>
    %b = tt.atomic_rmw add, relaxed, gpu, %p3, %a, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %c = tt.atomic_rmw add, relaxed, gpu, %p3, %a, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }

  // 32 elements in 128 threads: four load each, one stores it.
  // CHECK-LABEL: @copies
  // CHECK: tt.load
  // CHECK: ttg.barrier local|global_read|global_write
  // CHECK-NEXT: tt.store
  tt.func public @copies(%p: tensor<32x!tt.ptr<i32>, #line>) {
    %a = tt.load %p : tensor<32x!tt.ptr<i32>, #line>
    %b = arith.addi %a, %a : tensor<32xi32, #line>
    tt.store %p, %b : tensor<32x!tt.ptr<i32>, #line>
    tt.return
  }

  // Each element is one thread's.
  // CHECK-LABEL: @own_elements
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func public @own_elements(%p: tensor<512x!tt.ptr<i32>, #line>) {
    %a = tt.load %p : tensor<512x!tt.ptr<i32>, #line>
    %b = arith.addi %a, %a : tensor<512xi32, #line>
    tt.store %p, %b : tensor<512x!tt.ptr<i32>, #line>
    tt.return
  }

  // What one round stores another one loads.
  // CHECK-LABEL: @rounds
  // CHECK: scf.for
  // CHECK-NEXT: ttg.barrier local|global_read|global_write
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: ttg.barrier local|global_read|global_write
  // CHECK-NEXT: tt.store
  tt.func public @rounds(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = tt.load %p : !tt.ptr<i32>
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // What was before a loop is ordered in front of it, once.
  // CHECK-LABEL: @before_loop
  // CHECK: tt.load
  // CHECK-NEXT: ttg.barrier local|global_read|global_write
  // CHECK-NEXT: scf.for
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func public @before_loop(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = tt.load %p : !tt.ptr<i32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
      tt.store %q, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // A fence is of each thread's own writes: the barrier in front of it, in the conversion's scratch, does not tell the copy's
  // thread of the others' fences. Threads that read want none.
  // CHECK-LABEL: @fenced
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global
  tt.func public @fenced(%d: !tt.tensordesc<32x16xf16, #shared>, %x: tensor<32x16xf16, #blocked>, %y: tensor<256xf32, #line>) {
    %c0 = arith.constant 0 : i32
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    %z = ttg.convert_layout %y : tensor<256xf32, #line> -> tensor<256xf32, #pairs>
    ttng.fence_async_shared {bCluster = false}
    ttng.async_tma_copy_local_to_global %d[%c0, %c0] %a : !tt.tensordesc<32x16xf16, #shared>, !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    tt.return
  }

  // Who writes what products read fences at once, in front of any barrier: behind a later fence none is due for them.
  // CHECK-LABEL: @read_by_products
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttng.warp_group_dot
  tt.func public @read_by_products(%x: tensor<64x64xf16, #square>, %y: tensor<256xf32, #line>, %s: tensor<64x64xf32, #mma>) {
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #square>) -> !ttg.memdesc<64x64xf16, #operand, #smem>
    %z = ttg.convert_layout %y : tensor<256xf32, #line> -> tensor<256xf32, #pairs>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %a, %s {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #operand, #smem> * !ttg.memdesc<64x64xf16, #operand, #smem> -> tensor<64x64xf32, #mma>
    tt.return
  }

  // CHECK-LABEL: @read_by_threads
  // CHECK: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_load
  tt.func public @read_by_threads(%x: tensor<32x16xf16, #blocked>, %y: tensor<256xf32, #line>) {
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    %z = ttg.convert_layout %y : tensor<256xf32, #line> -> tensor<256xf32, #pairs>
    ttng.fence_async_shared {bCluster = false}
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // Partitions are each for themselves, and waits of one see other phases: no barrier between the writes of one and the
  // reads of another, nor between two waits; there is one between two writes of the same. Who
  // arrives for all does so behind a barrier, a warp for itself does not.
  // CHECK-LABEL: @partitions
  // CHECK: ttng.init_barrier
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.warp_specialize
  // CHECK: scf.for
  // CHECK-NEXT: ttng.wait_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttng.arrive_barrier
  // CHECK: partition0
  // CHECK: scf.for
  // CHECK-NEXT: ttng.wait_barrier
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttng.arrive_barrier {{.*}}tritcc.per-warp
  // CHECK: ttg.warp_return
  // CHECK-NOT: ttg.barrier
  // CHECK: ttng.inval_barrier
  tt.func public @partitions(%x: tensor<32x16xf16, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttg.warp_specialize(%a, %m, %n)
    default {
      scf.for %i = %c0 to %n step %c1 : i32 {
        ttng.wait_barrier %m, %c0 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
        %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem, mutable> -> tensor<32x16xf16, #blocked>
        ttng.arrive_barrier %m, 1 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
      }
      ttg.warp_yield
    }
    partition0(%b: !ttg.memdesc<32x16xf16, #shared, #smem, mutable>, %k: !ttg.memdesc<1xi64, #barrier, #smem, mutable>, %l: i32) num_warps(4) {
      %z = arith.constant 0 : i32
      %o = arith.constant 1 : i32
      %y = arith.constant dense<0.000000e+00> : tensor<32x16xf16, #blocked>
      scf.for %i = %z to %l step %o : i32 {
        ttng.wait_barrier %k, %z : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
        ttg.local_store %y, %b : tensor<32x16xf16, #blocked> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable>
        ttng.arrive_barrier %k, 1 {"tritcc.per-warp"} : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
      }
      ttg.warp_return
    } : (!ttg.memdesc<32x16xf16, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #barrier, #smem, mutable>, i32) -> ()
    ttng.inval_barrier %m : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    tt.return
  }
}
