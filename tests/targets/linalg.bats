load ../helpers

kernel() {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    n = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    p, q = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        acc += tl.dot(tl.load(p, mask=k[None, :] < K - i * BK, other=0.0), tl.load(q, mask=k[:, None] < K - i * BK, other=0.0))
        p += BK
        q += BK * N
    r, s = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c + r[:, None] * N + s[None, :], acc, mask=(r[:, None] < M) & (s[None, :] < N))
K
}
signature='*fp32, *fp32, *fp32, i32, i32, i32, 32, 64, 16'

@test "a matrix product is one linalg.matmul in a loop, without gathers" {
    kernel
    tritcc -arch=linalg -emit=linalg -sig "$signature" k.tri
    [ "$(grep -c 'linalg.matmul' k.linalg)" = 1 ]
    [ "$(grep -c 'memref.reinterpret_cast' k.linalg)" = 3 ]
    [ "$(grep -c 'scf.for' k.linalg)" = 1 ]
    ! grep -E 'tt\.|memref.load|tensor.extract ' k.linalg
}

@test "linalg text is an input: objects and runs come from it" {
    kernel
    tritcc -arch=linalg -emit=linalg -sig "$signature" k.tri -o k.linalg
    tritcc -arch=linalg -c -x linalg k.linalg -o k.o
    nm k.o | grep ' T mm$'
}

@test "what runs through linalg has the host's own numbers" {
    kernel
    local args=(randn:f32:70x50:seed=1 randn:f32:50x90:seed=2 c=zeros:f32:70x90 70 90 50 BM=32 BN=64 BK=16)
    "$BUILDDIR/tritrun" -arch=native -grid=3,2 -o c=want.npy k.tri "${args[@]}"
    "$BUILDDIR/tritrun" -arch=linalg -grid=3,2 -expect=c=@want.npy -rtol=1e-4 -atol=1e-4 k.tri "${args[@]}"
}

@test "for Ascend there are the vendor's arguments and attributes" {
    kernel
    tritcc -arch=ascend910b -emit=linalg -sig "$signature" k.tri
    grep -E 'func.func @mm\(%[a-z0-9]+: memref<\?xi8>, %[a-z0-9]+: memref<\?xi8>, %a: memref<\?xf32>' k.linalg
    grep -F 'SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "mix", parallel_mode = "simd"' k.linalg
}

@test "blocks that do not fit an Ascend's buffer are an error that names them" {
    kernel
    tritcc -1 -arch=ascend910b -emit=linalg -sig '*fp32, *fp32, *fp32, i32, i32, i32, 256, 256, 128' k.tri
    [[ $errors == *"of the unified buffer, which has 196608"*"[256, 128] of 32 bits"* ]]
}

@test "Ascend 310B is refused with the reason" {
    kernel
    tritcc -2 -arch=ascend310b -emit=linalg -sig "$signature" k.tri
    [[ $errors == *"the vendor's Triton compiler does not serve Ascend 310B"* ]]
}

@test "a pointer into one of several arrays is a located error" {
    cat >p.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, y, o, n):
    i = tl.arange(0, 16)
    p = x + i
    for j in range(n):
        p = tl.where(tl.load(o) > 0, x, y) + i
    tl.store(o + i, tl.load(p))
K
    tritcc -1 -arch=linalg -emit=linalg -sig '*fp32, *fp32, *fp32, i32' p.tri
    [[ $errors == p.tri:*"structured code cannot follow this pointer: it points into one of several arrays"* ]]
}

@test "inline assembly is a located error" {
    cat >a.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x):
    v = tl.load(x + tl.arange(0, 16))
    w = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [v], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x + tl.arange(0, 16), w)
K
    tritcc -1 -arch=linalg -emit=linalg -sig '*fp32' a.tri
    [[ $errors == a.tri:6:*"inline assembly has no structured form"* ]]
}
