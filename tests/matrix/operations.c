/* What no table of element types has: polling, rows through descriptors, sums into descriptors, tables of addresses,
 * the grid's extents, messages. */
#include "tests/matrix/matrix.h"

#include <string.h>

/* --- descriptors ----------------------------------------------------------------------------- */

enum { rows = 20, columns = 40, block = 16 };

/* Rows of a 20x40 array by number; rows and columns outside give zero, and are not stored. */
static void rows_by_number(m_context *ctx, m_dtype type, bool is_scatter, const char *indices)
{
    m_case *c = m_begin(ctx, "descriptor %s %s, %s", is_scatter ? "scatter" : "gather", m_dtype_name(type), indices);
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(x, r, o, R, C):\n    d = tl.make_tensor_descriptor(%s, (R, C), (40, 1), (1, 16))\n"
           "    i = tl.load(r + tl.arange(0, 16)).to(tl.%s)\n    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, "
           "16)[None, :]\n",
           is_scatter ? "o" : "x", indices);
    m_text(c, is_scatter ? "    d.scatter(tl.load(x + at), i, 24)\n    d.scatter(tl.load(x + at), i, 4)\n"
                         : "    tl.store(o + at, d.gather(i, 24))\n    tl.store(o + 256 + at, d.gather(i, 30))\n");
    m_array *x = m_in(c, "x", type, is_scatter ? 256 : rows * columns), *r = m_in(c, "r", M_I32, block);
    m_array *want = m_out(c, "o", type, is_scatter ? rows * columns : 512);
    m_fill_uniform(c, x, 1, 100);
    m_fill_permutation(c, r);
    for (int64_t i = 0; i < block; i += 3)
        m_set_int(r, i, m_get_int(r, i) + 16); /* rows 16 to 31, of which those from 18 on are outside; all differ */
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < block; i++)
            for (int64_t j = 0; j < block; j++) {
                int64_t row = m_get_int(r, i), column = (!pass ? 24 : is_scatter ? 4 : 30) + j;
                bool is_inside = row < 18 && column < 37;
                if (!is_scatter)
                    m_set(want, pass * 256 + i * 16 + j, is_inside ? m_get(x, row * columns + column) : 0);
                else if (is_inside)
                    m_set_bits(want, row * columns + column, m_bits(x, i * 16 + j));
            }
    m_scalar(c, "R", M_I32, "18");
    m_scalar(c, "C", M_I32, "37");
    m_end(ctx, c);
}

typedef enum { ADD, MIN, MAX, AND, OR, XOR } kind;

static const struct {
    const char *name, *types;
    kind kind;
} reductions[] = {
    {"add", "i32 u32 u64 f16 bf16 f32", ADD}, {"min", "i32 u32 i64 u64", MIN}, {"max", "i32 u32 i64 u64", MAX},
    {"and", "i32 u32 i64 u64", AND},          {"or", "i32 u32 i64 u64", OR},   {"xor", "i32 u32 i64 u64", XOR},
};

static m_wide combined(kind k, m_wide a, m_wide b)
{
    switch (k) {
    case ADD: return a + b;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case AND: return a & b;
    case OR: return a | b;
    default: return a ^ b;
    }
}

/* Two programs on one block, which leaves the array on the right and below. */
static void reduction(m_context *ctx, size_t r, m_dtype type)
{
    m_case *c = m_begin(ctx, "descriptor atomic_%s %s", reductions[r].name, m_dtype_name(type));
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(x, o, R, C):\n    d = tl.make_tensor_descriptor(o, (R, C), (40, 1), (16, 16))\n"
              "    at = tl.program_id(0) * 256 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]\n"
              "    d.atomic_%s((8, 24), tl.load(x + at))\n", reductions[r].name);
    m_array *x = m_in(c, "x", type, 512), start = m_new_array(c, type, rows * columns);
    bool is_float = m_dtype_is_float(type);
    m_fill_ints(c, x, 0, is_float ? 9 : 99);
    m_fill_ints(c, &start, 0, is_float ? 9 : 99);
    m_array *want = m_inout(c, "o", &start);
    for (int64_t p = 0; p < 2; p++)
        for (int64_t i = 0; i < 16; i++)
            for (int64_t j = 0; j < 16; j++) {
                int64_t at = (8 + i) * columns + 24 + j, from = p * 256 + i * 16 + j;
                if (8 + i >= 18 || 24 + j >= 37)
                    continue;
                if (is_float)
                    m_set(want, at, m_get(want, at) + m_get(x, from));
                else
                    m_set_int(want, at, combined(reductions[r].kind, m_get_int(want, at), m_get_int(x, from)));
            }
    m_scalar(c, "R", M_I32, "18");
    m_scalar(c, "C", M_I32, "37");
    c->grid[0] = 2;
    m_end(ctx, c);
}

/* --- polling --------------------------------------------------------------------------------- */

/* Flags that have their value already, or get it from an earlier program; one that never has ends by its time. */
static void polling(m_context *ctx, m_dtype type, const char *order)
{
    bool is_small = m_dtype_size(type) < 4; /* there is no update of it */
    m_case *c = m_begin(ctx, "atomic_poll %s%s", m_dtype_name(type), order);
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(f, x, o):\n    p = tl.program_id(0)\n    i = tl.arange(0, 64)\n    if p > 0:\n"
           "        tl.atomic_poll(f + p - 1, 5%s)\n    v = tl.load(x + i)\n    tl.store(x + i, v + 1)\n    "
           "tl.debug_barrier()\n"
           "    %s\n    there = tl.atomic_poll(f + p, 5%s, timeout_ns=1000)\n"
           "    other = (f + p).atomic_poll(6%s, timeout_ns=1000)\n    tl.store(o + p * 2, there.to(tl.int32))\n"
           "    tl.store(o + p * 2 + 1, other.to(tl.int32))\n",
           order, is_small ? "tl.store(f + p, 5)" : "tl.atomic_xchg(f + p, 5)", order, order);
    m_array flags = m_new_array(c, type, 4), start = m_new_array(c, M_I32, 64), *want = m_inout(c, "f", &flags);
    m_fill_ints(c, &start, -99, 99);
    m_array *x = m_inout(c, "x", &start), *o = m_out(c, "o", M_I32, 8);
    for (int64_t i = 0; i < 64; i++)
        m_set_int(x, i, m_get_int(&start, i) + 4);
    for (int64_t p = 0; p < 4; p++) {
        m_set_int(want, p, 5);
        m_set_int(o, 2 * p, 1);
        m_set_int(o, 2 * p + 1, 0);
    }
    c->grid[0] = 4;
    c->targets = is_small ? M_ON_HOST : M_ON_HOST | M_ON_SIM; /* where programs run in turn; a store gives no order */
    m_end(ctx, c);
}

/* --- the rest -------------------------------------------------------------------------------- */

/* Pointers as numbers and back; what addresses an array holds is only known when the kernel runs. */
static void addresses(m_context *ctx, m_dtype type)
{
    m_case *c = m_begin(ctx, "addresses %s", m_dtype_name(type));
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(x, o, t):\n    i = tl.arange(0, 128)\n    a = (x + i).to(tl.int64, bitcast=True)\n"
           "    tl.store(t + i, a + (127 - 2 * i) * %d)\n    tl.debug_barrier()\n"
           "    p = tl.load(t + i).to(tl.pointer_type(x.dtype.element_ty))\n    tl.store(o + i, tl.load(p))\n"
           "    q = (o + 128).to(tl.int64, bitcast=True).to(tl.pointer_type(x.dtype.element_ty))\n    tl.store(q, "
           "tl.load(x + 5))\n",
           m_dtype_size(type));
    m_array *x = m_in(c, "x", type, 128), *want = m_out(c, "o", type, 129);
    m_out(c, "t", M_I64, 128);
    c->args[c->num_args - 1].is_unchecked = true;
    m_fill_special(c, x);
    for (int64_t i = 0; i < 128; i++)
        m_set_bits(want, i, m_bits(x, 127 - i));
    m_set_bits(want, 128, m_bits(x, 5));
    c->tolerance.is_strict = true;
    m_end(ctx, c);
}

static void extents(m_context *ctx)
{
    m_case *c = m_begin(ctx, "program_id and num_programs");
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(o):\n    x = tl.program_id(0)\n    y = tl.program_id(1)\n    z = tl.program_id(2)\n"
              "    i = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x\n"
              "    tl.store(o + i, ((x * 10 + y) * 10 + z) * 10 + tl.num_programs(2))\n");
    m_array *o = m_out(c, "o", M_I32, 24);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                m_set_int(o, (z * 3 + y) * 4 + x, ((x * 10 + y) * 10 + z) * 10 + 2);
    memcpy(c->grid, (uint32_t[]){4, 3, 2}, sizeof c->grid);
    m_end(ctx, c);
}

/* Those that do nothing to the numbers. */
static void beside(m_context *ctx, const char *name, const char *text, unsigned targets)
{
    m_case *c = m_begin(ctx, "%s", name);
    if (!c)
        return;
    m_text(c,
           "@triton.jit(debug=True)\ndef k(x, o):\n    i = tl.arange(0, 128)\n    v = tl.load(x + i)\n%s    tl.store(o "
           "+ i, v + 1)\n",
           text);
    m_array *x = m_in(c, "x", M_I32, 128), *want = m_out(c, "o", M_I32, 128);
    m_fill_ints(c, x, 0, 99);
    for (int64_t i = 0; i < 128; i++)
        m_set_int(want, i, m_get_int(x, i) + 1);
    c->targets = targets;
    c->least_arch = strstr(text, "gdc") ? 90 : 80;
    m_end(ctx, c);
}

static void all_bits(m_context *ctx)
{
    m_case *c = m_begin(ctx, "reduce of bits that all have");
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef both(a, b):\n    return a & b\n\n\n@triton.jit\ndef k(x, o):\n"
              "    v = tl.load(x + tl.arange(0, 16)[:, None] * 128 + tl.arange(0, 128)[None, :])\n"
              "    tl.store(o + tl.arange(0, 16), tl.reduce(v, 1, both))\n");
    m_array *x = m_in(c, "x", M_I32, 2048), *o = m_out(c, "o", M_I32, 16);
    for (int64_t i = 0; i < 16; i++) {
        uint64_t all = UINT32_MAX;
        for (int64_t j = 0; j < 128; j++) {
            m_set_bits(x, i * 128 + j,
                       (m_random(c) | m_random(c) | m_random(c) | m_random(c) | 0x10u << i) & UINT32_MAX);
            all &= m_bits(x, i * 128 + j);
        }
        m_set_bits(o, i, all);
    }
    m_end(ctx, c);
}

static void concatenation(m_context *ctx, m_dtype type)
{
    m_case *c = m_begin(ctx, "cat %s", m_dtype_name(type));
    if (!c)
        return;
    m_text(
        c,
        "@triton.jit\ndef k(x, y, o):\n    i = tl.arange(0, 64)\n"
        "    v = tl.cat(tl.load(x + i), tl.load(y + i), can_reorder=True)\n    tl.store(o, tl.sum(v.to(tl.int64), 0))\n"
        "    tl.store(o + 1, tl.max(v.to(tl.int64), 0))\n");
    m_array *x = m_in(c, "x", type, 64), *y = m_in(c, "y", type, 64), *o = m_out(c, "o", M_I64, 2);
    m_fill_ints(c, x, 0, 99);
    m_fill_ints(c, y, 0, 99);
    m_wide sum = 0, top = 0;
    for (int64_t i = 0; i < 128; i++) {
        m_wide v = i < 64 ? m_get_int(x, i) : m_get_int(y, i - 64);
        sum += v;
        top = v > top ? v : top;
    }
    m_set_int(o, 0, sum);
    m_set_int(o, 1, top);
    m_end(ctx, c);
}

#define EACH_TYPE(list, name) \
    for (const char *name = (list); name; name = strchr(name, ' ') ? strchr(name, ' ') + 1 : NULL)

void m_group_operations(m_context *ctx)
{
    EACH_TYPE("i16 i32 f16 bf16 f32", t)
        for (int k = 0; k < 4; k++)
            rows_by_number(ctx, m_dtype_find(t), k & 1, k & 2 ? "int16" : "int32");
    for (size_t r = 0; r < sizeof reductions / sizeof *reductions; r++)
        EACH_TYPE(reductions[r].types, t)
            reduction(ctx, r, m_dtype_find(t));
    static const char *const orders[] = {"", ", sem=\"relaxed\"", ", sem=\"acquire\", scope=\"sys\"",
                                         ", scope=\"cta\""};
    EACH_TYPE("i16 i32 i64", t)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
            polling(ctx, m_dtype_find(t), orders[k]);
    EACH_TYPE("i8 i16 i32 i64 f16 bf16 f32 f64", t)
        addresses(ctx, m_dtype_find(t));
    extents(ctx);
    all_bits(ctx);
    EACH_TYPE("i8 i16 i32 i64", t)
        concatenation(ctx, m_dtype_find(t));
    beside(ctx, "device_assert", "    tl.device_assert(v < 99, \"too large\")\n", M_EVERYWHERE);
    beside(ctx, "assume", "    tl.assume(tl.num_programs(0) > 0)\n", M_EVERYWHERE);
    beside(ctx, "device_print of nothing", "    if tl.program_id(0) > 5:\n        tl.device_print(\"v\", v)\n",
           M_EVERYWHERE);
    beside(ctx, "dependent launch", "    tl.extra.cuda.gdc_wait()\n    tl.extra.cuda.gdc_launch_dependents()\n",
           M_ON_SIM);
}
