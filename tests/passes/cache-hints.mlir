// RUN: tritcc -x ttir -passes=cache-hints %s | FileCheck %s
// positive: @loops @branches
// negative: @once @other_bounds @said @own
// loop: @loops @other_bounds
// if: @branches
module {
  // The second loop reads what the first one has read; what is stored goes elsewhere.
  // CHECK-LABEL: @loops
  // CHECK: scf.for
  // CHECK: tt.load %{{.+}} {tritcc.l1 = 1 : i32}
  // CHECK: scf.for
  // CHECK: tt.load %{{[^{]+}} : tensor
  // CHECK: tt.store %{{.+}} {tritcc.l1 = 2 : i32}
  tt.func public @loops(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32) -> tensor<128xf16> {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128xf16>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %sum = scf.for %i = %c0 to %n step %c128 iter_args(%s = %zero) -> (tensor<128xf16>) : i32 {
      %is = tt.splat %i : i32 -> tensor<128xi32>
      %at = arith.addi %is, %r : tensor<128xi32>
      %p = tt.addptr %xs, %at : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
      %v = tt.load %p : tensor<128x!tt.ptr<f16>>
      %t = arith.addf %s, %v : tensor<128xf16>
      scf.yield %t : tensor<128xf16>
    }
    scf.for %i = %c0 to %n step %c128 : i32 {
      %is = tt.splat %i : i32 -> tensor<128xi32>
      %at = arith.addi %is, %r : tensor<128xi32>
      %p = tt.addptr %xs, %at : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
      %v = tt.load %p : tensor<128x!tt.ptr<f16>>
      %d = arith.subf %v, %sum : tensor<128xf16>
      %q = tt.addptr %ys, %at : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
      tt.store %q, %d : tensor<128x!tt.ptr<f16>>
    }
    tt.return %sum : tensor<128xf16>
  }
  // CHECK-LABEL: @branches
  // CHECK: tt.load %{{.+}} {tritcc.l1 = 1 : i32}
  // CHECK: scf.if
  // CHECK: tt.load %{{[^{]+}} : tensor
  tt.func public @branches(%p: tensor<128x!tt.ptr<f16>>, %c: i1) -> tensor<128xf16> {
    %v = tt.load %p : tensor<128x!tt.ptr<f16>>
    %r = scf.if %c -> (tensor<128xf16>) {
      %w = tt.load %p : tensor<128x!tt.ptr<f16>>
      scf.yield %w : tensor<128xf16>
    } else {
      scf.yield %v : tensor<128xf16>
    }
    tt.return %r : tensor<128xf16>
  }
  // CHECK-LABEL: @once
  // CHECK-NOT: tritcc.l1
  tt.func public @once(%p: tensor<128x!tt.ptr<f16>>, %q: tensor<128x!tt.ptr<f16>>) {
    %v = tt.load %p : tensor<128x!tt.ptr<f16>>
    tt.store %q, %v : tensor<128x!tt.ptr<f16>>
    tt.return
  }
  // The loops may not read the same.
  // CHECK-LABEL: @other_bounds
  // CHECK-NOT: tritcc.l1
  tt.func public @other_bounds(%x: !tt.ptr<f16>, %n: i32, %m: i32) -> (f16, f16) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128xf16>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %a = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128xf16>) : i32 {
      %is = tt.splat %i : i32 -> tensor<128xi32>
      %p = tt.addptr %xs, %is : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
      %v = tt.load %p : tensor<128x!tt.ptr<f16>>
      scf.yield %v : tensor<128xf16>
    }
    %b = scf.for %i = %c0 to %m step %c1 iter_args(%s = %a) -> (tensor<128xf16>) : i32 {
      %is = tt.splat %i : i32 -> tensor<128xi32>
      %p = tt.addptr %xs, %is : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
      %v = tt.load %p : tensor<128x!tt.ptr<f16>>
      scf.yield %v : tensor<128xf16>
    }
    %c = "tt.reduce"(%b) <{axis = 0 : i32}> ({
    ^bb0(%k: f16, %l: f16):
      %o = arith.addf %k, %l : f16
      tt.reduce.return %o : f16
    }) : (tensor<128xf16>) -> f16
    tt.return %c, %c : f16, f16
  }
  // The source says itself what it wants.
  // CHECK-LABEL: @said
  // CHECK-NOT: tritcc.l1
  tt.func public @said(%p: tensor<128x!tt.ptr<f16>>) -> tensor<128xf16> {
    %v = tt.load %p evictionPolicy = evict_first : tensor<128x!tt.ptr<f16>>
    %w = tt.load %p evictionPolicy = evict_first : tensor<128x!tt.ptr<f16>>
    %s = arith.addf %v, %w : tensor<128xf16>
    tt.return %s : tensor<128xf16>
  }
  // Scalars are no blocks.
  // CHECK-LABEL: @own
  // CHECK-NOT: tritcc.l1
  tt.func public @own(%p: !tt.ptr<f16>) -> f16 {
    %v = tt.load %p : !tt.ptr<f16>
    %w = tt.load %p : !tt.ptr<f16>
    %s = arith.addf %v, %w : f16
    tt.return %s : f16
  }
}
