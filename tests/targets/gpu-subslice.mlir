// RUN: not tritcc -x ttgir -arch=sm_80 -emit=ptx=%t.ptx %s 2> %t.err
// RUN: FileCheck %s --input-file=%t.err

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @no_buffer_shape(%p: tensor<64x16x!tt.ptr<f32>, #blocked>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
    // CHECK: gpu-subslice.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'ttg.memdesc_subslice' cannot be lowered for 'sm_80': the slice's type does not give the shape of its buffer
    %s = ttg.memdesc_subslice %b[0, 16] : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x16xf32, #shared, #smem, mutable>
    %v = ttg.local_load %s : !ttg.memdesc<64x16xf32, #shared, #smem, mutable> -> tensor<64x16xf32, #blocked>
    tt.store %p, %v : tensor<64x16x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
