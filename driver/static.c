/* In the programs alone, before the libraries' own constructors, which allocate: the heap, and where C++ and LLVM find
 * no memory, the process ends. The sanitizer's own start comes first. */
#include "ir/guard.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __SANITIZE_ADDRESS__
/* One heap for all threads, which grows in large steps and is not given back: the compiling thread's own grows page by
 * page, with a call of the system for each.
 *
 * Its first 16 MiB are advised to be huge pages, from the first allocation on: a small kernel takes 500 pages, each
 * of which costs more than a microsecond at its first use, and all of them together in one huge page a fifth of that.
 * Their boundary lies behind what every process takes, for which it pays not, and malloc writes to before the advice.
 * Where any of this fails, the heap is as it would be without. */
static void prepare_heap(void)
{
#ifdef M_ARENA_MAX
    enum { huge = 2 << 20, advised = 16 << 20, small = 512 << 10, step = 1 << 20 };
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    uintptr_t end = (uintptr_t)sbrk(0), boundary = (end + small + huge - 1) & -(uintptr_t)huge;
    if (sbrk((intptr_t)(boundary - small - end)) != (void *)-1) {
        mallopt(M_TOP_PAD, advised + small);
        void *volatile first = malloc(1); /* which the C compiler keeps */
        free(first);
        if ((uintptr_t)sbrk(0) > boundary)
            (void)madvise((void *)boundary, (uintptr_t)sbrk(0) - boundary, MADV_HUGEPAGE);
    }
    mallopt(M_TOP_PAD, step);
#endif
}

static void prepare(void)
{
    prepare_heap();
    tri_guard_memory();
}

__attribute__((section(".preinit_array"), used)) static void (*const preparation)(void) = prepare;
#endif

/* and again behind them */
__attribute__((constructor)) static void start(void) { tri_guard_memory(); }
