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
    grep -q "^vadd.tri:33:9: remark: accesses of 4 bytes, not 16: the address is known to be a multiple of 4 bytes only: 'x_ptr' is not known to be a multiple of 16; if it is, say so (:16 behind its type in -sig" remarks
    grep -q "^vadd.tri:36:5: remark: accesses of 4 bytes, not 16: the mask may differ between neighbours: 'n_elements' is not known to be a multiple of 16; if it is, say so" remarks
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
    grep -q 'loop.tri:9:5: remark: not pipelined: it has one stage; num_stages=2 or more, .* \[-Rpass-missed=pipeline\]' .err
    loop -sig 'loop(*fp16, *fp16:16, *fp32:16, i32)'
    grep -q 'pipelined with 3 stages: 1 load is made ahead' .err
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
    ! grep -q cp.async k.ptx || false
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

# says GROUP ARG... <LINES: compiling remarks.tri gives these remarks of the group (without its name), in any order.
says() {
    local group=$1
    shift
    tritcc "-Rpass=$group" "-Rpass-missed=$group" "$@" "$SRCDIR/tests/targets/remarks.tri"
    sed -n "s/^.*remarks\.tri:\([0-9:]* \)remark: \(.*\) \[-Rpass.*=$group\]$/\1\2/p" .err | sort >have
    sort | diff - have
}

@test "memory: what a thread's neighbours and a layout allow" {
    says memory -arch=sm_80 -emit=ptx=k.ptx -sig 'runs(*fp16:16, *fp16:16, i32:16)' <<'END'
9:9: 2 accesses of 4 bytes per thread
9:9: accesses of 4 bytes, not 16: only runs of 2 elements are known to be neighbours in memory
10:5: 1 access of 8 bytes per thread
10:5: accesses of 8 bytes, not 16: a thread holds 4 neighbouring elements
END
    tritcc -arch=sm_80 -emit=ptx=k.ptx -Rpass=memory -sig "runs(*i8:16, *i8:16, i32)" "$SRCDIR/tests/targets/remarks.tri"
    grep -q ' of 1 byte per thread' .err
}

@test "memory: asynchronous copies" {
    says memory -arch=sm_80 -num-stages=2 -emit=ptx=k.ptx -sig 'copies(*fp32:16, *fp32:16, *fp32:16, i32, 32)' <<'END'
18:13: 8 asynchronous copies of 4 bytes per thread
18:13: 8 asynchronous copies of 4 bytes per thread
18:13: asynchronous copies of 4 bytes, not 16: the address is known to be a multiple of 4 bytes only: 'K' is not known to be a multiple of 16; if it is, say so (:16 behind its type in -sig, tl.multiple_of)
18:13: asynchronous copies of 4 bytes, not 16: the address is known to be a multiple of 4 bytes only: 'K' is not known to be a multiple of 16; if it is, say so (:16 behind its type in -sig, tl.multiple_of)
19:13: 2 asynchronous copies of 16 bytes per thread
19:13: 2 asynchronous copies of 16 bytes per thread
21:5: 2 accesses of 16 bytes per thread
END
}

@test "pipeline: loops that are not" {
    says pipeline -arch=sm_80 -emit=ptx=k.ptx -sig 'outer(*fp32:16, *fp32:16, *fp32:16, i32, i32)' <<'END'
27:5: not pipelined: there is another loop in it; tl.range(..., flatten=True) makes one of the two
29:9: pipelined with 3 stages: 1 load is made ahead
END
    says pipeline -arch=sm_80 -emit=ptx=k.ptx -sig 'older(*fp32:16, *fp32:16, i32)' <<'END'
39:5: not pipelined: what it carries is older than one iteration; computed from the loop's index it is not
END
    says pipeline -arch=sm_80 -emit=ptx=k.ptx -sig 'until(*fp32:16, *fp32:16, i32)' <<'END'
49:5: not pipelined: how often a while loop runs is not known before it; a for over tl.range() can be, where the count is computed first
END
}

@test "pipeline: loads that are not" {
    says pipeline -arch=sm_80 -emit=ptx=k.ptx -sig 'stays(*fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16)' <<'END'
59:5: pipelined with 3 stages: 1 load is made ahead
60:13: the load stays in its iteration: it is volatile; without that it may be made ahead
62:16: the load stays in its iteration: no product needs it at one distance, or there are too few stages; a loop that asks for stages (tl.range(..., num_stages=N)) gets them for other loads, too
END
    says pipeline -arch=sm_90a -emit=ptx=k.ptx -sig 'both(*fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16)' <<'END'
73:5: pipelined with 3 stages: 2 loads are made ahead
76:13: the load stays in its iteration: its users want different layouts, or none in shared memory; a load of its own for each use mends that
END
}

@test "dot: instructions, and none" {
    says dot -arch=sm_80 -emit=ptx=k.ptx -sig 'product(*fp64:16, *fp64:16, *fp64:16, 16, 16, 16)' <<<'90:9: 4 instructions mma_m8n8k4_f64 per warp'
    says dot -arch=sm_89 -emit=ptx=k.ptx -sig 'product(*fp8e4nv:16, *fp8e4nv:16, *fp32:16, 32, 32, 32)' <<<'90:9: 2 instructions mma_m16n8k32_e4m3_e4m3 per warp'
    says dot -arch=sm_86 -emit=ptx=k.ptx -sig 'product(*fp64:16, *fp64:16, *fp64:16, 16, 16, 16)' <<'END'
90:9: 32 multiply-adds per thread
90:9: no matrix instruction: none here multiplies float64 with sums in float64; float32 with input_precision='tf32x3' has one, where that is exact enough
END
    says dot -arch=gfx942 -num-warps=1 -emit=amdgcn=k.s -sig 'product(*fp16:16, *fp16:16, *fp32:16, 16, 16, 16)' <<<'90:9: 1 instruction mfma_16x16x16_f16 per warp'
    says dot -arch=spirv64 -emit=spvasm=k.s -sig 'product(*fp16:16, *fp16:16, *fp32:16, 16, 16, 16)' <<'END'
90:9: 32 multiply-adds per thread
90:9: no matrix instruction: the device has none
END
}

@test "dot: products of warp groups, and none" {
    one() { says dot -arch=sm_90a -emit=ptx=k.ptx "$@"; }
    one -sig 'product(*fp16:16, *fp16:16, *fp32:16, 64, 64, 64)' <<<'90:9: 4 instructions wgmma_f16_f32 of 64 columns per warp group'
    one -sig 'product(*fp16:16, *fp16:16, *fp32:16, 32, 64, 64)' <<'END'
90:9: 16 instructions mma_m16n8k16_f16_f32 per warp
90:9: no product of warp groups: M is no multiple of 64, or N none of 8; blocks of such sizes have one
END
    one -num-warps=2 -sig 'product(*fp16:16, *fp16:16, *fp32:16, 64, 64, 64)' <<'END'
90:9: 64 instructions mma_m16n8k16_f16_f32 per warp
90:9: no product of warp groups: a group has four warps; num_warps=4 or 8 has one
END
    one -sig 'product(*fp32:16, *fp32:16, *fp32:16, 64, 64, 64)' <<'END'
90:9: 4 instructions wgmma_tf32_f32 of 64 columns per warp group
90:9: 4 instructions wgmma_tf32_f32 of 64 columns per warp group
90:9: B comes from registers, as the first operand of the transposed product, for it runs along N in memory
END
    one -sig 'product(*fp32:16, *fp32:16, *fp32:16, 64, 32, 64)' <<'END'
90:9: 32 instructions mma_m16n8k8_tf32_f32 per warp
90:9: no product of warp groups: an operand of 32-bit elements does not run along K in memory, and cannot come from registers; store it so that K has stride 1
END
    one -sig 'product(*fp8e5:16, *fp8e5:16, *fp32:16, 64, 64, 64)' <<'END'
90:9: 32 instructions mma_m16n8k16_f16_f32 per warp
90:9: no product of warp groups: none takes these element types, or sums them up as exactly as max_num_imprecise_acc wants; float16 and bfloat16 with sums in float32 have one, and float8 with a larger max_num_imprecise_acc
END
    one -sig 'batch(*fp16:16, *fp16:16, *fp32:16)' <<'END'
99:22: 128 instructions mma_m16n8k16_f16_f32 per warp
99:22: no product of warp groups: it multiplies matrices of a batch; a loop over them has one for each
END
}

@test "dot: K that fills no instruction" {
    cat >k.ttir <<'END'
tt.func public @k(%p: !tt.ptr<f32>, %a: f16) {
  %x = tt.splat %a : f16 -> tensor<16x8xf16>
  %y = tt.splat %a : f16 -> tensor<8x16xf16>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %x, %y, %z : tensor<16x8xf16> * tensor<8x16xf16> -> tensor<16x16xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
END
    tritcc -arch=sm_80 -Rpass-missed=dot -emit=ptx=k.ptx k.ttir
    grep -q '^k.ttir:5:8: remark: no matrix instruction: K is less than 16; a block of so many along K, zeros where it ends, has one ' .err
}

@test "layout: conversions through shared memory and shuffles, at the line that makes them" {
    says layout -arch=sm_80 -num-warps=1 -emit=ptx=k.ptx -sig 'turn(*fp32:16, *fp32:16, 16)' <<<'106:5: through 1024 bytes of shared memory in 1 rounds'
    says layout -arch=sm_80 -num-warps=1 -emit=ptx=k.ptx -sig 'turn(*fp32:16, *fp32:16, 8)' <<<'106:5: through 2 shuffles'
    # in the library: where it is called
    says layout -arch=sm_80 -emit=ptx=k.ptx -sig 'rows(*fp32:16, *fp32:16)' <<<'114:9: through 128 bytes of shared memory in 1 rounds'
}

@test "an access that is not wide says what keeps neighbours apart" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(x, y, idx, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.load(idx + i)
    a = tl.load(x + i * s)
    b = tl.load(y + j)
    c = tl.load(x + i // n * 5)
    d = tl.load(x + i * 2)
    e = tl.load(x + n + i % n)
    tl.store(y + i, a + b + c + d + e)
END
    tritcc -arch=sm_80 -Rpass-missed=memory -emit=ptx=/dev/null -sig '*fp32:16, *fp32:16, *i32:16, i32, i32, 1024' k.tri
    [[ $errors == *"k.tri:9:9: remark:"*"they are 's' elements apart; if that is 1, say so (s=i32:1 in -sig)"* ]]
    [[ $errors == *"k.tri:10:9: remark:"*"a gather, as the indices are loaded"* ]]
    [[ $errors == *"k.tri:11:9: remark:"*"an integer division for each element"* ]]
    tritcc -arch=sm_80 -Rpass-missed=memory -emit=ptx=/dev/null -sig '*fp32:16, *fp32:16, *i32:16, i32:1, i32, 1024' k.tri
    [[ $errors != *"k.tri:9:9: remark:"* ]]
    [[ $errors == *"k.tri:12:9: remark:"*"neighbouring elements are 2 apart in memory"* ]]
    [[ $errors == *"k.tri:13:9: remark:"*"the remainder by 'n' may begin anew between them; if 'n' is a multiple of 16, say so"* ]]
    tritcc -arch=sm_80 -Rpass-missed=memory -emit=ptx=/dev/null -sig '*fp32, *fp32:16, *i32:16, 1, i32:16, 1024' k.tri
    [[ $errors == *"k.tri:13:9: remark:"*"a multiple of 4 bytes only: 'x' is not known to be a multiple of 16; if it is, say so"* ]]
}

@test "products of 8-bit integers on mma.sync say how their sums end" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(o + i, tl.dot(tl.load(x + i), tl.load(y + i)))
END
    local said="k.tri:8:21: remark: sums of 8-bit integers wrap around at 32 bits; Triton's saturate on this architecture"
    tritcc -arch=sm_80 -Rpass=dot -S -o k.ptx -sig '*i8:16, *i8:16, *i32:16, 64' k.tri
    [[ $errors == *"$said"* ]]
    grep -q 'mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32' k.ptx
    tritcc -arch=sm_80 -Rpass=dot -S -femit-upstream=3.6 -o k.ptx -sig '*i8:16, *i8:16, *i32:16, 64' k.tri
    [[ $errors != *"wrap around"* ]]
    grep -q 'mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32' k.ptx
    tritcc -arch=sm_90a -Rpass=dot -S -o k.ptx -sig '*i8:16, *i8:16, *i32:16, 64' k.tri
    [[ $errors != *"wrap around"* ]]
    tritcc -arch=sm_80 -Rpass=dot -S -o k.ptx -sig '*fp16:16, *fp16:16, *fp32:16, 64' k.tri
    [[ $errors != *"wrap around"* ]]
}

@test "a store whose indices are loaded is a scatter" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(x, y, idx, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + tl.load(idx + i), tl.load(x + i))
    tl.store(x + i * s, 0.0)
END
    tritcc -arch=sm_80 -Rpass-missed=memory -emit=ptx=/dev/null -sig '*fp32:16, *fp32:16, *i32:16, i32, i32, 1024' k.tri
    [[ $errors == *"k.tri:8:5: remark:"*"a scatter, as the indices are loaded"* ]]
    [[ $errors == *"k.tri:9:5: remark:"*"they are 's' elements apart; if that is 1, say so (s=i32:1 in -sig)"* ]]
}

@test "integers divided for each element are told, with what divides them" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def k(x, y, by, n, C: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    row = i // n
    v = i % tl.load(by + i)
    tl.store(y + i, row + v + i // C + tl.program_id(0) // n)
END
    tritcc -arch=sm_80 -Rpass-missed=division -emit=ptx=k.ptx -sig '*i32:16, *i32:16, *i32:16, i32, 7, 1024' k.tri
    [[ $errors == *"k.tri:8:11: remark: 8 divisions of integers per thread, each of some 20 instructions, by 'n'; a tl.constexpr"* ]]
    [[ $errors == *"k.tri:9:9: remark: 8 divisions of integers per thread, each of some 20 instructions, by numbers of a block; "* ]]
    [[ $errors == *"[-Rpass-missed=division]"* ]]
    [ "$(grep -c remark: .err)" -eq 2 ] # not of scalars, nor by constants
    [ "$(grep -c 'div.s32\|rem.s32' k.ptx)" -eq 17 ]
    # n is known to divide what neighbours have alike: one for all of a thread
    tritcc -arch=sm_80 -Rpass-missed=division -emit=ptx=k.ptx -sig '*i32:16, *i32:16, *i32:16, 4, 7, 1024' k.tri
    [ "$(grep -c remark: .err)" -eq 1 ]
}

@test "products whose types no instruction takes say which" {
    dot() { # TYPE OF-B OF-SUMS
        sed "s/A_TYPE/$1/g; s/B_TYPE/$2/g; s/D_TYPE/$3/g" >k.ttir <<'END'
tt.func public @k(%p: !tt.ptr<D_TYPE>, %a: A_TYPE, %b: B_TYPE, %c: D_TYPE) {
  %x = tt.splat %a : A_TYPE -> tensor<16x32xA_TYPE>
  %y = tt.splat %b : B_TYPE -> tensor<32x16xB_TYPE>
  %z = tt.splat %c : D_TYPE -> tensor<16x16xD_TYPE>
  %d = tt.dot %x, %y, %z : tensor<16x32xA_TYPE> * tensor<32x16xB_TYPE> -> tensor<16x16xD_TYPE>
  %q = tt.splat %p : !tt.ptr<D_TYPE> -> tensor<16x16x!tt.ptr<D_TYPE>>
  tt.store %q, %d : tensor<16x16x!tt.ptr<D_TYPE>>
  tt.return
}
END
        missed dot k.ttir
    }
    dot i8 i8 i32
    [ ! -s remarks ]
    dot i16 i16 i32
    grep -q '^k.ttir:5:8: remark: no matrix instruction: none here multiplies int16 with sums in int32; int8 with' remarks
    dot bf16 bf16 bf16
    grep -q '^k.ttir:5:8: remark: no matrix instruction: none here multiplies bfloat16 with sums in bfloat16; sums' remarks
}
