/* Renaming and references, through all files of the workspace: by the syntax trees of the texts as they are now. A name
 * of a file is followed into what imports it (`from m import f`, `m.f`), also where that hands it on; keyword arguments
 * of calls follow a function's parameter. */
#include "driver/lsp/features.h"

#include "driver/lsp/names.h"

#include <ctype.h>

/* A file's own name for what is looked for. */
typedef struct {
    const tri_workspace_file *file;
    tri_str name;
} export;

typedef struct {
    tri_arena *arena;
    tri_workspace ws;
    tri_workspace_file *own; /* the request's */
    tri_str word;
    size_t offset;
    TRI_VEC(export) exports;      /* the first is where it is defined */
    const tri_ast_node *function; /* whose local name it is; null: a name of a file */
    bool is_param;
    const char *error;
    /* while one file is looked through */
    tri_workspace_file *file;
    tri_names names;
} search;

/* --- what a name refers to ------------------------------------------------------------------- */

static bool is_export(const search *s, const tri_workspace_file *file, tri_str name)
{
    for (size_t i = 0; file && i < s->exports.len; i++)
        if (s->exports.at[i].file == file && tri_str_equal(s->exports.at[i].name, name))
            return true;
    return false;
}

/* Of any file: cheap, and true of few attributes. */
static bool is_name_of_export(const search *s, tri_str name)
{
    for (size_t i = 0; i < s->exports.len; i++)
        if (tri_str_equal(s->exports.at[i].name, name))
            return true;
    return false;
}

/* Is the file one of those that have what is looked for, or may it have imported it from one? */
static bool may_refer(const search *s, const tri_workspace_file *file)
{
    for (size_t i = 0; i < s->exports.len; i++)
        if (s->exports.at[i].file == file || tri_workspace_may_import(file, s->exports.at[i].file))
            return true;
    return false;
}

static tri_workspace_file *imported_file(search *s, const tri_workspace_file *from, const tri_ast_node *statement)
{
    return tri_workspace_import(&s->ws, from, statement->import_from.level, statement->import_from.module);
}

/* The module that an expression names, as `from` imports it: its dots and dotted name. */
static bool name_module(const tri_workspace_file *from, tri_arena *arena, const tri_ast_node *node, uint32_t *out_level,
                        tri_str *out_dotted)
{
    tri_names_import import;
    if (node->kind == TRI_AST_ATTRIBUTE) {
        if (!name_module(from, arena, node->attribute.value, out_level, out_dotted))
            return false;
        *out_dotted = tri_str_format(arena, "%.*s.%.*s", TRI_STR_ARG(*out_dotted), TRI_STR_ARG(node->attribute.name));
        return true;
    }
    if (node->kind != TRI_AST_NAME || !from->ast || !tri_names_find_import(from->ast, tri_ast_text(node), &import))
        return false;
    tri_str name = import.alias->alias.name;
    *out_level = 0;
    *out_dotted = import.alias->alias.asname.len ? name : tri_ast_text(node);
    if (import.statement->kind == TRI_AST_IMPORT_FROM) {
        tri_str module = import.statement->import_from.module;
        *out_level = import.statement->import_from.level;
        *out_dotted = module.len ? tri_str_format(arena, "%.*s.%.*s", TRI_STR_ARG(module), TRI_STR_ARG(name)) : name;
    }
    return true;
}

static tri_workspace_file *module_of(search *s, const tri_workspace_file *from, const tri_ast_node *node)
{
    uint32_t level;
    tri_str dotted;
    if (!name_module(from, s->arena, node, &level, &dotted))
        return NULL;
    return tri_workspace_import(&s->ws, from, level, dotted);
}

/* Is the expression what is looked for? */
static bool refers(search *s, const tri_workspace_file *file, const tri_ast_node *node)
{
    tri_names_import import;
    if (node->kind == TRI_AST_ATTRIBUTE)
        return is_name_of_export(s, node->attribute.name) &&
               is_export(s, module_of(s, file, node->attribute.value), node->attribute.name);
    if (node->kind != TRI_AST_NAME)
        return false;
    if (is_export(s, file, tri_ast_text(node)))
        return true;
    return tri_names_find_import(file->ast, tri_ast_text(node), &import) &&
           import.statement->kind == TRI_AST_IMPORT_FROM &&
           is_export(s, imported_file(s, file, import.statement), import.alias->alias.name);
}

/* --- where it is defined --------------------------------------------------------------------- */

static bool stands_at(tri_span at, size_t offset) { return at.begin <= offset && offset <= at.end; }

static void add_export(search *s, const tri_workspace_file *file, tri_str name)
{
    tri_vec_push(s->arena, &s->exports, ((export){file, name}));
}

/* `from m import *` of a file that does not make the name itself, of a module that has it; null: there is none. */
static const tri_ast_node *find_star(search *s, const tri_workspace_file *from, tri_str name)
{
    if (tri_names_is_defined(s->arena, from->ast, name))
        return NULL;
    for (uint32_t i = 0; i < from->ast->body.len; i++) {
        const tri_ast_node *node = from->ast->body.at[i];
        bool is_star = node->kind == TRI_AST_IMPORT_FROM && tri_str_is(node->import_from.names.at[0]->alias.name, "*");
        tri_workspace_file *file = is_star ? imported_file(s, from, node) : NULL;
        if (file && tri_workspace_parse(&s->ws, file) && tri_names_is_defined(s->arena, file->ast, name))
            return node;
    }
    return NULL;
}

/* Follows `from m import name` to where the name is made. */
static void define_imported(search *s, const tri_workspace_file *from, const tri_ast_node *statement, tri_str name)
{
    for (int hops = 0; hops < 20; hops++) {
        tri_names_import import;
        tri_workspace_file *file = imported_file(s, from, statement);
        if (!file || !tri_workspace_parse(&s->ws, file)) {
            s->error = "this name comes from a module that is not among the files of the workspace";
            return;
        }
        bool is_imported = tri_names_find_import(file->ast, name, &import) &&
                           import.statement->kind == TRI_AST_IMPORT_FROM && !import.alias->alias.asname.len;
        statement = is_imported ? import.statement : find_star(s, file, name);
        if (!statement) {
            add_export(s, file, name);
            return;
        }
        from = file;
    }
    s->error = "this name is imported in a circle";
}

/* What stands under the cursor, if it is `m.name` or the imported part of an alias. */
static bool visit_cursor(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind == TRI_AST_ATTRIBUTE && stands_at(tri_ast_name_span(node), s->offset)) {
        tri_workspace_file *file = module_of(s, s->own, node->attribute.value);
        if (file)
            add_export(s, file, node->attribute.name);
    }
    for (uint32_t i = 0; node->kind == TRI_AST_IMPORT_FROM && i < node->import_from.names.len; i++) {
        const tri_ast_node *alias = node->import_from.names.at[i];
        if (stands_at(tri_names_imported_span(alias), s->offset) && tri_str_equal(alias->alias.name, s->word))
            define_imported(s, s->own, node, s->word);
    }
    return true;
}

/* The import whose name it is, in the function or the file that the name belongs to. */
static bool is_import_of(const tri_names *names, tri_names_import *out)
{
    if (names->is_param || !tri_names_find_import(names->ast, names->name, out))
        return false;
    tri_names there = *names;
    there.offset = out->alias->span.begin;
    tri_names_find_owner(&there);
    return there.function == names->function;
}

static void find_definition(search *s)
{
    tri_names_import import;
    const tri_ast_module *ast = s->own->ast;
    for (uint32_t i = 0; i < ast->body.len && !s->error; i++)
        tri_ast_walk(ast->body.at[i], visit_cursor, s);
    if (s->error || s->exports.len)
        return;
    tri_names names = {.arena = s->arena, .ast = ast, .name = s->word, .offset = s->offset};
    tri_names_find_owner(&names);
    s->is_param = names.is_param;
    if (is_import_of(&names, &import) && !import.alias->alias.asname.len) {
        if (import.statement->kind == TRI_AST_IMPORT)
            s->error = "a module's name is that of its file";
        else
            define_imported(s, s->own, import.statement, s->word);
        return;
    }
    s->function = names.function;
    add_export(s, s->own, s->function && s->is_param ? s->function->function.name : s->word);
}

/* --- who has it from there ------------------------------------------------------------------- */

static bool visit_reexport(const tri_ast_node *node, void *data)
{
    search *s = data;
    for (uint32_t i = 0; node->kind == TRI_AST_IMPORT_FROM && i < node->import_from.names.len; i++) {
        const tri_ast_node *alias = node->import_from.names.at[i];
        tri_str name = tri_str_is(alias->alias.name, "*") ? s->exports.at[0].name : alias->alias.name;
        tri_names names = {.arena = s->arena, .ast = s->file->ast, .name = name, .offset = alias->span.begin};
        if (alias->alias.asname.len || !is_export(s, imported_file(s, s->file, node), name) ||
            is_export(s, s->file, name))
            continue;
        tri_names_find_owner(&names);
        if (!names.function)
            add_export(s, s->file, name);
    }
    return true;
}

static bool has_word(tri_str text, tri_str word) { return memmem(text.data, text.len, word.data, word.len) != NULL; }

static void find_exports(search *s)
{
    tri_str name = s->exports.at[0].name;
    for (size_t before = 0; before != s->exports.len;) {
        before = s->exports.len;
        for (size_t i = 0; i < s->ws.files.len; i++) {
            s->file = &s->ws.files.at[i];
            bool may_have = has_word(s->file->text, name) || has_word(s->file->text, TRI_STR("import *"));
            const tri_ast_module *ast = may_have && may_refer(s, s->file) ? tri_workspace_parse(&s->ws, s->file) : NULL;
            for (uint32_t k = 0; ast && k < ast->body.len; k++)
                tri_ast_walk(ast->body.at[k], visit_reexport, s);
        }
    }
}

/* --- places ---------------------------------------------------------------------------------- */

static void add_imported(search *s, const tri_ast_node *alias)
{
    if (alias->alias.asname.len) {
        tri_names_add(&s->names, tri_names_imported_span(alias));
        return;
    }
    s->names.offset = alias->span.begin;
    tri_names_find_owner(&s->names);
    tri_names_add_uses(&s->names);
}

static bool visit_place(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind == TRI_AST_ATTRIBUTE && refers(s, s->file, node))
        tri_names_add(&s->names, tri_ast_name_span(node));
    for (uint32_t i = 0; node->kind == TRI_AST_IMPORT_FROM && i < node->import_from.names.len; i++)
        if (is_export(s, imported_file(s, s->file, node), node->import_from.names.at[i]->alias.name))
            add_imported(s, node->import_from.names.at[i]);
    return true;
}

/* f(x=...), f[grid](x=...) of the function whose parameter is looked for. */
static bool visit_call(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind != TRI_AST_CALL)
        return true;
    const tri_ast_node *callee = node->call.func;
    if (callee->kind == TRI_AST_SUBSCRIPT)
        callee = callee->subscript.value;
    for (uint32_t i = 0; i < node->call.keywords.len; i++)
        if (tri_str_equal(node->call.keywords.at[i]->keyword.name, s->word) && refers(s, s->file, callee))
            tri_names_add(&s->names, tri_ast_name_span(node->call.keywords.at[i]));
    return true;
}

/* All places in one file, in `names`. */
static void search_file(search *s, tri_workspace_file *file)
{
    s->file = file;
    s->names = (tri_names){.arena = s->arena, .name = s->word};
    bool may_have = has_word(file->text, s->word) && (file == s->own || may_refer(s, file));
    s->names.ast = may_have ? tri_workspace_parse(&s->ws, file) : NULL;
    if (!s->names.ast)
        return;
    if (s->function && file == s->own) {
        s->names.function = s->function;
        tri_names_add_uses(&s->names);
    } else if (!s->function && is_export(s, file, s->word)) {
        tri_names_add_uses(&s->names);
    }
    for (uint32_t i = 0; i < s->names.ast->body.len; i++)
        if (!s->function)
            tri_ast_walk(s->names.ast->body.at[i], visit_place, s);
        else if (s->is_param)
            tri_ast_walk(s->names.ast->body.at[i], visit_call, s);
}

/* Makes the search ready for search_file; false with the request's error. */
static bool begin_search(tri_lsp_request *r, search *s)
{
    size_t begin;
    *s = (search){.arena = r->arena, .word = tri_document_word(r->text, r->offset, &begin), .offset = begin};
    tri_workspace_init(&s->ws, r->arena, r->documents, r->folders);
    s->own = tri_workspace_find(&s->ws, tri_str_from(r->document->path));
    if (!s->word.len)
        s->error = "there is no name here";
    else if (!s->own || !tri_workspace_parse(&s->ws, s->own))
        s->error = "the text has syntax errors";
    if (!s->error)
        find_definition(s);
    if (!s->error) {
        if (!s->function || s->is_param)
            find_exports(s);
        search_file(s, s->own);
        s->names.offset = begin;
        if (!tri_names_holds_offset(&s->names))
            s->error = "there is no name of this file here";
    }
    r->error = s->error;
    return !s->error;
}

/* --- answers --------------------------------------------------------------------------------- */

static bool is_identifier(tri_str name)
{
    static const char *const keywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                           "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                           "else",   "except", "finally", "for",      "from",     "global", "if",
                                           "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                           "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (tri_str_is(name, keywords[i]))
            return false;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (!isalpha(c) && c != '_' && c < 0x80 && !(i && isdigit(c)))
            return false;
    }
    return name.len > 0;
}

static void add_edits(const search *s, tri_str name, tri_buf *out)
{
    for (size_t i = 0; i < s->names.places.len; i++) {
        tri_buf_add_z(out, i ? ",\n{" : "{");
        tri_features_add_range(s->file->text, s->names.places.at[i].begin, s->names.places.at[i].end, out);
        tri_buf_add_z(out, ", \"newText\": ");
        tri_buf_add_json(out, name);
        tri_buf_add_char(out, '}');
    }
}

/* Does the name stand already where it would come to? Of a function's own name, in the function; else in the file. */
static bool is_taken(search *s, tri_str name)
{
    for (size_t i = 0; i < s->ws.files.len; i++) {
        search_file(s, &s->ws.files.at[i]);
        if (!s->names.places.len || (s->function && s->file != s->own))
            continue; /* keywords of calls */
        tri_names there = {.arena = s->arena, .ast = s->file->ast, .name = name, .function = s->function};
        tri_names_add_uses(&there);
        if (there.places.len)
            return true;
    }
    return false;
}

void tri_features_rename(tri_lsp_request *r, tri_buf *out)
{
    tri_str name = tri_json_string(r->params, "newName");
    search s;
    if (!is_identifier(name)) {
        r->error = "the new name is no identifier";
        return;
    }
    bool ok = begin_search(r, &s);
    if (ok && !tri_str_equal(name, s.word) && is_taken(&s, name))
        r->error = tri_str_format(r->arena, "'%.*s' is a name there already", TRI_STR_ARG(name)).data;
    if (ok && !r->error) {
        bool is_first = true;
        tri_buf_add_z(out, "{\"changes\": {");
        for (size_t i = 0; i < s.ws.files.len; i++) {
            search_file(&s, &s.ws.files.at[i]);
            if (!s.names.places.len)
                continue;
            tri_buf_add_z(out, is_first ? "" : ",\n");
            is_first = false;
            tri_buf_add_json(out, s.file->uri);
            tri_buf_add_z(out, ": [");
            add_edits(&s, name, out);
            tri_buf_add_char(out, ']');
        }
        tri_buf_add_z(out, "}}");
    }
    tri_workspace_fini(&s.ws);
}

void tri_features_prepare_rename(tri_lsp_request *r, tri_buf *out)
{
    search s;
    if (begin_search(r, &s)) {
        tri_buf_add_char(out, '{');
        tri_features_add_range(r->text, s.offset, s.offset + s.word.len, out);
        tri_buf_add_z(out, ", \"placeholder\": ");
        tri_buf_add_json(out, s.word);
        tri_buf_add_char(out, '}');
    } else {
        r->error = NULL;
        tri_buf_add_z(out, "null");
    }
    tri_workspace_fini(&s.ws);
}

void tri_features_references(tri_lsp_request *r, tri_buf *out)
{
    search s;
    bool is_first = true, ok = begin_search(r, &s);
    tri_buf_add_char(out, '[');
    r->error = NULL;
    for (size_t i = 0; ok && i < s.ws.files.len; i++) {
        search_file(&s, &s.ws.files.at[i]);
        for (size_t k = 0; k < s.names.places.len; k++) {
            tri_buf_add_z(out, is_first ? "{\"uri\": " : ",\n{\"uri\": ");
            is_first = false;
            tri_buf_add_json(out, s.file->uri);
            tri_buf_add_z(out, ", ");
            tri_features_add_range(s.file->text, s.names.places.at[k].begin, s.names.places.at[k].end, out);
            tri_buf_add_char(out, '}');
        }
    }
    tri_buf_add_char(out, ']');
    tri_workspace_fini(&s.ws);
}
