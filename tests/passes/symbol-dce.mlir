// RUN: tritcc -x ttir -passes=symbol-dce %s | FileCheck %s
// positive: @unused @ring @ring_too
// negative: @kernel @used @in_loop @deep
// loop: @in_loop
// if: @in_loop @ring

// CHECK: tt.func public @kernel
// CHECK: tt.func private @used
// CHECK-NOT: @unused
tt.func public @kernel(%x: f32) -> f32 {
  %y = tt.call @used(%x) : (f32) -> f32
  tt.return %y : f32
}
tt.func private @used(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func private @unused(%x: f32) -> f32 {
  tt.return %x : f32
}

// A call counts wherever it stands; functions that only call one another do not.
// CHECK: tt.func public @in_loop
// CHECK: tt.call @deep
// CHECK: tt.func private @deep
// CHECK-NOT: @ring
tt.func public @in_loop(%x: f32, %n: i32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %v = scf.if %c -> f32 {
      %y = tt.call @deep(%a) : (f32) -> f32
      scf.yield %y : f32
    } else {
      scf.yield %a : f32
    }
    scf.yield %v : f32
  }
  tt.return %r : f32
}
tt.func private @deep(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func private @ring(%x: f32, %c: i1) -> f32 {
  %r = scf.if %c -> f32 {
    %y = tt.call @ring_too(%x, %c) : (f32, i1) -> f32
    scf.yield %y : f32
  } else {
    scf.yield %x : f32
  }
  tt.return %r : f32
}
tt.func private @ring_too(%x: f32, %c: i1) -> f32 {
  %y = tt.call @ring(%x, %c) : (f32, i1) -> f32
  tt.return %y : f32
}
