// RUN: tritcc -x ttgir -passes=expand-buffer-ops %s | FileCheck %s
// positive: @load @store @updates @branch @loop @copies @waves
// negative: @pointers
// loop: @loop
// if: @branch

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#between = #ttg.padded_shared<[64:+4] {order = [0], shape = [1024]}>
#inside = #ttg.padded_shared<[32:+4] {order = [0], shape = [1024]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @load
  // CHECK-NEXT: [[B:%.+]] = tt.splat %arg0 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #{{.+}}>
  // CHECK-NEXT: [[P:%.+]] = tt.addptr [[B]], %arg1
  // CHECK-NEXT: tt.load [[P]], %arg2, %arg3 cacheModifier = cg : tensor<1024x!tt.ptr<f32>, #{{.+}}>
  tt.func public @load(%p: !tt.ptr<f32>, %o: tensor<1024xi32, #l>, %m: tensor<1024xi1, #l>, %z: tensor<1024xf32, #l>, %s: i32) -> tensor<1024xf32, #l> {
    %x = amdg.buffer_load %p[%o], %m, %z cacheModifier = cg stride = %s {contiguity = 4 : i32} : tensor<1024xf32, #l>
    tt.return %x : tensor<1024xf32, #l>
  }

  // CHECK-LABEL: @store
  // CHECK: [[P:%.+]] = tt.addptr
  // CHECK-NEXT: tt.store [[P]], %arg0, %arg3 :
  tt.func public @store(%x: tensor<1024xf32, #l>, %p: !tt.ptr<f32>, %o: tensor<1024xi32, #l>, %m: tensor<1024xi1, #l>) {
    amdg.buffer_store %x, %p[%o], %m : tensor<1024xf32, #l>
    tt.return
  }

  // CHECK-LABEL: @updates
  // CHECK: [[P:%.+]] = tt.addptr
  // CHECK-NEXT: [[X:%.+]] = tt.atomic_rmw add, relaxed, gpu, [[P]], %arg2
  // CHECK: [[Q:%.+]] = tt.addptr
  // CHECK-NEXT: tt.atomic_cas acq_rel, cta, [[Q]], [[X]], %arg2
  tt.func public @updates(%p: !tt.ptr<i32>, %o: tensor<1024xi32, #l>, %v: tensor<1024xi32, #l>) -> tensor<1024xi32, #l> {
    %x = amdg.buffer_atomic_rmw add, relaxed, gpu, %v, %p[%o] : tensor<1024xi32, #l>
    %y = amdg.buffer_atomic_cas acq_rel, cta, %x, %v, %p[%o] : tensor<1024xi32, #l>
    tt.return %y : tensor<1024xi32, #l>
  }

  // CHECK-LABEL: @branch
  // CHECK: scf.if
  // CHECK: tt.store
  tt.func public @branch(%x: tensor<1024xf32, #l>, %p: !tt.ptr<f32>, %o: tensor<1024xi32, #l>, %c: i1) {
    scf.if %c {
      amdg.buffer_store %x, %p[%o] : tensor<1024xf32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK: tt.load
  tt.func public @loop(%p: !tt.ptr<f32>, %o: tensor<1024xi32, #l>, %q: tensor<1024x!tt.ptr<f32>, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = amdg.buffer_load %p[%o] : tensor<1024xf32, #l>
      tt.store %q, %x : tensor<1024x!tt.ptr<f32>, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @pointers
  // CHECK-NEXT: tt.load %arg0
  tt.func public @pointers(%p: tensor<1024x!tt.ptr<f32>, #l>) -> tensor<1024xf32, #l> {
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
    tt.return %x : tensor<1024xf32, #l>
  }

  // Copies to shared memory: their groups stay, for those who wait for them.
  // CHECK-LABEL: @copies
  // CHECK: [[P:%.+]] = tt.addptr
  // CHECK: [[X:%.+]] = tt.load [[P]] :
  // CHECK-NEXT: ttg.local_store [[X]], %arg2
  // CHECK-NEXT: [[T:%.+]] = ttg.async_commit_group
  // CHECK: [[Z:%.+]] = arith.constant dense<0.000000e+00>
  // CHECK-NEXT: [[Y:%.+]] = tt.load %arg4, %arg3, [[Z]] :
  // CHECK-NEXT: ttg.local_store [[Y]], %arg2
  // CHECK-NEXT: [[U:%.+]] = ttg.async_commit_group
  // CHECK-NEXT: [[G:%.+]] = ttg.async_commit_group tokens [[T]], [[U]]
  // CHECK-NEXT: ttg.async_wait [[G]] {num = 0 : i32}
  tt.func public @copies(%p: !tt.ptr<f32>, %o: tensor<1024xi32, #l>, %b: !ttg.memdesc<1024xf32, #s, #smem, mutable>, %m: tensor<1024xi1, #l>, %q: tensor<1024x!tt.ptr<f32>, #l>) {
    %t = amdg.buffer_load_to_local %p[%o] into %b : !tt.ptr<f32>[tensor<1024xi32, #l>] -> <1024xf32, #s, #smem, mutable>
    %u = ttg.async_copy_global_to_local %q, %b mask %m : tensor<1024x!tt.ptr<f32>, #l> -> <1024xf32, #s, #smem, mutable>
    %g = ttg.async_commit_group tokens %t, %u
    %w = ttg.async_wait %g {num = 0 : i32}
    tt.return
  }

  // ... or stay, where lanes copy side by side what a lane can copy, with one place for a wave; the layout of this
  // buffer is padded between waves, that of the other one inside of them.
  // CHECK-LABEL: @waves
  // CHECK: [[P:%.+]] = tt.addptr
  // CHECK-NEXT: [[T:%.+]] = ttg.async_copy_global_to_local [[P]], %arg2 mask %arg3 :
  // CHECK-NOT: async_copy
  // CHECK: ttg.local_store %{{.+}}, %arg4
  // CHECK: ttg.async_commit_group tokens [[T]],
  tt.func public @waves(%p: !tt.ptr<f32>, %o: tensor<1024xi32, #one>, %b: !ttg.memdesc<1024xf32, #between, #smem, mutable>, %m: tensor<1024xi1, #one>, %c: !ttg.memdesc<1024xf32, #inside, #smem, mutable>) {
    %t = amdg.buffer_load_to_local %p[%o] mask = %m into %b : !tt.ptr<f32>[tensor<1024xi32, #one>] -> <1024xf32, #between, #smem, mutable>
    %u = amdg.buffer_load_to_local %p[%o] mask = %m into %c : !tt.ptr<f32>[tensor<1024xi32, #one>] -> <1024xf32, #inside, #smem, mutable>
    %g = ttg.async_commit_group tokens %t, %u
    %w = ttg.async_wait %g {num = 0 : i32}
    tt.return
  }
}
