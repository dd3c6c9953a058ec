/* What the CUDA back end shares with objects that hold CUDA code. */
#ifndef TRI_DRIVER_RUN_CUDA_H
#define TRI_DRIVER_RUN_CUDA_H

#include "run/device.h"
#include "runtime/run/cuda.h"

/* Memory of a tri_cuda. */
extern const tri_run_memory tri_run_cuda_memory;

#endif
