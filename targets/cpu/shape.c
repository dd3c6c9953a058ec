/* Ops that move elements by computed positions, and one-element tensors. */
#include "targets/cpu/cpu.h"

/* ---- gather ---- */

typedef struct {
    MlirOperation op;
    LLVMValueRef source, out;
    tri_cpu_val v;
} gather_data;

static void gather_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    gather_data *d = sink->data;
    if (tri_cpu_gather_turned(g, d->op, d->source, &d->v))
        return;
    MlirType type = mlirValueGetType(tri_op_operand(d->op, 0));
    int axis = (int)tri_op_int(d->op, "axis", 0);
    tri_cpu_val index = tri_cpu_eval(g, tri_op_operand(d->op, 1), g->nest->index);
    tri_cpu_lines_at(g, d->op);
    /* position = everything but the axis, plus index * stride of the axis */
    tri_cpu_index rest = {0};
    int64_t stride = 1, axis_stride = 1;
    for (int dim = tri_type_rank(type) - 1; dim >= 0; dim--) {
        const tri_cpu_index *at = &g->nest->index->at[dim];
        if (dim == axis)
            axis_stride = stride;
        else
            for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
                rest.coef[l] += at->coef[l] * stride;
        stride *= tri_type_dim(type, dim);
    }
    tri_cpu_val base = tri_cpu_index_value(g, &rest);
    tri_cpu_val at = {NULL, base.level > index.level ? base.level : index.level, base.is_vec || index.is_vec};
    tri_cpu_at(g, at.level);
    LLVMValueRef i = at.is_vec ? tri_cpu_as_vector(g, index) : index.v;
    LLVMValueRef b = at.is_vec ? tri_cpu_as_vector(g, base) : base.v;
    LLVMTypeRef wide = tri_cpu_like(g->i64, i);
    if (LLVMTypeOf(i) != wide)
        i = LLVMBuildSExtOrBitCast(g->b, i, wide, "");
    i = LLVMBuildAdd(g->b, LLVMBuildMul(g->b, i, tri_cpu_const_like(wide, axis_stride), ""), b, "");
    LLVMTypeRef element = tri_cpu_memory_type(g, tri_cpu_type_of(g, type));
    LLVMValueRef address = LLVMBuildGEP2(g->b, element, d->source, &i, 1, "");
    d->v = tri_cpu_read(g, type, address, at);
}

static void gather_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    gather_data *d = sink->data;
    d->v.level = g->nest->loop_count;
    tri_cpu_buffer_store(g, mlirValueGetType(tri_op_result(d->op, 0)), d->out, g->nest->index, d->v);
}

static void run_over(tri_cpu_gen *g, MlirType type, tri_cpu_sink *sink, bool is_scalar)
{
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = sink};
    for (int d = 0; d < domain.rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.vec_dim = -1;
    for (int d = 0; d < domain.rank && !is_scalar; d++)
        if (domain.shape[d] > 1)
            domain.vec_dim = d;
    tri_cpu_nest_run(g, &domain);
}

/* The address of a value that plan.c keeps in memory. */
static LLVMValueRef kept(tri_cpu_gen *g, MlirValue value)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    if (bind && bind->kind == TRI_CPU_BUFFER)
        return bind->v;
    LLVMValueRef buffer = tri_cpu_alloc(g, mlirValueGetType(value));
    tri_cpu_materialise(g, value, buffer);
    return buffer;
}

void tri_cpu_gather_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    gather_data d = {.op = op, .source = kept(g, tri_op_operand(op, 0))};
    d.out = tri_cpu_alloc(g, mlirValueGetType(result));
    tri_cpu_sink sink = {.op = op, .data = &d, .eval = gather_eval, .write = gather_write};
    run_over(g, mlirValueGetType(result), &sink, false);
    tri_cpu_bind_buffer(g, result, d.out);
}

void tri_cpu_unsplat_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    LLVMValueRef buffer = kept(g, tri_op_operand(op, 0));
    tri_cpu_type t = tri_cpu_type_of(g, type);
    tri_cpu_at(g, 0);
    LLVMValueRef v = LLVMBuildLoad2(g->b, tri_cpu_memory_type(g, t), buffer, "");
    if (t.kind == TRI_CPU_INT && t.bits < 8)
        v = LLVMBuildTrunc(g->b, v, tri_cpu_llvm_type(g, t), "");
    tri_cpu_bind_scalar(g, tri_op_result(op, 0), v);
}

/* ---- histogram ---- */

typedef struct {
    MlirOperation op;
    LLVMValueRef out;
    tri_cpu_val v, mask;
    bool has_mask;
} histogram_data;

static void histogram_eval(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    histogram_data *d = sink->data;
    d->v = tri_cpu_eval(g, tri_op_operand(d->op, 0), g->nest->index);
    if (d->has_mask)
        d->mask = tri_cpu_eval(g, tri_op_operand(d->op, 1), g->nest->index);
}

/* Values outside the bins are not counted. */
static void histogram_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    histogram_data *d = sink->data;
    MlirType type = mlirValueGetType(tri_op_result(d->op, 0));
    LLVMTypeRef element = tri_cpu_llvm_type(g, tri_cpu_type_of(g, type));
    int level = g->nest->loop_count;
    tri_cpu_at(g, level);
    LLVMValueRef bin = LLVMBuildIntCast2(g->b, d->v.v, g->i64, false, "");
    LLVMValueRef ok = LLVMBuildICmp(g->b, LLVMIntULT, bin, tri_cpu_i64(g, tri_type_num_elements(type)), "");
    if (d->has_mask)
        ok = LLVMBuildAnd(g->b, ok, d->mask.v, "");
    LLVMBasicBlockRef then = tri_cpu_new_block(g, "count"), next = tri_cpu_new_block(g, "counted");
    LLVMBuildCondBr(g->b, ok, then, next);
    LLVMPositionBuilderAtEnd(g->b, then);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->b, element, d->out, &bin, 1, "");
    LLVMValueRef one = LLVMConstInt(element, 1, false);
    LLVMBuildStore(g->b, LLVMBuildAdd(g->b, LLVMBuildLoad2(g->b, element, at, ""), one, ""), at);
    LLVMBuildBr(g->b, next);
    tri_cpu_move(g, level, next);
}

void tri_cpu_histogram_op(tri_cpu_gen *g, MlirOperation op)
{
    MlirValue result = tri_op_result(op, 0);
    MlirType type = mlirValueGetType(result);
    histogram_data d = {.op = op, .out = tri_cpu_alloc(g, type), .has_mask = mlirOperationGetNumOperands(op) > 1};
    tri_cpu_at(g, 0);
    int64_t bytes = tri_type_num_elements(type) * (tri_cpu_type_of(g, type).bits / 8);
    LLVMBuildMemSet(g->b, d.out, LLVMConstInt(g->i8, 0, false), tri_cpu_i64(g, bytes), 16);
    tri_cpu_sink sink = {.op = op, .data = &d, .eval = histogram_eval, .write = histogram_write};
    run_over(g, mlirValueGetType(tri_op_operand(op, 0)), &sink, true);
    tri_cpu_bind_buffer(g, result, d.out);
}
