/* Reductions, scans and maps with a function of the kernel file as their region. */
#include "frontend/builtins/builtins.h"

#include "ir/type.h"

/* Inputs: one tensor or a tuple of them, all of one shape. */
static bool get_inputs(tri_eval *e, const tri_ev *args, tri_ev **out, int *out_count)
{
    tri_ev single = args[0];
    int n = args[0].kind == TRI_EV_TUPLE ? args[0].tuple->count : 1;
    const tri_ev *at = args[0].kind == TRI_EV_TUPLE ? args[0].tuple->at : &single;
    *out = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    *out_count = n;
    for (int i = 0; i < n; i++) {
        if (!tri_ev_is_block(at[i])) {
            tri_arg_error(e, 0, 3012, "the input must be a block, but this is %s", tri_eval_describe(e, at[i]));
            return false;
        }
        (*out)[i] = at[i];
        const tri_type *a = (*out)[0].type, *b = at[i].type;
        if (a->rank != b->rank || memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank)) {
            tri_arg_error(e, 0, 3009, "all inputs must have one shape, but they have %s and %s",
                          tri_eval_shape_name(e, a->rank, a->shape), tri_eval_shape_name(e, b->rank, b->shape));
            return false;
        }
    }
    return n > 0;
}

/* A block with `copies` sets of scalar arguments of the inputs' element types, ended by a return of what
 * `combine` gives; its results are checked against `n` types. */
static bool build_region(tri_eval *e, tri_ev combine, int n, const tri_ev *inputs, int copies, const char *terminator,
                         MlirRegion *out)
{
    tri_builder outer = e->b;
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    tri_ev *values = TRI_NEW_ARRAY(e->arena, tri_ev, n * copies + 1);
    for (int i = 0; i < n * copies; i++) {
        const tri_type *t = tri_types_element(inputs[i % n].type);
        values[i] = tri_ev_tensor(mlirBlockAddArgument(block, tri_emit_type(e, t), e->b.loc), t);
    }
    e->b.block = block;
    e->b.before = (MlirOperation){0};
    tri_ev r = tri_call_simple(e, combine, n * copies, values), single = r;
    bool ok = !tri_ev_is_error(r);
    int count = r.kind == TRI_EV_TUPLE ? r.tuple->count : 1;
    const tri_ev *at = r.kind == TRI_EV_TUPLE ? r.tuple->at : &single;
    if (ok && count != n) {
        tri_eval_error(e, 3012, "the combine function returns %d values for %d inputs", count, n);
        ok = false;
    }
    MlirValue *results = TRI_NEW_ARRAY(e->arena, MlirValue, n + 1);
    for (int i = 0; ok && i < n; i++) {
        tri_ev v = tri_semantic_to_tensor(e, at[i]);
        const tri_type *want = tri_types_element(inputs[i].type);
        if (tri_ev_is_error(v)) {
            ok = false;
        } else if (!mlirTypeEqual(mlirValueGetType(v.value), tri_emit_type(e, want))) {
            tri_eval_error(e, 3012, "the combine function returns '%s' for an input of elements '%s'",
                           tri_eval_type_name(e, v.type), tri_eval_type_name(e, want));
            ok = false;
        } else {
            results[i] = v.value;
        }
    }
    if (ok) {
        tri_builder_create(&e->b, &(tri_op){.name = terminator, .num_operands = n, .operands = results});
        *out = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(*out, block);
    } else {
        mlirBlockDestroy(block);
    }
    e->b = outer;
    return ok;
}

static MlirOperation emit_reduce(tri_eval *e, const char *name, int n, const tri_ev *inputs,
                                 const tri_type *const *results, int num_attrs, const tri_attr *attrs,
                                 MlirRegion region)
{
    MlirValue *values = TRI_NEW_ARRAY(e->arena, MlirValue, n + 1);
    MlirType *types = TRI_NEW_ARRAY(e->arena, MlirType, n + 1);
    for (int i = 0; i < n; i++) {
        values[i] = inputs[i].value;
        types[i] = tri_emit_type(e, results[i]);
    }
    return tri_builder_create(&e->b, &(tri_op){.name = name,
                                               .num_operands = n,
                                               .operands = values,
                                               .num_results = n,
                                               .results = types,
                                               .num_attrs = num_attrs,
                                               .attrs = attrs,
                                               .num_regions = 1,
                                               .regions = &region});
}

/* One value for a single input, a tuple for a tuple. */
static tri_ev wrap(tri_eval *e, const tri_ev *args, MlirOperation op, int n, const tri_type *const *types)
{
    tri_ev *out = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    for (int i = 0; i < n; i++)
        out[i] = tri_ev_tensor(mlirOperationGetResult(op, i), types[i]);
    return args[0].kind == TRI_EV_TUPLE ? tri_ev_make_tuple(e, n, out) : out[0];
}

static tri_ev keep_dims(tri_eval *e, tri_ev x, int axis, int rank)
{
    if (x.kind == TRI_EV_TUPLE) {
        tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, x.tuple->count + 1);
        for (int i = 0; i < x.tuple->count; i++)
            at[i] = keep_dims(e, x.tuple->at[i], axis, rank);
        return tri_ev_make_tuple(e, x.tuple->count, at);
    }
    if (axis >= 0)
        return tri_shape_expand_dims(e, x, axis);
    int64_t ones[TRI_MAX_TENSOR_RANK];
    for (int i = 0; i < rank; i++)
        ones[i] = 1;
    return tri_semantic_splat(e, x, rank, ones);
}

tri_ev tri_builtin_reduce(tri_eval *e, const tri_ev *args)
{
    tri_ev *inputs;
    int n, axis = 0;
    bool keep, all = tri_ev_is_none(args[1]);
    if (!get_inputs(e, args, &inputs, &n) || !tri_arg_bool(e, args, 3, false, &keep))
        return (tri_ev){0};
    int rank = inputs[0].type->rank;
    if (!all && !tri_arg_axis(e, args, 1, rank, &axis))
        return (tri_ev){0};
    for (int i = 0; all && i < n; i++) {
        int64_t numel = tri_types_numel(inputs[i].type);
        inputs[i] = tri_shape_reshape(e, inputs[i], 1, &numel, true);
    }
    const tri_type **types = TRI_NEW_ARRAY(e->arena, const tri_type *, n + 1);
    const tri_type *in = inputs[0].type;
    int64_t shape[TRI_MAX_TENSOR_RANK];
    int out_rank = 0;
    for (int i = 0; i < in->rank; i++)
        if (i != axis)
            shape[out_rank++] = in->shape[i];
    for (int i = 0; i < n; i++)
        types[i] = tri_types_block(e->arena, inputs[i].type->element, out_rank, shape);
    MlirRegion region;
    if (!build_region(e, args[2], n, inputs, 2, "tt.reduce.return", &region))
        return (tri_ev){0};
    tri_attr attr = {"axis", tri_attr_i32(e->mlir, axis)};
    tri_ev r = wrap(e, args, emit_reduce(e, "tt.reduce", n, inputs, types, 1, &attr, region), n, types);
    return keep ? keep_dims(e, r, all ? -1 : axis, rank) : r;
}

tri_ev tri_builtin_associative_scan(tri_eval *e, const tri_ev *args)
{
    tri_ev *inputs;
    int n, axis;
    bool reverse;
    if (tri_ev_is_none(args[1]))
        return tri_arg_error(e, 1, 3022, "a scan needs an axis");
    if (!get_inputs(e, args, &inputs, &n) || !tri_arg_axis(e, args, 1, inputs[0].type->rank, &axis) ||
        !tri_arg_bool(e, args, 3, false, &reverse))
        return (tri_ev){0};
    const tri_type **types = TRI_NEW_ARRAY(e->arena, const tri_type *, n + 1);
    for (int i = 0; i < n; i++)
        types[i] = inputs[i].type;
    MlirRegion region;
    if (!build_region(e, args[2], n, inputs, 2, "tt.scan.return", &region))
        return (tri_ev){0};
    tri_attr attrs[] = {{"axis", tri_attr_i32(e->mlir, axis)}, {"reverse", tri_attr_bool(e->mlir, reverse)}};
    return wrap(e, args, emit_reduce(e, "tt.scan", n, inputs, types, 2, attrs, region), n, types);
}

/* ---- map_elementwise ---- */

static bool map_results(tri_eval *e, tri_ev r, int64_t pack, int *out_count, tri_ev **out)
{
    tri_ev single = r;
    int n = r.kind == TRI_EV_TUPLE ? r.tuple->count : 1;
    const tri_ev *at = r.kind == TRI_EV_TUPLE ? r.tuple->at : &single;
    *out = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    if (n == 0 || n % pack) {
        tri_arg_error(e, 0, 3012, "the function returns %d values, which is no multiple of pack %lld", n,
                      (long long)pack);
        return false;
    }
    for (int i = 0; i < n; i++) {
        (*out)[i] = tri_semantic_to_tensor(e, at[i]);
        if (tri_ev_is_error((*out)[i]))
            return false;
        if (i % pack && !tri_types_equal((*out)[i].type, (*out)[i - 1].type)) {
            tri_arg_error(
                e, 0, 3012, "the %lld packed results of one output must have one type, but they are '%s' and '%s'",
                (long long)pack, tri_eval_type_name(e, (*out)[i - 1].type), tri_eval_type_name(e, (*out)[i].type));
            return false;
        }
    }
    *out_count = n;
    return true;
}

tri_ev tri_builtin_map_elementwise(tri_eval *e, const tri_ev *args)
{
    int64_t pack;
    int n = args[1].tuple->count, count = 0;
    tri_ev *inputs = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    if (!tri_arg_int(e, args, 2, 1, &pack))
        return (tri_ev){0};
    if (n == 0 || pack < 1 || (pack & (pack - 1)))
        return tri_eval_error(e, 3004,
                              "tl.map_elementwise needs at least one tensor and a pack that is a power of two");
    for (int i = 0; i < n; i++)
        inputs[i] = tri_semantic_to_tensor(e, args[1].tuple->at[i]);
    if (!tri_semantic_broadcast_all(e, n, inputs))
        return (tri_ev){0};
    tri_builder outer = e->b;
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    tri_ev *scalars = TRI_NEW_ARRAY(e->arena, tri_ev, n * pack + 1);
    for (int i = 0; i < n * pack; i++) {
        const tri_type *t = tri_types_element(inputs[i / pack].type);
        scalars[i] = tri_ev_tensor(mlirBlockAddArgument(block, tri_emit_type(e, t), e->b.loc), t);
    }
    e->b.block = block;
    e->b.before = (MlirOperation){0};
    tri_ev r = tri_call_simple(e, args[0], (int)(n * pack), scalars), *results = NULL;
    bool ok = !tri_ev_is_error(r) && map_results(e, r, pack, &count, &results);
    if (ok) {
        MlirValue *values = TRI_NEW_ARRAY(e->arena, MlirValue, count + 1);
        for (int i = 0; i < count; i++)
            values[i] = results[i].value;
        tri_builder_create(&e->b,
                           &(tri_op){.name = "tt.map_elementwise.return", .num_operands = count, .operands = values});
    }
    e->b = outer;
    if (!ok) {
        mlirBlockDestroy(block);
        return (tri_ev){0};
    }
    int outputs = count / (int)pack;
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    MlirValue *operands = TRI_NEW_ARRAY(e->arena, MlirValue, n + 1);
    for (int i = 0; i < n; i++)
        operands[i] = inputs[i].value;
    const tri_type **types = TRI_NEW_ARRAY(e->arena, const tri_type *, outputs + 1);
    MlirType *ir_types = TRI_NEW_ARRAY(e->arena, MlirType, outputs + 1);
    for (int i = 0; i < outputs; i++) {
        types[i] = tri_types_with_element(e->arena, inputs[0].type, results[i * pack].type);
        ir_types[i] = tri_emit_type(e, types[i]);
    }
    tri_attr attr = {"pack", tri_attr_i32(e->mlir, (int32_t)pack)};
    MlirOperation op = tri_builder_create(&e->b, &(tri_op){.name = "tt.map_elementwise",
                                                           .num_operands = n,
                                                           .operands = operands,
                                                           .num_results = outputs,
                                                           .results = ir_types,
                                                           .num_attrs = 1,
                                                           .attrs = &attr,
                                                           .num_regions = 1,
                                                           .regions = &region});
    tri_ev *out = TRI_NEW_ARRAY(e->arena, tri_ev, outputs + 1);
    for (int i = 0; i < outputs; i++)
        out[i] = tri_ev_tensor(mlirOperationGetResult(op, i), types[i]);
    return outputs == 1 ? out[0] : tri_ev_make_tuple(e, outputs, out);
}
