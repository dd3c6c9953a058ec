/* -fsanitize=undefined: where ops make something undefined out of what is defined. */
#include "targets/cpu/sanitize/shadow.h"

#include "ir/compare.h"
#include "ir/op_classes.h"

#include "mlir-c/BuiltinTypes.h"

/* of arith.cmpi */
enum { is_eq, is_ne, is_slt, is_sle, is_sgt, is_sge, is_ult, is_ule, is_ugt, is_uge };
/* of arith.cmpf: ordered */
enum { is_ogt = 2, is_oge = 3, is_olt = 4 };
enum { first_page = 4096 };

/* ---- shorthands ---- */

static MlirValue site(tri_cpu_shadow *x, tri_builder *b, MlirValue bad, const char *what)
{
    MlirType type = tri_cpu_shadow_type(x, bad);
    tri_vec_push(x->unit->arena, x->sites, (tri_cpu_site){b->loc, what});
    int64_t number = TRI_CPU_FIRST_SITE - (int64_t)(x->sites->len - 1);
    MlirValue none = tri_builder_int(b, type, 0);
    return tri_cpu_shadow_select(b, bad, tri_builder_int(b, type, number), none);
}

static MlirValue like(tri_builder *b, MlirValue v, int64_t value)
{
    return tri_builder_int(b, mlirValueGetType(v), value);
}

static MlirValue compare(tri_builder *b, int64_t predicate, MlirValue v, int64_t value)
{
    return tri_compare_make(b, predicate, v, like(b, v, value));
}

static MlirValue binary(tri_builder *b, const char *name, MlirValue u, MlirValue v)
{
    return tri_builder_binary(b, name, mlirValueGetType(u), u, v);
}

static unsigned bits_of(MlirValue v) { return tri_type_bits(tri_type_element(mlirValueGetType(v))); }

/* ---- integers ---- */

static bool ends_with(MlirOperation op, const char *suffix) { return tri_str_has_suffix(tri_op_name(op), suffix); }


static bool shifts(MlirOperation op)
{
    return tri_op_is(op, "arith.shli") || tri_op_is(op, "arith.shrsi") || tri_op_is(op, "arith.shrui");
}

static bool to_integer(MlirOperation op) { return tri_op_is(op, "arith.fptosi") || tri_op_is(op, "arith.fptoui"); }

bool tri_cpu_shadow_sites_has(MlirOperation op)
{
    int64_t c;
    if (tri_op_in(op, TRI_OPS_DIVISION))
        return !tri_op_const_int(tri_op_operand(op, 1), &c) || c == 0 || (c == -1 && ends_with(op, "si"));
    if (shifts(op))
        return !tri_op_const_int(tri_op_operand(op, 1), &c) || c < 0 || c >= (int64_t)bits_of(tri_op_operand(op, 0));
    return to_integer(op) || tri_op_is(op, "tt.gather");
}

static MlirValue division(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue u = tri_op_operand(op, 0), v = tri_op_operand(op, 1);
    MlirValue s = site(x, b, compare(b, is_eq, v, 0), "division by zero");
    if (!ends_with(op, "si") || bits_of(u) < 8)
        return s;
    int64_t lowest = (int64_t)(UINT64_MAX << (bits_of(u) - 1));
    MlirValue by_minus_one = compare(b, is_eq, v, -1);
    MlirValue over = binary(b, "arith.andi", compare(b, is_eq, u, lowest), by_minus_one);
    return tri_cpu_shadow_max(b, s, site(x, b, over, "the quotient of the lowest integer and -1"));
}

/* In float or double, where the bounds of the integer, or the float just inside of them, are exact. */
static MlirValue conversion(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue v = tri_op_operand(op, 0);
    MlirType element = tri_type_element(mlirValueGetType(v)), f32 = mlirF32TypeGet(b->context);
    unsigned bits = bits_of(tri_op_result(op, 0));
    bool is_signed = tri_op_is(op, "arith.fptosi"), is_wide = mlirTypeIsAF64(element);
    if (!is_wide && !mlirTypeIsAF32(element)) {
        bool is_fp8 = tri_type_bits(element) == 8;
        v = tri_builder_unary(b, is_fp8 ? "tt.fp_to_fp" : "arith.extf", tri_type_with_element(mlirValueGetType(v), f32),
                              v);
    }
    double high = 1, low;
    for (unsigned i = is_signed; i < bits; i++)
        high *= 2;
    low = is_signed ? -high : 0;
    /* truncation brings what is above low - 1 into the range; where low - 1 is no float, low is the last one */
    bool has_below = bits <= (is_wide ? 53u : 24u);
    MlirType type = mlirValueGetType(v), bit = tri_type_with_element(type, x->i1);
    MlirAttribute above = tri_attr_i64(b->context, has_below || !is_signed ? is_ogt : is_oge);
    MlirAttribute below = tri_attr_i64(b->context, is_olt);
    MlirValue ends[2] = {tri_builder_float(b, type, has_below || !is_signed ? low - 1 : low),
                         tri_builder_float(b, type, high)};
    MlirValue holds[2];
    for (int i = 0; i < 2; i++) {
        MlirValue operands[2] = {v, ends[i]};
        tri_attr predicate = {"predicate", i ? below : above};
        holds[i] = tri_builder_value(b, &(tri_op){.name = "arith.cmpf",
                                                  .num_operands = 2,
                                                  .operands = operands,
                                                  .num_results = 1,
                                                  .results = &bit,
                                                  .num_attrs = 1,
                                                  .attrs = &predicate});
    }
    MlirValue yes = tri_builder_int(b, bit, 1);
    MlirValue bad = binary(b, "arith.xori", binary(b, "arith.andi", holds[0], holds[1]), yes);
    return site(x, b, bad, "a float that the integer type cannot hold");
}

static MlirValue gather_index(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue index = tri_op_operand(op, 1);
    int64_t extent = tri_type_dim(mlirValueGetType(tri_op_operand(op, 0)), (int)tri_op_int(op, "axis", 0));
    unsigned bits = bits_of(index);
    if (bits < 63 && extent >> bits)
        return (MlirValue){NULL};
    return site(x, b, compare(b, is_uge, index, extent), "an index of gather outside of the block");
}

MlirValue tri_cpu_shadow_sites_own(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    if (!tri_cpu_shadow_sites_has(op))
        return (MlirValue){NULL};
    if (tri_op_in(op, TRI_OPS_DIVISION))
        return division(x, b, op);
    if (to_integer(op))
        return conversion(x, b, op);
    if (tri_op_is(op, "tt.gather"))
        return gather_index(x, b, op);
    MlirValue by = tri_op_operand(op, 1);
    return site(x, b, compare(b, is_uge, by, bits_of(by)), "a shift by the integer's width or more");
}

/* ---- memory, assumptions ---- */

static unsigned pointee_bytes(MlirValue pointer)
{
    MlirType pointee = tri_type_ptr_pointee(tri_type_element(mlirValueGetType(pointer)));
    unsigned bits = tri_type_bits(pointee);
    return bits < 8 ? 1 : bits / 8;
}

MlirValue tri_cpu_shadow_sites_access(tri_cpu_shadow *x, tri_builder *b, MlirOperation op, MlirValue pointer)
{
    bool is_load = tri_op_is(op, "tt.load"), is_store = tri_op_is(op, "tt.store");
    unsigned bytes = pointee_bytes(pointer);
    MlirValue at =
        tri_builder_unary(b, "tt.ptr_to_int", tri_type_with_element(mlirValueGetType(pointer), x->i64), pointer);
    MlirValue s = site(x, b, compare(b, is_ult, at, first_page),
                       is_load    ? "a load through a null pointer"
                       : is_store ? "a store through a null pointer"
                                  : "an atomic operation through a null pointer");
    if (bytes == 1)
        return s;
    MlirValue low = binary(b, "arith.andi", at, like(b, at, bytes - 1));
    return tri_cpu_shadow_max(b, s, site(x, b, compare(b, is_ne, low, 0),
                                         is_load    ? "a load from a misaligned address"
                                         : is_store ? "a store to a misaligned address"
                                                    : "an atomic operation at a misaligned address"));
}

MlirValue tri_cpu_shadow_sites_assume(tri_cpu_shadow *x, tri_builder *b, MlirOperation op)
{
    MlirValue holds = tri_op_operand(op, 0);
    return site(x, b, binary(b, "arith.xori", holds, like(b, holds, 1)), "an assumption that does not hold");
}
