/* tt.map_elementwise: its region runs once per group of `pack` neighbours along the last dimension. */
#include "targets/cpu/cpu.h"

enum { max_values = 32 };

typedef struct {
    MlirOperation op;
    int pack, inputs, outputs;
    LLVMValueRef out[max_values];
} map;

/* The nest's index with the group number widened to element `k` of the group. */
static const tri_cpu_tuple *element_index(tri_cpu_gen *g, const map *m, int k)
{
    tri_cpu_tuple t = *g->nest->index;
    tri_cpu_index *last = &t.at[t.rank - 1];
    for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
        last->coef[l] *= m->pack;
    last->c = k;
    return tri_cpu_intern(g, &t);
}

static void map_write(tri_cpu_gen *g, tri_cpu_sink *sink)
{
    map *m = sink->data;
    MlirBlock body = tri_op_body(m->op, 0);
    tri_cpu_val args[max_values];
    int level = g->nest->loop_count, n = 0;
    for (int i = 0; i < m->inputs; i++)
        for (int k = 0; k < m->pack; k++)
            args[n++] = tri_cpu_eval(g, tri_op_operand(m->op, i), element_index(g, m, k));
    for (int i = 0; i < n; i++)
        tri_cpu_bind_scalar(g, mlirBlockGetArgument(body, i), args[i].v);
    /* the region is straight-line scalar code at the innermost level */
    tri_cpu_nest *nest = g->nest;
    g->at = nest->cur[level];
    g->nest = NULL;
    tri_cpu_block(g, body);
    nest->cur[level] = g->at;
    g->nest = nest;
    MlirOperation end = mlirBlockGetTerminator(body);
    for (int i = 0; i < m->outputs && !g->failed; i++) {
        for (int k = 0; k < m->pack; k++) {
            tri_cpu_val v = {tri_cpu_scalar(g, tri_op_operand(end, i * m->pack + k)), level, false};
            MlirType type = mlirValueGetType(tri_op_result(m->op, i));
            tri_cpu_buffer_store(g, type, m->out[i], element_index(g, m, k), v);
        }
    }
}

void tri_cpu_map_op(tri_cpu_gen *g, MlirOperation op)
{
    map m = {.op = op, .pack = (int)tri_op_int(op, "pack", 1)};
    m.inputs = (int)mlirOperationGetNumOperands(op);
    m.outputs = (int)mlirOperationGetNumResults(op);
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    int rank = tri_type_rank(type);
    if (m.inputs * m.pack > max_values || m.outputs > max_values || rank == 0 ||
        tri_type_dim(type, rank - 1) % m.pack) {
        tri_cpu_fail(g, op, "'tt.map_elementwise' of this shape and pack is not supported on this target");
        return;
    }
    MlirRegion region = mlirOperationGetRegion(op, 0);
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(region)))) {
        tri_cpu_fail(g, op, "'tt.map_elementwise' with early returns is not supported on this target");
        return;
    }
    for (int i = 0; i < m.outputs; i++)
        m.out[i] = tri_cpu_alloc(g, mlirValueGetType(tri_op_result(op, i)));
    tri_cpu_sink sink = {.op = op, .data = &m, .write = map_write};
    tri_cpu_domain domain = {.rank = rank, .axis = -1, .count = 1, .sinks = &sink, .vec_dim = -1};
    for (int d = 0; d < rank; d++)
        domain.shape[d] = tri_type_dim(type, d);
    domain.shape[rank - 1] /= m.pack;
    tri_cpu_nest_run(g, &domain);
    for (int i = 0; i < m.outputs; i++)
        tri_cpu_bind_buffer(g, tri_op_result(op, i), m.out[i]);
}
