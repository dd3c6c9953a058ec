/* Loops behind one another go on with the rings of the first: the producer runs ahead into the next one while the
 * consumers end the one in front.
 *
 *     scf.for ... { use(load %a) }      default { scf.for ... ring { wait full[s] ; use(ring[s]) ; arrive empty[s] }
 *     store                                       store
 *     scf.for ... { use(load %b) }  ->            scf.for ... ring { ... } }
 *                                       partition0(...) { scf.for ... ring { wait empty[s] ; copy %a -> ring[s] }
 *                                                         scf.for ... ring { wait empty[s] ; copy %b -> ring[s] } }
 *
 * Between loops of more than two products, as those of attention's gradients, there may be loads and stores; they stay
 * with the consumers. They must not write what the loops behind read, and there are no atomics and barriers, which
 * order programs. What is loaded between for the next loop starts in front of the stores. Not of loops whose threads
 * hold more sums than leave registers for that: what they spill would want the memory that the rings take (128 x 128 by
 * 8 warps on an H200: 3.8 ms before, 5.3 joined). */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/buffers.h"

/* ---- loads ---- */

static bool has_many(const tri_split_plan *p) { return !mlirOperationIsNull(p->anchor); }

/* Whether the loads stand in groups alike, and those of one loop are nowhere larger than those of the other: slots
 * of the larger ones do for both. */
static bool has_like_loads(const tri_split_plan *a, tri_split_plan *b)
{
    bool is_alike = a->loads.len == b->loads.len && a->groups.len == b->groups.len && mlirOperationIsNull(a->dot) &&
                    mlirOperationIsNull(b->dot) && has_many(a) == has_many(b);
    bool fits = true, holds = true;
    for (size_t i = 0; i < a->loads.len && is_alike; i++) {
        is_alike = a->loads.at[i].group == b->loads.at[i].group;
        fits = fits && b->loads.at[i].bytes <= a->loads.at[i].slot_bytes;
        holds = holds && b->loads.at[i].bytes >= a->loads.at[i].slot_bytes;
        b->loads.at[i].place = (int)i;
    }
    return is_alike && (fits || holds);
}

/* Of loops of more than two products, whose loads share a pair of mbarriers: gives each load of the next one the
 * smallest slot that holds its block. False when there are not as many. */
static bool find_places(const tri_split_plan *first, tri_split_plan *next)
{
    bool *is_taken = TRI_NEW_ARRAY(first->arena, bool, first->loads.len);
    if (!has_many(first) || !has_many(next))
        return false;
    for (size_t i = 0; i < next->loads.len; i++) {
        tri_split_load *l = &next->loads.at[i];
        l->place = -1;
        for (size_t k = 0; k < first->loads.len; k++) {
            int64_t bytes = first->loads.at[k].slot_bytes;
            if (!is_taken[k] && l->bytes <= bytes &&
                (l->place < 0 || bytes < first->loads.at[l->place].slot_bytes))
                l->place = (int)k;
        }
        if (l->place < 0)
            return false;
        is_taken[l->place] = true;
    }
    return true;
}

static void share_slots(tri_split_plan *first, const tri_split_plan *next)
{
    for (size_t i = 0; i < next->loads.len; i++) {
        tri_split_load *l = &first->loads.at[next->loads.at[i].place];
        if (next->loads.at[i].bytes > l->slot_bytes) {
            l->slot = next->loads.at[i].buffer;
            l->slot_bytes = next->loads.at[i].bytes;
        }
    }
}

/* ---- what stands between ---- */

typedef struct {
    tri_op_list stay; /* behind the first loop, that itself and loops that were joined before among it */
    tri_op_list move; /* in front of the first loop, for both */
    bool is_apart;    /* with loads and stores between */
} between;

static bool is_in_list(const tri_op_list *list, MlirOperation op)
{
    for (size_t i = 0; i < list->len; i++)
        if (mlirOperationEqual(list->at[i], op))
            return true;
    return false;
}

/* Whether the op, or what is in it, uses what one of the list gives. */
static bool uses_any(tri_arena *arena, MlirOperation op, const tri_op_list *list)
{
    tri_op_list inside = {0};
    tri_op_collect(op, arena, &inside);
    tri_vec_push(arena, &inside, op);
    for (size_t k = 0; k < inside.len; k++)
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(inside.at[k]); i++) {
            MlirOperation def = tri_op_def(tri_op_operand(inside.at[k], i));
            if (!mlirOperationIsNull(def) && is_in_list(list, def))
                return true;
        }
    return false;
}

/* Whether an op with effects may stand behind loads of the next loop that it stood in front of. */
static bool may_follow(const tri_split_plan *next, tri_pointers *pointers, MlirOperation op)
{
    bool is_known = tri_op_in(op, TRI_OPS_ACCESS | TRI_OPS_DESCRIPTOR) || tri_op_is(op, "ttg.local_alloc") ||
                    tri_op_is(op, "ttg.local_load");
    return has_many(next) && is_known && !tri_op_in(op, TRI_OPS_ATOMIC) && !tri_op_flag(op, "isVolatile") &&
           !(tri_op_in(op, TRI_OPS_WRITE) && tri_nest_is_written_by(next, pointers, op));
}

static bool is_scalar(MlirOperation op)
{
    tri_memdesc desc;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirType type = mlirValueGetType(tri_op_result(op, i));
        if (tri_type_is_tensor(type) || tri_type_get_memdesc(type, &desc))
            return false;
    }
    return true;
}

/* Of loops apart only scalars move, which the producer may need: blocks would take registers through the loops. */
static void keep_blocks(tri_arena *arena, between *b, MlirOperation first, MlirOperation last)
{
    tri_op_list moved = b->move;
    b->move = (tri_op_list){0};
    for (MlirOperation op = mlirOperationGetNextInBlock(first); !mlirOperationEqual(op, last);
         op = mlirOperationGetNextInBlock(op)) {
        if (!is_in_list(&moved, op))
            continue;
        if (is_scalar(op) && !uses_any(arena, op, &b->stay))
            tri_vec_push(arena, &b->move, op);
        else
            tri_vec_push(arena, &b->stay, op);
    }
}

/* False when something stands between the loops that cannot stay there, or the second one is not behind the first. */
static bool sort_between(const tri_split_plan *first, const tri_split_plan *next, between *b)
{
    tri_arena *arena = first->arena;
    tri_pointers *pointers = tri_pointers_create(arena);
    tri_vec_push(arena, &b->stay, first->loop);
    MlirOperation op = mlirOperationGetNextInBlock(first->loop), last = next->loop;
    for (; !mlirOperationIsNull(op) && !mlirOperationEqual(op, last); op = mlirOperationGetNextInBlock(op)) {
        if (tri_op_is(op, "scf.for") || tri_buffers_reads_constant(op)) { /* a loop that was joined before */
            tri_vec_push(arena, &b->stay, op);
            continue;
        }
        if (mlirOperationGetNumRegions(op))
            return false;
        bool has_effects = !tri_op_is_pure(op);
        if (has_effects && !may_follow(next, pointers, op))
            return false;
        b->is_apart |= has_effects;
        tri_vec_push(arena, has_effects || uses_any(arena, op, &b->stay) ? &b->stay : &b->move, op);
    }
    if (!mlirOperationIsNull(op) && b->is_apart)
        keep_blocks(arena, b, first->loop, last);
    return !mlirOperationIsNull(op);
}

/* What the producer begins the loop with is known in front of the first loop. */
static bool is_known_before(const tri_split_plan *next, const tri_op_list *stay)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(next->loop); i++) {
        bool is_wanted = i < 3;
        for (size_t k = 0; k < next->inner.carried.len; k++)
            is_wanted = is_wanted || next->inner.carried.at[k] + 3 == i;
        MlirOperation def = tri_op_def(tri_op_operand(next->loop, i));
        if (is_wanted && !mlirOperationIsNull(def) && is_in_list(stay, def))
            return false;
    }
    bool is_known = true;
    MlirOperation op = mlirBlockGetFirstOperation(next->body);
    for (; !mlirOperationIsNull(op) && is_known; op = mlirOperationGetNextInBlock(op))
        if (tri_op_is(op, "tt.descriptor_load") || tri_map_find_ptr(&next->inner.needed, op.ptr))
            is_known = !uses_any(next->arena, op, stay);
    return is_known;
}

/* ---- loads between ---- */

/* Adds the op and what it is made of behind `mark`, in order; false when other than pure ops are among that. */
static bool slice_behind(tri_arena *arena, MlirOperation op, MlirOperation mark, tri_op_list *out)
{
    if (is_in_list(out, op))
        return true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        if (mlirOperationIsNull(def) || !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)) ||
            !tri_op_dominates(mark, def))
            continue;
        if (!tri_op_is_pure(def) || !slice_behind(arena, def, mark, out))
            return false;
    }
    tri_vec_push(arena, out, op);
    return true;
}

/* The buffer that a load fills for products alone; null: it is used otherwise. */
static MlirOperation filled_by(MlirOperation load)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(load, 0));
    MlirOperation user = mlirOpOperandIsNull(use) ? (MlirOperation){NULL} : mlirOpOperandGetOwner(use);
    bool is_alone = !mlirOperationIsNull(user) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) &&
                    tri_op_is(user, "ttg.local_alloc");
    return is_alone ? user : (MlirOperation){NULL};
}

/* Loads behind the last loop in front of this one, when none of the stores there may write what they read: those that
 * fill buffers start in front of all loops, others before the first of the stores. */
static void start_loads(const tri_split_plan *first, const tri_split_plan *next)
{
    tri_arena *arena = next->arena;
    tri_pointers *pointers = tri_pointers_create(arena);
    tri_op_list loads = {0}, stores = {0};
    for (MlirOperation op = tri_op_previous(next->loop); !tri_op_is(op, "scf.for"); op = tri_op_previous(op))
        if (tri_op_in(op, TRI_OPS_WRITE))
            tri_vec_push(arena, &stores, op);
        else if (tri_op_is(op, "tt.load"))
            tri_vec_push(arena, &loads, op);
    for (size_t i = loads.len; i-- > 0 && stores.len;) {
        MlirOperation load = loads.at[i], store = stores.at[stores.len - 1], fill = filled_by(load);
        tri_op_list slice = {0};
        bool may_move = true;
        for (size_t k = 0; k < stores.len && may_move; k++)
            may_move = !tri_nest_may_write(pointers, stores.at[k], load);
        MlirOperation last = mlirOperationIsNull(fill) ? load : fill, to = first->loop;
        if (may_move && !mlirOperationIsNull(fill) && slice_behind(arena, load, to, &slice)) {
            tri_vec_push(arena, &slice, last);
        } else {
            slice = (tri_op_list){0};
            to = store;
            may_move = may_move && tri_op_dominates(store, load) && slice_behind(arena, load, to, &slice);
        }
        for (size_t k = 0; k < slice.len && may_move; k++)
            mlirOperationMoveBefore(slice.at[k], to);
    }
}

bool tri_join_plans(tri_split_plan *first, tri_split_plan *next)
{
    between b = {0};
    if (!mlirBlockEqual(mlirOperationGetBlock(first->loop), mlirOperationGetBlock(next->loop)) ||
        !(has_like_loads(first, next) || find_places(first, next)) || !sort_between(first, next, &b) ||
        !is_known_before(next, &b.stay))
        return false;
    if (b.is_apart && (first->thread_sums > TRI_SPLIT_MOST_SUMS || next->thread_sums > TRI_SPLIT_MOST_SUMS ||
                       !tri_candidate_has_room(first, tri_nest_bytes_of(first, &b.stay))))
        return false;
    for (size_t i = 0; i < b.move.len; i++)
        mlirOperationMoveBefore(b.move.at[i], first->loop);
    if (b.is_apart)
        start_loads(first, next);
    share_slots(first, next);
    first->stages = first->stages < next->stages ? first->stages : next->stages;
    next->stages = first->stages;
    return true;
}
