/* Memory that kernels keep packed operands in (targets/cpu/dot_cache.c, dot_panel.c), for a thread's part of a launch.
 * A kernel asks for it when it runs; the launcher takes it back afterwards, and keeps it, with its pages, for launches
 * to come, which begin to look for one where the same thread left it. Of what a kernel does not touch there is none.
 *
 * Panels are read by the launch's other threads, too: a thread that begins to fill one puts it on a list, with its key.
 * Such a panel keeps its key until the launch ends, and its blocks are written once, each being marked when it is ready
 * (dot_panel.c): who finds one that is not packs for itself, and nobody waits; who finds that not even the first one is
 * has a panel of its own. A thread whose programs have written what they had read looks at its own panels only. */
#include "runtime/launch/launch.h"

#include <sys/mman.h>

enum { kept_rooms = 256 };

/* Its head; the kernel has the rest up to `areas` as 64-bit words, too. */
struct tri_rt_room {
    uint64_t generation; /* counts launches, and what made the kernel forget */
    uint64_t is_new;     /* to the kernel that has it: its keys mean nothing */
    tri_rt_range *owner; /* that had it last */
    uint64_t bytes;
    uint64_t begun; /* the generation at the launch's begin */
    uint64_t slot;  /* where it is looked for first */
    tri_rt_room *next;
    uint64_t unused;
    uint64_t areas[4][2]; /* lowest address that was read, one past the highest */
};

static tri_rt_room *rooms[kept_rooms]; /* atomic */

static uint64_t number_of_thread(const tri_rt_state *state)
{
    return ((uint64_t)(uintptr_t)state >> 16) * 0x9e3779b97f4a7c15u >> 56; /* by its stack */
}

static void end(void *unused)
{
    (void)unused;
    for (int i = 0; i < kept_rooms; i++) {
        tri_rt_room *room = __atomic_exchange_n(&rooms[i], 0, __ATOMIC_ACQ_REL);
        if (room)
            munmap(room, room->bytes);
    }
}

static tri_rt_room *make_room(uint64_t bytes)
{
    static int is_registered; /* atomic */
    tri_rt_room *room = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return 0;
    room->bytes = bytes;
    if (!__atomic_exchange_n(&is_registered, 1, __ATOMIC_RELAXED))
        tri_rt_at_end(end);
    return room;
}

/* One that is kept, and large enough; those that are not are given up. */
static tri_rt_room *find_room(const tri_rt_state *state, uint64_t bytes)
{
    uint64_t first = number_of_thread(state);
    for (uint64_t i = 0; i < kept_rooms; i++) {
        tri_rt_room **slot = &rooms[(first + i) % kept_rooms];
        tri_rt_room *room = __atomic_load_n(slot, __ATOMIC_RELAXED);
        room = room ? __atomic_exchange_n(slot, 0, __ATOMIC_ACQ_REL) : 0;
        if (room && room->bytes >= bytes)
            return room;
        if (room)
            munmap(room, room->bytes);
    }
    return make_room(bytes);
}

void *tri_cpu_rt_room(tri_rt_state *state, tri_rt_range *owner, uint64_t bytes)
{
    if (state->room)
        return state->room;
    tri_rt_room *room = find_room(state, bytes);
    if (!room)
        return 0;
    room->begun = ++room->generation;
    room->slot = number_of_thread(state);
    room->is_new = room->owner != owner;
    room->owner = owner;
    for (int i = 0; i < 4; i++) {
        room->areas[i][0] = UINT64_MAX;
        room->areas[i][1] = 0;
    }
    return state->room = room;
}

static void keep_room(tri_rt_room *room)
{
    uint64_t first = room->slot;
    for (uint64_t i = 0; i < kept_rooms; i++) {
        tri_rt_room *none = 0;
        if (__atomic_compare_exchange_n(&rooms[(first + i) % kept_rooms], &none, room, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return;
    }
    munmap(room, room->bytes);
}

void tri_rt_leave_room(tri_rt_state *state, int keeps)
{
    tri_rt_room *room = state->room;
    if (!room)
        return;
    room->owner = keeps ? room->owner : 0;
    if (!state->shared) {
        keep_room(room);
        return;
    }
    room->next = __atomic_load_n(&state->shared->left, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state->shared->left, &room->next, room, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void tri_rt_share(tri_rt_shared *shared)
{
    shared->count = 0;
    shared->left = 0;
    for (int i = 0; i < TRI_RT_SHARED_PANELS; i++)
        shared->is_there[i] = 0;
}

void tri_rt_unshare(tri_rt_shared *shared)
{
    tri_rt_room *room = __atomic_load_n(&shared->left, __ATOMIC_ACQUIRE);
    while (room) {
        tri_rt_room *next = room->next;
        keep_room(room);
        room = next;
    }
}

static int is_same(const uint64_t *a, const uint64_t *b, int64_t count)
{
    uint64_t all = 0;
    for (int64_t i = 0; i < count; i++)
        all |= a[i] ^ b[i];
    return !all;
}

/* Of an entry of a directory; `pinned` in place of the time: others may read it. */
enum { used, keys };
static const uint64_t pinned = UINT64_MAX;

static int is_pinned(const tri_rt_room *room, const uint64_t *entry)
{
    return entry[used] == pinned && entry[keys] >= room->begun;
}

/* Of a panel's first block: the word that says whether it is packed. */
static uint64_t *fact_of(uint64_t *facts, int64_t apart, int64_t panel)
{
    return (uint64_t *)(void *)((char *)facts + panel * apart);
}

/* Another thread's panel for the key, whose first word is the thread's own; -1: there is none. */
static int find_shared(tri_rt_shared *shared, int64_t directory, const uint64_t *key, int64_t words)
{
    unsigned count = __atomic_load_n(&shared->count, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < count && i < TRI_RT_SHARED_PANELS; i++)
        if (__atomic_load_n(&shared->is_there[i], __ATOMIC_ACQUIRE) && shared->panels[i].directory == directory &&
            shared->panels[i].words == words && is_same(shared->panels[i].key + 1, key + 1, words - 1))
            return (int)i;
    return -1;
}

static void publish(const tri_rt_state *state, int64_t directory, int64_t panel, uint64_t *entry, int64_t words)
{
    tri_rt_shared *shared = state->shared;
    unsigned at = __atomic_load_n(&shared->count, __ATOMIC_RELAXED);
    if (words > TRI_RT_PANEL_WORDS || at >= TRI_RT_SHARED_PANELS)
        return;
    at = __atomic_fetch_add(&shared->count, 1, __ATOMIC_RELAXED);
    if (at >= TRI_RT_SHARED_PANELS)
        return;
    entry[used] = pinned;
    shared->panels[at].room = state->room;
    shared->panels[at].directory = directory;
    shared->panels[at].panel = panel;
    shared->panels[at].words = words;
    for (int64_t i = 0; i < words; i++)
        shared->panels[at].key[i] = entry[keys + i];
    __atomic_store_n(&shared->is_there[at], 1, __ATOMIC_RELEASE);
}

int64_t tri_cpu_rt_panel(tri_rt_state *state, uint64_t *directory, const uint64_t *key, int64_t words,
                         uint64_t *facts, int64_t apart, tri_rt_home *out)
{
    enum { most_pinned = 8 }; /* two groups of rows, as tutorials have them, find room among the others */
    uint64_t now = ++directory[0], *oldest = directory + 1, least = UINT64_MAX;
    int64_t found = 0, pins = 0, at = (char *)directory - (char *)state->room;
    *out = (tri_rt_home){state->room, key[0]};
    for (int64_t i = 0; i < TRI_RT_PANELS; i++) {
        uint64_t *entry = directory + 1 + i * (keys + words);
        int stays = is_pinned(state->room, entry);
        pins += stays;
        if (entry[used] && is_same(entry + keys, key, words)) {
            entry[used] = stays ? pinned : now;
            return i;
        }
        uint64_t age = stays || entry[keys] == key[0] ? entry[used] : 0; /* none is found again of another generation */
        if (age < least) {
            least = age;
            oldest = entry;
            found = i;
        }
    }
    int shares = state->shared && key[0] == state->room->begun;
    int other = shares ? find_shared(state->shared, at, key, words) : -1;
    if (other >= 0) {
        tri_rt_room *room = state->shared->panels[other].room;
        int64_t panel = state->shared->panels[other].panel;
        uint64_t *there = (uint64_t *)(void *)((char *)room + ((char *)facts - (char *)state->room));
        if (__atomic_load_n(fact_of(there, apart, panel), __ATOMIC_ACQUIRE)) {
            *out = (tri_rt_home){room, state->shared->panels[other].key[0]};
            return panel;
        }
    }
    oldest[used] = now;
    for (int64_t i = 0; i < words; i++)
        oldest[keys + i] = key[i];
    __atomic_store_n(fact_of(facts, apart, found), 0, __ATOMIC_RELAXED);
    if (shares && other < 0 && pins < most_pinned)
        publish(state, at, found, oldest, words);
    return found;
}
