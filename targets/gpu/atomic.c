/* tt.atomic_rmw and tt.atomic_cas. Each element is updated once, by the thread that owns it; other holders
 * get the old value through shared memory. */
#include "ir/type.h"
#include "targets/gpu/access.h"
#include "targets/gpu/atomic.h"
#include "targets/gpu/simulate.h"

enum { max_vec = 8 };

static bool is_half(LLVMTypeKind kind) { return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind; }

/* Bits that one update changes at most: sums of floats of up to 32 bits come in packs, the least and the greatest of
 * halves do where the machine has them. */
static int widest(tri_gpu *g, int kind, LLVMTypeRef type)
{
    int bits = (int)tri_gpu_bits(g, type);
    if ((kind == TRI_RMW_MAX || kind == TRI_RMW_MIN) && is_half(LLVMGetTypeKind(type)) &&
        g->unit->arch->has_half_reduction && g->machine->update)
        return 128;
    if (kind != TRI_RMW_FADD || bits > 32 || !g->machine->update)
        return bits;
    const tri_machine_facts *facts = g->unit->arch;
    LLVMTypeKind k = LLVMGetTypeKind(type);
    int most = k == LLVMHalfTypeKind ? facts->f16_add_bits
               : bits == 16          ? facts->bf16_add_bits /* whose values may be integers to LLVM */
                                     : facts->f32_add_bits;
    return most > bits ? most : bits;
}

/* ---- LLVM's own atomics, for machines and types without an instruction of ours ---- */

static void fence(tri_gpu *g, const tri_machine_update *u, bool is_before)
{
    if (g->machine->orders_updates)
        return;
    bool wanted = is_before ? u->sem == TRI_SEM_RELEASE || u->sem == TRI_SEM_ACQ_REL
                            : u->sem == TRI_SEM_ACQUIRE || u->sem == TRI_SEM_ACQ_REL;
    if (!wanted)
        return;
    const char *scope = g->machine->scopes[u->scope];
    LLVMBuildFenceSyncScope(g->b, LLVMAtomicOrderingAcquireRelease, LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)),
                            "");
}

static LLVMAtomicOrdering ordering_of(tri_gpu *g, const tri_machine_update *u)
{
    static const LLVMAtomicOrdering orderings[] = {LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic,
                                                   LLVMAtomicOrderingAcquire, LLVMAtomicOrderingRelease,
                                                   LLVMAtomicOrderingAcquireRelease};
    return g->machine->orders_updates ? orderings[u->sem] : LLVMAtomicOrderingMonotonic;
}

/* Several elements side by side as a vector, and back. */
static LLVMValueRef join_elements(tri_gpu *g, const LLVMValueRef *elements, int count)
{
    if (count == 1)
        return elements[0];
    LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(elements[0]), (unsigned)count));
    for (int e = 0; e < count; e++)
        vector = LLVMBuildInsertElement(g->b, vector, elements[e], tri_gpu_i32(g, e), "");
    return vector;
}

static void split_elements(tri_gpu *g, LLVMValueRef joined, int count, LLVMValueRef *out)
{
    for (int e = 0; e < count; e++)
        out[e] = count == 1 ? joined : LLVMBuildExtractElement(g->b, joined, tri_gpu_i32(g, e), "");
}

static LLVMValueRef plain_rmw(tri_gpu *g, const tri_machine_update *u)
{
    static const LLVMAtomicRMWBinOp ops[] = {
        LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpAnd,  LLVMAtomicRMWBinOpOr,  LLVMAtomicRMWBinOpXor,
        LLVMAtomicRMWBinOpAdd,  LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpMin,
        LLVMAtomicRMWBinOpUMax, LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpXchg};
    const char *scope = g->machine->scopes[u->scope];
    LLVMValueRef value = join_elements(g, u->value, u->vec);
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMAtomicRMWBinOp op = ops[u->kind];
    if (is_half(LLVMGetTypeKind(type)) && (u->kind == TRI_RMW_MAX || u->kind == TRI_RMW_MIN))
        op = u->kind == TRI_RMW_MAX ? LLVMAtomicRMWBinOpFMax : LLVMAtomicRMWBinOpFMin;
    fence(g, u, true);
    LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(g->b, op, u->pointer,
                                                   u->kind == TRI_RMW_XCHG ? tri_gpu_to_int(g, value) : value,
                                                   ordering_of(g, u),
                                                   LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)));
    if (g->machine->mark_update)
        g->machine->mark_update(g, old);
    fence(g, u, false);
    return tri_gpu_from_int(g, old, type);
}

static LLVMValueRef plain_cas(tri_gpu *g, const tri_machine_update *u)
{
    const char *scope = g->machine->scopes[u->scope];
    LLVMTypeRef type = LLVMTypeOf(u->value[0]);
    fence(g, u, true);
    LLVMAtomicOrdering ordering = ordering_of(g, u); /* a failed exchange releases nothing */
    bool acquires = ordering == LLVMAtomicOrderingAcquire || ordering == LLVMAtomicOrderingAcquireRelease;
    LLVMValueRef value = tri_gpu_to_int(g, u->value[0]), compare = tri_gpu_to_int(g, u->compare[0]);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchgSyncScope(
        g->b, u->pointer, compare, value, ordering,
        acquires ? LLVMAtomicOrderingAcquire : LLVMAtomicOrderingMonotonic,
        LLVMGetSyncScopeID(g->llvm, scope, strlen(scope)));
    fence(g, u, false);
    return tri_gpu_from_int(g, LLVMBuildExtractValue(g->b, pair, 0, ""), type);
}

/* ---- the elements of one instruction ---- */

void tri_gpu_update(tri_gpu *g, const tri_machine_update *u, LLVMValueRef *out)
{
    if (g->simulate) {
        tri_simulate_update(g, u, out);
        return;
    }
    if (g->machine->update && g->machine->update(g, u, out))
        return;
    tri_gpu_if state = {0};
    if (u->pred)
        state = tri_gpu_begin_if(g, u->pred);
    LLVMValueRef old = u->is_cas ? plain_cas(g, u) : plain_rmw(g, u), none = LLVMGetPoison(LLVMTypeOf(old));
    if (u->pred) {
        LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
        tri_gpu_end_if(g, state);
        LLVMValueRef phi = LLVMBuildPhi(g->b, LLVMTypeOf(old), "");
        LLVMAddIncoming(phi, &old, &from, 1);
        LLVMAddIncoming(phi, &none, &state.before, 1);
        old = phi;
    }
    split_elements(g, old, u->vec, out);
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
        if (pass) /* who has the old value sees what the update made visible */
            tri_gpu_barrier_global(g);
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

static void update_groups(tri_gpu *g, MlirOperation op, const tri_gpu_groups *groups, LLVMValueRef owner,
                          tri_machine_update u, tri_gpu_value *out)
{
    tri_gpu_value pointers = tri_gpu_operand(g, op, 0), values = tri_gpu_operand(g, op, u.is_cas ? 2 : 1), masks = {0};
    tri_gpu_value compares = tri_gpu_operand(g, op, 1);
    if (!u.is_cas && mlirOperationGetNumOperands(op) > 2)
        masks = tri_gpu_operand(g, op, 2);
    LLVMValueRef compare[max_vec], value[max_vec], old[max_vec];
    u.compare = compare;
    u.value = value;
    u.base = tri_gpu_access_base(g, mlirOperationGetOperand(op, 0));
    for (int a = 0; a < groups->count; a++) {
        const int *reg = groups->reg + a * groups->vec;
        for (int e = 0; e < groups->vec; e++) {
            compare[e] = compares.at[reg[e]];
            value[e] = values.at[reg[e]];
        }
        u.pointer = pointers.at[reg[0]];
        u.pred = tri_gpu_and(g, owner, masks.count ? masks.at[reg[0]] : NULL);
        tri_gpu_update(g, &u, old);
        for (int e = 0; e < groups->vec; e++)
            out->at[reg[e]] = old[e];
    }
}

/* The first block of a cluster does for all what each of them has: the others would have to hear what was there, and it
 * to wait for what they stored before. */
static bool check_cluster(tri_gpu *g, MlirOperation op, const tri_gpu_layout *layout, bool has_users)
{
    tri_op_list stores = {0};
    if (g->num_ctas == 1 || (layout && !(layout->replicas.block & ((uint64_t)g->num_ctas - 1))))
        return true;
    if (has_users)
        return tri_gpu_unsupported(g, op, "the blocks of a cluster do not hand the value on; use -num-ctas=1");
    int64_t sem = tri_op_int(op, "sem", TRI_SEM_ACQ_REL);
    tri_op_collect_named(g->func, "tt.store", g->arena, &stores);
    if (stores.len && (sem == TRI_SEM_RELEASE || sem == TRI_SEM_ACQ_REL))
        return tri_gpu_unsupported(g, op, "it would have to wait for what other blocks of the cluster store; use "
                                          "sem=\"relaxed\" or -num-ctas=1");
    return true;
}

static bool run_atomic(tri_gpu *g, MlirOperation op, bool is_cas)
{
    MlirValue pointer = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0), mask = {0};
    if (!is_cas && mlirOperationGetNumOperands(op) > 2)
        mask = mlirOperationGetOperand(op, 2);
    tri_gpu_value values = tri_gpu_operand(g, op, 1);
    LLVMTypeRef type = LLVMTypeOf(values.at[0]);
    int bits = (int)tri_gpu_bits(g, type);
    if (bits < 16)
        return tri_gpu_unsupported(g, op, "atomics on 8-bit values do not exist");
    tri_machine_update u = {.is_cas = is_cas, .has_users = !mlirOpOperandIsNull(mlirValueGetFirstUse(result))};
    u.kind = is_cas ? 0 : (int)tri_op_int(op, "atomic_rmw_op", TRI_RMW_XCHG);
    MlirType element = tri_type_element(mlirValueGetType(result));
    if (bits == 16 && tri_type_is_float(element) && (u.kind == TRI_RMW_MAX || u.kind == TRI_RMW_MIN) &&
        !g->unit->arch->has_half_reduction)
        return tri_gpu_unsupported(g, op, "the machine has no atomic minimum and maximum of 16-bit floats");
    u.sem = (int)tri_op_int(op, "sem", TRI_SEM_ACQ_REL);
    u.scope = (int)tri_op_int(op, "scope", 1);
    tri_gpu_groups groups;
    if (!tri_gpu_group_pointers(g, op, pointer, mask, bits, widest(g, u.kind, type), &groups))
        return false;
    u.vec = groups.vec;
    tri_gpu_layout *layout = groups.layout;
    if (!check_cluster(g, op, layout, u.has_users))
        return false;
    LLVMValueRef owner = tri_gpu_writer(g, layout);
    tri_gpu_value out = tri_gpu_new(g, values.count);
    update_groups(g, op, &groups, owner, u, &out);
    if (u.has_users && owner && !broadcast(g, op, layout, owner, &out))
        return false;
    tri_gpu_fill_copies(g, &groups, &out);
    tri_gpu_set(g, result, out);
    return true;
}

static bool run_rmw(tri_gpu *g, MlirOperation op) { return run_atomic(g, op, false); }
static bool run_cas(tri_gpu *g, MlirOperation op) { return run_atomic(g, op, true); }

LLVMValueRef tri_gpu_atomic_shared(tri_gpu *g, int kind, LLVMValueRef pointer, LLVMValueRef value, LLVMValueRef pred,
                                   bool has_users)
{
    LLVMValueRef old;
    tri_machine_update u = {.pointer = pointer,
                            .pred = pred,
                            .has_users = has_users,
                            .kind = kind,
                            .sem = TRI_SEM_RELAXED,
                            .scope = TRI_SCOPE_CTA,
                            .vec = 1,
                            .value = &value};
    tri_gpu_update(g, &u, &old);
    return old;
}

/* ---- tt.atomic_poll ---- */

static LLVMValueRef poll_load(tri_gpu *g, MlirOperation op, LLVMValueRef pointer, LLVMTypeRef type)
{
    tri_gpu_packing p = tri_gpu_plan_packing(g, type, 1);
    LLVMValueRef word;
    tri_machine_access access = {.pointer = pointer, .sem = (int)tri_op_int(op, "sem", TRI_SEM_ACQUIRE),
                                 .scope = (int)tri_op_int(op, "scope", TRI_SCOPE_GPU)};
    tri_gpu_load_words(g, &p, &access, NULL, &word);
    return word;
}

/* Loads until the value is there or the time is over; whether it is there. */
static LLVMValueRef poll(tri_gpu *g, MlirOperation op)
{
    LLVMValueRef pointer = tri_gpu_operand(g, op, 0).at[0], want = tri_gpu_operand(g, op, 1).at[0];
    bool has_end = mlirOperationGetNumOperands(op) > 2;
    LLVMValueRef begin = has_end ? tri_machine_call(g, TRI_MACHINE_clock_ns, NULL, 0) : NULL;
    LLVMBasicBlockRef loop = tri_gpu_block(g, "poll"), again = tri_gpu_block(g, "again"),
                      done = tri_gpu_block(g, "polled");
    LLVMBuildBr(g->b, loop);
    tri_gpu_at_end(g, loop);
    LLVMValueRef is_there = LLVMBuildICmp(g->b, LLVMIntEQ, poll_load(g, op, pointer, LLVMTypeOf(want)), want, "");
    LLVMBuildCondBr(g->b, is_there, done, again);
    tri_gpu_at_end(g, again);
    LLVMValueRef pause = tri_gpu_i32(g, 64);
    if (tri_machine_has(g, TRI_MACHINE_sleep))
        tri_machine_call(g, TRI_MACHINE_sleep, &pause, 1);
    if (!has_end) {
        LLVMBuildBr(g->b, loop);
        tri_gpu_at_end(g, done);
        return LLVMConstInt(g->i1, 1, false);
    }
    LLVMValueRef passed = LLVMBuildSub(g->b, tri_machine_call(g, TRI_MACHINE_clock_ns, NULL, 0), begin, "");
    LLVMValueRef is_over = LLVMBuildICmp(g->b, LLVMIntUGE, passed, tri_gpu_operand(g, op, 2).at[0], "");
    LLVMBuildCondBr(g->b, is_over, done, loop);
    tri_gpu_at_end(g, done);
    LLVMValueRef phi = LLVMBuildPhi(g->b, g->i1, ""),
                 outcomes[] = {LLVMConstInt(g->i1, 1, false), LLVMConstNull(g->i1)};
    LLVMBasicBlockRef from[] = {loop, again};
    LLVMAddIncoming(phi, outcomes, from, 2);
    return phi;
}

/* One thread polls for all; the barrier behind it hands on both the answer and what it made visible. */
static bool run_poll(tri_gpu *g, MlirOperation op)
{
    bool has_end = mlirOperationGetNumOperands(op) > 2;
    if (has_end && (!tri_machine_has(g, TRI_MACHINE_clock_ns) || !tri_machine_has(g, TRI_MACHINE_barrier_or)))
        return tri_gpu_unsupported(g, op, "the device has no clock for the timeout");
    tri_gpu_if state = tri_gpu_begin_if(g, tri_gpu_first_thread(g));
    LLVMValueRef answer = poll(g, op);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    tri_gpu_end_if(g, state);
    if (!has_end) {
        tri_gpu_barrier_global(g);
        tri_gpu_set_result(g, op, 0, tri_gpu_single(g, answer));
        return true;
    }
    LLVMValueRef phi = LLVMBuildPhi(g->b, g->i1, ""), none = LLVMConstNull(g->i1);
    LLVMAddIncoming(phi, &answer, &from, 1);
    LLVMAddIncoming(phi, &none, &state.before, 1);
    tri_gpu_set_result(g, op, 0, tri_gpu_single(g, tri_gpu_barrier_or(g, phi)));
    return true;
}

const tri_gpu_op tri_gpu_ops_atomic[] = {
    {"tt.atomic_poll", run_poll, NULL},
    {"tt.atomic_rmw", run_rmw, NULL},
    {"tt.atomic_cas", run_cas, NULL},
    {0},
};
