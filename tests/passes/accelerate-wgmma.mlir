// RUN: tritcc -x ttgir -passes=accelerate-matmul %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=accelerate-matmul{max-version=2}' %s | FileCheck %s --check-prefix=OLD
// RUN: tritcc -x ttgir '-passes=accelerate-matmul{swap=0}' %s | FileCheck %s --check-prefix=SAME
// Products for warp groups (capability 90).
// OLD-NOT: ttng.warp_group_dot
// OLD: versionMajor = 2
// OLD-NOT: ttng.warp_group_dot

// CHECK-DAG: [[$ROW:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$WIDE:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: [[$TURNED:#.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
// CHECK-DAG: [[$MMA:#.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#long = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Loaded operands are read from shared memory.
  // CHECK-LABEL: @loaded
  // CHECK: [[A:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x32xf16, [[$ROW]], #smem>
  // CHECK: [[B:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xf16, [[$WIDE]], #smem>
  // CHECK: [[C:%.+]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf32, [[$MMA]]>
  // CHECK: ttng.warp_group_dot [[A]], [[B]], [[C]]
  tt.func public @loaded(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %pb: tensor<32x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %x = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<f16>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %yb = ttg.convert_layout %y : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %xa, %yb, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // A computed one stays in registers. Bytes must run along K in a buffer.
  // CHECK-LABEL: @computed
  // CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x64xi8, [[$TURNED]], #smem>
  // CHECK: ttng.warp_group_dot %{{.*}} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 4}>> * !ttg.memdesc
  tt.func public @computed(%x: tensor<64x32xi8, #a>, %pb: tensor<32x64x!tt.ptr<i8>, #blocked>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
    %z = arith.addi %x, %x : tensor<64x32xi8, #a>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<i8>, #blocked>
    %yb = ttg.convert_layout %y : tensor<32x64xi8, #blocked> -> tensor<32x64xi8, #b>
    %d = tt.dot %z, %yb, %c : tensor<64x32xi8, #a> * tensor<32x64xi8, #b> -> tensor<64x64xi32, #blocked>
    tt.return %d : tensor<64x64xi32, #blocked>
  }

  // Words of A that do not run along K: A itself comes from registers.
  // CHECK-LABEL: @column_major_words
  // CHECK: ttng.warp_group_dot %{{.*}} : tensor<64x16xf32, #ttg.dot_op<{{.*}}>> * !ttg.memdesc<16x64xf32, #{{.*}}> -> tensor<64x64xf32, #
  tt.func public @column_major_words(%pa: tensor<64x32x!tt.ptr<f32>, #column>, %pb: tensor<32x64x!tt.ptr<f32>, #column>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %x = tt.load %pa : tensor<64x32x!tt.ptr<f32>, #column>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<f32>, #column>
    %xa = ttg.convert_layout %x : tensor<64x32xf32, #column> -> tensor<64x32xf32, #a>
    %yb = ttg.convert_layout %y : tensor<32x64xf32, #column> -> tensor<32x64xf32, #b>
    %d = tt.dot %xa, %yb, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // Neither runs along K.
  // CHECK-LABEL: @no_words
  // CHECK-NOT: ttng.warp_group_dot
  // CHECK: tt.return
  tt.func public @no_words(%pa: tensor<64x32x!tt.ptr<f32>, #column>, %pb: tensor<32x64x!tt.ptr<f32>, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %x = tt.load %pa : tensor<64x32x!tt.ptr<f32>, #column>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<f32>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x32xf32, #column> -> tensor<64x32xf32, #a>
    %yb = ttg.convert_layout %y : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #b>
    %d = tt.dot %xa, %yb, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // Fewer rows than a warp group needs: single warps do it, in a loop too.
  // CHECK-LABEL: @few_rows
  // CHECK: scf.for
  // CHECK-NOT: ttng.warp_group_dot
  // CHECK: tt.dot {{.*}} -> tensor<32x64xf32, #{{.*}}>
  tt.func public @few_rows(%x: tensor<32x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<32x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<32x64xf32, #blocked>) : i32 {
      %d = tt.dot %x, %y, %acc : tensor<32x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<32x64xf32, #blocked>
      scf.yield %d : tensor<32x64xf32, #blocked>
    }
    tt.return %r : tensor<32x64xf32, #blocked>
  }

  // Words that run along N come from registers, as the first operand of the transposed product: two products, each over
  // half of K. The loop carries the sums as the product has them.
  // CHECK-LABEL: @words_along_n
  // SAME-LABEL: @words_along_n
  // SAME-NOT: ttg.memdesc_trans
  // CHECK: [[SUMS:%.+]] = arith.constant dense<0.000000e+00> : tensor<64x128xf32, [[$TALL:#.+]]>
  // CHECK: scf.for {{.*}} iter_args([[C:%.+]] = [[SUMS]])
  // CHECK: [[A:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<128x16xf32, [[$A:#.+]], #smem>
  // CHECK: [[B:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<16x64xf32, [[$B:#.+]], #smem>
  // CHECK: [[AT:%.+]] = ttg.memdesc_trans [[A]] {order = array<i32: 1, 0>}
  // CHECK: [[B0:%.+]] = ttg.memdesc_subslice [[B]][0, 0]
  // CHECK: [[R0:%.+]] = ttg.local_load [[B0]] : {{.*}} -> tensor<8x64xf32, #{{.+}}>
  // CHECK: tt.reshape [[R0]]
  // CHECK: [[O0:%.+]] = ttg.convert_layout %{{.*}} -> tensor<64x8xf32, #ttg.dot_op<{opIdx = 0, parent = [[$TALL]], kWidth = 1}>>
  // CHECK: [[A0:%.+]] = ttg.memdesc_subslice [[AT]][0, 0]
  // CHECK: [[D0:%.+]] = ttng.warp_group_dot [[O0]], [[A0]], [[C]]
  // CHECK: ttg.memdesc_subslice [[B]][8, 0]
  // CHECK: [[A1:%.+]] = ttg.memdesc_subslice [[AT]][8, 0]
  // CHECK: [[D1:%.+]] = ttng.warp_group_dot %{{.*}}, [[A1]], [[D0]]
  // CHECK: scf.yield [[D1]]
  tt.func public @words_along_n(%pa: tensor<128x16x!tt.ptr<f32>, #long>, %pb: tensor<16x64x!tt.ptr<f32>, #blocked>, %n: i32) -> tensor<128x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #blocked>) : i32 {
      %x = tt.load %pa : tensor<128x16x!tt.ptr<f32>, #long>
      %y = tt.load %pb : tensor<16x64x!tt.ptr<f32>, #blocked>
      %xa = ttg.convert_layout %x : tensor<128x16xf32, #long> -> tensor<128x16xf32, #a>
      %yb = ttg.convert_layout %y : tensor<16x64xf32, #blocked> -> tensor<16x64xf32, #b>
      %d = tt.dot %xa, %yb, %acc, inputPrecision = tf32 : tensor<128x16xf32, #a> * tensor<16x64xf32, #b> -> tensor<128x64xf32, #blocked>
      scf.yield %d : tensor<128x64xf32, #blocked>
    }
    tt.return %r : tensor<128x64xf32, #blocked>
  }

  // An operand that a loop keeps is loaded to registers in front of it, once for all loops, as its product is narrow.
  // CHECK-LABEL: @kept
  // CHECK: [[B:%.+]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf16, [[$WIDE]], #smem>
  // CHECK-NEXT: [[R:%.+]] = ttg.local_load [[B]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = [[$MMA]], kWidth = 2}>>
  // CHECK-NOT: ttg.local_load
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot [[R]], %{{.*}} : tensor<64x64xf16, {{.*}}> * !ttg.memdesc
  // CHECK: scf.for
  // CHECK: ttng.warp_group_dot [[R]], %{{.*}} : tensor<64x64xf16, {{.*}}> * !ttg.memdesc
  tt.func public @kept(%pa: tensor<64x64x!tt.ptr<f16>, #blocked>, %pb: tensor<64x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
      %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #blocked>
      %yb = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
      scf.yield %d : tensor<64x64xf32, #blocked>
    }
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %r) -> (tensor<64x64xf32, #blocked>) : i32 {
      %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #blocked>
      %yb = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
      scf.yield %d : tensor<64x64xf32, #blocked>
    }
    tt.return %s : tensor<64x64xf32, #blocked>
  }

  // One that takes more registers, a wider product, and a narrower one by four warps read it from memory.
  // CHECK-LABEL: @not_kept
  // CHECK-NOT: ttg.local_load
  // CHECK: tt.return
  tt.func public @not_kept(%pa: tensor<64x128x!tt.ptr<f16>, #blocked>, %pb: tensor<128x64x!tt.ptr<f16>, #blocked>, %pc: tensor<64x64x!tt.ptr<f16>, #blocked>, %pd: tensor<64x128x!tt.ptr<f16>, #blocked>, %pe: tensor<64x32x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #blocked>, %d: tensor<64x128xf32, #blocked>, %e: tensor<64x32xf32, #blocked>, %n: i32) -> (tensor<64x64xf32, #blocked>, tensor<64x128xf32, #blocked>, tensor<64x32xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.load %pa : tensor<64x128x!tt.ptr<f16>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #a>
    %z = tt.load %pc : tensor<64x64x!tt.ptr<f16>, #blocked>
    %za = ttg.convert_layout %z : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
      %y = tt.load %pb : tensor<128x64x!tt.ptr<f16>, #blocked>
      %yb = ttg.convert_layout %y : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #b>
      %m = tt.dot %xa, %yb, %acc : tensor<64x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<64x64xf32, #blocked>
      scf.yield %m : tensor<64x64xf32, #blocked>
    }
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %d) -> (tensor<64x128xf32, #blocked>) : i32 {
      %y = tt.load %pd : tensor<64x128x!tt.ptr<f16>, #blocked>
      %yb = ttg.convert_layout %y : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #b>
      %m = tt.dot %za, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #blocked>
      scf.yield %m : tensor<64x128xf32, #blocked>
    }
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %e) -> (tensor<64x32xf32, #blocked>) : i32 {
      %y = tt.load %pe : tensor<64x32x!tt.ptr<f16>, #blocked>
      %yb = ttg.convert_layout %y : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #b>
      %m = tt.dot %za, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #blocked>
      scf.yield %m : tensor<64x32xf32, #blocked>
    }
    tt.return %r, %s, %t : tensor<64x64xf32, #blocked>, tensor<64x128xf32, #blocked>, tensor<64x32xf32, #blocked>
  }
}
