#include "driver/tool.h"

#include "base/file.h"
#include "driver/environment.h"

#ifndef TRI_CUDA_PREFIX
#define TRI_CUDA_PREFIX ""
#endif

static const char library[] = "nvvm/libdevice/libdevice.10.bc";

/* Adds ROOT/bin to the path, and takes ROOT's libdevice when none was found before. */
static void add_toolkit(tri_arena *arena, tri_str root, tri_options *options, tri_buf *path)
{
    if (!root.len)
        return;
    tri_buf_format(path, "%s%.*s/bin", path->len ? ":" : "", TRI_STR_ARG(root));
    tri_str file = tri_path_join(arena, root, tri_str_from(library));
    if (!options->libdevice.len && tri_file_exists(file))
        options->libdevice = file;
}

/* The toolkit of a program found in PATH is two folders up. */
static void add_path(tri_arena *arena, tri_str list, tri_options *options, tri_buf *path)
{
    while (list.len) {
        size_t end = tri_str_find(list, ':');
        tri_str folder = tri_str_sub(list, 0, end);
        tri_str file = tri_path_join(arena, tri_path_folder(folder), tri_str_from(library));
        if (folder.len) {
            tri_buf_format(path, "%s%.*s", path->len ? ":" : "", TRI_STR_ARG(folder));
            if (!options->libdevice.len && tri_str_is(tri_path_base(folder), "bin") && tri_file_exists(file))
                options->libdevice = file;
        }
        list = tri_str_sub(list, end < list.len ? end + 1 : end, list.len);
    }
}

bool tri_tool_find(tri_arena *arena, tri_diag *diag, tri_str cuda_path, tri_options *options)
{
    tri_buf path = {0};
    if (cuda_path.len) {
        if (!tri_file_is_directory(cuda_path)) {
            tri_diag_error(diag, TRI_NO_SPAN, 1002, "'--cuda-path=%.*s' is not a folder", TRI_STR_ARG(cuda_path));
            return false;
        }
        add_toolkit(arena, cuda_path, options, &path);
    } else {
        add_toolkit(arena, TRI_STR(TRI_CUDA_PREFIX), options, &path);
        add_toolkit(arena, tri_environment_get("CUDA_HOME"), options, &path);
        add_path(arena, tri_environment_get("PATH"), options, &path);
        add_toolkit(arena, TRI_STR("/usr/local/cuda"), options, &path);
    }
    options->tool_path = tri_str_copy(arena, tri_buf_str(&path));
    tri_buf_fini(&path);
    return true;
}

void tri_tool_add_library(tri_arena *arena, tri_options *options, tri_extern_lib library)
{
    if (tri_str_is(library.name, "libdevice"))
        options->libdevice = library.path;
    else
        tri_vec_push(arena, &options->extern_libs, library);
}
