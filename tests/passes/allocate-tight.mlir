// RUN: tritcc -x ttgir -passes=allocate-shared-memory %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=allocate-shared-memory{max-bytes=2048}' %s | FileCheck %s --check-prefix=TIGHT
// RUN: not tritcc -x ttgir '-passes=allocate-shared-memory{max-bytes=16}' %s 2>&1 | FileCheck %s --check-prefix=NONE

// Two buffers of one reader each, which live together; with less room conversions, one after the other.
// CHECK: ttg.shared = 4096 : i32
// CHECK: ttg.local_alloc
// TIGHT: ttg.shared = 2048 : i32
// TIGHT-NOT: ttg.local_alloc
// TIGHT: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
// TIGHT: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
// NONE: error: 'k' needs {{[0-9]+}} bytes of shared memory; the target has 16
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: tensor<32x16xf32, #rows>, %y: tensor<32x16xf32, #rows>) -> tensor<32x16xf32, #columns> {
    %a = ttg.local_alloc %x : (tensor<32x16xf32, #rows>) -> !ttg.memdesc<32x16xf32, #shared, #smem>
    %b = ttg.local_alloc %y : (tensor<32x16xf32, #rows>) -> !ttg.memdesc<32x16xf32, #shared, #smem>
    %u = ttg.local_load %a : !ttg.memdesc<32x16xf32, #shared, #smem> -> tensor<32x16xf32, #columns>
    %v = ttg.local_load %b : !ttg.memdesc<32x16xf32, #shared, #smem> -> tensor<32x16xf32, #columns>
    %w = arith.addf %u, %v : tensor<32x16xf32, #columns>
    tt.return %w : tensor<32x16xf32, #columns>
  }
}
