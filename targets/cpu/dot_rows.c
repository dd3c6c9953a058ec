/* Left rows of products by FMA, gathered for a tile. Where many tiles of columns read the same rows, those are copied
 * first, to lie one behind the other: rows of a matrix are often a multiple of 4 KiB apart, of which the first cache
 * has room for eight lines or twelve. The rows of the tile below are fetched meanwhile, a line in each turn of the
 * kernel's loop. */
#include "targets/cpu/dot.h"

enum { row_count = 8, line = 16 }; /* rows of a tile; elements of a line of the cache */

/* By measurement: with 256 columns, products of 1024 and 2048 gain 6 to 11 %, those of 512 lose 1 to 2; with 128, 4 to
 * 8 and 4. */
bool tri_cpu_rows_suit(const tri_cpu_product *x, int rows, int lanes)
{
    enum { least_columns = 128 };
    return x->table && !x->is_plain && !x->isa && x->compute.bits == 32 && rows == row_count && lanes == 2 * line &&
           x->n >= least_columns && x->k % line == 0;
}

/* Elements from row to row: no multiple of a large power of two. */
static int64_t stride_of(const tri_cpu_product *x) { return x->most_trips * x->k + line; }

LLVMValueRef tri_cpu_rows_new(const tri_cpu_product *x)
{
    LLVMTypeRef type = LLVMArrayType2(x->element, (uint64_t)(row_count * stride_of(x)));
    LLVMValueRef rows = tri_cpu_temp(x->g, type, "rows");
    LLVMSetAlignment(rows, 64);
    return rows;
}

static LLVMValueRef at_row(const tri_cpu_product *x, LLVMValueRef base, LLVMValueRef row, LLVMValueRef stride,
                           LLVMValueRef column)
{
    LLVMValueRef at = LLVMBuildAdd(x->g->b, LLVMBuildMul(x->g->b, row, stride, ""), column, "");
    return LLVMBuildGEP2(x->g->b, x->element, base, &at, 1, "");
}

void tri_cpu_rows_gather(const tri_cpu_product *x, LLVMValueRef *base, LLVMValueRef rows, LLVMValueRef m)
{
    tri_cpu_gen *g = x->g;
    LLVMTypeRef vector = tri_cpu_vector(x->element, line);
    tri_cpu_each each = tri_cpu_each_begin(x, base);
    tri_cpu_counted k = tri_cpu_counted_begin(g, x->k, line);
    LLVMValueRef before = LLVMBuildNSWMul(g->b, each.loop.i, tri_cpu_i64(g, x->k), ""), v[row_count];
    LLVMValueRef column = LLVMBuildNSWAdd(g->b, before, k.i, "");
    for (int u = 0; u < row_count; u++) {
        LLVMValueRef row = LLVMBuildNSWAdd(g->b, m, tri_cpu_i64(g, u), "");
        v[u] = LLVMBuildLoad2(g->b, vector, at_row(x, each.base[0], row, each.x.a_stride, k.i), "");
        LLVMSetAlignment(v[u], 4);
    }
    for (int u = 0; u < row_count; u++) {
        LLVMValueRef to = at_row(x, rows, tri_cpu_i64(g, u), tri_cpu_i64(g, stride_of(x)), column);
        LLVMSetAlignment(LLVMBuildStore(g->b, v[u], to), 64);
    }
    tri_cpu_counted_end(g, &k);
    tri_cpu_each_end(g, &each);
}

void tri_cpu_rows_take(tri_cpu_each *each, LLVMValueRef m)
{
    tri_cpu_product *x = &each->x;
    LLVMValueRef before = LLVMBuildNSWMul(x->g->b, each->loop.i, tri_cpu_i64(x->g, x->k), "");
    LLVMValueRef next = LLVMBuildNSWAdd(x->g->b, m, tri_cpu_i64(x->g, row_count), "");
    each->next = at_row(x, each->base[0], next, x->a_stride, tri_cpu_i64(x->g, 0));
    each->next_stride = x->a_stride;
    each->base[0] = LLVMBuildInBoundsGEP2(x->g->b, x->element, x->rows, &before, 1, "");
    x->a_stride = tri_cpu_i64(x->g, stride_of(x));
}

void tri_cpu_rows_fetch(const tri_cpu_each *each, LLVMValueRef n, LLVMValueRef k)
{
    tri_cpu_gen *g = each->x.g;
    LLVMValueRef tile = LLVMBuildUDiv(g->b, n, tri_cpu_i64(g, 2 * line), "");
    LLVMValueRef row = LLVMBuildAnd(g->b, tile, tri_cpu_i64(g, row_count - 1), "");
    LLVMValueRef column = LLVMBuildURem(g->b, LLVMBuildNSWMul(g->b, k, tri_cpu_i64(g, 4), ""),
                                        tri_cpu_i64(g, each->x.k), "");
    tri_cpu_prefetch(g, at_row(&each->x, each->next, row, each->next_stride, column), TRI_CPU_FETCH_NEAR);
}
