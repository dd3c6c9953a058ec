// RUN: tritcc -x ttir -passes=print-pointers %s 2>&1 >/dev/null | FileCheck %s
// positive: @row @turned @carried @chosen @divided
// negative: @nothing
// loop: @carried
// if: @chosen

// CHECK: print-pointers.mlir:[[#@LINE+7]]:{{.*}}load: arg0 [128 from 0 by 1 in ..arg1]
tt.func @row(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %s : tensor<128xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %l = tt.load %q, %m : tensor<128x!tt.ptr<f32>>
  tt.return
}

// An unsigned comparison has a lower bound too; a false constant leaves nothing.
// CHECK: print-pointers.mlir:[[#@LINE+11]]:{{.*}}load: arg0 [16 in ..0] [8 from 0 by 2]
// CHECK: print-pointers.mlir:[[#@LINE+13]]:{{.*}}load: arg0 [8 from 0 by 2 in 0..arg1]
tt.func @turned(%p: !tt.ptr<f32>, %n: i32) {
  %two = arith.constant dense<2> : tensor<8xi32>
  %off = arith.constant dense<false> : tensor<16x8xi1>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %d = arith.muli %r, %two : tensor<8xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %b, %d : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %e = tt.expand_dims %q {axis = 0 : i32} : tensor<8x!tt.ptr<f32>> -> tensor<1x8x!tt.ptr<f32>>
  %w = tt.broadcast %e : tensor<1x8x!tt.ptr<f32>> -> tensor<16x8x!tt.ptr<f32>>
  %l = tt.load %w, %off : tensor<16x8x!tt.ptr<f32>>
  %s = tt.splat %n : i32 -> tensor<8xi32>
  %m = arith.cmpi ult, %r, %s : tensor<8xi32>
  %k = tt.load %q, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// CHECK: print-pointers.mlir:[[#@LINE+9]]:{{.*}}load: arg0 [64 from 64*iter({{.*}}) by 1]
tt.func @carried(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    %v = tt.load %x : tensor<64x!tt.ptr<f32>>
    %y = tt.addptr %x, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %y : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// What a branch computes cannot be said outside of it.
// CHECK: print-pointers.mlir:[[#@LINE+11]]:{{.*}}load: not structured: a conditional computes it
tt.func @chosen(%p: tensor<64x!tt.ptr<f32>>, %s: !tt.ptr<f32>, %n: !tt.ptr<i32>, %c: i1) {
  %b = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %r = scf.if %c -> (tensor<64x!tt.ptr<f32>>) {
    scf.yield %b : tensor<64x!tt.ptr<f32>>
  } else {
    %v = tt.load %n : !tt.ptr<i32>
    %w = tt.splat %v : i32 -> tensor<64xi32>
    %q = tt.addptr %b, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tt.ptr<f32>>
  }
  %l = tt.load %r : tensor<64x!tt.ptr<f32>>
  // CHECK: print-pointers.mlir:[[#@LINE+1]]:{{.*}}load: not structured: it comes from elsewhere
  %k = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.return
}

// What a number divides exactly is no remainder: 64*pid - 64*pid/64*64, as where blocks of keys in front of a block of
// queries begin; 64*pid/96 stays as it is.
// CHECK: print-pointers.mlir:[[#@LINE+13]]:{{.*}}load: arg0 [128 from 0 by 1]
// CHECK: print-pointers.mlir:[[#@LINE+18]]:{{.*}}load: arg0 [128 from {{.+}} by 1]
tt.func @divided(%p: !tt.ptr<f32>) {
  %c64 = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %end = arith.muli %x, %c64 : i32
  %blocks = arith.divsi %end, %c64 : i32
  %all = arith.muli %blocks, %c64 : i32
  %begin = arith.subi %end, %all : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %q = tt.addptr %p, %begin : !tt.ptr<f32>, i32
  %b = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %a = tt.addptr %b, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %l = tt.load %a : tensor<128x!tt.ptr<f32>>
  %c96 = arith.constant 96 : i32
  %part = arith.divsi %end, %c96 : i32
  %t = tt.addptr %p, %part : !tt.ptr<f32>, i32
  %d = tt.splat %t : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %e = tt.addptr %d, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %m = tt.load %e : tensor<128x!tt.ptr<f32>>
  tt.return
}

// No access, nothing to tell.
// CHECK-NOT: print-pointers.mlir:{{.*}}remark
tt.func @nothing(%p: !tt.ptr<f32>) {
  tt.return
}
