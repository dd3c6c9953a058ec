/* C's elementary functions for devices without a C library: tri_c_<name>, one element each, compiled once to bitcode
 * without a processor. Functions of float go by those of vmath.c, or by double and round once.
 *
 * Largest errors, which tests/unit/cmath.c checks against the host's library: float 2 ulp, double 4 ulp (pow 8, tgamma
 * and lgamma 1e-14). The polynomials are Chebyshev fits on the named intervals, made with 60 digits. Reduction of
 * large angles: Payne and Hanek, "Radian reduction for trigonometric functions", 1983. */
#include <math.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#ifdef TRI_DEVICE /* tables are in the space of constants */
#define TABLE __attribute__((address_space(4)))
#else
#define TABLE
#endif
#define EXPORT static inline __attribute__((always_inline))
#define N 1
#include "runtime/vmath/functions.h"
#undef N

/* (e^r - 1 - r) / r^2, |r| <= ln2 / 2 */
static const TABLE double exp_tail[] = {0.5,
                                        0.16666666666666666,
                                        0.04166666666666668,
                                        0.008333333333333333,
                                        0.0013888888888878269,
                                        0.00019841269841262761,
                                        2.4801587338565345e-05,
                                        2.7557319248633827e-06,
                                        2.755726102934377e-07,
                                        2.5052069594795685e-08,
                                        2.0918961837795778e-09,
                                        1.6087177234380782e-10};

/* (log((1 + s) / (1 - s)) / s - 2) / s^2 of z = s^2, for m from sqrt 1/2 to sqrt 2 */
static const TABLE double log_tail[] = {0.6666666666666666,  0.3999999999999999,  0.2857142857143546,
                                        0.22222222219829638, 0.18181818597892252, 0.15384574799903467,
                                        0.13335653036628284, 0.11687802007603933, 0.11884909250755585};

/* (sin(r) / r - 1) / z and (cos(r) - 1 + z / 2) / z^2 of z = r^2, |r| <= pi / 4 */
static const TABLE double sin_tail[] = {-0.16666666666666666,   0.008333333333333331,   -0.00019841269841264567,
                                        2.7557319218954762e-06, -2.505210610025599e-08, 1.6058510875319195e-10,
                                        -7.585486485235938e-13};
static const TABLE double cos_tail[] = {0.041666666666666664,  -0.0013888888888888887, 2.4801587301584367e-05,
                                        -2.75573192211891e-07, 2.0876755717584403e-09, -1.1470449354466773e-11,
                                        4.745198807202876e-14};

/* (atan(t) / t - 1) / z of z = t^2, |t| <= 1/8 */
static const TABLE double atan_tail[] = {-0.3333333333333333,  0.19999999999999996,  -0.14285714285708342,
                                         0.11111111108064893,  -0.09090908323599335, 0.07692202611162977,
                                         -0.06658676164643015, 0.05564166244617528};

/* erf(x) / x of x^2, |x| <= 1 */
static const TABLE double erf_low[] = {1.1283791670955126,      -0.37612638903183754,    0.1128379167095512,
                                       -0.02686617064512984,    0.0052239776254232985,   -0.000854832702193483,
                                       0.00012055332902888736,  -1.4925647567519332e-05, 1.6462045441468418e-06,
                                       -1.6364642158167616e-07, 1.4792401209404813e-08,  -1.216456005728345e-09,
                                       8.709045129053106e-11,   -4.230945824295338e-12};

/* e^(x^2) erfc(x) (1 + 2 x), x from 0.9 to 28, of t = (x - 3) / (x + 3) scaled to [-1, 1] */
static const TABLE double erfc_scaled_high[] = {
    1.2342578078087272,      -0.09577656282204637,   -0.0030591057593951994, 0.023374978822709166,
    -0.016289023517915852,   0.00692657129891697,    -0.0019058085040898256, 0.00025076221496190724,
    3.8159593147238294e-05,  -2.247099916347781e-05, 1.351641316838842e-06,  1.345414489886971e-06,
    -2.3449035026283247e-07, -8.597286147251427e-08, 2.2926200717099344e-08, 6.7702977594425126e-09,
    -2.0187878652120284e-09, -6.666606859577309e-10, 1.6416084434287647e-10, 7.440643894997266e-11,
    -1.0928226462538305e-11, -7.84779514435753e-12,  3.6995072710969984e-13, 5.407088149414014e-13,
    1.5250819975995656e-14};

/* gamma on [1, 2], lgamma(x) / ((x - 1) (x - 2)) on [0.75, 2.5], scaled likewise */
static const TABLE double gamma_mid[] = {0.886226925452758,      0.016169198724444854,    0.10370336342207451,
                                         -0.013411850570768404,  0.009040334940346138,    -0.00242259538067136,
                                         0.0009157859959103472,  -0.00029689015793907405, 0.00010092816235673771,
                                         -3.363738774593077e-05, 1.1252390950969945e-05,  -3.7556203913635847e-06,
                                         1.2530541104885602e-06, -4.1654700005420617e-07, 1.3889303118762397e-07,
                                         -4.804979441408193e-08, 1.601834515052145e-08,   -3.9552817295357495e-09,
                                         1.318495489885134e-09,  -1.054852398607853e-09,  3.5162092434213903e-10};
static const TABLE double lgamma_mid[] = {
    0.4658096373623269,      -0.11513161737597967,    0.040256123200031885,   -0.016208382218229584,
    0.007029440969119737,    -0.0031879600551358587,  0.0014887756524171083,  -0.0007096266510620445,
    0.00034335876152350657,  -0.00016805242081507023, 8.300097076392363e-05,  -4.1295304991619454e-05,
    2.066002655335857e-05,   -1.0395092622639582e-05, 5.293004707516496e-06,  -2.686005457273721e-06,
    1.2709973310163612e-06,  -6.478884838098412e-07,  4.97997129778559e-07,   -2.5704299919404387e-07,
    -6.900977138396038e-08,  3.68533501715727e-08,    1.4818233426501196e-07, -7.738577126001818e-08,
    -5.0765079160662616e-08, 2.6585842902428568e-08,  1.5255963548840996e-08, -7.97243817952557e-09};

/* its bits behind the point */
static const TABLE uint64_t two_over_pi[] = {
    0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u,
    0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u,
    0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu};

#define POLYNOMIAL(table, x) polynomial(table, sizeof table / sizeof *table, x)
INLINE double polynomial(const TABLE double *table, int count, double x)
{
    double y = table[count - 1];
#pragma clang loop unroll(full)
    for (int i = count - 2; i >= 0; i--)
        y = fma(y, x, table[i]);
    return y;
}

/* ---- numbers and bits ---- */

INLINE uint64_t word_of(double x)
{
    return ((union {
               double d;
               uint64_t u;
           }){.d = x})
        .u;
}
INLINE double double_of(uint64_t u)
{
    return ((union {
               uint64_t u;
               double d;
           }){.u = u})
        .d;
}
INLINE double scaled_by(double x, int n) /* x * 2^n, |n| < 2100 */
{
    int half = n / 2;
    return x * double_of((uint64_t)(half + 1023) << 52) * double_of((uint64_t)(n - half + 1023) << 52);
}

static const double inf = __builtin_inf(), nan_ = __builtin_nan(""), pi = 3.141592653589793;
static const double ln2 = 0.6931471805599453, ln2_low = 2.3190468138462996e-17;

/* ---- exponentials ---- */

/* e^(x + low) - 1 where n is 0, else e^(x + low) * 2^-n; |x| < 800 */
INLINE double exp_part(double x, double low, int *out_n)
{
    double n = rint(x * 1.4426950408889634);
    double r = fma(-n, ln2, x), tail = low - n * ln2_low;
    double s = r + tail;
    double y = fma(s * s, POLYNOMIAL(exp_tail, s), tail) + r;
    *out_n = (int)n;
    return y;
}

INLINE double exp_of(double x, double low)
{
    if (x != x)
        return x;
    if (x > 709.9)
        return inf;
    if (x < -746)
        return 0;
    int n;
    double y = exp_part(x, low, &n);
    return scaled_by(1 + y, n);
}

double tri_c_exp(double x) { return exp_of(x, 0); }
double tri_c_exp2(double x)
{
    double n = rint(x), r = x - n;
    if (!(x > -1080 && x < 1025))
        return x > 0 ? inf : x != x ? x : 0;
    int zero;
    double hi = r * ln2, low = fma(r, ln2, -hi) + r * ln2_low;
    double y = exp_part(hi, low, &zero);
    return scaled_by(scaled_by(1 + y, zero), (int)n);
}
double tri_c_exp10(double x)
{
    double n = rint(x * 3.321928094887362);
    if (!(x > -330 && x < 309))
        return x > 0 ? inf : x != x ? x : 0;
    double r = fma(-n, 0.3010299956639812, x), rest = n * 2.8037281277851704e-18;
    double hi = r * 2.302585092994046, low = fma(r, 2.302585092994046, -hi) - r * 2.1707562233822494e-16;
    int m;
    double y = exp_part(hi, low + rest * 2.302585092994046, &m);
    return scaled_by(1 + y, (int)n + m);
}
double tri_c_expm1(double x)
{
    if (x != x || x == 0)
        return x;
    if (x > 709.9)
        return inf;
    if (x < -50)
        return -1;
    int n;
    double y = exp_part(x, 0, &n);
    if (n == 0)
        return y;
    if (n > 1000)
        return scaled_by(1 + y, n);
    double power = double_of((uint64_t)(n + 1023) << 52);
    return fma(y, power, power - 1);
}

/* ---- logarithms ---- */

/* log(x + x_low) of a normal x as the sum of the result and *out_low; the first part's error is about 2^-60 */
INLINE double log_parts(double x, double x_low, int exponent, double *out_low)
{
    int64_t shifted = (int64_t)word_of(x) - 0x3fe6a09e667f3bcd;
    double e = (double)((shifted >> 52) + exponent);
    double m = double_of((uint64_t)(shifted & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
    double m_low = x_low == 0 ? 0 : scaled_by(x_low, -(int)(shifted >> 52));
    double f = m - 1, d = m + 1, d_low = m - (d - 1);
    double s = f / d, s_low = (fma(-s, d, f) - s * (d_low + m_low) + m_low) / d;
    double z = s * s, tail = s * z * POLYNOMIAL(log_tail, z);
    double a = e * ln2, a_low = fma(e, ln2, -a) + e * ln2_low, b = 2 * s;
    double sum = a + b, rest = fabs(a) >= fabs(b) ? b - (sum - a) : a - (sum - b);
    rest += a_low + 2 * s_low + tail;
    double y = sum + rest;
    *out_low = sum - y + rest;
    return y;
}

/* Whether x has a logarithm, which is then *out_y (+ *out_low); else *out_y is the answer. */
INLINE int begin_log(double x, double *out_y, double *out_low)
{
    *out_low = 0;
    if (x != x || x == inf || !(x > 0)) {
        *out_y = x != x || x == inf ? x : x == 0 ? -inf : nan_;
        return 0;
    }
    int is_small = x < 2.2250738585072014e-308;
    *out_y = log_parts(is_small ? x * 18014398509481984.0 : x, 0, is_small ? -54 : 0, out_low);
    return 1;
}

double tri_c_log(double x)
{
    double y, low;
    begin_log(x, &y, &low);
    return y;
}
INLINE double log_by(double x, double factor, double factor_low)
{
    double y, low;
    if (!begin_log(x, &y, &low))
        return y;
    double p = y * factor;
    return p + (fma(y, factor, -p) + y * factor_low + low * factor);
}
double tri_c_log2(double x) { return log_by(x, 1.4426950408889634, 2.0355273740931033e-17); }
double tri_c_log10(double x) { return log_by(x, 0.4342944819032518, 1.098319650216765e-17); }
double tri_c_log1p(double x)
{
    double low, u = 1 + x, rest = fabs(x) < 1 ? x - (u - 1) : 1 - (u - x);
    if (!(u > 0) || u == inf)
        return u == 0 ? -inf : u == inf || u != u ? u : nan_;
    if (fabs(x) < 1e-17)
        return x;
    return log_parts(u, rest, 0, &low);
}
double tri_c_pow(double x, double y)
{
    double low, l, a = fabs(x);
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    int is_whole = rint(y) == y, is_odd = is_whole && fabs(y) < 9007199254740992.0 && (int64_t)y % 2;
    double sign = is_odd && (int64_t)word_of(x) < 0 ? -1.0 : 1.0;
    if (a == 0 || a == inf || fabs(y) == inf) {
        if (a == 1)
            return 1;
        if (fabs(y) == inf)
            return (a > 1) == (y > 0) ? inf : 0;
        return sign * ((a == 0) == (y > 0) ? 0 : inf);
    }
    if (x < 0 && !is_whole)
        return nan_;
    begin_log(a, &l, &low);
    double p = y * l;
    if (!(fabs(p) < 1100))
        return sign * (p > 0 ? inf : 0);
    return sign * exp_of(p, fma(y, l, -p) + y * low);
}

/* ---- angles ---- */

/* x > 2^28 modulo pi/2, in [-pi/4, pi/4]: of x * 2/pi the two bits before the point and 128 behind it. */
INLINE int reduce_large(double x, double *out_r, double *out_low)
{
    uint64_t m = (word_of(x) & 0xfffffffffffff) | (uint64_t)1 << 52;
    int e = (int)(word_of(x) >> 52 & 2047) - 1075; /* x = m * 2^e; bits of 2/pi that give multiples of 4 are skipped */
    int skip = e > 2 ? e - 2 : 0, word = skip / 64, shift = skip % 64, left = e - skip;
    uint64_t w[3];
    for (int i = 0; i < 3; i++) {
        uint64_t next = word + i + 1 < 19 ? two_over_pi[word + i + 1] : 0;
        w[i] = shift ? two_over_pi[word + i] << shift | next >> (64 - shift) : two_over_pi[word + i];
    }
    unsigned __int128 p = (unsigned __int128)m * w[2];
    uint64_t r0 = (uint64_t)p;
    p = (unsigned __int128)m * w[1] + (uint64_t)(p >> 64);
    uint64_t r1 = (uint64_t)p;
    p = (unsigned __int128)m * w[0] + (uint64_t)(p >> 64);
    uint64_t r2 = (uint64_t)p, r3 = (uint64_t)(p >> 64), high, low;
    int quadrant;
    if (left > 0) {
        quadrant = (int)(r3 << left | r2 >> (64 - left)) & 3;
        high = r2 << left | r1 >> (64 - left);
        low = r1 << left | r0 >> (64 - left);
    } else {
        quadrant = (int)(r3 >> -left) & 3;
        high = left ? r3 << (64 + left) | r2 >> -left : r2;
        low = left ? r2 << (64 + left) | r1 >> -left : r1;
    }
    double sign = 1;
    if (high >> 63) { /* the next quadrant is nearer */
        low = -low;
        high = ~high + (low == 0);
        quadrant++;
        sign = -1;
    }
    double a = (double)(high >> 11) * 0x1p-53, b = (double)((high & 2047) << 42 | low >> 22) * 0x1p-106;
    double s = a + b, s_low = a - s + b, r = s * (pi / 2);
    *out_low = sign * (fma(s, pi / 2, -r) + s * 6.123233995736766e-17 + s_low * (pi / 2));
    *out_r = sign * r;
    return quadrant;
}

/* x = quadrant * pi/2 + r + low */
INLINE int reduce(double x, double *out_r, double *out_low)
{
    if (fabs(x) > 268435456.0) {
        int q = reduce_large(fabs(x), out_r, out_low);
        if (x < 0) {
            *out_r = -*out_r;
            *out_low = -*out_low;
            q = -q;
        }
        return q;
    }
    double n = rint(x * 0.6366197723675814), first = fma(-n, 1.5707963267948966, x);
    double w = n * 6.123233995736766e-17, r = first - w;
    *out_low = first - r - w - (fma(n, 6.123233995736766e-17, -w) - n * 1.4973849048591698e-33);
    *out_r = r;
    return (int)n;
}

INLINE double sin_part(double r, double low)
{
    double z = r * r;
    return fma(r * z, POLYNOMIAL(sin_tail, z), fma(-0.5 * z, low, low)) + r;
}
INLINE double cos_part(double r, double low)
{
    double z = r * r, h = 0.5 * z, w = 1 - h;
    return w + (1 - w - h + fma(z * z, POLYNOMIAL(cos_tail, z), -r * low));
}
INLINE double sin_of(double x, int quarter)
{
    double r, low;
    if (!(fabs(x) < inf))
        return nan_;
    int q = reduce(x, &r, &low) + quarter;
    double y = q & 1 ? cos_part(r, low) : sin_part(r, low);
    return q & 2 ? -y : y;
}
double tri_c_sin(double x) { return x == 0 ? x : sin_of(x, 0); }
double tri_c_cos(double x) { return sin_of(x, 1); }
double tri_c_tan(double x)
{
    double r, low;
    if (!(fabs(x) < inf))
        return nan_;
    if (x == 0)
        return x;
    int q = reduce(x, &r, &low);
    double s = sin_part(r, low), c = cos_part(r, low);
    return q & 1 ? -c / s : s / c;
}

/* atan(y / x), x > 0 and y from 0 to x */
INLINE double atan_part(double y, double x)
{
    static const TABLE double center[] = {0, 0.24497866312686414, 0.4636476090008061, 0.6435011087932844,
                                          0.7853981633974483};
    static const TABLE double below[] = {0, 1.0698755618734451e-17, 2.2698777452961687e-17, 1.5834785051444286e-17,
                                         3.061616997868383e-17};
    int i = (int)rint(4 * (y / x));
    double c = 0.25 * i, above = fma(-c, x, y), under = fma(c, y, x), t = above / under, z = t * t;
    double t_low = fma(-t, under, above) / under;
    return center[i] + (t + (fma(t * z, POLYNOMIAL(atan_tail, z), t_low) + below[i]));
}
double tri_c_atan2(double y, double x)
{
    double a = fabs(y), b = fabs(x), r;
    if (x != x || y != y)
        return x + y;
    if (a == inf && b == inf) {
        r = pi / 4;
    } else if (a == 0 || b == 0 || a == inf || b == inf) {
        r = a == 0 || b == inf ? 0 : pi / 2;
    } else {
        int e = (int)(word_of(a > b ? a : b) >> 52) - 1023; /* so that products neither overflow nor vanish */
        int k = e > 900 ? -200 : e < -700 ? 300 : 0;
        double top = scaled_by(a < b ? a : b, k), base = scaled_by(a < b ? b : a, k);
        r = a == b ? pi / 4 : atan_part(top, base);
        if (a > b)
            r = pi / 2 - (r - 6.123233995736766e-17);
    }
    if ((int64_t)word_of(x) < 0)
        r = pi - (r - 1.2246467991473532e-16);
    return copysign(r, y);
}
double tri_c_atan(double x) { return x == 0 ? x : tri_c_atan2(x, 1); }
double tri_c_asin(double x) { return fabs(x) <= 1 ? x == 0 ? x : tri_c_atan2(x, sqrt((1 - x) * (1 + x))) : nan_; }
double tri_c_acos(double x) { return fabs(x) <= 1 ? tri_c_atan2(sqrt((1 - x) * (1 + x)), x) : nan_; }

/* ---- hyperbolic ---- */

double tri_c_sinh(double x)
{
    double a = fabs(x), y;
    if (!(a < inf) || a < 1e-9)
        return x;
    if (a > 700) {
        y = exp_of(a / 2, 0);
        y = 0.5 * y * y;
    } else {
        double t = tri_c_expm1(a);
        y = 0.5 * (t + t / (t + 1));
    }
    return copysign(y, x);
}
double tri_c_cosh(double x)
{
    double a = fabs(x), y = exp_of(a > 700 ? a / 2 : a, 0);
    return a > 700 ? 0.5 * y * y : 0.5 * y + 0.5 / y;
}
double tri_c_tanh(double x)
{
    double a = fabs(x);
    if (x != x || a < 1e-9)
        return x;
    double t = tri_c_expm1(a < 20 ? 2 * a : 40);
    return copysign(t / (t + 2), x);
}
double tri_c_asinh(double x)
{
    double a = fabs(x);
    if (!(a < inf) || a < 1e-9)
        return x;
    double y = a > 1e9 ? tri_c_log(a) + ln2 : tri_c_log1p(a + a * a / (1 + sqrt(1 + a * a)));
    return copysign(y, x);
}
double tri_c_acosh(double x)
{
    double t = x - 1;
    if (x < 1)
        return nan_;
    return x > 1e9 ? tri_c_log(x) + ln2 : tri_c_log1p(t + sqrt(t * (t + 2)));
}
double tri_c_atanh(double x)
{
    double a = fabs(x);
    if (a < 1e-9)
        return x;
    return copysign(0.5 * tri_c_log1p(2 * a / (1 - a)), x);
}

/* ---- powers and roots ---- */

double tri_c_cbrt(double x)
{
    double a = fabs(x);
    if (!(a < inf) || a == 0)
        return x;
    double up = a > 1e90 ? 0x1p200 : a < 1e-90 ? 0x1p-300 : 1; /* cubes neither overflow nor vanish */
    a = a > 1e90 ? a * 0x1p-600 : a < 1e-90 ? a * 0x1p900 : a;
    double y = double_of(word_of(a) / 3 + 0x2a9f7893782da1ceu);
    for (int i = 0; i < 3; i++) { /* of third order */
        double cube = y * y * y;
        y = y * (cube + 2 * a) / (2 * cube + a);
    }
    double square = y * y, rest = fma(square, y, -a) + fma(y, y, -square) * y;
    return copysign((y - rest / (3 * square)) * up, x);
}
double tri_c_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), top = a > b ? a : b, least = a > b ? b : a;
    if (a == inf || b == inf)
        return inf;
    if (x != x || y != y)
        return x + y;
    int k = top > 0x1p500 ? -600 : top < 0x1p-500 ? 600 : 0;
    top = scaled_by(top, k);
    least = scaled_by(least, k);
    return scaled_by(sqrt(fma(top, top, least * least)), -k);
}
double tri_c_fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }
double tri_c_logb(double x)
{
    double a = fabs(x);
    if (!(a < inf) || a == 0)
        return x != x ? x : a == 0 ? -inf : inf;
    int is_small = a < 2.2250738585072014e-308;
    return (double)((int)(word_of(is_small ? a * 18014398509481984.0 : a) >> 52) - (is_small ? 1077 : 1023));
}
double tri_c_nextafter(double x, double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return copysign(0x1p-1074, y);
    return double_of(word_of(x) + ((x < y) == (x > 0) ? 1 : (uint64_t)-1));
}

/* ---- error function, gamma ---- */

/* erfc(x), x > 0.9 */
INLINE double erfc_high(double x)
{
    if (x > 27.3)
        return 0;
    double t = ((x - 3) / (x + 3) + 0.53846153846153846154) * 1.4870848708487086 - 1;
    double square = x * x, low = fma(x, x, -square);
    return exp_of(-square, -low) * POLYNOMIAL(erfc_scaled_high, t) / (1 + 2 * x);
}
double tri_c_erf(double x)
{
    double a = fabs(x);
    if (x != x)
        return x;
    return a <= 1 ? x * POLYNOMIAL(erf_low, x * x) : copysign(a > 6 ? 1 : 1 - erfc_high(a), x);
}
double tri_c_erfc(double x)
{
    if (x != x)
        return x;
    if (x > 0.9)
        return erfc_high(x);
    if (x > -1)
        return x < 0.25 ? 1 - x * POLYNOMIAL(erf_low, x * x) : 0.5 + (0.5 - x * POLYNOMIAL(erf_low, x * x));
    return x < -6 ? 2 : 2 - erfc_high(-x);
}

INLINE double sin_pi(double x) /* of x * pi */
{
    double n = rint(2 * x), r = fma(-0.5, n, x) * pi;
    int q = (int)(n - 4 * floor(n * 0.25));
    double y = q & 1 ? cos_part(r, 0) : sin_part(r, 0);
    return q & 2 ? -y : y;
}

/* Of finite numbers that are no whole one below 1. None of these calls itself: on a device that takes a stack whose
 * size nobody knows. */
INLINE double gamma_by_steps(double x)
{
    double y = 1, a = x, rest = 1;
    for (; a >= 2; rest *= a)
        a -= 1;
    for (; a < 1; a += 1)
        y *= a;
    return rest * POLYNOMIAL(gamma_mid, 2 * a - 3) / y;
}

double tri_c_tgamma(double x)
{
    if (x != x || x == inf)
        return x;
    if (x == 0)
        return 1 / x;
    if (x < 0 && (rint(x) == x || x == -inf))
        return nan_;
    if (x > 171.7)
        return inf;
    if (x < -184)
        return 0;
    if (x < -20) /* the reflection */
        return -pi / (sin_pi(x) * x * gamma_by_steps(-x));
    return gamma_by_steps(x);
}

INLINE double log_gamma_above(double x) /* 0.75 */
{
    if (x <= 2.5)
        return (x - 1) * (x - 2) * POLYNOMIAL(lgamma_mid, (x - 1.625) / 0.875);
    if (x < 12)
        return tri_c_log(gamma_by_steps(x));
    double z = 1 / (x * x); /* Stirling's series */
    double s =
        (((((-691.0 / 360360 * z + 1.0 / 1188) * z - 1.0 / 1680) * z + 1.0 / 1260) * z - 1.0 / 360) * z + 1.0 / 12) / x;
    return (x - 0.5) * (tri_c_log(x) - 1) - 0.5 + 0.91893853320467274178 + s;
}

double tri_c_lgamma(double x)
{
    double a = fabs(x);
    if (!(a < inf))
        return x != x ? x : inf;
    if (x <= 0 && rint(x) == x)
        return inf;
    if (a < 1e-17)
        return -tri_c_log(a);
    double of_size = a < 0.75 ? log_gamma_above(a + 1) - tri_c_log(a) : log_gamma_above(a);
    return x < 0 ? tri_c_log(pi / fabs(sin_pi(x) * x)) - of_size : of_size;
}

/* ---- remainders: exact ---- */

/* As a whole number and a power of two, x > 0. */
INLINE uint64_t split_whole(double x, int *out_exponent)
{
    uint64_t u = word_of(x), m = u & 0xfffffffffffff;
    int e = (int)(u >> 52);
    *out_exponent = e ? e : 1;
    return e ? m | (uint64_t)1 << 52 : m;
}

double tri_c_fmod(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (!(a < inf) || b != b || b == 0)
        return nan_;
    if (a < b)
        return x;
    int ea, eb;
    uint64_t m = split_whole(a, &ea), by = split_whole(b, &eb);
    for (m %= by; ea > eb && m;) { /* a remainder has at most 53 bits: 11 are free */
        int step = ea - eb < 11 ? ea - eb : 11;
        m = (m << step) % by;
        ea -= step;
    }
    /* m * 2^(eb - 1075), in two steps as it may be subnormal; both are exact */
    return copysign(scaled_by((double)m, eb - 1075), x);
}
double tri_c_remainder(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (!(a < inf) || b != b || b == 0)
        return nan_;
    if (b < 0x1p1022)
        a = tri_c_fmod(a, b + b);
    if (b < 0x1p-1000) { /* half of it may not exist */
        if (a + a > b) {
            a -= b;
            if (a + a >= b)
                a -= b;
        }
    } else if (a > 0.5 * b) {
        a -= b;
        if (a >= 0.5 * b)
            a -= b;
    }
    return (int64_t)word_of(x) < 0 ? -a : a;
}

/* ---- float ---- */

#define BY_VECTOR(name)                                                                                                \
    float tri_c_##name##f(float x)                                                                                     \
    {                                                                                                                  \
        vf1 in = {x}, out;                                                                                             \
        tri_vm_##name##_f32_1(&out, &in);                                                                              \
        return out[0];                                                                                                 \
    }
BY_VECTOR(erf)
BY_VECTOR(tanh)

#define BY_DOUBLE(name)                                                                                                \
    float tri_c_##name##f(float x) { return (float)tri_c_##name(x); }
BY_DOUBLE(acos)
BY_DOUBLE(acosh)
BY_DOUBLE(asin) BY_DOUBLE(asinh) BY_DOUBLE(atan) BY_DOUBLE(atanh) BY_DOUBLE(cbrt) BY_DOUBLE(cos) BY_DOUBLE(cosh)
    BY_DOUBLE(erfc) BY_DOUBLE(expm1) BY_DOUBLE(lgamma) BY_DOUBLE(log1p) BY_DOUBLE(sin) BY_DOUBLE(sinh) BY_DOUBLE(tan)
        BY_DOUBLE(tgamma) BY_DOUBLE(logb)

            float tri_c_atan2f(float y, float x)
{
    return (float)tri_c_atan2(y, x);
}
float tri_c_powf(float x, float y) { return (float)tri_c_pow(x, y); }
float tri_c_hypotf(float x, float y) { return (float)sqrt((double)x * x + (double)y * y); }
float tri_c_fdimf(float x, float y) { return (float)tri_c_fdim(x, y); }
float tri_c_nextafterf(float x, float y)
{
    union {
        float f;
        uint32_t u;
    } v = {x};
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return copysignf(0x1p-149f, y);
    v.u += (x < y) == (x > 0) ? 1 : (uint32_t)-1;
    return v.f;
}
float tri_c_fmodf(float x, float y)
{
    vf1 a = {x}, b = {y}, out;
    tri_vm_fmod_f32_1(&out, &a, &b);
    return out[0];
}
float tri_c_remainderf(float x, float y)
{
    vf1 a = {x}, b = {y}, out;
    tri_vm_remainder_f32_1(&out, &a, &b);
    return out[0];
}
