// RUN: tritcc -x ttir "-passes=remove-masks{products=1},canonicalize,cse" %s | FileCheck %s
// RUN: tritcc -x ttir "-passes=remove-masks{products=1 guard=8},canonicalize,cse" %s | FileCheck %s --check-prefix=GUARD
// positive: @scaled @behind @constant
// negative: @negative @stored
// loop: @scaled @behind @constant @negative @stored
// Scores that a number scales in front of a mask: where there is none, behind the search for the largest of each row.

// The part without masks is empty where the number is not positive and finite.
// CHECK-LABEL: @scaled
// CHECK: [[SCALE:%.+]] = arith.mulf %arg1, %cst{{.*}} : f32
// CHECK-DAG: arith.cmpf ogt, [[SCALE]], %cst{{.*}} : f32
// CHECK-DAG: arith.cmpf olt, [[SCALE]], %cst{{.*}} : f32
// CHECK: scf.for
// CHECK: [[X:%.+]] = tt.dot
// CHECK-NOT: arith.select
// CHECK: [[LARGEST:%.+]] = "tt.reduce"([[X]])
// CHECK: [[TOP:%.+]] = arith.mulf [[LARGEST]], %{{.*}} : tensor<32xf32>
// CHECK: arith.maxnumf %{{.*}}, [[TOP]]
// CHECK: [[S:%.+]] = arith.mulf [[X]], %{{.*}} : tensor<32x32xf32>
// CHECK: arith.subf [[S]]
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: [[S2:%.+]] = arith.mulf
// CHECK: [[M2:%.+]] = arith.select %{{.*}}, [[S2]]
// CHECK: "tt.reduce"([[M2]])
// CHECK: arith.subf [[M2]]
// Behind a branch: what to scale, by how much, and the largest of each row.
// GUARD-LABEL: @scaled
// GUARD: scf.for
// GUARD: [[X:%.+]] = tt.dot
// GUARD: [[BY:%.+]] = arith.select [[WHOLE:%.+]], %{{.*}}, %cst{{.*}} : f32
// GUARD: [[T:%.+]]:2 = scf.if [[WHOLE]]
// GUARD: [[LARGEST:%.+]] = "tt.reduce"([[X]])
// GUARD: [[TOP:%.+]] = arith.mulf [[LARGEST]]
// GUARD: scf.yield [[X]], [[TOP]]
// GUARD: else
// GUARD: [[S:%.+]] = arith.mulf [[X]]
// GUARD: [[M:%.+]] = arith.select %{{.*}}, [[S]]
// GUARD: [[LARGEST2:%.+]] = "tt.reduce"([[M]])
// GUARD: scf.yield [[M]], [[LARGEST2]]
// GUARD: arith.maxnumf %{{.*}}, [[T]]#1
// GUARD: [[BLOCK:%.+]] = tt.splat [[BY]]
// GUARD: [[LATE:%.+]] = arith.mulf [[T]]#0, [[BLOCK]]
// GUARD: arith.subf [[LATE]]
// GUARD-NOT: scf.for
// GUARD-LABEL: @behind
tt.func public @scaled(%q: tensor<32x32xf32>, %scale: f32, %n: i32) -> (tensor<32x32xf32>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<32x32xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<1x32xi32>
  %log2e = arith.constant 1.44269502 : f32
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero, %top = %lowest) -> (tensor<32x32xf32>, tensor<32xf32>) : i32 {
    %x = tt.dot %q, %q, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %by = arith.mulf %scale, %log2e : f32
    %block = tt.splat %by : f32 -> tensor<32x32xf32>
    %s = arith.mulf %x, %block : tensor<32x32xf32>
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %mc = arith.cmpi slt, %c1, %bound : tensor<1x32xi32>
    %m = tt.broadcast %mc : tensor<1x32xi1> -> tensor<32x32xi1>
    %masked = arith.select %m, %s, %none : tensor<32x32xi1>, tensor<32x32xf32>
    %largest = "tt.reduce"(%masked) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %next = arith.maxnumf %top, %largest : tensor<32xf32>
    %next1 = tt.expand_dims %next {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %next2 = tt.broadcast %next1 : tensor<32x1xf32> -> tensor<32x32xf32>
    %d = arith.subf %masked, %next2 : tensor<32x32xf32>
    %p = math.exp2 %d : tensor<32x32xf32>
    %o = tt.dot %p, %q, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %o, %next : tensor<32x32xf32>, tensor<32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32xf32>
}

// The same of scores that are scaled behind their mask.
// CHECK-LABEL: @behind
// CHECK: arith.cmpf ogt
// CHECK: scf.for
// CHECK: [[X:%.+]] = tt.dot
// CHECK-NOT: arith.select
// CHECK: [[LARGEST:%.+]] = "tt.reduce"([[X]])
// CHECK: arith.mulf [[LARGEST]]
// CHECK: [[S:%.+]] = arith.mulf [[X]]
// CHECK: arith.subf [[S]]
// CHECK: scf.for
// CHECK: [[M:%.+]] = arith.select
// CHECK: [[S2:%.+]] = arith.mulf [[M]]
// CHECK: "tt.reduce"([[S2]])
// GUARD: [[X:%.+]] = tt.dot
// GUARD: [[T:%.+]]:2 = scf.if
// GUARD: "tt.reduce"([[X]])
// GUARD: else
// GUARD: [[M:%.+]] = arith.select %{{.*}}, [[X]]
// GUARD: [[S:%.+]] = arith.mulf [[M]]
// GUARD: "tt.reduce"([[S]])
// GUARD: scf.yield [[S]]
tt.func public @behind(%q: tensor<32x32xf32>, %scale: f32, %n: i32) -> (tensor<32x32xf32>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<32x32xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<1x32xi32>
  %log2e = arith.constant 1.44269502 : f32
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero, %top = %lowest) -> (tensor<32x32xf32>, tensor<32xf32>) : i32 {
    %x = tt.dot %q, %q, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %by = arith.mulf %scale, %log2e : f32
    %block = tt.splat %by : f32 -> tensor<32x32xf32>
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %mc = arith.cmpi slt, %c1, %bound : tensor<1x32xi32>
    %m = tt.broadcast %mc : tensor<1x32xi1> -> tensor<32x32xi1>
    %chosen = arith.select %m, %x, %none : tensor<32x32xi1>, tensor<32x32xf32>
    %masked = arith.mulf %chosen, %block : tensor<32x32xf32>
    %largest = "tt.reduce"(%masked) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %next = arith.maxnumf %top, %largest : tensor<32xf32>
    %next1 = tt.expand_dims %next {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %next2 = tt.broadcast %next1 : tensor<32x1xf32> -> tensor<32x32xf32>
    %d = arith.subf %masked, %next2 : tensor<32x32xf32>
    %p = math.exp2 %d : tensor<32x32xf32>
    %o = tt.dot %p, %q, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %o, %next : tensor<32x32xf32>, tensor<32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32xf32>
}

// A constant asks for nothing.
// CHECK-LABEL: @constant
// GUARD-LABEL: @constant
// CHECK-NOT: arith.cmpf
// CHECK: [[X:%.+]] = tt.dot
// CHECK: "tt.reduce"([[X]])
// CHECK: scf.for
// GUARD: [[X:%.+]] = tt.dot
// GUARD: scf.if
// GUARD: "tt.reduce"([[X]])
tt.func public @constant(%q: tensor<32x32xf32>, %n: i32) -> (tensor<32x32xf32>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<32x32xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<1x32xi32>
  %block = arith.constant dense<0.18> : tensor<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero, %top = %lowest) -> (tensor<32x32xf32>, tensor<32xf32>) : i32 {
    %x = tt.dot %q, %q, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %s = arith.mulf %block, %x : tensor<32x32xf32>
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %mc = arith.cmpi slt, %c1, %bound : tensor<1x32xi32>
    %m = tt.broadcast %mc : tensor<1x32xi1> -> tensor<32x32xi1>
    %masked = arith.select %m, %s, %none : tensor<32x32xi1>, tensor<32x32xf32>
    %largest = "tt.reduce"(%masked) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %next = arith.maxnumf %top, %largest : tensor<32xf32>
    %next1 = tt.expand_dims %next {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %next2 = tt.broadcast %next1 : tensor<32x1xf32> -> tensor<32x32xf32>
    %d = arith.subf %masked, %next2 : tensor<32x32xf32>
    %p = math.exp2 %d : tensor<32x32xf32>
    %o = tt.dot %p, %q, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %o, %next : tensor<32x32xf32>, tensor<32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32xf32>
}

// The largest product with one below zero is that of the least.
// CHECK-LABEL: @negative
// CHECK: scf.for
// CHECK: [[S:%.+]] = arith.mulf
// CHECK: "tt.reduce"([[S]])
// CHECK: scf.for
tt.func public @negative(%q: tensor<32x32xf32>, %n: i32) -> (tensor<32x32xf32>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<32x32xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<1x32xi32>
  %block = arith.constant dense<-0.18> : tensor<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero, %top = %lowest) -> (tensor<32x32xf32>, tensor<32xf32>) : i32 {
    %x = tt.dot %q, %q, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %s = arith.mulf %x, %block : tensor<32x32xf32>
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %mc = arith.cmpi slt, %c1, %bound : tensor<1x32xi32>
    %m = tt.broadcast %mc : tensor<1x32xi1> -> tensor<32x32xi1>
    %masked = arith.select %m, %s, %none : tensor<32x32xi1>, tensor<32x32xf32>
    %largest = "tt.reduce"(%masked) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %next = arith.maxnumf %top, %largest : tensor<32xf32>
    %next1 = tt.expand_dims %next {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %next2 = tt.broadcast %next1 : tensor<32x1xf32> -> tensor<32x32xf32>
    %d = arith.subf %masked, %next2 : tensor<32x32xf32>
    %p = math.exp2 %d : tensor<32x32xf32>
    %o = tt.dot %p, %q, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %o, %next : tensor<32x32xf32>, tensor<32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32xf32>
}

// Elements that nothing scales late: the search is in the branch all the same.
// GUARD-LABEL: @negative
// GUARD: [[T:%.+]]:2 = scf.if
// GUARD: [[LARGEST:%.+]] = "tt.reduce"([[S:%.+]]) <
// GUARD: scf.yield [[S]], [[LARGEST]]
// GUARD: arith.maxnumf %{{.*}}, [[T]]#1
// GUARD: arith.subf [[T]]#0
// Who else wants the scaled elements gets them as they were.
// CHECK-LABEL: @stored
// CHECK: scf.for
// CHECK: [[S:%.+]] = arith.mulf
// CHECK: tt.store %{{.*}}, [[S]]
// CHECK: "tt.reduce"([[S]])
// CHECK: scf.for
tt.func public @stored(%q: tensor<32x32xf32>, %scale: f32, %n: i32, %out: tensor<32x32x!tt.ptr<f32>>) -> (tensor<32x32xf32>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<32x32xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<1x32xi32>
  %block = tt.splat %scale : f32 -> tensor<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero, %top = %lowest) -> (tensor<32x32xf32>, tensor<32xf32>) : i32 {
    %x = tt.dot %q, %q, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %s = arith.mulf %x, %block : tensor<32x32xf32>
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %mc = arith.cmpi slt, %c1, %bound : tensor<1x32xi32>
    %m = tt.broadcast %mc : tensor<1x32xi1> -> tensor<32x32xi1>
    %masked = arith.select %m, %s, %none : tensor<32x32xi1>, tensor<32x32xf32>
    tt.store %out, %masked : tensor<32x32x!tt.ptr<f32>>
    %largest = "tt.reduce"(%masked) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %next = arith.maxnumf %top, %largest : tensor<32xf32>
    %next1 = tt.expand_dims %next {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %next2 = tt.broadcast %next1 : tensor<32x1xf32> -> tensor<32x32xf32>
    %d = arith.subf %masked, %next2 : tensor<32x32xf32>
    %p = math.exp2 %d : tensor<32x32xf32>
    %o = tt.dot %p, %q, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %o, %next : tensor<32x32xf32>, tensor<32xf32>
  }
  tt.return %r#0, %r#1 : tensor<32x32xf32>, tensor<32xf32>
}
