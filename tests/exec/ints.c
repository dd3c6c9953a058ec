#include "ints.h"

#include "check.h"

enum { n = 256 };

static void signed_ints(void)
{
    static int32_t x[n], y[n], out[12 * n];
    for (int i = 0; i < n; i++) {
        x[i] = (int32_t)random_bits() >> i % 31;
        y[i] = (int32_t)random_bits() >> (i * 7) % 31;
        y[i] = y[i] ? y[i] : 3;
    }
    LAUNCH(arithmetic(NULL, one, x, y, out));
    for (int i = 0; i < n; i++) {
        uint32_t a = (uint32_t)x[i], b = (uint32_t)y[i];
        SAME("+", i, out[i], (int32_t)(a + b));
        SAME("-", i, out[n + i], (int32_t)(a - b));
        SAME("*", i, out[2 * n + i], (int32_t)(a * b));
        SAME("//", i, out[3 * n + i], x[i] / y[i]);
        SAME("%", i, out[4 * n + i], x[i] % y[i]);
        SAME("<<", i, out[5 * n + i], (int32_t)(a << (b & 31)));
        SAME(">>", i, out[6 * n + i], x[i] >> (b & 31));
        SAME("min", i, out[7 * n + i], x[i] < y[i] ? x[i] : y[i]);
        SAME("max", i, out[8 * n + i], x[i] > y[i] ? x[i] : y[i]);
        SAME("abs", i, out[9 * n + i], (int32_t)(x[i] < 0 ? 0u - a : a));
        SAME("bits", i, out[10 * n + i], (int32_t)((a & b) ^ (a | ~b)));
        SAME("where", i, out[11 * n + i], x[i] < y[i] ? (int32_t)(0u - a) : y[i]);
    }
}

static void unsigned_ints(void)
{
    static uint32_t x[n], y[n], out[7 * n];
    for (int i = 0; i < n; i++) {
        x[i] = random_bits();
        y[i] = random_bits() >> i % 31 | 1;
    }
    LAUNCH(unsigned_arithmetic(NULL, one, x, y, out));
    for (int i = 0; i < n; i++) {
        SAME("//", i, out[i], x[i] / y[i]);
        SAME("%", i, out[n + i], x[i] % y[i]);
        SAME(">>", i, out[2 * n + i], x[i] >> (y[i] & 31));
        SAME("umulhi", i, out[3 * n + i], (uint32_t)((uint64_t)x[i] * y[i] >> 32));
        SAME("min", i, out[4 * n + i], x[i] < y[i] ? x[i] : y[i]);
        SAME("max", i, out[5 * n + i], x[i] > y[i] ? x[i] : y[i]);
        SAME("where", i, out[6 * n + i], x[i] < y[i] ? 1 : 2);
    }
}

static void other_widths(void)
{
    static int8_t x[n], y[n], out[2 * n];
    static int64_t a[n], b[n], big[3 * n];
    for (int i = 0; i < n; i++) {
        x[i] = (int8_t)random_bits();
        y[i] = (int8_t)random_bits();
        a[i] = (int64_t)((uint64_t)random_bits() << 32 | random_bits());
        b[i] = (int64_t)((uint64_t)random_bits() << 32 | random_bits()) >> i % 60;
        b[i] = b[i] ? b[i] : 5;
    }
    LAUNCH(bytes(NULL, one, x, y, out));
    LAUNCH(wide(NULL, one, a, b, big));
    for (int i = 0; i < n; i++) {
        SAME("i8 *", i, out[i], (int8_t)(x[i] * y[i]));
        SAME("i8 +", i, out[n + i], (int8_t)(x[i] + y[i]));
        SAME("i64 *", i, big[i], (int64_t)((uint64_t)a[i] * (uint64_t)b[i]));
        SAME("i64 //", i, big[n + i], a[i] / b[i]);
        SAME("i64 umulhi", i, big[2 * n + i],
             (int64_t)(uint64_t)((unsigned __int128)(uint64_t)a[i] * (uint64_t)b[i] >> 64));
    }
}

/* Philox 4x32, ten rounds, as published. */
static uint32_t philox(uint32_t seed, uint32_t counter)
{
    uint32_t c[4] = {counter, 0, 0, 0}, k[2] = {seed, 0};
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)c[0] * 0xD2511F53u, q = (uint64_t)c[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1],
                            (uint32_t)p};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return c[0];
}

static void randoms(void)
{
    enum { count = 1024 };
    static int32_t bits[count];
    static float floats[count];
    LAUNCH(random_numbers(NULL, one, bits, floats, 42));
    for (int i = 0; i < count; i++) {
        int32_t want = (int32_t)philox(42, (uint32_t)i);
        SAME("randint", i, bits[i], want);
        int32_t positive = want < 0 ? -want - 1 : want;
        NEAR("rand", i, floats[i], (float)positive * 4.6566127342e-10f, 0);
    }
}

static void flags(void)
{
    static int32_t x[64];
    static uint8_t bits[64];
    static int8_t out[64];
    for (int i = 0; i < 64; i++)
        x[i] = (int32_t)random_bits() % 200;
    LAUNCH(masks(NULL, one, x, bits, out));
    for (int i = 0; i < 64; i++) {
        SAME("flag", i, bits[i], x[i] > 0 && x[i] < 100);
        SAME("read back", i, out[i], x[i] > 0 && x[i] < 100 ? 3 : 0);
    }
}

int main(void)
{
    signed_ints();
    unsigned_ints();
    other_widths();
    randoms();
    flags();
    return finish("ints");
}
