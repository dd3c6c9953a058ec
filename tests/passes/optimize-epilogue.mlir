// RUN: tritcc -x ttgir -passes=optimize-epilogue %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=optimize-epilogue{least-bytes=4}' %s | FileCheck --check-prefix=LEAST %s
// positive: @chain @wide @branch @loop
// negative: @two_users @two_operands @not_a_product
// loop: @loop
// if: @branch

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#mma4 = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true}>
#upright = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = false}>
// lanes l and l + 32 have had columns 0 to 3 and 4 to 7, 8 to 11 and 12 to 15
// CHECK: [[$WIDE:#.+]] = #ttg.linear<{register = {{.}}[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64]{{.}}, lane = {{.}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]{{.}}, warp = 
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @chain
  // CHECK-NEXT: [[E:%.+]] = math.exp2 %arg0 : tensor<128x128xf32, [[MMA:#.+]]>
  // CHECK-NEXT: [[T:%.+]] = arith.truncf [[E]] : tensor<128x128xf32, [[MMA]]> to tensor<128x128xf16, [[MMA]]>
  // CHECK-NEXT: [[P:%.+]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<128x128x!tt.ptr<f16>, [[MMA]]>
  // CHECK-NEXT: [[M:%.+]] = ttg.convert_layout %arg2 : {{.*}} -> tensor<128x128xi1, [[MMA]]>
  // CHECK-NEXT: tt.store [[P]], [[T]], [[M]] cacheModifier = cs : tensor<128x128x!tt.ptr<f16>, [[MMA]]>
  tt.func public @chain(%x: tensor<128x128xf32, #mma>, %p: tensor<128x128x!tt.ptr<f16>, #row>, %m: tensor<128x128xi1, #row>) {
    %c = ttg.convert_layout %x : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #row>
    %e = math.exp2 %c : tensor<128x128xf32, #row>
    %t = arith.truncf %e : tensor<128x128xf32, #row> to tensor<128x128xf16, #row>
    tt.store %p, %t, %m cacheModifier = cs : tensor<128x128x!tt.ptr<f16>, #row>
    tt.return
  }

  // CHECK-LABEL: @wide
  // CHECK: tt.store {{.*}} : tensor<128x128x!tt.ptr<f16>, [[$WIDE]]>
  tt.func public @wide(%x: tensor<128x128xf16, #mma4>, %p: tensor<128x128x!tt.ptr<f16>, #row>) {
    %c = ttg.convert_layout %x : tensor<128x128xf16, #mma4> -> tensor<128x128xf16, #row>
    tt.store %p, %c : tensor<128x128x!tt.ptr<f16>, #row>
    tt.return
  }

  // A lane has one column of each row: single numbers of 16 bits.
  // CHECK-LABEL: @branch
  // CHECK: scf.if
  // CHECK-NEXT: ttg.convert_layout %arg1
  // CHECK-NEXT: tt.store
  // LEAST-LABEL: @branch
  // LEAST: ttg.convert_layout %arg0
  // LEAST-NEXT: tt.store %arg1
  tt.func public @branch(%x: tensor<128x128xf16, #upright>, %p: tensor<128x128x!tt.ptr<f16>, #row>, %b: i1) {
    scf.if %b {
      %c = ttg.convert_layout %x : tensor<128x128xf16, #upright> -> tensor<128x128xf16, #row>
      tt.store %p, %c : tensor<128x128x!tt.ptr<f16>, #row>
    }
    tt.return
  }

  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK-NEXT: ttg.convert_layout %arg1
  // CHECK-NEXT: tt.store {{.*}}, %arg0 : tensor<128x128x!tt.ptr<f32>, [[MMA:#.+]]>
  tt.func public @loop(%x: tensor<128x128xf32, #mma>, %p: tensor<128x128x!tt.ptr<f32>, #row>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %c = ttg.convert_layout %x : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #row>
      tt.store %p, %c : tensor<128x128x!tt.ptr<f32>, #row>
    }
    tt.return
  }

  // CHECK-LABEL: @two_users
  // CHECK-NEXT: ttg.convert_layout %arg0
  tt.func public @two_users(%x: tensor<128x128xf32, #mma>, %p: tensor<128x128x!tt.ptr<f32>, #row>, %q: tensor<128x128x!tt.ptr<f32>, #row>) {
    %c = ttg.convert_layout %x : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #row>
    tt.store %p, %c : tensor<128x128x!tt.ptr<f32>, #row>
    tt.store %q, %c : tensor<128x128x!tt.ptr<f32>, #row>
    tt.return
  }

  // CHECK-LABEL: @two_operands
  // CHECK-NEXT: ttg.convert_layout %arg0
  tt.func public @two_operands(%x: tensor<128x128xf32, #mma>, %y: tensor<128x128xf32, #row>, %p: tensor<128x128x!tt.ptr<f32>, #row>) {
    %c = ttg.convert_layout %x : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #row>
    %s = arith.addf %c, %y : tensor<128x128xf32, #row>
    tt.store %p, %s : tensor<128x128x!tt.ptr<f32>, #row>
    tt.return
  }

  // CHECK-LABEL: @not_a_product
  // CHECK-NEXT: ttg.convert_layout %arg0
  tt.func public @not_a_product(%x: tensor<128x128xf32, #other>, %p: tensor<128x128x!tt.ptr<f32>, #row>) {
    %c = ttg.convert_layout %x : tensor<128x128xf32, #other> -> tensor<128x128xf32, #row>
    tt.store %p, %c : tensor<128x128x!tt.ptr<f32>, #row>
    tt.return
  }
}
