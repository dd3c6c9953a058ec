#include "driver/lsp/document.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

/* --- URIs ------------------------------------------------------------------------------------ */

static int hex(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

tri_str tri_document_path(tri_arena *arena, tri_str uri)
{
    static const char scheme[] = "file://";
    if (!tri_str_has_prefix(uri, scheme))
        return tri_str_copy(arena, uri);
    tri_str rest = tri_str_sub(uri, sizeof scheme - 1, uri.len);
    size_t slash = tri_str_find(rest, '/'); /* behind the host, which is empty or this one */
    char *path = tri_arena_alloc(arena, rest.len + 1);
    size_t len = 0;
    for (size_t i = slash; i < rest.len; i++) {
        bool is_escape =
            rest.data[i] == '%' && i + 2 < rest.len && hex(rest.data[i + 1]) >= 0 && hex(rest.data[i + 2]) >= 0;
        path[len++] = is_escape ? (char)(hex(rest.data[i + 1]) * 16 + hex(rest.data[i + 2])) : rest.data[i];
        i += is_escape ? 2 : 0;
    }
    return (tri_str){path, len};
}

static char *keep(tri_str text)
{
    char *copy = tri_mem_alloc(text.len + 1);
    memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    return copy;
}

tri_lsp_document *tri_document_create(tri_str uri, tri_str text, int64_t version)
{
    tri_lsp_document *d = tri_mem_alloc(sizeof *d);
    tri_arena *arena = tri_arena_create();
    *d = (tri_lsp_document){.uri = keep(uri), .path = keep(tri_document_path(arena, uri)), .version = version};
    tri_arena_destroy(arena);
    tri_buf_add_str(&d->text, text);
    d->is_stale = true;
    return d;
}

void tri_document_destroy(tri_lsp_document *d)
{
    if (!d)
        return;
    if (d->facts != d->last)
        tri_analysis_destroy(d->facts);
    tri_analysis_destroy(d->last);
    tri_buf_fini(&d->text);
    free(d->edits);
    free(d->uri);
    free(d->path);
    free(d);
}

void tri_document_add_uri(tri_str path, tri_buf *out)
{
    tri_buf_add_z(out, "file://");
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.data[i];
        if (isalnum(c) || strchr("-._~/", c))
            tri_buf_add_char(out, (char)c);
        else
            tri_buf_format(out, "%%%02X", c);
    }
}

/* --- positions ------------------------------------------------------------------------------- */

static bool is_start(char c) { return ((unsigned char)c & 0xc0) != 0x80; }
static int units_of(char c) { return !is_start(c) ? 0 : (unsigned char)c >= 0xf0 ? 2 : 1; }

size_t tri_document_offset(tri_str text, int64_t line, int64_t character)
{
    size_t at = 0;
    for (; line > 0 && at < text.len; line--) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        if (!end)
            return text.len;
        at = (size_t)(end - text.data) + 1;
    }
    while (at < text.len && text.data[at] != '\n' && text.data[at] != '\r' && character > 0) {
        character -= units_of(text.data[at++]);
        while (at < text.len && !is_start(text.data[at]))
            at++;
    }
    return at;
}

void tri_document_position(tri_str text, size_t offset, int64_t *out_line, int64_t *out_character)
{
    size_t line_start = 0;
    *out_line = *out_character = 0;
    offset = offset < text.len ? offset : text.len;
    for (size_t i = 0; i < offset; i++) {
        if (text.data[i] == '\n') {
            ++*out_line;
            line_start = i + 1;
        }
    }
    for (size_t i = line_start; i < offset; i++)
        *out_character += units_of(text.data[i]);
}

tri_str tri_document_word(tri_str text, size_t offset, size_t *out_begin)
{
    size_t begin = offset, end = offset;
    while (begin > 0 &&
           (isalnum((unsigned char)text.data[begin - 1]) || text.data[begin - 1] == '_' || text.data[begin - 1] & 0x80))
        begin--;
    while (end < text.len && (isalnum((unsigned char)text.data[end]) || text.data[end] == '_' || text.data[end] & 0x80))
        end++;
    *out_begin = begin;
    return tri_str_sub(text, begin, end);
}

/* --- changes --------------------------------------------------------------------------------- */

/* So many are not gone through for each range: the facts are too old. */
enum { most_edits = 2000 };

static void drop_facts(tri_lsp_document *d)
{
    if (d->facts != d->last)
        tri_analysis_destroy(d->facts);
    d->facts = NULL;
    d->edit_count = 0;
}

void tri_document_change(tri_lsp_document *d, size_t begin, size_t end, tri_str text)
{
    tri_buf changed = {0};
    end = end < d->text.len ? end : d->text.len;
    begin = begin < end ? begin : end;
    tri_buf_add(&changed, d->text.data, begin);
    tri_buf_add_str(&changed, text);
    tri_buf_add(&changed, d->text.data ? d->text.data + end : "", d->text.len - end);
    tri_buf_fini(&d->text);
    d->text = changed;
    d->is_stale = true;
    if (d->edit_count == most_edits)
        drop_facts(d);
    if (d->edit_count == d->edit_room) {
        d->edit_room = d->edit_room ? 2 * d->edit_room : 16;
        d->edits = tri_mem_realloc(d->edits, d->edit_room * sizeof *d->edits);
    }
    d->edits[d->edit_count++] = (tri_lsp_edit){begin, end, text.len};
}

void tri_document_begin(tri_lsp_document *d)
{
    d->is_stale = false;
    d->edits_before = d->edit_count;
}

void tri_document_take(tri_lsp_document *d, tri_lsp_analysis *analysis)
{
    if (d->last != d->facts)
        tri_analysis_destroy(d->last);
    d->last = analysis;
    if (!analysis->is_parsed)
        return;
    if (d->facts != analysis)
        tri_analysis_destroy(d->facts);
    d->facts = analysis;
    size_t gone = d->edits_before < d->edit_count ? d->edits_before : d->edit_count;
    d->edit_count -= gone;
    if (d->edit_count)
        memmove(d->edits, d->edits + gone, d->edit_count * sizeof *d->edits);
}

bool tri_document_now(const tri_lsp_document *d, uint32_t *begin, uint32_t *end)
{
    for (size_t i = 0; i < d->edit_count; i++) {
        const tri_lsp_edit *e = &d->edits[i];
        if (e->end <= *begin && !(e->begin == *begin && e->end == *begin && *begin == *end)) {
            uint32_t delta = (uint32_t)(e->length - (e->end - e->begin));
            *begin += delta;
            *end += delta;
        } else if (e->begin < *end) {
            return false;
        }
    }
    return true;
}
