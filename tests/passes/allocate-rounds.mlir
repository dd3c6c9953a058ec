// RUN: tritcc -x ttgir -passes=allocate-shared-memory %s | FileCheck %s
// RUN: tritcc -x ttgir '-passes=allocate-shared-memory{scratch-per-thread=64}' %s | FileCheck %s --check-prefix=SPARE
// RUN: tritcc -x ttgir '-passes=allocate-shared-memory{scratch-per-thread=64 max-bytes=4096}' %s | FileCheck %s --check-prefix=TIGHT
// RUN: tritcc -x ttgir -arch=sm_80 '-passes=allocate-shared-memory{scratch-per-thread=64},membar' -o %t.ttgir %s && tritcc -arch=sm_80 -emit=ptx=- %t.ttgir | FileCheck %s --check-prefix=PTX

// A conversion in few bytes and many rounds, or in fewer rounds where there is room for them.
// CHECK: ttg.shared = 4096 : i32
// SPARE: tritcc.scratch-per-thread{{.*}}ttg.shared = 8192 : i32
// TIGHT-NOT: scratch-per-thread
// TIGHT: ttg.shared = 4096 : i32
// PTX-COUNT-3: bar.sync
// PTX-NOT: bar.sync
#wide = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #wide>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #wide>
    %pa = tt.addptr %ps, %r : tensor<4096x!tt.ptr<f32>, #wide>, tensor<4096xi32, #wide>
    %v = tt.load %pa : tensor<4096x!tt.ptr<f32>, #wide>
    %w = ttg.convert_layout %v : tensor<4096xf32, #wide> -> tensor<4096xf32, #narrow>
    %s = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #narrow>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #narrow>
    %qa = tt.addptr %qs, %s : tensor<4096x!tt.ptr<f32>, #narrow>, tensor<4096xi32, #narrow>
    tt.store %qa, %w : tensor<4096x!tt.ptr<f32>, #narrow>
    tt.return
  }
}
