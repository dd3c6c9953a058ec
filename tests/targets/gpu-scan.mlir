// RUN: tritcc -x ttgir -passes=allocate-shared-memory,membar -o %t.ttgir %s
// RUN: tritcc -x ttgir -arch=sm_80 -emit=ptx=- %t.ttgir | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // The last of a thread's four registers alone takes part in the steps from lane to lane, one shuffle and one addition
  // each; the other three take in what is before them behind these, by one more shuffle. Of the three totals before the
  // last run each is read once.
  // CHECK-LABEL: .entry sum(
  // CHECK-COUNT-6: shfl.sync.idx.b32
  // CHECK-NOT: shfl.sync
  // CHECK: bar.sync
  // CHECK-COUNT-3: ld.shared.b32
  // CHECK-NOT: ld.shared
  // CHECK: ret;
  tt.func public @sum(%x: !tt.ptr<i32>) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = "tt.scan"(%i) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.scan.return %c : i32
    }) : (tensor<512xi32, #blocked>) -> tensor<512xi32, #blocked>
    %p = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
    %q = tt.addptr %p, %i : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
    tt.store %q, %s : tensor<512x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
