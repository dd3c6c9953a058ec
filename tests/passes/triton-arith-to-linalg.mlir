// RUN: tritcc -x ttir -passes=triton-arith-to-linalg %s | FileCheck %s
// positive: @made @product @reduced @scanned @shaped @counted @carried @chosen @called @packed @summed @said
// negative: @kept
// loop: @carried
// if: @chosen

// CHECK-LABEL: tt.func @made
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: linalg.fill
// CHECK: arith.addi
tt.func @made(%x: i32) -> tensor<64xi32> {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %x : i32 -> tensor<64xi32>
  %v = arith.addi %r, %s : tensor<64xi32>
  tt.return %v : tensor<64xi32>
}

// CHECK-LABEL: tt.func @product
// CHECK: linalg.matmul {input_precision = "tf32"} ins(%{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<8x16xf32>) outs(%{{.*}} : tensor<16x16xf32>)
tt.func @product(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x8xf32> * tensor<8x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// CHECK-LABEL: tt.func @reduced
// CHECK: linalg.reduce
// CHECK-SAME: dimensions = [1]
tt.func @reduced(%x: tensor<16x8xf32>) -> tensor<16xf32> {
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x8xf32>) -> tensor<16xf32>
  tt.return %s : tensor<16xf32>
}

// CHECK-LABEL: tt.func @scanned
// CHECK: scf.for
// CHECK: tensor.extract_slice
// CHECK: tensor.insert_slice
tt.func @scanned(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  tt.return %s : tensor<16x8xf32>
}

// CHECK-LABEL: tt.func @shaped
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: linalg.broadcast
// CHECK: tensor.insert_slice
// CHECK: tensor.extract_slice
tt.func @shaped(%x: tensor<16x8xf32>) -> (tensor<128xf32>, tensor<4x16xf32>, tensor<16x8xf32>) {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x8xf32> -> tensor<8x16xf32>
  %r = tt.reshape %t : tensor<8x16xf32> -> tensor<128xf32>
  %z = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %f = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %e = tt.expand_dims %f {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %b = tt.broadcast %e : tensor<1x16xf32> -> tensor<4x16xf32>
  %j = tt.join %x, %x : tensor<16x8xf32> -> tensor<16x8x2xf32>
  %l, %h = tt.split %j : tensor<16x8x2xf32> -> tensor<16x8xf32>
  tt.return %r, %b, %h : tensor<128xf32>, tensor<4x16xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: tt.func @counted
// CHECK: scf.for
// CHECK: arith.cmpi ult
tt.func @counted(%x: tensor<64xi32>) -> tensor<8xi32> {
  %h = tt.histogram %x : tensor<64xi32> -> tensor<8xi32>
  tt.return %h : tensor<8xi32>
}

// CHECK-LABEL: tt.func @carried
// CHECK: scf.for
// CHECK: linalg.fill
tt.func @carried(%n: i32, %x: f32, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<8xf32>) : i32 {
    %s = tt.splat %x : f32 -> tensor<8xf32>
    %b = arith.addf %a, %s : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  tt.return %l : tensor<8xf32>
}

// CHECK-LABEL: tt.func @chosen
// CHECK: scf.if
// CHECK: linalg.fill
tt.func @chosen(%c: i1, %x: f32, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.if %c -> (tensor<8xf32>) {
    %s = tt.splat %x : f32 -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  }
  tt.return %r : tensor<8xf32>
}

// Functions of libraries are called for each element.
// CHECK-LABEL: tt.func @called
// CHECK: linalg.generic
// CHECK: func.call @__nv_hypotf(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: call @__nv_hypotf
tt.func @called(%x: tensor<8xf32>, %s: f32) -> (tensor<8xf32>, f32) {
  %y = tt.extern_elementwise %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = tt.extern_elementwise %s, %s {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} : (f32, f32) -> f32
  tt.return %y, %z : tensor<8xf32>, f32
}

// CHECK-LABEL: tt.func @packed
// CHECK: tensor.extract_slice %{{.*}}[0] [4] [2]
// CHECK: tensor.extract_slice %{{.*}}[1] [4] [2]
// CHECK: linalg.generic
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [4] [2]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1] [4] [2]
tt.func @packed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %b, %a : f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

// Floats of 8 bits are added in f32.
// CHECK-LABEL: tt.func @summed
// CHECK: arith.addf %{{.*}} : tensor<8xf32>
// CHECK: arith.minui
tt.func @summed(%x: tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN> {
  %y = arith.addf %x, %x : tensor<8xf8E4M3FN>
  tt.return %y : tensor<8xf8E4M3FN>
}

// CHECK-LABEL: tt.func @said
// CHECK: scf.for
// CHECK: func.call @triton_print_0(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32, index, f32) -> ()
// CHECK: call @triton_assert_0(%{{.*}}) : (i32, i32, i32, i1) -> ()
tt.func @said(%x: tensor<8xf32>, %c: i1) {
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<8xf32>
  tt.assert %c, "holds" : i1
  tt.return
}

// CHECK-LABEL: tt.func @kept
// CHECK-NEXT: arith.mulf %{{.*}} : tensor<8xf32>
// CHECK-NEXT: math.exp
tt.func @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = arith.mulf %x, %x : tensor<8xf32>
  %z = math.exp %y : tensor<8xf32>
  tt.return %z : tensor<8xf32>
}
