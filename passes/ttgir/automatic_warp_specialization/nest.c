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
 * Loads of the outer loop itself, as of attention's queries, have a ring of their own. What else the outer loop does
 * beside the inner ones stays with the consumers. It must not write memory that the inner
 * loops' descriptors read, which the producer reads early, and hold no atomics and barriers, which order programs. */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/analysis/pointers.h"
#include "ir/analysis/scratch.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/tensormaps.h"

enum { BOX_BYTES = 128, BOX_ALIGNMENT = 1024 };

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

bool tri_nest_may_write(tri_pointers *pointers, MlirOperation write, MlirOperation load)
{
    MlirValue written = memory_of(pointers, write), read = memory_of(pointers, load);
    return mlirValueIsNull(written) || mlirValueIsNull(read) || mlirValueEqual(written, read);
}

bool tri_nest_is_written_by(const tri_split_plan *p, tri_pointers *pointers, MlirOperation write)
{
    for (size_t i = 0; i < p->loads.len; i++)
        if (tri_nest_may_write(pointers, write, p->loads.at[i].load))
            return true;
    return false;
}

/* Whether the outer loop may write what one of its loads reads. */
static bool is_written(tri_split_plan *p, MlirOperation load)
{
    tri_op_list inside = {0};
    tri_pointers *pointers = tri_pointers_create(p->arena);
    tri_op_collect(p->outer.loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++)
        if (tri_op_in(inside.at[i], TRI_OPS_WRITE) && tri_nest_may_write(pointers, inside.at[i], load))
            return true;
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
        if (tri_op_in(op, TRI_OPS_WRITE) && tri_nest_is_written_by(p, pointers, op))
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

/* ---- loads of the outer loop itself ---- */

static bool is_buffer_view(MlirOperation op)
{
    return tri_op_is(op, "ttg.local_alloc") || tri_op_is(op, "ttg.memdesc_trans") ||
           tri_op_is(op, "ttg.memdesc_reshape") || tri_op_is(op, "ttg.memdesc_subslice");
}

/* Finds the op of the outer loop that reads the value last, through views; false where it goes round, or nobody reads
 * it. */
static bool find_last(tri_split_plan *p, MlirValue value, MlirOperation *last)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation owner = mlirOpOperandGetOwner(use), user = tri_op_ancestor_in(p->outer.body, owner);
        if (mlirOperationIsNull(user) || tri_op_is(owner, "scf.yield"))
            return false;
        if (is_buffer_view(owner)) {
            if (!find_last(p, tri_op_result(owner, 0), last))
                return false;
        } else if (mlirOperationIsNull(*last) || tri_op_dominates(*last, user)) {
            *last = user;
        }
    }
    return !mlirOperationIsNull(*last);
}

static bool can_start(tri_split_plan *p, MlirOperation load)
{
    tri_slice trial;
    bool is_known = true;
    tri_slice_init(p->arena, &trial, p->outer.loop);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(load); i++)
        is_known = is_known && tri_slice_needs(p->arena, &trial, tri_op_operand(load, i));
    return is_known && !is_written(p, load);
}

/* Those in front of the loop: the producer comes to the others only behind it. Products that run on behind their loop
 * (anchor) would still read what is given back there. */
void tri_nest_find_around(tri_split_plan *p)
{
    if (!mlirOperationIsNull(p->anchor))
        return;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->outer.body); !mlirOperationEqual(op, p->loop);
         op = mlirOperationGetNextInBlock(op)) {
        MlirOperation last = p->around_group.last;
        if (!tri_op_is(op, "tt.descriptor_load") || !can_start(p, op) || !find_last(p, tri_op_result(op, 0), &last))
            continue;
        MlirType tensor = mlirValueGetType(tri_op_result(op, 0));
        tri_split_load l = {.load = op,
                            .buffer = tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(op, 0)), tensor)};
        l.slot = l.buffer;
        l.bytes = l.slot_bytes = tri_type_num_elements(tensor) * tri_type_bits(tri_type_element(tensor)) / 8;
        if (mlirTypeIsNull(l.buffer) || l.bytes % BOX_BYTES)
            continue;
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            tri_slice_needs(p->arena, &p->outer, tri_op_operand(op, i));
        p->around_group.last = last;
        p->around_group.bytes += l.bytes;
        tri_vec_push(p->arena, &p->around, l);
    }
    p->outer.has_loads = p->around.len > 0;
}

int64_t tri_nest_around_bytes(const tri_split_plan *p)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < p->around.len; i++)
        bytes += (p->around.at[i].bytes + BOX_ALIGNMENT - 1) / BOX_ALIGNMENT * BOX_ALIGNMENT;
    return bytes;
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
int64_t tri_nest_bytes_of(tri_split_plan *p, const tri_op_list *ops)
{
    TRI_VEC(MlirType) tiles = {0};
    int64_t bytes = 0, scratch = 0;
    tri_plan_machine machine = tri_scratch_machine(mlirModuleGetOperation(p->run->module));
    for (size_t i = 0; i < ops->len; i++) {
        MlirOperation op = ops->at[i];
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

int64_t tri_nest_bytes(tri_split_plan *p)
{
    tri_op_list inside = {0};
    tri_op_collect(p->outer.loop, p->arena, &inside);
    return tri_nest_bytes_of(p, &inside);
}
