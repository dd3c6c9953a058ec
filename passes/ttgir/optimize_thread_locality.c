/* Rearranges what goes along an axis - views that are reduced, gathers, reductions in a loop - so that less
 * of it leaves its thread or its warp.
 *
 * A view in any order that is reduced takes a layout whose threads hold whole rows:
 *
 *     %v = tt.reshape %x allow_reorder : ... -> tensor<64x16xf32, #blocked>    // 16 threads along dimension 1
 *     %r = "tt.reduce"(%v) <{axis = 1}>
 *   becomes
 *     %w = tt.reshape %x allow_reorder efficient_layout : ... -> tensor<64x16xf32, #rows>   // 1 thread
 *     %v = ttg.convert_layout %w : #rows -> #blocked
 *     %r = "tt.reduce"(%v) <{axis = 1}>
 *
 * and remove-layout-conversions, to which such a view is an anchor, brings #rows to the reduction.
 *
 * A gather of two or more dimensions takes a layout in which each warp holds whole columns along the axis,
 * as many threads along it as there are:
 *
 *     %g = tt.gather %x[%i] {axis = 0} : (tensor<64x64xf32, #blocked>, tensor<64x64xi32, #blocked>)
 *   becomes
 *     %y = ttg.convert_layout %x : #blocked -> #columns ; %j = ttg.convert_layout %i : #blocked -> #columns
 *     %h = tt.gather %y[%j] {axis = 0, efficient_layout} : (tensor<64x64xf32, #columns>, ...)
 *     %g = ttg.convert_layout %h : #columns -> #blocked
 *
 * A loop-carried reduction stays inside each thread until the loop is over:
 *
 *     scf.for ... iter_args(%acc = %zero) {
 *       %x = tt.load %p : tensor<32x128xf32, #blocked>           // eight elements of a row in each thread
 *       %r = "tt.reduce"(%x) <{axis = 1}> ({ arith.addf })
 *       %s = arith.addf %acc, %r ; scf.yield %s
 *     }
 *   becomes
 *     %parts = scf.for ... iter_args(%acc = 0) {
 *       %v = tt.reshape %x allow_reorder efficient_layout : tensor<32x16x8xf32>  // the eight are a dimension
 *       %r = "tt.reduce"(%v) <{axis = 2}>                                         // nothing leaves the thread
 *       ...
 *     }
 *     %sum = "tt.reduce"(%parts) <{axis = 1}> ; %result = arith.addf %zero, converted %sum
 *
 * Needs for the last: a reduction over the last dimension of a loaded tensor in a blocked layout by one of
 * addf, mulf, maximumf, maxnumf, minimumf, minnumf whose only use is the same operation on the accumulator,
 * which starts as a constant. Where registers as they are would mix rows in the view, it is spelled as reshape,
 * trans, reshape. Floating-point sums are added up in another order. Answers to
 * tritongpu-optimize-thread-locality. Test: tests/passes/optimize-thread-locality.mlir */
#include "passes/passes.h"

#include "ir/analysis/blocked.h"
#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loops.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include <math.h>

/* ---- views that are reduced ---- */

/* The axis that every reduction of a value goes along; -1 when there is none, or several. */
static int common_axis(MlirValue value)
{
    int axis = -1;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!tri_op_is(user, "tt.reduce"))
            continue;
        int other = (int)tri_op_int(user, "axis", 0);
        if (axis >= 0 && other != axis)
            return -1;
        axis = other;
    }
    return axis;
}

/* The same op with another type and the mark that says its layout is meant. */
static MlirValue marked(tri_builder *b, MlirOperation op, MlirType type)
{
    MlirOperation made = tri_op_clone(b, op, 0, NULL, NULL);
    tri_op_set_type(tri_op_result(made, 0), type);
    tri_builder_set_attr(made, "efficient_layout", tri_attr_unit(b->context));
    return tri_op_result(made, 0);
}

static void keep_rows_in_threads(tri_layouts *l, MlirOperation view)
{
    MlirType type = mlirValueGetType(tri_op_result(view, 0));
    const tri_encoding *e = tri_dots_encoding(l->arena, tri_op_result(view, 0));
    int axis = common_axis(tri_op_result(view, 0));
    if (!e || !tri_op_flag(view, "allow_reorder") || axis < 0)
        return;
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK], ones[TRI_MAX_RANK], split[TRI_MAX_RANK], now[TRI_MAX_RANK];
    int rank = tri_dots_shape(type, shape), n = 0;
    tri_convert_cta_split(e, rank, split);
    if (e->kind == TRI_ENC_BLOCKED && e->blocked.threads_per_warp[axis] == 1 && e->warps_per_cta[axis] == 1 &&
        split[axis] == 1)
        return; /* they are there already */
    tri_convert_order(e, rank, shape, now);
    for (int d = 0; d < rank; d++) {
        ones[d] = 1;
        if (now[d] != axis)
            order[n++] = now[d];
    }
    order[n] = axis;
    tri_encoding rows = tri_blocked_make(rank, shape, ones, order, l->launch);
    MlirType made = tri_type_with_encoding(type, tri_encoding_make(mlirTypeGetContext(type), &rows));
    if (mlirTypeEqual(made, type) || tri_layouts_is_expensive_view(l, mlirValueGetType(tri_op_operand(view, 0)), made))
        return;
    tri_builder b = tri_builder_before(view);
    MlirValue value = tri_dots_convert(&b, marked(&b, view, made), tri_type_encoding(type));
    tri_op_replace(view, 1, &value);
}

/* ---- gathers ---- */

/* Hands `count` threads (or warps) out to the dimensions but `axis`, in order, each as many as `room` has for it;
 * returns how many are left over. */
static int32_t hand_out(int rank, const int32_t *order, int axis, const int64_t *room, int32_t count, int32_t *out)
{
    for (int i = 0; i < rank; i++) {
        int d = order[i];
        if (d == axis)
            continue;
        out[d] = (int32_t)(room[d] < count ? room[d] : count);
        count /= out[d];
    }
    return count;
}

/* A layout of the source, and of the indices, in which a warp holds every element along the axis: few elements
 * of a column in each thread, as each one costs an exchange. What threads are left over hold copies. */
static tri_encoding columns_in_warps(const tri_encoding *e, int rank, const int64_t *shape, int axis, tri_launch launch)
{
    tri_encoding made = {.kind = TRI_ENC_BLOCKED, .rank = rank, .cga = e->cga};
    int64_t room[TRI_MAX_RANK], own[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK], *lanes = made.blocked.threads_per_warp, *warps = made.warps_per_cta;
    tri_blocked_shape_per_cta(e, shape, own);
    lanes[axis] = (int32_t)(own[axis] < launch.lanes ? own[axis] : launch.lanes);
    tri_convert_thread_order(e, rank, shape, order);
    made.order[0] = axis;
    for (int i = 0, n = 1; i < rank; i++) {
        made.blocked.size_per_thread[i] = 1;
        if (order[i] != axis)
            made.order[n++] = order[i];
    }
    made.blocked.size_per_thread[axis] = (int32_t)(own[axis] / lanes[axis]);
    int32_t spare_lanes = hand_out(rank, order, axis, own, launch.lanes / lanes[axis], lanes);
    for (int d = 0; d < rank; d++)
        room[d] = own[d] / lanes[d];
    tri_convert_warp_order(e, rank, shape, order);
    warps[axis] = hand_out(rank, order, axis, room, launch.warps, warps);
    lanes[axis] *= spare_lanes;
    return made;
}

static void keep_columns_in_warps(tri_layouts *l, MlirOperation gather)
{
    MlirValue source = tri_op_operand(gather, 0), indices = tri_op_operand(gather, 1);
    MlirType type = mlirValueGetType(tri_op_result(gather, 0));
    const tri_encoding *e = tri_dots_encoding(l->arena, source);
    int64_t shape[TRI_MAX_RANK];
    int rank = tri_dots_shape(mlirValueGetType(source), shape);
    if (!e || rank < 2 || tri_op_flag(gather, "efficient_layout"))
        return;
    tri_encoding columns = columns_in_warps(e, rank, shape, (int)tri_op_int(gather, "axis", 0), l->launch);
    MlirAttribute encoding = tri_encoding_make(mlirTypeGetContext(type), &columns);
    tri_builder b = tri_builder_before(gather);
    MlirValue from[2] = {source, indices};
    for (int i = 0; i < 2; i++) {
        MlirType to = tri_type_with_encoding(mlirValueGetType(from[i]), encoding);
        mlirOperationSetOperand(gather, i, tri_builder_unary(&b, "ttg.convert_layout", to, from[i]));
    }
    MlirValue value = marked(&b, gather, tri_type_with_encoding(type, encoding));
    value = tri_builder_unary(&b, "ttg.convert_layout", type, value);
    tri_op_replace(gather, 1, &value);
}

/* ---- reductions in a loop ---- */

typedef struct {
    MlirOperation reduce, accumulate, loop;
    intptr_t arg;       /* iter arg that accumulates */
    double neutral;
    int rank;
    int64_t shape[TRI_MAX_RANK];
    int64_t repeats, threads, run; /* the axis = repeats x threads x run consecutive elements of a thread */
    MlirType view;                 /* tensor<..., threads, repeats * run> with all registers as they are; or null */
} match;


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
        if (!tri_op_is_block_argument(value, &block, &index) || !mlirBlockEqual(block, tri_op_body(m->loop, 0)) ||
            index == 0)
            continue;
        m->arg = index - 1;
        MlirOperation init = tri_op_def(tri_op_operand(m->loop, 3 + m->arg));
        return tri_dots_has_one_use(value) && !mlirOperationIsNull(init) && tri_op_is(init, "arith.constant") &&
               mlirValueEqual(tri_op_operand(yield, m->arg), tri_op_result(m->accumulate, 0));
    }
    return false;
}

/* Whether register, lane and warp of an element mean the same row in both layouts, and both have the same copies. */
static bool keeps_rows(const tri_linear *from, const tri_linear *to, int rows)
{
    static const tri_dim ins[] = {TRI_DIM_REGISTER, TRI_DIM_LANE, TRI_DIM_WARP};
    for (size_t i = 0; i < sizeof ins / sizeof *ins; i++) {
        int bits = tri_linear_in_bits(from, ins[i]);
        if (tri_linear_in_bits(to, ins[i]) != bits)
            return false;
        for (int b = 0; b < bits; b++) {
            if (!tri_linear_basis(from, ins[i], b) != !tri_linear_basis(to, ins[i], b))
                return false;
            for (int d = 0; d < rows; d++)
                if (tri_linear_basis_at(from, ins[i], b, TRI_DIM_0 + (tri_dim)d) !=
                    tri_linear_basis_at(to, ins[i], b, TRI_DIM_0 + (tri_dim)d))
                    return false;
        }
    }
    return true;
}

/* The type that makes a thread's elements along the last dimension a dimension of their own and leaves every
 * register where it is; none when that would put elements of different rows together. */
static void find_view(tri_arena *arena, match *m, const tri_encoding *e)
{
    MlirType type = mlirValueGetType(tri_op_operand(m->reduce, 0));
    tri_encoding view = *e;
    int64_t shape[TRI_MAX_RANK];
    int axis = m->rank - 1;
    for (int d = 0; d < axis; d++)
        shape[d] = m->shape[d];
    shape[axis] = m->threads;
    shape[m->rank] = m->run * m->repeats;
    view.rank = m->rank + 1;
    view.blocked.size_per_thread[m->rank] = e->blocked.size_per_thread[axis];
    view.blocked.size_per_thread[axis] = 1;
    view.blocked.threads_per_warp[m->rank] = view.warps_per_cta[m->rank] = 1;
    view.order[0] = m->rank;
    for (int d = 0; d < m->rank; d++)
        view.order[d + 1] = e->order[d];
    MlirAttribute encoding = tri_encoding_make(mlirTypeGetContext(type), &view);
    MlirType made = tri_type_tensor(m->rank + 1, shape, tri_type_element(type), encoding);
    tri_linear from, to;
    if (tri_dots_linear(arena, type, &from) && tri_dots_linear(arena, made, &to) && keeps_rows(&from, &to, axis))
        m->view = made;
}

static bool match_reduce(const tri_layouts *layouts, MlirOperation reduce, match *m)
{
    tri_arena *arena = layouts->arena;
    MlirOperation combiner;
    *m = (match){.reduce = reduce};
    if (mlirOperationGetNumOperands(reduce) != 1 || !find_combiner(reduce, &combiner) ||
        !find_neutral(combiner, &m->neutral))
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
    if (!e || e->kind != TRI_ENC_BLOCKED || m->rank < 2 || m->rank + 2 > TRI_MAX_RANK || axis != m->rank - 1 ||
        e->cga.count)
        return false;
    int64_t size = m->shape[axis], spt = e->blocked.size_per_thread[axis];
    int64_t spread = (int64_t)e->blocked.threads_per_warp[axis] * e->warps_per_cta[axis];
    if (spt > size)
        return false; /* registers hold copies */
    m->run = spt;
    m->repeats = spt * spread > size ? 1 : size / (spt * spread);
    m->threads = size / (spt * m->repeats);
    if (m->run * m->repeats == 1)
        return false;
    if (tri_layouts_is_expensive_access(layouts, load)) /* whose layout stays; else the view might get another one */
        find_view(arena, m, e);
    return !mlirTypeIsNull(m->view) || spt * spread <= size;
}

/* tensor<..., N> -> tensor<..., threads, repeats * run>, each thread's elements in the last dimension. */
static MlirValue split_threads(tri_pass_run *run, tri_builder *b, const match *m, MlirValue x)
{
    if (!mlirTypeIsNull(m->view)) {
        tri_attr marks[] = {{"allow_reorder", tri_attr_unit(b->context)},
                            {"efficient_layout", tri_attr_unit(b->context)}};
        return tri_builder_value(b, &(tri_op){.name = "tt.reshape", .num_operands = 1, .operands = &x, .num_results = 1,
                                              .results = &m->view, .num_attrs = 2, .attrs = marks});
    }
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
    x = tri_layouts_view(run->arena, b, "tt.reshape", x, outer + 3, shape, NULL);
    order[outer] = outer + 1;
    order[outer + 1] = outer;
    order[outer + 2] = outer + 2;
    shape[outer] = m->threads;
    shape[outer + 1] = m->repeats;
    tri_attr attr = {"order", tri_attr_i32s(b->context, outer + 3, order)};
    x = tri_layouts_view(run->arena, b, "tt.trans", x, outer + 3, shape, &attr);
    shape[outer + 1] = m->repeats * m->run;
    return tri_layouts_view(run->arena, b, "tt.reshape", x, outer + 2, shape, NULL);
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

static void rewrite_locality(tri_pass_run *run, match *m)
{
    tri_builder b = tri_builder_before(m->reduce);
    MlirValue part = reduce_last(run, &b, m, split_threads(run, &b, m, tri_op_operand(m->reduce, 0)));
    MlirType type = mlirValueGetType(part), result = mlirValueGetType(tri_op_result(m->accumulate, 0));
    MlirValue init = tri_op_operand(m->loop, 3 + m->arg);
    tri_builder before = tri_builder_after(tri_op_def(init));
    MlirValue neutral = tri_builder_float(&before, type, m->neutral);
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
    MlirValue whole = tri_op_result(m->loop, mlirOperationGetNumResults(m->loop) - 1),
              old = tri_op_result(m->loop, m->arg);
    MlirValue total = tri_dots_convert(&after, reduce_last(run, &after, m, whole), tri_type_encoding(result));
    total = combine(&after, m, init, total);
    mlirValueReplaceAllUsesOfWith(old, total);
    mlirOperationDestroy(m->accumulate);
    mlirOperationDestroy(m->reduce);
}

static bool run_optimize_thread_locality(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    tri_layouts l = tri_layouts_make(run);
    tri_op_list views = {0}, gathers = {0}, reduces = {0};
    tri_op_collect_named(module, "tt.reshape", run->arena, &views);
    for (size_t i = 0; i < views.len; i++)
        keep_rows_in_threads(&l, views.at[i]);
    tri_op_collect_named(module, "tt.gather", run->arena, &gathers);
    for (size_t i = 0; i < gathers.len; i++)
        keep_columns_in_warps(&l, gathers.at[i]);
    tri_op_collect_named(module, "tt.reduce", run->arena, &reduces);
    for (size_t i = 0; i < reduces.len; i++) {
        match m;
        if (match_reduce(&l, reduces.at[i], &m))
            rewrite_locality(run, &m);
    }
    return true;
}

const tri_pass tri_pass_optimize_thread_locality = {
    .name = "optimize-thread-locality",
    .help = "keep reductions inside threads and gathers inside warps",
    .alias = "tritongpu-optimize-thread-locality",
    .run = run_optimize_thread_locality,
};
