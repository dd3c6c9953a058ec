/* Which loads, reads and writes of a loop a product's operands come from, and what else touches memory there. */
#include "passes/ttgir/block_pingpong/pingpong.h"

#include "base/map.h"
#include "ir/analysis/scratch.h"
#include "passes/analysis/buffers.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/pipeline/pipeline.h"

/* ---- what the operands come from ---- */

/* A walk against the direction of values; around loops, too. */
typedef struct {
    tri_arena *arena;
    const char *wanted; /* where it ends: operations of this name */
    tri_op_list *found;
    tri_map seen; /* operations and block arguments */
} search;

static void add_once(tri_arena *arena, tri_op_list *list, MlirOperation op)
{
    for (size_t i = 0; i < list->len; i++)
        if (mlirOperationEqual(list->at[i], op))
            return;
    tri_vec_push(arena, list, op);
}

static void find_sources(search *s, MlirValue value);

/* What the terminator of its block hands to an argument. */
static void find_around(search *s, MlirBlock block, intptr_t index)
{
    MlirOperation parent = mlirBlockGetParentOperation(block), end = mlirBlockGetTerminator(block);
    index -= tri_op_is(parent, "scf.for");
    if (!mlirOperationIsNull(end) && tri_op_is(end, "scf.yield") && index >= 0)
        find_sources(s, tri_op_operand(end, index));
}

static void find_sources(search *s, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    MlirOperation def = tri_op_def(value);
    const void *key = mlirOperationIsNull(def) ? value.ptr : def.ptr;
    if (tri_map_find_ptr(&s->seen, key))
        return;
    tri_map_set_ptr(&s->seen, key, s);
    if (tri_op_is_block_argument(value, &block, &index)) {
        find_around(s, block, index);
        return;
    }
    if (tri_op_is(def, s->wanted)) {
        add_once(s->arena, s->found, def);
        return;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        find_sources(s, tri_op_operand(def, i));
}

static void find_named(tri_arena *arena, const char *name, MlirValue value, tri_op_list *found)
{
    search s = {.arena = arena, .wanted = name, .found = found};
    tri_map_init(&s.seen, arena);
    find_sources(&s, value);
}

static void find_writes_to(tri_arena *arena, MlirValue buffer, tri_op_list *writes)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (tri_op_is(mlirOpOperandGetOwner(use), "ttg.local_store"))
            add_once(arena, writes, mlirOpOperandGetOwner(use));
}

/* ---- what else there is ---- */

static bool has_op(const tri_op_list *list, MlirOperation op)
{
    for (size_t i = 0; i < list->len; i++)
        if (mlirOperationEqual(list->at[i], op))
            return true;
    return false;
}

static int count_like(MlirBlock block, MlirOperation like)
{
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        count += tri_str_equal(tri_op_name(op), tri_op_name(like));
    return count;
}

/* Operations like `other`, which lies in a conditional, in an iteration: the more of both ways, or where the condition
 * mostly fails, those of the other way. */
static int count_in_branches(MlirOperation branch, MlirOperation other, bool mostly_fails)
{
    int yes = count_like(tri_op_body(branch, 0), other), no = 0;
    MlirRegion otherwise = mlirOperationGetRegion(branch, 1);
    if (!mlirBlockIsNull(mlirRegionGetFirstBlock(otherwise)))
        no = count_like(mlirRegionGetFirstBlock(otherwise), other);
    return mostly_fails || no > yes ? no : yes;
}

/* Leaves in `list` those of `own`; false where others run in each iteration. */
static bool keep(tri_pingpong *p, tri_op_list *list, const tri_op_list *own, bool mostly_fails)
{
    tri_op_list kept = {0};
    for (size_t i = 0; i < list->len; i++) {
        MlirOperation op = list->at[i], parent = mlirOperationGetParentOperation(op);
        if (has_op(own, op))
            tri_vec_push(p->arena, &kept, op);
        else if (!tri_op_is(parent, "scf.if") || mlirOperationEqual(parent, p->loop) ||
                 count_in_branches(parent, op, mostly_fails))
            return false;
    }
    *list = kept;
    return true;
}

static bool tests_equality(MlirOperation branch)
{
    enum { eq = 0 };
    MlirOperation test = tri_op_def(tri_op_operand(branch, 0));
    return !mlirOperationIsNull(test) && tri_op_is(test, "arith.cmpi") && tri_op_int(test, "predicate", -1) == eq;
}

/* A loop over tiles and K at once: a conditional that begins a tile, the product, one that ends it; each is entered
 * once in a tile. */
static bool is_persistent(const tri_pingpong *p)
{
    bool has_branch = false, has_dot = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (tri_op_is(op, "scf.if")) {
            if (has_branch || !tests_equality(op))
                return false;
            has_branch = true;
        } else if (tri_op_is(op, "tt.dot")) {
            if (has_dot || !has_branch)
                return false;
            has_dot = true;
            has_branch = false;
        }
    }
    return has_branch && has_dot;
}

bool tri_pingpong_keep_operands(tri_pingpong *p, MlirOperation dot)
{
    tri_op_list loads = {0}, reads = {0}, writes = {0}, views = {0};
    for (int i = 0; i < 2; i++)
        find_named(p->arena, "ttg.local_load", tri_op_operand(dot, i), &reads);
    for (size_t i = 0; i < reads.len; i++) {
        find_named(p->arena, "ttg.memdesc_index", tri_op_operand(reads.at[i], 0), &views);
        find_writes_to(p->arena, tri_op_operand(reads.at[i], 0), &writes);
    }
    for (size_t i = 0; i < views.len; i++)
        find_writes_to(p->arena, tri_op_result(views.at[i], 0), &writes);
    for (size_t i = 0; i < writes.len; i++)
        find_named(p->arena, "tt.load", tri_op_operand(writes.at[i], 0), &loads);
    bool mostly_fails = is_persistent(p);
    return keep(p, &p->loads, &loads, mostly_fails) && keep(p, &p->reads, &reads, mostly_fails) &&
           keep(p, &p->writes, &writes, mostly_fails);
}

/* ---- what may be ---- */

static bool varies(tri_pingpong *p, MlirValue value, tri_map *seen)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_loops_is_inside(p->loop, value))
        return false;
    if (tri_op_is_block_argument(value, &block, &index))
        return true;
    if (tri_map_find_ptr(seen, value.ptr))
        return false;
    tri_map_set_ptr(seen, value.ptr, p);
    MlirOperation def = tri_op_def(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
        if (varies(p, tri_op_operand(def, i), seen))
            return true;
    return false;
}

bool tri_pingpong_has_varying_mask(tri_pingpong *p)
{
    tri_map seen;
    tri_map_init(&seen, p->arena);
    for (size_t i = 0; i < p->loads.len; i++) {
        MlirValue mask = tri_op_segment_value(p->loads.at[i], 1);
        MlirOperation def = mlirValueIsNull(mask) ? (MlirOperation){NULL} : tri_op_def(mask);
        bool is_one = !mlirOperationIsNull(def) && tri_op_is(def, "tt.splat"); /* for all, as pipelining makes it */
        if (!mlirValueIsNull(mask) && !is_one && varies(p, mask, &seen))
            return true;
    }
    return false;
}

/* Reads memory, or touches nothing but shared memory. */
static bool is_passed_by_loads(MlirOperation op)
{
    static const char *const prefixes[] = {"scf.", "tt.load", "ttg.local_", "ttg.async_", "ttg.barrier", "rocdl."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (tri_str_has_prefix(tri_op_name(op), prefixes[i]))
            return true;
    return !tri_op_has_effects(op);
}

bool tri_pingpong_may_move_loads(tri_pingpong *p)
{
    MlirOperation first = p->loads.at[0], last = p->dots.at[0];
    tri_op_list inside = {0};
    tri_op_collect(p->loop, p->arena, &inside);
    for (size_t i = 0; i < p->reads.len; i++)
        if (mlirOperationIsBeforeInBlock(p->reads.at[i], first))
            first = p->reads.at[i];
    for (size_t i = 0; i < p->loads.len; i++) {
        if (mlirOperationIsBeforeInBlock(p->loads.at[i], first))
            first = p->loads.at[i];
        if (mlirOperationIsBeforeInBlock(last, p->loads.at[i]))
            last = p->loads.at[i];
    }
    for (size_t i = 0; i < inside.len; i++) {
        MlirOperation here = tri_op_ancestor_in(p->body, inside.at[i]);
        if (mlirOperationIsBeforeInBlock(first, here) && mlirOperationIsBeforeInBlock(here, last) &&
            !is_passed_by_loads(inside.at[i]))
            return false;
    }
    return true;
}

/* What a read of the loop gives was written in front of it, in the same iteration: the value written; null: not. */
static MlirValue written_before(tri_pingpong *p, MlirOperation read)
{
    tri_op_list writes = {0};
    MlirValue buffer = tri_op_operand(read, 0), none = {NULL};
    find_writes_to(p->arena, buffer, &writes);
    for (size_t i = 0; i < writes.len; i++)
        if (mlirBlockEqual(mlirOperationGetBlock(writes.at[i]), mlirOperationGetBlock(read)) &&
            mlirOperationIsBeforeInBlock(writes.at[i], read))
            return tri_op_operand(writes.at[i], 0);
    MlirOperation def = tri_op_def(buffer);
    while (!mlirOperationIsNull(def) && tri_buffers_is_view(def))
        def = tri_op_def(tri_op_operand(def, 0));
    bool is_filled = !mlirOperationIsNull(def) && tri_op_is(def, "ttg.local_alloc") &&
                     mlirOperationGetNumOperands(def) == 1 && tri_loops_is_inside(p->loop, tri_op_result(def, 0));
    return is_filled ? tri_op_operand(def, 0) : none;
}

/* Whether threads read what others write in the same iteration. */
static bool hands_over(tri_pingpong *p, MlirOperation read)
{
    tri_linear from, to;
    MlirValue written = written_before(p, read);
    return !mlirValueIsNull(written) &&
           !(tri_dots_linear(p->arena, mlirValueGetType(tri_op_result(read, 0)), &to) &&
             tri_dots_linear(p->arena, mlirValueGetType(written), &from) && tri_linear_equal(&from, &to));
}

bool tri_pingpong_may_be_apart(tri_pingpong *p)
{
    MlirOperation module = p->loop;
    while (!tri_op_is(module, "builtin.module"))
        module = mlirOperationGetParentOperation(module);
    tri_plan_machine machine = tri_scratch_machine(module);
    tri_op_list inside = {0};
    tri_op_collect(p->loop, p->arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        MlirOperation op = inside.at[i];
        if (tri_op_is(op, "tt.call") || tri_scratch_bytes(p->arena, op, &machine) > 0 ||
            (tri_op_is(op, "ttg.local_load") && hands_over(p, op)))
            return false;
    }
    return true;
}
