#include "frontend/kernel/frame.h"

#include "ir/type.h"

MlirType tri_emit_type(tri_eval *e, const tri_type *t) { return tri_types_to_ir(e->mlir, t); }

static bool any_error(int n, const tri_ev *operands)
{
    for (int i = 0; i < n; i++)
        if (tri_ev_is_error(operands[i]))
            return true;
    return false;
}

/* The source range of the operations that warnings of whole kernels may point to. */
static void remember(tri_eval *e, const char *name, MlirOperation op)
{
    static const char *const watched[] = {"arith.muli", "arith.addi", "arith.subi",
                                          "arith.shli", "tt.load",    "tt.store"};
    if (e->frame->dry)
        return;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        if (strcmp(name, watched[i]) == 0)
            tri_map_set_ptr(&e->spans, op.ptr, tri_arena_copy(e->arena, &e->at, sizeof e->at));
}

tri_ev tri_emit_op(tri_eval *e, const char *op, const tri_type *result, int num_operands, const tri_ev *operands,
                   int num_attrs, const tri_attr *attrs)
{
    MlirValue values[8];
    TRI_ASSERT(num_operands <= 8);
    if (any_error(num_operands, operands))
        return (tri_ev){0};
    e->ops++;
    for (int i = 0; i < num_operands; i++)
        values[i] = operands[i].value;
    MlirType type = tri_emit_type(e, result);
    MlirValue v = tri_builder_value(&e->b, &(tri_op){.name = op,
                                                     .num_operands = num_operands,
                                                     .operands = values,
                                                     .num_results = 1,
                                                     .results = &type,
                                                     .num_attrs = num_attrs,
                                                     .attrs = attrs});
    remember(e, op, mlirOpResultGetOwner(v));
    return tri_ev_tensor(v, result);
}

tri_ev tri_emit_unary(tri_eval *e, const char *op, const tri_type *result, tri_ev x)
{
    return tri_emit_op(e, op, result, 1, &x, 0, NULL);
}

tri_ev tri_emit_binary(tri_eval *e, const char *op, const tri_type *result, tri_ev x, tri_ev y)
{
    return tri_emit_op(e, op, result, 2, (tri_ev[]){x, y}, 0, NULL);
}

void tri_emit_effect(tri_eval *e, const char *op, int num_operands, const tri_ev *operands, int num_attrs,
                     const tri_attr *attrs)
{
    MlirValue values[8];
    TRI_ASSERT(num_operands <= 8);
    if (any_error(num_operands, operands))
        return;
    e->ops++;
    for (int i = 0; i < num_operands; i++)
        values[i] = operands[i].value;
    MlirOperation made = tri_builder_create(&e->b, &(tri_op){.name = op,
                                                             .num_operands = num_operands,
                                                             .operands = values,
                                                             .num_attrs = num_attrs,
                                                             .attrs = attrs});
    remember(e, op, made);
}

tri_ev tri_emit_int(tri_eval *e, tri_dtype dtype, int64_t value)
{
    const tri_type *t = tri_types_scalar(dtype);
    return tri_ev_tensor(tri_builder_int(&e->b, tri_emit_type(e, t), value), t);
}
