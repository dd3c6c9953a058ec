#!/bin/bash
# Compares what the kernels of the matrix are made of, when the simulator runs them, with the tables of the tree:
# tests/matrix/coverage.sh FILE... (what jobs of the matrix wrote). Each operation of tt, each operation and primitive that
# the lowering for NVIDIA has, each function of libdevice, each value of an attribute that selects a form must have been run;
# coverage.txt has the few that only other tests run, or that nothing can. Writes one line of TAP.
set -eu
cd "${SRCDIR:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^# covers //p' "$@" | sort -u >"$work/run"

# operations by name
{
    sed -n 's/^def [A-Za-z0-9]* *: *TT_[A-Za-z]*<"\([a-z_.0-9]*\)".*/tt.\1/p' ir/tt.td
    grep -ohE '\{"(tt|ttg|ttng|arith|math|scf|cf|ub|llvm)\.[a-z_0-9.]+"' targets/gpu/*.c targets/nvptx/*.c | tr -d '{"'
    sed -nE 's/^(ROW|OWN|PRODUCT)\(([a-z_0-9]*),.*/primitive \2/p' targets/nvptx/primitives.def
    sed -n 's/^X(\([a-z_0-9]*\), "\*".*/primitive \1/p' targets/gpu/primitives.def
    grep -o '__nv_[a-z0-9_]*' frontend/builtins/libdevice.def | sed 's/^/extern /'
    # forms: the values of an enumeration
    values() { for i in $3; do echo "$1 $2=$i"; done; }
    values tt.load cache '1 2 3 5 7'
    values tt.load evict '1 2 3'
    values tt.load isVolatile '0 -1'
    values tt.store cache '1 3 4 5 6'
    values tt.store evict '1 2 3'
    values tt.atomic_rmw atomic_rmw_op '1 2 3 4 5 6 7 8 9 10'
    values tt.fp_to_fp rounding '0 1'
    values tt.clampf propagateNan '0 65535'
    values tt.dot inputPrecision '0 1 2 3 4'
    values tt.dot_scaled a_elem_type '0 1 4 5 6'
    values tt.dot_scaled b_elem_type '0 1 4 5 6'
    values tt.dot_scaled lhs_k_pack '0 -1'
    values tt.dot_scaled rhs_k_pack '0 -1'
    values tt.dot_scaled fastMath '0 -1'
    values tt.descriptor_reduce kind '1 2 3 6 7 8'
    values tt.make_tensor_descriptor padding '1 2'
    values tt.scan reverse '0 -1'
    for op in tt.atomic_rmw tt.atomic_cas; do
        values $op sem '1 2 3 4'
        values $op scope '1 2 3'
    done
    values tt.atomic_poll sem '1 2'
    values tt.atomic_poll scope '1 2 3'
    for type in i8 i16 i32 i64 f8E4M3FN f8E5M2 f16 bf16 f32 f64; do
        echo "tt.load $type"
        echo "tt.store $type"
    done
    for type in f8E4M3FN f8E5M2 f16 bf16 f32 f64; do echo "tt.fp_to_fp $type"; done
    for type in f16 f32 f64 i32; do echo "tt.dot $type"; done
    for type in i32 i64 f16 bf16 f32 f64; do echo "tt.atomic_rmw $type"; done
    for type in i16 i32 i64 f16 bf16 f32 f64; do echo "tt.atomic_cas $type"; done
} | sort -u >"$work/wanted"

# "NAME: where it is run", or ": why it is not"
sed -n 's/^\([^#].*\): .*/\1/p' tests/matrix/coverage.txt | sort -u >"$work/excepted"
problems=$({
    comm -23 "$work/wanted" "$work/run" | comm -23 - "$work/excepted" | sed 's/$/: no case of the matrix runs it/'
    comm -12 "$work/excepted" "$work/run" | sed 's/$/: is run, and need not be in coverage.txt/'
    comm -23 "$work/excepted" "$work/wanted" | sed 's/$/: is in coverage.txt, but in no table/'
    sed -n 's/^\([^#].*\): \(tests[^ ]*\)$/\2 \1/p' tests/matrix/coverage.txt | while read -r file name; do
        grep -qF "${name#primitive }" "$file" || echo "$name: $file does not name it"
    done
})
if [ -n "$problems" ]; then
    printf 'not ok 1 tests/matrix/coverage.sh\n# %s\n' "${problems//$'\n'/$'\n# '}"
    exit
fi
echo "ok 1 tests/matrix/coverage.sh: $(wc -l <"$work/wanted") names"
