/* Keeps loop-carried reductions inside each thread until the loop is over.
 *
 *     scf.for ... iter_args(%acc = %zero) {
 *       %x = tt.load %p : tensor<32x128xf32, #blocked>           // eight elements of a row in each thread
 *       %r = "tt.reduce"(%x) <{axis = 1}> ({ arith.addf })
 *       %s = arith.addf %acc, %r ; scf.yield %s
 *     }
 *   becomes
 *     %parts = scf.for ... iter_args(%acc = 0) {
 *       %v = reshape, trans, reshape of %x : tensor<32x16x8xf32>  // the eight elements are a dimension
 *       %r = "tt.reduce"(%v) <{axis = 2}>                          // nothing leaves the thread
 *       ...
 *     }
 *     %sum = "tt.reduce"(%parts) <{axis = 1}> ; %result = arith.addf %zero, converted %sum
 *
 * Needs: layouts; a reduction over the last dimension of a loaded tensor by one of addf, mulf, maximumf,
 * maxnumf, minimumf, minnumf whose only use is the same operation on the accumulator, which starts as
 * a constant. Floating-point sums are added up in another order. Answers to the loop part of
 * tritongpu-optimize-thread-locality. Test: tests/passes/optimize-thread-locality.mlir */
#include "passes/passes.h"

#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"

#include <math.h>

typedef struct {
    MlirOperation reduce, accumulate, loop;
    intptr_t arg;       /* iter arg that accumulates */
    double neutral;
    int rank;
    int64_t shape[TRI_MAX_RANK];
    int64_t repeats, threads, run; /* the axis = repeats x threads x run consecutive elements of a thread */
} match;

/* ---- matchers ---- */

static bool find_neutral(MlirOperation op, double *out_neutral)
{
    static const struct {
        const char *name;
        double neutral;
    } table[] = {{"arith.addf", 0.0}, {"arith.mulf", 1.0}, {"arith.maximumf", -INFINITY}, {"arith.maxnumf", -INFINITY},
                 {"arith.minimumf", INFINITY}, {"arith.minnumf", INFINITY}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *out_neutral = table[i].neutral;
        if (tri_op_is(op, table[i].name))
            return true;
    }
    return false;
}

/* The only operation of the reduction's body, besides the terminator. */
static bool find_combiner(MlirOperation reduce, MlirOperation *out_op)
{
    *out_op = mlirBlockGetFirstOperation(tri_op_body(reduce, 0));
    MlirOperation end = mlirOperationGetNextInBlock(*out_op);
    return !mlirOperationIsNull(end) && tri_op_is(end, "tt.reduce.return");
}

static bool match_loop(match *m)
{
    MlirBlock block;
    intptr_t index;
    MlirOperation yield = tri_dots_only_user(tri_op_result(m->accumulate, 0));
    if (mlirOperationIsNull(yield) || !tri_op_is(yield, "scf.yield"))
        return false;
    m->loop = mlirOperationGetParentOperation(yield);
    if (!tri_op_is(m->loop, "scf.for") ||
        !mlirBlockEqual(mlirOperationGetBlock(m->accumulate), tri_op_body(m->loop, 0)))
        return false;
    for (intptr_t i = 0; i < 2; i++) {
        MlirValue value = tri_op_operand(m->accumulate, i);
        if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, tri_op_body(m->loop, 0)) || index == 0)
            continue;
        m->arg = index - 1;
        MlirOperation init = tri_op_def(tri_op_operand(m->loop, 3 + m->arg));
        return tri_dots_has_one_use(value) && !mlirOperationIsNull(init) && tri_op_is(init, "arith.constant") &&
               mlirValueEqual(tri_op_operand(yield, m->arg), tri_op_result(m->accumulate, 0));
    }
    return false;
}

static bool match_reduce(tri_arena *arena, MlirOperation reduce, match *m)
{
    MlirOperation combiner;
    *m = (match){.reduce = reduce};
    if (mlirOperationGetNumOperands(reduce) != 1 || !find_combiner(reduce, &combiner) || !find_neutral(combiner, &m->neutral))
        return false;
    MlirValue source = tri_op_operand(reduce, 0);
    MlirOperation load = tri_op_def(source);
    m->accumulate = tri_dots_only_user(tri_op_result(reduce, 0));
    if (mlirOperationIsNull(load) || !tri_op_is(load, "tt.load") || mlirOperationIsNull(m->accumulate) ||
        !tri_str_equal(tri_op_name(m->accumulate), tri_op_name(combiner)) || !match_loop(m))
        return false;
    const tri_encoding *e = tri_dots_encoding(arena, source);
    m->rank = tri_dots_shape(mlirValueGetType(source), m->shape);
    int axis = (int)tri_op_int(reduce, "axis", 0);
    if (!e || e->kind != TRI_ENC_BLOCKED || m->rank < 2 || m->rank + 2 > TRI_MAX_RANK || axis != m->rank - 1 || e->cga.count)
        return false;
    int64_t size = m->shape[axis], spt = e->blocked.size_per_thread[axis];
    int64_t spread = (int64_t)e->blocked.threads_per_warp[axis] * e->warps_per_cta[axis];
    if (spt * spread > size)
        return false; /* threads hold copies */
    m->run = spt;
    m->threads = spread;
    m->repeats = size / (spt * spread);
    return m->run * m->repeats > 1;
}

/* ---- rewriters ---- */

static MlirValue infer_unary(tri_pass_run *run, tri_builder *b, const char *name, MlirValue x, int rank, const int64_t *shape,
                             const tri_attr *attr)
{
    MlirType element = tri_type_element(mlirValueGetType(x));
    /* the layout is found with a provisional one in its place */
    MlirType type = tri_type_tensor(rank, shape, element, (MlirAttribute){NULL});
    MlirOperation op = tri_builder_create(b, &(tri_op){.name = name, .num_operands = 1, .operands = &x, .num_results = 1,
                                                       .results = &type, .num_attrs = attr ? 1 : 0, .attrs = attr});
    MlirAttribute encoding = tri_infer_result(run->arena, op, tri_type_encoding(mlirValueGetType(x)));
    if (mlirAttributeIsNull(encoding))
        TRI_BUG("no layout for a view of a blocked tensor");
    tri_op_set_type(tri_op_result(op, 0), tri_type_with_encoding(type, encoding));
    return tri_op_result(op, 0);
}

/* tensor<..., N> -> tensor<..., threads, repeats * run>, each thread's elements in the last dimension. */
static MlirValue split_threads(tri_pass_run *run, tri_builder *b, const match *m, MlirValue x)
{
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    int outer = m->rank - 1;
    for (int d = 0; d < outer; d++) {
        shape[d] = m->shape[d];
        order[d] = d;
    }
    shape[outer] = m->repeats;
    shape[outer + 1] = m->threads;
    shape[outer + 2] = m->run;
    x = infer_unary(run, b, "tt.reshape", x, outer + 3, shape, NULL);
    order[outer] = outer + 1;
    order[outer + 1] = outer;
    order[outer + 2] = outer + 2;
    shape[outer] = m->threads;
    shape[outer + 1] = m->repeats;
    tri_attr attr = {"order", tri_attr_i32s(b->context, outer + 3, order)};
    x = infer_unary(run, b, "tt.trans", x, outer + 3, shape, &attr);
    shape[outer + 1] = m->repeats * m->run;
    return infer_unary(run, b, "tt.reshape", x, outer + 2, shape, NULL);
}

/* The same reduction of another tensor, along its last dimension. */
static MlirValue reduce_last(tri_pass_run *run, tri_builder *b, const match *m, MlirValue x)
{
    MlirValue from = tri_op_operand(m->reduce, 0);
    MlirType type = mlirValueGetType(x);
    int rank = tri_type_rank(type);
    int64_t shape[TRI_MAX_RANK];
    MlirOperation made = tri_op_clone(b, m->reduce, 1, &from, &x);
    tri_builder_set_attr(made, "axis", tri_attr_i32(b->context, rank - 1));
    tri_dots_shape(type, shape);
    MlirAttribute slice = tri_infer_slice(run->arena, tri_type_encoding(type), rank - 1);
    tri_op_set_type(tri_op_result(made, 0), tri_type_tensor(rank - 1, shape, tri_type_element(type), slice));
    return tri_op_result(made, 0);
}

static MlirValue combine(tri_builder *b, const match *m, MlirValue x, MlirValue y)
{
    MlirValue from[2] = {tri_op_operand(m->accumulate, 0), tri_op_operand(m->accumulate, 1)}, to[2] = {x, y};
    MlirOperation made = tri_op_clone(b, m->accumulate, 2, from, to);
    tri_op_set_type(tri_op_result(made, 0), mlirValueGetType(x));
    return tri_op_result(made, 0);
}

static void rewrite(tri_pass_run *run, match *m)
{
    tri_builder b = tri_builder_before(m->reduce);
    MlirValue part = reduce_last(run, &b, m, split_threads(run, &b, m, tri_op_operand(m->reduce, 0)));
    MlirType type = mlirValueGetType(part), result = mlirValueGetType(tri_op_result(m->accumulate, 0));
    tri_builder before = tri_builder_before(m->loop);
    MlirValue neutral = tri_builder_float(&before, type, m->neutral), init = tri_op_operand(m->loop, 3 + m->arg);
    m->loop = tri_loops_add_iter_args(run->arena, m->loop, 1, &neutral);
    MlirBlock body = tri_op_body(m->loop, 0);
    MlirValue carried = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
    b = tri_builder_after(tri_op_def(part));
    MlirValue sum = combine(&b, m, carried, part);
    MlirOperation yield = tri_loops_yield(m->loop, 0);
    tri_loops_append_yield(run->arena, yield, 1, &sum);
    /* the old accumulator passes through and is dead */
    mlirOperationSetOperand(yield, m->arg, mlirBlockGetArgument(body, 1 + m->arg));
    tri_builder after = tri_builder_after(m->loop);
    MlirValue whole = tri_op_result(m->loop, mlirOperationGetNumResults(m->loop) - 1), old = tri_op_result(m->loop, m->arg);
    MlirValue total = tri_dots_convert(&after, reduce_last(run, &after, m, whole), tri_type_encoding(result));
    total = combine(&after, m, init, total);
    mlirValueReplaceAllUsesOfWith(old, total);
    mlirOperationDestroy(m->accumulate);
    mlirOperationDestroy(m->reduce);
}

static bool run(tri_pass_run *run)
{
    tri_op_list reduces = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.reduce", run->arena, &reduces);
    for (size_t i = 0; i < reduces.len; i++) {
        match m;
        if (match_reduce(run->arena, reduces.at[i], &m))
            rewrite(run, &m);
    }
    return true;
}

const tri_pass tri_pass_optimize_thread_locality = {
    .name = "optimize-thread-locality",
    .help = "reduce inside each thread while a loop runs, between threads once after it",
    .alias = "tritongpu-optimize-thread-locality",
    .run = run,
};
