#include "runtime/run/array.h"

#include <math.h>
#include <stdlib.h>

tri_array tri_array_create(tri_arena *arena, tri_dtype dtype, int rank, const int64_t *shape)
{
    tri_array array = {.dtype = dtype, .rank = rank, .count = 1};
    for (int i = 0; i < rank; i++) {
        array.shape[i] = shape[i];
        array.count *= shape[i];
    }
    /* 256-byte alignment is what device allocators give, and kernels may be told so. */
    unsigned char *data = tri_arena_alloc(arena, (size_t)array.count * tri_dtype_size(dtype) + 256);
    array.data = data + (256 - (uintptr_t)data % 256) % 256;
    return array;
}

bool tri_array_parse_shape(tri_str text, int *out_rank, int64_t *out_shape)
{
    int rank = 0;
    int64_t count = 1;
    while (text.len) {
        size_t end = tri_str_find(text, 'x');
        int64_t size;
        if (rank == TRI_ARRAY_MAX_RANK || !tri_str_to_i64(tri_str_sub(text, 0, end), &size) || size < 0)
            return false;
        if (size > 0 && count > ((int64_t)1 << 40) / size)
            return false;
        count *= size;
        out_shape[rank++] = size;
        if (end + 1 == text.len)
            return false; /* a trailing x */
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
    *out_rank = rank;
    return true;
}

/* --- generators -------------------------------------------------------------------------- */

typedef struct {
    double seed, low, high, value, start, step;
} fill_options;

static bool parse_options(tri_diag *diag, tri_str text, fill_options *options)
{
    const struct {
        const char *name;
        double *value;
    } known[] = {{"seed", &options->seed},   {"low", &options->low},     {"high", &options->high},
                 {"value", &options->value}, {"start", &options->start}, {"step", &options->step}};
    while (text.len) {
        size_t end = tri_str_find(text, ',');
        tri_str item = tri_str_sub(text, 0, end);
        size_t equals = tri_str_find(item, '=');
        double *slot = NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (tri_str_is(tri_str_sub(item, 0, equals), known[i].name))
                slot = known[i].value;
        char number[64], *stop = number;
        size_t len = equals < item.len ? item.len - equals - 1 : 0;
        if (slot && len && len < sizeof number) {
            memcpy(number, item.data + equals + 1, len);
            number[len] = 0;
            *slot = strtod(number, &stop);
        }
        if (stop == number || *stop) {
            tri_diag_error(diag, TRI_NO_SPAN, 0, "bad option '%.*s' of a generator: seed, low, high, value, start or step"
                           " = number", TRI_STR_ARG(item));
            return false;
        }
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
    return true;
}

/* splitmix64 (Steele, Lea, Flood 2014): every seed gives its own full-period sequence. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double u = 1 - uniform(state), v = uniform(state); /* Box and Muller */
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void poison(tri_array *array)
{
    if (!tri_dtype_is_float(array->dtype)) {
        memset(array->data, 0xff, (size_t)array->count * tri_dtype_size(array->dtype));
        return;
    }
    for (int64_t i = 0; i < array->count; i++)
        tri_array_set(array, i, NAN);
}

bool tri_array_fill(tri_diag *diag, tri_array *array, tri_str name, tri_str text)
{
    fill_options o = {.high = tri_str_is(name, "randint") ? 10 : 1, .step = 1};
    if (!parse_options(diag, text, &o))
        return false;
    if (tri_str_is(name, "empty")) {
        poison(array);
        return true;
    }
    uint64_t state = (uint64_t)o.seed;
    for (int64_t i = 0; i < array->count; i++) {
        double value;
        if (tri_str_is(name, "zeros"))
            value = 0;
        else if (tri_str_is(name, "ones"))
            value = 1;
        else if (tri_str_is(name, "full"))
            value = o.value;
        else if (tri_str_is(name, "arange"))
            value = o.start + o.step * (double)i;
        else if (tri_str_is(name, "randn"))
            value = normal(&state);
        else if (tri_str_is(name, "rand"))
            value = o.low + (o.high - o.low) * uniform(&state);
        else if (tri_str_is(name, "randint"))
            value = floor(o.low + (o.high - o.low) * uniform(&state));
        else
            TRI_BUG("no generator '%.*s'", TRI_STR_ARG(name));
        tri_array_set(array, i, value);
    }
    return true;
}

/* --- output ------------------------------------------------------------------------------ */

static void format_value(const tri_array *array, int64_t i, tri_buf *out)
{
    double value = tri_array_get(array, i);
    if (tri_dtype_is_float(array->dtype))
        tri_buf_format(out, "%.*g", array->dtype == TRI_DTYPE_F64 ? 17 : array->dtype == TRI_DTYPE_F32 ? 9 : 5, value);
    else if (tri_dtype_size(array->dtype) == 8)
        tri_buf_format(out, array->dtype == TRI_DTYPE_U64 ? "%lu" : "%ld", ((const long *)array->data)[i]);
    else
        tri_buf_format(out, "%.0f", value);
}

static void format_shape(const tri_array *array, tri_buf *out)
{
    tri_buf_add_z(out, tri_dtype_name(array->dtype));
    for (int i = 0; i < array->rank; i++)
        tri_buf_format(out, "%s%ld", i ? "x" : ":", (long)array->shape[i]);
}

void tri_array_print(const tri_array *array, tri_str name, int64_t limit, tri_buf *out)
{
    tri_buf_format(out, "%.*s ", TRI_STR_ARG(name));
    format_shape(array, out);
    tri_buf_add_char(out, '\n');
    int64_t row = array->rank ? array->shape[array->rank - 1] : 1;
    for (int64_t i = 0; i < array->count && i < limit; i++) {
        tri_buf_add_char(out, ' ');
        format_value(array, i, out);
        if ((i + 1) % row == 0 || i + 1 == array->count || i + 1 == limit)
            tri_buf_add_char(out, '\n');
    }
    if (array->count > limit)
        tri_buf_format(out, " ... %ld more\n", (long)(array->count - limit));
}

/* --- comparison -------------------------------------------------------------------------- */

enum { worst_count = 5 };

typedef struct {
    int64_t index;
    double excess; /* |difference| over what is allowed; infinite where it is no number */
} difference;

/* Keeps the list sorted, largest first. */
static void keep_worst(difference *worst, int *count, difference d)
{
    int at = *count < worst_count ? (*count)++ : worst_count - 1;
    if (at == worst_count - 1 && *count == worst_count && worst[at].excess >= d.excess && worst[at].index >= 0)
        return;
    while (at > 0 && worst[at - 1].excess < d.excess) {
        worst[at] = worst[at - 1];
        at--;
    }
    worst[at] = d;
}

static double excess_of(double got, double want, double rtol, double atol)
{
    if ((isnan(got) && isnan(want)) || got == want)
        return 0;
    double allowed = atol + rtol * fabs(want), off = fabs(got - want);
    if (!isfinite(off))
        return INFINITY;
    return off <= allowed ? 0 : off - allowed;
}

static void format_place(const tri_array *array, int64_t index, tri_buf *out)
{
    int64_t place[TRI_ARRAY_MAX_RANK];
    for (int i = array->rank; i-- > 0;) {
        place[i] = index % array->shape[i];
        index /= array->shape[i];
    }
    tri_buf_add_char(out, '[');
    for (int i = 0; i < array->rank; i++)
        tri_buf_format(out, "%s%ld", i ? ", " : "", (long)place[i]);
    tri_buf_add_char(out, ']');
}

static bool same_shape(const tri_array *a, const tri_array *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->shape[i] == b->shape[i];
    return same;
}

bool tri_array_compare(const tri_array *got, const tri_array *want, double rtol, double atol, tri_buf *out)
{
    if (!same_shape(got, want)) {
        tri_buf_add_z(out, "shapes differ: ");
        format_shape(got, out);
        tri_buf_add_z(out, " and ");
        format_shape(want, out);
        tri_buf_add_char(out, '\n');
        return false;
    }
    difference worst[worst_count];
    for (int i = 0; i < worst_count; i++)
        worst[i] = (difference){-1, 0};
    int kept = 0;
    int64_t wrong = 0;
    for (int64_t i = 0; i < got->count; i++) {
        double excess = excess_of(tri_array_get(got, i), tri_array_get(want, i), rtol, atol);
        if (excess > 0) {
            wrong++;
            keep_worst(worst, &kept, (difference){i, excess});
        }
    }
    if (!wrong)
        return true;
    tri_buf_format(out, "%ld of %ld elements differ (rtol %g, atol %g); the worst:\n", (long)wrong, (long)got->count, rtol,
                   atol);
    for (int i = 0; i < kept; i++) {
        tri_buf_add_z(out, "  ");
        format_place(got, worst[i].index, out);
        tri_buf_add_z(out, ": got ");
        format_value(got, worst[i].index, out);
        tri_buf_add_z(out, ", expected ");
        format_value(want, worst[i].index, out);
        tri_buf_add_char(out, '\n');
    }
    return false;
}
