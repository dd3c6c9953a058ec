#include "layout/convert.h"

#include "base/diag.h"
#include "layout/tiles.h"

static tri_dim dim_of(int d) { return (tri_dim)(TRI_DIM_0 + d); }

bool tri_convert_is_distributed(const tri_encoding *encoding)
{
    return encoding->kind >= TRI_ENC_BLOCKED && encoding->kind <= TRI_ENC_INTEL_WARP;
}

bool tri_convert_is_matrix(const tri_encoding *e)
{
    return e->kind >= TRI_ENC_NVIDIA_MMA && e->kind <= TRI_ENC_INTEL_BLOCK;
}

bool tri_convert_is_shared(const tri_encoding *encoding)
{
    return encoding->kind >= TRI_ENC_SWIZZLED_SHARED && encoding->kind <= TRI_ENC_AMD_ROTATING_SHARED;
}

/* The bases of the block index: of the encoding itself, or what remains of its parent's. */
static tri_bases blocks_of(const tri_encoding *e, int rank)
{
    tri_bases b;
    switch (e->kind) {
    case TRI_ENC_SLICE: {
        tri_bases p = blocks_of(e->parent, rank + 1);
        b.count = p.count;
        for (int i = 0; i < p.count; i++)
            for (int d = 0; d < rank; d++)
                b.at[i][d] = p.at[i][d < e->slice.dim ? d : d + 1];
        return b;
    }
    case TRI_ENC_DOT_OP:
        b = blocks_of(e->parent, rank);
        for (int i = 0; i < b.count; i++)
            b.at[i][e->dot_op.op_idx == 0 ? rank - 1 : rank - 2] = 0;
        return b;
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        return e->linear.block;
    case TRI_ENC_SHARED_LINEAR:
        return e->shared_linear.block;
    case TRI_ENC_PADDED_SHARED:
        return e->padded.has_bases ? e->padded.block : e->cga;
    default:
        return e->cga;
    }
}

static int bits_along(const tri_bases *bases, int d)
{
    int bits = 0;
    for (int i = 0; i < bases->count; i++)
        while (bases->at[i][d] >> bits)
            bits++;
    return bits;
}

void tri_convert_cta_split(const tri_encoding *encoding, int rank, int32_t *out_split)
{
    tri_bases b = blocks_of(encoding, rank);
    bool is_absolute = encoding->kind == TRI_ENC_LINEAR || encoding->kind == TRI_ENC_GENERIC_LINEAR ||
                       encoding->kind == TRI_ENC_SHARED_LINEAR ||
                       (encoding->kind == TRI_ENC_PADDED_SHARED && encoding->padded.has_bases);
    for (int d = 0; d < rank; d++) {
        out_split[d] = 1;
        /* Bases of the linear kinds are coordinates: each non-zero one halves a CTA's part. */
        for (int i = 0; is_absolute && i < b.count; i++)
            out_split[d] *= b.at[i][d] ? 2 : 1;
        if (!is_absolute)
            out_split[d] = 1 << bits_along(&b, d);
    }
}

void tri_convert_shape_per_cta(const tri_encoding *encoding, int rank, const int64_t *shape, int64_t *out_shape)
{
    int32_t split[TRI_MAX_RANK];
    tri_convert_cta_split(encoding, rank, split);
    for (int d = 0; d < rank; d++)
        out_shape[d] = shape[d] > split[d] ? shape[d] / split[d] : 1;
}

/* The whole tensor from the tile of one CTA: repeat, clip, then lay the CTAs side by side. */
static tri_linear combine(const tri_linear *tile, tri_dim grow_in, const tri_bases *blocks, int rank,
                          const int64_t *shape)
{
    tri_linear cga = tri_linear_empty();
    tri_linear_add_in(&cga, TRI_DIM_BLOCK);
    for (int d = 0; d < rank; d++)
        tri_linear_add_out(&cga, dim_of(d), bits_along(blocks, d));
    for (int i = 0; i < blocks->count; i++)
        tri_linear_add_coords(&cga, TRI_DIM_BLOCK, blocks->at[i]);
    cga = tri_tiles_clip(&cga, shape, -1);
    int64_t per_cta[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        per_cta[d] = shape[d] >> tri_linear_out_bits(&cga, dim_of(d));
    tri_linear l = tri_tiles_grow(tile, grow_in, per_cta);
    l = tri_tiles_clip(&l, per_cta, -1);
    l = tri_linear_product(&l, &cga);
    tri_dim outs[TRI_MAX_RANK];
    for (int d = 0; d < rank; d++)
        outs[d] = dim_of(d);
    return tri_linear_transpose_outs(&l, outs);
}

/* Dimensions by their first appearance in the bases of these inputs, the others after them in the
 * order of `rest` (null: last dimension first). */
static void first_seen_order(const tri_linear *l, int rank, int num_ins, const tri_dim *ins, const int32_t *rest,
                             int32_t *out_order)
{
    bool seen[TRI_MAX_RANK] = {false};
    int n = 0;
    for (int k = 0; k < num_ins; k++) {
        for (int j = 0; j < tri_linear_in_bits(l, ins[k]); j++) {
            for (int d = 0; d < rank; d++) {
                if (!seen[d] && tri_linear_basis_at(l, ins[k], j, dim_of(d))) {
                    seen[d] = true;
                    out_order[n++] = d;
                }
            }
        }
    }
    for (int i = 0; i < rank; i++) {
        int d = rest ? rest[i] : rank - 1 - i;
        if (!seen[d])
            out_order[n++] = d;
    }
}

static bool from_slice(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out, const char **out_why)
{
    int64_t parent_shape[TRI_MAX_RANK];
    tri_linear p;
    int dim = e->slice.dim;
    if (rank + 1 > TRI_MAX_RANK) {
        *out_why = "too many dimensions";
        return false;
    }
    for (int d = 0; d <= rank; d++)
        parent_shape[d] = d < dim ? shape[d] : d == dim ? 1 : shape[d - 1];
    if (!tri_convert_to_linear(e->parent, rank + 1, parent_shape, &p, out_why))
        return false;
    p = tri_linear_drop_out(&p, dim_of(dim));
    for (int d = dim; d < rank; d++)
        p = tri_linear_rename_out(&p, dim_of(d + 1), dim_of(d));
    *out = tri_linear_remove_zero_bases(&p, TRI_DIM_REGISTER);
    return true;
}

static const tri_dim register_ins[4] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP, TRI_DIM_BLOCK};
static const tri_dim buffer_ins[2] = {TRI_DIM_OFFSET, TRI_DIM_BLOCK};

/* The layout whose bases are listed, one list for each input, fitted to the shape. */
static tri_linear from_bases(int rank, const int64_t *shape, int num_ins, const tri_dim *ins,
                             const tri_bases *const *lists, int drop_in)
{
    tri_linear l = tri_linear_empty();
    for (int d = 0; d < rank; d++) {
        int bits = 0;
        for (int k = 0; k < num_ins; k++) {
            int b = bits_along(lists[k], d);
            bits = b > bits ? b : bits;
        }
        tri_linear_add_out(&l, dim_of(d), bits);
    }
    for (int k = 0; k < num_ins; k++) {
        tri_linear_add_in(&l, ins[k]);
        for (int i = 0; i < lists[k]->count; i++)
            tri_linear_add_coords(&l, ins[k], lists[k]->at[i]);
    }
    int32_t order[TRI_MAX_RANK];
    tri_dim outs[TRI_MAX_RANK];
    first_seen_order(&l, rank, num_ins, ins, NULL, order);
    for (int d = 0; d < rank; d++)
        outs[d] = dim_of(order[d]);
    l = tri_linear_transpose_outs(&l, outs);
    l = tri_tiles_grow(&l, ins[0], shape);
    l = tri_tiles_clip(&l, shape, drop_in);
    for (int d = 0; d < rank; d++)
        outs[d] = dim_of(d);
    return tri_linear_transpose_outs(&l, outs);
}

static bool from_given(const tri_encoding *e, int rank, const int64_t *shape, tri_linear *out)
{
    if (e->kind == TRI_ENC_LINEAR || e->kind == TRI_ENC_GENERIC_LINEAR) {
        const tri_bases *lists[4] = {&e->linear.reg, &e->linear.lane, &e->linear.warp, &e->linear.block};
        *out = from_bases(rank, shape, 4, register_ins, lists, TRI_DIM_REGISTER);
        return true;
    }
    if (e->kind == TRI_ENC_SHARED_LINEAR) {
        const tri_bases *lists[2] = {&e->shared_linear.offset, &e->shared_linear.block};
        *out = from_bases(rank, shape, 2, buffer_ins, lists, -1);
        return true;
    }
    if (e->kind == TRI_ENC_PADDED_SHARED && e->padded.has_bases) {
        const tri_bases *lists[2] = {&e->padded.offset, &e->padded.block};
        *out = from_bases(rank, shape, 2, buffer_ins, lists, -1);
        return true;
    }
    return false;
}

bool tri_convert_to_linear(const tri_encoding *encoding, int rank, const int64_t *shape, tri_linear *out_layout,
                           const char **out_why)
{
    const char *unused;
    out_why = out_why ? out_why : &unused;
    *out_why = "the shape needs 1 to 8 dimensions, each a power of two";
    if (rank < 1 || rank > TRI_MAX_RANK)
        return false;
    for (int d = 0; d < rank; d++)
        if (shape[d] < 1 || (shape[d] & (shape[d] - 1)))
            return false;
    if (encoding->kind == TRI_ENC_SLICE)
        return from_slice(encoding, rank, shape, out_layout, out_why);
    if (from_given(encoding, rank, shape, out_layout))
        return true;
    tri_linear tile;
    tri_bases blocks = blocks_of(encoding, rank);
    if (tri_convert_is_distributed(encoding)) {
        if (!tri_tiles_registers(encoding, rank, shape, &tile, out_why))
            return false;
        *out_layout = combine(&tile, TRI_DIM_REGISTER, &blocks, rank, shape);
        return true;
    }
    int64_t per_cta[TRI_MAX_RANK];
    tri_convert_shape_per_cta(encoding, rank, shape, per_cta);
    if (!tri_tiles_buffer(encoding, rank, per_cta, &tile, out_why))
        return false;
    *out_layout = combine(&tile, TRI_DIM_OFFSET, &blocks, rank, shape);
    return true;
}

static void to_bases(const tri_linear *l, tri_dim in, tri_bases *out)
{
    out->count = tri_linear_in_bits(l, in);
    for (int i = 0; i < out->count; i++)
        for (int d = 0; d < l->out.count; d++)
            out->at[i][d] = (int32_t)tri_linear_basis_at(l, in, i, dim_of(d));
}

tri_encoding tri_convert_from_linear(const tri_linear *layout)
{
    tri_encoding e = {.kind = TRI_ENC_LINEAR, .rank = layout->out.count};
    TRI_ASSERT(e.rank <= TRI_MAX_RANK);
    to_bases(layout, TRI_DIM_REGISTER, &e.linear.reg);
    to_bases(layout, TRI_DIM_LANE, &e.linear.lane);
    to_bases(layout, TRI_DIM_WARP, &e.linear.warp);
    to_bases(layout, TRI_DIM_BLOCK, &e.linear.block);
    /* `linear` proper moves along one dimension with each bit and is one to one where not zero. */
    for (int i = 0; i < layout->in.count; i++) {
        for (int j = 0; j < layout->in.bits[i]; j++) {
            uint64_t b = layout->basis[i][j];
            if (b & (b - 1))
                e.kind = TRI_ENC_GENERIC_LINEAR;
        }
    }
    return e;
}

bool tri_convert_same_layout(const tri_encoding *a, const tri_encoding *b, int rank, const int64_t *shape)
{
    tri_linear x, y;
    return tri_convert_to_linear(a, rank, shape, &x, NULL) && tri_convert_to_linear(b, rank, shape, &y, NULL) &&
           tri_linear_equal(&x, &y);
}

/* ---- choices ---- */

static int64_t clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

tri_encoding tri_convert_blocked_auto(int rank, const int64_t *shape, const int32_t *size_per_thread,
                                      const int32_t *order, int num_warps, int threads_per_warp)
{
    tri_encoding e = {.kind = TRI_ENC_BLOCKED, .rank = rank};
    int64_t threads = (int64_t)num_warps * threads_per_warp, lanes = threads_per_warp, warps = num_warps;
    int64_t lanes_used = 1, warps_used = 1;
    for (int i = 0; i < rank; i++) {
        int d = order[i];
        e.order[i] = d;
        e.blocked.size_per_thread[d] = size_per_thread[d];
        if (i == rank - 1) { /* what is left goes to the slowest dimension, wrapping or replicating */
            e.blocked.threads_per_warp[d] = (int32_t)(threads_per_warp / lanes_used);
            e.warps_per_cta[d] = (int32_t)(num_warps / warps_used);
            break;
        }
        int64_t fit = shape[d] / size_per_thread[d], t = clamp(threads, 1, fit > 1 ? fit : 1);
        e.blocked.threads_per_warp[d] = (int32_t)clamp(t, 1, lanes);
        e.warps_per_cta[d] = (int32_t)clamp(t / e.blocked.threads_per_warp[d], 1, warps);
        warps /= e.warps_per_cta[d];
        lanes /= e.blocked.threads_per_warp[d];
        threads /= t;
        lanes_used *= e.blocked.threads_per_warp[d];
        warps_used *= e.warps_per_cta[d];
    }
    return e;
}

static int64_t at_least_1(int64_t v) { return v < 1 ? 1 : v; }

/* AMD's: `vec` elements of K stay together, as one lane reads them; lines that are read at the same time (16) lie in
 * other banks. Where K is not what lies side by side reads are of single elements, but for gfx950's, which transpose.
 */
static void swizzle_for_amd(const tri_encoding *dot_op, int rank, const int64_t *shape, int element_bits,
                            bool is_k_inner, tri_encoding *out)
{
    enum { together = 16, bank_bits = 32, widest = 128 };
    const tri_encoding *parent = dot_op->parent;
    bool is_new = parent->kind == TRI_ENC_AMD_MFMA && parent->version_major == 4;
    int64_t vec = dot_op->dot_op.k_width, inner = shape[out->order[0]];
    if (rank != 2 || vec < 1 || (!is_k_inner && !(is_new && element_bits <= 16)))
        return;
    if (vec * element_bits > widest)
        vec = widest / element_bits;
    int64_t per_phase = at_least_1((is_new ? 64 : 32) * bank_bits / element_bits / inner);
    int64_t max_phase = together / per_phase < inner / vec ? together / per_phase : inner / vec;
    out->swizzled.vec = (int32_t)vec;
    out->swizzled.per_phase = (int32_t)per_phase;
    out->swizzled.max_phase = (int32_t)at_least_1(max_phase);
}

tri_encoding tri_convert_swizzle_for_dot(const tri_encoding *dot_op, int rank, const int64_t *shape,
                                         const int32_t *order, int element_bits, bool need_trans)
{
    tri_encoding e = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = rank, .cga = blocks_of(dot_op, rank)};
    memcpy(e.order, order, (size_t)rank * sizeof *order);
    e.swizzled.vec = e.swizzled.per_phase = e.swizzled.max_phase = 1;
    int64_t per_cta[TRI_MAX_RANK];
    tri_convert_shape_per_cta(dot_op, rank, shape, per_cta);
    int k_dim = dot_op->dot_op.op_idx == 0 ? rank - 1 : rank - 2;
    if (dot_op->parent->kind == TRI_ENC_AMD_MFMA || dot_op->parent->kind == TRI_ENC_AMD_WMMA)
        swizzle_for_amd(dot_op, rank, per_cta, element_bits, need_trans != (order[0] == k_dim), &e);
    if (dot_op->parent->kind != TRI_ENC_NVIDIA_MMA || dot_op->parent->version_major > 3)
        return e;
    int64_t per_phase = at_least_1(1024 / (element_bits * per_cta[order[0]]));
    /* A row of one 8 x 16 byte matrix along K, and the rows of that matrix. */
    int64_t vec = 4 * (int64_t)dot_op->dot_op.k_width, rows = element_bits == 64 ? 4 : 8, swap;
    if (need_trans != (order[0] != k_dim)) {
        swap = vec;
        vec = rows;
        rows = swap;
    }
    int64_t max_phase = at_least_1(rows < 1024 / (vec * element_bits) ? rows : 1024 / (vec * element_bits));
    e.swizzled.vec = (int32_t)vec;
    e.swizzled.per_phase = (int32_t)per_phase;
    e.swizzled.max_phase = (int32_t)at_least_1(max_phase / per_phase);
    return e;
}

tri_encoding tri_convert_nvmma_for(int rank, const int64_t *shape, const int32_t *order, int element_bits,
                                   bool fp4_padded, const tri_bases *cga)
{
    tri_encoding e = {.kind = TRI_ENC_NVMMA_SHARED, .rank = rank};
    if (cga)
        e.cga = *cga;
    int64_t per_cta[TRI_MAX_RANK], rows = 1;
    tri_convert_shape_per_cta(&e, rank, shape, per_cta);
    int64_t bytes = per_cta[order[0]] * element_bits / 8 * (fp4_padded ? 2 : 1);
    for (int i = 1; i < rank; i++)
        rows *= per_cta[order[i]];
    for (int width = 128; width >= 32 && rank > 1 && rows >= 8 && e.nvmma.swizzle_bytes == 0; width /= 2)
        if (bytes >= width && bytes % width == 0)
            e.nvmma.swizzle_bytes = width;
    e.nvmma.element_bits = element_bits;
    e.nvmma.is_fp4_padded = fp4_padded;
    e.nvmma.is_transposed = rank > 1 && order[0] == 0;
    return e;
}

/* ---- buffers ---- */

int64_t tri_convert_pad_offset(const tri_encoding *shared, int64_t offset)
{
    int64_t sum = offset;
    for (int i = 0; shared->kind == TRI_ENC_PADDED_SHARED && i < shared->padded.count; i++)
        sum += offset / shared->padded.interval[i] * shared->padded.padding[i];
    return sum;
}

int64_t tri_convert_buffer_elements(const tri_encoding *shared, int rank, const int64_t *shape)
{
    tri_linear l;
    const char *why;
    if (!tri_convert_to_linear(shared, rank, shape, &l, &why))
        TRI_BUG("a buffer without a layout: %s", why);
    /* The last element's place decides: no padding is needed after it. */
    return tri_convert_pad_offset(shared, tri_linear_in_size(&l, TRI_DIM_OFFSET) - 1) + 1;
}

void tri_convert_copy_box(const tri_encoding *shared, int rank, const int64_t *shape, int64_t *out_box)
{
    enum { LARGEST = 256 };
    for (int d = 0; d < rank; d++)
        out_box[d] = shape[d] > LARGEST ? LARGEST : shape[d];
    if (shared->nvmma.swizzle_bytes)
        out_box[rank - 1] = shared->nvmma.swizzle_bytes * 8 / shared->nvmma.element_bits;
}

int tri_convert_buffer_alignment(const tri_encoding *shared)
{
    if (shared->kind == TRI_ENC_NVMMA_SHARED && shared->nvmma.swizzle_bytes)
        return 128 * (shared->nvmma.swizzle_bytes / 16);
    if (shared->kind == TRI_ENC_NVMMA_SHARED)
        return 128;
    if (shared->kind == TRI_ENC_SHARED_LINEAR)
        return shared->shared_linear.alignment;
    return 16;
}

/* ---- queries ---- */

static tri_linear must_convert(const tri_encoding *encoding, int rank, const int64_t *shape)
{
    tri_linear l;
    const char *why;
    if (!tri_convert_to_linear(encoding, rank, shape, &l, &why))
        TRI_BUG("an encoding without a layout: %s", why);
    return l;
}

void tri_convert_order(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order)
{
    switch (encoding->kind) {
    case TRI_ENC_BLOCKED:
    case TRI_ENC_SWIZZLED_SHARED:
    case TRI_ENC_AMD_ROTATING_SHARED:
        memcpy(out_order, encoding->order, (size_t)rank * sizeof *out_order);
        return;
    case TRI_ENC_NVMMA_SHARED:
        for (int i = 0; i < rank; i++)
            out_order[i] = encoding->nvmma.is_transposed ? (rank - i) % rank : rank - 1 - i;
        return;
    default:
        break;
    }
    tri_linear l = must_convert(encoding, rank, shape);
    if (tri_convert_is_shared(encoding))
        first_seen_order(&l, rank, 2, buffer_ins, NULL, out_order);
    else
        first_seen_order(&l, rank, 4, register_ins, NULL, out_order);
}

static void order_of_dim(const tri_encoding *encoding, int rank, const int64_t *shape, tri_dim in, int32_t *out_order)
{
    int32_t order[TRI_MAX_RANK];
    tri_convert_order(encoding, rank, shape, order);
    tri_linear l = must_convert(encoding, rank, shape);
    first_seen_order(&l, rank, 1, &in, order, out_order);
}

void tri_convert_thread_order(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order)
{
    order_of_dim(encoding, rank, shape, TRI_DIM_LANE, out_order);
}

void tri_convert_warp_order(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order)
{
    order_of_dim(encoding, rank, shape, TRI_DIM_WARP, out_order);
}

void tri_convert_order_for_memory(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_order)
{
    int32_t threads[TRI_MAX_RANK];
    tri_linear l = must_convert(encoding, rank, shape);
    tri_convert_order(encoding, rank, shape, out_order);
    tri_convert_thread_order(encoding, rank, shape, threads);
    /* When each thread has one element along the threads' own fastest dimension, that dimension's
     * place among the registers means nothing. Four elements side by side, which registers of a transposed product of
     * mfma hold, are stored and read at once all the same. */
    if (encoding->kind == TRI_ENC_AMD_MFMA && encoding->amd.is_transposed)
        return;
    if (tri_linear_is_zero_between(&l, TRI_DIM_REGISTER, dim_of(threads[0])))
        memcpy(out_order, threads, (size_t)rank * sizeof *out_order);
}

int64_t tri_convert_elements_per_thread(const tri_encoding *encoding, int rank, const int64_t *shape)
{
    tri_linear l = must_convert(encoding, rank, shape);
    return tri_linear_in_size(&l, TRI_DIM_REGISTER);
}

void tri_convert_contig_per_thread(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_contig)
{
    tri_linear l = must_convert(encoding, rank, shape);
    for (int d = 0; d < rank; d++)
        out_contig[d] = 1;
    for (int j = 0; j < tri_linear_in_bits(&l, TRI_DIM_REGISTER); j++)
        for (int d = 0; d < rank; d++)
            if (tri_linear_basis_at(&l, TRI_DIM_REGISTER, j, dim_of(d)) == out_contig[d] &&
                tri_linear_basis(&l, TRI_DIM_REGISTER, j) ==
                    (uint64_t)out_contig[d] << tri_linear_out_shift(&l, dim_of(d)))
                out_contig[d] *= 2;
}

static void spread_convert(const tri_encoding *encoding, int rank, const int64_t *shape, tri_dim in,
                           int32_t *out_counts)
{
    tri_linear l = must_convert(encoding, rank, shape);
    for (int d = 0; d < rank; d++) {
        out_counts[d] = 1;
        for (int j = 0; j < tri_linear_in_bits(&l, in); j++)
            out_counts[d] *= tri_linear_basis_at(&l, in, j, dim_of(d)) ? 2 : 1;
    }
}

void tri_convert_threads_per_warp(const tri_encoding *encoding, int rank, const int64_t *shape, int32_t *out_threads)
{
    spread_convert(encoding, rank, shape, TRI_DIM_LANE, out_threads);
}

int tri_convert_num_warps(const tri_encoding *encoding)
{
    int n = 1;
    switch (encoding->kind) {
    case TRI_ENC_SLICE:
    case TRI_ENC_DOT_OP:
        return tri_convert_num_warps(encoding->parent);
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        return 1 << encoding->linear.warp.count;
    case TRI_ENC_AMD_WMMA:
        return 1 << encoding->amd.wmma_warp.count;
    default:
        for (int d = 0; d < encoding->rank; d++)
            n *= encoding->warps_per_cta[d] ? encoding->warps_per_cta[d] : 1;
        return n;
    }
}

int tri_convert_num_threads_per_warp(const tri_encoding *encoding)
{
    int n = 1;
    switch (encoding->kind) {
    case TRI_ENC_SLICE:
    case TRI_ENC_DOT_OP:
        return tri_convert_num_threads_per_warp(encoding->parent);
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        return 1 << encoding->linear.lane.count;
    case TRI_ENC_BLOCKED:
    case TRI_ENC_INTEL_WARP:
        for (int d = 0; d < encoding->rank; d++)
            n *= encoding->blocked.threads_per_warp[d];
        return n;
    case TRI_ENC_AMD_MFMA:
        return 64;
    case TRI_ENC_INTEL_DPAS:
        return encoding->dpas.threads_per_warp;
    case TRI_ENC_INTEL_BLOCK:
        return encoding->block.threads_per_warp;
    default:
        return 32;
    }
}
