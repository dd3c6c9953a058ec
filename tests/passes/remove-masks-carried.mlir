// RUN: tritcc -x ttir "-passes=remove-masks{num-warps=4},canonicalize" %s | FileCheck %s
// RUN: tritcc -x ttir "-passes=remove-masks{num-warps=4 threads-per-warp=64},canonicalize" %s | FileCheck %s --check-prefix=MANY
// RUN: tritcc -x ttir "-passes=remove-masks{num-warps=4 carried=256},canonicalize" %s | FileCheck %s --check-prefix=MANY

// 128 registers of a thread are handed on: a second loop pays.
// CHECK-LABEL: @half
// CHECK: scf.for
// CHECK: tt.load %{{[^,]*}} :
// CHECK: scf.for
tt.func public @half(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) -> tensor<16x1024xi32> {
  %zero = arith.constant dense<0> : tensor<16x1024xi32>
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%a = %zero) -> (tensor<16x1024xi32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<1024xi32>
    %c = arith.addi %first, %range : tensor<1024xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<1024xi32>
    %q = tt.addptr %base, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %q, %m, %none : tensor<1024x!tt.ptr<f32>>
    %k = arith.fptosi %v : tensor<1024xf32> to tensor<1024xi32>
    %row = tt.expand_dims %k {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
    %all = tt.broadcast %row : tensor<1x1024xi32> -> tensor<16x1024xi32>
    %b = arith.addi %a, %all : tensor<16x1024xi32>
    scf.yield %b : tensor<16x1024xi32>
  }
  tt.return %sum : tensor<16x1024xi32>
}

// 256 are all that there are: between two loops most would go to memory and back. Twice the threads have half of them each.
// CHECK-LABEL: @all
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-NOT: scf.for
// MANY-LABEL: @all
// MANY: scf.for
// MANY: tt.load %{{[^,]*}} :
// MANY: scf.for
tt.func public @all(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) -> tensor<16x1024xi64> {
  %zero = arith.constant dense<0> : tensor<16x1024xi64>
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%a = %zero) -> (tensor<16x1024xi64>) : i32 {
    %first = tt.splat %i : i32 -> tensor<1024xi32>
    %c = arith.addi %first, %range : tensor<1024xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<1024xi32>
    %q = tt.addptr %base, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %q, %m, %none : tensor<1024x!tt.ptr<f32>>
    %k = arith.fptosi %v : tensor<1024xf32> to tensor<1024xi64>
    %row = tt.expand_dims %k {axis = 0 : i32} : tensor<1024xi64> -> tensor<1x1024xi64>
    %all = tt.broadcast %row : tensor<1x1024xi64> -> tensor<16x1024xi64>
    %b = arith.addi %a, %all : tensor<16x1024xi64>
    scf.yield %b : tensor<16x1024xi64>
  }
  tt.return %sum : tensor<16x1024xi64>
}
