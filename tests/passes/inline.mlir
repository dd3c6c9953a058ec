// RUN: tritcc -x ttir -passes=inline %s | FileCheck %s

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
