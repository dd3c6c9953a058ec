/* Arguments of kernels as the evaluator sees them, and kernels that are compiled only to see what comes of it. */
#include "frontend/kernel/trial.h"

#include "frontend/kernel/function.h"
#include "ir/context.h"
#include "ir/op.h"
#include "ir/type.h"

static tri_ev scalar_of(tri_dtype d) { return (tri_ev){.kind = TRI_EV_TENSOR, .type = tri_types_scalar(d)}; }

tri_ev tri_trial_value(tri_eval *e, const tri_arg *arg)
{
    switch (arg->kind) {
    case TRI_ARG_VALUE:
        return (tri_ev){.kind = TRI_EV_TENSOR, .type = arg->type};
    case TRI_ARG_CONSTANT:
        return tri_ev_from_value(e, arg->value);
    case TRI_ARG_TUPLE: {
        tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, arg->item_count + 1);
        for (int i = 0; i < arg->item_count; i++)
            at[i] = tri_trial_value(e, &arg->items[i]);
        return arg->cls ? tri_ev_make_named(e, arg->item_count, at, arg->cls)
                        : tri_ev_make_tuple(e, arg->item_count, at);
    }
    case TRI_ARG_DESC: {
        tri_ev_desc *d = TRI_NEW(e->arena, tri_ev_desc);
        d->block = arg->type;
        d->rank = arg->type->rank;
        d->shape = TRI_NEW_ARRAY(e->arena, tri_ev, d->rank + 1);
        d->strides = TRI_NEW_ARRAY(e->arena, tri_ev, d->rank + 1);
        for (int i = 0; i < d->rank; i++) {
            d->shape[i] = scalar_of(TRI_DTYPE_INT32);
            d->strides[i] = scalar_of(TRI_DTYPE_INT64);
        }
        return (tri_ev){.kind = TRI_EV_DESC, .desc = d};
    }
    }
    return (tri_ev){0};
}

/* --- trials ------------------------------------------------------------------------------ */

enum { MOST_OPS_OF_A_TRIAL = 40000 };

static MlirWalkResult measure_op(MlirOperation op, void *data)
{
    tri_trial *out = data;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
        int64_t elements = tri_type_num_elements(type);
        out->largest = elements > out->largest ? elements : out->largest;
    }
    if (tri_op_is(op, "tt.descriptor_store")) {
        MlirType type = mlirValueGetType(tri_op_operand(op, 1));
        int64_t bytes = tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / 8;
        out->stored = bytes > out->stored ? bytes : out->stored;
    }
    return MlirWalkResultAdvance;
}

static void compile_trial(tri_eval *e, const tri_signature *s, tri_trial *out)
{
    int count = (int)s->params.len;
    tri_ev *params = TRI_NEW_ARRAY(e->arena, tri_ev, count + 1), result;
    for (int i = 0; i < count; i++)
        params[i] = tri_trial_value(e, &s->params.at[i].arg);
    tri_diag_hold(e->diag);
    MlirOperation op = tri_function_compile(e, s->function, s->name, true, TRI_NO_SPAN, count, params, &result);
    for (size_t i = 0; i < tri_diag_held_count(e->diag); i++) {
        tri_span at;
        tri_str text;
        if (tri_diag_held_at(e->diag, i, &at, &text) != TRI_ERROR)
            continue;
        out->first = out->errors++ ? out->first : at;
    }
    tri_diag_drop(e->diag);
    out->errors += e->is_exhausted || (!op.ptr && !out->errors);
    if (!out->errors) {
        tri_diag_hold(e->diag);
        out->errors += !mlirOperationVerify(mlirBlockGetParentOperation(e->module_body));
        tri_diag_drop(e->diag);
    }
    if (!out->errors)
        mlirOperationWalk(mlirBlockGetParentOperation(e->module_body), measure_op, out, MlirWalkPreOrder);
}

tri_trial tri_trial_run(tri_modules *modules, const tri_signature *signature)
{
    tri_unit *unit = tri_module_unit(modules);
    MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(unit->mlir));
    tri_eval e = tri_eval_create(modules, module, tri_arena_create());
    e.max_ops = MOST_OPS_OF_A_TRIAL;
    e.is_trial = true;
    e.debug = signature->function->debug;
    e.num_warps = e.target->default_warps ? e.target->default_warps : 4;
    tri_trial trial = {0};
    compile_trial(&e, signature, &trial);
    trial.ops = e.ops;
    mlirModuleDestroy(module);
    tri_eval_destroy(&e);
    return trial;
}
