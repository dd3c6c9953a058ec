/* numpy's .npy format: magic, version, header length, a Python dictionary, raw data. */
#include "runtime/run/array.h"

#include "base/file.h"


static const char magic[] = "\x93NUMPY";

/* The kind and size of an element, behind the byte order. */
static const struct {
    const char *descr;
    tri_dtype dtype;
} descriptors[] = {
    {"b1", TRI_DTYPE_I1},  {"i1", TRI_DTYPE_I8},  {"i2", TRI_DTYPE_I16}, {"i4", TRI_DTYPE_I32},
    {"i8", TRI_DTYPE_I64}, {"u1", TRI_DTYPE_U8},  {"u2", TRI_DTYPE_U16}, {"u4", TRI_DTYPE_U32},
    {"u8", TRI_DTYPE_U64}, {"f2", TRI_DTYPE_F16}, {"f4", TRI_DTYPE_F32}, {"f8", TRI_DTYPE_F64},
    /* bytes without a type, as which packages write types that numpy does not have */
    {"V1", TRI_DTYPE_U8},  {"V2", TRI_DTYPE_U16},
};

/* The text after 'key': in the header's dictionary, or an empty string. */
static tri_str value_of(tri_str header, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i + len < header.len; i++)
        if (memcmp(header.data + i, key, len) == 0) {
            tri_str rest = tri_str_sub(header, i + len, header.len);
            return tri_str_trim(tri_str_sub(
                rest, tri_str_find(rest, ':') < rest.len ? tri_str_find(rest, ':') + 1 : rest.len, rest.len));
        }
    return TRI_STR("");
}

/* The text in quotes behind 'descr'; what it is instead, such as a list of fields, when there are none. */
static tri_str descr_in(tri_str header)
{
    tri_str value = value_of(header, "'descr'");
    char quote = value.len ? value.data[0] : 0;
    if (quote != '\'' && quote != '"')
        return tri_str_sub(value, 0, tri_str_find(value, ']') + 1);
    tri_str rest = tri_str_sub(value, 1, value.len);
    return tri_str_sub(rest, 0, tri_str_find(rest, quote));
}

static bool parse_dtype(tri_str descr, tri_dtype *out_dtype, bool *out_big)
{
    tri_str kind = tri_str_sub(descr, descr.len > 0, descr.len);
    *out_big = descr.len && descr.data[0] == '>';
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        if (tri_str_is(kind, descriptors[i].descr) && strchr("<>|=", descr.data[0])) {
            *out_dtype = descriptors[i].dtype;
            return true;
        }
    }
    return false;
}

static bool is_small_float(tri_dtype dtype)
{
    return dtype == TRI_DTYPE_BF16 || dtype == TRI_DTYPE_F8E4 || dtype == TRI_DTYPE_F8E5;
}

bool tri_array_can_view(tri_dtype stored, tri_dtype meant)
{
    bool is_int = !tri_dtype_is_float(stored) && stored != TRI_DTYPE_I1;
    bool takes_bits = is_small_float(meant) || (!tri_dtype_is_float(meant) && meant != TRI_DTYPE_I1);
    return stored == meant || (is_int && takes_bits && tri_dtype_size(stored) == tri_dtype_size(meant));
}

static bool parse_shape(tri_str header, int *out_rank, int64_t *out_shape)
{
    tri_str value = value_of(header, "'shape'");
    size_t end = tri_str_find(value, ')');
    if (!value.len || value.data[0] != '(' || end == value.len)
        return false;
    value = tri_str_sub(value, 1, end);
    int rank = 0;
    while (tri_str_trim(value).len) {
        size_t comma = tri_str_find(value, ',');
        if (rank == TRI_ARRAY_MAX_RANK ||
            !tri_str_to_i64(tri_str_trim(tri_str_sub(value, 0, comma)), &out_shape[rank]) || out_shape[rank] < 0 ||
            out_shape[rank] > (int64_t)1 << 40)
            return false;
        rank++;
        value = tri_str_sub(value, comma < value.len ? comma + 1 : comma, value.len);
    }
    *out_rank = rank;
    return true;
}

static bool split_file(tri_str file, tri_str *out_header, tri_str *out_data)
{
    if (file.len < 12 || memcmp(file.data, magic, 6) != 0)
        return false;
    const unsigned char *at = (const unsigned char *)file.data;
    bool is_long = at[6] >= 2;
    size_t len =
        is_long ? at[8] | (size_t)at[9] << 8 | (size_t)at[10] << 16 | (size_t)at[11] << 24 : at[8] | (size_t)at[9] << 8;
    size_t start = is_long ? 12 : 10;
    if (len > file.len - start)
        return false;
    *out_header = tri_str_sub(file, start, start + len);
    *out_data = tri_str_sub(file, start + len, file.len);
    return true;
}

static void swap_bytes(tri_array *array)
{
    size_t size = tri_dtype_size(array->dtype);
    for (int64_t i = 0; i < array->count; i++) {
        unsigned char *at = (unsigned char *)array->data + (size_t)i * size;
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char byte = at[k];
            at[k] = at[size - 1 - k];
            at[size - 1 - k] = byte;
        }
    }
}

/* Column-major data to row-major. */
static void transpose(tri_array *array, const unsigned char *data)
{
    size_t size = tri_dtype_size(array->dtype);
    for (int64_t i = 0; i < array->count; i++) {
        int64_t rest = i, from = 0;
        for (int d = array->rank; d-- > 0;) {
            int64_t stride = 1;
            for (int k = 0; k < d; k++)
                stride *= array->shape[k];
            from += rest % array->shape[d] * stride;
            rest /= array->shape[d];
        }
        memcpy((unsigned char *)array->data + (size_t)i * size, data + (size_t)from * size, size);
    }
}

static bool fail(tri_diag *diag, tri_str path, const char *why)
{
    tri_diag_error(diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(path), why);
    return false;
}

bool tri_array_read_npy(tri_diag *diag, tri_arena *arena, tri_str path, tri_dtype as, tri_array *out_array)
{
    tri_str file, header, data;
    int error;
    if (!tri_file_read_data(arena, path, &file, &error))
        return fail(diag, path, strerror(error));
    if (!split_file(file, &header, &data))
        return fail(diag, path, "not a .npy file");
    tri_dtype dtype;
    bool is_big;
    int rank;
    int64_t shape[TRI_ARRAY_MAX_RANK];
    tri_str descr = descr_in(header);
    if (!parse_dtype(descr, &dtype, &is_big))
        return fail(
            diag, path,
            tri_str_format(arena, "there are no kernel arguments of its element type %.*s", TRI_STR_ARG(descr)).data);
    if (!parse_shape(header, &rank, shape))
        return fail(diag, path, "bad shape in its header");
    if (as == TRI_DTYPE_COUNT && descr.data[1] == 'V')
        return fail(diag, path, tri_str_format(arena, "its elements have no type; say which, as in %s:@%.*s",
                                               tri_dtype_size(dtype) == 2 ? "bf16" : "fp8e5", TRI_STR_ARG(path)).data);
    if (as != TRI_DTYPE_COUNT && !tri_array_can_view(dtype, as))
        return fail(
            diag, path,
            tri_str_format(arena, "its elements are %s, not %s", tri_dtype_name(dtype), tri_dtype_name(as)).data);
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count = shape[i] && count > ((int64_t)1 << 40) / shape[i] ? INT64_MAX / 16 : count * shape[i];
    if ((uint64_t)count > data.len / tri_dtype_size(dtype))
        return fail(diag, path, "it is shorter than its header says");
    *out_array = tri_array_create(arena, as == TRI_DTYPE_COUNT ? dtype : as, rank, shape);
    if (tri_str_has_prefix(value_of(header, "'fortran_order'"), "True"))
        transpose(out_array, (const unsigned char *)data.data);
    else
        memcpy(out_array->data, data.data, (size_t)count * tri_dtype_size(dtype));
    if (is_big)
        swap_bytes(out_array);
    return true;
}

static const char *descr_of(tri_dtype dtype)
{
    if (dtype == TRI_DTYPE_BF16)
        return "u2";
    if (is_small_float(dtype))
        return "u1";
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i].dtype == dtype)
            return descriptors[i].descr;
    TRI_BUG("no .npy type for '%s'", tri_dtype_name(dtype));
}

bool tri_array_write_npy(tri_diag *diag, tri_str path, const tri_array *array)
{
    tri_buf header = {0}, file = {0};
    tri_buf_format(&header, "{'descr': '%s%s', 'fortran_order': False, 'shape': (",
                   tri_dtype_size(array->dtype) == 1 ? "|" : "<", descr_of(array->dtype));
    for (int i = 0; i < array->rank; i++)
        tri_buf_format(&header, "%ld%s", (long)array->shape[i],
                       i + 1 < array->rank ? ", "
                       : array->rank == 1  ? ","
                                           : "");
    tri_buf_add_z(&header, "), }");
    while ((10 + header.len + 1) % 64)
        tri_buf_add_char(&header, ' ');
    tri_buf_add_char(&header, '\n');
    tri_buf_add(&file, magic, 6);
    char prefix[4] = {1, 0, (char)(header.len & 0xff), (char)(header.len >> 8)};
    tri_buf_add(&file, prefix, 4);
    tri_buf_add(&file, header.data, header.len);
    tri_buf_add(&file, array->data, (size_t)array->count * tri_dtype_size(array->dtype));
    int error = 0;
    bool ok = tri_file_write(path, tri_buf_str(&file), &error);
    if (!ok)
        tri_diag_error(diag, TRI_NO_SPAN, 1003, "cannot write '%.*s': %s", TRI_STR_ARG(path), strerror(error));
    tri_buf_fini(&header);
    tri_buf_fini(&file);
    return ok;
}
