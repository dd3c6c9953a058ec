/* Which pointers are made of a base and offsets: those that begin at arguments of the function and are only added to,
 * reshaped, chosen and carried by loops, conditionals and branches. All are assumed to be, and those given up whose
 * origins say otherwise, until nothing changes. */
#include "passes/ttgir/canonicalize_pointers/split.h"

#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

static bool is_pointer_type(MlirType type) { return tri_type_is_ptr(tri_type_element(type)); }

split_pointer *tri_split_find(const splitting *s, MlirValue value)
{
    split_pointer *p = tri_map_find_ptr(&s->pointers, value.ptr);
    return p && (p->kind == SPLIT_SMALL || p->kind == SPLIT_LARGE) ? p : NULL;
}

static split_pointer *seed(splitting *s, MlirValue value)
{
    if (!is_pointer_type(mlirValueGetType(value)))
        return NULL;
    split_pointer *p = TRI_NEW(s->run->arena, split_pointer);
    *p = (split_pointer){.is_narrow = true, .is_start = true};
    tri_map_set_ptr(&s->pointers, value.ptr, p);
    return p;
}

static bool changes_shape_alone(MlirOperation op)
{
    static const char *const names[] = {"tt.splat",   "tt.broadcast",       "tt.expand_dims",
                                        "tt.reshape", "ttg.convert_layout", "amdg.extract_slice"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_op_is(op, names[i]))
            return true;
    return false;
}

/* A pointer argument's bits of offsets; 0 for one that stays as it is. */
static split_kind kind_of_argument(const splitting *s, intptr_t index)
{
    MlirAttribute hints = tri_op_attr(s->func, "arg_attrs");
    split_kind otherwise = s->has_large ? SPLIT_LARGE : SPLIT_NONE;
    if (mlirAttributeIsNull(hints) || index >= mlirArrayAttrGetNumElements(hints))
        return otherwise;
    MlirAttribute range = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(hints, index),
                                                             mlirStringRefCreateFromCString("tt.pointer_range"));
    bool is_small = !mlirAttributeIsNull(range) && mlirIntegerAttrGetValueInt(range) <= 32;
    return is_small ? SPLIT_SMALL : otherwise;
}

static void seed_block(splitting *s, MlirBlock block)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        seed(s, mlirBlockGetArgument(block, i));
}

static void seed_all(splitting *s, const tri_op_list *ops)
{
    MlirBlock entry = tri_op_body(s->func, 0);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
        split_pointer *p = seed(s, mlirBlockGetArgument(entry, i));
        if (p && tri_type_is_ptr(mlirValueGetType(mlirBlockGetArgument(entry, i)))) {
            p->kind = kind_of_argument(s, i);
            p->root = mlirBlockGetArgument(entry, i);
        } else if (p) {
            p->kind = SPLIT_NONE;
        }
    }
    for (MlirBlock block = mlirBlockGetNextInRegion(entry); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        seed_block(s, block);
    for (size_t i = 0; i < ops->len; i++) {
        MlirOperation op = ops->at[i];
        if (!changes_shape_alone(op) && !tri_op_is(op, "tt.addptr") && !tri_op_is(op, "arith.select") &&
            !tri_split_has_regions(op))
            continue;
        for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++)
            seed(s, tri_op_result(op, k));
        for (intptr_t k = 0; tri_split_has_regions(op) && k < mlirOperationGetNumRegions(op); k++)
            if (!mlirBlockIsNull(tri_op_body(op, (int)k)))
                seed_block(s, tri_op_body(op, (int)k));
    }
}

/* ---- what an operation says of its results ---- */

static bool is_lower(const split_pointer *a, const split_pointer *b)
{
    return a->kind != b->kind || a->is_narrow != b->is_narrow || a->is_start != b->is_start ||
           !mlirValueEqual(a->root, b->root);
}

/* `value` is, among others, what `from` is. */
static bool meet_with(splitting *s, MlirValue value, split_pointer from)
{
    split_pointer *p = tri_map_find_ptr(&s->pointers, value.ptr);
    if (!p || p->kind == SPLIT_NONE || from.kind == SPLIT_UNKNOWN)
        return false;
    split_pointer was = *p;
    if (p->kind == SPLIT_UNKNOWN) {
        *p = from;
    } else if (p->kind != from.kind) {
        p->kind = SPLIT_NONE;
    } else {
        p->is_narrow = p->is_narrow && from.is_narrow;
        p->is_start = p->is_start && from.is_start;
        p->root = mlirValueEqual(p->root, from.root) ? p->root : value;
    }
    return is_lower(&was, p);
}

static split_pointer state_of(const splitting *s, MlirValue value)
{
    split_pointer *p = tri_map_find_ptr(&s->pointers, value.ptr);
    return p ? *p : (split_pointer){.kind = SPLIT_NONE};
}

/* What a loop, a conditional or a block gets is a base of its own. */
static bool lower_carried(splitting *s, MlirValue value, MlirValue from)
{
    split_pointer state = state_of(s, from);
    state.root = value;
    state.is_start = false;
    return meet_with(s, value, state);
}

static bool lower_address(splitting *s, MlirOperation op)
{
    MlirValue sum = tri_op_result(op, 0), offset = tri_op_operand(op, 1);
    split_pointer state = state_of(s, tri_op_operand(op, 0));
    int64_t number;
    MlirOperation def = tri_op_def(offset);
    bool is_same = !tri_type_is_tensor(mlirValueGetType(offset)) || tri_op_const_int(offset, &number) ||
                   (!mlirOperationIsNull(def) && tri_op_is(def, "tt.splat"));
    if (state.kind == SPLIT_SMALL) {
        state.is_narrow = state.is_start = false;
    } else if (state.kind == SPLIT_LARGE) {
        state.root = sum;
        if (!is_same) {
            bool is_word = tri_type_bits(tri_type_element(mlirValueGetType(offset))) <= 32;
            state.is_narrow = state.is_narrow && state.is_start && is_word;
            state.is_start = false;
        }
    }
    return meet_with(s, sum, state);
}

/* Elements chosen one by one have one base, or none. */
static bool lower_select(splitting *s, MlirOperation op)
{
    MlirValue chosen = tri_op_result(op, 0);
    split_pointer x = state_of(s, tri_op_operand(op, 1)), y = state_of(s, tri_op_operand(op, 2));
    bool is_same_base = mlirValueEqual(x.root, y.root),
         is_elementwise = tri_type_is_tensor(mlirValueGetType(tri_op_operand(op, 0)));
    if (x.kind == SPLIT_UNKNOWN || y.kind == SPLIT_UNKNOWN)
        return false;
    if (x.kind != y.kind || (is_elementwise && !is_same_base))
        return meet_with(s, chosen, (split_pointer){.kind = SPLIT_NONE});
    x.is_narrow = x.is_narrow && y.is_narrow;
    x.is_start = false;
    x.root = is_same_base ? x.root : chosen;
    return meet_with(s, chosen, x);
}

static bool lower_regions(splitting *s, MlirOperation op)
{
    bool changes = false;
    if (tri_op_is(op, "scf.for")) {
        MlirBlock body = tri_op_body(op, 0);
        MlirOperation yield = mlirBlockGetTerminator(body);
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            MlirValue origins[] = {tri_op_operand(op, 3 + i), tri_op_operand(yield, i)};
            for (int k = 0; k < 2; k++) {
                changes |= lower_carried(s, mlirBlockGetArgument(body, 1 + i), origins[k]);
                changes |= lower_carried(s, tri_op_result(op, i), origins[k]);
            }
        }
    } else if (tri_op_is(op, "scf.while")) {
        MlirBlock before = tri_op_body(op, 0), after = tri_op_body(op, 1);
        MlirOperation condition = mlirBlockGetTerminator(before), yield = mlirBlockGetTerminator(after);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++) {
            changes |= lower_carried(s, mlirBlockGetArgument(before, i), tri_op_operand(op, i));
            changes |= lower_carried(s, mlirBlockGetArgument(before, i), tri_op_operand(yield, i));
        }
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            changes |= lower_carried(s, mlirBlockGetArgument(after, i), tri_op_operand(condition, 1 + i));
            changes |= lower_carried(s, tri_op_result(op, i), tri_op_operand(condition, 1 + i));
        }
    } else {
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            for (int r = 0; r < 2; r++)
                changes |= lower_carried(s, tri_op_result(op, i),
                                         tri_op_operand(mlirBlockGetTerminator(tri_op_body(op, r)), i));
    }
    return changes;
}

/* Of branches that are known; what others lead to stays as it is. */
static bool lower_branch(splitting *s, MlirOperation op)
{
    bool changes = false, is_known = tri_op_is(op, "cf.br") || tri_op_is(op, "cf.cond_br");
    for (intptr_t k = 0; k < mlirOperationGetNumSuccessors(op); k++) {
        MlirBlock to = mlirOperationGetSuccessor(op, k);
        intptr_t start = 0;
        if (tri_op_is(op, "cf.cond_br"))
            tri_op_segment(op, 1 + (int)k, &start);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); i++)
            changes |= is_known ? lower_carried(s, mlirBlockGetArgument(to, i), tri_op_operand(op, start + i))
                                : meet_with(s, mlirBlockGetArgument(to, i), (split_pointer){.kind = SPLIT_NONE});
    }
    return changes;
}

static bool lower_results(splitting *s, MlirOperation op)
{
    if (mlirOperationGetNumSuccessors(op) > 0)
        return lower_branch(s, op);
    if (tri_split_has_regions(op))
        return lower_regions(s, op);
    if (mlirOperationGetNumResults(op) != 1 || !is_pointer_type(mlirValueGetType(tri_op_result(op, 0))))
        return false;
    if (tri_op_is(op, "tt.addptr"))
        return lower_address(s, op);
    if (tri_op_is(op, "arith.select"))
        return lower_select(s, op);
    if (!changes_shape_alone(op))
        return false;
    split_pointer state = state_of(s, tri_op_operand(op, 0));
    state.is_start = tri_op_is(op, "tt.splat");
    return meet_with(s, tri_op_result(op, 0), state);
}

void tri_split_decide(splitting *s)
{
    tri_op_list ops = {0};
    tri_op_collect(s->func, s->run->arena, &ops);
    seed_all(s, &ops);
    for (bool changes = true; changes;) {
        changes = false;
        for (size_t i = 0; i < ops.len; i++)
            changes |= lower_results(s, ops.at[i]);
    }
}
