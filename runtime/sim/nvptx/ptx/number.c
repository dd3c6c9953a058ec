#include "runtime/sim/nvptx/ptx/number.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

typedef struct {
    int mantissa, exponent, bias;
    enum { IEEE, ONE_NAN, FINITE } kind; /* ONE_NAN: no infinity, NaN is all ones; FINITE: neither */
} shape;

static const shape shapes[] = {
    [FORMAT_F16] = {10, 5, 15, IEEE},   [FORMAT_BF16] = {7, 8, 127, IEEE},  [FORMAT_F32] = {23, 8, 127, IEEE},
    [FORMAT_TF32] = {10, 8, 127, IEEE}, [FORMAT_E4M3] = {3, 4, 7, ONE_NAN}, [FORMAT_E5M2] = {2, 5, 15, IEEE},
    [FORMAT_E2M1] = {1, 2, 1, FINITE},  [FORMAT_E2M3] = {3, 2, 1, FINITE},  [FORMAT_E3M2] = {2, 3, 3, FINITE},
};

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double tri_ptx_decode(ptx_format format, uint64_t bits)
{
    if (format == FORMAT_F64)
        return from_bits(bits);
    if (format == FORMAT_UE8M0)
        return (bits & 255) == 255 ? NAN : ldexp(1, (int)(bits & 255) - 127);
    if (format == FORMAT_TF32)
        bits = (bits & 0xffffffffu) >> 13;
    const shape *f = &shapes[format];
    uint64_t mantissa = bits & ((1u << f->mantissa) - 1), all = (1u << f->exponent) - 1;
    uint64_t exponent = bits >> f->mantissa & all;
    bool is_negative = bits >> (f->mantissa + f->exponent) & 1;
    double magnitude;
    if (f->kind == IEEE && exponent == all)
        magnitude = mantissa ? NAN : INFINITY;
    else if (f->kind == ONE_NAN && exponent == all && mantissa == (1u << f->mantissa) - 1)
        magnitude = NAN;
    else if (exponent)
        magnitude = ldexp((double)(mantissa | 1u << f->mantissa), (int)exponent - f->bias - f->mantissa);
    else
        magnitude = ldexp((double)mantissa, 1 - f->bias - f->mantissa);
    return is_negative ? -magnitude : magnitude;
}

long double tri_ptx_integral(long double value, ptx_rounding rounding)
{
    long double below = floorl(value), part = value - below;
    switch (rounding) {
    case ROUND_ZERO: return truncl(value);
    case ROUND_DOWN: return below;
    case ROUND_UP: return ceill(value);
    case ROUND_AWAY: return copysignl(floorl(fabsl(value) + 0.5L), value);
    case ROUND_EVEN: break;
    }
    long double up = part > 0.5L || (part == 0.5L && fmodl(below, 2) != 0) ? below + 1 : below;
    return copysignl(up, value);
}

/* Code of the largest finite magnitude. */
static uint64_t top_of(const shape *f)
{
    uint64_t all = ((uint64_t)1 << (f->mantissa + f->exponent)) - 1;
    return f->kind == FINITE ? all : f->kind == ONE_NAN ? all - 1 : all - ((uint64_t)1 << f->mantissa);
}

static uint64_t nan_of(const shape *f)
{
    uint64_t all = ((uint64_t)1 << (f->mantissa + f->exponent)) - 1;
    return f->kind == FINITE ? top_of(f) : all;
}

static uint64_t encode_scale(long double value, ptx_rounding rounding)
{
    if (isnan(value))
        return 255;
    if (value <= 0x1p-127L) /* zero and what is below the smallest scale */
        return 0;
    if (isinf(value))
        return 254;
    int exponent;
    long double fraction = frexpl(value, &exponent); /* [0.5, 1) */
    int code = exponent - 1 + 127 + (rounding == ROUND_UP && fraction > 0.5L);
    return (uint64_t)(code > 254 ? 254 : code < 0 ? 0 : code);
}

/* Magnitudes beyond the largest number. */
static uint64_t encode_overflow(const shape *f, bool is_negative, ptx_rounding rounding, bool saturates)
{
    bool keeps =
        rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !is_negative) || (rounding == ROUND_UP && is_negative);
    return f->kind != IEEE || saturates || keeps ? top_of(f) : top_of(f) + 1;
}

uint64_t tri_ptx_encode(ptx_format format, long double value, ptx_rounding rounding, bool saturates)
{
    if (format == FORMAT_F64)
        return to_bits(isnan(value) ? NAN : (double)value);
    if (format == FORMAT_UE8M0)
        return encode_scale(value, rounding);
    const shape *f = &shapes[format];
    if (isnan(value))
        return format == FORMAT_TF32 ? 0x7fffffffu : nan_of(f);
    bool is_negative = signbit(value);
    uint64_t code;
    if (isinf(value)) {
        code = f->kind != IEEE || saturates ? top_of(f) : top_of(f) + 1;
    } else if (value == 0) {
        code = 0;
    } else {
        int exponent, low = 1 - f->bias;
        frexpl(value, &exponent);
        int quantum = (exponent - 1 < low ? low : exponent - 1) - f->mantissa;
        long double steps = fabsl(tri_ptx_integral(ldexpl(value, -quantum), rounding));
        /* a normal number has its hidden bit in steps, which the addition carries into the exponent */
        uint64_t biased = (uint64_t)(quantum + f->mantissa - low);
        code = (biased << f->mantissa) + (uint64_t)steps;
        if (code > top_of(f))
            code = encode_overflow(f, is_negative, rounding, saturates);
    }
    code |= (uint64_t)is_negative << (f->mantissa + f->exponent);
    return format == FORMAT_TF32 ? code << 13 : code;
}

bool tri_ptx_is_subnormal(ptx_format format, double value)
{
    return value != 0 && fabs(value) < (format == FORMAT_F64 ? 0x1p-1022 : ldexp(1, 1 - shapes[format].bias));
}

/* `value` is the double nearest to the exact result, and `error` has the sign of what is missing. */
static double to_odd(double value, double error)
{
    if (error == 0 || isnan(error) || isinf(value) || (to_bits(value) & 1))
        return value;
    return nextafter(value, error > 0 ? INFINITY : -INFINITY);
}

double tri_ptx_fma_odd(double a, double b, double c, ptx_rounding zero)
{
    double product = a * b, sum = product + c;
    if (isnan(sum) || isinf(sum))
        return sum;
    if (sum == 0 && (product != 0 || signbit(product) != signbit(c)))
        return zero == ROUND_DOWN ? -0.0 : 0.0;
    double c_part = sum - product, error = (product - (sum - c_part)) + (c - c_part);
    return to_odd(sum, error);
}

double tri_ptx_div_odd(double a, double b)
{
    double quotient = a / b;
    if (isnan(quotient) || isinf(quotient) || b == 0 || isinf(b))
        return quotient;
    double rest = fma(-quotient, b, a);
    return to_odd(quotient, signbit(b) ? -rest : rest);
}

double tri_ptx_sqrt_odd(double a)
{
    double root = sqrt(a);
    return isnan(root) || isinf(root) ? root : to_odd(root, fma(-root, root, a));
}

/* Operands come through volatile copies, so that the operation stays between the switches. */
double tri_ptx_f64(char operation, double a, double b, double c, ptx_rounding rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    volatile double x = a, y = b, z = c, result = 0;
    int old = fegetround();
    fesetround(modes[rounding]);
    switch (operation) {
    case '+': result = x + y; break;
    case '*': result = x * y; break;
    case '/': result = x / y; break;
    case 's': result = sqrt(x); break;
    default: result = fma(x, y, z); break;
    }
    fesetround(old);
    return result;
}
