/* Functions that the GPU lowering writes out: logarithms, sine, cosine, 8-bit floats, on the simulator. */
#include "tests/unit/gpu_run.h"

enum { count = 1024 };

static float x[count], y[count];
static unsigned char bytes[count];
static char text[4096];

static const char *unary(const char *op, const char *in, const char *out)
{
    snprintf(text, sizeof text,
             "tt.func public @kernel(%%in: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%out: !tt.ptr<%s> "
             "{tt.divisibility = 16 : i32}) {\n"
             "  %%r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>\n"
             "  %%b = tt.splat %%in : !tt.ptr<%s> -> tensor<1024x!tt.ptr<%s>>\n"
             "  %%p = tt.addptr %%b, %%r : tensor<1024x!tt.ptr<%s>>, tensor<1024xi32>\n"
             "  %%x = tt.load %%p : tensor<1024x!tt.ptr<%s>>\n"
             "  %%y = %s\n"
             "  %%c = tt.splat %%out : !tt.ptr<%s> -> tensor<1024x!tt.ptr<%s>>\n"
             "  %%q = tt.addptr %%c, %%r : tensor<1024x!tt.ptr<%s>>, tensor<1024xi32>\n"
             "  tt.store %%q, %%y : tensor<1024x!tt.ptr<%s>>\n  tt.return\n}\n",
             in, out, in, in, in, in, op, out, out, out, out);
    return text;
}

static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void check_function(const char *op, double (*reference)(double), double ulps)
{
    gpu_case c = {unary(op, "f32", "f32"), "sm_80", 4, .grid = 1};
    gpu_arg args[] = {GPU_BUFFER(x), GPU_BUFFER(y)};
    CHECK(gpu_run(&c, args, 2));
    for (int i = 0; i < count; i++) {
        double want = reference(x[i]);
        if (isnan(want) || isinf(want)) {
            bool ok = isnan(want) ? isnan(y[i]) : y[i] == want;
            if (!ok)
                fprintf(stderr, "%s(%a) = %g, should be %g\n", op, x[i], y[i], want);
            CHECK(ok);
            continue;
        }
        double unit = ldexp(1, ilogb(fabs(want) < 1e-37 ? 1e-37 : want) - 23);
        if (fabs(y[i] - want) > ulps * unit) {
            fprintf(stderr, "%s(%a = %g) = %.9g, should be %.9g: off by %g units\n", op, x[i], x[i], y[i], want,
                    fabs(y[i] - want) / unit);
            CHECK(false);
            return;
        }
    }
}

static const float specials[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e-45f, 1.17549435e-38f,
                                 3.40282347e38f, 0.99999994f, 1.00000012f, 65535.99f, 65536.0f, 1e10f, 1e30f, -1e22f,
                                 1.57079637f, 3.14159274f, 6.28318548f, 102943.7f};

static void fill(bool wide)
{
    for (int i = 0; i < count; i++)
        x[i] = wide ? from_bits((gpu_random() << 16) ^ gpu_random()) : gpu_random_float() * 20;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        x[i] = specials[i];
}

/* ---- 8-bit floats ---- */

static double decode(unsigned code, int exponent_bits, int mantissa_bits, int bias, bool has_infinity)
{
    int e = (int)(code & 0x7f) >> mantissa_bits, m = (int)code & ((1 << mantissa_bits) - 1);
    int top = (1 << exponent_bits) - 1;
    double sign = code & 0x80 ? -1 : 1;
    if (has_infinity && e == top)
        return m ? NAN : sign * INFINITY;
    if (!has_infinity && (code & 0x7f) == 0x7f)
        return NAN;
    return sign * (e ? ldexp((1 << mantissa_bits) + m, e - bias - mantissa_bits) : ldexp(m, 1 - bias - mantissa_bits));
}

static void check_fp8(const char *name, int e, int m, int bias, bool has_infinity, const char *arch)
{
    char op[128];
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)i;
    snprintf(op, sizeof op, "tt.fp_to_fp %%x : tensor<1024x%s> -> tensor<1024xf32>", name);
    gpu_case widen = {unary(op, name, "f32"), arch, 4, .grid = 1};
    gpu_arg args[] = {GPU_BUFFER(bytes), GPU_BUFFER(y)};
    CHECK(gpu_run(&widen, args, 2));
    for (int i = 0; i < 256; i++) {
        double want = decode((unsigned)i, e, m, bias, has_infinity);
        bool ok = isnan(want) ? isnan(y[i]) : y[i] == want;
        if (!ok)
            fprintf(stderr, "%s %s: %02x is %g, should be %g\n", arch, name, i, y[i], want);
        CHECK(ok);
    }
    /* to nearest even, too large values to the largest: every code, and points between codes */
    int n = 0;
    double largest = 0;
    for (unsigned code = 0; code < 0x7f; code++) {
        double v = decode(code, e, m, bias, has_infinity), next = decode(code + 1, e, m, bias, has_infinity);
        if (isnan(v) || isinf(v))
            continue;
        largest = v;
        x[n++] = (float)v;
        x[n++] = (float)-v;
        if (!isnan(next) && !isinf(next)) {
            x[n++] = (float)((v + next) / 2);
            x[n++] = nextafterf((float)((v + next) / 2), 1e9f);
            x[n++] = -nextafterf((float)((v + next) / 2), 0);
        }
    }
    for (; n < count; n++)
        x[n] = gpu_random_float() * (n % 2 ? 1 : 200);
    snprintf(op, sizeof op, "tt.fp_to_fp %%x, rounding = rtne : tensor<1024xf32> -> tensor<1024x%s>", name);
    gpu_case narrow = {unary(op, "f32", name), arch, 4, .grid = 1};
    gpu_arg back[] = {GPU_BUFFER(x), GPU_BUFFER(bytes)};
    CHECK(gpu_run(&narrow, back, 2));
    for (int i = 0; i < count; i++) {
        double v = fabs(x[i]) > largest ? copysign(largest, x[i]) : x[i],
               got = decode(bytes[i], e, m, bias, has_infinity);
        for (unsigned code = 0; code < 256; code++) {
            double other = decode(code, e, m, bias, has_infinity);
            if (isnan(other) || isinf(other))
                continue;
            double better = fabs(other - v), mine = fabs(got - v);
            if (better < mine || (better == mine && other != got && (bytes[i] & 1) && !(code & 1))) {
                fprintf(stderr, "%s %s: %g became %g, not %g\n", arch, name, x[i], got, other);
                CHECK(false);
                return;
            }
        }
    }
}

int main(void)
{
    for (int wide = 0; wide < 2; wide++) {
        fill(wide);
        check_function("math.sin %x : tensor<1024xf32>", sin, 2);
        check_function("math.cos %x : tensor<1024xf32>", cos, 2);
        for (int i = 0; i < count; i++)
            x[i] = i >= 8 ? fabsf(x[i]) : x[i];
        check_function("math.log %x : tensor<1024xf32>", log, 2);
        check_function("math.log2 %x : tensor<1024xf32>", log2, 2);
    }
    static const char *const archs[] = {"sm_80", "sm_90a"};
    for (int a = 0; a < 2; a++) {
        check_fp8("f8E4M3FN", 4, 3, 7, false, archs[a]);
        check_fp8("f8E5M2", 5, 2, 15, true, archs[a]);
    }
    return failures != 0;
}
