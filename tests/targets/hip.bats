# Objects for AMD's GPUs, launched through a stub of HIP.
load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
tritrun() { TRITCC=$TRITRUN tritcc "$@"; }

stub() { mkdir -p stub && cc -shared -fPIC -Wall -Werror -I"$SRCDIR" -o stub/libamdhip64.so "$SRCDIR/tests/targets/stub_hip.c"; }

@test "the launcher for AMD: packing, warps of 64 and 32 lanes, loading, errors, devices" {
    stub
    tritcc -arch=gfx942,gfx1100 -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -num-warps=4 -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc -Wall -Werror -I. -I"$SRCDIR" "$SRCDIR/tests/targets/launcher_hip.c" v.o -Lstub -lamdhip64 -o launcher -lpthread -lm
    LD_LIBRARY_PATH=stub ./launcher
}

@test "code for AMD beside the host's and NVIDIA's in one object" {
    tritcc -arch=gfx90a,gfx1201,compute_80,x86-64 -sig '*fp32, *fp32, *fp32, i32, 64' -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc -Wall -Werror -I. "$SRCDIR/tests/targets/kinds.c" v.o -lm -o main
    [ -e /dev/nvidia0 ] || [ -e /dev/kfd ] || [ "$(./main)" = "10 variants, x86-64, 0, 126" ]
    [ -e /dev/kfd ] || [ "$(./main 2)" = "10 variants, none, 2, 0" ] # there is no such driver
    stub
    export LD_LIBRARY_PATH=stub
    [ "$(./main 2)" = "10 variants, none, 4, 0" ] # gfx942 and gfx1100, for which it has no code
    [ "$(./main 5)" = "10 variants, x86-64, 0, 126" ]
}

@test "the launcher takes the code for arrays below 2 GiB where HIP says that they are" {
    stub
    cat >main.c <<'C'
#include "v.h"
#include "tests/targets/stub_hip.h"
#include "tests/targets/want.h"
#include <stdio.h>
#include <string.h>
static _Alignas(16) float x[64], y[64], out[64];
static int add(uint64_t bytes)
{
    stub_get_log()->range = 2 * bytes;
    stub_get_log()->function[0] = 0;
    add_kernel_unload(0);
    return add_kernel(0, (tri_grid){1, 1, 1}, x, y, out, 61);
}
static int runs(uint64_t bytes, const char *name) { return !add(bytes) && !strcmp(stub_get_log()->function, name); }
int main(int count, char **args)
{
    int variants;
    (void)args;
    add_kernel_variants(&variants);
    if (count == 1) {
        WANT(variants == 2 && runs(4096, "add_kernel__v1") && runs((UINT64_C(1) << 31) - 1, "add_kernel__v1"));
        WANT(runs(UINT64_C(1) << 31, "add_kernel") && runs(0, "add_kernel")); /* 0: it is not known */
    } else { /* promised for each */
        WANT(variants == 1 && runs(4096, "add_kernel") && runs(0, "add_kernel"));
        WANT(add(UINT64_C(1) << 40) == TRI_ERROR_BYTES + 0 && strstr(tri_strerror(TRI_ERROR_BYTES + 2), "argument 2 "));
    }
    return failures != 0;
}
C
    local link=(-Wall -Werror -I. -I"$SRCDIR" main.c v.o -Lstub -lamdhip64 -lm -o main)
    export LD_LIBRARY_PATH=stub
    tritcc -arch=gfx942 -sig '*fp32:16, *fp32:16, *fp32:16, i32, 64' -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    cc "${link[@]}" && ./main
    tritcc --inspect v.o
    [[ $output == *hsaco* ]] && [[ $output != *amdgcn* ]] # no driver compiles text
    tritcc -arch=gfx942 -sig '*fp32:16:S, *fp32:16:S, *fp32:16:S, i32, 64' -emit=obj=v.o,header=v.h,json=v.json "$EXAMPLES/vadd/vadd.tri"
    cc "${link[@]}" && ./main promised
    grep -q '{"parameter": "y_ptr", "bytes_below": 2147483648}' v.json
    tritcc -1 -arch=gfx942 -sig '*fp32, *fp32, *fp32, i32, 64' -fspecialize=n_elements:S -c "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'n_elements:S' fits no kernel"* ]]
}

@test "every configuration of an autotuned kernel can be measured on AMD's GPUs" {
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
    tritcc -sig '*fp32, *fp32, i32' -config=all -arch=gfx942 -emit=obj=v.o,header=v.h t.tri
    cat >main.c <<'C'
#include "v.h"
#include "tests/targets/stub_hip.h"
int main(void)
{
    static float x[64], y[64];
    tri_grid grid = {1, 1, 1};
    int r = add_kernel_tune(0, grid, x, y, 64);
    return r || stub_get_log()->loads != 2 || stub_get_log()->launches < 4;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c v.o -Lstub -lamdhip64 -lm -o main
    LD_LIBRARY_PATH=stub ./main
}

@test "tritrun on an AMD GPU: what it does when each call fails in turn" {
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
    tritrun -arch=hip k.tri arange:f32:64 full:f32:64:value=7 64 64 -print=o -print-limit=4
    [[ $output == *"7 7 7 7"* ]] # the stub runs nothing
    tritrun -arch=hip:1 k.tri arange:f32:64 full:f32:64:value=7 64 64 -print=o -print-limit=4 # gfx1100
    tritrun -1 -arch=hip:7 k.tri arange:f32:64 empty:f32:64 64 64
    [[ $errors == *"HIP: cannot open the device: there is no such device"* ]]
    STUB_ARCH=gfx906:sramecc+ tritrun -1 -arch=hip k.tri arange:f32:64 empty:f32:64 64 64
    [[ $errors == *"no code is made for 'gfx906': it has no matrix cores"* ]]
    for ((calls = 0; calls < 30; calls++)); do
        STUB_FAIL_AFTER=$calls "$TRITRUN" -arch=hip k.tri arange:f32:64 empty:f32:64 64 64 >out 2>err && continue
        [ $? = 1 ]
        grep -q 'error: HIP: cannot ' err
        heard=$((heard + 1))
    done
    [ "$heard" -gt 10 ]
    LD_LIBRARY_PATH=$PWD/none tritrun -1 -arch=hip k.tri arange:f32:64 empty:f32:64 64 64
    [ -e /dev/kfd ] || [[ $errors == *"HIP: cannot open the device: no driver for the device was found"* ]]
}
