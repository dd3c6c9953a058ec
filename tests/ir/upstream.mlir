// What is written for a release of Triton, operation by operation; what a release lacks is named.
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.6 %s -o - | FileCheck --check-prefixes=ALL,B6,ASM,CG,OLDDESC %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.7 %s -o - | FileCheck --check-prefixes=ALL,B7,ASM,CG,OLDDESC %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.8 %s -o - | FileCheck --check-prefixes=ALL,B7,ASM,CG,DESC %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.9 %s -o - | FileCheck --check-prefixes=ALL,B7,GDC,POLICY,DESC %s
// RUN: tritcc -x ttgir -passes= -femit-upstream=3.6 %s -o %t.mlir
// RUN: tritcc -x ttgir -passes= %t.mlir -o - | FileCheck --check-prefixes=ALL,CG,DESC %s
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // ALL-LABEL: @kernel
  // OLDDESC-SAME: !tt.tensordesc<tensor<64x64xf16, #shared>>
  // DESC-SAME: !tt.tensordesc<64x64xf16, #shared>
  tt.func public @kernel(%p: tensor<128x!tt.ptr<f32>, #flat>, %d: !tt.tensordesc<64x64xf16, #tile>, %x: tensor<128xf32, #flat>) {
    // CG: tt.load %arg0 cacheModifier = cg :
    // POLICY: tt.load %arg0 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>}
    %0 = tt.load %p cacheModifier = cg : tensor<128x!tt.ptr<f32>, #flat>
    // B6: gpu.barrier {async_task_id = array<i32: 0>}
    // B7: ttg.barrier local {async_task_id = array<i32: 0>}
    ttg.barrier local {async_task_id = array<i32: 0>}
    // ASM: tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
    // ASM: "griddepcontrol.launch_dependents; // dummy $0"
    // GDC: tt.grid_dependency_wait
    // GDC: tt.grid_dependency_launch_dependents
    tt.grid_dependency_wait
    tt.grid_dependency_launch_dependents
    // ASM: arith.divf
    // GDC: tt.approx_divf
    %1 = tt.approx_divf %x, %0 : tensor<128xf32, #flat>
    tt.return
  }
}
