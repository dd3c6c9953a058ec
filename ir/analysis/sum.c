#include "ir/analysis/sum.h"

#include "ir/op.h"
#include "ir/type.h"

#include <stdlib.h>

void tri_sum_init(tri_sums *sums, tri_arena *arena)
{
    *sums = (tri_sums){.arena = arena, .known = TRI_NEW(arena, tri_map)};
    tri_map_init(&sums->by_value, arena);
    tri_map_init(sums->known, arena);
}

/* --- terms --- */

static int compare_terms(const void *a, const void *b)
{
    const tri_term *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    for (int i = 0; i < x->count; i++)
        if (x->leaf[i]->id != y->leaf[i]->id)
            return x->leaf[i]->id < y->leaf[i]->id ? -1 : 1;
    return 0;
}

/* Sorts and merges `count` terms, which it changes. */
static const tri_sum *make_sum(tri_sums *sums, tri_term *terms, int count)
{
    int n = 0;
    qsort(terms, (size_t)count, sizeof *terms, compare_terms);
    for (int i = 0; i < count; i++) {
        if (n && !compare_terms(&terms[n - 1], &terms[i])) {
            if (__builtin_add_overflow(terms[n - 1].factor, terms[i].factor, &terms[n - 1].factor))
                return NULL;
        } else {
            terms[n++] = terms[i];
        }
        if (!terms[n - 1].factor)
            n--;
    }
    if (n > TRI_SUM_MAX_TERMS)
        return NULL;
    tri_sum *sum = tri_arena_alloc(sums->arena, sizeof *sum + (size_t)n * sizeof *terms);
    sum->count = n;
    if (n)
        memcpy(sum->term, terms, (size_t)n * sizeof *terms);
    return sum;
}

const tri_sum *tri_sum_const(tri_sums *sums, int64_t value)
{
    tri_term term = {.factor = value};
    return make_sum(sums, &term, value ? 1 : 0);
}

static const tri_sum *sum_of_leaf(tri_sums *sums, const tri_leaf *leaf)
{
    tri_term term = {.factor = 1, .count = 1, .leaf = {leaf}};
    return make_sum(sums, &term, 1);
}

/* The leaf that a sum consists of, or null. */
static const tri_leaf *only_leaf(const tri_sum *a)
{
    return a && a->count == 1 && a->term[0].count == 1 && a->term[0].factor == 1 ? a->term[0].leaf[0] : NULL;
}

static const tri_sum *add_scaled(tri_sums *sums, const tri_sum *a, const tri_sum *b, int64_t scale)
{
    if (!a || !b)
        return NULL;
    tri_term terms[2 * TRI_SUM_MAX_TERMS];
    int n = 0;
    for (int i = 0; i < a->count; i++)
        terms[n++] = a->term[i];
    for (int i = 0; i < b->count; i++) {
        terms[n] = b->term[i];
        if (__builtin_mul_overflow(terms[n].factor, scale, &terms[n].factor))
            return NULL;
        n++;
    }
    return make_sum(sums, terms, n);
}

const tri_sum *tri_sum_add(tri_sums *sums, const tri_sum *a, const tri_sum *b) { return add_scaled(sums, a, b, 1); }
const tri_sum *tri_sum_sub(tri_sums *sums, const tri_sum *a, const tri_sum *b) { return add_scaled(sums, a, b, -1); }

static bool multiply(const tri_term *a, const tri_term *b, tri_term *out)
{
    if (a->count + b->count > TRI_SUM_MAX_FACTORS || __builtin_mul_overflow(a->factor, b->factor, &out->factor))
        return false;
    int i = 0, j = 0;
    out->count = 0;
    while (i < a->count || j < b->count) {
        bool is_first = j == b->count || (i < a->count && a->leaf[i]->id <= b->leaf[j]->id);
        out->leaf[out->count++] = is_first ? a->leaf[i++] : b->leaf[j++];
    }
    return true;
}

const tri_sum *tri_sum_mul(tri_sums *sums, const tri_sum *a, const tri_sum *b)
{
    if (!a || !b || a->count * b->count > TRI_SUM_MAX_TERMS)
        return NULL;
    tri_term terms[TRI_SUM_MAX_TERMS];
    int n = 0;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (!multiply(&a->term[i], &b->term[j], &terms[n++]))
                return NULL;
    return make_sum(sums, terms, n);
}

static bool divide_term(const tri_term *a, const tri_term *by, tri_term *out)
{
    if (!by->factor || (by->factor == -1 && a->factor == INT64_MIN) || a->factor % by->factor)
        return false;
    int j = 0;
    *out = (tri_term){.factor = a->factor / by->factor};
    for (int i = 0; i < a->count; i++) {
        if (j < by->count && a->leaf[i] == by->leaf[j])
            j++;
        else
            out->leaf[out->count++] = a->leaf[i];
    }
    return j == by->count;
}

bool tri_sum_divide(tri_sums *sums, const tri_sum *a, const tri_sum *by, const tri_sum **out_quotient,
                    const tri_sum **out_rest)
{
    if (!a || !by || by->count != 1)
        return false;
    tri_term quotient[TRI_SUM_MAX_TERMS], rest[TRI_SUM_MAX_TERMS];
    int q = 0, r = 0;
    for (int i = 0; i < a->count; i++) {
        if (divide_term(&a->term[i], &by->term[0], &quotient[q]))
            q++;
        else
            rest[r++] = a->term[i];
    }
    *out_quotient = make_sum(sums, quotient, q);
    *out_rest = make_sum(sums, rest, r);
    return true;
}

/* --- leaves --- */

static tri_leaf *new_leaf(tri_sums *sums, tri_leaf_kind kind)
{
    tri_leaf *leaf = TRI_NEW(sums->arena, tri_leaf);
    leaf->kind = kind;
    leaf->id = (int)sums->leaves.len;
    tri_vec_push(sums->arena, &sums->leaves, leaf);
    return leaf;
}

static const tri_sum *find_leaf(tri_sums *sums, const tri_leaf *like)
{
    for (size_t i = 0; i < sums->leaves.len; i++) {
        const tri_leaf *l = sums->leaves.at[i];
        bool is_same = l->kind == like->kind && l->value.ptr == like->value.ptr && l->loop.ptr == like->loop.ptr &&
                       (l->op == like->op || (l->op && like->op && !strcmp(l->op, like->op)));
        for (int a = 0; a < 3 && is_same; a++)
            is_same = l->args[a] == like->args[a] || tri_sum_is_equal(l->args[a], like->args[a]);
        if (is_same)
            return sum_of_leaf(sums, l);
    }
    tri_leaf *leaf = new_leaf(sums, like->kind);
    int id = leaf->id;
    *leaf = *like;
    leaf->id = id;
    return sum_of_leaf(sums, leaf);
}

const tri_sum *tri_sum_leaf(tri_sums *sums, tri_leaf_kind kind, MlirValue value)
{
    if (kind != TRI_LEAF_VALUE)
        return find_leaf(sums, &(tri_leaf){.kind = kind, .value = value});
    tri_leaf *leaf = tri_map_find_ptr(&sums->by_value, value.ptr);
    if (!leaf) {
        leaf = new_leaf(sums, kind);
        leaf->value = value;
        tri_map_set_ptr(&sums->by_value, value.ptr, leaf);
    }
    return sum_of_leaf(sums, leaf);
}

const tri_sum *tri_sum_loop(tri_sums *sums, tri_leaf_kind kind, MlirOperation loop)
{
    return find_leaf(sums, &(tri_leaf){.kind = kind, .loop = loop});
}

const tri_sum *tri_sum_unknown(tri_sums *sums) { return sum_of_leaf(sums, new_leaf(sums, TRI_LEAF_UNKNOWN)); }

static bool fold(const char *op, int64_t x, int64_t y, int64_t *out)
{
    bool can_divide = y != 0 && !(x == INT64_MIN && y == -1);
    if (!strcmp(op, "arith.minsi"))
        *out = x < y ? x : y;
    else if (!strcmp(op, "arith.maxsi"))
        *out = x > y ? x : y;
    else if (!strcmp(op, "arith.divsi") && can_divide)
        *out = x / y;
    else if (!strcmp(op, "arith.remsi") && can_divide)
        *out = x % y;
    else
        return false;
    return true;
}

/* x and y of which one is known to be smaller. */
static const tri_sum *pick(tri_sums *sums, const char *op, const tri_sum *a, const tri_sum *b)
{
    bool is_min = !strcmp(op, "arith.minsi");
    if (!is_min && strcmp(op, "arith.maxsi") != 0)
        return NULL;
    if (tri_sum_is_natural(tri_sum_sub(sums, b, a)))
        return is_min ? a : b;
    return tri_sum_is_natural(tri_sum_sub(sums, a, b)) ? is_min ? b : a : NULL;
}

static int find_term(const tri_sum *in, const tri_term *term)
{
    for (int i = 0; i < in->count; i++)
        if (in->term[i].factor == term->factor && !compare_terms(&in->term[i], term))
            return i;
    return -1;
}

const tri_sum *tri_sum_common(tri_sums *sums, const tri_sum *a, const tri_sum *b)
{
    tri_term terms[TRI_SUM_MAX_TERMS];
    int n = 0;
    for (int i = 0; a && b && i < a->count; i++)
        if (find_term(b, &a->term[i]) >= 0)
            terms[n++] = a->term[i];
    return make_sum(sums, terms, n);
}

/* min(c + x, c + y) = c + min(x, y) */
static const tri_sum *extremum(tri_sums *sums, const char *op, const tri_sum *a, const tri_sum *b)
{
    const tri_sum *common = tri_sum_common(sums, a, b);
    tri_leaf leaf = {
        .kind = TRI_LEAF_CALL, .op = op, .args = {tri_sum_sub(sums, a, common), tri_sum_sub(sums, b, common)}};
    return tri_sum_add(sums, common, find_leaf(sums, &leaf));
}

const tri_sum *tri_sum_call(tri_sums *sums, const char *op, const tri_sum *a, const tri_sum *b, const tri_sum *c)
{
    int64_t x, y, folded;
    bool is_select = !strcmp(op, "arith.select");
    if (!a || !b || (is_select && !c))
        return NULL;
    if (is_select && tri_sum_is_equal(b, c))
        return b;
    if (!is_select && tri_sum_is_const(a, &x) && tri_sum_is_const(b, &y) && fold(op, x, y, &folded))
        return tri_sum_const(sums, folded);
    const tri_sum *picked = is_select ? NULL : pick(sums, op, a, b);
    if (!picked && (!strcmp(op, "arith.minsi") || !strcmp(op, "arith.maxsi")))
        return extremum(sums, op, a, b);
    return picked ? picked : find_leaf(sums, &(tri_leaf){.kind = TRI_LEAF_CALL, .op = op, .args = {a, b, c}});
}

/* --- questions --- */

bool tri_sum_is_equal(const tri_sum *a, const tri_sum *b)
{
    if (!a || !b || a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->term[i].factor != b->term[i].factor || compare_terms(&a->term[i], &b->term[i]))
            return false;
    return true;
}

bool tri_sum_is_const(const tri_sum *a, int64_t *out_value)
{
    if (!a || a->count > 1 || (a->count == 1 && a->term[0].count))
        return false;
    *out_value = a->count ? a->term[0].factor : 0;
    return true;
}

bool tri_sum_is(const tri_sum *a, int64_t value)
{
    int64_t known;
    return tri_sum_is_const(a, &known) && known == value;
}

static bool is_natural_value(MlirValue value, bool over_sizes, int depth);

/* The counter of a loop that begins at such a value and does not go down. */
static bool is_natural_counter(MlirValue value, bool over_sizes, int depth)
{
    MlirBlock block;
    intptr_t index;
    if (!tri_op_is_block_argument(value, &block, &index) || index != 0)
        return false;
    MlirOperation loop = mlirBlockGetParentOperation(block);
    return tri_op_is(loop, "scf.for") && is_natural_value(tri_op_operand(loop, 0), over_sizes, depth) &&
           is_natural_value(tri_op_operand(loop, 2), over_sizes, depth);
}

static bool is_natural_value(MlirValue value, bool over_sizes, int depth)
{
    MlirOperation op = tri_op_def(value);
    int64_t number;
    if (depth > 8)
        return false;
    if (mlirOperationIsNull(op))
        return is_natural_counter(value, over_sizes, depth + 1);
    if (tri_op_const_int(value, &number))
        return number >= 0;
    if (tri_op_is(op, "tt.get_program_id") || tri_op_is(op, "tt.get_num_programs") || tri_op_is(op, "arith.extui"))
        return true;
    if (over_sizes && tri_op_is(op, "arith.divsi"))
        return is_natural_value(tri_op_operand(op, 0), over_sizes, depth + 1);
    if (tri_op_is(op, "arith.divsi") || tri_op_is(op, "arith.minsi") || tri_op_is(op, "arith.addi") ||
        tri_op_is(op, "arith.muli"))
        return is_natural_value(tri_op_operand(op, 0), over_sizes, depth + 1) &&
               is_natural_value(tri_op_operand(op, 1), over_sizes, depth + 1);
    if (tri_op_is(op, "arith.maxsi"))
        return is_natural_value(tri_op_operand(op, 0), over_sizes, depth + 1) ||
               is_natural_value(tri_op_operand(op, 1), over_sizes, depth + 1);
    if (tri_op_is(op, "arith.remsi") || tri_op_is(op, "arith.extsi") || tri_op_is(op, "arith.index_cast"))
        return is_natural_value(tri_op_operand(op, 0), over_sizes, depth + 1);
    return false;
}

static bool is_natural(const tri_sum *a, bool over_sizes);

static bool is_natural_leaf(const tri_leaf *leaf, bool over_sizes)
{
    switch (leaf->kind) {
    case TRI_LEAF_UNSIGNED:
    case TRI_LEAF_ITERATION:
    case TRI_LEAF_TRIPS:
        return true;
    case TRI_LEAF_VALUE:
        return is_natural_value(leaf->value, over_sizes, 0);
    case TRI_LEAF_CALL:
        if (!strcmp(leaf->op, "arith.select"))
            return is_natural(leaf->args[1], over_sizes) && is_natural(leaf->args[2], over_sizes);
        if (!strcmp(leaf->op, "arith.maxsi"))
            return is_natural(leaf->args[0], over_sizes) || is_natural(leaf->args[1], over_sizes);
        return is_natural(leaf->args[0], over_sizes) &&
               (!strcmp(leaf->op, "arith.remsi") || (over_sizes && !strcmp(leaf->op, "arith.divsi")) ||
                is_natural(leaf->args[1], over_sizes));
    case TRI_LEAF_UNKNOWN:
        break;
    }
    return false;
}

static bool is_natural(const tri_sum *a, bool over_sizes)
{
    if (!a)
        return false;
    for (int i = 0; i < a->count; i++) {
        if (a->term[i].factor < 0)
            return false;
        for (int l = 0; l < a->term[i].count; l++)
            if (!is_natural_leaf(a->term[i].leaf[l], over_sizes))
                return false;
    }
    return true;
}

bool tri_sum_is_natural(const tri_sum *a) { return is_natural(a, false); }

bool tri_sum_is_natural_over_sizes(const tri_sum *a) { return is_natural(a, true); }

bool tri_sum_is_narrow(const tri_sum *sum)
{
    for (int i = 0; sum && i < sum->count; i++)
        for (int l = 0; l < sum->term[i].count; l++) {
            const tri_leaf *leaf = sum->term[i].leaf[l];
            bool is_value = leaf->kind == TRI_LEAF_VALUE || leaf->kind == TRI_LEAF_UNSIGNED;
            if (is_value && tri_type_bits(mlirValueGetType(leaf->value)) > 32)
                return false;
        }
    return sum != NULL;
}

static bool has_leaf(const tri_leaf *in, const tri_leaf *leaf)
{
    if (in == leaf)
        return true;
    for (int a = 0; a < 3 && in->kind == TRI_LEAF_CALL; a++)
        for (int i = 0; in->args[a] && i < in->args[a]->count; i++)
            for (int l = 0; l < in->args[a]->term[i].count; l++)
                if (has_leaf(in->args[a]->term[i].leaf[l], leaf))
                    return true;
    return false;
}

bool tri_sum_has_leaf(const tri_sum *a, const tri_sum *leaf)
{
    for (int i = 0; a && i < a->count; i++)
        for (int l = 0; l < a->term[i].count; l++)
            if (has_leaf(a->term[i].leaf[l], only_leaf(leaf)))
                return true;
    return false;
}

static bool is_inside(MlirOperation inner, MlirOperation op)
{
    for (; !mlirOperationIsNull(inner); inner = mlirOperationGetParentOperation(inner))
        if (mlirOperationEqual(inner, op))
            return true;
    return false;
}

static bool is_leaf_outside(const tri_leaf *leaf, MlirOperation op)
{
    MlirBlock block;
    intptr_t index;
    switch (leaf->kind) {
    case TRI_LEAF_VALUE:
    case TRI_LEAF_UNSIGNED:
        if (tri_op_is_block_argument(leaf->value, &block, &index))
            return !is_inside(mlirBlockGetParentOperation(block), op);
        return !is_inside(tri_op_def(leaf->value), op) || mlirOperationEqual(tri_op_def(leaf->value), op);
    case TRI_LEAF_ITERATION:
        return !is_inside(leaf->loop, op);
    case TRI_LEAF_TRIPS:
        return !is_inside(leaf->loop, op) || mlirOperationEqual(leaf->loop, op);
    case TRI_LEAF_CALL:
        for (int a = 0; a < 3; a++)
            if (leaf->args[a] && !tri_sum_is_outside(leaf->args[a], op))
                return false;
        return true;
    case TRI_LEAF_UNKNOWN:
        break;
    }
    return false;
}

bool tri_sum_is_outside(const tri_sum *a, MlirOperation op)
{
    for (int i = 0; a && i < a->count; i++)
        for (int l = 0; l < a->term[i].count; l++)
            if (!is_leaf_outside(a->term[i].leaf[l], op))
                return false;
    return a != NULL;
}

static const tri_sum *substitute_leaf(tri_sums *sums, const tri_leaf *in, const tri_sum *leaf, const tri_sum *by)
{
    if (in == only_leaf(leaf))
        return by;
    if (in->kind != TRI_LEAF_CALL)
        return sum_of_leaf(sums, in);
    const tri_sum *args[3] = {0};
    for (int a = 0; a < 3; a++)
        args[a] = in->args[a] ? tri_sum_substitute(sums, in->args[a], leaf, by) : NULL;
    return tri_sum_call(sums, in->op, args[0], args[1], args[2]);
}

const tri_sum *tri_sum_substitute(tri_sums *sums, const tri_sum *a, const tri_sum *leaf, const tri_sum *by)
{
    const tri_sum *result = tri_sum_const(sums, 0);
    for (int i = 0; a && i < a->count; i++) {
        const tri_sum *product = tri_sum_const(sums, a->term[i].factor);
        for (int l = 0; l < a->term[i].count; l++)
            product = tri_sum_mul(sums, product, substitute_leaf(sums, a->term[i].leaf[l], leaf, by));
        result = tri_sum_add(sums, result, product);
    }
    return a ? result : NULL;
}
