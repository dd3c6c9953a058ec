// RUN: tritcc -x ttgir -tritonintelgpu-lower-to-2d-block-load %s | FileCheck %s
// RUN: tritcc -x ttgir -passes=lower-to-2d-block-load -Rpass-missed=block-io %s 2>&1 >/dev/null | FileCheck --check-prefix=WHY %s
// RUN: sed 's/xpu:pvc/xpu:dg2/' %s | tritcc -x ttgir -passes=lower-to-2d-block-load - | FileCheck --check-prefix=NONE %s
// positive: @loop @fixed @turned @column @before @chosen @stored @deep
// negative: @odd_rows @other_value @shared @wrapped @short
// loop: @loop
// if: @chosen

// A machine without such messages keeps its loads.
// NONE-NOT: ttig.2d_block_load

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.slice<{dim = 0, parent = #blocked}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [1, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]], block = []}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu:pvc", "ttg.threads-per-warp" = 16 : i32} {
  // Rows of a block in a loop over K: what only a launch knows is asked in front, and the second loop loads by elements.
  // CHECK-LABEL: @loop
  // CHECK: scf.if %
  // CHECK: scf.for %[[I:[a-z0-9]+]] =
  // CHECK: ttig.2d_block_load %arg0, %{{.+}}, %{{.+}}, %{{.+}}[%[[K:.+]], %c0_i32{{.*}}] {row_major} {tritcc.surface = "checked"} : {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
  // CHECK: else
  // CHECK: scf.for
  // CHECK: ttig.2d_block_load {{.*}} {tritcc.surface = "elements"}
  tt.func @loop(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}, %n: i32, %k: i32) -> tensor<64x32xf16, #a> {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c32_i32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x32xf16, #blocked>
    %start = arith.constant dense<0.000000e+00> : tensor<64x32xf16, #a>
    %step = arith.constant dense<32> : tensor<64x32xi32, #blocked>
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %r:2 = scf.for %i = %c0_i32 to %n step %c1_i32 iter_args(%acc = %start, %q = %p) -> (tensor<64x32xf16, #a>, tensor<64x32x!tt.ptr<f16>, #blocked>)  : i32 {
      %done = arith.muli %i, %c32_i32 : i32
      %left = arith.subi %k, %done : i32
      %bound = tt.splat %left : i32 -> tensor<1x32xi32, #blocked>
      %in = arith.cmpi slt, %pc1, %bound : tensor<1x32xi32, #blocked>
      %mask = tt.broadcast %in : tensor<1x32xi1, #blocked> -> tensor<64x32xi1, #blocked>
      %v = tt.load %q, %mask, %zero : tensor<64x32x!tt.ptr<f16>, #blocked>
      %w = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      %sum = arith.addf %acc, %w : tensor<64x32xf16, #a>
      %next = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      scf.yield %sum, %next : tensor<64x32xf16, #a>, tensor<64x32x!tt.ptr<f16>, #blocked>
    }
    tt.return %r#0 : tensor<64x32xf16, #a>
  }

  // All is known: nothing is asked.
  // CHECK-LABEL: @fixed
  // CHECK: ttig.2d_block_load %arg0, %c2048_i32{{.*}}, %c32_i32{{.*}}, %c2048_i32{{.*}}[%c0_i32{{.*}}, %c0_i32{{.*}}] {row_major} {tritcc.surface = "checked"}
  tt.func @fixed(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<32x1024xf16, #b> {
    %pr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #rows>
    %pc = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<1024xi32, #cols> -> tensor<1x1024xi32, #blocked>
    %ps = arith.constant dense<1024> : tensor<32x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<32x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<32x1x!tt.ptr<f16>, #blocked>, tensor<32x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<32x1x!tt.ptr<f16>, #blocked> -> tensor<32x1024x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x1024xi32, #blocked> -> tensor<32x1024xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<32x1024x!tt.ptr<f16>, #blocked>, tensor<32x1024xi32, #blocked>
    %v = tt.load %p : tensor<32x1024x!tt.ptr<f16>, #blocked>
    %w = ttg.convert_layout %v : tensor<32x1024xf16, #blocked> -> tensor<32x1024xf16, #b>
    tt.return %w : tensor<32x1024xf16, #b>
  }

  // A transposition is loaded as such.
  // CHECK-LABEL: @turned
  // CHECK: ttig.2d_block_load %arg0, {{.*}} {column_major} {{.*}}tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
  tt.func @turned(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<32x64xf16, #b> {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 4], warpsPerCTA = [1, 4], order = [0, 1]}>>
    %w = ttg.convert_layout %t : tensor<32x64xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 4], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<32x64xf16, #b>
    tt.return %w : tensor<32x64xf16, #b>
  }

  // So is a first operand that lies in memory by columns. Where it is no loop, the lowering asks.
  // CHECK-LABEL: @column
  // CHECK: ttig.2d_block_load %arg0, {{.*}} {column_major} :
  tt.func @column(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #a> {
    %pr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #rows>
    %pc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32, #cols> -> tensor<1x64xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<32x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<32x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<32x1x!tt.ptr<f16>, #blocked>, tensor<32x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<32x1x!tt.ptr<f16>, #blocked> -> tensor<32x64x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<32x64x!tt.ptr<f16>, #blocked>, tensor<32x64xi32, #blocked>
    %v = tt.load %p : tensor<32x64x!tt.ptr<f16>, #blocked>
    %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<32x64xf16, #blocked> -> tensor<64x32xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 4], warpsPerCTA = [1, 4], order = [0, 1]}>>
    %w = ttg.convert_layout %t : tensor<64x32xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 4], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<64x32xf16, #a>
    tt.return %w : tensor<64x32xf16, #a>
  }

  // ... and what was converted before its transposition.
  // CHECK-LABEL: @before
  // CHECK: %[[V:.+]] = ttig.2d_block_load %arg0, {{.*}} {row_major} {{.*}}tensor<32x64xf16, #linear>
  // CHECK: tt.trans %[[V]]
  tt.func @before(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %a: tensor<64x64xf16, #a>, %c: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> {
    %pr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #rows>
    %pc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<64xi32, #cols> -> tensor<1x64xi32, #blocked>
    %ps = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<32x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<32x1x!tt.ptr<f16>, #blocked>, tensor<32x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<32x1x!tt.ptr<f16>, #blocked> -> tensor<32x64x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<32x64x!tt.ptr<f16>, #blocked>, tensor<32x64xi32, #blocked>
    %v = tt.load %p : tensor<32x64x!tt.ptr<f16>, #blocked>
    %w = ttg.convert_layout %v : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #linear>
    %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<32x64xf16, #linear> -> tensor<64x32xf16, #b>
    %d = tt.dot %a, %t, %c : tensor<64x64xf16, #a> * tensor<64x32xf16, #b> -> tensor<64x32xf32, #mma>
    tt.return %d : tensor<64x32xf32, #mma>
  }

  // CHECK-LABEL: @chosen
  // CHECK: scf.if
  // CHECK: ttig.2d_block_load %arg0
  tt.func @chosen(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}, %c: i1) -> tensor<64x32xf16, #a> {
    %none = arith.constant dense<0.000000e+00> : tensor<64x32xf16, #a>
    %r = scf.if %c -> (tensor<64x32xf16, #a>) {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
      %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
      %w = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
      scf.yield %w : tensor<64x32xf16, #a>
    } else {
      scf.yield %none : tensor<64x32xf16, #a>
    }
    tt.return %r : tensor<64x32xf16, #a>
  }

  // Nobody says how far rows are apart.
  // CHECK-LABEL: @odd_rows
  // CHECK-NOT: ttig.2d_block_load
  // WHY: the load goes by elements: its rows are not known to be multiples of 16 bytes apart
  tt.func @odd_rows(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32) -> tensor<64x64xf32, #mma> {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = arith.constant dense<0.000000e+00> : tensor<32x64xf16, #b>
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Outside is one.
  // CHECK-LABEL: @other_value
  // CHECK-NOT: ttig.2d_block_load
  // WHY: the load goes by elements: what stands for elements outside is not zero
  tt.func @other_value(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma> {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %one = arith.constant dense<1.000000e+00> : tensor<64x32xf16, #blocked>
    %bound = tt.splat %n : i32 -> tensor<1x32xi32, #blocked>
    %in = arith.cmpi slt, %pc1, %bound : tensor<1x32xi32, #blocked>
    %mask = tt.broadcast %in : tensor<1x32xi1, #blocked> -> tensor<64x32xi1, #blocked>
    %v = tt.load %p, %mask, %one : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = arith.constant dense<0.000000e+00> : tensor<32x64xf16, #b>
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Something else reads it.
  // CHECK-LABEL: @shared
  // CHECK-NOT: ttig.2d_block_load
  // WHY: the load goes by elements: it is not only loaded for products of the matrix unit
  tt.func @shared(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}) -> tensor<64x64xf32, #mma> {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.store %p, %v : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = arith.constant dense<0.000000e+00> : tensor<32x64xf16, #b>
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Rows past the end are the first ones again, and used.
  // CHECK-LABEL: @wrapped
  // CHECK-NOT: ttig.2d_block_load
  // WHY: the load goes by elements: rows or columns are taken modulo the size, and what is past the end may reach memory
  tt.func @wrapped(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}, %m: i32) -> tensor<64x64xf32, #mma> {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pm = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %pw = arith.remsi %pr, %pm : tensor<64xi32, #rows>
    %pr1 = tt.expand_dims %pw {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = arith.constant dense<0.000000e+00> : tensor<32x64xf16, #b>
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Rows are 32 bytes apart.
  // CHECK-LABEL: @short
  // CHECK-NOT: ttig.2d_block_load
  // WHY: the load goes by elements: its rows are too short, or the matrix is too large
  tt.func @short(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x64xf32, #mma> {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = arith.constant dense<16> : tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %v : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = arith.constant dense<0.000000e+00> : tensor<32x64xf16, #b>
    %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // What a product gives goes to memory from where it is. Products with more along K than registers hold are cut.
  // CHECK-LABEL: @stored
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttig.2d_block_store %arg0, %{{.+}}, %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}], %arg2 : {{.*}}, tensor<64x32xf16, #mma>
  tt.func @stored(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}, %v: tensor<64x32xf16, #mma>) {
    %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %pc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<32xi32, #cols> -> tensor<1x32xi32, #blocked>
    %ps = tt.splat %s : i32 -> tensor<64x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<64x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<64x1x!tt.ptr<f16>, #blocked>, tensor<64x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<64x1x!tt.ptr<f16>, #blocked> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %w = ttg.convert_layout %v : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #blocked>
    tt.store %p, %w : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return
  }

  // CHECK-LABEL: @deep
  // CHECK-COUNT-8: tt.dot %{{[^,]+}}, %{{[^,]+}}, {{.*}} : tensor<128x32xf16, {{.*}}> * tensor<32x128xf16,
  // CHECK-NOT: tt.dot
  tt.func @deep(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
    %pr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #rows>
    %pc = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #cols>
    %pr1 = tt.expand_dims %pr {axis = 1 : i32} : tensor<128xi32, #rows> -> tensor<128x1xi32, #blocked>
    %pc1 = tt.expand_dims %pc {axis = 0 : i32} : tensor<256xi32, #cols> -> tensor<1x256xi32, #blocked>
    %ps = arith.constant dense<256> : tensor<128x1xi32, #blocked>
    %po = arith.muli %pr1, %ps : tensor<128x1xi32, #blocked>
    %pb = tt.splat %x : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #blocked>
    %pp = tt.addptr %pb, %po : tensor<128x1x!tt.ptr<f16>, #blocked>, tensor<128x1xi32, #blocked>
    %pq = tt.broadcast %pp : tensor<128x1x!tt.ptr<f16>, #blocked> -> tensor<128x256x!tt.ptr<f16>, #blocked>
    %pd = tt.broadcast %pc1 : tensor<1x256xi32, #blocked> -> tensor<128x256xi32, #blocked>
    %p = tt.addptr %pq, %pd : tensor<128x256x!tt.ptr<f16>, #blocked>, tensor<128x256xi32, #blocked>
    %qr = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #rows>
    %qc = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #cols>
    %qr1 = tt.expand_dims %qr {axis = 1 : i32} : tensor<256xi32, #rows> -> tensor<256x1xi32, #blocked>
    %qc1 = tt.expand_dims %qc {axis = 0 : i32} : tensor<128xi32, #cols> -> tensor<1x128xi32, #blocked>
    %qs = arith.constant dense<256> : tensor<256x1xi32, #blocked>
    %qo = arith.muli %qr1, %qs : tensor<256x1xi32, #blocked>
    %qb = tt.splat %x : !tt.ptr<f16> -> tensor<256x1x!tt.ptr<f16>, #blocked>
    %qp = tt.addptr %qb, %qo : tensor<256x1x!tt.ptr<f16>, #blocked>, tensor<256x1xi32, #blocked>
    %qq = tt.broadcast %qp : tensor<256x1x!tt.ptr<f16>, #blocked> -> tensor<256x128x!tt.ptr<f16>, #blocked>
    %qd = tt.broadcast %qc1 : tensor<1x128xi32, #blocked> -> tensor<256x128xi32, #blocked>
    %q = tt.addptr %qq, %qd : tensor<256x128x!tt.ptr<f16>, #blocked>, tensor<256x128xi32, #blocked>
    %v = tt.load %p : tensor<128x256x!tt.ptr<f16>, #blocked>
    %w = tt.load %q : tensor<256x128x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %v : tensor<128x256xf16, #blocked> -> tensor<128x256xf16, #a>
    %b = ttg.convert_layout %w : tensor<256x128xf16, #blocked> -> tensor<256x128xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<128x256xf16, #a> * tensor<256x128xf16, #b> -> tensor<128x128xf32, #mma>
    tt.return %d : tensor<128x128xf32, #mma>
  }
}
