// RUN: tritcc -x ttir -passes=free-others %s | FileCheck %s
// positive: @stored @chosen @narrower
// negative: @summed @elsewhere @divided @handed_on @plain
// loop: @handed_on
// if: @chosen
module {
  // All that is made of the elements is stored under the same mask.
  // CHECK-LABEL: @stored
  // CHECK: tt.load {{.*}} {tritcc.free_other}
  // CHECK: tt.load {{.*}} {tritcc.free_other}
  tt.func public @stored(%x: tensor<128x!tt.ptr<f16>>, %y: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>) {
    %zero = arith.constant dense<0.0> : tensor<128xf16>
    %a = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f16>>
    %b = tt.load %y, %m : tensor<128x!tt.ptr<f32>>
    %wide = arith.extf %a : tensor<128xf16> to tensor<128xf32>
    %sum = arith.addf %wide, %b : tensor<128xf32>
    %e = math.exp %sum : tensor<128xf32>
    tt.store %y, %e, %m : tensor<128x!tt.ptr<f32>>
    tt.return
  }
  // A choice by the same mask takes others; what a choice by another mask makes is as free.
  // CHECK-LABEL: @chosen
  // CHECK: tt.load {{.*}} {tritcc.free_other}
  // CHECK: tt.load %{{[^{]*}} : tensor
  tt.func public @chosen(%x: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %k: tensor<128xi1>, %c: i1) -> (tensor<128xf32>, tensor<128xf32>) {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %a = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
    %b = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
    %r = scf.if %c -> (tensor<128xf32>) {
      %s = arith.mulf %a, %a : tensor<128xf32>
      %t = arith.select %k, %s, %zero : tensor<128xi1>, tensor<128xf32>
      %u = arith.select %m, %t, %zero : tensor<128xi1>, tensor<128xf32>
      scf.yield %u : tensor<128xf32>
    } else {
      scf.yield %zero : tensor<128xf32>
    }
    %v = arith.select %m, %zero, %b : tensor<128xi1>, tensor<128xf32>
    tt.return %r, %v : tensor<128xf32>, tensor<128xf32>
  }
  // A mask that allows fewer elements.
  // CHECK-LABEL: @narrower
  // CHECK: tt.load {{.*}} {tritcc.free_other}
  tt.func public @narrower(%x: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %k: tensor<128xi1>) {
    %a = tt.load %x, %m : tensor<128x!tt.ptr<f32>>
    %both = arith.andi %k, %m : tensor<128xi1>
    tt.store %x, %a, %both : tensor<128x!tt.ptr<f32>>
    tt.return
  }
  // A sum takes all elements.
  // CHECK-LABEL: @summed
  // CHECK-NOT: tritcc.free_other
  tt.func public @summed(%x: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>) -> f32 {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %a = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
    tt.store %x, %a, %m : tensor<128x!tt.ptr<f32>>
    %s = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      tt.reduce.return %t : f32
    }) : (tensor<128xf32>) -> f32
    tt.return %s : f32
  }
  // Stores without the mask, under another one, and of a mask that is made of what was loaded.
  // CHECK-LABEL: @elsewhere
  // CHECK-NOT: tritcc.free_other
  tt.func public @elsewhere(%x: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %k: tensor<128xi1>) {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %a = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
    %b = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
    %c = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
    %d = arith.cmpf olt, %c, %zero : tensor<128xf32>
    tt.store %x, %a : tensor<128x!tt.ptr<f32>>
    tt.store %x, %b, %k : tensor<128x!tt.ptr<f32>>
    tt.store %x, %zero, %d : tensor<128x!tt.ptr<f32>>
    tt.return
  }
  // A quotient of integers by what is not known is none.
  // CHECK-LABEL: @divided
  // CHECK-NOT: tritcc.free_other
  tt.func public @divided(%x: tensor<128x!tt.ptr<i32>>, %m: tensor<128xi1>, %k: tensor<128xi32>) {
    %one = arith.constant dense<1> : tensor<128xi32>
    %a = tt.load %x, %m, %one : tensor<128x!tt.ptr<i32>>
    %q = arith.divsi %k, %a : tensor<128xi32>
    tt.store %x, %q, %m : tensor<128x!tt.ptr<i32>>
    tt.return
  }
  // The next trip may take it under another mask.
  // CHECK-LABEL: @handed_on
  // CHECK-NOT: tritcc.free_other
  tt.func public @handed_on(%x: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %n: i32) {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128xf32>) : i32 {
      %a = tt.load %x, %m, %zero : tensor<128x!tt.ptr<f32>>
      tt.store %x, %s, %m : tensor<128x!tt.ptr<f32>>
      scf.yield %a : tensor<128xf32>
    }
    tt.return
  }
  // Without a mask all elements are loaded; what is volatile stays as the source has it.
  // CHECK-LABEL: @plain
  // CHECK-NOT: tritcc.free_other
  tt.func public @plain(%x: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>) {
    %a = tt.load %x : tensor<128x!tt.ptr<f32>>
    tt.store %x, %a, %m : tensor<128x!tt.ptr<f32>>
    %b = tt.load %x, %m {isVolatile = true} : tensor<128x!tt.ptr<f32>>
    tt.store %x, %b, %m : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
