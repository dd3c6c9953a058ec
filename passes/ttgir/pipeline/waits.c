/* How many groups of asynchronous copies may be pending after each ttg.async_wait: those committed after the
 * one it waits for, on whichever path has fewest. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "base/map.h"

enum { MANY = 1 << 20 };

typedef struct {
    tri_arena *arena;
    bool is_unknown;  /* a token comes from elsewhere */
    tri_map visiting; /* MlirValue.ptr of loop arguments -> the counter itself while on the way */
} counter;

static bool is_commit(MlirOperation op) { return tri_op_is(op, "ttg.async_commit_group"); }

/* Commits in [from, to) of one block; from null: from the start. Those inside regions are not counted. */
static int commits_between(MlirOperation from, MlirOperation to)
{
    int n = 0;
    MlirOperation op = mlirOperationIsNull(from) ? mlirBlockGetFirstOperation(mlirOperationGetBlock(to)) : from;
    for (; !mlirOperationIsNull(op) && !mlirOperationEqual(op, to); op = mlirOperationGetNextInBlock(op))
        n += is_commit(op);
    return n;
}

static int min_int(int a, int b) { return a < b ? a : b; }

/* Groups committed after `token`'s and before `at`. */
static int pending(counter *c, MlirValue token, MlirOperation at)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(token, &block, &index)) {
        MlirOperation def = tri_op_def(token), here = tri_op_ancestor_in(mlirOperationGetBlock(def), at);
        if (!is_commit(def) || mlirOperationIsNull(here)) {
            c->is_unknown = true;
            return 0;
        }
        int inside = mlirOperationEqual(here, at) ? 0 : commits_between((MlirOperation){NULL}, at);
        return inside + commits_between(mlirOperationGetNextInBlock(def), here);
    }
    MlirOperation loop = mlirBlockGetParentOperation(block), here = tri_op_ancestor_in(block, at);
    if (!tri_op_is(loop, "scf.for") || index == 0 || mlirOperationIsNull(here)) {
        c->is_unknown = true;
        return 0;
    }
    if (tri_map_find_ptr(&c->visiting, token.ptr) == c)
        return MANY; /* around the loop again: never the path with fewest */
    tri_map_set_ptr(&c->visiting, token.ptr, c);
    int before = commits_between((MlirOperation){NULL}, here);
    int entry = pending(c, tri_op_operand(loop, 3 + index - 1), loop);
    MlirOperation yield = mlirBlockGetTerminator(block);
    int around = pending(c, tri_op_operand(yield, index - 1), yield);
    tri_map_set_ptr(&c->visiting, token.ptr, &c->visiting);
    return before + min_int(entry, around);
}

/* Whether control flow inside an op may wait or commit: reductions and the like only compute. */
static bool may_branch(MlirOperation op)
{
    return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.if") || tri_op_is(op, "scf.while") ||
           tri_op_is(op, "tt.call") || tri_op_is(op, "ttg.warp_specialize");
}

/* A kind of wait, and what starts something that a later wait of the kind must not be moved in front of. */
typedef struct {
    const char *wait;
    bool (*starts)(MlirOperation op);
} wait_kind;

static bool starts_box(MlirOperation op)
{
    return tri_op_is(op, "amdg.async_tdm_copy_global_to_local") || tri_op_is(op, "amdg.async_tdm_gather") ||
           tri_op_is(op, "amdg.async_tdm_copy_local_to_global") || tri_op_is(op, "amdg.async_tdm_scatter") ||
           tri_op_is(op, "amdg.async_tdm_fused_copy_global_to_local");
}

/* Waits with only harmless ops between them become one. */
static void merge(tri_arena *arena, MlirBlock block, const wait_kind *kind)
{
    MlirOperation first = {NULL}, next;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        if (kind->starts(op) || may_branch(op)) {
            first = (MlirOperation){NULL};
        } else if (tri_op_is(op, kind->wait) && mlirOperationIsNull(first)) {
            first = op;
        } else if (tri_op_is(op, kind->wait)) {
            int num = min_int((int)tri_op_int(first, "num", 0), (int)tri_op_int(op, "num", 0));
            intptr_t have = mlirOperationGetNumOperands(first), more = mlirOperationGetNumOperands(op);
            MlirValue *tokens = TRI_NEW_ARRAY(arena, MlirValue, have + more + 1);
            bool can_merge = true;
            for (intptr_t i = 0; i < have + more; i++) {
                tokens[i] = i < have ? tri_op_operand(first, i) : tri_op_operand(op, i - have);
                MlirOperation def = tri_op_def(tokens[i]);
                can_merge &= mlirOperationIsNull(def) || tri_op_dominates(def, first);
            }
            if (!can_merge) {
                first = op;
                continue;
            }
            mlirOperationSetOperands(first, have + more, tokens);
            tri_builder_set_attr(first, "num", tri_attr_i32(mlirOperationGetContext(op), num));
            MlirValue result = tri_op_result(first, 0);
            tri_op_replace(op, 1, &result);
        }
    }
}

/* In the blocks that some waits are in. */
static void merge_all(tri_arena *arena, const tri_op_list *waits, const wait_kind *kind)
{
    tri_map blocks;
    tri_map_init(&blocks, arena);
    for (size_t i = 0; i < waits->len; i++)
        tri_map_set_ptr(&blocks, mlirOperationGetBlock(waits->at[i]).ptr, mlirOperationGetBlock(waits->at[i]).ptr);
    for (size_t i = 0; i < blocks.len; i++)
        merge(arena, (MlirBlock){(void *)blocks.entries[i].ptr}, kind);
}

void tri_pipeline_waits_run(tri_arena *arena, MlirOperation func, bool keeps_unknown)
{
    tri_op_list waits = {0};
    tri_op_collect_named(func, "ttg.async_wait", arena, &waits);
    for (size_t i = 0; i < waits.len; i++) {
        MlirOperation wait = waits.at[i];
        int num = MANY;
        bool is_unknown = false;
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(wait); k++) {
            counter c = {.arena = arena};
            tri_map_init(&c.visiting, arena);
            num = min_int(num, pending(&c, tri_op_operand(wait, k), wait));
            is_unknown |= c.is_unknown;
        }
        if (num < MANY && !(is_unknown && keeps_unknown))
            tri_builder_set_attr(wait, "num", tri_attr_i32(mlirOperationGetContext(wait), num));
    }
    merge_all(arena, &waits, &(wait_kind){"ttg.async_wait", is_commit});
}

void tri_pipeline_merge_box_waits(tri_arena *arena, MlirOperation func)
{
    tri_op_list waits = {0};
    tri_op_collect_named(func, "amdg.async_tdm_wait", arena, &waits);
    merge_all(arena, &waits, &(wait_kind){"amdg.async_tdm_wait", starts_box});
}
