/* Completion: names of the library from its tables, names of the file from the text and the last facts.
 */
#include "driver/lsp/features.h"

#include "driver/language.h"

#include <ctype.h>
#include <stdint.h>
#include <strings.h>

/* Of LSP's CompletionItemKind. */
enum { kind_method = 2, kind_function = 3, kind_variable = 6, kind_module = 9, kind_property = 10, kind_keyword = 14 };

typedef struct {
    const tri_lsp_request *r;
    tri_buf *out;
    tri_map seen;
    tri_str prefix; /* what is typed of the name */
    bool is_first;
} list;

/* --- the library ----------------------------------------------------------------------------- */

/* "pointer mask? *rest | cache_modifier?" as Python writes it. */
static void add_parameters(tri_str params, tri_buf *out)
{
    bool is_first = true;
    tri_buf_add_char(out, '(');
    while (params.len) {
        size_t end = tri_str_find(params, ' ');
        tri_str word = tri_str_sub(params, 0, end);
        params = tri_str_sub(params, end < params.len ? end + 1 : end, params.len);
        bool is_optional = tri_str_has_suffix(word, "?");
        word.len -= is_optional;
        if (!word.len)
            continue;
        tri_buf_format(out, "%s%.*s%s", is_first ? "" : ", ", TRI_STR_ARG(tri_str_is(word, "|") ? TRI_STR("*") : word),
                       is_optional ? "=None" : "");
        is_first = false;
    }
    tri_buf_add_char(out, ')');
}

bool tri_features_find_library(tri_str path, tri_str *out_params)
{
    tri_str name, method;
    for (size_t i = 0; tri_notes_library(i, &name, out_params, &method); i++)
        if (tri_str_equal(name, path))
            return true;
    return false;
}

bool tri_features_heading(tri_str path, tri_buf *out)
{
    static const char prefix[] = "triton.language.";
    tri_str params;
    if (!tri_features_find_library(path, &params))
        return false;
    bool is_tl = tri_str_has_prefix(path, prefix);
    tri_buf_format(out, "%s%.*s", is_tl ? "tl." : "",
                   TRI_STR_ARG(is_tl ? tri_str_sub(path, sizeof prefix - 1, path.len) : path));
    add_parameters(params, out);
    return true;
}

/* --- items ----------------------------------------------------------------------------------- */

static void add_completion(list *l, tri_str label, int kind, tri_str detail, tri_str path)
{
    tri_buf *out = l->out;
    bool fits = label.len >= l->prefix.len && !strncasecmp(label.data, l->prefix.data, l->prefix.len);
    if (!fits || !label.len || tri_map_find(&l->seen, label))
        return;
    tri_map_set(&l->seen, tri_str_copy(l->r->arena, label), l);
    tri_buf_add_z(out, l->is_first ? "{\"label\": " : ",\n{\"label\": ");
    l->is_first = false;
    tri_buf_add_json(out, label);
    tri_buf_format(out, ", \"kind\": %d", kind);
    if (detail.len) {
        tri_buf_add_z(out, ", \"detail\": ");
        tri_buf_add_json(out, detail);
    }
    tri_buf text = {0};
    if (path.len)
        tri_features_add_manual(path, &text);
    if (text.len) {
        tri_buf_add_z(out, ", \"documentation\": {\"kind\": \"markdown\", \"value\": ");
        tri_buf_add_json(out, tri_buf_str(&text));
        tri_buf_add_char(out, '}');
    }
    tri_buf_add_char(out, '}');
    tri_buf_fini(&text);
}

/* What stands in a namespace of the library, "triton.language". */
static void complete_namespace(list *l, tri_str space)
{
    tri_str path, params, method;
    for (size_t i = 0; tri_notes_library(i, &path, &params, &method); i++) {
        if (path.len <= space.len + 1 || memcmp(path.data, space.data, space.len) || path.data[space.len] != '.')
            continue;
        tri_str rest = tri_str_sub(path, space.len + 1, path.len);
        size_t dot = tri_str_find(rest, '.');
        tri_str label = tri_str_sub(rest, 0, dot);
        if (label.data[0] == '_')
            continue;
        tri_buf detail = {0};
        if (dot == rest.len)
            tri_features_heading(path, &detail);
        add_completion(l, label, dot == rest.len ? kind_function : kind_module, tri_buf_str(&detail),
                       dot == rest.len ? path : TRI_STR(""));
        tri_buf_fini(&detail);
    }
    static const char *const types[] = {"int1",        "int8",       "int16",       "int32",      "int64",
                                        "uint8",       "uint16",     "uint32",      "uint64",     "float16",
                                        "bfloat16",    "float32",    "float64",     "float8e4nv", "float8e5",
                                        "float8e4b15", "float8e4b8", "float8e5b16", "constexpr"};
    for (size_t i = 0; tri_str_is(space, "triton.language") && i < sizeof types / sizeof *types; i++)
        add_completion(l, tri_str_from(types[i]), kind_property, TRI_STR("dtype"), TRI_STR(""));
}

static void complete_methods(list *l)
{
    static const char *const properties[] = {"dtype", "shape", "T", "type", "numel"};
    tri_str path, params, method;
    for (size_t i = 0; tri_notes_library(i, &path, &params, &method); i++) {
        bool is_own = tri_str_has_prefix(path, "tensor.");
        tri_str label = method.len ? method : is_own ? tri_str_sub(path, strlen("tensor."), path.len) : TRI_STR("");
        tri_buf detail = {0};
        tri_features_heading(path, &detail);
        add_completion(l, label, kind_method, tri_buf_str(&detail), path);
        tri_buf_fini(&detail);
    }
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        add_completion(l, tri_str_from(properties[i]), kind_property, TRI_STR(""), TRI_STR(""));
}

/* --- where the cursor stands ----------------------------------------------------------------- */

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

tri_str tri_features_dotted_before(tri_str text, size_t end)
{
    size_t begin = end;
    while (begin > 0 && (is_word_char(text.data[begin - 1]) || text.data[begin - 1] == '.'))
        begin--;
    return tri_str_sub(text, begin, end);
}

/* What `import triton.language as NAME` and the like bind, by the lines of the text, as an editor's text seldom parses.
 */
static bool is_alias_line(tri_str line, const char *words, tri_str name)
{
    line = tri_str_trim(line);
    if (!tri_str_has_prefix(line, words))
        return false;
    tri_str rest = tri_str_trim(tri_str_sub(line, strlen(words), line.len));
    return tri_str_equal(tri_str_trim(tri_str_sub(rest, 0, tri_str_find(rest, '#'))), name);
}

tri_str tri_features_library_path(const tri_lsp_request *r, tri_str dotted)
{
    static const struct {
        const char *words, *path;
    } forms[] = {{"import triton.language as", "triton.language"},
                 {"from triton import language as", "triton.language"},
                 {"import triton as", "triton"},
                 {"from triton.language.extra import", "triton.language.extra"},
                 {"from triton.language import", "triton.language"}};
    size_t dot = tri_str_find(dotted, '.');
    tri_str first = tri_str_sub(dotted, 0, dot), rest = tri_str_sub(dotted, dot, dotted.len), text = r->text;
    const char *path = tri_str_is(first, "triton") ? "triton" : NULL;
    bool adds_name = false;
    while (text.len && !path) {
        size_t end = tri_str_find(text, '\n');
        tri_str line = tri_str_sub(text, 0, end);
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (is_alias_line(line, forms[i].words, first)) {
                path = forms[i].path;
                adds_name = i >= 3;
            }
        text = tri_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
    if (!path && tri_str_is(first, "tl"))
        path = "triton.language";
    if (!path)
        return TRI_STR("");
    return tri_str_format(r->arena, "%s%s%.*s%.*s", path, adds_name ? "." : "", adds_name ? (int)first.len : 0,
                          first.data, TRI_STR_ARG(rest));
}

static void add_keywords_of_call(list *l)
{
    tri_features_call call;
    if (!tri_features_find_call(l->r, &call))
        return;
    for (size_t i = 0; i < call.names.len; i++)
        add_completion(l, tri_str_format(l->r->arena, "%.*s=", TRI_STR_ARG(call.names.at[i])), kind_property,
                       TRI_STR("parameter"), TRI_STR(""));
}

/* Names that kernels and the file bind. */
static void complete_names(list *l)
{
    static const char *const words[] = {"for", "if",   "else",  "elif", "while", "return", "range", "tl", "triton",
                                        "def", "True", "False", "None", "and",   "or",     "not",   "in"};
    const tri_lsp_analysis *facts = l->r->document->facts;
    for (size_t i = 0; facts && i < facts->notes.all.len; i++) {
        const tri_frontend_note *note = &facts->notes.all.at[i];
        if (note->is_binding && note->at.source == facts->source)
            add_completion(l, tri_str_sub(note->at.source->text, note->at.begin, note->at.end), kind_variable,
                           note->type, TRI_STR(""));
    }
    for (uint32_t i = 0; facts && facts->ast && i < facts->ast->body.len; i++) {
        const tri_ast_node *node = facts->ast->body.at[i];
        if (node->kind == TRI_AST_FUNCTION)
            add_completion(l, node->function.name, kind_function, TRI_STR("function"), TRI_STR(""));
        else if (node->kind == TRI_AST_ASSIGN && node->assign.targets.at[0]->kind == TRI_AST_NAME)
            add_completion(l, tri_ast_text(node->assign.targets.at[0]), kind_variable, TRI_STR(""), TRI_STR(""));
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_completion(l, tri_str_from(words[i]), kind_keyword, TRI_STR(""), TRI_STR(""));
}

void tri_features_completion(tri_lsp_request *r, tri_buf *out)
{
    size_t begin = r->offset;
    while (begin > 0 && is_word_char(r->text.data[begin - 1]))
        begin--;
    list l = {.r = r, .out = out, .prefix = tri_str_sub(r->text, begin, r->offset), .is_first = true};
    tri_map_init(&l.seen, r->arena);
    tri_buf_add_z(out, "{\"isIncomplete\": false, \"items\": [");
    if (begin > 0 && r->text.data[begin - 1] == '.') {
        tri_str base = tri_features_dotted_before(r->text, begin - 1), path = tri_features_library_path(r, base);
        if (path.len)
            complete_namespace(&l, path);
        else
            complete_methods(&l);
    } else {
        add_keywords_of_call(&l);
        complete_names(&l);
    }
    tri_buf_add_z(out, "]}");
}
