#!/bin/sh
# Keeps what a script of bench/ measures: bench/record.sh AREA COMMAND... writes bench/results/AREA.tsv, the rows with the
# machine, the date and the compiler's commit above them. areas.list names the areas; bench/report.sh makes the page of them.
# A log of another machine: bench/record.sh AREA cat LOG, with MACHINE='...', DATE=... and COMMIT=... of that run.
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
area=${1:?AREA COMMAND...}
shift
grep -q "^$area " "$bench/areas.list" || { echo "record.sh: areas.list has no '$area'" >&2; exit 2; }
machine() {
    if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/, / , driver /; s/ ,/,/; 1q'
    fi
    LC_ALL=C lscpu | awk -F': *' '$1 == "Model name" { model = $2 } $1 == "CPU(s)" { n = $2 } END { print model ", " n " processors" }'
}
commit() { "${TRITCC:-${BUILDDIR:-.}/tritcc}" --version | awk 'NR == 1 { print $3 }'; }
file=$bench/results/$area.tsv
mkdir -p "$bench/results"
"$@" >"$file.log"
{
    echo "# machine: ${MACHINE:-$(machine | paste -sd';' | sed 's/;/; /g')}"
    echo "# date: ${DATE:-$(date +%F)}"
    echo "# commit: ${COMMIT:-$(commit)}"
    awk -f "$bench/rows.awk" "$file.log"
} >"$file.new"
rows=$(grep -vc '^#' "$file.new") || { rm -f "$file.new"; echo "record.sh: no row in what '$1' printed; see $file.log" >&2; exit 1; }
mv "$file.new" "$file"
rm -f "$file.log"
echo "$file: $rows rows"
