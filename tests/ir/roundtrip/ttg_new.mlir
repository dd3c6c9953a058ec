// Forms that versions of Triton before 3.8 lack.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#fp4 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#part = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #shared}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, x.part = #part, x.generic = #ttg.generic_linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 1], [16, 2]], block = []}>, x.wmma = #ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[0, 1], [1, 0]]}}>} {
  tt.func public @indexed(%b: !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, %idx: tensor<16x32xi32, #blocked>, %v: tensor<16x32xf32, #blocked>, %f: !ttg.memdesc<64xi32, #shared1, #smem, mutable>, %fi: tensor<64xi32, #flat>, %fp: tensor<16x8xi8, #blocked>, %r: !ttg.memdesc<1x64x32xf32, #shared3, #smem, mutable>) {
    %0 = ttg.local_gather %b[%idx] {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x32xi32, #blocked> -> tensor<16x32xf32, #blocked>
    ttg.local_scatter %b[%idx], %v {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x32xi32, #blocked>, tensor<16x32xf32, #blocked>
    %1 = ttg.local_atomic_scatter_rmw add, %f[%fi], %fi {axis = 0 : i32} : (!ttg.memdesc<64xi32, #shared1, #smem, mutable>, tensor<64xi32, #flat>, tensor<64xi32, #flat>) -> tensor<64xi32, #flat>
    ttg.barrier local
    ttg.barrier local|global_read
    ttg.barrier all
    ttg.barrier none
    %2 = ttg.fp4_to_fp %fp {axis = 1 : i32} : tensor<16x8xi8, #blocked> -> tensor<16x16xbf16, #fp4>
    %3 = ttg.memdesc_reshape %r : !ttg.memdesc<1x64x32xf32, #shared3, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
    %w = ttg.warp_id
    tt.return
  }
}
