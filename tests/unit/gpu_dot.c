/* Matrix products on the simulator: element types, shapes, warps, with tensor cores and pipelined loops. */
#include "tests/unit/gpu_run.h"

#include "runtime/float.h"

enum { max_size = 128 * 128 };

static unsigned char a[max_size * 8], b[max_size * 8], c[max_size * 8];
static double da[max_size], db[max_size];
static char text[16384];

static int first_sum; /* of integers */

typedef struct {
    const char *in, *acc, *precision;
    int in_bytes, acc_bytes;
    double tolerance;
} types;

static double random_small(void) { return (double)((int)(gpu_random() % 17) - 8) / 8; }

static void put(unsigned char *at, int i, const types *t, double v)
{
    if (!strcmp(t->in, "f16") || !strcmp(t->in, "bf16")) {
        float f = (float)v;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        /* multiples of 1/8 below 2 are exact in both */
        uint16_t half = (uint16_t)(bits >> 16);
        if (!strcmp(t->in, "f16")) {
            int exponent = (int)(bits >> 23 & 0xff) - 127 + 15;
            half = (uint16_t)(v == 0 ? 0 : (bits >> 16 & 0x8000) | (uint32_t)exponent << 10 | (bits >> 13 & 0x3ff));
        }
        memcpy(at + 2 * i, &half, 2);
    } else if (!strcmp(t->in, "f32")) {
        float f = (float)v;
        memcpy(at + 4 * i, &f, 4);
    } else if (!strcmp(t->in, "f64")) {
        memcpy(at + 8 * i, &v, 8);
    } else if (!strcmp(t->in, "i8")) {
        int8_t s = (int8_t)(v * 8);
        memcpy(at + i, &s, 1);
    } else { /* e4m3: every multiple of 1/8 up to 1 has a code */
        for (int code = 0; code < 0x7f; code++) {
            int e = code >> 3, m = code & 7;
            if ((e ? ldexp(8 + m, e - 10) : ldexp(m, -9)) == fabs(v))
                at[i] = (unsigned char)(code | (v < 0 ? 0x80 : 0));
        }
    }
}

static double get(const unsigned char *at, int i, const types *t)
{
    if (t->acc_bytes == 8) {
        double v;
        memcpy(&v, at + 8 * i, 8);
        return v;
    }
    if (!strcmp(t->acc, "i32")) {
        int32_t v;
        memcpy(&v, at + 4 * i, 4);
        return v;
    }
    if (t->acc_bytes == 2) {
        uint16_t h;
        memcpy(&h, at + 2 * i, 2);
        int exponent = h >> 10 & 31, mantissa = h & 1023;
        double v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
        return h & 0x8000 ? -v : v;
    }
    float v;
    memcpy(&v, at + 4 * i, 4);
    return v;
}

/* One block: C[m,n] = A[m,k] * B[k,n], K in steps of `step`. */
static const char *matmul(int m, int n, int k, int step, const types *t)
{
    char at[64], bt[64], ct[64], first[16];
    snprintf(at, sizeof at, "tensor<%dx%dx", m, step);
    snprintf(bt, sizeof bt, "tensor<%dx%dx", step, n);
    snprintf(ct, sizeof ct, "tensor<%dx%dx", m, n);
    const char *in = t->in;
    snprintf(first, sizeof first, "%d", first_sum);
    int len = snprintf(
        text, sizeof text,
        "tt.func public @kernel(%%a: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%b: !tt.ptr<%s> {tt.divisibility = 16 "
        ": i32}, "
        "%%c: !tt.ptr<%s> {tt.divisibility = 16 : i32}) {\n"
        "  %%c0 = arith.constant 0 : i32\n  %%c1 = arith.constant 1 : i32\n  %%steps = arith.constant %d : i32\n"
        "  %%zero = arith.constant dense<%s> : %s%s>\n"
        "  %%rm = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
        "  %%rn = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
        "  %%rk = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
        "  %%em = tt.expand_dims %%rm {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>\n"
        "  %%en = tt.expand_dims %%rn {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>\n"
        "  %%ek0 = tt.expand_dims %%rk {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>\n"
        "  %%ek1 = tt.expand_dims %%rk {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>\n",
        in, in, t->acc, k / step, !strcmp(t->acc, "i32") ? first : "0.0", ct, t->acc, m, m, n, n, step, step, m, m, n,
        n, step, step, step, step);
    len += snprintf(
        text + len, sizeof text - (size_t)len,
        "  %%wk = arith.constant dense<%d> : tensor<%dx1xi32>\n  %%am = arith.muli %%em, %%wk : tensor<%dx1xi32>\n"
        "  %%wn = arith.constant dense<%d> : tensor<%dx1xi32>\n  %%bk = arith.muli %%ek1, %%wn : tensor<%dx1xi32>\n"
        "  %%wm = arith.constant dense<%d> : tensor<%dx1xi32>\n  %%cm = arith.muli %%em, %%wm : tensor<%dx1xi32>\n"
        "  %%a0 = tt.broadcast %%am : tensor<%dx1xi32> -> %si32>\n  %%a1 = tt.broadcast %%ek0 : tensor<1x%dxi32> -> "
        "%si32>\n"
        "  %%b0 = tt.broadcast %%bk : tensor<%dx1xi32> -> %si32>\n  %%b1 = tt.broadcast %%en : tensor<1x%dxi32> -> "
        "%si32>\n"
        "  %%d0 = tt.broadcast %%cm : tensor<%dx1xi32> -> %si32>\n  %%d1 = tt.broadcast %%en : tensor<1x%dxi32> -> "
        "%si32>\n"
        "  %%ao = arith.addi %%a0, %%a1 : %si32>\n  %%bo = arith.addi %%b0, %%b1 : %si32>\n  %%co = arith.addi %%d0, "
        "%%d1 : %si32>\n",
        k, m, m, n, step, step, n, m, m, m, at, step, at, step, bt, n, bt, m, ct, n, ct, at, bt, ct);
    len += snprintf(
        text + len, sizeof text - (size_t)len,
        "  %%as = tt.splat %%a : !tt.ptr<%s> -> %s!tt.ptr<%s>>\n  %%bs = tt.splat %%b : !tt.ptr<%s> -> %s!tt.ptr<%s>>\n"
        "  %%ap = tt.addptr %%as, %%ao : %s!tt.ptr<%s>>, %si32>\n  %%bp = tt.addptr %%bs, %%bo : %s!tt.ptr<%s>>, "
        "%si32>\n"
        "  %%astep = arith.constant dense<%d> : %si32>\n  %%bstep = arith.constant dense<%d> : %si32>\n",
        in, at, in, in, bt, in, at, in, at, bt, in, bt, step, at, step * n, bt);
    snprintf(text + len, sizeof text - (size_t)len,
             "  %%r:3 = scf.for %%i = %%c0 to %%steps step %%c1 iter_args(%%acc = %%zero, %%pa = %%ap, %%pb = %%bp) -> "
             "(%s%s>, %s!tt.ptr<%s>>, %s!tt.ptr<%s>>) : i32 {\n"
             "    %%la = tt.load %%pa : %s!tt.ptr<%s>>\n    %%lb = tt.load %%pb : %s!tt.ptr<%s>>\n"
             "    %%d = tt.dot %%la, %%lb, %%acc%s : %s%s> * %s%s> -> %s%s>\n"
             "    %%na = tt.addptr %%pa, %%astep : %s!tt.ptr<%s>>, %si32>\n    %%nb = tt.addptr %%pb, %%bstep : "
             "%s!tt.ptr<%s>>, %si32>\n"
             "    scf.yield %%d, %%na, %%nb : %s%s>, %s!tt.ptr<%s>>, %s!tt.ptr<%s>>\n  }\n"
             "  %%cs = tt.splat %%c : !tt.ptr<%s> -> %s!tt.ptr<%s>>\n  %%cp = tt.addptr %%cs, %%co : %s!tt.ptr<%s>>, "
             "%si32>\n"
             "  tt.store %%cp, %%r#0 : %s!tt.ptr<%s>>\n  tt.return\n}\n",
             ct, t->acc, at, in, bt, in, at, in, bt, in, t->precision, at, in, bt, in, ct, t->acc, at, in, at, bt, in,
             bt, ct, t->acc, at, in, bt, in, t->acc, ct, t->acc, ct, t->acc, ct, ct, t->acc);
    return text;
}

static void run_matmul(int m, int n, int k, int step, const types *t, int warps, const char *arch)
{
    for (int i = 0; i < m * k; i++)
        put(a, i, t, da[i] = random_small());
    for (int i = 0; i < k * n; i++)
        put(b, i, t, db[i] = random_small());
    memset(c, 0xff, sizeof c);
    gpu_case test = {matmul(m, n, k, step, t), arch, warps, .grid = 1};
    gpu_arg args[] = {{a, (size_t)(m * k * t->in_bytes), 0},
                      {b, (size_t)(k * n * t->in_bytes), 0},
                      {c, (size_t)(m * n * t->acc_bytes), 0}};
    bool ok = gpu_run(&test, args, 3);
    CHECK(ok);
    double scale = !strcmp(t->in, "i8") ? 64 : 1;
    for (int i = 0; ok && i < m; i++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int x = 0; x < k; x++)
                want += da[i * k + x] * db[x * n + j];
            if (first_sum) /* saturates */
                want = fmin(fmax(want * scale + first_sum, INT32_MIN), INT32_MAX) / scale;
            double got = get(c, i * n + j, t) / scale;
            if (!(fabs(got - want) <= t->tolerance)) {
                fprintf(stderr, "%s %dx%dx%d step %d warps %d %s: [%d,%d] = %g, should be %g\n", t->in, m, n, k, step,
                        warps, arch, i, j, got, want);
                CHECK(false);
                return;
            }
        }
}

int main(void)
{
    static const types all[] = {
        {"f16", "f32", "", 2, 4, 1e-5},  {"f16", "f16", "", 2, 2, 0.05},
        {"bf16", "f32", "", 2, 4, 1e-5}, {"f32", "f32", ", inputPrecision = tf32", 4, 4, 1e-5},
        {"f32", "f32", "", 4, 4, 1e-5},  {"f64", "f64", "", 8, 8, 1e-9},
        {"i8", "i32", "", 1, 4, 0},
    };
    for (size_t t = 0; t < sizeof all / sizeof *all; t++) {
        run_matmul(32, 32, 64, 32, &all[t], 1, "sm_80");
        run_matmul(64, 64, 128, 32, &all[t], 4, "sm_80");
        run_matmul(16, 64, 64, 64, &all[t], 2, "sm_90a");
    }
    /* products of warp groups: one and two groups, next to and below each other, deeper than a swizzle row */
    static const types groups[] = {
        {"f16", "f32", "", 2, 4, 1e-5},  {"f16", "f16", "", 2, 2, 0.05},
        {"bf16", "f32", "", 2, 4, 1e-5}, {"f32", "f32", ", inputPrecision = tf32", 4, 4, 1e-5},
        {"i8", "i32", "", 1, 4, 0},      {"f8E4M3FN", "f32", " {maxNumImpreciseAcc = 1073741824 : i32}", 1, 4, 1e-5},
    };
    for (size_t t = 0; t < sizeof groups / sizeof *groups; t++) {
        run_matmul(64, 64, 128, 32, &groups[t], 4, "sm_90a");
        run_matmul(64, 128, 128, 64, &groups[t], 8, "sm_90a");
    }
    run_matmul(128, 32, 128, 128, &groups[0], 8, "sm_90a");
    run_matmul(128, 128, 64, 16, &groups[2], 4, "sm_90a");
    static const types small = {"f8E4M3FN", "f32", "", 1, 4, 1e-5};
    run_matmul(32, 32, 64, 32, &small, 1, "sm_89");
    run_matmul(64, 64, 128, 64, &small, 4, "sm_90a");
    run_matmul(32, 32, 64, 32, &small, 2, "sm_80");
    run_matmul(128, 64, 128, 32, &all[0], 8, "sm_80");
    run_matmul(32, 32, 64, 32, &all[4], 4, "spirv64");
    gpu_release = 306;
    run_matmul(32, 32, 64, 32, &all[6], 1, "sm_80");
    first_sum = INT32_MAX - 100;
    run_matmul(32, 32, 32, 32, &all[6], 1, "sm_80");
    first_sum = INT32_MIN + 100;
    run_matmul(32, 32, 32, 32, &all[6], 1, "sm_80");
    return failures != 0;
}
