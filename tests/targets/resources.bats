# --resource-usage and the limits of the machine.
load ../helpers

VADD=(-k add_kernel -sig '*fp32:16, *fp32:16, *fp32:16, i32:16, 1024' "$EXAMPLES/vadd/vadd.tri")
MATMUL=$SRCDIR/tests/exec/matmul.tri

half() { # BLOCK_M BLOCK_N BLOCK_K ARG...: a product of f16
    local sizes=$1,$2,$3
    shift 3
    tritcc "$@" -sig "matmul_half(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, $sizes)" "$MATMUL"
}

@test "--resource-usage says what a kernel takes of the machine" {
    need ptxas
    half 128 128 32 -arch=sm_80 --resource-usage -emit=ptx=k.ptx,json=k.json
    grep -Eq '^matmul_half, sm_80: 4 warps, 3 stages$' .err
    grep -Eq '^  registers  [1-9][0-9]+ per thread, 0 bytes spilled$' .err
    grep -Eq '^  shared     [1-9][0-9]+ of 166912 bytes$' .err
    grep -Eq '^  barriers   1$' .err
    grep -Eq '^  occupancy  12 %: 2 blocks per multiprocessor, limited by registers$' .err
    grep -Eq '"occupancy_percent": 12' k.json
    grep -Eq '"registers": [1-9]' k.json
}

@test "occupancy follows from the architecture's own limits" {
    need ptxas
    tritcc -arch=sm_90 --resource-usage -emit=cubin=k.cubin "${VADD[@]}"
    grep -q 'occupancy  100 %: 16 blocks per multiprocessor, limited by warps' .err
    tritcc -arch=sm_86 --resource-usage -emit=cubin=k.cubin "${VADD[@]}"
    grep -q 'occupancy  100 %: 12 blocks per multiprocessor, limited by warps' .err
    tritcc -arch=sm_86 --resource-usage -num-warps=1 -emit=cubin=k.cubin "${VADD[@]}"
    grep -q 'occupancy  33 %: 16 blocks per multiprocessor, limited by blocks' .err
    half 128 256 64 -arch=sm_90 -num-warps=8 --resource-usage -emit=cubin=k.cubin
    grep -q 'limited by shared memory' .err || grep -q 'limited by registers' .err
}

# The words of a ptxas, with a function in between, a kernel of another name and figures that only the text gives.
fake_ptxas() { # KERNEL REGISTERS SPILLED
    mkdir -p toolkit/bin
    cat >toolkit/bin/ptxas <<END
#!/bin/sh
cat >&2 <<'TEXT'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Function properties for other
    0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 99 registers, used 0 barriers, 352 bytes cmem[0]
ptxas info    : Compile time = 9.999 ms
ptxas info    : Function properties for helper
    16 bytes stack frame, 77 bytes spill stores, 77 bytes spill loads
ptxas info    : Compiling entry function '$1' for 'sm_90'
ptxas info    : Function properties for $1
    24 bytes stack frame, $3 bytes spill stores, 36 bytes spill loads
ptxas info    : Used $2 registers, used 1 barriers, 376 bytes cmem[0]
ptxas info    : Compile time = 17.716 ms
ptxas info    : Function properties for helper
    16 bytes stack frame, 78 bytes spill stores, 78 bytes spill loads
TEXT
while [ "\$1" != -o ]; do shift; done
echo code >"\$2"
END
    chmod +x toolkit/bin/ptxas
}

@test "the words of ptxas are understood" {
    fake_ptxas add_kernel 168 12
    tritcc -arch=sm_90 --resource-usage --cuda-path=toolkit -emit=ptx=k.ptx,json=k.json "${VADD[@]}"
    grep -qx 'add_kernel, sm_90: 4 warps, 3 stages' .err
    grep -qx '  registers  168 per thread, 12 bytes spilled' .err
    grep -qx '  shared     0 of 232448 bytes' .err
    grep -qx '  occupancy  18 %: 3 blocks per multiprocessor, limited by registers' .err
    [ "$(wc -l <.err)" -eq 5 ]
    grep -q '"registers": 168,' k.json
    grep -q '"spill_bytes": 12,' k.json
    grep -q '"blocks_per_multiprocessor": 3,' k.json
    fake_ptxas add_kernel 24 0
    tritcc -arch=sm_86 --resource-usage --cuda-path=toolkit -emit=cubin=k.cubin "${VADD[@]}"
    grep -qx '  registers  24 per thread, 0 bytes spilled' .err
    grep -qx '  occupancy  100 %: 12 blocks per multiprocessor, limited by warps' .err
    [ "$(cat k.cubin)" = code ]
}

@test "figures that ptxas does not give stay unknown" {
    fake_ptxas somebody 168 12
    tritcc -arch=sm_90 --resource-usage --cuda-path=toolkit -emit=ptx=k.ptx "${VADD[@]}"
    grep -qx '  registers  not known without ptxas' .err
}

@test "registers stay unknown without ptxas" {
    mkdir empty
    tritcc -arch=sm_90 --resource-usage --cuda-path=empty -emit=json=k.json,ptx=k.ptx "${VADD[@]}"
    grep -qx '  registers  not known without ptxas' .err
    grep -qx '  occupancy  at most 100 %: 16 blocks per multiprocessor, limited by warps' .err
    grep -q '"registers": null' k.json
    grep -q '"occupancy_percent": null' k.json
}

@test "kernels of one file have figures of their own" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({}, num_warps=2, maxnreg=40)], key=[])
@triton.jit
def a(p, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 1.0)


@triton.autotune(configs=[triton.Config({}, maxnreg=80)], key=[])
@triton.jit
def b(p, B: tl.constexpr):
    tl.store(p, tl.sum(tl.load(p + tl.arange(0, B))))
K
    mkdir empty
    tritcc -arch=sm_80 -num-warps=4 --resource-usage --cuda-path=empty -emit=ptx=k.ptx -sig 'a(*fp32:16, 128)' -sig 'b(*fp32:16, 1024)' k.tri
    [ "$(grep -c '^[ab], sm_80: 4 warps' .err)" -eq 2 ]
    grep -A2 '^a,' .err | grep -qx '  shared     0 of 166912 bytes'
    grep -A2 '^b,' .err | grep -qx '  shared     16 of 166912 bytes'
    [ "$(grep '^.maxnreg' k.ptx | tr '\n' ' ')" = '.maxnreg 40 .maxnreg 80 ' ]
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -sig 'a(*fp32:16, 128)' -sig 'b(*fp32:16, 1024)' k.tri
    [[ $errors == *"k.tri:13:1: error: 'b' asks for -num-warps=4 and 'a' for 2; compile them apart (-k), or give -num-warps [TRI-6004]"* ]]
    tritcc -arch=sm_80 -emit=ptx=k.ptx -num-warps=8 -sig 'a(*fp32:16, 128)' -sig 'b(*fp32:16, 1024)' k.tri
    tritcc -arch=sm_80 -emit=ptx=k.ptx -k b -sig 'b(*fp32:16, 1024)' k.tri
}

@test "a target without such figures says so" {
    tritcc -arch=native --resource-usage -emit=asm=k.s "${VADD[@]}"
    grep -q '^add_kernel, .*: nothing is counted for this target' .err
}

@test "too much shared memory: which source lines fill it, the largest first, and what helps" {
    tritcc -1 -arch=sm_89 -num-stages=4 -emit=ptx=k.ptx \
        -sig 'matmul_half(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 256, 64)' "$MATMUL"
    [ ! -e k.ptx ]
    grep -E 'error|note' .err | sed 's/^.*matmul.tri/matmul.tri/' >messages
    [ "$(sed -n 1p messages)" = "matmul.tri:43:1: error: 'matmul_half' needs 147456 bytes of shared memory; the target has 101376 [TRI-6003]" ]
    [ "$(sed -n 2p messages)" = "matmul.tri:50:13: note: 98304 bytes for 3 blocks of 64x256 elements of 16 bits, which are loaded ahead" ]
    [ "$(sed -n 3p messages)" = "matmul.tri:49:13: note: 49152 bytes for 3 blocks of 128x64 elements of 16 bits, which are loaded ahead" ]
    grep -q 'each stage takes 49152 bytes: 1 fewer would fit (-num-stages=N' .err
    tritcc -arch=sm_89 -num-stages=3 -emit=ptx=k.ptx \
        -sig 'matmul_half(*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 256, 64)' "$MATMUL"
}

@test "too many registers for the block, from the command line or the source" {
    tritcc -1 -arch=sm_80 -maxnreg=128 -num-warps=32 -emit=ptx=k.ptx "${VADD[@]}"
    [[ $errors == *"vadd.tri:"*"error: 128 registers per thread are too many: with 32 warps 'sm_80' has 64; use -maxnreg=64 [TRI-6003]"* ]]
    tritcc -arch=sm_80 -maxnreg=64 -num-warps=32 -emit=ptx=- "${VADD[@]}"
    [[ $output == *".maxnreg 64"* ]]
    tritcc -1 -arch=sm_80 -maxnreg=256 -emit=ptx=k.ptx "${VADD[@]}"
    [[ $errors == *"'sm_80' has 255; use -maxnreg=255"* ]]
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": 64}, maxnreg=40)], key=[])
@triton.jit
def k(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, i)
K
    tritcc -arch=sm_80 -emit=ptx=- -sig 'k(*i32)' k.tri
    [[ $output == *".maxnreg 40"* ]]
}

@test "too many elements in a block" {
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, N: tl.constexpr):\n    i = tl.arange(0, N)\n    tl.store(p + i, i)\n' >k.tri
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -sig 'k(*i32, 2097152)' k.tri
    [[ $errors == *"k.tri:7:9: error: the shape [2097152] has more than 1048576 elements"* ]]
}

@test "too many threads in a block" {
    printf 'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 64 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {\n  tt.func public @k() {\n    tt.return\n  }\n}\n' >k.ttgir
    tritcc -1 -arch=sm_80 -emit=llir=k.ll k.ttgir
    [[ $errors == *"k.ttgir:2:3: error: 64 warps are 2048 threads; 'sm_80' allows 1024 in a block"*"[TRI-6003]"* ]]
    tritcc -1 -arch=sm_80 -num-warps=64 -emit=ptx=k.ptx "${VADD[@]}"
    [[ $errors == *"error: 64 warps are 2048 threads; 'sm_80' allows 1024 in a block [TRI-6003]"* ]]
}

@test "clusters of blocks: from the command line or the source" {
    for arch in sm_80 sm_89; do
        tritcc -1 -arch=$arch -num-ctas=2 -emit=ptx=k.ptx "${VADD[@]}"
        [[ $errors == *"vadd.tri:18:1: error: clusters of 2 blocks cannot be lowered for '$arch'; use -num-ctas=1 [TRI-6002]"* ]]
        [ ! -e k.ptx ]
    done
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": 64}, num_ctas=4)], key=[])
@triton.jit
def k(p, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, i)
K
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -sig 'k(*i32)' k.tri
    [[ $errors == *"k.tri:7:1: error: clusters of 4 blocks cannot be lowered for 'sm_80'; use -num-ctas=1"* ]]
    tritcc -arch=sm_80 -num-ctas=1 -emit=ptx=k.ptx -sig 'k(*i32)' k.tri
    tritcc -arch=sm_90a -emit=ptx=k.ptx,json=k.json -sig 'k(*i32)' k.tri
    grep -q '.reqnctapercluster 4, 1, 1' k.ptx
    grep -q '"num_ctas": 4' k.json
}

@test "the record says whether a kernel waits for the one before it" {
    printf 'tt.func public @k() {\n  tt.grid_dependency_wait\n  tt.return\n}\n' >k.ttir
    tritcc -arch=sm_90 -emit=json=k.json k.ttir
    grep -q '"dependent_launch": true' k.json
    tritcc -arch=sm_90 -emit=json=k.json "${VADD[@]}"
    grep -q '"dependent_launch": false' k.json
}

@test "of several kernels each says for itself whether it waits, and which barriers it uses" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit(noinline=True)
def wait(x):
    tl.extra.cuda.gdc_wait()
    return x + 1


@triton.jit
def by_call(p, n):
    tl.store(p, wait(n))


@triton.jit
def plain(p, n):
    tl.store(p, n)


@triton.jit
def directly(p, n):
    tl.extra.cuda.gdc_wait()
    tl.store(p, n)


@triton.jit
def sums(p, n):
    tl.store(p, tl.sum(tl.load(p + tl.arange(0, 1024)), 0))
K
    for k in by_call plain directly sums; do sigs+=(-sig "$k(*i32, i32)"); done
    tritcc -arch=sm_90 -emit=json=k.json -emit=ptx=k.ptx "${sigs[@]}" k.tri
    [ "$(sed -n 's/.*"dependent_launch": \([a-z]*\).*/\1/p' k.json | tr '\n' ' ')" = "true false true false " ]
    [ "$(sed -n 's/.*"barriers": \([0-9]*\).*/\1/p' k.json | tr '\n' ' ')" = "0 0 0 1 " ]
}
