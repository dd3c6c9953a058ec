// RUN: tritcc -x ttgir '-passes=pipeline-lower-loop,canonicalize' %s | FileCheck %s
// positive: @copy @scalar @descriptors
// negative: @narrow_scalar
// loop: @copy @scalar @narrow_scalar @descriptors

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // A copy where the load was; the wait and the read have the place of the first use.
  // CHECK-LABEL: @copy
  // CHECK: [[RING:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16
  // CHECK: scf.for {{.*}} iter_args([[IN:%.+]] = %c-1_i32, [[OUT:%.+]] = %c-1_i32)
  // CHECK: arith.addi [[IN]], %c1_i32 {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: arith.addi [[OUT]], %c1_i32 {loop.cluster = 0 : i32, loop.stage = 2 : i32}
  // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} {contiguity = 8 : i32, loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: [[GROUP:%.+]] = ttg.async_commit_group
  // CHECK: ttg.async_wait [[GROUP]] {loop.cluster = 0 : i32, loop.stage = 2 : i32, num = 0 : i32}
  // CHECK: ttg.local_load {{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
  // CHECK: tt.store
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK: ttg.local_dealloc [[RING]]
  tt.func @copy(%p: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %q: tensor<64x32x!tt.ptr<f16>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %p {loop.cluster = 4 : i32, loop.stage = 0 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
      tt.store %q, %v {loop.cluster = 3 : i32, loop.stage = 2 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return
  }

  // A scalar of 32 bits or more goes as a tensor of one element.
  // CHECK-LABEL: @scalar
  // CHECK: tt.splat %{{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: tt.unsplat %{{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32} : tensor<1xi32
  // CHECK-LABEL: @narrow_scalar
  // CHECK-NOT: ttg.async_copy_global_to_local
  // CHECK: tt.load
  tt.func @scalar(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %p {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.ptr<i32>
      tt.store %q, %v {loop.cluster = 0 : i32, loop.stage = 1 : i32} : !tt.ptr<i32>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }
  tt.func @narrow_scalar(%p: !tt.ptr<i16>, %q: !tt.ptr<i16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %p {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.ptr<i16>
      tt.store %q, %v {loop.cluster = 0 : i32, loop.stage = 1 : i32} : !tt.ptr<i16>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }

  // Two loads through descriptors share a barrier; the third is used elsewhere and has its own. A buffer that a
  // product reads asynchronously needs one slot more.
  // CHECK-LABEL: @descriptors
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x32x64xf16
  // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf16
  // CHECK: [[BARS:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
  // CHECK-COUNT-5: ttng.init_barrier
  // CHECK: scf.for
  // CHECK: ttng.barrier_expect %{{.*}}, 8192 {loop.cluster = 1 : i32, loop.stage = 0 : i32}, %true
  // CHECK: ttng.async_tma_copy_global_to_local %arg0[%{{.*}}, %{{.*}}]
  // CHECK-NOT: ttng.wait_barrier
  // CHECK: ttng.async_tma_copy_global_to_local %arg1[%{{.*}}, %{{.*}}]
  // CHECK: ttng.wait_barrier %{{.*}}, %{{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
  // CHECK: ttng.barrier_expect %{{.*}}, 4096
  // CHECK: ttng.async_tma_gather %arg2[%arg3, %{{.*}}]
  // CHECK: ttng.wait_barrier
  // CHECK: ttng.warp_group_dot
  // CHECK-COUNT-5: ttng.inval_barrier
  tt.func @descriptors(%a: !tt.tensordesc<64x32xf16, #nvmma>, %b: !tt.tensordesc<32x64xf16, #nvmma>, %d: !tt.tensordesc<1x64xf16, #nvmma>, %rows: tensor<32xi32, #row>, %q: tensor<32x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.descriptor_load %a[%i, %i] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<64x32xf16, #nvmma> -> tensor<64x32xf16, #blocked>
      %xs = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 2 : i32} : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #nvmma, #smem>
      %y = tt.descriptor_load %b[%i, %i] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<32x64xf16, #nvmma> -> tensor<32x64xf16, #blocked>
      %ys = ttg.local_alloc %y {loop.cluster = 0 : i32, loop.stage = 2 : i32} : (tensor<32x64xf16, #blocked>) -> !ttg.memdesc<32x64xf16, #nvmma, #smem>
      %z = tt.descriptor_gather %d[%rows, %i] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : (!tt.tensordesc<1x64xf16, #nvmma>, tensor<32xi32, #row>, i32) -> tensor<32x64xf16, #blocked>
      tt.store %q, %z {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<32x64x!tt.ptr<f16>, #blocked>
      %e = ttng.warp_group_dot %xs, %ys, %acc {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<64x32xf16, #nvmma, #smem> * !ttg.memdesc<32x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
