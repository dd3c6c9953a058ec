#include "ir/encoding_words.h"

#include <string.h>

/* One walk over the fields serves both directions. */
typedef struct {
    int32_t *words;
    size_t at, cap;
    bool is_read;
} codec;

static void word(codec *c, int32_t *value)
{
    if (c->at < c->cap) {
        if (c->is_read)
            *value = c->words[c->at];
        else
            c->words[c->at] = *value;
    }
    c->at++;
}

static void int_word(codec *c, int *value)
{
    int32_t w = *value;
    word(c, &w);
    *value = w;
}

static void flag(codec *c, bool *value)
{
    int32_t w = *value;
    word(c, &w);
    *value = w != 0;
}

static void row(codec *c, int32_t *values, int n)
{
    for (int i = 0; i < n; i++)
        word(c, &values[i]);
}

static void bases(codec *c, tri_bases *b, int rank)
{
    int_word(c, &b->count);
    for (int i = 0; i < b->count; i++)
        row(c, b->at[i], rank);
}

static void visit_amd(codec *c, tri_encoding *e)
{
    int_word(c, &e->version_major);
    flag(c, &e->amd.is_transposed);
    word(c, &e->amd.element_bits);
    row(c, e->instr_shape, 3);
    if (e->kind == TRI_ENC_AMD_MFMA) {
        row(c, e->warps_per_cta, e->rank);
        row(c, e->amd.tiles_per_warp, e->rank);
    } else {
        bases(c, &e->amd.wmma_warp, e->rank);
        bases(c, &e->amd.wmma_reg, e->rank);
    }
}

static void visit_padded(codec *c, tri_encoding *e)
{
    int_word(c, &e->padded.count);
    row(c, e->padded.interval, e->padded.count);
    row(c, e->padded.padding, e->padded.count);
    flag(c, &e->padded.has_bases);
    if (e->padded.has_bases) {
        bases(c, &e->padded.offset, e->rank);
        bases(c, &e->padded.block, e->rank);
    } else {
        row(c, e->order, e->rank);
        row(c, e->padded.shape, e->rank);
    }
}

static void visit_distributed(codec *c, tri_encoding *e)
{
    switch (e->kind) {
    case TRI_ENC_BLOCKED:
        row(c, e->blocked.size_per_thread, e->rank);
        row(c, e->blocked.threads_per_warp, e->rank);
        row(c, e->warps_per_cta, e->rank);
        row(c, e->order, e->rank);
        break;
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        bases(c, &e->linear.reg, e->rank);
        bases(c, &e->linear.lane, e->rank);
        bases(c, &e->linear.warp, e->rank);
        bases(c, &e->linear.block, e->rank);
        break;
    case TRI_ENC_SLICE:
        word(c, &e->slice.dim);
        break;
    case TRI_ENC_DOT_OP:
        word(c, &e->dot_op.op_idx);
        word(c, &e->dot_op.k_width);
        break;
    case TRI_ENC_NVIDIA_MMA:
        int_word(c, &e->version_major);
        int_word(c, &e->version_minor);
        row(c, e->warps_per_cta, e->rank);
        int_word(c, &e->instr_rank);
        row(c, e->instr_shape, e->instr_rank);
        break;
    case TRI_ENC_INTEL_DPAS:
        word(c, &e->dpas.repeat_count);
        word(c, &e->dpas.systolic_depth);
        word(c, &e->dpas.execution_size);
        word(c, &e->dpas.ops_per_channel);
        word(c, &e->dpas.threads_per_warp);
        row(c, e->warps_per_cta, e->rank);
        row(c, e->dpas.rep_cluster, 2);
        break;
    default:
        break;
    }
}

static void visit_memory(codec *c, tri_encoding *e)
{
    switch (e->kind) {
    case TRI_ENC_SWIZZLED_SHARED:
    case TRI_ENC_AMD_ROTATING_SHARED:
        word(c, &e->swizzled.vec);
        word(c, &e->swizzled.per_phase);
        word(c, &e->swizzled.max_phase);
        row(c, e->order, e->rank);
        break;
    case TRI_ENC_NVMMA_SHARED:
        word(c, &e->nvmma.swizzle_bytes);
        word(c, &e->nvmma.element_bits);
        flag(c, &e->nvmma.is_transposed);
        flag(c, &e->nvmma.is_fp4_padded);
        break;
    case TRI_ENC_PADDED_SHARED:
        visit_padded(c, e);
        break;
    case TRI_ENC_SHARED_LINEAR:
        bases(c, &e->shared_linear.offset, e->rank);
        bases(c, &e->shared_linear.block, e->rank);
        word(c, &e->shared_linear.alignment);
        break;
    case TRI_ENC_PARTITIONED_SHARED:
        word(c, &e->partitioned.num_partitions);
        word(c, &e->partitioned.num_groups);
        word(c, &e->partitioned.partition_dim);
        break;
    case TRI_ENC_TENSOR_MEMORY:
    case TRI_ENC_TENSOR_MEMORY_SCALES:
        word(c, &e->tmem.block_m);
        word(c, &e->tmem.block_n);
        word(c, &e->tmem.col_stride);
        flag(c, &e->tmem.two_ctas);
        flag(c, &e->tmem.is_fp4_padded);
        break;
    default:
        break;
    }
}

static void visit_encoding_words(codec *c, tri_encoding *e)
{
    int32_t kind = (int32_t)e->kind;
    word(c, &kind);
    e->kind = (tri_encoding_kind)kind;
    int_word(c, &e->rank);
    if (e->kind == TRI_ENC_AMD_MFMA || e->kind == TRI_ENC_AMD_WMMA)
        visit_amd(c, e);
    visit_distributed(c, e);
    visit_memory(c, e);
    if (e->kind != TRI_ENC_SLICE && e->kind != TRI_ENC_DOT_OP && e->kind != TRI_ENC_LINEAR &&
        e->kind != TRI_ENC_GENERIC_LINEAR)
        bases(c, &e->cga, e->rank);
}

size_t tri_encoding_words_write(const tri_encoding *encoding, int32_t *words, size_t cap)
{
    codec c = {words, 0, cap, false};
    /* Not changed: the codec only reads the fields in this direction. */
    visit_encoding_words(&c, (tri_encoding *)encoding);
    return c.at;
}

void tri_encoding_words_read(const int32_t *words, size_t count, tri_encoding *out)
{
    codec c = {(int32_t *)words, 0, count, true};
    memset(out, 0, sizeof *out);
    visit_encoding_words(&c, out);
}

tri_encoding_kind tri_encoding_words_kind(const int32_t *words, size_t count)
{
    return count ? (tri_encoding_kind)words[0] : TRI_ENC_NONE;
}

int tri_encoding_words_rank(const int32_t *words, size_t count)
{
    return count > 1 ? words[1] : 0;
}

static int product(const int32_t *values, int n)
{
    int p = 1;
    for (int i = 0; i < n; i++)
        p *= values[i];
    return p;
}

bool tri_encoding_words_launch(const int32_t *words, size_t count, tri_launch_shape *out)
{
    tri_encoding e;
    tri_encoding_words_read(words, count, &e);
    *out = (tri_launch_shape){32, product(e.warps_per_cta, e.rank), 1 << e.cga.count};
    switch (e.kind) {
    case TRI_ENC_BLOCKED:
        out->lanes = product(e.blocked.threads_per_warp, e.rank);
        return true;
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        *out = (tri_launch_shape){1 << e.linear.lane.count, 1 << e.linear.warp.count, 1 << e.linear.block.count};
        return true;
    case TRI_ENC_NVIDIA_MMA:
        return true;
    case TRI_ENC_AMD_MFMA:
        out->lanes = 64;
        return true;
    case TRI_ENC_AMD_WMMA:
        out->warps = 1 << e.amd.wmma_warp.count;
        return true;
    case TRI_ENC_INTEL_DPAS:
        out->lanes = e.dpas.threads_per_warp;
        return true;
    default:
        return false;
    }
}
