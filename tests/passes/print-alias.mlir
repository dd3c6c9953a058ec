// RUN: tritcc -print-alias %s -verify-diagnostics -o %t
// RUN: tritcc -test-print-alias %s -o %t 2>&1 | FileCheck %s
// RUN: tritcc -x ttgir -passes=print-alias %s 2>&1 >/dev/null | FileCheck %s
// positive: @choice @swap @blocks
// negative: @none
// loop: @swap
// if: @blocks

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<16x16xf16, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @choice(%p: i1) {
    // expected-remark@+2 {{%0 -> %0}}
    // CHECK: print-alias.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: %0 -> %0
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@+1 {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@+2 {{%2 -> %0,%1}}
    // CHECK: print-alias.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: %2 -> %0,%1
    %c = arith.select %p, %a, %b : !buffer
    // expected-remark@+1 {{%3 -> %0,%1}}
    %t = ttg.memdesc_trans %c {order = array<i32: 1, 0>} : !buffer -> !ttg.memdesc<16x16xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>
    tt.return
  }

  // What a loop starts with, and what comes out of it.
  tt.func @swap(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // expected-remark@+1 {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@+1 {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark@+4 {{%arg2 -> %0}}
    // expected-remark@+3 {{%arg3 -> %1}}
    // expected-remark@+2 {{%2#0 -> %0,%1}}
    // expected-remark@+1 {{%2#1 -> %0,%1}}
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %b) -> (!buffer, !buffer) : i32 {
      scf.yield %y, %x : !buffer, !buffer
    }
    tt.return
  }

  // Arguments of blocks are told where the block ends.
  tt.func @blocks(%p: i1) {
    // expected-remark@+1 {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark@+1 {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    cf.cond_br %p, ^next(%a : !buffer), ^next(%b : !buffer)
  ^next(%x: !buffer):
    // expected-remark@+1 {{%2 -> %0,%1}}
    cf.br ^end
  ^end:
    tt.return
  }

  // Tensors point nowhere, and scratch is nobody's.
  // CHECK-NOT: print-alias.mlir:[[#@LINE+2]]
  tt.func @none(%x: tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    %y = ttg.convert_layout %x : tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>>
    tt.return
  }
}
