/* tritrun: compiles one kernel and runs it with arguments from the command line. */
#include "base/file.h"
#include "driver/info.h"
#include "driver/run_kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* Exit statuses. */
enum { done = 0, failed = 1, wrong_usage = 2 };

static void print_out(tri_buf *text)
{
    if (text->len)
        fwrite(text->data, 1, text->len, stdout);
    tri_buf_fini(text);
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
    double times[most], sum = 0;
    int count = 0;
    if (!tri_run_kernel_launch(kernel, NULL))
        return false;
    for (; count < most && (count < least || sum < 1); count++) {
        if (!tri_run_kernel_launch(kernel, &times[count]))
            return false;
        sum += times[count];
    }
    qsort(times, (size_t)count, sizeof *times, compare_times);
    double median = times[count / 2];
    printf("%d runs: median %.3f us, least %.3f us", count, median * 1e6, times[0] * 1e6);
    if (opt->bytes > 0)
        printf(", %.3f GB/s", opt->bytes / median * 1e-9);
    if (opt->flops > 0)
        printf(", %.3f GFLOP/s", opt->flops / median * 1e-9);
    putchar('\n');
    return true;
}

/* --- results ----------------------------------------------------------------------------- */

static const tri_array *array_named(tri_run_kernel *kernel, tri_argument_list *arguments, tri_str name)
{
    const tri_argument *argument = tri_run_kernel_find(kernel, arguments, name);
    if (argument && (argument->kind == TRI_ARGUMENT_ARRAY || argument->kind == TRI_ARGUMENT_TABLE))
        return &argument->array;
    tri_diag_error(kernel->unit.diag, TRI_NO_SPAN, 1002, "no array argument '%.*s'", TRI_STR_ARG(name));
    return NULL;
}

static int compare(tri_run_kernel *kernel, tri_argument_list *arguments, const tri_run_opt *opt, const tri_run_pair *pair)
{
    const tri_array *got = array_named(kernel, arguments, pair->name);
    tri_argument want;
    if (!got || !tri_argument_parse(kernel->unit.diag, kernel->unit.arena, pair->value, &want))
        return wrong_usage;
    if (want.kind != TRI_ARGUMENT_ARRAY) {
        tri_diag_error(kernel->unit.diag, TRI_NO_SPAN, 1002, "-expect compares with an array: NAME=@FILE.npy");
        return wrong_usage;
    }
    tri_buf text = {0};
    bool same = tri_array_compare(got, &want.array, opt->rtol, opt->atol, &text);
    if (!same)
        fprintf(stderr, "tritrun: '%.*s': %s", TRI_STR_ARG(pair->name), text.data);
    tri_buf_fini(&text);
    return same ? done : failed;
}

static int finish(tri_run_kernel *kernel, tri_argument_list *arguments, const tri_run_opt *opt)
{
    int status = done;
    for (size_t i = 0; i < opt->prints.len; i++) {
        const tri_array *array = array_named(kernel, arguments, opt->prints.at[i]);
        tri_buf text = {0};
        if (!array)
            return wrong_usage;
        tri_array_print(array, opt->prints.at[i], opt->print_limit, &text);
        print_out(&text);
    }
    for (size_t i = 0; i < opt->outputs.len; i++) {
        const tri_array *array = array_named(kernel, arguments, opt->outputs.at[i].name);
        if (!array)
            return wrong_usage;
        if (!tri_array_write_npy(kernel->unit.diag, opt->outputs.at[i].value, array))
            status = failed;
    }
    for (size_t i = 0; i < opt->expected.len; i++) {
        int one = compare(kernel, arguments, opt, &opt->expected.at[i]);
        status = one > status ? one : status;
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
    kernel->progress = tri_progress_create(tri_str_copy(kernel->unit.arena, kernel->unit.kernels.at[0].name).data);
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
    if (!make_arguments(arena, diag, opt, &arguments))
        return wrong_usage;
    tri_run_kernel kernel;
    int status = failed;
    if (opt->has_check && !check(arena, diag, opt))
        return failed;
    if (tri_run_kernel_create(arena, diag, opt, &arguments, &kernel) && run_kernel(&kernel, opt, opt->has_bench) &&
        tri_run_kernel_fetch(&kernel))
        status = finish(&kernel, &arguments, opt);
    tri_run_kernel_fini(&kernel);
    return status;
}

int main(int argc, char **argv)
{
    tri_file_guard_signals();
    tri_arena *arena = tri_arena_create();
    tri_diag *diag = tri_diag_create();
    tri_diag_set_program(diag, "tritrun");
    tri_run_opt opt;
    int status = wrong_usage;
    if (tri_run_opt_parse(arena, diag, argc, argv, &opt)) {
        tri_buf text = {0};
        status = done;
        if (opt.has_help)
            tri_run_opt_help(&text);
        else if (opt.has_version)
            tri_info_version(&text);
        else if (opt.table.len)
            status = tri_run_opt_table(diag, opt.table, &text) ? done : wrong_usage;
        else
            status = run(arena, diag, &opt);
        print_out(&text);
    }
    fflush(stdout);
    tri_diag_destroy(diag);
    tri_arena_destroy(arena);
    return status;
}
