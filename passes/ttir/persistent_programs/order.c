/* Which tiles a program of a persistent grid computes: those with its own number and, from there on, one in as many as
 * there are programs. Where tiles are the longer the larger their number along one axis is (causal attention), an
 * iteration with an even number takes one from the long end and the next one its counterpart from the short end of the
 * same row of tiles, so that programs have about the same to do (32 blocks of keys, 132 programs: 547 blocks for the
 * one with the most instead of 595, 531 would be all alike).
 *
 * For loops of two products, the loop over tiles carries their numbers along the axes, to which each iteration adds
 * those of as many tiles as there are programs: two quotients a tile, one of the other, were 300 cycles in front of its
 * first product. Others divide: with what is carried, ptxas moves sums between their products (C7514). */
#include "passes/ttir/persistent_programs/persistent_programs.h"

#include "ir/builder.h"
#include "ir/compare.h"

#include "mlir-c/BuiltinTypes.h"

#define I32(op, x, y) tri_builder_binary(b, "arith." op, o->i32, x, y)

static MlirValue launch_number_of(const tri_tile_order *o, tri_builder *b, const char *name)
{
    tri_attr attr = {"axis", tri_attr_i32(b->context, 0)};
    return tri_builder_value(
        b, &(tri_op){.name = name, .num_results = 1, .results = &o->i32, .num_attrs = 1, .attrs = &attr});
}

static MlirValue order_constant(const tri_tile_order *o, tri_builder *b, int64_t value)
{
    return tri_builder_int(b, o->i32, value);
}

static MlirValue select_of(const tri_tile_order *o, tri_builder *b, MlirValue condition, MlirValue x, MlirValue y)
{
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3,
                                          .operands = (MlirValue[]){condition, x, y}, .num_results = 1,
                                          .results = &o->i32});
}

/* x runs fastest, as when the machine starts programs, or the axis of lengths. */
static int fast_axis(const tri_tile_order *o) { return o->growing < 0 ? 0 : o->growing; }
static int slow_axis(const tri_tile_order *o) { return 1 - fast_axis(o); }

/* Rows of tiles have counterparts only where they have an even number of tiles. */
static MlirValue has_pairs(const tri_tile_order *o, tri_builder *b)
{
    MlirValue odd = I32("andi", o->extent[o->growing], order_constant(o, b, 1));
    return tri_compare_make(b, TRI_CMP_EQ, odd, order_constant(o, b, 0));
}

/* How many of `all` things a program has, which begins with its own number. */
static MlirValue count_of(const tri_tile_order *o, tri_builder *b, MlirValue all, MlirValue first, MlirValue step)
{
    MlirValue up = I32("subi", step, order_constant(o, b, 1));
    return I32("divsi", I32("addi", I32("subi", all, first), up), step);
}

/* The loop's bounds: tiles, or, where they come in pairs, 0 to the number of tiles that the program has. */
static void compute_bounds(const tri_tile_order *o, tri_builder *b, MlirValue *bounds)
{
    MlirValue all = I32("muli", I32("muli", o->extent[0], o->extent[1]), o->extent[2]);
    bounds[0] = launch_number_of(o, b, "tt.get_program_id");
    bounds[1] = all;
    bounds[2] = launch_number_of(o, b, "tt.get_num_programs");
    if (o->growing < 0)
        return;
    MlirValue one = order_constant(o, b, 1), pairs = I32("shrsi", all, one);
    MlirValue in_pairs = I32("shli", count_of(o, b, pairs, bounds[0], bounds[2]), one);
    MlirValue single = count_of(o, b, all, bounds[0], bounds[2]);
    bounds[1] = select_of(o, b, has_pairs(o, b), in_pairs, single);
    bounds[0] = order_constant(o, b, 0);
    bounds[2] = one;
}

/* Along the axis that runs fastest, of a row of tiles or of half of it, then along the others. */
static MlirValue length_of(const tri_tile_order *o, tri_builder *b, int digit)
{
    MlirValue extent = o->extent[digit ? slow_axis(o) : fast_axis(o)], length = extent, one = {NULL};
    if (o->carries)
        one = order_constant(o, b, 1);
    if (!digit && o->growing >= 0)
        length = select_of(o, b, has_pairs(o, b), I32("shrsi", extent, one), extent);
    return o->carries ? I32("maxsi", length, one) : length;
}

/* The digits of a number of tiles. */
static void find_digits(const tri_tile_order *o, tri_builder *b, MlirValue number, MlirValue *out)
{
    for (int i = 0; i + 1 < TRI_PROGRAM_AXES; i++) {
        MlirValue length = length_of(o, b, i);
        MlirValue rest = I32("divsi", number, length);
        out[i] = I32("remsi", number, length);
        number = rest;
    }
    out[TRI_PROGRAM_AXES - 1] = number;
}

/* The sum of two numbers of tiles, digit by digit. */
static void add_digits(const tri_tile_order *o, tri_builder *b, const MlirValue *x, const MlirValue *y, MlirValue *out)
{
    MlirValue carry = order_constant(o, b, 0);
    for (int i = 0; i < TRI_PROGRAM_AXES; i++) {
        out[i] = I32("addi", I32("addi", x[i], y[i]), carry);
        if (i + 1 == TRI_PROGRAM_AXES)
            return;
        MlirValue length = length_of(o, b, i), is_past = tri_compare_make(b, TRI_CMP_SGE, out[i], length);
        carry = tri_builder_unary(b, "arith.extui", o->i32, is_past);
        out[i] = select_of(o, b, is_past, I32("subi", out[i], length), out[i]);
    }
}

MlirOperation tri_order_make_loop(const tri_tile_order *o, MlirBlock body, MlirLocation loc, bool is_split)
{
    enum { BOUNDS = 3, ALL = BOUNDS + TRI_PROGRAM_AXES };
    int carried = o->carries ? TRI_PROGRAM_AXES : 0;
    tri_builder b = tri_builder_before(mlirBlockGetTerminator(body));
    MlirValue operands[ALL];
    MlirType types[ALL];
    MlirLocation locs[ALL];
    for (int i = 0; i < ALL; i++) {
        types[i] = o->i32;
        locs[i] = loc;
    }
    b.loc = loc;
    compute_bounds(o, &b, operands);
    if (carried)
        find_digits(o, &b, launch_number_of(o, &b, "tt.get_program_id"), operands + BOUNDS);
    MlirBlock inside = mlirBlockCreate(1 + carried, types, locs);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, inside);
    tri_attr attr = {"tt.warp_specialize", is_split ? tri_attr_unit(b.context) : (MlirAttribute){NULL}};
    MlirOperation loop = tri_builder_create(&b, &(tri_op){.name = "scf.for",
                                                          .num_operands = BOUNDS + carried,
                                                          .operands = operands,
                                                          .num_results = carried,
                                                          .results = types,
                                                          .num_regions = 1,
                                                          .regions = &region,
                                                          .num_attrs = 1,
                                                          .attrs = &attr});
    tri_builder end = tri_builder_at_end(inside, b.loc);
    for (int i = 0; i < carried; i++)
        operands[i] = mlirBlockGetArgument(inside, 1 + i);
    tri_builder_create(&end, &(tri_op){.name = "scf.yield", .num_operands = carried, .operands = operands});
    return loop;
}

/* Whether the next iteration takes another pair of tiles, or another tile where they come alone. */
static MlirValue goes_on(const tri_tile_order *o, tri_builder *b, MlirValue is_short)
{
    MlirType i1 = mlirIntegerTypeGet(b->context, 1);
    MlirValue alone = tri_builder_binary(b, "arith.xori", i1, has_pairs(o, b), tri_builder_int(b, i1, 1));
    return tri_builder_binary(b, "arith.ori", i1, is_short, alone);
}

/* The numbers of this iteration's tile, or pair of tiles, along the axes; those of the next one are yielded. */
static void carry_digits(const tri_tile_order *o, tri_builder *b, MlirOperation loop, MlirValue moves, MlirValue *out)
{
    MlirBlock inside = tri_op_body(loop, 0);
    MlirOperation yield = mlirBlockGetTerminator(inside);
    tri_builder before = tri_builder_before(loop);
    MlirValue step[TRI_PROGRAM_AXES], next[TRI_PROGRAM_AXES];
    find_digits(o, &before, launch_number_of(o, &before, "tt.get_num_programs"), step);
    for (int i = 0; i < TRI_PROGRAM_AXES; i++)
        out[i] = mlirBlockGetArgument(inside, 1 + i);
    add_digits(o, b, out, step, next);
    for (int i = 0; i < TRI_PROGRAM_AXES; i++)
        mlirOperationSetOperand(yield, i, mlirValueIsNull(moves) ? next[i] : select_of(o, b, moves, next[i], out[i]));
}

void tri_order_numbers(const tri_tile_order *o, MlirOperation loop, MlirValue *out)
{
    MlirBlock inside = tri_op_body(loop, 0);
    tri_builder at = tri_builder_at_start(inside, mlirOperationGetLocation(loop)), *b = &at;
    MlirValue digits[TRI_PROGRAM_AXES], iteration = mlirBlockGetArgument(inside, 0), moves = {NULL};
    if (o->growing >= 0) {
        MlirValue parity = I32("andi", iteration, order_constant(o, b, 1));
        moves = goes_on(o, b, tri_compare_make(b, TRI_CMP_NE, parity, order_constant(o, b, 0)));
    }
    if (o->carries)
        carry_digits(o, b, loop, moves, digits);
    else
        find_digits(o, b, iteration, digits);
    out[fast_axis(o)] = digits[0];
    out[slow_axis(o)] = digits[1];
    out[2] = digits[2];
    if (o->growing >= 0) {
        MlirValue last = I32("subi", o->extent[o->growing], order_constant(o, b, 1));
        out[o->growing] = select_of(o, b, moves, digits[0], I32("subi", last, digits[0]));
    }
}
