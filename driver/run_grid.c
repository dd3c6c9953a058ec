#include "driver/run_grid.h"

#include "frontend/host.h"

/* The grid is the body of a lambda over the parameters' names, called with their values. */
static tri_str lambda_text(tri_arena *arena, const tri_kernel *kernel, tri_str grid)
{
    tri_buf text = {0};
    tri_buf_add_z(&text, "lambda cdiv");
    for (size_t i = 0; i < kernel->params.len; i++)
        tri_buf_format(&text, ", %.*s", TRI_STR_ARG(kernel->params.at[i].name));
    tri_buf_format(&text, ": (%.*s,)", TRI_STR_ARG(grid));
    tri_str copy = tri_str_copy(arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

static const tri_value *value_of(tri_run_kernel *k, size_t i, tri_scope *scope)
{
    const tri_kernel_param *param = &k->unit.kernels.at[0].params.at[i];
    const tri_argument *argument = k->passed[i];
    if (argument && (argument->kind == TRI_ARGUMENT_ARRAY || argument->kind == TRI_ARGUMENT_TABLE))
        return tri_value_int(k->unit.arena, argument->array.count);
    tri_str text = param->is_constexpr ? param->value : argument ? argument->literal : TRI_STR("None");
    return tri_host_eval_text(scope, param->name, text);
}

static bool store(tri_run_kernel *k, const tri_value *result, tri_span at)
{
    uint32_t sizes[3] = {1, 1, 1};
    tri_value_ops ops = {.arena = k->unit.arena};
    tri_value_list items = {0};
    bool ok = result && tri_value_items(&ops, tri_value_unwrap(result), &items) && items.len >= 1 && items.len <= 3;
    for (uint32_t i = 0; ok && i < items.len; i++) {
        int64_t size;
        ok = tri_value_get_i64(tri_value_unwrap(items.at[i]), &size) && size >= 0 && size <= INT32_MAX;
        sizes[i] = ok ? (uint32_t)size : 0;
    }
    if (!ok && result)
        tri_diag_error(k->unit.diag, at, 1002, "the grid must be 1 to 3 integers from 0 to 2147483647");
    k->grid = (tri_sim_grid){sizes[0], sizes[1], sizes[2]};
    return ok;
}

bool tri_run_grid_evaluate(tri_run_kernel *k, tri_str text, tri_argument_list *arguments)
{
    (void)arguments;
    k->grid = (tri_sim_grid){1, 1, 1};
    if (!text.len)
        return true;
    tri_unit *unit = &k->unit;
    const tri_kernel *kernel = &unit->kernels.at[0];
    const tri_source *source = tri_diag_add_source(unit->diag, TRI_STR("-grid"), lambda_text(unit->arena, kernel, text));
    tri_span at = {source, 0, (uint32_t)source->text.len};
    tri_ast_module *ast = tri_parser_parse(unit->arena, unit->diag, source);
    if (!ast)
        return false;
    if (ast->body.len != 1 || ast->body.at[0]->kind != TRI_AST_EXPR) {
        tri_diag_error(unit->diag, at, 1002, "-grid is not an expression");
        return false;
    }
    tri_modules *all = tri_module_create_all(unit);
    tri_scope *scope = tri_module_scope(tri_module_add(all, ast));
    const tri_value *lambda = tri_host_eval(scope, ast->body.at[0]->value);
    tri_host_arg *args = TRI_NEW_ARRAY(unit->arena, tri_host_arg, kernel->params.len + 1);
    args[0].value = tri_value_builtin(unit->arena, TRI_STR("triton.cdiv"));
    for (size_t i = 0; lambda && i < kernel->params.len; i++) {
        args[1 + i].value = value_of(k, i, scope);
        if (!args[1 + i].value)
            return false;
    }
    return lambda && store(k, tri_host_call(all, lambda, kernel->params.len + 1, args, at), at);
}
