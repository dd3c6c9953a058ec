/* Where tritrun runs kernels: one file run_<name>.c and one row of tri_run_backends each. */
#ifndef TRI_DRIVER_RUN_BACKEND_H
#define TRI_DRIVER_RUN_BACKEND_H

#include "driver/phase.h"
#include "run/kernel.h"

struct tri_run_backend {
    const char *name; /* of -arch=; null: any other -arch */
    tri_kind takes;   /* the stage that it is given; TRI_KIND_OBJ: not compiled here */
    bool is_gpu;      /* code of a family with GPU layouts */
    /* Before anything is compiled: opens the device and sets compile.arch. Null: as it was given. False
     * after a report. */
    bool (*choose)(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments);
    /* After compiling and binding: loads the code, makes the arrays reachable. False after a report. */
    bool (*open)(tri_run_kernel *k, tri_argument_list *arguments);
    /* Runs the grid and waits. *out_seconds is the device's own time; left alone where it has no clock. */
    bool (*launch)(tri_run_kernel *k, double *out_seconds);
    /* Copies what the kernel wrote back to the arguments' arrays. Null: it wrote there. */
    bool (*fetch)(tri_run_kernel *k);
    /* Ends what choose and open began, also after their failure. */
    void (*close)(tri_run_kernel *k);
};

extern const tri_run_backend tri_run_host, tri_run_sim, tri_run_cuda, tri_run_hip, tri_run_opencl,
    tri_run_level_zero, tri_run_object;

/* True for what a kernel gets the address of. */
bool tri_run_kernel_is_memory(const tri_argument *argument);

#endif
