#include "ir/analysis/blocked.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

tri_launch tri_blocked_launch(MlirOperation module)
{
    return (tri_launch){
        (int)tri_op_int(module, "ttg.num-warps", 4),
        (int)tri_op_int(module, "ttg.threads-per-warp", 32),
        (int)tri_op_int(module, "ttg.num-ctas", 1),
    };
}

/* Spreads the CTAs of a cluster over the dimensions, slowest first. What no dimension can take
 * duplicates the tensor (bases that move nothing). */
static void split_ctas(tri_encoding *e, const int64_t *shape, int ctas)
{
    int64_t rest = ctas, split[TRI_MAX_RANK];
    for (int i = e->rank - 1; i >= 0; i--) {
        int d = e->order[i];
        int64_t most = shape[d] / e->blocked.size_per_thread[d];
        split[d] = clamp(rest, 1, most > 1 ? most : 1);
        rest /= split[d];
    }
    for (int i = 0; i < e->rank; i++)
        for (int64_t bit = 1; bit < split[e->order[i]]; bit *= 2)
            e->cga.at[e->cga.count++][e->order[i]] = (int32_t)bit;
    for (; rest > 1; rest /= 2)
        e->cga.count++;
}

void tri_blocked_shape_per_cta(const tri_encoding *encoding, const int64_t *shape, int64_t *out_shape)
{
    for (int d = 0; d < encoding->rank; d++) {
        int64_t split = 1;
        for (int b = 0; b < encoding->cga.count; b++)
            split *= encoding->cga.at[b][d] ? 2 : 1;
        out_shape[d] = clamp(shape[d] / split, 1, shape[d]);
    }
}

tri_encoding tri_blocked_make(int rank, const int64_t *shape, const int32_t *size_per_thread, const int32_t *order,
                              tri_launch launch)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = rank};
    for (int d = 0; d < rank; d++) {
        e.blocked.size_per_thread[d] = size_per_thread[d];
        e.order[d] = order[d];
    }
    if (launch.ctas > 1)
        split_ctas(&e, shape, launch.ctas);
    int64_t own[TRI_MAX_RANK];
    tri_blocked_shape_per_cta(&e, shape, own);
    int64_t threads = (int64_t)launch.warps * launch.lanes, lanes = launch.lanes, warps = launch.warps;
    for (int i = 0; i < rank - 1; i++) {
        int d = order[i];
        int64_t most = own[d] / size_per_thread[d];
        int64_t along = clamp(threads, 1, most > 1 ? most : 1);
        e.blocked.threads_per_warp[d] = (int32_t)clamp(along, 1, lanes);
        e.warps_per_cta[d] = (int32_t)clamp(along / e.blocked.threads_per_warp[d], 1, warps);
        warps /= e.warps_per_cta[d];
        lanes /= e.blocked.threads_per_warp[d];
        threads /= along;
    }
    if (rank == 0)
        return e;
    e.blocked.threads_per_warp[order[rank - 1]] = (int32_t)lanes;
    e.warps_per_cta[order[rank - 1]] = (int32_t)warps;
    return e;
}

tri_encoding tri_blocked_default(int rank, const int64_t *shape, tri_launch launch)
{
    int32_t ones[TRI_MAX_RANK], order[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        ones[d] = 1;
        order[d] = rank - 1 - d;
    }
    return tri_blocked_make(rank, shape, ones, order, launch);
}

MlirAttribute tri_blocked_default_attr(MlirType tensor, tri_launch launch)
{
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_type_rank(tensor);
    for (int d = 0; d < rank; d++)
        shape[d] = tri_type_dim(tensor, d);
    tri_encoding e = tri_blocked_default(rank, shape, launch);
    return tri_encoding_make(mlirTypeGetContext(tensor), &e);
}
