/* An OpenCL device through the system's loader library, which is opened when it is asked for. Memory is
 * coarse-grained shared virtual memory, so that arrays may hold addresses of others. */
#ifndef TRI_RUNTIME_RUN_OPENCL_H
#define TRI_RUNTIME_RUN_OPENCL_H

#include "base/diag.h"

typedef struct tri_opencl tri_opencl;

/* Opens device `number`, counted over all platforms, or the first that has `name`, where it is not empty, in its own
 * name or its platform's. Null after a report. */
tri_opencl *tri_opencl_create(tri_diag *diag, int number, tri_str name);
void tri_opencl_destroy(tri_opencl *cl);

/* Whether the device reads SPIR-V; if not, whether it reads LLVM bitcode of the SPIR kind instead. */
bool tri_opencl_takes_spirv(const tri_opencl *cl);
bool tri_opencl_takes_spir(const tri_opencl *cl);
/* Can a kernel ask for sub-groups of that many work-items? */
bool tri_opencl_has_sub_groups(const tri_opencl *cl, size_t lanes);
const char *tri_opencl_name(const tri_opencl *cl);

/* Builds SPIR-V, or SPIR, and picks one kernel. False after a report, which holds the device's log. */
bool tri_opencl_build(tri_opencl *cl, tri_str code, bool is_spirv, const char *kernel);

/* Memory of the device, ended with it, and blocking copies. False after a report. */
bool tri_opencl_allocate(tri_opencl *cl, size_t size, uint64_t *out_address);
bool tri_opencl_write(tri_opencl *cl, uint64_t address, const void *data, size_t size);
bool tri_opencl_read(tri_opencl *cl, void *data, uint64_t address, size_t size);

/* Sets argument `i`: an address of tri_opencl_allocate, or `size` bytes. False after a report. */
bool tri_opencl_set_address(tri_opencl *cl, uint32_t i, uint64_t address);
bool tri_opencl_set_bytes(tri_opencl *cl, uint32_t i, const void *bytes, size_t size);

/* Runs groups[0] x groups[1] x groups[2] groups of `threads` and waits. False after a report. */
bool tri_opencl_launch(tri_opencl *cl, const uint32_t *groups, size_t threads, double *out_seconds);

#endif
