// RUN: tritcc -x ttgir -passes=carry-partial-sums %s | FileCheck %s
// positive: @scaled @added @chain @begun
// negative: @read @product @blocks @rows @maximum
// loop: @scaled @read
// if: @product

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Four lanes have 16 columns of a row each: the exchange between them is behind the loop.
  // CHECK-LABEL: @scaled
  // CHECK: [[ZERO:%.+]] = arith.constant dense<0.000000e+00> : tensor<64x4xf32, #ttg.slice<{dim = 2, parent = #{{.*}}}>>
  // CHECK: [[ALL:%.+]]:2 = scf.for {{.*}}, [[PARTS:%.+]] = [[ZERO]])
  // CHECK: tt.reshape {{.*}} -> tensor<64x8x4x2xf32
  // CHECK: tt.trans {{.*}} {order = array<i32: 0, 2, 1, 3>} : {{.*}} -> tensor<64x4x8x2xf32
  // CHECK: [[V:%.+]] = tt.reshape {{.*}} -> tensor<64x4x16xf32
  // CHECK: [[R:%.+]] = "tt.reduce"([[V]]) <{axis = 2 : i32}>
  // CHECK: [[A:%.+]] = tt.broadcast {{.*}} -> tensor<64x4xf32
  // CHECK: [[S:%.+]] = arith.mulf [[PARTS]], [[A]]
  // CHECK: [[U:%.+]] = arith.addf [[S]], [[R]]
  // CHECK: scf.yield {{.*}}, [[U]] :
  // CHECK: [[T:%.+]] = "tt.reduce"([[ALL]]#1) <{axis = 1 : i32}>
  // CHECK: [[W:%.+]] = ttg.convert_layout [[T]]
  // CHECK: tt.return [[W]]
  tt.func @scaled(%x: tensor<64x64xf32, #mma>, %a: tensor<64xf32, #row>, %n: i32) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %m = arith.mulf %total, %a : tensor<64xf32, #row>
      %u = arith.addf %m, %r : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    }
    tt.return %t : tensor<64xf32, #row>
  }
  // Nothing is scaled; what the sum begins with is the first lane's.
  // CHECK-LABEL: @added
  // CHECK: [[I:%.+]] = tt.make_range {end = 4 : i32, start = 0 : i32}
  // CHECK: arith.cmpi eq, [[I]]
  // CHECK: [[F:%.+]] = arith.select
  // CHECK: scf.for {{.*}} = [[F]])
  // CHECK-NOT: arith.mulf
  // CHECK: tt.return
  tt.func @added(%x: tensor<64x64xf32, #mma>, %init: tensor<64xf32, #row>, %n: i32) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %init) -> (tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %u = arith.addf %r, %total : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    }
    tt.return %t : tensor<64xf32, #row>
  }
  // The second loop goes on with the first one's parts; nothing is exchanged between them.
  // CHECK-LABEL: @chain
  // CHECK: [[ONE:%.+]]:2 = scf.for
  // CHECK-NOT: axis = 1 : i32}>
  // CHECK: scf.for {{.*}} = [[ONE]]#1)
  // CHECK: axis = 1 : i32}>
  // CHECK-NOT: tt.reduce"
  // CHECK: tt.return
  tt.func @chain(%x: tensor<64x64xf32, #mma>, %a: tensor<64xf32, #row>, %n: i32) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %m = arith.mulf %a, %total : tensor<64xf32, #row>
      %u = arith.addf %m, %r : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    }
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%total = %t) -> (tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %m = arith.mulf %a, %total : tensor<64xf32, #row>
      %u = arith.addf %m, %r : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    }
    tt.return %v : tensor<64xf32, #row>
  }
  // A first iteration in front of the loop is in parts, too.
  // CHECK-LABEL: @begun
  // CHECK: [[R:%.+]] = "tt.reduce"({{.*}}) <{axis = 2 : i32}>
  // CHECK: [[F:%.+]] = arith.addf {{.*}}, [[R]]
  // CHECK: scf.for {{.*}} = [[F]])
  tt.func @begun(%x: tensor<64x64xf32, #mma>, %a: tensor<64xf32, #row>, %n: i32) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
    %g = arith.addf %a, %f : tensor<64xf32, #row>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %g) -> (tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %m = arith.mulf %total, %a : tensor<64xf32, #row>
      %u = arith.addf %m, %r : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    }
    tt.return %t : tensor<64xf32, #row>
  }
  // The sum of each iteration is read there.
  // CHECK-LABEL: @read
  // CHECK-NOT: tt.trans
  // CHECK: tt.return
  tt.func @read(%x: tensor<64x64xf32, #mma>, %n: i32) -> (tensor<64xf32, #row>, tensor<64xf32, #row>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
    %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero, %last = %zero) -> (tensor<64xf32, #row>, tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %u = arith.addf %total, %r : tensor<64xf32, #row>
      scf.yield %u, %u : tensor<64xf32, #row>, tensor<64xf32, #row>
    }
    tt.return %t#0, %t#1 : tensor<64xf32, #row>, tensor<64xf32, #row>
  }
  // A conditional's sum is nothing that a loop carries.
  // CHECK-LABEL: @product
  // CHECK-NOT: tt.trans
  // CHECK: tt.return
  tt.func @product(%x: tensor<64x64xf32, #mma>, %a: tensor<64xf32, #row>, %c: i1) -> tensor<64xf32, #row> {
    %t = scf.if %c -> (tensor<64xf32, #row>) {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %u = arith.addf %a, %r : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    } else {
      scf.yield %a : tensor<64xf32, #row>
    }
    tt.return %t : tensor<64xf32, #row>
  }
  // Other layouts are optimize-thread-locality's.
  // CHECK-LABEL: @blocks
  // CHECK-NOT: tt.trans
  // CHECK: tt.return
  tt.func @blocks(%x: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #blocked>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %u = arith.addf %total, %r : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %u : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %t : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
  // Columns are spread over warps.
  // CHECK-LABEL: @rows
  // CHECK-NOT: tt.trans
  // CHECK: tt.return
  tt.func @rows(%x: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
      %u = arith.addf %total, %r : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
      scf.yield %u : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
    }
    tt.return %t : tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
  }
  // The greatest number is wanted in each iteration by all lanes.
  // CHECK-LABEL: @maximum
  // CHECK-NOT: tt.trans
  // CHECK: tt.return
  tt.func @maximum(%x: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64xf32, #row>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (tensor<64xf32, #row>) : i32 {
      %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%p: f32, %q: f32):
        %s = arith.maxnumf %p, %q : f32
        tt.reduce.return %s : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %u = arith.maxnumf %total, %r : tensor<64xf32, #row>
      scf.yield %u : tensor<64xf32, #row>
    }
    tt.return %t : tensor<64xf32, #row>
  }
}
