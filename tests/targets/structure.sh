#!/bin/sh
# What the examples and benchmarks are made of as linalg. usage: structure.sh TABLE >NEW; rows of the table are
# "source | options for tritcc | counts", and are written with the counts as they are now: boxes of memory
# (memref.reinterpret_cast), loops (scf.for, scf.while), accesses of single elements (memref.load and .store, and
# atomic ones), and each operation of linalg.
set -eu
grep -v '^#' "$1" | while IFS='|' read -r source options _; do
    eval "tritcc -w -arch=linalg -emit=linalg=structure.linalg $options \"\$SRCDIR/\"$source"
    count() { grep -cE "$1" structure.linalg || :; }
    named=$(grep -oE 'linalg\.(matmul|batch_matmul|reduce|transpose|broadcast|generic)\b' structure.linalg | sort | uniq -c |
        awk '{printf " %s %d", substr($2, 8), $1}')
    printf '%s|%s| boxes %d loops %d elements %d%s\n' "$source" "$options" "$(count 'memref\.reinterpret_cast')" \
        "$(count 'scf\.(for|while)')" "$(count 'memref\.(load|store|atomic_rmw|generic_atomic_rmw)')" "$named"
done
