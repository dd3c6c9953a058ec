// RUN: tritcc -x ttgir -passes=annotate-cache-control %s | FileCheck %s
// positive: @streams @loop_streams @shared @branch
// negative: @written @added @given @held @lanes @alone @large @somewhere @counted
// loop: @loop_streams @shared @held
// if: @branch

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @streams
  // CHECK: tt.load {{.*}} cacheModifier = cg
  tt.func public @streams(%p: tensor<256x!tt.ptr<f32>, #line>, %q: tensor<256x!tt.ptr<f32>, #line>) {
    %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
    tt.store %q, %v : tensor<256x!tt.ptr<f32>, #line>
    tt.return
  }
  // What is carried moves by a block and more.
  // CHECK-LABEL: @loop_streams
  // CHECK: tt.load {{.*}} cacheModifier = cg
  tt.func public @loop_streams(%p: tensor<256x!tt.ptr<f32>, #line>, %x: tensor<256xf32, #line>, %n: i32) -> tensor<256xf32, #line> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<256> : tensor<256xi32, #line>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %q = %p) -> (tensor<256xf32, #line>, tensor<256x!tt.ptr<f32>, #line>) : i32 {
      %v = tt.load %q : tensor<256x!tt.ptr<f32>, #line>
      %t = arith.addf %s, %v : tensor<256xf32, #line>
      %next = tt.addptr %q, %step : tensor<256x!tt.ptr<f32>, #line>, tensor<256xi32, #line>
      scf.yield %t, %next : tensor<256xf32, #line>, tensor<256x!tt.ptr<f32>, #line>
    }
    tt.return %r#0 : tensor<256xf32, #line>
  }
  // B is the same for all four sub-groups, A for none.
  // CHECK-LABEL: @shared
  // CHECK: tt.load %arg0 : tensor
  // CHECK: tt.load %arg1 evictionPolicy = evict_last
  tt.func public @shared(%p: tensor<32x32x!tt.ptr<f16>, #a>, %q: tensor<32x32x!tt.ptr<f16>, #b>, %x: tensor<32x32xf32, #dpas>, %n: i32) -> tensor<32x32xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<32x32xf32, #dpas>) : i32 {
      %a = tt.load %p : tensor<32x32x!tt.ptr<f16>, #a>
      %b = tt.load %q : tensor<32x32x!tt.ptr<f16>, #b>
      %d = tt.dot %a, %b, %s : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #dpas>
      scf.yield %d : tensor<32x32xf32, #dpas>
    }
    tt.return %r : tensor<32x32xf32, #dpas>
  }
  // CHECK-LABEL: @branch
  // CHECK: scf.if
  // CHECK: tt.load {{.*}} cacheModifier = cg
  tt.func public @branch(%p: tensor<256x!tt.ptr<f32>, #line>, %x: tensor<256xf32, #line>, %c: i1) -> tensor<256xf32, #line> {
    %r = scf.if %c -> (tensor<256xf32, #line>) {
      %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
      scf.yield %v : tensor<256xf32, #line>
    } else {
      scf.yield %x : tensor<256xf32, #line>
    }
    tt.return %r : tensor<256xf32, #line>
  }
  // The function writes what it reads.
  tt.func public @written(%p: tensor<256x!tt.ptr<f32>, #line>, %x: tensor<256xf32, #line>) -> tensor<256xf32, #line> {
    %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
    tt.store %p, %x : tensor<256x!tt.ptr<f32>, #line>
    tt.return %v : tensor<256xf32, #line>
  }
  // ... adds what it reads to that, through a loop.
  tt.func public @added(%p: tensor<256x!tt.ptr<f32>, #line>, %q: tensor<256x!tt.ptr<f32>, #line>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
    %w = tt.load %q : tensor<256x!tt.ptr<f32>, #line>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %v) -> (tensor<256xf32, #line>) : i32 {
      %t = arith.addf %s, %w : tensor<256xf32, #line>
      scf.yield %t : tensor<256xf32, #line>
    }
    tt.store %q, %r : tensor<256x!tt.ptr<f32>, #line>
    tt.return
  }
  tt.func public @given(%p: tensor<256x!tt.ptr<f32>, #line>) -> (tensor<256xf32, #line>, tensor<256xf32, #line>) {
    %v = tt.load %p cacheModifier = ca : tensor<256x!tt.ptr<f32>, #line>
    %w = tt.load %p evictionPolicy = evict_first : tensor<256x!tt.ptr<f32>, #line>
    tt.return %v, %w : tensor<256xf32, #line>, tensor<256xf32, #line>
  }
  // Each iteration reads the same, no two sub-groups do.
  tt.func public @held(%p: tensor<256x!tt.ptr<f32>, #line>, %x: tensor<256xf32, #line>, %n: i32) -> tensor<256xf32, #line> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<256xf32, #line>) : i32 {
      %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
      %t = arith.addf %s, %v : tensor<256xf32, #line>
      scf.yield %t : tensor<256xf32, #line>
    }
    tt.return %r : tensor<256xf32, #line>
  }
  // Lanes read the same element.
  tt.func public @lanes(%p: tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
    %v = tt.load %p : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return %v : tensor<16xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  // No loop reads it again.
  tt.func public @alone(%q: tensor<32x32x!tt.ptr<f16>, #b>) -> tensor<32x32xf16, #b> {
    %b = tt.load %q : tensor<32x32x!tt.ptr<f16>, #b>
    tt.return %b : tensor<32x32xf16, #b>
  }
  tt.func public @large(%q: tensor<256x128x!tt.ptr<f16>, #b>, %x: tensor<256x128xf16, #b>, %n: i32) -> tensor<256x128xf16, #b> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<256x128xf16, #b>) : i32 {
      %v = tt.load %q : tensor<256x128x!tt.ptr<f16>, #b>
      %t = arith.addf %s, %v : tensor<256x128xf16, #b>
      scf.yield %t : tensor<256x128xf16, #b>
    }
    tt.return %r : tensor<256x128xf16, #b>
  }
  // It may be any array that is written.
  tt.func public @somewhere(%p: tensor<256x!tt.ptr<f32>, #line>, %q: tensor<256x!tt.ptr<f32>, #line>, %o: tensor<256x!tt.ptr<f32>, #line>, %c: i1) {
    %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
    %to = arith.select %c, %q, %o : tensor<256x!tt.ptr<f32>, #line>
    tt.store %to, %v : tensor<256x!tt.ptr<f32>, #line>
    tt.return
  }
  tt.func public @counted(%p: tensor<256x!tt.ptr<f32>, #line>, %lock: !tt.ptr<i32>) -> tensor<256xf32, #line> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = tt.load %p : tensor<256x!tt.ptr<f32>, #line>
    %o = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    tt.return %v : tensor<256xf32, #line>
  }
}
