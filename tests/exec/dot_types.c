/* Products of int8, bfloat16 and double against plain loops. */
#include "dot_types.h"
#include "tests/exec/check.h"

enum { most = 128 * 128 };

static int8_t ia[most], ib[most];
static uint16_t ha[most], hb[most];
static double da[most], db[most];
static int32_t ic[most];
static float fc[most];
static double dc[most];

static double of_bf16(uint16_t bits) { return (double)tri_float_bf16_from_bits(bits); }

static void fill(void)
{
    for (int i = 0; i < most; i++) {
        ia[i] = (int8_t)random_bits();
        ib[i] = (int8_t)random_bits();
        da[i] = random_float();
        db[i] = random_float();
        ha[i] = (uint16_t)(random_bits() & 0x80ff) + 0x3f00;
        hb[i] = (uint16_t)(random_bits() & 0x80ff) + 0x3f00;
    }
    /* the largest sums of products */
    for (int i = 0; i < 128; i++)
        ia[i] = ib[i] = -128;
}

static void cut(int m, int n, int k)
{
    tri_grid small = {(uint32_t)(m + 31) / 32, (uint32_t)(n + 63) / 64, 1};
    tri_grid half = {(uint32_t)(m + 31) / 32, (uint32_t)(n + 31) / 32, 1};
    tri_grid wide = {(uint32_t)(m + 15) / 16, (uint32_t)(n + 31) / 32, 1};
    LAUNCH(product_i8(NULL, small, ia, ib, ic, m, n, k));
    LAUNCH(product_bf16(NULL, half, ha, hb, fc, m, n, k));
    LAUNCH(product_f64(NULL, wide, da, db, dc, m, n, k));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t whole = 0;
            double h = 0, d = 0;
            for (int p = 0; p < k; p++) {
                whole += ia[i * k + p] * ib[p * n + j];
                h += of_bf16(ha[i * k + p]) * of_bf16(hb[p * n + j]);
                d += da[i * k + p] * db[p * n + j];
            }
            SAME("int8", i * n + j, ic[i * n + j], whole);
            NEAR("bf16", i * n + j, fc[i * n + j], h, 1e-5);
            NEAR("fp64", i * n + j, dc[i * n + j], d, 1e-13);
        }
}

static void by_columns(void)
{
    enum { m = 16, n = 16, k = 32 };
    LAUNCH(columns_i8(NULL, one, ia, ib, ic));
    LAUNCH(columns_bf16(NULL, one, ha, hb, fc));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t whole = 0;
            double h = 0;
            for (int p = 0; p < k; p++) {
                whole += ia[i * k + p] * ib[j * k + p];
                h += of_bf16(ha[i * k + p]) * of_bf16(hb[j * k + p]);
            }
            SAME("columns int8", i * n + j, ic[i * n + j], 2 * whole);
            NEAR("columns bf16", i * n + j, fc[i * n + j], 2 * h, 1e-5);
        }
}

static void in_batches(void)
{
    enum { count = 4, m = 16, n = 16, k = 32 };
    LAUNCH(batched_i8(NULL, one, ia, ib, ic));
    for (int b = 0; b < count; b++)
        for (int i = 0; i < m * n; i++) {
            int32_t whole = 0;
            for (int p = 0; p < k; p++)
                whole += ia[b * m * k + i / n * k + p] * ib[b * k * n + p * n + i % n];
            SAME("batched", b * m * n + i, ic[b * m * n + i], whole);
        }
}

static void narrow(void)
{
    enum { m = 8, n = 4, k = 16 };
    static uint16_t out[m * n];
    LAUNCH(narrow_bf16(NULL, one, ha, hb, out));
    for (int i = 0; i < m * n; i++) {
        double h = 0;
        for (int p = 0; p < k; p++)
            h += of_bf16(ha[i / n * k + p]) * of_bf16(hb[p * n + i % n]);
        NEAR("narrow", i, of_bf16(out[i]), h, 1.0 / 256);
    }
}

int main(void)
{
    fill();
    cut(64, 64, 64);
    cut(45, 83, 77);
    cut(1, 1, 3);
    by_columns();
    in_batches();
    narrow();
    return finish("dot_types");
}
