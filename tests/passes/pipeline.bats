#!/usr/bin/env bats
# The text of -passes, and the modes of the compiler that go with it.

load ../helpers

module() {
    cat >in.ttir <<'END'
tt.func public @f(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  tt.return %y : i32
}
END
}

@test "passes may be spelled as on triton-opt's command line" {
    module
    tritcc -x ttir -passes="--convert-triton-to-tritongpu='target=cuda:90 num-warps=8' -tritongpu-coalesce -canonicalize" in.ttir
    [[ $output == *'"ttg.num-warps" = 8'* && $output == *'ttg.target = "cuda:90"'* ]]
}

@test "an unknown pass is shown in the list, with the nearest one" {
    module
    tritcc -2 -x ttir -passes=cse,coalesc in.ttir
    [[ $errors == *"<passes>:1:5: error: unknown pass 'coalesc'; did you mean 'coalesce'?"* ]]
}

@test "an unknown option of a pass is an error" {
    module
    tritcc -2 -x ttir -passes='convert-triton-to-tritongpu{num-warp=4}' in.ttir
    [[ $errors == *"has no option 'num-warp'; did you mean 'num-warps'?"* ]]
}

@test "an option that needs a number says so" {
    module
    tritcc -2 -x ttir -passes='convert-triton-to-tritongpu{num-warps=many}' in.ttir
    [[ $errors == *"pass option 'num-warps' needs a number, not 'many'"* ]]
}

@test "a brace that is not closed is an error" {
    module
    tritcc -2 -x ttir -passes='convert-triton-to-tritongpu{num-warps=4' in.ttir
    [[ $errors == *"lack their closing '}'"* ]]
}

@test "numbers of warps that are not powers of two are refused" {
    module
    tritcc -1 -x ttir -passes='convert-triton-to-tritongpu{num-warps=3}' in.ttir
    [[ $errors == *"must be powers of two"* ]]
}

@test "pieces between separators are modules of their own" {
    module
    { cat in.ttir && echo '// -----' && cat in.ttir; } >two.ttir
    tritcc -1 -x ttir -passes=cse two.ttir
    tritcc -x ttir -passes=cse -split-input-file two.ttir
    [ "$(grep -c 'tt.func' <<<"$output")" -eq 2 ]
}

@test "operations of unknown dialects need the option that lets them in" {
    module
    sed -i 's/arith.addi %x, %x : i32/"other.op"(%x) : (i32) -> i32/' in.ttir
    tritcc -1 -x ttir -passes=cse in.ttir
    tritcc -x ttir -passes=cse -allow-unregistered-dialect in.ttir
    [[ $output == *'"other.op"'* ]]
}

@test "too much shared memory is an error that names the buffers" {
    cat >in.ttgir <<'END'
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @big(%x: tensor<64x64xf32, #blocked>) {
    %a = ttg.local_alloc %x : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    tt.return
  }
}
END
    tritcc -1 -x ttgir -passes='allocate-shared-memory{max-bytes=8192}' in.ttgir
    [[ $errors == *"in.ttgir:5:3: error: 'big' needs 16384 bytes of shared memory; the target has 8192"* ]]
    [[ $errors == *"in.ttgir:6:10: note: 16384 bytes for a block of 64x64 elements of 32 bits"* ]]
    tritcc -x ttgir -passes='allocate-shared-memory{max-bytes=16384}' in.ttgir
}

@test "ttgir without a plan of shared memory, as others write it, compiles" {
    cat >in.ttgir <<'END'
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #a>
    %v = tt.load %ps : tensor<64x64x!tt.ptr<f32>, #a>
    %w = ttg.convert_layout %v : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #b>
    tt.store %qs, %w : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }
}
END
    tritcc -arch=sm_80 -emit=ptx -o - in.ttgir
    [[ $output == *"bar.sync"* && $output == *".shared"* ]]
}
