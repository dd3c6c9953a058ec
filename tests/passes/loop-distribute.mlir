// RUN: tritcc -x ttir -passes=loop-distribute %s | FileCheck %s
// positive: @two @own @branch
// negative: @one @other_sum @written @result_used @from_result
// loop: @two
// if: @branch

// CHECK-LABEL: @two
// CHECK: [[S:%.+]]:2 = scf.for
// CHECK: [[P:%.+]] = tt.load %arg0
// CHECK-NEXT: [[Q:%.+]] = tt.load %arg1
// CHECK-NEXT: [[D:%.+]] = tt.dot [[P]], [[Q]], [[X:%.+]] :
// CHECK-NEXT: scf.yield [[D]], %
// CHECK: [[T:%.+]]:2 = scf.for
// CHECK: [[P2:%.+]] = tt.load %arg0
// CHECK-NEXT: [[U:%.+]] = tt.load %arg2
// CHECK-NEXT: [[E:%.+]] = tt.dot [[P2]], [[U]],
// CHECK-NEXT: scf.yield %{{.+}}, [[E]]
// CHECK: tt.return [[S]]#0, [[T]]#1
tt.func public @two(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %d = tt.dot %p, %q, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = tt.dot %p, %u, %y : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// A product may read its own sum.
// CHECK-LABEL: @own
// CHECK: scf.for
// CHECK: arith.truncf
// CHECK: scf.for
// CHECK-NOT: arith.truncf
// CHECK: tt.return
tt.func public @own(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %h = arith.truncf %x : tensor<32x32xf32> to tensor<32x32xf16>
    %d = tt.dot %p, %h, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = tt.dot %p, %u, %y : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @one
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @one(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %d = tt.dot %p, %q, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.extf %u : tensor<32x32xf16> to tensor<32x32xf32>
    %e = arith.addf %h, %y : tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @other_sum
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @other_sum(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %h = arith.truncf %x : tensor<32x32xf32> to tensor<32x32xf16>
    %d = tt.dot %p, %q, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %g = arith.addf %h, %u : tensor<32x32xf16>
    %e = tt.dot %p, %g, %y : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @written
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @written(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %d = tt.dot %p, %q, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = tt.dot %p, %u, %y : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    tt.store %o, %z : tensor<32x32x!tt.ptr<f32>>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @result_used
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @result_used(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %d = tt.dot %p, %q, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf16>
    %g = arith.addf %h, %u : tensor<32x32xf16>
    %e = tt.dot %p, %g, %y : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @from_result
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @from_result(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %o: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %d = tt.dot %p, %q, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.addf %x, %y : tensor<32x32xf32>
    %e = tt.dot %p, %u, %h : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @branch
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tt.load %arg2
// CHECK: scf.for
// CHECK: tt.load %arg2
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func public @branch(%a: tensor<32x32x!tt.ptr<f16>>, %b: tensor<32x32x!tt.ptr<f16>>, %c: tensor<32x32x!tt.ptr<f16>>, %on: i1) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 9 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %p = tt.load %a : tensor<32x32x!tt.ptr<f16>>
    %q = tt.load %b : tensor<32x32x!tt.ptr<f16>>
    %u = tt.load %c : tensor<32x32x!tt.ptr<f16>>
    %g = scf.if %on -> (tensor<32x32xf16>) {
      scf.yield %q : tensor<32x32xf16>
    } else {
      %v = tt.load %c : tensor<32x32x!tt.ptr<f16>>
      scf.yield %v : tensor<32x32xf16>
    }
    %d = tt.dot %p, %g, %x : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = tt.dot %p, %u, %y : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32x32xf32>
}
