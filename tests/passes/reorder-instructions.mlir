// RUN: tritcc -x ttgir -passes=reorder-instructions %s | FileCheck %s
// positive: @into_loop @fill_early @order_of_operands @no_room @behind_the_end
// negative: @written @room
// loop: @into_loop @written @room @no_room

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // The read moves into the loop of its only user.
  // CHECK-LABEL: @into_loop
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func public @into_loop(%m: !ttg.memdesc<64x64xf16, #shared, #smem>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Not across a write to the buffer.
  // CHECK-LABEL: @written
  // CHECK: ttg.local_load
  // CHECK: scf.for
  tt.func public @written(%m: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %v: tensor<64x64xf16, #blocked>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      ttg.local_store %v, %m : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A buffer is filled as soon as its contents are there.
  // CHECK-LABEL: @fill_early
  // CHECK: [[X:%.+]] = arith.addf
  // CHECK-NEXT: ttg.local_alloc [[X]]
  // CHECK-NEXT: arith.mulf
  tt.func public @fill_early(%x: tensor<64x64xf16, #blocked>) -> (!ttg.memdesc<64x64xf16, #shared, #smem>, tensor<64x64xf16, #blocked>) {
    %s = arith.addf %x, %x : tensor<64x64xf16, #blocked>
    %p = arith.mulf %x, %x : tensor<64x64xf16, #blocked>
    %m = ttg.local_alloc %s : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return %m, %p : !ttg.memdesc<64x64xf16, #shared, #smem>, tensor<64x64xf16, #blocked>
  }

  // The second operand is read behind the first.
  // CHECK-LABEL: @order_of_operands
  // CHECK-NEXT: ttg.local_load %arg0 {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
  // CHECK-NEXT: ttg.local_load %arg1
  // CHECK-NEXT: tt.dot
  tt.func public @order_of_operands(%m: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %y = ttg.local_load %k : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #b>
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #a>
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // A fixed operand stays in front of the loop as long as registers last ...
  // CHECK-LABEL: @room
  // CHECK: ttg.local_load
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.yield
  tt.func public @room(%x: tensor<64x64xf16, #blocked>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      ttg.barrier local
      %d = tt.dot %a, %y, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // ... and is read in each of its loops where they do not: 128 for the sum, 64 for each operand.
  // CHECK-LABEL: @no_room
  // CHECK: ttg.local_alloc
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.dot
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK-NEXT: tt.dot
  tt.func public @no_room(%x: tensor<128x128xf16, #blocked>, %y: tensor<128x128xf16, #b>, %c: tensor<128x128xf32, #mma>, %n: i32) -> tensor<128x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc %x : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %a = ttg.local_load %m : !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<128x128xf32, #mma>) : i32 {
      ttg.barrier local
      %d = tt.dot %a, %y, %acc : tensor<128x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %r) -> (tensor<128x128xf32, #mma>) : i32 {
      ttg.barrier local
      %d = tt.dot %a, %y, %acc : tensor<128x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %s : tensor<128x128xf32, #mma>
  }

  // Not in front of the end of another buffer: one takes the other's memory.
  // CHECK-LABEL: @behind_the_end
  // CHECK: ttg.local_dealloc
  // CHECK-NEXT: ttg.local_alloc %
  // CHECK-NEXT: arith.addf
  tt.func public @behind_the_end(%x: tensor<128x128xf16, #blocked>) -> tensor<128x128xf16, #blocked> {
    %ring = ttg.local_alloc : () -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %s = arith.mulf %x, %x : tensor<128x128xf16, #blocked>
    ttg.local_dealloc %ring : !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %t = arith.addf %x, %x : tensor<128x128xf16, #blocked>
    %m = ttg.local_alloc %s : (tensor<128x128xf16, #blocked>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
    %l = ttg.local_load %m : !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf16, #blocked>
    %r = arith.addf %l, %t : tensor<128x128xf16, #blocked>
    tt.return %r : tensor<128x128xf16, #blocked>
  }
}
