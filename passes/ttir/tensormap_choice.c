#include "passes/ttir/tensormap_choice.h"

#include "ir/op.h"
#include "ir/type.h"
#include "passes/analysis/tensormaps.h"

static void refuse(tri_tensormap_choice *c, MlirValue value, const char *why)
{
    MlirType type = mlirValueGetType(value);
    if (tri_type_is_desc(type) && !tri_map_find_ptr(&c->refused, type.ptr))
        tri_map_set_ptr(&c->refused, type.ptr, (void *)why);
}

static const char *why_type(MlirType desc)
{
    enum { SECTOR = 16 };
    MlirType block = tri_type_desc_block(desc);
    int rank = tri_type_rank(block);
    int64_t row = tri_type_dim(block, rank - 1) * tri_type_bits(tri_type_element(block)) / 8;
    if (tri_tensormaps_element(tri_type_element(block)) < 0)
        return "the copy engine does not know elements of this type";
    if (rank > TRI_TENSORMAP_MAX_RANK)
        return "the copy engine knows five dimensions";
    if (row % SECTOR)
        return "rows of the block are no multiples of 16 bytes";
    return NULL;
}

static const char *why_access(MlirOperation op)
{
    bool is_load = tri_op_is(op, "tt.descriptor_load");
    if (!is_load && !tri_op_is(op, "tt.descriptor_store"))
        return "it is gathered from, scattered to or added to";
    MlirValue block = is_load ? tri_op_result(op, 0) : tri_op_operand(op, 1);
    MlirType whole = tri_type_desc_block(mlirValueGetType(tri_op_operand(op, 0)));
    return tri_tensormaps_dropped(whole, mlirValueGetType(block)) >= 0 ? NULL
                                                                       : "a block of another rank is loaded or stored";
}

static void visit_access(tri_tensormap_choice *c, MlirOperation op)
{
    const char *why = why_access(op);
    if (!why)
        why = why_type(mlirValueGetType(tri_op_operand(op, 0)));
    if (why)
        refuse(c, tri_op_operand(op, 0), why);
}

static bool is_in_loop(MlirOperation op)
{
    for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"))
            return true;
    return false;
}

static void visit_tensormaps(tri_tensormap_choice *c, MlirOperation op, bool *has_load, bool *has_product)
{
    if (tri_str_has_prefix(tri_op_name(op), "tt.descriptor_")) {
        visit_access(c, op);
        *has_load |= tri_op_is(op, "tt.descriptor_load") && is_in_loop(op);
    }
    *has_product |= tri_op_is(op, "tt.dot") || tri_op_is(op, "tt.dot_scaled");
    bool leaves = tri_op_is(op, "tt.call") || tri_op_is(op, "tt.return") || tri_op_is(op, "tt.map_elementwise");
    for (intptr_t i = 0; leaves && i < mlirOperationGetNumOperands(op); i++)
        refuse(c, tri_op_operand(op, i), "it leaves the function");
    for (intptr_t i = 0; leaves && i < mlirOperationGetNumResults(op); i++)
        refuse(c, tri_op_result(op, i), "it comes from another function");
}

static void say(tri_pass_run *run, const tri_tensormap_choice *c, MlirOperation make)
{
    const char *why = tri_map_find_ptr(&c->refused, mlirValueGetType(tri_op_result(make, 0)).ptr);
    tri_span at = tri_op_span(run->unit->diag, make);
    if (!why && !c->is_worth)
        why = "no block is loaded in a loop with products";
    if (why)
        tri_diag_missed(run->unit->diag, at, "tma", "the descriptor becomes pointers and masks: %s", why);
}

tri_tensormap_choice tri_tensormap_choice_make(tri_pass_run *run)
{
    tri_tensormap_choice c = {.is_worth = false};
    tri_op_list ops = {0};
    bool has_load = false, has_product = false;
    tri_map_init(&c.refused, run->arena);
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        visit_tensormaps(&c, ops.at[i], &has_load, &has_product);
        MlirBlock entry = tri_op_is(ops.at[i], "tt.func") ? tri_op_body(ops.at[i], 0) : (MlirBlock){NULL};
        for (intptr_t k = 0; !mlirBlockIsNull(entry) && k < mlirBlockGetNumArguments(entry); k++)
            refuse(&c, mlirBlockGetArgument(entry, k), "it is a parameter");
    }
    c.is_worth = has_load && has_product;
    for (size_t i = 0; i < ops.len; i++)
        if (tri_op_is(ops.at[i], "tt.make_tensor_descriptor"))
            say(run, &c, ops.at[i]);
    return c;
}

bool tri_tensormap_choice_takes(const tri_tensormap_choice *choice, MlirType desc)
{
    return choice->is_worth && !tri_map_find_ptr(&choice->refused, desc.ptr);
}
