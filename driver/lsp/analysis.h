/* What the compiler says of one text: messages, facts about names, layouts. Made on a thread of its own, with contexts
 * of its own; nothing of it changes afterwards. */
#ifndef TRI_DRIVER_LSP_ANALYSIS_H
#define TRI_DRIVER_LSP_ANALYSIS_H

#include "driver/lsp/transport.h"
#include "driver/messages/messages.h"
#include "driver/messages/overlay.h"
#include "frontend/notes.h"
#include "frontend/syntax/ast.h"

/* The layout of a value in ttgir, by the name and place that it has in the source. What a call made of functions that
 * were inlined has no name. */
typedef struct {
    tri_str name, type;
    uint32_t line;
} tri_lsp_layout;

typedef struct tri_lsp_analysis {
    tri_arena *arena;
    tri_str uri, path, text;
    TRI_VEC(const char *) words; /* options */
    tri_overlay files;           /* what else is open */
    int cancelled;               /* atomic */
    tri_transport *transport;    /* told when it is done */
    /* results */
    tri_diag *diag;
    tri_diag_sink sink;
    tri_messages messages;
    tri_frontend_notes notes;
    TRI_VEC(tri_lsp_layout) layouts;
    const tri_source *source; /* of the text */
    tri_ast_module *ast;      /* null: it could not be parsed */
    bool is_parsed, is_done;  /* is_done: not cancelled, and no fault of ours in between */
} tri_lsp_analysis;

/* For a text, which is copied. `words` and `files` are the caller's to fill before the start. */
tri_lsp_analysis *tri_analysis_create(tri_str uri, tri_str path, tri_str text);
/* Runs it on a thread, which posts it to `transport` when it ends. */
bool tri_analysis_start(tri_lsp_analysis *analysis, tri_transport *transport);
void tri_analysis_cancel(tri_lsp_analysis *analysis);
void tri_analysis_destroy(tri_lsp_analysis *analysis);

/* The type, with its layout, of the value that a name has on a line; else, of what the line makes, the last of that
 * type ("fp32[64, 32]"). Empty: none is known. */
tri_str tri_analysis_layout(const tri_lsp_analysis *analysis, tri_str name, uint32_t line, tri_str type);

#endif
