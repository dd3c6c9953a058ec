/* Masked loads of which nothing takes the elements that are masked off need not fill them.
 *
 *     %v = tt.load %p, %m, %zero                 tt.load %p, %m, %zero {tritcc.free_other}
 *     %w = arith.mulf %v, %v             ->      %w = arith.mulf %v, %v
 *     tt.store %q, %w, %m                        tt.store %q, %w, %m
 *
 * What operations on elements make of such an element is as free; it is taken where it is stored, or chosen, under
 * another mask, and by everything that is not of elements.
 *
 * An assembler moves loads past each other that nothing fills: as far as there are registers, whose number it then
 * takes. Blocks of code that load few of them gain (one H200: a softmax' gradient 2 %, dropout 3 %), and so do those
 * that load more than there are, which spill less (a norm of rows of 65,536 by 4 warps 25 %); those between lose what
 * other warps would have done (layer norm of 8,192 halves by 8 warps takes 80 registers for 64, and 9 % more time).
 *
 * Needs: ttir in front of layouts, behind everything that makes loads of choices or changes masks. Upstream has no such
 * pass, but leaves elements free of which the source does not say what they are. Test: tests/passes/free-others.mlir */
#include "passes/passes.h"

#include "ir/builder.h"
#include "ir/hints.h"
#include "ir/op.h"
#include "ir/op_classes.h"
#include "ir/type.h"

#include "mlir-c/BuiltinAttributes.h"

/* Registers of a thread that a block of code loads under masks: at most, or else at least. */
enum { FEW = 12, MORE_THAN_ALL = 256 };
enum { MAX_VALUES = 64, MAX_DEPTH = 8 };

/* The load's result and what is made of it, whose elements are free where the mask is false. */
typedef struct {
    MlirValue mask;
    MlirValue values[MAX_VALUES];
    int count;
} freedom;

/* Whether elements for which the condition holds are not masked off. */
static bool tells(MlirValue condition, MlirValue mask, int depth)
{
    MlirOperation op = tri_op_def(condition);
    if (mlirValueEqual(condition, mask))
        return true;
    return depth < MAX_DEPTH && !mlirOperationIsNull(op) && tri_op_is(op, "arith.andi") &&
           (tells(tri_op_operand(op, 0), mask, depth + 1) || tells(tri_op_operand(op, 1), mask, depth + 1));
}

static bool ask_too(freedom *f, MlirValue value)
{
    for (int i = 0; i < f->count; i++)
        if (mlirValueEqual(f->values[i], value))
            return true;
    if (f->count == MAX_VALUES)
        return false;
    f->values[f->count++] = value;
    return true;
}

/* Quotients of what is not known may be no numbers at all. */
static bool is_of_elements(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_ELEMENTWISE) && !tri_op_in(op, TRI_OPS_DIVISION) && tri_op_is_pure(op) &&
           !mlirOperationGetNumRegions(op);
}

/* Whether the use takes no free element, or makes values of which that is asked, too. */
static bool takes_none(freedom *f, MlirOperation user, int64_t operand)
{
    if (tri_op_is(user, "tt.store"))
        return operand == 1 && mlirOperationGetNumOperands(user) > 2 && tells(tri_op_operand(user, 2), f->mask, 0);
    if (tri_op_is(user, "arith.select") && operand == 1 && tells(tri_op_operand(user, 0), f->mask, 0))
        return true;
    bool is_free = is_of_elements(user);
    for (intptr_t r = 0; is_free && r < mlirOperationGetNumResults(user); r++)
        is_free = ask_too(f, tri_op_result(user, r));
    return is_free;
}

static bool is_never_taken(MlirOperation load)
{
    freedom f = {.mask = tri_op_segment_value(load, 1)};
    ask_too(&f, tri_op_result(load, 0));
    for (int i = 0; i < f.count; i++)
        for (MlirOpOperand use = mlirValueGetFirstUse(f.values[i]); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            if (!takes_none(&f, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use)))
                return false;
    return true;
}

/* Registers that the block's masked loads fill. */
static int64_t loaded_beside(const tri_op_list *loads, MlirOperation load, int64_t threads)
{
    int64_t registers = 0;
    for (size_t i = 0; i < loads->len; i++) {
        MlirType type = mlirValueGetType(tri_op_result(loads->at[i], 0));
        if (mlirBlockEqual(mlirOperationGetBlock(loads->at[i]), mlirOperationGetBlock(load)))
            registers += (tri_type_num_elements(type) * tri_type_bits(tri_type_element(type)) / threads + 31) / 32;
    }
    return registers;
}

static bool is_masked_load(MlirOperation load)
{
    return !mlirValueIsNull(tri_op_segment_value(load, 1)) && !tri_op_flag(load, "isVolatile") &&
           tri_type_is_tensor(mlirValueGetType(tri_op_result(load, 0)));
}

static bool run_free_others(tri_pass_run *run)
{
    int64_t threads = tri_passes_option_int(run, "num-warps", 4) * tri_passes_option_int(run, "threads-per-warp", 32);
    tri_op_list all = {0}, loads = {0};
    tri_op_collect_named(mlirModuleGetOperation(run->module), "tt.load", run->arena, &all);
    for (size_t i = 0; i < all.len; i++)
        if (is_masked_load(all.at[i]))
            tri_vec_push(run->arena, &loads, all.at[i]);
    for (size_t i = 0; i < loads.len; i++) {
        int64_t registers = loaded_beside(&loads, loads.at[i], threads);
        if ((registers <= FEW || registers >= MORE_THAN_ALL) && is_never_taken(loads.at[i]))
            tri_builder_set_attr(loads.at[i], TRI_HINT_FREE_OTHER, mlirUnitAttrGet(run->unit->mlir));
    }
    return true;
}

static const char *const options[] = {
    "num-warps=N: warps that a program has (4)",
    "threads-per-warp=N: lanes of a warp (32)",
    NULL,
};

const tri_pass tri_pass_free_others = {
    .name = "free-others",
    .help = "leave elements of masked loads free that nothing takes",
    .options = options,
    .run = run_free_others,
};
