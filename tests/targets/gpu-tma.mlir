// RUN: tritcc -x ttgir -arch=sm_90a -emit=ptx=- %s | FileCheck %s
// Operations on mbarriers that no pass of the pipeline makes yet.
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 8 : i32} {
  // CHECK: mbarrier.init.shared.b64 [global_smem]
  // CHECK: mbarrier.arrive
  // CHECK: mbarrier.try_wait.parity
  // CHECK: mbarrier.inval
  tt.func public @k() {
    %zero = arith.constant 0 : i32
    %yes = arith.constant true
    %p = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #line, #smem, mutable>
    ttng.init_barrier %p, 2 : !ttg.memdesc<1xi64, #line, #smem, mutable>
    ttg.barrier local
    ttng.arrive_barrier %p, 1 : !ttg.memdesc<1xi64, #line, #smem, mutable>
    ttng.arrive_barrier %p, 1, %yes : !ttg.memdesc<1xi64, #line, #smem, mutable>
    ttng.wait_barrier %p, %zero, %yes : !ttg.memdesc<1xi64, #line, #smem, mutable>
    ttg.barrier local
    ttng.inval_barrier %p : !ttg.memdesc<1xi64, #line, #smem, mutable>
    tt.return
  }
}
