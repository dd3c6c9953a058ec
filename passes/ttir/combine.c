/* Algebra on tensors that is easiest before layouts exist.
 *
 *     %d = tt.dot %a, %b, %zero          %r = tt.dot %a, %b, %c
 *     %r = arith.addf %d, %c
 *
 *     %q = tt.addptr %p, %i              %r = tt.addptr %p, (%i + %j)
 *     %r = tt.addptr %q, %j
 *
 * And: a select between a load and a value, on the condition that is the load's mask, becomes the
 * load's `other`; a sum over products of broadcasts is a dot; a 1-D reshape only reduced or counted
 * may reorder; a reshape that drops leading ones of a descriptor load is part of the load; 64-bit numbers made of
 * 32-bit ones are compared in 32 bits.
 * Needs: ttir. Numbers change only where the language leaves their order open. Answers to
 * triton-combine. Test: tests/passes/combine.mlir */
#include "passes/passes.h"

#include "ir/compare.h"
#include "ir/op.h"
#include "ir/type.h"
#include "ir/upstream.h"
#include "passes/analysis/loads.h"

typedef struct {
    tri_pass_run *run;
} combiner;

static bool has_one_use(MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

static bool is_def(MlirValue value, const char *name, MlirOperation *out_def)
{
    *out_def = tri_op_def(value);
    return !mlirOperationIsNull(*out_def) && tri_op_is(*out_def, name);
}

/* ---- add(dot(a, b, 0), d) ---- */

static bool match_dot(MlirOperation add, int side, MlirOperation *out_dot)
{
    bool is_float = tri_op_is(add, "arith.addf");
    MlirValue value = tri_op_operand(add, side);
    if (!is_def(value, "tt.dot", out_dot) && !(is_float && is_def(value, "tt.dot_scaled", out_dot)))
        return false;
    if (!has_one_use(value) || !tri_op_const_zero(tri_op_operand(*out_dot, 2)))
        return false;
    return !is_float || tri_op_is(*out_dot, "tt.dot_scaled") || tri_op_int(*out_dot, "maxNumImpreciseAcc", 0) == 0;
}

static bool combine_dot_add(combiner *c, MlirOperation add)
{
    (void)c;
    MlirOperation dot;
    if (!tri_op_is(add, "arith.addf") && !tri_op_is(add, "arith.addi"))
        return false;
    for (int side = 0; side < 2; side++) {
        if (!match_dot(add, side, &dot))
            continue;
        MlirValue other = tri_op_operand(add, 1 - side);
        tri_builder b = tri_builder_before(add);
        MlirOperation made = tri_op_clone(&b, dot, 0, NULL, NULL);
        mlirOperationSetOperand(made, 2, other);
        MlirValue result = tri_op_result(made, 0);
        tri_op_replace(add, 1, &result);
        return true;
    }
    return false;
}

/* ---- select(c, load(p, splat(c)), f) ---- */

static bool combine_select_load(combiner *c, MlirOperation select)
{
    MlirOperation load, splat;
    if (!tri_op_is(select, "arith.select") || !is_def(tri_op_operand(select, 1), "tt.load", &load))
        return false;
    MlirValue condition = tri_op_operand(select, 0), mask = tri_op_segment_value(load, 1);
    if (mlirValueIsNull(mask) || tri_type_is_tensor(mlirValueGetType(condition)) ||
        !is_def(mask, "tt.splat", &splat) || !mlirValueEqual(tri_op_operand(splat, 0), condition))
        return false;
    tri_builder b = tri_builder_before(select);
    MlirValue made = tri_loads_make(c->run->arena, &b, load, tri_op_operand(load, 0), mask, tri_op_operand(select, 2));
    tri_op_replace(select, 1, &made);
    return true;
}

/* ---- addptr(addptr(p, i), j) ---- */

static bool sum_fits(MlirValue x, MlirValue y)
{
    MlirType type = mlirValueGetType(x);
    if (!mlirTypeEqual(type, mlirValueGetType(y)))
        return false;
    unsigned bits = tri_type_bits(tri_type_element(type));
    if (bits == 64)
        return true;
    int64_t a, b;
    if (!tri_op_const_int(x, &a) || !tri_op_const_int(y, &b))
        return false;
    int64_t limit = (int64_t)1 << (bits - 1);
    return a + b >= -limit && a + b < limit;
}

static bool combine_addptr(combiner *c, MlirOperation outer)
{
    (void)c;
    static const char *const hints[] = {"tt.divisibility", "tt.contiguity", "tt.constancy", "tt.pointee_type"};
    MlirOperation inner;
    if (!tri_op_is(outer, "tt.addptr") || !is_def(tri_op_operand(outer, 0), "tt.addptr", &inner))
        return false;
    MlirValue i = tri_op_operand(inner, 1), j = tri_op_operand(outer, 1);
    if (!sum_fits(i, j))
        return false;
    tri_builder b = tri_builder_before(outer);
    MlirValue sum = tri_builder_binary(&b, "arith.addi", mlirValueGetType(i), i, j);
    MlirValue made = tri_builder_binary(&b, "tt.addptr", mlirValueGetType(tri_op_result(outer, 0)),
                                        tri_op_operand(inner, 0), sum);
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        if (!mlirAttributeIsNull(tri_op_attr(outer, hints[k])))
            tri_builder_set_attr(tri_op_def(made), hints[k], tri_op_attr(outer, hints[k]));
    tri_op_replace(outer, 1, &made);
    return true;
}

/* ---- reduce(mul(broadcast(x), broadcast(y))) ---- */

static bool is_single_addf(MlirOperation reduce)
{
    MlirBlock body = tri_op_body(reduce, 0);
    MlirOperation op = mlirBlockGetFirstOperation(body), last = mlirBlockGetTerminator(body);
    return tri_op_is(op, "arith.addf") && mlirOperationEqual(mlirOperationGetNextInBlock(op), last) &&
           mlirValueEqual(tri_op_operand(last, 0), tri_op_result(op, 0));
}

/* A 3-D tensor that is repeated along `dim` alone; its 2-D core. */
static bool match_repeated(MlirValue value, int dim, MlirValue *out_core)
{
    MlirOperation broadcast, expand;
    if (!is_def(value, "tt.broadcast", &broadcast) ||
        !is_def(tri_op_operand(broadcast, 0), "tt.expand_dims", &expand))
        return false;
    MlirType from = mlirValueGetType(tri_op_operand(broadcast, 0)), to = mlirValueGetType(value);
    for (int d = 0; d < 3; d++)
        if ((tri_type_dim(from, d) == tri_type_dim(to, d)) == (d == dim))
            return false;
    *out_core = tri_op_operand(expand, 0);
    return tri_op_int(expand, "axis", -1) == dim;
}

static bool combine_sum_of_products(combiner *c, MlirOperation reduce)
{
    if (!tri_op_is(reduce, "tt.reduce") || mlirOperationGetNumOperands(reduce) != 1 ||
        tri_op_int(reduce, "axis", 0) != 1 || !is_single_addf(reduce))
        return false;
    MlirOperation product;
    MlirValue x, y;
    MlirType type = mlirValueGetType(tri_op_operand(reduce, 0));
    if (tri_type_rank(type) != 3 || !mlirTypeIsAF32(tri_type_element(type)) ||
        !is_def(tri_op_operand(reduce, 0), "arith.mulf", &product))
        return false;
    if (!(match_repeated(tri_op_operand(product, 0), 2, &x) && match_repeated(tri_op_operand(product, 1), 0, &y)) &&
        !(match_repeated(tri_op_operand(product, 1), 2, &x) && match_repeated(tri_op_operand(product, 0), 0, &y)))
        return false;
    MlirType result = mlirValueGetType(tri_op_result(reduce, 0));
    if (tri_type_dim(result, 0) < 16 || tri_type_dim(result, 1) < 16)
        return false;
    tri_builder b = tri_builder_before(reduce);
    MlirValue operands[] = {x, y, tri_builder_float(&b, result, 0)};
    tri_attr attrs[] = {{"inputPrecision", tri_attr_i32(c->run->unit->mlir, 2)},
                        {"maxNumImpreciseAcc", tri_attr_i32(c->run->unit->mlir, 0)}};
    MlirValue made = tri_builder_value(&b, &(tri_op){.name = "tt.dot", .num_operands = 3, .operands = operands,
                                                     .num_results = 1, .results = &result, .num_attrs = 2,
                                                     .attrs = attrs});
    tri_op_replace(reduce, 1, &made);
    return true;
}

/* ---- reshapes ---- */

/* Alone: what is beside it, as the indices of a maximum or the mask of a histogram, keeps its own order. */
static bool only_reduced(MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use))
        return false;
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (!(tri_op_is(user, "tt.reduce") || tri_op_is(user, "tt.histogram")) ||
            mlirOperationGetNumOperands(user) != 1)
            return false;
    }
    return true;
}

static bool combine_reshape_order(combiner *c, MlirOperation reshape)
{
    MlirValue result = tri_op_result(reshape, 0);
    if (tri_op_flag(reshape, "allow_reorder") || tri_type_rank(mlirValueGetType(result)) != 1 || !only_reduced(result))
        return false;
    tri_builder_set_attr(reshape, "allow_reorder", tri_attr_unit(c->run->unit->mlir));
    return true;
}

static bool drops_leading_ones(MlirType from, MlirType to)
{
    int dropped = tri_type_rank(from) - tri_type_rank(to);
    for (int d = 0; d < tri_type_rank(from); d++)
        if (d < dropped ? tri_type_dim(from, d) != 1 : tri_type_dim(from, d) != tri_type_dim(to, d - dropped))
            return false;
    return dropped > 0;
}

static bool combine_reshape_load(combiner *c, MlirOperation reshape)
{
    (void)c;
    MlirOperation load;
    MlirValue source = tri_op_operand(reshape, 0), result = tri_op_result(reshape, 0);
    if (!is_def(source, "tt.descriptor_load", &load) || !has_one_use(source) ||
        !drops_leading_ones(mlirValueGetType(source), mlirValueGetType(result)))
        return false;
    tri_op_set_type(source, mlirValueGetType(result));
    tri_op_replace(reshape, 1, &source);
    return true;
}

static bool combine_reshape(combiner *c, MlirOperation op)
{
    return tri_op_is(op, "tt.reshape") && (combine_reshape_load(c, op) || combine_reshape_order(c, op));
}

/* ---- cmpi(ext(x), ext(y)), cmpi(ext(x), splat(t)) ---- */

enum { eq = 0, ne = 1, slt = 2, ult = 6, first_unsigned = ult, wide = 64, narrow = 32 };

/* A tensor of 64-bit numbers that `name` makes of 32-bit ones. */
static bool is_extended(MlirValue value, const char *name, MlirOperation *out_def)
{
    return is_def(value, name, out_def) && tri_type_is_tensor(mlirValueGetType(value)) &&
           tri_type_bits(tri_type_element(mlirValueGetType(value))) == wide &&
           tri_type_bits(tri_type_element(mlirValueGetType(tri_op_operand(*out_def, 0)))) == narrow;
}

/* Both extensions keep the order without signs; that with signs, too, or as that without (zeros in front). */
static bool compare_extended(MlirOperation cmpi, const char *name, MlirOperation x)
{
    MlirOperation y;
    if (!is_extended(tri_op_operand(cmpi, 1), name, &y))
        return false;
    int64_t predicate = tri_op_int(cmpi, "predicate", eq);
    if (tri_op_is(x, "arith.extui") && predicate >= slt && predicate < first_unsigned)
        predicate += ult - slt;
    tri_builder b = tri_builder_before(cmpi);
    MlirValue made = tri_compare_make(&b, predicate, tri_op_operand(x, 0), tri_op_operand(y, 0));
    tri_op_replace(cmpi, 1, &made);
    return true;
}

/* With one number t: equal where its lower half is, if t is what its lower half extends to. */
static bool compare_with_one(MlirOperation cmpi, const char *name, MlirOperation x)
{
    MlirOperation splat;
    int64_t predicate = tri_op_int(cmpi, "predicate", eq);
    if (predicate > ne || !is_def(tri_op_operand(cmpi, 1), "tt.splat", &splat))
        return false;
    tri_builder b = tri_builder_before(cmpi);
    MlirType type = mlirValueGetType(tri_op_operand(x, 0)), result = mlirValueGetType(tri_op_result(cmpi, 0));
    MlirValue t = tri_op_operand(splat, 0);
    MlirValue low = tri_builder_unary(&b, "arith.trunci", tri_type_element(type), t);
    MlirValue again = tri_builder_unary(&b, name, mlirValueGetType(t), low);
    MlirValue fits = tri_compare_make(&b, predicate, again, t);
    MlirValue lows = tri_builder_unary(&b, "tt.splat", type, low);
    MlirValue made = tri_compare_make(&b, predicate, tri_op_operand(x, 0), lows);
    made = tri_builder_binary(&b, predicate == eq ? "arith.andi" : "arith.ori", result, made,
                              tri_builder_unary(&b, "tt.splat", result, fits));
    tri_op_replace(cmpi, 1, &made);
    return true;
}

static bool combine_compare(combiner *c, MlirOperation cmpi)
{
    (void)c;
    static const char *const names[] = {"arith.extsi", "arith.extui"};
    MlirOperation x;
    for (size_t i = 0; i < sizeof names / sizeof *names && tri_op_is(cmpi, "arith.cmpi"); i++)
        if (is_extended(tri_op_operand(cmpi, 0), names[i], &x))
            return compare_extended(cmpi, names[i], x) || compare_with_one(cmpi, names[i], x);
    return false;
}

static bool run_combine(tri_pass_run *run)
{
    static bool (*const patterns[])(combiner *, MlirOperation) = {
        combine_dot_add, combine_select_load, combine_addptr, combine_sum_of_products, combine_reshape,
        combine_compare,
    };
    combiner c = {run};
    bool has_changed = false;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        tri_op_list ops = {0};
        tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
        for (size_t i = ops.len; i-- > 0;)
            for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
                if (patterns[p](&c, ops.at[i])) {
                    is_changed = true;
                    break;
                }
        if (is_changed)
            tri_op_erase_dead(mlirModuleGetOperation(run->module));
        has_changed |= is_changed;
    }
    /* sums of constants, masks that became constant */
    return !has_changed || tri_upstream_canonicalize(mlirModuleGetOperation(run->module));
}

const tri_pass tri_pass_combine = {
    .name = "combine",
    .help = "algebraic rewrites of ttir",
    .alias = "triton-combine",
    .run = run_combine,
};
