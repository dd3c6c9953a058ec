#!/bin/sh
# What tritcc does as it should: kernels whose ttir means what Triton's does, by Triton's own canonicalizer, and the tests
# of `make check`. usage: bench/conformance.sh BUILDDIR PYTHON [LOG]
# PYTHON has Triton 3.6. LOG: what `make check` of this commit printed; without, it is run (a quarter of an hour).
set -eu
build=$(cd "${1:?BUILDDIR}" && pwd)
python=${2:?PYTHON}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
release=$("$python" -c 'import triton; print(triton.__version__)')
make -s -C "$build" check-upstream PYTHON="$python" >"$work/upstream" 2>"$work/errors" || { tail -n 5 "$work/upstream" "$work/errors" >&2; exit 1; }
# lines {'same': 31, 'triton fails': 2}; what Triton does not take is not compared
tr -d "{}'" <"$work/upstream" | awk -v release="$release" '/^same: [0-9]/ {
    n = split($0, part, ", ")
    for (i = 1; i <= n; i++) { split(part[i], f, ": "); count[f[1]] += f[2] }
}
END { print "conform ttir that means what that of Triton " release " does:", count["same"], "of", count["same"] + count["different"] + count["tritcc fails"], "kernels" }'
log=${3:-$work/check}
[ $# -ge 3 ] || make -s -C "$build" check >"$log" 2>&1 || true
sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$log" | tail -n 1 | awk '{ print "conform tests of make check:", $1, "of", $1 + $2, "tests" }'
