#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [8, 4, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#trans = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#padded = #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @memory(%x: tensor<64x32xf16, #blocked>, %p: tensor<64x32x!tt.ptr<f16>, #blocked>, %m: tensor<64x32xi1, #blocked>, %i: i32) {
    %0 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #mma>
    %1 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #linear>
    %2 = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %3 = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
    %4 = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
    %5 = ttg.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #nvmma, #smem, mutable>
    %6 = ttg.local_alloc %x {alignment = 128 : i32} : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #padded, #smem, mutable>
    %7 = ttg.memdesc_index %4[%i] : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    %8 = ttg.memdesc_subslice %7[0, 16] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x16xf16, #shared, #smem, mutable, 64x32>
    %9 = ttg.memdesc_trans %7 {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>
    %10 = ttg.memdesc_reinterpret %7 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xi16, #shared, #smem, mutable>
    %11 = ttg.local_load %7 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
    ttg.local_store %x, %7 : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    %12 = ttg.async_copy_global_to_local %p, %7 mask %m other %x : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
    %13 = ttg.async_copy_global_to_local %p, %7 cacheModifier = cg : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared, #smem, mutable>
    %14 = ttg.async_commit_group tokens %12, %13
    %15 = ttg.async_wait %14 {num = 1 : i32}
    %16 = ttg.async_wait {num = 0 : i32}
    %17 = ttg.local_load %7 token %15 : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
    ttg.local_dealloc %4 : !ttg.memdesc<3x64x32xf16, #shared, #smem, mutable>
    %18 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    tt.return
  }
  tt.func public @shapes(%x: tensor<64x32xf32, #blocked>, %r: tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, %j: tensor<64x32x2xf16, #blocked1>) {
    %0 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xf32, #blocked>
    %1 = tt.broadcast %0 : tensor<64x1xf32, #blocked> -> tensor<64x32xf32, #blocked>
    %2 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x32xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %3 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #blocked> -> tensor<32x64xf32, #trans>
    %4, %5 = tt.split %j : tensor<64x32x2xf16, #blocked1> -> tensor<64x32xf16, #blocked>
    %6 = tt.join %4, %5 : tensor<64x32xf16, #blocked> -> tensor<64x32x2xf16, #blocked1>
    tt.return
  }
  tt.func public @warps(%a: i32) {
    %r = ttg.warp_specialize(%a)
    default {
      ttg.warp_yield %a : i32
    }
    partition0(%p: i32) num_warps(4) {
      ttg.warp_return
    }
    partition1(%p: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
  tt.func public @pipeline(%iv: i32, %ub: i32, %st: i32) {
    %c = ttg.predicate_stage %iv, %ub, %st maxStage 2 stage 0 : i32 -> i1
    %r = "ttg.mask"(%c) ({
      ttg.mask.return %iv : i32
    }) : (i1) -> i32
    tt.return
  }
}
