#include "frontend/kernel/grid.h"

#include "frontend/host/scope.h"
#include "frontend/syntax/parser.h"
#include "frontend/kernel/types.h"
#include "ir/options.h"

enum { code_grid = 3037, max_dims = 3 };

/* An expression on its way to words in postfix order: numbers, parameters and operators, ';' between dimensions. */
typedef struct {
    tri_unit *unit;
    const tri_signature *kernel;
    const tri_ast_node
        *launch; /* kernel[grid](...): its arguments say what names stand for; null: -grid, parameters' own */
    tri_str meta;               /* of `lambda meta:`; empty: none */
    tri_buf words;
    const tri_ast_node *failed; /* what cannot be had */
    const char *why;
} reader;

static bool fail_grid(reader *r, const tri_ast_node *node, const char *why)
{
    if (!r->failed) {
        r->failed = node;
        r->why = why;
    }
    return false;
}

static void add_word(reader *r, tri_str word)
{
    tri_buf_format(&r->words, "%s%.*s", r->words.len ? " " : "", TRI_STR_ARG(word));
}

/* ---- names ---- */

static int param_index(const reader *r, tri_str name)
{
    for (size_t i = 0; i < r->kernel->params.len; i++)
        if (tri_str_equal(r->kernel->params.at[i].name, name))
            return (int)i;
    return -1;
}

static bool is_name_of(const tri_ast_node *node, tri_str name)
{
    return node->kind == TRI_AST_NAME && tri_str_equal(tri_ast_text(node), name);
}

/* The parameter for which the launch passes a variable of this name. */
static int passed_index(const reader *r, tri_str name)
{
    const tri_ast_node *call = r->launch;
    for (uint32_t i = 0; i < call->call.args.len && i < r->kernel->params.len; i++)
        if (is_name_of(call->call.args.at[i], name))
            return (int)i;
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (is_name_of(call->call.keywords.at[i]->keyword.value, name))
            return param_index(r, call->call.keywords.at[i]->keyword.name);
    return -1;
}

static bool add_param(reader *r, const tri_ast_node *node, int index)
{
    if (index < 0)
        return fail_grid(r, node, "is no parameter of the kernel");
    const tri_signature_param *p = &r->kernel->params.at[index];
    bool is_argument = p->arg.kind == TRI_ARG_VALUE && tri_types_is_int(p->arg.type);
    if (!is_argument && p->arg.kind != TRI_ARG_CONSTANT)
        return fail_grid(r, node, "is no integer");
    add_word(r, p->name);
    return true;
}

/* ---- expressions ---- */

static bool read_node(reader *r, const tri_ast_node *node);

static bool read_call(reader *r, const tri_ast_node *node)
{
    static const char *const names[] = {"cdiv", "min", "max", "next_power_of_2"};
    const tri_ast_node *func = node->call.func;
    tri_str name = func->kind == TRI_AST_NAME        ? tri_ast_text(func)
                   : func->kind == TRI_AST_ATTRIBUTE ? func->attribute.name
                                                     : TRI_STR("");
    uint32_t count = node->call.args.len;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!tri_str_is(name, names[i]))
            continue;
        bool is_unary = i == 3, is_fold = i == 1 || i == 2;
        if (node->call.keywords.len || count < (is_unary ? 1u : 2u) || (!is_fold && count > (is_unary ? 1u : 2u)))
            return fail_grid(r, node, "has the wrong number of arguments");
        for (uint32_t a = 0; a < count; a++) {
            if (!read_node(r, node->call.args.at[a]))
                return false;
            if (a || is_unary)
                add_word(r, tri_str_from(names[i]));
        }
        return true;
    }
    return fail_grid(r, node, "is none of cdiv, min, max and next_power_of_2");
}

static bool read_binary(reader *r, const tri_ast_node *node)
{
    const char *op = node->binary.op == TRI_AST_ADD_OP         ? "+"
                     : node->binary.op == TRI_AST_SUB_OP       ? "-"
                     : node->binary.op == TRI_AST_MUL_OP       ? "*"
                     : node->binary.op == TRI_AST_FLOOR_DIV_OP ? "//"
                     : node->binary.op == TRI_AST_MOD_OP       ? "%"
                                                               : NULL;
    if (!op)
        return fail_grid(r, node, "is none of + - * // and %");
    if (!read_node(r, node->binary.left) || !read_node(r, node->binary.right))
        return false;
    add_word(r, tri_str_from(op));
    return true;
}

static bool read_node(reader *r, const tri_ast_node *node)
{
    switch (node->kind) {
    case TRI_AST_INT:
        if (node->integer.big || node->integer.value > INT64_MAX)
            return fail_grid(r, node, "is too large");
        add_word(r, tri_str_format(r->unit->arena, "%llu", (unsigned long long)node->integer.value));
        return true;
    case TRI_AST_NAME:
        return add_param(r, node, r->launch ? passed_index(r, tri_ast_text(node)) : param_index(r, tri_ast_text(node)));
    case TRI_AST_SUBSCRIPT: /* meta["BLOCK"] */
        if (!r->meta.len || !is_name_of(node->subscript.value, r->meta) ||
            node->subscript.index->kind != TRI_AST_STRING)
            return fail_grid(r, node, "is not known when the kernel is launched");
        return add_param(r, node, param_index(r, node->subscript.index->string));
    case TRI_AST_BINARY:
        return read_binary(r, node);
    case TRI_AST_CALL:
        return read_call(r, node);
    default:
        return fail_grid(r, node, "is no integer expression of parameters");
    }
}

static bool read_grid(reader *r, const tri_ast_node *node)
{
    if (node->kind == TRI_AST_LAMBDA) {
        r->meta = node->lambda.params.len ? node->lambda.params.at[0]->param.name : TRI_STR("");
        node = node->lambda.body;
    }
    if (node->kind != TRI_AST_TUPLE && node->kind != TRI_AST_LIST)
        return read_node(r, node);
    if (!node->list.len || node->list.len > max_dims)
        return fail_grid(r, node, "has not one to three dimensions");
    for (uint32_t i = 0; i < node->list.len; i++) {
        if (i)
            add_word(r, TRI_STR(";"));
        if (!read_node(r, node->list.at[i]))
            return false;
    }
    return true;
}

/* ---- the file's own launch ---- */

/* Of the kernel of a name: the first one, and the statement of the file that it is in. */
typedef struct {
    const tri_ast_node *launch, *around;
    size_t count;
} launches;

typedef struct {
    tri_arena *arena;
    tri_map *out;
    const tri_ast_node *current;
} collector;

static bool note_launch(const tri_ast_node *node, void *data)
{
    collector *c = data;
    const tri_ast_node *f = node->kind == TRI_AST_CALL ? node->call.func : NULL;
    if (!f || f->kind != TRI_AST_SUBSCRIPT || f->subscript.value->kind != TRI_AST_NAME)
        return true;
    tri_str name = tri_ast_text(f->subscript.value);
    launches *found = tri_map_find(c->out, name);
    if (!found) {
        found = TRI_NEW(c->arena, launches);
        *found = (launches){.launch = node, .around = c->current};
        tri_map_set(c->out, name, found);
    }
    found->count++;
    return true;
}

/* All of a file are found by one walk, as it may have thousands of kernels. */
static const launches *launches_of(tri_unit *unit, tri_modules *modules, tri_str kernel)
{
    const tri_ast_module *file = unit->ast;
    if (!modules->launches) {
        modules->launches = TRI_NEW(modules->arena, tri_map);
        tri_map_init(modules->launches, modules->arena);
        collector c = {.arena = modules->arena, .out = modules->launches};
        for (uint32_t i = 0; file && i < file->body.len; i++) {
            c.current = file->body.at[i];
            tri_ast_walk(c.current, note_launch, &c);
        }
    }
    return tri_map_find(modules->launches, kernel);
}

typedef struct {
    tri_str variable;
    const tri_ast_node *grid;
    size_t grids;
} search;

static bool find_assignment(const tri_ast_node *node, void *data)
{
    search *s = data;
    if (node->kind != TRI_AST_ASSIGN || node->assign.targets.len != 1 ||
        !is_name_of(node->assign.targets.at[0], s->variable))
        return true;
    s->grid = node->assign.value;
    s->grids++;
    return true;
}

/* What the grid of the kernel's only launch is; null where it has several. */
static const tri_ast_node *grid_of_launch(const launches *found)
{
    const tri_ast_node *index = found->launch->call.func->subscript.index;
    if (found->count != 1 || index->kind != TRI_AST_NAME)
        return found->count == 1 ? index : NULL;
    search s = {.variable = tri_ast_text(index)};
    tri_ast_walk(found->around, find_assignment, &s);
    return s.grids == 1 ? s.grid : NULL;
}

/* ---- both ---- */

static bool take(reader *r, bool ok, tri_str *out)
{
    *out = ok ? tri_str_copy(r->unit->arena, tri_buf_str(&r->words)) : TRI_STR("");
    tri_buf_fini(&r->words);
    return ok;
}

/* `grid` is one expression or a tuple of up to three. */
static bool from_option(reader *r, tri_str text, tri_str *out)
{
    tri_diag *diag = r->unit->diag;
    const tri_source *source = tri_diag_add_source(diag, TRI_STR("-grid"), text);
    const tri_ast_module *module = tri_parser_parse(r->unit->arena, diag, source);
    if (!module)
        return false;
    if (module->body.len != 1 || module->body.at[0]->kind != TRI_AST_EXPR) {
        tri_diag_error(diag, (tri_span){source, 0, (uint32_t)text.len}, code_grid, "-grid is not an expression");
        return false;
    }
    if (take(r, read_grid(r, module->body.at[0]->value), out))
        return true;
    tri_diag_error(diag, r->failed->span, code_grid, "in the grid of '%.*s': this %s", TRI_STR_ARG(r->kernel->name),
                   r->why);
    return false;
}

bool tri_grid_find(tri_unit *unit, tri_modules *modules, const tri_signature *kernel, tri_str *out)
{
    reader r = {.unit = unit, .kernel = kernel};
    *out = TRI_STR("");
    if (unit->options->grid.len)
        return from_option(&r, unit->options->grid, out);
    const launches *found = launches_of(unit, modules, kernel->function->name);
    const tri_ast_node *grid = found ? grid_of_launch(found) : NULL;
    r.launch = found ? found->launch : NULL;
    if (grid)
        take(&r, read_grid(&r, grid), out);
    return true;
}
