// RUN: tritcc -x ttgir -passes=drop-invalidations %s | FileCheck %s
// positive: @end @many @again
// negative: @shared_bytes @in_loop @helper
// loop: @in_loop

#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 4096 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @end
  // CHECK: ttng.wait_barrier
  // CHECK-NOT: ttng.inval_barrier
  // CHECK: tt.return
  tt.func public @end(%p: !tt.ptr<i32>, %v: i32) {
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.wait_barrier %bar, %c0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.store %p, %v : !tt.ptr<i32>
    tt.return
  }
  // Slots of a ring.
  // CHECK-LABEL: @many
  // CHECK-COUNT-2: ttng.init_barrier
  // CHECK-NOT: ttng.inval_barrier
  // CHECK: tt.return
  tt.func public @many() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %bars = ttg.local_alloc {allocation.offset = 64 : i32} : () -> !ttg.memdesc<2x1xi64, #bars, #smem, mutable>
    %a = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<2x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %b = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<2x1xi64, #bars, #smem, mutable> -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %a : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %b : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
  // Another buffer takes the bytes.
  // CHECK-LABEL: @shared_bytes
  // CHECK: ttng.inval_barrier
  tt.func public @shared_bytes() {
    %bar = ttg.local_alloc {allocation.offset = 8 : i32} : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %other = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<32xi32, #bars, #smem, mutable>
    tt.return
  }
  // The mbarrier is made again: PTX wants it invalid then. The second invalidation goes.
  // CHECK-LABEL: @again
  // CHECK: ttng.init_barrier
  // CHECK: ttng.inval_barrier
  // CHECK: ttng.init_barrier
  // CHECK-NOT: ttng.inval_barrier
  // CHECK: tt.return
  tt.func public @again() {
    %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
  // CHECK-LABEL: @in_loop
  // CHECK: scf.for
  // CHECK: ttng.inval_barrier
  tt.func public @in_loop(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
      ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
      ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    }
    tt.return
  }
  // Called twice, it makes the mbarrier twice.
  // CHECK-LABEL: @helper
  // CHECK: ttng.inval_barrier
  tt.func private @helper() attributes {noinline = true} {
    %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}
