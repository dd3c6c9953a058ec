/* `kernel[grid](x, y, x.stride(0), eps, BLOCK=1024, num_warps=8)`: each argument is looked at where it stands, and a
 * name where the function around it gets it: by its annotation, its default or the one assignment to it. */
#include "frontend/kernel/signature_launch.h"

#include "base/map.h"

typedef struct {
    tri_arena *arena;
    const tri_function *function;
    bool (*is_constexpr)(const tri_ast_node *param);
    const tri_ast_node *around; /* the host function that is read; null: the module itself */
    const tri_ast_list *body;   /* of it */
    tri_str *texts;
} launches;

enum { MOST_NAMES = 4 }; /* that lead from one to the next */

typedef struct {
    tri_str name;
    const tri_ast_node *value;
    int count;
} assignment;

static bool visit_assignment(const tri_ast_node *e, void *data)
{
    assignment *a = data;
    if (e->kind == TRI_AST_ASSIGN)
        for (uint32_t i = 0; i < e->assign.targets.len; i++) {
            const tri_ast_node *target = e->assign.targets.at[i];
            if (target->kind != TRI_AST_NAME || !tri_str_equal(tri_ast_text(target), a->name))
                continue;
            a->value = a->count++ ? a->value : e->assign.value;
        }
    return true;
}

/* What the function around the launch assigns to a name at first; null: nothing. */
static const tri_ast_node *assigned_around(const launches *l, tri_str name)
{
    assignment a = {.name = name};
    for (uint32_t i = 0; i < l->body->len; i++)
        tri_ast_walk(l->body->at[i], visit_assignment, &a);
    return a.value;
}

static const tri_ast_node *parameter_around(const launches *l, tri_str name)
{
    for (uint32_t i = 0; l->around && i < l->around->function.params.len; i++)
        if (tri_str_equal(l->around->function.params.at[i]->param.name, name))
            return l->around->function.params.at[i];
    return NULL;
}

static tri_str last_name(const tri_ast_node *e)
{
    return e->kind == TRI_AST_ATTRIBUTE ? e->attribute.name : e->kind == TRI_AST_NAME ? tri_ast_text(e) : TRI_STR("");
}

/* The -sig name of torch.float32 and the like; null: none. */
static const char *element_of_dtype(const tri_ast_node *dtype)
{
    static const char *const pairs[][2] = {{"float32", "fp32"},     {"float", "fp32"},    {"float16", "fp16"},
                                           {"half", "fp16"},        {"bfloat16", "bf16"}, {"float64", "fp64"},
                                           {"int8", "i8"},          {"int16", "i16"},     {"int32", "i32"},
                                           {"int", "i32"},          {"int64", "i64"},     {"long", "i64"},
                                           {"uint8", "u8"},         {"bool", "i1"},       {"double", "fp64"},
                                           {"uint32", "u32"},       {"uint64", "u64"},    {"float8_e4m3fn", "fp8e4nv"},
                                           {"float8_e5m2", "fp8e5"}};
    for (size_t i = 0; dtype && i < sizeof pairs / sizeof *pairs; i++)
        if (tri_str_is(last_name(dtype), pairs[i][0]))
            return pairs[i][1];
    return NULL;
}

static bool is_integer_maker(const tri_ast_node *call)
{
    static const char *const makers[] = {"stride", "numel", "size",         "dim",  "cdiv",     "next_power_of_2",
                                         "len",    "int",   "element_size", "ceil", "data_ptr", NULL};
    for (const char *const *m = makers; *m; m++)
        if (tri_str_is(last_name(call->call.func), *m))
            return true;
    return false;
}

/* torch.empty(n, dtype=torch.int32), x.to(torch.int32). */
static tri_str text_of_call(const launches *l, const tri_ast_node *call, bool is_constexpr)
{
    tri_str f = last_name(call->call.func);
    if (is_constexpr)
        return TRI_STR("");
    if (tri_str_is(f, "float"))
        return TRI_STR("fp32");
    if (is_integer_maker(call))
        return tri_str_is(f, "data_ptr") ? TRI_STR("") : TRI_STR("i32");
    const tri_ast_node *dtype = tri_ast_call_argument(call, "dtype", tri_str_is(f, "to") ? 0 : 99);
    const char *element = element_of_dtype(dtype);
    return element ? tri_str_format(l->arena, "*%s:16", element) : TRI_STR("");
}

static tri_str text_of_argument(const launches *l, const tri_ast_node *e, bool is_constexpr, int depth);

/* A name whose type the host function states. */
static tri_str text_of_parameter(const launches *l, const tri_ast_node *param, bool is_constexpr, int depth)
{
    const tri_ast_node *type = param->param.annotation, *given = param->param.default_value;
    tri_str annotated = type ? last_name(type) : TRI_STR("");
    if (is_constexpr)
        return given && given->kind != TRI_AST_NONE ? text_of_argument(l, given, true, depth)
               : tri_str_is(annotated, "float")     ? TRI_STR("1.0")
               : tri_str_is(annotated, "bool")      ? TRI_STR("True")
                                                    : TRI_STR("");
    if (tri_str_is(annotated, "float"))
        return TRI_STR("fp32");
    if (tri_str_is(annotated, "int"))
        return TRI_STR("i32");
    /* beside a default such as 0 a caller may well pass a float: only a float says something */
    return given && given->kind == TRI_AST_FLOAT ? TRI_STR("fp32") : TRI_STR("");
}

static tri_str text_of_name(const launches *l, const tri_ast_node *e, bool is_constexpr, int depth)
{
    const tri_ast_node *value = assigned_around(l, tri_ast_text(e));
    if (value)
        return text_of_argument(l, value, is_constexpr, depth + 1);
    const tri_ast_node *param = parameter_around(l, tri_ast_text(e));
    return param ? text_of_parameter(l, param, is_constexpr, depth + 1) : TRI_STR("");
}

static tri_str text_of_binary(const launches *l, const tri_ast_node *e, int depth)
{
    tri_str left = text_of_argument(l, e->binary.left, false, depth + 1),
            right = text_of_argument(l, e->binary.right, false, depth + 1);
    if (e->binary.op == TRI_AST_DIV_OP || tri_str_is(left, "fp32") || tri_str_is(right, "fp32"))
        return TRI_STR("fp32");
    return tri_str_is(left, "i32") && tri_str_is(right, "i32") ? left : TRI_STR("");
}

static tri_str text_of_argument(const launches *l, const tri_ast_node *e, bool is_constexpr, int depth)
{
    if (depth > MOST_NAMES)
        return TRI_STR("");
    switch (e->kind) {
    case TRI_AST_INT:
        return is_constexpr ? tri_ast_text(e) : TRI_STR("i32");
    case TRI_AST_FLOAT:
        return is_constexpr ? tri_ast_text(e) : TRI_STR("fp32");
    case TRI_AST_TRUE:
    case TRI_AST_FALSE:
        return is_constexpr ? tri_ast_text(e) : TRI_STR("i1");
    case TRI_AST_STRING:
        return is_constexpr ? tri_ast_text(e) : TRI_STR("");
    case TRI_AST_UNARY:
        if (e->unary.op != TRI_AST_NEG_OP)
            return TRI_STR("");
        if (!is_constexpr)
            return text_of_argument(l, e->unary.operand, false, depth + 1);
        return e->unary.operand->kind == TRI_AST_INT || e->unary.operand->kind == TRI_AST_FLOAT ? tri_ast_text(e)
                                                                                                : TRI_STR("");
    case TRI_AST_ATTRIBUTE:
        if (is_constexpr && e->attribute.value->kind == TRI_AST_NAME &&
            tri_str_is(tri_ast_text(e->attribute.value), "tl"))
            return tri_ast_text(e);
        return TRI_STR("");
    case TRI_AST_SUBSCRIPT: /* x.shape[0] */
        return !is_constexpr && tri_str_is(last_name(e->subscript.value), "shape") ? TRI_STR("i32") : TRI_STR("");
    case TRI_AST_BINARY:
        return is_constexpr ? TRI_STR("") : text_of_binary(l, e, depth);
    case TRI_AST_CONDITIONAL:
        return text_of_argument(l, e->conditional.then, is_constexpr, depth + 1);
    case TRI_AST_CALL:
        return text_of_call(l, e, is_constexpr);
    case TRI_AST_NAME:
        return text_of_name(l, e, is_constexpr, depth);
    default:
        return TRI_STR("");
    }
}

static void read_argument(launches *l, size_t i, const tri_ast_node *value)
{
    const tri_ast_node *param = l->function->node->function.params.at[i];
    if (!l->texts[i].len)
        l->texts[i] = text_of_argument(l, value, l->is_constexpr(param), 0);
}

/* --- finding them ------------------------------------------------------------------------ */

typedef struct {
    const tri_ast_node *call, *around; /* as in `launches` */
    const tri_ast_list *body;
} launch;

typedef TRI_VEC(launch) launch_list;

struct tri_signature_launches {
    tri_arena *arena;
    tri_map lists; /* name of the kernel -> launch_list */
    const tri_ast_node *around;
    const tri_ast_list *body;
};

static bool visit_launch(const tri_ast_node *e, void *data)
{
    tri_signature_launches *all = data;
    if (e->kind == TRI_AST_FUNCTION && e != all->around)
        return false; /* read on its own */
    const tri_ast_node *f = e->kind == TRI_AST_CALL ? e->call.func : NULL;
    if (!f || f->kind != TRI_AST_SUBSCRIPT || f->subscript.value->kind != TRI_AST_NAME)
        return true;
    launch_list *list = tri_map_find(&all->lists, tri_ast_text(f->subscript.value));
    if (!list) {
        list = tri_arena_alloc(all->arena, sizeof *list);
        tri_map_set(&all->lists, tri_ast_text(f->subscript.value), list);
    }
    tri_vec_push(all->arena, list, (launch){e, all->around, all->body});
    return true;
}

static void collect(tri_signature_launches *all, const tri_ast_node *around, const tri_ast_list *body)
{
    all->around = around;
    all->body = body;
    for (uint32_t i = 0; i < body->len; i++)
        tri_ast_walk(body->at[i], visit_launch, all);
}

static bool visit_function(const tri_ast_node *e, void *data)
{
    if (e->kind == TRI_AST_FUNCTION)
        collect(data, e, &e->function.body);
    return true;
}

tri_signature_launches *tri_signature_launch_collect(tri_arena *arena, const tri_ast_module *ast)
{
    tri_signature_launches *all = TRI_NEW(arena, tri_signature_launches);
    all->arena = arena;
    tri_map_init(&all->lists, arena);
    for (uint32_t i = 0; i < ast->body.len; i++)
        tri_ast_walk(ast->body.at[i], visit_function, all);
    collect(all, NULL, &ast->body);
    return all;
}

static void read_launch(launches *l, const tri_ast_node *e)
{
    for (uint32_t i = 0; i < e->call.args.len && i < l->function->node->function.params.len; i++) {
        if (e->call.args.at[i]->kind == TRI_AST_STARRED)
            break;
        read_argument(l, i, e->call.args.at[i]);
    }
    for (uint32_t i = 0; i < e->call.keywords.len; i++) {
        const tri_ast_node *keyword = e->call.keywords.at[i];
        int at = tri_module_param_index(l->function, keyword->keyword.name);
        if (at >= 0)
            read_argument(l, (size_t)at, keyword->keyword.value);
    }
}

tri_str *tri_signature_launch_read(const tri_signature_launches *all, const tri_function *function,
                                   bool (*is_constexpr)(const tri_ast_node *param))
{
    launches l = {.arena = all->arena, .function = function, .is_constexpr = is_constexpr};
    const launch_list *list = tri_map_find(&all->lists, function->name);
    l.texts = TRI_NEW_ARRAY(all->arena, tri_str, function->node->function.params.len + 1);
    for (size_t i = 0; list && i < list->len; i++) {
        l.around = list->at[i].around;
        l.body = list->at[i].body;
        read_launch(&l, list->at[i].call);
    }
    return l.texts;
}

/* --- descriptors ------------------------------------------------------------------------- */

typedef struct {
    tri_str param;
    const tri_ast_node *block;
} block_search;

/* nargs["desc"].block_shape = [BLOCK_M, BLOCK_K], desc.block_shape = ..., desc = TensorDescriptor(..., block_shape=...)
 */
static bool visit_block(const tri_ast_node *e, void *data)
{
    block_search *b = data;
    if (e->kind != TRI_AST_ASSIGN || e->assign.targets.len != 1)
        return true;
    const tri_ast_node *target = e->assign.targets.at[0], *value = e->assign.value;
    if (target->kind == TRI_AST_ATTRIBUTE && tri_str_is(target->attribute.name, "block_shape"))
        target = target->attribute.value;
    else if (value->kind == TRI_AST_CALL && tri_str_is(last_name(value->call.func), "TensorDescriptor"))
        value = tri_ast_call_argument(value, "block_shape", 3);
    else
        return true;
    bool is_it = target->kind == TRI_AST_NAME && tri_str_equal(tri_ast_text(target), b->param);
    if (target->kind == TRI_AST_SUBSCRIPT && target->subscript.index->kind == TRI_AST_STRING)
        is_it = tri_str_equal(target->subscript.index->string, b->param);
    if (is_it && value && (value->kind == TRI_AST_LIST || value->kind == TRI_AST_TUPLE))
        b->block = value; /* the last one: special cases come first */
    return true;
}

const tri_ast_node *tri_signature_launch_block(const tri_ast_module *ast, tri_str param)
{
    block_search b = {.param = param};
    for (uint32_t i = 0; i < ast->body.len; i++)
        tri_ast_walk(ast->body.at[i], visit_block, &b);
    return b.block;
}
