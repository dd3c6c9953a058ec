/* Plans of gathers inside a warp: the lane and register they name hold the element that was asked for. */
#include "layout/gather.h"
#include "layout_random.h"

static uint64_t element(const tri_linear *l, uint64_t r, uint64_t lane, uint64_t warp)
{
    return tri_linear_apply_one(l, TRI_DIM_REGISTER, r) ^ tri_linear_apply_one(l, TRI_DIM_LANE, lane) ^
           tri_linear_apply_one(l, TRI_DIM_WARP, warp);
}

/* The coordinates of a packed element of `index`, in `source`, with another one along the axis. */
static uint64_t moved(const tri_linear *index, uint64_t packed, const tri_linear *source, tri_dim axis, int64_t along)
{
    uint64_t out = 0;
    for (int d = 0; d < source->out.count; d++) {
        tri_dim dim = source->out.dim[d];
        uint64_t at = (uint64_t)(dim == axis ? along : tri_linear_coord(index, packed, dim));
        out |= at << tri_linear_out_shift(source, dim);
    }
    return out;
}

static uint64_t chosen(const uint64_t *basis, int bits, int64_t along)
{
    uint64_t sum = 0;
    for (int b = 0; b < bits; b++)
        sum ^= along >> b & 1 ? basis[b] : 0;
    return sum;
}

static void check(const tri_linear *source, const tri_linear *index, tri_dim axis, const tri_gather *p)
{
    for (int64_t w = 0; w < tri_linear_in_size(index, TRI_DIM_WARP); w++)
        for (int64_t l = 0; l < tri_linear_in_size(index, TRI_DIM_LANE); l++)
            for (int64_t r = 0; r < tri_linear_in_size(index, TRI_DIM_REGISTER); r++)
                for (int64_t along = 0; along < tri_linear_out_size(source, axis); along++) {
                    uint64_t wanted =
                        moved(index, element(index, (uint64_t)r, (uint64_t)l, (uint64_t)w), source, axis, along);
                    uint64_t lane = element(&p->lane, (uint64_t)r, (uint64_t)l, (uint64_t)w) ^
                                    chosen(p->lane_of, p->axis_bits, along);
                    uint64_t from = tri_linear_apply_one(&p->source, TRI_DIM_REGISTER, (uint64_t)r) ^
                                    chosen(p->register_of, p->axis_bits, along);
                    CHECK(element(source, from, lane, (uint64_t)w) == wanted);
                }
}

/* Random layouts: most have a column in several warps, and then there is no plan. */
static int test_random(void)
{
    int plans = 0;
    for (int t = 0; t < 4000 && failures < 10; t++) {
        int rank = 1 + any(3);
        int64_t shape[3], other[3];
        tri_dim axis = (tri_dim)(TRI_DIM_0 + any(rank));
        for (int d = 0; d < rank; d++)
            other[d] = shape[d] = INT64_C(1) << any(4);
        other[axis - TRI_DIM_0] = INT64_C(1) << any(4);
        int lane_bits = any(4), warp_bits = any(3);
        tri_linear source = random_layout(rank, shape, lane_bits, warp_bits);
        tri_linear index = any(2) ? random_layout(rank, other, lane_bits, warp_bits) : source;
        tri_gather plan;
        if (!tri_gather_plan(&source, &index, axis, &plan))
            continue;
        plans++;
        check(&source, &index, axis, &plan);
    }
    return plans;
}

static tri_linear blocked(int64_t m, int64_t n, const int32_t *spt, const int32_t *lanes, const int32_t *warps)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = 2, .order = {0, 1}};
    tri_linear l;
    for (int d = 0; d < 2; d++) {
        e.blocked.size_per_thread[d] = spt[d];
        e.blocked.threads_per_warp[d] = lanes[d];
        e.warps_per_cta[d] = warps[d];
    }
    CHECK(tri_convert_to_linear(&e, 2, (int64_t[]){m, n}, &l, NULL));
    return l;
}

static void test_known(void)
{
    tri_gather plan;
    const int32_t two[] = {2, 1}, ones[] = {1, 1}, column[] = {32, 1}, across[] = {1, 4}, along[] = {4, 1};
    tri_linear columns = blocked(64, 64, two, column, across);
    CHECK(tri_gather_plan(&columns, &columns, TRI_DIM_0, &plan));
    CHECK(plan.num_searched == 2);
    CHECK(plan.register_of[0] == 1);
    CHECK(plan.lane_of[1] == 1);
    CHECK(tri_gather_is_worth(&plan, &columns, &columns));
    tri_linear rows = blocked(128, 64, ones, column, along); /* a column lies in four warps */
    CHECK(!tri_gather_plan(&rows, &rows, TRI_DIM_0, &plan));
    tri_linear few = blocked(1024, 8, ones, column, across); /* 32 registers to search for one element */
    tri_linear one = blocked(1, 8, ones, column, across);
    CHECK(tri_gather_plan(&few, &few, TRI_DIM_0, &plan));
    CHECK(plan.num_searched == 32);
    CHECK(!tri_gather_is_worth(&plan, &few, &few));
    CHECK(tri_gather_is_worth(&plan, &few, &one));
}

int main(void)
{
    int plans = test_random();
    CHECK(plans > 500);
    test_known();
    return finish();
}
