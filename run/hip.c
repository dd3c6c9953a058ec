/* Kernels on an AMD GPU through HIP, by the launcher that objects have. */
#include "run/device.h"

#include "runtime/launch/launch.h"
#include "targets/facts.h"

#include <dlfcn.h>
#include <stddef.h>

enum { to_device = 1, from_device = 2, no_driver = 9001 };

typedef struct {
    int (*memory_new)(void **, size_t);
    int (*memory_free)(void *);
    int (*copy)(void *, const void *, size_t, int);
    int (*event_create)(void **);
    int (*event_record)(void *, void *);
    int (*event_wait)(void *);
    int (*event_elapsed)(float *, void *, void *);
    int (*event_destroy)(void *);
    const char *(*error_string)(int);
} runtime_api;

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    runtime_api api;
    bool is_open;
    int number;
    void *start, *end; /* events */
    TRI_VEC(void *) memory;
    tri_run_copies copies;
    tri_run_record record;
} device;

/* Errors of the launcher, and of HIP itself. */
static bool report_launcher(device *d, int error, const char *what)
{
    if (error)
        tri_diag_error(d->diag, TRI_NO_SPAN, no_driver, "HIP: cannot %s: %s", what, tri_strerror(error));
    return !error;
}

static bool report_hip(device *d, int error, const char *what)
{
    if (error)
        tri_diag_error(d->diag, TRI_NO_SPAN, no_driver, "HIP: cannot %s: %s", what, d->api.error_string(error));
    return !error;
}

/* ---- memory ---- */

static bool take_memory(void *data, size_t size, uint64_t *out_address)
{
    device *d = data;
    void *memory = NULL;
    if (!report_hip(d, d->api.memory_new(&memory, size ? size : 1), "have memory"))
        return false;
    tri_vec_push(d->arena, &d->memory, memory);
    *out_address = (uint64_t)(uintptr_t)memory;
    return true;
}

static bool copy_to_hip(void *data, uint64_t to, const void *from, size_t size)
{
    device *d = data;
    return report_hip(d, d->api.copy((void *)(uintptr_t)to, from, size, to_device), "copy to the device");
}

static bool copy_from_hip(void *data, void *to, uint64_t from, size_t size)
{
    device *d = data;
    return report_hip(d, d->api.copy(to, (const void *)(uintptr_t)from, size, from_device), "copy from the device");
}

static const tri_run_memory memory = {take_memory, copy_to_hip, copy_from_hip};

/* ---- the back end ---- */

/* The launcher has opened the library for all to see. */
static bool find_runtime(runtime_api *out)
{
    static const tri_rt_symbol rows[] = {
        {"hipMalloc", offsetof(runtime_api, memory_new), 0},
        {"hipFree", offsetof(runtime_api, memory_free), 0},
        {"hipMemcpy", offsetof(runtime_api, copy), 0},
        {"hipEventCreate", offsetof(runtime_api, event_create), 0},
        {"hipEventRecord", offsetof(runtime_api, event_record), 0},
        {"hipEventSynchronize", offsetof(runtime_api, event_wait), 0},
        {"hipEventElapsedTime", offsetof(runtime_api, event_elapsed), 0},
        {"hipEventDestroy", offsetof(runtime_api, event_destroy), 0},
        {"hipGetErrorString", offsetof(runtime_api, error_string), 0},
    };
    void *all = dlopen(NULL, RTLD_NOW);
    return all && tri_rt_find_symbols(all, rows, sizeof rows / sizeof *rows, out);
}

static bool choose_hip(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments)
{
    device *d = TRI_NEW(k->unit.arena, device);
    const char *arch = NULL;
    (void)arguments;
    k->device = d;
    d->arena = k->unit.arena;
    d->diag = k->unit.diag;
    d->number = (int)opt->device;
    int error = tri_rt_hip_open(d->number, &arch);
    if (!error && !find_runtime(&d->api))
        error = TRI_ERROR_NO_DRIVER;
    if (!report_launcher(d, error, "open the device") ||
        !report_hip(d, d->api.event_create(&d->start), "make an event") ||
        !report_hip(d, d->api.event_create(&d->end), "make an event"))
        return false;
    opt->compile.arch = tri_str_from(arch);
    return true;
}

static bool open_hip(tri_run_kernel *k, tri_argument_list *arguments)
{
    device *d = k->device;
    tri_run_record_fill(k, &d->record, TRI_HIP, (uint32_t)tri_facts_lanes(&k->unit));
    d->is_open = true;
    return report_launcher(d, tri_rt_hip_backend.load(&d->record.kernel, d->number), "load the kernel") &&
           tri_run_device_upload(k, &memory, d, arguments, &d->copies);
}

static bool launch_hip(tri_run_kernel *k, double *out_seconds)
{
    device *d = k->device;
    float milliseconds = 0;
    tri_grid grid = {k->grid.x, k->grid.y, k->grid.z};
    tri_rt_call call = {.grid = &grid, .args = (const void *const *)k->pointers};
    if (!report_hip(d, d->api.event_record(d->start, NULL), "start the clock") ||
        !report_launcher(d, tri_rt_hip_backend.launch(&d->record.kernel, &call), "run the kernel") ||
        !report_hip(d, d->api.event_record(d->end, NULL), "stop the clock") ||
        !report_hip(d, d->api.event_wait(d->end), "wait for the kernel") ||
        !report_hip(d, d->api.event_elapsed(&milliseconds, d->start, d->end), "read the clock"))
        return false;
    *out_seconds = (double)milliseconds * 1e-3;
    return true;
}

static bool fetch_hip(tri_run_kernel *k)
{
    device *d = k->device;
    return tri_run_device_fetch(&memory, d, &d->copies);
}

static void close_hip(tri_run_kernel *k)
{
    device *d = k->device;
    if (!d)
        return;
    for (size_t i = 0; i < d->memory.len; i++)
        d->api.memory_free(d->memory.at[i]);
    if (d->start)
        d->api.event_destroy(d->start);
    if (d->end)
        d->api.event_destroy(d->end);
    if (d->is_open)
        tri_rt_hip_backend.unload(&d->record.kernel, d->number);
}

const tri_run_backend tri_run_hip = {
    .name = "hip",
    .takes = TRI_KIND_HSACO,
    .is_gpu = true,
    .choose = choose_hip,
    .open = open_hip,
    .launch = launch_hip,
    .fetch = fetch_hip,
    .close = close_hip,
};
