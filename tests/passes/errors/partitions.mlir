// RUN: tritcc -x ttgir -passes=partition-loops -verify-diagnostics -split-input-file %s

tt.func @unsorted(%a: i32, %n: i32, %s: i32) {
  scf.for %i = %a to %n step %s : i32 {
    // expected-error@+1 {{ttg.partition is not in ascending order}}
    %x = arith.addi %i, %i {ttg.partition = array<i32: 1, 0>} : i32
  } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// -----

tt.func @too_many(%a: i32, %n: i32, %s: i32) {
  scf.for %i = %a to %n step %s : i32 {
    // expected-error@+1 {{ttg.partition has a number of which ttg.partition.stages has no entry}}
    %x = arith.addi %i, %i {ttg.partition = array<i32: 2>} : i32
  } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// -----

tt.func @lacks(%a: i32, %n: i32, %s: i32) {
  scf.for %i = %a to %n step %s : i32 {
    // expected-error@+1 {{what stands in a loop with partitions needs ttg.partition}}
    %x = arith.addi %i, %i : i32
  } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// -----

tt.func @outside(%a: i32, %n: i32, %s: i32) {
  scf.for %i = %a to %n step %s : i32 {
    // expected-error@+1 {{is of partition 1, which does not run what it stands in}}
    %x = arith.addi %i, %i {ttg.partition = array<i32: 1>} : i32
  } {ttg.partition = array<i32: 0>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// -----

tt.func @outputs(%a: i32, %n: i32, %s: i32) {
  // expected-error@+1 {{ttg.partition.outputs must have one entry for each result}}
  %r = scf.for %i = %a to %n step %s iter_args(%k = %a) -> i32 : i32 {
    scf.yield {ttg.partition = array<i32: 0>} %k : i32
  } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// -----

tt.func @uses(%a: i32, %n: i32, %s: i32) {
  scf.for %i = %a to %n step %s : i32 {
    %x = arith.addi %i, %i {ttg.partition = array<i32: 0>} : i32
    // expected-error@+1 {{partition 1 uses a value that it does not have}}
    %y = arith.addi %x, %i {ttg.partition = array<i32: 1>} : i32
  } {ttg.partition = array<i32: 0, 1>, ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// -----

tt.func @leaves(%a: i32, %n: i32, %s: i32) -> i32 {
  // expected-error@+1 {{result 0 of partition 1 is used by an operation without ttg.partition}}
  %r = scf.for %i = %a to %n step %s iter_args(%k = %a) -> i32 : i32 {
    %x = arith.addi %k, %i {ttg.partition = array<i32: 1>} : i32
    scf.yield {ttg.partition = array<i32: 1>} %x : i32
  } {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return %r : i32
}

// -----

tt.func @forwards(%a: i32, %run: i1) {
  // expected-error@+1 {{the loop must hand on what its condition is given}}
  %r = scf.while (%x = %a, %c = %run) : (i32, i1) -> i1 {
    scf.condition(%c) {ttg.partition = array<i32: 0, 1>} %c : i1
  } do {
  ^bb0(%c: i1):
    scf.yield {ttg.partition = array<i32: 0, 1>} %a, %c : i32, i1
  } attributes {ttg.partition = array<i32: 0, 1>, ttg.partition.outputs = [array<i32: 0, 1>], ttg.partition.stages = [0, 0], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
