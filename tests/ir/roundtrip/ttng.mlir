#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim=0, parent=#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#tmem_scales = #ttng.tensor_memory_scales_encoding<>
#tb = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%a: !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, %b: !ttg.memdesc<64x128xf16, #shared1, #smem,mutable>, %c: tensor<128x128xf32, #mma>, %bar: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %p: i1, %ph: i32, %d: !tt.tensordesc<64x64xf16, #shared1>, %buf: !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, %i: i32, %rows: tensor<32xi32, #rows>, %rb: !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>, %d1: !tt.tensordesc<tensor<1x64xf16, #shared1>>, %ptr: !tt.ptr<i8>, %i64: i64, %tm: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, %sa: !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %0 = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc=4:i32} : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> * !ttg.memdesc<64x128xf16, #shared1, #smem,mutable> -> tensor<128x128xf32, #mma>
  %00 = ttng.warp_group_dot %a, %b, %c, %p : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> * !ttg.memdesc<64x128xf16, #shared1, #smem,mutable> -> tensor<128x128xf32, #mma>
  %1 = ttng.warp_group_dot_wait %0 {pendings = 0 : i32} : tensor<128x128xf32, #mma>
  %2:2 = ttng.warp_group_dot_wait %0, %a {pendings = 0 : i32} : tensor<128x128xf32, #mma>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
  ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.barrier_expect %bar, 8192, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.wait_barrier %bar, %ph : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.wait_barrier %bar, %ph, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.wait_barrier %bar, %ph, %p deps %a, %buf : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
  ttng.arrive_barrier %bar, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.arrive_barrier %bar, 1, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %bar : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %bar {noIncrement} : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %p : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %p cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buf : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
  ttng.async_tma_reduce add, %d[%i, %i] %buf : !tt.tensordesc<64x64xf16, #shared1>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
  ttng.async_tma_gather %d1[%rows, %i] %rb, %bar, %p : !tt.tensordesc<1x64xf16, #shared1>, tensor<32xi32, #rows>, i32, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>, i1
  ttng.async_tma_scatter %d1[%rows, %i] %rb : !tt.tensordesc<1x64xf16, #shared1>, tensor<32xi32, #rows>, i32, !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  %r = ttng.reinterpret_tensor_descriptor %ptr : !tt.ptr<i8> to !tt.tensordesc<64x64xf16, #shared1>
  ttng.tensormap_create %ptr, %ptr, [%i,%i], [%i,%i], [%i64], [%i,%i] {elem_type = 3 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 2 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %ptr : !tt.ptr<i8>
  %acc, %tok = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %cst = arith.constant dense<0.0> : tensor<128x128xf32, #tb>
  %acc2 = ttng.tmem_alloc %cst : (tensor<128x128xf32, #tb>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %l = ttng.tmem_load %acc : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #tb>
  %l2, %t2 = ttng.tmem_load %acc[%tok] : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #tb>
  ttng.tmem_store %l, %acc, %p : tensor<128x128xf32, #tb> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %t3 = ttng.tmem_store %l, %acc[%t2], %p : tensor<128x128xf32, #tb> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %ss = ttng.tmem_subslice %acc {offset = 64 : i32} : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>
  ttng.tc_gen5_mma %a, %b, %tm, %p, %p : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %t4 = ttng.tc_gen5_mma %a, %b, %tm[%tok], %p, %p, %bar[%p], %bar[%true] {is_async} : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.tc_gen5_mma_scaled %a, %b, %tm, %sa, %sa, %p, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>
  ttng.tc_gen5_commit %bar : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.tc_gen5_commit %bar, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  %response = ttng.clc_try_cancel_sync : tensor<2xi64>
  tt.return
}
}
