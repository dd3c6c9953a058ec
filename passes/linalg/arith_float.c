/* Floats from one format to another. The two common formats of 8 bits are converted by integer arithmetic. */
#include "passes/linalg/arith.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "passes/linalg/memory.h"

/* Of a format of 8 bits: what follows from the width of its fraction. */
typedef struct {
    int fraction, bias, largest; /* bits; exponent of one; the largest finite number */
} format;

static bool find_format(MlirType element, format *out)
{
    if (mlirTypeIsAFloat8E4M3FN(element))
        *out = (format){3, 7, 0x7e};
    else if (mlirTypeIsAFloat8E5M2(element))
        *out = (format){2, 15, 0x7b};
    else
        return false;
    return true;
}

static MlirValue select_of(tri_builder *b, MlirValue condition, MlirValue x, MlirValue y)
{
    MlirType type = mlirValueGetType(x);
    MlirValue operands[] = {condition, x, y};
    return tri_builder_value(
        b,
        &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands, .num_results = 1, .results = &type});
}

static MlirValue with(tri_builder *b, const char *name, MlirValue x, int64_t number)
{
    return tri_builder_binary(b, name, mlirValueGetType(x), x, tri_builder_int(b, mlirValueGetType(x), number));
}

/* The bits of e5m2 are the upper half of f16's; those of e4m3 are there too, for a number 256 times smaller. */
static MlirValue widen(tri_builder *b, MlirValue value, const format *f)
{
    MlirType type = mlirValueGetType(value), i8 = tri_type_with_element(type, mlirIntegerTypeGet(b->context, 8));
    MlirType i16 = tri_type_with_element(type, mlirIntegerTypeGet(b->context, 16)),
             f16 = tri_type_with_element(type, mlirF16TypeGet(b->context));
    MlirType f32 = tri_type_with_element(type, mlirF32TypeGet(b->context));
    MlirValue bits = tri_builder_unary(b, "arith.extui", i16, tri_builder_unary(b, "arith.bitcast", i8, value));
    if (f->fraction == 2)
        return tri_builder_unary(b, "arith.extf", f32,
                                 tri_builder_unary(b, "arith.bitcast", f16, with(b, "arith.shli", bits, 8)));
    MlirValue sign = with(b, "arith.shli", with(b, "arith.andi", bits, 0x80), 8),
              rest = with(b, "arith.andi", bits, 0x7f);
    MlirValue half = tri_builder_binary(b, "arith.ori", i16, sign, with(b, "arith.shli", rest, 7));
    MlirValue small = tri_builder_unary(b, "arith.extf", f32, tri_builder_unary(b, "arith.bitcast", f16, half));
    MlirValue number = tri_builder_binary(b, "arith.mulf", f32, small, tri_builder_float(b, f32, 256));
    MlirValue is_nan = tri_compare_make(b, TRI_CMP_EQ, rest, tri_builder_int(b, i16, 0x7f));
    return select_of(b, is_nan, tri_builder_float(b, f32, __builtin_nan("")), number);
}

/* From f32, to nearest even; what is too large becomes the largest number. */
static MlirValue narrow(tri_builder *b, MlirValue value, MlirType to, const format *f)
{
    enum { nan = 0x7f, f32_fraction = 23, f32_bias = 127 };
    MlirType f32 = mlirValueGetType(value), i32 = tri_type_with_element(f32, mlirIntegerTypeGet(b->context, 32));
    MlirType i8 = tri_type_with_element(f32, mlirIntegerTypeGet(b->context, 8));
    int shift = f32_fraction - f->fraction;
    int64_t magic = (int64_t)(f32_bias - f->bias + shift + 1) << f32_fraction;
    MlirValue bits = tri_builder_unary(b, "arith.bitcast", i32, value);
    MlirValue size = with(b, "arith.andi", bits, 0x7fffffff),
              sign = with(b, "arith.andi", with(b, "arith.shrui", bits, 24), 0x80);
    MlirValue odd = with(b, "arith.andi", with(b, "arith.shrui", size, shift), 1);
    MlirValue rounded =
        tri_builder_binary(b, "arith.addi", i32, with(b, "arith.addi", size, (INT64_C(1) << (shift - 1)) - 1), odd);
    MlirValue normal =
        with(b, "arith.subi", with(b, "arith.shrui", rounded, shift), (int64_t)(f32_bias - f->bias) << f->fraction);
    MlirValue addend = tri_builder_unary(b, "arith.bitcast", f32, tri_builder_int(b, i32, magic));
    MlirValue added =
        tri_builder_binary(b, "arith.addf", f32, tri_builder_unary(b, "arith.bitcast", f32, size), addend);
    MlirValue tiny = with(b, "arith.subi", tri_builder_unary(b, "arith.bitcast", i32, added), magic);
    int64_t least = (int64_t)(f32_bias - f->bias + 1) << f32_fraction;
    MlirValue made =
        select_of(b, tri_compare_make(b, TRI_CMP_ULT, size, tri_builder_int(b, i32, least)), tiny, normal);
    made = with(b, "arith.minui", made, f->largest);
    MlirValue over = tri_compare_make(b, TRI_CMP_UGT, size, tri_builder_int(b, i32, INT64_C(0x7f800000)));
    made = select_of(b, over, tri_builder_int(b, i32, nan), made);
    made = tri_builder_unary(b, "arith.trunci", i8, tri_builder_binary(b, "arith.ori", i32, made, sign));
    return tri_builder_unary(b, "arith.bitcast", tri_type_with_element(f32, to), made);
}

static MlirValue compare_floats(tri_builder *b, int predicate, MlirValue x, MlirValue y)
{
    MlirType i1 = tri_type_with_element(mlirValueGetType(x), mlirIntegerTypeGet(b->context, 1));
    MlirValue operands[2] = {x, y};
    tri_attr attr = {"predicate", tri_attr_i64(b->context, predicate)};
    return tri_builder_value(b, &(tri_op){.name = "arith.cmpf", .num_operands = 2, .operands = operands,
                                          .num_results = 1, .results = &i1, .num_attrs = 1, .attrs = &attr});
}

/* Rounded to nearest, it may be larger than it was: then the number before it is meant, for infinity the largest. */
static MlirValue towards_zero_of(tri_builder *b, MlirValue value, MlirValue rounded)
{
    enum { ordered_greater = 2 };
    MlirType type = mlirValueGetType(value), to = mlirValueGetType(rounded);
    MlirType bits_type = tri_type_with_element(to, mlirIntegerTypeGet(b->context, tri_type_bits(tri_type_element(to))));
    MlirValue sizes[2] = {tri_arith_convert(b, rounded, type, false), value};
    for (int i = 0; i < 2; i++)
        sizes[i] = tri_builder_unary(b, "math.absf", type, sizes[i]);
    MlirValue is_larger = compare_floats(b, ordered_greater, sizes[0], sizes[1]);
    MlirValue bits = tri_builder_unary(b, "arith.bitcast", bits_type, rounded);
    return tri_builder_unary(b, "arith.bitcast", to, select_of(b, is_larger, with(b, "arith.subi", bits, 1), bits));
}

static MlirValue resize(tri_builder *b, MlirValue value, MlirType element)
{
    MlirType to = tri_type_with_element(mlirValueGetType(value), element);
    unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(value)));
    return bits == tri_type_bits(element)
               ? value
               : tri_builder_unary(b, bits < tri_type_bits(element) ? "arith.extf" : "arith.truncf", to, value);
}

/* f64 as f32, from which another rounding goes where one alone would have gone: the last bit is set where some are lost
 * (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd"). */
static MlirValue to_odd(tri_builder *b, MlirValue value)
{
    enum { unordered_not_equal = 13 };
    MlirType type = mlirValueGetType(value), f32 = tri_type_with_element(type, mlirF32TypeGet(b->context)),
             i32 = tri_type_with_element(type, mlirIntegerTypeGet(b->context, 32));
    MlirValue cut = towards_zero_of(b, value, tri_builder_unary(b, "arith.truncf", f32, value));
    MlirValue is_less = compare_floats(b, unordered_not_equal, tri_builder_unary(b, "arith.extf", type, cut), value);
    MlirValue bits = tri_builder_unary(b, "arith.bitcast", i32, cut);
    bits = tri_builder_binary(b, "arith.ori", i32, bits, tri_builder_unary(b, "arith.extui", i32, is_less));
    return tri_builder_unary(b, "arith.bitcast", f32, bits);
}

MlirValue tri_arith_convert(tri_builder *b, MlirValue value, MlirType to, bool towards_zero)
{
    MlirType element = tri_type_element(to), from = tri_type_element(mlirValueGetType(value)),
             f32 = mlirF32TypeGet(b->context);
    format f;
    if (mlirTypeEqual(from, element))
        return value;
    if (find_format(from, &f))
        value = widen(b, value, &f);
    bool is_narrow = find_format(element, &f),
         swaps = tri_type_bits(from) == tri_type_bits(element); /* f16 and bf16 */
    if (tri_type_bits(from) == 64 && (is_narrow || mlirTypeIsABF16(element)))
        value = to_odd(b, value);
    else if (is_narrow || swaps)
        value = resize(b, value, f32);
    MlirValue rounded = is_narrow ? narrow(b, value, element, &f) : resize(b, value, element);
    bool is_cut = towards_zero && tri_type_bits(element) < tri_type_bits(tri_type_element(mlirValueGetType(value)));
    return is_cut ? towards_zero_of(b, value, rounded) : rounded;
}
