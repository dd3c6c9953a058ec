# tritrun on kernels that take tensor descriptors: desc:BLOCK:ARRAY.
load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"

# tritrun [-STATUS] ARG...: as tritcc does.
tritrun() {
    TRITCC=$TRITRUN tritcc "$@"
}

write_kernels() {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def scale(src, dst, factor, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    dst.store([i, j], src.load([i, j]) * factor)


@triton.jit
def product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([i, k]), b.load([k, j]), acc)
    c.store([i, j], acc.to(c.dtype))


@triton.jit
def row_sums(src, out, B: tl.constexpr):
    x = src.load([tl.program_id(0), 0])
    tl.store(out + tl.program_id(0), tl.sum(x))


@triton.jit
def fill_tensor(d):
    d.store([0, 0], d.load([0, 0]))
END
}

scale() { # EXTRA...
    tritrun -k scale -grid=2,2 k.tri desc:8x16:arange:f32:10x20 desc:8x16:zeros:f32:10x20 2.0 8 16 "$@"
}

@test "descriptors reach the host and every simulated machine" {
    write_kernels
    scale -o dst=ref.npy -print dst -print-limit=4
    [[ $output == *" 0 2 4 6"* ]]
    for arch in sm_80 sm_90a sm_100a gfx942 pvc; do
        scale -arch=sim:$arch -expect dst=@ref.npy -rtol=0 -atol=0
    done
    scale -arch=linalg -expect dst=@ref.npy -rtol=0 -atol=0
    scale -check -bench
    [[ $output == *"median"* ]]
}

@test "descriptors of halves, products, and what lies outside of the array" {
    write_kernels
    args=(k.tri a=desc:64x32:randn:f16:100x72 b=desc:32x64:randn:f16:72x120 c=desc:64x64:zeros:f32:100x120 72 64 64 32)
    tritrun -k product -grid=2,2 "${args[@]}" -o c=ref.npy
    tritrun -k product -grid=2,2 -arch=sim:sm_90a "${args[@]}" -expect c=@ref.npy -rtol=1e-4 -atol=1e-4
    for arch in native sim:sm_90a; do
        tritrun -k row_sums -grid=2 -arch=$arch k.tri desc:1x32:ones:f32:2x20 zeros:f32:2 32 -print out
        [ "$(tail -n 1 .out)" = " 20 20" ]
        tritrun -k row_sums -grid=2 -arch=$arch k.tri desc:1x32,padding=nan:ones:f32:2x20 zeros:f32:2 32 -print out
        [ "$(tail -n 1 .out)" = " nan nan" ]
    done
}

@test "descriptors for objects and for what was compiled before" {
    write_kernels
    local types='scale(tensordesc<fp32[8,16]>, tensordesc<fp32[8,16]>, fp32, 8, 16)'
    local args=(-grid=2,2 desc:8x16:arange:f32:10x20 desc:8x16:zeros:f32:10x20 2.0)
    scale -o dst=ref.npy
    tritcc -c -o k.o -emit=ttir=host.ttir -arch=native -sig "$types" k.tri
    tritcc -emit=ttir=k.ttir,ttgir=k.ttgir -arch=sm_90a -sig "$types" k.tri
    tritrun k.o "${args[@]}" -expect dst=@ref.npy
    tritrun host.ttir "${args[@]}" -expect dst=@ref.npy
    tritrun k.ttir -arch=sim:sm_90a "${args[@]}" -expect dst=@ref.npy
    tritrun k.ttgir -arch=sim:sm_90a "${args[@]}" -expect dst=@ref.npy
    for file in k.o host.ttir; do
        tritrun -1 $file desc:8x8:zeros:f32:10x20 desc:8x16:zeros:f32:10x20 2.0
        [[ $errors == *"parameter 'src' is of type tensordesc<fp32[8, 16]>, and this argument of type tensordesc<fp32[8, 8]>"* ]]
        tritrun -1 $file desc:8x16:zeros:f16:10x20 desc:8x16:zeros:f32:10x20 2.0
        [[ $errors == *"this argument of type tensordesc<fp16[8, 16]>"* ]]
        tritrun -1 $file zeros:f32:10x20 desc:8x16:zeros:f32:10x20 2.0
        [[ $errors == *"takes a descriptor: desc:BLOCK:ARRAY"* ]]
        tritrun -1 $file desc:8x16:zeros:f32:10x20 desc:8x16:zeros:f32:10x20 desc:8:zeros:f32:8
        [[ $errors == *"parameter 'factor' of type fp32 takes a number"* ]]
    done
    # what GPUs take is not what the host's launchers give
    for words in "-c k.ttir" "-emit=asm k.ttir"; do
        tritcc -1 -arch=native $words
        [[ $errors == *"k.ttir:2:3: error: kernel 'scale' takes its descriptors in parts"* ]]
    done
    tritrun -1 k.ttir "${args[@]}"
    [[ $errors == *"takes its descriptors in parts"* ]]
}

@test "descriptors on a CUDA device are of the device's memory" {
    write_kernels
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    export LD_LIBRARY_PATH=$PWD/stub
    tritrun -arch=cuda -k fill_tensor k.tri desc:2x4:zeros:f32:2x4 -print d
    [ "$(tail -n 1 .out)" = " 4 5 6 7" ]
    tritrun -arch=cuda -k fill_tensor k.tri desc:2x4,padding=nan:zeros:f32:2x4 -print d
    [ "$(tail -n 1 .out)" = " 104 105 106 107" ]
}

@test "what is wrong with a descriptor is said" {
    write_kernels
    wrong() { # TEXT WORD: what tritrun says of this argument
        tritrun -2 -k fill_tensor k.tri "$2"
        [[ $errors == *"bad argument '$2': "*"$1"* ]]
    }
    wrong "expected a value" desc:8x16
    wrong "expected a value" desc:8x16:
    wrong "a descriptor is of a file or a generated array" desc:8x16:3
    wrong "a descriptor is of a file or a generated array" desc:8x16:desc:8x16:zeros:f32:8x16
    wrong "a descriptor is of a file or a generated array" desc:8x16:addr:a
    wrong "the block has 2 dimensions and the array 1" desc:8x16:zeros:f32:10
    wrong "padding=nan or padding=zero" desc:8x16,padding=inf:zeros:f32:10x10
    wrong "of 1 to 5 dimensions" desc:8x:zeros:f32:1x1
    wrong "of 1 to 5 dimensions" desc:1x1x1x1x1x1:zeros:f32:1x1x1x1x1x1
    wrong "a buffer is a file or a generated array" buf:a=desc:8:zeros:f32:8
    tritrun -1 -k scale k.tri zeros:f32:8x16 zeros:f32:8x16 2.0 8 16
    [[ $errors == *"has no attribute 'load'"*"tensor descriptors have it"*"desc:64x64:ARRAY for tritrun"* ]]
    tritrun -1 -k scale k.tri
    [[ $errors == *"for example: src=desc:64x64:randn:f32:256x256 dst=desc:64x64:randn:f32:256x256 factor=1.0 BM=64 BN=64"* ]]
}
