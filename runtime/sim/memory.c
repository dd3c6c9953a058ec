/* Global and shared memory, atomics, asynchronous copies. */
#include "runtime/sim/primitives.h"
#include "targets/gpu/words.h"

/* --- global ------------------------------------------------------------------------------ */

/* The registered buffer nearest below an address, to say how far outside an access is. */
static const tri_sim_buffer *nearest(const tri_sim *sim, const unsigned char *address)
{
    const tri_sim_buffer *best = NULL;
    for (size_t i = 0; i < sim->buffers.len; i++) {
        const tri_sim_buffer *b = &sim->buffers.at[i];
        if (b->data <= address && (!best || b->data > best->data))
            best = b;
    }
    return best;
}

tri_sim_buffer *tri_sim_find_buffer(tri_sim *sim, const unsigned char *address)
{
    tri_sim_buffer *b = (tri_sim_buffer *)nearest(sim, address);
    return b && address < b->data + b->size ? b : NULL;
}

bool tri_sim_check_global(tri_sim *sim, const void *address, size_t size, const char *what)
{
    const unsigned char *at = address;
    if ((uintptr_t)at % size) {
        tri_sim_report(sim, "misaligned global access", -1, "%s of %zu bytes at an address that is %zu past a multiple",
                       what, size, (size_t)((uintptr_t)at % size));
        return false;
    }
    const tri_sim_buffer *b = nearest(sim, at);
    if (b && at + size <= b->data + b->size)
        return true;
    if (b)
        tri_sim_report(sim, "global access out of bounds", -1, "%s of %zu bytes at offset %zu of '%.*s', which has %zu",
                       what, size, (size_t)(at - b->data), TRI_STR_ARG(b->name), b->size);
    else
        tri_sim_report(sim, "global access out of bounds", -1, "%s of %zu bytes below every buffer", what, size);
    return false;
}

/* --- shared ------------------------------------------------------------------------------ */

static bool shared_range(tri_sim *sim, const void *address, size_t size, size_t *out_offset)
{
    const unsigned char *at = address;
    if (at < sim->shared || at + size > sim->shared + sim->shared_bytes) {
        tri_sim_report(sim, "shared access out of bounds", -1, "%zu bytes at offset %ld of %zu", size,
                       (long)(at - sim->shared), sim->shared_bytes);
        return false;
    }
    *out_offset = (size_t)(at - sim->shared);
    if (*out_offset % size) {
        tri_sim_report(sim, "misaligned shared access", -1, "%zu bytes at offset %zu", size, *out_offset);
        return false;
    }
    return true;
}

/* An earlier access happens before the present when a barrier of the program, or of the warp both
 * are in, lies between. */
static bool is_ordered(const tri_sim_access *earlier, const tri_sim_thread *now)
{
    if (earlier->thread < 0 || earlier->thread == now->index || earlier->block_time < now->block_time)
        return true;
    const tri_sim *sim = tri_sim_running;
    int from = earlier->thread / sim->lanes, to = now->index / sim->lanes;
    return (from == to && earlier->warp_time < now->warp_time) || earlier->tick <= sim->known[to][from];
}

static tri_sim_access access_now(const tri_sim *sim)
{
    const tri_sim_thread *t = sim->current;
    return (tri_sim_access){t->site, t->index, t->block_time, t->warp_time, t->fences,
                            sim->ticks[t->index / sim->lanes]};
}

static void report_race(tri_sim *sim, const char *what, size_t offset, const tri_sim_access *other)
{
    tri_sim_report(sim, "shared memory race", other->site, "%s at offset %zu without a barrier after thread %d", what,
                   offset, other->thread);
}

static void remember_reader(tri_sim *sim, tri_sim_cell *cell)
{
    const tri_sim_thread *t = sim->current;
    tri_sim_access *first = &cell->readers[0], *second = &cell->readers[1];
    if (is_ordered(first, t))
        *first = access_now(sim);
    else if (is_ordered(second, t) || second->thread / sim->lanes == first->thread / sim->lanes)
        *second = access_now(sim);
}

static void check_copy(tri_sim *sim, const tri_sim_cell *cell, const char *what, size_t offset)
{
    const uint32_t *known = sim->known[sim->current->index / sim->lanes];
    if (cell->bulk && known[max_warps + cell->bulk - 1] <= cell->bulk_phase)
        tri_sim_report(sim, "shared memory with a copy in flight", cell->copy_site,
                       "%s at offset %zu by a thread that has not waited for the bulk copy into it", what, offset);
    if (cell->copying)
        tri_sim_report(sim, "shared memory with a copy in flight", cell->copy_site,
                       "%s at offset %zu before the asynchronous copy of thread %d was waited for", what, offset,
                       cell->copying - 1);
}

bool tri_sim_shared_read(tri_sim *sim, const void *address, size_t size, void *out)
{
    size_t offset;
    memset(out, 0, size);
    if (!shared_range(sim, address, size, &offset))
        return false;
    for (size_t i = offset; i < offset + size; i++) {
        tri_sim_cell *cell = &sim->cells[i];
        check_copy(sim, cell, "read", i);
        if (!cell->is_initialised && !cell->copying)
            tri_sim_report(sim, "uninitialised shared memory", -1, "read at offset %zu, which nothing has written", i);
        if (!is_ordered(&cell->writer, sim->current))
            report_race(sim, "read after write", i, &cell->writer);
        remember_reader(sim, cell);
    }
    memcpy(out, address, size);
    return true;
}

/* Threads that hold copies of an element write the same bytes to its place: that is no race. `data`
 * null: the bytes are not known yet. */
static void mark_written(tri_sim *sim, size_t offset, size_t size, const unsigned char *data)
{
    if (sim->family && sim->family->check_write)
        sim->family->check_write(sim, offset, offset + size);
    for (size_t i = offset; i < offset + size; i++) {
        tri_sim_cell *cell = &sim->cells[i];
        check_copy(sim, cell, "write", i);
        bool is_same = data && cell->is_initialised && sim->shared[i] == data[i - offset];
        if (!is_same && !is_ordered(&cell->writer, sim->current))
            report_race(sim, "write after write", i, &cell->writer);
        for (int k = 0; k < 2; k++)
            if (!is_ordered(&cell->readers[k], sim->current))
                report_race(sim, "write after read", i, &cell->readers[k]);
        cell->writer = access_now(sim);
        cell->readers[0].thread = cell->readers[1].thread = -1;
        cell->is_initialised = true;
        cell->by_atomic = false;
        cell->bulk = 0;
    }
}

void tri_sim_check_fence(tri_sim *sim, uint64_t offset, const char *reader)
{
    const tri_sim_access *writer = &sim->cells[offset].writer;
    if (writer->thread >= 0 && sim->threads[writer->thread].fences <= writer->fences)
        tri_sim_report(sim, "missing fence", writer->site,
                       "%s reads offset %d of shared memory, which thread %d has written with no fence_async since",
                       reader, (int)offset, writer->thread);
}

void tri_sim_fill(tri_sim *sim, size_t begin, size_t end, int mbarrier, uint32_t phase)
{
    if (sim->family && sim->family->check_write)
        sim->family->check_write(sim, begin, end);
    for (size_t i = begin; i < end; i++) {
        tri_sim_cell *cell = &sim->cells[i];
        check_copy(sim, cell, "bulk copy", i);
        if (!is_ordered(&cell->writer, sim->current))
            report_race(sim, "bulk copy after write", i, &cell->writer);
        else if (cell->writer.thread >= 0)
            tri_sim_check_fence(sim, i, "a bulk copy");
        for (int k = 0; k < 2; k++)
            if (!is_ordered(&cell->readers[k], sim->current))
                report_race(sim, "bulk copy after read", i, &cell->readers[k]);
        *cell = (tri_sim_cell){.writer.thread = -1, .readers = {{.thread = -1}, {.thread = -1}}, .is_initialised = true,
                               .copy_site = sim->current->site, .bulk = (uint32_t)mbarrier + 1, .bulk_phase = phase};
    }
}

bool tri_sim_check_atomic(tri_sim *sim, void *address, size_t word, size_t words, bool is_relaxed)
{
    const unsigned char *at = address;
    size_t offset, size = word * words;
    if (at < sim->shared || at >= sim->shared + sim->shared_bytes) {
        if (!tri_sim_check_global(sim, address, size, "atomic operation"))
            return false;
        tri_sim_note_global(sim, address, word, words, NULL, is_relaxed ? TRI_SIM_RELAXED_UPDATE : TRI_SIM_UPDATE);
        return true;
    }
    if (!shared_range(sim, address, size, &offset))
        return false;
    for (size_t i = offset; i < offset + size; i++) {
        tri_sim_cell *cell = &sim->cells[i];
        if (!cell->is_initialised)
            tri_sim_report(sim, "uninitialised shared memory", -1,
                           "atomic operation at offset %zu, which nothing has written", i);
        if (cell->by_atomic)
            cell->writer.thread = -1;
        mark_written(sim, i, 1, NULL);
        cell->by_atomic = true;
    }
    return true;
}

bool tri_sim_shared_write(tri_sim *sim, void *address, size_t size, const void *data)
{
    size_t offset;
    if (!shared_range(sim, address, size, &offset))
        return false;
    mark_written(sim, offset, size, data);
    memcpy(address, data, size);
    return true;
}

/* --- loads and stores -------------------------------------------------------------------- */

/* args: address, bits of a word, words, predicate, then the words (stores) or what they are when the
 * predicate is false (loads). */
static void *pointer_of(uint64_t word)
{
    return (void *)(uintptr_t)word;
}

TRI_SIM_FUNCTION(load_global)
{
    (void)id;
    size_t size = args[1] / 8, words = args[2] & TRI_SIM_WORDS;
    memcpy(results, args + 4, words * sizeof *results);
    if (!(args[3] & 1) || !tri_sim_check_global(sim, pointer_of(args[0]), size * words, "load"))
        return;
    tri_sim_note_global(sim, pointer_of(args[0]), size, words, NULL,
                        args[2] & TRI_SIM_STRONG ? TRI_SIM_STRONG_LOAD : TRI_SIM_LOAD);
    for (size_t i = 0; i < words; i++) {
        results[i] = 0;
        memcpy(&results[i], (unsigned char *)pointer_of(args[0]) + i * size, size);
    }
}

TRI_SIM_FUNCTION(store_global)
{
    (void)id;
    (void)results;
    size_t size = args[1] / 8, words = args[2];
    unsigned char bytes[64];
    if (!(args[3] & 1) || !tri_sim_check_global(sim, pointer_of(args[0]), size * words, "store"))
        return;
    for (size_t i = 0; i < words; i++)
        memcpy(bytes + i * size, &args[4 + i], size);
    tri_sim_note_global(sim, pointer_of(args[0]), size, words, bytes, TRI_SIM_STORE);
    memcpy(pointer_of(args[0]), bytes, size * words);
}

TRI_SIM_FUNCTION(load_shared)
{
    (void)id;
    size_t size = args[1] / 8, words = args[2];
    unsigned char bytes[64] = {0};
    memcpy(results, args + 4, words * sizeof *results);
    if (!(args[3] & 1) || !tri_sim_shared_read(sim, pointer_of(args[0]), size * words, bytes))
        return;
    for (size_t i = 0; i < words; i++) {
        results[i] = 0;
        memcpy(&results[i], bytes + i * size, size);
    }
}

TRI_SIM_FUNCTION(store_shared)
{
    (void)id;
    (void)results;
    size_t size = args[1] / 8, words = args[2];
    unsigned char bytes[64];
    if (!(args[3] & 1))
        return;
    for (size_t i = 0; i < words; i++)
        memcpy(bytes + i * size, &args[4 + i], size);
    tri_sim_shared_write(sim, pointer_of(args[0]), size * words, bytes);
}

/* --- asynchronous copies ----------------------------------------------------------------- */

static void issue_copy(tri_sim *sim, const uint64_t *args, size_t size)
{
    tri_sim_thread *t = sim->current;
    size_t offset, valid = args[2] < size ? args[2] : size;
    if (!shared_range(sim, pointer_of(args[0]), size, &offset))
        return;
    if (valid && !tri_sim_check_global(sim, pointer_of(args[1]), size, "asynchronous copy"))
        return;
    if (valid)
        tri_sim_note_global(sim, pointer_of(args[1]), 4, valid / 4, NULL, TRI_SIM_LOAD);
    if (sim->family && sim->family->check_write)
        sim->family->check_write(sim, offset, offset + size);
    for (size_t i = offset; i < offset + size; i++) {
        tri_sim_cell *cell = &sim->cells[i];
        for (int k = 0; k < 2; k++)
            if (!is_ordered(&cell->readers[k], t))
                report_race(sim, "asynchronous write after read", i, &cell->readers[k]);
        cell->copying = t->index + 1;
        cell->copy_site = t->site;
    }
    tri_sim_copy copy = {t->site, (uint32_t)size, (uint32_t)valid, offset, pointer_of(args[1]), -1};
    tri_vec_push(sim->arena, &t->copies, copy);
}

TRI_SIM_FUNCTION(copy_async_4)
{
    (void)id;
    (void)results;
    issue_copy(sim, args, 4);
}

TRI_SIM_FUNCTION(copy_async_8)
{
    (void)id;
    (void)results;
    issue_copy(sim, args, 8);
}

TRI_SIM_FUNCTION(copy_async_16)
{
    (void)id;
    (void)results;
    issue_copy(sim, args, 16);
}

TRI_SIM_FUNCTION(copy_async_if_4)
{
    (void)id;
    (void)results;
    if (args[3] & 1)
        issue_copy(sim, args, 4);
}

TRI_SIM_FUNCTION(copy_async_if_8)
{
    (void)id;
    (void)results;
    if (args[3] & 1)
        issue_copy(sim, args, 8);
}

TRI_SIM_FUNCTION(copy_async_if_16)
{
    (void)id;
    (void)results;
    if (args[3] & 1)
        issue_copy(sim, args, 16);
}

static void check_rows(tri_sim *sim, tri_sim_thread *warp, uint32_t primitive, uint64_t mask)
{
    (void)primitive;
    for (int i = 1; i < sim->lanes; i++)
        if ((mask >> i & 1) && warp[i].operands[0] != warp[0].operands[0])
            tri_sim_report(sim, "copy of a warp", -1, "lane %d names another place in shared memory than lane 0", i);
    for (int i = 0; i < sim->lanes; i++)
        warp[i].results[0] = warp[0].operands[0];
}

/* A group of its own: waits count such copies one by one. */
TRI_SIM_FUNCTION(copy_row)
{
    uint64_t place, lane = (uint64_t)(sim->current->index % sim->lanes);
    tri_sim_exchange(sim, id, tri_sim_all_lanes(sim), args, 1, &place, 1, check_rows);
    issue_copy(sim, (const uint64_t[]){place + lane * args[2], args[1], args[3]}, args[2]);
    tri_sim_copy_commit(sim, id, args, results);
}

TRI_SIM_FUNCTION(copy_commit)
{
    (void)id;
    (void)args;
    (void)results;
    tri_sim_thread *t = sim->current;
    for (size_t i = 0; i < t->copies.len; i++)
        if (t->copies.at[i].group < 0)
            t->copies.at[i].group = t->groups;
    t->groups++;
}

static void land(tri_sim *sim, const tri_sim_copy *copy)
{
    for (size_t i = copy->shared; i < copy->shared + copy->size; i++)
        sim->cells[i].copying = 0;
    unsigned char data[16] = {0}; /* the widest copy */
    TRI_ASSERT(copy->size <= sizeof data && copy->valid <= copy->size);
    memcpy(data, copy->global, copy->valid);
    mark_written(sim, copy->shared, copy->size, data);
    memcpy(sim->shared + copy->shared, data, copy->size);
}

/* Copies land here and not before: a kernel that reads too early sees old bytes, and is told so. */
TRI_SIM_FUNCTION(copy_wait)
{
    (void)id;
    (void)results;
    tri_sim_thread *t = sim->current;
    size_t kept = 0;
    for (size_t i = 0; i < t->copies.len; i++) {
        tri_sim_copy *copy = &t->copies.at[i];
        bool is_pending = copy->group < 0 || copy->group >= t->groups - (int)args[0];
        if (is_pending)
            t->copies.at[kept++] = *copy;
        else
            land(sim, copy);
    }
    t->copies.len = kept;
}

TRI_SIM_FUNCTION(fence_async)
{
    (void)id, (void)args, (void)results;
    sim->current->fences++;
}
