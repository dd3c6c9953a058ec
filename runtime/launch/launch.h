/* Inside of the launcher: what generated wrappers and the runtime's parts share. The runtime is
 * compiled to LLVM bitcode once and linked into every object, all of its symbols linkonce, so that
 * several objects make one program. It may use libc only, and neither printf nor malloc on the way
 * of a launch. */
#ifndef TRI_RUNTIME_LAUNCH_H
#define TRI_RUNTIME_LAUNCH_H

#include "include/tritcc/launch.h"

#include <stdint.h>

/* Emitted before each kernel's wrapper, one per parameter that has a hint. */
typedef struct {
    uint32_t arg;
    uint32_t divisor;
    uint32_t kind; /* 0 pointer, 8..64 integer bits */
} tri_rt_hint;

/* Of an error code 256 + arg for the first hint that does not hold, or 0. args[i] points to argument i. */
int tri_rt_check_hints(const void *const *args, const tri_rt_hint *hints, uint32_t count);

/* Rounds to nearest even. */
uint16_t tri_rt_to_half(float value);
uint16_t tri_rt_to_bfloat(float value);

/* ---- CPU ---- */

typedef void tri_rt_range(const void *const *args, uint64_t begin, uint64_t end, const uint32_t *grid, int *err);
int tri_rt_cpu_launch(tri_rt_range *run, const void *const *args, const tri_grid *grid);

/* What kernels call to print and to assert (targets/cpu/debug.c). format: the low byte is 0 signed, 1 unsigned,
 * 2 hexadecimal, 3 float, 4 address; the width follows. */
void tri_cpu_rt_print_text(const char *prefix, uint32_t x, uint32_t y, uint32_t z);
void tri_cpu_rt_print(const char *prefix, uint32_t x, uint32_t y, uint32_t z, const int64_t *index, int rank,
                      int64_t bits, double number, int format);
void tri_cpu_rt_assert(int *err, const char *message, const char *file, int line, uint32_t x, uint32_t y, uint32_t z);
/* Waits until the integer of `bits` bits is `want`, for at most `timeout` ns (forever when that is negative);
 * whether it is. */
int tri_cpu_rt_poll(const void *address, uint64_t want, int bits, int64_t timeout);

/* -fsanitize=bounds (targets/cpu/bounds.c): what a kernel's error points to, and one access of the source. */
typedef struct {
    int err;
    const uint64_t *lengths; /* bytes behind each argument, unlimited when null; only pointers' count */
} tri_rt_state;

typedef struct {
    const char *file, *kind, *name; /* name: the argument's, empty when it may be one of several */
    uint32_t line, column;
    uint64_t size; /* of an element */
} tri_rt_site;

/* As tri_rt_cpu_launch, for code with these checks; err of `run` is a tri_rt_state. */
int tri_rt_cpu_launch_checked(tri_rt_range *run, const void *const *args, const tri_grid *grid,
                              const uint64_t *lengths);
/* Says that the lanes of `bad` lie outside; once for each thread's share of the grid. */
void tri_cpu_rt_bounds(tri_rt_state *state, const tri_rt_site *site, const uint64_t *offsets, uint64_t bad,
                       uint64_t length, uint32_t x, uint32_t y, uint32_t z);

/* -fsanitize=undefined (targets/cpu/shadow.c): says what happened at the site; once for each thread's share of the
 * grid. The size and name of the site do not count. */
void tri_cpu_rt_undefined(tri_rt_state *state, const tri_rt_site *site, uint32_t x, uint32_t y, uint32_t z);

/* The level of x86-64 that this machine has, 1 to 4 (objects for x86 with code for several). */
int tri_cpu_rt_level(void);

/* ---- CUDA ---- */

enum { TRI_RT_MAX_CONTEXTS = 64 };

typedef struct {
    const char *arch; /* "sm_90a" */
    const void *data; /* cubin, or PTX text with its NUL */
    uint64_t size;
    uint32_t is_ptx;
} tri_rt_image;

/* Everything that one object holds for a kernel. */
typedef struct {
    const char *symbol;
    const tri_rt_image *images;
    uint32_t image_count;
    uint32_t num_warps, num_ctas, shared_bytes;
    uint64_t scratch_bytes, scratch_alignment; /* per program; 0: no scratch argument */
    uint32_t launch_pdl, launch_cooperative;   /* not 0: with this attribute */
    /* what was loaded, per context; guarded by the runtime's lock, except for reads of ready entries */
    struct {
        void *context, *module, *function;
        int device, image;
    } loaded[TRI_RT_MAX_CONTEXTS];
    uint32_t loaded_count;
} tri_rt_kernel;

int tri_rt_cuda_launch(tri_rt_kernel *kernel, void *stream, const tri_grid *grid, void **args, uint32_t arg_count);
int tri_rt_cuda_load(tri_rt_kernel *kernel, int device);
int tri_rt_cuda_unload(tri_rt_kernel *kernel, int device);
int tri_rt_cuda_selected(tri_rt_kernel *kernel, int device);
/* How well code for `arch` suits a device of this compute capability (90 for 9.0); -1: it does not run there. Machine code runs
 * on its own major version from its minor version on, and only on exactly its own when it is an 'a' one; PTX likewise, or
 * on anything newer. Of several the highest is taken. */
int tri_rt_cuda_rank(const char *arch, int is_ptx, int capability);
/* The driver's text for its own error number, or null. */
const char *tri_rt_cuda_text(int number);

#endif
