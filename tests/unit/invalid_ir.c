/* A module that a pass leaves invalid is a fault of the compiler, and is said to be one: with the code of such faults,
 * with the pass's name where it is known, never as an error of the user's kernel. */
#include "ir/context.h"
#include "ir/op.h"
#include "ir/options.h"
#include "ir/type.h"
#include "ir/unit.h"
#include "passes/passes.h"

#include <stdio.h>

static const char text[] = "tt.func public @f(%x: f32, %y: f64) -> f32 {\n"
                           "  %z = arith.addf %x, %x : f32\n"
                           "  tt.return %z : f32\n"
                           "}\n";

/* As a pass would that mixes up its types: %x + %x becomes %x + %y. */
static void spoil(tri_arena *arena, MlirModule module)
{
    tri_op_list adds = {0}, funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(module), "arith.addf", arena, &adds);
    tri_op_collect_named(mlirModuleGetOperation(module), "tt.func", arena, &funcs);
    mlirOperationSetOperand(adds.at[0], 1, mlirBlockGetArgument(tri_op_body(funcs.at[0], 0), 1));
}

static int check(bool each, bool is_spoilt, const char *wanted)
{
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_buf log = {0};
    tri_diag_set_log(diag, &log);
    tri_options options = {.verify_each = each};
    tri_unit unit;
    tri_unit_init(&unit, arena, diag, &options);
    unit.mlir = tri_context_create_mlir(diag);
    unit.module = tri_context_parse(unit.mlir, tri_diag_add_source(diag, TRI_STR("k.ttir"), tri_str_from(text)));
    if (is_spoilt)
        spoil(arena, unit.module);
    bool ok = tri_passes_run(&unit, "reorder-broadcast", NULL);
    tri_str said = tri_buf_str(&log);
    char *copy = tri_str_copy(arena, said).data ? (char *)(uintptr_t)tri_str_copy(arena, said).data : (char *)"";
    bool is_right = ok == !is_spoilt && (wanted ? strstr(copy, wanted) && strstr(copy, "[TRI-8001]") : said.len == 0);
    if (!is_right)
        fprintf(stderr, "verify_each %d, spoilt %d: %s\n", each, is_spoilt, copy);
    mlirModuleDestroy(unit.module);
    unit.module = (MlirModule){NULL};
    tri_unit_fini(&unit);
    tri_context_destroy_mlir(unit.mlir);
    tri_diag_destroy(diag);
    tri_arena_destroy(arena);
    tri_buf_fini(&log);
    return !is_right;
}

int main(void)
{
    int failures = check(true, false, NULL) + check(false, false, NULL);
    failures += check(true, true, "internal error: invalid IR after pass 'reorder-broadcast'");
    failures += check(false, true, "internal error: invalid IR after the passes");
    return failures != 0;
}
