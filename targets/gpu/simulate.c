#include "targets/gpu/simulate.h"

#include "ir/location.h"
#include "targets/gpu/access.h"
#include "targets/gpu/words.h"

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

static uint32_t new_site(tri_gpu *g, int id)
{
    tri_unit *unit = g->unit;
    tri_site site = {TRI_NO_SPAN, tri_machine_name(g->machine, id)};
    if (!mlirOperationIsNull(g->op))
        site.span = span_of(unit->diag, g->op);
    tri_vec_push(unit->arena, &unit->sites, site);
    return (uint32_t)unit->sites.len - 1;
}

static void emit_simulate(tri_gpu *g, int id, LLVMValueRef *args, int num_args)
{
    TRI_ASSERT(num_args <= max_words);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(g->llvm, 0);
    LLVMTypeRef types[] = {g->i32, g->i32, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->llvm), types, 4, false);
    LLVMValueRef callee = LLVMGetNamedFunction(g->module, "tri_sim_primitive");
    if (!callee)
        callee = LLVMAddFunction(g->module, "tri_sim_primitive", type);
    for (int i = 0; i < num_args; i++) {
        LLVMValueRef place = slot(g, i);
        LLVMBuildStore(g->b, widen(g, args[i]), place);
    }
    LLVMValueRef operands[] = {tri_gpu_i32(g, new_site(g, id)), tri_gpu_i32(g, id), slot(g, 0), slot(g, max_words)};
    LLVMBuildCall2(g->b, type, callee, operands, 4, "");
}

static LLVMValueRef result(tri_gpu *g, int i, LLVMTypeRef type)
{
    return narrow(g, LLVMBuildLoad2(g->b, g->i64, slot(g, max_words + i), ""), type);
}

LLVMValueRef tri_simulate_call(tri_gpu *g, int id, LLVMTypeRef type, LLVMValueRef *args, int num_args)
{
    emit_simulate(g, id, args, num_args);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        return NULL;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return result(g, 0, type);
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        all = LLVMBuildInsertValue(g->b, all, result(g, (int)i, LLVMStructGetTypeAtIndex(type, i)), i, "");
    return all;
}

void tri_simulate_many(tri_gpu *g, int id, LLVMValueRef *args, int num_args, LLVMValueRef *results, int num_results)
{
    emit_simulate(g, id, args, num_args);
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

static bool is_shared(LLVMValueRef pointer) { return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 3; }

void tri_simulate_load(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *other, LLVMValueRef *out_words)
{
    LLVMValueRef args[max_words];
    int n = access_args(g, access, args);
    bool is_global = !is_shared(access->pointer);
    if (is_global && (access->is_volatile || access->sem))
        args[2] = tri_gpu_i32(g, access->words | TRI_SIM_STRONG);
    for (int i = 0; i < access->words; i++)
        args[n++] = other && access->pred ? other[i] : LLVMConstNull(access->word);
    emit_simulate(g, is_shared(access->pointer) ? TRI_MACHINE_load_shared : TRI_MACHINE_load_global, args, n);
    for (int i = 0; i < access->words; i++)
        out_words[i] = result(g, i, access->word);
}

void tri_simulate_store(tri_gpu *g, const tri_machine_access *access, LLVMValueRef *words)
{
    LLVMValueRef args[max_words];
    int n = access_args(g, access, args);
    for (int i = 0; i < access->words; i++)
        args[n++] = words[i];
    emit_simulate(g, is_shared(access->pointer) ? TRI_MACHINE_store_shared : TRI_MACHINE_store_global, args, n);
}

/* What the simulator calls an update: "add.u32", "max.s64", "add.bf16x2"; its type is that of a word. */
static const char *update_text(tri_gpu *g, const tri_machine_update *u, const tri_gpu_packing *packing)
{
    static const char *const names[] = {"", "and", "or", "xor", "add", "add", "max", "min", "max", "min", "exch"};
    static const char letters[] = " bbbufssuub";
    if (u->is_cas)
        return "";
    LLVMTypeRef type = LLVMTypeOf(u->value[0]);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool is_extreme = u->kind == TRI_RMW_MAX || u->kind == TRI_RMW_MIN;
    bool is_bfloat = (u->kind == TRI_RMW_FADD && kind == LLVMIntegerTypeKind) ||
                     ((u->kind == TRI_RMW_FADD || is_extreme) && kind == LLVMBFloatTypeKind);
    char letter = is_bfloat || (is_extreme && kind == LLVMHalfTypeKind) ? 'f' : letters[u->kind];
    return tri_str_format(g->arena, "%s.%s%c%u%s", names[u->kind], is_bfloat ? "b" : "", letter,
                          tri_gpu_bits(g, type), packing->per_word > 1 ? "x2" : "")
        .data;
}

/* address, bits of a word, predicate, operation, words, then the values */
void tri_simulate_update(tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out_old)
{
    LLVMValueRef args[max_words], words[max_words];
    tri_gpu_packing packing = tri_gpu_plan_packing(g, LLVMTypeOf(u->value[0]), u->vec);
    args[0] = u->pointer;
    args[1] = tri_gpu_i32(g, tri_gpu_bits(g, packing.word));
    args[2] = u->pred ? u->pred : LLVMConstInt(g->i1, 1, false);
    args[3] = LLVMBuildGlobalStringPtr(g->b, update_text(g, u, &packing), "operation");
    args[4] = tri_gpu_i32(g, packing.words | (u->sem == TRI_SEM_RELAXED ? TRI_SIM_RELAXED : 0));
    int n = 5;
    if (u->is_cas)
        tri_gpu_pack(g, &packing, u->compare, args + n);
    n += u->is_cas ? packing.words : 0;
    tri_gpu_pack(g, &packing, u->value, args + n);
    emit_simulate(g, u->is_cas ? TRI_MACHINE_atomic_cas : TRI_MACHINE_atomic_rmw, args, n + packing.words);
    for (int i = 0; i < packing.words; i++)
        words[i] = result(g, i, packing.word);
    tri_gpu_unpack(g, &packing, words, out_old);
}
