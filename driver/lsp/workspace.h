/* The kernels' files that may name each other: what is open, and what lies beside it or below the client's folders. */
#ifndef TRI_DRIVER_LSP_WORKSPACE_H
#define TRI_DRIVER_LSP_WORKSPACE_H

#include "driver/lsp/document.h"

typedef struct {
    tri_str path, text;
    tri_str uri;         /* as the client spells it, or made of the path */
    tri_ast_module *ast; /* made by tri_workspace_parse; null before, and where the text cannot be parsed */
    bool is_parsed;
} tri_workspace_file;

typedef TRI_VEC(tri_str) tri_folders;

typedef struct {
    tri_arena *arena;
    tri_diag *diag; /* silent */
    TRI_VEC(tri_workspace_file) files;
} tri_workspace;

/* Reads what is open (`documents`) and, of the folders of these and of `folders`, the files *.py and *.tri: up to some
 * thousand. The workspace ends with its arena and tri_workspace_fini. */
void tri_workspace_init(tri_workspace *ws, tri_arena *arena, const tri_lsp_document *documents,
                        const tri_folders *folders);
void tri_workspace_fini(tri_workspace *ws);
/* The syntax tree of a file; null: it has syntax errors. */
const tri_ast_module *tri_workspace_parse(tri_workspace *ws, tri_workspace_file *file);
tri_workspace_file *tri_workspace_find(tri_workspace *ws, tri_str path);
/* The file that `from <dots>dotted import ...` in `from` reads; null: none of these. */
tri_workspace_file *tri_workspace_import(tri_workspace *ws, const tri_workspace_file *from, uint32_t level,
                                         tri_str dotted);
/* Does the text name the module that `of` is, as what imports it has to? Cheap: neither file is parsed, and a text that
 * uses the word for something else names it, too. */
bool tri_workspace_may_import(const tri_workspace_file *from, const tri_workspace_file *of);

#endif
