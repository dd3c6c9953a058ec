# Objects with code for several architectures, and how NVIDIA's tools see their images.
load ../helpers

TYPES=(-sig '*fp32:16, *fp32:16, *fp32:16, i32, BLOCK_SIZE=1024')

write_main() {
    cat >main.c <<'C'
#include "v.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    static _Alignas(16) float x[64], z[64];
    int count, selected = add_kernel_selected(0);
    const tri_variant *v = add_kernel_variants(&count);
    if (argc > 1)
        printf("select: %d, ", tri_select(argv[1][0] - '0'));
    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    int error = add_kernel(0, (tri_grid){1, 1, 1}, x, x, z, 64);
    selected = add_kernel_selected(0);
    printf("%d variants, %s, %d, %g\n", count, selected < 0 ? "none" : v[selected].arch, error, (double)z[63]);
    return 0;
}
C
    ${CC:-cc} -Wall -Werror -I. main.c v.o -lm -o main
}

stub() {
    mkdir -p stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
}

@test "GPUs and the host in one object: the first kind with a device, or the one that is selected" {
    need ptxas
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    tritcc "${TYPES[@]}" -arch=sm_80,sm_90,compute_90,x86-64,x86-64-v3 -emit=obj=v.o,header=v.h,json=v.json "$EXAMPLES/vadd/vadd.tri"
    [ "$(grep -c '"arch": "\(sm_80\|sm_90\|x86-64\)"' v.json)" = 3 ]
    write_main
    [ -e /dev/nvidia0 ] || [[ "$(./main)" == "5 variants, x86-64"*", 0, 126" ]]
    stub
    export LD_LIBRARY_PATH=stub
    [ "$(./main)" = "5 variants, sm_90, 0, 0" ] # the stand-in adds nothing
    [[ "$(./main 5)" == "select: 0, 5 variants, x86-64"*", 0, 126" ]]
    [[ "$(./main 2)" == "select: 0, 5 variants, none, 4, 0" ]]
    [[ "$(./main 9)" == "select: 3, 5 variants, sm_90, 0, 0" ]]
}

@test "compute_NN is PTX alone, as nvcc says it" {
    tritcc "${TYPES[@]}" -arch=compute_80 -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    write_main
    stub
    [ "$(LD_LIBRARY_PATH=stub ./main)" = "1 variants, compute_80, 0, 0" ]
    tritcc "${TYPES[@]}" -arch=compute_90a -emit=ptx=- "$EXAMPLES/vadd/vadd.tri"
    [[ $output == *".target sm_90a"* ]]
    tritcc -2 "${TYPES[@]}" -arch=compute_80 -emit=cubin "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"-arch=compute_80 stands for 'ptx' alone; for 'cubin' give -arch=sm_80"* ]]
}

@test "without ptxas an object for a GPU is an error that offers PTX" {
    mkdir -p cuda/bin
    PATH=/usr/bin:/bin tritcc -1 --cuda-path=cuda "${TYPES[@]}" -arch=sm_86 -c -o v.o "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"ptxas"*"let objects hold PTX alone with -arch=compute_86 [TRI-7001]"* ]]
    [ ! -e v.o ]
}

@test "cuobjdump reads the images" {
    need ptxas
    command -v cuobjdump >/dev/null || skip "no cuobjdump"
    tritcc "${TYPES[@]}" -arch=sm_80,sm_90a,compute_80 -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    tritcc "${TYPES[@]}" -arch=sm_80 -emit=ptx=v.ptx,cubin=v.cubin "$EXAMPLES/vadd/vadd.tri"
    write_main
    cuobjdump -lelf -lptx main >list
    grep -q 'sm_80.*\.cubin' list
    grep -q 'sm_90a*\.cubin' list
    grep -q 'sm_80.*\.ptx' list
    cuobjdump -sass main | grep -q 'Function : add_kernel'
    cuobjdump -xptx all main
    diff <(grep -o '^[a-z@%{].*' v.ptx | grep -v '^//') <(grep -ho '^[a-z@%{].*' ./*.sm_80.ptx | grep -v '^//')
    cuobjdump -xelf all main
    cmp v.cubin "$(ls ./*.sm_80.cubin)"
}

@test "lists that make no object" {
    tritcc -2 "${TYPES[@]}" -arch=sm_80,sm_80 -c "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"names 'sm_80' twice"* ]]
    tritcc -2 "${TYPES[@]}" -arch=sm_80,sm_90 -emit=ptx "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"'ptx' is of one architecture"* ]]
    tritcc -2 "${TYPES[@]}" -arch=sm_80,compute_75 -c "$EXAMPLES/vadd/vadd.tri"
    [[ $errors == *"unknown architecture 'compute_75'"* ]]
}

@test "an object from text is made for each architecture too" {
    need ptxas
    tritcc "${TYPES[@]}" -arch=native -emit=ttir=v.ttir "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=sm_80,sm_90,native -emit=obj=v.o,header=v.h v.ttir
    write_main
    [ -e /dev/nvidia0 ] || [[ "$(./main)" == "3 variants, native, 0, 126" ]]
}

@test "launchers of a host object run on any processor, floats and all" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def scale(x, a, b, c, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, (tl.load(x + i, mask=i < n) * a + b * c).to(tl.float32), mask=i < n)
END
    tritcc -arch=x86-64-v4 -mattr=+avx512fp16 -c -o k.o -grid='cdiv(n, 64)' -sig '*fp32, fp32, fp64, fp16, i32, 64' k.tri
    objdump -d --no-show-raw-insn k.o | awk '/^[0-9a-f]+ <.*>:/ { name = $2 }
        /[xyz]mm/ && $2 ~ /^v/ && name !~ /tri_run_/ { print name, $0 } /zmm/ { seen++ } END { print (seen > 0) }' >vex
    [ "$(<vex)" = 1 ]
}

@test "a host object asks the processor before it runs" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    tritcc "${TYPES[@]}" -arch=x86-64-v4 -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    write_main
    if grep -qw avx512vl /proc/cpuinfo; then
        [ "$(./main)" = "1 variants, x86-64-v4, 0, 126" ]
        command -v qemu-x86_64 >/dev/null || skip "this host has every level"
        [ "$(qemu-x86_64 -cpu Westmere ./main)" = "1 variants, none, 4, 0" ]
    else
        [ "$(./main)" = "1 variants, none, 4, 0" ]
    fi
}
