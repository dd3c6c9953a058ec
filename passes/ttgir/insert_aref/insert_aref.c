/* Values that one of the groups of warps of a loop makes and others use go through rings of buffers.
 *
 *     scf.for ... {                          %b = ttg.local_alloc ; %r = nvws.aref.create %b
 *       %v = "make"()   {partition 0}        scf.for ... {
 *       "use"(%v)       {partition 1}          %v = "make"()
 *     }                                        %p, %t = nvws.aref.put.enter %r     {partition 0}
 *                                        ->    ttg.local_store %v, %p
 *                                              nvws.aref.put.exit %r, %t
 *                                              %g, %u = nvws.aref.get.enter %r     {partition 1}
 *                                              %w = ttg.local_load %g
 *                                              nvws.aref.get.exit %r, %u
 *                                              "use"(%w)
 *                                            }
 *
 * Of loops with tt.warp_specialize whose operations say their groups (ttg.partition). Tensors, numbers, what loops
 * carry, and blocks in shared memory; of a block that only other groups use, and that a descriptor loads, the copy
 * goes to the buffer at once. Groups that have the value, where others that use it at the same place do not, keep
 * their own (nvws.aref.phi). Rings hold one buffer, those of answers to ttng.clc_try_cancel_sync two. In no pipeline:
 * automatic-warp-specialization makes its rings itself. Answers to nvws-insert-aref, without what is in the tensor
 * memory of Blackwell.
 * Test: tests/passes/insert-aref.mlir */
#include "passes/passes.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "layout/convert.h"
#include "passes/ttgir/insert_aref/aref.h"

enum { MISFIT = 5014 };

static bool has_partition(MlirOperation op) { return !mlirAttributeIsNull(tri_op_attr(op, TRI_PARTITIONS_OF)); }

/* ---- who uses what ---- */

static void add_use(aref_value *v, uint64_t partitions, MlirOperation op, intptr_t operand)
{
    size_t i = 0;
    while (i < v->consumers.len && v->consumers.at[i].partitions != partitions)
        i++;
    if (i == v->consumers.len)
        tri_vec_push(v->arena, &v->consumers, (aref_consumers){.partitions = partitions});
    tri_vec_push(v->arena, &v->consumers.at[i].uses, (aref_use){op, operand});
}

/* Sorts uses of a value by their groups; returns how many are by groups that all have it. */
static int collect_uses(aref_value *v, MlirValue value)
{
    int own = 0;
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        uint64_t partitions = tri_partitions_of_use(op, mlirOpOperandGetOperandNumber(use));
        if (has_partition(op) && !tri_op_is(op, "nvws.aref.phi") && (partitions & ~v->partitions))
            add_use(v, partitions, op, mlirOpOperandGetOperandNumber(use));
        else
            own += mlirOperationIsNull(v->alloc) || !mlirOperationEqual(op, v->alloc);
    }
    return own;
}

static bool loads_by_descriptor(MlirOperation op)
{
    return !mlirOperationIsNull(op) && (tri_op_is(op, "tt.descriptor_load") || tri_op_is(op, "tt.descriptor_gather"));
}

/* Do two layouts put each element of the block at the same place, for operations that read it there? Loops and
 * conditionals would have to carry another type. */
static bool is_same_place(const aref_value *v, const tri_memdesc *block, MlirAttribute said)
{
    MlirOpOperand use = mlirValueGetFirstUse(v->value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (tri_str_has_prefix(tri_op_name(mlirOpOperandGetOwner(use)), "scf."))
            return false;
    const tri_encoding *own = tri_encoding_get(v->arena, block->encoding), *other = tri_encoding_get(v->arena, said);
    return own && other && tri_convert_same_layout(own, other, block->rank, block->shape);
}

/* Can the copy of a descriptor's load fill the buffer? Its layout must be the buffer's. */
static bool fits_buffer(const aref_value *v, MlirOperation load)
{
    tri_memdesc desc;
    MlirAttribute said = tri_type_encoding(tri_type_desc_block(mlirValueGetType(tri_op_operand(load, 0))));
    if (mlirAttributeIsNull(said))
        return false;
    if (mlirOperationIsNull(v->alloc))
        return true;
    return tri_type_get_memdesc(mlirValueGetType(v->value), &desc) &&
           (mlirAttributeEqual(desc.encoding, said) || is_same_place(v, &desc, said));
}

/* Finds who makes the value and who needs it of others; false: nobody does. */
static bool find_consumers(aref_value *v)
{
    MlirOperation def = tri_op_def(v->value), load = def;
    int own = 0;
    if (!mlirOperationIsNull(def) && tri_op_is(def, "ttg.local_alloc") && mlirOperationGetNumOperands(def)) {
        v->alloc = def;
        load = tri_op_def(tri_op_operand(def, 0));
    }
    if (!mlirOperationIsNull(v->alloc) && !mlirOperationIsNull(load) && tri_op_is(load, "ttng.clc_try_cancel_sync"))
        v->request = load;
    own += collect_uses(v, v->value);
    bool is_load = loads_by_descriptor(load) && tri_partitions_of(load) == v->partitions;
    if (is_load && !mlirOperationIsNull(v->alloc))
        own += collect_uses(v, tri_op_operand(v->alloc, 0));
    if (is_load && !own && fits_buffer(v, load))
        v->load = load;
    return v->consumers.len;
}

/* ---- one value ---- */

static bool is_handed_on(MlirValue value)
{
    MlirType type = mlirValueGetType(value), element = tri_type_element(type);
    tri_memdesc desc;
    if (tri_type_get_memdesc(type, &desc))
        return mlirAttributeEqual(desc.space, tri_encoding_shared_space(mlirTypeGetContext(type)));
    return (tri_type_is_float(element) || tri_type_is_int(element));
}

/* What takes part in handing the value on no longer makes it where nobody else uses it. */
static void erase_unused(MlirOperation op)
{
    if (mlirOperationIsNull(op))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (!mlirOpOperandIsNull(mlirValueGetFirstUse(tri_op_result(op, i))))
            return;
    mlirOperationDestroy(op);
}

static bool hand_on(aref_value *v, tri_builder at)
{
    if (tri_type_is_async_token(mlirValueGetType(v->value)) || !find_consumers(v))
        return true;
    bool is_view = !tri_type_is_tensor(mlirValueGetType(v->value)) && mlirOperationIsNull(v->alloc) &&
                   !tri_type_is_float(mlirValueGetType(v->value)) && !tri_type_is_int(mlirValueGetType(v->value));
    if (!is_handed_on(v->value) || is_view) {
        tri_op_error(v->diag, mlirBlockGetParentOperation(v->block), MISFIT,
                     "only numbers, tensors of them and blocks of shared memory go from one partition to another");
        return false;
    }
    tri_insert_aref_create(v);
    tri_insert_aref_put(v, at);
    for (size_t i = 0; i < v->consumers.len; i++)
        tri_insert_aref_get(v, &v->consumers.at[i]);
    erase_unused(v->alloc);
    erase_unused(v->load);
    erase_unused(v->request);
    return true;
}

/* ---- a loop ---- */

typedef struct {
    tri_pass_run *run;
    MlirOperation loop;
    tri_op_list ops; /* in the loop, those inside of others first */
} sharing;

static void collect_inner_first(sharing *s, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
        for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
            MlirOperation inner = mlirBlockGetFirstOperation(block);
            for (; !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner))
                collect_inner_first(s, inner);
        }
    }
    tri_vec_push(s->run->arena, &s->ops, op);
}

static aref_value handed_value(const sharing *s, MlirValue value, uint64_t partitions, MlirBlock block)
{
    return (aref_value){.arena = s->run->arena, .diag = s->run->unit->diag, .loop = s->loop, .block = block,
                        .value = value, .partitions = partitions};
}

/* What a loop carries, at the start of its body. */
static bool hand_on_carried(const sharing *s, MlirOperation loop)
{
    bool is_for = tri_op_is(loop, "scf.for");
    MlirBlock body = tri_op_body(loop, is_for ? 0 : 1);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        MlirValue arg = mlirBlockGetArgument(body, i + is_for);
        aref_value v = handed_value(s, arg, tri_partitions_of_result(loop, i), body);
        if (is_handed_on(arg) && !hand_on(&v, tri_builder_at_start(body, mlirOperationGetLocation(loop))))
            return false;
    }
    return true;
}

/* Products, and what is of Blackwell's tensor memory, hand nothing on by shared memory. */
static bool is_left_out(MlirOperation op)
{
    static const char *const names[] = {"ttng.tmem_alloc", "ttng.tmem_store", "ttng.clc_load_result",
                                        "ttng.clc_is_canceled", "ttng.clc_get_program_id", "ttng.clc_try_cancel_sync"};
    bool is_out = tri_str_has_prefix(tri_op_name(op), "ttng.tc_gen5_mma");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_out = is_out || tri_op_is(op, names[i]);
    return is_out;
}

static bool hand_on_results(const sharing *s, MlirOperation op, bool behind)
{
    MlirBlock block = mlirOperationGetBlock(op);
    for (intptr_t i = 0; has_partition(op) && i < mlirOperationGetNumResults(op); i++) {
        MlirOperation after = behind ? mlirOperationGetNextInBlock(op) : op;
        aref_value v = handed_value(s, tri_op_result(op, i), tri_partitions_of_result(op, i), block);
        tri_builder at = tri_builder_before(after);
        at.loc = mlirOperationGetLocation(op);
        if (!hand_on(&v, at))
            return false;
        if (!mlirOperationIsNull(v.alloc) || !mlirOperationIsNull(v.load))
            break; /* it may be gone */
    }
    return true;
}

static bool share_loop(tri_pass_run *run, MlirOperation loop)
{
    sharing s = {.run = run, .loop = loop};
    collect_inner_first(&s, loop);
    for (size_t i = 0; i < s.ops.len; i++)
        if ((tri_op_is(s.ops.at[i], "scf.for") || tri_op_is(s.ops.at[i], "scf.while")) &&
            !hand_on_carried(&s, s.ops.at[i]))
            return false;
    s.ops.len = 0;
    collect_inner_first(&s, loop);
    for (size_t i = 0; i < s.ops.len; i++)
        if (tri_op_is(s.ops.at[i], "ttg.local_alloc") && !hand_on_results(&s, s.ops.at[i], false))
            return false;
    s.ops.len = 0;
    collect_inner_first(&s, loop);
    for (size_t i = 0; i < s.ops.len; i++)
        if (!mlirOperationEqual(s.ops.at[i], loop) && !is_left_out(s.ops.at[i]) &&
            !hand_on_results(&s, s.ops.at[i], true))
            return false;
    return true;
}

static bool run_insert_aref(tri_pass_run *run)
{
    tri_op_list ops = {0};
    tri_op_collect(mlirModuleGetOperation(run->module), run->arena, &ops);
    tri_op_list loops = {0};
    for (size_t i = 0; i < ops.len; i++) {
        bool is_loop = tri_op_is(ops.at[i], "scf.for") || tri_op_is(ops.at[i], "scf.while");
        if (is_loop && tri_op_flag(ops.at[i], "tt.warp_specialize") && has_partition(ops.at[i]))
            tri_vec_push(run->arena, &loops, ops.at[i]);
    }
    for (size_t i = 0; i < loops.len; i++)
        if (!share_loop(run, loops.at[i]))
            return false;
    return true;
}

const tri_pass tri_pass_insert_aref = {
    .name = "insert-aref",
    .help = "have values of one group of warps that others use go through rings of buffers",
    .alias = "nvws-insert-aref",
    .run = run_insert_aref,
};
