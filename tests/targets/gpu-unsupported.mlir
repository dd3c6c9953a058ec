// RUN: not tritcc -x ttgir -arch=sm_80 -emit=ptx=%t.ptx %s 2> %t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: test ! -e %t.ptx

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @narrow_counters(%p: !tt.ptr<i8>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    // CHECK: gpu-unsupported.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'tt.histogram' cannot be lowered for 'sm_80': counters of less than 32 bits cannot be counted up atomically
    %h = tt.histogram %r : tensor<128xi32, #blocked> -> tensor<128xi8, #blocked>
    tt.return
  }
}
