# Closed variants: forms of a kernel of which the launcher takes one for the actual arguments.
load ../helpers

write_kernel() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def rows(x, out, stride_m, stride_n, n, B: tl.constexpr):
    m = tl.program_id(0) * 2 + tl.arange(0, 2)
    i = tl.arange(0, B)
    at = m[:, None] * stride_m + i[None, :] * stride_n
    tl.store(out + at, tl.load(x + at, mask=i[None, :] < n) + 1.0, mask=i[None, :] < n)
TRI
    types=(-sig 'rows(*fp32, *fp32, i32, i32, i32, 16)')
}

run_main() { ${CC:-cc} -Wall -Werror -I. main.c k.o -lm -o main && ./main; }

@test "an object has an aligned and a general form, and takes one by the arguments" {
    write_kernel
    tritcc "${types[@]}" -emit=obj=k.o,header=k.h k.tri
    cat >main.c <<'C'
#include "k.h"
#include <stdio.h>
#include <string.h>

static _Alignas(64) float x[300], out[300];

static const char *key_after(const float *from, float *to, int sm, int sn, int n)
{
    int count;
    const tri_variant *v = rows_variants(&count);
    for (int i = 0; i < 300; i++)
        out[i] = 0;
    if (count != 2 || rows(0, (tri_grid){1, 1, 1}, from, to, sm, sn, n))
        return "failed";
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < n; i++)
            if (to[m * sm + i * sn] != from[m * sm + i * sn] + 1)
                return "wrong";
    return v[rows_selected(0)].key;
}

int main(void)
{
    for (int i = 0; i < 300; i++)
        x[i] = (float)i;
    if (!strstr(key_after(x, out, 16, 1, 16), "x=*fp32:16, out=*fp32:16, stride_m=i32:16, stride_n=1, n=i32:16"))
        return 1;
    const char *general = "x=*fp32, out=*fp32, stride_m=i32, stride_n=i32, n=i32";
    return !strstr(key_after(x + 1, out, 16, 1, 16), general) || !strstr(key_after(x, out, 17, 1, 16), general) ||
           !strstr(key_after(x, out, 32, 2, 16), general) || !strstr(key_after(x, out, 16, 1, 15), general);
}
C
    run_main
}

@test "a promise has no general form beside it" {
    write_kernel
    tritcc -sig 'rows(*fp32:16, *fp32:16, i32, i32, i32, 16)' -emit=obj=k.o,header=k.h k.tri
    cat >main.c <<'C'
#include "k.h"
int main(void)
{
    static _Alignas(64) float x[64];
    int count;
    rows_variants(&count);
    return count != 1 || rows(0, (tri_grid){1, 1, 1}, x, x + 1, 16, 1, 16) != TRI_ERROR_ALIGNMENT + 1;
}
C
    run_main
}

@test "forms of -fspecialize, in every stage and with conditions in json" {
    write_kernel
    tritcc "${types[@]}" -fspecialize='x:16,out:32;stride_n=1' -arch=sm_80 -emit=ptx=k.ptx,ttir=k.ttir,json=k.json k.tri
    [ "$(grep -c '\.visible \.entry' k.ptx)" = 3 ]
    grep -q '@rows__v1(.*tt.divisibility = 16.*tt.divisibility = 32' k.ttir
    grep -q '"symbol": "rows__v1"' k.json
    grep -q '"conditions": \[{"parameter": "x", "divisible": 16}, {"parameter": "out", "divisible": 32}\]' k.json
    grep -q '"conditions": \[{"parameter": "stride_n", "equals": 1}\]' k.json
    # the facts travel with the text
    tritcc -emit=json=again.json k.ptx
    diff <(grep conditions k.json) <(grep conditions again.json)
    # without the option a stage holds what -sig says, also beside an object
    tritcc "${types[@]}" -arch=native -emit=ttir=k.ttir,obj=k.o k.tri
    [ "$(grep -c 'tt.func public' k.ttir)" = 1 ]
    [ "$(nm k.o | grep -c ' tri_run_rows')" = 2 ]
    tritcc "${types[@]}" -fspecialize=none -emit=obj=k.o k.tri
    [ "$(nm k.o | grep -c ' tri_run_rows')" = 1 ]
}

@test "nothing outside of the closed set runs" {
    write_kernel
    tritcc -sig 'rows(*fp32, *fp32:16, i32, i32, i32:1, 16)' -fspecialize=none -emit=obj=k.o,header=k.h k.tri
    cat >main.c <<'C'
#include "k.h"
#include <string.h>
int main(void)
{
    static _Alignas(64) float x[64];
    int error = rows(0, (tri_grid){1, 1, 1}, x, x + 1, 16, 1);
    return error != TRI_ERROR_ALIGNMENT + 1 || !strstr(tri_strerror(error), "argument 1 is not divisible");
}
C
    run_main
}

@test "do_not_specialize and annotations are kept" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["y"])
def k(x, y, n, step: tl.int32, flag: tl.int1, s: tl.float32):
    i = tl.arange(0, 16)
    tl.store(x + i * step, tl.load(y + i * n) + s, mask=flag)
TRI
    tritcc -sig 'k(*fp32, *fp32, i32)' -fspecialize=default -emit=json=k.json k.tri
    grep -q '"conditions": \[{"parameter": "x", "divisible": 16}, {"parameter": "step", "divisible": 16}\]' k.json
}

@test "a default form that does not compile is left out" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(x, step):
    i = tl.arange(0, 16)
    tl.static_assert((step * 2).dtype == tl.int32, "step must vary")
    tl.store(x + i * step, 1)
TRI
    tritcc -sig 'k(*i32, i32)' -c -o k.o k.tri
    [ -z "$errors" ]
    [ "$(nm k.o | grep -c ' tri_run_k')" = 1 ]
    tritcc -1 -sig 'k(*i32, i32)' -fspecialize='step=1' -c k.tri
    [[ $errors == *"step must vary"* ]]
}

@test "forms that fit nothing" {
    write_kernel
    tritcc -1 "${types[@]}" -fspecialize='z:16' -c k.tri
    [[ $errors == *"-fspecialize: 'z:16' fits no kernel"*"[TRI-3036]"* ]]
    tritcc -1 "${types[@]}" -fspecialize='x=1' -c k.tri
    [[ $errors == *"fits no kernel"* ]]
    tritcc -1 "${types[@]}" -fspecialize='B:16' -c k.tri
    tritcc -1 "${types[@]}" -fspecialize='x16' -c k.tri
    [[ $errors == *"is not NAME:DIVISOR, NAME:S or NAME=NUMBER"* ]]
    tritcc -1 "${types[@]}" -fspecialize='n:0' -c k.tri
    tritcc -1 "${types[@]}" -fspecialize=' ' -c k.tri
    [[ $errors == *"is empty; give 'none'"* ]]
    tritcc "${types[@]}" -arch=sm_80 -emit=ttgir=k.ttgir k.tri
    tritcc -fspecialize=default -emit=ptx=- k.ttgir
    [[ $errors == *"-fspecialize has no effect on 'k.ttgir'"* ]]
}
