#include "runtime/run/array.h"

#include "runtime/float.h"

static const struct {
    const char *name, *signature, *numpy;
    size_t size;
    bool is_float;
} dtypes[TRI_DTYPE_COUNT] = {
    [TRI_DTYPE_I1] = {"i1", "i1", "bool", 1, false},
    [TRI_DTYPE_I8] = {"i8", "i8", "int8", 1, false},
    [TRI_DTYPE_I16] = {"i16", "i16", "int16", 2, false},
    [TRI_DTYPE_I32] = {"i32", "i32", "int32", 4, false},
    [TRI_DTYPE_I64] = {"i64", "i64", "int64", 8, false},
    [TRI_DTYPE_U8] = {"u8", "u8", "uint8", 1, false},
    [TRI_DTYPE_U16] = {"u16", "u16", "uint16", 2, false},
    [TRI_DTYPE_U32] = {"u32", "u32", "uint32", 4, false},
    [TRI_DTYPE_U64] = {"u64", "u64", "uint64", 8, false},
    [TRI_DTYPE_F16] = {"f16", "fp16", "float16", 2, true},
    [TRI_DTYPE_BF16] = {"bf16", "bf16", "bfloat16", 2, true},
    [TRI_DTYPE_F32] = {"f32", "fp32", "float32", 4, true},
    [TRI_DTYPE_F64] = {"f64", "fp64", "float64", 8, true},
    [TRI_DTYPE_F8E4] = {"fp8e4", "fp8e4nv", "f8e4m3fn", 1, true},
    [TRI_DTYPE_F8E5] = {"fp8e5", "fp8e5", "f8e5m2", 1, true},
};

size_t tri_dtype_size(tri_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *tri_dtype_name(tri_dtype dtype)
{
    return dtypes[dtype].name;
}

const char *tri_dtype_signature(tri_dtype dtype)
{
    return dtypes[dtype].signature;
}

bool tri_dtype_find(tri_str name, tri_dtype *out_dtype)
{
    for (int i = 0; i < TRI_DTYPE_COUNT; i++) {
        if (tri_str_is(name, dtypes[i].name) || tri_str_is(name, dtypes[i].signature) ||
            tri_str_is(name, dtypes[i].numpy)) {
            *out_dtype = (tri_dtype)i;
            return true;
        }
    }
    *out_dtype = TRI_DTYPE_I1;
    return tri_str_is(name, "u1");
}

bool tri_dtype_is_float(tri_dtype dtype)
{
    return dtypes[dtype].is_float;
}

double tri_array_get(const tri_array *array, int64_t i)
{
    const unsigned char *at = (const unsigned char *)array->data + (size_t)i * tri_dtype_size(array->dtype);
    uint64_t bits = 0;
    memcpy(&bits, at, tri_dtype_size(array->dtype));
    switch (array->dtype) {
    case TRI_DTYPE_I1: return bits != 0;
    case TRI_DTYPE_I8: return (int8_t)bits;
    case TRI_DTYPE_I16: return (int16_t)bits;
    case TRI_DTYPE_I32: return (int32_t)bits;
    case TRI_DTYPE_I64: return (double)(int64_t)bits;
    case TRI_DTYPE_F16: return tri_float_f16_from_bits((uint16_t)bits);
    case TRI_DTYPE_BF16: return tri_float_bf16_from_bits((uint16_t)bits);
    case TRI_DTYPE_F32: return tri_float_f32_from_bits(bits);
    case TRI_DTYPE_F64: return tri_float_f64_from_bits(bits);
    case TRI_DTYPE_F8E4: return tri_float_fp8_from_bits((uint8_t)bits, 0);
    case TRI_DTYPE_F8E5: return tri_float_fp8_from_bits((uint8_t)bits, 1);
    default: return (double)bits;
    }
}

/* bfloat16 is the upper half of a float: rounding adds half of what is cut, ties to even. */
static uint64_t bf16_bits(double value)
{
    if (isnan(value))
        return 0x7fc0;
    return tri_float_f32_bits((float)tri_float_round_to(value, 7, -126, 0x1.fep127)) >> 16;
}

void tri_array_set(tri_array *array, int64_t i, double value)
{
    unsigned char *at = (unsigned char *)array->data + (size_t)i * tri_dtype_size(array->dtype);
    uint64_t bits;
    switch (array->dtype) {
    case TRI_DTYPE_I1: bits = value != 0; break;
    case TRI_DTYPE_F16: bits = tri_float_f16_bits(value); break;
    case TRI_DTYPE_BF16: bits = bf16_bits(value); break;
    case TRI_DTYPE_F32: bits = tri_float_f32_bits((float)value); break;
    case TRI_DTYPE_F64: bits = tri_float_f64_bits(value); break;
    case TRI_DTYPE_F8E4: bits = tri_float_fp8_bits((float)value, 0); break;
    case TRI_DTYPE_F8E5: bits = tri_float_fp8_bits((float)value, 1); break;
    case TRI_DTYPE_U64: bits = value >= 0 ? (uint64_t)value : (uint64_t)(int64_t)value; break;
    default: bits = (uint64_t)(int64_t)value; break;
    }
    memcpy(at, &bits, tri_dtype_size(array->dtype));
}
