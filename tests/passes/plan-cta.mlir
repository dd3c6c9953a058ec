// RUN: tritcc -x ttgir '-passes=plan-cta{num-ctas=2}' %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=plan-cta{num-ctas=1}' %s | FileCheck %s --check-prefix=ONE
// positive: @product @row_sums @loop
// negative: @numbers
// loop: @loop
// if: @loop

// CHECK-DAG: [[$ROWS:#.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[}}[1, 0]]}>
// CHECK-DAG: [[$WHOLE:#.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[}}[0, 0]]}>
// CHECK-DAG: [[$LINE:#.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = {{\[}}[0]]}>
// CHECK: "ttg.num-ctas" = 2
// ONE-NOT: CGALayout
// ONE: "ttg.num-ctas" = 1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Rows of the first operand and of the result; the second operand each block of the cluster has as a whole.
  // CHECK-LABEL: @product
  // CHECK: arith.constant dense<0.000000e+00> : tensor<128x32xf32, [[$ROWS]]>
  // CHECK: tt.load {{.*}} : tensor<128x64x!tt.ptr<f16>, [[$ROWS]]>
  // CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>, [[$WHOLE]]>
  // CHECK: tt.dot {{.*}}parent = [[$ROWS]]}>> * {{.*}}parent = [[$ROWS]]}>> -> tensor<128x32xf32, [[$ROWS]]>
  // CHECK: tt.store {{.*}} : tensor<128x32x!tt.ptr<f32>, [[$ROWS]]>
  tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>) {
    %zero = arith.constant dense<0.000000e+00> : tensor<128x32xf32, #b>
    %pa = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>, #b>
    %pb = tt.splat %b : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #b>
    %pc = tt.splat %c : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>, #b>
    %x = tt.load %pa : tensor<128x64x!tt.ptr<f16>, #b>
    %y = tt.load %pb : tensor<64x32x!tt.ptr<f16>, #b>
    %xd = ttg.convert_layout %x : tensor<128x64xf16, #b> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>>
    %yd = ttg.convert_layout %y : tensor<64x32xf16, #b> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>>
    %d = tt.dot %xd, %yd, %zero : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>> -> tensor<128x32xf32, #b>
    tt.store %pc, %d : tensor<128x32x!tt.ptr<f32>, #b>
    tt.return
  }

  // Not along what is summed up; a sum of all is made by each.
  // CHECK-LABEL: @row_sums
  // CHECK: tt.load {{.*}} : tensor<16x128x!tt.ptr<f32>, [[$ROWS]]>
  // CHECK: "tt.reduce"
  // CHECK: (tensor<16x128xf32, [[$ROWS]]>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = [[$ROWS]]}>>
  // CHECK: tt.load {{.*}} : tensor<128x!tt.ptr<f32>, [[$LINE]]>
  // CHECK: (tensor<128xf32, [[$LINE]]>) -> f32
  tt.func public @row_sums(%p: !tt.ptr<f32>) {
    %pa = tt.splat %p : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>, #b>
    %x = tt.load %pa : tensor<16x128x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%m: f32, %n: f32):
      %o = arith.addf %m, %n : f32
      tt.reduce.return %o : f32
    }) : (tensor<16x128xf32, #b>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #b}>>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #b}>>
    tt.store %ps, %s : tensor<16x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #b}>>
    %pl = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
    %l = tt.load %pl : tensor<128x!tt.ptr<f32>, #line>
    %t = "tt.reduce"(%l) <{axis = 0 : i32}> ({
    ^bb0(%m: f32, %n: f32):
      %o = arith.addf %m, %n : f32
      tt.reduce.return %o : f32
    }) : (tensor<128xf32, #line>) -> f32
    tt.store %p, %t : !tt.ptr<f32>
    tt.return
  }

  // What loops carry and conditionals give is split as what they take.
  // CHECK-LABEL: @loop
  // CHECK: scf.for {{.*}} -> (tensor<16x128xf32, [[$ROWS]]>)
  // CHECK: scf.if {{.*}} -> (tensor<16x128xf32, [[$ROWS]]>)
  tt.func public @loop(%p: !tt.ptr<f32>, %n: i32, %c: i1) {
    %zero = arith.constant dense<0.000000e+00> : tensor<16x128xf32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %pa = tt.splat %p : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>, #b>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x128xf32, #b>) : i32 {
      %x = tt.load %pa : tensor<16x128x!tt.ptr<f32>, #b>
      %y = scf.if %c -> (tensor<16x128xf32, #b>) {
        scf.yield %x : tensor<16x128xf32, #b>
      } else {
        scf.yield %s : tensor<16x128xf32, #b>
      }
      scf.yield %y : tensor<16x128xf32, #b>
    }
    tt.store %pa, %r : tensor<16x128x!tt.ptr<f32>, #b>
    tt.return
  }

  // CHECK-LABEL: @numbers
  // CHECK-NEXT: arith.addi
  tt.func public @numbers(%a: i32) -> i32 {
    %b = arith.addi %a, %a : i32
    tt.return %b : i32
  }
}
