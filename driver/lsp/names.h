/* Where a name stands in one file, by its syntax tree: it belongs to the function that binds it, else to the file. */
#ifndef TRI_DRIVER_LSP_NAMES_H
#define TRI_DRIVER_LSP_NAMES_H

#include "base/vec.h"
#include "frontend/syntax/ast.h"

typedef struct {
    tri_arena *arena;
    const tri_ast_module *ast;
    tri_str name;
    const tri_ast_node *function; /* whose name it is; null: the file's */
    size_t offset;                /* where it was asked for */
    bool is_bound;                /* by the function that was looked at last */
    bool is_param;
    TRI_VEC(tri_span) places;
} tri_names;

/* How a file has a name of another: `from module import name [as alias]`, or `import module [as alias]`. */
typedef struct {
    const tri_ast_node *statement, *alias;
} tri_names_import;

void tri_names_add(tri_names *s, tri_span at);
bool tri_names_holds_offset(const tri_names *s);
/* Sets `function` to the innermost function around `offset` that binds the name, and `is_param`. */
void tri_names_find_owner(tri_names *s);
/* Adds every place of the name, of `function` or of the file. */
void tri_names_add_uses(tri_names *s);
/* The import, anywhere in the file, that binds `name`; false: none does. */
bool tri_names_find_import(const tri_ast_module *ast, tri_str name, tri_names_import *out);
/* Does the file itself make the name, or import it by name? */
bool tri_names_is_defined(tri_arena *arena, const tri_ast_module *ast, tri_str name);
/* Where the first part of "name as asname" stands. */
tri_span tri_names_imported_span(const tri_ast_node *alias);

#endif
