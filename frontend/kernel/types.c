#include "frontend/kernel/types.h"

#include "ir/type.h"

#include "mlir-c/BuiltinTypes.h"

typedef struct {
    const char *name;
    uint8_t bits;
    uint8_t kind; /* 0 void, 1 bool, 2 signed, 3 unsigned, 4 fp8, 5 standard float */
    uint8_t mantissa;
    int16_t bias;
} dtype_row;

enum { row_void, row_bool, row_signed, row_unsigned, row_fp8, row_float };

static const dtype_row rows[TRI_DTYPE_COUNT] = {
    [TRI_DTYPE_VOID] = {"void", 0, row_void, 0, 0},
    [TRI_DTYPE_INT1] = {"int1", 1, row_bool, 0, 0},
    [TRI_DTYPE_INT8] = {"int8", 8, row_signed, 0, 0},
    [TRI_DTYPE_INT16] = {"int16", 16, row_signed, 0, 0},
    [TRI_DTYPE_INT32] = {"int32", 32, row_signed, 0, 0},
    [TRI_DTYPE_INT64] = {"int64", 64, row_signed, 0, 0},
    [TRI_DTYPE_UINT8] = {"uint8", 8, row_unsigned, 0, 0},
    [TRI_DTYPE_UINT16] = {"uint16", 16, row_unsigned, 0, 0},
    [TRI_DTYPE_UINT32] = {"uint32", 32, row_unsigned, 0, 0},
    [TRI_DTYPE_UINT64] = {"uint64", 64, row_unsigned, 0, 0},
    [TRI_DTYPE_FP8E4B15] = {"fp8e4b15", 8, row_fp8, 3, 15},
    [TRI_DTYPE_FP8E4NV] = {"fp8e4nv", 8, row_fp8, 3, 7},
    [TRI_DTYPE_FP8E4B8] = {"fp8e4b8", 8, row_fp8, 3, 8},
    [TRI_DTYPE_FP8E5] = {"fp8e5", 8, row_fp8, 2, 15},
    [TRI_DTYPE_FP8E5B16] = {"fp8e5b16", 8, row_fp8, 2, 16},
    [TRI_DTYPE_FP16] = {"fp16", 16, row_float, 10, 15},
    [TRI_DTYPE_BF16] = {"bf16", 16, row_float, 7, 127},
    [TRI_DTYPE_FP32] = {"fp32", 32, row_float, 23, 127},
    [TRI_DTYPE_FP64] = {"fp64", 64, row_float, 52, 1023},
};

#define SCALAR(d) [d] = {.kind = TRI_TYPE_SCALAR, .dtype = d}
static const tri_type scalars[TRI_DTYPE_COUNT] = {
    SCALAR(TRI_DTYPE_VOID),     SCALAR(TRI_DTYPE_INT1),    SCALAR(TRI_DTYPE_INT8),    SCALAR(TRI_DTYPE_INT16),
    SCALAR(TRI_DTYPE_INT32),    SCALAR(TRI_DTYPE_INT64),   SCALAR(TRI_DTYPE_UINT8),   SCALAR(TRI_DTYPE_UINT16),
    SCALAR(TRI_DTYPE_UINT32),   SCALAR(TRI_DTYPE_UINT64),  SCALAR(TRI_DTYPE_FP8E4B15), SCALAR(TRI_DTYPE_FP8E4NV),
    SCALAR(TRI_DTYPE_FP8E4B8),  SCALAR(TRI_DTYPE_FP8E5),   SCALAR(TRI_DTYPE_FP8E5B16), SCALAR(TRI_DTYPE_FP16),
    SCALAR(TRI_DTYPE_BF16),     SCALAR(TRI_DTYPE_FP32),    SCALAR(TRI_DTYPE_FP64),
};
#undef SCALAR

const tri_type *tri_types_scalar(tri_dtype dtype) { return &scalars[dtype]; }

const tri_type *tri_types_pointer(tri_arena *arena, const tri_type *element, unsigned space, bool is_const)
{
    tri_type *t = TRI_NEW(arena, tri_type);
    t->kind = TRI_TYPE_PTR;
    t->dtype = element->dtype;
    t->element = element;
    t->space = space;
    t->is_const = is_const;
    return t;
}

const tri_type *tri_types_block(tri_arena *arena, const tri_type *element, int rank, const int64_t *shape)
{
    if (rank == 0)
        return element;
    tri_type *t = TRI_NEW(arena, tri_type);
    t->kind = TRI_TYPE_BLOCK;
    t->dtype = element->dtype;
    t->element = element;
    t->rank = rank;
    t->shape = tri_arena_copy(arena, shape, sizeof *shape * (size_t)rank);
    return t;
}

bool tri_types_equal(const tri_type *a, const tri_type *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->dtype != b->dtype)
        return false;
    switch (a->kind) {
    case TRI_TYPE_SCALAR:
        return true;
    case TRI_TYPE_PTR:
        return a->space == b->space && a->is_const == b->is_const && tri_types_equal(a->element, b->element);
    case TRI_TYPE_BLOCK:
        return a->rank == b->rank && !memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) &&
               tri_types_equal(a->element, b->element);
    }
    return false;
}

bool tri_types_is_int(const tri_type *t)
{
    const tri_type *e = tri_types_element(t);
    return e->kind == TRI_TYPE_SCALAR && tri_types_dtype_is_int(e->dtype);
}

bool tri_types_is_float(const tri_type *t)
{
    const tri_type *e = tri_types_element(t);
    return e->kind == TRI_TYPE_SCALAR && tri_types_dtype_is_float(e->dtype);
}

const tri_type *tri_types_with_element(tri_arena *arena, const tri_type *t, const tri_type *element)
{
    return t->kind == TRI_TYPE_BLOCK ? tri_types_block(arena, element, t->rank, t->shape) : element;
}

int64_t tri_types_numel(const tri_type *t)
{
    int64_t n = 1;
    if (t->kind == TRI_TYPE_BLOCK)
        for (int i = 0; i < t->rank; i++)
            n *= t->shape[i];
    return n;
}

unsigned tri_types_dtype_bits(tri_dtype d) { return rows[d].bits; }
const char *tri_types_dtype_name(tri_dtype d) { return rows[d].name; }
bool tri_types_dtype_is_int(tri_dtype d) { return rows[d].kind >= row_bool && rows[d].kind <= row_unsigned; }
bool tri_types_dtype_is_signed(tri_dtype d) { return rows[d].kind == row_signed; }
bool tri_types_dtype_is_float(tri_dtype d) { return rows[d].kind >= row_fp8; }
bool tri_types_dtype_is_fp8(tri_dtype d) { return rows[d].kind == row_fp8; }
bool tri_types_dtype_is_standard_float(tri_dtype d) { return rows[d].kind == row_float; }
int tri_types_dtype_mantissa(tri_dtype d) { return rows[d].mantissa; }
int tri_types_dtype_bias(tri_dtype d) { return rows[d].bias; }

/* Spellings beside the names of `rows` and the short forms iN and uN. */
static const struct {
    const char *name;
    tri_dtype dtype;
} spellings[] = {
    {"bool", TRI_DTYPE_INT1},          {"uint1", TRI_DTYPE_INT1},           {"i1", TRI_DTYPE_INT1},
    {"u1", TRI_DTYPE_INT1},            {"B", TRI_DTYPE_INT1},               {"int", TRI_DTYPE_INT32},
    {"i8", TRI_DTYPE_INT8},            {"i16", TRI_DTYPE_INT16},            {"i32", TRI_DTYPE_INT32},
    {"i64", TRI_DTYPE_INT64},          {"u8", TRI_DTYPE_UINT8},             {"u16", TRI_DTYPE_UINT16},
    {"u32", TRI_DTYPE_UINT32},         {"u64", TRI_DTYPE_UINT64},           {"half", TRI_DTYPE_FP16},
    {"float16", TRI_DTYPE_FP16},       {"bfloat16", TRI_DTYPE_BF16},        {"float", TRI_DTYPE_FP32},
    {"float32", TRI_DTYPE_FP32},       {"double", TRI_DTYPE_FP64},          {"float64", TRI_DTYPE_FP64},
    {"f16", TRI_DTYPE_FP16},           {"f32", TRI_DTYPE_FP32},             {"f64", TRI_DTYPE_FP64},
    {"float8e4nv", TRI_DTYPE_FP8E4NV}, {"float8_e4m3fn", TRI_DTYPE_FP8E4NV}, {"float8e5", TRI_DTYPE_FP8E5},
    {"float8_e5m2", TRI_DTYPE_FP8E5},  {"float8e4b15", TRI_DTYPE_FP8E4B15}, {"float8e4b8", TRI_DTYPE_FP8E4B8},
    {"float8_e4m3fnuz", TRI_DTYPE_FP8E4B8}, {"float8e5b16", TRI_DTYPE_FP8E5B16},
    {"float8_e5m2fnuz", TRI_DTYPE_FP8E5B16},
};

bool tri_types_parse_dtype(tri_str name, tri_dtype *out_dtype)
{
    if (tri_str_has_prefix(name, "tl."))
        name = tri_str_sub(name, 3, name.len);
    if (tri_str_has_suffix(name, "_t"))
        name.len -= 2;
    for (int d = TRI_DTYPE_INT1; d < TRI_DTYPE_COUNT; d++)
        if (tri_str_is(name, rows[d].name)) {
            *out_dtype = (tri_dtype)d;
            return true;
        }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (tri_str_is(name, spellings[i].name)) {
            *out_dtype = spellings[i].dtype;
            return true;
        }
    return false;
}

const tri_type *tri_types_parse(tri_arena *arena, tri_str text)
{
    text = tri_str_trim(text);
    bool is_const = false, is_ptr = false;
    if (tri_str_has_prefix(text, "const ")) {
        is_const = true;
        text = tri_str_trim(tri_str_sub(text, 6, text.len));
    }
    if (tri_str_has_prefix(text, "*")) {
        is_ptr = true;
        text = tri_str_trim(tri_str_sub(text, 1, text.len));
        if (tri_str_has_prefix(text, "k")) {
            is_const = true;
            text = tri_str_sub(text, 1, text.len);
        }
    } else if (tri_str_has_suffix(text, "*")) {
        is_ptr = true;
        text = tri_str_trim(tri_str_sub(text, 0, text.len - 1));
    }
    tri_dtype d;
    if ((is_const && !is_ptr) || !tri_types_parse_dtype(text, &d))
        return NULL;
    return is_ptr ? tri_types_pointer(arena, tri_types_scalar(d), 1, is_const) : tri_types_scalar(d);
}

void tri_types_print(const tri_type *t, tri_buf *out)
{
    switch (t->kind) {
    case TRI_TYPE_SCALAR:
        tri_buf_add_z(out, rows[t->dtype].name);
        return;
    case TRI_TYPE_PTR:
        tri_buf_add_z(out, t->is_const ? "const_pointer<" : "pointer<");
        tri_types_print(t->element, out);
        tri_buf_add_char(out, '>');
        return;
    case TRI_TYPE_BLOCK:
        tri_buf_add_z(out, "<[");
        for (int i = 0; i < t->rank; i++)
            tri_buf_format(out, "%s%lld", i ? ", " : "", (long long)t->shape[i]);
        tri_buf_add_z(out, "], ");
        tri_types_print(t->element, out);
        tri_buf_add_char(out, '>');
        return;
    }
}

static void print_short(tri_dtype d, tri_buf *out)
{
    if (d == TRI_DTYPE_INT1)
        tri_buf_add_z(out, "u1");
    else if (tri_types_dtype_is_int(d))
        tri_buf_format(out, "%c%u", tri_types_dtype_is_signed(d) ? 'i' : 'u', rows[d].bits);
    else
        tri_buf_add_z(out, rows[d].name);
}

void tri_types_print_signature(const tri_type *t, tri_buf *out)
{
    if (t->kind == TRI_TYPE_PTR)
        tri_buf_add_z(out, t->is_const ? "*k" : "*");
    print_short(t->dtype, out);
}

void tri_types_print_mangled(const tri_type *t, tri_buf *out)
{
    if (t->kind == TRI_TYPE_PTR) {
        tri_buf_add_z(out, t->is_const ? "Pk" : "P");
        tri_types_print_mangled(t->element, out);
    } else if (t->kind == TRI_TYPE_BLOCK) {
        tri_types_print_mangled(t->element, out);
        tri_buf_add_char(out, 'S');
        for (int i = 0; i < t->rank; i++)
            tri_buf_format(out, "%s%lld", i ? "_" : "", (long long)t->shape[i]);
        tri_buf_add_char(out, 'S');
    } else if (t->dtype == TRI_DTYPE_VOID) {
        tri_buf_add_char(out, 'V');
    } else {
        print_short(t->dtype, out);
    }
}

tri_str tri_types_name(tri_arena *arena, const tri_type *t)
{
    tri_buf buf = {0};
    tri_types_print(t, &buf);
    tri_str name = tri_str_copy(arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return name;
}

static MlirType dtype_to_ir(MlirContext context, tri_dtype d)
{
    switch (d) {
    case TRI_DTYPE_VOID:
        return mlirNoneTypeGet(context);
    case TRI_DTYPE_FP8E4NV:
        return mlirFloat8E4M3FNTypeGet(context);
    case TRI_DTYPE_FP8E4B8:
        return mlirFloat8E4M3FNUZTypeGet(context);
    case TRI_DTYPE_FP8E5:
        return mlirFloat8E5M2TypeGet(context);
    case TRI_DTYPE_FP8E5B16:
        return mlirFloat8E5M2FNUZTypeGet(context);
    case TRI_DTYPE_FP16:
        return mlirF16TypeGet(context);
    case TRI_DTYPE_BF16:
        return mlirBF16TypeGet(context);
    case TRI_DTYPE_FP32:
        return mlirF32TypeGet(context);
    case TRI_DTYPE_FP64:
        return mlirF64TypeGet(context);
    default:
        return mlirIntegerTypeGet(context, rows[d].bits); /* fp8e4b15 included */
    }
}

MlirType tri_types_to_ir(MlirContext context, const tri_type *t)
{
    switch (t->kind) {
    case TRI_TYPE_SCALAR:
        return dtype_to_ir(context, t->dtype);
    case TRI_TYPE_PTR:
        return tri_type_ptr(tri_types_to_ir(context, t->element), t->space);
    case TRI_TYPE_BLOCK:
        return tri_type_tensor(t->rank, t->shape, tri_types_to_ir(context, t->element), (MlirAttribute){0});
    }
    return (MlirType){0};
}
