/* Which configuration runs for which arguments: the tuning table that was compiled in, and what k_tune measured. */
#include "runtime/launch/launch.h"

#include <pthread.h>

/* ---- the nearest row ---- */

/* Binary logarithm of value + 1, in 1/65536ths and right to a hundredth: f + 0.343 f (1 - f) for the fraction f that
 * stands behind the first bit. */
static int64_t logarithm(int64_t value)
{
    uint64_t v = value < 0 ? 1 : (uint64_t)value + 1;
    int bits = 63 - __builtin_clzll(v);
    uint64_t f = (bits >= 16 ? v >> (bits - 16) : v << (16 - bits)) & 65535;
    return ((int64_t)bits << 16) + (int64_t)(f + (f * (65536 - f) >> 16) * 22480 / 65536);
}

static int64_t distance(const tri_rt_tuning *t, const int64_t *values, const int64_t *key)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->key_count; i++) {
        int64_t d = key[i] == values[i] ? 0 : logarithm(key[i]) - logarithm(values[i]);
        sum += key[i] == values[i] ? 0 : 1 + 2 * (d < 0 ? -d : d); /* equal values before those of equal logarithm */
    }
    return sum;
}

static int is_same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static int64_t signed_value(const void *argument, unsigned bits)
{
    switch (bits) {
    case 64:
        return *(const int64_t *)argument;
    case 32:
        return *(const int32_t *)argument;
    case 16:
        return *(const int16_t *)argument;
    default:
        return *(const int8_t *)argument;
    }
}

static void read_key(const tri_rt_tuning *t, const void *const *args, int64_t *key)
{
    for (uint32_t i = 0; i < t->key_count; i++)
        key[i] = signed_value(args[t->key[i].arg], t->key[i].bits);
}

/* A row of `learned`: the configuration, the architecture's text, the values. */
static int64_t *learned_row(const tri_rt_tuning *t, uint64_t i) { return t->learned + 1 + i * (2 + t->key_count); }

static const char *arch_of(const int64_t *row) { return (const char *)(uintptr_t)row[1]; }

uint32_t tri_rt_choose_config(const tri_rt_kernel *kernel, const char *arch, const void *const *args)
{
    const tri_rt_tuning *t = kernel->tuning;
    int64_t key[TRI_RT_MAX_KEYS], best = INT64_MAX;
    uint64_t config = 0;
    if (!t || t->key_count > TRI_RT_MAX_KEYS)
        return 0;
    uint64_t learned = t->learned ? (uint64_t)__atomic_load_n(t->learned, __ATOMIC_ACQUIRE) : 0;
    if (!t->row_count && !learned)
        return 0;
    read_key(t, args, key);
    for (uint64_t i = 0; i < learned && best; i++) {
        const int64_t *row = learned_row(t, i);
        int64_t d = is_same_text(arch_of(row), arch) ? distance(t, row + 2, key) : INT64_MAX;
        if (d < best) {
            best = d;
            config = (uint64_t)__atomic_load_n(row, __ATOMIC_RELAXED);
        }
    }
    for (uint32_t i = 0; i < t->row_count && best; i++) {
        const tri_rt_tuned *row = &t->rows[i];
        int64_t d = row->arch && !is_same_text(row->arch, arch) ? INT64_MAX : distance(t, row->values, key);
        if (d < best) {
            best = d;
            config = row->config;
        }
    }
    return (uint32_t)config;
}

/* ---- measuring ---- */

/* Seconds of one launch, from the fastest of three batches that take some milliseconds each. The first launch loads. */
static int measure(const tri_rt_backend *backend, tri_rt_kernel *kernel, const tri_rt_call *call, double *out_seconds)
{
    double once, all;
    int r = backend->time(kernel, call, 1, &once);
    if (r || (r = backend->time(kernel, call, 1, &once)))
        return r;
    double wanted = once > 0 ? 5e-3 / once : 200;
    uint32_t count = wanted < 1 ? 1 : wanted > 200 ? 200 : (uint32_t)wanted;
    *out_seconds = once;
    for (int i = 0; i < 3 && !r; i++) {
        r = backend->time(kernel, call, count, &all);
        if (!r && all / count < *out_seconds)
            *out_seconds = all / count;
    }
    return r;
}

/* Of those who write; a row is complete before its number is seen. */
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static int learn_locked(const tri_rt_tuning *t, const char *arch, const int64_t *key, uint32_t config)
{
    uint64_t count = (uint64_t)t->learned[0];
    for (uint64_t i = 0; i < count; i++) {
        int64_t *row = learned_row(t, i);
        if (!is_same_text(arch_of(row), arch) || distance(t, row + 2, key))
            continue;
        __atomic_store_n(row, config, __ATOMIC_RELAXED);
        return TRI_OK;
    }
    if (count == TRI_RT_MAX_LEARNED)
        return TRI_ERROR_MEMORY;
    int64_t *row = learned_row(t, count);
    row[0] = config;
    row[1] = (int64_t)(uintptr_t)arch;
    for (uint32_t i = 0; i < t->key_count; i++)
        row[2 + i] = key[i];
    __atomic_store_n(t->learned, (int64_t)count + 1, __ATOMIC_RELEASE);
    return TRI_OK;
}

int tri_rt_tune_with(const tri_rt_backend *backend, tri_rt_kernel *kernel, tri_stream stream, const tri_grid *grid,
                     const void *const *args)
{
    const tri_rt_tuning *t = kernel->tuning;
    const char *arch = backend->arch(kernel);
    int64_t key[TRI_RT_MAX_KEYS];
    int error = TRI_ERROR_ARCH, has_any = 0;
    double seconds, least = 0;
    uint32_t best = 0;
    if (!t || !t->learned || t->key_count > TRI_RT_MAX_KEYS || !arch)
        return TRI_ERROR_ARCH;
    for (uint32_t config = 0; config < kernel->config_count; config++) {
        tri_rt_call call = {stream, grid, args, NULL, config + 1};
        int r = measure(backend, kernel, &call, &seconds);
        if (r)
            error = r;
        if (r || (has_any && seconds >= least))
            continue;
        has_any = 1;
        least = seconds;
        best = config;
    }
    if (!has_any)
        return error;
    read_key(t, args, key);
    pthread_mutex_lock(&writers);
    int r = learn_locked(t, arch, key, best);
    pthread_mutex_unlock(&writers);
    return r;
}
