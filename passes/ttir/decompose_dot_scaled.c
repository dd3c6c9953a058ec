/* Writes a product of scaled operands as a product of 16-bit floats.
 *
 *     %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e4m3 rhs = e2m1 {...}
 *   becomes
 *     %a1 = tt.fp_to_fp %a : tensor<128x64xf8E4M3FN> -> tensor<128x64xbf16>
 *     %s  = %as as bf16, every element repeated for the 32 (or 16) elements of K that it scales
 *     %a2 = arith.mulf %a1, %s           and so for %b, whose bytes hold two elements each
 *     %d  = tt.dot %a2, %b2, %c
 *
 * Formats are the OCP Microscaling ones: e2m1 elements two to a byte, the first in the low half; scales are
 * powers of two (e8m0, 255 is NaN) or e4m3. Operands become f16 when one of them is f16, else bf16, which holds
 * every product of element and scale that is no underflow. Needs: ttir. Holds afterwards: there is no tt.dot_scaled
 * but what the target's own instructions do (gfx950's, by accelerate-matmul). Answers to the decomposition in
 * accelerate-matmul and tritongpu-decompose-scaled-blocked.
 * Test: tests/passes/decompose-dot-scaled.mlir */
#include "passes/passes.h"

#include "ir/amd_matrix.h"
#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"

enum { kind_e4m3 = 0, kind_e5m2 = 1, kind_e2m1 = 4, kind_bf16 = 5, kind_fp16 = 6 };

/* One operand on its way to a plain float tensor. */
typedef struct {
    tri_builder *b;
    MlirType compute;  /* bf16 or f16 */
    MlirValue value, scale;
    int64_t kind;
    bool is_right, packs_k, is_fast;
} operand;

/* ---- small builders ---- */

/* An op with one result and at most one attribute. */
static MlirValue build(tri_builder *b, const char *name, intptr_t n, const MlirValue *operands, MlirType result,
                       tri_attr attr)
{
    return tri_builder_value(b, &(tri_op){.name = name, .num_operands = n, .operands = operands, .num_results = 1,
                                          .results = &result, .num_attrs = attr.name != NULL, .attrs = &attr});
}

static MlirValue with_const(tri_builder *b, const char *op, MlirValue x, int64_t constant)
{
    MlirType type = mlirValueGetType(x);
    return tri_builder_binary(b, op, type, x, tri_builder_int(b, type, constant));
}

static MlirValue cast(tri_builder *b, const char *op, MlirValue x, MlirType element)
{
    return tri_builder_unary(b, op, tri_type_with_element(mlirValueGetType(x), element), x);
}

static MlirValue select_equal(tri_builder *b, MlirValue x, int64_t equal, int64_t then, MlirValue otherwise)
{
    MlirType type = mlirValueGetType(otherwise);
    MlirValue is_equal = tri_compare_make(b, TRI_CMP_EQ, x, tri_builder_int(b, mlirValueGetType(x), equal));
    MlirValue choice[] = {is_equal, tri_builder_int(b, type, then), otherwise};
    return build(b, "arith.select", 3, choice, type, (tri_attr){0});
}

/* The tensor type with other sizes. */
static MlirType reshaped(MlirType type, int rank, const int64_t *shape)
{
    return tri_type_tensor(rank, shape, tri_type_element(type), tri_type_encoding(type));
}

static void get_shape(MlirType type, int64_t *out)
{
    for (int d = 0; d < tri_type_rank(type); d++)
        out[d] = tri_type_dim(type, d);
}

static MlirValue swap_dims(tri_builder *b, MlirValue x, int first, int second)
{
    MlirType type = mlirValueGetType(x);
    int rank = tri_type_rank(type);
    int64_t shape[TRI_MAX_RANK];
    int32_t order[TRI_MAX_RANK];
    get_shape(type, shape);
    for (int d = 0; d < rank; d++)
        order[d] = d == first ? second : d == second ? first : d;
    int64_t size = shape[first];
    shape[first] = shape[second];
    shape[second] = size;
    tri_attr attr = {"order", tri_attr_i32s(b->context, rank, order)};
    return build(b, "tt.trans", 1, &x, reshaped(type, rank, shape), attr);
}

/* ---- elements ---- */

/* The half byte in the low bits of a 16-bit integer: sign, two bits of exponent, one of mantissa, put where the
 * 16-bit float has its own; a product with a power of two, exact, moves the exponent's bias and makes the
 * smallest values normal numbers. */
static MlirValue half_byte(const operand *o, MlirValue x)
{
    tri_builder *b = o->b;
    bool is_bf16 = mlirTypeIsABF16(o->compute);
    MlirValue magnitude = with_const(b, "arith.shli", with_const(b, "arith.andi", x, 7), is_bf16 ? 6 : 9);
    MlirValue sign = with_const(b, "arith.shli", with_const(b, "arith.andi", x, 8), 12);
    MlirValue bits = tri_builder_binary(b, "arith.ori", mlirValueGetType(x), magnitude, sign);
    MlirValue y = cast(b, "tt.bitcast", bits, o->compute);
    MlirType type = mlirValueGetType(y);
    return tri_builder_binary(b, "arith.mulf", type, y, tri_builder_float(b, type, is_bf16 ? 0x1p126 : 0x1p14));
}

/* Two elements of a byte as neighbours along `dim`. */
static MlirValue unpack(const operand *o, int dim)
{
    tri_builder *b = o->b;
    MlirValue wide = cast(b, "arith.extui", o->value, mlirIntegerTypeGet(b->context, 16));
    MlirValue low = half_byte(o, wide), high = half_byte(o, with_const(b, "arith.shrui", wide, 4));
    MlirType type = mlirValueGetType(low);
    int rank = tri_type_rank(type);
    int64_t shape[TRI_MAX_RANK];
    get_shape(type, shape);
    shape[rank] = 2;
    MlirValue both = tri_builder_binary(b, "tt.join", reshaped(type, rank + 1, shape), low, high);
    for (int d = rank; d > dim + 1; d--)
        both = swap_dims(b, both, d - 1, d);
    get_shape(type, shape);
    shape[dim] *= 2;
    return tri_builder_unary(b, "tt.reshape", reshaped(type, rank, shape), both);
}

static MlirValue elements(const operand *o)
{
    tri_builder *b = o->b;
    MlirType type = tri_type_element(mlirValueGetType(o->value));
    int rank = tri_type_rank(mlirValueGetType(o->value));
    if (o->kind == kind_e2m1)
        return unpack(o, o->is_right == o->packs_k ? rank - 2 : rank - 1);
    if (mlirTypeEqual(type, o->compute))
        return o->value;
    MlirValue value = o->value;
    if (tri_type_is_int(type)) { /* 8-bit floats as bytes */
        MlirContext c = b->context;
        value =
            cast(b, "tt.bitcast", value, o->kind == kind_e4m3 ? mlirFloat8E4M3FNTypeGet(c) : mlirFloat8E5M2TypeGet(c));
    } else if (tri_type_bits(type) == 16) { /* bf16 beside an f16 operand */
        MlirValue wide = cast(b, "arith.extf", value, mlirF32TypeGet(b->context));
        return cast(b, "arith.truncf", wide, o->compute);
    }
    return cast(b, "tt.fp_to_fp", value, o->compute);
}

/* ---- scales ---- */

/* The scale in the compute type; of f16 in f32, whose range it needs. */
static MlirValue scale_values(const operand *o)
{
    tri_builder *b = o->b;
    bool is_bf16 = mlirTypeIsABF16(o->compute);
    MlirType target = is_bf16 ? o->compute : mlirF32TypeGet(b->context);
    if (!tri_type_is_int(tri_type_element(mlirValueGetType(o->scale))))
        return cast(b, "tt.fp_to_fp", o->scale, target);
    int shift = is_bf16 ? 7 : 23;
    MlirValue x = cast(b, "arith.extui", o->scale, mlirIntegerTypeGet(b->context, is_bf16 ? 16 : 32));
    MlirValue bits = with_const(b, "arith.shli", x, shift);
    bits = select_equal(b, x, 0, INT64_C(1) << (shift - 1), bits); /* 2^-127 is no normal number */
    if (!o->is_fast)
        bits = select_equal(b, x, 255, INT64_C(0x1ff) << (shift - 1), bits);
    return cast(b, "tt.bitcast", bits, target);
}

/* The scale of every element of a tensor like `like`. */
static MlirValue repeat(const operand *o, MlirValue scale, MlirType like)
{
    tri_builder *b = o->b;
    MlirType type = mlirValueGetType(scale);
    MlirType full = tri_type_with_element(like, tri_type_element(type));
    int rank = tri_type_rank(like);
    if (tri_type_num_elements(type) == 1)
        return tri_builder_unary(b, "tt.splat", full,
                                 tri_builder_unary(b, "tt.unsplat", tri_type_element(type), scale));
    int64_t shape[TRI_MAX_RANK];
    get_shape(type, shape);
    shape[rank] = 1;
    tri_attr axis = {"axis", tri_attr_i32(b->context, rank)};
    MlirValue x = build(b, "tt.expand_dims", 1, &scale, reshaped(type, rank + 1, shape), axis);
    shape[rank] = tri_type_dim(like, o->is_right ? rank - 2 : rank - 1) / shape[rank - 1];
    x = tri_builder_unary(b, "tt.broadcast", reshaped(type, rank + 1, shape), x);
    shape[rank - 1] *= shape[rank];
    x = tri_builder_unary(b, "tt.reshape", reshaped(type, rank, shape), x);
    return o->is_right ? swap_dims(b, x, rank - 2, rank - 1) : x;
}

static MlirValue scaled(const operand *o)
{
    tri_builder *b = o->b;
    MlirValue x = elements(o);
    if (mlirValueIsNull(o->scale))
        return x;
    MlirValue scale = repeat(o, scale_values(o), mlirValueGetType(x));
    MlirType type = tri_type_element(mlirValueGetType(scale));
    if (mlirTypeEqual(type, o->compute))
        return tri_builder_binary(b, "arith.mulf", mlirValueGetType(x), x, scale);
    x = cast(b, "arith.extf", x, type);
    return cast(b, "arith.truncf", tri_builder_binary(b, "arith.mulf", mlirValueGetType(x), x, scale), o->compute);
}

/* ---- the pass ---- */

static bool is_known(int64_t kind)
{
    return kind == kind_e4m3 || kind == kind_e5m2 || kind == kind_e2m1 || kind == kind_bf16 || kind == kind_fp16;
}

static bool decompose(tri_pass_run *run, MlirOperation op)
{
    int64_t kind_a = tri_op_int(op, "a_elem_type", 0), kind_b = tri_op_int(op, "b_elem_type", 0);
    if (!is_known(kind_a) || !is_known(kind_b)) {
        tri_op_error(run->unit->diag, op, 6002, "'tt.dot_scaled' of 6-bit elements is not supported on this target");
        return false;
    }
    tri_builder b = tri_builder_before(op);
    bool is_half = kind_a == kind_fp16 || kind_b == kind_fp16;
    MlirType compute = is_half ? mlirF16TypeGet(b.context) : mlirBF16TypeGet(b.context);
    bool is_fast = tri_op_flag(op, "fastMath");
    operand left = {&b, compute, tri_op_segment_value(op, 0), tri_op_segment_value(op, 3), kind_a, false,
                    tri_op_int(op, "lhs_k_pack", 1) != 0, is_fast};
    operand right = {&b, compute, tri_op_segment_value(op, 1), tri_op_segment_value(op, 4), kind_b, true,
                     tri_op_int(op, "rhs_k_pack", 1) != 0, is_fast};
    MlirValue c = tri_op_segment_value(op, 2), operands[3] = {scaled(&left), scaled(&right)};
    MlirType type = mlirValueGetType(c), f32 = mlirF32TypeGet(b.context);
    bool is_wide = mlirTypeIsAF32(tri_type_element(type)) || mlirTypeEqual(tri_type_element(type), compute);
    operands[2] = is_wide ? c : cast(&b, "arith.extf", c, f32);
    MlirValue made = build(&b, "tt.dot", 3, operands, mlirValueGetType(operands[2]), (tri_attr){0});
    if (!is_wide)
        made = cast(&b, "arith.truncf", made, tri_type_element(type));
    tri_op_replace(op, 1, &made);
    return true;
}

static bool run_decompose_dot_scaled(tri_pass_run *run)
{
    tri_op_list ops = {0};
    tri_str target = tri_passes_option_str(run, "target", "");
    const tri_machine_facts *facts = target.len ? tri_machines_for(target) : NULL;
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.dot_scaled", run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++)
        if (!(facts && tri_amd_scaled_fits(facts, ops.at[i])) && !decompose(run, ops.at[i]))
            return false;
    return true;
}

static const char *const options[] = {"target: leaves what the instructions of that one, such as hip:gfx950, do", NULL};

const tri_pass tri_pass_decompose_dot_scaled = {
    .name = "decompose-dot-scaled",
    .help = "write products of scaled operands as products of 16-bit floats",
    .alias = "tritongpu-decompose-scaled-blocked",
    .options = options,
    .run = run_decompose_dot_scaled,
};
