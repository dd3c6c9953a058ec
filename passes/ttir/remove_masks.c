/* Runs the trips of a loop in which no element is masked off without the masks.
 *
 *     scf.for %i = %lb to %n step %s {               %cut = %n - 1023, not below %lb nor above %n
 *       %c = %i + range(0, 1024)                     scf.for %i = %lb to %cut step %s {
 *       %m = arith.cmpi slt, %c, %n                    %v = tt.load %p, true, %zero
 *       %v = tt.load %p, %m, %zero                   }
 *     }                                              %mid = the first %i that the loop above leaves
 *                                                    scf.for %i = %mid to %n step %s { as it was }
 *
 * Needs: ttir, before layouts; loops over i32 without loops or products inside. A mask is a conjunction of
 * comparisons of affine numbers, of numbers among them that the loop carries and adds a constant to: those that grow
 * with the loop's index say where to cut; those that do not depend on it say whether there is a part without masks
 * at all. Everything is worked out in 64 bits, and a number that may wrap in 32 bits rules the part without masks
 * out, so results are the same bits; numbers of 64 bits are looked at where they are made of 32 bits, and then
 * cannot wrap. Loads without predicates are what lets an assembler keep more than two of them in flight. That is
 * worth a second body where a thread has several wide loads; many warps have enough in flight with two each
 * (layernorm on an H200: 1.6x with 4 warps, 1.14x with 8, 1.01x with 16; cross entropy with 32 loses 6 %), single
 * elements wait for memory's sectors, and long bodies run out of registers. Answers to Intel's
 * triton-intel-remove-masks. Test: tests/passes/remove-masks.mlir */
#include "passes/passes.h"

#include "ir/analysis/axis_info.h"
#include "ir/op.h"
#include "ir/type.h"

/* Bytes that a load should move at least; accesses a thread may have in the body. */
enum { WIDE = 8, MAX_ACCESSES = 64, MOST_WARPS = 8 };
enum { MAX_TERMS = 6, MAX_FACTOR = 1 << 24 /* sums stay below 2^63 */, SLT = 2, SLE = 3, SGT = 4, SGE = 5 };

/* iv * step + sum(term * factor) + something in [low, high]; true numbers, not modulo 2^32. */
typedef struct {
    int64_t step, low, high;
    int count;
    MlirValue terms[MAX_TERMS];
    int64_t factors[MAX_TERMS];
} affine;

typedef struct {
    tri_pass_run *run;
    MlirOperation loop;
    MlirValue index;
    tri_builder b;               /* in front of the loop */
    MlirType i1, i64;
    MlirValue cut;               /* i64: the part without masks ends here; null: nothing says so yet */
    MlirValue guard;             /* i1: whether there is such a part; null: always */
    TRI_VEC(MlirValue) conditions; /* that hold in all of it */
} splitter;

static bool is_inside(MlirOperation loop, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index))
        block = mlirOperationGetBlock(tri_op_def(value));
    for (MlirOperation op = mlirBlockGetParentOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetParentOperation(op))
        if (mlirOperationEqual(op, loop))
            return true;
    return false;
}

/* ---- affine numbers ---- */

static void add_range(affine *a, int64_t factor, int64_t first, int64_t last)
{
    a->low += factor * (factor < 0 ? last : first);
    a->high += factor * (factor < 0 ? first : last);
}

/* One number for the whole block, made in front of the loop. */
static bool add_term(affine *a, MlirValue value, int64_t factor)
{
    for (int i = 0; i < a->count; i++)
        if (mlirValueEqual(a->terms[i], value)) {
            a->factors[i] += factor;
            return true;
        }
    if (a->count == MAX_TERMS)
        return false;
    a->terms[a->count] = value;
    a->factors[a->count++] = factor;
    return true;
}

static bool is_shape(MlirOperation op)
{
    return tri_op_is(op, "tt.splat") || tri_op_is(op, "tt.expand_dims") || tri_op_is(op, "tt.broadcast") ||
           tri_op_is(op, "tt.trans") || tri_op_is(op, "tt.reshape");
}

static bool add_value(const splitter *s, affine *a, MlirValue value, int64_t factor, int depth);

static MlirValue lower_bound(const splitter *s) { return tri_op_operand(s->loop, 0); }

/* What the loop carries, where each trip adds the same constant: start + (index - lower bound) * each / step. */
static bool add_carried(const splitter *s, affine *a, MlirValue value, int64_t factor, int depth)
{
    MlirBlock block;
    intptr_t index;
    int64_t step, each;
    if (!tri_op_is_block_argument(value, &block, &index) || index == 0 ||
        !mlirBlockEqual(block, tri_op_body(s->loop, 0)) || !tri_op_const_int(tri_op_operand(s->loop, 2), &step))
        return false;
    MlirValue next = tri_op_operand(mlirBlockGetTerminator(block), index - 1);
    MlirOperation sum = tri_op_def(next);
    if (mlirOperationIsNull(sum) || !tri_op_is(sum, "arith.addi") || !mlirValueEqual(tri_op_operand(sum, 0), value) ||
        !tri_op_const_int(tri_op_operand(sum, 1), &each) || step <= 0 || each % step)
        return false;
    int64_t slope = factor * (each / step);
    return add_value(s, a, s->index, slope, depth) && add_value(s, a, lower_bound(s), -slope, depth) &&
           add_value(s, a, tri_op_operand(s->loop, 2 + index), factor, depth);
}

static bool add_binary(const splitter *s, affine *a, MlirOperation op, int64_t factor, int depth)
{
    MlirValue x = tri_op_operand(op, 0), y = tri_op_operand(op, 1);
    int64_t constant;
    if (tri_op_is(op, "arith.muli")) {
        if (!tri_op_const_int(y, &constant) && (y = x, x = tri_op_operand(op, 1), !tri_op_const_int(y, &constant)))
            return false;
        return add_value(s, a, x, factor * constant, depth);
    }
    return add_value(s, a, x, factor, depth) &&
           add_value(s, a, y, tri_op_is(op, "arith.subi") ? -factor : factor, depth);
}

/* Adds factor * value of 64 bits, which must be a number of 32 bits as it stands: arithmetic could have wrapped. */
static bool add_widened(const splitter *s, affine *a, MlirValue value, int64_t factor, int depth)
{
    MlirOperation op = tri_op_def(value);
    int64_t constant;
    if (!tri_type_is_tensor(mlirValueGetType(value)))
        return (mlirValueEqual(value, s->index) || !is_inside(s->loop, value)) && add_value(s, a, value, factor, depth);
    if (tri_op_const_int(value, &constant) || (!mlirOperationIsNull(op) && tri_op_is(op, "tt.make_range")))
        return add_value(s, a, value, factor, depth);
    return !mlirOperationIsNull(op) && is_shape(op) &&
           add_widened(s, a, tri_op_operand(op, 0), factor, depth + 1);
}

/* Adds factor * value; false when that is not affine. Numbers of 64 bits are taken apart down to those of 32. */
static bool add_value(const splitter *s, affine *a, MlirValue value, int64_t factor, int depth)
{
    MlirType type = mlirValueGetType(value), element = tri_type_element(type);
    int64_t constant;
    bool is_wide = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 64;
    if (depth > 32 || factor < -MAX_FACTOR || factor > MAX_FACTOR || !mlirTypeIsAInteger(element) ||
        (!is_wide && mlirIntegerTypeGetWidth(element) != 32))
        return false;
    if (tri_op_const_int(value, &constant) && constant >= INT32_MIN && constant <= INT32_MAX) {
        add_range(a, factor, constant, constant);
        return true;
    }
    if (mlirValueEqual(value, s->index)) {
        a->step += factor;
        return true;
    }
    if (!is_wide && !tri_type_is_tensor(type) && !is_inside(s->loop, value))
        return add_term(a, value, factor);
    MlirOperation op = tri_op_def(value);
    if (mlirOperationIsNull(op))
        return add_carried(s, a, value, factor, depth + 1);
    if (is_wide && tri_op_is(op, "arith.extsi"))
        return add_widened(s, a, tri_op_operand(op, 0), factor, depth + 1);
    if (tri_op_is(op, "tt.make_range")) {
        add_range(a, factor, tri_op_int(op, "start", 0), tri_op_int(op, "end", 1) - 1);
        return true;
    }
    if (is_shape(op))
        return add_value(s, a, tri_op_operand(op, 0), factor, depth + 1);
    if (tri_op_is(op, "arith.addi") || tri_op_is(op, "arith.subi") || tri_op_is(op, "arith.muli"))
        return add_binary(s, a, op, factor, depth + 1);
    return false;
}

/* A number that the source computes without any arithmetic cannot wrap. */
static bool is_plain(const affine *a)
{
    if (a->step)
        return a->step == 1 && !a->count && !a->low && !a->high;
    return !a->count ? a->low >= INT32_MIN && a->high <= INT32_MAX
                     : a->count == 1 && a->factors[0] == 1 && !a->low && !a->high;
}

/* ---- the same as operations, in 64 bits ---- */

static MlirValue constant64(splitter *s, int64_t value) { return tri_builder_int(&s->b, s->i64, value); }

static MlirValue widen(splitter *s, MlirValue value) { return tri_builder_unary(&s->b, "arith.extsi", s->i64, value); }

static MlirValue binary64(splitter *s, const char *name, MlirValue x, MlirValue y)
{
    return tri_builder_binary(&s->b, name, s->i64, x, y);
}

static MlirValue scaled(splitter *s, MlirValue value, int64_t factor)
{
    MlirValue wide = widen(s, value);
    return factor == 1 ? wide : binary64(s, "arith.muli", wide, constant64(s, factor));
}

/* The terms of `a` and a constant. */
static MlirValue emit_terms(splitter *s, const affine *a, int64_t constant)
{
    MlirValue sum = constant64(s, constant);
    for (int i = 0; i < a->count; i++)
        sum = binary64(s, "arith.addi", sum, scaled(s, a->terms[i], a->factors[i]));
    return sum;
}

static MlirValue less64(splitter *s, int64_t predicate, MlirValue x, MlirValue y)
{
    tri_attr attr = {"predicate", tri_attr_i64(s->b.context, predicate)};
    return tri_builder_value(&s->b, &(tri_op){.name = "arith.cmpi", .num_operands = 2, .operands = (MlirValue[]){x, y},
                                              .num_results = 1, .results = &s->i1, .num_attrs = 1, .attrs = &attr});
}

static void require(splitter *s, MlirValue condition)
{
    s->guard =
        mlirValueIsNull(s->guard) ? condition : tri_builder_binary(&s->b, "arith.andi", s->i1, s->guard, condition);
}

/* Requires that `a` is not below INT32_MIN (sign 1) or not above INT32_MAX (sign -1) where the index is lowest; it
 * moves away from that limit as the index grows. */
static void require_no_wrap(splitter *s, const affine *a, int sign)
{
    int64_t first, edge = sign > 0 ? a->low : a->high;
    if (!a->count && tri_op_const_int(lower_bound(s), &first)) {
        int64_t value = a->step * first + edge;
        if (sign > 0 ? value >= INT32_MIN : value <= INT32_MAX)
            return;
    }
    MlirValue value = emit_terms(s, a, edge);
    if (a->step)
        value = binary64(s, "arith.addi", value, scaled(s, lower_bound(s), a->step));
    require(s, less64(s, sign > 0 ? SGE : SLE, value, constant64(s, sign > 0 ? INT32_MIN : INT32_MAX)));
}

/* ---- conditions ---- */

/* x < y as numbers, of which none may wrap while the condition holds. */
typedef struct {
    affine low, high, gap; /* x, y and x - y, to which 1 is added for <= taken as < */
    bool is_wide;          /* of 64 bits, in which none wraps */
} comparison;

static bool read_comparison(const splitter *s, MlirOperation op, comparison *c)
{
    int64_t predicate = tri_op_int(op, "predicate", -1);
    bool is_swapped = predicate == SGT || predicate == SGE;
    if (predicate < SLT || predicate > SGE)
        return false;
    MlirValue x = tri_op_operand(op, is_swapped), y = tri_op_operand(op, !is_swapped);
    *c = (comparison){.is_wide = tri_type_bits(tri_type_element(mlirValueGetType(x))) == 64};
    if (!add_value(s, &c->low, x, 1, 0) || !add_value(s, &c->high, y, 1, 0) || !add_value(s, &c->gap, x, 1, 0) ||
        !add_value(s, &c->gap, y, -1, 0))
        return false;
    bool is_strict = predicate == SLT || predicate == SGT;
    c->gap.low -= !is_strict;
    c->gap.high -= !is_strict;
    /* One side is a plain number. Then the other cannot wrap on its side of it, and below or above only at the start.
     */
    return c->gap.step >= 0 && (c->is_wide || (is_plain(&c->high) && c->low.step >= 0) ||
                                (is_plain(&c->low) && c->high.step <= 0));
}

/* gap < 0 for every element: index * step + high < 0. */
static void use_comparison(splitter *s, const comparison *c)
{
    if (!c->is_wide && !is_plain(&c->low))
        require_no_wrap(s, &c->low, 1);
    if (!c->is_wide && !is_plain(&c->high))
        require_no_wrap(s, &c->high, -1);
    MlirValue rest = emit_terms(s, &c->gap, c->gap.high), zero = constant64(s, 0);
    if (!c->gap.step) {
        require(s, less64(s, SLT, rest, zero));
        return;
    }
    MlirValue room = binary64(s, "arith.subi", zero, rest), cut = room; /* index * step < room */
    if (c->gap.step > 1) {
        require(s, less64(s, SGT, room, zero));
        room = binary64(s, "arith.addi", room, constant64(s, c->gap.step - 1));
        cut = binary64(s, "arith.divsi", room, constant64(s, c->gap.step));
    }
    s->cut = mlirValueIsNull(s->cut) ? cut : binary64(s, "arith.minsi", s->cut, cut);
}

static bool is_wrapper(MlirOperation op)
{
    return tri_op_is(op, "tt.broadcast") || tri_op_is(op, "tt.expand_dims") || tri_op_is(op, "tt.splat");
}

/* Whether the whole of a mask from outside is understood; with `uses`, it is required, too. */
static bool visit_outside(splitter *s, MlirValue mask, bool uses, int depth)
{
    MlirOperation op = tri_op_def(mask);
    comparison c;
    if (mlirOperationIsNull(op) || depth > 16)
        return false;
    if (is_wrapper(op))
        return visit_outside(s, tri_op_operand(op, 0), uses, depth + 1);
    if (tri_op_is(op, "arith.andi"))
        return visit_outside(s, tri_op_operand(op, 0), uses, depth + 1) &&
               visit_outside(s, tri_op_operand(op, 1), uses, depth + 1);
    if (!tri_op_is(op, "arith.cmpi") || !read_comparison(s, op, &c))
        return false;
    if (uses)
        use_comparison(s, &c);
    return true;
}

static bool is_known(const splitter *s, MlirValue condition)
{
    for (size_t i = 0; i < s->conditions.len; i++)
        if (mlirValueEqual(s->conditions.at[i], condition))
            return true;
    return false;
}

/* Collects what of a mask becomes true; `uses` as above. True when something depends on the index. */
static bool visit_mask(splitter *s, MlirValue mask, bool uses, int depth)
{
    MlirOperation op = tri_op_def(mask);
    comparison c;
    if (mlirOperationIsNull(op) || depth > 16 || is_known(s, mask))
        return false;
    if (!is_inside(s->loop, mask)) {
        if (uses && visit_outside(s, mask, false, 0)) {
            visit_outside(s, mask, true, 0);
            tri_vec_push(s->run->arena, &s->conditions, mask);
        }
        return false;
    }
    if (is_wrapper(op))
        return visit_mask(s, tri_op_operand(op, 0), uses, depth + 1);
    if (tri_op_is(op, "arith.andi")) {
        bool first = visit_mask(s, tri_op_operand(op, 0), uses, depth + 1);
        return visit_mask(s, tri_op_operand(op, 1), uses, depth + 1) || first;
    }
    if (!tri_op_is(op, "arith.cmpi") || !read_comparison(s, op, &c))
        return false;
    if (uses) {
        use_comparison(s, &c);
        tri_vec_push(s->run->arena, &s->conditions, mask);
    }
    return c.gap.step > 0;
}

/* ---- the loop in two parts ---- */

static MlirValue mask_of(MlirOperation op)
{
    if (tri_op_is(op, "tt.load") && tri_type_is_tensor(mlirValueGetType(tri_op_result(op, 0))))
        return tri_op_segment_value(op, 1);
    if (tri_op_is(op, "tt.store") && tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 0))) &&
        mlirOperationGetNumOperands(op) > 2)
        return tri_op_operand(op, 2);
    return (MlirValue){NULL};
}

/* Loops that hold loops would be doubled with them; those with products are pipelined as a whole. */
static bool can_split(MlirOperation loop, const tri_op_list *inside)
{
    if (tri_op_flag(loop, "unsignedCmp"))
        return false;
    for (size_t i = 0; i < inside->len; i++) {
        MlirOperation op = inside->at[i];
        if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while") || tri_op_is(op, "tt.dot") ||
            tri_op_is(op, "tt.dot_scaled"))
            return false;
    }
    MlirType type = mlirValueGetType(tri_op_operand(loop, 0));
    return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32;
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

/* Whether a second body pays: wide masked loads, and not too many accesses. */
static bool is_worth_it(const tri_axis_info *info, const tri_op_list *inside, int64_t threads)
{
    int64_t accesses = 0;
    bool is_wide = false;
    for (size_t i = 0; i < inside->len; i++) {
        if (mlirValueIsNull(mask_of(inside->at[i])))
            continue;
        MlirValue pointer = tri_op_operand(inside->at[i], 0);
        MlirType type = mlirValueGetType(pointer);
        int64_t bits = tri_type_bits(tri_type_ptr_pointee(tri_type_element(type))), bytes = bits < 8 ? 1 : bits / 8;
        int64_t width = width_of(info, pointer, bytes), each = tri_type_num_elements(type) / (threads * width);
        is_wide |= tri_op_is(inside->at[i], "tt.load") && width * bytes >= WIDE;
        accesses += each > 1 ? each : 1;
    }
    return is_wide && accesses <= MAX_ACCESSES;
}

static bool visit_masks(splitter *s, const tri_op_list *inside, bool uses)
{
    bool depends = false;
    for (size_t i = 0; i < inside->len; i++) {
        MlirValue mask = mask_of(inside->at[i]);
        if (!mlirValueIsNull(mask))
            depends |= visit_mask(s, mask, uses, 0);
    }
    return depends;
}

/* A second loop behind the first, which goes on where that one ends. */
static void add_rest(splitter *s, MlirValue middle)
{
    intptr_t count = mlirOperationGetNumResults(s->loop);
    tri_builder after = tri_builder_after(s->loop);
    MlirOperation rest = tri_op_clone(&after, s->loop, 0, NULL, NULL);
    for (intptr_t i = 0; i < count; i++)
        mlirValueReplaceAllUsesOfWith(tri_op_result(s->loop, i), tri_op_result(rest, i));
    mlirOperationSetOperand(rest, 0, middle);
    for (intptr_t i = 0; i < count; i++)
        mlirOperationSetOperand(rest, 3 + i, tri_op_result(s->loop, i));
    if (!mlirAttributeIsNull(tri_op_attr(rest, "tt.num_stages")))
        tri_builder_set_attr(rest, "tt.num_stages", tri_attr_i32(s->b.context, 1));
}

static MlirValue choose_remove_masks(splitter *s, MlirValue condition, MlirValue x, MlirValue y)
{
    MlirValue operands[] = {condition, x, y};
    return tri_builder_value(&s->b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                              .num_results = 1, .results = &s->i64});
}

/* Bounds: the first loop ends at max(lb, min(cut, ub)), the second begins at the first index past it, not beyond ub. */
static void split(splitter *s)
{
    MlirType i32 = mlirValueGetType(s->index);
    MlirValue lb = lower_bound(s), ub = tri_op_operand(s->loop, 1), step = widen(s, tri_op_operand(s->loop, 2));
    MlirValue lb64 = widen(s, lb), ub64 = widen(s, ub);
    MlirValue end = binary64(s, "arith.minsi", s->cut, ub64);
    if (!mlirValueIsNull(s->guard))
        end = choose_remove_masks(s, s->guard, end, lb64);
    end = binary64(s, "arith.maxsi", end, lb64);
    MlirValue length = binary64(s, "arith.subi", end, lb64);
    MlirValue more = binary64(s, "arith.subi", step, constant64(s, 1));
    MlirValue trips = binary64(s, "arith.divui", binary64(s, "arith.addi", length, more), step);
    MlirValue middle = binary64(s, "arith.addi", lb64, binary64(s, "arith.muli", trips, step));
    middle = binary64(s, "arith.minsi", middle, binary64(s, "arith.maxsi", ub64, lb64));
    MlirValue end32 = tri_builder_unary(&s->b, "arith.trunci", i32, end);
    add_rest(s, tri_builder_unary(&s->b, "arith.trunci", i32, middle));
    mlirOperationSetOperand(s->loop, 1, end32);
}

/* Inside the first loop every condition is true. */
static void replace_conditions(splitter *s, const tri_op_list *inside)
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

static void visit_loop(tri_pass_run *run, const tri_axis_info *info, MlirOperation loop)
{
    MlirContext context = run->unit->mlir;
    tri_op_list inside = {0};
    tri_op_collect(loop, run->arena, &inside);
    splitter s = {.run = run,
                  .loop = loop,
                  .index = mlirBlockGetArgument(tri_op_body(loop, 0), 0),
                  .b = tri_builder_before(loop),
                  .i1 = mlirIntegerTypeGet(context, 1),
                  .i64 = mlirIntegerTypeGet(context, 64)};
    int64_t threads = tri_passes_option_int(run, "threads-per-warp", 32) * tri_passes_option_int(run, "num-warps", 4);
    if (!can_split(loop, &inside) || !visit_masks(&s, &inside, false))
        return;
    if (tri_passes_option_int(run, "all", 0) == 0 && !is_worth_it(info, &inside, threads))
        return;
    visit_masks(&s, &inside, true);
    split(&s);
    replace_conditions(&s, &inside);
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

static const char *const options[] = {"num-warps=N: warps that a program has (4)",
                                      "threads-per-warp=N: lanes of a warp (32)", "all=N: 1: whether it pays or not",
                                      NULL};

const tri_pass tri_pass_remove_masks = {
    .name = "remove-masks",
    .help = "run the trips of a loop in which no element is masked off without masks",
    .alias = "triton-intel-remove-masks",
    .options = options,
    .run = run_remove_masks,
};
