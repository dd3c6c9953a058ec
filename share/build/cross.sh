#!/bin/sh
# Builds tritcc for Debian on another architecture, on a Debian machine: cross.sh FOLDER [arm64]. The libraries of that
# architecture are downloaded by apt and unpacked in FOLDER/root; the packages of this machine stay as they are. It needs
# g++-aarch64-linux-gnu, and qemu-user for the manual and the trial at the end.
set -eu
folder=$1 arch=${2:-arm64} source=$(cd "$(dirname "$0")/../.." && pwd)
case $arch in
arm64) triple=aarch64-linux-gnu emulator=qemu-aarch64 ;;
*) echo "cross.sh: only arm64 is known" >&2 && exit 2 ;;
esac
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
lib=$folder/root/usr/lib
mkdir -p "$folder/apt/state/lists/partial" "$folder/apt/cache/archives/partial" "$folder/debs" "$folder/root" "$folder/build"
touch "$folder/apt/status"
cat >"$folder/apt/conf" <<CONF
Dir::State "$folder/apt/state";
Dir::Cache "$folder/apt/cache";
Dir::State::status "$folder/apt/status";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
CONF
export APT_CONFIG="$folder/apt/conf"
apt-get update -qq
(cd "$folder/debs" && apt-get download -qq llvm-22-dev libllvm22 libmlir-22-dev libmlir-22 liblld-22-dev liblld-22 \
    spirv-tools zlib1g zlib1g-dev libzstd1 libzstd-dev libxml2 libxml2-dev libz3-4 libz3-dev)
for package in "$folder"/debs/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
unset APT_CONFIG

run="$emulator -L /usr/$triple -E LD_LIBRARY_PATH=$lib/$triple"
cd "$folder/build"
CC=$triple-gcc CXX=$triple-g++ LDFLAGS=-L$lib/$triple EMULATOR=$run \
    "$source/configure" -q --host=$triple --with-host-llvm="$lib/llvm-22"
make -s -j"${JOBS:-$(nproc)}"
$run ./tritcc --version
$run ./tritcc -arch=sm_90a -emit=ptx=vadd.ptx -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' "$source/examples/vadd/vadd.tri"
$run ./tritrun -grid=1 -print=output_ptr "$source/examples/vadd/vadd.tri" full:f32:4:value=1 arange:f32:4 empty:f32:4 4 64 |
    grep -q '1 2 3 4'
echo "$folder/build/tritcc compiles, and runs a kernel on $emulator"
