/* Panels of runtime/launch/room.c: which one a key gets. */
#include "runtime/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>

enum { words = 2 };

static uint64_t directory[1 + TRI_RT_PANELS * (1 + words)];

void tri_rt_at_end(void (*function)(void *)) { (void)function; }

static void expect(uint64_t generation, uint64_t block, int64_t panel)
{
    uint64_t key[words] = {generation, block};
    int64_t got = tri_cpu_rt_panel(directory, key, words);
    if (got == panel)
        return;
    fprintf(stderr, "generation %d, block %d: panel %d, not %d\n", (int)generation, (int)block, (int)got, (int)panel);
    exit(1);
}

int main(void)
{
    for (uint64_t block = 0; block < 3; block++)
        expect(1, block, (int64_t)block);
    expect(1, 1, 1); /* found again */
    /* another launch finds nothing, and takes the same memory, which is in the cache */
    expect(2, 1, 0);
    expect(2, 7, 1);
    expect(2, 1, 0);
    for (uint64_t block = 10; block < 8 + TRI_RT_PANELS; block++)
        expect(2, block, (int64_t)block - 8);
    /* all in use: the one that was not used for longest goes */
    expect(2, 99, 1);
    expect(2, 1, 0);
    expect(2, 7, 2);
    return 0;
}
