#!/usr/bin/env bats
# Tensor maps that launchers make: the same numbers with them, without them, and where they cannot be made; what objects
# ask of the driver, and what other launchers are told.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
kernels=$SRCDIR/tests/targets/tma.tri
attention='*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,64,128,64,False,tl.float16'

# attend FILE OUT: attention of two heads of 208 rows on the simulator
attend() {
    "$TRITRUN" -arch=sim:sm_90a -grid=2,2 -o o_ptr="$2" "$1" q_ptr=randn:f16:2x208x64:seed=1 k_ptr=randn:f16:2x208x64:seed=2 \
        v_ptr=randn:f16:2x208x64:seed=3 o_ptr=full:f16:2x208x64:value=77 0.125 208
}

@test "the same numbers, also where one of the maps cannot be made" {
    local c
    for c in -fhost-tensormaps -fno-host-tensormaps; do
        tritcc -arch=sm_90a $c -num-warps=8 -num-stages=2 -k attn -emit=ttgir="k$c.ttgir" -sig "$attention" "$kernels"
        attend "k$c.ttgir" "$c.npy"
    done
    [ "$(grep -c 'tritcc.map = ' k-fhost-tensormaps.ttgir)" = 4 ]
    [ "$(grep -c 'tritcc.map = ' k-fno-host-tensormaps.ttgir)" = 0 ]
    cmp -- -fhost-tensormaps.npy -fno-host-tensormaps.npy
    # a base that is no multiple of 16 bytes, no number at all, an argument that is none
    for c in '4 ;' 'what ;' '$99:32 ;'; do
        sed "s/; 0 ; 64 , 128/; $c 64 , 128/" k-fhost-tensormaps.ttgir >bad.ttgir
        cmp -s bad.ttgir k-fhost-tensormaps.ttgir && return 1
        attend bad.ttgir bad.npy
        cmp bad.npy ./-fhost-tensormaps.npy
    done
}

@test "a map that is wrong is found" {
    tritcc -arch=sm_90a -fhost-tensormaps -num-warps=8 -num-stages=2 -k attn -emit=ttgir=k.ttgir -sig "$attention" "$kernels"
    sed 's/; 0 ; 64 , 128/; 8 ; 64 , 128/' k.ttgir >bad.ttgir
    run attend bad.ttgir bad.npy
    [ "$status" -ne 0 ]
    [[ $output == *'global access out of bounds'* ]]
}

# The warp that loads takes along, as numbers, which head of which batch the program is for.
@test "batches and groups of heads that share keys are dimensions" {
    local c n=208
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.jit
def k(q, k, v, o, batch, key_batch, head, scale, H, N, D: tl.constexpr, B: tl.constexpr):
    which, own = tl.program_id(1) // H, tl.program_id(1) % H
    mine = which.to(tl.int64) * batch + own.to(tl.int64) * head
    shared = which.to(tl.int64) * key_batch + (own // 2).to(tl.int64) * head
    m, d = tl.program_id(0) * B + tl.arange(0, B), tl.arange(0, D)
    qs = tl.load(q + mine + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    acc, top = tl.zeros((B, D), tl.float32), tl.full((B,), -1.0e30, tl.float32)
    keys = k + shared + d[:, None] + tl.arange(0, B)[None, :] * D
    values = v + shared + d[None, :] + tl.arange(0, B)[:, None] * D
    for n in range(0, N, B):
        there = n + tl.arange(0, B) < N
        s = tl.dot(qs, tl.load(keys, mask=there[None, :], other=0.0)) * scale
        s = tl.where(there[None, :], s, -1.0e30)
        new = tl.maximum(top, tl.max(s, 1))
        acc = acc * tl.exp2(top - new)[:, None]
        acc = tl.dot(tl.exp2(s - new[:, None]).to(tl.float16), tl.load(values, mask=there[:, None], other=0.0), acc)
        keys += B * D
        values += B * D
        top = new
    tl.store(o + mine + m[:, None] * D + d[None, :], acc.to(tl.float16), mask=m[:, None] < N)
TRI
    for c in -fhost-tensormaps -fno-auto-tma; do
        tritcc -arch=sm_90a $c -num-stages=2 -emit=ttgir="k$c.ttgir" -sig \
            '*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,fp32,i32,i32,64,64' k.tri
        "$TRITRUN" -arch=sim:sm_90a -grid=4,8 -o o="$c.npy" "k$c.ttgir" randn:f16:2x4x${n}x64:seed=1 randn:f16:2x2x${n}x64:seed=2 \
            randn:f16:2x2x${n}x64:seed=3 o=full:f16:2x4x${n}x64:value=7 $((4 * n * 64)) $((2 * n * 64)) $((n * 64)) \
            0.125 4 $n
    done
    [ "$(grep -c 'tritcc.map = ' k-fhost-tensormaps.ttgir)" = 3 ]
    cmp -- -fhost-tensormaps.npy -fno-auto-tma.npy
}

@test "an object's launcher makes them" {
    local grid='{(4096 + 127) / 128, 6, 1}'
    need ptxas
    tritcc -arch=sm_90a -k attn -fno-persistent -num-warps=8 -num-stages=2 -emit=header=attn.h,obj=attn.o -sig "$attention" "$kernels"
    mkdir -p stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    cat >main.c <<C
#include "attn.h"
#include "tests/targets/stub_cuda.h"
#include "tests/targets/want.h"

static _Alignas(128) short q[64], k[64], v[64], o[64];

int main(void)
{
    stub_log *log = stub_get_log();
    static const int sizes[9] = {8, 8, 8, 8, 4, 4, 8, 4, 8};
    tri_grid grid = $grid;
    for (log->want_args = 0; log->want_args < 9; log->want_args++)
        log->want_bytes[log->want_args] = sizes[log->want_args];
    WANT(attn(0, grid, q, k, v, o, 0.125f, 4096) == 0);
    WANT(log->launches == 1 && log->map_count == 4 && log->stream_allocations == 0);
    const struct stub_map *m = &log->maps[0];
    WANT(m->address == q && m->element == 6 && m->rank == 3 && m->interleave == 0 && m->swizzle == 3 && m->fill == 0);
    WANT(m->sizes[0] == 64 && m->sizes[1] == 4096 && m->sizes[2] == 0x7fffffff);
    WANT(m->strides[0] == 128 && m->strides[1] == 4096 * 64 * 2);
    WANT(m->box[0] == 64 && m->box[1] == 128 && m->box[2] == 1 && m->steps[0] == 1 && m->steps[2] == 1);
    WANT(log->maps[1].address == o && log->maps[2].address == k && log->maps[3].address == v);
    WANT(log->maps[2].box[1] == 64);
    WANT((log->args[6] & 0xff) == 0x40 && log->args[7] == 1 && log->args[8] == 0);
    /* none of it where one cannot be made: then the code writes its own into scratch memory */
    stub_fail("cuTensorMapEncodeTiled", 1);
    WANT(attn(0, grid, q, k, v, o, 0.125f, 4096) == 0);
    WANT(log->launches == 2 && log->stream_allocations == 1 && log->args[7] == 0 && log->args[8] != 0);
    stub_fail(0, 0);
    WANT(attn(0, grid, q, k, v, o, 0.125f, 0) == 0 && log->args[7] == 0 && log->args[8] != 0);
    return failures != 0;
}
C
    cc -Wall -Werror -I. -I"$SRCDIR" main.c attn.o -Lstub -l:libcuda.so.1 -o main -lpthread
    LD_LIBRARY_PATH=stub ./main
}

# The driver counts types of elements by CUtensorMapDataType, the machine otherwise.
@test "types of elements as the driver counts them" {
    local type element
    for type in fp16:6 bf16:9 fp32:11; do
        element=${type#*:} type=${type%:*}
        tritcc -arch=sm_90a -fhost-tensormaps -k product -num-warps=4 -num-stages=3 -emit=json=k.json \
            -sig "*$type:16,*$type:16,*$type:16,i32:16,i32:16,i32:16,64,64,32" "$kernels"
        grep -qF '{"argument": 0, "element": '"$element"',' k.json
    done
    tritcc -arch=sm_90a -fhost-tensormaps -num-warps=8 -num-stages=2 -k attn -emit=ttgir=k.ttgir \
        -sig '*bf16:16,*bf16:16,*bf16:16,*bf16:16,fp32,i32:16,64,128,64,False,tl.bfloat16' "$kernels"
    sed 's/; 0 ; 64 , 128/; 8 ; 64 , 128/' k.ttgir >bad.ttgir # seen only where the maps are made
    run "$TRITRUN" -arch=sim:sm_90a -grid=2,2 bad.ttgir q_ptr=randn:bf16:2x208x64:seed=1 k_ptr=randn:bf16:2x208x64:seed=2 \
        v_ptr=randn:bf16:2x208x64:seed=3 o_ptr=full:bf16:2x208x64:value=77 0.125 208
    [[ $output == *'global access out of bounds'* ]]
}

@test "other launchers are told, and other outputs have none" {
    tritcc -arch=sm_90a -k attn -num-warps=8 -num-stages=2 -sig "$attention" -emit=json=k.json,ptx=k.ptx "$kernels"
    ! grep -q tensor_maps k.json || return 1
    ! grep -q '.b8 attn_param' k.ptx || return 1
    tritcc -arch=sm_90a -fhost-tensormaps -k attn -num-warps=8 -num-stages=2 -sig "$attention" -emit=json=k.json,ptx=k.ptx \
        "$kernels"
    grep -qE '\.param \.align 64 \.b8 attn_param_6\[512\]' k.ptx
    grep -q '"scratch_is_for_maps": true' k.json
    grep -qF '{"argument": 0, "element": 6, "bytes": 2, "swizzle": 3, "fill": 0, "offset": "0", "box": ["64", "128", "1"], "sizes": ["64", "$5:32", "2147483647"], "strides": ["128", "64 $5:32 * 2 *"]}' k.json
    need python3
    python3 -m json.tool k.json >/dev/null
}
