// RUN: tritcc -x ttgir -passes=carry-pointers,canonicalize %s | FileCheck %s
// positive: @two
// negative: @none
// loop: @two @none
// RUN: tritcc -arch=sm_90a --print-pipeline | FileCheck %s --check-prefix=NVIDIA
// RUN: tritcc -arch=gfx942 --print-pipeline | FileCheck %s --check-prefix=AMD
// NVIDIA: carry-pointers
// AMD-NOT: carry-pointers

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {

// Two bases: each has its own address; a scalar offset is one, too.
// CHECK-LABEL: @two
// CHECK-DAG: %[[X:.*]] = tt.addptr %arg0, %arg2
// CHECK-DAG: %[[Y:.*]] = tt.addptr %arg1, %arg2
// CHECK-DAG: %[[Z:.*]] = tt.addptr %arg3, %arg4
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[B:[a-z0-9]+]] = %[[Y]], %[[A:[a-z0-9]+]] = %[[X]], %[[C:[a-z0-9]+]] = %[[Z]])
// CHECK-NEXT: %[[V:.*]] = tt.load %[[A]]
// CHECK-NEXT: tt.store %[[B]], %[[V]]
// CHECK-NEXT: tt.store %[[C]], %{{.*}} : !tt.ptr<f32>
// CHECK-DAG: tt.addptr %[[A]]
// CHECK-DAG: tt.addptr %[[B]]
// CHECK-DAG: tt.addptr %[[C]]
tt.func public @two(%x: tensor<512x!tt.ptr<f32>, #blocked>, %y: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi64, #blocked>,
                    %z: !tt.ptr<f32>, %s: i64, %n: i32, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<512> : tensor<512xi64, #blocked>
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 iter_args(%at = %o, %t = %s) -> (tensor<512xi64, #blocked>, i64) : i32 {
    %p = tt.addptr %x, %at : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi64, #blocked>
    %q = tt.addptr %y, %at : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi64, #blocked>
    %r = tt.addptr %z, %t : !tt.ptr<f32>, i64
    %l = tt.load %p : tensor<512x!tt.ptr<f32>, #blocked>
    tt.store %q, %l : tensor<512x!tt.ptr<f32>, #blocked>
    tt.store %r, %v : !tt.ptr<f32>
    %next = arith.addi %at, %step : tensor<512xi64, #blocked>
    %next_t = arith.addi %one, %t : i64
    scf.yield %next, %next_t : tensor<512xi64, #blocked>, i64
  }
  tt.return
}

// Not an offset of 32 bits, which may wrap; not one that a mask needs; not one of a base that the loop makes.
// CHECK-LABEL: @none
// CHECK: scf.for
// CHECK-COUNT-3: tt.addptr
// CHECK-NOT: tt.addptr
// CHECK: scf.yield
tt.func public @none(%x: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %w: tensor<512xi64, #blocked>,
                     %ps: !tt.ptr<i64>, %n: i32, %one: tensor<512xf32, #blocked>, %limit: tensor<512xi64, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<512> : tensor<512xi32, #blocked>
  %step64 = arith.constant dense<512> : tensor<512xi64, #blocked>
  scf.for %i = %c0 to %n step %c1 iter_args(%a = %o, %b = %w, %c = %w) -> (tensor<512xi32, #blocked>, tensor<512xi64, #blocked>, tensor<512xi64, #blocked>) : i32 {
    %p = tt.addptr %x, %a : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    tt.store %p, %one : tensor<512x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %x, %b : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi64, #blocked>
    %m = arith.cmpi slt, %b, %limit : tensor<512xi64, #blocked>
    tt.store %q, %one, %m : tensor<512x!tt.ptr<f32>, #blocked>
    %word = tt.load %ps : !tt.ptr<i64>
    %base = tt.int_to_ptr %word : i64 -> !tt.ptr<f32>
    %bases = tt.splat %base : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %r = tt.addptr %bases, %c : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi64, #blocked>
    tt.store %r, %one : tensor<512x!tt.ptr<f32>, #blocked>
    %na = arith.addi %a, %step : tensor<512xi32, #blocked>
    %nb = arith.addi %b, %step64 : tensor<512xi64, #blocked>
    %nc = arith.addi %c, %step64 : tensor<512xi64, #blocked>
    scf.yield %na, %nb, %nc : tensor<512xi32, #blocked>, tensor<512xi64, #blocked>, tensor<512xi64, #blocked>
  }
  tt.return
}
}
