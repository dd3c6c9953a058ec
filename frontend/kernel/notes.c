#include "frontend/kernel/notes.h"

#include "frontend/builtins/builtins.h"

#include <stdio.h>

void tri_notes_init(tri_frontend_notes *notes, tri_arena *arena)
{
    *notes = (tri_frontend_notes){.arena = arena};
    tri_map_init(&notes->seen, arena);
}

/* Library code, trial runs of loop bodies, and what was noted before say nothing new. */
static bool is_wanted(tri_eval *e, tri_span at)
{
    tri_frontend_notes *notes = e->unit->notes;
    if (!notes || !at.source || e->dry || (e->frame && tri_prelude_holds(e, e->frame->function->module)))
        return false;
    char key[64];
    int length = snprintf(key, sizeof key, "%p:%u:%u", (const void *)at.source, at.begin, at.end);
    tri_str name = {key, (size_t)length};
    if (tri_map_find(&notes->seen, name))
        return false;
    tri_map_set(&notes->seen, tri_str_copy(notes->arena, name), notes);
    return true;
}

static tri_span span_of_value(const tri_value *v)
{
    if (v->kind == TRI_VALUE_FUNCTION && v->function->node)
        return tri_ast_name_span(v->function->node);
    if (v->kind == TRI_VALUE_CLASS && v->cls->node)
        return tri_ast_name_span(v->cls->node);
    return TRI_NO_SPAN;
}

static void describe_note(tri_eval *e, tri_ev v, tri_frontend_note *out)
{
    enum { longest_value = 200 };
    tri_arena *arena = e->unit->notes->arena;
    out->is_block = tri_ev_is_block(v);
    if (v.kind == TRI_EV_TENSOR) {
        const tri_type *element = out->is_block ? v.type->element : v.type;
        out->type = tri_str_format(arena, "%s%s", tri_eval_type_name(e, element),
                                   out->is_block ? tri_eval_shape_name(e, v.type->rank, v.type->shape) : "");
        return;
    }
    out->type = tri_str_copy(arena, tri_str_from(tri_eval_describe(e, v)));
    if (v.kind != TRI_EV_CE && v.kind != TRI_EV_METHOD)
        return;
    const tri_value *c = tri_value_unwrap(v.kind == TRI_EV_METHOD ? v.method->function : v.ce);
    if (c->kind == TRI_VALUE_BUILTIN)
        out->path = tri_str_copy(arena, c->string);
    else if (c->kind != TRI_VALUE_FUNCTION && c->kind != TRI_VALUE_MODULE && c->kind != TRI_VALUE_CLASS)
        out->value = tri_value_repr_str(arena, c);
    if (out->value.len > longest_value)
        out->value.len = 0;
    out->definition = span_of_value(c);
}

/* Where a name that was just evaluated is bound. */
static tri_span binding_of(tri_eval *e, const tri_ast_node *node)
{
    tri_global g = {0};
    tri_local *local = tri_frame_find(e, tri_ast_text(node));
    if (local)
        return local->at;
    if (tri_module_find(e->frame->function->scope, tri_ast_text(node), node->span, &g) == TRI_LOOKUP_FOUND)
        return g.at;
    return TRI_NO_SPAN;
}

void tri_notes_add_use(tri_eval *e, const tri_ast_node *node, tri_ev v)
{
    tri_span at = tri_ast_name_span(node);
    bool is_name = node->kind == TRI_AST_NAME;
    if ((!is_name && node->kind != TRI_AST_ATTRIBUTE) || tri_ev_is_error(v) || !is_wanted(e, at))
        return;
    tri_frontend_note note = {.at = at};
    describe_note(e, v, &note);
    if (!note.definition.source && is_name)
        note.definition = binding_of(e, node);
    tri_vec_push(e->unit->notes->arena, &e->unit->notes->all, note);
}

void tri_notes_add_binding(tri_eval *e, tri_span at, tri_ev v)
{
    if (tri_ev_is_error(v) || !is_wanted(e, at))
        return;
    tri_frontend_note note = {.at = at, .is_binding = true};
    describe_note(e, v, &note);
    note.definition = at;
    tri_vec_push(e->unit->notes->arena, &e->unit->notes->all, note);
}

bool tri_notes_library(size_t i, tri_str *out_path, tri_str *out_params, tri_str *out_method)
{
    const tri_builtin *row = tri_builtins_at(i);
    if (!row)
        return false;
    *out_path = tri_str_from(row->path);
    *out_params = tri_str_from(row->params);
    *out_method = tri_str_from(row->method ? row->method : "");
    return true;
}
