/* By the PTX manual, "Tensor Memory Layout and Organization" and "Scale factor layout": 128 rows; an accumulator of 128
 * rows takes them all, one of 64 takes rows 0 to 15 of each 32, and what comes next of the buffer the rows between. */
#include "layout/tensor_memory.h"

#include "layout/convert.h"
#include "layout/tiles.h"

static const tri_dim rows_of_tensor = TRI_DIM_0, cols_of_tensor = (tri_dim)(TRI_DIM_0 + 1);

static void widen(tri_linear *l, tri_dim in, int count, int32_t row, int32_t col)
{
    for (int i = 0; i < count; i++)
        tri_linear_add_coords(l, in, (int32_t[]){row << i, col << i});
}

/* One buffer of a CTA, without anything in it yet. */
static tri_linear bare_buffer(const int64_t *shape)
{
    tri_linear l = tri_linear_empty();
    tri_linear_add_out(&l, rows_of_tensor, tri_linear_log2(shape[0]));
    tri_linear_add_out(&l, cols_of_tensor, tri_linear_log2(shape[1]));
    tri_linear_add_in(&l, TRI_DIM_ROW);
    tri_linear_add_in(&l, TRI_DIM_COL);
    return l;
}

/* The rows of a block of 64: the bit of 16 goes to the next block, if there is one. */
static void half_rows(tri_linear *l, const int64_t *shape, int64_t *block_m, int64_t *block_n)
{
    widen(l, TRI_DIM_ROW, 4, 1, 0);
    bool is_down = shape[0] > *block_m, is_right = !is_down && shape[1] > *block_n;
    widen(l, TRI_DIM_ROW, 1, is_down ? (int32_t)*block_m : 0, is_right ? (int32_t)*block_n : 0);
    widen(l, TRI_DIM_ROW, 2, 16, 0);
    *block_m *= is_down ? 2 : 1;
    *block_n *= is_right ? 2 : 1;
}

static bool accumulator(const tri_encoding *e, const int64_t *shape, tri_linear *out)
{
    int64_t block_m = e->tmem.block_m, block_n = e->tmem.block_n < shape[1] ? e->tmem.block_n : shape[1];
    if (shape[0] < block_m || (e->tmem.two_ctas && block_m == 64 && block_n < 2))
        return false;
    int columns = tri_linear_log2(block_n);
    *out = bare_buffer(shape);
    widen(out, TRI_DIM_COL, tri_linear_log2(e->tmem.col_stride) + e->tmem.is_fp4_padded, 0, 0);
    if (block_m == 64 && e->tmem.two_ctas) { /* the right half lies below the left one */
        widen(out, TRI_DIM_ROW, 6, 1, 0);
        widen(out, TRI_DIM_ROW, 1, 0, (int32_t)(block_n / 2));
        widen(out, TRI_DIM_COL, columns - 1, 0, 1);
    } else {
        widen(out, TRI_DIM_COL, columns, 0, 1);
        if (block_m == 64)
            half_rows(out, shape, &block_m, &block_n);
        else
            widen(out, TRI_DIM_ROW, tri_linear_log2(block_m), 1, 0);
    }
    widen(out, TRI_DIM_COL, tri_linear_log2(shape[0] / block_m), (int32_t)block_m, 0);
    widen(out, TRI_DIM_COL, tri_linear_log2(shape[1] / block_n), 0, (int32_t)block_n);
    return true;
}

/* 32 rows for each of four warps alike; columns hold 4 scales, then the rows from 32 on. */
static bool scales(const int64_t *shape, tri_linear *out)
{
    int64_t padded[2] = {shape[0] < 64 ? 64 : shape[0], shape[1] < 4 ? 4 : shape[1]};
    int rows = tri_linear_log2(padded[0] / 64), again = rows > 0;
    tri_linear l = bare_buffer(padded);
    widen(&l, TRI_DIM_ROW, 5, 1, 0);
    widen(&l, TRI_DIM_ROW, 2, 0, 0);
    widen(&l, TRI_DIM_COL, 2, 0, 1);
    widen(&l, TRI_DIM_COL, 1 + again, 32, 0);
    widen(&l, TRI_DIM_COL, rows - again, 128, 0);
    widen(&l, TRI_DIM_COL, tri_linear_log2(padded[1] / 4), 0, 4);
    *out = tri_tiles_clip(&l, shape, -1);
    return true;
}

bool tri_tensor_memory_layout(const tri_encoding *e, const int64_t *shape, tri_linear *out_layout)
{
    int64_t per_cta[2];
    for (int d = 0; d < 2; d++)
        if (shape[d] < 1 || (shape[d] & (shape[d] - 1)))
            return false;
    if (e->kind != TRI_ENC_TENSOR_MEMORY && e->kind != TRI_ENC_TENSOR_MEMORY_SCALES)
        return false;
    tri_convert_shape_per_cta(e, 2, shape, per_cta);
    if (e->kind == TRI_ENC_TENSOR_MEMORY ? !accumulator(e, per_cta, out_layout) : !scales(per_cta, out_layout))
        return false;
    tri_linear ctas = tri_linear_empty();
    tri_linear_add_in(&ctas, TRI_DIM_BLOCK);
    for (int d = 0; d < 2; d++)
        tri_linear_add_out(&ctas, (tri_dim)(TRI_DIM_0 + d), tri_linear_log2(shape[d] / per_cta[d]));
    for (int i = 0; i < e->cga.count; i++)
        tri_linear_add_coords(&ctas, TRI_DIM_BLOCK, e->cga.at[i]);
    *out_layout = tri_linear_product(out_layout, &ctas);
    return true;
}
