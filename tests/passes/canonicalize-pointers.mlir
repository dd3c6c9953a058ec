// RUN: tritcc -x ttgir -passes=canonicalize-pointers,canonicalize %s 2>/dev/null | FileCheck %s
// RUN: tritcc -x ttgir '-passes=canonicalize-pointers{enable-large-tensor-ptr-canon=true},canonicalize' %s 2>/dev/null | FileCheck --check-prefix=LARGE %s
// positive: @start @looped @nested @chosen @per_element @while @joined
// negative: @large @loaded @poison
// loop: @looped @nested @while
// if: @chosen

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // the base stays, the two offsets add up
  // CHECK-LABEL: @start
  // CHECK: %[[ALL:.*]] = tt.splat %arg1 : i32
  // CHECK: %[[O:.*]] = arith.addi
  // CHECK: %[[B:.*]] = tt.splat %arg0
  // CHECK: tt.addptr %[[B]], %[[O]] : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
  tt.func public @start(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %start: i32, %o: tensor<256xi32, #l>) -> tensor<256xf32, #l> {
    %moved = tt.addptr %p, %start : !tt.ptr<f32>, i32
    %b = tt.splat %moved : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // what all elements add, %pid * %stride, moves the base; the rest is an offset
  // CHECK-LABEL: @large
  // CHECK: tt.splat %arg0
  // CHECK-NOT: tt.addptr %arg0
  // LARGE-LABEL: @large
  // LARGE: %[[R:.*]] = tt.make_range
  // LARGE: %[[U:.*]] = arith.muli %arg1, %arg2 : i32
  // LARGE: %[[S:.*]] = tt.splat %arg2
  // LARGE: %[[T:.*]] = arith.muli %[[R]], %[[S]]
  // LARGE: %[[M:.*]] = tt.addptr %arg0, %[[U]] : !tt.ptr<f32>, i32
  // LARGE: %[[B:.*]] = tt.splat %[[M]]
  // LARGE: tt.addptr %[[B]], %[[T]] : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
  tt.func public @large(%p: !tt.ptr<f32>, %pid: i32, %stride: i32) -> tensor<256xf32, #l> {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %i = tt.splat %pid : i32 -> tensor<256xi32, #l>
    %s = tt.splat %stride : i32 -> tensor<256xi32, #l>
    %line = arith.addi %i, %r : tensor<256xi32, #l>
    %o = arith.muli %line, %s : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // the loop carries the offset; the base does not change
  // CHECK-LABEL: @looped
  // CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %arg1) -> (tensor<256xi32, #blocked>)
  // CHECK: %[[B:.*]] = tt.splat %arg0
  // CHECK: tt.addptr %[[B]], %[[O]]
  // CHECK: %[[N:.*]] = arith.addi %[[O]], %
  // CHECK: scf.yield %[[N]]
  // the sum of many trips is not one of 32 bits, whatever each adds
  // LARGE-LABEL: @looped
  tt.func public @looped(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %v = arith.constant dense<1.0> : tensor<256xf32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %first = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %end = scf.for %i = %zero to %n step %one iter_args(%q = %first) -> (tensor<256x!tt.ptr<f32>, #l>) : i32 {
      tt.store %q, %v : tensor<256x!tt.ptr<f32>, #l>
      %next = tt.addptr %q, %r : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
      scf.yield %next : tensor<256x!tt.ptr<f32>, #l>
    }
    tt.return
  }

  // two pointers that change places
  // CHECK-LABEL: @nested
  // CHECK: scf.for {{.*}} -> (!tt.ptr<f32>, tensor<256xi32, #blocked>, i32, !tt.ptr<f32>, tensor<256xi32, #blocked>)
  // CHECK: scf.for {{.*}} -> (!tt.ptr<f32>, tensor<256xi32, #blocked>, !tt.ptr<f32>, tensor<256xi32, #blocked>)
  tt.func public @nested(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %n: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %v = arith.constant dense<1.0> : tensor<256xf32, #l>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %a = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %b = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %end:3 = scf.for %i = %zero to %n step %one iter_args(%q = %a, %k = %zero, %w = %b) -> (tensor<256x!tt.ptr<f32>, #l>, i32, tensor<256x!tt.ptr<f32>, #l>) : i32 {
      %in:2 = scf.for %j = %zero to %n step %one iter_args(%s = %q, %t = %w) -> (tensor<256x!tt.ptr<f32>, #l>, tensor<256x!tt.ptr<f32>, #l>) : i32 {
        tt.store %s, %v : tensor<256x!tt.ptr<f32>, #l>
        %next = tt.addptr %s, %r : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
        scf.yield %t, %next : tensor<256x!tt.ptr<f32>, #l>, tensor<256x!tt.ptr<f32>, #l>
      }
      %more = arith.addi %k, %i : i32
      scf.yield %in#0, %more, %in#1 : tensor<256x!tt.ptr<f32>, #l>, i32, tensor<256x!tt.ptr<f32>, #l>
    }
    tt.return %end#1 : i32
  }

  // CHECK-LABEL: @chosen
  // CHECK: arith.select %arg3, %arg0, %arg1 : !tt.ptr<f32>
  // CHECK: arith.select %arg3, %arg2, %{{.*}} : tensor<256xi32, #blocked>
  tt.func public @chosen(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %c: i1) -> tensor<256xf32, #l> {
    %a = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %b = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = scf.if %c -> (tensor<256x!tt.ptr<f32>, #l>) {
      %s = tt.addptr %a, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
      tt.print "a" {hex = false, isSigned = array<i32: 1>} : %c : i1
      scf.yield %s : tensor<256x!tt.ptr<f32>, #l>
    } else {
      scf.yield %b : tensor<256x!tt.ptr<f32>, #l>
    }
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // elements of two bases have no base in common
  // CHECK-LABEL: @per_element
  // CHECK: %[[O:.*]] = arith.select %arg3, %arg2, %{{.*}} : tensor<256xi1, #blocked>, tensor<256xi32, #blocked>
  // CHECK: tt.splat %arg1
  // CHECK: arith.select %arg3, %{{.*}}, %{{.*}} : tensor<256xi1, #blocked>, tensor<256x!tt.ptr<f32>, #blocked>
  // CHECK: %[[B:.*]] = tt.splat %arg0
  // CHECK: %[[Q:.*]] = tt.addptr %[[B]], %[[O]]
  tt.func public @per_element(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %c: tensor<256xi1, #l>) -> (tensor<256xf32, #l>, tensor<256xf32, #l>) {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %a = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %b = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %s = tt.addptr %a, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %t = tt.addptr %a, %r : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %one = arith.select %c, %s, %t : tensor<256xi1, #l>, tensor<256x!tt.ptr<f32>, #l>
    %two = arith.select %c, %s, %b : tensor<256xi1, #l>, tensor<256x!tt.ptr<f32>, #l>
    %u = tt.load %one : tensor<256x!tt.ptr<f32>, #l>
    %v = tt.load %two : tensor<256x!tt.ptr<f32>, #l>
    tt.return %u, %v : tensor<256xf32, #l>, tensor<256xf32, #l>
  }

  // CHECK-LABEL: @while
  // CHECK: scf.while (%{{.*}} = %arg1, {{.*}}) : (tensor<256xi32, #blocked>, i32)
  tt.func public @while(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %n: i32) -> tensor<256xf32, #l> {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %first = tt.addptr %b, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    %end:2 = scf.while (%q = %first, %i = %n) : (tensor<256x!tt.ptr<f32>, #l>, i32) -> (tensor<256x!tt.ptr<f32>, #l>, i32) {
      %go = arith.cmpi sgt, %i, %zero : i32
      scf.condition(%go) %q, %i : tensor<256x!tt.ptr<f32>, #l>, i32
    } do {
    ^bb0(%q: tensor<256x!tt.ptr<f32>, #l>, %i: i32):
      %next = tt.addptr %q, %r : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
      %less = arith.subi %i, %one : i32
      scf.yield %next, %less : tensor<256x!tt.ptr<f32>, #l>, i32
    }
    %x = tt.load %end#0 : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // CHECK-LABEL: @joined
  // CHECK: cf.cond_br %arg3, ^bb1, ^bb2(%arg0, %arg2 : !tt.ptr<f32>, tensor<256xi32, #blocked>)
  // CHECK: cf.br ^bb2(%arg1, %{{.*}} : !tt.ptr<f32>, tensor<256xi32, #blocked>)
  // CHECK: ^bb2(%[[B:.*]]: !tt.ptr<f32>, %[[O:.*]]: tensor<256xi32, #blocked>):
  tt.func public @joined(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: tensor<256xi32, #l>, %c: i1) -> tensor<256xf32, #l> {
    %a = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %b = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %s = tt.addptr %a, %o : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
    cf.cond_br %c, ^bb1, ^bb2(%s : tensor<256x!tt.ptr<f32>, #l>)
  ^bb1:
    tt.print "b" {hex = false, isSigned = array<i32: 1>} : %c : i1
    cf.br ^bb2(%b : tensor<256x!tt.ptr<f32>, #l>)
  ^bb2(%q: tensor<256x!tt.ptr<f32>, #l>):
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // a pointer that comes out of memory, and a loop that carries one
  // CHECK-LABEL: @loaded
  // CHECK: scf.for {{.*}} -> (tensor<256x!tt.ptr<f32>, #blocked>)
  tt.func public @loaded(%p: !tt.ptr<i64>, %n: i32) -> tensor<256xf32, #l> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %w = tt.load %p : !tt.ptr<i64>
    %y = tt.int_to_ptr %w : i64 -> !tt.ptr<f32>
    %b = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #l>
    %q = scf.for %i = %zero to %n step %one iter_args(%s = %b) -> (tensor<256x!tt.ptr<f32>, #l>) : i32 {
      %next = tt.addptr %s, %r : tensor<256x!tt.ptr<f32>, #l>, tensor<256xi32, #l>
      scf.yield %next : tensor<256x!tt.ptr<f32>, #l>
    }
    %x = tt.load %q : tensor<256x!tt.ptr<f32>, #l>
    tt.return %x : tensor<256xf32, #l>
  }

  // CHECK-LABEL: @poison
  // CHECK: tt.addptr %arg0
  tt.func public @poison(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %c: i1, %start: i32) -> f32 {
    %none = ub.poison : !tt.ptr<f32>
    %moved = tt.addptr %p, %start : !tt.ptr<f32>, i32
    %q = arith.select %c, %moved, %none : !tt.ptr<f32>
    %x = tt.load %q : !tt.ptr<f32>
    tt.return %x : f32
  }
}
