#!/usr/bin/env bats
# Objects for OpenCL and Level Zero devices: executed by an OpenCL device, launched through a stub of Level Zero.
load ../helpers

pocl=/etc/OpenCL/vendors/pocl.icd
signature='*fp32:16, *fp32:16, *fp32:16, i32, 1024'

: "${TRITRUN:=$BUILDDIR/tritrun}"

# tritrun [-STATUS] ARG...: as tritcc does.
tritrun() {
    TRITCC=$TRITRUN tritcc "$@"
}

stub() {
    mkdir -p stub
    cc -shared -fPIC -Wall -Wno-misleading-indentation -Werror -I"$SRCDIR" -Wl,-soname,libze_loader.so.1 -o stub/libze_loader.so.1 \
        "$SRCDIR/tests/targets/stub_level_zero.c"
}

@test "an object runs on an OpenCL device: memory of a queue's context, unloading, loading again" {
    need file "$pocl"
    need llvm-spirv-15
    tritcc -arch=spirv64,spir64,x86-64 -sig "$signature" -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc -O1 -Wall -I. "$SRCDIR/tests/targets/launcher_opencl.c" v.o -lOpenCL -lm -o main || skip "no OpenCL headers"
    export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
    [ "$(./main)" = "spirv64 of 3" ]
    tritcc --inspect v.o >text
    grep -q 'spirv64 *spir of [0-9]* bytes' text
    grep -q 'spirv64 *spirv of [0-9]* bytes' text
    grep -q 'x86-64 *host code' text
}

@test "an OpenCL device that is a processor is no reason to leave the host's code" {
    tritcc -arch=spirv64,x86-64 -sig "$signature" -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc -Wall -Werror -I. "$SRCDIR/tests/targets/kinds.c" v.o -lm -o main
    export OCL_ICD_VENDORS=$pocl
    [ -e /dev/dri ] || [ -e /dev/nvidia0 ] || [[ "$(./main)" = *", x86-64, 0, "* ]]
    [[ "$(./main 5)" = *", x86-64, 0, "* ]]
}

@test "the launcher for Level Zero: packing, contexts, devices, and each call failing in turn" {
    stub
    local archs=spirv64,spirv64-sg32 form=
    # machine code where its compiler is installed
    if command -v ocloc >/dev/null; then archs=pvc,spirv64,spirv64-sg32 form=native; else
        tritcc -arch=spirv64,spirv64-sg32 -sig "$signature" -emit=obj=v.o "$EXAMPLES/vadd/vadd.tri"
        need ocloc
    fi
    tritcc -arch=$archs -sig "$signature" -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc -Wall -Werror -I. -I"$SRCDIR" "$SRCDIR/tests/targets/launcher_level_zero.c" v.o -Lstub -l:libze_loader.so.1 -o launcher -lpthread -lm
    LD_LIBRARY_PATH=stub ./launcher $form
}

@test "code for Intel's GPUs beside NVIDIA's and the host's in one object" {
    stub
    need ocloc
    tritcc -arch=pvc,compute_80,x86-64 -sig "$signature" -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc -Wall -Werror -I. "$SRCDIR/tests/targets/kinds.c" v.o -lm -o main
    export OCL_ICD_VENDORS=$PWD/none
    [[ "$(./main 5)" = *", x86-64, 0, "* ]]
    [ -e /dev/dri ] || [[ "$(./main 3)" = *", none, 2, 0" ]] # there is no such driver
    [[ "$(LD_LIBRARY_PATH=stub ./main 3)" = *", intel-pvc, 0, "* ]]
    tritcc --inspect v.o >text
    grep -q 'intel-pvc *zebin of [0-9]* bytes' text
}

@test "every configuration of an autotuned kernel can be measured through Level Zero" {
    stub
    cat >t.tri <<'TRI'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({'BLOCK_SIZE': 256}), triton.Config({'BLOCK_SIZE': 1024})], key=['n'])
@triton.jit
def add_kernel(x, y, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
TRI
    tritcc -sig '*fp32, *fp32, i32' -config=all -arch=spirv64 -emit=obj=v.o,header=v.h t.tri
    cat >main.c <<'C'
#include "v.h"
#include "tests/targets/stub_level_zero.h"
int main(void)
{
    static float x[64], y[64];
    tri_grid grid = {1, 1, 1};
    int r = add_kernel_tune(stub_list(0, 2), grid, x, y, 64);
    return r || stub_get_log()->modules != 2 || stub_get_log()->launches < 4 || stub_get_log()->waits < 4;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c v.o -Lstub -l:libze_loader.so.1 -lm -o main
    LD_LIBRARY_PATH=stub ./main
}

@test "tritrun on a Level Zero device: what it does when each call fails in turn" {
    stub
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def twice(x, o, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
TRI
    export LD_LIBRARY_PATH=$PWD/stub
    local calls heard=0
    tritrun -arch=level-zero k.tri arange:f32:64 full:f32:64:value=7 64 64 -print=o -print-limit=4
    [[ $output == *"7 7 7 7"* ]] # the stub runs nothing
    tritrun -1 -arch=level-zero:7 k.tri arange:f32:64 empty:f32:64 64 64
    [[ $errors == *"Level Zero: cannot open the device: there is no such device"* ]]
    for ((calls = 0; calls < 30; calls++)); do
        STUB_FAIL_AFTER=$calls "$TRITRUN" -arch=level-zero k.tri arange:f32:64 empty:f32:64 64 64 >out 2>err && continue
        [ $? = 1 ]
        grep -q 'error: Level Zero: cannot ' err
        heard=$((heard + 1))
    done
    [ "$heard" -gt 12 ]
    LD_LIBRARY_PATH=$PWD/none tritrun -1 -arch=level-zero k.tri arange:f32:64 empty:f32:64 64 64
    [ -e /dev/dri ] || [[ $errors == *"Level Zero: cannot open the device: no driver for the device was found"* ]]
}

@test "an OpenCL device by its name, or its platform's" {
    need file "$pocl"
    need llvm-spirv-15
    export OCL_ICD_VENDORS=$pocl POCL_CACHE_DIR=$PWD/cache
    for name in pocl "portable computing"; do
        tritrun -arch=opencl:"$name" -grid=1 "$EXAMPLES/vadd/vadd.tri" arange:f32:64 ones:f32:64 empty:f32:64 64 64 -print=output_ptr -print-limit=4
        [[ $output == *"1 2 3 4"* ]]
    done
    tritrun -1 -arch=opencl:nobody "$EXAMPLES/vadd/vadd.tri" arange:f32:64 ones:f32:64 empty:f32:64 64 64
    [[ $errors == *"no OpenCL platform or device has 'nobody' in its name; there are: 'Portable Computing Language'"* ]]
}

# A compiler of OpenCL that sees the thread's number compared with 0 lets that thread alone take part in what stands in
# front of the store: the exchange between lanes then gives it its own value.
@test "the thread that stores a reduction is told by lane and sub-group" {
    cat > k.tri << 'END'
import triton
import triton.language as tl
@triton.jit
def k(x, r):
    tl.store(r, tl.sum(tl.load(x + tl.arange(0, 2))))
END
    for warps in 1 8; do
        tritcc -arch=spirv64-sg32 -num-warps=$warps -emit=llir=k.ll -sig '*fp32, *fp32' k.tri
        FileCheck-22 --input-file=k.ll - << 'END'
CHECK: call {{.*}}sub_group_shuffle_xor
CHECK: [[FIRST:%.*]] = or i32 %lane, %warp
CHECK: icmp eq i32 [[FIRST]], 0
END
    done
}
