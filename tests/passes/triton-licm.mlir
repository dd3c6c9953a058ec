// RUN: tritcc -x ttir -passes=triton-licm %s | FileCheck %s
// positive: @load @nested @guarded
// negative: @store @refused @writers @write
// loop: @load @store @refused @nested @guarded @writers
// if: @guarded

// CHECK-LABEL: @load
tt.func public @load(%p: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %lb: i32, %ub: i32) -> tensor<128xf32> {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<128xf32>
  // CHECK: [[C:%.+]] = arith.cmpi slt, %arg2, %arg3 : i32
  // CHECK: [[S:%.+]] = tt.splat [[C]] : i1 -> tensor<128xi1>
  // CHECK: [[M:%.+]] = arith.andi {{(%[0-9]+, %arg1|%arg1, %[0-9]+)}} : tensor<128xi1>
  // CHECK: [[V:%.+]] = tt.load %arg0, [[M]] : tensor<128x!tt.ptr<f32>>
  // CHECK: [[W:%.+]] = arith.addf [[V]], [[V]]
  // CHECK: scf.for
  // CHECK-NEXT: arith.addf %{{.*}}, [[W]]
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %zero) -> (tensor<128xf32>) : i32 {
    %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>>
    %w = arith.addf %v, %v : tensor<128xf32>
    %b = arith.addf %a, %w : tensor<128xf32>
    scf.yield %b : tensor<128xf32>
  }
  tt.return %r : tensor<128xf32>
}

// Something in the loop writes: it might be what is loaded.
// CHECK-LABEL: @store
tt.func public @store(%p: tensor<128x!tt.ptr<f32>>, %lb: i32, %ub: i32) {
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %lb to %ub step %c1 : i32 {
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %w = arith.addf %v, %v : tensor<128xf32>
    tt.store %p, %w : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// CHECK-LABEL: @refused
tt.func public @refused(%p: tensor<128x!tt.ptr<f32>>, %x: tensor<128xf32>, %lb: i32, %ub: i32) -> tensor<128xf32> {
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-NEXT: arith.mulf
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (tensor<128xf32>) : i32 {
    %w = arith.mulf %x, %x : tensor<128xf32>
    %b = arith.addf %a, %w : tensor<128xf32>
    scf.yield %b : tensor<128xf32>
  } {tt.no_licm}
  tt.return %r : tensor<128xf32>
}

// From the inner loop through the outer one; a volatile load never moves.
// CHECK-LABEL: @nested
tt.func public @nested(%p: tensor<128x!tt.ptr<f32>>, %x: tensor<128xf32>, %lb: i32, %ub: i32) -> tensor<128xf32> {
  %c1 = arith.constant 1 : i32
  // CHECK: [[W:%.+]] = arith.mulf %arg1, %arg1
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NEXT: tt.load {{.*}} {isVolatile = true}
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (tensor<128xf32>) : i32 {
    %s = scf.for %j = %lb to %ub step %c1 iter_args(%b = %a) -> (tensor<128xf32>) : i32 {
      %v = tt.load %p {isVolatile = true} : tensor<128x!tt.ptr<f32>>
      %w = arith.mulf %x, %x : tensor<128xf32>
      %c = arith.addf %b, %w : tensor<128xf32>
      %d = arith.addf %c, %v : tensor<128xf32>
      scf.yield %d : tensor<128xf32>
    }
    scf.yield %s : tensor<128xf32>
  }
  tt.return %r : tensor<128xf32>
}

// A load under a condition stays there: its address may be good only when the condition holds. What its address is
// made of moves.
// CHECK-LABEL: @guarded
// CHECK: [[Q:%.+]] = tt.addptr %arg0
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: tt.load [[Q]]
tt.func public @guarded(%p: !tt.ptr<f32>, %o: i32, %x: f32, %lb: i32, %ub: i32) -> f32 {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %q = tt.addptr %p, %o : !tt.ptr<f32>, i32
    %k = arith.cmpi sgt, %i, %o : i32
    %v = scf.if %k -> f32 {
      %l = tt.load %q : !tt.ptr<f32>
      scf.yield %l : f32
    } else {
      scf.yield %a : f32
    }
    scf.yield %v : f32
  }
  tt.return %r : f32
}

// An atomic, or a call, may write too; a load behind it in the loop must not move.
// CHECK-LABEL: @writers
// CHECK: scf.for
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.atomic_rmw
// CHECK: scf.for
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.call
tt.func public @writers(%p: !tt.ptr<f32>, %x: f32, %m: i1, %lb: i32, %ub: i32) -> (f32, f32) {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %l = tt.load %p : !tt.ptr<f32>
    %o = tt.atomic_rmw fadd, acq_rel, gpu, %p, %a, %m : (!tt.ptr<f32>, f32, i1) -> f32
    %b = arith.addf %l, %o : f32
    scf.yield %b : f32
  }
  %s = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %l = tt.load %p : !tt.ptr<f32>
    tt.call @write(%p, %a) : (!tt.ptr<f32>, f32) -> ()
    %b = arith.addf %l, %a : f32
    scf.yield %b : f32
  }
  tt.return %r, %s : f32, f32
}
tt.func private @write(%p: !tt.ptr<f32>, %x: f32) attributes {noinline = true} {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
