load ../helpers

# source NAME < lines of a kernel's body
source_of() {
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, B: tl.constexpr):\n' >"$1"
    cat >>"$1"
}

@test "-fix makes the fixes of messages, tells each, and writes no output" {
    source_of k.tri <<'K'
    x = tl.laod(p + tl.arnge(0, B))
    tl.stroe(p + tl.arange(0, B), x)
K
    chmod 640 k.tri
    tritcc -fix k.tri
    grep -q 'x = tl.load(p + tl.arange(0, B))' k.tri
    grep -q '    tl.store(p' k.tri
    [ "$(grep -c 'note: fixed: ' .err)" = 3 ]
    [[ $errors == *"k.tri:7:12: note: fixed: 'triton.language' has no 'laod'"*"load"* ]]
    [ "$(stat -c %a k.tri)" = 640 ] && [ "$(ls)" = k.tri ]
    tritcc -fix k.tri
    [ -z "$errors" ]
}

@test "-fix goes on until no fix is left: what one error hid is mended too" {
    printf 'import triton\r\nimport triton.language as tl\r\n\r\n@triton.jit\r\ndef k(p)\r\n    tl.stroe(p, 1)\r\n' >k.tri
    tritcc -fix k.tri
    printf 'import triton\r\nimport triton.language as tl\r\n\r\n@triton.jit\r\ndef k(p):\r\n    tl.store(p, 1)\r\n' | cmp - k.tri
}

@test "-fix: what has no fix is told, status 1, and the rest is mended" {
    source_of k.tri <<'K'
    tl.stroe(p, nowhere_to_be_found)
K
    tritcc -1 -fix k.tri
    [[ $errors == *"fixed: "*"error: 'nowhere_to_be_found' is not defined [TRI-3001]"* ]]
    grep -q tl.store k.tri
}

@test "-fix mends imported files, and a kernel of two types once" {
    source_of u.py <<'K'
    return tl.laod(p + tl.arange(0, B))
K
    printf 'import triton\nimport triton.language as tl\nfrom u import k as f\n\n@triton.jit\ndef g(p):\n    tl.store(p + tl.arange(0, 16), f(p, 16))\n' >k.tri
    cp k.tri before
    tritcc -fix k.tri -sig 'a = g(*fp32)' -sig 'b = g(*fp16)'
    cmp k.tri before
    grep -q tl.load u.py
    [ "$(grep -c 'fixed: ' .err)" = 1 ]
}

@test "-fix with an output compiles what was mended" {
    source_of k.tri <<'K'
    tl.store(p + tl.arnge(0, B), 1.0)
K
    tritcc -fix k.tri -sig '*fp32, 64' -emit=ttir
    grep -q tt.make_range k.ttir
    [ "$(wc -l <.err)" = 4 ]
}

@test "-fix refuses what is no source, and leaves a file that cannot be written" {
    printf 'module {\n}\n' >k.ttir
    tritcc -2 -fix k.ttir
    [[ $errors == *"-fix changes source files, and 'k.ttir' is none [TRI-1002]"* ]]
    tritcc -2 -fix - </dev/null
    source_of k.tri <<'K'
    tl.stroe(p, 1)
K
    cp k.tri before
    [ "$(id -u)" = 0 ] || { chmod 444 k.tri && tritcc -1 -fix k.tri && [[ $errors == *"cannot write 'k.tri'"* ]]; }
    chmod 644 k.tri
    tritcc -fix k.tri -ffile-prefix-map=k=/there/k
    [[ $errors == "/there/k.tri:7:8: note: fixed:"* ]]
    ! cmp -s k.tri before || false
}

@test "-fguess-types compiles kernels whose types nothing gives" {
    source_of k.tri <<'K'
    tl.store(p + tl.arange(0, B), 1.0)
K
    tritcc -1 k.tri -emit=ttir=-
    tritcc k.tri -emit=ttir=- -fguess-types
    [[ $output == *"tt.func public @k(%p: !tt.ptr<f32>"* ]]
    tritcc k.tri -emit=ttir=- -fguess-types -sig 'k(p=*fp16, B=32)'
    [[ $output == *"!tt.ptr<f16>"*"tensor<32x"* ]]
}

@test "-fix: a missing mask, '=' in a condition, a global that is no constant, a function of the file" {
    cat >k.tri <<'K'
import triton
import triton.language as tl

SCALE = 2.5  # of all


@triton.jit
def double_it(x):
    return x * 2


@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    x = tl.load(p + i, mask=m)
    if B = 4:
        x = x + SCALE
    tl.store(p + i, doubel_it(x) * SCALE)
K
    tritcc -fix k.tri
    grep -q 'SCALE = tl.constexpr(2.5)  # of all' k.tri
    grep -q 'if B == 4:' k.tri
    grep -q 'tl.store(p + i, double_it(x) [*] SCALE, mask=m)' k.tri
    tritcc k.tri -sig '*fp32, i32, 4' -emit=ttir -Werror
}

# becomes OLD NEW [PARAMETERS]: a line of a kernel that -fix turns into another, which then compiles.
becomes() {
    printf '%s\n' 'import math' 'import torch' 'import triton' 'import triton.language as tl' '' '' 'def plain(x):' \
        '    return x * 2' '' '' '@triton.jit' "def k(${3:-p, n, B: tl.constexpr}):" '    i = tl.arange(0, B)' '    m = i < n' \
        '    x = tl.load(p + i, mask=m)' "    $1" '    tl.store(p + i, x, mask=m)' >k.tri
    "$TRITCC" -fix k.tri -sig 'k(*fp32, i32, 64)' -emit=ttir=k.ttir >log 2>&1 || { cat log && return 1; }
    grep -qxF "    $2" k.tri || { cat log k.tri && return 1; }
}

@test "-fix: habits of C, NumPy and PyTorch" {
    becomes 'm = m and i > 2' 'm = m & (i > 2)'
    becomes 'm = m && (i > 2 || x > 0)' 'm = m & ((i > 2) | (x > 0))'
    becomes 'm = 0 < i < n' 'm = (0 < i) & (i < n)'
    becomes 'x = x.astype(tl.float16)' 'x = x.to(tl.float16)'
    becomes 'x = x.to(torch.float16)' 'x = x.to(tl.float16)'
    becomes 'x = math.exp(x)' 'x = tl.exp(x)'
    becomes 'x = torch.where(m, x, 0.0)' 'x = tl.where(m, x, 0.0)'
    becomes 'x = np.sqrt(x)' 'x = tl.sqrt(x)'
    becomes 'x = exp(x)' 'x = tl.exp(x)'
    becomes 'x = x.to(float16)' 'x = x.to(tl.float16)'
    becomes 'x = tl.exp(i + 1)' 'x = tl.exp((i + 1).to(tl.float32))'
    becomes 'x += tl.load(p + i, mask=m' 'x += tl.load(p + i, mask=m)'
    becomes 'n++' 'n += 1'
    becomes 'x = tl.load(p + i, mask=m, volatile=true)' 'x = tl.load(p + i, mask=m, volatile=True)'
    becomes 'x = plain(x)' 'x = plain(x)'
    grep -q '^@triton.jit' <(sed -n 7p k.tri)
}

@test "-fix: a parameter that is a constant, a missing import, 'else if', '@'" {
    printf '%s\n' 'import triton' '' '@triton.jit' 'def k(p, n, B):' '    i = tl.arange(0, B)' '    x = 0.0' '    if n > 3:' \
        '        x = 1.0' '    else if n > 2:' '        x = 2.0' '    a = tl.load(p + i[:, None] + i[None, :])' \
        '    tl.store(p + i, tl.sum(a @ a, 0) + x)' >k.tri
    tritcc -fix k.tri
    tritcc -emit=ttir k.tri -sig 'k(*fp32, i32, 16)' -Werror
    grep -q '^import triton.language as tl$' k.tri
    grep -q 'def k(p, n, B: tl.constexpr)' k.tri
    grep -q '    elif n > 2:' k.tri
    grep -q 'tl.sum(tl.dot(a, a), 0)' k.tri
}
