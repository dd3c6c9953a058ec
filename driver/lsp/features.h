/* What the server answers: each function appends the JSON of a result. `params` is the request's, the document is the
 * one that it names. */
#ifndef TRI_DRIVER_LSP_FEATURES_H
#define TRI_DRIVER_LSP_FEATURES_H

#include "driver/lsp/workspace.h"

typedef struct {
    tri_arena *arena; /* of the request */
    const tri_lsp_document *document;
    const tri_lsp_document *documents; /* all that are open */
    const tri_folders *folders;        /* of the client */
    const tri_json *params;
    tri_str text;      /* of the document, now */
    size_t offset;     /* of params.position */
    const char *error; /* set: the request is refused with this text */
} tri_lsp_request;

void tri_features_hover(tri_lsp_request *r, tri_buf *out);
void tri_features_definition(tri_lsp_request *r, tri_buf *out);
void tri_features_inlay_hints(tri_lsp_request *r, tri_buf *out);
void tri_features_code_actions(tri_lsp_request *r, tri_buf *out);
void tri_features_completion(tri_lsp_request *r, tri_buf *out);
void tri_features_signature_help(tri_lsp_request *r, tri_buf *out);
void tri_features_references(tri_lsp_request *r, tri_buf *out);
void tri_features_prepare_rename(tri_lsp_request *r, tri_buf *out);
void tri_features_rename(tri_lsp_request *r, tri_buf *out);
/* The params of textDocument/publishDiagnostics for the document's last analysis. */
void tri_features_diagnostics(const tri_lsp_document *document, tri_buf *out);

/* Between the files of features: `"range": {...}` of a text; a library function's heading, such as "tl.load(pointer,
 * mask=None)". */
void tri_features_add_range(tri_str text, size_t begin, size_t end, tri_buf *out);
bool tri_features_heading(tri_str path, tri_buf *out);
/* A library function's parameters as its table spells them; false: there is none. */
bool tri_features_find_library(tri_str path, tri_str *out_params);
/* The dotted name that ends at `end`: "tl.extra.cuda"; empty: none. */
tri_str tri_features_dotted_before(tri_str text, size_t end);
/* The library path that a dotted name of the file stands for; empty: none. */
tri_str tri_features_library_path(const tri_lsp_request *r, tri_str dotted);
/* Where a name of an import leads, as a place: {"uri": ..., "range": ...}; false: to no file of the workspace. */
bool tri_features_follow_import(tri_lsp_request *r, tri_buf *out);

/* The call around the cursor. */
typedef struct {
    tri_str path;            /* of a function of the library, "triton.language.load"; empty: a function of a file */
    tri_str heading;         /* "tl.load(pointer, mask=None)", "scale(x, s: tl.constexpr = 1)" */
    TRI_VEC(tri_str) names;  /* of its parameters */
    TRI_VEC(tri_str) labels; /* the same as they stand in the heading */
    int active;              /* the parameter that the cursor's argument is for; beyond them: none */
} tri_features_call;

bool tri_features_find_call(const tri_lsp_request *r, tri_features_call *out);
/* Adds what the language's manual says of a library function, as Markdown. */
void tri_features_add_manual(tri_str path, tri_buf *out);

#endif
