/* Loops in a loop of the kernel, as persistent kernels have them: their producer walks the outer loop, too, and runs
 * ahead into the next of its iterations while the consumers end this one.
 *
 *     scf.for %tile = ... {                         default { scf.for %tile = ..., ring { scf.for %i = ..., ring {
 *       scf.for %i = ... {                                       wait full[s] ; use(ring[s]) ; arrive empty[s] }
 *         %a = tt.descriptor_load %d[%m, %i]                   store(%tile) } }
 *         use(%a)                            ->     partition0(...) num_warps(1) {
 *       }                                             scf.for %tile = ..., ring { scf.for %i = ..., ring {
 *       store(%tile)                                    wait empty[s] ; copy %d[%m, %i] -> ring[s], full[s] } } }
 *     }
 *
 * What the outer loop does beside the inner ones stays with the consumers. It must not write memory that the inner
 * loops' descriptors read, which the producer reads early, and hold no atomics and barriers, which order programs. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/analysis/pointers.h"
#include "ir/analysis/scratch.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/tensormaps.h"

/* ---- memory ---- */

/* The pointer, or the descriptor that is an argument, through which an access goes; null when it is not known. */
static MlirValue memory_of(tri_pointers *pointers, MlirOperation op)
{
    const char *why;
    MlirValue culprit, from = tri_op_operand(op, 0);
    MlirOperation def = tri_op_def(from);
    if (tri_type_is_desc(mlirValueGetType(from))) {
        if (mlirOperationIsNull(def))
            return from;
        if (!tri_op_is(def, "tt.make_tensor_descriptor"))
            return (MlirValue){NULL};
        from = tri_op_operand(def, 0);
    }
    return tri_pointers_root(pointers, from, &why, &culprit);
}

static bool is_written_by(tri_split_plan *p, tri_pointers *pointers, MlirOperation write)
{
    MlirValue written = memory_of(pointers, write);
    for (size_t i = 0; i < p->loads.len; i++) {
        MlirValue read = memory_of(pointers, p->loads.at[i].load);
        if (mlirValueIsNull(written) || mlirValueIsNull(read) || mlirValueEqual(written, read))
            return true;
    }
    return false;
}

static const char *check_memory(tri_split_plan *p)
{
    tri_op_list inside = {0};
    tri_pointers *pointers = tri_pointers_create(p->arena);
    tri_op_collect(p->outer.loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        MlirOperation op = inside.at[i];
        if (tri_op_in(op, TRI_OPS_ATOMIC | TRI_OPS_BARRIER | TRI_OPS_CALL))
            return "the loop around it has atomics, barriers or calls, behind which loads must stay";
        if (tri_op_in(op, TRI_OPS_WRITE) && is_written_by(p, pointers, op))
            return "the loop around it may write what its loads read";
    }
    return NULL;
}

/* ---- scalars ---- */

/* Marks what of the outer loop the producer needs for one in it. */
static bool mark_outer(tri_split_plan *p, tri_slice *outer)
{
    tri_value_list outside = {0};
    bool is_known = true;
    tri_slice_outside(p->arena, &p->inner, &outside);
    for (size_t i = 0; i < outside.len; i++)
        is_known = tri_slice_needs(p->arena, outer, outside.at[i]) && is_known;
    return is_known;
}

const char *tri_nest_check(tri_split_plan *p)
{
    const char *why = check_memory(p);
    if (!why && !mark_outer(p, &p->outer))
        return "where its loads begin depends on what the loop around it computes, or its descriptors are made there";
    return why;
}

void tri_nest_share(tri_split_plan *plans, size_t count)
{
    for (size_t k = 1; k < count; k++)
        TRI_ASSERT(mark_outer(&plans[k], &plans->outer));
}

/* ---- room ---- */

/* Tiles are stored through descriptors in the layout that they have: their conversions go. */
static bool is_only_stored(MlirOperation op)
{
    if (!tri_op_is(op, "ttg.convert_layout"))
        return false;
    for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (!tri_op_in(mlirOpOperandGetOwner(use), TRI_OPS_DESCRIPTOR))
            return false;
    return true;
}

/* Beside the rings there are, at the same time, buffers through which tiles are stored, one for each kind of tile, and
 * what operations take for themselves. */
int64_t tri_nest_bytes(tri_split_plan *p)
{
    tri_op_list inside = {0};
    TRI_VEC(MlirType) tiles = {0};
    int64_t bytes = 0, scratch = 0;
    tri_plan_machine machine = tri_scratch_machine(mlirModuleGetOperation(p->run->module));
    tri_op_collect(p->outer.loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        MlirOperation op = inside.at[i];
        int64_t own = is_only_stored(op) ? 0 : tri_scratch_bytes(p->arena, op, &machine);
        scratch = own > scratch ? own : scratch;
        if (!tri_op_in(op, TRI_OPS_DESCRIPTOR) || !tri_op_in(op, TRI_OPS_WRITE))
            continue;
        MlirType tile = mlirValueGetType(tri_op_operand(op, tri_op_is(op, "tt.descriptor_scatter") ? 3 : 1));
        tile = tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(op, 0)), tile);
        bool is_known = mlirTypeIsNull(tile);
        for (size_t k = 0; k < tiles.len; k++)
            is_known = is_known || mlirTypeEqual(tiles.at[k], tile);
        tri_memdesc desc;
        if (is_known || !tri_type_get_memdesc(tile, &desc))
            continue;
        int64_t size = tri_type_bits(desc.element) / 8;
        for (int d = 0; d < desc.rank; d++)
            size *= desc.shape[d];
        tri_vec_push(p->arena, &tiles, tile);
        bytes += size;
    }
    return bytes + scratch;
}
