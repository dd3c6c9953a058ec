// RUN: tritcc -x ttir -passes=print-axis-info %s 2>&1 >/dev/null | FileCheck %s
// positive: @mask @loop @unknown @joined
// negative: @nothing
// loop: @loop @unknown
// if: @joined

// CHECK: print-axis-info.mlir:[[#@LINE+4]]:{{.*}}contiguity = [128], divisibility = [1073741824], constancy = [1], constant_value = <none>
// CHECK: print-axis-info.mlir:[[#@LINE+4]]:{{.*}}contiguity = [1], divisibility = [16], constancy = [128], constant_value = <none>
// CHECK: print-axis-info.mlir:[[#@LINE+4]]:{{.*}}contiguity = [1], divisibility = [1], constancy = [16], constant_value = <none>
tt.func @mask(%n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %s : tensor<128xi32>
  tt.return
}

// The pointer of a loop stays aligned because its step does.
// CHECK: print-axis-info.mlir:[[#@LINE+9]]:{{.*}}contiguity = [64], divisibility = [16]
tt.func @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    %y = tt.addptr %x, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %y : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// An unknown step keeps only what the size of an element says.
// CHECK: print-axis-info.mlir:[[#@LINE+5]]:{{.*}}contiguity = [1], divisibility = [4]
tt.func @unknown(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = scf.for %i = %c0 to %s step %c1 iter_args(%x = %p) -> (!tt.ptr<f32>) : i32 {
    %y = tt.addptr %x, %s : !tt.ptr<f32>, i32
    scf.yield %y : !tt.ptr<f32>
  }
  %z = tt.addptr %l, %c1 : !tt.ptr<f32>, i32
  tt.return
}

// Two branches know no more than what both know.
// CHECK: print-axis-info.mlir:[[#@LINE+2]]:{{.*}}contiguity = [64], divisibility = [16], constancy = [1], constant_value = <none>
tt.func @joined(%p: tensor<64xi32> {tt.contiguity = 64 : i32, tt.divisibility = 64 : i32}, %q: tensor<64xi32> {tt.contiguity = 64 : i32, tt.divisibility = 16 : i32}, %c: i1) {
  %r = scf.if %c -> (tensor<64xi32>) {
    scf.yield %p : tensor<64xi32>
  } else {
    scf.yield %q : tensor<64xi32>
  }
  tt.return
}

// No value, nothing to tell.
// CHECK-NOT: print-axis-info.mlir:{{.*}}remark
tt.func @nothing(%p: !tt.ptr<f32>, %x: f32) {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
