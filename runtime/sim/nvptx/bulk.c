/* mbarriers and bulk copies. A copy lands when somebody waits for the phase of the mbarrier that it reports to, not
 * before, so who does not wait reads what was there. Who has passed a wait knows that the phase has ended, and what
 * those knew who arrived in it; barriers of the program spread that to everybody.
 *
 * Tensor maps have a form of the simulator's own, in the 128 bytes of the machine's. */
#include "runtime/sim/nvptx/state.h"

enum { NOT_COMMITTED = -1 };

/* ---- mbarriers ---- */

static tri_sim_mbarrier *find_mbarrier(tri_sim *sim, uint64_t address, const char *what)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)sim->shared;
    for (size_t i = 0; i < tri_sim_nvptx_program_of(sim)->mbarriers.len; i++)
        if (tri_sim_nvptx_program_of(sim)->mbarriers.at[i].is_valid &&
            tri_sim_nvptx_program_of(sim)->mbarriers.at[i].offset == offset)
            return &tri_sim_nvptx_program_of(sim)->mbarriers.at[i];
    if (what)
        tri_sim_report(sim, "no mbarrier", -1, "%s at offset %ld, where none was initialised", what, (long)offset);
    return NULL;
}

static int warp_of(const tri_sim *sim) { return sim->current->index / warp_size; }

static int number_of(const tri_sim *sim, const tri_sim_mbarrier *m)
{
    return (int)(m - tri_sim_nvptx_program_of(sim)->mbarriers.at);
}

/* The phase ends when all have arrived and all bytes have come. */
static void end_phase(tri_sim *sim, tri_sim_mbarrier *m)
{
    if (m->pending || m->bytes)
        return;
    m->phase++;
    m->pending = m->count;
    tri_sim_join_clocks(m->published, m->gathered);
    m->published[max_warps + number_of(sim, m)] = m->phase;
}

TRI_SIM_FUNCTION(mbarrier_init)
{
    (void)id;
    (void)results;
    tri_sim_mbarrier *m = find_mbarrier(sim, args[0], NULL);
    uint64_t offset = args[0] - (uint64_t)(uintptr_t)sim->shared, zero = 0;
    if (!tri_sim_shared_write(sim, (void *)(uintptr_t)args[0], sizeof zero, &zero))
        return;
    if (m)
        tri_sim_report(sim, "mbarrier in use", m->site, "initialised again at offset %ld", (long)offset);
    if (tri_sim_nvptx_program_of(sim)->mbarriers.len == max_mbarriers) {
        tri_sim_report(sim, "too many mbarriers", -1, "the simulator knows %d at a time", max_mbarriers);
        return;
    }
    for (size_t i = 0; !m && i < tri_sim_nvptx_program_of(sim)->mbarriers.len; i++)
        if (!tri_sim_nvptx_program_of(sim)->mbarriers.at[i].is_valid &&
            tri_sim_nvptx_program_of(sim)->mbarriers.at[i].offset == offset)
            m = &tri_sim_nvptx_program_of(sim)
                     ->mbarriers.at[i]; /* once more: phases go on being counted, so that old copies stay known */
    if (!m) {
        tri_vec_push(sim->arena, &tri_sim_nvptx_program_of(sim)->mbarriers, (tri_sim_mbarrier){0});
        m = &tri_sim_nvptx_program_of(sim)->mbarriers.at[tri_sim_nvptx_program_of(sim)->mbarriers.len - 1];
    }
    *m = (tri_sim_mbarrier){.offset = offset, .site = sim->current->site, .count = (uint32_t)args[1],
                            .pending = (uint32_t)args[1], .phase = m->phase, .first_phase = m->phase, .is_valid = true};
}

TRI_SIM_FUNCTION(mbarrier_init_fence)
{
    (void)sim;
    (void)id;
    (void)args;
    (void)results;
}

TRI_SIM_FUNCTION(mbarrier_inval)
{
    (void)id;
    (void)results;
    uint64_t zero = 0;
    tri_sim_mbarrier *m = find_mbarrier(sim, args[0], "invalidated");
    if (!m || !tri_sim_shared_write(sim, (void *)(uintptr_t)args[0], sizeof zero, &zero))
        return;
    if (m->copies.len)
        tri_sim_report(sim, "mbarrier in use", m->copies.at[0].site, "invalidated while bulk copies report to it");
    m->is_valid = false;
}

static void arrive(tri_sim *sim, tri_sim_mbarrier *m, uint32_t count)
{
    if (count > m->pending) {
        tri_sim_report(sim, "too many arrivals", m->site, "%u where the phase wants %u more", count, m->pending);
        count = m->pending;
    }
    int warp = warp_of(sim);
    tri_sim_join_clocks(m->gathered, sim->known[warp]);
    m->gathered[warp] = sim->ticks[warp]++;
    m->pending -= count;
    end_phase(sim, m);
}

TRI_SIM_FUNCTION(mbarrier_expect)
{
    (void)id;
    tri_sim_mbarrier *m = find_mbarrier(sim, args[0], "bytes expected");
    results[0] = 0;
    if (!m)
        return;
    m->bytes += (int64_t)args[1];
    arrive(sim, m, 1);
}

TRI_SIM_FUNCTION(mbarrier_arrive)
{
    (void)id;
    tri_sim_mbarrier *m = find_mbarrier(sim, args[0], "arrival");
    results[0] = 0;
    if (m)
        arrive(sim, m, (uint32_t)args[1]);
}

TRI_SIM_FUNCTION(mbarrier_arrive_if)
{
    uint64_t arrived;
    if (args[2] & 1)
        tri_sim_mbarrier_arrive(sim, id, args, &arrived);
    (void)results;
}

/* ---- copies from global memory ---- */

/* One element's place in global memory; null out of bounds. `at` counts from the box's first element. */
static unsigned char *element_at(const tri_sim_tensormap *map, const int64_t *at)
{
    unsigned char *address = (unsigned char *)(uintptr_t)map->address;
    for (int d = 0; d < (int)map->rank; d++) {
        if (at[d] < 0 || at[d] >= (int64_t)map->size[d])
            return NULL;
        address += (uint64_t)at[d] * (d ? map->stride[d - 1] : tri_sim_tensormap_bytes(map));
    }
    return address;
}

/* Goes through the elements of a box in the order they lie in shared memory. */
static bool next_element(const tri_sim_tensormap *map, const int64_t *from, int64_t *at)
{
    for (int d = 0; d < (int)map->rank; d++) {
        if (++at[d] < from[d] + (int64_t)map->box[d])
            return true;
        at[d] = from[d];
    }
    return false;
}

/* Offsets in shared memory are swizzled by their own bits. */
static uint64_t swizzled(const tri_sim_tensormap *map, uint64_t offset)
{
    static const uint64_t chunks[] = {0, 1, 3, 7}; /* of 16 bytes in a row of 32, 64, 128 */
    return offset ^ ((offset >> 7 & chunks[map->swizzle & 3]) << 4);
}

static bool is_box_sound(tri_sim *sim, const tri_sim_tensormap *map, uint64_t offset, int rank)
{
    uint64_t size = tri_sim_tensormap_bytes(map), bytes = size;
    for (int d = 0; d < (int)map->rank; d++)
        bytes *= map->box[d];
    const char *why = map->magic != TRI_SIM_TENSORMAP_MAGIC ? "what it points to is no tensor map"
                      : !map->is_acquired                   ? "the map was written and not acquired since"
                      : (int)map->rank != rank              ? "the map has another number of dimensions"
                      : map->address % 16                   ? "its address is no multiple of 16"
                      : offset % 128                        ? "the buffer is no multiple of 128 bytes from the start"
                      : map->box[0] * size % 16             ? "rows of the box are no multiples of 16 bytes"
                      : map->swizzle && map->box[0] * size > 16u << map->swizzle
                          ? "rows of the box are wider than the swizzle"
                          : NULL;
    for (int d = 0; !why && d + 1 < (int)map->rank; d++)
        if (map->stride[d] % 16)
            why = "a stride is no multiple of 16 bytes";
    if (!why && offset + bytes > sim->shared_bytes)
        why = "the box does not fit in shared memory";
    if (why)
        tri_sim_report(sim, "bulk copy", -1, "%s", why);
    return !why;
}

static const tri_sim_tensormap *map_at(uint64_t address) { return (const tri_sim_tensormap *)(uintptr_t)address; }

static uint64_t box_bytes(const tri_sim_tensormap *map)
{
    uint64_t bytes = tri_sim_tensormap_bytes(map);
    for (int d = 0; d < (int)map->rank; d++)
        bytes *= map->box[d];
    return bytes;
}

static void start_load(tri_sim *sim, int rank, const uint64_t *args)
{
    uint64_t offset = args[0] - (uint64_t)(uintptr_t)sim->shared;
    const tri_sim_tensormap *map = map_at(args[2]);
    tri_sim_mbarrier *m = find_mbarrier(sim, args[1], "a bulk copy reports");
    if (!m || !is_box_sound(sim, map, offset, rank))
        return;
    tri_sim_bulk copy = {.site = sim->current->site, .offset = offset, .bytes = box_bytes(map), .map = *map};
    for (int d = 0; d < rank; d++)
        copy.from[d] = (int32_t)args[3 + d];
    if (copy.from[0] * (int64_t)tri_sim_tensormap_bytes(map) % 16)
        tri_sim_report(sim, "bulk copy", -1, "the first element is no multiple of 16 bytes from the start of its row");
    tri_sim_fill(sim, offset, offset + copy.bytes, number_of(sim, m), m->phase);
    tri_vec_push(sim->arena, &m->copies, copy);
}

static uint64_t filler(const tri_sim_tensormap *map)
{
    static const uint64_t nans[16] = {
        [6] = 0x7fff, [7] = 0x7fffffff, [8] = 0x7fffffff, [9] = 0x7fffffffffffffff, [10] = 0x7fff};
    return map->fill ? nans[map->element & 15] : 0;
}

/* What the copy engine makes of an element on its way: tf32 is float32 to the nearest 10 bits of its fraction. */
static uint64_t rounded(const tri_sim_tensormap *map, uint64_t bits)
{
    enum { TFLOAT32 = 11, HALF = 1 << 12, DROPPED = (1 << 13) - 1 };
    bool is_finite = (bits & 0x7f800000) != 0x7f800000;
    return map->element != TFLOAT32 ? bits : ((is_finite ? bits + HALF : bits) & ~(uint64_t)DROPPED);
}

static void land(tri_sim *sim, const tri_sim_bulk *copy)
{
    int64_t at[5];
    uint64_t size = tri_sim_tensormap_bytes(&copy->map), offset = 0;
    memcpy(at, copy->from, sizeof at);
    uint32_t site = sim->current->site;
    sim->current->site = copy->site;
    do {
        uint64_t value = filler(&copy->map);
        unsigned char *source = element_at(&copy->map, at);
        if (source && tri_sim_check_global(sim, source, size, "bulk copy"))
            memcpy(&value, source, size);
        value = rounded(&copy->map, value);
        memcpy(sim->shared + swizzled(&copy->map, copy->offset + offset), &value, size);
        offset += size;
    } while (next_element(&copy->map, copy->from, at));
    sim->current->site = site;
}

static void land_all(tri_sim *sim, tri_sim_mbarrier *m)
{
    for (size_t i = 0; i < m->copies.len; i++) {
        land(sim, &m->copies.at[i]);
        m->bytes -= (int64_t)m->copies.at[i].bytes;
    }
    m->copies.len = 0;
    end_phase(sim, m);
}

/* A phase of the parity that was asked for has ended when the current one has the other parity. */
static bool has_ended(const tri_sim_mbarrier *m, uint64_t parity)
{
    return ((m->phase - m->first_phase) & 1) != (parity & 1);
}

TRI_SIM_FUNCTION(mbarrier_try_wait)
{
    (void)id;
    results[0] = 1;
    for (;;) {
        tri_sim_mbarrier *m = find_mbarrier(sim, args[0], "waited for");
        if (!m)
            return;
        if (!has_ended(m, args[1]) && !m->pending)
            land_all(sim, m);
        if (has_ended(m, args[1])) {
            tri_sim_join_clocks(sim->known[warp_of(sim)], m->published);
            return;
        }
        sim->current->state = THREAD_AT_MBARRIER;
        tri_sim_nvptx_thread_of(sim->current)->waits_for = (uint32_t)number_of(sim, m);
        tri_sim_nvptx_thread_of(sim->current)->waits_phase = m->phase;
        tri_sim_yield(sim);
    }
}

bool tri_sim_nvptx_has_news(tri_sim *sim, tri_sim_thread *thread)
{
    const tri_sim_mbarrier *m =
        &tri_sim_nvptx_program_of(sim)->mbarriers.at[tri_sim_nvptx_thread_of(thread)->waits_for];
    return m->phase != tri_sim_nvptx_thread_of(thread)->waits_phase || (!m->pending && m->copies.len && m->bytes > 0);
}

void tri_sim_nvptx_end_program(tri_sim *sim)
{
    for (size_t i = 0; i < tri_sim_nvptx_program_of(sim)->mbarriers.len; i++)
        if (tri_sim_nvptx_program_of(sim)->mbarriers.at[i].copies.len)
            tri_sim_report(sim, "bulk copies under way",
                           tri_sim_nvptx_program_of(sim)->mbarriers.at[i].copies.at[0].site,
                           "the program ends before anybody has waited for them");
    for (int i = 0; tri_sim_nvptx_program_of(sim)->num_stores && i < sim->num_threads; i++)
        for (size_t k = 0; k < tri_sim_nvptx_thread_of(&sim->threads[i])->stores.len; k++)
            tri_sim_report(sim, "bulk copies under way", tri_sim_nvptx_thread_of(&sim->threads[i])->stores.at[k].site,
                           "the program ends while they may still read its shared memory");
}

/* ---- copies to global memory ---- */

static void start_store(tri_sim *sim, int rank, const uint64_t *args)
{
    uint64_t offset = args[0] - (uint64_t)(uintptr_t)sim->shared, at_offset = 0;
    const tri_sim_tensormap *map = map_at(args[1]);
    if (!is_box_sound(sim, map, offset, rank))
        return;
    int64_t from[5], at[5];
    uint64_t size = tri_sim_tensormap_bytes(map);
    for (int d = 0; d < rank; d++)
        from[d] = at[d] = (int32_t)args[2 + d];
    do {
        uint64_t value = 0, place = swizzled(map, offset + at_offset);
        tri_sim_check_fence(sim, place, "a bulk copy");
        tri_sim_shared_read(sim, sim->shared + place, size, &value);
        unsigned char *target = element_at(map, at);
        if (target && tri_sim_check_global(sim, target, size, "bulk copy"))
            memcpy(target, &value, size);
        at_offset += size;
    } while (next_element(map, from, at));
    tri_sim_reading reading = {sim->current->site, NOT_COMMITTED, (uint32_t)offset, (uint32_t)(offset + at_offset)};
    tri_vec_push(sim->arena, &tri_sim_nvptx_thread_of(sim->current)->stores, reading);
    tri_sim_nvptx_program_of(sim)->num_stores++;
}

TRI_SIM_FUNCTION(bulk_commit)
{
    (void)id;
    (void)args;
    (void)results;
    tri_sim_thread *t = sim->current;
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(t)->stores.len; i++)
        if (tri_sim_nvptx_thread_of(t)->stores.at[i].group == NOT_COMMITTED)
            tri_sim_nvptx_thread_of(t)->stores.at[i].group = tri_sim_nvptx_thread_of(t)->store_groups;
    tri_sim_nvptx_thread_of(t)->store_groups++;
}

TRI_SIM_FUNCTION(bulk_wait_read)
{
    (void)id;
    (void)results;
    tri_sim_thread *t = sim->current;
    size_t kept = 0;
    for (size_t i = 0; i < tri_sim_nvptx_thread_of(t)->stores.len; i++)
        if (tri_sim_nvptx_thread_of(t)->stores.at[i].group == NOT_COMMITTED ||
            tri_sim_nvptx_thread_of(t)->stores.at[i].group >= tri_sim_nvptx_thread_of(t)->store_groups - (int)args[0])
            tri_sim_nvptx_thread_of(t)->stores.at[kept++] = tri_sim_nvptx_thread_of(t)->stores.at[i];
    tri_sim_nvptx_program_of(sim)->num_stores -= tri_sim_nvptx_thread_of(t)->stores.len - kept;
    tri_sim_nvptx_thread_of(t)->stores.len = kept;
}

void tri_sim_nvptx_check_stores(tri_sim *sim, size_t begin, size_t end)
{
    for (int i = 0; tri_sim_nvptx_program_of(sim)->num_stores && i < sim->num_threads; i++)
        for (size_t k = 0; k < tri_sim_nvptx_thread_of(&sim->threads[i])->stores.len; k++)
            if (tri_sim_nvptx_thread_of(&sim->threads[i])->stores.at[k].begin < end &&
                begin < tri_sim_nvptx_thread_of(&sim->threads[i])->stores.at[k].end)
                tri_sim_report(sim, "shared memory with a bulk copy under way",
                               tri_sim_nvptx_thread_of(&sim->threads[i])->stores.at[k].site,
                               "write at offset %zu, which the copy to global memory may still read", begin);
}

#define BULK(n)                                                                                                        \
    TRI_SIM_FUNCTION(bulk_load_##n##d)                                                                                 \
    {                                                                                                                  \
        (void)id;                                                                                                      \
        (void)results;                                                                                                 \
        start_load(sim, n, args);                                                                                      \
    }                                                                                                                  \
    TRI_SIM_FUNCTION(bulk_store_##n##d)                                                                                \
    {                                                                                                                  \
        (void)id;                                                                                                      \
        (void)results;                                                                                                 \
        start_store(sim, n, args);                                                                                     \
    }
BULK(1)
BULK(2)
BULK(3)
BULK(4)
BULK(5)
#undef BULK

/* ---- maps that the host makes ---- */

int tri_sim_encode_tensormap(void *map, int element, uint32_t rank, void *address, const uint64_t *sizes,
                             const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                             int swizzle, int promotion, int fill)
{
    enum { invalid = 1, most = 256, sector = 16 };
    tri_sim_tensormap *m = map;
    /* the machine's numbers of CUtensorMapDataType */
    static const uint8_t elements[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
    if (element < 0 || element >= (int)sizeof elements)
        return invalid;
    *m = (tri_sim_tensormap){.magic = TRI_SIM_TENSORMAP_MAGIC, .is_acquired = true, .rank = rank,
                             .element = elements[element], .swizzle = (uint32_t)swizzle, .fill = (uint32_t)fill,
                             .address = (uint64_t)(uintptr_t)address};
    (void)promotion;
    if (swizzle && box[0] * tri_sim_tensormap_bytes(m) > UINT64_C(16) << swizzle)
        return invalid;
    if (rank < 1 || rank > 5 || m->address % sector || interleave)
        return invalid;
    for (uint32_t d = 0; d < rank; d++) {
        if (!sizes[d] || sizes[d] > UINT64_C(1) << 32 || !box[d] || box[d] > most || steps[d] != 1)
            return invalid;
        m->size[d] = sizes[d] > UINT32_MAX ? UINT32_MAX : (uint32_t)sizes[d];
        m->box[d] = box[d];
        if (d + 1 == rank)
            break;
        if (strides[d] % sector || strides[d] >> 40)
            return invalid;
        m->stride[d] = strides[d];
    }
    return 0;
}

/* ---- maps that kernels write ---- */

/* The map at args[0]; writing begins with its address, which clears the rest. */
static tri_sim_tensormap *open_map(tri_sim *sim, const uint64_t *args)
{
    static tri_sim_tensormap nowhere;
    tri_sim_tensormap *map = (tri_sim_tensormap *)(uintptr_t)args[0];
    if (args[0] % 64) {
        tri_sim_report(sim, "tensor map", -1, "its address is no multiple of 64");
        return &nowhere;
    }
    for (size_t i = 0; i < TRI_SIM_TENSORMAP_BYTES; i += 16)
        if (!tri_sim_check_global(sim, (unsigned char *)map + i, 16, "tensor map"))
            return &nowhere;
    map->magic = TRI_SIM_TENSORMAP_MAGIC;
    map->is_acquired = false;
    return map;
}

#define FIELD(name, statement)                                                                                         \
    TRI_SIM_FUNCTION(tensormap_##name)                                                                                 \
    {                                                                                                                  \
        (void)id;                                                                                                      \
        (void)results;                                                                                                 \
        tri_sim_tensormap *map = open_map(sim, args);                                                                  \
        statement;                                                                                                     \
    }
FIELD(address, map->address = args[1])
FIELD(rank, map->rank = (uint32_t)args[1] + 1)
FIELD(box, map->box[args[1] % 5] = (uint32_t)args[2])
FIELD(size, map->size[args[1] % 5] = (uint32_t)args[2])
FIELD(stride, map->stride[args[1] % 4] = args[2])
FIELD(step, (void)map)
FIELD(element, map->element = (uint32_t)args[1])
FIELD(interleave, (void)map)
FIELD(swizzle, map->swizzle = (uint32_t)args[1])
FIELD(fill, map->fill = (uint32_t)args[1])
#undef FIELD

TRI_SIM_FUNCTION(tensormap_release)
{
    (void)sim;
    (void)id;
    (void)args;
    (void)results;
}

TRI_SIM_FUNCTION(tensormap_acquire)
{
    (void)id;
    (void)results;
    if (tri_sim_check_global(sim, (void *)(uintptr_t)args[0], 16, "tensor map"))
        ((tri_sim_tensormap *)(uintptr_t)args[0])->is_acquired = true;
}
