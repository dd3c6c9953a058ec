/* The functions for vectors of N lanes; included once per N by vmath.c, so it has no guard. */
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define VF PASTE(vf, N)
#define VI PASTE(vi, N)
#define VD PASTE(vd, N)
#define VL PASTE(vl, N)
#define F(name) PASTE(PASTE(name, _), N)

typedef float VF __attribute__((vector_size(N * 4)));
typedef int32_t VI __attribute__((vector_size(N * 4)));
typedef double VD __attribute__((vector_size(N * 8)));
typedef int64_t VL __attribute__((vector_size(N * 8)));

INLINE VF F(sel)(VI mask, VF a, VF b) { return (VF)((mask & (VI)a) | (~mask & (VI)b)); }
INLINE VD F(seld)(VL mask, VD a, VD b) { return (VD)((mask & (VL)a) | (~mask & (VL)b)); }
INLINE VF F(abs)(VF x) { return (VF)((VI)x & 0x7fffffff); }
INLINE VD F(absd)(VD x) { return (VD)((VL)x & 0x7fffffffffffffff); }
/* Nearest integer of a small number, ties to even. */
INLINE VD F(roundd)(VD x) { return (x + 6755399441055744.0) - 6755399441055744.0; }
/* x * 2^n in two steps, so that subnormal results are right; |n| < 250 (2000). */
INLINE VF F(scale)(VF x, VI n)
{
    VI half = n >> 1;
    return x * (VF)((half + 127) << 23) * (VF)((n - half + 127) << 23);
}
INLINE VD F(scaled)(VD x, VL n)
{
    VL half = n >> 1;
    return x * (VD)((half + 1023) << 52) * (VD)((n - half + 1023) << 52);
}

/* ---- float ---- */

/* p * 2^n for the n that was rounded in `shifted` (n + 1.5 * 2^23): added to the exponent of p, which is about 1. Where
 * the product is no normal number it is garbage, but none that a processor needs help with. */
INLINE VF F(shift)(VF p, VF shifted) { return (VF)((VI)p + ((VI)shifted << 23)); }

/* (e^r - 1 - r) / r^2 on |r| <= ln2 / 2 */
INLINE VF F(exppoly)(VF r)
{
    VF p = r * 1.392617612e-3f + 8.363173075e-3f;
    p = p * r + 4.166655466e-2f;
    p = p * r + 1.666657703e-1f;
    return p * r + 0.5f;
}

/* e^(hi + lo), |hi| <= 80 and lo small */
INLINE VF F(exp2part)(VF hi, VF lo)
{
    VF shifted = hi * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    VF r = hi - n * 0.693145751953125f;
    r = r - n * 1.42860682030941723e-6f + lo;
    return F(shift)(F(exppoly)(r) * (r * r) + r + 1.0f, shifted);
}

/* Results below 2^-126, which processors compute in microcode and which only code that means to comes to: apart. */
#define MAY_BE_SUBNORMAL(is_low, x, end) __builtin_expect(__builtin_reduce_or((is_low) & ((x) > (end))) != 0, 0)

/* Is a lane larger in size, or NaN? Then all take the long way: vectors are rarely mixed. */
#define ANY_BEYOND(x, most) __builtin_expect(__builtin_reduce_or(~(F(abs)(x) <= (most))) != 0, 0)

/* e^x up to the factor 2^n. */
INLINE VF F(expfactor)(VF x, VF *out_shifted)
{
    VF shifted = x * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    VF r = x - n * 0.693145751953125f;
    r = r - n * 1.42860682030941723e-6f;
    *out_shifted = shifted;
    return F(exppoly)(r) * (r * r) + r + 1.0f;
}

/* e^x and 2^x where a result is no normal number, or the argument is none; p and what was rounded are the factor's.
 * Results are infinite from `infinite` on, normal from `normal` on, and more than zero above `zero`. */
typedef VF F(factor)(VF x, VF *out_shifted);

INLINE VF F(ends)(F(factor) *factor, VF x, VF p, VF shifted, float infinite, float normal, float zero)
{
    VF v = F(sel)(x < infinite, F(shift)(p, shifted), x + __builtin_inff());
    VI is_low = x < normal;
    v = F(sel)(is_low, (VF){0}, v);
    if (MAY_BE_SUBNORMAL(is_low, x, zero)) {
        p = factor(F(sel)(x > zero, x, (VF){0} + zero), &shifted);
        v = F(sel)(is_low, F(scale)(p, __builtin_convertvector(shifted - 12582912.0f, VI)), v);
    }
    return v;
}

#if N == 4
/* Of a scalar, in all lanes; without branches, so that it leaves loops in which it is the same. */
INLINE VF F(one)(F(factor) *factor, VF x, float infinite, float normal, float zero)
{
    VF shifted, small, p = factor(x, &shifted);
    VF v = F(sel)(x < infinite, F(shift)(p, shifted), x + __builtin_inff());
    VI is_low = x < normal, is_subnormal = is_low & (x > zero);
    p = factor(F(sel)(is_subnormal, x, (VF){0}), &small);
    p = F(scale)(p, __builtin_convertvector(small - 12582912.0f, VI));
    return F(sel)(is_subnormal, p, F(sel)(is_low, (VF){0}, v));
}
#endif

#define EXP_ENDS 88.7228394f, -87.3365402f, -104.0f
#define EXP2_ENDS 128.0f, -126.0f, -151.0f

EXPORT void F(tri_vm_exp_f32)(VF *out, const VF *in)
{
    VF x = *in, shifted, p = F(expfactor)(x, &shifted);
    *out = ANY_BEYOND(x, 87.3365402f) ? F(ends)(F(expfactor), x, p, shifted, EXP_ENDS) : F(shift)(p, shifted);
}

#if N == 4
EXPORT void tri_vm_exp_f32_1(VF *out, const VF *in) { *out = F(one)(F(expfactor), *in, EXP_ENDS); }
#endif

/* (2^r - 1) / r on |r| <= 1/2 */
INLINE VF F(exp2factor)(VF x, VF *out_shifted)
{
    VF shifted = x + 12582912.0f, r = x - (shifted - 12582912.0f);
    VF p = r * 1.546144777e-04f + 1.339086681e-03f;
    p = p * r + 9.618056938e-03f;
    p = p * r + 5.550356954e-02f;
    p = p * r + 2.402265072e-01f;
    p = p * r + 6.931471825e-01f;
    *out_shifted = shifted;
    return p * r + 1.0f;
}

EXPORT void F(tri_vm_exp2_f32)(VF *out, const VF *in)
{
    VF x = *in, shifted, p = F(exp2factor)(x, &shifted);
    *out = ANY_BEYOND(x, 126.0f) ? F(ends)(F(exp2factor), x, p, shifted, EXP2_ENDS) : F(shift)(p, shifted);
}

#if N == 4
EXPORT void tri_vm_exp2_f32_1(VF *out, const VF *in) { *out = F(one)(F(exp2factor), *in, EXP2_ENDS); }
#endif

/* x = 2^e * (1 + f), 1/sqrt(2) <= 1 + f < sqrt(2), for positive x, subnormals too */
INLINE VF F(split)(VF x, VF *out_e)
{
    VI tiny = x < 1.17549435e-38f;
    VF y = F(sel)(tiny, x * 8388608.0f, x);
    VI bits = (VI)y - 0x3f3504f3;
    *out_e = __builtin_convertvector(bits >> 23, VF) - F(sel)(tiny, (VF){0} + 23.0f, (VF){0});
    return (VF)((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
}

INLINE VF F(logends)(VF x, VF v)
{
    v = F(sel)(x == __builtin_inff(), x, v);
    v = F(sel)(x == 0.0f, (VF){0} - __builtin_inff(), v);
    return F(sel)((x < 0.0f) | (x != x), (VF){0} + __builtin_nanf(""), v);
}

/* (log(1 + f) - f + f^2 / 2) / f^3 */
EXPORT void F(tri_vm_log_f32)(VF *out, const VF *in)
{
    VF e, f = F(split)(*in, &e), z = f * f;
    VF p = f * 6.971611471e-2f - 1.147973385e-1f;
    p = p * f + 1.168541992e-1f;
    p = p * f - 1.242568733e-1f;
    p = p * f + 1.424905765e-1f;
    p = p * f - 1.666780232e-1f;
    p = p * f + 2.000071575e-1f;
    p = p * f - 2.499999696e-1f;
    p = p * f + 3.333333118e-1f;
    VF v = p * f * z + e * 1.42860682030941723e-6f - 0.5f * z + f + e * 0.693145751953125f;
    *out = F(logends)(*in, v);
}

/* (log2(1 + f) - f / ln 2) / f^2; f / ln 2 in two parts */
EXPORT void F(tri_vm_log2_f32)(VF *out, const VF *in)
{
    VF e, f = F(split)(*in, &e);
    VF p = f * 9.765637521e-2f - 1.667364191e-1f;
    p = p * f + 1.704131023e-1f;
    p = p * f - 1.791944744e-1f;
    p = p * f + 2.05328944e-1f;
    p = p * f - 2.404617265e-1f;
    p = p * f + 2.8855988e-1f;
    p = p * f - 3.606739181e-1f;
    p = p * f + 4.808981949e-1f;
    p = p * f - 7.213475196e-1f;
    VF high = (VF)((VI)f & (int32_t)0xfffff000), low = f - high;
    VF v = p * f * f + low * 1.44269504f + high * 1.925963033500e-8f + high * 1.442695021629333f + e;
    v = F(sel)(f == 0.0f, e, v);
    *out = F(logends)(*in, v);
}

/* x modulo pi/2 in double; the quadrant in the low bits */
INLINE VF F(quadrant)(VF x, VI *out_n)
{
    VD wide = __builtin_convertvector(x, VD);
    VD shifted = wide * 0.63661977236758134308 + 6755399441055744.0;
    VD n = shifted - 6755399441055744.0;
    VD r = wide - n * 1.57079632673412561417;
    r = r - n * 6.07710050650619224932e-11;
    *out_n = __builtin_convertvector((VL)shifted, VI);
    return __builtin_convertvector(r, VF);
}

/* (sin(sqrt z) / sqrt z - 1) / z and (cos(sqrt z) - 1 + z / 2) / z^2 on |sqrt z| <= pi / 4 */
INLINE VF F(sincos)(VF x, int quarter)
{
    VI n;
    VF r = F(quadrant)(x, &n), z = r * r;
    n = n + quarter;
    VF s = z * 2.724686872e-6f - 1.984006304e-4f;
    s = s * z + 8.333331831e-3f;
    s = s * z - 1.666666666e-1f;
    s = s * (z * r) + r;
    VF c = z * -2.729840765e-7f + 2.48005806e-5f;
    c = c * z - 1.388888764e-3f;
    c = c * z + 4.166666666e-2f;
    c = c * (z * z) + (1.0f - 0.5f * z);
    VF v = F(sel)((n & 1) != 0, c, s);
    return (VF)((VI)v ^ ((n & 2) << 30));
}

EXPORT void F(tri_vm_sin_f32)(VF *out, const VF *in)
{
    VF x = *in, v = F(sincos)(x, 0);
    v = F(sel)(x == 0.0f, x, v);
    if (__builtin_expect(__builtin_reduce_or(F(abs)(x) > 1e5f) != 0, 0))
        for (int i = 0; i < N; i++)
            if (!(v[i] == v[i]) || fabsf(x[i]) > 1e5f)
                v[i] = sinf(x[i]);
    *out = v;
}

EXPORT void F(tri_vm_cos_f32)(VF *out, const VF *in)
{
    VF x = *in, v = F(sincos)(x, 1);
    if (__builtin_expect(__builtin_reduce_or(F(abs)(x) > 1e5f) != 0, 0))
        for (int i = 0; i < N; i++)
            if (!(v[i] == v[i]) || fabsf(x[i]) > 1e5f)
                v[i] = cosf(x[i]);
    *out = v;
}

/* erf(sqrt z) / sqrt z below 0.87, -log(1 - erf x) up to 4 */
EXPORT void F(tri_vm_erf_f32)(VF *out, const VF *in)
{
    VF x = *in, a = F(abs)(x), z = x * x;
    VF s = z * -1.055678638e-5f + 1.152542548e-4f;
    s = s * z - 8.513768566e-4f;
    s = s * z + 5.222712423e-3f;
    s = s * z - 2.686591737e-2f;
    s = s * z + 1.128378917e-1f;
    s = s * z - 3.761263881e-1f;
    s = s * z + 1.283791671e-1f;
    s = s * x + x;
    VF c = F(sel)(a > 4.0f, (VF){0} + 4.0f, a);
    VF p = c * 6.686427444e-8f - 1.616761022e-6f;
    p = p * c + 1.558269529e-5f;
    p = p * c - 6.021940114e-5f;
    p = p * c - 1.762918734e-4f;
    p = p * c + 3.645931117e-3f;
    p = p * c - 2.442332394e-2f;
    p = p * c + 1.076842769e-1f;
    p = p * c + 6.336634693e-1f;
    p = p * c + 1.129419837f;
    p = p * c - 1.622060755e-4f;
    VF big = 1.0f - F(exp2part)(-p, (VF){0});
    big = (VF)((VI)big | ((VI)x & (int32_t)0x80000000));
    VF v = F(sel)(a < 0.87f, s, big);
    *out = F(sel)(x != x, x, v);
}

/* (tanh(sqrt z) / sqrt z - 1) / z below 0.6 */
EXPORT void F(tri_vm_tanh_f32)(VF *out, const VF *in)
{
    VF x = *in, a = F(abs)(x), z = x * x;
    VF s = z * 2.324515517e-3f - 8.371526868e-3f;
    s = s * z + 2.177720499e-2f;
    s = s * z - 5.396026139e-2f;
    s = s * z + 1.333330772e-1f;
    s = s * z - 3.33333332e-1f;
    s = s * (z * x) + x;
    VF c = F(sel)(a > 10.0f, (VF){0} + 10.0f, a);
    VF big = 1.0f - 2.0f / (F(exp2part)(c + c, (VF){0}) + 1.0f);
    big = (VF)((VI)big | ((VI)x & (int32_t)0x80000000));
    VF v = F(sel)(a < 0.6f, s, big);
    *out = F(sel)(x != x, x, v);
}

/* ---- remainders: exact ---- */

/* a modulo d for 0 <= a < inf and normal 0 < d; anything in other lanes. Multiples of d * 2^k are taken away until k
 * is 0, with quotients below 2^24, so that their products with the upper and the lower half of d * 2^k are exact.
 * *out_odd: the last place of the whole quotient. */
INLINE VD F(modulo)(VD a, VD d, VD *out_odd)
{
    VL counts = (a < __builtin_inf()) & (d > 0.0) & (d < __builtin_inf());
    VD r = F(seld)(counts, a, (VD){0}), odd = (VD){0};
    d = F(seld)(counts, d, (VD){0} + 1.0);
    while (__builtin_reduce_or(r >= d)) {
        VL k = ((VL)r >> 52) - ((VL)d >> 52) - 22;
        k = k & (k > 0);
        VD s = (VD)((VL)d + (k << 52)), half = 0.5 * s, high = (VD)((VL)half & ~INT64_C(0x7ffffff)), low = half - high;
        VD q = F(roundd)(r / s);
        /* of halves: next to the largest number, q * s itself may be infinite */
        VD t = F(seld)(r >= d, 2.0 * (0.5 * r - q * high - q * low), r);
        VL is_less = t < 0.0;
        t = F(seld)(is_less, t + s, t);
        q = F(seld)(is_less, q - 1.0, q);
        VD parity = odd + (q - 2.0 * F(roundd)(0.5 * q - 0.25));
        odd = F(seld)(k == 0, F(seld)(parity == 2.0, (VD){0}, parity), odd);
        r = t;
    }
    *out_odd = odd;
    return r;
}

/* The remainder of the nearest quotient, ties to even, from that of the quotient rounded down. */
INLINE VD F(nearest)(VD r, VD d, VD odd)
{
    VD rest = d - r;
    return F(seld)((r > rest) | ((r == rest) & (odd != 0.0)), r - d, r);
}

INLINE VF F(remainder)(VF x, VF y, int is_nearest)
{
    VD odd, a = __builtin_convertvector(F(abs)(x), VD), d = __builtin_convertvector(F(abs)(y), VD);
    VD r = F(modulo)(a, d, &odd);
    if (is_nearest)
        r = F(nearest)(r, d, odd);
    VF v = (VF)((VI)__builtin_convertvector(r, VF) ^ ((VI)x & (int32_t)0x80000000));
    v = F(sel)(F(abs)(y) == __builtin_inff(), x, v);
    VI none = ~(F(abs)(x) < __builtin_inff()) | (y == 0.0f) | (y != y);
    return F(sel)(none, (VF){0} + __builtin_nanf(""), v);
}

EXPORT void F(tri_vm_fmod_f32)(VF *out, const VF *in, const VF *by) { *out = F(remainder)(*in, *by, 0); }
EXPORT void F(tri_vm_remainder_f32)(VF *out, const VF *in, const VF *by) { *out = F(remainder)(*in, *by, 1); }

INLINE VD F(remainderd)(VD x, VD y, int is_nearest)
{
    VD odd, d = F(absd)(y), a = F(absd)(x);
    VD r = F(modulo)(a, d, &odd);
    if (is_nearest)
        r = F(nearest)(r, d, odd);
    VD v = (VD)((VL)r ^ ((VL)x & INT64_MIN));
    v = F(seld)(d == __builtin_inf(), x, v);
    VL none = ~(a < __builtin_inf()) | (y == 0.0) | (y != y);
    return F(seld)(none, (VD){0} + __builtin_nan(""), v);
}

/* Steps of a divisor below 2^-960 would come to subnormal numbers. */
#define REMAINDER_F64(name, is_nearest) \
    EXPORT void F(tri_vm_##name##_f64)(VD *out, const VD *in, const VD *by) \
    { \
        VD x = *in, y = *by, v = F(remainderd)(x, F(seld)(F(absd)(y) < 0x1p-960, (VD){0} + 1.0, y), is_nearest); \
        if (__builtin_expect(__builtin_reduce_or(F(absd)(y) < 0x1p-960) != 0, 0)) \
            for (int i = 0; i < N; i++) \
                if (__builtin_fabs(y[i]) < 0x1p-960) \
                    v[i] = __builtin_##name(x[i], y[i]); \
        *out = v; \
    }
REMAINDER_F64(fmod, 0)
REMAINDER_F64(remainder, 1)
#undef REMAINDER_F64

/* ---- double ---- */

INLINE VD F(shiftd)(VD p, VD shifted) { return (VD)((VL)p + ((VL)shifted << 52)); }
INLINE VL F(whole)(VD n, VL counts) { return __builtin_convertvector(F(seld)(counts, n, (VD){0}), VL); }

EXPORT void F(tri_vm_exp_f64)(VD *out, const VD *in)
{
    VD x = *in, shifted = x * 1.4426950408889634074 + 6755399441055744.0, n = shifted - 6755399441055744.0;
    VD r = x - n * 6.93147180369123816490e-01;
    r = r - n * 1.90821492927058770002e-10;
    VD p = r * 2.09146793765839351e-9 + 2.5105206373957011116e-8;
    p = p * r + 2.7557273661348636219e-7;
    p = p * r + 2.7557255425746434282e-6;
    p = p * r + 2.4801587325533563819e-5;
    p = p * r + 1.9841269874800491981e-4;
    p = p * r + 1.3888888888883752417e-3;
    p = p * r + 8.333333333326140884e-3;
    p = p * r + 4.1666666666666669752e-2;
    p = p * r + 1.6666666666666670986e-1;
    p = p * r + 0.5;
    p = p * (r * r) + r + 1.0;
    VD v = F(seld)(x <= 709.78271289338397, F(shiftd)(p, shifted), x + __builtin_inf());
    VL is_low = x < -708.39641853226408;
    v = F(seld)(is_low, (VD){0}, v);
    VL counts = is_low & (x > -746.0);
    if (MAY_BE_SUBNORMAL(is_low, x, -746.0))
        v = F(seld)(counts, F(scaled)(p, F(whole)(n, counts)), v);
    *out = v;
}

EXPORT void F(tri_vm_exp2_f64)(VD *out, const VD *in)
{
    VD x = *in, shifted = x + 6755399441055744.0, n = shifted - 6755399441055744.0, r = x - n;
    VD p = r * 1.3716962392737587204e-12 + 2.5733568308756891235e-11;
    p = p * r + 4.4455303091051065886e-10;
    p = p * r + 7.0548943863483480445e-9;
    p = p * r + 1.017808602118547427e-7;
    p = p * r + 1.3215486815999976975e-6;
    p = p * r + 1.5252733804051129178e-5;
    p = p * r + 1.5403530393362755291e-4;
    p = p * r + 1.3333558146428446146e-3;
    p = p * r + 9.6181291076284830543e-3;
    p = p * r + 5.5504108664821579951e-2;
    p = p * r + 2.4022650695910071228e-1;
    p = p * r + 6.9314718055994530942e-1;
    p = p * r + 1.0;
    VD v = F(seld)(x < 1024.0, F(shiftd)(p, shifted), x + __builtin_inf());
    VL is_low = x < -1022.0;
    v = F(seld)(is_low, (VD){0}, v);
    VL counts = is_low & (x > -1076.0);
    if (MAY_BE_SUBNORMAL(is_low, x, -1076.0))
        v = F(seld)(counts, F(scaled)(p, F(whole)(n, counts)), v);
    *out = v;
}

/* log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), s = f / (2 + f) */
EXPORT void F(tri_vm_log_f64)(VD *out, const VD *in)
{
    VD x = *in;
    VL tiny = x < 2.2250738585072014e-308;
    VD y = F(seld)(tiny, x * 4503599627370496.0, x);
    VL bits = (VL)y - 0x3fe6a09e667f3bcd;
    VD e = __builtin_convertvector(bits >> 52, VD) - F(seld)(tiny, (VD){0} + 52.0, (VD){0});
    VD f = (VD)((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
    VD s = f / (2.0 + f), z = s * s;
    VD p = z * 1.1911140964953425872e-1 + 1.168487577703433767e-1;
    p = p * z + 1.3335785054380889395e-1;
    p = p * z + 1.5384571714534154042e-1;
    p = p * z + 1.8181818637598999785e-1;
    p = p * z + 2.2222222219554103805e-1;
    p = p * z + 2.8571428571436387475e-1;
    p = p * z + 3.9999999999999991192e-1;
    p = p * z + 6.6666666666666666668e-1;
    p = p * z;
    /* log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + p)) */
    VD h = 0.5 * f * f;
    VD v = e * 6.93147180369123816490e-01 - ((h - (s * (h + p) + e * 1.90821492927058770002e-10)) - f);
    v = F(seld)(x == __builtin_inf(), x, v);
    v = F(seld)(x == 0.0, (VD){0} - __builtin_inf(), v);
    *out = F(seld)((x < 0.0) | (x != x), (VD){0} + __builtin_nan(""), v);
}

#undef MAY_BE_SUBNORMAL
#undef EXP_ENDS
#undef EXP2_ENDS
#undef PASTE2
#undef PASTE
#undef VF
#undef VI
#undef VD
#undef VL
#undef F
