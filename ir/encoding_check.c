/* The rules a layout attribute must keep by itself, whatever tensor carries it. */
#include "ir/encoding_text.h"

#include "layout/encoding_fields.h"

static bool is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool all_powers(tri_buf *error, const char *name, const int32_t *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_power(values[i])) {
            tri_buf_format(error, "'%s' must hold powers of two, but has %d", name, values[i]);
            return false;
        }
    return true;
}

static bool is_order(tri_buf *error, const int32_t *order, int rank)
{
    uint32_t seen = 0;
    for (int i = 0; i < rank; i++)
        if (order[i] >= 0 && order[i] < rank)
            seen |= 1u << order[i];
    if (seen == (1u << rank) - 1)
        return true;
    tri_buf_add_z(error, "'order' must be a permutation of the dimensions");
    return false;
}

static bool says(tri_buf *error, bool ok, const char *text)
{
    if (!ok)
        tri_buf_add_z(error, text);
    return ok;
}

/* Each basis a power of two along at most one dimension, no two alike. */
static bool check_distinct(const tri_encoding *e, tri_buf *error, int n, const tri_bases *const *parts,
                           uint64_t *out_reached)
{
    uint64_t own[TRI_MAX_RANK] = {0}, *seen = out_reached ? out_reached : own;
    for (int p = 0; p < n; p++)
        for (int i = 0; i < parts[p]->count; i++) {
            int dims = 0;
            for (int d = 0; d < e->rank; d++) {
                int32_t v = parts[p]->at[i][d];
                if (!v)
                    continue;
                dims++;
                if (!is_power(v) || (seen[d] & (uint64_t)v))
                    return says(error, false, "bases must be different powers of two");
                seen[d] |= (uint64_t)v;
            }
            if (dims > 1)
                return says(error, false, "a basis moves along more than one dimension (use generic_linear)");
        }
    return true;
}

/* The same, and they reach every element: a bijection but for zeros. */
static bool check_permutation(const tri_encoding *e, tri_buf *error, int n, const tri_bases *const *parts)
{
    uint64_t seen[TRI_MAX_RANK] = {0};
    if (!check_distinct(e, error, n, parts, seen))
        return false;
    for (int d = 0; d < e->rank; d++)
        if (seen[d] & (seen[d] + 1))
            return says(error, false, "the bases do not reach every element");
    return true;
}

static bool check_linear(const tri_encoding *e, tri_buf *error)
{
    const tri_bases *parts[] = {&e->linear.reg, &e->linear.lane, &e->linear.warp, &e->linear.block};
    return check_permutation(e, error, 4, parts);
}

static bool check_partitioned(const tri_encoding *e, tri_buf *error)
{
    bool is_buffer = e->parent && e->parent->kind >= TRI_ENC_SWIZZLED_SHARED &&
                     e->parent->kind <= TRI_ENC_AMD_ROTATING_SHARED && e->parent->kind != TRI_ENC_PARTITIONED_SHARED;
    return says(error, is_buffer, "'partitionLayout' must be a layout of shared memory, in one piece") &&
           says(error, e->partitioned.num_partitions >= 2, "'numPartitions' must be at least 2") &&
           says(error, e->partitioned.partition_dim >= 0 && e->partitioned.partition_dim < e->rank,
                "'partitionDim' is not a dimension of the layout");
}

static bool of_products(const tri_encoding *e)
{
    return e->kind == TRI_ENC_NVIDIA_MMA || e->kind == TRI_ENC_AMD_MFMA || e->kind == TRI_ENC_AMD_WMMA ||
           e->kind == TRI_ENC_INTEL_DPAS || e->kind == TRI_ENC_DOT_OP;
}

static bool check_dot_op(const tri_encoding *e, tri_buf *error)
{
    const tri_encoding *p = e->parent;
    int32_t k = e->dot_op.k_width;
    if (!says(error, e->dot_op.op_idx == 0 || e->dot_op.op_idx == 1, "'opIdx' must be 0 or 1") ||
        !says(error, k == 0 || is_power(k), "'kWidth' must be a power of two"))
        return false;
    switch (p->kind) {
    case TRI_ENC_NVIDIA_MMA: {
        bool needs = p->version_major == 2 || p->version_major == 3;
        if (!says(error, !needs || k > 0, "'kWidth' is required for this parent") ||
            !says(error, needs || k == 0, "'kWidth' is not allowed for this parent"))
            return false;
        return says(error, p->version_major != 3 || e->dot_op.op_idx == 0,
                    "'opIdx' must be 0 when the parent is a Hopper mma");
    }
    case TRI_ENC_AMD_WMMA:
        if (p->version_major == 1)
            return says(error, k == 8 || k == 16, "'kWidth' must be 8 or 16 for wmma version 1");
        if (p->version_major == 2)
            return says(error, k == 4 || k == 8 || k == 16, "'kWidth' must be 4, 8 or 16 for wmma version 2");
        return says(error, k > 0, "'kWidth' is required for this parent");
    case TRI_ENC_AMD_MFMA:
        return says(error, k > 0, "'kWidth' is required for this parent");
    case TRI_ENC_INTEL_DPAS: {
        /* of A, whose rows are as deep as the array, a lane has a word of 32 bits, or of 16 where those are shared */
        int32_t words = p->dpas.systolic_depth * (p->dpas.ops_per_channel == 1 ? 1 : 2);
        return says(error, k > 0, "'kWidth' is required for this parent") &&
               says(error, e->dot_op.op_idx == 1 || p->dpas.repeat_count * words >= p->dpas.threads_per_warp,
                    "the parent's operand a has fewer words than a sub-group has lanes");
    }
    case TRI_ENC_BLOCKED:
        return says(error, k == 0, "'kWidth' is not allowed for a blocked parent");
    default:
        return says(error, false, "the parent of dot_op must be a blocked or a matrix layout");
    }
}

/* Every element of a CTA has its place; CTAs may hold the same elements. */
static bool check_padded_bases(const tri_encoding *e, tri_buf *error)
{
    const tri_bases *offset = &e->padded.offset, *block = &e->padded.block;
    for (int i = 0; i < offset->count; i++) {
        int64_t sum = 0;
        for (int d = 0; d < e->rank; d++)
            sum += offset->at[i][d];
        if (!says(error, sum != 0, "a basis of the offset must not be zero"))
            return false;
    }
    for (int i = 0; i < block->count; i++) {
        int64_t sum = 0;
        for (int d = 0; d < e->rank; d++)
            sum += block->at[i][d];
        if (sum != 0 && !says(error, is_power(sum), "a basis of the block must be a power of two along one dimension"))
            return false;
    }
    return check_distinct(e, error, 1, &offset, NULL);
}

static bool check_padded(const tri_encoding *e, tri_buf *error)
{
    if (!says(error, e->padded.count > 0, "needs at least one interval"))
        return false;
    if (!all_powers(error, "interval", e->padded.interval, e->padded.count) ||
        !all_powers(error, "padding", e->padded.padding, e->padded.count))
        return false;
    for (int i = 1; i < e->padded.count; i++)
        if (!says(error, e->padded.interval[i] > e->padded.interval[i - 1], "intervals must grow"))
            return false;
    return !e->padded.has_bases || check_padded_bases(e, error);
}

static bool check_nvmma(const tri_encoding *e, tri_buf *error)
{
    int32_t s = e->nvmma.swizzle_bytes, b = e->nvmma.element_bits;
    return says(error, s == 0 || s == 32 || s == 64 || s == 128, "'swizzlingByteWidth' must be 0, 32, 64 or 128") &&
           says(error, b == 8 || b == 16 || b == 32 || b == 64, "'elementBitWidth' must be 8, 16, 32 or 64") &&
           says(error, !e->nvmma.is_fp4_padded || b == 8, "'fp4Padded' needs 8-bit elements");
}

static bool check_mma(const tri_encoding *e, tri_buf *error)
{
    if (!says(error, e->version_major >= 1 && e->version_major <= 5, "'versionMajor' must be 1 to 5"))
        return false;
    if (e->version_major == 3)
        return says(error, e->instr_rank == 3, "'instrShape' must be [m, n, k] for version 3");
    return says(error, e->instr_rank == e->rank || e->instr_rank == 2 || e->instr_rank == 3,
                "'instrShape' has another rank than 'warpsPerCTA'");
}

static bool check_tensor_memory(const tri_encoding *e, tri_buf *error)
{
    if (!says(error, e->rank == 2, "has more than rows and columns") || e->kind == TRI_ENC_TENSOR_MEMORY_SCALES)
        return e->rank == 2;
    return says(error, e->tmem.block_m == 64 || e->tmem.block_m == 128, "'blockM' must be 64 or 128") &&
           says(error, e->tmem.col_stride <= 4, "'colStride' must be 1, 2 or 4") &&
           says(error, !e->tmem.is_fp4_padded || e->tmem.col_stride == 1, "'fp4Padded' needs 'colStride' 1");
}

/* All are 16 by 16; what varies is the depth. */
static bool check_wmma(const tri_encoding *e, tri_buf *error)
{
    int32_t k = e->instr_shape[2];
    bool ok = e->instr_shape[0] == 16 && e->instr_shape[1] == 16;
    if (!says(error, e->version_major >= 1 && e->version_major <= 3, "'version' must be 1 to 3"))
        return false;
    if (e->version_major == 1)
        return says(error, ok && k == 16, "'instrShape' must be [16, 16, 16] for version 1");
    if (e->version_major == 2)
        return says(error, ok && (k == 16 || k == 32), "'instrShape' must be [16, 16, 16 or 32] for version 2");
    return says(error, ok && (k == 4 || k == 32 || k == 64 || k == 128),
                "'instrShape' must be [16, 16, 4, 32, 64 or 128] for version 3");
}

static bool check_mfma(const tri_encoding *e, tri_buf *error)
{
    int32_t m = e->instr_shape[0], n = e->instr_shape[1];
    if (!says(error, (m == n && (m == 32 || m == 16)) || (m == 64 && n == 4) || (m == 4 && n == 64),
              "'instrShape' must begin with 32, 32 or 16, 16 or 64, 4 or 4, 64"))
        return false;
    return says(error, e->version_major >= 1 && e->version_major <= 4, "'version' must be 1 to 4") &&
           says(error, e->amd.element_bits == 32 || e->amd.element_bits == 64, "'elementBitWidth' must be 32 or 64");
}

static bool check_dpas(const tri_encoding *e, tri_buf *error)
{
    int32_t rows = e->dpas.repeat_count, ops = e->dpas.ops_per_channel;
    return says(error, rows >= 1 && rows <= 8, "'repeatCount' must be 1 to 8") &&
           says(error, e->dpas.systolic_depth == 8, "'systolicDepth' must be 8") &&
           says(error, ops == 1 || ops == 2 || ops == 4, "'opsPerChan' must be 1, 2 or 4") &&
           says(error, e->dpas.execution_size >= 1 && e->dpas.threads_per_warp >= e->dpas.execution_size,
                "'threadsPerWarp' must not be less than 'executionSize'") &&
           says(error, !e->dpas.fp4_k_pack || (e->dpas.fp4_k_pack == 2 && ops == 4),
                "'fp4KPack' must be 2, and 'opsPerChan' 4 with it");
}

static bool check_intel_block(const tri_encoding *e, tri_buf *error)
{
    int32_t k = e->block.k_width;
    return says(error, e->rank == 2 && e->instr_rank == 2, "needs two dimensions, and an 'instrShape' of two") &&
           says(error, k == 1 || k == 2 || k == 4, "'kWidth' must be 1, 2 or 4") &&
           says(error, e->block.threads_per_warp == 16, "'threadsPerWarp' must be 16");
}

static bool check_field(const tri_field *f, const tri_encoding *e, tri_buf *error)
{
    const int32_t *at = tri_encoding_field_at(f, (tri_encoding *)e);
    if (f->rule == TRI_FIELD_ANY || !tri_encoding_field_is_there(f, e))
        return true;
    return f->rule == TRI_FIELD_ORDER ? is_order(error, at, e->rank)
                                      : all_powers(error, f->name, at, tri_encoding_field_count(f, e));
}

/* What rows can not say: rules between fields. */
static bool check_kind(const tri_encoding *e, tri_buf *error)
{
    switch (e->kind) {
    case TRI_ENC_LINEAR:
        return check_linear(e, error);
    case TRI_ENC_SLICE:
        return says(error, e->parent->rank >= 2, "the parent must have at least two dimensions") &&
               says(error, e->slice.dim >= 0 && e->slice.dim < e->parent->rank,
                    "'dim' is not a dimension of the parent");
    case TRI_ENC_DOT_OP:
        return check_dot_op(e, error);
    case TRI_ENC_NVIDIA_MMA:
        return check_mma(e, error);
    case TRI_ENC_AMD_MFMA:
        return check_mfma(e, error);
    case TRI_ENC_AMD_WMMA:
        return check_wmma(e, error);
    case TRI_ENC_INTEL_DPAS:
        return check_dpas(e, error);
    case TRI_ENC_INTEL_BLOCK:
        return check_intel_block(e, error);
    case TRI_ENC_NVMMA_SHARED:
        return check_nvmma(e, error);
    case TRI_ENC_PADDED_SHARED:
        return check_padded(e, error);
    case TRI_ENC_PARTITIONED_SHARED:
        return check_partitioned(e, error);
    case TRI_ENC_TENSOR_MEMORY:
    case TRI_ENC_TENSOR_MEMORY_SCALES:
        return check_tensor_memory(e, error);
    default:
        return true;
    }
}

bool tri_encoding_text_check(const tri_encoding *encoding, tri_buf *error)
{
    if (!says(error, encoding->rank >= 1, "needs at least one dimension"))
        return false;
    const tri_bases *cga = &encoding->cga;
    if (cga->count && !check_permutation(encoding, error, 1, &cga))
        return false;
    for (const tri_field *f = tri_encoding_row_of(encoding->kind)->fields; f->type; f++)
        if (!check_field(f, encoding, error))
            return false;
    bool has_rank = !of_products(encoding) || encoding->rank == 2 || encoding->rank == 3;
    return says(error, has_rank, "needs two or three dimensions") && check_kind(encoding, error);
}
