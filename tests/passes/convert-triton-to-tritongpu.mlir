// RUN: tritcc -x ttir -passes='convert-triton-to-tritongpu{target=cuda:80 num-warps=4}' %s | FileCheck %s
// RUN: tritcc -x ttir -passes='convert-triton-to-tritongpu{target=cuda:90 num-warps=4 num-ctas=2}' %s | FileCheck %s --check-prefix=TWO
// positive: @elementwise @expand @dot @loop @rows @few
// negative: @scalars
// loop: @loop

// CHECK-DAG: [[$B1:#.+]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: [[$ROW:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-DAG: [[$COL:#.+]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-DAG: [[$DOT:#.+]] = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: module attributes {
// CHECK-SAME: "ttg.num-ctas" = 1 : i32
// CHECK-SAME: "ttg.num-warps" = 4 : i32
// CHECK-SAME: ttg.target = "cuda:80"
// CHECK-SAME: "ttg.threads-per-warp" = 32 : i32

// CHECK-LABEL: @elementwise
tt.func public @elementwise(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK: tt.make_range {{.*}} : tensor<1024xi32, [[$B1]]>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  // CHECK: tt.splat %{{.*}} : i32 -> tensor<1024xi32, [[$B1]]>
  %nn = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  // CHECK: arith.constant dense<0.000000e+00> : tensor<1024xf32, [[$B1]]>
  %zero = arith.constant dense<0.000000e+00> : tensor<1024xf32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %b, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, [[$B1]]>
  tt.store %q, %zero, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Scalars need no layout, so nothing happens to them.
// CHECK-LABEL: @scalars
tt.func public @scalars(%p: !tt.ptr<f32>, %x: f32) {
  // CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK-NEXT: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %y = arith.addf %x, %x : f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @expand
tt.func public @expand(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // CHECK: [[S:%.+]] = ttg.convert_layout %{{.*}} : tensor<128xi32, [[$B1]]> -> tensor<128xi32, #ttg.slice<{dim = 1, parent = [[$COL]]}>>
  // CHECK: tt.expand_dims [[S]] {axis = 1 : i32} : {{.*}} -> tensor<128x1xi32, [[$COL]]>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK: tt.broadcast
  %b = tt.broadcast %c : tensor<128x1xi32> -> tensor<128x64xi32>
  // The elementwise op wants the default layout of 128x64.
  // CHECK: [[D:%.+]] = ttg.convert_layout %{{.*}} -> tensor<128x64xi32, [[$ROW]]>
  // CHECK: arith.addi [[D]], [[D]] : tensor<128x64xi32, [[$ROW]]>
  %s = arith.addi %b, %b : tensor<128x64xi32>
  // CHECK: "tt.reduce"
  // CHECK: (tensor<128x64xi32, [[$ROW]]>) -> tensor<128xi32, #ttg.slice<{dim = 1, parent = [[$ROW]]}>>
  %t = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %d: i32):
    %e = arith.addi %a, %d : i32
    tt.reduce.return %e : i32
  }) : (tensor<128x64xi32>) -> tensor<128xi32>
  %u = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %d: i32):
    %e = arith.addi %a, %d : i32
    tt.reduce.return %e : i32
  }) : (tensor<128xi32>) -> i32
  tt.store %p, %u : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @dot
tt.func public @dot(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1.000000e+00> : tensor<64x32xf16>
  %b = arith.constant dense<1.000000e+00> : tensor<32x64xf16>
  %c = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  // CHECK: ttg.convert_layout %{{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = [[$DOT]]}>>
  // CHECK: ttg.convert_layout %{{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = [[$DOT]]}>>
  // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, [[$DOT]]>
  %d = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %q, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @loop
tt.func public @loop(%p: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.000000e+00> : tensor<256xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (tensor<256xf32, [[$B1]]>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<256xf32>) : i32 {
    // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<256xf32, [[$B1]]>
    %y = arith.addf %x, %x : tensor<256xf32>
    // CHECK: scf.yield %{{.*}} : tensor<256xf32, [[$B1]]>
    scf.yield %y : tensor<256xf32>
  }
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  tt.store %q, %r : tensor<256x!tt.ptr<f32>>
  tt.return
}

// Row indices: four in a thread, the same in every warp; two blocks share them out as they do the rows.
// CHECK-LABEL: @rows
// TWO-DAG: [[$PARENT:#.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = {{\[\[}}0, 1]]}>
// TWO-LABEL: @rows
tt.func public @rows(%desc: !tt.tensordesc<1x128xf32>, %y: i32, %p: !tt.ptr<f32>) {
  %x = arith.constant dense<1> : tensor<32xi32>
  // CHECK: tt.descriptor_gather {{.*}} tensor<32xi32, #ttg.slice<{dim = 0, parent = #{{.*}}}>>
  // TWO: tt.descriptor_gather {{.*}} tensor<32xi32, #ttg.slice<{dim = 0, parent = [[$PARENT]]}>>
  %v = tt.descriptor_gather %desc[%x, %y] : (!tt.tensordesc<1x128xf32>, tensor<32xi32>, i32) -> tensor<32x128xf32>
  // TWO: tt.descriptor_scatter {{.*}} tensor<32xi32, #ttg.slice<{dim = 0, parent = [[$PARENT]]}>>
  tt.descriptor_scatter %desc[%x, %y], %v : !tt.tensordesc<1x128xf32>, tensor<32xi32>, i32, tensor<32x128xf32>
  tt.return
}

// Fewer elements than threads: each keeps what it has of both operands.
// CHECK-LABEL: @few
// CHECK: tt.cat {{.*}} : tensor<16xf32, [[$B1]]> -> tensor<32xf32, [[$B2:#.+]]>
tt.func public @few(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<32xf32> {
  %v = tt.cat %x, %y : tensor<16xf32> -> tensor<32xf32>
  tt.return %v : tensor<32xf32>
}
