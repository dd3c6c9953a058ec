/* Jit functions compiled for given arguments, and the calls to them. */
#include "frontend/kernel/function.h"
#include "frontend/host/host.h"
#include "frontend/syntax/bind.h"

#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

enum { max_call_depth = 96 };

/* A jit function compiled for one tuple of argument types. */
typedef struct {
    tri_str symbol;
    tri_ev result; /* types and CE parts of what it returns */
    bool is_ready; /* false while its body is compiled: a call then is a recursion without end */
    bool is_failed;
} specialisation;

/* ---- returned values ---- */

static bool join_lists(tri_eval *e, int n, const tri_ev *a, const tri_ev *b, tri_ev *out);

/* The type of two returned values together: equal constants stay constants. */
bool tri_function_join(tri_eval *e, tri_ev a, tri_ev b, tri_ev *out)
{
    if (tri_ev_same_type(a, b)) {
        *out = a;
        return true;
    }
    if (a.kind == TRI_EV_TUPLE && b.kind == TRI_EV_TUPLE && a.tuple->count == b.tuple->count &&
        a.tuple->cls == b.tuple->cls) {
        tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, a.tuple->count + 1);
        if (!join_lists(e, a.tuple->count, a.tuple->at, b.tuple->at, at))
            return false;
        *out = tri_ev_make_named(e, a.tuple->count, at, a.tuple->cls);
        return true;
    }
    if (a.kind == TRI_EV_OBJECT && b.kind == TRI_EV_OBJECT && a.object->cls == b.object->cls) {
        tri_ev_object *o = tri_arena_copy(e->arena, a.object, sizeof *o);
        o->fields = TRI_NEW_ARRAY(e->arena, tri_ev, o->count + 1);
        *out = (tri_ev){.kind = TRI_EV_OBJECT, .object = o};
        return join_lists(e, o->count, a.object->fields, b.object->fields, o->fields);
    }
    const tri_type *ta = tri_ev_is_tensor(a) ? a.type : tri_semantic_default_type(a);
    const tri_type *tb = tri_ev_is_tensor(b) ? b.type : tri_semantic_default_type(b);
    if (!ta || !tb || !tri_types_equal(ta, tb))
        return false;
    *out = (tri_ev){.kind = TRI_EV_TENSOR, .type = ta};
    return true;
}

static bool join_lists(tri_eval *e, int n, const tri_ev *a, const tri_ev *b, tri_ev *out)
{
    for (int i = 0; i < n; i++)
        if (!tri_function_join(e, a[i], b[i], &out[i]))
            return false;
    return true;
}

/* Numbers become constants where the joined type is a tensor. */
tri_ev tri_function_conform(tri_eval *e, tri_ev v, tri_ev like)
{
    if (like.kind == TRI_EV_TENSOR)
        return tri_semantic_to_tensor(e, v);
    if (like.kind == TRI_EV_TUPLE && v.kind == TRI_EV_TUPLE) {
        tri_ev *at = TRI_NEW_ARRAY(e->arena, tri_ev, v.tuple->count + 1);
        for (int i = 0; i < v.tuple->count; i++)
            at[i] = tri_function_conform(e, v.tuple->at[i], like.tuple->at[i]);
        return tri_ev_make_named(e, v.tuple->count, at, v.tuple->cls);
    }
    if (like.kind == TRI_EV_OBJECT && v.kind == TRI_EV_OBJECT) {
        tri_ev_object *o = tri_arena_copy(e->arena, v.object, sizeof *o);
        o->fields = TRI_NEW_ARRAY(e->arena, tri_ev, o->count + 1);
        for (int i = 0; i < o->count; i++)
            o->fields[i] = tri_function_conform(e, v.object->fields[i], like.object->fields[i]);
        v.object = o;
    }
    return v;
}

static bool join_returns(tri_eval *e, tri_frame *f, tri_ev *out)
{
    *out = f->returns.len ? f->returns.at[0].value : tri_ev_none(e);
    for (size_t i = 0; i < f->returns.len; i++)
        if (tri_ev_holds_error(f->returns.at[i].value))
            return false;
    for (size_t i = 1; i < f->returns.len; i++) {
        tri_ev joined;
        if (!tri_function_join(e, *out, f->returns.at[i].value, &joined)) {
            tri_eval_error_at(e, f->returns.at[i].at, 3023, "this returns %s, but another return gives %s",
                              tri_eval_describe(e, f->returns.at[i].value), tri_eval_describe(e, *out));
            for (size_t k = 0; k < i; k++)
                tri_diag_note(e->diag, f->returns.at[k].at, "this one returns %s",
                              tri_eval_describe(e, f->returns.at[k].value));
            tri_eval_note(e, "cast the values to one type; for compile-time conditions use 'else'");
            return false;
        }
        *out = joined;
    }
    return true;
}

static void emit_return(tri_eval *e, tri_ev value)
{
    tri_value_refs values = {0};
    tri_ev_flatten(e, value, &values);
    tri_builder_create(&e->b,
                       &(tri_op){.name = "tt.return", .num_operands = (intptr_t)values.len, .operands = values.at});
}

static void emit_poison_return(tri_eval *e, tri_ev like)
{
    tri_type_refs types = {0};
    tri_value_refs values = {0};
    tri_ev_flatten_types(e, like, &types);
    for (size_t i = 0; i < types.len; i++) {
        MlirOperation op =
            tri_builder_create(&e->b, &(tri_op){.name = "ub.poison", .num_results = 1, .results = &types.at[i]});
        tri_vec_push(e->arena, &values, mlirOperationGetResult(op, 0));
    }
    tri_builder_create(&e->b,
                       &(tri_op){.name = "tt.return", .num_operands = (intptr_t)values.len, .operands = values.at});
}

/* Terminators of all returns and of the end of the body. */
static bool finish_returns(tri_eval *e, tri_frame *f, tri_ev *out_result)
{
    MlirBlock end = e->b.block;
    MlirLocation end_loc = e->b.loc;
    if (!join_returns(e, f, out_result))
        return false;
    for (size_t i = 0; i < f->returns.len; i++) {
        tri_return *r = &f->returns.at[i];
        e->b = tri_builder_at_end(r->block, r->loc);
        emit_return(e, tri_function_conform(e, r->value, *out_result));
    }
    e->b = tri_builder_at_end(end, end_loc);
    emit_poison_return(e, *out_result);
    return true;
}

/* ---- dead blocks ---- */

/* Blocks that nothing reaches (code behind a return) go, together, as they may use one another's values. */
static void prune_blocks(tri_eval *e, MlirRegion region)
{
    TRI_VEC(MlirBlock) all = {0}, work = {0};
    tri_map reached;
    tri_map_init(&reached, e->arena);
    for (MlirBlock b = mlirRegionGetFirstBlock(region); b.ptr; b = mlirBlockGetNextInRegion(b))
        tri_vec_push(e->arena, &all, b);
    if (all.len == 1)
        return;
    tri_vec_push(e->arena, &work, all.at[0]);
    while (work.len) {
        MlirBlock b = work.at[--work.len];
        if (tri_map_find_ptr(&reached, b.ptr))
            continue;
        tri_map_set_ptr(&reached, b.ptr, b.ptr);
        MlirOperation t = mlirBlockGetTerminator(b);
        for (intptr_t i = 0; t.ptr && i < mlirOperationGetNumSuccessors(t); i++)
            tri_vec_push(e->arena, &work, mlirOperationGetSuccessor(t, i));
    }
    MlirRegion dead = mlirRegionCreate();
    for (size_t i = 0; i < all.len; i++)
        if (!tri_map_find_ptr(&reached, all.at[i].ptr)) {
            mlirBlockDetach(all.at[i]);
            mlirRegionAppendOwnedBlock(dead, all.at[i]);
        }
    mlirRegionDestroy(dead);
}

/* ---- compiling a body ---- */

static MlirBlock entry_block(tri_eval *e, const tri_function *f, int count, tri_ev *params)
{
    MlirBlock entry = mlirBlockCreate(0, NULL, NULL);
    tri_value_refs values = {0};
    for (int i = 0; i < count; i++) {
        const tri_ast_node *p = f->node->function.params.at[i];
        tri_type_refs types = {0};
        MlirLocation loc = tri_context_location(e->mlir, e->diag, tri_ast_name_span(p));
        loc = tri_context_named_location(loc, p->param.name);
        tri_ev_flatten_types(e, params[i], &types);
        for (size_t k = 0; k < types.len; k++)
            tri_vec_push(e->arena, &values, mlirBlockAddArgument(entry, types.at[k], loc));
    }
    const MlirValue *cursor = values.at;
    for (int i = 0; i < count; i++)
        params[i] = tri_ev_unflatten(e, params[i], &cursor);
    return entry;
}

static MlirAttribute function_type(tri_eval *e, MlirBlock entry, tri_ev result)
{
    tri_type_refs ins = {0}, outs = {0};
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++)
        tri_vec_push(e->arena, &ins, mlirValueGetType(mlirBlockGetArgument(entry, i)));
    tri_ev_flatten_types(e, result, &outs);
    return mlirTypeAttrGet(
        mlirFunctionTypeGet(e->mlir, (intptr_t)ins.len, ins.at, (intptr_t)outs.len, outs.at));
}

bool tri_function_keeps_variables(const tri_eval *e)
{
    return e->target->keeps_variables && !tri_prelude_holds(e, e->frame->function->module);
}

/* For a debugger: does a helper that only passes numbers, pointers and blocks keep a frame of its own? */
static bool keeps_frame(const tri_eval *e, MlirAttribute type)
{
    enum { max_values = 32 };
    MlirType t = mlirTypeAttrGetValue(type);
    intptr_t ins = mlirFunctionTypeGetNumInputs(t), outs = mlirFunctionTypeGetNumResults(t);
    bool is_plain = tri_function_keeps_variables(e) && ins + outs <= max_values;
    for (intptr_t i = 0; i < ins + outs && is_plain; i++) {
        MlirType v = i < ins ? mlirFunctionTypeGetInput(t, i) : mlirFunctionTypeGetResult(t, i - ins);
        bool is_block_ptr = tri_type_is_ptr(v) && tri_type_is_tensor(tri_type_ptr_pointee(v));
        is_plain = !tri_type_is_desc(v) && !is_block_ptr;
    }
    return is_plain;
}

/* For a debugger: the arguments of a helper that are compile-time constants, parameter -> Python's spelling. */
static MlirAttribute constant_arguments(const tri_eval *e, const tri_function *f, int count, const tri_ev *params)
{
    TRI_VEC(MlirNamedAttribute) constants = {0};
    if (!tri_function_keeps_variables(e))
        return (MlirAttribute){0};
    for (int i = 0; i < count; i++) {
        if (!tri_ev_is_ce(params[i]))
            continue;
        tri_str name = f->node->function.params.at[i]->param.name;
        tri_str value = tri_value_repr_str(e->arena, tri_value_unwrap(params[i].ce));
        tri_vec_push(e->arena, &constants,
                     mlirNamedAttributeGet(mlirIdentifierGet(e->mlir, mlirStringRefCreate(name.data, name.len)),
                                           tri_attr_str(e->mlir, value.data, value.len)));
    }
    return constants.len ? mlirDictionaryAttrGet(e->mlir, (intptr_t)constants.len, constants.at) : (MlirAttribute){0};
}

/* Where the end of the body returns: at its last statement, as in Triton's line tables. */
static MlirLocation end_of_body(tri_eval *e, const tri_function *f, MlirLocation otherwise)
{
    const tri_ast_list *body = &f->node->function.body;
    return body->len ? tri_context_location(e->mlir, e->diag, body->at[body->len - 1]->span) : otherwise;
}

MlirOperation tri_function_compile(tri_eval *e, const tri_function *f, tri_str symbol, bool is_kernel, tri_span call_at,
                                   int count, tri_ev *params, tri_ev *out_result)
{
    tri_builder outer_b = e->b;
    tri_span outer_at = e->at;
    const tri_span *outer_spans = e->arg_spans;
    tri_frame frame = {.caller = e->frame, .call_at = call_at, .function = f, .is_kernel = is_kernel,
                       .depth = e->frame ? e->frame->depth + 1 : 0};
    e->frame = &frame;
    frame.region = mlirRegionCreate();
    MlirLocation loc = tri_context_location(e->mlir, e->diag, f->node->span);
    MlirBlock entry = entry_block(e, f, count, params);
    mlirRegionAppendOwnedBlock(frame.region, entry);
    e->b = (tri_builder){.context = e->mlir, .block = entry, .loc = loc};
    e->at = f->node->span;
    for (int i = 0; i < count; i++) {
        const tri_ast_node *p = f->node->function.params.at[i];
        tri_frame_set(e, p->param.name, params[i], tri_ast_name_span(p));
    }
    size_t errors = tri_diag_error_count(e->diag);
    tri_stmt_list(e, &f->node->function.body);
    e->b.loc = end_of_body(e, f, loc);
    bool ok = finish_returns(e, &frame, out_result) && tri_diag_error_count(e->diag) == errors;
    MlirOperation op = {0};
    if (ok) {
        prune_blocks(e, frame.region);
        e->b = tri_builder_at_end(e->module_body, loc);
        const char *visibility = is_kernel ? "public" : "private";
        MlirAttribute type = function_type(e, entry, *out_result);
        bool is_noinline = !is_kernel && (f->noinline || keeps_frame(e, type));
        tri_attr attrs[] = {
            {"sym_name", tri_attr_str(e->mlir, symbol.data, symbol.len)},
            {"function_type", type},
            {"sym_visibility", tri_attr_str(e->mlir, visibility, strlen(visibility))},
            {"noinline", tri_attr_bool(e->mlir, is_noinline)},
            {TRI_CONSTANT_ARGUMENTS, is_kernel ? (MlirAttribute){0} : constant_arguments(e, f, count, params)},
        };
        op = tri_builder_create(&e->b, &(tri_op){.name = "tt.func", .num_attrs = 5, .attrs = attrs, .num_regions = 1,
                                                 .regions = &frame.region});
    }
    else {
        mlirRegionDestroy(frame.region);
    }
    e->frame = frame.caller;
    e->b = outer_b;
    e->at = outer_at;
    e->arg_spans = outer_spans;
    return op;
}

/* ---- calls ---- */

/* Says why arguments do not meet the parameters of f behind the first `first`. */
static void report_binding(tri_eval *e, const tri_function *f, tri_str name, size_t first, const tri_call_args *args,
                           tri_bind_result bound, tri_span at)
{
    const tri_ast_list *list = &f->node->function.params;
    const tri_call_arg *arg = bound.status == TRI_BIND_MISSING ? NULL : &args->at[bound.at];
    size_t takes = list->len - first, positional = 0;
    for (size_t i = 0; i < args->len; i++)
        positional += tri_str_is_empty(args->at[i].name);
    if (bound.status == TRI_BIND_SURPLUS)
        tri_eval_error_at(e, arg->at, 3004, "'%.*s' takes %zu positional argument%s but %zu %s given",
                          TRI_STR_ARG(name), takes, takes == 1 ? "" : "s", positional, positional == 1 ? "is" : "are");
    else if (bound.status == TRI_BIND_MISSING)
        tri_eval_error_at(e, at, 3004, "argument '%.*s' of '%.*s' is missing",
                          TRI_STR_ARG(list->at[first + bound.at]->param.name), TRI_STR_ARG(name));
    else
        tri_eval_error_at(e, arg->at, 3004,
                          bound.status == TRI_BIND_UNKNOWN ? "'%.*s' has no parameter '%.*s'"
                                                           : "'%.*s' is given its parameter '%.*s' twice",
                          TRI_STR_ARG(name), TRI_STR_ARG(arg->name));
    if (bound.status == TRI_BIND_UNKNOWN) {
        tri_str *names = TRI_NEW_ARRAY(e->arena, tri_str, takes + 1);
        for (size_t i = 0; i < takes; i++)
            names[i] = list->at[first + i]->param.name;
        tri_call_suggest(e, arg, names, takes);
    }
    tri_diag_note(e->diag, tri_ast_name_span(f->node), "it is defined here");
}

/* Values of arguments and defaults. Kernels have no dictionaries: **kwargs is the empty tuple and takes nothing. */
static bool fill_params(tri_eval *e, const tri_function *f, size_t first, const tri_call_args *args,
                        const size_t *slots, const bool *given, tri_ev *params)
{
    const tri_ast_list *list = &f->node->function.params;
    for (size_t p = first; p < list->len; p++) {
        tri_ast_param_kind kind = list->at[p]->param.kind;
        TRI_VEC(tri_ev) values = {0};
        for (size_t i = 0; i < args->len; i++)
            if (slots[i] == p - first)
                tri_vec_push(e->arena, &values, args->at[i].value);
        if (kind == TRI_AST_PARAM_VARARGS || kind == TRI_AST_PARAM_KWARGS) {
            params[p] = tri_ev_make_tuple(e, (int)values.len, values.at);
        } else if (given[p - first]) {
            params[p] = values.at[0];
        } else {
            bool failed = false;
            const tri_value *d = tri_host_default(f, (int)p, &failed);
            if (failed || !d)
                return false;
            params[p] = tri_ev_from_value(e, d);
        }
    }
    for (size_t p = first; p < list->len; p++)
        if (tri_ev_holds_error(params[p]))
            return false;
    return true;
}

bool tri_function_bind(tri_eval *e, const tri_function *f, tri_str name, size_t first, const tri_call_args *args,
                       tri_span at, tri_ev *params)
{
    const tri_ast_list *list = &f->node->function.params;
    size_t *slots = TRI_NEW_ARRAY(e->arena, size_t, args->len + 1);
    tri_str *names = TRI_NEW_ARRAY(e->arena, tri_str, args->len + 1);
    bool *given = TRI_NEW_ARRAY(e->arena, bool, list->len + 1);
    for (size_t i = 0; i < args->len; i++)
        names[i] = args->at[i].name;
    tri_bind_result bound =
        tri_bind_arguments(tri_bind_params(e->arena, list, first), list->len - first, names, args->len, slots, given);
    for (size_t i = 0; i < args->len && bound.status == TRI_BIND_OK; i++)
        if (list->at[first + slots[i]]->param.kind == TRI_AST_PARAM_KWARGS)
            bound = (tri_bind_result){TRI_BIND_UNKNOWN, i};
    if (bound.status != TRI_BIND_OK) {
        report_binding(e, f, name, first, args, bound, at);
        return false;
    }
    return fill_params(e, f, first, args, slots, given, params);
}

static bool check_noinline(tri_eval *e, const tri_function *f, int count, const tri_ev *params, tri_span at)
{
    for (int i = 0; f->noinline && i < count; i++)
        if (tri_ev_is_block(params[i])) {
            tri_eval_error_at(e, at, 4001, "'%.*s' is noinline and can not take the block '%.*s' of type '%s'",
                              TRI_STR_ARG(f->name), TRI_STR_ARG(f->node->function.params.at[i]->param.name),
                              tri_eval_type_name(e, params[i].type));
            return false;
        }
    return true;
}

static tri_str mangle(tri_eval *e, const tri_function *f, int count, const tri_ev *params)
{
    tri_buf buf = {0};
    tri_buf_format(&buf, "%.*s.%.*s__", TRI_STR_ARG(tri_module_name(f->module)), TRI_STR_ARG(f->qualified_name));
    for (int i = 0; i < count; i++) {
        if (i)
            tri_buf_add_char(&buf, '_');
        tri_ev_mangle(e, params[i], &buf);
    }
    for (size_t i = 0; i < buf.len; i++)
        if (buf.data[i] == '<' || buf.data[i] == '>')
            buf.data[i] = '_';
    tri_str symbol = tri_str_copy(e->arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return symbol;
}

static specialisation *specialise(tri_eval *e, const tri_function *f, int count, tri_ev *params, tri_span at)
{
    tri_str symbol = mangle(e, f, count, params);
    /* Two functions of one name (defined under different conditions) are kept apart by their place. */
    tri_str key = tri_str_format(e->arena, "%p %.*s", (const void *)f->node, TRI_STR_ARG(symbol));
    specialisation *s = tri_map_find(&e->functions, key);
    if (s && !s->is_ready) {
        tri_eval_error_at(e, at, 4007, "'%.*s' calls itself with the same argument types: the recursion has no end",
                          TRI_STR_ARG(f->name));
        return NULL;
    }
    if (s)
        return s;
    if (e->frame->depth >= max_call_depth) {
        tri_eval_error_at(e, at, 4007, "more than %d calls inside one another", max_call_depth);
        return NULL;
    }
    s = TRI_NEW(e->arena, specialisation);
    tri_map_set(&e->functions, key, s);
    if (tri_map_find(&e->functions, symbol))
        symbol = tri_str_format(e->arena, "%.*s.%u", TRI_STR_ARG(symbol), f->node->span.begin);
    tri_map_set(&e->functions, symbol, s);
    s->symbol = symbol;
    size_t told = tri_diag_error_count(e->diag) + tri_diag_warning_count(e->diag);
    MlirOperation op = tri_function_compile(e, f, symbol, false, at, count, params, &s->result);
    s->is_ready = true;
    s->is_failed = !op.ptr;
    /* What a dry run tells is dropped, so it must be told again by the real one. */
    if (e->dry && tri_diag_error_count(e->diag) + tri_diag_warning_count(e->diag) != told) {
        if (op.ptr)
            mlirOperationDestroy(op);
        tri_map_set(&e->functions, key, NULL);
        tri_map_set(&e->functions, symbol, NULL);
        s->is_failed = true;
        if (op.ptr) /* only warnings: the types are still good for the dry run */
            s->is_failed = false;
    }
    return s;
}

tri_ev tri_call_jit(tri_eval *e, const tri_function *f, tri_call_args *args, tri_span at)
{
    int count = (int)f->node->function.params.len;
    tri_ev *params = TRI_NEW_ARRAY(e->arena, tri_ev, count + 1);
    if (!tri_function_bind(e, f, f->name, 0, args, at, params) || !check_noinline(e, f, count, params, at))
        return (tri_ev){0};
    tri_value_refs operands = {0};
    for (int i = 0; i < count; i++)
        tri_ev_flatten(e, params[i], &operands);
    specialisation *s = specialise(e, f, count, params, at);
    if (!s || s->is_failed)
        return (tri_ev){0};
    tri_type_refs types = {0};
    tri_ev_flatten_types(e, s->result, &types);
    tri_attr callee = {"callee", mlirFlatSymbolRefAttrGet(e->mlir, mlirStringRefCreate(s->symbol.data, s->symbol.len))};
    MlirOperation call = tri_builder_create(&e->b, &(tri_op){.name = "tt.call",
                                                             .num_operands = (intptr_t)operands.len,
                                                             .operands = operands.at,
                                                             .num_results = (intptr_t)types.len,
                                                             .results = types.at,
                                                             .num_attrs = 1,
                                                             .attrs = &callee});
    MlirValue *results = TRI_NEW_ARRAY(e->arena, MlirValue, types.len + 1);
    for (size_t i = 0; i < types.len; i++)
        results[i] = mlirOperationGetResult(call, (intptr_t)i);
    const MlirValue *cursor = results;
    return tri_ev_unflatten(e, s->result, &cursor);
}
