/* Atomic operations: kinds x types x orders x scopes x masks, with and without contention, old values too. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

typedef enum { ADD, MAX, MIN, AND, OR, XOR, XCHG } kind;

static const struct {
    const char *name, *types;
    kind kind;
} rows[] = {
    {"atomic_add", "i32 u32 i64 u64 f16 bf16 f32 f64", ADD}, {"atomic_max", "i32 u32 i64 u64 f32 f64", MAX},
    {"atomic_min", "i32 u32 i64 u64 f32 f64", MIN},     {"atomic_and", "i32 u32 i64 u64", AND},
    {"atomic_or", "i32 u32 i64 u64", OR},               {"atomic_xor", "i32 u32 i64 u64", XOR},
    {"atomic_xchg", "i32 u32 i64 u64 f32 f64", XCHG},
};

static const char *const semantics[] = {"",
                                        ", sem=\"relaxed\"",
                                        ", sem=\"acquire\"",
                                        ", sem=\"release\"",
                                        ", sem=\"acq_rel\"",
                                        ", sem=\"relaxed\", scope=\"cta\"",
                                        ", scope=\"sys\"",
                                        ", sem=\"acquire\", scope=\"gpu\""};

static void apply(kind k, m_array *to, int64_t i, const m_array *v, int64_t at)
{
    bool is_float = m_dtype_is_float(to->dtype);
    if (is_float) {
        m_real a = m_get(to, i), b = m_get(v, at);
        m_set(to, i, k == ADD ? a + b : k == MAX ? fmaxl(a, b) : k == MIN ? fminl(a, b) : b);
        return;
    }
    m_wide a = m_get_int(to, i), b = m_get_int(v, at);
    m_set_int(to, i,
              k == ADD   ? a + b
              : k == MAX ? (a > b ? a : b)
              : k == MIN ? (a < b ? a : b)
              : k == AND ? (a & b)
              : k == OR  ? (a | b)
              : k == XOR ? (a ^ b)
                         : b);
}

/* Every element of `to` once: the old values are known. */
static void apart(m_context *ctx, size_t r, m_dtype type, size_t s, bool is_masked, bool is_method)
{
    m_case *c = m_begin(ctx, "%s %s%s%s%s", rows[r].name, m_dtype_name(type), semantics[s], is_masked ? ", masked" : "",
                        is_method ? ", method" : "");
    if (!c)
        return;
    enum { n = 256 };
    char call[96];
    snprintf(call, sizeof call, is_method ? "(t + j).%s(v" : "tl.%s(t + j, v", rows[r].name);
    m_text(c,
           "@triton.jit\ndef k(t, x, o):\n    i = tl.arange(0, 256)\n    j = (i * 3) %% 256\n    v = tl.load(x + i)\n"
           "    old = %s%s%s)\n    tl.store(o + i, old%s)\n",
           call, is_masked ? ", mask=i < 200" : "", semantics[s], is_masked ? ", mask=i < 200" : "");
    m_array start = m_new_array(c, type, n), *want, *x, *old;
    m_fill_uniform(c, &start, -50, 50);
    want = m_inout(c, "t", &start);
    x = m_in(c, "x", type, n);
    old = m_out(c, "o", type, n);
    m_fill_uniform(c, x, -50, 50);
    for (int64_t i = 0; i < (is_masked ? 200 : n); i++) {
        m_set_bits(old, i, m_bits(want, i * 3 % n));
        apply(rows[r].kind, want, i * 3 % n, x, i);
    }
    m_end(ctx, c);
}

/* Many elements to few places; several programs. */
static void together(m_context *ctx, size_t r, m_dtype type, int64_t places)
{
    if (rows[r].kind == XCHG)
        return;
    m_case *c = m_begin(ctx, "%s %s, 4x128 to %d", rows[r].name, m_dtype_name(type), (int)places);
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(t, x, P: tl.constexpr):\n    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n    v = "
           "tl.load(x + i)\n"
           "    tl.%s(t + i %% P, v, mask=i < 500)\n",
           rows[r].name);
    m_array start = m_new_array(c, type, places), *want, *x;
    m_fill_ints(c, &start, 0, 5);
    want = m_inout(c, "t", &start);
    x = m_in(c, "x", type, 512);
    for (int64_t i = 0; i < 512; i++) /* few enough for the sum to be exact in bf16 */
        m_set(x, i, m_below(c, 8) == 0);
    for (int64_t i = 0; i < 500; i++)
        apply(rows[r].kind, want, i % places, x, i);
    m_constexpr(c, "P", places);
    c->grid[0] = 4;
    m_end(ctx, c);
}

static void scalar(m_context *ctx, size_t r, m_dtype type)
{
    m_case *c = m_begin(ctx, "%s %s, scalar", rows[r].name, m_dtype_name(type));
    if (!c)
        return;
    m_text(
        c,
        "@triton.jit\ndef k(t, x, o):\n    p = tl.program_id(0)\n    tl.store(o + p, tl.%s(t + p, tl.load(x + p)))\n",
        rows[r].name);
    m_array start = m_new_array(c, type, 8), *want, *x, *old;
    m_fill_uniform(c, &start, -50, 50);
    want = m_inout(c, "t", &start);
    x = m_in(c, "x", type, 8);
    old = m_out(c, "o", type, 8);
    m_fill_uniform(c, x, -50, 50);
    for (int64_t i = 0; i < 8; i++) {
        m_set_bits(old, i, m_bits(want, i));
        apply(rows[r].kind, want, i, x, i);
    }
    c->grid[0] = 8;
    m_end(ctx, c);
}

static void swap(m_context *ctx, m_dtype type, size_t s, bool is_scalar)
{
    m_case *c = m_begin(ctx, "atomic_cas %s%s%s", m_dtype_name(type), semantics[s], is_scalar ? ", scalar" : "");
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(t, x, y, o):\n    i = %s\n    old = tl.atomic_cas(t + i, tl.load(x + i), tl.load(y + "
           "i)%s)\n"
           "    tl.store(o + i, old)\n",
           is_scalar ? "tl.program_id(0)" : "tl.arange(0, 64)", semantics[s]);
    m_array start = m_new_array(c, type, 64), *want, *x, *y, *old;
    m_fill_ints(c, &start, 0, 3);
    want = m_inout(c, "t", &start);
    x = m_in(c, "x", type, 64);
    y = m_in(c, "y", type, 64);
    old = m_out(c, "o", type, 64);
    m_fill_ints(c, x, 0, 3);
    m_fill_ints(c, y, 5, 9);
    for (int64_t i = 0; i < 64; i++) {
        m_set_bits(old, i, m_bits(want, i));
        if (m_bits(want, i) == m_bits(x, i))
            m_set_bits(want, i, m_bits(y, i));
    }
    c->grid[0] = is_scalar ? 64 : 1;
    m_end(ctx, c);
}

static void rejected(m_context *ctx, const char *call, m_dtype type, const char *error)
{
    m_case *c = m_begin(ctx, "%s on %s is rejected", call, m_dtype_name(type));
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(t, x):\n    i = tl.arange(0, 64)\n    v = tl.load(x + i)\n    %s\n", call);
    m_array start = m_new_array(c, type, 64);
    m_inout(c, "t", &start);
    m_in(c, "x", type, 64);
    c->error = error;
    m_end(ctx, c);
}

void m_group_atomics(m_context *ctx)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (const char *t = rows[r].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL) {
            m_dtype type = m_dtype_find(t);
            for (size_t s = 0; s < sizeof semantics / sizeof *semantics; s++)
                apart(ctx, r, type, s, s & 1, s == 2);
            together(ctx, r, type, 1);
            together(ctx, r, type, 32);
            scalar(ctx, r, type);
        }
    static const m_dtype types[] = {M_I16, M_U16, M_I32, M_U32, M_I64, M_U64, M_F16, M_BF16, M_F32, M_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < 7; s++)
            swap(ctx, types[t], s, s == 1);
    rejected(ctx, "tl.atomic_add(t + i, v)", M_I8, "TRI-3012");
    rejected(ctx, "tl.atomic_add(t + i, v)", M_I16, "TRI-3012");
    rejected(ctx, "tl.atomic_max(t + i, v)", M_F16, "TRI-3012");
    rejected(ctx, "tl.atomic_xchg(t + i, v)", M_F16, "TRI-3012");
    rejected(ctx, "tl.atomic_and(t + i, v)", M_F32, "TRI-3012");
    rejected(ctx, "tl.atomic_add(t + i, v, sem=\"weak\")", M_I32, "TRI-3021");
    rejected(ctx, "tl.atomic_add(t + i, v, scope=\"warp\")", M_I32, "TRI-3021");
    rejected(ctx, "tl.atomic_cas(t + i, v.to(tl.int64), v.to(tl.int64))", M_I32, "TRI-3012");
}
