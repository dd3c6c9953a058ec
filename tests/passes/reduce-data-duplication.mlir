// RUN: tritcc -x ttgir -passes=reduce-data-duplication %s | FileCheck %s
// positive: @through_shared @loop @grows
// negative: @in_registers @plain
// loop: @loop
// if: @loop

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#fma = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>

// CHECK-DAG: [[$SHARED:#.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @through_shared
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc %arg0 : (tensor<128x64xf16, #{{.+}}>) -> !ttg.memdesc<128x64xf16, [[$SHARED]], #smem>
  // CHECK-NEXT: ttg.local_load [[M]]
  tt.func public @through_shared(%x: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
    %o = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    tt.return %o : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  }

  // An accumulator that becomes an operand stays in its threads.
  // CHECK-LABEL: @in_registers
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.return
  tt.func public @in_registers(%x: tensor<128x64xf16, #mma>) -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
    %o = ttg.convert_layout %x : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    tt.return %o : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  }

  // Within a warp too, where an operand of multiply-adds holds all of K in each thread.
  // CHECK-LABEL: @grows
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc
  // CHECK-NEXT: ttg.local_load [[M]]
  tt.func public @grows(%x: tensor<128x32xf32, #rows>) -> tensor<128x32xf32, #ttg.dot_op<{opIdx = 0, parent = #fma}>> {
    %o = ttg.convert_layout %x : tensor<128x32xf32, #rows> -> tensor<128x32xf32, #ttg.dot_op<{opIdx = 0, parent = #fma}>>
    tt.return %o : tensor<128x32xf32, #ttg.dot_op<{opIdx = 0, parent = #fma}>>
  }

  // Only operands of products get buffers.
  // CHECK-LABEL: @plain
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NEXT: tt.return
  tt.func public @plain(%x: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #mma> {
    %o = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #mma>
    tt.return %o : tensor<128x64xf16, #mma>
  }

  // The buffer is made where the conversion was: in the loop, and there in the branch, whose value it holds.
  // CHECK-LABEL: @loop
  // CHECK-NOT: ttg.local_alloc
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK-NEXT: [[V:%.+]] = tt.load
  // CHECK-NEXT: [[M:%.+]] = ttg.local_alloc [[V]]
  // CHECK-NEXT: [[O:%.+]] = ttg.local_load [[M]]
  // CHECK-NEXT: scf.yield [[O]]
  tt.func public @loop(%p: tensor<128x64x!tt.ptr<f16>, #blocked>, %o: tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %n: i32, %k: i1) -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o) -> (tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>) : i32 {
      %s = scf.if %k -> (tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>) {
        %v = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
        %x = ttg.convert_layout %v : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
        scf.yield %x : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
      } else {
        scf.yield %a : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
      }
      scf.yield %s : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    }
    tt.return %r : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  }
}
