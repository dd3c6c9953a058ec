#include "matmul.h"

#include "check.h"

static void with_masks(void)
{
    enum { m = 70, n = 100, k = 50 };
    static float a[m * k], b[k * n], c[m * n];
    for (int i = 0; i < m * k; i++)
        a[i] = random_float();
    for (int i = 0; i < k * n; i++)
        b[i] = random_float();
    tri_grid grid = {3 * 2, 1, 1};
    LAUNCH(matmul(NULL, grid, a, b, c, m, n, k, k, n, n));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int p = 0; p < k; p++)
                want += (double)a[i * k + p] * b[p * n + j];
            NEAR("c", i * n + j, c[i * n + j], want >= 0 ? want : 0.01 * want, 1e-5);
        }
}

static void halves(void)
{
    enum { m = 40, n = 50, k = 72 };
    static uint16_t a[m * k], b[n * k], c[m * n];
    for (int i = 0; i < m * k; i++)
        a[i] = tri_float_f16_bits(random_float());
    for (int i = 0; i < n * k; i++)
        b[i] = tri_float_f16_bits(random_float());
    tri_grid grid = {2, 2, 1};
    LAUNCH(matmul_half(NULL, grid, a, b, c, m, n, k));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int p = 0; p < k; p++)
                want += (double)tri_float_f16_from_bits(a[i * k + p]) * tri_float_f16_from_bits(b[j * k + p]);
            NEAR("half", i * n + j, tri_float_f16_from_bits(c[i * n + j]), want, 1e-3);
        }
}

static void ints(void)
{
    enum { m = 16, n = 16, k = 32 };
    static int8_t a[m * k], b[k * n];
    static int32_t c[m * n];
    for (int i = 0; i < m * k; i++)
        a[i] = (int8_t)random_bits();
    for (int i = 0; i < k * n; i++)
        b[i] = (int8_t)random_bits();
    LAUNCH(matmul_int(NULL, one, a, b, c));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t want = 0;
            for (int p = 0; p < k; p++)
                want += a[i * k + p] * b[p * n + j];
            SAME("int", i * n + j, c[i * n + j], want);
        }
}

static void causal(void)
{
    enum { n = 75, d = 32 };
    static float q[n * d], k[n * d], v[n * d], out[n * d];
    for (int i = 0; i < n * d; i++) {
        q[i] = random_float();
        k[i] = random_float();
        v[i] = random_float();
    }
    float scale = 0.4f;
    tri_grid grid = {(n + 15) / 16, 1, 1};
    LAUNCH(attention(NULL, grid, q, k, v, out, n, scale));
    for (int i = 0; i < n; i++) {
        double weights[n], sum = 0;
        for (int j = 0; j <= i; j++) {
            double dot = 0;
            for (int p = 0; p < d; p++)
                dot += (double)q[i * d + p] * k[j * d + p];
            sum += weights[j] = exp(dot * scale);
        }
        for (int p = 0; p < d; p++) {
            double want = 0;
            for (int j = 0; j <= i; j++)
                want += weights[j] / sum * v[j * d + p];
            NEAR("attention", i * d + p, out[i * d + p], want, 2e-6);
        }
    }
}

static void batches(void)
{
    enum { b = 2, m = 16, n = 16, k = 16 };
    static float x[b * m * k], y[b * k * n], c[b * m * n];
    for (int i = 0; i < b * m * k; i++) {
        x[i] = random_float();
        y[i] = random_float();
    }
    LAUNCH(batched(NULL, one, x, y, c));
    for (int z = 0; z < b; z++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double want = 0;
                for (int p = 0; p < k; p++)
                    want += (double)x[(z * m + i) * k + p] * y[(z * k + p) * n + j];
                NEAR("batched", (z * m + i) * n + j, c[(z * m + i) * n + j], want, 1e-5);
            }
}

int main(void)
{
    with_masks();
    halves();
    ints();
    causal();
    batches();
    return finish("matmul");
}
