/* Atomics: one real atomic instruction per element, in index order. Of blocks see atomic_block.c. */
#include "targets/cpu/cpu.h"

typedef struct {
    MlirOperation op;
    bool is_cas;
    LLVMValueRef out; /* buffer of old values; null when nothing reads them */
    tri_cpu_val args[3], mask;
    bool has_mask;
} atomic_data;

LLVMAtomicOrdering tri_cpu_atomic_order(MlirOperation op)
{
    static const LLVMAtomicOrdering orders[] = {LLVMAtomicOrderingSequentiallyConsistent, LLVMAtomicOrderingMonotonic,
                                                LLVMAtomicOrderingAcquire, LLVMAtomicOrderingRelease,
                                                LLVMAtomicOrderingAcquireRelease};
    return orders[tri_op_int(op, "sem", 4)];
}

static LLVMAtomicRMWBinOp operation_of(int64_t kind, bool is_float)
{
    static const LLVMAtomicRMWBinOp ops[] = {
        LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpOr,   LLVMAtomicRMWBinOpXor,
        LLVMAtomicRMWBinOpAdd,  LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpMin,
        LLVMAtomicRMWBinOpUMax, LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpXchg};
    if (is_float && kind == 6)
        return LLVMAtomicRMWBinOpFMax;
    if (is_float && kind == 7)
        return LLVMAtomicRMWBinOpFMin;
    return ops[kind];
}

static LLVMValueRef combine_floats(tri_cpu_gen *g, int64_t kind, LLVMValueRef x, LLVMValueRef y)
{
    if (kind == 5)
        return LLVMBuildFAdd(g->b, x, y, "");
    return LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, kind == 6 ? LLVMRealOGT : LLVMRealOLT, x, y, ""), x, y, "");
}

LLVMValueRef tri_cpu_atomic_combine(tri_cpu_gen *g, int64_t kind, tri_cpu_type type, LLVMValueRef old, LLVMValueRef v)
{
    LLVMTypeRef like = LLVMTypeOf(old);
    LLVMValueRef args[2] = {old, v};
    switch (operation_of(kind, tri_cpu_is_float(type))) {
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(g->b, old, v, "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(g->b, old, v, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(g->b, old, v, "");
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(g->b, old, v, "");
    case LLVMAtomicRMWBinOpMax: return tri_cpu_intrinsic(g, "llvm.smax", &like, 1, args, 2);
    case LLVMAtomicRMWBinOpMin: return tri_cpu_intrinsic(g, "llvm.smin", &like, 1, args, 2);
    case LLVMAtomicRMWBinOpUMax: return tri_cpu_intrinsic(g, "llvm.umax", &like, 1, args, 2);
    case LLVMAtomicRMWBinOpUMin: return tri_cpu_intrinsic(g, "llvm.umin", &like, 1, args, 2);
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFMax:
    case LLVMAtomicRMWBinOpFMin: break;
    default: return v;
    }
    if (tri_cpu_is_small(type))
        return tri_cpu_narrow(g, combine_floats(g, kind, tri_cpu_widen(g, old, type), tri_cpu_widen(g, v, type)), type,
                              false);
    if (kind == 5)
        return LLVMBuildFAdd(g->b, old, v, "");
    return tri_cpu_intrinsic(g, kind == 6 ? "llvm.maxnum" : "llvm.minnum", &like, 1, args, 2);
}

LLVMValueRef tri_cpu_atomic_retry(tri_cpu_gen *g, int64_t kind, LLVMAtomicOrdering order, tri_cpu_type type,
                                  LLVMValueRef address, LLVMValueRef first, LLVMValueRef v, unsigned align)
{
    LLVMTypeRef raw = LLVMTypeOf(first);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b), loop = tri_cpu_new_block(g, "retry");
    LLVMBasicBlockRef next = tri_cpu_new_block(g, "updated");
    LLVMBuildBr(g->b, loop);
    LLVMPositionBuilderAtEnd(g->b, loop);
    LLVMValueRef old = LLVMBuildPhi(g->b, raw, "");
    LLVMAddIncoming(old, &first, &from, 1);
    LLVMValueRef made = tri_cpu_atomic_combine(g, kind, type, LLVMBuildBitCast(g->b, old, LLVMTypeOf(v), ""), v);
    LLVMAtomicOrdering failure = LLVMAtomicOrderingMonotonic;
    made = LLVMBuildBitCast(g->b, made, raw, "");
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(g->b, address, old, made, order, failure, false);
    LLVMSetAlignment(pair, align);
    LLVMValueRef seen = LLVMBuildExtractValue(g->b, pair, 0, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(g->b);
    LLVMAddIncoming(old, &seen, &end, 1);
    LLVMBuildCondBr(g->b, LLVMBuildExtractValue(g->b, pair, 1, ""), next, loop);
    LLVMPositionBuilderAtEnd(g->b, next);
    return old;
}

/* Of a small float. */
static LLVMValueRef small_update(tri_cpu_gen *g, int level, int64_t kind, LLVMAtomicOrdering order,
                                 LLVMValueRef address, LLVMValueRef v, tri_cpu_type t)
{
    unsigned bytes = (unsigned)t.bits / 8;
    LLVMValueRef first = LLVMBuildLoad2(g->b, tri_cpu_llvm_type(g, t), address, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, bytes);
    LLVMValueRef old = tri_cpu_atomic_retry(g, kind, order, t, address, first, v, bytes);
    tri_cpu_move(g, level, LLVMGetInsertBlock(g->b));
    return old;
}

LLVMValueRef tri_cpu_atomic_update(tri_cpu_gen *g, int level, int64_t kind, LLVMAtomicOrdering order,
                                   tri_cpu_type type, LLVMValueRef address, LLVMValueRef value)
{
    if (tri_cpu_is_small(type) && kind >= 5 && kind <= 7)
        return small_update(g, level, kind, order, address, value, type);
    return LLVMBuildAtomicRMW(g->b, operation_of(kind, tri_cpu_is_float(type)), address, value, order, false);
}

static LLVMValueRef update(tri_cpu_gen *g, int level, MlirOperation op, LLVMValueRef *args)
{
    tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, 1)));
    LLVMAtomicOrdering order = tri_cpu_atomic_order(op);
    if (!tri_op_is(op, "tt.atomic_cas"))
        return tri_cpu_atomic_update(g, level, tri_op_int(op, "atomic_rmw_op", 0), order, t, args[0], args[1]);
    LLVMTypeRef raw = LLVMIntTypeInContext(g->llvm, t.bits);
    bool is_float = t.kind == TRI_CPU_F32 || t.kind == TRI_CPU_F64;
    for (int i = 1; i < 3 && is_float; i++)
        args[i] = LLVMBuildBitCast(g->b, args[i], raw, "");
    LLVMAtomicOrdering failure = order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease
                                     ? LLVMAtomicOrderingAcquire
                                     : LLVMAtomicOrderingMonotonic;
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(g->b, args[0], args[1], args[2], order, failure, false);
    LLVMValueRef old = LLVMBuildExtractValue(g->b, pair, 0, "");
    return is_float ? LLVMBuildBitCast(g->b, old, tri_cpu_llvm_type(g, t), "") : old;
}

/* Does it where the mask is on; the result is 0 elsewhere. */
static LLVMValueRef guarded(tri_cpu_gen *g, int level, MlirOperation op, LLVMValueRef mask, LLVMValueRef *args)
{
    tri_cpu_at(g, level);
    if (!mask)
        return update(g, level, op, args);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    LLVMBasicBlockRef then = tri_cpu_new_block(g, "atomic"), next = tri_cpu_new_block(g, "atomic_done");
    LLVMBuildCondBr(g->b, mask, then, next);
    tri_cpu_move(g, level, then);
    LLVMValueRef old = update(g, level, op, args);
    tri_cpu_at(g, level);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(g->b);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, next);
    LLVMValueRef phi = LLVMBuildPhi(g->b, LLVMTypeOf(old), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(old));
    LLVMAddIncoming(phi, &zero, &from, 1);
    LLVMAddIncoming(phi, &old, &end, 1);
    return phi;
}

static int operand_count(const atomic_data *a) { return a->is_cas ? 3 : 2; }

static void atomic_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    atomic_data *a = sink->data;
    for (int i = 0; i < operand_count(a); i++)
        a->args[i] = tri_cpu_eval(g, tri_op_operand(a->op, i), g->nest->index);
    if (a->has_mask)
        a->mask = tri_cpu_eval(g, tri_op_operand(a->op, 2), g->nest->index);
}

static void atomic_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    atomic_data *a = sink->data;
    int level = g->nest->loop_count;
    LLVMValueRef args[3];
    for (int i = 0; i < operand_count(a); i++)
        args[i] = a->args[i].v;
    LLVMValueRef old = guarded(g, level, a->op, a->has_mask ? a->mask.v : NULL, args);
    if (a->out) {
        tri_cpu_val v = {old, level, false};
        tri_cpu_buffer_store(g, mlirValueGetType(tri_op_result(a->op, 0)), a->out, g->nest->index, v);
    }
}

static void atomic_nest(tri_cpu_gen *g, MlirOperation op)
{
    MlirType type = mlirValueGetType(tri_op_operand(op, 1));
    MlirValue result = tri_op_result(op, 0);
    atomic_data a = {.op = op, .is_cas = tri_op_is(op, "tt.atomic_cas")};
    a.has_mask = !a.is_cas && mlirOperationGetNumOperands(op) > 2;
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
        a.out = tri_cpu_alloc(g, mlirValueGetType(result));
        tri_cpu_bind_buffer(g, result, a.out);
    }
    tri_cpu_sink sink = {.op = op, .data = &a, .eval = atomic_eval, .write = atomic_write};
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink, .vec_dim = -1};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    tri_cpu_nest_run(g, &domain);
}

void tri_cpu_atomic_op(tri_cpu_gen *g, MlirOperation op)
{
    if (tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 1)))) {
        /* what the values read from memory is read before the first update */
        if (tri_cpu_atomic_in_chunks(g, op))
            tri_cpu_store_apart(g, op, false, tri_cpu_atomic_block);
        else
            tri_cpu_store_whole(g, op, atomic_nest);
        return;
    }
    bool is_cas = tri_op_is(op, "tt.atomic_cas");
    LLVMValueRef args[3], mask = NULL;
    for (int i = 0; i < (is_cas ? 3 : 2); i++)
        args[i] = tri_cpu_scalar(g, tri_op_operand(op, i));
    if (!is_cas && mlirOperationGetNumOperands(op) > 2)
        mask = tri_cpu_scalar(g, tri_op_operand(op, 2));
    tri_cpu_bind_scalar(g, tri_op_result(op, 0), guarded(g, 0, op, mask, args));
}

/* Waits until memory holds the wanted value, or the time (in ns) is over. */
void tri_cpu_poll_op(tri_cpu_gen *g, MlirOperation op)
{
    tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, 1)));
    bool has_timeout = mlirOperationGetNumOperands(op) > 2;
    LLVMValueRef address = tri_cpu_scalar(g, tri_op_operand(op, 0)), want = tri_cpu_scalar(g, tri_op_operand(op, 1));
    LLVMValueRef timeout = has_timeout ? tri_cpu_scalar(g, tri_op_operand(op, 2)) : tri_cpu_i64(g, -1);
    LLVMTypeRef params[4] = {g->ptr, g->i64, g->i32, g->i64};
    LLVMTypeRef type = LLVMFunctionType(g->i32, params, 4, false);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, "tri_cpu_rt_poll");
    if (!fn)
        fn = LLVMAddFunction(g->module, "tri_cpu_rt_poll", type);
    tri_cpu_at(g, 0);
    LLVMValueRef args[4] = {address, LLVMBuildZExtOrBitCast(g->b, want, g->i64, ""),
                            LLVMConstInt(g->i32, t.bits, false), timeout};
    LLVMValueRef r = LLVMBuildCall2(g->b, type, fn, args, 4, "");
    tri_cpu_bind_scalar(g, tri_op_result(op, 0), LLVMBuildICmp(g->b, LLVMIntNE, r, LLVMConstNull(g->i32), ""));
}
