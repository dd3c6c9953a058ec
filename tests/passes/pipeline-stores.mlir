// RUN: tritcc -x ttgir '-passes=pipeline,canonicalize' %s | FileCheck %s
// Stores through descriptors in loops, and descriptors that loops make.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Two stores of equal tiles share a buffer, which is free again when all copies before have read it; a conversion
  // in front of the store is not needed.
  // CHECK-LABEL: @stores
  // CHECK: [[B:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_store %arg1, [[B]] : tensor<64x32xf32, #blocked>
  // CHECK-NEXT: ttng.fence_async_shared {bCluster = false}
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %arg0[%{{.*}}, %{{.*}}] [[B]]
  // CHECK: scf.if
  // CHECK-NEXT: ttng.async_tma_store_wait
  // CHECK: ttng.async_tma_reduce add, %arg0[%{{.*}}, %{{.*}}] [[B]]
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_dealloc [[B]]
  tt.func @stores(%d: !tt.tensordesc<64x32xf32, #shared>, %v: tensor<64x32xf32, #blocked>, %k: i1, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %w = ttg.convert_layout %v : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #other>
      tt.descriptor_store %d[%i, %c0], %w : !tt.tensordesc<64x32xf32, #shared>, tensor<64x32xf32, #other>
      scf.if %k {
        tt.descriptor_reduce add, %d[%i, %c1], %v : !tt.tensordesc<64x32xf32, #shared>, tensor<64x32xf32, #blocked>
      }
    } {tt.num_stages = 2 : i32}
    tt.return
  }

  // No layout for the buffer, or no stages: left alone.
  // CHECK-LABEL: @plain
  // CHECK: tt.descriptor_store
  // CHECK-LABEL: @one_stage
  // CHECK: tt.descriptor_store
  tt.func @plain(%d: !tt.tensordesc<64x32xf32>, %v: tensor<64x32xf32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tt.descriptor_store %d[%i, %c0], %v : !tt.tensordesc<64x32xf32>, tensor<64x32xf32, #blocked>
    }
    tt.return
  }
  tt.func @one_stage(%d: !tt.tensordesc<64x32xf32, #shared>, %v: tensor<64x32xf32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tt.descriptor_store %d[%i, %c0], %v : !tt.tensordesc<64x32xf32, #shared>, tensor<64x32xf32, #blocked>
    } {tt.num_stages = 1 : i32}
    tt.return
  }

  // The counter of places comes out of the conditional; sizes go fastest dimension first, strides in bytes.
  // CHECK-LABEL: @descriptor_in_branch
  // CHECK: [[ROOM:%.+]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
  // CHECK: scf.for {{.*}} iter_args({{.*}}, [[I:%[^ ]+]] = %c0_i32)
  // CHECK: scf.if
  // CHECK: [[OFF:%.+]] = arith.muli [[I]], %c128_i32
  // CHECK: [[P:%.+]] = tt.addptr [[ROOM]], [[OFF]]
  // CHECK: [[BYTES:%.+]] = arith.muli %{{.*}}, %c4_i64
  // CHECK: ttng.tensormap_create [[P]], %{{.*}}, [%c32_i32, %c64_i32], [%arg4, %arg3], {{\[}}[[BYTES]]], [%c1_i32, %c1_i32] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}
  // CHECK: ttng.tensormap_fenceproxy_acquire [[P]]
  // CHECK: [[D:%.+]] = ttng.reinterpret_tensor_descriptor [[P]]
  // CHECK: [[NEXT:%.+]] = arith.select
  // CHECK: scf.yield [[D]], [[NEXT]]
  // CHECK: } else {
  // CHECK: scf.yield %{{.*}}, [[I]]
  tt.func @descriptor_in_branch(%p: !tt.ptr<f32>, %v: tensor<64x32xf32, #blocked>, %k: i1, %m: i32, %n: i32, %s: i64, %first: !tt.tensordesc<64x32xf32, #shared>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%d = %first) -> (!tt.tensordesc<64x32xf32, #shared>) : i32 {
      %e = scf.if %k -> (!tt.tensordesc<64x32xf32, #shared>) {
        %x = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f32>, <64x32xf32, #shared>
        scf.yield %x : !tt.tensordesc<64x32xf32, #shared>
      } else {
        scf.yield %d : !tt.tensordesc<64x32xf32, #shared>
      }
      tt.descriptor_store %e[%i, %c0], %v : !tt.tensordesc<64x32xf32, #shared>, tensor<64x32xf32, #blocked>
      scf.yield %e : !tt.tensordesc<64x32xf32, #shared>
    }
    tt.return
  }
}
