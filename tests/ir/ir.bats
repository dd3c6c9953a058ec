load ../helpers

@test "every operation and layout prints what it parses" {
    for f in "$SRCDIR"/tests/ir/roundtrip/*.mlir; do
        tritcc -x ttir "$f" -passes= -o one.mlir
        tritcc -x ttir one.mlir -passes= -o two.mlir
        cmp one.mlir two.mlir
    done
}

@test "each rule of tt is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/tt.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of ttg is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/ttg.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of ttng is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/ttng.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of nvws is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/nvws.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of amdg is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/amdg.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of ttig and triton_gen is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/ttig.mlir" -passes= -split-input-file -verify-diagnostics
    tritcc -x ttir "$SRCDIR/tests/ir/errors/triton_gen.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "each rule of layouts and buffer types is enforced" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/layouts.mlir" -passes= -split-input-file -verify-diagnostics
}

@test "attributes and operations of other versions are named where they stand" {
    tritcc -x ttir "$SRCDIR/tests/ir/errors/releases.mlir" -passes= -split-input-file -verify-diagnostics
}

# lacks RELEASE TEXT OPERATION: TEXT, an operation of the function's arguments, cannot be written for RELEASE.
lacks() {
    cat >k.mlir <<EOF
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>, %i: tensor<128xi32, #flat>, %b: !ttg.memdesc<128xi32, #shared, #ttg.shared_memory, mutable>, %q: !tt.ptr<tensor<64xf32>>, %n: i32) {
    $2
    tt.return
  }
}
EOF
    tritcc -1 -x ttgir -passes= -femit-upstream="$1" k.mlir
    [[ $errors == *"k.mlir:6:"*"$3"* ]]
    tritcc -x ttgir -passes= k.mlir
}

@test "-femit-upstream names what a release lacks" {
    lacks 3.6 '%0 = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<128xi32, #shared, #ttg.shared_memory, mutable>, tensor<128xi32, #flat> -> tensor<128xi32, #flat>' \
        "'ttg.local_gather' is not an operation of Triton 3.6"
    lacks 3.8 'ttg.inline_asm "bar.sync 1;" {constraints = "", pure = false} : () -> ()' "'ttg.inline_asm' is not an operation of Triton 3.8"
    lacks 3.6 '%0 = ttg.warp_id' "'ttg.warp_id' is not an operation of Triton 3.6"
    lacks 3.9 '%0 = tt.advance %q, [%n] : <tensor<64xf32>>' "'tt.advance' is not an operation of Triton 3.9"
    lacks 3.9 '%0 = ub.poison : !tt.ptr<f32, 4>' "Triton 3.9 has no pointers like '!tt.ptr<f32, 4>'"
    lacks 3.7 '%0 = ub.poison : tensor<128xi32, #ttg.generic_linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[33], [64]], block = []}>>' \
        "Triton 3.7 has no layouts like #ttg.generic_linear<"
    lacks 3.6 '%0 = ub.poison : tensor<32x32xf16, #ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[0, 1], [1, 0]]}}>>' \
        "Triton 3.6 has no layouts like #ttg.amd_wmma<"
    lacks 3.7 '%0 = ub.poison : !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 0]]>, #ttng.tensor_memory, mutable>' \
        "Triton 3.7 has no layouts like #ttng.tensor_memory_encoding<"
}

@test "-femit-upstream knows four releases, and is for -emit too" {
    tritcc -2 -femit-upstream=3.5 k.tri
    [[ $errors == *"'-femit-upstream=3.5' is not one of 3.6, 3.7, 3.8 and 3.9"* ]]
    tritcc -2 -femit-upstream=3.6 -passes= -mlir-print-op-generic k.mlir
    [[ $errors == *"-femit-upstream is for the short form"* ]]
    cat >k.tri <<'EOF'
import triton
import triton.language as tl


@triton.jit
def k(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, cache_modifier=".cg"))
EOF
    for kind in ttir ttgir; do
        tritcc -emit=$kind=out -arch=sm_90 -femit-upstream=3.9 -sig '*fp32:16, 128' k.tri
        grep -q 'cachePolicy = #tt.cache_policy<cache_modifier = cg' out
    done
    tritcc -emit=ptx=with.ptx -arch=sm_90 -femit-upstream=3.9 -sig '*fp32:16, 128' k.tri
    tritcc -emit=ptx=without.ptx -arch=sm_90 -sig '*fp32:16, 128' k.tri
    cmp with.ptx without.ptx
}
