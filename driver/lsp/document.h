/* Texts that the editor has open: changed piece by piece, with positions counted in UTF-16 units. */
#ifndef TRI_DRIVER_LSP_DOCUMENT_H
#define TRI_DRIVER_LSP_DOCUMENT_H

#include "driver/lsp/analysis.h"

/* A range of bytes that became so many others. */
typedef struct {
    size_t begin, end, length;
} tri_lsp_edit;

typedef struct tri_lsp_document {
    struct tri_lsp_document *next;
    char *uri, *path; /* path: of a file: URI, else the URI */
    tri_buf text;
    int64_t version;
    /* The last analysis whose text could be parsed, and a map from its places to those of the text now. */
    tri_lsp_analysis *facts;
    tri_lsp_edit *edits; /* since then, in order */
    size_t edit_count, edit_room;
    size_t edits_before;    /* of those, made when the analysis that runs began */
    tri_lsp_analysis *last; /* whose messages are shown; may be `facts` */
    bool is_stale;          /* changed since an analysis was begun */
    double changed_at;      /* in seconds */
} tri_lsp_document;

tri_lsp_document *tri_document_create(tri_str uri, tri_str text, int64_t version);
void tri_document_destroy(tri_lsp_document *document);
/* The file name of a file: URI, else the URI itself; in the arena. */
tri_str tri_document_path(tri_arena *arena, tri_str uri);
/* An absolute path as a URI. */
void tri_document_add_uri(tri_str path, tri_buf *out);

/* Byte offset of a position, kept within its line; and back. */
size_t tri_document_offset(tri_str text, int64_t line, int64_t character);
void tri_document_position(tri_str text, size_t offset, int64_t *out_line, int64_t *out_character);

/* Replaces the bytes from `begin` to `end`; SIZE_MAX: all of it. */
void tri_document_change(tri_lsp_document *document, size_t begin, size_t end, tri_str text);
/* An analysis of the text as it is begins; and its result, which is the document's from then on. */
void tri_document_begin(tri_lsp_document *document);
void tri_document_take(tri_lsp_document *document, tri_lsp_analysis *analysis);
/* Where a range of the last facts' text is now; false: it was changed. */
bool tri_document_now(const tri_lsp_document *document, uint32_t *begin, uint32_t *end);
/* The identifier around a place. */
tri_str tri_document_word(tri_str text, size_t offset, size_t *out_begin);

#endif
