// RUN: tritcc -x ttgir -passes=materialize-block-pointer %s | FileCheck %s
// positive: @rows @columns @descriptors @padded
// negative: @gathered @unaligned @apart @argument
// loop: @rows @descriptors
// if: @descriptors

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#along = #ttg.slice<{dim = 0, parent = #blocked}>
#down = #ttg.slice<{dim = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // Rows of 32 that a loop moves on by whole rows.
  // CHECK-LABEL: @rows
  // CHECK: tt.load %{{.*}} {ttig.block_io = "row_major"}
  // CHECK: tt.store %{{.*}}, %{{.*}} {ttig.block_io = "row_major"}
  tt.func @rows(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #down>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #down> -> tensor<64x1xi32, #blocked>
    %s = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
    %o = arith.muli %m2, %s : tensor<64x1xi32, #blocked>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %b, %o : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #along>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #along> -> tensor<1x32xi32, #blocked>
    %pb = tt.broadcast %p : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %kb = tt.broadcast %k2 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %q = tt.addptr %pb, %kb : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %step = arith.constant dense<32> : tensor<64x32xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %q) -> (tensor<64x32x!tt.ptr<f16>, #blocked>) : i32 {
      %v = tt.load %a : tensor<64x32x!tt.ptr<f16>, #blocked>
      tt.store %a, %v : tensor<64x32x!tt.ptr<f16>, #blocked>
      %next = tt.addptr %a, %step : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      scf.yield %next : tensor<64x32x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
  // What lies side by side is the first of two dimensions.
  // CHECK-LABEL: @columns
  // CHECK: tt.load %{{.*}} {ttig.block_io = "column_major"}
  tt.func @columns(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #blocked> {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #down>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #down> -> tensor<64x1xi32, #blocked>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #along>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #along> -> tensor<1x32xi32, #blocked>
    %s = arith.constant dense<72> : tensor<1x32xi32, #blocked>
    %o = arith.muli %k2, %s : tensor<1x32xi32, #blocked>
    %mb = tt.broadcast %m2 : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %ob = tt.broadcast %o : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %sum = arith.addi %mb, %ob : tensor<64x32xi32, #blocked>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %b, %sum : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return %v : tensor<64x32xf16, #blocked>
  }
  // One of two descriptors alike, whose stride nothing is known of.
  // CHECK-LABEL: @descriptors
  // CHECK: tt.descriptor_load {{.*}} {ttig.block_io = "row_major", ttig.desc_padding = 1 : i32}
  // CHECK: tt.descriptor_store {{.*}} {ttig.block_io = "row_major", ttig.desc_padding = 1 : i32}
  tt.func @descriptors(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32 {tt.divisibility = 16 : i32}, %stride: i64, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %d = scf.if %c -> (!tt.tensordesc<64x32xf16>) {
      %f = tt.make_tensor_descriptor %x, [%c64, %n], [%stride, %one] : <f16>, <64x32xf16>
      scf.yield %f : !tt.tensordesc<64x32xf16>
    } else {
      %g = tt.make_tensor_descriptor %y, [%c64, %n], [%stride, %one] : <f16>, <64x32xf16>
      scf.yield %g : !tt.tensordesc<64x32xf16>
    }
    scf.for %k = %c0 to %n step %c64 : i32 {
      %v = tt.descriptor_load %d[%c0, %k] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #blocked>
      tt.descriptor_store %d[%c0, %k], %v : !tt.tensordesc<64x32xf16>, tensor<64x32xf16, #blocked>
    }
    tt.return
  }
  // An odd column: only its padding is said.
  // CHECK-LABEL: @padded
  // CHECK: tt.descriptor_load {{.*}} {ttig.desc_padding = 2 : i32}
  tt.func @padded(%x: !tt.ptr<f16>, %n: i32 {tt.divisibility = 16 : i32}, %stride: i64, %k: i32) -> tensor<64x32xf16, #blocked> {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%c64, %n], [%stride, %one] {padding = 2 : i32} : <f16>, <64x32xf16>
    %v = tt.descriptor_load %d[%c0, %k] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #blocked>
    tt.return %v : tensor<64x32xf16, #blocked>
  }
  // Rows that a list picks are no block, however they are aligned.
  // CHECK-LABEL: @gathered
  // CHECK-NOT: ttig.block_io
  // CHECK: tt.return
  tt.func @gathered(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %list: tensor<64x1x!tt.ptr<i32>, #blocked>) -> tensor<64x32xf16, #blocked> {
    %m = tt.load %list : tensor<64x1x!tt.ptr<i32>, #blocked>
    %s = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %o = arith.muli %m, %s : tensor<64x1xi32, #blocked>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %b, %o : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #along>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #along> -> tensor<1x32xi32, #blocked>
    %pb = tt.broadcast %p : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %kb = tt.broadcast %k2 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %q = tt.addptr %pb, %kb : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %q : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return %v : tensor<64x32xf16, #blocked>
  }
  // A base that may be odd.
  // CHECK-LABEL: @unaligned
  // CHECK-NOT: ttig.block_io
  // CHECK: tt.return
  tt.func @unaligned(%x: !tt.ptr<f16>) -> tensor<64x32xf16, #blocked> {
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #along>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #along> -> tensor<1x32xi32, #blocked>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %b, %k2 : tensor<1x32x!tt.ptr<f16>, #blocked>, tensor<1x32xi32, #blocked>
    %q = tt.broadcast %p : tensor<1x32x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %v = tt.load %q : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return %v : tensor<64x32xf16, #blocked>
  }
  // Every other element.
  // CHECK-LABEL: @apart
  // CHECK-NOT: ttig.block_io
  // CHECK: tt.return
  tt.func @apart(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #blocked> {
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #along>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #along> -> tensor<1x32xi32, #blocked>
    %two = arith.constant dense<2> : tensor<1x32xi32, #blocked>
    %o = arith.muli %k2, %two : tensor<1x32xi32, #blocked>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %b, %o : tensor<1x32x!tt.ptr<f16>, #blocked>, tensor<1x32xi32, #blocked>
    %q = tt.broadcast %p : tensor<1x32x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %v = tt.load %q : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return %v : tensor<64x32xf16, #blocked>
  }
  // Who made it is not known.
  // CHECK-LABEL: @argument
  // CHECK-NOT: ttig.
  // CHECK: tt.return
  tt.func @argument(%d: !tt.tensordesc<64x32xf16>) -> tensor<64x32xf16, #blocked> {
    %c0 = arith.constant 0 : i32
    %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #blocked>
    tt.return %v : tensor<64x32xf16, #blocked>
  }
}
