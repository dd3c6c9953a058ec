/* Tells between what numbers every integer lies, as remarks where it is made:
 *
 *     %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
 *     remark: unsigned : [0, 127] signed : [0, 127]
 *     remark: non-neg
 *
 * of comparisons whether they always hold, of loops how often they run at most, the loops around them counted. Changes
 * nothing. For people who wonder why an access is no buffer operation, and for the tests of ir/analysis/ranges.h.
 * Answers to test-tritonamdgpu-range-analysis. Test: tests/passes/print-ranges.mlir */
#include "passes/passes.h"

#include "ir/analysis/ranges.h"
#include "ir/location.h"
#include "ir/op.h"
#include "ir/type.h"

static const char group[] = "ranges";

/* 0: not an integer that is analysed. */
static unsigned integer_bits(MlirValue value)
{
    MlirType type = tri_type_element(mlirValueGetType(value));
    return mlirTypeIsAIndex(type) ? 64 : mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 0;
}

/* `prefix` names one of several. */
static void tell_range(tri_diag *diag, tri_ranges *ranges, MlirValue value, tri_span span, const char *prefix)
{
    unsigned bits = integer_bits(value);
    if (!bits || bits > 64)
        return;
    tri_range r = tri_ranges_of(ranges, value);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, low = 0, high = all;
    if (bits == 1 && r.low == r.high && r.low) /* true is -1 */
        r = (tri_range){-1, -1};
    if ((r.low < 0) == (r.high < 0)) {
        low = (uint64_t)r.low & all;
        high = (uint64_t)r.high & all;
    }
    tri_diag_remark(diag, span, group, "%sunsigned : [%llu, %llu] signed : [%lld, %lld]", prefix,
                    (unsigned long long)low, (unsigned long long)high, (long long)r.low, (long long)r.high);
    if (r.low >= 0)
        tri_diag_remark(diag, span, group, "%snon-neg", prefix);
}

static int64_t all_trips(tri_ranges *ranges, MlirOperation loop)
{
    __int128 trips = 1;
    for (; !mlirOperationIsNull(loop); loop = mlirOperationGetParentOperation(loop))
        if (tri_op_is(loop, "scf.for"))
            trips *= tri_ranges_trips(ranges, loop);
    return trips > INT64_MAX ? INT64_MAX : (int64_t)trips;
}

static void tell_operation(tri_pass_run *run, tri_ranges *ranges, MlirOperation op)
{
    tri_diag *diag = run->unit->diag;
    tri_span span = tri_op_span(diag, op);
    intptr_t count = mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < count; i++)
        tell_range(diag, ranges, tri_op_result(op, i), span,
                   count > 1 ? tri_str_format(run->arena, "result %d: ", (int)i).data : "");
    if (tri_op_is(op, "arith.cmpi") && tri_ranges_compare(ranges, op) >= 0)
        tri_diag_remark(diag, span, group, "result is %s", tri_ranges_compare(ranges, op) ? "true" : "false");
    if (tri_op_is(op, "scf.for"))
        tri_diag_remark(diag, span, group, "inferred total trip count: %lld", (long long)all_trips(ranges, op));
    if (!tri_op_is(op, "tt.func"))
        return;
    MlirBlock body = tri_op_body(op, 0);
    intptr_t arguments = mlirBlockIsNull(body) ? 0 : mlirBlockGetNumArguments(body);
    for (intptr_t i = 0; i < arguments; i++)
        tell_range(diag, ranges, mlirBlockGetArgument(body, i),
                   tri_location_span(diag, mlirValueGetLocation(mlirBlockGetArgument(body, i))),
                   arguments > 1 ? tri_str_format(run->arena, "arg %d: ", (int)i).data : "");
}

static bool run_print_ranges(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_ranges *ranges = tri_ranges_create(run->arena, module);
    tri_op_list ops = {0};
    tri_diag_set_remarks(run->unit->diag, tri_str_from(group));
    tri_op_collect(module, run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        tell_operation(run, ranges, ops.at[i]);
    return true;
}

const tri_pass tri_pass_print_ranges = {
    .name = "print-ranges",
    .help = "tell between what numbers integers lie",
    .alias = "test-tritonamdgpu-range-analysis",
    .run = run_print_ranges,
};
