/* Integers that are made of a kernel's arguments and constants alone, as words for a launcher's stack of 64-bit
 * numbers. Where the kernel's arithmetic is narrower, or knows no sign, a word checks that the number is the same
 * there. */
#include "passes/ttgir/host_tensormaps/host_tensormaps.h"

#include "ir/type.h"

enum { MAX_DEPTH = 24 };

MlirValue tri_host_words_outside(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    while (tri_op_is_block_argument(value, &block, &index)) {
        MlirOperation holder = mlirBlockGetParentOperation(block);
        if (!tri_op_is(holder, "ttg.warp_specialize.partitions"))
            break;
        value = tri_op_operand(mlirOperationGetParentOperation(holder), index);
    }
    return value;
}

intptr_t tri_host_words_argument(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    bool is_argument = tri_op_is_block_argument(value, &block, &index) &&
                       tri_op_is_kernel(mlirBlockGetParentOperation(block));
    return is_argument ? index : -1;
}

static bool add_words_of(tri_buf *out, MlirValue value, int depth);

static unsigned bits_of_number(MlirValue value) { return tri_type_bits(mlirValueGetType(value)); }

/* Two operands and what is done with them; `check` is a word behind each operand. */
static bool add_operands_of(tri_buf *out, MlirOperation op, const char *check, const char *word, int depth)
{
    for (intptr_t i = 0; i < 2; i++) {
        if (!add_words_of(out, tri_op_operand(op, i), depth))
            return false;
        tri_buf_add_z(out, check);
    }
    tri_buf_format(out, "%s ", word);
    return true;
}

/* Of the kernel's width: 64-bit numbers do not wrap on the stack either. */
static bool add_wrapping(tri_buf *out, MlirOperation op, const char *word, int depth)
{
    if (!add_operands_of(out, op, "", word, depth))
        return false;
    if (bits_of_number(tri_op_result(op, 0)) == 32)
        tri_buf_add_z(out, "int32 ");
    return bits_of_number(tri_op_result(op, 0)) >= 32;
}

static bool add_comparison(tri_buf *out, MlirValue value, int depth)
{
    static const struct {
        const char *word;
        bool is_turned;
    } predicates[] = {{"==", false}, {"!=", false}, {"<", false}, {"<=", false}, {"<", true}, {"<=", true}};
    MlirOperation op = tri_op_def(value);
    int64_t predicate = mlirOperationIsNull(op) || !tri_op_is(op, "arith.cmpi") ? -1 : tri_op_int(op, "predicate", -1);
    if (predicate < 0 || predicate >= (int64_t)(sizeof predicates / sizeof *predicates))
        return false;
    bool is_turned = predicates[predicate].is_turned;
    bool ok = add_words_of(out, tri_op_operand(op, is_turned), depth) &&
              add_words_of(out, tri_op_operand(op, !is_turned), depth);
    tri_buf_format(out, "%s ", predicates[predicate].word);
    return ok;
}

static bool add_converted(tri_buf *out, MlirOperation op, const char *check, int depth)
{
    bool ok = bits_of_number(tri_op_operand(op, 0)) >= 32 && bits_of_number(tri_op_result(op, 0)) >= 32 &&
              add_words_of(out, tri_op_operand(op, 0), depth);
    tri_buf_add_z(out, check);
    return ok;
}

static bool add_result(tri_buf *out, MlirOperation op, int depth)
{
    static const struct {
        const char *name, *check, *word;
    } exact[] = {{"arith.divsi", "natural ", "//"}, {"arith.divui", "natural ", "//"}, {"arith.remsi", "natural ", "%"},
                 {"arith.remui", "natural ", "%"},  {"arith.minsi", "", "min"},        {"arith.maxsi", "", "max"}};
    if (tri_op_is(op, "arith.addi"))
        return add_wrapping(out, op, "+", depth);
    if (tri_op_is(op, "arith.subi"))
        return add_wrapping(out, op, "-", depth);
    if (tri_op_is(op, "arith.muli"))
        return add_wrapping(out, op, "*", depth);
    if (tri_op_is(op, "arith.extsi"))
        return add_converted(out, op, "", depth);
    if (tri_op_is(op, "arith.extui"))
        return add_converted(out, op, "natural ", depth);
    if (tri_op_is(op, "arith.trunci"))
        return add_converted(out, op, "int32 ", depth);
    if (tri_op_is(op, "arith.select"))
        return add_comparison(out, tri_op_operand(op, 0), depth) && add_words_of(out, tri_op_operand(op, 1), depth) &&
               add_words_of(out, tri_op_operand(op, 2), depth) && (tri_buf_add_z(out, "select "), true);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (tri_op_is(op, exact[i].name))
            return add_operands_of(out, op, exact[i].check, exact[i].word, depth);
    return false;
}

static bool add_words_of(tri_buf *out, MlirValue value, int depth)
{
    int64_t number;
    value = tri_host_words_outside(value);
    if (depth > MAX_DEPTH || tri_type_is_ptr(mlirValueGetType(value)) ||
        !mlirTypeIsAInteger(mlirValueGetType(value)))
        return false;
    if (tri_op_const_int(value, &number)) {
        tri_buf_format(out, "%lld ", (long long)number);
        return true;
    }
    intptr_t argument = tri_host_words_argument(value);
    if (argument >= 0) {
        tri_buf_format(out, "$%d:%u ", (int)argument, bits_of_number(value));
        return bits_of_number(value) >= 32;
    }
    MlirOperation op = tri_op_def(value);
    return !mlirOperationIsNull(op) && add_result(out, op, depth + 1);
}

bool tri_host_words_add(tri_buf *out, MlirValue value) { return add_words_of(out, value, 0); }

static bool add_words_of_leaf(tri_buf *out, const tri_leaf *leaf)
{
    bool is_value = leaf->kind == TRI_LEAF_VALUE || leaf->kind == TRI_LEAF_UNSIGNED;
    if (!is_value || !tri_host_words_add(out, leaf->value))
        return false;
    if (leaf->kind == TRI_LEAF_UNSIGNED)
        tri_buf_add_z(out, "natural ");
    return true;
}

bool tri_host_words_add_sum(tri_buf *out, const tri_sum *sum)
{
    if (!sum)
        return false;
    if (!sum->count)
        tri_buf_add_z(out, "0 ");
    for (int i = 0; i < sum->count; i++) {
        const tri_term *term = &sum->term[i];
        bool is_plain = term->factor == 1 && term->count;
        if (!is_plain)
            tri_buf_format(out, "%lld ", (long long)term->factor);
        for (int l = 0; l < term->count; l++) {
            if (!add_words_of_leaf(out, term->leaf[l]))
                return false;
            tri_buf_add_z(out, is_plain && !l ? "" : "* ");
        }
        tri_buf_add_z(out, i ? "+ " : "");
    }
    return true;
}
