# share/tritcc/explain.txt, of which --explain and tritcc-errors(7) are made: what is called wrong gives the code, what is
# called right compiles.
load ../helpers

setup() {
    start_test || return 1
    cp "$EXAMPLES/vadd/vadd.tri" .
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef %s:\n' 'cast(x_ptr, y_ptr)' >cast.tri
    echo '    tl.store(y_ptr, tl.load(x_ptr).to(y_ptr.dtype.element_ty))' >>cast.tri
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef %s:\n' 'square(x_ptr, y_ptr, N: tl.constexpr)' >square.tri
    printf '    %s\n' 'at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]' 'x = tl.load(x_ptr + at)' \
        'tl.store(y_ptr + at, tl.dot(x, x).to(tl.float16))' >>square.tri
    { printf 'import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n' | tee sine.tri fill.tri up.tri check.tri two.tri; } >/dev/null
    printf '@triton.jit\ndef sine(x_ptr):\n    tl.store(x_ptr, tl.sin(tl.load(x_ptr)))\n' >>sine.tri
    printf '@triton.jit\ndef fill(x_ptr, x):\n    tl.store(x_ptr, x)\n' >>fill.tri
    printf '@triton.jit\ndef up(x_ptr):\n    tl.store(x_ptr, libdevice.add_ru(tl.load(x_ptr), 1.0))\n' >>up.tri
    printf '@triton.jit\ndef check(x_ptr, n):\n    tl.device_assert(n == 4)\n    tl.store(x_ptr + 3, 1.0)\n' >>check.tri
    for kernel in 'first 2' 'second 4'; do
        printf '@triton.autotune(configs=[triton.Config({}, num_warps=%s)], key=[])\n@triton.jit\ndef %s(x_ptr):\n    tl.store(x_ptr, 1.0)\n\n\n' "${kernel#* }" "${kernel% *}"
    done >>two.tri
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

@test "every code has what is wrong and what is right, but for faults of the compiler" {
    sed -nE 's/^X\(([0-9]+),.*/\1/p' "$SRCDIR/base/diag.def" | grep -vx 8001 | sort >all
    sort <<<"$codes" | diff all -
}

@test "what is wrong gives the code" {
    [ "$(wc -w <<<"$codes")" -gt 95 ]
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
