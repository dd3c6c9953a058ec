/* Multiplies matrices whose sizes nothing divides, and checks each element against a double sum. The grid comes from
 * -grid: the caller names only the arguments. */
#include "matmul.h"

#include "check.h"

enum { m = 200, n = 131, k = 77 };

int main(void)
{
    float *a = random_floats(m * k), *b = random_floats(k * n), *c = array(m * n * sizeof *c);
    MUST(matmul_run(NULL, a, b, c, m, n, k, k, 1, n, 1, n, 1));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int x = 0; x < k; x++)
                want += (double)a[i * k + x] * b[x * n + j];
            near((size_t)(i * n + j), c[i * n + j], want, 1e-4);
        }
    printf("matmul: %d x %d x %d, largest error %.3g\n", m, n, k, worst);
    return 0;
}
