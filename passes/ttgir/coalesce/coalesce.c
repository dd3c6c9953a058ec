/* Lays tensors of pointers out so that neighbouring threads touch neighbouring memory, each as much
 * as one access can move.
 *
 *     %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>     // one element per thread and access
 *   becomes
 *     %q = ttg.convert_layout %p : ... -> tensor<1024x!tt.ptr<f32>, #blocked1>  // sizePerThread = [4]
 *     %w = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked1>
 *     %v = ttg.convert_layout %w : ... -> tensor<1024xf32, #blocked>
 *
 * Needs: layouts, and facts about pointers (ir/analysis/axis_info.h). Afterwards: each load, store
 * and atomic on tensors has the layout that suits its own pointers; remove-layout-conversions
 * cleans up. Answers to tritongpu-coalesce. Test: tests/passes/coalesce.mlir */
#include "passes/passes.h"
#include "passes/ttgir/coalesce/coalesce.h"

#include "base/map.h"
#include "ir/analysis/axis_info.h"
#include "ir/encoding.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

#include <string.h>

typedef struct {
    MlirOperation op;
    int rank;
    int64_t shape[TRI_MAX_RANK];
    int64_t shape_per_cta[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK]; /* by contiguity of the pointers */
    int ties;                    /* that many of the first are equal */
    int64_t per_thread;          /* elements one access can move; 0 for descriptor ops */
    void *component;
    MlirAttribute encoding; /* chosen */
} access;

typedef TRI_VEC(access) access_list;

typedef struct {
    tri_pass_run *run;
    tri_launch launch;
    const tri_axis_info *info;
    access_list accesses;
    tri_map component_of; /* MlirOperation.ptr -> number of the data flow it belongs to */
} coalescer;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* Text of an earlier stage has none; there is nothing to choose for it yet. */
static bool has_layout(MlirType type)
{
    return tri_type_is_tensor(type) && !mlirAttributeIsNull(tri_type_encoding(type));
}

static bool is_memory_op(MlirOperation op)
{
    if (!tri_op_in(op, TRI_OPS_ACCESS))
        return false;
    MlirType type = mlirValueGetType(tri_op_operand(op, 0));
    return tri_type_is_tensor(type) && tri_type_is_ptr(tri_type_element(type)) && has_layout(type);
}

/* The tensor that a descriptor access moves, or null. */
static MlirValue descriptor_tensor(MlirOperation op)
{
    if (tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather"))
        return tri_op_result(op, 0);
    if (tri_op_is(op, "tt.descriptor_store") || tri_op_is(op, "tt.descriptor_reduce"))
        return tri_op_operand(op, 1);
    if (tri_op_is(op, "tt.descriptor_scatter"))
        return tri_op_operand(op, 3);
    return (MlirValue){NULL};
}

/* Most elements of one atomic instruction. */
static int64_t atomic_limit(const coalescer *c, MlirOperation op, MlirType element)
{
    if (tri_op_is(op, "tt.atomic_cas"))
        return 1;
    if (!tri_op_is(op, "tt.atomic_rmw"))
        return 128;
    unsigned bits = tri_type_bits(element);
    if (!tri_type_is_float(element) || bits == 64)
        return 1;
    const tri_machine_facts *facts = tri_machines_of(mlirModuleGetOperation(c->run->module));
    if (!facts->is_atomic_add_limited)
        return 128;
    enum { fadd = 5 };
    if (tri_op_int(op, "atomic_rmw_op", fadd) != fadd)
        return bits == 16 && facts->has_half_reduction ? 128 / bits : 1;
    unsigned most = (unsigned)(mlirTypeIsAF16(element)    ? facts->f16_add_bits
                               : mlirTypeIsABF16(element) ? facts->bf16_add_bits
                                                          : facts->f32_add_bits);
    return most > bits ? most / bits : 1;
}

static int64_t per_thread_of(const coalescer *c, const access *a)
{
    MlirValue ptr = tri_op_operand(a->op, 0);
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(mlirValueGetType(ptr)));
    const tri_axis *axis = tri_axis_info_get(c->info, ptr);
    int d = a->order[0];
    int64_t bits = tri_type_bits(pointee);
    int64_t alignment = max64(axis->divisibility[d] / max64(bits / 8, 1), 1);
    int64_t n = min64(alignment, min64(axis->contiguity[d], a->shape_per_cta[d]));
    n = min64(n, max64(128 / bits, 1));
    return min64(n, atomic_limit(c, a->op, pointee));
}

/* Most contiguous dimension first; of equals the last one. */
static void sort_order(const tri_axis *axis, access *a)
{
    for (int i = 0; i < a->rank; i++) {
        int d = a->rank - 1 - i, at = i;
        for (; at > 0 && axis->contiguity[a->order[at - 1]] < axis->contiguity[d]; at--)
            a->order[at] = a->order[at - 1];
        a->order[at] = d;
    }
    while (a->ties < a->rank && axis->contiguity[a->order[a->ties]] == axis->contiguity[a->order[0]])
        a->ties++;
}

static void set_shape(const coalescer *c, access *a, MlirType type)
{
    a->rank = tri_type_rank(type);
    for (int d = 0; d < a->rank; d++)
        a->shape[d] = tri_type_dim(type, d);
    tri_encoding plain = tri_blocked_default(a->rank, a->shape, c->launch);
    tri_blocked_shape_per_cta(&plain, a->shape, a->shape_per_cta);
}

static void collect_coalesce(coalescer *c, const tri_op_list *ops)
{
    for (size_t i = 0; i < ops->len; i++) {
        access a = {.op = ops->at[i]};
        MlirValue moved = descriptor_tensor(a.op);
        if (is_memory_op(a.op)) {
            MlirValue ptr = tri_op_operand(a.op, 0);
            set_shape(c, &a, mlirValueGetType(ptr));
            sort_order(tri_axis_info_get(c->info, ptr), &a);
            a.per_thread = per_thread_of(c, &a);
        } else if (!mlirValueIsNull(moved) && has_layout(mlirValueGetType(moved))) {
            set_shape(c, &a, mlirValueGetType(moved));
        } else {
            continue;
        }
        if (a.rank == 0)
            continue;
        tri_vec_push(c->run->arena, &c->accesses, a);
    }
}

/* ---- accesses that share data flow should share a layout ---- */

typedef struct {
    coalescer *c;
    void *component;
    tri_op_list todo;
} flood;

static void reach(flood *f, MlirOperation op)
{
    if (mlirOperationIsNull(op) || tri_map_find_ptr(&f->c->component_of, op.ptr))
        return;
    tri_map_set_ptr(&f->c->component_of, op.ptr, f->component);
    tri_vec_push(f->c->run->arena, &f->todo, op);
}

static void reach_users(flood *f, MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        reach(f, mlirOpOperandGetOwner(use));
}

static void reach_operands(flood *f, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirBlock block;
        intptr_t index;
        if (!tri_op_is_block_argument(tri_op_operand(op, i), &block, &index))
            reach(f, tri_op_def(tri_op_operand(op, i)));
        else if (!tri_op_is(mlirBlockGetParentOperation(block), "tt.func"))
            reach(f, mlirBlockGetParentOperation(block));
    }
}

/* Everything that `root` depends on or that depends on it, and so on: a connected component, the
 * same from whichever member the search starts. */
static void flood_from(coalescer *c, MlirOperation root, void *component)
{
    flood f = {.c = c, .component = component};
    reach(&f, root);
    for (size_t i = 0; i < f.todo.len; i++) {
        MlirOperation op = f.todo.at[i];
        reach_operands(&f, op);
        for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++)
            reach_users(&f, tri_op_result(op, k));
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock body = tri_op_body(op, (int)r);
            for (intptr_t k = 0; !mlirBlockIsNull(body) && k < mlirBlockGetNumArguments(body); k++)
                reach_users(&f, mlirBlockGetArgument(body, k));
        }
    }
}

static void find_components(coalescer *c)
{
    for (size_t i = 0; i < c->accesses.len; i++) {
        access *a = &c->accesses.at[i];
        flood_from(c, a->op, (void *)(uintptr_t)(i + 1));
        a->component = tri_map_find_ptr(&c->component_of, a->op.ptr);
    }
}

static bool shares_order(const access *a, const access *b)
{
    if (!b->per_thread || a->rank != b->rank)
        return false;
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d] || a->order[d] != b->order[d])
            return false;
    return true;
}

static int64_t elements_of(const access *a)
{
    int64_t n = 1;
    for (int d = 0; d < a->rank; d++)
        n *= a->shape_per_cta[d];
    return n;
}

/* ---- where the pointers do not say which dimension is the fastest ---- */

static bool has_shape_of(const access *a, const access *b)
{
    bool same = a->rank == b->rank && a->component == b->component && b->per_thread;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d] == b->shape[d];
    return same;
}

static bool shares_tie(const access *a, const access *b)
{
    bool same = has_shape_of(a, b) && a->ties == b->ties;
    for (int i = 0; same && i < a->rank; i++)
        same = a->order[i] == b->order[i];
    return same;
}

static void move_first(int32_t *order, int at)
{
    int32_t d = order[at];
    for (; at > 0; at--)
        order[at] = order[at - 1];
    order[0] = d;
}

/* All of a tie's accesses pay for one order, and for conversions to accesses of their shape that need another. */
static int64_t cost_of(const coalescer *c, const access *a, const int32_t *order)
{
    int64_t cost = 0, elements = max64(elements_of(a) / ((int64_t)c->launch.warps * c->launch.lanes), 1);
    for (size_t i = 0; i < c->accesses.len; i++) {
        const access *b = &c->accesses.at[i];
        if (shares_tie(a, b))
            cost += tri_coalesce_cost(c->run->arena, c->launch, b->op, b->rank, b->shape_per_cta, order);
        else if (has_shape_of(a, b) && b->ties <= 1 && b->order[0] != order[0])
            cost += 4 * elements;
    }
    return cost;
}

/* Gives a tie the order that costs its threads least; of equals the last dimension, which tends to be near in memory,
 * or, where several are contiguous, the first. */
static void break_tie(coalescer *c, size_t first)
{
    access whole = c->accesses.at[first];
    int32_t best[TRI_MAX_RANK];
    int64_t least = INT64_MAX;
    bool is_wide = tri_axis_info_get(c->info, tri_op_operand(whole.op, 0))->contiguity[whole.order[0]] > 1;
    for (int i = 0; i < whole.ties; i++) {
        int32_t order[TRI_MAX_RANK];
        memcpy(order, whole.order, sizeof order);
        move_first(order, i);
        int64_t cost = whole.shape[order[0]] > 1 ? cost_of(c, &whole, order) : INT64_MAX;
        if (cost < least || (is_wide && cost == least && cost < INT64_MAX)) {
            least = cost;
            memcpy(best, order, sizeof best);
        }
    }
    for (size_t i = c->accesses.len; least < INT64_MAX && i-- > first;) {
        access *b = &c->accesses.at[i];
        if (shares_tie(&whole, b)) {
            memcpy(b->order, best, sizeof best);
            b->per_thread = per_thread_of(c, b);
            b->ties = 1;
        }
    }
}

static void break_ties(coalescer *c)
{
    for (size_t i = 0; i < c->accesses.len; i++)
        if (c->accesses.at[i].per_thread && c->accesses.at[i].ties > 1)
            break_tie(c, i);
}

static int64_t choose_size(const coalescer *c, const access *a)
{
    int64_t n = a->per_thread;
    if (!mlirOperationIsNull(tri_op_def(tri_op_operand(a->op, 0))))
        for (size_t i = 0; i < c->accesses.len; i++)
            if (c->accesses.at[i].component == a->component && shares_order(a, &c->accesses.at[i]))
                n = max64(n, c->accesses.at[i].per_thread);
    n = min64(n, max64(elements_of(a) / ((int64_t)c->launch.warps * c->launch.lanes), 1));
    /* a store wider than one instruction would leave gaps between lanes */
    return tri_op_is(a->op, "tt.load") ? n : min64(n, a->per_thread);
}

static void choose_coalesce(coalescer *c, access *a)
{
    int32_t size[TRI_MAX_RANK];
    for (int d = 0; d < a->rank; d++)
        size[d] = 1;
    if (a->per_thread) {
        size[a->order[0]] = (int32_t)choose_size(c, a);
    } else {
        MlirType element = tri_type_element(mlirValueGetType(descriptor_tensor(a->op)));
        int64_t each = max64(elements_of(a) / ((int64_t)c->launch.warps * c->launch.lanes), 1);
        for (int d = 0; d < a->rank; d++)
            a->order[d] = a->rank - 1 - d;
        size[a->rank - 1] = (int32_t)min64(min64(each, 128 / tri_type_bits(element)), a->shape_per_cta[a->rank - 1]);
    }
    tri_encoding e = tri_blocked_make(a->rank, a->shape, size, a->order, c->launch);
    a->encoding = tri_encoding_make(c->run->unit->mlir, &e);
}

/* ---- rewriting ---- */

/* Row indices of a descriptor gather or scatter keep their own layout. */
static bool is_fixed_operand(MlirOperation op, intptr_t i)
{
    return i == 1 && (tri_op_is(op, "tt.descriptor_gather") || tri_op_is(op, "tt.descriptor_scatter"));
}

static void relayout_result(MlirOperation op, intptr_t i, MlirAttribute encoding)
{
    MlirValue result = tri_op_result(op, i);
    MlirType old = mlirValueGetType(result);
    MlirType type = tri_type_is_tensor(old) ? tri_type_with_encoding(old, encoding) : old;
    if (mlirTypeEqual(type, old))
        return;
    tri_builder b = tri_builder_after(op);
    tri_op_set_type(result, type);
    MlirValue back = tri_builder_unary(&b, "ttg.convert_layout", old, result);
    mlirValueReplaceAllUsesOfWith(result, back);
    mlirOperationSetOperand(tri_op_def(back), 0, result);
}

void tri_coalesce_relayout(MlirOperation op, MlirAttribute encoding)
{
    tri_builder b = tri_builder_before(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i);
        MlirType type = mlirValueGetType(value);
        if (!tri_type_is_tensor(type) || is_fixed_operand(op, i) ||
            mlirAttributeEqual(tri_type_encoding(type), encoding))
            continue;
        MlirType wanted = tri_type_with_encoding(type, encoding);
        mlirOperationSetOperand(op, i, tri_builder_unary(&b, "ttg.convert_layout", wanted, value));
    }
    for (intptr_t i = mlirOperationGetNumResults(op); i-- > 0;)
        relayout_result(op, i, encoding);
}

static bool run_coalesce(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    coalescer c = {.run = run, .launch = tri_blocked_launch(module)};
    c.info = tri_axis_info_create(run->arena, module);
    tri_map_init(&c.component_of, run->arena);
    tri_op_list ops = {0};
    tri_op_collect(module, run->arena, &ops);
    collect_coalesce(&c, &ops);
    find_components(&c);
    break_ties(&c);
    for (size_t i = 0; i < c.accesses.len; i++)
        choose_coalesce(&c, &c.accesses.at[i]);
    for (size_t i = 0; i < c.accesses.len; i++)
        tri_coalesce_relayout(c.accesses.at[i].op, c.accesses.at[i].encoding);
    return true;
}

const tri_pass tri_pass_coalesce = {
    .name = "coalesce",
    .help = "lay out memory accesses so that they are wide and contiguous across threads",
    .alias = "tritongpu-coalesce",
    .run = run_coalesce,
};
