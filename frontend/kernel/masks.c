#include "frontend/kernel/masks.h"

#include "frontend/kernel/frame.h"
#include "ir/op.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <ctype.h>

static bool is_view(MlirOperation op)
{
    return tri_op_is(op, "tt.splat") || tri_op_is(op, "tt.broadcast") || tri_op_is(op, "tt.expand_dims");
}

static MlirValue through_views(MlirValue v)
{
    for (MlirOperation op = tri_op_def(v); op.ptr && is_view(op); op = tri_op_def(v))
        v = tri_op_operand(op, 0);
    return v;
}

/* ---- masks that nothing reads ---- */

static void count_bound(tri_map *names, tri_arena *arena, const tri_ast_node *target);

/* How often a name stands in a function, less its bindings. */
static intptr_t *reads_of(tri_map *names, tri_arena *arena, tri_str name)
{
    intptr_t *n = tri_map_find(names, name);
    if (!n) {
        n = TRI_NEW(arena, intptr_t);
        tri_map_set(names, name, n);
    }
    return n;
}

static void count_bound(tri_map *names, tri_arena *arena, const tri_ast_node *target)
{
    if (target->kind == TRI_AST_NAME)
        --*reads_of(names, arena, tri_ast_text(target));
    else if (target->kind == TRI_AST_TUPLE || target->kind == TRI_AST_LIST)
        for (uint32_t i = 0; i < target->list.len; i++)
            count_bound(names, arena, target->list.at[i]);
}

typedef struct {
    tri_map names;
    tri_arena *arena;
} reads;

static bool count_names(const tri_ast_node *n, void *data)
{
    reads *r = data;
    if (n->kind == TRI_AST_NAME)
        ++*reads_of(&r->names, r->arena, tri_ast_text(n));
    else if (n->kind == TRI_AST_ASSIGN)
        for (uint32_t i = 0; i < n->assign.targets.len; i++)
            count_bound(&r->names, r->arena, n->assign.targets.at[i]);
    else if (n->kind == TRI_AST_ANN_ASSIGN)
        count_bound(&r->names, r->arena, n->ann_assign.target);
    else if (n->kind == TRI_AST_WALRUS)
        count_bound(&r->names, r->arena, n->assign_to.target);
    return true;
}

static const reads *count_reads(tri_eval *e, const tri_ast_node *function)
{
    reads *r = tri_map_find_ptr(&e->told, function);
    if (r)
        return r;
    tri_arena *arena = e->told.arena; /* which lives as long as the map */
    r = TRI_NEW(arena, reads);
    r->arena = arena;
    tri_map_init(&r->names, arena);
    for (uint32_t i = 0; i < function->function.body.len; i++)
        tri_ast_walk(function->function.body.at[i], count_names, r);
    tri_map_set_ptr(&e->told, function, r);
    return r;
}

static bool is_told(tri_eval *e, const void *place)
{
    bool told = tri_map_find_ptr(&e->told, place) != NULL;
    tri_map_set_ptr(&e->told, place, e);
    return told;
}

/* Generated kernels write a block of True where a dimension needs no mask, whether a load takes it or not. */
static bool is_constant(MlirValue mask)
{
    MlirOperation op = tri_op_def(through_views(mask));
    return op.ptr && tri_op_is(op, "arith.constant");
}

void tri_masks_check_assigned(tri_eval *e, const tri_ast_node *target, tri_ev value)
{
    if (!tri_ev_is_block(value) || tri_types_element(value.type)->dtype != TRI_DTYPE_INT1 ||
        target->kind != TRI_AST_NAME || e->frame->dry || !tri_diag_is_warning_on(e->diag, "unused-mask"))
        return;
    const reads *r = count_reads(e, e->frame->function->node);
    const intptr_t *n = tri_map_find(&r->names, tri_ast_text(target));
    if ((n && *n > 0) || tri_ast_text(target).data[0] == '_' || tri_prelude_holds(e, e->frame->function->module) ||
        is_constant(value.value) || is_told(e, target))
        return;
    tri_diag_warning(e->diag, target->span, "unused-mask", "the mask '%.*s' is never used",
                     TRI_STR_ARG(tri_ast_text(target)));
    tri_diag_note(e->diag, TRI_NO_SPAN, "give it to the loads and stores that it is for: mask=%.*s",
                  TRI_STR_ARG(tri_ast_text(target)));
}

/* ---- stores without the mask of their neighbours ---- */

typedef struct {
    tri_eval *e;
    tri_map guarded; /* value that a mask compares with a bound -> the access with that mask */
} guards;

static void collect_guards(guards *g, MlirValue mask, MlirOperation access, int depth)
{
    MlirOperation op = tri_op_def(through_views(mask));
    if (!op.ptr || depth > 16)
        return;
    if (tri_op_is(op, "arith.andi")) {
        collect_guards(g, tri_op_operand(op, 0), access, depth + 1);
        collect_guards(g, tri_op_operand(op, 1), access, depth + 1);
        return;
    }
    if (!tri_op_is(op, "arith.cmpi"))
        return;
    enum { ne = 1, sgt = 4, sge = 5, ugt = 8, uge = 9 };
    int64_t how = tri_op_int(op, "predicate", 0);
    if (how <= ne)
        return;
    bool swapped = how == sgt || how == sge || how == ugt || how == uge; /* bound > offset */
    MlirValue offset = through_views(tri_op_operand(op, swapped ? 1 : 0)),
              bound = through_views(tri_op_operand(op, swapped ? 0 : 1));
    if (mlirTypeIsAShaped(mlirValueGetType(offset)) && !mlirTypeIsAShaped(mlirValueGetType(bound)) &&
        !tri_map_find_ptr(&g->guarded, offset.ptr))
        tri_map_set_ptr(&g->guarded, offset.ptr, access.ptr);
}

/* The access that guards one of the offsets which a pointer or offset is made of. */
static MlirOperation find_guard(guards *g, MlirValue v, int depth)
{
    v = through_views(v);
    void *access = tri_map_find_ptr(&g->guarded, v.ptr);
    MlirOperation op = tri_op_def(v), none = {0};
    if (access || !op.ptr || depth > 24)
        return (MlirOperation){access};
    if (!tri_op_is(op, "tt.addptr") && !tri_op_is(op, "arith.addi") && !tri_op_is(op, "arith.muli") &&
        !tri_op_is(op, "arith.extsi"))
        return none;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation found = find_guard(g, tri_op_operand(op, i), depth + 1);
        if (found.ptr)
            return found;
    }
    return none;
}

static tri_span span_of(tri_eval *e, MlirOperation op)
{
    const tri_span *span = tri_map_find_ptr(&e->spans, op.ptr);
    return span ? *span : tri_op_span(e->diag, op);
}

static MlirValue mask_of(MlirOperation op)
{
    if (tri_op_is(op, "tt.load"))
        return tri_op_segment_value(op, 1);
    if (tri_op_is(op, "tt.store") && mlirOperationGetNumOperands(op) > 2)
        return tri_op_operand(op, 2);
    return (MlirValue){0};
}

static bool has_same_attributes(MlirOperation x, MlirOperation y)
{
    intptr_t count = mlirOperationGetNumAttributes(x);
    bool is_same = count == mlirOperationGetNumAttributes(y);
    for (intptr_t i = 0; i < count && is_same; i++) {
        MlirNamedAttribute a = mlirOperationGetAttribute(x, i);
        is_same = mlirAttributeEqual(a.attribute, mlirOperationGetAttributeByName(y, mlirIdentifierStr(a.name)));
    }
    return is_same;
}

/* Do two addresses go through the same indices, of one array or of two? */
static bool has_same_indices(MlirValue a, MlirValue b, int depth)
{
    a = through_views(a);
    b = through_views(b);
    MlirOperation x = tri_op_def(a), y = tri_op_def(b);
    MlirType type = mlirValueGetType(a);
    if (mlirValueEqual(a, b))
        return true;
    if (!x.ptr && !y.ptr)
        return tri_type_is_ptr(type) && tri_type_is_ptr(mlirValueGetType(b));
    if (!x.ptr || !y.ptr || depth > 24 || !tri_str_equal(tri_op_name(x), tri_op_name(y)) || tri_op_has_effects(x) ||
        mlirOperationGetNumRegions(x) || mlirOperationGetNumOperands(x) != mlirOperationGetNumOperands(y) ||
        (!tri_op_is(x, "tt.addptr") && !mlirTypeEqual(type, mlirValueGetType(b))) ||
        !has_same_attributes(x, y))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(x); i++)
        if (!has_same_indices(tri_op_operand(x, i), tri_op_operand(y, i), depth + 1))
            return false;
    return true;
}

/* A store with a mask that goes through the indices of a load without one. */
static MlirOperation masked_store(const tri_op_list *ops, MlirOperation load)
{
    for (size_t i = 0; i < ops->len; i++)
        if (tri_op_is(ops->at[i], "tt.store") && mask_of(ops->at[i]).ptr &&
            has_same_indices(tri_op_operand(load, 0), tri_op_operand(ops->at[i], 0), 0))
            return ops->at[i];
    return (MlirOperation){0};
}

/* The name that an access's text gives as its mask; empty: none, or something longer. */
static tri_str mask_in_text(tri_span at)
{
    static const char words[] = "mask=";
    tri_str text = at.source ? tri_str_sub(at.source->text, at.begin, at.end) : TRI_STR("");
    const char *found = text.len ? memmem(text.data, text.len, words, sizeof words - 1) : NULL;
    if (!found)
        return TRI_STR("");
    tri_str rest = tri_str_sub(text, (size_t)(found - text.data) + sizeof words - 1, text.len);
    size_t len = 0;
    while (len < rest.len && (isalnum((unsigned char)rest.data[len]) || rest.data[len] == '_'))
        len++;
    bool is_name = len && len < rest.len && strchr(",)", rest.data[len]) && !isdigit((unsigned char)rest.data[0]);
    return is_name ? tri_str_sub(rest, 0, len) : TRI_STR("");
}

/* What masks an access in front of this one can mask it, too. */
static void fix_mask(tri_eval *e, tri_span at, tri_span guard)
{
    tri_str mask = mask_in_text(guard);
    bool is_call = at.end > at.begin && at.source->text.data[at.end - 1] == ')';
    if (mask.len && is_call && guard.source == at.source && guard.end <= at.begin)
        tri_diag_fix(e->diag, (tri_span){at.source, at.end - 1, at.end - 1}, ", mask=%.*s", TRI_STR_ARG(mask));
}

void tri_masks_check(tri_eval *e, MlirOperation func)
{
    guards g = {.e = e};
    tri_op_list ops = {0};
    if (!tri_diag_is_warning_on(e->diag, "unused-mask"))
        return;
    tri_map_init(&g.guarded, e->arena);
    tri_op_collect(func, e->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirValue mask = mask_of(ops.at[i]);
        if (mask.ptr)
            collect_guards(&g, mask, ops.at[i], 0);
    }
    for (size_t i = 0; g.guarded.len && i < ops.len; i++) {
        MlirOperation op = ops.at[i];
        bool is_store = tri_op_is(op, "tt.store");
        if ((!is_store && !tri_op_is(op, "tt.load")) || mask_of(op).ptr)
            continue;
        MlirOperation guard = find_guard(&g, tri_op_operand(op, 0), 0);
        tri_span at = span_of(e, op);
        if (guard.ptr && !is_store)
            guard = masked_store(&ops, op);
        if (!guard.ptr || !at.source || tri_str_has_prefix(at.source->name, "<") ||
            is_told(e, at.source->text.data + at.begin))
            continue;
        tri_diag_warning(e->diag, at, "unused-mask", "this %s has no mask, but %s", is_store ? "store" : "load",
                         is_store ? "its offsets can pass the bound that other accesses check"
                                  : "a store through the same indices has one");
        fix_mask(e, at, span_of(e, guard));
        tri_diag_note(e->diag, span_of(e, guard), "these offsets are masked here");
    }
}
