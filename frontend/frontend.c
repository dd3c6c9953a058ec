#include "frontend/frontend.h"

#include "frontend/kernel/trial.h"
#include "frontend/kernel/function.h"
#include "frontend/kernel/grid.h"
#include "frontend/kernel/masks.h"
#include "frontend/kernel/overflow.h"
#include "frontend/kernel/signature.h"
#include "frontend/kernel/specialize.h"
#include "frontend/kernel/target.h"
#include "ir/context.h"
#include "ir/kernel.h"
#include "ir/op.h"
#include "ir/options.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

bool tri_frontend_parse(tri_unit *unit)
{
    tri_ast_module *ast = tri_parser_parse(unit->arena, unit->diag, unit->source);
    if (!ast)
        return false;
    const tri_source *source = unit->source;
    tri_unit_replace(unit, TRI_PAYLOAD_AST);
    unit->source = source;
    unit->ast = ast;
    return true;
}

/* ---- arguments of a kernel ---- */

typedef TRI_VEC(MlirAttribute) attr_list;

static MlirNamedAttribute number_attr(tri_eval *e, const char *name, int32_t value)
{
    return mlirNamedAttributeGet(mlirIdentifierGet(e->mlir, mlirStringRefCreateFromCString(name)),
                                 tri_attr_i32(e->mlir, value));
}

/* One dictionary per IR argument. */
static void arg_hints(tri_eval *e, const tri_arg *arg, attr_list *out)
{
    int count = arg->kind == TRI_ARG_VALUE ? 1 : arg->kind == TRI_ARG_DESC ? 1 + 2 * arg->type->rank : 0;
    if (arg->kind == TRI_ARG_TUPLE)
        for (int i = 0; i < arg->item_count; i++)
            arg_hints(e, &arg->items[i], out);
    for (int i = 0; i < count; i++) {
        MlirNamedAttribute hints[2];
        intptr_t n = 0;
        if (arg->kind == TRI_ARG_VALUE && arg->divisibility > 1)
            hints[n++] = number_attr(e, "tt.divisibility", arg->divisibility);
        if (arg->kind == TRI_ARG_VALUE && arg->is_small)
            hints[n++] = number_attr(e, "tt.pointer_range", 32);
        tri_vec_push(e->arena, out, mlirDictionaryAttrGet(e->mlir, n, hints));
    }
}

static void spell_type(tri_eval *e, const tri_arg *arg, tri_buf *out)
{
    switch (arg->kind) {
    case TRI_ARG_VALUE:
        tri_types_print_signature(arg->type, out);
        return;
    case TRI_ARG_CONSTANT:
        tri_buf_add_z(out, "constexpr");
        return;
    case TRI_ARG_TUPLE:
        tri_buf_add_char(out, '(');
        for (int i = 0; i < arg->item_count; i++) {
            tri_buf_add_z(out, i ? ", " : "");
            spell_type(e, &arg->items[i], out);
            if (arg->items[i].kind == TRI_ARG_VALUE && arg->items[i].divisibility > 1)
                tri_buf_format(out, ":%d", (int)arg->items[i].divisibility);
            if (arg->items[i].kind == TRI_ARG_VALUE && arg->items[i].is_small)
                tri_buf_add_z(out, ":S");
        }
        tri_buf_add_z(out, arg->item_count == 1 ? ",)" : ")");
        return;
    case TRI_ARG_DESC:
        tri_buf_add_z(out, "tensordesc<");
        tri_types_print_signature(arg->type->element, out);
        tri_buf_add_z(out, tri_eval_shape_name(e, arg->type->rank, arg->type->shape));
        tri_buf_add_char(out, '>');
        return;
    }
}

static tri_kernel_param describe_param(tri_eval *e, const tri_signature_param *p)
{
    tri_kernel_param out = {.name = p->name, .divisibility = p->arg.divisibility};
    out.is_small = p->arg.is_small && e->unit->arch->has_buffers; /* no other code relies on it */
    tri_buf buf = {0};
    spell_type(e, &p->arg, &buf);
    out.type = tri_str_copy(e->arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    out.is_constexpr = p->arg.kind == TRI_ARG_CONSTANT;
    if (p->passed) {
        tri_buf passed = {0};
        tri_types_print_signature(p->passed, &passed);
        out.passed_type = tri_str_copy(e->arena, tri_buf_str(&passed));
        tri_buf_fini(&passed);
    }
    if (out.is_constexpr)
        out.value = tri_value_repr_str(e->arena, tri_value_unwrap(p->arg.value));
    out.is_read_only = p->arg.kind == TRI_ARG_VALUE && p->arg.type->kind == TRI_TYPE_PTR && p->arg.type->is_const;
    return out;
}

static int first_given(int a, int b) { return a ? a : b; }

static tri_str describe_heuristics(tri_eval *e, const tri_signature *s)
{
    tri_buf text = {0};
    for (size_t i = 0; i < s->heuristics.len; i++) {
        const tri_heuristic *h = &s->heuristics.at[i];
        tri_buf_format(&text, "%s%.*s %lld %.*s", i ? ";" : "", TRI_STR_ARG(h->name),
                       (long long)h->values.at[h->chosen], TRI_STR_ARG(h->words));
    }
    tri_str copy = text.len ? tri_str_copy(e->arena, tri_buf_str(&text)) : TRI_STR("");
    tri_buf_fini(&text);
    return copy;
}

/* `form`: 0 of the general one, n of k__v<n>. */
static tri_kernel describe_kernel(tri_eval *e, const tri_signature *s, int form)
{
    const tri_options *o = e->unit->options;
    tri_kernel k = {.name = s->name, .registers = -1, .spill_bytes = -1};
    if (o->prefix.len)
        k.name = tri_str_format(e->arena, "%.*s%.*s", TRI_STR_ARG(o->prefix), TRI_STR_ARG(k.name));
    k.symbol = o->symbol.len ? o->symbol : k.name;
    if (o->config <= TRI_FRONTEND_ALL_CONFIGS && s->config >= 0) {
        k.config = s->config + 1;
        k.key = s->key;
        k.symbol = tri_str_format(e->arena, "%.*s_config%d", TRI_STR_ARG(k.symbol), s->config);
    }
    if (form)
        k.symbol = tri_str_format(e->arena, "%.*s__v%d", TRI_STR_ARG(k.symbol), form);
    for (size_t i = 0; i < s->params.len; i++)
        tri_vec_push(e->arena, &k.params, describe_param(e, &s->params.at[i]));
    k.heuristics = describe_heuristics(e, s);
    k.num_warps = first_given(o->num_warps, s->num_warps);
    k.num_stages = first_given(o->num_stages, s->num_stages);
    k.num_ctas = first_given(o->num_ctas, s->num_ctas);
    k.maxnreg = first_given(o->maxnreg, s->maxnreg);
    k.waves_per_eu = first_given(o->waves_per_eu, s->waves_per_eu);
    k.matrix_size = first_given(o->matrix_size, s->matrix_size);
    k.k_pack = first_given(o->k_pack, s->k_pack);
    return k;
}

static bool check_fp8(tri_eval *e, const tri_signature_param *p)
{
    const tri_type *t = p->arg.type;
    if (p->arg.kind != TRI_ARG_VALUE && p->arg.kind != TRI_ARG_DESC)
        return true;
    const char *why = tri_target_rejects(e, t->dtype);
    if (!why)
        return true;
    tri_eval_error_at(e, p->arg.at, 3020, "parameter '%.*s': %s", TRI_STR_ARG(p->name), why);
    return false;
}

static bool find_grid(tri_eval *e, const tri_signature *s, tri_kernel *kernel)
{
    const tri_options *o = e->unit->options;
    return (!o->grid.len && !o->find_grid) || tri_grid_find(e->unit, e->modules, s, &kernel->grid);
}

static MlirOperation lower_form(tri_eval *e, const tri_signature *s, int form)
{
    int count = (int)s->params.len;
    tri_ev *params = TRI_NEW_ARRAY(e->arena, tri_ev, count + 1), result;
    attr_list hints = {0};
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = check_fp8(e, &s->params.at[i]) && ok;
        params[i] = tri_trial_value(e, &s->params.at[i].arg);
        arg_hints(e, &s->params.at[i].arg, &hints);
    }
    if (!ok)
        return (MlirOperation){0};
    tri_kernel kernel = describe_kernel(e, s, form);
    e->num_warps = first_given(kernel.num_warps, first_given(e->target->default_warps, 4));
    e->debug = s->function->debug;
    MlirOperation op = tri_function_compile(e, s->function, kernel.symbol, true, TRI_NO_SPAN, count, params, &result);
    if (!op.ptr || !find_grid(e, s, &kernel))
        return (MlirOperation){0};
    if (hints.len)
        tri_builder_set_attr(op, "arg_attrs", mlirArrayAttrGet(e->mlir, (intptr_t)hints.len, hints.at));
    mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString("tritcc.kernel"),
                                    tri_kernel_to_attr(e->mlir, &kernel));
    tri_vec_push(e->unit->arena, &e->unit->kernels, kernel);
    return op;
}

/* What the source does wrong was told of the general form. */
static void lower_quietly(tri_eval *e, const tri_special *form, int number)
{
    tri_diag_hold(e->diag);
    lower_form(e, &form->signature, number);
    tri_diag_drop(e->diag);
}

/* Is it wrong whatever the types of the arguments are? */
static bool is_sure(tri_severity severity, int code)
{
    static const int sure[] = {3001, 3002, 3003, 3004, 3013, 3021, 3034, 4001,
                               4002, 4003, 4004, 4005, 4006, 4008, 4010};
    bool found = severity == TRI_WARNING;
    for (size_t i = 0; i < sizeof sure / sizeof *sure && !found; i++)
        found = sure[i] == code;
    return found;
}

static void warn_of_functions(tri_eval *e)
{
    for (MlirOperation f = mlirBlockGetFirstOperation(e->module_body); f.ptr; f = mlirOperationGetNextInBlock(f)) {
        tri_masks_check(e, f);
        if (tri_op_is_kernel(f))
            tri_overflow_check(e, f);
    }
}

/* -fsyntax-only, without types: what would be wrong for others, too, is told, and nothing is kept. Errors that only
 * the guess may have made are dropped. */
static void check_guessed(tri_eval *e, const tri_signature *s)
{
    MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(e->mlir));
    tri_eval own = tri_eval_create(e->modules, module, tri_arena_create());
    size_t kernels = e->unit->kernels.len, errors = tri_diag_error_count(e->diag);
    own.told = e->told;
    tri_diag_hold(e->diag);
    lower_form(&own, s, 0);
    size_t dropped = tri_diag_release_some(e->diag, is_sure);
    if (!dropped && tri_diag_error_count(e->diag) == errors && !own.exhausted_at.source && tri_context_verify(module))
        warn_of_functions(&own);
    if (own.exhausted_at.source && !e->exhausted_at.source) {
        e->exhausted_at = own.exhausted_at;
        e->exhausted_by = own.exhausted_by;
    }
    e->told = own.told;
    e->unit->kernels.len = kernels;
    mlirModuleDestroy(module);
    tri_eval_destroy(&own);
}

static void lower_kernel(tri_eval *e, const tri_signature *s)
{
    if (s->is_guessed) {
        check_guessed(e, s);
        return;
    }
    /* for each combination of what heuristics may give: the general form, and those that ask more of the arguments */
    tri_signature form = *s;
    int number = 0;
    do {
        MlirOperation general = lower_form(e, &form, number++);
        if (!general.ptr)
            return;
        tri_special_list forms = tri_specialize_list(e->unit, &form, general);
        for (size_t i = 0; i < forms.len; i++) {
            if (forms.at[i].may_fail)
                lower_quietly(e, &forms.at[i], number++);
            else
                lower_form(e, &forms.at[i].signature, number++);
        }
    } while (tri_signature_next_form(e->arena, &form));
}

int tri_frontend_count_configs(tri_unit *unit)
{
    tri_modules *modules = tri_module_create_all(unit);
    tri_signature_list list = {0};
    int count = 1;
    tri_diag_hold(unit->diag);
    if (tri_signature_collect(tri_module_add(modules, unit->ast), &list))
        for (size_t i = 0; i < list.len; i++)
            count = list.at[i].config_count > count ? list.at[i].config_count : count;
    tri_diag_drop(unit->diag);
    return count;
}

bool tri_frontend_list(tri_unit *unit, const tri_frontend_target *target, tri_buf *out)
{
    tri_modules *modules = tri_module_create_all(unit);
    tri_module_set_target(modules, target);
    return tri_signature_list_kernels(tri_module_add(modules, unit->ast), out);
}

bool tri_frontend_lower(tri_unit *unit, const tri_frontend_target *target)
{
    tri_modules *modules = tri_module_create_all(unit);
    tri_module_set_target(modules, target);
    tri_module *main = tri_module_add(modules, unit->ast);
    tri_signature_list list = {0};
    if (!tri_signature_collect(main, &list) || !tri_specialize_check(unit, &list))
        return false;
    if (unit->options->symbol.len && list.len != 1) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1002,
                       "-symbol=%.*s names one kernel, but %zu are compiled; choose with -k",
                       TRI_STR_ARG(unit->options->symbol), list.len);
        return false;
    }
    MlirLocation loc = tri_context_location(unit->mlir, unit->diag, (tri_span){unit->source, 0, 0});
    MlirModule module = mlirModuleCreateEmpty(loc);
    tri_eval e = tri_eval_create(modules, module, unit->arena);
    size_t errors = tri_diag_error_count(unit->diag);
    for (size_t i = 0; i < list.len; i++)
        lower_kernel(&e, &list.at[i]);
    if (e.exhausted_at.source) {
        tri_diag_error(unit->diag, e.exhausted_at, 4010, "more than %lld %s: the kernel unrolls to too much code",
                       (long long)e.max_ops, e.exhausted_by);
        tri_diag_note(unit->diag, TRI_NO_SPAN,
                      "each turn of tl.static_range counts; use range for long loops, or allow more by -fmax-ops=N");
    }
    if (tri_diag_error_count(unit->diag) > errors || !tri_context_verify(module)) {
        mlirModuleDestroy(module);
        return false;
    }
    warn_of_functions(&e);
    tri_unit_replace(unit, TRI_PAYLOAD_MLIR);
    unit->module = module;
    return true;
}
