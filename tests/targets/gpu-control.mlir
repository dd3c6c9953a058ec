// RUN: tritcc -x ttgir -arch=sm_80 -emit=ptx=- %s | FileCheck %s
// RUN: tritcc -x ttgir -arch=sm_80 -O0 -emit=llir=- %s | FileCheck %s --check-prefix=LLIR

#strided = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // A loop tests at its end, behind a guard.
  // LLIR-LABEL: define ptx_kernel void @loop(
  // LLIR: icmp slt i32 0, %2
  // LLIR: br i1 {{.*}}, label %[[BODY:.*]], label %[[END:.*]]
  // LLIR: [[BODY]]:
  // LLIR: phi i32
  // LLIR: add nsw i32
  // LLIR: br i1 {{.*}}, label %[[BODY]], label %[[END]]
  tt.func public @loop(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0.0 : f32
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (f32) : i32 {
      %b = arith.addf %a, %x : f32
      scf.yield %b : f32
    }
    tt.store %p, %s : !tt.ptr<f32>
    tt.return
  }

  // Of eight pointers that advance by the same step, the base is carried alone; of four it is not.
  // LLIR-LABEL: define ptx_kernel void @many(
  // LLIR-COUNT-1: phi ptr addrspace(1) [ %0,
  // LLIR-NOT: phi ptr
  // LLIR-COUNT-9: getelementptr float, ptr addrspace(1)
  // LLIR-LABEL: define ptx_kernel void @few(
  // LLIR-COUNT-4: phi ptr addrspace(1)
  // Nor where they advance by steps of their own, or are read in the next iteration's place.
  // LLIR-LABEL: define ptx_kernel void @steps(
  // LLIR-COUNT-8: phi ptr addrspace(1)
  // LLIR-LABEL: define ptx_kernel void @ahead(
  // LLIR-COUNT-8: phi ptr addrspace(1)
  tt.func public @many(%p: !tt.ptr<f32>, %k: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<1024xf32, #strided>
    %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #strided>
    %b = tt.splat %k : i32 -> tensor<1024xi32, #strided>
    %x = arith.muli %i, %b : tensor<1024xi32, #strided>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #strided>
    %a = tt.addptr %s, %x : tensor<1024x!tt.ptr<f32>, #strided>, tensor<1024xi32, #strided>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<1024x!tt.ptr<f32>, #strided>) : i32 {
      %m = tt.addptr %q, %b : tensor<1024x!tt.ptr<f32>, #strided>, tensor<1024xi32, #strided>
      tt.store %q, %z : tensor<1024x!tt.ptr<f32>, #strided>
      scf.yield %m : tensor<1024x!tt.ptr<f32>, #strided>
    }
    tt.return
  }

  tt.func public @few(%p: !tt.ptr<f32>, %k: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<512xf32, #strided>
    %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #strided>
    %b = tt.splat %k : i32 -> tensor<512xi32, #strided>
    %x = arith.muli %i, %b : tensor<512xi32, #strided>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #strided>
    %a = tt.addptr %s, %x : tensor<512x!tt.ptr<f32>, #strided>, tensor<512xi32, #strided>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<512x!tt.ptr<f32>, #strided>) : i32 {
      %m = tt.addptr %q, %b : tensor<512x!tt.ptr<f32>, #strided>, tensor<512xi32, #strided>
      tt.store %q, %z : tensor<512x!tt.ptr<f32>, #strided>
      scf.yield %m : tensor<512x!tt.ptr<f32>, #strided>
    }
    tt.return
  }

  tt.func public @steps(%p: !tt.ptr<f32>, %k: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<1024xf32, #strided>
    %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #strided>
    %b = tt.splat %k : i32 -> tensor<1024xi32, #strided>
    %x = arith.muli %i, %b : tensor<1024xi32, #strided>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #strided>
    %a = tt.addptr %s, %x : tensor<1024x!tt.ptr<f32>, #strided>, tensor<1024xi32, #strided>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<1024x!tt.ptr<f32>, #strided>) : i32 {
      %m = tt.addptr %q, %x : tensor<1024x!tt.ptr<f32>, #strided>, tensor<1024xi32, #strided>
      tt.store %q, %z : tensor<1024x!tt.ptr<f32>, #strided>
      scf.yield %m : tensor<1024x!tt.ptr<f32>, #strided>
    }
    tt.return
  }

  tt.func public @ahead(%p: !tt.ptr<f32>, %k: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<1024xf32, #strided>
    %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #strided>
    %b = tt.splat %k : i32 -> tensor<1024xi32, #strided>
    %x = arith.muli %i, %b : tensor<1024xi32, #strided>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #strided>
    %a = tt.addptr %s, %x : tensor<1024x!tt.ptr<f32>, #strided>, tensor<1024xi32, #strided>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<1024x!tt.ptr<f32>, #strided>) : i32 {
      %m = tt.addptr %q, %b : tensor<1024x!tt.ptr<f32>, #strided>, tensor<1024xi32, #strided>
      tt.store %m, %z : tensor<1024x!tt.ptr<f32>, #strided>
      scf.yield %m : tensor<1024x!tt.ptr<f32>, #strided>
    }
    tt.return
  }

  // LLIR-LABEL: define ptx_kernel void @branch(
  // LLIR: br i1 {{.*}}, label %[[THEN:.*]], label %[[ELSE:.*]]{{$}}
  // LLIR: phi float [ {{.*}}, %[[THEN]] ], [ {{.*}}, %[[ELSE]] ]
  tt.func public @branch(%p: !tt.ptr<f32>, %c: i1, %x: f32) {
    %r = scf.if %c -> (f32) {
      %a = arith.addf %x, %x : f32
      scf.yield %a : f32
    } else {
      %b = arith.mulf %x, %x : f32
      scf.yield %b : f32
    }
    tt.store %p, %r : !tt.ptr<f32>
    tt.return
  }

  // CHECK-LABEL: .entry collatz(
  // CHECK: bra
  tt.func public @collatz(%p: !tt.ptr<i32>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %r = scf.while (%x = %n) : (i32) -> i32 {
      %go = arith.cmpi sgt, %x, %c1 : i32
      scf.condition(%go) %x : i32
    } do {
    ^bb0(%y: i32):
      %h = arith.shrui %y, %c1 : i32
      scf.yield %h : i32
    }
    tt.store %p, %r : !tt.ptr<i32>
    tt.return
  }

  // An early return.
  // CHECK-LABEL: .entry early(
  // CHECK: @%p{{[0-9]+}} bra
  tt.func public @early(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %stop = arith.cmpi eq, %n, %c0 : i32
    cf.cond_br %stop, ^out, ^go(%n : i32)
  ^go(%m: i32):
    tt.store %p, %m : !tt.ptr<i32>
    tt.return
  ^out:
    tt.return
  }

  // Both ways lead to one block: the condition chooses among its arguments.
  // LLIR-LABEL: define ptx_kernel void @one_way(
  // LLIR: select i1 %{{.*}}, i32
  // LLIR-NEXT: br label
  tt.func public @one_way(%p: !tt.ptr<i32>, %x: i32, %y: i32) {
    %c = arith.cmpi slt, %x, %y : i32
    cf.cond_br %c, ^next(%x : i32), ^next(%y : i32)
  ^next(%z: i32):
    tt.store %p, %z : !tt.ptr<i32>
    tt.return
  }

  // A function that is not inlined gets its shared memory from its caller.
  // LLIR-LABEL: define internal { float, float } @pair(float %0, ptr addrspace(3) %1)
  tt.func private @pair(%x: f32) -> (f32, f32) attributes {noinline = true} {
    %y = arith.addf %x, %x : f32
    tt.return %x, %y : f32, f32
  }
  // LLIR-LABEL: define ptx_kernel void @calls(
  // LLIR: call { float, float } @pair(float %1, ptr addrspace(3) @global_smem)
  tt.func public @calls(%p: !tt.ptr<f32>, %x: f32) {
    %a, %b = tt.call @pair(%x) : (f32) -> (f32, f32)
    %c = arith.addf %a, %b : f32
    tt.store %p, %c : !tt.ptr<f32>
    tt.return
  }

  // Loops out of which nothing is to be hoisted say so to LLVM, each by a node of its own.
  // LLIR-LABEL: define ptx_kernel void @stay(
  // LLIR: br i1 {{.*}}, !llvm.loop ![[FOR:[0-9]+]]
  // LLIR: br label {{.*}}, !llvm.loop ![[WHILE:[0-9]+]]
  // LLIR-DAG: ![[FOR]] = distinct !{![[FOR]], ![[LICM:[0-9]+]], ![[VERSIONS:[0-9]+]]}
  // LLIR-DAG: ![[WHILE]] = distinct !{![[WHILE]], ![[LICM]], ![[VERSIONS]]}
  // LLIR-DAG: ![[LICM]] = !{!"llvm.licm.disable"}
  // LLIR-DAG: ![[VERSIONS]] = !{!"llvm.loop.licm_versioning.disable"}
  tt.func public @stay(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true, versioningDisable = true>>}
    %s = scf.while (%i = %c0) : (i32) -> i32 {
      %go = arith.cmpi slt, %i, %n : i32
      scf.condition(%go) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c1 : i32
      scf.yield %next : i32
    } attributes {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
    tt.store %p, %s : !tt.ptr<i32>
    tt.return
  }
}
