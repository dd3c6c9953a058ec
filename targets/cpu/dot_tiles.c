/* Products with AMX: eight tiles of 16 rows of 64 bytes, configured once for a range of programs.
 *
 *     for m, n by 32:  t0..t3 = d;  for k: t4, t5 = rows of a; t6, t7 = b;  t0 += t4 t6 ...;  d = t0..t3
 *
 * a is read row by row where it lies; b is packed as [k / group][n][group], of which a tile is 16 groups of 16 columns.
 * Where a block has 16 rows or columns only, half of the tiles are idle. bfloat16 products round to nearest even, take
 * subnormal operands as zero and give no subnormal sums (Intel's manual, TDPBF16PS).
 *
 * Where many tiles of columns read the same rows of a, those are gathered first: rows that lie a kilobyte or more apart
 * take three times as long to load from the second cache as a tile in one piece.
 *
 * Numbers in two parts (dot_split.c) are three products of each pair of tiles, t4 to t7 being loaded twice. Where some
 * are large, they go through two loops, that of the small products first, into sums of their own. */
#include "targets/cpu/dot_tiles.h"

/* ---- which products ---- */

static bool suits(tri_cpu_gen *g, MlirOperation op)
{
    MlirType a = mlirValueGetType(tri_op_operand(op, 0)), b = mlirValueGetType(tri_op_operand(op, 1));
    int rank = tri_type_rank(a);
    int64_t m = tri_type_dim(a, rank - 2), n = tri_type_dim(b, rank - 1), k = tri_type_dim(a, rank - 1);
    bool same = mlirTypeEqual(tri_type_element(a), tri_type_element(b));
    tri_cpu_type operand = tri_cpu_type_of(g, a);
    return same && (tri_cpu_dot_tiles(g, operand, m, n, k) ||
                    (operand.kind == TRI_CPU_F32 && tri_cpu_split_choose(g, op, m, n, k)));
}

static bool any_suits(tri_cpu_gen *g, MlirModule module)
{
    tri_op_list dots = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.dot", g->arena, &dots);
    for (size_t i = 0; i < dots.len; i++)
        if (suits(g, dots.at[i]))
            return true;
    return false;
}

bool tri_cpu_tiles_suit(tri_unit *unit)
{
    const tri_machine_facts *archs[TRI_HOST_MAX_LIST];
    tri_host_list(unit, archs, TRI_HOST_MAX_LIST);
    tri_cpu_gen g = {.unit = unit, .arena = unit->arena, .diag = unit->diag, .llvm = unit->llvm};
    g.host = tri_host_of(unit, archs[1]);
    return any_suits(&g, unit->module);
}

/* ---- the configuration ---- */

bool tri_cpu_tiles_configure(tri_cpu_gen *g)
{
    enum { bytes = 64, palette = 1, columns_at = 16, rows_at = 48 };
    uint8_t config[bytes] = {palette};
    if (!tri_host_has(&g->host, "amx-tile") || !any_suits(g, g->unit->module))
        return false;
    for (int t = 0; t < tile_count; t++) {
        config[columns_at + 2 * t] = bytes_of_row;
        config[rows_at + t] = rows_of_tile;
    }
    LLVMValueRef global = LLVMGetNamedGlobal(g->module, "tri_tiles");
    if (!global) {
        LLVMValueRef init = LLVMConstStringInContext2(g->llvm, (const char *)config, bytes, true);
        global = LLVMAddGlobal(g->module, LLVMTypeOf(init), "tri_tiles");
        LLVMSetInitializer(global, init);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMInternalLinkage);
        LLVMSetAlignment(global, bytes);
    }
    tri_cpu_intrinsic(g, "llvm.x86.ldtilecfg", NULL, 0, &global, 1);
    return true;
}

/* ---- the kernel ---- */

enum { pair = 2 * rows_of_tile };

int64_t tri_cpu_tiles_strip(const tri_cpu_product *x) { return x->n % pair ? rows_of_tile : pair; }

/* Of numbers in two parts, a step's tiles of both sides are more than the second cache gives in its time: rows that
 * many strips read stay in the first one, past which the strips go. By measurement, 8 to 14 % of a product of 256
 * columns, up to 5 % of 128; bfloat16 and bytes, of whose tiles each load has more products, nothing. */
static bool keeps_rows(const tri_cpu_product *x) { return x->is_split && tri_cpu_product_is_wide(x); }

int64_t tri_cpu_tiles_trips(const tri_cpu_product *x, int64_t most)
{
    enum { rows_bytes = 32 << 10, least = 2 };
    if (!keeps_rows(x))
        return most;
    int64_t trips = rows_bytes / tri_cpu_product_bytes(x, pair * x->k);
    return trips < least || trips > most ? most : trips;
}

/* d: rows of so many bytes */
static void move_sums(tri_cpu_gen *g, const tri_cpu_tile_shape *t, LLVMValueRef d, LLVMValueRef stride,
                      const char *name, LLVMValueRef m, LLVMValueRef n)
{
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef row = tri_cpu_plus(g, m, i / t->across * rows_of_tile),
                     column = tri_cpu_plus(g, n, i % t->across * rows_of_tile);
        tri_cpu_tile_move(g, name, i, tri_cpu_tile_address(g, d, row, stride, tri_cpu_times(g, column, 4)), stride);
    }
}

static void zero_sums(tri_cpu_gen *g, const tri_cpu_tile_shape *t)
{
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef number = tri_cpu_tile_number(g, i);
        tri_cpu_intrinsic(g, "llvm.x86.tilezero", NULL, 0, &number, 1);
    }
}

typedef struct {
    const tri_cpu_product *x;
    const tri_cpu_tile_shape *shape;
    LLVMValueRef d, m, n;
} sums_start;

static void begin_sums(void *data, bool is_zero)
{
    const sums_start *s = data;
    tri_cpu_gen *g = s->x->g;
    if (is_zero)
        zero_sums(g, s->shape);
    else
        move_sums(g, s->shape, s->d, tri_cpu_i64(g, s->x->n * 4), "llvm.x86.tileloadd64", s->m, s->n);
}

static void store_scratch(const tri_cpu_product *x, const tri_cpu_tile_shape *t, LLVMValueRef scratch)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef zero = tri_cpu_i64(g, 0), stride = tri_cpu_i64(g, t->across * rows_of_tile * 4);
    move_sums(g, t, scratch, stride, "llvm.x86.tilestored64", zero, zero);
}

/* Sums of a tile on their way to memory: in tiles, or in `scratch`. */
typedef struct {
    const tri_cpu_product *x;
    const tri_cpu_tile_shape *shape;
    LLVMValueRef d, m, n, scratch;
} sums_end;

/* Rows of the scratch, rounded. */
static void store_narrow(const sums_end *s)
{
    const tri_cpu_product *x = s->x;
    tri_cpu_gen *g = x->g;
    store_scratch(x, s->shape, s->scratch);
    int64_t width = s->shape->across * bytes_of_row, size = x->narrow.bits / 8;
    LLVMValueRef stride = tri_cpu_times(g, x->out_stride, size);
    LLVMValueRef to = tri_cpu_tile_address(g, x->out, s->m, stride, tri_cpu_times(g, s->n, size));
    tri_cpu_counted row = tri_cpu_counted_begin(g, s->shape->down * rows_of_tile, 1);
    for (int c = 0; c < s->shape->across; c++) {
        LLVMValueRef column = tri_cpu_i64(g, c * bytes_of_row), half = tri_cpu_i64(g, c * rows_of_tile * size);
        LLVMValueRef from = tri_cpu_tile_address(g, s->scratch, row.i, tri_cpu_i64(g, width), column);
        LLVMValueRef v = LLVMBuildLoad2(g->b, tri_cpu_vector(g->f32, rows_of_tile), from, "");
        v = tri_cpu_narrow(g, v, x->narrow, false);
        LLVMSetAlignment(LLVMBuildStore(g->b, v, tri_cpu_tile_address(g, to, row.i, stride, half)), (unsigned)size);
    }
    tri_cpu_counted_end(g, &row);
}

static void store_wide(const sums_end *s)
{
    const tri_cpu_product *x = s->x;
    LLVMValueRef stride = x->out ? tri_cpu_times(x->g, x->out_stride, 4) : tri_cpu_i64(x->g, x->n * 4);
    move_sums(x->g, s->shape, x->out ? x->out : s->d, stride, "llvm.x86.tilestored64", s->m, s->n);
}

static void end_sums(const sums_end *s)
{
    tri_cpu_gen *g = s->x->g;
    if (!s->x->is_narrow) {
        store_wide(s);
        return;
    }
    LLVMBasicBlockRef narrows = tri_cpu_new_block(g, "narrow"), keeps = tri_cpu_new_block(g, "wide"),
                      next = tri_cpu_new_block(g, "ended");
    LLVMBuildCondBr(g->b, s->x->is_narrow, narrows, keeps);
    tri_cpu_move(g, 0, narrows);
    store_narrow(s);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, keeps);
    store_wide(s);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}

/* Of numbers in two parts, those of low parts on their own. */
static void multiply_apart(tri_cpu_product *x, const tri_cpu_tile_shape *t, LLVMValueRef *base, LLVMValueRef scratch,
                           LLVMValueRef m, LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef d = tri_cpu_tile_address(g, base[2], m, tri_cpu_i64(g, x->n * 4), tri_cpu_times(g, n, 4));
    sums_start old = {x, t, base[2], m, n};
    tri_cpu_tile_place at = {.shape = t, .m = m, .n = n};
    zero_sums(g, t);
    tri_cpu_tile_steps(x, base, at, tri_cpu_tile_step_small);
    store_scratch(x, t, scratch);
    tri_cpu_split_add(x, d, scratch, t->down * rows_of_tile, t->across * rows_of_tile);
    begin_sums(&old, false);
    tri_cpu_tile_steps(x, base, at, tri_cpu_tile_step_high);
}

/* Of numbers in two parts: all into one sum; apart where some are large. */
static void multiply_split(tri_cpu_product *x, const tri_cpu_tile_shape *t, LLVMValueRef *base, LLVMValueRef scratch,
                           LLVMValueRef m, LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    sums_start start = {x, t, base[2], m, n};
    tri_cpu_tile_place at = {.shape = t, .m = m, .n = n, .fetches = tri_cpu_product_is_wide(x)};
    at.passes = keeps_rows(x);
    at.writes = at.passes && x->out && !x->is_narrow;
    LLVMBasicBlockRef apart = tri_cpu_new_block(g, "apart"), all = tri_cpu_new_block(g, "all"),
                      next = tri_cpu_new_block(g, "added");
    LLVMValueRef is_large = LLVMBuildICmp(g->b, LLVMIntNE, x->facts, tri_cpu_i64(g, 0), "");
    LLVMBuildCondBr(g->b, is_large, apart, all);
    tri_cpu_move(g, 0, apart);
    multiply_apart(x, t, base, scratch, m, n);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, all);
    tri_cpu_sums_begin(x, begin_sums, &start);
    tri_cpu_tile_steps(x, base, at, tri_cpu_tile_step_all);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
    sums_end end = {x, t, base[2], m, n, scratch};
    end_sums(&end);
}

/* Rows of a, in bytes, of which a pair of tiles has room in the first cache beside b's strip, and without it. */
enum { beside_bytes = 512, alone_bytes = 2048 };

/* i1: rows of a stay in the first cache if b's strips do not go through it. */
static LLVMValueRef should_pass(const tri_cpu_product *x)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef trips = x->table ? x->trips : tri_cpu_i64(g, 1);
    LLVMValueRef bytes = tri_cpu_times(g, trips, x->k * (x->isa->packed.bits / 8));
    LLVMValueRef fit = LLVMBuildICmp(g->b, LLVMIntSLE, bytes, tri_cpu_i64(g, alone_bytes), "");
    return LLVMBuildAnd(g->b, LLVMBuildICmp(g->b, LLVMIntSGT, bytes, tri_cpu_i64(g, beside_bytes), ""), fit, "");
}

static void multiply_rows(tri_cpu_product *x, LLVMValueRef *base, tri_cpu_tile_place at)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef passes = should_pass(x);
    at.fetches = tri_cpu_product_is_wide(x);
    if (LLVMIsAConstantInt(passes)) {
        at.passes = LLVMConstIntGetZExtValue(passes);
        tri_cpu_tile_steps(x, base, at, tri_cpu_tile_step_high);
        return;
    }
    LLVMBasicBlockRef pass = tri_cpu_new_block(g, "pass"), keep = tri_cpu_new_block(g, "keep"),
                      next = tri_cpu_new_block(g, "multiplied");
    LLVMBuildCondBr(g->b, passes, pass, keep);
    for (int i = 0; i < 2; i++) {
        tri_cpu_move(g, 0, i ? keep : pass);
        at.passes = !i;
        tri_cpu_tile_steps(x, base, at, tri_cpu_tile_step_high);
        LLVMBuildBr(g->b, next);
    }
    tri_cpu_move(g, 0, next);
}

static void multiply_whole(tri_cpu_product *x, LLVMValueRef *base, tri_cpu_tile_place at, LLVMValueRef scratch)
{
    sums_start start = {x, at.shape, base[2], at.m, at.n};
    tri_cpu_sums_begin(x, begin_sums, &start);
    multiply_rows(x, base, at);
    sums_end end = {x, at.shape, base[2], at.m, at.n, scratch};
    end_sums(&end);
}

/* By measurement: bytes gain a quarter where 256 columns and more read the rows, nothing with 128; bfloat16 nothing. */
static bool is_gathered(const tri_cpu_product *x)
{
    enum { least_columns = 8 * pair };
    return x->table && x->isa->packed.bits == 8 && x->n >= least_columns;
}

static tri_cpu_counted rows_begin(const tri_cpu_product *x, const tri_cpu_tile_shape *t)
{
    return tri_cpu_counted_begin(x->g, x->m, t->down * rows_of_tile);
}

static tri_cpu_counted columns_begin(const tri_cpu_product *x, const tri_cpu_tile_shape *t)
{
    return tri_cpu_counted_begin(x->g, x->n, t->across * rows_of_tile);
}

/* Rows of all waiting products in the order of their steps: each is read for every pair of columns. */
static void multiply_gathered(tri_cpu_product *x, const tri_cpu_tile_shape *t, LLVMValueRef *base, LLVMValueRef scratch)
{
    tri_cpu_gen *g = x->g;
    int64_t bytes = x->most_trips * x->k * (x->isa->packed.bits / 8) * t->down * rows_of_tile;
    LLVMValueRef rows = tri_cpu_temp(g, LLVMArrayType2(g->i8, (uint64_t)bytes), "rows");
    LLVMSetAlignment(rows, bytes_of_row);
    tri_cpu_counted m = rows_begin(x, t);
    tri_cpu_tile_place at = {.shape = t, .m = m.i, .n = tri_cpu_i64(g, 0), .gathered = rows};
    tri_cpu_tile_steps(x, base, at, tri_cpu_tile_step_gather);
    tri_cpu_counted n = columns_begin(x, t);
    at.n = n.i;
    multiply_whole(x, base, at, scratch);
    tri_cpu_counted_end(g, &n);
    tri_cpu_counted_end(g, &m);
}

void tri_cpu_tiles_multiply(tri_cpu_product *x, LLVMValueRef *base)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_tile_shape t = {x->m % pair ? 1 : 2, x->n % pair ? 1 : 2};
    LLVMValueRef scratch = NULL;
    if (x->is_split || x->is_narrow) {
        scratch = tri_cpu_temp(g, LLVMArrayType2(g->f32, pair * pair), "scratch");
        LLVMSetAlignment(scratch, bytes_of_row);
    }
    if (is_gathered(x)) {
        multiply_gathered(x, &t, base, scratch);
        return;
    }
    bool is_wide = tri_cpu_product_is_wide(x);
    tri_cpu_counted outer = is_wide ? rows_begin(x, &t) : columns_begin(x, &t);
    tri_cpu_counted inner = is_wide ? columns_begin(x, &t) : rows_begin(x, &t);
    LLVMValueRef m = (is_wide ? &outer : &inner)->i, n = (is_wide ? &inner : &outer)->i;
    if (x->is_split)
        multiply_split(x, &t, base, scratch, m, n);
    else
        multiply_whole(x, base, (tri_cpu_tile_place){.shape = &t, .m = m, .n = n}, scratch);
    tri_cpu_counted_end(g, &inner);
    tri_cpu_counted_end(g, &outer);
}
