// The spelling of Triton 3.6 is read, and written with -femit-upstream=3.6.
// RUN: tritcc -x ttgir -passes= %s -o - | FileCheck %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.6 %s -o - | FileCheck --check-prefix=OLD %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.7 %s -o - | FileCheck --check-prefix=NEXT %s
// CHECK-DAG: #[[ROWS:.*]] = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = {{\[\[1, 0\]\]}}, twoCTAs = true>
// CHECK-DAG: #{{.*}} = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, CGALayout = {{\[\[1, 0\], \[0, 1\]\]}}>
// CHECK-DAG: #{{.*}} = #ttng.tensor_memory_scales_encoding<CGALayout = {{\[\[0, 1\]\]}}>
// OLD-DAG: tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2, twoCTAs = true>
// OLD-DAG: tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, CTASplitM = 2, CTASplitN = 2>
// OLD-DAG: tensor_memory_scales_encoding<CTASplitN = 2>
#rows = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2, twoCTAs = true>
#both = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, CTASplitM = 2, CTASplitN = 2>
#scales = #ttng.tensor_memory_scales_encoding<CTASplitN = 2>
#whole = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32, x.rows = #rows, x.both = #both, x.scales = #scales} {
  // CHECK-LABEL: tt.func public @descriptors(%arg0: !tt.tensordesc<64x64xf16, #
  // OLD-LABEL: tt.func public @descriptors(%arg0: !tt.tensordesc<tensor<64x64xf16, #
  // NEXT-LABEL: tt.func public @descriptors(%arg0: !tt.tensordesc<tensor<64x64xf16, #
  tt.func public @descriptors(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>) {
    // CHECK: gpu.barrier
    // CHECK-NEXT: ttg.local_barrier
    // OLD: gpu.barrier
    // OLD-NEXT: ttg.local_barrier
    // NEXT: gpu.barrier
    // NEXT-NEXT: gpu.barrier
    gpu.barrier
    ttg.local_barrier
    tt.return
  }
  // CHECK-LABEL: @part
  // OLD-LABEL: @part
  tt.func public @part(%t: !ttg.memdesc<128x128xf32, #whole, #ttng.tensor_memory, mutable>) {
    // CHECK: ttng.tmem_subslice %{{.*}} {offset = 64 : i32}
    // OLD: ttng.tmem_subslice %{{.*}} {N = 64 : i32}
    %0 = ttng.tmem_subslice %t {N = 64 : i32} : !ttg.memdesc<128x128xf32, #whole, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #whole, #ttng.tensor_memory, mutable>
    tt.return
  }
}
