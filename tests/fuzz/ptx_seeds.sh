#!/bin/sh
# The texts of tests/unit/ptx.c as inputs of the fuzz target `ptx`: tests/fuzz/ptx_seeds.sh FOLDER.
# A file is a line of constraints and the text.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
mkdir -p "$out"
sed -n 's/^ *{"\(.*\)", "\([^"]*\)", .*},*$/\2\t\1/p' "$src/tests/unit/ptx.c" | awk -F'\t' -v out="$out" '
    { gsub(/\\n/, "\n", $2); gsub(/\\t/, "\t", $2); file = out "/" NR; printf "%s\n%s\n", $1, $2 >file; close(file) }'
