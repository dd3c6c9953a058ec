load ../helpers

# run_exec NAME [FLAG...]: compiles the kernels that tests/exec/NAME.tri lists in its '# tritcc:' lines
# into one object, links NAME.c with it (by $CC with $CFLAGS), and runs that (by $RUN).
run_exec() {
    local name=$1 line
    shift
    cp "$SRCDIR/tests/exec/$name.tri" .
    local args=()
    while IFS= read -r line; do
        eval "args+=($line)"
    done < <(sed -n 's/^# tritcc: //p' "$name.tri")
    tritcc "${args[@]}" "$@" -emit=obj="$name.o",header="$name.h" "$name.tri"
    ${CC:-cc} -std=gnu17 -O1 -Wall -Werror $CFLAGS -I. -I"$SRCDIR" "$SRCDIR/tests/exec/$name.c" "$name.o" -o "$name" -lm
    $RUN "./$name"
}

@test "reductions and scans" {
    run_exec reduce -arch="$HOST_ARCH"
    # a sum of all dimensions goes through the block itself, which is not copied
    sed 's/tl.max(e)/0.0/; s/tl.sum(e)/0.0/' reduce.tri >whole.tri
    tritcc -arch=x86-64-v4 -sig 'whole(*fp32, *fp32, i32, 64, 1024)' -emit=llir=whole.ll whole.tri
    grep -q 'fadd.*<[0-9]* x float>' whole.ll
    ! grep -E 'alloca \[[0-9]{5}' whole.ll || false
    # one nest for the sum and for what is kept of it, and one for each store: of parts with the mask and without
    tritcc -arch=x86-64-v4 -O0 -sig 'beside(*fp32, *fp32, *fp32, i32, 256)' -emit=llir=beside.ll reduce.tri
    [ "$(grep -c '^loop' beside.ll)" = 9 ]
}
@test "indices that wrap around give what C's remainder gives" {
    run_exec wrap -arch="$HOST_ARCH"
    [ "$(uname -m)" != x86_64 ] || run_exec wrap -arch=x86-64
}

@test "loads of indices that wrap around are no gathers" {
    cp "$SRCDIR/tests/exec/wrap.tri" .
    local rows='*fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16'
    tritcc -arch=x86-64-v4 -sig "rows16($rows, 32, 64)" -sig 'believed(*fp32:16, *fp32:16, i32, i32, 64)' \
        -sig 'runs(*fp32:16, *fp32:16, i32, 128)' \
        -emit=asm=hinted.s wrap.tri
    ! grep gather hinted.s || false
    # without hints: one test, behind which the gather lies
    tritcc -arch=x86-64-v4 -sig 'wrapped(*fp32:16, *fp32:16, i32, i32, 64)' -emit=llir=plain.ll wrap.tri
    grep -q 'load <16 x i32>' plain.ll || grep -q 'load <16 x float>' plain.ll
    grep -q 'masked.gather' plain.ll
    # rows of a product that quotients and remainders place: of one line they are read where they lie
    tritcc -arch=x86-64-v4 -O0 -sig 'images(*fp32:16, *fp32:16, *fp32:16, i32, i32, i32)' -emit=llir=images.ll wrap.tri
    grep -q '^placed' images.ll
}

@test "math functions are within their bounds of ulp" {
    run_exec vmath -arch="$HOST_ARCH"
    grep -q avx512f /proc/cpuinfo || skip "the rest is by tables in registers"
    run_exec vmath -arch=x86-64-v4
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def f(x, N: tl.constexpr):' \
        '    k = tl.arange(0, N)' '    tl.store(x + k, tl.log(tl.load(x + k)))' >log.tri
    tritcc -arch=x86-64-v4 -sig 'f(*fp32, 16)' -emit=asm=log.s log.tri
    [ "$(grep -c vgetmantps log.s)" = 1 ]
    [ "$(grep -c vfixupimmps log.s)" = 1 ]
}
@test "functions of the vector library are within 4 ulp, remainders exact" {
    run_exec veclib -arch="$HOST_ARCH"
    run_exec veclib -arch="$HOST_ARCH" -fveclib=none
    nm veclib.o | grep -q ' U tanf$'
    ! nm veclib.o | grep -q ' U _ZGV' || false
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    run_exec veclib -arch=x86-64-v2
    nm veclib.o | grep -q ' U _ZGVbN4v_tanf$'
}

# What vectors of a function may call, by level. Beside libmvec: what arguments beyond 1e5 or divisors below 2^-960 need.
calls_of() {
    sed -n 's/.*\(call\|callq\|jmp\)[[:space:]]*\([_A-Za-z][A-Za-z0-9_]*\)@PLT.*/\2/p' "$1" |
        grep -v '^_ZGV\|^memcpy$\|^memset$\|^sinf$\|^cosf$\|^fmod$\|^remainder$' || :
}

@test "no loop over vectors calls a function of scalars" {
    cp "$SRCDIR/tests/exec/veclib.tri" "$SRCDIR/tests/exec/vmath.tri" .
    for arch in x86-64 x86-64-v3 x86-64-v4; do
        tritcc -arch=$arch -sig 'unary(*fp32, *fp32, 64)' -sig 'binary(*fp32, *fp32, *fp32, 64)' \
            -sig 'unary_f64(*fp64, *fp64, 64)' -sig 'binary_f64(*fp64, *fp64, *fp64, 64)' -emit=asm=v.s veclib.tri
        tritcc -arch=$arch -sig 'floats(*fp32, *fp32, 64)' -sig 'doubles(*fp64, *fp64, 64)' -emit=asm=w.s vmath.tri
        for f in tan tanf pow powf atan2f hypot sin log10f; do grep -q "_ZGV.N[0-9]*v*_$f@PLT" v.s; done
        [ "$arch" = x86-64 ] || [ -z "$(calls_of v.s)$(calls_of w.s)" ]
    done
}

man_text() { sed -n '/vector code of the compiler/,/as they do on aarch64/p' "$SRCDIR/man/tritcc-targets.7.in"; }

@test "what is computed one element after the other on aarch64 is what the manual lists" {
    local double='cos erf log2 sin tanh' both f
    both='acos acosh asin asinh atan atan2 atanh cbrt cosh erfc exp10 expm1 hypot log10 log1p pow sinh tan'
    cp "$SRCDIR/tests/exec/veclib.tri" "$SRCDIR/tests/exec/vmath.tri" .
    tritcc -arch=aarch64 -sig 'unary(*fp32, *fp32, 64)' -sig 'binary(*fp32, *fp32, *fp32, 64)' \
        -sig 'unary_f64(*fp64, *fp64, 64)' -sig 'binary_f64(*fp64, *fp64, *fp64, 64)' -emit=asm=v.s veclib.tri
    tritcc -arch=aarch64 -sig 'floats(*fp32, *fp32, 64)' -sig 'doubles(*fp64, *fp64, 64)' -emit=asm=w.s vmath.tri
    {
        printf '%s\n' $double $both
        printf '%sf\n' $both
        # arguments beyond 1e5, divisors below 2^-960
        printf '%s\n' cosf sinf fmod remainder
    } | LC_ALL=C sort >wanted
    sed -n 's/^[[:space:]]*bl\{0,1\}[[:space:]]\{1,\}\([a-z][a-z0-9]*\)$/\1/p' v.s w.s | grep -v '^mem' | LC_ALL=C sort -u >called
    diff wanted called
    for f in $double $both; do man_text | grep -qw "$f"; done
}

@test "matrix products and attention" { run_exec matmul -arch="$HOST_ARCH"; }
@test "products of int8, bfloat16 and double" { run_exec dot_types -arch="$HOST_ARCH"; }
@test "shapes, gathers and sorting" {
    run_exec shape -arch="$HOST_ARCH"
    [ "$(uname -m)" = x86_64 ] || skip "the rest is of x86"
    run_exec shape -arch=x86-64
    # steps of a network are permutations of lanes, or other chunks
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def f(x, N: tl.constexpr):' \
        '    k = tl.arange(0, N)' '    tl.store(x + k, tl.sort(tl.load(x + k)))' >sort.tri
    tritcc -arch=x86-64-v4 -sig 'f(*fp32, 1024)' -emit=asm=v4.s sort.tri
    grep -qE 'vpermd|vpermps' v4.s
    ! grep -q gather v4.s || false
    tritcc -arch=x86-64-v3 -sig 'f(*fp32, 1024)' -emit=asm=v3.s sort.tri
    ! grep -q gather v3.s || false
}
@test "casts are exact for every format" { run_exec casts -arch="$HOST_ARCH"; }
@test "integers of every width, Philox" { run_exec ints -arch="$HOST_ARCH"; }
@test "quotients of vectors of integers are exact, without division" {
    run_exec quotients -arch="$HOST_ARCH"
    [ "$(uname -m)" = x86_64 ] || skip "the rest is of x86"
    run_exec quotients -arch=x86-64
    run_exec quotients -arch=x86-64-v3
    # one division, of doubles, in front of the loop
    tritcc -arch=x86-64-v4 -sig 'by_one(*i32, *i32, *i32, i32, i32)' -emit=asm=by_one.s quotients.tri
    sed -n '/^by_one:/,$p' by_one.s >one.s
    ! grep -qE 'idiv|divl' one.s || false
    tritcc -arch=x86-64-v4 -sig 'signed32(*i32, *i32, *i32, *i32, i32)' -emit=asm=signed.s quotients.tri
    ! grep -q 'idivl' signed.s || false
    # of places in a line one of a number for each chunk
    sed '/out + n + i/d' quotients.tri >line.tri
    tritcc -arch=x86-64-v4 -sig 'positions(*i32, i32, i32:16, i32, 128)' -emit=asm=line.s line.tri
    grep -q 'idivl' line.s
    ! grep -q 'cvtdq2pd' line.s || false
}
@test "memory order, aliasing, atomics, addresses" { run_exec memory -arch="$HOST_ARCH"; }
@test "blocks of atomic updates, in transactions and out of them" {
    run_exec updates -arch="$HOST_ARCH"
    [ "$(uname -m)" = x86_64 ] || skip "the rest is of x86"
    run_exec updates -arch=x86-64
    run_exec updates -arch=x86-64-v2
    count() { grep -cE "$1" "$2"; }
    rows='rows(*fp32, *i64, *fp32, i32, i32, i32, 256)'
    tritcc -arch=x86-64-v4 -sig "$rows" -emit=asm=v4.s updates.tri
    [ "$(count xend v4.s)" -ge 1 ]
    [ "$(count 'lock.*cmpxchg16b' v4.s)" -ge 1 ]
    tritcc -arch=x86-64 -sig "$rows" -emit=asm=v1.s updates.tri
    [ "$(count cmpxchg16b v1.s)" = 0 ]
    [ "$(count 'lock.*cmpxchgq' v1.s)" -ge 1 ]
    # numbers of rows that are loaded leave their elements neighbours
    tritcc -arch=x86-64-v4 -sig 'blocks(*fp32, *i64, *fp32, i32, i32, i32, 8, 64)' -emit=asm=blocks.s updates.tri
    [ "$(count 'lock.*cmpxchg16b' blocks.s)" -ge 1 ]
    # what is added is not copied first where it lies apart: the copy is in one of two paths
    tritcc -arch=x86-64-v4 -O0 -sig "$rows" -emit=llir=rows.ll updates.tri
    grep -q '^disjoint' rows.ll
    # what no other program sees needs neither
    tritcc -arch=x86-64-v4 -sig 'own(*fp32, *fp32, 128)' -emit=asm=own.s updates.tri
    [ "$(count 'xend|lock' own.s)" = 0 ]
}

@test "descriptors, mapped functions, scaled products, libdevice" { run_exec advanced -arch="$HOST_ARCH"; }
@test "descriptors as arguments and through control flow" { run_exec descriptors -arch="$HOST_ARCH"; }
@test "loops, branches, early returns, calls" { run_exec control -arch="$HOST_ARCH"; }

@test "the oldest processors give the same results" {
    for name in reduce vmath matmul dot_types shape casts ints memory control advanced descriptors; do
        run_exec "$name" -arch=x86-64
    done
}

@test "casts without and with F16C, at every level" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    run_exec casts -arch=x86-64-v2
    grep -q avx2 /proc/cpuinfo || skip "no AVX2"
    run_exec casts -arch=x86-64-v3
    run_exec matmul -arch=x86-64-v3
}

@test "unoptimised code gives the same results" {
    run_exec control -arch="$HOST_ARCH" -O0
    run_exec memory -arch="$HOST_ARCH" -O0
}

@test "no kernel touches what is not its own (AddressSanitizer)" {
    echo 'int main(void) { return 0; }' >t.c
    cc -fsanitize=address,undefined t.c -o t 2>.asan && ./t || skip "no AddressSanitizer"
    for name in reduce matmul dot_types shape casts memory control advanced descriptors; do
        CFLAGS=-fsanitize=address,undefined run_exec "$name" -arch="$HOST_ARCH" -fsanitize=address >ran 2>&1
        grep -q ': ok' ran
        ! grep -q 'runtime error\|Sanitizer' ran || false
    done
}

@test "an aarch64 object is one" {
    tritcc -arch=aarch64 -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=obj=v.o,asm=v.s "$EXAMPLES/vadd/vadd.tri"
    readelf -h v.o | grep -q AArch64
    grep -q 'fadd.*\.4s' v.s
}

@test "aarch64 objects give the same results (qemu)" {
    need aarch64-linux-gnu-gcc
    need qemu-aarch64-static
    for name in reduce vmath veclib matmul shape casts ints memory control advanced descriptors dot_types; do
        CC=aarch64-linux-gnu-gcc CFLAGS=-static RUN=qemu-aarch64-static run_exec "$name" -arch=aarch64
    done
    CC=aarch64-linux-gnu-gcc CFLAGS=-static RUN=qemu-aarch64-static run_exec dot_types -arch=aarch64 -mattr=+bf16,+dotprod
    CC=aarch64-linux-gnu-gcc CFLAGS=-static RUN='qemu-aarch64-static -cpu max' run_exec dot_types -arch=aarch64 -mattr=+bf16,+i8mm
}

@test "products use the instructions that a processor has for them" {
    local int8='product_i8(*i8, *i8, *i32, i32, i32, i32, 32, 64, 32)'
    local bf16='product_bf16(*bf16, *bf16, *fp32, i32, i32, i32, 32, 32, 64)'
    code() { tritcc "$@" -sig "$int8" -sig "$bf16" -emit=asm=code.s "$SRCDIR/tests/exec/dot_types.tri"; }
    code -arch=x86-64-v3
    grep -q 'vpmaddwd.*ymm' code.s
    grep -q 'vfmadd.*ps.*ymm' code.s
    code -arch=x86-64-v4 -mattr=+avx512vnni,+avx512bf16
    grep -q 'vpdpbusd.*zmm' code.s
    ! grep -q vdpbf16ps code.s || false # FMA has twice its rate on processors that are not named
    code -arch=x86-64-v3 -mattr=+avxvnni
    grep -q 'vpdpbusd.*ymm' code.s
    # what a feature brings with it, and what goes with one
    code -arch=x86-64-v2 -mattr=+avx512vnni
    grep -q 'vpdpbusd.*zmm' code.s
    code -arch=x86-64-v2 -mattr=+avx512bw
    grep -q 'vpmaddwd.*zmm' code.s
    code -arch=x86-64-v4 -mattr=-avx512f
    grep -q 'vpmaddwd.*ymm' code.s
    ! grep -q zmm code.s || false
    code -arch=x86-64-v4 -mattr=-sse4.1
    ! grep -q '[yz]mm' code.s || false
    code -arch=aarch64 -mattr=+dotprod,+bf16
    grep -q 'sdot' code.s
    grep -q 'bfmmla' code.s
    code -arch=aarch64 -mattr=+i8mm
    grep -q 'smmla' code.s
}

@test "atomics have the order that the kernel asks for, and no stronger one" {
    cat >at.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def add(x, v, SEM: tl.constexpr, N: tl.constexpr):
    tl.atomic_add(x + tl.arange(0, N), v, sem=SEM)


@triton.jit
def swap(x, v, SEM: tl.constexpr):
    tl.store(x + 1, tl.atomic_cas(x, 0, v, sem=SEM))


@triton.jit
def addf(x, v, SEM: tl.constexpr):
    tl.store(x + 1, tl.atomic_add(x, v, sem=SEM))
END
    instructions() { # SEM [OPTION]
        tritcc -arch=aarch64 "${@:2}" -sig "add(*i32,i32,'$1',8)" -sig "swap(*i32,i32,'$1')" -sig "addf(*fp32,fp32,'$1')" \
            -emit=asm=at.s at.tri >said
        grep -oE '^[[:space:]](ld[a-z]*xr|st[a-z]*xr|ldadd[a-z]*|cas[a-z]*)[[:space:]]' at.s | sort -u | tr -d '\t\n'
    }
    while read -r sem pairs single; do
        [ "$(instructions "$sem")" = "$pairs" ]
        [ "$(instructions "$sem" -mattr=+lse)" = "$single" ]
    done <<'END'
relaxed ldxrstxr casldadd
acquire ldaxrstxr casaldadda
release ldxrstlxr caslldaddl
acq_rel ldaxrstlxr casalldaddal
END
}

@test "contiguous accesses are plain vector instructions" {
    tritcc -arch=x86-64-v3 -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=asm=v.s "$EXAMPLES/vadd/vadd.tri"
    grep -q 'vaddps.*ymm' v.s
    ! grep -q gather v.s || false
}

@test "the width of a block does not change how much code it becomes" {
    instructions() { # SIGNATURE WIDTH
        local sig=${1//,N/,$2}
        rm -f w.ll
        tritcc -arch=x86-64-v3 -sig "$sig" -emit=llir=w.ll "$SRCDIR/tests/targets/wide.tri" >said
        grep -c '^  ' w.ll
    }
    sed -n 's/^# wide: //p' "$SRCDIR/tests/targets/wide.tri" >sigs
    [ "$(wc -l <sigs)" -ge 14 ]
    while IFS= read -r sig; do
        small=$(instructions "$sig" 4096)
        wide=$(instructions "$sig" 65536)
        echo "$sig: $small, $wide"
        [ "$small" -ge 20 ]
        [ "$wide" -le $((small + 40)) ]
        [ "$wide" -le 600 ]
    done <sigs
    tritcc -arch=x86-64-v3 -sig '*fp32, *fp32, i32, i32, i32, i32, 65536, 2' -emit=obj=s.o "$EXAMPLES/softmax/softmax.tri"
    [ "$(stat -c %s s.o)" -lt 48000 ]
}

@test "blocks of nine and twelve dimensions on processors and GPUs" {
    cat >cube.tri <<'END'
import triton
import triton.language as tl


@triton.constexpr_function
def reverse(r):
    return tuple(range(r - 1, -1, -1))


@triton.jit
def cube(x, o, R: tl.constexpr):
    N: tl.constexpr = 2**R
    i = tl.arange(0, N)
    v = tl.load(x + i).reshape([2] * R)
    v = tl.permute(v, reverse(R))
    tl.store(o + i, v.reshape([N]))
    tl.store(o + N + tl.arange(0, N // 2), tl.sum(v, axis=3).reshape([N // 2]))


@triton.jit
def plain(x, o, R: tl.constexpr):
    N: tl.constexpr = 2**R
    i = tl.arange(0, N)
    r = tl.zeros_like(i)
    for b in tl.static_range(R):
        r += ((i >> b) & 1) << (R - 1 - b)
    tl.store(o + i, tl.load(x + r))
    j = tl.arange(0, N // 2)
    low: tl.constexpr = 2**(R - 4)
    k = (j // low) * low * 2 + j % low
    tl.debug_barrier()
    tl.store(o + N + j, tl.load(o + k) + tl.load(o + k + low))
END
    local rank arch
    for rank in 9 12; do
        set -- "arange:i32:$((1 << rank))" "zeros:i32:$((3 << (rank - 1)))" $rank
        "$BUILDDIR/tritrun" -arch="$HOST_ARCH" -k plain cube.tri "$@" -o o=want.npy
        for arch in "$HOST_ARCH" sim:sm_80 sim:sm_90a sim:gfx942 sim:spirv64; do
            "$BUILDDIR/tritrun" -arch="$arch" -k cube cube.tri "$@" -expect=o=@want.npy
        done
    done
}

@test "blocks of too many dimensions are refused with their place" {
    cat >cube.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def cube(x):
    i = tl.arange(0, 8192)
    v = tl.load(x + i).reshape([2] * 13)
    tl.store(x + i, (v + 1).reshape([8192]))
END
    for arch in native sm_80; do
        tritcc -1 "-arch=$arch" -sig '*fp32' -emit=llir=c.ll cube.tri
        [[ $errors == *cube.tri:*"more than 12 dimensions"*TRI-6002* ]]
        [ ! -e c.ll ]
    done
}

@test "blocks that do not fit are refused with their place" {
    cat >big.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def big(x, out):
    i = tl.arange(0, 1024)[:, None]
    j = tl.arange(0, 1024)[None, :]
    v = tl.load(x + i * 1024 + j)
    w = tl.exp(v)
    u = tl.exp2(v)
    tl.store(out + i * 1024 + j, w / tl.sum(w, axis=1)[:, None] + u / tl.sum(u, axis=0)[None, :])
END
    tritcc -1 -arch=native -sig '*fp32, *fp32' -emit=obj=b.o big.tri
    [[ $errors == *big.tri:*"limit"* ]]
    [ ! -e b.o ]
}

@test "asm as input gives the same object" {
    # a stage holds what -sig says; from source there would be forms for other arguments, too
    tritcc -arch=x86-64-v3 -fspecialize=none -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=obj=a.o,asm=v.s,llir=v.ll,ttir=v.ttir "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=x86-64-v3 -emit=obj=b.o v.s
    tritcc -arch=x86-64-v3 -emit=obj=c.o v.ll
    tritcc -arch=x86-64-v3 -emit=obj=d.o v.ttir
    cmp a.o b.o
    cmp a.o c.o
    cmp a.o d.o
}

@test "objects need libc and libm only, and call nothing forbidden" {
    tritcc -arch=native -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=obj=v.o "$EXAMPLES/vadd/vadd.tri"
    ! nm v.o | grep -E ' U (exit|abort|malloc|printf|fprintf|dlopen)$' || false
    cc -shared -o v.so v.o
    readelf -d v.so >.dynamic
    ! grep NEEDED .dynamic | grep -vE 'libc\.so|ld-linux' || false
}

@test "several objects make one program" {
    tritcc -arch=native -sig '*fp32, *fp32, *fp32, i32, 1024' -emit=obj=v.o,header=v.h "$EXAMPLES/vadd/vadd.tri"
    tritcc -arch=native -sig '*fp32, *fp32, i32, i32, i32, i32, 64, 2' -emit=obj=s.o,header=s.h "$EXAMPLES/softmax/softmax.tri"
    cat >main.c <<'END'
#include "s.h"
#include "v.h"
#include <string.h>

int main(void)
{
    float x[64], y[64], z[64];
    tri_grid one = {1, 1, 1};
    for (int i = 0; i < 64; i++)
        x[i] = y[i] = (float)i;
    if (add_kernel(0, one, x, y, z, 64) || z[63] != 126 || softmax_kernel(0, one, z, x, 64, 64, 1, 64) || z[0] > 1)
        return 1;
    return strcmp(tri_strerror(TRI_ERROR_GRID), "the grid is too large for the device") != 0;
}
END
    cc -Wall -Werror main.c v.o s.o -o main -lm
    ./main
}

tiles='-arch=x86-64-v4 -mattr=+amx-tile,+amx-bf16,+amx-int8'

@test "products with AMX: right in software, and as the machine lets them" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    # shellcheck disable=SC2086
    CFLAGS=-DEMULATED run_exec tiles $tiles,+avx512bf16 >said
    grep -q 'x86-64-v4+amx' said
    # left rows that are copied are so by lines
    # shellcheck disable=SC2086
    tritcc $tiles -sig 'wide(*bf16:16, *bf16:16, *fp32:16, i32, i32, i32, i32, i32, i32, 64, 64, 64)' -emit=llir=lines.ll tiles.tri
    grep -q 'load <32 x i16>' lines.ll
    grep -q avx512vl /proc/cpuinfo || skip "the code without AMX needs AVX-512"
    # shellcheck disable=SC2086
    run_exec tiles $tiles
    # a thread whose stack for signals is too small for the state of tiles: the system refuses them
    local level
    for level in x86-64 x86-64-v3 x86-64-v4; do
        # shellcheck disable=SC2086
        CFLAGS=-DSMALL_STACK run_exec tiles ${tiles/x86-64-v4/$level} >said
        grep -qx "$level" said
    done
    grep -q avx512_vnni /proc/cpuinfo || skip "the rest needs VNNI"
    # shellcheck disable=SC2086
    CFLAGS=-DSMALL_STACK run_exec tiles $tiles,+avx512vnni >said
    grep -qx x86-64-v4 said
}

@test "floats become integers as vectors, whatever the bits" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    cat >casts.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def casts(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))
END
    local from to
    for from in fp32 bf16 fp64; do
        for to in i8 u8 i16 i32 u32; do
            tritcc -arch=x86-64-v4 -sig "casts(*$from, *$to, 256)" -emit=asm=casts.s casts.tri
            [ "$(grep -c 'vcvtt[sp][sd]2' casts.s)" -ge 1 ]
            [ "$(grep -c 'vcvtts[sd]2' casts.s)" = 0 ]
        done
    done
}

@test "left operands that are converted are packed once for all programs of their rows" {
    run_exec stays -arch="$HOST_ARCH"
    [ "$(uname -m)" = x86_64 ] || skip "the rest is of x86"
    run_exec stays -arch=x86-64
    # split ones are; those that are read where they lie ask for no panel
    tritcc -arch=x86-64-v4 -mattr=+amx-tile,+amx-bf16 -sig 'single(*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32:16, i32:16, i32:16, 64, 64, 64)' \
        -emit=llir=single.ll "$SRCDIR/tests/exec/tiles.tri"
    grep -q 'call i64 @tri_cpu_rt_panel' single.ll
    # blocks that other threads read: the word that says so comes last, and is asked for behind the key
    grep -q 'store atomic i64 .* release, align 8' single.ll
    grep -q 'load atomic i64, .* acquire, align 8' single.ll
    grep -q 'call ptr @tri_cpu_rt_room' single.ll
    # halves of two rows become words by shifting: no lanes of 16 bits take turns
    ! grep -q '<i32 0, i32 16, i32 1, ' single.ll || false
    tritcc -arch=x86-64-v4 -sig 'grouped_f32(*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 64, 64, 32, 8)' \
        -emit=llir=direct.ll "$SRCDIR/tests/exec/panels.tri"
    grep -q 'call ptr @tri_cpu_rt_room' direct.ll
    [ "$(grep -c tri_cpu_rt_panel direct.ll)" = 0 ]
}

@test "sums stay in registers over loops, and programs share packed operands" {
    local arch=$HOST_ARCH
    ! grep -q avx512vl /proc/cpuinfo || arch=x86-64-v4
    run_exec panels -arch="$arch"
    [ "$(uname -m)" = x86_64 ] || skip "the rest is of x86"
    run_exec panels -arch=x86-64
    # the loop of the kernel: four times 16 products, 2 vectors of b, no sum in memory, few addresses
    tritcc -arch=x86-64-v4 -sig 'grouped_f32(*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 64, 64, 32, 8)' \
        -emit=asm=wide.s "$SRCDIR/tests/exec/panels.tri"
    sed -n '/^products:/,/\.size/p' wide.s >products.s
    [ "$(grep -c vfmadd products.s)" = 64 ]
    sed -n '/vfmadd/,$p' products.s | tac | sed -n '/vfmadd/,$p' >loop.s
    [ "$(grep -c 'vmov.*zmm' loop.s)" -le 8 ] # of b; its first two stand before the first product
    [ "$(grep -cE '(leaq|addq)' loop.s)" -le 10 ]
    [ "$(grep -c vgather wide.s)" = 0 ]
    # the block of b below the one that is packed is fetched meanwhile, the lines that are written to soon, too, and
    # what the kernel reads of b soon
    sed '/^products:/,/\.size/d' wide.s >packs.s
    [ "$(grep -c prefetcht1 packs.s)" -ge 1 ]
    [ "$(grep -c 'prefetcht0.*512\|prefetcht0.*576' packs.s)" -ge 1 ]
    [ "$(grep -c prefetcht0 products.s)" = 8 ]
    # rows that four strips of columns read are gathered: their distance is a constant, and the next ones are fetched
    tritcc -arch=x86-64-v4 -sig 'grouped_f32(*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 64, 128, 32, 8)' \
        -emit=asm=rows.s "$SRCDIR/tests/exec/panels.tri"
    sed -n '/^products:/,/\.size/p' rows.s | sed -n '/vfmadd/,$p' | tac | sed -n '/vfmadd/,$p' >loop.s
    [ "$(grep vbroadcastss loop.s | grep -o '(%.*)' | sort -u | wc -l)" = 1 ]
    [ "$(sed -n '/^products:/,/\.size/p' rows.s | grep -c prefetcht0)" = 9 ]
    # what lies between two arrays that an operand is made of may be written: the lowest address of each is known
    tritcc -arch=x86-64-v4 -sig 'rewritten_folded(*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32, i32)' -emit=llir=folded.ll "$SRCDIR/tests/exec/panels.tri"
    [ "$(grep -c 'call i64 @llvm.umin.i64' folded.ll)" = 2 ]
    # acc += dot(a, b) is the same
    tritcc -arch=x86-64-v4 -sig 'columns_first(*fp32, *fp32, *fp32, i32, i32, i32, i32, 16, 16, 16)' -emit=asm=added.s "$SRCDIR/tests/exec/panels.tri"
    [ "$(grep -c '^products:' added.s)" = 1 ]
    # the first axis is the columns: programs go along the other one, and otherwise as ever
    for axes in '0 1' '1 0'; do
        cat >order.tri <<END
import triton
import triton.language as tl


@triton.jit
def order(a, b, c):
    m, n = tl.program_id(${axes#* }), tl.program_id(${axes% *})
    at = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 16)[None, :]
    x = tl.dot(tl.load(a + m * 512 + at), tl.load(b + n * 16 + at))
    tl.device_print("is")
    tl.store(c + m * 512 + n * 16 + at, x)
END
        cat >order.c <<'END'
#include "order.h"

int main(void)
{
    static float a[1024], b[1024], c[1024];
    return order(0, (tri_grid){2, 2, 1}, a, b, c);
}
END
        tritcc -arch="$HOST_ARCH" -sig 'order(*fp32, *fp32, *fp32)' -emit=obj=order.o,header=order.h order.tri
        cc order.c order.o -o order -lm
        ./order >"order${axes% *}"
    done
    [ "$(sed -n 's/^pid (\(.*\), 0).*/\1/p' order0 | tr '\n' ' ')" = "0, 0 0, 1 1, 0 1, 1 " ]
    [ "$(sed -n 's/^pid (\(.*\), 0).*/\1/p' order1 | tr '\n' ' ')" = "0, 0 1, 0 0, 1 1, 1 " ]
    # two accumulators, one of which is read on the way: only the other one waits
    cat >two.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def two(a, b, c, n):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.zeros([16, 16], tl.float32)
    y = tl.zeros([16, 16], tl.float32)
    for p in range(n):
        u, v = tl.load(a + p * 256 + at), tl.load(b + p * 256 + at)
        x = tl.dot(u, v, x)
        y = tl.dot(v, u, y * 0.5)
    tl.store(c + at, x + y)
END
    tritcc -arch=x86-64-v4 -sig 'two(*fp32, *fp32, *fp32, i32)' -emit=asm=two.s two.tri
    [ "$(grep -c '^products.*:' two.s)" = 1 ]
}

@test "blocks that loops add to stay in registers, slice by slice" {
    run_exec slices -arch="$HOST_ARCH"
    [ "$(uname -m)" = x86_64 ] || skip "the rest is of x86"
    run_exec slices -arch=x86-64
    run_exec slices -arch="$HOST_ARCH" -O0
    # the loop over whole slices: 16 sums in registers, and no store in it; nothing is stored at all for one sum
    cat >rowsum.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def rowsum(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], tl.float32)
    for k in range(0, n, BLOCK):
        j = k + tl.arange(0, BLOCK)
        acc += tl.load(x + row * n + j, mask=j < n, other=0.0)
    tl.store(out + row, tl.sum(acc, axis=0))
END
    tritcc -arch=x86-64-v4 -sig 'rowsum(*fp32:16, *fp32, i32, 1024)' -emit=asm=rowsum.s rowsum.tri
    # what is summed and then stored under the load's mask is not kept where that is false, and zeros are added once
    sed -n '/^# Three quarters/,/^$/p' "$SRCDIR/bench/cpu/kernels.tri" | sed '1i import triton\nimport triton.language as tl' >masked.tri
    tritcc -arch=x86-64-v4 -sig 'softmax_wide(*fp32:16, *fp32:16, i32, 4096)' -emit=llir=masked.ll masked.tri
    [ "$(grep -c 'store <16 x float>' masked.ll)" = 4 ]
    [ "$(grep -c 'select i1 .*, i64 4096$' masked.ll)" = 1 ]
    # between two labels, so one block of code
    awk '/^\.LBB/ { if (sums == 16 && stores == 0) found = 1; sums = stores = 0 }
        /vaddps\t[0-9]*\(%r[^s]/ { sums++ } /vmov.*zmm.*, [0-9]*\(/ { stores++ } END { exit !found }' rowsum.s
}

@test "an object for AMX holds code without it; other objects none with it" {
    local bf16='*bf16:16, *bf16:16, *fp32:16, i32, i32, i32, i32, i32, i32, 64, 64, 64'
    # shellcheck disable=SC2086
    tritcc $tiles -sig "wide($bf16)" -emit=asm=with.s,obj=with.o "$SRCDIR/tests/exec/tiles.tri"
    # the state goes at the end of a range
    sed -n '/^tri_run_wide_x86_64_v4_amx:/,/\.size/p' with.s >amx.s
    [ "$(grep -c ldtilecfg amx.s)" = 1 ]
    [ "$(grep -c tilerelease amx.s)" = 1 ]
    # sums stay in tiles over all steps of the kernel's loops: their products have loads of operands only between them
    [ "$(grep -c tdpbf16ps with.s)" = 8 ]
    sed -n '/^products:/,/\.size/p' with.s >loop.s
    [ "$(grep -cE 'tileloadd.*tmm[0-3]$' loop.s)" = 4 ]
    [ "$(grep -cE 'tileloadd.*tmm[4-7]$' loop.s)" = 8 ]
    # where k is neither short nor very long, what is not read again soon does not go through the first cache: rows of a
    # where there are few columns, else strips of b, and rows of the tiles below are fetched meanwhile
    [ "$(grep -cE 'tileloaddt1.*tmm[45]$' loop.s)" = 2 ]
    [ "$(grep -cE 'tileloaddt1|prefetcht1' loop.s)" = 2 ]
    # shellcheck disable=SC2086
    tritcc $tiles -sig "wide(${bf16%64, 64}256, 64)" -emit=asm=columns.s "$SRCDIR/tests/exec/tiles.tri"
    sed -n '/^products:/,/\.size/p' columns.s >loop.s
    [ "$(grep -cE 'tileloaddt1.*tmm[67]$' loop.s)" = 2 ]
    [ "$(grep -c tileloaddt1 loop.s)" = 2 ]
    [ "$(grep -c prefetcht1 loop.s)" = 8 ]
    # of loops, those of products by vectors are reduced, for which alone it is worth its time; not those beside tiles
    # shellcheck disable=SC2086
    tritcc $tiles -sig "wide($bf16)" -emit=llir=with.ll "$SRCDIR/tests/exec/tiles.tri"
    [ "$(grep -c 'lsr\.iv' with.ll)" = 0 ]
    tritcc -arch=x86-64-v4 -sig "wide($bf16)" -emit=llir=vectors.ll "$SRCDIR/tests/exec/tiles.tri"
    [ "$(awk '/^define/ { name = $0 } /lsr\.iv/ { print name }' vectors.ll | sort -u | sed 's/.*@\([^(]*\)(.*/\1/')" = products ]
    # lanes of 16 bits that an index with % spreads are read as one vector where they turn out to be neighbours
    sed -n '/^define.*@wide_program(/,/^}/p' with.ll >wraps.ll
    [ "$(grep -c '^gathered.*:' wraps.ll)" -ge 2 ]
    # a host's own features are words that LLVM's tools take
    tritcc -arch=native -sig "wide($bf16)" -emit=llir=native.ll "$SRCDIR/tests/exec/tiles.tri"
    [ "$(grep -c '"target-features"=".*,"' native.ll)" = 0 ]
    # they begin as zeros, and the kernel may write them to where they are stored: it has a third caller for that
    [ "$(grep -c tilezero with.s)" = 4 ]
    sed -n '/^wide_program:/,/\.size/p' with.s >program.s
    [ "$(grep -cE 'call.*\*' program.s)" = 3 ]
    # the program is there once, whether there is AMX or not
    [ "$(grep -c 'call.*wide_program' with.s)" = 2 ]
    [ "$(cat program.s <(sed -n -e '/^tri_run_wide:/,/\.size/p' -e '/^plain_products:/,/\.size/p' with.s) | grep -cE 'tdp|tile|amx')" = 0 ]
    # sums that are stored as bfloat16 become that on the way from the tiles: once in the kernel, once behind the copy
    # shellcheck disable=SC2086
    tritcc $tiles,+avx512bf16 -sig "rounded(${bf16/fp32/bf16})" -emit=asm=rounded.s "$SRCDIR/tests/exec/tiles.tri"
    sed -n '/^products:/,/\.size/p' rounded.s >loop.s
    [ "$(grep -cE 'tilestored' loop.s)" = 8 ]
    [ "$(grep -cE 'vcvtneps2bf16|call.*tri_to_bf16' loop.s)" = 2 ]
    # columns that are runs in memory are turned in squares of 16 words: no element is loaded alone but where a mask cuts
    # shellcheck disable=SC2086
    tritcc $tiles -sig "linear($bf16)" -emit=llir=linear.ll "$SRCDIR/tests/exec/tiles.tri"
    sed -n '/^define.*@linear_program(/,/^}/p' linear.ll >turned.ll
    [ "$(grep -c 'shufflevector <16 x i32> %[^,]*, <16 x i32> %' turned.ll)" = 64 ]
    local turns
    for turns in linear_single linear_bits; do
        # shellcheck disable=SC2086
        tritcc $tiles -sig "$turns(${bf16//bf16/fp32})" -emit=llir=linear.ll "$SRCDIR/tests/exec/tiles.tri"
        sed -n "/^define.*@${turns}_program(/,/^}/p" linear.ll >turned.ll
        [ "$(grep -c 'shufflevector <16 x i32> %[^,]*, <16 x i32> %' turned.ll)" = 64 ]
    done
    # bytes whose rows 256 columns read are gathered first, then each tile lies in one piece; those of 128 are not
    local bytes='*i8:16, *i8:16, *i32:16, i32, i32, i32, i32, i32, i32, 64' columns
    for columns in 128 256; do
        # shellcheck disable=SC2086
        tritcc $tiles -sig "bytes($bytes, $columns, 64)" -emit=asm=$columns.s "$SRCDIR/tests/exec/tiles.tri"
        [ "$(grep -c tdpbssd $columns.s)" = 8 ]
    done
    [ "$(grep -cE 'tilestored.*tmm[45],' 128.s)" = 0 ]
    [ "$(grep -cE 'tilestored.*tmm[45],' 256.s)" = 2 ]
    objdump -d with.o | grep -q 'tdpbf16ps.*tmm'
    # float32 in two parts: twelve products for a strip's step, with eight loads, and as many in two loops where there
    # is a NaN; of ieee, and where all bits are asked for, none
    local single='*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, i32, 64, 64, 64'
    # shellcheck disable=SC2086
    tritcc $tiles -sig "single($single)" -emit=asm=split.s "$SRCDIR/tests/exec/tiles.tri"
    [ "$(grep -c tdpbf16ps split.s)" = 24 ]
    [ "$(grep -cE 'tileloadd.*tmm[4-7]$' split.s)" = 20 ]
    [ "$(grep -c tilezero split.s)" = 8 ]
    # halves of two registers go to memory as one, to a line that was fetched before
    [ "$(grep -c vpmovdw split.s)" = 0 ]
    [ "$(grep -c 'prefetcht0.*512' split.s)" -ge 3 ]
    # where 128 columns or more read the rows, those stay in the first cache and strips go past it; the result's lines are fetched
    # shellcheck disable=SC2086
    tritcc $tiles -sig "single(${single%64, 64}256, 64)" -emit=asm=broad.s "$SRCDIR/tests/exec/tiles.tri"
    sed -n '/^products:/,/\.size/p' broad.s >loop.s
    [ "$(grep -cE 'tileloaddt1.*tmm[67]$' loop.s)" = 4 ]
    [ "$(grep -c tileloaddt1 loop.s)" = 4 ]
    [ "$(grep -cE "prefetch(w|t0)" loop.s)" = 8 ]
    # shellcheck disable=SC2086
    tritcc $tiles -sig "all_bits($single)" -emit=asm=bits.s "$SRCDIR/tests/exec/tiles.tri"
    # shellcheck disable=SC2086
    tritcc $tiles -fdot-precision=ieee -sig "single($single)" -emit=asm=ieee.s "$SRCDIR/tests/exec/tiles.tri"
    [ "$(cat bits.s ieee.s | grep -cE 'tdp|tilecfg|_amx')" = 0 ]
    # products of one shape are by one function, of each form
    cat >two.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def two(a, b, c, flag):
    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    x, y = tl.load(a + 32 * i + j), tl.load(b + 32 * i + j)
    d = tl.dot(x, y)
    if flag:
        d = tl.dot(d.to(tl.bfloat16), y) + d
    tl.store(c + 32 * i + j, d)
END
    # shellcheck disable=SC2086
    tritcc $tiles -sig 'two(*bf16:16, *bf16:16, *fp32:16, i32)' -emit=asm=two.s two.tri
    [ "$(grep -c '^products[.0-9]*:' two.s)" = 1 ]
    [ "$(grep -c '^plain_products[.0-9]*:' two.s)" = 1 ]
    # products that no tile suits, and a level that has none
    # shellcheck disable=SC2086
    tritcc $tiles -sig 'few(*bf16, *bf16, *fp32, i32, i32, i32, i32, i32, i32, 16, 16, 16)' -emit=asm=few.s "$SRCDIR/tests/exec/tiles.tri"
    tritcc -arch=x86-64-v4 -sig "wide($bf16)" -emit=asm=none.s "$SRCDIR/tests/exec/tiles.tri"
    [ "$(cat few.s none.s | grep -cE 'tdp|tilecfg|_amx')" = 0 ]
    tritcc -1 -arch=x86-64-v4,x86-64-v3 -mattr=+amx-tile,+amx-int8 -sig "wide($bf16)" -emit=obj "$SRCDIR/tests/exec/tiles.tri"
    [[ $errors == *"AMX is added to one -arch"*TRI-1002* ]]
    # the types of products bring the tiles
    tritcc -arch=x86-64-v4 -mattr=+amx-int8 -sig "bytes($bytes, 128, 64)" -emit=asm=alone.s "$SRCDIR/tests/exec/tiles.tri"
    [ "$(grep -c tdpbssd alone.s)" = 8 ]
    tritcc -arch=x86-64-v4 -mattr=+amx-int8,-amx-tile -sig "bytes($bytes, 128, 64)" -emit=asm=alone.s "$SRCDIR/tests/exec/tiles.tri"
    [ "$(grep -c tdpbssd alone.s)" = 0 ]
    tritcc -arch=native -mattr=-amx-tile -sig "bytes($bytes, 128, 64)" -emit=asm=alone.s "$SRCDIR/tests/exec/tiles.tri"
    [ "$(grep -c tdpbssd alone.s)" = 0 ]
    tritcc -1 -arch=x86-64-v4 -mattr=+amx-int9 -sig "wide($bf16)" -emit=obj "$SRCDIR/tests/exec/tiles.tri"
    [[ $errors == *"'+amx-int9' is no feature of x86-64; did you mean '+amx-int8'"* ]]
}

@test "programs run in parallel when OpenMP is linked, with the same results" {
    run_exec memory -arch="$HOST_ARCH"
    echo 'int main(void) { return 0; }' >t.c
    cc -fopenmp t.c -o t 2>.omp || skip "no OpenMP"
    cc -std=gnu17 -Wall -I. -I"$SRCDIR" "$SRCDIR/tests/exec/memory.c" memory.o -o parallel -fopenmp -lm
    OMP_NUM_THREADS=1 ./parallel
    run_exec matmul -arch="$HOST_ARCH"
    cc -std=gnu17 -Wall -I. -I"$SRCDIR" "$SRCDIR/tests/exec/matmul.c" matmul.o -o parallel -fopenmp -lm
    OMP_NUM_THREADS=4 ./parallel
}

@test "the pool runs everything once: workers asleep, nested, from several threads, after fork" {
    cc -std=gnu17 -O1 -Wall -Werror -I"$SRCDIR" "$SRCDIR/tests/exec/pool.c" "$SRCDIR/runtime/launch/pool.c" -o pool -pthread
    timeout 900 ./pool
    cc -std=gnu17 -O1 -fsanitize=thread -I"$SRCDIR" "$SRCDIR/tests/exec/pool.c" "$SRCDIR/runtime/launch/pool.c" \
        -o raced -pthread 2>.tsan || skip "no ThreadSanitizer"
    # (it cannot follow a child's new threads)
    TSAN_OPTIONS=die_after_fork=0:halt_on_error=1 timeout 900 ./raced
}

@test "panels: a launch finds those of its threads, and takes the memory that the one before it left" {
    cc -std=gnu17 -O1 -Wall -Werror -I"$SRCDIR" "$SRCDIR/tests/exec/room.c" "$SRCDIR/runtime/launch/room.c" -o room -pthread
    ./room
    cc -std=gnu17 -O1 -fsanitize=thread -I"$SRCDIR" "$SRCDIR/tests/exec/room.c" "$SRCDIR/runtime/launch/room.c" \
        -o raced -pthread 2>.tsan || skip "no ThreadSanitizer"
    TSAN_OPTIONS=halt_on_error=1 timeout 900 ./raced
}

@test "threads without OpenMP: as many as asked for, fewer where the system refuses, none left after dlclose" {
    cat >fill.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def fill(x, turns):
    p = tl.program_id(0)
    for i in range(turns):
        tl.store(x + p, tl.load(x + p) + 1)
END
    cat >main.c <<'END'
#include "fill.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifdef REFUSE
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *d)
{
    return EAGAIN;
}
#endif

static int count_threads(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    while (d && readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

int main(void)
{
    static int32_t x[4096];
    void *lib = dlopen("./libfill.so", RTLD_NOW | RTLD_LOCAL);
    int (*launch)(tri_stream, tri_grid, int32_t *, int32_t) = lib ? dlsym(lib, "fill") : 0;
    int (*threads)(int) = lib ? dlsym(lib, "tri_threads") : 0;
    const char *(*text)(int) = lib ? dlsym(lib, "tri_strerror") : 0;
    if (!launch || !threads || !text)
        return 1;
    if (threads(0) != TRI_ERROR_THREADS || threads(10000) != TRI_ERROR_THREADS || !strstr(text(threads(-5)), "1024"))
        return 2;
    if (launch(0, (tri_grid){4096, 1, 1}, x, 3) || count_threads() != 1)
        return 3;
    if (threads(4) || launch(0, (tri_grid){4096, 1, 1}, x, 3))
        return 4;
#ifdef REFUSE
    if (count_threads() != 1)
        return 5;
#else
    if (count_threads() != 4)
        return 5;
#endif
    for (int i = 0; i < 4096; i++)
        if (x[i] != 6)
            return 6;
    if (dlclose(lib))
        return 7;
    return count_threads() != 1 ? 8 : 0;
}
END
    tritcc -arch=native -sig 'fill(*i32, i32)' -emit=obj=fill.o,header=fill.h fill.tri
    cc -shared fill.o -o libfill.so -lm
    cc -Wall -Werror -Wno-unused-parameter main.c -o main -ldl
    ./main
    cc -DREFUSE -Wall -Werror -Wno-unused-parameter -rdynamic main.c -o refused -ldl
    ./refused
}

@test "a level that the processor lacks is an error of the launch, and no code of it runs" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    cat >level.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def level(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) + 1)
END
    cat >level.c <<'END'
#include "level.h"

/* instead of the launcher's own: this processor has the second level */
int tri_cpu_rt11_level(void) { return 2; }

int main(void)
{
    static float x[64];
    int error = level(0, (tri_grid){1, 1, 1}, x);
    return error != WANT || level_selected(0) != (error ? -1 : 0) || x[63] != !error;
}
END
    for arch in x86-64-v3 x86-64-v4 x86-64-v3,x86-64-v4; do
        tritcc -arch="$arch" -sig 'level(*fp32, 64)' -emit=obj=level.o,header=level.h level.tri
        cc -DWANT=TRI_ERROR_ARCH level.c level.o -o level -lm
        ./level
    done
    tritcc -arch=x86-64,x86-64-v4 -sig 'level(*fp32, 64)' -emit=obj=level.o,header=level.h level.tri
    cc -DWANT=TRI_OK level.c level.o -o level -lm
    ./level
}

@test "a feature that the processor lacks is an error of the launch, and no code with it runs" {
    [ "$(uname -m)" = x86_64 ] || skip "not an x86 host"
    printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def more(x, N: tl.constexpr):' \
        '    i = tl.arange(0, N)' '    tl.store(x + i, tl.load(x + i) + 1)' >more.tri
    cat >more.c <<'END'
#include "more.h"

#ifdef HAS /* instead of the launcher's own */
unsigned long tri_cpu_rt11_features(void) { return HAS; }
#endif

int main(void)
{
    static float x[64];
    int error = more(0, (tri_grid){1, 1, 1}, x);
    return error != WANT || more_selected(0) != (error ? -1 : 0) || more_load(0) != error || x[63] != !error;
}
END
    features() { # FLAG...: an object with them
        tritcc "$@" -sig 'more(*fp32, 64)' -emit=obj=more.o,header=more.h more.tri
    }
    wants() { cc "$@" more.c more.o -o more -lm && ./more; }
    # as the system says it of this processor
    for pair in avx2:avx2 avx512bf16:avx512_bf16 avx512fp16:avx512_fp16 avxvnni:avx_vnni avxifma:avx_ifma vaes:vaes; do
        features -arch=x86-64 -mattr=+"${pair%:*}"
        if grep -qw "${pair#*:}" /proc/cpuinfo; then wants -DWANT=TRI_OK; else wants -DWANT=TRI_ERROR_ARCH; fi
    done
    wants -DWANT=TRI_ERROR_ARCH -DHAS=0
    features -arch=native
    wants -DWANT=TRI_OK
    wants -DWANT=TRI_ERROR_ARCH -DHAS=1
    features -arch=x86-64,x86-64-v3 -mattr=+avxifma
    wants -DWANT=TRI_ERROR_ARCH -DHAS=0
    features -arch=x86-64 -mattr=+fast-gather # changes what is made of a kernel, and asks for nothing
    wants -DWANT=TRI_OK -DHAS=0
}

@test "threads have room for a program's blocks, whatever the system's default is" {
    cat >room.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def room(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.exp(tl.load(x + i))
    tl.store(y + tl.program_id(0) * N + i, v / tl.sum(v) - tl.max(v))
END
    cat >room.c <<'END'
#include "room.h"

int main(void)
{
    static float x[524288], y[8 * 524288];
    return tri_threads(4) || room(0, (tri_grid){8, 1, 1}, x, y) || room(0, (tri_grid){8, 1, 1}, x, y);
}
END
    tritcc -arch="$HOST_ARCH" -sig 'room(*fp32, *fp32, 524288)' -emit=obj=room.o,header=room.h room.tri
    cc room.c room.o -o room -lm
    (ulimit -s unlimited || ulimit -s 16384; ./room) # where there is no limit, glibc gives threads 2 MiB
}

@test "blocks are turned by way of a copy where their rows meet in the cache" {
    cat >turn.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def turn(x, y, o, m, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    inside = (i[:, None] < m) & (j[None, :] < n)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=inside, other=0)
    w = tl.load(y + i[None, :] * n + j[:, None], mask=tl.trans(inside), other=0)
    tl.store(o + j[:, None] * m + i[None, :], tl.trans(v + 1) + w, mask=tl.trans(inside))


@triton.jit
def along(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i[:, None] * n + i[None, :], tl.load(x + i[:, None] * n + i[None, :]))
END
    cat >main.c <<'END'
#include "turn.h"
#include <stdint.h>
#include <stdio.h>

#define CASE(name, type)                                                                                               \
    static int name##_case(int m, int n)                                                                               \
    {                                                                                                                  \
        static type x[140 * 1100], y[140 * 1100], o[140 * 1100];                                                       \
        int bad = 0;                                                                                                   \
        for (int i = 0; i < m * n; i++)                                                                                \
            x[i] = (type)(i % 61), y[i] = (type)(i % 53), o[i] = 99;                                                   \
        bad += name(NULL, (tri_grid){(m + 31) / 32, (n + 31) / 32, 1}, x, y, o, m, n);                                 \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++)                                                                                \
                bad += o[j * m + i] != (type)(x[i * n + j] + 1 + y[i * n + j]);                                        \
        if (bad)                                                                                                       \
            printf(#name " %d %d: %d bad\n", m, n, bad);                                                              \
        return bad;                                                                                                    \
    }
CASE(floats, float)
CASE(bytes, int8_t)

int main(void)
{
    int bad = 0;
    for (int m = 1; m <= 140; m += 23)
        for (int n = 254; n <= 258; n++) /* 256 floats are 1 KiB */
            bad += floats_case(m, n) + bytes_case(m, n + 768);
    bad += floats_case(64, 512) + bytes_case(32, 1024);
    return bad != 0;
}
END
    for arch in "$HOST_ARCH" native; do
        tritcc -arch="$arch" -c -emit=header -sig 'floats = turn(*fp32, *fp32, *fp32, i32, i32, 32)' \
            -sig 'bytes = turn(*i8, *i8, *i8, i32, i32, 32)' turn.tri
        cc -O1 -I"$SRCDIR/include" main.c turn.o -o main -lm
        ./main
    done
    tritcc -arch=x86-64-v3 -sig 'turn(*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, 32)' -emit=llir=t.ll turn.tri
    grep -q '^turned[0-9]*:\|label %turned' t.ll || grep -q 'and i.*, 255' t.ll # the test of the distance
    tritcc -arch=x86-64-v3 -sig 'along(*fp32:16, *fp32:16, i32:16, 32)' -emit=llir=a.ll turn.tri
    ! grep -q 'and i.*, 255' a.ll || false
}

@test "launches that write more than the last cache holds store past it" {
    [ "$(uname -m)" = x86_64 ] || skip "streaming stores are x86's"
    cat >past.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def past(x, o, p, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i, mask=i < n)
    tl.store(o + i, v + 1, mask=i < n)
    tl.store(p + i, v.to(tl.bfloat16), mask=i < n)


@triton.jit
def inplace(x, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def narrow(x, o, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)
END
    types='past(*fp32, *fp32, *bf16, i32, 1024)'
    tritcc -arch=x86-64-v3 -emit=asm=past.s -sig "$types" past.tri
    grep -q vmovntps past.s
    [ "$(grep -c sfence past.s)" = 1 ]
    tritcc -arch=aarch64 -emit=asm=past.s -sig "$types" past.tri
    ! grep -q stnp past.s || false
    for types in 'inplace(*fp32, i32, 1024)' 'narrow(*i8, *i8, i32, 1024)'; do # read, too; too narrow
        tritcc -arch=x86-64-v3 -emit=asm=none.s -sig "$types" past.tri
        ! grep -q vmovnt none.s || false
    done
    cat >main.c <<'END'
#include "past.h"
#include <stdio.h>
#include <stdlib.h>

/* Of a size with a tail, at addresses with and without the alignment that such stores need. */
int main(void)
{
    enum { n = (11 << 20) + 77, most = 5 };
    float *x = malloc((n + 16) * sizeof *x), *o = aligned_alloc(64, (size_t)(n + 51) / 16 * 64);
    uint16_t *p = aligned_alloc(64, (size_t)(n + 63) / 32 * 64);
    int bad = 0;
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 251);
    for (int shift = 0; shift <= 1; shift++) {
        for (int i = 0; i < n; i++)
            o[i] = -1, p[i] = 1;
        int r = past(NULL, (tri_grid){(n - shift + 1023) / 1024, 1, 1}, x + shift, o + shift, p + shift, n - shift);
        for (int i = shift; i < n; i++) {
            union { float f; uint32_t u; } v = {.f = x[i]};
            bad += o[i] != x[i] + 1 || p[i] != v.u >> 16;
        }
        bad += r != 0 || (shift && (o[0] != -1 || p[0] != 1));
    }
    return bad != 0;
}
END
    types='past(*fp32, *fp32, *bf16, i32, 1024)'
    tritcc -arch="$HOST_ARCH" -c -emit=header -sig "$types" past.tri
    cc -O1 -I"$SRCDIR/include" main.c past.o -o main -lm
    ./main
}

@test "any number of threads runs each program once; small launches start none" {
    cat >count.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def count(out, turns):
    p = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    for i in range(turns):
        tl.store(out + p, tl.load(out + p) + 1)


@triton.jit
def add(x, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
END
    cat >count.c <<'END'
#include "count.h"
#include <stdio.h>
#include <string.h>

/* What OpenMP would do, one thread after the other. */
static int now, started, calls;
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    calls++;
    for (now = 0; now < started; now++)
        body(data);
}
int omp_get_max_threads(void) { return 4; }
int omp_in_parallel(void) { return 0; }

int main(void)
{
    static int32_t x[1 << 20], n[1000];
    if (tri_threads(TRI_OPENMP))
        return 4;
    for (started = 1; started <= 6; started++) {
        for (uint32_t total = 1; total < 1000; total += total < 40 ? 1 : 97) {
            tri_grid grid = {total % 2 ? total : total / 2, total % 2 ? 1 : 2, 1};
            memset(n, 0, sizeof n);
            if (count(0, grid, n, 1))
                return 1;
            for (uint32_t i = 0; i < 1000; i++)
                if (n[i] != (i < total))
                    return fprintf(stderr, "%d threads, %u programs: %d times program %u\n", started, total, n[i], i), 2;
        }
    }
    started = 3, calls = 0;
    if (add(0, (tri_grid){4, 1, 1}, x, 4096) || calls != 0 || add(0, (tri_grid){1024, 1, 1}, x, 1 << 20) || calls != 1)
        return 3;
    return x[0] != 2 || x[4095] != 2 || x[4096] != 1 || x[(1 << 20) - 1] != 1;
}
END
    tritcc -arch=native -sig 'count(*i32, i32)' -sig 'add(*i32, i32, 1024)' -emit=obj=count.o,header=count.h count.tri
    cc -Wall -Werror -I. -I"$SRCDIR" -Wno-unused-parameter -rdynamic count.c count.o -o count -lm
    ./count
}

@test "device_print and device_assert" {
    run_exec debug -arch="$HOST_ARCH" >said 2>complaints
    grep -q 'pid (0, 0, 0) idx (0).*v.*-2$' said
    grep -q 'idx (3).*v.*1$' said
    grep -q 'y.*1\.500000$' said
    grep -q 'bits.*0xfffffffe$' said
    grep -q 'here' said
    grep -q 'debug.tri:[0-9]*: pid (2, 0, 0): assertion failed: v is below the limit' complaints
}

@test "what this target cannot do is refused at its place" {
    cat >asm.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def shifted(x):
    j = tl.arange(0, 64)
    v = tl.load(x + j)
    w = tl.inline_asm_elementwise("shl.b32 $0, $1, 2;", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x + j, w)
END
    tritcc -1 -arch=native -sig '*i32' -emit=obj=a.o asm.tri
    [[ $errors == *"asm.tri:9:"*"inline"* ]]
    [ ! -e a.o ]
}

@test "functions of too many values at a time are refused at their place" {
    local pack=256 names types
    names=$(seq -s ', ' -f '%%a%g: f32' $pack)
    types=$(printf 'f32, %.0s' $(seq $pack) | sed 's/, $//')
    {
        printf 'tt.func public @k(%%p: !tt.ptr<f32>) {\n%%x = arith.constant dense<1.0> : tensor<512xf32>\n'
        printf '%%y = "tt.map_elementwise"(%%x) <{pack = %d : i32}> ({\n^bb0(%s):\n' $pack "$names"
        printf 'tt.map_elementwise.return %s : %s\n' "$(seq -s ', ' -f '%%a%g' $pack)" "$types"
        printf '}) : (tensor<512xf32>) -> tensor<512xf32>\n'
        printf '%%s = "tt.reduce"(%%y) <{axis = 0 : i32}> ({\n^bb0(%%a: f32, %%b: f32):\n%%c = arith.addf %%a, %%b : f32\n'
        printf 'tt.reduce.return %%c : f32\n}) : (tensor<512xf32>) -> f32\ntt.store %%p, %%s : !tt.ptr<f32>\ntt.return\n}\n'
    } >k.ttir
    tritcc -1 -arch=native -emit=llir=k.ll k.ttir
    [[ $errors == *"k.ttir:3:"*"'tt.map_elementwise' of more than "*" values at a time is not supported on this target"* ]]
}

@test "the same input gives the same bytes" {
    for i in 1 2; do
        mkdir "$i"
        (cd "$i" && tritcc -arch=x86-64-v3 -sig '*fp32, *fp32, i32, i32, i32, i32, 128, 2' -emit=obj=s.o,llir=s.ll,asm=s.s,header=s.h "$EXAMPLES/softmax/softmax.tri")
    done
    for f in s.o s.ll s.s s.h; do
        cmp "1/$f" "2/$f"
    done
}

@test "a kernel of hundreds of loops becomes functions of bounded size, and is right" {
    {
        printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(p, q, B: tl.constexpr):'
        printf '    i = tl.arange(0, B)\n    x = tl.load(p + i)\n    for j in range(3):\n        x += tl.sum(x) * 0.0\n'
        for ((n = 0; n < 150; n++)); do
            printf '        x += tl.sum(x) * 0.0 + 1.0\n        tl.store(q + %d + i %% 3, x)\n' $((n * 4))
        done
        printf '    tl.store(p + i, x)\n'
    } >long.py
    tritcc -arch=x86-64 -O0 -emit=llir=long.ll -sig '*fp32, *fp32, 64' long.py
    tritcc -arch=x86-64 -emit=llir=parts.ll -sig '*fp32, *fp32, 64' long.py
    [ "$(grep -c '^define' long.ll)" -le 3 ]
    [ "$(grep -c '^define' parts.ll)" -ge 6 ]
    awk '/^define/ { n = 0 } /^[0-9a-z._]+:/ { n++ } n > most { most = n } END { exit most > 400 }' parts.ll
    tritrun -fno-sanitize -arch=x86-64 -grid=1 -print=p -print=q long.py -k k ones:f32:64 zeros:f32:1024 64 >printed
    grep -q '\[0\] 451 451 451' printed
    grep -q '\[0\] 302 302 302 0 303 303 303 0' printed
    # with lines for a debugger and with checks of values and addresses, too
    for flags in -g "-fsanitize=undefined" "-fsanitize=address -g"; do
        # shellcheck disable=SC2086 # words
        tritcc -arch=x86-64 $flags -emit=llir=parts.ll -sig '*fp32, *fp32, 64' long.py
        [ "$(grep -c '^define' parts.ll)" -ge 6 ]
    done
    cat >main.c <<'C'
#include <stdio.h>
#include "k.h"
int main(void)
{
    static float p[64], q[1024];
    for (int i = 0; i < 64; i++)
        p[i] = 1;
    if (k(NULL, (tri_grid){1, 1, 1}, p, q))
        return 1;
    return !(p[0] == 451 && p[63] == 451 && q[0] == 302 && q[3] == 0 && q[4] == 303);
}
C
    for flags in -g "-fsanitize=address -g"; do
        # shellcheck disable=SC2086 # words
        tritcc -arch=x86-64 $flags -emit=obj=k.o,header=k.h -sig '*fp32, *fp32, 64' long.py
        cc -I. -fsanitize=address main.c k.o -o main -lm -ldl
        ASAN_OPTIONS=detect_leaks=0 ./main
    done
}

@test "addresses of a chain of hundreds of masked loads stay addresses" {
    { printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n    o = tl.arange(0, B)\n    x = tl.load(p + o)\n'
        for i in {1..520}; do printf '    x = x * 3 + tl.load(p + o + %d, mask=o < n)\n' "$i"; done
        printf '    tl.store(p + o, x)\n'; } >chain.py
    status=0
    (ulimit -t 20 && "$TRITCC" -arch=x86-64-v3 -emit=llir=chain.ll,obj=chain.o -sig '*i32, i32, 64' chain.py) || status=$?
    [ "$status" -eq 0 ]
    run ! grep -q 'masked.gather' chain.ll
}
