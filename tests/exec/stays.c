/* Left operands that programs find as others left them: more rows of blocks than are kept, longer loops, other numbers
 * in the next launch, other kernels in between, and what a program writes itself. */
#include "stays.h"

#include "check.h"

#include <sys/resource.h>

enum { rows = 340, ld = 1072, columns = 50 };

static uint16_t a[rows * ld], b[ld * ld];
static float c[rows * ld], first[rows * ld];

static void fill(void)
{
    for (int i = 0; i < rows * ld; i++)
        a[i] = to_bf16(random_float());
    for (int i = 0; i < ld * ld; i++)
        b[i] = to_bf16(random_float());
}

typedef int launcher(tri_stream, tri_grid, const void *, const void *, float *, int32_t, int32_t, int32_t, int32_t);

static void product(const char *name, launcher *run, int block, int m, int n, int k)
{
    tri_grid grid = {(uint32_t)((m + block - 1) / block * ((n + block - 1) / block)), 1, 1};
    static const int counts[] = {1, 3, 2, 8};
    for (int i = 0; i < 4; i++) {
        tri_threads(counts[i]);
        memset(c, 0, sizeof c);
        LAUNCH(run(NULL, grid, a, b, c, m, n, k, ld));
        if (counts[i] == 1)
            memcpy(first, c, sizeof c);
        else if (memcmp(first, c, sizeof c))
            fail_at(__LINE__, "other bits on several threads", counts[i], 0, 0);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int t = 0; t < k; t++)
                sum += (double)from_bf16(a[i * ld + t]) * from_bf16(b[t * ld + j]);
            NEAR(name, i * ld + j, c[i * ld + j], sum, 1e-4);
        }
    }
}

static void own_writes(void)
{
    enum { steps = 4 };
    static uint16_t x[16 * 64], y[64 * 16];
    static float sums[steps * 256];
    double was[16 * 64];
    for (int i = 0; i < 16 * 64; i++) {
        x[i] = to_bf16(random_float());
        y[i] = to_bf16(random_float());
        was[i] = from_bf16(x[i]);
    }
    LAUNCH(rewritten(NULL, (tri_grid){1, 1, 1}, x, y, sums, steps));
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < 256; i++) {
            double sum = 0;
            for (int k = 0; k < 64; k++)
                sum += was[i / 16 * 64 + k] * from_bf16(y[k * 16 + i % 16]);
            NEAR("rewritten", t * 256 + i, sums[t * 256 + i], sum, 2e-2);
        }
        for (int i = 0; i < 256; i++)
            was[i / 16 * 64 + 16 + i % 16] = sums[t * 256 + i] * 0.25;
    }
}

/* Without memory the launch says so, and with it the next one is right. */
static int lacks_memory(void)
{
    struct rlimit none = {1 << 20, RLIM_INFINITY}, all;
    tri_threads(1);
    getrlimit(RLIMIT_AS, &all);
    none.rlim_max = all.rlim_max;
    if (setrlimit(RLIMIT_AS, &none))
        return 0;
    int error = many(NULL, (tri_grid){1, 1, 1}, a, b, c, 16, 16, 16, ld);
    setrlimit(RLIMIT_AS, &all);
    return error;
}

int main(void)
{
    fill();
    int error = lacks_memory();
    SAME("without memory", 0, error, TRI_ERROR_MEMORY);
    product("many rows", many, 16, rows, columns, 70);
    product("a long loop", many, 16, 40, 33, ld);
    fill();
    product("many rows again", many, 16, rows, columns, 70);
    product("few rows", few_rows, 32, 100, 70, 130);
    fill();
    product("between others", many, 16, 48, columns, 130);
    product("few rows again", few_rows, 32, 100, 70, 130);
    product("one", few_rows, 32, 1, 1, 1);
    own_writes();
    return finish("stays");
}
