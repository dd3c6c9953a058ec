// RUN: tritcc -x ttgir -passes=optimize-descriptor-encoding %s | FileCheck %s
// positive: @widest @rows @one_dimension @asked @through_loop @through_if
// negative: @has_one
// loop: @through_loop
// if: @through_if

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// CHECK-DAG: [[$WIDE:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$HALF:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$FLAT:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @widest
  // CHECK-SAME: !tt.tensordesc<128x64xf16, [[$WIDE]]>
  tt.func public @widest(%d: !tt.tensordesc<128x64xf16>, %i: i32) -> tensor<128x64xf16, #blocked> {
    %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #blocked>
    tt.return %v : tensor<128x64xf16, #blocked>
  }
  // Rows of 64 bytes.
  // CHECK-LABEL: @rows
  // CHECK: tt.make_tensor_descriptor {{.*}}, <16x32xf16, [[$HALF]]>
  tt.func public @rows(%p: !tt.ptr<f16>, %n: i32, %s: i64, %v: tensor<16x32xf16, #blocked>) {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <16x32xf16>
    tt.descriptor_store %d[%n, %n], %v : !tt.tensordesc<16x32xf16>, tensor<16x32xf16, #blocked>
    tt.return
  }
  // CHECK-LABEL: @one_dimension
  // CHECK-SAME: !tt.tensordesc<64xf16, [[$FLAT]]>
  tt.func public @one_dimension(%d: !tt.tensordesc<64xf16>) {
    tt.return
  }
  // A buffer that a block is stored to says the layout; one whose rows run the other way does not.
  // CHECK-LABEL: @asked
  // CHECK-SAME: !tt.tensordesc<128x64xf16, [[$HALF]]>, %{{.*}}: !tt.tensordesc<128x64xf16, [[$WIDE]]>
  tt.func public @asked(%d: !tt.tensordesc<128x64xf16>, %e: !tt.tensordesc<128x64xf16>, %i: i32) {
    %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #blocked>
    %b = ttg.local_alloc %v : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %w = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #blocked>
    %c = ttg.local_alloc %w : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #turned, #smem>
    tt.return
  }
  // CHECK-LABEL: @through_loop
  // CHECK: scf.for {{.*}} -> (!tt.tensordesc<128x64xf16, [[$HALF]]>)
  tt.func public @through_loop(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <128x64xf16>
    %r = scf.for %i = %n to %n step %n iter_args(%c = %d) -> (!tt.tensordesc<128x64xf16>) : i32 {
      %v = tt.descriptor_load %c[%i, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #blocked>
      %b = ttg.local_alloc %v : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %e = tt.make_tensor_descriptor %p, [%i, %n], [%s, %one] : <f16>, <128x64xf16>
      scf.yield %e : !tt.tensordesc<128x64xf16>
    }
    tt.return
  }
  // CHECK-LABEL: @through_if
  // CHECK: scf.if {{.*}} -> (!tt.tensordesc<128x64xf16, [[$HALF]]>)
  tt.func public @through_if(%d: !tt.tensordesc<128x64xf16>, %e: !tt.tensordesc<128x64xf16>, %b: i1, %i: i32) {
    %r = scf.if %b -> (!tt.tensordesc<128x64xf16>) {
      scf.yield %d : !tt.tensordesc<128x64xf16>
    } else {
      scf.yield %e : !tt.tensordesc<128x64xf16>
    }
    %v = tt.descriptor_load %r[%i, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16, #blocked>
    %c = ttg.local_alloc %v : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    tt.return
  }
  // CHECK-LABEL: @has_one
  // CHECK-SAME: !tt.tensordesc<128x64xf16, [[$HALF]]>
  tt.func public @has_one(%d: !tt.tensordesc<128x64xf16, #shared>) {
    tt.return
  }
}
