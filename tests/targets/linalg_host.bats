# The programs that test the host's own target, on what comes through linalg.
load ../helpers

signatures() { sed -n 's/^# tritcc: //p' "$1"; }

run_exec() {
    local name line args
    for name; do
        cp "$SRCDIR/tests/exec/$name.tri" .
        args=()
        while IFS= read -r line; do eval "args+=($line)"; done < <(signatures "$name.tri")
        tritcc "${args[@]}" -w -arch=linalg -emit=obj="$name.o",header="$name.h" "$name.tri"
        ${CC:-cc} -std=gnu17 -O1 $CFLAGS -I. -I"$SRCDIR" "$SRCDIR/tests/exec/$name.c" "$name.o" -o "$name" -lm
        "./$name"
    done
}

@test "reductions, of a few elements in the same array too" { run_exec reduce; }
@test "indices that wrap around, below zero too" { run_exec wrap; }
@test "casts: doubles to bf16 round once, and every operation on bf16 rounds" { run_exec casts; }
@test "functions that are not to be inlined, and other control" { run_exec control; }
@test "math, products, shapes, integers, memory" { run_exec vmath matmul dot_types shape ints memory advanced; }

# (What one of two descriptors is loaded by is compiled for the host: linalg refuses it.)
@test "descriptors as arguments: base, extents, strides and padding" {
    cp "$SRCDIR/tests/exec/descriptors.tri" .
    tritcc -sig 'copy(tensordesc<fp32[16,32]>, tensordesc<fp32[16,32]>, i32, 16, 32)' -sig 'extents(tensordesc<fp16[8,8]>, *i32, *i64)' \
        -arch=linalg -emit=obj=one.o,header=one.h descriptors.tri
    tritcc -sig 'choose(*fp32, *fp32, *fp32, i32, i32, i32, 8, 16)' -arch="$HOST_ARCH" -emit=obj=two.o,header=two.h descriptors.tri
    printf '#include "one.h"\n#include "two.h"\n' >descriptors.h
    ${CC:-cc} -std=gnu17 -O1 $CFLAGS -I. -I"$SRCDIR" "$SRCDIR/tests/exec/descriptors.c" one.o two.o -o descriptors -lm
    ./descriptors
}

@test "extremes of the columns of a block: none is left out" {
    cat >c.tri <<'K'
import triton
import triton.language as tl
@triton.jit
def k(x: "*fp32", most: "*fp32", least: "*fp32"):
    i = tl.arange(0, 16)
    j = tl.arange(0, 32)
    v = tl.load(x + i[:, None] * 32 + j[None, :])
    tl.store(most + j, tl.max(v, 0))
    tl.store(least + j, tl.min(v, 0))
K
    arguments=(randn:f32:16x32:seed=1 most=zeros:f32:32 least=zeros:f32:32)
    tritrun -arch=native -k k -o most=most.npy -o least=least.npy c.tri "${arguments[@]}"
    tritrun -arch=linalg -k k -expect=most=@most.npy -expect=least=@least.npy c.tri "${arguments[@]}"
}
