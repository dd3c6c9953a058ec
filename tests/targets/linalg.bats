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
    tritcc -emit=linalg -sig "$signature" k.tri
    [ "$(grep -c 'linalg.matmul' k.linalg)" = 1 ]
    [ "$(grep -c 'memref.reinterpret_cast' k.linalg)" = 3 ]
    [ "$(grep -c 'scf.for' k.linalg)" = 1 ]
    ! grep -E 'tt\.|memref.load|tensor.extract ' k.linalg || false
}

@test "blocks lie on the stack: nothing is allocated, and leaks, for each program" {
    kernel
    tritcc -arch=linalg -emit=llir -sig "$signature" k.tri
    ! grep -E 'call.*@(malloc|calloc|aligned_alloc)' k.ll || false
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

@test "sums in bf16 keep small numbers, and roundings towards zero are exact" {
    cat >r.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, y, s, h, b, f):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    w = (v * tl.load(y + i)).to(tl.float64) * 1.0000001
    tl.store(s + i, v.to(tl.bfloat16) * 1e-36 + (v * 1e-39).to(tl.bfloat16))
    tl.store(h + i, w.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(b + i, (w * 1e36).to(tl.bfloat16, fp_downcast_rounding="rtz"))
    tl.store(f + i, v.to(tl.float8e5, fp_downcast_rounding="rtz").to(tl.float32))
K
    local args=(randn:f32:64:seed=1 randn:f32:64:seed=2 s=zeros:bf16:64 h=zeros:f16:64 b=zeros:bf16:64 f=zeros:f32:64)
    "$BUILDDIR/tritrun" -arch=native -grid=1 -o s=s.npy -o h=h.npy -o b=b.npy -o f=f.npy r.tri "${args[@]}"
    "$BUILDDIR/tritrun" -arch=linalg -grid=1 -expect=s=@s.npy -expect=h=@h.npy -expect=b=@b.npy -expect=f=@f.npy r.tri "${args[@]}"
}

@test "floats are compared, exchanged, and made larger by atomic operations" {
    cat >a.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(t, u, x, o):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.atomic_max(t + i % 4, v)
    tl.atomic_min(t + 4 + i % 4, v)
    tl.store(o + i, tl.atomic_cas(u + i, v - v, v))
K
    local args=(t=zeros:f32:8 u=zeros:f64:64 randn:f64:64:seed=1 o=zeros:f64:64)
    sed -i 's/v = tl.load(x + i)$/v = tl.load(x + i)\n    w = v.to(tl.float32)/; s/% 4, v)/% 4, w)/' a.tri
    "$BUILDDIR/tritrun" -arch=native -grid=1 -o t=t.npy -o u=u.npy -o o=o.npy a.tri "${args[@]}"
    "$BUILDDIR/tritrun" -arch=linalg -grid=1 -expect=t=@t.npy -expect=u=@u.npy -expect=o=@o.npy a.tri "${args[@]}"
}

@test "functions of libraries are called, and linked for the host" {
    cat >l.tri <<'K'
import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def k(x, o):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(o + i, libdevice.hypot(v, 2.0) + libdevice.expm1(v * 0.01))
K
    tritcc -arch=linalg -emit=linalg -sig '*fp32, *fp32' l.tri
    grep 'func.func private @__nv_hypotf(f32, f32) -> f32' l.linalg
    tritcc -1 -arch=ascend910b -emit=linalg -sig '*fp32, *fp32' l.tri
    [[ $errors == l.tri:8:*"'__nv_hypotf' has no operation in the structured dialects"* ]]
    local args=(randn:f32:64:seed=1 o=zeros:f32:64)
    "$BUILDDIR/tritrun" -arch=native -grid=1 -o o=o.npy l.tri "${args[@]}"
    "$BUILDDIR/tritrun" -arch=linalg -grid=1 -expect=o=@o.npy -rtol=1e-6 l.tri "${args[@]}"
}

messages() {
    cat >m.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, o):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.device_print("v is", v, i)
    tl.device_print("pid", tl.program_id(0), hex=True)
    tl.device_print("hello")
    tl.device_assert(v > 0, "must be positive")
    tl.store(o + i, v)
K
}

@test "kernels print and assert as they do natively" {
    messages
    for arch in native linalg; do
        ! "$BUILDDIR/tritrun" -arch=$arch -fdevice-assert -grid=2 m.tri randn:f32:4:seed=1 o=zeros:f32:4 >$arch.out 2>$arch.err || false
    done
    cmp native.out linalg.out
    cmp native.err linalg.err
    grep -c 'v is' linalg.out
    grep 'm.tri:10: pid (1, 0, 0): assertion failed: must be positive' linalg.err
}

@test "messages are calls that Ascend's compiler knows" {
    messages
    tritcc -arch=ascend910b -fdevice-assert -emit=linalg -sig '*fp32, *fp32' m.tri
    grep 'func.func private @triton_print_0(tensor<4xf32>, tensor<4xi32>) attributes {hex = false, prefix = " v is: "}' m.linalg
    grep 'func.func private @triton_assert_0(tensor<4xi1>) attributes {msg = "must be positive"}' m.linalg
}

@test "for Ascend there are the vendor's arguments and attributes" {
    kernel
    tritcc -arch=ascend910b -emit=linalg -sig "$signature" k.tri
    grep -E 'func.func @mm\(%[a-z0-9]+: memref<\?xi8>, %[a-z0-9]+: memref<\?xi8>, %a: memref<\?xf32>' k.linalg
    grep -F 'SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "mix", parallel_mode = "simd"' k.linalg
}

marks() {
    cat >v.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, t, o, p, ix, n):
    i = tl.arange(0, 64)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.atomic_add(t + i, v * 2, mask=i < n)
    tl.store(o + i, tl.cumsum(v, 0) + tl.gather(v, tl.load(ix + i), 0), mask=i < n)
    tl.store(p, tl.argmax(v, 0))
K
}

@test "for Ascend arrays say what becomes of them, and what it has functions for is called" {
    marks
    tritcc -arch=ascend910b -emit=linalg -sig '*fp32, *fp32, *fp32, *i32, *i32, i32' v.tri
    grep -F '%x: memref<?xf32> {tt.tensor_kind = 0 : i32}, %t: memref<?xf32> {tt.tensor_kind = 2 : i32}, %o: memref<?xf32> {tt.tensor_kind = 1 : i32}' v.linalg
    grep -F 'attrs =  {GenericAtomicRMW = "fadd", MemSemantic = "acq_rel", MemSyncScope = "gpu"}' v.linalg
    grep 'call @triton_cumsum_0(.*) : (tensor<64xf32>, i32, i1) -> tensor<64xf32>' v.linalg
    grep 'call @triton_gather_0(.*) : (tensor<64xf32>, tensor<64xi32>, i32) -> tensor<64xf32>' v.linalg
    grep -F 'memref.reinterpret_cast %p to offset: [0], sizes: [1], strides: [1]' v.linalg
    ! grep 'memref.store' v.linalg || false
    grep -F '{reduce_mode = "max_with_index", tie_break_left = "true"}' v.linalg
}

@test "for Ascend there is nothing that MLIR 19 lacks, and fp8 of both kinds" {
    cat >x.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, y, e):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.atomic_xor(x + i, i))
    tl.store(e + i, tl.load(e + i).to(tl.float32).to(tl.float8e4nv))
K
    for arch in ascend910b ascend910_95; do
        tritcc -arch=$arch -emit=linalg -sig '*i32, *i32, *fp8e4nv' x.tri
        grep 'memref.generic_atomic_rmw' x.linalg
        ! grep 'memref.atomic_rmw xori' x.linalg || false
    done
    tritcc -arch=linalg -emit=linalg -sig '*i32, *i32, *fp8e4nv' x.tri
    grep 'memref.atomic_rmw xori' x.linalg
}

@test "for Ascend 910_95 what is no box is loaded and stored by threads" {
    cat >t.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(a, o, s, n):
    i = tl.arange(0, 64)
    at = tl.load(s + i)
    v = tl.load(a + at, mask=i < n, other=2.0) + tl.load(a + at + 5)
    tl.store(o + at, v, mask=i < n)
@triton.jit
def box(a, o, s, n):
    i = tl.arange(0, 64)
    tl.store(o + i, tl.load(a + i, mask=i < n))
K
    tritcc -arch=ascend910_95 -emit=linalg -sig 'k(*fp32, *fp32, *i32, i32)' t.tri
    grep 'call @triton_indirect_load_0(%a, .*) : (memref<?xf32>, tensor<64xi64>, tensor<64xi1>, tensor<64xf32>) -> tensor<64xf32>' t.linalg
    grep 'call @triton_indirect_load_1(%a, .*) : (memref<?xf32>, tensor<64xi64>) -> tensor<64xf32>' t.linalg
    grep 'call @triton_indirect_store_0(%o, .*) : (memref<?xf32>, tensor<64xi64>, tensor<64xf32>, tensor<64xi1>) -> ()' t.linalg
    grep 'parallel_mode = "mix_simd_simt"' t.linalg
    grep '%a: memref<?xf32> {tt.tensor_kind = 0 : i32}, %o: memref<?xf32> {tt.tensor_kind = 1 : i32}' t.linalg
    ! grep 'scf.for' t.linalg || false
    tritcc -arch=ascend910_95 -emit=linalg -sig 'box(*fp32, *fp32, *i32, i32)' t.tri
    grep 'parallel_mode = "simd"' t.linalg
    tritcc -arch=ascend910b -emit=linalg -sig 'k(*fp32, *fp32, *i32, i32)' t.tri
    ! grep 'triton_indirect' t.linalg || false
    grep 'parallel_mode = "simd"' t.linalg
}

@test "text for Ascend is spelled as MLIR 19 does, and both spellings are read" {
    marks
    tritcc -arch=ascend910b -emit=linalg -sig '*fp32, *fp32, *fp32, *i32, *i32, i32' v.tri
    grep -E 'bufferization.to_tensor %[^ ]+ restrict writable : memref<64xf32>$' v.linalg
    grep -E 'bufferization.to_memref %[^ ]+ : memref<64xf32>' v.linalg
    ! grep 'bufferization.*to tensor' v.linalg || false
    tritcc -arch=ascend910b -x linalg -emit=linalg v.linalg -o 1.linalg
    tritcc -arch=linalg -x linalg -emit=linalg v.linalg -o 22.linalg
    grep -E 'bufferization.to_buffer %[^ ]+ : tensor<64xf32> to memref<64xf32>' 22.linalg
    tritcc -arch=ascend910b -x linalg -emit=linalg 22.linalg -o 2.linalg
    cmp 1.linalg 2.linalg
}

@test "tensors that do not fit an Ascend's memories are an error that names them, and where they are made" {
    cat >big.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def big(x_ptr, y_ptr, n, B: tl.constexpr):
    rows = tl.arange(0, B)[:, None] * n + tl.arange(0, B)[None, :]
    left = tl.load(x_ptr + rows)
    for i in range(4):
        right = tl.load(y_ptr + rows + i)
        scaled = tl.exp(right)
        left += scaled * right
    tl.store(x_ptr + rows, left)
TRI
    tritcc -1 -arch=ascend910b -emit=linalg -sig '*fp32, *fp32, i32, 128' big.tri
    [[ $errors == "big.tri:11:18: error: 'big' needs at least 262144 bytes of the unified buffer, which has 196608; the largest are 'right', 'left', 'scaled' [TRI-6003]"* ]]
    [[ $errors == *"big.tri:10:17: note: 131072 bytes for 'right', 128x128 elements of 32 bits, twice, for it is copied in a loop"* ]]
    [[ $errors == *"big.tri:8:12: note: 65536 bytes for 'left', 128x128 elements of 32 bits"* ]]
    [[ $errors == *"big.tri:11:18: note: 65536 bytes for 'scaled', 128x128 elements of 32 bits"* ]]
    [[ $errors == *"or -Xbishengir=--enable-auto-multi-buffer=false, with which it is 196608 bytes"* ]]
    tritcc -arch=ascend910b -emit=linalg -Xbishengir=--enable-auto-multi-buffer=false -sig '*fp32, *fp32, i32, 128' big.tri
    tritcc -arch=ascend910_95 -emit=linalg -sig '*fp32, *fp32, i32, 128' big.tri
    tritcc -arch=linalg -emit=linalg -sig '*fp32, *fp32, i32, 256' big.tri
    kernel
    tritcc -1 -arch=ascend910b -emit=linalg -sig '*fp32, *fp32, *fp32, i32, i32, i32, 256, 256, 256' k.tri
    [[ $errors == *"of L1 (operands of products), which has 524288; the largest are a block of 'a', a block of 'b' [TRI-6003]"* ]]
    [[ $errors == *"of L0C (sums of products), which has 131072; the largest is 'acc'"* ]]
}

compiler() { # a stub in the place of the vendor's compiler: checks what it is given, keeps a copy, makes code
    cat >bishengir-compile <<'S'
#!/bin/sh
[ -f "$1" ] && grep -q 'bufferization.to_tensor .* : memref<[^>]*>$' "$1" || { echo "not my dialect"; exit 3; }
cp "$1" given.mlir
echo "$@" >given.options
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
printf 'machine code' >"$out$1${EXTENSION-.o}"
S
    chmod +x bishengir-compile
}

@test "machine code for Ascend is made by the vendor's compiler, wherever that is" {
    kernel
    compiler
    local sig=(-sig "$signature")
    tritcc -arch=ascend910b -bishengir="$PWD/bishengir-compile" -emit=npubin "${sig[@]}" k.tri
    [ "$(cat k.npubin)" = "machine code" ]
    grep -e '--target=Ascend910B1 .*--enable-triton-kernel-compile=true --enable-auto-multi-buffer=true -o' given.options
    tritcc -arch=ascend910b -emit=linalg "${sig[@]}" k.tri
    cmp k.linalg given.mlir
    EXTENSION=_reloc.o PATH="$PWD:$PATH" tritcc -arch=ascend910_95 -emit=npubin=5.npubin -Xbishengir=--target=Ascend950PR \
        -Xbishengir=--tile-mix-cube-loop=2 "${sig[@]}" k.tri
    grep -e '--enable-auto-multi-buffer=false --target=Ascend950PR --tile-mix-cube-loop=2 -o' given.options
    ! grep Ascend910 given.options || false
    tritcc -arch=ascend910b -bishengir="$PWD/bishengir-compile" -emit=npubin=again.npubin k.linalg
    cmp k.npubin again.npubin
}

@test "without the vendor's compiler, and where it fails, the error says what was tried" {
    kernel
    tritcc -1 -arch=ascend910b -emit=npubin -sig "$signature" k.tri
    [[ $errors == *"cannot find 'bishengir-compile', which makes machine code for Ascend"*"-emit=linalg [TRI-7001]"* ]]
    tritcc -1 -arch=ascend910b -bishengir=/nowhere/b -emit=npubin -sig "$signature" k.tri
    [[ $errors == *"'-bishengir=/nowhere/b' is no program [TRI-7001]"* ]]
    printf '#!/bin/sh\necho ub overflow; exit 1\n' >fails
    chmod +x fails
    tritcc -1 -arch=ascend910b -bishengir="$PWD/fails" -emit=npubin -sig "$signature" k.tri
    [[ $errors == *"'bishengir-compile' made no code for 'ascend910b': ub overflow [TRI-7001]"*"the command was: "* ]]
    printf '#!/bin/sh\nkill -SEGV $$\n' >fails
    tritcc -1 -arch=ascend910b -bishengir="$PWD/fails" -emit=npubin -sig "$signature" k.tri
    [[ $errors == *"'bishengir-compile' was killed by signal 11"* ]]
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
    [[ $errors == p.tri:*"structured code cannot follow pointer 'p': it points into one of several arrays ('x', 'y')"* ]]
}

addresses() {
    cat >i.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(table, o, n):
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, 64)
    q = (o + i).to(tl.int64, bitcast=True).to(tl.pointer_type(tl.float32), bitcast=True)
    tl.store(q, tl.load(p + i, mask=i < n) + tl.load(p))
K
}

@test "arrays at addresses that are numbers are boxes, too; for Ascend as its converter casts them" {
    addresses
    tritcc -arch=linalg -emit=linalg -sig '*i64, *fp32, i32' i.tri
    grep 'func.func private @tritcc_memory_f32(i64) -> memref<?xf32>' i.linalg
    grep 'memref.reinterpret_cast .* sizes: \[64\]' i.linalg
    tritcc -arch=linalg -c -sig '*i64, *fp32, i32' i.tri
    tritcc -arch=ascend910b -emit=linalg -sig '*i64, *fp32, i32' i.tri
    grep -A1 '%[a-z0-9_]* = hivm.hir.pointer_cast(%[a-z0-9_]*) \[%c64\] : memref<?xf32>$' i.linalg >cast
    grep 'annotation.mark %[a-z0-9_]* {address_space = #hivm.address_space<gm>} : memref<?xf32>$' cast
    ! grep tritcc_memory i.linalg || false
}

@test "text with the vendor's casts from addresses is read, computes what the kernel does, and is written again" {
    cat >a.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x: "*fp32", y: "*bf16", o: "*fp32", n: "i32"):
    i = tl.arange(0, 16)
    p = (x.to(tl.int64, bitcast=True) + 4 * n).to(tl.pointer_type(tl.float32), bitcast=True)
    q = ((y + 2).to(tl.int64, bitcast=True) + 2 * n).to(tl.pointer_type(tl.bfloat16), bitcast=True)
    v = tl.load(p + 2 * i[:, None] + tl.arange(0, 2)[None, :])
    for j in range(n):
        p += 16
        v += tl.load(p + 2 * i[:, None] + tl.arange(0, 2)[None, :], mask=i[:, None] < 9, other=1.0)
    w = tl.load(q + i * i).to(tl.float32)
    tl.store(o + 2 * i[:, None] + tl.arange(0, 2)[None, :], v + w[:, None])
K
    arguments=(randn:f32:128:seed=1 randn:bf16:256:seed=2 o=zeros:f32:32 3)
    tritrun -arch=native -k k -o o=native.npy a.tri "${arguments[@]}"
    tritrun -arch=linalg -k k -expect=o=@native.npy a.tri "${arguments[@]}"
    tritcc -w -arch=ascend910b -emit=linalg -o 1.linalg a.tri
    [ "$(grep -c 'hivm.hir.pointer_cast' 1.linalg)" = 3 ]
    tritcc -arch=ascend910b -emit=linalg -o 2.linalg -x linalg 1.linalg
    tritcc -arch=ascend910b -emit=linalg -o 3.linalg -x linalg 2.linalg
    cmp 2.linalg 3.linalg
    [ "$(grep -c 'hivm.hir.pointer_cast' 2.linalg)" = 3 ]
    sed 's/#hivm.unlikely.*//' 1.linalg >host.linalg
    tritrun -arch=linalg -k k -expect=o=@native.npy host.linalg "${arguments[@]}"
}

@test "a pointer that is an array's or an integer's is an address in both cases" {
    cat >m.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(a: "*fp32", b: "*fp32", o: "*fp32", n: "i32"):
    i = tl.arange(0, 16)
    p = (b.to(tl.int64, bitcast=True) + 4 * n).to(tl.pointer_type(tl.float32), bitcast=True)
    q = p if n > 3 else a + 16
    r = tl.where(i < 7, p + i, a + i)
    s = a
    for j in range(n):
        s = s + 1 if j % 2 == 0 else p
    tl.store(o + i, tl.load(q + i) + tl.load(r) + tl.load(s + i))
K
    for n in 2 4 5; do
        arguments=(randn:f32:64:seed=1 randn:f32:64:seed=2 o=zeros:f32:16 $n)
        tritrun -arch=native -k k -o o=native.npy m.tri "${arguments[@]}"
        tritrun -arch=linalg -k k -expect=o=@native.npy m.tri "${arguments[@]}"
    done
    tritcc -arch=ascend910b -emit=linalg m.tri
    grep memref.extract_aligned_pointer_as_index m.linalg
}

@test "an array read as elements of another size has a form, and the host's numbers; for Ascend it is an error that names it" {
    cat >s.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, o, y):
    i = tl.arange(0, 16)
    halves = (x + 2).to(tl.pointer_type(tl.int16), bitcast=True)
    tl.store(o + i, tl.load(halves + i) + tl.load((x + i).to(tl.pointer_type(tl.int16), bitcast=True)))
    wide = tl.load(x.to(tl.pointer_type(tl.int64), bitcast=True) + i, mask=i < 7)
    tl.store((y + 2 * i).to(tl.pointer_type(tl.int64), bitcast=True), wide, mask=i < 7)
K
    for arch in native linalg; do
        tritrun -arch=$arch -o o=$arch.o.npy -o y=$arch.y.npy s.tri randn:f32:16:seed=1 o=zeros:i16:16 y=zeros:i32:32
    done
    cmp native.o.npy linalg.o.npy
    cmp native.y.npy linalg.y.npy
    tritcc -arch=linalg -emit=linalg -sig '*fp32, *i16, *i32' s.tri
    grep 'call @tritcc_memory_i16(%.*) : (i64) -> memref<?xi16>' s.linalg
    tritcc -1 -arch=ascend910b -emit=linalg -sig '*fp32, *i16, *i32' s.tri
    [[ $errors == *"it reads an array as elements of another size ('x')"* ]]
}

@test "a block pointer that no pass rewrote is a located error" {
    cat >b.ttir <<'T'
tt.func public @k(%p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %v = tt.load %b : !tt.ptr<tensor<16xf32>>
  tt.store %b, %v : !tt.ptr<tensor<16xf32>>
  tt.return
}
T
    tritcc -1 -passes=triton-to-unstructured b.ttir
    [[ $errors == b.ttir:4:8:*"it is a block pointer; run rewrite-tensor-pointer before"* ]]
}

@test "a pointer that a function returns is a located error" {
    cat >r.ttir <<'T'
tt.func @f(%p: !tt.ptr<f32>, %i: i32) -> !tt.ptr<f32> {
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  tt.return %q : !tt.ptr<f32>
}
T
    tritcc -1 -passes=triton-to-linalg r.ttir
    [[ $errors == r.ttir:3:3:*"it goes from one function to another"* ]]
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

@test "tritrun runs linalg text, and the text for Ascend, whose arrays in front are null" {
    arguments=(randn:f32:100:seed=1 randn:f32:100:seed=2 output_ptr=zeros:f32:100 100)
    tritrun -arch=native -grid=2 -o output_ptr=sum.npy "$EXAMPLES/vadd/vadd.tri" "${arguments[@]}" 64
    for arch in linalg ascend910b ascend910_95; do
        tritcc -arch=$arch -emit=linalg -o $arch.linalg -sig '*fp32, *fp32, *fp32, i32, 64' "$EXAMPLES/vadd/vadd.tri"
        tritrun -arch=linalg -grid=2 -expect='output_ptr=@sum.npy' $arch.linalg "${arguments[@]}"
    done
}
