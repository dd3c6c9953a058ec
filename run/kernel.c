#include "run/backend.h"
#include "run/bind.h"

#include "base/file.h"
#include "driver/payload.h"
#include "ir/kernel.h"
#include "run/grid.h"
#include "frontend/frontend.h"
#include "frontend/kernel/annotation.h"
#include "frontend/kernel/signature.h"
#include "frontend/kernel/signature_infer.h"
#include "ir/context.h"
#include "ir/guard.h"
#include "ir/op.h"

#include "llvm-c/Core.h"

#include <time.h>

/* --- compilation ------------------------------------------------------------------------- */

/* " (did you mean 'output_ptr'?)", or the parameters' names. */
static tri_str hint_of_name(tri_arena *arena, const tri_function *kernel, tri_str name)
{
    tri_ast_list params = kernel->node->function.params;
    const char **names = TRI_NEW_ARRAY(arena, const char *, params.len + 1);
    tri_buf list = {0};
    for (uint32_t i = 0; i < params.len; i++) {
        names[i] = tri_str_copy(arena, params.at[i]->param.name).data;
        tri_buf_format(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = tri_str_nearest(name, names, params.len);
    tri_str hint = near ? tri_str_format(arena, "; did you mean '%s'?", near)
                        : tri_str_format(arena, "; it has: %.*s", (int)list.len, list.data);
    tri_buf_fini(&list);
    return hint;
}

/* Every argument must have its parameter, and no other argument may have the same. */
static bool check_arguments(tri_unit *unit, const tri_function *kernel, const tri_argument_list *arguments)
{
    size_t given = 0, count = kernel->node->function.params.len;
    for (size_t n = 0; n < arguments->len; n++) {
        const tri_argument *a = &arguments->at[n];
        given += !a->is_buffer;
        if (a->is_buffer || !a->name.len)
            continue;
        if (tri_module_param_index(kernel, a->name) < 0) {
            tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "kernel '%.*s' has no parameter '%.*s'%.*s",
                           TRI_STR_ARG(kernel->name), TRI_STR_ARG(a->name),
                           TRI_STR_ARG(hint_of_name(unit->arena, kernel, a->name)));
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            if (arguments->at[i].is_buffer || !tri_str_equal(arguments->at[i].name, a->name))
                continue;
            tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "two arguments for parameter '%.*s'", TRI_STR_ARG(a->name));
            return false;
        }
    }
    if (given > count)
        tri_diag_error(unit->diag, TRI_NO_SPAN, 1002, "more arguments than kernel '%.*s' has parameters (%zu)",
                       TRI_STR_ARG(kernel->name), count);
    return given <= count;
}

static bool is_defined(const tri_options *options, tri_str name)
{
    for (size_t i = 0; i < options->defines.len; i++)
        if (tri_str_equal(options->defines.at[i].name, name))
            return true;
    return false;
}

/* An argument for a parameter of the type "*fp32:16", "tensordesc<fp32[64, 64]>", "i32" or a constant. */
static void print_example(tri_str type, tri_buf *out)
{
    size_t open = tri_str_find(type, '[');
    bool is_int = tri_str_has_prefix(type, "*i");
    if (tri_str_has_prefix(type, "tensordesc<")) {
        tri_buf block = {0}, shape = {0};
        for (tri_str rest = tri_str_sub(type, open + 1, tri_str_find(type, ']')); rest.len;) {
            size_t comma = tri_str_find(rest, ',');
            tri_str side = tri_str_trim(tri_str_sub(rest, 0, comma));
            tri_buf_format(&block, "%s%.*s", block.len ? "x" : "", TRI_STR_ARG(side));
            tri_buf_format(&shape, "%s%s", shape.len ? "x" : "", tri_str_is(side, "1") ? "4" : "256");
            rest = tri_str_sub(rest, comma + (comma < rest.len), rest.len);
        }
        tri_buf_format(out, "desc:%s:randn:f32:%s", block.data, shape.data);
        tri_buf_fini(&block);
        tri_buf_fini(&shape);
    } else if (tri_str_has_prefix(type, "*")) {
        tri_str element = tri_str_sub(type, is_int ? 1 : 3, tri_str_find(type, ':'));
        tri_buf_format(out, is_int ? "zeros:%.*s:1024" : "randn:f%.*s:1024", TRI_STR_ARG(element));
    } else {
        bool is_text = tri_str_has_prefix(type, "'");
        const char *value = tri_str_is(type, "i32") ? "1024" : tri_str_is(type, "i1") ? "True" : "1.0";
        bool is_type = tri_str_is(type, "i32") || tri_str_is(type, "i1") || tri_str_is(type, "fp32");
        tri_str text = is_type ? tri_str_from(value) : type;
        tri_buf_format(out, is_text ? "\"%.*s\"" : "%.*s", TRI_STR_ARG(text));
    }
}

/* Parameters that get no value: decorators may give one, which the front end finds out. */
static bool check_missing(tri_unit *unit, tri_modules *all, const tri_function *kernel, tri_argument_list *arguments)
{
    tri_buf names = {0}, example = {0};
    tri_run_binder b = {arguments, 0};
    const tri_signature_uses *uses = tri_signature_infer(all, kernel);
    for (uint32_t i = 0; i < kernel->node->function.params.len; i++) {
        const tri_ast_node *param = kernel->node->function.params.at[i];
        tri_str name = param->param.name;
        if (tri_run_binder_next(&b, name) || param->param.default_value || is_defined(unit->options, name))
            continue;
        tri_buf guess = {0};
        tri_signature_infer_print(uses, name, tri_annotation_is_constexpr(param), &guess);
        tri_buf_format(&names, "%s%.*s", names.len ? ", " : "", TRI_STR_ARG(name));
        tri_buf_format(&example, " %.*s=", TRI_STR_ARG(name));
        print_example(tri_buf_str(&guess), &example);
        tri_buf_fini(&guess);
    }
    bool ok = !names.len || kernel->autotunes.len || kernel->heuristics.len;
    if (!ok) {
        tri_diag_error(unit->diag, tri_ast_name_span(kernel->node), 1002, "kernel '%.*s' needs arguments for: %s",
                       TRI_STR_ARG(kernel->name), names.data);
        tri_diag_note(unit->diag, TRI_NO_SPAN, "for example:%s", example.data);
    }
    tri_buf_fini(&names);
    tri_buf_fini(&example);
    return ok;
}

/* Scalars have their values before the kernel is compiled, as in a launch from Python: heuristics may ask for them. */
static void add_launch_value(tri_unit *unit, tri_options *options, tri_str name, const tri_argument *a)
{
    bool is_value = a->kind == TRI_ARGUMENT_LITERAL || a->kind == TRI_ARGUMENT_SCALAR;
    for (size_t i = 0; i < a->member_count; i++)
        is_value = is_value && a->members[i].kind == TRI_ARGUMENT_LITERAL;
    if (is_value)
        tri_vec_push(unit->arena, &options->launch_values, (tri_define){name, a->literal});
}

/* As Triton's launch from Python says of AMD GPUs' arrays, whose accesses it makes a difference to. */
static bool is_small(const tri_unit *unit, const tri_argument *a)
{
    bool is_array = tri_run_kernel_is_memory(a) && !a->block_rank;
    return is_array && strcmp(unit->arch->backend, "hip") == 0 &&
           (uint64_t)a->array.count * tri_dtype_size(a->array.dtype) < (uint64_t)1 << 31;
}

/* "k(x=*fp32:16, BLOCK=1024)" as -sig takes it: a constexpr parameter takes the literal itself,
 * another the type that Triton's launch rule gives it. Empty after a report. */
static tri_str signature_of(tri_unit *unit, tri_options *options, tri_argument_list *arguments)
{
    tri_modules *all = tri_module_create_all(unit);
    const tri_function *kernel = tri_signature_only_kernel(tri_module_add(all, unit->ast));
    if (!kernel || !check_arguments(unit, kernel, arguments) || !check_missing(unit, all, kernel, arguments))
        return TRI_STR("");
    tri_buf text = {0};
    tri_buf_format(&text, "%.*s(", TRI_STR_ARG(kernel->name));
    const char *separator = "";
    tri_run_binder b = {arguments, 0};
    for (uint32_t i = 0; i < kernel->node->function.params.len; i++) {
        const tri_ast_node *param = kernel->node->function.params.at[i];
        const tri_argument *a = tri_run_binder_next(&b, param->param.name);
        if (!a)
            continue;
        bool is_literal = a->kind == TRI_ARGUMENT_LITERAL && tri_annotation_is_constexpr(param);
        tri_str type = is_literal ? a->literal : tri_argument_signature(unit->arena, a);
        tri_buf_format(&text, "%s%.*s=%.*s", separator, TRI_STR_ARG(param->param.name), TRI_STR_ARG(type));
        if (is_small(unit, a))
            tri_buf_add_z(&text, ":S");
        separator = ", ";
        add_launch_value(unit, options, param->param.name, a);
    }
    tri_buf_add_char(&text, ')');
    tri_str copy = tri_str_copy(unit->arena, tri_buf_str(&text));
    tri_buf_fini(&text);
    return copy;
}

/* Runs the phases up to what the back end takes. */
static bool compile(tri_run_kernel *k, tri_kind kind, tri_run_opt *opt, tri_argument_list *arguments)
{
    tri_unit *unit = &k->unit;
    tri_kind last = opt->backend->takes;
    tri_phase_list phases = tri_phase_list_for(unit->arena, unit->target);
    while (kind != last) {
        const tri_phase *next = NULL;
        for (size_t i = 0; i < phases.len && !next; i++)
            if (phases.at[i].from == kind && phases.at[i].run)
                next = &phases.at[i];
        TRI_ASSERT(next);
        if (!tri_phase_run(next, unit, opt->hooks))
            return false;
        kind = next->to;
        if (kind != TRI_KIND_AST)
            continue;
        tri_str signature = signature_of(unit, &opt->compile, arguments);
        if (!signature.len)
            return false;
        tri_vec_push(unit->arena, &opt->compile.signatures, signature);
        k->config_count = tri_frontend_count_configs(unit);
    }
    return true;
}

/* ttir, ttgir and linalg are what their suffixes say where the machine's way leads over them; all else is source. */
static tri_kind kind_of(const tri_run_opt *opt, const tri_unit *unit)
{
    tri_kind kind = tri_phase_kind_of_file(opt->file);
    bool is_text = kind == TRI_KIND_TTIR || (kind == TRI_KIND_TTGIR && opt->backend->is_gpu);
    tri_phase_list phases = tri_phase_list_for(unit->arena, unit->target);
    for (size_t i = 0; i < phases.len && !is_text; i++)
        is_text = kind == TRI_KIND_LINALG && phases.at[i].from == kind && phases.at[i].run;
    return is_text ? kind : TRI_KIND_SOURCE;
}

static bool is_asked_for(const tri_options *options, tri_str name)
{
    for (size_t i = 0; i < options->kernels.len; i++)
        if (tri_str_equal(options->kernels.at[i], name))
            return true;
    return !options->kernels.len;
}

/* Of a module that is read as text the kernels that -k does not name go away. */
static bool choose_kernels(tri_run_kernel *k, tri_kind kind, const tri_run_opt *opt)
{
    if ((kind != TRI_KIND_TTIR && kind != TRI_KIND_TTGIR) || !opt->compile.kernels.len)
        return true;
    size_t left = 0;
    MlirOperation next, op = mlirBlockGetFirstOperation(mlirModuleGetBody(k->unit.module));
    for (; !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        if (!tri_op_is_kernel(op))
            continue;
        if (is_asked_for(&opt->compile, tri_op_string(op, "sym_name")))
            left++;
        else
            mlirOperationDestroy(op);
    }
    size_t known = 0;
    for (size_t i = 0; i < k->unit.kernels.len; i++)
        if (is_asked_for(&opt->compile, k->unit.kernels.at[i].name))
            k->unit.kernels.at[known++] = k->unit.kernels.at[i];
    k->unit.kernels.len = known;
    if (!left)
        tri_diag_error(k->unit.diag, (tri_span){k->source, 0, 0}, 3031, "no kernel '%.*s' in '%.*s'",
                       TRI_STR_ARG(opt->compile.kernels.at[0]), TRI_STR_ARG(opt->file));
    return left > 0;
}

static bool open_file(tri_run_kernel *k, tri_kind kind, const tri_run_opt *opt)
{
    tri_str text;
    int error;
    if (!tri_file_read(k->unit.arena, opt->file, &text, &error)) {
        tri_diag_error(k->unit.diag, TRI_NO_SPAN, 1001, "cannot read '%.*s': %s", TRI_STR_ARG(opt->file),
                       strerror(error));
        return false;
    }
    k->source = tri_diag_add_source(k->unit.diag, opt->file, text);
    return tri_payload_read(&k->unit, kind, k->source) && choose_kernels(k, kind, opt);
}

/* --- life -------------------------------------------------------------------------------- */

/* The file's kernel for these arguments, as the back end takes it. */
static bool make_code(tri_run_kernel *k, tri_run_opt *opt, tri_argument_list *arguments)
{
    tri_diag *diag = k->unit.diag;
    if (!tri_targets_find(diag, opt->compile.arch, &k->unit.target, &k->unit.arch))
        return false;
    if (!opt->has_assert && k->unit.target->has_no_asserts && !opt->compile.simulate) {
        opt->compile.warn_asserts = opt->compile.debug_asserts;
        opt->compile.debug_asserts = false;
    }
    bool is_gpu = k->unit.target->ttgir_pipeline != NULL;
    if (is_gpu != k->backend->is_gpu) {
        tri_diag_error(diag, TRI_NO_SPAN, 1002, is_gpu ? "'%.*s' is a GPU; sim:%.*s runs its code on the simulator"
                       : "'%.*s' is no GPU and runs without the simulator: -arch=%.*s",
                       TRI_STR_ARG(opt->compile.arch), TRI_STR_ARG(opt->compile.arch));
        return false;
    }
    if (!tri_targets_check_options(&k->unit))
        return false;
    opt->compile.find_grid = !opt->grid.len;
    k->unit.mlir = tri_context_create_mlir(diag);
    k->unit.llvm = tri_context_create_llvm(diag);
    tri_kind kind = kind_of(opt, &k->unit);
    if (!open_file(k, kind, opt) || !compile(k, kind, opt, arguments))
        return false;
    if (k->unit.kernels.len == 1)
        return true;
    tri_span start = {k->source, 0, 0};
    if (k->unit.kernels.len)
        tri_diag_error(diag, start, 1002, "the file has %zu kernels that could run; choose one with -k",
                       k->unit.kernels.len);
    else
        tri_diag_error(diag, start, 3031, "no kernel in '%.*s'", TRI_STR_ARG(opt->file));
    return false;
}

typedef struct {
    tri_run_kernel *kernel;
    tri_argument_list *arguments;
} opening;

/* The host and the simulator compile when they are opened. */
static bool open_guarded(tri_unit *unit, void *data)
{
    const opening *o = data;
    (void)unit;
    return o->kernel->backend->open(o->kernel, o->arguments);
}

bool tri_run_kernel_create(tri_arena *arena, tri_diag *diag, tri_run_opt *opt, tri_argument_list *arguments,
                           tri_run_kernel *k)
{
    *k = (tri_run_kernel){.backend = opt->backend};
    tri_unit_init(&k->unit, arena, diag, &opt->compile);
    if (k->backend->choose && !k->backend->choose(k, opt, arguments))
        return false;
    if (k->backend->takes != TRI_KIND_OBJ && !make_code(k, opt, arguments))
        return false;
    opening o = {k, arguments};
    bool is_made = k->backend->takes == TRI_KIND_OBJ || kind_of(opt, &k->unit) != TRI_KIND_SOURCE;
    k->grid_text = opt->grid.len ? opt->grid : tri_run_grid_of_launch(k);
    return tri_run_bind(k, arguments, is_made) && tri_run_grid_evaluate(k, k->grid_text) &&
           tri_guard_run(&k->unit, open_guarded, &o);
}

void tri_run_kernel_fini(tri_run_kernel *k)
{
    tri_jit_destroy(k->jit);
    if (k->backend && k->backend->close)
        k->backend->close(k);
    tri_unit_fini(&k->unit);
    if (k->unit.mlir.ptr)
        tri_context_destroy_mlir(k->unit.mlir);
    if (k->unit.llvm)
        tri_guard_dispose(k->unit.llvm);
    *k = (tri_run_kernel){0};
}

bool tri_run_kernel_launch(tri_run_kernel *k, double *out_seconds)
{
    struct timespec before, after;
    double seconds = -1;
    clock_gettime(CLOCK_MONOTONIC, &before);
    bool ok = k->backend->launch(k, &seconds);
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (seconds < 0)
        seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    if (out_seconds)
        *out_seconds = seconds;
    return ok;
}

bool tri_run_kernel_fetch(tri_run_kernel *k)
{
    return !k->backend->fetch || k->backend->fetch(k);
}

bool tri_run_kernel_is_memory(const tri_argument *argument)
{
    return argument->kind == TRI_ARGUMENT_ARRAY || argument->kind == TRI_ARGUMENT_TABLE;
}

tri_argument *tri_run_kernel_find(tri_run_kernel *k, tri_argument_list *arguments, tri_str name)
{
    const tri_kernel *kernel = &k->unit.kernels.at[0];
    for (size_t i = 0; i < kernel->params.len; i++)
        if (tri_str_equal(kernel->params.at[i].name, name) && k->passed[i])
            return k->passed[i];
    for (size_t i = 0; i < arguments->len; i++)
        if (tri_str_equal(arguments->at[i].name, name))
            return &arguments->at[i];
    return NULL;
}
