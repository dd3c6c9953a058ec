// RUN: tritcc -x ttir -passes=remove-dead-values %s | FileCheck %s
// positive: @carried @chosen
// negative: @used
// loop: @carried
// if: @chosen

// Nobody looks at what the loop counts.
// CHECK-LABEL: tt.func @carried
// CHECK: scf.for %{{.*}} iter_args(%{{[a-z0-9]+}} = %{{[^,]*}}) -> (f32)
tt.func @carried(%n: i32, %x: f32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %c0) -> (f32, i32) : i32 {
    %s = arith.addf %a, %a : f32
    %j = arith.addi %k, %i : i32
    scf.yield %s, %j : f32, i32
  }
  tt.store %p, %l#0 : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func @chosen
// CHECK-NOT: i32
// CHECK: tt.store
tt.func @chosen(%c: i1, %x: f32, %y: f32, %p: !tt.ptr<f32>) {
  %r:2 = scf.if %c -> (f32, i32) {
    %c0 = arith.constant 0 : i32
    scf.yield %x, %c0 : f32, i32
  } else {
    %c1 = arith.constant 1 : i32
    scf.yield %y, %c1 : f32, i32
  }
  tt.store %p, %r#0 : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func @used
// CHECK: arith.addf
tt.func @used(%x: f32, %p: !tt.ptr<f32>) {
  %s = arith.addf %x, %x : f32
  tt.store %p, %s : !tt.ptr<f32>
  tt.return
}
