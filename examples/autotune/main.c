/* One object holds all configurations; each call runs the one that the table has for the nearest size. */
#include "autotune.h"

#include "check.h"

enum { rows = 40 };

int main(void)
{
    static const int32_t sizes[] = {99, 511, 5000};
    for (int s = 0; s < 3; s++) {
        int32_t columns = sizes[s];
        float *x = random_floats((size_t)(rows * columns)), *y = array(rows * sizeof *y);
        MUST(row_sums(NULL, (tri_grid){rows, 1, 1}, x, y, columns));
        for (int r = 0; r < rows; r++) {
            double want = 0;
            for (int c = 0; c < columns; c++)
                want += x[r * columns + c];
            near((size_t)r, y[r], want, 1e-3);
        }
    }
    printf("autotune: 3 sizes, largest error %.3g\n", worst);
    return 0;
}
