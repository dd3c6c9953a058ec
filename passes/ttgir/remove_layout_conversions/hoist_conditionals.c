/* Moves a conversion into the one branch of a conditional that needs it.
 *
 *     scf.for ... iter_args(%x = %zero) {            scf.for ... iter_args(%x = %zero : #b) {
 *       %r = scf.if %c {                               %r = scf.if %c {
 *         %v = tt.load ... #a                            %v = tt.load ... #a
 *         scf.yield %v                                   %w = ttg.convert_layout %v : #a -> #b
 *       } else {                                         scf.yield %w
 *         scf.yield %x                                 } else {
 *       }                                                scf.yield %x
 *       %w = ttg.convert_layout %r : #a -> #b          }
 *       scf.yield %r                                   scf.yield %r
 *
 * Part of remove-layout-conversions: an iteration that does not take the branch converts nothing. Done inside loops
 * only, and where the conversion is not itself behind a further condition; a conditional none of whose branches can be
 * had in the other layout is converted behind it, as before. */
#include "passes/ttgir/remove_layout_conversions/remat.h"

#include "ir/type.h"

typedef struct {
    intptr_t value; /* index in the slice */
    int arm;        /* the branch to convert in; -1: behind the conditional */
} place;

typedef struct {
    tri_remat *r;
    tri_slice slice;
    MlirOperation convert;
    TRI_VEC(place) places;
    tri_map planned; /* MlirValue.ptr of results that are decided */
    bool has_arm;
} plan;

static bool is_conditional(MlirOperation op) { return tri_op_is(op, "scf.if"); }

static bool is_loop(MlirOperation op) { return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"); }

static MlirOperation parent_of(MlirOperation op)
{
    return mlirOperationGetParentOperation(op);
}

static bool is_in_loop(MlirOperation op)
{
    for (op = parent_of(op); !mlirOperationIsNull(op); op = parent_of(op))
        if (is_loop(op))
            return true;
    return false;
}

/* Whether the conversion is made whenever the conditional is reached: no condition of its own lies between them. */
static bool is_as_frequent(MlirOperation convert, MlirOperation op)
{
    MlirOperation outer = op;
    for (MlirOperation at = convert; !mlirOperationIsNull(at); at = parent_of(at)) {
        for (outer = op; !mlirOperationIsNull(outer); outer = parent_of(outer))
            if (mlirBlockEqual(mlirOperationGetBlock(outer), mlirOperationGetBlock(at)))
                return true;
        if (is_conditional(parent_of(at)))
            return false;
    }
    return false;
}

static intptr_t result_index(MlirOperation def, MlirValue value)
{
    intptr_t i = 0;
    while (!mlirValueEqual(tri_op_result(def, i), value))
        i++;
    return i;
}

static MlirValue yielded(MlirOperation op, int arm, intptr_t i)
{
    return tri_op_operand(mlirBlockGetTerminator(tri_op_body(op, arm)), i);
}

/* Takes what one branch yields into the slice; leaves the slice as it was when that is not possible. */
static bool grow_arm(plan *p, MlirOperation op, int arm, intptr_t i, MlirAttribute encoding)
{
    tri_slice_mark mark = tri_remat_mark(&p->slice);
    MlirOperation yield = mlirBlockGetTerminator(tri_op_body(op, arm));
    if (tri_remat_grow(p->r, &p->slice, yield, yielded(op, arm, i), encoding, is_conditional, NULL))
        return true;
    tri_remat_go_back(&p->slice, mark);
    return false;
}

static void place_at(plan *p, intptr_t value, int arm)
{
    tri_vec_push(p->r->arena, &p->places, (place){value, arm});
    p->has_arm |= arm >= 0;
}

/* Decides for one conditional's result: both branches join the slice, one is converted, or the whole is. */
static void plan_value(plan *p, intptr_t value)
{
    tri_slice_value v = p->slice.values.at[value];
    MlirOperation op = tri_op_def(v.value);
    intptr_t i = result_index(op, v.value);
    tri_slice_mark mark = tri_remat_mark(&p->slice);
    bool is_done[2];
    tri_map_set_ptr(&p->planned, v.value.ptr, op.ptr);
    for (int arm = 0; arm < 2; arm++)
        is_done[arm] = grow_arm(p, op, arm, i, v.encoding);
    if (is_done[0] && is_done[1])
        return;
    if (is_done[0] == is_done[1] || !is_in_loop(op) || !is_as_frequent(p->convert, op)) {
        tri_remat_go_back(&p->slice, mark);
        place_at(p, value, -1);
    } else {
        place_at(p, value, is_done[0] ? 1 : 0);
    }
}

static MlirType wanted_type(const tri_slice_value *v)
{
    return tri_type_with_encoding(mlirValueGetType(v->value), v->encoding);
}

/* What the conversions cost together; one in a branch counts half, as if it were taken half of the time. */
static int64_t cost_of(const plan *p)
{
    int64_t cost = 0;
    for (size_t k = 0; k < p->places.len; k++)
        cost += tri_remat_convert_cost(wanted_type(&p->slice.values.at[p->places.at[k].value])) /
                (p->places.at[k].arm < 0 ? 1 : 2);
    return cost;
}

static int64_t bits_converted(MlirType type)
{
    return tri_type_num_elements(type) * tri_type_bits(tri_type_element(type));
}

/* Whether a branch would convert more than there is behind the conditional, as sums that are rounded there. */
static bool is_larger_in_arm(const plan *p)
{
    int64_t behind = bits_converted(mlirValueGetType(tri_op_result(p->convert, 0)));
    for (size_t k = 0; k < p->places.len; k++) {
        MlirValue inside = p->slice.values.at[p->places.at[k].value].value;
        if (p->places.at[k].arm >= 0 && bits_converted(mlirValueGetType(inside)) > behind)
            return true;
    }
    return false;
}

static void insert(plan *p)
{
    for (size_t k = 0; k < p->places.len; k++) {
        tri_slice_value *v = &p->slice.values.at[p->places.at[k].value];
        MlirOperation op = tri_op_def(v->value);
        int arm = p->places.at[k].arm;
        if (arm < 0) {
            tri_builder b = tri_builder_after(op);
            v->existing = tri_builder_unary(&b, "ttg.convert_layout", wanted_type(v), v->value);
            continue;
        }
        MlirOperation yield = mlirBlockGetTerminator(tri_op_body(op, arm));
        tri_builder b = tri_builder_before(yield);
        v->arms[arm] =
            tri_builder_unary(&b, "ttg.convert_layout", wanted_type(v), yielded(op, arm, result_index(op, v->value)));
    }
}

/* A result of a conditional that is to be computed in the new layout. */
static bool is_open(const plan *p, const tri_slice_value *v)
{
    MlirOperation def = tri_op_def(v->value);
    return !mlirOperationIsNull(def) && is_conditional(def) && mlirValueIsNull(v->existing) &&
           !tri_map_find_ptr(&p->planned, v->value.ptr);
}

bool tri_hoist_conditionals_try(tri_remat *r, MlirOperation convert)
{
    plan p = {.r = r, .convert = convert};
    tri_map_init(&p.planned, r->arena);
    if (!tri_remat_grow(r, &p.slice, convert, tri_op_operand(convert, 0), tri_layouts_of(tri_op_result(convert, 0)),
                        is_conditional, NULL))
        return false;
    for (size_t k = 0; k < p.slice.values.len; k++)
        if (is_open(&p, &p.slice.values.at[k]))
            plan_value(&p, (intptr_t)k);
    for (size_t k = 0; k < p.slice.values.len; k++)
        if (is_open(&p, &p.slice.values.at[k]))
            return false; /* a copy that was counted on turned out not to reach all uses */
    if (!p.has_arm || is_larger_in_arm(&p) || !tri_remat_is_worth(r, &p.slice, convert, cost_of(&p)))
        return false;
    insert(&p);
    tri_rematerialization_rewrite(r, &p.slice, convert);
    return true;
}
