/* Functions of floats of runtime/vmath that use no doubles, beside those that do: units in the last place. */
#include "runtime/vmath/libdevice.c"

#include <stdio.h>

static int failures;

static void compare(const char *name, float x, float got, float want, float limit)
{
    if (isnan(want) ? isnan(got) : got == want)
        return;
    float unit = fmaxf(nextafterf(fabsf(want), INFINITY) - fabsf(want), 1.5e-45f);
    if (!isinf(want) && fabsf(got - want) <= limit * unit)
        return;
    failures++;
    printf("%s(%.9g): %.9g, not %.9g\n", name, x, got, want);
}

#define CHECK(name, limit) compare(#name, x, tri_nv_##name##_single(x), tri_nv_##name(x), limit)
#define CHECK2(name, ...) compare(#name, x, tri_nv_##name##_single(__VA_ARGS__), tri_nv_##name(__VA_ARGS__), 3)

static void check_at(float x)
{
    CHECK(rsqrtf, 2), CHECK(frsqrt_rn, 2), CHECK(rcbrtf, 2);
    CHECK(sinpif, 3), CHECK(cospif, 3);
    CHECK(erfinvf, 5), CHECK(erfcinvf, 8), CHECK(normcdfinvf, 8);
    CHECK(erfcxf, 8), CHECK(normcdff, 8);
    if (fabsf(x) < 80) {
        CHECK(cyl_bessel_i0f, 16), CHECK(cyl_bessel_i1f, 16);
    }
    float y = x * 0.75f, z = 1.5f - x;
    if (fabsf(x) > 1e-18f && fabsf(x) < 1e18f) {
        CHECK2(rhypotf, x, y), CHECK2(norm3df, x, y, z), CHECK2(rnorm3df, x, y, z);
        CHECK2(norm4df, x, y, z, 2), CHECK2(rnorm4df, x, y, z, 2);
    }
    for (int n = -3; n <= 4; n++)
        CHECK2(powif, x, n);
}

int main(void)
{
    static const float special[] = {0, 0.5f, 1, 1.5f, 2, INFINITY, NAN, 1e-38f, 1e-30f, 1e30f, 16777216};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        check_at(special[i]), check_at(-special[i]);
    for (int i = 1; i < 2000; i++) { /* all of (-1, 1), around 0 and 1, and tens */
        float x = (float)i;
        check_at(x / 2000), check_at(-x / 2000), check_at(1 + x * 1e-6f), check_at(x * 1e-6f);
        check_at(x * 0.013f), check_at(-x * 0.013f), check_at(expf(-x * 0.04f));
    }
    return failures != 0;
}
