/* Stores through descriptors in loops leave through one buffer for each kind of tile: the copy to memory runs on
 * until the buffer is needed again.
 *
 *     scf.for ... {                                     %b = ttg.local_alloc
 *       tt.descriptor_store %d[%i, %j], %v              scf.for ... {
 *     }                                                   ttng.async_tma_store_wait {pendings = 0}
 *                                                         ttg.local_store %v, %b ; ttng.fence_async_shared
 *                                                         ttng.async_tma_copy_local_to_global %d[%i, %j] %b
 *                                                       }
 *                                                       ttng.async_tma_store_wait {pendings = 0} ; ttg.local_dealloc %b
 *
 * Descriptors that such a loop makes go to rotating places in memory (pipeline_descriptors.c). */
#include "passes/ttgir/pipeline/lower.h"

#include "ir/type.h"
#include "passes/analysis/dots.h"
#include "passes/analysis/tensormaps.h"

typedef struct {
    MlirType type;
    MlirValue buffer;
} store_buffer;

typedef struct {
    tri_arena *arena;
    MlirOperation loop;
    TRI_VEC(store_buffer) buffers;
} storer;

static bool is_store(MlirOperation op)
{
    return tri_op_is(op, "tt.descriptor_store") || tri_op_is(op, "tt.descriptor_reduce") ||
           tri_op_is(op, "tt.descriptor_scatter");
}

static intptr_t source_index(MlirOperation op) { return tri_op_is(op, "tt.descriptor_scatter") ? 3 : 1; }

static MlirType buffer_type(MlirOperation op)
{
    return tri_tensormaps_buffer(mlirValueGetType(tri_op_operand(op, 0)),
                                 mlirValueGetType(tri_op_operand(op, source_index(op))));
}

/* The loop that an op belongs to is `loop` itself, not one inside of it. */
static bool is_own(MlirOperation loop, MlirOperation op)
{
    for (op = mlirOperationGetParentOperation(op); !mlirOperationEqual(op, loop);
         op = mlirOperationGetParentOperation(op))
        if (tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while"))
            return false;
    return true;
}

static bool collect_stores(tri_arena *arena, MlirOperation loop, tri_op_list *out)
{
    tri_op_list inside = {0};
    tri_op_collect(loop, arena, &inside);
    for (size_t i = 0; i < inside.len; i++) {
        if (!is_store(inside.at[i]) || !is_own(loop, inside.at[i]))
            continue;
        if (mlirTypeIsNull(buffer_type(inside.at[i])))
            return false;
        tri_vec_push(arena, out, inside.at[i]);
    }
    return out->len > 0;
}

static MlirValue buffer_of(storer *s, MlirType type)
{
    for (size_t i = 0; i < s->buffers.len; i++)
        if (mlirTypeEqual(s->buffers.at[i].type, type))
            return s->buffers.at[i].buffer;
    tri_builder b = tri_builder_before(s->loop);
    MlirValue buffer = tri_builder_value(&b, &(tri_op){.name = "ttg.local_alloc", .num_results = 1, .results = &type});
    tri_vec_push(s->arena, &s->buffers, (store_buffer){type, buffer});
    return buffer;
}

static void wait_for_stores(tri_builder *b)
{
    tri_attr pendings = {"pendings", tri_attr_i32(b->context, 0)};
    tri_builder_create(b, &(tri_op){.name = "ttng.async_tma_store_wait", .num_attrs = 1, .attrs = &pendings});
}

static void rewrite_stores(storer *s, MlirOperation op)
{
    tri_builder b = tri_builder_before(op);
    intptr_t source = source_index(op), n = mlirOperationGetNumOperands(op), count = 0;
    MlirValue buffer = buffer_of(s, buffer_type(op)), operands[16];
    MlirValue stored[] = {tri_dots_strip_converts(tri_op_operand(op, source)), buffer};
    bool is_reduce = tri_op_is(op, "tt.descriptor_reduce"), is_scatter = tri_op_is(op, "tt.descriptor_scatter");
    wait_for_stores(&b);
    tri_builder_create(&b, &(tri_op){.name = "ttg.local_store", .num_operands = 2, .operands = stored});
    tri_attr cluster = {"bCluster", tri_attr_bool(b.context, false)};
    tri_builder_create(&b, &(tri_op){.name = "ttng.fence_async_shared", .num_attrs = 1, .attrs = &cluster});
    for (intptr_t i = 0; i < n; i++)
        if (i != source)
            operands[count++] = tri_op_operand(op, i);
    operands[count++] = buffer;
    tri_attr kind = {"kind", is_reduce ? tri_op_attr(op, "kind") : (MlirAttribute){NULL}};
    const char *name = is_reduce ? "ttng.async_tma_reduce" : "ttng.async_tma_copy_local_to_global";
    tri_builder_create(&b, &(tri_op){.name = is_scatter ? "ttng.async_tma_scatter" : name, .num_operands = count,
                                     .operands = operands, .num_attrs = 1, .attrs = &kind});
    mlirOperationDestroy(op);
}

MlirOperation tri_pipeline_stores_run(tri_arena *arena, MlirOperation loop)
{
    storer s = {.arena = arena, .loop = loop};
    tri_op_list stores = {0};
    if (!collect_stores(arena, loop, &stores))
        return loop;
    for (size_t i = 0; i < stores.len; i++)
        rewrite_stores(&s, stores.at[i]);
    tri_builder b = tri_builder_after(loop);
    wait_for_stores(&b);
    for (size_t i = 0; i < s.buffers.len; i++)
        tri_builder_create(
            &b, &(tri_op){.name = "ttg.local_dealloc", .num_operands = 1, .operands = &s.buffers.at[i].buffer});
    return tri_pipeline_descriptors_run(arena, loop, 2);
}
