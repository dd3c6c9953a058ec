/* Whole kernels over rows, from kernels/rows.tri, as users write them. kernels_products.c has the others. */
#include "tests/matrix/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The file's functions; the one that runs is renamed to k. */
m_case *m_begin_kernel(m_context *ctx, const char *file, const char *function, const char *name)
{
    m_case *c = m_begin(ctx, "%s %s", function, name);
    if (!c)
        return NULL;
    const char *root = getenv("SRCDIR");
    FILE *f = fopen(m_format(c, "%s/tests/matrix/kernels/%s", root ? root : "..", file), "r");
    if (!f) {
        fprintf(stderr, "matrix: SRCDIR must name the source tree\n");
        exit(2);
    }
    char line[256];
    size_t length = strlen(function);
    while (fgets(line, sizeof line, f)) {
        bool is_head = !strncmp(line, "def ", 4) && !strncmp(line + 4, function, length) && line[4 + length] == '(';
        m_text(c, is_head ? "def k%s" : "%s", is_head ? line + 4 + length : line);
    }
    fclose(f);
    c->is_on_both = !strcmp(file, "products.tri");
    return c;
}

void m_number(m_case *c, const char *name, int64_t value)
{
    m_scalar(c, name, M_I32, "%lld", (long long)value);
}

double m_epsilon(m_dtype type)
{
    return type == M_F64 ? 1e-12 : type == M_F32 ? 2e-6 : type == M_F16 ? 2e-3 : 1.6e-2;
}

static int64_t block_for(int64_t n)
{
    int64_t block = 16;
    while (block < n)
        block *= 2;
    return block;
}

static void softmax(m_context *ctx, m_dtype type, int64_t rows, int64_t columns)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d", m_dtype_name(type), (int)rows, (int)columns);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "softmax", name);
    if (!c)
        return;
    m_array *y = m_out(c, "y_ptr", type, rows * columns), *x = m_in(c, "x_ptr", type, rows * columns);
    m_fill_uniform(c, x, -6, 6);
    for (int64_t i = 0; i < rows; i++) {
        m_real total = 0;
        for (int64_t j = 0; j < columns; j++)
            total += expl(m_get(x, i * columns + j));
        for (int64_t j = 0; j < columns; j++)
            m_set(y, i * columns + j, expl(m_get(x, i * columns + j)) / total);
    }
    m_number(c, "stride", columns);
    m_number(c, "n_rows", rows);
    m_number(c, "n_cols", columns);
    m_constexpr(c, "BLOCK", block_for(columns));
    c->grid[0] = 3;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type) * 5, .atol = 1e-7, .ulps = 1};
    m_end(ctx, c);
}

static void layer_norm(m_context *ctx, m_dtype type, int64_t rows, int64_t columns, int64_t block)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d by %d", m_dtype_name(type), (int)rows, (int)columns, (int)block);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "layer_norm", name);
    if (!c)
        return;
    m_array *x = m_in(c, "x_ptr", type, rows * columns), *w = m_in(c, "w_ptr", type, columns),
            *b = m_in(c, "b_ptr", type, columns);
    m_array *y = m_out(c, "y_ptr", type, rows * columns), *mean = m_out(c, "mean_ptr", M_F32, rows),
            *rstd = m_out(c, "rstd_ptr", M_F32, rows);
    m_fill_uniform(c, x, -2, 3);
    m_fill_uniform(c, w, 0.5, 1.5);
    m_fill_uniform(c, b, -1, 1);
    for (int64_t i = 0; i < rows; i++) {
        m_real s = 0, q = 0;
        for (int64_t j = 0; j < columns; j++)
            s += m_get(x, i * columns + j) / columns;
        for (int64_t j = 0; j < columns; j++)
            q += (m_get(x, i * columns + j) - s) * (m_get(x, i * columns + j) - s) / columns;
        m_real r = 1 / sqrtl(q + 1e-5L);
        m_set(mean, i, s);
        m_set(rstd, i, r);
        for (int64_t j = 0; j < columns; j++)
            m_set(y, i * columns + j, (m_get(x, i * columns + j) - s) * r * m_get(w, j) + m_get(b, j));
    }
    m_number(c, "n_cols", columns);
    m_scalar(c, "eps", M_F32, "1e-5");
    m_constexpr(c, "BLOCK", block);
    c->grid[0] = (uint32_t)rows;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type) * 3, .atol = m_epsilon(type) * 3};
    m_end(ctx, c);
}

static void layer_norm_backward(m_context *ctx, m_dtype type, int64_t rows, int64_t columns)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d", m_dtype_name(type), (int)rows, (int)columns);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "layer_norm_backward", name);
    if (!c)
        return;
    m_array *dy = m_in(c, "dy_ptr", type, rows * columns), *x = m_in(c, "x_ptr", type, rows * columns),
            *w = m_in(c, "w_ptr", type, columns);
    m_array *mean = m_in(c, "mean_ptr", M_F32, rows), *rstd = m_in(c, "rstd_ptr", M_F32, rows);
    m_array *dx = m_out(c, "dx_ptr", type, rows * columns), zero = m_new_array(c, M_F32, columns);
    m_array *dw = m_inout(c, "dw_ptr", &zero), *db = m_inout(c, "db_ptr", &zero);
    m_fill_uniform(c, dy, -1, 1);
    m_fill_uniform(c, x, -1, 1);
    m_fill_uniform(c, w, 0.5, 1.5);
    m_fill_uniform(c, mean, -0.1, 0.1);
    m_fill_uniform(c, rstd, 0.8, 1.2);
    m_real *sums = m_alloc(c, sizeof *sums * (size_t)columns * 2);
    for (int64_t i = 0; i < rows; i++) {
        m_real c1 = 0, c2 = 0, r = m_get(rstd, i);
        for (int64_t j = 0; j < columns; j++) {
            m_real xhat = (m_get(x, i * columns + j) - m_get(mean, i)) * r, g = m_get(dy, i * columns + j);
            c1 += xhat * g * m_get(w, j) / columns;
            c2 += g * m_get(w, j) / columns;
            sums[j] += g * xhat;
            sums[columns + j] += g;
        }
        for (int64_t j = 0; j < columns; j++) {
            m_real xhat = (m_get(x, i * columns + j) - m_get(mean, i)) * r;
            m_set(dx, i * columns + j, (m_get(dy, i * columns + j) * m_get(w, j) - (xhat * c1 + c2)) * r);
        }
    }
    for (int64_t j = 0; j < columns; j++) {
        m_set(dw, j, sums[j]);
        m_set(db, j, sums[columns + j]);
    }
    m_number(c, "n_cols", columns);
    m_constexpr(c, "BLOCK", block_for(columns));
    c->grid[0] = (uint32_t)rows;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type) * 3, .atol = m_epsilon(type) * 3};
    m_end(ctx, c);
}

static void rms_norm(m_context *ctx, m_dtype type, int64_t rows, int64_t columns)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d", m_dtype_name(type), (int)rows, (int)columns);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "rms_norm", name);
    if (!c)
        return;
    m_array *y = m_out(c, "y_ptr", type, rows * columns), *x = m_in(c, "x_ptr", type, rows * columns),
            *w = m_in(c, "w_ptr", type, columns);
    m_fill_uniform(c, x, -2, 2);
    m_fill_uniform(c, w, 0.5, 1.5);
    for (int64_t i = 0; i < rows; i++) {
        m_real q = 0;
        for (int64_t j = 0; j < columns; j++)
            q += m_get(x, i * columns + j) * m_get(x, i * columns + j) / columns;
        for (int64_t j = 0; j < columns; j++)
            m_set(y, i * columns + j, m_get(x, i * columns + j) / sqrtl(q + 1e-6L) * m_get(w, j));
    }
    m_number(c, "n_cols", columns);
    m_scalar(c, "eps", M_F32, "1e-6");
    m_constexpr(c, "BLOCK", block_for(columns));
    c->grid[0] = (uint32_t)rows;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type) * 2, .atol = 1e-6, .ulps = 1};
    m_end(ctx, c);
}

static void cross_entropy(m_context *ctx, m_dtype type, int64_t rows, int64_t columns, double smoothing)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %dx%d, smoothing %g", m_dtype_name(type), (int)rows, (int)columns, smoothing);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "cross_entropy", name);
    if (!c)
        return;
    m_array *x = m_in(c, "x_ptr", type, rows * columns), *label = m_in(c, "label_ptr", M_I64, rows);
    m_array *loss = m_out(c, "loss_ptr", M_F32, rows), *dx = m_out(c, "dx_ptr", type, rows * columns);
    m_fill_uniform(c, x, -4, 4);
    m_fill_ints(c, label, 0, columns);
    m_set_int(label, 1, -100);
    for (int64_t i = 0; i < rows; i++) {
        m_real total = 0, sum = 0, at = (m_real)m_get(label, i);
        for (int64_t j = 0; j < columns; j++) {
            total += expl(m_get(x, i * columns + j));
            sum += m_get(x, i * columns + j);
        }
        m_real picked = at < 0 ? 0 : m_get(x, i * columns + (int64_t)at), log_sum = logl(total);
        m_set(loss, i, at < 0 ? 0 : (1 - smoothing) * (log_sum - picked) + smoothing * (log_sum - sum / columns));
        for (int64_t j = 0; j < columns; j++)
            m_set(dx, i * columns + j,
                  at < 0 ? 0
                         : expl(m_get(x, i * columns + j)) / total - smoothing / columns -
                               (j == (int64_t)at ? 1 - smoothing : 0));
    }
    m_number(c, "n_cols", columns);
    m_number(c, "ignore", -100);
    m_scalar(c, "smoothing", M_F32, "%g", smoothing);
    m_constexpr(c, "BLOCK", 64);
    c->grid[0] = (uint32_t)rows;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type) * 4, .atol = 2e-6, .ulps = 1};
    m_end(ctx, c);
}

static void rope(m_context *ctx, m_dtype type, bool is_inverse)
{
    m_case *c = m_begin_kernel(ctx, "rows.tri", "rope", m_dtype_name(type));
    if (!c)
        return;
    enum { positions = 5, heads = 3, dim = 48, half = dim / 2 };
    m_array q = m_new_array(c, type, positions * heads * dim);
    m_fill_uniform(c, &q, -1, 1);
    m_array *want = m_inout(c, "q_ptr", &q), *cos = m_in(c, "cos_ptr", M_F32, positions * half),
            *sin = m_in(c, "sin_ptr", M_F32, positions * half);
    for (int64_t i = 0; i < positions * half; i++) {
        m_set(cos, i, cosl((m_real)i / 7));
        m_set(sin, i, sinl((m_real)i / 7));
    }
    for (int64_t p = 0; p < positions; p++)
        for (int64_t h = 0; h < heads; h++)
            for (int64_t j = 0; j < half; j++) {
                int64_t at = (p * heads + h) * dim + j;
                m_real a = m_get(&q, at), b = m_get(&q, at + half), x = m_get(cos, p * half + j),
                       y = m_get(sin, p * half + j) * (is_inverse ? -1 : 1);
                m_set(want, at, a * x - b * y);
                m_set(want, at + half, b * x + a * y);
            }
    m_number(c, "heads", heads);
    m_number(c, "head_dim", dim);
    m_constexpr(c, "HEADS", 4);
    m_constexpr(c, "HALF", 32);
    m_constexpr(c, "INVERSE", is_inverse);
    c->grid[0] = positions;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type), .atol = 3e-7, .ulps = 1};
    m_end(ctx, c);
}

static uint32_t philox_first(uint32_t seed, uint32_t counter)
{
    uint32_t v[4] = {counter, 0, 0, 0}, k0 = seed, k1 = 0;
    for (int i = 0; i < 10; i++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t p = (uint64_t)0xD2511F53u * v[0], q = (uint64_t)0xCD9E8D57u * v[2];
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ v[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ v[3] ^ k1, (uint32_t)p};
        memcpy(v, next, sizeof next);
    }
    return v[0];
}

static void dropout(m_context *ctx, m_dtype type, double p)
{
    char name[64];
    snprintf(name, sizeof name, "%s, p %g", m_dtype_name(type), p);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "dropout", name);
    if (!c)
        return;
    enum { n = 1000 };
    m_array *x = m_in(c, "x_ptr", type, n), *y = m_out(c, "y_ptr", type, n);
    m_fill_uniform(c, x, -1, 1);
    for (int64_t i = 0; i < n; i++) {
        int32_t bits = (int32_t)philox_first(123, (uint32_t)i);
        float u = (float)(bits < 0 ? ~bits : bits) * 4.6566127342e-10f;
        m_set(y, i, u > (float)p ? m_get(x, i) / (1 - (m_real)(float)p) : 0);
    }
    m_number(c, "n", n);
    m_scalar(c, "p", M_F32, "%g", p);
    m_number(c, "seed", 123);
    m_constexpr(c, "BLOCK", 256);
    c->grid[0] = 4;
    c->tolerance = (m_tolerance){.rtol = m_epsilon(type), .ulps = 2};
    m_end(ctx, c);
}

static void count(m_context *ctx, int64_t n, int64_t bins)
{
    char name[64];
    snprintf(name, sizeof name, "%d to %d", (int)n, (int)bins);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "count", name);
    if (!c)
        return;
    m_array *x = m_in(c, "x_ptr", M_I32, n), zero = m_new_array(c, M_I32, bins), *want = m_inout(c, "bins_ptr", &zero);
    m_fill_ints(c, x, 0, bins);
    for (int64_t i = 0; i < n; i++)
        m_set_int(want, (int64_t)m_get_int(x, i), m_get_int(want, (int64_t)m_get_int(x, i)) + 1);
    m_number(c, "n", n);
    m_constexpr(c, "BINS", bins);
    m_constexpr(c, "BLOCK", 256);
    c->grid[0] = (uint32_t)((n + 255) / 256);
    m_end(ctx, c);
}

static void prefix(m_context *ctx, m_dtype type, int64_t columns)
{
    char name[64];
    snprintf(name, sizeof name, "%s, 3x%d", m_dtype_name(type), (int)columns);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "prefix", name);
    if (!c)
        return;
    m_array *x = m_in(c, "x_ptr", type, 3 * columns), *y = m_out(c, "y_ptr", M_F32, 3 * columns);
    m_fill_quarters(c, x);
    for (int64_t i = 0; i < 3 * columns; i++)
        m_set(y, i, (i % columns ? m_get(y, i - 1) : 0) + m_get(x, i));
    m_number(c, "n_cols", columns);
    m_constexpr(c, "BLOCK", 128);
    c->grid[0] = 3;
    m_end(ctx, c);
}

static void order(m_context *ctx, int64_t columns)
{
    char name[32];
    snprintf(name, sizeof name, "f32, 2x%d", (int)columns);
    m_case *c = m_begin_kernel(ctx, "rows.tri", "order", name);
    if (!c)
        return;
    m_array *x = m_in(c, "x_ptr", M_F32, 2 * columns), *y = m_out(c, "y_ptr", M_F32, 2 * columns);
    m_fill_permutation(c, x);
    for (int64_t r = 0; r < 2; r++)
        for (int64_t i = 0; i < columns; i++) {
            int64_t below = 0;
            for (int64_t j = 0; j < columns; j++)
                below += m_get(x, r * columns + j) < m_get(x, r * columns + i);
            m_set(y, r * columns + below, m_get(x, r * columns + i));
        }
    m_number(c, "n_cols", columns);
    m_constexpr(c, "BLOCK", block_for(columns));
    c->grid[0] = 2;
    m_end(ctx, c);
}

void m_group_kernels(m_context *ctx)
{
    static const m_dtype types[] = {M_F32, M_F16, M_BF16};
    for (int t = 0; t < 3; t++) {
        softmax(ctx, types[t], 7, 100);
        softmax(ctx, types[t], 4, 1000);
        layer_norm(ctx, types[t], 3, 200, 64);
        layer_norm(ctx, types[t], 2, 1000, 1024);
        layer_norm_backward(ctx, types[t], 4, 100);
        layer_norm_backward(ctx, types[t], 2, 512);
        rms_norm(ctx, types[t], 3, 333);
        cross_entropy(ctx, types[t], 4, 150, 0);
        cross_entropy(ctx, types[t], 4, 333, 0.125);
        rope(ctx, types[t], t == 1);
        dropout(ctx, types[t], 0.25);
        dropout(ctx, types[t], 0.5);
        prefix(ctx, types[t], 300);
    }
    count(ctx, 1000, 64);
    count(ctx, 100, 16);
    order(ctx, 100);
    order(ctx, 64);
    m_kernels_products(ctx);
}
