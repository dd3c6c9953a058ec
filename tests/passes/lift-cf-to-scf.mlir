// RUN: tritcc -x ttir -passes=lift-cf-to-scf %s | FileCheck %s
// RUN: tritcc -x ttir -passes=triton-to-linalg %s | FileCheck --check-prefix=LINALG %s
// positive: @early @counted @classes
// negative: @done
// loop: @counted
// if: @early

// LINALG-NOT: {{[^s]cf[.]}}
// CHECK-LABEL: tt.func public @early(
// CHECK: scf.if
// CHECK-NOT: {{[^s]cf[.]}}
// CHECK: tt.store
// CHECK: tt.return
// CHECK-NOT: tt.return
// CHECK-LABEL: tt.func public @counted(
tt.func public @early(%p: !tt.ptr<f32>, %n: i32) {
  %i = tt.get_program_id x : i32
  %c = arith.cmpi sge, %i, %n : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %v = arith.sitofp %i : i32 to f32
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  tt.store %q, %v : !tt.ptr<f32>
  tt.return
}

// CHECK: scf.while
// CHECK-NOT: {{[^s]cf[.]}}
// CHECK: tt.store
tt.func public @counted(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %x = tt.addptr %b, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  cf.br ^head(%c0, %zero : i32, tensor<16xf32>)
^head(%k: i32, %sum: tensor<16xf32>):
  %more = arith.cmpi slt, %k, %n : i32
  cf.cond_br %more, ^body, ^end
^body:
  %v = tt.load %x : tensor<16x!tt.ptr<f32>>
  %s = arith.addf %sum, %v : tensor<16xf32>
  %next = arith.addi %k, %c1 : i32
  cf.br ^head(%next, %s : i32, tensor<16xf32>)
^end:
  tt.store %x, %sum : tensor<16x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func private @class(
// CHECK-NOT: {{[^s]cf[.]}}
tt.func private @class(%i: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c = arith.cmpi sgt, %i, %c3 : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %c0 : i32
^bb2:
  tt.return %c3 : i32
}
// CHECK-LABEL: tt.func public @classes(
// CHECK: scf.index_switch
tt.func public @classes(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  cf.switch %n : i32, [default: ^bb1, 7: ^bb2, 9: ^bb3]
^bb1:
  %v = tt.call @class(%n) : (i32) -> i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
^bb2:
  tt.store %p, %c1 : !tt.ptr<i32>
  tt.return
^bb3:
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: tt.func public @done(
// CHECK-NEXT: tt.store
tt.func public @done(%p: !tt.ptr<i32>, %n: i32) {
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}
