/* Two products in a loop, with work of the threads between them, as in attention: the machine multiplies while they
 * work.
 *
 *     scf.for %i = 0 to n {                              s = dot1(0) ; p = f(s) ; o *= a
 *       s = dot1(i)                                      scf.for %i = 1 to n {
 *       p = f(s) ; o *= a                                  s = dot1(i), async
 *       o = dot2(p, o)                                     o = dot2(p, o), async
 *     }                                                    wait for s ; p' = f(s)
 *                                                          wait for o ; p = p' ; o *= a
 *                                                        }
 *                                                        o = dot2(p, o)
 *
 * Two groups of warps issue their products in turn, so that one group's products run under the other's work (turns.c).
 * Each product comes with the waits for its buffers in front and the arrivals that give them back behind. What becomes
 * the registers that the second product reads is written after that product has ended. The scheme is FlashAttention-3's
 * (overlap inside of a warp group). */
#include "passes/ttgir/automatic_warp_specialization/split.h"

#include "ir/compare.h"
#include "ir/type.h"

typedef struct {
    tri_arena *arena;
    const tri_split_turns *turns;
    MlirOperation loop, yield;
    MlirBlock body;
    MlirOperation first, second; /* products */
    MlirOperation arrival;       /* that gives the second one's buffer back */
    intptr_t sums;               /* the carried value that the second one adds to */
    tri_map late;                /* the second product and what serves its buffer, by pointer */
    tri_map tail;                /* ops that need its sums, or make the registers that it reads */
    tri_value_list crossing;     /* what the late ops need of their iteration, but for the sums */
} rotation;

static bool is_in(const tri_map *set, MlirOperation op) { return tri_map_find_ptr(set, op.ptr) != NULL; }
static void put(tri_map *set, MlirOperation op) { tri_map_set_ptr(set, op.ptr, op.ptr); }
static bool is_buffer(MlirValue value)
{
    tri_memdesc desc;
    return tri_type_get_memdesc(mlirValueGetType(value), &desc);
}

static MlirOperation next_of(MlirOperation op) { return mlirOperationGetNextInBlock(op); }

static bool is_of_body(const rotation *r, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return mlirBlockEqual(block, r->body);
    return mlirBlockEqual(mlirOperationGetBlock(tri_op_def(value)), r->body);
}

/* ---- matchers ---- */

static bool find_products(rotation *r)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationIsNull(op); op = next_of(op)) {
        if (!tri_op_is(op, "ttng.warp_group_dot"))
            continue;
        if (!mlirOperationIsNull(r->second))
            return false;
        if (mlirOperationIsNull(r->first))
            r->first = op;
        else
            r->second = op;
    }
    if (mlirOperationIsNull(r->second) || is_buffer(tri_op_operand(r->second, 0)))
        return false;
    MlirValue queries = tri_op_operand(r->first, 0);
    if (!is_buffer(queries) && is_of_body(r, queries))
        return false;
    r->sums = -1;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(r->yield); i++)
        if (mlirValueEqual(tri_op_operand(r->yield, i), tri_op_result(r->second, 0)))
            r->sums = i;
    MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(r->second, 0));
    return r->sums >= 0 && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* Whether all users of an op's results are in a set. */
static bool serves_only(const tri_map *set, const tri_map *or_set, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, i)); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            if (!is_in(set, mlirOpOperandGetOwner(use)) && !(or_set && is_in(or_set, mlirOpOperandGetOwner(use))))
                return false;
    return true;
}

/* Views of buffers that only late ops use are late. */
static void add_views(rotation *r, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    if (!is_buffer(value) || mlirOperationIsNull(def) || !is_of_body(r, value) || !tri_op_is_pure(def) ||
        !serves_only(&r->late, NULL, def))
        return;
    put(&r->late, def);
    add_views(r, tri_op_operand(def, 0));
}

/* The second product's wait is the last one in front of it, behind the first product; its arrival the next behind it.
 */
static bool find_late(rotation *r)
{
    MlirOperation wait = {NULL};
    for (MlirOperation op = next_of(r->first); !mlirOperationEqual(op, r->second); op = next_of(op))
        if (tri_op_is(op, "ttng.wait_barrier"))
            wait = op;
    r->arrival = next_of(r->second);
    while (!mlirOperationIsNull(r->arrival) && !tri_op_is(r->arrival, "ttng.arrive_barrier"))
        r->arrival = next_of(r->arrival);
    if (mlirOperationIsNull(wait) || mlirOperationIsNull(r->arrival))
        return false;
    put(&r->late, r->second);
    put(&r->late, wait);
    put(&r->late, r->arrival);
    add_views(r, tri_op_operand(r->arrival, 0));
    add_views(r, tri_op_operand(wait, 0));
    add_views(r, tri_op_operand(r->second, 1));
    return true;
}

/* What needs the sums, and conversions of what the second product reads. */
static bool find_tail(rotation *r)
{
    static const char *const conversions[] = {"arith.truncf", "ttg.convert_layout", "tt.fp_to_fp"};
    MlirValue sums = mlirBlockGetArgument(r->body, r->sums + 1);
    for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationEqual(op, r->yield); op = next_of(op)) {
        bool needs = false;
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !is_in(&r->late, op); i++) {
            MlirOperation def = tri_op_def(tri_op_operand(op, i));
            needs = needs || mlirValueEqual(tri_op_operand(op, i), sums) ||
                    (!mlirOperationIsNull(def) && is_in(&r->tail, def));
        }
        if (needs && (!tri_op_is_pure(op) || mlirOperationGetNumRegions(op)))
            return false;
        if (needs)
            put(&r->tail, op);
    }
    for (MlirOperation op = tri_op_def(tri_op_operand(r->second, 0));
         !mlirOperationIsNull(op) && is_of_body(r, tri_op_result(op, 0)); op = tri_op_def(tri_op_operand(op, 0))) {
        bool is_conversion = false;
        for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
            is_conversion = is_conversion || tri_op_is(op, conversions[i]);
        if (!is_conversion || !serves_only(&r->tail, &r->late, op))
            break;
        put(&r->tail, op);
    }
    return true;
}

/* The rest neither uses what is late nor what is in the tail; late results are only the sums. */
static bool is_closed(const rotation *r)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationIsNull(op); op = next_of(op)) {
        bool is_yield = mlirOperationEqual(op, r->yield);
        tri_op_list inside = {0};
        tri_op_collect(op, r->arena, &inside);
        tri_vec_push(r->arena, &inside, op);
        for (size_t k = 0; k < inside.len && !is_in(&r->late, op) && !is_in(&r->tail, op); k++)
            for (intptr_t i = 0; i < mlirOperationGetNumOperands(inside.at[k]); i++) {
                MlirValue value = tri_op_operand(inside.at[k], i);
                MlirOperation def = tri_op_def(value);
                bool is_sums = mlirValueEqual(value, mlirBlockGetArgument(r->body, r->sums + 1)) ||
                               mlirValueEqual(value, tri_op_result(r->second, 0));
                bool is_moved =
                    !mlirOperationIsNull(def) && (is_in(&r->late, def) || (!is_yield && is_in(&r->tail, def)));
                if ((is_sums || is_moved) && !(is_yield && i == r->sums))
                    return false;
            }
    }
    return true;
}

static void find_crossing(rotation *r)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationEqual(op, r->yield); op = next_of(op))
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && is_in(&r->late, op); i++) {
            MlirValue value = tri_op_operand(op, i);
            MlirOperation def = tri_op_def(value);
            bool is_late = !mlirOperationIsNull(def) && is_in(&r->late, def), is_known = false;
            for (size_t k = 0; k < r->crossing.len; k++)
                is_known = is_known || mlirValueEqual(r->crossing.at[k], value);
            bool is_sums = mlirOperationEqual(op, r->second) && i == 2;
            if (is_of_body(r, value) && !is_late && !is_known && !is_sums)
                tri_vec_push(r->arena, &r->crossing, value);
        }
}

/* ---- rewriters ---- */

static MlirValue wait_for_product(tri_builder *b, MlirValue sums, int pendings)
{
    MlirType type = mlirValueGetType(sums);
    tri_attr attr = {"pendings", tri_attr_i32(b->context, pendings)};
    return tri_builder_value(b, &(tri_op){.name = "ttng.warp_group_dot_wait",
                                          .num_operands = 1,
                                          .operands = &sums,
                                          .num_results = 1,
                                          .results = &type,
                                          .num_attrs = 1,
                                          .attrs = &attr});
}

/* Ops of [from, to) that are neither late nor in the tail; with is_tail those of the tail. */
static void copy_some(const rotation *r, tri_builder *b, tri_split_names *n, MlirOperation from, MlirOperation to,
                      bool is_tail)
{
    for (MlirOperation op = from; !mlirOperationEqual(op, to); op = next_of(op))
        if (!is_in(&r->late, op) && is_in(&r->tail, op) == is_tail)
            tri_split_copy(r->arena, b, n, op);
}

/* Late ops up to the second product, or those behind it. */
static void copy_late(const rotation *r, tri_builder *b, tri_split_names *n, bool is_behind)
{
    bool is_past = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationEqual(op, r->yield); op = next_of(op)) {
        if (is_in(&r->late, op) && is_past == is_behind)
            tri_split_copy(r->arena, b, n, op);
        is_past = is_past || mlirOperationEqual(op, r->second);
    }
}

static void set_async(MlirValue sums)
{
    MlirOperation dot = tri_op_def(sums);
    tri_builder_set_attr(dot, "isAsync", tri_attr_bool(mlirOperationGetContext(dot), true));
}

/* What the rotated loop carries behind an iteration of the early part: the values in `n` of what is yielded, the sums
 * as the second product takes them, and what crosses. */
static tri_value_list carried(const rotation *r, const tri_split_names *n)
{
    tri_value_list out = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(r->yield); i++)
        tri_vec_push(r->arena, &out,
                     tri_split_name(n, i == r->sums ? tri_op_operand(r->second, 2) : tri_op_operand(r->yield, i)));
    for (size_t i = 0; i < r->crossing.len; i++)
        tri_vec_push(r->arena, &out, tri_split_name(n, r->crossing.at[i]));
    return out;
}

/* Names of what late ops use, when `at` holds what is carried. */
static tri_split_names late_names(const rotation *r, const MlirValue *at)
{
    tri_split_names n = {0};
    intptr_t count = mlirOperationGetNumOperands(r->yield);
    for (size_t i = 0; i < r->crossing.len; i++)
        tri_split_bind(r->arena, &n, r->crossing.at[i], at[count + (intptr_t)i]);
    tri_split_bind(r->arena, &n, tri_op_operand(r->second, 2), at[r->sums]);
    return n;
}

/* The early part up to the first product, which is started when it is this group's turn. */
static MlirValue start_first(const rotation *r, tri_builder *b, tri_split_names *n)
{
    intptr_t last = mlirBlockGetNumArguments(r->body) - 1;
    copy_some(r, b, n, mlirBlockGetFirstOperation(r->body), r->first, false);
    if (r->turns)
        tri_turns_wait(r->turns, b, tri_split_name(n, mlirBlockGetArgument(r->body, last - 1)),
                       tri_split_name(n, mlirBlockGetArgument(r->body, last)));
    copy_some(r, b, n, r->first, next_of(r->first), false);
    return tri_split_name(n, tri_op_result(r->first, 0));
}

/* The early part of the first iteration. */
static tri_value_list make_prologue(const rotation *r, tri_builder *b)
{
    tri_split_names n = {0};
    MlirOperation begin = mlirBlockGetFirstOperation(r->body);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(r->body); i++)
        tri_split_bind(r->arena, &n, mlirBlockGetArgument(r->body, i), tri_op_operand(r->loop, i ? i + 2 : 0));
    MlirValue scores = start_first(r, b, &n);
    if (r->turns) { /* the other group goes on while this product runs */
        set_async(scores);
        tri_turns_hand_over(r->turns, b);
        tri_split_bind(r->arena, &n, tri_op_result(r->first, 0), wait_for_product(b, scores, 0));
    }
    copy_some(r, b, &n, next_of(r->first), r->yield, false);
    copy_some(r, b, &n, begin, r->yield, true);
    return carried(r, &n);
}

static void make_body(const rotation *r, MlirBlock body)
{
    tri_builder b = tri_builder_at_end(body, mlirOperationGetLocation(r->loop));
    tri_split_names n = {0};
    MlirOperation begin = mlirBlockGetFirstOperation(r->body), behind = next_of(r->first);
    MlirValue *args = TRI_NEW_ARRAY(r->arena, MlirValue, mlirBlockGetNumArguments(body));
    for (intptr_t i = 1; i < mlirBlockGetNumArguments(body); i++)
        args[i - 1] = mlirBlockGetArgument(body, i);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(r->body); i++)
        tri_split_bind(r->arena, &n, mlirBlockGetArgument(r->body, i), mlirBlockGetArgument(body, i));
    tri_split_names before = late_names(r, args);
    MlirValue scores = start_first(r, &b, &n);
    copy_late(r, &b, &before, false);
    MlirValue sums = tri_split_name(&before, tri_op_result(r->second, 0));
    set_async(scores);
    set_async(sums);
    if (r->turns)
        tri_turns_hand_over(r->turns, &b);
    tri_split_bind(r->arena, &n, tri_op_result(r->first, 0), wait_for_product(&b, scores, 1));
    copy_some(r, &b, &n, behind, r->yield, false);
    tri_split_bind(r->arena, &n, mlirBlockGetArgument(r->body, r->sums + 1), wait_for_product(&b, sums, 0));
    copy_late(r, &b, &before, true);
    copy_some(r, &b, &n, begin, r->yield, true);
    tri_value_list yields = carried(r, &n);
    tri_builder_create(&b, &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)yields.len, .operands = yields.at});
}

static MlirOperation make_loop(const rotation *r, tri_builder *b, const tri_value_list *inits)
{
    MlirValue lower = tri_op_operand(r->loop, 0), step = tri_op_operand(r->loop, 2);
    tri_value_list operands = {0};
    tri_vec_push(r->arena, &operands, tri_builder_binary(b, "arith.addi", mlirValueGetType(lower), lower, step));
    tri_vec_push(r->arena, &operands, tri_op_operand(r->loop, 1));
    tri_vec_push(r->arena, &operands, step);
    for (size_t i = 0; i < inits->len; i++)
        tri_vec_push(r->arena, &operands, inits->at[i]);
    MlirOperation made = tri_split_make_loop(r->arena, b, r->loop, &operands);
    make_body(r, tri_op_body(made, 0));
    return made;
}

/* The values that the loop gave, in a block where it runs once at least. */
static void fill_then(const rotation *r, MlirBlock block)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(r->loop));
    tri_value_list inits = make_prologue(r, &b);
    MlirOperation made = make_loop(r, &b, &inits);
    MlirValue *results = TRI_NEW_ARRAY(r->arena, MlirValue, inits.len + 1);
    for (size_t i = 0; i < inits.len; i++)
        results[i] = tri_op_result(made, (intptr_t)i);
    tri_split_names n = late_names(r, results);
    copy_late(r, &b, &n, false);
    copy_late(r, &b, &n, true);
    results[r->sums] = tri_split_name(&n, tri_op_result(r->second, 0));
    tri_builder_create(
        &b, &(tri_op){.name = "scf.yield", .num_operands = mlirOperationGetNumResults(r->loop), .operands = results});
}

static void fill_else(const rotation *r, MlirBlock block)
{
    tri_builder b = tri_builder_at_end(block, mlirOperationGetLocation(r->loop));
    tri_value_list inits = {0};
    for (intptr_t i = 3; i < mlirOperationGetNumOperands(r->loop); i++)
        tri_vec_push(r->arena, &inits, tri_op_operand(r->loop, i));
    tri_builder_create(&b, &(tri_op){.name = "scf.yield", .num_operands = (intptr_t)inits.len, .operands = inits.at});
}

static void rewrite_rotate(const rotation *r)
{
    tri_builder b = tri_builder_before(r->loop);
    MlirValue has_trips = tri_compare_has_trips(&b, r->loop);
    intptr_t count = mlirOperationGetNumResults(r->loop);
    MlirType *types = TRI_NEW_ARRAY(r->arena, MlirType, count + 1);
    MlirValue *results = TRI_NEW_ARRAY(r->arena, MlirValue, count + 1);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    for (int i = 0; i < 2; i++)
        mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
    for (intptr_t i = 0; i < count; i++)
        types[i] = mlirValueGetType(tri_op_result(r->loop, i));
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = "scf.if",
                                                          .num_operands = 1,
                                                          .operands = &has_trips,
                                                          .num_results = count,
                                                          .results = types,
                                                          .num_regions = 2,
                                                          .regions = regions});
    fill_then(r, tri_op_body(made, 0));
    fill_else(r, tri_op_body(made, 1));
    for (intptr_t i = 0; i < count; i++)
        results[i] = tri_op_result(made, i);
    tri_op_replace(r->loop, count, results);
}

static rotation start_rotation(tri_arena *arena, MlirOperation loop, const tri_split_turns *turns)
{
    rotation r = {.arena = arena, .turns = turns, .loop = loop, .body = tri_op_body(loop, 0)};
    r.yield = mlirBlockGetTerminator(r.body);
    tri_map_init(&r.late, arena);
    tri_map_init(&r.tail, arena);
    return r;
}

static bool match_rotation(rotation *r) { return find_products(r) && find_late(r) && find_tail(r) && is_closed(r); }

bool tri_rotate_fits(tri_arena *arena, MlirOperation loop)
{
    rotation r = start_rotation(arena, loop, NULL);
    return match_rotation(&r);
}

bool tri_rotate_loop(tri_arena *arena, MlirOperation loop, const tri_split_turns *turns)
{
    rotation r = start_rotation(arena, loop, turns);
    if (!match_rotation(&r))
        return false;
    find_crossing(&r);
    rewrite_rotate(&r);
    return true;
}
