// RUN: tritcc -x ttir -passes=reorder-broadcast %s | FileCheck %s
// positive: @splats @splat_and_constant @broadcasts @loop
// negative: @different @load
// loop: @loop

// CHECK-LABEL: @splats
tt.func public @splats(%x: i32, %y: i32) -> tensor<128xi32> {
  // CHECK: [[S:%.+]] = arith.addi %arg0, %arg1 : i32
  // CHECK: [[T:%.+]] = tt.splat [[S]] : i32 -> tensor<128xi32>
  // CHECK-NEXT: tt.return [[T]]
  %a = tt.splat %x : i32 -> tensor<128xi32>
  %b = tt.splat %y : i32 -> tensor<128xi32>
  %c = arith.addi %a, %b : tensor<128xi32>
  tt.return %c : tensor<128xi32>
}

// CHECK-LABEL: @splat_and_constant
tt.func public @splat_and_constant(%x: i32) -> tensor<128xi1> {
  // CHECK: [[C:%.+]] = arith.constant 7 : i32
  // CHECK: [[S:%.+]] = arith.cmpi slt, %arg0, [[C]] : i32
  // CHECK: tt.splat [[S]] : i1 -> tensor<128xi1>
  %a = tt.splat %x : i32 -> tensor<128xi32>
  %b = arith.constant dense<7> : tensor<128xi32>
  %c = arith.cmpi slt, %a, %b : tensor<128xi32>
  tt.return %c : tensor<128xi1>
}

// CHECK-LABEL: @broadcasts
tt.func public @broadcasts(%v: tensor<128x1xi32>, %x: i32) -> tensor<128x64xi32> {
  // CHECK: [[S:%.+]] = tt.splat %arg1 : i32 -> tensor<128x1xi32>
  // CHECK: [[M:%.+]] = arith.muli %arg0, [[S]] : tensor<128x1xi32>
  // CHECK: tt.broadcast [[M]] : tensor<128x1xi32> -> tensor<128x64xi32>
  %b = tt.broadcast %v : tensor<128x1xi32> -> tensor<128x64xi32>
  %s = tt.splat %x : i32 -> tensor<128x64xi32>
  %m = arith.muli %b, %s : tensor<128x64xi32>
  tt.return %m : tensor<128x64xi32>
}

// Broadcasts from different shapes meet: the work is what it is.
// CHECK-LABEL: @different
tt.func public @different(%v: tensor<128x1xi32>, %w: tensor<1x64xi32>) -> tensor<128x64xi32> {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<128x64xi32>
  %b = tt.broadcast %v : tensor<128x1xi32> -> tensor<128x64xi32>
  %c = tt.broadcast %w : tensor<1x64xi32> -> tensor<128x64xi32>
  %m = arith.addi %b, %c : tensor<128x64xi32>
  tt.return %m : tensor<128x64xi32>
}

// A load has an effect; it stays one load of a tensor.
// CHECK-LABEL: @load
tt.func public @load(%p: !tt.ptr<f32>) -> tensor<128xf32> {
  // CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %v = tt.load %q : tensor<128x!tt.ptr<f32>>
  tt.return %v : tensor<128xf32>
}

// CHECK-LABEL: @loop
tt.func public @loop(%n: i32, %x: tensor<64xi32>) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for [[I:%[a-z0-9]+]] =
  // CHECK: [[S:%.+]] = arith.muli [[I]], %arg0 : i32
  // CHECK: tt.splat [[S]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64xi32>) : i32 {
    %s = tt.splat %i : i32 -> tensor<64xi32>
    %t = tt.splat %n : i32 -> tensor<64xi32>
    %m = arith.muli %s, %t : tensor<64xi32>
    %y = arith.addi %a, %m : tensor<64xi32>
    scf.yield %y : tensor<64xi32>
  }
  tt.return %r : tensor<64xi32>
}
