// RUN: tritcc -x ttgir -passes=print-allocation %s 2>&1 >/dev/null | FileCheck %s
// RUN: tritcc -print-allocation=partition-size=65536 %s -o %t 2>&1 | FileCheck %s --check-prefix=APART
// RUN: FileCheck %s --check-prefix=ATTR <%t
// positive: @kernel @loop @parted
// negative: @nothing
// loop: @loop
// if: @loop

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#parted = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #shared}>
#padded = #ttg.partitioned_shared<{numPartitions = 4, numGroups = 1, partitionDim = 1, partitionLayout = #ttg.padded_shared<[256:+8] {order = [1, 0], shape = [64, 8]}>}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: remark: kernel
  // CHECK: remark: size = 8192
  // CHECK: remark: offset = 0, size = 4096
  // CHECK: remark: scratch offset = 4096, size = 4096
  tt.func public @kernel(%x: tensor<64x32xf16, #rows>) {
    %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
    %y = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #columns>
    %z = ttg.local_load %a : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #rows>
    tt.return
  }

  // CHECK: remark: nothing
  // CHECK: remark: size = 0
  // CHECK-NOT: offset
  tt.func public @nothing(%x: f32) {
    tt.return
  }

  // A buffer that lives around the loop, and those of two branches, which share a place.
  // CHECK: remark: loop
  // CHECK: remark: size = 8192
  // CHECK: remark: offset = 0, size = 4096
  // CHECK: remark: offset = 4096, size = 4096
  // CHECK: remark: offset = 4096, size = 4096
  tt.func public @loop(%x: tensor<64x32xf16, #rows>, %n: i32, %k: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %y = ttg.local_load %a : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #rows>
      scf.if %k {
        %b = ttg.local_alloc %y : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
        %z = ttg.local_load %b : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #rows>
      } else {
        %b = ttg.local_alloc %y : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
        %z = ttg.local_load %b : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #rows>
      }
    }
    tt.return
  }

  // A buffer whose pieces are dealt out to partitions of the memory: each partition's share is a buffer of its own.
  // CHECK: remark: parted
  // CHECK: remark: size = 8316
  // CHECK: remark: offset = 0, size = 2048
  // CHECK: remark: offset = 2048, size = 2048
  // CHECK: remark: offset = 4096, size = 1052
  // CHECK: remark: offset = 5152, size = 1052
  // APART: remark: parted
  // APART: remark: offset = 0, size = 2048
  // APART: remark: offset = 65536, size = 2048
  // APART: remark: offset = 2048, size = 1052
  // APART: remark: offset = 67584, size = 1052
  // APART: remark: offset = 131072, size = 1052
  // APART: remark: offset = 196608, size = 1052
  // ATTR: ttg.local_alloc {allocation.offset = [0 : i32, 65536 : i32]}
  tt.func public @parted(%x: tensor<64x32xf16, #rows>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #parted, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #padded, #smem, mutable>
    ttg.local_dealloc %a : !ttg.memdesc<64x32xf16, #parted, #smem, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<64x32xf16, #padded, #smem, mutable>
    tt.return
  }
}
