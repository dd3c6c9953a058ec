/* Private to targets/gpu: buffers in shared memory. */
#ifndef TRI_TARGETS_GPU_LOCAL_H
#define TRI_TARGETS_GPU_LOCAL_H

#include "ir/encoding.h"
#include "ir/type.h"
#include "targets/gpu/exchange.h"

/* What a descriptor's type says about its buffer, leading pipeline dimensions left out. */
typedef struct {
    tri_memdesc desc;
    const tri_encoding *encoding;
    tri_linear layout; /* of the allocation: offset, block -> dims */
    int bits;          /* of an element in memory */
    int64_t alloc_shape[TRI_MAX_RANK];
} tri_gpu_buffer_type;

/* False after a report at `op`. */
bool tri_local_get_type(tri_gpu *g, MlirOperation op, MlirType type, tri_gpu_buffer_type *out_type);
/* The type of a buffer's descriptor, and where its elements are. False after a report at `op`. */
bool tri_local_find(tri_gpu *g, MlirOperation op, MlirValue buffer, tri_gpu_buffer_type *out_type,
                    tri_gpu_buffer *out_buffer);
/* Behind the writes of `op` to a buffer that products of warp groups may read; nothing where a later write fences, too.
 */
void tri_local_fence(tri_gpu *g, MlirOperation op, const tri_gpu_buffer *buffer);

#endif
