# k_tune: configurations measured at run time.
load ../helpers

write_kernel() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


# config 0 and 2 do much more work than 1
@triton.autotune(configs=[triton.Config({"B": b, "TURNS": t}) for b, t in [(64, 3000), (128, 1), (256, 2000)]], key=["n", "x", "m"])
@triton.jit
def work(x, n, m, B: tl.constexpr, TURNS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    for k in range(TURNS):
        v = v * 0.5 + tl.sqrt(v + m)
    tl.store(x + i, tl.where(v == 12345.0, 1.0, 0.0), mask=i < n)


def run(x, n, m):
    work[lambda meta: (triton.cdiv(n, meta["B"]),)](x, n, m)


@triton.jit
def single(x):
    tl.store(x, 1.0)
TRI
}

@test "k_tune measures, and launches take what it found" {
    write_kernel
    tritcc -config=all -c -fspecialize=none -emit=header,json -sig 'work(x=*fp32,n=i32,m=i64)' -sig 'single(*fp32)' k.tri
    grep -q '"key": "n,x,m"' k.json
    grep -q 'int work_tune(tri_stream stream,$' k.h # it computes its own grid
    ! grep -q single_tune k.h || false
    cat >main.c <<'C'
#include "k.h"
#include <stdio.h>
#include <string.h>

static int chosen(float *x, int n, long m)
{
    int count;
    const tri_variant *v = work_variants(&count);
    if (work_run(0, x, n, m))
        return -1;
    return atoi(strstr(v[work_selected(0)].key, "B=") + 2);
}

int main(void)
{
    static float x[65536];
    if (chosen(x, 5000, 3) != 64)
        return 1;
    if (work_tune(0, x, 5000, 3) || chosen(x, 5000, 3) != 128)
        return 2;
    if (chosen(x, 60000, -3) != 128 || work_tune(0, x, 5000, 3)) /* the nearest, and again */
        return 3;
    const void *args[] = {&(void *){x}, &(int){700}, &(int64_t){1}};
    const tritcc_kernel *k = tritcc_kernel_find("work");
    if (k->abi != 2 || k->tune(0, NULL, args) || tritcc_kernel_find("single")->tune)
        return 4;
    for (int i = 0; i < 254; i++) /* rows are as many as said */
        if (work_tune(0, x, 1, i))
            return 5;
    return work_tune(0, x, 1, 1000) == TRI_ERROR_MEMORY && chosen(x, 5000, 3) == 128 ? 0 : 6;
}
C
    sed -i '1i #include <stdlib.h>' main.c
    cc -Wall -Werror -I. main.c k.o -lm -o main
    ./main
}

@test "a kernel without a grid of its own is given one" {
    write_kernel
    sed -i '/^def run/,/^$/d' k.tri
    tritcc -config=all -c -emit=header -fspecialize=none -k work -sig 'work(x=*fp32,n=i32,m=i64)' k.tri
    grep -q 'int work_tune(tri_stream stream, tri_grid grid,$' k.h
}

@test "on a CUDA device, with its clock; what cannot run is left out" {
    write_kernel
    tritcc -config=all -arch=compute_80 -c -emit=header -fspecialize=none -k work -sig 'work(x=*fp32,n=i32,m=i64)' k.tri
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.c <<'C'
#include "k.h"
#include "tests/targets/stub_cuda.h"
#include <string.h>

static int chosen(int n)
{
    stub_get_log()->grid[0] = 0;
    return work_run(0, NULL, n, 1) ? -1 : (int)stub_get_log()->grid[0];
}

int main(void)
{
    stub_set_cost("work_config0", 3);
    stub_set_cost("work_config1", 2);
    stub_set_cost("work_config2", 1);
    if (chosen(1024) != 8 /* without a turn, as is expected */ || work_tune(0, NULL, 1024, 1) || chosen(1024) != 4)
        return 1;
    stub_set_cost("work_config2", -1); /* fails */
    if (work_tune(0, NULL, 100000, 1) || chosen(100000) != 782 || chosen(1024) != -1)
        return 2;
    stub_set_cost("work_config2", 1);
    stub_fail("cuLaunchKernel", 700);
    if (work_tune(0, NULL, 7, 1) != TRI_ERROR_DRIVER + 700)
        return 3;
    stub_fail("cuEventCreate", 2);
    if (work_tune(0, NULL, 7, 1) != TRI_ERROR_DRIVER + 2)
        return 4;
    return 0;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c k.o -Lstub -l:libcuda.so.1 -o main -lm
    LD_LIBRARY_PATH=stub ./main
}

@test "k_load has every configuration and its functions ready" {
    write_kernel
    tritcc -config=all -arch=compute_80 -c -emit=header -k work -sig 'work(x=*fp32,n=i32,m=i64)' k.tri
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.c <<'C'
#include "k.h"
#include "tests/targets/stub_cuda.h"

int main(void)
{
    stub_log *log = stub_get_log();
    int count;
    work_variants(&count);
    if (work_load(0) || log->loads != 3 || log->gets != count || count != 6)
        return 1;
    if (work_run(0, (float *)64, 64, 64) || work_run(0, (float *)4, 5, 1) || work_tune(0, (float *)64, 7, 1))
        return 2;
    if (log->loads != 3 || log->gets != count)
        return 3;
    stub_fail("cuModuleGetFunction", 500);
    return work_unload(0) || work_load(0) != TRI_ERROR_DRIVER + 500 || work_unload(0) || log->unloads != log->loads ? 4 : 0;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c k.o -Lstub -l:libcuda.so.1 -o main -lm
    LD_LIBRARY_PATH=stub ./main
}
