# Large and deep sources end: in code when they can, else in an error, never in a crash or without an end.
load ../helpers

# kernel: writes k.tri, a kernel of a pointer, an int and a constexpr, with the text of stdin as body.
kernel() {
    {
        printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n'
        sed 's/^/    /'
    } >k.tri
}
compiles() { tritcc -passes= -k k -sig 'k(p=*i32, n=i32, B=64)' k.tri -o out.ttir; }
refused() {
    tritcc -1 "${@:3}" -passes= -k k -sig 'k(p=*i32, n=i32, B=64)' k.tri -o out.ttir
    [[ $errors == *"error: $2"*"[TRI-$1]"* ]]
}
# repeat N TEXT: awk's printf format, given the number of the turn.
repeat() { awk -v n="$1" -v text="$2\n" 'BEGIN { for (i = 0; i < n; i++) printf text, i, i }'; }

@test "a body inside 19 loops is visited once a level, and its helpers once" {
    {
        printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef helper(a, n):\n'
        printf '    for i in range(n):\n        a += i\n    tl.static_print("once")\n    return a\n\n\n'
        printf '@triton.jit\ndef k(p, n, B: tl.constexpr):\n    s = 0\n'
        awk 'BEGIN { indent = "    "; for (i = 0; i < 19; i++) { printf "%sfor i%d in range(n):\n", indent, i; indent = indent "    "; printf "%ss += i%d\n", indent, i }
            print indent "s = helper(s, n)"; print "    tl.store(p, s)" }'
    } >k.tri
    compiles
    [ "$(grep -c 'scf.for' out.ttir)" -eq 20 ]
    [ "$(grep -c 'iter_args' out.ttir)" -eq 20 ]
    [ "$(grep -c once .err)" -eq 1 ]
}

@test "a hundred thousand lines" {
    { echo 'x = n'; repeat 100000 'x = x + 1'; echo 'tl.store(p, x)'; } | kernel
    compiles
    [ "$(grep -c 'arith.addi' out.ttir)" -eq 100000 ]
}

@test "thousands of variables, and branches among them" {
    { echo 'x0 = n'; repeat 3000 'y%d = n + %d'; repeat 100 'if n > %d:\n    x0 += %d'; echo 'tl.store(p, x0 + y0 + y2999)'; } | kernel
    compiles
    [ "$(grep -c 'scf.if' out.ttir)" -eq 100 ]
}

@test "a static_range of a thousand million turns" {
    printf 'for i in tl.static_range(1000000000):\n    n += i\ntl.store(p, n)\n' | kernel
    refused 4010 "more than 1048576 statements"
}

@test "a static_range that ends where integers do" {
    printf 'for i in tl.static_range(9223372036854775806, 9223372036854775807, 5):\n    tl.store(p, n + i)\n' | kernel
    tritcc -1 -passes= -k k -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [[ $errors == *"out of range"*"[TRI-3007]"* ]]
    printf 'for i in tl.static_range(9223372036854775806, 9223372036854775807, 5):\n    tl.store(p, n)\n' | kernel
    compiles
    [ "$(grep -c tt.store out.ttir)" -eq 1 ]
}

@test "static_ranges inside one another, inside a loop" {
    printf 'for h in range(n):\n    for i in tl.static_range(1000):\n        for j in tl.static_range(10000):\n            n += j\n' | kernel
    refused 4010 "more than 1048576 statements"
}

@test "tuples that double" {
    { echo 't = (n, n)'; repeat 60 't = t + t'; } | kernel
    refused 4010 "a tuple of more than 65536 elements"
    { echo 't = (n, n)'; repeat 60 't = (t, t)'; } | kernel
    refused 4010 "a tuple of more than 65536 elements, inner ones counted"
    echo 't = (n, n) * 4611686018427387904' | kernel
    refused 4010 "a tuple of more than 65536 elements"
    { echo 't = (n,)'; echo 'for i in tl.static_range(100000):'; echo '    t = (t,)'; } | kernel
    refused 4010 "tuples or objects inside one another more than 200 deep"
}

@test "huge integers, powers, shifts and strings" {
    { printf 'x = 1'; repeat 10000 '' | tr '\n' 0; echo; } | kernel
    refused 3011 "the integer 1000"
    echo 'x: tl.constexpr = 10 ** 1000000000 % 7' | kernel
    refused 3005 "the integer result needs more than 128 bits"
    echo 'x: tl.constexpr = 1 << 10000000000' | kernel
    refused 3005 "the integer result needs more than 128 bits"
    echo "tl.static_print('a' * 100000000000)" | kernel
    refused 3005 "this takes more than 256 MB to be computed while compiling"
}

@test "long and deep expressions" {
    { printf 'x = n'; repeat 5000 ' + n' | tr -d '\n'; echo; } | kernel
    refused 2018 "expression is too long"
    { printf 'x = '; repeat 5000 '(' | tr -d '\n'; printf n; repeat 5000 ')' | tr -d '\n'; echo; } | kernel
    refused 2018 "brackets are nested too deep"
}

@test "a chain of a thousand helpers, and helpers that call themselves" {
    {
        printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f0(a):\n    return a\n'
        awk 'BEGIN { for (i = 0; i < 1000; i++) printf "\n\n@triton.jit\ndef f%d(a):\n    return f%d(a)\n", i + 1, i }'
        printf '\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, f1000(n))\n'
    } >k.tri
    refused 4007 "more than 96 calls inside one another"
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(a, N: tl.constexpr):\n    return f(a, N + 1)\n\n\n' >k.tri
    printf '@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, f(n, 0))\n' >>k.tri
    refused 4007 "more than 96 calls inside one another"
}

@test "helpers that call each other twice, sixty deep, are compiled once each" {
    {
        printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f0(a):\n    return a\n'
        awk 'BEGIN { for (i = 0; i < 60; i++) printf "\n\n@triton.jit\ndef f%d(a):\n    return f%d(a) + f%d(a)\n", i + 1, i, i }'
        printf '\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p + f60(n), 1)\n'
    } >k.tri
    compiles
    [ "$(grep -c 'tt.func private' out.ttir)" -eq 61 ]
}

@test "early returns by the hundred" {
    { printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(a):\n'; repeat 250 '    if a == %d:\n        return %d'; printf '    return a\n\n\n'
      printf '@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, f(n))\n'; } >k.tri
    compiles
    { printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(a):\n'; repeat 5000 '    if a == %d:\n        return %d'; printf '    return a\n\n\n'
      printf '@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, f(n))\n'; } >k.tri
    refused 4010 "more than 256 early returns in a function"
}

@test "host code without an end" {
    for body in 'while True:\n        n += 1' 'return f(n + 1)' 'return [0] * 10 ** 18' 'return sum([i for i in range(10 ** 18)])'; do
        printf "def f(n):\n    $body\n\n\nC = tl.constexpr(f(0))\n" >host
        { printf 'import triton\nimport triton.language as tl\n\n\n'; cat host; printf '\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, C)\n'; } >k.tri
        refused 3034 "the value of 'C' cannot be computed while compiling"
    done
}

@test "a file of mistakes tells the first thousand" {
    repeat 20000 'x%d = y%d' | kernel
    refused 3001 "'y0' is not defined"
    [ "$(grep -c 'error:' .err)" -eq 1000 ]
    [[ $errors == *"more errors may follow; only 1000 are told"* ]]
}

@test "what fuzzing found: brackets of signatures, axes of scalars" {
    local types
    printf 'x = n[:, None]\ntl.store(p + x, n[:, None, :])\n' | kernel
    compiles
    grep -q 'tensor<1xi32>' out.ttir
    for types in '(*i32)(i32), i32' 'k(p=*i32)(n=i32)' 'k(p=(*i32)(i32), n=i32)' '(k)(p)' '(' ')'; do
        tritcc -1 -passes= -k k -sig "$types" k.tri -o out.ttir
        [[ $errors == *"[TRI-3030]"* ]]
    done
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n' >k.tri
    printf '    tl.store(p, tl._promote_bfloat16_to_float32(n * 1.0).to(tl.int32))\n' >>k.tri
    compiles
}

# Peak memory of the compiler in KB, with the arguments that follow; its exit status is 1.
peak() {
    status=0
    "$BASH" -c 'ulimit -v '"$1"'; shift; exec "$@"' _ - "$TRITCC" "${@:2}" >.out 2>.err || status=$?
    errors=$(<.err)
    [ "$status" -eq 1 ]
}

@test "host code has a budget of steps and of memory, told where it ends" {
    local name row
    host() { { printf 'import triton\nimport triton.language as tl\nimport re\n\n\n'; cat; printf '\n\n@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, C)\n'; } >k.tri; }
    function_of() { printf 'def f():\n    s, a, b = "ab", [1], [1]\n    while True:\n        %s\n\n\nC = tl.constexpr(f())\n' "$1" | host; }
    for row in 's = s + s' 's += s' 's = s.join([s] * 100)' 's = s.replace("a", "aaaa")' 'a = a + a' 's = s * 10**9' 'a = a * 10**12'; do
        function_of "$row"
        refused 3034 "the value of 'C' cannot be computed while compiling" -fmax-eval-steps=500000
        [[ $errors == *"k.tri:"[89]:*"note: this takes more "*"to be computed while compiling"* ]]
    done
    for row in 'pass' 'a, b = [a, a], [b, b]; n = a == b and len(a) > 2' 'a = [a, a]; n = len(repr(a))' \
        'a = sorted(range(4000))[::-1]' 'n = re.match("(a*)*c", "a" * 16)'; do
        function_of "$row"
        refused 3034 "the value of 'C' cannot be computed while compiling" -fmax-eval-steps=500000
        [[ $errors == *"k.tri:"[89]:*"note: this takes more "*"to be computed while compiling"* ]]
    done
    printf 'def f():\n    try:\n        while True:\n            pass\n    except Exception:\n        return 5\n\n\nC = tl.constexpr(f())\n' | host
    refused 3034 "the value of 'C' cannot be computed while compiling" -fmax-eval-steps=500000
    # small values count as well, in each function that is evaluated
    for row in 'while True:\n        n += 1' 'n = sorted([i * 7919 %% 1000003 for i in range(9000000)])'; do
        printf "import triton\nimport triton.language as tl\n\n\n@tl.constexpr_function\ndef f(n):\n    $row\n    return 1\n\n\n" >k.tri
        printf '@triton.jit\ndef k(p):\n    tl.store(p, f(0))\n' >>k.tri
        peak 400000 k.tri -fmax-eval-steps=1000000000 -sig '*i32' -emit=ttir -o out.ttir
        [[ $errors == *"k.tri:"[78]:*"note: this takes more than 256 MB to be computed while compiling"* ]]
    done
}

@test "-fmax-eval-steps and -fmax-ops set the limits" {
    { printf 'import triton\nimport triton.language as tl\n\n\ndef f():\n    t = 0\n    for i in range(1000):\n        t += i\n    return t\n\n\nC = tl.constexpr(f())\n\n\n'
      printf '@triton.jit\ndef k(p, n, B: tl.constexpr):\n    tl.store(p, C)\n'; } >k.tri
    compiles
    tritcc -1 -fmax-eval-steps=1000 -passes= -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [[ $errors == *"k.tri:8:"*"-fmax-eval-steps"* ]]
    printf 'for i in tl.static_range(1000):\n    n += n * i\ntl.store(p, n)\n' | kernel
    compiles
    tritcc -1 -fmax-ops=1500 -passes= -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [[ $errors == *"k.tri:7:"*"more than 1500 operations"*"[TRI-4010]"* ]]
    tritcc -1 -fmax-ops=900 -passes= -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [[ $errors == *"k.tri:7:14: error: more than 900 statements"*"[TRI-4010]"* ]]
}

@test "nested static ranges are refused before the first turn" {
    printf 'for i in tl.static_range(1000):\n    for j in tl.static_range(1000):\n        for l in tl.static_range(B, 1000):\n            tl.store(p + i + j + l, i)\n' | kernel
    status=0
    (ulimit -t 1 && "$TRITCC" -emit=ttir -sig 'k(p=*i32, n=i32, B=64)' k.tri 2>.err) || status=$?
    [ "$status" -eq 1 ]
    [[ $(<.err) == *"k.tri:7:14: error: more than 1048576 statements"*"[TRI-4010]"* ]]
    # what depends on the turn, or on a condition, is not foreseen
    printf 'for i in tl.static_range(1000):\n    if i < 1:\n        for j in tl.static_range(2000):\n            n += j\n    for j in tl.static_range(i, i + 1):\n        n += j\ntl.store(p, n)\n' | kernel
    compiles
}

@test "a loop_unroll_factor of a thousand million" {
    printf 'for i in tl.range(0, n, loop_unroll_factor=1000000000):\n    n += i\ntl.store(p, n)\n' | kernel
    tritcc -1 -emit=ttir -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [[ $errors == *"k.tri:7:"*"loop_unroll_factor=1000000000 makes more than 1048576 operations"*"[TRI-4010]"* ]]
    printf 'for i in tl.range(0, 4, loop_unroll_factor=1000000000):\n    n += i\ntl.store(p, n)\n' | kernel
    tritcc -0 -emit=ttir -sig 'k(p=*i32, n=i32, B=64)' k.tri -o out.ttir
}

@test "blocks that make too much of a thread" {
    printf 'o = tl.arange(0, 65536)\ntl.store(p + o, tl.sort(tl.load(p + o)))\n' | kernel
    tritcc -1 -num-warps=1 -arch=sm_90a -emit=llir -sig 'k(p=*i32, n=i32, B=64)' k.tri
    [[ $errors == *"more than 1048576 values of a thread"*"[TRI-4010]"* ]]
    # what is sorted may be computed again in each of the layouts that it takes, once in each
    printf 'o = tl.arange(0, 2048)\ntl.store(p + o, tl.sort(o))\n' | kernel
    (ulimit -v 600000 && exec "$TRITCC" -arch=sm_90a -emit=ttgir -sig 'k(p=*i32, n=i32, B=64)' k.tri)
    # before the work, which takes minutes
    printf 'o = tl.arange(0, 65536)\ntl.store(p + o, tl.sort(tl.load(p + o)))\n' | kernel
    status=0
    (ulimit -t 8 && "$TRITCC" -num-warps=1 -arch=sm_90a -emit=llir -sig 'k(p=*i32, n=i32, B=64)' k.tri 2>.err) || status=$?
    [ "$status" -eq 1 ]
}

@test "300,000 arguments of a call" {
    { printf 'n = tl.maximum(n, '; awk 'BEGIN { for (i = 0; i < 300000; i++) printf "n," }'; echo 'n)'; echo 'tl.store(p, n)'; } | kernel
    refused 4010 "a call with more than 65536 arguments"
}

@test "source that is only read takes a small multiple of its size, or an error says where it ends" {
    repeat 2100000 'x = 1' >k.tri
    peak 600000 k.tri -arch=sm_80 -emit=ttir -o out.ttir
    [[ $errors == k.tri:[0-9]*"error: the file takes more than 7 times its size, and more than 96 MB, to be read"*TRI-2027* ]]
    { printf 'f('; awk 'BEGIN { for (i = 0; i < 5000000; i++) printf "1, " }'; echo ')'; } >k.tri
    peak 600000 k.tri -arch=sm_80 -emit=ttir -o out.ttir
    [[ $errors == k.tri:1:[0-9]*"error: the file takes more than 7 times its size, and more than 96 MB, to be read"*TRI-2027* ]]
    { printf '#'; head -c 100000000 /dev/zero | tr '\0' a; echo; } >k.tri
    peak 600000 k.tri -arch=sm_80 -emit=ttir -o out.ttir
    head -c 50000000 /dev/zero | tr '\0' '\n' >k.tri
    peak 800000 k.tri -arch=sm_80 -emit=ttir -o out.ttir
    [[ $errors == *"no @triton.jit function in 'k.tri'"* ]]
    # errors behind long blocks are still found where they are, and the statements after them are read
    { printf 'try:\n'; repeat 1000 '    x = 1'; printf 'y = 2\nz = = 3\nif x:\n    a b\nelse:\n    c d\n'; } >k.tri
    tritcc -1 k.tri -arch=sm_80 -emit=ttir -o out.ttir
    [[ $errors == "k.tri:1:1:"*2024*"k.tri:1003:5"*"k.tri:1005:"*"k.tri:1007:"* ]]
}

# Milliseconds of processor time that the compiler takes to read as many kernels, between which a name is bound.
reading() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "import triton\n@triton.jit\ndef k%d(x):\n    y = x\nx = None\n", i }' >k.tri
    local TIMEFORMAT=%3U
    ms=$({ time "$TRITCC" -fsyntax-only k.tri 2>.err; } 2>&1) && ms=$((10#${ms/./}))
}

@test "a name that a long file binds again and again is found by few steps" {
    local ms few
    for _ in 1 2 3; do # what else runs may slow one of the two down
        reading 6000
        few=$ms
        reading 24000
        ((ms >= 8 * few)) || return 0 # a search from the front would take sixteen times as long
    done
    false
}

@test "checking kernels without types keeps nothing of them" {
    { printf 'import triton\nimport triton.language as tl\n'
        for i in {1..1500}; do
            printf '\n\n@triton.jit\ndef k%d(x, y, n, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n' "$i"
            printf '    v = tl.load(x + i, mask=i < n, other=0.0)\n    tl.store(y, tl.sum(tl.softmax(v) * tl.cdiv(n, B)))\n'
        done
        printf '    tl.store(y, undefined)\n'; } >k.tri
    peak 400000 k.tri -fsyntax-only
    [[ $errors == k.tri:[0-9]*":17: error: 'undefined' is not defined [TRI-3001]"* ]]
}
