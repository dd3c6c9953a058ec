/* The grid loop of CPU objects, and what kernels call to print and to assert. */
#include "runtime/launch/launch.h"

#include <inttypes.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* OpenMP, when the program is linked with it (-fopenmp): libgomp's entry, which libomp has too. */
extern void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
    __attribute__((weak));
extern int omp_get_max_threads(void) __attribute__((weak));
extern int omp_in_parallel(void) __attribute__((weak));

enum { max_shares = 64 };

typedef struct {
    _Alignas(64) uint64_t next; /* atomic: the first program that nobody has */
    uint64_t first, end;
    uint64_t turned; /* they are taken from so far behind the first on, then those before */
} share;

/* Each thread has a share of the programs, the same in launch after launch, so that what it wrote is in its own cache
 * still. It takes its share in ever smaller parts (guided self-scheduling), and then the others' in the same way:
 * threads end together, and one that never wakes has nothing that others wait for. */
typedef struct {
    _Alignas(64) tri_rt_range *run; /* what every thread reads fills lines of the cache of its own */
    const void *const *args;
    const uint64_t *lengths;
    uint64_t share_count, owners; /* owners: threads to a share */
    int streams;
    uint32_t grid[3];
    _Alignas(64) int err; /* atomic: the first error wins */
    unsigned threads;     /* atomic: of OpenMP, that came */
    share shares[max_shares];
    tri_rt_shared shared;
} team;

/* By the golden section: wherever rows begin again in a share, few threads are at the same ones. */
static uint64_t turn_of(uint64_t count, uint64_t number)
{
    enum { golden = 25033, whole = 1 << 16 }; /* 0.382 */
    uint64_t part = number * golden % whole;
    return count < UINT64_MAX / whole ? (count * part + whole / 2) / whole % count : 0;
}

/* Kernels whose programs read each other's panels: threads that begin with different rows have packed some when the
 * others come to them. */
static void make_shares(team *t, uint64_t total, uint64_t threads, int has_panels)
{
    uint64_t n = threads < max_shares ? threads : max_shares, begin = 0;
    t->share_count = n;
    t->owners = (threads + n - 1) / n;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t count = total / n + (i < total % n);
        t->shares[i].first = t->shares[i].next = begin;
        t->shares[i].end = begin += count;
        t->shares[i].turned = has_panels ? turn_of(count, i) : 0;
    }
}

static void run_part(team *t, tri_rt_state *state, uint64_t begin, uint64_t end)
{
    state->err = 0;
    t->run(t->args, begin, end, t->grid, &state->err);
    if (state->err)
        __atomic_store_n(&t->err, state->err, __ATOMIC_RELAXED);
}

static void run_turned(team *t, tri_rt_state *state, const share *s, uint64_t begin, uint64_t end)
{
    uint64_t before = s->end - s->turned; /* of those before it that come first */
    if (begin < before)
        run_part(t, state, begin + s->turned, (end < before ? end : before) + s->turned);
    if (end > before)
        run_part(t, state, (begin > before ? begin : before) - before + s->first, end - before + s->first);
}

static void work_on(team *t, tri_rt_state *state, share *s)
{
    uint64_t taken = __atomic_load_n(&s->next, __ATOMIC_RELAXED), part;
    for (;;) {
        do {
            if (taken >= s->end)
                return;
            part = (s->end - taken) / (2 * t->owners);
            part = part ? part : 1;
        } while (!__atomic_compare_exchange_n(&s->next, &taken, taken + part, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
        run_turned(t, state, s, taken, taken + part);
        taken = __atomic_load_n(&s->next, __ATOMIC_RELAXED);
    }
}

static void work(void *data, unsigned thread)
{
    team *t = data;
    tri_rt_state state = {0, t->streams, t->lengths, 0, &t->shared};
    for (uint64_t i = 0; i < t->share_count; i++)
        work_on(t, &state, &t->shares[(thread + i) % t->share_count]);
    tri_rt_leave_room(&state, 1);
}

static void work_for_openmp(void *data)
{
    team *t = data;
    work(t, __atomic_fetch_add(&t->threads, 1, __ATOMIC_RELAXED));
}

/* What the program asked for; else OpenMP's number, if it is linked; else one. */
static int thread_count(int *out_is_openmp)
{
    int asked = __atomic_load_n(&tri_rt_asked_threads, __ATOMIC_RELAXED);
    int is_linked = GOMP_parallel && omp_get_max_threads;
    *out_is_openmp = asked == TRI_OPENMP && is_linked;
    if (is_linked && omp_in_parallel && omp_in_parallel())
        return 1;
    return asked > 0 ? asked : is_linked ? omp_get_max_threads() : 1;
}

enum { min_cycles = 8192 }; /* what starting and joining threads costs and saves */

/* What lies before the function. */
typedef struct {
    uint64_t stream_bytes; /* that a program may store past the caches */
    uint64_t cost;         /* its cycles, as the compiler estimates; 0: it does not */
    uint64_t has_panels;
    uint64_t unused; /* the function begins at a multiple of 16 */
} range_facts;

static range_facts facts_of(tri_rt_range *run)
{
    range_facts facts;
    memcpy(&facts, (const char *)(uintptr_t)run - sizeof facts, sizeof facts);
    return facts;
}

/* Is the work too small for threads? */
static int is_small(const range_facts *facts, uint64_t total)
{
    return facts->cost && total <= min_cycles / facts->cost;
}

/* Bytes that one process may have in the last cache. Machines that are shared tell of all of it. */
static uint64_t cache_bytes(void)
{
    enum { unknown = 32 << 20, most = 64 << 20 };
    static long known; /* atomic; 0: not asked yet */
    long bytes = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!bytes) {
#ifdef _SC_LEVEL3_CACHE_SIZE
        bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
        bytes = bytes <= 0 ? unknown : bytes > most ? most : bytes;
        __atomic_store_n(&known, bytes, __ATOMIC_RELAXED);
    }
    return (uint64_t)bytes;
}

/* Does the launch write more than the last cache holds? */
static int is_large(const range_facts *facts, uint64_t total)
{
    return facts->stream_bytes && total > cache_bytes() / facts->stream_bytes;
}

static int run_grid(tri_rt_range *run, const void *const *args, const tri_grid *grid, const uint64_t *lengths)
{
    uint64_t plane = (uint64_t)grid->x * grid->y;
    if (plane == 0 || grid->z == 0)
        return TRI_OK;
    if (plane > UINT64_MAX / 2 / grid->z)
        return TRI_ERROR_GRID;
    uint64_t total = plane * grid->z;
    range_facts facts = facts_of(run);
    int is_openmp, threads = thread_count(&is_openmp), streams = is_large(&facts, total);
    if (threads <= 1 || total == 1 || is_small(&facts, total)) {
        tri_rt_state state = {0, streams, lengths, 0, 0};
        uint32_t sizes[3] = {grid->x, grid->y, grid->z};
        run(args, 0, total, sizes, &state.err);
        tri_rt_leave_room(&state, 1);
        return state.err;
    }
    uint64_t most = total < (uint64_t)threads ? total : (uint64_t)threads;
    team t;
    t.run = run;
    t.args = args;
    t.lengths = lengths;
    t.streams = streams;
    t.grid[0] = grid->x;
    t.grid[1] = grid->y;
    t.grid[2] = grid->z;
    t.err = 0;
    t.threads = 0;
    make_shares(&t, total, most, facts.has_panels != 0);
    tri_rt_share(&t.shared);
    if (is_openmp)
        GOMP_parallel(work_for_openmp, &t, 0, 0);
    else
        tri_rt_pool_run(work, &t, (int)most);
    tri_rt_unshare(&t.shared);
    return t.err;
}

/* ---- the host as a device ---- */

static int runs_here(const tri_rt_part *part)
{
    return (!part->find_level || part->find_level() >= (int)part->level) &&
           (!part->find_features || !(part->features & ~part->find_features()));
}

/* The last part of the configuration that the processor can run: those for higher levels stand behind. */
static const tri_rt_part *find_part(const tri_rt_kernel *kernel, uint32_t config)
{
    const tri_rt_part *best = NULL;
    for (uint32_t i = 0; i < kernel->part_count; i++) {
        const tri_rt_part *p = &kernel->parts[i];
        int fits = p->kind == TRI_HOST && p->config == config && runs_here(p);
        if (fits && (!best || p->level >= best->level))
            best = p;
    }
    return best;
}

static int launch_host(tri_rt_kernel *kernel, const tri_rt_call *call)
{
    const tri_rt_part *part = find_part(kernel, 0);
    uint32_t config = call->config ? call->config - 1
                      : part       ? tri_rt_choose_config(kernel, part->arch, call->args)
                                   : 0;
    part = config ? find_part(kernel, config) : part;
    if (!part)
        return TRI_ERROR_ARCH;
    int error, number = tri_rt_choose(kernel, part, call->args, NULL, &error);
    if (number < 0)
        return error;
    const tri_rt_variant *variant = &kernel->variants[number];
    tri_grid own;
    const tri_grid *grid = call->grid ? call->grid : &own;
    if (!call->grid && (error = tri_rt_find_grid(part, call->args, &own)))
        return error;
    __atomic_store_n(&kernel->contexts[0].last, (uint32_t)number + 1, __ATOMIC_RELAXED);
    if (!variant->slots)
        return run_grid(variant->run, call->args, grid, call->lengths);
    const void *args[TRI_RT_MAX_SLOTS + 1];
    uint64_t lengths[TRI_RT_MAX_SLOTS + 1];
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args);
    for (uint32_t i = 0; call->lengths && i < count; i++)
        lengths[i] = call->lengths[variant->slots[i]];
    return run_grid(variant->run, args, grid, call->lengths ? lengths : NULL);
}

static int has_host(void) { return 1; }

static int load_host(tri_rt_kernel *kernel, int device)
{
    return device ? TRI_ERROR_NO_DEVICE : find_part(kernel, 0) ? TRI_OK : TRI_ERROR_ARCH;
}

static int unload_host(tri_rt_kernel *kernel, int device)
{
    (void)kernel;
    return device ? TRI_ERROR_NO_DEVICE : TRI_OK;
}

static int selected_host(tri_rt_kernel *kernel, int device)
{
    const tri_rt_part *part = device ? NULL : find_part(kernel, 0);
    if (!part)
        return -1;
    uint32_t last = __atomic_load_n(&kernel->contexts[0].last, __ATOMIC_RELAXED);
    for (uint32_t i = 0; last && i < kernel->part_count; i++)
        if (last - 1 - kernel->parts[i].first_variant < kernel->parts[i].variant_count)
            return tri_rt_row(kernel, i, last - 1, 0);
    return tri_rt_row(kernel, (uint32_t)(part - kernel->parts), part->first_variant + part->variant_count - 1, 0);
}

static int time_host(tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count, double *out_seconds)
{
    struct timespec start, end;
    int r = TRI_OK;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint32_t i = 0; i < count && !r; i++)
        r = launch_host(kernel, call);
    clock_gettime(CLOCK_MONOTONIC, &end);
    *out_seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    return r;
}

static const char *arch_of_host(const tri_rt_kernel *kernel)
{
    const tri_rt_part *part = find_part(kernel, 0);
    return part ? part->arch : NULL;
}

const tri_rt_backend tri_rt_cpu_backend = {TRI_HOST,    has_host,      launch_host, load_host,
                                           unload_host, selected_host, time_host,   arch_of_host};

/* ---- called by kernels ---- */

static void print_head(const char *prefix, const uint32_t *pid, const int64_t *index, int rank)
{
    fprintf(stdout, "pid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", pid[0], pid[1], pid[2]);
    if (rank) {
        fputs(" idx (", stdout);
        for (int d = 0; d < rank; d++)
            fprintf(stdout, "%s%" PRId64, d ? ", " : "", index[d]);
        fputs(")", stdout);
    }
    fputs(prefix, stdout);
}

void tri_cpu_rt_print_text(const char *prefix, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t pid[3] = {x, y, z};
    flockfile(stdout); /* a line of each thread */
    print_head(prefix, pid, 0, 0);
    fputc('\n', stdout);
    funlockfile(stdout);
}

void tri_cpu_rt_print(const char *prefix, uint32_t x, uint32_t y, uint32_t z, const int64_t *index, int rank,
                      int64_t bits, double number, int format)
{
    uint32_t pid[3] = {x, y, z};
    int width = format >> 8;
    flockfile(stdout);
    print_head(prefix, pid, index, rank);
    switch (format & 255) {
    case 0:
        fprintf(stdout, "%" PRId64 "\n", bits);
        break;
    case 1:
        fprintf(stdout, "%" PRIu64 "\n", (uint64_t)bits);
        break;
    case 2:
        fprintf(stdout, "0x%0*" PRIx64 "\n", width / 4, (uint64_t)bits);
        break;
    case 3:
        fprintf(stdout, "%f\n", number);
        break;
    default:
        fprintf(stdout, "0x%016" PRIx64 "\n", (uint64_t)bits);
        break;
    }
    funlockfile(stdout);
}

void tri_cpu_rt_assert(int *err, const char *message, const char *file, int line, uint32_t x, uint32_t y, uint32_t z)
{
    fprintf(stderr, "%s:%d: pid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "): assertion failed: %s\n", file, line, x, y, z,
            message);
    *err = TRI_ERROR_ASSERT;
}

void tri_cpu_rt_bounds(tri_rt_state *state, const tri_rt_site *site, const uint64_t *offsets, uint64_t bad,
                       uint64_t length, uint32_t x, uint32_t y, uint32_t z)
{
    int64_t offset = (int64_t)offsets[__builtin_ctzll(bad)];
    if (state->err)
        return;
    state->err = TRI_ERROR_BOUNDS;
    fprintf(stderr, "%s:%" PRIu32 ":%" PRIu32 ": pid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "): %s of %" PRIu64 " bytes ",
            site->file, site->line, site->column, x, y, z, site->kind, site->size);
    if (*site->name)
        fprintf(stderr, "at byte %" PRId64 " of '%s', which has %" PRIu64 " bytes\n", offset, site->name, length);
    else
        fprintf(stderr, "at address 0x%" PRIx64 ", which is in no argument\n", (uint64_t)offset);
}

void tri_cpu_rt_undefined(tri_rt_state *state, const tri_rt_site *site, uint32_t x, uint32_t y, uint32_t z)
{
    if (state->err)
        return;
    state->err = TRI_ERROR_UNDEFINED;
    fprintf(stderr, "%s:%" PRIu32 ":%" PRIu32 ": pid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "): undefined: %s\n",
            site->file, site->line, site->column, x, y, z, site->kind);
}

/* 1 when the `bits` at `address` came to hold `want`, 0 when `timeout` ns (-1: none) were over first. */
int tri_cpu_rt_poll(const void *address, uint64_t want, int bits, int64_t timeout)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        uint64_t seen = bits == 64   ? __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE)
                        : bits == 32 ? __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE)
                                     : __atomic_load_n((const uint16_t *)address, __ATOMIC_ACQUIRE);
        if (seen == want)
            return 1;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t passed = (int64_t)(now.tv_sec - start.tv_sec) * 1000000000 + (now.tv_nsec - start.tv_nsec);
        if (timeout >= 0 && passed >= timeout)
            return 0;
        sched_yield();
    }
}
