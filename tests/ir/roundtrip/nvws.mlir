#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
!ring = !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
!one = !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
!r = !nvws.aref<[!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>]>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func @buffers(%d: !tt.tensordesc<64x64xf16, #shared>, %i: i32, %x: tensor<64xi32, #rows>, %c: !ttg.memdesc<2xi64, #bytes, #smem, mutable>) {
  %a = ttg.local_alloc : () -> !ring
  %b = ttg.local_alloc : () -> !ring
  %r = nvws.aref.create %a, %b : !r
  %p:3 = nvws.aref.put.enter %r : !r -> !one, !one, !ttg.async.token
  nvws.descriptor_load %d[%i, %i] 8192 %p#0 cacheModifier = cg evictionPolicy = evict_last : !tt.tensordesc<64x64xf16, #shared>, i32, i32, !one
  nvws.descriptor_gather %d[%x, %i] 8192 %p#1 : !tt.tensordesc<64x64xf16, #shared>, tensor<64xi32, #rows>, i32, !one
  nvws.aref.put.exit %r[%i], %p#2 [#nvws.async_op<tma_load>, #nvws.async_op<none>] : !r, !ttg.async.token
  %g:3 = nvws.aref.get.enter %r[%i, %i] : !r -> !one, !one, !ttg.async.token
  %v:2 = nvws.aref.buffer %r[%i], %g#2 : !r, !ttg.async.token -> !one, !one
  nvws.aref.get.exit %r, %g#2 [#nvws.async_op<wgmma>, #nvws.async_op<tc5mma>, #nvws.async_op<tmem_copy>, #nvws.async_op<cp_async>, #nvws.async_op<clc>] : !r, !ttg.async.token
  nvws.clc_try_cancel %c : !ttg.memdesc<2xi64, #bytes, #smem, mutable>
  tt.return
}
tt.func @groups(%i: i32) -> i32 {
  %x = arith.addi %i, %i {ttg.partition = array<i32: 0>} : i32
  %y = arith.muli %i, %i {ttg.partition = array<i32: 1>} : i32
  %z = nvws.aref.phi %x, %y {ttg.partition = array<i32: 0, 1>} : i32
  nvws.warp_group
  %r = nvws.warp_group attributes {note = 1 : i32}
  partition0 num_warps(4) {
    nvws.warp_group.yield %z : i32
  }
  partition1 num_warps(8) {
    nvws.warp_group.return
  }
  tt.return %r : i32
}
tt.func @tokens(%i: i32, %f: i1) {
  %t = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32} : tensor<3x!nvws.token>
  nvws.producer_acquire %t, %i, %f : tensor<3x!nvws.token>, i32, i1
  nvws.producer_commit %t, %i : tensor<3x!nvws.token>, i32
  nvws.consumer_wait %t, %i, %f : tensor<3x!nvws.token>, i32, i1
  nvws.consumer_release %t, %i : tensor<3x!nvws.token>, i32
  tt.return
}
}
