/* Replaces a conversion by computing its source again in the wanted layout, where that is cheaper.
 *
 *     %r = tt.make_range ... #a                     %s = tt.make_range ... #b
 *     %o = arith.addi %r, %r : ... #a               %p = arith.addi %s, %s : ... #b
 *     %c = ttg.convert_layout %o : #a -> #b
 *
 * Part of remove-layout-conversions. Slices reach through loop-carried values and conditionals; a
 * copy made once is used again. Conversions to dot operands are left to the matmul passes. */
#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/loops.h"

#include <stdlib.h>

/* ---- bookkeeping ---- */

static void put_copy(tri_remat *r, tri_remat_copy_list *list, tri_remat_copy copy)
{
    tri_vec_push(r->arena, list, copy);
    tri_map_set_ptr(&r->copies, copy.value.ptr, list);
}

static tri_remat_copy_list *copies_of(tri_remat *r, MlirValue value)
{
    tri_remat_copy_list *list = tri_map_find_ptr(&r->copies, value.ptr);
    if (!list) {
        list = TRI_NEW(r->arena, tri_remat_copy_list);
        put_copy(r, list, (tri_remat_copy){tri_layouts_of(value), value});
    }
    return list;
}

/* The two are one value, in layouts that may differ: all copies of either are copies of both. */
static void add_copy(tri_remat *r, MlirValue of, MlirValue copy)
{
    tri_remat_copy_list *list = copies_of(r, of), *other = copies_of(r, copy);
    for (size_t i = 0; list != other && i < other->len; i++)
        put_copy(r, list, other->at[i]);
}

/* A value is about to go and `now` stands for it, wherever it is remembered. */
static void rename_value(tri_remat *r, MlirValue old, MlirValue now)
{
    tri_remat_copy_list *list = tri_map_find_ptr(&r->copies, old.ptr);
    if (!list)
        return;
    add_copy(r, now, old);
    list = tri_map_find_ptr(&r->copies, old.ptr);
    for (size_t i = 0; i < list->len; i++)
        if (mlirValueEqual(list->at[i].value, old))
            list->at[i--] = list->at[--list->len];
    tri_map_set_ptr(&r->copies, old.ptr, NULL);
}

static void rename_in_slice(tri_slice *slice, MlirValue old, MlirValue now)
{
    void *index = tri_map_find_ptr(&slice->index, old.ptr);
    if (index) {
        tri_map_set_ptr(&slice->index, old.ptr, NULL);
        tri_map_set_ptr(&slice->index, now.ptr, index);
    }
    for (size_t i = 0; i < slice->values.len; i++) {
        if (mlirValueEqual(slice->values.at[i].value, old))
            slice->values.at[i].value = now;
        if (mlirValueEqual(slice->values.at[i].existing, old))
            slice->values.at[i].existing = now;
    }
}

/* ---- rewriting a slice ---- */

typedef struct {
    tri_remat *r;
    tri_slice *slice;
    tri_map made; /* MlirValue.ptr -> the new value */
} rewriter;

/* A position in the slice: one op to repeat, or one loop or conditional to extend. */
typedef struct {
    MlirOperation op;
    bool is_loop;
    uintptr_t block; /* of the function: blocks come after those that dominate them */
} work;

static MlirValue new_value(const rewriter *w, MlirValue value)
{
    const tri_slice_value *v = tri_remat_find(w->slice, value);
    if (!v)
        return value;
    if (!mlirValueIsNull(v->existing))
        return v->existing;
    void *made = tri_map_find_ptr(&w->made, value.ptr);
    return made ? (MlirValue){made} : value;
}

static void set_new(rewriter *w, MlirValue value, MlirValue made)
{
    tri_map_set_ptr(&w->made, value.ptr, (void *)made.ptr);
    add_copy(w->r, value, made);
}

static MlirType wanted_type(const tri_slice_value *v)
{
    return tri_type_with_encoding(mlirValueGetType(v->value), v->encoding);
}

static void repeat_convert(rewriter *w, MlirOperation op, const tri_slice_value *v)
{
    MlirValue source = tri_op_operand(op, 0);
    if (!mlirAttributeEqual(tri_layouts_of(source), v->encoding)) {
        tri_builder b = tri_builder_after(op);
        source = tri_builder_unary(&b, "ttg.convert_layout", wanted_type(v), source);
    }
    set_new(w, v->value, source);
}

/* The op once more, on the new operands. */
static void repeat_op(rewriter *w, MlirOperation op)
{
    MlirValue first = tri_op_result(op, 0);
    if (tri_op_is(op, "ttg.convert_layout")) {
        repeat_convert(w, op, tri_remat_find(w->slice, first));
        return;
    }
    tri_builder b = tri_builder_after(op);
    intptr_t n = mlirOperationGetNumOperands(op);
    bool is_leaf = tri_layouts_is_free(w->r->layouts, op);
    MlirOperation clone = tri_op_clone(&b, op, 0, NULL, NULL);
    for (intptr_t i = 0; i < n && !is_leaf; i++)
        mlirOperationSetOperand(clone, i, new_value(w, tri_op_operand(op, i)));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        const tri_slice_value *v = tri_remat_find(w->slice, tri_op_result(op, i));
        if (!v)
            continue;
        tri_layouts_retype(clone, i, wanted_type(v));
        set_new(w, v->value, tri_op_result(clone, i));
    }
}

/* A value of the slice that has no copy yet. */
static bool is_to_make(const rewriter *w, MlirValue value)
{
    const tri_slice_value *v = tri_remat_find(w->slice, value);
    return v && mlirValueIsNull(v->existing);
}

static MlirOperation extend_loop(rewriter *w, MlirOperation loop)
{
    tri_arena *arena = w->r->arena;
    MlirBlock body = tri_op_body(loop, 0);
    intptr_t old = mlirOperationGetNumResults(loop), n = 0;
    MlirValue *inits = TRI_NEW_ARRAY(arena, MlirValue, old + 1),
              *old_results = TRI_NEW_ARRAY(arena, MlirValue, old + 1);
    intptr_t *which = TRI_NEW_ARRAY(arena, intptr_t, old + 1);
    for (intptr_t i = 0; i < old; i++) {
        old_results[i] = tri_op_result(loop, i);
        if (is_to_make(w, mlirBlockGetArgument(body, i + 1))) {
            inits[n] = new_value(w, tri_op_operand(loop, i + 3));
            which[n++] = i;
        }
    }
    MlirOperation made = tri_loops_add_iter_args(arena, loop, n, inits);
    for (intptr_t i = 0; i < old; i++) {
        rename_value(w->r, old_results[i], tri_op_result(made, i));
        rename_in_slice(w->slice, old_results[i], tri_op_result(made, i));
    }
    body = tri_op_body(made, 0);
    for (intptr_t i = 0; i < n; i++) {
        MlirValue carried = mlirBlockGetArgument(body, which[i] + 1);
        set_new(w, carried, mlirBlockGetArgument(body, 1 + old + i));
        add_copy(w->r, tri_op_result(made, which[i]), tri_op_result(made, old + i));
    }
    return made;
}

static MlirOperation extend_if(rewriter *w, MlirOperation op)
{
    tri_arena *arena = w->r->arena;
    intptr_t old = mlirOperationGetNumResults(op), n = 0;
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, old + 1);
    MlirValue *old_results = TRI_NEW_ARRAY(arena, MlirValue, old + 1);
    intptr_t *which = TRI_NEW_ARRAY(arena, intptr_t, old + 1);
    for (intptr_t i = 0; i < old; i++) {
        old_results[i] = tri_op_result(op, i);
        if (is_to_make(w, old_results[i])) {
            types[n] = wanted_type(tri_remat_find(w->slice, old_results[i]));
            which[n++] = i;
        }
    }
    MlirOperation made = tri_loops_add_if_results(arena, op, n, types);
    for (intptr_t i = 0; i < old; i++) {
        rename_value(w->r, old_results[i], tri_op_result(made, i));
        rename_in_slice(w->slice, old_results[i], tri_op_result(made, i));
    }
    for (intptr_t i = 0; i < n; i++)
        set_new(w, tri_op_result(made, which[i]), tri_op_result(made, old + i));
    return made;
}

/* The new carried values of an extended op come last, in the order of those they copy. */
static void finish_yields(rewriter *w, MlirOperation op)
{
    tri_arena *arena = w->r->arena;
    bool is_loop = tri_op_is(op, "scf.for");
    for (int r = 0; r < (is_loop ? 1 : 2); r++) {
        MlirOperation yield = tri_loops_yield(op, r);
        intptr_t old = mlirOperationGetNumOperands(yield), n = 0;
        MlirValue *extra = TRI_NEW_ARRAY(arena, MlirValue, old + 1);
        for (intptr_t i = 0; i < old; i++) {
            MlirValue carried = is_loop ? mlirBlockGetArgument(tri_op_body(op, 0), i + 1) : tri_op_result(op, i);
            if (!is_to_make(w, carried))
                continue;
            MlirValue arm = tri_remat_find(w->slice, carried)->arms[r];
            extra[n++] = mlirValueIsNull(arm) ? new_value(w, tri_op_operand(yield, i)) : arm;
        }
        tri_loops_append_yield(arena, yield, n, extra);
    }
}

static int depth_of(MlirOperation op)
{
    int depth = 0;
    while (!mlirOperationIsNull(op = mlirOperationGetParentOperation(op)))
        depth++;
    return depth;
}

/* Numbers the blocks of the function's body, in `out` by address, so that each comes after those that dominate it:
 * the last that a walk along the branches leaves is the first. */
static void number_blocks(tri_remat *r, tri_map *out)
{
    typedef struct {
        MlirBlock block;
        intptr_t next;
    } visit;
    TRI_VEC(visit) stack = {0};
    uintptr_t number = UINTPTR_MAX;
    MlirBlock entry = tri_op_body(r->func, 0);
    tri_map_init(out, r->arena);
    if (mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
        return;
    tri_map_set_ptr(out, entry.ptr, (void *)number);
    tri_vec_push(r->arena, &stack, (visit){entry, 0});
    while (stack.len) {
        visit *at = &stack.at[stack.len - 1];
        MlirOperation end = mlirBlockGetTerminator(at->block);
        if (at->next == mlirOperationGetNumSuccessors(end)) {
            tri_map_set_ptr(out, at->block.ptr, (void *)--number);
            stack.len--;
            continue;
        }
        MlirBlock to = mlirOperationGetSuccessor(end, at->next++);
        if (tri_map_find_ptr(out, to.ptr))
            continue;
        tri_map_set_ptr(out, to.ptr, (void *)UINTPTR_MAX);
        tri_vec_push(r->arena, &stack, (visit){to, 0});
    }
}

static uintptr_t number_of_block(const tri_map *numbers, MlirOperation func, MlirOperation op)
{
    for (MlirOperation parent = op; numbers->len; op = parent) {
        parent = mlirOperationGetParentOperation(op);
        if (mlirOperationIsNull(parent) || mlirOperationEqual(parent, func))
            return (uintptr_t)tri_map_find_ptr(numbers, mlirOperationGetBlock(op).ptr);
    }
    return 0;
}

/* Where the two stand now, not where what they were made for stands: a loop or conditional comes before what is
 * inside it, its first branch before its second. */
static bool is_before(MlirOperation a, MlirOperation b)
{
    int da = depth_of(a), db = depth_of(b), deeper = da - db;
    for (; da > db; da--)
        a = mlirOperationGetParentOperation(a);
    for (; db > da; db--)
        b = mlirOperationGetParentOperation(b);
    if (mlirOperationEqual(a, b))
        return deeper < 0;
    MlirOperation pa = mlirOperationGetParentOperation(a), pb = mlirOperationGetParentOperation(b);
    if (!mlirOperationEqual(pa, pb))
        return is_before(pa, pb);
    if (mlirBlockEqual(mlirOperationGetBlock(a), mlirOperationGetBlock(b)))
        return mlirOperationIsBeforeInBlock(a, b);
    return mlirBlockEqual(mlirOperationGetBlock(a), tri_op_body(pa, 0));
}

static int compare_work(const void *a, const void *b)
{
    const work *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return is_before(x->op, y->op) ? -1 : is_before(y->op, x->op);
}

/* The ops of a slice, each once, in program order. */
static size_t list_work(rewriter *w, work **out_list)
{
    tri_map seen, numbers;
    size_t n = 0;
    work *list = TRI_NEW_ARRAY(w->r->arena, work, w->slice->values.len + 1);
    tri_map_init(&seen, w->r->arena);
    number_blocks(w->r, &numbers);
    for (size_t i = 0; i < w->slice->values.len; i++) {
        const tri_slice_value *v = &w->slice->values.at[i];
        MlirBlock block;
        intptr_t index;
        bool is_loop = tri_op_is_block_argument(v->value, &block, &index);
        MlirOperation op = is_loop ? mlirBlockGetParentOperation(block) : tri_op_def(v->value);
        if (!mlirValueIsNull(v->existing) || tri_map_find_ptr(&seen, op.ptr))
            continue;
        tri_map_set_ptr(&seen, op.ptr, (void *)op.ptr);
        list[n++] = (work){op, is_loop, number_of_block(&numbers, w->r->func, op)};
    }
    qsort(list, n, sizeof *list, compare_work);
    *out_list = list;
    return n;
}

void tri_rematerialization_rewrite(tri_remat *r, tri_slice *slice, MlirOperation convert)
{
    rewriter w = {.r = r, .slice = slice};
    work *list;
    tri_op_list extended = {0};
    tri_map_init(&w.made, r->arena);
    size_t n = list_work(&w, &list);
    for (size_t i = 0; i < n; i++) {
        if (list[i].is_loop)
            tri_vec_push(r->arena, &extended, extend_loop(&w, list[i].op));
        else if (tri_op_is(list[i].op, "scf.if"))
            tri_vec_push(r->arena, &extended, extend_if(&w, list[i].op));
        else
            repeat_op(&w, list[i].op);
    }
    for (size_t i = 0; i < extended.len; i++)
        finish_yields(&w, extended.at[i]);
    MlirValue replacement = new_value(&w, tri_op_operand(convert, 0));
    rename_value(r, tri_op_result(convert, 0), replacement);
    tri_op_replace(convert, 1, &replacement);
}

/* ---- choosing ---- */

static bool makes_dot_operand(MlirOperation convert)
{
    return tri_encoding_kind_of(tri_layouts_of(tri_op_result(convert, 0))) == TRI_ENC_DOT_OP;
}

static bool try_convert(tri_remat *r, MlirOperation convert)
{
    MlirValue source = tri_op_operand(convert, 0), result = tri_op_result(convert, 0);
    tri_slice slice = {0};
    if (!tri_remat_grow(r, &slice, convert, source, tri_layouts_of(result), NULL, NULL) ||
        !tri_remat_is_worth(r, &slice, convert, 0)) {
        add_copy(r, source, result);
        return false;
    }
    tri_rematerialization_rewrite(r, &slice, convert);
    return true;
}

typedef bool (*attempt)(tri_remat *r, MlirOperation convert);

enum { for_dots = 1, for_others = 2 };

/* One pass, in program order, over the conversions of a function that make dot operands, over the
 * others, or over both. */
static bool round_of(tri_layouts *l, MlirOperation func, attempt try, int which)
{
    tri_remat r = {.layouts = l, .arena = l->arena, .func = func};
    bool is_changed = false;
    tri_map_init(&r.copies, l->arena);
    tri_op_list converts = {0}; /* those made on the way wait for the next round */
    tri_op_collect_named(func, "ttg.convert_layout", l->arena, &converts);
    for (size_t i = 0; i < converts.len; i++)
        if (which & (makes_dot_operand(converts.at[i]) ? for_dots : for_others))
            is_changed |= try(&r, converts.at[i]);
    if (is_changed) {
        tri_op_erase_dead(func);
        tri_convert_folding_run(l, func);
    }
    return is_changed;
}

void tri_rematerialization_run(tri_layouts *l, MlirOperation func)
{
    int64_t most = tri_passes_option_int(l->run, "max-backward-remat-iterations", 16);
    for (int64_t i = 0; i < most && round_of(l, func, try_convert, for_others); i++)
        continue;
    round_of(l, func, tri_hoisting_try, for_others);
    round_of(l, func, tri_hoisting_try_branch, for_others);
    round_of(l, func, tri_hoist_conditionals_try, for_dots | for_others);
    round_of(l, func, tri_hoisting_try_dot, for_dots | for_others);
}
