#include "frontend/kernel/grid.h"

#include "frontend/host/scope.h"
#include "frontend/kernel/computed.h"
#include "frontend/syntax/parser.h"
#include "ir/options.h"

enum { code_grid = 3037, max_dims = 3, max_functions = 8 };

/* A launch kernel[grid](...) of the file, and the functions around it, the innermost last. */
typedef struct {
    const tri_ast_node *call;
    const tri_ast_node *functions[max_functions];
    int function_count;
} launch;

typedef TRI_VEC(launch) launches;

/* What names mean: parameters' own with -grid, else what the launch passes for them. */
typedef struct {
    const tri_ast_module *file;
    const launch *launch; /* null: -grid */
} meaning;

static int param_index(const tri_signature *kernel, tri_str name)
{
    for (size_t i = 0; i < kernel->params.len; i++)
        if (tri_str_equal(kernel->params.at[i].name, name))
            return (int)i;
    return -1;
}

/* ---- what the launch passes ---- */

static bool is_same(const tri_ast_node *a, const tri_ast_node *b)
{
    return a->kind == b->kind && tri_str_equal(tri_ast_text(a), tri_ast_text(b));
}

/* The parameter for which the launch passes this very expression: a name, x.shape[0], x.numel(). */
static int passed_index(const tri_signature *kernel, const tri_ast_node *call, const tri_ast_node *node)
{
    switch (node->kind) {
    case TRI_AST_NAME:
    case TRI_AST_ATTRIBUTE:
    case TRI_AST_SUBSCRIPT:
    case TRI_AST_CALL:
    case TRI_AST_BINARY:
        break;
    default:
        return -1;
    }
    for (uint32_t i = 0; i < call->call.args.len && i < kernel->params.len; i++)
        if (is_same(call->call.args.at[i], node))
            return (int)i;
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (is_same(call->call.keywords.at[i]->keyword.value, node))
            return param_index(kernel, call->call.keywords.at[i]->keyword.name);
    return -1;
}

static int find_param(const tri_computed_reader *r, const tri_ast_node *node)
{
    const meaning *m = r->data;
    if (m->launch)
        return passed_index(r->signature, m->launch->call, node);
    return node->kind == TRI_AST_NAME ? param_index(r->signature, tri_ast_text(node)) : -1;
}

/* ---- what local names stand for ---- */

typedef struct {
    tri_str name;
    const tri_ast_node *value; /* null: what is assigned is not known */
    size_t count;
} search;

static void note_value(search *s, const tri_ast_node *value)
{
    s->value = value;
    s->count++;
}

static bool is_name(const tri_ast_node *node, tri_str name)
{
    return node->kind == TRI_AST_NAME && tri_str_equal(tri_ast_text(node), name);
}

static bool find_name(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (is_name(node, s->name))
        note_value(s, NULL);
    return true;
}

/* `target = value`, also where both are tuples of the same length. */
static void note_target(search *s, const tri_ast_node *target, const tri_ast_node *value)
{
    bool is_list = target->kind == TRI_AST_TUPLE || target->kind == TRI_AST_LIST;
    bool is_paired = is_list && value && value->kind == TRI_AST_TUPLE && value->list.len == target->list.len;
    if (is_name(target, s->name))
        note_value(s, value);
    else if (is_list)
        for (uint32_t i = 0; i < target->list.len; i++)
            note_target(s, target->list.at[i], is_paired ? value->list.at[i] : NULL);
}

static bool find_binding(const tri_ast_node *node, void *data)
{
    search *s = data;
    switch (node->kind) {
    case TRI_AST_ASSIGN:
        for (uint32_t i = 0; i < node->assign.targets.len; i++)
            note_target(s, node->assign.targets.at[i], node->assign.value);
        return true;
    case TRI_AST_ANN_ASSIGN:
        note_target(s, node->ann_assign.target, node->ann_assign.value);
        return true;
    case TRI_AST_AUG_ASSIGN:
        note_target(s, node->aug_assign.target, NULL);
        return true;
    case TRI_AST_FOR:
        tri_ast_walk(node->for_.target, find_name, s);
        return true;
    case TRI_AST_FUNCTION:
        if (tri_str_equal(node->function.name, s->name))
            note_value(s, node);
        return true;
    default:
        return true;
    }
}

/* A function's parameters are bound, too: `if n is None: n = 1` is not all that n can be. */
static void find_in_function(search *s, const tri_ast_node *function)
{
    for (uint32_t i = 0; i < function->function.params.len; i++)
        if (tri_str_equal(function->function.params.at[i]->param.name, s->name))
            note_value(s, NULL);
    for (uint32_t i = 0; i < function->function.body.len; i++)
        tri_ast_walk(function->function.body.at[i], find_binding, s);
}

/* What the file's own statements assign, where no function is around the launch. */
static bool find_outside(const tri_ast_node *node, void *data)
{
    bool is_scope = node->kind == TRI_AST_FUNCTION || node->kind == TRI_AST_CLASS || node->kind == TRI_AST_LAMBDA;
    return !is_scope && find_binding(node, data);
}

/* The only expression that is assigned to a name, in the innermost function that assigns to it at all. */
static const tri_ast_node *find_value(const tri_computed_reader *r, const tri_ast_node *name)
{
    const meaning *m = r->data;
    search s = {.name = tri_ast_text(name)};
    if (!m->launch)
        return NULL;
    for (int i = m->launch->function_count; i-- > 0 && !s.count;)
        find_in_function(&s, m->launch->functions[i]);
    for (uint32_t i = 0; i < m->file->body.len && !m->launch->function_count; i++)
        tri_ast_walk(m->file->body.at[i], find_outside, &s);
    return s.count == 1 && s.value && s.value->kind != TRI_AST_FUNCTION ? s.value : NULL;
}

/* ---- a grid ---- */

/* The function that a grid's name stands for, or null. */
static const tri_ast_node *function_of(tri_computed_reader *r, const tri_ast_node *node)
{
    const meaning *m = r->data;
    tri_str why = {0};
    tri_span at = node->span;
    search s = {.name = tri_ast_text(node)};
    for (int i = m->launch ? m->launch->function_count : 0; i-- > 0 && !s.count;)
        find_in_function(&s, m->launch->functions[i]);
    if (s.count)
        return s.count == 1 && s.value && s.value->kind == TRI_AST_FUNCTION ? s.value : NULL;
    const tri_value *value = tri_host_try(r->scope, node, &why, &at);
    value = value ? tri_value_unwrap(value) : NULL;
    return value && value->kind == TRI_VALUE_FUNCTION ? value->function->node : NULL;
}

/* One of its sizes: of a tuple the item of r->part. */
static const tri_computed *read_size(tri_computed_reader *r, const tri_ast_node *node)
{
    if (node->kind == TRI_AST_NAME) {
        const tri_ast_node *value = find_param(r, node) < 0 ? find_value(r, node) : NULL;
        const tri_ast_node *function = value ? NULL : function_of(r, node);
        node = value ? value : function ? function : node;
    }
    bool is_lambda = node->kind == TRI_AST_LAMBDA;
    if (!is_lambda && node->kind != TRI_AST_FUNCTION)
        return tri_computed_read(r, NULL, node);
    tri_ast_list params = is_lambda ? node->lambda.params : node->function.params;
    tri_computed_name dictionary = {.name = params.len ? params.at[0]->param.name : TRI_STR("")};
    return tri_computed_body(r, params.len ? &dictionary : NULL, node);
}

static bool is_negative(const tri_computed *size)
{
    return size->range == TRI_COMPUTED_LIST && size->count == 1 && size->values[0] < 0;
}

static bool is_empty(const tri_ast_node *node)
{
    return (node->kind == TRI_AST_TUPLE || node->kind == TRI_AST_LIST) && !node->list.len;
}

static void refuse_grid(tri_computed_reader *r, const tri_ast_node *node, const char *why)
{
    if (r->why.len)
        return;
    r->why = tri_str_from(why);
    r->at = node->span;
}

/* Words with ';' between the dimensions; empty after a refusal. */
static tri_str read_grid(tri_computed_reader *r, const tri_ast_node *node)
{
    tri_str words = TRI_STR("");
    r->parts = 1;
    for (r->part = 0; r->part < (int)r->parts && !r->why.len; r->part++) {
        const tri_computed *size = read_size(r, node);
        if (size)
            words = tri_str_format(r->arena, "%.*s%s%.*s", TRI_STR_ARG(words), words.len ? " ; " : "",
                                   TRI_STR_ARG(size->words));
        if (r->parts > max_dims || is_empty(node))
            refuse_grid(r, node, "it has not one to three dimensions");
        if (size && is_negative(size))
            refuse_grid(r, node, "a size of it is negative");
    }
    return r->why.len ? TRI_STR("") : words;
}

static tri_computed_reader make_reader(const tri_unit *unit, const tri_signature *kernel, const meaning *meaning)
{
    return (tri_computed_reader){.arena = unit->arena,
                                 .signature = kernel,
                                 .scope = kernel->function->scope,
                                 .find_param = find_param,
                                 .find_value = find_value,
                                 .data = meaning,
                                 .keeps_names = true};
}

/* ---- the file's own launches ---- */

typedef struct {
    tri_arena *arena;
    tri_map *out;
    launch at; /* but for the call */
} collector;

static void collect(const tri_ast_node *node, void *data);

static void note_launch(collector *c, const tri_ast_node *call)
{
    const tri_ast_node *f = call->call.func;
    if (f->kind != TRI_AST_SUBSCRIPT || f->subscript.value->kind != TRI_AST_NAME)
        return;
    tri_str name = tri_ast_text(f->subscript.value);
    launches *found = tri_map_find(c->out, name);
    if (!found) {
        found = TRI_NEW(c->arena, launches);
        tri_map_set(c->out, name, found);
    }
    launch one = c->at;
    one.call = call;
    tri_vec_push(c->arena, found, one);
}

static void collect(const tri_ast_node *node, void *data)
{
    collector *c = data;
    int count = c->at.function_count;
    if (node->kind == TRI_AST_CALL)
        note_launch(c, node);
    if (node->kind == TRI_AST_FUNCTION && count < max_functions)
        c->at.functions[c->at.function_count++] = node;
    tri_ast_each_child(node, collect, c);
    c->at.function_count = count;
}

/* All of a file are found by one walk, as it may have thousands of kernels. */
static const launches *launches_of(tri_unit *unit, tri_modules *modules, tri_str kernel)
{
    const tri_ast_module *file = unit->ast;
    if (!modules->launches) {
        modules->launches = TRI_NEW(modules->arena, tri_map);
        tri_map_init(modules->launches, modules->arena);
        collector c = {.arena = modules->arena, .out = modules->launches};
        for (uint32_t i = 0; file && i < file->body.len; i++)
            collect(file->body.at[i], &c);
    }
    return tri_map_find(modules->launches, kernel);
}

static bool has_word(tri_str words, tri_str word)
{
    while (words.len) {
        size_t end = tri_str_find(words, ' ');
        if (tri_str_equal(tri_str_sub(words, 0, end), word))
            return true;
        words = tri_str_sub(words, end + (end < words.len), words.len);
    }
    return false;
}

static bool has_other_value(const tri_signature_param *p, const tri_ast_node *passed)
{
    int64_t value;
    return passed->kind == TRI_AST_INT && p->arg.kind == TRI_ARG_CONSTANT &&
           (!tri_value_get_i64(tri_value_unwrap(p->arg.value), &value) || (uint64_t)value != passed->integer.value);
}

/* Is the grid for another constant than the kernel is compiled for? k[(cdiv(n, 1024),)](x, n, BLOCK=1024) says nothing
 * of blocks of 512. */
static bool is_for_others(const tri_signature *kernel, const tri_ast_node *call, tri_str words)
{
    for (uint32_t i = 0; i < call->call.args.len && i < kernel->params.len; i++)
        if (has_other_value(&kernel->params.at[i], call->call.args.at[i]) &&
            has_word(words, tri_ast_text(call->call.args.at[i])))
            return true;
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const tri_ast_node *value = call->call.keywords.at[i]->keyword.value;
        int param = param_index(kernel, call->call.keywords.at[i]->keyword.name);
        if (param >= 0 && has_other_value(&kernel->params.at[param], value) && has_word(words, tri_ast_text(value)))
            return true;
    }
    return false;
}

/* The grid that all launches of the kernel ask for; empty: they differ, or one cannot be computed. */
static tri_str grid_of_launches(tri_unit *unit, const tri_signature *kernel, const launches *found)
{
    tri_str all = TRI_STR("");
    for (size_t i = 0; found && i < found->len; i++) {
        meaning meaning = {unit->ast, &found->at[i]};
        tri_computed_reader r = make_reader(unit, kernel, &meaning);
        tri_str words = read_grid(&r, found->at[i].call->call.func->subscript.index);
        if (!words.len || (i && !tri_str_equal(words, all)) || is_for_others(kernel, found->at[i].call, words))
            return TRI_STR("");
        all = words;
    }
    return all;
}

/* ---- both ---- */

/* `grid` is one expression or a tuple of up to three. */
static bool from_option(tri_unit *unit, const tri_signature *kernel, tri_str *out)
{
    tri_diag *diag = unit->diag;
    tri_str text = unit->options->grid;
    const tri_source *source = tri_diag_add_source(diag, TRI_STR("-grid"), text);
    const tri_ast_module *module = tri_parser_parse(unit->arena, diag, source);
    if (!module)
        return false;
    if (module->body.len != 1 || module->body.at[0]->kind != TRI_AST_EXPR) {
        tri_diag_error(diag, (tri_span){source, 0, (uint32_t)text.len}, code_grid, "-grid is not an expression");
        return false;
    }
    meaning meaning = {unit->ast, NULL};
    tri_computed_reader r = make_reader(unit, kernel, &meaning);
    *out = read_grid(&r, module->body.at[0]->value);
    if (!out->len)
        tri_diag_error(diag, r.at, code_grid, "in the grid of '%.*s': %.*s", TRI_STR_ARG(kernel->name),
                       TRI_STR_ARG(r.why));
    return out->len > 0;
}

bool tri_grid_find(tri_unit *unit, tri_modules *modules, const tri_signature *kernel, tri_str *out)
{
    *out = TRI_STR("");
    if (unit->options->grid.len)
        return from_option(unit, kernel, out);
    *out = grid_of_launches(unit, kernel, launches_of(unit, modules, kernel->function->name));
    return true;
}
