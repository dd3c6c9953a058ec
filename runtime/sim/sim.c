#include "runtime/sim/state.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { stack_size = 1024 * 1024, /* only touched parts take memory */
       max_reports = 50 };

tri_sim *tri_sim_running;

/* --- life -------------------------------------------------------------------------------- */

tri_sim *tri_sim_create(tri_diag *diag, const tri_sim_family *family, const tri_sim_site *sites, size_t num_sites,
                        int num_warps, int lanes, size_t shared_bytes)
{
    tri_arena *arena = tri_arena_create();
    tri_sim *sim = TRI_NEW(arena, tri_sim);
    sim->arena = arena;
    sim->diag = diag;
    sim->family = family;
    sim->sites = sites;
    sim->num_sites = num_sites;
    sim->lanes = lanes;
    sim->num_threads = num_warps * lanes;
    sim->threads = TRI_NEW_ARRAY(arena, tri_sim_thread, sim->num_threads);
    sim->shared_bytes = shared_bytes;
    /* Matrix operations want 1024-byte alignment of the whole buffer. */
    unsigned char *shared = tri_arena_alloc(arena, shared_bytes + 1024);
    sim->shared = shared + (1024 - (uintptr_t)shared % 1024) % 1024;
    sim->cells = TRI_NEW_ARRAY(arena, tri_sim_cell, shared_bytes);
    tri_map_init(&sim->reported, arena);
    tri_map_init(&sim->assembly, arena);
    for (int i = 0; i < sim->num_threads; i++)
        if (!tri_fiber_init(&sim->threads[i].fiber, stack_size))
            tri_fatal_out_of_memory();
    return sim;
}

void tri_sim_destroy(tri_sim *sim)
{
    if (!sim)
        return;
    for (int i = 0; i < sim->num_threads; i++)
        tri_fiber_fini(&sim->threads[i].fiber);
    tri_arena_destroy(sim->arena);
}

void tri_sim_add_buffer(tri_sim *sim, void *data, size_t size, const char *name)
{
    tri_sim_buffer buffer = {data, size, tri_str_copy(sim->arena, tri_str_from(name)), NULL};
    tri_vec_push(sim->arena, &sim->buffers, buffer);
}

void tri_sim_set_watch(tri_sim *sim, void (*watch)(void *data, uint64_t done, uint64_t total), void *data)
{
    sim->watch = watch;
    sim->watch_data = data;
}

void *tri_sim_shared(tri_sim *sim)
{
    return sim->shared;
}

/* --- reports ----------------------------------------------------------------------------- */

static tri_sim_site site_of(const tri_sim *sim, uint32_t site)
{
    return site < sim->num_sites ? sim->sites[site] : (tri_sim_site){TRI_NO_SPAN, "?"};
}

void tri_sim_report(tri_sim *sim, const char *kind, int64_t other, const char *format, ...)
{
    tri_sim_thread *t = sim->current;
    /* Of a kind at a place only the first is told: kernels may be wrong millions of times. */
    const struct {
        const char *kind; /* a literal */
        int64_t site, other;
    } id = {kind, t->site, other};
    tri_str key = {(const char *)&id, sizeof id};
    sim->reports++;
    if (sim->reported.len >= max_reports || tri_map_find(&sim->reported, key))
        return;
    tri_map_set(&sim->reported, key, sim);
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(sim->arena, format, args);
    va_end(args);
    tri_sim_site site = site_of(sim, t->site);
    tri_diag_error(sim->diag, site.span, 9004, "%s (%s): %.*s: thread %d of program (%u, %u, %u)", kind, site.primitive,
                   TRI_STR_ARG(text), t->index, sim->program.x, sim->program.y, sim->program.z);
    if (other >= 0) {
        tri_sim_site second = site_of(sim, (uint32_t)other);
        tri_diag_note(sim->diag, second.span, "the other access is here (%s)", second.primitive);
    }
}

void tri_sim_stop(tri_sim *sim)
{
    sim->is_stopped = true;
    sim->current->state = THREAD_DONE;
    tri_sim_yield(sim);
}

/* --- threads ----------------------------------------------------------------------------- */

void tri_sim_yield(tri_sim *sim)
{
    tri_sim_thread *self = sim->current;
    tri_fiber_switch(&self->fiber, &sim->scheduler);
}

static void run_thread(void *data)
{
    tri_sim *sim = data;
    sim->entry(sim->argument);
    if (sim->family && sim->family->end_thread)
        sim->family->end_thread(sim);
    sim->current->state = THREAD_DONE;
    tri_sim_yield(sim);
    TRI_BUG("a finished thread of the simulator went on");
}

static void start_program(tri_sim *sim)
{
    memset(sim->known, 0, sizeof sim->known);
    for (int w = 0; w < max_warps; w++)
        sim->ticks[w] = 1;
    memset(sim->cells, 0, sim->shared_bytes * sizeof *sim->cells);
    for (size_t i = 0; i < sim->shared_bytes; i++) {
        sim->cells[i].writer.thread = -1;
        sim->cells[i].readers[0].thread = sim->cells[i].readers[1].thread = -1;
    }
    memset(sim->barriers, 0, sizeof sim->barriers);
    sim->naps = 0;
    tri_sim_next_program(sim);
    memset(sim->shared, 0xa5, sim->shared_bytes); /* what is read by mistake should show */
    for (int i = 0; i < sim->num_threads; i++) {
        tri_sim_thread *t = &sim->threads[i];
        t->index = i;
        t->state = THREAD_READY;
        t->block_time = t->warp_time = 0;
        t->groups = 0;
        t->copies.len = 0;
        t->fences = 0;
        tri_fiber_start(&t->fiber, run_thread, sim);
    }
    if (sim->family && sim->family->start_program)
        sim->family->start_program(sim);
}

/* Nobody can go on although not all are done: says who waits where. */
static void report_deadlock(tri_sim *sim)
{
    int waiting = -1, finished = 0;
    uint32_t other_site = 0;
    bool has_other = false;
    for (int i = 0; i < sim->num_threads; i++) {
        tri_sim_thread *t = &sim->threads[i];
        if (t->state == THREAD_DONE)
            finished++;
        else if (waiting < 0)
            waiting = i;
        else if (t->site != sim->threads[waiting].site && !has_other)
            has_other = true, other_site = t->site;
    }
    sim->current = &sim->threads[waiting];
    const char *kind = sim->current->state == THREAD_AT_BARRIER    ? "barrier divergence"
                       : sim->current->state == THREAD_AT_MBARRIER ? "a wait that never ends"
                                                                   : "exchange with missing lanes";
    tri_str more =
        sim->current->state == THREAD_AT_BARRIER ? tri_sim_describe_barrier(sim, sim->current->barrier) : TRI_STR("");
    tri_sim_report(sim, kind, has_other ? (int64_t)other_site : -1, "not all threads come here; %d have ended%.*s",
                   finished, TRI_STR_ARG(more));
    sim->is_stopped = true;
}

static void run_program(tri_sim *sim)
{
    start_program(sim);
    for (;;) {
        bool progress = false, is_done = true;
        for (int i = 0; i < sim->num_threads && !sim->is_stopped; i++) {
            tri_sim_thread *t = &sim->threads[i];
            if (t->state == THREAD_AT_MBARRIER && sim->family->has_news(sim, t))
                t->state = THREAD_READY;
            if (t->state == THREAD_READY) {
                sim->current = t;
                tri_fiber_switch(&sim->scheduler, &t->fiber);
                progress = true;
            }
            is_done = is_done && t->state == THREAD_DONE;
        }
        if (is_done && sim->family && sim->family->end_program)
            sim->family->end_program(sim);
        if (is_done || sim->is_stopped)
            return;
        if (!progress) {
            report_deadlock(sim);
            return;
        }
    }
}

bool tri_sim_run(tri_sim *sim, void (*entry)(void *argument), void *argument, tri_sim_grid grid)
{
    tri_sim *outer = tri_sim_running;
    tri_sim_running = sim;
    sim->entry = entry;
    sim->argument = argument;
    sim->grid = grid;
    sim->is_stopped = false;
    sim->reports = 0;
    tri_sim_start_globals(sim);
    uint64_t done = 0, total = (uint64_t)grid.x * grid.y * grid.z;
    for (uint32_t z = 0; z < grid.z; z++)
        for (uint32_t y = 0; y < grid.y; y++)
            for (uint32_t x = 0; x < grid.x && !sim->is_stopped; x++) {
                sim->program = (tri_sim_grid){x, y, z};
                run_program(sim);
                if (sim->watch)
                    sim->watch(sim->watch_data, ++done, total);
            }
    tri_sim_running = outer;
    return sim->reports == 0;
}

/* --- exchanges --------------------------------------------------------------------------- */

uint64_t tri_sim_all_lanes(const tri_sim *sim) { return UINT64_MAX >> (64 - sim->lanes); }

static bool all_arrived(const tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask, uint32_t site)
{
    for (int i = 0; i < sim->lanes; i++) {
        tri_sim_thread *t = &warp[i];
        if (!(mask >> i & 1))
            continue;
        if (t->state != THREAD_AT_EXCHANGE || t->exchange != primitive || t->mask != mask || t->site != site)
            return false;
    }
    return true;
}

void tri_sim_exchange(tri_sim *sim, uint32_t primitive, uint64_t mask, const uint64_t *operands, int num_operands,
                      uint64_t *results, int num_results, tri_sim_compute compute)
{
    tri_sim_thread *self = sim->current;
    tri_sim_thread *warp = &sim->threads[self->index / sim->lanes * sim->lanes];
    if (!(mask >> self->index % sim->lanes & 1)) {
        tri_sim_report(sim, "exchange from an inactive lane", -1, "lane %d is not in the mask 0x%08llx",
                       self->index % sim->lanes, (unsigned long long)mask);
        return;
    }
    memcpy(self->operands, operands, sizeof *operands * (size_t)num_operands);
    memset(self->results, 0, sizeof self->results);
    self->exchange = primitive;
    self->mask = mask;
    self->state = THREAD_AT_EXCHANGE;
    if (all_arrived(sim, warp, primitive, mask, self->site)) {
        compute(sim, warp, primitive, mask);
        for (int i = 0; i < sim->lanes; i++)
            if (mask >> i & 1)
                warp[i].state = THREAD_READY, warp[i].lane_time++;
    } else {
        tri_sim_yield(sim);
    }
    if (num_results)
        memcpy(results, self->results, sizeof *results * (size_t)num_results);
}
