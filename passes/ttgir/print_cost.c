/* Tells, as a remark at each kernel, how long a launch of it takes by the cost model (passes/analysis/cost.h):
 *
 *     remark: 42.1 us for 4096 programs, 2 on a multiprocessor: products 40.0, latency 31.2, memory 12.9, ...
 *
 * Changes nothing. Test: tests/passes/print-cost.mlir */
#include "passes/passes.h"

#include "passes/analysis/cost.h"

/* "M:8192;N:4096;128" */
static size_t read_arguments(tri_str text, tri_cost_value *out)
{
    size_t count = 0;
    while (text.len && count < TRI_COST_MAX_VALUES)
        count += tri_cost_take_value(&text, ';', ':', &out[count]);
    return count;
}

/* "64x128" */
static void read_sizes(tri_str text, tri_cost_launch *launch)
{
    for (int axis = 0; axis < 3 && text.len; axis++) {
        size_t end = tri_str_find(text, 'x');
        launch->has_grid = tri_str_to_i64(tri_str_sub(text, 0, end), &launch->grid[axis]) && launch->grid[axis] > 0;
        text = tri_str_sub(text, end + (end < text.len), text.len);
    }
}

static void print_kernel(tri_pass_run *run, MlirOperation func)
{
    tri_kernel kernel;
    tri_cost_value values[TRI_COST_MAX_VALUES];
    tri_cost_launch launch;
    tri_cost cost;
    tri_buf text = {0};
    tri_cost_kernel_of(run->arena, func, &kernel);
    size_t count = read_arguments(tri_passes_option_str(run, "values", ""), values);
    tri_cost_launch_of(func, &kernel, count, values, &launch);
    read_sizes(tri_passes_option_str(run, "grid", ""), &launch);
    if (!tri_cost_estimate(run->arena, func, &launch, &cost)) {
        tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, func), "cost",
                        "the speed of the machine is not known");
        return;
    }
    tri_cost_print(&cost, &text);
    tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, func), "cost", "%.*s",
                    TRI_STR_ARG(tri_buf_str(&text)));
    tri_buf_fini(&text);
}

static bool run_print_cost(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_diag_set_remarks(run->unit->diag, TRI_STR("cost"));
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_op_is_kernel(funcs.at[i]))
            print_kernel(run, funcs.at[i]);
    return true;
}

const tri_pass tri_pass_print_cost = {
    .name = "print-cost",
    .help = "tell how long a launch takes by the cost model",
    .options = (const char *const[]){"values: of integer arguments, NAME:VALUE;NAME:VALUE; a number is of all others",
                                     "grid: of the launch, 64x16, where the kernel's facts have none", NULL},
    .run = run_print_cost,
};
