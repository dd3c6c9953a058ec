/* Shape operations, tables in shared memory, atomics and control flow on the simulator. */
#include "tests/unit/gpu_run.h"

enum { max_elements = 4096 };

static int32_t x[max_elements], y[max_elements], z[max_elements];
static char text[8192];

/* A kernel over i32: %%x holds x[0..n), `body` makes tensors, %%y of m elements goes to y. */
static const char *kernel(int n, int m, const char *body)
{
    snprintf(text, sizeof text,
             "tt.func public @kernel(%%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %%out: !tt.ptr<i32> "
             "{tt.divisibility = 16 : i32}, "
             "%%aux: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {\n"
             "  %%rn = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
             "  %%rm = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
             "  %%b = tt.splat %%in : !tt.ptr<i32> -> tensor<%dx!tt.ptr<i32>>\n"
             "  %%p = tt.addptr %%b, %%rn : tensor<%dx!tt.ptr<i32>>, tensor<%dxi32>\n"
             "  %%x = tt.load %%p : tensor<%dx!tt.ptr<i32>>\n%s"
             "  %%c = tt.splat %%out : !tt.ptr<i32> -> tensor<%dx!tt.ptr<i32>>\n"
             "  %%q = tt.addptr %%c, %%rm : tensor<%dx!tt.ptr<i32>>, tensor<%dxi32>\n"
             "  tt.store %%q, %%y : tensor<%dx!tt.ptr<i32>>\n  tt.return\n}\n",
             n, n, m, m, n, n, n, n, body, m, m, m, m);
    return text;
}

static bool run(int n, int m, const char *body, int warps, const char *arch)
{
    for (int i = 0; i < max_elements; i++) {
        x[i] = (int32_t)gpu_random() % 1000 - 500;
        y[i] = -12345;
    }
    gpu_case c = {kernel(n, m, body), arch, warps, .grid = 1};
    gpu_arg args[] = {GPU_BUFFER(x), GPU_BUFFER(y), GPU_BUFFER(z)};
    bool ok = gpu_run(&c, args, 3);
    CHECK(ok);
    return ok;
}

#define EXPECT(count, want) \
    do { \
        for (int i = 0; i < (count); i++) \
            if (y[i] != (int32_t)(want)) { \
                fprintf(stderr, "%s:%d: [%d] is %d, should be %d (%d warps, %s)\n", __FILE__, __LINE__, i, y[i], \
                        (int)(want), warps, arch); \
                CHECK(false); \
                break; \
            } \
    } while (0)

static void shapes(int warps, const char *arch)
{
    if (run(1024, 1024,
            "  %m = tt.reshape %x : tensor<1024xi32> -> tensor<16x64xi32>\n"
            "  %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<16x64xi32> -> tensor<64x16xi32>\n"
            "  %y = tt.reshape %t : tensor<64x16xi32> -> tensor<1024xi32>\n", warps, arch))
        EXPECT(1024, x[(i % 16) * 64 + i / 16]);
    if (run(512, 512,
            "  %m = tt.reshape %x : tensor<512xi32> -> tensor<4x8x16xi32>\n"
            "  %t = tt.trans %m {order = array<i32: 2, 0, 1>} : tensor<4x8x16xi32> -> tensor<16x4x8xi32>\n"
            "  %y = tt.reshape %t : tensor<16x4x8xi32> -> tensor<512xi32>\n", warps, arch))
        EXPECT(512, x[(i / 8 % 4) * 128 + (i % 8) * 16 + i / 32]);
    if (run(256, 512,
            "  %two = arith.constant dense<2> : tensor<256xi32>\n  %d = arith.muli %x, %two : tensor<256xi32>\n"
            "  %j = tt.join %x, %d : tensor<256xi32> -> tensor<256x2xi32>\n"
            "  %y = tt.reshape %j : tensor<256x2xi32> -> tensor<512xi32>\n", warps, arch))
        EXPECT(512, x[i / 2] * (1 + i % 2));
    if (run(512, 256,
            "  %m = tt.reshape %x : tensor<512xi32> -> tensor<256x2xi32>\n"
            "  %l, %h = tt.split %m : tensor<256x2xi32> -> tensor<256xi32>\n  %y = arith.subi %l, %h : "
            "tensor<256xi32>\n",
            warps, arch))
        EXPECT(256, x[2 * i] - x[2 * i + 1]);
    if (run(64, 1024,
            "  %e = tt.expand_dims %x {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>\n"
            "  %w = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x16xi32>\n"
            "  %y = tt.reshape %w : tensor<64x16xi32> -> tensor<1024xi32>\n", warps, arch))
        EXPECT(1024, x[i / 16]);
}

static void tables(int warps, const char *arch)
{
    if (run(512, 512,
            "  %three = arith.constant dense<37> : tensor<512xi32>\n  %last = arith.constant dense<511> : "
            "tensor<512xi32>\n"
            "  %k = arith.muli %rn, %three : tensor<512xi32>\n  %i = arith.andi %k, %last : tensor<512xi32>\n"
            "  %y = tt.gather %x[%i] {axis = 0 : i32} : (tensor<512xi32>, tensor<512xi32>) -> tensor<512xi32>\n",
            warps, arch))
        EXPECT(512, x[i * 37 & 511]);
    if (run(1024, 64,
            "  %mask = arith.constant dense<127> : tensor<1024xi32>\n  %v = arith.andi %x, %mask : tensor<1024xi32>\n"
            "  %y = tt.histogram %v : tensor<1024xi32> -> tensor<64xi32>\n", warps, arch)) {
        int bins[64] = {0};
        for (int i = 0; i < 1024; i++)
            if ((x[i] & 127) < 64)
                bins[x[i] & 127]++;
        EXPECT(64, bins[i]);
    }
}

static void atomics(int warps, const char *arch)
{
    memset(z, 0, sizeof z);
    if (run(256, 256,
            "  %seven = arith.constant dense<7> : tensor<256xi32>\n  %slot = arith.andi %rn, %seven : tensor<256xi32>\n"
            "  %ab = tt.splat %aux : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>\n"
            "  %ap = tt.addptr %ab, %slot : tensor<256x!tt.ptr<i32>>, tensor<256xi32>\n"
            "  %one = arith.constant dense<1> : tensor<256xi32>\n  %on = arith.constant dense<true> : tensor<256xi1>\n"
            "  %y = tt.atomic_rmw add, acq_rel, gpu, %ap, %one, %on : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>, "
            "tensor<256xi1>) -> tensor<256xi32>\n", warps, arch)) {
        for (int slot = 0; slot < 8; slot++)
            CHECK(z[slot] == 32);
        bool seen[256] = {0}; /* every old value once per slot */
        for (int i = 0; i < 256; i++) {
            bool ok = y[i] >= 0 && y[i] < 32 && !seen[(i & 7) * 32 + y[i]];
            CHECK(ok);
            if (ok)
                seen[(i & 7) * 32 + y[i]] = true;
        }
    }
    z[0] = 5;
    if (run(32, 32,
            "  %five = arith.constant 5 : i32\n  %nine = arith.constant 9 : i32\n"
            "  %old = tt.atomic_cas acq_rel, gpu, %aux, %five, %nine : (!tt.ptr<i32>, i32, i32) -> i32\n"
            "  %again = tt.atomic_cas acq_rel, gpu, %aux, %five, %nine : (!tt.ptr<i32>, i32, i32) -> i32\n"
            "  %ten = arith.constant 10 : i32\n  %hi = arith.muli %old, %ten : i32\n  %s = arith.addi %hi, %again : "
            "i32\n"
            "  %y = tt.splat %s : i32 -> tensor<32xi32>\n",
            warps, arch))
        EXPECT(32, 59);
}

static void control(int warps, const char *arch)
{
    if (run(128, 128,
            "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n  %c10 = arith.constant 10 : i32\n"
            "  %y = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<128xi32>) : i32 {\n"
            "    %bit = arith.andi %i, %c1 : i32\n    %odd = arith.cmpi eq, %bit, %c1 : i32\n"
            "    %n = scf.if %odd -> (tensor<128xi32>) {\n      %s = tt.splat %i : i32 -> tensor<128xi32>\n"
            "      %t = arith.addi %a, %s : tensor<128xi32>\n      scf.yield %t : tensor<128xi32>\n"
            "    } else {\n      scf.yield %a : tensor<128xi32>\n    }\n    scf.yield %n : tensor<128xi32>\n  }\n",
            warps, arch))
        EXPECT(128, x[i] + 25);
    if (run(128, 128,
            "  %y = \"tt.map_elementwise\"(%x) <{pack = 1 : i32}> ({\n  ^bb0(%v: i32):\n"
            "    %c1 = arith.constant 1 : i32\n    %c0 = arith.constant 0 : i32\n    %neg = arith.cmpi slt, %v, %c0 : "
            "i32\n"
            "    %r = scf.if %neg -> (i32) {\n      %m = arith.subi %c0, %v : i32\n      scf.yield %m : i32\n    } "
            "else {\n"
            "      %p1 = arith.addi %v, %c1 : i32\n      scf.yield %p1 : i32\n    }\n"
            "    tt.map_elementwise.return %r : i32\n  }) : (tensor<128xi32>) -> tensor<128xi32>\n",
            warps, arch))
        EXPECT(128, x[i] < 0 ? -x[i] : x[i] + 1);
}

int main(void)
{
    static const char *const archs[] = {"sm_80", "spirv64"};
    for (int a = 0; a < 2; a++)
        for (int warps = 1; warps <= 8; warps *= 2) {
            shapes(warps, archs[a]);
            control(warps, archs[a]);
            if (a == 0) { /* the generic device's atomics are plain instructions, which are not simulated */
                tables(warps, archs[a]);
                atomics(warps, archs[a]);
            }
        }
    return failures != 0;
}
