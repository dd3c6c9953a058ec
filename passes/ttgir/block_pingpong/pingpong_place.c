/* Putting operations of a loop in order, and the marks between them. */
#include "passes/ttgir/block_pingpong/pingpong.h"

#include "passes/ttgir/pipeline/pipeline.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

void tri_pingpong_append(tri_pingpong *p, MlirOperation op)
{
    if (!mlirOperationEqual(op, p->last))
        mlirOperationMoveAfter(op, p->last);
    p->last = op;
}

/* The operation of the loop's body that makes the value, if it stands behind `from`; else null. */
static MlirOperation source_behind(tri_pingpong *p, MlirOperation from, MlirValue value)
{
    MlirOperation def = tri_op_def(value);
    bool is_behind = !mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), p->body) &&
                     mlirOperationIsBeforeInBlock(from, def);
    return is_behind ? def : (MlirOperation){NULL};
}

static void bring_from_behind(tri_pingpong *p, MlirOperation op)
{
    tri_value_list uses = {0};
    tri_pipeline_uses_of(p->arena, op, &uses);
    for (size_t i = 0; i < uses.len; i++) {
        MlirOperation source = source_behind(p, p->last, uses.at[i]);
        if (!mlirOperationIsNull(source))
            bring_from_behind(p, source);
    }
    tri_pingpong_append(p, op);
}

static bool is_used_before(tri_pingpong *p, MlirOperation op, MlirOperation end)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        for (MlirOpOperand use = mlirValueGetFirstUse(tri_op_result(op, i)); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use)) {
            MlirOperation user = tri_op_ancestor_in(p->body, mlirOpOperandGetOwner(use));
            if (!mlirOperationIsNull(user) && !mlirOperationIsBeforeInBlock(end, user))
                return true;
        }
    return false;
}

void tri_pingpong_bring(tri_pingpong *p, MlirOperation op)
{
    if (mlirOperationIsBeforeInBlock(p->last, op))
        bring_from_behind(p, op);
    else if (!is_used_before(p, op, p->last))
        tri_pingpong_append(p, op);
}

static bool is_of(const tri_op_list *list, MlirOperation op)
{
    for (size_t i = 0; i < list->len; i++)
        if (mlirOperationEqual(list->at[i], op))
            return true;
    return false;
}

static bool is_in_lists(const tri_pingpong *p, MlirOperation op)
{
    const tri_op_list *const lists[] = {&p->loads,   &p->reads, &p->writes, &p->copies,
                                        &p->commits, &p->waits, &p->dots,   &p->scaled};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_of(lists[i], op))
            return true;
    return false;
}

bool tri_pingpong_can_bring(tri_pingpong *p, MlirOperation from, MlirOperation op)
{
    tri_value_list uses = {0};
    tri_pipeline_uses_of(p->arena, op, &uses);
    for (size_t i = 0; i < uses.len; i++) {
        MlirOperation source = source_behind(p, from, uses.at[i]);
        if (mlirOperationIsNull(source))
            continue;
        if ((!is_in_lists(p, source) && tri_op_has_effects(source)) || !tri_pingpong_can_bring(p, from, source))
            return false;
    }
    return true;
}

/* ---- marks ---- */

/* llvm.fence, of shared memory alone. */
static MlirOperation make_fence(tri_builder *b, bool is_release)
{
    enum { acquire = 4, release = 5 };
    static const char tag[] = "#llvm.mmra_tag<\"amdgpu-synchronize-as\":\"local\">";
    mlirContextGetOrLoadDialect(b->context, mlirStringRefCreateFromCString("llvm"));
    tri_attr attrs[] = {
        {"ordering", tri_attr_i64(b->context, is_release ? release : acquire)},
        {"syncscope", tri_attr_str(b->context, "workgroup", strlen("workgroup"))},
        {"llvm.mmra", mlirAttributeParseGet(b->context, mlirStringRefCreateFromCString(tag))},
    };
    return tri_builder_create(b, &(tri_op){.name = "llvm.fence", .num_attrs = 3, .attrs = attrs});
}

static MlirOperation make_mark(tri_builder *b, tri_pingpong_mark mark)
{
    enum { accesses_only = 1, scalar_unit = 4, matrix_unit = 8, local = 1 };
    MlirType i16 = mlirIntegerTypeGet(b->context, 16);
    tri_attr first = {"priority", mlirIntegerAttrGet(i16, mark == TRI_PINGPONG_FIRST)};
    tri_attr none = {"mask", tri_attr_i32(b->context, mark == TRI_PINGPONG_MEMORY_FENCE ? accesses_only : 0)};
    tri_attr shared = {"addrSpace", tri_attr_i32(b->context, local)};
    bool is_scalar = mark == TRI_PINGPONG_THREE_SCALARS;
    tri_attr group[] = {{"mask", tri_attr_i32(b->context, is_scalar ? scalar_unit : matrix_unit)},
                        {"size", tri_attr_i32(b->context, is_scalar ? 3 : 1)},
                        {"groupId", tri_attr_i32(b->context, 0)}};
    switch (mark) {
    case TRI_PINGPONG_FENCE:
    case TRI_PINGPONG_MEMORY_FENCE:
        return tri_builder_create(b, &(tri_op){.name = "rocdl.sched.barrier", .num_attrs = 1, .attrs = &none});
    case TRI_PINGPONG_FIRST:
    case TRI_PINGPONG_SECOND:
        return tri_builder_create(b, &(tri_op){.name = "rocdl.s.setprio", .num_attrs = 1, .attrs = &first});
    case TRI_PINGPONG_BARRIER:
        return tri_builder_create(b, &(tri_op){.name = "ttg.barrier", .num_attrs = 1, .attrs = &shared});
    case TRI_PINGPONG_MEET: return tri_builder_create(b, &(tri_op){.name = "rocdl.s.barrier"});
    case TRI_PINGPONG_RELEASE:
    case TRI_PINGPONG_ACQUIRE: return make_fence(b, mark == TRI_PINGPONG_RELEASE);
    case TRI_PINGPONG_ONE_PRODUCT:
    case TRI_PINGPONG_THREE_SCALARS: break;
    }
    return tri_builder_create(b, &(tri_op){.name = "rocdl.sched.group.barrier", .num_attrs = 3, .attrs = group});
}

void tri_pingpong_mark_here(tri_pingpong *p, tri_pingpong_mark mark)
{
    tri_builder b = tri_builder_after(p->last);
    b.loc = mlirOperationGetLocation(p->loop);
    p->last = make_mark(&b, mark);
}

void tri_pingpong_mark_before(MlirOperation op, tri_pingpong_mark mark)
{
    tri_builder b = tri_builder_before(op);
    make_mark(&b, mark);
}

void tri_pingpong_end_cluster(tri_pingpong *p)
{
    tri_pingpong_mark_here(p, TRI_PINGPONG_BARRIER);
    tri_pingpong_mark_here(p, TRI_PINGPONG_FENCE);
}

void tri_pingpong_bring_first(tri_pingpong *p, MlirOperation dot)
{
    tri_pingpong_mark_here(p, TRI_PINGPONG_FIRST);
    tri_pingpong_bring(p, dot);
    tri_pingpong_mark_here(p, TRI_PINGPONG_SECOND);
}
