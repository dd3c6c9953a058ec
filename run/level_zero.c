/* Kernels on a Level Zero device, by the launcher that objects have. Arrays are in memory that host and device
 * share. */
#include "run/device.h"

#include "ir/kernel.h"
#include "runtime/launch/launch.h"
#include "targets/facts.h"

#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

enum { of_device_memory = 0x15, of_host_memory = 0x16, alignment = 64, no_driver = 9001 };

typedef struct {
    int stype;
    const void *next;
    uint32_t flags, ordinal;
} memory_desc;

typedef struct {
    int (*memory_new)(void *, const memory_desc *, const memory_desc *, size_t, size_t, void *, void **);
    int (*memory_free)(void *, void *);
} memory_api;

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    tri_rt_level_zero_place place;
    memory_api api;
    TRI_VEC(void *) memory;
    tri_run_copies copies;
    tri_run_record record;
    int number;
} device;

static bool report_ze(device *d, int error, const char *what)
{
    if (error)
        tri_diag_error(d->diag, TRI_NO_SPAN, no_driver, "Level Zero: cannot %s: %s", what, tri_strerror(error));
    return !error;
}

/* ---- memory ---- */

static bool take_shared(void *data, size_t size, uint64_t *out_address)
{
    device *d = data;
    memory_desc on_device = {.stype = of_device_memory}, on_host = {.stype = of_host_memory};
    void *memory = NULL;
    int r = d->api.memory_new(d->place.context, &on_device, &on_host, size ? size : 1, alignment, d->place.device,
                              &memory);
    if (r)
        return report_ze(d, TRI_ERROR_MEMORY, "have memory");
    tri_vec_push(d->arena, &d->memory, memory);
    *out_address = (uint64_t)(uintptr_t)memory;
    return true;
}

static bool copy_to(void *data, uint64_t to, const void *from, size_t size)
{
    (void)data;
    memcpy((void *)(uintptr_t)to, from, size);
    return true;
}

static bool copy_from(void *data, void *to, uint64_t from, size_t size)
{
    (void)data;
    memcpy(to, (const void *)(uintptr_t)from, size);
    return true;
}

static const tri_run_memory memory = {take_shared, copy_to, copy_from};

/* ---- the back end ---- */

static bool choose_level_zero(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments)
{
    static const tri_rt_symbol rows[] = {
        {"zeMemAllocShared", offsetof(memory_api, memory_new), 0},
        {"zeMemFree", offsetof(memory_api, memory_free), 0},
    };
    device *d = TRI_NEW(k->unit.arena, device);
    (void)arguments;
    k->device = d;
    d->arena = k->unit.arena;
    d->diag = k->unit.diag;
    d->number = (int)opt->device;
    if (!report_ze(d, tri_rt_level_zero_open(d->number, &d->place), "open the device"))
        return false;
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL); /* which the launcher has opened */
    if (!library || !tri_rt_find_symbols(library, rows, sizeof rows / sizeof *rows, &d->api))
        return report_ze(d, TRI_ERROR_NO_DRIVER, "open the device");
    opt->compile.arch = tri_str_from(d->place.takes.arch           ? d->place.takes.arch
                                     : d->place.takes.has_lanes_32 ? "spirv64-sg32"
                                                                   : "spirv64");
    return true;
}

static bool open_level_zero(tri_run_kernel *k, tri_argument_list *arguments)
{
    device *d = k->device;
    tri_run_record_fill(k, &d->record, TRI_OPENCL, (uint32_t)tri_facts_lanes(&k->unit));
    return report_ze(d, tri_rt_level_zero_backend.load(&d->record.kernel, d->number), "load the kernel") &&
           tri_run_device_upload(k, &memory, d, arguments, &d->copies);
}

/* The list of the place waits for what it is given. */
static bool launch_level_zero(tri_run_kernel *k, double *out_seconds)
{
    device *d = k->device;
    struct timespec start, end;
    tri_grid grid = {k->grid.x, k->grid.y, k->grid.z};
    tri_rt_call call = {.stream = d->place.list, .grid = &grid, .args = (const void *const *)k->pointers};
    clock_gettime(CLOCK_MONOTONIC, &start);
    bool ok = report_ze(d, tri_rt_level_zero_backend.launch(&d->record.kernel, &call), "run the kernel");
    clock_gettime(CLOCK_MONOTONIC, &end);
    *out_seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    return ok;
}

static bool fetch_level_zero(tri_run_kernel *k)
{
    device *d = k->device;
    return tri_run_device_fetch(&memory, d, &d->copies);
}

static void close_level_zero(tri_run_kernel *k)
{
    device *d = k->device;
    if (!d)
        return;
    for (size_t i = 0; i < d->memory.len; i++)
        d->api.memory_free(d->place.context, d->memory.at[i]);
    if (d->place.context)
        tri_rt_level_zero_backend.unload(&d->record.kernel, d->number);
}

const tri_run_backend tri_run_level_zero = {
    .name = "level-zero",
    .takes = TRI_KIND_SPIRV,
    .is_gpu = true,
    .choose = choose_level_zero,
    .open = open_level_zero,
    .launch = launch_level_zero,
    .fetch = fetch_level_zero,
    .close = close_level_zero,
};
