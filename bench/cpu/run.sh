#!/bin/sh
# run.sh: kernels on this host beside plain C at clang -O3 -march=native, one thread, in one process.
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
"${CLANG:-clang-22}" -O2 -Wall -Wextra bench.c plain.o kernels.o -o bench -lm
./bench
