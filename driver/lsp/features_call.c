/* The call around the cursor, of a function of the library or of a file, and its signature. */
#include "driver/lsp/features.h"

#include <ctype.h>
#include <stdint.h>

typedef struct {
    size_t bracket;   /* of the call around the cursor; SIZE_MAX: none */
    int argument;     /* commas before the cursor */
    tri_str keyword;  /* the cursor's argument has this name; empty: it has none */
} cursor;

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_' || (c & 0x80); }

/* `name=` in front of an argument's value, but not `name==`. */
static tri_str keyword_of(tri_str argument)
{
    argument = tri_str_trim(argument);
    size_t end = 0;
    while (end < argument.len && is_word_char(argument.data[end]))
        end++;
    tri_str rest = tri_str_trim(tri_str_sub(argument, end, argument.len));
    bool is_keyword = end && tri_str_has_prefix(rest, "=") && !tri_str_has_prefix(rest, "==");
    return is_keyword ? tri_str_sub(argument, 0, end) : TRI_STR("");
}

static cursor find_cursor(const tri_lsp_request *r)
{
    enum { farthest = 4000 };
    cursor found = {.bracket = SIZE_MAX};
    int depth = 0;
    size_t argument_begin = SIZE_MAX;
    for (size_t i = r->offset, n = 0; i > 0 && n < farthest; i--, n++) {
        char c = r->text.data[i - 1];
        bool opens = c && strchr("([{", c), is_end = !depth && (c == ',' || opens);
        if (is_end && argument_begin == SIZE_MAX)
            argument_begin = i;
        if (c && strchr(")]}", c))
            depth++;
        else if (depth && opens)
            depth--;
        else if (c == '(') {
            found.bracket = i - 1;
            found.keyword = keyword_of(tri_str_sub(r->text, argument_begin, r->offset));
            return found;
        } else if (opens)
            return found;
        else if (c == ',' && !depth)
            found.argument++;
    }
    return found;
}

/* --- parameters ------------------------------------------------------------------------------ */

static void add_parameter(const tri_lsp_request *r, tri_features_call *call, tri_str name, tri_str label)
{
    tri_vec_push(r->arena, &call->names, name);
    tri_vec_push(r->arena, &call->labels, label);
}

static void read_library(const tri_lsp_request *r, tri_str params, tri_features_call *call)
{
    tri_buf heading = {0};
    tri_features_heading(call->path, &heading);
    call->heading = tri_str_copy(r->arena, tri_buf_str(&heading));
    tri_buf_fini(&heading);
    while (params.len) {
        size_t end = tri_str_find(params, ' ');
        tri_str word = tri_str_sub(params, 0, end);
        params = tri_str_sub(params, end < params.len ? end + 1 : end, params.len);
        word.len -= tri_str_has_suffix(word, "?");
        if (word.len && (is_word_char(word.data[0]) || word.data[0] == '*'))
            add_parameter(r, call, tri_str_has_prefix(word, "*") ? tri_str_sub(word, 1, word.len) : word, word);
    }
}

/* One of the parameters in a definition's text; `label`: as it stands there. */
static void read_parameter(const tri_lsp_request *r, tri_str label, tri_features_call *call)
{
    size_t begin = 0, end;
    label = tri_str_trim(label);
    while (begin < label.len && label.data[begin] == '*')
        begin++;
    for (end = begin; end < label.len && is_word_char(label.data[end]);)
        end++;
    if (end > begin)
        add_parameter(r, call, tri_str_sub(label, begin, end), label);
}

/* Text behind the name of a definition, "(x, s: tl.constexpr = 1):"; false: it is none. */
static bool read_definition(const tri_lsp_request *r, tri_str name, tri_str text, tri_features_call *call)
{
    tri_buf heading = {0};
    size_t begin = tri_str_find(text, '('), from = begin + 1, depth = 0, i = begin;
    char quote = 0;
    for (; i < text.len; i++) {
        char c = text.data[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (strchr("([{", c) && c)
            depth++;
        else if (strchr(")]}", c) && c)
            depth--;
        if (depth > 1 || (depth == 1 && c != ','))
            continue;
        read_parameter(r, tri_str_sub(text, from, i), call);
        from = i + 1;
        if (!depth)
            break;
    }
    tri_buf_format(&heading, "%.*s(", TRI_STR_ARG(name));
    for (size_t k = 0; k < call->labels.len; k++)
        tri_buf_format(&heading, "%s%.*s", k ? ", " : "", TRI_STR_ARG(call->labels.at[k]));
    tri_buf_add_char(&heading, ')');
    call->heading = tri_str_copy(r->arena, tri_buf_str(&heading));
    tri_buf_fini(&heading);
    return i < text.len;
}

/* --- what is called -------------------------------------------------------------------------- */

static bool find_library_call(const tri_lsp_request *r, tri_str name, tri_features_call *call)
{
    tri_str params, other, method;
    call->path = tri_features_library_path(r, name);
    if (call->path.len && tri_features_find_library(call->path, &params)) {
        read_library(r, params, call);
        return true;
    }
    size_t dot = tri_str_find_last(name, '.');
    for (size_t i = 0; dot < name.len && tri_notes_library(i, &other, &params, &method); i++)
        if (method.len && tri_str_equal(method, tri_str_sub(name, dot + 1, name.len))) {
            call->path = other;
            read_library(r, params, call);
            return true;
        }
    call->path = (tri_str){0};
    return false;
}

/* Of the file's own functions, or of those that its kernels called when it was looked at last. */
static bool find_own_call(const tri_lsp_request *r, tri_str name, tri_features_call *call)
{
    const tri_lsp_analysis *facts = r->document->facts;
    size_t dot = tri_str_find_last(name, '.');
    tri_str word = dot < name.len ? tri_str_sub(name, dot + 1, name.len) : name;
    for (uint32_t i = 0; facts && facts->ast && dot == name.len && i < facts->ast->body.len; i++) {
        const tri_ast_node *node = facts->ast->body.at[i];
        if (node->kind == TRI_AST_FUNCTION && tri_str_equal(node->function.name, name))
            return read_definition(r, name, tri_str_sub(facts->source->text, tri_ast_name_span(node).end,
                                                        facts->source->text.len), call);
    }
    for (size_t i = 0; facts && i < facts->notes.all.len; i++) {
        const tri_frontend_note *note = &facts->notes.all.at[i];
        const tri_span at = note->definition;
        if (!at.source || note->is_binding || !tri_str_has_prefix(note->type, "function") ||
            !tri_str_equal(tri_str_sub(note->at.source->text, note->at.begin, note->at.end), word))
            continue;
        return read_definition(r, name, tri_str_sub(at.source->text, at.end, at.source->text.len), call);
    }
    return false;
}

/* Where the name of what is called ends: in front of a launch's grid, too. */
static size_t end_of_callee(tri_str text, size_t bracket)
{
    size_t end = bracket, depth = 0;
    while (end > 0 && (depth || text.data[end - 1] == ']')) {
        char c = text.data[--end];
        depth += c == ']';
        depth -= c == '[';
    }
    return end;
}

bool tri_features_find_call(const tri_lsp_request *r, tri_features_call *out)
{
    *out = (tri_features_call){0};
    cursor c = find_cursor(r);
    if (c.bracket == SIZE_MAX)
        return false;
    tri_str name = tri_features_dotted_before(r->text, end_of_callee(r->text, c.bracket));
    if (!name.len || !(find_library_call(r, name, out) || find_own_call(r, name, out)))
        return false;
    out->active = c.argument;
    for (size_t i = 0; c.keyword.len && i < out->names.len; i++)
        if (tri_str_equal(out->names.at[i], c.keyword))
            out->active = (int)i;
    return true;
}

void tri_features_signature_help(tri_lsp_request *r, tri_buf *out)
{
    tri_features_call call;
    if (!tri_features_find_call(r, &call)) {
        tri_buf_add_z(out, "null");
        return;
    }
    tri_buf manual = {0};
    if (call.path.len)
        tri_features_add_manual(call.path, &manual);
    tri_buf_add_z(out, "{\"signatures\": [{\"label\": ");
    tri_buf_add_json(out, call.heading);
    tri_buf_add_z(out, ", \"documentation\": {\"kind\": \"markdown\", \"value\": ");
    tri_buf_add_json(out, tri_buf_str(&manual));
    tri_buf_add_z(out, "}, \"parameters\": [");
    for (size_t i = 0; i < call.labels.len; i++) {
        tri_buf_add_z(out, i ? ", {\"label\": " : "{\"label\": ");
        tri_buf_add_json(out, call.labels.at[i]);
        tri_buf_add_char(out, '}');
    }
    tri_buf_format(out, "]}], \"activeSignature\": 0, \"activeParameter\": %d}", call.active);
    tri_buf_fini(&manual);
}
