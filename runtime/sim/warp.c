/* Who am I, barriers, exchanges inside a warp, messages. */
#include "runtime/sim/primitives.h"

#include <stdio.h>

/* --- identity ---------------------------------------------------------------------------- */

#define IDENTITY(name, value) \
    TRI_SIM_FUNCTION(name) \
    { \
        (void)id; \
        (void)args; \
        results[0] = (uint64_t)(value); \
    }
IDENTITY(thread_id, sim->current->index)
IDENTITY(program_id_x, sim->program.x)
IDENTITY(program_id_y, sim->program.y)
IDENTITY(program_id_z, sim->program.z)
IDENTITY(num_programs_x, sim->grid.x)
IDENTITY(num_programs_y, sim->grid.y)
IDENTITY(num_programs_z, sim->grid.z)

/* --- synchronisation --------------------------------------------------------------------- */

TRI_SIM_FUNCTION(barrier)
{
    (void)id;
    (void)args;
    (void)results;
    tri_sim_come(sim, 0, (uint64_t)sim->num_threads, true, false);
}

TRI_SIM_FUNCTION(barrier_global)
{
    tri_sim_barrier(sim, id, args, results);
}

/* Every thread adds its vote on the way in; the answer holds until all have come to the next one. */
TRI_SIM_FUNCTION(barrier_or)
{
    (void)id;
    tri_sim_come(sim, 0, (uint64_t)sim->num_threads, true, args[0] & 1);
    results[0] = sim->barriers[0].decision;
}

TRI_SIM_FUNCTION(group_barrier)
{
    (void)id;
    (void)results;
    tri_sim_come(sim, args[0], args[1], true, false);
}

TRI_SIM_FUNCTION(group_barrier_or)
{
    (void)id;
    tri_sim_come(sim, args[0], args[1], true, args[2] & 1);
    results[0] = sim->barriers[args[0] % max_barriers].decision;
}

/* Time passes by looking at it, so that waiting for it comes to an end and runs are repeatable. */
TRI_SIM_FUNCTION(clock_ns)
{
    (void)id;
    (void)args;
    results[0] = sim->clock += 100;
}

TRI_SIM_FUNCTION(sleep)
{
    enum { patience = 1000000 };
    (void)id;
    (void)results;
    sim->clock += args[0];
    if (++sim->naps > patience) {
        tri_sim_report(sim, "endless wait", -1,
                       "nothing changes what the thread waits for; programs run one after another here");
        tri_sim_stop(sim);
    }
    tri_sim_yield(sim);
}

static void compute_warp_barrier(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    (void)sim;
    (void)primitive;
    uint32_t latest = 0;
    for (int i = 0; i < sim->lanes; i++)
        if ((mask >> i & 1) && warp[i].warp_time > latest)
            latest = warp[i].warp_time;
    for (int i = 0; i < sim->lanes; i++)
        if (mask >> i & 1)
            warp[i].warp_time = latest + 1;
}

void tri_sim_sync_lanes(tri_sim *sim, uint32_t primitive, uint64_t mask)
{
    tri_sim_exchange(sim, primitive, mask, NULL, 0, NULL, 0, compute_warp_barrier);
}

TRI_SIM_FUNCTION(warp_barrier)
{
    (void)args;
    (void)results;
    tri_sim_sync_lanes(sim, id, tri_sim_all_lanes(sim));
}

/* Registers are the host's. Four warps change theirs together, which looks at whether all of them come. */
static void change_registers(tri_sim *sim, uint64_t count)
{
    if (count < 24 || count > 256 || count % 8)
        tri_sim_report(sim, "registers", -1, "%d of a thread are no multiple of 8 between 24 and 256", (int)count);
}

TRI_SIM_FUNCTION(registers_take)
{
    (void)id, (void)results;
    change_registers(sim, args[0]);
}

TRI_SIM_FUNCTION(registers_give)
{
    (void)id, (void)results;
    change_registers(sim, args[0]);
}

/* Programmatic dependent launch orders whole kernels; only one runs here. */
TRI_SIM_FUNCTION(grid_wait)
{
    (void)sim;
    (void)id;
    (void)args;
    (void)results;
}

TRI_SIM_FUNCTION(grid_launch)
{
    (void)sim;
    (void)id;
    (void)args;
    (void)results;
}

/* --- shuffles ---------------------------------------------------------------------------- */

static void compute_shuffle(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    (void)sim;
    (void)mask;
    for (int i = 0; i < sim->lanes; i++) {
        uint32_t lane = (uint32_t)warp[i].operands[1] ^ (primitive == TRI_SIM_shuffle_xor ? (uint32_t)i : 0);
        warp[i].results[0] = (uint32_t)warp[lane % sim->lanes].operands[0];
    }
}

static void shuffle(tri_sim *sim, uint32_t id, const uint64_t *args, uint64_t *results)
{
    tri_sim_exchange(sim, id, tri_sim_all_lanes(sim), args, 2, results, 1, compute_shuffle);
}

TRI_SIM_FUNCTION(shuffle_xor)
{
    shuffle(sim, id, args, results);
}

TRI_SIM_FUNCTION(shuffle_index)
{
    shuffle(sim, id, args, results);
}

/* --- reductions over the warp ------------------------------------------------------------ */

static uint32_t combine(uint32_t primitive, uint32_t a, uint32_t b)
{
    switch (primitive) {
    case TRI_SIM_redux_add: return a + b;
    case TRI_SIM_all_true:
    case TRI_SIM_redux_and: return a & b;
    case TRI_SIM_any_true:
    case TRI_SIM_redux_or: return a | b;
    case TRI_SIM_redux_xor: return a ^ b;
    case TRI_SIM_redux_smin: return (int32_t)a < (int32_t)b ? a : b;
    case TRI_SIM_redux_smax: return (int32_t)a > (int32_t)b ? a : b;
    case TRI_SIM_redux_umin: return a < b ? a : b;
    case TRI_SIM_redux_umax: return a > b ? a : b;
    default: TRI_BUG("primitive %u is no reduction", primitive);
    }
}

static void compute_redux(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    (void)sim;
    bool is_first = true;
    uint32_t value = 0;
    for (int i = 0; i < sim->lanes; i++) {
        if (!(mask >> i & 1))
            continue;
        value = is_first ? (uint32_t)warp[i].operands[0] : combine(primitive, value, (uint32_t)warp[i].operands[0]);
        is_first = false;
    }
    for (int i = 0; i < sim->lanes; i++)
        warp[i].results[0] = value;
}

#define REDUX(name) \
    TRI_SIM_FUNCTION(name) \
    { \
        tri_sim_exchange(sim, id, tri_sim_all_lanes(sim), args, 1, results, 1, compute_redux); \
    }
REDUX(redux_add)
REDUX(redux_and)
REDUX(redux_or)
REDUX(redux_xor)
REDUX(redux_smin)
REDUX(redux_smax)
REDUX(redux_umin)
REDUX(redux_umax)
REDUX(any_true)
REDUX(all_true)

/* --- messages ---------------------------------------------------------------------------- */

/* One conversion of a printf format, with its argument out of the packed buffer, which follows the
 * alignment of C: 4-byte integers, 8-byte integers, doubles and pointers. */
static const char *print_conversion(const char *at, const unsigned char **args)
{
    char spec[32];
    size_t n = 0;
    spec[n++] = *at++;
    bool is_long = false;
    while (*at && !strchr("diuxXocsfFeEgGaAp%", *at) && n < sizeof spec - 2) {
        is_long = is_long || *at == 'l';
        spec[n++] = *at++;
    }
    char kind = *at ? *at++ : '%';
    spec[n++] = kind;
    spec[n] = 0;
    if (kind == '%') {
        putchar('%');
        return at;
    }
    bool is_wide = is_long || strchr("sfFeEgGaAp", kind);
    size_t size = is_wide ? 8 : 4;
    *args += (size - (uintptr_t)*args % size) % size;
    union {
        int32_t i;
        int64_t l;
        double d;
        void *p;
    } value = {0};
    memcpy(&value, *args, size);
    *args += size;
    if (strchr("fFeEgGaA", kind))
        printf(spec, value.d);
    else if (kind == 's' || kind == 'p')
        printf(spec, value.p);
    else if (is_wide)
        printf(spec, value.l);
    else
        printf(spec, value.i);
    return at;
}

TRI_SIM_FUNCTION(vprintf)
{
    (void)sim;
    (void)id;
    const char *at = (const char *)(uintptr_t)args[0];
    const unsigned char *packed = (const unsigned char *)(uintptr_t)args[1];
    while (*at) {
        if (*at == '%')
            at = print_conversion(at, &packed);
        else
            putchar(*at++);
    }
    results[0] = 0;
}

TRI_SIM_FUNCTION(assert_fail)
{
    (void)id;
    (void)results;
    tri_sim_report(sim, "assertion failed", -1, "%s", (const char *)(uintptr_t)args[0]);
    tri_sim_stop(sim);
}
