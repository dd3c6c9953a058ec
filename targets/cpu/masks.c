/* The masks of the loads that a lazy value reads, each at the index where it is read. */
#include "targets/cpu/cpu.h"

typedef struct {
    tri_cpu_fact *out;
    int count, max;
    tri_map seen;
} walk;

static void add(walk *w, MlirValue mask, const tri_cpu_tuple *tuple)
{
    if (mlirValueIsNull(mask) || w->count == w->max)
        return;
    for (int i = 0; i < w->count; i++)
        if (w->out[i].mask.ptr == mask.ptr && w->out[i].tuple == tuple)
            return;
    w->out[w->count++] = (tri_cpu_fact){.mask = mask, .tuple = tuple, .is_true = true};
}

static void visit(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, walk *w)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op) || !tri_type_is_tensor(mlirValueGetType(value)) ||
        (bind && bind->kind != TRI_CPU_LAZY) || tri_map_find_ptr(&w->seen, value.ptr))
        return;
    tri_map_set_ptr(&w->seen, value.ptr, w);
    if (tri_cpu_is_view(op)) {
        const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
        if (inner)
            visit(g, tri_op_operand(op, 0), inner, w);
        return;
    }
    bool is_load = tri_op_is(op, "tt.load");
    if (is_load)
        add(w, tri_op_segment_value(op, 1), tuple);
    if (!is_load && !tri_cpu_arith_knows(op))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        visit(g, tri_op_operand(op, i), tuple, w);
}

int tri_cpu_masks_of(tri_cpu_gen *g, MlirValue own, const MlirValue *values, int value_count, tri_cpu_fact *out, int max)
{
    walk w = {.out = out, .max = max};
    tri_map_init(&w.seen, g->arena);
    add(&w, own, g->nest->index);
    for (int i = 0; i < value_count; i++)
        visit(g, values[i], g->nest->index, &w);
    return w.count;
}
