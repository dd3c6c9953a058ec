/* The simulator finds what is wrong with lowered kernels whose barriers are left out, and nothing in the same
 * kernels with them. */
#include "tests/unit/gpu_run.h"

enum { rows = 32, columns = 32, count = rows * columns };

static float x[count], y[count];

#define POINTERS(base) \
    "  %" base "s = tt.splat %" base " : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>\n" \
    "  %" base "p = tt.addptr %" base "s, %o : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>\n"

static const char begin[] = "tt.func public @kernel(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> "
                            "{tt.divisibility = 16 : i32}) {\n"
                            "  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>\n"
                            "  %m = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>\n"
                            "  %n = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>\n"
                            "  %c = arith.constant dense<32> : tensor<32x1xi32>\n"
                            "  %w = arith.muli %m, %c : tensor<32x1xi32>\n"
                            "  %a = tt.broadcast %w : tensor<32x1xi32> -> tensor<32x32xi32>\n"
                            "  %b = tt.broadcast %n : tensor<1x32xi32> -> tensor<32x32xi32>\n"
                            "  %o = arith.addi %a, %b : tensor<32x32xi32>\n" POINTERS("in")
                                POINTERS("out") "  %x = tt.load %inp : tensor<32x32x!tt.ptr<f32>>\n";

#define SUM(result, value) \
    "  " result " = \"tt.reduce\"(" value ") <{axis = 0 : i32}> ({\n^bb0(%p: f32, %q: f32):\n" \
    "    %e = arith.addf %p, %q : f32\n    tt.reduce.return %e : f32\n  }) : (tensor<32x32xf32>) -> tensor<32xf32>\n"

/* Sums over all warps, twice through the same shared memory: the second must wait for the first one's readers. */
static const char sums[] =
    SUM("%s1", "%x")
    "  %e1 = tt.expand_dims %s1 {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>\n"
    "  %b1 = tt.broadcast %e1 : tensor<1x32xf32> -> tensor<32x32xf32>\n"
    "  %d = arith.subf %b1, %x : tensor<32x32xf32>\n"
    SUM("%s2", "%d")
    "  %e2 = tt.expand_dims %s2 {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>\n"
    "  %b2 = tt.broadcast %e2 : tensor<1x32xf32> -> tensor<32x32xf32>\n"
    "  tt.store %outp, %b2 : tensor<32x32x!tt.ptr<f32>>\n  tt.return\n}\n";

static bool runs_clean(const char *body, const char *left_out)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", begin, body);
    gpu_case c = {.text = text, .arch = "sm_80", .warps = 4, .grid = 1, .left_out = left_out};
    gpu_arg args[] = {GPU_BUFFER(x), GPU_BUFFER(y)};
    return gpu_run(&c, args, 2);
}

int main(void)
{
    for (int i = 0; i < count; i++)
        x[i] = (float)i;
    CHECK(runs_clean(sums, NULL));
    for (int i = 0; i < count; i++) { /* 32 s - s, where s is the sum of a column of small integers */
        float s = 0;
        for (int m = 0; m < rows; m++)
            s += x[m * columns + i % columns];
        CHECK(y[i] == 31 * s);
    }
    CHECK(!runs_clean(sums, "membar"));
    return failures ? 1 : 0;
}
