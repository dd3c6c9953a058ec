#half = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [2, 2]}>
#batch = #ttig.dpas<{repeatCount = 4, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 4, 1], repCluster = [1, 1, 2], A = [1, 4, 16], B = [1, 16, 32], C = [1, 4, 32]}>
#packed = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, fp4KPack = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#block = #ttig.subgroup_2d_block<{warpsPerCTA = [4, 1], instrShape = [32, 16], numBlocks = 2, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>
#a = #ttg.dot_op<{opIdx = 0, parent = #half, kWidth = 1}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {x.warp = #ttig.warp<{sizePerThread = [16, 64], threadsPerWarp = [1, 1], order = [1, 0]}>, x.packed = #packed, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.min_sg_size = 16 : i32, ttig.support_2d_block_io} {
  tt.func @blocks(%p: !tt.ptr<f16>, %n: i32, %q: tensor<64x32x!tt.ptr<f16>, #a>, %m: tensor<64x32xi1, #a>, %o: tensor<64x32xf16, #a>) {
    %0 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #a>
    %1 = ttig.2d_block_load %p, %n, %n, %n[%n, %n] {column_major, pad_nan} {one = 1 : i32} : !tt.ptr<f16> -> tensor<64x32xf16, #block>
    ttig.2d_block_store %p, %n, %n, %n[%n, %n], %1 : !tt.ptr<f16>, tensor<64x32xf16, #block>
    %2 = ttig.2d_block_load_from_ptr %q, %n {row_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<64x32x!tt.ptr<f16>, #a>, i32) -> tensor<64x32xf16, #a>
    %3 = ttig.2d_block_load_from_ptr %q, %n, %m, %o {column_major} {base_height = 8 : i32, base_width = 64 : i32} : (tensor<64x32x!tt.ptr<f16>, #a>, i32, tensor<64x32xi1, #a>, tensor<64x32xf16, #a>) -> tensor<64x32xf16, #a>
    tt.return
  }
  tt.func @ahead(%q: tensor<64x32x!tt.ptr<f16>, #a>, %m: tensor<64x32xi1, #a>, %d: !tt.tensordesc<64x32xf16>, %i: i32) {
    ttig.prefetch %q {cache = 1 : i32, evict = 1 : i32, isVolatile = false, ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #a>
    ttig.prefetch %q, %m {cache = 2 : i32, evict = 3 : i32, isVolatile = false} : tensor<64x32x!tt.ptr<f16>, #a>
    ttig.descriptor_prefetch %d[%i, %i] : !tt.tensordesc<64x32xf16>
    ttig.descriptor_prefetch %d[%i, %i] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<64x32xf16>
    tt.return
  }
  tt.func @others(%d: !tt.tensordesc<1x64xf16>, %x: tensor<16x16xf16>, %b: !tt.ptr<f16, 3>, %at: tensor<8xi32>, %i: i32, %c: tensor<16x1xf32, #rows>, %z: tensor<1x4x16xf32, #batch>) -> tensor<8x64xf16> {
    %0 = ttig.alloc : !tt.ptr<f16, 3>
    %1 = ttig.sub_group_transpose %b, %x : tensor<16x16xf16>
    %2 = ttig.broadcast %c : tensor<16x1xf32, #rows> -> tensor<16x16xf32, #half>
    %3 = ttig.extract_desc %d[3] : <1x64xf16> -> i64
    %4 = ttig.extract_desc %d[4] : <1x64xf16> -> !tt.ptr<f16>
    %5 = ttig.descriptor_gather %d[%at, %i] : (!tt.tensordesc<1x64xf16>, tensor<8xi32>, i32) -> tensor<8x64xf16>
    ttig.descriptor_scatter %d[%at, %i], %5 : !tt.tensordesc<1x64xf16>, tensor<8xi32>, i32, tensor<8x64xf16>
    tt.return %5 : tensor<8x64xf16>
  }
  tt.func @turned(%d: !tt.tensordesc<64x32xf16>, %i: i32) -> tensor<32x64xf16, #rows> {
    %0 = tt.descriptor_load %d[%i, %i] {ttig.block_io = "column_major"} : !tt.tensordesc<64x32xf16> -> tensor<32x64xf16, #rows>
    tt.return %0 : tensor<32x64xf16, #rows>
  }
}
