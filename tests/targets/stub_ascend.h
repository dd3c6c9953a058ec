/* What the stand-in runtime saw. */
#ifndef TRI_TESTS_STUB_ASCEND_H
#define TRI_TESTS_STUB_ASCEND_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *soc; /* set by the test: the name of the machine */
    double cost;     /* ... and what launches take, in ms */
    int inits, loads, unloads, registered, launches, allocations, frees, waits;
    uint32_t magic, blocks, bytes;
    uint64_t allocated;
    void *memory, *stream;
    const void *stub, *launched;
    char code[64], function[64];
    uint64_t args[64];
} stub_log;

stub_log *stub_get_log(void);
/* From now on this function fails; null: none. */
void stub_fail(const char *function, int error);

#endif
