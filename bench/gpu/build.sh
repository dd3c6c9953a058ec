#!/bin/sh
# Compiles the kernels of kernels.list: build.sh TRITCC ARCH OUTDIR [NAME...]
# Leaves one shared library per kernel, launcher and device code, and its PTX.
set -e
tritcc=$(realpath "$1") arch=$2
mkdir -p "$3"
out=$(realpath "$3")
shift 3
names=" $* "
cd "$(dirname "$0")"

grep -v '^#' kernels.list | tr -d ' ' | while IFS='|' read -r name source kernel warps stages types; do
    case $names in "  " | *" $name "*) ;; *) continue ;; esac
    set -- "$source" -arch="$arch" -k "$kernel" -num-warps="$warps" -num-stages="$stages" -sig "$types"
    "$tritcc" -c "$@" -o "$out/$name.o"
    "$tritcc" -emit=ptx="$out/$name.ptx" "$@"
    cc -shared -o "$out/$name.so" "$out/$name.o" -lpthread -ldl
    rm "$out/$name.o"
done
