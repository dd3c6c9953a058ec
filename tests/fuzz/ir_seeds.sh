#!/bin/sh
# The modules of tests/ir, in the spelling of each release, as inputs of the fuzz target `ir`: tests/fuzz/ir_seeds.sh FOLDER.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
mkdir -p "$out"
for file in "$src"/tests/ir/roundtrip/*.mlir "$src"/tests/ir/errors/*.mlir "$src"/tests/ir/*.mlir; do
    awk -v base="$out/$(basename "$(dirname "$file")")-$(basename "$file" .mlir)" '
        /^\/\/ -----/ { close(base n); n++; next }
        { sub(/ *\/\/ .*/, "") }
        /./ { print >(base n) }' "$file"
done
