#include "control.h"

#include "check.h"

static void loops(void)
{
    static int32_t x[50], out[50];
    for (int i = 0; i < 50; i++)
        x[i] = i + 1;
    tri_grid grid = {50, 1, 1};
    LAUNCH(collatz(NULL, grid, x, out, 50));
    for (int i = 0; i < 50; i++) {
        int steps = 0;
        for (int v = x[i]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
            steps++;
        SAME("collatz", i, out[i], steps);
    }
    static int32_t list[8];
    LAUNCH(down(NULL, one, list, 11));
    static const int32_t want[8] = {11, 8, 5, 2};
    for (int i = 0; i < 8; i++)
        SAME("down", i, list[i], want[i]);
}

static void choices(void)
{
    enum { n = 50 };
    static float x[n], out[n];
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] = random_float();
    for (int which = 0; which < 4; which++) {
        LAUNCH(branches(NULL, one, x, out, n, which));
        for (int i = 0; i < n; i++) {
            double want = which == 0 ? x[i] + 1 : which == 1 ? x[i] * sum : exp(x[i]) - (which > 2 ? x[i] : 0);
            NEAR("branch", i, out[i], want, 2e-6);
        }
    }
    static int32_t y[20];
    tri_grid grid = {20, 1, 1};
    LAUNCH(early(NULL, grid, y, 15, 7));
    for (int i = 0; i < 20; i++)
        SAME("early", i, y[i], i >= 15 ? 0 : i > 7 ? i + 1 : i * 100);
}

static void nests(void)
{
    enum { n = 32, rows = 3, steps = 7 };
    static float x[rows * n], out[n + 1], both[128], turned[128];
    double best = 0;
    for (int i = 0; i < rows * n; i++)
        x[i] = random_float();
    LAUNCH(nested(NULL, one, x, out, rows, steps));
    for (int i = 0; i < n; i++) {
        double total = 0;
        for (int r = 0; r < rows; r++) {
            double acc = x[r * n + i];
            for (int s = 0; s < steps; s += 2)
                acc = acc * 0.5 + x[r * n + i] * s + (s == 4 ? total : 0);
            total += acc;
            best = acc > best ? acc : best;
        }
        NEAR("total", i, out[i], total, 1e-5);
    }
    NEAR("best", 0, out[n], best, 1e-5);
    for (int i = 0; i < 128; i++)
        both[i] = random_float();
    LAUNCH(swapping(NULL, one, both, turned, 9));
    for (int i = 0; i < 64; i++) {
        float a = both[i], b = both[64 + i];
        for (int k = 0; k < 9; k++) {
            float c = a + b;
            a = b;
            b = c;
        }
        NEAR("a", i, turned[i], a, 0);
        NEAR("b", i, turned[64 + i], b, 0);
    }
}

static void calls(void)
{
    static float x[64], out[65];
    double sum = 0;
    for (int i = 0; i < 64; i++)
        sum += x[i] = random_float();
    LAUNCH(helpers(NULL, one, x, out));
    for (int i = 0; i < 64; i++)
        NEAR("scaled", i, out[i], x[i] * 1.5, 1e-6);
    NEAR("sums", 0, out[64], sum + 63 * 32, 1e-5);
}

int main(void)
{
    loops();
    choices();
    nests();
    calls();
    return finish("control");
}
