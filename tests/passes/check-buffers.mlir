// RUN: tritcc -x ttir -Rpass=buffers -passes='check-buffers{max-bytes=4096}' %s | FileCheck %s
// RUN: not tritcc -x ttir -passes='check-buffers{max-bytes=4096 copies=2}' %s 2>&1 | FileCheck --check-prefix=TWICE %s
// positive: @two
// negative: @declared
// loop: @two
// if: @two

// TWICE: check-buffers.mlir:[[#@LINE+2]]:{{.*}}the blocks of 'two' take 6144 bytes (each twice) of the unified buffer, which has 4096; the largest: [16, 32] of 32 bits, [256] of 32 bits
// CHECK-LABEL: func.func @two
func.func @two(%c: i1, %x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %i step %c1 {
    %a = memref.alloc() : memref<16x32xf32>
    memref.store %x, %a[%c0, %c0] : memref<16x32xf32>
  }
  scf.if %c {
    %a = memref.alloc() : memref<64xf32>
    memref.store %x, %a[%c0] : memref<64xf32>
  }
  %b = memref.alloc() : memref<256xf32>
  memref.store %x, %b[%c0] : memref<256xf32>
  return
}

// What lies elsewhere is not looked at.
// CHECK-LABEL: func.func private @declared
func.func private @declared(memref<?xf32>)
