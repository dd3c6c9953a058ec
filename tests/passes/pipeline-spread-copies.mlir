// RUN: tritcc -x ttgir '-passes=pipeline-lower-loop,remove-layout-conversions,canonicalize,cse' %s | FileCheck %s
// positive: @rows @carried
// negative: @indirect @blocked
// loop: @rows @carried @indirect @blocked

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#row = #ttg.slice<{dim = 0, parent = #mma}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Sixteen threads copy 16 bytes each; what reads the buffer does so in its own layout.
  // CHECK: [[$LINE:#.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
  // CHECK-LABEL: @rows
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.async_copy_global_to_local {{.*}} {contiguity = 4 : i32{{.*}} : tensor<64x!tt.ptr<f32>, [[$LINE]]>
  // CHECK: ttg.local_load {{.*}} -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
  tt.func @rows(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: tensor<64x!tt.ptr<f32>, #row>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %offs = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %n64 = arith.muli %n, %c64 : i32
    scf.for %i = %c0 to %n64 step %c64 : i32 {
      %is = tt.splat %i {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32 -> tensor<64xi32, #row>
      %at = arith.addi %is, %offs {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64xi32, #row>
      %p = tt.addptr %bases, %at {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      %v = tt.load %p {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x!tt.ptr<f32>, #row>
      tt.store %out, %v {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<64x!tt.ptr<f32>, #row>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return
  }

  // Pointers that the loop carries are carried in the new layout.
  // CHECK-LABEL: @carried
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.async_copy_global_to_local {{.*}} mask {{.*}} {contiguity = 4 : i32{{.*}} : tensor<64x!tt.ptr<f32>, [[$LINE]]>
  tt.func @carried(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: tensor<64x!tt.ptr<f32>, #row>, %n: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %step = arith.constant dense<64> : tensor<64xi32, #row>
    %offs = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %first = tt.addptr %bases, %offs : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%p = %first) -> (tensor<64x!tt.ptr<f32>, #row>) : i32 {
      %is = tt.splat %i {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32 -> tensor<64xi32, #row>
      %at = arith.addi %is, %offs {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64xi32, #row>
      %ns = tt.splat %n {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32 -> tensor<64xi32, #row>
      %m = arith.cmpi slt, %at, %ns {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64xi32, #row>
      %v = tt.load %p, %m {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x!tt.ptr<f32>, #row>
      %next = tt.addptr %p, %step {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
      tt.store %out, %v {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<64x!tt.ptr<f32>, #row>
      scf.yield %next : tensor<64x!tt.ptr<f32>, #row>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return
  }

  // Addresses that are data stay where they are: they would have to travel between threads.
  // CHECK-LABEL: @indirect
  // CHECK: ttg.async_copy_global_to_local {{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice
  tt.func @indirect(%base: tensor<64x!tt.ptr<f32>, #row> {tt.divisibility = dense<16> : tensor<1xi32>, tt.contiguity = dense<64> : tensor<1xi32>}, %out: tensor<64x!tt.ptr<f32>, #row>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %base {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<64x!tt.ptr<f32>, #row>
      tt.store %out, %v {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<64x!tt.ptr<f32>, #row>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return
  }

  // A layout that copies each element once, in the widest pieces, is as good.
  // CHECK-LABEL: @blocked
  // CHECK: ttg.async_copy_global_to_local {{.*}} : tensor<512x!tt.ptr<f32>, [[$LINE]]>
  tt.func @blocked(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: tensor<512x!tt.ptr<f32>, #line>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %offs = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #line>
    %bases = tt.splat %base : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
    %p = tt.addptr %bases, %offs : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = tt.load %p {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #line>
      tt.store %out, %v {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512x!tt.ptr<f32>, #line>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return
  }
}
