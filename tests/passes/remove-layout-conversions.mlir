// RUN: tritcc -x ttgir -passes=remove-layout-conversions,canonicalize %s | FileCheck %s
// positive: @chain @loop @conditional @locked @extension @dot_operand @into_branch @into_nested_branch
// negative: @transpose @locked_narrow @locked_shared @keep @not_into_branches @not_without_loop @not_before_condition
// negative: @not_for_more @not_before_scan @not_more_in_branch
// loop: @loop @locked @into_branch @into_nested_branch @not_more_in_branch @not_into_branches @not_before_condition @not_for_more
// if: @conditional @locked @locked_narrow @locked_shared @into_branch @into_nested_branch @not_into_branches
// if: @not_without_loop @not_before_condition @not_for_more @not_more_in_branch

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#half = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs = #ttg.linear<{register = [[0, 8], [0, 1], [0, 2], [0, 4], [8, 0]], lane = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], warp = [[16, 0], [32, 0]], block = []}>
#apart = #ttg.linear<{register = [[0, 8], [0, 2], [0, 4], [8, 0], [4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 16], [0, 32]], warp = [[16, 0], [32, 0]], block = []}>
#scales = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#x8 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#y8 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
#wide = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [8, 0, 0], [0, 1, 0], [0, 2, 0], [32, 0, 0]], lane = [[0, 0, 8], [0, 0, 16], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[0, 0, 0], [16, 0, 0]], block = []}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-DAG: [[$B:#.+]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: [[$R:#.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: [[$C:#.+]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // The loads' layout flows forward, and their pointers are computed in it.
  // CHECK-LABEL: @chain
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.make_range {{.*}} : tensor<1024xi32, [[$B]]>
  // CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, [[$B]]>
  // CHECK: arith.addf {{.*}} : tensor<1024xf32, [[$B]]>
  // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, [[$B]]>
  // CHECK-NEXT: tt.return
  tt.func public @chain(%p: !tt.ptr<f32>) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
    %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
    %q1 = ttg.convert_layout %q : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
    %v = tt.load %q1 : tensor<1024x!tt.ptr<f32>, #b>
    %v1 = ttg.convert_layout %v : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
    %w = arith.addf %v1, %v1 : tensor<1024xf32, #a>
    %w1 = ttg.convert_layout %w : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    %q2 = ttg.convert_layout %q : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
    tt.store %q2, %w1 : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // A load and a store that each need their own layout: the data must be exchanged once.
  // CHECK-LABEL: @transpose
  // CHECK: [[V:%.+]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, [[$R]]>
  // CHECK: ttg.convert_layout [[V]] : tensor<64x64xf32, [[$R]]> -> tensor<64x64xf32, [[$C]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, [[$C]]>
  tt.func public @transpose(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>) {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
    %w = ttg.convert_layout %v : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
    tt.return
  }

  // The accumulator and the pointers that a loop carries change their layout as a whole.
  // CHECK-LABEL: @loop
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.for {{.*}} -> (tensor<1024xf32, [[$B]]>, tensor<1024x!tt.ptr<f32>, [[$B]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @loop(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<1024xf32, #a>
    %step = arith.constant dense<1024> : tensor<1024xi32, #a>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
    %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
    %l:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %q, %acc = %zero) -> (tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xf32, #a>) : i32 {
      %x1 = ttg.convert_layout %x : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
      %v = tt.load %x1 : tensor<1024x!tt.ptr<f32>, #b>
      %v1 = ttg.convert_layout %v : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
      %y = arith.addf %acc, %v1 : tensor<1024xf32, #a>
      %z = tt.addptr %x, %step : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
      scf.yield %z, %y : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xf32, #a>
    }
    %q1 = ttg.convert_layout %q : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
    %w = ttg.convert_layout %l#1 : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    tt.store %q1, %w : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // Both branches of a conditional are computed in the layout its user wants.
  // CHECK-LABEL: @conditional
  // CHECK-NOT: ttg.convert_layout
  // CHECK: scf.if {{.*}} -> (tensor<1024xi32, [[$B]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @conditional(%p: tensor<1024x!tt.ptr<i32>, #b>, %n: i32, %c: i1) {
    %r = scf.if %c -> (tensor<1024xi32, #a>) {
      %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
      scf.yield %i : tensor<1024xi32, #a>
    } else {
      %s = tt.splat %n : i32 -> tensor<1024xi32, #a>
      scf.yield %s : tensor<1024xi32, #a>
    }
    %w = ttg.convert_layout %r : tensor<1024xi32, #a> -> tensor<1024xi32, #b>
    tt.store %p, %w : tensor<1024x!tt.ptr<i32>, #b>
    tt.return
  }

  // What is added to a value from before is loaded in the layout of the store, and the value converted before the lock.
  // CHECK-LABEL: @locked
  // CHECK: [[V:%.+]] = ttg.convert_layout %arg0
  // CHECK: scf.while
  // CHECK: scf.if {{.*}} -> (tensor<1024xf32, [[$B]]>)
  // CHECK: scf.yield [[V]]
  // CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, [[$B]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  // ... but not when its layout would make the load narrower, or someone else wants it as it is.
  // CHECK-LABEL: @locked_narrow
  // CHECK: scf.if {{.*}} -> (tensor<1024xf32, [[$B]]>)
  // CHECK: tt.store
  // CHECK-LABEL: @locked_shared
  // CHECK: scf.if {{.*}} -> (tensor<1024xf32, [[A:#.+]]>)
  // CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, [[A]]>
  // CHECK: ttg.convert_layout %{{.*}} : tensor<1024xf32, [[A]]> -> tensor<1024xf32, [[$B]]>
  tt.func public @locked(%v: tensor<1024xf32, #a>, %p: !tt.ptr<f32>, %lock: !tt.ptr<i32>, %c: i1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
    %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
    scf.while : () -> () {
      %old = tt.atomic_cas acq_rel, gpu, %lock, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
      %again = arith.cmpi eq, %old, %one : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %r = scf.if %c -> (tensor<1024xf32, #a>) {
      scf.yield %v : tensor<1024xf32, #a>
    } else {
      %l = tt.load %q : tensor<1024x!tt.ptr<f32>, #a>
      %e = arith.addf %v, %l : tensor<1024xf32, #a>
      scf.yield %e : tensor<1024xf32, #a>
    }
    %w = ttg.convert_layout %r : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    %t = ttg.convert_layout %q : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
    tt.store %t, %w : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }
  tt.func public @locked_narrow(%v: tensor<1024xf32, #b>, %q: tensor<1024x!tt.ptr<f32>, #b>, %t: tensor<1024x!tt.ptr<f32>, #a>, %c: i1) {
    %r = scf.if %c -> (tensor<1024xf32, #b>) {
      scf.yield %v : tensor<1024xf32, #b>
    } else {
      %l = tt.load %q : tensor<1024x!tt.ptr<f32>, #b>
      %e = arith.addf %v, %l : tensor<1024xf32, #b>
      scf.yield %e : tensor<1024xf32, #b>
    }
    %w = ttg.convert_layout %r : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
    tt.store %t, %w : tensor<1024x!tt.ptr<f32>, #a>
    tt.return
  }
  tt.func public @locked_shared(%v: tensor<1024xf32, #a>, %q: tensor<1024x!tt.ptr<f32>, #a>, %t: tensor<1024x!tt.ptr<f32>, #b>, %c: i1) {
    %r = scf.if %c -> (tensor<1024xf32, #a>) {
      scf.yield %v : tensor<1024xf32, #a>
    } else {
      %l = tt.load %q : tensor<1024x!tt.ptr<f32>, #a>
      %e = arith.addf %v, %l : tensor<1024xf32, #a>
      tt.store %q, %l : tensor<1024x!tt.ptr<f32>, #a>
      scf.yield %e : tensor<1024xf32, #a>
    }
    %w = ttg.convert_layout %r : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    tt.store %t, %w : tensor<1024x!tt.ptr<f32>, #b>
    tt.return
  }

  // A wide load must not be done twice to save a conversion.
  // CHECK-LABEL: @keep
  // CHECK-COUNT-1: tt.load
  // CHECK-NOT: tt.load
  // CHECK: ttg.convert_layout
  tt.func public @keep(%p: tensor<1024x!tt.ptr<f32>, #a>, %q: tensor<1024x!tt.ptr<f32>, #b>) {
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #a>
    %w = ttg.convert_layout %v : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
    tt.store %q, %w : tensor<1024x!tt.ptr<f32>, #b>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #a>
    tt.return
  }

  // Half the bytes move when the conversion stands in front of the extension.
  // CHECK-LABEL: @extension
  // CHECK: [[H:%.+]] = ttg.convert_layout %{{.*}} : tensor<64x64xf16, [[$R]]> -> tensor<64x64xf16, [[$C]]>
  // CHECK: arith.extf [[H]] : tensor<64x64xf16, [[$C]]> to tensor<64x64xf32, [[$C]]>
  tt.func public @extension(%p: tensor<64x64x!tt.ptr<f16>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>) {
    %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #r>
    %e = arith.extf %v : tensor<64x64xf16, #r> to tensor<64x64xf32, #r>
    %w = ttg.convert_layout %e : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
    tt.return
  }

  // The second sum of the same narrow values needs no conversion of its own.
  // CHECK-LABEL: @extension_twice
  // CHECK: [[N:%.+]] = ttg.convert_layout %arg0 : tensor<64x64xi32
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @extension_twice(%x: tensor<64x64xi32, #r>) -> (tensor<64x64xi64, #c>, tensor<64x64xi64, #c>) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #r}>>
    %j = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #r}>> -> tensor<64x1xi32, #r>
    %w = arith.extsi %x : tensor<64x64xi32, #r> to tensor<64x64xi64, #r>
    %k = arith.extsi %j : tensor<64x1xi32, #r> to tensor<64x1xi64, #r>
    %l = tt.broadcast %k : tensor<64x1xi64, #r> -> tensor<64x64xi64, #r>
    %m = arith.muli %w, %l : tensor<64x64xi64, #r>
    %a = ttg.convert_layout %m : tensor<64x64xi64, #r> -> tensor<64x64xi64, #c>
    %n = arith.addi %w, %l : tensor<64x64xi64, #r>
    %b = ttg.convert_layout %n : tensor<64x64xi64, #r> -> tensor<64x64xi64, #c>
    tt.return %a, %b : tensor<64x64xi64, #c>, tensor<64x64xi64, #c>
  }

  // Both ways of widening start from one value; of two values, either would have to be converted.
  // CHECK-LABEL: @extended_both_ways
  // CHECK: ttg.convert_layout %arg0 : tensor<64x64xi8
  // CHECK-NOT: ttg.convert_layout
  // CHECK-LABEL: @extended_two
  // CHECK: arith.addi
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x64xi32
  tt.func public @extended_both_ways(%x: tensor<64x64xi8, #r>) -> tensor<64x64xi32, #c> {
    %s = arith.extsi %x : tensor<64x64xi8, #r> to tensor<64x64xi32, #r>
    %u = arith.extui %x : tensor<64x64xi8, #r> to tensor<64x64xi32, #r>
    %a = arith.addi %s, %u : tensor<64x64xi32, #r>
    %o = ttg.convert_layout %a : tensor<64x64xi32, #r> -> tensor<64x64xi32, #c>
    tt.return %o : tensor<64x64xi32, #c>
  }
  tt.func public @extended_two(%x: tensor<64x64xi8, #r>, %y: tensor<64x64xi8, #r>) -> tensor<64x64xi32, #c> {
    %s = arith.extsi %x : tensor<64x64xi8, #r> to tensor<64x64xi32, #r>
    %u = arith.extui %y : tensor<64x64xi8, #r> to tensor<64x64xi32, #r>
    %a = arith.addi %s, %u : tensor<64x64xi32, #r>
    %o = ttg.convert_layout %a : tensor<64x64xi32, #r> -> tensor<64x64xi32, #c>
    tt.return %o : tensor<64x64xi32, #c>
  }

  // A sum that two arguments carry alike is carried once; a value that never changes, not at all.
  // CHECK-LABEL: @carried_twice
  // CHECK: [[L:%.+]]:2 = scf.for {{.*}} iter_args([[X:%.+]] = {{%.+}}, [[Z:%.+]] = {{%.+}})
  // CHECK: [[A:%.+]] = arith.addf [[X]]
  // CHECK: [[B:%.+]] = arith.mulf [[Z]], [[X]]
  // CHECK: scf.yield [[A]], [[B]]
  // CHECK: [[O:%.+]] = ttg.convert_layout [[L]]#1
  // CHECK: tt.return [[L]]#0, [[O]], %arg1
  tt.func public @carried_twice(%n: i32, %k: i32) -> (tensor<64x64xf32, #r>, tensor<64x64xf32, #c>, i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant dense<1.000000e+00> : tensor<64x64xf32, #r>
    %s:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %one, %y = %one, %z = %one, %w = %k) -> (tensor<64x64xf32, #r>, tensor<64x64xf32, #r>, tensor<64x64xf32, #r>, i32) : i32 {
      %a = arith.addf %x, %one : tensor<64x64xf32, #r>
      %b = arith.mulf %z, %y : tensor<64x64xf32, #r>
      scf.yield %a, %a, %b, %k : tensor<64x64xf32, #r>, tensor<64x64xf32, #r>, tensor<64x64xf32, #r>, i32
    }
    %o = ttg.convert_layout %s#2 : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    tt.return %s#1, %o, %s#3 : tensor<64x64xf32, #r>, tensor<64x64xf32, #c>, i32
  }

  // Halves of bytes: where both of a byte are wanted in one thread, the byte is had there, and registers change places;
  // else they are converted.
  // CHECK-LABEL: @nibbles
  // CHECK-NOT: ttg.convert_layout
  // CHECK: ttg.fp4_to_fp {{.*}} -> tensor<64x64xf16, [[SIDE:#.+]]>
  // CHECK-NEXT: ttg.convert_layout {{.*}} : tensor<64x64xf16, [[SIDE]]> -> tensor<64x64xf16, [[$PAIRS:#.+]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK-LABEL: @nibbles_apart
  // CHECK: ttg.fp4_to_fp {{.*}} -> tensor<64x64xf16, [[$R]]>
  // CHECK: ttg.convert_layout
  tt.func public @nibbles() -> tensor<64x64xf16, #pairs> {
    %x = arith.constant dense<33> : tensor<64x32xi8, #half>
    %h = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #half> -> tensor<64x64xf16, #r>
    %o = ttg.convert_layout %h : tensor<64x64xf16, #r> -> tensor<64x64xf16, #pairs>
    tt.return %o : tensor<64x64xf16, #pairs>
  }
  tt.func public @nibbles_apart() -> tensor<64x64xf16, #apart> {
    %x = arith.constant dense<33> : tensor<64x32xi8, #half>
    %h = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #half> -> tensor<64x64xf16, #r>
    %o = ttg.convert_layout %h : tensor<64x64xf16, #r> -> tensor<64x64xf16, #apart>
    tt.return %o : tensor<64x64xf16, #apart>
  }

  // The operand of a tensor core is converted where it is loaded, and widened afterwards.
  // CHECK-LABEL: @dot_operand
  // CHECK: [[L:%.+]] = tt.load
  // CHECK: [[C:%.+]] = ttg.convert_layout [[L]] : tensor<64x64xi8, {{.*}}> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = [[$MMA:#.+]], kWidth = 2}>>
  // CHECK: arith.sitofp [[C]] : tensor<64x64xi8, #ttg.dot_op<{{.*}}>> to tensor<64x64xf16, #ttg.dot_op<{{.*}}>>
  // CHECK-NEXT: tt.dot
  tt.func public @dot_operand(%p: tensor<64x64x!tt.ptr<i8>, #r>, %a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %q: tensor<64x64x!tt.ptr<f32>, #mma>, %acc: tensor<64x64xf32, #mma>) {
    %v = tt.load %p : tensor<64x64x!tt.ptr<i8>, #r>
    %f = arith.sitofp %v : tensor<64x64xi8, #r> to tensor<64x64xf16, #r>
    %w = ttg.convert_layout %f : tensor<64x64xf16, #r> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %a, %w, %acc : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    tt.store %q, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // What an operand is scaled with comes to it through views: it, too, is converted behind its load, once, and widened in
  // the threads that need it. Without a product the wide value is converted.
  // CHECK-LABEL: @dot_scale
  // CHECK: [[V:%.+]] = tt.load %arg0
  // CHECK-NEXT: [[S:%.+]] = ttg.convert_layout [[V]] : tensor<64x4xi8, #{{.+}}> -> tensor<64x4xi8, #ttg.slice
  // CHECK-NOT: ttg.convert_layout
  // CHECK: arith.shli
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.dot
  // CHECK-LABEL: @scale_alone
  // CHECK: tt.load
  // CHECK: arith.shli
  // CHECK: ttg.convert_layout {{.*}} : tensor<64x4xi16, #{{.+}}> -> tensor<64x4xi16, #ttg.slice
  tt.func public @dot_scale(%p: tensor<64x4x!tt.ptr<i8>, #scales>, %y: tensor<128x64xbf16, #y8>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %seven = arith.constant dense<7> : tensor<64x4xi16, #scales>
    %v = tt.load %p : tensor<64x4x!tt.ptr<i8>, #scales>
    %w = arith.extui %v : tensor<64x4xi8, #scales> to tensor<64x4xi16, #scales>
    %e = arith.shli %w, %seven : tensor<64x4xi16, #scales>
    %t = ttg.convert_layout %e : tensor<64x4xi16, #scales> -> tensor<64x4xi16, #ttg.slice<{dim = 2, parent = #wide}>>
    %u = tt.expand_dims %t {axis = 2 : i32} : tensor<64x4xi16, #ttg.slice<{dim = 2, parent = #wide}>> -> tensor<64x4x1xi16, #wide>
    %z = tt.broadcast %u : tensor<64x4x1xi16, #wide> -> tensor<64x4x32xi16, #wide>
    %m = tt.reshape %z : tensor<64x4x32xi16, #wide> -> tensor<64x128xi16, #x8>
    %x = tt.bitcast %m : tensor<64x128xi16, #x8> -> tensor<64x128xbf16, #x8>
    %d = tt.dot %x, %y, %c : tensor<64x128xbf16, #x8> * tensor<128x64xbf16, #y8> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
  tt.func public @scale_alone(%p: tensor<64x4x!tt.ptr<i8>, #scales>) -> tensor<64x128xi16, #x8> {
    %seven = arith.constant dense<7> : tensor<64x4xi16, #scales>
    %v = tt.load %p : tensor<64x4x!tt.ptr<i8>, #scales>
    %w = arith.extui %v : tensor<64x4xi8, #scales> to tensor<64x4xi16, #scales>
    %e = arith.shli %w, %seven : tensor<64x4xi16, #scales>
    %t = ttg.convert_layout %e : tensor<64x4xi16, #scales> -> tensor<64x4xi16, #ttg.slice<{dim = 2, parent = #wide}>>
    %u = tt.expand_dims %t {axis = 2 : i32} : tensor<64x4xi16, #ttg.slice<{dim = 2, parent = #wide}>> -> tensor<64x4x1xi16, #wide>
    %z = tt.broadcast %u : tensor<64x4x1xi16, #wide> -> tensor<64x4x32xi16, #wide>
    %m = tt.reshape %z : tensor<64x4x32xi16, #wide> -> tensor<64x128xi16, #x8>
    tt.return %m : tensor<64x128xi16, #x8>
  }

  // Only the branch that loads converts; the carried value is kept in the layout of its user.
  // CHECK-LABEL: @into_branch
  // CHECK: [[ZERO:%.+]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, [[$C]]>
  // CHECK: scf.for {{.*}} iter_args([[X:%.+]] = [[ZERO]]) -> (tensor<64x64xf32, [[$C]]>)
  // CHECK-NEXT: [[IF:%.+]] = scf.if {{.*}} -> (tensor<64x64xf32, [[$C]]>)
  // CHECK-NEXT: [[V:%.+]] = tt.load
  // CHECK-NEXT: [[W:%.+]] = ttg.convert_layout [[V]] : tensor<64x64xf32, [[$R]]> -> tensor<64x64xf32, [[$C]]>
  // CHECK-NEXT: scf.yield [[W]]
  // CHECK-NEXT: else
  // CHECK-NEXT: scf.yield [[X]]
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.store %{{.*}}, [[IF]] : tensor<64x64x!tt.ptr<f32>, [[$C]]>
  // CHECK-NEXT: scf.yield [[IF]]
  tt.func public @into_branch(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #r>
    %l = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32, #r>) : i32 {
      %i = scf.if %c -> (tensor<64x64xf32, #r>) {
        %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      } else {
        scf.yield %x : tensor<64x64xf32, #r>
      }
      %w = ttg.convert_layout %i : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
      tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
      scf.yield %i : tensor<64x64xf32, #r>
    }
    tt.return
  }

  // What a branch gives is rounded behind it: the conversion stays there, as it has half as much to move.
  // CHECK-LABEL: @not_more_in_branch
  // CHECK: scf.if {{.*}} -> (tensor<64x64xf32, [[$R]]>)
  // CHECK-NOT: ttg.convert_layout
  // CHECK: [[H:%.+]] = arith.truncf
  // CHECK-NEXT: [[W:%.+]] = ttg.convert_layout [[H]] : tensor<64x64xf16, [[$R]]> -> tensor<64x64xf16, [[$C]]>
  // CHECK-NEXT: tt.store %{{.*}}, [[W]]
  tt.func public @not_more_in_branch(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f16>, #c>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #r>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %i = scf.if %c -> (tensor<64x64xf32, #r>) {
        %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      } else {
        scf.yield %zero : tensor<64x64xf32, #r>
      }
      %h = arith.truncf %i : tensor<64x64xf32, #r> to tensor<64x64xf16, #r>
      %w = ttg.convert_layout %h : tensor<64x64xf16, #r> -> tensor<64x64xf16, #c>
      tt.store %q, %w : tensor<64x64x!tt.ptr<f16>, #c>
    }
    tt.return
  }

  // A conditional inside a branch of another: the innermost branch that loads converts.
  // CHECK-LABEL: @into_nested_branch
  // CHECK: scf.for
  // CHECK: scf.if {{.*}} -> (tensor<64x64xf32, [[$C]]>)
  // CHECK: scf.if {{.*}} -> (tensor<64x64xf32, [[$C]]>)
  // CHECK: tt.load
  // CHECK-NEXT: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @into_nested_branch(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>, %n: i32, %c: i1, %d: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #r>
    %one = arith.constant dense<1.000000e+00> : tensor<64x64xf32, #r>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %i = scf.if %c -> (tensor<64x64xf32, #r>) {
        %j = scf.if %d -> (tensor<64x64xf32, #r>) {
          scf.yield %one : tensor<64x64xf32, #r>
        } else {
          %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
          scf.yield %v : tensor<64x64xf32, #r>
        }
        scf.yield %j : tensor<64x64xf32, #r>
      } else {
        scf.yield %zero : tensor<64x64xf32, #r>
      }
      %w = ttg.convert_layout %i : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
      tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
    }
    tt.return
  }

  // A scan moves more between threads where each has one neighbour only: its result is converted.
  // CHECK-LABEL: @not_before_scan
  // CHECK: "tt.scan"
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: tt.store
  tt.func public @not_before_scan(%q: tensor<2048x!tt.ptr<i32>, #a>) {
    %x = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #b>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.addi %u, %v : i32
      tt.scan.return %w : i32
    }) : (tensor<2048xi32, #b>) -> tensor<2048xi32, #b>
    %o = ttg.convert_layout %s : tensor<2048xi32, #b> -> tensor<2048xi32, #a>
    tt.store %q, %o : tensor<2048x!tt.ptr<i32>, #a>
    tt.return
  }

  // Both branches load, or there is no loop, or a condition of its own guards the conversion: it stays where it is.
  // CHECK-LABEL: @not_into_branches
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK-NEXT: scf.yield
  // CHECK: tt.load
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: ttg.convert_layout
  tt.func public @not_into_branches(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %i = scf.if %c -> (tensor<64x64xf32, #r>) {
        %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      } else {
        %v = tt.load %p cacheModifier = ca : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      }
      %w = ttg.convert_layout %i : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
      tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
    }
    tt.return
  }

  // CHECK-LABEL: @not_without_loop
  // CHECK: tt.load
  // CHECK-NEXT: scf.yield
  // CHECK: ttg.convert_layout
  tt.func public @not_without_loop(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>, %c: i1) {
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #r>
    %i = scf.if %c -> (tensor<64x64xf32, #r>) {
      %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
      scf.yield %v : tensor<64x64xf32, #r>
    } else {
      scf.yield %zero : tensor<64x64xf32, #r>
    }
    %w = ttg.convert_layout %i : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
    tt.return
  }

  // CHECK-LABEL: @not_before_condition
  // CHECK: tt.load
  // CHECK-NEXT: scf.yield
  // CHECK: scf.if
  // CHECK-NEXT: ttg.convert_layout
  tt.func public @not_before_condition(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>, %n: i32, %c: i1, %last: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #r>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %i = scf.if %c -> (tensor<64x64xf32, #r>) {
        %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      } else {
        scf.yield %zero : tensor<64x64xf32, #r>
      }
      scf.if %last {
        %w = ttg.convert_layout %i : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
        tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
      }
    }
    tt.return
  }

  // One conditional can be had in the other layout but for a branch, another not at all: two conversions would
  // stand where one did.
  // CHECK-LABEL: @not_for_more
  // CHECK-COUNT-1: ttg.convert_layout
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func public @not_for_more(%p: tensor<64x64x!tt.ptr<f32>, #r>, %q: tensor<64x64x!tt.ptr<f32>, #c>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #r>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %i = scf.if %c -> (tensor<64x64xf32, #r>) {
        %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      } else {
        scf.yield %zero : tensor<64x64xf32, #r>
      }
      %j = scf.if %c -> (tensor<64x64xf32, #r>) {
        %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      } else {
        %v = tt.load %p cacheModifier = ca : tensor<64x64x!tt.ptr<f32>, #r>
        scf.yield %v : tensor<64x64xf32, #r>
      }
      %s = arith.addf %i, %j : tensor<64x64xf32, #r>
      %w = ttg.convert_layout %s : tensor<64x64xf32, #r> -> tensor<64x64xf32, #c>
      tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #c>
    }
    tt.return
  }
}
