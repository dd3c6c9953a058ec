/* Arithmetic and conversions, and atomic read-modify-write. */
#include "runtime/sim/primitives.h"
#include "targets/gpu/words.h"

#include "runtime/float.h"

#define F32(name, expression) \
    TRI_SIM_FUNCTION(name) \
    { \
        (void)sim; \
        (void)id; \
        float x = tri_float_f32_from_bits(args[0]); \
        results[0] = tri_float_f32_bits(expression); \
    }
#define F32X2(name, expression) \
    TRI_SIM_FUNCTION(name) \
    { \
        (void)sim; \
        (void)id; \
        float x = tri_float_f32_from_bits(args[0]), y = tri_float_f32_from_bits(args[1]); \
        results[0] = tri_float_f32_bits(expression); \
    }
#define F64(name, expression) \
    TRI_SIM_FUNCTION(name) \
    { \
        (void)sim; \
        (void)id; \
        double x = tri_float_f64_from_bits(args[0]); \
        results[0] = tri_float_f64_bits(expression); \
    }

F32(exp_f32, expf(x))
F32(exp2_f32, exp2f(x))
F32(exp2_gradual_f32, exp2f(x))
F32(log_f32, logf(x))
F32(log2_f32, log2f(x))
F32(sin_f32, sinf(x))
F32(cos_f32, cosf(x))
F32(sqrt_f32, sqrtf(x))
F32(sqrt_rn_f32, sqrtf(x))
F32(rsqrt_f32, (float)(1.0 / sqrt((double)x)))
F32(erf_f32, erff(x))
F32(tanh_f32, tanhf(x))
F64(exp_f64, exp(x))
F64(exp2_f64, exp2(x))
F64(log_f64, log(x))
F64(log2_f64, log2(x))
F64(sin_f64, sin(x))
F64(cos_f64, cos(x))
F64(sqrt_f64, sqrt(x))
F64(rsqrt_f64, 1 / sqrt(x))
F64(erf_f64, erf(x))
F64(tanh_f64, tanh(x))
F32X2(div_f32, x / y)
F32X2(div_rn_f32, x / y)
F32X2(fmod_f32, fmodf(x, y))

TRI_SIM_FUNCTION(fmod_f64)
{
    (void)sim;
    (void)id;
    results[0] = tri_float_f64_bits(fmod(tri_float_f64_from_bits(args[0]), tri_float_f64_from_bits(args[1])));
}

TRI_SIM_FUNCTION(mulhi_s64)
{
    (void)sim;
    (void)id;
    results[0] = (uint64_t)((__int128)(int64_t)args[0] * (int64_t)args[1] >> 64);
}

TRI_SIM_FUNCTION(mulhi_u64)
{
    (void)sim;
    (void)id;
    results[0] = (uint64_t)((unsigned __int128)args[0] * args[1] >> 64);
}

/* --- conversions ------------------------------------------------------------------------- */

/* The first operand goes to the upper half. */
static uint64_t pack_fp8(const uint64_t *args, int is_e5m2)
{
    uint64_t high = tri_float_fp8_bits(tri_float_f32_from_bits(args[0]), is_e5m2);
    return high << 8 | tri_float_fp8_bits(tri_float_f32_from_bits(args[1]), is_e5m2);
}

static uint64_t unpack_fp8(uint64_t word, int is_e5m2)
{
    uint64_t low = tri_float_f16_bits(tri_float_fp8_from_bits((uint8_t)word, is_e5m2));
    return low | (uint64_t)tri_float_f16_bits(tri_float_fp8_from_bits((uint8_t)(word >> 8), is_e5m2)) << 16;
}

#define CONVERT(name, expression) \
    TRI_SIM_FUNCTION(name) \
    { \
        (void)sim; \
        (void)id; \
        results[0] = (expression); \
    }
CONVERT(f32x2_to_e4m3x2, pack_fp8(args, 0))
CONVERT(f32x2_to_e5m2x2, pack_fp8(args, 1))
CONVERT(e4m3x2_to_f16x2, unpack_fp8(args[0], 0))
CONVERT(e5m2x2_to_f16x2, unpack_fp8(args[0], 1))

/* --- atomics ----------------------------------------------------------------------------- */

/* Operations are spelled "add.f32", "max.s64", "exch.b32", "add.f16x2", and as in PTX ("add.noftz.f16"). Programs and
 * threads run one at a time, so every update is atomic. */
static uint64_t combine_float(tri_str op, double old, double value, char kind, int bits)
{
    double result = tri_str_has_prefix(op, "add") ? old + value
                    : tri_str_has_prefix(op, "max") ? fmax(old, value)
                    : fmin(old, value);
    if (kind == 'b')
        return (uint64_t)(tri_float_f32_bits((float)tri_float_round_to(result, 7, -126, 0x1.fep127)) >> 16);
    return bits == 16   ? tri_float_f16_bits(result)
           : bits == 32 ? tri_float_f32_bits((float)result)
                        : tri_float_f64_bits(result);
}

static uint64_t combine_int(tri_str op, uint64_t old, uint64_t value, bool is_signed, int bits)
{
    int64_t a = (int64_t)(old << (64 - bits)) >> (64 - bits), b = (int64_t)(value << (64 - bits)) >> (64 - bits);
    bool is_less = is_signed ? a < b : old < value;
    if (tri_str_has_prefix(op, "add"))
        return old + value;
    if (tri_str_has_prefix(op, "and"))
        return old & value;
    if (tri_str_has_prefix(op, "or"))
        return old | value;
    if (tri_str_has_prefix(op, "xor"))
        return old ^ value;
    if (tri_str_has_prefix(op, "max"))
        return is_less ? value : old;
    if (tri_str_has_prefix(op, "min"))
        return is_less ? old : value;
    if (tri_str_has_prefix(op, "exch"))
        return value;
    if (tri_str_has_prefix(op, "inc"))
        return old >= value ? 0 : old + 1;
    if (tri_str_has_prefix(op, "dec"))
        return old == 0 || old > value ? value : old - 1;
    TRI_BUG("the simulator does not know the atomic operation '%.*s'", TRI_STR_ARG(op));
}

static uint64_t combine(tri_str op, uint64_t old, uint64_t value, int bits)
{
    tri_str type = tri_str_sub(op, tri_str_find_last(op, '.') + 1, op.len);
    if (tri_str_is(type, "f16x2") || tri_str_is(type, "bf16x2")) {
        tri_str half = tri_str_sub(op, 0, op.len - 2);
        return combine(half, old & 0xffff, value & 0xffff, 16) | combine(half, old >> 16, value >> 16, 16) << 16;
    }
    if (tri_str_is(type, "bf16"))
        return combine_float(op, tri_float_bf16_from_bits((uint16_t)old), tri_float_bf16_from_bits((uint16_t)value),
                             'b', 16);
    if (tri_str_is(type, "f16"))
        return combine_float(op, tri_float_f16_from_bits((uint16_t)old), tri_float_f16_from_bits((uint16_t)value), 'f',
                             16);
    if (tri_str_is(type, "f32"))
        return combine_float(op, tri_float_f32_from_bits(old), tri_float_f32_from_bits(value), 'f', 32);
    if (tri_str_is(type, "f64"))
        return combine_float(op, tri_float_f64_from_bits(old), tri_float_f64_from_bits(value), 'f', 64);
    return combine_int(op, old, value, type.len && type.data[0] == 's', bits);
}

/* args: address, bits of a word, predicate, operation text, words, values. Whether there is anything to do; reports. */
static bool begin_atomic(tri_sim *sim, const uint64_t *args, unsigned char **out_at, uint64_t *out_old)
{
    size_t size = args[1] / 8, words = args[4] & TRI_SIM_WORDS;
    *out_at = (unsigned char *)(uintptr_t)args[0];
    memset(out_old, 0, words * sizeof *out_old);
    if (!(args[2] & 1) || !tri_sim_check_atomic(sim, *out_at, size, words, args[4] & TRI_SIM_RELAXED))
        return false;
    for (size_t i = 0; i < words; i++)
        memcpy(&out_old[i], *out_at + i * size, size);
    return true;
}

TRI_SIM_FUNCTION(atomic_rmw)
{
    (void)id;
    unsigned char *at;
    if (!begin_atomic(sim, args, &at, results))
        return;
    tri_str operation = tri_str_from((const char *)(uintptr_t)args[3]);
    for (size_t i = 0; i < (args[4] & TRI_SIM_WORDS); i++) {
        uint64_t updated = combine(operation, results[i], args[5 + i], (int)args[1]);
        memcpy(at + i * (args[1] / 8), &updated, args[1] / 8);
    }
}

/* values: what is expected, what replaces it. */
TRI_SIM_FUNCTION(atomic_cas)
{
    (void)id;
    unsigned char *at;
    if (begin_atomic(sim, args, &at, results) && results[0] == args[5])
        memcpy(at, &args[6], args[1] / 8);
}
