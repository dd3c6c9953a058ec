// RUN: tritcc -x ttgir -passes=allocate-warp-groups %s | FileCheck %s
// positive: @sizes @again
// negative: @plain
// loop: @again
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK: module attributes
// CHECK-SAME: ttg.maxnreg = 128 : i32
// CHECK-SAME: "ttg.total-num-warps" = 16 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The largest first; whole groups of four warps: 9 to 13 are those of two partitions, 14 and 15 of none.
  // CHECK-LABEL: @sizes
  // CHECK: ttg.warp_specialize() attributes {actualRegisters = array<i32: 176, 32, 128, 32>
  // CHECK-SAME: warpGroupStartIds = array<i32: 12, 8, 13>
  tt.func public @sizes() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 128, 30>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    }
    partition1() num_warps(4) {
      ttg.warp_return
    }
    partition2() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  // CHECK-LABEL: @again
  // CHECK: scf.for
  // CHECK: ttg.warp_specialize() attributes {actualRegisters = array<i32: 176, 32, 128, 32>
  // CHECK-SAME: warpGroupStartIds = array<i32: 12, 8, 13>
  tt.func public @again(%n: i32) {
    scf.for %i = %n to %n step %n : i32 {
      ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 128, 30>}
      default {
        ttg.warp_yield
      }
      partition0() num_warps(1) {
        ttg.warp_return
      }
      partition1() num_warps(4) {
        ttg.warp_return
      }
      partition2() num_warps(1) {
        ttg.warp_return
      } : () -> ()
    }
    tt.return
  }
  // CHECK-LABEL: @plain
  // CHECK-NOT: ttg.
  tt.func public @plain(%n: i32) {
    scf.for %i = %n to %n step %n : i32 {
    }
    tt.return
  }
}
