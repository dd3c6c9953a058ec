/* tt.map_elementwise: its region runs once per group of `pack` neighbours in row-major order. */
#include "targets/cpu/cpu.h"

enum { max_values = 64 };

typedef struct tri_cpu_map {
    MlirOperation op;
    int pack, inputs, outputs;
    int packs[TRI_MAX_RANK];        /* elements of a group along each dimension */
    int group;                      /* of all: `pack`, or all elements if they are fewer */
    LLVMValueRef out[max_values];   /* buffers */
    LLVMValueRef slots[max_values]; /* what the region returns: outputs by elements of the group */
    LLVMBasicBlockRef end;          /* where its returns go */
} map;

/* The nest's index with the group's numbers widened to element `k` of the group; the last one fills up. */
static const tri_cpu_tuple *element_index(tri_cpu_gen *g, const map *m, int k)
{
    tri_cpu_tuple t = *g->nest->index;
    k = k < m->group ? k : m->group - 1;
    for (int d = t.rank - 1; d >= 0; d--) {
        tri_cpu_index *at = &t.at[d];
        for (int l = 0; l < TRI_CPU_MAX_LOOPS; l++)
            at->coef[l] *= m->packs[d];
        at->c = k % m->packs[d];
        k /= m->packs[d];
    }
    return tri_cpu_intern(g, &t);
}

/* tt.map_elementwise.return: of which a region may have several. */
void tri_cpu_map_return_op(tri_cpu_gen *g, MlirOperation op)
{
    const map *m = g->map;
    tri_cpu_at(g, 0);
    for (int i = 0; i < m->outputs * m->pack; i++)
        LLVMBuildStore(g->b, tri_cpu_scalar(g, tri_op_operand(op, i)), m->slots[i]);
    LLVMBuildBr(g->b, m->end);
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
    /* the region is scalar code at the innermost level */
    tri_cpu_nest *nest = g->nest;
    m->end = tri_cpu_new_block(g, "mapped");
    g->at = nest->cur[level];
    g->nest = NULL;
    g->map = m;
    tri_cpu_cfg(g, mlirOperationGetRegion(m->op, 0));
    g->map = NULL;
    nest->cur[level] = m->end;
    g->nest = nest;
    for (int i = 0; i < m->outputs && !g->failed; i++) {
        MlirType type = mlirValueGetType(tri_op_result(m->op, i));
        for (int k = 0; k < m->group; k++) {
            tri_cpu_at(g, level);
            LLVMValueRef slot = m->slots[i * m->pack + k];
            tri_cpu_val v = {LLVMBuildLoad2(g->b, LLVMGetAllocatedType(slot), slot, ""), level, false};
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
    if (m.inputs * m.pack > max_values || m.outputs * m.pack > max_values) {
        tri_cpu_fail(g, op, "'tt.map_elementwise' of more than %d values at a time is not supported on this target",
                     max_values);
        return;
    }
    for (int i = 0; i < m.outputs; i++) {
        MlirType result = mlirValueGetType(tri_op_result(op, i));
        m.out[i] = tri_cpu_alloc(g, result);
        for (int k = 0; k < m.pack; k++)
            m.slots[i * m.pack + k] = tri_cpu_temp(g, tri_cpu_llvm_type(g, tri_cpu_type_of(g, result)), "mapped");
    }
    tri_cpu_sink sink = {.op = op, .data = &m, .write = map_write};
    tri_cpu_domain domain = {.rank = tri_type_rank(type), .axis = -1, .count = 1, .sinks = &sink, .vec_dim = -1};
    int64_t left = m.pack;
    for (int d = domain.rank - 1; d >= 0; d--) {
        int64_t extent = tri_type_dim(type, d);
        m.packs[d] = (int)(left < extent ? left : extent); /* powers of two, both */
        domain.shape[d] = extent / m.packs[d];
        left /= m.packs[d];
    }
    m.group = (int)(m.pack / left);
    tri_cpu_nest_run(g, &domain);
    for (int i = 0; i < m.outputs; i++)
        tri_cpu_bind_buffer(g, tri_op_result(op, i), m.out[i]);
}
