/* One kernel compiled in memory for the arguments of a command line, and its launches. */
#ifndef TRI_DRIVER_RUN_KERNEL_H
#define TRI_DRIVER_RUN_KERNEL_H

#include "base/progress.h"
#include "run/opt.h"
#include "ir/unit.h"
#include "runtime/run/argument.h"
#include "runtime/run/jit.h"
#include "runtime/sim/sim.h"

/* One of the words that the code, or the launcher of an object, is called with. */
typedef struct {
    tri_argument *argument;
    tri_str name;  /* of the parameter */
    tri_str type;  /* "*fp32", "i64"; "tensordesc<...>" where the word is the address of a tri_tensordesc */
    void *address; /* where the array's address stands, for tri_run_word_point; null: the word is a number */
} tri_run_word;

/* Lets the word be about other memory than the argument's array. */
void tri_run_word_point(const tri_run_word *word, const void *data);

typedef struct tri_run_kernel {
    tri_unit unit;
    const tri_source *source; /* the file's, but for objects */
    const tri_run_backend *backend;
    tri_progress *progress;   /* borrowed; null: nothing is shown */
    tri_jit *jit;             /* host, simulator, objects */
    tri_sim *sim;
    tri_sim_site *sites;
    void *device;             /* of the CUDA and OpenCL back ends and of objects */
    tri_argument **passed;    /* per parameter of the source; null for what is not passed */
    uint64_t *values;         /* what is passed, 8 bytes each, and room for six more */
    void **pointers;          /* to those, and room for one more */
    tri_run_word *words;      /* what they are */
    uint64_t *lengths;        /* host: bytes behind each of them, UINT64_MAX for numbers */
    size_t num_values;
    int config_count;         /* of autotune's configurations, at least 1; 0: not compiled from source */
    tri_sim_grid grid, launched; /* the caller's, and the simulator's for a persistent kernel */
    tri_str grid_text;        /* what it was evaluated from: -grid, or the file's own launch; empty: neither */
} tri_run_kernel;

/* Compiles the file of `opt` with the arguments' types and evaluates the grid. False after a report;
 * end it in any case. */
bool tri_run_kernel_create(tri_arena *arena, tri_diag *diag, tri_run_opt *opt, tri_argument_list *arguments,
                           tri_run_kernel *out_kernel);
void tri_run_kernel_fini(tri_run_kernel *kernel);

/* Runs the whole grid once and waits. *out_seconds, which may be null, is the time it took: by the device's
 * clock where there is one. False after a report. */
bool tri_run_kernel_launch(tri_run_kernel *kernel, double *out_seconds);

/* Brings what the kernel wrote into the arguments' arrays. False after a report. */
bool tri_run_kernel_fetch(tri_run_kernel *kernel);

/* The argument that was given for a parameter, or the buffer of that name; null when there is none. */
tri_argument *tri_run_kernel_find(tri_run_kernel *kernel, tri_argument_list *arguments, tri_str name);

#endif
