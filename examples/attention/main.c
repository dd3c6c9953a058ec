/* Causal attention of 3 heads against a reference in double. */
#include "attention.h"

#include "check.h"

enum { heads = 3, length = 128, d = 32, block = 32 };

static void reference(const float *q, const float *k, const float *v, int row, double scale, double *out)
{
    double weight[length], sum = 0, top = -INFINITY;
    for (int j = 0; j <= row; j++) {
        weight[j] = 0;
        for (int x = 0; x < d; x++)
            weight[j] += (double)q[row * d + x] * k[j * d + x] * scale;
        top = fmax(top, weight[j]);
    }
    for (int j = 0; j <= row; j++)
        sum += weight[j] = exp(weight[j] - top);
    for (int x = 0; x < d; x++) {
        out[x] = 0;
        for (int j = 0; j <= row; j++)
            out[x] += weight[j] / sum * v[j * d + x];
    }
}

int main(void)
{
    size_t size = heads * length * d;
    float *q = random_floats(size), *k = random_floats(size), *v = random_floats(size), *o = array(size * sizeof *o);
    float scale = 0.125f;
    MUST(attention(NULL, (tri_grid){length / block, heads, 1}, q, k, v, o, scale, heads, length));
    for (int h = 0; h < heads; h++)
        for (int row = 0; row < length; row++) {
            double want[d];
            size_t at = (size_t)h * length * d;
            reference(q + at, k + at, v + at, row, scale, want);
            for (int x = 0; x < d; x++)
                near(at + row * d + x, o[at + row * d + x], want[x], 1e-4);
        }
    printf("attention: %d heads of %d x %d, causal, largest error %.3g\n", heads, length, d, worst);
    return 0;
}
