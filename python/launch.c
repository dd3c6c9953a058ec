/* Launches of Triton's kernels by one call from Python: what an object's launcher does (runtime/launch/cuda.c), for
 * kernels that Triton's JIT has loaded. Arguments are taken as Triton's own launchers take them.
 *
 * Built without Python's headers, so that one wheel serves every version: what is declared here is Python's stable ABI
 * of 3.10. tritcc_python_launcher gives a callable; each function below that returns bool leaves a Python error when
 * that is false. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Python ---- */

typedef struct python_object object;
typedef object *function(object *self, object *const *args, ptrdiff_t count);
typedef struct {
    const char *name;
    function *call;
    int flags;
    const char *doc;
} method;

enum { METH_FASTCALL = 0x80 };

extern object _Py_NoneStruct;
extern object *PyExc_OverflowError, *PyExc_RuntimeError, *PyExc_TypeError, *PyExc_ValueError, *PyExc_AttributeError;
extern object *PyCapsule_New(void *, const char *, void (*)(object *));
extern void *PyCapsule_GetPointer(object *, const char *);
extern object *PyCMethod_New(method *, object *self, object *module, void *type);
extern object *PyErr_Format(object *, const char *, ...);
extern object *PyErr_Occurred(void);
extern int PyErr_ExceptionMatches(object *);
extern void PyErr_Clear(void);
extern void PyErr_SetString(object *, const char *);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
extern double PyFloat_AsDouble(object *);
extern long long PyLong_AsLongLong(object *);
extern unsigned long long PyLong_AsUnsignedLongLong(object *);
extern unsigned long long PyLong_AsUnsignedLongLongMask(object *);
extern object *PyNumber_Index(object *);
extern object *PyObject_CallFunctionObjArgs(object *, ...);
extern object *PyObject_GetAttr(object *, object *);
extern int PyObject_IsTrue(object *);
extern object *PySequence_GetItem(object *, ptrdiff_t);
extern ptrdiff_t PySequence_Size(object *);
extern object *PyUnicode_InternFromString(const char *);
extern int PyUnicode_CompareWithASCIIString(object *, const char *);
extern object *PyLong_FromUnsignedLongLong(unsigned long long);
extern object *PyLong_FromVoidPtr(void *);
extern void Py_DecRef(object *);
extern void Py_IncRef(object *);

static const char capsule_name[] = "tritcc.launcher";
static object *const none = &_Py_NoneStruct;

/* ---- the driver ---- */

typedef struct {
    uint32_t id;
    char pad[4];
    union {
        char bytes[64];
        uint32_t numbers[3];
    } value;
} attribute;

typedef struct {
    uint32_t grid[3], block[3], shared;
    void *stream;
    attribute *attributes;
    uint32_t attribute_count;
} configuration;

enum { launch_cooperative = 2, launch_cluster = 4, launch_programmatic = 6 };
enum { function_large_cluster = 14, portable_cluster = 8 /* blocks that each device takes */ };
enum { pointer_device = 3, invalid_value = 1, not_supported = 801 };

static struct {
    int (*launch)(const configuration *, void *, void **, void **);
    int (*ctx_current)(void **);
    int (*ctx_set)(void *);
    int (*ctx_retain)(void **, int);
    int (*device_get)(int *, int);
    int (*pointer_attribute)(void *, int, uint64_t);
    int (*mem_alloc)(uint64_t *, size_t, void *);
    int (*mem_free)(uint64_t, void *);
    int (*error_string)(int, const char **);
    int (*function_set)(void *, int, int);
} api;

/* The interpreter's lock is held. */
static bool open_driver(void)
{
    if (api.launch)
        return true;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        PyErr_Format(PyExc_RuntimeError, "there is no CUDA driver (%s)", dlerror());
        return false;
    }
    const struct {
        const char *name;
        void *place;
        bool is_optional;
    } rows[] = {
        {"cuCtxGetCurrent", &api.ctx_current, false},
        {"cuCtxSetCurrent", &api.ctx_set, false},
        {"cuDeviceGet", &api.device_get, false},
        {"cuDevicePrimaryCtxRetain", &api.ctx_retain, false},
        {"cuGetErrorString", &api.error_string, false},
        {"cuPointerGetAttribute", &api.pointer_attribute, true},
        {"cuMemAllocAsync", &api.mem_alloc, true},
        {"cuMemFreeAsync", &api.mem_free, true},
        {"cuFuncSetAttribute", &api.function_set, true},
        {"cuLaunchKernelEx", &api.launch, false}, /* last: it says that all are there */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = dlsym(library, rows[i].name);
        if (!symbol && !rows[i].is_optional) {
            PyErr_Format(PyExc_RuntimeError, "the CUDA driver is too old: it has no %s", rows[i].name);
            return false;
        }
        memcpy(rows[i].place, &symbol, sizeof symbol);
    }
    return true;
}

static bool fine(int status)
{
    const char *text = NULL;
    if (!status)
        return true;
    if (api.error_string(status, &text) || !text)
        text = "unknown error";
    PyErr_Format(PyExc_RuntimeError, "Triton Error [CUDA]: %s", text);
    return false;
}

/* The thread has a context: its own, or that of device 0. */
static bool enter_context(void)
{
    void *context = NULL;
    int device;
    if (!fine(api.ctx_current(&context)))
        return false;
    return context ||
           (fine(api.device_get(&device, 0)) && fine(api.ctx_retain(&context, device)) && fine(api.ctx_set(context)));
}

/* ---- arguments ---- */

enum { MAX_VALUES = 1024 };

/* How a kernel is launched. `types` has a letter for each argument: P a pointer, ? a flag, b h i l integers of 8 to 64
 * bits and B H I L unsigned ones, e g f d floats (fp16, bf16, fp32, fp64), x one that is not passed, D and a digit a
 * descriptor of that rank, and ( ) around those of a tuple. */
typedef struct {
    char *types;
    uint32_t threads, shared, blocks;          /* of a program, which is a cluster where it has several blocks */
    uint64_t scratch_bytes, scratch_alignment; /* of a block */
    object *allocate; /* called for scratch memory with its size, alignment and stream; or None */
    object *names[7]; /* of attributes: see name_texts */
    bool cooperative, programmatic;
} launcher;

enum { NAME_DATA, NAME_BASE, NAME_SHAPE, NAME_STRIDES, NAME_PADDING, NAME_ROUND, NAME_COUNT };
static const char *const name_texts[NAME_COUNT] = {"data_ptr", "base",    "shape",
                                                   "strides",  "padding", "round_f32_to_tf32"};

typedef struct {
    const launcher *l;
    uint32_t count;
    uint64_t values[MAX_VALUES];
    void *places[MAX_VALUES];
} packed;

static bool put(packed *p, uint64_t value)
{
    if (p->count >= MAX_VALUES - 2) { /* room for the two addresses behind the arguments */
        PyErr_SetString(PyExc_ValueError, "too many arguments for a kernel");
        return false;
    }
    p->values[p->count] = value;
    p->places[p->count] = &p->values[p->count];
    p->count++;
    return true;
}

/* The address that data_ptr() gives, or of a number. */
static bool address_of(const packed *p, object *value, uint64_t *out)
{
    object *get = PyObject_GetAttr(value, p->l->names[NAME_DATA]), *number;
    if (get) {
        number = PyObject_CallFunctionObjArgs(get, NULL);
        Py_DecRef(get);
    } else {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return false;
        PyErr_Clear();
        number = PyNumber_Index(value);
        if (!number)
            PyErr_SetString(PyExc_TypeError, "Pointer argument must be either uint64 or have data_ptr method");
    }
    if (!number)
        return false;
    *out = PyLong_AsUnsignedLongLong(number);
    Py_DecRef(number);
    return *out != UINT64_MAX || !PyErr_Occurred();
}

static bool put_pointer(packed *p, object *value)
{
    uint64_t address = 0, seen;
    if (value != none && !address_of(p, value, &address))
        return false;
    if (address && api.pointer_attribute) {
        int status = api.pointer_attribute(&seen, pointer_device, address);
        if (status == invalid_value) {
            PyErr_Format(PyExc_ValueError, "Pointer argument (at %d) cannot be accessed from Triton (cpu tensor?)",
                         (int)p->count);
            return false;
        }
        if (!fine(status))
            return false;
        address = seen;
    }
    return put(p, address);
}

static bool put_signed(packed *p, object *value, int bits)
{
    long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred())
        return false;
    long long limit = bits == 64 ? LLONG_MAX : (1LL << (bits - 1)) - 1;
    if (number > limit || number < -limit - 1) {
        PyErr_Format(PyExc_OverflowError, "an argument of %d bits is out of range", bits);
        return false;
    }
    return put(p, (uint64_t)number);
}

/* As Triton: bits beyond the type's are cut off. */
static bool put_unsigned(packed *p, object *value)
{
    uint64_t number = PyLong_AsUnsignedLongLongMask(value);
    return (number != UINT64_MAX || !PyErr_Occurred()) && put(p, number);
}

static bool put_flag(packed *p, object *value)
{
    int is = PyObject_IsTrue(value);
    return is >= 0 && put(p, (uint64_t)is);
}

/* The nearest fp16, ties to even. */
static uint16_t half_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024)
        return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
    if (exponent > 15)
        return sign | 0x7c00;
    if (exponent < -25)
        return sign;
    int shift = exponent < -14 ? 42 - 14 - exponent : 42;
    uint64_t whole = fraction | UINT64_C(1) << 52, kept = whole >> shift, rest = whole & ((UINT64_C(1) << shift) - 1);
    uint64_t tie = UINT64_C(1) << (shift - 1);
    kept += rest > tie || (rest == tie && (kept & 1));
    return (uint16_t)(sign | (exponent < -14 ? kept : kept + ((uint64_t)(exponent + 14) << 10)));
}

static bool put_float(packed *p, object *value, char type)
{
    double number = PyFloat_AsDouble(value);
    float single = (float)number;
    uint64_t bits = 0;
    uint32_t word;
    if (number == -1.0 && PyErr_Occurred())
        return false;
    memcpy(&word, &single, sizeof word);
    if (type == 'd')
        memcpy(&bits, &number, sizeof bits);
    else
        bits = type == 'f' ? word : type == 'g' ? word >> 16 : half_of(number);
    return put(p, bits);
}

static bool put_numbers(packed *p, object *owner, int name, int count, int bits)
{
    object *list = PyObject_GetAttr(owner, p->l->names[name]);
    bool is_fine = list != NULL;
    for (int i = 0; is_fine && i < count; i++) {
        object *item = PySequence_GetItem(list, i);
        is_fine = item && put_signed(p, item, bits);
        if (item)
            Py_DecRef(item);
    }
    if (list)
        Py_DecRef(list);
    return is_fine;
}

/* The flags: is what lies outside NaN, and are floats rounded to tf32? */
static bool put_flags(packed *p, object *value)
{
    object *padding = PyObject_GetAttr(value, p->l->names[NAME_PADDING]);
    if (!padding)
        return false;
    bool is_nan = PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
    Py_DecRef(padding);
    object *rounds = PyObject_GetAttr(value, p->l->names[NAME_ROUND]);
    int is_rounded = 0;
    if (rounds) {
        is_rounded = PyObject_IsTrue(rounds);
        Py_DecRef(rounds);
    } else {
        PyErr_Clear(); /* Triton 3.6's have none */
    }
    return is_rounded >= 0 && put(p, is_nan) && put(p, (uint64_t)is_rounded);
}

/* As _launcher.expanded has it. */
static bool put_descriptor(packed *p, object *value, int rank)
{
    object *base = PyObject_GetAttr(value, p->l->names[NAME_BASE]);
    bool is_fine = base && put_pointer(p, base);
    if (base)
        Py_DecRef(base);
    return is_fine && put_numbers(p, value, NAME_SHAPE, rank, 64) && put_numbers(p, value, NAME_STRIDES, rank, 64) &&
           put_flags(p, value) && put_numbers(p, value, NAME_SHAPE, rank, 32) &&
           put_numbers(p, value, NAME_STRIDES, rank, 64);
}

static const char *put_tuple(packed *p, const char *type, object *value);

/* Packs one argument; the type behind it, or NULL. */
static const char *put_one(packed *p, const char *type, object *value)
{
    static const char widths[] = "bhil";
    const char *width = strchr(widths, *type | 0x20);
    bool is_fine = true;
    if (*type == '(')
        return put_tuple(p, type + 1, value);
    if (*type == 'D')
        return put_descriptor(p, value, type[1] - '0') ? type + 2 : NULL;
    if (*type == 'P')
        is_fine = put_pointer(p, value);
    else if (*type == '?')
        is_fine = put_flag(p, value);
    else if (*type >= 'a' && width)
        is_fine = put_signed(p, value, 8 << (width - widths));
    else if (width)
        is_fine = put_unsigned(p, value);
    else if (*type != 'x')
        is_fine = put_float(p, value, *type);
    return is_fine ? type + 1 : NULL;
}

static const char *put_tuple(packed *p, const char *type, object *value)
{
    for (ptrdiff_t i = 0; type && *type != ')'; i++) {
        object *item = PySequence_GetItem(value, i);
        if (!item)
            return NULL;
        type = put_one(p, type, item);
        Py_DecRef(item);
    }
    return type ? type + 1 : NULL;
}

static bool put_all(packed *p, object *const *args, ptrdiff_t count)
{
    const char *type = p->l->types;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!*type) {
            PyErr_Format(PyExc_TypeError, "a kernel is launched with %d arguments too many", (int)(count - i));
            return false;
        }
        type = put_one(p, type, args[i]);
        if (!type)
            return false;
    }
    if (*type)
        PyErr_SetString(PyExc_TypeError, "a kernel is launched with too few arguments");
    return !*type;
}

/* ---- the launch ---- */

/* What Triton's JIT calls a launcher with, in front of the kernel's arguments. */
enum { GRID_X, GRID_Y, GRID_Z, STREAM, FUNCTION, PACKED, METADATA, ENTER_HOOK, EXIT_HOOK, ARGUMENTS };

static bool call_hook(object *hook, object *metadata)
{
    if (hook == none)
        return true;
    object *result = PyObject_CallFunctionObjArgs(hook, metadata, NULL);
    if (result)
        Py_DecRef(result);
    return result != NULL;
}

/* Memory of the user's allocator, or torch's: the object that holds it, and its address. */
static object *ask_for_scratch(packed *p, uint64_t size, object *stream, uint64_t *out_address)
{
    object *bytes = PyLong_FromUnsignedLongLong(size),
           *alignment = PyLong_FromUnsignedLongLong(p->l->scratch_alignment);
    object *memory =
        bytes && alignment ? PyObject_CallFunctionObjArgs(p->l->allocate, bytes, alignment, stream, NULL) : NULL;
    if (bytes)
        Py_DecRef(bytes);
    if (alignment)
        Py_DecRef(alignment);
    if (memory && memory != none && !address_of(p, memory, out_address)) {
        Py_DecRef(memory);
        return NULL;
    }
    return memory;
}

/* `own_scratch`: bytes of scratch memory that the stream's pool gives. */
static int launch_on(const configuration *c, void *kernel, packed *p, uint64_t own_scratch)
{
    uint64_t scratch = 0;
    if (own_scratch && (!api.mem_alloc || !api.mem_free))
        return not_supported;
    int status = own_scratch ? api.mem_alloc(&scratch, own_scratch, c->stream) : 0;
    if (status)
        return status;
    if (own_scratch)
        p->values[p->count - 2] = scratch;
    if (p->l->blocks > portable_cluster && api.function_set)
        status = api.function_set(kernel, function_large_cluster, 1);
    if (!status)
        status = api.launch(c, kernel, p->places, NULL);
    int freed = own_scratch ? api.mem_free(scratch, c->stream) : 0;
    return status ? status : freed;
}

/* The grid of blocks: programs are `blocks` side by side. */
static bool read_grid(object *const *args, uint32_t blocks, uint32_t *grid, uint64_t *out_blocks)
{
    *out_blocks = 1;
    for (int i = 0; i < 3; i++) {
        long long extent = PyLong_AsLongLong(args[i]);
        if (extent == -1 && PyErr_Occurred())
            return false;
        if (extent > INT_MAX / (i ? 1 : (long long)blocks)) {
            PyErr_SetString(PyExc_OverflowError, "signed integer is greater than maximum");
            return false;
        }
        grid[i] = extent > 0 ? (uint32_t)extent * (i ? 1 : blocks) : 0;
        *out_blocks *= grid[i];
    }
    return true;
}

static bool read_handle(object *value, void **out)
{
    uint64_t number = PyLong_AsUnsignedLongLong(value);
    *out = (void *)(uintptr_t)number; // NOLINT(performance-no-int-to-ptr): the driver's handles are Python's numbers
    return number != UINT64_MAX || !PyErr_Occurred();
}

/* Everything between the hooks, for a grid that is not empty. */
static bool launch_kernel(const launcher *l, object *const *args, configuration *c, void *kernel, uint64_t count,
                          packed *p)
{
    uint64_t size = l->scratch_bytes * count, address = 0;
    object *memory = NULL;
    if (size && l->allocate != none) {
        memory = ask_for_scratch(p, size, args[STREAM], &address);
        if (!memory)
            return false;
        if (memory != none)
            size = 0;
    }
    /* behind the arguments: scratch memory, and Triton's for profiles, which kernels of ours take not */
    bool is_fine = put(p, address) && put(p, 0) && enter_context();
    if (is_fine) {
        void *thread = PyEval_SaveThread();
        int status = launch_on(c, kernel, p, size);
        PyEval_RestoreThread(thread);
        is_fine = fine(status);
    }
    if (memory)
        Py_DecRef(memory);
    return is_fine;
}

static object *run(object *self, object *const *args, ptrdiff_t count)
{
    const launcher *l = PyCapsule_GetPointer(self, capsule_name);
    attribute attributes[3];
    packed p = {.l = l};
    uint64_t blocks;
    void *kernel;
    if (!l)
        return NULL;
    if (count < ARGUMENTS)
        return PyErr_Format(PyExc_TypeError, "a launch has %d words in front of the arguments", ARGUMENTS);
    configuration c = {{0}, {l->threads, 1, 1}, l->shared, NULL, attributes, 0};
    if (l->blocks > 1)
        attributes[c.attribute_count++] = (attribute){.id = launch_cluster, .value.numbers = {l->blocks, 1, 1}};
    if (l->programmatic)
        attributes[c.attribute_count++] = (attribute){.id = launch_programmatic, .value.numbers[0] = 1};
    if (l->cooperative)
        attributes[c.attribute_count++] = (attribute){.id = launch_cooperative, .value.numbers[0] = 1};
    if (!open_driver() || !read_grid(args, l->blocks, c.grid, &blocks) || !read_handle(args[STREAM], &c.stream) ||
        !read_handle(args[FUNCTION], &kernel) || !call_hook(args[ENTER_HOOK], args[METADATA]) ||
        !put_all(&p, args + ARGUMENTS, count - ARGUMENTS) ||
        (blocks && !launch_kernel(l, args, &c, kernel, blocks, &p)) || !call_hook(args[EXIT_HOOK], args[METADATA]))
        return NULL;
    Py_IncRef(none);
    return none;
}

/* ---- made from Python ---- */

static void destroy(object *capsule)
{
    launcher *l = PyCapsule_GetPointer(capsule, capsule_name);
    for (int i = 0; i < NAME_COUNT; i++)
        if (l->names[i])
            Py_DecRef(l->names[i]);
    Py_DecRef(l->allocate);
    free(l->types);
    free(l);
}

__attribute__((visibility("default"))) object *
tritcc_python_launcher(const char *types, uint32_t threads, uint32_t shared, uint32_t blocks, uint64_t scratch_bytes,
                       uint64_t scratch_alignment, object *allocate, int cooperative, int programmatic);

/* A callable for Triton's JIT. `types` is as above; memory for scratch comes from `allocate` unless that is None, or
 * gives None, and then from the stream's pool. */
object *tritcc_python_launcher(const char *types, uint32_t threads, uint32_t shared, uint32_t blocks,
                               uint64_t scratch_bytes, uint64_t scratch_alignment, object *allocate, int cooperative,
                               int programmatic)
{
    static method launch = {"launch", run, METH_FASTCALL, NULL};
    launcher *l = calloc(1, sizeof *l);
    char *copy = strdup(types);
    if (!l || !copy) {
        free(l);
        free(copy);
        return PyErr_Format(PyExc_RuntimeError, "out of memory");
    }
    *l = (launcher){copy,     threads, shared,      blocks,      scratch_bytes, scratch_alignment,
                    allocate, {0},     cooperative, programmatic};
    Py_IncRef(allocate);
    for (int i = 0; i < NAME_COUNT; i++)
        l->names[i] = PyUnicode_InternFromString(name_texts[i]);
    object *capsule = PyCapsule_New(l, capsule_name, destroy);
    object *made = capsule ? PyCMethod_New(&launch, capsule, NULL, NULL) : NULL;
    if (capsule)
        Py_DecRef(capsule);
    return made;
}
