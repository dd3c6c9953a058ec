#include "ir/readonly.h"

#include "base/map.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

typedef struct {
    tri_arena *arena;
    tri_map seen;
    TRI_VEC(MlirValue) work; /* values derived from the pointer */
} walk;

static void add(walk *w, MlirValue value)
{
    if (tri_map_find_ptr(&w->seen, value.ptr))
        return;
    tri_map_set_ptr(&w->seen, value.ptr, w);
    tri_vec_push(w->arena, &w->work, value);
}

static bool is_address_op(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_VIEW | TRI_OPS_PAIR) || tri_op_is(op, "tt.addptr") || tri_op_is(op, "tt.splat") ||
           tri_op_is(op, "tt.bitcast") || tri_op_is(op, "arith.select") || tri_op_is(op, "tt.unsplat");
}

/* Follows one use; false when memory may be written through it. */
static bool follow(walk *w, MlirOperation op, intptr_t operand)
{
    if (is_address_op(op)) {
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            add(w, tri_op_result(op, i));
        return true;
    }
    if (tri_op_is(op, "tt.load") || tri_op_is(op, "ttg.async_copy_global_to_local"))
        return operand == 0 && !tri_op_flag(op, "isVolatile");
    if (tri_op_is(op, "scf.for") && operand >= 3) {
        add(w, mlirBlockGetArgument(tri_op_body(op, 0), operand - 3 + 1));
        add(w, tri_op_result(op, operand - 3));
        return true;
    }
    if (tri_op_is(op, "scf.yield")) {
        MlirOperation parent = mlirBlockGetParentOperation(mlirOperationGetBlock(op));
        if (tri_op_is(parent, "scf.for"))
            add(w, mlirBlockGetArgument(tri_op_body(parent, 0), operand + 1));
        else if (!tri_op_is(parent, "scf.if"))
            return false;
        add(w, tri_op_result(parent, operand));
        return true;
    }
    return false;
}

static bool is_read_only(tri_arena *arena, MlirValue pointer)
{
    walk w = {.arena = arena};
    tri_map_init(&w.seen, arena);
    add(&w, pointer);
    for (size_t i = 0; i < w.work.len; i++) {
        for (MlirOpOperand use = mlirValueGetFirstUse(w.work.at[i]); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            if (!follow(&w, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use)))
                return false;
    }
    return true;
}

void tri_readonly_mark(tri_arena *arena, MlirOperation func, tri_kernel *kernel)
{
    MlirBlock body = tri_op_body(func, 0);
    intptr_t arg = 0;
    for (size_t i = 0; i < kernel->params.len && arg < mlirBlockGetNumArguments(body); i++) {
        tri_kernel_param *p = &kernel->params.at[i];
        if (p->is_constexpr)
            continue;
        MlirValue v = mlirBlockGetArgument(body, arg++);
        if (tri_type_is_ptr(mlirValueGetType(v)))
            p->is_read_only = is_read_only(arena, v);
    }
}
