/* Random bits of e4m3 with random powers of two as scales, against a reference in double. */
#include "fp8_scales.h"

#include "check.h"

enum { m = 64, n = 64, k = 128 };

/* e4m3: sign, 4 bits of exponent with bias 7, 3 of fraction; 0x7f and 0xff are NaN. */
static double value(uint8_t bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double magnitude = exponent ? ldexp(1 + fraction / 8.0, exponent - 7) : ldexp(fraction / 8.0, -6);
    return bits & 0x80 ? -magnitude : magnitude;
}

static uint8_t *random_bytes(size_t count, int is_scale)
{
    float *f = random_floats(count);
    uint8_t *p = array(count);
    for (size_t i = 0; i < count; i++) {
        p[i] = is_scale ? (uint8_t)(124 + (int)(f[i] * 3)) : (uint8_t)((int)(f[i] * 1000) & 0xff);
        p[i] = (p[i] & 0x7f) == 0x7f && !is_scale ? 0 : p[i];
    }
    return p;
}

int main(void)
{
    uint8_t *a = random_bytes(m * k, 0), *b = random_bytes(k * n, 0);
    uint8_t *a_scale = random_bytes(m * k / 32, 1), *b_scale = random_bytes(n * k / 32, 1);
    float *c = array(m * n * sizeof *c);
    MUST(fp8_scales(NULL, (tri_grid){m / 32, n / 32, 1}, a, a_scale, b, b_scale, c, m, n, k));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0, size = 0;
            for (int x = 0; x < k; x++) {
                double s = ldexp(1, a_scale[i * (k / 32) + x / 32] - 127 + b_scale[j * (k / 32) + x / 32] - 127);
                want += value(a[i * k + x]) * value(b[x * n + j]) * s;
                size += fabs(value(a[i * k + x]) * value(b[x * n + j]) * s);
            }
            near((size_t)(i * n + j), c[i * n + j], want, size * 1e-6);
        }
    printf("fp8 with scales: %d x %d x %d, largest error %.3g\n", m, n, k, worst);
    return 0;
}
