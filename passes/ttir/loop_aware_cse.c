/* Common subexpressions, loop-carried values included.
 *
 *     scf.for ... iter_args(%a = %0, %b = %0) {        scf.for ... iter_args(%a = %0) {
 *       %c = arith.addi %a, %s                           %c = arith.addi %a, %s
 *       %d = arith.addi %b, %s                           scf.yield %c
 *       scf.yield %c, %d                               }
 *     }
 *
 * Needs: ttir or ttgir. Two carried values are one when they start equal and, supposing they are
 * equal, go on equal. MLIR's cse and canonicalisation do the rest. Answers to
 * triton-loop-aware-cse. Test: tests/passes/loop-aware-cse.mlir */
#include "passes/passes.h"

#include "ir/op.h"
#include "ir/upstream.h"

typedef struct {
    intptr_t x, y;
} assumption;

typedef struct {
    tri_pass_run *run;
    MlirOperation loop;
    MlirBlock body;
    TRI_VEC(assumption) assumed;
    int budget; /* comparisons left, so that deep expressions end */
} comparer;

static bool is_same(comparer *c, MlirValue x, MlirValue y);

/* Carried values i and j (arguments of the body). */
static bool is_same_carried(comparer *c, intptr_t i, intptr_t j)
{
    for (size_t k = 0; k < c->assumed.len; k++)
        if ((c->assumed.at[k].x == i && c->assumed.at[k].y == j) ||
            (c->assumed.at[k].x == j && c->assumed.at[k].y == i))
            return true;
    if (!mlirValueEqual(tri_op_operand(c->loop, i + 2), tri_op_operand(c->loop, j + 2)))
        return false;
    tri_vec_push(c->run->arena, &c->assumed, (assumption){i, j});
    MlirOperation yield = mlirBlockGetTerminator(c->body);
    bool result = is_same(c, tri_op_operand(yield, i - 1), tri_op_operand(yield, j - 1));
    c->assumed.len--;
    return result;
}

static bool is_same_op(comparer *c, MlirOperation x, MlirOperation y)
{
    intptr_t n = mlirOperationGetNumOperands(x), attrs = mlirOperationGetNumAttributes(x);
    if (!mlirIdentifierEqual(mlirOperationGetName(x), mlirOperationGetName(y)) ||
        mlirOperationGetNumOperands(y) != n || mlirOperationGetNumAttributes(y) != attrs ||
        mlirOperationGetNumRegions(x) || !tri_op_is_pure(x) || !tri_op_is_pure(y))
        return false;
    for (intptr_t i = 0; i < attrs; i++) {
        MlirNamedAttribute a = mlirOperationGetAttribute(x, i);
        if (!mlirAttributeEqual(a.attribute, mlirOperationGetAttributeByName(y, mlirIdentifierStr(a.name))))
            return false;
    }
    for (intptr_t i = 0; i < n; i++)
        if (!is_same(c, tri_op_operand(x, i), tri_op_operand(y, i)))
            return false;
    return true;
}

static bool is_same(comparer *c, MlirValue x, MlirValue y)
{
    MlirBlock a, b;
    intptr_t i, j;
    if (mlirValueEqual(x, y))
        return true;
    if (!mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)) || c->budget-- <= 0)
        return false;
    bool x_argument = tri_op_is_block_argument(x, &a, &i), y_argument = tri_op_is_block_argument(y, &b, &j);
    if (x_argument != y_argument)
        return false;
    if (x_argument)
        return mlirBlockEqual(a, c->body) && mlirBlockEqual(b, c->body) && i > 0 && j > 0 && is_same_carried(c, i, j);
    MlirOperation p = tri_op_def(x), q = tri_op_def(y);
    if (!mlirBlockEqual(mlirOperationGetBlock(p), c->body) || !mlirBlockEqual(mlirOperationGetBlock(q), c->body))
        return false;
    for (intptr_t k = 0; k < mlirOperationGetNumResults(p); k++)
        if (mlirValueEqual(tri_op_result(p, k), x) &&
            (k >= mlirOperationGetNumResults(q) || !mlirValueEqual(tri_op_result(q, k), y)))
            return false;
    return is_same_op(c, p, q);
}

/* Puts carried value i in the place of j, which then only carries itself. */
static void unite(comparer *c, intptr_t i, intptr_t j)
{
    MlirValue to_drop = mlirBlockGetArgument(c->body, j);
    MlirOperation yield = mlirBlockGetTerminator(c->body);
    mlirValueReplaceAllUsesOfWith(to_drop, mlirBlockGetArgument(c->body, i));
    mlirOperationSetOperand(yield, j - 1, to_drop);
    mlirValueReplaceAllUsesOfWith(tri_op_result(c->loop, j - 1), tri_op_result(c->loop, i - 1));
}

static bool unite_carried(tri_pass_run *run, MlirOperation loop)
{
    enum { max_comparisons = 4096 };
    comparer c = {.run = run, .loop = loop, .body = tri_op_body(loop, 0)};
    intptr_t n = mlirOperationGetNumResults(loop);
    bool *is_gone = TRI_NEW_ARRAY(run->arena, bool, n + 2);
    bool is_changed = false;
    for (intptr_t i = 1; i <= n; i++)
        for (intptr_t j = i + 1; j <= n && !is_gone[i]; j++) {
            c.budget = max_comparisons;
            if (is_gone[j] || !is_same_carried(&c, i, j))
                continue;
            unite(&c, i, j);
            is_gone[j] = is_changed = true;
        }
    return is_changed;
}

static bool run_loop_aware_cse(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    if (!tri_upstream_run(run->module, "cse", run->unit->diag))
        return false;
    tri_op_list loops = {0};
    tri_op_collect_named(module, "scf.for", run->arena, &loops);
    bool is_changed = false;
    for (size_t i = 0; i < loops.len; i++)
        is_changed |= unite_carried(run, loops.at[i]);
    return !is_changed || (tri_upstream_run(run->module, "canonicalize", run->unit->diag) &&
                           tri_upstream_run(run->module, "cse", run->unit->diag));
}

const tri_pass tri_pass_loop_aware_cse = {
    .name = "loop-aware-cse",
    .help = "eliminate common subexpressions, loop-carried values included",
    .alias = "triton-loop-aware-cse",
    .run = run_loop_aware_cse,
};
