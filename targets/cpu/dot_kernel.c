/* The kernel of products: sums of a tile of rows and vectors stay in registers over all of k, and over all products
 * that are added to the same sums (x->table):
 *
 *     for n by nr, m by mr:  acc[mr][nr] = d;  for each product, k: acc += a[m..][k] * b[k][n..];  d = acc
 */
#include "targets/cpu/dot.h"

#include "ir/options.h"

/* ---- plain counted loops ---- */

static tri_cpu_counted counted_begin(tri_cpu_gen *g, LLVMValueRef end, int64_t step)
{
    tri_cpu_counted c = {tri_cpu_new_block(g, "tile"), tri_cpu_new_block(g, "tiled"), NULL, end, step};
    tri_cpu_at(g, 0);
    LLVMBasicBlockRef before = g->at;
    LLVMBuildBr(g->b, c.header);
    tri_cpu_move(g, 0, c.header);
    c.i = LLVMBuildPhi(g->b, g->i64, "");
    LLVMValueRef zero = tri_cpu_i64(g, 0);
    LLVMAddIncoming(c.i, &zero, &before, 1);
    return c;
}

tri_cpu_counted tri_cpu_counted_begin(tri_cpu_gen *g, int64_t end, int64_t step)
{
    return counted_begin(g, tri_cpu_i64(g, end), step);
}

tri_cpu_counted tri_cpu_counted_to(tri_cpu_gen *g, LLVMValueRef end) { return counted_begin(g, end, 1); }

void tri_cpu_counted_end(tri_cpu_gen *g, tri_cpu_counted *c)
{
    tri_cpu_at(g, 0);
    LLVMValueRef next = LLVMBuildNSWAdd(g->b, c->i, tri_cpu_i64(g, c->step), "");
    LLVMBasicBlockRef latch = g->at;
    LLVMAddIncoming(c->i, &next, &latch, 1);
    LLVMValueRef more = LLVMBuildICmp(g->b, LLVMIntSLT, next, c->end, "");
    LLVMBuildCondBr(g->b, more, c->header, c->exit);
    tri_cpu_move(g, 0, c->exit);
}

/* ---- the kernel ---- */

static LLVMValueRef element_at(tri_cpu_product *x, LLVMValueRef base, LLVMValueRef row, LLVMValueRef width,
                               LLVMValueRef column)
{
    LLVMBuilderRef b = x->g->b;
    LLVMValueRef at = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, row, width, ""), column, "");
    return LLVMBuildInBoundsGEP2(b, x->element, base, &at, 1, "");
}

static LLVMValueRef multiply_add(tri_cpu_product *x, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    if (x->compute.kind == TRI_CPU_INT)
        return LLVMBuildAdd(x->g->b, LLVMBuildMul(x->g->b, a, b, ""), c, "");
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, c};
    bool fuses = x->g->has_fma && !x->g->unit->options->no_fp_fusion;
    return fuses ? tri_cpu_intrinsic(x->g, "llvm.fma", &type, 1, args, 3)
                 : LLVMBuildFAdd(x->g->b, LLVMBuildFMul(x->g->b, a, b, ""), c, "");
}

LLVMTypeRef tri_cpu_product_row(tri_cpu_gen *g)
{
    LLVMTypeRef members[3] = {g->ptr, g->i64, g->ptr};
    return LLVMStructTypeInContext(g->llvm, members, 3, false);
}

tri_cpu_each tri_cpu_each_begin(const tri_cpu_product *x, LLVMValueRef *base)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_each e = {.x = *x, .base = {base[0], base[1]}};
    if (!x->table)
        return e;
    LLVMTypeRef row = tri_cpu_product_row(g);
    e.loop = tri_cpu_counted_to(g, x->trips);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, row, x->table, &e.loop.i, 1, "");
    e.base[0] = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, row, at, 0, ""), "");
    e.x.a_stride = LLVMBuildLoad2(g->b, g->i64, LLVMBuildStructGEP2(g->b, row, at, 1, ""), "");
    e.base[1] = LLVMBuildLoad2(g->b, g->ptr, LLVMBuildStructGEP2(g->b, row, at, 2, ""), "");
    return e;
}

void tri_cpu_each_end(tri_cpu_gen *g, tri_cpu_each *e)
{
    if (e->x.table)
        tri_cpu_counted_end(g, &e->loop);
}

void tri_cpu_sums_begin(const tri_cpu_product *x, void (*emit)(void *data, bool is_zero), void *data)
{
    tri_cpu_gen *g = x->g;
    if (!x->is_fresh || LLVMIsAConstantInt(x->is_fresh)) {
        emit(data, x->is_fresh && LLVMConstIntGetZExtValue(x->is_fresh));
        return;
    }
    LLVMBasicBlockRef fresh = tri_cpu_new_block(g, "fresh"), old = tri_cpu_new_block(g, "old"),
                      next = tri_cpu_new_block(g, "begun");
    LLVMBuildCondBr(g->b, x->is_fresh, fresh, old);
    tri_cpu_move(g, 0, fresh);
    emit(data, true);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, old);
    emit(data, false);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}

enum { max_rows = 8, max_parts = 8 };

/* Where the accumulators of a tile are: rows of `parts` vectors; `height` rows in each vector. */
typedef struct {
    int rows, parts, width, height;
    LLVMTypeRef vector;
    LLVMValueRef row[max_rows], column[max_parts], acc[max_rows][max_parts];
} tile_shape;

static LLVMValueRef packed_load(tri_cpu_product *x, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at)
{
    LLVMTypeRef element = tri_cpu_product_packed(x);
    LLVMValueRef v = LLVMBuildLoad2(x->g->b, type, LLVMBuildInBoundsGEP2(x->g->b, element, base, &at, 1, ""), "");
    LLVMSetAlignment(v, x->isa ? x->isa->packed.bits / 8 : x->compute.bits / 8);
    return v;
}

static bool is_512(const tri_cpu_product *x) { return tri_host_has(&x->g->host, "avx512f"); }

/* What is read of b so many steps from now. A strip comes from the second cache, in the order in which it lies there,
 * of which processors alone do not make the most: by measurement, 2 to 8 % of a product. */
static void fetch_ahead(tri_cpu_product *x, LLVMValueRef b, LLVMValueRef at)
{
    enum { steps = 8 };
    LLVMValueRef later = LLVMBuildAdd(x->g->b, at, tri_cpu_i64(x->g, steps * x->strip), "");
    tri_cpu_prefetch(x->g, LLVMBuildGEP2(x->g->b, x->element, b, &later, 1, ""), TRI_CPU_FETCH_NEAR);
}

/* One group of each row from `u` on. */
static LLVMValueRef load_left(tri_cpu_product *x, LLVMValueRef base, const tile_shape *t, int u, LLVMValueRef k)
{
    tri_cpu_gen *g = x->g;
    unsigned bits = x->isa ? x->isa->packed.bits * (unsigned)x->isa->group : 0;
    LLVMTypeRef one = x->isa ? LLVMIntTypeInContext(g->llvm, bits) : x->element;
    LLVMValueRef all = t->height > 1 ? LLVMGetPoison(tri_cpu_vector(one, t->height)) : NULL;
    for (int h = 0; h < t->height; h++) {
        LLVMValueRef row = x->rows ? tri_cpu_i64(g, u + h) : t->row[u + h];
        LLVMValueRef at = LLVMBuildNSWMul(g->b, row, x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), "");
        LLVMValueRef v = packed_load(x, one, base, LLVMBuildNSWAdd(g->b, at, k, ""));
        all = all ? LLVMBuildInsertElement(g->b, all, v, tri_cpu_i64(g, h), "") : v;
    }
    return all;
}

/* The step of the innermost loop: products of one k, or of one group of them. */
static void step(tri_cpu_product *x, LLVMValueRef *base, const tile_shape *t, LLVMValueRef k)
{
    tri_cpu_gen *g = x->g;
    int group = x->isa ? x->isa->group : 1;
    LLVMTypeRef wide = tri_cpu_vector(tri_cpu_product_packed(x), t->width * group > 1 ? t->width * group : 0);
    LLVMValueRef right[max_parts], line = LLVMBuildNSWMul(g->b, k, tri_cpu_i64(g, x->strip), "");
    int64_t column = x->strip < x->n ? x->k * x->span : group;
    LLVMValueRef first = LLVMBuildNSWMul(g->b, t->column[0], tri_cpu_i64(g, column), "");
    line = LLVMBuildNSWAdd(g->b, line, first, "");
    for (int p = 0; p < t->parts; p++) {
        LLVMValueRef at = tri_cpu_i64(g, p * t->width * group);
        right[p] = packed_load(x, wide, base[1], LLVMBuildNSWAdd(g->b, line, at, ""));
        if (!x->isa && is_512(x))
            fetch_ahead(x, base[1], LLVMBuildNSWAdd(g->b, line, at, ""));
    }
    for (int u = 0; u < t->rows; u += t->height) {
        LLVMValueRef left = load_left(x, base[0], t, u, k);
        for (int p = 0; p < t->parts; p++) {
            LLVMValueRef sum = LLVMBuildLoad2(g->b, t->vector, t->acc[u][p], "");
            if (x->isa)
                sum = tri_cpu_dot_emit(g, x->isa, left, right[p], sum);
            else
                sum = multiply_add(x, tri_cpu_splat(g, left, t->width > 1 ? t->width : 0), right[p], sum);
            LLVMBuildStore(g->b, sum, t->acc[u][p]);
        }
    }
}

/* What the accumulators of rows from `u` on have before the products. */
static void begin_sums(tri_cpu_product *x, LLVMValueRef d, LLVMValueRef excess, const tile_shape *t, int u, int p,
                       bool is_zero)
{
    tri_cpu_gen *g = x->g;
    LLVMTypeRef line = tri_cpu_vector(x->element, t->width > 1 ? t->width : 0);
    LLVMValueRef rows[2], width = tri_cpu_i64(g, x->n);
    for (int h = 0; h < t->height; h++) {
        rows[h] = LLVMConstNull(line);
        if (is_zero)
            continue;
        rows[h] = LLVMBuildLoad2(g->b, line, element_at(x, d, t->row[u + h], width, t->column[p]), "");
        LLVMSetAlignment(rows[h], x->compute.bits / 8);
    }
    LLVMValueRef sum = t->height > 1 ? tri_cpu_part(g, rows[0], rows[1], 0, 2 * t->width) : rows[0];
    if (excess) {
        LLVMValueRef row = t->row[u], by = LLVMBuildGEP2(g->b, g->i32, excess, &row, 1, "");
        by = LLVMBuildLoad2(g->b, g->i32, by, "");
        sum = LLVMBuildSub(g->b, sum, tri_cpu_splat(g, by, t->width), "");
    }
    LLVMBuildStore(g->b, sum, t->acc[u][p]);
}

static void store_sums(tri_cpu_product *x, LLVMValueRef d, const tile_shape *t, int u, int p)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef sum = LLVMBuildLoad2(g->b, t->vector, t->acc[u][p], "");
    LLVMValueRef width = x->out ? x->out_stride : tri_cpu_i64(g, x->n);
    for (int h = 0; h < t->height; h++) {
        LLVMValueRef row = t->height > 1 ? tri_cpu_part(g, sum, NULL, h * t->width, t->width) : sum;
        LLVMValueRef at = element_at(x, x->out ? x->out : d, t->row[u + h], width, t->column[p]);
        LLVMValueRef s = LLVMBuildStore(g->b, row, at);
        LLVMSetAlignment(s, x->compute.bits / 8);
    }
}

typedef struct {
    tri_cpu_product *x;
    LLVMValueRef *base;
    const tile_shape *shape;
} tile_start;

static void begin_tile(void *data, bool is_zero)
{
    const tile_start *s = data;
    for (int u = 0; u < s->shape->rows; u += s->shape->height)
        for (int p = 0; p < s->shape->parts; p++)
            begin_sums(s->x, s->base[2], s->base[3], s->shape, u, p, is_zero);
}

/* Of one turn of the innermost loop: addresses of rows are found once for all of them. */
static int64_t steps_of(const tri_cpu_product *x)
{
    int64_t steps = x->is_plain ? 2 : 4;
    return !x->isa && x->k % steps == 0 ? steps : 1;
}

static void tile(tri_cpu_product *x, LLVMValueRef *base, LLVMValueRef m, LLVMValueRef n, int rows, int lanes)
{
    tri_cpu_gen *g = x->g;
    tile_shape t = {.rows = rows, .width = x->isa ? x->isa->width : lanes < TRI_CPU_LANES ? lanes : TRI_CPU_LANES};
    t.height = x->isa ? x->isa->rows : 1;
    t.parts = lanes / t.width;
    TRI_ASSERT(t.parts <= max_parts && t.height <= 2);
    t.vector = tri_cpu_vector(x->element, t.width * t.height > 1 ? t.width * t.height : 0);
    for (int p = 0; p < t.parts; p++)
        t.column[p] = LLVMBuildNSWAdd(g->b, n, tri_cpu_i64(g, p * t.width), "");
    for (int u = 0; u < rows; u++)
        t.row[u] = LLVMBuildNSWAdd(g->b, m, tri_cpu_i64(g, u), "");
    for (int u = 0; u < rows; u += t.height)
        for (int p = 0; p < t.parts; p++)
            t.acc[u][p] = tri_cpu_temp(g, t.vector, "acc");
    tile_start start = {x, base, &t};
    tri_cpu_sums_begin(x, begin_tile, &start);
    tri_cpu_each each = tri_cpu_each_begin(x, base);
    if (x->rows)
        tri_cpu_rows_take(&each, m);
    int64_t group = x->isa ? x->isa->group : 1, steps = steps_of(x);
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, group * steps);
    if (x->rows)
        tri_cpu_rows_fetch(&each, n, k.i);
    for (int64_t i = 0; i < steps; i++)
        step(&each.x, each.base, &t, i ? LLVMBuildNSWAdd(g->b, k.i, tri_cpu_i64(g, i * group), "") : k.i);
    tri_cpu_counted_end(g, &k);
    tri_cpu_each_end(g, &each);
    for (int u = 0; u < rows; u += t.height)
        for (int p = 0; p < t.parts; p++)
            store_sums(x, base[2], &t, u, p);
}

/* Accumulators fill half of the registers or more: 8 of 16 with SSE2 and AVX2, 16 of 32 with AVX-512 and NEON. */
static void choose_tile(const tri_cpu_product *x, int *out_rows, int *out_lanes)
{
    const tri_host *host = &x->g->host;
    bool is_small = x->compute.bits == 64 || !(host->is_aarch64 || tri_host_has(host, "avx"));
    bool is_wide = is_512(x) && x->compute.bits == 32 && x->m >= 8 && x->n >= 32;
    int64_t rows = is_wide ? 8 : 4, lanes = is_wide ? 32 : is_small && !is_512(x) ? 8 : TRI_CPU_LANES;
    *out_rows = (int)(x->m < rows ? x->m : rows);
    *out_lanes = (int)(x->n < lanes ? x->n : lanes);
}

int64_t tri_cpu_product_strip(const tri_cpu_product *x)
{
    int rows, lanes;
    if (x->isa && x->isa->is_tile)
        return tri_cpu_tiles_strip(x);
    choose_tile(x, &rows, &lanes);
    return lanes;
}

/* Sums of a's rows from `m` on, several at once, since each waits for its own last step. */
static void sum_rows(tri_cpu_product *x, LLVMValueRef *base, LLVMValueRef m, int rows, LLVMValueRef *out)
{
    tri_cpu_gen *g = x->g;
    int64_t wide = x->isa->width * x->isa->group;
    bool is_whole = x->k % wide == 0;
    int64_t lanes = is_whole ? wide : x->isa->group, sums = is_whole ? x->isa->width : lanes;
    LLVMTypeRef vector = tri_cpu_vector(g->i32, (int)sums);
    for (int u = 0; u < rows; u++)
        LLVMBuildStore(g->b, LLVMConstNull(vector), out[u] = tri_cpu_temp(g, vector, "row"));
    tri_cpu_each each = tri_cpu_each_begin(x, base);
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, lanes);
    LLVMValueRef stride = each.x.a_stride ? each.x.a_stride : tri_cpu_i64(g, x->k);
    LLVMValueRef at = LLVMBuildNSWAdd(g->b, LLVMBuildNSWMul(g->b, m, stride, ""), k.i, "");
    for (int u = 0; u < rows; u++) {
        if (u)
            at = LLVMBuildNSWAdd(g->b, at, stride, "");
        LLVMValueRef v = packed_load(x, tri_cpu_vector(g->i8, (int)lanes), each.base[0], at);
        LLVMValueRef sum = LLVMBuildLoad2(g->b, vector, out[u], "");
        sum = is_whole ? tri_cpu_dot_emit(g, x->isa, v, tri_cpu_const_like(LLVMTypeOf(v), 1), sum)
                       : LLVMBuildAdd(g->b, sum, LLVMBuildSExt(g->b, v, vector, ""), "");
        LLVMBuildStore(g->b, sum, out[u]);
    }
    tri_cpu_counted_end(g, &k);
    tri_cpu_each_end(g, &each);
    for (int u = 0; u < rows; u++) {
        LLVMValueRef sum = LLVMBuildLoad2(g->b, vector, out[u], "");
        out[u] = tri_cpu_intrinsic(g, "llvm.vector.reduce.add", &vector, 1, &sum, 1);
    }
}

/* Where bytes of b are 128 more than they are: 128 times the sums of a's rows, as the block's sums have too much. */
static LLVMValueRef find_excess(tri_cpu_product *x, LLVMValueRef *base)
{
    tri_cpu_gen *g = x->g;
    int rows = x->m % max_rows ? 1 : max_rows;
    LLVMValueRef out = tri_cpu_temp(g, LLVMArrayType2(g->i32, (uint64_t)x->m), "excess"), sums[max_rows];
    tri_cpu_counted m = tri_cpu_counted_begin(g, x->m, rows);
    sum_rows(x, base, m.i, rows, sums);
    for (int u = 0; u < rows; u++) {
        LLVMValueRef at = LLVMBuildNSWAdd(g->b, m.i, tri_cpu_i64(g, u), "");
        LLVMValueRef sum = LLVMBuildMul(g->b, sums[u], LLVMConstInt(g->i32, 128, false), "");
        LLVMBuildStore(g->b, sum, LLVMBuildGEP2(g->b, g->i32, out, &at, 1, ""));
    }
    tri_cpu_counted_end(g, &m);
    return out;
}

bool tri_cpu_product_is_wide(const tri_cpu_product *x)
{
    enum { wide = 128 };
    return x->n >= wide;
}

void tri_cpu_product_emit(tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    int rows, lanes;
    if (tri_cpu_twin_suits(x)) {
        tri_cpu_twin_call(x);
        return;
    }
    choose_tile(x, &rows, &lanes);
    tri_cpu_counted batch = tri_cpu_counted_begin(g, x->batch, 1);
    int64_t sizes[3] = {x->m * x->k, x->k * x->n, x->m * x->n};
    LLVMValueRef base[4] = {x->a, x->b, x->d, NULL};
    for (int i = x->table ? 2 : 0; i < 3; i++) {
        LLVMValueRef offset = LLVMBuildNSWMul(g->b, batch.i, tri_cpu_i64(g, sizes[i]), "");
        base[i] = LLVMBuildInBoundsGEP2(g->b, i < 2 ? tri_cpu_product_packed(x) : x->element, base[i], &offset, 1, "");
    }
    if (x->isa && x->isa->is_tile) {
        tri_cpu_tiles_multiply(x, base);
        tri_cpu_counted_end(g, &batch);
        return;
    }
    if (x->isa && x->isa->is_offset)
        base[3] = find_excess(x, base);
    bool is_wide = tri_cpu_product_is_wide(x);
    LLVMValueRef gathered = tri_cpu_rows_suit(x, rows, lanes) ? tri_cpu_rows_new(x) : NULL;
    tri_cpu_counted outer = is_wide ? tri_cpu_counted_begin(g, x->m, rows) : tri_cpu_counted_begin(g, x->n, lanes);
    if (gathered)
        tri_cpu_rows_gather(x, base, gathered, outer.i);
    x->rows = gathered;
    tri_cpu_counted inner = is_wide ? tri_cpu_counted_begin(g, x->n, lanes) : tri_cpu_counted_begin(g, x->m, rows);
    tile(x, base, (is_wide ? &outer : &inner)->i, (is_wide ? &inner : &outer)->i, rows, lanes);
    tri_cpu_counted_end(g, &inner);
    tri_cpu_counted_end(g, &outer);
    tri_cpu_counted_end(g, &batch);
}
