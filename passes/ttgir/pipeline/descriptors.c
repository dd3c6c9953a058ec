/* Descriptors that a loop makes are written to rotating places in memory, as those of earlier iterations may still be
 * in use.
 *
 *     %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one]
 *   becomes, with room for several in front of the loop and a counter through it,
 *     %q = tt.addptr %room, %i * 128
 *     ttng.tensormap_create %q, %p, [box], [%n, %m], [%s * bytes], [1, 1] ; ttng.tensormap_fenceproxy_acquire %q
 *     %d = ttng.reinterpret_tensor_descriptor %q ; %i = next(%i)
 *
 * The numbers of ttng.tensormap_create are those of CUDA's cuTensorMapEncodeTiled. */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/analysis/tensormaps.h"

static bool can_lower(tri_arena *arena, MlirOperation loop, MlirOperation op)
{
    if (!tri_tensormaps_can_hold(arena, mlirValueGetType(tri_op_result(op, 0))))
        return false;
    /* the counter comes out of conditionals, which need both branches; other regions are not looked into */
    for (op = mlirOperationGetParentOperation(op); !mlirOperationEqual(op, loop);
         op = mlirOperationGetParentOperation(op))
        if (!tri_op_is(op, "scf.if") || mlirBlockIsNull(tri_op_body(op, 1)))
            return false;
    return true;
}

/* ---- rewriters ---- */

static MlirValue placed(MlirValue value, const tri_place *place)
{
    return place ? tri_pipeline_placed(value, *place) : value;
}

static MlirValue i32_const(tri_builder *b, const tri_place *place, int64_t value)
{
    return placed(tri_builder_int(b, mlirIntegerTypeGet(b->context, 32), value), place);
}

static void place_op(void *place, MlirOperation made)
{
    if (place)
        tri_pipeline_placed_op(made, *(const tri_place *)place);
}

/* Lets the new value of a counter reach the end of the loop body, out of the conditionals around it. */
static MlirValue lift(tri_arena *arena, MlirBlock body, MlirValue counter, MlirValue next)
{
    MlirBlock block = mlirOperationGetBlock(tri_op_def(next));
    while (!mlirBlockEqual(block, body)) {
        MlirOperation branch = mlirBlockGetParentOperation(block);
        int region = mlirBlockEqual(tri_op_body(branch, 0), block) ? 0 : 1;
        MlirType type = mlirValueGetType(next);
        branch = tri_loops_add_if_results(arena, branch, 1, &type);
        for (int r = 0; r < 2; r++)
            tri_loops_append_yield(arena, tri_loops_yield(branch, r), 1, r == region ? &next : &counter);
        next = tri_op_result(branch, mlirOperationGetNumResults(branch) - 1);
        block = mlirOperationGetBlock(branch);
    }
    return next;
}

static MlirOperation rewrite_descriptors(tri_arena *arena, MlirOperation loop, MlirOperation op, int copies)
{
    tri_builder b = tri_builder_before(loop);
    MlirType i32 = mlirIntegerTypeGet(b.context, 32), byte_ptr = tri_type_ptr(mlirIntegerTypeGet(b.context, 8), 1);
    tri_attr attrs[] = {{"alignment", tri_attr_i32(b.context, TRI_TENSORMAP_BYTES)},
                        {"nbytes", tri_attr_i32(b.context, copies * TRI_TENSORMAP_BYTES)}};
    MlirValue room = tri_builder_value(&b, &(tri_op){.name = "ttg.global_scratch_alloc", .num_results = 1,
                                                     .results = &byte_ptr, .num_attrs = 2, .attrs = attrs});
    MlirValue zero = tri_builder_int(&b, i32, 0), one = tri_builder_int(&b, i32, 1);
    MlirValue limit = tri_builder_int(&b, i32, copies);
    loop = tri_loops_add_iter_args(arena, loop, 1, &zero);
    MlirBlock body = tri_op_body(loop, 0);
    MlirValue counter = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
    tri_place at = tri_pipeline_place_of(op);
    const tri_place *place = tri_pipeline_has_place(op) ? &at : NULL;
    b = tri_builder_before(op);
    MlirValue size = i32_const(&b, place, TRI_TENSORMAP_BYTES);
    MlirValue offset = placed(tri_builder_binary(&b, "arith.muli", i32, counter, size), place);
    MlirValue ptr = placed(tri_builder_binary(&b, "tt.addptr", byte_ptr, room, offset), place);
    MlirValue desc = tri_tensormaps_make(arena, &b, op, ptr, place_op, place ? &at : NULL);
    tri_lowering l = {.loop = loop, .body = body, .zero = zero, .one = one};
    tri_place none = {-1, -1};
    MlirValue next = tri_pipeline_next_index(&l, &b, place ? *place : none, counter, limit, NULL);
    tri_op_replace(op, 1, &desc);
    next = lift(arena, body, counter, next);
    tri_loops_append_yield(arena, mlirBlockGetTerminator(body), 1, &next);
    return loop;
}

MlirOperation tri_pipeline_descriptors_run(tri_arena *arena, MlirOperation loop, int copies)
{
    tri_op_list made = {0}, dots = {0};
    tri_op_collect_named(loop, "tt.make_tensor_descriptor", arena, &made);
    if (made.len == 0)
        return loop;
    tri_op_collect_named(loop, "ttng.warp_group_dot", arena, &dots);
    for (size_t i = 0; i < made.len; i++)
        if (can_lower(arena, loop, made.at[i]))
            loop = rewrite_descriptors(arena, loop, made.at[i], copies + (dots.len > 0));
    return loop;
}
