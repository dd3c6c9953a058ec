/* Follows the token of a buffer, which has one use at a time: in each branch of a conditional one, else one. */
#include "passes/ttgir/insert_tmem_aref/path.h"

#include "base/map.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

enum { MISFIT = 5014 };

typedef struct {
    tri_arena *arena;
    tri_diag *diag;
    MlirOperation alloc;
    tri_map seen; /* operations of the path */
} path_reader;

static bool refuse_path(const path_reader *r, MlirOperation op, const char *why)
{
    tri_op_error(r->diag, op, MISFIT, "cannot be shared by partitions: %s", why);
    return false;
}

/* ---- whose it is ---- */

MlirAttribute tri_path_tag_of(MlirBlock block)
{
    MlirOperation op = mlirBlockGetParentOperation(block);
    while (!mlirOperationIsNull(op) && mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_TAG)))
        op = mlirOperationGetParentOperation(op);
    return mlirOperationIsNull(op) ? (MlirAttribute){NULL} : tri_op_attr(op, TRI_PARTITIONS_TAG);
}

MlirOperation tri_path_shared_loop(MlirOperation op)
{
    MlirOperation found = {NULL};
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (tri_op_flag(op, "tt.warp_specialize"))
            found = op;
    return found;
}

static MlirAttribute tag_at(MlirOperation op)
{
    MlirAttribute own = tri_op_attr(op, TRI_PARTITIONS_TAG);
    return mlirAttributeIsNull(own) ? tri_path_tag_of(mlirOperationGetBlock(op)) : own;
}

bool tri_path_owner_of(tri_diag *diag, MlirOperation op, tmem_owner *out_owner)
{
    *out_owner = (tmem_owner){0};
    if (mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)))
        return true;
    *out_owner = (tmem_owner){tri_partitions_of(op), tag_at(op)};
    if (__builtin_popcountll(out_owner->partition) == 1)
        return true;
    tri_op_error(diag, op, MISFIT, "is of several partitions, of which one must access tensor memory");
    return false;
}

static tmem_owner first_owner(const tmem_path *path)
{
    for (size_t i = 0; i < path->len; i++) {
        if (path->at[i].owner.partition)
            return path->at[i].owner;
        for (int k = 0; k < 2; k++)
            if (first_owner(&path->at[i].inner[k]).partition)
                return first_owner(&path->at[i].inner[k]);
    }
    return (tmem_owner){0};
}

/* A loop's or a conditional's: who has the token that it gives, else who has it first in there. */
static void find_region_owner(tmem_step *step)
{
    uint64_t partitions = mlirAttributeIsNull(tri_op_attr(step->op, TRI_PARTITIONS_OF))
                              ? 0
                              : tri_partitions_of_result(step->op, step->result);
    if (__builtin_popcountll(partitions) == 1)
        step->owner = (tmem_owner){partitions, tag_at(step->op)};
    for (int k = 0; k < 2 && !step->owner.partition; k++)
        step->owner = first_owner(&step->inner[k]);
    for (int k = 0; k < 2; k++)
        if (step->inner[k].len)
            tri_vec_last(&step->inner[k]).owner = step->owner;
}

/* ---- steps ---- */

/* Who has a token next in a block, itself or inside of it; null: nobody. False after a report. */
static bool next_in(const path_reader *r, MlirBlock block, MlirValue token, MlirOperation *out_op,
                    intptr_t *out_operand)
{
    *out_op = (MlirOperation){NULL};
    MlirOpOperand use = mlirValueGetFirstUse(token);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use), top = tri_op_ancestor_in(block, op);
        if (mlirOperationIsNull(top))
            continue;
        bool is_own = mlirOperationEqual(top, op);
        if (!is_own && !tri_op_is(top, "scf.if"))
            return refuse_path(r, op, "its token does not come by what the loop carries");
        if (!mlirOperationIsNull(*out_op) && (is_own || !mlirOperationEqual(*out_op, top)))
            return refuse_path(r, op, "its token is used twice");
        *out_op = top;
        *out_operand = is_own ? (intptr_t)mlirOpOperandGetOperandNumber(use) : -1;
    }
    return true;
}

static bool follow_token(path_reader *r, MlirBlock block, MlirValue token, tmem_path *path);

/* Reads what a block does with a token that it must end with; the place among what it yields. */
static bool follow_block(path_reader *r, MlirOperation op, MlirBlock block, MlirValue token, tmem_path *path,
                         intptr_t *out_place)
{
    if (!follow_token(r, block, token, path))
        return false;
    if (!path->len || !tri_op_is(tri_vec_last(path).op, "scf.yield"))
        return refuse_path(r, op, "its token ends in there");
    *out_place = tri_vec_last(path).operand;
    return true;
}

static bool follow_if(path_reader *r, tmem_step *step, MlirValue token)
{
    intptr_t other;
    if (mlirBlockIsNull(tri_op_body(step->op, 1)))
        return refuse_path(r, step->op, "its token ends in there");
    if (!follow_block(r, step->op, tri_op_body(step->op, 0), token, &step->inner[0], &step->result) ||
        !follow_block(r, step->op, tri_op_body(step->op, 1), token, &step->inner[1], &other))
        return false;
    return step->result == other || refuse_path(r, step->op, "its token leaves the branches at two places");
}

static bool follow_loop(path_reader *r, tmem_step *step)
{
    bool is_for = tri_op_is(step->op, "scf.for");
    intptr_t place = step->operand - (is_for ? 3 : 0);
    MlirBlock body = tri_op_body(step->op, is_for ? 0 : 1);
    if (!is_for) {
        MlirBlock before = tri_op_body(step->op, 0);
        MlirOpOperand use = mlirValueGetFirstUse(mlirBlockGetArgument(before, place));
        if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
            !tri_op_is(mlirOpOperandGetOwner(use), "scf.condition") || mlirOpOperandGetOperandNumber(use) != place + 1)
            return refuse_path(r, step->op, "its token is not handed through the loop's condition");
    }
    if (!follow_block(r, step->op, body, mlirBlockGetArgument(body, place + is_for), &step->inner[0], &step->result))
        return false;
    return step->result == place || refuse_path(r, step->op, "the loop carries its token to another place");
}

static bool is_access(MlirOperation op)
{
    return tri_op_is(op, "ttng.tmem_load") || tri_op_is(op, "ttng.tmem_store") ||
           tri_op_is(op, "ttng.tc_gen5_mma") || tri_op_is(op, "ttng.tc_gen5_mma_scaled");
}

/* Reads one step; its new token, null: there is none. */
static bool read_step(path_reader *r, tmem_step *step, MlirValue token, MlirValue *out_token)
{
    *out_token = (MlirValue){NULL};
    step->result = -1;
    if (tri_op_is(step->op, "scf.yield"))
        return true;
    if (is_access(step->op)) {
        for (intptr_t i = 0; i < mlirOperationGetNumResults(step->op); i++)
            if (tri_type_is_async_token(mlirValueGetType(tri_op_result(step->op, i))))
                *out_token = tri_op_result(step->op, i);
        return tri_path_owner_of(r->diag, step->op, &step->owner);
    }
    bool is_if = tri_op_is(step->op, "scf.if");
    if (!is_if && !tri_op_is(step->op, "scf.for") && !tri_op_is(step->op, "scf.while"))
        return refuse_path(r, step->op, "its token goes to an operation that is no access");
    if (is_if ? !follow_if(r, step, token) : !follow_loop(r, step))
        return false;
    find_region_owner(step);
    *out_token = tri_op_result(step->op, step->result);
    return true;
}

static bool follow_token(path_reader *r, MlirBlock block, MlirValue token, tmem_path *path)
{
    while (!mlirValueIsNull(token)) {
        tmem_step step = {0};
        if (!next_in(r, block, token, &step.op, &step.operand))
            return false;
        if (mlirOperationIsNull(step.op))
            return true;
        tri_map_set_ptr(&r->seen, step.op.ptr, r);
        if (!read_step(r, &step, token, &token))
            return false;
        tri_vec_push(r->arena, path, step);
    }
    return true;
}

/* ---- a buffer ---- */

/* A buffer of a tensor that has no token: the one operation that reads it. */
static bool read_untracked(path_reader *r, tmem_path *path)
{
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(r->alloc, 0));
    tmem_step step = {.op = mlirOpOperandGetOwner(use), .operand = -1, .result = -1};
    tri_map_set_ptr(&r->seen, step.op.ptr, r);
    if (!is_access(step.op) || !mlirBlockEqual(mlirOperationGetBlock(step.op), mlirOperationGetBlock(r->alloc)))
        return refuse_path(r, step.op, "what uses it does not stand beside what makes it");
    if (!tri_path_owner_of(r->diag, step.op, &step.owner))
        return false;
    tri_vec_push(r->arena, path, step);
    return true;
}

bool tri_path_read(tri_arena *arena, tri_diag *diag, MlirOperation alloc, tmem_path *out_path)
{
    path_reader r = {.arena = arena, .diag = diag, .alloc = alloc};
    bool has_token = mlirOperationGetNumResults(alloc) > 1;
    tri_map_init(&r.seen, arena);
    *out_path = (tmem_path){0};
    if (has_token ? !follow_token(&r, mlirOperationGetBlock(alloc), tri_op_result(alloc, 1), out_path)
                  : !read_untracked(&r, out_path))
        return false;
    if (out_path->len && tri_op_is(tri_vec_last(out_path).op, "scf.yield"))
        return refuse_path(&r, alloc, "its token leaves the block that makes it");
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(alloc, 0));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!tri_map_find_ptr(&r.seen, mlirOpOperandGetOwner(use).ptr))
            return refuse_path(&r, mlirOpOperandGetOwner(use), "it is used beside its token");
    return true;
}
