// RUN: tritcc -x ttgir -passes=own-rows,canonicalize %s | FileCheck %s
// RUN: tritcc -x ttgir -passes=own-rows,canonicalize,allocate-shared-memory,membar %s | FileCheck %s --check-prefix=BARRIERS
// positive: @tiles @sums
// negative: @straight @beside @loaded @mixed
// loop: @tiles @sums @beside @loaded @mixed

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#beside = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, 16]}>
// two rows of 16 lanes each, eight of a thread below one another: the 16 rows of a warp
// CHECK: [[$ROWS:#.+]] = #ttg.blocked<{sizePerThread = [8, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Addresses and masks are computed in that layout, and no others; the second round waits for no other warp.
  // CHECK-LABEL: @tiles
  // CHECK: scf.for
  // CHECK-DAG: [[P:%.+]] = tt.addptr {{.*}} : tensor<128x128x!tt.ptr<f16>, [[$ROWS]]>
  // CHECK-DAG: [[M:%.+]] = tt.broadcast {{.*}} -> tensor<128x128xi1, [[$ROWS]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: [[C:%.+]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<128x128xf16, [[$ROWS]]>
  // CHECK-NEXT: tt.store [[P]], [[C]], [[M]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK-LABEL: @sums
  // BARRIERS-LABEL: @tiles
  // BARRIERS: scf.for
  // BARRIERS-NOT: ttg.barrier
  // BARRIERS: ttg.convert_layout %arg0 {allocation.offset = 0 : i32, tritcc.again}
  // BARRIERS-NOT: ttg.barrier
  // BARRIERS-LABEL: @sums
  tt.func public @tiles(%x: tensor<128x128xf16, #mma>, %p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %rows: i32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %n step %c128 : i32 {
      %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %first = tt.splat %i : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %at = arith.addi %first, %r : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %row = tt.expand_dims %at {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<128x1xi32, #blocked>
      %bound = tt.splat %rows : i32 -> tensor<128x1xi32, #blocked>
      %in = arith.cmpi slt, %row, %bound : tensor<128x1xi32, #blocked>
      %m = tt.broadcast %in : tensor<128x1xi1, #blocked> -> tensor<128x128xi1, #blocked>
      %c = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
      %column = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
      %wide = tt.broadcast %column : tensor<1x128xi32, #blocked> -> tensor<128x128xi32, #blocked>
      %high = tt.broadcast %row : tensor<128x1xi32, #blocked> -> tensor<128x128xi32, #blocked>
      %each = arith.constant dense<128> : tensor<128x128xi32, #blocked>
      %far = arith.muli %high, %each : tensor<128x128xi32, #blocked>
      %offset = arith.addi %far, %wide : tensor<128x128xi32, #blocked>
      %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>, #blocked>
      %q = tt.addptr %base, %offset : tensor<128x128x!tt.ptr<f16>, #blocked>, tensor<128x128xi32, #blocked>
      %y = ttg.convert_layout %x : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #blocked>
      tt.store %q, %y, %m : tensor<128x128x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }

  // One number of each row is stored where the rows are.
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: [[L:%.+]] = math.log2 %arg0 : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  // CHECK-NEXT: [[S:%.+]] = arith.addf [[L]], %arg1
  // CHECK-NEXT: tt.store {{.*}}, [[S]] : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
  tt.func public @sums(%x: tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>, %y: tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>, %p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %n step %c128 : i32 {
      %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
      %first = tt.splat %i : i32 -> tensor<128xi32, #row>
      %at = arith.addi %first, %r : tensor<128xi32, #row>
      %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
      %q = tt.addptr %base, %at : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
      %u = ttg.convert_layout %x : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128xf32, #row>
      %v = ttg.convert_layout %y : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128xf32, #row>
      %l = math.log2 %u : tensor<128xf32, #row>
      %s = arith.addf %l, %v : tensor<128xf32, #row>
      tt.store %q, %s : tensor<128x!tt.ptr<f32>, #row>
    }
    tt.return
  }

  // Made of what else is in that layout, too.
  // CHECK-LABEL: @mixed
  // CHECK: ttg.convert_layout %arg0
  // CHECK: tt.store {{.*}} : tensor<128x!tt.ptr<f32>, [[ROW:#[a-z0-9]+]]>
  tt.func public @mixed(%x: tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>, %y: tensor<128xf32, #row>, %p: tensor<128x!tt.ptr<f32>, #row>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %n step %c128 : i32 {
      %u = ttg.convert_layout %x : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128xf32, #row>
      %s = arith.addf %u, %y : tensor<128xf32, #row>
      tt.store %p, %s : tensor<128x!tt.ptr<f32>, #row>
    }
    tt.return
  }

  // A kernel's end is no loop: its warps have nothing to go on with.
  // CHECK-LABEL: @straight
  // CHECK: ttg.convert_layout %arg0 : {{.*}} -> tensor<128x128xf16, [[OLD:#.+]]>
  // CHECK-NEXT: tt.store %arg1, %{{.*}} : tensor<128x128x!tt.ptr<f16>, [[OLD]]>
  tt.func public @straight(%x: tensor<128x128xf16, #mma>, %p: tensor<128x128x!tt.ptr<f16>, #blocked>) {
    %y = ttg.convert_layout %x : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #blocked>
    tt.store %p, %y : tensor<128x128x!tt.ptr<f16>, #blocked>
    tt.return
  }

  // Groups beside one another have halves of rows: all warps exchange.
  // CHECK-LABEL: @beside
  // CHECK: ttg.convert_layout %arg0 : {{.*}} -> tensor<128x128xf16, [[OLD:#.+]]>
  // CHECK-NEXT: tt.store %arg1, %{{.*}} : tensor<128x128x!tt.ptr<f16>, [[OLD]]>
  // BARRIERS-LABEL: @beside
  // BARRIERS: ttg.barrier local
  // BARRIERS-NEXT: ttg.convert_layout %arg0 {allocation.offset = 0 : i32} :
  tt.func public @beside(%x: tensor<128x128xf16, #beside>, %p: tensor<128x128x!tt.ptr<f16>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %n step %c128 : i32 {
      %y = ttg.convert_layout %x : tensor<128x128xf16, #beside> -> tensor<128x128xf16, #blocked>
      tt.store %p, %y : tensor<128x128x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }

  // Addresses that a kernel is given stay where they are.
  // CHECK-LABEL: @loaded
  // CHECK: ttg.convert_layout %arg0 : {{.*}} -> tensor<128x128xf16, [[OLD:#.+]]>
  // CHECK-NEXT: tt.store %arg1, %{{.*}} : tensor<128x128x!tt.ptr<f16>, [[OLD]]>
  tt.func public @loaded(%x: tensor<128x128xf16, #mma>, %p: tensor<128x128x!tt.ptr<f16>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %c0 to %n step %c128 : i32 {
      %y = ttg.convert_layout %x : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #blocked>
      tt.store %p, %y : tensor<128x128x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
}
