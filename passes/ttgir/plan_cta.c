/* Shares the work of a program out to the blocks of a cluster.
 *
 *     #b = blocked<{...}>                                   #b = blocked<{..., CGALayout = [[1, 0]]}>
 *     #s = blocked<{...}>                                   #s = blocked<{..., CGALayout = [[0, 0]]}>
 *     %x = tt.load %p : tensor<128x64, #b>            ->    each block of two loads 64 rows of %x, and all of %y,
 *     %y = tt.load %q : tensor<64x32, #s>                   and computes 64 rows of %d
 *     %d = tt.dot %x, %y, %c : tensor<128x32, #b>
 *
 * Dimensions of blocks of numbers that go together, element by element, are one class. Of a class that no operation
 * combines the numbers of (as sums along it do, or products whose K it is), each block of the cluster has a part; the
 * classes with the most elements come first, and a block of numbers is split along one dimension only. What is not
 * split each block of the cluster has as a whole, and computes itself; the first one stores it. So no numbers travel
 * between the blocks of a cluster.
 *
 * Needs: ttgir in front of all passes that choose layouts for products; layouts without clusters; the module says one
 * block then, and num-ctas behind the pass. Answers to triton-nvidia-gpu-plan-cta, which splits along rows or columns
 * of products, or all that is stored. Test: tests/passes/plan-cta.mlir */
#include "passes/passes.h"

#include "base/map.h"
#include "ir/builder.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/linear.h"

#include "mlir-c/BuiltinAttributes.h"

enum { NOWHERE = -1, GROUP_ROWS = 64, FEW_COLUMNS = 32, LEAST_ROWS = 16, LEAST_COLUMNS = 8 };

/* A dimension of a value; those of a class have one root. */
typedef struct {
    int parent;
    int64_t size, weight;
    bool is_whole; /* of a root: some operation wants all of it in one place */
} dimension;

typedef struct {
    MlirValue value;
    int first, rank; /* of its dimensions */
    int split;       /* the one of which each block has a part, or NOWHERE */
} tensor;

typedef struct {
    tri_pass_run *run;
    tri_arena *arena;
    int ctas;
    TRI_VEC(dimension) dims;
    TRI_VEC(tensor) tensors;
    tri_map index; /* value -> 1 + place in `tensors` */
} planner;

/* ---- classes ---- */

static int root_of_dim(planner *p, int at)
{
    while (p->dims.at[at].parent != at)
        at = p->dims.at[at].parent = p->dims.at[p->dims.at[at].parent].parent;
    return at;
}

/* Null for what is no tensor. */
static tensor *tensor_of(planner *p, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    if (!tri_type_is_tensor(type))
        return NULL;
    size_t known = (size_t)(uintptr_t)tri_map_find_ptr(&p->index, value.ptr);
    if (known)
        return &p->tensors.at[known - 1];
    tensor t = {.value = value, .first = (int)p->dims.len, .rank = tri_type_rank(type), .split = NOWHERE};
    for (int d = 0; d < t.rank; d++) {
        dimension dim = {.parent = t.first + d, .size = tri_type_dim(type, d), .weight = tri_type_num_elements(type)};
        tri_vec_push(p->arena, &p->dims, dim);
    }
    tri_vec_push(p->arena, &p->tensors, t);
    tri_map_set_ptr(&p->index, value.ptr, (void *)(uintptr_t)p->tensors.len);
    return &p->tensors.at[p->tensors.len - 1];
}

static void keep_whole(planner *p, MlirValue value, int dim)
{
    tensor *t = tensor_of(p, value);
    for (int d = 0; t && d < t->rank; d++)
        if (dim == NOWHERE || d == dim)
            p->dims.at[root_of_dim(p, t->first + d)].is_whole = true;
}

/* Element i of one goes with element i of the other. */
static void unite_dims(planner *p, MlirValue x, int xd, MlirValue y, int yd)
{
    int a = root_of_dim(p, tensor_of(p, x)->first + xd), b = root_of_dim(p, tensor_of(p, y)->first + yd);
    dimension *to = &p->dims.at[a], *from = &p->dims.at[b];
    if (a == b || ((to->size == 1 || from->size == 1) && to->size != from->size))
        return;
    to->is_whole = to->is_whole || from->is_whole || to->size != from->size;
    to->weight += from->weight;
    from->parent = a;
}

static void share_split(planner *p, MlirValue x, MlirValue y)
{
    tensor *a = tensor_of(p, x), *b = tensor_of(p, y);
    int rank = a && b && a->rank == b->rank ? a->rank : 0;
    for (int d = 0; d < rank; d++)
        unite_dims(p, x, d, y, d);
}

static void unite_all(planner *p, MlirOperation op)
{
    MlirValue first = {NULL};
    intptr_t operands = mlirOperationGetNumOperands(op), n = operands + mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue value = i < operands ? tri_op_operand(op, i) : tri_op_result(op, i - operands);
        if (!tensor_of(p, value))
            continue;
        if (mlirValueIsNull(first))
            first = value;
        share_split(p, first, value);
    }
}

static void keep_all_whole(planner *p, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        keep_whole(p, tri_op_operand(op, i), NOWHERE);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        keep_whole(p, tri_op_result(op, i), NOWHERE);
}

/* ---- operations ---- */

static bool goes_by_element(MlirOperation op)
{
    static const char *const others[] = {"tt.load", "tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.broadcast",
                                         "ttg.convert_layout", "arith.select", "arith.constant", "tt.splat",
                                         "tt.make_range", "tt.print", "tt.assert"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tri_op_is(op, others[i]))
            return true;
    return tri_op_in(op, TRI_OPS_ELEMENTWISE);
}

static void share_product(planner *p, MlirOperation dot)
{
    MlirValue a = tri_op_operand(dot, 0), b = tri_op_operand(dot, 1), c = tri_op_operand(dot, 2),
              d = tri_op_result(dot, 0);
    int rows = tensor_of(p, d)->rank - 2, columns = rows + 1;
    share_split(p, c, d);
    for (int i = 0; i < rows; i++) {
        unite_dims(p, d, i, a, i);
        unite_dims(p, d, i, b, i);
    }
    unite_dims(p, d, rows, a, rows);
    unite_dims(p, d, columns, b, columns);
    keep_whole(p, a, columns);
    keep_whole(p, b, rows);
    /* a part fills an instruction of one warp */
    if (tri_type_dim(mlirValueGetType(d), rows) / p->ctas < LEAST_ROWS)
        keep_whole(p, d, rows);
    if (tri_type_dim(mlirValueGetType(d), columns) / p->ctas < LEAST_COLUMNS)
        keep_whole(p, d, columns);
    /* rows first, where a part of them still fills an instruction of four warps */
    MlirType type = mlirValueGetType(d);
    bool has_rows = tri_type_dim(type, rows) / p->ctas >= GROUP_ROWS ||
                    tri_type_dim(type, columns) / p->ctas < FEW_COLUMNS;
    p->dims.at[root_of_dim(p, tensor_of(p, d)->first + (has_rows ? rows : columns))].weight += INT32_MAX;
}

/* What is made along an axis needs all of it; the other dimensions go together. */
static void visit_along_axis(planner *p, MlirOperation op, bool drops_axis)
{
    int axis = (int)tri_op_int(op, "axis", 0);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue from = tri_op_operand(op, i), to = tri_op_result(op, i);
        share_split(p, tri_op_operand(op, 0), from);
        keep_whole(p, from, axis);
        for (int d = 0; tensor_of(p, to) && d < tensor_of(p, from)->rank; d++)
            if (d != axis || !drops_axis)
                unite_dims(p, from, d, to, d - (drops_axis && d > axis));
    }
}

static void share_view(planner *p, MlirOperation op)
{
    MlirValue from = tri_op_operand(op, 0), to = tri_op_result(op, 0);
    int32_t order[TRI_MAX_RANK];
    if (tri_op_is(op, "tt.expand_dims")) {
        int axis = (int)tri_op_int(op, "axis", 0);
        for (int d = 0; d < tensor_of(p, from)->rank; d++)
            unite_dims(p, from, d, to, d + (d >= axis));
    } else if (tri_op_is(op, "tt.trans") && tri_op_i32s(op, "order", order, TRI_MAX_RANK) > 0) {
        for (int d = 0; d < tensor_of(p, to)->rank; d++)
            unite_dims(p, to, d, from, order[d]);
    } else {
        keep_all_whole(p, op);
    }
}

/* What regions get, yield and give. */
static void share_region(planner *p, MlirOperation op)
{
    bool is_for = tri_op_is(op, "scf.for");
    if (!is_for && !tri_op_is(op, "scf.if")) {
        keep_all_whole(p, op);
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock block = tri_op_body(op, (int)r);
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
                keep_whole(p, mlirBlockGetArgument(block, i), NOWHERE);
            keep_all_whole(p, mlirBlockGetTerminator(block));
        }
        return;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op) && tensor_of(p, tri_op_result(op, i)); r++) {
            MlirBlock block = tri_op_body(op, (int)r);
            share_split(p, tri_op_result(op, i), tri_op_operand(mlirBlockGetTerminator(block), i));
            if (!is_for)
                continue;
            share_split(p, tri_op_result(op, i), mlirBlockGetArgument(block, i + 1));
            share_split(p, tri_op_result(op, i), tri_op_operand(op, i + 3));
        }
}

static void visit_op_dims(planner *p, MlirOperation op)
{
    MlirAttribute value = tri_op_is(op, "arith.constant") ? tri_op_attr(op, "value") : (MlirAttribute){NULL};
    bool is_table =
        value.ptr && mlirAttributeIsADenseElements(value) && !mlirDenseElementsAttrIsSplat(value);
    if (is_table)
        keep_all_whole(p, op);
    else if (tri_op_is(op, "tt.dot"))
        share_product(p, op);
    else if (tri_op_is(op, "tt.reduce") || tri_op_is(op, "tt.scan"))
        visit_along_axis(p, op, tri_op_is(op, "tt.reduce"));
    else if (goes_by_element(op))
        unite_all(p, op);
    else if (tri_op_in(op, TRI_OPS_VIEW))
        share_view(p, op);
    else if (mlirOperationGetNumRegions(op))
        share_region(p, op);
    else if (!tri_op_is(op, "scf.yield") && !tri_op_is(op, "tt.reduce.return") && !tri_op_is(op, "tt.scan.return"))
        keep_all_whole(p, op);
}

/* ---- one value for each user ---- */

/* Made of ranges and scalars alone, as addresses and masks are. */
static bool is_made_of_ranges(planner *p, tri_map *made, MlirOperation op)
{
    if (mlirOperationGetNumResults(op) != 1 || !tensor_of(p, tri_op_result(op, 0)))
        return false;
    bool is_step = tri_op_in(op, TRI_OPS_ELEMENTWISE) || tri_op_is(op, "ttg.convert_layout") ||
                   tri_op_is(op, "tt.expand_dims") || tri_op_is(op, "tt.broadcast");
    bool is = (is_step && tri_op_is_pure(op)) || tri_op_is(op, "arith.constant") || tri_op_is(op, "tt.splat") ||
              tri_op_is(op, "tt.make_range");
    for (intptr_t i = 0; is && i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation def = tri_op_def(tri_op_operand(op, i));
        is = !tensor_of(p, tri_op_operand(op, i)) || (!mlirOperationIsNull(def) && tri_map_find_ptr(made, def.ptr));
    }
    return is;
}

/* Each user but the first gets a copy, in front of it. */
static void copy_for_users(planner *p, MlirOperation op, int *budget)
{
    tri_op_list users = {0};
    TRI_VEC(intptr_t) places = {0};
    for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        tri_vec_push(p->arena, &users, mlirOpOperandGetOwner(use));
        tri_vec_push(p->arena, &places, mlirOpOperandGetOperandNumber(use));
    }
    for (size_t i = 1; i < users.len && --*budget > 0; i++) {
        tri_builder b = tri_builder_before(users.at[i]);
        b.loc = mlirOperationGetLocation(op);
        mlirOperationSetOperand(users.at[i], places.at[i], tri_op_result(tri_op_clone(&b, op, 0, NULL, NULL), 0));
    }
}

/* Rows and columns of as many elements have been given the same range by then: they are not one class for that. */
static void part_ranges(planner *p, const tri_op_list *ops)
{
    enum { most = 4096 };
    int budget = most;
    tri_map made;
    tri_map_init(&made, p->arena);
    for (size_t i = 0; i < ops->len; i++)
        if (is_made_of_ranges(p, &made, ops->at[i]))
            tri_map_set_ptr(&made, ops->at[i].ptr, ops->at[i].ptr);
    for (size_t i = ops->len; i-- > 0;)
        if (tri_map_find_ptr(&made, ops->at[i].ptr))
            copy_for_users(p, ops->at[i], &budget);
}

/* ---- the choice ---- */

/* Whether each value with a dimension of the class has one only, and is not split yet. */
static bool can_split(planner *p, int root)
{
    for (size_t i = 0; i < p->tensors.len; i++) {
        const tensor *t = &p->tensors.at[i];
        int count = 0;
        for (int d = 0; d < t->rank; d++)
            count += root_of_dim(p, t->first + d) == root;
        if (count > 1 || (count && t->split != NOWHERE))
            return false;
    }
    return true;
}

static void split_class(planner *p, int root)
{
    for (size_t i = 0; i < p->tensors.len; i++)
        for (int d = 0; d < p->tensors.at[i].rank; d++)
            if (root_of_dim(p, p->tensors.at[i].first + d) == root)
                p->tensors.at[i].split = d;
}

/* The heaviest class that is left; NOWHERE behind the last. */
static int next_class(planner *p)
{
    int best = NOWHERE;
    for (int i = 0; i < (int)p->dims.len; i++) {
        const dimension *d = &p->dims.at[i];
        if (d->parent == i && !d->is_whole && d->size >= p->ctas && d->size % p->ctas == 0 &&
            (best == NOWHERE || d->weight > p->dims.at[best].weight))
            best = i;
    }
    return best;
}

static void choose_classes(planner *p)
{
    for (int root; (root = next_class(p)) != NOWHERE;) {
        if (can_split(p, root))
            split_class(p, root);
        p->dims.at[root].is_whole = true; /* done with */
    }
}

/* ---- layouts ---- */

static tri_bases bases_for(const planner *p, int split)
{
    tri_bases b = {.count = tri_linear_log2(p->ctas)};
    for (int i = 0; i < b.count && split != NOWHERE; i++)
        b.at[i][split] = 1 << i;
    return b;
}

static const tri_encoding *with_blocks(planner *p, const tri_encoding *e, int split, int product_split)
{
    tri_encoding *made = TRI_NEW(p->arena, tri_encoding);
    *made = *e;
    if (e->kind == TRI_ENC_SLICE)
        made->parent =
            with_blocks(p, e->parent, split == NOWHERE ? NOWHERE : split + (split >= e->slice.dim), product_split);
    else if (e->kind == TRI_ENC_DOT_OP)
        made->parent = with_blocks(p, e->parent, product_split, NOWHERE);
    else if (e->kind == TRI_ENC_LINEAR || e->kind == TRI_ENC_GENERIC_LINEAR)
        made->linear.block = bases_for(p, NOWHERE);
    else
        made->cga = bases_for(p, split);
    return made;
}

/* The dimension along which the product is split whose operand a value is; NOWHERE for other values. */
static int split_of_product(planner *p, MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (tri_op_is(mlirOpOperandGetOwner(use), "tt.dot"))
            return tensor_of(p, tri_op_result(mlirOpOperandGetOwner(use), 0))->split;
    return NOWHERE;
}

static bool has_linear(planner *p, MlirValue value)
{
    const tri_encoding *e = tri_encoding_get(p->arena, tri_type_encoding(mlirValueGetType(value)));
    while (e && e->kind == TRI_ENC_SLICE)
        e = e->parent;
    return !e || (e->kind != TRI_ENC_BLOCKED && e->kind != TRI_ENC_DOT_OP);
}

static void spread_tensor(planner *p, const tensor *t)
{
    MlirType type = mlirValueGetType(t->value);
    const tri_encoding *e = tri_encoding_get(p->arena, tri_type_encoding(type));
    if (!e)
        return;
    e = with_blocks(p, e, t->split, split_of_product(p, t->value));
    MlirType made = tri_type_with_encoding(type, tri_encoding_make(p->run->unit->mlir, e));
    MlirOperation def = tri_op_def(t->value);
    tri_op_set_type(t->value, made);
    if (!mlirOperationIsNull(def) && tri_op_is(def, "arith.constant"))
        tri_builder_set_attr(def, "value", mlirDenseElementsAttrReshapeGet(tri_op_attr(def, "value"), made));
}

static void plan_function(planner *p, MlirOperation func)
{
    tri_op_list ops = {0};
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
    tri_op_collect(func, p->arena, &ops);
    part_ranges(p, &ops);
    *p = (planner){.run = p->run, .arena = p->arena, .ctas = p->ctas};
    tri_map_init(&p->index, p->arena);
    ops.len = 0;
    tri_op_collect(func, p->arena, &ops);
    for (intptr_t i = 0; entry.ptr && i < mlirBlockGetNumArguments(entry); i++)
        keep_whole(p, mlirBlockGetArgument(entry, i), NOWHERE); /* callers have no say in it */
    for (size_t i = 0; i < ops.len; i++)
        visit_op_dims(p, ops.at[i]);
    for (size_t i = 0; i < p->tensors.len; i++)
        if (has_linear(p, p->tensors.at[i].value))
            keep_whole(p, p->tensors.at[i].value, NOWHERE);
    choose_classes(p);
    for (size_t i = 0; i < p->tensors.len; i++)
        spread_tensor(p, &p->tensors.at[i]);
}

static bool run_plan_cta(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    int64_t ctas = tri_passes_option_int(run, "num-ctas", tri_op_int(module, "ttg.num-ctas", 1));
    tri_op_list funcs = {0};
    if (ctas <= 1 || tri_op_int(module, "ttg.num-ctas", 1) != 1)
        return true;
    tri_op_collect_named(module, "tt.func", run->arena, &funcs);
    for (size_t i = 0; i < funcs.len; i++) {
        planner p = {.run = run, .arena = run->arena, .ctas = (int)ctas};
        tri_map_init(&p.index, run->arena);
        plan_function(&p, funcs.at[i]);
    }
    tri_builder_set_attr(module, "ttg.num-ctas", tri_attr_i32(run->unit->mlir, (int32_t)ctas));
    return true;
}

static const char *const options[] = {"num-ctas=N: blocks of a cluster (1)", NULL};

const tri_pass tri_pass_plan_cta = {
    .name = "plan-cta",
    .help = "share the work of a program out to the blocks of a cluster",
    .alias = "triton-nvidia-gpu-plan-cta",
    .options = options,
    .run = run_plan_cta,
};
