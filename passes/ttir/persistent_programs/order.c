/* Which tiles a program of a persistent grid computes: those with its own number and, from there on, one in as many as
 * there are programs. Where tiles are the longer the larger their number along one axis is (causal attention), an
 * iteration with an even number takes one from the long end and the next one its counterpart from the short end of the
 * same row of tiles, so that programs have about the same to do (32 blocks of keys, 132 programs: 547 blocks for the
 * one with the most instead of 595, 531 would be all alike). */
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

MlirOperation tri_order_make_loop(const tri_tile_order *o, MlirBlock body, MlirLocation loc, bool is_split)
{
    tri_builder b = tri_builder_before(mlirBlockGetTerminator(body));
    MlirValue bounds[3];
    b.loc = loc;
    compute_bounds(o, &b, bounds);
    MlirBlock inside = mlirBlockCreate(1, &o->i32, &b.loc);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, inside);
    tri_attr attr = {"tt.warp_specialize", is_split ? tri_attr_unit(b.context) : (MlirAttribute){NULL}};
    MlirOperation loop = tri_builder_create(&b, &(tri_op){.name = "scf.for",
                                                          .num_operands = 3,
                                                          .operands = bounds,
                                                          .num_regions = 1,
                                                          .regions = &region,
                                                          .num_attrs = 1,
                                                          .attrs = &attr});
    tri_builder end = tri_builder_at_end(inside, b.loc);
    tri_builder_create(&end, &(tri_op){.name = "scf.yield"});
    return loop;
}

/* A tile's number along the axis of lengths, which runs fastest, and what is left for the others. */
static void split_pairs(const tri_tile_order *o, tri_builder *b, MlirValue iteration, MlirValue *out_at,
                        MlirValue *out_rest)
{
    MlirValue one = order_constant(o, b, 1), extent = o->extent[o->growing];
    MlirValue program = launch_number_of(o, b, "tt.get_program_id");
    MlirValue programs = launch_number_of(o, b, "tt.get_num_programs");
    MlirValue pair = I32("addi", I32("muli", I32("shrsi", iteration, one), programs), program);
    MlirValue half = I32("maxsi", I32("shrsi", extent, one), one), least = I32("remsi", pair, half);
    MlirValue is_short = tri_compare_make(b, TRI_CMP_NE, I32("andi", iteration, one), order_constant(o, b, 0));
    MlirValue greatest = I32("subi", I32("subi", extent, one), least);
    MlirValue tile = I32("addi", I32("muli", iteration, programs), program);
    MlirValue pairs = has_pairs(o, b);
    *out_at = select_of(o, b, pairs, select_of(o, b, is_short, least, greatest), I32("remsi", tile, extent));
    *out_rest = select_of(o, b, pairs, I32("divsi", pair, half), I32("divsi", tile, extent));
}

void tri_order_numbers(const tri_tile_order *o, MlirOperation loop, MlirValue *out)
{
    MlirBlock inside = tri_op_body(loop, 0);
    tri_builder at = tri_builder_at_start(inside, mlirOperationGetLocation(loop)), *b = &at;
    MlirValue tile = mlirBlockGetArgument(inside, 0), rest;
    int fast = o->growing < 0 ? 0 : o->growing, slow = 1 - fast;
    if (o->growing >= 0) {
        split_pairs(o, b, tile, &out[fast], &rest);
    } else { /* x runs fastest, as when the machine starts programs */
        rest = I32("divsi", tile, o->extent[0]);
        out[0] = I32("remsi", tile, o->extent[0]);
    }
    out[slow] = I32("remsi", rest, o->extent[slow]);
    out[2] = I32("divsi", rest, o->extent[slow]);
}
