/* for and while. */
#include "frontend/kernel/frame.h"

#include "ir/context.h"

typedef struct {
    tri_str name;
    tri_ev init; /* value before the loop */
    tri_span at;
    bool is_bad; /* its type changes: reported, and an error value from here on */
} carried;

typedef struct {
    carried *at;
    size_t len, cap;
} carried_list;

/* ---- what a loop carries ---- */

static void report_carried(tri_eval *e, const tri_local *before, const tri_local *after)
{
    tri_str name = before->name;
    if (tri_ev_is_ce(before->value) || before->value.kind != after->value.kind)
        tri_eval_error_at(e, after->at, 3018, "'%.*s' is %s before the loop but becomes %s in it", TRI_STR_ARG(name),
                          tri_eval_describe(e, before->value), tri_eval_describe(e, after->value));
    else
        tri_eval_error_at(e, after->at, 3018, "'%.*s' starts the loop as %s but is assigned %s: a variable that a loop "
                          "carries can not change its type",
                          TRI_STR_ARG(name), tri_eval_describe(e, before->value), tri_eval_describe(e, after->value));
    tri_diag_note(e->diag, before->at, "the value before the loop is bound here");
    if (tri_ev_is_tensor(before->value) && tri_ev_is_tensor(after->value) &&
        !tri_types_equal(tri_types_element(before->value.type), tri_types_element(after->value.type)))
        tri_eval_note(e, "start with the final type, or cast back with .to(%s)",
                      tri_eval_type_name(e, tri_types_element(before->value.type)));
}

/* Does `v` hold a value that a name of `names` starts with? */
static bool shares_init(tri_eval *e, const carried_list *names, tri_ev v)
{
    tri_value_refs mine = {0}, theirs = {0};
    tri_ev_flatten(e, v, &mine);
    for (size_t i = 0; i < names->len; i++)
        tri_ev_flatten(e, names->at[i].init, &theirs);
    for (size_t i = 0; i < mine.len; i++)
        for (size_t k = 0; k < theirs.len; k++)
            if (mlirValueEqual(mine.at[i], theirs.at[k]))
                return true;
    return false;
}

/* A loop carries the names whose value differs after its body. So it does a name that got back, by an assignment, the
 * value it had, if one of those starts with that: `last = x` in front of `x = ...`, where both were equal before. */
static void collect_carried(tri_eval *e, const tri_locals *live, const tri_locals *after, tri_str ignored,
                            carried_list *out)
{
    carried_list again = {0};
    for (int i = 0; i < live->len; i++) {
        const tri_local *before = &live->at[i], *now = &after->at[i];
        if (before->is_gone || tri_str_equal(before->name, ignored) || tri_ev_is_error(before->value) ||
            tri_ev_is_error(now->value))
            continue;
        carried c = {before->name, before->value, before->at, !tri_ev_same_type(before->value, now->value)};
        if (c.is_bad)
            report_carried(e, before, now);
        if (c.is_bad || !tri_ev_same_value(e, before->value, now->value))
            tri_vec_push(e->arena, out, c);
        else if (now->at.source != before->at.source || now->at.begin != before->at.begin)
            tri_vec_push(e->arena, &again, c);
    }
    size_t differ = out->len;
    for (size_t i = 0; i < again.len && differ; i++)
        if (shares_init(e, &(carried_list){out->at, differ, differ}, again.at[i].init))
            tri_vec_push(e->arena, out, again.at[i]);
}

/* The body is compiled once into a block that is thrown away, to see what becomes of the visible names. A loop inside
 * such a body needs no more than this, see bind_unknown: so a body inside n loops is visited n + 1 times, not 2^n
 * times. */
static void find_carried(tri_eval *e, const tri_ast_list *body, tri_str ignored, MlirType iv_type,
                         const tri_type *iv, carried_list *out)
{
    tri_frame *f = e->frame;
    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &f->locals);
    int64_t ops = e->ops;
    size_t hints = e->hints.len;
    MlirBlock scratch = iv ? mlirBlockCreate(1, &iv_type, &e->b.loc) : mlirBlockCreate(0, NULL, NULL);
    e->b.block = scratch;
    e->b.before = (MlirOperation){0};
    if (iv)
        tri_frame_set(e, ignored, tri_ev_tensor(mlirBlockGetArgument(scratch, 0), iv), TRI_NO_SPAN);
    tri_diag_hold(e->diag);
    e->dry++;
    f->dry++;
    f->loop_depth++;
    tri_stmt_list(e, body);
    f->loop_depth--;
    f->dry--;
    e->dry--;
    tri_diag_drop(e->diag);
    tri_locals after = f->locals;
    f->locals = live;
    e->b = outer;
    e->hints.len = hints; /* those of the block that goes */
    collect_carried(e, &live, &after, ignored, out);
    mlirBlockDestroy(scratch);
    e->ops = ops;
}

/* Binds the carried names to consecutive values, usually block arguments or loop results. */
static void bind_carried(tri_eval *e, const carried_list *names, const MlirValue *values)
{
    for (size_t i = 0; i < names->len; i++) {
        const carried *c = &names->at[i];
        tri_frame_set(e, c->name, c->is_bad ? (tri_ev){0} : tri_ev_unflatten(e, c->init, &values), c->at);
    }
}

/* In a dry run only the types of what comes out of a loop matter. */
static void bind_unknown(tri_eval *e, const carried_list *names)
{
    for (size_t i = 0; i < names->len; i++) {
        const carried *c = &names->at[i];
        tri_type_refs types = {0};
        if (!c->is_bad)
            tri_ev_flatten_types(e, c->init, &types);
        MlirValue *values = TRI_NEW_ARRAY(e->arena, MlirValue, types.len + 1);
        for (size_t k = 0; k < types.len; k++)
            values[k] = mlirOperationGetResult(
                tri_builder_create(&e->b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &types.at[k]}),
                0);
        const MlirValue *cursor = values;
        tri_frame_set(e, c->name, c->is_bad ? (tri_ev){0} : tri_ev_unflatten(e, c->init, &cursor), c->at);
    }
}

static void flatten_inits(tri_eval *e, const carried_list *names, tri_value_refs *out)
{
    for (size_t i = 0; i < names->len; i++)
        if (!names->at[i].is_bad)
            tri_ev_flatten(e, names->at[i].init, out);
}

/* The values to yield. A value that went wrong stands in as the initial one: an error was told. */
static void flatten_finals(tri_eval *e, const carried_list *names, tri_value_refs *out)
{
    for (size_t i = 0; i < names->len; i++) {
        const carried *c = &names->at[i];
        if (c->is_bad)
            continue;
        const tri_local *l = tri_frame_find(e, c->name);
        bool good = l && tri_ev_same_type(l->value, c->init);
        tri_ev_flatten(e, good ? l->value : c->init, out);
    }
}

/* Arguments of a while-loop are where the values that they start with come from, as Triton 3.9 has them. */
static MlirBlock block_for(tri_eval *e, const carried_list *names, const tri_value_refs *inits, MlirType *iv)
{
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    if (iv)
        mlirBlockAddArgument(block, *iv, e->b.loc);
    size_t v = 0;
    for (size_t i = 0; i < names->len; i++) {
        if (names->at[i].is_bad)
            continue;
        tri_value_refs mine = {0};
        tri_ev_flatten(e, names->at[i].init, &mine);
        for (size_t k = 0; k < mine.len; k++, v++) {
            MlirLocation loc = iv ? e->b.loc : mlirValueGetLocation(inits->at[v]);
            mlirBlockAddArgument(block, mlirValueGetType(inits->at[v]),
                                 tri_context_named_location(loc, names->at[i].name));
        }
    }
    return block;
}

static MlirValue *block_args(tri_eval *e, MlirBlock block, size_t from, size_t count)
{
    MlirValue *values = TRI_NEW_ARRAY(e->arena, MlirValue, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = mlirBlockGetArgument(block, (intptr_t)(from + i));
    return values;
}

static MlirValue *op_results(tri_eval *e, MlirOperation op, size_t count)
{
    MlirValue *values = TRI_NEW_ARRAY(e->arena, MlirValue, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = mlirOperationGetResult(op, (intptr_t)i);
    return values;
}

static MlirType *types_of(tri_eval *e, const tri_value_refs *values)
{
    MlirType *types = TRI_NEW_ARRAY(e->arena, MlirType, values->len + 1);
    for (size_t i = 0; i < values->len; i++)
        types[i] = mlirValueGetType(values->at[i]);
    return types;
}

static MlirRegion region_of(MlirBlock block)
{
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, block);
    return region;
}

static void emit_yield(tri_eval *e, const carried_list *names)
{
    tri_value_refs values = {0};
    flatten_finals(e, names, &values);
    tri_builder_create(&e->b,
                       &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)values.len, .operands = values.at});
}

static MlirAttribute no_licm(tri_eval *e)
{
    const char *text = "#llvm.loop_annotation<licm = <disable = true, versioningDisable = true>>";
    return mlirAttributeParseGet(e->mlir, mlirStringRefCreateFromCString(text));
}

/* Hints that the body gave to its arguments go to the loop. */
static void attach_hints(tri_eval *e, MlirOperation op, MlirBlock body)
{
    for (size_t i = 0; i < e->hints.len; i++) {
        const tri_hint *h = &e->hints.at[i];
        if (h->block.ptr != body.ptr)
            continue;
        tri_str name = tri_str_format(e->arena, "%s_arg%d", h->name, (int)h->argument);
        mlirOperationSetAttributeByName(op, mlirStringRefCreate(name.data, name.len), h->value);
    }
}

/* ---- for ---- */

typedef struct {
    tri_ev start, stop, step;
    bool is_negative;
    tri_attr attrs[8];
    int num_attrs;
} for_range;

static bool is_builtin(tri_ev callee, const char *path)
{
    return callee.kind == TRI_EV_CE && callee.ce->kind == TRI_VALUE_BUILTIN && tri_str_is(callee.ce->string, path);
}

enum { arg_one, arg_two, arg_step, arg_stages, arg_unroll, arg_no_multi, arg_flatten, arg_warp, arg_no_licm,
    arg_count };
static const char *const arg_names[arg_count] = {
    "arg1", "arg2", "step", "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
    "flatten", "warp_specialize", "disable_licm",
};

/* Binds the arguments of range, tl.range and tl.static_range. Absent ones are None. */
static bool bind_range(tri_eval *e, const tri_ast_node *call, bool is_plain, tri_ev *out)
{
    tri_call_args args = {0};
    if (!tri_call_evaluate_args(e, call, &args))
        return false;
    for (int i = 0; i < arg_count; i++)
        out[i] = tri_ev_none(e);
    int position = 0;
    for (size_t i = 0; i < args.len; i++) {
        int slot = -1;
        if (tri_str_is_empty(args.at[i].name)) {
            slot = position < 3 ? position++ : -1;
        } else {
            for (int k = 0; k < arg_count; k++)
                if (tri_str_is(args.at[i].name, arg_names[k]))
                    slot = k;
            if (slot < 0 && is_plain)
                continue; /* Python's range ignores them here, as the library does */
        }
        if (slot < 0) {
            if (args.at[i].name.len)
                tri_eval_error_at(e, args.at[i].at, 3004, "range has no parameter '%.*s'",
                                  TRI_STR_ARG(args.at[i].name));
            else
                tri_eval_error_at(e, args.at[i].at, 3004, "range takes at most three positional arguments");
            return false;
        }
        if (is_plain && slot > arg_step)
            continue;
        if (tri_ev_is_error(args.at[i].value))
            return false;
        out[slot] = args.at[i].value;
    }
    if (tri_ev_is_none(out[arg_one])) {
        tri_eval_error_at(e, call->span, 3004, "range needs an end");
        return false;
    }
    if (tri_ev_is_none(out[arg_two])) {
        out[arg_two] = out[arg_one];
        out[arg_one] = tri_ev_int(e, 0);
    }
    if (tri_ev_is_none(out[arg_step]))
        out[arg_step] = tri_ev_int(e, 1);
    return true;
}

static void range_attrs(tri_eval *e, const tri_ev *args, for_range *out)
{
    static const struct {
        int arg;
        const char *name;
    } ints[] = {{arg_stages, "tt.num_stages"}, {arg_unroll, "tt.loop_unroll_factor"}},
      units[] = {{arg_no_multi, "tt.disallow_acc_multi_buffer"},
                 {arg_flatten, "tt.flatten"},
                 {arg_warp, "tt.warp_specialize"}};
    for (size_t i = 0; i < 2; i++) {
        int64_t n;
        if (tri_ev_is_none(args[ints[i].arg]))
            continue;
        if (!tri_ev_get_int(args[ints[i].arg], &n))
            tri_eval_error(e, 3013, "'%s' of tl.range must be a compile-time integer, but this is %s",
                           arg_names[ints[i].arg], tri_eval_describe(e, args[ints[i].arg]));
        else
            out->attrs[out->num_attrs++] = (tri_attr){ints[i].name, tri_attr_i32(e->mlir, (int32_t)n)};
    }
    for (size_t i = 0; i < 3; i++)
        if (tri_expr_truth(e, args[units[i].arg]) == TRI_TRUTH_TRUE)
            out->attrs[out->num_attrs++] = (tri_attr){units[i].name, tri_attr_unit(e->mlir)};
    if (tri_expr_truth(e, args[arg_no_licm]) == TRI_TRUTH_TRUE)
        out->attrs[out->num_attrs++] = (tri_attr){"llvm.loop_annotation", no_licm(e)};
}

static bool check_bound(tri_eval *e, tri_ev v, const char *what)
{
    if (tri_ev_is_error(v))
        return false;
    if (!tri_types_is_int(v.type))
        tri_eval_error(e, 3019, "the %s of a loop must be an integer, but this is '%s'", what,
                       tri_eval_type_name(e, v.type));
    else if (tri_ev_is_block(v))
        tri_eval_error(e, 3019, "the %s of a loop must be a scalar, but this is a block of type '%s'", what,
                       tri_eval_type_name(e, v.type));
    else
        return true;
    return false;
}

/* Bounds as values of the induction type. */
static bool convert_bounds(tri_eval *e, const tri_ev *args, for_range *out, const tri_type **out_iv)
{
    tri_num step;
    out->start = args[arg_one];
    out->stop = args[arg_two];
    out->step = args[arg_step];
    if (tri_ev_get_num(out->step, &step) && step.f < 0) {
        out->is_negative = true;
        out->start = args[arg_two];
        out->stop = args[arg_one];
        out->step = tri_ev_int(e, (int64_t)-step.i);
    }
    if (tri_ev_get_num(out->step, &step) && step.kind != TRI_NUM_FLOAT && step.i == 0) {
        tri_eval_error(e, 3019, "the step of a loop must not be zero");
        return false;
    }
    out->start = tri_semantic_to_tensor(e, out->start);
    out->stop = tri_semantic_to_tensor(e, out->stop);
    out->step = tri_semantic_to_tensor(e, out->step);
    if (!check_bound(e, out->start, out->is_negative ? "end" : "start") ||
        !check_bound(e, out->stop, out->is_negative ? "start" : "end") || !check_bound(e, out->step, "step"))
        return false;
    tri_dtype iv = tri_semantic_promote_int(out->start.type->dtype, out->stop.type->dtype);
    iv = tri_semantic_promote_int(iv, out->step.type->dtype);
    out->start = tri_semantic_cast_to(e, out->start, iv);
    out->stop = tri_semantic_cast_to(e, out->stop, iv);
    out->step = tri_semantic_cast_to(e, out->step, iv);
    *out_iv = tri_types_scalar(iv);
    return true;
}

static void emit_for(tri_eval *e, const tri_ast_node *node, const for_range *r, const tri_type *iv)
{
    tri_frame *f = e->frame;
    tri_str target = tri_ast_text(node->for_.target);
    MlirType iv_type = tri_emit_type(e, iv);
    /* After the loop the variable holds nothing. */
    tri_ev poison = tri_emit_op(e, "ub.poison", iv, 0, NULL, 0, NULL);
    tri_frame_set(e, target, poison, node->for_.target->span);
    carried_list names = {0};
    find_carried(e, &node->for_.body, target, iv_type, iv, &names);
    if (f->dry) {
        bind_unknown(e, &names);
        return;
    }
    tri_value_refs operands = {0}, inits = {0};
    tri_vec_push(e->arena, &operands, r->start.value);
    tri_vec_push(e->arena, &operands, r->stop.value);
    tri_vec_push(e->arena, &operands, r->step.value);
    flatten_inits(e, &names, &inits);
    for (size_t i = 0; i < inits.len; i++)
        tri_vec_push(e->arena, &operands, inits.at[i]);

    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &f->locals);
    MlirBlock body = block_for(e, &names, &inits, &iv_type);
    e->b.block = body;
    e->b.before = (MlirOperation){0};
    MlirValue iv_arg = mlirBlockGetArgument(body, 0);
    mlirBlockArgumentSetLocation(iv_arg, tri_context_named_location(e->b.loc, target));
    tri_ev value = tri_ev_tensor(iv_arg, iv);
    if (r->is_negative) {
        value = tri_emit_binary(e, "arith.subi", iv, r->stop, value);
        value = tri_emit_binary(e, "arith.addi", iv, value, r->start);
    }
    tri_frame_set(e, target, value, node->for_.target->span);
    bind_carried(e, &names, block_args(e, body, 1, inits.len));
    f->loop_depth++;
    tri_stmt_list(e, &node->for_.body);
    f->loop_depth--;
    emit_yield(e, &names);

    e->b = outer;
    MlirRegion region = region_of(body);
    MlirOperation op = tri_builder_create(&e->b, &(tri_op){.name = "scf.for",
                                                           .num_operands = (intptr_t)operands.len,
                                                           .operands = operands.at,
                                                           .num_results = (intptr_t)inits.len,
                                                           .results = types_of(e, &inits),
                                                           .num_regions = 1,
                                                           .regions = &region});
    for (int i = 0; i < r->num_attrs; i++)
        tri_builder_set_attr(op, r->attrs[i].name, r->attrs[i].value);
    attach_hints(e, op, body);
    tri_frame_restore(e, &live);
    bind_carried(e, &names, op_results(e, op, inits.len));
}

static void static_for(tri_eval *e, const tri_ast_node *node, const tri_ev *args)
{
    int64_t bounds[3];
    for (int i = 0; i < 3; i++)
        if (!tri_ev_get_int(args[i], &bounds[i])) {
            tri_eval_error_at(e, node->for_.iter->span, 3013,
                              "the bounds of tl.static_range must be compile-time integers, but %s is %s",
                              i == 2 ? "the step" : "one", tri_eval_describe(e, args[i]));
            tri_stmt_poison_targets(e, node);
            return;
        }
    if (!bounds[2]) {
        tri_eval_error_at(e, node->for_.iter->span, 3019, "the step of a loop must not be zero");
        return;
    }
    tri_int span = bounds[2] > 0 ? (tri_int)bounds[1] - bounds[0] : (tri_int)bounds[0] - bounds[1];
    tri_int turns = span / (bounds[2] > 0 ? bounds[2] : -(tri_int)bounds[2]);
    if (turns > 0 && turns * tri_least_statements(e, node, &node->for_.body) > e->max_ops - e->statements &&
        !tri_stmt_contains_return(&node->for_.body)) { /* told before the work */
        e->at = node->for_.iter->span;
        tri_eval_exhaust(e, "statements");
    }
    size_t errors = tri_diag_error_count(e->diag);
    for (tri_int i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
        tri_frame_set(e, tri_ast_text(node->for_.target), tri_ev_int(e, (int64_t)i), node->for_.target->span);
        e->frame->static_depth++;
        tri_stmt_list(e, &node->for_.body);
        e->frame->static_depth--;
        if (tri_diag_error_count(e->diag) > errors || e->is_exhausted)
            return; /* the next iterations would say the same again */
    }
}

void tri_loop_for(tri_eval *e, const tri_ast_node *node)
{
    const tri_ast_node *iter = node->for_.iter;
    if (node->for_.orelse.len) {
        tri_eval_error_at(e, node->for_.orelse.at[0]->span, 4001, "'else' of a loop is not supported in a kernel");
        return;
    }
    if (node->for_.target->kind != TRI_AST_NAME) {
        tri_eval_error_at(e, node->for_.target->span, 4001, "the target of a loop in a kernel must be one name");
        tri_stmt_poison_targets(e, node);
        return;
    }
    tri_ev callee = {0};
    if (iter->kind == TRI_AST_CALL)
        callee = tri_expr_eval(e, iter->call.func);
    bool plain = is_builtin(callee, "range"), ours = is_builtin(callee, "triton.language.range");
    bool fixed = is_builtin(callee, "triton.language.static_range");
    tri_ev args[arg_count];
    if (!plain && !ours && !fixed) {
        if (iter->kind != TRI_AST_CALL || !tri_ev_is_error(callee))
            tri_eval_error_at(e, iter->span, 4008,
                              "only range, tl.range and tl.static_range can be iterated in a kernel");
        tri_stmt_poison_targets(e, node);
        return;
    }
    tri_span at = e->at;
    e->at = iter->span;
    for_range r = {0};
    const tri_type *iv = NULL;
    bool ok = bind_range(e, iter, plain, args);
    if (ok && !fixed) {
        if (ours)
            range_attrs(e, args, &r);
        ok = convert_bounds(e, args, &r, &iv);
    }
    e->at = at;
    if (!ok)
        tri_stmt_poison_targets(e, node);
    else if (fixed)
        static_for(e, node, args);
    else
        emit_for(e, node, &r, iv);
}

/* ---- while ---- */

/* The condition, with tl.condition(...) taken apart. */
static tri_ev while_condition(tri_eval *e, const tri_ast_node *test, bool *out_no_licm)
{
    *out_no_licm = false;
    if (test->kind == TRI_AST_CALL && is_builtin(tri_expr_eval(e, test->call.func), "triton.language.condition")) {
        tri_call_args args = {0};
        if (!tri_call_evaluate_args(e, test, &args) || args.len < 1) {
            tri_eval_error_at(e, test->span, 3004, "tl.condition needs a condition");
            return (tri_ev){0};
        }
        if (args.len > 1)
            *out_no_licm = tri_expr_truth(e, args.at[1].value) == TRI_TRUTH_TRUE;
        return args.at[0].value;
    }
    return tri_expr_eval(e, test);
}

static tri_ev check_condition(tri_eval *e, const tri_ast_node *test, tri_ev c)
{
    if (tri_ev_is_error(c))
        return c;
    if (!tri_ev_is_tensor(c)) {
        c = tri_eval_error_at(e, test->span, 3016, "the condition of 'while' must be a runtime value, but this is %s",
                              tri_eval_describe(e, c));
        tri_eval_note(e, "store it in a variable first: an assignment makes a tensor of it");
        return c;
    }
    if (!tri_types_equal(c.type, tri_types_scalar(TRI_DTYPE_INT1)))
        return tri_eval_error_at(e, test->span, 3016,
                                 "the condition of 'while' must be a scalar of type int1, but this "
                                 "is '%s'; compare it: x != 0",
                                 tri_eval_type_name(e, c.type));
    return c;
}

void tri_loop_while(tri_eval *e, const tri_ast_node *node)
{
    tri_frame *f = e->frame;
    const tri_ast_node *test = node->while_.test;
    if (node->while_.orelse.len) {
        tri_eval_error_at(e, node->while_.orelse.at[0]->span, 4001, "'else' of a loop is not supported in a kernel");
        return;
    }
    carried_list names = {0};
    find_carried(e, &node->while_.body, TRI_STR(""), (MlirType){0}, NULL, &names);
    if (f->dry) {
        bind_unknown(e, &names);
        return;
    }
    tri_value_refs inits = {0};
    flatten_inits(e, &names, &inits);

    tri_builder outer = e->b;
    tri_locals live = tri_frame_copy_locals(e, &f->locals);
    MlirBlock before = block_for(e, &names, &inits, NULL), after = block_for(e, &names, &inits, NULL);
    e->b.block = before;
    e->b.before = (MlirOperation){0};
    MlirValue *args = block_args(e, before, 0, inits.len);
    bind_carried(e, &names, args);
    bool disable_licm;
    f->loop_depth++;
    tri_ev condition = check_condition(e, test, while_condition(e, test, &disable_licm));
    if (tri_ev_is_error(condition))
        condition = tri_emit_int(e, TRI_DTYPE_INT1, 0);
    tri_value_refs operands = {0};
    tri_vec_push(e->arena, &operands, condition.value);
    for (size_t i = 0; i < inits.len; i++)
        tri_vec_push(e->arena, &operands, args[i]);
    tri_builder_create(
        &e->b, &(tri_op){.name = "scf.condition", .num_operands = (intptr_t)operands.len, .operands = operands.at});

    e->b.block = after;
    tri_frame_restore(e, &live);
    bind_carried(e, &names, block_args(e, after, 0, inits.len));
    tri_stmt_list(e, &node->while_.body);
    f->loop_depth--;
    emit_yield(e, &names);

    e->b = outer;
    MlirRegion regions[2] = {region_of(before), region_of(after)};
    MlirOperation op = tri_builder_create(&e->b, &(tri_op){.name = "scf.while",
                                                           .num_operands = (intptr_t)inits.len,
                                                           .operands = inits.at,
                                                           .num_results = (intptr_t)inits.len,
                                                           .results = types_of(e, &inits),
                                                           .num_regions = 2,
                                                           .regions = regions});
    attach_hints(e, op, after);
    if (disable_licm)
        tri_builder_set_attr(op, "llvm.loop_annotation", no_licm(e));
    tri_frame_restore(e, &live);
    bind_carried(e, &names, op_results(e, op, inits.len));
}
