/* As many elements are dropped as should be, the rest is scaled, and a seed gives the same elements again. */
#include "dropout.h"

#include "check.h"

enum { n = 100003, block = 1024 };

int main(void)
{
    float *x = random_floats(n), *y = array(n * sizeof *y), *z = array(n * sizeof *z), p = 0.3f;
    tri_grid grid = {(n + block - 1) / block, 1, 1};
    MUST(dropout(NULL, grid, x, y, n, p, 123));
    MUST(dropout(NULL, grid, x, z, n, p, 123));
    int dropped = 0;
    for (int i = 0; i < n; i++) {
        dropped += y[i] == 0;
        near((size_t)i, y[i], y[i] == 0 ? 0 : x[i] / (1 - p), 1e-6);
        near((size_t)i, z[i], y[i], 0);
    }
    near(0, (double)dropped / n, p, 0.01);
    MUST(dropout(NULL, grid, x, z, n, p, 124));
    if (!memcmp(y, z, n * sizeof *y))
        return fprintf(stderr, "another seed gives the same elements\n"), 1;
    printf("dropout: %d of %d dropped\n", dropped, n);
    return 0;
}
