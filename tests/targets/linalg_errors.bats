# What structured code cannot hold: each error has its place, its code, the names in the source, and a remedy.
load ../helpers

refused() { # ARCH EXPECTED: the body of a kernel on stdin; EXPECTED begins with line and column
    local arch=$1
    { printf 'import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n@triton.jit\n'
      printf 'def k(a, b, sel, out, n):\n    i = tl.arange(0, 64)\n' && cat; } >k.tri
    tritcc -1 -arch="$arch" -emit=linalg -sig '*fp32, *fp32, *i64, *fp32, i32' k.tri
    [[ $errors == "k.tri:$2 [TRI-6002]"* ]]
    [[ $errors == *"note: "* ]]
}

several="it points into one of several arrays ('a', 'b')"

@test "a pointer that a branch chooses" {
    refused linalg "13:9: error: structured code cannot follow pointer 'p': $several" <<'K'
    if tl.load(sel) > 0:
        p = a + i
    else:
        p = b + i
    v = tl.load(p)
    tl.store(out + i, v)
K
    [[ $errors == *"load from each array and choose between the values"* ]]
}

@test "pointers that are chosen for each element" {
    refused linalg "10:9: error: structured code cannot follow pointer 'where': $several" <<'K'
    where = tl.where(tl.load(sel + i) > 0, a + i, b + i)
    v = tl.load(where)
    tl.store(out + i, v)
K
}

@test "a pointer that a loop exchanges for another" {
    refused linalg "13:23: error: structured code cannot follow pointer 'p': $several" <<'K'
    p = a + i
    while n > 0:
        n -= 1
        p = b + i if n % 2 == 0 else p + 64
    tl.store(out + i, tl.load(p))
K
    refused linalg "13:23: error: structured code cannot follow pointer 'p': $several" <<'K'
    p = a + i
    for j in range(n):
        q = p
        p = b + i
    tl.store(out + i, tl.load(p))
K
}

@test "an atomic operation and a descriptor on one of two arrays" {
    refused linalg "10:11: error: structured code cannot follow pointer 'p': $several" <<'K'
    p = tl.where(n > 3, a, b)
    old = tl.atomic_add(p + i, 1.0)
    tl.store(out + i, old)
K
    refused linalg "10:23: error: structured code cannot follow this pointer: $several" <<'K'
    d = tl.make_tensor_descriptor(a if n > 3 else b, [n], [1], [64])
    tl.store(out + i, d.load([0]))
K
}

@test "elements of another size than the array's, for Ascend" {
    refused ascend910b "10:12: error: structured code cannot follow pointer 'pair': it reads an array as elements of another size ('a')" <<'K'
    pair = a.to(tl.pointer_type(tl.int64), bitcast=True)
    wide = tl.load(pair + i)
    tl.store(out + i, wide)
K
    [[ $errors == *"give the parameter the type of the elements"* ]]
    refused ascend910b "10:5: error: structured code cannot follow pointer 'half': it reads an array as elements of another size ('out')" <<'K'
    half = (out + i).to(tl.pointer_type(tl.float16), bitcast=True)
    tl.store(half, tl.load(a + i).to(tl.float16))
K
}

@test "assembly that is volatile, and assembly that is not" {
    refused linalg "10:9: error: volatile inline assembly has no structured form ('y')" <<'K'
    x = tl.load(a + i)
    y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=False, pack=1)
    tl.store(out + i, y)
K
    refused ascend910b "10:9: error: inline assembly has no structured form ('y')" <<'K'
    x = tl.load(a + i)
    y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + i, y)
K
}

@test "functions of libraries that are no operation, for Ascend" {
    refused ascend910b "10:12: error: '__nv_cyl_bessel_i0f' has no operation in the structured dialects ('bess')" <<'K'
    x = tl.load(a + i)
    bess = libdevice.cyl_bessel_i0(x)
    tl.store(out + i, bess)
K
    [[ $errors == *"these are: sin cos "* ]]
}

@test "all such errors of a kernel in one run" {
    refused linalg "10:23: error: structured code cannot follow pointer 'p': $several" <<'K'
    p = tl.where(n > 3, a, b)
    tl.store(out + i, tl.load(p + i))
    tl.store(p + i, 1.0)
K
    [[ $errors == *"k.tri:11:5: error: structured code cannot follow pointer 'p'"* ]]
}
