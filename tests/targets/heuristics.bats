# @triton.heuristics that ask for the arguments of a launch: computed by the launcher.
load ../helpers

write_kernel() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl

LIMIT = 1000


def twice(x):
    return 2 * x


def pick(args):
    """rows of a program"""
    n = args["n"]
    if n <= 100:
        return 16
    elif twice(n) <= 2 * LIMIT:
        return 32
    rows = 60
    rows += 4
    return rows


@triton.heuristics({
    "EVEN": lambda args: args["m"] != 0 and args["n"] % args["m"] == 0,
    "B": lambda args: min(triton.next_power_of_2(args["n"]), 128),
    "ROWS": pick,
    "HAS": lambda args: args["y"] is not None,
    "SHIFTED": lambda args: args["B"] > 16 and args["s"] in (1, 3),
})
@triton.jit
def k(out, y, n, m, s, B: tl.constexpr, EVEN: tl.constexpr, ROWS: tl.constexpr, HAS: tl.constexpr,
      SHIFTED: tl.constexpr):
    tl.atomic_add(out, 1)
    tl.store(out + 1, EVEN)
    tl.store(out + 2, B)
    tl.store(out + 3, ROWS)
    tl.store(out + 4, HAS)
    tl.store(out + 5, SHIFTED)
TRI
    cat >main.c <<'C'
#include "k.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static int32_t out[16] __attribute__((aligned(64)));
    int n = atoi(argv[1]), m = atoi(argv[2]), s = atoi(argv[3]), error = k_run(0, out, out, n, m, s);
    printf("%d: %d %d %d %d %d %d\n", error, out[0], out[1], out[2], out[3], out[4], out[5]);
    return argc != 4;
}
C
}

build() {
    tritcc -sig 'k(out=*i32, y=*i32, n=i32, m=u32, s=i64)' -grid='cdiv(n, B)' -emit=obj=k.o,header=k.h "$@" k.tri
    ${CC:-cc} -Wall -Werror -I. main.c k.o -lm -o main
}

@test "comparisons, choices and bounded numbers are computed at the call, and the grid from them" {
    write_kernel
    build
    [ "$(./main 100 10 1)" = "0: 1 1 128 16 1 1" ]
    [ "$(./main 12 10 1)" = "0: 1 0 16 16 1 0" ]
    [ "$(./main 1000 500 2)" = "0: 8 1 128 32 1 0" ]
    [ "$(./main 1001 7 3)" = "0: 8 1 128 64 1 1" ]
    [ "$(./main 1600 16 16)" = "0: 13 1 128 64 1 0" ] # aligned
    ! grep -q '#define k_B' k.h || false
    [ "$(./main 3 0 1)" = "0: 1 0 4 16 1 0" ]         # no division by 0
}

@test "the facts are in every stage's text and in json" {
    write_kernel
    tritcc -sig 'k(out=*i32, y=*i32, n=i32, m=u32, s=i64)' -D B=8 -D ROWS=1 -D SHIFTED=True -fspecialize=none -arch=native \
        -grid='cdiv(n, B)' -emit=ttir=k.ttir,json=k.json k.tri
    grep -q '"heuristic": "EVEN", "equals": 1' k.json
    tritcc -emit=obj=k.o,header=k.h k.ttir
    ${CC:-cc} -I. main.c k.o -lm -o main
    [ "$(./main 100 10 1)" = "0: 13 1 8 1 1 1" ]
    [ "$(./main 100 11 1)" = "0: 13 0 8 1 1 1" ]
}

@test "-fheuristic names the values, and others are an error of the call" {
    write_kernel
    sed -i 's/min(triton.next_power_of_2(args\["n"\]), 128)/triton.next_power_of_2(args["n"])/' k.tri
    tritcc -1 -sig 'k(out=*i32, y=*i32, n=i32, m=u32, s=i64)' -c k.tri
    [[ $errors == *"'B' may be any number: -fheuristic=B:64,128 says"* ]]
    build -fheuristic=B:16,32
    [ "$(./main 30 10 3)" = "0: 1 1 32 16 1 1" ]
    [ "$(./main 33 10 3)" = "11: 0 0 0 0 0 0" ]
    [ "$(./main 8 10 3)" = "11: 0 0 0 0 0 0" ]
}

@test "warps by a heuristic: the most that it gives" {
    cat >w.tri <<'TRI'
import triton
import triton.language as tl


@triton.heuristics({"num_warps": lambda args: 2 if args["n"] < 100 else 8, "num_stages": lambda args: 1 + args["B"] // 64})
@triton.jit
def w(out, n, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), n)
TRI
    tritcc -sig 'w(out=*i32, n=i32, B=64)' -arch=sm_80 -emit=json=w.json w.tri
    [[ $errors == *"w.tri:5:20: warning: 'num_warps' depends on the arguments of the launch; 8, the most"*"[-Wheuristics]"* ]]
    grep -q '"num_stages": 2' w.json
    grep -q '"num_warps": 8' w.json
}

@test "what a launcher cannot compute is said where it stands" {
    cannot() { # LAMBDA TEXT
        printf '%s\n' 'import triton' 'import triton.language as tl' '' "@triton.heuristics({'E': $1})" '@triton.jit' \
            'def k(out, n, f, E: tl.constexpr):' '    tl.store(out, n)' >bad.tri
        tritcc -1 -sig 'k(out=*i32, n=i32, f=fp32)' -c bad.tri
        [[ $errors == *"bad.tri:4:"*"$2"* ]]
    }
    cannot 'lambda a: a["n"] / 2' 'the operator is none of'
    cannot 'lambda a: a["f"] > 1' 'it is no integer'
    cannot 'lambda a: a["g"] > 1' 'no such parameter'
    cannot 'lambda a: len(str(a["n"]))' 'the call is none of cdiv'
    cannot 'lambda a: a["n"] > 1.5' 'it is no integer'
    cannot 'lambda a, b: 1' 'no function of one parameter'
    cannot 'lambda a: a["n"] + 1' "may be any number"
}

@test "-fheuristic that is wrong" {
    write_kernel
    for bad in B B: B:x B:1,,2; do
        tritcc -1 -sig 'k(out=*i32, y=*i32, n=i32, m=u32, s=i64)' -fheuristic="$bad" -c k.tri
        [[ $errors == *"-fheuristic=$bad: give integers"* ]]
    done
    tritcc -1 -sig 'k(out=*i32, y=*i32, n=i32, m=u32, s=i64)' -fheuristic=C:1 -c k.tri
    [[ $errors == *"-fheuristic=C:1: no heuristic of this name"* ]]
    tritcc -1 -sig 'k(out=*i32, y=*i32, n=i32, m=u32, s=i64)' \
        -fheuristic=B:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33 -fheuristic=ROWS:1,2,3,4,5 -c k.tri
    [[ $errors == *"combinations of values are too many"* ]]
}
