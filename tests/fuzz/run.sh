#!/bin/sh
# Runs a fuzz target: tests/fuzz/run.sh TARGET SECONDS [CORPUS-FOLDER]. TARGET is `parse`, `frontend`, `ptx` or `ir`; BUILDDIR (here:
# the current folder) has what `make fuzz-targets` built. New inputs and crashes stay in fuzz-TARGET of the current folder.
set -eu
src=$(cd "$(dirname "$0")/../.." && pwd)
target=$1 seconds=$2 more=${3:-}
program=$(realpath "${BUILDDIR:-.}/tests/fuzz/$target")
mkdir -p "fuzz-$target/corpus" "fuzz-$target/empty"
cd "fuzz-$target"
case $target in
ptx | ir) "$src/tests/fuzz/${target}_seeds.sh" corpus ;;
*) "$src/tests/fuzz/seeds.sh" corpus ;;
esac
[ "$target" != parse ] || cp "$src"/tests/frontend/syntax/*.py corpus/
[ -z "$more" ] || find "$more" -name '*.py' -size -9k -exec cp {} corpus/ \;
longest=4000
[ "$target" != ir ] || longest=12000
cd empty # imports find nothing here
exec "$program" -max_total_time="$seconds" -max_len="$longest" -timeout=10 -rss_limit_mb=2048 -artifact_prefix=../ \
    -print_final_stats=1 ../corpus
