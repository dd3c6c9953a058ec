// RUN: tritcc -x ttir -passes=symbol-dce %s | FileCheck %s

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
