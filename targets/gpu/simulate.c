#include "targets/gpu/simulate.h"

#include "ir/location.h"
#include "runtime/ptx/ptx.h"

enum { max_words = 136, max_results = 128 };

/* Room for arguments and results, once per function: a call is over before the next one begins. */
static LLVMValueRef frame(tri_gpu *g)
{
    if (g->simulate_function == g->function)
        return g->simulate_frame;
    /* a builder of its own: the other one may stand in the middle of the entry block */
    LLVMBuilderRef b = LLVMCreateBuilderInContext(g->llvm);
    LLVMValueRef first = LLVMGetFirstInstruction(g->entry);
    if (first)
        LLVMPositionBuilderBefore(b, first);
    else
        LLVMPositionBuilderAtEnd(b, g->entry);
    g->simulate_frame = LLVMBuildAlloca(b, LLVMArrayType2(g->i64, max_words + max_results), "sim");
    g->simulate_function = g->function;
    LLVMDisposeBuilder(b);
    return g->simulate_frame;
}

static LLVMValueRef slot(tri_gpu *g, int i)
{
    return tri_gpu_offset_const(g, frame(g), (int64_t)i * 8);
}

/* Any scalar, or a short vector, as 64 bits. */
static LLVMValueRef widen(tri_gpu *g, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(g->b, value, g->i64, "");
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        value = LLVMBuildBitCast(g->b, value, g->i32, "");
    else
        value = tri_gpu_to_int(g, value);
    return LLVMTypeOf(value) == g->i64 ? value : LLVMBuildZExt(g->b, value, g->i64, "");
}

static LLVMValueRef narrow(tri_gpu *g, LLVMValueRef word, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(g->b, word, type, "");
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return LLVMBuildBitCast(g->b, LLVMBuildTrunc(g->b, word, g->i32, ""), type, "");
    LLVMTypeRef as_int = LLVMIntTypeInContext(g->llvm, tri_gpu_bits(g, type));
    LLVMValueRef bits = as_int == g->i64 ? word : LLVMBuildTrunc(g->b, word, as_int, "");
    return tri_gpu_from_int(g, bits, type);
}

/* The innermost place in the user's source: not in what the language itself is written in, "<triton.language...>". */
static tri_span span_of(tri_diag *diag, MlirOperation op)
{
    MlirLocation loc = mlirOperationGetLocation(op);
    for (tri_position p; !mlirLocationIsNull(loc); loc = tri_location_caller(loc))
        if (tri_location_position(loc, &p) && !tri_str_has_prefix(p.file, "<"))
            return tri_location_span(diag, loc);
    return tri_op_span(diag, op);
}

static uint32_t new_site(tri_gpu *g, tri_machine_id id)
{
    tri_unit *unit = g->unit;
    tri_site site = {TRI_NO_SPAN, tri_machine_name(id)};
    if (!mlirOperationIsNull(g->op))
        site.span = span_of(unit->diag, g->op);
    tri_vec_push(unit->arena, &unit->sites, site);
    return (uint32_t)unit->sites.len - 1;
}

static void emit(tri_gpu *g, tri_machine_id id, LLVMValueRef *args, int num_args)
{
    TRI_ASSERT(num_args <= max_words);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(g->llvm, 0);
    LLVMTypeRef types[] = {g->i32, g->i32, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->llvm), types, 4, false);
    LLVMValueRef callee = LLVMGetNamedFunction(g->module, "tri_sim_primitive");
    if (!callee)
        callee = LLVMAddFunction(g->module, "tri_sim_primitive", type);
    for (int i = 0; i < num_args; i++)
        LLVMBuildStore(g->b, widen(g, args[i]), slot(g, i));
    LLVMValueRef operands[] = {tri_gpu_i32(g, new_site(g, id)), tri_gpu_i32(g, id), slot(g, 0), slot(g, max_words)};
    LLVMBuildCall2(g->b, type, callee, operands, 4, "");
}

static LLVMValueRef result(tri_gpu *g, int i, LLVMTypeRef type)
{
    return narrow(g, LLVMBuildLoad2(g->b, g->i64, slot(g, max_words + i), ""), type);
}

LLVMValueRef tri_simulate_call(tri_gpu *g, tri_machine_id id, LLVMTypeRef type, LLVMValueRef *args, int num_args)
{
    emit(g, id, args, num_args);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        return NULL;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return result(g, 0, type);
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        all = LLVMBuildInsertValue(g->b, all, result(g, (int)i, LLVMStructGetTypeAtIndex(type, i)), i, "");
    return all;
}

void tri_simulate_many(tri_gpu *g, tri_machine_id id, LLVMValueRef *args, int num_args, LLVMValueRef *results, int num_results)
{
    emit(g, id, args, num_args);
    for (int i = 0; i < num_results; i++)
        results[i] = result(g, i, LLVMTypeOf(results[i]));
}

/* address, bits of a word, words, predicate */
static int access_args(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *args)
{
    args[0] = access->pointer;
    args[1] = tri_gpu_i32(g, tri_gpu_bits(g, access->word));
    args[2] = tri_gpu_i32(g, access->words);
    args[3] = access->pred ? access->pred : LLVMConstInt(g->i1, 1, false);
    return 4;
}

void tri_simulate_load(tri_gpu *g, tri_machine_id id, const tri_machine_access *access, LLVMValueRef *other,
                       LLVMValueRef *out_words)
{
    LLVMValueRef args[max_words];
    int n = access_args(g, access, args);
    for (int i = 0; i < access->words; i++)
        args[n++] = other && access->pred ? other[i] : LLVMConstNull(access->word);
    emit(g, id, args, n);
    for (int i = 0; i < access->words; i++)
        out_words[i] = result(g, i, access->word);
}

void tri_simulate_store(tri_gpu *g, tri_machine_id id, const tri_machine_access *access, LLVMValueRef *words)
{
    LLVMValueRef args[max_words];
    int n = access_args(g, access, args);
    for (int i = 0; i < access->words; i++)
        args[n++] = words[i];
    emit(g, id, args, n);
}

/* address, bits of a word, predicate, operation, words, then the values */
void tri_simulate_atomic(tri_gpu *g, tri_machine_id id, const tri_machine_access *access, const char *operation,
                         LLVMValueRef *values, int num_values, LLVMValueRef *out_words)
{
    LLVMValueRef args[max_words];
    args[0] = access->pointer;
    args[1] = tri_gpu_i32(g, tri_gpu_bits(g, access->word));
    args[2] = access->pred ? access->pred : LLVMConstInt(g->i1, 1, false);
    args[3] = LLVMBuildGlobalStringPtr(g->b, operation, "operation");
    args[4] = tri_gpu_i32(g, access->words);
    for (int i = 0; i < num_values * access->words; i++)
        args[5 + i] = values[i];
    emit(g, id, args, 5 + num_values * access->words);
    for (int i = 0; id != TRI_MACHINE_atomic_rmw_none && i < access->words; i++)
        out_words[i] = result(g, i, access->word);
}

bool tri_simulate_assembly(tri_gpu *g, MlirOperation op, tri_str text, tri_str constraints, LLVMValueRef *args, int num_args,
                           LLVMValueRef *results, int num_results)
{
    tri_ptx_error error;
    const tri_ptx_program *program = tri_ptx_parse(g->arena, text, constraints, g->arch, &error);
    if (!program)
        return tri_gpu_unsupported(g, op, "line %d of the assembly: %.*s", error.line, TRI_STR_ARG(error.text));
    if (tri_ptx_num_inputs(program) != num_args || tri_ptx_num_outputs(program) != num_results)
        return tri_gpu_unsupported(g, op, "the constraints name %d outputs and %d inputs, but there are %d and %d",
                                   tri_ptx_num_outputs(program), tri_ptx_num_inputs(program), num_results, num_args);
    LLVMValueRef all[max_words];
    tri_str both = tri_str_format(g->arena, "%.*s\n%.*s", TRI_STR_ARG(constraints), TRI_STR_ARG(text));
    all[0] = LLVMBuildGlobalStringPtr(g->b, both.data, "assembly");
    for (int i = 0; i < num_args; i++)
        all[1 + i] = args[i];
    tri_simulate_many(g, TRI_MACHINE_inline_asm, all, num_args + 1, results, num_results);
    return true;
}
