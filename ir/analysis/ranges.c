#include "ir/analysis/ranges.h"

#include "base/map.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

struct tri_ranges {
    tri_arena *arena;
    tri_op_list assumed; /* operations whose operand, a comparison, holds */
    tri_map known;       /* MlirValue.ptr -> tri_range *; while one is computed it has the bounds of its type */
};

enum { max_depth = 200, max_trips = 1024 };

/* arith.cmpi's predicates, as numbers of its attribute. */
enum { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE };

typedef __int128 wide;

static unsigned number_bits(MlirValue value)
{
    MlirType type = tri_type_element(mlirValueGetType(value));
    return mlirTypeIsAIndex(type) ? 64 : mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 0;
}

static tri_range range_of_type(unsigned bits)
{
    if (!bits || bits >= 64)
        return (tri_range){INT64_MIN, INT64_MAX};
    return (tri_range){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1};
}

/* The exact bounds, where they fit the type: else the operation wraps. */
static tri_range range_if_exact(wide low, wide high, unsigned bits)
{
    tri_range all = range_of_type(bits);
    return low < all.low || high > all.high ? all : (tri_range){(int64_t)low, (int64_t)high};
}

static tri_range range_union(tri_range a, tri_range b)
{
    return (tri_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static tri_range range_common(tri_range a, tri_range b)
{
    tri_range m = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    return m.low > m.high ? b : m; /* never reached code */
}

/* ---- assumptions ---- */

/* What a comparison with a constant says of the value, which stands on its left. */
static tri_range range_of_comparison(int64_t predicate, int64_t constant, tri_range value)
{
    tri_range all = {INT64_MIN, INT64_MAX};
    bool is_positive = value.low >= 0;
    switch (predicate) {
    case EQ:
        return (tri_range){constant, constant};
    case SLT:
        return (tri_range){INT64_MIN, constant - (constant > INT64_MIN)};
    case SLE:
        return (tri_range){INT64_MIN, constant};
    case SGT:
        return (tri_range){constant + (constant < INT64_MAX), INT64_MAX};
    case SGE:
        return (tri_range){constant, INT64_MAX};
    case ULT:
        return constant > 0 ? (tri_range){0, constant - 1} : all;
    case ULE:
        return constant >= 0 ? (tri_range){0, constant} : all;
    case UGT:
        return is_positive && constant >= 0 ? (tri_range){constant + (constant < INT64_MAX), INT64_MAX} : all;
    case UGE:
        return is_positive && constant >= 0 ? (tri_range){constant, INT64_MAX} : all;
    default:
        return all;
    }
}

static int64_t mirrored_predicate(int64_t predicate)
{
    static const int64_t of[] = {EQ, NE, SGT, SGE, SLT, SLE, UGT, UGE, ULT, ULE};
    return predicate >= 0 && predicate <= UGE ? of[predicate] : NE;
}

/* The block, or one around it, is that of the operation. */
static bool is_in_force(MlirOperation op, MlirBlock block)
{
    MlirBlock at = mlirOperationGetBlock(op);
    while (!mlirBlockIsNull(block)) {
        if (mlirBlockEqual(block, at))
            return true;
        MlirOperation parent = mlirBlockGetParentOperation(block);
        block = mlirOperationIsNull(parent) ? (MlirBlock){0} : mlirOperationGetBlock(parent);
    }
    return false;
}

static tri_range range_assumed(tri_ranges *r, MlirValue value, MlirBlock block, tri_range range)
{
    for (size_t i = 0; i < r->assumed.len; i++) {
        MlirOperation compare = tri_op_def(tri_op_operand(r->assumed.at[i], 0));
        int64_t constant, predicate = tri_op_int(compare, "predicate", NE);
        bool is_left = mlirValueEqual(tri_op_operand(compare, 0), value);
        if (!is_left && !mlirValueEqual(tri_op_operand(compare, 1), value))
            continue;
        if (is_in_force(r->assumed.at[i], block) && tri_op_const_int(tri_op_operand(compare, is_left), &constant))
            range = range_common(
                range, range_of_comparison(is_left ? predicate : mirrored_predicate(predicate), constant, range));
    }
    return range;
}

/* ---- operations ---- */

static tri_range range_product(tri_range a, tri_range b, unsigned bits)
{
    wide products[] = {(wide)a.low * b.low, (wide)a.low * b.high, (wide)a.high * b.low, (wide)a.high * b.high};
    wide low = products[0], high = products[0];
    for (int i = 1; i < 4; i++) {
        low = products[i] < low ? products[i] : low;
        high = products[i] > high ? products[i] : high;
    }
    return range_if_exact(low, high, bits);
}

/* By a positive number. */
static tri_range range_quotient(tri_range a, tri_range b, unsigned bits)
{
    if (b.low <= 0)
        return range_of_type(bits);
    return (tri_range){a.low / (a.low < 0 ? b.low : b.high), a.high / (a.high < 0 ? b.high : b.low)};
}

static tri_range range_remainder(tri_range a, tri_range b, unsigned bits)
{
    if (b.low <= 0)
        return range_of_type(bits);
    int64_t most = b.high - 1;
    return (tri_range){a.low < 0 ? (a.low > -most ? a.low : -most) : 0, a.high < 0 ? 0 : a.high < most ? a.high : most};
}

static tri_range range_shifted_right(tri_range a, tri_range b, unsigned bits)
{
    if (b.low < 0 || b.high >= (int64_t)bits)
        return range_of_type(bits);
    return (tri_range){a.low >> (a.low < 0 ? b.low : b.high), a.high >> (a.high < 0 ? b.high : b.low)};
}

static tri_range range_shifted_left(tri_range a, tri_range b, unsigned bits)
{
    if (b.low < 0 || b.high >= (int64_t)bits || b.high > 62)
        return range_of_type(bits);
    return range_product(a, (tri_range){(int64_t)1 << b.low, (int64_t)1 << b.high}, bits);
}

static tri_range range_and(tri_range a, tri_range b, unsigned bits)
{
    if (a.low < 0 && b.low < 0)
        return range_of_type(bits);
    int64_t high = a.low < 0 ? b.high : b.low < 0 ? a.high : a.high < b.high ? a.high : b.high;
    return (tri_range){0, high};
}

static tri_range range_of_binary(MlirOperation op, tri_range a, tri_range b, unsigned bits)
{
    bool is_unsigned = a.low >= 0 && b.low >= 0; /* the same with and without a sign */
    tri_range all = range_of_type(bits);
    if (tri_op_is(op, "arith.addi"))
        return range_if_exact((wide)a.low + b.low, (wide)a.high + b.high, bits);
    if (tri_op_is(op, "arith.subi"))
        return range_if_exact((wide)a.low - b.high, (wide)a.high - b.low, bits);
    if (tri_op_is(op, "arith.muli"))
        return range_product(a, b, bits);
    if (tri_op_is(op, "arith.divsi"))
        return range_quotient(a, b, bits);
    if (tri_op_is(op, "arith.divui"))
        return is_unsigned ? range_quotient(a, b, bits) : all;
    if (tri_op_is(op, "arith.remsi"))
        return range_remainder(a, b, bits);
    if (tri_op_is(op, "arith.remui"))
        return b.low > 0 ? (tri_range){0, is_unsigned && a.high < b.high - 1 ? a.high : b.high - 1} : all;
    if (tri_op_is(op, "arith.shrsi"))
        return range_shifted_right(a, b, bits);
    if (tri_op_is(op, "arith.shrui"))
        return is_unsigned ? range_shifted_right(a, b, bits) : all;
    if (tri_op_is(op, "arith.shli"))
        return range_shifted_left(a, b, bits);
    if (tri_op_is(op, "arith.andi"))
        return range_and(a, b, bits);
    if (tri_op_is(op, "arith.minsi") || (tri_op_is(op, "arith.minui") && is_unsigned))
        return (tri_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    if (tri_op_is(op, "arith.maxsi") || (tri_op_is(op, "arith.maxui") && is_unsigned))
        return (tri_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    return all;
}

static bool forwards_elements(MlirOperation op)
{
    static const char *const names[] = {"tt.splat",  "tt.broadcast", "tt.expand_dims",     "tt.reshape",
                                        "tt.trans",  "tt.split",     "ttg.convert_layout", "tt.unsplat",
                                        "tt.gather", "tt.join",      "amdg.extract_slice", "amdg.concat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return false;
}

static tri_range range_at(tri_ranges *r, MlirValue value, MlirBlock block, int depth);

static tri_range operand_range(tri_ranges *r, MlirOperation op, intptr_t i, int depth)
{
    return range_at(r, tri_op_operand(op, i), mlirOperationGetBlock(op), depth);
}

static tri_range range_of_cast(tri_ranges *r, MlirOperation op, unsigned bits, int depth)
{
    tri_range from = operand_range(r, op, 0, depth), all = range_of_type(bits);
    unsigned from_bits = number_bits(tri_op_operand(op, 0));
    if (tri_op_is(op, "arith.extui") && from.low < 0)
        return from_bits < 63 ? (tri_range){0, ((int64_t)1 << from_bits) - 1} : all;
    return from.low < all.low || from.high > all.high ? all : from;
}

static tri_range range_of_yields(tri_ranges *r, MlirOperation op, intptr_t result, int depth)
{
    tri_range sum = {0, 0};
    for (int region = 0; region < 2; region++) {
        MlirOperation end = mlirBlockGetTerminator(tri_op_body(op, region));
        tri_range one = operand_range(r, end, result, depth);
        sum = region ? range_union(sum, one) : one;
    }
    return sum;
}

static tri_range range_of_operation(tri_ranges *r, MlirValue value, MlirOperation op, int depth)
{
    unsigned bits = number_bits(value);
    int64_t constant;
    if (tri_op_const_int(value, &constant))
        return (tri_range){constant, constant};
    if (tri_op_is(op, "tt.get_program_id"))
        return (tri_range){0, INT32_MAX};
    if (tri_op_is(op, "tt.get_num_programs"))
        return (tri_range){0, INT32_MAX};
    if (tri_op_is(op, "tt.make_range"))
        return (tri_range){tri_op_int(op, "start", 0), tri_op_int(op, "end", 1) - 1};
    if (tri_op_is(op, "tt.histogram"))
        return (tri_range){0, range_of_type(bits).high};
    if (forwards_elements(op)) {
        tri_range sum = operand_range(r, op, 0, depth);
        for (intptr_t i = 1; i < mlirOperationGetNumOperands(op) && !tri_op_is(op, "tt.gather"); i++)
            sum = range_union(sum, operand_range(r, op, i, depth));
        return sum;
    }
    if (tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.extui") || tri_op_is(op, "arith.trunci") ||
        tri_op_is(op, "arith.index_cast"))
        return range_of_cast(r, op, bits, depth);
    if (tri_op_is(op, "arith.select"))
        return range_union(operand_range(r, op, 1, depth), operand_range(r, op, 2, depth));
    if (tri_op_is(op, "scf.if"))
        return range_of_yields(r, op, (intptr_t)mlirOpResultGetResultNumber(value), depth);
    if (tri_op_is(op, "arith.cmpi")) {
        int known = tri_ranges_compare(r, op);
        return known < 0 ? range_of_type(bits) : (tri_range){-known, -known};
    }
    if (mlirOperationGetNumOperands(op) == 2 && tri_str_has_prefix(tri_op_name(op), "arith."))
        return range_of_binary(op, operand_range(r, op, 0, depth), operand_range(r, op, 1, depth), bits);
    return range_of_type(bits);
}

/* ---- loops ---- */

static bool count_trips(tri_ranges *r, MlirOperation loop, int depth, wide *out_trips)
{
    tri_range low = operand_range(r, loop, 0, depth), high = operand_range(r, loop, 1, depth),
              step = operand_range(r, loop, 2, depth);
    int64_t least = step.low > 0 ? step.low : 1;
    *out_trips = (wide)high.high > low.low ? ((wide)high.high - low.low + least - 1) / least : 0;
    return *out_trips <= max_trips;
}

/* A value that each trip adds a number from a range to: what a trip begins with, or what is there behind the last. */
static tri_range range_of_carried(tri_ranges *r, MlirOperation loop, intptr_t index, MlirValue carried, bool is_result,
                                  int depth)
{
    unsigned bits = number_bits(carried);
    tri_range all = range_of_type(bits), init = operand_range(r, loop, 3 + index, depth);
    MlirValue next = tri_op_operand(mlirBlockGetTerminator(tri_op_body(loop, 0)), index);
    MlirOperation sum = tri_op_def(next);
    wide trips;
    if (mlirValueEqual(next, carried))
        return init;
    if (mlirOperationIsNull(sum) || !tri_op_is(sum, "arith.addi") || !count_trips(r, loop, depth, &trips))
        return all;
    bool is_first = mlirValueEqual(tri_op_operand(sum, 0), carried);
    if (!is_first && !mlirValueEqual(tri_op_operand(sum, 1), carried))
        return all;
    tri_range step = operand_range(r, sum, is_first, depth);
    trips -= !is_result && trips > 0;
    wide low = init.low + (step.low < 0 ? trips * step.low : 0),
         high = init.high + (step.high > 0 ? trips * step.high : 0);
    return range_if_exact(low, high, bits);
}

static tri_range range_of_argument(tri_ranges *r, MlirValue value, MlirBlock block, intptr_t index, int depth)
{
    MlirOperation parent = mlirBlockGetParentOperation(block);
    tri_range all = range_of_type(number_bits(value));
    if (!tri_op_is(parent, "scf.for"))
        return all;
    if (index)
        return range_of_carried(r, parent, index - 1, value, false, depth);
    tri_range low = operand_range(r, parent, 0, depth), high = operand_range(r, parent, 1, depth),
              step = operand_range(r, parent, 2, depth);
    return step.low >= 0 && low.low < high.high ? (tri_range){low.low, high.high - 1} : all;
}

/* ---- the whole ---- */

static tri_range range_computed(tri_ranges *r, MlirValue value, int depth)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return range_of_argument(r, value, block, index, depth + 1);
    MlirOperation op = tri_op_def(value);
    intptr_t result = (intptr_t)mlirOpResultGetResultNumber(value);
    if (tri_op_is(op, "scf.for"))
        return range_of_carried(r, op, result, mlirBlockGetArgument(tri_op_body(op, 0), result + 1), true, depth + 1);
    return range_of_operation(r, value, op, depth + 1);
}

static tri_range range_at(tri_ranges *r, MlirValue value, MlirBlock block, int depth)
{
    unsigned bits = number_bits(value);
    if (!bits || bits > 64 || depth > max_depth)
        return range_of_type(bits);
    tri_range *known = tri_map_find_ptr(&r->known, value.ptr);
    if (!known) {
        known = TRI_NEW(r->arena, tri_range);
        *known = range_of_type(bits);
        tri_map_set_ptr(&r->known, value.ptr, known);
        *known = range_computed(r, value, depth);
    }
    return range_assumed(r, value, block, *known);
}

tri_range tri_ranges_of(tri_ranges *ranges, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index))
        block = mlirOperationGetBlock(tri_op_def(value));
    return range_at(ranges, value, block, 0);
}

/* a < b and the like of signed numbers. */
static int order_of_ranges(int64_t predicate, tri_range a, tri_range b)
{
    switch (predicate) {
    case EQ:
        return a.low == a.high && b.low == b.high && a.low == b.low ? 1 : a.high < b.low || b.high < a.low ? 0 : -1;
    case SLT:
        return a.high < b.low ? 1 : a.low >= b.high ? 0 : -1;
    case SLE:
        return a.high <= b.low ? 1 : a.low > b.high ? 0 : -1;
    default:
        return -1;
    }
}

int tri_ranges_compare(tri_ranges *ranges, MlirOperation compare)
{
    int64_t predicate = tri_op_int(compare, "predicate", NE);
    MlirBlock block = mlirOperationGetBlock(compare);
    tri_range a = range_at(ranges, tri_op_operand(compare, 0), block, 0),
              b = range_at(ranges, tri_op_operand(compare, 1), block, 0);
    if (predicate >= ULT && (a.low < 0 || b.low < 0))
        return -1;
    if (predicate >= ULT)
        predicate -= ULT - SLT;
    if (predicate == SGT || predicate == SGE)
        return order_of_ranges(mirrored_predicate(predicate), b, a);
    int equal = order_of_ranges(predicate == NE ? EQ : predicate, a, b);
    return predicate == NE && equal >= 0 ? !equal : equal;
}

bool tri_ranges_runs(tri_ranges *ranges, MlirOperation loop)
{
    return tri_ranges_of(ranges, tri_op_operand(loop, 0)).high < tri_ranges_of(ranges, tri_op_operand(loop, 1)).low;
}

int64_t tri_ranges_trips(tri_ranges *ranges, MlirOperation loop)
{
    wide trips;
    count_trips(ranges, loop, 0, &trips);
    return trips > INT64_MAX ? INT64_MAX : (int64_t)trips;
}

tri_ranges *tri_ranges_create(tri_arena *arena, MlirOperation root)
{
    static const char *const names[] = {"llvm.intr.assume", "tt.assume"};
    tri_ranges *r = TRI_NEW(arena, tri_ranges);
    r->arena = arena;
    tri_map_init(&r->known, arena);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tri_op_list ops = {0};
        tri_op_collect_named(root, names[i], arena, &ops);
        for (size_t k = 0; k < ops.len; k++) {
            MlirOperation compare = tri_op_def(tri_op_operand(ops.at[k], 0));
            if (!mlirOperationIsNull(compare) && tri_op_is(compare, "arith.cmpi"))
                tri_vec_push(arena, &r->assumed, ops.at[k]);
        }
    }
    return r;
}
