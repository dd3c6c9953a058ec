// RUN: tritcc -x ttgir '-passes=block-pingpong{in-step=1}' %s | FileCheck %s
// Other compilers' loops: where threads hand something over, halves of the block must not run apart.

#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [8, 1], instrShape = [32, 32, 8], isTransposed = true}>
#n = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 2], instrShape = [32, 32, 8], isTransposed = true}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @converted
  // CHECK-NOT: amdg.cond_barrier
  // CHECK-LABEL: @read_back
  tt.func public @converted(%x: tensor<128x64xf32, #m>, %low: i1, %high: i1, %n: i32) -> tensor<128x64xf32, #m> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    amdg.cond_barrier %high
    %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<128x64xf32, #m>) : i32 {
      %a = ttg.convert_layout %v : tensor<128x64xf32, #m> -> tensor<128x64xf32, #n>
      %b = arith.addf %a, %a : tensor<128x64xf32, #n>
      %c = ttg.convert_layout %b : tensor<128x64xf32, #n> -> tensor<128x64xf32, #m>
      scf.yield %c : tensor<128x64xf32, #m>
    }
    amdg.cond_barrier %low
    tt.return %r : tensor<128x64xf32, #m>
  }

  // Each thread reads what it has written itself.
  // CHECK: amdg.cond_barrier
  // CHECK: scf.for
  // CHECK: amdg.cond_barrier
  // CHECK-LABEL: @handed_over
  // CHECK-NOT: amdg.cond_barrier
  tt.func public @read_back(%x: tensor<128x64xf32, #m>, %b: !ttg.memdesc<128x64xf32, #s, #smem, mutable>, %low: i1, %high: i1, %n: i32) -> tensor<128x64xf32, #m> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    amdg.cond_barrier %high
    %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<128x64xf32, #m>) : i32 {
      ttg.local_store %v, %b : tensor<128x64xf32, #m> -> !ttg.memdesc<128x64xf32, #s, #smem, mutable>
      %a = ttg.local_load %b : !ttg.memdesc<128x64xf32, #s, #smem, mutable> -> tensor<128x64xf32, #m>
      scf.yield %a : tensor<128x64xf32, #m>
    }
    amdg.cond_barrier %low
    tt.return %r : tensor<128x64xf32, #m>
  }
  tt.func public @handed_over(%x: tensor<128x64xf32, #n>, %b: !ttg.memdesc<128x64xf32, #s, #smem, mutable>, %low: i1, %high: i1, %n: i32) -> tensor<128x64xf32, #m> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = arith.constant dense<0.0> : tensor<128x64xf32, #m>
    amdg.cond_barrier %high
    %r = scf.for %i = %zero to %n step %one iter_args(%v = %start) -> (tensor<128x64xf32, #m>) : i32 {
      ttg.local_store %x, %b : tensor<128x64xf32, #n> -> !ttg.memdesc<128x64xf32, #s, #smem, mutable>
      %a = ttg.local_load %b : !ttg.memdesc<128x64xf32, #s, #smem, mutable> -> tensor<128x64xf32, #m>
      scf.yield %a : tensor<128x64xf32, #m>
    }
    amdg.cond_barrier %low
    tt.return %r : tensor<128x64xf32, #m>
  }
}
