// What ttg.target says of the machine, for machines with a row of the table, by a rule, or by none.
// RUN: tritcc -split-input-file -passes=convert-triton-to-tritongpu{target=hip:gfx942\ num-warps=4\ threads-per-warp=64},coalesce %s > %t.amd
// RUN: FileCheck --check-prefix=AMD %s < %t.amd
// RUN: tritcc -passes=assign-latencies,allocate-shared-memory %S/ttg-target-older.ttgir > %t.older
// RUN: FileCheck --check-prefix=OLDER %s < %t.older
// RUN: not tritcc -passes=convert-triton-to-tritongpu{target=metal:3} %s > %t.out 2> %t.err
// RUN: FileCheck --check-prefix=NONE %s < %t.err
// RUN: sed 's/cuda:75/metal:3/' %S/ttg-target-older.ttgir > %t.ttgir; not tritcc -passes=coalesce %t.ttgir > %t.out 2> %t.err
// RUN: FileCheck --check-prefix=MODULE %s < %t.err

// AMD: ttg.target = "hip:gfx942"{{.*}}"ttg.threads-per-warp" = 64
// AMD-LABEL: @copy
// OLDER: ttg.target = "cuda:75"
// OLDER-NOT: tt.latency
// NONE: error: no machine is known for target=metal:3; --print-targets lists what code is made for [TRI-5012]
// MODULE: error: no machine is known for ttg.target = "metal:3"; --print-targets lists what code is made for [TRI-5012]
tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %pa : tensor<1024x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qa = tt.addptr %qs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %qa, %x : tensor<1024x!tt.ptr<f32>>
  tt.return
}
