/* Kernels by name: a tritcc_kernel for each (include/tritcc/launch.h), and the section that the runtime walks. */
#include "targets/object/writer.h"

#include "llvm-c/Core.h"

static LLVMValueRef find_function(tri_writer *w, const tri_object_kernel *k, const char *suffix)
{
    return LLVMGetNamedFunction(w->module, tri_str_format(w->arena, "%.*s%s", TRI_STR_ARG(k->name), suffix).data);
}

static LLVMValueRef load(tri_writer *w, LLVMTypeRef type, LLVMValueRef base, LLVMTypeRef element, uint64_t index)
{
    LLVMValueRef at = LLVMConstInt(w->i64, index, false);
    return LLVMBuildLoad2(w->b, type, LLVMBuildGEP2(w->b, element, base, &at, 1, ""), "");
}

/* int (stream, grid, args) that calls a launcher with what args[i] point to; int (stream, args) for k_run. */
static LLVMValueRef make_thunk(tri_writer *w, const tri_object_kernel *k, const char *suffix)
{
    LLVMValueRef target = find_function(w, k, suffix);
    bool is_run = !strcmp(suffix, "_run"), has_grid = tri_object_takes_grid(k, suffix);
    LLVMTypeRef params[3] = {w->ptr, w->ptr, w->ptr}, type = target ? LLVMGlobalGetValueType(target) : NULL;
    if (!target)
        return NULL;
    LLVMValueRef fn = LLVMAddFunction(w->module, "tri.thunk", LLVMFunctionType(w->i32, params, is_run ? 2 : 3, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    tri_writer_any_processor(w, fn);
    LLVMPositionBuilderAtEnd(w->b, LLVMAppendBasicBlockInContext(w->llvm, fn, "entry"));
    unsigned count = LLVMCountParams(target), n = 0;
    LLVMTypeRef *types = TRI_NEW_ARRAY(w->arena, LLVMTypeRef, count);
    LLVMValueRef *values = TRI_NEW_ARRAY(w->arena, LLVMValueRef, count), args = LLVMGetParam(fn, is_run ? 1 : 2);
    LLVMGetParamTypes(type, types);
    values[n++] = LLVMGetParam(fn, 0);
    if (has_grid) {
        values[n++] = load(w, w->i64, LLVMGetParam(fn, 1), w->i32, 0);
        values[n++] = LLVMBuildZExt(w->b, load(w, w->i32, LLVMGetParam(fn, 1), w->i32, 2), w->i64, "");
    }
    for (uint64_t i = 0; n < count; i++, n++)
        values[n] = LLVMBuildLoad2(w->b, types[n], load(w, w->ptr, args, w->ptr, i), "");
    LLVMBuildRet(w->b, LLVMBuildCall2(w->b, type, target, values, count, ""));
    return fn;
}

static LLVMValueRef make_parameters(tri_writer *w, const tri_object_args *args)
{
    LLVMTypeRef fields[2] = {w->ptr, w->ptr};
    LLVMValueRef *rows = TRI_NEW_ARRAY(w->arena, LLVMValueRef, args->at.len + 1);
    for (size_t i = 0; i < args->at.len; i++) {
        LLVMValueRef values[2] = {tri_writer_text(w, args->at.at[i].name), tri_writer_text(w, args->at.at[i].spelled)};
        rows[i] = LLVMConstStructInContext(w->llvm, values, 2, false);
    }
    return tri_writer_array(w, LLVMStructTypeInContext(w->llvm, fields, 2, false), rows, args->at.len, "parameters");
}

/* A pointer to the description, in the section. */
static LLVMValueRef make_entry(tri_writer *w, const tri_object_kernel *k)
{
    tri_object_args args;
    tri_object_get_args(k->unit, k->general, &args);
    LLVMValueRef none = LLVMConstNull(w->ptr), parameters = make_parameters(w, &args), run = make_thunk(w, k, "_run"),
                 tune = make_thunk(w, k, "_tune");
    LLVMValueRef values[11] = {tri_writer_text(w, k->name),
                               LLVMConstInt(w->i32, TRI_RT_KERNEL_ABI, false),
                               LLVMConstInt(w->i32, args.at.len, false),
                               parameters ? parameters : none,
                               make_thunk(w, k, ""),
                               run ? run : none,
                               find_function(w, k, "_variants"),
                               find_function(w, k, "_selected"),
                               find_function(w, k, "_load"),
                               find_function(w, k, "_unload"),
                               tune ? tune : none};
    LLVMValueRef kernel = tri_writer_constant(w, LLVMConstStructInContext(w->llvm, values, 11, false), "description");
    LLVMValueRef entry = LLVMAddGlobal(w->module, w->ptr, "tri.entry");
    LLVMSetInitializer(entry, kernel);
    LLVMSetLinkage(entry, LLVMPrivateLinkage);
    LLVMSetSection(entry, "tritcc_kernels");
    return entry;
}

void tri_writer_register(tri_writer *w, const tri_object_kernels *kernels)
{
    LLVMValueRef *entries = TRI_NEW_ARRAY(w->arena, LLVMValueRef, kernels->len + 1);
    for (size_t i = 0; i < kernels->len; i++)
        entries[i] = make_entry(w, &kernels->at[i]);
    if (!kernels->len)
        return;
    /* nothing names the entries, and neither the optimiser nor the linker shall drop them */
    LLVMValueRef list = LLVMConstArray2(w->ptr, entries, kernels->len),
                 used = LLVMAddGlobal(w->module, LLVMTypeOf(list), "llvm.used");
    LLVMSetInitializer(used, list);
    LLVMSetLinkage(used, LLVMAppendingLinkage);
    LLVMSetSection(used, "llvm.metadata");
}
