/* A stand-in for libamdhip64.so, AMD's runtime, that records what launchers ask of it. Two devices; failures are chosen
 * through stub_fail(). Its memory is the host's. */
#include "tests/targets/stub_hip.h"

#include <stdlib.h>
#include <string.h>

static stub_log the_log = {.arch = {"gfx942:sramecc+:xnack-", "gfx1100"}};
static const char *failing;
static int failure, arg_count;
static const int *arg_sizes;
static __thread int device;

stub_log *stub_get_log(void) { return &the_log; }

void stub_expect(int count, const int *sizes)
{
    arg_count = count;
    arg_sizes = sizes;
}

void stub_fail(const char *function, int error)
{
    failing = function;
    failure = error;
}

/* Calls that go well before the first that fails; below zero: all do. */
static int until_failure = -1;

static int outcome(const char *function)
{
    if (until_failure >= 0 && until_failure-- == 0)
        return 719;
    return failing && !strcmp(failing, function) ? failure : 0;
}

/* STUB_FAIL_AFTER, STUB_ARCH: of programs that do not know of this one. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *calls = getenv("STUB_FAIL_AFTER"), *arch = getenv("STUB_ARCH");
    if (calls)
        until_failure = atoi(calls);
    if (arch)
        the_log.arch[0] = arch;
}

int hipInit(unsigned flags) { return the_log.inits++, flags ? 1 : outcome("hipInit"); }
int hipGetDeviceCount(int *count) { return *count = 2, outcome("hipGetDeviceCount"); }
int hipGetDevice(int *out) { return *out = device, outcome("hipGetDevice"); }

int hipSetDevice(int number)
{
    if (number < 0 || number > 1)
        return 101;
    device = number;
    return outcome("hipSetDevice");
}

int hipGetDevicePropertiesR0600(void *properties, int number)
{
    the_log.asked++;
    memset(properties, 0, 1472);
    strcpy((char *)properties, "a name");
    strcpy((char *)properties + 1160, the_log.arch[number]);
    return outcome("hipGetDevicePropertiesR0600");
}

int hipModuleLoadData(void **module, const void *image)
{
    the_log.loads++;
    the_log.image = image;
    *module = &the_log.loads + device;
    return memcmp(image, "\177ELF", 4) ? 209 : outcome("hipModuleLoadData");
}

int hipModuleUnload(void *module)
{
    the_log.unloads++;
    the_log.unloaded = module;
    return outcome("hipModuleUnload");
}

int hipModuleGetFunction(void **function, void *module, const char *name)
{
    the_log.functions++;
    strncpy(the_log.function, name, sizeof the_log.function - 1);
    *function = module;
    return outcome("hipModuleGetFunction");
}

static int launch(const unsigned *sizes, unsigned shared, void *stream, void **args)
{
    memcpy(the_log.grid, sizes, sizeof the_log.grid);
    memcpy(the_log.block, sizes + 3, sizeof the_log.block);
    the_log.shared = shared;
    the_log.stream = stream;
    for (int i = 0; i < arg_count; i++) {
        the_log.args[i] = 0;
        memcpy(&the_log.args[i], args[i], (size_t)arg_sizes[i]);
    }
    return 0;
}

int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **args, void **extra)
{
    unsigned sizes[6] = {gx, gy, gz, bx, by, bz};
    int error = outcome("hipModuleLaunchKernel");
    if (error || !f || extra)
        return error ? error : 1;
    the_log.launches++;
    return launch(sizes, shared, stream, args);
}

int hipModuleLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream, void **args)
{
    unsigned sizes[6] = {gx, gy, gz, bx, by, bz};
    the_log.cooperative++;
    return f ? launch(sizes, shared, stream, args) : 1;
}

int hipMallocAsync(void **out, size_t bytes, void *stream)
{
    (void)stream;
    the_log.allocations++;
    the_log.allocated = bytes;
    *out = the_log.memory = malloc(1);
    return outcome("hipMallocAsync");
}

int hipFreeAsync(void *memory, void *stream)
{
    (void)stream;
    free(memory);
    the_log.frees++;
    return 0;
}

int hipMemGetAddressRange(void **base, size_t *size, void *address)
{
    *base = (char *)address - the_log.range / 2;
    *size = the_log.range;
    return the_log.range ? outcome("hipMemGetAddressRange") : 1;
}

int hipMalloc(void **out, size_t bytes) { return *out = malloc(bytes), outcome("hipMalloc"); }
int hipFree(void *memory) { return free(memory), 0; }

/* Device memory is the host's. */
int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    int error = outcome("hipMemcpy");
    if (error || (kind != 1 && kind != 2))
        return error ? error : 1;
    memcpy(to, from, bytes);
    return 0;
}

int hipEventCreate(void **event) { return *event = &the_log, outcome("hipEventCreate"); }
int hipEventRecord(void *event, void *stream) { return (void)event, (void)stream, outcome("hipEventRecord"); }
int hipEventSynchronize(void *event) { return (void)event, outcome("hipEventSynchronize"); }
int hipEventDestroy(void *event) { return (void)event, 0; }

int hipEventElapsedTime(float *milliseconds, void *start, void *end)
{
    (void)start, (void)end;
    *milliseconds = (float)(the_log.cost > 0 ? the_log.cost : 1);
    return outcome("hipEventElapsedTime");
}

const char *hipGetErrorString(int error) { return error == 719 ? "unspecified launch failure" : "some error"; }
