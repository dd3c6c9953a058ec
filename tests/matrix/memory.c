/* Loads and stores: masks, other, modifiers, strides, scalars, block pointers, descriptors, atomics' plain
 * relatives. */
#include "tests/matrix/matrix.h"

#include <math.h>
#include <string.h>

#define ALL "i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e5 f16 bf16 f32 f64"

/* --- masks and modifiers ------------------------------------------------------------------- */

typedef struct {
    const char *name, *load, *store, *types;
    int64_t n, loaded, stored; /* of n elements, those below are loaded or stored; the rest is `other` or left */
} row;

static const row rows[] = {
    {"plain", "tl.load(x + i)", "tl.store(o + i, v)", ALL, 256, 256, 256},
    {"mask", "tl.load(x + i, mask=i < 201)", "tl.store(o + i, v, mask=i < 201)", ALL, 256, 256, 201},
    {"mask and other", "tl.load(x + i, mask=i < 77, other=1)", "tl.store(o + i, v)",
     "i1 i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64", 256, 77, 256},
    {"mask and real other", "tl.load(x + i, mask=i < 77, other=1.0)", "tl.store(o + i, v)", "f8e5 f16 bf16 f32 f64",
     256, 77, 256},
    {"other is a tensor", "tl.load(x + i, mask=i < 77, other=tl.full((256,), 1, tl.int32))", "tl.store(o + i, v)",
     "i32 i64 f32 f16", 256, 77, 256},
    {"mask False", "tl.load(x + i, mask=i < 0, other=1)", "tl.store(o + i, v)", "f32 i8", 256, 0, 256},
    {"scalar mask", "tl.load(x + i, mask=n > 5, other=0)", "tl.store(o + i, v, mask=n > 5)", "f32 f16", 256, 256, 256},
    {"positional", "tl.load(x + i, i < 99, 1)", "tl.store(o + i, v, i < 150)", "f32 i16", 256, 99, 150},
    {"volatile", "tl.load(x + i, volatile=True)", "tl.store(o + i, v)", "f32 i8 i64", 256, 256, 256},
    {".ca", "tl.load(x + i, cache_modifier=\".ca\")", "tl.store(o + i, v)", "f32 f16", 256, 256, 256},
    {".cg", "tl.load(x + i, cache_modifier=\".cg\")", "tl.store(o + i, v, cache_modifier=\".cg\")", "f32 i64 u8", 256,
     256, 256},
    {".cv", "tl.load(x + i, cache_modifier=\".cv\")", "tl.store(o + i, v, cache_modifier=\".wt\")", "f32 i16", 256, 256,
     256},
    {".cs", "tl.load(x + i, cache_modifier=\".cs\")", "tl.store(o + i, v, cache_modifier=\".cs\")", "f32", 256, 256,
     256},
    {".wb", "tl.load(x + i)", "tl.store(o + i, v, cache_modifier=\".wb\")", "f32 bf16", 256, 256, 256},
    {"evict_first", "tl.load(x + i, eviction_policy=\"evict_first\")",
     "tl.store(o + i, v, eviction_policy=\"evict_first\")", "f32 f16 i8", 256, 256, 256},
    {"evict_last", "tl.load(x + i, eviction_policy=\"evict_last\")",
     "tl.store(o + i, v, eviction_policy=\"evict_last\")", "f32 i64", 256, 256, 256},
    {"evict_first masked", "tl.load(x + i, mask=i < 50, other=1, eviction_policy=\"evict_first\")",
     "tl.store(o + i, v)", "f32 f64", 256, 50, 256},
    {"method", "tl.load(x + i)", "(o + i).store(v)", "f32", 256, 256, 256},
    {"odd start", "tl.load(x + 1 + i, mask=i < 255, other=1)", "tl.store(o + i, v, mask=i < 255)", "f32 f16 i8 i64",
     256, 255, 255},
    {"broadcast to the mask", "tl.load(x + tl.zeros((1,), tl.int32) + i, mask=i < 256)", "tl.store(o + i, v)", "f32",
     256, 256, 256},
};

static void copy_case(m_context *ctx, const row *r, m_dtype type)
{
    m_case *c = m_begin(ctx, "%s %s", r->name, m_dtype_name(type));
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(x, o, n):\n    i = tl.arange(0, %d)\n    v = %s\n    %s\n", (int)r->n, r->load,
           r->store);
    m_array *x = m_in(c, "x", type, r->n), *want = m_out(c, "o", type, r->n);
    m_fill_special(c, x);
    int64_t shift = !strcmp(r->name, "odd start");
    for (int64_t i = 0; i < r->stored; i++) {
        if (i < r->loaded)
            m_set_bits(want, i, m_bits(x, i + shift));
        else
            m_set(want, i, 1);
    }
    m_scalar(c, "n", M_I32, "9");
    c->tolerance.is_strict = true;
    m_end(ctx, c);
}

/* --- index patterns ------------------------------------------------------------------------ */

typedef struct {
    const char *name, *from, *to; /* offsets by i and j in a 32x16 block */
    int64_t (*source)(int64_t i, int64_t j);
    int64_t (*target)(int64_t i, int64_t j);
} pattern;

static int64_t by_rows(int64_t i, int64_t j) { return i * 16 + j; }
static int64_t by_columns(int64_t i, int64_t j) { return j * 32 + i; }
static int64_t strided(int64_t i, int64_t j) { return i * 48 + j * 3; }
static int64_t backwards(int64_t i, int64_t j) { return 511 - i * 16 - j; }
static int64_t repeated(int64_t i, int64_t j) { return i / 2 * 16 + j % 4; }
static int64_t same_row(int64_t i, int64_t j) { (void)i; return j; }
static int64_t scrambled(int64_t i, int64_t j) { return (i * 16 + j) * 5 % 512; }

static const pattern patterns[] = {
    {"rows to columns", "i * 16 + j", "j * 32 + i", by_rows, by_columns},
    {"columns to rows", "j * 32 + i", "i * 16 + j", by_columns, by_rows},
    {"strided", "i * 48 + j * 3", "i * 16 + j", strided, by_rows},
    {"to strided", "i * 16 + j", "i * 48 + j * 3", by_rows, strided},
    {"backwards", "511 - i * 16 - j", "i * 16 + j", backwards, by_rows},
    {"repeated", "i // 2 * 16 + j % 4", "i * 16 + j", repeated, by_rows},
    {"one row", "i * 0 + j", "i * 16 + j", same_row, by_rows},
    {"scrambled", "(i * 16 + j) * 5 % 512", "i * 16 + j", scrambled, by_rows},
    {"to scrambled", "i * 16 + j", "(i * 16 + j) * 5 % 512", by_rows, scrambled},
};

static void pattern_case(m_context *ctx, const pattern *p, m_dtype type, bool is_masked)
{
    m_case *c = m_begin(ctx, "%s%s %s", p->name, is_masked ? " masked" : "", m_dtype_name(type));
    if (!c)
        return;
    enum { n = 1536 };
    const char *mask = is_masked ? ", mask=(i < 29) & (j < 13)" : "";
    m_text(c, "@triton.jit\ndef k(x, o):\n    i = tl.arange(0, 32)[:, None]\n    j = tl.arange(0, 16)[None, :]\n"
              "    tl.store(o + (%s), tl.load(x + (%s)%s)%s)\n", p->to, p->from, mask, mask);
    m_array *x = m_in(c, "x", type, n), *want = m_out(c, "o", type, n);
    m_fill_special(c, x);
    for (int64_t i = 0; i < (is_masked ? 29 : 32); i++)
        for (int64_t j = 0; j < (is_masked ? 13 : 16); j++)
            m_set_bits(want, p->target(i, j), m_bits(x, p->source(i, j)));
    c->tolerance.is_strict = true;
    m_end(ctx, c);
}

/* --- block pointers and descriptors ---------------------------------------------------------- */

typedef struct {
    const char *name, *text;
    int64_t row0, column0; /* of the block in a 40x48 array that ends at 35x41 */
    double outside;        /* NaN for "nan" */
    int least_arch;
} window;

static const window windows[] = {
    {"block pointer",
     "    p = tl.make_block_ptr(x, (35, 41), (48, 1), (8, 16), (16, 16), (1, 0))\n    v = tl.load(p)\n", 8, 16, 0, 80},
    {"block pointer, boundary",
     "    p = tl.make_block_ptr(x, (35, 41), (48, 1), (24, 32), (16, 16), (1, 0))\n"
     "    v = tl.load(p, boundary_check=(0, 1), padding_option=\"zero\")\n",
     24, 32, 0, 80},
    {"block pointer, nan",
     "    p = tl.make_block_ptr(x, (35, 41), (48, 1), (24, 32), (16, 16), (1, 0))\n"
     "    v = tl.load(p, boundary_check=(0, 1), padding_option=\"nan\")\n",
     24, 32, NAN, 80},
    {"block pointer, advance",
     "    p = tl.make_block_ptr(x, (35, 41), (48, 1), (0, 0), (16, 16), (1, 0))\n    p = tl.advance(p, (24, 0))\n"
     "    p = p.advance((0, 32))\n    v = tl.load(p, boundary_check=(0, 1), padding_option=\"zero\")\n",
     24, 32, 0, 80},
    {"block pointer, loop",
     "    p = tl.make_block_ptr(x, (35, 41), (48, 1), (0, 32), (16, 16), (1, 0))\n    v = tl.zeros((16, 16), "
     "x.dtype.element_ty)\n"
     "    for _ in range(0, 3):\n        v = tl.load(p, boundary_check=(0, 1), padding_option=\"zero\")\n        p = "
     "tl.advance(p, (12, 0))\n",
     24, 32, 0, 80},
    {"descriptor", "    d = tl.make_tensor_descriptor(x, (35, 41), (48, 1), (16, 16))\n    v = d.load((8, 16))\n", 8,
     16, 0, 80},
    {"descriptor, boundary",
     "    d = tl.make_tensor_descriptor(x, (35, 41), (48, 1), (16, 16))\n    v = d.load((24, 32))\n", 24, 32, 0, 80},
    {"descriptor, nan",
     "    d = tl.make_tensor_descriptor(x, (35, 41), (48, 1), (16, 16), padding_option=\"nan\")\n    v = d.load((24, "
     "32))\n",
     24, 32, NAN, 80},
    {"descriptor, function",
     "    d = tl.make_tensor_descriptor(x, (35, 41), (48, 1), (16, 16))\n    v = tl.load_tensor_descriptor(d, (24, "
     "32))\n",
     24, 32, 0, 80},
};

static void window_case(m_context *ctx, const window *w, m_dtype type)
{
    if (isnan(w->outside) && !m_dtype_is_float(type))
        return;
    if (strstr(w->name, "descriptor") && m_dtype_size(type) * 16 < 16)
        return;
    m_case *c = m_begin(ctx, "%s %s", w->name, m_dtype_name(type));
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(x, o):\n%s"
              "    tl.store(o + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], v)\n", w->text);
    m_array *x = m_in(c, "x", type, 40 * 48), *want = m_out(c, "o", type, 256);
    m_fill_uniform(c, x, 1, 100);
    for (int64_t i = 0; i < 16; i++)
        for (int64_t j = 0; j < 16; j++) {
            int64_t row_at = w->row0 + i, column = w->column0 + j;
            bool is_inside = row_at < 35 && column < 41;
            m_set(want, i * 16 + j, is_inside ? m_get(x, row_at * 48 + column) : (m_real)w->outside);
        }
    m_end(ctx, c);
}

/* Stores through them: what lies outside stays. */
static void window_store(m_context *ctx, const char *name, const char *text, m_dtype type)
{
    m_case *c = m_begin(ctx, "%s %s", name, m_dtype_name(type));
    if (!c)
        return;
    m_text(c,
           "@triton.jit\ndef k(x, o):\n    v = tl.load(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, "
           ":])\n%s",
           text);
    m_array *x = m_in(c, "x", type, 256), *want = m_out(c, "o", type, 40 * 48);
    m_fill_uniform(c, x, 1, 100);
    for (int64_t i = 0; i < 16; i++)
        for (int64_t j = 0; j < 16; j++)
            if (24 + i < 35 && 32 + j < 41)
                m_set_bits(want, (24 + i) * 48 + 32 + j, m_bits(x, i * 16 + j));
    m_end(ctx, c);
}

void m_group_memory(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *t = rows[i].types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            copy_case(ctx, &rows[i], m_dtype_find(t));
    static const m_dtype types[] = {M_I1, M_I8, M_I16, M_F16, M_BF16, M_F32, M_I64, M_F64};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            pattern_case(ctx, &patterns[i], types[t], false);
            pattern_case(ctx, &patterns[i], types[t], true);
        }
    for (size_t t = 1; t < sizeof types / sizeof *types; t++) {
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
            window_case(ctx, &windows[i], types[t]);
        window_store(ctx, "block pointer, store",
                     "    tl.store(tl.make_block_ptr(o, (35, 41), (48, 1), (24, 32), (16, 16), (1, 0)), v, "
                     "boundary_check=(0, 1))\n",
                     types[t]);
        window_store(ctx, "descriptor, store",
                     "    d = tl.make_tensor_descriptor(o, (35, 41), (48, 1), (16, 16))\n    d.store((24, 32), v)\n",
                     types[t]);
        window_store(ctx, "descriptor, store function",
                     "    d = tl.make_tensor_descriptor(o, (35, 41), (48, 1), (16, 16))\n    "
                     "tl.store_tensor_descriptor(d, (24, 32), v)\n",
                     types[t]);
    }
}
