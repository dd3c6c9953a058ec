// RUN: tritcc -x ttgir -passes=assign-latencies %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=assign-latencies{num-stages=5}' %s | FileCheck --check-prefix=FIVE %s
// RUN: tritcc -x ttgir '-passes=assign-latencies{num-stages=1}' %s | FileCheck --check-prefix=ONE %s
// positive: @product @indirect @sum_asked @beside_product @beside_product_asked @in_branch
// negative: @narrow @sum @guarded
// loop: @product @narrow @indirect @sum @sum_asked @beside_product @beside_product_asked @guarded @in_branch
// if: @guarded @in_branch
// ONE-NOT: tt.latency
// ONE-LABEL: @sum_asked
// ONE: tt.latency = 1 : i32

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.slice<{dim = 1, parent = #row}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @product
  // CHECK-COUNT-2: tt.load {{.*}}tt.latency = 2 : i32
  // FIVE-LABEL: @product
  // FIVE-COUNT-2: tt.load {{.*}}tt.latency = 4 : i32
  tt.func public @product(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %pb: tensor<32x64x!tt.ptr<f16>, #row> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %va = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
      %vb = tt.load %pb : tensor<32x64x!tt.ptr<f16>, #row>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %y = ttg.convert_layout %vb : tensor<32x64xf16, #row> -> tensor<32x64xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // One half at a time is too narrow to be copied asynchronously.
  // CHECK-LABEL: @narrow
  // CHECK-NOT: tt.latency
  // FIVE-LABEL: @narrow
  tt.func public @narrow(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %va = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Addresses that are loaded themselves come half as far ahead of the data as the data of the product.
  // CHECK-LABEL: @indirect
  // CHECK: tt.load {{.*}}tt.latency = 1 : i32
  // CHECK: tt.load {{.*}}tt.latency = 1 : i32
  // FIVE-LABEL: @indirect
  // FIVE: tt.load {{.*}}tt.latency = 2 : i32
  // FIVE: tt.load {{.*}}tt.latency = 2 : i32
  tt.func public @indirect(%table: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %x: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
    %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %k = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x64xi32, #row>
    %cols = tt.broadcast %k : tensor<1x64xi32, #row> -> tensor<32x64xi32, #row>
    %ts = tt.splat %table : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #line>
    %tp = tt.addptr %ts, %r32 : tensor<32x!tt.ptr<i32>, #line>, tensor<32xi32, #line>
    %bs = tt.splat %base : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %id = tt.load %tp : tensor<32x!tt.ptr<i32>, #line>
      %c64 = arith.constant dense<64> : tensor<32xi32, #line>
      %off = arith.muli %id, %c64 : tensor<32xi32, #line>
      %col = tt.expand_dims %off {axis = 1 : i32} : tensor<32xi32, #line> -> tensor<32x1xi32, #row>
      %rows = tt.broadcast %col : tensor<32x1xi32, #row> -> tensor<32x64xi32, #row>
      %o = arith.addi %rows, %cols : tensor<32x64xi32, #row>
      %p = tt.addptr %bs, %o : tensor<32x64x!tt.ptr<f16>, #row>, tensor<32x64xi32, #row>
      %vb = tt.load %p : tensor<32x64x!tt.ptr<f16>, #row>
      %y = ttg.convert_layout %vb : tensor<32x64xf16, #row> -> tensor<32x64xf16, #b>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Without a product, only loops that ask for stages.
  // CHECK-LABEL: @sum
  // CHECK-NOT: tt.latency
  // CHECK: tt.return
  // CHECK: tt.load {{.*}}tt.latency = 1 : i32
  // FIVE-LABEL: @sum
  tt.func public @sum(%p: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %z: tensor<64x32xf32, #blocked>, %n: i32) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x32xf32, #blocked>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #blocked>
      %s = arith.addf %v, %acc : tensor<64x32xf32, #blocked>
      scf.yield %s : tensor<64x32xf32, #blocked>
    }
    tt.return %r : tensor<64x32xf32, #blocked>
  }
  tt.func public @sum_asked(%p: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %z: tensor<64x32xf32, #blocked>, %n: i32) -> tensor<64x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x32xf32, #blocked>) : i32 {
      %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #blocked>
      %s = arith.addf %v, %acc : tensor<64x32xf32, #blocked>
      scf.yield %s : tensor<64x32xf32, #blocked>
    } {tt.num_stages = 2 : i32}
    tt.return %r : tensor<64x32xf32, #blocked>
  }

  // A load that no product needs, beside one that one does: only where the loop asks for stages.
  // CHECK-LABEL: @beside_product
  // CHECK: tt.load {{.*}}tt.latency = 2 : i32
  // CHECK-NOT: tt.latency
  // CHECK-LABEL: @beside_product_asked
  // CHECK-COUNT-2: tt.load {{.*}}tt.latency = 3 : i32
  tt.func public @beside_product(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %pb: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %z: tensor<64x32xf32, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %z) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) : i32 {
      %va = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %v = tt.load %pb : tensor<64x32x!tt.ptr<f32>, #blocked>
      %s = arith.addf %v, %sum : tensor<64x32xf32, #blocked>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
  }
  tt.func public @beside_product_asked(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %pb: tensor<64x32x!tt.ptr<f32>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %z: tensor<64x32xf32, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %z) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) : i32 {
      %va = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %v = tt.load %pb : tensor<64x32x!tt.ptr<f32>, #blocked>
      %s = arith.addf %v, %sum : tensor<64x32xf32, #blocked>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
    } {tt.num_stages = 4 : i32}
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
  }

  // A load behind a condition cannot run ahead of it, though its product asks for it; a whole loop in a branch can.
  // CHECK-LABEL: @guarded
  // CHECK-NOT: tt.latency
  // CHECK-LABEL: @in_branch
  // CHECK: tt.load {{.*}}tt.latency = 2 : i32
  tt.func public @guarded(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %z: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32, %k: i1) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %va = scf.if %k -> (tensor<64x32xf16, #blocked>) {
        %v = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
        scf.yield %v : tensor<64x32xf16, #blocked>
      } else {
        scf.yield %z : tensor<64x32xf16, #blocked>
      }
      %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
  tt.func public @in_branch(%pa: tensor<64x32x!tt.ptr<f16>, #blocked> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mma>, %n: i32, %k: i1) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = scf.if %k -> (tensor<64x64xf32, #mma>) {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
        %va = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
        %x = ttg.convert_layout %va : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
        %d = tt.dot %x, %y, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      scf.yield %r : tensor<64x64xf32, #mma>
    } else {
      scf.yield %c : tensor<64x64xf32, #mma>
    }
    tt.return %s : tensor<64x64xf32, #mma>
  }
}
