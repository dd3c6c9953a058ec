/* Sums of scalar values, by how the IR makes them. */
#include "ir/analysis/sum.h"

#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

enum { max_assumptions = 6 }; /* values that change together are looked at together no deeper than this */

void tri_sum_assume(tri_sums *sums, tri_sum_assumption *assumption, MlirValue value, const tri_sum *sum)
{
    tri_map_init(&assumption->fresh, sums->arena);
    assumption->known = sums->known;
    sums->known = &assumption->fresh;
    tri_vec_reserve(sums->arena, &sums->assumed, sums->assumed.len + 1);
    sums->assumed.at[sums->assumed.len].value = value;
    sums->assumed.at[sums->assumed.len++].sum = sum;
}

void tri_sum_assume_end(tri_sums *sums, tri_sum_assumption *assumption)
{
    sums->known = assumption->known;
    sums->assumed.len--;
}

/* What is assumed of a value by someone who looks at it now. */
static const tri_sum *find_assumed(const tri_sums *sums, MlirValue value)
{
    for (size_t i = sums->assumed.len; i-- > 0;)
        if (sums->assumed.at[i].value.ptr == value.ptr)
            return sums->assumed.at[i].sum;
    return NULL;
}

static const tri_sum *of_operand(tri_sums *sums, MlirOperation op, intptr_t i)
{
    return tri_sum_of(sums, tri_op_operand(op, i));
}

/* The op's first two operands, by `combine`. The order in which leaves become known is the order of terms, so it must
 * not be left to how a call's arguments are evaluated. */
static const tri_sum *of_both(tri_sums *sums, MlirOperation op,
                              const tri_sum *(*combine)(tri_sums *, const tri_sum *, const tri_sum *))
{
    const tri_sum *second = of_operand(sums, op, 1);
    return combine(sums, of_operand(sums, op, 0), second);
}

/* The induction variable: start + iteration * step. */
static const tri_sum *of_induction(tri_sums *sums, MlirOperation loop)
{
    const tri_sum *iteration = tri_sum_loop(sums, TRI_LEAF_ITERATION, loop);
    const tri_sum *walked = tri_sum_mul(sums, iteration, of_operand(sums, loop, 2));
    return tri_sum_add(sums, of_operand(sums, loop, 0), walked);
}

/* A value that an scf.for carries as its `i`th: start + iteration * increment, if each round adds the same. */
static const tri_sum *of_carried(tri_sums *sums, MlirOperation loop, intptr_t i, MlirValue argument)
{
    MlirOperation yield = mlirBlockGetTerminator(tri_op_body(loop, 0));
    if (sums->assumed.len >= max_assumptions)
        return NULL;
    const tri_sum *before = tri_sum_unknown(sums);
    tri_sum_assumption assumption;
    tri_sum_assume(sums, &assumption, argument, before);
    const tri_sum *increment = tri_sum_sub(sums, of_operand(sums, yield, i), before);
    tri_sum_assume_end(sums, &assumption);
    if (!tri_sum_is_outside(increment, loop)) /* which no placeholder is */
        return NULL;
    const tri_sum *walked = tri_sum_mul(sums, tri_sum_loop(sums, TRI_LEAF_ITERATION, loop), increment);
    return tri_sum_add(sums, of_operand(sums, loop, 3 + i), walked);
}

static const tri_sum *of_argument(tri_sums *sums, MlirValue value, MlirBlock block, intptr_t index)
{
    MlirOperation loop = mlirBlockGetParentOperation(block);
    if (!tri_op_is(loop, "scf.for"))
        return NULL;
    return index ? of_carried(sums, loop, index - 1, value) : of_induction(sums, loop);
}

/* What an scf.for leaves of a carried value. */
static const tri_sum *of_loop_result(tri_sums *sums, MlirOperation loop, intptr_t i)
{
    const tri_sum *inside = of_carried(sums, loop, i, mlirBlockGetArgument(tri_op_body(loop, 0), i + 1));
    const tri_sum *trips = tri_sum_loop(sums, TRI_LEAF_TRIPS, loop);
    return tri_sum_substitute(sums, inside, tri_sum_loop(sums, TRI_LEAF_ITERATION, loop), trips);
}

static const tri_sum *of_extension(tri_sums *sums, MlirOperation op)
{
    MlirValue from = tri_op_operand(op, 0);
    if (tri_type_is_int_of(mlirValueGetType(from), 1))
        return NULL;
    const tri_sum *a = tri_sum_of(sums, from);
    return tri_op_is(op, "arith.extui") && !tri_sum_is_natural(a) ? tri_sum_leaf(sums, TRI_LEAF_UNSIGNED, from) : a;
}

/* What a number divides exactly, as in pid*64 / 64; null: a remainder may be left. */
static const tri_sum *of_quotient(tri_sums *sums, MlirOperation op)
{
    const tri_sum *quotient, *rest, *by = of_operand(sums, op, 1);
    int64_t number;
    bool is_exact = tri_sum_is_const(by, &number) && number > 0 &&
                    tri_sum_divide(sums, of_operand(sums, op, 0), by, &quotient, &rest) && tri_sum_is(rest, 0);
    return is_exact ? quotient : NULL;
}

static const tri_sum *of_op(tri_sums *sums, MlirValue value, MlirOperation op)
{
    int64_t constant;
    if (tri_op_is(op, "arith.constant") && tri_op_const_int(value, &constant))
        return tri_sum_const(sums, constant);
    if (tri_op_is(op, "arith.addi"))
        return of_both(sums, op, tri_sum_add);
    if (tri_op_is(op, "arith.subi"))
        return of_both(sums, op, tri_sum_sub);
    if (tri_op_is(op, "arith.muli"))
        return of_both(sums, op, tri_sum_mul);
    if (tri_op_is(op, "arith.shli") && tri_op_const_int(tri_op_operand(op, 1), &constant) && constant >= 0 &&
        constant < 62)
        return tri_sum_mul(sums, of_operand(sums, op, 0), tri_sum_const(sums, INT64_C(1) << constant));
    if (tri_op_is(op, "arith.divsi"))
        return of_quotient(sums, op);
    if (tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.extui") || tri_op_is(op, "arith.index_cast"))
        return of_extension(sums, op);
    if (tri_op_is(op, "scf.for"))
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            if (tri_op_result(op, i).ptr == value.ptr)
                return of_loop_result(sums, op, i);
    return NULL;
}

const tri_sum *tri_sum_of(tri_sums *sums, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    const tri_sum *known = find_assumed(sums, value);
    if (known || (known = tri_map_find_ptr(sums->known, value.ptr)))
        return known;
    MlirType type = mlirValueGetType(value);
    bool is_narrow = !mlirTypeIsAIndex(type) && tri_type_bits(type) < 16;
    if (!is_narrow && tri_op_is_block_argument(value, &block, &index))
        known = of_argument(sums, value, block, index);
    else if (!is_narrow)
        known = of_op(sums, value, tri_op_def(value));
    if (!known)
        known = tri_sum_leaf(sums, TRI_LEAF_VALUE, value);
    tri_map_set_ptr(sums->known, value.ptr, (void *)known);
    return known;
}

/* --- divisors --- */

static int64_t int_in(MlirAttribute dictionary, const char *name)
{
    if (mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
        return 1;
    MlirAttribute attr = mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(name));
    return !mlirAttributeIsNull(attr) && mlirAttributeIsAInteger(attr) ? mlirIntegerAttrGetValueInt(attr) : 1;
}

static int64_t divisor_of_value(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index))
        return tri_op_int(tri_op_def(value), "tt.divisibility", 1);
    MlirOperation func = mlirBlockGetParentOperation(block);
    MlirAttribute attrs = tri_op_is(func, "tt.func") ? tri_op_attr(func, "arg_attrs") : (MlirAttribute){NULL};
    bool has_attrs =
        !mlirAttributeIsNull(attrs) && mlirAttributeIsAArray(attrs) && index < mlirArrayAttrGetNumElements(attrs);
    return has_attrs ? int_in(mlirArrayAttrGetElement(attrs, index), "tt.divisibility") : 1;
}

static int64_t power_of_two_in(int64_t value) { return value & -value; }

static int64_t divisor_of_leaf(const tri_leaf *leaf)
{
    int64_t a, b;
    if (leaf->kind == TRI_LEAF_VALUE || leaf->kind == TRI_LEAF_UNSIGNED) {
        a = power_of_two_in(divisor_of_value(leaf->value));
        return a > 0 ? a : 1;
    }
    if (leaf->kind != TRI_LEAF_CALL || !strcmp(leaf->op, "arith.divsi"))
        return 1;
    bool is_select = !strcmp(leaf->op, "arith.select");
    a = tri_sum_divisor(leaf->args[is_select ? 1 : 0]);
    b = tri_sum_divisor(leaf->args[is_select ? 2 : 1]);
    return a < b ? a : b;
}

int64_t tri_sum_divisor(const tri_sum *a)
{
    enum { top = 1 << 30 };
    int64_t result = top;
    for (int i = 0; a && i < a->count; i++) {
        int64_t product = power_of_two_in(a->term[i].factor);
        product = product > top || product <= 0 ? top : product;
        for (int l = 0; l < a->term[i].count && product < top; l++)
            product *= divisor_of_leaf(a->term[i].leaf[l]);
        result = product < result ? product : result;
    }
    return a ? result : 1;
}
