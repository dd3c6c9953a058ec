/* Barriers of a program's threads: of all, or of as many warps as those who come say. */
#include "runtime/sim/state.h"

void tri_sim_join_clocks(uint32_t *to, const uint32_t *from)
{
    for (int i = 0; i < max_clocks; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* What a warp did until now, and knows of others, is known to who passes the barrier. */
static void bring_clocks(tri_sim *sim, tri_sim_barriers *b, int warp)
{
    tri_sim_join_clocks(b->clocks, sim->known[warp]);
    b->clocks[warp] = sim->ticks[warp];
}

/* A warp's time goes on once, when its first lane passes. */
static void take_clocks(tri_sim *sim, const tri_sim_barriers *b, int warp)
{
    tri_sim_join_clocks(sim->known[warp], b->clocks);
    if (sim->ticks[warp] <= b->clocks[warp])
        sim->ticks[warp] = b->clocks[warp] + 1;
}

static void open_barrier(tri_sim *sim, uint32_t number)
{
    tri_sim_barriers *b = &sim->barriers[number];
    bool is_whole = b->threads == (uint32_t)sim->num_threads;
    for (int i = 0; i < sim->num_threads; i++) {
        tri_sim_thread *t = &sim->threads[i];
        if (t->state != THREAD_AT_BARRIER || t->barrier != number)
            continue;
        t->state = THREAD_READY;
        t->block_time += is_whole;
        take_clocks(sim, b, i / sim->lanes);
    }
    *b = (tri_sim_barriers){.decision = b->votes};
}

void tri_sim_come(tri_sim *sim, uint64_t number, uint64_t threads, bool waits, bool vote)
{
    if (number >= max_barriers || !threads || threads % sim->lanes) {
        tri_sim_report(sim, "barrier", -1, "number %u of %u threads; there are %d, of whole warps", (unsigned)number,
                       (unsigned)threads, max_barriers);
        return;
    }
    tri_sim_barriers *b = &sim->barriers[number];
    tri_sim_thread *t = sim->current;
    if (!b->come++) {
        b->site = t->site;
        b->threads = (uint32_t)threads;
    } else if (b->threads != threads) {
        tri_sim_report(sim, "barrier", b->site, "number %u is one of %u threads here, of %u there", (unsigned)number,
                       (unsigned)threads, b->threads);
    }
    b->votes |= vote;
    bring_clocks(sim, b, t->index / sim->lanes);
    if (!waits) {
        sim->ticks[t->index / sim->lanes]++; /* what it does from here on was not announced */
    } else {
        t->state = THREAD_AT_BARRIER;
        t->barrier = (uint32_t)number;
    }
    if (b->come >= b->threads)
        open_barrier(sim, (uint32_t)number);
    if (t->state == THREAD_AT_BARRIER)
        tri_sim_yield(sim);
}

tri_str tri_sim_describe_barrier(tri_sim *sim, uint32_t number)
{
    const tri_sim_barriers *b = &sim->barriers[number];
    if (b->threads == (uint32_t)sim->num_threads)
        return TRI_STR("");
    return tri_str_format(sim->arena, "; barrier %u waits for %u threads, %u have come", number, b->threads, b->come);
}
