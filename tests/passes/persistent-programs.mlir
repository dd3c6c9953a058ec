// RUN: tritcc -x ttir -passes=persistent-programs %s | FileCheck %s
// RUN: tritcc -x ttir -passes=persistent-programs -Rpass=programs -Rpass-missed=programs %s -o %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: tritcc -x ttir '-passes=persistent-programs{split=0 shared=49152}' %s | FileCheck %s --check-prefix=NARROW
// RUN: tritcc -x ttir '-passes=persistent-programs{gains=1 num-stages=3 num-warps=4 shared=90000}' %s | FileCheck %s --check-prefix=GAINS
// positive: @tiles @wide @heads @causal
// negative: @counted @two @own @pointers @narrow_loop
// loop: @tiles @wide @heads @causal @counted @two @own @pointers
// if: @narrow_loop

// The caller's grid comes behind the other arguments; what is the same for all programs stays in front of the loop.
// SAID: as many programs as fit on the device go through the grid
// CHECK-LABEL: @tiles
// CHECK-SAME: %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32) attributes {tritcc.persistent}
// CHECK: tt.make_tensor_descriptor
// CHECK: [[P:%.+]] = arith.muli %arg4, %arg5
// CHECK: [[ALL:%.+]] = arith.muli [[P]], %arg6
// CHECK: scf.for [[T:%.+]] = %{{.*}} to [[ALL]] step %
// CHECK: [[ROW:%.+]] = arith.divsi [[T]], %arg4
// CHECK: [[X:%.+]] = arith.remsi [[T]], %arg4
// CHECK: [[Y:%.+]] = arith.remsi [[ROW]], %arg5
// CHECK: [[M:%.+]] = arith.muli [[X]], %c64
// CHECK: [[N:%.+]] = arith.muli [[Y]], %arg4
// CHECK: scf.for
// CHECK: tt.dot
// CHECK: tt.descriptor_store {{.*}}{{\[}}[[M]], [[N]]]
// CHECK: } {tt.warp_specialize}
// NARROW-LABEL: @tiles
// NARROW-NOT: warp_specialize
// The loads' three stages leave no room for a second block.
// GAINS-LABEL: @tiles
// GAINS: tt.warp_specialize
tt.func public @tiles(%a: !tt.tensordesc<64x64xf16>, %b: !tt.tensordesc<64x64xf16>, %c: !tt.ptr<f32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1 = arith.constant 1 : i64
  %size = arith.extsi %k : i32 to i64
  %o = tt.make_tensor_descriptor %c, [%k, %k], [%size, %c1] : !tt.ptr<f32>, !tt.tensordesc<64x64xf32>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %nx = tt.get_num_programs x : i32
  %m = arith.muli %x, %c64 : i32
  %n = arith.muli %y, %nx : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%m, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %q = tt.descriptor_load %b[%i, %n] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %q, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %o[%m, %n], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// What is stored has no room beside two stages of what is loaded: it is cut.
// CHECK-LABEL: @wide
// CHECK-NOT: tt.split
// CHECK: tt.descriptor_store
// NARROW-LABEL: @wide
// NARROW: tt.make_tensor_descriptor {{.*}}<64x64xf32>
// NARROW: scf.for
// NARROW: [[A:%.+]] = tt.reshape {{.*}} -> tensor<64x2x64xf32>
// NARROW: [[B:%.+]] = tt.trans [[A]] {order = array<i32: 0, 2, 1>}
// NARROW: [[L:%.+]], [[R:%.+]] = tt.split [[B]]
// NARROW: tt.descriptor_store [[D:%.+]][%{{.*}}, [[N:%.+]]], [[L]]
// NARROW: tt.descriptor_store [[D]][%{{.*}}, [[N2:%.+]]], [[R]]
// These do, and attention by four warps has blocks beside it in any case.
// GAINS-LABEL: @wide
// GAINS-NOT: tt.warp_specialize
tt.func public @wide(%a: !tt.tensordesc<64x32xf16>, %b: !tt.tensordesc<32x128xf16>, %c: !tt.ptr<f32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %size = arith.extsi %k : i32 to i64
  %o = tt.make_tensor_descriptor %c, [%k, %k], [%size, %c1] : !tt.ptr<f32>, !tt.tensordesc<64x128xf32>
  %x = tt.get_program_id x : i32
  %r = scf.for %i = %c0 to %k step %c32 iter_args(%s = %zero) -> (tensor<64x128xf32>) : i32 {
    %p = tt.descriptor_load %a[%x, %i] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>
    %q = tt.descriptor_load %b[%i, %x] : !tt.tensordesc<32x128xf16> -> tensor<32x128xf16>
    %d = tt.dot %p, %q, %s : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.descriptor_store %o[%x, %x], %r : !tt.tensordesc<64x128xf32>, tensor<64x128xf32>
  tt.return
}

// SAID: the grid stays as it is: it has atomics
// CHECK-LABEL: @counted
// CHECK-NOT: tritcc.persistent
tt.func public @counted(%a: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %n: !tt.ptr<i32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %x = tt.atomic_rmw add, acq_rel, gpu, %n, %c64, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%x, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %p, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%x, %x], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// SAID: the grid stays as it is: operands of products do not come through tensor maps
// CHECK-LABEL: @two
// CHECK-NOT: tritcc.persistent
tt.func public @two(%a: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%x, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %p, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %e = tt.dot %p, %p, %d : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%x, %x], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// A descriptor of each program's own: no map has what lies between two of them.
// SAID: the grid stays as it is: operands of products do not come through tensor maps that all programs can share
// CHECK-LABEL: @own
// CHECK-NOT: tritcc.persistent
tt.func public @own(%a: !tt.ptr<f16>, %c: !tt.tensordesc<64x64xf32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1 = arith.constant 1 : i64
  %size = arith.extsi %k : i32 to i64
  %x = tt.get_program_id x : i32
  %mine = tt.addptr %a, %x : !tt.ptr<f16>, i32
  %o = tt.make_tensor_descriptor %mine, [%k, %k], [%size, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %o[%c0, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %p, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%x, %x], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// SAID: the grid stays as it is: operands of products do not come through tensor maps
// CHECK-LABEL: @pointers
// CHECK-NOT: tritcc.persistent
tt.func public @pointers(%a: tensor<64x64x!tt.ptr<f16>>, %c: !tt.tensordesc<64x64xf32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.load %a : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %p, %p, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%x, %x], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// SAID: the grid stays as it is: a product stands in a branch
// CHECK-LABEL: @narrow_loop
// CHECK-NOT: tritcc.persistent
tt.func public @narrow_loop(%a: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %yes: i1) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tt.get_program_id x : i32
  %p = tt.descriptor_load %a[%x, %x] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
  %r = scf.if %yes -> (tensor<64x64xf32>) {
    %d = tt.dot %p, %p, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } else {
    scf.yield %zero : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%x, %x], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// What moves a descriptor's base with the program is a dimension of one for all.
// CHECK-LABEL: @heads
// CHECK: [[S:%.+]] = arith.muli %{{.*}}, %c64_i64
// CHECK: [[D:%.+]] = tt.make_tensor_descriptor %arg0, [%c2147483647_i32, %arg2, %{{.*}}], [%{{.*}}, %c64_i64{{.*}}, %c1_i64{{.*}}] : <f16>, <1x64x64xf16>
// CHECK: scf.for
// CHECK: tt.descriptor_load [[D]][%{{.*}}, %{{.*}}, %c0_i32{{.*}}] : !tt.tensordesc<1x64x64xf16> -> tensor<64x64xf16>
tt.func public @heads(%a: !tt.ptr<f16>, %c: !tt.tensordesc<64x64xf32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %w = arith.constant 64 : i64
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %h = arith.extsi %y : i32 to i64
  %m = arith.extsi %n : i32 to i64
  %f = arith.muli %h, %m : i64
  %g = arith.muli %f, %w : i64
  %p = tt.addptr %a, %g : !tt.ptr<f16>, i64
  %d = tt.make_tensor_descriptor %p, [%n, %c64], [%w, %one] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tt.descriptor_load %d[%i, %c0] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %e = tt.dot %v, %v, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%x, %y], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// Two products, and tiles that are the longer the larger x: pairs of a long one and a short one, where x has as many
// tiles as make pairs. Tiles are stored through pointers.
// SAID: go through the grid, a long tile and a short one by turns
// CHECK-LABEL: @causal
// Their numbers are carried: nothing is divided in the loop.
// CHECK: scf.for [[K:%.+]] = %c0{{.*}} to %{{.*}} step %c1{{.*}} iter_args([[X:%.+]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NOT: arith.divsi
// CHECK-NOT: arith.remsi
// CHECK: arith.andi [[K]]
// CHECK: [[NEXT:%.+]] = arith.addi [[X]]
// CHECK: arith.cmpi sge
// CHECK: arith.select
// CHECK: tt.dot
// CHECK: tt.dot
// CHECK-NOT: tt.descriptor_store
// CHECK: tt.store
// CHECK: } {tt.warp_specialize}
tt.func public @causal(%a: !tt.tensordesc<64x64xf16>, %c: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %w = arith.constant 64 : i64
  %o = tt.make_tensor_descriptor %c, [%n, %c64], [%w, %one] : !tt.ptr<f32>, !tt.tensordesc<64x64xf32>
  %x = tt.get_program_id x : i32
  %m = arith.muli %x, %c64 : i32
  %q = tt.descriptor_load %a[%m, %c0] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
  %r = scf.for %i = %c0 to %m step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tt.descriptor_load %a[%i, %c0] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %e = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %f = tt.dot %h, %v, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %f : tensor<64x64xf32>
  }
  tt.descriptor_store %o[%m, %c0], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}
