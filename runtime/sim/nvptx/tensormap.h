/* A tensor map as the simulator has it, in the place and size of the machine's. */
#ifndef TRI_RUNTIME_SIM_TENSORMAP_H
#define TRI_RUNTIME_SIM_TENSORMAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_SIM_TENSORMAP_BYTES = 128, TRI_SIM_TENSORMAP_MAGIC = 0x7ab1e };

typedef struct {
    uint32_t magic;
    bool is_acquired; /* nothing was written since the last acquire; true for maps that the host makes */
    uint32_t rank;
    uint32_t element; /* CUtensorMapDataType */
    uint32_t swizzle; /* 0, or 1 to 3: 32, 64, 128 bytes */
    uint32_t fill;    /* out of bounds: 0 zero, 1 NaN */
    uint64_t address;
    uint64_t stride[4]; /* bytes; of dimensions 1 to 4 */
    uint32_t size[5], box[5]; /* elements, fastest dimension first */
} tri_sim_tensormap;

_Static_assert(sizeof(tri_sim_tensormap) <= TRI_SIM_TENSORMAP_BYTES, "a map takes the machine's room");

/* Bytes of an element. */
static inline uint64_t tri_sim_tensormap_bytes(const tri_sim_tensormap *map)
{
    static const uint8_t bytes[16] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4, 1, 1, 1};
    return bytes[map->element & 15];
}

/* A map of the host's, as tri_rt_encode (runtime/launch/launch.h) makes one, which refuses what the driver does. */
int tri_sim_encode_tensormap(void *map, int element, uint32_t rank, void *address, const uint64_t *sizes,
                             const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                             int swizzle, int promotion, int fill);

#endif
