// Forms of older versions of Triton: three fields for the blocks of a cluster, slices without their buffer's shape.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
// CHECK: #[[ONE:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[TWO:.*]] = #ttg.blocked<{{.*}} order = [1, 0], CGALayout = {{\[\[}}0, 1], [0, 0], [1, 0{{\]\]}}}>
#one = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [0, 1], order = [1, 0]}>
#two = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [2, 4], CTASplitNum = [2, 2], CTAOrder = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, x.one = #one, x.two = #two} {
  tt.func public @slice(%b: !ttg.memdesc<64x32xf32, #shared, #ttg.shared_memory, mutable>) {
    // CHECK: ttg.memdesc_subslice %{{.*}}[16, 0]
    %0 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<64x32xf32, #shared, #ttg.shared_memory, mutable> -> !ttg.memdesc<16x32xf32, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}
