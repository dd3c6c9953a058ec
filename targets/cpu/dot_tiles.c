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
 * Numbers in two parts (dot_split.c) are three products of each pair of tiles, t4 to t7 being loaded twice. Where that
 * leaves a NaN, they go through two loops, that of the small products first, into sums of their own. */
#include "targets/cpu/dot.h"

enum { rows_of_tile = 16, bytes_of_row = 64, tile_count = 8, left_tile = 4, right_tile = 6 };

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

static LLVMValueRef tile_number(tri_cpu_gen *g, int tile) { return LLVMConstInt(g->i8, (uint64_t)tile, false); }

static void move_tile(tri_cpu_gen *g, const char *name, int tile, LLVMValueRef address, LLVMValueRef stride)
{
    LLVMValueRef args[3] = {tile_number(g, tile), address, stride};
    tri_cpu_intrinsic(g, name, NULL, 0, args, 3);
}

/* base + row * stride + bytes */
static LLVMValueRef address_of(tri_cpu_gen *g, LLVMValueRef base, LLVMValueRef row, LLVMValueRef stride,
                               LLVMValueRef bytes)
{
    LLVMValueRef at = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, row, stride, ""), bytes, "");
    return LLVMBuildInBoundsGEP2(g->b, g->i8, base, &at, 1, "");
}

static LLVMValueRef plus(tri_cpu_gen *g, LLVMValueRef x, int64_t by)
{
    return by ? LLVMBuildNSWAdd(g->b, x, tri_cpu_i64(g, by), "") : x;
}

static LLVMValueRef times(tri_cpu_gen *g, LLVMValueRef x, int64_t by)
{
    return by != 1 ? LLVMBuildNSWMul(g->b, x, tri_cpu_i64(g, by), "") : x;
}

/* Tiles of the result that are at work together. */
typedef struct {
    int down, across;
} shape;

/* d: rows of so many bytes */
static void move_sums(tri_cpu_gen *g, const shape *t, LLVMValueRef d, LLVMValueRef stride, const char *name,
                      LLVMValueRef m, LLVMValueRef n)
{
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef row = plus(g, m, i / t->across * rows_of_tile), column = plus(g, n, i % t->across * rows_of_tile);
        move_tile(g, name, i, address_of(g, d, row, stride, times(g, column, 4)), stride);
    }
}

static void zero_sums(tri_cpu_gen *g, const shape *t)
{
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef number = tile_number(g, i);
        tri_cpu_intrinsic(g, "llvm.x86.tilezero", NULL, 0, &number, 1);
    }
}

typedef struct {
    const tri_cpu_product *x;
    const shape *shape;
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

static void end_sums(const tri_cpu_product *x, const shape *t, LLVMValueRef d, LLVMValueRef m, LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef stride = x->out ? times(g, x->out_stride, 4) : tri_cpu_i64(g, x->n * 4);
    move_sums(g, t, x->out ? x->out : d, stride, "llvm.x86.tilestored64", m, n);
}

/* Where the tiles of the operands are that are multiplied next. */
typedef struct {
    const tri_cpu_each *each;
    const shape *shape;
    LLVMValueRef m, n, k;
    LLVMValueRef gathered; /* rows of a as gather_step leaves them; null: they are read where they lie */
} place;

enum { tile_bytes = rows_of_tile * bytes_of_row };

/* The first of the tiles of a step among the gathered ones. */
static LLVMValueRef gathered_at(const place *p)
{
    const tri_cpu_product *x = &p->each->x;
    LLVMBuilderRef b = x->g->b;
    int64_t size = x->isa->packed.bits / 8;
    LLVMValueRef before = LLVMBuildNSWMul(b, p->each->loop.i, tri_cpu_i64(x->g, x->k), "");
    LLVMValueRef at = times(x->g, LLVMBuildNSWAdd(b, before, p->k, ""), size * rows_of_tile * p->shape->down);
    return LLVMBuildInBoundsGEP2(b, x->g->i8, p->gathered, &at, 1, "");
}

/* Left tiles, and memory where they lie one behind the other. */
static void move_tiles(const place *p, const char *name, LLVMValueRef base)
{
    tri_cpu_gen *g = p->each->x.g;
    for (int r = 0; r < p->shape->down; r++) {
        LLVMValueRef by = tri_cpu_i64(g, r * tile_bytes);
        LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, g->i8, base, &by, 1, "");
        move_tile(g, name, left_tile + r, at, tri_cpu_i64(g, bytes_of_row));
    }
}

static void load_left(const place *p, bool is_low)
{
    const tri_cpu_product *x = &p->each->x;
    tri_cpu_gen *g = x->g;
    int64_t size = x->isa->packed.bits / 8;
    if (p->gathered) {
        move_tiles(p, "llvm.x86.tileloadd64", gathered_at(p));
        return;
    }
    LLVMValueRef rows = times(g, x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), size);
    LLVMValueRef column = plus(g, times(g, p->k, size), is_low ? x->batch * x->m * x->k * size : 0);
    for (int r = 0; r < p->shape->down; r++) {
        LLVMValueRef at = address_of(g, p->each->base[0], plus(g, p->m, r * rows_of_tile), rows, column);
        move_tile(g, "llvm.x86.tileloadd64", left_tile + r, at, rows);
    }
}

static void load_right(const place *p, bool is_low)
{
    const tri_cpu_product *x = &p->each->x;
    tri_cpu_gen *g = x->g;
    int64_t size = x->isa->packed.bits / 8, line = x->strip * 4; /* of a group of all columns of a strip */
    LLVMValueRef stride = tri_cpu_i64(g, line), group = LLVMBuildUDiv(g->b, p->k, tri_cpu_i64(g, x->isa->group), "");
    int64_t column = x->k * x->span * size, low = is_low ? x->batch * x->n * column : 0;
    LLVMValueRef strip = plus(g, times(g, p->n, column), low);
    for (int c = 0; c < p->shape->across; c++) {
        LLVMValueRef at = address_of(g, p->each->base[1], group, stride, plus(g, strip, c * rows_of_tile * 4));
        move_tile(g, "llvm.x86.tileloadd64", right_tile + c, at, stride);
    }
}

static void multiply_tiles(const place *p)
{
    tri_cpu_gen *g = p->each->x.g;
    for (int i = 0; i < p->shape->across * p->shape->down; i++) {
        LLVMValueRef args[3] = {tile_number(g, i), tile_number(g, left_tile + i / p->shape->across),
                                tile_number(g, right_tile + i % p->shape->across)};
        tri_cpu_intrinsic(g, p->each->x.isa->intrinsic, NULL, 0, args, 3);
    }
}

/* Of numbers in one part, and of high parts. */
static void step_high(const place *p)
{
    load_left(p, false);
    load_right(p, false);
    multiply_tiles(p);
}

static void step_small(const place *p)
{
    load_left(p, true);
    load_right(p, false);
    multiply_tiles(p);
    load_left(p, false);
    load_right(p, true);
    multiply_tiles(p);
}

static void step_all(const place *p)
{
    load_left(p, true);
    load_right(p, false);
    multiply_tiles(p);
    load_left(p, false);
    multiply_tiles(p);
    load_right(p, true);
    multiply_tiles(p);
}

enum { pair = 2 * rows_of_tile };

int64_t tri_cpu_tiles_strip(const tri_cpu_product *x) { return x->n % pair ? rows_of_tile : pair; }

/* The loop over k of all products, for the sums that are in tiles. */
static void add_products(tri_cpu_product *x, const shape *t, void (*step)(const place *p), LLVMValueRef *base,
                         LLVMValueRef m, LLVMValueRef n, LLVMValueRef gathered)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_each each = tri_cpu_each_begin(x, base);
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, x->isa->group * rows_of_tile);
    place at = {&each, t, m, n, k.i, gathered};
    step(&at);
    tri_cpu_counted_end(g, &k);
    tri_cpu_each_end(g, &each);
}

static void store_scratch(const tri_cpu_product *x, const shape *t, LLVMValueRef scratch)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef zero = tri_cpu_i64(g, 0), stride = tri_cpu_i64(g, t->across * rows_of_tile * 4);
    move_sums(g, t, scratch, stride, "llvm.x86.tilestored64", zero, zero);
}

/* Of numbers in two parts, those of low parts on their own. */
static void multiply_apart(tri_cpu_product *x, const shape *t, LLVMValueRef *base, LLVMValueRef scratch,
                           LLVMValueRef m, LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    LLVMValueRef at = address_of(g, base[2], m, tri_cpu_i64(g, x->n * 4), times(g, n, 4));
    sums_start old = {x, t, base[2], m, n};
    zero_sums(g, t);
    add_products(x, t, step_small, base, m, n, NULL);
    store_scratch(x, t, scratch);
    tri_cpu_split_add(x, at, scratch, t->down * rows_of_tile, t->across * rows_of_tile);
    begin_sums(&old, false);
    add_products(x, t, step_high, base, m, n, NULL);
    end_sums(x, t, base[2], m, n);
}

/* Of numbers in two parts: all into one sum; apart where that has a NaN. */
static void multiply_split(tri_cpu_product *x, const shape *t, LLVMValueRef *base, LLVMValueRef scratch,
                           LLVMValueRef m, LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    int64_t rows = t->down * rows_of_tile, columns = t->across * rows_of_tile;
    sums_start start = {x, t, base[2], m, n};
    tri_cpu_sums_begin(x, begin_sums, &start);
    add_products(x, t, step_all, base, m, n, NULL);
    store_scratch(x, t, scratch);
    LLVMBasicBlockRef apart = tri_cpu_new_block(g, "apart"), copy = tri_cpu_new_block(g, "copy"),
                      next = tri_cpu_new_block(g, "added");
    LLVMBuildCondBr(g->b, tri_cpu_split_has_nan(g, scratch, rows * columns), apart, copy);
    tri_cpu_move(g, 0, apart);
    multiply_apart(x, t, base, scratch, m, n);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, copy);
    LLVMValueRef width = x->out ? x->out_stride : tri_cpu_i64(g, x->n), stride = times(g, width, 4);
    LLVMValueRef to = address_of(g, x->out ? x->out : base[2], m, stride, times(g, n, 4));
    tri_cpu_split_copy(g, to, width, scratch, rows, columns);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}

static void multiply_whole(tri_cpu_product *x, const shape *t, LLVMValueRef *base, LLVMValueRef m, LLVMValueRef n,
                           LLVMValueRef gathered)
{
    sums_start start = {x, t, base[2], m, n};
    tri_cpu_sums_begin(x, begin_sums, &start);
    add_products(x, t, step_high, base, m, n, gathered);
    end_sums(x, t, base[2], m, n);
}

static void gather_step(const place *p)
{
    place there = *p;
    there.gathered = NULL;
    load_left(&there, false);
    move_tiles(p, "llvm.x86.tilestored64", gathered_at(p));
}

/* By measurement: bytes gain a quarter where 256 columns and more read the rows, nothing with 128; bfloat16 nothing. */
static bool is_gathered(const tri_cpu_product *x)
{
    enum { least_columns = 8 * pair };
    return x->table && x->isa->packed.bits == 8 && x->n >= least_columns;
}

static tri_cpu_counted rows_begin(const tri_cpu_product *x, const shape *t)
{
    return tri_cpu_counted_begin(x->g, x->m, t->down * rows_of_tile);
}

static tri_cpu_counted columns_begin(const tri_cpu_product *x, const shape *t)
{
    return tri_cpu_counted_begin(x->g, x->n, t->across * rows_of_tile);
}

/* Rows of all waiting products in the order of their steps: each is read for every pair of columns. */
static void multiply_gathered(tri_cpu_product *x, const shape *t, LLVMValueRef *base)
{
    tri_cpu_gen *g = x->g;
    int64_t bytes = x->most_trips * x->k * (x->isa->packed.bits / 8) * t->down * rows_of_tile;
    LLVMValueRef rows = tri_cpu_temp(g, LLVMArrayType2(g->i8, (uint64_t)bytes), "rows");
    LLVMSetAlignment(rows, bytes_of_row);
    tri_cpu_counted m = rows_begin(x, t);
    add_products(x, t, gather_step, base, m.i, tri_cpu_i64(g, 0), rows);
    tri_cpu_counted n = columns_begin(x, t);
    multiply_whole(x, t, base, m.i, n.i, rows);
    tri_cpu_counted_end(g, &n);
    tri_cpu_counted_end(g, &m);
}

void tri_cpu_tiles_multiply(tri_cpu_product *x, LLVMValueRef *base)
{
    tri_cpu_gen *g = x->g;
    shape t = {x->m % pair ? 1 : 2, x->n % pair ? 1 : 2};
    if (is_gathered(x)) {
        multiply_gathered(x, &t, base);
        return;
    }
    LLVMValueRef scratch = x->is_split ? tri_cpu_temp(g, LLVMArrayType2(g->f32, pair * pair), "scratch") : NULL;
    if (scratch)
        LLVMSetAlignment(scratch, bytes_of_row);
    bool is_wide = tri_cpu_product_is_wide(x);
    tri_cpu_counted outer = is_wide ? rows_begin(x, &t) : columns_begin(x, &t);
    tri_cpu_counted inner = is_wide ? columns_begin(x, &t) : rows_begin(x, &t);
    LLVMValueRef m = (is_wide ? &outer : &inner)->i, n = (is_wide ? &inner : &outer)->i;
    if (scratch)
        multiply_split(x, &t, base, scratch, m, n);
    else
        multiply_whole(x, &t, base, m, n, NULL);
    tri_cpu_counted_end(g, &inner);
    tri_cpu_counted_end(g, &outer);
}
