#include "layout/tiles.h"

#include "base/diag.h"

static tri_dim dim_of(int d) { return (tri_dim)(TRI_DIM_0 + d); }

/* No bits yet, dimensions in repetition order. */
static tri_linear start(int rank, const int32_t *rep_order)
{
    tri_linear l = tri_linear_empty();
    tri_linear_add_in(&l, TRI_DIM_REGISTER);
    tri_linear_add_in(&l, TRI_DIM_LANE);
    tri_linear_add_in(&l, TRI_DIM_WARP);
    for (int i = 0; i < rank; i++)
        tri_linear_add_out(&l, dim_of(rep_order[i]), 0);
    return l;
}

static void times(tri_linear *l, const tri_linear *part) { *l = tri_linear_product(l, part); }

/* l * identity(size, in, dimD), or zeros where `is_replica`. */
static void extend(tri_linear *l, int64_t size, tri_dim in, int d, bool is_replica)
{
    tri_linear part = is_replica ? tri_linear_zeros(size, in, dim_of(d), 1) : tri_linear_identity(size, in, dim_of(d));
    times(l, &part);
}

/* identity_nd over `shape`, zeros along `skip` (-1: none). */
static void extend_nd(tri_linear *l, int rank, const int32_t *shape, tri_dim in, const int32_t *order, int skip)
{
    for (int i = 0; i < rank; i++)
        extend(l, shape[order[i]], in, order[i], order[i] == skip);
}

/* [rank-1, ..., 0] with the two fastest exchanged when column major. */
static void matrix_order(int rank, bool row_major, int32_t *out)
{
    for (int i = 0; i < rank; i++)
        out[i] = rank - 1 - i;
    if (!row_major && rank > 1) {
        out[0] = rank - 2;
        out[1] = rank - 1;
    }
}

tri_linear tri_tiles_grow(const tri_linear *l, tri_dim in, const int64_t *shape)
{
    tri_linear r = *l;
    for (int i = 0; i < l->out.count; i++) {
        int64_t have = (int64_t)1 << l->out.bits[i], want = shape[l->out.dim[i] - TRI_DIM_0];
        if (want > have)
            extend(&r, want / have, in, (int)l->out.dim[i] - TRI_DIM_0, false);
    }
    return r;
}

tri_linear tri_tiles_clip(const tri_linear *l, const int64_t *shape, int drop_in)
{
    tri_linear r = tri_linear_empty();
    for (int d = 0; d < l->out.count; d++) {
        int bits = tri_linear_log2(shape[l->out.dim[d] - TRI_DIM_0]);
        tri_linear_add_out(&r, l->out.dim[d], bits < l->out.bits[d] ? bits : l->out.bits[d]);
    }
    for (int i = 0; i < l->in.count; i++) {
        tri_linear_add_in(&r, l->in.dim[i]);
        for (int j = 0; j < l->in.bits[i]; j++) {
            int32_t at[TRI_LINEAR_MAX_DIMS];
            bool is_clipped = false, is_zero = true;
            for (int d = 0; d < l->out.count; d++) {
                int64_t c = tri_linear_basis_at(l, l->in.dim[i], j, l->out.dim[d]);
                at[d] = c >> r.out.bits[d] ? 0 : (int32_t)c;
                is_clipped |= at[d] != c;
                is_zero &= at[d] == 0;
            }
            if (!(is_clipped && is_zero && (int)l->in.dim[i] == drop_in))
                tri_linear_add_coords(&r, l->in.dim[i], at);
        }
    }
    return r;
}

/* ---- NVIDIA ---- */

/* One mma fragment: k registers inner, 4 lanes inner, 8 lanes outer, the rest registers. */
static bool nvidia_fragment(tri_linear *l, int inner, int outer, int m, int n, int k)
{
    if (m < 8 || k < 1 || n < 4 * k)
        return false;
    extend(l, k, TRI_DIM_REGISTER, inner, false);
    extend(l, 4, TRI_DIM_LANE, inner, false);
    extend(l, 8, TRI_DIM_LANE, outer, false);
    extend(l, m / 8, TRI_DIM_REGISTER, outer, false);
    extend(l, n / (4 * k), TRI_DIM_REGISTER, inner, false);
    return true;
}

static bool nvidia_tile(const tri_encoding *e, int rank, tri_linear *out, const char **out_why)
{
    int32_t order[TRI_MAX_RANK], warp_order[TRI_MAX_RANK];
    *out_why = "nvidia_mma needs version 2 or 3, two or more dimensions and an instruction of 8 x 8 or more";
    bool is_v3 = e->version_major == 3;
    if (rank < 2 || (e->version_major != 2 && !is_v3))
        return false;
    matrix_order(rank, true, order);
    matrix_order(rank, !is_v3, warp_order);
    int m = is_v3 ? e->instr_shape[0] : e->instr_shape[e->instr_rank - 2];
    int n = is_v3 ? e->instr_shape[1] : e->instr_shape[e->instr_rank - 1];
    *out = start(rank, order);
    if (!nvidia_fragment(out, order[0], order[1], m, n, 2))
        return false;
    extend_nd(out, rank, e->warps_per_cta, TRI_DIM_WARP, warp_order, -1);
    return true;
}

static bool nvidia_dot_tile(const tri_encoding *e, int rank, tri_linear *out, const char **out_why)
{
    const tri_encoding *mma = e->parent;
    int32_t order[TRI_MAX_RANK], warp_order[TRI_MAX_RANK];
    bool is_a = e->dot_op.op_idx == 0, is_v3 = mma->version_major == 3;
    int k_width = e->dot_op.k_width;
    *out_why = "dot_op over nvidia_mma needs version 2 (or operand 0 of version 3), rank 2 or 3 and a kWidth";
    if (rank < 2 || k_width < 1 || (mma->version_major != 2 && !(is_v3 && is_a)))
        return false;
    matrix_order(rank, is_a, order);
    matrix_order(rank, !is_v3, warp_order);
    int instr_m = is_v3 ? mma->instr_shape[0] : mma->instr_shape[mma->instr_rank - 2];
    int inner = k_width * (instr_m == 8 ? 4 : 8); /* 8 x 8 x 4 is the f64 instruction */
    *out = start(rank, order);
    if (!nvidia_fragment(out, order[0], order[1], is_a ? instr_m : 8, inner, k_width))
        return false;
    extend_nd(out, rank, mma->warps_per_cta, TRI_DIM_WARP, warp_order, order[0]);
    return true;
}

static void blocked_dot_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out)
{
    const tri_encoding *p = e->parent;
    int k_dim = e->dot_op.op_idx == 0 ? rank - 1 : rank - 2;
    int32_t per_thread[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        per_thread[d] = d == k_dim ? (int32_t)shape[d] : p->blocked.size_per_thread[d];
    *out = start(rank, p->order);
    extend_nd(out, rank, per_thread, TRI_DIM_REGISTER, p->order, -1);
    extend_nd(out, rank, p->blocked.threads_per_warp, TRI_DIM_LANE, p->order, k_dim);
    extend_nd(out, rank, p->warps_per_cta, TRI_DIM_WARP, p->order, k_dim);
}

/* ---- AMD ---- */


/* A 2-D tile given by its bases; `lanes` move along `across` except the ones >= split, which move
 * along `down` as the registers do. Bases are coordinates, so the sizes are set first. */
static tri_linear tile_2d(int rank, const int32_t *rep, int across, int down, int across_bits, int down_bits,
                          int num_regs, const int32_t *regs, int num_lanes, const int32_t *lanes_across,
                          const int32_t *lanes_down)
{
    tri_linear l = tri_linear_empty();
    for (int i = 0; i < rank; i++)
        tri_linear_add_out(&l, dim_of(rep[i]), rep[i] == across ? across_bits : rep[i] == down ? down_bits : 0);
    int a = tri_linear_out_shift(&l, dim_of(across)), b = tri_linear_out_shift(&l, dim_of(down));
    tri_linear_add_in(&l, TRI_DIM_REGISTER);
    for (int i = 0; i < num_regs; i++)
        tri_linear_add_basis(&l, TRI_DIM_REGISTER, (uint64_t)regs[i] << b);
    for (int i = 0; i < num_lanes; i++)
        tri_linear_add_basis(&l, TRI_DIM_LANE, (uint64_t)lanes_across[i] << a | (uint64_t)lanes_down[i] << b);
    tri_linear_add_in(&l, TRI_DIM_WARP);
    return l;
}

/* Result of mfma 32x32 and 16x16: groups of 4 rows per lane group, of 64-bit numbers single rows 4 apart; lanes along N
 * (M when transposed). */
static bool mfma_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out, const char **out_why)
{
    static const int32_t regs32[] = {1, 2, 8, 16}, across32[] = {1, 2, 4, 8, 16, 0}, down32[] = {0, 0, 0, 0, 0, 4};
    static const int32_t regs16[] = {1, 2}, across16[] = {1, 2, 4, 8, 0, 0}, down16[] = {0, 0, 0, 0, 4, 8};
    static const int32_t regs64[] = {4, 8}, down64[] = {0, 0, 0, 0, 1, 2};
    int32_t rep[TRI_MAX_RANK];
    *out_why = "amd_mfma needs a 32 x 32 or 16 x 16 instruction (16 x 16 of 64 bits) and two or three dimensions";
    int m = e->instr_shape[0];
    bool is_wide = e->amd.element_bits == 64;
    if (rank < 2 || rank > 3 || (m != 16 && (m != 32 || is_wide)) || e->instr_shape[1] != m)
        return false;
    int dim_m = rank - 2, dim_n = rank - 1;
    int across = e->amd.is_transposed ? dim_m : dim_n, down = e->amd.is_transposed ? dim_n : dim_m;
    matrix_order(rank, true, rep);
    *out = m == 32 ? tile_2d(rank, rep, across, down, 5, 5, 4, regs32, 6, across32, down32)
                   : tile_2d(rank, rep, across, down, 4, 4, 2, is_wide ? regs64 : regs16, 6, across16,
                             is_wide ? down64 : down16);
    const int32_t *tiles = e->amd.tiles_per_warp, *warps = e->warps_per_cta;
    int tiles_m = tiles[dim_m] ? tiles[dim_m] : 1, tiles_n = tiles[dim_n] ? tiles[dim_n] : 1;
    extend(out, tiles_n, TRI_DIM_REGISTER, dim_n, false);
    extend(out, warps[dim_n], TRI_DIM_WARP, dim_n, false);
    /* All of N comes before the next tile along M, also beyond this CTA tile. */
    int64_t rest = shape[dim_n] / ((int64_t)m * warps[dim_n] * tiles_n);
    if (rest > 1)
        extend(out, rest, TRI_DIM_REGISTER, dim_n, false);
    extend(out, tiles_m, TRI_DIM_REGISTER, dim_m, false);
    extend(out, warps[dim_m], TRI_DIM_WARP, dim_m, false);
    if (rank == 3)
        extend(out, warps[0], TRI_DIM_WARP, 0, false);
    return true;
}

static bool mfma_dot_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out, const char **out_why)
{
    const tri_encoding *p = e->parent;
    int m = p->instr_shape[0], k_width = e->dot_op.k_width;
    int32_t rep[TRI_MAX_RANK], warp_order[TRI_MAX_RANK];
    *out_why = "dot_op over amd_mfma needs a 32 x 32 or 16 x 16 instruction, two or three dimensions and a kWidth";
    if (rank < 2 || rank > 3 || (m != 32 && m != 16) || k_width < 1)
        return false;
    matrix_order(rank, e->dot_op.op_idx == 0, rep);
    matrix_order(rank, true, warp_order);
    int k = rep[0], other = rep[1];
    *out = start(rank, rep);
    extend(out, k_width, TRI_DIM_REGISTER, k, false);
    extend(out, m, TRI_DIM_LANE, other, false);
    extend(out, 64 / m, TRI_DIM_LANE, k, false);
    int64_t rest = shape[k] / (k_width * (64 / m));
    if (rest > 1)
        extend(out, rest, TRI_DIM_REGISTER, k, false);
    if (p->amd.tiles_per_warp[other] > 1)
        extend(out, p->amd.tiles_per_warp[other], TRI_DIM_REGISTER, other, false);
    extend_nd(out, rank, p->warps_per_cta, TRI_DIM_WARP, warp_order, k);
    return true;
}

/* The ctaLayout of amd_wmma counts instruction tiles; `skip` (-1: none) is the K dimension: warps are
 * replicated along it, registers along it dropped. */
static void wmma_warps(tri_linear *l, const tri_encoding *e, int rank, int skip)
{
    tri_linear part = tri_linear_empty();
    const tri_bases *lists[2] = {&e->amd.wmma_reg, &e->amd.wmma_warp};
    for (int d = 0; d < rank; d++) {
        int bits = 0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < lists[k]->count; i++)
                while (d != skip && lists[k]->at[i][d] >> bits)
                    bits++;
        tri_linear_add_out(&part, dim_of(d), bits);
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < lists[k]->count; i++) {
            int32_t at[TRI_MAX_RANK];
            bool is_zero = true;
            for (int d = 0; d < rank; d++) {
                at[d] = d == skip ? 0 : lists[k]->at[i][d];
                is_zero &= at[d] == 0;
            }
            if (k == 1 || !is_zero)
                tri_linear_add_coords(&part, k ? TRI_DIM_WARP : TRI_DIM_REGISTER, at);
        }
    }
    times(l, &part);
}

static bool wmma_tile(const tri_encoding *e, int rank, tri_linear *out, const char **out_why)
{
    static const int32_t regs1[] = {2, 4, 8}, regs2[] = {1, 2, 4}, across[] = {1, 2, 4, 8, 0};
    static const int32_t down1[] = {0, 0, 0, 0, 1}, down2[] = {0, 0, 0, 0, 8};
    int32_t rep[TRI_MAX_RANK];
    *out_why = "amd_wmma needs version 1, 2 or 3, a 16 x 16 instruction and two or three dimensions";
    if (rank < 2 || rank > 3 || e->version_major < 1 || e->version_major > 3 || e->instr_shape[0] != 16 ||
        e->instr_shape[1] != 16)
        return false;
    int lanes = e->amd.is_transposed ? rank - 2 : rank - 1, regs = e->amd.is_transposed ? rank - 1 : rank - 2;
    matrix_order(rank, true, rep);
    bool is_v1 = e->version_major == 1;
    *out = tile_2d(rank, rep, lanes, regs, 4, 4, 3, is_v1 ? regs1 : regs2, 5, across, is_v1 ? down1 : down2);
    wmma_warps(out, e, rank, -1);
    return true;
}

static bool wmma_dot_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out, const char **out_why)
{
    const tri_encoding *p = e->parent;
    int k_width = e->dot_op.k_width;
    int32_t rep[TRI_MAX_RANK];
    *out_why = "dot_op over amd_wmma needs version 1, 2 or 3, two or three dimensions and a kWidth";
    if (rank < 2 || rank > 3 || p->version_major < 1 || p->version_major > 3 || k_width < 1)
        return false;
    matrix_order(rank, e->dot_op.op_idx == 0, rep);
    int k = rep[0], other = rep[1];
    *out = start(rank, rep);
    extend(out, k_width, TRI_DIM_REGISTER, k, false);
    extend(out, 16, TRI_DIM_LANE, other, false);
    /* Version 1 gives both halves of a wave the same data, later ones split K. */
    extend(out, 2, TRI_DIM_LANE, k, p->version_major == 1);
    int64_t rest = shape[k] >> tri_linear_out_bits(out, dim_of(k));
    if (rest > 1)
        extend(out, rest, TRI_DIM_REGISTER, k, false);
    wmma_warps(out, p, rank, k);
    return true;
}

/* ---- Intel ---- */

/* Instructions side by side along the dimension `back` from the last. */
static int32_t cluster_of(const tri_encoding *e, int back)
{
    int32_t n = e->rank >= back ? e->dpas.rep_cluster[e->rank - back] : 1;
    return n ? n : 1;
}

void tri_tiles_dpas_shape(const tri_encoding *e, int operand, int32_t *out)
{
    int32_t depth = e->dpas.systolic_depth * e->dpas.ops_per_channel;
    for (int d = 0; d < e->rank - 2; d++)
        out[d] = 1;
    if (e->rank < 2)
        return;
    out[e->rank - 2] = operand == 1 ? depth : e->dpas.repeat_count * cluster_of(e, 2);
    out[e->rank - 1] = operand == 0 ? depth : e->dpas.execution_size * cluster_of(e, 1);
}

/* A lane has a neighbour of 8 bits beside each element; fewer lanes than a row has of those share the row alike. */
static void dpas_a(tri_linear *l, const tri_encoding *e, int m, int k)
{
    int depth = e->dpas.systolic_depth * e->dpas.ops_per_channel, lanes = e->dpas.threads_per_warp;
    int pair = e->dpas.ops_per_channel == 4 ? 2 : 1, columns = depth / pair < lanes ? depth / pair : lanes;
    int rows = lanes / columns;
    extend(l, depth / columns, TRI_DIM_REGISTER, k, false);
    extend(l, columns, TRI_DIM_LANE, k, false);
    extend(l, rows, TRI_DIM_LANE, m, false);
    if (e->dpas.repeat_count > rows)
        extend(l, e->dpas.repeat_count / rows, TRI_DIM_REGISTER, m, false);
}

static void dpas_b(tri_linear *l, const tri_encoding *e, int k, int n)
{
    int rows = e->dpas.threads_per_warp / e->dpas.execution_size;
    extend(l, e->dpas.ops_per_channel, TRI_DIM_REGISTER, k, false);
    extend(l, e->dpas.execution_size, TRI_DIM_LANE, n, false);
    extend(l, rows, TRI_DIM_LANE, k, false);
    extend(l, e->dpas.systolic_depth / rows, TRI_DIM_REGISTER, k, false);
}

static void dpas_c(tri_linear *l, const tri_encoding *e, int m, int n)
{
    int rows = e->dpas.threads_per_warp / e->dpas.execution_size;
    extend(l, e->dpas.execution_size, TRI_DIM_LANE, n, false);
    extend(l, rows, TRI_DIM_LANE, m, false);
    if (e->dpas.repeat_count > rows)
        extend(l, e->dpas.repeat_count / rows, TRI_DIM_REGISTER, m, false);
}

/* `operand` 0 and 1 are A and B, 2 the result. */
static bool dpas_tile(const tri_encoding *e, int operand, int rank, tri_linear *out, const char **out_why)
{
    int32_t rep[TRI_MAX_RANK], warp_order[TRI_MAX_RANK];
    *out_why = "dpas needs two or three dimensions, 1, 2 or 4 operations per channel and no fewer lanes than columns";
    int ops = e->dpas.ops_per_channel, lanes = e->dpas.threads_per_warp, columns = e->dpas.execution_size;
    if (rank < 2 || rank > 3 || (ops != 1 && ops != 2 && ops != 4) || columns < 1 || lanes < columns ||
        lanes / columns > e->dpas.systolic_depth || e->dpas.repeat_count < 1)
        return false;
    matrix_order(rank, operand != 1, rep);
    matrix_order(rank, true, warp_order);
    int dim_m = rank - 2, dim_n = rank - 1, skip = operand == 0 ? dim_n : operand == 1 ? dim_m : -1;
    *out = start(rank, rep);
    if (operand == 0)
        dpas_a(out, e, dim_m, dim_n);
    else if (operand == 1)
        dpas_b(out, e, dim_m, dim_n);
    else
        dpas_c(out, e, dim_m, dim_n);
    if (operand != 0)
        extend(out, cluster_of(e, 1), TRI_DIM_REGISTER, dim_n, false);
    if (operand != 1)
        extend(out, cluster_of(e, 2), TRI_DIM_REGISTER, dim_m, false);
    extend_nd(out, rank, e->warps_per_cta, TRI_DIM_WARP, warp_order, skip);
    return true;
}

/* Blocks that a message of two dimensions moves: lanes have neighbours of a row, and where rows are shorter, those of
 * several. */
static bool block_tile(const tri_encoding *e, int rank, tri_linear *out, const char **out_why)
{
    static const int32_t rows_first[] = {0, 1}, columns_first[] = {1, 0};
    *out_why = "subgroup_2d_block needs two dimensions, and lanes for a whole row of its instruction";
    int lanes = e->block.threads_per_warp, height = e->instr_shape[0], width = e->instr_shape[1];
    int packed = width > lanes ? width / lanes : 1, rows = lanes / (width / packed);
    if (rank != 2 || e->rank != 2 || e->instr_rank != 2 || rows < 1 || rows > height)
        return false;
    *out = start(rank, rows_first);
    extend(out, packed, TRI_DIM_REGISTER, 1, false);
    extend(out, width / packed, TRI_DIM_LANE, 1, false);
    extend(out, rows, TRI_DIM_LANE, 0, false);
    extend(out, height / rows, TRI_DIM_REGISTER, 0, false);
    extend(out, e->block.num_blocks, TRI_DIM_REGISTER, 1, false);
    extend_nd(out, rank, e->warps_per_cta, TRI_DIM_WARP, columns_first, e->order[0]);
    return true;
}

static bool dot_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out, const char **out_why)
{
    switch (e->parent->kind) {
    case TRI_ENC_NVIDIA_MMA:
        return nvidia_dot_tile(e, rank, out, out_why);
    case TRI_ENC_AMD_MFMA:
        return mfma_dot_tile(e, rank, shape, out, out_why);
    case TRI_ENC_AMD_WMMA:
        return wmma_dot_tile(e, rank, shape, out, out_why);
    case TRI_ENC_INTEL_DPAS:
        return dpas_tile(e->parent, e->dot_op.op_idx, rank, out, out_why);
    case TRI_ENC_BLOCKED:
        blocked_dot_tile(e, rank, shape, out);
        return true;
    default:
        *out_why = "dot_op needs a blocked or matrix parent";
        return false;
    }
}

bool tri_tiles_registers(const tri_encoding *encoding, int rank, const int64_t *shape, tri_linear *out_tile,
                         const char **out_why)
{
    switch (encoding->kind) {
    case TRI_ENC_BLOCKED:
        *out_tile = start(rank, encoding->order);
        extend_nd(out_tile, rank, encoding->blocked.size_per_thread, TRI_DIM_REGISTER, encoding->order, -1);
        extend_nd(out_tile, rank, encoding->blocked.threads_per_warp, TRI_DIM_LANE, encoding->order, -1);
        extend_nd(out_tile, rank, encoding->warps_per_cta, TRI_DIM_WARP, encoding->order, -1);
        return true;
    case TRI_ENC_NVIDIA_MMA:
        return nvidia_tile(encoding, rank, out_tile, out_why);
    case TRI_ENC_AMD_MFMA:
        return mfma_tile(encoding, rank, shape, out_tile, out_why);
    case TRI_ENC_AMD_WMMA:
        return wmma_tile(encoding, rank, out_tile, out_why);
    case TRI_ENC_INTEL_DPAS:
        return dpas_tile(encoding, 2, rank, out_tile, out_why);
    case TRI_ENC_INTEL_BLOCK:
        return block_tile(encoding, rank, out_tile, out_why);
    case TRI_ENC_INTEL_WARP:
        *out_tile = start(rank, encoding->order);
        extend_nd(out_tile, rank, encoding->blocked.size_per_thread, TRI_DIM_REGISTER, encoding->order, -1);
        extend_nd(out_tile, rank, encoding->blocked.threads_per_warp, TRI_DIM_LANE, encoding->order, -1);
        return true;
    case TRI_ENC_DOT_OP:
        return dot_tile(encoding, rank, shape, out_tile, out_why);
    default:
        *out_why = "this layout does not describe registers by a tile";
        return false;
    }
}

/* ---- shared memory ---- */

static tri_linear buffer_start(int rank, const int32_t *order)
{
    tri_linear l = tri_linear_empty();
    tri_linear_add_in(&l, TRI_DIM_OFFSET);
    for (int i = 0; i < rank; i++)
        tri_linear_add_out(&l, dim_of(order[i]), 0);
    return l;
}

/* Rows of `order[1]` over columns of `order[0]`, the column XORed with vec * phase(row). */
static void swizzled_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out)
{
    const int32_t *order = e->order;
    tri_linear core = tri_linear_empty();
    int64_t columns = shape[order[0]];
    int column_bits = tri_linear_log2(columns);
    tri_linear_add_in(&core, TRI_DIM_OFFSET);
    tri_linear_add_out(&core, dim_of(order[0]), column_bits);
    if (rank > 1)
        tri_linear_add_out(&core, dim_of(order[1]), tri_linear_log2(shape[order[1]]));
    for (int64_t c = 1; c < columns; c *= 2)
        tri_linear_add_basis(&core, TRI_DIM_OFFSET, (uint64_t)c);
    int64_t per_phase = e->swizzled.per_phase, max_phase = e->swizzled.max_phase;
    for (int64_t row = 1; rank > 1 && row < shape[order[1]]; row *= 2) {
        int64_t phase = row / per_phase % max_phase;
        if (e->kind == TRI_ENC_AMD_ROTATING_SHARED)
            phase ^= row / max_phase / per_phase % max_phase;
        int64_t column = e->swizzled.vec * phase % columns;
        tri_linear_add_basis(&core, TRI_DIM_OFFSET, (uint64_t)row << column_bits | (uint64_t)column);
    }
    *out = core;
    for (int i = 2; i < rank; i++)
        extend(out, shape[order[i]], TRI_DIM_OFFSET, order[i], false);
}

/* 8 rows of one swizzle width: what a wgmma descriptor or a TMA box repeats. dim0 rows, dim1 columns. */
static tri_linear nvmma_core(const tri_encoding *e)
{
    int bits = e->nvmma.element_bits, width = e->nvmma.swizzle_bytes;
    int columns = 8 * (width > 16 ? width : 16) / bits, vec = 128 / bits;
    int per_phase = 128 / width, max_phase = width / 16;
    bool is_padded = e->nvmma.is_fp4_padded;
    tri_linear core = tri_linear_empty();
    tri_linear_add_in(&core, TRI_DIM_OFFSET);
    tri_linear_add_out(&core, TRI_DIM_0, 3);
    tri_linear_add_out(&core, TRI_DIM_0 + 1, tri_linear_log2(columns) - (is_padded ? 1 : 0));
    for (int part = 0; part < 2; part++) {
        for (int i = 1; i < (part ? 8 : columns); i *= 2) {
            /* Padded fp4: 16 bytes of memory carry 8 bytes of data; the other 8 repeat them. */
            int column = part ? vec * (i / per_phase % max_phase) : i;
            int32_t at[2] = {part ? i : 0, is_padded ? column / 16 * 8 + column % 8 : column};
            tri_linear_add_coords(&core, TRI_DIM_OFFSET, at);
        }
    }
    return core;
}

static bool nvmma_tile(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out, const char **out_why)
{
    int32_t order[TRI_MAX_RANK];
    int64_t box[TRI_MAX_RANK], rows = 1;
    int contiguous = e->nvmma.is_transposed ? 0 : rank - 1, bits = e->nvmma.element_bits;
    for (int d = 0; d < rank; d++) {
        order[d] = d;
        box[d] = shape[d] < 256 ? shape[d] : 256;
    }
    *out_why = "nvmma_shared needs a swizzle of 0, 32, 64 or 128 bytes and elements of 4 to 64 bits";
    int width = e->nvmma.swizzle_bytes;
    if ((width != 0 && width != 32 && width != 64 && width != 128) || bits < 4 || bits > 64)
        return false;
    *out = buffer_start(rank, order);
    if (width == 0) {
        for (int i = rank - 1; i >= 0; i--)
            extend(out, box[(contiguous + 1 + i) % rank], TRI_DIM_OFFSET, (contiguous + 1 + i) % rank, false);
        *out = tri_tiles_grow(out, TRI_DIM_OFFSET, shape);
        return true;
    }
    if (rank < 2) {
        *out_why = "a swizzled nvmma_shared needs two dimensions or more";
        return false;
    }
    box[contiguous] = 8 * width / bits / (e->nvmma.is_fp4_padded ? 2 : 1);
    for (int d = 0; d < rank; d++)
        rows *= d == contiguous ? 1 : box[d];
    tri_linear core = nvmma_core(e);
    int64_t collapsed[2] = {rows, box[contiguous]};
    core = tri_tiles_grow(&core, TRI_DIM_OFFSET, collapsed);
    /* Cut the rows back into the box's dimensions, last one fastest, then the columns. */
    tri_dim columns_first[2] = {TRI_DIM_0 + 1, TRI_DIM_0};
    core = tri_linear_transpose_outs(&core, columns_first);
    if (tri_linear_out_bits(&core, TRI_DIM_0) > tri_linear_log2(rows)) {
        int64_t clipped[2] = {rows, box[contiguous]};
        core = tri_tiles_clip(&core, clipped, -1);
    }
    tri_dims dims = {0};
    for (int i = 0; i < rank; i++) {
        int d = (contiguous + rank - i) % rank;
        dims.dim[dims.count] = dim_of(d);
        dims.bits[dims.count++] = tri_linear_log2(box[d]);
    }
    core = tri_linear_reshape_outs(&core, &dims);
    tri_dim canonical[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        canonical[d] = dim_of(d);
    *out = tri_linear_transpose_outs(&core, canonical);
    *out = tri_tiles_grow(out, TRI_DIM_OFFSET, shape);
    return true;
}

bool tri_tiles_buffer(const tri_encoding *encoding, int rank, const int64_t *shape, tri_linear *out_tile,
                      const char **out_why)
{
    switch (encoding->kind) {
    case TRI_ENC_SWIZZLED_SHARED:
    case TRI_ENC_AMD_ROTATING_SHARED:
        swizzled_tile(encoding, rank, shape, out_tile);
        return true;
    case TRI_ENC_NVMMA_SHARED:
        return nvmma_tile(encoding, rank, shape, out_tile, out_why);
    case TRI_ENC_PADDED_SHARED:
        *out_tile = buffer_start(rank, encoding->order);
        *out_tile = tri_tiles_grow(out_tile, TRI_DIM_OFFSET, shape);
        return true;
    case TRI_ENC_PARTITIONED_SHARED:
        *out_why = "partitioned_shared spreads one tensor over several buffers";
        return false;
    default:
        *out_why = "this layout does not describe shared memory";
        return false;
    }
}
