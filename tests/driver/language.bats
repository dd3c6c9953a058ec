# share/tritcc/language.txt and frontend/prelude, of which tritcc-language(7) is made: its examples compile, for the targets that it says, and it
# names each function that the table of builtins has.
load ../helpers

text=$BUILDDIR/gen/share/language.txt

# The example on each line as a kernel that stores what comes out of it: kernels FILE, lines NAME, a tab, EXAMPLE.
kernels() {
    cat <<'KEEP'
import triton
import triton.language as tl


@triton.jit
def keep(q, y):
    if isinstance(y, tl.tuple):
        keep(q, y[0])
    elif isinstance(y, tl.tensor):
        if y.type.is_block():
            tl.store(q, tl.sum(tl.ravel(y).to(tl.float32)))
        else:
            tl.store(q, y.to(tl.float32))
KEEP
    local name example n=0
    while IFS=$'\t' read -r name example; do
        n=$((n + 1))
        cat <<KERNEL


@triton.jit
def k_$n(p: "*fp32", q: "*fp32", ip: "*i32", hp: "*fp16", n: "i32", f: "fp32", B: tl.constexpr = 16):
    o = tl.arange(0, B)
    x = tl.load(p + o)
    i = tl.load(ip + o)
    m = o < n
    a = x[:, None] * x[None, :]
    h = a.to(tl.float16)
    desc = tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16])
$example  # $name
KERNEL
        [[ $example != "    y"[\ ,]* ]] || echo "    keep(q, y)"
    done
}

# Lines NAME, a tab, EXAMPLE of all examples; rows PATTERN: of those whose exceptions name it, rows '' PATTERN: of the others.
rows() {
    awk -v with="$1" -v without="${2-}" '/^#|^==/ { next }
        /^[^ ]/ { name = $0; sub(/:.*/, "", name); next }
        /^    except/ { except = $0; sub(/:.*/, "", except) }
        !/^    except/ { if (have) print_row(); example = $0; have = name; except = "" }
        function print_row() { if (with == "" || index(except, with)) if (without == "" || !index(except, without)) print have "\t" example }
        END { print_row() }' "$text"
}

# compiles ARCH WORD STAGE: all examples but those that say `except ... WORD`, which are refused, each.
compiles() {
    local name example
    rows '' "$2" | kernels >all.tri
    tritcc -w -arch="$1" -emit="$3"=- all.tri 2>.err >/dev/null || { head -5 .err; false; }
    while IFS=$'\t' read -r name example; do
        printf "%s\t%s\n" "$name" "$example" | kernels >one.tri
        ! "$TRITCC" -w -arch="$1" -emit="$3"=- one.tri 2>.err >/dev/null || { echo "$1 has $name"; false; }
        grep -q 'error:.*\[TRI-' .err
    done < <(rows "$2")
}

@test "examples on host processors" { compiles native host asm; }
@test "examples on NVIDIA GPUs" { need libdevice && compiles sm_80 sm_80 llir && compiles sm_90a sm_90 llir; }
@test "examples on AMD GPUs" { compiles gfx942 AMD llir; }
@test "examples on OpenCL devices" { compiles spirv64 OpenCL llir; }
@test "examples on Intel GPUs" { compiles pvc Intel llir; }
@test "examples as linalg" { compiles linalg linalg linalg; }

# The calls of libdevice's functions that the manual shows.
libdevice_calls() {
    sed -n '/^\.Sh FUNCTIONS OF LIBDEVICE/,/^\.Sh HOST/s/^\.Ql \(tl\.extra\.libdevice\..*\)/libdevice\t    y = \1/p' "$BUILDDIR/man/tritcc-language.7"
}

# These, on ARCH, but for those that match PATTERN, which are refused, each.
compiles_libdevice() {
    local name example
    libdevice_calls | grep -vE "$2" | kernels >all.tri
    tritcc -w -arch="$1" -emit=llir=- all.tri 2>.err >/dev/null
    while IFS=$'\t' read -r name example; do
        printf '%s\t%s\n' "$name" "$example" | kernels >one.tri
        ! "$TRITCC" -w -arch="$1" -emit=llir=- one.tri 2>.err >/dev/null || { echo "$1 has $example"; false; }
        grep -q "error:.*\(the device has no function\|rounds in a direction\)" .err
    done < <(libdevice_calls | grep -E "$2")
}

@test "calls of libdevice on every target" {
    libdevice_calls | grep -oE 'libdevice[.][a-z0-9_]+' | sort -u >called
    sed -nE 's/^X\("([^"]*)".*/libdevice.\1/p' "$SRCDIR/frontend/builtins/libdevice.def" | sort | diff - called
    compiles_libdevice native 'no such'
    compiles_libdevice gfx942 'no such'
    # what ends so and makes integers rounds as C's functions do
    compiles_libdevice spirv64 '[.]((add|div|fma|mul|rcp|sqrt|sub)|[a-z0-9]*2(float|double))_r[duz]\('
    ! has_libdevice || compiles_libdevice sm_80 'no such'
}

@test "each function is described, and each that is described exists" {
    cd "$SRCDIR"
    sed -nE 's/^([^ :=#][^ :]*):.*/\1/p' "$text" | sort -u >"$BATS_TEST_TMPDIR/described"
    # what users do not call: names that begin with _, parts of other functions, second spellings, questions of the same kind
    sed -nE 's/^(X|PRELUDE)\(TL "([^"]*)".*/\2/p; s/^X\("(tensor_descriptor\.[^"]*)".*/\1/p' \
        frontend/builtins/builtins.def "$BUILDDIR/gen/frontend/prelude_rows.inc" | sort -u |
        grep -vE '^_|_impl$|^(bitonic_merge|constexpr_type|block_type|math\.umulhi|extern_elementwise|extra\.cuda\.convert_custom.*)$' |
        grep -vE '^target_info\.is_(hip|xpu)|^tensor_descriptor\.atomic_(max|and|or|xor)$|^tensor_descriptor\.(store|load|gather|scatter)$' >"$BATS_TEST_TMPDIR/names"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -gt 100 ]
    comm -23 "$BATS_TEST_TMPDIR/names" "$BATS_TEST_TMPDIR/described" >"$BATS_TEST_TMPDIR/missing"
    [ ! -s "$BATS_TEST_TMPDIR/missing" ] || { cat "$BATS_TEST_TMPDIR/missing"; false; }
}
