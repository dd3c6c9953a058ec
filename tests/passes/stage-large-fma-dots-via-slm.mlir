// RUN: tritcc -x ttgir -passes=stage-large-fma-dots-via-slm %s | FileCheck %s
// positive: @whole @cast @staged @in_if
// negative: @small @matrix_unit @no_room @loaded_so
// loop: @whole
// if: @in_if

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 32, warpsPerCTA = [4, 1], repCluster = [1, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
#ma = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#mb = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A lane has 8 rows and 2 columns, of 128 f32 each: 5 KiB. Four parts: 8 rows of 32 are 1 KiB.
  // CHECK-LABEL: @whole
  // CHECK: scf.for {{.*}} iter_args([[C:%.+]] = %arg2)
  // CHECK-NEXT: [[A:%.+]] = ttg.local_alloc %arg0
  // CHECK-NEXT: [[B:%.+]] = ttg.local_alloc %arg1
  // CHECK-NEXT: [[PA:%.+]] = ttg.memdesc_subslice [[A]][0, 0] {{.*}} -> !ttg.memdesc<64x32xf32, {{.*}}, 64x128>
  // CHECK-NEXT: [[LA:%.+]] = ttg.local_load [[PA]]
  // CHECK-NEXT: [[PB:%.+]] = ttg.memdesc_subslice [[B]][0, 0] {{.*}} -> !ttg.memdesc<32x32xf32, {{.*}}, 128x32>
  // CHECK-NEXT: [[LB:%.+]] = ttg.local_load [[PB]]
  // CHECK-NEXT: [[D:%.+]] = tt.dot [[LA]], [[LB]], [[C]]
  // CHECK: ttg.memdesc_subslice [[A]][0, 32]
  // CHECK: ttg.memdesc_subslice [[B]][32, 0]
  // CHECK: tt.dot {{%.+}}, {{%.+}}, [[D]]
  // CHECK: ttg.memdesc_subslice [[B]][96, 0]
  // CHECK: [[D3:%.+]] = tt.dot
  // CHECK-NEXT: scf.yield [[D3]]
  tt.func public @whole(%x: tensor<64x128xf32, #blocked>, %y: tensor<128x32xf32, #blocked>, %c: tensor<64x32xf32, #blocked>, %n: i32) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<64x32xf32, #blocked>) : i32 {
      %a = ttg.convert_layout %x : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #a>
      %b = ttg.convert_layout %y : tensor<128x32xf32, #blocked> -> tensor<128x32xf32, #b>
      %d = tt.dot %a, %b, %s : tensor<64x128xf32, #a> * tensor<128x32xf32, #b> -> tensor<64x32xf32, #blocked>
      scf.yield %d : tensor<64x32xf32, #blocked>
    }
    tt.return %r : tensor<64x32xf32, #blocked>
  }
  // Memory holds the narrow type, from in front of the conversion of layouts and from behind it.
  // CHECK-LABEL: @cast
  // CHECK: ttg.local_alloc %arg0 : (tensor<64x128xf16
  // CHECK: ttg.local_alloc %arg1 : (tensor<128x32xf16
  // CHECK-COUNT-4: tt.dot {{.*}} : tensor<64x32xf32, {{.*}} * tensor<32x32xf32
  // CHECK-NOT: tensor<64x128xf32
  tt.func public @cast(%x: tensor<64x128xf16, #blocked>, %y: tensor<128x32xf16, #blocked>, %c: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
    %a = ttg.convert_layout %x : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #a>
    %a1 = arith.extf %a : tensor<64x128xf16, #a> to tensor<64x128xf32, #a>
    %y1 = tt.fp_to_fp %y : tensor<128x32xf16, #blocked> -> tensor<128x32xf32, #blocked>
    %b = ttg.convert_layout %y1 : tensor<128x32xf32, #blocked> -> tensor<128x32xf32, #b>
    %d = tt.dot %a1, %b, %c : tensor<64x128xf32, #a> * tensor<128x32xf32, #b> -> tensor<64x32xf32, #blocked>
    tt.return %d : tensor<64x32xf32, #blocked>
  }
  // CHECK-LABEL: @staged
  // CHECK: ttg.memdesc_subslice %arg0[0, 0]
  // CHECK: ttg.memdesc_subslice %arg0[0, 96]
  tt.func public @staged(%m: !ttg.memdesc<64x128xf32, #shared, #smem>, %y: tensor<128x32xf32, #blocked>, %c: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
    %a = ttg.local_load %m : !ttg.memdesc<64x128xf32, #shared, #smem> -> tensor<64x128xf32, #a>
    %b = ttg.convert_layout %y : tensor<128x32xf32, #blocked> -> tensor<128x32xf32, #b>
    %d = tt.dot %a, %b, %c : tensor<64x128xf32, #a> * tensor<128x32xf32, #b> -> tensor<64x32xf32, #blocked>
    tt.return %d : tensor<64x32xf32, #blocked>
  }
  // CHECK-LABEL: @in_if
  // CHECK: scf.if
  // CHECK: ttg.local_alloc
  // CHECK-COUNT-4: tt.dot
  tt.func public @in_if(%x: tensor<64x128xf32, #blocked>, %y: tensor<128x32xf32, #blocked>, %c: tensor<64x32xf32, #blocked>, %t: i1) -> tensor<64x32xf32, #blocked> {
    %r = scf.if %t -> (tensor<64x32xf32, #blocked>) {
      %a = ttg.convert_layout %x : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #a>
      %b = ttg.convert_layout %y : tensor<128x32xf32, #blocked> -> tensor<128x32xf32, #b>
      %d = tt.dot %a, %b, %c : tensor<64x128xf32, #a> * tensor<128x32xf32, #b> -> tensor<64x32xf32, #blocked>
      scf.yield %d : tensor<64x32xf32, #blocked>
    } else {
      scf.yield %c : tensor<64x32xf32, #blocked>
    }
    tt.return %r : tensor<64x32xf32, #blocked>
  }
  tt.func public @small(%x: tensor<16x16xf32, #blocked>, %y: tensor<16x16xf32, #blocked>, %c: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #blocked> {
    %a = ttg.convert_layout %x : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #a>
    %b = ttg.convert_layout %y : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #b>
    %d = tt.dot %a, %b, %c : tensor<16x16xf32, #a> * tensor<16x16xf32, #b> -> tensor<16x16xf32, #blocked>
    tt.return %d : tensor<16x16xf32, #blocked>
  }
  tt.func public @matrix_unit(%x: tensor<64x128xf16, #blocked>, %y: tensor<128x128xf16, #blocked>, %c: tensor<64x128xf32, #dpas>) -> tensor<64x128xf32, #dpas> {
    %a = ttg.convert_layout %x : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #ma>
    %b = ttg.convert_layout %y : tensor<128x128xf16, #blocked> -> tensor<128x128xf16, #mb>
    %d = tt.dot %a, %b, %c : tensor<64x128xf16, #ma> * tensor<128x128xf16, #mb> -> tensor<64x128xf32, #dpas>
    tt.return %d : tensor<64x128xf32, #dpas>
  }
  // 64 KiB of shared memory
  tt.func public @no_room(%x: tensor<64x128xf32, #blocked>, %y: tensor<128x64xf32, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %a = ttg.convert_layout %x : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #a>
    %b = ttg.convert_layout %y : tensor<128x64xf32, #blocked> -> tensor<128x64xf32, #b>
    %d = tt.dot %a, %b, %c : tensor<64x128xf32, #a> * tensor<128x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  // Operands that are made so do not come from shared memory.
  tt.func public @loaded_so(%p: tensor<64x128x!tt.ptr<f32>, #a>, %y: tensor<128x32xf32, #blocked>, %c: tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked> {
    %a = tt.load %p : tensor<64x128x!tt.ptr<f32>, #a>
    %b = ttg.convert_layout %y : tensor<128x32xf32, #blocked> -> tensor<128x32xf32, #b>
    %d = tt.dot %a, %b, %c : tensor<64x128xf32, #a> * tensor<128x32xf32, #b> -> tensor<64x32xf32, #blocked>
    tt.return %d : tensor<64x32xf32, #blocked>
  }
}
