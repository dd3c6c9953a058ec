#!/usr/bin/env bats
# AMD GPUs: assembly and code objects that LLVM's tools read, what the metadata says, and refusals.
load ../helpers

softmax=(-k softmax_kernel -sig '*fp32, *fp32, i32, i32, i32, i32, BLOCK_SIZE=1024, num_stages=2')

product='import triton
import triton.language as tl

@triton.jit
def k(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    l = tl.arange(0, K)
    tl.store(c + i * N + j, tl.dot(tl.load(a + i * K + l[None, :]), tl.load(b + l[:, None] * N + j)))'

: "${TRITRUN:=$BUILDDIR/tritrun}"
CHIPS=(gfx90a gfx942 gfx950 gfx1100 gfx1201)

# tool NAME: LLVM's program of that name.
tool() { command -v "$1-22" || command -v "$1" || skip "no $1"; }

@test "code objects are what LLVM's assembler and linker make of the assembly" {
    mc=$(tool llvm-mc) lld=$(tool ld.lld) readelf=$(tool llvm-readelf)
    for arch in gfx90a:64 gfx942:64 gfx950:64 gfx1100:32 gfx1201:32; do
        chip=${arch%:*}
        tritcc -arch="$chip" -emit=amdgcn=k.amdgcn,hsaco=k.hsaco --resource-usage "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
        [[ $errors == *"0 bytes spilled"*"sub-group  ${arch#*:} work-items"*"barriers   1"* ]]
        "$mc" -triple=amdgcn-amd-amdhsa -mcpu="$chip" -filetype=obj k.amdgcn -o kernel.o
        "$lld" -shared --no-undefined kernel.o -o want.hsaco
        cmp want.hsaco k.hsaco
        "$readelf" -h --notes k.hsaco >notes
        grep -Eq "Flags: .*$chip" notes
        grep -Eq "\.max_flat_workgroup_size: +$((4 * ${arch#*:}))\$" notes
        grep -Eq "\.wavefront_size: +${arch#*:}\$" notes
        # six arguments and the hidden ones; shared memory for the partial results of four waves
        grep -Eq '\.group_segment_fixed_size: 16$' notes
    done
}

# Siblings of the chips above: the same code; a SIMD unit has 1536 or 1024 registers per lane, in 64 units.
@test "siblings of gfx1100 and gfx1201 get code objects of their own" {
    mc=$(tool llvm-mc) lld=$(tool ld.lld) readelf=$(tool llvm-readelf)
    printf '%s\n' "$product" '' '@triton.jit' 'def sums(x, y, B: tl.constexpr):' \
        '    i = tl.arange(0, B)' '    tl.store(y + tl.flip(i, 0), tl.cumsum(tl.load(x + i), 0))' >k.tri
    while read -r chip all; do
        tritcc -arch="$chip" -num-warps=1 -emit=amdgcn=k.amdgcn,hsaco=k.hsaco --resource-usage \
            -sig 'sums(*fp32:16:S, *fp32:16:S, 4096)' k.tri
        registers=$(sed -n 's/^ *registers *\([0-9]*\) per thread.*/\1/p' <<<"$errors") unit=$((all / 64))
        blocks=$((all / ((registers + unit - 1) / unit * unit) * 4))
        [[ $errors == *": $blocks blocks per multiprocessor, limited by registers"* ]]
        "$mc" -triple=amdgcn-amd-amdhsa -mcpu="$chip" -filetype=obj k.amdgcn -o kernel.o
        "$lld" -shared --no-undefined kernel.o -o want.hsaco
        cmp want.hsaco k.hsaco
        "$readelf" -h k.hsaco >notes
        grep -Eq "Flags: .*$chip" notes
        tritcc -arch="$chip" -emit=amdgcn=k.amdgcn -sig "k(*fp16:16:S, *fp16:16:S, *fp32:16:S, 64, 64, 64)" k.tri
        grep -q v_wmma_f32_16x16x16_f16 k.amdgcn
    done <<'END'
gfx1101 1536
gfx1102 1024
gfx1103 1024
gfx1150 1024
gfx1151 1536
gfx1152 1024
gfx1153 1024
gfx1200 1536
END
}

@test "other 8-bit floats than the chip's own convert in software" {
    printf '%s\n' 'import triton' 'import triton.language as tl' '' '@triton.jit' \
        'def up(x, y, B: tl.constexpr, T: tl.constexpr):' '    i = tl.arange(0, B)' \
        '    tl.store(y + i, tl.load(x + i).to(T, bitcast=True).to(tl.float32))' >k.tri
    for type in float8e4b8 float8e5b16; do
        "$TRITRUN" -arch=native -k up -o y=want.npy k.tri arange:u8:128 y=zeros:f32:128 B=128 T=tl.$type
        for chip in "${CHIPS[@]}"; do
            "$TRITRUN" -arch=sim:$chip -k up -o y=y.npy k.tri arange:u8:128 y=zeros:f32:128 B=128 T=tl.$type
            cmp y.npy want.npy
        done
    done
    # a type without instructions anywhere
    printf '%s\n' 'import triton' 'import triton.language as tl' '' '@triton.jit' 'def there(x, y, B: tl.constexpr):' \
        '    i = tl.arange(0, B)' '    v = tl.load(x + i).to(tl.float8e4b15)' '    tl.store(y + i, v.to(tl.float32))' >k.tri
    for arch in sim:sm_80 native sim:gfx950 sim:gfx1201; do
        "$TRITRUN" -arch=$arch -k there -o y=$arch.npy k.tri randn:f32:512:seed=1 y=zeros:f32:512 B=512
        cmp $arch.npy sim:sm_80.npy
    done
    # a product converts what it multiplies next, not all of its operands: 77 registers were spilled
    sig='*fp8e4nv:16:S, *fp8e4nv:16:S, *fp16:16:S, i32:16, i32:16, i32:16, i32:16, 1, 1, i32:16, i32:16, 1, 128, 256, 128, 8'
    tritcc -arch=gfx942 -num-warps=8 -num-stages=2 -emit=hsaco=p.hsaco --resource-usage -k matmul_kernel -sig "$sig" \
        "$SRCDIR/bench/gpu/kernels/matmul.tri"
    [[ $errors == *"per thread, 0 bytes spilled"* ]]
}

@test "matrix instructions and buffer operations assemble to the same bytes, too" {
    mc=$(tool llvm-mc) lld=$(tool ld.lld)
    printf '%s\n' "$product" >k.tri
    while read -r chip type sum; do
        tritcc -arch="$chip" -emit=amdgcn=k.amdgcn,hsaco=k.hsaco -sig "k(*$type:16:S, *$type:16:S, *$sum:16:S, 64, 64, 128)" k.tri
        "$mc" -triple=amdgcn-amd-amdhsa -mcpu="$chip" -filetype=obj k.amdgcn -o kernel.o
        "$lld" -shared --no-undefined kernel.o -o want.hsaco
        cmp want.hsaco k.hsaco
    done <<'END'
gfx90a fp64 fp64
gfx90a fp16 fp32
gfx942 fp8e4b8 fp32
gfx942 i8 i32
gfx950 fp8e5 fp32
gfx950 bf16 fp32
gfx1100 i8 i32
gfx1201 fp8e4nv fp32
END
}

@test "assembly is an input, and tells its architecture" {
    tritcc -arch=gfx1100 -emit=amdgcn=k.amdgcn,hsaco=want.hsaco "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
    tritcc -emit=hsaco=k.hsaco k.amdgcn
    cmp want.hsaco k.hsaco
    sed -i 's/s_endpgm/s_frobnicate/' k.amdgcn
    tritcc -1 -emit=hsaco=bad.hsaco k.amdgcn
    [[ $errors == *"the assembly for 'gfx1100' is wrong: line "*"[TRI-7001]"* ]]
    [ ! -e bad.hsaco ]
}

@test "barriers wait for shared memory and leave global stores alone; lanes exchange values inside of instructions" {
    tritcc -arch=gfx942 -emit=amdgcn=k.s "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
    grep -B3 's_barrier' k.s | grep -q 'lgkmcnt(0)'
    run -1 bash -c "grep -B2 's_barrier' k.s | grep -q 'vmcnt(0)'"
    grep -q 'quad_perm' k.s && grep -q 'row_half_mirror' k.s && grep -q 'row_ror:8' k.s
    tritcc -arch=gfx1100 -emit=amdgcn=k.s "${softmax[@]}" "$EXAMPLES/softmax/softmax.tri"
    grep -q 'row_xmask' k.s
}

@test "what the device or its library lacks is an error at its place" {
    cat >k.tri <<'END'
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(x):
    tl.store(x, libdevice.j0(tl.load(x)))
END
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32)' k.tri
    # that of C has no body here
    cat >own.ll <<'END'
define float @g(float %x) {
  %y = call float @j0f(float %x)
  ret float %y
}
declare float @j0f(float)
END
    cat >own.tri <<'END'
import triton
import triton.language as tl
from triton.language import core

@core.extern
def g(x, _semantic=None):
    return core.extern_elementwise("own", "", [x], {(core.dtype("fp32"),): ("g", core.dtype("fp32"))}, is_pure=True, _semantic=_semantic)

@triton.jit
def k(x):
    tl.store(x, g(tl.load(x)))
END
    tritcc -1 -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32)' -extern-lib=own=own.ll own.tri
    [[ $errors == *"own.tri:7:12: error: the device has no function 'j0f' [TRI-7003]"* ]]
    sed -i 's/libdevice.j0/tl.exp/' k.tri
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32)' k.tri
    tritcc -2 -arch=gfx943 -emit=amdgcn=k.s -sig 'k(*fp32)' k.tri
    [[ $errors == *"unknown architecture 'gfx943'; did you mean 'gfx942'?"* ]]
    tritcc -2 -arch=gfx1202 -emit=amdgcn=k.s k.tri # not gfx1102, which is as near: the start counts
    [[ $errors == *"unknown architecture 'gfx1202'; did you mean 'gfx1200'?"* ]]
    while IFS=: read -r name chip; do # what a chip is sold as
        tritcc -2 -arch="$name" -emit=amdgcn=k.s k.tri
        [[ $errors == *"unknown architecture '$name'; did you mean '$chip'?"* ]]
    done <<<$'MI300X:gfx942\nmi250:gfx90a\nRX 7900 XTX:gfx1100\ncdna4:gfx950\nh100:sm_90a'
    tritcc -2 -arch=gfx906 -emit=amdgcn=k.s -sig 'k(*fp32)' k.tri
    [[ $errors == *"no code is made for 'gfx906': it has no matrix cores"* ]]
}

@test "libraries made for AMD's GPUs are linked, with the constants that ROCm's ask for" {
    cat >k.tri <<'END'
import triton
import triton.language as tl
from triton.language import core

@core.extern
def g(x, _semantic=None):
    return core.extern_elementwise("own", "", [x], {(core.dtype("fp32"),): ("g", core.dtype("fp32"))}, is_pure=True, _semantic=_semantic)

@triton.jit
def k(x):
    tl.store(x, g(tl.load(x)))
END
    cat >own.ll <<'END'
target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = external addrspace(4) constant i32
@__oclc_wavefrontsize64 = external addrspace(4) constant i8
declare float @llvm.amdgcn.rcp.f32(float)
define float @g(float %x) {
  %version = load i32, ptr addrspace(4) @__oclc_ISA_version
  %wide = load i8, ptr addrspace(4) @__oclc_wavefrontsize64
  %lanes = zext i8 %wide to i32
  %code = shl i32 %version, %lanes
  %f = sitofp i32 %code to float
  %r = call float @llvm.amdgcn.rcp.f32(float %x)
  %s = fadd float %f, %r
  ret float %s
}
END
    local chip
    for chip in gfx90a:18020 gfx942:18804 gfx950:19000 gfx1100:11000 gfx1201:12001; do
        tritcc -arch=${chip%:*} -emit=llir=k.ll,hsaco=k.hsaco -sig 'k(*fp32)' -extern-lib=own=own.ll k.tri
        grep -q "$(printf '%.6e' ${chip#*:})" k.ll
        ! grep -q oclc k.ll || false
    done
    { cat own.ll && printf '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}\n'; } >six.ll # as clang's
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32)' -extern-lib=own=six.ll k.tri
    grep -q 'amdhsa_code_object_version 5' k.s
    sed 's/__oclc_ISA_version/__oclc_of_tomorrow/' own.ll >other.ll
    tritcc -1 -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32)' -extern-lib=own=other.ll k.tri
    [[ $errors == *"error: no library defines the variable '__oclc_of_tomorrow' [TRI-7003]"* ]]
    sed 's/amdgcn.rcp.f32/amdgcn.tanh.f32/' own.ll >other.ll # of gfx1250 alone
    tritcc -1 -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32)' -extern-lib=own=other.ll k.tri
    [[ $errors == *"k.tri:7:12: error: 'g' uses 'llvm.amdgcn.tanh.f32', which 'amdgcn' does not have [TRI-7003]"* ]]
    ! "$BUILDDIR/tritrun" -arch=sim:gfx942 -extern-lib=own=own.ll k.tri ones:f32:1 2>err || false
    grep -q "'g' uses 'llvm.amdgcn.rcp.f32', which '.*' does not have" err
}

@test "warps of 64 and of 32 lanes give the host's numbers on the simulator" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, tl.cumsum(v, 0) + tl.max(v, 0))
END
    for arch in native sim:gfx942 sim:gfx1100 sim:intel-dg2; do
        tritrun k.tri -arch=$arch arange:i32:1024 empty:i32:1024 1024 -num-warps=4 -print o -print-limit=1024 >"${arch#sim:}.txt"
        cmp native.txt "${arch#sim:}.txt"
    done
}


@test "products are matrix instructions of the chip, of the type that it has" {
    printf '%s\n' "$product" >k.tri
    # chip, type, sums, instruction
    while read -r chip type sum instruction; do
        tritcc -arch="$chip" -emit=amdgcn=k.s -sig "k(*$type:16, *$type:16, *$sum:16, M=64, N=64, K=64)" k.tri
        echo "$chip $type: $(grep -oE 'v_(mfma|wmma)[a-z0-9_]*' k.s | sort | uniq -c | tr -s '\n ' ' ')"
        grep -q "$instruction" k.s
    done <<'END'
gfx90a fp16 fp32 v_mfma_f32_32x32x8f16
gfx90a bf16 fp32 v_mfma_f32_32x32x8bf16_1k
gfx90a i8 i32 v_mfma_i32_32x32x8i8
gfx90a fp32 fp32 v_mfma_f32_32x32x2f32
gfx90a fp64 fp64 v_mfma_f64_16x16x4f64
gfx90a fp8e4nv fp32 v_mfma_f32_32x32x8f16
gfx942 fp16 fp32 v_mfma_f32_32x32x8_f16
gfx942 i8 i32 v_mfma_i32_32x32x16_i8
gfx942 fp8e4b8 fp32 v_mfma_f32_32x32x16_fp8_fp8
gfx942 fp8e5b16 fp32 v_mfma_f32_32x32x16_bf8_bf8
gfx942 fp8e4nv fp32 v_mfma_f32_32x32x8_f16
gfx950 fp16 fp32 v_mfma_f32_32x32x16_f16
gfx950 bf16 fp32 v_mfma_f32_32x32x16_bf16
gfx950 i8 i32 v_mfma_i32_32x32x32_i8
gfx950 fp8e4nv fp32 v_mfma_f32_32x32x64_f8f6f4
gfx1100 fp16 fp32 v_wmma_f32_16x16x16_f16
gfx1100 bf16 fp32 v_wmma_f32_16x16x16_bf16
gfx1100 i8 i32 v_wmma_i32_16x16x16_iu8
gfx1201 fp16 fp32 v_wmma_f32_16x16x16_f16
gfx1201 fp8e4nv fp32 v_wmma_f32_16x16x16_fp8_fp8
gfx1201 fp8e5 fp32 v_wmma_f32_16x16x16_bf8_bf8
END
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp8e4b8:16, *fp8e5b16:16, *fp32:16, M=64, N=64, K=64)' k.tri
    grep -q 'v_mfma_f32_32x32x16_bf8_fp8' k.s # of transposed results B comes first
    sed 's/, tl.load(b/, tl.load(b/; s/j)))$/j), input_precision="tf32"))/' k.tri >tf32.tri
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32:16, *fp32:16, *fp32:16, M=64, N=64, K=64)' tf32.tri
    grep -q 'v_mfma_f32_32x32x4_xf32' k.s
    tritcc -arch=gfx1100 -emit=amdgcn=k.s -Rpass-missed=dot -sig 'k(*fp32:16, *fp32:16, *fp32:16, M=16, N=16, K=16)' k.tri
    [[ $errors == *"k.tri:9:"*"no matrix instruction: none here multiplies float32 with sums in float32; float16 and bfloat16 with sums in float32 have one, where that is exact enough"* ]]
}

@test "arrays of less than 2 GiB are read and written without branches" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n, other=1.0, cache_modifier=".cs") + 1, i < n)

@triton.jit
def walk(x, o, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for j in range(0, n):
        s += tl.load(p, tl.arange(0, B) + j * B < n)
        p += B
    tl.store(o + tl.arange(0, B), s)
END2
    for chip in gfx90a gfx942 gfx950 gfx1100 gfx1201; do
        tritcc -arch=$chip -emit=ttir=k.ttir,amdgcn=k.s,hsaco=k.hsaco -sig 'k(*fp32:16:S, *fp32:S:16, i32, B=1024)' k.tri
        grep -q 'tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32' k.ttir
        grep -q buffer_load k.s && grep -q buffer_store k.s
        run -1 grep -E 'saveexec|global_(load|store)' k.s
        tritcc -arch=$chip -emit=amdgcn=far.s -sig 'k(*fp32:16, *fp32:16, i32, B=1024)' k.tri
        run -1 grep buffer_ far.s
    done
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig 'k(*fp32:16:S, *fp32:16:S, i32, B=1024)' k.tri
    grep -q 'buffer_load_dword .* sc0 nt$' k.s # .cs
    tritcc -arch=gfx1201 -emit=amdgcn=k.s -sig 'walk(*fp32:16:S, *fp32:16:S, i32, B=64)' k.tri
    grep -q buffer_load_b32 k.s
    for hint in :S :T; do
        tritcc -1 -arch=gfx942 -emit=amdgcn=k.s -sig "k(*fp32:16, *fp32:16, i32$hint, B=1024)" k.tri
        [[ $errors == *"unknown hint '$hint'"*"':S' that a pointer's array takes less than 2 GiB"* ]]
    done
}

@test "atomic updates are buffer instructions, or plain ones, not loops" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + i, tl.load(x + i, i < n), i < n, sem="relaxed")

@triton.jit
def all(x, o, r, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, i < n)
    q = tl.atomic_max(o + i, v, i < n)
    q += tl.atomic_cas(o + i, q, v)
    tl.store(r + i, tl.atomic_xchg(o + i, q, i < n), i < n)
END2
    # chip, type, with small arrays, with others
    while read -r chip type small far; do
        tritcc -arch="$chip" -emit=amdgcn=k.s,hsaco=k.hsaco -k k -sig "*$type:16:S, *$type:16:S, i32:16, 1024" k.tri
        grep -qE "^\s$small" k.s
        [[ $small == global* ]] || run -1 grep -E 's_cbranch|global_atomic' k.s
        tritcc -arch="$chip" -emit=amdgcn=k.s -k k -sig "*$type:16, *$type:16, i32:16, 1024" k.tri
        grep -qE "^\s$far" k.s
        run -1 grep cmpswap k.s
    done <<'END2'
gfx90a fp32 buffer_atomic_add_f32 global_atomic_add_f32
gfx90a fp16 buffer_atomic_pk_add_f16 global_atomic_pk_add_f16
gfx90a fp64 global_atomic_add_f64 global_atomic_add_f64
gfx942 bf16 global_atomic_pk_add_bf16 global_atomic_pk_add_bf16
gfx942 i32 buffer_atomic_add global_atomic_add
gfx950 bf16 buffer_atomic_pk_add_bf16 global_atomic_pk_add_bf16
gfx1100 fp32 buffer_atomic_add_f32 global_atomic_add_f32
gfx1201 fp16 buffer_atomic_pk_add_f16 global_atomic_pk_add_f16
END2
    tritcc -arch=gfx942 -emit=amdgcn=k.s -k all -sig '*i32:16:S, *i32:16:S, *i32:16:S, i32:16, 256' k.tri
    for name in smax cmpswap swap; do # in order with what is before and behind them
        grep -B6 "buffer_atomic_$name" k.s | grep -q buffer_wbl2
        grep -A6 "buffer_atomic_$name .* sc0$" k.s | grep -q buffer_inv
    done
    for arch in sim:gfx942 sim:gfx1201; do
        tritrun k.tri -k all -arch=$arch "randint:i32:256:seed=1,low=-9,high=9" "randint:i32:256:seed=2,low=-9,high=9" empty:i32:256 200 B=256 -o r=r-$arch.npy -o o=o-$arch.npy
    done
    tritrun k.tri -k all "randint:i32:256:seed=1,low=-9,high=9" "randint:i32:256:seed=2,low=-9,high=9" empty:i32:256 200 B=256 -o r=r.npy -o o=o.npy
    cmp o.npy o-sim:gfx942.npy
    cmp o.npy o-sim:gfx1201.npy
}

@test "the simulator sees that an array is not as small as was said" {
    cat >k.ttir <<'END2'
module {
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i64) {
    %p = tt.addptr %x, %n : !tt.ptr<f32>, i64
    %one = arith.constant 1.0 : f32
    tt.store %p, %one : !tt.ptr<f32>
    tt.return
  }
}
END2
    tritrun -arch=sim:gfx942 k.ttir empty:f32:4 2
    run -1 tritrun -arch=sim:gfx942 k.ttir empty:f32:4 800000000
    [[ $output == *"k.ttir:5:5: error: global access out of bounds"*"at offset 3200000000 of"* ]]
}

@test "functions of C's library are of the project's own, and right" {
    clang=$(tool clang)
    "$clang" -O2 -ffp-contract=on -I"$SRCDIR" "$SRCDIR/tests/exec/cmath.c" -o cmath -lm
    ./cmath
    cat >k.tri <<'END'
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = libdevice.pow(libdevice.tan(v), tl.erf(v)) + libdevice.lgamma(v) + libdevice.normcdf(v) + libdevice.fmod(v, tl.exp(v))
    v += libdevice.sinpi(v) + libdevice.ilogb(v) + libdevice.div_rn(v, libdevice.erfinv(v)) + tl.sin(v) + libdevice.tanh(v)
    tl.store(o + i, v + libdevice.add_rz(v, libdevice.acosh(tl.log2(v))))
END
    for chip in gfx90a gfx942 gfx950 gfx1100 gfx1201; do
        for type in fp32 fp64; do
            tritcc -arch=$chip -emit=hsaco=k.hsaco -emit=amdgcn=k.s -sig "k(*$type:16:S, *$type:16:S, 64)" k.tri
            grep -q 'uses_dynamic_stack: *false' k.s # nothing is recursive
        done
    done
}

@test "a product's loop loads ahead into registers, and its instructions are few" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(a, b, c, K, sa, sb, sc, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    l = tl.arange(0, BK)
    p = a + i[:, None] * sa + l[None, :]
    q = b + j[None, :] * sb + l[:, None]
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(p), tl.load(q), acc)
        p += BK
        q += BK
    tl.store(c + i[:, None] * sc + j[None, :], acc.to(tl.float16))
END2
    types='*bf16:16:S, *bf16:16:S, *fp16:16:S, i32:16, i32:16, i32:16, i32:16'
    tritcc -arch=gfx942 -emit=amdgcn=k.s --resource-usage -sig "k($types, 128, 128, 64)" k.tri
    [[ $errors == *" 0 bytes spilled"*"occupancy  25 %: 2 blocks per multiprocessor"* ]]
    # the loop: from its label to the branch back
    awk '/^\.LBB0_[0-9]+:/ { label = $1; sub(":", "", label); text = "" } { text = text $0 "\n" }
         /s_cbranch/ && label != "" && index($0, label) { printf "%s", text; exit }' k.s >loop
    [ "$(grep -c v_mfma loop)" = 32 ]
    [ "$(grep -c buffer_load_dwordx4 loop)" = 8 ]
    [ "$(grep -cE '^\sv_' loop)" -le 60 ] # 32 of them matrix instructions; Triton 3.6 has 50
    [ "$(grep -c s_barrier loop)" = 2 ]
    run -1 grep -E 'scratch_|v_accvgpr' loop
}

@test "operands lie in shared memory so that lanes that read together meet in no bank" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, W: tl.constexpr):
    p = a + tl.arange(0, M)[:, None] * K + tl.arange(0, BK)[None, :]
    # W: columns lie side by side, not elements of K
    q = b + tl.arange(0, N)[None, :] * (1 if W else K) + tl.arange(0, BK)[:, None] * (N if W else 1)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(p), tl.load(q), acc)
        p += BK
        q += BK * (N if W else 1)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)
END2
    # chip, type, whether columns lie side by side, elements that stay together, lines in a phase, phases: as Triton 3.6
    while read -r chip type wide swizzle; do
        tritcc -arch="$chip" -emit=ttgir=k.ttgir -sig "k(*$type:16:S, *$type:16:S, *fp32:16:S, i32:16, 128, 128, 64, $wide)" k.tri
        # columns side by side are turned over in registers first
        grep -qF "$([ $wide = True ] && echo amd_rotating || echo swizzled)_shared<{$swizzle, order = [0, 1]}>" k.ttgir
        tritcc "-arch=$chip" -emit=amdgcn=k.s k.ttgir
        run -1 grep -E 'ds_(read|load)_u16' k.s
        local arrays=(randn:f16:128x128:seed=1 randn:f16:128x128:seed=2 empty:f32:128x128 128)
        tritrun k.tri -o c=want.npy "${arrays[@]}" 128 128 64 $wide
        tritrun k.ttgir "-arch=sim:$chip" -expect c=@want.npy -rtol=1e-3 -atol=1e-2 "${arrays[@]}"
    done <<'END2'
gfx942 fp16 False vec = 4, perPhase = 1, maxPhase = 16
gfx942 fp16 True vec = 4, perPhase = 1, maxPhase = 16
gfx950 fp16 False vec = 8, perPhase = 2, maxPhase = 8
gfx950 fp16 True vec = 8, perPhase = 2, maxPhase = 8
gfx1100 fp16 False vec = 8, perPhase = 1, maxPhase = 8
gfx1100 fp16 True vec = 8, perPhase = 1, maxPhase = 8
gfx1201 fp16 True vec = 8, perPhase = 1, maxPhase = 8
END2
}

@test "results leave in the layout of the products, on gfx950 as 16 bytes a lane" {
    printf '%s\n' "${product/tl.dot(/tl.exp(tl.dot(}" | sed 's/+ j)))$/+ j))).to(tl.float16))/' >k.tri
    while read -r chip store swaps; do
        tritcc -arch="$chip" -emit=ttgir=k.ttgir,amdgcn=k.s -sig 'k(*fp16:16:S, *fp16:16:S, *fp16:16:S, 64, 64, 64)' k.tri
        [ "$(grep -c "$store" k.s)" = "$(grep -cE 'buffer_store_' k.s)" ]
        [ "$(grep -c v_permlane k.s)" = "$swaps" ]
        tritrun k.tri -o c=want.npy randn:f16:64x64:seed=1 randn:f16:64x64:seed=2 empty:f16:64x64 64 64 64
        tritrun k.ttgir "-arch=sim:$chip" -expect c=@want.npy -rtol=1e-2 -atol=1e-2 randn:f16:64x64:seed=1 \
            randn:f16:64x64:seed=2 empty:f16:64x64
    done <<'END2'
gfx942 buffer_store_dwordx2 0
gfx950 buffer_store_dwordx4 4
END2
}

@test "buffer operations and marks of scheduling, as other compilers write them, are machine code" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n, other=1.0) + 1, i < n)
END2
    tritrun -o o=want.npy k.tri arange:f32:1024 zeros:f32:1024 1000 1024
    for chip in gfx90a gfx942 gfx1100 gfx1201; do
        tritcc "-arch=$chip" -emit=ttgir=k.ttgir -sig 'k(*fp32:16:S, *fp32:S:16, i32, B=1024)' k.tri
        tritcc -x ttgir "-passes=convert-buffer-ops{gfx-arch=$chip}" k.ttgir -o buffers.ttgir
        grep -q 'amdg.buffer_load %x' buffers.ttgir && grep -q amdg.buffer_store buffers.ttgir
        sed -E 's/^( *)(%.* = amdg.buffer_load.*)/\1rocdl.sched.barrier 0\n\1rocdl.s.setprio 1\n\1\2\n\1%t = rocdl.workitem.id.x : i32\n\1%h = arith.cmpi slt, %t, %t : i32\n\1amdg.cond_barrier %h\n\1rocdl.s.barrier/' buffers.ttgir >marks.ttgir
        for file in buffers marks; do
            tritcc "-arch=$chip" -emit=amdgcn=k.s,hsaco=k.hsaco $file.ttgir
            grep -q buffer_load k.s && grep -q buffer_store k.s
            run -1 grep saveexec k.s
            tritrun "-arch=sim:$chip" -expect o=@want.npy $file.ttgir arange:f32:1024 zeros:f32:1024 1000
        done
        grep -q s_setprio k.s && grep -q 's_barrier' k.s
    done
}

@test "loops carry descriptors of buffers" {
    cat >k.ttgir <<'END2'
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %o: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %zero = arith.constant dense<0.0> : tensor<256xf32, #r>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %j = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #r>
    %v = amdg.buffer_load %x[%i] : tensor<256xf32, #l>
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x256xf32, #shared, #smem, mutable>
    %first = ttg.memdesc_index %m[%c0] : !ttg.memdesc<2x256xf32, #shared, #smem, mutable> -> !ttg.memdesc<256xf32, #shared, #smem, mutable>
    ttg.local_store %v, %first : tensor<256xf32, #l> -> !ttg.memdesc<256xf32, #shared, #smem, mutable>
    %s:3 = scf.for %t = %c0 to %n step %c1 iter_args(%at = %first, %sum = %zero, %y = %v) -> (!ttg.memdesc<256xf32, #shared, #smem, mutable>, tensor<256xf32, #r>, tensor<256xf32, #l>) : i32 {
      %w = ttg.local_load %at : !ttg.memdesc<256xf32, #shared, #smem, mutable> -> tensor<256xf32, #r>
      %next = arith.addf %sum, %w : tensor<256xf32, #r>
      %z = arith.addf %y, %y : tensor<256xf32, #l>
      %u = arith.addi %t, %c1 : i32
      %b = arith.remsi %u, %c2 : i32
      %other = ttg.memdesc_index %m[%b] : !ttg.memdesc<2x256xf32, #shared, #smem, mutable> -> !ttg.memdesc<256xf32, #shared, #smem, mutable>
      ttg.local_store %z, %other : tensor<256xf32, #l> -> !ttg.memdesc<256xf32, #shared, #smem, mutable>
      scf.yield %other, %next, %z : !ttg.memdesc<256xf32, #shared, #smem, mutable>, tensor<256xf32, #r>, tensor<256xf32, #l>
    }
    amdg.buffer_store %s#1, %o[%j] : tensor<256xf32, #r>
    tt.return
  }
}
END2
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    s = tl.zeros((B,), tl.float32)
    for t in range(n):
        s += v
        v += v
    tl.store(o + i, s)
END2
    tritrun -o o=want.npy k.tri arange:f32:256 empty:f32:256 5 256
    tritrun -arch=sim:gfx942 -expect arg1=@want.npy k.ttgir arange:f32:256 empty:f32:256 5
    tritcc -emit=hsaco=k.hsaco k.ttgir
}

@test "the simulator sees a barrier that is missing, a mask that is wrong, and buffers that overlap" {
    printf '%s\n' "$product" >k.tri
    local arrays=(randint:f16:64x64:seed=1,low=-9,high=9 randint:f16:64x64:seed=2,low=-9,high=9 empty:f32:64x64)
    tritrun k.tri -o c=want.npy "${arrays[@]}" 64 64 64
    for chip in gfx942 gfx950 gfx1100 gfx1201; do
        tritcc "-arch=$chip" -emit=ttgir=k.ttgir -sig 'k(*fp16:16:S, *fp16:16:S, *fp32:16:S, 64, 64, 64)' k.tri
        tritrun "-arch=sim:$chip" -expect c=@want.npy k.ttgir "${arrays[@]}"
        sed '/ttg.barrier local/d' k.ttgir >wrong.ttgir
        ! cmp -s k.ttgir wrong.ttgir
        run -1 tritrun "-arch=sim:$chip" wrong.ttgir "${arrays[@]}"
        [[ $output == *"error: shared memory race"* ]]
        # the second operand's buffer begins before the first one ends
        sed -E 's/allocation.offset = 8192/allocation.offset = 4096/' k.ttgir >wrong.ttgir
        ! cmp -s k.ttgir wrong.ttgir
        run -1 tritrun "-arch=sim:$chip" -expect c=@want.npy wrong.ttgir "${arrays[@]}"
    done
    cat >m.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)
END2
    for chip in gfx942 gfx1201; do
        for small in '' :S; do
            tritcc "-arch=$chip" -emit=ttgir=m.ttgir -sig "k(*fp32$small, *fp32$small, i32, 1024)" m.tri
            tritrun "-arch=sim:$chip" m.ttgir zeros:f32:1000 empty:f32:1000 1000
            sed 's/arith.cmpi slt/arith.cmpi sle/' m.ttgir >wrong.ttgir
            run -1 tritrun "-arch=sim:$chip" wrong.ttgir zeros:f32:1000 empty:f32:1000 1000
            [[ $output == *"error: global access out of bounds"* ]]
        done
    done
}

@test "remarks about products say what to change" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(a, b, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(a + i * K + tl.arange(0, K)[None, :])
    tl.store(o + i * N + j, tl.dot(x, tl.load(b + tl.arange(0, K)[:, None] * N + j)))
END
    says() {
        tritcc -arch="$1" -emit=llir=k.ll -Rpass-missed=dot -sig "k($2:16, $2:16, $3:16, M=32, N=32, K=$4)" k.tri
        [[ $errors == *"k.tri:9:"*"no matrix instruction: $5"* ]]
    }
    says gfx1100 '*fp32' '*fp32' 16 'none here multiplies float32 with sums in float32; float16 and bfloat16 with sums'
    says gfx942 '*fp16' '*fp32' 4 'K is less than 16; a block of so many along K, zeros where it ends, has one'
    says pvc '*fp16' '*fp32' 8 'K is less than 16; a block of so many along K, zeros where it ends, has one'
    says pvc '*fp64' '*fp64' 16 "none here multiplies float64 with sums in float64; float32 with input_precision='tf32x3'"
}

# scaled FORMAT_A FORMAT_B SCALE_A SCALE_B M N K WARPS: the simulator's numbers are those of elements and scales
# multiplied one by one.
scaled() {
    local here=$SRCDIR/tests/exec ak=$7 bk=$7 a b
    operand() {
        case $1 in
        e2m1) echo "randint:u8:$2x$3:seed=$4,low=0,high=256" ;;
        e4m3) echo "randn:fp8e4:$2x$3:seed=$4" ;;
        e5m2) echo "randn:fp8e5:$2x$3:seed=$4" ;;
        esac
    }
    [ "$1" != e2m1 ] || ak=$(($7 / 2))
    [ "$2" != e2m1 ] || bk=$(($7 / 2))
    a=$(operand "$1" "$5" $ak 1) b=$(operand "$2" $bk "$6" 2)
    set -- "$a" "randint:u8:$5x$(($7 / 32)):seed=3,low=120,high=135" "$b" \
        "randint:u8:$6x$(($7 / 32)):seed=4,low=120,high=135" "zeros:f32:$5x$6" "$5" "$6" "$7" "FA='$1'" "FB='$2'" \
        "SA=$3" "SB=$4" PA=True PB=True NAN=0 "-num-warps=$8"
    tritrun "$here/scaled.tri" -k scaled -o out=plain.npy "$@" PLAIN=True
    tritrun "$here/scaled.tri" -k scaled -arch=sim:gfx950 -expect out=@plain.npy -rtol=1e-4 -atol=1e-2 "$@" PLAIN=False
}

@test "products with scales give the right numbers in every pair of formats" {
    for a in e2m1 e4m3 e5m2; do
        for b in e2m1 e4m3 e5m2; do
            scaled $a $b True True 32 64 128 1   # 16 x 16 x 128 and 32 x 32 x 64 by the number of waves
            scaled $a $b True False 64 32 256 4
            scaled $a $b False True 16 16 128 1
            scaled $a $b True True 128 32 64 2
        done
    done
}

@test "products with scales are one instruction each on gfx950, and multiplied out elsewhere" {
    mc=$(tool llvm-mc) lld=$(tool ld.lld)
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(a, sa, b, sb, c, FA: tl.constexpr, FB: tl.constexpr, PA: tl.constexpr, PB: tl.constexpr, K: tl.constexpr, G: tl.constexpr):
    i = tl.arange(0, 64)
    x = tl.load(a + i[:, None] * (K // PA) + tl.arange(0, K // PA)[None, :])
    y = tl.load(b + i[None, :] * (K // PB) + tl.arange(0, K // PB)[:, None])
    s = tl.load(sa + i[:, None] * (K // G) + tl.arange(0, K // G)[None, :])
    t = tl.load(sb + i[:, None] * (K // G) + tl.arange(0, K // G)[None, :])
    tl.store(c + i[:, None] * 64 + i[None, :], tl.dot_scaled(x, s, FA, y, t, FB))
END
    of() { echo "k(*$1:16:S, *$5:16:S, *$2:16:S, *$5:16:S, *fp32:16:S, '$3', '$4', $([ "$1" = u8 ] && echo 2 || echo 1), $([ "$2" = u8 ] && echo 2 || echo 1), $6, $7)"; }
    while read -r a b format_a format_b want; do
        tritcc -arch=gfx950 -emit=amdgcn=k.amdgcn,hsaco=k.hsaco -sig "$(of "$a" "$b" "$format_a" "$format_b" u8 128 32)" k.tri
        [ "$(grep -c "v_mfma_scale_f32_32x32x64_f8f6f4.*$want\$" k.amdgcn)" = 2 ]
        "$mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj k.amdgcn -o kernel.o
        "$lld" -shared --no-undefined kernel.o -o want.hsaco
        cmp want.hsaco k.hsaco
    done <<'END'
u8 u8 e2m1 e2m1 cbsz:4 blgp:4
fp8e4nv u8 e4m3 e2m1 cbsz:4
fp8e5 fp8e4nv e5m2 e4m3 blgp:1
END
    # scales of 16 elements are floats; K of 32 is no instruction's; other chips have none
    tritcc -arch=gfx950 -emit=amdgcn=k.s -sig "$(of u8 u8 e2m1 e2m1 fp8e4nv 128 16)" k.tri
    run -1 grep -q mfma_scale k.s
    grep -q v_mfma_f32_32x32x16_bf16 k.s
    tritcc -arch=gfx950 -emit=amdgcn=k.s -sig "$(of u8 u8 e2m1 e2m1 u8 32 32)" k.tri
    run -1 grep -q mfma_scale k.s
    tritcc -arch=gfx942 -emit=amdgcn=k.s -sig "$(of u8 u8 e2m1 e2m1 u8 128 32)" k.tri
    grep -q v_mfma_f32_32x32x8_bf16 k.s
}

@test "the source's own assembly is AMD's" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, o, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(o + i, tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [v], dtype=tl.float32, is_pure=True, pack=1))
END2
    for chip in gfx90a gfx942 gfx950 gfx1100 gfx1201; do
        tritcc -arch=$chip -emit=amdgcn=k.s,hsaco=k.hsaco -sig "*fp32:S, *fp32:S, 'v_add_f32 \$0, \$1, \$1', '=v,v'" k.tri
        grep -q 'v_add_f32.* v[0-9]*, v[0-9]*, v[0-9]*' k.s
    done
    tritcc -1 -arch=gfx942 -emit=hsaco=k.hsaco -sig "*fp32, *fp32, 'add.f32 \$0, \$1, \$1;', '=f,f'" k.tri
    [[ $errors == *"k.tri:8:21: error: 'tt.elementwise_inline_asm' cannot be lowered for 'gfx942': the constraint '=f' names no register of AMD's GPUs"* ]]
    tritcc -1 -arch=gfx942 -emit=llir=k.ll -sig "*fp32, *fp32, 'add.f32 \$0, \$1, \$1;', '=r,r'" k.tri
    [[ $errors == *"k.tri:8:21: error: "*"the assembly is not the device's: line 1: invalid instruction"* ]]
    tritcc -1 -arch=gfx1100 -emit=llir=k.ll -sig "*fp32, *fp32, 'v_pk_add_f32 \$0, \$1, \$1', '=v,v'" k.tri
    [[ $errors == *"the assembly is not the device's: line 1: "* ]] # gfx942 has it
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -sig "*fp32, *fp32, 'v_add_f32 \$0, \$1, \$1', '=v,v'" k.tri
    [[ $errors == *"k.tri:8:21: error: "*"the constraint '=v' names no register of PTX"* ]]
    tritcc -1 -arch=sm_80 -emit=ptx=k.ptx -sig "*fp32, *fp32, 'mov.b32 \$0, \$1;', '=r,q!?'" k.tri
    [[ $errors == *"k.tri:8:21: error: "*"the constraint 'q!?' names no register of PTX"* ]]
    # what may be in any register is in one of the wave here
    tritcc -arch=gfx942 -emit=llir=k.ll -sig "*fp32, *fp32, 's_mov_b32 \$0, \$1', '=r,r'" k.tri
    TRITCC=$TRITRUN tritcc -1 -arch=sim:gfx942 k.tri arange:f32:64 empty:f32:64 "TEXT='v_add_f32 \$0, \$1, \$1'" "CONSTRAINTS='=v,v'"
    [[ $errors == *"k.tri:8:21: error: "*"the simulator does not run AMD's assembly"* ]]
}

@test "types, shared memory and warps that a chip does not have are errors at their place" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    l = tl.arange(0, K)
    tl.store(c + i * N + j, tl.dot(tl.load(a + i * K + l[None, :]), tl.load(b + l[:, None] * N + j)))
END2
    tritcc -1 -arch=gfx942 -emit=hsaco=k.hsaco -sig '*fp16, *fp16, *fp32, 256, 256, 256' k.tri
    [[ $errors == *"k.tri:5:1: error: 'k' needs "*" bytes of shared memory; the target has 65536 [TRI-6003]"*"k.tri:9:"*"note: "* ]]
    tritcc -arch=gfx950 -emit=hsaco=k.hsaco -sig '*fp16, *fp16, *fp32, 128, 128, 256' k.tri # has 160 KiB
    tritcc -1 -arch=gfx942 -num-warps=32 -emit=hsaco=k.hsaco -sig '*fp16, *fp16, *fp32, 64, 64, 64' k.tri
    [[ $errors == *"k.tri:5:1: error: 32 warps are 2048 threads; 'gfx942' allows 1024 in a block [TRI-6003]"* ]]
    tritcc -arch=gfx1100 -num-warps=32 -emit=hsaco=k.hsaco -sig '*fp16, *fp16, *fp32, 64, 64, 64' k.tri # warps of 32
    for chip in gfx90a gfx950 gfx1201; do
        tritcc -arch=$chip -emit=hsaco=k.hsaco -sig '*fp8e4b8, *fp8e4b8, *fp32, 64, 64, 64' k.tri # as f16
    done
    tritcc -1 -arch=gfx1100 -emit=hsaco=k.hsaco -sig '*fp32, *fp32, *fp32, 256, 256, 256' k.tri # LLVM does not end
    [[ $errors == *"k.tri:9:"*"131072 multiply-adds of a thread: the kernel becomes too much code [TRI-4010]"*"-fmax-ops=N allows more"* ]]
    tritcc -2 -arch=gfx1110 -emit=hsaco=k.hsaco -sig '*fp16, *fp16, *fp32, 64, 64, 64' k.tri
    [[ $errors == *"unknown architecture 'gfx1110'; did you mean 'gfx1100'?"* ]]
}

# On two chips each, by turns; `make check-all` takes them all.
@test "every kernel of the benchmarks is a code object that LLVM's tools read, on each chip" {
    readelf=$(tool llvm-readelf) objdump=$(tool llvm-objdump)
    local count=0 row=0 turns=2
    [ "${MATRIX_OPTIONS-}" != -a ] || turns=${#CHIPS[@]}
    while IFS='|' read -r name source kernel warps _ types; do
        kernel=${kernel// /} source=${source// /} name=${name// /}
        case $name in '' | '#'*) continue ;; esac
        row=$((row + 1))
        for ((turn = 0; turn < turns; turn++)); do
            chip=${CHIPS[(row * 2 + turn) % ${#CHIPS[@]}]}
            [ "$warps" -le 16 ] || warps=16
            tritcc "-arch=$chip" -emit=hsaco=k.hsaco -k "$kernel" "-num-warps=${warps// /}" -num-stages=2 -sig "$types" \
                "$SRCDIR/bench/gpu/$source"
            "$readelf" --notes k.hsaco >notes
            grep -q "\.name: *$kernel" notes
            "$objdump" -d "--mcpu=$chip" k.hsaco >code
            run -1 grep -c 'illegal\|<unknown>' code
            count=$((count + 1))
        done
    done <"$SRCDIR/bench/gpu/kernels.list"
    [ $count -gt $((20 * turns)) ]
}

# Some registers more than leave room for a second block, as LLVM makes it at first.
product_of_gfx90a() {
    tritcc -arch=gfx90a -emit=amdgcn=k.s --resource-usage -num-warps=8 -num-stages=2 -k matmul_kernel "$@" \
        -sig "*fp32:16:S,*fp32:16:S,*fp32:16:S,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,128,32,8" \
        "$SRCDIR/bench/gpu/kernels/matmul.tri"
}

@test "code is made again where an eighth fewer registers let one more block run" {
    product_of_gfx90a -fno-fit-registers
    [[ $errors == *" 0 bytes spilled"*": 1 block per"*"limited by registers"* ]]
    product_of_gfx90a
    [[ $errors == *" 0 bytes spilled"*": 2 blocks"* ]]
    [ "$(sed -n 's/^ *\.vgpr_count: *//p' k.s)" -le 128 ]
    # where LLVM's usual order would spill for it, in the one that takes fewest registers, without its warning
    delta() {
        tritcc -arch=gfx90a -emit=amdgcn=d.s --resource-usage -num-warps=4 -k attention_bwd_delta "$@" \
            -sig '*bf16:16:S,*bf16:16:S,*fp32:16:S,i32:16,128,64' "$SRCDIR/bench/gpu/kernels/attention_bwd.tri"
    }
    delta -fno-fit-registers
    [[ $errors == *" 0 bytes spilled"*": 7 blocks"*"limited by registers"* ]]
    delta
    [[ $errors == *" 0 bytes spilled"*": 8 blocks"* && $errors != *warning* ]]
}

@test "a scan's totals are taken in one after the other" {
    # 32 runs of 64-bit sums: all at once they took 95 registers
    tritcc -arch=gfx1100 -emit=amdgcn=k.s -sig '*i64:S, *i64:S, i32, 1024' - <<'END'
import triton
import triton.language as tl


@triton.jit
def k(x, y, s, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i * s, tl.cumsum(tl.load(x + i * s), 0))
END
    [ "$(sed -n 's/^ *\.vgpr_count: *//p' k.s)" -le 72 ]
}

@test "operands that lanes convert are read from shared memory slice by slice" {
    tritcc -arch=gfx1100 -emit=amdgcn=k.s --resource-usage -num-warps=8 -num-stages=2 -k matmul_kernel \
        -sig "*fp8e4nv:16:S,*fp8e4nv:16:S,*fp16:16:S,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,i32:16,1,128,256,64,8" \
        "$SRCDIR/bench/gpu/kernels/matmul.tri"
    [[ $errors == *" per thread, 0 bytes spilled"* ]]
}

@test "a few registers are spilled for twice as many blocks" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, y, n):
    i = tl.arange(0, 32768)
    j = tl.arange(0, 16384)
    k = tl.arange(0, 4096)
    l = tl.arange(0, 2048)
    e = tl.load(x + 61440 + l)
    a = tl.load(x + i)
    b = tl.load(x + 32768 + j)
    c = tl.load(x + 49152 + k)
    d = tl.load(x + 57344 + l)
    s = tl.sum(a) + tl.sum(b) + tl.sum(c) + tl.sum(d) + tl.sum(e)
    tl.store(y + i, a * s, mask=i < n)
    tl.store(y + 32768 + j, b - s, mask=j < n)
    tl.store(y + 49152 + k, c + s, mask=k < n)
    tl.store(y + 57344 + l, d / s, mask=l < n)
    tl.store(y + 61440 + l, e * s, mask=l < n)
END2
    for_many() { tritcc -arch=gfx90a -emit=amdgcn=c.s --resource-usage -num-warps=16 "$@" -sig '*fp32:16, *fp32:16, i32:16' k.tri; }
    for_many -fno-fit-registers
    [[ $errors == *": 1 block"*"limited by registers"* ]]
    for_many
    spilled=$(sed -n 's/^ *\.vgpr_spill_count: *//p' c.s)
    [[ $errors == *": 2 blocks"* && $spilled -gt 0 && $spilled -le 4 ]]
}

@test "columns are compared with a label by their distance, which takes one register" {
    for chip in gfx90a gfx950; do
        tritcc -arch=$chip -emit=amdgcn=c.s,llir=c.ll --resource-usage -num-warps=16 -k cross_entropy_kernel \
            "$SRCDIR/bench/gpu/kernels/cross_entropy.tri" -sig '*bf16:16:S,i32:16,*i64:16:S,*fp32:16:S,i32:16,i32:16,i32,32768'
        [[ $errors == *" 0 bytes spilled"*": 2 blocks"* ]]
        [ "$(sed -n 's/^ *\.vgpr_count: *//p' c.s)" -le 56 ]
    done
    distance=$(sed -n 's/^ *\(%[0-9]*\) = freeze i32 .*/\1/p' c.ll)
    [ "$(grep -cE "icmp eq i32 $distance, [0-9]+\$" c.ll)" = 29 ]
}

@test "floats become bf16 by four instructions where the chip has none for it" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, y):
    i = tl.arange(0, 256)
    a = tl.load(x + i).to(tl.bfloat16)
    tl.store(y + i, a * a)
END2
    for chip in gfx90a gfx1201; do
        tritcc "-arch=$chip" -emit=amdgcn=k.s,llir=k.ll -num-warps=1 -sig '*fp32:16:S, *bf16:16:S' k.tri
        ! grep -q 0x400000 k.s && grep -q v_cmp_o_f32 k.s
    done
    tritcc -arch=gfx950 -emit=amdgcn=k.s -num-warps=1 -sig '*fp32:16:S, *bf16:16:S' k.tri
    grep -q v_cvt_pk_bf16_f32 k.s && ! grep -q v_cmp_o_f32 k.s
    # of numbers that LLVM knows: to the nearest, to even between two, infinity above the largest, NaN of any NaN
    sed -i -e 's/    a = .*//' -e 's/    tl.store.*/    tl.store(y, x.to(tl.bfloat16))/' k.tri
    tritcc -arch=gfx942 -emit=llir=k.ll -sig 'fp32, *bf16:16:S' k.tri
    opt=$(tool opt)
    while read -r bits want; do
        sed "s/bitcast float %0 to i32/add i32 0, $((bits))/; s/fcmp ord float %0, %0/fcmp ord float bitcast (i32 $((bits)) to float), 0.0/" k.ll |
            "$opt" -passes=instcombine -S | grep -q "store bfloat 0xR$want,"
    done <<'END2'
0x3f800000 3F80
0x3f808000 3F80
0x3f808001 3F81
0x3f818000 3F82
0x7f7fffff 7F80
0xff800000 FF80
0x80000000 8000
0x7f800001 7FFF
0x7fffffff 7FFF
0xffffffff 7FFF
END2
}

@test "-maxnreg, -waves-per-eu, -matrix-instr-nonkdim and -kpack, as options and as words of a configuration" {
    cat >sm.tri <<'K'
import triton
import triton.language as tl

@triton.jit
def k(x: "*fp32:16", y: "*fp32:16", N: tl.constexpr):
    o = tl.arange(0, N)
    v = tl.load(x + o)
    e = tl.exp(v - tl.max(v, 0)) * tl.load(y + o)
    tl.store(x + o, e / tl.sum(e, 0))
K
    count() { sed -n 's/^ *\.vgpr_count: *//p' "$1"; }
    for arch in gfx90a gfx942 gfx1100; do
        tritcc -arch=$arch -fno-fit-registers -emit=amdgcn=free -sig 'k(N=16384)' sm.tri
        tritcc -arch=$arch -maxnreg=100 -emit=amdgcn=bound -sig 'k(N=16384)' sm.tri
        [ "$(count free)" -gt 100 ] && [ "$(count bound)" -le 100 ] && [ -z "$errors" ]
    done
    # 5 waves of 64 lanes leave 96 registers of 512 to each, 4 leave 128
    tritcc -arch=gfx942 -waves-per-eu=5 -emit=amdgcn=five,llir=- -sig 'k(N=16384)' sm.tri
    [[ $output == *'"amdgpu-waves-per-eu"="5,5"'* ]] && [ "$(count five)" -le 96 ]
    cat >t.tri <<K
$product
@triton.autotune([triton.Config(dict(M=64, waves_per_eu=2, matrix_instr_nonkdim=16, kpack=2)), triton.Config(dict(M=64, matrix_instr_nonkdim=4)),
    triton.Config(dict(M=64, waves_per_eu=0, kpack=3))], key=[])
@triton.jit
def tuned(a, b, c, M: tl.constexpr):
    k(a, b, c, M, 64, 64)
K
    sig='tuned(*fp16:16, *fp16:16, *fp32:16)'
    tritcc -arch=gfx942 -emit=ttgir=-,llir=l,json=j -k tuned -sig "$sig" t.tri
    [[ $output == *'instrShape = [16, 16, 16]'*'kWidth = 8'* ]]
    grep -q '"amdgpu-waves-per-eu"="2,2"' l
    [[ $(tr -d ' \n' <j) == *'"waves_per_eu":2,"matrix_instr_nonkdim":16,"kpack":2,'* ]]
    tritcc -arch=gfx942 -matrix-instr-nonkdim=32 -kpack=1 -emit=ttgir=- -k tuned -sig "$sig" t.tri # options stand above it
    [[ $output == *'instrShape = [32, 32, 8]'*'kWidth = 4'* ]]
    tritcc -arch=gfx950 -emit=ttgir=- -k tuned -sig "$sig" t.tri # 16 bytes are one instruction's
    [[ $output == *'instrShape = [16, 16, 32]'*'kWidth = 8'* ]]
    tritcc -arch=gfx1201 -emit=ttgir=- -k tuned -sig "$sig" t.tri # whose instructions have one size
    [[ $output == *amd_wmma* ]]
    tritcc -arch=gfx942 -emit=hsaco=s -k tuned -sig "$sig" -config=0 t.tri
    for arch in gfx942 sm_80; do # NVIDIA's GPUs have nothing of the kind
        tritrun -arch=sim:$arch -k tuned -o c=$arch.npy t.tri randint:f16:64x64:seed=1,low=-9,high=9 \
            randint:f16:64x64:seed=2,low=-9,high=9 c=zeros:f32:64x64
    done
    cmp gfx942.npy sm_80.npy
    tritcc -1 -arch=gfx942 -emit=hsaco=x -k tuned -sig "$sig" -config=1 t.tri
    [[ $errors == *"t.tri:13:"*"error: 'tuned' asks for a matrix_instr_nonkdim of 4; 'gfx942' has 16 and 32 [TRI-6003]"* ]]
    tritcc -1 -arch=gfx942 -emit=hsaco=x -k tuned -sig "$sig" -config=2 t.tri
    [[ $errors == *"error: 'tuned' asks for a kpack of 3; 'gfx942' has 1 and 2 [TRI-6003]"* ]]
    tritcc -1 -arch=gfx942 -waves-per-eu=9 -emit=hsaco=x -k tuned -sig "$sig" t.tri
    [[ $errors == *"error: 9 waves per SIMD unit are too many: 'gfx942' has room for 8 [TRI-6003]"* ]]
    tritcc -arch=gfx942 -maxnreg=16 -emit=hsaco=x -k tuned -sig "$sig" t.tri
    [[ $errors == *"t.tri:"*": warning: 'tuned' takes "*"not 16 as -maxnreg asks: waves_per_eu says how many waves run"* ]]
}

@test "maxima take one instruction, and what the first product of attention gives is written as it lies" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(a, b, v, o, N: tl.constexpr):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    s = tl.dot(tl.load(a + at), tl.trans(tl.load(b + at)))
    p = tl.exp2(s - tl.max(s, 1)[:, None])
    tl.store(o + at, tl.dot(p.to(tl.float16), tl.load(v + at)))
END2
    for chip in gfx90a gfx942 gfx950; do
        tritcc "-arch=$chip" -num-warps=8 -emit=amdgcn=k.s -sig 'k(*fp16:16:S, *fp16:16:S, *fp16:16:S, *fp32:16:S, N=1)' k.tri
        run -1 grep -E 'ds_write_b16|v_max_f32_e32 (v[0-9]+), (v[0-9]+), \2$' k.s
    done
    for chip in gfx942 gfx950; do
        arguments=(randn:f16:64x64:seed=1 randn:f16:64x64:seed=2 randn:f16:64x64:seed=3 o=zeros:f32:64x64)
        "$BUILDDIR/tritrun" -o o=right.npy k.tri "${arguments[@]}" N=1
        "$BUILDDIR/tritrun" "-arch=sim:$chip" -num-warps=8 -expect=o=@right.npy -rtol=1e-2 -atol=1e-2 k.tri "${arguments[@]}" N=1
    done
}

@test "a row is broadcast to a layout that differs in what it says of rows" {
    cat >rows.ttgir <<'END2'
#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [1, 64], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%p: !tt.ptr<i32>) {
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x256xi32, #a>
    %w = tt.broadcast %e : tensor<1x256xi32, #a> -> tensor<64x256xi32, #b>
    %q = tt.splat %p : !tt.ptr<i32> -> tensor<64x256x!tt.ptr<i32>, #b>
    %x = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %y = tt.expand_dims %x {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %c = arith.constant dense<256> : tensor<64x1xi32, #b>
    %z = arith.muli %y, %c : tensor<64x1xi32, #b>
    %v = tt.broadcast %z : tensor<64x1xi32, #b> -> tensor<64x256xi32, #b>
    %o = arith.addi %v, %w : tensor<64x256xi32, #b>
    %a = tt.addptr %q, %o : tensor<64x256x!tt.ptr<i32>, #b>, tensor<64x256xi32, #b>
    tt.store %a, %w : tensor<64x256x!tt.ptr<i32>, #b>
    tt.return
  }
}
END2
    "$BUILDDIR/tritrun" -arch=sim:gfx942 rows.ttgir arg0=zeros:i32:64x256 -o arg0=rows.npy
    cat >want.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def want(p, N: tl.constexpr):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 256)[None, :]
    tl.store(p + i * 256 + j, j + i * 0)
END2
    "$BUILDDIR/tritrun" -expect=p=@rows.npy want.tri p=zeros:i32:64x256 1
}

# write_copies CHIP ELEMENTS BUFFER RANGE: a kernel that copies two tiles of f16, ELEMENTS of a thread at a time, through a BUFFER (its layout,
# SIZE stands for the elements), and adds them up; the second one may be under way while the first is read.
write_copies() {
    local n=$((512 * $2))
    cat >direct.ttgir <<END2
#l = #ttg.blocked<{sizePerThread = [$2], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = ${3//SIZE/$n}
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:$1", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32$4}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32$4}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = $n : i32, start = 0 : i32} : tensor<${n}xi32, #l>
    %j = tt.splat %n : i32 -> tensor<${n}xi32, #l>
    %m = arith.cmpi slt, %i, %j : tensor<${n}xi32, #l>
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<${n}x!tt.ptr<f16>, #l>
    %q = tt.addptr %p, %i : tensor<${n}x!tt.ptr<f16>, #l>, tensor<${n}xi32, #l>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x${n}xf16, #s, #smem, mutable>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b0 = ttg.memdesc_index %b[%c0] : !ttg.memdesc<2x${n}xf16, #s, #smem, mutable> -> !ttg.memdesc<${n}xf16, #s, #smem, mutable>
    %b1 = ttg.memdesc_index %b[%c1] : !ttg.memdesc<2x${n}xf16, #s, #smem, mutable> -> !ttg.memdesc<${n}xf16, #s, #smem, mutable>
    %c = ttg.async_copy_global_to_local %q, %b0 mask %m : tensor<${n}x!tt.ptr<f16>, #l> -> <${n}xf16, #s, #smem, mutable>
    %t = ttg.async_commit_group tokens %c
    %d = ttg.async_copy_global_to_local %q, %b1 mask %m : tensor<${n}x!tt.ptr<f16>, #l> -> <${n}xf16, #s, #smem, mutable>
    %u = ttg.async_commit_group tokens %d
    %w = ttg.async_wait %t {num = 1 : i32}
    %v = ttg.local_load %b0 token %w : !ttg.memdesc<${n}xf16, #s, #smem, mutable> -> tensor<${n}xf16, #l>
    %w1 = ttg.async_wait %u {num = 0 : i32}
    %v1 = ttg.local_load %b1 token %w1 : !ttg.memdesc<${n}xf16, #s, #smem, mutable> -> tensor<${n}xf16, #l>
    %a = arith.addf %v, %v1 : tensor<${n}xf16, #l>
    %o = tt.splat %out : !tt.ptr<f16> -> tensor<${n}x!tt.ptr<f16>, #l>
    %r = tt.addptr %o, %i : tensor<${n}x!tt.ptr<f16>, #l>, tensor<${n}xi32, #l>
    tt.store %r, %a : tensor<${n}x!tt.ptr<f16>, #l>
    tt.return
  }
}
END2
}

# copies_directly CHIP ELEMENTS BUFFER RANGE INSTRUCTION: their code has this instruction, waits for the first of two
# tiles only, then for both, and never else; the simulator's numbers are right.
copies_directly() {
    local n=$((512 * $2))
    write_copies "$1" "$2" "$3" "$4"
    tritcc "-arch=$1" -emit=amdgcn=direct.s,hsaco=direct.hsaco direct.ttgir
    [ "$(grep -cE "$5" direct.s)" = 4 ]
    [ "$(grep -oE 'vmcnt\([0-9]+\)' direct.s | tr '\n' ' ')" = "vmcnt(2) vmcnt(0) " ]
    ! grep -q 'ds_write' direct.s
    llvm-mc-22 -triple=amdgcn-amd-amdhsa "-mcpu=$1" -filetype=obj direct.s -o direct.o
    cat >sum.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def sum(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v + v)
END2
    "$BUILDDIR/tritrun" -o y=right.npy sum.tri "arange:f16:$n" "y=zeros:f16:$n" $((n - 48)) "$n"
    "$BUILDDIR/tritrun" "-arch=sim:$1" -expect=arg1=@right.npy direct.ttgir "arange:f16:$n" "arg1=ones:f16:$n" $((n - 48))
}

@test "lanes copy side by side to shared memory past registers, waits count instructions" {
    local plain='#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>' near=', tt.pointer_range = 32 : i32'
    copies_directly gfx942 2 "$plain" "$near" 'buffer_load_dword .* lds'
    copies_directly gfx942 2 '#ttg.padded_shared<[128:+8] {order = [0], shape = [SIZE]}>' '' 'global_load_lds_dword '
    copies_directly gfx950 8 "$plain" "$near" 'buffer_load_dwordx4 .* lds'
    copies_directly gfx950 8 '#ttg.padded_shared<[512:+16] {order = [0], shape = [SIZE]}>' '' 'global_load_lds_dwordx4 '
    # padding inside of what a wave writes, and widths that the chip lacks, go through registers
    write_copies gfx950 8 '#ttg.padded_shared<[64:+8] {order = [0], shape = [SIZE]}>' "$near"
    tritcc -arch=gfx950 -emit=amdgcn=direct.s direct.ttgir
    ! grep -q 'lds$' direct.s && grep -q ds_write direct.s
    write_copies gfx942 8 "$plain" "$near"
    tritcc -arch=gfx942 -emit=amdgcn=direct.s direct.ttgir
    ! grep -q 'lds$' direct.s && grep -q ds_write direct.s
}

@test "on gfx950 loops copy the next operands past registers, and wait for them once" {
    tritcc -arch=gfx950 -emit=amdgcn=k.s,hsaco=k.hsaco -num-warps=4 -num-stages=2 -k matmul_kernel \
        -sig "*fp16:16:S,*fp16:16:S,*fp16:16:S,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,i32:16,1,128,128,64,8" \
        "$SRCDIR/bench/gpu/kernels/matmul.tri"
    [ "$(grep -c 'buffer_load_dwordx4 .* lds' k.s)" = 16 ]
    ! grep -qE 'ds_write|buffer_load_dwordx4 v\[' k.s
    # an operand that lies across K is turned over on its way through registers
    tritcc -arch=gfx950 -emit=amdgcn=k.s -num-warps=4 -num-stages=2 -k matmul_kernel \
        -sig "*fp16:16:S,*fp16:16:S,*fp16:16:S,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,128,64,8" \
        "$SRCDIR/bench/gpu/kernels/matmul.tri"
    [ "$(grep -c 'buffer_load_dwordx4 .* lds' k.s)" = 8 ]
    grep -q 'ds_write' k.s
}

@test "a wave's sum takes exchanges inside of rows of 16 lanes, and a lane of each row as a scalar" {
    local chip
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, y, z):
    v = tl.load(x + tl.arange(0, 1024))
    tl.store(y, tl.sum(v, 0))
    tl.store(z, tl.argmax(v, 0))
END2
    "$BUILDDIR/tritrun" k.tri randn:f32:1024:seed=1 y=zeros:f32:1 z=zeros:i32:1 -o y=y.npy -o z=z.npy
    for chip in gfx90a gfx942 gfx1100 gfx1201; do
        tritcc "-arch=$chip" -emit=amdgcn=k.s,hsaco=k.hsaco -sig '*fp32:S, *fp32:S, *i32:S' k.tri
        grep -q v_readlane_b32 k.s
        "$BUILDDIR/tritrun" "-arch=sim:$chip" k.tri randn:f32:1024:seed=1 y=zeros:f32:1 z=zeros:i32:1 \
            -expect=y=@y.npy -expect=z=@z.npy -rtol=1e-4 -atol=1e-4
        cat >sum.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def sum(x, y):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, 1024)), 0))
END2
        tritcc "-arch=$chip" -emit=amdgcn=k.s -num-warps=1 -sig '*fp32:S, *fp32:S' sum.tri
        ! grep -qE 'ds_(bpermute|swizzle)' k.s
    done
}

@test "a wait that is left out, or counts too many, is found where lanes copy side by side" {
    write_copies gfx950 8 '#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>' ''
    tritcc -arch=gfx950 -passes=allocate-global-scratch,allocate-shared-memory,membar direct.ttgir -o planned.ttgir
    sed -i 's/ttg.async_wait %\([0-9]*\) {num = 1 : i32}/ttg.async_wait {num = 2 : i32}/' planned.ttgir
    run -1 "$BUILDDIR/tritrun" -arch=sim:gfx950 planned.ttgir arange:f16:4096 zeros:f16:4096 4096
    [[ $output == *"before the asynchronous copy of thread"* ]]
    [[ $output == *"shared memory with a copy in flight"* ]]
}

@test "copies to shared memory of Triton's texts, as instructions or as loads and stores, are waited for" {
    local chip
    for chip in gfx942 gfx950; do
        cat >copies.ttgir <<END2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:$chip", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @copies(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32>, %n: i32) {
    %o = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #l>
    %z = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #r>
    %k = tt.splat %n : i32 -> tensor<1024xi32, #l>
    %m = arith.cmpi slt, %o, %k : tensor<1024xi32, #l>
    %b = ttg.local_alloc : () -> !ttg.memdesc<1024xf32, #s, #smem, mutable>
    %t = amdg.buffer_load_to_local %p[%o] mask = %m into %b : !tt.ptr<f32>[tensor<1024xi32, #l>] -> <1024xf32, #s, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %x = ttg.local_load %b token %w : !ttg.memdesc<1024xf32, #s, #smem, mutable> -> tensor<1024xf32, #r>
    %v = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #r>
    %q = tt.addptr %v, %z : tensor<1024x!tt.ptr<f32>, #r>, tensor<1024xi32, #r>
    tt.store %q, %x : tensor<1024x!tt.ptr<f32>, #r>
    tt.return
  }
}
END2
        cat >want.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def want(p, y, n):
    i = tl.arange(0, 1024)
    tl.store(y + i, tl.load(p + i, mask=i < n, other=0.0))
END2
        "$BUILDDIR/tritrun" -o y=right.npy want.tri randn:f32:1024:seed=1 y=zeros:f32:1024 1000
        "$BUILDDIR/tritrun" "-arch=sim:$chip" -expect=arg1=@right.npy copies.ttgir randn:f32:1024:seed=1 arg1=ones:f32:1024 1000
        tritcc "-arch=$chip" -emit=hsaco=k.hsaco copies.ttgir
    done
}

@test "floats are computed two at a time where the chip can" {
    local chip
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def k(x, y, N: tl.constexpr):
    i = tl.arange(0, 1024)
    a = tl.load(x + i)
    for j in range(N):
        a = a * 1.5 + tl.load(x + i + j * 1024)
    tl.store(y + i, a)
END2
    for chip in gfx90a gfx942 gfx950 gfx1100; do
        tritcc "-arch=$chip" -emit=amdgcn=k.s -sig 'k(*fp32:16:S, *fp32:16:S, 100)' k.tri
        case $chip in
        gfx9*) [ "$(grep -c v_pk_fma_f32 k.s)" = 2 ] && ! grep -q v_fmac_f32 k.s ;;
        *) ! grep -q v_pk_fma_f32 k.s ;;
        esac || false
    done
}

@test "loops count in 32 bits what only buffers read, and once for columns a constant apart" {
    local chip
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def offsets(x, y, n, S: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * n + tl.arange(0, 256)
    sum = tl.zeros((256,), tl.float32)
    for i in range(0, n):
        sum += tl.load(x + rows)
        rows += S
    for i in range(0, n):
        tl.store(y + rows, sum)
        rows -= S

@triton.jit
def pointers(x, y, n):
    p = x + tl.arange(0, 256)
    sum = tl.zeros((256,), tl.float32)
    for i in range(0, n, 256):
        sum += tl.load(p, mask=i + tl.arange(0, 256) < n, other=0.0)
        p += 256
    tl.store(y + tl.arange(0, 256), sum)

@triton.jit
def columns(x, y, n, k):
    cols = tl.program_id(0).to(tl.int64) * n + tl.arange(0, 1024)
    for i in range(0, n):
        tl.store(y + cols, tl.load(x + cols * 3, mask=cols < k), mask=cols < k)
        cols += 1024
END2
    for chip in gfx942 gfx1100; do
        tritcc "-arch=$chip" -emit=llir=k.ll -k offsets -sig '*fp32:16:S, *fp32:16:S, i32, 256' k.tri
        grep -q 'phi i32' k.ll && ! grep -q 'phi i64' k.ll
        tritcc "-arch=$chip" -emit=llir=k.ll -k pointers -sig '*fp32:16:S, *fp32:16:S, i32' k.tri
        [ "$(grep -c 'raw.ptr.buffer.load.*(ptr' k.ll)" -ge 2 ] # the second loop's mask is that of the last block
        ! grep -q 'phi ptr\|ptrtoint' k.ll
        tritcc "-arch=$chip" -emit=llir=k.ll -k columns -sig '*fp32:S, *fp32:S, i32, i32' k.tri
        [ "$(grep -c 'phi i64' k.ll)" = 1 ]
        [ "$(grep -c 'icmp s.* i64' k.ll)" -ge 4 ]
    done
}

@test "floats are not paired where moves would cost more, and a scalar is stored by a branch" {
    cat >k.tri <<'END2'
import triton
import triton.language as tl

@triton.jit
def sum_of(x, y):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, 1024))))

@triton.jit
def products(x, y, z, n):
    i = tl.arange(0, 512)
    sum = tl.zeros((512,), tl.float32)
    for j in range(0, n):
        sum += tl.load(x + j * 512 + i).to(tl.float32) * tl.load(y + j * 512 + i).to(tl.float32)
    tl.store(z + i, sum)
END2
    tritcc -arch=gfx942 -emit=amdgcn=k.s -k sum_of -sig '*fp32:16:S, *fp32:16:S' k.tri
    ! grep -q 'v_pk_add_f32\|buffer_store' k.s
    grep -q global_store_dword k.s
    [ "$(sed -n 's/.*\.vgpr_count: *//p' k.s)" -le 8 ]
    tritcc -arch=gfx942 -emit=amdgcn=k.s -k products -sig '*fp16:16:S, *fp16:16:S, *fp32:16:S, i32:16' k.tri
    grep -q v_fma_mix_f32 k.s
    ! grep -q v_pk_fma_f32 k.s
}

@test "a block that no registers can hold is refused where it is loaded" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, tl.cumsum(v, 0))


@triton.jit
def scanned(y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.cumsum(i, 0))
K
    local arch
    for arch in gfx942:2048 gfx1100:4096; do
        tritcc -1 -k k -arch="${arch%:*}" -emit=amdgcn=- k.tri -sig '*fp32, *fp32, 524288'
        [[ $errors == *"k.tri:8:"*"error: ${arch#*:} values of a thread at once: the kernel becomes too much code [TRI-4010]"*"-fmax-ops=N allows more"* ]]
    done
    tritcc -1 -k scanned -arch=gfx942 -emit=amdgcn=- k.tri -sig '*i32, 524288'
    [[ $errors == *"2048 values of a thread at once"*"k.tri:15:21: note: called from here"* ]]
    tritcc -k k -num-warps=16 -arch=gfx942 -emit=llir=- k.tri -sig '*fp32, *fp32, 524288'
    tritcc -k k -fmax-ops=2097152 -arch=gfx942 -emit=llir=- k.tri -sig '*fp32, *fp32, 524288'
    tritcc -k k -arch=sm_90a -emit=llir=- k.tri -sig '*fp32, *fp32, 524288' # whose registers ptxas hands out
}

@test "values that find no register take seconds, not minutes" {
    [ -n "${MATRIX_OPTIONS-}" ] || skip "eight seconds of a processor: make check-all"
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.sin(tl.load(x + i)))
K
    (ulimit -t 20 && "$TRITCC" -arch=gfx1100 -emit=amdgcn=k.s k.tri -sig '*fp32, *fp32, 65536') # 30 s without a bound
    grep -q 'vgpr_spill_count: *1[0-9][0-9][0-9]$' k.s
}
