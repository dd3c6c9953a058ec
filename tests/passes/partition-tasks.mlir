// RUN: tritcc -x ttgir -passes='partition-tasks{num-warp-groups=2}' %s | FileCheck %s
// RUN: tritcc -x ttgir -passes=partition-tasks %s | FileCheck %s --check-prefix=NONE
// positive: @loop @branch
// negative: @outside @registers
// loop: @loop
// if: @branch

// NONE-NOT: async_task_id
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @loop
  // CHECK:         tt.load {{.*}} {async_task_id = array<i32: 0>}
  // CHECK:         ttg.convert_layout %{{[a-z0-9]+}} :
  // CHECK:         tt.load %{{[a-z0-9]+}} :
  // CHECK:         tt.dot {{.*}} {async_task_id = array<i32: 1>}
  // CHECK:       tt.store {{.*}} {async_task_id = array<i32: 1>}
  tt.func @loop(%p: tensor<32x32x!tt.ptr<f16>, #blocked>, %q: tensor<32x32xf16, #b>, %o: tensor<32x32x!tt.ptr<f32>, #blocked>, %n: i32, %s: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #blocked>) : i32 {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #blocked>
      %y = ttg.convert_layout %x : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #a>
      %other = tt.load %s : !tt.ptr<i32>
      %d = tt.dot %y, %q, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
      scf.yield %d : tensor<32x32xf32, #blocked>
    }
    tt.store %o, %r : tensor<32x32x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // CHECK-LABEL: @branch
  // CHECK:         tt.load {{.*}} {async_task_id = array<i32: 0>}
  // CHECK:         tt.dot {{.*}} {async_task_id = array<i32: 1>}
  // CHECK:         scf.if
  // CHECK:           tt.store {{.*}} {async_task_id = array<i32: 1>}
  tt.func @branch(%p: tensor<32x32x!tt.ptr<f16>, #blocked>, %q: tensor<32x32xf16, #b>, %o: tensor<32x32x!tt.ptr<f32>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #blocked>
      %y = ttg.convert_layout %x : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #a>
      %d = tt.dot %y, %q, %zero : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
      %is_last = arith.cmpi eq, %i, %c1 : i32
      scf.if %is_last {
        tt.store %o, %d : tensor<32x32x!tt.ptr<f32>, #blocked>
      }
    }
    tt.return
  }

  // The product stands in no loop.
  // CHECK-LABEL: @outside
  // CHECK-NOT:   async_task_id
  tt.func @outside(%p: tensor<32x32x!tt.ptr<f16>, #blocked>, %q: tensor<32x32xf16, #b>, %o: tensor<32x32x!tt.ptr<f32>, #blocked>) {
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
    %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #blocked>
    %y = ttg.convert_layout %x : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #a>
    %d = tt.dot %y, %q, %zero : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
    tt.store %o, %d : tensor<32x32x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Nothing that it multiplies is loaded in the loop.
  // CHECK-LABEL: @registers
  // CHECK-NOT:   async_task_id
  tt.func @registers(%y: tensor<32x32xf16, #a>, %q: tensor<32x32xf16, #b>, %o: tensor<32x32x!tt.ptr<f32>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #blocked>) : i32 {
      %d = tt.dot %y, %q, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
      scf.yield %d : tensor<32x32xf32, #blocked>
    }
    tt.store %o, %r : tensor<32x32x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
