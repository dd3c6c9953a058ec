#include "wrap.h"

#include "check.h"

enum { block = 64, size = 4096 };

static float memory[2 * size], out[size];
static float *const x = memory + size; /* what is below zero may be read */

static void lines(int start, int n)
{
    for (int k = 0; k < 3; k++) {
        if (k == 1 && (start % 16 || n % 16))
            continue;
        if (k == 2 && (start < 0 || start % 16 || n % 64))
            continue;
        memset(out, 0, sizeof out);
        if (k == 0)
            LAUNCH(wrapped(NULL, one, x, out, start, n));
        else if (k == 1)
            LAUNCH(wrapped16(NULL, one, x, out, start, n));
        else
            LAUNCH(believed(NULL, one, x, out, start, n));
        for (int i = 0; i < block; i++)
            NEAR("wrapped", i, out[i], x[(start + i) % n], 0);
    }
    if (start % 16 == 0 && n % 16 == 0) {
        LAUNCH(unsigned16(NULL, one, x, out, start, n));
        for (int i = 0; i < block && start >= 0; i++)
            NEAR("unsigned", i, out[i], x[(unsigned)(start + i) % (unsigned)n], 0);
    }
    double sum = 0;
    for (int i = 0; i < block; i++)
        sum += (double)x[(start + i) % n] * (i + 1);
    LAUNCH(total(NULL, one, x, out, start, n));
    NEAR("total", 0, out[0], sum, 1e-5);
    if (start % 16 == 0 && n % 16 == 0) {
        LAUNCH(total16(NULL, one, x, out, start, n));
        NEAR("total", 16, out[0], sum, 1e-5);
    }
}

static void blocks(int r, int c, int m, int n)
{
    for (int k = 0; k < 2; k++) {
        if (k == 1 && (r % 16 || c % 16 || m % 16 || n % 16))
            continue;
        if (k == 0)
            LAUNCH(rows(NULL, one, x, out, r, c, m, n));
        else
            LAUNCH(rows16(NULL, one, x, out, r, c, m, n));
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 64; j++)
                NEAR("rows", i * 64 + j, out[i * 64 + j], x[(r + i) % m * n + (c + j) % n], 0);
    }
}

/* Blocks of one line, where rows are read in place, and of several. */
static void lines_of_pixels(int start, int width, int pitch)
{
    static float w[64 * 16];
    for (int i = 0; i < 64 * 16; i++)
        w[i] = (float)(i * 7 % 5 - 2);
    for (int k = 0; k < (start < 0 ? 1 : 2); k++) {
        if (k == 0)
            LAUNCH(images(NULL, one, x, w, out, start, width, pitch));
        else
            LAUNCH(images_u(NULL, one, x, w, out, start, width, pitch));
        for (int i = 0; i < 32 * 16; i++) {
            double sum = 0;
            int m = start + i / 16;
            for (int q = 0; q < 64; q++)
                sum += (double)x[(m / width + q / 32) * pitch + m % width * 3 + q % 32] * w[q * 16 + i % 16];
            NEAR("pixels", i, out[i], sum, 1e-5);
        }
    }
}

int main(void)
{
    static const int starts[] = {0, 16, 48, 64, 5, 100, 1008, -16, -64, -3, -100};
    static const int sizes[] = {16, 32, 48, 64, 80, 128, 1024, 1, 3, 17, 63, 65, 100, 1000};
    for (int i = 0; i < 2 * size; i++)
        memory[i] = (float)i;
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
            lines(starts[s], sizes[n]);
    for (int m = 16; m <= 40; m += 8)
        for (int n = 16; n <= 80; n += 8)
            for (int c = -32; c <= 48; c += 16)
                blocks(c / 2, c, m, n);
    for (int start = -32; start < 64; start += 16) {
        memset(memory, 0, sizeof memory);
        LAUNCH(stored(NULL, one, out, x, start, 80));
        for (int i = 0; i < block; i++)
            NEAR("stored", i, x[(start + i) % 80], out[i], 0);
    }
    for (int i = 0; i < 2 * size; i++)
        memory[i] = (float)i;
    static const int widths[] = {1, 2, 7, 16, 31, 32, 33, 48, 64, 100, 2000};
    for (size_t n = 0; n < sizeof widths / sizeof *widths; n++)
        for (int start = -64; start <= 96; start += 8)
            lines_of_pixels(start, widths[n], 13);
    LAUNCH(runs(NULL, one, x, out, 77));
    for (int i = 0; i < 128; i++)
        NEAR("runs", i, out[i], x[i / 32 * 77 + i % 32] + x[i / 16], 0);
    return failures != 0;
}
