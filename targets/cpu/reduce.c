/* tt.reduce.
 *
 * Order of a reduction: along the vector dimension, element i is combined into lane i mod 16 (mod 64: row_lanes),
 * in rising order; lanes are then combined by halves (lane k with lane k + 8, and so on). Along any
 * other dimension elements are combined in rising order. This does not depend on the machine. */
#include "targets/cpu/cpu.h"

#include "ir/op_classes.h"

enum { max_values = 8 };

/* How a maximum or minimum that ignores NaN is found: lanes start at the infinity that loses, and an element takes the
 * place of what it beats. NaN beats nothing, so this is one instruction. Only where the infinity is still there at the
 * end may every element have been NaN: then the elements are combined once more as the language says. */
typedef enum { QUICK_NONE, QUICK_MAX, QUICK_MIN } quick_kind;

typedef struct {
    MlirOperation op;
    quick_kind quick;
    LLVMValueRef is_open;             /* slot of an i1 of quick ones: a lane is still at its start */
    int n, axis;
    LLVMValueRef acc[max_values];     /* slots: a vector or a scalar */
    LLVMTypeRef types[max_values];    /* of one element in a register */
    LLVMValueRef results[max_values]; /* buffers; null: the result is a scalar */
    LLVMValueRef scalars[max_values]; /* then: its slot */
    LLVMValueRef settled;             /* of float sums, slot of an i64: 1 when +0.0 was added to all lanes */
    LLVMValueRef fresh;               /* slot of an i1: nothing was combined yet; null: identities are known */
    tri_cpu_val vals[max_values];
    bool is_lanewise;                 /* accumulators are vectors */
    tri_cpu_kept kept[TRI_CPU_MAX_PENDING + 1]; /* beside it in the nest */
    int kept_count;
} reduction;

MlirValue tri_cpu_reduced(MlirOperation reduce, int i)
{
    MlirValue operand = tri_op_operand(reduce, i), flat = tri_cpu_flat_source(operand);
    return flat.ptr ? flat : operand;
}

LLVMValueRef tri_cpu_reduce_identity(MlirOperation op, tri_cpu_type type, LLVMTypeRef llvm)
{
    MlirBlock block = tri_op_body(op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block);
    if (mlirOperationGetNextInBlock(first).ptr != mlirBlockGetTerminator(block).ptr ||
        mlirBlockGetNumArguments(block) != 2 || tri_cpu_is_small(type))
        return NULL;
    tri_str name = tri_op_name(first);
    if (tri_cpu_is_float(type)) {
        double nan = __builtin_nan(""), inf = __builtin_inf();
        double v = tri_str_is(name, "arith.addf")       ? -0.0
                   : tri_str_is(name, "arith.mulf")     ? 1.0
                   : tri_str_is(name, "arith.maxnumf")  ? nan
                   : tri_str_is(name, "arith.minnumf")  ? nan
                   : tri_str_is(name, "arith.maximumf") ? -inf
                   : tri_str_is(name, "arith.minimumf") ? inf
                                                        : 0.5;
        return v == 0.5 ? NULL : LLVMConstReal(llvm, v);
    }
    if (type.kind != TRI_CPU_INT)
        return NULL;
    if (tri_str_is(name, "arith.addi") || tri_str_is(name, "arith.ori") || tri_str_is(name, "arith.xori") ||
        tri_str_is(name, "arith.maxui"))
        return LLVMConstNull(llvm);
    if (tri_str_is(name, "arith.muli"))
        return LLVMConstInt(llvm, 1, false);
    if (tri_str_is(name, "arith.andi") || tri_str_is(name, "arith.minui"))
        return LLVMConstAllOnes(llvm);
    uint64_t lowest = UINT64_C(1) << (type.bits - 1);
    if (tri_str_is(name, "arith.maxsi"))
        return LLVMConstInt(llvm, lowest, false);
    if (tri_str_is(name, "arith.minsi"))
        return LLVMConstInt(llvm, lowest - 1, false);
    return NULL;
}

static LLVMValueRef quick_start(const reduction *r)
{
    double inf = 1.0 / 0.0;
    return LLVMConstReal(r->types[0], r->quick == QUICK_MAX ? -inf : inf);
}

static void combine(tri_cpu_gen *g, const reduction *r, LLVMValueRef *args, LLVMValueRef *out)
{
    if (!r->quick) {
        tri_cpu_region_emit(g, r->op, args, out);
        return;
    }
    LLVMRealPredicate beats = r->quick == QUICK_MAX ? LLVMRealOGT : LLVMRealOLT;
    out[0] = LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, beats, args[1], args[0], ""), args[1], args[0], "");
}

static void reduce_enter(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    tri_cpu_at(g, g->nest->axis_loop);
    for (int i = 0; i < r->n; i++) {
        LLVMTypeRef type = LLVMGetAllocatedType(r->acc[i]);
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(r->op, i)));
        LLVMValueRef start = r->quick ? quick_start(r) : tri_cpu_reduce_identity(r->op, t, r->types[i]);
        int lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 0;
        LLVMBuildStore(g->b, start ? tri_cpu_splat(g, start, lanes) : LLVMConstNull(type), r->acc[i]);
    }
    if (r->fresh)
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 1, false), r->fresh);
    if (r->settled)
        LLVMBuildStore(g->b, tri_cpu_i64(g, 0), r->settled);
}

/* Is the value the same at all indices of this part of the nest? */
static bool is_one_number(tri_cpu_gen *g, MlirValue value, int depth)
{
    enum { max_depth = 8 };
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    double number;
    int64_t integer;
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return true;
    if (mlirOperationIsNull(op) || (bind && bind->kind != TRI_CPU_LAZY) || depth > max_depth)
        return false;
    if (tri_op_is(op, "tt.load")) {
        MlirValue rest = tri_op_segment_value(op, 2);
        return tri_cpu_mask_is_false(g, tri_op_segment_value(op, 1)) &&
               (mlirValueIsNull(rest) || is_one_number(g, rest, depth + 1));
    }
    if (tri_op_is(op, "arith.constant"))
        return tri_op_const_float(value, &number) || tri_op_const_int(value, &integer);
    if (!tri_op_is(op, "tt.splat") && !(tri_op_in(op, TRI_OPS_ELEMENTWISE) && mlirOperationGetNumRegions(op) == 0))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!is_one_number(g, tri_op_operand(op, i), depth + 1))
            return false;
    return true;
}

/* Masked lanes are often zeros, which a sum need not wait for: +0.0 changes -0.0 alone, and there is none left when it
 * has been added once. Goes on where it is not known to change nothing; to the block that is returned elsewhere. */
static LLVMBasicBlockRef skip_zeros(tri_cpu_gen *g, const reduction *r)
{
    int vec = g->nest->vec_loop;
    LLVMTypeRef bits = r->types[0] == g->f64 ? g->i64 : g->i32;
    tri_cpu_at(g, r->vals[0].level); /* as a number: what is compared outside of a loop is compared in it, too */
    LLVMValueRef v = LLVMBuildBitCast(g->b, r->vals[0].v, bits, "");
    LLVMValueRef is_zero =
        LLVMBuildZExt(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, v, LLVMConstNull(bits), ""), g->i64, "");
    tri_cpu_at(g, g->nest->loop_count);
    LLVMValueRef settled = LLVMBuildLoad2(g->b, g->i64, r->settled, "");
    LLVMValueRef is_done = LLVMBuildAnd(g->b, settled, is_zero, "");
    LLVMBasicBlockRef adds = tri_cpu_new_block(g, "adds"), next = tri_cpu_new_block(g, "added");
    LLVMValueRef skips = LLVMBuildICmp(g->b, LLVMIntNE, is_done, tri_cpu_i64(g, 0), "");
    bool is_alone = !r->kept_count || (r->kept_count == 1 && tri_cpu_mask_is_false(g, r->kept[0].mask));
    if (vec == g->nest->loop_count - 1 && is_alone && is_one_number(g, tri_cpu_reduced(r->op, 0), 0))
        g->nest->loops[vec].leaves = skips;
    LLVMBuildCondBr(g->b, skips, next, adds);
    LLVMPositionBuilderAtEnd(g->b, adds);
    LLVMBuildStore(g->b, LLVMBuildOr(g->b, settled, is_zero, ""), r->settled);
    return next;
}

static void reduce_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    for (int i = 0; i < r->n; i++)
        r->vals[i] = tri_cpu_eval(g, tri_cpu_reduced(r->op, i), g->nest->index);
}

static void reduce_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    LLVMValueRef args[2 * max_values], out[max_values], now[max_values];
    tri_cpu_at(g, g->nest->loop_count);
    bool may_skip = r->settled && !r->vals[0].is_vec && !LLVMIsConstant(r->vals[0].v); /* LLVM adds a constant once */
    LLVMBasicBlockRef next = may_skip ? skip_zeros(g, r) : NULL;
    for (int i = 0; i < r->n; i++) {
        now[i] = r->is_lanewise ? tri_cpu_as_vector(g, r->vals[i]) : r->vals[i].v;
        args[i] = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(r->acc[i]), r->acc[i], "");
        args[r->n + i] = now[i];
    }
    combine(g, r, args, out);
    LLVMValueRef fresh = r->fresh ? LLVMBuildLoad2(g->b, g->i1, r->fresh, "") : NULL;
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef v = fresh ? LLVMBuildSelect(g->b, fresh, now[i], out[i], "") : out[i];
        LLVMBuildStore(g->b, v, r->acc[i]);
    }
    if (fresh)
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 0, false), r->fresh);
    if (next) {
        LLVMBuildBr(g->b, next);
        tri_cpu_move(g, g->nest->loop_count, next);
    }
}

/* Combines the lanes of vectors by halves; scalars come out. */
static void fold_lanes(tri_cpu_gen *g, reduction *r, LLVMValueRef *io)
{
    int lanes = tri_cpu_lanes_of(io[0]);
    for (int half = lanes / 2; half >= 1; half /= 2) {
        LLVMValueRef args[2 * max_values], low[2 * TRI_CPU_LANES], high[2 * TRI_CPU_LANES];
        for (int k = 0; k < half; k++) {
            low[k] = LLVMConstInt(g->i32, (uint64_t)k, false);
            high[k] = LLVMConstInt(g->i32, (uint64_t)(half + k), false);
        }
        for (int i = 0; i < r->n; i++) {
            LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(io[i]));
            LLVMValueRef lo = LLVMConstVector(low, (unsigned)half), hi = LLVMConstVector(high, (unsigned)half);
            args[i] = LLVMBuildShuffleVector(g->b, io[i], none, lo, "");
            args[r->n + i] = LLVMBuildShuffleVector(g->b, io[i], none, hi, "");
        }
        combine(g, r, args, io);
    }
    for (int i = 0; i < r->n; i++)
        io[i] = LLVMBuildExtractElement(g->b, io[i], tri_cpu_i64(g, 0), "");
}

/* The index of a result: the nest's without the reduced dimension. */
static const tri_cpu_tuple *result_index(tri_cpu_gen *g, int axis)
{
    tri_cpu_tuple t = {.rank = g->nest->index->rank - 1};
    for (int d = 0; d < t.rank; d++)
        t.at[d] = g->nest->index->at[d < axis ? d : d + 1];
    return tri_cpu_intern(g, &t);
}

static void note_open(tri_cpu_gen *g, const reduction *r, LLVMValueRef v)
{
    int lanes = tri_cpu_lanes_of(v);
    LLVMValueRef open = LLVMBuildFCmp(g->b, LLVMRealOEQ, v, tri_cpu_splat(g, quick_start(r), lanes), "");
    LLVMTypeRef type = LLVMTypeOf(open);
    if (lanes)
        open = tri_cpu_intrinsic(g, "llvm.vector.reduce.or", &type, 1, &open, 1);
    LLVMBuildStore(g->b, LLVMBuildOr(g->b, LLVMBuildLoad2(g->b, g->i1, r->is_open, ""), open, ""), r->is_open);
}

static void reduce_leave(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    int level = g->nest->axis_loop;
    LLVMValueRef v[max_values];
    tri_cpu_at(g, level);
    for (int i = 0; i < r->n; i++)
        v[i] = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(r->acc[i]), r->acc[i], "");
    bool folds = r->is_lanewise && (g->nest->axis_loop == g->nest->vec_loop || g->nest->domain->is_flat);
    if (folds)
        fold_lanes(g, r, v);
    if (r->quick)
        note_open(g, r, v[0]);
    for (int i = 0; i < r->n; i++) {
        if (!r->results[i]) {
            LLVMBuildStore(g->b, v[i], r->scalars[i]);
            continue;
        }
        tri_cpu_val x = {v[i], level, r->is_lanewise && !folds};
        MlirType type = mlirValueGetType(tri_op_result(r->op, i));
        tri_cpu_buffer_store(g, type, r->results[i], result_index(g, r->axis), x);
    }
}

/* Along the reduced dimension when that is where memory is contiguous, or the only one. */
static int reduce_vector_dim(tri_cpu_gen *g, MlirOperation op, const tri_cpu_domain *d)
{
    MlirValue none = {NULL};
    if (d->rank == 1)
        return d->shape[0] > 1 ? 0 : -1;
    if (d->is_flat)
        return d->rank - 1;
    return tri_cpu_vector_dim(g, d->rank, d->shape, none, tri_op_operand(op, 0));
}

static bool has_function(tri_cpu_gen *g, MlirValue value, int depth)
{
    enum { max_depth = 12 };
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !tri_type_is_tensor(mlirValueGetType(value)) ||
        (bind && bind->kind != TRI_CPU_LAZY))
        return false;
    if (depth > max_depth || tri_cpu_math_knows(op) || tri_op_is(op, "arith.remf"))
        return true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (has_function(g, tri_op_operand(op, i), depth + 1))
            return true;
    return false;
}

bool tri_cpu_has_function(tri_cpu_gen *g, MlirValue value) { return has_function(g, value, 0); }

/* Sums of columns: the rows are walked inside, so several vectors of columns at a time make whole lines of them. The
 * order along the rows does not change. Functions are made for chunks of 16. */
static int wide_lanes(tri_cpu_gen *g, MlirOperation op, int64_t extent)
{
    int lanes = tri_host_has(&g->host, "avx512f") ? 64 : 32;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (tri_cpu_has_function(g, tri_op_operand(op, i)))
            return 0;
    return extent >= lanes ? lanes : 0;
}

/* Sums of rows: several vectors at a time, whose sums do not wait for each other. The same on every processor, as the
 * order of a sum is. */
static int row_lanes(tri_cpu_gen *g, MlirOperation op, int64_t extent)
{
    enum { lanes = 64, least_chunks = 4, most_bits = 32 };
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = tri_op_operand(op, i);
        if (tri_cpu_has_function(g, operand) || tri_type_bits(tri_type_element(mlirValueGetType(operand))) > most_bits)
            return 0;
    }
    return extent >= lanes * least_chunks ? lanes : 0;
}

enum { max_ops = 24 }; /* of an operand that is evaluated twice */

/* Ops that evaluating the value takes; more than `max_ops` when it is many or dear. */
static int count_ops(tri_cpu_gen *g, MlirValue value)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !tri_type_is_tensor(mlirValueGetType(value)) ||
        (bind && bind->kind != TRI_CPU_LAZY))
        return 0;
    int count = tri_cpu_math_knows(op) ? max_ops + 1 : 1;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && count <= max_ops; i++)
        count += count_ops(g, tri_op_operand(op, i));
    return count;
}

static quick_kind quick_kind_of(tri_cpu_gen *g, MlirOperation op, bool is_kept)
{
    MlirBlock block = tri_op_body(op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block);
    tri_cpu_kind kind = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, 0))).kind;
    if (g->host.is_aarch64 || mlirOperationGetNumOperands(op) != 1 || (kind != TRI_CPU_F32 && kind != TRI_CPU_F64) ||
        mlirOperationGetNextInBlock(first).ptr != mlirBlockGetTerminator(block).ptr)
        return QUICK_NONE;
    quick_kind quick = tri_op_is(first, "arith.maxnumf")   ? QUICK_MAX
                       : tri_op_is(first, "arith.minnumf") ? QUICK_MIN
                                                           : QUICK_NONE;
    return quick && (is_kept || count_ops(g, tri_op_operand(op, 0)) <= max_ops) ? quick : QUICK_NONE;
}

static void prepare_slots(tri_cpu_gen *g, reduction *r, int lanes)
{
    bool has_identity = true;
    for (int i = 0; i < r->n; i++) {
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(r->op, i)));
        r->types[i] = tri_cpu_llvm_type(g, t);
        r->acc[i] = tri_cpu_temp(g, tri_cpu_vector(r->types[i], lanes), "acc");
        has_identity &= tri_cpu_reduce_identity(r->op, t, r->types[i]) != NULL;
        MlirType result = mlirValueGetType(tri_op_result(r->op, i));
        if (tri_type_is_tensor(result))
            r->results[i] = tri_cpu_alloc(g, result);
        else
            r->scalars[i] = tri_cpu_temp(g, r->types[i], "reduced");
    }
    if (!has_identity)
        r->fresh = tri_cpu_temp(g, g->i1, "fresh");
    else if (r->n == 1 && lanes > 1 && (r->types[0] == g->f32 || r->types[0] == g->f64) &&
             tri_op_is(mlirBlockGetFirstOperation(tri_op_body(r->op, 0)), "arith.addf"))
        r->settled = tri_cpu_temp(g, g->i64, "settled");
}

/* Combines once more where a quick maximum found nothing. */
static void reduce_again(tri_cpu_gen *g, reduction *r, const tri_cpu_domain *domain)
{
    LLVMBasicBlockRef again = tri_cpu_new_block(g, "again"), next = tri_cpu_new_block(g, "reduced");
    tri_cpu_at(g, 0);
    LLVMBuildCondBr(g->b, LLVMBuildLoad2(g->b, g->i1, r->is_open, ""), again, next);
    tri_cpu_move(g, 0, again);
    r->quick = QUICK_NONE;
    tri_cpu_nest_run(g, domain);
    tri_cpu_at(g, 0);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, 0, next);
}

/* What the nest keeps beside the result: the operand, if it waits for that; or what it is converted to, where that is
 * all that it is read for otherwise. Null: nothing. */
static MlirValue value_to_keep(tri_cpu_gen *g, MlirOperation op)
{
    bool is_flat = tri_cpu_flat_source(tri_op_operand(op, 0)).ptr != NULL;
    MlirValue none = {NULL}, operand = tri_cpu_reduced(op, 0), narrow = none;
    if (mlirOperationGetNumOperands(op) != 1 || !tri_cpu_is_pending(g, operand))
        return none;
    for (MlirOpOperand use = mlirValueGetFirstUse(operand); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (user.ptr == op.ptr || (is_flat && user.ptr == tri_op_def(tri_op_operand(op, 0)).ptr))
            continue;
        if (narrow.ptr || !tri_op_is(user, "arith.truncf") ||
            mlirOperationGetBlock(user).ptr != mlirOperationGetBlock(op).ptr ||
            !tri_cpu_is_lazy(g, tri_op_result(user, 0)))
            return operand;
        narrow = tri_op_result(user, 0);
    }
    return narrow.ptr && !quick_kind_of(g, op, true) ? narrow : operand;
}

/* What its nest writes to memory beside: the operand or what that is converted to, and what others wait with. */
static void add_kept(tri_cpu_gen *g, reduction *r, tri_cpu_domain *domain)
{
    MlirValue keeps = value_to_keep(g, r->op), operand = tri_cpu_reduced(r->op, 0);
    if (keeps.ptr) {
        domain->sinks[domain->count++] = tri_cpu_kept_sink(g, keeps, &r->kept[r->kept_count++]);
        if (!quick_kind_of(g, r->op, true)) /* which may read it again */
            r->kept[0].mask = tri_cpu_mask_of_uses(g, keeps, r->op);
    }
    for (size_t i = 0; i < g->pending.len; i++)
        if (g->pending.at[i].ptr != operand.ptr)
            domain->sinks[domain->count++] = tri_cpu_kept_sink(g, g->pending.at[i], &r->kept[r->kept_count++]);
    g->pending.len = 0;
}

static void reduce_nest(tri_cpu_gen *g, reduction *r, tri_cpu_domain *domain)
{
    bool is_operand = r->kept_count > 0 && r->kept[0].value.ptr == tri_cpu_reduced(r->op, 0).ptr;
    r->quick = quick_kind_of(g, r->op, is_operand);
    if (r->quick) {
        r->is_open = tri_cpu_temp(g, g->i1, "open");
        tri_cpu_at(g, 0);
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 0, false), r->is_open);
    }
    tri_cpu_nest_run(g, domain);
    for (int i = 0; i < r->kept_count; i++)
        tri_cpu_bind_buffer(g, r->kept[i].value, r->kept[i].buffer);
    domain->count = 1;
    if (r->quick)
        reduce_again(g, r, domain);
}

/* ---- of slices ---- */

static void start_lanes(tri_cpu_gen *g, reduction *r)
{
    tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(r->op, 0)));
    LLVMTypeRef type = LLVMGetAllocatedType(r->acc[0]);
    LLVMValueRef start = tri_cpu_reduce_identity(r->op, t, r->types[0]);
    tri_cpu_at(g, 0);
    LLVMBuildStore(g->b, tri_cpu_splat(g, start, (int)LLVMGetVectorSize(type)), r->acc[0]);
}

bool tri_cpu_reduce_begin(tri_cpu_gen *g, MlirOperation op, int lanes)
{
    MlirValue value = tri_op_operand(op, 0);
    MlirType type = mlirValueGetType(value);
    tri_cpu_type t = tri_cpu_type_of(g, type);
    int own = tri_type_rank(type) == 1 ? row_lanes(g, op, tri_type_dim(type, 0)) : 0;
    own = own ? own : TRI_CPU_LANES;
    if (mlirOperationGetNumOperands(op) != 1 || tri_type_rank(type) != 1 || lanes % own || quick_kind_of(g, op, true) ||
        !tri_cpu_reduce_identity(op, t, tri_cpu_llvm_type(g, t)))
        return false;
    reduction *r = TRI_NEW(g->arena, reduction);
    r->op = op;
    r->n = 1;
    r->is_lanewise = true;
    prepare_slots(g, r, own);
    start_lanes(g, r);
    tri_map_set_ptr(&g->sliced, op.ptr, r);
    return true;
}

void tri_cpu_reduce_slice(tri_cpu_gen *g, MlirOperation op, LLVMValueRef slice)
{
    reduction *r = tri_map_find_ptr(&g->sliced, op.ptr);
    LLVMTypeRef type = LLVMGetAllocatedType(r->acc[0]);
    int lanes = (int)LLVMGetVectorSize(type);
    LLVMValueRef args[2], out[1];
    for (int from = 0; from < tri_cpu_lanes_of(slice); from += lanes) {
        args[0] = LLVMBuildLoad2(g->b, type, r->acc[0], "");
        args[1] = tri_cpu_part(g, slice, NULL, from, lanes);
        combine(g, r, args, out);
        LLVMBuildStore(g->b, out[0], r->acc[0]);
    }
}

/* Where it stands: the lanes are what the loop left. */
static bool end_slices(tri_cpu_gen *g, MlirOperation op)
{
    reduction *r = tri_map_find_ptr(&g->sliced, op.ptr);
    if (!r)
        return false;
    tri_cpu_at(g, 0);
    LLVMValueRef v = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(r->acc[0]), r->acc[0], "");
    fold_lanes(g, r, &v);
    tri_cpu_bind_scalar(g, tri_op_result(op, 0), v);
    return true;
}

void tri_cpu_reduce_op(tri_cpu_gen *g, MlirOperation op)
{
    if (end_slices(g, op))
        return;
    reduction *r = TRI_NEW(g->arena, reduction);
    MlirType type = mlirValueGetType(tri_cpu_reduced(op, 0));
    r->op = op;
    r->n = (int)mlirOperationGetNumOperands(op);
    r->axis = (int)tri_op_int(op, "axis", 0);
    if (r->n > max_values) {
        tri_cpu_fail(g, op, "a reduction of more than %d values is not supported on this target", max_values);
        return;
    }
    MlirValue values[max_values];
    for (int i = 0; i < r->n; i++)
        values[i] = tri_cpu_reduced(op, i);
    tri_cpu_sink sinks[TRI_CPU_MAX_PENDING + 2] = {{.op = op,
                              .data = r,
                              .enter = reduce_enter,
                              .eval = reduce_eval,
                              .write = reduce_write,
                              .leave = reduce_leave,
                              .values = values,
                              .value_count = r->n}};
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = r->axis, .count = 1, .sinks = sinks};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.is_flat = tri_cpu_flat_source(tri_op_operand(op, 0)).ptr != NULL;
    if (domain.is_flat)
        domain.axis = domain.rank - 1;
    domain.vec_dim = reduce_vector_dim(g, op, &domain);
    r->is_lanewise = domain.vec_dim >= 0;
    if (r->is_lanewise && domain.vec_dim != domain.axis)
        domain.lanes = wide_lanes(g, op, domain.shape[domain.vec_dim]);
    else if (r->is_lanewise)
        domain.lanes = row_lanes(g, op, domain.is_flat ? tri_type_num_elements(type) : domain.shape[domain.vec_dim]);
    int64_t extent = r->is_lanewise ? domain.shape[domain.vec_dim] : 0;
    int64_t lanes = domain.lanes ? domain.lanes : TRI_CPU_LANES;
    add_kept(g, r, &domain);
    prepare_slots(g, r, (int)(extent < lanes ? extent : lanes));
    reduce_nest(g, r, &domain);
    for (int i = 0; i < r->n; i++) {
        if (r->results[i])
            tri_cpu_bind_buffer(g, tri_op_result(op, i), r->results[i]);
        else
            tri_cpu_bind_scalar(g, tri_op_result(op, i), LLVMBuildLoad2(g->b, r->types[i], r->scalars[i], ""));
    }
}
