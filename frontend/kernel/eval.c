/* Reports of the evaluator. */
#include "frontend/kernel/eval.h"
#include "frontend/kernel/frame.h"
#include "ir/options.h"

tri_eval tri_eval_create(tri_modules *modules, MlirModule module, tri_arena *arena)
{
    tri_unit *unit = tri_module_unit(modules);
    tri_eval e = {.unit = unit,
                  .arena = arena,
                  .diag = unit->diag,
                  .mlir = unit->mlir,
                  .modules = modules,
                  .target = tri_module_target(modules),
                  .max_ops = tri_options_max_ops(unit->options),
                  .module_body = mlirModuleGetBody(module)};
    tri_map_init(&e.functions, arena);
    tri_map_init(&e.spans, arena);
    tri_map_init(&e.told, arena);
    return e;
}

void tri_eval_destroy(tri_eval *e)
{
    if (e->is_seen)
        tri_arena_adopt(e->unit->arena, e->arena);
    else
        tri_arena_destroy(e->arena);
    e->arena = NULL;
}

/* Where the function that is being compiled was called, outwards: at most a handful of notes. */
static void note_calls(tri_eval *e, tri_frame *from)
{
    enum { most = 6 };
    int n = 0;
    for (tri_frame *f = from; f && f->caller; f = f->caller, n++) {
        if (n == most) {
            tri_diag_note(e->diag, TRI_NO_SPAN, "... and more calls");
            return;
        }
        tri_diag_note(e->diag, f->call_at, "in the call of '%.*s' here", TRI_STR_ARG(f->function->name));
    }
}

tri_ev tri_eval_error_at(tri_eval *e, tri_span at, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(e->arena, format, args);
    va_end(args);
    /* What goes wrong inside the library is told where the user's code calls it. */
    tri_frame *f = e->frame;
    for (; f && tri_prelude_holds(e, f->function->module); f = f->caller)
        at = f->call_at;
    tri_diag_error(e->diag, at, code, "%s", text.data);
    note_calls(e, f);
    return (tri_ev){0};
}

tri_ev tri_eval_error(tri_eval *e, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(e->arena, format, args);
    va_end(args);
    return tri_eval_error_at(e, e->at, code, "%s", text.data);
}

void tri_eval_warning(tri_eval *e, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(e->arena, format, args);
    va_end(args);
    /* Code of the embedded library is not the user's to mend. */
    if (e->frame && tri_prelude_holds(e, e->frame->function->module))
        return;
    tri_diag_warning(e->diag, e->at, name, "%s", text.data);
}

void tri_eval_note(tri_eval *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tri_str text = tri_str_vformat(e->arena, format, args);
    va_end(args);
    tri_diag_note(e->diag, TRI_NO_SPAN, "%s", text.data);
}

const char *tri_eval_type_name(tri_eval *e, const tri_type *t) { return tri_types_name(e->arena, t).data; }

const char *tri_eval_shape_name(tri_eval *e, int rank, const int64_t *shape)
{
    tri_buf buf = {0};
    tri_buf_add_char(&buf, '[');
    for (int i = 0; i < rank; i++)
        tri_buf_format(&buf, "%s%lld", i ? ", " : "", (long long)shape[i]);
    tri_buf_add_char(&buf, ']');
    const char *text = tri_str_copy(e->arena, tri_buf_str(&buf)).data;
    tri_buf_fini(&buf);
    return text;
}

/* "(int32, 4, (fp32, fp32))", unless it is long. */
static void describe_elements(const tri_ev_tuple *t, tri_buf *out)
{
    enum { most = 8, deepest = 3 };
    if (t->count == 0 || t->count > most || t->size.depth > deepest)
        return;
    for (int i = 0; i < t->count; i++) {
        tri_ev v = t->at[i];
        tri_buf_add_z(out, i ? ", " : "(");
        if (v.kind == TRI_EV_TENSOR)
            tri_types_print(v.type, out);
        else if (v.kind == TRI_EV_CE)
            tri_value_repr(v.ce, out);
        else if (v.kind == TRI_EV_TUPLE && v.tuple->count)
            describe_elements(v.tuple, out);
        else
            tri_buf_add_z(out, "...");
    }
    tri_buf_add_z(out, t->count == 1 ? ",)" : ")");
}

static void describe(tri_eval *e, tri_ev v, tri_buf *out)
{
    switch (v.kind) {
    case TRI_EV_ERROR:
        tri_buf_add_z(out, "an erroneous value");
        return;
    case TRI_EV_CE:
        switch (v.ce->kind) {
        case TRI_VALUE_NONE:
        case TRI_VALUE_BOOL:
        case TRI_VALUE_INT:
        case TRI_VALUE_FLOAT:
            tri_value_repr(v.ce, out);
            return;
        case TRI_VALUE_FUNCTION:
            tri_buf_format(out, "function '%.*s'", TRI_STR_ARG(v.ce->function->name));
            return;
        case TRI_VALUE_BUILTIN:
            tri_buf_format(out, "library function '%.*s'", TRI_STR_ARG(v.ce->string));
            return;
        default:
            tri_buf_format(out, "%s ", tri_value_type_name(v.ce));
            tri_value_repr(v.ce, out);
            return;
        }
    case TRI_EV_TENSOR:
        tri_buf_add_z(out, tri_types_is_block(v.type) ? "a block of type '" : "a scalar of type '");
        tri_types_print(v.type, out);
        tri_buf_add_char(out, '\'');
        return;
    case TRI_EV_TUPLE:
        tri_buf_format(out, "a tuple of %d elements", v.tuple->count);
        tri_buf_add_char(out, ' ');
        describe_elements(v.tuple, out);
        if (out->data[out->len - 1] == ' ')
            out->len--;
        return;
    case TRI_EV_DESC:
        tri_buf_add_z(out, "a tensor descriptor of ");
        tri_types_print(v.desc->block, out);
        return;
    case TRI_EV_BLOCK_PTR:
        tri_buf_add_z(out, "a block pointer");
        return;
    case TRI_EV_OBJECT:
        tri_buf_format(out, "an object of class '%.*s'", TRI_STR_ARG(v.object->cls->name));
        return;
    case TRI_EV_METHOD:
        tri_buf_format(out, "method '%.*s'", TRI_STR_ARG(v.method->name));
        return;
    case TRI_EV_SLICE:
        tri_buf_add_z(out, "a slice");
        return;
    }
    (void)e;
}

const char *tri_eval_describe(tri_eval *e, tri_ev v)
{
    tri_buf buf = {0};
    describe(e, v, &buf);
    const char *text = tri_str_copy(e->arena, tri_buf_str(&buf)).data;
    tri_buf_fini(&buf);
    return text;
}

void tri_eval_exhaust(tri_eval *e, const char *what)
{
    if (e->is_exhausted)
        return;
    e->is_exhausted = true;
    e->exhausted_at = e->at;
    e->exhausted_by = what;
}
