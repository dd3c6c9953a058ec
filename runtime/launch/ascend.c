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
    int (*device_count)(uint32_t *);
    int (*get_device)(int32_t *);
    int (*set_device)(int32_t);
    const char *(*soc_name)(void);
    int (*memory_new)(void **, size_t, int);
    int (*memory_free)(void *);
    int (*copy)(void *, size_t, const void *, size_t, int);
    int (*fill)(void *, size_t, int32_t, size_t, void *);
    int (*stream_wait)(void *);
    int (*event_create)(void **);
    int (*event_record)(void *, void *);
    int (*event_wait)(void *);
    int (*event_elapsed)(float *, void *, void *);
    int (*event_destroy)(void *);
    const char *(*error_string)(void);
    int (*binary_register)(const device_binary *, void **);
    int (*binary_unregister)(void *);
    int (*function_register)(void *, const void *, const char *, const void *, uint32_t);
    int (*launch)(const void *, uint32_t, void *, uint32_t, void *, void *);
    int (*control_address)(uint64_t *, uint32_t *);
} driver_api;

/* Not static: one of each per program, however many objects hold them. */
driver_api tri_rt_ascend_api;
pthread_once_t tri_rt_ascend_once = PTHREAD_ONCE_INIT;
#define api tri_rt_ascend_api

/* What stands for a device among a kernel's contexts. */
enum { max_devices = 64 };
char tri_rt_ascend_devices[max_devices];

static void open_driver(void)
{
    static const struct {
        const char *name;
        size_t at;
        int is_of_runtime; /* in libruntime.so, which ACL loads, too */
    } rows[] = {
        {"aclInit", offsetof(driver_api, init), 0},
        {"aclrtGetDeviceCount", offsetof(driver_api, device_count), 0},
        {"aclrtGetDevice", offsetof(driver_api, get_device), 0},
        {"aclrtSetDevice", offsetof(driver_api, set_device), 0},
        {"aclrtGetSocName", offsetof(driver_api, soc_name), 0},
        {"aclrtMalloc", offsetof(driver_api, memory_new), 0},
        {"aclrtFree", offsetof(driver_api, memory_free), 0},
        {"aclrtMemcpy", offsetof(driver_api, copy), 0},
        {"aclrtMemsetAsync", offsetof(driver_api, fill), 0},
        {"aclrtSynchronizeStream", offsetof(driver_api, stream_wait), 0},
        {"aclrtCreateEvent", offsetof(driver_api, event_create), 0},
        {"aclrtRecordEvent", offsetof(driver_api, event_record), 0},
        {"aclrtSynchronizeEvent", offsetof(driver_api, event_wait), 0},
        {"aclrtEventElapsedTime", offsetof(driver_api, event_elapsed), 0},
        {"aclrtDestroyEvent", offsetof(driver_api, event_destroy), 0},
        {"aclGetRecentErrMsg", offsetof(driver_api, error_string), 0},
        {"rtDevBinaryRegister", offsetof(driver_api, binary_register), 1},
        {"rtDevBinaryUnRegister", offsetof(driver_api, binary_unregister), 1},
        {"rtFunctionRegister", offsetof(driver_api, function_register), 1},
        {"rtKernelLaunch", offsetof(driver_api, launch), 1},
        {"rtGetC2cCtrlAddr", offsetof(driver_api, control_address), 1},
    };
    void *acl = dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
    void *runtime = acl ? dlopen("libruntime.so", RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!runtime)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = dlsym(rows[i].is_of_runtime ? runtime : acl, rows[i].name);
        *(void **)((char *)&api + rows[i].at) = symbol;
        if (!symbol)
            return;
    }
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

/* ---- devices ---- */

/* The calling thread's device, which is device 0 from now on when it has none. */
static int enter_thread(int *out_device)
{
    int32_t device = 0;
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    if (api.get_device(&device)) {
        uint32_t count = 0;
        if (api.device_count(&count) || !count)
            return TRI_ERROR_NO_DEVICE;
        int r = api.set_device(device = 0);
        if (r)
            return driver_error(r);
    }
    *out_device = device;
    return device < max_devices ? TRI_OK : TRI_ERROR_NO_DEVICE;
}

/* Makes a device the thread's; *out_before is what it had, or -1. */
static int enter_device(int device, int *out_before)
{
    uint32_t count = 0;
    int32_t before;
    if (!is_open())
        return TRI_ERROR_NO_DRIVER;
    if (api.device_count(&count) || device < 0 || (uint32_t)device >= count || device >= max_devices)
        return TRI_ERROR_NO_DEVICE;
    *out_before = api.get_device(&before) ? -1 : before;
    return *out_before == device ? TRI_OK : driver_error(api.set_device(device));
}

/* The thread has its own device again; of the error so far and one in here, the first. */
static int leave_device(int device, int before, int error)
{
    int r = before >= 0 && before != device ? driver_error(api.set_device(before)) : TRI_OK;
    return error ? error : r;
}

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
static int choose_part(const tri_rt_kernel *kernel, uint32_t config, uint32_t *out_part)
{
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

/* ---- loading code ---- */

static int load_module(const tri_rt_kernel *kernel, uint32_t config, tri_rt_module *out)
{
    void *handle = NULL;
    if (!choose_part(kernel, config, &out->part))
        return TRI_ERROR_ARCH;
    out->image = 0;
    const tri_rt_part *part = &kernel->parts[out->part];
    int is_vector = 1;
    for (uint32_t i = 0; i < part->variant_count; i++)
        is_vector = is_vector && kernel->variants[part->first_variant + i].npu->is_vector;
    device_binary binary = {is_vector ? magic_of_vector : magic_of_mixed, 0, part->images->data, part->images->size};
    int r = api.binary_register(&binary, &handle);
    if (!r)
        __atomic_store_n(&out->module, handle, __ATOMIC_RELEASE);
    return driver_error(r);
}

/* The configuration's module on the device, loaded at the first call. */
static int find_module(tri_rt_kernel *kernel, int device, uint32_t config, tri_rt_context **out_entry,
                       tri_rt_module **out_module)
{
    int is_new, r;
    *out_entry = tri_rt_find_context(kernel, &tri_rt_ascend_devices[device]);
    if (*out_entry) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        if (__atomic_load_n(&(*out_module)->module, __ATOMIC_ACQUIRE))
            return TRI_OK;
    }
    tri_rt_lock();
    *out_entry = tri_rt_take_context(kernel, &tri_rt_ascend_devices[device], TRI_ASCEND, device, &is_new);
    r = *out_entry ? TRI_OK : TRI_ERROR_MEMORY;
    if (!r) {
        *out_module = tri_rt_module_of(kernel, *out_entry, config);
        r = (*out_module)->module ? TRI_OK : load_module(kernel, config, *out_module);
        if (r && !tri_rt_has_modules(kernel, *out_entry))
            __atomic_store_n(&(*out_entry)->context, NULL, __ATOMIC_RELEASE);
    }
    tri_rt_unlock();
    return r;
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
        add_argument(p, args[i], variant->npu->sizes[i]);
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

static uint32_t find_config(const tri_rt_kernel *kernel, const tri_rt_call *call)
{
    uint32_t part;
    if (!kernel->tuning || !choose_part(kernel, 0, &part))
        return 0;
    return tri_rt_choose_config(kernel, kernel->parts[part].arch, call->args);
}

static int launch_on(tri_rt_kernel *kernel, const tri_rt_call *call, int device)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *stub;
    tri_grid own;
    const tri_grid *grid = call->grid ? call->grid : &own;
    int r = find_module(kernel, device, call->config ? call->config - 1 : find_config(kernel, call), &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    int number = tri_rt_choose(kernel, part, call->args, &r);
    if (number < 0)
        return r;
    if (!call->grid && (r = tri_rt_find_grid(part, call->args, &own)))
        return r;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return TRI_OK;
    if (grid->x > most_programs || grid->y > most_programs / grid->x || grid->z > most_programs / grid->x / grid->y)
        return TRI_ERROR_GRID;
    if ((r = find_stub(kernel, entry, module, number, &stub)))
        return r;
    __atomic_store_n(&entry->last, (uint32_t)number + 1, __ATOMIC_RELAXED);
    const tri_rt_variant *variant = &kernel->variants[number];
    if (variant->scratch_bytes || variant->npu->lock_count)
        return launch_with_space(kernel, variant, stub, device, call, grid);
    return launch_packed(kernel, variant, stub, NULL, NULL, call, grid);
}

static int launch_ascend(tri_rt_kernel *kernel, const tri_rt_call *call)
{
    int device;
    if (call->grid && (call->grid->x == 0 || call->grid->y == 0 || call->grid->z == 0))
        return TRI_OK;
    int r = enter_thread(&device);
    return r ? r : launch_on(kernel, call, device);
}

/* ---- the other functions ---- */

static int has_ascend(void)
{
    uint32_t count = 0;
    return is_open() && !api.device_count(&count) && count > 0;
}

static int load_config(tri_rt_kernel *kernel, int device, uint32_t config)
{
    tri_rt_context *entry;
    tri_rt_module *module;
    void *stub;
    int r = find_module(kernel, device, config, &entry, &module);
    if (r)
        return r;
    const tri_rt_part *part = &kernel->parts[module->part];
    for (uint32_t i = 0; i < part->variant_count && !r; i++)
        r = find_stub(kernel, entry, module, (int)(part->first_variant + i), &stub);
    return r;
}

/* All configurations that have code for the device; the first must. */
static int load_ascend(tri_rt_kernel *kernel, int device)
{
    int before, r = enter_device(device, &before);
    if (r)
        return r;
    r = load_config(kernel, device, 0);
    for (uint32_t i = 1; i < kernel->config_count && !r; i++) {
        r = load_config(kernel, device, i);
        r = r == TRI_ERROR_ARCH ? TRI_OK : r;
    }
    return leave_device(device, before, r);
}

/* The lock is held, the device the thread's. */
static int unload_entry(tri_rt_kernel *kernel, uint32_t at)
{
    int r = 0, e;
    for (uint32_t i = 0; i < kernel->variant_count; i++)
        __atomic_store_n(&kernel->functions[at * kernel->variant_count + i], NULL, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < kernel->config_count; i++) {
        tri_rt_module *module = tri_rt_module_of(kernel, &kernel->contexts[at], i);
        if (module->module && (e = api.binary_unregister(module->module)) && !r)
            r = e;
        __atomic_store_n(&module->module, NULL, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&kernel->contexts[at].context, NULL, __ATOMIC_RELEASE);
    return r;
}

static int unload_ascend(tri_rt_kernel *kernel, int device)
{
    int before, error = enter_device(device, &before), r = 0;
    if (error)
        return error;
    tri_rt_lock();
    for (uint32_t i = 0; i < kernel->context_count; i++)
        if (kernel->contexts[i].context == &tri_rt_ascend_devices[device])
            r = unload_entry(kernel, i);
    tri_rt_unlock();
    return leave_device(device, before, driver_error(r));
}

static int selected_ascend(tri_rt_kernel *kernel, int device)
{
    uint32_t number, count = 0;
    if (!is_open() || api.device_count(&count) || device < 0 || (uint32_t)device >= count || device >= max_devices ||
        !choose_part(kernel, 0, &number))
        return -1;
    const tri_rt_part *part = &kernel->parts[number];
    const tri_rt_context *entry = tri_rt_find_context(kernel, &tri_rt_ascend_devices[device]);
    uint32_t last = entry ? __atomic_load_n(&entry->last, __ATOMIC_RELAXED) : 0;
    int is_own = last && last - 1 - part->first_variant < part->variant_count;
    return tri_rt_row(kernel, number, is_own ? last - 1 : part->first_variant + part->variant_count - 1, 0);
}

/* ---- measuring ---- */

static int time_between(tri_rt_kernel *kernel, const tri_rt_call *call, int device, uint32_t count, void *const *events,
                        double *out_seconds)
{
    float milliseconds = 0;
    int r = driver_error(api.event_record(events[0], call->stream));
    for (uint32_t i = 0; i < count && !r; i++)
        r = launch_on(kernel, call, device);
    if (r || (r = driver_error(api.event_record(events[1], call->stream))) ||
        (r = driver_error(api.event_wait(events[1]))) ||
        (r = driver_error(api.event_elapsed(&milliseconds, events[0], events[1]))))
        return r;
    *out_seconds = (double)milliseconds * 1e-3;
    return TRI_OK;
}

static int time_ascend(tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count, double *out_seconds)
{
    void *events[2] = {NULL, NULL};
    int device, r = enter_thread(&device);
    if (r)
        return r;
    for (int i = 0; i < 2 && !r; i++)
        r = driver_error(api.event_create(&events[i]));
    if (!r)
        r = time_between(kernel, call, device, count, events, out_seconds);
    for (int i = 0; i < 2; i++)
        if (events[i])
            api.event_destroy(events[i]);
    return r;
}

static const char *arch_of_device(const tri_rt_kernel *kernel)
{
    int device;
    uint32_t part;
    return enter_thread(&device) || !choose_part(kernel, 0, &part) ? NULL : kernel->parts[part].arch;
}

const tri_rt_backend tri_rt_ascend_backend = {TRI_ASCEND,    has_ascend,      launch_ascend, load_ascend,
                                              unload_ascend, selected_ascend, time_ascend,   arch_of_device};
