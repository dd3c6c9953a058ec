// RUN: tritcc -x ttir -passes=convert-scf-to-cf %s | FileCheck %s
// positive: @loop
// negative: @straight
// loop: @loop
// if: @loop

// CHECK-LABEL: @loop
// CHECK: cf.br ^bb1(%{{.*}}, %arg1 : i32, f32)
// CHECK: ^bb1([[I:%.+]]: i32, [[V:%.+]]: f32):
// CHECK: [[C:%.+]] = arith.cmpi slt, [[I]], %arg0 : i32
// CHECK: cf.cond_br [[C]], ^bb2, ^bb7
// CHECK: cf.cond_br %arg2
// CHECK-NOT: scf.
// CHECK: tt.return [[V]] : f32
tt.func public @loop(%n: i32, %x: f32, %c: i1) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f32) : i32 {
    %w = scf.if %c -> f32 {
      %y = arith.mulf %v, %v : f32
      scf.yield %y : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %w : f32
  }
  tt.return %r : f32
}

// Nothing structured, nothing to do.
// CHECK-LABEL: @straight
// CHECK-NEXT: tt.return %arg0 : f32
tt.func public @straight(%x: f32) -> f32 {
  tt.return %x : f32
}
