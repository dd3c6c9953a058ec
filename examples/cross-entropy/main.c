/* Rows of an odd length, one of them ignored, against a reference in double. */
#include "cross_entropy.h"

#include "check.h"

enum { rows = 50, classes = 1001, ignored = -100 };

int main(void)
{
    float *x = random_floats(rows * classes), *loss = array(rows * sizeof *loss),
          *grad = array(rows * classes * sizeof *grad);
    int32_t *target = array(rows * sizeof *target);
    for (int r = 0; r < rows; r++)
        target[r] = r == 7 ? ignored : r * 37 % classes;
    MUST(cross_entropy(NULL, (tri_grid){rows, 1, 1}, x, target, loss, grad, classes, ignored));
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        int kept = target[r] != ignored;
        for (int c = 0; c < classes; c++)
            sum += exp(x[r * classes + c]);
        near((size_t)r, loss[r], kept ? log(sum) - x[r * classes + target[r]] : 0, 1e-4);
        for (int c = 0; c < classes; c++)
            near((size_t)(r * classes + c), grad[r * classes + c],
                 kept ? exp(x[r * classes + c]) / sum - (c == target[r]) : 0, 1e-5);
    }
    printf("cross entropy: %d rows of %d classes, largest error %.3g\n", rows, classes, worst);
    return 0;
}
