/* numpy's .npy format: magic, version, header length, a Python dictionary, raw data. */
#include "runtime/run/array.h"

#include "base/file.h"


static const char magic[] = "\x93NUMPY";

static const struct {
    const char *descr;
    tri_dtype dtype;
} descriptors[] = {
    {"|b1", TRI_DTYPE_I1},  {"|i1", TRI_DTYPE_I8},  {"<i2", TRI_DTYPE_I16}, {"<i4", TRI_DTYPE_I32},
    {"<i8", TRI_DTYPE_I64}, {"|u1", TRI_DTYPE_U8},  {"<u2", TRI_DTYPE_U16}, {"<u4", TRI_DTYPE_U32},
    {"<u8", TRI_DTYPE_U64}, {"<f2", TRI_DTYPE_F16}, {"<f4", TRI_DTYPE_F32}, {"<f8", TRI_DTYPE_F64},
};

/* The text after 'key': in the header's dictionary, or an empty string. */
static tri_str value_of(tri_str header, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i + len < header.len; i++)
        if (memcmp(header.data + i, key, len) == 0) {
            tri_str rest = tri_str_sub(header, i + len, header.len);
            return tri_str_trim(tri_str_sub(rest, tri_str_find(rest, ':') < rest.len ? tri_str_find(rest, ':') + 1 : rest.len,
                                            rest.len));
        }
    return TRI_STR("");
}

static bool parse_dtype(tri_str header, tri_dtype *out_dtype)
{
    tri_str value = value_of(header, "'descr'");
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (value.len > 5 && tri_str_equal(tri_str_sub(value, 1, 4), tri_str_from(descriptors[i].descr))) {
            *out_dtype = descriptors[i].dtype;
            return true;
        }
    return false;
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
        if (rank == TRI_ARRAY_MAX_RANK || !tri_str_to_i64(tri_str_trim(tri_str_sub(value, 0, comma)), &out_shape[rank]) ||
            out_shape[rank] < 0 || out_shape[rank] > (int64_t)1 << 40)
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
    size_t len = is_long ? at[8] | (size_t)at[9] << 8 | (size_t)at[10] << 16 | (size_t)at[11] << 24 : at[8] | (size_t)at[9] << 8;
    size_t start = is_long ? 12 : 10;
    if (len > file.len - start)
        return false;
    *out_header = tri_str_sub(file, start, start + len);
    *out_data = tri_str_sub(file, start + len, file.len);
    return true;
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
    tri_diag_error(diag, TRI_NO_SPAN, 0, "cannot read '%.*s': %s", TRI_STR_ARG(path), why);
    return false;
}

bool tri_array_read_npy(tri_diag *diag, tri_arena *arena, tri_str path, tri_dtype as, tri_array *out_array)
{
    tri_str file, header, data;
    int error;
    if (!tri_file_read(arena, path, &file, &error))
        return fail(diag, path, strerror(error));
    if (!split_file(file, &header, &data))
        return fail(diag, path, "not a .npy file");
    tri_dtype dtype;
    int rank;
    int64_t shape[TRI_ARRAY_MAX_RANK];
    if (!parse_dtype(header, &dtype))
        return fail(diag, path, "its element type is not supported (little-endian numbers and booleans are)");
    if (!parse_shape(header, &rank, shape))
        return fail(diag, path, "bad shape in its header");
    if (as != TRI_DTYPE_COUNT && tri_dtype_size(as) != tri_dtype_size(dtype))
        return fail(diag, path, "its elements have another size than the type asked for");
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
    return true;
}

static const char *descr_of(tri_dtype dtype)
{
    if (dtype == TRI_DTYPE_BF16)
        return "<u2";
    if (dtype == TRI_DTYPE_F8E4 || dtype == TRI_DTYPE_F8E5)
        return "|u1";
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i].dtype == dtype)
            return descriptors[i].descr;
    TRI_BUG("no .npy type for '%s'", tri_dtype_name(dtype));
}

bool tri_array_write_npy(tri_diag *diag, tri_str path, const tri_array *array)
{
    tri_buf header = {0}, file = {0};
    tri_buf_format(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr_of(array->dtype));
    for (int i = 0; i < array->rank; i++)
        tri_buf_format(&header, "%ld%s", (long)array->shape[i], i + 1 < array->rank ? ", " : array->rank == 1 ? "," : "");
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
        tri_diag_error(diag, TRI_NO_SPAN, 0, "cannot write '%.*s': %s", TRI_STR_ARG(path), strerror(error));
    tri_buf_fini(&header);
    tri_buf_fini(&file);
    return ok;
}
