// RUN: tritcc -x ttgir -passes=convert-buffer-ops %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=convert-buffer-ops{analyze-small-tensor-ofst=true}' %s | FileCheck --check-prefix=RANGE %s
// positive: @promised @in_range @wide @updates @loop @branch
// negative: @unknown @may_be_negative @too_far @other_updates
// loop: @loop
// if: @branch

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @promised
  // CHECK: amdg.buffer_load %arg0[%arg1] cacheModifier = cs : tensor<256xf32
  // RANGE-LABEL: @promised
  // RANGE: tt.load
  tt.func public @promised(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>) -> tensor<256xf32, #l> {
    %true = arith.constant dense<true> : tensor<256xi1, #l>
    %zero = arith.constant dense<0.0> : tensor<256xf32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q, %true, %zero cacheModifier = cs : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // program 0 to 65535, 1024 elements of 4 bytes each
  // CHECK-LABEL: @in_range
  // CHECK: amdg.buffer_store %arg1, %arg0[%{{.+}}], %arg2 {contiguity = 4 : i32}
  tt.func public @in_range(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: tensor<256xf32, #l>, %m: tensor<256xi1, #l> {tt.constancy = dense<16> : tensor<1xi32>}) {
    %most = arith.constant 65536 : i32
    %size = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %fits = arith.cmpi slt, %pid, %most : i32
    llvm.intr.assume %fits : i1
    %first = arith.muli %pid, %size : i32
    %f = tt.splat %first : i32 -> tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %o = arith.addi %f, %r : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    tt.store %q, %x, %m : tensor<256x!tt.ptr<f32>, #l>
    tt.return
  }

  // CHECK-LABEL: @wide
  // CHECK: [[O:%.+]] = arith.trunci %{{.+}} : tensor<256xi64, #{{.+}}> to tensor<256xi32, #{{.+}}>
  // CHECK: amdg.buffer_load %arg0{{\[}}[[O]]]
  tt.func public @wide(%p: !tt.ptr<f32>, %n: i32) -> tensor<256xf32, #l> {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = arith.extsi %r : tensor<256xi32, #l> to tensor<256xi64, #l>
    %o = arith.addi %e, %e : tensor<256xi64, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi64, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // CHECK-LABEL: @updates
  // CHECK: amdg.buffer_atomic_rmw add, relaxed, gpu, %arg2, %arg0[%arg1]
  // CHECK: amdg.buffer_atomic_cas acq_rel, cta, %{{.+}}, %arg2, %arg0[%arg1]
  tt.func public @updates(%p: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %v: tensor<256xi32, #l>) -> tensor<256xi32, #l> {
    %b = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>
    %x = tt.atomic_rmw add, relaxed, gpu, %q, %v : (tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>) -> tensor<256xi32, #l>
    %y = tt.atomic_cas acq_rel, cta, %q, %x, %v : (tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>, tensor<256xi32, #l>) -> tensor<256xi32, #l>
    tt.return %y : tensor<256xi32, #l>
  }

  // signed maxima, and other devices
  // CHECK-LABEL: @other_updates
  // CHECK-NOT: amdg
  tt.func public @other_updates(%p: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %v: tensor<256xi32, #l>) {
    %b = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>
    %x = tt.atomic_rmw max, relaxed, gpu, %q, %v : (tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>) -> tensor<256xi32, #l>
    %y = tt.atomic_rmw add, relaxed, sys, %q, %v : (tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>) -> tensor<256xi32, #l>
    tt.return
  }

  // 128 trips of 1023 each
  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK: amdg.buffer_load %arg0
  tt.func public @loop(%p: !tt.ptr<f32>, %s: tensor<256x!tt.ptr<f32>, #l>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %n = arith.constant 128 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %e = scf.for %i = %c0 to %n step %c1 iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
      %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
      tt.store %s, %x : tensor<256x!tt.ptr<f32>, #l>
      %next = arith.addi %o, %r : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK: amdg.buffer_load %arg0
  tt.func public @branch(%p: !tt.ptr<f32>, %c: i1) -> tensor<256xf32, #l> {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %o = scf.if %c -> (tensor<256xi32, #l>) {
      %t = arith.addi %r, %r : tensor<256xi32, #l>
      scf.yield %t : tensor<256xi32, #l>
    } else {
      scf.yield %r : tensor<256xi32, #l>
    }
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // CHECK-LABEL: @unknown
  // CHECK-NOT: amdg
  tt.func public @unknown(%p: !tt.ptr<f32>, %o: tensor<256xi32, #l>) -> tensor<256xf32, #l> {
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // CHECK-LABEL: @may_be_negative
  // CHECK-NOT: amdg
  tt.func public @may_be_negative(%p: !tt.ptr<f32>) -> tensor<256xf32, #l> {
    %c = arith.constant dense<1> : tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %o = arith.subi %r, %c : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // CHECK-LABEL: @too_far
  // CHECK-NOT: amdg
  tt.func public @too_far(%p: !tt.ptr<f32>) -> tensor<256xf32, #l> {
    %c = arith.constant dense<2097152> : tensor<256xi32, #l>
    %r = tt.make_range {end = 257 : i32, start = 1 : i32} : tensor<256xi32, #l>
    %o = arith.muli %r, %c : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }
}
