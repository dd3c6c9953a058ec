#!/usr/bin/env bats
# Remarks of the GPU lowering: widths of accesses, instructions of products, ways of conversions.
load ../helpers

@test "remarks say how wide accesses are" {
    tritcc -arch=sm_80 -Rpass=memory -emit=ptx=k.ptx -k add_kernel -sig '*fp32:16, *fp32:16, *fp32:16, i32:16, 1024' \
        "$EXAMPLES/vadd/vadd.tri"
    [ "$(grep -c 'remark: 2 accesses of 16 bytes per thread' .err)" -eq 3 ]
    tritcc -arch=sm_80 -Rpass=memory -emit=ptx=k.ptx -k add_kernel -sig '*fp32, *fp32, *fp32, i32, 1024' \
        "$EXAMPLES/vadd/vadd.tri"
    [ "$(grep -c 'remark: 8 accesses of 4 bytes per thread' .err)" -eq 3 ]
}

@test "remarks are printed only when asked for" {
    tritcc -arch=sm_80 -emit=ptx=k.ptx -k add_kernel -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
    [ -z "$errors" ]
}

@test "remarks name the matrix instruction and what a conversion costs" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))
END
    tritcc -arch=sm_80 -Rpass=dot -Rpass=layout -emit=ptx=k.ptx -sig 'product(*fp16:16, *fp16:16, *fp32:16, 64)' k.tri
    grep -q 'k.tri:9:.*remark: .* instructions mma_m16n8k16_f16_f32 per warp' .err
    grep -q 'remark: through .* bytes of shared memory in .* rounds' .err
}

missed() { # GROUP ARG...: what was not done
    local group=$1
    shift
    tritcc -arch=sm_80 "-Rpass-missed=$group" -emit=ptx=k.ptx "$@"
    sed 's/^.*[/]//' .err | grep remark >remarks || true
}

@test "remarks say why accesses are not wider" {
    missed memory -k add_kernel -sig '*fp32, *fp32, *fp32:16, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
    grep -q '^vadd.tri:33:9: remark: accesses of 4 bytes, not 16: the address is known to be a multiple of 4 bytes only' remarks
    grep -q '^vadd.tri:36:5: remark: accesses of 4 bytes, not 16: the mask is known to be equal for 1 neighbours only' remarks
    grep -q 'Rpass-missed=memory' remarks
    missed memory -k add_kernel -sig '*fp32:16, *fp32:16, *fp32:16, i32:16, 1024' "$EXAMPLES/vadd/vadd.tri"
    [ ! -s remarks ]
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def strided(p, q, stride):
    i = tl.arange(0, 512)
    tl.store(q + i, tl.load(p + i * stride))
END
    missed memory -sig 'strided(*fp32:16, *fp32:16, i32)' k.tri
    grep -q '^k.tri:8:21: remark: accesses of 4 bytes, not 16: neighbouring elements are not known to be neighbours' remarks
    [ "$(wc -l <remarks)" -eq 1 ]
}

loop() { # STAGES_OF_RANGE K_HINT ARG...: a product in a loop
    cat >loop.tri <<END
import triton
import triton.language as tl


@triton.jit
def loop(a, b, c, K):
    m = tl.arange(0, 64)
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for k in range(0, K, 32):
        kk = k + tl.arange(0, 32)
        x = tl.load(a + m[:, None] * K + kk[None, :])
        y = tl.load(b + kk[:, None] * 64 + m[None, :])
        acc += tl.dot(x, y)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


@triton.jit
def plain(p, q, n):
    i = tl.arange(0, 512)
    s = tl.zeros((512,), dtype=tl.float32)
    for k in range(0, n):
        s += tl.load(p + k * 512 + i)
    tl.store(q + i, s)
END
    tritcc -arch=sm_80 -Rpass=pipeline -Rpass-missed=pipeline -emit=ptx=k.ptx "$@" loop.tri
}

@test "remarks say which loops are pipelined, with how many stages, and why others are not" {
    loop -sig 'loop(*fp16:16, *fp16:16, *fp32:16, i32:16)'
    grep -q 'loop.tri:9:5: remark: pipelined with 3 stages: 2 loads are made ahead \[-Rpass=pipeline\]' .err
    [ "$(grep -c remark .err)" -eq 1 ]
    loop -num-stages=5 -sig 'loop(*fp16:16, *fp16:16, *fp32:16, i32:16)'
    grep -q 'pipelined with 5 stages' .err
    loop -num-stages=1 -sig 'loop(*fp16:16, *fp16:16, *fp32:16, i32:16)'
    grep -q 'loop.tri:9:5: remark: not pipelined: it has one stage (num_stages) \[-Rpass-missed=pipeline\]' .err
    loop -sig 'loop(*fp16, *fp16:16, *fp32:16, i32)'
    grep -q 'pipelined with 3 stages: 1 loads are made ahead' .err
    grep -q 'loop.tri:11:13: remark: the load stays in its iteration: threads would copy 2 bytes at a time' .err
    loop -sig 'plain(*fp32:16, *fp32:16, i32)'
    grep -q 'loop.tri:21:5: remark: not pipelined: no load of it can be made ahead' .err
    grep -q 'loop.tri:22:14: remark: the load stays in its iteration: the loop asks for no stages' .err
}

@test "a loop that the scheduler refuses is not called pipelined" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(a, b, c, K):
    m = tl.arange(0, 64)
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for k in range(0, K, 32):
        kk = k + tl.arange(0, 32)
        tl.device_print("k", k)
        acc += tl.dot(tl.load(a + m[:, None] * K + kk[None, :]), tl.load(b + kk[:, None] * 64 + m[None, :]))
    tl.store(c + m[:, None] * 64 + m[None, :], acc)
END
    tritcc -arch=sm_80 -Rpass=pipeline -Rpass-missed=pipeline -emit=ptx=k.ptx -sig 'k(*fp16:16, *fp16:16, *fp32:16, i32:16)' k.tri
    grep -q 'k.tri:9:5: remark: not pipelined: it prints, asserts, calls a function or has a barrier' .err
    [[ $errors != *'pipelined with'* ]]
    ! grep -q cp.async k.ptx
}

@test "remarks say why a product has no matrix instruction" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, BLOCK: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision=HOW))
END
    missed dot -sig "product(*fp32:16, *fp32:16, *fp32:16, 32, 'ieee')" k.tri
    grep -q "^k.tri:9:22: remark: no matrix instruction: input_precision 'ieee' of float32" remarks
    missed dot -sig "product(*fp32:16, *fp32:16, *fp32:16, 32, 'tf32')" k.tri
    [ ! -s remarks ]
}
