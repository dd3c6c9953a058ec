/* Sums as operations, and as text. */
#include "ir/analysis/sum.h"

#include "ir/location.h"
#include "ir/op.h"
#include "ir/type.h"

/* --- operations --- */

static MlirValue cast_to(tri_builder *b, MlirValue value, MlirType type, bool is_unsigned)
{
    MlirType from = mlirValueGetType(value);
    if (mlirTypeEqual(from, type))
        return value;
    if (mlirTypeIsAIndex(from) || mlirTypeIsAIndex(type))
        return tri_builder_unary(b, is_unsigned ? "arith.index_castui" : "arith.index_cast", type, value);
    if (tri_type_bits(from) > tri_type_bits(type))
        return tri_builder_unary(b, "arith.trunci", type, value);
    return tri_builder_unary(b, is_unsigned ? "arith.extui" : "arith.extsi", type, value);
}

/* ceil((end - start) / step), or 0. */
static MlirValue emit_trips(tri_builder *b, MlirOperation loop, MlirType type)
{
    MlirValue start = cast_to(b, tri_op_operand(loop, 0), type, false);
    MlirValue end = cast_to(b, tri_op_operand(loop, 1), type, false);
    MlirValue step = cast_to(b, tri_op_operand(loop, 2), type, false);
    MlirValue length = tri_builder_binary(b, "arith.subi", type, end, start);
    MlirValue rest = tri_builder_binary(b, "arith.subi", type, step, tri_builder_int(b, type, 1));
    MlirValue trips =
        tri_builder_binary(b, "arith.divsi", type, tri_builder_binary(b, "arith.addi", type, length, rest), step);
    return tri_builder_binary(b, "arith.maxsi", type, trips, tri_builder_int(b, type, 0));
}

static MlirValue emit_iteration(tri_builder *b, MlirOperation loop, MlirType type)
{
    MlirValue start = cast_to(b, tri_op_operand(loop, 0), type, false);
    MlirValue step = cast_to(b, tri_op_operand(loop, 2), type, false);
    MlirValue now = cast_to(b, mlirBlockGetArgument(tri_op_body(loop, 0), 0), type, false);
    return tri_builder_binary(b, "arith.divsi", type, tri_builder_binary(b, "arith.subi", type, now, start), step);
}

static MlirValue emit_call(tri_sums *sums, tri_builder *b, const tri_leaf *leaf, MlirType type)
{
    if (strcmp(leaf->op, "arith.select") != 0) {
        MlirValue second = tri_sum_emit(sums, b, leaf->args[1], type);
        return tri_builder_binary(b, leaf->op, type, tri_sum_emit(sums, b, leaf->args[0], type), second);
    }
    MlirValue operands[3] = {leaf->args[0]->term[0].leaf[0]->value, tri_sum_emit(sums, b, leaf->args[1], type),
                             tri_sum_emit(sums, b, leaf->args[2], type)};
    return tri_builder_value(b, &(tri_op){.name = "arith.select", .num_operands = 3, .operands = operands,
                                          .num_results = 1, .results = &type});
}

static MlirValue emit_leaf(tri_sums *sums, tri_builder *b, const tri_leaf *leaf, MlirType type)
{
    switch (leaf->kind) {
    case TRI_LEAF_VALUE:
        return cast_to(b, leaf->value, type, tri_type_is_int_of(mlirValueGetType(leaf->value), 1));
    case TRI_LEAF_UNSIGNED:
        return cast_to(b, leaf->value, type, true);
    case TRI_LEAF_ITERATION:
        return emit_iteration(b, leaf->loop, type);
    case TRI_LEAF_TRIPS:
        return emit_trips(b, leaf->loop, type);
    case TRI_LEAF_CALL:
        return emit_call(sums, b, leaf, type);
    case TRI_LEAF_UNKNOWN:
        break;
    }
    TRI_BUG("a placeholder in a sum");
}

/* iteration * step is the induction variable less its start: without a division where every term allows it. */
static const tri_sum *with_induction(tri_sums *sums, const tri_sum *a, const tri_leaf *leaf)
{
    const tri_sum *iteration = tri_sum_loop(sums, TRI_LEAF_ITERATION, leaf->loop), *quotient, *rest;
    const tri_sum *step = tri_sum_of(sums, tri_op_operand(leaf->loop, 2));
    if (!tri_sum_divide(sums, a, tri_sum_mul(sums, iteration, step), &quotient, &rest) ||
        tri_sum_has_leaf(rest, iteration))
        return a;
    MlirValue induction = mlirBlockGetArgument(tri_op_body(leaf->loop, 0), 0);
    const tri_sum *start = tri_sum_of(sums, tri_op_operand(leaf->loop, 0));
    const tri_sum *walked = tri_sum_sub(sums, tri_sum_leaf(sums, TRI_LEAF_VALUE, induction), start);
    const tri_sum *better = tri_sum_add(sums, rest, tri_sum_mul(sums, quotient, walked));
    return better ? better : a;
}

static const tri_leaf *next_iteration(const tri_sum *a, int after)
{
    const tri_leaf *found = NULL;
    for (int i = 0; i < a->count; i++)
        for (int l = 0; l < a->term[i].count; l++) {
            const tri_leaf *leaf = a->term[i].leaf[l];
            if (leaf->kind == TRI_LEAF_ITERATION && leaf->id > after && (!found || leaf->id < found->id))
                found = leaf;
        }
    return found;
}

static MlirValue emit_term(tri_sums *sums, tri_builder *b, const tri_term *term, MlirType type)
{
    MlirValue product = {NULL};
    for (int l = 0; l < term->count; l++) {
        MlirValue leaf = emit_leaf(sums, b, term->leaf[l], type);
        product = product.ptr ? tri_builder_binary(b, "arith.muli", type, product, leaf) : leaf;
    }
    if (!product.ptr || term->factor == 1)
        return product.ptr ? product : tri_builder_int(b, type, term->factor);
    return tri_builder_binary(b, "arith.muli", type, product, tri_builder_int(b, type, term->factor));
}

MlirValue tri_sum_emit(tri_sums *sums, tri_builder *b, const tri_sum *a, MlirType type)
{
    for (const tri_leaf *leaf = next_iteration(a, -1); leaf; leaf = next_iteration(a, leaf->id))
        a = with_induction(sums, a, leaf);
    MlirValue sum = {NULL};
    for (int i = 0; i < a->count; i++) {
        bool is_minus = sum.ptr && a->term[i].factor == -1;
        tri_term term = a->term[i];
        term.factor = is_minus ? 1 : term.factor;
        MlirValue value = emit_term(sums, b, &term, type);
        sum = sum.ptr ? tri_builder_binary(b, is_minus ? "arith.subi" : "arith.addi", type, sum, value) : value;
    }
    return sum.ptr ? sum : tri_builder_int(b, type, 0);
}

/* --- text --- */

static void print_sum_value(MlirValue value, tri_buf *out)
{
    MlirBlock block;
    intptr_t index;
    static const char dims[] = "xyz";
    MlirOperation op = tri_op_def(value);
    tri_str name = tri_location_name(mlirValueGetLocation(value));
    if (!mlirOperationIsNull(op) && (tri_op_is(op, "tt.get_program_id") || tri_op_is(op, "tt.get_num_programs")))
        tri_buf_format(out, "%s.%c", tri_op_is(op, "tt.get_program_id") ? "pid" : "programs",
                       dims[tri_op_int(op, "axis", 0) % 3]);
    else if (name.len)
        tri_buf_add_str(out, name);
    else if (tri_op_is_block_argument(value, &block, &index))
        tri_buf_format(out, "arg%d", (int)index);
    else
        tri_buf_format(out, "<%.*s>", TRI_STR_ARG(tri_op_name(op)));
}

static void print_leaf(const tri_leaf *leaf, tri_buf *out)
{
    switch (leaf->kind) {
    case TRI_LEAF_VALUE:
    case TRI_LEAF_UNSIGNED:
        print_sum_value(leaf->value, out);
        break;
    case TRI_LEAF_ITERATION:
    case TRI_LEAF_TRIPS:
        tri_buf_add_z(out, leaf->kind == TRI_LEAF_TRIPS ? "trips(" : "iter(");
        print_sum_value(mlirBlockGetArgument(tri_op_body(leaf->loop, 0), 0), out);
        tri_buf_add_char(out, ')');
        break;
    case TRI_LEAF_CALL:
        tri_buf_format(out, "%s(", strchr(leaf->op, '.') + 1);
        for (int a = 0; a < 3 && leaf->args[a]; a++) {
            tri_buf_add_z(out, a ? ", " : "");
            tri_sum_print(leaf->args[a], out);
        }
        tri_buf_add_char(out, ')');
        break;
    case TRI_LEAF_UNKNOWN:
        tri_buf_add_char(out, '?');
        break;
    }
}

void tri_sum_print(const tri_sum *a, tri_buf *out)
{
    for (int i = 0; i < a->count; i++) {
        const tri_term *term = &a->term[i];
        uint64_t size = term->factor < 0 ? -(uint64_t)term->factor : (uint64_t)term->factor;
        tri_buf_add_z(out, term->factor < 0 ? (i ? " - " : "-") : i ? " + " : "");
        if (size != 1 || !term->count)
            tri_buf_format(out, "%llu%s", (unsigned long long)size, term->count ? "*" : "");
        for (int l = 0; l < term->count; l++) {
            tri_buf_add_z(out, l ? "*" : "");
            print_leaf(term->leaf[l], out);
        }
    }
    if (!a->count)
        tri_buf_add_char(out, '0');
}
