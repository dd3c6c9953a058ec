#include "ir/encoding_text.h"

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

static void put_cga(tri_buf *out, const tri_encoding *e)
{
    if (!e->cga.count)
        return;
    tri_buf_add_z(out, ", ");
    put_bases(out, "CGALayout", &e->cga, e->rank);
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

static void print_amd(const tri_encoding *e, tri_buf *out)
{
    tri_buf_format(out, "<{version = %d, ", e->version_major);
    if (e->kind == TRI_ENC_AMD_MFMA) {
        put_row(out, "warpsPerCTA", e->warps_per_cta, e->rank);
        tri_buf_add_z(out, ", ");
        put_row(out, "instrShape", e->instr_shape, 3);
        tri_buf_format(out, ", isTransposed = %s", truth(e->amd.is_transposed));
        put_cga(out, e);
        if (!is_splat(e->amd.tiles_per_warp, e->rank, 1)) {
            tri_buf_add_z(out, ", ");
            put_row(out, "tilesPerWarp", e->amd.tiles_per_warp, e->rank);
        }
        if (e->amd.element_bits != 32)
            tri_buf_format(out, ", elementBitWidth = %d", e->amd.element_bits);
    } else {
        tri_buf_format(out, "isTranspose = %s, ctaLayout = {", truth(e->amd.is_transposed));
        if (e->amd.wmma_reg.count) {
            put_bases(out, "register", &e->amd.wmma_reg, e->rank);
            tri_buf_add_z(out, ", ");
        }
        put_bases(out, "warp", &e->amd.wmma_warp, e->rank);
        tri_buf_add_char(out, '}');
        put_cga(out, e);
        if (!is_splat(e->instr_shape, 3, 16)) {
            tri_buf_add_z(out, ", ");
            put_row(out, "instrShape", e->instr_shape, 3);
        }
    }
    tri_buf_add_z(out, "}>");
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

bool tri_encoding_text_is_in(const tri_encoding *e, unsigned release)
{
    int32_t splits[2];
    if (e->kind == TRI_ENC_TENSOR_MEMORY || e->kind == TRI_ENC_TENSOR_MEMORY_SCALES)
        return release >= 308 || to_splits(&e->cga, splits);
    if (e->kind == TRI_ENC_AMD_WMMA)
        return release >= 307;
    return e->kind != TRI_ENC_GENERIC_LINEAR || release >= 308;
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

static void print_distributed(const tri_encoding *e, tri_buf *out)
{
    switch (e->kind) {
    case TRI_ENC_BLOCKED:
        tri_buf_add_z(out, "<{");
        put_row(out, "sizePerThread", e->blocked.size_per_thread, e->rank);
        tri_buf_add_z(out, ", ");
        put_row(out, "threadsPerWarp", e->blocked.threads_per_warp, e->rank);
        tri_buf_add_z(out, ", ");
        put_row(out, "warpsPerCTA", e->warps_per_cta, e->rank);
        tri_buf_add_z(out, ", ");
        put_row(out, "order", e->order, e->rank);
        put_cga(out, e);
        break;
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        tri_buf_add_z(out, "<{");
        put_bases(out, "register", &e->linear.reg, e->rank);
        tri_buf_add_z(out, ", ");
        put_bases(out, "lane", &e->linear.lane, e->rank);
        tri_buf_add_z(out, ", ");
        put_bases(out, "warp", &e->linear.warp, e->rank);
        tri_buf_add_z(out, ", ");
        put_bases(out, "block", &e->linear.block, e->rank);
        break;
    case TRI_ENC_SLICE:
        tri_buf_format(out, "<{dim = %d, parent = %c", e->slice.dim, TRI_ENCODING_PARENT_MARK);
        break;
    case TRI_ENC_DOT_OP:
        tri_buf_format(out, "<{opIdx = %d, parent = %c", e->dot_op.op_idx, TRI_ENCODING_PARENT_MARK);
        if (e->dot_op.k_width)
            tri_buf_format(out, ", kWidth = %d", e->dot_op.k_width);
        break;
    case TRI_ENC_NVIDIA_MMA:
        tri_buf_format(out, "<{versionMajor = %d, versionMinor = %d, ", e->version_major, e->version_minor);
        put_row(out, "warpsPerCTA", e->warps_per_cta, e->rank);
        put_cga(out, e);
        tri_buf_add_z(out, ", ");
        put_row(out, "instrShape", e->instr_shape, e->instr_rank);
        break;
    case TRI_ENC_INTEL_DPAS:
        tri_buf_format(
            out, "<{repeatCount = %d, systolicDepth = %d, executionSize = %d, opsPerChan = %d, threadsPerWarp = %d, ",
            e->dpas.repeat_count, e->dpas.systolic_depth, e->dpas.execution_size, e->dpas.ops_per_channel,
            e->dpas.threads_per_warp);
        put_row(out, "warpsPerCTA", e->warps_per_cta, e->rank);
        tri_buf_add_z(out, ", ");
        put_row(out, "repCluster", e->dpas.rep_cluster, 2);
        break;
    default:
        return;
    }
    tri_buf_add_z(out, "}>");
}

static void print_padded(const tri_encoding *e, tri_buf *out)
{
    tri_buf_add_z(out, "<[");
    for (int i = 0; i < e->padded.count; i++)
        tri_buf_format(out, "%s%d:+%d", i ? ", " : "", e->padded.interval[i], e->padded.padding[i]);
    tri_buf_add_z(out, "] {");
    if (e->padded.has_bases) {
        put_bases(out, "offset", &e->padded.offset, e->rank);
        tri_buf_add_z(out, ", ");
        put_bases(out, "block", &e->padded.block, e->rank);
    } else {
        put_row(out, "order", e->order, e->rank);
        tri_buf_add_z(out, ", ");
        put_row(out, "shape", e->padded.shape, e->rank);
        put_cga(out, e);
    }
    tri_buf_add_z(out, "}>");
}

static void print_tensor_memory(const tri_encoding *e, unsigned release, tri_buf *out)
{
    bool is_scales = e->kind == TRI_ENC_TENSOR_MEMORY_SCALES;
    tri_buf_add_char(out, '<');
    if (!is_scales)
        tri_buf_format(out, "blockM = %d, blockN = %d, colStride = %d", e->tmem.block_m, e->tmem.block_n,
                       e->tmem.col_stride);
    if (release && release < 308) {
        put_splits(out, e, is_scales);
    } else if (e->cga.count) {
        tri_buf_add_z(out, is_scales ? "" : ", ");
        put_bases(out, "CGALayout", &e->cga, e->rank);
    }
    tri_buf_add_z(out, e->tmem.two_ctas ? ", twoCTAs = true" : "");
    tri_buf_add_z(out, e->tmem.is_fp4_padded ? ", fp4Padded = true" : "");
    tri_buf_add_char(out, '>');
}

void tri_encoding_text_print(const tri_encoding *e, unsigned release, tri_buf *out)
{
    switch (e->kind) {
    case TRI_ENC_AMD_MFMA:
    case TRI_ENC_AMD_WMMA:
        print_amd(e, out);
        return;
    case TRI_ENC_SWIZZLED_SHARED:
    case TRI_ENC_AMD_ROTATING_SHARED:
        tri_buf_format(out, "<{vec = %d, perPhase = %d, maxPhase = %d, ", e->swizzled.vec, e->swizzled.per_phase,
                       e->swizzled.max_phase);
        put_row(out, "order", e->order, e->rank);
        put_cga(out, e);
        tri_buf_add_z(out, "}>");
        return;
    case TRI_ENC_NVMMA_SHARED:
        tri_buf_format(out, "<{swizzlingByteWidth = %d, transposed = %s, elementBitWidth = %d", e->nvmma.swizzle_bytes,
                       truth(e->nvmma.is_transposed), e->nvmma.element_bits);
        tri_buf_add_z(out, e->nvmma.is_fp4_padded ? ", fp4Padded = true" : "");
        if (e->rank != 2 && !e->cga.count)
            tri_buf_format(out, ", rank = %d", e->rank);
        put_cga(out, e);
        tri_buf_add_z(out, "}>");
        return;
    case TRI_ENC_PADDED_SHARED:
        print_padded(e, out);
        return;
    case TRI_ENC_SHARED_LINEAR:
        tri_buf_add_z(out, "<{");
        put_bases(out, "offset", &e->shared_linear.offset, e->rank);
        if (e->shared_linear.block.count) {
            tri_buf_add_z(out, ", ");
            put_bases(out, "block", &e->shared_linear.block, e->rank);
        }
        tri_buf_format(out, "}, alignment = %d>", e->shared_linear.alignment);
        return;
    case TRI_ENC_PARTITIONED_SHARED:
        tri_buf_format(out, "<{numPartitions = %d, numGroups = %d, partitionDim = %d, partitionLayout = %c}>",
                       e->partitioned.num_partitions, e->partitioned.num_groups, e->partitioned.partition_dim,
                       TRI_ENCODING_PARENT_MARK);
        return;
    case TRI_ENC_TENSOR_MEMORY:
    case TRI_ENC_TENSOR_MEMORY_SCALES:
        print_tensor_memory(e, release, out);
        return;
    default:
        print_distributed(e, out);
        return;
    }
}

/* ---- parsing ---- */

const char *tri_encoding_text_parent_field(tri_encoding_kind kind)
{
    switch (kind) {
    case TRI_ENC_SLICE:
    case TRI_ENC_DOT_OP:
        return "parent";
    case TRI_ENC_PARTITIONED_SHARED:
        return "partitionLayout";
    default:
        return NULL;
    }
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

static void parse_amd(reader *r, tri_encoding *e)
{
    int three = 3;
    get_int(r, "version", &e->version_major, false);
    for (int i = 0; i < TRI_MAX_RANK; i++)
        e->amd.tiles_per_warp[i] = 1;
    e->amd.element_bits = 32;
    e->instr_rank = 3;
    if (e->kind == TRI_ENC_AMD_MFMA) {
        get_row(r, "warpsPerCTA", e->warps_per_cta, &e->rank, false);
        get_row(r, "instrShape", e->instr_shape, &three, false);
        get_bool(r, "isTransposed", &e->amd.is_transposed, false);
        get_row(r, "tilesPerWarp", e->amd.tiles_per_warp, &e->rank, true);
        get_int(r, "elementBitWidth", &e->amd.element_bits, true);
        return;
    }
    e->instr_shape[0] = e->instr_shape[1] = e->instr_shape[2] = 16;
    get_bool(r, "isTranspose", &e->amd.is_transposed, true);
    get_row(r, "instrShape", e->instr_shape, &three, true);
    if (find_encoding_text(r, "warpsPerCTA", true).ptr) {
        get_warps(r, e);
        return;
    }
    MlirAttribute cta = find_encoding_text(r, "ctaLayout", false);
    if (!cta.ptr || !mlirAttributeIsADictionary(cta)) {
        fail_encoding_text(r, "ctaLayout", "must be a dictionary");
        return;
    }
    reader inner = {cta, r->error, false, 0};
    get_bases(&inner, "warp", &e->amd.wmma_warp, &e->rank, false);
    get_bases(&inner, "register", &e->amd.wmma_reg, &e->rank, true);
    r->failed |= inner.failed;
    if (!e->rank)
        e->rank = 2;
}

static void parse_distributed(reader *r, int parent_rank, tri_encoding *e)
{
    switch (e->kind) {
    case TRI_ENC_BLOCKED:
        get_row(r, "sizePerThread", e->blocked.size_per_thread, &e->rank, false);
        get_row(r, "threadsPerWarp", e->blocked.threads_per_warp, &e->rank, false);
        get_row(r, "warpsPerCTA", e->warps_per_cta, &e->rank, false);
        get_row(r, "order", e->order, &e->rank, false);
        break;
    case TRI_ENC_LINEAR:
    case TRI_ENC_GENERIC_LINEAR:
        get_bases(r, "register", &e->linear.reg, &e->rank, false);
        get_bases(r, "lane", &e->linear.lane, &e->rank, false);
        get_bases(r, "warp", &e->linear.warp, &e->rank, false);
        get_bases(r, "block", &e->linear.block, &e->rank, false);
        break;
    case TRI_ENC_SLICE:
        e->rank = parent_rank - 1;
        get_int(r, "dim", &e->slice.dim, false);
        break;
    case TRI_ENC_DOT_OP:
        e->rank = parent_rank;
        get_int(r, "opIdx", &e->dot_op.op_idx, false);
        get_int(r, "kWidth", &e->dot_op.k_width, true);
        break;
    case TRI_ENC_NVIDIA_MMA:
        get_int(r, "versionMajor", &e->version_major, false);
        get_int(r, "versionMinor", &e->version_minor, true);
        get_row(r, "warpsPerCTA", e->warps_per_cta, &e->rank, false);
        e->instr_rank = read_row(r, "instrShape", find_encoding_text(r, "instrShape", false), e->instr_shape, 3);
        break;
    case TRI_ENC_INTEL_DPAS: {
        int two = 2;
        get_int(r, "repeatCount", &e->dpas.repeat_count, false);
        get_int(r, "systolicDepth", &e->dpas.systolic_depth, false);
        get_int(r, "executionSize", &e->dpas.execution_size, false);
        get_int(r, "opsPerChan", &e->dpas.ops_per_channel, false);
        get_int(r, "threadsPerWarp", &e->dpas.threads_per_warp, false);
        get_row(r, "warpsPerCTA", e->warps_per_cta, &e->rank, false);
        get_row(r, "repCluster", e->dpas.rep_cluster, &two, false);
        break;
    }
    default:
        break;
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

static void parse_memory(reader *r, int parent_rank, tri_encoding *e)
{
    switch (e->kind) {
    case TRI_ENC_SWIZZLED_SHARED:
    case TRI_ENC_AMD_ROTATING_SHARED:
        get_int(r, "vec", &e->swizzled.vec, false);
        get_int(r, "perPhase", &e->swizzled.per_phase, false);
        get_int(r, "maxPhase", &e->swizzled.max_phase, false);
        get_row(r, "order", e->order, &e->rank, false);
        break;
    case TRI_ENC_NVMMA_SHARED:
        get_int(r, "swizzlingByteWidth", &e->nvmma.swizzle_bytes, false);
        get_bool(r, "transposed", &e->nvmma.is_transposed, false);
        get_int(r, "elementBitWidth", &e->nvmma.element_bits, false);
        get_bool(r, "fp4Padded", &e->nvmma.is_fp4_padded, true);
        get_int(r, "rank", &e->rank, true);
        get_bases(r, "CGALayout", &e->cga, &e->rank, true);
        if (!e->rank)
            e->rank = 2;
        break;
    case TRI_ENC_PADDED_SHARED:
        e->padded.has_bases = find_encoding_text(r, "offset", true).ptr != NULL;
        if (e->padded.has_bases) {
            get_bases(r, "offset", &e->padded.offset, &e->rank, false);
            get_bases(r, "block", &e->padded.block, &e->rank, false);
            simplify_padded(e);
        } else {
            get_row(r, "order", e->order, &e->rank, false);
            get_row(r, "shape", e->padded.shape, &e->rank, false);
        }
        break;
    case TRI_ENC_SHARED_LINEAR:
        get_bases(r, "offset", &e->shared_linear.offset, &e->rank, false);
        get_bases(r, "block", &e->shared_linear.block, &e->rank, true);
        break;
    case TRI_ENC_PARTITIONED_SHARED:
        e->rank = parent_rank;
        get_int(r, "numPartitions", &e->partitioned.num_partitions, false);
        get_int(r, "numGroups", &e->partitioned.num_groups, false);
        get_int(r, "partitionDim", &e->partitioned.partition_dim, false);
        break;
    case TRI_ENC_TENSOR_MEMORY:
        get_int(r, "blockM", &e->tmem.block_m, false);
        get_int(r, "blockN", &e->tmem.block_n, false);
        get_int(r, "colStride", &e->tmem.col_stride, false);
        get_bool(r, "twoCTAs", &e->tmem.two_ctas, true);
        get_bool(r, "fp4Padded", &e->tmem.is_fp4_padded, true);
        get_splits(r, e);
        e->rank = 2;
        break;
    case TRI_ENC_TENSOR_MEMORY_SCALES:
        get_splits(r, e);
        e->rank = 2;
        break;
    default:
        break;
    }
}

bool tri_encoding_text_parse(tri_encoding_kind kind, MlirAttribute dictionary, int parent_rank, tri_encoding *out,
                             tri_buf *error)
{
    reader r = {dictionary, error, false, 0};
    out->kind = kind;
    if (kind == TRI_ENC_AMD_MFMA || kind == TRI_ENC_AMD_WMMA)
        parse_amd(&r, out);
    parse_distributed(&r, parent_rank, out);
    parse_memory(&r, parent_rank, out);
    if (tri_encoding_text_parent_field(kind))
        find_encoding_text(&r, tri_encoding_text_parent_field(kind), false);
    else if (kind != TRI_ENC_LINEAR && kind != TRI_ENC_GENERIC_LINEAR && kind != TRI_ENC_SHARED_LINEAR)
        get_cga(&r, &out->cga, &out->rank);
    for (intptr_t i = 0; !r.failed && i < mlirDictionaryAttrGetNumElements(dictionary); i++)
        if (i >= 64 || !(r.used >> i & 1)) {
            MlirStringRef key = mlirIdentifierStr(mlirDictionaryAttrGetElement(dictionary, i).name);
            tri_buf_format(error, "unknown field '%.*s'", (int)key.length, key.data);
            r.failed = true;
        }
    return !r.failed;
}
