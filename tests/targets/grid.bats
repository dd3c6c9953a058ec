# Grids that launchers compute: -grid=EXPR, or the file's own launch.
load ../helpers

write_kernel() {
    cat >k.tri <<'TRI'
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": b}) for b in (16, 64)], key=["n"])
@triton.jit
def count(out, n, rows, B: tl.constexpr, G: tl.constexpr = 3):
    pid = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    tl.atomic_add(out, 1)
    tl.atomic_max(out + 1, tl.num_programs(0))
    tl.atomic_max(out + 2, tl.num_programs(1))
    tl.atomic_max(out + 3, tl.num_programs(2))
    tl.atomic_max(out + 4, B)


def run(x, out):
    n_elements, m = x.shape
    grid = lambda meta: (triton.cdiv(n_elements, meta["B"]), min(m, 7) * 2)
    count[grid](out, n_elements, m)
TRI
    cat >main.c <<'C'
#include "k.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int32_t out[5] = {0};
    int error = count_run(0, out, atoi(argv[1]), atoi(argv[2]));
    printf("%d: %d %d %d %d %d\n", error, out[0], out[1], out[2], out[3], out[4]);
    return argc != 3;
}
C
}

build() {
    tritcc -sig 'count(out=*i32, n=i32, rows=i64)' -emit=obj=k.o,header=k.h "$@" k.tri
    ${CC:-cc} -Wall -Werror -I. main.c k.o -lm -o main
}

@test "the only launch in the file is the grid" {
    write_kernel
    build
    [ "$(./main 100 5)" = "0: 70 7 10 1 16" ]
    [ "$(./main 96 9)" = "0: 84 6 14 1 16" ]
    [ "$(./main 0 9)" = "0: 0 0 0 0 0" ]
    [ "$(./main -5 9)" = "0: 0 0 0 0 0" ]
    [ "$(./main 5 -1)" = "1: 0 0 0 0 0" ]
}

@test "with the constants of the configuration that runs" {
    write_kernel
    echo 'count * n=1000 1' >table
    echo 'count * n=10 0' >>table
    build -config=all -ftune=table
    [ "$(./main 1000 1)" = "0: 32 16 2 1 64" ]
    [ "$(./main 17 1)" = "0: 4 2 2 1 16" ]
}

@test "-grid is an expression of arguments and constants" {
    write_kernel
    build -grid='(n - 1) // B + 1, max(rows, G), next_power_of_2(n % 7)'
    [ "$(./main 100 2)" = "0: 42 7 3 2 16" ]
    build -grid='cdiv(n, 2 * B)'
    [ "$(./main 100 2)" = "0: 4 4 1 1 16" ]
    build -grid='n // rows'
    [ "$(./main 100 0)" = "1: 0 0 0 0 0" ]
}

@test "the grid travels with the text of every stage" {
    write_kernel
    tritcc -sig 'count(out=*i32, n=i32, rows=i64)' -grid=n -arch=native -emit=ttir=k.ttir k.tri
    tritcc -emit=obj=k.o,header=k.h k.ttir
    ${CC:-cc} -I. main.c k.o -lm -o main
    [ "$(./main 5 1)" = "0: 5 5 1 1 16" ]
    tritcc -sig 'count(out=*i32, n=i32, rows=i64)' -arch=sm_80 -emit=ptx=- k.tri
    [[ $output == *'grid = "n B cdiv ; rows 7 min 2 *"'* ]]
}

@test "expressions that are wrong" {
    write_kernel
    bad() {
        tritcc -1 -sig 'count(out=*i32, n=i32, rows=i64)' -grid="$1" -c k.tri
        [[ $errors == *"-grid:1:"$2*"[TRI-3037]"* ]]
    }
    bad 'cdiv(m, 2)' '6: error: in the grid of '"'count'"': this is no parameter of the kernel'
    bad 'out' '1: error: in the grid of '"'count'"': this is no integer'
    bad 'n / 2' '1: error: '*'is none of + - * // and %'
    bad 'f(n)' '1: error: '*'is none of cdiv, min'
    bad 'cdiv(n)' '1: error: '*'wrong number of arguments'
    bad '1, 2, 3, 4' '1: error: '*'one to three dimensions'
    tritcc -1 -sig 'count(out=*i32, n=i32, rows=i64)' -grid='n +' -c k.tri
    [[ $errors == *"-grid:1:"* ]]
}
