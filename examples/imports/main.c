/* Two instances of one kernel in one object, each with its activation. */
#include "imports.h"

#include "check.h"

enum { n = 5000, block = 256 };

int main(void)
{
    float *x = random_floats(n), *gate = random_floats(n), *y = array(n * sizeof *y), *z = array(n * sizeof *z);
    tri_grid grid = {(n + block - 1) / block, 1, 1};
    MUST(gated_gelu(NULL, grid, x, gate, y, n));
    MUST(gated_silu(NULL, grid, x, gate, z, n));
    for (size_t i = 0; i < n; i++) {
        double g = gate[i];
        near(i, y[i], x[i] * 0.5 * g * (1 + erf(g * sqrt(0.5))), 1e-6);
        near(i, z[i], x[i] * g / (1 + exp(-g)), 1e-6);
    }
    printf("imports: 2 activations, largest error %.3g\n", worst);
    return 0;
}
