/* Tells loads which cache they are worth: what streams by passes the first level, what all sub-groups read again stays.
 *
 *     %v = tt.load %p                        tt.load %p cacheModifier = cg
 *     scf.for ... {                    ->    scf.for ... {
 *       %a = tt.load %q : #dot_op              %a = tt.load %q evictionPolicy = evict_last
 *
 * A load streams when the lanes of a sub-group read different elements, sub-groups share none, and each iteration of
 * the loops around it reads others than the one before. It stays when sub-groups read the same elements (a basis of
 * theirs is zero, and all are along one dimension), every loop around it reads them again, and there is room: MOST_LOAD
 * bytes of a load, MOST_LOOP of a loop. Left alone is what has a modifier or a policy; what may be written by the
 * function, or is added into what it reads and writes; and all of a function with atomics, or that writes to somewhere.
 * Needs: layouts. Answers to tritonintelgpu-annotate-cache-control. Test: tests/passes/annotate-cache-control.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/analysis/pointers.h"
#include "ir/builder.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/loads.h"
#include "passes/analysis/loops.h"

enum { MOST_LOAD = 32 * 1024, MOST_LOOP = 48 * 1024, NO_MODIFIER = 1, MODIFIER_CG = 3, NO_POLICY = 1, POLICY_LAST = 3 };

typedef struct {
    tri_arena *arena;
    tri_pointers *pointers;
    tri_map written, changed; /* arrays (their pointers) that are written; that are read, too */
    tri_map kept;             /* loop -> bytes of the loads in it that stay */
} annotator;

/* ---- what may not be touched ---- */

static MlirValue array_of(const annotator *a, MlirValue pointer)
{
    const char *reason;
    MlirValue culprit;
    return tri_pointers_root(a->pointers, pointer, &reason, &culprit);
}

static void mark_value(tri_map *map, MlirValue value) { tri_map_set_ptr(map, value.ptr, (void *)value.ptr); }

/* False: something is written at a place that is not known, or by an atomic operation. */
static bool find_written(annotator *a, const tri_op_list *ops)
{
    for (size_t i = 0; i < ops->len; i++) {
        MlirValue root = {NULL};
        if (tri_op_is(ops->at[i], "tt.store"))
            root = array_of(a, tri_op_operand(ops->at[i], 0));
        else if (!tri_loads_may_write(ops->at[i]) || tri_op_is(ops->at[i], "tt.load"))
            continue;
        if (mlirValueIsNull(root))
            return false;
        mark_value(&a->written, root);
    }
    for (size_t i = 0; i < ops->len; i++) {
        MlirValue root = tri_op_is(ops->at[i], "tt.load") ? array_of(a, tri_op_operand(ops->at[i], 0)) : (MlirValue){0};
        if (root.ptr && tri_map_find_ptr(&a->written, root.ptr))
            mark_value(&a->changed, root);
    }
    return true;
}

/* Values that a value goes into. */
typedef struct {
    tri_arena *arena;
    tri_map seen;
    TRI_VEC(MlirValue) todo;
} flow;

static void reach_value(flow *f, MlirValue value)
{
    if (tri_map_find_ptr(&f->seen, value.ptr))
        return;
    mark_value(&f->seen, value);
    tri_vec_push(f->arena, &f->todo, value);
}

/* ... that control flow hands on as its value i. */
static void reach_carried(flow *f, MlirOperation op, intptr_t i)
{
    if (tri_op_is(op, "scf.for"))
        reach_value(f, mlirBlockGetArgument(tri_op_body(op, 0), i + 1));
    if (tri_op_is(op, "scf.while"))
        reach_value(f, mlirBlockGetArgument(tri_op_body(op, 0), i));
    if (!tri_op_is(op, "scf.while"))
        reach_value(f, tri_op_result(op, i));
}

static void reach_user(flow *f, MlirOperation user, intptr_t operand)
{
    MlirOperation parent = mlirOperationGetParentOperation(user);
    if (tri_op_is(user, "scf.for") || tri_op_is(user, "scf.while")) {
        intptr_t bounds = tri_op_is(user, "scf.for") ? 3 : 0;
        if (operand >= bounds)
            reach_carried(f, user, operand - bounds);
    } else if (tri_op_is(user, "scf.yield")) {
        reach_carried(f, parent, operand);
    } else if (tri_op_is(user, "scf.condition") && operand > 0) {
        reach_value(f, mlirBlockGetArgument(tri_op_body(parent, 1), operand - 1));
        reach_value(f, tri_op_result(parent, operand - 1));
    } else {
        for (intptr_t i = 0; i < mlirOperationGetNumResults(user); i++)
            reach_value(f, tri_op_result(user, i));
    }
}

/* Does a store put what becomes of the value into an array that is read, too? */
static bool is_added_up(const annotator *a, MlirValue value)
{
    flow f = {.arena = a->arena};
    tri_map_init(&f.seen, a->arena);
    reach_value(&f, value);
    for (size_t i = 0; i < f.todo.len; i++) {
        MlirOpOperand use = mlirValueGetFirstUse(f.todo.at[i]);
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = mlirOpOperandGetOwner(use);
            intptr_t operand = mlirOpOperandGetOperandNumber(use);
            if (!tri_op_is(user, "tt.store"))
                reach_user(&f, user, operand);
            else if (operand == 1 && tri_map_find_ptr(&a->changed, array_of(a, tri_op_operand(user, 0)).ptr))
                return true;
        }
    }
    return false;
}

/* ---- who reads an element ---- */

/* Bases of lanes or sub-groups that lead to the same elements as without them. */
static int count_zero(const tri_linear *layout, tri_dim in)
{
    int zero = 0;
    for (int i = 0; i < tri_linear_in_bits(layout, in); i++) {
        bool is_zero = true;
        for (int d = 0; d < layout->out.count; d++)
            is_zero = is_zero && !tri_linear_basis_at(layout, in, i, layout->out.dim[d]);
        zero += is_zero;
    }
    return zero;
}

/* All sub-groups read the same part of some dimension. */
static bool shares_dimension(const tri_linear *layout)
{
    for (int d = 0; d < layout->out.count; d++) {
        bool is_zero = true;
        for (int i = 0; i < tri_linear_in_bits(layout, TRI_DIM_WARP); i++)
            is_zero = is_zero && !tri_linear_basis_at(layout, TRI_DIM_WARP, i, layout->out.dim[d]);
        if (is_zero)
            return true;
    }
    return false;
}

/* ---- what a loop reads again ---- */

static MlirOperation loop_around(MlirOperation op)
{
    do
        op = mlirOperationGetParentOperation(op);
    while (!mlirOperationIsNull(op) && !tri_op_is(op, "scf.for") && !tri_op_is(op, "scf.while"));
    return op;
}

/* By how much all elements of the value are larger in the next iteration; false: it is not known, or differs. */
static bool find_step(MlirOperation loop, MlirValue value, int depth, int64_t *out)
{
    MlirBlock block;
    intptr_t index;
    int64_t a = 0, b = 0;
    *out = 0;
    if (!tri_loops_is_inside(loop, value))
        return true;
    if (depth > 16 || !tri_op_is(loop, "scf.for"))
        return false;
    if (tri_op_is_block_argument(value, &block, &index)) {
        if (!mlirOperationEqual(mlirBlockGetParentOperation(block), loop))
            return false;
        if (index == 0)
            return tri_op_const_int(tri_op_operand(loop, 2), out);
        MlirValue next = tri_op_operand(tri_loops_yield(loop, 0), index - 1);
        MlirOperation add = tri_op_def(next);
        return mlirValueEqual(next, value) ||
               (!mlirOperationIsNull(add) && (tri_op_is(add, "tt.addptr") || tri_op_is(add, "arith.addi")) &&
                mlirValueEqual(tri_op_operand(add, 0), value) && tri_op_const_int(tri_op_operand(add, 1), out));
    }
    MlirOperation def = tri_op_def(value);
    bool is_sum = tri_op_is(def, "tt.addptr") || tri_op_is(def, "arith.addi"), is_times = tri_op_is(def, "arith.muli");
    if (!is_sum && !is_times)
        return (tri_op_is(def, "tt.splat") || tri_op_is(def, "tt.broadcast") || tri_op_is(def, "tt.expand_dims") ||
                tri_op_is(def, "ttg.convert_layout") || tri_op_is(def, "arith.extsi")) &&
               find_step(loop, tri_op_operand(def, 0), depth + 1, out);
    if (!find_step(loop, tri_op_operand(def, 0), depth + 1, &a) ||
        (is_sum ? !find_step(loop, tri_op_operand(def, 1), depth + 1, &b)
                : !tri_op_const_int(tri_op_operand(def, 1), &b)))
        return false;
    *out = is_sum ? a + b : a * b;
    return true;
}

/* Over all loops around the load: does each one read its elements again, may one of them? */
static void look_at_loops(MlirOperation load, bool *out_all, bool *out_any)
{
    MlirValue pointer = tri_op_operand(load, 0);
    MlirType type = mlirValueGetType(pointer);
    int64_t least = tri_type_num_elements(type), step;
    for (int d = 0; d < tri_type_rank(type); d++)
        least = tri_type_dim(type, d) < least ? tri_type_dim(type, d) : least;
    MlirOperation loop = loop_around(load);
    *out_all = !mlirOperationIsNull(loop);
    *out_any = false;
    for (; !mlirOperationIsNull(loop); loop = loop_around(loop)) {
        bool is_known = find_step(loop, pointer, 0, &step), is_again = is_known && step < least && -step < least;
        *out_all = *out_all && is_again;
        *out_any = *out_any || !is_known || is_again;
    }
}

/* ---- the pass ---- */

static bool has_room(annotator *a, MlirOperation load)
{
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    int64_t bytes = tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / 8;
    MlirOperation loop = loop_around(load);
    int64_t sum = (int64_t)(intptr_t)tri_map_find_ptr(&a->kept, loop.ptr) + bytes;
    if (bytes > MOST_LOAD || sum > MOST_LOOP)
        return false;
    tri_map_set_ptr(&a->kept, loop.ptr, (void *)(intptr_t)sum);
    return true;
}

static void annotate_load(annotator *a, MlirOperation load)
{
    MlirContext context = mlirOperationGetContext(load);
    MlirType type = mlirValueGetType(tri_op_result(load, 0));
    MlirValue root = array_of(a, tri_op_operand(load, 0));
    tri_linear layout;
    if (!tri_type_is_tensor(type) || tri_op_int(load, "cache", NO_MODIFIER) != NO_MODIFIER ||
        tri_op_int(load, "evict", NO_POLICY) != NO_POLICY || mlirValueIsNull(root) ||
        tri_map_find_ptr(&a->written, root.ptr) || is_added_up(a, tri_op_result(load, 0)))
        return;
    bool has_layout = tri_dots_linear(a->arena, type, &layout), all, any;
    if (has_layout && count_zero(&layout, TRI_DIM_LANE))
        return;
    look_at_loops(load, &all, &any);
    if (!has_layout || (!shares_dimension(&layout) && !any))
        tri_builder_set_attr(load, "cache", tri_attr_i32(context, MODIFIER_CG));
    else if (shares_dimension(&layout) && count_zero(&layout, TRI_DIM_WARP) && all && has_room(a, load))
        tri_builder_set_attr(load, "evict", tri_attr_i32(context, POLICY_LAST));
}

static bool run_annotate_cache_control(tri_pass_run *run)
{
    tri_op_list funcs = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.func", run->arena, &funcs);
    for (size_t f = 0; f < funcs.len; f++) {
        annotator a = {.arena = run->arena, .pointers = tri_pointers_create(run->arena)};
        tri_op_list ops = {0};
        tri_map_init(&a.written, run->arena);
        tri_map_init(&a.changed, run->arena);
        tri_map_init(&a.kept, run->arena);
        tri_op_collect(funcs.at[f], run->arena, &ops);
        bool is_known = find_written(&a, &ops);
        for (size_t i = 0; is_known && i < ops.len; i++)
            if (tri_op_is(ops.at[i], "tt.load"))
                annotate_load(&a, ops.at[i]);
    }
    return true;
}

const tri_pass tri_pass_annotate_cache_control = {
    .name = "annotate-cache-control",
    .help = "tell loads which cache they are worth",
    .alias = "tritonintelgpu-annotate-cache-control",
    .run = run_annotate_cache_control,
};
