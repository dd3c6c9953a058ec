#define _GNU_SOURCE
/* Products with AMX: with -DEMULATED by software, whatever the processor is; else as the launcher finds that it may. */

#ifdef EMULATED
#include "amx.h"
#endif
#include "tiles.h"

#include "check.h"

#include <signal.h>

enum { most = 160 };

#ifdef EMULATED
/* instead of the launcher's own: this processor has AMX */
int tri_cpu_rt11_tile_level(void) { return 5; }
#endif

static uint16_t a[most * most], b[most * most], b_turned[most * most];
static int8_t p[most * most], q[most * most], q_turned[most * most];
static float c[most * most], r[most * most], s[most * most], s_turned[most * most];
static int32_t d[most * most];

static int has_tiles; /* which take subnormal operands as zero */

static double operand(float x) { return has_tiles && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

typedef int launcher(tri_stream, tri_grid, const void *, const void *, float *, int32_t, int32_t, int32_t, int32_t,
                     int32_t, int32_t);

static void floats(const char *name, launcher *run, const uint16_t *right, int bm, int bn, int m, int n, int k)
{
    tri_grid grid = {(uint32_t)((m + bm - 1) / bm), (uint32_t)((n + bn - 1) / bn), 1};
    memset(c, 0, sizeof c);
    LAUNCH(run(NULL, grid, a, right, c, m, n, k, most, most, most));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int t = 0; t < k; t++) {
                double term = (double)from_bf16(a[i * most + t]) * from_bf16(b[t * most + j]);
                sum += term;
                size += fabs(term);
            }
            if (isnan(sum) ? !isnan(c[i * most + j])
                           : !(fabs(c[i * most + j] - sum) <= 1e-5 * size || c[i * most + j] == sum))
                fail_at(__LINE__, name, i * most + j, c[i * most + j], sum);
        }
    }
    if (n < most)
        NEAR("behind the end", n, c[n], 0, 0);
}

static void integers(int is_linear, int m, int n, int k)
{
    tri_grid grid = {(uint32_t)((m + 31) / 32), (uint32_t)((n + 31) / 32), 1};
    memset(d, 0, sizeof d);
    if (is_linear)
        LAUNCH(linear_bytes(NULL, grid, p, q_turned, d, m, n, k, most, most, most));
    else
        LAUNCH(bytes(NULL, grid, p, q, d, m, n, k, most, most, most));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            int32_t sum = 0;
            for (int t = 0; t < k; t++)
                sum += p[i * most + t] * q[t * most + j];
            SAME("bytes", i * most + j, d[i * most + j], sum);
        }
    }
}

typedef int single_launcher(tri_stream, tri_grid, const float *, const float *, float *, int32_t, int32_t, int32_t,
                            int32_t, int32_t, int32_t);

/* Within `bound` of the sum of the terms' sizes: tf32 has 1e-3, two bfloat16 2e-5. */
static void singles(const char *name, single_launcher *run, const float *right, int bm, int bn, int m, int n, int k,
                    double bound)
{
    tri_grid grid = {(uint32_t)((m + bm - 1) / bm), (uint32_t)((n + bn - 1) / bn), 1};
    memset(c, 0, sizeof c);
    LAUNCH(run(NULL, grid, r, right, c, m, n, k, most, most, most));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int t = 0; t < k; t++) {
                double term = operand(r[i * most + t]) * operand(s[t * most + j]);
                sum += term;
                size += fabs(term);
            }
            float got = c[i * most + j];
            if (isnan(sum) ? !isnan(got) : !(fabs(got - sum) <= bound * size || got == (float)sum))
                fail_at(__LINE__, name, i * most + j, got, sum);
        }
    }
}

static uint32_t nearest_bf16(uint32_t x)
{
    int is_nan = (x & 0x7fffffff) > 0x7f800000;
    return is_nan ? x >> 16 | 0x40 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* Sums that are stored as numbers of 16 bits are those of float32, rounded. */
static void rounded_sums(int m, int n, int k, int lda, int ldb)
{
    static uint16_t out[2][most * most];
    static float sums[2][most * most];
    tri_grid grid = {(uint32_t)((m + 63) / 64), (uint32_t)((n + 63) / 64), 1};
    memset(out, 0, sizeof out);
    memset(sums, 0, sizeof sums);
    LAUNCH(wide(NULL, grid, a, b, sums[0], m, n, k, lda, ldb, most));
    LAUNCH(rounded(NULL, grid, a, b, out[0], m, n, k, lda, ldb, most));
    LAUNCH(single(NULL, grid, r, s, sums[1], m, n, k, lda, ldb, most));
    LAUNCH(single_rounded(NULL, grid, r, s, out[1], m, n, k, lda, ldb, most));
    for (int i = 0; i < most * most; i++) {
        float f = tri_float_f16_from_bits(out[1][i]), want = tri_float_f16_from_bits(tri_float_f16_bits(sums[1][i]));
        SAME("rounded to bfloat16", i, out[0][i], nearest_bf16((uint32_t)tri_float_f32_bits(sums[0][i])));
        if (isnan(want) ? !isnan(f) : f != want)
            fail_at(__LINE__, "rounded to fp16", i, f, want);
    }
}

static void batches(void)
{
    enum { m = 32, n = 32, k = 64 };
    LAUNCH(three(NULL, (tri_grid){1, 1, 1}, r, s, c));
    for (int i = 0; i < 2 * m * n; i++) {
        const float *x = r + i / n * k, *y = s + i / (m * n) * k * n + i % n;
        double sum = 0, size = 0;
        for (int t = 0; t < k; t++) {
            sum += (double)x[t] * y[t * n];
            size += fabs((double)x[t] * y[t * n]);
        }
        NEAR("three dimensions", i, c[i], sum, 3e-5 * size);
    }
}

/* More steps than are put into another order at once where there is no AMX. */
static void many_steps(void)
{
    enum { m = 32, n = 64, k = 4096 };
    static uint16_t x[m * k], y[k * n];
    static float xs[m * k], ys[k * n];
    for (int i = 0; i < k * n; i++) {
        xs[i % (m * k)] = random_float();
        ys[i] = random_float();
        x[i % (m * k)] = to_bf16(xs[i % (m * k)]);
        y[i] = to_bf16(ys[i]);
    }
    for (int single = 0; single < 2; single++) {
        int columns = single ? n : m, steps = single ? k / 2 : k;
        if (single)
            LAUNCH(deep_single(NULL, (tri_grid){1, 1, 1}, xs, ys, c));
        else
            LAUNCH(deep(NULL, (tri_grid){1, 1, 1}, x, y, c));
        for (int i = 0; i < m * columns; i++) {
            double sum = 0, size = 0;
            for (int t = 0; t < steps; t++) {
                int left = i / columns * steps + t, right = t * columns + i % columns;
                double term = single ? (double)xs[left] * ys[right] : (double)from_bf16(x[left]) * from_bf16(y[right]);
                sum += term;
                size += fabs(term);
            }
            NEAR(single ? "many steps, single" : "many steps", i, c[i], sum, 3e-5 * size);
        }
    }
}

/* Of a function that the kernel calls. */
static void called_products(void)
{
    enum { n = 32 };
    LAUNCH(called(NULL, (tri_grid){1, 1, 1}, a, b, c));
    for (int i = 0; i < 2 * n * n; i++) {
        const uint16_t *x = i < n * n ? a : b, *y = i < n * n ? b : a;
        double sum = 0, size = 0;
        for (int t = 0; t < n; t++) {
            double term = 2 * (double)from_bf16(x[i / n % n * n + t]) * from_bf16(y[t * n + i % n]);
            sum += term;
            size += fabs(term);
        }
        NEAR("called", i, c[i], sum, 1e-5 * size);
    }
}

/* The result's rows are those of the left operand, which the last products read while the first are written. */
static void in_place(int k)
{
    static _Alignas(4) uint16_t rows[64 * most];
    memcpy(rows, a, sizeof rows);
    LAUNCH(wide(NULL, (tri_grid){1, 1, 1}, rows, b, (float *)rows, 64, 64, k, most, most, most / 2));
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < 64; j++) {
            double sum = 0;
            for (int t = 0; t < k; t++)
                sum += (double)from_bf16(a[i * most + t]) * from_bf16(b[t * most + j]);
            NEAR("in place", i * 64 + j, ((float *)rows)[i * most / 2 + j], sum, 1e-3);
        }
    }
}

/* Where what is left of a number is zero beside an infinity, and where the high part would become infinite. */
static void odd_singles(void)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, 0x1.ff8p127f, -0x1.ff8p127f, 0x1p-130f, 1, 0};
    for (int i = 0; i < 128; i++) { /* then rows and columns of ordinary ones, that meet them */
        r[i * most + i % 64] = i < 64 ? odd[i % 8] : 1;
        r[i * most + (i + 9) % 64] = i % 3 ? 1 : 1 + 0x1p-20f;
        s[i % 64 * most + i / 2] = i < 64 && i % 5 == 0 ? odd[(i + 3) % 8] : 2;
        s[i % 64 * most + i / 2 + 64] = 0.5f;
    }
    s[5] = NAN;
    r[10 * most + 10] = 1e30f; /* the low part is below zero: the product is infinite, not NaN */
    s[10 * most + 8] = 1e30f;
    singles("odd numbers", single, s, 64, 64, 64, 64, 64, 3e-5);
    singles("odd numbers, for several programs", single, s, 64, 64, 128, 128, 64, 3e-5);
    singles("odd numbers, broad", broad, s, 64, 256, 64, 64, 64, 3e-5);
}

/* More products than wait at once, of which each step begins with the sums of those before. */
static void long_singles(void)
{
    enum { m = 64, n = most, k = 2112, lda = 1, ldb = 10 };
    static float sums[m * most];
    LAUNCH(broad(NULL, (tri_grid){1, 1, 1}, r, s, sums, m, n, k, lda, ldb, most));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int t = 0; t < k; t++) {
                double term = (double)r[i * lda + t] * s[t * ldb + j];
                sum += term;
                size += fabs(term);
            }
            if (!(fabs(sums[i * most + j] - sum) <= 3e-5 * size))
                fail_at(__LINE__, "long", i * most + j, sums[i * most + j], sum);
        }
    }
}

/* Floats to bfloat16: a vector of ordinary numbers, then some with others among them, and a tail. */
static void convert(void)
{
    enum { count = 250 };
    static const uint32_t odd[] = {0x7f800001, 0xffc12345, 0x7f800000, 0xff800000, 1, 0x80000001, 0x8000, 0x18000,
                                   0x7fffff, 0x807f8000, 0x800000, 0x7f7fffff, 0, 0x80000000, 0x3f808000, 0x3f818000};
    float in[count];
    uint32_t bits[count];
    uint16_t out[count];
    for (int i = 0; i < count; i++)
        bits[i] = i < 32 || i % 3 ? 0x3f000000 + (random_bits() & 0x80ffffff) : odd[i / 3 % 16];
    memcpy(in, bits, sizeof in);
    LAUNCH(halves(NULL, (tri_grid){1, 1, 1}, in, out, count));
    for (int i = 0; i < count; i++) {
        uint32_t want = nearest_bf16(bits[i]);
        if (out[i] != want)
            fail_at(__LINE__, "to bfloat16", i, out[i], want);
    }
}

int main(void)
{
#ifdef SMALL_STACK /* too small for the state of tiles, so that the system refuses them */
    static char small[8192];
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
    if (sigaltstack(&stack, NULL))
        return 2;
#endif
    static const int sizes[][3] = {{64, 64, 64}, {128, 64, 128}, {100, 90, 70}, {1, 1, 1},
                                   {65, 63, 33}, {16, 160, 130}, {150, 5, 160}};
#ifdef EMULATED
    amx_start();
#endif
    for (int i = 0; i < most * most; i++) {
        a[i] = to_bf16(random_float());
        b[i] = to_bf16(random_float());
        p[i] = (int8_t)random_bits();
        q[i] = (int8_t)random_bits();
        r[i] = random_float();
        s[i] = random_float();
    }
    for (int i = 0; i < most * most; i++) {
        b_turned[i] = b[i % most * most + i / most];
        q_turned[i] = q[i % most * most + i / most];
        s_turned[i] = s[i % most * most + i / most];
    }
    int count = 0, row = wide_selected(0);
    const tri_variant *rows = wide_variants(&count);
    if (count != 2 || row < 0 || row > 1)
        return fprintf(stderr, "variant %d of %d\n", row, count), 1;
    has_tiles = strstr(rows[row].arch, "+amx") != NULL;
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
        int m = sizes[at][0], n = sizes[at][1], k = sizes[at][2];
        floats("wide", wide, b, 64, 64, m, n, k);
        floats("narrow", narrow, b, 16, 64, m, n, k);
        floats("few", few, b, 16, 16, m, n, k);
        floats("linear", linear, b_turned, 64, 64, m, n, k);
        floats("linear, transposed", linear_trans, b_turned, 32, 16, m, n, k);
        integers(0, m, n, k);
        integers(1, m, n, k);
        singles("single", single, s, 64, 64, m, n, k, 3e-5);
        singles("slim", slim, s, 32, 128, m, n, k, 3e-5);
        singles("broad", broad, s, 64, 256, m, n, k, 3e-5);
        singles("turned", turned, s, 32, 32, m, n, k, 3e-5);
        singles("all bits", all_bits, s, 64, 64, m, n, k, 2e-6);
        singles("linear", linear_single, s_turned, 64, 64, m, n, k, 3e-5);
        singles("linear, all bits", linear_bits, s_turned, 16, 64, m, n, k, 2e-6);
        rounded_sums(m, n, k, most, most);
    }
    rounded_sums(64, 64, 0, most, most);
    rounded_sums(64, 64, 2112, 1, 10); /* more than wait at once */
    in_place(64);
    in_place(160);
    in_place(0);
    batches();
    long_singles();
    many_steps();
    called_products();
    odd_singles();
    convert();
    a[3] = to_bf16(INFINITY);
    a[most + 5] = to_bf16(NAN);
    b[7] = to_bf16(-INFINITY);
    floats("odd numbers", wide, b, 64, 64, 64, 64, 64);
    rounded_sums(64, 64, 64, most, most);
    printf("%s\n", rows[row].arch);
#ifdef EMULATED
    if (!amx_count)
        return fprintf(stderr, "no tile was multiplied\n"), 1;
    if (!evex_count && !__builtin_cpu_supports("avx512bf16"))
        return fprintf(stderr, "nothing was converted\n"), 1;
#endif
    return finish("tiles");
}
