#include "frontend/kernel/fixes.h"

#include "frontend/host/scope.h"
#include "frontend/kernel/frame.h"

#include <ctype.h>

static bool is_users(const tri_eval *e) { return !e->frame || !tri_prelude_holds(e, e->frame->function->module); }

/* The text of an operand, in parentheses where operators of bits bind tighter. */
static tri_str operand_text(tri_eval *e, const tri_ast_node *node)
{
    bool is_simple = node->kind == TRI_AST_NAME || node->kind == TRI_AST_CALL || node->kind == TRI_AST_ATTRIBUTE ||
                     node->kind == TRI_AST_SUBSCRIPT || node->kind == TRI_AST_INT;
    tri_str text = tri_ast_text(node);
    return is_simple ? text : tri_str_format(e->arena, "(%.*s)", TRI_STR_ARG(text));
}

void tri_fixes_logical(tri_eval *e, const tri_ast_node *node)
{
    tri_buf text = {0};
    const char *sign = node->boolean.op == TRI_AST_AND_OP ? " & " : " | ";
    for (uint32_t i = 0; i < node->boolean.values.len; i++)
        tri_buf_format(&text, "%s%.*s", i ? sign : "", TRI_STR_ARG(operand_text(e, node->boolean.values.at[i])));
    if (is_users(e))
        tri_diag_fix(e->diag, node->span, "%.*s", TRI_STR_ARG(tri_buf_str(&text)));
    tri_buf_fini(&text);
}

void tri_fixes_comparison(tri_eval *e, const tri_ast_node *node)
{
    tri_buf text = {0};
    const tri_ast_node *left = node->compare.left;
    for (uint32_t i = 0; i < node->compare.rights.len; i++) {
        const tri_ast_node *right = node->compare.rights.at[i];
        tri_buf_format(&text, "%s(%.*s %s %.*s)", i ? " & " : "", TRI_STR_ARG(operand_text(e, left)),
                       tri_ast_op_text(node->compare.ops[i]), TRI_STR_ARG(operand_text(e, right)));
        left = right;
    }
    if (is_users(e))
        tri_diag_fix(e->diag, node->span, "%.*s", TRI_STR_ARG(tri_buf_str(&text)));
    tri_buf_fini(&text);
}

void tri_fixes_product(tri_eval *e, const tri_ast_node *node)
{
    if (is_users(e))
        tri_diag_fix(e->diag, node->span, "tl.dot(%.*s, %.*s)", TRI_STR_ARG(tri_ast_text(node->binary.left)),
                     TRI_STR_ARG(tri_ast_text(node->binary.right)));
}

/* ---- names ---- */

static bool is_in_language(tri_eval *e, tri_str name)
{
    return name.len && tri_library_find(e->arena, TRI_STR("triton.language"), name);
}

/* Does the function's file know the language as `tl`? */
static bool knows_tl(const tri_eval *e)
{
    tri_str text = tri_module_ast(e->frame->function->module)->source->text;
    static const char import[] = "triton.language as tl\n";
    return memmem(text.data, text.len, import, sizeof import - 1) != NULL;
}

static tri_str identifier_at(tri_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && (isalnum((unsigned char)text.data[end]) || text.data[end] == '_'))
        end++;
    return tri_str_sub(text, at, end);
}

/* "import triton.language as tl" behind "import triton". */
static bool fix_import(tri_eval *e, const tri_ast_node *node)
{
    static const char import[] = "import triton\n";
    tri_str text = node->span.source->text;
    const char *found = memmem(text.data, text.len, import, sizeof import - 1);
    if (!found || (found != text.data && found[-1] != '\n'))
        return false;
    uint32_t at = (uint32_t)(found - text.data + sizeof import - 1);
    tri_diag_fix(e->diag, (tri_span){node->span.source, at, at}, "import triton.language as tl\n");
    return true;
}

bool tri_fixes_unknown_name(tri_eval *e, const tri_ast_node *node)
{
    static const char *const constants[][2] = {
        {"true", "True"}, {"false", "False"}, {"null", "None"}, {"nullptr", "None"}, {"none", "None"}};
    static const char *const libraries[] = {"torch", "math", "np", "numpy", "jnp", "cmath"};
    tri_str text = node->span.source->text;
    if (!is_users(e))
        return false;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (tri_str_is(tri_ast_text(node), constants[i][0])) {
            tri_diag_fix(e->diag, node->span, "%s", constants[i][1]);
            return true;
        }
    if (tri_str_is(tri_ast_text(node), "tl"))
        return fix_import(e, node);
    if (knows_tl(e) && is_in_language(e, tri_ast_text(node))) {
        tri_diag_fix(e->diag, node->span, "tl.%.*s", TRI_STR_ARG(tri_ast_text(node)));
        return true;
    }
    bool is_library = false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        is_library = is_library || tri_str_is(tri_ast_text(node), libraries[i]);
    bool is_language = is_library && node->span.end < text.len && text.data[node->span.end] == '.' && knows_tl(e) &&
                       is_in_language(e, identifier_at(text, node->span.end + 1));
    if (is_language)
        tri_diag_fix(e->diag, node->span, "tl");
    return is_language;
}

void tri_fixes_library_call(tri_eval *e, tri_span at)
{
    if (!at.source || !is_users(e) || !knows_tl(e))
        return;
    tri_str text = at.source->text, name = identifier_at(text, at.begin);
    size_t end = at.begin + name.len;
    if (tri_str_is(name, "tl"))
        return;
    while (end < at.end && text.data[end] == '.') {
        name = identifier_at(text, end + 1);
        end += 1 + name.len;
    }
    if (end > at.begin + name.len && is_in_language(e, name))
        tri_diag_fix(e->diag, (tri_span){at.source, at.begin, (uint32_t)end}, "tl.%.*s", TRI_STR_ARG(name));
}

void tri_fixes_constexpr(tri_eval *e, tri_span at)
{
    if (!at.source || !is_users(e) || e->frame->function->node->kind != TRI_AST_FUNCTION || !knows_tl(e))
        return;
    tri_str name = tri_str_sub(at.source->text, at.begin, at.end);
    const tri_ast_list *params = &e->frame->function->node->function.params;
    for (uint32_t i = 0; i < params->len; i++) {
        const tri_ast_node *param = params->at[i];
        if (param->kind != TRI_AST_PARAM || param->param.annotation || !tri_str_equal(param->param.name, name))
            continue;
        tri_span where = tri_ast_name_span(param);
        where.begin = where.end;
        tri_diag_fix(e->diag, where, ": tl.constexpr");
    }
}

/* A name, a number or calls and attributes of one: nothing outside of brackets binds less. */
static bool is_primary(tri_str text)
{
    int depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!depth && !isalnum((unsigned char)c) && !strchr("_.([", c))
            return false;
        depth += strchr("([{", c) != NULL;
        depth -= strchr(")]}", c) != NULL;
    }
    return true;
}

void tri_fixes_append(tri_eval *e, tri_span at, const char *code)
{
    if (!at.source || !is_users(e))
        return;
    tri_str text = tri_str_sub(at.source->text, at.begin, at.end);
    tri_diag_fix(e->diag, at, is_primary(text) ? "%.*s%s" : "(%.*s)%s", TRI_STR_ARG(text), code);
}
