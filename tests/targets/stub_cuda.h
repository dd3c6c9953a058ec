/* What the stand-in driver saw; python/tests/stub.py has the same record. */
#ifndef TRI_TESTS_STUB_CUDA_H
#define TRI_TESTS_STUB_CUDA_H

#include <stdint.h>

typedef struct {
    int retains, releases; /* of primary contexts */
    int inits, loads, gets, unloads, launches, allocations, stream_allocations; /* gets: of functions */
    int image_is_ptx, dynamic_shared;
    char function[64];
    unsigned grid[3], threads, shared;
    void *stream;
    int occupancies;
    unsigned cluster[3];
    int ex_launches, cooperative, programmatic; /* cuLaunchKernelEx; values of the last one's attributes */
    int want_args, want_bytes[16]; /* set by the test: sizes of the arguments to record */
    uint64_t args[16];
    struct stub_map {
        int element, interleave, swizzle, promotion, fill;
        unsigned rank;
        void *address;
        uint64_t sizes[5], strides[4];
        unsigned box[5], steps[5];
    } maps[16]; /* those that were made since the test cleared the number */
    int map_count;
} stub_log;

stub_log *stub_get_log(void);
/* From now on this driver function fails; null: none. */
void stub_fail(const char *function, int error);
/* Milliseconds that launches of this function take by the device's clock, for functions whose name so starts; below 0:
 * they fail. */
void stub_set_cost(const char *function, double milliseconds);
void stub_set_capability(int device, int value);

#endif
