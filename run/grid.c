#include "run/grid.h"

#include "frontend/host/host.h"
#include "ir/kernel.h"

#include <ctype.h>

/* What an expression sees beside the parameters. */
static const char prelude[] = "import math\nimport triton\nimport triton.language as tl\nfrom triton import cdiv\n";

typedef struct {
    tri_run_kernel *k;
    const char *what;
    tri_modules *all;
    tri_scope *scope;
    TRI_VEC(tri_host_arg) names; /* of the parameters that the expression has */
    bool failed;
} expression;

static tri_ast_module *parse(tri_unit *unit, const char *what, tri_str text)
{
    return tri_parser_parse(unit->arena, unit->diag, tri_diag_add_source(unit->diag, tri_str_from(what), text));
}

static const tri_value *value_of(expression *e, size_t i)
{
    tri_unit *unit = &e->k->unit;
    const tri_kernel_param *param = &unit->kernels.at[0].params.at[i];
    const tri_argument *argument = e->k->passed[i];
    if (argument && (argument->kind == TRI_ARGUMENT_ARRAY || argument->kind == TRI_ARGUMENT_TABLE))
        return tri_value_int(unit->arena, argument->array.count);
    tri_str text = param->is_constexpr ? param->value : argument ? argument->literal : TRI_STR("None");
    return tri_host_eval_text(e->scope, param->name, text);
}

static bool has(const expression *e, tri_str name)
{
    for (size_t i = 0; i < e->names.len; i++)
        if (tri_str_equal(e->names.at[i].name, name))
            return true;
    return false;
}

/* Only what is named is evaluated: other constants may be what means nothing here, such as functions. */
static bool collect_name(const tri_ast_node *node, void *data)
{
    expression *e = data;
    const tri_kernel *kernel = &e->k->unit.kernels.at[0];
    if (node->kind != TRI_AST_NAME || has(e, tri_ast_text(node)))
        return true;
    for (size_t i = 0; i < kernel->params.len; i++) {
        if (!tri_str_equal(kernel->params.at[i].name, tri_ast_text(node)))
            continue;
        tri_host_arg arg = {tri_ast_text(node), value_of(e, i)};
        e->failed = e->failed || !arg.value;
        tri_vec_push(e->k->unit.arena, &e->names, arg);
    }
    return true;
}

/* "did you mean" for a name that is none */
static void note_names(expression *e, tri_span at)
{
    tri_unit *unit = &e->k->unit;
    const tri_kernel *kernel = &unit->kernels.at[0];
    const char **names = TRI_NEW_ARRAY(unit->arena, const char *, kernel->params.len + 1);
    tri_buf list = {0};
    for (size_t i = 0; i < kernel->params.len; i++) {
        names[i] = tri_str_copy(unit->arena, kernel->params.at[i].name).data;
        tri_buf_format(&list, "%s, ", names[i]);
    }
    names[kernel->params.len] = "cdiv";
    const char *near = tri_str_nearest(tri_str_sub(at.source->text, at.begin, at.end), names, kernel->params.len + 1);
    if (near)
        tri_diag_note(unit->diag, TRI_NO_SPAN, "did you mean '%s'?", near);
    else
        tri_diag_note(unit->diag, TRI_NO_SPAN, "names that are known: %.*scdiv", (int)list.len, list.data);
    tri_buf_fini(&list);
}

/* The value of the text, and where it stands; null after a report. */
static const tri_value *evaluate(expression *e, tri_str text, tri_span *out_at)
{
    tri_unit *unit = &e->k->unit;
    const tri_ast_module *known = parse(unit, "prelude", tri_str_from(prelude)), *module = parse(unit, e->what, text);
    if (!module || module->body.len != 1 || module->body.at[0]->kind != TRI_AST_EXPR) {
        if (module)
            tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "%s='%.*s' is not an expression", e->what, TRI_STR_ARG(text));
        return NULL;
    }
    const tri_ast_node *node = module->body.at[0]->value;
    e->all = tri_module_create_all(unit);
    e->scope = tri_module_scope(tri_module_add(e->all, known));
    tri_ast_walk(node, collect_name, e);
    if (e->failed)
        return NULL;
    tri_str why = {0};
    tri_span at = node->span;
    const tri_value *value = tri_host_try_with(e->scope, node, e->names.len, e->names.at, &why, &at);
    *out_at = node->span;
    if (value)
        return value;
    tri_diag_error(unit->diag, at, 1002, "%.*s", TRI_STR_ARG(why));
    if (tri_str_has_suffix(why, "is not defined"))
        note_names(e, at);
    return NULL;
}

/* What a grid's lambda is called with: {"BLOCK": 64, ...} of the constants that are integers. */
static const tri_value *make_constants(expression *e)
{
    tri_arena *arena = e->k->unit.arena;
    const tri_kernel *kernel = &e->k->unit.kernels.at[0];
    tri_value *constants = tri_value_dict_create(arena);
    for (size_t i = 0; i < kernel->params.len; i++) {
        const tri_kernel_param *param = &kernel->params.at[i];
        int64_t number;
        if (param->is_constexpr && tri_str_to_i64(param->value, &number))
            tri_value_dict_set(arena, constants->dict, tri_value_str(arena, param->name), tri_value_int(arena, number));
    }
    return constants;
}

static bool store(tri_run_kernel *k, const tri_value *result, tri_span at)
{
    uint32_t sizes[3] = {1, 1, 1};
    int64_t size;
    tri_value_ops ops = {.arena = k->unit.arena};
    tri_value_list items = {0};
    result = tri_value_unwrap(result);
    bool ok = true;
    bool is_tuple = !tri_value_get_i64(result, &size);
    if (is_tuple)
        ok = tri_value_items(&ops, result, &items) && items.len >= 1 && items.len <= 3;
    for (uint32_t i = 0; ok && i < (is_tuple ? items.len : 1); i++) {
        ok = tri_value_get_i64(is_tuple ? tri_value_unwrap(items.at[i]) : result, &size) && size >= 0 &&
             size <= INT32_MAX;
        sizes[i] = ok ? (uint32_t)size : 0;
    }
    if (!ok)
        tri_diag_error(k->unit.diag, at, 1002, "the grid must be 1 to 3 integers from 0 to 2147483647");
    k->grid = (tri_sim_grid){sizes[0], sizes[1], sizes[2]};
    return ok;
}

/* Words in postfix order, as tri_kernel.grid has them, the way -grid is written; empty: they are none. */
static tri_str text_of_words(tri_arena *arena, tri_str words)
{
    static const char *const folds[] = {"min", "max", "cdiv"};
    TRI_VEC(tri_str) stack = {0};
    while (words.len) {
        size_t end = tri_str_find(words, ' '), taken = 2;
        tri_str word = tri_str_sub(words, 0, end);
        words = tri_str_sub(words, end + (end < words.len), words.len);
        bool is_fold = false, is_choice = tri_str_is(word, "select"), is_unary = tri_str_is(word, "next_power_of_2");
        for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
            is_fold = is_fold || tri_str_is(word, folds[i]);
        bool is_name = isalnum((unsigned char)word.data[0]) || word.data[0] == '_' || word.len > 2 ||
                       (word.len == 2 && word.data[0] == '-');
        taken = is_choice ? 3 : is_unary ? 1 : is_name && !is_fold ? 0 : 2;
        if (stack.len < taken)
            return TRI_STR("");
        const tri_str *in = stack.at + (stack.len - taken);
        tri_str made = word;
        if (is_choice)
            made = tri_str_format(arena, "(%.*s if %.*s else %.*s)", TRI_STR_ARG(in[1]), TRI_STR_ARG(in[0]),
                                  TRI_STR_ARG(in[2]));
        else if (is_unary)
            made = tri_str_format(arena, "triton.next_power_of_2(%.*s)", TRI_STR_ARG(in[0]));
        else if (is_fold)
            made = tri_str_format(arena, "%.*s(%.*s, %.*s)", TRI_STR_ARG(word), TRI_STR_ARG(in[0]), TRI_STR_ARG(in[1]));
        else if (taken == 2)
            made = tri_str_format(arena, "(%.*s %.*s %.*s)", TRI_STR_ARG(in[0]), TRI_STR_ARG(word), TRI_STR_ARG(in[1]));
        stack.len -= taken;
        tri_vec_push(arena, &stack, made);
    }
    return stack.len == 1 ? stack.at[0] : TRI_STR("");
}

tri_str tri_run_grid_of_launch(const tri_run_kernel *k)
{
    tri_str rest = k->unit.kernels.len ? k->unit.kernels.at[0].grid : TRI_STR(""), text = TRI_STR("");
    while (rest.len) {
        size_t end = tri_str_find(rest, ';');
        tri_str size = text_of_words(k->unit.arena, tri_str_trim(tri_str_sub(rest, 0, end)));
        rest = tri_str_sub(rest, end + (end < rest.len), rest.len);
        if (!size.len)
            return size;
        text = tri_str_format(k->unit.arena, "%.*s%s%.*s", TRI_STR_ARG(text), text.len ? ", " : "", TRI_STR_ARG(size));
    }
    return text;
}

bool tri_run_grid_evaluate(tri_run_kernel *k, tri_str text)
{
    k->grid = (tri_sim_grid){1, 1, 1};
    if (!text.len)
        return true;
    expression e = {.k = k, .what = "-grid"};
    tri_span at;
    const tri_value *value = evaluate(&e, text, &at);
    if (value && value->kind == TRI_VALUE_FUNCTION) {
        tri_host_arg meta = {.value = make_constants(&e)};
        value = tri_host_call(e.all, value, 1, &meta, at);
    }
    return value && store(k, value, at);
}

bool tri_run_grid_number(tri_run_kernel *k, const char *what, tri_str text, double *out_number)
{
    expression e = {.k = k, .what = what};
    tri_span at;
    *out_number = 0;
    if (!text.len)
        return true;
    const tri_value *value = evaluate(&e, text, &at);
    if (!value)
        return false;
    bool ok = tri_value_get_float(tri_value_unwrap(value), out_number) && *out_number >= 0;
    if (!ok)
        tri_diag_error(k->unit.diag, at, 1002, "%s must be a number, 0 or more", what);
    return ok;
}
