// RUN: tritcc -x ttir "-passes=remove-masks{all=1 products=1 guard=9},canonicalize" %s | FileCheck %s
// RUN: tritcc -x ttir "-passes=remove-masks{all=1 products=1}" -Rpass=masks %s -o %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: tritcc -x ttir "-passes=remove-masks{products=1 guard=8},canonicalize" %s | FileCheck %s --check-prefix=GUARD
// positive: @cut @guarded @counted @shrinking @shifted @constant_trips @decreasing @between @choice @below @causal @long_tail @split_before
// negative: @product @outer @data @invariant @wide @diagonal
// loop: @cut @guarded @counted @shrinking @shifted @constant_trips @product @outer @data @invariant @decreasing @between
// loop: @wide @choice @diagonal @below @causal @long_tail @split_before

// The index and a range below an argument: up to n - 127 no element is masked off.
// SAID: remove-masks.mlir:[[@LINE+16]]:{{.*}} remark: trips in which every element is in bounds run without masks
// CHECK-LABEL: @cut
// CHECK: [[N:%.+]] = arith.extsi %arg1 : i32 to i64
// CHECK: [[LAST:%.+]] = arith.addi [[N]], %c-127_i64
// CHECK: scf.for
// CHECK: tt.load %{{[^,]*}} : tensor<128x!tt.ptr<f32>>
// CHECK: scf.for
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x!tt.ptr<f32>>
// CHECK-NOT: scf.for
tt.func public @cut(%p: !tt.ptr<f32>, %n: i32) -> tensor<128xf32> {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  %sum = scf.for %i = %c0 to %n step %c128 iter_args(%a = %zero) -> (tensor<128xf32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<128xi32>
    %c = arith.addi %first, %range : tensor<128xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<128xi32>
    %q = tt.addptr %base, %c : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %q, %m, %zero : tensor<128x!tt.ptr<f32>>
    %b = arith.addf %a, %v : tensor<128xf32>
    scf.yield %b : tensor<128xf32>
  }
  tt.return %sum : tensor<128xf32>
}

// Columns do not depend on the index: whether all of them are in bounds is asked once. The store's mask goes, too.
// CHECK-LABEL: @guarded
// CHECK: [[ALL:%.+]] = arith.cmpi slt, %{{.*}}, %c0_i64
// CHECK: arith.select [[ALL]], %{{.*}}, %c0_i64
// CHECK: scf.for
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} : tensor<16x32x!tt.ptr<f32>>
// CHECK: scf.for
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<16x32x!tt.ptr<f32>>
tt.func public @guarded(%p: !tt.ptr<f32>, %rows: i32, %columns: i32) {
  %one = arith.constant dense<1.0> : tensor<16x32xf32>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns32 = tt.splat %columns : i32 -> tensor<32xi32>
  %in = arith.cmpi sgt, %columns32, %r32 : tensor<32xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
  %in2 = tt.broadcast %in1 : tensor<1x32xi1> -> tensor<16x32xi1>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  scf.for %i = %c0 to %rows step %c16 : i32 {
    %first = tt.splat %i : i32 -> tensor<16xi32>
    %row = arith.addi %first, %r16 : tensor<16xi32>
    %rows16 = tt.splat %rows : i32 -> tensor<16xi32>
    %m = arith.cmpi slt, %row, %rows16 : tensor<16xi32>
    %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
    %m2 = tt.broadcast %m1 : tensor<16x1xi1> -> tensor<16x32xi1>
    %both = arith.andi %m2, %in2 : tensor<16x32xi1>
    tt.store %base, %one, %both : tensor<16x32x!tt.ptr<f32>>
  }
  tt.return
}

// The index counts blocks: index * 64 + 63 < n. A sum that starts at an argument may be below what i32 holds.
// CHECK-LABEL: @counted
// CHECK: arith.cmpi sge, %{{.*}}, %c-2147483648_i64
// CHECK: arith.divsi %{{.*}}, %c64_i64
// CHECK: scf.for
// CHECK: tt.load %{{[^,]*}} : tensor<64x!tt.ptr<f32>>
tt.func public @counted(%p: !tt.ptr<f32>, %n: i32, %blocks: i32, %from: i32) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %sum = scf.for %i = %c0 to %blocks step %c1 iter_args(%a = %zero) -> (tensor<64xf32>) : i32 {
    %start = arith.muli %i, %c64 : i32
    %from_here = arith.addi %start, %from : i32
    %first = tt.splat %from_here : i32 -> tensor<64xi32>
    %c = arith.addi %first, %range : tensor<64xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<64xi32>
    %q = tt.addptr %base, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %q, %m, %zero : tensor<64x!tt.ptr<f32>>
    %b = arith.addf %a, %v : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  tt.return %sum : tensor<64xf32>
}

// A range below what is left, as products write it: n - index * 64.
// CHECK-LABEL: @shrinking
// CHECK: scf.for
// CHECK: tt.load %{{[^,]*}} : tensor<64x!tt.ptr<f32>>
// CHECK: scf.for
tt.func public @shrinking(%p: tensor<64x!tt.ptr<f32>>, %n: i32, %blocks: i32) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %sum = scf.for %i = %c0 to %blocks step %c1 iter_args(%a = %zero) -> (tensor<64xf32>) : i32 {
    %done = arith.muli %i, %c64 : i32
    %left = arith.subi %n, %done : i32
    %bound = tt.splat %left : i32 -> tensor<64xi32>
    %m = arith.cmpi slt, %range, %bound : tensor<64xi32>
    %v = tt.load %p, %m, %zero : tensor<64x!tt.ptr<f32>>
    %b = arith.addf %a, %v : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  tt.return %sum : tensor<64xf32>
}

// "At most" includes the last one: up to n - 126.
// CHECK-LABEL: @shifted
// CHECK: arith.addi %{{.*}}, %c-126_i64
tt.func public @shifted(%p: tensor<128x!tt.ptr<f32>>, %n: i32, %lb: i32, %step: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  scf.for %i = %lb to %n step %step : i32 {
    %first = tt.splat %i : i32 -> tensor<128xi32>
    %c = arith.addi %first, %range : tensor<128xi32>
    %m = arith.cmpi sle, %c, %bound : tensor<128xi32>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// Known bounds: seven trips without masks and a last one with.
// CHECK-LABEL: @constant_trips
// CHECK: scf.for %{{.*}} = %c0_i32 to %c873_i32 step %c128_i32
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK: arith.cmpi
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} :
tt.func public @constant_trips(%p: tensor<128x!tt.ptr<f32>>) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %n = arith.constant 1000 : i32
  %bound = arith.constant dense<1000> : tensor<128xi32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c128 : i32 {
    %first = tt.splat %i : i32 -> tensor<128xi32>
    %c = arith.addi %first, %range : tensor<128xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<128xi32>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// A product's loop is pipelined as it is.
// CHECK-LABEL: @product
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @product(%p: tensor<32x32x!tt.ptr<f32>>, %n: i32) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %bound = tt.splat %n : i32 -> tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero) -> (tensor<32x32xf32>) : i32 {
    %c = tt.splat %i : i32 -> tensor<32x32xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<32x32xi32>
    %v = tt.load %p, %m, %zero : tensor<32x32x!tt.ptr<f32>>
    %d = tt.dot %v, %v, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tt.return %sum : tensor<32x32xf32>
}

// A loop around another.
// CHECK-LABEL: @outer
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
tt.func public @outer(%p: tensor<128x!tt.ptr<f32>>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  scf.for %i = %c0 to %n step %c128 : i32 {
    %c = tt.splat %i : i32 -> tensor<128xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<128xi32>
    scf.for %j = %c0 to %n step %c128 : i32 {
      tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
    }
  }
  tt.return
}

// What is compared was loaded.
// CHECK-LABEL: @data
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @data(%p: tensor<128x!tt.ptr<f32>>, %k: tensor<128x!tt.ptr<i32>>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  scf.for %i = %c0 to %n step %c128 : i32 {
    %c = tt.load %k : tensor<128x!tt.ptr<i32>>
    %m = arith.cmpi slt, %c, %bound : tensor<128xi32>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// No mask depends on the index: two loops would do the same.
// CHECK-LABEL: @invariant
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @invariant(%p: tensor<128x!tt.ptr<f32>>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %range, %bound : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// True at the end, not at the start: the trips with the mask come first.
// CHECK-LABEL: @decreasing
// CHECK: scf.for %{{.*}} = %c0_i32 to [[BEGIN:%.+]] step
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} :
// CHECK: scf.for %{{.*}} = [[BEGIN]] to %arg1 step
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK-NOT: scf.for
tt.func public @decreasing(%p: tensor<128x!tt.ptr<f32>>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %first = tt.splat %i : i32 -> tensor<128xi32>
    %m = arith.cmpi slt, %range, %first : tensor<128xi32>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// A window: masks at both ends, and none between. What neither side says of the other must not wrap: that is asked, too.
// CHECK-LABEL: @between
// CHECK: arith.select [[ASKED:%.+]], %{{.*}}, %c0_i64
// CHECK: arith.select [[ASKED]], %{{.*}}, %c0_i64
// CHECK: %[[HEAD:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}})
// CHECK: arith.cmpi
// CHECK: %[[MAIN:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[HEAD]])
// CHECK-NOT: arith.cmpi
// CHECK: %[[REST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[MAIN]])
// CHECK: arith.cmpi
// CHECK: tt.return %[[REST]]
tt.func public @between(%p: !tt.ptr<f32>, %n: i32, %from: i32, %w: i32) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %begin = tt.splat %from : i32 -> tensor<64xi32>
  %row = arith.addi %begin, %range : tensor<64xi32>
  %width = tt.splat %w : i32 -> tensor<64xi32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%a = %zero) -> (tensor<64xf32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32>
    %c = arith.addi %first, %range : tensor<64xi32>
    %m = arith.cmpi sge, %row, %c : tensor<64xi32>
    %back = arith.subi %row, %c : tensor<64xi32>
    %near = arith.cmpi slt, %back, %width : tensor<64xi32>
    %both = arith.andi %m, %near : tensor<64xi1>
    %q = tt.addptr %base, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %q, %both, %zero : tensor<64x!tt.ptr<f32>>
    %b = arith.addf %a, %v : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  tt.return %sum : tensor<64xf32>
}

// Products whose loads do not go through pointers: what chooses among their elements. A number that the loop carries is
// known in front of it.
// CHECK-LABEL: @choice
// CHECK: %[[AT:.*]] = arith.addi %arg2, %{{.*}} : i32
// CHECK: %[[MAIN:.*]]:2 = scf.for
// CHECK-NOT: arith.select
// CHECK: tt.dot
// CHECK-NOT: tritcc.few-trips
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[MAIN]]#0, %{{.*}} = %[[AT]])
// CHECK: arith.select
// CHECK: tt.dot
// CHECK: } {"tritcc.few-trips" = true}
tt.func public @choice(%v: tensor<32x32xf32>, %n: i32, %at: i32, %each: i32) -> (tensor<32x32xf32>, i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %n : i32 -> tensor<32xi32>
  %sum:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero, %k = %at) -> (tensor<32x32xf32>, i32) : i32 {
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %m = arith.cmpi slt, %c, %bound : tensor<32xi32>
    %m1 = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %m2 = tt.broadcast %m1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %x = arith.select %m2, %v, %zero : tensor<32x32xi1>, tensor<32x32xf32>
    %d = tt.dot %x, %v, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %next = arith.addi %k, %each : i32
    scf.yield %d, %next : tensor<32x32xf32>, i32
  }
  tt.return %sum#0, %sum#1 : tensor<32x32xf32>, i32
}

// Sums of 64 bits are not followed.
// CHECK-LABEL: @wide
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @wide(%p: tensor<128x!tt.ptr<f32>>, %n: i64) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %bound = tt.splat %n : i64 -> tensor<128xi64>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %first = tt.splat %i : i64 -> tensor<128xi64>
    %m = arith.cmpi slt, %first, %bound : tensor<128xi64>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// Columns and rows that the loop carries, of 32 and of 64 bits: masks alone read them, so that the rest begins with what
// the trips in front of it add and the part without masks has nothing to carry.
// CHECK-LABEL: @carried
// CHECK: %[[COLUMNS:.*]] = arith.muli %{{.*}}, %cst{{.*}} : tensor<128xi32>
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[COLUMNS]] : tensor<128xi32>
// CHECK: %[[ROWS:.*]] = arith.muli %{{.*}}, %cst{{.*}} : tensor<128xi64>
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[ROWS]] : tensor<128xi64>
// CHECK: scf.for
// CHECK-NEXT: tt.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COLUMN]], %{{.*}} = %[[ROW]])
// CHECK: arith.cmpi
tt.func public @carried(%p: tensor<128x!tt.ptr<f32>>, %n: i32, %m: i32, %pid: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %c128_i64 = arith.constant 128 : i64
  %each = arith.constant dense<128> : tensor<128xi32>
  %each_i64 = arith.constant dense<256> : tensor<128xi64>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %range_i64 = arith.extsi %range : tensor<128xi32> to tensor<128xi64>
  %pid_i64 = arith.extsi %pid : i32 to i64
  %first = arith.muli %pid_i64, %c128_i64 : i64
  %firsts = tt.splat %first : i64 -> tensor<128xi64>
  %rows = arith.addi %firsts, %range_i64 : tensor<128xi64>
  %n_bound = tt.splat %n : i32 -> tensor<128xi32>
  %m_i64 = arith.extsi %m : i32 to i64
  %m_bound = tt.splat %m_i64 : i64 -> tensor<128xi64>
  scf.for %i = %c0 to %n step %c128 iter_args(%c = %range, %r = %rows) -> (tensor<128xi32>, tensor<128xi64>) : i32 {
    %mc = arith.cmpi slt, %c, %n_bound : tensor<128xi32>
    %mr = arith.cmpi slt, %r, %m_bound : tensor<128xi64>
    %both = arith.andi %mc, %mr : tensor<128xi1>
    tt.store %p, %one, %both : tensor<128x!tt.ptr<f32>>
    %next = arith.addi %c, %each : tensor<128xi32>
    %next_r = arith.addi %r, %each_i64 : tensor<128xi64>
    scf.yield %next, %next_r : tensor<128xi32>, tensor<128xi64>
  }
  tt.return
}

// What the body reads beside its masks goes from part to part as before.
// CHECK-LABEL: @carried_and_read
// CHECK: %[[MAIN:.*]] = scf.for
// CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} :
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[MAIN]])
// CHECK: arith.cmpi
tt.func public @carried_and_read(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %each = arith.constant dense<128> : tensor<128xi32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  scf.for %i = %c0 to %n step %c128 iter_args(%c = %range) -> (tensor<128xi32>) : i32 {
    %m = arith.cmpi slt, %c, %bound : tensor<128xi32>
    %q = tt.addptr %base, %c : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %q, %each, %m : tensor<128x!tt.ptr<i32>>
    %next = arith.addi %c, %each : tensor<128xi32>
    scf.yield %next : tensor<128xi32>
  }
  tt.return
}

// A number that could have wrapped before it was widened.
// CHECK-LABEL: @wrapped
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @wrapped(%p: tensor<128x!tt.ptr<f32>>, %n: i32, %m: i64) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %each = arith.constant dense<128> : tensor<128xi32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %n_i64 = arith.extsi %n : i32 to i64
  %bound = tt.splat %n_i64 : i64 -> tensor<128xi64>
  scf.for %i = %c0 to %n step %c1 iter_args(%c = %range) -> (tensor<128xi32>) : i32 {
    %wide = arith.extsi %c : tensor<128xi32> to tensor<128xi64>
    %mc = arith.cmpi slt, %wide, %bound : tensor<128xi64>
    tt.store %p, %one, %mc : tensor<128x!tt.ptr<f32>>
    %next = arith.addi %c, %each : tensor<128xi32>
    scf.yield %next : tensor<128xi32>
  }
  tt.return
}

// A loop that begins where its mask ends: there is nothing to run without.
// CHECK-LABEL: @diagonal
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tt.func public @diagonal(%p: tensor<128x!tt.ptr<f32>>, %pid: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %row = arith.muli %pid, %c128 : i32
  %rows = tt.splat %row : i32 -> tensor<128xi32>
  %low = arith.muli %pid, %c128 {tt.divisibility = dense<128> : tensor<1xi32>} : i32
  %next = arith.addi %pid, %c1 : i32
  %high = arith.muli %next, %c128 : i32
  scf.for %i = %low to %high step %c64 : i32 {
    %first = tt.splat %i : i32 -> tensor<128xi32>
    %at = arith.addi %first, %range : tensor<128xi32>
    %m = arith.cmpi sge, %rows, %at : tensor<128xi32>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// The same from a tile further down: its first trip runs without a mask.
// CHECK-LABEL: @below
// CHECK-COUNT-2: scf.for
tt.func public @below(%p: tensor<128x!tt.ptr<f32>>, %pid: i32) {
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %low = arith.muli %pid, %c128 : i32
  %row = arith.addi %low, %c128 : i32
  %rows = tt.splat %row : i32 -> tensor<128xi32>
  %next = arith.addi %pid, %c1 : i32
  %high = arith.muli %next, %c128 : i32
  scf.for %i = %low to %high step %c64 : i32 {
    %first = tt.splat %i : i32 -> tensor<128xi32>
    %at = arith.addi %first, %range : tensor<128xi32>
    %m = arith.cmpi sge, %rows, %at : tensor<128xi32>
    tt.store %p, %one, %m : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// A causal mask's tail is a few trips long, which its bounds tell when they are taken apart.
// CHECK-LABEL: @causal
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: tt.dot
// CHECK-NOT: tritcc.few-trips
// CHECK: scf.for
// CHECK: arith.select
// CHECK: tt.dot
// CHECK: } {"tritcc.few-trips" = true}
// Choices of so many elements a thread are made behind a branch; of fewer they are split as without that.
// GUARD-LABEL: @causal
// GUARD: scf.for [[I:%.+]] = %c0_i32 to
// GUARD: [[WHOLE:%.+]] = arith.cmpi slt, [[I]], %{{.*}} : i32
// GUARD-NEXT: [[X:%.+]] = scf.if [[WHOLE]]
// GUARD-NEXT: scf.yield %arg0
// GUARD: else
// GUARD: tt.splat [[I]]
// GUARD: arith.cmpi sge
// GUARD: arith.select
// GUARD: tt.dot [[X]]
// GUARD-NOT: scf.for
// GUARD-LABEL: @long_tail
tt.func public @causal(%v: tensor<32x32xf32>, %pid: i32) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = arith.muli %pid, %c64 : i32
  %end = arith.addi %row, %c64 : i32
  %row0 = tt.splat %row : i32 -> tensor<32xi32>
  %rows = arith.addi %row0, %range : tensor<32xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r2 = tt.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %end step %c32 iter_args(%a = %zero) -> (tensor<32x32xf32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %c2 = tt.broadcast %c1 : tensor<1x32xi32> -> tensor<32x32xi32>
    %m = arith.cmpi sge, %r2, %c2 : tensor<32x32xi32>
    %x = arith.select %m, %v, %zero : tensor<32x32xi1>, tensor<32x32xf32>
    %d = tt.dot %x, %v, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tt.return %sum : tensor<32x32xf32>
}

// A mask that ends far in front of the loop's end, or somewhere: what is behind may be long.
// CHECK-LABEL: @long_tail
// CHECK: arith.select
// CHECK-NOT: tritcc.few-trips
// CHECK-LABEL: @split_before
tt.func public @long_tail(%v: tensor<32x32xf32>, %n: i32, %m: i32) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %bound = tt.splat %m : i32 -> tensor<32xi32>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero) -> (tensor<32x32xf32>) : i32 {
    %first = tt.splat %i : i32 -> tensor<32xi32>
    %c = arith.addi %first, %range : tensor<32xi32>
    %mc = arith.cmpi slt, %c, %bound : tensor<32xi32>
    %m1 = tt.expand_dims %mc {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %m2 = tt.broadcast %m1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %x = arith.select %m2, %v, %zero : tensor<32x32xi1>, tensor<32x32xf32>
    %d = tt.dot %x, %v, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tt.return %sum : tensor<32x32xf32>
}

// A loop of products that its source has split off.
// CHECK: scf.for
// CHECK: tt.dot
// CHECK: } {"tritcc.few-trips" = true}
tt.func public @split_before(%v: tensor<32x32xf32>, %pid: i32) -> tensor<32x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %low = arith.muli %pid, %c64 : i32
  %next = arith.addi %pid, %c1 : i32
  %high = arith.muli %next, %c64 : i32
  %sum = scf.for %i = %low to %high step %c32 iter_args(%a = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tt.dot %v, %v, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tt.return %sum : tensor<32x32xf32>
}
