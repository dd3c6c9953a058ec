/* Carries the layouts of operations that care (anchors) forward through those that do not, so that
 * conversions between them have nothing left to do.
 *
 *     %w = tt.load %q : ... #blocked1                     %w = tt.load %q : ... #blocked1
 *     %v = ttg.convert_layout %w : #blocked1 -> #blocked  %x = arith.addf %w, %w : ... #blocked1
 *     %x = arith.addf %v, %v : ... #blocked
 *
 * Part of remove-layout-conversions. Values only change their type; where an operation that keeps
 * its layout uses one, a conversion back is inserted. */
#include "passes/ttgir/remove_layout_conversions/layouts.h"

#include "base/map.h"
#include "ir/analysis/infer.h"
#include "ir/encoding.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "passes/analysis/uses.h"

typedef TRI_VEC(MlirAttribute) encoding_list;

typedef struct {
    MlirValue value;
    MlirType old;          /* before the rewrite */
    encoding_list candidates; /* in the order they arrived */
    bool is_queued;
} info;

typedef struct {
    tri_layouts *l;
    tri_uses uses;
    tri_map infos; /* MlirValue.ptr -> info, in the order of discovery */
    TRI_VEC(info *) todo;
    tri_map converts; /* MlirValue.ptr -> conversion_list: copies in other layouts */
} propagation;

static info *info_of(propagation *p, MlirValue value)
{
    info *known = tri_map_find_ptr(&p->infos, value.ptr);
    if (known)
        return known;
    known = TRI_NEW(p->l->arena, info);
    known->value = value;
    known->old = mlirValueGetType(value);
    tri_map_set_ptr(&p->infos, value.ptr, known);
    return known;
}

static void add_candidate(propagation *p, MlirValue value, MlirAttribute encoding)
{
    if (mlirAttributeIsNull(tri_layouts_of(value)) || mlirAttributeIsNull(encoding))
        return;
    info *i = info_of(p, value);
    for (size_t k = 0; k < i->candidates.len; k++)
        if (mlirAttributeEqual(i->candidates.at[k], encoding))
            return;
    tri_vec_push(p->l->arena, &i->candidates, encoding);
    if (!i->is_queued) {
        i->is_queued = true;
        tri_vec_push(p->l->arena, &p->todo, i);
    }
}

/* ---- anchors ---- */

static bool is_anchor(const propagation *p, MlirOperation op)
{
    if (tri_op_in(op, TRI_OPS_PRODUCT | TRI_OPS_ATOMIC | TRI_OPS_DESCRIPTOR) || tri_op_is(op, "ttng.tmem_load"))
        return true;
    if (tri_op_is(op, "tt.gather") || tri_op_is(op, "tt.reshape"))
        return tri_op_flag(op, "efficient_layout");
    return tri_layouts_is_expensive_access(p->l, op);
}

static void seed(propagation *p, MlirOperation func)
{
    MlirBlock entry = tri_op_body(func, 0);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
        MlirValue argument = mlirBlockGetArgument(entry, i);
        add_candidate(p, argument, tri_layouts_of(argument));
    }
    for (size_t k = 0; k < p->uses.ops.len; k++) {
        MlirOperation op = p->uses.ops.at[k];
        if (is_anchor(p, op))
            for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
                add_candidate(p, tri_op_result(op, i), tri_layouts_of(tri_op_result(op, i)));
    }
}

/* ---- spreading ---- */

/* Values of the enclosing construct that operand `i` of its terminator becomes. */
static void spread_yield(propagation *p, MlirOperation yield, intptr_t i, MlirAttribute encoding)
{
    MlirOperation parent = mlirOperationGetParentOperation(yield);
    bool is_while = tri_op_is(parent, "scf.while");
    if (tri_op_is(yield, "scf.condition")) {
        if (i > 0) {
            add_candidate(p, mlirBlockGetArgument(tri_op_body(parent, 1), i - 1), encoding);
            add_candidate(p, tri_op_result(parent, i - 1), encoding);
        }
        return;
    }
    if (tri_op_is(parent, "scf.for"))
        add_candidate(p, mlirBlockGetArgument(tri_op_body(parent, 0), i + 1), encoding);
    if (is_while)
        add_candidate(p, mlirBlockGetArgument(tri_op_body(parent, 0), i), encoding);
    else if (tri_op_is(parent, "scf.for") || tri_op_is(parent, "scf.if"))
        add_candidate(p, tri_op_result(parent, i), encoding);
}

static bool passes_through(MlirOperation op, intptr_t operand)
{
    if (tri_op_is(op, "tt.reshape"))
        return !tri_op_flag(op, "efficient_layout");
    if (tri_op_is(op, "tt.gather"))
        return operand == 1 && !tri_op_flag(op, "efficient_layout");
    return tri_infer_has_rule(op);
}

/* Conversions to the operands of a tensor core dot are wanted where they stand. */
static bool is_dot_convert(MlirOperation op)
{
    return tri_op_is(op, "ttg.convert_layout") &&
           tri_encoding_kind_of(tri_layouts_of(tri_op_result(op, 0))) == TRI_ENC_DOT_OP;
}

static MlirAttribute forward(propagation *p, MlirOperation op, MlirAttribute encoding)
{
    if (tri_op_is(op, "tt.reshape") && tri_op_flag(op, "allow_reorder")) {
        MlirValue result = tri_op_result(op, 0);
        if (!tri_layouts_is_expensive_view(p->l,
                                           tri_type_with_encoding(mlirValueGetType(tri_op_operand(op, 0)), encoding),
                                           mlirValueGetType(result)))
            return tri_layouts_of(result);
    }
    return tri_infer_result(p->l->arena, op, encoding);
}

static void spread_use(propagation *p, const tri_use *use, MlirAttribute encoding)
{
    MlirOperation op = use->op;
    if (tri_op_is(op, "scf.for")) {
        if (use->operand >= 3) {
            add_candidate(p, mlirBlockGetArgument(tri_op_body(op, 0), use->operand - 2), encoding);
            add_candidate(p, tri_op_result(op, use->operand - 3), encoding);
        }
    } else if (tri_op_is(op, "scf.while")) {
        add_candidate(p, mlirBlockGetArgument(tri_op_body(op, 0), use->operand), encoding);
    } else if (tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition")) {
        spread_yield(p, op, use->operand, encoding);
    } else if (tri_op_is(op, "ttng.warp_group_dot_wait")) {
        add_candidate(p, tri_op_result(op, use->operand), encoding);
    } else if (passes_through(op, use->operand) && !is_dot_convert(op) && !is_anchor(p, op)) {
        MlirAttribute to = forward(p, op, encoding);
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !mlirAttributeIsNull(to); i++)
            add_candidate(p, tri_op_result(op, i), to);
    }
}

static void spread_propagation(propagation *p)
{
    while (p->todo.len) {
        info *i = p->todo.at[--p->todo.len];
        i->is_queued = false;
        const tri_use_list *uses = tri_uses_of(&p->uses, i->value);
        for (size_t u = 0; u < uses->len; u++)
            for (size_t k = 0; k < i->candidates.len; k++)
                spread_use(p, &uses->at[u], i->candidates.at[k]);
    }
}

/* ---- choosing among candidates ---- */

static bool is_mma(MlirAttribute encoding)
{
    tri_encoding_kind kind = tri_encoding_kind_of(encoding);
    return kind == TRI_ENC_NVIDIA_MMA || kind == TRI_ENC_AMD_MFMA || kind == TRI_ENC_AMD_WMMA ||
           kind == TRI_ENC_INTEL_DPAS;
}

/* Memory ops prefer blocked layouts, arithmetic those of a dot; else the fewest elements per thread. */
static MlirAttribute choose_propagation(const propagation *p, const info *i)
{
    MlirOperation def = tri_op_def(i->value);
    bool is_memory = !mlirOperationIsNull(def) && (tri_op_is(def, "tt.load") || tri_op_is(def, "tt.store") ||
                                                   tri_op_is(def, "tt.atomic_rmw") || tri_op_is(def, "tt.atomic_cas"));
    for (size_t k = 0; k < i->candidates.len; k++) {
        MlirAttribute e = i->candidates.at[k];
        if (is_memory ? tri_encoding_kind_of(e) == TRI_ENC_BLOCKED : is_mma(e))
            return e;
    }
    if (i->candidates.len == 1)
        return i->candidates.at[0];
    MlirAttribute best = {NULL};
    int64_t fewest = INT64_MAX;
    for (size_t k = 0; k < i->candidates.len; k++) {
        int64_t n = tri_layouts_elements_per_thread(p->l, tri_type_with_encoding(i->old, i->candidates.at[k]));
        if (n < fewest) {
            fewest = n;
            best = i->candidates.at[k];
        }
    }
    return best;
}

/* ---- rewriting ---- */

typedef struct {
    MlirAttribute encoding;
    MlirValue value;
} conversion;

typedef TRI_VEC(conversion) conversion_list;

static tri_builder behind(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    if (tri_op_is_block_argument(value, &block, &index))
        return tri_builder_at_start(block, mlirOperationGetLocation(mlirBlockGetParentOperation(block)));
    return tri_builder_after(tri_op_def(value));
}

/* The value in another layout, made once right behind its definition. */
static MlirValue in_layout(propagation *p, MlirValue value, MlirAttribute encoding)
{
    if (mlirAttributeEqual(tri_layouts_of(value), encoding))
        return value;
    conversion_list *list = tri_map_find_ptr(&p->converts, value.ptr);
    if (!list) {
        list = TRI_NEW(p->l->arena, conversion_list);
        tri_map_set_ptr(&p->converts, value.ptr, list);
    }
    for (size_t i = 0; i < list->len; i++)
        if (mlirAttributeEqual(list->at[i].encoding, encoding))
            return list->at[i].value;
    tri_builder b = behind(value);
    MlirType type = tri_type_with_encoding(mlirValueGetType(value), encoding);
    MlirValue made = tri_builder_unary(&b, "ttg.convert_layout", type, value);
    tri_vec_push(p->l->arena, list, (conversion){encoding, made});
    return made;
}

static void fix_operand(propagation *p, MlirOperation op, intptr_t i, MlirAttribute encoding)
{
    MlirValue value = tri_op_operand(op, i);
    MlirAttribute now = tri_layouts_of(value);
    if (mlirAttributeIsNull(now) || mlirAttributeIsNull(encoding) || mlirAttributeEqual(now, encoding))
        return;
    mlirOperationSetOperand(op, i, in_layout(p, value, encoding));
}

/* Layout of a value before the rewrite. */
static MlirAttribute old_layout(const propagation *p, MlirValue value)
{
    const info *i = tri_map_find_ptr(&p->infos, value.ptr);
    return i ? tri_type_encoding(i->old) : tri_layouts_of(value);
}

static bool is_changed(const propagation *p, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue result = tri_op_result(op, i);
        if (!mlirAttributeIsNull(tri_layouts_of(result)) &&
            !mlirAttributeEqual(old_layout(p, result), tri_layouts_of(result)))
            return true;
    }
    return false;
}

static void fix_terminator(propagation *p, MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    bool is_condition = tri_op_is(op, "scf.condition");
    for (intptr_t i = is_condition; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue target = !is_condition && tri_op_is(parent, "scf.while")
                               ? mlirBlockGetArgument(tri_op_body(parent, 0), i)
                               : tri_op_result(parent, i - is_condition);
        fix_operand(p, op, i, tri_layouts_of(target));
    }
}

/* Reductions to a scalar, and checks, take any layout. */
static bool takes_any_layout(MlirOperation op)
{
    if (tri_op_is(op, "tt.reduce"))
        return mlirAttributeIsNull(tri_layouts_of(tri_op_result(op, 0)));
    return tri_op_is(op, "tt.assert") || tri_op_is(op, "ttg.convert_layout");
}

/* All operands of one op must agree even where any layout will do. */
static void fix_same(propagation *p, MlirOperation op)
{
    for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++)
        fix_operand(p, op, i, tri_layouts_of(tri_op_operand(op, 0)));
}

static void fix_op(propagation *p, MlirOperation op)
{
    intptr_t n = mlirOperationGetNumOperands(op);
    if (tri_op_is(op, "scf.for")) {
        for (intptr_t i = 3; i < n; i++)
            fix_operand(p, op, i, tri_layouts_of(tri_op_result(op, i - 3)));
    } else if (tri_op_is(op, "scf.while")) {
        for (intptr_t i = 0; i < n; i++)
            fix_operand(p, op, i, tri_layouts_of(mlirBlockGetArgument(tri_op_body(op, 0), i)));
    } else if (tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition")) {
        fix_terminator(p, op);
    } else if (takes_any_layout(op)) {
        fix_same(p, op);
    } else if (!is_changed(p, op) || tri_layouts_is_free(p->l, op)) {
        for (intptr_t i = 0; i < n; i++)
            fix_operand(p, op, i, old_layout(p, tri_op_operand(op, i)));
    } else if (tri_op_is(op, "ttng.warp_group_dot_wait")) {
        for (intptr_t i = 0; i < n; i++)
            fix_operand(p, op, i, tri_layouts_of(tri_op_result(op, i)));
    } else {
        MlirAttribute from = tri_infer_operand(p->l->arena, op, tri_layouts_of(tri_op_result(op, 0)));
        for (intptr_t i = tri_op_is(op, "tt.gather"); i < n; i++)
            fix_operand(p, op, i, from);
        if (tri_op_is(op, "tt.gather"))
            fix_operand(p, op, 0, old_layout(p, tri_op_operand(op, 0)));
    }
}

/* Results and region arguments of one construct carry the same values, so they must agree. */
static void unify_loops(propagation *p)
{
    for (size_t k = 0; k < p->uses.ops.len; k++) {
        MlirOperation op = p->uses.ops.at[k];
        int region = tri_op_is(op, "scf.for") ? 0 : tri_op_is(op, "scf.while") ? 1 : -1;
        if (region < 0)
            continue;
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            info *argument = info_of(p, mlirBlockGetArgument(tri_op_body(op, region), i + (region == 0)));
            tri_op_set_type(argument->value, mlirValueGetType(tri_op_result(op, i)));
        }
    }
}

/* Whether the op can really produce its result in this layout. */
static bool can_take(propagation *p, MlirValue value, MlirAttribute encoding)
{
    MlirOperation def = tri_op_def(value);
    if (mlirOperationIsNull(def) || !passes_through(def, 1) || tri_op_is(def, "ttg.convert_layout") ||
        tri_layouts_is_free(p->l, def))
        return true;
    return !mlirAttributeIsNull(tri_infer_operand(p->l->arena, def, encoding));
}

static void rewrite_propagation(propagation *p)
{
    for (size_t k = 0; k < p->infos.len; k++) {
        info *i = p->infos.entries[k].value;
        MlirAttribute encoding = choose_propagation(p, i);
        if (mlirAttributeIsNull(encoding) || mlirAttributeEqual(encoding, tri_type_encoding(i->old)) ||
            !can_take(p, i->value, encoding))
            continue;
        tri_op_set_type(i->value, tri_type_with_encoding(i->old, encoding));
    }
    unify_loops(p);
    for (size_t k = 0; k < p->uses.ops.len; k++)
        fix_op(p, p->uses.ops.at[k]);
}

void tri_propagation_run(tri_layouts *l, MlirOperation func)
{
    propagation p = {.l = l};
    tri_uses_init(&p.uses, l->arena, func);
    tri_map_init(&p.infos, l->arena);
    tri_map_init(&p.converts, l->arena);
    seed(&p, func);
    spread_propagation(&p);
    rewrite_propagation(&p);
}
