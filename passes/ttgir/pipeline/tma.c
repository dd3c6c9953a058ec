/* Loads through descriptors into rings of buffers.
 *
 *     %a = tt.descriptor_load %d[%i, %j]
 *   becomes, with a ring of barriers beside that of the buffers,
 *     ttng.barrier_expect %bar[%in], bytes                                       // where the load is
 *     ttng.async_tma_copy_global_to_local %d[%i, %j] %ring[%in], %bar[%in]
 *     ttng.wait_barrier %bar[%out], %phase ; %a = ttg.local_load %ring[%out]     // where its data is needed first
 *
 * Neighbouring loads that start and are needed together share a barrier. */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/type.h"
#include "passes/analysis/tensormaps.h"

bool tri_pipeline_is_tma(const tri_pipeline *p, MlirOperation load, MlirType *out_buffer)
{
    bool is_gather = tri_op_is(load, "tt.descriptor_gather");
    if (!is_gather && !tri_op_is(load, "tt.descriptor_load"))
        return false;
    MlirType tensor = mlirValueGetType(tri_op_result(load, 0));
    *out_buffer = tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(load, 0)), tensor);
    (void)p;
    if (mlirTypeIsNull(*out_buffer))
        return false;
    enum { WHOLE = 128 }; /* slots of a ring stay aligned */
    return tri_type_num_elements(tensor) * tri_type_bits(tri_type_element(tensor)) / 8 % WHOLE == 0;
}

static bool is_tma(const tri_async_load *load) { return load->route != TRI_LOAD_COPY; }

static bool is_same_place(tri_place a, tri_place b) { return a.stage == b.stage && a.cluster == b.cluster; }

static int bytes_of(const tri_async_load *load)
{
    MlirType tensor = mlirValueGetType(tri_op_result(load->load, 0));
    return (int)(tri_type_num_elements(tensor) * tri_type_bits(tri_type_element(tensor)) / 8);
}

/* Whether `op` needs the value; an allocation passes the question on to its users, as it will be gone. */
static bool uses_value(MlirBlock body, MlirOperation op, MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        MlirOperation owner = mlirOpOperandGetOwner(use), user = tri_op_ancestor_in(body, owner);
        bool is_alloc = tri_op_is(owner, "ttg.local_alloc");
        if (is_alloc ? uses_value(body, op, tri_op_result(owner, 0))
                     : !mlirOperationIsNull(user) && mlirOperationEqual(user, op))
            return true;
    }
    return false;
}

static tri_async_load *load_of(tri_lowering *l, MlirOperation op)
{
    for (size_t i = 0; i < l->loads.len; i++)
        if (mlirOperationEqual(l->loads.at[i].load, op))
            return &l->loads.at[i];
    return NULL;
}

/* The loads behind `first` that may share its barrier; returns the bytes of all and the last of them. */
static int gather_group(tri_lowering *l, tri_async_load *first, int barrier, MlirOperation *out_last)
{
    int bytes = bytes_of(first);
    first->barrier = barrier;
    *out_last = first->load;
    for (MlirOperation op = mlirOperationGetNextInBlock(first->load); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        bool is_used = false;
        for (size_t i = 0; i < l->loads.len && !is_used; i++)
            is_used = l->loads.at[i].barrier == barrier && is_tma(&l->loads.at[i]) &&
                      uses_value(l->body, op, tri_op_result(l->loads.at[i].load, 0));
        if (is_used)
            break;
        tri_async_load *next = load_of(l, op);
        if (!next || !is_tma(next) || next->barrier >= 0 || next->buffers != first->buffers ||
            !is_same_place(next->start, first->start) || !is_same_place(next->use, first->use))
            continue;
        next->barrier = barrier;
        bytes += bytes_of(next);
        *out_last = op;
    }
    return bytes;
}

static void wait_for(tri_lowering *l, const tri_async_load *load, MlirValue ring, MlirOperation last)
{
    tri_builder b = tri_builder_after(last);
    MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, ring, load->out), load->use);
    const int32_t sizes[] = {1, 1, 0, 0};
    tri_attr attr = {"operandSegmentSizes", tri_attr_i32s(b.context, 4, sizes)};
    (void)l;
    tri_pipeline_placed_op(tri_builder_create(&b, &(tri_op){.name = "ttng.wait_barrier", .num_operands = 2,
                                                         .operands = (MlirValue[]){slot, load->phase}, .num_attrs = 1,
                                                         .attrs = &attr}), load->use);
}

void tri_pipeline_make_tma_barriers(tri_lowering *l)
{
    for (size_t i = 0; i < l->loads.len; i++) {
        tri_async_load *first = &l->loads.at[i];
        if (!is_tma(first) || first->barrier >= 0)
            continue;
        MlirOperation last;
        int bytes = gather_group(l, first, (int)l->barriers.len, &last);
        MlirValue ring = tri_pipeline_barriers(l, first->buffers, 1);
        tri_vec_push(l->p->arena, &l->barriers, ring);
        tri_builder b = tri_builder_before(first->load);
        MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, ring, first->in), first->start);
        MlirValue yes = tri_pipeline_true(&b, first->start);
        tri_attr size = {"size", tri_attr_i32(b.context, bytes)};
        tri_pipeline_placed_op(tri_builder_create(&b, &(tri_op){.name = "ttng.barrier_expect", .num_operands = 2,
                                                             .operands = (MlirValue[]){slot, yes}, .num_attrs = 1,
                                                             .attrs = &size}), first->start);
        for (size_t k = 0; k < l->loads.len; k++)
            if (is_tma(&l->loads.at[k]) && l->loads.at[k].barrier == first->barrier)
                l->loads.at[k].insert_view = slot;
        wait_for(l, first, ring, last);
    }
}

/* The wait of a barrier's group: the first wait_barrier behind the load that reads its ring. */
static MlirOperation wait_of(const tri_lowering *l, const tri_async_load *load)
{
    MlirValue ring = l->barriers.at[load->barrier];
    MlirOperation op = load->load;
    while (!tri_op_is(op, "ttng.wait_barrier") ||
           !mlirValueEqual(tri_op_operand(tri_op_def(tri_op_operand(op, 0)), 0), ring))
        op = mlirOperationGetNextInBlock(op);
    return op;
}

static void start_tma(tri_async_load *load)
{
    MlirOperation op = load->load;
    tri_builder b = tri_builder_before(op);
    MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, load->ring, load->in), load->start);
    MlirValue yes = tri_pipeline_true(&b, load->start);
    tri_pipeline_placed_op(tri_tensormaps_start_load(&b, op, slot, load->insert_view, yes), load->start);
}

void tri_pipeline_tma(tri_lowering *l, size_t index)
{
    tri_async_load *load = &l->loads.at[index];
    MlirOperation op = load->load;
    MlirValue result = tri_op_result(op, 0);
    start_tma(load);
    tri_builder b = tri_builder_after(wait_of(l, load));
    b.loc = mlirOperationGetLocation(op);
    MlirValue slot = tri_pipeline_placed(tri_pipeline_slot(&b, load->ring, load->out), load->use);
    if (!tri_pipeline_replace_allocs(result, slot)) {
        mlirOperationDestroy(op);
        return;
    }
    b.before = mlirOperationGetNextInBlock(tri_op_def(slot)); /* what stood there may have been such an allocation */
    MlirType type = mlirValueGetType(result);
    MlirValue loaded = tri_builder_value(&b, &(tri_op){.name = "ttg.local_load", .num_operands = 1, .operands = &slot,
                                                       .num_results = 1, .results = &type});
    tri_pipeline_placed(loaded, load->use);
    tri_op_replace(op, 1, &loaded);
}
