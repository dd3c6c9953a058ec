/* Where outside programs and libraries are. */
#ifndef TRI_DRIVER_TOOL_H
#define TRI_DRIVER_TOOL_H

#include "driver/opt.h"

/* Fills tool_path and libdevice of the options: from `cuda_path` (--cuda-path; may be empty), else
 * configure's --with-cuda, CUDA_HOME, PATH and /usr/local/cuda. What is missing stays empty; who needs it reports that.
 * False after a report: --cuda-path is not a folder. */
bool tri_tool_find(tri_arena *arena, tri_diag *diag, tri_str cuda_path, tri_options *options);

/* -extern-lib: the name "libdevice" stands for NVIDIA's library. */
void tri_tool_add_library(tri_arena *arena, tri_options *options, tri_extern_lib library);

#endif
