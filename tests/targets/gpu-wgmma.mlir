// RUN: tritcc -x ttgir -arch=sm_90a -passes=allocate-shared-memory,membar %s -o %t.ttgir && \
// RUN: tritcc -x ttgir -arch=sm_90a -emit=ptx=- %t.ttgir | FileCheck %s
// RUN: tritcc -x ttgir -arch=sm_90a -O0 -emit=llir=- %t.ttgir | FileCheck %s --check-prefix=WORDS
// RUN: not tritcc -x ttgir -arch=sm_90 -emit=ptx=- %t.ttgir 2>&1 | FileCheck %s --check-prefix=NONE

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Stored operands are fenced by their writers before the barrier; A goes along K, B across it. Four steps along K:
  // 32 bytes of A's rows, 16 rows of B (2048 bytes, 128 in units of 16), all in one piece of text. A sum that starts at zero is not read. One fence does for
  // both operands.
  // CHECK-LABEL: .entry product(
  // CHECK: st.shared
  // CHECK: fence.proxy.async.shared::cta;
  // CHECK-NOT: fence.proxy
  // CHECK: bar.sync
  // CHECK: wgmma.fence.sync.aligned;
  // CHECK: add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, 65538;
  // CHECK: or.b64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 4611686293305294848;
  // CHECK: add.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 4611686293305360512;
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {[[ACC:.*]]}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1, 0, 1;
  // CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {[[ACC]]}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
  // CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {[[ACC]]}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
  // CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {[[ACC]]}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
  // CHECK-NOT: wgmma.mma_async
  // CHECK: wgmma.commit_group.sync.aligned;
  // CHECK: wgmma.wait_group.sync.aligned 0;
  // NONE: error: {{.*}}this architecture has no products of warp groups; sm_90a has them
  tt.func public @product(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #blocked>
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %s, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // A in registers, and a condition instead of a cleared accumulator; the wait holds the results back.
  // CHECK-LABEL: .entry registers(
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, %p{{[0-9]+}}, 1, 1, 1;
  // CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 1;
  // CHECK: wgmma.commit_group
  // CHECK: wgmma.wait_group.sync.aligned 0;
  // CHECK: st.global
  tt.func public @registers(%p: !tt.ptr<f16>, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: i32) {
    %n = arith.constant 7 : i32
    %use = arith.cmpi sgt, %c, %n : i32
    %old = arith.constant dense<2.0> : tensor<64x64xf32, #mma>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #blocked>
    %h = tt.load %p : !tt.ptr<f16>
    %a = tt.splat %h : f16 -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %old, %use {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %s, %w : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // An operand of 16 bits that goes around a loop and out of a branch does so in the words that the products read.
  // WORDS-LABEL: define ptx_kernel void @around(
  // WORDS-NOT: phi half
  // WORDS-COUNT-32: phi i32
  // WORDS-NOT: phi half
  // WORDS: ret void
  tt.func public @around(%p: !tt.ptr<f16>, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: i32, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %is_odd = arith.cmpi sgt, %c, %one : i32
    %old = arith.constant dense<2.0> : tensor<64x64xf32, #mma>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #blocked>
    %h = tt.load %p : !tt.ptr<f16>
    %a = tt.splat %h : f16 -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %chosen = scf.if %is_odd -> (tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>) {
      %twice = arith.addf %a, %a : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
      scf.yield %twice : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    } else {
      scf.yield %a : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    }
    %all:2 = scf.for %i = %zero to %n step %one iter_args(%sum = %old, %left = %chosen) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>) : i32 {
      %d = ttng.warp_group_dot %left, %b, %sum {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
      %next = arith.mulf %left, %left : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
      scf.yield %w, %next : tensor<64x64xf32, #mma>, tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    }
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %s, %all#0 : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
