/* A CUDA device through its driver library, which is opened when it is asked for: memory, copies and time. */
#ifndef TRI_RUNTIME_RUN_CUDA_H
#define TRI_RUNTIME_RUN_CUDA_H

#include "base/diag.h"

typedef struct tri_cuda tri_cuda;

/* Opens device `number` and makes its primary context the thread's. Null after a report. */
tri_cuda *tri_cuda_create(tri_diag *diag, int number);
void tri_cuda_destroy(tri_cuda *cuda);

/* Compute capability, as 90 for 9.0. */
int tri_cuda_capability(const tri_cuda *cuda);

/* Memory of the device, ended with it, and blocking copies. False after a report. */
bool tri_cuda_allocate(tri_cuda *cuda, size_t size, uint64_t *out_address);
bool tri_cuda_write(tri_cuda *cuda, uint64_t address, const void *data, size_t size);
bool tri_cuda_read(tri_cuda *cuda, void *data, uint64_t address, size_t size);

/* Around work of the default stream: `stop` waits for it and says how long it took. False after a report. */
bool tri_cuda_start_clock(tri_cuda *cuda);
bool tri_cuda_stop_clock(tri_cuda *cuda, double *out_seconds);

#endif
