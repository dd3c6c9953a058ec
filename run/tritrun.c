#include "run/tritrun.h"

#include "base/file.h"
#include "base/trap.h"
#include "driver/info.h"
#include "ir/kernel.h"
#include "run/backend.h"
#include "run/grid.h"
#include "run/tune.h"

#include <stdlib.h>

/* Exit statuses. */
enum { done = 0, failed = 1, wrong_usage = 2 };

/* Prints and ends the text. False after a report. */
static bool print_out(tri_diag *diag, tri_buf *text)
{
    int error = 0;
    bool ok = !text->len || tri_diag_write_output(diag, tri_buf_str(text), &error);
    if (!ok)
        tri_diag_error(diag, TRI_NO_SPAN, 1003, "cannot write standard output: %s", strerror(error));
    tri_buf_fini(text);
    return ok;
}

/* --- timing ------------------------------------------------------------------------------ */

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Repeats for about a second, at least 5 and at most 1000 times, after one run to warm up. */
static bool bench(tri_run_kernel *kernel, const tri_run_opt *opt)
{
    enum { most = 1000, least = 5 };
    double times[most], sum = 0, bytes, flops;
    int count = 0;
    if (!tri_run_grid_number(kernel, "-bytes", opt->bytes, &bytes) ||
        !tri_run_grid_number(kernel, "-flops", opt->flops, &flops))
        return false;
    if (!tri_run_kernel_launch(kernel, NULL))
        return false;
    for (; count < most && (count < least || sum < 1); count++) {
        if (!tri_run_kernel_launch(kernel, &times[count]))
            return false;
        sum += times[count];
    }
    qsort(times, (size_t)count, sizeof *times, compare_times);
    double median = times[count / 2];
    tri_buf text = {0};
    tri_buf_format(&text, "%d runs: median %.3f us, least %.3f us", count, median * 1e6, times[0] * 1e6);
    if (bytes > 0)
        tri_buf_format(&text, ", %.3f GB/s", bytes / median * 1e-9);
    if (flops > 0)
        tri_buf_format(&text, ", %.3f GFLOP/s", flops / median * 1e-9);
    tri_buf_add_char(&text, '\n');
    return print_out(kernel->unit.diag, &text);
}

/* --- results ----------------------------------------------------------------------------- */

/* The array that was given for a parameter, or the buffer of that name; null after a report. */
static const tri_array *array_named(tri_run_kernel *kernel, tri_argument_list *arguments, tri_str name)
{
    const tri_argument *argument = tri_run_kernel_find(kernel, arguments, name);
    if (argument && (argument->kind == TRI_ARGUMENT_ARRAY || argument->kind == TRI_ARGUMENT_TABLE))
        return &argument->array;
    tri_buf names = {0};
    const tri_kernel *k = &kernel->unit.kernels.at[0];
    for (size_t i = 0; i < k->params.len; i++)
        if (kernel->passed[i] && tri_run_kernel_is_memory(kernel->passed[i]))
            tri_buf_format(&names, "%s%.*s", names.len ? ", " : "", TRI_STR_ARG(k->params.at[i].name));
    for (size_t i = 0; i < arguments->len; i++)
        if (arguments->at[i].is_buffer && tri_run_kernel_is_memory(&arguments->at[i]))
            tri_buf_format(&names, "%s%.*s", names.len ? ", " : "", TRI_STR_ARG(arguments->at[i].name));
    tri_diag_error(kernel->unit.diag, TRI_NO_SPAN, 1002, "no array argument '%.*s'; there are: %s", TRI_STR_ARG(name),
                   names.len ? names.data : "none");
    tri_buf_fini(&names);
    return NULL;
}

typedef TRI_VEC(tri_array) array_list;

/* Finds what -print and -o name and reads what -expect compares with, so that a mistake is seen before a long run. */
static bool prepare(tri_run_kernel *kernel, tri_argument_list *arguments, const tri_run_opt *opt,
                    array_list *out_expected)
{
    tri_arena *arena = kernel->unit.arena;
    tri_diag *diag = kernel->unit.diag;
    for (size_t i = 0; i < opt->prints.len; i++)
        if (!array_named(kernel, arguments, opt->prints.at[i]))
            return false;
    for (size_t i = 0; i < opt->outputs.len; i++)
        if (!array_named(kernel, arguments, opt->outputs.at[i].name))
            return false;
    for (size_t i = 0; i < opt->expected.len; i++) {
        const tri_array *got = array_named(kernel, arguments, opt->expected.at[i].name);
        tri_argument want;
        if (!got || !tri_argument_parse(diag, arena, opt->expected.at[i].value, &want))
            return false;
        if (want.kind != TRI_ARGUMENT_ARRAY) {
            tri_diag_error(diag, TRI_NO_SPAN, 1002, "-expect compares with an array: NAME=@FILE.npy");
            return false;
        }
        /* what .npy files store of types that they do not know */
        if (tri_dtype_is_float(got->dtype) && tri_array_can_view(want.array.dtype, got->dtype))
            want.array.dtype = got->dtype;
        tri_vec_push(arena, out_expected, want.array);
    }
    return true;
}

static bool compare(tri_diag *diag, const tri_array *got, const tri_array *want, const tri_run_opt *opt, tri_str name)
{
    tri_buf text = {0};
    tri_buf_format(&text, "tritrun: '%.*s': ", TRI_STR_ARG(name));
    bool same = tri_array_compare(got, want, opt->rtol, opt->atol, &text);
    if (!same)
        tri_diag_write(diag, tri_buf_str(&text));
    tri_buf_fini(&text);
    return same;
}

static int finish(tri_run_kernel *kernel, tri_argument_list *arguments, const tri_run_opt *opt,
                  const array_list *expected)
{
    int status = done;
    tri_trap_check();
    for (size_t i = 0; i < opt->prints.len; i++) {
        tri_buf text = {0};
        tri_array_print(array_named(kernel, arguments, opt->prints.at[i]), opt->prints.at[i], opt->print_limit, &text);
        if (!print_out(kernel->unit.diag, &text))
            status = failed;
    }
    for (size_t i = 0; i < opt->outputs.len; i++) {
        const tri_run_pair *output = &opt->outputs.at[i];
        if (!tri_array_write_npy(kernel->unit.diag, output->value, array_named(kernel, arguments, output->name)))
            status = failed;
    }
    for (size_t i = 0; i < opt->expected.len; i++) {
        tri_str name = opt->expected.at[i].name;
        if (!compare(kernel->unit.diag, array_named(kernel, arguments, name), &expected->at[i], opt, name))
            status = failed;
    }
    return status;
}

/* Reads the files and generates the arrays. */
static bool make_arguments(tri_arena *arena, tri_diag *diag, const tri_run_opt *opt, tri_argument_list *out)
{
    for (size_t i = 0; i < opt->arguments.len; i++) {
        tri_argument argument;
        if (!tri_argument_parse(diag, arena, opt->arguments.at[i], &argument))
            return false;
        tri_vec_push(arena, out, argument);
    }
    return tri_argument_link(diag, arena, out);
}

/* Runs once, with a progress line, or repeatedly with -bench. */
static bool run_kernel(tri_run_kernel *kernel, const tri_run_opt *opt, bool is_bench)
{
    bool ok;
    if (is_bench)
        return bench(kernel, opt);
    const char *name = tri_str_copy(kernel->unit.arena, kernel->unit.kernels.at[0].name).data;
    kernel->progress = tri_progress_create(kernel->unit.diag, name);
    ok = tri_run_kernel_launch(kernel, NULL);
    tri_progress_destroy(kernel->progress);
    kernel->progress = NULL;
    return ok;
}

/* -check: the same kernel with arguments of its own on the simulator. */
static bool check(tri_arena *arena, tri_diag *diag, const tri_run_opt *opt)
{
    tri_run_opt sim = *opt;
    tri_argument_list arguments = {0};
    tri_run_kernel kernel;
    tri_run_opt_simulate(&sim);
    if (!make_arguments(arena, diag, &sim, &arguments))
        return false;
    bool ok = tri_run_kernel_create(arena, diag, &sim, &arguments, &kernel) && run_kernel(&kernel, &sim, false);
    tri_run_kernel_fini(&kernel);
    return ok;
}

static int run(tri_arena *arena, tri_diag *diag, tri_run_opt *opt)
{
    tri_argument_list arguments = {0};
    array_list expected = {0};
    if (opt->tune.len)
        return tri_run_tune(arena, diag, opt);
    if (!make_arguments(arena, diag, opt, &arguments))
        return wrong_usage;
    tri_run_kernel kernel;
    int status = failed;
    if (opt->has_check && !check(arena, diag, opt))
        return failed;
    if (tri_run_kernel_create(arena, diag, opt, &arguments, &kernel)) {
        if (!prepare(&kernel, &arguments, opt, &expected))
            status = wrong_usage;
        else if (run_kernel(&kernel, opt, opt->has_bench) && tri_run_kernel_fetch(&kernel))
            status = finish(&kernel, &arguments, opt, &expected);
    }
    tri_run_kernel_fini(&kernel);
    return status;
}

bool tri_tritrun_is(const char *program)
{
    return tri_str_is(tri_path_base(tri_str_from(program)), "tritrun");
}

int tri_tritrun_run(tri_arena *arena, tri_diag *diag, int argc, char **argv)
{
    tri_run_opt opt;
    tri_diag_set_program(diag, "tritrun");
    if (!tri_run_opt_parse(arena, diag, argc, argv, &opt))
        return wrong_usage;
    tri_buf text = {0};
    int status = done;
    if (opt.has_help)
        status = tri_run_opt_help(diag, opt.help_topic, &text) ? done : wrong_usage;
    else if (opt.has_version)
        tri_info_version(&text);
    else if (opt.table.len)
        status = tri_run_opt_table(diag, opt.table, &text) ? done : wrong_usage;
    else
        status = run(arena, diag, &opt);
    bool is_printed = print_out(diag, &text);
    return status == done && !is_printed ? failed : status;
}
