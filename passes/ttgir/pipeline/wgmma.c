/* Products of warp groups run asynchronously; a wait stands only where their result or their operands are needed.
 *
 *     scf.for ... iter_args(%acc) {                     scf.for ... iter_args(%acc) {
 *       %d = ttng.warp_group_dot %a, %b, %acc             %d = ttng.warp_group_dot %a, %b, %acc {isAsync = true}
 *       scf.yield %d                                      %e:3 = ttng.warp_group_dot_wait %d, %a, %b {pendings = 1}
 *     }                                                   scf.yield %e#0
 *                                                       }
 *                                                       ttng.warp_group_dot_wait %r {pendings = 0}
 *
 * A product may stay under way over the back edge when (1) its buffers are rings or lie outside of the loop, (2) its
 * result is only yielded, or used inside a conditional, (3) the argument it comes back as is only an accumulator, or
 * is used behind a wait for everything. It may be yielded transposed and be transposed back in the next iteration, for
 * these are the same registers under other names. Products that read registers are cut in two
 * (pipeline_wgmma_split.c); those whose registers the loop loads end in their iteration. Others are waited for at once.
 * A wait takes what it waits for as operands and gives it back, and takes the buffers, so that they live until then. */
#include "passes/ttgir/pipeline/pipeline.h"

#include "ir/op_classes.h"

#include "base/map.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/ttgir/remove_layout_conversions/layouts.h"

typedef struct {
    MlirOperation dot;
    intptr_t arg; /* the loop argument its result becomes; -1: must be waited for at once */
} async_dot;

typedef struct {
    tri_arena *arena;
    const tri_layouts *layouts;
    MlirOperation loop;
    MlirBlock body;
    TRI_VEC(async_dot) dots; /* of the body, in program order */
} launcher;

static bool is_dot(MlirOperation op) { return tri_op_is(op, "ttng.warp_group_dot"); }
static bool is_wait(MlirOperation op) { return tri_op_is(op, "ttng.warp_group_dot_wait"); }
static bool is_buffer(MlirValue value)
{
    tri_memdesc desc;
    return tri_type_get_memdesc(mlirValueGetType(value), &desc);
}

static bool is_full_wait(MlirOperation op) { return is_wait(op) && tri_op_int(op, "pendings", 0) == 0; }

/* Whether `a` stands in front of `b` in their block. */
static bool stands_before(MlirOperation a, MlirOperation b)
{
    for (a = mlirOperationGetNextInBlock(a); !mlirOperationIsNull(a); a = mlirOperationGetNextInBlock(a))
        if (mlirOperationEqual(a, b))
            return true;
    return false;
}

/* ---- matchers ---- */

static MlirValue yielded(launcher *l, intptr_t arg) { return tri_op_operand(mlirBlockGetTerminator(l->body), arg); }

/* The number of the loop argument that a value is, or -1. */
static intptr_t argument_of(launcher *l, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return tri_op_is_block_argument(value, &block, &index) && mlirBlockEqual(block, l->body) ? index - 1 : -1;
}

static bool is_buffer_view(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_BUFFER_VIEW) || tri_op_is(op, "ttg.convert_layout");
}

/* A buffer that nobody fills while the product of one iteration runs into the next. */
static bool outlives_iteration(launcher *l, MlirValue value)
{
    tri_map seen;
    tri_map_init(&seen, l->arena);
    for (;;) {
        if (tri_map_find_ptr(&seen, value.ptr))
            return true; /* only ever itself: it comes from outside */
        tri_map_set_ptr(&seen, value.ptr, (void *)value.ptr);
        intptr_t arg = argument_of(l, value);
        MlirOperation def = tri_op_def(value);
        if (arg >= 0)
            value = yielded(l, arg);
        else if (mlirOperationIsNull(def) || mlirOperationIsNull(tri_op_ancestor_in(l->body, def)))
            return true;
        else if (is_buffer_view(def))
            value = tri_op_operand(def, 0);
        else
            return tri_op_is(def, "ttg.memdesc_index");
    }
}

/* Other names for the same registers. */
static bool is_renaming(launcher *l, MlirOperation op)
{
    if (tri_op_is(op, "ttg.convert_layout"))
        return tri_layouts_is_free_convert(l->layouts, mlirValueGetType(tri_op_operand(op, 0)),
                                           mlirValueGetType(tri_op_result(op, 0)));
    return tri_op_is(op, "tt.trans") || (tri_op_is(op, "tt.reshape") && !tri_op_flag(op, "allow_reorder"));
}

/* The loop argument that a product's result becomes, by way of renamings perhaps; all its other uses are inside of
 * conditionals. */
static intptr_t yielded_as(launcher *l, MlirValue value)
{
    MlirOperation yield = mlirBlockGetTerminator(l->body);
    intptr_t found = -1;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use), top = tri_op_ancestor_in(l->body, user);
        intptr_t as = -1;
        if (mlirOperationEqual(user, yield))
            as = (intptr_t)mlirOpOperandGetOperandNumber(use);
        else if (is_renaming(l, user) && mlirOperationEqual(user, top) && tri_dots_has_one_use(value) &&
                 tri_dots_has_one_use(tri_op_result(user, 0)))
            return yielded_as(l, tri_op_result(user, 0));
        else if (tri_op_is(top, "scf.if") && tri_op_is(user, "scf.yield") &&
                 mlirOperationEqual(mlirOperationGetParentOperation(user), top))
            as = yielded_as(l, tri_op_result(top, (intptr_t)mlirOpOperandGetOperandNumber(use)));
        else if (!tri_op_is(top, "scf.if") || mlirOperationEqual(user, top))
            return -1;
        if (as >= 0 && found >= 0 && as != found)
            return -1;
        found = as >= 0 ? as : found;
    }
    return found;
}

static bool is_only_accumulator(launcher *l, MlirValue value, tri_map *seen);

static bool use_is_accumulator(launcher *l, MlirOperation user, intptr_t operand, tri_map *seen)
{
    if (is_dot(user))
        return operand == 2;
    if (is_renaming(l, user))
        return is_only_accumulator(l, tri_op_result(user, 0), seen);
    if (tri_op_is(user, "arith.select") || tri_op_is(user, "scf.for")) /* the value goes on as another */
        return false;
    if (tri_op_is(user, "scf.yield") && mlirOperationEqual(user, mlirBlockGetTerminator(l->body)))
        return is_only_accumulator(l, mlirBlockGetArgument(l->body, operand + 1), seen);
    MlirOperation top = mlirOperationGetParentOperation(user);
    if (tri_op_is(user, "scf.yield") && tri_op_is(top, "scf.if"))
        return is_only_accumulator(l, tri_op_result(top, operand), seen);
    return false;
}

static bool is_only_accumulator(launcher *l, MlirValue value, tri_map *seen)
{
    if (tri_map_find_ptr(seen, value.ptr))
        return true;
    tri_map_set_ptr(seen, value.ptr, (void *)value.ptr);
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!use_is_accumulator(l, mlirOpOperandGetOwner(use), (intptr_t)mlirOpOperandGetOperandNumber(use), seen))
            return false;
    return true;
}

static MlirOperation first_full_wait(launcher *l)
{
    MlirOperation op = mlirBlockGetFirstOperation(l->body);
    while (!mlirOperationIsNull(op) && !is_full_wait(op))
        op = mlirOperationGetNextInBlock(op);
    return op;
}

static bool all_uses_follow(launcher *l, MlirValue value, MlirOperation wait)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation top = tri_op_ancestor_in(l->body, mlirOpOperandGetOwner(use));
        if (mlirOperationIsNull(top) || !stands_before(wait, top))
            return false;
    }
    return true;
}

/* ---- rewriters ---- */

static bool holds(const tri_value_list *list, MlirValue value)
{
    for (size_t i = 0; i < list->len; i++)
        if (mlirValueEqual(list->at[i], value))
            return true;
    return false;
}

static void add_once(tri_arena *arena, tri_value_list *list, MlirValue value)
{
    if (!holds(list, value))
        tri_vec_push(arena, list, value);
}

/* The buffers of the products of this block that a value comes from. */
static void add_buffers(tri_arena *arena, MlirBlock block, MlirValue value, tri_value_list *out, tri_map *seen)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || tri_map_find_ptr(seen, def.ptr) ||
        !mlirBlockEqual(mlirOperationGetBlock(def), block))
        return;
    tri_map_set_ptr(seen, def.ptr, def.ptr);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++) {
        MlirValue operand = tri_op_operand(def, i);
        if (!is_dot(def))
            add_buffers(arena, block, operand, out, seen);
        else if (is_buffer(operand))
            add_once(arena, out, operand);
    }
}

static void replace_later_uses(MlirValue value, MlirValue by, MlirOperation wait)
{
    MlirOpOperand use = mlirValueGetFirstUse(value), next;
    MlirBlock block = mlirOperationGetBlock(wait);
    for (; !mlirOpOperandIsNull(use); use = next) {
        next = mlirOpOperandGetNextUse(use);
        MlirOperation user = mlirOpOperandGetOwner(use), here = tri_op_ancestor_in(block, user);
        if (!mlirOperationIsNull(here) && stands_before(wait, here))
            mlirOperationSetOperand(user, (intptr_t)mlirOpOperandGetOperandNumber(use), by);
    }
}

/* The wait once more, with more values going through it. */
static MlirOperation thread_values(tri_arena *arena, MlirOperation wait, size_t n, const MlirValue *values)
{
    tri_value_list operands = {0};
    intptr_t old = mlirOperationGetNumOperands(wait);
    for (intptr_t i = 0; i < old; i++)
        tri_vec_push(arena, &operands, tri_op_operand(wait, i));
    for (size_t i = 0; i < n; i++)
        add_once(arena, &operands, values[i]);
    for (size_t i = 0; i < n; i++) {
        tri_map seen;
        tri_map_init(&seen, arena);
        add_buffers(arena, mlirOperationGetBlock(wait), values[i], &operands, &seen);
    }
    MlirType *types = TRI_NEW_ARRAY(arena, MlirType, operands.len + 1);
    for (size_t i = 0; i < operands.len; i++)
        types[i] = mlirValueGetType(operands.at[i]);
    tri_builder b = tri_builder_before(wait);
    tri_attr attr = {"pendings", tri_op_attr(wait, "pendings")};
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "ttng.warp_group_dot_wait",
                                                          .num_operands = (intptr_t)operands.len,
                                                          .operands = operands.at,
                                                          .num_results = (intptr_t)operands.len,
                                                          .results = types,
                                                          .num_attrs = 1,
                                                          .attrs = &attr});
    for (size_t i = 0; i < operands.len; i++) {
        if (is_buffer(operands.at[i]))
            continue;
        if ((intptr_t)i < old)
            mlirValueReplaceAllUsesOfWith(tri_op_result(wait, (intptr_t)i), tri_op_result(made, (intptr_t)i));
        else
            replace_later_uses(operands.at[i], tri_op_result(made, (intptr_t)i), made);
    }
    mlirOperationDestroy(wait);
    return made;
}

static MlirOperation make_wait(tri_arena *arena, tri_builder *b, int pendings, size_t n, const MlirValue *values)
{
    tri_attr attr = {"pendings", tri_attr_i32(b->context, pendings)};
    MlirOperation wait =
        tri_builder_create(b, &(tri_op){.name = "ttng.warp_group_dot_wait", .num_attrs = 1, .attrs = &attr});
    return thread_values(arena, wait, n, values);
}

static bool is_loaded_in(launcher *l, MlirValue value, MlirBlock block)
{
    MlirOperation def = tri_op_def(value);
    while (!mlirOperationIsNull(def) && is_renaming(l, def))
        def = tri_op_def(tri_op_operand(def, 0));
    return !mlirOperationIsNull(def) && tri_op_is(def, "ttg.local_load") &&
           mlirBlockEqual(mlirOperationGetBlock(def), block);
}

/* Whether a value is registers that the loop's body loads out of a buffer, under whatever names, in the first branch of
 * a conditional perhaps. */
static bool is_loaded(launcher *l, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !tri_op_is(def, "scf.if") ||
        !mlirBlockEqual(mlirOperationGetBlock(def), l->body))
        return is_loaded_in(l, value, l->body);
    MlirBlock block = tri_op_body(def, 0);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(def); i++)
        if (mlirValueEqual(tri_op_result(def, i), value))
            return is_loaded_in(l, tri_op_operand(mlirBlockGetTerminator(block), i), block);
    return false;
}

/* A comes from such registers, loaded in this iteration or for it in the one before. */
static bool reads_loaded(launcher *l, MlirOperation dot)
{
    MlirValue a = tri_op_operand(dot, 0);
    intptr_t arg = argument_of(l, a);
    return is_loaded(l, arg >= 0 ? yielded(l, arg) : a);
}

/* Such a product must have ended when the iteration ends, for then its registers are loaded again (ptxas would run all
 * products one by one); one that goes on with its sums starts behind the wait, its registers are loaded in front. */
static void wait_for_loaded(launcher *l, MlirOperation dot)
{
    MlirValue result = tri_op_result(dot, 0);
    MlirOperation user = tri_dots_only_user(result);
    bool goes_on = !mlirOperationIsNull(user) && is_dot(user) && mlirValueEqual(tri_op_operand(user, 2), result) &&
                   mlirBlockEqual(mlirOperationGetBlock(user), l->body) && reads_loaded(l, user);
    MlirOperation yield = mlirBlockGetTerminator(l->body), at = dot;
    MlirValue values[] = {{NULL}, result};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield) && !goes_on; i++) { /* loaded for the next iteration */
        MlirValue next = tri_op_operand(yield, i);
        if (!is_loaded(l, next) || !stands_before(at, tri_op_def(next)))
            continue;
        at = tri_op_def(next);
        values[0] = next;
    }
    /* bytes go through the wait, too: their words are put together in front of it */
    bool has_bytes = !mlirValueIsNull(values[0]) && tri_type_bits(tri_type_element(mlirValueGetType(values[0]))) == 8;
    tri_builder b = goes_on ? tri_builder_before(user) : tri_builder_after(at);
    make_wait(l->arena, &b, 0, has_bytes ? 2 : 1, has_bytes ? values : &result);
}

/* Whether a product may be under way when the next iteration begins, and as which argument. */
static intptr_t may_stay(launcher *l, MlirOperation dot)
{
    MlirValue result = tri_op_result(dot, 0);
    for (int i = 0; i < 2; i++)
        if (is_buffer(tri_op_operand(dot, i)) && !outlives_iteration(l, tri_op_operand(dot, i)))
            return -1;
    MlirType element = tri_type_element(mlirValueGetType(result));
    intptr_t arg = yielded_as(l, result);
    if (arg < 0 || !(mlirTypeIsAF32(element) || tri_type_is_int_of(element, 32)))
        return -1;
    MlirValue back = mlirBlockGetArgument(l->body, arg + 1);
    tri_map seen;
    tri_map_init(&seen, l->arena);
    if (is_only_accumulator(l, back, &seen))
        return arg;
    MlirOperation wait = first_full_wait(l);
    if (mlirOperationIsNull(wait) || !all_uses_follow(l, back, wait))
        return -1;
    thread_values(l->arena, wait, 1, &back);
    return arg;
}

/* Waits for a product in front of its first use in every block where it is more than yielded or accumulated. */
static void wait_before_uses(launcher *l, MlirOperation dot)
{
    MlirValue result = tri_op_result(dot, 0);
    for (;;) {
        MlirOperation first = {NULL};
        MlirOpOperand use = mlirValueGetFirstUse(result);
        for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = mlirOpOperandGetOwner(use);
            bool is_on_way = is_renaming(l, user) && mlirBlockEqual(mlirOperationGetBlock(user), l->body);
            if (tri_op_is(user, "scf.yield") || is_wait(user) || is_on_way ||
                (is_dot(user) && mlirOpOperandGetOperandNumber(use) == 2))
                continue;
            bool is_same_block = !mlirOperationIsNull(first) &&
                                 mlirBlockEqual(mlirOperationGetBlock(first), mlirOperationGetBlock(user));
            if (mlirOperationIsNull(first) || (is_same_block && stands_before(user, first)))
                first = user;
        }
        if (mlirOperationIsNull(first))
            return;
        tri_builder b = tri_builder_before(first);
        make_wait(l->arena, &b, 0, 1, &result);
    }
}

/* A comes from registers that the loop makes: they may be written again in the next iteration. */
static bool reads_registers(launcher *l, MlirOperation dot)
{
    MlirValue a = tri_op_operand(dot, 0);
    MlirOperation def = tri_op_def(a);
    if (is_buffer(a) || mlirOperationIsNull(def) || mlirOperationIsNull(tri_op_ancestor_in(l->body, def)))
        return false;
    return true;
}

/* The products that stay under way, in program order; those that read registers in two halves. */
static void collect_staying(launcher *l, tri_value_list *out_results)
{
    for (size_t i = 0; i < l->dots.len; i++) {
        MlirOperation dot = l->dots.at[i].dot, halves[2];
        if (l->dots.at[i].arg < 0)
            continue;
        if (reads_registers(l, dot) && tri_pipeline_wgmma_split(l->arena, dot, halves)) {
            tri_vec_push(l->arena, out_results, tri_op_result(halves[0], 0));
            dot = halves[1];
        }
        tri_vec_push(l->arena, out_results, tri_op_result(dot, 0));
    }
}

static void insert_waits(launcher *l)
{
    tri_value_list results = {0};
    bool last_waits = false;
    if (!mlirOperationIsNull(first_full_wait(l)))
        return;
    collect_staying(l, &results);
    MlirOperation last = tri_op_def(results.at[results.len - 1]);
    for (size_t i = 0; i < results.len; i++)
        wait_before_uses(l, tri_op_def(results.at[i]));
    for (size_t i = 0; i < results.len; i++) {
        MlirOperation dot = tri_op_def(results.at[i]);
        if (!reads_registers(l, dot))
            continue;
        tri_builder b = tri_builder_after(dot);
        make_wait(l->arena, &b, (int)results.len - 1, 1, &results.at[i]);
        last_waits |= mlirOperationEqual(dot, last);
    }
    if (last_waits)
        return;
    tri_builder b = tri_builder_after(last);
    make_wait(l->arena, &b, (int)results.len, results.len, results.at);
}

/* is_split: another pass has placed the waits of its products, but for those whose registers it loads. */
static void run_loop(const tri_layouts *layouts, MlirOperation loop, bool is_split)
{
    tri_arena *arena = layouts->arena;
    launcher l = {.arena = arena, .layouts = layouts, .loop = loop, .body = tri_op_body(loop, 0)};
    MlirOperation op = mlirBlockGetFirstOperation(l.body);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (is_dot(op))
            tri_vec_push(arena, &l.dots, (async_dot){op, -1});
    tri_value_list results = {0};
    for (size_t i = 0; i < l.dots.len; i++) {
        MlirOperation dot = l.dots.at[i].dot;
        MlirValue result = tri_op_result(dot, 0);
        bool ends_here = reads_loaded(&l, dot);
        l.dots.at[i].arg = -1;
        if (ends_here || !is_split)
            tri_builder_set_attr(dot, "isAsync", tri_attr_bool(mlirOperationGetContext(dot), true));
        if (ends_here)
            wait_for_loaded(&l, dot);
        if (ends_here || is_split)
            continue;
        l.dots.at[i].arg = may_stay(&l, dot);
        if (l.dots.at[i].arg >= 0) {
            tri_vec_push(arena, &results, tri_op_result(loop, l.dots.at[i].arg));
            continue;
        }
        tri_builder b = tri_builder_after(dot);
        make_wait(arena, &b, 0, 1, &result);
    }
    if (results.len == 0)
        return;
    insert_waits(&l);
    tri_builder b = tri_builder_after(loop);
    make_wait(arena, &b, 0, results.len, results.at);
}

void tri_pipeline_wgmma_run(tri_pass_run *run)
{
    tri_op_list loops = {0};
    tri_layouts layouts = tri_layouts_make(run);
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    for (size_t i = 0; i < loops.len; i++) {
        MlirStringRef open = mlirStringRefCreateFromCString(TRI_PIPELINE_OPEN);
        bool is_open = mlirOperationRemoveAttributeByName(loops.at[i], open);
        run_loop(&layouts, loops.at[i], !is_open && tri_pipeline_num_stages(run, loops.at[i]) < 1);
    }
}
