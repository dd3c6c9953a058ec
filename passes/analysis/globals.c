#include "passes/analysis/globals.h"

#include "ir/analysis/scratch.h"
#include "ir/type.h"
#include "layout/plan.h"

#include "mlir-c/BuiltinAttributes.h"

/* ---- one access ---- */

static bool is_single(MlirType type)
{
    for (int d = 0; d < tri_type_rank(type); d++)
        if (tri_type_dim(type, d) != 1)
            return false;
    return true;
}

/* Blocks are written by the threads that own their elements, and loaded by all that hold them. */
static bool is_shared_by_threads(tri_arena *arena, MlirType type, bool is_write)
{
    tri_linear layout;
    if (is_single(type))
        return true;
    if (is_write || !tri_scratch_linear(arena, type, &layout))
        return false; /* or it has no layout yet */
    tri_plan_replicas r = tri_plan_find_replicas(&layout);
    return r.lane || r.warp;
}

static bool is_block_with(const tri_block_dim *d, int64_t *out_stride)
{
    return d->kind == TRI_DIM_NONE || (d->kind == TRI_DIM_RANGE && tri_sum_is_const(d->stride, out_stride));
}

/* The places of the elements, relative to the root, when the form tells them. */
static void find_places(tri_globals *g, tri_global_access *a)
{
    const tri_block_form *form = tri_pointers_form(g->pointers, a->pointer);
    tri_sums *sums = tri_pointers_sums(g->pointers);
    if (form->reason || form->base.ptr != a->root.ptr)
        return;
    const tri_sum *first = form->offset;
    for (int d = 0; d < form->rank; d++) {
        int64_t stride = 0;
        if (!is_block_with(&form->dim[d], &stride))
            return;
        if (form->dim[d].kind == TRI_DIM_NONE)
            continue;
        first = tri_sum_add(sums, first, tri_sum_mul(sums, form->dim[d].start, form->dim[d].stride));
        int64_t reach = (form->dim[d].size - 1) * stride;
        *(reach < 0 ? &a->below : &a->above) += reach < 0 ? -reach : reach;
    }
    a->first = first;
}

static void find_root(tri_globals *g, MlirValue pointer, tri_global_access *a)
{
    const char *reason;
    MlirValue culprit, root = tri_pointers_root(g->pointers, pointer, &reason, &culprit);
    if (mlirValueIsNull(root) && mlirValueIsAOpResult(culprit) &&
        (tri_op_is(tri_op_def(culprit), "tt.load") || tri_op_is(tri_op_def(culprit), "tt.int_to_ptr")))
        root = culprit;
    a->root = root;
    a->is_argument = !mlirValueIsNull(root) && mlirValueIsABlockArgument(root);
}

static bool find_kind(MlirOperation op, tri_global_access *a)
{
    a->is_atomic = tri_op_is(op, "tt.atomic_rmw") || tri_op_is(op, "tt.atomic_cas");
    a->is_write = a->is_atomic || tri_op_is(op, "tt.store");
    return a->is_write || tri_op_is(op, "tt.load");
}

/* ---- functions ---- */

static MlirOperation callee_of(MlirOperation call, MlirOperation module)
{
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(tri_op_attr(call, "callee"));
    for (MlirOperation f = mlirBlockGetFirstOperation(tri_op_body(module, 0)); !mlirOperationIsNull(f);
         f = mlirOperationGetNextInBlock(f))
        if (tri_op_is(f, "tt.func") && tri_str_equal(tri_op_symbol(f), (tri_str){name.data, name.length}))
            return f;
    return (MlirOperation){NULL};
}

static void collect_globals(tri_globals *g, MlirOperation func, MlirOperation module, int depth,
                            tri_global_list *out_all);

/* What a called function accesses, through the pointers it is given. */
static void collect_call(tri_globals *g, MlirOperation call, MlirOperation module, int depth, tri_global_list *out)
{
    enum { deepest = 16 };
    MlirOperation callee = callee_of(call, module);
    if (mlirOperationIsNull(callee) || mlirBlockIsNull(tri_op_body(callee, 0)) || depth >= deepest)
        return;
    tri_globals inner = {.arena = g->arena, .pointers = tri_pointers_create(g->arena)};
    tri_map_init(&inner.of_op, g->arena);
    tri_global_list all = {0};
    collect_globals(&inner, callee, module, depth + 1, &all);
    for (size_t i = 0; i < all.len; i++) {
        tri_global_access a = all.at[i];
        intptr_t argument = a.is_argument ? mlirBlockArgumentGetArgNumber(a.root) : -1;
        a.pointer = a.root = (MlirValue){NULL};
        a.first = NULL;
        a.is_argument = false;
        if (argument >= 0 && argument < mlirOperationGetNumOperands(call))
            find_root(g, tri_op_operand(call, argument), &a);
        tri_vec_push(g->arena, out, a);
    }
}

static void collect_op(tri_globals *g, MlirOperation op, MlirOperation module, int depth, tri_global_list *out)
{
    tri_global_access a = {0};
    if (tri_op_is(op, "tt.call")) {
        collect_call(g, op, module, depth, out);
    } else if (find_kind(op, &a)) {
        a.pointer = tri_op_operand(op, 0);
        a.is_shared = is_shared_by_threads(g->arena, mlirValueGetType(a.pointer), a.is_write);
        find_root(g, a.pointer, &a);
        tri_vec_push(g->arena, out, a);
    }
}

static void collect_globals(tri_globals *g, MlirOperation func, MlirOperation module, int depth,
                            tri_global_list *out_all)
{
    tri_op_list ops = {0};
    tri_op_collect(func, g->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        tri_global_list list = {0};
        collect_op(g, ops.at[i], module, depth, &list);
        if (!list.len)
            continue;
        tri_global_list *kept = TRI_NEW(g->arena, tri_global_list);
        *kept = list;
        tri_map_set_ptr(&g->of_op, ops.at[i].ptr, kept);
        for (size_t k = 0; k < list.len; k++)
            tri_vec_push(g->arena, out_all, list.at[k]);
    }
}

/* ---- pairs ---- */

static bool may_share_root(const tri_global_access *a, const tri_global_access *b)
{
    if (mlirValueIsNull(a->root) || mlirValueIsNull(b->root) || mlirValueEqual(a->root, b->root))
        return true;
    return !a->is_argument && !b->is_argument;
}

/* Do the same threads access the same elements? What is single is written by the program's first thread. */
static bool is_same_thread(const tri_global_access *a, const tri_global_access *b)
{
    if (!a->is_write || !b->is_write || mlirValueIsNull(a->pointer) || mlirValueIsNull(b->pointer))
        return false;
    return is_single(mlirValueGetType(a->pointer)) && is_single(mlirValueGetType(b->pointer));
}

static bool is_apart(const tri_globals *g, const tri_global_access *a, const tri_global_access *b)
{
    int64_t distance;
    if (!a->first || !b->first || a->is_old || b->is_old || !mlirValueEqual(a->root, b->root) ||
        !mlirTypeEqual(tri_type_element(mlirValueGetType(a->pointer)), tri_type_element(mlirValueGetType(b->pointer))))
        return false;
    if (!tri_sum_is_const(tri_sum_sub(tri_pointers_sums(g->pointers), b->first, a->first), &distance))
        return false;
    return distance - b->below > a->above || distance + b->above < -a->below;
}

static bool is_pair(const tri_global_access *a, const tri_global_access *b)
{
    return (a->is_write || b->is_write) && (a->is_shared || b->is_shared) && !(a->is_atomic && b->is_atomic) &&
           may_share_root(a, b) && !is_same_thread(a, b);
}

bool tri_globals_clash(const tri_globals *g, const tri_global_list *before, const tri_global_list *now)
{
    for (size_t i = 0; i < before->len; i++)
        for (size_t k = 0; k < now->len; k++)
            if (is_pair(&before->at[i], &now->at[k]) && !is_apart(g, &before->at[i], &now->at[k]))
                return true;
    return false;
}

/* ---- lists ---- */

void tri_globals_init(tri_globals *g, tri_arena *arena, MlirOperation func, MlirOperation module)
{
    *g = (tri_globals){.arena = arena, .pointers = tri_pointers_create(arena)};
    tri_map_init(&g->of_op, arena);
    tri_global_list all = {0};
    collect_globals(g, func, module, 0, &all);
    for (size_t i = 0; i < all.len && !g->is_needed; i++)
        for (size_t k = i; k < all.len && !g->is_needed; k++)
            g->is_needed = is_pair(&all.at[i], &all.at[k]);
    for (size_t i = 0; i < g->of_op.len && g->is_needed; i++) {
        tri_global_list *list = g->of_op.entries[i].value;
        for (size_t k = 0; k < list->len; k++)
            if (!mlirValueIsNull(list->at[k].pointer))
                find_places(g, &list->at[k]);
    }
}

const tri_global_list *tri_globals_of(const tri_globals *g, MlirOperation op)
{
    static const tri_global_list none = {0};
    const tri_global_list *list = g->is_needed ? tri_map_find_ptr(&g->of_op, op.ptr) : NULL;
    return list ? list : &none;
}

static bool is_same(const tri_global_access *a, const tri_global_access *b)
{
    return mlirValueEqual(a->pointer, b->pointer) && mlirValueEqual(a->root, b->root) && a->is_write == b->is_write &&
           a->is_atomic == b->is_atomic && a->is_shared == b->is_shared && a->is_old == b->is_old;
}

bool tri_globals_add(const tri_globals *g, tri_global_list *to, const tri_global_list *from)
{
    size_t before = to->len;
    for (size_t i = 0; i < from->len; i++) {
        bool is_there = false;
        for (size_t k = 0; k < to->len && !is_there; k++)
            is_there = is_same(&to->at[k], &from->at[i]);
        if (!is_there)
            tri_vec_push(g->arena, to, from->at[i]);
    }
    return to->len != before;
}

void tri_globals_age(tri_global_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        list->at[i].is_old = true;
}
