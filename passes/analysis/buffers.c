#include "passes/analysis/buffers.h"

#include "ir/analysis/blocked.h"
#include "ir/analysis/scratch.h"
#include "ir/encoding.h"
#include "ir/op_classes.h"
#include "ir/type.h"
#include "layout/convert.h"

#include "mlir-c/BuiltinAttributes.h"

enum { scratch_alignment = 128, default_alignment = 16 };

bool tri_buffers_is_shared(MlirType type)
{
    tri_memdesc d;
    return tri_type_get_memdesc(type, &d) &&
           mlirAttributeEqual(d.space, tri_encoding_shared_space(mlirTypeGetContext(type)));
}

bool tri_buffers_reads_constant(MlirOperation op)
{
    tri_memdesc desc;
    return tri_op_is(op, "ttg.local_load") && tri_type_get_memdesc(mlirValueGetType(tri_op_operand(op, 0)), &desc) &&
           !desc.is_mutable;
}

bool tri_buffers_is_view(MlirOperation op)
{
    return tri_op_in(op, TRI_OPS_BUFFER_VIEW);
}

/* ---- sizes ---- */

/* Bytes of a whole buffer, without the leading dimensions that count copies of it. Partitions are pieces of
 * what the layout within them would take. */
static int64_t bytes_of(const tri_memdesc *d, const tri_encoding *e, const int64_t *shape)
{
    int64_t elements = 1, own[TRI_MAX_RANK];
    if (e->kind != TRI_ENC_PARTITIONED_SHARED)
        return tri_convert_buffer_elements(e, e->rank, shape) * tri_scratch_element_bits(d->element) / 8;
    tri_blocked_shape_per_cta(e->parent, shape, own);
    for (int i = 0; i < e->rank; i++)
        elements *= own[i];
    return (tri_convert_pad_offset(e->parent, elements - 1) + 1) * tri_scratch_element_bits(d->element) / 8;
}

static int64_t offset_of(MlirOperation op, int part)
{
    MlirAttribute attr = tri_op_attr(op, "allocation.offset");
    if (!attr.ptr || !mlirAttributeIsAArray(attr))
        return tri_op_int(op, "allocation.offset", 0);
    return part < mlirArrayAttrGetNumElements(attr) ? mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(attr, part))
                                                    : 0;
}

static void add_alloc(tri_buffers *b, MlirOperation op)
{
    tri_memdesc d;
    if (!tri_type_get_memdesc(mlirValueGetType(tri_op_result(op, 0)), &d))
        return;
    const tri_encoding *e = tri_encoding_get(b->arena, d.encoding);
    bool is_parted = e->kind == TRI_ENC_PARTITIONED_SHARED;
    int64_t copies = 1;
    int lead = d.alloc_rank - e->rank; /* a leading dimension counts copies of the buffer */
    for (int i = 0; i < lead; i++)
        copies *= d.alloc_shape[i];
    tri_buffer buffer = {.op = op, .parts = is_parted ? e->partitioned.num_partitions : 1};
    int groups = is_parted ? e->partitioned.num_groups : 1;
    buffer.size = copies * bytes_of(&d, e, d.alloc_shape + lead) / (buffer.parts * groups) * groups;
    buffer.alignment = tri_op_int(op, "alignment", 0);
    if (buffer.alignment == 0)
        buffer.alignment = tri_convert_buffer_alignment(is_parted ? e->parent : e);
    if (buffer.alignment < default_alignment)
        buffer.alignment = default_alignment;
    tri_buffer_set *self = TRI_NEW(b->arena, tri_buffer_set);
    for (; buffer.part < buffer.parts; buffer.part++) {
        buffer.offset = offset_of(op, buffer.part);
        tri_vec_push(b->arena, self, (int)b->list.len);
        tri_vec_push(b->arena, &b->list, buffer);
    }
    tri_map_set_ptr(&b->points_to, tri_op_result(op, 0).ptr, self);
}

/* What a called function needs of its own; it was allocated before its callers. */
static int64_t callee_bytes(MlirOperation call, MlirOperation module)
{
    MlirAttribute callee = tri_op_attr(call, "callee");
    if (mlirAttributeIsNull(callee))
        return 0;
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
    for (MlirOperation f = mlirBlockGetFirstOperation(tri_op_body(module, 0)); !mlirOperationIsNull(f);
         f = mlirOperationGetNextInBlock(f))
        if (tri_op_is(f, "tt.func") && tri_str_equal(tri_op_symbol(f), (tri_str){name.data, name.length}))
            return tri_op_int(f, "ttg.shared", 0);
    return 0;
}

static void add_scratch(tri_buffers *b, MlirOperation op, int64_t size)
{
    if (size <= 0)
        return;
    tri_buffer buffer = {.op = op, .is_scratch = true, .size = size, .alignment = scratch_alignment,
                         .offset = tri_op_int(op, "allocation.offset", 0)};
    tri_vec_push(b->arena, &b->list, buffer);
    tri_map_set_ptr(&b->scratch_of, op.ptr, (void *)(uintptr_t)b->list.len);
}

/* What the scratch of an operation with one operand follows from; a kernel's conversions and reductions are mostly of a
 * few forms, and planning one takes a while. */
typedef struct {
    bool is_reduction;
    MlirType from, to;
    MlirAttribute axis;
    int64_t bytes;
} scratch_form;

typedef TRI_VEC(scratch_form) scratch_forms;

static int64_t scratch_bytes_of(const tri_buffers *b, scratch_forms *known, MlirOperation op)
{
    bool is_reduction = tri_op_is(op, "tt.reduce");
    if ((!is_reduction && !tri_op_is(op, "ttg.convert_layout")) || mlirOperationGetNumOperands(op) != 1)
        return tri_scratch_bytes(b->arena, op, &b->machine);
    scratch_form form = {is_reduction, mlirValueGetType(tri_op_operand(op, 0)), mlirValueGetType(tri_op_result(op, 0)),
                         tri_op_attr(op, "axis"), 0};
    for (size_t i = 0; i < known->len; i++) {
        const scratch_form *at = &known->at[i];
        if (at->is_reduction == is_reduction && mlirTypeEqual(at->from, form.from) && mlirTypeEqual(at->to, form.to) &&
            mlirAttributeEqual(at->axis, form.axis))
            return at->bytes;
    }
    form.bytes = tri_scratch_bytes(b->arena, op, &b->machine);
    tri_vec_push(b->arena, known, form);
    return form.bytes;
}

/* ---- what points where ---- */

const tri_buffer_set *tri_buffers_of(const tri_buffers *buffers, MlirValue value)
{
    static const tri_buffer_set empty = {0};
    const tri_buffer_set *set = tri_map_find_ptr(&buffers->points_to, value.ptr);
    return set ? set : &empty;
}

const tri_buffer *tri_buffers_scratch(const tri_buffers *buffers, MlirOperation op)
{
    uintptr_t i = (uintptr_t)tri_map_find_ptr(&buffers->scratch_of, op.ptr);
    return i ? &buffers->list.at[i - 1] : NULL;
}

static bool insert(tri_arena *arena, tri_buffer_set *set, int id)
{
    size_t at = 0;
    while (at < set->len && set->at[at] < id)
        at++;
    if (at < set->len && set->at[at] == id)
        return false;
    tri_vec_push(arena, set, id);
    for (size_t i = set->len - 1; i > at; i--)
        set->at[i] = set->at[i - 1];
    set->at[at] = id;
    return true;
}

static void flow(tri_buffers *b, MlirValue from, MlirValue to)
{
    const tri_buffer_set *source = tri_map_find_ptr(&b->points_to, from.ptr);
    if (!source)
        return;
    tri_buffer_set *target = tri_map_find_ptr(&b->points_to, to.ptr);
    if (!target) {
        target = TRI_NEW(b->arena, tri_buffer_set);
        tri_map_set_ptr(&b->points_to, to.ptr, target);
    }
    for (size_t i = 0; i < source->len; i++)
        b->is_stale |= insert(b->arena, target, source->at[i]);
}

static void flow_terminator(tri_buffers *b, MlirOperation op)
{
    MlirOperation parent = mlirOperationGetParentOperation(op);
    bool is_condition = tri_op_is(op, "scf.condition"), is_while = tri_op_is(parent, "scf.while");
    for (intptr_t i = is_condition; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue value = tri_op_operand(op, i);
        if (is_while && !is_condition) {
            flow(b, value, mlirBlockGetArgument(tri_op_body(parent, 0), i));
            continue;
        }
        if (is_condition)
            flow(b, value, mlirBlockGetArgument(tri_op_body(parent, 1), i - 1));
        if (tri_op_is(parent, "scf.for"))
            flow(b, value, mlirBlockGetArgument(tri_op_body(parent, 0), i + 1));
        flow(b, value, tri_op_result(parent, i - is_condition));
    }
}

static void flow_branch(tri_buffers *b, MlirOperation op)
{
    intptr_t start = tri_op_is(op, "cf.cond_br") ? 1 : 0;
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
        MlirBlock to = mlirOperationGetSuccessor(op, s);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); i++)
            flow(b, tri_op_operand(op, start + i), mlirBlockGetArgument(to, i));
        start += mlirBlockGetNumArguments(to);
    }
}

/* Partition regions take the captured operands as arguments. */
static void flow_captures(tri_buffers *b, MlirOperation partitions)
{
    MlirOperation parent = mlirOperationGetParentOperation(partitions);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); r++) {
        MlirBlock body = tri_op_body(partitions, (int)r);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(body) && i < mlirOperationGetNumOperands(parent); i++)
            flow(b, tri_op_operand(parent, i), mlirBlockGetArgument(body, i));
    }
}

static void flow_op(tri_buffers *b, MlirOperation op)
{
    if (tri_op_is(op, "scf.for")) {
        for (intptr_t i = 3; i < mlirOperationGetNumOperands(op); i++) {
            flow(b, tri_op_operand(op, i), mlirBlockGetArgument(tri_op_body(op, 0), i - 2));
            flow(b, tri_op_operand(op, i), tri_op_result(op, i - 3));
        }
    } else if (tri_op_is(op, "scf.while")) {
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            flow(b, tri_op_operand(op, i), mlirBlockGetArgument(tri_op_body(op, 0), i));
    } else if (tri_op_is(op, "scf.yield") || tri_op_is(op, "scf.condition")) {
        flow_terminator(b, op);
    } else if (tri_op_is(op, "arith.select")) {
        flow(b, tri_op_operand(op, 1), tri_op_result(op, 0));
        flow(b, tri_op_operand(op, 2), tri_op_result(op, 0));
    } else if (tri_buffers_is_view(op)) {
        flow(b, tri_op_operand(op, 0), tri_op_result(op, 0));
    } else if (tri_op_is(op, "ttg.warp_specialize.partitions")) {
        flow_captures(b, op);
    } else if (mlirOperationGetNumSuccessors(op)) {
        flow_branch(b, op);
    }
}

void tri_buffers_init(tri_buffers *buffers, tri_arena *arena, MlirOperation func, MlirOperation module)
{
    *buffers = (tri_buffers){.arena = arena, .machine = tri_scratch_machine(module)};
    tri_map_init(&buffers->points_to, arena);
    tri_map_init(&buffers->scratch_of, arena);
    tri_op_list ops = {0};
    scratch_forms forms = {0};
    tri_op_collect(func, arena, &ops);
    for (size_t i = 0; i < ops.len; i++) {
        MlirOperation op = ops.at[i];
        if (tri_op_is(op, "ttg.local_alloc")) {
            add_alloc(buffers, op);
        } else if (tri_op_is(op, "tt.call")) {
            add_scratch(buffers, op, callee_bytes(op, module));
        } else {
            add_scratch(buffers, op, scratch_bytes_of(buffers, &forms, op));
        }
    }
    bool has_allocs = buffers->points_to.len > 0;
    buffers->is_stale = has_allocs;
    while (buffers->is_stale) {
        buffers->is_stale = false;
        for (size_t i = 0; i < ops.len; i++)
            flow_op(buffers, ops.at[i]);
    }
}
