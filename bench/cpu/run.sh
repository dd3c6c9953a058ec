#!/bin/sh
# run.sh: kernels on this host beside plain C at clang -O3 -march=native, with one thread and with two, in one process;
# then how long each takes to compile. Where OpenBLAS is installed (Debian: libopenblas-dev), products are compared with it.
# TRITCC, CLANG and BUILDDIR may be set.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${BUILDDIR:-build}/bench-cpu
mkdir -p "$out"
cp "$here"/kernels.tri "$here"/*.c "$here"/*.h "$out"
cd "$out"
eval "set -- $(sed -n 's/^# tritcc: //p' kernels.tri | tr '\n' ' ')"
"${TRITCC:-tritcc}" -arch=native "$@" -emit=obj=kernels.o,header=kernels.h,llir=kernels.ll,asm=kernels.s kernels.tri
"${CLANG:-clang-22}" -O3 -march=native -Wall -Wextra -c plain.c
blas=
printf '#include <cblas.h>\nint main(void) { openblas_set_num_threads(1); return 0; }\n' >blas.c
if cc blas.c -o blas -lopenblas 2>blas.log; then blas='-DHAVE_OPENBLAS -lopenblas'; fi
# shellcheck disable=SC2086
cc -O2 -fopenmp -Wall -Wextra bench.c plain.o kernels.o -o bench $blas -lm
./bench
echo
echo "compile time, ms (source to object, the median of 7)"
sed -n "s/^# tritcc: -sig '\(.*\)'/\1/p" kernels.tri | while IFS= read -r sig; do
    for i in 1 2 3 4 5 6 7; do
        "${TRITCC:-tritcc}" -arch=native -ftime-report -sig "$sig" -emit=obj=one.o kernels.tri 2>&1 | sed -n 's/ *\([0-9.]*\) .* total$/\1/p'
    done | sort -n | sed -n "4s/^/$(printf '%-12s ' "${sig%%(*}")/p"
done
