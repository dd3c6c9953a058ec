/* Products with AMX: eight tiles of 16 rows of 64 bytes, configured once for a range of programs.
 *
 *     for m, n by 32:  t0..t3 = d;  for k: t4, t5 = rows of a; t6, t7 = b;  t0 += t4 t6 ...;  d = t0..t3
 *
 * a is read row by row where it lies; b is packed as [k / group][n][group], of which a tile is 16 groups of 16 columns.
 * Where a block has 16 rows or columns only, half of the tiles are idle. bfloat16 products round to nearest even, take
 * subnormal operands as zero and give no subnormal sums (Intel's manual, TDPBF16PS).
 *
 * Numbers in two parts (dot_split.c) go through two such loops, that of the small products first, into a tile of their
 * own. */
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

static void move_sums(const tri_cpu_product *x, const shape *t, LLVMValueRef d, const char *name, LLVMValueRef m,
                      LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef row = plus(g, m, i / t->across * rows_of_tile), column = plus(g, n, i % t->across * rows_of_tile);
        LLVMValueRef stride = tri_cpu_i64(g, x->n * 4), at = address_of(g, d, row, stride, times(g, column, 4));
        move_tile(g, name, i, at, stride);
    }
}

/* Which parts of the operands; of numbers in one part: of both the high ones. */
typedef struct {
    bool is_left_low, is_right_low;
} parts;

static void step(const tri_cpu_each *each, const shape *t, parts of, LLVMValueRef m, LLVMValueRef n, LLVMValueRef k)
{
    const tri_cpu_product *x = &each->x;
    tri_cpu_gen *g = x->g;
    int64_t size = x->isa->packed.bits / 8, line = x->strip * 4; /* of a group of all columns of a strip */
    int64_t left = of.is_left_low ? x->batch * x->m * x->k * size : 0;
    int64_t right = of.is_right_low ? x->batch * x->k * x->n * size : 0;
    LLVMValueRef rows = times(g, x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), size);
    for (int r = 0; r < t->down; r++) {
        LLVMValueRef column = plus(g, times(g, k, size), left);
        LLVMValueRef at = address_of(g, each->base[0], plus(g, m, r * rows_of_tile), rows, column);
        move_tile(g, "llvm.x86.tileloadd64", left_tile + r, at, rows);
    }
    LLVMValueRef stride = tri_cpu_i64(g, line), group = LLVMBuildUDiv(g->b, k, tri_cpu_i64(g, x->isa->group), "");
    LLVMValueRef strip = plus(g, times(g, n, x->k * size), right);
    for (int c = 0; c < t->across; c++) {
        LLVMValueRef at = address_of(g, each->base[1], group, stride, plus(g, strip, c * rows_of_tile * 4));
        move_tile(g, "llvm.x86.tileloadd64", right_tile + c, at, stride);
    }
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef args[3] = {tile_number(g, i), tile_number(g, left_tile + i / t->across),
                                tile_number(g, right_tile + i % t->across)};
        tri_cpu_intrinsic(g, x->isa->intrinsic, NULL, 0, args, 3);
    }
}

enum { pair = 2 * rows_of_tile };

int64_t tri_cpu_tiles_strip(const tri_cpu_product *x) { return x->n % pair ? rows_of_tile : pair; }

/* The loop over k of all products, for the sums that are in tiles. */
static void add_products(tri_cpu_product *x, const shape *t, const parts *of, int count, LLVMValueRef *base,
                         LLVMValueRef m, LLVMValueRef n)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_each each = tri_cpu_each_begin(x, base);
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, x->isa->group * rows_of_tile);
    for (int i = 0; i < count; i++)
        step(&each, t, of[i], m, n, k.i);
    tri_cpu_counted_end(g, &k);
    tri_cpu_each_end(g, &each);
}

/* Adds the products of low parts to d. */
static void add_small(tri_cpu_product *x, const shape *t, LLVMValueRef *base, LLVMValueRef small, LLVMValueRef m,
                      LLVMValueRef n)
{
    static const parts of[2] = {{true, false}, {false, true}};
    tri_cpu_gen *g = x->g;
    tri_cpu_product own = *x;
    own.n = t->across * rows_of_tile;
    for (int i = 0; i < t->across * t->down; i++) {
        LLVMValueRef number = tile_number(g, i);
        tri_cpu_intrinsic(g, "llvm.x86.tilezero", NULL, 0, &number, 1);
    }
    add_products(x, t, of, 2, base, m, n);
    move_sums(&own, t, small, "llvm.x86.tilestored64", tri_cpu_i64(g, 0), tri_cpu_i64(g, 0));
    LLVMValueRef at = address_of(g, base[2], m, tri_cpu_i64(g, x->n * 4), times(g, n, 4));
    tri_cpu_split_add(g, at, x->n, small, t->down * rows_of_tile, own.n);
}

void tri_cpu_tiles_multiply(tri_cpu_product *x, LLVMValueRef *base)
{
    static const parts high = {false, false};
    tri_cpu_gen *g = x->g;
    shape t = {x->m % pair ? 1 : 2, x->n % pair ? 1 : 2};
    LLVMValueRef small = x->is_split ? tri_cpu_temp(g, LLVMArrayType2(g->f32, pair * pair), "small") : NULL;
    tri_cpu_counted n = tri_cpu_counted_begin(g, x->n, t.across * rows_of_tile);
    tri_cpu_counted m = tri_cpu_counted_begin(g, x->m, t.down * rows_of_tile);
    if (small)
        add_small(x, &t, base, small, m.i, n.i);
    move_sums(x, &t, base[2], "llvm.x86.tileloadd64", m.i, n.i);
    add_products(x, &t, &high, 1, base, m.i, n.i);
    move_sums(x, &t, base[2], "llvm.x86.tilestored64", m.i, n.i);
    tri_cpu_counted_end(g, &m);
    tri_cpu_counted_end(g, &n);
}
