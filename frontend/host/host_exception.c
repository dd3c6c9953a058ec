/* Exceptions of host code: which class one has, whether a handler takes it, and the object that `as` names.
 *
 * What Python would raise has a class wherever its cause is known (an index out of range, a `raise`). A call whose
 * arguments a function does not take raises something whose class is not known: every handler takes that. What only
 * this evaluator cannot do is no exception; no handler runs for it. */
#include "frontend/host/host_eval.h"

#include <string.h>

/* Python's own classes, each behind the one that it derives from. */
static const struct {
    const char *name, *base;
} classes[] = {
#define EXCEPTION(name, base) {name, base},
#include "frontend/host/host_builtins.def"
};

bool tri_host_exception_is_class(tri_str path)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (tri_str_is(path, classes[i].name))
            return true;
    return false;
}

static bool derives_from(tri_str name, tri_str base)
{
    for (size_t i = sizeof classes / sizeof *classes; i-- > 0;) {
        if (!tri_str_is(name, classes[i].name))
            continue;
        if (tri_str_equal(name, base))
            return true;
        name = tri_str_from(classes[i].base ? classes[i].base : "");
    }
    return false;
}

const tri_value *tri_host_raise(tri_host *h, const char *name)
{
    h->is_exception = true;
    h->exception = NULL;
    h->exception_class = name ? tri_value_builtin(h->arena, tri_str_from(name)) : NULL;
    return NULL;
}

const tri_value *tri_host_exception_create(tri_host *h, tri_str path, const tri_host_args *args)
{
    tri_value *o = tri_value_object_create(h->arena, "");
    o->object.path = path;
    tri_host_exception_fill(h, o, args);
    return o;
}

void tri_host_exception_fill(tri_host *h, tri_value *object, const tri_host_args *args)
{
    tri_value_list items = {0};
    for (size_t i = 0; i < args->at.len; i++)
        tri_value_push(h->arena, &items, args->at.at[i].value);
    tri_value_set_field(h->arena, object, "args", tri_value_sequence(h->arena, TRI_VALUE_TUPLE, items.len, items.at));
}

bool tri_host_exception_is_wordless(const tri_value *v)
{
    return v->kind == TRI_VALUE_OBJECT && tri_host_exception_is_class(v->object.path) &&
           !tri_value_dict_find_str(v->object.fields, TRI_STR("args"));
}

/* The class of a file that derives from one of Python's does so in its source's words. */
static bool class_derives(const tri_class *cls, const tri_value *base)
{
    if (base->kind == TRI_VALUE_CLASS && base->cls == cls)
        return true;
    for (size_t i = 0; i < cls->bases.len; i++)
        if (class_derives(cls->bases.at[i], base))
            return true;
    for (uint32_t i = 0; base->kind == TRI_VALUE_BUILTIN && cls->node && i < cls->node->class_.bases.len; i++) {
        const tri_ast_node *arg = cls->node->class_.bases.at[i];
        if (arg->kind == TRI_AST_NAME && derives_from(tri_ast_text(arg), base->string))
            return true;
    }
    return false;
}

bool tri_host_exception_is_derived(const tri_class *cls)
{
    const tri_value base = {.kind = TRI_VALUE_BUILTIN, .string = TRI_STR("BaseException")};
    return class_derives(cls, &base);
}

bool tri_host_exception_derives(const tri_value *cls, const tri_value *base)
{
    if (base->kind == TRI_VALUE_TUPLE) {
        for (uint32_t i = 0; i < base->sequence.items.len; i++)
            if (tri_host_exception_derives(cls, base->sequence.items.at[i]))
                return true;
        return false;
    }
    if (cls->kind == TRI_VALUE_CLASS)
        return class_derives(cls->cls, base);
    return cls->kind == TRI_VALUE_BUILTIN && base->kind == TRI_VALUE_BUILTIN && derives_from(cls->string, base->string);
}

bool tri_host_exception_is_taken(tri_host *h, tri_host_frame *f, const tri_ast_node *handler, bool *out_taken)
{
    *out_taken = !handler->handler.type || !h->exception_class;
    if (*out_taken)
        return true;
    const tri_value *class = h->exception_class, *object = h->exception;
    const tri_value *type = tri_host_expr(h, f, handler->handler.type);
    h->exception_class = class;
    h->exception = object;
    *out_taken = type && tri_host_exception_derives(class, type);
    return type != NULL;
}

/* The class that `raise` names: of an object, or of the call that would make one. */
static const tri_value *class_of(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_value *v = tri_host_expr(h, f, node->kind == TRI_AST_CALL ? node->call.func : node);
    if (v && v->kind == TRI_VALUE_OBJECT && v->object.cls) {
        tri_value *class = TRI_NEW(h->arena, tri_value);
        class->kind = TRI_VALUE_CLASS;
        class->cls = v->object.cls;
        return class;
    }
    if (v && v->kind == TRI_VALUE_OBJECT)
        return tri_value_builtin(h->arena, v->object.path);
    return v && (v->kind == TRI_VALUE_CLASS || v->kind == TRI_VALUE_BUILTIN) ? v : NULL;
}

/* Evaluates with failures noted elsewhere: what `raise` prints may be beyond this evaluator. */
static const tri_value *quietly(tri_host *h, tri_host_frame *f, const tri_ast_node *node,
                                const tri_value *(*eval)(tri_host *, tri_host_frame *, const tri_ast_node *))
{
    tri_failure *outer = h->failure, inner = {0};
    h->failure = &inner;
    const tri_value *v = eval(h, f, node);
    h->failure = outer;
    return v;
}

void tri_host_exception_raise(tri_host *h, tri_host_frame *f, const tri_ast_node *node)
{
    const tri_ast_node *what = node->raise.exception;
    const tri_value *class = what ? quietly(h, f, what, class_of) : h->handled_class;
    const tri_value *object = what ? quietly(h, f, what, tri_host_expr) : h->handled;
    h->is_exception = true;
    h->exception_class = class;
    h->exception = object && object->kind == TRI_VALUE_OBJECT ? object : NULL;
    const tri_value *args = h->exception ? tri_value_dict_find_str(h->exception->object.fields, TRI_STR("args")) : NULL;
    const tri_value *text = args && args->kind == TRI_VALUE_TUPLE && args->sequence.items.len == 1
                                ? args->sequence.items.at[0] : NULL;
    if (text && text->kind == TRI_VALUE_STR && class && class->kind == TRI_VALUE_BUILTIN)
        tri_host_fail(h, node->span, "the function raises %.*s here: %.*s", TRI_STR_ARG(class->string),
                      TRI_STR_ARG(text->string));
    else
        tri_host_fail(h, node->span, "the function raises an exception here");
}
