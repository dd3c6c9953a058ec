// RUN: tritcc -x ttir -passes=inline %s | FileCheck %s
// positive: @kernel @twice @in_loop
// negative: @caller @kept @blocks_in_loop @blocks @recursive
// loop: @in_loop @blocks_in_loop
// if: @in_loop @blocks @recursive

// CHECK-LABEL: tt.func public @kernel
// CHECK-NEXT: [[S:%.+]] = arith.addf %arg0, %arg0
// CHECK-NEXT: tt.return [[S]]
tt.func public @kernel(%x: f32) -> f32 {
  %y = tt.call @twice(%x) : (f32) -> f32
  tt.return %y : f32
}
tt.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// A function that must not be inlined stays a call.
// CHECK-LABEL: tt.func public @caller
// CHECK-NEXT: tt.call @kept
tt.func public @caller(%x: f32) -> f32 {
  %y = tt.call @kept(%x) : (f32) -> f32
  tt.return %y : f32
}
tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// Into a conditional in a loop.
// CHECK-LABEL: tt.func public @in_loop
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
tt.func public @in_loop(%x: f32, %n: i32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %v = scf.if %c -> f32 {
      %y = tt.call @twice(%a) : (f32) -> f32
      scf.yield %y : f32
    } else {
      scf.yield %a : f32
    }
    scf.yield %v : f32
  }
  tt.return %r : f32
}

// The body of a loop is one block: a function of several stays a call in it. One that calls itself stays, too.
// CHECK-LABEL: tt.func public @blocks_in_loop
// CHECK: scf.for
// CHECK-NEXT: tt.call @blocks
// CHECK-LABEL: tt.func public @recursive
// CHECK: scf.if
// CHECK-NEXT: tt.call @recursive
tt.func public @blocks_in_loop(%x: f32, %n: i32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %y = tt.call @blocks(%a, %c) : (f32, i1) -> f32
    scf.yield %y : f32
  }
  tt.return %r : f32
}
tt.func private @blocks(%x: f32, %c: i1) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x : f32
^bb2:
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}
tt.func public @recursive(%x: f32, %c: i1) -> f32 {
  %r = scf.if %c -> f32 {
    %y = tt.call @recursive(%x, %c) : (f32, i1) -> f32
    scf.yield %y : f32
  } else {
    scf.yield %x : f32
  }
  tt.return %r : f32
}

// What a function says of its values goes along.
// CHECK-LABEL: tt.func public @assumes
// CHECK-NOT: tt.call
// CHECK: llvm.intr.assume
// CHECK: tt.return
tt.func public @assumes(%n: i32) -> i32 {
  %r = tt.call @positive(%n) : (i32) -> i32
  tt.return %r : i32
}
tt.func private @positive(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %c0 : i32
  llvm.intr.assume %c : i1
  %m = arith.addi %n, %n : i32
  tt.return %m : i32
}
