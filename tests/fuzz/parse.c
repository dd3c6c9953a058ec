/* libFuzzer target: any bytes are parsed without a crash, and a tree that is accepted survives
 * -emit=ast and -x ast unchanged. Build and run with tests/fuzz/run.sh. */
#include "frontend/syntax/ast.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_diag_hold(diag);
    const tri_source *source = tri_diag_add_source(diag, TRI_STR("input.py"), (tri_str){(const char *)data, size});
    const tri_ast_module *module = tri_parser_parse(arena, diag, source);
    if (module) {
        tri_buf once = {0}, twice = {0};
        tri_ast_print(module, &once);
        const tri_source *text = tri_diag_add_source(diag, TRI_STR("input.ast"), tri_buf_str(&once));
        const tri_ast_module *again = tri_ast_read(arena, diag, text);
        if (!again)
            abort();
        tri_ast_print(again, &twice);
        if (!tri_str_equal(tri_buf_str(&once), tri_buf_str(&twice)))
            abort();
        tri_buf_fini(&once);
        tri_buf_fini(&twice);
    } else {
        tri_ast_read(arena, diag, source); /* the same bytes as a tree's text */
    }
    tri_diag_drop(diag);
    tri_diag_destroy(diag);
    tri_arena_destroy(arena);
    return 0;
}
