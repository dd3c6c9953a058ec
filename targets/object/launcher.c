/* The functions of one kernel in an object: the launchers with its C prototype, and those that ask and load. */
#include "targets/object/writer.h"

#include "ir/llvm.h"
#include "ir/options.h"
#include "llvm-c/Core.h"

static LLVMValueRef number(LLVMTypeRef type, uint64_t value) { return LLVMConstInt(type, value, false); }

/* A call of the runtime. */
static LLVMValueRef call(tri_writer *w, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef params[5];
    TRI_ASSERT(count <= 5);
    for (unsigned i = 0; i < count; i++)
        params[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, params, count, false);
    return LLVMBuildCall2(w->b, type, tri_writer_runtime_function(w, name, type), args, count, "");
}

void tri_writer_any_processor(tri_writer *w, LLVMValueRef fn)
{
    if (!tri_str_has_prefix(tri_str_from(LLVMGetTarget(w->module)), "x86_64"))
        return;
    tri_llvm_set_attribute(fn, "target-cpu", "x86-64");
    tri_llvm_set_attribute(fn, "target-features", "");
}

static LLVMValueRef begin_function(tri_writer *w, tri_str name, LLVMTypeRef *params, unsigned count, LLVMTypeRef result)
{
    LLVMValueRef fn = LLVMAddFunction(w->module, name.data, LLVMFunctionType(result, params, count, false));
    tri_llvm_add_attribute(fn, "nounwind");
    tri_writer_any_processor(w, fn);
    LLVMPositionBuilderAtEnd(w->b, LLVMAppendBasicBlockInContext(w->llvm, fn, "entry"));
    return fn;
}

static tri_str name_with(tri_writer *w, const tri_object_kernel *k, const char *suffix)
{
    return tri_str_format(w->arena, "%.*s%s", TRI_STR_ARG(k->name), suffix);
}

/* ---- arguments ---- */

static LLVMTypeRef type_of(tri_writer *w, const tri_object_ctype *type, bool is_stored)
{
    switch (type->kind) {
    case TRI_CTYPE_PTR:
    case TRI_CTYPE_DESC:
        return w->ptr;
    case TRI_CTYPE_F32:
        return w->f32;
    case TRI_CTYPE_F64:
        return w->f64;
    case TRI_CTYPE_F16:
    case TRI_CTYPE_BF16:
        return is_stored ? w->i16 : w->f32;
    default:
        return LLVMIntTypeInContext(w->llvm, type->bits);
    }
}

static LLVMValueRef narrow(tri_writer *w, const tri_object_ctype *type, LLVMValueRef v)
{
    if (type->kind == TRI_CTYPE_F16)
        return call(w, "tri_rt_to_half", w->i16, &v, 1);
    if (type->kind == TRI_CTYPE_BF16)
        return call(w, "tri_rt_to_bfloat", w->i16, &v, 1);
    return v;
}

static void set_slot(tri_writer *w, LLVMValueRef array, unsigned slot, LLVMValueRef address)
{
    LLVMValueRef at = number(w->i64, slot);
    LLVMBuildStore(w->b, address, LLVMBuildGEP2(w->b, w->ptr, array, &at, 1, ""));
}

static LLVMValueRef desc_word(tri_writer *w, LLVMValueRef desc, unsigned word)
{
    LLVMValueRef at = number(w->i64, word);
    return LLVMBuildGEP2(w->b, w->i64, desc, &at, 1, "");
}

/* A flag of one byte, 0 or 1, in the slot. */
static void spill_flag(tri_writer *w, LLVMValueRef array, unsigned slot, LLVMValueRef is_on)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(w->llvm);
    LLVMValueRef place = LLVMBuildAlloca(w->b, i8, "");
    LLVMBuildStore(w->b, LLVMBuildZExt(w->b, is_on, i8, ""), place);
    set_slot(w, array, slot, place);
}

/* What follows the descriptor itself: all but the flags is read where it lies in tri_tensordesc. */
static void spill_desc(tri_writer *w, LLVMValueRef array, const tri_object_arg *arg, LLVMValueRef desc)
{
    enum { max_rank = 5, padding_word = 1 + 2 * max_rank };
    unsigned rank = (unsigned)arg->type.rank;
    LLVMValueRef padding = LLVMBuildLoad2(w->b, w->i32, desc_word(w, desc, padding_word), "");
    set_slot(w, array, arg->slot + TRI_DESC_BASE, desc_word(w, desc, 0));
    spill_flag(w, array, arg->slot + TRI_DESC_PADDING,
             LLVMBuildICmp(w->b, LLVMIntNE, padding, LLVMConstNull(w->i32), ""));
    spill_flag(w, array, arg->slot + TRI_DESC_ROUNDING, LLVMConstNull(LLVMInt1TypeInContext(w->llvm)));
    for (unsigned i = 0; i < 2 * rank; i++)
        set_slot(w, array, arg->slot + TRI_DESC_EXTENTS + i,
                 desc_word(w, desc, 1 + (i < rank ? i : max_rank + i - rank)));
}

/* Spills the arguments, `given` of fn from each parameter's number on; returns the array of their addresses. */
static LLVMValueRef spill(tri_writer *w, LLVMValueRef fn, const tri_object_args *args, const unsigned *given)
{
    LLVMValueRef array = LLVMBuildAlloca(w->b, LLVMArrayType2(w->ptr, args->slots + 1), "args");
    for (size_t i = 0; i < args->at.len; i++) {
        const tri_object_arg *arg = &args->at.at[i];
        LLVMValueRef slot = LLVMBuildAlloca(w->b, type_of(w, &arg->type, true), "");
        LLVMBuildStore(w->b, narrow(w, &arg->type, LLVMGetParam(fn, given[i])), slot);
        set_slot(w, array, arg->slot, slot);
        if (arg->type.kind == TRI_CTYPE_DESC)
            spill_desc(w, array, arg, LLVMGetParam(fn, given[i]));
    }
    return array;
}

/* The bytes behind each pointer, as k_checked has them after each. */
static LLVMValueRef spill_lengths(tri_writer *w, LLVMValueRef fn, const tri_object_args *args, const unsigned *given)
{
    LLVMValueRef array = LLVMBuildAlloca(w->b, LLVMArrayType2(w->i64, args->slots + 1), "lengths");
    for (size_t i = 0; i < args->at.len; i++) {
        bool is_ptr = args->at.at[i].type.kind == TRI_CTYPE_PTR;
        LLVMValueRef at = number(w->i64, args->at.at[i].slot);
        LLVMValueRef length = is_ptr ? LLVMGetParam(fn, given[i] + 1) : LLVMConstAllOnes(w->i64);
        LLVMBuildStore(w->b, length, LLVMBuildGEP2(w->b, w->i64, array, &at, 1, ""));
    }
    return array;
}

/* The grid is struct {uint32_t x, y, z} by value: two integer registers on x86-64 and on AArch64. */
static LLVMValueRef spill_grid(tri_writer *w, LLVMValueRef fn)
{
    LLVMValueRef grid = LLVMBuildAlloca(w->b, LLVMArrayType2(w->i32, 4), "grid"), at = number(w->i64, 1);
    LLVMSetAlignment(grid, 8);
    LLVMBuildStore(w->b, LLVMGetParam(fn, 1), grid);
    LLVMBuildStore(w->b, LLVMGetParam(fn, 2), LLVMBuildGEP2(w->b, w->i64, grid, &at, 1, ""));
    return grid;
}

/* int k(stream, grid, arguments), k_run(stream, arguments), or k_checked(stream, grid, arguments) where the bytes
 * behind it follow each pointer; k_tune is as k_run, where there is that, else as k. */
static void make_launcher(tri_writer *w, const tri_object_kernel *k, const tri_object_args *args, LLVMValueRef record,
                          const char *suffix)
{
    bool has_lengths = !strcmp(suffix, "_checked"), has_grid = tri_object_takes_grid(k, suffix);
    bool is_tuned = !strcmp(suffix, "_tune");
    LLVMTypeRef *params = TRI_NEW_ARRAY(w->arena, LLVMTypeRef, 2 * args->at.len + 3);
    unsigned *given = TRI_NEW_ARRAY(w->arena, unsigned, args->at.len + 1), n = has_grid ? 3 : 1;
    params[0] = w->ptr;
    params[1] = params[2] = w->i64;
    for (size_t i = 0; i < args->at.len; i++) {
        given[i] = n;
        params[n++] = type_of(w, &args->at.at[i].type, false);
        if (has_lengths && args->at.at[i].type.kind == TRI_CTYPE_PTR)
            params[n++] = w->i64;
    }
    LLVMValueRef fn = begin_function(w, name_with(w, k, suffix), params, n, w->i32);
    LLVMValueRef grid = has_grid ? spill_grid(w, fn) : LLVMConstNull(w->ptr), array = spill(w, fn, args, given);
    LLVMValueRef lengths = has_lengths ? spill_lengths(w, fn, args, given) : LLVMConstNull(w->ptr);
    LLVMValueRef values[5] = {record, LLVMGetParam(fn, 0), grid, array, lengths};
    LLVMBuildRet(w->b,
                 is_tuned ? call(w, "tri_rt_tune", w->i32, values, 4) : call(w, "tri_rt_launch", w->i32, values, 5));
}

/* ---- the other functions ---- */

static void make_variants(tri_writer *w, const tri_object_kernel *k)
{
    LLVMTypeRef params[1] = {w->ptr};
    size_t count;
    LLVMValueRef table = tri_writer_variants(w, k, &count);
    LLVMValueRef fn = begin_function(w, name_with(w, k, "_variants"), params, 1, w->ptr);
    LLVMBuildStore(w->b, number(w->i32, count), LLVMGetParam(fn, 0));
    LLVMBuildRet(w->b, table);
}

/* int k_<verb>(int device) by the runtime's function. */
static void make_device_function(tri_writer *w, const tri_object_kernel *k, LLVMValueRef record, const char *suffix,
                                 const char *runtime)
{
    LLVMTypeRef params[1] = {w->i32};
    LLVMValueRef fn = begin_function(w, name_with(w, k, suffix), params, 1, w->i32);
    LLVMValueRef args[2] = {record, LLVMGetParam(fn, 0)};
    LLVMBuildRet(w->b, call(w, runtime, w->i32, args, 2));
}

bool tri_writer_functions(tri_writer *w, const tri_object_kernel *k)
{
    tri_object_args args;
    if (!tri_object_get_args(k->unit, k->general, &args))
        return false;
    LLVMValueRef record = tri_writer_kernel(w, k, &args);
    if (!record)
        return false;
    bool is_checked =
        k->unit->target->object_form == TRI_OBJECT_CODE && (w->bundle->options->sanitize & TRI_SANITIZE_BOUNDS);
    make_launcher(w, k, &args, record, "");
    if (k->general->grid.len)
        make_launcher(w, k, &args, record, "_run");
    if (is_checked)
        make_launcher(w, k, &args, record, "_checked");
    if (tri_object_count_configs(w->bundle, k->name) > 1)
        make_launcher(w, k, &args, record, "_tune");
    make_variants(w, k);
    make_device_function(w, k, record, "_selected", "tri_rt_selected");
    make_device_function(w, k, record, "_load", "tri_rt_load");
    make_device_function(w, k, record, "_unload", "tri_rt_unload");
    return true;
}
