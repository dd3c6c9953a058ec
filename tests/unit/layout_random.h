/* Random small layouts for the property tests. */
#ifndef LAYOUT_RANDOM_H
#define LAYOUT_RANDOM_H

#include "layout/convert.h"
#include "layout_expect.h"

static unsigned seed = 1;
static inline int any(int n) { return (int)(random_bits(&seed) % (unsigned)n); }

static inline void random_order(int rank, int32_t *order)
{
    for (int i = 0; i < rank; i++)
        order[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = any(i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

/* Spreads `bits` doublings over the dimensions. */
static inline void random_split(int rank, int bits, int32_t *out)
{
    for (int d = 0; d < rank; d++)
        out[d] = 1;
    for (int i = 0; i < bits; i++)
        out[any(rank)] *= 2;
}

static inline tri_encoding random_blocked(int rank, int reg_bits, int lane_bits, int warp_bits)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = rank};
    random_split(rank, any(reg_bits + 1), e.blocked.size_per_thread);
    random_split(rank, lane_bits, e.blocked.threads_per_warp);
    random_split(rank, warp_bits, e.warps_per_cta);
    random_order(rank, e.order);
    return e;
}

/* Any assignment of the tensor's bits to registers, lanes and warps; the rest are replicas. */
static inline tri_linear random_permuted(int rank, const int64_t *shape, int lane_bits, int warp_bits)
{
    tri_linear l = tri_linear_empty();
    int total = 0, n = 0, count[3];
    uint64_t bases[64];
    for (int d = 0; d < rank; d++) {
        tri_linear_add_out(&l, (tri_dim)(TRI_DIM_0 + d), tri_linear_log2(shape[d]));
        total += tri_linear_log2(shape[d]);
    }
    count[1] = lane_bits;
    count[2] = warp_bits;
    int replicas = any(3);
    if (lane_bits + warp_bits > total + replicas)
        replicas = lane_bits + warp_bits - total;
    count[0] = total + replicas - lane_bits - warp_bits;
    for (int i = 0; i < total; i++)
        bases[n++] = (uint64_t)1 << i;
    for (int i = 0; i < replicas; i++)
        bases[n++] = 0;
    for (int i = n - 1; i > 0; i--) {
        int j = any(i + 1);
        uint64_t swap = bases[i];
        bases[i] = bases[j];
        bases[j] = swap;
    }
    static const tri_dim ins[3] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
    for (int k = 0; k < 3; k++) {
        tri_linear_add_in(&l, ins[k]);
        for (int i = 0; i < count[k]; i++)
            tri_linear_add_basis(&l, ins[k], bases[--n]);
    }
    tri_linear_add_in(&l, TRI_DIM_BLOCK);
    return l;
}

static inline tri_linear random_layout(int rank, const int64_t *shape, int lane_bits, int warp_bits)
{
    tri_linear l;
    tri_encoding parent, e;
    switch (any(4)) {
    case 0:
        return random_permuted(rank, shape, lane_bits, warp_bits);
    case 1:
        if (rank == 2 && lane_bits == 5) {
            parent = (tri_encoding){
                .kind = TRI_ENC_NVIDIA_MMA, .rank = 2, .version_major = 2, .instr_shape = {16, 8}, .instr_rank = 2};
            random_split(2, warp_bits, parent.warps_per_cta);
            e = parent;
            if (any(2)) {
                e = (tri_encoding){.kind = TRI_ENC_DOT_OP, .rank = 2, .parent = &parent};
                e.dot_op.op_idx = any(2);
                e.dot_op.k_width = 1 << any(3);
            }
            break;
        } /* fall through */
    case 2:
        if (rank < 3) {
            parent = random_blocked(rank + 1, 3, lane_bits, warp_bits);
            e = (tri_encoding){.kind = TRI_ENC_SLICE, .rank = rank, .parent = &parent};
            e.slice.dim = any(rank + 1);
            break;
        } /* fall through */
    default:
        e = random_blocked(rank, 3, lane_bits, warp_bits);
    }
    const char *why = "";
    if (!tri_convert_to_linear(&e, rank, shape, &l, &why)) {
        fprintf(stderr, "no layout: %s\n", why);
        exit(1);
    }
    return l;
}

#endif
