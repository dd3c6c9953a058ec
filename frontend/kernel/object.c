/* Aggregates and named tuples. */
#include "frontend/builtins/builtins.h"
#include "frontend/kernel/frame.h"
#include "frontend/host/host.h"
#include "frontend/syntax/bind.h"

static bool find_in_class(tri_eval *e, const tri_class *cls, tri_str name, tri_span use, const tri_value **out)
{
    tri_value v = {.kind = TRI_VALUE_CLASS, .cls = cls};
    tri_global g = {0};
    const tri_value *cv = tri_arena_copy(e->arena, &v, sizeof v);
    if (tri_module_attribute(e->modules, cv, name, use, &g) != TRI_LOOKUP_FOUND)
        return false;
    *out = g.value;
    return true;
}

bool tri_object_find_method(tri_eval *e, tri_ev object, tri_str name, tri_ev *out_method)
{
    const tri_value *f;
    const tri_class *cls = object.kind == TRI_EV_TUPLE ? object.tuple->cls : object.object->cls;
    if (!cls || !find_in_class(e, cls, name, e->at, &f) || f->kind != TRI_VALUE_FUNCTION)
        return false;
    tri_ev_method *m = TRI_NEW(e->arena, tri_ev_method);
    *m = (tri_ev_method){object, f, name};
    *out_method = (tri_ev){.kind = TRI_EV_METHOD, .method = m};
    return true;
}

tri_ev tri_object_attribute(tri_eval *e, tri_ev object, tri_str name, const tri_ast_node *node)
{
    const tri_class *cls = object.kind == TRI_EV_TUPLE ? object.tuple->cls : object.object->cls;
    const tri_value *v;
    tri_ev method;
    if (object.kind == TRI_EV_OBJECT)
        for (size_t i = 0; i < cls->fields.len; i++)
            if (tri_str_equal(cls->fields.at[i], name))
                return object.object->fields[i];
    if (tri_object_find_method(e, object, name, &method))
        return method;
    if (find_in_class(e, cls, name, node->span, &v))
        return tri_ev_from_value(e, v);
    return tri_eval_error_at(e, tri_ast_name_span(node), 3003, "class '%.*s' has no attribute '%.*s'",
                             TRI_STR_ARG(cls->name), TRI_STR_ARG(name));
}

static int field_index(const tri_class *cls, tri_str name)
{
    for (size_t i = 0; i < cls->fields.len; i++)
        if (tri_str_equal(cls->fields.at[i], name))
            return (int)i;
    return -1;
}

/* Positional and keyword values to fields, then defaults. */
static bool bind_fields(tri_eval *e, const tri_class *cls, const tri_call_args *args, tri_span at, tri_ev *fields)
{
    size_t n = cls->fields.len, *slots = TRI_NEW_ARRAY(e->arena, size_t, args->len + 1);
    tri_bind_param *params = TRI_NEW_ARRAY(e->arena, tri_bind_param, n + 1);
    tri_str *names = TRI_NEW_ARRAY(e->arena, tri_str, args->len + 1);
    bool *given = TRI_NEW_ARRAY(e->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++)
        params[i] =
            (tri_bind_param){.name = cls->fields.at[i], .is_optional = i < cls->defaults.len && cls->defaults.at[i]};
    for (size_t i = 0; i < args->len; i++)
        names[i] = args->at[i].name;
    tri_bind_result bound = tri_bind_arguments(params, n, names, args->len, slots, given);
    if (bound.status == TRI_BIND_MISSING)
        tri_eval_error_at(e, at, 3004, "field '%.*s' of class '%.*s' is missing", TRI_STR_ARG(params[bound.at].name),
                          TRI_STR_ARG(cls->name));
    else if (bound.status != TRI_BIND_OK)
        tri_eval_error_at(e, args->at[bound.at].at, 3004,
                          bound.status == TRI_BIND_UNKNOWN   ? "class '%.*s' has no field '%.*s'"
                          : bound.status == TRI_BIND_SURPLUS ? "too many values for class '%.*s'%.*s"
                                                             : "a field of class '%.*s' is given twice: '%.*s'",
                          TRI_STR_ARG(cls->name), TRI_STR_ARG(names[bound.at]));
    if (bound.status != TRI_BIND_OK)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!given[i])
            fields[i] = tri_ev_from_value(e, cls->defaults.at[i]);
    for (size_t i = 0; i < args->len; i++) {
        if (tri_ev_is_error(args->at[i].value))
            return false;
        fields[slots[i]] = args->at[i].value;
    }
    return true;
}

static tri_ev make_object(tri_eval *e, const tri_class *cls, tri_ev *fields)
{
    tri_ev_object *o = TRI_NEW(e->arena, tri_ev_object);
    *o = (tri_ev_object){.cls = cls, .count = (int)cls->fields.len, .fields = fields};
    if (!tri_ev_measure(e, o->count, fields, &o->size))
        return (tri_ev){0};
    return (tri_ev){.kind = TRI_EV_OBJECT, .object = o};
}

/* `self` while a user-written __init__ runs: its fields are the assignments of the form self.x = v. */
static tri_ev run_init(tri_eval *e, const tri_class *cls, const tri_value *init, tri_call_args *args, tri_span at)
{
    const tri_ast_node *def = init->function->node;
    tri_frame frame = {.caller = e->frame,
                       .call_at = at,
                       .function = init->function,
                       .is_kernel = false,
                       .depth = e->frame->depth + 1,
                       .region = e->frame->region,
                       .loop_depth = e->frame->loop_depth,
                       .dry = e->frame->dry};
    size_t n = cls->fields.len;
    tri_ev *fields = TRI_NEW_ARRAY(e->arena, tri_ev, n + 1);
    bool *given = TRI_NEW_ARRAY(e->arena, bool, n + 1);
    const tri_ast_list *params = &def->function.params;
    tri_ev *values = TRI_NEW_ARRAY(e->arena, tri_ev, params->len);
    tri_frame *outer = e->frame;
    if (!tri_function_bind(e, init->function, cls->name, 1, args, at, values)) /* behind self */
        return (tri_ev){0};
    e->frame = &frame;
    bool ok = true;
    for (uint32_t p = 1; p < params->len; p++)
        tri_frame_set(e, params->at[p]->param.name, values[p], params->at[p]->span);
    for (uint32_t i = 0; i < def->function.body.len && ok; i++) {
        const tri_ast_node *s = def->function.body.at[i];
        const tri_ast_node *t =
            s->kind == TRI_AST_ASSIGN && s->assign.targets.len == 1 ? s->assign.targets.at[0] : NULL;
        bool is_field = t && t->kind == TRI_AST_ATTRIBUTE && t->attribute.value->kind == TRI_AST_NAME &&
                        tri_str_equal(tri_ast_text(t->attribute.value), params->at[0]->param.name);
        if (!is_field) {
            tri_stmt_list(e, &(tri_ast_list){(tri_ast_node **)&def->function.body.at[i], 1});
            continue;
        }
        int f = field_index(cls, t->attribute.name);
        tri_ev v = tri_expr_eval(e, s->assign.value);
        if (f < 0) {
            tri_eval_error_at(e, t->span, 3003, "class '%.*s' declares no field '%.*s'", TRI_STR_ARG(cls->name),
                              TRI_STR_ARG(t->attribute.name));
            ok = false;
        } else {
            fields[f] = v;
            given[f] = true;
        }
    }
    e->frame = outer;
    for (size_t i = 0; i < n && ok; i++)
        if (!given[i]) {
            tri_eval_error_at(e, at, 3004, "'__init__' of class '%.*s' does not set field '%.*s'",
                              TRI_STR_ARG(cls->name), TRI_STR_ARG(cls->fields.at[i]));
            ok = false;
        } else if (tri_ev_is_error(fields[i])) {
            ok = false;
        }
    if (!ok)
        return (tri_ev){0};
    return make_object(e, cls, fields);
}

tri_ev tri_object_construct(tri_eval *e, const tri_class *cls, tri_call_args *args, tri_span at)
{
    const tri_value *init;
    if (!cls->is_named_tuple && !cls->is_aggregate)
        return tri_eval_error_at(e, at, 4001, "objects of class '%.*s' can not be made in a kernel; decorate it with "
                                 "@triton.aggregate", TRI_STR_ARG(cls->name));
    if (cls->is_aggregate && cls->node && find_in_class(e, cls, TRI_STR("__init__"), at, &init) &&
        init->kind == TRI_VALUE_FUNCTION && init->function->node->function.params.len > 0)
        return run_init(e, cls, init, args, at);
    tri_ev *fields = TRI_NEW_ARRAY(e->arena, tri_ev, cls->fields.len + 1);
    if (!bind_fields(e, cls, args, at, fields))
        return (tri_ev){0};
    if (cls->is_named_tuple)
        return tri_ev_make_named(e, (int)cls->fields.len, fields, cls);
    return make_object(e, cls, fields);
}

tri_ev tri_object_replace(tri_eval *e, tri_call_args *args, tri_span at)
{
    if (!args->len || args->at[0].name.len || args->at[0].value.kind != TRI_EV_OBJECT)
        return tri_eval_error_at(e, at, 3004, "tl.aggregate_replace takes an aggregate and the fields to change");
    tri_ev object = args->at[0].value;
    tri_ev_object *o = tri_arena_copy(e->arena, object.object, sizeof *o);
    o->fields = tri_arena_copy(e->arena, o->fields, sizeof *o->fields * (size_t)o->count);
    for (size_t i = 1; i < args->len; i++) {
        int f = field_index(o->cls, args->at[i].name);
        if (f < 0)
            return tri_eval_error_at(e, args->at[i].at, 3004, "class '%.*s' has no field '%.*s'",
                                     TRI_STR_ARG(o->cls->name), TRI_STR_ARG(args->at[i].name));
        if (tri_ev_is_error(args->at[i].value))
            return args->at[i].value;
        o->fields[f] = args->at[i].value;
    }
    if (!tri_ev_measure(e, o->count, o->fields, &o->size))
        return (tri_ev){0};
    object.object = o;
    return object;
}
