// RUN: tritcc -x ttir -passes=code-sinking %s | FileCheck %s
// positive: @behind_loop @behind_if @chain @number
// negative: @written @used_inside @carried @kept_alive @volatile
// loop: @behind_loop
// if: @behind_if

// CHECK-LABEL: @behind_loop
// CHECK-NOT: tt.load
// CHECK: scf.for
// CHECK: }
// CHECK: [[B:%.+]] = tt.load %arg0
// CHECK-NEXT: arith.addf {{%.+}}, [[B]]
tt.func public @behind_loop(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %b = tt.load %p : tensor<64x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %s = arith.addf %a, %a : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  %s = arith.addf %r, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// CHECK-LABEL: @behind_if
// CHECK: scf.if
// CHECK: tt.load
// CHECK: }
// CHECK: tt.load %arg0
tt.func public @behind_if(%p: tensor<64x!tt.ptr<f32>>, %q: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  %b = tt.load %p : tensor<64x!tt.ptr<f32>>
  %r = scf.if %c -> (tensor<64xf32>) {
    %v = tt.load %q : tensor<64x!tt.ptr<f32>>
    scf.yield %v : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %s = arith.addf %r, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// Pointers and what is loaded move together.
// CHECK-LABEL: @chain
// CHECK-NOT: tt.addptr
// CHECK: scf.for
// CHECK: }
// CHECK: tt.addptr
// CHECK: tt.load
// CHECK: arith.extf
tt.func public @chain(%p: !tt.ptr<f16>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %at = tt.addptr %q, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %h = tt.load %at : tensor<64x!tt.ptr<f16>>
  %b = arith.extf %h : tensor<64xf16> to tensor<64xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %s = arith.addf %a, %a : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  %s = arith.addf %r, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// What is no memory may cross a write.
// CHECK-LABEL: @number
// CHECK: scf.for
// CHECK: tt.store
// CHECK: }
// CHECK: arith.addf %arg1, %arg1
tt.func public @number(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %b = arith.addf %x, %x : tensor<64xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
  }
  %s = arith.mulf %x, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// CHECK-LABEL: @written
// CHECK: tt.load
// CHECK: scf.for
tt.func public @written(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %b = tt.load %p : tensor<64x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
  }
  %s = arith.mulf %x, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// CHECK-LABEL: @used_inside
// CHECK: tt.load
// CHECK: scf.if
tt.func public @used_inside(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  %b = tt.load %p : tensor<64x!tt.ptr<f32>>
  %r = scf.if %c -> (tensor<64xf32>) {
    scf.yield %b : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %s = arith.addf %r, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// CHECK-LABEL: @carried
// CHECK: tt.load
// CHECK: scf.for
tt.func public @carried(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %b = tt.load %p : tensor<64x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %b) -> (tensor<64xf32>) : i32 {
    %s = arith.addf %a, %a : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// What is loaded is needed before; its sum stays, as registers would hold what is loaded instead.
// CHECK-LABEL: @kept_alive
// CHECK: arith.addf
// CHECK: tt.store
// CHECK: scf.for
tt.func public @kept_alive(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %l = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.store %p, %l : tensor<64x!tt.ptr<f32>>
  %b = arith.addf %l, %l : tensor<64xf32>
  tt.store %p, %x : tensor<64x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<64xf32>) : i32 {
    %s = arith.addf %a, %a : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  %s = arith.mulf %r, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// CHECK-LABEL: @volatile
// CHECK: tt.load
// CHECK: scf.if
tt.func public @volatile(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  %b = tt.load %p {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  %r = scf.if %c -> (tensor<64xf32>) {
    %d = arith.addf %x, %x : tensor<64xf32>
    scf.yield %d : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %s = arith.addf %r, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}
