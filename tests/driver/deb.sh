#!/bin/sh
# The packages of `make deb` in a bare system (mmdebstrap, as root): they install and work. usage: deb.sh FOLDER-OF-DEBS
set -eu
debs=$1 source=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mmdebstrap --quiet --variant=minbase bookworm "$root"
mkdir "$root/debs"
cp "$debs"/*.deb "$source/examples/vadd/vadd.tri" "$root/debs"
cp /etc/resolv.conf "$root/etc/"
chroot "$root" sh -euc '
    cd /debs
    apt-get install -y -qq --no-install-recommends ./*.deb >/dev/null 2>&1
    tritcc --version
    tritcc -arch=sm_90a -emit=ptx=vadd.ptx -sig "*fp32:16, *fp32:16, *fp32:16, i32, 1024" vadd.tri
    tritcc -c -emit=header -arch=x86-64-v3 -sig "*fp32, *fp32, *fp32, i32, 1024" vadd.tri
    tritrun -grid=1 -print=output_ptr vadd.tri full:f32:4:value=1 arange:f32:4 empty:f32:4 4 64 | grep -q "1 2 3 4"
    triton-compile --help >help
    ldconfig -p | grep -q libtritcc.so.0
    apt-get purge -y -qq tritcc libtritcc0 libtritcc-dev >/dev/null 2>&1
    [ ! -e /usr/bin/tritcc ]'
echo 'the packages install, work and go in a bare system'
