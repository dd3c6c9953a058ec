/* The fewest instructions on any path to a wait: from where its token was made, or from the first of its groups. Too
 * few make it wait too long, too many would let it end too early. */
#include "passes/ttgir/update_async_wait_count/async.h"

#include <limits.h>

static int fewer(int a, int b) { return a < b ? a : b; }

static MlirOperation end_of(MlirOperation op, int region) { return mlirBlockGetTerminator(tri_op_body(op, region)); }
static bool has_else(MlirOperation op) { return !mlirBlockIsNull(tri_op_body(op, 1)); }

/* ---- from a token ---- */

static int count_between(async_counts *c, MlirOperation from, MlirOperation to);

static int count_block(async_counts *c, MlirOperation op, int region)
{
    MlirBlock block = tri_op_body(op, region);
    return mlirBlockIsNull(block) ? 0
                                  : count_between(c, mlirBlockGetFirstOperation(block), mlirBlockGetTerminator(block));
}

/* Trips of a loop whose bounds are constant; 0 for others. */
static int64_t known_trips(MlirOperation loop)
{
    int64_t from, to, step;
    if (!tri_op_const_int(tri_op_operand(loop, 0), &from) || !tri_op_const_int(tri_op_operand(loop, 1), &to) ||
        !tri_op_const_int(tri_op_operand(loop, 2), &step) || step <= 0 || to <= from)
        return 0;
    return (to - from + step - 1) / step;
}

static int count_within(async_counts *c, MlirOperation op)
{
    if (tri_op_is(op, "scf.if"))
        return has_else(op) ? fewer(count_block(c, op, 0), count_block(c, op, 1)) : 0;
    if (tri_op_is(op, "scf.for")) {
        int64_t trips = known_trips(op), each = trips ? count_block(c, op, 0) : 0;
        return trips * each < INT_MAX / 2 ? (int)(trips * each) : INT_MAX / 2;
    }
    return tri_async_instructions(c, op);
}

/* Of `from` on, up to `to`, in one block. */
static int count_between(async_counts *c, MlirOperation from, MlirOperation to)
{
    int64_t count = 0;
    for (MlirOperation op = from; !mlirOperationIsNull(op) && !mlirOperationEqual(op, to);
         op = mlirOperationGetNextInBlock(op))
        count += count_within(c, op);
    return count < INT_MAX / 2 ? (int)count : INT_MAX / 2;
}

static MlirBlock home_of(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return tri_op_is_block_argument(value, &block, &index) ? block : mlirOperationGetBlock(tri_op_def(value));
}

static int count_before(async_counts *c, MlirOperation op)
{
    return count_between(c, mlirBlockGetFirstOperation(mlirOperationGetBlock(op)), op);
}

/* What `so_far` becomes behind the token, or `best` where another path has less. */
static int follow_token(async_counts *c, MlirValue token, MlirOperation user, int so_far, int best)
{
    MlirBlock block = home_of(token);
    while (!mlirBlockEqual(mlirOperationGetBlock(user), block)) {
        MlirOperation parent = mlirOperationGetParentOperation(user);
        so_far += count_before(c, user);
        if (mlirOperationIsNull(parent) || mlirBlockIsNull(mlirOperationGetBlock(parent)))
            return 0; /* several blocks */
        user = parent;
    }
    MlirOperation def = tri_op_def(token);
    if (!mlirOperationIsNull(def))
        return fewer(best, so_far + count_between(c, mlirOperationGetNextInBlock(def), user));
    MlirOperation loop = mlirBlockGetParentOperation(block);
    intptr_t index;
    tri_op_is_block_argument(token, &block, &index);
    if (!tri_op_is(loop, "scf.for") || index == 0)
        return 0;
    so_far += count_before(c, user);
    if (so_far >= best)
        return best;
    MlirOperation yield = mlirBlockGetTerminator(block);
    best = fewer(best, follow_token(c, tri_op_operand(loop, 2 + index), loop, so_far, best));
    return fewer(best, follow_token(c, tri_op_operand(yield, index - 1), yield, so_far, best));
}

int tri_async_since_token(async_counts *c, MlirValue token, MlirOperation wait)
{
    return follow_token(c, token, wait, 0, INT_MAX);
}

/* ---- of the last groups ---- */

/* How one came to an operation with regions, of several ways in a list. */
typedef struct visit visit;
struct visit {
    int came_from, groups, so_far;
    visit *next;
};

typedef struct {
    async_counts *c;
    tri_map seen; /* of operations with regions: visits */
    int best;
} walk;

/* Where one is, on the way back: `from` is where one was, `groups` are still to be met. */
typedef struct {
    MlirOperation at, from;
    int groups, so_far;
} place;

static void walk_back(walk *w, place p);

static MlirOperation before(MlirOperation op)
{
    MlirOperation previous = tri_op_previous(op);
    return mlirOperationIsNull(previous) ? mlirOperationGetParentOperation(op) : previous;
}

static void go_on(walk *w, const place *p, MlirOperation to)
{
    walk_back(w, (place){to, p->at, p->groups, p->so_far});
}

/* 0 where one comes from behind the operation, else 1 + the region. */
static int came_from(const place *p)
{
    MlirBlock block = mlirOperationGetBlock(p->from);
    for (int r = 0; r < mlirOperationGetNumRegions(p->at); r++)
        if (mlirBlockEqual(block, tri_op_body(p->at, r)))
            return 1 + r;
    return 0;
}

/* False the second time that one comes in the same state: what follows is known. */
static bool is_new(walk *w, const place *p)
{
    visit *first = tri_map_find_ptr(&w->seen, p->at.ptr), *now;
    for (const visit *v = first; v; v = v->next)
        if (v->came_from == came_from(p) && v->groups == p->groups && v->so_far == p->so_far)
            return false;
    now = TRI_NEW(w->c->run->arena, visit);
    *now = (visit){came_from(p), p->groups, p->so_far, first};
    tri_map_set_ptr(&w->seen, p->at.ptr, now);
    return true;
}

static void walk_if(walk *w, const place *p)
{
    bool is_inside = came_from(p) > 0;
    if (!is_inside)
        go_on(w, p, end_of(p->at, 0));
    if (!is_inside && has_else(p->at))
        go_on(w, p, end_of(p->at, 1));
    else
        go_on(w, p, before(p->at));
}

static void walk_for(walk *w, const place *p)
{
    go_on(w, p, before(p->at));
    go_on(w, p, end_of(p->at, 0));
}

static void walk_while(walk *w, const place *p)
{
    if (came_from(p) != 1) {
        go_on(w, p, end_of(p->at, 0));
        return;
    }
    go_on(w, p, before(p->at));
    go_on(w, p, end_of(p->at, 1));
}

static void end_walk(walk *w, int count) { w->best = fewer(w->best, count); }

static bool is_known_region(MlirOperation op)
{
    MlirRegion region = mlirOperationGetRegion(op, 0);
    return tri_op_is(op, "scf.execute_region") &&
           mlirBlockIsNull(mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(region)));
}

/* True where the operation has regions, which have been walked. */
static bool walk_regions(walk *w, const place *p)
{
    MlirOperation op = p->at;
    if (mlirOperationGetNumRegions(op) == 0 || tri_op_is(op, "tt.reduce"))
        return false;
    if (!is_new(w, p))
        return true;
    if (tri_op_is(op, "scf.if"))
        walk_if(w, p);
    else if (tri_op_is(op, "scf.for"))
        walk_for(w, p);
    else if (tri_op_is(op, "scf.while"))
        walk_while(w, p);
    else if (tri_op_is(op, "tt.func"))
        end_walk(w, p->so_far);
    else if (is_known_region(op))
        go_on(w, p, came_from(p) ? before(op) : end_of(op, 0));
    else
        end_walk(w, 0);
    return true;
}

static void walk_back(walk *w, place p)
{
    for (; !mlirOperationIsNull(p.at); p.from = p.at, p.at = before(p.at)) {
        if (p.groups < 0 || p.so_far >= w->best) {
            end_walk(w, p.so_far);
            return;
        }
        if (walk_regions(w, &p))
            return;
        int count = tri_async_instructions(w->c, p.at);
        p.so_far += count;
        p.groups -= w->c->counts_boxes ? count > 0 : tri_op_is(p.at, "ttg.async_commit_group");
    }
    end_walk(w, p.so_far);
}

int tri_async_of_last(async_counts *c, MlirOperation wait, int groups)
{
    walk w = {.c = c, .best = INT_MAX};
    tri_map_init(&w.seen, c->run->arena);
    walk_back(&w, (place){wait, wait, c->counts_boxes ? groups - 1 : groups, 0});
    return w.best;
}
