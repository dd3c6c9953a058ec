# Objects for Ascend NPUs: a stub in the place of the vendor's compiler, and one of its runtime.
load ../helpers

TYPES=(-sig '*fp32:16, *fp32:16, *fp32:16, i32, BLOCK_SIZE=1024')

compiler() { # SPACE LOCKS START: what its library says that kernels want
    cat >said.c <<C
#include <stdint.h>
int64_t add_kernel_infer_workspace_shape_function(void) { return $1; }
int64_t add_kernel_infer_sync_block_lock_num_function(void) { return $2; }
int64_t add_kernel_infer_sync_block_lock_init_function(void) { return $3; }
C
    cc -shared -fPIC -o said.so said.c
    cat >bishengir-compile <<S
#!/bin/sh
while [ \$# -gt 0 ]; do [ "\$1" = -o ] && out=\$2; shift; done
printf 'machine code' >"\$out.o"
[ $1 = 0 ] || cp "$PWD/said.so" "\$(dirname "\$out")/libkernel.so"
S
    chmod +x bishengir-compile
}

stub() {
    mkdir -p stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libascendcl.so "$SRCDIR/tests/targets/stub_ascend.c"
    cc -shared -fPIC -DRUNTIME -I"$SRCDIR" -o stub/libruntime.so "$SRCDIR/tests/targets/stub_ascend.c" -Lstub -lascendcl
}

object() { # ARCHS
    tritcc "${TYPES[@]}" -arch="$1" -bishengir="$PWD/bishengir-compile" -emit=obj=v.o,header=v.h,json=v.json "$EXAMPLES/vadd/vadd.tri"
}

launch() { # SOC FFTS SPACE LOCKS START
    cc -Wall -Werror -I. -I"$SRCDIR" -DSOC="\"$1\"" -DFFTS="$2" -DSPACE="$3" -DLOCKS="$4" -DSTART="$5" \
        "$SRCDIR/tests/targets/launcher_ascend.c" v.o -Lstub -lascendcl -o launcher -lpthread
    LD_LIBRARY_PATH=stub ./launcher
}

@test "the launcher for Ascend: packing, loading, errors, devices" {
    compiler 0 0 0
    stub
    object ascend910b
    launch Ascend910B3 1 0 0 0
    launch Ascend910_9392 1 0 0 0
    object ascend910_95
    launch Ascend910_9589 0 0 0 0
    launch Ascend950PR_9579 0 0 0 0
}

@test "kernels that want a workspace and locks get those of their stream" {
    stub
    compiler 2048 3 0
    object ascend910b
    grep '"scratch_bytes": 2048' v.json
    launch Ascend910B3 1 2048 3 0
    compiler 512 2 7
    object ascend910b
    launch Ascend910B3 1 512 2 7
}

@test "code for Ascend beside the host's and NVIDIA's in one object" {
    compiler 0 0 0
    object ascend910b,ascend910_95,compute_80,x86-64
    cc -Wall -Werror -I. "$SRCDIR/tests/targets/kinds.c" v.o -lm -o main
    [ -e /dev/nvidia0 ] || [ "$(./main)" = "4 variants, x86-64, 0, 126" ]
    [ "$(./main 6)" = "4 variants, none, 2, 0" ] # there is no such driver
    stub
    export LD_LIBRARY_PATH=stub
    [ "$(./main 6)" = "4 variants, ascend910b, 0, 0" ] # the stand-in adds nothing
    [ -e /dev/nvidia0 ] || [ "$(./main)" = "4 variants, ascend910b, 0, 0" ]
    [ "$(./main 5)" = "4 variants, x86-64, 0, 126" ]
}

@test "every configuration of an autotuned kernel can be measured on an NPU" {
    compiler 0 0 0
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
    tritcc -sig '*fp32, *fp32, i32' -config=all -arch=ascend910b -bishengir="$PWD/bishengir-compile" -emit=obj=v.o,header=v.h t.tri
    cat >main.c <<'C'
#include "v.h"
#include "tests/targets/stub_ascend.h"
int main(void)
{
    static float x[64], y[64];
    tri_grid grid = {1, 1, 1};
    int r = add_kernel_tune(0, grid, x, y, 64);
    return r || stub_get_log()->loads != 2 || stub_get_log()->launches < 4;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c v.o -Lstub -lascendcl -lm -o main
    LD_LIBRARY_PATH=stub ./main
}

@test "what no launcher for Ascend can pass, and objects without the vendor's compiler" {
    compiler 0 0 0
    cat >d.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(d, y):
    tl.store(y + tl.arange(0, 16), d.load([0]))
TRI
    tritcc -1 -sig 'tensordesc<fp32[16]>, *fp32' -arch=ascend910b -bishengir="$PWD/bishengir-compile" -c d.tri
    [[ $errors == *"parameter 'd' of kernel 'k' has type 'tensordesc<fp32[16]>', which a C launcher cannot take"* ]]
    tritcc -1 "${TYPES[@]}" -arch=ascend910b -c -o v.o "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"cannot find 'bishengir-compile'"* ]]
    [ ! -e v.o ]
    printf code >k.npubin
    tritcc -2 -arch=ascend910b -c k.npubin
    [[ $errors == *"k.npubin"* ]]
}

@test "-S for an NPU is the text that the vendor's compiler reads" {
    tritcc -S -arch=ascend910b -o - -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
    [[ $output == "module {"*"func.func @add_kernel"* ]]
}
