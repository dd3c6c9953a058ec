# What each library function makes (the RUN lines of *.tri here) and what it rejects (errors/), and that both are there
# for every function of the library.
load ../../helpers

# rejected NAME [ARG...]: the messages of errors/NAME.tri are those of errors/NAME.err. UPDATE_GOLDEN=1 rewrites it.
rejected() {
    cd "$SRCDIR/tests/frontend/api/errors" || return 1
    tritcc_err=$BATS_TEST_TMPDIR/err
    "$TRITCC" -passes= -arch=sm_90 "${@:2}" "$1.tri" >/dev/null 2>"$tritcc_err" && return 1
    golden "$1.err" "$tritcc_err"
}

@test "values, types and Python functions reject" { rejected values; }
@test "shape functions reject" { rejected shapes; }
@test "memory and atomics reject" { rejected memory; }
@test "elementwise functions reject" { rejected math; }
@test "reductions, scans and maps reject" { rejected reduce; }
@test "sorting and random numbers reject" { rejected library; }
@test "matrix products reject" { rejected dot; }
@test "hints, assertions, assembly and loops reject" { rejected hints; }
@test "functions of one maker's GPUs reject other targets" { rejected target -arch=x86-64; }
@test "libdevice functions reject" { rejected libdevice; }

# Names of the functions a kernel can call: rows of the table, without the methods' second rows.
functions() {
    sed -n 's/^\(X\|PRELUDE\)(\(TL \)\?"\([^"]*\)".*/\3/p' "$SRCDIR/frontend/builtins/builtins.def" | sed 's/.*\.//' | sort -u
}

@test "every library function has a golden" {
    local missing=
    [ "$(functions | wc -l)" -gt 100 ]
    cd "$SRCDIR/tests/frontend/api"
    # A kernel counts when a CHECK-LABEL names it, a helper always.
    awk '/^# CHECK-LABEL: @/ { name = $3; gsub(/[@(]/, "", name); printf "%s", body[name]; next }
        /^#/ { next }
        /^def / { name = substr($0, 5); sub(/\(.*/, "", name); body[name] = "" }
        name != "" { if (name ~ /^t_/) body[name] = body[name] $0 "\n"; else print }' ./*.tri >"$BATS_TEST_TMPDIR/checked"
    [ -s "$BATS_TEST_TMPDIR/checked" ]
    for f in $(functions); do
        grep -qE "[^A-Za-z0-9_]$f[(),]" "$BATS_TEST_TMPDIR/checked" || missing+=" $f"
    done
    echo "without a golden:$missing"
    [ -z "$missing" ]
}

@test "every library function has an error case" {
    local missing=
    cd "$SRCDIR/tests/frontend/api/errors"
    for f in *.tri; do
        awk -F: 'NR == FNR { if (/: error: /) at[$2] = 1; next } FNR in at' "${f%.tri}.err" "$f"
    done >"$BATS_TEST_TMPDIR/rejected"
    [ -s "$BATS_TEST_TMPDIR/rejected" ]
    for f in $(functions); do
        grep -qE "[^A-Za-z0-9_]$f\(" "$BATS_TEST_TMPDIR/rejected" || missing+=" $f"
    done
    echo "without an error case:$missing"
    [ -z "$missing" ]
}
