/* Inside of the launcher: what generated wrappers and the runtime's parts share. The runtime is
 * compiled to assembly once, of which every object gets what it needs, all of its symbols weak, so
 * that several objects make one program (runtime/launch.awk). It may use libc only, and neither
 * printf nor malloc on the way of a launch. */
#ifndef TRI_RUNTIME_LAUNCH_H
#define TRI_RUNTIME_LAUNCH_H

/* What other objects and programs may see; the rest is of each link. */
#pragma GCC visibility push(default)
#include "include/tritcc/launch.h"
extern int tri_rt_chosen_kind;   /* that tri_select asked for, or the first launch found */
extern int tri_rt_asked_threads; /* what tri_threads was given last; 0: nothing yet */
#pragma GCC visibility pop

#include <stddef.h>
#include <stdint.h>

/* Of everything that the writer of objects and this launcher agree on. Raised with each change of record.def and
 * features.def. */
enum { TRI_RT_ABI = 11 };

/* Of what programs see of a kernel in the registry: the field `abi` of tritcc_kernel. */
enum { TRI_RT_KERNEL_ABI = 2 };

/* The grid loop of a kernel for the host: programs `begin` to `end`; args[i] points to argument i. */
typedef void tri_rt_range(const void *const *args, uint64_t begin, uint64_t end, const uint32_t *grid, int *err);

/* The level of x86-64 that this machine has, 1 to 4. */
typedef int tri_rt_level(void);
/* The features of x86-64 that it has beyond that, a bit for each row of features.def. */
typedef uint64_t tri_rt_features(void);

/* ---- what an object says about its kernels ---- */

/* Of conditions: DIVISIBLE: argument % value == 0; EQUAL: argument == value, both as unsigned of the argument's width;
 * BYTES_BELOW: its array ends less than `value` bytes behind the address. */
enum { TRI_RT_DIVISIBLE, TRI_RT_EQUAL, TRI_RT_BYTES_BELOW };

/* Of expressions: a number, an argument (signed, unsigned), operators of Python, and the end of a grid's dimension.
 * SELECT takes a condition, the value if it is not 0, and the value if it is. */
enum {
    TRI_RT_PUSH,
    TRI_RT_ARGUMENT,
    TRI_RT_UNSIGNED_ARGUMENT,
    TRI_RT_ADD,
    TRI_RT_SUB,
    TRI_RT_MUL,
    TRI_RT_FLOOR_DIV,
    TRI_RT_MOD,
    TRI_RT_CDIV,
    TRI_RT_MIN,
    TRI_RT_MAX,
    TRI_RT_NEXT_POWER,
    TRI_RT_BIT_AND,
    TRI_RT_BIT_OR,
    TRI_RT_BIT_XOR,
    TRI_RT_SHIFT_LEFT,
    TRI_RT_SHIFT_RIGHT,
    TRI_RT_IS_EQUAL,
    TRI_RT_IS_UNEQUAL,
    TRI_RT_IS_LESS,
    TRI_RT_IS_AT_MOST,
    TRI_RT_SELECT,
    TRI_RT_INT32,   /* the number, where it is one of 32 bits, or none less than 0 */
    TRI_RT_NATURAL,
    TRI_RT_NEXT_DIMENSION
};

enum {
    TRI_RT_MAX_CONTEXTS = 64,
    TRI_RT_MAX_SLOTS = 512,
    TRI_RT_MAX_MAPS = 16,
    /* and the grid of a persistent kernel, tensor maps, whether they are there, and scratch memory */
    TRI_RT_MAX_ARGS = TRI_RT_MAX_SLOTS + 6,
    TRI_RT_MAP_BYTES = 128,
    TRI_RT_IS_POINTER = 0x8000, /* in the size of an argument */
    TRI_RT_MAX_KEYS = 16,
    TRI_RT_MAX_HEURISTICS = 8,
    TRI_RT_MAX_LEARNED = 256
};

typedef struct tri_rt_backend tri_rt_backend;

/* What was loaded into one context. Guarded by the back end's lock, except for reads of entries that are ready. */
typedef struct {
    void *context; /* atomic; null: the entry is free */
    int device, kind;
    int is_held;    /* the runtime retained the context for this entry */
    uint32_t part;  /* of the first configuration that suits the device, + 1; 0: not known yet */
    uint32_t last;  /* variant of the last launch + 1; 0: none yet */
} tri_rt_context;

typedef struct {
    void *module; /* atomic; null: not loaded */
    uint32_t part, image;
} tri_rt_module;

#define RECORD(name) typedef struct tri_rt_##name {
#define FIELD(record, kind, type, name) type name;
#define END(name) } tri_rt_##name;
#include "runtime/launch/record.def"

/* One launch, on its way from the wrapper to the back end. */
typedef struct {
    tri_stream stream;
    const tri_grid *grid;    /* null: the one of the part is computed */
    const void *const *args; /* args[i] points to argument i of the wrapper */
    const uint64_t *lengths; /* bytes behind each argument, unlimited when null */
    uint32_t config;         /* 1 + the configuration to run; 0: the one of the tuning table */
} tri_rt_call;

/* A kind of device. `device` counts as its driver does. */
struct tri_rt_backend {
    int kind; /* TRI_CUDA ... */
    int (*has_device)(void);
    int (*launch)(tri_rt_kernel *kernel, const tri_rt_call *call);
    int (*load)(tri_rt_kernel *kernel, int device);
    int (*unload)(tri_rt_kernel *kernel, int device);
    /* The row of k_variants that a device runs, or -1. */
    int (*selected)(tri_rt_kernel *kernel, int device);
    /* Launches so many times, waits, and says how long it took on the device. */
    int (*time)(tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count, double *out_seconds);
    /* The architecture by which the tuning table knows the device that a launch would take; null: it has no code. */
    const char *(*arch)(const tri_rt_kernel *kernel);
};

/* ---- called by wrappers ---- */

int tri_rt_launch(tri_rt_kernel *kernel, tri_stream stream, const tri_grid *grid, const void *const *args,
                  const uint64_t *lengths);
/* Measures every configuration for these arguments, on this grid or the one that each computes, and keeps which is
 * fastest; a configuration that cannot run is left out. */
int tri_rt_tune(tri_rt_kernel *kernel, tri_stream stream, const tri_grid *grid, const void *const *args);
int tri_rt_load(tri_rt_kernel *kernel, int device);
int tri_rt_unload(tri_rt_kernel *kernel, int device);
int tri_rt_selected(tri_rt_kernel *kernel, int device);

/* ---- called by back ends ---- */

/* How many bytes there are from an address on to the end of what was allocated; 0: the driver does not know. */
typedef uint64_t tri_rt_bytes_behind(uint64_t address);
/* The first variant of a part whose conditions hold, or -1 and the error that says what is missing of the last. What is
 * not known of arrays does not hold, but where no variant does without it: it is believed then. `bytes_behind` may be
 * null where no code relies on it. */
int tri_rt_choose(const tri_rt_kernel *kernel, const tri_rt_part *part, const void *const *args,
                  tri_rt_bytes_behind *bytes_behind, int *out_error);
/* The configuration that k_tune and the tuning table found for these arguments on an architecture: of the row with the
 * same key, else of the row whose values are nearest, as the sum of the differences of their binary logarithms; the
 * first of several, where those of k_tune stand in front. 0 without rows. */
uint32_t tri_rt_choose_config(const tri_rt_kernel *kernel, const char *arch, const void *const *args);
/* tri_rt_tune on devices of one kind. */
int tri_rt_tune_with(const tri_rt_backend *backend, tri_rt_kernel *kernel, tri_stream stream, const tri_grid *grid,
                     const void *const *args);
/* The value of an expression; 0 where it has none, as for a division by 0. */
int tri_rt_evaluate(const tri_rt_step *steps, uint64_t count, const void *const *args, int64_t *out);
/* The grid of a part for these arguments; TRI_ERROR_GRID_VALUE where it is none. */
int tri_rt_find_grid(const tri_rt_part *part, const void *const *args, tri_grid *out);
/* The arguments that the variant's code takes, in `out` (of TRI_RT_MAX_ARGS); their number. */
uint32_t tri_rt_pack(const tri_rt_kernel *kernel, const tri_rt_variant *variant, const void *const *args,
                     const void **out);
/* cuTensorMapEncodeTiled, or what does the same for another machine; 0: the map is made. */
typedef int tri_rt_encode(void *map, int element, uint32_t rank, void *address, const uint64_t *sizes,
                          const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                          int swizzle, int promotion, int fill);
/* Makes the tensor maps of a variant for the arguments that its code takes, one behind the other in `out`, which is
 * aligned to 64 bytes. False: one of them cannot be made. */
int tri_rt_make_maps(const tri_rt_variant *variant, const void *const *args, tri_rt_encode *encode, char *out);
/* Where the rows of a part start in k_variants: one for each variant and image, on the host for each variant. */
int tri_rt_row(const tri_rt_kernel *kernel, uint32_t part, uint32_t variant, uint32_t image);

/* Rounds to nearest even. */
uint16_t tri_rt_to_half(float value);
uint16_t tri_rt_to_bfloat(float value);

/* ---- shared by back ends for devices (device.c) ---- */

/* The lock under which code is loaded and entries of contexts change. */
void tri_rt_lock(void);
void tri_rt_unlock(void);
/* From the first call on, a fork while another thread holds the lock leaves the child one that it can take. */
void tri_rt_guard_forks(void);
/* A function of a driver's library, and the place of its pointer among those of the driver. */
typedef struct {
    const char *name;
    size_t at;
    int is_optional;
} tri_rt_symbol;
/* Looks all of them up; false when one is missing that is not optional. */
int tri_rt_find_symbols(void *library, const tri_rt_symbol *symbols, size_t count, void *out_pointers);
/* What a launcher returns for a driver's own number, 0 being success; of the last failure `text` tells more. */
int tri_rt_driver_error(int number, const char *(*text)(int number));
/* The text of the driver that failed last, or null. */
const char *tri_rt_text_of_driver(int number);
/* The entry of a context, or null. */
tri_rt_context *tri_rt_find_context(const tri_rt_kernel *kernel, const void *context);
/* The same, or a free one for it; null when there are too many. The lock is held. */
tri_rt_context *tri_rt_take_context(tri_rt_kernel *kernel, void *context, int kind, int device, int *out_is_new);
tri_rt_module *tri_rt_module_of(const tri_rt_kernel *kernel, const tri_rt_context *entry, uint32_t config);
/* Is any configuration loaded there? The lock is held. */
int tri_rt_has_modules(const tri_rt_kernel *kernel, const tri_rt_context *entry);

/* A driver that knows devices by numbers, and which of them is the thread's. Functions return the driver's own number,
 * 0 being success, but where TRI_ERROR is said. */
enum { TRI_RT_MAX_DEVICES = 64 };

/* What the drivers' libraries have alike, by other names. */
typedef struct {
    int (*device_count)(int *out);
    int (*get_device)(int *out); /* fails where the thread has none */
    int (*set_device)(int device);
    int (*unload)(void *module);
    int (*event_create)(void **);
    int (*event_record)(void *, void *stream);
    int (*event_wait)(void *);
    int (*event_elapsed)(float *, void *, void *);
    int (*event_destroy)(void *);
} tri_rt_device_calls;

typedef struct {
    int kind;
    char *places; /* TRI_RT_MAX_DEVICES of them: each stands for a device among a kernel's contexts */
    int (*error)(int number); /* the TRI_ERROR of a driver's number */
    int (*is_open)(void);
    const tri_rt_device_calls *calls; /* known when the driver is open */
    /* The part of a configuration whose code the device runs; false: none. The lock is held. */
    int (*find_part)(const tri_rt_kernel *kernel, uint32_t config, int device, uint32_t *out_part);
    /* Loads a part's image on the device, which is the thread's. The lock is held. */
    int (*load)(const tri_rt_kernel *kernel, const tri_rt_part *part, int device, void **out_module);
    /* TRI_ERROR. A variant's function, looked up at the first call. */
    int (*find_function)(tri_rt_kernel *kernel, const tri_rt_context *entry, const tri_rt_module *module, int variant,
                         void **out);
    /* TRI_ERROR. A launch of a function on the thread's device, of a grid that is not empty. */
    int (*launch)(tri_rt_kernel *kernel, const tri_rt_part *part, int variant, void *function, int device,
                  const tri_rt_call *call, const tri_grid *grid);
    /* ---- null where the driver needs none of it ---- */
    tri_rt_bytes_behind *bytes_behind;
    /* TRI_ERROR. The device of a stream, where streams know theirs; null: the thread's. Numbers behind the last device
     * stand for devices in other contexts, whose code is loaded apart. */
    int (*find_device)(void *stream, int *out);
    int (*base_of)(int device); /* the device itself of such a number */
    int (*is_wanted)(void);     /* is there a device that comes before the host? null: each does */
    void (*drop_function)(void *function);
    /* Waits for a stream: launches are timed by the host's clock, and not by events. */
    int (*finish)(void *stream, int device);
} tri_rt_driver;

/* The functions of a back end, by such a driver. */
int tri_rt_driver_has_device(const tri_rt_driver *d);
int tri_rt_driver_launch(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call);
int tri_rt_driver_load(const tri_rt_driver *d, tri_rt_kernel *kernel, int device);
int tri_rt_driver_unload(const tri_rt_driver *d, tri_rt_kernel *kernel, int device);
int tri_rt_driver_selected(const tri_rt_driver *d, tri_rt_kernel *kernel, int device);
int tri_rt_driver_time(const tri_rt_driver *d, tri_rt_kernel *kernel, const tri_rt_call *call, uint32_t count,
                       double *out_seconds);
const char *tri_rt_driver_arch(const tri_rt_driver *d, const tri_rt_kernel *kernel);
/* Those of a back end whose driver is the static value `driver`. */
#define TRI_RT_DRIVER_BACKEND(name, kind)                                                                              \
    static int has_device(void) { return tri_rt_driver_has_device(&driver); }                                          \
    static int launch_kernel(tri_rt_kernel *k, const tri_rt_call *call)                                                \
    {                                                                                                                  \
        return tri_rt_driver_launch(&driver, k, call);                                                                 \
    }                                                                                                                  \
    static int load_kernel(tri_rt_kernel *k, int device) { return tri_rt_driver_load(&driver, k, device); }            \
    static int unload_kernel(tri_rt_kernel *k, int device) { return tri_rt_driver_unload(&driver, k, device); }        \
    static int selected_row(tri_rt_kernel *k, int device) { return tri_rt_driver_selected(&driver, k, device); }       \
    static int time_kernel(tri_rt_kernel *k, const tri_rt_call *call, uint32_t count, double *out)                     \
    {                                                                                                                  \
        return tri_rt_driver_time(&driver, k, call, count, out);                                                       \
    }                                                                                                                  \
    static const char *arch_of_device(const tri_rt_kernel *k) { return tri_rt_driver_arch(&driver, k); }               \
    const tri_rt_backend name = {kind,          has_device,   launch_kernel, load_kernel,                              \
                                 unload_kernel, selected_row, time_kernel,   arch_of_device}

/* ---- CPU ---- */

extern const tri_rt_backend tri_rt_cpu_backend;

/* Calls `work` on this thread and, at the same time, on up to `threads` - 1 others, as many as come before it returns
 * here. Returns when all have. Each thread has a number, this one 0, the others the same from call to call. */
void tri_rt_pool_run(void (*work)(void *data, unsigned thread), void *data, int threads);

/* What kernels call to print and to assert (targets/cpu/debug.c). format: the low byte is 0 signed, 1 unsigned,
 * 2 hexadecimal, 3 float, 4 address; the width follows. */
void tri_cpu_rt_print_text(const char *prefix, uint32_t x, uint32_t y, uint32_t z);
void tri_cpu_rt_print(const char *prefix, uint32_t x, uint32_t y, uint32_t z, const int64_t *index, int rank,
                      int64_t bits, double number, int format);
void tri_cpu_rt_assert(int *err, const char *message, const char *file, int line, uint32_t x, uint32_t y, uint32_t z);
/* Waits until the integer of `bits` bits is `want`, for at most `timeout` ns (forever when that is negative);
 * whether it is. */
int tri_cpu_rt_poll(const void *address, uint64_t want, int bits, int64_t timeout);
/* x86: begins a transaction of memory, which `xend` ends (targets/cpu/atomic_block.c); 0: there is none, or it was
 * disturbed, and nothing of it has happened. */
int tri_cpu_rt_begin(void);

/* -fsanitize=bounds (targets/cpu/sanitize/bounds.c): what a kernel's error points to, and one access of the source. */
typedef struct {
    int err;
    int streams; /* stores of what is written once go past the caches */
    const uint64_t *lengths; /* bytes behind each argument, unlimited when null; only pointers' count */
    struct tri_rt_room *room; /* for packed operands (room.c); null: the kernel has not asked yet */
    struct tri_rt_shared *shared; /* of a launch of several threads; null: of one */
} tri_rt_state;

typedef struct tri_rt_room tri_rt_room;

/* Panels that threads of a launch have in their rooms, for all of them to read. A key has up to TRI_CPU_MAX_KEYS words
 * (targets/cpu/cpu.h) and the generation. */
enum { TRI_RT_SHARED_PANELS = 32, TRI_RT_PANEL_WORDS = 13 };
typedef struct tri_rt_shared {
    unsigned count;                  /* atomic: of those below that are taken, or more */
    tri_rt_room *left;               /* atomic: of threads that are done; they stay until all are */
    int is_there[TRI_RT_SHARED_PANELS]; /* atomic: the panel has its key */
    struct {
        tri_rt_room *room;
        int64_t directory, panel; /* where the room's directory is that it is of, in bytes; its number there */
        int64_t words;
        uint64_t key[TRI_RT_PANEL_WORDS];
    } panels[TRI_RT_SHARED_PANELS];
} tri_rt_shared;
void tri_rt_share(tri_rt_shared *shared);   /* before the launch: none is there */
void tri_rt_unshare(tri_rt_shared *shared); /* behind it: gives the rooms back */

/* At least `bytes` for the launch's programs of one thread, zeros where nobody has written; null: there is no memory.
 * `owner`: the kernel. */
void *tri_cpu_rt_room(tri_rt_state *state, tri_rt_range *owner, uint64_t bytes);
/* Behind the programs, if they asked for one. keeps: the same kernel may find there what it left. */
void tri_rt_leave_room(tri_rt_state *state, int keeps);
void tri_rt_at_end(void (*function)(void *)); /* called before this code goes: at exit, or dlclose */

/* Which of so many panels has what the key of `words` words is for; else the one that was not used for longest, which
 * has it from then on. The directory, zeros at first, is a counter and for each panel {when it was used, key}; it lies
 * in the state's room, as `facts` do: a word of each panel's first block, so many bytes apart, which is not 0 when that
 * is packed. The key's first word is the room's generation. out: the room that has the panel, which is another thread's
 * if that one has packed the first block, and the generation that its blocks are of. */
enum { TRI_RT_PANELS = 24 };
typedef struct {
    tri_rt_room *room;
    uint64_t generation;
} tri_rt_home;
int64_t tri_cpu_rt_panel(tri_rt_state *state, uint64_t *directory, const uint64_t *key, int64_t words,
                         uint64_t *facts, int64_t apart, tri_rt_home *out);

typedef struct {
    const char *file, *kind, *name; /* name: the argument's, empty when it may be one of several */
    uint32_t line, column;
    uint64_t size; /* of an element */
} tri_rt_site;

/* Says that the lanes of `bad` lie outside; once for each thread's share of the grid. */
void tri_cpu_rt_bounds(tri_rt_state *state, const tri_rt_site *site, const uint64_t *offsets, uint64_t bad,
                       uint64_t length, uint32_t x, uint32_t y, uint32_t z);

/* -fsanitize=undefined (targets/cpu/sanitize/shadow.c): says what happened at the site; once for each thread's share of
 * the grid. The size and name of the site do not count. */
void tri_cpu_rt_undefined(tri_rt_state *state, const tri_rt_site *site, uint32_t x, uint32_t y, uint32_t z);

/* For objects for x86, and their code where it is for several levels. */
tri_rt_level tri_cpu_rt_level;
tri_rt_features tri_cpu_rt_features;
/* 5 where the machine has AMX and the system lets this process use it, which the first call asks for; else as above. */
tri_rt_level tri_cpu_rt_tile_level;

/* ---- CUDA ---- */

extern const tri_rt_backend tri_rt_cuda_backend;

/* How well code for `arch` suits a device of this compute capability (90 for 9.0); -1: it does not run there. Machine
 * code runs on its own major version from its minor version on, and only on exactly its own when it is an 'a' one; PTX
 * likewise, or on anything newer. Of several the highest is taken. */
int tri_rt_cuda_rank(const char *arch, int is_ptx, int capability);

/* ---- HIP ---- */

extern const tri_rt_backend tri_rt_hip_backend;

/* ---- OpenCL and Level Zero ---- */

extern const tri_rt_backend tri_rt_level_zero_backend;
extern const tri_rt_backend tri_rt_opencl_backend;

/* What a device takes of parts for OpenCL and Level Zero, which both drivers run (spirv.c). */
typedef struct {
    const char *arch; /* of machine code, "intel-pvc"; null: none that there are names of */
    int takes_spirv, takes_spir, has_lanes_32;
} tri_rt_spirv_device;

/* A device with a context and an immediate command list of the launcher's own, which waits for what it is given. */
typedef struct {
    void *device, *context, *list;
    tri_rt_spirv_device takes;
} tri_rt_level_zero_place;
/* TRI_ERROR. For tritrun. */
int tri_rt_level_zero_open(int device, tri_rt_level_zero_place *out);

/* TRI_ERROR. Makes an AMD GPU the thread's device and tells its architecture, "gfx942". For tritrun. */
int tri_rt_hip_open(int device, const char **out_arch);

/* The architecture that an Intel GPU's IP version stands for, or null. */
const char *tri_rt_intel_arch(uint32_t ip_version);
/* The part of a configuration for the device: its own code, else with sub-groups of 32, else any. False: none. */
int tri_rt_find_spirv_part(const tri_rt_kernel *kernel, uint32_t config, const tri_rt_spirv_device *device,
                           uint32_t *out_part);
/* The machine code (or SPIR) of a part, or its SPIR-V; null: it has none. */
const tri_rt_image *tri_rt_image_of(const tri_rt_part *part, int is_spirv);

/* ---- Ascend ---- */

extern const tri_rt_backend tri_rt_ascend_backend;

#endif
