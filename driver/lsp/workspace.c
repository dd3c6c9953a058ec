#include "driver/lsp/workspace.h"

#include "base/file.h"

#include <dirent.h>

enum { most_files = 5000, most_depth = 8 };

static bool is_kernel_file(tri_str name)
{
    tri_str suffix = tri_path_suffix(name);
    return tri_str_is(suffix, ".py") || tri_str_is(suffix, ".tri");
}

tri_workspace_file *tri_workspace_find(tri_workspace *ws, tri_str path)
{
    for (size_t i = 0; i < ws->files.len; i++)
        if (tri_str_equal(ws->files.at[i].path, path))
            return &ws->files.at[i];
    return NULL;
}

static void add_disk_file(tri_workspace *ws, tri_str path)
{
    int error;
    tri_workspace_file file = {.path = path};
    if (tri_workspace_find(ws, path) || !tri_file_read(ws->arena, path, &file.text, &error))
        return;
    tri_buf uri = {0};
    tri_document_add_uri(path, &uri);
    file.uri = tri_str_copy(ws->arena, tri_buf_str(&uri));
    tri_buf_fini(&uri);
    tri_vec_push(ws->arena, &ws->files, file);
}

static void read_folder(tri_workspace *ws, tri_str folder, int depth)
{
    DIR *dir = opendir(tri_str_copy(ws->arena, folder).data);
    const struct dirent *entry;
    while (dir && ws->files.len < most_files && (entry = readdir(dir))) {
        tri_str name = tri_str_copy(ws->arena, tri_str_from(entry->d_name));
        tri_str path = tri_path_join(ws->arena, folder, name);
        bool is_hidden = name.data[0] == '.' || tri_str_is(name, "__pycache__") || tri_str_is(name, "node_modules");
        if (is_kernel_file(name) && entry->d_type != DT_DIR)
            add_disk_file(ws, path);
        else if (entry->d_type == DT_DIR && !is_hidden && depth < most_depth)
            read_folder(ws, path, depth + 1);
    }
    if (dir)
        closedir(dir);
}

void tri_workspace_init(tri_workspace *ws, tri_arena *arena, const tri_lsp_document *documents,
                        const tri_folders *folders)
{
    *ws = (tri_workspace){.arena = arena, .diag = tri_diag_create()};
    tri_diag_set_format(ws->diag, TRI_DIAG_SILENT);
    for (const tri_lsp_document *d = documents; d; d = d->next) {
        tri_workspace_file file = {.path = tri_str_from(d->path), .text = tri_buf_str(&d->text)};
        file.uri = tri_str_from(d->uri);
        tri_vec_push(arena, &ws->files, file);
    }
    for (size_t i = 0; i < folders->len; i++)
        read_folder(ws, folders->at[i], 0);
    for (const tri_lsp_document *d = documents; d; d = d->next)
        if (d->path[0] == '/')
            read_folder(ws, tri_path_folder(tri_str_from(d->path)), most_depth);
}

void tri_workspace_fini(tri_workspace *ws) { tri_diag_destroy(ws->diag); }

const tri_ast_module *tri_workspace_parse(tri_workspace *ws, tri_workspace_file *file)
{
    if (!file->is_parsed)
        file->ast = tri_parser_parse(ws->arena, ws->diag, tri_diag_add_source(ws->diag, file->path, file->text));
    file->is_parsed = true;
    return file->ast;
}

/* The module `dotted` of a folder: a package's own file before a file of that name, as imports look. */
static tri_workspace_file *find_below(tri_workspace *ws, tri_str folder, tri_str dotted)
{
    static const char *const endings[] = {"/__init__.py", ".py", ".tri"};
    char *base = tri_arena_copy(ws->arena, dotted.data, dotted.len);
    for (size_t i = 0; i < dotted.len; i++)
        if (base[i] == '.')
            base[i] = '/';
    tri_str path = dotted.len ? tri_path_join(ws->arena, folder, (tri_str){base, dotted.len}) : folder;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        tri_workspace_file *file =
            tri_workspace_find(ws, tri_str_format(ws->arena, "%.*s%s", TRI_STR_ARG(path), endings[i]));
        if (file)
            return file;
    }
    return NULL;
}

tri_workspace_file *tri_workspace_import(tri_workspace *ws, const tri_workspace_file *from, uint32_t level,
                                         tri_str dotted)
{
    tri_str folder = tri_path_folder(from->path);
    if (level > 0) {
        for (uint32_t i = 1; i < level; i++)
            folder = tri_path_folder(folder);
        return find_below(ws, folder, dotted);
    }
    tri_workspace_file *file = NULL; /* beside it, or where a package above it begins */
    for (int i = 0; i <= most_depth && folder.len && !file; i++, folder = tri_path_folder(folder))
        file = find_below(ws, folder, dotted);
    return file;
}

static bool has_text(tri_str text, tri_str part) { return memmem(text.data, text.len, part.data, part.len) != NULL; }

bool tri_workspace_may_import(const tri_workspace_file *from, const tri_workspace_file *of)
{
    tri_str module = tri_path_stem(of->path);
    bool is_package = tri_str_is(module, "__init__");
    if (is_package)
        module = tri_path_base(tri_path_folder(of->path));
    return has_text(from->text, module) || (is_package && has_text(from->text, TRI_STR(" ."))); /* from . import f */
}
