/* Quotients that are whole, and those next to them, where a rounded reciprocal would be one off. */
#include "quotients.h"

#include "check.h"

enum { n = 4096 };

/* A divisor of any size, and a multiple of it, one less or one more. */
static void choose(int i, uint32_t mask, uint32_t *x, uint32_t *y)
{
    *y = (random_bits() >> i % 31) & mask;
    *y += *y == 0;
    uint32_t most = mask / *y;
    *x = (*y * (i % 3 ? random_bits() % (most + 1u ? most + 1u : 1) : most) + (uint32_t)(i % 5) - 2) & mask;
}

#define TRY(kernel, type, mask, least) \
    do { \
        static type x[n], y[n], q[n], r[n]; \
        for (int i = 0; i < n; i++) { \
            uint32_t a, b; \
            choose(i, mask, &a, &b); \
            x[i] = (type)a; \
            y[i] = (type)(i % 2 ? b : 0 - b); \
            y[i] = y[i] ? y[i] : 1; \
        } \
        x[0] = y[0] = y[1] = (type)(least); \
        x[1] = (type)((int64_t)(least) - 1); \
        y[2] = (type)-1; \
        x[2] = (type)((int64_t)(least) + 1); \
        LAUNCH(kernel(NULL, one, x, y, q, r, n)); \
        for (int i = 0; i < n; i++) { \
            SAME(#kernel " //", i, q[i], (type)(x[i] / y[i])); \
            SAME(#kernel " %", i, r[i], (type)(x[i] % y[i])); \
        } \
    } while (0)

static void by_one_number(void)
{
    static const int32_t by[] = {1, -1, 2, 3, -7, 64, 1000003, INT32_MAX, INT32_MIN, 46341};
    static int32_t x[n], q[n], r[n];
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        for (int i = 0; i < n; i++)
            x[i] = (int32_t)(random_bits() >> i % 31) * (i % 2 ? 1 : -1);
        x[0] = INT32_MIN + 1;
        LAUNCH(by_one(NULL, one, x, q, r, by[k], n));
        for (int i = 0; i < n; i++) {
            SAME("by one //", i, q[i], (int32_t)((int64_t)x[i] / by[k]));
            SAME("by one %", i, r[i], (int32_t)((int64_t)x[i] % by[k]));
        }
    }
    /* what C leaves open does not trap */
    x[0] = INT32_MIN;
    LAUNCH(by_one(NULL, one, x, q, r, -1, n));
    SAME("the least by -1", 0, q[0], INT32_MIN);
    LAUNCH(by_one(NULL, one, x, q, r, 0, n));
}

static void in_lines(void)
{
    enum { all = 500 };
    static int32_t out[2 * all];
    tri_grid grid = {(all + 127) / 128, 1, 1};
    for (int width = 16; width <= 144; width += 64) {
        for (int begin = -260; begin <= 0; begin += 13) {
            LAUNCH(positions(NULL, grid, out, all, width, begin));
            for (int i = 0; i < all; i++) {
                int k = i + begin;
                SAME("position", i, out[i], i / width * 1000 + i % width * 3);
                SAME("position from elsewhere", i, out[all + i], k / width * 1000 + k % width * 3);
            }
        }
    }
}

int main(void)
{
    TRY(signed32, int32_t, UINT32_MAX, INT32_MIN);
    TRY(unsigned32, uint32_t, UINT32_MAX, 0x80000000u);
    TRY(signed16, int16_t, 0xffffu, INT16_MIN);
    TRY(unsigned8, uint8_t, 0xffu, 0x80u);
    by_one_number();
    in_lines();
    return finish("quotients");
}
