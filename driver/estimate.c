#include "driver/estimate.h"

#include "ir/builder.h"
#include "passes/analysis/cost.h"
#include "targets/facts.h"

bool tri_estimate_check(tri_str text)
{
    tri_cost_value value;
    size_t count = 0;
    while (text.len)
        if (!tri_cost_take_value(&text, ',', '=', &value) || ++count > TRI_COST_MAX_VALUES)
            return false;
    return true;
}

static int64_t to_ns(const tri_cost *cost) { return (int64_t)(cost->microseconds * 1000) + 1; }

static size_t read_values(tri_str text, tri_cost_value *out)
{
    size_t count = 0;
    while (text.len && count < TRI_COST_MAX_VALUES && tri_cost_take_value(&text, ',', '=', &out[count]))
        count++;
    return count;
}

static bool estimate_kernel(tri_unit *unit, MlirOperation func, tri_str text, tri_kernel *kernel, tri_cost *out)
{
    tri_cost_value values[TRI_COST_MAX_VALUES];
    size_t count = read_values(text, values);
    tri_cost_kernel_of(unit->arena, func, kernel);
    return tri_cost_of_kernel(unit->arena, func, kernel, count, values, out);
}

static void find_estimated(tri_unit *unit, tri_op_list *out)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(unit->module), "tt.func", unit->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++)
        if (tri_op_is_kernel(funcs.at[i]))
            tri_vec_push(unit->arena, out, funcs.at[i]);
}

int64_t tri_estimate_sum(tri_unit *unit, tri_str values)
{
    tri_op_list kernels = {0};
    int64_t sum = 0;
    find_estimated(unit, &kernels);
    for (size_t i = 0; i < kernels.len; i++) {
        tri_kernel kernel;
        tri_cost cost;
        if (!estimate_kernel(unit, kernels.at[i], values, &kernel, &cost))
            return 0;
        sum += to_ns(&cost);
    }
    return sum;
}

static void keep_estimate(tri_unit *unit, MlirOperation func, tri_kernel *kernel, int64_t ns)
{
    tri_kernel *known = tri_facts_known_kernel(unit, tri_op_symbol(func));
    kernel->expected_ns = ns;
    if (known)
        known->expected_ns = ns;
    if (!mlirAttributeIsNull(tri_op_attr(func, "tritcc.kernel")))
        tri_builder_set_attr(func, "tritcc.kernel", tri_kernel_to_attr(mlirOperationGetContext(func), kernel));
}

void tri_estimate_note(tri_session *session, tri_unit *unit)
{
    tri_op_list kernels = {0};
    tri_buf text = {0};
    find_estimated(unit, &kernels);
    for (size_t i = 0; i < kernels.len; i++) {
        tri_kernel kernel;
        tri_cost cost;
        bool is_known = estimate_kernel(unit, kernels.at[i], session->opt->launch_values, &kernel, &cost);
        tri_buf_format(&text, "%.*s, %s: ", TRI_STR_ARG(kernel.name), unit->arch->name);
        if (is_known) {
            tri_cost_print(&cost, &text);
            keep_estimate(unit, kernels.at[i], &kernel, to_ns(&cost));
            session->expected_ns += to_ns(&cost);
        } else {
            tri_buf_add_z(&text, "nothing is estimated for this target");
        }
        tri_buf_add_z(&text, "\n");
    }
    if (session->opt->estimate)
        tri_diag_write(unit->diag, tri_buf_str(&text));
    tri_buf_fini(&text);
}
