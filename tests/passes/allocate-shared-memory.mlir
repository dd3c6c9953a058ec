// RUN: tritcc -x ttgir -passes=allocate-shared-memory %s | FileCheck %s
// positive: @together @apart @loop @branches
// negative: @none
// loop: @loop
// if: @branches

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// The largest need: two buffers of 32x16 f16 at once.
// CHECK: module attributes {{.*}}ttg.shared = 2048 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @together
  tt.func public @together(%x: tensor<32x16xf16, #blocked>) {
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 1024 : i32}
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %b = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    %v = ttg.local_load %b : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // The second buffer comes after the last use of the first one.
  // CHECK-LABEL: @apart
  tt.func public @apart(%x: tensor<32x16xf16, #blocked>) {
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %b = ttg.local_alloc %u : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    %v = ttg.local_load %b : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    tt.return
  }

  // A buffer that the next iteration reads again lives through the whole loop.
  // CHECK-LABEL: @loop
  tt.func public @loop(%x: tensor<32x16xf16, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[A:[0-9]+]] : i32}
    %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
      // CHECK-NOT: allocation.offset = [[A]] : i32
      // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = {{[0-9]+}} : i32}
      %b = ttg.local_alloc %u : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
      %v = ttg.local_load %b : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    } {tt.num_stages = 1 : i32}
    tt.return
  }

  // The two branches never run together.
  // CHECK-LABEL: @branches
  tt.func public @branches(%x: tensor<32x16xf16, #blocked>, %c: i1) {
    scf.if %c {
      // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
      %a = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
      %u = ttg.local_load %a : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    } else {
      // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
      %b = ttg.local_alloc %x : (tensor<32x16xf16, #blocked>) -> !ttg.memdesc<32x16xf16, #shared, #smem>
      %v = ttg.local_load %b : !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<32x16xf16, #blocked>
    }
    tt.return
  }

  // Nothing here needs shared memory.
  // CHECK-LABEL: @none
  tt.func public @none(%x: tensor<32x16xf16, #blocked>) {
    // CHECK-NOT: allocation.offset
    %y = arith.addf %x, %x : tensor<32x16xf16, #blocked>
    tt.return
  }
}
