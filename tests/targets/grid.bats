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
    [ "$(./main 5 -1)" = "12: 0 0 0 0 0" ]
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
    [ "$(./main 100 0)" = "12: 0 0 0 0 0" ]
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

# What -sig 'k(x=*fp32, n=i32, m=i32, BLOCK=...)' makes of a launch: the words of the grid, or nothing.
grid_of() { # BLOCK, and the text of the launching function on standard input
    { printf 'import math\nimport triton\nimport triton.language as tl\nLIMIT = 7\n\n\n'
      printf '@triton.jit\ndef k(x, n, m, BLOCK: tl.constexpr):\n    tl.store(x, n + m + BLOCK)\n\n\n'
      printf 'def rows_of(n, b):\n    blocks = triton.cdiv(n, b)\n    return (blocks, 2)\n\n\n'
      printf 'def f(x, n, m):\n'
      sed 's/^/    /'; } >l.tri
    tritcc -w -emit=ttir=l.ttir,obj=l.o -sig "k(x=*fp32, n=i32, m=i32, BLOCK=$1)" l.tri >log
    sed -n 's/.*grid = "\([^"]*\)".*/\1/p' l.ttir
}

@test "what the launch of a file says" {
    [ "$(grid_of 64 <<<$'def grid(meta):\n    return (triton.cdiv(n, meta["BLOCK"]),)\nk[grid](x, n, m, BLOCK=64)')" = "n BLOCK cdiv" ]
    [ "$(grid_of 64 <<<'k[(triton.cdiv(x.numel(), 64),)](x, x.numel(), m, BLOCK=64)')" = "n 64 cdiv" ]
    [ "$(grid_of 64 <<<$'B = 64\nblocks = triton.cdiv(n, B)\nk[(blocks, 1)](x, n, m, BLOCK=B)')" = "n BLOCK cdiv ; 1" ]
    [ "$(grid_of 64 <<<$'a, b = n, 1 << (n % 3)\ngrid = (b, a)\nwith x:\n    k[grid](x, n, m=m, BLOCK=64)')" = "1 n 3 % << ; n" ]
    [ "$(grid_of 64 <<<'k[lambda meta: (min(LIMIT, n) if n > 4 else 1, m)](x, n, m, 64)')" = "4 n < 7 n min 1 select ; m" ]
    [ "$(grid_of 64 <<<'k[x.shape[0],](x, x.shape[0], m, 64)')" = "n" ]
    [ "$(grid_of 64 <<<'k[rows_of(n, 64)](x, n, m, 64)')" = "n 64 cdiv ; 2" ]
    [ "$(grid_of 64 <<<'k[(math.ceil(n / 64), abs(m))](x, n, m, 64)')" = "n 64 cdiv ; m m -1 * max" ]
    [ "$(grid_of 64 <<<$'if n > 3:\n    k[(n, m)](x, n, m, 64)\nelse:\n    k[n, m](x, n, m, 64)')" = "n ; m" ]
}

@test "launches that give no grid" {
    [ -z "$(grid_of 32 <<<'k[(triton.cdiv(n, 64),)](x, n, m, BLOCK=64)')" ] # is for others
    [ -z "$(grid_of 64 <<<$'k[(n,)](x, n, m, 64)\nk[(m,)](x, n, m, 64)')" ]
    [ -z "$(grid_of 64 <<<$'grid = (n,)\nif m:\n    grid = (m,)\nk[grid](x, n, m, 64)')" ]
    [ -z "$(grid_of 64 <<<$'m += 1\nblocks = n\nfor blocks in range(3):\n    k[(blocks,)](x, n, 3, 64)')" ]
    [ -z "$(grid_of 64 <<<$'sms = x.sms\nk[(min(sms, n),)](x, n, m, 64)')" ]
    [ -z "$(grid_of 64 <<<'k[(x.numel(),)](x, n, m, 64)')" ]
}

@test "expressions that are wrong" {
    write_kernel
    bad() {
        tritcc -1 -sig 'count(out=*i32, n=i32, rows=i64)' -grid="$1" -c k.tri
        [[ $errors == *"-grid:1:"$2*"[TRI-3037]"* ]]
    }
    bad 'cdiv(m, 2)' '6: error: in the grid of '"'count'"': a launcher cannot compute this: '"'m'"' is not defined'
    bad 'out' '1: error: in the grid of '"'count'"': a launcher cannot compute this: it is no integer'
    bad 'n / 2' '1: error: '*'the operator is none of + - * // %'
    bad 'f(n)' '1: error: '*'the call is none of cdiv, next_power_of_2, min'
    bad 'cdiv(n)' '1: error: '*'the call is none of'
    bad 'n % (3 - 3)' '1: error: '*'it divides by zero'
    bad 'n, -1' '1: error: '*'a size of it is negative'
    bad '()' '1: error: '*'one to three dimensions'
    bad '1, 2, 3, 4' '1: error: '*'one to three dimensions'
    tritcc -1 -sig 'count(out=*i32, n=i32, rows=i64)' -grid='n +' -c k.tri
    [[ $errors == *"-grid:1:"* ]]
}
