// RUN: tritcc -x ttgir -passes=combine-tensor-select-and-if %s | FileCheck %s
// positive: @merge @inside @loop
// negative: @not
// loop: @loop
// if: @merge @inside @not @loop

// CHECK-LABEL: @merge
tt.func public @merge(%c: i1, %a: tensor<64xf32>, %b: tensor<64xf32>, %x: i32, %y: i32) -> (tensor<64xf32>, i32) {
  // CHECK-NOT: arith.select
  // CHECK: [[R:%.+]]:2 = scf.if %arg0 -> (i32, tensor<64xf32>) {
  // CHECK-NEXT: scf.yield %arg3, %arg1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %arg4, %arg2
  // CHECK: tt.return [[R]]#1, [[R]]#0
  %s = arith.select %c, %a, %b : tensor<64xf32>
  %r = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    scf.yield %y : i32
  }
  tt.return %s, %r : tensor<64xf32>, i32
}

// Inside the branch the choice is made already.
// CHECK-LABEL: @inside
tt.func public @inside(%c: i1, %a: tensor<64xf32>, %b: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>) {
  // CHECK: scf.if %arg0 {
  // CHECK-NEXT: tt.store %arg3, %arg1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tt.store %arg3, %arg2
  %s = arith.select %c, %a, %b : tensor<64xf32>
  scf.if %c {
    tt.store %p, %s : tensor<64x!tt.ptr<f32>>
  } else {
    tt.store %p, %s : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// The select is needed before the conditional; scalars and other conditions are left alone.
// CHECK-LABEL: @not
tt.func public @not(%c: i1, %e: i1, %a: tensor<64xf32>, %b: tensor<64xf32>, %x: i32, %y: i32, %p: tensor<64x!tt.ptr<f32>>) -> (tensor<64xf32>, tensor<64xf32>, i32, i32) {
  // CHECK-COUNT-3: arith.select
  // CHECK: scf.if %arg0 -> (i32)
  %s = arith.select %c, %a, %b : tensor<64xf32>
  tt.store %p, %s : tensor<64x!tt.ptr<f32>>
  %t = arith.select %e, %a, %b : tensor<64xf32>
  %u = arith.select %c, %x, %y : i32
  %r = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    scf.yield %y : i32
  }
  tt.return %s, %t, %u, %r : tensor<64xf32>, tensor<64xf32>, i32, i32
}

// CHECK-LABEL: @loop
tt.func public @loop(%n: i32, %a: tensor<64xf32>, %b: tensor<64xf32>, %p: !tt.ptr<f32>, %z: f32) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<64xf32>) : i32 {
    %c = arith.cmpi eq, %i, %c0 : i32
    // CHECK-NOT: arith.select
    // CHECK: [[R:%.+]] = scf.if %{{.*}} -> (tensor<64xf32>) {
    // CHECK: tt.store
    // CHECK: arith.addf [[R]]
    %s = arith.select %c, %x, %b : tensor<64xf32>
    scf.if %c {
      tt.store %p, %z : !tt.ptr<f32>
    }
    %y = arith.addf %s, %b : tensor<64xf32>
    scf.yield %y : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}
