/* Philox and what is made of it, bit for bit; and the published vectors. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

static void philox32(uint64_t seed, uint32_t *c, int rounds)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int i = 0; i < rounds; i++) {
        uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k1, (uint32_t)p};
        memcpy(c, next, sizeof next);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

static void philox64(uint64_t seed, uint64_t *c, int rounds)
{
    uint64_t k0 = seed, k1 = 0;
    for (int i = 0; i < rounds; i++) {
        unsigned __int128 p = (unsigned __int128)0xD2E7470EE14C6C93u * c[0],
                          q = (unsigned __int128)0xCA5A826395121157u * c[2];
        uint64_t next[4] = {(uint64_t)(q >> 64) ^ c[1] ^ k0, (uint64_t)q, (uint64_t)(p >> 64) ^ c[3] ^ k1, (uint64_t)p};
        memcpy(c, next, sizeof next);
        k0 += 0x9E3779B97F4A7C15u;
        k1 += 0xBB67AE8584CAA73Bu;
    }
}

/* rounded as fp32 does it at each step */
static float uniform32(uint32_t x)
{
    int32_t v = (int32_t)x;
    return (float)(v < 0 ? ~v : v) * 4.6566127342e-10f;
}

static float uniform64(uint64_t x)
{
    int64_t v = (int64_t)x;
    return (float)(v < 0 ? ~v : v) * 1.0842020432385337e-19f;
}

static void normal(float u1, float u2, m_real *out)
{
    if (u1 < 1.0e-7f)
        u1 = 1.0e-7f;
    m_real angle = 6.283185307179586L * u2, r = sqrtl(-2 * logl(u1));
    out[0] = r * cosl(angle);
    out[1] = r * sinl(angle);
}

typedef enum { RANDINT, RANDINT4X, RAND, RAND4X, RANDN, RANDN4X, PHILOX, PHILOX_IMPL } kind;

typedef struct {
    const char *name, *text; /* results in r0 .. r3 or r0 alone */
    kind kind;
    int results, rounds;
} row;

static const row rows[] = {
    {"randint", "    r0 = tl.randint(seed, i)\n", RANDINT, 1, 10},
    {"randint 7 rounds", "    r0 = tl.randint(seed, i, n_rounds=7)\n", RANDINT, 1, 7},
    {"randint4x", "    r0, r1, r2, r3 = tl.randint4x(seed, i)\n", RANDINT4X, 4, 10},
    {"rand", "    r0 = tl.rand(seed, i)\n", RAND, 1, 10},
    {"rand 5 rounds", "    r0 = tl.rand(seed, i, 5)\n", RAND, 1, 5},
    {"rand4x", "    r0, r1, r2, r3 = tl.rand4x(seed, i)\n", RAND4X, 4, 10},
    {"randn", "    r0 = tl.randn(seed, i)\n", RANDN, 1, 10},
    {"randn4x", "    r0, r1, r2, r3 = tl.randn4x(seed, i)\n", RANDN4X, 4, 10},
    {"philox", "    z = i * 0\n    r0, r1, r2, r3 = tl.philox(seed, i, z + 1, z + 2, z + 3)\n", PHILOX, 4, 10},
    {"uint_to_uniform_float", "    r0 = tl.uint_to_uniform_float(tl.randint(seed, i))\n", RAND, 1, 10},
    {"pair_uniform_to_normal", "    a, b, d, e = tl.rand4x(seed, i)\n    r0, r1 = tl.pair_uniform_to_normal(a, b)\n",
     RANDN4X, 2, 10},
};

static void results32(const row *r, uint64_t seed, uint64_t offset, bool is_wide, m_real *out)
{
    uint32_t c[4] = {(uint32_t)offset, is_wide ? (uint32_t)(offset >> 32) : 0, 0, 0};
    if (r->kind == PHILOX)
        c[1] = 1, c[2] = 2, c[3] = 3;
    philox32(seed, c, r->rounds);
    for (int i = 0; i < 4; i++)
        out[i] = r->kind == RAND || r->kind == RAND4X ? (m_real)uniform32(c[i]) : (m_real)c[i];
    if (r->kind == RANDN || r->kind == RANDN4X) {
        normal(uniform32(c[0]), uniform32(c[1]), out);
        normal(uniform32(c[2]), uniform32(c[3]), out + 2);
    }
}

static void one(m_context *ctx, const row *r, uint64_t seed, m_dtype seed_type, bool is_wide, int64_t n)
{
    m_case *c = m_begin(ctx, "%s, seed %llu %s, %s offsets, %d", r->name, (unsigned long long)seed,
                        m_dtype_name(seed_type), is_wide ? "i64" : "i32", (int)n);
    if (!c)
        return;
    bool is_int = r->kind == RANDINT || r->kind == RANDINT4X || r->kind == PHILOX;
    m_text(
        c,
        "@triton.jit\ndef k(o, seed, N: tl.constexpr):\n    j = tl.program_id(0) * N + tl.arange(0, N)\n    i = %s\n%s",
        is_wide ? "j.to(tl.int64) * 0x100000001" : "j", r->text);
    for (int k = 0; k < r->results; k++)
        m_text(c, "    tl.store(o + j + %d, r%d)\n", (int)(k * n * 2), k);
    m_text(c, "    tl.static_assert(r0.dtype == tl.%s)\n", is_int ? "uint32" : "float32");
    m_array *want = m_out(c, "o", is_int ? M_U32 : M_F32, n * 2 * r->results);
    for (int64_t i = 0; i < n * 2; i++) {
        m_real out[4];
        results32(r, seed, is_wide ? (uint64_t)i * 0x100000001u : (uint64_t)i, is_wide, out);
        for (int k = 0; k < r->results; k++)
            m_set(want, k * n * 2 + i, out[k]);
    }
    m_scalar(c, "seed", seed_type, "%llu", (unsigned long long)seed);
    m_constexpr(c, "N", n);
    c->grid[0] = 2;
    if (r->kind == RANDN || r->kind == RANDN4X)
        c->tolerance = (m_tolerance){.rtol = 2e-5, .atol = 2e-5};
    m_end(ctx, c);
}

static void wide(m_context *ctx, bool is_float)
{
    m_case *c = m_begin(ctx, "philox 64 bits%s", is_float ? " to floats" : "");
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(o, seed):\n    i = tl.arange(0, 64).to(tl.uint64)\n    z = i * 0\n"
              "    r0, r1, r2, r3 = tl.philox(seed, i, z, z, z)\n    j = tl.arange(0, 64)\n");
    for (int k = 0; k < 4; k++)
        m_text(c,
               is_float ? "    tl.store(o + j + %d, tl.uint_to_uniform_float(r%d))\n"
                        : "    tl.store(o + j + %d, r%d)\n",
               k * 64, k);
    m_array *want = m_out(c, "o", is_float ? M_F32 : M_U64, 256);
    for (int64_t i = 0; i < 64; i++) {
        uint64_t p[4] = {(uint64_t)i, 0, 0, 0};
        philox64(12345, p, 10);
        for (int k = 0; k < 4; k++)
            is_float ? m_set(want, k * 64 + i, (m_real)uniform64(p[k])) : m_set_int(want, k * 64 + i, (m_wide)p[k]);
    }
    m_scalar(c, "seed", M_I64, "12345");
    m_end(ctx, c);
}

/* The reference itself against the vectors that the authors of Philox published for a zero counter and key. */
static void published(m_context *ctx)
{
    m_case *c = m_begin(ctx, "published vector");
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(o, seed):\n    i = tl.arange(0, 1)\n    r0, r1, r2, r3 = tl.randint4x(seed, i)\n"
              "    tl.store(o + i, r0)\n    tl.store(o + i + 1, r1)\n    tl.store(o + i + 2, r2)\n    tl.store(o + i + "
              "3, r3)\n");
    static const uint32_t vector[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    m_array *want = m_out(c, "o", M_U32, 4);
    for (int i = 0; i < 4; i++)
        m_set_int(want, i, vector[i]);
    m_scalar(c, "seed", M_I32, "0");
    m_end(ctx, c);
}

void m_group_random(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        one(ctx, &rows[i], 0, M_I32, false, 128);
        one(ctx, &rows[i], 42, M_I32, false, 512);
        one(ctx, &rows[i], 0x123456789abcdefu, M_I64, false, 64);
        if (rows[i].kind != PHILOX)
            one(ctx, &rows[i], 7, M_I32, true, 128);
    }
    wide(ctx, false);
    wide(ctx, true);
    published(ctx);
}
