#!/bin/sh
# run.sh [ROW...]: kernels on this host beside plain C at clang -O3 -march=native, with one thread and with two, in one process;
# then how long each takes to compile, and kernels of every class of operation for blocks of 65,536 elements.
# Where OpenBLAS is installed (Debian: libopenblas-dev), products are compared with it. ROW: only those that begin so.
# Where TORCH_PYTHON names a Python that has PyTorch, that is a peer too (torch_rows.py), with the tutorial's products, bf16,
# int8, masked rows and a launch after a pause; whether the processor's AMX took part is said.
# ARCH=linalg times the way through MLIR's structured dialects instead of -arch=native. TRITCC, CLANG and BUILDDIR may be set.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${BUILDDIR:-build}/bench-cpu
mkdir -p "$out"
cp "$here"/kernels.tri "$here"/*.c "$here"/*.h "$out"
cd "$out"
sigs=$(sed -n 's/^# tritcc: //p' kernels.tri | tr '\n' ' ')
eval "\"\${TRITCC:-tritcc}\" -arch=${ARCH:-native} $sigs -emit=obj=kernels.o,header=kernels.h,llir=kernels.ll,asm=kernels.s kernels.tri"
"${CLANG:-clang-22}" -O3 -march=native -Wall -Wextra -c plain.c
blas=
printf '#include <cblas.h>\nint main(void) { openblas_set_num_threads(1); return 0; }\n' >blas.c
if cc blas.c -o blas -lopenblas 2>blas.log; then blas='-DHAVE_OPENBLAS -lopenblas'; fi
# shellcheck disable=SC2086
cc -O2 -fopenmp -Wall -Wextra bench.c plain.o kernels.o -o bench $blas -lm
# threads of OpenMP that spin after their loop would keep a processor from ours
OMP_WAIT_POLICY=passive ./bench "$@"
if [ "${TORCH_PYTHON-}" ]; then
    TILES=$(sed -n 's/^# tiles: //p' kernels.tri)
    export TILES
    tiled() { # each product in each tile, as a kernel of its own name
        for tiles in $TILES; do
            sed -n "s/^# tritcc: -sig '\(\(tutorial\|int4\)[^(]*\)\(.*\) 64, 64, 64/-sig 't${tiles}_\1 = \1\3 $(echo "$tiles" | sed 's/x/, /g')/p" kernels.tri
        done
    }
    eval "\"\${TRITCC:-tritcc}\" -arch=${ARCH:-native} $(tiled | tr '\n' ' ') -emit=obj=tiles.o kernels.tri"
    cc -shared kernels.o tiles.o -o libkernels.so -lm
    # what tiles alone allow; rows of it where the compiler and the processor know them
    cc -O2 -Wall -Wextra -mamx-tile -mamx-bf16 -shared -fPIC -pthread tiles.c -o libtiles.so 2>tiles.log || rm -f libtiles.so
    echo
    echo "beside PyTorch: us of tritcc and of PyTorch, speed; one thread, then two; of products, the best tiles"
    "$TORCH_PYTHON" "$here/torch_rows.py" ./libkernels.so "$@"
fi
echo
echo "compile time, ms (source to object, the median of 7)"
compiles() { # FILE SIGNATURE
    for _ in 1 2 3 4 5 6 7; do
        "${TRITCC:-tritcc}" -arch="${ARCH:-native}" -ftime-report -sig "$2" -emit=obj=one.o "$1" 2>&1 |
            sed -n 's/ *\([0-9.]*\) .* total$/\1/p'
    done | sort -n | sed -n "4s/^/$(printf '%-12s ' "${2%%(*}")/p"
}
sed -n "s/^# tritcc: -sig '\(.*\)'/\1/p" kernels.tri | while IFS= read -r sig; do compiles kernels.tri "$sig"; done
echo "of blocks of 65,536"
sed -n 's/^# wide: \(.*\),N/\1,65536/p' "$here/../../tests/targets/wide.tri" | while IFS= read -r sig; do
    compiles "$here/../../tests/targets/wide.tri" "$sig"
done
