#include "frontend/kernel/tuned.h"

/* An argument of the decorator; null when it is not there or cannot be computed. */
static const tri_value *argument_of(tri_scope *scope, const tri_ast_node *call, const char *name, int position)
{
    const tri_ast_node *expr = tri_ast_call_argument(call, name, position);
    tri_str why = {0};
    tri_span at;
    const tri_value *value = expr ? tri_host_try(scope, expr, &why, &at) : NULL;
    return value ? tri_value_unwrap(value) : NULL;
}

tri_str tri_tuned_key(tri_arena *arena, tri_scope *scope, const tri_ast_node *call)
{
    tri_value_ops ops = {.arena = arena};
    tri_value_list items = {0};
    const tri_value *value = argument_of(scope, call, "key", 1);
    tri_buf names = {0};
    if (!value || !tri_value_items(&ops, value, &items))
        return TRI_STR("");
    for (uint32_t i = 0; i < items.len; i++) {
        const tri_value *name = tri_value_unwrap(items.at[i]);
        if (name->kind == TRI_VALUE_STR)
            tri_buf_format(&names, "%s%.*s", names.len ? "," : "", TRI_STR_ARG(name->string));
    }
    tri_str copy = tri_str_copy(arena, tri_buf_str(&names));
    tri_buf_fini(&names);
    return copy;
}

const tri_value *tri_tuned_field(const tri_value *config, const char *name)
{
    const tri_value *value = tri_value_dict_find_str(config->object.fields, tri_str_from(name));
    return value ? tri_value_unwrap(value) : NULL;
}

/* ---- prune_configs_by ---- */

typedef struct {
    tri_modules *all;
    tri_arena *arena;
    tri_span at;
    const tri_value *known, *rules;
    tri_value_list *configs;
} pruning;

static const tri_value *rule(const pruning *p, const char *name)
{
    const tri_value *value = tri_value_dict_find_str(p->rules->dict, tri_str_from(name));
    value = value ? tri_value_unwrap(value) : NULL;
    return value && value->kind != TRI_VALUE_NONE ? value : NULL;
}

/* early_config_prune(configs, named_args) */
static void prune_early(pruning *p)
{
    const tri_value *callee = rule(p, "early_config_prune");
    if (!callee)
        return;
    tri_host_arg args[2] = {
        {.value = tri_value_sequence(p->arena, TRI_VALUE_LIST, p->configs->len, p->configs->at)}, {.value = p->known}};
    const tri_value *kept = tri_host_call(p->all, callee, 2, args, p->at);
    tri_value_ops ops = {.arena = p->arena};
    tri_value_list items = {0};
    if (!kept || !tri_value_items(&ops, tri_value_unwrap(kept), &items) || !items.len)
        return;
    for (uint32_t i = 0; i < items.len; i++)
        if (tri_value_unwrap(items.at[i])->kind != TRI_VALUE_OBJECT)
            return;
    *p->configs = items;
}

static void add_named(const tri_value_dict *dict, tri_host_arg *args, size_t *count)
{
    for (uint32_t i = 0; i < dict->keys.len; i++) {
        const tri_value *key = tri_value_unwrap(dict->keys.at[i]);
        if (key->kind == TRI_VALUE_STR)
            args[(*count)++] = (tri_host_arg){key->string, dict->values.at[i]};
    }
}

/* perf_model(**named_args, **config.all_kwargs()): the time that it expects. */
static bool estimate(pruning *p, const tri_value *model, const tri_value *config, double *out)
{
    static const char *const launch[] = {"num_warps", "num_stages", "num_ctas"};
    const tri_value *kwargs = tri_tuned_field(config, "kwargs");
    size_t count = 0, most = p->known->dict->keys.len + 3;
    most += kwargs && kwargs->kind == TRI_VALUE_DICT ? kwargs->dict->keys.len : 0;
    tri_host_arg *args = TRI_NEW_ARRAY(p->arena, tri_host_arg, most);
    add_named(p->known->dict, args, &count);
    if (kwargs && kwargs->kind == TRI_VALUE_DICT)
        add_named(kwargs->dict, args, &count);
    for (size_t i = 0; i < sizeof launch / sizeof *launch; i++) {
        const tri_value *value = tri_tuned_field(config, launch[i]);
        if (value && value->kind != TRI_VALUE_NONE)
            args[count++] = (tri_host_arg){tri_str_from(launch[i]), value};
    }
    const tri_value *time = tri_host_call(p->all, model, count, args, p->at);
    return time && tri_value_get_float(tri_value_unwrap(time), out);
}

/* How many of the configurations stay: a number, or a part of them where it is a fraction. */
static uint32_t top_count(const pruning *p)
{
    const tri_value *top = rule(p, "top_k");
    double number = 0;
    if (!top || !tri_value_get_float(top, &number) || number <= 0)
        return p->configs->len;
    double count = top->kind == TRI_VALUE_FLOAT && number <= 1 ? (double)p->configs->len * number : number;
    return count < p->configs->len ? count < 1 ? 1 : (uint32_t)count : p->configs->len;
}

static void prune_by_model(pruning *p)
{
    const tri_value *model = rule(p, "perf_model");
    uint32_t count = p->configs->len, kept = top_count(p);
    if (!model || kept == count)
        return;
    double *times = TRI_NEW_ARRAY(p->arena, double, count);
    const tri_value **sorted = TRI_NEW_ARRAY(p->arena, const tri_value *, count);
    for (uint32_t i = 0; i < count; i++) {
        double time;
        uint32_t at = i;
        if (!estimate(p, model, tri_value_unwrap(p->configs->at[i]), &time))
            return;
        for (; at && times[at - 1] > time; at--) {
            times[at] = times[at - 1];
            sorted[at] = sorted[at - 1];
        }
        times[at] = time;
        sorted[at] = p->configs->at[i];
    }
    *p->configs = (tri_value_list){sorted, kept, count};
}

void tri_tuned_prune(tri_modules *all, tri_arena *arena, tri_diag *diag, tri_scope *scope, const tri_ast_node *call,
                     const tri_value *known, tri_value_list *configs)
{
    const tri_value *rules = argument_of(scope, call, "prune_configs_by", 2);
    if (!rules || rules->kind != TRI_VALUE_DICT || !known)
        return;
    pruning p = {all, arena, call->span, known, rules, configs};
    tri_diag_hold(diag);
    prune_early(&p);
    prune_by_model(&p);
    tri_diag_drop(diag);
}
