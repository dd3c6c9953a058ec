// RUN: tritcc -x ttir -passes=auto-tma,canonicalize %s | FileCheck %s
// RUN: tritcc -x ttir -passes=auto-tma -Rpass=tma -Rpass-missed=tma %s -o %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: tritcc -x ttir -passes=auto-tma{num-warps=2} %s | FileCheck %s --check-prefix=FEW
// positive: @product
// negative: @alone @unaligned
// loop: @product @alone @unaligned

// A's rows begin at the argument %m, which may be negative: they move the base. B's columns are bounded by %n, and where there
// are none the block begins outside.
// SAID: auto-tma.mlir:[[@LINE+45]]:{{.*}} remark: the load goes through a tensor map
// SAID: auto-tma.mlir:[[@LINE+45]]:{{.*}} remark: the load goes through a tensor map
// FEW-NOT: tensordesc
// CHECK-LABEL: @product
// CHECK: %[[BASE:.*]] = tt.addptr %arg0
// CHECK: %[[A:.*]] = tt.make_tensor_descriptor %[[BASE]], [%c2147483647_i32, %c2147483647_i32]
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %arg4, %c0_i32
// CHECK: %[[SIZE:.*]] = arith.maxsi %arg4, %c1_i32
// CHECK: %[[B:.*]] = tt.make_tensor_descriptor %arg1, [%c2147483647_i32, %[[SIZE]]]
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK-NOT: !tt.ptr
// CHECK: tt.descriptor_load %[[A]][%c0_i32, %[[I]]]
// CHECK: %[[AT:.*]] = arith.select %[[SOME]], %c0_i32, %c1073741824_i32
// CHECK: tt.descriptor_load %[[B]][%[[I]], %[[AT]]]
tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32>, %m: i32 {tt.divisibility = 16 : i32}, %n: i32, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %width = arith.constant dense<256> : tensor<64x1xi32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %down = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %right = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %first = tt.splat %m : i32 -> tensor<64x1xi32>
  %rows = arith.addi %first, %down : tensor<64x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %inside = arith.cmpi slt, %right, %ns : tensor<1x64xi32>
  %mask = tt.broadcast %inside : tensor<1x64xi1> -> tensor<64x64xi1>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %s = tt.splat %at : i32 -> tensor<1x64xi32>
    %t = tt.splat %at : i32 -> tensor<64x1xi32>
    %ak = arith.addi %s, %right : tensor<1x64xi32>
    %bk = arith.addi %t, %down : tensor<64x1xi32>
    %ar = arith.muli %rows, %width : tensor<64x1xi32>
    %br = arith.muli %bk, %width : tensor<64x1xi32>
    %arw = tt.broadcast %ar : tensor<64x1xi32> -> tensor<64x64xi32>
    %akw = tt.broadcast %ak : tensor<1x64xi32> -> tensor<64x64xi32>
    %brw = tt.broadcast %br : tensor<64x1xi32> -> tensor<64x64xi32>
    %bcw = tt.broadcast %right : tensor<1x64xi32> -> tensor<64x64xi32>
    %ao = arith.addi %arw, %akw : tensor<64x64xi32>
    %bo = arith.addi %brw, %bcw : tensor<64x64xi32>
    %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %bp, %mask, %none : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %cs, %r : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// No product, no map.
// CHECK-LABEL: @alone
// CHECK-NOT: tensordesc
tt.func public @alone(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: i32) -> tensor<64x64xf16> {
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %right = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %o = tt.broadcast %right : tensor<1x64xi32> -> tensor<64x64xi32>
  %ap = tt.addptr %as, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%sum = %none) -> (tensor<64x64xf16>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %s = arith.addf %x, %sum : tensor<64x64xf16>
    scf.yield %s : tensor<64x64xf16>
  }
  tt.return %r : tensor<64x64xf16>
}

// SAID: auto-tma.mlir:[[@LINE+20]]:{{.*}} remark: the load goes through pointers: its base is not known to be a multiple of 16 bytes
// CHECK-LABEL: @unaligned
// CHECK-NOT: tensordesc
tt.func public @unaligned(%a: !tt.ptr<f16>, %k: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<256> : tensor<64x1xi32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %down = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %right = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ar = arith.muli %down, %width : tensor<64x1xi32>
  %arw = tt.broadcast %ar : tensor<64x1xi32> -> tensor<64x64xi32>
  %akw = tt.broadcast %right : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %arw, %akw : tensor<64x64xi32>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %ignored = arith.addi %at, %c64 : i32
    // the rows lie one after the other
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %x, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r : tensor<64x64xf32>
}
