// RUN: tritcc -x ttir -passes=pointer-analysis,canonicalize,cse %s | FileCheck %s
// RUN: tritcc --ptr-analysis --canonicalize --cse -x ttir %s | FileCheck %s
// positive: @carried @chosen @rows @wrapped
// negative: @scalar @random
// loop: @carried
// if: @chosen

// The loop carries no pointers any more: each trip makes its own from the induction variable.
// CHECK-LABEL: tt.func @carried
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%{{[a-z0-9]+}} = %{{[^,]*}}) -> (tensor<64xf32>)
// CHECK-DAG: %[[R:.*]] = arith.extsi %{{.*}} : tensor<64xi32> to tensor<64xi64>
// CHECK-DAG: %[[W:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[S:.*]] = arith.muli %[[W]], %c64
// CHECK: %[[T:.*]] = tt.splat %[[S]] : i64 -> tensor<64xi64>
// CHECK: %[[J:.*]] = arith.addi %[[R]], %[[T]]
// CHECK: %[[P:.*]] = tt.addptr %{{.*}}, %[[J]] : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
// CHECK: tt.load %[[P]]
tt.func @carried(%p: !tt.ptr<f32>, %n: i32, %q: tensor<64x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %y = %x) -> (tensor<64xf32>, tensor<64x!tt.ptr<f32>>) : i32 {
    %v = tt.load %y : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %a, %v : tensor<64xf32>
    %z = tt.addptr %y, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %s, %z : tensor<64xf32>, tensor<64x!tt.ptr<f32>>
  }
  tt.store %q, %l#0 : tensor<64x!tt.ptr<f32>>
  tt.return
}

// One of two offsets, not one of two blocks.
// CHECK-LABEL: tt.func @chosen
// CHECK-NOT: -> (tensor<64x!tt.ptr<f32>>)
// CHECK: %[[O:.*]] = arith.select %{{.*}} : i64
// CHECK: tt.splat %[[O]] : i64 -> tensor<64xi64>
// CHECK-NOT: scf.if
// CHECK: tt.load
tt.func @chosen(%p: !tt.ptr<f32>, %c: i1, %m: i32, %n: i32, %q: tensor<64x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %y = scf.if %c -> (tensor<64x!tt.ptr<f32>>) {
    %g = tt.addptr %x, %ms : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %g : tensor<64x!tt.ptr<f32>>
  } else {
    %h = tt.addptr %x, %ns : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %h : tensor<64x!tt.ptr<f32>>
  }
  %v = tt.load %y : tensor<64x!tt.ptr<f32>>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Rows from a list, columns in their order.
// CHECK-LABEL: tt.func @rows
// CHECK-SAME: %[[L:[a-z0-9]+]]: tensor<16xi32>
// CHECK: %[[E:.*]] = arith.extsi %[[L]] : tensor<16xi32> to tensor<16xi64>
// CHECK: %[[M:.*]] = arith.muli %[[E]], %{{.*}} : tensor<16xi64>
// CHECK: tt.expand_dims %[[M]] {axis = 1 : i32}
// CHECK: tt.load
tt.func @rows(%p: !tt.ptr<f32>, %j: tensor<16xi32>, %q: tensor<16x32x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.constant dense<64> : tensor<16xi32>
  %d = arith.muli %j, %c : tensor<16xi32>
  %e = tt.expand_dims %d {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %f = tt.broadcast %e : tensor<16x1xi32> -> tensor<16x32xi32>
  %g = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %h = tt.broadcast %g : tensor<1x32xi32> -> tensor<16x32xi32>
  %i = arith.addi %f, %h : tensor<16x32xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %x = tt.addptr %b, %i : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %v = tt.load %x : tensor<16x32x!tt.ptr<f32>>
  tt.store %q, %v : tensor<16x32x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @wrapped
// CHECK: arith.remsi %{{.*}} : tensor<32xi64>
tt.func @wrapped(%p: !tt.ptr<f32>, %n: i32, %q: tensor<32x!tt.ptr<f32>>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %s = tt.splat %n : i32 -> tensor<32xi32>
  %w = arith.remsi %r, %s : tensor<32xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %x = tt.addptr %b, %w : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %x : tensor<32x!tt.ptr<f32>>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @scalar
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
tt.func @scalar(%p: !tt.ptr<f32>, %n: i32, %q: !tt.ptr<f32>) {
  %x = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %q, %v : !tt.ptr<f32>
  tt.return
}

// Pointers that nothing is known of.
// CHECK-LABEL: tt.func @random
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x!tt.ptr<f32>>
// CHECK: tt.load %[[X]]
tt.func @random(%x: tensor<16x!tt.ptr<f32>>, %q: tensor<16x!tt.ptr<f32>>) {
  %v = tt.load %x : tensor<16x!tt.ptr<f32>>
  tt.store %q, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}
