/* Panels of runtime/launch/room.c: which one a key gets, in one thread's room and among those of a launch. */
#include "runtime/launch/launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { words = 2, directory_at = 512, facts_at = 4096, bytes = 1 << 16 };

void tri_rt_at_end(void (*function)(void *)) { (void)function; }

static void kernel_code(const void *const *args, uint64_t begin, uint64_t end, const uint32_t *grid, int *err)
{
    (void)args, (void)begin, (void)end, (void)grid, (void)err;
}

static uint64_t *directory_of(const tri_rt_state *state)
{
    return (uint64_t *)(void *)((char *)state->room + directory_at);
}

static void must_hold(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
}

static void get_room(tri_rt_state *state)
{
    must_hold(tri_cpu_rt_room(state, kernel_code, bytes) != NULL, "there is memory");
    memset(directory_of(state), 0, bytes - directory_at);
}

static uint64_t *facts_of(const tri_rt_state *state) { return (uint64_t *)(void *)((char *)state->room + facts_at); }

/* The panel that a block gets; packed: its first block is, then. */
static int64_t ask_for(tri_rt_state *state, uint64_t generation, uint64_t block, int packed, tri_rt_home *out)
{
    uint64_t key[words] = {generation, block};
    int64_t panel = tri_cpu_rt_panel(state, directory_of(state), key, words, facts_of(state), 8, out);
    if (packed && out->room == state->room)
        __atomic_store_n(facts_of(state) + panel, 1, __ATOMIC_RELEASE);
    return panel;
}

/* The room's generation is its first word. */
static uint64_t generation_of(const tri_rt_state *state) { return *(uint64_t *)(void *)state->room; }

static tri_rt_home expect_in(tri_rt_state *state, uint64_t generation, uint64_t block, int64_t panel)
{
    tri_rt_home home;
    int64_t got = ask_for(state, generation, block, 1, &home);
    if (got == panel)
        return home;
    fprintf(stderr, "generation %d, block %d: panel %d, not %d\n", (int)generation, (int)block, (int)got, (int)panel);
    exit(1);
}

static void one_thread(void)
{
    tri_rt_state state = {0};
    get_room(&state);
    for (uint64_t block = 0; block < 3; block++)
        expect_in(&state, 1, block, (int64_t)block);
    expect_in(&state, 1, 1, 1); /* found again */
    /* another launch finds nothing, and takes the same memory, which is in the cache */
    expect_in(&state, 2, 1, 0);
    expect_in(&state, 2, 7, 1);
    expect_in(&state, 2, 1, 0);
    for (uint64_t block = 10; block < 8 + TRI_RT_PANELS; block++)
        expect_in(&state, 2, block, (int64_t)block - 8);
    /* all in use: the one that was not used for longest goes */
    expect_in(&state, 2, 99, 1);
    expect_in(&state, 2, 1, 0);
    expect_in(&state, 2, 7, 2);
    tri_rt_leave_room(&state, 0);
}

/* What one thread has begun, the other finds, for as long as the launch lasts; not behind its own writes. */
static void two_threads(void)
{
    static tri_rt_shared shared;
    tri_rt_share(&shared);
    tri_rt_state one = {.shared = &shared}, two = {.shared = &shared};
    get_room(&one);
    get_room(&two);
    uint64_t of_one = generation_of(&one), of_two = generation_of(&two);
    tri_rt_home home = expect_in(&one, of_one, 5, 0);
    must_hold(home.room == one.room && home.generation == of_one, "a panel that nobody has is the thread's own");
    home = expect_in(&two, of_two, 5, 0);
    must_hold(home.room == one.room && home.generation == of_one, "the other thread reads it there");
    must_hold(ask_for(&one, of_one, 4, 0, &home) == 1 && home.room == one.room, "that one begins another one");
    must_hold(ask_for(&two, of_two, 4, 0, &home) == 0 && home.room == two.room, "who comes too early packs for itself");
    home = expect_in(&two, of_two, 6, 1);
    must_hold(home.room == two.room && home.generation == of_two, "another one is its own");
    home = expect_in(&two, of_two + 1, 5, 0);
    must_hold(home.room == two.room && home.generation == of_two + 1, "it does not where it has written what it read");
    for (uint64_t block = 100; block < 200; block++) {
        must_hold(ask_for(&one, of_one, block, 1, &home) != 0, "what is read stays");
    }
    home = expect_in(&two, of_two, 5, 0);
    must_hold(home.room == one.room, "it stays among many");
    for (uint64_t block = 100; block < 200; block++) { /* also where the thread itself forgets */
        must_hold(ask_for(&one, of_one + 1, block, 1, &home) != 0, "what is read stays");
    }
    tri_rt_leave_room(&one, 1);
    tri_rt_state third = {.shared = &shared};
    get_room(&third);
    must_hold(third.room != one.room, "a room that may be read is not lent");
    tri_rt_leave_room(&two, 1);
    tri_rt_leave_room(&third, 1);
    tri_rt_unshare(&shared);
}

enum { threads = 8, rounds = 200, blocks = 40 };

static tri_rt_shared common;

/* Every panel that is found has the key that was asked for. */
static void *ask_in_turn(void *unused)
{
    tri_rt_state state = {.shared = &common};
    get_room(&state);
    uint64_t generation = generation_of(&state), begin = (uint64_t)(uintptr_t)&state / 4096;
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t block = (begin + i) % blocks;
        tri_rt_home home;
        int64_t panel = ask_for(&state, generation, block, 1, &home);
        tri_rt_state there = {.room = home.room};
        const uint64_t *entry = directory_of(&there) + 1 + panel * (1 + words);
        must_hold(entry[1] == home.generation && entry[2] == block, "the panel has the key");
    }
    tri_rt_leave_room(&state, 1);
    return unused;
}

static void many_threads(void)
{
    for (int r = 0; r < rounds; r++) {
        pthread_t thread[threads];
        tri_rt_share(&common);
        for (int i = 0; i < threads; i++)
            must_hold(!pthread_create(&thread[i], NULL, ask_in_turn, NULL), "there are threads");
        for (int i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
        tri_rt_unshare(&common);
    }
}

int main(void)
{
    one_thread();
    two_threads();
    many_threads();
    return 0;
}
