/* Kernels of an object file that `tritcc -c` wrote: linked to a library, loaded, and called through their
 * launchers as a C program would. */
#include "run/cuda.h"

#include "base/file.h"
#include "base/process.h"
#include "driver/opt.h"
#include "driver/environment.h"
#include "ir/context.h"
#include "ir/kernel.h"
#include "run/fence.h"
#include "runtime/launch/launch.h"
#include "targets/object/object.h"

#include "llvm-c/Core.h"
#include "llvm-c/Object.h"

#include <dlfcn.h>

static const char suffix[] = "_variants", thunk_name[] = "tri_run_object";

typedef struct {
    void *library;
    const char *name; /* of the kernel */
    bool is_cuda;
    tri_cuda *cuda;
    tri_run_copies copies;
    tri_run_fences *fences; /* on the host; null: none */
    uint64_t *args;   /* of the thunk: result, stream, grid, the kernel's */
    int result;
} object;

static bool fail_object(tri_run_kernel *k, const char *what, tri_str why)
{
    tri_diag_error(k->unit.diag, TRI_NO_SPAN, 9001, "%s: %.*s", what, TRI_STR_ARG(why));
    return false;
}

/* --- loading ----------------------------------------------------------------------------- */

/* cc -shared, since an object may have thread-local storage and weak references. */
static bool link_library(tri_run_kernel *k, tri_str file, tri_str *out_path)
{
    tri_arena *arena = k->unit.arena;
    tri_str cc, path = tri_str_copy(arena, tri_environment_get("PATH"));
    int error = 0;
    if (!tri_process_find(arena, TRI_STR("cc"), path.data, &cc))
        return fail_object(k, "cannot load the object", TRI_STR("no 'cc' in PATH to link it with"));
    if (!tri_file_make_temporary(arena, ".so", out_path, &error))
        return fail_object(k, "cannot write a temporary file", tri_str_from(strerror(error)));
    const char *const argv[] = {cc.data, "-shared", "-o", out_path->data, tri_str_copy(arena, file).data, "-lm", NULL};
    tri_process_result result = tri_process_run(arena, argv);
    if (!result.started)
        return fail_object(k, "cannot run cc", tri_str_from(strerror(result.error)));
    return (result.status == 0 && !result.signal) || fail_object(k, "the object cannot be linked", result.output);
}

/* The functions NAME_variants, of which -k chooses one. */
static bool find_kernel(tri_run_kernel *k, const tri_run_opt *opt, tri_str bytes)
{
    object *o = k->device;
    tri_arena *arena = k->unit.arena;
    char *message = NULL;
    size_t found = 0;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.data, bytes.len, "object");
    LLVMBinaryRef binary = LLVMCreateBinary(buffer, k->unit.llvm, &message);
    if (!binary) {
        fail_object(k, "not an object file", tri_str_from(message));
        LLVMDisposeMessage(message);
        LLVMDisposeMemoryBuffer(buffer);
        return false;
    }
    LLVMSymbolIteratorRef i = LLVMObjectFileCopySymbolIterator(binary);
    for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, i); LLVMMoveToNextSymbol(i)) {
        tri_str name = tri_str_from(LLVMGetSymbolName(i));
        if (!tri_str_has_suffix(name, suffix))
            continue;
        name = tri_str_sub(name, 0, name.len - strlen(suffix));
        bool is_wanted = !opt->compile.kernels.len;
        for (size_t n = 0; n < opt->compile.kernels.len; n++)
            is_wanted = is_wanted || tri_str_equal(opt->compile.kernels.at[n], name);
        if (!is_wanted)
            continue;
        o->name = tri_str_copy(arena, name).data;
        found++;
    }
    LLVMDisposeSymbolIterator(i);
    LLVMDisposeBinary(binary);
    LLVMDisposeMemoryBuffer(buffer);
    if (found == 1)
        return true;
    tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1002,
                   found ? "the object has %zu kernels; choose one with -k" : "the object has no such kernel of tritcc",
                   found);
    return false;
}

static void *symbol(const object *o, tri_arena *arena, const char *end)
{
    return dlsym(o->library, tri_str_format(arena, "%s%s", o->name, end).data);
}

/* --- what the variants say --------------------------------------------------------------- */

static bool is_number(const tri_argument *a)
{
    uint64_t bits;
    return a && (a->kind == TRI_ARGUMENT_SCALAR || tri_argument_value(a, TRI_STR("fp64"), &bits));
}

/* The object's own description of the kernel; null in objects of before. */
static const tritcc_kernel *record_of(const object *o)
{
    const tritcc_kernel *(*find)(const char *name) = NULL;
    void *address = dlsym(o->library, "tritcc_kernel_find");
    memcpy(&find, &address, sizeof address);
    return find ? find(o->name) : NULL;
}

/* Whether "NAME=TEXT" of a key is a parameter of the launcher. A dtype may be the type of a number or the
 * value of a constant: where the object does not say, it is a constant when something else is given for it, or nothing
 * for a type of floats, which constants mostly are. */
static bool is_passed(const tritcc_kernel *record, tri_str name, tri_str type, const tri_argument *given)
{
    tri_dtype dtype;
    if (tri_str_has_prefix(type, "*"))
        return true;
    bool is_tuple = tri_str_has_prefix(type, "("); /* members are NAME_0, NAME_1 ... */
    for (uint32_t i = 0; record && i < record->parameter_count; i++) {
        const char *parameter = record->parameters[i].name;
        if (tri_str_is(name, parameter) ||
            (is_tuple && strncmp(parameter, name.data, name.len) == 0 && parameter[name.len] == '_'))
            return true;
    }
    if (record)
        return false;
    return tri_dtype_find(tri_str_sub(type, 0, tri_str_find(type, ':')), &dtype) &&
           (given ? is_number(given) : !tri_dtype_is_float(dtype));
}

static const tri_argument *given_for(const tri_argument_list *arguments, tri_str name, size_t position)
{
    for (size_t i = 0; i < arguments->len; i++)
        if (!arguments->at[i].is_buffer && tri_str_equal(arguments->at[i].name, name))
            return &arguments->at[i];
    for (size_t i = 0; i < arguments->len; i++)
        if (!arguments->at[i].is_buffer && !arguments->at[i].name.len && position-- == 0)
            return &arguments->at[i];
    return NULL;
}

/* "x_ptr=*fp32:16, n=i32, BLOCK=1024" as the kernel's parameters. */
static void read_key(tri_run_kernel *k, tri_str key, const tri_argument_list *arguments, tri_kernel *out)
{
    size_t position = 0;
    const tritcc_kernel *record = record_of(k->device);
    while (key.len) {
        size_t end = tri_str_end_of_item(key), equals = tri_str_find(key, '=');
        tri_str name = tri_str_sub(key, 0, equals), type = tri_str_sub(key, equals + 1, end);
        const tri_argument *given = given_for(arguments, name, position);
        bool is_named = given && given->name.len;
        tri_kernel_param param = {.name = name, .type = type};
        if (is_passed(record, name, type, given))
            param.type = tri_str_has_prefix(type, "(") ? type : tri_str_sub(type, 0, tri_str_find(type, ':'));
        else {
            param.is_constexpr = true;
            param.value = type;
        }
        position += !is_named;
        tri_vec_push(k->unit.arena, &out->params, param);
        key = tri_str_sub(key, end + 1 < key.len ? end + 2 : key.len, key.len);
    }
}

static bool read_variants(tri_run_kernel *k, const tri_run_opt *opt, const tri_argument_list *arguments)
{
    object *o = k->device;
    int count = 0;
    const tri_variant *(*variants)(int *);
    void *address = symbol(o, k->unit.arena, suffix);
    memcpy(&variants, &address, sizeof address);
    const tri_variant *first = variants(&count);
    tri_kernel kernel = {.name = tri_str_from(o->name), .symbol = tri_str_from(o->name)};
    read_key(k, tri_str_from(first[count - 1].key), arguments, &kernel); /* the general form is the last */
    tri_vec_push(k->unit.arena, &k->unit.kernels, kernel);
    o->is_cuda = strncmp(first->arch, "sm_", 3) == 0;
    if (o->is_cuda)
        o->cuda = tri_cuda_create(k->unit.diag, (int)opt->device);
    return !o->is_cuda || o->cuda;
}

static bool choose_object(tri_run_kernel *k, tri_run_opt *opt, const tri_argument_list *arguments)
{
    object *o = TRI_NEW(k->unit.arena, object);
    tri_str bytes, path;
    int error;
    k->device = o;
    k->unit.llvm = tri_context_create_llvm(k->unit.diag);
    if (!tri_file_read(k->unit.arena, opt->file, &bytes, &error)) {
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(opt->file),
                       strerror(error));
        return false;
    }
    if (!find_kernel(k, opt, bytes) || !link_library(k, opt->file, &path))
        return false;
    o->library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!o->library)
        return fail_object(k, "the object cannot be loaded", tri_str_from(dlerror()));
    return read_variants(k, opt, arguments);
}

/* --- the call ---------------------------------------------------------------------------- */

/* void thunk(int *result, void *stream, i64, i64, ...): the launcher's grid is a struct of 12 bytes, which
 * x86-64 and AArch64 pass as two integers. */
static LLVMModuleRef make_thunk(tri_run_kernel *k)
{
    const object *o = k->device;
    LLVMContextRef c = k->unit.llvm;
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("thunk", c);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0), i64 = LLVMInt64TypeInContext(c);
    unsigned count = (unsigned)k->num_values + 4, n = 4;
    LLVMTypeRef *types = TRI_NEW_ARRAY(k->unit.arena, LLVMTypeRef, count);
    LLVMValueRef *values = TRI_NEW_ARRAY(k->unit.arena, LLVMValueRef, count);
    types[0] = types[1] = pointer;
    types[2] = types[3] = i64;
    for (size_t i = 0; i < k->num_values; i++) {
        tri_object_ctype type;
        tri_kernel_param param = {.name = k->words[i].name, .type = k->words[i].type};
        if (tri_str_has_prefix(param.type, "tensordesc<")) {
            types[n++] = pointer;
            continue;
        }
        if (!tri_object_get_ctype(k->unit.target, &param, &type)) {
            LLVMDisposeModule(module);
            fail_object(k, "cannot pass an argument of type", param.type);
            return NULL;
        }
        bool is_float = type.kind == TRI_CTYPE_F32 || type.kind == TRI_CTYPE_F16 || type.kind == TRI_CTYPE_BF16;
        types[n++] = is_float                        ? LLVMFloatTypeInContext(c)
                     : type.kind == TRI_CTYPE_F64 ? LLVMDoubleTypeInContext(c)
                     : type.kind == TRI_CTYPE_PTR ? pointer
                                                  : LLVMIntTypeInContext(c, type.bits);
    }
    LLVMTypeRef launcher_type = LLVMFunctionType(LLVMInt32TypeInContext(c), types + 1, count - 1, false);
    LLVMValueRef launcher = LLVMAddFunction(module, o->name, launcher_type);
    LLVMValueRef thunk =
        LLVMAddFunction(module, thunk_name, LLVMFunctionType(LLVMVoidTypeInContext(c), types, count, false));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, thunk, "entry"));
    LLVMGetParams(thunk, values);
    LLVMBuildStore(b, LLVMBuildCall2(b, launcher_type, launcher, values + 1, count - 1, ""), values[0]);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return module;
}

/* Launchers take halves as floats. */
static bool widen_halves(tri_run_kernel *k)
{
    for (size_t n = 0; n < k->num_values; n++) {
        tri_str type = k->words[n].type;
        if ((tri_str_is(type, "fp16") || tri_str_is(type, "bf16")) &&
            !tri_argument_value(k->words[n].argument, TRI_STR("fp32"), &k->values[n]))
            return false;
    }
    return true;
}

static bool open_object(tri_run_kernel *k, tri_argument_list *arguments)
{
    object *o = k->device;
    if (!widen_halves(k))
        return false;
    if (o->is_cuda && !tri_run_device_upload(k, &tri_run_cuda_memory, o->cuda, arguments, &o->copies))
        return false;
    if (!o->is_cuda)
        o->fences = tri_run_fence_arrays(k);
    LLVMModuleRef module = make_thunk(k);
    if (!module)
        return false;
    o->args = TRI_NEW_ARRAY(k->unit.arena, uint64_t, k->num_values + 4);
    o->args[0] = (uint64_t)(uintptr_t)&o->result;
    o->args[2] = k->grid.x | (uint64_t)k->grid.y << 32;
    o->args[3] = k->grid.z;
    memcpy(o->args + 4, k->values, k->num_values * sizeof *k->values);
    const tri_jit_symbol symbols[] = {{o->name, symbol(o, k->unit.arena, "")}};
    k->jit = tri_jit_create(k->unit.diag, module, thunk_name, symbols, 1, tri_jit_oldest(1));
    tri_run_fence_watch(o->fences);
    return k->jit != NULL;
}

static bool launch_object(tri_run_kernel *k, double *out_seconds)
{
    object *o = k->device;
    if (o->is_cuda && !tri_cuda_start_clock(o->cuda))
        return false;
    tri_jit_entry(k->jit)(o->args);
    if (o->result) {
        const char *(*explain)(int);
        void *address = dlsym(o->library, "tri_strerror");
        memcpy(&explain, &address, sizeof address);
        return fail_object(k, "the kernel failed", tri_str_from(explain(o->result)));
    }
    return !o->is_cuda || tri_cuda_stop_clock(o->cuda, out_seconds);
}

static bool fetch_object(tri_run_kernel *k)
{
    object *o = k->device;
    tri_run_fence_fetch(o->fences);
    return !o->is_cuda || tri_run_device_fetch(&tri_run_cuda_memory, o->cuda, &o->copies);
}

static void close_object(tri_run_kernel *k)
{
    object *o = k->device;
    if (!o)
        return;
    tri_run_fence_destroy(o->fences);
    tri_cuda_destroy(o->cuda);
    if (o->library)
        dlclose(o->library);
}

const tri_run_backend tri_run_object = {
    .takes = TRI_KIND_OBJ,
    .choose = choose_object,
    .open = open_object,
    .launch = launch_object,
    .fetch = fetch_object,
    .close = close_object,
};
