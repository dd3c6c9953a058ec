# Warnings of whole kernels: what they catch, where they point, and what they leave alone.
load ../helpers

# compiled OPTION...: a kernel on stdin, of pointers x and o, ints n and s, constexpr B, compiles with status 0.
compiled() {
    {
        printf 'import triton\nimport triton.language as tl\n\n\n'
        printf '@triton.jit\ndef place(row, step):\n    return row * step\n\n\n'
        printf '@triton.jit\ndef k(x, o, n, s, B: tl.constexpr):\n'
        sed 's/^/    /'
    } >k.tri
    tritcc -emit=ttir=- -arch=sm_80 -sig 'k(x=*fp32, o=*fp32, n=i32, s=i32, B=64)' "$@" k.tri
}

silent() { [ -z "$errors" ]; }

@test "a row times a stride is an unknown product: -Woffset-overflow" {
    compiled -Woffset-overflow <<'TRI'
row = tl.program_id(0)
cols = tl.arange(0, B)
tl.store(o + row * s + cols, tl.load(x + cols))
TRI
    [[ $errors == *"k.tri:14:18: warning: an offset is the product of two 32-bit values"*"[-Woffset-overflow]"* ]]
    [[ $errors == *"|"*"     ^~~~~~~"* ]]
    [[ $errors == *"cast an operand with .to(tl.int64) first"* ]]
}

@test "unknown products are told with -Wall, not without" {
    local kernel='tl.store(o + tl.program_id(0) * s, 1.0)'
    compiled <<<"$kernel"
    silent
    compiled -Wall <<<"$kernel"
    [[ $errors == *"[-Woffset-overflow]"* ]]
    compiled -Wall -Wno-offset-overflow <<<"$kernel"
    silent
}

@test "a product in a helper is told with the call" {
    compiled -Woffset-overflow <<'TRI'
at = place(tl.program_id(0), s)
tl.store(o + at, 1.0)
TRI
    [[ $errors == *"k.tri:7:12: warning:"*"k.tri:12:10: note: in this call"* ]]
}

@test "a product is found behind branches, loops, selections and helpers' parameters" {
    compiled -Woffset-overflow <<'TRI'
at = 0
if n > 3:
    at = tl.program_id(0) * s
tl.store(o + at, 1.0)
off = 0
for i in range(n):
    tl.store(o + off, 2.0)
    off = n * s
tl.store(o + tl.where(n > 2, 0, s * s), 3.0)
tl.store(o + place(n * s, 1), 3.0)
TRI
    [ "$(grep -c 'warning:' .err)" -eq 4 ]
    [[ $errors == *"k.tri:14:14:"* && $errors == *"k.tri:19:15:"* && $errors == *"k.tri:20:37:"* && $errors == *"k.tri:21:24:"* ]]
}

@test "the usual mends are left alone" {
    compiled -Wall <<'TRI'
row = tl.program_id(0).to(tl.int64)
cols = tl.program_id(1) * B + tl.arange(0, B)
tl.store(o + row * s + cols, 1.0, mask=cols < n)
tl.store(o + tl.arange(0, B) * s, 2.0)
tl.store(o + (tl.program_id(0) % 64) * s, 3.0)
tl.store(o + tl.minimum(n, 100) * 8, 3.0)
tl.assume(n < 4096)
tl.assume(n >= 0)
tl.store(o + n * s, 3.0)
hash = (n * s) ^ (n * 747796405)
tl.store(o, hash.to(tl.float32))
TRI
    silent
}

@test "bounds that add up beyond 32 bits: -Wint-overflow" {
    compiled <<'TRI'
tl.assume((n < 100000) & (0 <= n))
tl.store(o + n * 65536, 1.0)
for i in range(0, 4194304):
    tl.store(o + i * 1024, 2.0)
tl.store(o + (tl.arange(0, B) << 26), 3.0)
tl.store(o + (n + 2147480000), 4.0)
TRI
    [ "$(grep -c 'warning:.*\[-Wint-overflow\]' .err)" -eq 4 ]
    [[ $errors == *"k.tri:13:18: warning: an offset of 32 bits can reach 6553534464 here: its operands are 0 ... 99999 and 65536"* ]]
    compiled -Wno-int-overflow <<<'tl.store(o + (tl.arange(0, B) << 26), 3.0)'
    silent
    tritcc -1 -emit=ttir=- -arch=sm_80 -Werror -sig 'k(x=*fp32, o=*fp32, n=i32, s=i32, B=64)' k.tri
}

@test "bounds that fit are left alone" {
    compiled <<'TRI'
tl.assume(n < 32768)
tl.assume(n > -1)
tl.store(o + n * 65536, 1.0)
tl.store(o + (n // 16) * 1048576, 1.0)
tl.store(o + n.to(tl.int64) * 1048576, 1.0)
tl.store(o + (n & 15) * 100000000, 1.0)
tl.store(o + (tl.arange(0, B).to(tl.uint32) << 26), 3.0)
for i in range(0, 2097152):
    tl.store(o + i * 1024, 2.0)
TRI
    silent
}

@test "a constant mask that generated code leaves unread is none" {
    compiled <<'TRI'
offs = tl.program_id(0) * B + tl.arange(0, B)[:]
rows = tl.full([B], True, tl.int1)
columns = tl.full([1, B], True, tl.int1)
tl.store(o + offs, tl.load(x + offs))
TRI
    silent
}

@test "a mask that nothing reads: -Wunused-mask" {
    compiled <<'TRI'
offs = tl.program_id(0) * B + tl.arange(0, B)
mask = offs < n
tl.store(o + offs, tl.load(x + offs))
TRI
    [[ $errors == *"k.tri:13:5: warning: the mask 'mask' is never used [-Wunused-mask]"* ]]
    [[ $errors == *"mask=mask"* ]]
    compiled -Wno-unused-mask <<'TRI'
mask = tl.arange(0, B) < n
TRI
    silent
}

@test "a store that forgets the mask of its load" {
    compiled <<'TRI'
offs = tl.program_id(0) * B + tl.arange(0, B)
mask = offs < n
v = tl.load(x + offs, mask=mask)
tl.store(o + s + offs, v)
TRI
    [[ $errors == *"k.tri:15:5: warning: this store has no mask"*"k.tri:14:9: note: these offsets are masked here"* ]]
}

@test "a load that forgets the mask of its store" {
    compiled <<'TRI'
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs)
tl.store(o + offs, v, mask=offs < n)
TRI
    [[ $errors == *"k.tri:13:9: warning: this load has no mask, but a store through the same indices has one"* ]]
    [[ $errors == *"k.tri:14:5: note: these offsets are masked here"* ]]
    compiled <<'TRI'
offs = tl.program_id(0) * B + tl.arange(0, B)
v = tl.load(x + offs % n) + tl.load(x + tl.arange(0, B))
tl.store(o + offs, v, mask=offs < n)
tl.store(o + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
TRI
    [[ $errors != *warning* ]]
}

@test "masks that are used somehow are left alone" {
    compiled <<'TRI'
offs = tl.program_id(0) * B + tl.arange(0, B)
mask = offs < n
if B == 32:
    tl.store(o + offs, 1.0, mask=mask)
else:
    v = tl.load(x + offs % n)
    tl.store(o + tl.program_id(0), tl.sum(tl.where(mask, v, 0.0)))
odd = tl.arange(0, B) & 1 == 1
_ = offs < 3
for i in range(n):
    inner = offs < i
    tl.store(o + offs, v, mask=inner)
TRI
    [[ $errors == *"'odd' is never used"* ]]
    [ "$(grep -c 'warning:' .err)" -eq 1 ]
}

@test "old forms, each where it stands: -Wdeprecated" {
    compiled <<'TRI'
b = tl.make_block_ptr(x, (n, n), (s, 1), (0, 0), (16, B), (1, 0))
v = tl.load(tl.advance(b, (0, B)), boundary_check=(0, 1))
d = tl.dot(v, tl.trans(v), allow_tf32=False)
d = tl.dot(v, tl.trans(v), d, allow_tf32=True)
t = tl.make_tensor_descriptor(o, [n, n], [s, 1], [16, B])
v = tl._experimental_descriptor_load(t, [0, 0], [16, B], tl.float32)
tl._experimental_descriptor_store(t, v, [0, 0])
tl.store(o + tl.view(tl.arange(0, B), (B,)), max(v, 0.0).sum(0))
tl.store(o + tl.arange(0, 16), d.sum(0))
TRI
    [ "$(grep -c 'warning:.*\[-Wdeprecated\]' .err)" -eq 7 ]
    [[ $errors == *"k.tri:12:9: warning: block pointers are an old form; use tl.make_tensor_descriptor"* ]]
    [[ $errors == *"k.tri:14:32: warning: allow_tf32 is an old form; use input_precision=\"ieee\""* ]]
    [[ $errors == *"k.tri:15:35: warning: allow_tf32 is an old form; use input_precision=\"tf32\""* ]]
    [[ $errors == *"k.tri:17:9:"*"use desc.load(offsets)"*"k.tri:18:5:"*"use desc.store(offsets, value)"* ]]
    [[ $errors == *"k.tri:19:18:"*"tl.view"*"k.tri:19:"*"max() of blocks"* ]]
    tritcc -emit=ttir=- -arch=sm_80 -Wno-deprecated -sig 'k(x=*fp32, o=*fp32, n=i32, s=i32, B=64)' k.tri
    silent
}

@test "fp8e4b15 in products is deprecated from sm_90 on" {
    local kernel='v = tl.full((16, 32), 1.0, tl.float32).to(tl.float8e4b15)
tl.store(o + tl.arange(0, 16), tl.dot(v, tl.trans(v)).sum(0))'
    compiled -arch=sm_90 <<<"$kernel"
    [[ $errors == *"k.tri:13:36: warning: a tl.dot of fp8e4b15 is slow"*"[-Wdeprecated]"* ]]
    compiled -arch=sm_80 <<<"$kernel"
    silent
}

@test "what replaces the old forms is not deprecated" {
    compiled -Wdeprecated <<'TRI'
t = tl.make_tensor_descriptor(o, [n, n], [s, 1], [16, B])
v = tl.maximum(t.load([0, 0]), 0.0)
d = tl.dot(v, tl.trans(v), input_precision="ieee")
v = tl.where((v > 0) & (v < 1), v, 0.0)
t.store([0, 0], tl.reshape(v, (16, B)))
tl.store(o + tl.arange(0, 16), tl.topk(d, 1).sum(1))
TRI
    silent
}

@test "values that no name takes are dropped, as in Triton, and told" {
    compiled <<'TRI'
i, j = tl.program_id(0), tl.program_id(1), tl.program_id(2)
tl.store(o + i, (j + n).to(tl.float32))
TRI
    [[ $errors == *"k.tri:12:5: warning: 2 names for a tuple of 3 elements [-Wsurplus-value]"* ]]
    [[ $output == *"tt.get_program_id y"* ]]
}
