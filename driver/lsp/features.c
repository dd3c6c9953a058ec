/* Hover, definition, inlay hints, messages and their fixes. */
#include "driver/lsp/features.h"

#include "driver/language.h"

/* --- ranges ---------------------------------------------------------------------------------- */

void tri_features_add_range(tri_str text, size_t begin, size_t end, tri_buf *out)
{
    int64_t line, character, end_line, end_character;
    tri_document_position(text, begin, &line, &character);
    tri_document_position(text, end, &end_line, &end_character);
    tri_buf_format(out,
                   "\"range\": {\"start\": {\"line\": %lld, \"character\": %lld}, \"end\": {\"line\": %lld, "
                   "\"character\": %lld}}",
                   (long long)line, (long long)character, (long long)end_line, (long long)end_character);
}

/* A place as {"uri": ..., "range": ...}; false: the file was changed there. */
static bool add_place(const tri_lsp_document *d, tri_span at, tri_buf *out)
{
    uint32_t begin = at.begin, end = at.end;
    bool is_own = d->facts && at.source == d->facts->source;
    if (is_own && !tri_document_now(d, &begin, &end))
        return false;
    tri_buf uri = {0};
    if (is_own)
        tri_buf_add_z(&uri, d->uri);
    else
        tri_document_add_uri(at.source->name, &uri);
    tri_buf_add_z(out, "{\"uri\": ");
    tri_buf_add_json(out, tri_buf_str(&uri));
    tri_buf_add_z(out, ", ");
    tri_features_add_range(is_own ? tri_buf_str(&d->text) : at.source->text, begin, end, out);
    tri_buf_add_char(out, '}');
    tri_buf_fini(&uri);
    return true;
}

/* The note of the name at the request's place, with the range where the name stands now. */
static const tri_frontend_note *note_here(const tri_lsp_request *r, size_t *out_begin, size_t *out_end)
{
    const tri_lsp_analysis *facts = r->document->facts;
    tri_str word = tri_document_word(r->text, r->offset, out_begin);
    *out_end = *out_begin + word.len;
    for (size_t i = 0; facts && word.len && i < facts->notes.all.len; i++) {
        const tri_frontend_note *note = &facts->notes.all.at[i];
        uint32_t begin = note->at.begin, end = note->at.end;
        if (note->at.source == facts->source && end - begin == word.len &&
            tri_document_now(r->document, &begin, &end) && begin == *out_begin)
            return note;
    }
    return NULL;
}

/* --- hover ----------------------------------------------------------------------------------- */

void tri_features_add_manual(tri_str path, tri_buf *out)
{
    static const char prefix[] = "triton.language.";
    tri_language_entry entry;
    bool is_tl = tri_str_has_prefix(path, prefix);
    if (!tri_language_find(is_tl ? tri_str_sub(path, sizeof prefix - 1, path.len) : path, &entry))
        return;
    tri_buf_format(out, "%.*s\n\n```python\n%.*s\n```\n", TRI_STR_ARG(entry.text), TRI_STR_ARG(entry.example));
    if (entry.except.len)
        tri_buf_format(out, "\nNot on %.*s.\n", TRI_STR_ARG(entry.except));
}

/* The line of a definition: "def f(x, n):". */
static tri_str line_of(tri_span at)
{
    uint32_t line, column;
    tri_source_position(at.source, at.begin, &line, &column);
    tri_str text = tri_str_sub(at.source->text, at.source->line_starts[line - 1], at.source->text.len);
    return tri_str_trim(tri_str_sub(text, 0, tri_str_find(text, '\n')));
}

static void describe_name(const tri_lsp_analysis *facts, const tri_frontend_note *note, tri_str word, tri_buf *out)
{
    if (note->path.len) {
        tri_buf_add_z(out, "```python\n");
        if (!tri_features_heading(note->path, out))
            tri_buf_add_str(out, note->path);
        tri_buf_add_z(out, "\n```\n");
        tri_features_add_manual(note->path, out);
        return;
    }
    if (note->value.len) {
        tri_buf_format(out, "```python\n%.*s: constexpr = %.*s\n```\n", TRI_STR_ARG(word), TRI_STR_ARG(note->value));
        return;
    }
    bool is_function = note->definition.source && tri_str_has_prefix(note->type, "function");
    if (is_function)
        tri_buf_format(out, "```python\n%.*s\n```\n", TRI_STR_ARG(line_of(note->definition)));
    else
        tri_buf_format(out, "```python\n%.*s: %.*s\n```\n", TRI_STR_ARG(word), TRI_STR_ARG(note->type));
    uint32_t line, column;
    if (is_function || !note->is_block || note->definition.source != facts->source)
        return;
    tri_source_position(note->definition.source, note->definition.begin, &line, &column);
    tri_str layout = tri_analysis_layout(facts, word, line, note->type);
    if (layout.len)
        tri_buf_format(out, "layout:\n```mlir\n%.*s\n```\n", TRI_STR_ARG(layout));
}

void tri_features_hover(tri_lsp_request *r, tri_buf *out)
{
    size_t begin, end;
    const tri_frontend_note *note = note_here(r, &begin, &end);
    if (!note) {
        tri_buf_add_z(out, "null");
        return;
    }
    tri_buf text = {0};
    describe_name(r->document->facts, note, tri_str_sub(r->text, begin, end), &text);
    tri_buf_add_z(out, "{\"contents\": {\"kind\": \"markdown\", \"value\": ");
    tri_buf_add_json(out, tri_buf_str(&text));
    tri_buf_add_z(out, "}, ");
    tri_features_add_range(r->text, begin, end, out);
    tri_buf_add_char(out, '}');
    tri_buf_fini(&text);
}

/* --- definition ------------------------------------------------------------------------------ */

/* A name that is no part of a kernel (of an import, of host code) has the definition that kernels see for it. */
static const tri_frontend_note *same_name(const tri_lsp_request *r, tri_str word)
{
    const tri_lsp_analysis *facts = r->document->facts;
    for (size_t i = 0; facts && i < facts->notes.all.len; i++) {
        const tri_frontend_note *note = &facts->notes.all.at[i];
        tri_str name = tri_str_sub(note->at.source->text, note->at.begin, note->at.end);
        if (!note->is_binding && note->definition.source && tri_str_equal(name, word))
            return note;
    }
    return NULL;
}

static bool is_import(tri_span at)
{
    tri_str line = line_of(at);
    return tri_str_has_prefix(line, "import ") || tri_str_has_prefix(line, "from ");
}

void tri_features_definition(tri_lsp_request *r, tri_buf *out)
{
    size_t begin, end;
    const tri_frontend_note *note = note_here(r, &begin, &end);
    if (!note)
        note = same_name(r, tri_str_sub(r->text, begin, end));
    bool is_known = note && note->definition.source;
    if ((!is_known || is_import(note->definition)) && tri_features_follow_import(r, out))
        return;
    if (!is_known || !add_place(r->document, note->definition, out))
        tri_buf_add_z(out, "null");
}

/* --- inlay hints ----------------------------------------------------------------------------- */

void tri_features_inlay_hints(tri_lsp_request *r, tri_buf *out)
{
    const tri_lsp_analysis *facts = r->document->facts;
    int64_t first = tri_json_number(r->params, "range.start.line", 0);
    int64_t last = tri_json_number(r->params, "range.end.line", INT64_MAX);
    bool is_first = true;
    tri_buf_add_char(out, '[');
    for (size_t i = 0; facts && i < facts->notes.all.len; i++) {
        const tri_frontend_note *note = &facts->notes.all.at[i];
        uint32_t begin = note->at.begin, end = note->at.end;
        if (!note->is_binding || note->path.len || note->at.source != facts->source || !note->type.len ||
            !tri_document_now(r->document, &begin, &end))
            continue;
        bool is_constant = note->value.len > 0;
        int64_t line, character;
        tri_document_position(r->text, end, &line, &character);
        if (line < first || line > last || (is_constant && note->value.len > 24))
            continue;
        tri_str label = tri_str_format(r->arena, "%s%.*s", is_constant ? " = " : ": ",
                                       TRI_STR_ARG(is_constant ? note->value : note->type));
        tri_buf_format(out, "%s{\"position\": {\"line\": %lld, \"character\": %lld}, \"kind\": 1, \"label\": ",
                       is_first ? "" : ",\n", (long long)line, (long long)character);
        tri_buf_add_json(out, label);
        tri_buf_add_char(out, '}');
        is_first = false;
    }
    tri_buf_add_char(out, ']');
}

/* --- messages -------------------------------------------------------------------------------- */

static bool is_shown(const tri_lsp_analysis *a, const tri_message *m)
{
    bool has_no_kernel = m->code == 3031 && !m->main.at.source; /* a file of other Python code */
    return !has_no_kernel && !(m->main.at.source && tri_str_has_prefix(m->main.at.source->name, "<")) && a->is_done;
}

static void add_related(const tri_lsp_analysis *a, const tri_message_part *note, bool is_first, tri_buf *out)
{
    tri_buf uri = {0};
    if (note->at.source == a->source)
        tri_buf_add_str(&uri, a->uri);
    else
        tri_document_add_uri(note->at.source->name, &uri);
    tri_buf_add_z(out, is_first ? ", \"relatedInformation\": [" : ", ");
    tri_buf_add_z(out, "{\"location\": {\"uri\": ");
    tri_buf_add_json(out, tri_buf_str(&uri));
    tri_buf_add_z(out, ", ");
    tri_features_add_range(note->at.source->text, note->at.begin, note->at.end, out);
    tri_buf_add_z(out, "}, \"message\": ");
    tri_buf_add_json(out, note->text);
    tri_buf_add_char(out, '}');
    tri_buf_fini(&uri);
}

static void add_diagnostic(const tri_lsp_analysis *a, const tri_message *m, tri_buf *out)
{
    static const int severities[] = {3, 3, 2, 1};
    bool is_own = m->main.at.source == a->source, has_related = false;
    tri_buf text = {0};
    tri_arena *arena = tri_arena_create();
    tri_buf_add_char(out, '{');
    tri_features_add_range(a->source->text, is_own ? m->main.at.begin : 0, is_own ? m->main.at.end : 0, out);
    tri_buf_format(out, ", \"severity\": %d, \"source\": \"tritcc\"", severities[m->severity]);
    tri_str rule = tri_messages_rule(arena, m);
    if (rule.len) {
        tri_buf_add_z(out, ", \"code\": ");
        tri_buf_add_json(out, rule);
    }
    if (m->group && !strcmp(m->group, "deprecated"))
        tri_buf_add_z(out, ", \"tags\": [2]");
    tri_buf_add_str(&text, m->main.text);
    for (size_t i = 0; i < m->notes.len; i++)
        if (!m->notes.at[i].at.source)
            tri_buf_format(&text, "\n%.*s", TRI_STR_ARG(m->notes.at[i].text));
    tri_buf_add_z(out, ", \"message\": ");
    tri_buf_add_json(out, tri_buf_str(&text));
    if (!is_own && m->main.at.source) {
        add_related(a, &m->main, true, out);
        has_related = true;
    }
    for (size_t i = 0; i < m->notes.len; i++) {
        if (!m->notes.at[i].at.source)
            continue;
        add_related(a, &m->notes.at[i], !has_related, out);
        has_related = true;
    }
    tri_buf_add_z(out, has_related ? "]}" : "}");
    tri_buf_fini(&text);
    tri_arena_destroy(arena);
}

void tri_features_diagnostics(const tri_lsp_document *d, tri_buf *out)
{
    bool is_first = true;
    tri_buf_add_z(out, "{\"uri\": ");
    tri_buf_add_json(out, tri_str_from(d->uri));
    tri_buf_format(out, ", \"version\": %lld, \"diagnostics\": [", (long long)d->version);
    for (size_t i = 0; d->last && i < d->last->messages.all.len; i++) {
        const tri_message *m = &d->last->messages.all.at[i];
        if (!is_shown(d->last, m))
            continue;
        tri_buf_add_z(out, is_first ? "" : ",\n");
        add_diagnostic(d->last, m, out);
        is_first = false;
    }
    tri_buf_add_z(out, "]}");
}

/* --- fixes ----------------------------------------------------------------------------------- */

/* A range of the last analysis's text, in the text now. */
static bool is_current(const tri_lsp_document *d, uint32_t *begin, uint32_t *end)
{
    return tri_str_equal(tri_buf_str(&d->text), d->last->text) ||
           (d->last == d->facts && tri_document_now(d, begin, end));
}

static tri_str title_of(tri_arena *arena, const tri_message *m)
{
    const tri_message_part *fix = &m->fixes.at[0];
    tri_str old =
        tri_str_sub(fix->at.source->text, fix->at.begin, fix->at.end > fix->at.begin ? fix->at.end : fix->at.begin);
    if (m->fixes.len > 1)
        return tri_str_format(arena, "fix: %.*s", TRI_STR_ARG(m->main.text));
    if (!old.len)
        return tri_str_format(arena, "insert '%.*s'", TRI_STR_ARG(tri_str_trim(fix->text)));
    if (!fix->text.len)
        return tri_str_format(arena, "remove '%.*s'", TRI_STR_ARG(old));
    return tri_str_format(arena, "replace '%.*s' with '%.*s'", TRI_STR_ARG(old), TRI_STR_ARG(fix->text));
}

static bool add_action(const tri_lsp_request *r, const tri_message *m, bool is_first, tri_buf *out)
{
    const tri_lsp_document *d = r->document;
    tri_buf edits = {0};
    bool ok = true;
    for (size_t i = 0; i < m->fixes.len && ok; i++) {
        uint32_t begin = m->fixes.at[i].at.begin, end = m->fixes.at[i].at.end;
        end = end < begin ? begin : end;
        ok = m->fixes.at[i].at.source == d->last->source && is_current(d, &begin, &end);
        tri_buf_add_z(&edits, i ? ", {" : "{");
        tri_features_add_range(r->text, begin, end, &edits);
        tri_buf_add_z(&edits, ", \"newText\": ");
        tri_buf_add_json(&edits, m->fixes.at[i].text);
        tri_buf_add_char(&edits, '}');
    }
    if (ok) {
        tri_buf_add_z(out, is_first ? "{\"title\": " : ",\n{\"title\": ");
        tri_buf_add_json(out, title_of(r->arena, m));
        tri_buf_add_z(out, ", \"kind\": \"quickfix\", \"isPreferred\": true, \"diagnostics\": [");
        add_diagnostic(d->last, m, out);
        tri_buf_add_z(out, "], \"edit\": {\"changes\": {");
        tri_buf_add_json(out, tri_str_from(d->uri));
        tri_buf_format(out, ": [%s]}}}", tri_buf_str(&edits).data);
    }
    tri_buf_fini(&edits);
    return ok;
}

void tri_features_code_actions(tri_lsp_request *r, tri_buf *out)
{
    const tri_lsp_document *d = r->document;
    size_t from = tri_document_offset(r->text, tri_json_number(r->params, "range.start.line", 0),
                                      tri_json_number(r->params, "range.start.character", 0));
    size_t to = tri_document_offset(r->text, tri_json_number(r->params, "range.end.line", 0),
                                    tri_json_number(r->params, "range.end.character", 0));
    bool is_first = true;
    tri_buf_add_char(out, '[');
    for (size_t i = 0; d->last && i < d->last->messages.all.len; i++) {
        const tri_message *m = &d->last->messages.all.at[i];
        uint32_t begin = m->main.at.begin, end = m->main.at.end;
        if (!m->fixes.len || m->main.at.source != d->last->source || !is_current(d, &begin, &end) || begin > to ||
            end < from)
            continue;
        if (add_action(r, m, is_first, out))
            is_first = false;
    }
    tri_buf_add_char(out, ']');
}
