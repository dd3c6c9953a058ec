#include "passes/linalg/addresses.h"

#include "ir/type.h"

static bool is_pointer(MlirValue value) { return tri_type_is_ptr(tri_type_element(mlirValueGetType(value))); }

static bool is_block_argument(MlirValue value)
{
    return mlirValueIsABlockArgument(value) && tri_type_is_tensor(mlirValueGetType(value));
}

static bool is_of_function(MlirValue value)
{
    MlirBlock block;
    intptr_t index;
    return tri_op_is_block_argument(value, &block, &index) &&
           tri_op_is(mlirBlockGetParentOperation(block), "tt.func");
}

static bool is_address(MlirValue value)
{
    MlirOperation op = tri_op_def(value);
    return mlirOperationIsNull(op) ? is_of_function(value) && is_block_argument(value) : tri_op_is(op, "tt.int_to_ptr");
}

/* What a pointer may come from are addresses as soon as one of them is one. */
static void note(tri_addresses *a, tri_pointers *pointers, MlirValue value)
{
    size_t n;
    bool has_address = false;
    if (!is_pointer(value))
        return;
    const MlirValue *sources = tri_pointers_sources(pointers, value, &n);
    for (size_t i = 0; i < n && !has_address; i++)
        has_address = is_address(sources[i]);
    for (size_t i = 0; i < n && has_address; i++) {
        bool is_array = is_of_function(sources[i]) && !is_block_argument(sources[i]);
        MlirValue *slot = TRI_NEW(a->arena, MlirValue);
        *slot = value;
        tri_map_set_ptr(is_array ? &a->arrays : &a->values, sources[i].ptr, slot);
    }
}

static void note_arguments(tri_addresses *a, tri_pointers *pointers, MlirBlock body)
{
    for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); i++)
        note(a, pointers, mlirBlockGetArgument(body, i));
}

void tri_addresses_find(tri_addresses *a, tri_arena *arena, MlirBlock body, const tri_op_list *ops, bool with_blocks)
{
    tri_pointers *pointers = tri_pointers_create(arena);
    bool has_any = false;
    *a = (tri_addresses){.arena = arena};
    tri_map_init(&a->values, arena);
    tri_map_init(&a->arrays, arena);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(body) && with_blocks; i++) {
        MlirValue argument = mlirBlockGetArgument(body, i);
        has_any |= is_block_argument(argument) && is_pointer(argument);
    }
    if (has_any)
        note_arguments(a, pointers, body);
    for (size_t i = 0; i < ops->len; i++)
        has_any |= tri_op_is(ops->at[i], "tt.int_to_ptr");
    for (size_t i = 0; i < ops->len && has_any; i++) {
        for (intptr_t r = 0; r < mlirOperationGetNumResults(ops->at[i]); r++)
            note(a, pointers, tri_op_result(ops->at[i], r));
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(ops->at[i]); r++)
            note_arguments(a, pointers, tri_op_body(ops->at[i], (int)r));
    }
}

static MlirValue argument_or_null(MlirBlock block, intptr_t i)
{
    bool has = !mlirBlockIsNull(block) && i >= 0 && i < mlirBlockGetNumArguments(block);
    return has ? mlirBlockGetArgument(block, i) : (MlirValue){NULL};
}

static MlirValue result_or_null(MlirOperation op, intptr_t i)
{
    return i >= 0 && i < mlirOperationGetNumResults(op) ? tri_op_result(op, i) : (MlirValue){NULL};
}

MlirValue tri_addresses_target(MlirOperation op, intptr_t i)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    if (tri_op_is(op, "scf.for"))
        return argument_or_null(tri_op_body(op, 0), i - 2);
    if (tri_op_is(op, "scf.while"))
        return argument_or_null(tri_op_body(op, 0), i);
    if (tri_op_is(op, "scf.condition"))
        return result_or_null(parent, i - 1);
    if (tri_op_is(op, "scf.yield"))
        return tri_op_is(parent, "scf.while") ? argument_or_null(tri_op_body(parent, 0), i) : result_or_null(parent, i);
    return result_or_null(op, 0);
}
