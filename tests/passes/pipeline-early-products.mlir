// RUN: tritcc -x ttgir '-passes=pipeline,canonicalize' %s | FileCheck %s
// Products of warp groups that need nothing of the one in front of them start under it.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#op = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
!x = !ttg.memdesc<64x64xf16, #a, #smem, mutable>
!t = !ttg.memdesc<64x64xf16, #b, #smem, mutable>
!w = !ttg.memdesc<64x256xf16, #a, #smem, mutable>
!f = tensor<64x64xf32, #mma>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The second product and the view that it reads come in front of the first wait, which leaves it; the product of what
  // came of the first one begins while the second one may still be under way.
  // CHECK-LABEL: @backward
  // CHECK: scf.for
  // CHECK: [[S:%.+]] = ttng.warp_group_dot %arg0, %arg1
  // CHECK: [[V:%.+]] = ttg.memdesc_trans %arg1
  // CHECK: [[D:%.+]] = ttng.warp_group_dot %arg0, [[V]]
  // CHECK: [[P:%.+]]:3 = ttng.warp_group_dot_wait [[S]], {{.*}} {pendings = 1 : i32}
  // CHECK: math.exp2 [[P]]#0
  // CHECK: ttng.warp_group_dot %{{.*}}, %arg1, %{{.*}} {isAsync = true}
  // CHECK: ttng.warp_group_dot_wait [[D]], {{.*}} {pendings = 1 : i32}
  // CHECK-NEXT: arith.mulf
  tt.func @backward(%x: !x, %y: !x, %c: !f, %n: i32) -> (!f, !f) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !f
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %c) -> (!f, !f) : i32 {
      %s = ttng.warp_group_dot %x, %y, %zero : !x * !x -> !f
      %p = math.exp2 %s : !f
      %h = arith.truncf %p : !f to tensor<64x64xf16, #mma>
      %o = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #op>
      %q = ttng.warp_group_dot %o, %y, %acc : tensor<64x64xf16, #op> * !x -> !f
      %v = ttg.memdesc_trans %y {order = array<i32: 1, 0>} : !x -> !t
      %d = ttng.warp_group_dot %x, %v, %zero : !x * !t -> !f
      %e = arith.mulf %p, %d : !f
      %g = arith.addf %sum, %e : !f
      scf.yield %q, %g : !f, !f
    }
    tt.return %r#0, %r#1 : !f, !f
  }

  // An operand that lies in registers through the loop does not keep a product from starting early. Sums of rows that are
  // loaded in front of the products come when they are wanted: those of the first product under it, those of the second
  // one under what goes before its wait; not where their slot is given back between.
  // CHECK-LABEL: @kept
  // CHECK: [[K:%.+]] = arith.addf
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_load
  // CHECK: [[S:%.+]] = ttng.warp_group_dot [[K]], %arg1
  // CHECK: [[D:%.+]] = ttng.warp_group_dot [[K]],
  // CHECK-NEXT: [[M:%.+]] = ttg.local_load
  // CHECK-NEXT: ttng.warp_group_dot_wait [[S]], {{.*}} {pendings = 1 : i32}
  // CHECK: math.exp2
  // CHECK: ttg.local_load
  // CHECK-NEXT: ttng.warp_group_dot %{{.*}}, %arg1, %{{.*}} {isAsync = true}
  // CHECK: ttng.warp_group_dot_wait [[D]], {{.*}} {pendings = 1 : i32}
  tt.func @kept(%x: tensor<64x64xf16, #op>, %y: !x, %m: !ttg.memdesc<2x64xf32, #line, #smem, mutable>, %c: !f, %n: i32) -> (!f, !f) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !f
    %k = arith.addf %x, %x : tensor<64x64xf16, #op>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %c) -> (!f, !f) : i32 {
      %m0 = ttg.memdesc_index %m[%c0] : !ttg.memdesc<2x64xf32, #line, #smem, mutable> -> !ttg.memdesc<64xf32, #line, #smem, mutable>
      %m1 = ttg.memdesc_index %m[%c1] : !ttg.memdesc<2x64xf32, #line, #smem, mutable> -> !ttg.memdesc<64xf32, #line, #smem, mutable>
      %first = ttg.local_load %m0 : !ttg.memdesc<64xf32, #line, #smem, mutable> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
      %later = ttg.local_load %m1 : !ttg.memdesc<64xf32, #line, #smem, mutable> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
      %s = ttng.warp_group_dot %k, %y, %zero : tensor<64x64xf16, #op> * !x -> !f
      %f0 = tt.expand_dims %first {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
      %f1 = tt.broadcast %f0 : tensor<1x64xf32, #mma> -> !f
      %f2 = arith.subf %s, %f1 : !f
      %p = math.exp2 %f2 : !f
      %h = arith.truncf %p : !f to tensor<64x64xf16, #mma>
      %o = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #op>
      %q = ttng.warp_group_dot %o, %y, %acc : tensor<64x64xf16, #op> * !x -> !f
      %v = ttg.memdesc_trans %y {order = array<i32: 1, 0>} : !x -> !t
      %d = ttng.warp_group_dot %k, %v, %zero : tensor<64x64xf16, #op> * !t -> !f
      %l0 = tt.expand_dims %later {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
      %l1 = tt.broadcast %l0 : tensor<1x64xf32, #mma> -> !f
      %l2 = arith.subf %d, %l1 : !f
      %e = arith.mulf %p, %l2 : !f
      %g = arith.addf %sum, %e : !f
      scf.yield %q, %g : !f, !f
    }
    tt.return %r#0, %r#1 : !f, !f
  }
  // CHECK-LABEL: @given_back
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK: ttng.warp_group_dot %arg0, %arg1
  // CHECK: ttng.arrive_barrier
  tt.func @given_back(%x: !x, %y: !x, %m: !ttg.memdesc<2x64xf32, #line, #smem, mutable>, %b: !ttg.memdesc<2x1xi64, #line, #smem, mutable>, %c: !f, %n: i32) -> (!f, !f) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !f
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %c) -> (!f, !f) : i32 {
      %m1 = ttg.memdesc_index %m[%c1] : !ttg.memdesc<2x64xf32, #line, #smem, mutable> -> !ttg.memdesc<64xf32, #line, #smem, mutable>
      %later = ttg.local_load %m1 : !ttg.memdesc<64xf32, #line, #smem, mutable> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
      %s = ttng.warp_group_dot %x, %y, %zero : !x * !x -> !f
      %empty = ttg.memdesc_index %b[%c1] : !ttg.memdesc<2x1xi64, #line, #smem, mutable> -> !ttg.memdesc<1xi64, #line, #smem, mutable>
      ttng.arrive_barrier %empty, 1 : !ttg.memdesc<1xi64, #line, #smem, mutable>
      %p = math.exp2 %s : !f
      %h = arith.truncf %p : !f to tensor<64x64xf16, #mma>
      %o = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #op>
      %q = ttng.warp_group_dot %o, %y, %acc : tensor<64x64xf16, #op> * !x -> !f
      %v = ttg.memdesc_trans %y {order = array<i32: 1, 0>} : !x -> !t
      %d = ttng.warp_group_dot %x, %v, %zero : !x * !t -> !f
      %l0 = tt.expand_dims %later {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xf32, #mma>
      %l1 = tt.broadcast %l0 : tensor<1x64xf32, #mma> -> !f
      %l2 = arith.subf %d, %l1 : !f
      %e = arith.mulf %p, %l2 : !f
      %g = arith.addf %sum, %e : !f
      scf.yield %q, %g : !f, !f
    }
    tt.return %r#0, %r#1 : !f, !f
  }

  // What is stored in between may be the second one's operand.
  // CHECK-LABEL: @stored_between
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: ttg.local_store
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  tt.func @stored_between(%x: !x, %y: !x, %z: !x, %c: !f, %n: i32) -> !f {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !f
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (!f) : i32 {
      %s = ttng.warp_group_dot %x, %y, %zero : !x * !x -> !f
      %h = arith.truncf %s : !f to tensor<64x64xf16, #mma>
      ttg.local_store %h, %z : tensor<64x64xf16, #mma> -> !x
      ttg.barrier local
      %d = ttng.warp_group_dot %x, %z, %zero : !x * !x -> !f
      %e = arith.addf %s, %d : !f
      %g = arith.addf %sum, %e : !f
      scf.yield %g : !f
    }
    tt.return %r : !f
  }

  // Sums that would fill the registers stay one behind the other.
  // CHECK-LABEL: @too_wide
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  // CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
  tt.func @too_wide(%x: !x, %y: !w, %c: tensor<64x256xf32, #wide>, %n: i32) -> tensor<64x256xf32, #wide> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wide>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x256xf32, #wide>) : i32 {
      %s = ttng.warp_group_dot %x, %y, %zero : !x * !w -> tensor<64x256xf32, #wide>
      %p = math.exp2 %s : tensor<64x256xf32, #wide>
      %d = ttng.warp_group_dot %x, %y, %zero : !x * !w -> tensor<64x256xf32, #wide>
      %e = arith.mulf %p, %d : tensor<64x256xf32, #wide>
      %g = arith.addf %sum, %e : tensor<64x256xf32, #wide>
      scf.yield %g : tensor<64x256xf32, #wide>
    }
    tt.return %r : tensor<64x256xf32, #wide>
  }
}
