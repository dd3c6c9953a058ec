/* What the stand-in for HIP saw. */
#ifndef TRI_TESTS_STUB_HIP_H
#define TRI_TESTS_STUB_HIP_H

#include <stdint.h>

typedef struct {
    const char *arch[2]; /* set by the test: of each device */
    double cost;         /* ... and what launches take, in ms */
    int inits, loads, unloads, functions, launches, cooperative, allocations, frees, asked;
    unsigned grid[3], block[3], shared;
    uint64_t allocated;
    uint64_t range;      /* ... and the bytes of what each address is in the middle of; 0: it is not known */
    void *memory, *stream, *unloaded;
    const void *image;
    char function[64];
    uint64_t args[16];
} stub_log;

stub_log *stub_get_log(void);
/* How many of args[] launches copy, and how many bytes each has. */
void stub_expect(int count, const int *sizes);
/* From now on this function fails; null: none. */
void stub_fail(const char *function, int error);

#endif
