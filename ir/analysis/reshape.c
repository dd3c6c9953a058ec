#include "ir/analysis/reshape.h"

#include "layout/convert.h"
#include "layout/encoding_words.h"

#include <string.h>

enum { fields = 3 }; /* size per thread, threads per warp, warps per CTA */

/* A run of source dimensions and the run of destination dimensions with the same product. */
typedef struct {
    int from_begin, from_end, to_begin, to_end;
} group;

static int make_groups(int from_rank, const int64_t *from, int to_rank, const int64_t *to, group *out)
{
    int n = 0, i = 0, j = 0;
    while (i < from_rank && j < to_rank) {
        group g = {i, i + 1, j, j + 1};
        int64_t a = from[i++], b = to[j++];
        while (a != b) {
            if (a < b)
                a *= from[i++];
            else
                b *= to[j++];
        }
        g.from_end = i;
        g.to_end = j;
        out[n++] = g;
    }
    if (n == 0)
        return 0;
    out[n - 1].from_end = from_rank; /* trailing ones */
    out[n - 1].to_end = to_rank;
    return n;
}

static int32_t *field_of(tri_encoding *e, int f)
{
    return f == 0 ? e->blocked.size_per_thread : f == 1 ? e->blocked.threads_per_warp : e->warps_per_cta;
}

/* The source dimensions of a group lie one behind the other in memory order, last fastest. */
static bool is_row_major(const tri_encoding *from, const group *g)
{
    int at = 0;
    while (from->order[at] != g->from_end - 1)
        at++;
    for (int d = g->from_end - 1; d >= g->from_begin; d--, at++)
        if (at == from->rank || from->order[at] != d)
            return false;
    return true;
}

/* Threads are dealt out over the group as if it were one dimension. */
static bool fills_in_order(tri_encoding *from, const int64_t *shape, const group *g)
{
    int64_t rest[TRI_MAX_RANK];
    memcpy(rest, shape, sizeof rest);
    for (int f = 0; f < fields; f++)
        for (int d = g->from_end - 1; d >= g->from_begin; d--) {
            int32_t n = field_of(from, f)[d];
            if (n == 1)
                continue;
            for (int minor = d + 1; minor < g->from_end; minor++)
                if (rest[minor] != 1)
                    return false;
            if (n > rest[d] && d != g->from_begin)
                return false;
            rest[d] = n > rest[d] ? 1 : rest[d] / n;
        }
    return true;
}

static void pour(tri_encoding *from, const group *g, const int64_t *to_shape, tri_encoding *to)
{
    int64_t rest[TRI_MAX_RANK];
    memcpy(rest, to_shape, sizeof rest);
    for (int f = 0; f < fields; f++) {
        int64_t amount = 1;
        for (int d = g->from_begin; d < g->from_end; d++)
            amount *= field_of(from, f)[d];
        for (int d = g->to_end - 1; d >= g->to_begin; d--) {
            int64_t part = d == g->to_begin || amount < rest[d] ? amount : rest[d];
            field_of(to, f)[d] = (int32_t)part;
            rest[d] = part > rest[d] ? 1 : rest[d] / part;
            amount /= part;
        }
    }
}

static bool reshape_blocked(const tri_encoding *source, int from_rank, const int64_t *from_shape, int to_rank,
                            const int64_t *to_shape, tri_encoding *out_to)
{
    tri_encoding from = *source;
    group groups[TRI_MAX_RANK];
    int64_t from_copy[TRI_MAX_RANK] = {0}, to_copy[TRI_MAX_RANK] = {0};
    if (from.kind != TRI_ENC_BLOCKED || from.cga.count)
        return false;
    memcpy(from_copy, from_shape, sizeof *from_shape * (size_t)from_rank);
    memcpy(to_copy, to_shape, sizeof *to_shape * (size_t)to_rank);
    int n = make_groups(from_rank, from_shape, to_rank, to_shape, groups);
    for (int i = 0; i < n; i++)
        if (!is_row_major(&from, &groups[i]) || !fills_in_order(&from, from_copy, &groups[i]))
            return false;
    *out_to = (tri_encoding){.kind = TRI_ENC_BLOCKED, .rank = to_rank};
    int at = 0;
    for (int o = 0; o < from_rank; o++)
        for (int i = 0; i < n; i++)
            if (groups[i].from_end - 1 == from.order[o]) {
                pour(&from, &groups[i], to_copy, out_to);
                for (int d = groups[i].to_end - 1; d >= groups[i].to_begin; d--)
                    out_to->order[at++] = d;
            }
    return n > 0;
}

static bool is_default(const tri_encoding *e, int rank, const int64_t *shape, int to_rank, const int64_t *to_shape,
                       tri_encoding *out_to)
{
    int32_t ones[TRI_MAX_RANK], order[TRI_MAX_RANK];
    if (e->kind != TRI_ENC_BLOCKED || e->cga.count || rank == 0 || to_rank == 0)
        return false;
    for (int d = 0; d < TRI_MAX_RANK; d++)
        ones[d] = 1;
    for (int d = 0; d < rank; d++)
        order[d] = rank - 1 - d;
    int warps = tri_convert_num_warps(e), lanes = tri_convert_num_threads_per_warp(e);
    tri_encoding standard = tri_convert_blocked_auto(rank, shape, ones, order, warps, lanes);
    if (!tri_encoding_equal(e, &standard))
        return false;
    for (int d = 0; d < to_rank; d++)
        order[d] = to_rank - 1 - d;
    *out_to = tri_convert_blocked_auto(to_rank, to_shape, ones, order, warps, lanes);
    return true;
}

/* The source's linear layout with its output bits cut anew, last dimension lowest. */
static bool reshape_linear(const tri_encoding *from, int from_rank, const int64_t *from_shape, int to_rank,
                           const int64_t *to_shape, tri_linear *out_to)
{
    tri_linear l;
    if (!tri_convert_to_linear(from, from_rank, from_shape, &l, NULL))
        return false;
    tri_dim reversed[TRI_MAX_RANK], straight[TRI_MAX_RANK];
    tri_dims cut = {.count = to_rank};
    for (int d = 0; d < from_rank; d++)
        reversed[d] = TRI_DIM_0 + (tri_dim)(from_rank - 1 - d);
    for (int d = 0; d < to_rank; d++) {
        cut.dim[d] = TRI_DIM_0 + (tri_dim)(to_rank - 1 - d);
        cut.bits[d] = tri_linear_log2(to_shape[to_rank - 1 - d]);
        straight[d] = TRI_DIM_0 + (tri_dim)d;
    }
    l = tri_linear_transpose_outs(&l, reversed);
    l = tri_linear_reshape_outs(&l, &cut);
    *out_to = tri_linear_transpose_outs(&l, straight);
    return true;
}

bool tri_reshape_infer(const tri_encoding *from, int from_rank, const int64_t *from_shape, int to_rank,
                       const int64_t *to_shape, tri_encoding *out_to)
{
    if (from_rank == to_rank && memcmp(from_shape, to_shape, sizeof *to_shape * (size_t)to_rank) == 0) {
        *out_to = *from;
        return true;
    }
    tri_linear want, have;
    if (!reshape_linear(from, from_rank, from_shape, to_rank, to_shape, &want))
        return false;
    if (is_default(from, from_rank, from_shape, to_rank, to_shape, out_to) &&
        tri_convert_to_linear(out_to, to_rank, to_shape, &have, NULL) && tri_linear_equal(&want, &have))
        return true;
    if (reshape_blocked(from, from_rank, from_shape, to_rank, to_shape, out_to) &&
        tri_convert_to_linear(out_to, to_rank, to_shape, &have, NULL) && tri_linear_equal(&want, &have))
        return true;
    *out_to = tri_convert_from_linear(&want);
    return true;
}
