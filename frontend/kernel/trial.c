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

enum { MOST_OPS_OF_A_TRIAL = 40000, MOST_STEPS = 8 };

typedef struct {
    tri_trial *trial;
    int64_t stages;
    int64_t operands; /* bytes of products' operands */
} measurement;

static int64_t block_bytes(MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    return tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / 8;
}

/* The load that a product's operand comes from, through what is done to it on the way; null: none. */
static MlirOperation load_behind(MlirValue operand)
{
    MlirOperation op = tri_op_def(operand);
    for (int steps = 0; !mlirOperationIsNull(op) && steps < MOST_STEPS; steps++) {
        if (tri_op_is(op, "tt.load") || tri_op_is(op, "tt.descriptor_load"))
            return op;
        op = mlirOperationGetNumOperands(op) ? tri_op_def(tri_op_operand(op, 0)) : (MlirOperation){NULL};
    }
    return (MlirOperation){NULL};
}

/* Bytes of shared memory for an operand of a product: a loop loads as many blocks ahead as there are stages. */
static int64_t operand_bytes(const measurement *m, MlirValue operand)
{
    MlirOperation load = load_behind(operand);
    if (mlirOperationIsNull(load))
        return 0;
    bool is_ahead = tri_op_is(mlirOperationGetParentOperation(load), "scf.for");
    return (is_ahead ? m->stages : 1) * block_bytes(tri_op_result(load, 0));
}

/* What a descriptor stores passes through shared memory at once, when the products are done. */
static void measure_shared(measurement *m, MlirOperation op)
{
    int64_t stored = tri_op_is(op, "tt.descriptor_store") ? block_bytes(tri_op_operand(op, 1)) : 0;
    for (int i = 0; i < 2 && tri_op_is(op, "tt.dot"); i++)
        m->operands += operand_bytes(m, tri_op_operand(op, i));
    int64_t shared = stored > m->operands ? stored : m->operands;
    m->trial->shared = shared > m->trial->shared ? shared : m->trial->shared;
}

static MlirWalkResult measure_op(MlirOperation op, void *data)
{
    measurement *m = data;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        int64_t elements = tri_type_num_elements(mlirValueGetType(tri_op_result(op, i)));
        m->trial->largest = elements > m->trial->largest ? elements : m->trial->largest;
    }
    measure_shared(m, op);
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
    int stages = s->num_stages ? s->num_stages : e->target->default_stages;
    measurement m = {.trial = out, .stages = stages > 1 ? stages : 1};
    if (!out->errors)
        mlirOperationWalk(mlirBlockGetParentOperation(e->module_body), measure_op, &m, MlirWalkPreOrder);
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
