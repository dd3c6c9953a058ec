# share/tritcc/explain.txt, of which --explain and tritcc-errors(7) are made: what is called wrong gives the code, what is
# called right compiles.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$EXAMPLES/vadd/vadd.tri" .
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef %s:\n' 'cast(x_ptr, y_ptr)' >cast.tri
    echo '    tl.store(y_ptr, tl.load(x_ptr).to(y_ptr.dtype.element_ty))' >>cast.tri
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef %s:\n' 'square(x_ptr, y_ptr, N: tl.constexpr)' >square.tri
    printf '    %s\n' 'at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]' 'x = tl.load(x_ptr + at)' \
        'tl.store(y_ptr + at, tl.dot(x, x).to(tl.float16))' >>square.tri
    codes=$(grep -xE '[0-9]{4}' "$SRCDIR/share/tritcc/explain.txt")
}

# piece CODE MARK: the lines of a code.
piece() { awk -v code="$1" -v mark="$2" '/^[0-9][0-9][0-9][0-9]$/ { on = $0 == code; next } on && substr($0, 1, 1) == mark { print substr($0, 2) }' "$SRCDIR/share/tritcc/explain.txt"; }

# try CODE MARK: compiles a piece, or runs its command; the exit status is the compiler's.
try() {
    local text
    text=$(piece "$1" "$2")
    if [[ $text == '$ '* ]]; then
        (PATH="${TRITCC%/*}:$PATH" && eval "${text#\$ }") >.out 2>.err
    else
        [[ $text != ' '* ]] || text=$'@triton.jit\ndef kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n'$text
        printf 'import triton\nimport triton.language as tl\n\n\n%s\n' "$text" |
            sed -E '/def kernel/{s/(x_ptr|y_ptr)\b/\1: "*fp32"/g; s/\bn\b/n: "i32"/; s/BLOCK: tl.constexpr/BLOCK: tl.constexpr = 64/}' >k.tri
        "$TRITCC" -emit=ttir=- -k kernel k.tri >.out 2>.err
    fi
}

@test "what is wrong gives the code" {
    [ "$(wc -w <<<"$codes")" -gt 55 ]
    for code in $codes; do
        ! try "$code" - || { echo "$code: accepted"; false; }
        grep -m1 'error:' .err | grep -qF "[TRI-$code]" || { echo "$code:"; cat .err; false; }
    done
}

@test "what is right compiles" {
    for code in $codes; do
        try "$code" + || { echo "$code:"; cat .err; false; }
    done
}

@test "--explain shows both" {
    tritcc --explain=TRI-3004
    [[ $output == *'Wrong:'*'maks='*'Right:'*'mask='* ]]
    tritcc --explain=8001
    [[ $output != *Wrong:* ]]
    tritcc -2 --explain=1
}

@test "codes stand in the file once, and are codes" {
    [ -z "$(sort <<<"$codes" | uniq -d)" ]
    for code in $codes; do
        grep -q "^X($code," "$SRCDIR/base/diag.def"
    done
}
