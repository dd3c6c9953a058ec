#include "number.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *tl, *signature;
    int size, bits;
    bool is_float, is_signed;
    int mantissa, bias; /* floats */
    bool has_infinity;
} dtypes[M_DTYPES] = {
    [M_I1] = {"i1", "int1", "i1", 1, 1, false, false, 0, 0, false},
    [M_I8] = {"i8", "int8", "i8", 1, 8, false, true, 0, 0, false},
    [M_I16] = {"i16", "int16", "i16", 2, 16, false, true, 0, 0, false},
    [M_I32] = {"i32", "int32", "i32", 4, 32, false, true, 0, 0, false},
    [M_I64] = {"i64", "int64", "i64", 8, 64, false, true, 0, 0, false},
    [M_U8] = {"u8", "uint8", "u8", 1, 8, false, false, 0, 0, false},
    [M_U16] = {"u16", "uint16", "u16", 2, 16, false, false, 0, 0, false},
    [M_U32] = {"u32", "uint32", "u32", 4, 32, false, false, 0, 0, false},
    [M_U64] = {"u64", "uint64", "u64", 8, 64, false, false, 0, 0, false},
    [M_F8E5] = {"f8e5", "float8e5", "fp8e5", 1, 8, true, false, 2, 15, true},
    [M_F8E4] = {"f8e4", "float8e4nv", "fp8e4nv", 1, 8, true, false, 3, 7, false},
    [M_F16] = {"f16", "float16", "fp16", 2, 16, true, false, 10, 15, true},
    [M_BF16] = {"bf16", "bfloat16", "bf16", 2, 16, true, false, 7, 127, true},
    [M_F32] = {"f32", "float32", "fp32", 4, 32, true, false, 23, 127, true},
    [M_F64] = {"f64", "float64", "fp64", 8, 64, true, false, 52, 1023, true},
};

const char *m_dtype_name(m_dtype dtype) { return dtypes[dtype].name; }
const char *m_dtype_tl(m_dtype dtype) { return dtypes[dtype].tl; }
const char *m_dtype_signature(m_dtype dtype) { return dtypes[dtype].signature; }
int m_dtype_size(m_dtype dtype) { return dtypes[dtype].size; }
int m_dtype_bits(m_dtype dtype) { return dtypes[dtype].bits; }
bool m_dtype_is_float(m_dtype dtype) { return dtypes[dtype].is_float; }
bool m_dtype_is_signed(m_dtype dtype) { return dtypes[dtype].is_signed; }

m_dtype m_dtype_find(const char *name)
{
    size_t len = strcspn(name, " ,");
    for (int i = 0; i < M_DTYPES; i++)
        if (strlen(dtypes[i].name) == len && !memcmp(dtypes[i].name, name, len))
            return (m_dtype)i;
    return M_DTYPES;
}

/* --- formats ----------------------------------------------------------------------------- */

static uint64_t ones(int count) { return count >= 64 ? ~0ull : (1ull << count) - 1; }

m_real m_decode(m_dtype dtype, uint64_t bits)
{
    int mantissa = dtypes[dtype].mantissa, width = dtypes[dtype].bits, bias = dtypes[dtype].bias;
    uint64_t fraction = bits & ones(mantissa), top = ones(width - 1 - mantissa);
    uint64_t exponent = bits >> mantissa & top;
    bool is_negative = bits >> (width - 1) & 1;
    m_real value;
    if (dtypes[dtype].has_infinity ? exponent == top && fraction : exponent == top && fraction == ones(mantissa))
        return NAN;
    if (dtypes[dtype].has_infinity && exponent == top)
        value = INFINITY;
    else if (exponent)
        value = ldexpl((m_real)(fraction | 1ull << mantissa), (int)exponent - bias - mantissa);
    else
        value = ldexpl((m_real)fraction, 1 - bias - mantissa);
    return is_negative ? -value : value;
}

/* The code of the largest finite magnitude. */
static uint64_t largest(m_dtype dtype)
{
    uint64_t all = ones(dtypes[dtype].bits - 1);
    return dtypes[dtype].has_infinity ? all - ones(dtypes[dtype].mantissa) - 1 : all - 1;
}

uint64_t m_encode(m_dtype dtype, m_real value, m_rounding rounding)
{
    int mantissa = dtypes[dtype].mantissa, width = dtypes[dtype].bits;
    uint64_t sign = signbit(value) ? 1ull << (width - 1) : 0, max = largest(dtype);
    bool is_fp8 = width == 8;
    if (isnan(value))
        return dtypes[dtype].has_infinity ? ones(width - 1) - (is_fp8 ? 0 : ones(mantissa - 1)) : ones(width - 1);
    value = fabsl(value);
    if (isinf(value))
        return sign | (is_fp8 ? max : max + 1);
    /* In units of the last place of the value's own binade, or of the subnormals. */
    int exponent = value == 0 ? 0 : ilogbl(value), low = 1 - dtypes[dtype].bias;
    if (value == 0 || exponent < low)
        exponent = low;
    m_real scaled = ldexpl(value, mantissa - exponent), whole = floorl(scaled), rest = scaled - whole;
    uint64_t code = (uint64_t)whole; /* below 2^(mantissa+1): the implied bit is in it */
    if (rounding == M_NEAREST && (rest > 0.5L || (rest == 0.5L && (code & 1))))
        code++;
    /* A carry runs into the exponent by itself. */
    m_real steps = (m_real)code + ldexpl((m_real)(exponent - low), mantissa);
    if (steps > (m_real)max)
        return sign | (is_fp8 || rounding == M_TOWARD_ZERO ? max : max + 1);
    return sign | (code + ((uint64_t)(exponent - low) << mantissa));
}

m_real m_round(m_dtype dtype, m_real value)
{
    return m_decode(dtype, m_encode(dtype, value, M_NEAREST));
}

/* --- arrays ------------------------------------------------------------------------------ */

uint64_t m_bits(const m_array *a, int64_t i)
{
    uint64_t bits = 0;
    int size = dtypes[a->dtype].size;
    memcpy(&bits, (const char *)a->data + i * size, (size_t)size);
    return bits;
}

void m_set_bits(m_array *a, int64_t i, uint64_t bits)
{
    int size = dtypes[a->dtype].size;
    memcpy((char *)a->data + i * size, &bits, (size_t)size);
}

m_wide m_get_int(const m_array *a, int64_t i)
{
    uint64_t bits = m_bits(a, i);
    int width = dtypes[a->dtype].bits;
    if (a->dtype == M_I1)
        return bits != 0;
    if (dtypes[a->dtype].is_signed && bits >> (width - 1) & 1)
        return (m_wide)bits - ((m_wide)1 << width);
    return (m_wide)bits;
}

m_real m_get(const m_array *a, int64_t i)
{
    return dtypes[a->dtype].is_float ? m_decode(a->dtype, m_bits(a, i)) : (m_real)m_get_int(a, i);
}

void m_set_int(m_array *a, int64_t i, m_wide value)
{
    m_set_bits(a, i, (uint64_t)value & ones(dtypes[a->dtype].bits));
}

void m_set(m_array *a, int64_t i, m_real value)
{
    if (dtypes[a->dtype].is_float)
        m_set_bits(a, i, m_encode(a->dtype, value, M_NEAREST));
    else
        m_set_int(a, i, (m_wide)value);
}

/* --- comparison -------------------------------------------------------------------------- */

/* Codes in the order of their values; both zeros are 0. */
static m_wide order(m_dtype dtype, uint64_t bits)
{
    int width = dtypes[dtype].bits;
    m_wide magnitude = (m_wide)(bits & ones(width - 1));
    return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

bool m_equal(const m_array *got, const m_array *want, int64_t i, m_tolerance t)
{
    uint64_t g = m_bits(got, i), w = m_bits(want, i);
    if (g == w)
        return true;
    if (!dtypes[got->dtype].is_float) {
        m_wide distance = m_get_int(got, i) - m_get_int(want, i);
        return (double)(distance < 0 ? -distance : distance) <= t.atol;
    }
    m_real a = m_decode(got->dtype, g), b = m_decode(want->dtype, w);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (a == b)
        return !t.is_strict;
    m_wide distance = order(got->dtype, g) - order(want->dtype, w);
    if ((double)(distance < 0 ? -distance : distance) <= t.ulps)
        return true;
    return !isinf(a) && !isinf(b) && fabsl(a - b) <= (m_real)t.atol + (m_real)t.rtol * fabsl(b);
}

int64_t m_compare(const m_array *got, const m_array *want, m_tolerance tolerance, const char *name, FILE *out)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < want->count; i++)
        if (!m_equal(got, want, i, tolerance) && wrong++ < 4)
            fprintf(out, "# %s[%lld] is %.9Lg (0x%llx), not %.9Lg (0x%llx)\n", name, (long long)i, m_get(got, i),
                    (unsigned long long)m_bits(got, i), m_get(want, i), (unsigned long long)m_bits(want, i));
    if (wrong)
        fprintf(out, "# %lld of %lld elements of %s differ\n", (long long)wrong, (long long)want->count, name);
    return wrong;
}
