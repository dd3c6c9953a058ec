// RUN: tritcc -x ttgir -passes=prefetch-block-loads{num-stages=3} %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=prefetch-block-loads{use-barrier=1}' %s | FileCheck %s --check-prefix=BARRIER
// positive: @product @descriptors
// negative: @unmarked @elementwise @nested @conditional
// loop: @product @descriptors @unmarked @elementwise @nested
// if: @conditional

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // Two iterations in front of the loop, in it the one after the next: under the load's own mask while there is one.
  // CHECK-LABEL: @product
  // CHECK: [[IN0:%.+]] = arith.cmpi slt, %c0_i32, %arg3
  // CHECK: [[ALL0:%.+]] = tt.splat [[IN0]] : i1 -> tensor<32x32xi1
  // CHECK-NEXT: [[BOTH0:%.+]] = arith.andi [[ALL0]], %arg2
  // CHECK-NEXT: ttig.prefetch %arg0, [[BOTH0]] {{{.*}}ttig.block_io = "row_major"}
  // CHECK: ttig.prefetch %arg1, {{.*}} {{{.*}}ttig.block_io = "row_major"}
  // CHECK-COUNT-2: ttig.prefetch
  // CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}, [[P:%[^ ]+]] = %{{[^,]*}}, [[Q:%[^ ]+]] = %{{[^,]*}}, [[P2:%[^ ]+]] = %arg0, [[Q2:%[^ ]+]] = %arg1)
  // CHECK: [[NEXT:%.+]] = tt.addptr [[P]]
  // CHECK: ttig.prefetch [[NEXT]]
  // CHECK: ttig.prefetch
  // CHECK: tt.load [[P2]], %arg2
  // CHECK: tt.load [[Q2]]
  // CHECK: tt.dot
  // CHECK: scf.yield
  // BARRIER-LABEL: @product
  // BARRIER: scf.for
  // BARRIER-NEXT: [[ARRIVED:%.+]] = triton_gen.split_barrier_arrive
  // BARRIER: tt.dot
  // BARRIER: triton_gen.split_barrier_wait [[ARRIVED]]
  // BARRIER-NEXT: scf.yield
  tt.func @product(%p: tensor<32x32x!tt.ptr<f16>, #blocked>, %q: tensor<32x32x!tt.ptr<f16>, #blocked>, %mask: tensor<32x32xi1, #blocked>, %n: i32) -> tensor<32x32xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #dpas>
    %none = arith.constant dense<0.0> : tensor<32x32xf16, #blocked>
    %step = arith.constant dense<32> : tensor<32x32xi32, #blocked>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %pi = %p, %qi = %q) -> (tensor<32x32xf32, #dpas>, tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32x!tt.ptr<f16>, #blocked>) : i32 {
      %x = tt.load %pi, %mask, %none {ttig.block_io = "row_major"} : tensor<32x32x!tt.ptr<f16>, #blocked>
      %y = tt.load %qi {ttig.block_io = "row_major"} : tensor<32x32x!tt.ptr<f16>, #blocked>
      %xa = ttg.convert_layout %x : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #a>
      %yb = ttg.convert_layout %y : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #b>
      %d = tt.dot %xa, %yb, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #dpas>
      %pn = tt.addptr %pi, %step : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
      %qn = tt.addptr %qi, %step : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
      scf.yield %d, %pn, %qn : tensor<32x32xf32, #dpas>, tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<32x32xf32, #dpas>
  }
  // CHECK-LABEL: @descriptors
  // CHECK: ttig.descriptor_prefetch %arg0[%c0_i32, %c0_i32] {ttig.block_io = "row_major"}
  // CHECK: arith.cmpi
  // CHECK: [[COLUMN:%[0-9]+]] = arith.addi %c0_i32, %c32_i32 : i32
  // CHECK-NEXT: ttig.descriptor_prefetch %arg0[%c0_i32, [[COLUMN]]]
  // CHECK: scf.for
  // CHECK: ttig.descriptor_prefetch %arg0
  // CHECK: tt.descriptor_load %arg0
  tt.func @descriptors(%x: !tt.tensordesc<32x32xf16>, %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #dpas>
    %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #dpas>) : i32 {
      %v = tt.descriptor_load %x[%c0, %k] {ttig.block_io = "row_major"} : !tt.tensordesc<32x32xf16> -> tensor<32x32xf16, #a>
      %d = tt.dot %v, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #dpas>
      scf.yield %d : tensor<32x32xf32, #dpas>
    }
    tt.return %r : tensor<32x32xf32, #dpas>
  }
  // No block.
  // CHECK-LABEL: @unmarked
  // CHECK-NOT: prefetch
  // CHECK: tt.return
  tt.func @unmarked(%x: !tt.tensordesc<32x32xf16>, %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #dpas>
    %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #dpas>) : i32 {
      %v = tt.descriptor_load %x[%c0, %k] : !tt.tensordesc<32x32xf16> -> tensor<32x32xf16, #a>
      %d = tt.dot %v, %y, %acc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #dpas>
      scf.yield %d : tensor<32x32xf32, #dpas>
    }
    tt.return %r : tensor<32x32xf32, #dpas>
  }
  // No product, and prefetches of 64 bytes.
  // CHECK-LABEL: @elementwise
  // CHECK-NOT: prefetch
  // CHECK: tt.return
  tt.func @elementwise(%x: !tt.tensordesc<32x32xf16>, %n: i32) -> tensor<32x32xf16, #blocked> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf16, #blocked>
    %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf16, #blocked>) : i32 {
      %v = tt.descriptor_load %x[%c0, %k] {ttig.block_io = "row_major"} : !tt.tensordesc<32x32xf16> -> tensor<32x32xf16, #blocked>
      %d = arith.addf %v, %acc : tensor<32x32xf16, #blocked>
      scf.yield %d : tensor<32x32xf16, #blocked>
    }
    tt.return %r : tensor<32x32xf16, #blocked>
  }
  // A loop around a loop, whose own load is no operand.
  // CHECK-LABEL: @nested
  // CHECK-NOT: prefetch
  // CHECK: tt.return
  tt.func @nested(%x: !tt.tensordesc<32x32xf16>, %y: tensor<32x32xf16, #b>, %n: i32) -> tensor<32x32xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #dpas>
    %r = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #dpas>) : i32 {
      %v = tt.descriptor_load %x[%c0, %k] {ttig.block_io = "row_major"} : !tt.tensordesc<32x32xf16> -> tensor<32x32xf16, #a>
      %s = scf.for %i = %c0 to %n step %c32 iter_args(%sum = %acc) -> (tensor<32x32xf32, #dpas>) : i32 {
        %d = tt.dot %v, %y, %sum : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #dpas>
        scf.yield %d : tensor<32x32xf32, #dpas>
      }
      scf.yield %s : tensor<32x32xf32, #dpas>
    }
    tt.return %r : tensor<32x32xf32, #dpas>
  }
  // No loop.
  // CHECK-LABEL: @conditional
  // CHECK-NOT: prefetch
  // CHECK: tt.return
  tt.func @conditional(%x: !tt.tensordesc<32x32xf16>, %y: tensor<32x32xf16, #b>, %c: i1) -> tensor<32x32xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #dpas>
    %r = scf.if %c -> (tensor<32x32xf32, #dpas>) {
      %v = tt.descriptor_load %x[%c0, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<32x32xf16> -> tensor<32x32xf16, #a>
      %d = tt.dot %v, %y, %zero : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #dpas>
      scf.yield %d : tensor<32x32xf32, #dpas>
    } else {
      scf.yield %zero : tensor<32x32xf32, #dpas>
    }
    tt.return %r : tensor<32x32xf32, #dpas>
  }
}
