// RUN: tritcc -x ttir -passes=reorder-programs{long-first=1} %s | FileCheck %s
// RUN: tritcc -x ttir -passes=reorder-programs{long-first=1} -Rpass=programs %s -o %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: tritcc -x ttir -passes=reorder-programs %s | FileCheck %s --check-prefix=SHORT
// positive: @tiles @rows
// negative: @counted @both @alone
// loop: @tiles @rows @counted @both @alone

// Groups of 8 rows of tiles along x.
// SAID: programs run in groups of 8 along axis 0 [
// CHECK-LABEL: @tiles
// CHECK: [[X:%.+]] = tt.get_program_id x
// CHECK: [[NX:%.+]] = tt.get_num_programs x
// CHECK: [[Y:%.+]] = tt.get_program_id y
// CHECK: [[NY:%.+]] = tt.get_num_programs y
// CHECK: [[R:%.+]] = arith.muli [[Y]], [[NX]]
// CHECK: [[AT:%.+]] = arith.addi [[R]], [[X]]
// CHECK: [[G:%.+]] = arith.muli %c8_i32, [[NY]]
// CHECK: [[D:%.+]] = arith.divsi [[AT]], [[G]]
// CHECK: [[FIRST:%.+]] = arith.muli [[D]], %c8_i32
// CHECK: [[REST:%.+]] = arith.remsi [[AT]], [[G]]
// CHECK: [[LEFT:%.+]] = arith.subi [[NX]], [[FIRST]]
// CHECK: [[SIZE:%.+]] = arith.minsi [[LEFT]], %c8_i32
// CHECK: [[NEWY:%.+]] = arith.divsi [[REST]], [[SIZE]]
// CHECK: [[IN:%.+]] = arith.remsi [[REST]], [[SIZE]]
// CHECK: [[NEWX:%.+]] = arith.addi [[FIRST]], [[IN]]
// CHECK-NOT: tt.get_program_id
// CHECK: arith.muli [[NEWX]], %c64_i32
// CHECK: arith.muli [[NEWY]], %c64_i32
tt.func public @tiles(%a: !tt.tensordesc<64x64xf16>, %b: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c64 : i32
  %n = arith.muli %y, %c64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%m, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %q = tt.descriptor_load %b[%i, %n] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %q, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%m, %n], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// The loop is the longer the larger y is: groups of 8 along x, the largest y first.
// SAID: programs run in groups of 8 along axis 0, the longest first
// SHORT-LABEL: @rows
// SHORT-NOT: tt.get_num_programs
// SHORT: tt.return
// CHECK-LABEL: @rows
// CHECK: [[NY:%.+]] = tt.get_num_programs y
// CHECK: [[Q:%.+]] = arith.divsi
// CHECK: [[Q:%.+]] = arith.divsi
// CHECK: [[TOP:%.+]] = arith.subi [[NY]], %c1_i32
// CHECK: [[NEWY:%.+]] = arith.subi [[TOP]], [[Q]]
// CHECK: arith.muli [[NEWY]], %c64_i32
tt.func public @rows(%a: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %y, %c64 : i32
  %last = arith.addi %m, %c64 : i32
  %end = arith.minsi %n, %last : i32
  %r = scf.for %i = %c0 to %end step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%i, %c0] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %p, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %e = tt.dot %h, %p, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%m, %x], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// An atomic shows the order.
// SAID-NOT: programs run
// CHECK-LABEL: @counted
// CHECK: tt.atomic_rmw
// CHECK-NOT: tt.get_num_programs
tt.func public @counted(%a: !tt.tensordesc<64x64xf16>, %b: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %t: !tt.ptr<i32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %yes = arith.constant true
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %m = tt.get_program_id x : i32
  %n = tt.get_program_id y : i32
  %at = tt.atomic_rmw add, acq_rel, gpu, %t, %c64, %yes : (!tt.ptr<i32>, i32, i1) -> i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%m, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %q = tt.descriptor_load %b[%i, %n] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %q, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%at, %n], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// Both factors depend on y, as in batches.
// CHECK-LABEL: @both
// CHECK-NOT: tt.get_num_programs
tt.func public @both(%a: !tt.tensordesc<64x64xf16>, %b: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %m = tt.get_program_id x : i32
  %n = tt.get_program_id y : i32
  %mn = arith.addi %m, %n : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%mn, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %q = tt.descriptor_load %b[%i, %n] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %q, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%m, %n], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}

// One dimension of programs: the kernel has chosen its order itself.
// CHECK-LABEL: @alone
// CHECK-NOT: tt.get_num_programs
tt.func public @alone(%a: !tt.tensordesc<64x64xf16>, %c: !tt.tensordesc<64x64xf32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %m = tt.get_program_id x : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %p = tt.descriptor_load %a[%m, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %p, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.descriptor_store %c[%m, %c0], %r : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}
