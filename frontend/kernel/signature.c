#include "frontend/kernel/signature_kernel.h"

#include "frontend/frontend.h"
#include "frontend/host/scope.h"
#include "frontend/kernel/annotation.h"
#include "frontend/kernel/heuristic.h"
#include "frontend/kernel/tuned.h"
#include "frontend/kernel/types.h"
#include "ir/options.h"

static const tri_ast_list *params_of(const tri_function *function) { return tri_signature_params(function); }

static const tri_ast_node *param_at(const tri_function *function, size_t i)
{
    return tri_signature_param_at(function, i);
}

/* --- where types and values come from ---------------------------------------------------- */

static void settle(tri_signature_kernel *k, size_t i, tri_arg arg)
{
    const tri_ast_node *param = param_at(k->function, i);
    if (arg.kind == TRI_ARG_VALUE && arg.type->kind == TRI_TYPE_PTR && tri_annotation_is_const_pointer(param))
        arg.type = tri_types_pointer(k->c->arena, arg.type->element, arg.type->space, true);
    if (!arg.at.source)
        arg.at = tri_ast_name_span(param);
    k->signature.params.at[i].arg = arg;
    k->is_known[i] = true;
}

static void settle_value(tri_signature_kernel *k, size_t i, const tri_value *value, tri_span at)
{
    if (!k->is_known[i] && value)
        settle(k, i, (tri_arg){.kind = TRI_ARG_CONSTANT, .value = tri_value_unwrap(value), .at = at});
}

/* Is the parameter in a list of names and indices such as do_not_specialize? */
static bool is_listed(tri_signature_kernel *k, const tri_ast_node *list, size_t i)
{
    if (!list)
        return false;
    tri_str why;
    tri_span at;
    const tri_value *value = tri_host_try(k->function->scope, list, &why, &at);
    tri_value_ops ops = {.arena = k->c->arena};
    tri_value_list items = {0};
    if (!value || !tri_value_items(&ops, tri_value_unwrap(value), &items))
        return false;
    for (uint32_t n = 0; n < items.len; n++) {
        const tri_value *item = tri_value_unwrap(items.at[n]);
        int64_t index;
        if (item->kind == TRI_VALUE_STR && tri_str_equal(item->string, param_at(k->function, i)->param.name))
            return true;
        if (tri_value_get_i64(item, &index) && index == (int64_t)i)
            return true;
    }
    return false;
}

/* do_not_specialize: neither the hint nor the constant 1 is taken from the signature. */
static void despecialize(tri_signature_kernel *k, size_t i, const tri_signature_item *item)
{
    tri_arg *arg = &k->signature.params.at[i].arg;
    bool not_at_all = is_listed(k, k->function->do_not_specialize, i);
    if (not_at_all || is_listed(k, k->function->do_not_specialize_on_alignment, i))
        arg->divisibility = 0;
    tri_str type = tri_str_sub(item->text, 0, tri_str_find_last(item->text, ':'));
    const tri_type *plain = not_at_all && arg->kind == TRI_ARG_CONSTANT ? tri_types_parse(k->c->arena, type) : NULL;
    if (plain)
        *arg = (tri_arg){.kind = TRI_ARG_VALUE, .type = plain, .at = item->at};
}

static bool take_item(tri_signature_kernel *k, tri_signature_item *item, size_t i)
{
    const tri_ast_node *param = param_at(k->function, i);
    tri_arg arg;
    item->is_used = true;
    if (k->is_known[i]) {
        tri_diag_error(k->c->diag, item->at, TRI_SIG_BAD, "-sig gives '%.*s' twice", TRI_STR_ARG(param->param.name));
        return false;
    }
    if (tri_str_is(item->text, "constexpr"))
        return true; /* the value comes from -D, a config or the default */
    if (!tri_signature_text_argument(k->c->all, k->function->scope, param->param.name, item->text, item->at,
                                     tri_annotation_is_constexpr(param), &arg))
        return false;
    tri_signature_text_name_fields(k->function->scope, param, &arg);
    const tri_type *annotated = tri_annotation_type(k->c->arena, param);
    if (annotated && arg.kind == TRI_ARG_CONSTANT && tri_str_has_suffix(item->text, ":1")) /* never a constant */
        arg = (tri_arg){.kind = TRI_ARG_VALUE, .type = annotated, .at = arg.at};
    if (annotated && arg.kind == TRI_ARG_VALUE && !tri_types_equal(annotated, arg.type)) {
        tri_diag_error(k->c->diag, item->at, TRI_SIG_BAD,
                       "-sig gives '%.*s' the type '%.*s', but it is annotated as '%.*s'",
                       TRI_STR_ARG(param->param.name), TRI_STR_ARG(tri_types_name(k->c->arena, arg.type)),
                       TRI_STR_ARG(tri_types_name(k->c->arena, annotated)));
        tri_diag_note(k->c->diag, param->param.annotation->span, "the annotation is here");
        return false;
    }
    settle(k, i, arg);
    despecialize(k, i, item);
    return true;
}

/* Positional items that are just enough for the runtime parameters leave the constexpr ones out. */
static bool skips_constexpr(const tri_signature_kernel *k)
{
    size_t positional = 0, runtime = 0;
    for (size_t n = 0; n < k->text->items.len; n++)
        positional += k->text->items.at[n].name.len == 0;
    for (size_t i = 0; i < params_of(k->function)->len; i++)
        runtime += !tri_annotation_is_constexpr(param_at(k->function, i));
    return positional == runtime;
}

static bool from_text(tri_signature_kernel *k)
{
    size_t next = 0, count = params_of(k->function)->len;
    bool skips = k->text && skips_constexpr(k);
    for (size_t n = 0; k->text && n < k->text->items.len; n++) {
        tri_signature_item *item = &k->text->items.at[n];
        while (skips && next < count && tri_annotation_is_constexpr(param_at(k->function, next)))
            next++;
        if (item->name.len) {
            int i = tri_module_param_index(k->function, item->name);
            if (i < 0) {
                tri_signature_choose_report(k->c, k->function, TRI_SIG_BAD, item->name_at, item->name, "-sig");
                return false;
            }
            if (!take_item(k, item, (size_t)i))
                return false;
        } else if (next >= count) {
            tri_diag_error(k->c->diag, item->at, TRI_SIG_BAD, "-sig has more items than '%.*s' has parameters (%zu)",
                           TRI_STR_ARG(k->function->name), count);
            return false;
        } else if (!take_item(k, item, next++)) {
            return false;
        }
    }
    return true;
}

static bool from_defines(tri_signature_kernel *k)
{
    for (size_t n = 0; n < k->c->options->defines.len; n++) {
        const tri_define *define = &k->c->options->defines.at[n];
        int i = tri_module_param_index(k->function, define->name);
        if (i < 0)
            continue;
        tri_str what = tri_str_format(k->c->arena, "-D%.*s", TRI_STR_ARG(define->name));
        const tri_source *source = tri_diag_add_source(k->c->diag, what, define->value);
        tri_span at = {source, 0, (uint32_t)source->text.len};
        tri_arg arg;
        if (!tri_signature_text_argument(k->c->all, k->function->scope, what, source->text, at,
                                         tri_annotation_is_constexpr(param_at(k->function, (size_t)i)), &arg))
            return false;
        settle(k, (size_t)i, arg);
    }
    return true;
}

/* A string that can only be meant for -sig: "tensordesc<fp16[64, 64]>", "*fp32:16". */
static bool is_signature_text(const tri_ast_node *param)
{
    const tri_ast_node *annotation = param->param.annotation;
    if (!annotation || annotation->kind != TRI_AST_STRING)
        return false;
    tri_str text = tri_str_trim(annotation->string);
    return tri_str_has_prefix(text, "tensordesc<") ||
           (tri_str_has_prefix(text, "*") && tri_str_has_suffix(text, ":16"));
}

static bool from_annotations(tri_signature_kernel *k)
{
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        const tri_ast_node *param = param_at(k->function, i);
        const tri_type *type = k->is_known[i] ? NULL : tri_annotation_type(k->c->arena, param);
        tri_arg arg = {.kind = TRI_ARG_VALUE, .type = type};
        if (type)
            settle(k, i, arg);
        if (type || k->is_known[i] || !is_signature_text(param))
            continue;
        tri_str text = tri_str_trim(param->param.annotation->string);
        if (!tri_signature_text_argument(k->c->all, k->function->scope, text, text, param->param.annotation->span,
                                         false, &arg))
            return false;
        settle(k, i, arg);
    }
    return true;
}

/* Remembers the first expression that could not be had, for the note of a missing value. */
static void note_failure(tri_signature_kernel *k, tri_str why, tri_span at)
{
    if (k->not_evaluated.len)
        return;
    k->not_evaluated = why.len ? why : TRI_STR("it cannot be evaluated");
    k->not_evaluated_at = at;
}

/* --- autotune and heuristics ------------------------------------------------------------- */

static int tuned_int(const tri_value *value)
{
    int64_t number;
    return value && tri_value_get_i64(value, &number) && number > 0 && number < INT32_MAX ? (int)number : 0;
}

static int field_int(const tri_value *config, const char *name)
{
    return tuned_int(tri_tuned_field(config, name));
}

static void set_field(tri_signature *s, tri_str name, const tri_value *value)
{
    static const char *const names[] = {"num_warps",    "num_stages",           "num_ctas", "maxnreg",
                                        "waves_per_eu", "matrix_instr_nonkdim", "kpack"};
    int *const fields[] = {&s->num_warps,    &s->num_stages,  &s->num_ctas, &s->maxnreg,
                           &s->waves_per_eu, &s->matrix_size, &s->k_pack};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_str_is(name, names[i]) && tuned_int(value))
            *fields[i] = tuned_int(value);
}

static void apply_config(tri_signature_kernel *k, const tri_value *config, tri_span at)
{
    const tri_value *kwargs = tri_tuned_field(config, "kwargs");
    for (uint32_t n = 0; kwargs && kwargs->kind == TRI_VALUE_DICT && n < kwargs->dict->keys.len; n++) {
        const tri_value *key = tri_value_unwrap(kwargs->dict->keys.at[n]);
        int i = key->kind == TRI_VALUE_STR ? tri_module_param_index(k->function, key->string) : -1;
        if (i >= 0)
            settle_value(k, (size_t)i, kwargs->dict->values.at[n], at);
        if (key->kind == TRI_VALUE_STR) /* options of a back end are keywords, too */
            set_field(&k->signature, key->string, tri_value_unwrap(kwargs->dict->values.at[n]));
    }
    k->signature.num_warps = field_int(config, "num_warps");
    k->signature.num_stages = field_int(config, "num_stages");
    k->signature.num_ctas = field_int(config, "num_ctas");
    k->signature.maxnreg = field_int(config, "maxnreg");
}

/* A run-time argument as heuristics see it: its value where a launch is at hand, else only that it is not None. */
static const tri_value *run_time_argument(tri_signature_kernel *k, tri_str name)
{
    for (size_t n = 0; n < k->c->options->launch_values.len; n++) {
        const tri_define *known = &k->c->options->launch_values.at[n];
        if (tri_str_equal(known->name, name))
            return tri_host_eval_text(k->function->scope, name, known->value);
    }
    return tri_value_argument(k->c->arena, name);
}

static bool is_deferred(const tri_signature_kernel *k, tri_str name)
{
    for (size_t i = 0; i < k->signature.heuristics.len; i++)
        if (tri_str_equal(k->signature.heuristics.at[i].name, name))
            return true;
    return false;
}

/* What a heuristic may ask: the arguments settled so far by name, `has_values`: with what a launch at hand passes.
 * Null after a report. */
static const tri_value *known_arguments(tri_signature_kernel *k, bool has_values)
{
    tri_arena *arena = k->c->arena;
    tri_value *dict = tri_value_dict_create(arena);
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        const tri_arg *arg = &k->signature.params.at[i].arg;
        tri_str name = param_at(k->function, i)->param.name;
        if (!k->is_known[i])
            continue;
        const tri_value *value = is_deferred(k, name)            ? tri_value_argument(arena, name)
                                 : arg->kind == TRI_ARG_CONSTANT ? arg->value
                                 : has_values                  ? run_time_argument(k, name)
                                                               : tri_value_argument(arena, name);
        if (!value)
            return NULL;
        tri_value_dict_set(arena, dict->dict, tri_value_str(arena, name), value);
    }
    return dict;
}

/* The configs of one decorator; the outermost decorator with any decides. */
static bool from_autotune(tri_signature_kernel *k, const tri_ast_node *call)
{
    const tri_ast_node *expr = call->kind == TRI_AST_CALL ? tri_ast_call_argument(call, "configs", 0) : NULL;
    if (!expr || k->signature.config >= 0)
        return true;
    tri_str why = {0};
    tri_span at = expr->span;
    const tri_value *value = tri_host_try(k->function->scope, expr, &why, &at);
    tri_value_ops ops = {.arena = k->c->arena};
    tri_value_list configs = {0};
    int asked = k->c->options->config;
    if (!value || !tri_value_items(&ops, tri_value_unwrap(value), &configs)) {
        note_failure(k, why, at);
        if (asked != -1 && k->is_explicit)
            tri_diag_error(k->c->diag, at, TRI_SIG_NOT_COMPUTABLE,
                           "-config: the configs of '%.*s' cannot be computed: %.*s", TRI_STR_ARG(k->function->name),
                           TRI_STR_ARG(k->not_evaluated));
        return asked == -1 || !k->is_explicit;
    }
    /* without the values of a launch: numbers of configurations are the same for all of them */
    tri_tuned_prune(k->c->all, k->c->arena, k->c->diag, k->function->scope, call, known_arguments(k, false), &configs);
    int wanted = asked >= 0 ? asked : asked == -1 ? 0 : TRI_FRONTEND_ALL_CONFIGS - asked;
    if (!configs.len)
        return true;
    k->configs = configs;
    k->signature.config_count = (int)configs.len;
    if (asked <= TRI_FRONTEND_ALL_CONFIGS && (uint32_t)wanted >= configs.len) {
        k->is_left_out = true;
        return true;
    }
    if ((uint32_t)wanted >= configs.len) {
        tri_diag_error(k->c->diag, expr->span, TRI_SIG_BAD, "-config=%d: '%.*s' has %u configs, numbered from 0",
                       wanted, TRI_STR_ARG(k->function->name), configs.len);
        return false;
    }
    const tri_value *config = tri_value_unwrap(configs.at[wanted]);
    if (config->kind != TRI_VALUE_OBJECT) {
        note_failure(k, TRI_STR("it is not a triton.Config"), expr->span);
        return true;
    }
    k->signature.config = wanted;
    k->signature.key = tri_tuned_key(k->c->arena, k->function->scope, call);
    apply_config(k, config, expr->span);
    return true;
}

/* Null: it asks for a run-time argument. Silent. */
static const tri_value *call_heuristic(tri_signature_kernel *k, const tri_value *callee, tri_span at)
{
    tri_host_arg arg = {.value = known_arguments(k, true)};
    tri_diag_hold(k->c->diag);
    const tri_value *result = !arg.value ? NULL : tri_host_call(k->c->all, callee, 1, &arg, at);
    tri_diag_drop(k->c->diag);
    return result;
}

/* The numbers of "V,V" in place of those that the source allows. False when these are none. */
static bool set_values(tri_signature_kernel *k, tri_str list, tri_heuristic *h)
{
    h->values.len = 0;
    while (list.len) {
        size_t end = tri_str_find(list, ',');
        tri_str word = tri_str_trim(tri_str_sub(list, 0, end));
        int64_t value = tri_str_is(word, "True");
        if (!value && !tri_str_is(word, "False") && !tri_str_to_i64(word, &value))
            return false;
        tri_vec_push(k->c->arena, &h->values, value);
        list = tri_str_sub(list, end + (end < list.len), list.len);
    }
    return h->values.len > 0;
}

/* -fheuristic. Reports. */
static void take_given_values(tri_signature_kernel *k, tri_heuristic *h)
{
    for (size_t n = 0; n < k->c->options->heuristics.len; n++) {
        tri_str given = k->c->options->heuristics.at[n];
        size_t colon = tri_str_find(given, ':');
        if (!tri_str_equal(tri_str_trim(tri_str_sub(given, 0, colon)), h->name))
            continue;
        if (set_values(k, tri_str_sub(given, colon + (colon < given.len), given.len), h))
            continue;
        tri_diag_error(k->c->diag, TRI_NO_SPAN, TRI_SIG_BAD, "-fheuristic=%.*s: give integers: %.*s:64,128",
                       TRI_STR_ARG(given), TRI_STR_ARG(h->name));
        tri_vec_push(k->c->arena, &h->values, 0); /* what is wrong was said */
    }
}

static const tri_value *chosen_value(tri_arena *arena, const tri_heuristic *h)
{
    int64_t value = h->values.at[h->chosen];
    return h->is_bool ? tri_value_bool(value) : tri_value_int(arena, value);
}

/* Leaves it to the launcher. False: *out_why and *out_at say why it cannot. */
static bool defer(tri_signature_kernel *k, tri_str name, int param, const tri_value *callee, tri_str *out_why,
                  tri_span *out_at)
{
    enum { max_heuristics = 8, max_forms = 256 };
    tri_signature *s = &k->signature;
    tri_heuristic h = {.name = name};
    size_t forms = 1;
    if (!tri_heuristic_read(k->c->arena, s, k->is_known, callee, &h, out_why, out_at))
        return false;
    take_given_values(k, &h);
    if (!h.values.len && k->guesses)
        set_values(k, k->guesses[param], &h); /* a launch that gives another value is refused */
    *out_why = tri_str_format(k->c->arena,
                              "'%.*s' may be any number: -fheuristic=%.*s:64,128 says for which the kernel is compiled",
                              TRI_STR_ARG(name), TRI_STR_ARG(name));
    if (!h.values.len)
        return false;
    for (size_t i = 0; i < s->heuristics.len; i++)
        forms *= s->heuristics.at[i].values.len;
    *out_why = tri_str_format(k->c->arena, "%zu combinations of values are too many", forms * h.values.len);
    if (forms * h.values.len > max_forms || s->heuristics.len == max_heuristics)
        return false;
    tri_vec_push(k->c->arena, &s->heuristics, h);
    settle_value(k, (size_t)param, chosen_value(k->c->arena, &h), callee->function->node->span);
    return true;
}

bool tri_signature_next_form(tri_arena *arena, tri_signature *s)
{
    for (size_t i = 0; i < s->heuristics.len; i++) {
        tri_heuristic *h = &s->heuristics.at[i];
        h->chosen = h->chosen + 1 < h->values.len ? h->chosen + 1 : 0;
        const tri_value *value = chosen_value(arena, h);
        for (size_t p = 0; p < s->params.len; p++)
            if (tri_str_equal(s->params.at[p].name, h->name))
                s->params.at[p].arg.value = value;
        if (h->chosen)
            return true;
    }
    return false;
}

/* Of warps and the like all forms of a unit have the same number. */
static void take_largest(tri_signature_kernel *k, tri_str name, const tri_value *callee, tri_span at)
{
    tri_heuristic h = {.name = name};
    tri_str why;
    tri_span where;
    bool is_read = tri_heuristic_read(k->c->arena, &k->signature, k->is_known, callee, &h, &why, &where);
    if (is_read && h.values.len) {
        h.chosen = h.values.len - 1;
        set_field(&k->signature, name, chosen_value(k->c->arena, &h));
        tri_diag_warning(k->c->diag, at, "heuristics",
                         "'%.*s' depends on the arguments of the launch; %lld, the most that it may be, is taken",
                         TRI_STR_ARG(name), (long long)h.values.at[h.chosen]);
    } else {
        tri_diag_warning(k->c->diag, at, "heuristics", "'%.*s' depends on the arguments of the launch: it is left out",
                         TRI_STR_ARG(name));
    }
}

static void from_heuristic(tri_signature_kernel *k, tri_str name, const tri_value *callee, tri_span at)
{
    int i = tri_module_param_index(k->function, name);
    if (i >= 0 && k->is_known[i])
        return;
    tri_str why = TRI_STR("the heuristic needs values that are known only at launch, as in an object (-c)");
    tri_span where = at;
    const tri_value *value = call_heuristic(k, callee, at);
    if (value && i >= 0)
        settle_value(k, (size_t)i, value, at);
    else if (value)
        set_field(&k->signature, name, tri_value_unwrap(value));
    else if (i < 0)
        take_largest(k, name, callee, at);
    else if (!k->c->options->defer_heuristics || !defer(k, name, i, callee, &why, &where))
        note_failure(k, why, where);
}

/* The functions of one decorator by name; null after a note of why they could not be had. */
static const tri_value_dict *heuristics_of(tri_signature_kernel *k, const tri_ast_node *call)
{
    const tri_ast_node *expr = call->kind == TRI_AST_CALL ? tri_ast_call_argument(call, "values", 0) : NULL;
    if (!expr)
        return NULL;
    tri_str why = {0};
    tri_span at = expr->span;
    const tri_value *value = tri_host_try(k->function->scope, expr, &why, &at);
    value = value ? tri_value_unwrap(value) : NULL;
    if (value && value->kind == TRI_VALUE_DICT)
        return value->dict;
    note_failure(k, why, at);
    return NULL;
}

/* `is_again`: parameters alone, with what became known since the first time. */
static void from_heuristics(tri_signature_kernel *k, const tri_ast_node *call, bool is_again)
{
    const tri_value_dict *dict = heuristics_of(k, call);
    for (uint32_t n = 0; dict && n < dict->keys.len; n++) {
        const tri_value *key = tri_value_unwrap(dict->keys.at[n]);
        if (key->kind == TRI_VALUE_STR && !(is_again && tri_module_param_index(k->function, key->string) < 0))
            from_heuristic(k, key->string, tri_value_unwrap(dict->values.at[n]),
                           tri_ast_call_argument(call, "values", 0)->span);
    }
}

/* An argument that a launch leaves out is specialised as its default would be: an int or a float is
 * still an argument, 1 and None are constants. */
static void settle_default(tri_signature_kernel *k, size_t i, const tri_value *value)
{
    const tri_value *v = tri_value_unwrap(value);
    tri_span at = tri_ast_name_span(param_at(k->function, i));
    tri_dtype dtype = TRI_DTYPE_VOID;
    int64_t number;
    if (v->kind == TRI_VALUE_BOOL)
        dtype = TRI_DTYPE_INT1;
    else if (v->kind == TRI_VALUE_FLOAT)
        dtype = TRI_DTYPE_FP32;
    else if (tri_value_get_i64(v, &number) && number != 1)
        dtype = number == (int32_t)number ? TRI_DTYPE_INT32 : TRI_DTYPE_INT64;
    if (dtype == TRI_DTYPE_VOID || v != value || tri_annotation_is_constexpr(param_at(k->function, i)))
        settle_value(k, i, value, at);
    else
        settle(k, i, (tri_arg){.kind = TRI_ARG_VALUE, .type = tri_types_scalar(dtype), .at = at});
}

static bool from_defaults(tri_signature_kernel *k)
{
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        bool failed = false;
        if (k->is_known[i])
            continue;
        const tri_value *value = tri_host_default(k->function, (int)i, &failed);
        if (failed)
            return false;
        if (value)
            settle_default(k, i, value);
    }
    return true;
}

/* --- what is missing --------------------------------------------------------------------- */

/* Settles the guesses: those of all parameters that are not known, or but for those that heuristics give. */
static bool settle_guesses(tri_signature_kernel *k, const tri_str *texts, const bool *is_computed)
{
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        const tri_ast_node *param = param_at(k->function, i);
        if (k->is_known[i] || (is_computed && is_computed[i]))
            continue;
        tri_str what = tri_str_format(k->c->arena, "<type of '%.*s'>", TRI_STR_ARG(param->param.name));
        const tri_source *source = tri_diag_add_source(k->c->diag, what, texts[i]);
        tri_arg arg = {0};
        if (!tri_signature_text_argument(k->c->all, k->function->scope, param->param.name, source->text,
                                         (tri_span){source, 0, (uint32_t)source->text.len},
                                         tri_annotation_is_constexpr(param), &arg))
            return false;
        settle(k, i, arg);
    }
    return true;
}

static void mark_computed(tri_signature_kernel *k, const tri_ast_node *call, bool *is_computed)
{
    const tri_value_dict *dict = heuristics_of(k, call);
    for (uint32_t n = 0; dict && n < dict->keys.len; n++) {
        const tri_value *key = tri_value_unwrap(dict->keys.at[n]);
        int i = key->kind == TRI_VALUE_STR ? tri_module_param_index(k->function, key->string) : -1;
        if (i >= 0)
            is_computed[i] = true;
    }
}

/* -fguess-types: what nothing gives is what a message would suggest. A guess is no value for what heuristics give of
 * the others. */
static bool guess_missing(tri_signature_kernel *k, const tri_str *texts)
{
    const tri_function *f = k->function;
    bool *is_computed = TRI_NEW_ARRAY(k->c->arena, bool, params_of(f)->len + 1);
    for (uint32_t i = 0; i < f->heuristics.len; i++)
        mark_computed(k, f->heuristics.at[i], is_computed);
    if (!settle_guesses(k, texts, is_computed))
        return false;
    for (uint32_t i = 0; i < f->heuristics.len; i++)
        from_heuristics(k, f->heuristics.at[i], true);
    return settle_guesses(k, texts, NULL);
}

/* Does the configuration of @triton.autotune that is taken give it? */
static bool is_of_config(const tri_signature_kernel *k, tri_str name)
{
    if (k->signature.config < 0)
        return false;
    const tri_value *config = tri_value_unwrap(k->configs.at[k->signature.config]);
    const tri_value *kwargs = tri_tuned_field(config, "kwargs");
    return kwargs && kwargs->kind == TRI_VALUE_DICT && tri_value_dict_find_str(kwargs->dict, name);
}

/* The guesses without what configurations and heuristics give of the others. Settles them. */
static const tri_str *drop_computed(tri_signature_kernel *k, const tri_str *texts)
{
    tri_str *out = TRI_NEW_ARRAY(k->c->arena, tri_str, params_of(k->function)->len + 1);
    bool *was_known = TRI_NEW_ARRAY(k->c->arena, bool, params_of(k->function)->len + 1);
    memcpy(was_known, k->is_known, params_of(k->function)->len * sizeof *was_known);
    tri_diag_hold(k->c->diag);
    bool ok = guess_missing(k, texts);
    tri_diag_drop(k->c->diag);
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        tri_str name = param_at(k->function, i)->param.name;
        bool is_computed = was_known[i] ? is_of_config(k, name) : ok && is_deferred(k, name);
        out[i] = is_computed ? TRI_STR("") : texts[i];
    }
    return out;
}

static bool is_complete(const tri_signature_kernel *k)
{
    for (size_t i = 0; i < params_of(k->function)->len; i++)
        if (!k->is_known[i])
            return false;
    return true;
}

static void report_missing(tri_signature_kernel *k)
{
    tri_buf names = {0}, fix = {0};
    for (size_t i = 0; i < params_of(k->function)->len; i++)
        if (!k->is_known[i])
            tri_buf_format(&names, "%s%.*s", names.len ? ", " : "", TRI_STR_ARG(param_at(k->function, i)->param.name));
    tri_str why = k->not_evaluated;
    tri_span at = k->not_evaluated_at;
    tri_signature_print(k, drop_computed(k, tri_signature_guess(k)), &fix);
    tri_diag_error(k->c->diag, tri_ast_name_span(k->function->node), TRI_SIG_MISSING_TYPES,
                   "kernel '%.*s' needs types or values for: %.*s", TRI_STR_ARG(k->function->name),
                   TRI_STR_ARG(tri_buf_str(&names)));
    if (why.len)
        tri_diag_note(k->c->diag, at, "this could give some of them, but %.*s; give them with -sig or -D",
                      TRI_STR_ARG(why));
    tri_diag_note(k->c->diag, TRI_NO_SPAN, "for example: %.*s", TRI_STR_ARG(tri_buf_str(&fix)));
    tri_buf_fini(&names);
    tri_buf_fini(&fix);
}

/* --- one kernel -------------------------------------------------------------------------- */

static bool check_params(tri_signature_kernel *k)
{
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        const tri_ast_node *param = param_at(k->function, i);
        if (param->param.kind == TRI_AST_PARAM_VARARGS || param->param.kind == TRI_AST_PARAM_KWARGS) {
            tri_diag_error(k->c->diag, param->span, TRI_SIG_BAD,
                           "a kernel cannot have '%.*s': every argument is fixed at launch",
                           TRI_STR_ARG(tri_ast_text(param)));
            return false;
        }
        if (tri_annotation_is_constexpr(param) &&
            (is_listed(k, k->function->do_not_specialize, i) ||
             is_listed(k, k->function->do_not_specialize_on_alignment, i))) {
            tri_diag_error(k->c->diag, param->span, TRI_SIG_BAD, "'%.*s' is both constexpr and in do_not_specialize",
                           TRI_STR_ARG(param->param.name));
            return false;
        }
    }
    return true;
}

/* What -fspecialize may not touch. */
static void note_special(tri_signature_kernel *k)
{
    for (size_t i = 0; i < params_of(k->function)->len; i++) {
        tri_signature_param *p = &k->signature.params.at[i];
        bool not_at_all = is_listed(k, k->function->do_not_specialize, i);
        p->keeps_value = not_at_all || tri_annotation_type(k->c->arena, param_at(k->function, i));
        p->keeps_alignment = not_at_all || is_listed(k, k->function->do_not_specialize_on_alignment, i);
    }
}

bool tri_signature_settle(tri_signature_kernel *k)
{
    const tri_function *f = k->function;
    k->signature = (tri_signature){
        .function = f, .name = k->text && k->text->instance.len ? k->text->instance : f->name, .config = -1};
    k->is_known = TRI_NEW_ARRAY(k->c->arena, bool, params_of(f)->len + 1);
    for (size_t i = 0; i < params_of(f)->len; i++)
        tri_vec_push(k->c->arena, &k->signature.params,
                     (tri_signature_param){.name = param_at(f, i)->param.name, .node = param_at(f, i)});
    if (!check_params(k) || !from_text(k) || !from_defines(k) || !from_annotations(k))
        return false;
    for (uint32_t i = 0; i < f->autotunes.len; i++)
        if (!from_autotune(k, f->autotunes.at[i]))
            return false;
    for (uint32_t i = 0; i < f->heuristics.len; i++)
        from_heuristics(k, f->heuristics.at[i], false);
    note_special(k);
    return from_defaults(k);
}

/* --- all of them -------------------------------------------------------------------------- */

/* Says so at the beginning of the file, and why what looks like a kernel is none. */
static void report_no_kernel(const tri_signature_file *c)
{
    const tri_ast_module *ast = tri_module_ast(c->main);
    tri_diag_error(c->diag, (tri_span){ast->source, 0, 0}, TRI_SIG_UNKNOWN_KERNEL, "no @triton.jit function in '%.*s'",
                   TRI_STR_ARG(ast->source->name));
    for (uint32_t i = 0; i < ast->body.len; i++) {
        const tri_ast_node *node = ast->body.at[i];
        for (uint32_t d = 0; node->kind == TRI_AST_FUNCTION && d < node->function.decorators.len; d++) {
            const tri_ast_node *decorator = node->function.decorators.at[d];
            tri_failure failure = {0};
            if (tri_str_has_suffix(tri_ast_text(decorator), "jit") &&
                !tri_host_eval_at(tri_module_scope(c->main), decorator, node->span.begin, &failure) && failure.why.len)
                tri_diag_note(c->diag, decorator->span, "this decorator is not known: %.*s", TRI_STR_ARG(failure.why));
        }
    }
}

bool tri_signature_start(tri_module *main, tri_signature_file *out)
{
    tri_modules *all = tri_module_all(main);
    tri_unit *unit = tri_module_unit(all);
    *out = (tri_signature_file){
        .main = main, .all = all, .arena = tri_module_arena(all), .diag = unit->diag, .options = unit->options};
    size_t errors = tri_diag_error_count(unit->diag);
    tri_module_kernels(main, &out->functions);
    if (tri_diag_error_count(unit->diag) > errors)
        return false;
    if (!out->functions.len)
        report_no_kernel(out);
    return out->functions.len > 0;
}

const tri_function *tri_signature_only_kernel(tri_module *main)
{
    tri_signature_file c;
    return tri_signature_start(main, &c) ? tri_signature_choose_only(&c) : NULL;
}

/* Does each -fheuristic name one that is left to the launcher? Reports. */
static bool check_given_values(const tri_signature_file *c, const tri_signature_list *kernels)
{
    bool ok = true;
    for (size_t n = 0; n < c->options->heuristics.len && c->options->defer_heuristics; n++) {
        tri_str given = c->options->heuristics.at[n];
        tri_str name = tri_str_trim(tri_str_sub(given, 0, tri_str_find(given, ':')));
        bool found = false;
        for (size_t i = 0; i < kernels->len; i++)
            for (size_t h = 0; h < kernels->at[i].heuristics.len; h++)
                found = found || tri_str_equal(kernels->at[i].heuristics.at[h].name, name);
        if (!found)
            tri_diag_error(c->diag, TRI_NO_SPAN, TRI_SIG_BAD,
                           "-fheuristic=%.*s: no heuristic of this name asks for arguments of the launch",
                           TRI_STR_ARG(given));
        ok = ok && found;
    }
    return ok;
}

bool tri_signature_collect(tri_module *main, tri_signature_list *out_kernels)
{
    tri_signature_file c;
    if (!tri_signature_start(main, &c))
        return false;
    size_t errors = tri_diag_error_count(c.diag);
    for (size_t i = 0; i < c.options->signatures.len; i++) {
        tri_signature_text text;
        if (!tri_signature_text_parse(main, c.options->signatures.at[i], &text))
            return false;
        tri_vec_push(c.arena, &c.texts, text);
    }
    tri_signature_kernel *kernels;
    size_t count;
    if (!tri_signature_choose(&c, &kernels, &count))
        return false;
    if (!count) {
        tri_diag_error(c.diag, TRI_NO_SPAN, TRI_SIG_UNKNOWN_KERNEL,
                       "every @triton.jit function in '%.*s' returns a value and so is a helper; name a kernel with -k",
                       TRI_STR_ARG(tri_module_ast(main)->source->name));
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!tri_signature_settle(&kernels[i]))
            return false;
        if (kernels[i].is_left_out ||
            (c.options->config < TRI_FRONTEND_ALL_CONFIGS && !kernels[i].signature.config_count))
            continue;
        if (c.options->guess_types) {
            kernels[i].guesses = tri_signature_guess(&kernels[i]);
            if (!guess_missing(&kernels[i], kernels[i].guesses))
                return false;
        }
        if (c.options->check_only && !is_complete(&kernels[i]) && !kernels[i].text && !kernels[i].not_evaluated.len) {
            tri_diag_hold(c.diag);
            kernels[i].signature.is_guessed = guess_missing(&kernels[i], tri_signature_guess(&kernels[i]));
            tri_diag_drop(c.diag);
        }
        if (is_complete(&kernels[i]))
            tri_vec_push(c.arena, out_kernels, kernels[i].signature);
        else if (kernels[i].is_explicit)
            report_missing(&kernels[i]);
    }
    if (!out_kernels->len && tri_diag_error_count(c.diag) == errors)
        report_missing(&kernels[0]);
    else if (tri_diag_error_count(c.diag) == errors)
        check_given_values(&c, out_kernels);
    return tri_diag_error_count(c.diag) == errors;
}
