/* Tensor memory: where the elements of blocks of 128 and of 64 rows and scales lie. */
#include "layout/tensor_memory.h"
#include "layout_random.h"

static uint64_t lies_at(const tri_linear *l, uint64_t row, uint64_t col)
{
    return tri_linear_apply_one(l, TRI_DIM_ROW, row) ^ tri_linear_apply_one(l, TRI_DIM_COL, col);
}

static bool is_at(const tri_linear *l, uint64_t row, uint64_t col, int64_t y, int64_t x)
{
    uint64_t found = lies_at(l, row, col);
    return tri_linear_coord(l, found, TRI_DIM_0) == y && tri_linear_coord(l, found, (tri_dim)(TRI_DIM_0 + 1)) == x;
}

static tri_encoding accumulator(int m, int n, int stride)
{
    return (tri_encoding){.kind = TRI_ENC_TENSOR_MEMORY, .rank = 2,
                          .tmem = {.block_m = m, .block_n = n, .col_stride = stride}};
}

static void test_blocks(void)
{
    tri_linear l;
    tri_encoding e = accumulator(128, 64, 1);
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){256, 128}, &l));
    CHECK(tri_linear_in_size(&l, TRI_DIM_ROW) == 128 && tri_linear_in_size(&l, TRI_DIM_COL) == 256);
    CHECK(is_at(&l, 100, 63, 100, 63));
    CHECK(is_at(&l, 100, 64 + 5, 228, 5)); /* the second block of rows, then of columns */
    CHECK(is_at(&l, 100, 128 + 5, 100, 69));
    CHECK(tri_linear_is_injective(&l) && tri_linear_is_surjective(&l));
    CHECK(!tri_tensor_memory_layout(&e, (int64_t[]){64, 128}, &l));
    CHECK(!tri_tensor_memory_layout(&e, (int64_t[]){128, 96}, &l));
    e = accumulator(128, 64, 2);
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){128, 64}, &l));
    CHECK(tri_linear_in_size(&l, TRI_DIM_COL) == 128 && is_at(&l, 3, 10, 3, 5));
}

static void test_half_blocks(void)
{
    tri_linear l;
    tri_encoding e = accumulator(64, 32, 1);
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){64, 32}, &l));
    CHECK(is_at(&l, 15, 7, 15, 7) && is_at(&l, 32, 7, 16, 7) && is_at(&l, 64, 7, 32, 7));
    CHECK(tri_linear_basis(&l, TRI_DIM_ROW, 4) == 0); /* nothing is in the rows between */
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){128, 32}, &l));
    CHECK(is_at(&l, 16, 7, 64, 7) && tri_linear_in_size(&l, TRI_DIM_COL) == 32);
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){64, 64}, &l));
    CHECK(is_at(&l, 16, 7, 0, 39) && tri_linear_in_size(&l, TRI_DIM_COL) == 32);
    e.tmem.two_ctas = true;
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){64, 32}, &l));
    CHECK(is_at(&l, 64, 3, 0, 19) && tri_linear_in_size(&l, TRI_DIM_COL) == 16);
}

static void test_scales(void)
{
    tri_linear l;
    tri_encoding e = {.kind = TRI_ENC_TENSOR_MEMORY_SCALES, .rank = 2};
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){128, 8}, &l));
    CHECK(tri_linear_in_size(&l, TRI_DIM_COL) == 32);
    CHECK(is_at(&l, 5, 3, 5, 3) && is_at(&l, 5 + 96, 3, 5, 3)); /* alike in the rows of four warps */
    CHECK(is_at(&l, 5, 4, 37, 0) && is_at(&l, 5, 8, 69, 0) && is_at(&l, 5, 16, 5, 4));
    CHECK(tri_tensor_memory_layout(&e, (int64_t[]){32, 2}, &l));
    CHECK(tri_linear_in_size(&l, TRI_DIM_COL) == 8 && is_at(&l, 5, 6, 5, 0));
    e.kind = TRI_ENC_SWIZZLED_SHARED;
    CHECK(!tri_tensor_memory_layout(&e, (int64_t[]){128, 8}, &l));
}

int main(void)
{
    test_blocks();
    test_half_blocks();
    test_scales();
    return finish();
}
