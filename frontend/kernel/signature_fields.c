#include "frontend/kernel/signature_fields.h"

#include "frontend/host/scope.h"

enum { MOST_ATTRIBUTES = 32 };

typedef struct {
    tri_str param;
    tri_str names[MOST_ATTRIBUTES];
    size_t count;
} attributes;

uint32_t tri_signature_fields_find(const tri_class *cls, tri_str field)
{
    for (uint32_t i = 0; i < cls->fields.len; i++)
        if (tri_str_equal(cls->fields.at[i], field))
            return i + 1;
    return 0;
}

bool tri_signature_fields_is_constexpr(const tri_class *cls, tri_str field)
{
    for (uint32_t i = 0; cls->node && i < cls->node->class_.body.len; i++) {
        const tri_ast_node *e = cls->node->class_.body.at[i];
        tri_str text = e->kind == TRI_AST_ANN_ASSIGN ? tri_ast_text(e->ann_assign.annotation) : TRI_STR("");
        if (text.len && tri_str_equal(tri_ast_text(e->ann_assign.target), field))
            return tri_str_has_suffix(text, "constexpr");
    }
    return false;
}

static bool collect_attribute(const tri_ast_node *e, void *data)
{
    attributes *a = data;
    if (e->kind == TRI_AST_ATTRIBUTE && e->attribute.value->kind == TRI_AST_NAME && a->count < MOST_ATTRIBUTES &&
        tri_str_equal(tri_ast_text(e->attribute.value), a->param))
        a->names[a->count++] = e->attribute.name;
    return true;
}

static const tri_class *named_tuple(tri_scope *scope, tri_str name)
{
    tri_global g = {0};
    tri_failure ignored = {0};
    if (!name.len || tri_scope_find(scope, name, UINT32_MAX, &g, &ignored) != TRI_LOOKUP_FOUND ||
        g.value->kind != TRI_VALUE_CLASS || !g.value->cls->is_named_tuple)
        return NULL;
    return g.value->cls;
}

/* What is written as classes are: other names need not be evaluated. */
static bool is_class_name(tri_str name)
{
    bool has_lower = false;
    for (size_t i = 0; i < name.len; i++)
        has_lower = has_lower || (name.data[i] >= 'a' && name.data[i] <= 'z');
    return has_lower && ((name.data[0] >= 'A' && name.data[0] <= 'Z') || name.data[0] == '_');
}

static const tri_class *find_by_fields(const tri_function *function, const attributes *read)
{
    const tri_map *names = &function->module->scope->names;
    for (size_t i = 0; i < names->len; i++) {
        tri_str name = names->entries[i].key;
        const tri_class *cls = is_class_name(name) ? named_tuple(function->module->scope, name) : NULL;
        bool has_all = cls != NULL;
        for (size_t n = 0; has_all && n < read->count; n++)
            has_all = tri_signature_fields_find(cls, read->names[n]) != 0;
        if (has_all)
            return cls;
    }
    return NULL;
}

const tri_class *tri_signature_fields_class(const tri_function *function, tri_str param)
{
    int at = tri_module_param_index(function, param);
    const tri_ast_node *annotation = at < 0 ? NULL : function->node->function.params.at[at]->param.annotation;
    const tri_class *named =
        annotation && annotation->kind == TRI_AST_NAME ? named_tuple(function->scope, tri_ast_text(annotation)) : NULL;
    attributes read = {.param = param};
    for (uint32_t i = 0; at >= 0 && !named && i < function->node->function.body.len; i++)
        tri_ast_walk(function->node->function.body.at[i], collect_attribute, &read);
    return named || !read.count ? named : find_by_fields(function, &read);
}
