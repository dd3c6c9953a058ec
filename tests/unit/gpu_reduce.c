/* Reductions and scans on the simulator: shapes, axes, warps, types, tuples, directions. */
#include "tests/unit/gpu_run.h"

enum { max_elements = 4096 };

static float x[max_elements], y[max_elements];
static int32_t ix[max_elements], iy[max_elements], index_out[max_elements];
static char text[8192];

static void fill(int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = gpu_random_float();
        ix[i] = (int32_t)gpu_random() % 1000 - 500;
    }
}

/* A kernel that loads an M x N tensor of `type`, does `body` to %%x and stores %%r. */
static const char *kernel_2d(int m, int n, const char *type, int out_m, int out_n, const char *body)
{
    snprintf(text, sizeof text,
             "tt.func public @kernel(%%in: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%out: !tt.ptr<%s> "
             "{tt.divisibility = 16 : i32}) {\n"
             "  %%rm = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
             "  %%rn = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
             "  %%em = tt.expand_dims %%rm {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>\n"
             "  %%en = tt.expand_dims %%rn {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>\n"
             "  %%w = arith.constant dense<%d> : tensor<%dx1xi32>\n"
             "  %%sm = arith.muli %%em, %%w : tensor<%dx1xi32>\n"
             "  %%bm = tt.broadcast %%sm : tensor<%dx1xi32> -> tensor<%dx%dxi32>\n"
             "  %%bn = tt.broadcast %%en : tensor<1x%dxi32> -> tensor<%dx%dxi32>\n"
             "  %%o = arith.addi %%bm, %%bn : tensor<%dx%dxi32>\n"
             "  %%b = tt.splat %%in : !tt.ptr<%s> -> tensor<%dx%dx!tt.ptr<%s>>\n"
             "  %%p = tt.addptr %%b, %%o : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>\n"
             "  %%x = tt.load %%p : tensor<%dx%dx!tt.ptr<%s>>\n%s"
             "  tt.return\n}\n",
             type, type, m, m, n, n, m, m, n, n, n, m, m, m, m, n, n, m, n, m, n, type, m, n, type, m, n, type, m, n, m,
             n, type, body);
    (void)out_m, (void)out_n;
    return text;
}

static void reduce_2d(int m, int n, int axis, int warps, const char *arch)
{
    static char body[2048];
    int kept = axis == 0 ? n : m;
    snprintf(body, sizeof body,
             "  %%s = \"tt.reduce\"(%%x) <{axis = %d : i32}> ({\n  ^bb0(%%a: f32, %%c: f32):\n"
             "    %%t = arith.addf %%a, %%c : f32\n    tt.reduce.return %%t : f32\n"
             "  }) : (tensor<%dx%dxf32>) -> tensor<%dxf32>\n"
             "  %%k = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
             "  %%ob = tt.splat %%out : !tt.ptr<f32> -> tensor<%dx!tt.ptr<f32>>\n"
             "  %%op = tt.addptr %%ob, %%k : tensor<%dx!tt.ptr<f32>>, tensor<%dxi32>\n"
             "  tt.store %%op, %%s : tensor<%dx!tt.ptr<f32>>\n",
             axis, m, n, kept, kept, kept, kept, kept, kept, kept);
    fill(m * n);
    memset(y, 0, sizeof y);
    gpu_case c = {kernel_2d(m, n, "f32", m, n, body), arch, warps, .grid = 1};
    gpu_arg args[] = {GPU_BUFFER(x), GPU_BUFFER(y)};
    bool ok = gpu_run(&c, args, 2);
    CHECK(ok);
    for (int k = 0; ok && k < kept; k++) {
        double want = 0;
        for (int i = 0; i < (axis == 0 ? m : n); i++)
            want += axis == 0 ? x[i * n + k] : x[k * n + i];
        if (fabs(y[k] - want) > 1e-3) {
            fprintf(stderr, "reduce %dx%d axis %d warps %d %s: [%d] = %g, should be %g\n", m, n, axis, warps, arch, k,
                    y[k], want);
            CHECK(false);
            return;
        }
    }
}

static void argmax_1d(int n, int warps)
{
    static char body[4096];
    snprintf(body, sizeof body,
             "tt.func public @kernel(%%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %%out: !tt.ptr<i32>) {\n"
             "  %%r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
             "  %%b = tt.splat %%in : !tt.ptr<f32> -> tensor<%dx!tt.ptr<f32>>\n"
             "  %%p = tt.addptr %%b, %%r : tensor<%dx!tt.ptr<f32>>, tensor<%dxi32>\n"
             "  %%x = tt.load %%p : tensor<%dx!tt.ptr<f32>>\n"
             "  %%v, %%i = \"tt.reduce\"(%%x, %%r) <{axis = 0 : i32}> ({\n"
             "  ^bb0(%%v1: f32, %%i1: i32, %%v2: f32, %%i2: i32):\n"
             "    %%gt = arith.cmpf ogt, %%v1, %%v2 : f32\n    %%eq = arith.cmpf oeq, %%v1, %%v2 : f32\n"
             "    %%lt = arith.cmpi slt, %%i1, %%i2 : i32\n    %%tie = arith.andi %%eq, %%lt : i1\n"
             "    %%take = arith.ori %%gt, %%tie : i1\n"
             "    %%vr = arith.select %%take, %%v1, %%v2 : f32\n    %%ir = arith.select %%take, %%i1, %%i2 : i32\n"
             "    tt.reduce.return %%vr, %%ir : f32, i32\n"
             "  }) : (tensor<%dxf32>, tensor<%dxi32>) -> (f32, i32)\n"
             "  tt.store %%out, %%i : !tt.ptr<i32>\n  tt.return\n}\n",
             n, n, n, n, n, n, n, n);
    fill(n);
    index_out[0] = -1;
    gpu_case c = {body, "sm_80", warps, .grid = 1};
    gpu_arg args[] = {GPU_BUFFER(x), GPU_BUFFER(index_out)};
    CHECK(gpu_run(&c, args, 2));
    int want = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > x[want])
            want = i;
    CHECK(index_out[0] == want);
}

static void scan_2d(int m, int n, int axis, bool reverse, int warps)
{
    static char body[2048];
    snprintf(
        body, sizeof body,
        "  %%s = \"tt.scan\"(%%x) <{axis = %d : i32, reverse = %s}> ({\n  ^bb0(%%a: i32, %%c: i32):\n"
        "    %%three = arith.constant 3 : i32\n"
        "    %%a3 = arith.muli %%a, %%three : i32\n    %%t = arith.addi %%a, %%c : i32\n    tt.scan.return %%t : i32\n"
        "  }) : (tensor<%dx%dxi32>) -> tensor<%dx%dxi32>\n"
        "  %%ob = tt.splat %%out : !tt.ptr<i32> -> tensor<%dx%dx!tt.ptr<i32>>\n"
        "  %%op = tt.addptr %%ob, %%o : tensor<%dx%dx!tt.ptr<i32>>, tensor<%dx%dxi32>\n"
        "  tt.store %%op, %%s : tensor<%dx%dx!tt.ptr<i32>>\n",
        axis, reverse ? "true" : "false", m, n, m, n, m, n, m, n, m, n, m, n);
    fill(m * n);
    memset(iy, 0, sizeof iy);
    gpu_case c = {kernel_2d(m, n, "i32", m, n, body), "sm_80", warps, .grid = 1};
    gpu_arg args[] = {GPU_BUFFER(ix), GPU_BUFFER(iy)};
    bool ok = gpu_run(&c, args, 2);
    CHECK(ok);
    int length = axis == 0 ? m : n, lines = axis == 0 ? n : m, stride = axis == 0 ? n : 1,
        line_stride = axis == 0 ? 1 : n;
    for (int l = 0; ok && l < lines; l++) {
        int32_t sum = 0;
        for (int i = 0; i < length; i++) {
            int at = l * line_stride + (reverse ? length - 1 - i : i) * stride;
            sum += ix[at];
            if (iy[at] != sum) {
                fprintf(stderr, "scan %dx%d axis %d reverse %d warps %d: [%d] = %d, should be %d\n", m, n, axis,
                        reverse, warps, at, iy[at], sum);
                CHECK(false);
                return;
            }
        }
    }
}

int main(void)
{
    static const int shapes[][2] = {{1, 64}, {4, 128}, {16, 16}, {32, 8}, {64, 64}, {128, 4}, {2, 1024}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int axis = 0; axis < 2; axis++)
            for (int warps = 1; warps <= 8; warps *= 2)
                reduce_2d(shapes[s][0], shapes[s][1], axis, warps, "sm_80");
    reduce_2d(64, 64, 0, 4, "spirv64");
    for (int warps = 1; warps <= 4; warps *= 2)
        reduce_2d(4, 512, 1, warps, "spirv64");
    for (int warps = 1; warps <= 8; warps *= 2) {
        argmax_1d(64, warps);
        argmax_1d(1024, warps);
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int axis = 0; axis < 2; axis++)
            for (int reverse = 0; reverse < 2; reverse++)
                for (int warps = 1; warps <= 8; warps *= 4)
                    scan_2d(shapes[s][0], shapes[s][1], axis, reverse, warps);
    return failures != 0;
}
