/* Operations that other front ends make and ours does not, as ttir: the rest of math and arith. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

enum { n = 256 };

typedef struct {
    const char *op;   /* "math.acos" */
    int inputs;
    m_real (*reference)(m_real a, m_real b);
    double low, high, ulps;
    const char *types;
} row;

#define F(name, expression) static m_real name(m_real a, m_real b) { return (void)a, (void)b, (expression); }
F(f_acos, acosl(a))
F(f_acosh, acoshl(a))
F(f_asin, asinl(a))
F(f_asinh, asinhl(a))
F(f_atan, atanl(a))
F(f_atan2, atan2l(a, b))
F(f_atanh, atanhl(a))
F(f_cbrt, cbrtl(a))
F(f_copysign, copysignl(a, b))
F(f_cosh, coshl(a))
F(f_erfc, erfcl(a))
F(f_expm1, expm1l(a))
F(f_log10, log10l(a))
F(f_log1p, log1pl(a))
F(f_pow, powl(a, b))
F(f_round, roundl(a))
F(f_roundeven, rintl(a))
F(f_sinh, sinhl(a))
F(f_tan, tanl(a))
F(f_tanh, tanhl(a))
F(f_trunc, truncl(a))
F(f_divide, a / b)
F(f_ceildiv, ceill(a / b))
F(f_floordiv, floorl(a / b))
F(f_ctpop, (m_real)__builtin_popcountll((uint64_t)(int64_t)a))
F(f_ctlz, (m_real)(__builtin_clzll((uint64_t)(int64_t)a) - 32))
F(f_cttz, (m_real)__builtin_ctzll((uint64_t)(int64_t)a))

static const row rows[] = {
    {"math.acos", 1, f_acos, -1, 1, 6, "f32 f64"}, {"math.acosh", 1, f_acosh, 1, 50, 8, "f32 f64"},
    {"math.asin", 1, f_asin, -1, 1, 6, "f32 f64"}, {"math.asinh", 1, f_asinh, -20, 20, 8, "f32 f64"},
    {"math.atan", 1, f_atan, -9, 9, 6, "f32 f64"}, {"math.atan2", 2, f_atan2, -9, 9, 6, "f32 f64"},
    {"math.atanh", 1, f_atanh, -0.9, 0.9, 8, "f32 f64"}, {"math.cbrt", 1, f_cbrt, -50, 50, 6, "f32 f64"},
    {"math.copysign", 2, f_copysign, -9, 9, 0, "f32 f64"}, {"math.cosh", 1, f_cosh, -9, 9, 8, "f32 f64"},
    {"math.erfc", 1, f_erfc, -2, 3, 12, "f32 f64"}, {"math.expm1", 1, f_expm1, -3, 3, 6, "f32 f64"},
    {"math.log10", 1, f_log10, 2, 50, 6, "f32 f64"}, {"math.log1p", 1, f_log1p, -0.5, 20, 6, "f32 f64"},
    {"math.powf", 2, f_pow, 0.1, 5, 12, "f32 f64"}, {"math.round", 1, f_round, -9, 9, 0, "f32 f64"},
    {"math.roundeven", 1, f_roundeven, -9, 9, 0, "f32 f64"}, {"math.sinh", 1, f_sinh, -9, 9, 8, "f32 f64"},
    {"math.tan", 1, f_tan, -1.2, 1.2, 8, "f32 f64"}, {"math.tanh", 1, f_tanh, -3, 3, 8, "f32 f64"},
    {"math.trunc", 1, f_trunc, -9, 9, 0, "f32 f64"}, {"tt.approx_divf", 2, f_divide, 1, 90, 3, "f32"},
    {"arith.ceildivsi", 2, f_ceildiv, -90, 90, 0, "i32 i64"},
    {"arith.floordivsi", 2, f_floordiv, -90, 90, 0, "i32 i64"}, {"arith.ceildivui", 2, f_ceildiv, 1, 90, 0, "i32 i64"},
    {"math.ctpop", 1, f_ctpop, 1, 1e9, 0, "i32 i64"}, {"math.ctlz", 1, f_ctlz, 1, 1e9, 0, "i32"},
    {"math.cttz", 1, f_cttz, 1, 1e9, 0, "i32 i64"},
};

/* A kernel of two inputs and one output of 256 elements; `body` makes %r of %a and %b. */
static m_case *begin(m_context *ctx, const char *name, const char *element, const char *body)
{
    m_case *c = m_begin(ctx, "%s %s", name, element);
    if (!c)
        return NULL;
    m_ir(c);
    m_text(c,
           "tt.func public @k(%%x: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%y: !tt.ptr<%s>, %%o: !tt.ptr<%s>) {\n"
           "  %%i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>\n",
           element, element, element);
    for (const char *p = "xyo"; *p; p++)
        m_text(c,
               "  %%%cs = tt.splat %%%c : !tt.ptr<%s> -> tensor<256x!tt.ptr<%s>>\n"
               "  %%%cp = tt.addptr %%%cs, %%i : tensor<256x!tt.ptr<%s>>, tensor<256xi32>\n",
               *p, *p, element, element, *p, *p, element);
    m_text(c, "  %%a = tt.load %%xp : tensor<256x!tt.ptr<%s>>\n  %%b = tt.load %%yp : tensor<256x!tt.ptr<%s>>\n%s"
              "  tt.store %%op, %%r : tensor<256x!tt.ptr<%s>>\n  tt.return\n}\n", element, element, body, element);
    return c;
}

static void elementwise(m_context *ctx, const row *r, m_dtype type)
{
    char body[128];
    snprintf(body, sizeof body, "  %%r = %s %%a%s : tensor<256x%s>\n", r->op, r->inputs == 2 ? ", %b" : "",
             m_dtype_name(type));
    m_case *c = begin(ctx, r->op, m_dtype_name(type), body);
    if (!c)
        return;
    m_array *x = m_in(c, "x", type, n), *y = m_in(c, "y", type, n), *want = m_out(c, "o", type, n);
    m_fill_uniform(c, x, r->low, r->high);
    m_fill_uniform(c, y, r->low, r->high);
    for (int64_t i = 0; i < n; i++) {
        if (!m_dtype_is_float(type) && m_get_int(y, i) == 0)
            m_set_int(y, i, 7);
        m_set(want, i, r->reference(m_get(x, i), m_get(y, i)));
    }
    c->tolerance.ulps = r->ulps;
    m_end(ctx, c);
}

static void high_half(m_context *ctx, bool is_signed)
{
    char body[128];
    snprintf(body, sizeof body, "  %%l, %%r = arith.mul%ci_extended %%a, %%b : tensor<256xi32>\n",
             is_signed ? 's' : 'u');
    m_case *c = begin(ctx, is_signed ? "arith.mulsi_extended" : "arith.mului_extended", "i32", body);
    if (!c)
        return;
    c->targets = M_ON_SIM;
    m_array *x = m_in(c, "x", M_I32, n), *y = m_in(c, "y", M_I32, n), *want = m_out(c, "o", M_I32, n);
    m_fill_special(c, x);
    m_fill_special(c, y);
    for (int64_t i = 0; i < n; i++) {
        uint64_t a = m_bits(x, i), b = m_bits(y, i);
        m_set_bits(want, i,
                   is_signed ? (uint64_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32) & UINT32_MAX : a * b >> 32);
    }
    m_end(ctx, c);
}

/* A loop over the index type, whose counter is a number of the kernel. */
static void index_loop(m_context *ctx)
{
    m_case *c =
        begin(ctx, "arith.index_cast", "i32",
              "  %z = arith.constant 0 : index\n  %u = arith.constant 5 : index\n  %t = arith.constant 1 : index\n"
              "  %r = scf.for %k = %z to %u step %t iter_args(%s = %a) -> (tensor<256xi32>) {\n"
              "    %j = arith.index_cast %k : index to i32\n    %w = tt.splat %j : i32 -> tensor<256xi32>\n"
              "    %p = arith.muli %w, %b : tensor<256xi32>\n    %q = arith.addi %s, %p : tensor<256xi32>\n"
              "    scf.yield %q : tensor<256xi32>\n  }\n");
    if (!c)
        return;
    m_array *x = m_in(c, "x", M_I32, n), *y = m_in(c, "y", M_I32, n), *want = m_out(c, "o", M_I32, n);
    m_fill_ints(c, x, -99, 99);
    m_fill_ints(c, y, -99, 99);
    for (int64_t i = 0; i < n; i++)
        m_set_int(want, i, m_get_int(x, i) + 10 * m_get_int(y, i));
    m_end(ctx, c);
}

/* Block pointers, which our front end takes apart itself. */
static void block_pointer(m_context *ctx)
{
    m_case *c =
        begin(ctx, "tt.make_tensor_ptr", "i32",
              "  %z = arith.constant 0 : i32\n  %e = arith.constant 8 : i32\n  %l = arith.constant 256 : i64\n  %t = "
              "arith.constant 1 : i64\n"
              "  %p = tt.make_tensor_ptr %x, [%l], [%t], [%z] {order = array<i32: 0>} : <tensor<256xi32>>\n"
              "  %q = tt.advance %p, [%e] : <tensor<256xi32>>\n"
              "  %v = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<256xi32>>\n"
              "  %r = arith.addi %v, %b : tensor<256xi32>\n");
    if (!c)
        return;
    m_array *x = m_in(c, "x", M_I32, n), *y = m_in(c, "y", M_I32, n), *want = m_out(c, "o", M_I32, n);
    m_fill_ints(c, x, -99, 99);
    m_fill_ints(c, y, -99, 99);
    for (int64_t i = 0; i < n; i++)
        m_set_int(want, i, (i + 8 < n ? m_get_int(x, i + 8) : 0) + m_get_int(y, i));
    m_end(ctx, c);
}

/* In whatever order: the sum is the same. */
static void concatenation(m_context *ctx)
{
    m_case *c = begin(
        ctx, "tt.cat", "i32",
        "  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
        "  %us = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>\n  %vs = tt.splat %y : !tt.ptr<i32> -> "
        "tensor<128x!tt.ptr<i32>>\n"
        "  %up = tt.addptr %us, %j : tensor<128x!tt.ptr<i32>>, tensor<128xi32>\n"
        "  %vp = tt.addptr %vs, %j : tensor<128x!tt.ptr<i32>>, tensor<128xi32>\n"
        "  %u = tt.load %up : tensor<128x!tt.ptr<i32>>\n  %v = tt.load %vp : tensor<128x!tt.ptr<i32>>\n"
        "  %c = tt.cat %u, %v : tensor<128xi32> -> tensor<256xi32>\n"
        "  %s = \"tt.reduce\"(%c) <{axis = 0 : i32}> ({\n  ^bb0(%p: i32, %q: i32):\n    %e = arith.addi %p, %q : i32\n"
        "    tt.reduce.return %e : i32\n  }) : (tensor<256xi32>) -> i32\n  %w = tt.splat %s : i32 -> tensor<256xi32>\n"
        "  %r = arith.addi %w, %a : tensor<256xi32>\n");
    if (!c)
        return;
    m_array *x = m_in(c, "x", M_I32, n), *y = m_in(c, "y", M_I32, n), *want = m_out(c, "o", M_I32, n);
    m_fill_ints(c, x, -99, 99);
    m_fill_ints(c, y, -99, 99);
    m_wide sum = 0;
    for (int64_t i = 0; i < 128; i++)
        sum += m_get_int(x, i) + m_get_int(y, i);
    for (int64_t i = 0; i < n; i++)
        m_set_int(want, i, sum + m_get_int(x, i));
    m_end(ctx, c);
}

/* ttgir that somebody wrote: one buffer seen as 256 elements, as 16x16, and as 256 again. */
static void views(m_context *ctx)
{
    m_case *c = m_begin(ctx, "views of a buffer");
    if (!c)
        return;
    m_ir(c);
    m_text(c, "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
              "#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
              "#square = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n#smem = "
              "#ttg.shared_memory\n"
              "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:80\", "
              "\"ttg.threads-per-warp\" = 32 : i32} {\n"
              "tt.func public @k(%%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %%o: !tt.ptr<i32>) {\n"
              "  %%i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>\n"
              "  %%xs = tt.splat %%x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>\n"
              "  %%xp = tt.addptr %%xs, %%i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>\n"
              "  %%os = tt.splat %%o : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>\n"
              "  %%op = tt.addptr %%os, %%i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>\n"
              "  %%a = tt.load %%xp : tensor<256x!tt.ptr<i32>, #blocked>\n");
    m_text(c, "  %%m = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #line, #smem, mutable>\n"
              "  ttg.local_store %%a, %%m : tensor<256xi32, #blocked> -> !ttg.memdesc<256xi32, #line, #smem, mutable>\n"
              "  ttg.barrier local\n"
              "  %%s = ttg.memdesc_reshape %%m : !ttg.memdesc<256xi32, #line, #smem, mutable> -> "
              "!ttg.memdesc<16x16xi32, #square, #smem, mutable>\n"
              "  %%h = ttg.memdesc_reinterpret %%s : !ttg.memdesc<16x16xi32, #square, #smem, mutable> -> "
              "!ttg.memdesc<256xi32, #line, #smem, mutable>\n"
              "  %%v = ttg.local_load %%h : !ttg.memdesc<256xi32, #line, #smem, mutable> -> tensor<256xi32, #blocked>\n"
              "  %%w = ttg.warp_id\n  %%ws = tt.splat %%w : i32 -> tensor<256xi32, #blocked>\n"
              "  %%r = arith.addi %%v, %%ws : tensor<256xi32, #blocked>\n"
              "  tt.store %%op, %%r : tensor<256x!tt.ptr<i32>, #blocked>\n  tt.return\n}\n}\n");
    m_array *x = m_in(c, "x", M_I32, n), *want = m_out(c, "o", M_I32, n);
    m_fill_ints(c, x, -99, 99);
    for (int64_t i = 0; i < n; i++)
        m_set_int(want, i, m_get_int(x, i) + i / 32 % 4);
    c->warps = 4;
    c->targets = M_ON_SIM;
    m_end(ctx, c);
}

void m_group_dialect(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *t = rows[i].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            elementwise(ctx, &rows[i], m_dtype_find(t));
    high_half(ctx, true);
    high_half(ctx, false);
    index_loop(ctx);
    block_pointer(ctx);
    concatenation(ctx);
    views(ctx);
}
