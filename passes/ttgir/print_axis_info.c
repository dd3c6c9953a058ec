/* Tells what is known of every value, as a remark where it is made:
 *
 *     %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
 *     remark: contiguity = [128], divisibility = [4611686018427387904], constancy = [1], constant_value = <none>
 *
 * Changes nothing. For people who wonder why an access is narrow, and for the tests of
 * ir/analysis/axis_info.h. Answers to test-print-alignment. Test: tests/passes/print-axis-info.mlir */
#include "passes/passes.h"

#include "ir/analysis/axis_info.h"
#include "ir/op.h"

static void add_list(tri_buf *out, const char *name, const int64_t *values, int n)
{
    tri_buf_format(out, "%s = [", name);
    for (int d = 0; d < n; d++)
        tri_buf_format(out, d ? ", %lld" : "%lld", (long long)values[d]);
    tri_buf_add_z(out, "], ");
}

static void describe(const tri_axis *axis, tri_buf *out)
{
    add_list(out, "contiguity", axis->contiguity, axis->rank);
    add_list(out, "divisibility", axis->divisibility, axis->rank);
    add_list(out, "constancy", axis->constancy, axis->rank);
    if (axis->has_constant)
        tri_buf_format(out, "constant_value = %lld", (long long)axis->constant);
    else
        tri_buf_add_z(out, "constant_value = <none>");
}

static bool run_print_axis_info(tri_pass_run *run)
{
    static const char group[] = "axis-info";
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_axis_info *info = tri_axis_info_create(run->arena, module);
    tri_diag *diag = run->unit->diag;
    tri_op_list ops = {0};
    tri_diag_set_remarks(diag, tri_str_from(group));
    tri_op_collect(module, run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        for (intptr_t r = 0; r < mlirOperationGetNumResults(ops.at[i]); r++) {
            tri_buf text = {0};
            describe(tri_axis_info_get(info, tri_op_result(ops.at[i], r)), &text);
            tri_diag_remark(diag, tri_op_span(diag, ops.at[i]), group, "%s", text.data);
            tri_buf_fini(&text);
        }
    return true;
}

const tri_pass tri_pass_print_axis_info = {
    .name = "print-axis-info",
    .help = "tell what is known of the values of integers and pointers",
    .alias = "test-print-alignment",
    .run = run_print_axis_info,
};
