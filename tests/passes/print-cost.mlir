// RUN: tritcc -x ttgir -passes='print-cost{values=16 grid=1320x1}' %s 2>&1 >/dev/null | FileCheck %s
// RUN: tritcc -x ttgir -passes='print-cost{values=256 grid=1320x1}' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=MORE
// RUN: tritcc -x ttgir -passes='print-cost{values=0 grid=1320x1}' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE
// positive: @copy @loop @branch @groups
// negative: @helper
// loop: @loop
// if: @branch

// A part of what a launch takes is proportional to what it does: bytes, trips of loops, sides of branches that are
// known, and products; where it is one thing only, that part is the time.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // 1320 * 1024 * 4 bytes each way, at 4150 GB/s and a little.
  // CHECK: print-cost.mlir:[[#@LINE+2]]:{{.*}}remark: 3.{{.}} us for 1320 programs, 16 on a multiprocessor, {{[0-9]+}} registers: memory 3.{{.}}, cache
  // MORE: print-cost.mlir:[[#@LINE+1]]:{{.*}}remark: 3.{{.}} us for 1320 programs
  tt.func public @copy(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c1024 : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %first = tt.splat %start : i32 -> tensor<1024xi32, #blocked>
    %offs = arith.addi %first, %range : tensor<1024xi32, #blocked>
    %0 = tt.splat %from : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %1 = tt.addptr %0, %offs : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %x = tt.load %1 : tensor<1024x!tt.ptr<f32>, #blocked>
    %2 = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %3 = tt.addptr %2, %offs : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %3, %x : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Sixteen trips, and 256; all programs read the same.
  // CHECK: print-cost.mlir:[[#@LINE+2]]:{{.*}}remark: {{[0-9.]+}} us for 1320 programs, {{.*}}: exponentials 23.3,
  // MORE: print-cost.mlir:[[#@LINE+1]]:{{.*}}remark: {{[0-9.]+}} us for 1320 programs, {{.*}}: exponentials 373.4,
  tt.func public @loop(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %0 = tt.splat %from : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %1 = tt.addptr %0, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %x = tt.load %1 : tensor<1024x!tt.ptr<f32>, #blocked>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<1024xf32, #blocked>) : i32 {
      %a = math.exp2 %v : tensor<1024xf32, #blocked>
      %b = math.exp2 %a : tensor<1024xf32, #blocked>
      %c = math.exp2 %b : tensor<1024xf32, #blocked>
      %d = math.exp2 %c : tensor<1024xf32, #blocked>
      scf.yield %d : tensor<1024xf32, #blocked>
    }
    %2 = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %3 = tt.addptr %2, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %3, %y : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // The first side has a store of 4 KB, the other nothing.
  // CHECK: print-cost.mlir:[[#@LINE+2]]:{{.*}}remark: 0.5 us for 1320 programs, {{.*}}shared memory 0.4
  // NONE: print-cost.mlir:[[#@LINE+1]]:{{.*}}shared memory 0.0
  tt.func public @branch(%to: !tt.ptr<f32>, %limit: i32) {
    %c0 = arith.constant 0 : i32
    %cst = arith.constant dense<1.0> : tensor<1024xf32, #blocked>
    %is_wanted = arith.cmpi sgt, %limit, %c0 : i32
    scf.if %is_wanted {
      %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
      %0 = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
      %1 = tt.addptr %0, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
      tt.store %1, %cst : tensor<1024x!tt.ptr<f32>, #blocked>
    }
    tt.return
  }

  // 2 * 64 * 128 * 64 * n operations of 4096 a cycle, for 10 programs on each multiprocessor.
  // CHECK: print-cost.mlir:[[#@LINE+2]]:{{.*}}products 23.
  // MORE: print-cost.mlir:[[#@LINE+1]]:{{.*}}products 373.
  tt.func public @groups(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %cst = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %cst) -> (tensor<64x128xf32, #mma>) : i32 {
      %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x128xf16, #shared, #smem, mutable> -> tensor<64x128xf32, #mma>
      scf.yield %d : tensor<64x128xf32, #mma>
    }
    tt.return
  }

  tt.func private @helper(%x: i32) -> i32 {
    tt.return %x : i32
  }
}
