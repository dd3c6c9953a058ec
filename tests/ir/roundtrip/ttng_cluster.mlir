#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0], [1]]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0], [1, 0]]}>
#parts = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = #nv}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttng.two-ctas" = true, ttg.target = "cuda:90"} {
tt.func @cluster(%d: !tt.tensordesc<64x128xf16, #nv>, %q: !ttg.memdesc<1024x64xf16, #parts, #smem, mutable>, %i: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bar, #smem, mutable>
  %m = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #nv, #smem, mutable>
  ttng.cluster_arrive {relaxed = false}
  ttng.cluster_arrive {relaxed = true}
  ttng.cluster_wait
  ttng.cluster_barrier {relaxed = false}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p {multicast} : !tt.tensordesc<64x128xf16, #nv>, !ttg.memdesc<2xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xf16, #nv, #smem, mutable>
  tt.return
}
}
