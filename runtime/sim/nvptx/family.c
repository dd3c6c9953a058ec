/* NVIDIA's own primitives and the functions that simulate them, and what is kept for them. */
#include "runtime/sim/nvptx/state.h"

static void start_thread(tri_sim *sim, tri_sim_thread *thread)
{
    if (!thread->own)
        thread->own = TRI_NEW(sim->arena, tri_sim_nvptx_thread);
    tri_sim_nvptx_thread *t = thread->own;
    t->readings.len = t->stores.len = 0;
    t->reading_groups = t->flight_groups = t->store_groups = 0;
    for (size_t f = 0; f < t->flights.len; f++)
        t->flights.at[f].is_used = false;
    t->is_fenced = false;
}

static void start_program(tri_sim *sim)
{
    if (!sim->own)
        sim->own = TRI_NEW(sim->arena, tri_sim_nvptx_program);
    tri_sim_nvptx_program *p = sim->own;
    p->num_readings = p->num_stores = p->mbarriers.len = 0;
    for (int i = 0; i < sim->num_threads; i++)
        start_thread(sim, &sim->threads[i]);
}

static void check_write(tri_sim *sim, size_t begin, size_t end)
{
    tri_sim_nvptx_check_readings(sim, begin, end);
    tri_sim_nvptx_check_stores(sim, begin, end);
}

static const tri_sim_primitive_row rows[] = {
#define OWN(name, ...) {#name, tri_sim_##name},
#include "targets/nvptx/primitives.def"
};

const tri_sim_family tri_sim_nvptx = {
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .start_program = start_program,
    .end_thread = tri_sim_nvptx_check_flights,
    .end_program = tri_sim_nvptx_end_program,
    .has_news = tri_sim_nvptx_has_news,
    .check_write = check_write,
};
