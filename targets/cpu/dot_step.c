/* The loop over k of products with AMX: in each step tiles of both operands are loaded and multiplied. */
#include "targets/cpu/dot_tiles.h"

LLVMValueRef tri_cpu_tile_number(tri_cpu_gen *g, int tile) { return LLVMConstInt(g->i8, (uint64_t)tile, false); }

void tri_cpu_tile_move(tri_cpu_gen *g, const char *name, int tile, LLVMValueRef address, LLVMValueRef stride)
{
    LLVMValueRef args[3] = {tri_cpu_tile_number(g, tile), address, stride};
    tri_cpu_intrinsic(g, name, NULL, 0, args, 3);
}

LLVMValueRef tri_cpu_tile_address(tri_cpu_gen *g, LLVMValueRef base, LLVMValueRef row, LLVMValueRef stride,
                                  LLVMValueRef bytes)
{
    LLVMValueRef at = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, row, stride, ""), bytes, "");
    return LLVMBuildInBoundsGEP2(g->b, g->i8, base, &at, 1, "");
}

LLVMValueRef tri_cpu_plus(tri_cpu_gen *g, LLVMValueRef x, int64_t by)
{
    return by ? LLVMBuildNSWAdd(g->b, x, tri_cpu_i64(g, by), "") : x;
}

LLVMValueRef tri_cpu_times(tri_cpu_gen *g, LLVMValueRef x, int64_t by)
{
    return by != 1 ? LLVMBuildNSWMul(g->b, x, tri_cpu_i64(g, by), "") : x;
}

enum { tile_bytes = rows_of_tile * bytes_of_row };

/* The first of the tiles of a step among the gathered ones. */
static LLVMValueRef gathered_at(const tri_cpu_tile_place *p)
{
    const tri_cpu_product *x = &p->each->x;
    LLVMBuilderRef b = x->g->b;
    int64_t size = x->isa->packed.bits / 8;
    LLVMValueRef before = LLVMBuildNSWMul(b, p->each->loop.i, tri_cpu_i64(x->g, x->k), "");
    LLVMValueRef at = tri_cpu_times(x->g, LLVMBuildNSWAdd(b, before, p->k, ""), size * rows_of_tile * p->shape->down);
    return LLVMBuildInBoundsGEP2(b, x->g->i8, p->gathered, &at, 1, "");
}

/* Left tiles, and memory where they lie one behind the other. */
static void move_tiles(const tri_cpu_tile_place *p, const char *name, LLVMValueRef base)
{
    tri_cpu_gen *g = p->each->x.g;
    for (int r = 0; r < p->shape->down; r++) {
        LLVMValueRef by = tri_cpu_i64(g, r * tile_bytes);
        LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, g->i8, base, &by, 1, "");
        tri_cpu_tile_move(g, name, left_tile + r, at, tri_cpu_i64(g, bytes_of_row));
    }
}

/* Of tiles which the result's next ones read again, or not. */
static const char *load_of(const tri_cpu_tile_place *p, bool are_kept)
{
    return p->passes && !are_kept ? "llvm.x86.tileloaddt164" : "llvm.x86.tileloadd64";
}

static void load_left(const tri_cpu_tile_place *p, bool is_low)
{
    const tri_cpu_product *x = &p->each->x;
    tri_cpu_gen *g = x->g;
    int64_t size = x->isa->packed.bits / 8;
    if (p->gathered) {
        move_tiles(p, "llvm.x86.tileloadd64", gathered_at(p));
        return;
    }
    LLVMValueRef rows = tri_cpu_times(g, x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), size);
    LLVMValueRef column = tri_cpu_plus(g, tri_cpu_times(g, p->k, size), is_low ? x->batch * x->m * x->k * size : 0);
    for (int r = 0; r < p->shape->down; r++) {
        LLVMValueRef at =
            tri_cpu_tile_address(g, p->each->base[0], tri_cpu_plus(g, p->m, r * rows_of_tile), rows, column);
        tri_cpu_tile_move(g, load_of(p, tri_cpu_product_is_wide(x)), left_tile + r, at, rows);
    }
}

static void load_right(const tri_cpu_tile_place *p, bool is_low)
{
    const tri_cpu_product *x = &p->each->x;
    tri_cpu_gen *g = x->g;
    int64_t size = x->isa->packed.bits / 8, line = x->strip * 4; /* of a group of all columns of a strip */
    LLVMValueRef stride = tri_cpu_i64(g, line), group = LLVMBuildUDiv(g->b, p->k, tri_cpu_i64(g, x->isa->group), "");
    int64_t column = x->k * x->span * size, low = is_low ? x->batch * x->n * column : 0;
    LLVMValueRef strip = tri_cpu_plus(g, tri_cpu_times(g, p->n, column), low);
    for (int c = 0; c < p->shape->across; c++) {
        LLVMValueRef at =
            tri_cpu_tile_address(g, p->each->base[1], group, stride, tri_cpu_plus(g, strip, c * rows_of_tile * 4));
        tri_cpu_tile_move(g, load_of(p, !tri_cpu_product_is_wide(x)), right_tile + c, at, stride);
    }
}

static void multiply_tiles(const tri_cpu_tile_place *p)
{
    tri_cpu_gen *g = p->each->x.g;
    for (int i = 0; i < p->shape->across * p->shape->down; i++) {
        LLVMValueRef args[3] = {tri_cpu_tile_number(g, i), tri_cpu_tile_number(g, left_tile + i / p->shape->across),
                                tri_cpu_tile_number(g, right_tile + i % p->shape->across)};
        tri_cpu_intrinsic(g, p->each->x.isa->intrinsic, NULL, 0, args, 3);
    }
}

/* Of the rows of the tiles below, which come from the last cache, each tile of a row fetches its share, as far along k
 * as it is itself. */
static void fetch_below(const tri_cpu_tile_place *p, bool is_low)
{
    const tri_cpu_product *x = &p->each->x;
    tri_cpu_gen *g = x->g;
    int64_t size = x->isa->packed.bits / 8, rows = p->shape->down * rows_of_tile,
            width = p->shape->across * rows_of_tile;
    int64_t tiles = x->n / width, share = tiles < rows ? rows / tiles : 1;
    LLVMValueRef stride = tri_cpu_times(g, x->a_stride ? x->a_stride : tri_cpu_i64(g, x->k), size);
    LLVMValueRef column = tri_cpu_plus(g, tri_cpu_times(g, p->k, size), is_low ? x->batch * x->m * x->k * size : 0);
    LLVMValueRef first = tri_cpu_times(g, LLVMBuildUDiv(g->b, p->n, tri_cpu_i64(g, width), ""), share);
    first = LLVMBuildAdd(g->b, LLVMBuildURem(g->b, first, tri_cpu_i64(g, rows), ""), tri_cpu_plus(g, p->m, rows), "");
    for (int64_t i = 0; i < share; i++)
        tri_cpu_prefetch(g, tri_cpu_tile_address(g, p->each->base[0], tri_cpu_plus(g, first, i), stride, column),
                         TRI_CPU_FETCH_FAR);
}

/* Each step its share of the result's lines. */
static void fetch_result(const tri_cpu_tile_place *p)
{
    const tri_cpu_product *x = &p->each->x;
    tri_cpu_gen *g = x->g;
    int64_t rows = p->shape->down * rows_of_tile, depth = x->isa->group * rows_of_tile, steps = x->k / depth;
    int64_t share = (rows + x->most_trips * steps - 1) / (x->most_trips * steps);
    LLVMValueRef step = LLVMBuildUDiv(g->b, p->k, tri_cpu_i64(g, depth), "");
    step = LLVMBuildNSWAdd(g->b, tri_cpu_times(g, p->each->loop.i, steps), step, "");
    LLVMValueRef row = LLVMBuildURem(g->b, tri_cpu_times(g, step, share), tri_cpu_i64(g, rows), "");
    row = LLVMBuildNSWAdd(g->b, p->m, row, "");
    for (int64_t i = 0; i < share * p->shape->across; i++) {
        LLVMValueRef column = tri_cpu_plus(g, p->n, i % p->shape->across * rows_of_tile);
        LLVMValueRef at = tri_cpu_tile_address(g, x->out, tri_cpu_plus(g, row, i / p->shape->across),
                                               tri_cpu_times(g, x->out_stride, 4), tri_cpu_times(g, column, 4));
        tri_cpu_prefetch(g, at, TRI_CPU_FETCH_TO_WRITE);
    }
}

/* Of numbers in one part, and of high parts. */
void tri_cpu_tile_step_high(const tri_cpu_tile_place *p)
{
    load_left(p, false);
    load_right(p, false);
    multiply_tiles(p);
}

void tri_cpu_tile_step_small(const tri_cpu_tile_place *p)
{
    load_left(p, true);
    load_right(p, false);
    multiply_tiles(p);
    load_left(p, false);
    load_right(p, true);
    multiply_tiles(p);
}

void tri_cpu_tile_step_all(const tri_cpu_tile_place *p)
{
    load_left(p, true);
    load_right(p, false);
    multiply_tiles(p);
    load_left(p, false);
    multiply_tiles(p);
    load_right(p, true);
    multiply_tiles(p);
}

void tri_cpu_tile_step_gather(const tri_cpu_tile_place *p)
{
    tri_cpu_tile_place there = *p;
    there.gathered = NULL;
    load_left(&there, false);
    move_tiles(p, "llvm.x86.tilestored64", gathered_at(p));
}

void tri_cpu_tile_steps(tri_cpu_product *x, LLVMValueRef *base, tri_cpu_tile_place at, tri_cpu_tile_step *step)
{
    tri_cpu_gen *g = x->g;
    tri_cpu_each each = tri_cpu_each_begin(x, base);
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, x->isa->group * rows_of_tile);
    at.each = &each;
    at.k = k.i;
    step(&at);
    for (int part = 0; at.fetches && part < (x->is_split ? 2 : 1); part++)
        fetch_below(&at, part == 1);
    if (at.writes)
        fetch_result(&at);
    tri_cpu_counted_end(g, &k);
    tri_cpu_each_end(g, &each);
}
