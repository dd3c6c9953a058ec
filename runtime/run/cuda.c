#include "runtime/run/cuda.h"

#include "base/vec.h"

#include <dlfcn.h>
#include <stddef.h>

enum { attribute_major = 75, attribute_minor = 76, event_default = 0 };

/* The driver's interface, as far as it is used; see the CUDA driver API reference. */
typedef struct {
    int (*init)(unsigned);
    int (*device_count)(int *);
    int (*device_get)(int *, int);
    int (*device_attribute)(int *, int, int);
    int (*ctx_retain)(void **, int);
    int (*ctx_release)(int);
    int (*ctx_set)(void *);
    int (*ctx_synchronize)(void);
    int (*mem_alloc)(uint64_t *, size_t);
    int (*mem_free)(uint64_t);
    int (*copy_to)(uint64_t, const void *, size_t);
    int (*copy_from)(void *, uint64_t, size_t);
    int (*event_create)(void **, unsigned);
    int (*event_record)(void *, void *);
    int (*event_elapsed)(float *, void *, void *);
    int (*event_destroy)(void *);
    int (*error_string)(int, const char **);
} driver_api;

struct tri_cuda {
    tri_arena *arena;
    tri_diag *diag;
    void *library;
    driver_api api;
    int device, capability;
    bool has_context;
    void *events[2]; /* before and after */
    TRI_VEC(uint64_t) memory;
};

static const struct {
    const char *name;
    size_t at;
} entries[] = {
    {"cuInit", offsetof(driver_api, init)},
    {"cuDeviceGetCount", offsetof(driver_api, device_count)},
    {"cuDeviceGet", offsetof(driver_api, device_get)},
    {"cuDeviceGetAttribute", offsetof(driver_api, device_attribute)},
    {"cuDevicePrimaryCtxRetain", offsetof(driver_api, ctx_retain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(driver_api, ctx_release)},
    {"cuCtxSetCurrent", offsetof(driver_api, ctx_set)},
    {"cuCtxSynchronize", offsetof(driver_api, ctx_synchronize)},
    {"cuMemAlloc_v2", offsetof(driver_api, mem_alloc)},
    {"cuMemFree_v2", offsetof(driver_api, mem_free)},
    {"cuMemcpyHtoD_v2", offsetof(driver_api, copy_to)},
    {"cuMemcpyDtoH_v2", offsetof(driver_api, copy_from)},
    {"cuEventCreate", offsetof(driver_api, event_create)},
    {"cuEventRecord", offsetof(driver_api, event_record)},
    {"cuEventElapsedTime", offsetof(driver_api, event_elapsed)},
    {"cuEventDestroy_v2", offsetof(driver_api, event_destroy)},
    {"cuGetErrorString", offsetof(driver_api, error_string)},
};

static bool check(tri_cuda *cuda, int status, const char *what)
{
    const char *text = NULL;
    if (!status)
        return true;
    cuda->api.error_string(status, &text);
    tri_diag_error(cuda->diag, TRI_NO_SPAN, 9001, "CUDA: cannot %s: %s (error %d)", what, text ? text : "unknown error",
                   status);
    return false;
}

static bool open_library(tri_cuda *cuda)
{
    cuda->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!cuda->library) {
        tri_diag_error(cuda->diag, TRI_NO_SPAN, 9001, "no CUDA driver on this machine: %s", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *entry = dlsym(cuda->library, entries[i].name);
        if (!entry) {
            tri_diag_error(cuda->diag, TRI_NO_SPAN, 9001, "the CUDA driver has no '%s': it is too old",
                           entries[i].name);
            return false;
        }
        memcpy((char *)&cuda->api + entries[i].at, &entry, sizeof entry);
    }
    return true;
}

static bool open_device(tri_cuda *cuda, int number)
{
    int count = 0, major, minor;
    void *context;
    const driver_api *api = &cuda->api;
    if (!check(cuda, api->init(0), "start the driver") || !check(cuda, api->device_count(&count), "count the devices"))
        return false;
    if (number >= count) {
        tri_diag_error(cuda->diag, TRI_NO_SPAN, 9001, "no CUDA device %d: this machine has %d", number, count);
        return false;
    }
    if (!check(cuda, api->device_get(&cuda->device, number), "open the device") ||
        !check(cuda, api->device_attribute(&major, attribute_major, cuda->device), "ask for the capability") ||
        !check(cuda, api->device_attribute(&minor, attribute_minor, cuda->device), "ask for the capability") ||
        !check(cuda, api->ctx_retain(&context, cuda->device), "make a context"))
        return false;
    cuda->has_context = true;
    cuda->capability = major * 10 + minor;
    return check(cuda, api->ctx_set(context), "use the context") &&
           check(cuda, api->event_create(&cuda->events[0], event_default), "make an event") &&
           check(cuda, api->event_create(&cuda->events[1], event_default), "make an event");
}

tri_cuda *tri_cuda_create(tri_diag *diag, int number)
{
    tri_arena *arena = tri_arena_create();
    tri_cuda *cuda = TRI_NEW(arena, tri_cuda);
    cuda->arena = arena;
    cuda->diag = diag;
    if (open_library(cuda) && open_device(cuda, number))
        return cuda;
    tri_cuda_destroy(cuda);
    return NULL;
}

/* The library stays loaded: drivers do not like to be unloaded. */
void tri_cuda_destroy(tri_cuda *cuda)
{
    if (!cuda)
        return;
    for (size_t i = 0; i < cuda->memory.len; i++)
        cuda->api.mem_free(cuda->memory.at[i]);
    for (int i = 0; i < 2; i++)
        if (cuda->events[i])
            cuda->api.event_destroy(cuda->events[i]);
    if (cuda->has_context)
        cuda->api.ctx_release(cuda->device);
    tri_arena_destroy(cuda->arena);
}

int tri_cuda_capability(const tri_cuda *cuda)
{
    return cuda->capability;
}

bool tri_cuda_allocate(tri_cuda *cuda, size_t size, uint64_t *out_address)
{
    if (!check(cuda, cuda->api.mem_alloc(out_address, size ? size : 1), "allocate memory"))
        return false;
    tri_vec_push(cuda->arena, &cuda->memory, *out_address);
    return true;
}

bool tri_cuda_write(tri_cuda *cuda, uint64_t address, const void *data, size_t size)
{
    return !size || check(cuda, cuda->api.copy_to(address, data, size), "copy to the device");
}

bool tri_cuda_read(tri_cuda *cuda, void *data, uint64_t address, size_t size)
{
    return !size || check(cuda, cuda->api.copy_from(data, address, size), "copy from the device");
}

bool tri_cuda_start_clock(tri_cuda *cuda)
{
    return check(cuda, cuda->api.event_record(cuda->events[0], NULL), "record an event");
}

bool tri_cuda_stop_clock(tri_cuda *cuda, double *out_seconds)
{
    float milliseconds = 0;
    if (!check(cuda, cuda->api.event_record(cuda->events[1], NULL), "record an event") ||
        !check(cuda, cuda->api.ctx_synchronize(), "run the kernel") ||
        !check(cuda, cuda->api.event_elapsed(&milliseconds, cuda->events[0], cuda->events[1]), "read the time"))
        return false;
    *out_seconds = milliseconds * 1e-3;
    return true;
}
