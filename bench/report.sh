#!/bin/sh
# Makes bench/README.md, its plots and the figures of README.md from results/*.tsv: bench/report.sh; with --check only says
# whether they are what it would make.
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
out=$bench
if [ "${1-}" = --check ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out/plots"
awk -v folder="$bench" -v out="$out" -f "$bench/report.awk" "$bench/areas.list"
front=$bench/../README.md
[ "$out" = "$bench" ] || cp "$front" "$out/front.md"
[ "$out" = "$bench" ] && made=$front || made=$out/front.md
awk -v table="$out/front.tsv" '
    /^<!-- figures/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /^<!-- end of figures/ { skip = 0 }
    !skip' "$front" >"$made.new" && mv "$made.new" "$made"
rm -f "$out/front.tsv"
[ "$out" != "$bench" ] || exit 0
diff -u "$front" "$made" && diff -u "$bench/README.md" "$out/README.md" && diff -ru "$bench/plots" "$out/plots"
