/* Finding the library functions that are written in the language. A file is parsed when its first
 * function is used. */
#include "frontend/prelude/prelude.h"

#include "frontend/builtins/builtins.h"

#include <stdio.h>

static tri_module *load(tri_eval *e, int i)
{
    tri_module **at = &tri_module_embedded(e->modules)[i];
    if (*at)
        return *at;
    const tri_prelude_file *f = &tri_prelude_files[i];
    const tri_source *source = tri_diag_add_source(e->diag, tri_str_from(f->name), tri_str_from(f->text));
    tri_ast_module *ast = tri_parser_parse(tri_module_arena(e->modules), e->diag, source);
    if (!ast)
        TRI_BUG("the embedded library does not parse");
    return *at = tri_module_add(e->modules, ast);
}

bool tri_prelude_holds(const tri_eval *e, const tri_module *module)
{
    for (int i = 0; i < TRI_MODULE_EMBEDDED; i++)
        if (tri_module_embedded(e->modules)[i] == module)
            return true;
    return false;
}

/* Is the function defined in this text? Saves parsing the other files. */
static bool defines(const char *text, const char *name)
{
    char pattern[80];
    snprintf(pattern, sizeof pattern, "\ndef %s(", name);
    return strstr(text, pattern) != NULL;
}

const tri_function *tri_builtins_prelude(tri_eval *e, const tri_builtin *row)
{
    const char *dot = strrchr(row->path, '.');
    const char *name = dot ? dot + 1 : row->path;
    for (int i = 0; i < TRI_MODULE_EMBEDDED && tri_prelude_files[i].text; i++) {
        tri_global g = {0};
        if (!defines(tri_prelude_files[i].text, name))
            continue;
        tri_scope *scope = tri_module_scope(load(e, i));
        if (tri_module_find(scope, tri_str_from(name), TRI_NO_SPAN, &g) == TRI_LOOKUP_FOUND &&
            g.value->kind == TRI_VALUE_FUNCTION)
            return g.value->function;
    }
    TRI_BUG("the embedded library has no function '%s'", name);
}
