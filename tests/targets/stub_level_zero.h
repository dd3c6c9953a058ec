/* What the stand-in for Level Zero saw. */
#ifndef TRI_TESTS_STUB_LEVEL_ZERO_H
#define TRI_TESTS_STUB_LEVEL_ZERO_H

#include <stdint.h>

typedef struct {
    uint32_t ip_version[2]; /* set by the test: of each device; 0: the driver does not tell */
    int has_lanes_32, refuses_native;
    int calls, launches, waits, modules, kernels, contexts, lists, memories; /* the last five: that there are */
    unsigned grid[3], group, indirect, synchronous;
    int format;
    const void *image, *context, *list;
    char kernel[64];
    int sizes[16];
    uint64_t args[16];
} stub_log;

stub_log *stub_get_log(void);
/* The call after so many more fails; negative: none. */
void stub_fail_after(int calls);
/* The name of the call that failed, or null. */
const char *stub_failed(void);
/* An immediate command list of the test's own, on a device in a context. */
void *stub_list(int device, int context);

#endif
