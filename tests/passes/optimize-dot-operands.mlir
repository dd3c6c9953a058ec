// RUN: tritcc -x ttgir -passes=optimize-dot-operands %s | FileCheck %s
// positive: @transposed @used_twice @buffer @loop
// negative: @buffer_used_twice @one_branch
// loop: @loop
// if: @one_branch

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// CHECK-DAG: [[$ROWS:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: [[$COLUMNS:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @transposed
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc %arg0 : (tensor<128x64xf16, #{{.+}}>) -> !ttg.memdesc<128x64xf16, [[$ROWS]], #smem>
  // CHECK-NEXT: [[V:%.+]] = ttg.memdesc_trans [[M]] {order = array<i32: 1, 0>} {{.*}} -> !ttg.memdesc<64x128xf16, [[$COLUMNS]], #smem>
  // CHECK-NEXT: ttg.local_load [[V]]
  tt.func public @transposed(%x: tensor<128x64xf16, #row>) -> tensor<64x128xf16, #b> {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
    %o = ttg.convert_layout %t : tensor<64x128xf16, #column> -> tensor<64x128xf16, #b>
    tt.return %o : tensor<64x128xf16, #b>
  }

  // The transposed value is needed itself, too.
  // CHECK-LABEL: @used_twice
  // CHECK-DAG: [[T:%.+]] = tt.trans
  // CHECK-DAG: [[M:%.+]] = ttg.local_alloc %arg0
  // CHECK: [[V:%.+]] = ttg.memdesc_trans [[M]]
  // CHECK: [[O:%.+]] = ttg.local_load [[V]]
  // CHECK: tt.return [[O]], [[T]]
  tt.func public @used_twice(%x: tensor<128x64xf16, #row>) -> (tensor<64x128xf16, #b>, tensor<64x128xf16, #column>) {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
    %o = ttg.convert_layout %t : tensor<64x128xf16, #column> -> tensor<64x128xf16, #b>
    tt.return %o, %t : tensor<64x128xf16, #b>, tensor<64x128xf16, #column>
  }

  // Products that read shared memory take the buffer turned round; nothing else may read it.
  // CHECK-LABEL: @buffer
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc %arg0 : (tensor<128x64xf16, #{{.+}}>) -> !ttg.memdesc<128x64xf16, [[$TURNED:#.+]], #smem>
  // CHECK-NEXT: [[V:%.+]] = ttg.memdesc_trans [[M]] {order = array<i32: 1, 0>}
  // CHECK-NEXT: ttng.warp_group_dot %arg1, [[V]], %arg2
  // CHECK-LABEL: @buffer_used_twice
  // CHECK: tt.trans
  // CHECK-NOT: ttg.memdesc_trans
  // CHECK: tt.return
  tt.func public @buffer(%x: tensor<128x64xf16, #row>, %a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %c: tensor<64x128xf32, #mma3>) -> tensor<64x128xf32, #mma3> {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
    %b = ttg.local_alloc %t : (tensor<64x128xf16, #column>) -> !ttg.memdesc<64x128xf16, #turned, #smem>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x128xf16, #turned, #smem> -> tensor<64x128xf32, #mma3>
    tt.return %d : tensor<64x128xf32, #mma3>
  }
  tt.func public @buffer_used_twice(%x: tensor<128x64xf16, #row>, %a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %c: tensor<64x128xf32, #mma3>) -> (tensor<64x128xf32, #mma3>, !ttg.memdesc<64x128xf16, #turned, #smem>) {
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
    %b = ttg.local_alloc %t : (tensor<64x128xf16, #column>) -> !ttg.memdesc<64x128xf16, #turned, #smem>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x128xf16, #turned, #smem> -> tensor<64x128xf32, #mma3>
    tt.return %d, %b : tensor<64x128xf32, #mma3>, !ttg.memdesc<64x128xf16, #turned, #smem>
  }

  // In a loop the buffer is filled in each iteration, in front of the product.
  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK-NEXT: [[V:%.+]] = tt.load
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc [[V]]
  // CHECK-NEXT: [[T:%.+]] = ttg.memdesc_trans [[M]]
  // CHECK-NEXT: [[O:%.+]] = ttg.local_load [[T]]
  // CHECK-NEXT: tt.dot %{{.*}}, [[O]]
  tt.func public @loop(%p: tensor<128x64x!tt.ptr<f16>, #row>, %a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %c: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x128xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #row>
      %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf16, #row> -> tensor<64x128xf16, #column>
      %o = ttg.convert_layout %t : tensor<64x128xf16, #column> -> tensor<64x128xf16, #b>
      %d = tt.dot %a, %o, %acc : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return %r : tensor<64x128xf32, #mma>
  }

  // The branch that does not transpose keeps the conditional's result in registers.
  // CHECK-LABEL: @one_branch
  // CHECK: scf.if
  // CHECK: tt.trans
  // CHECK-NOT: ttg.memdesc_trans
  // CHECK: tt.return
  tt.func public @one_branch(%x: tensor<64x64xf16, #row>, %y: tensor<64x64xf16, #column>, %k: i1) -> tensor<64x64xf16, #b> {
    %s = scf.if %k -> (tensor<64x64xf16, #column>) {
      %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #row> -> tensor<64x64xf16, #column>
      scf.yield %t : tensor<64x64xf16, #column>
    } else {
      scf.yield %y : tensor<64x64xf16, #column>
    }
    %o = ttg.convert_layout %s : tensor<64x64xf16, #column> -> tensor<64x64xf16, #b>
    tt.return %o : tensor<64x64xf16, #b>
  }
}
