/* Writes AMD's buffer operations as accesses through pointers.
 *
 *     %x = amdg.buffer_load %p[%o], %m, %z : #l          %b = tt.splat %p
 *                                                   ->   %q = tt.addptr %b, %o
 *                                                        %x = tt.load %q, %m, %z : #l
 *
 * likewise amdg.buffer_store, amdg.buffer_atomic_rmw and amdg.buffer_atomic_cas, and amdg.buffer_load_to_local as
 * ttg.async_copy_global_to_local. Of these AMD's machines have some (ir/analysis/wave_copy.h), which stay; the others
 * become a load and a store:
 *
 *     %t = ttg.async_copy_global_to_local %p, %m         %x = tt.load %p
 *     %c = ttg.async_commit_group tokens %t         ->   ttg.local_store %x, %m
 *                                                        %t = ttg.async_commit_group
 *                                                        %c = ttg.async_commit_group tokens %t
 *
 * Nothing reads a buffer between the start of a copy and a wait for it, so that it may be full at once. Triton's ttgir
 * for AMD's GPUs has them; lowering chooses buffer instructions itself, for pointers into arrays below 2 GiB
 * (tt.pointer_range), whoever wrote the addresses, and other machines and the simulator run the same. The reverse of
 * upstream's convert-buffer-ops.
 * Test: tests/passes/expand-buffer-ops.mlir */
#include "passes/passes.h"

#include "ir/analysis/wave_copy.h"
#include "ir/machines.h"
#include "ir/op.h"
#include "ir/type.h"

typedef struct {
    const char *name, *plain;
    /* Operand groups: where the base, the offsets, and what the plain operation takes behind the pointer stand; -1:
     * none.
     */
    int base, offsets, rest[3];
    const char *attributes[3];
} buffer_op;

static const buffer_op buffer_ops[] = {
    {"amdg.buffer_load", "tt.load", 0, 1, {3, 4, -1}, {"cache"}},
    {"amdg.buffer_store", "tt.store", 1, 2, {0, 4, -1}, {"cache"}},
    {"amdg.buffer_atomic_rmw", "tt.atomic_rmw", 0, 1, {2, 4, -1}, {"atomic_rmw_op", "sem", "scope"}},
    {"amdg.buffer_atomic_cas", "tt.atomic_cas", 0, 1, {2, 3, -1}, {"sem", "scope"}},
};

/* An operand group; where operations have no groups of which some are empty, an operand. Null: it is not there. */
static MlirValue buffer_operand(MlirOperation op, int group)
{
    if (!mlirAttributeIsNull(tri_op_attr(op, "operandSegmentSizes")))
        return tri_op_segment_value(op, group);
    return group < mlirOperationGetNumOperands(op) ? tri_op_operand(op, group) : (MlirValue){0};
}

/* %p + %o in the shape and layout of the offsets. */
static MlirValue buffer_address(tri_builder *b, MlirValue base, MlirValue offsets)
{
    MlirType type = tri_type_with_element(mlirValueGetType(offsets), mlirValueGetType(base));
    return tri_builder_binary(b, "tt.addptr", type, tri_builder_unary(b, "tt.splat", type, base), offsets);
}

static void expand_buffer_op(MlirOperation op, const buffer_op *form)
{
    tri_builder b = tri_builder_before(op);
    MlirValue operands[4] = {buffer_address(&b, buffer_operand(op, form->base), buffer_operand(op, form->offsets))};
    int count = 1;
    int32_t sizes[] = {1, 0, 0};
    tri_attr attrs[4];
    int num_attrs = 0;
    for (int i = 0; form->rest[i] >= 0; i++) {
        MlirValue value = buffer_operand(op, form->rest[i]);
        if (mlirValueIsNull(value))
            continue;
        operands[count++] = value;
        sizes[1 + i] = 1;
    }
    for (int i = 0; i < 3 && form->attributes[i]; i++)
        attrs[num_attrs++] = (tri_attr){form->attributes[i], tri_op_attr(op, form->attributes[i])};
    if (tri_op_is(op, "amdg.buffer_load"))
        attrs[num_attrs++] = (tri_attr){"operandSegmentSizes", tri_attr_i32s(b.context, 3, sizes)};
    MlirType result;
    intptr_t num_results = mlirOperationGetNumResults(op);
    if (num_results)
        result = mlirValueGetType(tri_op_result(op, 0));
    MlirOperation made = tri_builder_create(&b, &(tri_op){.name = form->plain,
                                                          .num_operands = count,
                                                          .operands = operands,
                                                          .num_results = num_results,
                                                          .results = &result,
                                                          .num_attrs = num_attrs,
                                                          .attrs = attrs});
    MlirValue value = num_results ? tri_op_result(made, 0) : (MlirValue){0};
    tri_op_replace(op, num_results, &value);
}

/* ---- copies to shared memory ---- */

enum { copy_pointer, copy_buffer, copy_mask, copy_other }; /* operand groups of ttg.async_copy_global_to_local */
/* ... and of amdg.buffer_load_to_local */
enum { to_local_buffer, to_local_base, to_local_offsets, to_local_mask, to_local_other };

static void name_pointers(MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    MlirValue pointer = buffer_address(&b, tri_op_segment_value(op, to_local_base),
                                       tri_op_segment_value(op, to_local_offsets));
    MlirValue mask = tri_op_segment_value(op, to_local_mask), other = tri_op_segment_value(op, to_local_other);
    MlirValue operands[4] = {pointer, tri_op_segment_value(op, to_local_buffer)};
    int32_t sizes[4] = {1, 1, !mlirValueIsNull(mask), !mlirValueIsNull(other)};
    intptr_t count = 2;
    if (sizes[copy_mask])
        operands[count++] = mask;
    if (sizes[copy_other])
        operands[count++] = other;
    MlirType token = mlirValueGetType(tri_op_result(op, 0));
    tri_attr attrs[] = {{"cache", tri_op_attr(op, "cache")},
                        {"contiguity", tri_op_attr(op, "contiguity")},
                        {"operandSegmentSizes", tri_attr_i32s(b.context, 4, sizes)}};
    MlirValue copy = tri_builder_value(&b, &(tri_op){.name = "ttg.async_copy_global_to_local",
                                                     .num_operands = count,
                                                     .operands = operands,
                                                     .num_results = 1,
                                                     .results = &token,
                                                     .num_attrs = 3,
                                                     .attrs = attrs});
    tri_op_replace(op, 1, &copy);
}

static void expand_copy(MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    MlirValue pointer = tri_op_segment_value(op, copy_pointer), buffer = tri_op_segment_value(op, copy_buffer);
    MlirValue mask = tri_op_segment_value(op, copy_mask), other = tri_op_segment_value(op, copy_other);
    tri_memdesc desc;
    tri_type_get_memdesc(mlirValueGetType(buffer), &desc);
    MlirType type = tri_type_with_element(mlirValueGetType(pointer), desc.element);
    if (!mlirValueIsNull(mask) && mlirValueIsNull(other))
        other = tri_type_is_float(desc.element) ? tri_builder_float(&b, type, 0) : tri_builder_int(&b, type, 0);
    MlirValue operands[3] = {pointer, mask, other};
    int32_t sizes[3] = {1, !mlirValueIsNull(mask), !mlirValueIsNull(mask)};
    tri_attr attrs[] = {{"cache", tri_op_attr(op, "cache")},
                        {"operandSegmentSizes", tri_attr_i32s(b.context, 3, sizes)}};
    MlirValue loaded = tri_builder_value(&b, &(tri_op){.name = "tt.load",
                                                       .num_operands = mlirValueIsNull(mask) ? 1 : 3,
                                                       .operands = operands,
                                                       .num_results = 1,
                                                       .results = &type,
                                                       .num_attrs = 2,
                                                       .attrs = attrs});
    MlirValue stored[2] = {loaded, buffer};
    tri_builder_create(&b, &(tri_op){.name = "ttg.local_store", .num_operands = 2, .operands = stored});
    MlirType token = mlirValueGetType(tri_op_result(op, 0));
    MlirValue group =
        tri_builder_value(&b, &(tri_op){.name = "ttg.async_commit_group", .num_results = 1, .results = &token});
    tri_op_replace(op, 1, &group);
}

static void expand_copies(tri_pass_run *run)
{
    MlirOperation module = mlirModuleGetOperation(run->module);
    const tri_machine_facts *facts = tri_machines_of(module);
    tri_op_list offsets = {0}, copies = {0};
    if (!facts || !facts->has_buffers || facts->async_copies)
        return;
    tri_op_collect_named(module, "amdg.buffer_load_to_local", run->arena, &offsets);
    for (size_t i = 0; i < offsets.len; i++)
        name_pointers(offsets.at[i]);
    tri_op_collect_named(module, "ttg.async_copy_global_to_local", run->arena, &copies);
    if (copies.len == 0)
        return;
    const tri_axis_info *axis = tri_axis_info_create(run->arena, module);
    tri_wave_copy copy;
    for (size_t i = 0; i < copies.len; i++)
        if (!tri_wave_copy_find(run->arena, axis, module, copies.at[i], &copy))
            expand_copy(copies.at[i]);
}

static bool run_expand_buffer_ops(tri_pass_run *run)
{
    expand_copies(run);
    for (size_t i = 0; i < sizeof buffer_ops / sizeof *buffer_ops; i++) {
        tri_op_list ops = {0};
        tri_op_collect_named(mlirModuleGetOperation(run->module), buffer_ops[i].name, run->arena, &ops);
        for (size_t k = 0; k < ops.len; k++)
            expand_buffer_op(ops.at[k], &buffer_ops[i]);
    }
    return true;
}

const tri_pass tri_pass_expand_buffer_ops = {
    .name = "expand-buffer-ops",
    .help = "write AMD's buffer operations as accesses through pointers",
    .run = run_expand_buffer_ops,
};
