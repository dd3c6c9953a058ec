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
