/* Races in global memory: between threads of a program that no barrier orders, and between programs, which run one
 * after another here and at the same time on a GPU.
 *
 * Each word that is accessed remembers who wrote it and two of those who read it. Programs are ordered by updates
 * alone: one that updates (or loads, volatile or atomic) what another has updated before, not relaxed, is taken to know
 * all that was done until then. So locks, counters and flags are right as they are used; what is missed is a race
 * between programs of which one knows of a third. A write of the bytes that are there already is none. */
#include "runtime/sim/state.h"

enum { page_bytes = 1024, most_cells = 1 << 22 /* of 80 bytes; memory beyond is not watched */ };

typedef struct {
    uint32_t program; /* in the order in which they run, from 1; 0: none */
    uint32_t site, sync, block_time, lane_time, tick;
    int16_t thread;
    bool is_strong; /* an update, or a load that is no plain one */
} access;

typedef struct {
    access writer, readers[2];
} cell;

struct tri_sim_page {
    size_t step; /* bytes of a cell */
    uint32_t updated[page_bytes / 4]; /* when a word was last updated, not relaxed */
    cell *cells;
};

static access access_now(const tri_sim *sim, bool is_strong)
{
    const tri_sim_thread *t = sim->current;
    return (access){sim->ran, t->site, sim->sync, t->block_time, t->lane_time, sim->ticks[t->index / sim->lanes],
                    (int16_t)t->index, is_strong};
}

static bool is_ordered(const tri_sim *sim, const access *earlier)
{
    const tri_sim_thread *now = sim->current;
    if (earlier->program < sim->first || (earlier->program == sim->ran && earlier->thread == now->index))
        return true;
    if (earlier->program != sim->ran)
        return earlier->sync <= sim->known_sync;
    int from = earlier->thread / sim->lanes, to = now->index / sim->lanes;
    return earlier->block_time < now->block_time || (from == to && earlier->lane_time < now->lane_time) ||
           earlier->tick <= sim->known[to][from];
}

/* ---- cells ---- */

static cell *new_cells(tri_sim *sim, size_t step)
{
    size_t count = page_bytes / step;
    if (sim->num_cells + count > most_cells)
        return NULL;
    sim->num_cells += count;
    return TRI_NEW_ARRAY(sim->arena, cell, count);
}

static bool make_finer(tri_sim *sim, tri_sim_page *page, size_t step)
{
    cell *cells = new_cells(sim, step);
    for (size_t i = 0; cells && i < page_bytes / step; i++)
        cells[i] = page->cells[i * step / page->step];
    if (!cells)
        return false;
    page->cells = cells;
    page->step = step;
    return true;
}

/* The page of a byte of a buffer, with cells of `step` bytes or less; null when there is no room. */
static tri_sim_page *page_of(tri_sim *sim, tri_sim_buffer *b, size_t offset, size_t step)
{
    if (!b->pages)
        b->pages = TRI_NEW_ARRAY(sim->arena, tri_sim_page *, b->size / page_bytes + 1);
    tri_sim_page **at = &b->pages[offset / page_bytes];
    if (!*at) {
        cell *cells = new_cells(sim, step);
        if (!cells)
            return NULL;
        *at = TRI_NEW(sim->arena, tri_sim_page);
        (*at)->step = step;
        (*at)->cells = cells;
    }
    return (*at)->step <= step || make_finer(sim, *at, step) ? *at : NULL;
}

static void report_race(tri_sim *sim, const tri_sim_buffer *b, size_t offset, const char *what, const access *other)
{
    if (other->program == sim->ran)
        tri_sim_report(sim, "global memory race", other->site,
                       "%s at offset %zu of '%.*s' without a barrier after thread %d", what, offset,
                       TRI_STR_ARG(b->name), other->thread);
    else
        tri_sim_report(sim, "race between programs", other->site,
                       "%s at offset %zu of '%.*s': another program accesses it, and nothing orders the two", what,
                       offset, TRI_STR_ARG(b->name));
}

static void read_cell(tri_sim *sim, const tri_sim_buffer *b, size_t offset, cell *c, bool is_strong)
{
    if (!(is_strong && c->writer.is_strong) && !is_ordered(sim, &c->writer))
        report_race(sim, b, offset, "read after write", &c->writer);
    access *slot = is_ordered(sim, &c->readers[0]) ? &c->readers[0] : &c->readers[1];
    *slot = access_now(sim, is_strong);
}

static void write_cell(tri_sim *sim, const tri_sim_buffer *b, size_t offset, cell *c, bool is_strong, bool is_same)
{
    bool is_race = false;
    if (!is_same && !(is_strong && c->writer.is_strong) && !is_ordered(sim, &c->writer))
        report_race(sim, b, offset, "write after write", &c->writer), is_race = true;
    for (int k = 0; k < 2 && !is_race; k++)
        if (!is_same && !(is_strong && c->readers[k].is_strong) && !is_ordered(sim, &c->readers[k]))
            report_race(sim, b, offset, "write after read", &c->readers[k]), is_race = true;
    c->writer = access_now(sim, is_strong);
    c->readers[0].program = c->readers[1].program = 0;
}

/* ---- accesses ---- */

/* What others did before their updates of this word is known from now on, and they will know what was done here. */
static void synchronise(tri_sim *sim, tri_sim_page *page, size_t offset, bool is_update)
{
    uint32_t *updated = &page->updated[offset % page_bytes / 4];
    if (*updated && *updated - 1 > sim->known_sync)
        sim->known_sync = *updated - 1;
    if (is_update)
        *updated = ++sim->sync;
}

void tri_sim_note_global(tri_sim *sim, void *address, size_t word, size_t words, const unsigned char *data,
                         tri_sim_how how)
{
    unsigned char *at = address;
    tri_sim_buffer *b = tri_sim_find_buffer(sim, at);
    bool is_strong = how != TRI_SIM_LOAD && how != TRI_SIM_STORE;
    for (size_t i = 0; b && i < words; i++) {
        size_t offset = (size_t)(at - b->data) + i * word, step = word < 4 ? word : 4;
        for (size_t part = 0; part < word; part += step) {
            tri_sim_page *page = page_of(sim, b, offset + part, step);
            if (!page)
                return;
            if (how == TRI_SIM_UPDATE || how == TRI_SIM_STRONG_LOAD)
                synchronise(sim, page, offset + part, how == TRI_SIM_UPDATE);
            for (size_t k = 0; k < step; k += page->step) {
                size_t here = offset + part + k;
                cell *c = &page->cells[here % page_bytes / page->step];
                if (how == TRI_SIM_LOAD || how == TRI_SIM_STRONG_LOAD)
                    read_cell(sim, b, here, c, is_strong);
                else
                    write_cell(sim, b, here, c, is_strong,
                               data && !memcmp(b->data + here, data + i * word + part + k, page->step));
            }
        }
    }
}

void tri_sim_start_globals(tri_sim *sim)
{
    sim->first = sim->ran + 1;
    sim->sync++;
}

void tri_sim_next_program(tri_sim *sim)
{
    sim->ran++;
    sim->known_sync = 0;
    for (int i = 0; i < sim->num_threads; i++)
        sim->threads[i].lane_time = 0;
}
