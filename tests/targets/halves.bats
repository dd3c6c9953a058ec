#!/usr/bin/env bats
# Two elements of fp16 at a time (targets/nvptx/halves.c).
load ../helpers

setup() {
    start_test || return 1
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def together(x, w, y, s, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i).to(tl.float32) * s
    tl.store(y + i, v.to(tl.float16) * tl.load(w + i) + tl.load(x + i) - 0.5)


@triton.jit
def apart(x, w, y, s, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + 3 * i) * tl.load(w + i))
END
}

compile() { tritcc -arch=sm_90a -emit=ptx=k.ptx -k "$1" -sig '*fp16:16, *fp16:16, *fp16:16, fp32, 1024' k.tri; }

@test "numbers of one register, and those that are rounded for it, are taken together" {
    compile together
    grep -q 'cvt\.rn\.f16x2\.f32' k.ptx
    grep -q 'fma\.rn\.f16x2' k.ptx
    grep -q 'sub.*\.f16x2\|add.*\.f16x2' k.ptx
    ! grep -E '(mul|add|sub|fma)(\.rn)?\.f16 |cvt\.rn\.f16\.f32' k.ptx || return 1
}

@test "what lies in registers of its own stays apart" {
    compile apart
    grep -Eq 'mul(\.rn)?\.f16 ' k.ptx
    ! grep -q 'f16x2' k.ptx || return 1
}

@test "the same numbers as on the host" {
    local arguments='randn:f16:1024:seed=1 randn:f16:1024:seed=2 y=zeros:f16:1024 1.5 1024'
    # shellcheck disable=SC2086
    "$BUILDDIR/tritrun" -arch=sim:sm_90a -k together -o y=gpu.npy k.tri $arguments
    # shellcheck disable=SC2086
    "$BUILDDIR/tritrun" -arch=native -k together -o y=host.npy k.tri $arguments
    cmp gpu.npy host.npy
}
