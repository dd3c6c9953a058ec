#include "passes/analysis/partitions.h"

#include "ir/encoding.h"
#include "ir/type.h"
#include "passes/analysis/tasks.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MISFIT = 5014, DEFAULT_WARPS = 4 };

uint64_t tri_partitions_of(MlirOperation op)
{
    uint64_t partitions = tri_tasks_read(tri_op_attr(op, TRI_PARTITIONS_OF));
    return partitions ? partitions : TRI_PARTITIONS_ALL;
}

void tri_partitions_set(MlirOperation op, uint64_t partitions)
{
    tri_builder_set_attr(op, TRI_PARTITIONS_OF, tri_tasks_make(mlirOperationGetContext(op), partitions));
}

uint64_t tri_partitions_of_result(MlirOperation op, intptr_t i)
{
    MlirAttribute outputs = tri_op_attr(op, TRI_PARTITIONS_OUTPUTS);
    if (mlirAttributeIsNull(outputs))
        return tri_partitions_of(op);
    uint64_t partitions = i < mlirArrayAttrGetNumElements(outputs)
                              ? tri_tasks_read(mlirArrayAttrGetElement(outputs, i))
                              : 0;
    return partitions ? partitions : TRI_PARTITIONS_ALL;
}

uint64_t tri_partitions_of_value(MlirValue value)
{
    MlirBlock block;
    intptr_t i;
    if (!tri_op_is_block_argument(value, &block, &i))
        return tri_partitions_of_result(tri_op_def(value), mlirOpResultGetResultNumber(value));
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (tri_op_is(parent, "scf.for"))
        return i ? tri_partitions_of_result(parent, i - 1) : tri_partitions_of(parent);
    return tri_op_is(parent, "scf.while") ? tri_partitions_of_result(parent, i) : TRI_PARTITIONS_ALL;
}

uint64_t tri_partitions_of_use(MlirOperation op, intptr_t operand)
{
    MlirOperation around = mlirOperationGetParentOperation(op);
    intptr_t first = tri_op_is(op, "scf.condition");
    if ((tri_op_is(op, "scf.yield") || first) && operand >= first)
        return tri_partitions_of_result(around, operand - first);
    if (tri_op_is(op, "scf.yield") || first)
        return tri_partitions_of(around);
    first = tri_op_is(op, "scf.for") ? 3 : 0;
    if ((tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while")) && operand >= first)
        return tri_partitions_of_result(op, operand - first);
    return tri_partitions_of(op);
}

void tri_partitions_append_output(MlirOperation loop, uint64_t partitions)
{
    MlirAttribute old = tri_op_attr(loop, TRI_PARTITIONS_OUTPUTS), own = tri_op_attr(loop, TRI_PARTITIONS_OF);
    MlirContext context = mlirOperationGetContext(loop);
    tri_arena *arena = tri_arena_create();
    intptr_t n = mlirAttributeIsNull(old) ? 0 : mlirArrayAttrGetNumElements(old);
    MlirAttribute *lists = TRI_NEW_ARRAY(arena, MlirAttribute, n + 1);
    for (intptr_t i = 0; i < n; i++)
        lists[i] = mlirArrayAttrGetElement(old, i);
    lists[n] = tri_tasks_make(context, partitions);
    tri_builder_set_attr(loop, TRI_PARTITIONS_OUTPUTS, mlirArrayAttrGet(context, n + 1, lists));
    partitions |= tri_tasks_read(own);
    tri_partitions_set(loop, partitions);
    for (int r = 0; r < (int)mlirOperationGetNumRegions(loop); r++)
        tri_partitions_set(mlirBlockGetTerminator(tri_op_body(loop, r)), partitions);
    tri_arena_destroy(arena);
}

int tri_partitions_count(MlirOperation loop)
{
    MlirAttribute stages = tri_op_attr(loop, TRI_PARTITIONS_STAGES);
    return mlirAttributeIsNull(stages) || !mlirAttributeIsAArray(stages) ? 0 : (int)mlirArrayAttrGetNumElements(stages);
}

/* What is wrong with a list of groups; null: nothing. */
static const char *why_not_list(MlirAttribute attr, int count)
{
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI32Array(attr))
        return "is no array of i32";
    int32_t before = -1;
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(attr); i++) {
        int32_t id = mlirDenseI32ArrayGetElement(attr, i);
        if (id <= before)
            return id < 0 ? "has a number below 0" : "is not in ascending order";
        if (id >= count)
            return "has a number of which " TRI_PARTITIONS_STAGES " has no entry";
        before = id;
    }
    return before < 0 ? "is empty" : NULL;
}

static bool is_flow(MlirOperation op) { return tri_str_has_prefix(tri_op_name(op), "scf."); }

static bool check_outputs(tri_diag *diag, MlirOperation op, int count)
{
    MlirAttribute outputs = tri_op_attr(op, TRI_PARTITIONS_OUTPUTS);
    intptr_t results = mlirOperationGetNumResults(op);
    bool wants = results && is_flow(op);
    if (mlirAttributeIsNull(outputs) && !wants)
        return true;
    if (mlirAttributeIsNull(outputs) || !mlirAttributeIsAArray(outputs) ||
        mlirArrayAttrGetNumElements(outputs) != results) {
        tri_op_error(diag, op, MISFIT, "%s must have one entry for each result", TRI_PARTITIONS_OUTPUTS);
        return false;
    }
    for (intptr_t i = 0; i < results; i++) {
        const char *why = why_not_list(mlirArrayAttrGetElement(outputs, i), count);
        if (why)
            tri_op_error(diag, op, MISFIT, "entry %d of %s %s", (int)i, TRI_PARTITIONS_OUTPUTS, why);
        if (why)
            return false;
    }
    return true;
}

/* Groups run what they have the whole of: each operation is of groups that run what it stands in. */
static bool check_op(tri_diag *diag, MlirOperation op, MlirOperation loop, int count)
{
    MlirAttribute own = tri_op_attr(op, TRI_PARTITIONS_OF);
    MlirOperation around = mlirOperationGetParentOperation(op);
    bool may_lack = tri_op_is(op, "scf.yield") || tri_op_is(op, "ub.poison") || (!is_flow(around) && !is_flow(op));
    if (mlirAttributeIsNull(own) && may_lack)
        return true;
    const char *why = why_not_list(own, count);
    if (mlirAttributeIsNull(own))
        tri_op_error(diag, op, MISFIT, "what stands in a loop with partitions needs %s", TRI_PARTITIONS_OF);
    else if (why)
        tri_op_error(diag, op, MISFIT, "%s %s", TRI_PARTITIONS_OF, why);
    if (why || !check_outputs(diag, op, count))
        return false;
    uint64_t beyond = mlirOperationEqual(op, loop) ? 0 : tri_partitions_of(op) & ~tri_partitions_of(around);
    if (beyond)
        tri_op_error(diag, op, MISFIT, "is of partition %d, which does not run what it stands in",
                     __builtin_ctzll(beyond));
    return !beyond;
}

bool tri_partitions_check(tri_diag *diag, MlirOperation loop)
{
    tri_arena *arena = tri_arena_create();
    tri_op_list ops = {0};
    int count = tri_partitions_count(loop);
    bool fits = count <= TRI_PARTITIONS_MAX;
    if (!fits)
        tri_op_error(diag, loop, MISFIT, "there can be no more than %d partitions", TRI_PARTITIONS_MAX);
    fits = fits && check_op(diag, loop, loop, count);
    tri_op_collect(loop, arena, &ops);
    for (size_t i = 0; fits && i < ops.len; i++)
        fits = check_op(diag, ops.at[i], loop, count);
    tri_arena_destroy(arena);
    return fits;
}

MlirType tri_partitions_buffer(MlirType tensor, bool is_mutable)
{
    tri_encoding layout = {.kind = TRI_ENC_SWIZZLED_SHARED, .rank = tri_type_rank(tensor)};
    tri_memdesc desc = {.rank = layout.rank, .alloc_rank = layout.rank, .element = tri_type_element(tensor),
                        .space = tri_encoding_shared_space(mlirTypeGetContext(tensor)), .is_mutable = is_mutable};
    layout.swizzled.vec = layout.swizzled.per_phase = layout.swizzled.max_phase = 1;
    for (int i = 0; i < layout.rank; i++) {
        layout.order[i] = layout.rank - 1 - i;
        desc.shape[i] = desc.alloc_shape[i] = tri_type_dim(tensor, i);
    }
    desc.encoding = tri_encoding_make(mlirTypeGetContext(tensor), &layout);
    return tri_type_memdesc(&desc);
}

MlirType tri_partitions_slot(MlirType ring)
{
    tri_memdesc all, one;
    tri_type_get_memdesc(ring, &all);
    one = all;
    one.rank--;
    for (int i = 0; i < one.rank; i++)
        one.shape[i] = all.shape[i + 1];
    one.is_mutable = true;
    return tri_type_memdesc(&one);
}

bool tri_partitions_is_scales(MlirType buffer)
{
    tri_memdesc desc;
    return tri_type_get_memdesc(buffer, &desc) &&
           tri_encoding_kind_of(desc.encoding) == TRI_ENC_TENSOR_MEMORY_SCALES;
}

int32_t tri_partitions_warps_at(MlirOperation op)
{
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
        if (tri_op_int(op, "ttg.num-warps", 0))
            return (int32_t)tri_op_int(op, "ttg.num-warps", 0);
    return DEFAULT_WARPS;
}

static void append_text(MlirStringRef piece, void *buf) { tri_buf_add(buf, piece.data, piece.length); }

MlirType tri_partitions_reference(size_t n, const MlirType *rings)
{
    tri_buf text = {0};
    tri_buf_add_z(&text, "!nvws.aref<[");
    for (size_t i = 0; i < n; i++) {
        tri_buf_add_z(&text, i ? ", " : "");
        mlirTypePrint(rings[i], append_text, &text);
    }
    tri_buf_add_z(&text, "]>");
    tri_str name = tri_buf_str(&text);
    MlirType type = mlirTypeParseGet(mlirTypeGetContext(rings[0]), mlirStringRefCreate(name.data, name.len));
    tri_buf_fini(&text);
    return type;
}
