/* Launches through CANN, the runtime of Huawei's Ascend NPUs, whose libraries are opened at the first use: devices,
 * streams, memory and events by ACL, code by the runtime beneath. What a kernel is given, and in which form, is what
 * Triton's launcher for Ascend gives it (third_party/ascend/backend of triton-lang/triton-ascend). */
#include "runtime/launch/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* As ACL's and the runtime's headers have them. */
enum {
    acl_repeated_init = 100002, /* somebody else in the process did it */
    copy_to_device = 1,
    magic_of_mixed = 0x43554245, /* code for cube cores, or for both */
    magic_of_vector = 0x41415246,
    most_programs = 65535,
    longest_name = 49,
};

typedef struct {
    uint32_t magic, version;
    const void *data;
    uint64_t length;
} device_binary;

typedef struct {
    int is_usable;
    int (*init)(const char *);
    tri_rt_device_calls calls; /* ACL counts devices without a sign */
    const char *(*soc_name)(void);
    int (*memory_new)(void **, size_t, int);
    int (*memory_free)(void *);
    int (*copy)(void *, size_t, const void *, size_t, int);
    int (*fill)(void *, size_t, int32_t, size_t, void *);
    int (*stream_wait)(void *);
    const char *(*error_string)(void);
    int (*binary_register)(const device_binary *, void **);
    int (*function_register)(void *, const void *, const char *, const void *, uint32_t);
    int (*launch)(const void *, uint32_t, void *, uint32_t, void *, void *);
    int (*control_address)(uint64_t *, uint32_t *);
} driver_api;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_ascend_api;
pthread_once_t tri_rt_ascend_once = PTHREAD_ONCE_INIT;
#define api tri_rt_ascend_api

char tri_rt_ascend_places[TRI_RT_MAX_DEVICES];

static void open_driver(void)
{
    static const tri_rt_symbol of_acl[] = {
        {"aclInit", offsetof(driver_api, init), 0},
        {"aclrtGetDeviceCount", offsetof(driver_api, calls.device_count), 0},
        {"aclrtGetDevice", offsetof(driver_api, calls.get_device), 0},
        {"aclrtSetDevice", offsetof(driver_api, calls.set_device), 0},
        {"aclrtGetSocName", offsetof(driver_api, soc_name), 0},
        {"aclrtMalloc", offsetof(driver_api, memory_new), 0},
        {"aclrtFree", offsetof(driver_api, memory_free), 0},
        {"aclrtMemcpy", offsetof(driver_api, copy), 0},
        {"aclrtMemsetAsync", offsetof(driver_api, fill), 0},
        {"aclrtSynchronizeStream", offsetof(driver_api, stream_wait), 0},
        {"aclrtCreateEvent", offsetof(driver_api, calls.event_create), 0},
        {"aclrtRecordEvent", offsetof(driver_api, calls.event_record), 0},
        {"aclrtSynchronizeEvent", offsetof(driver_api, calls.event_wait), 0},
        {"aclrtEventElapsedTime", offsetof(driver_api, calls.event_elapsed), 0},
        {"aclrtDestroyEvent", offsetof(driver_api, calls.event_destroy), 0},
        {"aclGetRecentErrMsg", offsetof(driver_api, error_string), 0},
    };
    static const tri_rt_symbol of_runtime[] = { /* which ACL loads, too */
        {"rtDevBinaryRegister", offsetof(driver_api, binary_register), 0},
        {"rtDevBinaryUnRegister", offsetof(driver_api, calls.unload), 0},
        {"rtFunctionRegister", offsetof(driver_api, function_register), 0},
        {"rtKernelLaunch", offsetof(driver_api, launch), 0},
        {"rtGetC2cCtrlAddr", offsetof(driver_api, control_address), 0},
    };
    void *acl = dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
    void *runtime = acl ? dlopen("libruntime.so", RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!runtime || !tri_rt_find_symbols(acl, of_acl, sizeof of_acl / sizeof *of_acl, &api) ||
        !tri_rt_find_symbols(runtime, of_runtime, sizeof of_runtime / sizeof *of_runtime, &api))
        return;
    tri_rt_guard_forks();
    int r = api.init(NULL);
    api.is_usable = r == 0 || r == acl_repeated_init;
}

static int is_open(void)
{
    pthread_once(&tri_rt_ascend_once, open_driver);
    return api.is_usable;
}

static const char *text_of_last(int number)
{
    (void)number; /* of the thread's last failure, whatever its number */
    return api.error_string();
}

static int driver_error(int number) { return tri_rt_driver_error(number, text_of_last); }

/* ---- what the driver does ---- */


/* Which machines run code for an architecture, by the beginnings of their names. */
static int runs_on(const char *arch, const char *soc)
{
    static const struct {
        const char *soc, *arch;
    } rows[] = {{"Ascend910B", "ascend910b"},
                {"Ascend910_93", "ascend910b"},
                {"Ascend910_95", "ascend910_95"},
                {"Ascend950", "ascend910_95"}};
    for (size_t i = 0; soc && i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(soc, rows[i].soc, strlen(rows[i].soc)) && !strcmp(arch, rows[i].arch))
            return 1;
    return 0;
}

/* All devices of a machine are of one kind. */
static int find_part(const tri_rt_kernel *kernel, uint32_t config, int device, uint32_t *out_part)
{
    (void)device;
    const char *soc = api.soc_name();
    for (uint32_t i = 0; i < kernel->part_count; i++) {
        const tri_rt_part *part = &kernel->parts[i];
        if (part->kind == TRI_ASCEND && part->config == config && part->image_count &&
            runs_on(part->images->arch, soc)) {
            *out_part = i;
            return 1;
        }
    }
    return 0;
}

static int load_image(const tri_rt_kernel *kernel, const tri_rt_part *part, int device, void **out_module)
{
    (void)device;
    int is_vector = 1;
    for (uint32_t i = 0; i < part->variant_count; i++)
        is_vector = is_vector && kernel->variants[part->first_variant + i].npu->is_vector;
    device_binary binary = {is_vector ? magic_of_vector : magic_of_mixed, 0, part->images->data, part->images->size};
    return api.binary_register(&binary, out_module);
}


/* "tri_" and an address in hexadecimal: a name that no other function of the process has. */
static void name_stub(const void *stub, char out[32])
{
    uint64_t address = (uint64_t)(uintptr_t)stub;
    memcpy(out, "tri_", 4);
    for (int i = 0; i < 16; i++)
        out[4 + i] = "0123456789abcdef"[address >> (60 - 4 * i) & 15];
    out[20] = 0;
}

/* The runtime knows a function by an address of ours: the place of its own entry. Its name in the code is cut at the
 * front. */
static int find_stub(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out_stub)
{
    void **place = &kernel->functions[(entry - kernel->contexts) * kernel->variant_count + variant];
    const char *name = kernel->variants[variant].symbol;
    char stub_name[32];
    size_t length = strlen(name);
    int r = 0;
    *out_stub = place;
    if (__atomic_load_n(place, __ATOMIC_ACQUIRE))
        return TRI_OK;
    tri_rt_lock();
    if (!*place) {
        name_stub(place, stub_name);
        r = api.function_register(module->module, place, stub_name,
                                  name + (length > longest_name ? length - longest_name : 0), 0);
        if (!r)
            __atomic_store_n(place, (void *)place, __ATOMIC_RELEASE);
    }
    tri_rt_unlock();
    return driver_error(r);
}

/* ---- memory that programs of a launch share ---- */

/* One for each stream, whose launches follow one another; it grows, and is kept. Guarded by the lock. */
enum { max_spaces = 64 };
struct {
    void *stream, *memory;
    uint64_t bytes;
    int device;
} tri_rt_ascend_spaces[max_spaces];
#define spaces tri_rt_ascend_spaces

/* The stream's space, or a free one; -1: all are taken. */
static int find_space(int device, void *stream)
{
    int unused = -1;
    for (int i = 0; i < max_spaces; i++) {
        if (spaces[i].memory && spaces[i].stream == stream && spaces[i].device == device)
            return i;
        if (!spaces[i].memory && unused < 0)
            unused = i;
    }
    return unused;
}

static int take_space(int device, void *stream, uint64_t bytes, void **out)
{
    int i = find_space(device, stream);
    if (i < 0)
        return TRI_ERROR_MEMORY;
    if (spaces[i].bytes < bytes) {
        int r = spaces[i].memory ? api.stream_wait(stream) : 0;
        if (r)
            return driver_error(r);
        if (spaces[i].memory)
            api.memory_free(spaces[i].memory);
        spaces[i].memory = NULL;
        spaces[i].bytes = 0;
        if (api.memory_new(&spaces[i].memory, bytes, 0)) {
            spaces[i].memory = NULL;
            return TRI_ERROR_MEMORY;
        }
        spaces[i].stream = stream;
        spaces[i].device = device;
        spaces[i].bytes = bytes;
    }
    *out = spaces[i].memory;
    return TRI_OK;
}

/* Behind what the stream still does, if all bytes are the same; else it is waited for. */
static int set_locks(char *locks, const tri_rt_npu *npu, void *stream)
{
    uint64_t bytes = (uint64_t)npu->lock_count * 8, start = (uint64_t)npu->lock_start;
    if (start == (start & 0xff) * UINT64_C(0x0101010101010101))
        return driver_error(api.fill(locks, bytes, (int32_t)(start & 0xff), bytes, stream));
    int r = api.stream_wait(stream);
    for (uint32_t i = 0; i < npu->lock_count && !r; i++)
        r = api.copy(locks + 8 * (uint64_t)i, 8, &npu->lock_start, 8, copy_to_device);
    return driver_error(r);
}

/* ---- the launch ---- */

/* Arguments as the kernel reads them: 64 bits at multiples of 8, what is shorter at multiples of 4. */
typedef struct {
    uint64_t words[TRI_RT_MAX_SLOTS + 6];
    uint32_t bytes;
} packed;

static void add_argument(packed *p, const void *value, uint32_t size)
{
    uint32_t step = size > 4 ? 8 : 4;
    p->bytes = (p->bytes + step - 1) / step * step;
    memset((char *)p->words + p->bytes, 0, step);
    memcpy((char *)p->words + p->bytes, value, size);
    p->bytes += step;
}

static void add_arguments_of(packed *p, const tri_rt_kernel *kernel, const tri_rt_variant *variant,
                             const tri_rt_call *call, const tri_grid *grid)
{
    const void *args[TRI_RT_MAX_SLOTS + 1];
    uint32_t count = tri_rt_pack(kernel, variant, call->args, args);
    for (uint32_t i = 0; i < count; i++)
        add_argument(p, args[i], variant->sizes[i] & ~TRI_RT_IS_POINTER);
    add_argument(p, &grid->x, 4);
    add_argument(p, &grid->y, 4);
    add_argument(p, &grid->z, 4);
    p->bytes = (p->bytes + 7) / 8 * 8;
}

static int launch_packed(const tri_rt_kernel *kernel, const tri_rt_variant *variant, const void *stub, char *locks,
                         char *workspace, const tri_rt_call *call, const tri_grid *grid)
{
    packed p;
    p.bytes = 0;
    if (variant->npu->has_control_address) {
        uint64_t address = 0;
        uint32_t length = 0;
        int r = api.control_address(&address, &length);
        if (r)
            return driver_error(r);
        add_argument(&p, &address, 8);
    }
    add_argument(&p, &locks, 8);
    add_argument(&p, &workspace, 8);
    add_arguments_of(&p, kernel, variant, call, grid);
    return driver_error(api.launch(stub, grid->x * grid->y * grid->z, p.words, p.bytes, NULL, call->stream));
}

/* The lock is held over the launch: another thread's would let the space of its stream grow. */
static int launch_with_space(const tri_rt_kernel *kernel, const tri_rt_variant *variant, const void *stub, int device,
                             const tri_rt_call *call, const tri_grid *grid)
{
    enum { alignment = 512 };
    uint64_t programs = (uint64_t)grid->x * grid->y * grid->z, bytes;
    uint64_t lock_bytes = ((uint64_t)variant->npu->lock_count * 8 + alignment - 1) / alignment * alignment;
    void *space = NULL;
    if (__builtin_mul_overflow(variant->scratch_bytes, programs, &bytes) ||
        __builtin_add_overflow(bytes, lock_bytes, &bytes))
        return TRI_ERROR_MEMORY;
    tri_rt_lock();
    int r = take_space(device, call->stream, bytes, &space);
    char *locks = variant->npu->lock_count ? space : NULL;
    char *workspace = variant->scratch_bytes ? (char *)space + lock_bytes : NULL;
    if (!r && locks)
        r = set_locks(locks, variant->npu, call->stream);
    if (!r)
        r = launch_packed(kernel, variant, stub, locks, workspace, call, grid);
    tri_rt_unlock();
    return r;
}

static int launch_stub(tri_rt_kernel *kernel, const tri_rt_part *part, int number, void *stub, int device,
                       const tri_rt_call *call, const tri_grid *grid)
{
    const tri_rt_variant *variant = &kernel->variants[number];
    (void)part;
    if (grid->x > most_programs || grid->y > most_programs / grid->x || grid->z > most_programs / grid->x / grid->y)
        return TRI_ERROR_GRID;
    if (variant->scratch_bytes || variant->npu->lock_count)
        return launch_with_space(kernel, variant, stub, device, call, grid);
    return launch_packed(kernel, variant, stub, NULL, NULL, call, grid);
}

static const tri_rt_driver driver = {.kind = TRI_ASCEND,
                                     .places = tri_rt_ascend_places,
                                     .error = driver_error,
                                     .is_open = is_open,
                                     .calls = &tri_rt_ascend_api.calls,
                                     .find_part = find_part,
                                     .load = load_image,
                                     .find_function = find_stub,
                                     .launch = launch_stub};

TRI_RT_DRIVER_BACKEND(tri_rt_ascend_backend, TRI_ASCEND);
