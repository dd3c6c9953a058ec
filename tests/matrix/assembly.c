/* Inline PTX, on the simulator and on GPUs; the host has none. Elementwise texts against their meaning in C, and
 * kernels in which the text does more than that. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *name, *expression;
    int inputs;
    const char *types, *result;
    uint64_t (*reference)(const uint64_t *x);
    double ulps;      /* of approximate instructions */
    double low, high; /* range of the inputs; both 0: any bits */
} row;

#define ASM(text, constraints, args, type, pack)                                                                       \
    "tl.inline_asm_elementwise(\"\"\"" text "\"\"\", \"" constraints "\", [" args "], tl." type ", True, " #pack ")"

static uint64_t r_shift(const uint64_t *x) { return (uint32_t)(x[0] << 3); }
static uint64_t r_funnel(const uint64_t *x) { return (uint32_t)(x[1] << 17 | x[0] >> 15); }
static uint64_t r_bytes(const uint64_t *x) { return (x[0] & 0x1f) << 3; }
static uint64_t r_neg(const uint64_t *x) { return x[0] ^ 0x80000000u; }
static uint64_t f32(m_real value) { return m_encode(M_F32, value, M_NEAREST); }
static m_real real(uint64_t bits) { return m_decode(M_F32, bits); }
static uint64_t r_add(const uint64_t *x) { return f32((m_real)(float)((float)real(x[0]) + (float)real(x[1]))); }
static uint64_t r_div(const uint64_t *x) { return f32((m_real)((float)real(x[0]) / (float)real(x[1]))); }
static uint64_t r_tanh(const uint64_t *x) { return f32(tanhl(real(x[0]))); }
static uint64_t r_ex2(const uint64_t *x) { return f32(exp2l(real(x[0]))); }
static uint64_t r_softplus(const uint64_t *x) { return real(x[0]) > 15 ? x[0] : f32(log2l(exp2l(real(x[0])) + 1)); }
static uint64_t r_bf16(const uint64_t *x) { return m_encode(M_BF16, real(x[0]), M_NEAREST); }

static uint64_t r_min_sign(const uint64_t *x)
{
    m_real a = real(x[0]), b = real(x[1]);
    if (isnan(a) || isnan(b))
        return 0x7fffffff;
    return f32(copysignl(fminl(fabsl(a), fabsl(b)), (x[0] ^ x[1]) >> 31 ? -1 : 1));
}

static uint64_t r_popc(const uint64_t *x)
{
    uint64_t n = 0;
    for (int i = 0; i < 32; i++)
        n += x[0] >> i & 1;
    return n;
}

static uint64_t r_to_int(const uint64_t *x)
{
    m_real a = real(x[0]);
    return isnan(a) ? 0 : (uint32_t)(int32_t)fmaxl(fminl(rintl(a), 127), -128);
}

static uint64_t r_e4b15(const uint64_t *x)
{
    uint64_t magnitude = x[0] & 0x7fff, top = 0x3f00;
    magnitude = magnitude > top ? top : magnitude; /* NaN too: min gives the number */
    return ((magnitude * 2 + 0x80) >> 8 & 0x7f) << 7 | (x[0] & 0x8000);
}

static const row rows[] = {
    {"shift", ASM("shl.b32 $0, $1, 3;", "=r,r", "a", "int32", 1), 1, "i32", "i32", r_shift, 0, 0, 0},
    {"funnel shift",
     ASM("{ .reg .u32 n; mov.u32 n, 17; shf.l.wrap.b32 $0, $1, $2, n; }", "=r,r, r", "a, b", "uint32", 1), 2, "u32",
     "u32", r_funnel, 0, 0, 0},
    {"packed bytes", ASM("and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;", "=r,r", "a", "uint8", 4), 1, "u8", "u8",
     r_bytes, 0, 0, 0},
    {"negation", ASM("neg.f32 $0, $1;", "=f, f", "a", "float32", 1), 1, "f32", "f32", r_neg, 0, -9, 9},
    {"addition", ASM("add.rn.f32 $0, $1, $2;", "=f,f,f", "a, b", "float32", 1), 2, "f32", "f32", r_add, 0, 0, 0},
    {"division", ASM("div.rn.f32 $0, $1, $2;", "=r,r,r", "a, b", "float32", 1), 2, "f32", "f32", r_div, 0, 0, 0},
    {"tanh", ASM("tanh.approx.f32 $0, $1;", "=f,f", "a", "float32", 1), 1, "f32", "f32", r_tanh, 16384, -9, 9},
    {"ex2", ASM("ex2.approx.ftz.f32 $0, $1;", "=r, r", "a", "float32", 1), 1, "f32", "f32", r_ex2, 2, -20, 20},
    {"predicates",
     ASM("{ .reg .pred p; setp.gt.f32 p, $1, 15.; @p mov.f32 $0, $1; @!p ex2.approx.ftz.f32 $0, $1;\\n"
         "@!p add.f32 $0, $0, 1.0; // 2^x + 1\\n @!p lg2.approx.ftz.f32 $0, $0; }",
         "=r,r", "a", "float32", 1),
     1, "f32", "f32", r_softplus, 64, 0.5, 30},
    {"sign of both", ASM("{ min.NaN.xorsign.abs.f32 $0, $1, $2; }", "=r,r,r", "a, b", "float32", 1), 2, "f32", "f32",
     r_min_sign, 0, 0, 0},
    {"bits", ASM("popc.b32 $0, $1;", "=r,r", "a", "int32", 1), 1, "i32", "i32", r_popc, 0, 0, 0},
    {"saturation", ASM("cvt.rni.sat.s8.f32 $0, $1;", "=r,f", "a", "int32", 1), 1, "f32", "i32", r_to_int, 0, 0, 0},
    {"pairs", ASM("cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", "a", "bfloat16", 2), 1, "f32", "bf16", r_bf16, 0, -9, 9},
    {"fp8e4b15", "a.to(tl.float8e4b15).to(tl.float16)", 1, "f16", "f16", r_e4b15, 0, -1.5, 1.5},
};

static void one(m_context *ctx, const row *r, int shape)
{
    m_dtype type = m_dtype_find(r->types), types[2] = {type, type};
    m_elementwise e =
        m_begin_elementwise(ctx, r->name, shape, r->inputs, types, m_dtype_find(r->result), "", r->expression);
    if (!e.c)
        return;
    for (int i = 0; i < r->inputs; i++) {
        if (r->low != 0 || r->high != 0)
            m_fill_uniform(e.c, e.in[i], r->low, r->high);
        else
            m_fill_special(e.c, e.in[i]);
    }
    if (r->inputs > 1)
        m_fill_special_pair(e.c, e.in[0], e.in[1]);
    for (int64_t i = 0; i < e.n; i++) {
        uint64_t x[2] = {0};
        for (int k = 0; k < r->inputs; k++)
            x[k] = m_bits(e.in[k], i);
        m_set_bits(e.want, i, r->reference(x));
    }
    e.c->tolerance.ulps = r->ulps;
    e.c->least_arch = !strcmp(r->name, "sign of both") ? 90 : 80;
    if (strcmp(r->name, "fp8e4b15") != 0) { /* which has a form without assembly */
        e.c->error = "TRI-6002";
        e.c->error_targets = M_ON_HOST;
    }
    m_end(ctx, e.c);
}

/* --- more than values ---------------------------------------------------------------------- */

enum { count = 256 };

static m_case *begin(m_context *ctx, const char *name, const char *body)
{
    m_case *c = m_begin(ctx, "%s", name);
    if (!c)
        return NULL;
    m_text(c, "@triton.jit\ndef k(x, o):\n    i = tl.arange(0, %d)\n%s", count, body);
    c->error = "TRI-6002";
    c->error_targets = M_ON_HOST;
    return c;
}

static void two_results(m_context *ctx)
{
    m_case *c = begin(ctx, "two results",
                      "    a = tl.load(x + i)\n    s, d = tl.inline_asm_elementwise(asm=\"\"\"\n        add.u32 $0, "
                      "$2, $3;  // the sum\n"
                      "        sub.u32 $1, $3, $2;  /* b - a */\n    \"\"\", constraints=(\"=r,=r,\" \"r,r\"), "
                      "args=[a, i], dtype=(tl.uint32, tl.uint32),\n"
                      "        is_pure=True, pack=1)\n    tl.store(o + i, s * d)\n");
    if (!c)
        return;
    m_array *x = m_in(c, "x", M_U32, count), *want = m_out(c, "o", M_U32, count);
    m_fill_special(c, x);
    for (int64_t i = 0; i < count; i++)
        m_set_bits(want, i, (uint32_t)((m_bits(x, i) + (uint64_t)i) * ((uint64_t)i - m_bits(x, i))));
    m_end(ctx, c);
}

static void memory(m_context *ctx)
{
    m_case *c = begin(ctx, "loads and stores",
                      "    tl.inline_asm_elementwise(\"ld.global.b8 $0, [$1]; shl.b32 $0, $0, 3; st.global.b8 [$2], "
                      "$0;\", \"=r,l,l\", [x + i, o + i],\n"
                      "                              dtype=tl.int8, is_pure=False, pack=1)\n");
    if (!c)
        return;
    m_array *x = m_in(c, "x", M_U8, count), *want = m_out(c, "o", M_U8, count);
    m_fill_special(c, x);
    for (int64_t i = 0; i < count; i++)
        m_set_bits(want, i, m_bits(x, i) << 3 & 255);
    m_end(ctx, c);
}

/* A loop: Collatz steps until 1. */
static void loop(m_context *ctx)
{
    m_case *c =
        begin(ctx, "a loop",
              "    a = tl.load(x + i)\n    n = tl.inline_asm_elementwise(\"\"\"{\n        .reg .pred %p<2>;\n        "
              ".reg .u32 v, half, odd;\n"
              "        mov.u32 v, $1;\n        mov.u32 $0, 0;\n    again:\n        setp.le.u32 %p0, v, 1;\n        "
              "@%p0 bra done;\n"
              "        shr.u32 half, v, 1;\n        and.b32 odd, v, 1;\n        setp.eq.u32 %p1, odd, 0;\n"
              "        @%p1 mov.u32 v, half;\n        @!%p1 mad.lo.u32 v, v, 3, 1;\n        add.u32 $0, $0, 1;\n       "
              " bra.uni again;\n"
              "    done:\n    }\"\"\", \"=r,r\", [a], dtype=tl.int32, is_pure=True, pack=1)\n    tl.store(o + i, n)\n");
    if (!c)
        return;

    m_array *x = m_in(c, "x", M_I32, count), *want = m_out(c, "o", M_I32, count);
    m_fill_ints(c, x, 1, 100);
    for (int64_t i = 0; i < count; i++) {
        int64_t steps = 0;
        for (uint64_t v = m_bits(x, i); v > 1; steps++)
            v = v & 1 ? 3 * v + 1 : v / 2;
        m_set_int(want, i, steps);
    }
    m_end(ctx, c);
}

void m_group_assembly(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int shape = 0; shape < 3; shape++)
            one(ctx, &rows[i], shape);
    two_results(ctx);
    memory(ctx);
    loop(ctx);
}
