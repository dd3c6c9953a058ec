// RUN: tritcc -x ttir -Rpass=buffers -passes='check-buffers{max-bytes=4096}' %s 2>%t.err | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s <%t.err
// RUN: not tritcc -x ttir -passes='check-buffers{max-bytes=4096 copies=2}' %s 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not tritcc -x ttir -passes='check-buffers{max-bytes=1024}' %s 2>&1 | FileCheck --check-prefix=LESS %s
// RUN: not tritcc -x ttir -passes='check-buffers{operand-bytes=4096 sum-bytes=8000}' %s 2>&1 | FileCheck --check-prefix=CUBE %s
// positive: @two
// negative: @declared
// loop: @two
// if: @two

// A conditional's buffer is there before or after a loop's, which multi-buffering doubles.
// REMARK: the tensors of 'two' take at least 3072 bytes of the unified buffer at once
// TWICE: check-buffers.mlir:[[#@LINE+9]]:{{.*}}'two' needs at least 5120 bytes of the unified buffer, which has 4096
// TWICE: note: 4096 bytes for 16x32 elements of 32 bits, twice, for it is copied in a loop
// TWICE: note: 1024 bytes for 256 elements of 32 bits
// CHECK-LABEL: func.func @two
func.func @two(%c: i1, %x: memref<16x32xf32>, %v: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() : memref<256xf32>
  scf.for %k = %c0 to %i step %c1 {
    %a = memref.alloc() : memref<16x32xf32>
    memref.copy %x, %a : memref<16x32xf32> to memref<16x32xf32>
    memref.store %v, %a[%c0, %c0] : memref<16x32xf32>
  }
  scf.if %c {
    %a = memref.alloc() : memref<64xf32>
    memref.store %v, %a[%c0] : memref<64xf32>
  }
  memref.store %v, %b[%c0] : memref<256xf32>
  return
}

// What is made on the way counts: %r, over which %s may be written, beside %e. Scalars spread over a tensor take nothing.
// REMARK: the tensors of 'between' take at least 1536 bytes of the unified buffer at once
// LESS: 'between' needs at least 1536 bytes
// LESS: note: 512 bytes for 'x', 128 elements of 32 bits
// CHECK-LABEL: func.func @between
func.func @between(%x: memref<128xf32>, %y: memref<128xf32>, %v: f32) {
  %a = memref.alloc() : memref<128xf32>
  memref.copy %x, %a : memref<128xf32> to memref<128xf32>
  %t = bufferization.to_tensor %a restrict writable : memref<128xf32> to tensor<128xf32> loc("x")
  %e = math.exp %t : tensor<128xf32> loc("x")
  %n = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%v : f32) outs(%n : tensor<128xf32>) -> tensor<128xf32>
  %r = arith.mulf %t, %f : tensor<128xf32>
  %s = arith.addf %r, %e : tensor<128xf32>
  %u = arith.mulf %s, %t : tensor<128xf32>
  bufferization.materialize_in_destination %u in writable %y : (tensor<128xf32>, memref<128xf32>) -> ()
  return
}

// What products read is in L1, what they make and add to in L0C, both but for the vector cores' part of it.
// REMARK: the tensors of 'product' take at least 4096 bytes of the unified buffer at once
// REMARK: the tensors of 'product' take at least 8192 bytes of L1 (operands of products) at once
// REMARK: the tensors of 'product' take at least 4096 bytes of L0C (sums of products) at once
// REMARK: the tensors of 'sums' take at least 8192 bytes of L1 (operands of products) at once
// REMARK: the tensors of 'sums' take at least 8192 bytes of L0C (sums of products) at once
// CUBE: 'product' needs at least 8192 bytes of L1 (operands of products), which has 4096
// CUBE: 'sums' needs at least 8192 bytes of L1 (operands of products), which has 4096
// CUBE: 'sums' needs at least 8192 bytes of L0C (sums of products), which has 8000
// CHECK-LABEL: func.func @product
func.func @product(%x: memref<32x32xf32>, %y: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<32x32xf32>
  memref.copy %x, %a : memref<32x32xf32> to memref<32x32xf32>
  %s = bufferization.to_tensor %a restrict writable : memref<32x32xf32> to tensor<32x32xf32>
  %b = memref.alloc() : memref<32x32xf32>
  memref.copy %y, %b : memref<32x32xf32> to memref<32x32xf32>
  %t = bufferization.to_tensor %b restrict writable : memref<32x32xf32> to tensor<32x32xf32>
  %n = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%n : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.matmul ins(%s, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %e = math.exp %p : tensor<32x32xf32>
  bufferization.materialize_in_destination %e in writable %y : (tensor<32x32xf32>, memref<32x32xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @sums
func.func @sums(%x: memref<32x32xf32>, %y: memref<32x32xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%n : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r:2 = scf.for %k = %c0 to %i step %c1 iter_args(%u = %f, %w = %f) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    %a = memref.alloc() : memref<32x32xf32>
    memref.copy %x, %a : memref<32x32xf32> to memref<32x32xf32>
    %s = bufferization.to_tensor %a restrict writable : memref<32x32xf32> to tensor<32x32xf32>
    %b = memref.alloc() : memref<32x32xf32>
    memref.copy %y, %b : memref<32x32xf32> to memref<32x32xf32>
    %t = bufferization.to_tensor %b restrict writable : memref<32x32xf32> to tensor<32x32xf32>
    %p = linalg.matmul ins(%s, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%u : tensor<32x32xf32>) -> tensor<32x32xf32>
    %q = linalg.matmul ins(%t, %s : tensor<32x32xf32>, tensor<32x32xf32>) outs(%w : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %p, %q : tensor<32x32xf32>, tensor<32x32xf32>
  }
  bufferization.materialize_in_destination %r#0 in writable %x : (tensor<32x32xf32>, memref<32x32xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in writable %y : (tensor<32x32xf32>, memref<32x32xf32>) -> ()
  return
}

// What lies elsewhere is not looked at.
// CHECK-LABEL: func.func private @declared
func.func private @declared(memref<?xf32>)
