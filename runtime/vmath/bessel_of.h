/* Bessel functions of the first and second kind for one type: REAL, with S(name) making a name of it and F(name) C's
 * function of it. SEED, TINY, LARGE: where recurrences begin, what is a power of x alone, and where numbers are scaled
 * down. Below 1 by their power series. Up to FAR by recurrence backwards from BEYOND orders more than x,
 * which is normalised by
 * J0 + 2 J2 + 2 J4 + ... = 1 (Miller), and Neumann's series for the second kind; beyond by Hankel's expansion. The
 * formulas: Abramowitz and Stegun, 9.1.10 to 9.1.13, 9.1.27, 9.1.46, 9.1.87 to 9.1.88, 9.2.5 to 9.2.10. Absolute
 * errors stay within some ulp of the amplitude, sqrt(2 / (pi x)). */

/* J0, J1, Y0, Y1 at one place. */
typedef struct {
    REAL j[2], y[2];
} S(bessel);

static S(bessel) S(bessel_near_zero)(REAL x)
{
    REAL q = x * x / 4, half = x / 2, term = 1, h = 0; /* (-q)^k / k!^2, 1 + 1/2 + ... + 1/k */
    REAL j0 = 1, j1 = 1, y0 = 0, y1 = 1;
    for (int k = 1; k < 14; k++) {
        term *= -q / (REAL)(k * k);
        h += 1 / (REAL)k;
        j0 += term;
        j1 += term / (REAL)(k + 1);
        y0 -= term * h;
        y1 += term / (REAL)(k + 1) * (2 * h + 1 / (REAL)(k + 1));
    }
    REAL l = F(log)(half) + (REAL)0.57721566490153286061;
    j1 *= half;
    return (S(bessel)){{j0, j1},
                       {(REAL)0.63661977236758134308 * (l * j0 + y0),
                        (REAL)0.63661977236758134308 * (l * j1 - 1 / x - half / 2 * y1)}};
}

static S(bessel) S(bessel_by_recurrence)(REAL x)
{
    int top = 2 * (((int)x + BEYOND) / 2);
    REAL above = 0, here = SEED, all = 0, y0 = 0, y1 = 0, by = 2 / x;
    for (int n = top; n > 1; n -= 2) { /* `here` has an even order */
        REAL odd = (REAL)n * by * here - above, k = (REAL)(n / 2), sign = n / 2 % 2 ? -1 : 1;
        all += 2 * here;
        y0 += sign * here / k;
        if (n > 2) /* of order 2 m + 1, m = k - 1 */
            y1 -= sign * odd * (2 * k - 1) / ((k - 1) * k);
        REAL even = (REAL)(n - 1) * by * odd - here;
        above = odd;
        here = even;
    }
    all += here;
    REAL j0 = here / all, j1 = above / all, l = F(log)(x / 2) + (REAL)0.57721566490153286061;
    return (S(bessel)){{j0, j1},
                       {(REAL)0.63661977236758134308 * (l * j0 - 2 * y0 / all),
                        (REAL)0.63661977236758134308 * ((l - 1) * j1 - j0 / x - y1 / all)}};
}

static void S(hankel)(REAL x, int order, REAL *p, REAL *q)
{
    REAL term = 1, scale = 1 / (8 * x);
    *p = 1;
    *q = 0;
    for (int k = 1; k < 40; k++) {
        REAL next = term * (REAL)(4 * order - (2 * k - 1) * (2 * k - 1)) * scale / (REAL)k;
        if (!(F(fabs)(next) < F(fabs)(term)))
            break;
        term = next;
        if (k % 2)
            *q += k % 4 == 1 ? term : -term;
        else
            *p += k % 4 == 0 ? term : -term;
    }
}

static S(bessel) S(bessel_far)(REAL x)
{
    REAL p, q, s = F(sin)(x), c = F(cos)(x), size = F(sqrt)((REAL)0.31830988618379067154 / x);
    REAL cosine = c + s, sine = s - c; /* of x - pi / 4, times sqrt 2 */
    S(bessel) r;
    S(hankel)(x, 0, &p, &q);
    r.j[0] = size * (p * cosine - q * sine);
    r.y[0] = size * (p * sine + q * cosine);
    S(hankel)(x, 1, &p, &q);
    r.j[1] = size * (p * sine + q * cosine);
    r.y[1] = size * (q * sine - p * cosine);
    return r;
}

static S(bessel) S(bessel_of)(REAL x)
{
    if (x == INFINITY)
        return (S(bessel)){{0, 0}, {0, 0}};
    return x < 1 ? S(bessel_near_zero)(x) : x < FAR ? S(bessel_by_recurrence)(x) : S(bessel_far)(x);
}

/* Of the first kind, order 0 or 1. */
static REAL S(first_kind)(int order, REAL x)
{
    if (isnan(x) || x == 0)
        return order ? x : 1 + x;
    REAL j = S(bessel_of)(F(fabs)(x)).j[order];
    return order && x < 0 ? -j : j;
}

static REAL S(second_kind)(int order, REAL x)
{
    return isnan(x) || x < 0 ? (REAL)NAN : x == 0 ? -(REAL)INFINITY : S(bessel_of)(x).y[order];
}

/* Of any order n > 1 at 0 < x <= n: backwards from where they vanish. */
static REAL S(first_kind_below)(int n, REAL x)
{
    REAL above = 0, here = SEED, all = 0, wanted = 0, by = 2 / x;
    if (x < TINY) {
        wanted = 1;
        for (int k = 1; k <= n && wanted != 0; k++)
            wanted *= x / 2 / (REAL)k;
        return wanted;
    }
    int top = 2 * ((n + (int)F(sqrt)((REAL)(40 * (int64_t)n)) + BEYOND) / 2);
    for (int k = top; k > 0; k--) {
        REAL below = (REAL)k * by * here - above;
        above = here;
        here = below;
        if (F(fabs)(here) > LARGE) {
            here /= LARGE;
            above /= LARGE;
            all /= LARGE;
            wanted /= LARGE;
        }
        if (k % 2)
            all += k == 1 ? here : 2 * here;
        if (k - 1 == n)
            wanted = here;
    }
    return wanted / all;
}

static REAL S(first_kind_n)(int32_t n, REAL x)
{
    uint32_t order = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    REAL size = F(fabs)(x), sign = order % 2 && (n < 0) != (x < 0) ? -1 : 1;
    if (order < 2 || isnan(x))
        return sign * S(first_kind)((int)(order & 1), size);
    if (x == 0 || size == INFINITY)
        return 0;
    if (size <= (REAL)order)
        return sign * S(first_kind_below)((int)order, size);
    S(bessel) r = S(bessel_of)(size);
    for (uint32_t k = 1; k < order; k++) {
        REAL next = 2 * (REAL)k / size * r.j[1] - r.j[0];
        r.j[0] = r.j[1];
        r.j[1] = next;
    }
    return sign * r.j[1];
}

static REAL S(second_kind_n)(int32_t n, REAL x)
{
    uint32_t order = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    REAL sign = order % 2 && n < 0 ? -1 : 1;
    if (order < 2 || isnan(x) || x <= 0)
        return sign * S(second_kind)((int)(order & 1), x);
    S(bessel) r = S(bessel_of)(x);
    for (uint32_t k = 1; k < order && r.y[1] > -(REAL)INFINITY; k++) {
        REAL next = 2 * (REAL)k / x * r.y[1] - r.y[0];
        r.y[0] = r.y[1];
        r.y[1] = next;
    }
    return sign * r.y[1];
}
