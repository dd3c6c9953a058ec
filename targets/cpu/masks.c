/* The masks of the loads that a lazy value reads, each at the index where it is read. */
#include "targets/cpu/cpu.h"

#include "ir/op_classes.h"

typedef struct {
    tri_cpu_fact *out;
    int count, max;
    tri_map seen;
} walk;

static void add(walk *w, MlirValue mask, const tri_cpu_tuple *tuple, bool is_past)
{
    if (mlirValueIsNull(mask) || w->count == w->max)
        return;
    for (int i = 0; i < w->count; i++) {
        if (w->out[i].mask.ptr == mask.ptr && w->out[i].tuple == tuple) {
            w->out[i].is_past &= is_past;
            return;
        }
    }
    w->out[w->count++] = (tri_cpu_fact){.mask = mask, .tuple = tuple, .is_true = true, .is_past = is_past};
}

bool tri_cpu_has_default(MlirOperation op)
{
    if (mlirOperationIsNull(op) || !tri_op_is(op, "tt.load"))
        return false;
    MlirValue mask = tri_op_segment_value(op, 1), rest = tri_op_segment_value(op, 2);
    double number;
    int64_t integer;
    return !mlirValueIsNull(mask) && tri_type_is_tensor(mlirValueGetType(mask)) && !tri_op_flag(op, "isVolatile") &&
           (mlirValueIsNull(rest) || tri_op_const_float(rest, &number) || tri_op_const_int(rest, &integer));
}

enum { max_depth = 8 };

/* *io_mask: that of the stores which take what is computed of the value, or null while none is known. */
static bool is_stored_under(MlirValue value, MlirOperation but, MlirValue *io_mask, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        if (op.ptr == but.ptr)
            continue;
        if (mlirOperationGetBlock(op).ptr != mlirOperationGetBlock(but).ptr)
            return false;
        if (tri_op_is(op, "tt.store") && mlirOpOperandGetOperandNumber(use) == 1) {
            MlirValue mask = tri_op_segment_value(op, 2);
            if (mlirValueIsNull(mask) || (io_mask->ptr && io_mask->ptr != mask.ptr))
                return false;
            *io_mask = mask;
        } else if (depth == max_depth || !tri_op_in(op, TRI_OPS_ELEMENTWISE) || mlirOperationGetNumRegions(op) > 0 ||
                   mlirOperationGetNumResults(op) != 1 ||
                   !is_stored_under(tri_op_result(op, 0), but, io_mask, depth + 1)) {
            return false;
        }
    }
    return true;
}

MlirValue tri_cpu_mask_of_uses(tri_cpu_gen *g, MlirValue value, MlirOperation but)
{
    MlirValue mask = {NULL}, none = {NULL};
    return !g->steps && is_stored_under(value, but, &mask, 0) ? mask : none;
}

static void visit_masks(tri_cpu_gen *g, MlirValue value, const tri_cpu_tuple *tuple, walk *w)
{
    tri_cpu_bind *bind = tri_cpu_find(g, value);
    MlirOperation op = tri_op_def(value);
    if (bind && bind->kind == TRI_CPU_BUFFER && tri_cpu_has_default(op))
        add(w, tri_op_segment_value(op, 1), tuple, true);
    if (mlirOperationIsNull(op) || !tri_type_is_tensor(mlirValueGetType(value)) ||
        (bind && bind->kind != TRI_CPU_LAZY) || tri_map_find_ptr(&w->seen, value.ptr))
        return;
    tri_map_set_ptr(&w->seen, value.ptr, w);
    if (tri_cpu_is_view(op)) {
        const tri_cpu_tuple *inner = tri_cpu_view_index(g, op, tuple);
        if (inner)
            visit_masks(g, tri_op_operand(op, 0), inner, w);
        return;
    }
    bool is_load = tri_op_is(op, "tt.load");
    if (is_load)
        add(w, tri_op_segment_value(op, 1), tuple, false);
    if (!is_load && !tri_cpu_arith_knows(op))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        visit_masks(g, tri_op_operand(op, i), tuple, w);
}

int tri_cpu_masks_of(tri_cpu_gen *g, MlirValue own, const MlirValue *values, int value_count, tri_cpu_fact *out,
                     int max)
{
    walk w = {.out = out, .max = max};
    tri_map_init(&w.seen, g->arena);
    add(&w, own, g->nest->index, false);
    for (int i = 0; i < value_count; i++)
        visit_masks(g, values[i], g->nest->index, &w);
    return w.count;
}
