/* Four products of odd sizes by five programs. */
#include "grouped_matmul.h"

#include "check.h"

enum { groups = 4, programs = 5 };

int main(void)
{
    static const int32_t sizes[groups][3] = {{70, 33, 50}, {1, 90, 17}, {64, 64, 64}, {100, 5, 129}};
    float *a[groups], *b[groups], *c[groups];
    for (int g = 0; g < groups; g++) {
        const int32_t *s = sizes[g];
        a[g] = random_floats((size_t)(s[0] * s[2]));
        b[g] = random_floats((size_t)(s[2] * s[1]));
        c[g] = array((size_t)(s[0] * s[1]) * sizeof(float));
    }
    MUST(grouped_matmul(NULL, (tri_grid){programs, 1, 1}, (int64_t *)a, (int64_t *)b, (int64_t *)c, (int32_t *)sizes,
                        groups));
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < sizes[g][0]; i++)
            for (int j = 0; j < sizes[g][1]; j++) {
                double want = 0;
                for (int x = 0; x < sizes[g][2]; x++)
                    want += (double)a[g][i * sizes[g][2] + x] * b[g][x * sizes[g][1] + j];
                near((size_t)(i * sizes[g][1] + j), c[g][i * sizes[g][1] + j], want, 1e-4);
            }
    printf("grouped matmul: %d products, largest error %.3g\n", groups, worst);
    return 0;
}
