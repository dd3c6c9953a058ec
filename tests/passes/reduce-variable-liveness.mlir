// RUN: tritcc -x ttgir -passes=reduce-variable-liveness %s | FileCheck %s
// positive: @moved @behind @in_if
// negative: @small @unmarked @in_front @writes
// loop: @moved @behind
// if: @in_if

#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 1], repCluster = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @moved
  // CHECK: ttig.descriptor_prefetch [[D:%.+]][%arg1, %c0_i32] {ttig.block_io = "row_major"}
  // CHECK-NOT: tt.descriptor_load
  // CHECK: scf.for
  // CHECK-NEXT: [[Q:%.+]] = tt.descriptor_load [[D]][%arg1, %c0_i32] {ttig.block_io = "row_major"}
  // CHECK-NEXT: tt.dot [[Q]]
  tt.func public @moved(%x: !tt.ptr<f16>, %i: i32, %k: tensor<128x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32) -> tensor<128x64xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x128xf16>
    %q = tt.descriptor_load %d[%i, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16, #a>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<128x64xf32, #dpas>) : i32 {
      %u = tt.dot %q, %k, %t : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
      scf.yield %u : tensor<128x64xf32, #dpas>
    }
    tt.return %r : tensor<128x64xf32, #dpas>
  }
  // What is used behind the loop is loaded there.
  // CHECK-LABEL: @behind
  // CHECK: scf.for
  // CHECK: tt.descriptor_load
  // CHECK: scf.yield
  // CHECK: [[Q:%.+]] = tt.descriptor_load
  // CHECK: tt.return {{%.+}}, [[Q]]
  tt.func public @behind(%x: !tt.ptr<f16>, %i: i32, %k: tensor<128x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32) -> (tensor<128x64xf32, #dpas>, tensor<128x128xf16, #a>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x128xf16>
    %q = tt.descriptor_load %d[%i, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16, #a>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<128x64xf32, #dpas>) : i32 {
      %u = tt.dot %q, %k, %t : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
      scf.yield %u : tensor<128x64xf32, #dpas>
    }
    tt.return %r, %q : tensor<128x64xf32, #dpas>, tensor<128x128xf16, #a>
  }
  // CHECK-LABEL: @in_if
  // CHECK: scf.if
  // CHECK: ttig.descriptor_prefetch
  // CHECK: scf.for
  // CHECK-NEXT: tt.descriptor_load
  tt.func public @in_if(%x: !tt.ptr<f16>, %i: i32, %k: tensor<128x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32, %c: i1) -> tensor<128x64xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x128xf16>
    %r = scf.if %c -> (tensor<128x64xf32, #dpas>) {
      %q = tt.descriptor_load %d[%i, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16, #a>
      %p = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<128x64xf32, #dpas>) : i32 {
        %u = tt.dot %q, %k, %t : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
        scf.yield %u : tensor<128x64xf32, #dpas>
      }
      scf.yield %p : tensor<128x64xf32, #dpas>
    } else {
      scf.yield %s : tensor<128x64xf32, #dpas>
    }
    tt.return %r : tensor<128x64xf32, #dpas>
  }
  tt.func public @small(%x: !tt.ptr<f16>, %i: i32, %k: tensor<64x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32) -> tensor<128x64xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x64xf16>
    %q = tt.descriptor_load %d[%i, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #a>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<128x64xf32, #dpas>) : i32 {
      %u = tt.dot %q, %k, %t : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #dpas>
      scf.yield %u : tensor<128x64xf32, #dpas>
    }
    tt.return %r : tensor<128x64xf32, #dpas>
  }
  tt.func public @unmarked(%x: !tt.ptr<f16>, %i: i32, %k: tensor<128x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32) -> tensor<128x64xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x128xf16>
    %q = tt.descriptor_load %d[%i, %c0] : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16, #a>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<128x64xf32, #dpas>) : i32 {
      %u = tt.dot %q, %k, %t : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
      scf.yield %u : tensor<128x64xf32, #dpas>
    }
    tt.return %r : tensor<128x64xf32, #dpas>
  }
  // It is there anyhow.
  tt.func public @in_front(%x: !tt.ptr<f16>, %i: i32, %k: tensor<128x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32) -> tensor<128x64xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x128xf16>
    %q = tt.descriptor_load %d[%i, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16, #a>
    %v = tt.dot %q, %k, %s : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%t = %v) -> (tensor<128x64xf32, #dpas>) : i32 {
      %u = tt.dot %q, %k, %t : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
      scf.yield %u : tensor<128x64xf32, #dpas>
    }
    tt.return %r : tensor<128x64xf32, #dpas>
  }
  // The loop may write what was read.
  tt.func public @writes(%x: !tt.ptr<f16>, %i: i32, %k: tensor<128x64xf16, #b>, %s: tensor<128x64xf32, #dpas>, %n: i32, %o: tensor<128x64x!tt.ptr<f32>, #dpas>) -> tensor<128x64xf32, #dpas> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %l = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n, %n], [%l, %l] : <f16>, <128x128xf16>
    %q = tt.descriptor_load %d[%i, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16, #a>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (tensor<128x64xf32, #dpas>) : i32 {
      %u = tt.dot %q, %k, %t : tensor<128x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<128x64xf32, #dpas>
      tt.store %o, %u : tensor<128x64x!tt.ptr<f32>, #dpas>
      scf.yield %u : tensor<128x64xf32, #dpas>
    }
    tt.return %r : tensor<128x64xf32, #dpas>
  }
}
