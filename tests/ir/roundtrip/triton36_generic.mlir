// The generic form of Triton 3.6 has no sizes of segments where there were no optional operands yet.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token, i32, i1) -> (), sym_name = "segments", sym_visibility = "public"}> ({
  ^bb0(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %s: !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, %t: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %k: !ttg.async.token, %i: i32, %p: i1):
    // CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg5, %arg5] %arg2, %arg1, %arg6 :
    "ttng.async_tma_copy_global_to_local"(%d, %i, %i, %b, %s, %p) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}> : (!tt.tensordesc<tensor<64x64xf16, #tile>>, i32, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #tile, #smem, mutable>, i1) -> ()
    // CHECK: ttng.tc_gen5_commit %arg1 :
    "ttng.tc_gen5_commit"(%b) : (!ttg.memdesc<1xi64, #bar, #smem, mutable>) -> ()
    // CHECK: ttng.tc_gen5_commit %arg1, %arg6 :
    "ttng.tc_gen5_commit"(%b, %p) : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i1) -> ()
    // CHECK: %{{.*}} = ttng.tmem_load %arg3 :
    %0 = "ttng.tmem_load"(%t) : (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> tensor<128x64xf32, #linear>
    // CHECK: %{{.*}}, %{{.*}} = ttng.tmem_load %arg3[%arg4] :
    %1:2 = "ttng.tmem_load"(%t, %k) : (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token) -> (tensor<128x64xf32, #linear>, !ttg.async.token)
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} : () -> ()
