/* Whole kernels made of products: matmul, batched, grouped, attention and its backward pass. */
#include "tests/matrix/kernels.h"

#include <math.h>

typedef struct {
    int m, n, k, bm, bn, bk;
} size;

static m_real dot(const m_array *a, int64_t ai, int64_t as, const m_array *b, int64_t bi, int64_t bs, int64_t k)
{
    m_real total = 0;
    for (int64_t l = 0; l < k; l++)
        total += m_get(a, ai + l * as) * m_get(b, bi + l * bs);
    return total;
}

static void matmul(m_context *ctx, m_dtype in, m_dtype out, const char *acc, size s, bool a_transposed,
                   bool b_transposed)
{
    char name[96];
    snprintf(name, sizeof name, "%s to %s, %dx%dx%d%s%s", m_dtype_name(in), m_dtype_name(out), s.m, s.n, s.k,
             a_transposed ? ", a transposed" : "", b_transposed ? ", b transposed" : "");
    m_case *c = m_begin_kernel(ctx, "products.tri", "matmul", name);
    if (!c)
        return;
    m_array *a = m_in(c, "a_ptr", in, (int64_t)s.m * s.k), *b = m_in(c, "b_ptr", in, (int64_t)s.k * s.n);
    m_array *want = m_out(c, "c_ptr", out, (int64_t)s.m * s.n);
    m_fill_quarters(c, a);
    m_fill_quarters(c, b);
    int am = a_transposed ? 1 : s.k, ak = a_transposed ? s.m : 1, bk = b_transposed ? 1 : s.n,
        bn = b_transposed ? s.k : 1;
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++)
            m_set(want, (int64_t)i * s.n + j, dot(a, (int64_t)i * am, ak, b, (int64_t)j * bn, bk, s.k));
    m_number(c, "M", s.m);
    m_number(c, "N", s.n);
    m_number(c, "K", s.k);
    m_number(c, "stride_am", am);
    m_number(c, "stride_ak", ak);
    m_number(c, "stride_bk", bk);
    m_number(c, "stride_bn", bn);
    m_arg *arg = &c->args[c->num_args++];
    *arg = (m_arg){.role = M_CONSTEXPR, .name = "ACC", .text = acc};
    m_constexpr(c, "BM", s.bm);
    m_constexpr(c, "BN", s.bn);
    m_constexpr(c, "BK", s.bk);
    m_constexpr(c, "GROUP", 2);
    c->grid[0] = (uint32_t)((s.m + s.bm - 1) / s.bm * ((s.n + s.bn - 1) / s.bn));
    c->tolerance = (m_tolerance){.rtol = out == M_F16 && in == M_F16 ? 2e-3 : 0};
    c->least_arch = in == M_F8E4 ? 90 : 80;
    m_end(ctx, c);
}

static void batched(m_context *ctx, m_dtype type, int batches, size s)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %d of %dx%dx%d", m_dtype_name(type), batches, s.m, s.n, s.k);
    m_case *c = m_begin_kernel(ctx, "products.tri", "batched", name);
    if (!c)
        return;
    m_array *a = m_in(c, "a_ptr", type, (int64_t)batches * s.m * s.k),
            *b = m_in(c, "b_ptr", type, (int64_t)batches * s.k * s.n);
    m_array *want = m_out(c, "c_ptr", M_F32, (int64_t)batches * s.m * s.n);
    m_fill_quarters(c, a);
    m_fill_quarters(c, b);
    for (int64_t p = 0; p < batches; p++)
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t j = 0; j < s.n; j++)
                m_set(want, (p * s.m + i) * s.n + j, dot(a, (p * s.m + i) * s.k, 1, b, p * s.k * s.n + j, s.n, s.k));
    m_number(c, "M", s.m);
    m_number(c, "N", s.n);
    m_number(c, "K", s.k);
    m_constexpr(c, "BM", s.bm);
    m_constexpr(c, "BN", s.bn);
    m_constexpr(c, "BK", s.bk);
    c->grid[0] = (uint32_t)((s.m + s.bm - 1) / s.bm);
    c->grid[1] = (uint32_t)((s.n + s.bn - 1) / s.bn);
    c->grid[2] = (uint32_t)batches;
    m_end(ctx, c);
}

static void grouped(m_context *ctx, m_dtype type)
{
    m_case *c = m_begin_kernel(ctx, "products.tri", "grouped", m_dtype_name(type));
    if (!c)
        return;
    enum { groups = 4, rows = 61, k = 40, n = 50 };
    static const int sizes[groups] = {17, 0, 32, 12};
    m_array *a = m_in(c, "a_ptr", type, rows * k), *b = m_in(c, "b_ptr", type, groups * k * n),
            *want = m_out(c, "c_ptr", M_F32, rows * n);
    m_array *counts = m_in(c, "sizes_ptr", M_I32, groups);
    m_fill_quarters(c, a);
    m_fill_quarters(c, b);
    for (int64_t g = 0, row = 0; g < groups; g++) {
        m_set_int(counts, g, sizes[g]);
        for (int64_t i = 0; i < sizes[g]; i++, row++)
            for (int64_t j = 0; j < n; j++)
                m_set(want, row * n + j, dot(a, row * k, 1, b, g * k * n + j, n, k));
    }
    m_number(c, "groups", groups);
    m_number(c, "K", k);
    m_number(c, "N", n);
    m_constexpr(c, "BM", 16);
    m_constexpr(c, "BN", 32);
    m_constexpr(c, "BK", 32);
    c->grid[0] = 3;
    m_end(ctx, c);
}

enum { heads = 2 };

/* p = softmax(q k^T scale), row by row of one head; lse is the logarithm of the sum. */
static void probabilities(const m_array *q, const m_array *k, int64_t base, int length, int d, double scale,
                          bool causal, m_real *p, m_real *lse)
{
    for (int i = 0; i < length; i++) {
        m_real total = 0;
        for (int j = 0; j < length; j++) {
            m_real s = dot(q, base + (int64_t)i * d, 1, k, base + (int64_t)j * d, 1, d) * (m_real)scale;
            p[i * length + j] = causal && j > i ? 0 : expl(s);
            total += p[i * length + j];
        }
        for (int j = 0; j < length; j++)
            p[i * length + j] /= total;
        lse[i] = logl(total);
    }
}

static void attention(m_context *ctx, m_dtype type, int length, int d, bool causal, int bm, int bn)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d%s", m_dtype_name(type), length, d, causal ? ", causal" : "");
    m_case *c = m_begin_kernel(ctx, "products.tri", "attention", name);
    if (!c)
        return;
    int64_t n = (int64_t)heads * length * d;
    m_array *q = m_in(c, "q_ptr", type, n), *k = m_in(c, "k_ptr", type, n), *v = m_in(c, "v_ptr", type, n);
    m_array *o = m_out(c, "o_ptr", M_F32, n), *lse = m_out(c, "lse_ptr", M_F32, (int64_t)heads * length);
    m_fill_uniform(c, q, -1, 1);
    m_fill_uniform(c, k, -1, 1);
    m_fill_uniform(c, v, -1, 1);
    m_real *p = m_alloc(c, sizeof *p * (size_t)length * (size_t)length),
           *sums = m_alloc(c, sizeof *sums * (size_t)length);
    for (int64_t h = 0; h < heads; h++) {
        int64_t base = h * length * d;
        probabilities(q, k, base, length, d, 0.25, causal, p, sums);
        for (int i = 0; i < length; i++) {
            m_set(lse, h * length + i, sums[i]);
            for (int e = 0; e < d; e++) {
                m_real total = 0;
                for (int j = 0; j < length; j++)
                    total += p[i * length + j] * m_get(v, base + (int64_t)j * d + e);
                m_set(o, base + (int64_t)i * d + e, total);
            }
        }
    }
    m_scalar(c, "scale", M_F32, "0.25");
    m_number(c, "L", length);
    m_constexpr(c, "CAUSAL", causal);
    m_constexpr(c, "BM", bm);
    m_constexpr(c, "BN", bn);
    m_constexpr(c, "D", d);
    c->grid[0] = (uint32_t)((length + bm - 1) / bm);
    c->grid[1] = heads;
    double e = type == M_BF16 ? 1e-2 : 3e-3; /* fp32 goes through tf32 */
    c->tolerance = (m_tolerance){.rtol = e, .atol = e};
    m_end(ctx, c);
}

/* Reference gradients of one head. */
static void gradients(m_array *const *in, int64_t base, int length, int d, const m_real *p, const m_real *delta,
                      m_array *dq, m_array *dk, m_array *dv)
{
    const m_array *q = in[0], *k = in[1], *v = in[2], *d_o = in[3];
    for (int i = 0; i < length; i++)
        for (int e = 0; e < d; e++) {
            m_real sq = 0, sk = 0, sv = 0;
            for (int j = 0; j < length; j++) {
                m_real forward =
                    p[i * length + j] * (dot(d_o, base + (int64_t)i * d, 1, v, base + (int64_t)j * d, 1, d) - delta[i]);
                m_real backward =
                    p[j * length + i] * (dot(d_o, base + (int64_t)j * d, 1, v, base + (int64_t)i * d, 1, d) - delta[j]);
                sq += forward * m_get(k, base + (int64_t)j * d + e);
                sk += backward * m_get(q, base + (int64_t)j * d + e);
                sv += p[j * length + i] * m_get(d_o, base + (int64_t)j * d + e);
            }
            m_set(dq, base + (int64_t)i * d + e, sq * 0.25L);
            m_set(dk, base + (int64_t)i * d + e, sk * 0.25L);
            m_set(dv, base + (int64_t)i * d + e, sv);
        }
}

static void attention_backward(m_context *ctx, m_dtype type, int length, int d, bool causal, int bm, int bn)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d%s", m_dtype_name(type), length, d, causal ? ", causal" : "");
    m_case *c = m_begin_kernel(ctx, "products.tri", "attention_backward", name);
    if (!c)
        return;
    static const char *const names[] = {"q_ptr", "k_ptr", "v_ptr", "do_ptr"};
    int64_t n = (int64_t)heads * length * d;
    m_array *in[4];
    for (int i = 0; i < 4; i++) {
        in[i] = m_in(c, names[i], type, n);
        m_fill_uniform(c, in[i], -1, 1);
    }
    m_array *lse = m_in(c, "lse_ptr", M_F32, (int64_t)heads * length),
            *delta = m_in(c, "delta_ptr", M_F32, (int64_t)heads * length);
    m_array zero = m_new_array(c, M_F32, n), *dq = m_inout(c, "dq_ptr", &zero), *dk = m_out(c, "dk_ptr", M_F32, n),
            *dv = m_out(c, "dv_ptr", M_F32, n);
    m_real *p = m_alloc(c, sizeof *p * (size_t)length * (size_t)length),
           *sums = m_alloc(c, sizeof *sums * (size_t)length);
    for (int64_t h = 0; h < heads; h++) {
        int64_t base = h * length * d;
        probabilities(in[0], in[1], base, length, d, 0.25, causal, p, sums);
        for (int i = 0; i < length; i++) {
            m_real total = 0; /* do . o */
            m_set(lse, h * length + i, sums[i]);
            for (int j = 0; j < length; j++)
                total += p[i * length + j] * dot(in[3], base + (int64_t)i * d, 1, in[2], base + (int64_t)j * d, 1, d);
            sums[i] = total;
            m_set(delta, h * length + i, total);
        }
        gradients(in, base, length, d, p, sums, dq, dk, dv);
    }
    m_scalar(c, "scale", M_F32, "0.25");
    m_number(c, "L", length);
    m_constexpr(c, "CAUSAL", causal);
    m_constexpr(c, "BM", bm);
    m_constexpr(c, "BN", bn);
    m_constexpr(c, "D", d);
    c->grid[0] = (uint32_t)((length + bn - 1) / bn);
    c->grid[1] = heads;
    double e = type == M_BF16 ? 2e-2 : 5e-3;
    c->tolerance = (m_tolerance){.rtol = e, .atol = e};
    m_end(ctx, c);
}

void m_kernels_products(m_context *ctx)
{
    static const struct {
        m_dtype in, out;
        const char *acc;
    } kinds[] = {{M_F16, M_F32, "tl.float32"},  {M_F16, M_F16, "tl.float16"}, {M_BF16, M_F32, "tl.float32"},
                 {M_F32, M_F32, "tl.float32"},  {M_F64, M_F64, "tl.float64"}, {M_I8, M_I32, "tl.int32"},
                 {M_F8E5, M_F32, "tl.float32"}, {M_F8E4, M_F32, "tl.float32"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        matmul(ctx, kinds[i].in, kinds[i].out, kinds[i].acc, (size){64, 64, 64, 32, 32, 32}, false, false);
        matmul(ctx, kinds[i].in, kinds[i].out, kinds[i].acc, (size){47, 53, 71, 32, 32, 32}, false, false);
        matmul(ctx, kinds[i].in, kinds[i].out, kinds[i].acc, (size){33, 40, 64, 32, 64, 32}, true, false);
        matmul(ctx, kinds[i].in, kinds[i].out, kinds[i].acc, (size){40, 70, 50, 64, 32, 32}, false, true);
        matmul(ctx, kinds[i].in, kinds[i].out, kinds[i].acc, (size){50, 30, 90, 32, 32, 64}, true, true);
    }
    batched(ctx, M_F16, 3, (size){40, 50, 70, 32, 32, 32});
    batched(ctx, M_F32, 2, (size){32, 33, 40, 32, 32, 32});
    grouped(ctx, M_F16);
    grouped(ctx, M_F32);
    static const m_dtype types[] = {M_F32, M_F16, M_BF16};
    for (int t = 0; t < 3; t++) {
        attention(ctx, types[t], 64, 16, false, 32, 32);
        attention(ctx, types[t], 70, 32, true, 32, 16);
        attention(ctx, types[t], 100, 64, true, 64, 32);
        attention_backward(ctx, types[t], 64, 16, false, 32, 32);
        attention_backward(ctx, types[t], 50, 32, true, 32, 32);
    }
}
