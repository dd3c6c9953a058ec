// RUN: tritcc -x ttgir -passes=accelerate-matmul %s | FileCheck %s
// RUN: sed 's/cuda:80/cuda:70/' %s > %t.mlir
// RUN: tritcc -x ttgir -passes=accelerate-matmul %t.mlir | FileCheck --check-prefix=OLD %s
// positive: @half @tf32 @chained @widened @fp8 @batched @short_fp8 @short_i8 @nibbles @far_nibbles @loop
// negative: @exact
// loop: @loop
// if: @loop

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#batch = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 2, 16], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#joined = #ttg.blocked<{sizePerThread = [4, 4, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#flat = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [0, 1]}>
#tallest = #ttg.blocked<{sizePerThread = [4, 4, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// CHECK-DAG: [[$SQUARE:#.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: [[$TALL:#.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-DAG: [[$BATCH:#.+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
// CHECK-DAG: [[$BLOCKED:#.+]] = #ttg.blocked<{sizePerThread = [4, 4]
// OLD-NOT: nvidia_mma

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @half
  // CHECK-DAG: [[C:%.+]] = ttg.convert_layout %{{.*}} : tensor<64x64xf32, [[$BLOCKED]]> -> tensor<64x64xf32, [[$SQUARE]]>
  // CHECK-DAG: [[A:%.+]] = ttg.convert_layout %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = [[$SQUARE]], kWidth = 2}>>
  // CHECK-DAG: [[B:%.+]] = ttg.convert_layout %{{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = [[$SQUARE]], kWidth = 2}>>
  // CHECK: [[D:%.+]] = tt.dot [[A]], [[B]], [[C]] {{.*}} -> tensor<64x64xf32, [[$SQUARE]]>
  // CHECK: ttg.convert_layout [[D]] : tensor<64x64xf32, [[$SQUARE]]> -> tensor<64x64xf32, [[$BLOCKED]]>
  tt.func public @half(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // Exact f32 products are not what tensor cores do.
  // CHECK-LABEL: @exact
  // CHECK-NOT: mma
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, [[$BLOCKED]]>
  tt.func public @exact(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @tf32
  // CHECK: tt.dot {{.*}}inputPrecision = tf32{{.*}}kWidth = 1{{.*}} -> tensor<64x64xf32, [[$SQUARE]]>
  tt.func public @tf32(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // Two chained products keep their rows in one warp, so that the first result is the second operand.
  // CHECK-LABEL: @chained
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, [[$TALL]]>
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, [[$TALL]]>
  tt.func public @chained(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %w: tensor<64x64xf16, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    %h = arith.truncf %d : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %o = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %e = tt.dot %o, %w, %z : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %e : tensor<64x64xf32, #blocked>
  }

  // Bytes that are widened in registers come four at a time, so each thread takes four along K.
  // CHECK-LABEL: @widened
  // CHECK: tt.dot {{.*}}kWidth = 4{{.*}}kWidth = 4
  tt.func public @widened(%p: tensor<64x32x!tt.ptr<i8>, #blocked>, %y: tensor<32x64xf16, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %i = tt.load %p : tensor<64x32x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %i : tensor<64x32xi8, #blocked> to tensor<64x32xf16, #blocked>
    %o = ttg.convert_layout %f : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %d = tt.dot %o, %y, %z : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // sm_80 multiplies no 8-bit floats.
  // CHECK-LABEL: @fp8
  // CHECK: tt.fp_to_fp {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = [[$SQUARE]], kWidth = 4}>>
  // CHECK: tt.fp_to_fp
  // CHECK: tt.dot {{.*}} tensor<64x32xf16
  tt.func public @fp8(%x: tensor<64x32xf8E5M2, #a>, %y: tensor<32x64xf8E5M2, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z : tensor<64x32xf8E5M2, #a> * tensor<32x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // CHECK-LABEL: @batched
  // CHECK: tt.dot {{.*}} -> tensor<4x32x32xf32, [[$BATCH]]>
  tt.func public @batched(%x: tensor<4x32x16xf16, #ttg.dot_op<{opIdx = 0, parent = #batch}>>, %y: tensor<4x16x32xf16, #ttg.dot_op<{opIdx = 1, parent = #batch}>>, %z: tensor<4x32x32xf32, #batch>) -> tensor<4x32x32xf32, #batch> {
    %d = tt.dot %x, %y, %z : tensor<4x32x16xf16, #ttg.dot_op<{opIdx = 0, parent = #batch}>> * tensor<4x16x32xf16, #ttg.dot_op<{opIdx = 1, parent = #batch}>> -> tensor<4x32x32xf32, #batch>
    tt.return %d : tensor<4x32x32xf32, #batch>
  }

  // As halves they fill an instruction that they would not fill as bytes; bytes of integers stay what they are.
  // CHECK-LABEL: @short_fp8
  // CHECK: tt.dot {{.*}} tensor<64x16xf16{{.*}} -> tensor<64x64xf32, [[$SQUARE]]>
  // CHECK-LABEL: @short_i8
  // CHECK: tt.dot {{.*}} -> tensor<64x64xi32, [[$BLOCKED]]>
  tt.func public @short_fp8(%x: tensor<64x16xf8E5M2, #a>, %y: tensor<16x64xf8E5M2, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %z : tensor<64x16xf8E5M2, #a> * tensor<16x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  tt.func public @short_i8(%x: tensor<64x16xi8, #a>, %y: tensor<16x64xi8, #b>, %z: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
    %d = tt.dot %x, %y, %z : tensor<64x16xi8, #a> * tensor<16x64xi8, #b> -> tensor<64x64xi32, #blocked>
    tt.return %d : tensor<64x64xi32, #blocked>
  }

  // Two numbers made of each loaded byte and put side by side: eight of a word, along K, are one thread's. Those that are
  // put side by side in rows that other threads read come as bytes.
  // CHECK-LABEL: @nibbles
  // CHECK: tt.dot {{.*}}kWidth = 8{{.*}}kWidth = 8
  // CHECK-LABEL: @far_nibbles
  // CHECK: tt.dot {{.*}}kWidth = 4{{.*}}kWidth = 4
  tt.func public @nibbles(%p: tensor<64x32x!tt.ptr<i8>, #blocked>, %y: tensor<64x64xf16, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %i = tt.load %p : tensor<64x32x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %i : tensor<64x32xi8, #blocked> to tensor<64x32xf16, #blocked>
    %g = arith.addf %f, %f : tensor<64x32xf16, #blocked>
    %j = tt.join %f, %g : tensor<64x32xf16, #blocked> -> tensor<64x32x2xf16, #joined>
    %k = tt.reshape %j : tensor<64x32x2xf16, #joined> -> tensor<64x64xf16, #flat>
    %o = ttg.convert_layout %k : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #a>
    %d = tt.dot %o, %y, %z : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  tt.func public @far_nibbles(%p: tensor<64x32x!tt.ptr<i8>, #tall>, %y: tensor<64x64xf16, #b>, %z: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %i = tt.load %p : tensor<64x32x!tt.ptr<i8>, #tall>
    %f = arith.sitofp %i : tensor<64x32xi8, #tall> to tensor<64x32xf16, #tall>
    %j = tt.join %f, %f : tensor<64x32xf16, #tall> -> tensor<64x32x2xf16, #tallest>
    %s = ttg.convert_layout %j : tensor<64x32x2xf16, #tallest> -> tensor<64x32x2xf16, #joined>
    %k = tt.reshape %s : tensor<64x32x2xf16, #joined> -> tensor<64x64xf16, #flat>
    %o = ttg.convert_layout %k : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #a>
    %d = tt.dot %o, %y, %z : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }

  // The product of a loop: the conversions of its sum stand around it, for remove-layout-conversions to take out.
  // CHECK-LABEL: @loop
  // CHECK: scf.for {{.*}} iter_args([[ACC:%.+]] = %arg2)
  // CHECK-NEXT: scf.if
  // CHECK-DAG: [[C:%.+]] = ttg.convert_layout [[ACC]] : tensor<64x64xf32, [[$BLOCKED]]> -> tensor<64x64xf32, [[$SQUARE]]>
  // CHECK: [[D:%.+]] = tt.dot %{{.*}}, %{{.*}}, [[C]] {{.*}} -> tensor<64x64xf32, [[$SQUARE]]>
  // CHECK-NEXT: [[R:%.+]] = ttg.convert_layout [[D]]
  // CHECK-NEXT: scf.yield [[R]]
  tt.func public @loop(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %z: tensor<64x64xf32, #blocked>, %n: i32, %k: i1) -> tensor<64x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x64xf32, #blocked>) : i32 {
      %v = scf.if %k -> (tensor<64x64xf32, #blocked>) {
        %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
        scf.yield %d : tensor<64x64xf32, #blocked>
      } else {
        scf.yield %acc : tensor<64x64xf32, #blocked>
      }
      scf.yield %v : tensor<64x64xf32, #blocked>
    }
    tt.return %r : tensor<64x64xf32, #blocked>
  }
}
