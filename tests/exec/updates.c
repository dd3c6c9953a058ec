/* Blocks of atomic updates, from two threads, of pages that are there and of such as the first update makes (which
 * disturbs a transaction). Sums are of small integers, so that they are exact in any order. */
#define _GNU_SOURCE
#include "updates.h"

#include "check.h"

#include <sys/mman.h>

enum { table_rows = 3, pitch = 2048, columns = 203, programs = 96, at_odd = 3 };

static int64_t numbers[7];

static void *fresh(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(1);
    return p;
}

static int small(int r, int j) { return 1 + (r + j) % 3; }

/* What the rows of an array with `count` different numbers sum up to. */
static int wanted(int row, int j)
{
    int sum = 0;
    for (int r = 0; r < programs; r++)
        sum += numbers[r % 7] == row ? small(r, j) : 0;
    return sum;
}

#define ROWS(name, type, to, from)                                                                                     \
    static void name##_rows(int begin)                                                                                 \
    {                                                                                                                  \
        type *table = (type *)fresh(table_rows * pitch * sizeof(type)) + begin;                                        \
        static type x[programs * columns];                                                                             \
        for (int r = 0; r < programs; r++)                                                                             \
            for (int j = 0; j < columns; j++)                                                                          \
                x[r * columns + j] = to((float)small(r, j));                                                           \
        tri_grid grid = {programs, 1, 1};                                                                              \
        LAUNCH(name(NULL, grid, table, numbers, x, pitch, columns, 7));                                                \
        for (int row = 0; row < table_rows; row++)                                                                     \
            for (int j = 0; j < columns + 5; j++)                                                                      \
                NEAR(#name, j, from(table[row * pitch + j]), j < columns ? wanted(row, j) : 0, 0);                     \
    }

ROWS(add_f32, float, , )
ROWS(add_f64, double, , )
ROWS(add_i32, int32_t, (int32_t), )
ROWS(add_i64, int64_t, (int64_t), )
ROWS(add_bf16, uint16_t, to_bf16, from_bf16)

static void several(void)
{
    float *table = fresh(table_rows * pitch * sizeof *table);
    static float x[programs * columns];
    for (int r = 0; r < programs; r++)
        for (int j = 0; j < columns; j++)
            x[r * columns + j] = (float)small(r, j);
    tri_grid grid = {programs / 8, 1, 1};
    LAUNCH(blocks(NULL, grid, table, numbers, x, pitch, columns, 7));
    for (int row = 0; row < table_rows; row++)
        for (int j = 0; j < columns; j++)
            NEAR("blocks", j, table[row * pitch + j], wanted(row, j), 0);
}

static void counted(void)
{
    enum { n = 5000, places = 37 };
    static int32_t x[n], out[places], want[places];
    for (int i = 0; i < n; i++)
        want[x[i] = (int32_t)(random_bits() % places)]++;
    tri_grid grid = {(n + 511) / 512, 1, 1};
    LAUNCH(counts(NULL, grid, out, x, n));
    for (int i = 0; i < places; i++)
        SAME("counts", i, out[i], want[i]);
}

static void all_kinds(void)
{
    enum { n = 64, times = 9 };
    static int32_t i[7 * n], out[times * n];
    static float f[2 * n];
    static uint32_t u[n];
    for (int j = 0; j < n; j++) {
        i[2 * n + j] = -1;
        f[j] = -1;
    }
    tri_grid grid = {times, 1, 1};
    LAUNCH(kinds(NULL, grid, i, f, u, out));
    for (int j = 0; j < n; j++) {
        int32_t all = (1 << times) - 1, fold = 0;
        for (int p = 0; p < times; p++)
            fold ^= p * j;
        const int32_t want[] = {j * (times - 1), -j * (times - 1), ~all, all, fold, 7, times};
        for (int k = 0; k < 7; k++)
            SAME("kinds", k, i[k * n + j], want[k]);
        NEAR("largest", j, f[j], j * (times - 1), 0);
        NEAR("least", j, f[n + j], -j * (times - 1), 0);
        SAME("unsigned", j, u[j], 0x80000000u + (uint32_t)(j * (times - 1)));
    }
}

static void alone(void)
{
    static float x[256], y[128];
    for (int j = 0; j < 128; j++)
        y[j] = random_float();
    tri_grid grid = {2, 1, 1};
    LAUNCH(own(NULL, grid, x, y));
    for (int j = 0; j < 256; j++)
        NEAR("own", j, x[j], y[j % 128], 0);
}

int main(void)
{
    for (int i = 0; i < 7; i++)
        numbers[i] = i % table_rows;
    tri_threads(2);
    for (int begin = 0; begin <= at_odd; begin += at_odd) {
        add_f32_rows(begin);
        add_f64_rows(begin);
        add_i32_rows(begin);
        add_i64_rows(begin);
        add_bf16_rows(begin);
    }
    several();
    counted();
    all_kinds();
    alone();
    return failures != 0;
}
