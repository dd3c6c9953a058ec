/* Ops are made anew with the parts in the place of wholes; the old ones stay until the walk has
 * ended, as they hold the wholes that later ops still name. Blocks get their new arguments first,
 * so that branches find them. */
#include "passes/ttir/expand.h"

#include "ir/context.h"
#include "ir/op_classes.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

typedef TRI_VEC(MlirValue) value_list;
typedef TRI_VEC(MlirType) type_list;

const MlirValue *tri_expand_parts(const tri_expand *x, MlirValue whole)
{
    return tri_map_find_ptr(&x->parts, whole.ptr);
}

void tri_expand_set(tri_expand *x, MlirValue whole, intptr_t n, const MlirValue *parts)
{
    MlirValue *copy = TRI_NEW_ARRAY(x->run->arena, MlirValue, TRI_EXPAND_MAX);
    TRI_ASSERT(n <= TRI_EXPAND_MAX);
    for (intptr_t i = 0; i < n; i++)
        copy[i] = parts[i];
    tri_map_set_ptr(&x->parts, whole.ptr, copy);
}

static bool is_whole(const tri_expand *x, MlirValue value) { return x->rules->is_whole(x, mlirValueGetType(value)); }

static intptr_t list_types(const tri_expand *x, MlirType whole, MlirType *out)
{
    tri_str names[TRI_EXPAND_MAX];
    return x->rules->list(x, whole, out, names, x->run->arena);
}

static bool fail_expand(tri_expand *x, MlirOperation op)
{
    tri_str name = tri_op_name(op);
    tri_op_error(x->run->unit->diag, op, 5014, "%s cannot pass through '%.*s' on this target", x->rules->noun,
                 TRI_STR_ARG(name));
    return false;
}

/* ---- arguments ---- */

static MlirLocation name_of_part(const tri_expand *x, MlirValue whole, tri_str part)
{
    MlirLocation loc = mlirValueGetLocation(whole);
    if (!mlirLocationIsAName(loc))
        return loc;
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(loc));
    MlirLocation inner = mlirLocationNameGetChildLoc(loc);
    if (!part.len)
        return loc;
    return tri_context_named_location(
        inner, tri_str_format(x->run->arena, "%.*s.%.*s", (int)name.length, name.data, TRI_STR_ARG(part)));
}

/* Puts the parts behind each argument that is a whole, which still stands. */
static bool add_arguments(tri_expand *x, MlirBlock block)
{
    bool has_any = false;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        MlirValue whole = mlirBlockGetArgument(block, i), parts[TRI_EXPAND_MAX];
        MlirType types[TRI_EXPAND_MAX];
        tri_str names[TRI_EXPAND_MAX];
        if (!is_whole(x, whole))
            continue;
        intptr_t n = x->rules->list(x, mlirValueGetType(whole), types, names, x->run->arena);
        for (intptr_t k = 0; k < n; k++)
            parts[k] = mlirBlockInsertArgument(block, i + 1 + k, types[k], name_of_part(x, whole, names[k]));
        tri_expand_set(x, whole, n, parts);
        i += n;
        has_any = true;
    }
    return has_any;
}

static bool add_all_arguments(tri_expand *x, MlirOperation op)
{
    bool has_any = false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
             b = mlirBlockGetNextInRegion(b)) {
            has_any |= add_arguments(x, b);
            for (MlirOperation i = mlirBlockGetFirstOperation(b); !mlirOperationIsNull(i);
                 i = mlirOperationGetNextInBlock(i))
                if (mlirOperationGetNumRegions(i))
                    has_any |= add_all_arguments(x, i);
        }
    return has_any;
}

static void remove_arguments(tri_expand *x, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
             b = mlirBlockGetNextInRegion(b)) {
            for (intptr_t i = mlirBlockGetNumArguments(b); i-- > 0;)
                if (is_whole(x, mlirBlockGetArgument(b, i)))
                    mlirBlockEraseArgument(b, (unsigned)i);
            for (MlirOperation i = mlirBlockGetFirstOperation(b); !mlirOperationIsNull(i);
                 i = mlirOperationGetNextInBlock(i))
                if (mlirOperationGetNumRegions(i))
                    remove_arguments(x, i);
        }
}

/* ---- signatures ---- */

static type_list expand_types(tri_expand *x, intptr_t n, const MlirType *types)
{
    type_list all = {0};
    for (intptr_t i = 0; i < n; i++) {
        MlirType parts[TRI_EXPAND_MAX] = {types[i]};
        intptr_t count = x->rules->is_whole(x, types[i]) ? list_types(x, types[i], parts) : 1;
        for (intptr_t k = 0; k < count; k++)
            tri_vec_push(x->run->arena, &all, parts[k]);
    }
    return all;
}

/* Attributes of parameters or results; those of a whole describe none of its parts. */
static void expand_attrs(tri_expand *x, MlirOperation func, const char *name, intptr_t n, const MlirType *types)
{
    MlirContext context = x->run->unit->mlir;
    MlirAttribute attrs = tri_op_attr(func, name), empty = mlirDictionaryAttrGet(context, 0, NULL);
    TRI_VEC(MlirAttribute) all = {0};
    if (mlirAttributeIsNull(attrs))
        return;
    for (intptr_t i = 0; i < n; i++) {
        MlirType parts[TRI_EXPAND_MAX];
        bool is = x->rules->is_whole(x, types[i]);
        intptr_t count = is ? list_types(x, types[i], parts) : 1;
        for (intptr_t k = 0; k < count; k++)
            tri_vec_push(x->run->arena, &all, is ? empty : mlirArrayAttrGetElement(attrs, i));
    }
    tri_builder_set_attr(func, name, mlirArrayAttrGet(context, (intptr_t)all.len, all.at));
}

static void expand_signature(tri_expand *x, MlirOperation func)
{
    MlirType type = mlirTypeAttrGetValue(tri_op_attr(func, "function_type"));
    intptr_t num_inputs = mlirFunctionTypeGetNumInputs(type), num_results = mlirFunctionTypeGetNumResults(type);
    MlirType *inputs = TRI_NEW_ARRAY(x->run->arena, MlirType, num_inputs + 1);
    MlirType *results = TRI_NEW_ARRAY(x->run->arena, MlirType, num_results + 1);
    for (intptr_t i = 0; i < num_inputs; i++)
        inputs[i] = mlirFunctionTypeGetInput(type, i);
    for (intptr_t i = 0; i < num_results; i++)
        results[i] = mlirFunctionTypeGetResult(type, i);
    type_list new_inputs = expand_types(x, num_inputs, inputs), new_results = expand_types(x, num_results, results);
    if (new_inputs.len == (size_t)num_inputs && new_results.len == (size_t)num_results)
        return;
    MlirType made = mlirFunctionTypeGet(x->run->unit->mlir, (intptr_t)new_inputs.len, new_inputs.at,
                                        (intptr_t)new_results.len, new_results.at);
    tri_builder_set_attr(func, "function_type", tri_attr_type(made));
    expand_attrs(x, func, "arg_attrs", num_inputs, inputs);
    expand_attrs(x, func, "res_attrs", num_results, results);
}

/* ---- operations ---- */

static bool touches_whole(const tri_expand *x, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_whole(x, tri_op_operand(op, i)))
            return true;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_whole(x, tri_op_result(op, i)))
            return true;
    return false;
}

/* The operands with parts for wholes; the number of new operands that each old one became. */
static bool expand_operands(tri_expand *x, MlirOperation op, value_list *out, intptr_t *out_counts)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i);
        MlirType types[TRI_EXPAND_MAX];
        const MlirValue *parts = &value;
        out_counts[i] = 1;
        if (is_whole(x, value)) {
            parts = tri_expand_parts(x, value);
            out_counts[i] = list_types(x, mlirValueGetType(value), types);
        }
        if (!parts)
            return fail_expand(x, op);
        for (intptr_t k = 0; k < out_counts[i]; k++)
            tri_vec_push(x->run->arena, out, parts[k]);
    }
    return true;
}

/* cf.cond_br tells how its operands are split. */
static MlirAttribute expand_segments(tri_expand *x, MlirOperation op, const intptr_t *counts)
{
    int32_t sizes[3];
    intptr_t at = 0;
    if (tri_op_i32s(op, "operandSegmentSizes", sizes, 3) != 3)
        return mlirAttributeGetNull();
    for (int s = 0; s < 3; s++) {
        int32_t size = 0;
        for (int32_t i = 0; i < sizes[s]; i++)
            size += (int32_t)counts[at++];
        sizes[s] = size;
    }
    return tri_attr_i32s(x->run->unit->mlir, 3, sizes);
}

static MlirOperation make_again(tri_expand *x, MlirOperation op, const value_list *operands, const type_list *types,
                                MlirAttribute segments)
{
    tri_arena *arena = x->run->arena;
    TRI_VEC(tri_attr) attrs = {0};
    TRI_VEC(MlirRegion) regions = {0};
    TRI_VEC(MlirBlock) successors = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
        MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
        MlirStringRef name = mlirIdentifierStr(a.name);
        bool is_segments = tri_str_is((tri_str){name.data, name.length}, "operandSegmentSizes");
        tri_vec_push(arena, &attrs,
                     (tri_attr){tri_str_copy(arena, (tri_str){name.data, name.length}).data,
                                is_segments ? segments : a.attribute});
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirRegion region = mlirRegionCreate();
        mlirRegionTakeBody(region, mlirOperationGetRegion(op, r));
        tri_vec_push(arena, &regions, region);
    }
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++)
        tri_vec_push(arena, &successors, mlirOperationGetSuccessor(op, s));
    tri_builder b = tri_builder_before(op);
    return tri_builder_create(&b, &(tri_op){.name = tri_str_copy(arena, tri_op_name(op)).data,
                                            .num_operands = (intptr_t)operands->len,
                                            .operands = operands->at,
                                            .num_results = (intptr_t)types->len,
                                            .results = types->at,
                                            .num_attrs = (intptr_t)attrs.len,
                                            .attrs = attrs.at,
                                            .num_regions = (intptr_t)regions.len,
                                            .regions = regions.at,
                                            .num_successors = (intptr_t)successors.len,
                                            .successors = successors.at});
}

static void map_results(tri_expand *x, MlirOperation op, MlirOperation made)
{
    intptr_t at = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue old = tri_op_result(op, i), parts[TRI_EXPAND_MAX];
        MlirType types[TRI_EXPAND_MAX];
        if (!is_whole(x, old)) {
            mlirValueReplaceAllUsesOfWith(old, tri_op_result(made, at++));
            continue;
        }
        intptr_t n = list_types(x, mlirValueGetType(old), types);
        for (intptr_t k = 0; k < n; k++)
            parts[k] = tri_op_result(made, at++);
        tri_expand_set(x, old, n, parts);
    }
}

/* The op again, with parts for wholes; *out_op is the new one. */
static bool expand_op(tri_expand *x, MlirOperation op, MlirOperation *out_op)
{
    value_list operands = {0};
    intptr_t num_results = mlirOperationGetNumResults(op);
    intptr_t *counts = TRI_NEW_ARRAY(x->run->arena, intptr_t, mlirOperationGetNumOperands(op) + 1);
    MlirType *types = TRI_NEW_ARRAY(x->run->arena, MlirType, num_results + 1);
    for (intptr_t i = 0; i < num_results; i++)
        types[i] = mlirValueGetType(tri_op_result(op, i));
    if (!expand_operands(x, op, &operands, counts))
        return false;
    type_list results = expand_types(x, num_results, types);
    *out_op = make_again(x, op, &operands, &results, expand_segments(x, op, counts));
    map_results(x, op, *out_op);
    tri_vec_push(x->run->arena, &x->dead, op);
    return true;
}

static bool expand_select(tri_expand *x, MlirOperation op)
{
    const MlirValue *a = tri_expand_parts(x, tri_op_operand(op, 1)), *b = tri_expand_parts(x, tri_op_operand(op, 2));
    MlirType types[TRI_EXPAND_MAX];
    MlirValue chosen[TRI_EXPAND_MAX];
    if (!a || !b)
        return fail_expand(x, op);
    intptr_t n = list_types(x, mlirValueGetType(tri_op_result(op, 0)), types);
    tri_builder at = tri_builder_before(op);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue operands[] = {tri_op_operand(op, 0), a[i], b[i]};
        chosen[i] = tri_builder_value(&at, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                                     .num_results = 1, .results = &types[i]});
    }
    tri_expand_set(x, tri_op_result(op, 0), n, chosen);
    tri_vec_push(x->run->arena, &x->dead, op);
    return true;
}


static bool visit_regions(tri_expand *x, MlirOperation op);

static bool visit_expand(tri_expand *x, MlirOperation op)
{
    if (!touches_whole(x, op))
        return visit_regions(x, op);
    if (tri_op_in(op, TRI_OPS_FLOW)) {
        MlirOperation made;
        return expand_op(x, op, &made) && visit_regions(x, made);
    }
    if (tri_op_is(op, "arith.select"))
        return expand_select(x, op);
    bool is_known = true, has_whole_result = false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        has_whole_result |= is_whole(x, tri_op_result(op, i));
    if (!x->rules->rewrite(x, op, &is_known))
        return is_known ? false : fail_expand(x, op);
    if (has_whole_result)
        tri_vec_push(x->run->arena, &x->dead, op);
    return true;
}

static bool visit_regions(tri_expand *x, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
             b = mlirBlockGetNextInRegion(b))
            for (MlirOperation i = mlirBlockGetFirstOperation(b), next; !mlirOperationIsNull(i); i = next) {
                next = mlirOperationGetNextInBlock(i);
                if (!visit_expand(x, i))
                    return false;
            }
    return true;
}

bool tri_expand_run(tri_pass_run *run, const tri_expand_rules *rules, const void *data)
{
    tri_op_list funcs = {0};
    tri_expand x = {.run = run, .rules = rules, .data = data};
    tri_map_init(&x.parts, run->arena);
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    bool has_arguments = false;
    for (size_t i = 0; i < funcs.len; i++)
        has_arguments |= add_all_arguments(&x, funcs.at[i]);
    for (size_t i = 0; i < funcs.len; i++) {
        expand_signature(&x, funcs.at[i]);
        if (!visit_regions(&x, funcs.at[i]))
            return false;
    }
    for (size_t i = x.dead.len; i-- > 0;)
        mlirOperationDestroy(x.dead.at[i]);
    for (size_t i = 0; i < funcs.len && has_arguments; i++)
        remove_arguments(&x, funcs.at[i]);
    return true;
}
