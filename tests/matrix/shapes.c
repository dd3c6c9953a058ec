/* Functions that move elements: each result element is the one of the operand that the reference names. */
#include "tests/matrix/matrix.h"

#include <string.h>

typedef struct {
    const char *name, *expression; /* over x and y, both of shape `in` */
    int rank_in, rank_out;
    int64_t in[4], out[4];
    /* index of the operand's element, row by row; count of x and above: in y */
    int64_t (*source)(const int64_t *o);
    const char *types; /* null: a few */
} row;

static int64_t s_same(const int64_t *o) { return o[0]; }
static int64_t s_2d(const int64_t *o) { return o[0] * 32 + o[1]; }
static int64_t s_trans(const int64_t *o) { return o[1] * 32 + o[0]; }
static int64_t s_expand0(const int64_t *o) { return o[1]; }
static int64_t s_3d_120(const int64_t *o) { return o[2] * 128 + o[0] * 16 + o[1]; }
static int64_t s_3d_201(const int64_t *o) { return o[1] * 128 + o[2] * 16 + o[0]; }
static int64_t s_3d_021(const int64_t *o) { return o[0] * 128 + o[2] * 16 + o[1]; }
static int64_t s_3d_210(const int64_t *o) { return o[2] * 128 + o[1] * 16 + o[0]; }
static int64_t s_4d(const int64_t *o) { return o[2] * 64 + o[0] * 16 + o[3] * 4 + o[1]; }
static int64_t s_flat2(const int64_t *o) { return o[0] * 64 + o[1]; }
static int64_t s_flat3(const int64_t *o) { return o[0] * 128 + o[1] * 16 + o[2]; }
static int64_t s_join(const int64_t *o) { return o[0] + o[1] * 64; }
static int64_t s_join2(const int64_t *o) { return o[0] * 32 + o[1] + o[2] * 512; }
static int64_t s_interleave(const int64_t *o) { return o[0] / 2 + o[0] % 2 * 64; }
static int64_t s_interleave2(const int64_t *o) { return o[0] * 32 + o[1] / 2 + o[1] % 2 * 512; }
static int64_t s_cat(const int64_t *o) { return o[0] < 64 ? o[0] : o[0]; }
static int64_t s_cat0(const int64_t *o) { return o[0] < 16 ? o[0] * 32 + o[1] : 512 + (o[0] - 16) * 32 + o[1]; }
static int64_t s_cat1(const int64_t *o) { return o[1] < 32 ? o[0] * 32 + o[1] : 512 + o[0] * 32 + o[1] - 32; }
static int64_t s_even(const int64_t *o) { return o[0] * 2; }
static int64_t s_odd(const int64_t *o) { return o[0] * 2 + 1; }
static int64_t s_split(const int64_t *o) { return (o[0] * 16 + o[1]) * 2; }
static int64_t s_split1(const int64_t *o) { return (o[0] * 16 + o[1]) * 2 + 1; }
static int64_t s_flip(const int64_t *o) { return 63 - o[0]; }
static int64_t s_flip_long(const int64_t *o) { return 1023 - o[0]; }
static int64_t s_flip_rows(const int64_t *o) { return (255 - o[0]) * 4 + o[1]; }
static int64_t s_flip1(const int64_t *o) { return o[0] * 32 + 31 - o[1]; }
static int64_t s_flip0(const int64_t *o) { return (15 - o[0]) * 32 + o[1]; }
static int64_t s_row(const int64_t *o) { return o[1]; }
static int64_t s_column(const int64_t *o) { return o[0]; }
static int64_t s_keep3(const int64_t *o) { return o[0] * 32 + o[2]; }
static int64_t s_swap_halves(const int64_t *o) { return o[0] * 32 + (o[1] + 16) % 32; }

static const row rows[] = {
    {"expand_dims 0", "tl.expand_dims(x, 0)", 1, 2, {64}, {1, 64}, s_expand0, NULL},
    {"expand_dims -1", "tl.expand_dims(x, -1)", 1, 2, {64}, {64, 1}, s_same, NULL},
    {"expand_dims twice", "x.expand_dims((0, 2))", 1, 3, {64}, {1, 64, 1}, s_expand0, "f32"},
    {"x[None, :]", "x[None, :]", 1, 2, {64}, {1, 64}, s_expand0, NULL},
    {"x[:, None]", "x[:, None]", 1, 2, {64}, {64, 1}, s_same, NULL},
    {"x[:, None, :]", "x[:, None, :]", 2, 3, {16, 32}, {16, 1, 32}, s_keep3, NULL},
    {"broadcast_to rows", "tl.broadcast_to(x[None, :], 8, 64)", 1, 2, {64}, {8, 64}, s_row, NULL},
    {"broadcast_to columns", "x[:, None].broadcast_to((64, 8))", 1, 2, {64}, {64, 8}, s_column, NULL},
    {"broadcast", "tl.broadcast(x[None, :], y[:, None])[0]", 1, 2, {64}, {64, 64}, s_row, "f32 i8"},
    {"reshape to 2", "tl.reshape(x, 8, 64)", 1, 2, {512}, {8, 64}, s_flat2, NULL},
    {"reshape to 1", "tl.reshape(x, (512,))", 2, 1, {16, 32}, {512}, s_same, NULL},
    {"reshape to 3", "x.reshape(4, 8, 16)", 2, 3, {16, 32}, {4, 8, 16}, s_flat3, NULL},
    {"reshape 2 to 2", "tl.reshape(x, (8, 64))", 2, 2, {16, 32}, {8, 64}, s_flat2, NULL},
    {"ravel", "tl.ravel(x)", 2, 1, {16, 32}, {512}, s_same, "f32 i8"},
    {"trans", "tl.trans(x)", 2, 2, {16, 32}, {32, 16}, s_trans, NULL},
    {".T", "x.T", 2, 2, {16, 32}, {32, 16}, s_trans, "f32 f16 i8 i1"},
    {"trans 3", "tl.trans(x)", 3, 3, {4, 8, 16}, {4, 16, 8}, s_3d_021, "f32 f16"},
    {"permute 1 0", "tl.permute(x, (1, 0))", 2, 2, {16, 32}, {32, 16}, s_trans, "f32 i64"},
    {"permute 1 2 0", "tl.permute(x, 1, 2, 0)", 3, 3, {4, 8, 16}, {8, 16, 4}, s_3d_120, NULL},
    {"permute 2 0 1", "x.permute(2, 0, 1)", 3, 3, {4, 8, 16}, {16, 4, 8}, s_3d_201, NULL},
    {"permute 2 1 0", "tl.trans(x, 2, 1, 0)", 3, 3, {4, 8, 16}, {16, 8, 4}, s_3d_210, NULL},
    {"permute 1 3 0 2", "tl.permute(x, (1, 3, 0, 2))", 4, 4, {4, 4, 4, 4}, {4, 4, 4, 4}, s_4d, "f32 f16 i8"},
    {"join", "tl.join(x, y)", 1, 2, {64}, {64, 2}, s_join, NULL},
    {"join 2", "tl.join(x, y)", 2, 3, {16, 32}, {16, 32, 2}, s_join2, NULL},
    {"interleave", "tl.interleave(x, y)", 1, 1, {64}, {128}, s_interleave, NULL},
    {"interleave 2", "tl.interleave(x, y)", 2, 2, {16, 32}, {16, 64}, s_interleave2, NULL},
    {"cat", "tl.cat(x, y)", 1, 1, {64}, {128}, s_cat, NULL},
    {"cat can_reorder", "tl.cat(x, y, can_reorder=True)", 1, 1, {64}, {128}, s_cat, "f32"},
    {"cat 0", "tl.cat(x, y, dim=0)", 2, 2, {16, 32}, {32, 32}, s_cat0, NULL},
    {"cat 1", "tl.cat(x, y, dim=1)", 2, 2, {16, 32}, {16, 64}, s_cat1, NULL},
    {"split first", "tl.split(tl.reshape(x, 64, 2))[0]", 1, 1, {128}, {64}, s_even, NULL},
    {"split second", "tl.split(tl.reshape(x, 64, 2))[1]", 1, 1, {128}, {64}, s_odd, NULL},
    {"split 3", "x.reshape(16, 16, 2).split()[0]", 2, 2, {16, 32}, {16, 16}, s_split, "f32 i8 f16"},
    {"split 3 second", "x.reshape(16, 16, 2).split()[1]", 2, 2, {16, 32}, {16, 16}, s_split1, "f32 i64"},
    {"flip", "tl.flip(x)", 1, 1, {64}, {64}, s_flip, NULL},
    {"flip 1", "tl.flip(x, 1)", 2, 2, {16, 32}, {16, 32}, s_flip1, NULL},
    {"flip 0", "x.flip(0)", 2, 2, {16, 32}, {16, 32}, s_flip0, "f32 f16 i8"},
    {"flip long", "tl.flip(x)", 1, 1, {1024}, {1024}, s_flip_long, "f32 i8"},
    {"flip rows", "tl.flip(x, 0)", 2, 2, {256, 4}, {256, 4}, s_flip_rows, "f32 i64"},
    {"squeeze", "tl.squeeze(x[:, None], 1)", 1, 1, {64}, {64}, s_same, "f32 i8"},
    {"unsqueeze", "tl.unsqueeze(x, 0)", 1, 2, {64}, {1, 64}, s_expand0, "f32 i8"},
    {"gather 0", "tl.gather(x, 63 - tl.arange(0, 64), 0)", 1, 1, {64}, {64}, s_flip, NULL},
    {"gather 1",
     "tl.gather(x, tl.broadcast_to(((tl.arange(0, 32) + 16) % 32)[None, :], 16, 32), 1)",
     2,
     2,
     {16, 32},
     {16, 32},
     s_swap_halves,
     NULL},
    {"gather method",
     "x.gather(tl.broadcast_to((15 - tl.arange(0, 16))[:, None], 16, 32), 0)",
     2,
     2,
     {16, 32},
     {16, 32},
     s_flip0,
     "f32 i16"},
    {"twice transposed", "tl.trans(tl.trans(x))", 2, 2, {16, 32}, {16, 32}, s_2d, "f32 f16"},
    {"reshape and trans", "tl.trans(tl.reshape(x, 16, 32))", 1, 2, {512}, {32, 16}, s_trans, "f32 i8"},
};

static void write_index(m_case *c, const char *name, int rank, const int64_t *dims)
{
    static const char *const index[5][4] = {
        {""},
        {""},
        {"[:, None]", "[None, :]"},
        {"[:, None, None]", "[None, :, None]", "[None, None, :]"},
        {"[:, None, None, None]", "[None, :, None, None]", "[None, None, :, None]", "[None, None, None, :]"}};
    int64_t stride = 1;
    for (int d = 0; d < rank; d++)
        stride *= dims[d];
    m_text(c, "    %s = ", name);
    for (int d = 0; d < rank; d++) {
        stride /= dims[d];
        m_text(c, "%stl.arange(0, %d)%s * %d", d ? " + " : "", (int)dims[d], index[rank][d], (int)stride);
    }
    m_text(c, "\n");
}

static void one(m_context *ctx, const row *r, m_dtype type)
{
    m_case *c = m_begin(ctx, "%s %s", r->name, m_dtype_name(type));
    if (!c)
        return;
    int64_t count = 1, results = 1;
    for (int d = 0; d < r->rank_in; d++)
        count *= r->in[d];
    for (int d = 0; d < r->rank_out; d++)
        results *= r->out[d];
    m_text(c, "@triton.jit\ndef k(x_ptr, y_ptr, r_ptr):\n");
    write_index(c, "i", r->rank_in, r->in);
    m_text(c, "    x = tl.load(x_ptr + i)\n    y = tl.load(y_ptr + i)\n    r = %s\n", r->expression);
    write_index(c, "o", r->rank_out, r->out);
    m_text(c, "    tl.store(r_ptr + o, r)\n");
    m_array *x = m_in(c, "x_ptr", type, count), *y = m_in(c, "y_ptr", type, count),
            *want = m_out(c, "r_ptr", type, results);
    m_fill_special(c, x);
    m_fill_special(c, y);
    for (int64_t i = 0; i < results; i++) {
        int64_t o[4] = {0}, rest = i;
        for (int d = r->rank_out - 1; d >= 0; d--) {
            o[d] = rest % r->out[d];
            rest /= r->out[d];
        }
        int64_t s = r->source(o);
        m_set_bits(want, i, s < count ? m_bits(x, s) : m_bits(y, s - count));
    }
    c->tolerance.is_strict = true;
    m_end(ctx, c);
}

/* arange, full, zeros, zeros_like, item and scalars that become blocks. */
static void created(m_context *ctx, const char *expression, m_dtype type, m_real (*value)(int64_t i))
{
    m_case *c = m_begin(ctx, "%s %s", expression, m_dtype_name(type));
    if (!c)
        return;
    m_text(c, "@triton.jit\ndef k(o, n):\n    T: tl.constexpr = tl.%s\n    r = %s\n    tl.static_assert(r.dtype == T)\n"
              "    tl.store(o + tl.arange(0, 128), r)\n", m_dtype_tl(type), expression);
    m_array *want = m_out(c, "o", type, 128);
    for (int64_t i = 0; i < 128; i++)
        m_set(want, i, value(i));
    m_scalar(c, "n", M_I32, "7");
    m_end(ctx, c);
}

static m_real v_zero(int64_t i) { (void)i; return 0; }
static m_real v_one(int64_t i) { (void)i; return 1; }
static m_real v_index(int64_t i) { return i; }
static m_real v_from_3(int64_t i) { return i + 3; }
static m_real v_seven(int64_t i) { (void)i; return 7; }

void m_group_shapes(m_context *ctx)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *types = rows[i].types ? rows[i].types : "i8 f16 f32 i64 bf16 i1";
        for (const char *t = types; t; t = strchr(t, ' ') ? strchr(t, ' ') + 1 : NULL)
            one(ctx, &rows[i], m_dtype_find(t));
    }
    for (int t = M_I1; t < M_DTYPES; t++) {
        if (t == M_F8E4 || t == M_F8E5)
            continue;
        created(ctx, "tl.zeros((128,), T)", (m_dtype)t, v_zero);
        created(ctx, "tl.full((128,), 1, T)", (m_dtype)t, v_one);
        created(ctx, "tl.zeros_like(tl.full((128,), 1, T))", (m_dtype)t, v_zero);
        if (t != M_I1)
            created(ctx, "tl.full((128,), n, T)", (m_dtype)t, v_seven);
    }
    created(ctx, "tl.arange(0, 128)", M_I32, v_index);
    created(ctx, "tl.arange(3, 131)", M_I32, v_from_3);
    created(ctx, "tl.zeros((128,), T) + tl.full((1,), n, T).item()", M_I32, v_seven);
    created(ctx, "tl.broadcast_to(n, (128,))", M_I32, v_seven);
    created(ctx, "tl.max_constancy(tl.max_contiguous(tl.multiple_of(tl.arange(0, 128), 128), 128), 1)", M_I32, v_index);
}
