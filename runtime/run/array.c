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

typedef enum { OPTION_SEED, OPTION_LOW, OPTION_HIGH, OPTION_VALUE, OPTION_START, OPTION_STEP, OPTION_COUNT } option;

static const char *const option_names[OPTION_COUNT] = {"seed", "low", "high", "value", "start", "step"};

static const struct {
    const char *name;
    unsigned options; /* bits 1 << option */
    bool wants_float;
} generators[] = {
    {"zeros", 0, false},
    {"ones", 0, false},
    {"full", 1 << OPTION_VALUE, false},
    {"empty", 0, false},
    {"arange", 1 << OPTION_START | 1 << OPTION_STEP, false},
    {"randn", 1 << OPTION_SEED, true},
    {"rand", 1 << OPTION_SEED | 1 << OPTION_LOW | 1 << OPTION_HIGH, true},
    {"randint", 1 << OPTION_SEED | 1 << OPTION_LOW | 1 << OPTION_HIGH, false},
};

enum { generator_count = sizeof generators / sizeof *generators };

static int find_generator(tri_str name)
{
    for (int i = 0; i < generator_count; i++)
        if (tri_str_is(name, generators[i].name))
            return i;
    return -1;
}

bool tri_array_is_generator(tri_str name)
{
    return find_generator(name) >= 0;
}

const char *tri_array_nearest_word(tri_str name)
{
    const char *words[generator_count + 2 * TRI_DTYPE_COUNT + 2] = {"addr", "buf"};
    size_t count = 2;
    for (int i = 0; i < generator_count; i++)
        words[count++] = generators[i].name;
    for (int i = 0; i < TRI_DTYPE_COUNT; i++) {
        words[count++] = tri_dtype_name((tri_dtype)i);
        words[count++] = tri_dtype_signature((tri_dtype)i);
    }
    return tri_str_nearest(name, words, count);
}

static bool bad_option(tri_diag *diag, int generator, tri_str item)
{
    tri_buf names = {0};
    for (int i = 0; i < OPTION_COUNT; i++)
        if (generators[generator].options & 1u << i)
            tri_buf_format(&names, "%s%s", names.len ? ", " : "", option_names[i]);
    tri_diag_error(diag, TRI_NO_SPAN, 9003, "bad option '%.*s' of '%s': %s%s", TRI_STR_ARG(item),
                   generators[generator].name, names.len ? "expected NAME=NUMBER with NAME of " : "it takes none",
                   names.len ? names.data : "");
    tri_buf_fini(&names);
    return false;
}

/* One "low=3"; false: it is not that, or not for this generator. */
static bool parse_option(int generator, tri_str item, double *values)
{
    size_t equals = tri_str_find(item, '=');
    char number[64], *stop = number;
    size_t len = equals < item.len ? item.len - equals - 1 : 0;
    int which = 0;
    while (which < OPTION_COUNT && !tri_str_is(tri_str_sub(item, 0, equals), option_names[which]))
        which++;
    if (which == OPTION_COUNT || !(generators[generator].options & 1u << which) || !len || len >= sizeof number)
        return false;
    memcpy(number, item.data + equals + 1, len);
    number[len] = 0;
    values[which] = strtod(number, &stop);
    return stop != number && !*stop;
}

static bool parse_options(tri_diag *diag, int generator, tri_str text, double *values)
{
    bool is_full = tri_str_is(tri_str_from(generators[generator].name), "full");
    if (is_full && !text.len) {
        tri_diag_error(diag, TRI_NO_SPAN, 9003, "'full' needs a value, as in full:f32:8:value=2");
        return false;
    }
    for (size_t end; text.len; text = tri_str_sub(text, end + (end < text.len), text.len)) {
        end = tri_str_find(text, ',');
        tri_str item = tri_str_sub(text, 0, end);
        if (!parse_option(generator, item, values))
            return bad_option(diag, generator, item);
    }
    if (values[OPTION_HIGH] > values[OPTION_LOW])
        return true;
    tri_diag_error(diag, TRI_NO_SPAN, 9003, "high must be above low");
    return false;
}

/* Is the number, cut to an integer where the type is one, an element of that type? */
static bool fits(tri_dtype dtype, double value)
{
    uint64_t bits = 0;
    tri_array one = {.dtype = dtype, .count = 1, .data = &bits};
    if (tri_dtype_is_float(dtype))
        return true;
    if (!(value >= -0x1p63 && value < (dtype == TRI_DTYPE_U64 ? 0x1p64 : 0x1p63)))
        return false;
    tri_array_set(&one, 0, value);
    return tri_array_get(&one, 0) == trunc(value);
}

static bool check_range(tri_diag *diag, tri_dtype dtype, double low, double high)
{
    if (fits(dtype, low) && fits(dtype, high))
        return true;
    tri_diag_error(diag, TRI_NO_SPAN, 9003, "%s elements cannot be %g", tri_dtype_name(dtype),
                   fits(dtype, low) ? high : low);
    return false;
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

static double generate(tri_str name, const double *options, int64_t i, uint64_t *state)
{
    double low = options[OPTION_LOW], span = options[OPTION_HIGH] - low;
    if (tri_str_is(name, "ones"))
        return 1;
    if (tri_str_is(name, "full"))
        return options[OPTION_VALUE];
    if (tri_str_is(name, "arange"))
        return options[OPTION_START] + options[OPTION_STEP] * (double)i;
    if (tri_str_is(name, "randn"))
        return normal(state);
    if (tri_str_is(name, "rand"))
        return low + span * uniform(state);
    if (tri_str_is(name, "randint"))
        return floor(low + span * uniform(state));
    return 0;
}

bool tri_array_fill(tri_diag *diag, tri_array *array, tri_str name, tri_str text)
{
    int generator = find_generator(name);
    TRI_ASSERT(generator >= 0);
    double o[OPTION_COUNT] = {[OPTION_HIGH] = tri_str_is(name, "randint") ? 10 : 1, [OPTION_STEP] = 1};
    if (generators[generator].wants_float && !tri_dtype_is_float(array->dtype)) {
        tri_diag_error(diag, TRI_NO_SPAN, 9003, "'%.*s' makes floats: randint makes %s", TRI_STR_ARG(name),
                       tri_dtype_name(array->dtype));
        return false;
    }
    if (!parse_options(diag, generator, text, o))
        return false;
    if (tri_str_is(name, "empty")) {
        poison(array);
        return true;
    }
    bool is_full = tri_str_is(name, "full"), is_arange = tri_str_is(name, "arange");
    double last = o[OPTION_START] + o[OPTION_STEP] * (double)(array->count > 0 ? array->count - 1 : 0);
    double low = is_full ? o[OPTION_VALUE] : is_arange ? o[OPTION_START] : o[OPTION_LOW];
    double high = is_full ? low : is_arange ? last : ceil(o[OPTION_HIGH]) - 1;
    if (array->dtype != TRI_DTYPE_I1 && !check_range(diag, array->dtype, low, high))
        return false;
    uint64_t state = (uint64_t)(int64_t)o[OPTION_SEED];
    for (int64_t i = 0; i < array->count; i++)
        tri_array_set(array, i, generate(name, o, i, &state));
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

void tri_array_print(const tri_array *array, tri_str name, int64_t limit, tri_buf *out)
{
    enum { most_on_a_line = 16 };
    int64_t row = array->rank ? array->shape[array->rank - 1] : 1;
    bool is_long = row > most_on_a_line && limit > most_on_a_line;
    tri_buf_format(out, "%.*s ", TRI_STR_ARG(name));
    format_shape(array, out);
    tri_buf_add_char(out, '\n');
    for (int64_t i = 0; i < array->count && i < limit; i++) {
        bool ends_row = (i + 1) % row == 0, ends = ends_row || i + 1 == array->count || i + 1 == limit;
        if (is_long && i % row % most_on_a_line == 0) {
            tri_buf_add_char(out, ' ');
            format_place(array, i, out);
        }
        tri_buf_add_char(out, ' ');
        format_value(array, i, out);
        if (ends || (is_long && (i % row + 1) % most_on_a_line == 0))
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

/* 64-bit integers do not fit a double: their difference is taken before it becomes one. */
static double excess_at(const tri_array *got, const tri_array *want, int64_t i, double rtol, double atol)
{
    bool is_wide = got->dtype == want->dtype && !tri_dtype_is_float(got->dtype) && tri_dtype_size(got->dtype) == 8;
    double x = tri_array_get(got, i), y = tri_array_get(want, i);
    if (!is_wide)
        return excess_of(x, y, rtol, atol);
    uint64_t a = ((const uint64_t *)got->data)[i], b = ((const uint64_t *)want->data)[i];
    bool is_less = got->dtype == TRI_DTYPE_U64 ? a < b : (int64_t)a < (int64_t)b;
    double off = (double)(is_less ? b - a : a - b), allowed = atol + rtol * fabs(y);
    return off <= allowed ? 0 : off - allowed;
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
        double excess = excess_at(got, want, i, rtol, atol);
        if (excess > 0) {
            wrong++;
            keep_worst(worst, &kept, (difference){i, excess});
        }
    }
    if (!wrong)
        return true;
    tri_buf_format(out, "%ld of %ld elements differ (rtol %g, atol %g); the worst:\n", (long)wrong, (long)got->count,
                   rtol, atol);
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
