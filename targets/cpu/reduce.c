/* tt.reduce and tt.scan.
 *
 * Order of a reduction: along the vector dimension, element i is combined into lane i mod 16, in
 * rising order; lanes are then combined by halves (lane k with lane k + 8, and so on). Along any
 * other dimension elements are combined in rising order. This does not depend on the machine. */
#include "targets/cpu/cpu.h"

enum { max_values = 8 };

typedef struct {
    MlirOperation op;
    int n, axis;
    LLVMValueRef acc[max_values];     /* slots: a vector or a scalar */
    LLVMTypeRef types[max_values];    /* of one element in a register */
    LLVMValueRef results[max_values]; /* buffers; null: the result is a scalar */
    LLVMValueRef scalars[max_values]; /* then: its slot */
    LLVMValueRef fresh;               /* slot of an i1: nothing was combined yet; null: identities are known */
    tri_cpu_val vals[max_values];
    bool is_lanewise;                 /* accumulators are vectors */
} reduction;

/* The identity of a combine function that is one known operation; null: none. */
static LLVMValueRef identity(MlirOperation op, tri_cpu_type type, LLVMTypeRef llvm)
{
    MlirBlock block = tri_op_body(op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block);
    if (mlirOperationGetNextInBlock(first).ptr != mlirBlockGetTerminator(block).ptr ||
        mlirBlockGetNumArguments(block) != 2 || tri_cpu_is_small(type))
        return NULL;
    tri_str name = tri_op_name(first);
    if (tri_cpu_is_float(type)) {
        double nan = 0.0 / 0.0, inf = 1.0 / 0.0;
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

static void reduce_enter(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    tri_cpu_at(g, g->nest->axis_loop);
    for (int i = 0; i < r->n; i++) {
        LLVMTypeRef type = LLVMGetAllocatedType(r->acc[i]);
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(r->op, i)));
        LLVMValueRef start = identity(r->op, t, r->types[i]);
        int lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 0;
        LLVMBuildStore(g->b, start ? tri_cpu_splat(g, start, lanes) : LLVMConstNull(type), r->acc[i]);
    }
    if (r->fresh)
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 1, false), r->fresh);
}

static void reduce_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    for (int i = 0; i < r->n; i++)
        r->vals[i] = tri_cpu_eval(g, tri_op_operand(r->op, i), g->nest->index);
}

static void reduce_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    LLVMValueRef args[2 * max_values], out[max_values], now[max_values];
    tri_cpu_at(g, g->nest->loop_count);
    for (int i = 0; i < r->n; i++) {
        now[i] = r->is_lanewise ? tri_cpu_as_vector(g, r->vals[i]) : r->vals[i].v;
        args[i] = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(r->acc[i]), r->acc[i], "");
        args[r->n + i] = now[i];
    }
    tri_cpu_region_emit(g, r->op, args, out);
    LLVMValueRef fresh = r->fresh ? LLVMBuildLoad2(g->b, g->i1, r->fresh, "") : NULL;
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef v = fresh ? LLVMBuildSelect(g->b, fresh, now[i], out[i], "") : out[i];
        LLVMBuildStore(g->b, v, r->acc[i]);
    }
    if (fresh)
        LLVMBuildStore(g->b, LLVMConstInt(g->i1, 0, false), r->fresh);
}

/* Combines the lanes of vectors by halves; scalars come out. */
static void fold_lanes(tri_cpu_gen *g, reduction *r, LLVMValueRef *io)
{
    int lanes = tri_cpu_lanes_of(io[0]);
    for (int half = lanes / 2; half >= 1; half /= 2) {
        LLVMValueRef args[2 * max_values], low[TRI_CPU_LANES], high[TRI_CPU_LANES];
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
        tri_cpu_region_emit(g, r->op, args, io);
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

static void reduce_leave(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    reduction *r = sink->data;
    int level = g->nest->axis_loop;
    LLVMValueRef v[max_values];
    tri_cpu_at(g, level);
    for (int i = 0; i < r->n; i++)
        v[i] = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(r->acc[i]), r->acc[i], "");
    bool folds = r->is_lanewise && g->nest->axis_loop == g->nest->vec_loop;
    if (folds)
        fold_lanes(g, r, v);
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
    return tri_cpu_vector_dim(g, d->rank, d->shape, none, tri_op_operand(op, 0));
}

void tri_cpu_reduce_op(tri_cpu_gen *g, MlirOperation op)
{
    reduction *r = TRI_NEW(g->arena, reduction);
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    r->op = op;
    r->n = (int)mlirOperationGetNumOperands(op);
    r->axis = (int)tri_op_int(op, "axis", 0);
    if (r->n > max_values) {
        tri_cpu_fail(g, op, "a reduction of more than %d values is not supported on this target", max_values);
        return;
    }
    tri_cpu_sink sink = {.op = op,
                         .data = r,
                         .enter = reduce_enter,
                         .eval = reduce_eval,
                         .write = reduce_write,
                         .leave = reduce_leave};
    MlirValue values[max_values];
    for (int i = 0; i < r->n; i++)
        values[i] = tri_op_operand(op, i);
    sink.values = values;
    sink.value_count = r->n;
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = r->axis, .count = 1, .sinks = &sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.vec_dim = reduce_vector_dim(g, op, &domain);
    r->is_lanewise = domain.vec_dim >= 0;
    int64_t extent = r->is_lanewise ? domain.shape[domain.vec_dim] : 0;
    int lanes = (int)(extent < TRI_CPU_LANES ? extent : TRI_CPU_LANES);
    bool has_identity = true;
    for (int i = 0; i < r->n; i++) {
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, i)));
        r->types[i] = tri_cpu_llvm_type(g, t);
        r->acc[i] = tri_cpu_temp(g, tri_cpu_vector(r->types[i], lanes), "acc");
        has_identity &= identity(op, t, r->types[i]) != NULL;
        MlirType result = mlirValueGetType(tri_op_result(op, i));
        if (tri_type_is_tensor(result))
            r->results[i] = tri_cpu_alloc(g, result);
        else
            r->scalars[i] = tri_cpu_temp(g, r->types[i], "reduced");
    }
    if (!has_identity)
        r->fresh = tri_cpu_temp(g, g->i1, "fresh");
    tri_cpu_nest_run(g, &domain);
    for (int i = 0; i < r->n; i++) {
        if (r->results[i])
            tri_cpu_bind_buffer(g, tri_op_result(op, i), r->results[i]);
        else
            tri_cpu_bind_scalar(g, tri_op_result(op, i), LLVMBuildLoad2(g->b, r->types[i], r->scalars[i], ""));
    }
}

/* ---- scan: elements in order along the axis, lanes along another dimension ---- */

typedef struct {
    reduction r;
    bool is_reverse;
    const tri_cpu_tuple *index; /* the nest's, mirrored along the axis when reversed */
    LLVMValueRef out[max_values];
} scan;

static void scan_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    scan *s = sink->data;
    tri_cpu_tuple t = *g->nest->index;
    if (s->is_reverse) {
        tri_cpu_index *a = &t.at[s->r.axis];
        a->c = g->nest->domain->shape[s->r.axis] - 1;
        a->coef[g->nest->axis_loop] = -1;
    }
    s->index = tri_cpu_intern(g, &t);
    for (int i = 0; i < s->r.n; i++)
        s->r.vals[i] = tri_cpu_eval(g, tri_op_operand(s->r.op, i), s->index);
}

static void scan_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    scan *s = sink->data;
    reduce_write(g, sink);
    for (int i = 0; i < s->r.n; i++) {
        tri_cpu_at(g, g->nest->loop_count);
        LLVMValueRef v = LLVMBuildLoad2(g->b, LLVMGetAllocatedType(s->r.acc[i]), s->r.acc[i], "");
        tri_cpu_val x = {v, g->nest->loop_count, s->r.is_lanewise};
        tri_cpu_buffer_store(g, mlirValueGetType(tri_op_result(s->r.op, i)), s->out[i], s->index, x);
    }
}

void tri_cpu_scan_op(tri_cpu_gen *g, MlirOperation op)
{
    scan *s = TRI_NEW(g->arena, scan);
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    s->r.op = op;
    s->r.n = (int)mlirOperationGetNumOperands(op);
    s->r.axis = (int)tri_op_int(op, "axis", 0);
    s->is_reverse = tri_op_flag(op, "reverse");
    if (s->r.n > max_values) {
        tri_cpu_fail(g, op, "a scan of more than %d values is not supported on this target", max_values);
        return;
    }
    tri_cpu_sink sink = {.op = op, .data = s, .enter = reduce_enter, .eval = scan_eval, .write = scan_write};
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = s->r.axis, .count = 1, .sinks = &sink, .vec_dim = -1};
    for (int d = 0; d < domain.rank; d++) {
        domain.shape[d] = tri_type_dim(type, d);
        if (d != s->r.axis && domain.shape[d] > 1)
            domain.vec_dim = d;
    }
    int64_t extent = domain.vec_dim >= 0 ? domain.shape[domain.vec_dim] : 0;
    int lanes = (int)(extent < TRI_CPU_LANES ? extent : TRI_CPU_LANES);
    s->r.is_lanewise = lanes > 0;
    bool has_identity = true;
    for (int i = 0; i < s->r.n; i++) {
        tri_cpu_type t = tri_cpu_type_of(g, mlirValueGetType(tri_op_operand(op, i)));
        s->r.types[i] = tri_cpu_llvm_type(g, t);
        s->r.acc[i] = tri_cpu_temp(g, tri_cpu_vector(s->r.types[i], lanes), "acc");
        s->out[i] = tri_cpu_alloc(g, mlirValueGetType(tri_op_result(op, i)));
        has_identity &= identity(op, t, s->r.types[i]) != NULL;
    }
    if (!has_identity)
        s->r.fresh = tri_cpu_temp(g, g->i1, "fresh");
    tri_cpu_nest_run(g, &domain);
    for (int i = 0; i < s->r.n; i++)
        tri_cpu_bind_buffer(g, tri_op_result(op, i), s->out[i]);
}
