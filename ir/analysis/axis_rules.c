#include "ir/analysis/axis_rules.h"

#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>

/* One application: the op, what is known of its operands, the shape of its result. */
typedef struct {
    MlirOperation op;
    const tri_axis *const *in;
    int rank;
    int64_t shape[TRI_MAX_RANK];
} visit;

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t saturated_product(int64_t a, int64_t b)
{
    return a > TRI_AXIS_MAX / b ? TRI_AXIS_MAX : a * b;
}

/* Highest power of two that divides v. */
static int64_t power_of_two_in(int64_t v)
{
    uint64_t lowest = (uint64_t)v & -(uint64_t)v;
    return lowest == 0 || lowest > (uint64_t)TRI_AXIS_MAX ? TRI_AXIS_MAX : (int64_t)lowest;
}

static int64_t element_bytes(MlirType type)
{
    MlirType element = tri_type_element(type);
    if (!tri_type_is_ptr(element))
        return 1;
    return max64(tri_type_bits(tri_type_ptr_pointee(element)) / 8, 1);
}

/* Where runs have length 1 along some dimension every element is the first of a run, so what
 * divides those divides all. */
static tri_axis normalized(tri_axis a)
{
    int64_t common = 1;
    for (int d = 0; d < a.rank; d++)
        if (a.contiguity[d] == 1)
            common = max64(common, a.divisibility[d]);
    for (int d = 0; d < a.rank; d++)
        a.divisibility[d] = max64(a.divisibility[d], common);
    return a;
}

tri_axis tri_axis_rules_unknown(MlirType type)
{
    tri_axis a = {.rank = tri_type_is_tensor(type) ? tri_type_rank(type) : 1};
    for (int d = 0; d < a.rank; d++)
        a.contiguity[d] = a.divisibility[d] = a.constancy[d] = 1;
    return a;
}

/* Divisibility of the first elements of runs of length gcd(Ca, Cb). */
static int64_t join_divisibility(const tri_axis *a, const tri_axis *b, int d)
{
    int64_t result = gcd(a->divisibility[d], b->divisibility[d]);
    int64_t ca = a->contiguity[d], cb = b->contiguity[d];
    if (ca != cb && ca != TRI_AXIS_MAX && cb != TRI_AXIS_MAX)
        result = gcd(gcd(result, ca), cb);
    return result;
}

tri_axis tri_axis_rules_join(const tri_axis *a, const tri_axis *b)
{
    tri_axis r = {.rank = a->rank};
    for (int d = 0; d < r.rank; d++) {
        r.contiguity[d] = gcd(a->contiguity[d], b->contiguity[d]);
        r.constancy[d] = gcd(a->constancy[d], b->constancy[d]);
        r.divisibility[d] = join_divisibility(a, b, d);
    }
    if (a->has_constant && b->has_constant && a->constant == b->constant) {
        r.has_constant = true;
        r.constant = a->constant;
    }
    return normalized(r);
}

static void hint_one(int64_t *values, int rank, MlirAttribute attr)
{
    if (mlirAttributeIsNull(attr))
        return;
    if (mlirAttributeIsAInteger(attr)) {
        for (int d = 0; d < rank; d++)
            values[d] = mlirIntegerAttrGetValueInt(attr);
        return;
    }
    if (!mlirAttributeIsADenseIntElements(attr))
        return;
    int64_t n = mlirElementsAttrGetNumElements(attr);
    unsigned bits = tri_type_bits(tri_type_element(mlirAttributeGetType(attr)));
    for (int d = 0; d < rank && d < n; d++)
        values[d] = bits == 64 ? mlirDenseElementsAttrGetInt64Value(attr, d)
                               : mlirDenseElementsAttrGetInt32Value(attr, d);
}

typedef MlirAttribute (*attr_getter)(const void *from, const char *name);

static void hint_all(tri_axis *axis, attr_getter get, const void *from, const char *suffix)
{
    static const char *const names[] = {"tt.contiguity", "tt.divisibility", "tt.constancy"};
    int64_t *const targets[] = {axis->contiguity, axis->divisibility, axis->constancy};
    for (int i = 0; i < 3; i++) {
        char name[48];
        if (*suffix)
            snprintf(name, sizeof name, "%s%s", names[i], suffix);
        hint_one(targets[i], axis->rank, get(from, *suffix ? name : names[i]));
    }
}

static MlirAttribute get_from_dictionary(const void *from, const char *name)
{
    return mlirDictionaryAttrGetElementByName(*(const MlirAttribute *)from, mlirStringRefCreateFromCString(name));
}

static MlirAttribute get_from_op(const void *from, const char *name)
{
    return mlirOperationGetDiscardableAttributeByName(*(const MlirOperation *)from,
                                                      mlirStringRefCreateFromCString(name));
}

void tri_axis_rules_hint(tri_axis *axis, MlirAttribute dictionary, const char *suffix)
{
    hint_all(axis, get_from_dictionary, &dictionary, suffix);
}

void tri_axis_rules_hint_op(tri_axis *axis, MlirOperation op, const char *suffix)
{
    if (mlirOperationGetNumDiscardableAttributes(op))
        hint_all(axis, get_from_op, &op, suffix);
}

static tri_axis unknown(const visit *v)
{
    return tri_axis_rules_unknown(mlirValueGetType(tri_op_result(v->op, 0)));
}

/* Every element is `value`, taken modulo the width of the result's element. */
static tri_axis constant(const visit *v, int64_t value)
{
    unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(tri_op_result(v->op, 0))));
    if (bits == 1)
        value &= 1;
    else if (bits && bits < 64)
        value = (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
    tri_axis a = {.rank = v->rank, .has_constant = true, .constant = value};
    for (int d = 0; d < a.rank; d++) {
        a.contiguity[d] = 1;
        a.divisibility[d] = power_of_two_in(value);
        a.constancy[d] = v->shape[d];
    }
    return a;
}

static bool is_constant(const tri_axis *a, int64_t value)
{
    return a->has_constant && a->constant == value;
}

static bool both_constant(const visit *v) { return v->in[0]->has_constant && v->in[1]->has_constant; }

/* Same value, other type. */
static tri_axis rule_copy(const visit *v)
{
    tri_axis a = *v->in[0];
    return a.rank == v->rank ? a : unknown(v);
}

/* Integer casts: a constant is computed anew in the other width. */
static tri_axis rule_resize(const visit *v)
{
    const tri_axis *x = v->in[0];
    if (!x->has_constant)
        return rule_copy(v);
    unsigned bits = tri_type_bits(tri_type_element(mlirValueGetType(tri_op_operand(v->op, 0))));
    int64_t value = x->constant;
    if (tri_op_is(v->op, "arith.extui") && bits < 64)
        value &= (int64_t)(((uint64_t)1 << bits) - 1);
    else if (tri_op_is(v->op, "arith.extsi") && bits == 1)
        value = -value;
    return constant(v, value);
}

static tri_axis rule_constant(const visit *v)
{
    MlirValue result = tri_op_result(v->op, 0);
    int64_t value;
    if (tri_type_is_float(tri_type_element(mlirValueGetType(result))) || !tri_op_const_int(result, &value))
        return unknown(v);
    return constant(v, value);
}

static tri_axis rule_range(const visit *v)
{
    int64_t start = tri_op_int(v->op, "start", 0);
    tri_axis a = unknown(v);
    a.contiguity[0] = v->shape[0];
    a.divisibility[0] = start ? power_of_two_in(start) : (int64_t)1 << 30; /* a range counts in i32 */
    return a;
}

static tri_axis rule_poison(const visit *v)
{
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++)
        a.contiguity[d] = a.divisibility[d] = a.constancy[d] = TRI_AXIS_MAX;
    return a;
}

static tri_axis rule_splat(const visit *v)
{
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        a.divisibility[d] = v->in[0]->divisibility[0];
        a.constancy[d] = v->shape[d];
    }
    a.has_constant = v->in[0]->has_constant;
    a.constant = v->in[0]->constant;
    return a;
}

/* Reading a pointer as a pointer to a type of another size, or a number as a float. */
static tri_axis rule_bitcast(const visit *v)
{
    MlirType from = mlirValueGetType(tri_op_operand(v->op, 0)), to = mlirValueGetType(tri_op_result(v->op, 0));
    bool is_pointer = tri_type_is_ptr(tri_type_element(to));
    if (!is_pointer && !tri_type_is_float(tri_type_element(from)) && !tri_type_is_float(tri_type_element(to)))
        return rule_copy(v);
    tri_axis a = rule_copy(v);
    if (!is_pointer)
        a.has_constant = false;
    if (is_pointer && element_bytes(from) == element_bytes(to))
        return a;
    for (int d = 0; d < a.rank; d++) {
        if (!is_pointer)
            a.divisibility[d] = 1;
        else if (a.contiguity[d] > 1)
            a.divisibility[d] = gcd(a.divisibility[d], element_bytes(from));
        a.contiguity[d] = 1;
    }
    return a;
}

/* Pointer runs count elements, integer runs count bytes. */
static tri_axis rule_ptr_to_int(const visit *v)
{
    int64_t bytes = element_bytes(mlirValueGetType(tri_op_operand(v->op, 0)));
    tri_axis a = rule_copy(v);
    for (int d = 0; d < a.rank && bytes != 1; d++) {
        if (a.contiguity[d] > 1)
            a.divisibility[d] = gcd(a.divisibility[d], bytes);
        a.contiguity[d] = 1;
    }
    return a;
}

static tri_axis rule_int_to_ptr(const visit *v)
{
    int64_t bytes = element_bytes(mlirValueGetType(tri_op_result(v->op, 0)));
    tri_axis a = rule_copy(v);
    for (int d = 0; d < a.rank && bytes != 1; d++) {
        if (a.contiguity[d] > 1)
            a.divisibility[d] = 1;
        a.contiguity[d] = 1;
    }
    return a;
}

/* Sum and difference share their divisibility; `bytes` scales the right side of addptr. */
static int64_t sum_divisibility(const visit *v, int d, int64_t contiguity, int64_t bytes)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    int64_t dl = l->divisibility[d], dr = saturated_product(r->divisibility[d], bytes);
    bool l_runs = l->contiguity[d] > 1, r_runs = r->contiguity[d] > 1;
    if (l_runs && r_runs)
        return dl % 2 == 0 && dr % 2 == 0 ? 2 : 1;
    int64_t common = gcd(dl, dr);
    return l_runs || r_runs ? gcd(common, saturated_product(contiguity, bytes)) : common;
}

static tri_axis rule_add(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    bool is_pointer = tri_op_is(v->op, "tt.addptr");
    if (both_constant(v) && !is_pointer)
        return constant(v, (int64_t)((uint64_t)l->constant + (uint64_t)r->constant));
    int64_t bytes = is_pointer ? element_bytes(mlirValueGetType(tri_op_operand(v->op, 0))) : 1;
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        a.contiguity[d] = max64(gcd(l->constancy[d], r->contiguity[d]), gcd(l->contiguity[d], r->constancy[d]));
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        a.divisibility[d] = sum_divisibility(v, d, a.contiguity[d], bytes);
    }
    return normalized(a);
}

static tri_axis rule_sub(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    if (both_constant(v))
        return constant(v, (int64_t)((uint64_t)l->constant - (uint64_t)r->constant));
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        bool same_runs = l->contiguity[d] == r->contiguity[d] && l->contiguity[d] > 1;
        a.contiguity[d] = gcd(l->contiguity[d], r->constancy[d]);
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        a.divisibility[d] = same_runs ? gcd(l->divisibility[d], r->divisibility[d])
                                      : sum_divisibility(v, d, a.contiguity[d], 1);
    }
    return normalized(a);
}

static tri_axis rule_mul(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    if (both_constant(v))
        return constant(v, (int64_t)((uint64_t)l->constant * (uint64_t)r->constant));
    if (is_constant(l, 0) || is_constant(r, 0))
        return constant(v, 0);
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        bool l_one = is_constant(l, 1), r_one = is_constant(r, 1);
        int64_t dl = l->contiguity[d] > 1 && !r_one ? 1 : l->divisibility[d];
        int64_t dr = r->contiguity[d] > 1 && !l_one ? 1 : r->divisibility[d];
        a.contiguity[d] = r_one ? l->contiguity[d] : l_one ? r->contiguity[d] : 1;
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        a.divisibility[d] = saturated_product(dl, dr);
    }
    return normalized(a);
}

static bool is_full_run(const visit *v, const tri_axis *a, int d) { return a->contiguity[d] == v->shape[d]; }
static bool is_full_equal(const visit *v, const tri_axis *a, int d) { return a->constancy[d] == v->shape[d]; }

/* Values start at a multiple of the result, run on, and are split by a multiple of it. */
static int64_t block_length(const tri_axis *runs, const tri_axis *other, int d)
{
    return gcd(gcd(runs->contiguity[d], runs->divisibility[d]), other->divisibility[d]);
}

static tri_axis rule_div(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    bool is_signed = tri_op_is(v->op, "arith.divsi");
    if (both_constant(v) && r->constant != 0 && !(is_signed && r->constant == -1) &&
        (is_signed || (l->constant >= 0 && r->constant > 0)))
        return constant(v, l->constant / r->constant);
    bool r_one = is_constant(r, 1);
    int64_t size = r->has_constant ? (r->constant < 0 ? -r->constant : r->constant) : 0;
    bool r_power = size > 0 && (size & (size - 1)) == 0 && (is_signed || r->constant > 0);
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        a.contiguity[d] = r_one ? l->contiguity[d] : 1;
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        if (is_full_run(v, l, d) && is_full_equal(v, r, d))
            a.constancy[d] = max64(a.constancy[d], block_length(l, r, d));
        if (is_constant(l, 0) || r_one)
            a.divisibility[d] = l->divisibility[d];
        else if (r_power && l->contiguity[d] == 1)
            a.divisibility[d] = max64(1, l->divisibility[d] / size);
    }
    return normalized(a);
}

static tri_axis rule_rem(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    bool is_signed = tri_op_is(v->op, "arith.remsi");
    if (is_constant(r, 1))
        return constant(v, 0);
    if (both_constant(v) && r->constant != 0 && !(is_signed && r->constant == -1) &&
        (is_signed || (l->constant >= 0 && r->constant > 0)))
        return constant(v, l->constant % r->constant);
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        if (is_full_run(v, l, d) && is_full_equal(v, r, d))
            a.contiguity[d] = block_length(l, r, d);
        if (r->constancy[d] > 1) {
            a.divisibility[d] = gcd(l->divisibility[d], r->divisibility[d]);
            if (l->contiguity[d] > a.contiguity[d] || r->contiguity[d] > a.contiguity[d])
                a.divisibility[d] = gcd(a.divisibility[d], a.contiguity[d]);
        }
    }
    return normalized(a);
}

static tri_axis rule_bits(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    if (both_constant(v)) {
        if (tri_op_is(v->op, "arith.andi"))
            return constant(v, l->constant & r->constant);
        return constant(v, tri_op_is(v->op, "arith.ori") ? l->constant | r->constant : l->constant ^ r->constant);
    }
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++)
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
    return a;
}

static tri_axis rule_shift(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    bool is_left = tri_op_is(v->op, "arith.shli");
    bool is_known = r->has_constant && r->constant >= 0 && r->constant < 62;
    if (both_constant(v) && is_known && (is_left || l->constant >= 0))
        return constant(v, is_left ? (int64_t)((uint64_t)l->constant << r->constant) : l->constant >> r->constant);
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        bool is_zero = is_constant(r, 0);
        int64_t dl = l->contiguity[d] > 1 && !is_zero ? 1 : l->divisibility[d];
        a.contiguity[d] = is_zero ? l->contiguity[d] : 1;
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        if (is_left)
            a.divisibility[d] = is_known ? saturated_product(dl, (int64_t)1 << r->constant) : dl;
        else
            a.divisibility[d] = is_known ? max64(1, dl >> r->constant) : 1;
    }
    return normalized(a);
}

static bool fold_min_max(const visit *v, int64_t *out_value)
{
    int64_t x = v->in[0]->constant, y = v->in[1]->constant;
    tri_str name = tri_op_name(v->op);
    if (name.data[name.len - 2] == 'u' && (x < 0 || y < 0))
        return false;
    *out_value = tri_str_has_prefix(name, "arith.max") ? max64(x, y) : min64(x, y);
    return true;
}

static tri_axis rule_min_max(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    int64_t value;
    if (both_constant(v) && fold_min_max(v, &value))
        return constant(v, value);
    tri_axis a = tri_axis_rules_join(l, r);
    a.has_constant = false;
    return a;
}

enum { CMP_EQ, CMP_NE, CMP_SLT, CMP_SLE, CMP_SGT, CMP_SGE, CMP_ULT, CMP_ULE, CMP_UGT, CMP_UGE };

static bool fold_compare(int64_t predicate, int64_t x, int64_t y, bool *out_value)
{
    if (predicate >= CMP_ULT && (x < 0 || y < 0))
        return false;
    switch (predicate) {
    case CMP_EQ: *out_value = x == y; return true;
    case CMP_NE: *out_value = x != y; return true;
    case CMP_SLT: case CMP_ULT: *out_value = x < y; return true;
    case CMP_SLE: case CMP_ULE: *out_value = x <= y; return true;
    case CMP_SGT: case CMP_UGT: *out_value = x > y; return true;
    case CMP_SGE: case CMP_UGE: *out_value = x >= y; return true;
    }
    return false;
}

static tri_axis rule_compare(const visit *v)
{
    const tri_axis *l = v->in[0], *r = v->in[1];
    int64_t p = tri_op_int(v->op, "predicate", 0);
    bool value;
    if (both_constant(v) && fold_compare(p, l->constant, r->constant, &value))
        return constant(v, value);
    bool splits_right = p == CMP_SGT || p == CMP_SLE || p == CMP_UGT || p == CMP_ULE;
    bool splits_left = p == CMP_SLT || p == CMP_SGE || p == CMP_ULT || p == CMP_UGE;
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        a.constancy[d] = gcd(l->constancy[d], r->constancy[d]);
        if (splits_right && is_full_equal(v, l, d))
            a.constancy[d] = max64(a.constancy[d], block_length(r, l, d));
        if (splits_left && is_full_equal(v, r, d))
            a.constancy[d] = max64(a.constancy[d], block_length(l, r, d));
    }
    return a;
}

static tri_axis rule_select(const visit *v)
{
    const tri_axis *c = v->in[0], *l = v->in[1], *r = v->in[2];
    if (c->has_constant)
        return c->constant ? *l : *r;
    if (l->has_constant && r->has_constant && l->constant == r->constant)
        return constant(v, l->constant);
    bool is_scalar = !tri_type_is_tensor(mlirValueGetType(tri_op_operand(v->op, 0)));
    tri_axis a = unknown(v);
    for (int d = 0; d < a.rank; d++) {
        int64_t cond = is_scalar ? 0 : c->constancy[d];
        int64_t divisibility = join_divisibility(l, r, d);
        a.contiguity[d] = gcd(gcd(l->contiguity[d], r->contiguity[d]), cond);
        a.constancy[d] = gcd(gcd(l->constancy[d], r->constancy[d]), cond);
        a.divisibility[d] = is_scalar ? divisibility : gcd(divisibility, a.contiguity[d]);
    }
    return normalized(a);
}

static tri_axis rule_load(const visit *v)
{
    tri_axis a = unknown(v);
    bool is_masked = mlirOperationGetNumOperands(v->op) > 1;
    for (int d = 0; d < a.rank; d++)
        a.constancy[d] = is_masked ? gcd(v->in[0]->constancy[d], v->in[1]->constancy[d]) : v->in[0]->constancy[d];
    /* masked-off elements may hold anything: equal only where `other` is equal too */
    if (mlirOperationGetNumOperands(v->op) > 2)
        for (int d = 0; d < a.rank; d++)
            a.constancy[d] = gcd(a.constancy[d], v->in[2]->constancy[d]);
    return a;
}

static tri_axis rule_expand_dims(const visit *v)
{
    int axis = (int)tri_op_int(v->op, "axis", 0);
    const tri_axis *x = v->in[0];
    tri_axis a = {.rank = x->rank + 1, .has_constant = x->has_constant, .constant = x->constant};
    int64_t divisibility = x->has_constant ? power_of_two_in(x->constant) : TRI_AXIS_MAX;
    for (int d = 0; d < x->rank && !x->has_constant; d++)
        divisibility = gcd(divisibility, x->contiguity[d] > 1 ? 1 : x->divisibility[d]);
    for (int d = 0, s = 0; d < a.rank; d++) {
        bool is_new = d == axis;
        a.contiguity[d] = is_new ? 1 : x->contiguity[s];
        a.constancy[d] = is_new ? 1 : x->constancy[s];
        a.divisibility[d] = is_new ? divisibility : x->divisibility[s];
        s += !is_new;
    }
    return normalized(a);
}

static tri_axis rule_broadcast(const visit *v)
{
    MlirType from = mlirValueGetType(tri_op_operand(v->op, 0));
    tri_axis a = *v->in[0];
    for (int d = 0; d < a.rank; d++)
        if (tri_type_dim(from, d) == 1) {
            a.contiguity[d] = 1;
            a.constancy[d] = v->shape[d];
        }
    return a;
}

static tri_axis rule_trans(const visit *v)
{
    int32_t order[TRI_MAX_RANK];
    tri_axis a = *v->in[0];
    int n = tri_op_i32s(v->op, "order", order, TRI_MAX_RANK);
    for (int d = 0; d < n; d++) {
        a.contiguity[d] = v->in[0]->contiguity[order[d]];
        a.constancy[d] = v->in[0]->constancy[order[d]];
        a.divisibility[d] = v->in[0]->divisibility[order[d]];
    }
    return a;
}

/* Runs of equal values that cover source dimension `i` wholly go on in the dimension outside it. */
static int64_t equal_elements(const tri_axis *x, MlirType from, int i)
{
    int64_t n = x->constancy[i];
    for (; i > 0 && x->constancy[i] == tri_type_dim(from, i); i--)
        n *= x->constancy[i - 1];
    return n;
}

static tri_axis rule_reshape(const visit *v)
{
    const tri_axis *x = v->in[0];
    MlirType from = mlirValueGetType(tri_op_operand(v->op, 0));
    if (x->has_constant)
        return constant(v, x->constant);
    tri_axis a = unknown(v);
    if (tri_op_flag(v->op, "allow_reorder"))
        return a;
    int64_t common = 1;
    for (int d = 0; d < x->rank; d++)
        if (x->contiguity[d] == 1)
            common = max64(common, x->divisibility[d]);
    int64_t stride_to = 1;
    for (int m = a.rank - 1; m >= 0; stride_to *= v->shape[m--]) {
        a.divisibility[m] = common;
        int i = x->rank - 1;
        int64_t stride = 1;
        for (; i > 0 && stride * tri_type_dim(from, i) <= stride_to; i--)
            stride *= tri_type_dim(from, i);
        if (x->contiguity[i] > 1) {
            if (stride_to != stride)
                continue;
            a.contiguity[m] = min64(x->contiguity[i], v->shape[m]);
            a.divisibility[m] = a.contiguity[m] == x->contiguity[i]
                                    ? x->divisibility[i] : min64(x->divisibility[i], a.contiguity[m]);
            a.divisibility[m] = max64(a.divisibility[m], common);
        } else if (stride_to <= stride * x->constancy[i]) {
            a.constancy[m] = max64(1, min64(v->shape[m], stride * equal_elements(x, from, i) / stride_to));
        }
    }
    return normalized(a);
}

typedef struct {
    const char *op;
    tri_axis (*apply)(const visit *v);
} rule;

/* Sorted by name. */
static const rule rules[] = {
    {"arith.addi", rule_add},
    {"arith.andi", rule_bits},
    {"arith.bitcast", rule_bitcast},
    {"arith.cmpi", rule_compare},
    {"arith.constant", rule_constant},
    {"arith.divsi", rule_div},
    {"arith.divui", rule_div},
    {"arith.extsi", rule_resize},
    {"arith.extui", rule_resize},
    {"arith.index_cast", rule_resize},
    {"arith.maxsi", rule_min_max},
    {"arith.maxui", rule_min_max},
    {"arith.minsi", rule_min_max},
    {"arith.minui", rule_min_max},
    {"arith.muli", rule_mul},
    {"arith.ori", rule_bits},
    {"arith.remsi", rule_rem},
    {"arith.remui", rule_rem},
    {"arith.select", rule_select},
    {"arith.shli", rule_shift},
    {"arith.shrsi", rule_shift},
    {"arith.shrui", rule_shift},
    {"arith.subi", rule_sub},
    {"arith.trunci", rule_resize},
    {"arith.xori", rule_bits},
    {"builtin.unrealized_conversion_cast", rule_copy},
    {"tt.addptr", rule_add},
    {"tt.bitcast", rule_bitcast},
    {"tt.broadcast", rule_broadcast},
    {"tt.expand_dims", rule_expand_dims},
    {"tt.int_to_ptr", rule_int_to_ptr},
    {"tt.load", rule_load},
    {"tt.make_range", rule_range},
    {"tt.ptr_to_int", rule_ptr_to_int},
    {"tt.reshape", rule_reshape},
    {"tt.splat", rule_splat},
    {"tt.trans", rule_trans},
    {"ttg.convert_layout", rule_copy},
    {"ub.poison", rule_poison},
};

static int compare_rule(const void *key, const void *row)
{
    return tri_str_compare(*(const tri_str *)key, tri_str_from(((const rule *)row)->op));
}

tri_axis tri_axis_rules_apply(MlirOperation op, const tri_axis *const *operands)
{
    MlirType type = mlirValueGetType(tri_op_result(op, 0));
    tri_str name = tri_op_name(op);
    const rule *r = bsearch(&name, rules, sizeof rules / sizeof *rules, sizeof *rules, compare_rule);
    if (!r)
        return tri_axis_rules_unknown(type);
    visit v = {.op = op, .in = operands, .rank = 1, .shape = {1}};
    if (tri_type_is_tensor(type)) {
        v.rank = tri_type_rank(type);
        for (int d = 0; d < v.rank; d++)
            v.shape[d] = tri_type_dim(type, d);
    }
    return r->apply(&v);
}
