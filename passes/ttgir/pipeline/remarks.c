/* Remarks of group "pipeline": loops whose loads are made ahead, and why others are not. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "ir/type.h"

static tri_diag *diag_of(const tri_pipeline *p) { return p->run->unit->diag; }

static bool has_latency(MlirOperation op) { return !mlirAttributeIsNull(tri_op_attr(op, "tt.latency")); }

static bool is_load(MlirOperation op)
{
    return tri_op_is(op, "tt.load") && tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0)));
}

static bool is_product(MlirOperation op)
{
    return tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled") || tri_op_is(op, "ttng.warp_group_dot");
}

/* Why a load of a loop that may be pipelined stays where it is. */
static void missed_load(const tri_pipeline *p, MlirOperation loop, MlirOperation load, bool has_product)
{
    bool is_asked = !mlirAttributeIsNull(tri_op_attr(loop, "tt.num_stages"));
    tri_span at = tri_op_span(diag_of(p), load);
    static const char stays[] = "the load stays in its iteration";
    if (tri_op_flag(load, "isVolatile")) {
        tri_diag_missed(diag_of(p), at, "pipeline", "%s: it is volatile; without that it may be made ahead", stays);
        return;
    }
    MlirType buffer = tri_pipeline_buffer_type(p, load);
    int bytes = mlirTypeIsNull(buffer) ? 0 : tri_pipeline_copy_bytes(p, load, buffer);
    if (mlirTypeIsNull(buffer))
        tri_diag_missed(diag_of(p), at, "pipeline",
                        "%s: its users want different layouts, or none in shared memory; a load of its own for each"
                        " use mends that",
                        stays);
    else if (bytes < 4)
        tri_diag_missed(diag_of(p), at, "pipeline",
                        "%s: threads would copy %d bytes at a time; asynchronous copies take 4, 8 or 16 "
                        "(-Rpass-missed=memory says why accesses are narrow)",
                        stays, bytes);
    else
        tri_diag_missed(diag_of(p), at, "pipeline", "%s: %s", stays,
                        is_asked ? "it is needed at several distances, or there are too few stages"
                        : has_product
                            ? "no product needs it at one distance, or there are too few stages; a loop that asks for"
                              " stages (tl.range(..., num_stages=N)) gets them for other loads, too"
                            : "the loop asks for no stages (tl.range(..., num_stages=N)) and has no product");
}

void tri_pipeline_remark_while(tri_pass_run *run, MlirOperation loop)
{
    tri_op_list inside = {0};
    tri_op_collect(loop, run->arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        if (is_load(inside.at[i])) {
            tri_diag_missed(
                run->unit->diag, tri_op_span(run->unit->diag, loop), "pipeline",
                "not pipelined: how often a while loop runs is not known before it; a for over tl.range() can"
                " be, where the count is computed first");
            return;
        }
}

void tri_pipeline_remark(const tri_pipeline *p, MlirOperation loop, int64_t stages)
{
    tri_op_list loads = {0};
    bool has_product = false, has_loop = false, is_simple = tri_pipeline_is_simple(p->arena, loop);
    int ahead = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (is_load(op))
            tri_vec_push(p->arena, &loads, op);
        has_product = has_product || is_product(op);
        has_loop = has_loop || tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while");
        ahead += has_latency(op);
    }
    if (!loads.len && !ahead)
        return;
    tri_span at = tri_op_span(diag_of(p), loop);
    if (!ahead && stages <= 1)
        tri_diag_missed(diag_of(p), at, "pipeline",
                        "not pipelined: it has one stage; num_stages=2 or more, of the kernel or of tl.range(), makes"
                        " loads ahead");
    else if (!ahead && has_loop)
        tri_diag_missed(diag_of(p), at, "pipeline",
                        "not pipelined: there is another loop in it; tl.range(..., flatten=True) makes one of the two");
    else if (!ahead && !is_simple)
        tri_diag_missed(diag_of(p), at, "pipeline",
                        "not pipelined: what it carries is older than one iteration; computed from the loop's index it"
                        " is not");
    else if (!ahead) /* else the scheduler has the last word */
        tri_diag_missed(diag_of(p), at, "pipeline", "not pipelined: no load of it can be made ahead; each says why");
    for (size_t i = 0; i < loads.len; i++)
        if (!has_latency(loads.at[i]) && stages > 1 && is_simple)
            missed_load(p, loop, loads.at[i], has_product);
}

int tri_pipeline_count_ahead(MlirOperation loop)
{
    int ahead = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(loop, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        ahead += has_latency(op);
    return ahead;
}

void tri_pipeline_remark_scheduled(tri_pass_run *run, MlirOperation loop, int64_t stages, int ahead,
                                   const char *why_not)
{
    tri_diag *diag = run->unit->diag;
    if (!ahead)
        return;
    if (why_not)
        tri_diag_missed(diag, tri_op_span(diag, loop), "pipeline", "not pipelined: %s", why_not);
    else
        tri_diag_remark(diag, tri_op_span(diag, loop), "pipeline",
                        "pipelined with %lld stages: %d load%s made ahead", (long long)stages, ahead,
                        ahead == 1 ? " is" : "s are");
}
