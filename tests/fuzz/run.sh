#!/bin/sh
# Builds and runs a fuzz target of this folder: tests/fuzz/run.sh TARGET SECONDS [CORPUS-FOLDER].
# Needs clang with libFuzzer. Parts of the compiler that know no MLIR are enough for `parse`.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
target=$1 seconds=$2 corpus=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
[ -z "$corpus" ] || find "$corpus" -name '*.py' -size -9k -exec cp {} "$work/corpus/" \; 2>/dev/null
cp "$src"/tests/frontend/syntax/*.py "$work/corpus/"
cd "$src"
${CC:-clang-22} -std=gnu17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I. \
    -o "$work/$target" "tests/fuzz/$target.c" frontend/ast*.c frontend/lexer.c frontend/unicode.c frontend/parser*.c base/*.c
cd "$work"
"./$target" -max_total_time="$seconds" -max_len=3000 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 corpus
