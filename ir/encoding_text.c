#include "ir/encoding_text.h"

#include <stdio.h>

#include "layout/encoding_fields.h"
#include "layout/tiles.h"
#include "mlir-c/BuiltinAttributes.h"

/* ---- printing ---- */

static void put_row(tri_buf *out, const char *name, const int32_t *values, int n)
{
    tri_buf_format(out, "%s = [", name);
    for (int i = 0; i < n; i++)
        tri_buf_format(out, "%s%d", i ? ", " : "", values[i]);
    tri_buf_add_char(out, ']');
}

static void put_bases(tri_buf *out, const char *name, const tri_bases *bases, int rank)
{
    tri_buf_format(out, "%s = [", name);
    for (int i = 0; i < bases->count; i++) {
        tri_buf_add_z(out, i ? ", [" : "[");
        for (int d = 0; d < rank; d++)
            tri_buf_format(out, "%s%d", d ? ", " : "", bases->at[i][d]);
        tri_buf_add_char(out, ']');
    }
    tri_buf_add_char(out, ']');
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static bool is_splat(const int32_t *values, int n, int32_t value)
{
    for (int i = 0; i < n; i++)
        if (values[i] != value)
            return false;
    return true;
}

/* How many parts a CGALayout makes of rows and of columns, where it counts parts of rows first: all that
 * CTASplitM and CTASplitN of Triton before 3.8 can say. */
static bool to_splits(const tri_bases *cga, int32_t out_splits[2])
{
    out_splits[0] = out_splits[1] = 1;
    for (int i = 0; i < cga->count; i++) {
        int d = cga->at[i][0] ? 0 : 1;
        if (cga->at[i][d] != out_splits[d] || cga->at[i][1 - d] || (d == 0 && out_splits[1] > 1))
            return false;
        out_splits[d] *= 2;
    }
    return true;
}

static void put_splits(tri_buf *out, const tri_encoding *e, bool is_first)
{
    static const char *const names[] = {"CTASplitM", "CTASplitN"};
    int32_t splits[2];
    to_splits(&e->cga, splits);
    for (int d = 0; d < 2; d++)
        if (splits[d] > 1) {
            tri_buf_format(out, "%s%s = %d", is_first ? "" : ", ", names[d], splits[d]);
            is_first = false;
        }
}

bool tri_encoding_text_is_in(const tri_encoding *e, unsigned release)
{
    const tri_layout_row *row = tri_encoding_row_of(e->kind);
    int32_t splits[2];
    return release >= row->since && (row->form != TRI_FORM_BARE || release >= 308 || to_splits(&e->cga, splits));
}

/* Is it more than what its absence says? */
static bool is_telling(const tri_field *f, const tri_encoding *e)
{
    const void *at = tri_encoding_field_at(f, (tri_encoding *)e);
    switch (f->type) {
    case TRI_FIELD_BASES:
        return ((const tri_bases *)at)->count != 0;
    case TRI_FIELD_FLAG:
        return *(const bool *)at != (f->absent != 0);
    case TRI_FIELD_TILE:
        return true;
    case TRI_FIELD_RANK: /* which CGALayout says too */
        return e->rank != f->absent && !e->cga.count;
    default:
        return !is_splat(at, tri_encoding_field_count(f, e), f->absent);
    }
}

static void put_value(tri_buf *out, const tri_field *f, const char *name, const tri_encoding *e)
{
    const void *at = tri_encoding_field_at(f, (tri_encoding *)e);
    switch (f->type) {
    case TRI_FIELD_FLAG:
        tri_buf_format(out, "%s = %s", name, truth(*(const bool *)at));
        break;
    case TRI_FIELD_INT:
    case TRI_FIELD_RANK:
        tri_buf_format(out, "%s = %d", name, *(const int32_t *)at);
        break;
    case TRI_FIELD_BASES:
        put_bases(out, name, at, e->rank);
        break;
    case TRI_FIELD_PARENT:
        tri_buf_format(out, "%s = %c", name, TRI_ENCODING_PARENT_MARK);
        break;
    case TRI_FIELD_TILE: {
        int32_t tile[TRI_MAX_RANK];
        tri_tiles_dpas_shape(e, f->absent, tile);
        put_row(out, name, tile, e->rank);
        break;
    }
    default:
        put_row(out, name, at, tri_encoding_field_count(f, e));
    }
}

static void put_fields(tri_buf *out, const tri_encoding *e, unsigned release)
{
    const tri_layout_row *row = tri_encoding_row_of(e->kind);
    size_t group = 0, start = out->len;
    for (const tri_field *f = row->fields; f->type; f++) {
        if (f->type == TRI_FIELD_INTERVALS || f->type == TRI_FIELD_TAIL || f->type == TRI_FIELD_FORM ||
            !tri_encoding_field_is_there(f, e) || (f->presence == TRI_FIELD_MAY && !is_telling(f, e)))
            continue;
        if (release && release < 308 && row->form == TRI_FORM_BARE && f->type == TRI_FIELD_BASES) {
            put_splits(out, e, out->len == start);
            continue;
        }
        const char *dot = strchr(f->name, '.');
        if (group && !dot)
            tri_buf_add_char(out, '}');
        if (out->len != start)
            tri_buf_add_z(out, ", ");
        if (dot && !group)
            tri_buf_format(out, "%.*s = {", (int)(dot - f->name), f->name);
        group = dot ? (size_t)(dot - f->name) + 1 : 0;
        put_value(out, f, f->name + group, e);
    }
    if (group)
        tri_buf_add_char(out, '}');
}

static void put_intervals(tri_buf *out, const tri_encoding *e)
{
    tri_buf_add_char(out, '[');
    for (int i = 0; i < e->padded.count; i++)
        tri_buf_format(out, "%s%d:+%d", i ? ", " : "", e->padded.interval[i], e->padded.padding[i]);
    tri_buf_add_z(out, "] ");
}

void tri_encoding_text_print(const tri_encoding *e, unsigned release, tri_buf *out)
{
    const tri_layout_row *row = tri_encoding_row_of(e->kind);
    bool is_bare = row->form == TRI_FORM_BARE;
    tri_buf_add_char(out, '<');
    if (row->form == TRI_FORM_PADDED)
        put_intervals(out, e);
    tri_buf_add_z(out, is_bare ? "" : "{");
    put_fields(out, e, release);
    tri_buf_add_z(out, is_bare ? "" : "}");
    for (const tri_field *f = row->fields; f->type; f++)
        if (f->type == TRI_FIELD_TAIL)
            tri_buf_format(out, ", %s = %d", f->name, *(const int32_t *)tri_encoding_field_at(f, (tri_encoding *)e));
    tri_buf_add_char(out, '>');
}

/* ---- parsing ---- */

const char *tri_encoding_text_parent_field(tri_encoding_kind kind)
{
    for (const tri_field *f = tri_encoding_row_of(kind)->fields; f->type; f++)
        if (f->type == TRI_FIELD_PARENT)
            return f->name;
    return NULL;
}

/* Fields are asked for one by one; what nobody asked for is unknown. The first mistake stays. */
typedef struct {
    MlirAttribute dictionary;
    tri_buf *error;
    bool failed;
    uint64_t used; /* bit i: entry i was asked for */
} reader;

static void fail_encoding_text(reader *r, const char *name, const char *what)
{
    if (!r->failed)
        tri_buf_format(r->error, "'%s' %s", name, what);
    r->failed = true;
}

/* Null when absent; absence is an error unless `is_optional`. */
static MlirAttribute find_encoding_text(reader *r, const char *name, bool is_optional)
{
    intptr_t n = mlirDictionaryAttrGetNumElements(r->dictionary);
    for (intptr_t i = 0; i < n && i < 64; i++) {
        MlirNamedAttribute entry = mlirDictionaryAttrGetElement(r->dictionary, i);
        MlirStringRef key = mlirIdentifierStr(entry.name);
        if (!tri_str_is((tri_str){key.data, key.length}, name))
            continue;
        r->used |= (uint64_t)1 << i;
        return entry.attribute;
    }
    if (!is_optional)
        fail_encoding_text(r, name, "is missing");
    return (MlirAttribute){NULL};
}

static bool to_int(MlirAttribute attr, int32_t *out)
{
    if (!mlirAttributeIsAInteger(attr))
        return false;
    int64_t value = mlirIntegerAttrGetValueInt(attr);
    *out = (int32_t)value;
    return value == *out;
}

static void get_int(reader *r, const char *name, int32_t *out, bool is_optional)
{
    MlirAttribute attr = find_encoding_text(r, name, is_optional);
    if (attr.ptr && !to_int(attr, out))
        fail_encoding_text(r, name, "must be an integer");
}

static void get_bool(reader *r, const char *name, bool *out, bool is_optional)
{
    MlirAttribute attr = find_encoding_text(r, name, is_optional);
    if (attr.ptr && !mlirAttributeIsABool(attr))
        fail_encoding_text(r, name, "must be true or false");
    else if (attr.ptr)
        *out = mlirBoolAttrGetValue(attr);
}

/* Returns the length; at most `max`. */
static int read_row(reader *r, const char *name, MlirAttribute attr, int32_t *out, int max)
{
    if (!attr.ptr)
        return 0;
    intptr_t n = mlirAttributeIsAArray(attr) ? mlirArrayAttrGetNumElements(attr) : -1;
    if (n < 0 || n > max) {
        fail_encoding_text(r, name, n < 0 ? "must be a list of integers" : "is too long");
        return 0;
    }
    for (intptr_t i = 0; i < n; i++)
        if (!to_int(mlirArrayAttrGetElement(attr, i), &out[i]))
            fail_encoding_text(r, name, "must be a list of integers");
    return (int)n;
}

/* A row of `*rank` numbers, which it sets when it is 0. */
static void get_row(reader *r, const char *name, int32_t *out, int *rank, bool is_optional)
{
    MlirAttribute attr = find_encoding_text(r, name, is_optional);
    if (!attr.ptr)
        return;
    int n = read_row(r, name, attr, out, TRI_MAX_RANK);
    if (!*rank)
        *rank = n;
    if (n != *rank)
        fail_encoding_text(r, name, "has another rank than the fields before it");
}

static void read_bases(reader *r, const char *name, MlirAttribute attr, tri_bases *out, int *rank)
{
    if (!attr.ptr)
        return;
    intptr_t n = mlirAttributeIsAArray(attr) ? mlirArrayAttrGetNumElements(attr) : -1;
    if (n < 0 || n > TRI_MAX_BASES) {
        fail_encoding_text(r, name, n < 0 ? "must be a list of bases" : "has too many bases");
        return;
    }
    out->count = (int)n;
    for (intptr_t i = 0; i < n; i++) {
        int len = read_row(r, name, mlirArrayAttrGetElement(attr, i), out->at[i], TRI_MAX_RANK);
        if (!*rank)
            *rank = len;
        if (len != *rank)
            fail_encoding_text(r, name, "has a basis of another rank");
    }
}

static void get_bases(reader *r, const char *name, tri_bases *out, int *rank, bool is_optional)
{
    read_bases(r, name, find_encoding_text(r, name, is_optional), out, rank);
}

/* How a tensor is spread over the blocks of a cluster: CGALayout, or the three fields that text of older
 * compilers has instead. Blocks are counted along CTAOrder; where they outnumber the parts of a
 * dimension, several hold the same part. */
static void get_cga(reader *r, tri_bases *out, int *rank)
{
    int32_t blocks[TRI_MAX_RANK] = {0}, parts[TRI_MAX_RANK] = {0}, order[TRI_MAX_RANK] = {0};
    get_bases(r, "CGALayout", out, rank, true);
    bool has_order = find_encoding_text(r, "CTAOrder", true).ptr;
    if (!find_encoding_text(r, "CTAsPerCGA", true).ptr && !find_encoding_text(r, "CTASplitNum", true).ptr && !has_order)
        return;
    get_row(r, "CTAsPerCGA", blocks, rank, false);
    get_row(r, "CTASplitNum", parts, rank, false);
    get_row(r, "CTAOrder", order, rank, false);
    for (int i = 0; i < *rank && !r->failed; i++) {
        int d = order[i];
        bool is_legal = d >= 0 && d < *rank && blocks[d] > 0 && parts[d] > 0 && blocks[d] % parts[d] == 0 &&
                        !(blocks[d] & (blocks[d] - 1)) && !(parts[d] & (parts[d] - 1));
        if (!is_legal)
            fail_encoding_text(r, "CTAsPerCGA", "does not fit CTASplitNum and CTAOrder");
        for (int at = 1; is_legal && at < blocks[d] && out->count < TRI_MAX_BASES; at *= 2) {
            memset(out->at[out->count], 0, sizeof out->at[0]);
            out->at[out->count++][d] = at < parts[d] ? at : 0;
        }
    }
}

/* Adds bases for `count` pieces, each `size` long, side by side along a dimension. */
static void add_pieces(reader *r, const char *name, tri_bases *out, int d, int32_t size, int32_t count)
{
    if (count < 1 || (count & (count - 1)) || size < 1 || size > INT32_MAX / 2 / count) {
        fail_encoding_text(r, name, "must hold powers of two");
        return;
    }
    for (int32_t at = 1; at < count; at *= 2) {
        if (out->count == TRI_MAX_BASES) {
            fail_encoding_text(r, name, "has too many bases");
            return;
        }
        memset(out->at[out->count], 0, sizeof out->at[0]);
        out->at[out->count++][d] = at * size;
    }
}

/* Triton before 3.8 has the parts of rows and columns of tensor memory. */
static void get_splits(reader *r, tri_encoding *e)
{
    int32_t rows = 1, columns = 1;
    get_int(r, "CTASplitM", &rows, true);
    get_int(r, "CTASplitN", &columns, true);
    if (rows * (int64_t)columns != 1 && find_encoding_text(r, "CGALayout", true).ptr)
        fail_encoding_text(r, "CGALayout", "stands beside CTASplitM or CTASplitN");
    add_pieces(r, "CTASplitM", &e->cga, 0, 1, rows);
    add_pieces(r, "CTASplitN", &e->cga, 1, 1, columns);
}

/* Triton 3.6 has rows of warps, and of the tiles of each warp, where later releases have bases of both. */
static void get_warps(reader *r, tri_encoding *e)
{
    int32_t warps[TRI_MAX_RANK] = {0}, tiles[TRI_MAX_RANK];
    for (int d = 0; d < TRI_MAX_RANK; d++)
        tiles[d] = 1;
    get_row(r, "warpsPerCTA", warps, &e->rank, false);
    get_row(r, "tilesPerWarp", tiles, &e->rank, true);
    for (int d = e->rank - 1; d >= 0; d--) {
        add_pieces(r, "tilesPerWarp", &e->amd.wmma_reg, d, 1, tiles[d]);
        add_pieces(r, "warpsPerCTA", &e->amd.wmma_warp, d, tiles[d], warps[d]);
    }
}

/* The C form keeps bases only when they are not simply the dimensions one after the other. */
static void simplify_padded(tri_encoding *e)
{
    bool seen[TRI_MAX_RANK] = {false};
    int found = 0, dim = -1;
    int32_t next = 1;
    for (int d = 0; d < e->rank; d++)
        e->padded.shape[d] = 1;
    for (int i = 0; i < e->padded.offset.count; i++) {
        const int32_t *basis = e->padded.offset.at[i];
        int at = -1;
        for (int d = 0; d < e->rank; d++)
            if (basis[d])
                at = at < 0 ? d : e->rank;
        if (at < 0 || at == e->rank)
            return;
        if (at != dim) {
            if (seen[at])
                return;
            seen[at] = true;
            e->order[found++] = dim = at;
            next = 1;
        }
        if (basis[at] != next)
            return;
        next *= 2;
        e->padded.shape[at] = next;
    }
    for (int d = e->rank - 1; d >= 0; d--)
        if (!seen[d])
            e->order[found++] = d;
    e->padded.has_bases = e->padded.block.count != 0;
}

static void set_absent(const tri_field *f, tri_encoding *out)
{
    int32_t *at = tri_encoding_field_at(f, out);
    int n = f->type == TRI_FIELD_ROW ? TRI_MAX_RANK : f->type == TRI_FIELD_THREE ? 3 : f->type == TRI_FIELD_INT;
    for (int i = 0; i < n; i++)
        at[i] = f->absent;
}

static void get_field(reader *r, const tri_field *f, const char *name, int parent_rank, tri_encoding *out)
{
    bool is_optional = f->presence == TRI_FIELD_MAY || f->presence == TRI_FIELD_SHOWN;
    int length = 3;
    void *at = tri_encoding_field_at(f, out);
    switch (f->type) {
    case TRI_FIELD_INT:
    case TRI_FIELD_RANK:
        get_int(r, name, at, is_optional);
        break;
    case TRI_FIELD_FLAG:
        get_bool(r, name, at, is_optional);
        break;
    case TRI_FIELD_ROW:
        get_row(r, name, at, &out->rank, is_optional);
        break;
    case TRI_FIELD_TILE:
        find_encoding_text(r, name, true);
        break;
    case TRI_FIELD_THREE:
        get_row(r, name, at, &length, is_optional);
        break;
    case TRI_FIELD_SHAPE:
        out->instr_rank = read_row(r, name, find_encoding_text(r, name, is_optional), at, length);
        break;
    case TRI_FIELD_BASES:
        get_bases(r, name, at, &out->rank, is_optional);
        break;
    case TRI_FIELD_PARENT:
        find_encoding_text(r, name, false);
        out->rank = out->kind == TRI_ENC_SLICE ? parent_rank - 1 : parent_rank;
        break;
    case TRI_FIELD_FORM:
        out->padded.has_bases = find_encoding_text(r, name, true).ptr != NULL;
        break;
    default:
        break;
    }
}

/* The fields that older text has in place of this one. */
static bool get_older(reader *r, const tri_field *f, tri_encoding *out)
{
    if (f->offset == offsetof(tri_encoding, cga)) {
        if (tri_encoding_row_of(out->kind)->form == TRI_FORM_BARE)
            get_splits(r, out);
        get_cga(r, &out->cga, &out->rank);
        return true;
    }
    if (out->kind != TRI_ENC_AMD_WMMA || !strchr(f->name, '.') || !find_encoding_text(r, "warpsPerCTA", true).ptr)
        return false;
    if (f->offset == offsetof(tri_encoding, amd.wmma_reg))
        get_warps(r, out);
    return true;
}

/* An unknown field is an error. */
static void check_all_used(reader *r)
{
    for (intptr_t i = 0; !r->failed && i < mlirDictionaryAttrGetNumElements(r->dictionary); i++)
        if (i >= 64 || !(r->used >> i & 1)) {
            MlirStringRef key = mlirIdentifierStr(mlirDictionaryAttrGetElement(r->dictionary, i).name);
            tri_buf_format(r->error, "unknown field '%.*s'", (int)key.length, key.data);
            r->failed = true;
        }
}

/* The dictionary that holds the field, which is `r`'s own but for names with a dot. */
static reader *open_group(reader *r, reader *group, const tri_field *f)
{
    char name[32];
    const char *dot = strchr(f->name, '.');
    if (!dot || group->dictionary.ptr || r->failed)
        return dot ? group : r;
    snprintf(name, sizeof name, "%.*s", (int)(dot - f->name), f->name);
    MlirAttribute inner = find_encoding_text(r, name, false);
    if (inner.ptr && !mlirAttributeIsADictionary(inner))
        fail_encoding_text(r, name, "must be a dictionary");
    *group = (reader){inner, r->error, r->failed, 0};
    return group;
}

bool tri_encoding_text_parse(tri_encoding_kind kind, MlirAttribute dictionary, int parent_rank, tri_encoding *out,
                             tri_buf *error)
{
    reader r = {dictionary, error, false, 0}, group = {.dictionary = {NULL}};
    const tri_layout_row *row = tri_encoding_row_of(kind);
    out->kind = kind;
    for (const tri_field *f = row->fields; f->type && !r.failed; f++) {
        const char *dot = strchr(f->name, '.');
        set_absent(f, out);
        if (!tri_encoding_field_is_there(f, out) || get_older(&r, f, out))
            continue;
        reader *from = open_group(&r, &group, f);
        if (!from->failed)
            get_field(from, f, dot ? dot + 1 : f->name, parent_rank, out);
        r.failed |= group.failed;
    }
    if (!out->rank)
        out->rank = row->rank;
    if (kind == TRI_ENC_PADDED_SHARED && out->padded.has_bases && !r.failed)
        simplify_padded(out);
    if (group.dictionary.ptr && !r.failed)
        check_all_used(&group);
    r.failed |= group.failed;
    check_all_used(&r);
    return !r.failed;
}
