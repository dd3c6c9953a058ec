/* Makes one loop of a loop in a loop, so that the pipeline does not run dry between two rounds of
 * the inner one (persistent kernels).
 *
 *     scf.for %i = ... {                       scf.for %k = 0 to outer_len * max(1, inner_len) {
 *       prologue(%i)                             if %t == 0 { %i += step; prologue(%i); %j = lb }
 *       scf.for %j = ... { body(%j) }            if 0 <= %t < inner_len { body(%j); %j += step }
 *       epilogue(%i)                             if %t == max(1, inner_len) - 1 { epilogue(%i) }
 *     } {tt.flatten}                             %t = %t == max(1, inner_len) - 1 ? 0 : %t + 1
 *                                              }
 *
 * Needs: an scf.for with tt.flatten with one loop directly in its body, which holds none. Operations
 * in front of the inner loop that only later ones use move behind it. The body has no condition:
 * where neither constants nor an assumption (llvm.intr.assume of lb < ub) say that the inner loop
 * runs, its bounds must not depend on the outer loop, and a conditional chooses between the fused
 * loop and the outer loop alone. With ttg.always-fuse a whole tree of loops is fused, leaves
 * first, with conditions and with bounds that depend on the outer variable. Other nests stay as they
 * are. Answers to tritongpu-fuse-nested-loops. Test: tests/passes/fuse-nested-loops.mlir */
#include "passes/passes.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/fuse_nested_loops/fused_loop.h"

#include "mlir-c/BuiltinTypes.h"

/* A loop, and the loops directly in its body. */
typedef struct node node;
struct node {
    MlirOperation loop;
    TRI_VEC(node *) children;
};

typedef TRI_VEC(node *) node_list;

static bool is_inside(MlirOperation op, MlirOperation outer)
{
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (mlirOperationEqual(op, outer))
            return true;
    return false;
}

static bool is_defined_inside(MlirValue value, MlirOperation outer)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return is_inside(mlirBlockGetParentOperation(block), outer);
    return is_inside(mlirOperationGetParentOperation(tri_op_def(value)), outer);
}

/* ---- trees of loops ---- */

static void find_trees(tri_arena *arena, MlirOperation op, node *parent, node_list *out_roots)
{
    if (tri_op_is(op, "scf.for")) {
        node *n = TRI_NEW_ARRAY(arena, node, 1);
        *n = (node){.loop = op};
        if (parent)
            tri_vec_push(arena, &parent->children, n);
        else
            tri_vec_push(arena, out_roots, n);
        parent = n;
    } else {
        parent = NULL; /* loops in a conditional have nothing to do with the one around it */
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            for (MlirOperation in = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(in);
                 in = mlirOperationGetNextInBlock(in))
                if (mlirOperationGetNumRegions(in))
                    find_trees(arena, in, parent, out_roots);
}

/* ---- bounds ---- */

static bool is_scalar(MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    return tri_type_is_int(type) || mlirTypeIsAIndex(type) || tri_type_is_float(type) || tri_type_is_ptr(type);
}

/* Scalar arithmetic. The lengths of loops that were fused divide by steps, which are never zero. */
static bool can_compute_bounds(MlirOperation op)
{
    if (mlirOperationGetNumRegions(op) || !(tri_op_is_pure(op) || tri_op_is(op, "arith.ceildivsi")))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!is_scalar(tri_op_operand(op, i)))
            return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (!is_scalar(tri_op_result(op, i)))
            return false;
    return true;
}

static bool is_in(const tri_op_list *ops, MlirOperation op)
{
    for (size_t i = 0; i < ops->len; i++)
        if (mlirOperationEqual(ops->at[i], op))
            return true;
    return false;
}

/* The ops of the outer body that the bounds of `inner` need, in program order. False when one of them
 * cannot be computed elsewhere. *out_is_variant: the outer induction variable is needed. */
static bool slice_bounds(tri_arena *arena, MlirOperation outer, MlirOperation inner, tri_op_list *out_ops,
                         bool *out_is_variant)
{
    tri_op_list todo = {0}, found = {0};
    MlirValue variable = mlirBlockGetArgument(tri_op_body(outer, 0), 0);
    *out_is_variant = false;
    tri_vec_push(arena, &todo, inner);
    for (size_t k = 0; k < todo.len; k++) {
        MlirOperation user = todo.at[k];
        intptr_t n = k ? mlirOperationGetNumOperands(user) : 3;
        for (intptr_t i = 0; i < n; i++) {
            MlirValue value = tri_op_operand(user, i);
            MlirBlock block;
            intptr_t index;
            if (!is_defined_inside(value, outer))
                continue;
            if (mlirValueEqual(value, variable)) {
                *out_is_variant = true;
                continue;
            }
            if (tri_op_is_block_argument(value, &block, &index) || !can_compute_bounds(tri_op_def(value)))
                return false;
            if (!is_in(&todo, tri_op_def(value)))
                tri_vec_push(arena, &todo, tri_op_def(value));
        }
    }
    for (size_t k = 1; k < todo.len; k++)
        tri_vec_push(arena, &found, todo.at[k]);
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(outer, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (is_in(&found, op))
            tri_vec_push(arena, out_ops, op);
    return true;
}

static void move_before(const tri_op_list *ops, MlirOperation place)
{
    for (size_t i = 0; i < ops->len; i++)
        mlirOperationMoveBefore(ops->at[i], place);
}

static bool compares_signed(MlirOperation loop) { return !tri_op_flag(loop, "unsignedCmp"); }

/* Fuses a loop with those of its children whose bounds allow it, when nothing forbids it. */
static void fuse_one_level(tri_arena *arena, node *parent, bool must_execute)
{
    TRI_VEC(tri_fused_loop_inner) inners = {0};
    for (size_t k = 0; compares_signed(parent->loop) && k < parent->children.len; k++) {
        tri_fused_loop_inner inner = {.loop = parent->children.at[k]->loop, .must_execute = must_execute};
        if (!compares_signed(inner.loop) ||
            !slice_bounds(arena, parent->loop, inner.loop, &inner.sliced, &inner.is_variant))
            continue;
        if (!inner.is_variant)
            move_before(&inner.sliced, parent->loop);
        tri_vec_push(arena, &inners, inner);
    }
    parent->children.len = 0;
    if (inners.len && tri_fused_loop_can_make(arena, parent->loop, inners.len, inners.at))
        parent->loop = tri_fused_loop_make(arena, parent->loop, inners.len, inners.at);
}

static void fuse_tree(tri_arena *arena, node *n)
{
    for (size_t k = 0; k < n->children.len; k++)
        fuse_tree(arena, n->children.at[k]);
    fuse_one_level(arena, n, false);
}

/* ---- one loop in one loop, as asked for ---- */

/* Pure ops of the outer body that do not depend on it leave it. */
static void hoist_invariant(MlirOperation outer)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(tri_op_body(outer, 0)), next; !mlirOperationIsNull(op);
         op = next) {
        next = mlirOperationGetNextInBlock(op);
        bool is_free = tri_op_is_pure(op) && !mlirOperationGetNumRegions(op) && !mlirOperationIsNull(next);
        for (intptr_t i = 0; is_free && i < mlirOperationGetNumOperands(op); i++)
            is_free = !is_defined_inside(tri_op_operand(op, i), outer);
        if (is_free)
            mlirOperationMoveBefore(op, outer);
    }
}

/* Pure ops in front of the inner loop that only later ones use move behind it, so that their results
 * need not be carried. Products stay. */
static void sink(tri_arena *arena, MlirOperation outer, MlirOperation inner)
{
    MlirBlock body = tri_op_body(outer, 0);
    tri_op_list late = {0};
    for (MlirOperation op = mlirOperationGetNextInBlock(inner); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        tri_vec_push(arena, &late, op);
    MlirOperation place = late.at[0];
    for (MlirOperation op = inner, before; !mlirOperationIsNull(op); op = before) {
        before = tri_op_previous(op);
        bool can_sink = !mlirOperationEqual(op, inner) && tri_op_is_pure(op) && !mlirOperationGetNumRegions(op) &&
                        !tri_op_is(op, "tt.dot") && !tri_op_is(op, "tt.dot_scaled");
        for (intptr_t r = 0; can_sink && r < mlirOperationGetNumResults(op); r++)
            for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, r)); can_sink && !mlirOpOperandIsNull(use);
                 use = mlirOpOperandGetNextUse(use))
                can_sink = is_in(&late, tri_op_ancestor_in(body, mlirOpOperandGetOwner(use)));
        if (!can_sink)
            continue;
        mlirOperationMoveBefore(op, place);
        place = op;
        tri_vec_push(arena, &late, op);
    }
}

/* Whether something is assumed that says x < y. */
static bool is_assumed_below(MlirValue x, MlirValue y)
{
    enum { slt = 2, sgt = 4 };
    for (MlirOpOperand use = mlirValueGetFirstUse(y); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        if (!tri_op_is(op, "arith.cmpi"))
            continue;
        int64_t predicate = tri_op_int(op, "predicate", -1);
        MlirValue a = tri_op_operand(op, 0), b = tri_op_operand(op, 1);
        if (!(predicate == slt && mlirValueEqual(a, x) && mlirValueEqual(b, y)) &&
            !(predicate == sgt && mlirValueEqual(a, y) && mlirValueEqual(b, x)))
            continue;
        for (MlirOpOperand fact = mlirValueGetFirstUse(tri_op_result(op, 0)); !mlirOpOperandIsNull(fact);
             fact = mlirOpOperandGetNextUse(fact))
            if (tri_op_is(mlirOpOperandGetOwner(fact), "llvm.intr.assume"))
                return true;
    }
    return false;
}

static bool runs_surely(MlirOperation loop)
{
    int64_t lb, ub;
    if (tri_op_const_int(tri_op_operand(loop, 0), &lb) && tri_op_const_int(tri_op_operand(loop, 1), &ub))
        return lb < ub;
    return is_assumed_below(tri_op_operand(loop, 0), tri_op_operand(loop, 1));
}

static MlirValue is_empty(tri_builder *b, MlirOperation loop)
{
    return tri_compare_make(b, TRI_CMP_SGE, tri_op_operand(loop, 0), tri_op_operand(loop, 1));
}

static void yield_results(tri_arena *arena, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumResults(op);
    MlirValue *values = TRI_NEW_ARRAY(arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++)
        values[i] = tri_op_result(op, i);
    tri_builder b = tri_builder_after(op);
    tri_builder_create(&b, &(tri_op){.name = "scf.yield", .num_operands = n, .operands = values});
}

/* A copy of the outer loop without the inner one, which does not run, in `block`. */
static void clone_without(tri_arena *arena, MlirBlock block, MlirOperation outer, MlirOperation inner)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(outer));
    MlirOperation copy = tri_op_clone(&b, outer, 0, NULL, NULL);
    MlirOperation from = mlirBlockGetFirstOperation(tri_op_body(outer, 0)),
                  to = mlirBlockGetFirstOperation(tri_op_body(copy, 0));
    for (; !mlirOperationEqual(from, inner); from = mlirOperationGetNextInBlock(from))
        to = mlirOperationGetNextInBlock(to);
    intptr_t n = mlirOperationGetNumResults(to);
    MlirValue *values = TRI_NEW_ARRAY(arena, MlirValue, n + 1);
    for (intptr_t i = 0; i < n; i++)
        values[i] = tri_op_operand(to, 3 + i);
    tri_op_replace(to, n, values);
    mlirOperationRemoveAttributeByName(copy, mlirStringRefCreateFromCString("tt.warp_specialize"));
    yield_results(arena, copy);
}

/* Moves the nest into a conditional's second region; the first one is for an inner loop that does not run. */
static void make_versions(tri_arena *arena, MlirOperation outer, MlirOperation inner)
{
    tri_builder b = tri_builder_before(outer);
    intptr_t n = mlirOperationGetNumResults(outer);
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, n + 1);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    MlirBlock blocks[] = {mlirBlockCreate(0, NULL, NULL), mlirBlockCreate(0, NULL, NULL)};
    for (int r = 0; r < 2; r++)
        mlirRegionAppendOwnedBlock(regions[r], blocks[r]);
    for (intptr_t i = 0; i < n; i++)
        types[i] = mlirValueGetType(tri_op_result(outer, i));
    MlirValue condition = is_empty(&b, inner);
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "scf.if", .num_operands = 1, .operands = &condition,
                                                          .num_results = n, .results = types,
                                                          .num_regions = 2, .regions = regions});
    for (intptr_t i = 0; i < n; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(outer, i), tri_op_result(made, i));
    clone_without(arena, blocks[0], outer, inner);
    mlirOperationRemoveFromParent(outer);
    mlirBlockAppendOwnedOperation(blocks[1], outer);
    yield_results(arena, outer);
}

static void fuse_pair(tri_arena *arena, node *parent)
{
    MlirOperation outer = parent->loop, inner = parent->children.at[0]->loop;
    tri_fused_loop_inner as = {.loop = inner};
    if (!compares_signed(outer) || !compares_signed(inner))
        return;
    hoist_invariant(outer);
    sink(arena, outer, inner);
    bool is_sure = runs_surely(inner);
    if (!slice_bounds(arena, outer, inner, &as.sliced, &as.is_variant) || (as.is_variant && !is_sure) ||
        !tri_fused_loop_can_make(arena, outer, 1, &as))
        return;
    if (!as.is_variant)
        move_before(&as.sliced, outer);
    if (!is_sure)
        make_versions(arena, outer, inner);
    fuse_one_level(arena, parent, true);
}

static bool run_fuse_nested_loops(tri_pass_run *run)
{
    node_list roots = {0};
    find_trees(run->arena, mlirModuleGetOperation(run->module), NULL, &roots);
    for (size_t i = 0; i < roots.len; i++) {
        node *root = roots.at[i];
        bool is_pair = root->children.len == 1 && !root->children.at[0]->children.len;
        if (!mlirAttributeIsNull(tri_op_attr(root->loop, "ttg.always-fuse")))
            fuse_tree(run->arena, root);
        else if (is_pair && !mlirAttributeIsNull(tri_op_attr(root->loop, "tt.flatten")))
            fuse_pair(run->arena, root);
    }
    return true;
}

const tri_pass tri_pass_fuse_nested_loops = {
    .name = "fuse-nested-loops",
    .help = "make one loop of a flattened nest of two",
    .alias = "tritongpu-fuse-nested-loops",
    .run = run_fuse_nested_loops,
};
