/* tt.atomic_rmw and tt.atomic_cas. Each element is updated once, by the thread that owns it; other holders
 * get the old value through shared memory. */
#include "ir/type.h"
#include "targets/gpu/access.h"

enum { rmw_and = 1, rmw_or, rmw_xor, rmw_add, rmw_fadd, rmw_max, rmw_min, rmw_umax, rmw_umin, rmw_xchg };
enum { sem_relaxed = 1, sem_acquire, sem_release, sem_acq_rel };

/* ---- spelling ---- */

static const char *sem_and_scope(tri_gpu *g, MlirOperation op)
{
    static const char *const sems[] = {"", ".relaxed", ".acquire", ".release", ".acq_rel"};
    static const char *const scopes[] = {"", ".gpu", ".cta", ".sys"};
    return tri_str_format(g->arena, "%s%s%s", g->machine->global_suffix, sems[tri_op_int(op, "sem", sem_acq_rel)],
                          scopes[tri_op_int(op, "scope", 1)])
        .data;
}

/* "add.u32"; null when the machine has no such instruction. */
static const char *operation_text(tri_gpu *g, int kind, LLVMTypeRef type)
{
    unsigned bits = tri_gpu_bits(g, type);
    LLVMTypeKind k = LLVMGetTypeKind(type);
    if (kind == rmw_fadd) {
        if (k == LLVMHalfTypeKind)
            return "add.noftz.f16";
        if (k == LLVMBFloatTypeKind)
            return g->arch >= 90 ? "add.noftz.bf16" : NULL;
        return k == LLVMFloatTypeKind ? "add.f32" : "add.f64";
    }
    if (bits < 32)
        return NULL;
    static const char *const names32[] = {"",        "and.b32", "or.b32",  "xor.b32", "add.u32", "",
                                          "max.s32", "min.s32", "max.u32", "min.u32", "exch.b32"};
    static const char *const names64[] = {"",        "and.b64", "or.b64",  "xor.b64", "add.u64", "",
                                          "max.s64", "min.s64", "max.u64", "min.u64", "exch.b64"};
    return bits == 64 ? names64[kind] : names32[kind];
}

/* ---- LLVM's own atomics, for machines and types without an instruction of ours ---- */

static void fence(tri_gpu *g, MlirOperation op, bool is_before)
{
    int64_t sem = tri_op_int(op, "sem", sem_acq_rel);
    bool wanted = is_before ? sem == sem_release || sem == sem_acq_rel : sem == sem_acquire || sem == sem_acq_rel;
    if (!wanted)
        return;
    const char *scope = g->machine->scopes[tri_op_int(op, "scope", 1)];
    LLVMBuildFenceSyncScope(g->b, LLVMAtomicOrderingAcquireRelease, LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)), "");
}

static LLVMValueRef plain_rmw(tri_gpu *g, MlirOperation op, LLVMValueRef pointer, LLVMValueRef value)
{
    static const LLVMAtomicRMWBinOp ops[] = {
        LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpAnd,  LLVMAtomicRMWBinOpOr,  LLVMAtomicRMWBinOpXor,
        LLVMAtomicRMWBinOpAdd,  LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpMin,
        LLVMAtomicRMWBinOpUMax, LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpXchg};
    int kind = (int)tri_op_int(op, "atomic_rmw_op", rmw_xchg);
    const char *scope = g->machine->scopes[tri_op_int(op, "scope", 1)];
    fence(g, op, true);
    LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(g->b, ops[kind], pointer, value, LLVMAtomicOrderingMonotonic,
                                                   LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)));
    fence(g, op, false);
    return old;
}

static LLVMValueRef plain_cas(tri_gpu *g, MlirOperation op, LLVMValueRef pointer, LLVMValueRef compare, LLVMValueRef value)
{
    const char *scope = g->machine->scopes[tri_op_int(op, "scope", 1)];
    LLVMTypeRef type = LLVMTypeOf(value);
    fence(g, op, true);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchgSyncScope(
        g->b, pointer, tri_gpu_to_int(g, compare), tri_gpu_to_int(g, value), LLVMAtomicOrderingMonotonic,
        LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)));
    fence(g, op, false);
    return tri_gpu_from_int(g, LLVMBuildExtractValue(g->b, pair, 0, ""), type);
}

/* ---- one element ---- */

typedef struct {
    bool is_cas, has_users;
    LLVMValueRef compare, value;
} update;

static LLVMValueRef emit_asm(tri_gpu *g, MlirOperation op, const update *u, LLVMValueRef pointer, LLVMValueRef pred,
                             const char *operation)
{
    tri_machine_access access = {.pointer = pointer, .pred = pred, .words = 1, .modifiers = sem_and_scope(g, op)};
    LLVMTypeRef type = LLVMTypeOf(u->value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    /* registers of 32 and 64-bit floats may be named as such; everything else goes as bits */
    bool as_float = operation && !strncmp(operation, "add", 3) &&
                    (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
    LLVMValueRef values[2];
    int n = 0;
    if (u->is_cas)
        values[n++] = tri_gpu_to_int(g, u->compare);
    values[n++] = as_float ? u->value : tri_gpu_to_int(g, u->value);
    int64_t sem = tri_op_int(op, "sem", sem_acq_rel);
    bool may_drop = !u->is_cas && !u->has_users && (sem == sem_relaxed || sem == sem_release) &&
                    strncmp(operation, "exch", 4) != 0;
    tri_machine_id id = u->is_cas ? TRI_MACHINE_atomic_cas
                        : may_drop ? TRI_MACHINE_atomic_rmw_none
                                   : TRI_MACHINE_atomic_rmw;
    LLVMValueRef old = tri_machine_atomic(g, id, &access, operation ? operation : "", values, n);
    if (!old)
        return LLVMGetPoison(type);
    return as_float ? old : tri_gpu_from_int(g, old, type);
}

static LLVMValueRef emit(tri_gpu *g, MlirOperation op, const update *u, LLVMValueRef pointer, LLVMValueRef pred)
{
    LLVMTypeRef type = LLVMTypeOf(u->value);
    int kind = (int)tri_op_int(op, "atomic_rmw_op", rmw_xchg);
    bool has_asm = tri_machine_has(g, TRI_MACHINE_atomic_rmw);
    const char *operation = u->is_cas || !has_asm ? NULL : operation_text(g, kind, type);
    if (has_asm && (operation || u->is_cas))
        return emit_asm(g, op, u, pointer, pred, operation);
    tri_gpu_if state = {0};
    if (pred)
        state = tri_gpu_begin_if(g, pred);
    LLVMValueRef old = u->is_cas ? plain_cas(g, op, pointer, u->compare, u->value) : plain_rmw(g, op, pointer, u->value);
    if (!pred)
        return old;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    tri_gpu_end_if(g, state);
    LLVMValueRef phi = LLVMBuildPhi(g->b, type, ""), none = LLVMGetPoison(type);
    LLVMAddIncoming(phi, &old, &from, 1);
    LLVMAddIncoming(phi, &none, &state.before, 1);
    return phi;
}

/* ---- old values for every holder ---- */

/* Byte offset of register r of a tensor in row-major order with the last dimension fastest. */
static LLVMValueRef element_pointer(tri_gpu *g, const tri_linear *flat, int reg, LLVMValueRef base, int bytes)
{
    int bits = tri_linear_out_bits(flat, TRI_DIM_OFFSET);
    uint64_t constant = tri_linear_apply_one(flat, TRI_DIM_REGISTER, (uint64_t)reg);
    LLVMValueRef element = tri_gpu_apply_thread(g, flat, 0, bits);
    element = LLVMBuildXor(g->b, element, tri_gpu_i32(g, (int64_t)constant), "");
    return tri_gpu_offset(g, base, LLVMBuildMul(g->b, element, tri_gpu_i32(g, bytes), ""));
}

static bool broadcast(tri_gpu *g, MlirOperation op, tri_gpu_layout *layout, LLVMValueRef owner, tri_gpu_value *values)
{
    int64_t offset = tri_gpu_scratch_offset(op);
    if (offset < 0)
        return tri_gpu_unsupported(g, op, "no shared memory was allocated for it; run allocate-shared-memory first");
    LLVMTypeRef type = LLVMTypeOf(values->at[0]);
    int bytes = tri_gpu_plan_packing(g, type, 1).element_bits / 8;
    LLVMValueRef base = tri_gpu_shared_at(g, offset);
    tri_linear flat = {0};
    if (layout)
        flat = tri_linear_flatten_outs(&layout->linear, TRI_DIM_OFFSET);
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            tri_gpu_barrier(g, TRI_SYNC_CTA);
        for (int r = 0; r < values->count; r++) {
            if (layout && ((uint64_t)r & layout->replicas.reg))
                continue;
            LLVMValueRef pointer = layout ? element_pointer(g, &flat, r, base, bytes) : base;
            if (pass)
                tri_gpu_shared_load(g, pointer, type, 1, &values->at[r]);
            else
                tri_gpu_shared_store(g, pointer, &values->at[r], 1, owner);
        }
    }
    return true;
}

static bool run_atomic(tri_gpu *g, MlirOperation op, bool is_cas)
{
    MlirValue pointer = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
    bool is_tensor = tri_type_is_tensor(mlirValueGetType(pointer));
    tri_gpu_layout *layout = is_tensor ? tri_gpu_layout_of(g, op, mlirValueGetType(pointer)) : NULL;
    if (is_tensor && !layout)
        return false;
    bool has_users = !mlirOpOperandIsNull(mlirValueGetFirstUse(result));
    tri_gpu_value pointers = tri_gpu_get(g, pointer), values = tri_gpu_operand(g, op, is_cas ? 2 : 1), masks = {0};
    tri_gpu_value compares = is_cas ? tri_gpu_operand(g, op, 1) : values;
    if (!is_cas && mlirOperationGetNumOperands(op) > 2)
        masks = tri_gpu_operand(g, op, 2);
    LLVMTypeRef type = LLVMTypeOf(values.at[0]);
    if (tri_gpu_bits(g, type) < 16 || (is_cas && tri_gpu_bits(g, type) < 16))
        return tri_gpu_unsupported(g, op, "atomics on 8-bit values do not exist");
    LLVMValueRef owner = layout ? tri_gpu_owner(g, &layout->replicas) : tri_gpu_first_thread(g);
    tri_gpu_value out = tri_gpu_new(g, values.count);
    for (int r = 0; r < values.count; r++) {
        if (layout && ((uint64_t)r & layout->replicas.reg))
            continue;
        update u = {is_cas, has_users, compares.at[r], values.at[r]};
        LLVMValueRef pred = tri_gpu_and(g, owner, masks.count ? masks.at[r] : NULL);
        out.at[r] = emit(g, op, &u, pointers.at[r], pred);
    }
    if (has_users && owner && !broadcast(g, op, layout, owner, &out))
        return false;
    for (int r = 0; layout && r < out.count; r++)
        if ((uint64_t)r & layout->replicas.reg)
            out.at[r] = out.at[(uint64_t)r & ~layout->replicas.reg];
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_rmw(tri_gpu *g, MlirOperation op) { return run_atomic(g, op, false); }
static bool run_cas(tri_gpu *g, MlirOperation op) { return run_atomic(g, op, true); }

const tri_gpu_op tri_gpu_ops_atomic[] = {
    {"tt.atomic_rmw", run_rmw, NULL},
    {"tt.atomic_cas", run_cas, NULL},
    {0},
};
