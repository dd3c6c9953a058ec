load ../helpers

vadd=("$EXAMPLES/vadd/vadd.tri" -sig '*fp32:16, *fp32:16, *fp32:16, i32' -DBLOCK_SIZE=1024)

# same_from KIND...: each stage of vadd, as text, leads to the bytes of a compilation in one go.
same_from() {
    local arch=$1 final=$2 kind types
    shift 2
    tritcc "${vadd[@]}" -arch="$arch" -emit="$final=straight"
    for kind; do
        tritcc "${vadd[@]}" -arch="$arch" -emit="$kind=stage"
        types=("${vadd[@]:1}")
        [ "$kind" = ast ] || types=()
        tritcc -x "$kind" stage "${types[@]}" -arch="$arch" -emit="$final=again"
        cmp straight again
    done
}

@test "every stage to PTX continues from its text" {
    same_from sm_90a ptx ast ttir ttgir llir
    same_from sm_80 ptx ast ttir ttgir llir
}

@test "every stage to SPIR-V continues from its text" {
    same_from spirv64 spirv ast ttir ttgir llir spvasm
}

@test "every stage to an object continues from its text" {
    same_from x86-64-v3 obj ast ttir llir asm
}

@test "a cubin from PTX is the cubin of a straight run" {
    need ptxas
    same_from sm_90a cubin ast ttir ttgir llir ptx
}

@test "stages with line information continue from their text" {
    local kind types
    tritcc "${vadd[@]}" -arch=sm_90a -lineinfo -emit=ptx=straight
    for kind in ast ttir ttgir llir; do
        tritcc "${vadd[@]}" -arch=sm_90a -lineinfo -emit="$kind=stage"
        types=("${vadd[@]:1}")
        [ "$kind" = ast ] || types=()
        tritcc -x "$kind" stage "${types[@]}" -arch=sm_90a -lineinfo -emit=ptx=again
        cmp straight again
    done
}

@test "an intermediate text knows its architecture" {
    tritcc "${vadd[@]}" -arch=sm_90a -emit=ttgir=k.ttgir,ptx=k.ptx
    tritcc k.ttgir -emit=ptx=l.ptx
    grep -q '^.target sm_90' l.ptx
    tritcc -### k.ptx -emit=json=x
    [[ $errors == *"for sm_90a"* ]]
}

@test "ttgir of a machine without code is no code of another one" {
    tritcc -arch=sm_80 -emit=ttgir=v.ttgir -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
    says() { # TARGET TEXT
        sed "s/cuda:80/$1/" v.ttgir >other.ttgir
        for kind in ptx llir obj ttgir; do
            tritcc -1 -emit=$kind=out other.ttgir
            [[ $errors == "other.ttgir:"*": error: "*"ttg.target = \"$1\""*"[TRI-5012]"* && $errors == *"$2"* ]]
            [ ! -e out ]
        done
        tritcc -arch=sm_80 -emit=ptx=out other.ttgir # it is said which
        rm out
    }
    says metal:3 "no machine is known"
    says cpu:x "no machine is known"
    says cuda:banana "no machine is known"
    says cuda:75 "is refused: it is older than sm_80"
    says cuda:87 "-arch=sm_86 takes it for another machine"
    says cuda:121 "-arch=sm_120a takes it for another machine"
    sed "s/ttg.target = .cuda:80./ttg.target = \"xpu\", ttig.min_sg_size = 16 : i32, ttig.support_subgroup_matrix_multiply_accumulate/" \
        v.ttgir | sed 's/"ttg.threads-per-warp" = 32/"ttg.threads-per-warp" = 16/; s/threadsPerWarp = .32./threadsPerWarp = [16]/' >xpu.ttgir
    tritcc -emit=spvasm=out xpu.ttgir
    grep -q OpEntryPoint out
}

@test "several kinds in one run are those of single runs" {
    local kind
    tritcc "${vadd[@]}" -arch=sm_80 -emit=ast=1.ast,ttir=1.ttir,ttgir=1.ttgir,llir=1.llir,ptx=1.ptx,json=1.json
    for kind in ast ttir ttgir llir ptx json; do
        tritcc "${vadd[@]}" -arch=sm_80 -emit="$kind=2"
        cmp "1.$kind" 2
    done
}

@test "-S writes the text of the target" {
    tritcc "${vadd[@]}" -arch=sm_80 -S -o -
    [[ $output == *".target sm_80"* ]]
    tritcc "${vadd[@]}" -arch=spirv64 -S
    grep -q OpEntryPoint vadd.spvasm
    tritcc "${vadd[@]}" -arch=native -S
    [ -s vadd.s ]
}

@test "-c and no option at all write an object and, when asked, its header" {
    tritcc "${vadd[@]}"
    cp vadd.o first.o
    tritcc "${vadd[@]}" -c
    cmp first.o vadd.o
    mkdir out
    tritcc "${vadd[@]}" -c -emit=header -o out/k.o
    [ -s out/k.o ] && grep -q 'int add_kernel(' out/k.h
}

@test "-save-temps keeps every stage on the way" {
    tritcc "${vadd[@]}" -arch=sm_80 -S -save-temps=temps
    [ "$(ls temps | tr '\n' ' ')" = "vadd.ast vadd.ll vadd.ttgir vadd.ttir " ]
    tritcc -arch=sm_80 -S -o again.ptx temps/vadd.ttgir
    cmp vadd.ptx again.ptx
    tritcc "${vadd[@]}" -arch=sm_80 -S -save-temps
    [ -s vadd.ttir ]
}

@test "the same input gives the same bytes anywhere and at any time" {
    mkdir other
    cp "$EXAMPLES/vadd/vadd.tri" .
    cp "$EXAMPLES/vadd/vadd.tri" other
    touch -d 2001-01-01 other/vadd.tri
    args=(-sig '*fp32:16, *fp32:16, *fp32:16, i32' -DBLOCK_SIZE=1024)
    tritcc vadd.tri "${args[@]}" -arch=sm_90a -emit=ast=1.ast,ttir=1.ttir,ptx=1.ptx
    tritcc vadd.tri "${args[@]}" -arch=x86-64-v3 -emit=obj=1.o,header=1.h,json=1.json
    (
        cd other
        export LC_ALL=C.UTF-8 HOME=/nonexistent USER=x TZ=Asia/Tokyo SOURCE_DATE_EPOCH=1
        tritcc vadd.tri "${args[@]}" -arch=x86-64-v3 -emit=json=../2.json,header=../2.h,obj=../2.o
        tritcc vadd.tri "${args[@]}" -arch=sm_90a -emit=ptx=../2.ptx,ttir=../2.ttir,ast=../2.ast
    )
    for kind in ast ttir ptx o h json; do
        cmp "1.$kind" "2.$kind"
    done
}

@test "a cubin with line numbers or debug information holds no time, and no random name" {
    need ptxas
    cp "$EXAMPLES/vadd/vadd.tri" .
    for debug in -lineinfo -g; do
        touch -d 2001-01-01 vadd.tri
        tritcc vadd.tri "${vadd[@]:1}" -arch=sm_90a $debug -emit=ptx=k.ptx,cubin=1.cubin
        touch -d 2020-01-01 vadd.tri
        tritcc vadd.tri "${vadd[@]:1}" -arch=sm_90a $debug -emit=cubin=2.cubin
        cmp 1.cubin 2.cubin
        mkdir -p empty
        (cd empty && tritcc ../k.ptx -arch=sm_90a $debug -emit=cubin=../3.cubin)
        cmp 1.cubin 3.cubin
        ! grep -a tritcc- 1.cubin || false
    done
}

@test "any file name does for line numbers" {
    need ptxas
    for name in 'a"b.tri' $'a\nb.tri' 'a\b.tri' "a'b.tri" $'a\x1bb.tri'; do
        cp "$EXAMPLES/vadd/vadd.tri" "$name"
        for debug in -lineinfo -g; do
            tritcc "$name" "${vadd[@]:1}" -arch=sm_80 $debug -emit=cubin=k.cubin
        done
    done
}

@test "code for the host is the same whether a GPU's was made before it" {
    need ptxas
    tritcc "${vadd[@]}" -arch=sm_90a -emit=obj=1.o
    tritcc "${vadd[@]}" -arch=sm_90a -emit=ptx=k.ptx,obj=2.o
    cmp 1.o 2.o
}

@test "nothing of the environment and no other program is needed" {
    need strace
    local environment=(env -i ${ASAN_OPTIONS+"ASAN_OPTIONS=$ASAN_OPTIONS"})
    "${environment[@]}" strace -f -e trace=execve -o trace "$TRITCC" "${vadd[@]}" -arch=sm_80 -emit=ptx=k.ptx
    "${environment[@]}" strace -f -e trace=execve -o trace2 "$TRITCC" "${vadd[@]}" -arch=x86-64 -c
    [ "$(grep -c execve trace)" -eq 1 ]
    [ "$(grep -c execve trace2)" -eq 1 ]
    [ -s k.ptx ] && [ -s vadd.o ]
}

@test "PTX is what ptxas takes" {
    need ptxas
    for arch in sm_80 sm_86 sm_89 sm_90 sm_90a sm_100a sm_120a; do
        tritcc "${vadd[@]}" -arch=$arch -emit=ptx=k.ptx,cubin=k.cubin
        [ -s k.cubin ]
    done
}

@test "SPIR-V is valid" {
    need spirv-val
    tritcc "${vadd[@]}" -arch=spirv64 -emit=spirv=k.spv
    spirv-val --target-env opencl2.2 k.spv
}

@test "input from a pipe goes to a pipe" {
    "$TRITCC" - "${vadd[@]:1}" -emit=ttir <"$EXAMPLES/vadd/vadd.tri" | "$TRITCC" -x ttir - -arch=sm_80 -emit=ptx >k.ptx
    grep -q '^.target sm_80' k.ptx
}

@test "-fno-remove-masks keeps a loop whole" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, y, n, B: tl.constexpr):
    total = tl.zeros((B,), dtype=tl.float32)
    for i in range(0, n, B):
        c = i + tl.arange(0, B)
        total += tl.load(x + c, mask=c < n, other=0.0)
    tl.store(y + tl.arange(0, B), total)
K
    tritcc -arch=sm_80 -sig 'k(*fp32:16, *fp32:16, i32, 512)' -emit=ttgir=with.ttgir -Rpass=masks k.tri
    [[ $errors == *"k.tri:6:"*"remark: trips in which every element is in bounds run without masks"* ]]
    tritcc -arch=sm_80 -sig 'k(*fp32:16, *fp32:16, i32, 512)' -emit=ttgir=without.ttgir -fno-remove-masks k.tri
    [ "$(grep -c 'scf.for' with.ttgir)" = 2 ]
    [ "$(grep -c 'scf.for' without.ttgir)" = 1 ]
}

@test "masks leave only loops that gain by it: wide loads, few warps, short bodies" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, y, n, s, B: tl.constexpr):
    total = tl.zeros((B,), dtype=tl.float32)
    for i in range(0, n, B):
        c = i + tl.arange(0, B)
        total += tl.load(x + c * s, mask=c < n, other=0.0)
    tl.store(y + tl.arange(0, B), total)
K
    loops() { # OPTIONS...: loops in the ttgir
        "$TRITCC" -arch=sm_90a -emit=ttgir=- k.tri "$@" | grep -c scf.for
    }
    [ "$(loops -num-warps=8 -sig 'k(*fp32:16, *fp32:16, i32, 1, 2048)')" = 2 ]
    [ "$(loops -num-warps=16 -sig 'k(*fp32:16, *fp32:16, i32, 1, 4096)')" = 1 ]
    [ "$(loops -num-warps=8 -sig 'k(*fp32, *fp32:16, i32, 1, 2048)')" = 1 ]
    [ "$(loops -num-warps=8 -sig 'k(*fp32:16, *fp32:16, i32, i32, 2048)')" = 1 ]
    [ "$(loops -num-warps=4 -sig 'k(*fp32:16, *fp32:16, i32, 1, 65536)')" = 1 ]
}

@test "-O0, -fno-fp-fusion and -g reach the code" {
    tritcc "${vadd[@]}" -arch=sm_80 -O0 -emit=llir=0.ll
    tritcc "${vadd[@]}" -arch=sm_80 -O3 -emit=llir=3.ll
    ! cmp -s 0.ll 3.ll || false
    tritcc "${vadd[@]}" -arch=sm_80 -g -emit=ptx=g.ptx
    grep -q '^.target sm_80, debug' g.ptx
    tritcc "${vadd[@]}" -arch=sm_80 -lineinfo -emit=ptx=l.ptx
    grep -q '\.loc' l.ptx
    ! grep -q '^\.target.*debug\|debug_info' l.ptx || false
    tritcc "${vadd[@]}" -arch=sm_80 -fno-fp-fusion -emit=ptx=f.ptx
}

@test "ttgir of one GPU is lowered for the one that is named, or refused where its warps differ" {
    cat >k.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o, tl.sum(v))
    tl.store(o + 1 + i, tl.cumsum(v, 0))
@triton.jit
def p(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(o + i, tl.dot(tl.load(x + i), tl.load(y + i)).to(tl.float16))
K
    local of to
    for of in sm_100a sm_80 spirv64 intel-pvc gfx1100; do
        tritcc -arch=$of -k k -sig '*fp32, *fp32, 256' -emit=ttgir=k.ttgir k.tri
        for to in sm_80 sm_90a spirv64 intel-pvc gfx1100; do
            "$BUILDDIR/tritrun" -arch=sim:$to k.ttgir -print=o arange:f32:256 zeros:f32:257 >$to.out
            cmp sm_80.out $to.out
        done
    done
    tritcc -arch=sm_100a -k p -sig '*fp16:16, *fp16:16, *fp16:16, 64' -emit=ttgir=p.ttgir k.tri
    tritcc -arch=sm_80 -S -o p.ptx p.ttgir
    ! grep -q stmatrix p.ptx || false
    tritcc -arch=sm_90a -S -o p.ptx p.ttgir
    grep -q stmatrix p.ptx
    tritcc -1 -arch=gfx942 -emit=llir=k.ll k.ttgir
    [[ $errors == *"k.ttgir:"*"the layouts are of warps of 32 threads, 'gfx942' has warps of 64; compile the kernel from its ttir [TRI-6002]"* ]]
    tritcc -arch=gfx942 -k k -sig '*fp32, *fp32, 256' -emit=ttgir=k.ttgir k.tri
    tritcc -1 -arch=gfx1100 -emit=hsaco=k.hsaco k.ttgir
    [[ $errors == *"k.ttgir:"*"the layouts are of warps of 64 threads, 'gfx1100' has warps of 32; compile the kernel from its ttir [TRI-6002]"* ]]
}
