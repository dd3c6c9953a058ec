load ../helpers

vadd=$EXAMPLES/vadd/vadd.tri

@test "missing types show the parameters and a -sig that works" {
    tritcc -1 "$vadd" -emit=ttir
    [[ $errors == *"vadd.tri:"*"error:"*"-sig"* ]]
    suggestion=$(grep -oE "\-sig '[^']*'" .err | head -1)
    [ -n "$suggestion" ]
    eval "tritcc \"$vadd\" $suggestion -emit=ttir -o -"
}

@test "an unknown kernel names the nearest" {
    tritcc -1 "$vadd" -k add_kernal -emit=ttir
    [[ $errors == *"add_kernal"*"add_kernel"* ]]
}

@test "an unknown -D name is rejected" {
    tritcc -1 "$vadd" -sig '*fp32, *fp32, *fp32, i32' -DBLOCK_SIZ=1024 -emit=ttir
    [[ $errors == *"BLOCK_SIZ"* ]]
}

@test "a signature by name is one by position" {
    tritcc "$vadd" -sig '*fp32:16, *fp32, *fp32, i32, 64' -emit=ttir=1
    tritcc "$vadd" -sig 'add_kernel(n_elements=i32, x_ptr=*fp32:16, y_ptr=*fp32, BLOCK_SIZE=64, output_ptr=*fp32)' -emit=ttir=2
    cmp 1 2
}

@test "-num-warps, -num-stages, -num-ctas and -maxnreg reach the module" {
    tritcc "$vadd" -sig '*fp32, *fp32, *fp32, i32, 1024' -arch=sm_90a -num-warps=8 -emit=ttgir,ptx,json -num-stages=2 -num-ctas=1 -maxnreg=64
    grep -q '"ttg.num-warps" = 8' vadd.ttgir
    grep -q 'reqntid 256' vadd.ptx
    grep -q 'maxnreg 64' vadd.ptx
}

@test "-config picks a configuration" {
    cat >k.tri <<'K'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({'B': 64}, num_warps=2), triton.Config({'B': 128}, num_warps=8)], key=[])
@triton.jit
def k(p, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 1.0)
K
    tritcc k.tri -sig '*fp32' -config=1 -emit=ttir -o -
    [[ $output == *"tensor<128x"* ]]
    tritcc k.tri -sig '*fp32' -emit=ttir -o -
    [[ $output == *"tensor<64x"* ]]
    tritcc -1 k.tri -sig '*fp32' -config=2 -emit=ttir
}

@test "-I finds imported files" {
    mkdir lib
    cat >lib/helper.py <<'K'
import triton
import triton.language as tl

@triton.jit
def twice(x):
    return x + x
K
    cat >k.tri <<'K'
import triton
import triton.language as tl
from helper import twice

@triton.jit
def k(p, B: tl.constexpr):
    tl.store(p + tl.arange(0, B), twice(tl.load(p + tl.arange(0, B))))
K
    tritcc -1 k.tri -sig '*fp32, 64' -emit=ttir
    tritcc k.tri -sig '*fp32, 64' -Ilib -emit=ttir -o - -MD -MF k.d
    grep -q lib/helper.py k.d
}

@test "-symbol names the entry of the only kernel; json has the stages that were used" {
    cat >two.py <<'END'
import triton
import triton.language as tl


@triton.jit
def a(x):
    tl.store(x, 1)


@triton.jit
def b(x):
    tl.store(x, 2)
END
    tritcc -arch=sm_80 -symbol=entry_0 -k a -sig 'a(*i32)' -emit=ptx=-,json=a.json two.py
    [[ $output == *".entry entry_0("* && $output != *".entry a("* ]]
    jq -e '.kernels[0] | .name == "a" and .symbol == "entry_0" and .num_stages == 3' a.json
    tritcc -1 -arch=sm_80 -symbol=entry -sig 'a(*i32)' -sig 'b(*i32)' -emit=ptx two.py
    [[ $errors == *"-symbol=entry names one kernel, but 2 are compiled"*"[TRI-1002]"* ]]
    tritcc -2 -symbol=1x -sig 'a(*i32)' two.py
}
