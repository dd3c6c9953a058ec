#!/bin/sh
# What a launcher costs beside cuLaunchKernel: bench/launch/run.sh [tritcc]. Without a GPU (or with STUB=1) on the tests'
# stand-in driver, whose launch takes some ns, so that the difference is the launcher's own part.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tritcc=${1:-./tritcc}
case $tritcc in */*) tritcc=$(cd "$(dirname "$tritcc")" && pwd)/$(basename "$tritcc") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$tritcc" -arch=compute_80 -grid='cdiv(n_elements,BLOCK_SIZE)' -sig '*fp32, *fp32, *fp32, i32, 64' \
    -emit=obj=vadd.o,header=vadd.h,ptx=vadd.ptx "$here/../../examples/vadd/vadd.tri"
${CC:-cc} -O2 -Wall -I. "$here/main.c" vadd.o -o launch -ldl -lm
if [ -n "${STUB-}" ] || [ ! -e /dev/nvidia0 ]; then
    ${CC:-cc} -O2 -shared -fPIC -I"$here/../.." -o libcuda.so.1 "$here/../../tests/targets/stub_cuda.c" -lpthread
    LD_LIBRARY_PATH=. ./launch
else
    ./launch
fi
