// RUN: tritcc -x ttgir -arch=sm_80 -emit=ptx=- %s | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // Aligned pointers and a mask that is constant over each vector: one access of 16 bytes.
  // Equal elements of the mask are computed once.
  // CHECK-LABEL: .entry vectors(
  // CHECK-COUNT-1: setp.lt.s32
  // CHECK-NOT: setp
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-NOT: ld.global
  // CHECK: @%p{{[0-9]+}} st.global.v4.b32
  // CHECK-NOT: st.global
  tt.func public @vectors(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #wide>
    %nn = tt.splat %n : i32 -> tensor<512xi32, #wide>
    %m = arith.cmpi slt, %r, %nn : tensor<512xi32, #wide>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #wide>
    %a = tt.addptr %b, %r : tensor<512x!tt.ptr<f32>, #wide>, tensor<512xi32, #wide>
    %x = tt.load %a, %m : tensor<512x!tt.ptr<f32>, #wide>
    %y = arith.addf %x, %x : tensor<512xf32, #wide>
    tt.store %a, %y, %m : tensor<512x!tt.ptr<f32>, #wide>
    tt.return
  }

  // A mask that may change at every element: four accesses.
  // CHECK-LABEL: .entry ragged(
  // CHECK-COUNT-4: @%p{{[0-9]+}} ld.global.b32
  // CHECK-COUNT-4: @%p{{[0-9]+}} st.global.b32
  tt.func public @ragged(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #wide>
    %nn = tt.splat %n : i32 -> tensor<512xi32, #wide>
    %m = arith.cmpi slt, %r, %nn : tensor<512xi32, #wide>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #wide>
    %a = tt.addptr %b, %r : tensor<512x!tt.ptr<f32>, #wide>, tensor<512xi32, #wide>
    %x = tt.load %a, %m : tensor<512x!tt.ptr<f32>, #wide>
    tt.store %a, %x, %m : tensor<512x!tt.ptr<f32>, #wide>
    tt.return
  }

  // Small elements share words: 8 halves are 16 bytes, 4 bytes one word.
  // CHECK-LABEL: .entry halves(
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  tt.func public @halves(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    %a = tt.addptr %b, %r : tensor<1024x!tt.ptr<f16>, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>, tensor<1024xi32, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    %x = tt.load %a : tensor<1024x!tt.ptr<f16>, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    %y = arith.negf %x : tensor<1024xf16, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    tt.store %a, %y : tensor<1024x!tt.ptr<f16>, #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    tt.return
  }

  // Only one of the threads that hold an element writes it; a scalar is written by one thread.
  // CHECK-LABEL: .entry owners(
  // CHECK: mov.u32 [[T:%r[0-9]+]], %tid.x;
  // CHECK: setp.lt.u32 [[P:%p[0-9]+]], [[T]], 32;
  // CHECK: @[[P]] st.global.b32
  // CHECK: setp.eq.b32 [[F:%p[0-9]+]], [[T]], 0;
  // CHECK: @[[F]] st.global.b32
  tt.func public @owners(%p: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #narrow>
    %b = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #narrow>
    %a = tt.addptr %b, %r : tensor<32x!tt.ptr<i32>, #narrow>, tensor<32xi32, #narrow>
    tt.store %a, %r : tensor<32x!tt.ptr<i32>, #narrow>
    tt.store %p, %n : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: .entry modifiers(
  // CHECK: ld.global.cg.b32
  // CHECK: createpolicy.fractional.L2::evict_first.b64 [[FIRST:%rd[0-9]+]], 1.0;
  // CHECK: ld.global.L1::evict_first.L2::cache_hint.b32 {{.*}}], [[FIRST]];
  // CHECK: ld.volatile.global.b32
  // CHECK: st.global.wt.b32
  // CHECK: createpolicy.fractional.L2::evict_last.b64 [[LAST:%rd[0-9]+]], 1.0;
  // CHECK: st.global.L1::evict_last.L2::cache_hint.b32 {{.*}}, [[LAST]];
  tt.func public @modifiers(%p: !tt.ptr<i32>) {
    %a = tt.load %p cacheModifier = cg : !tt.ptr<i32>
    %b = tt.load %p evictionPolicy = evict_first : !tt.ptr<i32>
    %c = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    %d = arith.addi %a, %b : i32
    %e = arith.addi %d, %c : i32
    tt.store %p, %e cacheModifier = wt : !tt.ptr<i32>
    tt.store %p, %d evictionPolicy = evict_last : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: .entry atomics(
  // CHECK: atom.global.gpu.acq_rel.add.f32
  // CHECK: red.global.cta.relaxed.add.u32
  // CHECK: atom.global.relaxed.sys.cas.b32
  tt.func public @atomics(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %x: f32, %n: i32) {
    %m = arith.constant true
    %a = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %m : (!tt.ptr<f32>, f32, i1) -> f32
    %b = tt.atomic_rmw add, relaxed, cta, %q, %n, %m : (!tt.ptr<i32>, i32, i1) -> i32
    %c = tt.atomic_cas relaxed, sys, %q, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32
    tt.return
  }
}
