/* Each tests/ir/roundtrip/ file parses, verifies, prints, and its print gives the same text again. */
#include "base/file.h"
#include "ir/context.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static bool print_file(tri_diag *diag, tri_arena *arena, MlirContext context, tri_str path, tri_buf *out)
{
    tri_str text;
    int error;
    if (!tri_file_read(arena, path, &text, &error))
        return false;
    MlirModule module = tri_context_parse(context, tri_diag_add_source(diag, path, text));
    if (mlirModuleIsNull(module))
        return false;
    tri_context_print(module, false, out);
    mlirModuleDestroy(module);
    return true;
}

static bool round_trip(tri_diag *diag, tri_arena *arena, MlirContext context, tri_str path)
{
    tri_buf first = {0}, second = {0};
    bool ok = print_file(diag, arena, context, path, &first);
    if (ok) {
        MlirModule again =
            tri_context_parse(context, tri_diag_add_source(diag, TRI_STR("printed"), tri_buf_str(&first)));
        ok = !mlirModuleIsNull(again);
        if (ok) {
            tri_context_print(again, false, &second);
            mlirModuleDestroy(again);
            ok = tri_str_equal(tri_buf_str(&first), tri_buf_str(&second));
        }
    }
    if (!ok)
        fprintf(stderr, "%.*s: no round trip\n%.*s\n", TRI_STR_ARG(path), TRI_STR_ARG(tri_buf_str(&first)));
    tri_buf_fini(&first);
    tri_buf_fini(&second);
    return ok;
}

int main(void)
{
    tri_diag *diag = tri_diag_create();
    tri_arena *arena = tri_arena_create();
    MlirContext context = tri_context_create_mlir(diag);
    int failed = 0, count = 0;
    const char *source = getenv("SRCDIR");
    tri_str folder = tri_path_join(arena, tri_str_from(source ? source : "."), TRI_STR("tests/ir/roundtrip"));
    DIR *dir = opendir(folder.data);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (tri_str_has_suffix(tri_str_from(entry->d_name), ".mlir") && ++count)
            failed += !round_trip(diag, arena, context, tri_path_join(arena, folder, tri_str_from(entry->d_name)));
    if (dir)
        closedir(dir);
    tri_context_destroy_mlir(context);
    tri_arena_destroy(arena);
    tri_diag_destroy(diag);
    return failed != 0 || count == 0;
}
