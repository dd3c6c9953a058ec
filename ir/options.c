#include "ir/options.h"

#include "base/file.h"

#include <errno.h>

static int find_options(const tri_options *options, tri_arena *arena, tri_str path, tri_str *out_text)
{
    const tri_file_source *files = options->files;
    return files ? files->find(files->data, tri_str_copy(arena, path).data, out_text) : 0;
}

bool tri_options_read_file(const tri_options *options, tri_arena *arena, tri_str path, tri_str *out_text,
                           int *out_error)
{
    int found = find_options(options, arena, path, out_text);
    *out_error = ENOENT;
    return found ? found > 0 : tri_file_read(arena, path, out_text, out_error);
}

bool tri_options_has_file(const tri_options *options, tri_arena *arena, tri_str path)
{
    tri_str text;
    int found = find_options(options, arena, path, &text);
    return found ? found > 0 : tri_file_exists(path) && !tri_file_is_directory(path);
}

int64_t tri_options_max_ops(const tri_options *options)
{
    enum { by_default = 1 << 20 };
    return options->max_ops ? options->max_ops : by_default;
}
