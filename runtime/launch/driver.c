/* Back ends whose drivers know devices by numbers, or whose devices are counted (HIP, Ascend's runtime, OpenCL, Level
 * Zero): loading, launching and measuring. */
#include "runtime/launch/launch.h"

#include <stddef.h>
#include <time.h>

/* ---- devices ---- */

/* The stream's device, or the calling thread's, which is device 0 from now on when it has none. */
static int enter_thread(const tri_rt_driver *d, void *stream, int *out_device)
{
    int count = 0, r;
    if (!d->is_open())
        return TRI_ERROR_NO_DRIVER;
    if (d->find_device)
        return d->find_device(stream, out_device);
    if (d->calls->get_device(out_device)) {
        if (d->calls->device_count(&count) || count < 1)
            return TRI_ERROR_NO_DEVICE;
        if ((r = d->calls->set_device(*out_device = 0)))
            return d->error(r);
    }
    return *out_device < TRI_RT_MAX_DEVICES ? TRI_OK : TRI_ERROR_NO_DEVICE;
}

static int is_device(const tri_rt_driver *d, int device)
{
    int count = 0;
    return device >= 0 && device < TRI_RT_MAX_DEVICES && !d->calls->device_count(&count) && device < count;
}

/* Makes a device the thread's; *out_before is what it had, or -1. */
static int enter_device(const tri_rt_driver *d, int device, int *out_before)
{
    if (!d->is_open())
        return TRI_ERROR_NO_DRIVER;
    if (!is_device(d, device))
        return TRI_ERROR_NO_DEVICE;
    if (d->calls->get_device(out_before))
        *out_before = -1;
    return *out_before == device ? TRI_OK : d->error(d->calls->set_device(device));
}

/* The thread has its own device again; of the error so far and one in here, the first. */
static int leave_device(const tri_rt_driver *d, int device, int before, int error)
{
    int r = before >= 0 && before != device ? d->error(d->calls->set_device(before)) : TRI_OK;
    return error ? error : r;
}

int tri_rt_driver_has_device(const tri_rt_driver *d)
{
    int count = 0;
    return d->is_open() && (d->is_wanted ? d->is_wanted() : !d->calls->device_count(&count) && count > 0);
}

static int find_first_part(const tri_rt_driver *d, const tri_rt_kernel *kernel, int device, uint32_t *out_part)
{
    tri_rt_lock();
    int is_there = d->find_part(kernel, 0, device, out_part);
    tri_rt_unlock();
    return is_there;
}

/* ---- loading code ---- */

/* The lock is held, the device the thread's. */
static int load_module(const tri_rt_driver *d, const tri_rt_kernel *kernel, uint32_t config, int device,
                       tri_rt_module *out)
{
    void *module = NULL;
    if (!d->find_part(kernel, config, device, &out->part))
        return TRI_ERROR_ARCH;
    out->image = 0;
    int r = d->load(kernel, &kernel->parts[out->part], device, &module);
    if (!r)
        __atomic_store_n(&out->module, module, __ATOMIC_RELEASE);
    return d->error(r);
}

/* The configuration's module on the device, loaded at the first call. */
static int find_module(const tri_rt_driver *d, tri_rt_kernel *kernel, int device, uint32_t config,
                       tri_rt_context **out_entry, tri_rt_module **out_module)
{
    int is_new, r;
    *out_entry = tri_rt_find_context(kernel, &d->places[device]);
    if (*out_entry) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        if (__atomic_load_n(&(*out_module)->module, __ATOMIC_ACQUIRE))
            return TRI_OK;
    }
    tri_rt_lock();
    *out_entry = tri_rt_take_context(kernel, &d->places[device], d->kind, device, &is_new);
    r = *out_entry ? TRI_OK : TRI_ERROR_MEMORY;
    if (!r) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        r = (*out_module)->module ? TRI_OK : load_module(d, kernel, config, device, *out_module);
        if (r && !tri_rt_has_modules(kernel, *out_entry))
            __atomic_store_n(&(*out_entry)->context, NULL, __ATOMIC_RELEASE);
    }
    tri_rt_unlock();
    return r;
}

static int load_config(const tri_rt_driver *d, tri_rt_kernel *kernel, int device, uint32_t config)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *function;
    int r = find_module(d, kernel, device, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    for (uint32_t i = 0; i < part->variant_count && !r; i++)
        r = d->find_function(kernel, entry, module, (int)(part->first_variant + i), &function);
    return r;
}

/* All configurations that have code for the device; the first must. */
int tri_rt_driver_load(const tri_rt_driver *d, tri_rt_kernel *kernel, int device)
{
    int before, r = enter_device(d, device, &before);
    if (r)
        return r;
    r = load_config(d, kernel, device, 0);
    for (uint32_t i = 1; i < kernel->config_count && !r; i++) {
        r = load_config(d, kernel, device, i);
        r = r == TRI_ERROR_ARCH ? TRI_OK : r;
    }
    return leave_device(d, device, before, r);
}

/* The lock is held, the device the thread's. */
static int unload_entry(const tri_rt_driver *d, tri_rt_kernel *kernel, uint32_t at)
{
    int r = 0, e;
    for (uint32_t i = 0; i < kernel->variant_count; i++) {
        void **place = &kernel->functions[(uint64_t)at * kernel->variant_count + i];
        if (*place && d->drop_function)
            d->drop_function(*place);
        __atomic_store_n(place, NULL, __ATOMIC_RELEASE);
    }
    for (uint32_t i = 0; i < kernel->config_count; i++) {
        tri_rt_module *module = tri_rt_module_of(kernel, &kernel->contexts[at], i);
        if (module->module && (e = d->calls->unload(module->module)) && !r)
            r = e;
        __atomic_store_n(&module->module, NULL, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&kernel->contexts[at].context, NULL, __ATOMIC_RELEASE);
    return r;
}

static int is_entry_of(const tri_rt_driver *d, const tri_rt_context *entry, int device)
{
    if (!entry->context || entry->kind != d->kind)
        return 0;
    return (d->base_of ? d->base_of(entry->device) : entry->device) == device;
}

int tri_rt_driver_unload(const tri_rt_driver *d, tri_rt_kernel *kernel, int device)
{
    int before, error = enter_device(d, device, &before), r = 0, e;
    if (error)
        return error;
    tri_rt_lock();
    for (uint32_t i = 0; i < kernel->context_count; i++)
        if (is_entry_of(d, &kernel->contexts[i], device) && (e = unload_entry(d, kernel, i)) && !r)
            r = e;
    tri_rt_unlock();
    return leave_device(d, device, before, d->error(r));
}

/* ---- the launch ---- */

static uint32_t find_config(const tri_rt_driver *d, const tri_rt_kernel *kernel, const tri_rt_call *call, int device)
{
    uint32_t part;
    if (!kernel->tuning || !find_first_part(d, kernel, device, &part))
        return 0;
    return tri_rt_choose_config(kernel, kernel->parts[part].arch, call->args);
}

static int launch_on(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call, int device)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *function;
    tri_grid own;
    const tri_grid *grid = call->grid ? call->grid : &own;
    uint32_t config = call->config ? call->config - 1 : find_config(d, kernel, call, device);
    int r = find_module(d, kernel, device, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    int number = tri_rt_choose(kernel, part, call->args, d->bytes_behind, &r);
    if (number < 0)
        return r;
    if (!call->grid && (r = tri_rt_find_grid(part, call->args, &own)))
        return r;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return TRI_OK;
    if ((r = d->find_function(kernel, entry, module, number, &function)))
        return r;
    __atomic_store_n(&entry->last, (uint32_t)number + 1, __ATOMIC_RELAXED);
    return d->launch(kernel, part, number, function, device, call, grid);
}

int tri_rt_driver_launch(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call)
{
    int device;
    if (call->grid && (call->grid->x == 0 || call->grid->y == 0 || call->grid->z == 0))
        return TRI_OK;
    int r = enter_thread(d, call->stream, &device);
    return r ? r : launch_on(d, kernel, call, device);
}

/* ---- what runs, and how long ---- */

/* What was launched last on the device, before that what is tried last. */
int tri_rt_driver_selected(const tri_rt_driver *d, tri_rt_kernel *kernel, int device)
{
    uint32_t number;
    if (!d->is_open() || !is_device(d, device) || !find_first_part(d, kernel, device, &number))
        return -1;
    const tri_rt_part *part = &kernel->parts[number];
    const tri_rt_context *entry = tri_rt_find_context(kernel, &d->places[device]);
    uint32_t last = entry ? __atomic_load_n(&entry->last, __ATOMIC_RELAXED) : 0;
    int is_own = last && last - 1 - part->first_variant < part->variant_count;
    return tri_rt_row(kernel, number, is_own ? last - 1 : part->first_variant + part->variant_count - 1, 0);
}

const char *tri_rt_driver_arch(const tri_rt_driver *d, const tri_rt_kernel *kernel)
{
    int device;
    uint32_t part;
    int is_there = !enter_thread(d, NULL, &device) && find_first_part(d, kernel, device, &part);
    return is_there ? kernel->parts[part].arch : NULL;
}

static int time_between(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call, int device,
                        uint32_t count, void *const *events, double *out_seconds)
{
    float milliseconds = 0;
    int r = d->error(d->calls->event_record(events[0], call->stream));
    for (uint32_t i = 0; i < count && !r; i++)
        r = launch_on(d, kernel, call, device);
    if (r || (r = d->error(d->calls->event_record(events[1], call->stream))) ||
        (r = d->error(d->calls->event_wait(events[1]))) ||
        (r = d->error(d->calls->event_elapsed(&milliseconds, events[0], events[1]))))
        return r;
    *out_seconds = (double)milliseconds * 1e-3;
    return TRI_OK;
}

static int time_by_clock(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call, int device,
                         uint32_t count, double *out_seconds)
{
    struct timespec start, end;
    int r = d->error(d->finish(call->stream, device));
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint32_t i = 0; i < count && !r; i++)
        r = launch_on(d, kernel, call, device);
    if (!r)
        r = d->error(d->finish(call->stream, device));
    clock_gettime(CLOCK_MONOTONIC, &end);
    *out_seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    return r;
}

int tri_rt_driver_time(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count,
                       double *out_seconds)
{
    void *events[2] = {NULL, NULL};
    int device, r = enter_thread(d, call->stream, &device);
    if (!r && d->finish)
        return time_by_clock(d, kernel, call, device, count, out_seconds);
    for (int i = 0; i < 2 && !r; i++)
        r = d->error(d->calls->event_create(&events[i]));
    if (!r)
        r = time_between(d, kernel, call, device, count, events, out_seconds);
    for (int i = 0; i < 2; i++)
        if (events[i])
            d->calls->event_destroy(events[i]);
    return r;
}
