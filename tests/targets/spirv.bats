#!/usr/bin/env bats
# SPIR-V: valid for OpenCL, and right numbers from PoCL (SPIR-V back to LLVM IR, then built by the device).
load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"

pocl=/etc/OpenCL/vendors/pocl.icd

need_pocl() {
    need spirv-val
    need llvm-spirv-15
    need file "$pocl"
    gcc -O1 -o check "$SRCDIR/tests/targets/opencl_check.c" -lOpenCL -lm 2>/dev/null || skip "no OpenCL headers"
    export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
}

# device KIND THREADS ROWS COLUMNS: validates k.spv, builds it and compares its results.
device() {
    spirv-val --target-env opencl2.2 k.spv
    llvm-spirv-15 -r k.spv -o k.bc
    run -0 ./check "$1" k.bc "$2" "$3" "$4"
    echo "$output"
    [[ $output == *"agrees"* ]]
}

vadd() {
    tritcc -arch=spirv64 -emit=spirv=k.spv -k add_kernel -sig "*fp32:16, *fp32:16, *fp32:16, i32, $1" "$EXAMPLES/vadd/vadd.tri"
}

@test "vadd agrees on an OpenCL device" {
    need_pocl
    vadd 1024
    device vadd 128 7 1313
}

@test "softmax agrees on an OpenCL device, with 1 and with 8 warps" {
    need_pocl
    for warps in 1 8; do
        tritcc -arch=spirv64 -num-warps=$warps -emit=spirv=k.spv -k softmax_kernel \
            -sig '*fp32, *fp32, i32, i32, i32, i32, BLOCK_SIZE=1024, num_stages=2' "$EXAMPLES/softmax/softmax.tri"
        device softmax $((warps * 32)) 33 781
    done
}

@test "layernorm agrees on an OpenCL device, rows longer than a block" {
    need_pocl
    tritcc -arch=spirv64 -emit=spirv=k.spv -k _layer_norm_fwd_fused \
        -sig '*fp32, *fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, fp32, BLOCK_SIZE=1024' "$EXAMPLES/layernorm/layernorm.tri"
    device layernorm 128 5 3001
}

@test "the module is valid for OpenCL 2.2 and says its group size" {
    need spirv-val
    vadd 256
    spirv-val --target-env opencl2.2 k.spv
    need spirv-dis
    spirv-dis k.spv -o k.txt
    grep -Eq 'OpExecutionMode .* LocalSize 128 1 1' k.txt
    grep -q 'OpEntryPoint Kernel .* "add_kernel"' k.txt
}

@test "an operation that the device lacks is an error at its place" {
    cat >k.ttir <<'END'
tt.func public @k(%p: !tt.ptr<i32>, %x: i32) {
  %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}
END
    tritcc -1 -arch=spirv64 -emit=spirv=k.spv k.ttir
    [[ $errors == *"k.ttir:2:"*"'tt.elementwise_inline_asm' cannot be lowered for 'spirv64'"* ]]
    [ ! -e k.spv ]
}

@test "messages are printed by OpenCL's printf: floats as doubles where there are no sub-groups" {
    cat >k.tri <<'K'
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.device_print("100% x", tl.load(x + o), o.to(tl.int64) + n)
    tl.device_print("bits", n, hex=True)
    tl.device_print("end")
K
    need spirv-val
    local arch double
    for arch in spirv64:1 pvc:0 dg2:0; do
        double=${arch#*:} arch=${arch%:*}
        tritcc -arch=$arch -emit=spirv=k.spv,spvasm=k.spvasm -sig '*fp16:16, i64, 4' k.tri
        spirv-val --target-env spv1.4 k.spv
        [ "$(grep -c 'OpExtInst .* printf %' k.spvasm)" = 4 ]
        [ "$(grep -c 'OpCapability Float64' k.spvasm)" = "$double" ]
    done
    [ ! -e "$pocl" ] || ! command -v llvm-spirv-15 || {
        export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
        run -0 "$TRITRUN" -arch=opencl k.tri arange:f16:4:start=1,step=0.5 i64:5000000000 4
        [[ $output == *"pid (0, 0, 0) idx (3) 100% x: (operand 0) 2.500000"* ]]
        [[ $output == *"idx () bits: 0x000000012a05f200"*"(0, 0, 0) end"*"idx (3) 100% x: (operand 1) 5000000003"* ]]
    }
}

# valid FILE: what the back end made of it is SPIR-V 1.2.
valid() {
    need spirv-val
    spirv-val --target-env spv1.2 "$1"
}

@test "values that OpenCL lacks: bf16, booleans as numbers, reversed bits, NaN of minimum, libdevice" {
    cat >k.tri <<'END'
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(x, y, b, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    w = tl.minimum(v, tl.load(y + i), propagate_nan=tl.PropagateNan.ALL) * 3 + v
    t = tl.load(b + i) != 0
    t = (t * t) | (t < (v > 0))
    f = libdevice.rsqrt(libdevice.erfcx(libdevice.brev(i).to(tl.float32))) + tl.cumsum(v.to(tl.float32), 0)
    tl.store(o + i, tl.where(t, w, f.to(tl.bfloat16)))
    tl.atomic_add(o + N, tl.sum(v.to(tl.float32)).to(tl.bfloat16))
END
    tritcc -arch=spirv64 -emit=spirv=k.spv,spvasm=k.spvasm -sig 'k(*bf16, *bf16, *i8, *bf16, 256)' k.tri
    valid k.spv
    run -1 grep -E 'BitReverse|fmin|OpMemoryBarrier|OpTypeInt (4|5|128) ' k.spvasm
    printf '%s\n' 'import triton' 'import triton.language as tl' @triton.jit 'def k(x, o):' \
        '    i = tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 64)' \
        '    tl.store(o + tl.arange(0, 4), tl.reduce_or(tl.load(x + i), 1))' >bits.tri # the lowest bit of a word as a byte
    tritcc -arch=spirv64-sg32 -num-warps=1 -emit=spirv=k.spv -sig 'k(*i1:16, *i1:16)' bits.tri
    spirv-val --target-env spv1.4 k.spv
}

@test "what a process compiled before does not show in a module" {
    sig='add_kernel(*fp32:16, *fp32:16, *fp32:16, i32, 512)'
    tritcc -arch=spirv64 -emit=spirv=alone.spv -sig "$sig" "$EXAMPLES/vadd/vadd.tri"
    for n in 1 2 3 4 5 6; do cp "$EXAMPLES/vadd/vadd.tri" "v$n.tri"; done
    tritcc -arch=spirv64 -emit=spirv -sig "$sig" v?.tri
    for n in 1 2 3 4 5 6; do cmp alone.spv "v$n.spv"; done
}

@test "what OpenCL cannot do is an error at its place" {
    cat >k.tri <<'END'
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(x):
    tl.store(x, libdevice.add_ru(tl.load(x), 1.0))
END
    tritcc -1 -arch=spirv64 -emit=spirv=k.spv -sig 'k(*fp32)' k.tri
    [[ $errors == *"k.tri:7:17: error: '__nv_fadd_ru' rounds in a direction, which OpenCL devices do not [TRI-7003]"* ]]
    sed -i 's/libdevice.add_ru(tl.load(x), 1.0)/libdevice.j0(tl.load(x))/' k.tri
    tritcc -arch=spirv64 -emit=spirv=k.spv -sig 'k(*fp32)' k.tri
    cat >k.ll <<'END'
target triple = "spirv64v1.2-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %p, i5 %x) {
  %y = add i5 %x, 3
  %z = zext i5 %y to i32
  store i32 %z, ptr addrspace(1) %p
  ret void
}
END
    tritcc -1 -arch=spirv64 -emit=spirv=k.spv k.ll
    [[ $errors == *"'k' needs integers of 5 bits, which OpenCL devices do not have [TRI-6005]"* ]]
}

@test "barriers stay out of branches" {
    cat >k.tri <<'END'
import triton
import triton.language as tl

@triton.jit
def k(p, o):
    seen = tl.atomic_add(p, 1)
    if seen > 3:
        tl.store(o, seen)
END
    tritcc -arch=spirv64 -emit=llir=k.ll,spirv=k.spv -sig 'k(*i32, *i32)' k.tri
    valid k.spv
    grep -E '^declare .*@_Z7barrierj.* #[0-9]+' k.ll
    id=$(sed -n 's/^declare .*@_Z7barrierj.* #\([0-9]*\).*/\1/p' k.ll)
    grep -E "^attributes #$id = .*convergent" k.ll
}

@test "SPIR-V is a stage in the middle: read back as LLVM IR, and compiled on" {
    need llvm-spirv-15
    need spirv-val
    vadd 1024
    tritcc -arch=spirv64 -x spirv k.spv -emit=llir=k.ll,spvasm=k.spvasm
    grep -q 'define spir_kernel void @add_kernel(ptr addrspace(1) align 16' k.ll
    grep -q 'OpEntryPoint Kernel .* "add_kernel"' k.spvasm
    tritcc -arch=spirv64 -x llir k.ll -emit=spirv=again.spv
    spirv-val --target-env spv1.2 again.spv
    tritcc -arch=spirv64 k.spvasm -emit=llir=text.ll
    cmp k.ll text.ll
    # a device runs what was read
    need file "$pocl"
    need_pocl
    cp again.spv k.spv
    device vadd 128 7 1313
}

@test "SPIR-V with sub-groups is read back, too" {
    need llvm-spirv-15
    tritcc -arch=spirv64-sg32 -emit=spirv=k.spv -k softmax_kernel \
        -sig '*fp32, *fp32, i32, i32, i32, i32, BLOCK_SIZE=1024, num_stages=2' "$EXAMPLES/softmax/softmax.tri"
    tritcc -arch=spirv64-sg32 k.spv -emit=llir=k.ll
    grep -q 'intel_reqd_sub_group_size' k.ll
    tritcc -arch=spirv64-sg32 k.ll -emit=spirv=again.spv
    need spirv-dis
    spirv-dis again.spv | grep -q 'SubgroupSize 32'
}

@test "SPIR-V that cannot be read: what is wrong, and where" {
    vadd 1024
    head -c 400 k.spv >cut.spv
    tritcc -1 -arch=spirv64 cut.spv -emit=llir=k.ll
    [[ $errors == *"'cut.spv': cannot disassemble SPIR-V: word "*" [TRI-5020]"* ]]
    printf 'abc' >short.spv
    tritcc -1 -arch=spirv64 short.spv -emit=llir=k.ll
    [[ $errors == *"'short.spv': a SPIR-V module is five or more 4-byte words, this one has 3 bytes [TRI-5020]"* ]]
    tritcc -1 -arch=spirv64 -llvm-spirv=/nowhere/llvm-spirv k.spv -emit=llir=k.ll
    [[ $errors == *"'-llvm-spirv=/nowhere/llvm-spirv' is no program [TRI-7001]"* ]]
    printf '#!/bin/sh\necho "Invalid SPIR-V"\nexit 1\n' >fake
    chmod +x fake
    tritcc -1 -arch=spirv64 -llvm-spirv="$PWD/fake" k.spv -emit=llir=k.ll
    [[ $errors == *"'llvm-spirv' cannot read the module: Invalid SPIR-V [TRI-7001]"*"the command was: "* ]]
    # the translator stops on what is not valid, instead of telling
    { head -c 12 k.spv; printf '\005\000\000\000'; tail -c +17 k.spv; } >bound.spv
    printf '#!/bin/sh\nkill -6 $$\n' >fake
    tritcc -1 -arch=spirv64 -llvm-spirv="$PWD/fake" bound.spv -emit=llir=k.ll
    [[ $errors == *"'bound.spv': the SPIR-V is not valid: line "*"must be less than the ID bound '5'"*" [TRI-5020]"* ]]
    tritcc -1 -arch=spirv64 -llvm-spirv="$PWD/fake" k.spv -emit=llir=k.ll
    [[ $errors == *"'llvm-spirv' was killed by signal 6 "*" [TRI-7001]"* ]]
    printf '#!/bin/sh\necho nothing >"$4"\n' >fake
    tritcc -1 -arch=spirv64 -llvm-spirv="$PWD/fake" k.spv -emit=llir=k.ll
    [[ $errors == *"'llvm-spirv' wrote is no bitcode"* ]]
    [ ! -e k.ll ]
}

@test "functions of floats need no doubles, do not call themselves, and run" {
    clang=$(command -v clang-22 || command -v clang) || skip "no clang"
    "$clang" -O2 -ffp-contract=on -I"$SRCDIR" "$SRCDIR/tests/exec/singles.c" -o singles -lm
    ./singles
    cat >k.tri <<'END'
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    p = tl.abs(v) * 0.2 + 0.05
    r = libdevice.rsqrt(p) + libdevice.rcbrt(p) + libdevice.sinpi(v) + libdevice.cospi(v) + libdevice.erfcinv(p)
    r += libdevice.erfinv(tl.minimum(p, 0.95)) + libdevice.normcdf(v) + libdevice.normcdfinv(tl.minimum(p, 0.9)) + libdevice.erfcx(v)
    r += libdevice.cyl_bessel_i0(v) + libdevice.rnorm3d(v, p, v) + libdevice.pow(v, 3)
    r += (libdevice.llrint(v * 10) + libdevice.float2int_rz(v * 10) + libdevice.float2ll_ru(v) + libdevice.ilogb(p)).to(tl.float32)
    tl.store(o + i, r)
END
    tritcc -arch=intel-dg2 -emit=spvasm=k.spvasm -sig '*fp32, *fp32, 128' k.tri
    ! grep -q 'OpCapability Float64' k.spvasm || false
    tritrun -o o=want.npy k.tri randn:f32:128:seed=3 empty:f32:128 128
    need llvm-spirv-15
    need file "$pocl"
    export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
    tritrun -arch=opencl -expect=o=@want.npy -rtol=3e-6 k.tri randn:f32:128:seed=3 empty:f32:128 128
}

# LLVM may take it that no lane divides by zero, that every lane's mask holds therefore, and store without it.
@test "masked-off lanes may divide by nothing; upper halves of products of 64 bits" {
    [ -e "$pocl" ] || skip "no PoCL"
    export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
    local k type grid
    for k in quotients rests scalars halves; do
        for type in i32 i64; do
            grid=3
            [ "$k" = scalars ] && grid=384
            set -- -k $k -grid=$grid "$SRCDIR/tests/targets/divisors.tri" a_ptr=randint:$type:300:low=1,seed=1 \
                b_ptr=randint:$type:300:low=1,seed=2 r_ptr=zeros:$type:300 300
            "$TRITRUN" -arch="$HOST_ARCH" -o r_ptr=r.npy "$@"
            "$TRITRUN" -arch=opencl -expect r_ptr=@r.npy "$@"
        done
        tritcc -arch=gfx942 -k $k -sig '*i32, *i32, *i32, i32' -emit=llir=k.ll "$SRCDIR/tests/targets/divisors.tri"
        ! grep -q 'llvm.assume' k.ll || false
        [ $k = halves ] || grep -q 'umax.i32(i32 %[0-9]*, i32 1)' k.ll
    done
}

# The back end makes an `and` of 64 and 16 bits of the two steps, which no driver reads; OpenCL's fabs is not one of half.
@test "a number that is narrowed and widened to a width between; the size of a half" {
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(x, h, o, p):' \
        '    i = tl.arange(0, 64)' '    v = tl.load(x + i)' \
        '    tl.store(o + i, v.to(tl.uint8).to(tl.int16) + (v & 7).to(tl.int8).to(tl.int16))' \
        '    tl.store(p + i, tl.abs(tl.load(h + i)))' >k.tri
    tritcc -arch=spirv64 -emit=spirv=k.spv,spvasm=- -sig '*i64, *fp16, *i16, *fp16' k.tri
    spirv-val k.spv
    [[ $output != *fabs* ]]
}
