/* Runs the trips of a loop in which no element is masked off without the masks.
 *
 *     scf.for %i = %lb to %n step %s {               %cut = %n - 1023, not below %lb nor above %n
 *       %c = %i + range(0, 1024)                     scf.for %i = %lb to %cut step %s {
 *       %m = arith.cmpi slt, %c, %n                    %v = tt.load %p, true, %zero
 *       %v = tt.load %p, %m, %zero                   }
 *     }                                              %mid = the first %i that the loop above leaves
 *                                                    scf.for %i = %mid to %n step %s { as it was }
 *
 * Masks that the index only fulfils from somewhere on, as those of a window of keys, make a loop with masks in front.
 *
 * Needs: ttir, before layouts; loops over i32 without loops inside. A mask is a conjunction of comparisons of affine
 * numbers, of numbers among them that the loop carries and adds a constant to: those that grow or fall with the
 * loop's index say where to cut; those that do not depend on it say whether there is a part without masks at all.
 * Everything is worked out in 64 bits, and a number that may wrap in 32 bits rules the part without masks out, so
 * results are the same bits; numbers of 64 bits are looked at where they are made of 32 bits, and then cannot wrap.
 *
 * Loads without predicates are what lets an assembler keep more than two of them in flight. That is worth a second
 * body where a thread has several wide loads; many warps have enough in flight with two each (layernorm on an H200:
 * 1.6x with 4 warps, 1.14x with 8, 1.01x with 16; cross entropy with 32 loses 6 %), few single elements wait for
 * memory's sectors (16 gain 4 %), and long bodies run out of registers, as do blocks that a loop hands on and that fill
 * them: the second loop would move most of them to memory and back, unless one spills as much (NVIDIA: 16 x 1024 sums
 * of 64 bits by 4 warps gain 16 % in two). Of loops with products, where the option has them, it is what chooses among
 * elements of blocks, as attention's masks do, behind which exponents wait; those that load through pointers stay
 * whole, as each part would have to start its loads anew, and so do those of large blocks, where the choice is made
 * behind a branch (masks_guard.c). Scores that a number scales in front of a mask are scaled behind the search for the
 * largest of a row there (masks_scale.c). Answers to Intel's triton-intel-remove-masks.
 * Test: tests/passes/remove-masks.mlir */
#include "passes/ttir/remove_masks/remove_masks.h"

#include "ir/analysis/axis_info.h"
#include "ir/type.h"
#include "passes/analysis/dots.h"

/* Bytes that a load should move at least, or accesses that a thread should make for it; accesses a thread may have in
 * the body; registers for what is handed on. */
enum { WIDE = 8, MANY = 16, MAX_ACCESSES = 64, MOST_WARPS = 8, BOUNDS = 3, MOST_CARRIED = 128 };
/* Operations between what a loop carries and a mask that is looked for. */
enum { MASK_DEPTH = 8 };

/* ---- which loops ---- */

static MlirValue mask_of(MlirOperation op)
{
    if (tri_op_is(op, "tt.load") && tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0))))
        return tri_op_segment_value(op, 1);
    if (tri_op_is(op, "tt.store") && tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 0))) &&
        mlirOperationGetNumOperands(op) > 2)
        return tri_op_operand(op, 2);
    return (MlirValue){NULL};
}

/* How many products a loop has; -1: it cannot be split. Loops that hold loops would be doubled with them. */
static int64_t count_products(MlirOperation loop, const tri_op_list *inside)
{
    MlirType type = mlirValueGetType(tri_op_operand(loop, 0));
    int64_t count = 0;
    if (tri_op_flag(loop, "unsignedCmp") || !tri_type_is_int_of(type, 32))
        return -1;
    for (size_t i = 0; i < inside->len; i++) {
        MlirOperation op = inside->at[i];
        if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"))
            return -1;
        count += tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled");
    }
    return count;
}

/* Loads of blocks through pointers, which each part of a loop with products would have to start anew. */
static bool has_pointer_loads(const tri_op_list *inside)
{
    bool has = false;
    for (size_t i = 0; i < inside->len; i++)
        has = has || (tri_op_is(inside->at[i], "tt.load") &&
                      tri_type_is_tensor(mlirValueGetType(tri_op_result(inside->at[i], 0))));
    return has;
}

/* Elements of an access that one instruction moves. */
static int64_t width_of(const tri_axis_info *info, MlirValue pointer, int64_t bytes)
{
    MlirType type = mlirValueGetType(pointer);
    int64_t widest = 1, most = bytes < 16 ? 16 / bytes : 1;
    for (int d = 0; d < tri_type_rank(type); d++) {
        int64_t n = tri_axis_info_alignment(info, pointer, d);
        widest = n > widest ? n : widest;
    }
    return widest < most ? widest : most;
}

/* Whether a second body pays: masked loads that are wide or many, and not too many accesses. */
static bool has_worthy_loads(const tri_axis_info *info, const tri_op_list *inside, int64_t threads)
{
    int64_t accesses = 0;
    bool is_worthy = false;
    for (size_t i = 0; i < inside->len; i++) {
        if (mlirValueIsNull(mask_of(inside->at[i])))
            continue;
        MlirValue pointer = tri_op_operand(inside->at[i], 0);
        MlirType type = mlirValueGetType(pointer);
        int64_t bits = tri_type_bits(tri_type_ptr_pointee(tri_type_element(type))), bytes = bits < 8 ? 1 : bits / 8;
        int64_t width = width_of(info, pointer, bytes), each = tri_type_num_elements(type) / (threads * width);
        is_worthy |= tri_op_is(inside->at[i], "tt.load") && (width * bytes >= WIDE || each >= MANY);
        accesses += each > 1 ? each : 1;
    }
    return is_worthy && accesses <= MAX_ACCESSES;
}

/* Of accesses, and of choices where `choices` says so. True when something depends on the index. */
static bool visit_masks(tri_masks *s, const tri_op_list *inside, bool choices, bool uses)
{
    bool depends = false;
    for (size_t i = 0; i < inside->len; i++) {
        MlirOperation op = inside->at[i];
        MlirValue mask = mask_of(op), choice = choices ? tri_masks_choice_of(op) : (MlirValue){NULL};
        if (!mlirValueIsNull(mask))
            depends |= tri_masks_visit(s, mask, uses);
        if (!mlirValueIsNull(choice))
            depends |= tri_masks_visit(s, choice, uses);
    }
    return depends;
}

/* Whether a choice that depends on the index is none in a part of the loop. */
static bool has_choice(tri_masks *s, const tri_op_list *inside)
{
    for (size_t i = 0; i < inside->len; i++) {
        MlirValue choice = tri_masks_choice_of(inside->at[i]);
        if (!mlirValueIsNull(choice) && tri_masks_visit(s, choice, false) && tri_masks_is_whole(s, choice))
            return true;
    }
    return false;
}

/* Whether a mask that would be required is as asked. */
static bool has_mask(const tri_masks *s, const tri_op_list *inside, bool choices,
                     bool (*is_asked)(const tri_masks *s, MlirValue mask))
{
    for (size_t i = 0; i < inside->len; i++) {
        MlirOperation op = inside->at[i];
        MlirValue mask = mask_of(op), choice = choices ? tri_masks_choice_of(op) : (MlirValue){NULL};
        if ((!mlirValueIsNull(mask) && is_asked(s, mask)) || (!mlirValueIsNull(choice) && is_asked(s, choice)))
            return true;
    }
    return false;
}

static bool goes_on(const tri_masks *s, MlirValue mask) { return !tri_masks_is_soon_over(s, mask); }

/* ---- the loop in parts ---- */

/* Where the parts begin, of 64 bits, and how many trips the loop has made then. */
typedef struct {
    MlirValue low, top, step; /* the bounds of the whole; top is not below low */
    MlirValue start, end, middle; /* of the part without masks; the first index behind it */
    bool has_products;
    bool is_soon_over; /* behind the part without masks */
} parts;

static MlirValue trips_between(tri_masks *s, const parts *p, MlirValue from, MlirValue to)
{
    MlirValue length = tri_masks_binary(s, "arith.subi", to, from);
    MlirValue more = tri_masks_binary(s, "arith.subi", p->step, tri_masks_constant(s, 1));
    return tri_masks_binary(s, "arith.divui", tri_masks_binary(s, "arith.addi", length, more), p->step);
}

/* The first index not below `to` that a loop from `from` on comes to, not beyond its end. */
static MlirValue index_behind(tri_masks *s, const parts *p, MlirValue from, MlirValue to)
{
    MlirValue far = tri_masks_binary(s, "arith.muli", trips_between(s, p, from, to), p->step);
    return tri_masks_binary(s, "arith.minsi", tri_masks_binary(s, "arith.addi", from, far), p->top);
}

/* Bounds: a first part ends where the masks' begin is reached, the part without masks at max(start, min(end, ub)).
 * Where the guard does not hold that part is empty. */
static parts find_parts(tri_masks *s, bool has_products)
{
    MlirValue low = tri_masks_widen(s, tri_op_operand(s->loop, 0)), high;
    MlirValue step = tri_masks_widen(s, tri_op_operand(s->loop, 2));
    bool has_guard = !mlirValueIsNull(s->guard), has_rest = !mlirValueIsNull(s->end);
    high = tri_masks_widen(s, tri_op_operand(s->loop, 1));
    parts p = {.low = low, .top = tri_masks_binary(s, "arith.maxsi", high, low), .step = step, .start = low,
               .has_products = has_products};
    if (!mlirValueIsNull(s->begin)) {
        MlirValue begin = tri_masks_binary(s, "arith.maxsi", s->begin, low);
        p.start = index_behind(s, &p, low, tri_masks_binary(s, "arith.minsi", begin, p.top));
        if (has_guard)
            p.start = tri_masks_choose(s, s->guard, p.start, has_rest ? low : p.top);
    }
    if (!has_rest)
        return p;
    p.end = tri_masks_binary(s, "arith.minsi", s->end, high);
    if (has_guard)
        p.end = tri_masks_choose(s, s->guard, p.end, p.start);
    p.end = tri_masks_binary(s, "arith.maxsi", p.end, p.start);
    p.middle = index_behind(s, &p, p.start, p.end);
    return p;
}

static MlirValue narrow(tri_masks *s, MlirValue value)
{
    return tri_builder_unary(&s->b, "arith.trunci", mlirValueGetType(s->index), value);
}

static bool is_condition(const tri_masks *s, MlirValue value)
{
    for (size_t k = 0; k < s->conditions.len; k++)
        if (mlirValueEqual(s->conditions.at[k], value))
            return true;
    return false;
}

/* Whether the part without masks needs a value that the loop carries for `next` alone. */
static bool is_for_masks(const tri_masks *s, MlirValue value, MlirOperation next, int depth)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        intptr_t results = mlirOperationGetNumResults(user);
        if (mlirOperationEqual(user, next))
            continue;
        if (!depth || !results)
            return false;
        for (intptr_t r = 0; r < results; r++)
            if (!is_condition(s, tri_op_result(user, r)) && !is_for_masks(s, tri_op_result(user, r), next, depth - 1))
                return false;
    }
    return true;
}

/* Whether it is better computed from the trips than carried: numbers that the products' loads need not wait for the
 * loop then, and blocks that only masks read need not be carried through the part without them. */
static bool is_computed(const tri_masks *s, const parts *p, MlirValue carried, MlirOperation next)
{
    if (!tri_type_is_tensor(mlirValueGetType(carried)))
        return p->has_products;
    return tri_dots_has_one_use(tri_op_result(next, 0)) && is_for_masks(s, carried, next, MASK_DEPTH);
}

/* What the loop carries when it comes to `at`, where that are numbers to which each trip adds the same, if computing
 * them is better. Null: it is something else. */
static MlirValue carried_at(tri_masks *s, const parts *p, intptr_t i, MlirValue at)
{
    MlirBlock body = tri_op_body(s->loop, 0);
    MlirValue carried = mlirBlockGetArgument(body, 1 + i), start = tri_op_operand(s->loop, BOUNDS + i);
    MlirOperation next = tri_op_def(tri_op_operand(mlirBlockGetTerminator(body), i));
    MlirType type = mlirValueGetType(carried), number = tri_type_element(type);
    bool is_narrow = tri_type_is_int_of(number, 32);
    if ((!is_narrow && !tri_type_is_int_of(number, 64)) || mlirOperationIsNull(next) || !tri_op_is(next, "arith.addi"))
        return (MlirValue){NULL};
    bool is_second = mlirValueEqual(tri_op_operand(next, 1), carried);
    MlirValue each = tri_op_operand(next, !is_second);
    if (!mlirValueEqual(tri_op_operand(next, is_second), carried) || tri_loops_is_inside(s->loop, each) ||
        !is_computed(s, p, carried, next))
        return (MlirValue){NULL};
    MlirValue trips = trips_between(s, p, p->low, at);
    trips = is_narrow ? narrow(s, trips) : trips;
    if (tri_type_is_tensor(type))
        trips = tri_builder_unary(&s->b, "tt.splat", type, trips);
    MlirValue far = tri_builder_binary(&s->b, "arith.muli", type, trips, each);
    return tri_builder_binary(&s->b, "arith.addi", type, start, far);
}

/* The part of memory's loops with masks is a trip or few: nothing is loaded ahead of it. */
static void set_stages(const tri_masks *s, const parts *p, MlirOperation part)
{
    if (!p->has_products && !mlirAttributeIsNull(tri_op_attr(part, "tt.num_stages")))
        tri_builder_set_attr(part, "tt.num_stages", tri_attr_i32(s->b.context, 1));
}

static void say_few_trips(const tri_masks *s, MlirOperation loop)
{
    tri_builder_set_attr(loop, TRI_LOOPS_FEW_TRIPS, tri_attr_bool(s->b.context, true));
}

/* Lets `next` begin at `at` with what `part` ends with, and with the numbers in `known` that are not null. */
static void go_on(MlirOperation part, MlirOperation next, MlirValue at, const MlirValue *known)
{
    mlirOperationSetOperand(next, 0, at);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(next); i++)
        mlirOperationSetOperand(next, BOUNDS + i, mlirValueIsNull(known[i]) ? tri_op_result(part, i) : known[i]);
}

/* A loop in front of the part without masks, a loop behind it, or both. */
static void split(tri_masks *s, const parts *p)
{
    intptr_t count = mlirOperationGetNumResults(s->loop);
    bool has_rest = !mlirValueIsNull(p->middle);
    MlirValue *known = TRI_NEW_ARRAY(s->run->arena, MlirValue, 2 * count + 1);
    for (intptr_t i = 0; i < count; i++) {
        known[i] = mlirValueIsNull(s->begin) ? (MlirValue){NULL} : carried_at(s, p, i, p->start);
        known[count + i] = has_rest ? carried_at(s, p, i, p->middle) : (MlirValue){NULL};
    }
    if (has_rest) {
        tri_builder after = tri_builder_after(s->loop);
        MlirOperation rest = tri_op_clone(&after, s->loop, 0, NULL, NULL);
        for (intptr_t i = 0; i < count; i++)
            mlirValueReplaceAllUsesOfWith(tri_op_result(s->loop, i), tri_op_result(rest, i));
        set_stages(s, p, rest);
        if (p->is_soon_over)
            say_few_trips(s, rest);
        MlirValue end = narrow(s, p->end);
        go_on(s->loop, rest, narrow(s, p->middle), known + count);
        mlirOperationSetOperand(s->loop, 1, end);
    }
    if (!mlirValueIsNull(s->begin)) {
        MlirValue start = narrow(s, p->start);
        MlirOperation first = tri_op_clone(&s->b, s->loop, 0, NULL, NULL);
        set_stages(s, p, first);
        mlirOperationSetOperand(first, 1, start);
        go_on(first, s->loop, start, known);
    }
}

/* The choices that are none in the part without masks, among them those of elements that are scaled behind them there:
 * what that asks for, or with `moves` the part's own. */
static void visit_scales(tri_masks *s, const tri_op_list *inside, bool moves)
{
    tri_masks_scale scale;
    for (size_t i = 0; i < inside->len; i++) {
        MlirOperation op = inside->at[i];
        if (!tri_masks_is_guarded(s, op) || !tri_masks_find_scale(s, op, &scale))
            continue;
        if (!moves) {
            tri_masks_require_scale(s, &scale);
            continue;
        }
        tri_builder b = tri_builder_before(scale.is_behind ? scale.scale : op);
        tri_masks_scale_late(s, scale.scaled, scale.raw, tri_masks_factor(&b, &scale));
    }
}

/* Inside the part without masks every condition is true. */
static void replace_conditions(tri_masks *s, const tri_op_list *inside)
{
    tri_builder b = tri_builder_at_start(tri_op_body(s->loop, 0), mlirOperationGetLocation(s->loop));
    for (size_t k = 0; k < s->conditions.len; k++) {
        MlirValue yes = tri_builder_int(&b, mlirValueGetType(s->conditions.at[k]), 1);
        for (size_t i = 0; i < inside->len; i++)
            for (intptr_t o = 0; o < mlirOperationGetNumOperands(inside->at[i]); o++)
                if (mlirValueEqual(tri_op_operand(inside->at[i], o), s->conditions.at[k]))
                    mlirOperationSetOperand(inside->at[i], o, yes);
    }
}

static bool is_worth_it(tri_masks *s, const tri_axis_info *info, const tri_op_list *inside, int64_t products)
{
    int64_t warps = tri_passes_option_int(s->run, "num-warps", 4);
    int64_t least = tri_passes_option_int(s->run, "products", 0);
    if (products)
        return least && products >= least && !has_pointer_loads(inside) && has_choice(s, inside);
    int64_t threads = warps * tri_passes_option_int(s->run, "threads-per-warp", 32);
    return tri_passes_option_int(s->run, "all", 0) ||
           (has_worthy_loads(info, inside, threads) &&
            tri_masks_carried(s->loop, threads) <= tri_passes_option_int(s->run, "carried", MOST_CARRIED));
}

static void visit_loop(tri_pass_run *run, const tri_axis_info *info, MlirOperation loop)
{
    MlirContext context = run->unit->mlir;
    tri_op_list inside = {0};
    tri_op_collect(loop, run->arena, &inside);
    tri_masks s = {.run = run,
                   .loop = loop,
                   .index = mlirBlockGetArgument(tri_op_body(loop, 0), 0),
                   .b = tri_builder_before(loop),
                   .i1 = mlirIntegerTypeGet(context, 1),
                   .i64 = mlirIntegerTypeGet(context, 64)};
    int64_t products = count_products(loop, &inside);
    bool choices = products > 0;
    if (products > 0 && tri_masks_has_few_trips(&s))
        say_few_trips(&s, loop);
    if (products < 0 || !visit_masks(&s, &inside, choices, false) || !is_worth_it(&s, info, &inside, products) ||
        has_mask(&s, &inside, choices, tri_masks_is_never))
        return;
    visit_masks(&s, &inside, choices, true);
    if (choices)
        visit_scales(&s, &inside, false);
    parts p = find_parts(&s, products > 0);
    p.is_soon_over = !has_mask(&s, &inside, choices, goes_on);
    if (products > 0 && tri_masks_wants_guards(&s, &inside)) {
        tri_masks_guard(&s, &inside, mlirValueIsNull(s.begin) ? s.begin : narrow(&s, p.start),
                        mlirValueIsNull(p.middle) ? p.middle : narrow(&s, p.end));
    } else {
        split(&s, &p);
        if (choices)
            visit_scales(&s, &inside, true);
        replace_conditions(&s, &inside);
    }
    tri_diag_remark(run->unit->diag, tri_op_span(run->unit->diag, loop), "masks",
                    "trips in which every element is in bounds run without masks");
}

static bool run_remove_masks(tri_pass_run *run)
{
    tri_op_list loops = {0};
    if (tri_passes_option_int(run, "num-warps", 4) > MOST_WARPS)
        return true;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "scf.for", run->arena, &loops);
    const tri_axis_info *info =
        loops.len ? tri_axis_info_create(run->arena, mlirModuleGetOperation(run->module)) : NULL;
    for (size_t i = 0; i < loops.len; i++)
        visit_loop(run, info, loops.at[i]);
    return true;
}

static const char *const options[] = {
    "num-warps=N: warps that a program has (4)",
    "threads-per-warp=N: lanes of a warp (32)",
    "all=N: 1: loops without products whether it pays or not",
    "products=N: loops with so many products, too, of which the masks of choices are removed; 0: none (0)",
    "carried=N: loops that hand on more registers of a thread stay whole (128)",
    "guard=N: those stay whole, choices of N elements a thread behind a branch; 0: none does (0)",
    NULL,
};

const tri_pass tri_pass_remove_masks = {
    .name = "remove-masks",
    .help = "run the trips of a loop in which no element is masked off without masks",
    .alias = "triton-intel-remove-masks",
    .options = options,
    .run = run_remove_masks,
};
