/* A stand-in for libze_loader.so.1 that records what launchers ask of it, and fails the call that stub_fail_after()
 * chooses. Two devices; its memory is the host's. Structures are as ze_api.h has them. */
#include "tests/targets/stub_level_zero.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { failure = 0x78000004, no_native = 0x7800000f };

typedef struct {
    const void *context, *device;
} list;

static stub_log the_log = {.ip_version = {12u << 22 | 60 << 14, 0}, .has_lanes_32 = 1};
static char the_driver, the_devices[2], the_contexts[4];
static list lists[8];
static int until_failure = -1;
static const char *failed;

stub_log *stub_get_log(void) { return &the_log; }
void stub_fail_after(int calls) { until_failure = calls, failed = NULL; }
const char *stub_failed(void) { return failed; }

void *stub_list(int device, int context)
{
    lists[4 + context].context = &the_contexts[context];
    lists[4 + context].device = &the_devices[device];
    return &lists[4 + context];
}

static int outcome(const char *function)
{
    the_log.calls++;
    if (until_failure < 0 || until_failure-- > 0)
        return 0;
    failed = function;
    return failure;
}
#define OUTCOME() int r = outcome(__func__); if (r) return r

int zeInit(uint32_t flags) { OUTCOME(); return flags ? failure : 0; }

int zeDriverGet(uint32_t *count, void **drivers)
{
    OUTCOME();
    *count = 1;
    drivers[0] = &the_driver;
    return 0;
}

int zeDeviceGet(void *driver, uint32_t *count, void **devices)
{
    OUTCOME();
    *count = 2;
    devices[0] = &the_devices[0];
    devices[1] = &the_devices[1];
    return driver == &the_driver ? 0 : failure;
}

typedef struct {
    int stype;
    void *next;
    int type;
} header;

int zeDeviceGetProperties(void *device, header *properties)
{
    OUTCOME();
    header *ip = properties->next;
    properties->type = 1;
    if (properties->stype != 3 || ip->stype != 0x1000f)
        return failure;
    memcpy(&ip->type, &the_log.ip_version[device == &the_devices[1]], 4);
    return 0;
}

int zeDeviceGetComputeProperties(void *device, void *properties)
{
    OUTCOME();
    uint32_t *words = (uint32_t *)((char *)properties + 16);
    words[8] = 2; /* sizes of sub-groups */
    words[9] = 16;
    words[10] = the_log.has_lanes_32 ? 32 : 8;
    return device ? 0 : failure;
}

int zeContextCreate(void *driver, const void *desc, void **out)
{
    OUTCOME();
    *out = &the_contexts[the_log.contexts++];
    return driver && *(const int *)desc == 0xd ? 0 : failure;
}

int zeCommandListCreateImmediate(void *context, void *device, const uint32_t *desc, void **out)
{
    OUTCOME();
    list *l = &lists[the_log.lists++];
    l->context = context;
    l->device = device;
    the_log.synchronous = desc[7] == 1;
    *out = l;
    return desc[0] == 0xe ? 0 : failure;
}

int zeCommandListGetContextHandle(const list *l, const void **out) { OUTCOME(); *out = l->context; return 0; }
int zeCommandListGetDeviceHandle(const list *l, const void **out) { OUTCOME(); *out = l->device; return 0; }

int zeCommandListHostSynchronize(const list *l, uint64_t timeout)
{
    OUTCOME();
    the_log.waits++;
    return l && timeout == UINT64_MAX ? 0 : failure;
}

typedef struct {
    int stype;
    const void *next;
    int format;
    size_t size;
    const void *data;
} module_desc;

int zeModuleCreate(const void *context, const void *device, const module_desc *desc, void **out, void *log)
{
    static const unsigned char spirv[] = {3, 2, 0x23, 7};
    OUTCOME();
    the_log.format = desc->format;
    the_log.image = desc->data;
    the_log.context = context;
    if (!device || log || desc->stype != 0x1b || memcmp(desc->data, desc->format ? (const void *)"\177ELF" : spirv, 4))
        return failure;
    if (desc->format && the_log.refuses_native)
        return no_native;
    the_log.modules++;
    *out = malloc(1);
    return 0;
}

int zeModuleDestroy(void *module)
{
    OUTCOME();
    the_log.modules--;
    free(module);
    return 0;
}

typedef struct {
    int stype;
    const void *next;
    uint32_t flags;
    const char *name;
} kernel_desc;

int zeKernelCreate(void *module, const kernel_desc *desc, void **out)
{
    OUTCOME();
    strncpy(the_log.kernel, desc->name, sizeof the_log.kernel - 1);
    the_log.kernels++;
    *out = malloc(1);
    return module && desc->stype == 0x1d ? 0 : failure;
}

int zeKernelDestroy(void *kernel) /* does not fail: what it would tell nobody hears */
{
    the_log.kernels--;
    free(kernel);
    return 0;
}

int zeKernelSetGroupSize(void *kernel, uint32_t x, uint32_t y, uint32_t z)
{
    OUTCOME();
    the_log.group = x;
    return kernel && y == 1 && z == 1 ? 0 : failure;
}

int zeKernelSetIndirectAccess(void *kernel, uint32_t flags) { OUTCOME(); the_log.indirect = flags; return !kernel; }

int zeKernelSetArgumentValue(void *kernel, uint32_t i, size_t size, const void *value)
{
    OUTCOME();
    the_log.sizes[i] = (int)size;
    the_log.args[i] = 0;
    memcpy(&the_log.args[i], value, size);
    return !kernel;
}

int zeCommandListAppendLaunchKernel(const void *l, void *kernel, const unsigned *groups, void *event, uint32_t waits,
                                    void *events)
{
    OUTCOME();
    the_log.launches++;
    the_log.list = l;
    memcpy(the_log.grid, groups, sizeof the_log.grid);
    return kernel && l && !event && !waits && !events ? 0 : failure;
}

int zeMemAllocDevice(void *context, const void *desc, size_t size, size_t alignment, void *device, void **out)
{
    OUTCOME();
    the_log.memories++;
    *out = aligned_alloc(alignment < 16 ? 16 : alignment, (size + 63) / 64 * 64);
    return context && device && *(const int *)desc == 0x15 ? 0 : failure;
}

int zeMemFree(void *context, void *memory)
{
    OUTCOME();
    the_log.memories--;
    free(memory);
    return !context;
}

int zeMemAllocShared(void *context, const void *desc, const void *host_desc, size_t size, size_t alignment,
                     void *device, void **out)
{
    return *(const int *)host_desc == 0x16 ? zeMemAllocDevice(context, desc, size, alignment, device, out) : failure;
}

/* STUB_FAIL_AFTER: of programs that do not know of this one. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *calls = getenv("STUB_FAIL_AFTER");
    if (calls)
        until_failure = atoi(calls);
}
