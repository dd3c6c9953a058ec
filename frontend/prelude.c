/* Finding the library functions that are written in the language. Their file is parsed when the first
 * one is used. */
#include "frontend/prelude.h"

#include "frontend/builtins.h"
#include "frontend/host.h"

static bool load(tri_eval *e)
{
    if (e->prelude)
        return true;
    const tri_source *source =
        tri_diag_add_source(e->diag, TRI_STR("<triton.language>"), (tri_str){tri_prelude_text, tri_prelude_size});
    tri_ast_module *ast = tri_parser_parse(e->arena, e->diag, source);
    if (!ast)
        TRI_BUG("the embedded library does not parse");
    e->prelude = tri_module_add(e->modules, ast);
    return true;
}

const tri_function *tri_builtins_prelude(tri_eval *e, const tri_builtin *row)
{
    const char *dot = strrchr(row->path, '.');
    tri_global g = {0};
    if (!load(e))
        return NULL;
    tri_str name = tri_str_from(dot ? dot + 1 : row->path);
    if (tri_module_find(tri_module_scope(e->prelude), name, TRI_NO_SPAN, &g) != TRI_LOOKUP_FOUND ||
        g.value->kind != TRI_VALUE_FUNCTION)
        TRI_BUG("the embedded library has no function '%.*s'", TRI_STR_ARG(name));
    return g.value->function;
}
