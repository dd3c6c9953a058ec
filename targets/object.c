/* Objects: the runtime's bitcode, one wrapper per kernel with its C prototype, and the code. */
#include "targets/object.h"

#include "ir/context.h"
#include "ir/llvm.h"
#include "targets/cpu/host.h"
#include "targets/cpu/machine.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

/* runtime/launch, as bitcode; made by runtime/runtime.mk */
extern const char tri_launch_bitcode[], tri_launch_bitcode_end[];

typedef struct {
    tri_unit *unit;
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i16, i32, i64, f32, f64, ptr;
    size_t image_count;
    const tri_object_image *images;
    LLVMValueRef image_table; /* null: a CPU object */
    const tri_arch *archs[TRI_HOST_MAX_LIST]; /* of a CPU object */
    size_t arch_count;
} object;

/* ---- the runtime ---- */

static bool load_runtime(object *o, const char *triple, LLVMTargetMachineRef machine)
{
    size_t size = (size_t)(tri_launch_bitcode_end - tri_launch_bitcode);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(tri_launch_bitcode, size, "launch");
    bool failed = LLVMParseBitcodeInContext2(o->llvm, buffer, &o->module);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        tri_diag_error(o->unit->diag, TRI_NO_SPAN, 0, "the launcher's bitcode cannot be read");
        return false;
    }
    LLVMSetModuleIdentifier(o->module, "tritcc", 6);
    LLVMSetSourceFileName(o->module, "tritcc", 6);
    LLVMSetTarget(o->module, triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(o->module, layout);
    LLVMDisposeTargetData(layout);
    static const char *const host_only[] = {"target-cpu", "target-features", "tune-cpu"};
    for (LLVMValueRef f = LLVMGetFirstFunction(o->module); f; f = LLVMGetNextFunction(f)) {
        for (size_t i = 0; i < sizeof host_only / sizeof *host_only; i++)
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, host_only[i],
                                             (unsigned)strlen(host_only[i]));
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMExternalLinkage)
            continue;
        LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
        if (strcmp(LLVMGetValueName(f), "tri_strerror") != 0)
            LLVMSetVisibility(f, LLVMHiddenVisibility);
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(o->module); v; v = LLVMGetNextGlobal(v)) {
        if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) != LLVMExternalLinkage)
            continue;
        LLVMSetLinkage(v, LLVMLinkOnceODRLinkage);
        LLVMSetVisibility(v, LLVMHiddenVisibility);
    }
    return true;
}

/* ---- small things ---- */

static LLVMValueRef number(object *o, LLVMTypeRef type, uint64_t value)
{
    (void)o;
    return LLVMConstInt(type, value, false);
}

static LLVMValueRef constant(object *o, LLVMValueRef init, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(o->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef text(object *o, tri_str s)
{
    LLVMValueRef global = constant(o, LLVMConstStringInContext2(o->llvm, s.data, s.len, false), "text");
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

static LLVMValueRef call(object *o, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef fn = LLVMGetNamedFunction(o->module, name);
    TRI_ASSERT(fn);
    return LLVMBuildCall2(o->b, LLVMGlobalGetValueType(fn), fn, args, count, "");
}

static LLVMValueRef begin_function(object *o, const char *name, LLVMTypeRef *params, unsigned count,
                                   LLVMTypeRef result)
{
    LLVMValueRef fn = LLVMAddFunction(o->module, name, LLVMFunctionType(result, params, count, false));
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(o->llvm, kind, 0));
    LLVMPositionBuilderAtEnd(o->b, LLVMAppendBasicBlockInContext(o->llvm, fn, "entry"));
    return fn;
}

static const char *name_with(object *o, const tri_kernel *k, const char *suffix)
{
    return tri_str_format(o->unit->arena, "%.*s%s", TRI_STR_ARG(k->name), suffix).data;
}

/* ---- arguments ---- */

enum { max_args = 512 };

typedef struct {
    const tri_kernel_param *param;
    tri_object_ctype type;
    LLVMTypeRef passed, stored;
    unsigned slot; /* its place among the kernel's own arguments: a descriptor has several */
} argument;

static unsigned slots_of(const tri_object_ctype *type)
{
    return type->kind == TRI_CTYPE_DESC ? 1 + 2 * (unsigned)type->rank : 1;
}

static LLVMTypeRef type_of(object *o, const tri_object_ctype *type, bool is_stored)
{
    switch (type->kind) {
    case TRI_CTYPE_PTR:
    case TRI_CTYPE_DESC:
        return o->ptr;
    case TRI_CTYPE_F32:
        return o->f32;
    case TRI_CTYPE_F64:
        return o->f64;
    case TRI_CTYPE_F16:
    case TRI_CTYPE_BF16:
        return is_stored ? o->i16 : o->f32;
    default:
        return LLVMIntTypeInContext(o->llvm, type->bits);
    }
}

static bool collect(object *o, const tri_kernel *k, argument *out, unsigned *out_count, unsigned *out_slots)
{
    unsigned n = 0;
    *out_slots = 0;
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        if (p->is_constexpr)
            continue;
        argument a = {.param = p};
        if (n == max_args || !tri_object_get_ctype(o->unit->target, p, &a.type)) {
            tri_diag_error(o->unit->diag, TRI_NO_SPAN, 0,
                           "parameter '%.*s' of kernel '%.*s' has type '%.*s', which a C launcher cannot take",
                           TRI_STR_ARG(p->name), TRI_STR_ARG(k->name), TRI_STR_ARG(p->type));
            return false;
        }
        a.passed = type_of(o, &a.type, false);
        a.stored = type_of(o, &a.type, true);
        a.slot = *out_slots;
        *out_slots += slots_of(&a.type);
        out[n++] = a;
    }
    *out_count = n;
    return true;
}

/* Table of {argument, divisor, kind}; null when no parameter has a hint. */
static LLVMValueRef hint_table(object *o, const argument *args, unsigned count, unsigned *out_hints)
{
    LLVMValueRef *rows = TRI_NEW_ARRAY(o->unit->arena, LLVMValueRef, count ? count : 1);
    LLVMTypeRef fields[3] = {o->i32, o->i32, o->i32};
    LLVMTypeRef row_type = LLVMStructTypeInContext(o->llvm, fields, 3, false);
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        bool is_int = args[i].type.kind == TRI_CTYPE_INT, is_ptr = args[i].type.kind == TRI_CTYPE_PTR;
        if (args[i].param->divisibility <= 1 || !(is_int || is_ptr))
            continue;
        LLVMValueRef values[3] = {number(o, o->i32, args[i].slot), number(o, o->i32, (uint64_t)args[i].param->divisibility),
                                  number(o, o->i32, is_ptr ? 0 : args[i].type.bits)};
        rows[n++] = LLVMConstStructInContext(o->llvm, values, 3, false);
    }
    *out_hints = n;
    return n ? constant(o, LLVMConstArray2(row_type, rows, n), "hints") : NULL;
}

static LLVMValueRef narrow(object *o, const tri_object_ctype *type, LLVMValueRef v)
{
    if (type->kind == TRI_CTYPE_F16)
        return call(o, "tri_rt_to_half", &v, 1);
    if (type->kind == TRI_CTYPE_BF16)
        return call(o, "tri_rt_to_bfloat", &v, 1);
    return v;
}

static void set_slot(object *o, LLVMValueRef array, unsigned slot, LLVMValueRef address)
{
    LLVMValueRef at = number(o, o->i64, slot);
    LLVMBuildStore(o->b, address, LLVMBuildGEP2(o->b, o->ptr, array, &at, 1, ""));
}

/* Extents and strides follow the descriptor itself; they are read where they lie in tri_tensordesc. */
static void spill_desc(object *o, LLVMValueRef array, const argument *arg, LLVMValueRef desc)
{
    enum { max_rank = 5 };
    for (unsigned i = 0; i < 2 * (unsigned)arg->type.rank; i++) {
        bool is_stride = i >= (unsigned)arg->type.rank;
        unsigned word = 1 + (is_stride ? max_rank + i - (unsigned)arg->type.rank : i);
        LLVMValueRef at = number(o, o->i64, word);
        set_slot(o, array, arg->slot + 1 + i, LLVMBuildGEP2(o->b, o->i64, desc, &at, 1, ""));
    }
}

/* Spills the arguments, `given` of fn from each parameter's number on; returns the array of their addresses,
 * with one more entry for scratch. */
static LLVMValueRef spill(object *o, LLVMValueRef fn, const argument *args, unsigned count, const unsigned *given,
                          unsigned slots)
{
    LLVMValueRef array = LLVMBuildAlloca(o->b, LLVMArrayType2(o->ptr, slots + 1), "args");
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef slot = LLVMBuildAlloca(o->b, args[i].stored, "");
        LLVMBuildStore(o->b, narrow(o, &args[i].type, LLVMGetParam(fn, given[i])), slot);
        set_slot(o, array, args[i].slot, slot);
        if (args[i].type.kind == TRI_CTYPE_DESC)
            spill_desc(o, array, &args[i], LLVMGetParam(fn, given[i]));
    }
    return array;
}

/* The bytes behind each pointer, as k_checked has them after each. */
static LLVMValueRef spill_lengths(object *o, LLVMValueRef fn, const argument *args, unsigned count,
                                  const unsigned *given, unsigned slots)
{
    LLVMValueRef array = LLVMBuildAlloca(o->b, LLVMArrayType2(o->i64, slots + 1), "lengths");
    for (unsigned i = 0; i < count; i++) {
        bool is_ptr = args[i].type.kind == TRI_CTYPE_PTR;
        LLVMValueRef at = number(o, o->i64, args[i].slot);
        LLVMValueRef length = is_ptr ? LLVMGetParam(fn, given[i] + 1) : LLVMConstAllOnes(o->i64);
        LLVMBuildStore(o->b, length, LLVMBuildGEP2(o->b, o->i64, array, &at, 1, ""));
    }
    return array;
}

static void check_hints(object *o, LLVMValueRef fn, LLVMValueRef array, LLVMValueRef table, unsigned count)
{
    LLVMValueRef call_args[3] = {array, table, number(o, o->i32, count)};
    LLVMValueRef bad = call(o, "tri_rt_check_hints", call_args, 3);
    LLVMBasicBlockRef fail = LLVMAppendBasicBlockInContext(o->llvm, fn, "bad");
    LLVMBasicBlockRef good = LLVMAppendBasicBlockInContext(o->llvm, fn, "good");
    LLVMBuildCondBr(o->b, LLVMBuildICmp(o->b, LLVMIntNE, bad, number(o, o->i32, 0), ""), fail, good);
    LLVMPositionBuilderAtEnd(o->b, fail);
    LLVMBuildRet(o->b, bad);
    LLVMPositionBuilderAtEnd(o->b, good);
}

/* ---- GPU tables ---- */

/* const tri_rt_image[]: {arch, data, size, is_ptx} */
static LLVMValueRef make_images(object *o)
{
    LLVMTypeRef fields[4] = {o->ptr, o->ptr, o->i64, o->i32};
    LLVMTypeRef type = LLVMStructTypeInContext(o->llvm, fields, 4, false);
    LLVMValueRef *rows = TRI_NEW_ARRAY(o->unit->arena, LLVMValueRef, o->image_count);
    for (size_t i = 0; i < o->image_count; i++) {
        const tri_object_image *image = &o->images[i];
        LLVMValueRef data =
            constant(o, LLVMConstStringInContext2(o->llvm, image->data.data, image->data.len, !image->is_ptx), "image");
        LLVMSetAlignment(data, 64);
        LLVMValueRef values[4] = {text(o, image->arch), data, number(o, o->i64, image->data.len),
                                  number(o, o->i32, image->is_ptx)};
        rows[i] = LLVMConstStructInContext(o->llvm, values, 4, false);
    }
    return constant(o, LLVMConstArray2(type, rows, o->image_count), "images");
}

/* tri_rt_kernel, as runtime/launch/launch.h lays it out. */
static LLVMValueRef make_record(object *o, const tri_kernel *k)
{
    enum { max_contexts = 64 };
    LLVMTypeRef entry_fields[5] = {o->ptr, o->ptr, o->ptr, o->i32, o->i32};
    LLVMTypeRef entry = LLVMStructTypeInContext(o->llvm, entry_fields, 5, false);
    LLVMTypeRef loaded = LLVMArrayType2(entry, max_contexts);
    LLVMValueRef values[12] = {text(o, k->symbol),
                               o->image_table,
                               number(o, o->i32, o->image_count),
                               number(o, o->i32, (uint64_t)k->num_warps),
                               number(o, o->i32, k->num_ctas > 0 ? (uint64_t)k->num_ctas : 1),
                               number(o, o->i32, (uint64_t)k->shared_bytes),
                               number(o, o->i64, (uint64_t)k->scratch_bytes),
                               number(o, o->i64, (uint64_t)k->scratch_alignment),
                               number(o, o->i32, k->launch_pdl),
                               number(o, o->i32, k->launch_cooperative),
                               LLVMConstNull(loaded),
                               number(o, o->i32, 0)};
    LLVMValueRef init = LLVMConstStructInContext(o->llvm, values, 12, false);
    LLVMValueRef global = LLVMAddGlobal(o->module, LLVMTypeOf(init), "kernel");
    LLVMSetInitializer(global, init);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

/* ---- functions of one kernel ---- */

static LLVMValueRef launch_cpu(object *o, const tri_kernel *k, LLVMValueRef array, LLVMValueRef grid,
                               LLVMValueRef lengths)
{
    LLVMTypeRef params[5] = {o->ptr, o->i64, o->i64, o->ptr, o->ptr};
    LLVMTypeRef range = LLVMFunctionType(LLVMVoidTypeInContext(o->llvm), params, 5, false);
    tri_str symbol = tri_str_format(o->unit->arena, "tri_run_%.*s", TRI_STR_ARG(k->symbol));
    LLVMValueRef run = LLVMGetNamedFunction(o->module, symbol.data);
    if (!run)
        run = LLVMAddFunction(o->module, symbol.data, range);
    LLVMSetVisibility(run, LLVMHiddenVisibility);
    LLVMValueRef values[4] = {run, array, grid, lengths};
    return call(o, lengths ? "tri_rt_cpu_launch_checked" : "tri_rt_cpu_launch", values, lengths ? 4 : 3);
}

/* int k(stream, grid, arguments), or k_checked where the bytes behind it follow each pointer. */
static bool make_launcher(object *o, const tri_kernel *k, LLVMValueRef record, bool has_lengths)
{
    argument *args = TRI_NEW_ARRAY(o->unit->arena, argument, max_args);
    LLVMTypeRef params[2 * max_args + 3] = {o->ptr, o->i64, o->i64};
    unsigned count, slots, hints, n = 3, given[max_args];
    if (!collect(o, k, args, &count, &slots))
        return false;
    /* struct {uint32_t x, y, z} by value: two integer registers on x86-64 and on AArch64 */
    for (unsigned i = 0; i < count; i++) {
        given[i] = n;
        params[n++] = args[i].passed;
        if (has_lengths && args[i].type.kind == TRI_CTYPE_PTR)
            params[n++] = o->i64;
    }
    LLVMValueRef fn = begin_function(o, name_with(o, k, has_lengths ? "_checked" : ""), params, n, o->i32);
    LLVMTypeRef grid_type = LLVMArrayType2(o->i32, 4);
    LLVMValueRef grid = LLVMBuildAlloca(o->b, grid_type, "grid"), at = number(o, o->i64, 1);
    LLVMSetAlignment(grid, 8);
    LLVMBuildStore(o->b, LLVMGetParam(fn, 1), grid);
    LLVMBuildStore(o->b, LLVMGetParam(fn, 2), LLVMBuildGEP2(o->b, o->i64, grid, &at, 1, ""));
    LLVMValueRef array = spill(o, fn, args, count, given, slots);
    LLVMValueRef lengths = has_lengths ? spill_lengths(o, fn, args, count, given, slots) : NULL;
    LLVMValueRef table = hint_table(o, args, count, &hints);
    if (table)
        check_hints(o, fn, array, table, hints);
    LLVMValueRef values[5] = {record, LLVMGetParam(fn, 0), grid, array, number(o, o->i32, slots)};
    LLVMBuildRet(o->b, record ? call(o, "tri_rt_cuda_launch", values, 5) : launch_cpu(o, k, array, grid, lengths));
    return true;
}

/* "x_ptr=*fp32:16, n=i32, BLOCK_SIZE=1024" */
static tri_str key_of(object *o, const tri_kernel *k)
{
    tri_buf key = {0};
    for (size_t i = 0; i < k->params.len; i++) {
        const tri_kernel_param *p = &k->params.at[i];
        tri_buf_format(&key, "%s%.*s=", i ? ", " : "", TRI_STR_ARG(p->name));
        tri_buf_add_str(&key, p->is_constexpr ? p->value : p->type);
        if (p->divisibility > 1)
            tri_buf_format(&key, ":%d", p->divisibility);
    }
    tri_str copy = tri_str_copy(o->unit->arena, tri_buf_str(&key));
    tri_buf_fini(&key);
    return copy;
}

static void make_variants(object *o, const tri_kernel *k)
{
    LLVMTypeRef fields[6] = {o->ptr, o->ptr, o->ptr, o->i32, o->i32, o->i32};
    LLVMTypeRef type = LLVMStructTypeInContext(o->llvm, fields, 6, false);
    size_t count = o->image_table ? o->image_count : o->arch_count;
    LLVMValueRef *rows = TRI_NEW_ARRAY(o->unit->arena, LLVMValueRef, count);
    LLVMValueRef name = text(o, k->name), key = text(o, key_of(o, k));
    for (size_t i = 0; i < count; i++) {
        tri_str arch = o->image_table ? o->images[i].arch : tri_str_from(o->archs[i]->name);
        LLVMValueRef values[6] = {name,
                                  text(o, arch),
                                  key,
                                  number(o, o->i32, k->num_warps > 0 ? (uint64_t)k->num_warps : 1),
                                  number(o, o->i32, k->num_ctas > 0 ? (uint64_t)k->num_ctas : 1),
                                  number(o, o->i32, (uint64_t)k->shared_bytes)};
        rows[i] = LLVMConstStructInContext(o->llvm, values, 6, false);
    }
    LLVMValueRef table = constant(o, LLVMConstArray2(type, rows, count), "variants");
    LLVMTypeRef params[1] = {o->ptr};
    LLVMValueRef fn = begin_function(o, name_with(o, k, "_variants"), params, 1, o->ptr);
    LLVMBuildStore(o->b, number(o, o->i32, count), LLVMGetParam(fn, 0));
    LLVMBuildRet(o->b, table);
}

/* Which of several processors the code picks (targets/cpu/dispatch.c). */
static LLVMValueRef selected_host(object *o, const tri_kernel *k)
{
    LLVMTypeRef type = LLVMFunctionType(o->i32, NULL, 0, false);
    tri_str name = tri_str_format(o->unit->arena, "tri_selected_%.*s", TRI_STR_ARG(k->symbol));
    LLVMValueRef fn = LLVMAddFunction(o->module, name.data, type);
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    return LLVMBuildCall2(o->b, type, fn, NULL, 0, "");
}

/* int k_<verb>(int device) by the runtime's function, or a constant on CPUs (device 0 only). */
static void make_device_function(object *o, const tri_kernel *k, LLVMValueRef record, const char *suffix,
                                 const char *runtime, int if_missing)
{
    LLVMTypeRef params[1] = {o->i32};
    LLVMValueRef fn = begin_function(o, name_with(o, k, suffix), params, 1, o->i32), result;
    if (record) {
        LLVMValueRef args[2] = {record, LLVMGetParam(fn, 0)};
        result = call(o, runtime, args, 2);
    } else {
        bool picks = o->arch_count > 1 && if_missing < 0;
        LLVMValueRef is_host = LLVMBuildICmp(o->b, LLVMIntEQ, LLVMGetParam(fn, 0), number(o, o->i32, 0), "");
        result = LLVMBuildSelect(o->b, is_host, picks ? selected_host(o, k) : number(o, o->i32, 0),
                                 LLVMConstInt(o->i32, (uint64_t)(int64_t)if_missing, true), "");
    }
    LLVMBuildRet(o->b, result);
}

static bool make_kernels(object *o)
{
    enum { no_device = 3 /* TRI_ERROR_NO_DEVICE */ };
    for (size_t i = 0; i < o->unit->kernels.len; i++) {
        const tri_kernel *k = &o->unit->kernels.at[i];
        LLVMValueRef record = o->image_table ? make_record(o, k) : NULL;
        bool has_checks = !record && (o->unit->options->sanitize & TRI_SANITIZE_BOUNDS);
        if (!make_launcher(o, k, record, false) || (has_checks && !make_launcher(o, k, record, true)))
            return false;
        make_variants(o, k);
        make_device_function(o, k, record, "_selected", "tri_rt_cuda_selected", -1);
        make_device_function(o, k, record, "_load", "tri_rt_cuda_load", no_device);
        make_device_function(o, k, record, "_unload", "tri_rt_cuda_unload", no_device);
    }
    return true;
}

/* ---- the whole object ---- */

static void init(object *o, tri_unit *unit)
{
    if (!unit->llvm)
        unit->llvm = tri_context_create_llvm(unit->diag);
    LLVMContextRef c = unit->llvm;
    *o = (object){.unit = unit, .llvm = c};
    o->i8 = LLVMInt8TypeInContext(c);
    o->i16 = LLVMInt16TypeInContext(c);
    o->i32 = LLVMInt32TypeInContext(c);
    o->i64 = LLVMInt64TypeInContext(c);
    o->f32 = LLVMFloatTypeInContext(c);
    o->f64 = LLVMDoubleTypeInContext(c);
    o->ptr = LLVMPointerTypeInContext(c, 0);
    o->b = LLVMCreateBuilderInContext(c);
}

static void fini(object *o)
{
    LLVMDisposeBuilder(o->b);
    if (o->module)
        LLVMDisposeModule(o->module);
}

/* strerror must be in the object even if nothing here calls it. */
static void keep_strerror(object *o)
{
    LLVMValueRef fn = LLVMGetNamedFunction(o->module, "tri_strerror");
    LLVMSetLinkage(fn, LLVMWeakODRLinkage);
}

/* Runtime functions that the assembly calls have no use that LLVM sees. */
static void keep_called(object *o, tri_str assembly)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(o->module); f; f = LLVMGetNextFunction(f)) {
        tri_str name = tri_str_from(LLVMGetValueName(f));
        if (tri_str_has_prefix(name, "tri_cpu_rt_") && memmem(assembly.data, assembly.len, name.data, name.len))
            LLVMSetLinkage(f, LLVMWeakODRLinkage);
    }
}

/* -fopenmp makes the link fail without OpenMP, -fno-openmp forgets about it; either way this object keeps
 * its own launch function, as others may be compiled otherwise. */
static void choose_openmp(object *o)
{
    static const char *const names[] = {"GOMP_parallel", "omp_get_max_threads", "omp_in_parallel",
                                        "omp_get_thread_num", "omp_get_num_threads"};
    int openmp = o->unit->options->openmp;
    if (!openmp || o->image_table)
        return;
    LLVMSetLinkage(LLVMGetNamedFunction(o->module, "tri_rt_cpu_launch"), LLVMInternalLinkage);
    LLVMSetLinkage(LLVMGetNamedFunction(o->module, "tri_rt_cpu_launch_checked"), LLVMInternalLinkage);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef fn = LLVMGetNamedFunction(o->module, names[i]);
        TRI_ASSERT(fn);
        if (openmp > 0)
            LLVMSetLinkage(fn, LLVMExternalLinkage);
        else
            LLVMReplaceAllUsesWith(fn, LLVMConstNull(o->ptr));
    }
}

static bool finish(object *o, LLVMTargetMachineRef machine)
{
    tri_buf bytes = {0};
    tri_diag *diag = o->unit->diag;
    keep_strerror(o);
    choose_openmp(o);
    bool ok = make_kernels(o) && tri_llvm_verify(diag, o->module) &&
              tri_llvm_run_passes(diag, o->module, machine, "globaldce,function(sroa,early-cse,simplifycfg)") &&
              tri_llvm_emit(diag, o->module, machine, LLVMObjectFile, &bytes);
    if (!ok) {
        tri_buf_fini(&bytes);
        return false;
    }
    tri_unit_replace(o->unit, TRI_PAYLOAD_BYTES);
    o->unit->bytes = bytes;
    return true;
}

bool tri_object_from_asm(tri_unit *unit)
{
    object o;
    init(&o, unit);
    o.arch_count = tri_host_list(unit, o.archs, TRI_HOST_MAX_LIST);
    tri_cpu_start_assembler(unit->arch);
    LLVMTargetMachineRef machine = tri_cpu_create_launch_machine(unit);
    bool ok = machine && load_runtime(&o, tri_cpu_triple(unit->arch), machine);
    if (ok) {
        keep_called(&o, tri_buf_str(&unit->bytes));
        LLVMSetModuleInlineAsm2(o.module, unit->bytes.data, unit->bytes.len);
        ok = finish(&o, machine);
    }
    if (machine)
        LLVMDisposeTargetMachine(machine);
    fini(&o);
    return ok;
}

bool tri_object_from_images(tri_unit *unit, size_t count, const tri_object_image *images)
{
    object o;
    init(&o, unit);
    o.image_count = count;
    o.images = images;
    LLVMTargetMachineRef machine = tri_cpu_create_host_machine(unit->diag);
    bool ok = machine && load_runtime(&o, tri_cpu_triple(NULL), machine);
    if (ok) {
        o.image_table = make_images(&o);
        ok = finish(&o, machine);
    }
    if (machine)
        LLVMDisposeTargetMachine(machine);
    fini(&o);
    return ok;
}
