# -config=all: every autotune configuration, in files and under names of its own.
load ../helpers

setup_kernels() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": b}, num_warps=w) for b, w in [(64, 2), (128, 4), (256, 8)]], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["B"] % 128 == 0})
@triton.jit
def scale(x, n: int, B: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    mask = offs < n
    tl.store(x + offs, tl.load(x + offs, mask=mask) * (2 if EVEN else 3), mask=mask)


@triton.jit
def plain(x, n: int):
    tl.store(x + n, 1.0)
TRI
}

@test "one output for each configuration, with its constants, heuristics and warps" {
    setup_kernels
    tritcc -config=all -arch=sm_80 -emit=ttir,ptx=out.ptx -sig 'scale(x=*fp32)' -sig 'plain(x=*fp32)' -MD k.tri
    [ "$(echo *.ttir *.ptx)" = "k.config0.ttir k.config1.ttir k.config2.ttir out.config0.ptx out.config1.ptx out.config2.ptx" ]
    local i b=64
    for i in 0 1 2; do
        grep -q "tt.func public @scale_config$i(" k.config$i.ttir
        grep -q "tensor<${b}xi32>" k.config$i.ttir
        grep -q "visible .entry scale_config$i(" out.config$i.ptx
        grep -q "reqntid $((64 << i))" out.config$i.ptx
        b=$((b * 2))
    done
    grep -q 'dense<3.0' k.config0.ttir
    grep -q 'dense<2.0' k.config1.ttir
    grep -q '@plain(' k.config0.ttir
    ! grep -q '@plain(' k.config1.ttir || false
    [ "$(tr -d '\\\n' <k.d | tr -s ' ')" = "k.config0.ttir out.config0.ptx k.config1.ttir out.config1.ptx k.config2.ttir out.config2.ptx: k.tri" ]
}

@test "an object holds all of them, and a table says which one runs" {
    setup_kernels
    cat >table <<'T'
# kernel  arch  key  configuration
scale * n=100 2
scale * n=10000 0   # 2 elements a thread
other * n=1 7
T
    tritcc -config=all -ftune=table -c -fspecialize=none -emit=header,json -sig 'scale(x=*fp32)' -sig 'plain(x=*fp32)' -MD k.tri
    [[ $errors == *"note: 'k.o' holds all 3 configurations"* ]]
    [ "$(echo k.*)" = "k.d k.h k.json k.o k.tri" ]
    grep -q table k.d
    [ "$(grep -c '"config": ' k.json)" = 3 ]
    ! grep -qE 'define scale_B|^/[*] scale: .*B = ' k.h || false # not the same in all of them
    cat >main.c <<'C'
#include "k.h"
#include <stdio.h>

int main(void)
{
    static float x[16384];
    const int sizes[] = {100, 10000, 90, 120, 9000, 16384, 900, 1120};
    int count;
    const tri_variant *v = scale_variants(&count);
    printf("%d:", count);
    for (int i = 0; i < 8; i++) {
        if (scale(0, (tri_grid){1, 1, 1}, x, sizes[i]))
            return 1;
        printf(" %s", v[scale_selected(0)].key + sizeof "x=*fp32, n=i32, B=" - 1);
    }
    return plain(0, (tri_grid){1, 1, 1}, x, 3);
}
C
    ${CC:-cc} -Wall -Werror -I. main.c k.o -lm -o a.out
    [ "$(./a.out | sed 's/, EVEN=[A-Za-z]*//g')" = "3: 256 64 256 256 64 64 256 64" ]
}

@test "tables that are wrong" {
    setup_kernels
    bad() {
        printf '%s\n' "$2" >table
        tritcc -1 -config=all -ftune=table -c -sig 'scale(x=*fp32)' k.tri
        [[ $errors == *"table:1:$1"*"[TRI-7010]"* ]]
    }
    bad '9: error: expected KEY=NUMBER' 'scale * n=many 0'
    bad '9: error: this is no integer argument' 'scale * x=3 0'
    bad '13: error: the object has no such configuration' 'scale * n=3 3'
    bad '7: error: this is no architecture' 'scale sm_77 n=3 0'
    bad '13: error: this key stands here twice' 'scale * n=3,n=4 0'
    bad '1: error: a line is: KERNEL' 'scale * n=3'
    bad '1: error: a line is: KERNEL' '{"scale": 1}'
    tritcc -1 -config=all -ftune=absent -c -sig 'scale(x=*fp32)' k.tri
    [[ $errors == *"cannot read 'absent'"* ]]
}

@test "a heuristic may ask whether an argument is there" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.heuristics({
    "HAS_BIAS": lambda args: args["bias"] is not None,
    "NO_STEP": lambda args: args["step"] is None,
})
@triton.jit
def k(x, bias, step, HAS_BIAS: tl.constexpr, NO_STEP: tl.constexpr):
    if HAS_BIAS:
        tl.store(x, tl.load(bias) + 3.0)
    if NO_STEP:
        tl.store(x, 5.0)


@triton.heuristics({"EVEN": lambda args: args["n"] % 16 == 0})
@triton.jit
def even(x, n, EVEN: tl.constexpr):
    tl.store(x, EVEN)
TRI
    tritcc -emit=ttir=- -sig 'k(*fp32, *fp32, i32)' k.tri
    [[ $output == *3.0* && $output != *5.0* ]]
    tritcc -emit=ttir=- -sig 'k(*fp32, None, None)' k.tri
    [[ $output != *3.0* && $output == *5.0* ]]
    tritcc -1 -emit=ttir=- -sig 'even(*i32, i32)' k.tri
    [[ $errors == *"needs types or values for: EVEN"*"the heuristic needs values that are known only at launch"* ]]
}

@test "no configurations at all are one compilation" {
    setup_kernels
    tritcc -config=all -emit=ttir=p.ttir -sig 'plain(x=*fp32)' k.tri
    [ "$(echo *.ttir)" = p.config0.ttir ]
    grep -q '@plain(' p.config0.ttir
}

@test "a configuration that does not compile stops the rest" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": b}) for b in (64, 48, 32)], key=[])
@triton.jit
def k(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
TRI
    tritcc -1 -config=all -emit=ttir -sig 'k(x=*fp32)' k.tri
    [[ $errors == *"k.tri:8:"*"power of two, but 48"* ]]
    [ "$(echo *.ttir)" = k.config0.ttir ]
}

@test "configurations that cannot be had, and wrong words" {
    printf '%s\n' 'import triton' 'import triton.language as tl' 'import torch' '' '' \
        '@triton.autotune(configs=[triton.Config({"B": torch.cuda.device_count()})], key=[])' '@triton.jit' \
        'def k(x, B: tl.constexpr):' '    tl.store(x + B, 1.0)' >k.tri
    tritcc -1 -config=all -emit=ttir -sig 'k(x=*fp32)' k.tri
    [[ $errors == *"k.tri:6:"*"-config: the configs of 'k' cannot be computed: "*"[TRI-3034]"* ]]
    tritcc -2 -config=most k.tri
    [[ $errors == *"takes a number from 0 to 65535, 'best' or 'all', not 'most'"* ]]
    tritcc -2 -config=-1 k.tri
}

@test "a kernel by the name that a decorated one is assigned to" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


def fill(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)


jitted = triton.jit(fill)
tuned = triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 128})], key=[])(jitted)
TRI
    tritcc -k tuned -sig '*fp32' -config=1 -emit=ttir=- k.tri
    [[ $output == *"@tuned("*"tensor<128x!tt.ptr<f32>>"* ]]
    tritcc -k jitted -sig '*fp32, 64' -emit=ttir=- k.tri
    [[ $output == *"@jitted("*"tensor<64x!tt.ptr<f32>>"* ]]
    tritcc -sig '*fp32, 16' -emit=ttir=- k.tri
    [[ $output == *"@fill("* && $output != *"@jitted("* ]]
}

@test "prune_configs_by leaves out what it can say before a launch" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


def early(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["B"] >= named_args["MIN"] and c.num_warps < 8]


def at_launch(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["B"] <= named_args["n"]]


configs = [triton.Config({"B": b}, num_warps=w) for b, w in [(64, 2), (128, 4), (256, 8), (512, 4)]]
TOP = 4
rules = {"early_config_prune": early, "perf_model": lambda B, num_warps, **kw: 1.0 / B, "top_k": TOP}


@triton.autotune(configs=configs, key=["n"], prune_configs_by=rules)
@triton.jit
def work(x, n, MIN: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
TRI
    sizes() { # -config=all with TOP=... and more
        tritcc -arch=sm_80 -emit=json=- -sig 'work(*fp32,i32,MIN=128)' -config=all "$@" k.tri
        sed -n 's/.*"B".*"value": "\([0-9]*\)".*/\1/p' .out | tr '\n' ' '
    }
    [ "$(sizes -DTOP=10 | tail -n 1)" = "128 512 " ]
    [ "$(sizes -DTOP=1 | tail -n 1)" = "512 " ]
    [ "$(sizes -DTOP=0.5 | tail -n 1)" = "512 " ]
    tritcc -arch=sm_80 -emit=json=- -sig 'work(*fp32,i32,MIN=128)' -DTOP=10 -config=1 k.tri
    [[ $output == *'"B", "constexpr": true, "value": "512"'* ]]
    # what asks for a launch's values keeps all
    sed -i 's/early_config_prune": early/early_config_prune": at_launch/' k.tri
    [ "$(sizes -DTOP=10 | tail -n 1)" = "64 128 256 512 " ]
    # and so has tritrun the same numbers, though it has the values
    "$BUILDDIR/tritrun" -tune=table -DTOP=10 -grid=1 k.tri zeros:f32:100 100 128
    [ "$(grep -c '^    [0-3] ' <("$BUILDDIR/tritrun" -tune=table -DTOP=10 -grid=1 k.tri zeros:f32:100 100 128))" = 4 ]
}

@test "a kernel with heuristics of the launch has all of its configurations" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({'B': b}, num_warps=w) for b in (64, 128) for w in (1, 2)], key=['n'])
@triton.heuristics({'EVEN': lambda a: a['n'] % a['B'] == 0})
@triton.jit
def fill(x, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if EVEN:
        tl.store(x + i, B)
    else:
        tl.store(x + i, -B, mask=i < n)
TRI
    printf 'fill * n=100 0\nfill * n=1024 3\n' >table
    tritcc -config=all -ftune=table -c -fspecialize=none -emit=header '-grid=cdiv(n, B)' -sig 'fill(*i32, i32)' k.tri
    [[ $errors == *"holds all 4 configurations"* ]]
    cat >main.c <<'C'
#include "k.h"
#include <stdio.h>
int main(void)
{
    static int x[1024];
    int few = fill_run(NULL, x, 100), first = x[99], behind = x[100], all = fill_run(NULL, x, 1024);
    return printf("%d %d %d %d %d\n", few, first, behind, all, x[1023]) < 0;
}
C
    cc -I"$SRCDIR/include" -o main main.c k.o -lm -ldl -lpthread
    [ "$(./main)" = "0 -64 0 0 128" ]
}
