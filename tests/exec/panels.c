/* Sums over whole loops and shared packed operands, beside plain loops, and on one thread beside several. */
#include "panels.h"

#include "check.h"

enum { most = 208, wide = most * most };

static float a[wide], b[wide], c[wide], first[wide];
static uint16_t a16[wide], b16[wide];
static int8_t a8[wide], b8[wide];
static int32_t c32[wide], first32[wide];

static void fill(void)
{
    for (int i = 0; i < wide; i++) {
        a[i] = random_float();
        b[i] = random_float();
        a16[i] = to_bf16(a[i]);
        b16[i] = to_bf16(b[i]);
        a8[i] = (int8_t)random_bits();
        b8[i] = (int8_t)random_bits();
    }
}

static uint32_t blocks(int n, int of) { return (uint32_t)((n + of - 1) / of); }

/* Runs it on one thread and on three: the same bits. */
#define ON_THREADS(out, keep, run) \
    do { \
        for (int threads_ = 1; threads_ <= 3; threads_ += 2) { \
            tri_threads(threads_); \
            memset(out, 0, sizeof out); \
            run; \
            if (threads_ == 1) \
                memcpy(keep, out, sizeof keep); \
            else if (memcmp(keep, out, sizeof keep)) \
                fail_at(__LINE__, "other bits on three threads", 0, 0, 0); \
        } \
    } while (0)

static void check_floats(const char *name, int m, int n, int k, int is_small)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int t = 0; t < k; t++)
                sum += is_small ? (double)from_bf16(a16[i * most + t]) * from_bf16(b16[t * most + j])
                                : (double)a[i * most + t] * b[t * most + j];
            NEAR(name, i * most + j, c[i * most + j], sum, 1e-4);
        }
    }
}

static void grouped(int m, int n, int k)
{
    tri_grid grid = {blocks(m, 32) * blocks(n, 64), 1, 1}, small = {blocks(m, 16) * blocks(n, 16), 1, 1};
    tri_grid long_rows = {blocks(m, 16) * blocks(n, 128), 1, 1};
    ON_THREADS(c, first, LAUNCH(grouped_f32(NULL, grid, a, b, c, m, n, k, most)));
    check_floats("float", m, n, k, 0);
    ON_THREADS(c, first, LAUNCH(wide_f32(NULL, long_rows, a, b, c, m, n, k, most)));
    check_floats("float, wide", m, n, k, 0);
    ON_THREADS(c, first, LAUNCH(grouped_bf16(NULL, grid, a16, b16, c, m, n, k, most)));
    check_floats("bfloat16", m, n, k, 1);
    for (int narrow = 0; narrow < 2; narrow++) {
        if (narrow)
            ON_THREADS(c32, first32, LAUNCH(grouped_narrow(NULL, small, a8, b8, c32, m, n, k, most)));
        else
            ON_THREADS(c32, first32, LAUNCH(grouped_i8(NULL, grid, a8, b8, c32, m, n, k, most)));
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                int32_t sum = 0;
                for (int t = 0; t < k; t++)
                    sum += a8[i * most + t] * b8[t * most + j];
                SAME("int8", i * most + j, c32[i * most + j], sum);
            }
        }
    }
}

/* More blocks in a loop than stay: the last ones share a place. Rows of the left operand overlap. */
static void more_than_stay(void)
{
    enum { side = 32, k = 4400, ld = 48 };
    static int8_t left[side * ld + k], right[k * ld];
    static int32_t out[side * ld], kept[side * ld];
    for (int i = 0; i < side * ld + k; i++)
        left[i] = (int8_t)random_bits();
    for (int i = 0; i < k * ld; i++)
        right[i] = (int8_t)random_bits();
    ON_THREADS(out, kept, LAUNCH(grouped_narrow(NULL, (tri_grid){4, 1, 1}, left, right, out, side, side, k, ld)));
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            int32_t sum = 0;
            for (int t = 0; t < k; t++)
                sum += left[i * ld + t] * right[t * ld + j];
            SAME("more than stay", i * ld + j, out[i * ld + j], sum);
        }
    }
}

static void columns(int m, int n, int k)
{
    tri_grid grid = {blocks(n, 16), blocks(m, 16), 1};
    ON_THREADS(c, first, c[5] = 3; LAUNCH(columns_first(NULL, grid, a, b, c, m, n, k, most)));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i * most + j == 5 ? 3 : 0;
            for (int t = 0; t < k; t++)
                sum += (double)a[t * most + i] * b[t * most + j];
            NEAR("columns first", i * most + j, c[i * most + j], sum, 1e-4);
        }
    }
}

static void nests(int k)
{
    tri_grid grid = {4, 1, 1};
    ON_THREADS(c, first, LAUNCH(nested(NULL, grid, a, b, c, k, most)));
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < 16; j++) {
            double sum = 0;
            for (int r = 0; r < 3; r++)
                for (int s = 0; s <= r; s++)
                    for (int p = 0; p < k - 16 * s; p++)
                        sum += (double)a[i * most + r + s + p] * b[(r * 2 + s + p) * most + j];
            NEAR("nested", i * most + j, c[i * most + j], sum, 1e-4);
        }
    }
}

static void halves(void)
{
    tri_grid grid = {8, 1, 1};
    ON_THREADS(c, first, LAUNCH(pairs(NULL, grid, a, b8, c, most)));
    for (int i = 0; i < 128; i++) {
        for (int j = 0; j < 16; j++) {
            double sum = 0.5;
            for (int p = 0; p < 96; p++) {
                int8_t both = b8[p * most + j], low = (int8_t)((both & 15) - (both & 8 ? 16 : 0));
                sum += (double)a[i * most + p] * low + (double)a[i * most + 96 + p] * (both >> 4);
            }
            NEAR("pairs", i * most + j, c[i * most + j], sum, 1e-4);
        }
    }
}

static void writes(void)
{
    enum { steps = 3 };
    static float x[1024], y[1024], z[steps * 256];
    static double was[1024];
    for (int i = 0; i < 1024; i++) {
        x[i] = random_float();
        was[i] = y[i] = random_float();
    }
    LAUNCH(rewritten(NULL, one, x, y, z, steps));
    for (int i = 0; i < 256; i++) {
        double sum = 0;
        for (int t = 0; t < steps; t++)
            for (int k = 0; k < 16; k++)
                sum += x[i / 16 * 16 + k] * (was[k * 16 + i % 16] + t);
        NEAR("rewritten", i, z[i], sum, 1e-4);
    }
    for (int by = 0; by < 1024; by += 256) {
        for (int i = 0; i < 1024; i++)
            was[i] = y[i] = random_float();
        LAUNCH(rewritten_apart(NULL, one, x, y, z, steps, by));
        for (int t = 0; t < steps; t++) {
            for (int i = 0; i < 256; i++) {
                double sum = 0;
                for (int p = 0; p < 64; p++)
                    sum += x[p / 16 * 256 + i / 16 * 16 + p % 16] * was[p / 16 * 256 + p % 16 * 16 + i % 16];
                NEAR("rewritten apart", t * 256 + i, z[t * 256 + i], sum, 1e-4);
            }
            for (int i = 0; i < 256; i++)
                was[by + i] = z[t * 256 + i] * 0.125;
        }
    }
}

static void folded_writes(void)
{
    enum { steps = 3 };
    static const int places[] = {0, 256, -4, -6};
    static float x[1024], y[512], s[16], z[steps * 256];
    for (int v = 0; v < 4; v++) {
        int by = places[v];
        for (int i = 0; i < 1024; i++)
            x[i] = y[i % 512] = s[i % 16] = random_float();
        static float was[512], scale[16];
        memcpy(was, y, sizeof was);
        memcpy(scale, s, sizeof scale);
        LAUNCH(rewritten_folded(NULL, one, x, y, s, z, steps, by));
        for (int t = 0; t < steps; t++) {
            for (int i = 0; i < 256; i++) {
                double sum = 0;
                for (int k = 0; k < 64; k++)
                    sum += (double)x[k / 16 * 256 + i / 16 * 16 + k % 16] * was[k / 2 * 16 + i % 16] *
                           scale[(k >> 3 << 1) & 14];
                NEAR("rewritten folded", t * 256 + i, z[t * 256 + i], sum, 1e-4);
            }
            for (int i = 0; i < 256 && by >= 0; i++)
                was[by + i] = z[t * 256 + i] * 0.125f;
            if (by < 0)
                scale[-by] = 3.0f + (float)t;
        }
    }
}

/* Results where the left operand lies, and of loops without an iteration. */
static void in_place(int m, int n, int k)
{
    static float x[wide];
    memcpy(x, a, sizeof x);
    LAUNCH(grouped_f32(NULL, (tri_grid){1, 1, 1}, x, b, x, m, n, k, most));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < most; j++) {
            double sum = j < n ? 0 : a[i * most + j];
            for (int t = 0; t < k && j < n; t++)
                sum += (double)a[i * most + t] * b[t * most + j];
            NEAR("in place", i * most + j, x[i * most + j], sum, 1e-4);
        }
    }
}

static void heads(void)
{
    enum { ctx = 128, d = 16, count = 3 };
    tri_grid grid = {ctx / 16, count, 1};
    ON_THREADS(c, first, LAUNCH(per_head(NULL, grid, a, b, c, ctx)));
    for (int row = 0; row < count * ctx; row++) {
        const float *q = a + row * d, *k = b + row / ctx * ctx * d;
        double out[d] = {0};
        for (int lo = 0; lo < ctx; lo += 32) {
            for (int j = 0; j < d; j++)
                out[j] *= 0.5;
            for (int n = lo; n < lo + 32; n++) {
                double s = 0;
                for (int j = 0; j < d; j++)
                    s += (double)q[j] * k[n * d + j];
                for (int j = 0; j < d; j++)
                    out[j] += s * k[n * d + j];
            }
        }
        for (int j = 0; j < d; j++)
            NEAR("per head", row * d + j, c[row * d + j], out[j], 1e-4);
    }
}

int main(void)
{
    fill();
    grouped(192, 192, 192);
    grouped(200, 70, 130);
    grouped(1, 1, 1);
    grouped(1, 65, 200);
    a[7] = NAN;
    b[most * 3 + 2] = INFINITY;
    a16[most * 2 + 1] = 0x7fc0; /* NaN */
    b16[most + 9] = 0x0001;     /* subnormal */
    grouped(33, 64, 33);
    fill();
    more_than_stay();
    columns(100, 50, 70);
    columns(1, 1, 1);
    nests(64);
    nests(16);
    halves();
    writes();
    folded_writes();
    in_place(32, 64, 64);
    in_place(32, 64, 200);
    in_place(31, 64, 33);
    in_place(32, 64, 0);
    heads();
    return finish("panels");
}
