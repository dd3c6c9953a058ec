// RUN: tritcc -x ttir -passes=mask-analysis,canonicalize,cse %s | FileCheck %s
// positive: @counted @conditions @carried @guarded @box @whole
// negative: @loaded @unmasked
// loop: @carried
// if: @guarded

// The bound counts from the block's first element.
// CHECK-LABEL: tt.func @counted
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32)
// CHECK: %[[W:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[K:.*]] = arith.addi %{{.*}}, %[[W]] : i64
// CHECK: %[[S:.*]] = tt.splat %[[K]] : i64 -> tensor<128xi64>
// CHECK: %[[R:.*]] = arith.extsi %{{.*}} : tensor<128xi32> to tensor<128xi64>
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[R]], %[[S]] : tensor<128xi64>
// CHECK: tt.load %{{.*}}, %[[M]]
tt.func @counted(%x: tensor<128x!tt.ptr<f32>>, %q: tensor<128x!tt.ptr<f32>>, %n: i32) {
  %c = arith.constant 128 : i32
  %pid = tt.get_program_id x : i32
  %b = arith.muli %pid, %c : i32
  %bs = tt.splat %b : i32 -> tensor<128xi32>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %i = arith.addi %bs, %r : tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32>
  %v = tt.load %x, %m : tensor<128x!tt.ptr<f32>>
  tt.store %q, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// What does not depend on the element, and what is known of no element.
// CHECK-LABEL: tt.func @conditions
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[D:[a-z0-9]+]]: tensor<16xi1>
// CHECK: arith.cmpi slt
// CHECK: %[[CS:.*]] = tt.splat %[[C]] : i1 -> tensor<16xi1>
// CHECK: arith.andi %{{.*}}, %[[CS]]
// CHECK: %[[G:.*]] = arith.cmpi sgt, %{{.*}} : i64
// CHECK: tt.splat %[[G]] : i1 -> tensor<16xi1>
// CHECK: %[[A:.*]] = arith.andi %{{.*}}, %[[D]]
// CHECK: tt.load %{{.*}}, %[[A]]
tt.func @conditions(%x: tensor<16x!tt.ptr<f32>>, %q: tensor<16x!tt.ptr<f32>>, %c: i1, %d: tensor<16xi1>, %n: i32, %k: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %ks = tt.splat %k : i32 -> tensor<16xi32>
  %zero = arith.constant dense<0> : tensor<16xi32>
  %cs = tt.splat %c : i1 -> tensor<16xi1>
  %m0 = arith.cmpi slt, %r, %ns : tensor<16xi32>
  %m1 = arith.cmpi sgt, %ks, %zero : tensor<16xi32>
  %m2 = arith.andi %m0, %cs : tensor<16xi1>
  %m3 = arith.andi %m1, %d : tensor<16xi1>
  %m = arith.andi %m3, %m2 : tensor<16xi1>
  %v = tt.load %x, %m : tensor<16x!tt.ptr<f32>>
  tt.store %q, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Indices that a loop carries for the mask alone are carried no longer.
// CHECK-LABEL: tt.func @carried
// CHECK: scf.for %{{.*}} iter_args(%{{[a-z0-9]+}} = %{{[^,]*}}) -> (tensor<64xf32>)
// CHECK: arith.cmpi slt, %{{.*}} : tensor<64xi64>
tt.func @carried(%x: tensor<64x!tt.ptr<f32>>, %q: tensor<64x!tt.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %j = %r) -> (tensor<64xf32>, tensor<64xi32>) : i32 {
    %m = arith.cmpi slt, %j, %ns : tensor<64xi32>
    %v = tt.load %x, %m, %zero : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %a, %v : tensor<64xf32>
    %k = arith.addi %j, %step : tensor<64xi32>
    scf.yield %s, %k : tensor<64xf32>, tensor<64xi32>
  }
  tt.store %q, %l#0 : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A store, and bounds on both sides.
// CHECK-LABEL: tt.func @guarded
// CHECK: arith.cmpi sge, %{{.*}} : tensor<32xi64>
// CHECK: arith.cmpi slt, %{{.*}} : tensor<32xi64>
// CHECK: tt.store
tt.func @guarded(%q: tensor<32x!tt.ptr<f32>>, %v: tensor<32xf32>, %c: i1, %n: i32, %k: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %ks = tt.splat %k : i32 -> tensor<32xi32>
  scf.if %c {
    %a = arith.cmpi sge, %r, %ks : tensor<32xi32>
    %b = arith.cmpi sgt, %ns, %r : tensor<32xi32>
    %m = arith.andi %b, %a : tensor<32xi1>
    tt.store %q, %v, %m : tensor<32x!tt.ptr<f32>>
  }
  tt.return
}

// One bound for each dimension.
// CHECK-LABEL: tt.func @box
// CHECK: %[[A:.*]] = arith.cmpi slt, %{{.*}} : tensor<16xi64>
// CHECK: tt.expand_dims %[[A]] {axis = 1 : i32}
// CHECK: %[[B:.*]] = arith.cmpi slt, %{{.*}} : tensor<8xi64>
// CHECK: tt.expand_dims %[[B]] {axis = 0 : i32}
tt.func @box(%q: tensor<16x8x!tt.ptr<f32>>, %v: tensor<16x8xf32>, %n: i32, %k: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %se = tt.expand_dims %s {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %rb = tt.broadcast %re : tensor<16x1xi32> -> tensor<16x8xi32>
  %sb = tt.broadcast %se : tensor<1x8xi32> -> tensor<16x8xi32>
  %ns = tt.splat %n : i32 -> tensor<16x8xi32>
  %ks = tt.splat %k : i32 -> tensor<16x8xi32>
  %a = arith.cmpi slt, %rb, %ns : tensor<16x8xi32>
  %b = arith.cmpi slt, %sb, %ks : tensor<16x8xi32>
  %m = arith.andi %a, %b : tensor<16x8xi1>
  tt.store %q, %v, %m : tensor<16x8x!tt.ptr<f32>>
  tt.return
}

// A comparison that always holds; the value that is stored is a mask too.
// CHECK-LABEL: tt.func @whole
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<16xi1>
// CHECK: tt.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %[[V]]
// CHECK: tt.store %{{[a-z0-9]+}}, %[[V]] : tensor
tt.func @whole(%x: tensor<16x!tt.ptr<i1>>, %y: tensor<16x!tt.ptr<f32>>, %v: tensor<16xi1>, %f: tensor<16xf32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %on = arith.constant dense<true> : tensor<16xi1>
  %both = arith.andi %v, %on : tensor<16xi1>
  tt.store %y, %f, %both : tensor<16x!tt.ptr<f32>>
  tt.store %x, %v, %on : tensor<16x!tt.ptr<i1>>
  tt.return
}

// CHECK-LABEL: tt.func @loaded
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<16xi1>
// CHECK: tt.store %{{.*}}, %{{.*}}, %[[M]]
tt.func @loaded(%q: tensor<16x!tt.ptr<f32>>, %v: tensor<16xf32>, %m: tensor<16xi1>) {
  tt.store %q, %v, %m : tensor<16x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @unmasked
// CHECK: tt.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor
tt.func @unmasked(%q: tensor<16x!tt.ptr<f32>>, %v: tensor<16xf32>) {
  tt.store %q, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}
