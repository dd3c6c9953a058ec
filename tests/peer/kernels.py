"""One kernel for each group of library functions; peer.py compares them with Triton's own ttir."""
import triton
import triton.language as tl


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * B + tl.arange(0, B)
    m = offs < n
    tl.store(o + offs, tl.load(x + offs, mask=m) + tl.load(y + offs, mask=m, other=0.0), mask=m)


@triton.jit
def softmax(o, x, xs, os, rows, cols, B: tl.constexpr, stages: tl.constexpr):
    start = tl.program_id(0)
    step = tl.num_programs(0)
    for r in tl.range(start, rows, step, num_stages=stages):
        offs = tl.arange(0, B)
        m = offs < cols
        row = tl.load(x + r * xs + offs, mask=m, other=-float('inf'))
        z = row - tl.max(row, axis=0)
        num = tl.exp(z)
        den = tl.sum(num, axis=0)
        tl.store(o + r * os + offs, num / den, mask=m)


@triton.jit
def layernorm(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        x_hat = (x - mean) * rstd
        tl.store(Y + cols, x_hat * w + b, mask=mask)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, GM: tl.constexpr, ACT: tl.constexpr):
    pid = tl.program_id(axis=0)
    npm = tl.cdiv(M, BM)
    npn = tl.cdiv(N, BN)
    in_group = GM * npn
    gid = pid // in_group
    first = gid * GM
    size = min(npm - first, GM)
    pm = first + ((pid % in_group) % size)
    pn = (pid % in_group) // size
    tl.assume(pm >= 0)
    oam = (pm * BM + tl.arange(0, BM)) % M
    obn = (pn * BN + tl.arange(0, BN)) % N
    ok = tl.arange(0, BK)
    ap = a_ptr + (oam[:, None] * sam + ok[None, :] * sak)
    bp = b_ptr + (ok[:, None] * sbk + obn[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(ap, mask=ok[None, :] < K - k * BK, other=0.0)
        b = tl.load(bp, mask=ok[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        ap += BK * sak
        bp += BK * sbk
    if ACT == "leaky":
        acc = leaky(acc)
    c = acc.to(tl.float16)
    ocm = pm * BM + tl.arange(0, BM)
    ocn = pn * BN + tl.arange(0, BN)
    cp = c_ptr + scm * ocm[:, None] + scn * ocn[None, :]
    tl.store(cp, c, mask=(ocm[:, None] < M) & (ocn[None, :] < N))


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def promotions(h, b, s, i8, u8, i64, o, B: tl.constexpr):
    offs = tl.arange(0, B)
    x = tl.load(h + offs)
    y = tl.load(b + offs)
    z = tl.load(s + offs)
    i = tl.load(i8 + offs)
    u = tl.load(u8 + offs)
    l = tl.load(i64 + offs)
    r = x * 2.0 + y + z / 3 + i + u * 2 + (l >> 3) + (l & 7) + (i == 3) + -i + ~u
    r += tl.where(i < 5, x, y) + (x / x) + i / u.to(tl.int8) + l // 2 + l % 3 + (u ^ 3) + (u << 1)
    t = 2.0
    r = r * t + x % 3.0
    tl.store(o + offs, r)


@triton.jit
def casts(x, o, B: tl.constexpr):
    offs = tl.arange(0, B)
    a = tl.load(x + offs)
    b = a.to(tl.float16).to(tl.bfloat16).to(tl.int32).to(tl.uint8).to(tl.float64)
    c = a.to(tl.int32, bitcast=True).to(tl.int64).to(tl.uint64).to(tl.int1)
    d = a.to(tl.float8e5).to(tl.float16).to(tl.float8e4nv).to(tl.float32)
    e = a.to(tl.float16, fp_downcast_rounding="rtz")
    tl.store(o + offs, b + c + d + e + (a != 0).to(tl.float32))


@triton.jit
def maths(x, o, B: tl.constexpr):
    offs = tl.arange(0, B)
    a = tl.load(x + offs)
    r = tl.exp(a) + tl.exp2(a) + tl.log(a) + tl.log2(a) + tl.cos(a) + tl.sin(a) + tl.sqrt(a) + tl.rsqrt(a) + tl.erf(a)
    r += tl.floor(a) + tl.ceil(a) + tl.abs(a) + tl.sqrt_rn(a) + tl.div_rn(a, r) + tl.fma(a, r, 1.0) + tl.sigmoid(a)
    r += tl.maximum(a, 0.0) + tl.minimum(a, r) + tl.clamp(a, 0.0, 6.0) + tl.fdiv(a, r)
    i = a.to(tl.int32)
    r += tl.umulhi(i.to(tl.uint32), i.to(tl.uint32)) + tl.abs(i) + tl.cdiv(i, 4)
    tl.store(o + offs, r + tl.softmax(r))


@triton.jit
def reductions(x, o, A: tl.constexpr, B: tl.constexpr):
    offs = tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :]
    v = tl.load(x + offs)
    r = tl.max(v, 1) + tl.min(v, axis=1) + tl.sum(v, 1) + tl.argmax(v, 1) + tl.argmin(v, 1)
    m, i = tl.max(v, 1, return_indices=True)
    m2, i2 = tl.min(v, 0, return_indices=True, return_indices_tie_break_left=False)
    r += m + i + tl.sum(m2 + i2)
    w = (v * 7).to(tl.int16)
    r += tl.sum(w, 1) + tl.max(w, 1) + tl.xor_sum(w, 1) + tl.sum(w == 3, 1)
    c = tl.cumsum(v, 1) + tl.cumprod(v, 0) + tl.cumsum(w, 1, reverse=True)
    r += tl.sum(c, 1, keep_dims=True).reshape(A) + tl.sum(v) + tl.reduce(v, 1, combine)
    tl.store(o + tl.arange(0, A), r)


@triton.jit
def combine(a, b):
    return a * b + 1


@triton.jit
def shapes(x, o, A: tl.constexpr, B: tl.constexpr):
    a = tl.arange(0, A)
    v = tl.load(x + a[:, None] * B + tl.arange(0, B))
    t = tl.trans(v)
    r = tl.reshape(v, (B, A)) + t + v.T + tl.permute(v, (1, 0)) + v.trans(1, 0)
    j = tl.join(r, r)
    p, q = tl.split(j)
    s = tl.interleave(p, q)
    e = tl.expand_dims(a, 1) + tl.broadcast_to(a[None, :], (A, A))
    f = tl.full((A, A), 3, tl.int32) + tl.zeros_like(e) + e.to(tl.int32)
    tl.store(o + tl.arange(0, B)[:, None] * A * 2 + tl.arange(0, 2 * A), s + tl.sum(f) + tl.ravel(e).shape[0])


@triton.jit
def control(x, o, n, flag, B: tl.constexpr, MODE: tl.constexpr):
    offs = tl.arange(0, B)
    v = tl.load(x + offs)
    if n > 3 and flag > 0:
        v = v * 2.0
        w = 1.0
    elif n == 2:
        w = 2.0
    else:
        w = 3.0
    j = 0
    while j < n:
        v += j
        j += 1
    for i in range(n, 0, -2):
        v += i
        for k in tl.static_range(3):
            v += k * i
    t = (v, w)
    a, b = t
    z = a if MODE == 1 else b
    y = n if n > 5 else flag
    if MODE == 1:
        extra = 4.0
    v += z + y + extra
    if n == 17:
        return
    tl.store(o + offs, v)


@triton.jit
def atomics(x, i, o, lock, B: tl.constexpr):
    offs = tl.arange(0, B)
    v = tl.load(x + offs)
    k = tl.load(i + offs)
    tl.atomic_add(o + offs, v, mask=offs < 7)
    tl.atomic_max(o + offs, v)
    tl.atomic_min(o + offs, v, sem="relaxed")
    tl.atomic_max(i + offs, k, scope="cta")
    tl.atomic_and(i + offs, k)
    tl.atomic_or(i + offs, k)
    tl.atomic_xor(i + offs, k)
    tl.atomic_xchg(i + offs, k)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def hints(x, o, n, B: tl.constexpr):
    offs = tl.max_contiguous(tl.multiple_of(tl.program_id(0) * B + tl.arange(0, B), B), B)
    v = tl.load(x + offs, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    tl.store(o + offs, v, cache_modifier=".cs", eviction_policy="evict_last")
    tl.device_print("v", v, n)
    tl.static_assert(B % 2 == 0, "even")
    w = tl.inline_asm_elementwise("shl.b32 $0, $1, 2;", "=r,r", [v.to(tl.int32)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(o + offs, w)


@triton.jit
def random(seed, o, B: tl.constexpr):
    offs = tl.arange(0, B)
    r = tl.rand(seed, offs) + tl.randn(seed, offs) + tl.randint(seed, offs)
    a, b, c, d = tl.rand4x(seed, offs)
    tl.store(o + offs, r + a + b + c + d)


@triton.jit
def sorting(x, o, B: tl.constexpr):
    offs = tl.arange(0, B)
    v = tl.load(x + offs)
    tl.store(o + offs, tl.sort(v) + tl.flip(v, 0))
    tl.store(o + tl.arange(0, 4), tl.topk(v, 4))


@triton.jit
def misc(x, i, o, B: tl.constexpr):
    offs = tl.arange(0, B)
    v = tl.load(x + offs)
    k = tl.load(i + offs)
    g = tl.gather(v, k, 0)
    h = tl.histogram(k, 16)
    a, b = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 8, 8, 2)
    tl.store(o + offs, g + tl.sum(h) + a + b)
    tl.store(o + offs, pair(v)[0], mask=pick(offs, 3) > 0)


@triton.jit
def pair(x, scale=2.0):
    return x * scale, x + 1


@triton.jit
def pick(x, n):
    if n == 3:
        return x
    else:
        return x + 1


@triton.jit
def early(n):
    if n > 4:
        return 1
    return 2


@triton.jit
def returns(o, n):
    tl.store(o, early(n))


@triton.jit
def descriptors(x, o, M, N, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[B, B])
    e = tl.make_tensor_descriptor(o, shape=[M, N], strides=[N, 1], block_shape=[B, B])
    for i in range(0, M, B):
        v = d.load([i, 0])
        e.store([i, 0], v * 2)
        e.atomic_add([i, 0], v)
