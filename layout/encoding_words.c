#include "layout/encoding_words.h"

#include <string.h>

#include "layout/encoding_fields.h"

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

static void visit_field(codec *c, const tri_field *f, tri_encoding *e)
{
    void *at = tri_encoding_field_at(f, e);
    switch (f->type) {
    case TRI_FIELD_FLAG:
    case TRI_FIELD_FORM:
        flag(c, at);
        break;
    case TRI_FIELD_BASES:
        bases(c, at, e->rank);
        break;
    case TRI_FIELD_INTERVALS:
        int_word(c, &e->padded.count);
        row(c, e->padded.interval, e->padded.count);
        row(c, e->padded.padding, e->padded.count);
        break;
    case TRI_FIELD_SHAPE:
        int_word(c, &e->instr_rank);
        row(c, at, e->instr_rank);
        break;
    case TRI_FIELD_PARENT:
    case TRI_FIELD_RANK: /* in front of the fields */
        break;
    default:
        row(c, at, tri_encoding_field_count(f, e));
    }
}

static void visit_encoding_words(codec *c, tri_encoding *e)
{
    int32_t kind = (int32_t)e->kind;
    word(c, &kind);
    e->kind = (tri_encoding_kind)kind;
    int_word(c, &e->rank);
    for (const tri_field *f = tri_encoding_row_of(e->kind)->fields; f->type; f++)
        if (tri_encoding_field_is_there(f, e))
            visit_field(c, f, e);
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

bool tri_encoding_equal(const tri_encoding *a, const tri_encoding *b)
{
    int32_t words[2][TRI_ENCODING_MAX_WORDS];
    if (a == b)
        return true;
    if (!a->parent != !b->parent || (a->parent && !tri_encoding_equal(a->parent, b->parent)))
        return false;
    size_t count = tri_encoding_words_write(a, words[0], TRI_ENCODING_MAX_WORDS);
    return tri_encoding_words_write(b, words[1], TRI_ENCODING_MAX_WORDS) == count &&
           memcmp(words[0], words[1], count * sizeof words[0][0]) == 0;
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
    case TRI_ENC_INTEL_BLOCK:
        out->lanes = e.block.threads_per_warp;
        return true;
    default:
        return false;
    }
}
