#!/usr/bin/env bats
# PTX and cubins: architectures, tools, facts that travel with the text, line directives.
load ../helpers

kernel='tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %nn = tt.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<256xi32>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %a = tt.addptr %b, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %a, %m : tensor<256x!tt.ptr<f32>>
  %y = FUNCTION %x : tensor<256xf32>
  %d = tt.splat %q : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %c = tt.addptr %d, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %c, %y, %m : tensor<256x!tt.ptr<f32>>
  tt.return
}'

write_kernel() { printf '%s\n' "${kernel/FUNCTION/$1}" >k.ttir; }

ptxas_folder() {
    local tool
    tool=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
    [ -x "$tool" ] || skip "no ptxas"
    dirname "$tool"
}

@test "every architecture gives PTX for itself" {
    write_kernel math.exp
    for arch in sm_80 sm_86 sm_89 sm_90 sm_90a sm_100a sm_120a; do
        tritcc -arch=$arch -emit=ptx=k.ptx k.ttir
        grep -qx "\.target $arch" k.ptx
        grep -q '\.visible \.entry copy(' k.ptx
    done
}

@test "ptxas accepts the PTX of every architecture, and its numbers reach the json" {
    need ptxas
    export PATH=$(ptxas_folder):$PATH
    write_kernel math.exp
    for arch in sm_80 sm_86 sm_89 sm_90 sm_90a sm_100a sm_120a; do
        tritcc -arch=$arch -emit=cubin=k.cubin,json=k.json k.ttir
        [ "$(head -c 4 k.cubin | tail -c 3)" = ELF ]
        grep -Eq '"registers": *[1-9]' k.json
    done
}

# fake_ptxas SCRIPT: a toolkit folder whose ptxas is this shell script.
fake_ptxas() {
    mkdir -p toolkit/bin
    printf '#!/bin/sh\n%s\n' "$1" >toolkit/bin/ptxas
    chmod +x toolkit/bin/ptxas
}

@test "a ptxas that is killed is named with its signal and command" {
    write_kernel math.exp
    fake_ptxas 'kill -KILL $$'
    tritcc -1 --cuda-path=toolkit -arch=sm_80 -emit=cubin=k.cubin k.ttir
    [[ $errors == *"'ptxas' was killed by signal 9"* ]]
    [[ $errors == *"the command was: "*"/ptxas -arch=sm_80"* ]]
    [ ! -e k.cubin ]
}

@test "a ptxas that fails is named with its status and words" {
    write_kernel math.exp
    fake_ptxas 'echo out of luck; exit 3'
    tritcc -1 --cuda-path=toolkit -arch=sm_80 -emit=cubin=k.cubin k.ttir
    [[ $errors == *"'ptxas' ended with status 3: out of luck"* ]]
}

@test "llir gives the same PTX as the straight run" {
    write_kernel math.exp
    tritcc -arch=sm_90a -emit=ptx=a.ptx,llir=k.ll k.ttir
    tritcc -arch=sm_90a -emit=ptx=b.ptx k.ll
    cmp a.ptx b.ptx
    grep -q '^// tritcc.kernel {name = "copy"' a.ptx
}

@test "simple math needs no libdevice" {
    mkdir empty
    for f in math.exp math.exp2 math.log math.log2 math.sin math.cos math.sqrt math.rsqrt math.absf math.floor; do
        write_kernel $f
        tritcc --cuda-path=empty -arch=sm_80 -emit=ptx=k.ptx k.ttir
    done
}

@test "a missing libdevice is an error that names the function" {
    mkdir empty
    write_kernel math.erf
    tritcc -1 --cuda-path=empty -arch=sm_80 -emit=ptx=k.ptx k.ttir
    [[ $errors == *"the kernel calls '__nv_erff', which needs libdevice.10.bc"* ]]
    [ ! -e k.ptx ]
}

@test "what a kernel calls of libdevice is linked in, and nothing else" {
    folder=$(ptxas_folder)/..
    [ -e "$folder/nvvm/libdevice/libdevice.10.bc" ] || skip "no libdevice"
    write_kernel math.erf
    tritcc --cuda-path="$folder" -arch=sm_80 -emit=ptx=k.ptx k.ttir
    ! grep -q __nv_ k.ptx || false
    [ "$(grep -c '\.func' k.ptx)" -eq 0 ]
}

@test "line directives name the source and nothing makes it a debug build" {
    write_kernel math.exp
    tritcc -arch=sm_80 -lineinfo -emit=ptx=k.ptx k.ttir
    grep -q '\.file.*k\.ttir' k.ptx
    grep -Eq '\.loc[[:space:]]+[0-9]+ 7 ' k.ptx
    ! grep -q '^\.target.*debug\|debug_info' k.ptx || false
    tritcc -arch=sm_80 -g -emit=ptx=k.ptx k.ttir
    grep -q '\.target sm_80, debug' k.ptx
}

@test "an unknown architecture is answered with the nearest" {
    write_kernel math.exp
    tritcc -2 -arch=sm_81 -emit=ptx=k.ptx k.ttir || tritcc -1 -arch=sm_81 -emit=ptx=k.ptx k.ttir
    [[ $errors == *"unknown architecture 'sm_81'; did you mean 'sm_80'?"* ]]
}

@test "products and sums are contracted, unless -fno-fp-fusion, as Triton does" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(p, q, r, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(p + i)
    y = tl.load(q + i)
    tl.store(r + i, x * y + 1.5)
    tl.store(r + B + i, 2.5 - x * y)
    tl.store(r + 2 * B + i, tl.fma(x, y, x))
END
    count() { grep -c "	$1\.rn\.$bits[ 	]" k.ptx || true; }
    for type in fp32 fp64 fp16 bf16; do
        bits=${type/fp/f}
        tritcc -arch=sm_90a -emit=ptx=k.ptx -sig "k(*$type:16, *$type:16, *$type:16, 128)" k.tri
        [ "$(count fma) $(count mul) $(count add) $(count sub)" = '3 0 0 0' ]
        tritcc -arch=sm_90a -fno-fp-fusion -emit=ptx=k.ptx -sig "k(*$type:16, *$type:16, *$type:16, 128)" k.tri
        [ "$(count fma) $(count mul) $(count add) $(count sub)" = '1 1 1 1' ] # tl.fma stays one
    done
}

@test "ptxas does not contract either with -fno-fp-fusion" {
    write_kernel math.exp
    fake_ptxas 'for a; do echo "$a" >>"$0.log"; done; while [ "$1" != -o ]; do shift; done; echo code >"$2"'
    tritcc --cuda-path=toolkit -arch=sm_80 -fno-fp-fusion -emit=cubin=k.cubin k.ttir
    grep -qx -e -fmad=false toolkit/bin/ptxas.log
    rm toolkit/bin/ptxas.log
    tritcc --cuda-path=toolkit -arch=sm_80 -emit=cubin=k.cubin k.ttir
    ! grep -q fmad toolkit/bin/ptxas.log || false
    grep -qx -e -O3 toolkit/bin/ptxas.log
}

# assembly TEXT CONSTRAINTS: a kernel with this inline assembly of one operand.
assembly() {
    cat >asm.tri <<K
import triton
import triton.language as tl


@triton.jit
def k(p, N: tl.constexpr):
    o = p + tl.arange(0, N)
    x = tl.load(o)
    tl.store(o, tl.inline_asm_elementwise("$1", "$2", [x], dtype=tl.int32, is_pure=True, pack=1))
K
}

@test "inline assembly whose constraints or operands are wrong is an error at its line" {
    local row
    for row in 'mov.b32 \$0, \$7;|=r,r' 'mov.b32 \$0, \${9:x};|=r,r' 'mov.b32 \$0, \$1;|=r' 'mov.b32 \$0, \$1;|=r,r,r' \
        'mov.b32 \$0, \$1;|r,r' 'mov.b32 \$0, \$1;|=r,' 'mov.b32 \$0, \$1;|nonsense' 'mov.b32 \$0, \$x;|=r,r' 'mov.b32 \$0, \$|=r,r' \
        'mov.b32 \$0, \$1;|' 'mov.b32 \$0, \$1;|=r,{' 'mov.b32 \$0, \$1;|=r,9' 'mov.b32 \$0, \$1;|=Q,r' 'mov.b32 \$0, \$99999999999;|=r,r'; do
        eval "text=\"${row%%|*}\""
        assembly "$text" "${row#*|}"
        for arch in sm_80 sm_90a; do
            tritcc -1 -arch=$arch -sig '*i32, 128' -emit=ptx asm.tri
            [[ $errors == asm.tri:* ]]
            [[ $errors != *"internal error"* ]]
        done
    done
    assembly 'mov.b32 $0, $1; // $$' '=r,r,~{memory}'
    tritcc -arch=sm_80 -sig '*i32, 128' -emit=ptx asm.tri
}

@test "-fno-reflect-ftz: exp2 keeps subnormal numbers" {
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(p):' '    tl.store(p, tl.exp2(tl.load(p)))' >k.tri
    tritcc -arch=sm_80 -sig '*fp32' -S -o k.ptx k.tri
    grep -q 'ex2.approx.ftz.f32' k.ptx
    tritcc -arch=sm_80 -sig '*fp32' -fno-reflect-ftz -S -o k.ptx k.tri
    grep -q 'ex2.approx.f32' k.ptx
}

@test "-femit-upstream: atomics are 'atom', also where nobody reads what they give" {
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(p, x):' \
        '    tl.atomic_add(p, x, sem="relaxed")' '    tl.atomic_max(p + 1, 2.0, sem="release")' >k.tri
    tritcc -arch=sm_90a -sig '*fp32, fp32' -S -o k.ptx k.tri
    grep -q 'red.global.gpu.relaxed.add.f32' k.ptx
    tritcc -arch=sm_90a -sig '*fp32, fp32' -S -femit-upstream=3.6 -o k.ptx k.tri
    grep -q 'atom.global.gpu.relaxed.add.f32' k.ptx
    grep -q 'atom.global.gpu.release' k.ptx
    local found=0
    grep -q '\bred\.' k.ptx || found=1
    [ "$found" = 1 ]
}

@test "-fno-reflect-ftz: libdevice keeps subnormal numbers" {
    need libdevice
    cat >k.tri <<'KERNEL'
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def k(p):
    tl.store(p, libdevice.tanh(tl.load(p)))
KERNEL
    tritcc -arch=sm_80 -sig '*fp32' -emit=llir=k.ll k.tri
    grep -q '"nvvm-reflect-ftz", i32 1' k.ll
    tritcc -arch=sm_80 -sig '*fp32' -fno-reflect-ftz -emit=llir=k.ll k.tri
    grep -q '"nvvm-reflect-ftz", i32 0' k.ll
}

@test "descriptors' minimum and maximum of 16-bit floats: vectors, pairs and single elements" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, y, o, M, N, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :]
    d = tl.make_tensor_descriptor(o, [M, N], [N, 1], [B, C])
    d.atomic_min([A, A], tl.load(x + i))
    d.atomic_max([0, 0], tl.load(y + i))
@triton.jit
def plain(x, y, o, M, N, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, B)[:, None]
    j = tl.arange(0, C)[None, :]
    at = o + (i + A) * N + j + A
    inside = (i + A < M) & (j + A < N)
    tl.store(at, tl.minimum(tl.load(at, mask=inside), tl.load(x + i * C + j)), mask=inside)
    tl.debug_barrier()
    at = o + i * N + j
    inside = (i < M) & (j < N)
    tl.store(at, tl.maximum(tl.load(at, mask=inside), tl.load(y + i * C + j)), mask=inside)
K
    local type n shift
    for type in f16 bf16; do
        for n in 32 37 38; do
            for shift in 0 8; do
                set -- "randn:$type:16x32:seed=1" "randn:$type:16x32:seed=2" "randn:$type:16x$n:seed=3" 16 $n $shift 16 32
                "$BUILDDIR/tritrun" -arch="$HOST_ARCH" -k plain k.tri "$@" -o o=want.npy
                "$BUILDDIR/tritrun" -arch=sim:sm_90a -k k k.tri "$@" -expect=o=@want.npy -rtol=0 -atol=0
            done
        done
    done
    tritcc k.tri -k k -arch=sm_90a -sig '*bf16:16, *bf16:16, *bf16:16, i32:16, i32:16, 0, 16, 64' -num-warps=1 -S -o k.ptx
    grep -q 'red.global.gpu.release.min.noftz.v4.bf16x2' k.ptx
    tritcc k.tri -k k -arch=sm_90a -sig '*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, 0, 16, 16' -S -o k.ptx
    grep -q 'red.global.gpu.release.max.noftz.v2.f16 ' k.ptx
    tritcc -1 k.tri -k k -arch=sm_80 -sig '*fp16, *fp16, *fp16, i32, i32, 0, 16, 16' -S -o k.ptx
    [[ $errors == *"k.tri:7:5: error: this atomic does not support elements of type 'fp16' [TRI-3012]"* ]]
}
