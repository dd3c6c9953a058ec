// RUN: tritcc -x ttgir -passes=coalesce-async-copy %s | FileCheck %s
// positive: @cut @small
// negative: @fits
// loop: @small

#wide = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#groups = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CHECK-DAG: [[$WIDE:#.+]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$CUT:#.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$ONE:#.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // The buffer is swizzled in groups of four.
  // CHECK-LABEL: @cut
  tt.func public @cut(%p: tensor<128x16x!tt.ptr<i8>, #wide>, %m: tensor<128x16xi1, #wide>, %b: !ttg.memdesc<128x16xi8, #groups, #smem, mutable>) {
    // CHECK: [[P:%.+]] = ttg.convert_layout %{{.*}} -> tensor<128x16x!tt.ptr<i8>, [[$CUT]]>
    // CHECK: [[M:%.+]] = ttg.convert_layout %{{.*}} -> tensor<128x16xi1, [[$CUT]]>
    // CHECK: ttg.async_copy_global_to_local [[P]], %{{.*}} mask [[M]] {contiguity = 4 : i32}
    %t = ttg.async_copy_global_to_local %p, %b mask %m {contiguity = 16 : i32} : tensor<128x16x!tt.ptr<i8>, #wide> -> <128x16xi8, #groups, #smem, mutable>
    tt.return
  }

  // Whole rows are consecutive here.
  // CHECK-LABEL: @fits
  tt.func public @fits(%p: tensor<128x16x!tt.ptr<i8>, #wide>, %b: !ttg.memdesc<128x16xi8, #plain, #smem, mutable>) {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<128x16x!tt.ptr<i8>, [[$WIDE]]>
    %t = ttg.async_copy_global_to_local %p, %b : tensor<128x16x!tt.ptr<i8>, #wide> -> <128x16xi8, #plain, #smem, mutable>
    tt.return
  }

  // Fewer elements than threads, in a loop.
  // CHECK-LABEL: @small
  tt.func public @small(%p: tensor<64x!tt.ptr<i32>, #line>, %b: !ttg.memdesc<64xi32, #flat, #smem, mutable>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for
    // CHECK: ttg.async_copy_global_to_local %{{.*}} : tensor<64x!tt.ptr<i32>, [[$ONE]]>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t = ttg.async_copy_global_to_local %p, %b : tensor<64x!tt.ptr<i32>, #line> -> <64xi32, #flat, #smem, mutable>
    }
    tt.return
  }
}
