/* Descriptors as arguments and through control flow. */
#include "descriptors.h"
#include "tests/exec/check.h"

enum { rows = 37, columns = 50, pitch = 64 };

static float x[rows * pitch], y[rows * pitch];

static void copies(int pads_nan)
{
    tri_tensordesc src = {x, {rows, columns, 0, 0, 0}, {pitch, 1, 0, 0, 0}, pads_nan};
    tri_tensordesc dst = {y, {rows, columns, 0, 0, 0}, {pitch, 1, 0, 0, 0}, 0};
    for (int i = 0; i < rows * pitch; i++) {
        x[i] = (float)i;
        y[i] = -1;
    }
    LAUNCH(copy(0, (tri_grid){3, 1, 1}, &src, &dst, columns));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < pitch; j++)
            NEAR("copied", i * pitch + j, y[i * pitch + j], j < columns ? 2 * x[i * pitch + j] : -1, 0);
}

/* The source is smaller than the destination: what lies outside is the padding. */
static void pads(int pads_nan)
{
    tri_tensordesc src = {x, {5, 7, 0, 0, 0}, {pitch, 1, 0, 0, 0}, pads_nan};
    tri_tensordesc dst = {y, {16, 32, 0, 0, 0}, {pitch, 1, 0, 0, 0}, 0};
    LAUNCH(copy(0, (tri_grid){1, 1, 1}, &src, &dst, 32));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 32; j++) {
            float outside = pads_nan ? (float)NAN : 0;
            NEAR("padded", i * pitch + j, y[i * pitch + j], i < 5 && j < 7 ? 2 * x[i * pitch + j] : outside, 0);
        }
}

int main(void)
{
    int32_t shape[2];
    int64_t strides[2];
    tri_tensordesc half = {0, {123, 456, 0, 0, 0}, {INT64_C(1) << 33, 1, 0, 0, 0}, 0};
    copies(0);
    pads(0);
    pads(1);
    LAUNCH(extents(0, (tri_grid){1, 1, 1}, &half, shape, strides));
    for (int i = 0; i < 2; i++) {
        SAME("extent", i, shape[i], half.shape[i]);
        SAME("stride", i, strides[i], half.strides[i]);
    }
    float a[8 * 16], b[8 * 16], out[8 * 16];
    for (int i = 0; i < 8 * 16; i++) {
        a[i] = 1;
        b[i] = (float)i;
    }
    for (int flag = 0; flag < 2; flag++) {
        LAUNCH(choose(0, (tri_grid){1, 1, 1}, a, b, out, 8, 16, flag));
        for (int i = 0; i < 8 * 16; i++)
            NEAR("chosen", i, out[i], (flag ? b[i] : a[i]) + 3 * b[i], 0);
    }
    return finish("descriptors");
}
