// RUN: tritcc -x ttgir -passes=optimize-buffer-op-ptr,canonicalize %s | FileCheck %s
// positive: @before_sum @behind_sum @one_after_another @nested @in_branch
// negative: @may_wrap @not_the_same @no_loop
// loop: @before_sum @nested
// if: @in_branch

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @before_sum
  // CHECK: %[[R:.*]] = tt.make_range
  // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[B:.*]] = %arg0) -> (tensor<256xi32, #blocked>, !tt.ptr<f32>)
  // CHECK: amdg.buffer_load %[[B]][%[[R]]]
  // CHECK: %[[N:.*]] = tt.addptr %[[B]], %c256_i32
  // CHECK: scf.yield %{{.*}}, %[[N]]
  tt.func public @before_sum(%p: !tt.ptr<f32>, %q: tensor<256x!tt.ptr<f32>, #l>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 100 : i32
    %step = arith.constant dense<256> : tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      %x = amdg.buffer_load %p[%o] : tensor<256xf32, #l>
      tt.store %q, %x : tensor<256x!tt.ptr<f32>, #l>
      %next = arith.addi %o, %step : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @behind_sum
  // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[B:.*]] = %arg0)
  // CHECK: %[[N:.*]] = tt.addptr %[[B]], %c256_i32
  // CHECK: amdg.buffer_store %{{.*}}, %[[N]]
  tt.func public @behind_sum(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 100 : i32
    %step = arith.constant dense<256> : tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      %next = arith.addi %step, %o : tensor<256xi32, #l>
      amdg.buffer_store %v, %p[%next] : tensor<256xf32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // the second loop begins with what the first one ends with
  // CHECK-LABEL: @one_after_another
  // CHECK-COUNT-2: scf.for {{.*}} = %arg0)
  tt.func public @one_after_another(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 100 : i32
    %step = arith.constant dense<256> : tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
      %next = arith.addi %step, %o : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    %f = scf.for %i = %zero to %n step %one iter_args(%o = %e) -> (tensor<256xi32, #l>) : i32 {
      amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
      %next = arith.addi %step, %o : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @nested
  // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[B:.*]] = %arg0)
  // CHECK: scf.for
  // CHECK: amdg.buffer_store %{{.*}}, %[[B]]
  tt.func public @nested(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>, %stride: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 100 : i32
    %most = arith.constant 1000 : i32
    %fits = arith.cmpi sle, %stride, %most : i32
    llvm.intr.assume %fits : i1
    %counts = arith.cmpi sge, %stride, %zero : i32
    llvm.intr.assume %counts : i1
    %step = tt.splat %stride : i32 -> tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      scf.for %j = %zero to %n step %one : i32 {
        amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
      }
      %next = arith.addi %o, %step : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @in_branch
  // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[B:.*]] = %arg0)
  // CHECK: scf.if
  // CHECK: amdg.buffer_store %{{.*}}, %[[B]]
  tt.func public @in_branch(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>, %c: i1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 100 : i32
    %step = arith.constant dense<256> : tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      scf.if %c {
        amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
      }
      %next = arith.addi %o, %step : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // as many trips as there are numbers: the sum may wrap
  // CHECK-LABEL: @may_wrap
  // CHECK-NOT: tt.addptr
  tt.func public @may_wrap(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %step = arith.constant dense<256> : tensor<256xi32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
      %next = arith.addi %o, %step : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @not_the_same
  // CHECK-NOT: tt.addptr
  tt.func public @not_the_same(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 100 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %e = scf.for %i = %zero to %n step %one iter_args(%o = %r) -> (tensor<256xi32, #l>) : i32 {
      amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
      %next = arith.addi %o, %r : tensor<256xi32, #l>
      scf.yield %next : tensor<256xi32, #l>
    }
    tt.return
  }

  // CHECK-LABEL: @no_loop
  // CHECK-NOT: tt.addptr
  tt.func public @no_loop(%p: !tt.ptr<f32>, %v: tensor<256xf32, #l>, %o: tensor<256xi32, #l>) {
    amdg.buffer_store %v, %p[%o] : tensor<256xf32, #l>
    tt.return
  }
}
