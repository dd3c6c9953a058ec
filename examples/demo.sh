#!/bin/sh
# One example: the head of every stage for a GPU, then the numbers of a run on this computer.
# demo.sh NAME, with TRITCC the compiler and BUILDDIR a folder to work in.
set -e
name=$1
here=$(cd "$(dirname "$0")" && pwd)
case $name in
vadd) signature='*fp32:16, *fp32:16, *fp32:16, i32, 1024' ;;
softmax) signature='*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2' ;;
layernorm) signature='*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024' ;;
*) echo "demo.sh: no example '$name'" >&2 && exit 2 ;;
esac
work=$BUILDDIR/demo/examples/$name
rm -rf "$work"
mkdir -p "$work"
cp -r "$here/../share" "$BUILDDIR/demo/"
cp "$here/rules.mk" "$BUILDDIR/demo/examples/"
cp "$here/$name/Makefile" "$here/$name"/*.c "$here/$name"/*.tri "$work" # and nothing of what was made there
cd "$work"
echo "== $name: tritcc -arch=sm_90a -sig '$signature'"
"$TRITCC" -arch=sm_90a -sig "$signature" -emit=ast,ttir,ttgir,llir,ptx "$name.tri"
for stage in ast ttir ttgir ll ptx; do
    echo "-- $name.$stage ($(wc -l <"$name.$stage") lines)"
    grep -v '^$' "$name.$stage" | head -n 8 | cut -c 1-110
done
echo "-- $name on this computer"
make -s run TRITCC="'$TRITCC'"
