// RUN: tritcc -x ttir "-passes=remove-masks{num-warps=4},canonicalize" %s | FileCheck %s

// 16 elements a thread, each by an access of its own: a body without their predicates pays.
// CHECK-LABEL: @many
// CHECK: scf.for
// CHECK: tt.load %{{[^,]*}} :
// CHECK: scf.for
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} :
tt.func public @many(%p: !tt.ptr<f16>, %n: i32) -> tensor<2048xf16> {
  %zero = arith.constant dense<0.0> : tensor<2048xf16>
  %c0 = arith.constant 0 : i32
  %c2048 = arith.constant 2048 : i32
  %range = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>>
  %bound = tt.splat %n : i32 -> tensor<2048xi32>
  %sum = scf.for %i = %c0 to %n step %c2048 iter_args(%a = %zero) -> (tensor<2048xf16>) : i32 {
    %first = tt.splat %i : i32 -> tensor<2048xi32>
    %c = arith.addi %first, %range : tensor<2048xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<2048xi32>
    %q = tt.addptr %base, %c : tensor<2048x!tt.ptr<f16>>, tensor<2048xi32>
    %v = tt.load %q, %m, %zero : tensor<2048x!tt.ptr<f16>>
    %b = arith.addf %a, %v : tensor<2048xf16>
    scf.yield %b : tensor<2048xf16>
  }
  tt.return %sum : tensor<2048xf16>
}

// Half of them wait for memory, not for each other.
// CHECK-LABEL: @few
// CHECK: scf.for
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-NOT: scf.for
tt.func public @few(%p: !tt.ptr<f16>, %n: i32) -> tensor<1024xf16> {
  %zero = arith.constant dense<0.0> : tensor<1024xf16>
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%a = %zero) -> (tensor<1024xf16>) : i32 {
    %first = tt.splat %i : i32 -> tensor<1024xi32>
    %c = arith.addi %first, %range : tensor<1024xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<1024xi32>
    %q = tt.addptr %base, %c : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
    %v = tt.load %q, %m, %zero : tensor<1024x!tt.ptr<f16>>
    %b = arith.addf %a, %v : tensor<1024xf16>
    scf.yield %b : tensor<1024xf16>
  }
  tt.return %sum : tensor<1024xf16>
}
