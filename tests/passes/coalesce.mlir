// RUN: tritcc -x ttgir -passes=coalesce %s | FileCheck %s
// positive: @wide @columns @loop @branches @divided_rows @reduced_rows @tall
// negative: @unaligned @scalar
// loop: @loop
// if: @branches

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>

// CHECK-DAG: [[$WIDE:#.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: [[$NARROW:#.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: [[$COLUMNS:#.+]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: [[$ROWS:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-DAG: [[$LAST:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @wide
  tt.func public @wide(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %nn = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
    %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #blocked>
    // CHECK: [[Q:%.+]] = ttg.convert_layout %{{.*}} -> tensor<1024x!tt.ptr<f32>, [[$WIDE]]>
    // CHECK: [[M:%.+]] = ttg.convert_layout %{{.*}} -> tensor<1024xi1, [[$WIDE]]>
    // CHECK: [[V:%.+]] = tt.load [[Q]], [[M]] : tensor<1024x!tt.ptr<f32>, [[$WIDE]]>
    // CHECK: ttg.convert_layout [[V]] : tensor<1024xf32, [[$WIDE]]> -> tensor<1024xf32, [[$NARROW]]>
    %v = tt.load %q, %m : tensor<1024x!tt.ptr<f32>, #blocked>
    // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, [[$WIDE]]>
    tt.store %q, %v, %m : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Nothing is known of the alignment, so one element at a time is what there is.
  // CHECK-LABEL: @unaligned
  tt.func public @unaligned(%p: !tt.ptr<f32>) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, [[$NARROW]]>
    %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.store %q, %v : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Scalar accesses have no layout to choose.
  // CHECK-LABEL: @scalar
  tt.func public @scalar(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK-NEXT: tt.load %{{.*}} : !tt.ptr<f32>
    // CHECK-NEXT: tt.store
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %p, %v : !tt.ptr<f32>
    tt.return
  }

  // The first dimension is contiguous in memory: it becomes the fastest one.
  // CHECK-LABEL: @columns
  tt.func public @columns(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<64x1xi32, #row>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x64xi32, #row>
    %ss = tt.splat %s : i32 -> tensor<1x64xi32, #row>
    %c2 = arith.muli %c1, %ss : tensor<1x64xi32, #row>
    %r3 = tt.broadcast %r1 : tensor<64x1xi32, #row> -> tensor<64x64xi32, #row>
    %c3 = tt.broadcast %c2 : tensor<1x64xi32, #row> -> tensor<64x64xi32, #row>
    %o = arith.addi %r3, %c3 : tensor<64x64xi32, #row>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #row>
    %q = tt.addptr %b, %o : tensor<64x64x!tt.ptr<f32>, #row>, tensor<64x64xi32, #row>
    // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f32>, [[$COLUMNS]]>
    %v = tt.load %q : tensor<64x64x!tt.ptr<f32>, #row>
    tt.store %q, %v : tensor<64x64x!tt.ptr<f32>, #row>
    tt.return
  }

  // Pointers that a loop carries keep what is known of them.
  // CHECK-LABEL: @loop
  tt.func public @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<1024> : tensor<1024xi32, #blocked>
    %zero = arith.constant dense<0.000000e+00> : tensor<1024xf32, #blocked>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %q, %a = %zero) -> (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>) : i32 {
      // CHECK: scf.for
      // CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, [[$WIDE]]>
      %v = tt.load %t : tensor<1024x!tt.ptr<f32>, #blocked>
      %a1 = arith.addf %a, %v : tensor<1024xf32, #blocked>
      %t1 = tt.addptr %t, %step : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
      scf.yield %t1, %a1 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>
    }
    tt.store %q, %s#1 : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // A pointer that a conditional chooses is as aligned as the worse of the two; the access of a branch goes on its own.
  // CHECK-LABEL: @branches
  // CHECK: scf.if
  // CHECK: ttg.convert_layout
  // CHECK: tt.store
  // CHECK: } else {
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store
  // CHECK: }
  tt.func public @branches(%p: tensor<1024x!tt.ptr<f32>, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = 1024 : i32}, %q: tensor<1024x!tt.ptr<f32>, #blocked>, %v: tensor<1024xf32, #blocked>, %k: i1) {
    scf.if %k {
      tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #blocked>
    } else {
      tt.store %q, %v : tensor<1024x!tt.ptr<f32>, #blocked>
    }
    tt.return
  }

  // Nothing is contiguous. Each row's division is done by the thread that holds it: rows go to neighbouring threads, and
  // the store takes the same layout, so that the chain is not worked out twice.
  // CHECK-LABEL: @divided_rows
  // CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f32>, [[$ROWS]]>
  // CHECK: tt.store {{.*}} : tensor<128x32x!tt.ptr<f32>, [[$ROWS]]>
  tt.func public @divided_rows(%p: !tt.ptr<f32>, %width: i32, %s: i32) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %w = tt.splat %width : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %q = arith.divsi %r, %w : tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %q1 = tt.expand_dims %q {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<128x1xi32, #row>
    %q2 = tt.broadcast %q1 : tensor<128x1xi32, #row> -> tensor<128x32xi32, #row>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x32xi32, #row>
    %c2 = tt.broadcast %c1 : tensor<1x32xi32, #row> -> tensor<128x32xi32, #row>
    %s2 = tt.splat %s : i32 -> tensor<128x32xi32, #row>
    %cs = arith.muli %c2, %s2 : tensor<128x32xi32, #row>
    %i = arith.addi %q2, %cs : tensor<128x32xi32, #row>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>, #row>
    %a = tt.addptr %b, %i : tensor<128x32x!tt.ptr<f32>, #row>, tensor<128x32xi32, #row>
    %v = tt.load %a : tensor<128x32x!tt.ptr<f32>, #row>
    tt.store %a, %v : tensor<128x32x!tt.ptr<f32>, #row>
    tt.return
  }

  // A sum of each row: with rows in neighbouring threads nothing has to be exchanged. Without the sum, the last dimension.
  // CHECK-LABEL: @reduced_rows
  // CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f32>, [[$ROWS]]>
  // CHECK: tt.load %{{.*}} : tensor<64x32x!tt.ptr<f32>, [[$LAST]]>
  tt.func public @reduced_rows(%b: tensor<128x32x!tt.ptr<f32>, #row>, %o: tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #row}>>,
                               %plain: tensor<64x32x!tt.ptr<f32>, #row>) {
    %v = tt.load %b : tensor<128x32x!tt.ptr<f32>, #row>
    %sum = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<128x32xf32, #row>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #row}>>
    tt.store %o, %sum : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #row}>>
    %w = tt.load %plain : tensor<64x32x!tt.ptr<f32>, #row>
    tt.store %plain, %w : tensor<64x32x!tt.ptr<f32>, #row>
    tt.return
  }

  // No stride is known. A thread of the last dimension first would have an address and a mask for each of 128 rows and
  // nothing in common between them; this one has eight, and sixteen of the columns.
  // CHECK-LABEL: @tall
  tt.func public @tall(%p: !tt.ptr<f32>, %rs: i32, %cs: i32) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.slice<{dim = 1, parent = #row}>>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<1024xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<1024x1xi32, #row>
    %rss = tt.splat %rs : i32 -> tensor<1024x1xi32, #row>
    %ro = arith.muli %r1, %rss : tensor<1024x1xi32, #row>
    %rb = tt.broadcast %ro : tensor<1024x1xi32, #row> -> tensor<1024x16xi32, #row>
    %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x16xi32, #row>
    %css = tt.splat %cs : i32 -> tensor<1x16xi32, #row>
    %co = arith.muli %c1, %css : tensor<1x16xi32, #row>
    %cb = tt.broadcast %co : tensor<1x16xi32, #row> -> tensor<1024x16xi32, #row>
    %o = arith.addi %rb, %cb : tensor<1024x16xi32, #row>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x16x!tt.ptr<f32>, #row>
    %q = tt.addptr %b, %o : tensor<1024x16x!tt.ptr<f32>, #row>, tensor<1024x16xi32, #row>
    // CHECK: tt.load %{{.*}} : tensor<1024x16x!tt.ptr<f32>, [[$ROWS]]>
    %v = tt.load %q : tensor<1024x16x!tt.ptr<f32>, #row>
    // CHECK: tt.store {{.*}} : tensor<1024x16x!tt.ptr<f32>, [[$ROWS]]>
    tt.store %q, %v : tensor<1024x16x!tt.ptr<f32>, #row>
    tt.return
  }
}
