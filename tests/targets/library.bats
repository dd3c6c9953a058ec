#!/usr/bin/env bats
# Functions of the user's bitcode libraries, on GPUs, the simulator and the host.
load ../helpers

setup() {
    start_test || return 1
    cat >k.tri <<'EOF'
import triton
import triton.language as tl
from triton.language import core

fp32, i32, i16 = core.dtype("fp32"), core.dtype("int32"), core.dtype("int16")

@core.extern
def swish(x, _semantic=None):
    return core.extern_elementwise("mine", "", [x], {(core.dtype("fp32"),): ("my_swish", core.dtype("fp32"))}, is_pure=True, _semantic=_semantic)

@core.extern
def lookup(x, i, _semantic=None):
    return core.extern_elementwise("mine", "", [x, i], {(core.dtype("fp32"), core.dtype("int32")): ("my_lookup", core.dtype("fp32"))}, is_pure=True, _semantic=_semantic)

@core.extern
def next_short(x, _semantic=None):
    return core.extern_elementwise("mine", "", [x], {(core.dtype("int16"),): ("my_next", core.dtype("int16"))}, is_pure=False, _semantic=_semantic)

@core.extern
def misspelt(x, _semantic=None):
    return core.extern_elementwise("libdevice", "", [x], {(core.dtype("fp32"),): ("__nv_expff", core.dtype("fp32"))}, is_pure=True, _semantic=_semantic)

@triton.jit
def k(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, lookup(swish(v), i))
    tl.store(z + i, next_short((i - 64).to(tl.int16)))

@triton.jit
def table(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, lookup(tl.load(x + i), i))

@triton.jit
def wrong(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, misspelt(tl.load(x + i)))
EOF
    # a function that says noinline, a table, a narrow integer, a call of libdevice; target facts that are not ours
    cat >mine.ll <<'EOF'
target triple = "x86_64-pc-linux-gnu"
@factors = internal constant [4 x float] [float 1.0, float 2.0, float 4.0, float 8.0]
@llvm.used = appending global [1 x ptr] [ptr @unused], section "llvm.metadata"
declare float @__nv_expf(float)
define internal float @helper(float %x) #0 {
  %n = fneg float %x
  %e = call float @__nv_expf(float %n)
  ret float %e
}
define float @my_swish(float %x) #1 {
  %e = call float @helper(float %x)
  %d = fadd float %e, 1.0
  %q = fdiv float %x, %d
  ret float %q
}
define float @my_lookup(float %x, i32 %i) #1 {
  %j = and i32 %i, 3
  %p = getelementptr [4 x float], ptr @factors, i32 0, i32 %j
  %f = load float, ptr %p
  %r = fmul float %x, %f
  ret float %r
}
define signext i16 @my_next(i16 signext %x) #0 {
  %w = sext i16 %x to i32
  %n = add i32 %w, 1
  %r = trunc i32 %n to i16
  ret i16 %r
}
define void @unused() {
  call void @not_there()
  ret void
}
declare void @not_there()
attributes #0 = { noinline "target-cpu"="x86-64-v4" "target-features"="+avx512f" }
attributes #1 = { "target-cpu"="x86-64-v4" }
EOF
}

sig='*fp32,*fp32,*i16,128'

# run ARCH FILE: the kernel's results there.
run_on() {
    "$BUILDDIR/tritrun" -arch="$1" -k k -extern-lib=mine="$2" -print=y -print=z -print-limit=8 k.tri arange:f32:128 zeros:f32:128 zeros:i16:128 128
}

@test "a library's functions run on the simulator and on the host" {
    for arch in sim:sm_80 sim:sm_90a sim:spirv64 native; do
        run_on $arch mine.ll >$arch.txt
        cat $arch.txt
        # x / (1 + exp(-x)) times 1, 2, 4, 8
        grep -q '^ 0 1.46211[67]' $arch.txt
        grep -q '7.0463[67].* 22.861[67].* 3.9280[56]' $arch.txt
        grep -q '^ -63 -62 -61 -60' $arch.txt
    done
}

@test "bitcode is the same as text" {
    need llvm-as-22
    llvm-as-22 mine.ll -o mine.bc
    run_on sim mine.bc >bitcode.txt
    run_on sim mine.ll | cmp - bitcode.txt
    for form in ll bc; do
        tritcc -arch=spirv64 -emit=spirv=$form.spv -k table -sig '*fp32,*fp32,128' -extern-lib=mine=mine.$form k.tri
    done
    cmp ll.spv bc.spv
}

@test "PTX has what is called and nothing else, inlined but for what says noinline" {
    need ptxas
    for arch in sm_80 sm_90a; do
        tritcc -arch=$arch -emit=ptx=k.ptx,cubin=k.cubin -lineinfo -k k -sig "$sig" -extern-lib=mine=mine.ll -MD k.tri
        [ "$(grep -c '^\.func' k.ptx)" -ge 2 ]
        grep -q '^\.func.* my_next(' k.ptx
        ! grep -E '(\.func|call).*(my_swish|my_lookup|unused|not_there|__nv_)' k.ptx || false
        grep -q 'mine\.ll' k.d
        grep -qx "\.target $arch" k.ptx
    done
}

@test "the simulator gives what the stages give: llir goes on without the library" {
    need ptxas
    tritcc -arch=sm_80 -emit=llir=k.ll,ptx=k.ptx -k k -sig "$sig" -extern-lib=mine=mine.ll k.tri
    tritcc -arch=sm_80 -emit=ptx=again.ptx k.ll
    cmp k.ptx again.ptx
}

@test "a library that the source names is found, unless the command line has one of that name" {
    sed -i 's/"mine", "", \[x, i\]/"mine", "mine.ll", [x, i]/' k.tri
    tritcc -arch=spirv64 -emit=spirv=k.spv -MD -k table -sig '*fp32,*fp32,128' k.tri
    grep -q 'mine\.ll' k.d
    sed -i 's/mine\.ll/gone.ll/' k.tri
    tritcc -1 -arch=spirv64 -emit=spirv=k.spv -k table -sig '*fp32,*fp32,128' k.tri
    [[ $errors == "k.tri:13:12: error: cannot read 'gone.ll': No such file or directory [TRI-7003]"* ]]
    tritcc -arch=spirv64 -emit=spirv=k.spv -k table -sig '*fp32,*fp32,128' -extern-lib=mine=mine.ll k.tri
}

@test "a function that no library defines is an error at its call" {
    for arch in sm_80 spirv64 native; do
        tritcc -1 -arch=$arch -emit=llir=k.ll -k table -sig '*fp32,*fp32,128' k.tri
        [[ $errors == "k.tri:13:12: error: no library defines 'my_lookup'; give the bitcode that does with -extern-lib=mine=FILE.bc [TRI-7003]"* ]]
        [[ $errors == *"k.tri:33:21: note: called from here"* ]]
    done
}

@test "a function that a library lacks is an error at the call that led to it" {
    sed -i 's/__nv_expf/elsewhere/' mine.ll
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k k -sig "$sig" -extern-lib=mine=mine.ll k.tri
    [[ $errors == "k.tri:9:12: error: no library defines 'elsewhere', which a library calls"* ]]
}

@test "an unknown function of libdevice is an error at its call" {
    need ptxas
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k wrong -sig '*fp32,*fp32,128' k.tri
    [[ $errors == "k.tri:21:12: error: libdevice has no function '__nv_expff' [TRI-7003]"* ]]
    ! "$BUILDDIR/tritrun" -arch=sim -k wrong k.tri arange:f32:128 zeros:f32:128 128 2>err || false
    grep -q "k.tri:21:12: error: libdevice's '__nv_expff' is not known on a host \[TRI-7003\]" err
}

@test "a library takes the place of libdevice" {
    sed 's/my_swish/__nv_expff/' mine.ll >device.ll
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k wrong -sig '*fp32,*fp32,128' -extern-lib=libdevice=device.ll k.tri
    [[ $errors == *"libdevice has no function '__nv_expf'"* ]]
    sed -i 's/%e = call float @__nv_expf(float %n)/%e = fmul float %n, 3.5/' device.ll
    tritcc -arch=sm_80 -emit=ptx=k.ptx -k wrong -sig '*fp32,*fp32,128' -extern-lib=libdevice=device.ll k.tri
    grep -q '0fC0600000' k.ptx
}

@test "types that do not fit are an error" {
    sed -i 's/define float @my_lookup(float %x, i32 %i)/define float @my_lookup(float %x, i64 %k)/; s/%j = and i32 %i, 3/%i = trunc i64 %k to i32\n  %j = and i32 %i, 3/' mine.ll
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=mine.ll k.tri
    [[ $errors == *"k.tri:13:12: error: 'my_lookup' is called as 'float (float, i32)', but its library defines it as 'float (float, i64)' [TRI-7003]"* ]]
}

@test "code for another machine is an error" {
    cat >other.ll <<'EOF'
target triple = "nvptx64-nvidia-cuda"
define float @my_lookup(float %x, i32 %i) {
  %r = call float asm "mov.f32 $0, $1;", "=f,f"(float %x)
  ret float %r
}
EOF
    tritcc -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=other.ll k.tri
    grep -q 'mov\.f32' k.ptx
    ! "$BUILDDIR/tritrun" -arch=sim -k table -extern-lib=mine=other.ll k.tri arange:f32:128 zeros:f32:128 128 2>err || false
    grep -q "k.tri:13:12: error: 'my_lookup' has assembly for 'nvptx64', which '[a-z0-9_]*' cannot run" err
    cat >other.ll <<'EOF'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define float @my_lookup(float %x, i32 %i) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = sitofp i32 %t to float
  ret float %r
}
EOF
    tritcc -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=other.ll k.tri
    grep -q 'tid\.x' k.ptx
    tritcc -1 -arch=native -emit=asm=k.s -k table -sig '*fp32,*fp32,128' -extern-lib=mine=other.ll k.tri
    [[ $errors == *"error: 'my_lookup' uses 'llvm.nvvm.read.ptx.sreg.tid.x', which '"*"' does not have"* ]]
}

@test "shared memory of a library's own is an error" {
    cat >other.ll <<'EOF'
@box = internal addrspace(3) global float undef
define float @my_lookup(float %x, i32 %i) {
  store float %x, ptr addrspace(3) @box
  %r = load float, ptr addrspace(3) @box
  ret float %r
}
EOF
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=other.ll k.tri
    [[ $errors == *"error: the library's variable 'box' is in shared memory"* ]]
}

@test "what is no library is said" {
    tritcc -2 -arch=sm_80 -extern-lib=mine k.tri
    [[ $errors == *"'-extern-lib=mine' is not NAME=FILE"* ]]
    echo no bitcode >mine.bc
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=mine.bc k.tri
    [[ $errors == *"'mine.bc' is not LLVM bitcode [TRI-7003]"* ]]
    printf 'BC\xc0\xdejunk' >mine.bc
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=mine.bc k.tri
    [[ $errors == *"'mine.bc' is not LLVM bitcode that LLVM 22 reads"* ]]
    echo 'define float @f( {' >mine.ll
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -k table -sig '*fp32,*fp32,128' -extern-lib=mine=mine.ll k.tri
    [[ $errors == *"mine.ll:2:1: error: expected type"* ]]
}

@test "libdevice's own functions are on the simulator, and compute what the host's do" {
    args=(randn:f32:128:seed=3 randn:f64:128:seed=4 arange:i32:128)
    "$BUILDDIR/tritrun" -arch=native -k rounded -o out=host.npy "$SRCDIR/tests/exec/advanced.tri" "${args[@]}" zeros:f32:1280 128
    "$BUILDDIR/tritrun" -arch=sim:sm_90 -k rounded -expect out=@host.npy -rtol 0 -atol 0 "$SRCDIR/tests/exec/advanced.tri" "${args[@]}" zeros:f32:1280 128
    cat >fast.tri <<'EOF'
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def fast(x, n, out, N: tl.constexpr):
    j = tl.arange(0, N)
    v = tl.load(x + j) + 0.5
    i = tl.load(n + j) * 12345
    tl.store(out + j, libdevice.rsqrt(v) + libdevice.rcbrt(v))
    tl.store(out + N + j, libdevice.fast_expf(v) + libdevice.fast_sinf(v) * libdevice.fast_logf(v))
    tl.store(out + 2 * N + j, libdevice.fast_powf(v, v) + libdevice.fast_dividef(v, 3.0))
    tl.store(out + 3 * N + j, libdevice.popc(i) * 64 + libdevice.clz(i))
    tl.store(out + 4 * N + j, libdevice.brev(i).to(tl.float32))
    tl.store(out + 5 * N + j, libdevice.saturatef(v * 2 - 1))
    tl.store(out + 6 * N + j, libdevice.isinf(v / (v - v)) + libdevice.abs(-i))
EOF
    # those that have a fast form of their own on the host
    "$BUILDDIR/tritrun" -arch=native -k fast -o out=host.npy fast.tri rand:f32:128:seed=3 arange:i32:128 zeros:f32:896 128
    "$BUILDDIR/tritrun" -arch=sim:sm_90 -k fast -expect out=@host.npy -rtol 1e-6 fast.tri rand:f32:128:seed=3 arange:i32:128 zeros:f32:896 128
}

@test "what __nvvm_reflect asks is answered in front of inlining: no branch and no text of it is left" {
    cat >reflect.ll <<'LIBRARY'
target triple = "nvptx64-nvidia-cuda"
@name = private constant [11 x i8] c"__CUDA_FTZ\00"
declare i32 @__nvvm_reflect(ptr)
declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
declare float @llvm.nvvm.ex2.approx.f(float)
define float @my_swish(float %x) {
  %ftz = call i32 @__nvvm_reflect(ptr @name)
  %is = icmp ne i32 %ftz, 0
  br i1 %is, label %flush, label %keep
flush:
  %a = call float @llvm.nvvm.ex2.approx.ftz.f32(float %x)
  br label %end
keep:
  %b = call float @llvm.nvvm.ex2.approx.f(float %x)
  br label %end
end:
  %r = phi float [%a, %flush], [%b, %keep]
  ret float %r
}
LIBRARY
    sed -i 's/lookup(swish(v), i)/swish(v)/; /next_short((i/d' k.tri
    tritcc -arch=sm_90 -extern-lib=mine=reflect.ll -k k -sig '*fp32, *fp32, *i16, N=256' -num-warps=4 -emit=ptx=k.ptx k.tri
    grep -q 'ex2.approx' k.ptx
    run grep -c 'bra\|__CUDA_FTZ\|_\$_str\|95, 95, 67' k.ptx
    [ "$output" = 0 ]
}
