/* Memory that kernels keep packed operands in (targets/cpu/dot_cache.c, dot_panel.c), for a thread's part of a launch.
 * A kernel asks for it when it runs; the launcher takes it back afterwards, and keeps it, with its pages, for launches
 * to come, which begin to look for one where the same thread left it. Of what a kernel does not touch there is none. */
#include "runtime/launch/launch.h"

#include <sys/mman.h>

enum { kept_rooms = 256 };

/* Its head; the kernel has the rest up to `areas` as 64-bit words, too. */
struct tri_rt_room {
    uint64_t generation; /* counts launches, and what made the kernel forget */
    uint64_t is_new;     /* to the kernel that has it: its keys mean nothing */
    tri_rt_range *owner; /* that had it last */
    uint64_t bytes;
    uint64_t unused[4];
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
    room->generation++;
    room->is_new = room->owner != owner;
    room->owner = owner;
    for (int i = 0; i < 4; i++) {
        room->areas[i][0] = UINT64_MAX;
        room->areas[i][1] = 0;
    }
    return state->room = room;
}

void tri_rt_leave_room(tri_rt_state *state, int keeps)
{
    uint64_t first = number_of_thread(state);
    tri_rt_room *room = state->room;
    if (!room)
        return;
    room->owner = keeps ? room->owner : 0;
    for (uint64_t i = 0; i < kept_rooms; i++) {
        tri_rt_room *none = 0;
        if (__atomic_compare_exchange_n(&rooms[(first + i) % kept_rooms], &none, room, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return;
    }
    munmap(room, room->bytes);
}

static int is_same(const uint64_t *a, const uint64_t *b, int64_t count)
{
    uint64_t all = 0;
    for (int64_t i = 0; i < count; i++)
        all |= a[i] ^ b[i];
    return !all;
}

int64_t tri_cpu_rt_panel(uint64_t *directory, const uint64_t *key, int64_t words)
{
    enum { used, keys }; /* of an entry */
    uint64_t now = ++directory[0], *oldest = directory + 1, least = UINT64_MAX;
    int64_t found = 0;
    for (int64_t i = 0; i < TRI_RT_PANELS; i++) {
        uint64_t *entry = directory + 1 + i * (keys + words);
        if (entry[used] && is_same(entry + keys, key, words)) {
            entry[used] = now;
            return i;
        }
        uint64_t age = entry[keys] == key[0] ? entry[used] : 0; /* none is found again of another generation */
        if (age < least) {
            least = age;
            oldest = entry;
            found = i;
        }
    }
    oldest[used] = now;
    for (int64_t i = 0; i < words; i++)
        oldest[keys + i] = key[i];
    return found;
}
