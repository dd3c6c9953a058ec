// RUN: tritcc -x ttgir -passes=tma-lowering %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=tma-lowering{wait-in-consumers=1}' %s | FileCheck %s --check-prefix=LATE
// RUN: tritcc -x ttgir '-passes=tma-lowering{stores-together=49152}' %s | FileCheck %s --check-prefix=BOTH
// positive: @load @store @make @consumers @read_before @rows @two @behind @large
// negative: @plain @pointers
// loop: @store @pointers

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#offsets = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @load
  // CHECK: [[BUFFER:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16
  // CHECK: [[BAR:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
  // CHECK: ttng.init_barrier [[BAR]], 1
  // CHECK: ttng.barrier_expect [[BAR]], 16384, %true
  // CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg1, %arg1] [[BUFFER]], [[BAR]], %true
  // CHECK: ttng.wait_barrier [[BAR]], %c0_i32
  // CHECK: ttng.inval_barrier [[BAR]]
  // CHECK: [[V:%.+]] = ttg.local_load [[BUFFER]]
  // CHECK: tt.return [[V]]
  tt.func public @load(%d: !tt.tensordesc<128x64xf16, #shared>, %i: i32) -> tensor<128x64xf16, #blocked> {
    %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // CHECK-LABEL: @store
  // CHECK: scf.for
  // CHECK: [[BUFFER:%.+]] = ttg.local_alloc %arg1
  // CHECK-NEXT: ttng.fence_async_shared {bCluster = false}
  // CHECK-NEXT: ttng.async_tma_copy_local_to_global %arg0[%{{.*}}, %arg2] [[BUFFER]]
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.func public @store(%d: !tt.tensordesc<128x64xf16, #shared>, %v: tensor<128x64xf16, #blocked>, %n: i32) {
    scf.for %i = %n to %n step %n : i32 {
      tt.descriptor_store %d[%i, %n], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
    }
    tt.return
  }
  // Sizes and strides fastest dimension first, strides in bytes.
  // CHECK-LABEL: @make
  // CHECK: [[ROOM:%.+]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32}
  // CHECK: [[BYTES:%.+]] = arith.muli %arg3, %c2_i64
  // CHECK: ttng.tensormap_create [[ROOM]], %arg0, [%c64_i32, %c128_i32], [%arg2, %arg1], {{\[}}[[BYTES]]], [%c1_i32, %c1_i32]
  // CHECK-SAME: elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32
  // CHECK: ttng.tensormap_fenceproxy_acquire [[ROOM]]
  // CHECK: [[D:%.+]] = ttng.reinterpret_tensor_descriptor [[ROOM]]
  // CHECK: ttng.async_tma_copy_global_to_local [[D]]
  tt.func public @make(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64) -> tensor<128x64xf16, #blocked> {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f16>, <128x64xf16, #shared>
    %v = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // Without a layout there is no buffer to copy to.
  // CHECK-LABEL: @plain
  // CHECK: tt.descriptor_load
  tt.func public @plain(%d: !tt.tensordesc<128x64xf16>, %i: i32) -> tensor<128x64xf16, #blocked> {
    %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // CHECK-LABEL: @pointers
  // CHECK: tt.load
  tt.func public @pointers(%p: tensor<128x64x!tt.ptr<f16>, #blocked>, %n: i32) {
    scf.for %i = %n to %n step %n : i32 {
      %v = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
      tt.store %p, %v : tensor<128x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
  // The copy's buffer is the product's operand, and only the consumers wait for it: the producer starts meanwhile.
  // LATE-LABEL: @consumers
  // LATE: [[BUFFER:%.+]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16
  // LATE: ttng.async_tma_copy_global_to_local %arg0[%arg1, %arg1] [[BUFFER]]
  // LATE-NOT: ttng.wait_barrier
  // LATE: default {
  // LATE-NEXT: ttng.wait_barrier
  // LATE-NEXT: ttng.inval_barrier
  // LATE: ttg.local_load [[BUFFER]]
  tt.func public @consumers(%d: !tt.tensordesc<128x64xf16, #shared>, %i: i32, %p: tensor<128x64x!tt.ptr<f16>, #blocked>) {
    %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    %b = ttg.local_alloc %v : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    ttg.warp_specialize()
    default {
      %w = ttg.local_load %b : !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<128x64xf16, #blocked>
      tt.store %p, %w : tensor<128x64x!tt.ptr<f16>, #blocked>
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  // What is read in front of the regions is waited for there.
  // LATE-LABEL: @read_before
  // LATE: ttng.wait_barrier
  // LATE: ttg.local_load
  // LATE: default {
  // LATE-NOT: ttng.wait_barrier
  tt.func public @read_before(%d: !tt.tensordesc<128x64xf16, #shared>, %i: i32, %p: tensor<128x64x!tt.ptr<f16>, #blocked>) {
    %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16, #shared> -> tensor<128x64xf16, #blocked>
    ttg.warp_specialize()
    default {
      tt.store %p, %v : tensor<128x64x!tt.ptr<f16>, #blocked>
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }

  // Row indices get the layout that the copies take.
  // CHECK-LABEL: @rows
  // LATE-LABEL: @rows
  // CHECK: [[ROWS:%.+]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<128xi32, #ttg.slice<{dim = 0, parent = #{{.*}}}>>
  // CHECK: ttng.async_tma_gather %arg0{{\[}}[[ROWS]], %arg2]
  // CHECK: [[AGAIN:%.+]] = ttg.convert_layout %arg1
  // CHECK: ttng.async_tma_scatter %arg0{{\[}}[[AGAIN]], %arg2]
  tt.func @rows(%d: !tt.tensordesc<1x64xf16, #shared>, %o: tensor<128xi32, #offsets>, %i: i32) {
    %x = tt.descriptor_gather %d[%o, %i] : (!tt.tensordesc<1x64xf16, #shared>, tensor<128xi32, #offsets>, i32) -> tensor<128x64xf16, #blocked>
    tt.descriptor_scatter %d[%o, %i], %x : !tt.tensordesc<1x64xf16, #shared>, tensor<128xi32, #offsets>, i32, tensor<128x64xf16, #blocked>
    tt.return
  }

  // Two blocks with only arithmetic between are copied together, and waited for once.
  // CHECK-LABEL: @two
  // LATE-LABEL: @two
  // BOTH-LABEL: @two
  // BOTH: [[A:%.+]] = ttg.local_alloc %arg1
  // BOTH-NEXT: arith.addf
  // BOTH-NEXT: [[B:%.+]] = ttg.local_alloc
  // BOTH-NEXT: ttng.fence_async_shared
  // BOTH-NEXT: ttng.async_tma_copy_local_to_global %arg0[%arg2, %arg2] [[A]]
  // BOTH-NEXT: ttng.async_tma_copy_local_to_global %arg0[%arg3, %arg3] [[B]]
  // BOTH-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
  // BOTH-NEXT: tt.return
  tt.func public @two(%d: !tt.tensordesc<128x64xf16, #shared>, %v: tensor<128x64xf16, #blocked>, %i: i32, %j: i32) {
    tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
    %w = arith.addf %v, %v : tensor<128x64xf16, #blocked>
    tt.descriptor_store %d[%j, %j], %w : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
    tt.return
  }
  // There is no room for both.
  // CHECK-LABEL: @large
  // LATE-LABEL: @large
  // BOTH-LABEL: @large
  // BOTH: ttng.async_tma_store_wait
  // BOTH: ttg.local_alloc
  // BOTH: ttng.async_tma_store_wait
  tt.func public @large(%d: !tt.tensordesc<128x64xf16, #shared>, %v: tensor<128x64xf16, #blocked>, %i: i32, %m: tensor<64x1024x!tt.ptr<f16>, #blocked>) {
    %k = tt.load %m : tensor<64x1024x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %k : (tensor<64x1024xf16, #blocked>) -> !ttg.memdesc<64x1024xf16, #shared, #smem>
    tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
    tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
    %l = ttg.local_load %b : !ttg.memdesc<64x1024xf16, #shared, #smem> -> tensor<64x1024xf16, #blocked>
    tt.store %m, %l : tensor<64x1024x!tt.ptr<f16>, #blocked>
    tt.return
  }
  // Consumers copy between their loops what they start behind the last one.
  // CHECK-LABEL: @behind
  // LATE-LABEL: @behind
  // BOTH-LABEL: @behind
  // BOTH: default {
  // BOTH-NEXT: [[A:%.+]] = ttg.local_alloc %arg1
  // BOTH-NEXT: ttng.fence_async_shared
  // BOTH-NEXT: scf.for
  // BOTH: }
  // BOTH-NEXT: ttng.async_tma_copy_local_to_global %arg0[%arg2, %arg2] [[A]]
  // BOTH-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
  // BOTH-NEXT: ttg.warp_yield
  tt.func public @behind(%d: !tt.tensordesc<128x64xf16, #shared>, %v: tensor<128x64xf16, #blocked>, %i: i32) -> i32 {
    %r = ttg.warp_specialize()
    default {
      tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<128x64xf16, #shared>, tensor<128x64xf16, #blocked>
      %s = scf.for %k = %i to %i step %i iter_args(%t = %i) -> (i32) : i32 {
        %u = arith.addi %t, %k : i32
        scf.yield %u : i32
      }
      ttg.warp_yield %s : i32
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> i32
    tt.return %r : i32
  }
}
