#include "ir/analysis/pointers.h"

#include "ir/analysis/pointers_forms.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

tri_pointers *tri_pointers_create(tri_arena *arena)
{
    tri_pointers *p = TRI_NEW(arena, tri_pointers);
    p->arena = arena;
    p->known = TRI_NEW(arena, tri_map);
    tri_map_init(p->known, arena);
    tri_sum_init(&p->sums, arena);
    return p;
}

tri_sums *tri_pointers_sums(tri_pointers *p) { return &p->sums; }

static const tri_block_form *operand(tri_pointers *p, MlirOperation op, intptr_t i)
{
    return tri_pointers_form(p, tri_op_operand(op, i));
}

/* --- block pointers and descriptors: one range a dimension --- */

static tri_block_form of_tensor(tri_pointers *p, MlirOperation op, MlirType block)
{
    int rank = tri_type_rank(block);
    tri_sums *s = &p->sums;
    if (rank > TRI_MAX_RANK)
        return tri_pointers_forms_fail("it has too many dimensions", tri_op_result(op, 0));
    tri_block_form a = {.base = tri_op_operand(op, 0), .offset = tri_sum_const(s, 0), .rank = rank};
    const tri_block_form *base = tri_pointers_form(p, a.base);
    a.base = base->base;
    a.offset = base->offset;
    bool has_starts = tri_op_is(op, "tt.make_tensor_ptr");
    for (int d = 0; d < rank; d++)
        a.dim[d] = (tri_block_dim){
            .kind = TRI_DIM_RANGE, .size = tri_type_dim(block, d),
            .shape = tri_sum_of(s, tri_op_operand(op, 1 + d)),
            .stride = tri_sum_of(s, tri_op_operand(op, 1 + rank + d)),
            .start = has_starts ? tri_sum_of(s, tri_op_operand(op, 1 + 2 * rank + d)) : tri_sum_const(s, 0),
        };
    return a;
}

static tri_block_form of_advance(tri_pointers *p, MlirOperation op)
{
    tri_block_form a = *operand(p, op, 0);
    for (int d = 0; d < a.rank && !a.reason; d++)
        a.dim[d].start = tri_sum_add(&p->sums, a.dim[d].start, tri_sum_of(&p->sums, tri_op_operand(op, 1 + d)));
    return a;
}

/* --- scalars --- */

static tri_block_form of_scalar(tri_pointers *p, MlirValue value)
{
    MlirOperation op = tri_op_def(value);
    tri_block_form a = {.offset = tri_sum_const(&p->sums, 0)};
    if (!tri_type_is_ptr(mlirValueGetType(value))) {
        a.offset = tri_sum_of(&p->sums, value);
        return a;
    }
    if (!mlirOperationIsNull(op) && tri_op_is(op, "tt.addptr"))
        return tri_pointers_forms_add(p, *operand(p, op, 0), *operand(p, op, 1), value);
    bool is_carried = mlirOperationIsNull(op) || tri_op_is(op, "scf.for");
    tri_block_form flow = !is_carried ? tri_pointers_forms_fail("", value)
                          : mlirOperationIsNull(op) ? tri_pointers_flow_argument(p, value)
                                                    : tri_pointers_flow_result(p, value, op);
    if (!flow.reason)
        return flow;
    a.base = value;
    return a;
}

/* --- blocks --- */

static tri_block_form of_constant(tri_pointers *p, MlirValue value)
{
    int64_t constant;
    if (tri_op_const_int(value, &constant))
        return tri_pointers_forms_uniform(p, mlirValueGetType(value), tri_sum_const(&p->sums, constant));
    return tri_pointers_forms_fail("it is a table of constants", value);
}

static tri_block_form of_range(tri_pointers *p, MlirValue value, MlirOperation op)
{
    tri_block_form a = tri_pointers_forms_uniform(p, mlirValueGetType(value), tri_sum_const(&p->sums, 0));
    a.dim[0].kind = TRI_DIM_RANGE;
    a.dim[0].start = tri_sum_const(&p->sums, tri_op_int(op, "start", 0));
    a.dim[0].stride = tri_sum_const(&p->sums, 1);
    return a;
}

static tri_block_form of_product(tri_pointers *p, MlirValue value, MlirOperation op)
{
    tri_block_form a = *operand(p, op, 0), b = *operand(p, op, 1);
    int64_t by;
    if (tri_op_is(op, "arith.shli")) {
        if (!tri_op_const_int(tri_op_operand(op, 1), &by) || by < 0 || by > 61)
            return tri_pointers_forms_fail("it is shifted by different numbers", value);
        return tri_pointers_forms_scale(p, a, tri_sum_const(&p->sums, INT64_C(1) << by), value);
    }
    if (a.reason || b.reason)
        return a.reason ? a : b;
    if (tri_pointers_forms_is_uniform(&b))
        return tri_pointers_forms_scale(p, a, b.offset, value);
    if (tri_pointers_forms_is_uniform(&a))
        return tri_pointers_forms_scale(p, b, a.offset, value);
    return tri_pointers_forms_fail("it is a product of indices", value);
}

/* Zero extension is harmless where nothing can be negative. */
static bool is_natural(const tri_block_form *a)
{
    bool ok = tri_sum_is_natural(a->offset);
    for (int d = 0; d < a->rank && ok; d++)
        if (a->dim[d].kind != TRI_DIM_NONE)
            ok = a->dim[d].kind != TRI_DIM_INDEXED && tri_sum_is_natural(a->dim[d].start) &&
                 tri_sum_is_natural(a->dim[d].stride);
    return ok;
}

static tri_block_form of_division(tri_pointers *p, MlirValue value, MlirOperation op)
{
    const tri_block_form *a = operand(p, op, 0), *b = operand(p, op, 1);
    bool is_unsigned = tri_op_is(op, "arith.divui") || tri_op_is(op, "arith.remui") || tri_op_is(op, "arith.shrui");
    if (is_unsigned && !a->reason && !is_natural(a))
        return tri_pointers_forms_fail("it divides what may be negative as unsigned", value);
    if (tri_op_is(op, "arith.divsi") || tri_op_is(op, "arith.divui"))
        return tri_pointers_forms_quotient(p, *a, *b, value);
    return tri_pointers_forms_remainder(p, *a, *b, op);
}

static tri_block_form of_extremum(tri_pointers *p, MlirValue value, MlirOperation op)
{
    tri_block_form a = *operand(p, op, 0);
    const tri_block_form *b = operand(p, op, 1);
    if (a.reason || b->reason || !tri_pointers_forms_is_uniform(&a) || !tri_pointers_forms_is_uniform(b))
        return tri_pointers_forms_fail("it is bent by a minimum or maximum", value);
    a.offset =
        tri_sum_call(&p->sums, tri_op_is(op, "arith.minsi") ? "arith.minsi" : "arith.maxsi", a.offset, b->offset, NULL);
    return a;
}

static tri_block_form of_selection(tri_pointers *p, MlirValue value, MlirOperation op)
{
    MlirValue condition = tri_op_operand(op, 0);
    MlirOperation def = tri_op_def(condition);
    if (!mlirOperationIsNull(def) && tri_op_is(def, "tt.splat"))
        condition = tri_op_operand(def, 0);
    if (tri_type_is_tensor(mlirValueGetType(condition)))
        return tri_pointers_forms_fail("it is chosen element by element", value);
    return tri_pointers_flow_select(p, condition, operand(p, op, 1), operand(p, op, 2), value);
}

static bool is_any(MlirOperation op, const char *const *names)
{
    for (; *names; names++)
        if (tri_op_is(op, *names))
            return true;
    return false;
}

static tri_block_form of_block(tri_pointers *p, MlirValue value, MlirOperation op)
{
    static const char *const same[] = {"arith.extsi", "arith.index_cast", "tt.bitcast", NULL};
    if (tri_pointers_forms_is_view(op))
        return tri_pointers_forms_view(p, *operand(p, op, 0), op);
    if (tri_op_is(op, "tt.make_range"))
        return of_range(p, value, op);
    if (tri_op_is(op, "arith.constant"))
        return of_constant(p, value);
    if (tri_op_is(op, "tt.addptr") || tri_op_is(op, "arith.addi"))
        return tri_pointers_forms_add(p, *operand(p, op, 0), *operand(p, op, 1), value);
    if (tri_op_is(op, "arith.subi"))
        return tri_pointers_forms_add(
            p, *operand(p, op, 0), tri_pointers_forms_scale(p, *operand(p, op, 1), tri_sum_const(&p->sums, -1), value),
            value);
    if (tri_op_is(op, "arith.muli") || tri_op_is(op, "arith.shli"))
        return of_product(p, value, op);
    if (tri_op_in(op, TRI_OPS_DIVISION))
        return of_division(p, value, op);
    if (tri_op_is(op, "arith.minsi") || tri_op_is(op, "arith.maxsi"))
        return of_extremum(p, value, op);
    if (tri_op_is(op, "arith.extui") &&
        !tri_type_is_int_of(tri_type_element(mlirValueGetType(tri_op_operand(op, 0))), 1)) {
        const tri_block_form *a = operand(p, op, 0);
        return a->reason || is_natural(a) ? *a : tri_pointers_forms_fail("it is unsigned and may be large", value);
    }
    if (is_any(op, same))
        return *operand(p, op, 0);
    if (tri_op_is(op, "arith.select"))
        return of_selection(p, value, op);
    if (tri_op_in(op, TRI_OPS_LOOP) || tri_op_is(op, "scf.if"))
        return tri_pointers_flow_result(p, value, op);
    if (tri_op_is(op, "tt.load"))
        return tri_pointers_forms_fail("it is loaded from memory", value);
    return tri_pointers_forms_fail("it is not a sum of ranges", value);
}

static tri_block_form form_of(tri_pointers *p, MlirValue value)
{
    MlirType type = mlirValueGetType(value), block = tri_type_block_ptr_block(type);
    MlirOperation op = tri_op_def(value);
    bool has_op = !mlirOperationIsNull(op);
    if (has_op && tri_op_is(op, "tt.make_tensor_ptr"))
        return of_tensor(p, op, block);
    if (has_op && tri_op_is(op, "tt.make_tensor_descriptor"))
        return of_tensor(p, op, tri_type_desc_block(type));
    if (has_op && tri_op_is(op, "tt.advance"))
        return of_advance(p, op);
    bool is_tensor = tri_type_is_tensor(type) || !mlirTypeIsNull(block) || tri_type_is_desc(type);
    if (!is_tensor)
        return of_scalar(p, value);
    return has_op ? of_block(p, value, op) : tri_pointers_flow_argument(p, value);
}

const tri_block_form *tri_pointers_form(tri_pointers *p, MlirValue value)
{
    for (size_t i = p->assumed.len; i-- > 0;)
        if (p->assumed.at[i].value.ptr == value.ptr)
            return p->assumed.at[i].form;
    tri_block_form *form = tri_map_find_ptr(p->known, value.ptr);
    if (form)
        return form;
    form = TRI_NEW(p->arena, tri_block_form);
    *form = form_of(p, value);
    if (form->reason && tri_type_is_tensor(mlirValueGetType(value))) {
        tri_block_form list = tri_pointers_forms_indexed(p, value, form->reason);
        *form = list.reason ? *form : list;
    }
    if (form->reason && !form->culprit.ptr)
        form->culprit = value;
    tri_map_set_ptr(p->known, value.ptr, form);
    return form;
}

/* --- the root of a pointer --- */

typedef struct {
    tri_map seen;
    TRI_VEC(MlirValue) todo;
    MlirValue root, culprit;
    const char *reason;
} search;

static void visit_pointers(tri_pointers *p, search *s, MlirValue value)
{
    if (tri_map_find_ptr(&s->seen, value.ptr))
        return;
    tri_map_set_ptr(&s->seen, value.ptr, (void *)value.ptr);
    tri_vec_push(p->arena, &s->todo, value);
}

static void found(search *s, MlirValue root, const char *reason)
{
    if (reason || (s->root.ptr && s->root.ptr != root.ptr)) {
        s->reason = reason ? reason : "it points into one of several arrays";
        s->culprit = root;
    }
    s->root = root;
}

static intptr_t index_of(MlirOperation op, MlirValue value)
{
    intptr_t i = 0;
    while (tri_op_result(op, i).ptr != value.ptr)
        i++;
    return i;
}

static void visit_argument(tri_pointers *p, search *s, MlirValue value, MlirBlock block, intptr_t i)
{
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (tri_op_is(parent, "scf.for")) {
        visit_pointers(p, s, tri_op_operand(parent, 2 + i));
        visit_pointers(p, s, tri_op_operand(mlirBlockGetTerminator(block), i - 1));
    } else if (tri_op_is(parent, "scf.while")) {
        MlirBlock before = tri_op_body(parent, 0), after = tri_op_body(parent, 1);
        if (mlirBlockEqual(block, before)) {
            visit_pointers(p, s, tri_op_operand(parent, i));
            visit_pointers(p, s, tri_op_operand(mlirBlockGetTerminator(after), i));
        } else {
            visit_pointers(p, s, tri_op_operand(mlirBlockGetTerminator(before), i + 1));
        }
    } else {
        found(s, value, NULL);
    }
}

static void visit_op(tri_pointers *p, search *s, MlirValue value, MlirOperation op)
{
    static const char *const same[] = {
        "tt.addptr", "tt.bitcast", "tt.advance", "tt.make_tensor_ptr", "tt.make_tensor_descriptor", "tt.unsplat",
        "tt.split",  "tt.gather",  NULL};
    static const char *const two[] = {"tt.join", "tt.cat", NULL};
    if (tri_pointers_forms_is_view(op) || is_any(op, same)) {
        visit_pointers(p, s, tri_op_operand(op, 0));
    } else if (tri_op_is(op, "arith.select") || is_any(op, two)) {
        intptr_t n = mlirOperationGetNumOperands(op);
        visit_pointers(p, s, tri_op_operand(op, n - 2));
        visit_pointers(p, s, tri_op_operand(op, n - 1));
    } else if (tri_op_is(op, "scf.if")) {
        for (int r = 0; r < 2; r++)
            visit_pointers(p, s, tri_op_operand(mlirBlockGetTerminator(tri_op_body(op, r)), index_of(op, value)));
    } else if (tri_op_is(op, "scf.for")) {
        visit_pointers(p, s, mlirBlockGetArgument(tri_op_body(op, 0), index_of(op, value) + 1));
    } else if (tri_op_is(op, "scf.while")) {
        visit_pointers(p, s, mlirBlockGetArgument(tri_op_body(op, 1), index_of(op, value)));
    } else {
        found(s, value,
              tri_op_is(op, "tt.load")         ? "it is loaded from memory"
              : tri_op_is(op, "tt.int_to_ptr") ? "it is made from an integer"
                                               : "nothing tells what it points into");
    }
}

static void visit_next(tri_pointers *p, search *s, MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        visit_argument(p, s, value, block, index);
    else
        visit_op(p, s, value, tri_op_def(value));
}

MlirValue tri_pointers_root(tri_pointers *p, MlirValue pointer, const char **out_reason, MlirValue *out_culprit)
{
    search s = {0};
    tri_map_init(&s.seen, p->arena);
    visit_pointers(p, &s, pointer);
    for (size_t i = 0; i < s.todo.len && !s.reason; i++)
        visit_next(p, &s, s.todo.at[i]);
    *out_reason = s.reason;
    *out_culprit = s.culprit;
    return s.reason ? (MlirValue){NULL} : s.root;
}

const MlirValue *tri_pointers_sources(tri_pointers *p, MlirValue pointer, size_t *out_count)
{
    search s = {0};
    tri_map_init(&s.seen, p->arena);
    visit_pointers(p, &s, pointer);
    for (size_t i = 0; i < s.todo.len; i++)
        visit_next(p, &s, s.todo.at[i]);
    *out_count = s.todo.len;
    return s.todo.at;
}
