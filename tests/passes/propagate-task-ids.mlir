// RUN: tritcc -x ttgir -passes=propagate-task-ids %s | FileCheck %s
// positive: @loop @branch
// negative: @nothing
// loop: @loop
// if: @branch

// What a load of the first task is given goes through the loop's second argument, what the second task stores through the
// first one; the loop itself is of both.
// CHECK-LABEL: @loop
// CHECK:       arith.constant {async_task_id = array<i32: 0>} 64
// CHECK:       arith.constant {async_task_id = array<i32: 0, 1>} 0
// CHECK:       arith.constant {async_task_id = array<i32: 0, 1>} 1
// CHECK:       arith.constant {async_task_id = array<i32: 1>} 0.0
// CHECK:       scf.for
// CHECK:         tt.addptr {{.*}} {async_task_id = array<i32: 0>}
// CHECK:         tt.load {{.*}} {async_task_id = array<i32: 0>}
// CHECK:         arith.addf {{.*}} {async_task_id = array<i32: 1>}
// CHECK:         arith.addi {{.*}} {async_task_id = array<i32: 0>}
// CHECK:         scf.yield {async_task_id = array<i32: 0, 1>}
// CHECK:       } {async_task_id = array<i32: 0, 1>}
// CHECK:       tt.store {{.*}} {async_task_id = array<i32: 1>}
tt.func @loop(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>, %n: i32) {
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %at = %c0) -> (f32, i32) : i32 {
    %p = tt.addptr %from, %at : !tt.ptr<f32>, i32
    %x = tt.load %p {async_task_id = array<i32: 0>} : !tt.ptr<f32>
    %s = arith.addf %sum, %x {async_task_id = array<i32: 1>} : f32
    %next = arith.addi %at, %c64 {async_task_id = array<i32: 0>} : i32
    scf.yield %s, %next : f32, i32
  }
  tt.store %to, %r#0 {async_task_id = array<i32: 1>} : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @branch
// CHECK:       arith.cmpi {{.*}} {async_task_id = array<i32: 0, 2>}
// CHECK:       scf.if
// CHECK:         arith.addi {{.*}} {async_task_id = array<i32: 2>}
// CHECK:         tt.store {{.*}} {async_task_id = array<i32: 0>}
// CHECK:         scf.yield {async_task_id = array<i32: 0, 2>}
// CHECK:       } {async_task_id = array<i32: 0, 2>}
tt.func @branch(%a: i32, %to: !tt.ptr<i32>) {
  %c = arith.cmpi sgt, %a, %a : i32
  %r = scf.if %c -> (i32) {
    %b = arith.addi %a, %a : i32
    tt.store %to, %a {async_task_id = array<i32: 0>} : !tt.ptr<i32>
    scf.yield %b : i32
  } else {
    scf.yield %a : i32
  }
  tt.store %to, %r {async_task_id = array<i32: 2>} : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @nothing
// CHECK-NOT:   async_task_id
tt.func @nothing(%a: i32, %to: !tt.ptr<i32>) {
  %b = arith.addi %a, %a : i32
  tt.store %to, %b : !tt.ptr<i32>
  tt.return
}
