// RUN: tritcc -x ttir -passes=combine %s | FileCheck %s
// positive: @dot_add @select_load @addptr @sum_of_products @reshape_order @in_loop
// negative: @dot_add_not @select_load_not
// loop: @in_loop

// CHECK-LABEL: @dot_add
tt.func public @dot_add(%a: tensor<32x16xf16>, %b: tensor<16x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
  // CHECK: [[D:%.+]] = tt.dot %{{.*}}, %{{.*}}, %arg2 :
  // CHECK-NEXT: tt.return [[D]]
  %d = tt.dot %a, %b, %zero : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
  %r = arith.addf %c, %d : tensor<32x32xf32>
  tt.return %r : tensor<32x32xf32>
}

// Another user needs the bare product; an accumulator is taken already.
// CHECK-LABEL: @dot_add_not
tt.func public @dot_add_not(%a: tensor<32x16xf16>, %b: tensor<16x32xf16>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
  // CHECK-COUNT-2: arith.addf
  %d = tt.dot %a, %b, %zero : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
  %r = arith.addf %c, %d : tensor<32x32xf32>
  %e = tt.dot %a, %b, %c : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
  %s = arith.addf %c, %e : tensor<32x32xf32>
  tt.return %d, %r, %s : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @select_load
tt.func public @select_load(%p: tensor<128x!tt.ptr<f32>>, %c: i1, %f: tensor<128xf32>) -> tensor<128xf32> {
  %m = tt.splat %c : i1 -> tensor<128xi1>
  // CHECK: [[M:%.+]] = tt.splat %arg1
  // CHECK: tt.load %arg0, [[M]], %arg2 evictionPolicy = evict_last
  // CHECK-NOT: arith.select
  %v = tt.load %p, %m evictionPolicy = evict_last : tensor<128x!tt.ptr<f32>>
  %r = arith.select %c, %v, %f : tensor<128xf32>
  tt.return %r : tensor<128xf32>
}

// The mask is another condition.
// CHECK-LABEL: @select_load_not
tt.func public @select_load_not(%p: tensor<128x!tt.ptr<f32>>, %c: i1, %d: i1, %f: tensor<128xf32>) -> tensor<128xf32> {
  %m = tt.splat %d : i1 -> tensor<128xi1>
  // CHECK: arith.select
  %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>>
  %r = arith.select %c, %v, %f : tensor<128xf32>
  tt.return %r : tensor<128xf32>
}

// CHECK-LABEL: @addptr
tt.func public @addptr(%p: !tt.ptr<f32>, %i: i64, %j: i64) -> !tt.ptr<f32> {
  // CHECK: [[S:%.+]] = arith.addi %arg1, %arg2 : i64
  // CHECK: tt.addptr %arg0, [[S]] {tt.divisibility = 8 : i32} : !tt.ptr<f32>, i64
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %r = tt.addptr %q, %j {tt.divisibility = 8 : i32} : !tt.ptr<f32>, i64
  tt.return %r : !tt.ptr<f32>
}

// The sum of two 32-bit offsets could wrap around.
// CHECK-LABEL: @addptr_not
tt.func public @addptr_not(%p: !tt.ptr<f32>, %i: i32, %j: i32) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  // CHECK-NOT: arith.addi
  // CHECK-COUNT-4: tt.addptr
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %j : !tt.ptr<f32>, i32
  %big = arith.constant 2147483647 : i32
  %s = tt.addptr %p, %big : !tt.ptr<f32>, i32
  %t = tt.addptr %s, %big : !tt.ptr<f32>, i32
  tt.return %r, %t : !tt.ptr<f32>, !tt.ptr<f32>
}

// CHECK-LABEL: @sum_of_products
tt.func public @sum_of_products(%x: tensor<32x16xf32>, %y: tensor<16x32xf32>) -> tensor<32x32xf32> {
  // CHECK: tt.dot %arg0, %arg1, %{{.*}} : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  // CHECK-NOT: tt.reduce
  %x1 = tt.expand_dims %x {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %x2 = tt.broadcast %x1 : tensor<32x16x1xf32> -> tensor<32x16x32xf32>
  %y1 = tt.expand_dims %y {axis = 0 : i32} : tensor<16x32xf32> -> tensor<1x16x32xf32>
  %y2 = tt.broadcast %y1 : tensor<1x16x32xf32> -> tensor<32x16x32xf32>
  %p = arith.mulf %x2, %y2 : tensor<32x16x32xf32>
  %r = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x16x32xf32>) -> tensor<32x32xf32>
  tt.return %r : tensor<32x32xf32>
}

// What is beside it keeps its own order: here the indices, and a mask.
// CHECK-LABEL: @reshape_beside_others
tt.func public @reshape_beside_others(%x: tensor<32x16xi32>, %i: tensor<512xi32>, %m: tensor<512xi1>) -> (i32, tensor<16xi32>) {
  // CHECK-NOT: allow_reorder
  // CHECK: tt.return
  %v = tt.reshape %x : tensor<32x16xi32> -> tensor<512xi32>
  %r:2 = "tt.reduce"(%v, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %k: i32, %b: i32, %l: i32):
    %c = arith.cmpi sgt, %a, %b : i32
    %s = arith.select %c, %a, %b : i32
    %t = arith.select %c, %k, %l : i32
    tt.reduce.return %s, %t : i32, i32
  }) : (tensor<512xi32>, tensor<512xi32>) -> (i32, i32)
  %w = tt.reshape %x : tensor<32x16xi32> -> tensor<512xi32>
  %h = tt.histogram %w, %m : tensor<512xi32> -> tensor<16xi32>
  tt.return %r#1, %h : i32, tensor<16xi32>
}

// CHECK-LABEL: @reshape_order
tt.func public @reshape_order(%x: tensor<32x16xf32>) -> (f32, tensor<512xf32>) {
  // CHECK: tt.reshape %arg0 allow_reorder
  %v = tt.reshape %x : tensor<32x16xf32> -> tensor<512xf32>
  %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<512xf32>) -> f32
  // Here the order is seen.
  // CHECK: tt.reshape %arg0 : tensor
  %w = tt.reshape %x : tensor<32x16xf32> -> tensor<512xf32>
  tt.return %r, %w : f32, tensor<512xf32>
}

// CHECK-LABEL: @in_loop
tt.func public @in_loop(%a: tensor<32x16xf16>, %b: tensor<16x32xf16>, %n: i32) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
  // CHECK: scf.for {{.*}} iter_args([[ACC:%.+]] = %{{.*}})
  // CHECK-NEXT: [[D:%.+]] = tt.dot %arg0, %arg1, [[ACC]] :
  // CHECK-NEXT: scf.yield [[D]]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tt.dot %a, %b, %zero : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
    %s = arith.addf %acc, %d : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  tt.return %r : tensor<32x32xf32>
}

// 64-bit numbers that were 32-bit ones; of a number that 32 bits do not hold none is equal.
// CHECK-LABEL: @compare
tt.func public @compare(%x: tensor<64xi32>, %y: tensor<64xi32>, %t: i64) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  // CHECK-DAG: [[LESS:%.+]] = arith.cmpi slt, %arg0, %arg1 : tensor<64xi32>
  // CHECK-DAG: [[UNSIGNED:%.+]] = arith.cmpi ult, %arg0, %arg1 : tensor<64xi32>
  // CHECK: [[LOW:%.+]] = arith.trunci %arg2 : i64 to i32
  // CHECK-NEXT: [[AGAIN:%.+]] = arith.extsi [[LOW]] : i32 to i64
  // CHECK-NEXT: [[FITS:%.+]] = arith.cmpi eq, [[AGAIN]], %arg2 : i64
  // CHECK-NEXT: [[LOWS:%.+]] = tt.splat [[LOW]] : i32 -> tensor<64xi32>
  // CHECK-NEXT: [[IS:%.+]] = arith.cmpi eq, %arg0, [[LOWS]] : tensor<64xi32>
  // CHECK-NEXT: [[FIT:%.+]] = tt.splat [[FITS]] : i1 -> tensor<64xi1>
  // CHECK-NEXT: [[BOTH:%.+]] = arith.andi [[IS]], [[FIT]] : tensor<64xi1>
  // CHECK: [[AGAIN:%.+]] = arith.extui {{.*}} : i32 to i64
  // CHECK-NEXT: [[FAILS:%.+]] = arith.cmpi ne, [[AGAIN]], %arg2 : i64
  // CHECK: [[OTHER:%.+]] = arith.cmpi ne, %arg0, {{.*}} : tensor<64xi32>
  // CHECK-NEXT: [[FAIL:%.+]] = tt.splat [[FAILS]] : i1 -> tensor<64xi1>
  // CHECK-NEXT: [[ANY:%.+]] = arith.ori [[OTHER]], [[FAIL]] : tensor<64xi1>
  // CHECK: tt.return [[LESS]], [[UNSIGNED]], [[BOTH]], [[ANY]]
  %sx = arith.extsi %x : tensor<64xi32> to tensor<64xi64>
  %sy = arith.extsi %y : tensor<64xi32> to tensor<64xi64>
  %ux = arith.extui %x : tensor<64xi32> to tensor<64xi64>
  %uy = arith.extui %y : tensor<64xi32> to tensor<64xi64>
  %s = tt.splat %t : i64 -> tensor<64xi64>
  %a = arith.cmpi slt, %sx, %sy : tensor<64xi64>
  %b = arith.cmpi slt, %ux, %uy : tensor<64xi64>
  %c = arith.cmpi eq, %sx, %s : tensor<64xi64>
  %d = arith.cmpi ne, %ux, %s : tensor<64xi64>
  tt.return %a, %b, %c, %d : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}

// Order against one number, narrower numbers, and one extension of each kind stay as they are.
// CHECK-LABEL: @compare_not
tt.func public @compare_not(%x: tensor<64xi32>, %h: tensor<64xi16>, %t: i64, %u: i32) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  // CHECK-DAG: arith.cmpi slt, {{.*}} : tensor<64xi64>
  // CHECK-DAG: arith.cmpi eq, {{.*}} : tensor<64xi32>
  // CHECK-DAG: arith.cmpi eq, {{.*}} : tensor<64xi64>
  %sx = arith.extsi %x : tensor<64xi32> to tensor<64xi64>
  %ux = arith.extui %x : tensor<64xi32> to tensor<64xi64>
  %sh = arith.extsi %h : tensor<64xi16> to tensor<64xi32>
  %s = tt.splat %t : i64 -> tensor<64xi64>
  %v = tt.splat %u : i32 -> tensor<64xi32>
  %a = arith.cmpi slt, %sx, %s : tensor<64xi64>
  %b = arith.cmpi eq, %sh, %v : tensor<64xi32>
  %c = arith.cmpi eq, %sx, %ux : tensor<64xi64>
  tt.return %a, %b, %c : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}
